"""Packs the add-on as users download it: fixsync-godot-VERSION.zip.

    python bindings/godot/pack.py FOLDER [LIBRARIES]

The zip has addons/fixsync alone, as the Asset Library wants it: nodes, icons, the libraries of all
platforms with the help of their classes in them, LICENSE and README. LIBRARIES is a folder that has
the libraries already; without it they are built, which needs ziglang, and LLVM 19 for the web
(bindings/natives/build.py). The same sources give the same bytes."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ADDON = HERE / "addons" / "fixsync"


def version() -> str:
    """The version of the project."""
    text = (ROOT / "fixsync" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise ValueError("fixsync/__init__.py has no version")
    return found[1]


def named_libraries() -> list[str]:
    """The files that the manifest of the extension names."""
    manifest = (ADDON / "fixsync.gdextension").read_text(encoding="utf-8")
    return sorted(set(re.findall(r'"bin/([^"]+)"', manifest)))


def files(libraries: Path) -> dict[str, bytes]:
    """What goes into the zip, by name."""
    found = {"LICENSE": (ROOT / "LICENSE").read_bytes(), "README.md": readme()}
    for path in sorted(ADDON.rglob("*")):
        relative = path.relative_to(ADDON)
        if path.is_file() and relative.parts[0] != "bin" and path.suffix not in (".import", ".uid"):
            found[relative.as_posix()] = path.read_bytes()
    for name in named_libraries():
        found[f"bin/{name}"] = (libraries / name).read_bytes()
    return {f"addons/fixsync/{name}": data for name, data in found.items()}


def readme() -> bytes:
    """The README, without the part that builds the libraries: they are in the zip."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    start, end = text.index("Build its libraries"), text.index("Save this as")
    install = (
        "Copy `addons/fixsync` to your project. Restart the editor, and enable the plugin.\n\n"
    )
    return (text[:start] + install + text[end:]).encode()


def pack(to: Path, libraries: Path) -> Path:
    """Writes the zip into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    packed = to / f"fixsync-godot-{version()}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files(libraries).items()):
            entry = zipfile.ZipInfo(name)  # of 1980-01-01
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return packed


def main(arguments: list[str]) -> int:
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as work:
        libraries = Path(arguments[1]) if arguments[1:] else Path(work)
        if not arguments[1:]:
            build = [sys.executable, ROOT / "bindings" / "natives" / "build.py", "--godot"]
            subprocess.run([*build, libraries], check=True)
        missing = [name for name in named_libraries() if not (libraries / name).is_file()]
        if missing:
            print(f"no {', '.join(missing)} in {libraries}", file=sys.stderr)
            return 1
        packed = pack(Path(arguments[0]), libraries)
    print(f"{packed.name} {packed.stat().st_size}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Packs the add-on as users download it: fixsync-godot-VERSION.zip, and a project with the demo in
it: fixsync-demo-godot-VERSION.zip.

    python bindings/godot/pack.py FOLDER [LIBRARIES]

The first has addons/fixsync alone, as the Asset Library wants it: nodes with their .uid files, icons,
the libraries of all platforms with the help of their classes in them, LICENSE and README. LIBRARIES is
a folder that has the libraries already; without it they are built, which needs ziglang, and LLVM 19
for the web (bindings/natives/build.py). The same sources give the same bytes."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ADDON = HERE / "addons" / "fixsync"
DIGITS = "abcdefghijklmnopqrstuvwxy012345678"
"""Those of the engine's uids, which have no z and no 9."""


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


def uid(path: str) -> bytes:
    """The .uid file of a script: a number of 63 bits that its path in the project decides, so that
    all projects agree."""
    number = int.from_bytes(hashlib.sha256(path.encode()).digest()[:8], "big") >> 1
    text = ""
    while number:
        number, digit = divmod(number, len(DIGITS))
        text = DIGITS[digit] + text
    return f"uid://{text}\n".encode()


def sources(folder: Path, to: str) -> dict[str, bytes]:
    """The files of a folder by their names in a project, with a .uid file for each script."""
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and relative.parts[0] != "bin" and path.suffix not in (".import", ".uid"):
            found[f"{to}{relative.as_posix()}"] = path.read_bytes()
    scripts = [name for name in found if name.endswith((".gd", ".gdextension"))]
    return found | {f"{name}.uid": uid(name) for name in scripts}


def files(libraries: Path) -> dict[str, bytes]:
    """The add-on, by the names of its files in a project."""
    found = sources(ADDON, "addons/fixsync/")
    added = {"LICENSE": (ROOT / "LICENSE").read_bytes(), "README.md": readme()}
    added |= {f"bin/{name}": (libraries / name).read_bytes() for name in named_libraries()}
    return found | {f"addons/fixsync/{name}": data for name, data in added.items()}


def readme() -> bytes:
    """The README, without the part that builds the libraries: they are in the zip."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    start, end = text.index("Build its libraries"), text.index("Save this as")
    install = (
        "Copy `addons/fixsync` to your project. Restart the editor, and enable the plugin.\n\n"
    )
    return (text[:start] + install + text[end:]).encode()


def pack(to: Path, libraries: Path) -> list[Path]:
    """Writes both zips into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    addon = files(libraries)
    return [
        write(to / f"fixsync-godot-{version()}.zip", addon),
        write(to / f"fixsync-demo-godot-{version()}.zip", addon | sources(HERE / "demo", "")),
    ]


def write(packed: Path, entries: dict[str, bytes]) -> Path:
    """Writes a zip whose bytes are those of its entries alone."""
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(entries.items()):
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
        for packed in pack(Path(arguments[0]), libraries):
            print(f"{packed.name} {packed.stat().st_size}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Packs the NuGet package and the Unity package: `python pack.py FOLDER [TARGET]`.

Tests name a target: its library then stands for those of all. It needs fixsync, ziglang
(bindings/natives/build.py), and a .NET SDK as `dotnet` on the path or in the variable DOTNET. The
same sources and compilers give the same bytes. Prints a table: file, bytes, SHA-256."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NATIVES = HERE.parent / "natives" / "build.py"
VERSION = json.loads((HERE / "package.json").read_text())["version"]
DATE = (2020, 1, 1, 0, 0, 0)

PLUGINS = {
    "Plugins/Linux/x86_64/libfixsync.so": ("linux-x64/libfixsync.so", "Linux64", "x86_64"),
    "Plugins/Windows/x86_64/fixsync.dll": ("win-x64/fixsync.dll", "Win64", "x86_64"),
    "Plugins/Windows/ARM64/fixsync.dll": ("win-arm64/fixsync.dll", "Win64", "ARM64"),
    "Plugins/macOS/libfixsync.dylib": ("osx/libfixsync.dylib", "OSXUniversal", "AnyCPU"),
    "Plugins/Android/arm64-v8a/libfixsync.so": ("linux-arm64/libfixsync.so", "Android", "ARM64"),
    "Plugins/Android/armeabi-v7a/libfixsync.so": ("android-arm/libfixsync.so", "Android", "ARMv7"),
    "Plugins/Android/x86_64/libfixsync.so": ("linux-x64/libfixsync.so", "Android", "X86_64"),
}
"""Libraries of the Unity package: where they come from, platform, processor."""

SOURCES = ("iOS", "tvOS", "VisionOS", "WebGL")
"""Platforms whose one C source Unity compiles itself; WebGL's compiler takes no headers."""


def nuget(work: Path) -> bytes:
    """The package of `dotnet pack`, zipped again: names in order, one date, no random part."""
    dotnet = os.environ.get("DOTNET") or shutil.which("dotnet")
    if dotnet is None:
        raise SystemExit("no .NET SDK: put dotnet on the path, or its path into DOTNET")
    command = [
        dotnet,
        "pack",
        "-c",
        "Release",
        "-o",
        "out",
        "-nologo",
        "-v",
        "quiet",
        "Fixsync.csproj",
    ]
    subprocess.run(command, check=True, cwd=work)
    out = io.BytesIO()
    with (
        zipfile.ZipFile(next((work / "out").glob("*.nupkg"))) as package,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as again,
    ):
        for name in sorted(package.namelist()):
            if name.endswith(".psmdcp"):
                continue
            data = package.read(name)
            if name == "_rels/.rels":
                data = re.sub(rb"<Relationship [^>]*core-properties[^>]*/>", b"", data)
            again.writestr(zipfile.ZipInfo(name, DATE), data, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def meta(path: str, settings: str = "") -> bytes:
    """The file that gives an asset its id: the MD5 of its path."""
    guid = hashlib.md5(f"fixsync/{path}".encode(), usedforsecurity=False).hexdigest()
    return f"fileFormatVersion: 2\nguid: {guid}\n{settings}".encode()


GROUPS = {**dict.fromkeys(("Linux64", "Win64", "OSXUniversal"), "Standalone"), "iOS": "iPhone"}
"""What Unity calls the group of a platform, where it is not the platform."""


def importer(platforms: tuple[str, ...], cpu: str) -> str:
    """Settings of a plugin that is for these platforms alone."""
    rows = [("Any: ", 0, ["settings: {}"])]
    for name in platforms:
        rows.append((f"{GROUPS.get(name, name)}: {name}", 1, ["settings:", f"  CPU: {cpu}"]))
        # The editor of Unity 2021 has no Windows on Arm.
        if GROUPS.get(name) == "Standalone" and cpu != "ARM64":
            system = {"Linux64": "Linux", "Win64": "Windows", "OSXUniversal": "OSX"}[name]
            rows.append(("Editor: Editor", 1, ["settings:", f"  CPU: {cpu}", f"  OS: {system}"]))
    lines = ["PluginImporter:", "  serializedVersion: 2", "  isPreloaded: 0", "  platformData:"]
    for first, enabled, settings in rows:
        lines += ["  - first:", f"      {first}", "    second:", f"      enabled: {enabled}"]
        lines += [f"      {line}" for line in settings]
    return "\n".join(lines) + "\n"


def unity(natives: Path) -> bytes:
    """The tarball of the Unity package: sources, libraries, and an id for each asset."""
    files: dict[str, bytes] = {}
    for path in sorted(HERE.rglob("*")):
        name = path.relative_to(HERE).as_posix()
        is_part = re.match(r"(Runtime|Unity|Editor|Tests)/[^/]+\.(cs|asmdef)$|Samples~/.*\.", name)
        if is_part and path.name not in ("LogTests.cs", "DuelTests.cs", "UnityTests.cs"):
            files[name] = path.read_bytes()
    files["package.json"] = (HERE / "package.json").read_bytes()
    files["LICENSE.md"] = (ROOT / "LICENSE").read_bytes()
    files["README.md"] = (HERE / "README.md").read_bytes()
    page = (ROOT / "docs" / "csharp.md").read_text(encoding="utf-8")
    page = re.sub(
        r"\[([^]]+)\]\(([\w-]+\.md)(#[\w-]+)?\)", r"\1 (`docs/\2` of the repository)", page
    )
    files["Documentation~/fixsync.md"] = page.encode()
    files["CHANGELOG.md"] = (ROOT / "CHANGELOG.md").read_bytes()
    files["Samples~/Duel/fighter.fxframes"] = (ROOT / "examples" / "fighter.json").read_bytes()
    settings: dict[str, str] = {}
    for name, (source, platform, cpu) in PLUGINS.items():
        files[name] = (natives / source).read_bytes()
        settings[name] = importer((platform,), cpu)
    with tempfile.TemporaryDirectory() as folder:
        level = Path(folder) / "arena.fxlevel"
        command = [sys.executable, "-c", "from fixsync.cli import main; main()", "level"]
        command += [ROOT / "examples" / "arena.tmj", "-o", level]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        files["Samples~/Duel/arena.fxlevel"] = level.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        amalgamate = [sys.executable, ROOT / "csrc" / "amalgamate.py", folder]
        subprocess.run(amalgamate, check=True, stdout=subprocess.DEVNULL)
        for path in sorted(Path(folder).iterdir()):
            name = f"Plugins/Source/{path.name}"
            files[name] = path.read_bytes()
            settings[name] = importer(SOURCES if path.suffix == ".c" else SOURCES[:-1], "AnyCPU")
    folders = {parent.as_posix() for name in files for parent in Path(name).parents} - {"."}
    for name in sorted([*files, *folders]):
        if "~" not in name or (name in files and name.startswith("Samples~/")):
            is_folder = "folderAsset: yes\nDefaultImporter:\n" if name in folders else ""
            files[f"{name}.meta"] = meta(name, settings.get(name, is_folder))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            row = tarfile.TarInfo(f"package/{name}")
            row.size = len(files[name])
            row.mode = 0o644
            tar.addfile(row, io.BytesIO(files[name]))
    return gzip.compress(out.getvalue(), 9, mtime=0)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        natives, stand_in = work / "natives", sys.argv[2:]
        subprocess.run([sys.executable, NATIVES, natives, *stand_in], check=True)
        if stand_in:
            (library,) = natives.glob("*/*")
            for source, _, _ in PLUGINS.values():
                (natives / source).parent.mkdir(exist_ok=True)
                if not (natives / source).exists():
                    shutil.copy(library, natives / source)
        shutil.copytree(HERE / "Runtime", work / "Runtime")
        for name in ("Fixsync.csproj", "README.md"):
            shutil.copy(HERE / name, work)
        made = {
            f"Fixsync.{VERSION}.nupkg": nuget(work),
            f"dev.fixsync.fixsync-{VERSION}.tgz": unity(natives),
        }
        shutil.copytree(natives, to / "natives", dirs_exist_ok=True)
    for name, data in made.items():
        (to / name).write_bytes(data)
        print(f"{name:34} {len(data):8} {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()

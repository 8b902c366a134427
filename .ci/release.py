"""Builds what is released, checks it, and tries it with each of several Pythons.

    pip install '.[packaging]'
    python .ci/release.py dist --python python3.10 --python "$(.ci/python 3.15)" \
        --emulate aarch64 "$(.ci/python 3.14 arm64)"

The sdist, the wheels of eight platforms, the C sources, the add-on for Godot, and the packages of
npm, cargo, NuGet and Unity go into a folder that is new or empty, with release notes and
SHA256SUMS. Sdist and wheels are built twice, in other folders, with another umask and at another
time, and must be the same to the byte. The first program of each package is run. It lists what did
not run. Wheels for Pythons without the GIL are those of `cibuildwheel`, with the settings in
pyproject.toml."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import first
import wheels

ROOT = Path(__file__).resolve().parent.parent
BIN = "Scripts" if os.name == "nt" else "bin"

# What a package is tried with: answers, threads, recorded matches, the command line.
NEEDED = ["pytest", "hypothesis"]
TESTS = ["semantics", "threads", "replay", "replay_logs", "cli"]


class ReleaseError(Exception):
    """What a command said that failed."""


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What a command prints to standard output. ReleaseError with all that it printed, if it
    fails.
    """
    words = [str(word) for word in command]
    done = subprocess.run(  # noqa: S603  # the commands are this file's
        words, cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ReleaseError(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def tree(to: Path) -> Path:
    """A copy of the project: what git would commit, or all of it where there is no git, as in an
    sdist.
    """
    if (ROOT / ".git").exists() and shutil.which("git"):
        git = [
            "git",
            "-c",
            "safe.directory=*",
            "-C",
            str(ROOT),
        ]  # whoever owns it, nothing is run from it
        listed = run(*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, to / name)
                (to / name).chmod((ROOT / name).stat().st_mode & 0o777)
    else:
        ignored = shutil.ignore_patterns(
            "__pycache__", "*.so", "*.pyd", "*.egg-info", ".?*", "build", "dist"
        )
        shutil.copytree(ROOT, to, ignore=ignored)
        shutil.copytree(ROOT / ".ci", to / ".ci")
    return to


def build(where: Path, kind: str, flags: str = "") -> Path:
    """Builds the "sdist" or the "wheel" as pip would in an environment that has what the build
    needs.
    """
    code = f"from setuptools import build_meta; print('BUILT', build_meta.build_{kind}('dist'))"
    (where / "dist").mkdir(exist_ok=True)
    env = {**os.environ, "FIXSYNC_CFLAGS": flags, "PYTHONPATH": ""}
    built = re.search(
        r"^BUILT (.*)$", run(sys.executable, "-c", code, cwd=where, env=env), re.MULTILINE
    )
    if built is None:
        raise ReleaseError(f"the build of the {kind} does not say what it built")
    return where / "dist" / built[1]


def unpacked(sdist: Path, to: Path) -> Path:
    """The project's folder in an sdist, unpacked."""
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(to, filter="data")
        else:
            archive.extractall(to)  # noqa: S202  # it was built here
    (folder,) = to.iterdir()
    return folder


def pair(where: Path) -> tuple[Path, Path]:
    """The sdist and the wheel of a project's folder."""
    return build(where, "sdist"), build(where, "wheel")


def twice(work: Path) -> tuple[Path, Path]:
    """An sdist and a wheel. ReleaseError unless the project in that sdist builds the same bytes
    elsewhere.
    """
    first = pair(tree(work / "one"))
    second_tree = unpacked(first[0], work / "another and longer")
    for path in second_tree.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        if path.is_file():
            path.chmod(path.stat().st_mode & 0o700)
    before = os.umask(0o077)
    try:
        second = pair(second_tree)
    finally:
        os.umask(before)
    for one, other in zip(first, second, strict=True):
        if one.name != other.name or one.read_bytes() != other.read_bytes():
            raise ReleaseError(f"{one} and {other}: not the same bytes")
    return first


def all_machines(work: Path, native: Path, to: Path) -> list[Path]:
    """The wheels of all machines, out of the two folders of `twice`. ReleaseError unless both give
    the same bytes.
    """
    (other,) = (work / "another and longer").iterdir()
    try:
        found = wheels.build(work / "one", native, to, [*wheels.PLATFORMS])
        again = wheels.build(other, native, work / "again", [*wheels.PLATFORMS])
    except wheels.WheelError as error:
        raise ReleaseError(str(error)) from None
    for one, second in zip(found, again, strict=True):
        if one.read_bytes() != second.read_bytes():
            raise ReleaseError(f"{one.name}: not the same bytes in two folders")
    return found


def for_this_machine(folder: Path) -> Path:
    """The wheel of a folder that pip would take with this Python."""
    from packaging.tags import sys_tags
    from packaging.utils import parse_wheel_filename

    tags = {tag: number for number, tag in enumerate(sys_tags())}
    found = []
    for path in folder.glob("fixsync-*.whl"):
        known = [tags[tag] for tag in parse_wheel_filename(path.name)[3] if tag in tags]
        found += [(min(known), path)] if known else []
    if not found:
        raise ReleaseError(f"{folder} has no wheel for {sys.executable}")
    return min(found)[1]


def single_source(project: Path, to: Path) -> Path:
    """The C sources of a project's folder, packed: kernel and kit as one file, its headers,
    CMake, pkg-config, and the recipes of Conan and vcpkg.
    """
    name = f"fixsync-{project_version(project)}-c"
    packed = to / f"{name}.zip"
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, project / "csrc" / "amalgamate.py", folder)
        made = [*Path(folder).iterdir(), project / "LICENSE"]
        others = ["CMakeLists.txt", "README.md", "conanfile.py", "fixsync.pc.in"]
        others += ["vcpkg/portfile.cmake", "vcpkg/vcpkg.json"]
        files = {path.name: path for path in made}
        files |= {name: project / "csrc" / name for name in others}
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for inside, file in sorted(files.items()):
                entry = zipfile.ZipInfo(f"{name}/{inside}")  # of 1980-01-01
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed


OTHERS = {
    "Godot": (None, "bindings/godot/pack.py", ["*.zip"]),
    "crates": ("cargo", "bindings/rust/pack.py", ["*.crate"]),
    "NuGet and Unity": ("dotnet", "bindings/csharp/pack.py", ["*.nupkg", "*.tgz"]),
}
"""Packages of other languages: the program that is needed, the script, the files that it makes."""


def find_dotnet() -> None:
    """Puts the path of a .NET SDK into the variable DOTNET, if one can be had."""
    with suppress(ReleaseError, OSError):
        os.environ["DOTNET"] = run(ROOT / "bindings" / "csharp" / "dotnet").strip()


def has(program: str | None) -> bool:
    return not program or bool(os.environ.get(program.upper()) or shutil.which(program))


def others(project: Path, to: Path) -> Iterator[str]:
    """Packs a project's folder for other languages; a line for each."""
    for name, (program, script, patterns) in OTHERS.items():
        if not has(program):
            yield f"not built: {name}: no {program}"
            continue
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, project / script, folder)
            found = sorted(path for pattern in patterns for path in Path(folder).glob(pattern))
            for path in found:
                shutil.copy(path, to)
        yield f"{name}: {', '.join(path.name for path in found)}"
    if not has("npm"):
        yield "not built: npm: no npm"
        return
    npm = ["npm", "pack", "--silent", "--pack-destination", str(to.resolve())]
    yield f"npm: {run(*npm, cwd=project / 'bindings' / 'web').strip()}"


def project_version(project: Path) -> str:
    """The version of a project's folder."""
    text = (project / "fixsync" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise ReleaseError("fixsync/__init__.py has no version")
    return found[1]


def notes(project: Path) -> str:
    """What the changelog says of this version."""
    version = project_version(project)
    text = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    opening, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    marks = opening.partition("\n")[2].strip()
    for section in sections:
        title, _, body = section.partition("\n")
        if title.split(" ")[0] == version:
            return f"# fixsync {title}\n\n{marks}\n\n{body.strip()}\n"
    raise ReleaseError(f"CHANGELOG.md has no section {version}")


def check_tag(project: Path, tag: str) -> None:
    """ReleaseError unless a project's folder may be published as this tag."""
    version = project_version(project)
    if tag != f"v{version}":
        raise ReleaseError(f"the tag must be v{version}, not {tag}")
    title = notes(project).partition("\n")[0]
    if "unreleased" in title:
        raise ReleaseError(f"CHANGELOG.md says {title.removeprefix('# fixsync ')}")
    code = "from bindings.emit import manifests; print(manifests.project().repository)"
    if not run(sys.executable, "-c", code, cwd=project).strip():
        raise ReleaseError("the repository's address in pyproject.toml is a placeholder")


def sums(folder: Path) -> str:
    """SHA256SUMS of the files of a folder, as `sha256sum -c` reads it."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files
    )


def check(sdist: Path, *built: Path) -> None:
    """ReleaseError if a package index would refuse them, or a Python or a C library that a wheel's
    name promises.
    """
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, *built)
    settings = ROOT / "pyproject.toml"
    for wheel in built:
        run(sys.executable, "-m", "check_wheel_contents", "--config", settings, wheel)
        if "-abi3-" in wheel.name:
            run(sys.executable, "-m", "abi3audit", "--strict", wheel)
        # auditwheel reads the libraries of glibc alone, and runs on Linux alone.
        promised = re.search(r"manylinux_2_17_\w+", wheel.name)
        if promised and sys.platform == "linux":
            told = run(sys.executable, "-m", "auditwheel", "show", wheel)
            if f'"{promised[0]}"' not in " ".join(told.split()):
                raise ReleaseError(f"{wheel.name}: auditwheel says\n{told}")


def version(python: str | Path) -> str:
    """The version of a Python: "3.15.2", or "3.15.2t" for one without the GIL."""
    code = (
        "import sys, sysconfig\n"
        "no_gil = sysconfig.get_config_var('Py_GIL_DISABLED')\n"
        "print('.'.join(map(str, sys.version_info[:3])) + ('t' if no_gil else ''))"
    )
    return run(python, "-c", code).strip()


def installed(python: str | Path, package: str | Path, to: Path, *more: str) -> Path:
    """The Python of a fresh environment with the package in it, and what else is named."""
    run(python, "-m", "venv", "--without-pip", to)
    fresh = to / BIN / ("python.exe" if os.name == "nt" else "python")
    run(sys.executable, "-m", "pip", "--python", fresh, "install", "--quiet", package, *more)
    return fresh


def attempt(fresh: Path, work: Path, names: Sequence[str] = TESTS) -> str:
    """Runs what is installed, away from the project's sources, and returns pytest's last line."""
    command = fresh.parent / "fixsync"
    told: dict[str, list[str]] = json.loads(run(command, "config", "--json", cwd=work))
    for file in [*map(Path, told["sources"]), *map(Path, told["include"])]:
        if not file.exists() or not file.is_relative_to(fresh.parent.parent):
            raise ReleaseError(
                f"fixsync config names {file}, which is not in {fresh.parent.parent}"
            )
    run(command, "config", "--cflags", "--libs", "--include", "--sources", cwd=work)
    run(command, "replay", ROOT / "replay_logs", cwd=work)
    code = "import fixsync, fixsync._kernel as k; print(fixsync.__version__, k.__file__)"
    name, _, kernel = run(fresh, "-I", "-c", code, cwd=work).strip().partition(" ")
    if run(command, "--version", cwd=work).split()[-1] != name:
        raise ReleaseError(f"fixsync --version does not print {name}")
    if not Path(kernel).is_relative_to(fresh.parent.parent):
        raise ReleaseError(f"the kernel is {kernel}, which is not in {fresh.parent.parent}")
    tests = [ROOT / "tests" / f"test_{name}.py" for name in names]
    options: list[str | Path] = [
        "-p",
        "no:cacheprovider",
        "-c",
        ROOT / "pyproject.toml",
        "-o",
        "addopts=",
        "--rootdir",
        ROOT,
    ]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    printed = run(fresh, "-m", "pytest", "-q", "--full", *options, *tests, cwd=work, env=env)
    return printed.strip().splitlines()[-1]


def first_program() -> str:
    """The first program of the README."""
    found = re.search(
        r"^```python\n(.*?)^```$",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    if found is None:
        raise ReleaseError("README.md has no program")
    return found[1]


def emulate(wheel: Path, python: Sequence[str], work: Path) -> str:
    """Replays the recorded matches, and runs the README's program, with another machine's Python,
    such as `wine python.exe`. Returns the last line of both.
    """
    work.mkdir()
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    number = run(*python, "-c", code).strip()
    platforms = wheel.stem.rpartition("-")[2].split(".")
    # The packages that it needs may be of a newer Linux.
    platforms += [name.replace("_2_17_", "_2_28_") for name in platforms if "_2_17_" in name]
    options = ["--only-binary=:all:", "--python-version", number, "--target", str(work / "site")]
    options += [word for name in platforms for word in ("--platform", name)]
    run(sys.executable, "-m", "pip", "install", "--quiet", *options, wheel)
    # Relative names are the same to both systems.
    shutil.copytree(ROOT / "replay_logs", work / "replay_logs")
    (work / "first.py").write_text(first_program(), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": "site"}
    replayed = run(*python, "-m", "fixsync", "replay", "replay_logs", cwd=work, env=env)
    said = run(*python, "first.py", cwd=work, env=env)
    return f"Python {number}: {replayed.strip().splitlines()[-1]}; {said.strip()}"


def emulated(built: Sequence[Path], pythons: Sequence[Sequence[str]], work: Path) -> Iterator[str]:
    """Tries wheels with other machines' Pythons: a line for each wheel that is not this machine's."""
    found = {name: shlex.split(command) for name, command in pythons}
    if unknown := [name for name in found if not any(name in wheel.name for wheel in built)]:
        raise ReleaseError(f"no wheel is named for {unknown[0]}")
    for wheel in built:
        platform = wheel.stem.rpartition("-")[2].split(".")[-1]
        command = next((found[name] for name in found if name in platform), None)
        if command and "musl" not in platform:
            yield f"{platform}, {emulate(wheel, command, work / platform)}"
        else:
            yield f"not run: {platform}"


def bill(wheel: Path, work: Path, to: Path) -> Path:
    """A bill of materials (CycloneDX): what pip installs with a wheel today. The other packages
    depend on nothing.
    """
    fresh = installed(sys.executable, wheel, work / "bill")
    found = to / f"fixsync-{project_version(ROOT)}.cdx.json"
    options: list[str | Path] = ["--output-reproducible", "--mc-type", "library"]
    options += ["--pyproject", ROOT / "pyproject.toml", "--output-file", found]
    run(sys.executable, "-m", "cyclonedx_py", "environment", *options, fresh)
    return found


def packages_for(python: str | Path, sdist: Path, wheel: Path) -> list[Path]:
    """The packages to try with a Python: the sdist if it can compile it, the wheel if that is for
    it.
    """
    code = (
        "import os, sysconfig; print(os.path.exists(sysconfig.get_path('include') + '/Python.h'))"
    )
    found = [sdist] if run(python, "-c", code).strip() == "True" else []
    return found if version(python).endswith("t") and "-abi3-" in wheel.name else [*found, wheel]


def main() -> None:
    parser = argparse.ArgumentParser(description="Build, check and try what is released.")
    parser.add_argument("folder", type=Path, help="where the packages go; new or empty")
    parser.add_argument("--tag", help="the tag that is published, such as v1.2.3")
    parser.add_argument("--sums", action="store_true", help="only write SHA256SUMS of the folder")
    parser.add_argument("--here", action="store_true", help="only try the folder's wheel here")
    parser.add_argument("--python", action="append", default=[], help="a Python to try both with")
    parser.add_argument(
        "--emulate",
        action="append",
        default=[],
        nargs=2,
        metavar=("PLATFORM", "COMMAND"),
        help="another machine's Python, such as: win_amd64 'wine python.exe'",
    )
    options = parser.parse_args()
    folder: Path = options.folder
    if options.sums:
        (folder / "SHA256SUMS").write_text(sums(folder), encoding="utf-8")
        return
    if not options.here and folder.exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        try:
            if options.here:
                wheel = for_this_machine(folder)
                fresh = installed(sys.executable, wheel, work / "here", *NEEDED)
                print(f"Python {version(sys.executable)}, {wheel.name}: {attempt(fresh, work)}")
                return
            make(options, work)
        except ReleaseError as error:
            sys.exit(f"release: {error}")


def make(options: argparse.Namespace, work: Path) -> None:
    """Makes, checks and tries all that is released."""
    folder: Path = options.folder
    if options.tag:
        check_tag(ROOT, options.tag)
    run(sys.executable, ROOT / "bindings" / "generate.py", "--check")
    sdist, native = twice(work)
    built = all_machines(work, native, folder)
    sdist = Path(shutil.copy(sdist, folder))
    print("the same bytes twice:", *(path.name for path in (sdist, *built)), sep="\n  ")
    find_dotnet()
    project = unpacked(sdist, work / "sources")
    print(f"C sources: {single_source(project, folder).name}")
    for line in others(project, folder):
        print(line)
    (folder / "RELEASE_NOTES.md").write_text(notes(project), encoding="utf-8")
    check(sdist, *built)
    print(f"checked: {len(built)} wheels")
    wheel = for_this_machine(folder)
    print(f"bill of materials: {bill(wheel, work, folder).name}")
    for python in options.python or [sys.executable]:
        number = version(python)
        for package in packages_for(python, sdist, wheel):
            fresh = installed(python, package, work / f"{number}{package.suffix}", *NEEDED)
            print(f"Python {number}, {package.name}: {attempt(fresh, work)}")
    elsewhere = [path for path in built if path != wheel]
    for line in emulated(elsewhere, options.emulate, work):
        print(line)
    print("first programs of the packages:")
    try:
        for name, said in first.tried(folder):
            print(f"  {name:<8} {said}")
    except first.FirstError as error:
        raise ReleaseError(str(error)) from None
    (folder / "SHA256SUMS").write_text(sums(folder), encoding="utf-8")


if __name__ == "__main__":
    main()

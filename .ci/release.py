"""Builds what is released, checks it, and tries it with each of several Pythons.

    pip install '.[packaging]'
    python .ci/release.py dist --python python3.10 --python "$(.ci/python 3.15)" \
        --emulate aarch64 "$(.ci/python 3.14 arm64)"

The sdist, the wheels of eight platforms, the C sources, the add-on for Godot, and the packages of
npm, cargo, NuGet and Unity go into a folder that is new or empty, with release notes, a bill of
materials and SHA256SUMS. Each package is built twice, in other folders, with another umask and
other times of the files, and must be the same to the byte. Each is tried: its tests, or the first
program of its page. At the end stands a table: each file, and what it said or why it was not run.
The exit code is 1 if a build or a try failed. Wheels for Pythons without the GIL are those of
`cibuildwheel`, with the settings in pyproject.toml."""

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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
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


def git(project: Path, *words: str) -> str:
    """What git says of a project's folder, whoever owns it: nothing is run from it."""
    return run("git", "-c", "safe.directory=*", "-C", project, *words).strip()


def tree(to: Path) -> Path:
    """A copy of the project: what git would commit, or all of it where there is no git, as in an
    sdist.
    """
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
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


def build(where: Path, kind: str, flags: str = "", to: Path | None = None) -> Path:
    """Builds the "sdist" or the "wheel" as pip would in an environment that has what the build
    needs, into a folder or its own dist.
    """
    to = (to or where / "dist").resolve()
    to.mkdir(exist_ok=True)
    code = (
        f"from setuptools import build_meta; print('BUILT', build_meta.build_{kind}({str(to)!r}))"
    )
    env = {**os.environ, "FIXSYNC_CFLAGS": flags, "PYTHONPATH": ""}
    built = re.search(
        r"^BUILT (.*)$", run(sys.executable, "-c", code, cwd=where, env=env), re.MULTILINE
    )
    if built is None:
        raise ReleaseError(f"the build of the {kind} does not say what it built")
    return to / built[1]


def unpacked(sdist: Path, to: Path) -> Path:
    """The project's folder in an sdist, unpacked."""
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(to, filter="data")
        else:
            archive.extractall(to)  # noqa: S202  # it was built here
    (folder,) = to.iterdir()
    return folder


def everything(project: Path, to: Path) -> list[str]:
    """Builds all packages of a project's folder. Returns a line for each that cannot be built."""
    build(project, "sdist", to=to)
    try:
        wheels.build(project, build(project, "wheel"), to, [*wheels.PLATFORMS])
    except wheels.WheelError as error:
        raise ReleaseError(str(error)) from None
    single_source(project, to)
    return list(others(project, to))


def build_in(
    project: Path, to: Path, make: Callable[[Path, Path], list[str]], mask: int
) -> list[str]:
    os.umask(mask)
    to.mkdir()
    return make(project, to)


def twice(work: Path, make: Callable[[Path, Path], list[str]]) -> tuple[Path, list[str]]:
    """Builds in two folders at once: the project, and that of its sdist. Returns the folder of what
    was built, and what `make` returned. ReleaseError unless both have the same files.
    """
    one = tree(work / "one")
    other = unpacked(build(one, "sdist", to=work), work / "another and longer")
    for path in other.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        if path.is_file():
            path.chmod(path.stat().st_mode & 0o700)
    first_built, again = work / "built", work / "built again"
    with ProcessPoolExecutor(2) as pool:
        at_once = [
            pool.submit(build_in, one, first_built, make, 0o022),
            pool.submit(build_in, other, again, make, 0o077),
        ]
        lines, _ = [done.result() for done in at_once]
    same(first_built, again)
    return first_built, lines


def same(one: Path, other: Path) -> None:
    """ReleaseError unless two folders have the same files, to the byte."""
    contents = [
        {path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other)
    ]
    names = sorted({*contents[0], *contents[1]})
    differ = [name for name in names if contents[0].get(name) != contents[1].get(name)]
    if differ:
        raise ReleaseError(f"not the same bytes in two folders: {', '.join(differ)}")


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
    packed = to / f"fixsync-{project_version(project)}-c.zip"
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, project / "csrc" / "amalgamate.py", folder)
        made = [*Path(folder).iterdir(), project / "LICENSE"]
        others = ["CMakeLists.txt", "README.md", "conanfile.py", "fixsync.pc.in"]
        others += ["vcpkg/portfile.cmake", "vcpkg/vcpkg.json"]
        files = {path.name: path for path in made}
        files |= {name: project / "csrc" / name for name in others}
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for inside, file in sorted(files.items()):
                entry = zipfile.ZipInfo(f"fixsync/{inside}")  # of 1980-01-01
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed


OTHERS = {
    "Godot": (None, "bindings/godot/pack.py", ["*.zip"]),
    "crates": ("cargo", "bindings/rust/pack.py", ["*.crate"]),
    "NuGet and Unity": ("dotnet", "bindings/csharp/pack.py", ["*.nupkg", "*.tgz"]),
}
"""Packages of other languages: the program that is needed, the script, the files that it makes."""


def find_dotnet() -> str:
    """Puts the path of a .NET SDK into the variable DOTNET. Returns why none can be had, or
    nothing.
    """
    try:
        os.environ["DOTNET"] = run(ROOT / "bindings" / "csharp" / "dotnet").strip()
    except (ReleaseError, OSError) as error:
        return str(error)
    return ""


def has(program: str | None) -> bool:
    return not program or bool(os.environ.get(program.upper()) or shutil.which(program))


def others(project: Path, to: Path) -> Iterator[str]:
    """Packs a project's folder for other languages; a line for each that lacks a program."""
    for name, (program, script, patterns) in OTHERS.items():
        if not has(program):
            yield f"not built: {name}: no {program}"
            continue
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, project / script, folder)
            for pattern in patterns:
                for path in Path(folder).glob(pattern):
                    shutil.copyfile(path, to / path.name)
    if not has("npm"):
        yield "not built: npm: no npm"
        return
    npm = ["npm", "pack", "--silent", "--pack-destination", str(to.resolve())]
    run(*npm, cwd=project / "bindings" / "web")


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


NOT_PUBLISHED = re.compile(r"not\s+published\s+yet:|not\s+on\s+a\s+package\s+index\s+yet")


def check_tag(project: Path, tag: str) -> None:
    """ReleaseError unless a project's folder may be published as this tag."""
    version = project_version(project)
    if tag != f"v{version}":
        raise ReleaseError(f"the tag must be v{version}, not {tag}")
    if (project / ".git").exists():
        if changed := git(project, "status", "--porcelain"):
            raise ReleaseError(f"these files are not those of {tag}:\n{changed}")
        if not git(project, "tag", "--list", tag):
            raise ReleaseError(f"there is no tag {tag}")
        here, there = (git(project, "rev-parse", f"{name}^{{}}") for name in ("HEAD", tag))
        if here != there:
            raise ReleaseError(f"the tag {tag} is commit {there}, but this is {here}")
    title = notes(project).partition("\n")[0]
    if "unreleased" in title:
        raise ReleaseError(f"CHANGELOG.md says {title.removeprefix('# fixsync ')}")
    code = "from bindings.emit import manifests; print(manifests.project().repository)"
    if not run(sys.executable, "-c", code, cwd=project).strip():
        raise ReleaseError("the repository's address in pyproject.toml is a placeholder")
    pages = [project / "README.md", *sorted((project / "docs").glob("*.md"))]
    unpublished = [page.name for page in pages if NOT_PUBLISHED.search(page.read_text("utf-8"))]
    if unpublished:
        raise ReleaseError(f"these pages say it is not published yet: {', '.join(unpublished)}")


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
            reported = run(sys.executable, "-m", "auditwheel", "show", wheel)
            if f'"{promised[0]}"' not in " ".join(reported.split()):
                raise ReleaseError(f"{wheel.name}: auditwheel says\n{reported}")


def version(*python: str | Path) -> str:
    """The version of a Python: "3.15.2", or "3.15.2t" for one without the GIL."""
    code = (
        "import sys, sysconfig\n"
        "no_gil = sysconfig.get_config_var('Py_GIL_DISABLED')\n"
        "print('.'.join(map(str, sys.version_info[:3])) + ('t' if no_gil else ''))"
    )
    return run(*python, "-c", code).strip()


def installed(python: str | Path, package: str | Path, to: Path, *more: str) -> Path:
    """The Python of a fresh environment with the package in it, and what else is named."""
    run(python, "-m", "venv", "--without-pip", to)
    fresh = to / BIN / ("python.exe" if os.name == "nt" else "python")
    run(sys.executable, "-m", "pip", "--python", fresh, "install", "--quiet", package, *more)
    return fresh


def attempt(fresh: Path, work: Path, names: Sequence[str] = TESTS, *, is_full: bool = True) -> str:
    """Runs what is installed, away from the project's sources, and returns pytest's last line."""
    command = fresh.parent / "fixsync"
    reported: dict[str, list[str]] = json.loads(run(command, "config", "--json", cwd=work))
    for file in [*map(Path, reported["sources"]), *map(Path, reported["include"])]:
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
    options += ["--full"] * is_full
    printed = run(fresh, "-m", "pytest", "-q", *options, *tests, cwd=work, env=env)
    return printed.strip().splitlines()[-1]


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
    program = first.program(ROOT / "fixsync" / "README.md", "python")
    (work / "first.py").write_text(program, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": "site"}
    replayed = run(*python, "-m", "fixsync", "replay", "replay_logs", cwd=work, env=env)
    said = run(*python, "first.py", cwd=work, env=env)
    return f"Python {number}: {replayed.strip().splitlines()[-1]}; {said.strip()}"


def emulators(pythons: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """The commands of other machines' Pythons by their platforms."""
    found = {}
    for name, command in pythons:
        fitting = [platform for platform in wheels.PLATFORMS if name in platform]
        fitting = [platform for platform in fitting if "musl" not in platform]
        if len(fitting) != 1:
            raise ReleaseError(f"{name} is in the names of {len(fitting)} platforms, not of one")
        try:
            found[fitting[0]] = shlex.split(command)
        except ValueError as error:
            raise ReleaseError(f"--emulate {name}: {command}: {error}") from None
        version(*found[fitting[0]])
    return found


def bill(wheel: Path, work: Path, to: Path) -> Path:
    """A bill of materials (CycloneDX): what pip installs with a wheel today. The other packages
    depend on nothing.
    """
    fresh = installed(sys.executable, wheel, work / "bill")
    found = to / f"fixsync-{project_version(ROOT)}.cdx.json"
    options: list[str | Path] = ["--output-reproducible", "--mc-type", "library"]
    options += ["--pyproject", ROOT / "pyproject.toml", "--output-file", found]
    run(sys.executable, "-m", "cyclonedx_py", "environment", *options, fresh)
    text = json.loads(found.read_text(encoding="utf-8"))
    number = project_version(ROOT)
    text["metadata"]["component"] |= {"version": number, "purl": f"pkg:pypi/fixsync@{number}"}
    found.write_text(json.dumps(text, indent=2) + "\n", encoding="utf-8")
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


def said_by(name: str, attempt: Callable[[], str]) -> tuple[str, str]:
    """Tries a file. Returns what it said, and its error if it failed."""
    try:
        said, error = attempt(), ""
    except (ReleaseError, first.FirstError, OSError, EOFError) as failure:
        said, error = "FAILED", f"{name}: {failure}"
    print(f"  {name}: {said}", flush=True)
    return said, error


def table(folder: Path, said: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The table of a release: file, bytes, and all that was said of it."""
    files = sorted(folder.iterdir())
    width = max(len(path.name) for path in files)
    for path in files:
        first_line, *more = [text for name, text in said if name == path.name] or [""]
        size = path.stat().st_size
        yield f"{path.name:{width}} {size:>10,}  {first_line}".rstrip()
        yield from (f"{'':{width}} {'':>10}  {line}" for line in more)


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
    if not options.here and folder.exists() and (folder.is_file() or any(folder.iterdir())):
        parser.error(f"{folder} is not an empty folder")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        try:
            if options.here:
                wheel = for_this_machine(folder)
                fresh = installed(sys.executable, wheel, work / "here", *NEEDED)
                print(f"Python {version(sys.executable)}, {wheel.name}: {attempt(fresh, work)}")
                return
            make(options, work)
        except (ReleaseError, OSError) as error:
            sys.exit(f"release: {error}")


def make(options: argparse.Namespace, work: Path) -> None:
    """Makes, checks and tries all that is released."""
    folder: Path = options.folder
    if options.tag:
        check_tag(ROOT, options.tag)
    run(sys.executable, ROOT / "bindings" / "generate.py", "--check")
    commands = emulators(options.emulate)
    numbers = {python: version(python) for python in options.python or [sys.executable]}
    folder.mkdir(parents=True, exist_ok=True)
    no_dotnet = find_dotnet()
    print("builds everything in two folders", flush=True)
    built, not_built = twice(work, everything)
    for path in built.iterdir():
        shutil.copyfile(path, folder / path.name)
    print("  all files are the same bytes twice")
    (sdist,) = folder.glob("fixsync-*.tar.gz")
    all_wheels = sorted(folder.glob("*.whl"))
    wheel = for_this_machine(folder)
    (folder / "RELEASE_NOTES.md").write_text(notes(ROOT), encoding="utf-8")
    bill(wheel, work, folder)
    (folder / "SHA256SUMS").write_text(sums(folder), encoding="utf-8")
    print("checks sdist and wheels", flush=True)
    check(sdist, *all_wheels)

    print("tries what was built", flush=True)
    tries: list[tuple[str, Callable[[], str]]] = []
    for python, number in numbers.items():
        for package in packages_for(python, sdist, wheel):
            place = work / f"{number}{package.suffix}"
            tries.append((package.name, partial(with_python, python, package, place)))
    for path in all_wheels:
        platform = path.stem.rpartition("-")[2]
        if platform in commands:
            command, place = commands[platform], work / platform
            tries.append((path.name, partial(emulate, path, command, place)))
        elif path != wheel:
            tries.append((path.name, lambda: "not run: no Python of such a machine was named"))
    tries += first.programs(folder)
    crates = folder.glob("fixsync-sys-*.crate")
    tries += [(path.name, lambda: "with the crate that depends on it") for path in crates]

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(said_by, *zip(*tries, strict=True)))
    said = [(name, text) for (name, _), (text, _) in zip(tries, results, strict=True)]

    print()
    for line in [*table(folder, said), *not_built]:
        print(line)
    if no_dotnet and not has("dotnet"):
        print(f"no .NET SDK: {no_dotnet}")
    if failed := [error for _, error in results if error]:
        raise ReleaseError("\n".join(failed))


def with_python(python: str | Path, package: Path, to: Path) -> str:
    """Runs the tests of a package with a Python, in a new environment."""
    fresh = installed(python, package, to, *NEEDED)
    return f"Python {version(python)}: {attempt(fresh, to.parent)}"


if __name__ == "__main__":
    main()

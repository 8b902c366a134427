"""Runs the first program of each package of a release, out of the package's own README.

    python .ci/first.py dist

Each package is unpacked into an empty folder. Prints a line for each: what its program said, or
which tool is missing. Exit code 1 if a program does not say what its README promises, or if the
folder has no package. Sdist and wheels are tried by release.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

BINDINGS = Path(__file__).resolve().parent.parent / "bindings"


class FirstError(Exception):
    """What a command said that failed."""


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What a command prints. FirstError if it fails."""
    words = [str(word) for word in command]
    env = {**os.environ, **(env or {})}
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise FirstError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def unpack(package: Path, to: Path) -> None:
    kind = "zip" if package.suffix in {".zip", ".nupkg"} else "gztar"
    shutil.unpack_archive(package, to, kind)


def program(readme: Path, language: str) -> str:
    """The first block of code in a language."""
    text = readme.read_text(encoding="utf-8")
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise FirstError(f"{readme} has no program in {language}")
    return found[1]


def c(package: Path, work: Path) -> str:
    unpack(package, work)
    readme = work / "fixsync" / "README.md"
    (work / "hit.c").write_text(program(readme, "c"), encoding="utf-8")
    run("sh", "-c", program(readme, "sh"), cwd=work)
    return run(work / "hit", cwd=work)


def npm(package: Path, work: Path) -> str:
    (work / "package.json").write_text('{"private": true}')
    run("npm", "install", "--loglevel=error", "--no-audit", package, cwd=work)
    readme = work / "node_modules" / "fixsync" / "README.md"
    (work / "hit.mjs").write_text(program(readme, "js"), encoding="utf-8")
    return run("node", "hit.mjs", cwd=work)


def rust(package: Path, work: Path) -> str:
    crates = list(package.parent.glob("*.crate"))
    for crate in crates:
        unpack(crate, work)
    names = {path.stem: f'{{ path = "{path.stem}" }}' for path in crates}
    own, sys_crate = package.stem, next(name for name in names if name.startswith("fixsync-sys"))
    (work / "src").mkdir()
    (work / "src" / "main.rs").write_text(program(work / own / "README.md", "rust"))
    lines = ["[package]", 'name = "hit"', 'edition = "2024"', "[dependencies]"]
    lines += [f"fixsync = {names[own]}", "[patch.crates-io]", f"fixsync-sys = {names[sys_crate]}"]
    (work / "Cargo.toml").write_text("\n".join([*lines, "[workspace]", ""]))
    return run("cargo", "run", "--quiet", cwd=work)


def sharp(readme: Path) -> str:
    """The program of C# in a class, for compilers that want one."""
    lines = program(readme, "csharp").splitlines()
    using = [line for line in lines if re.match(r"using [\w.]+;", line)]
    body = [line for line in lines if line not in using]
    return "\n".join([*using, "static class Page { static void Main() {", *body, "} }", ""])


def sdk() -> str | None:
    """The .NET SDK: the variable DOTNET, or that of the path."""
    return os.environ.get("DOTNET") or shutil.which("dotnet")


def nuget(package: Path, work: Path) -> str:
    (work / "package").mkdir()
    unpack(package, work / "package")
    dotnet = sdk() or "dotnet"
    version = package.stem.partition(".")[2]
    target = "netcoreapp" if run(dotnet, "--version", cwd=work).startswith("3") else "net"
    number = ".".join(run(dotnet, "--version", cwd=work).split(".")[:2])
    program_folder = work / "hit"
    program_folder.mkdir()
    (program_folder / "Program.cs").write_text(sharp(work / "package" / "README.md"))
    (program_folder / "hit.csproj").write_text(
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>'
        f"<TargetFramework>{target}{number}</TargetFramework><UseAppHost>false</UseAppHost>"
        f"<RestoreSources>{package.parent}</RestoreSources>"
        f"<RestorePackagesPath>{work / 'packages'}</RestorePackagesPath></PropertyGroup>"
        f'<ItemGroup><PackageReference Include="Fixsync" Version="{version}" /></ItemGroup>'
        "</Project>"
    )
    run(dotnet, "build", "-o", work / "out", "-nologo", cwd=program_folder)
    return run(dotnet, work / "out" / "hit.dll", cwd=work)


def unity(package: Path, work: Path) -> str:
    """With Mono, and stand-ins of Unity's types: Unity itself is not run."""
    unpack(package, work)
    folder = work / "package"
    (work / "Page.cs").write_text(sharp(BINDINGS / "csharp" / "README.md"))
    sources = [*folder.glob("Runtime/*.cs"), *(BINDINGS / "csharp/Tests/Stubs~").glob("Unity*.cs")]
    flags = ["-langversion:7.2", "-unsafe", "-d:UNITY_5_3_OR_NEWER", "-nowarn:649"]
    run("mcs", *flags, "-out:hit.exe", "Page.cs", *sources, cwd=work)
    libraries = str(folder / "Plugins" / "Linux" / "x86_64")
    return run("mono", "hit.exe", cwd=work, env={"LD_LIBRARY_PATH": libraries})


def godot(package: Path, work: Path) -> str:
    engine = run(BINDINGS / "godot" / "engine", cwd=work).strip()
    unpack(package, work)
    (work / "project.godot").write_text("config_version=5\n")
    (work / ".godot").mkdir()
    (work / ".godot" / "extension_list.cfg").write_text(
        "res://addons/fixsync/fixsync.gdextension\n"
    )
    readme = work / "addons" / "fixsync" / "README.md"
    (work / "hit.gd").write_text(program(readme, "gdscript"), encoding="utf-8")
    home = {"HOME": str(work)}
    run(engine, "--headless", "--path", work, "--import", cwd=work, env=home)
    return run(engine, "--headless", "--path", work, "-s", "res://hit.gd", cwd=work, env=home)


PACKAGES: list[tuple[str, list[str], str, Callable[[Path, Path], str]]] = [
    ("fixsync-*-c.zip", ["cc"], "1 and 2 hit", c),
    ("fixsync-[0-9]*.tgz", ["npm", "node"], "1 and 2 hit", npm),
    ("fixsync-[0-9]*.crate", ["cargo"], "Enter: 1 and 2", rust),
    ("Fixsync.*.nupkg", ["dotnet"], "Enter 1 2 Overlapping", nuget),
    ("dev.fixsync.*.tgz", ["mcs", "mono"], "Enter 1 2 Overlapping", unity),
    ("fixsync-godot-*.zip", ["apt-get", "patchelf"], "1 and 2 hit", godot),
]
"""Of each package: its file, the tools, what a line of its program's output ends with."""


def programs(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """The file of each package in a folder, and what runs its first program."""
    for pattern, tools, wanted, first in PACKAGES:
        for package in sorted(folder.resolve().glob(pattern)):
            yield package.name, partial(attempt, package, tools, wanted, first)


def attempt(
    package: Path, tools: list[str], wanted: str, first: Callable[[Path, Path], str]
) -> str:
    """What the first program of a package says, or which tools are missing. FirstError if it fails
    or says something else."""
    missing = [tool for tool in tools if not (sdk() if tool == "dotnet" else shutil.which(tool))]
    if missing:
        return f"not run: no {', '.join(missing)}"
    with tempfile.TemporaryDirectory() as work:
        said = first(package, Path(work)).strip().splitlines()
    for line in said:
        if line.endswith(wanted):
            return f"{line} (Unity itself: not run)" if first is unity else line
    raise FirstError(f"{package.name} says {said}, not {wanted!r}")


def shown(name: str, program: Callable[[], str]) -> bool:
    """Prints what a first program says. Returns whether it is what its page promises."""
    try:
        print(f"{name}: {program()}", flush=True)
    except (FirstError, OSError, EOFError) as error:
        print(f"{name}: FAILED: {error}", flush=True)
        return False
    return True


def main(folder: Path) -> int:
    if not folder.is_dir():
        print(f"{folder} is not a folder", file=sys.stderr)
        return 2
    for pattern, *_ in PACKAGES:
        if not list(folder.glob(pattern)):
            print(f"{pattern}: no such file in {folder}")
    passed = [shown(name, program) for name, program in programs(folder)]
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) if len(sys.argv) == 2 else __doc__)

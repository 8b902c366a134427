"""Which lines and branches of the kernel the tests run.

    python tests/native/coverage.py             the golden and the tests of the package: minutes
    python tests/native/coverage.py --golden    the golden alone: seconds
    python tests/native/coverage.py --branches  names every branch that is never, or always, taken

Builds the kernel with gcc's --coverage in a private folder, twice: as it is, and with
-DFXS_NO_INT128 and the other portable forms: each has lines that the other has not. Prints a
table by file, then the lines that nothing runs. Exit code 0: every line is run; 1: one is not, or a
test fails; 2: the tools are not there."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from targets import (
    CSRC,
    HERE,
    KERNEL,
    KIT,
    PORTABLE,
    ROOT,
    BrokenError,
    MissingError,
    differences,
    glue_object,
    golden_lines,
    pytest_in,
    run,
)

FORMS = {"as it is": (), "portable": PORTABLE}
LEVEL = 1
TESTS = (
    "shapes numbers aim contact push bodies cast world nearest broad counts kernel change level "
    "outline sweep_pairs wide blocks mover planes"
)
COUNTING = ("--coverage", "-fprofile-update=atomic")
COVERED = ("-O0", *COUNTING, "-fPIC", "-std=c11", "-w", "-I", str(CSRC))


def objects(directory: Path, flags: Sequence[str]) -> list[str]:
    """The kernel's objects; what its runs count goes beside them."""
    directory.mkdir()
    run(["gcc", *COVERED, *flags, "-c", *map(str, KERNEL)], directory, 600)
    return [str(directory / f"{path.stem}.o") for path in KERNEL]


def run_golden(directory: Path, kernel: Sequence[str]) -> None:
    program = directory / "golden"
    sources = [str(HERE / "golden.c"), str(HERE / "golden_main.c")]
    run(["gcc", "-O1", "-std=c11", "-w", "-I", str(CSRC), "-c", *sources], directory, 600)
    driver = [str(directory / "golden.o"), str(directory / "golden_main.o")]
    run(["gcc", "--coverage", "-o", str(program), *driver, *kernel], directory, 600)
    if fault := differences(
        golden_lines(LEVEL), run([str(program), str(LEVEL)], directory, 600).splitlines()
    ):
        raise BrokenError(fault)


def run_tests(directory: Path, kernel: Sequence[str]) -> None:
    """The tests of the package, with a private copy of it whose extension counts."""
    package = directory / "package"
    ignored = shutil.ignore_patterns("_kernel*.so", "_kernel*.pyd")
    shutil.copytree(ROOT / "fixsync", package / "fixsync", ignore=ignored)
    made = package / "fixsync" / "_kernel.abi3.so"
    glue = str(glue_object(directory))
    # The kit is in the extension too, and is not counted.
    run(["gcc", "-O1", "-fPIC", "-w", "-I", str(CSRC), "-c", *map(str, KIT)], directory, 600)
    linked = [glue, *kernel, *(str(directory / f"{path.stem}.o") for path in KIT)]
    run(["gcc", "--coverage", "-shared", "-o", str(made), *linked], directory, 600)
    tests = [str(ROOT / "tests" / f"test_{name}.py") for name in TESTS.split()]
    # Some tests compile a file of the kernel to reach what is static in it: those builds count too.
    compiler = directory / "bin" / "cc"
    compiler.parent.mkdir()
    compiler.write_text('#!/bin/sh\nexec gcc --coverage "$@" -O0\n', encoding="ascii")
    compiler.chmod(0o755)
    command = [*pytest_in(package), f"--basetemp={directory / 'temp'}", *tests]
    path = f"{compiler.parent}{os.pathsep}{os.environ['PATH']}"
    variables = (f"PATH={path}", f"PYTHONPATH={package}", "PYTHONDONTWRITEBYTECODE=1")
    run(["env", *variables, *command], directory, 3600)


def counted(directory: Path) -> dict[str, Any]:
    """gcovr's account of all that was counted below `directory`."""
    report = directory / "coverage.json"
    roots = ["--root", str(CSRC), "--filter", f"{CSRC}/[^/]*$", "--merge-mode-functions=separate"]
    roots += ["--exclude-lines-by-pattern", ".*FXS_ASSERT"]  # of the builds that have them
    command = [sys.executable, "-m", "gcovr", *roots, "--json", str(report), str(directory)]
    run(command, directory, 600)
    account: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return account


def merged(lines: list[dict[str, Any]]) -> dict[int, tuple[int, list[int]]]:
    """By number, how often a line was run, and each of its branches: in all copies of it
    together.
    """
    found: dict[int, tuple[int, list[int]]] = {}
    for line in lines:
        count, branches = found.get(line["line_number"], (0, []))
        here = [branch["count"] for branch in line.get("branches", [])]
        if len(here) == len(branches):
            here = [a + b for a, b in zip(here, branches, strict=True)]
        found[line["line_number"]] = (count + line["count"], max(here, branches, key=len))
    return found


def percent(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "-"


def tell(account: dict[str, Any], with_branches: bool) -> bool:
    """Prints the table; whether every line was run."""
    print("| file | lines run | branches taken |\n| --- | --- | --- |")
    sums = [0, 0, 0, 0]
    idle: list[str] = []
    for file in sorted(account["files"], key=lambda file: file["file"]):
        name, lines = file["file"], merged(file["lines"])
        taken = [count > 0 for _, branches in lines.values() for count in branches]
        here = [sum(count > 0 for count, _ in lines.values()), len(lines), sum(taken), len(taken)]
        sums = [a + b for a, b in zip(sums, here, strict=True)]
        print(f"| {name} | {percent(*here[:2])} | {percent(*here[2:])} |")
        source = CSRC.joinpath(name).read_text(encoding="ascii").splitlines()
        for number, (count, taken_here) in sorted(lines.items()):
            reported = f"{name}:{number}: {source[number - 1].strip()}"
            if count == 0:
                idle.append(f"not run: {reported}")
            elif with_branches and 0 in taken_here:
                idle.append(
                    f"{taken_here.count(0)} of {len(taken_here)} branches not taken: {reported}"
                )
    print(f"| all | {percent(*sums[:2])} | {percent(*sums[2:])} |")
    print("".join(f"{line}\n" for line in idle), end="")
    return sums[0] == sums[1]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--golden", action="store_true", help="only the golden, not the tests of the package"
    )
    parser.add_argument("--branches", action="store_true", help="name the branches too")
    args = parser.parse_args(arguments)
    if not shutil.which("gcc") or not shutil.which("gcov"):
        print("not run: no gcc with gcov", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="fixsync-coverage-") as name:
        directory = Path(name)
        try:
            for number, flags in enumerate(FORMS.values()):
                built = directory / f"form{number}"
                kernel = objects(built, flags)
                run_golden(built, kernel)
                if not flags and not args.golden:
                    run_tests(built, kernel)
            account = counted(directory)
        except (BrokenError, MissingError) as broken:
            print(f"error: {broken}", file=sys.stderr)
            return 1
        return 0 if tell(account, args.branches) else 1


if __name__ == "__main__":
    sys.exit(main())

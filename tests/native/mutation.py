"""Changes the kernel or the kit in one place at a time, and shows which changes the tests notice.

    python tests/native/mutation.py                             every mutant: hours
    python tests/native/mutation.py --file push.c --sample 100 --seed 1
    python tests/native/mutation.py --results push.jsonl --resume
    python tests/native/mutation.py --only 'push.c settle ['    those whose name begins so
    python tests/native/mutation.py --list --file hash.c

A mutant (mutants.py) is built in a private copy and put through, until something notices it:

1. the golden of the kernel, or of the kit, as CI runs it (levels 0 and 1), built by tcc if there is
   one, else by gcc;
2. two optimising compilers: a mutant that both compile to the bytes of the original is not a mutant;
3. the same golden under clang's address, undefined-behaviour and integer sanitizers;
4. the whole golden (level 2);
5. those tests of the package that speak of its file.

A crash, and a run that takes far longer than it should, is noticed too. Survivors are printed.
Exit code 0: all were noticed; 1: some survived; 2: a tool is missing."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from threading import Lock

from mutants import Mutant, kernel_mutants
from targets import (
    ASSERTS,
    CSRC,
    HERE,
    KERNEL,
    KIT,
    KIT_GOLDEN,
    PORTABLE,
    ROOT,
    BrokenError,
    MissingError,
    glue_object,
    golden_lines,
    newest_clang,
    pytest_in,
)

IN_KIT = frozenset(path.name for path in (CSRC / "kit").iterdir())
INCLUDE = ("-I", str(CSRC), "-I", str(HERE))
C11 = ("-std=c11", "-w")
CHECKS = "-fsanitize=address,undefined,integer,implicit-conversion"
SANITIZE = (
    "-O1",
    CHECKS,
    "-fno-sanitize-recover=all",
    f"-fsanitize-ignorelist={HERE / 'integer.ignore'}",
)

# The tests that speak of a file, the likeliest to notice first: files, and words that choose of
# their tests.
TESTS = {
    "angle.c": (("numbers aim kernel", ""), ("shapes push", "")),
    "broad_pairs.c": (
        ("broad nearest", ""),
        ("kernel", "past"),
        ("world counts", ""),
        ("cast", "world or crowd or long or room"),
    ),
    "all_pairs.c": (("broad nearest", ""), ("kernel world", "")),
    "grid.c": (("broad nearest", ""), ("world counts", "")),
    "broad_query.c": (("broad nearest", ""), ("cast", "world or crowd or long or room")),
    "sort.c": (("wide", "sort"), ("nearest kernel broad", "")),
    "moved.c": (("broad nearest", ""), ("world counts", "")),
    "step.c": (("kernel world", ""), ("broad counts", "")),
    "query.c": (("nearest kernel world", ""),),
    "sweep_pairs.c": (("sweep_pairs kernel", ""),),
    "world_cast.c": (("cast kernel", "world or sweep or crowd or long or room"), ("cast", "")),
    **dict.fromkeys(
        ("cast.c", "normal.c", "cast_cylinder_edge.c", "toi.c"),
        (
            ("world", "loaded"),
            ("cast kernel", "world or sweep or crowd or long or room or rows or refuse"),
            ("cast", ""),
        ),
    ),
    "placed_shape.c": (("shapes contact kernel", ""), ("push world", "")),
    "contact.c": (("contact kernel", "not every and not smallest"), ("contact shapes world", "")),
    "change.c": (("change kernel", ""), ("world", "")),
    "hash.c": (("kernel", ""), ("world fields", "")),
    **dict.fromkeys(
        ("push.c", "separate.c", "push_estimate.c"),
        (("world", "loaded"), ("push bodies kernel", "")),
    ),
    "state.c": (("world kernel", "state or load or save or hash"), ("world fields diff", "")),
    "version.c": (("kernel", ""),),
    **dict.fromkeys(
        ("world.c", "derive.c"), (("kernel world nearest", ""), ("broad bodies counts", ""))
    ),
    "level.c": (("level kernel", ""), ("level_logs", "")),
    "level_hits.c": (("level", ""), ("level_logs", "")),
    "outline.c": (("outline kernel", ""), ("level", "outline")),
    "polygon_contact.c": (("level", ""),),
    "wedge.c": (("contact kernel level", "not every and not smallest"), ("shapes world", "")),
    "polygon_cast.c": (("level", ""), ("mover", "")),
    "solid.c": (("level", ""), ("mover", "")),
    **dict.fromkeys(("hitbox.c", "planes.c"), (("planes", ""), ("kit", ""))),
    **dict.fromkeys(
        ("body.c", "frame_data.c", "frame_data_read.c"),
        (("frame_data bodies", ""), ("skillfight", "")),
    ),
    "strikes.c": (("bodies", "strikes"),),
    "difference.c": (("difference", ""), ("fields", "")),
    "explain.c": (("explain", ""),),
    "motion.c": (("kit motion", ""), ("mover", "")),
    "carry.c": (("carry walls", ""), ("mover kit", "")),
    "crowd.c": (("walls", ""), ("kernel_id", "")),
    "mover.c": (("mover walls kit", ""), ("motion", "")),
    "numbers.c": (("kit", ""),),
    "random.c": (("kit random", ""),),
    **dict.fromkeys(
        ("recorder.c", "about.c", "json.c", "pen.c"),
        (("kit_recorder", ""), ("recorder matchlog", "")),
    ),
    **dict.fromkeys(("history.c", "inputs.c"), (("kit_history rollback", ""),)),
    "rewind.c": (("kit_rewind kit_history", ""),),
    **dict.fromkeys(("rollback.c", "packet.c"), (("rollback python_rollback", ""),)),
    "sha256.h": (("kit_recorder", ""),),
}
OF_ALL = (
    ("wide blocks", "not webassembly"),
    ("kernel shapes numbers world", ""),
    ("push broad", ""),
    ("cast", ""),
)

# A line of the golden goes out as soon as it is there, so that the first that differs ends the run.
MAIN = """
#include "golden.h"
#include <stdio.h>
void golden_print(const char *text, uint32_t size) {
    fwrite(text, 1, size, stdout);
    fflush(stdout);
}
int main(int argc, char **argv) { return argc < 2 || golden_run(argv[1][0] - '0', 0); }
"""

KILLED, SAME, NOT_BUILT, SURVIVED = "killed", "same code", "not built", "survived"


@dataclass(frozen=True)
class Result:
    name: str
    verdict: str
    by: str = ""
    origin: str = ""  # as of its mutant


def limited(command: Sequence[str], seconds: int) -> list[str]:
    """The command, killed after so many seconds of processor time."""
    return ["sh", "-c", f'ulimit -c 0; ulimit -t {seconds}; exec "$@"', "sh", *command]


def compiles(command: Sequence[str], cwd: Path) -> bool:
    done = subprocess.run(limited(command, 60), cwd=cwd, capture_output=True, check=False)
    return done.returncode == 0


def fault_of(command: Sequence[str], expected: list[str], seconds: int, cwd: Path) -> str:
    """What the golden's program shows: nothing if it prints `expected`."""
    with subprocess.Popen(
        limited(command, seconds),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
    ) as run:
        assert run.stdout is not None
        count = 0
        for line, want in zip(run.stdout, expected, strict=False):
            if line.rstrip("\n") != want:
                run.kill()
                return "output"
            count += 1
        run.stdout.read()
        status = run.wait()
    if status == 0 and count == len(expected):
        return ""
    return {-24: "time", -9: "time", 152: "time", 137: "time"}.get(
        status, "crash" if status else "output"
    )


class Build:
    """One way to compile the kernel: the unchanged objects are kept, by form."""

    def __init__(self, directory: Path, name: str, compiler: str, flags: Sequence[str]) -> None:
        self.directory = directory / name
        self.directory.mkdir()
        self.compiler = [compiler, *(() if compiler == "tcc" else C11), *flags]
        self.flags = flags
        self.kept: dict[tuple[str, ...], dict[str, Path]] = {}
        self.keeping = Lock()

    @cached_property
    def mains(self) -> dict[bool, list[Path]]:
        """The objects that drive the kernel, and those that drive the kit."""
        folder = self.directory.parent
        return {
            kit: self.compiled(
                [folder / f"golden{'_kit' * kit}.c", folder / "main.c"], self.directory, (), ()
            )
            for kit in (False, True)
        }

    def compiled(
        self, sources: Iterable[Path], to: Path, extra: Sequence[str], first: Sequence[str]
    ) -> list[Path]:
        """The objects of the sources, made in `to`; BrokenError if one is refused."""
        objects = []
        for source in sources:
            made = to / f"{source.stem}.o"
            # The same name in every copy, for it may be in the object; with its folders, for
            # integer.ignore.
            root = source.parents[2 if source.parent.name == "kit" else 1]
            named = source.relative_to(root).as_posix()
            command = [*self.compiler, *extra, *first, *INCLUDE, "-c", named, "-o", str(made)]
            if not compiles(command, root):
                raise BrokenError(f"{source.name} is refused")
            objects.append(made)
        return objects

    def original(self, forms: Sequence[str]) -> dict[str, Path]:
        key = tuple(forms)
        with self.keeping:  # several mutants are tried at a time
            if key not in self.kept:
                to = self.directory / f"kernel{len(self.kept)}"
                to.mkdir()
                self.kept[key] = {
                    path.name: path for path in self.compiled([*KERNEL, *KIT], to, forms, ())
                }
            return self.kept[key]

    def changed(self, copy: Path, mutant: Mutant) -> dict[str, Path]:
        """The objects that a mutant, in a private copy of the kernel, may change."""
        is_source = mutant.file.endswith(".c")
        sources = [lane_of(copy, mutant.file)] if is_source else sorted(copy.rglob("*.c"))
        to = copy / self.directory.name
        to.mkdir()
        made = self.compiled(sources, to, forms_of(mutant), ("-I", str(copy)))
        return {path.name: path for path in made}

    def program(self, copy: Path, mutant: Mutant, linked: Sequence[str] = ()) -> Path:
        objects = self.original(forms_of(mutant)) | self.changed(copy, mutant)
        program = copy / self.directory.name / "program"
        link = [
            *self.compiler,
            *linked,
            "-o",
            str(program),
            *map(str, [*self.mains[mutant.file in IN_KIT], *objects.values()]),
        ]
        if not compiles(link, copy):
            raise BrokenError("not linked")
        return program


def lane_of(folder: Path, name: str) -> Path:
    """A file of the kernel or the kit in a copy of them."""
    return folder / "kit" / name if name in IN_KIT else folder / name


def forms_of(mutant: Mutant) -> tuple[str, ...]:
    return PORTABLE if mutant.form == "portable" else ()


class Bench:
    """All builds, and the sequence that a mutant goes through."""

    def __init__(self, directory: Path, stages: Sequence[int]) -> None:
        self.directory = directory
        self.stages = stages
        if not shutil.which("gcc"):
            raise MissingError("no gcc")
        clang = newest_clang()
        main = directory / "main.c"
        main.write_text(MAIN, encoding="ascii")
        for name in ("golden.c", "golden_kit.c"):
            (directory / name).write_bytes((HERE / name).read_bytes())
        self.gcc = Build(directory, "gcc", "gcc", ("-O0", *ASSERTS))
        self.quick = Build(directory, "tcc", "tcc", ASSERTS) if shutil.which("tcc") else self.gcc
        self.optimised = [Build(directory, f"{name}_O2", name, ("-O2",)) for name in ("gcc", clang)]
        self.sanitized = Build(directory, "sanitized", clang, (*SANITIZE, *ASSERTS))
        self.full = Build(directory, "full", "gcc", ("-O2", *ASSERTS))
        self.python = Build(
            directory, "python", "gcc", ("-O2", "-fPIC", "-fvisibility=hidden", *ASSERTS)
        )
        self.passed: set[tuple[str, str]] = set()
        self.expected = {
            False: [golden_lines(level) for level in (0, 1, 2)],
            True: [golden_lines(level, golden=KIT_GOLDEN) for level in (0, 1, 2)],
        }
        self.check_original()

    def check_original(self) -> None:
        """Nothing may be noticed of the kernel as it is."""
        builds = [self.quick, self.gcc] * (1 in self.stages) + [self.sanitized] * (3 in self.stages)
        for build in builds:
            for kit, main in build.mains.items():
                program = build.directory / "original"
                objects = [*main, *build.original(()).values()]
                link = [*build.compiler, "-o", str(program), *map(str, objects)]
                if not compiles(link, self.directory) or fault_of(
                    [str(program), "1"], self.expected[kit][1], 60, self.directory
                ):
                    raise MissingError(
                        f"the kernel as it is does not pass, built by {' '.join(build.compiler)}"
                    )

    def tried(self, mutant: Mutant) -> Result:
        with tempfile.TemporaryDirectory(dir=self.directory, prefix="mutant") as name:
            copy = Path(name) / CSRC.name
            (copy / "kit").mkdir(parents=True)
            for path in CSRC.rglob("*.[ch]"):
                if path.name == mutant.file:
                    lane_of(copy, path.name).write_bytes(mutant.of(path.read_bytes()))
                else:
                    lane_of(copy, path.name).symlink_to(path)
            os.link(CSRC / "amalgamate.py", copy / "amalgamate.py")  # for tests that compile
            try:
                verdict, by = self.verdict(copy, mutant)
            except BrokenError:
                verdict, by = NOT_BUILT, ""
            return Result(mutant.name, verdict, by, mutant.origin)

    def verdict(self, copy: Path, mutant: Mutant) -> tuple[str, str]:
        trials = (
            self.fault,
            self.same_code,
            self.sanitized_fault,
            self.whole_fault,
            self.tests_fault,
        )
        for stage in self.stages:
            verdict, by = trials[stage - 1](copy, mutant)
            if verdict != SURVIVED:
                return verdict, by
        return SURVIVED, ""

    def lines(self, mutant: Mutant, level: int) -> list[str]:
        return self.expected[mutant.file in IN_KIT][level]

    def fault(self, copy: Path, mutant: Mutant) -> tuple[str, str]:
        program = (self.gcc if mutant.form == "fast" else self.quick).program(copy, mutant)
        for level, seconds in ((0, 1), (1, 10)):
            fault = fault_of([str(program), str(level)], self.lines(mutant, level), seconds, copy)
            if fault:
                return KILLED, f"golden: {fault}"
        return SURVIVED, ""

    def same_code(self, copy: Path, mutant: Mutant) -> tuple[str, str]:
        return (
            SAME if all(self.is_same(build, copy, mutant) for build in self.optimised) else SURVIVED
        ), ""

    def sanitized_fault(self, copy: Path, mutant: Mutant) -> tuple[str, str]:
        program = self.sanitized.program(copy, mutant)
        fault = fault_of([str(program), "1"], self.lines(mutant, 1), 60, copy)
        return (KILLED, f"sanitized golden: {fault}") if fault else (SURVIVED, "")

    def whole_fault(self, copy: Path, mutant: Mutant) -> tuple[str, str]:
        program = self.full.program(copy, mutant)
        fault = fault_of([str(program), "2"], self.lines(mutant, 2), 200, copy)
        return (KILLED, f"whole golden: {fault}") if fault else (SURVIVED, "")

    def is_same(self, build: Build, copy: Path, mutant: Mutant) -> bool:
        kept = build.original(forms_of(mutant))
        return all(
            path.read_bytes() == kept[name].read_bytes()
            for name, path in build.changed(copy, mutant).items()
        )

    @cached_property
    def glue(self) -> Path:
        """The object of what cffi emits."""
        return glue_object(self.directory)

    def plant(self, tree: Path, objects: dict[str, Path]) -> None:
        """A copy of the project with these objects as its kernel."""
        for path in (
            "fixsync",
            "tests",
            "csrc",
            "docs",
            "examples",
            "replay_logs",
            "build_ffi.py",
            "pyproject.toml",
            "LICENSE",
        ):
            if (tree / path).exists():
                continue
            if (ROOT / path).is_dir():
                ignored = shutil.ignore_patterns("_kernel*.so", "_kernel*.pyd", "view")
                shutil.copytree(ROOT / path, tree / path, ignore=ignored, copy_function=os.link)
            else:
                os.link(ROOT / path, tree / path)
        made = tree / "fixsync" / "_kernel.abi3.so"
        command = ["gcc", "-shared", "-o", str(made), str(self.glue), *map(str, objects.values())]
        if not compiles(command, tree):
            raise BrokenError("not linked")

    def failed_test(self, tree: Path, tests: Sequence[str], words: str) -> str:
        """The first test that fails in a planted copy; nothing if all pass."""
        options = ["--full", "--release", "-n0", *(["-k", words] if words else [])]
        run = subprocess.run(
            limited([*pytest_in(tree), *options, *tests], 400),
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if run.returncode == 0:
            return ""
        if run.returncode in (-24, 152, -9, 137):
            return "time"
        reported = [
            line.split()[1]
            for line in run.stdout.splitlines()
            if line.startswith(("FAILED", "ERROR"))
        ]
        return reported[0].rpartition("/")[2] if reported else "crash"

    def check_tests(self, file: str) -> None:
        """The tests of a file must pass with the kernel as it is."""
        tree = self.directory / "original"
        if not tree.exists():
            tree.mkdir()
            self.plant(tree, self.python.original(()))
        for names, words in TESTS.get(file, OF_ALL):
            if (names, words) not in self.passed:
                failed = self.failed_test(
                    tree, [f"tests/test_{n}.py" for n in names.split()], words
                )
                if failed:
                    raise MissingError(f"with the kernel as it is, {failed} fails")
                self.passed.add((names, words))

    def tests_fault(self, copy: Path, mutant: Mutant) -> tuple[str, str]:
        """The first test that fails in a copy of the project whose kernel is the mutant."""
        objects = self.python.original(forms_of(mutant)) | self.python.changed(copy, mutant)
        self.plant(copy.parent, objects)
        self.check_tests(mutant.file)
        for names, words in TESTS.get(mutant.file, OF_ALL):
            tests = [f"tests/test_{name}.py" for name in names.split()]
            failed = self.failed_test(copy.parent, tests, words)
            if failed:
                return KILLED, f"tests: {failed}"
        return SURVIVED, ""


def earlier(results: Path, mutants: Iterable[Mutant]) -> dict[str, Result]:
    """What is known of functions that are still as they were."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    found = [Result(**json.loads(line)) for line in lines]
    now = {mutant.name: mutant.origin for mutant in mutants}
    return {result.name: result for result in found if result.origin == now.get(result.name)}


def table(mutants: list[Mutant], results: dict[str, Result]) -> str:
    """Markdown: how each file's mutants ended."""
    columns = ("golden", "sanitized golden", "whole golden", "tests")
    rows = [f"| file | mutants | {SAME} | {' | '.join(columns)} | {SURVIVED} |"]
    rows.append("| --- |" + " --- |" * (len(columns) + 3))
    totals: Counter[str] = Counter()
    for file in [*dict.fromkeys(m.file for m in mutants), ""]:
        count: Counter[str] = Counter()
        for mutant in mutants:
            result = results.get(mutant.name)
            if mutant.file != file or result is None or result.verdict == NOT_BUILT:
                continue
            count["mutants"] += 1
            if result.verdict == KILLED:
                count[result.by.split(":")[0]] += 1
            elif result.verdict == SAME:
                count[SAME] += 1
            else:
                count[result.verdict] += 1
        if not file:
            count = totals
        elif not count:
            continue
        else:
            totals += count
        cells = [str(count[key]) for key in ("mutants", SAME, *columns, SURVIVED)]
        rows.append(f"| {file or 'all'} | {' | '.join(cells)} |")
    return "\n".join(rows)


def chosen(args: argparse.Namespace) -> list[Mutant]:
    mutants = kernel_mutants(CSRC)
    if args.file:
        unknown = set(args.file) - {mutant.file for mutant in mutants}
        if unknown:
            raise MissingError(f"no mutants of {', '.join(sorted(unknown))}")
        mutants = [mutant for mutant in mutants if mutant.file in args.file]
    if args.only:
        idle = [
            start
            for start in args.only
            if not any(mutant.name.startswith(start) for mutant in mutants)
        ]
        if idle:
            raise MissingError("no mutant is called " + ", or ".join(idle))
        mutants = [
            mutant
            for mutant in mutants
            if any(mutant.name.startswith(start) for start in args.only)
        ]
    if args.sample:
        drawn = random.Random(args.seed)
        by_file = [list(group) for _, group in groupby(mutants, key=lambda mutant: mutant.file)]
        picked = [drawn.sample(group, min(args.sample, len(group))) for group in by_file]
        mutants = [mutant for group in picked for mutant in sorted(group, key=lambda m: m.start)]
    return mutants


def run_all(mutants: list[Mutant], args: argparse.Namespace) -> dict[str, Result]:
    """The result of every mutant, those of an earlier run included."""
    results = earlier(args.results, mutants) if args.resume else {}
    again = {name for name, result in results.items() if args.again and result.verdict == SURVIVED}
    left = [mutant for mutant in mutants if mutant.name not in results or mutant.name in again]
    args.results.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="fixsync-mutants-") as name,
        args.results.open("a" if args.resume else "w", encoding="utf-8") as out,
        ThreadPoolExecutor(args.jobs) as pool,
    ):
        bench = Bench(Path(name), args.stages)
        for number, result in enumerate(pool.map(bench.tried, left), 1):
            results[result.name] = result
            out.write(json.dumps(vars(result)) + "\n")
            out.flush()
            if result.verdict == SURVIVED:
                print(f"survived: {result.name}", flush=True)
            if number % 100 == 0:
                print(f"{number} of {len(left)}", file=sys.stderr, flush=True)
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--file", action="append", metavar="NAME", help="Mutants of this file.")
    parser.add_argument(
        "--only", action="append", metavar="START", help="Mutants whose name begins with this."
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="Size of a random sample of each file."
    )
    parser.add_argument("--seed", type=int, default=0, help="Seed of the sample.")
    parser.add_argument(
        "--stages",
        type=int,
        nargs="+",
        choices=range(1, 6),
        default=[1, 2, 3, 4, 5],
        help="Which of the five stages.",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=ROOT / "build" / "mutation.jsonl",
        help="File of results.",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="Keep earlier results of functions that have not changed.",
    )
    parser.add_argument("--again", action="store_true", help="With --resume: try survivors again.")
    parser.add_argument("--jobs", type=int, default=1, help="Number of mutants at a time.")
    parser.add_argument("--list", action="store_true", help="Only list the mutants.")
    args = parser.parse_args(arguments)
    try:
        mutants = chosen(args)
        if args.list:
            print("\n".join(mutant.name for mutant in mutants))
            return 0
        results = run_all(mutants, args)
    except MissingError as missing:
        print(f"not run: {missing}", file=sys.stderr)
        return 2
    print(table(mutants, results))
    return int(any(results[mutant.name].verdict == SURVIVED for mutant in mutants))


if __name__ == "__main__":
    sys.exit(main())

"""Coverage-guided fuzzing of kernel and kit, under AddressSanitizer and UBSan, against reference.c.

    python tests/native/fuzz.py                        every target, 60 seconds each
    python tests/native/fuzz.py load --seconds 3600    one, for as long as you like
    python tests/native/fuzz.py --seconds 1            as CI does
    python tests/native/fuzz.py load --run crash-1234  one input again

Starts from corpus/TARGET.hex, one input a line in hexadecimal; `--keep` adds what was found,
minimised, to that file. Needs clang with libFuzzer. Exit code 0: nothing found; 1: an input that
fails, named; 2: not built."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from targets import ASSERTS, CSRC, HERE, KERNEL, KIT, BrokenError, MissingError, newest_clang, run

CORPUS = HERE / "corpus"
# What is fuzzed, and the longest input in bytes.
TARGETS = {
    "shapes": ("overlap, push_out, lift and side", 64),
    "cast": ("cast_pair", 128),
    "angles": ("yaw_of, length and XXH64", 512),
    "load": ("load of any bytes", 2048),
    "commands": ("any sequence of calls on worlds", 2048),
    "level": ("bytes of a level, and what a shape meets in it", 512),
    "crowd": ("casts, sweeps, queries and pushes in worlds, beside those of pairs", 1024),
    "kit": (
        "tables of frame data, bodies, strikes, the ring of states, text, numbers, differences",
        768,
    ),
    "rollback": ("two peers that roll back, hostile packets, a liar", 768),
}
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
GUIDED = ["-O1", "-fsanitize=fuzzer-no-link", *SANITIZE]


def compile_changed(directory: Path, sources: Sequence[Path], *flags: str) -> None:
    """Those without an object, or with one that is older than they or any header."""
    headers = max(
        path.stat().st_mtime_ns for folder in (CSRC, HERE) for path in folder.rglob("*.h")
    )

    def is_old(path: Path) -> bool:
        made = directory / f"{path.stem}.o"
        newest = max(headers, path.stat().st_mtime_ns)
        return not made.exists() or made.stat().st_mtime_ns < newest

    if changed := [str(path) for path in sources if is_old(path)]:
        run([*compiler(), *flags, "-c", *changed], directory, 600)


def compile_kernel(directory: Path) -> None:
    """What all targets share. The reference is neither watched nor guided: it is there to be
    right.
    """
    references = [HERE / "reference.c", HERE / "fuzz_commands_reference.c"]
    compile_changed(directory, references, "-O2")
    compile_changed(directory, [*KERNEL, *KIT], *GUIDED, *ASSERTS)


def compiler() -> list[str]:
    include = ["-I", str(CSRC), "-I", str(HERE)]
    return [newest_clang(), "-std=c11", "-g", "-Wno-unused-function", *include]


def build(target: str, directory: Path) -> Path:
    """The fuzzer of a target, of the objects that are there."""
    compile_changed(directory, [HERE / f"fuzz_{target}.c"], *GUIDED)
    names = [f"fuzz_{target}", "reference", *(path.stem for path in [*KERNEL, *KIT])]
    if target == "commands":
        names.append("fuzz_commands_reference")
    program = directory / f"run_{target}"
    try:
        objects = [f"{name}.o" for name in names]
        run(
            [newest_clang(), "-fsanitize=fuzzer", *SANITIZE, "-o", str(program), *objects],
            directory,
            600,
        )
    except BrokenError as broken:
        raise MissingError(f"{newest_clang()} links no fuzzer: {broken}") from broken
    return program


def unpack(target: str, directory: Path) -> Path:
    """The corpus as libFuzzer wants it: a file an input."""
    inputs = directory / f"corpus_{target}"
    inputs.mkdir()
    file = CORPUS / f"{target}.hex"
    lines = file.read_text(encoding="ascii").split() if file.exists() else []
    for number, line in enumerate(lines):
        (inputs / str(number)).write_bytes(bytes.fromhex(line))
    return inputs


def keep(target: str, program: Path, inputs: Path, directory: Path) -> int:
    """Writes the smallest set of inputs that covers what all of them do."""
    merged = directory / f"merged_{target}"
    merged.mkdir()
    run([str(program), "-merge=1", "-use_counters=0", str(merged), str(inputs)], directory, 3600)
    lines = sorted(
        (path.read_bytes().hex() for path in merged.iterdir()), key=lambda line: (len(line), line)
    )
    CORPUS.mkdir(exist_ok=True)
    (CORPUS / f"{target}.hex").write_text(
        "".join(line + "\n" for line in lines if line), encoding="ascii"
    )
    return len(lines)


def fuzz(program: Path, inputs: Path, target: str, seconds: int, out: Path) -> tuple[bool, str]:
    """Whether nothing was found, and libFuzzer's last words."""
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={TARGETS[target][1]}",
        "-timeout=20",
        "-print_final_stats=1",
    ]
    done = subprocess.run(
        [str(program), *options, f"-artifact_prefix={out}/{target}-", str(inputs)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    lines = done.stderr.splitlines()
    if done.returncode == 0:
        runs = next((line.split()[-1] for line in lines if "number_of_executed_units" in line), "?")
        last = next((line for line in reversed(lines) if " cov: " in line), "")
        covered = last.split(" cov: ")[1].split()[0] if last else "?"
        return True, f"{runs} inputs, {covered} edges"
    reported = [
        line
        for line in lines
        if "does not hold" in line or "ERROR" in line or "Test unit written" in line
    ]
    return False, "\n  ".join(reported or lines[-5:])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all without any"
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--keep", action="store_true", help="add what is found to the corpus")
    parser.add_argument(
        "--run", type=Path, metavar="FILE", help="run one input of the one target, and stop"
    )
    parser.add_argument(
        "--out", type=Path, default=Path.cwd(), help="where failing inputs are written"
    )
    parser.add_argument(
        "--objects", type=Path, metavar="FOLDER", help="where objects are taken from, and added"
    )
    args = parser.parse_args(arguments)
    unknown = [name for name in args.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no target {', '.join(unknown)}: there are {', '.join(TARGETS)}")
    found = False
    with tempfile.TemporaryDirectory(prefix="fixsync-fuzz-") as name:
        directory = Path(name)
        try:
            objects = (args.objects or directory).resolve()
            objects.mkdir(parents=True, exist_ok=True)
            compile_kernel(objects)
            programs = {target: build(target, objects) for target in args.targets or TARGETS}
        except MissingError as missing:
            print(f"not built: {missing}", file=sys.stderr)
            return 2
        for target, program in programs.items():
            if args.run:
                return subprocess.run(
                    [str(program), str(args.run.resolve())], check=False
                ).returncode
            inputs = unpack(target, directory)
            good, said = fuzz(program, inputs, target, args.seconds, args.out.resolve())
            print(
                f"{target} ({TARGETS[target][0]}): {'nothing found' if good else 'FAILED'}, {said}",
                flush=True,
            )
            found = found or not good
            if args.keep and good:
                print(f"  corpus: {keep(target, program, inputs, directory)} inputs")
    return int(found)


if __name__ == "__main__":
    sys.exit(main())

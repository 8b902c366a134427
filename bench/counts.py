"""Instructions that the kernel needs for a few fixed scenes, counted by valgrind's callgrind, so that a
slower commit is seen on a busy machine too.

    python bench/counts.py            compares with counts.json; exit code 1 if more are needed than allowed
    python bench/counts.py --update   records what is needed now, for this compiler

The counts depend on the compiler and its version, for each of which counts.json has its own; they do not
depend on the processor, on the C library or on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from fixsync.bench.check import FRAMES, golden
from fixsync.bench.scenes import Scene, scene
from fixsync.numbers import ONE

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "counts.json"
COUNT = 1_000
FRAME, QUERIES, SAVE, LOAD, HASH = range(5)
_SCENES = ("uniform", "clustered", "line", "power_law", "giant", "volume", "mixed")
CASES = {
    **{name: (name, FRAME) for name in _SCENES},
    "queries": ("uniform", QUERIES),
    "save": ("uniform", SAVE),
    "load": ("uniform", LOAD),
    "hash": ("uniform", HASH),
}
"""What is counted, by name: a scene, and of it all frames, or one call at the end."""


def written(made: Scene) -> bytes:
    """A scene as counts.c reads it."""
    masks = [2**32 - 1] * 32 if made.layers is None else [0] * 32
    for i, j in made.layers or ():
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    queries = b"".join(
        struct.pack("=IIiiiiiiIII", 2, 0, 2 * ONE, ONE, 0, *made.pose(id, FRAMES), 2**32 - 1, 0)
        for id in range(0, made.count, 10)
    )
    ids = made.ids()
    return b"".join(
        [
            struct.pack("=35I", made.count, 32 * made.count, 1, *masks),
            struct.pack("=I", made.count) + made.colliders(),
            struct.pack("=I", len(queries) // 44) + queries,
            struct.pack("=2I", FRAMES, len(ids)) + ids.tobytes(),
            *(made.poses(frame).tobytes() for frame in range(1, FRAMES + 1)),
        ]
    )


def compiler_name(compiler: str) -> str:
    """The compiler's name and version and the machine it compiles for, as counts.json knows it."""
    command = [compiler, "--version"]
    first = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]
    machine = subprocess.run(
        [compiler, "-dumpmachine"], check=True, capture_output=True, text=True
    ).stdout.strip()
    version = re.search(r"\d+\.\d+(\.\d+)?", first.rpartition(")")[2] or first)
    kind = "clang" if "clang" in first else "gcc"
    return f"{kind} {version[0] if version else '?'} -O2 {machine}"


def counted(compiler: str, folder: Path) -> dict[str, int]:
    """Instructions of every case."""
    program = folder / "counts"
    sources = sorted(map(str, (HERE.parent / "csrc").glob("*.c")))
    flags = ["-std=c11", "-O2", "-g0", f"-I{HERE.parent / 'csrc'}"]
    subprocess.run([compiler, *flags, "-o", str(program), str(HERE / "counts.c"), *sources], check=True)
    return {name: _instructions(program, folder, *case) for name, case in CASES.items()}


def _instructions(program: Path, folder: Path, name: str, what: int) -> int:
    data, out = folder / name, folder / "callgrind.out"
    data.write_bytes(written(scene(name, COUNT)))
    run = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--toggle-collect=measured",
            f"--callgrind-out-file={out}",
            str(program),
            str(data),
            str(what),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    if run.stdout.strip() != golden()[name][str(COUNT)]:
        raise RuntimeError(f"{name} came to the state {run.stdout.strip()}, which is wrong")
    total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if total is None or int(total[1]) == 0:
        raise RuntimeError(f"{name}: callgrind counted nothing")
    return int(total[1])


def slower(found: dict[str, int], allowed: dict[str, int], percent: float) -> list[str]:
    """The cases that need more instructions than allowed."""
    return [
        f"{name}: {found[name]:,} instructions, {(found[name] / before - 1) * 100:+.1f}% of {before:,}; "
        f"{percent:g}% are allowed"
        for name, before in allowed.items()
        if found[name] > before * (1 + percent / 100)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--update", action="store_true", help="record what is needed now")
    parser.add_argument("--compiler", default="gcc", help="default: gcc")
    options = parser.parse_args()
    for program in (options.compiler, "valgrind"):
        if shutil.which(program) is None:
            print(f"{program} is not installed", file=sys.stderr)
            return 2
    compiler = compiler_name(options.compiler)
    with tempfile.TemporaryDirectory() as folder:
        found = counted(options.compiler, Path(folder))
    recorded = json.loads(BASELINE.read_text(encoding="ascii"))
    before = recorded["compilers"].get(compiler, {})
    for name, count in found.items():
        change = f"{(count / before[name] - 1) * 100:+8.2f}%" if name in before else "     new"
        print(f"{name:<12} {count:>14,} {change}")
    if options.update:
        recorded["compilers"][compiler] = found
        BASELINE.write_text(json.dumps(recorded, indent=2) + "\n", encoding="ascii")
        return 0
    if not before:
        print(f"nothing is recorded for {compiler}: run it with --update", file=sys.stderr)
        return 2
    faults = slower(found, before, recorded["allowed_percent"])
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Instructions of the kernel for a few fixed scenes, and branches that a predictor gets wrong,
counted by valgrind's callgrind, so that a slower commit is seen on a busy machine too.

    python bench/counts.py            compares with counts.json; exit code 1 for more than allowed
    python bench/counts.py --update   records what is needed now, for this compiler
    python bench/counts.py --times    the time of each case instead, least of many runs, -O3

The counts depend on the compiler and its version, for each of which counts.json has its own; they
do not depend on the processor, on the C library or on what else the machine does. The predictor is
callgrind's model of one, which goes by the addresses of branches too: what is allowed is above what
a change elsewhere makes of that, and far below what one branch on chance for every collider does.
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
from math import isqrt
from pathlib import Path
from typing import TypeAlias

from fixsync import Box, Capsule, Cylinder, Level, Pillar, Prism, Sector, Shape, Sphere, World
from fixsync.base.numbers import ONE
from fixsync.bench.frames import FRAMES, golden
from fixsync.bench.scenes import SEED, Axis, Scene, scene
from fixsync.game.random import Random

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "counts.json"
COUNT = 1_000
FRAME, QUERIES, SAVE, LOAD, HASH, ROLLBACK, ASKS, WALKS, LEVEL_CASTS, LEAPS, RIDES = range(11)
_SHAPES: dict[str, Shape] = {
    "spheres": Sphere(ONE // 2),
    "capsules": Capsule(ONE // 2, ONE // 3),
    "cylinders": Cylinder(ONE // 2, ONE),
    "boxes": Box(ONE // 2, ONE, ONE * 3 // 10),
    "sectors": Sector(ONE * 3 // 2, 9_000, ONE),
}
_LEVELS = ("prisms", "pillars")
_SOLIDS = 144
_SCENES = ("uniform", "clustered", "line", "power_law", "giant", "volume", "mixed")
CASES = {
    **{name: (name, COUNT, FRAME) for name in _SCENES},
    **{f"uniform {count}": ("uniform", count, FRAME) for count in (2, 8, 16, 32)},
    "mixed 16": ("mixed", 16, FRAME),
    "rollback 16": ("uniform", 16, ROLLBACK),
    "queries": ("uniform", COUNT, QUERIES),
    "asks": ("uniform", COUNT, ASKS),
    "walks": ("uniform", COUNT, WALKS),
    "leaps": ("uniform", COUNT, LEAPS),
    "rides": ("uniform", COUNT, RIDES),
    "save": ("uniform", COUNT, SAVE),
    "load": ("uniform", COUNT, LOAD),
    "hash": ("uniform", COUNT, HASH),
    **{
        f"{shapes} at {solids}": (f"{shapes} {solids}", 48, what)
        for what, names in ((FRAME, ["all"]), (LEVEL_CASTS, [*_SHAPES][:4]))
        for shapes in names
        for solids in _LEVELS
    },
    "walks at prisms": ("capsules prisms", 48, WALKS),
}
"""What is counted, by name: a scene, its colliders, and of it all frames, or one call at the end: a
rollback is a load and all frames; an ask is a move and a query, `nearest`, cast or sweep in turn; a
walk is a character's move, a leap one with a one-way layer, a ride that of a platform and seven
characters. "At" prisms or pillars: all shapes step, or those of one kind are cast, in a level of
them."""
KINDS = ("instructions", "mispredicted branches")
Counts: TypeAlias = dict[str, list[int]]
"""By case, how many of each kind."""
FEW = 50
"""Up to so many more count as no change."""


def scene_of(name: str, count: int) -> tuple[Scene, Level | None, str]:
    """A scene, its level, and the hash of its state after all frames."""
    shapes, _, solids = name.partition(" ")
    if solids not in _LEVELS:
        return scene(name, count), None, golden()[name][str(count)]
    made, level = _among(shapes, solids, count)
    world = World(count, layers=made.layers, level=level)
    world.add_many(made.colliders())
    for frame in range(1, FRAMES + 1):
        world.set_pose_many(made.ids(), made.poses(frame))
        world.step()
    return made, level, f"{world.hash():016x}"


def _among(shapes: str, solids: str, count: int) -> tuple[Scene, Level]:
    """Colliders that meet only solids, each beside one of a square grid, 4 units apart."""
    side, parts = isqrt(_SOLIDS), list[Prism | Pillar]()
    for n in range(_SOLIDS):
        x, z = ((2 * at - side + 1) * 2 * ONE for at in divmod(n, side))
        corners = [(x - ONE, z - ONE), (x + ONE, z - ONE), (x + ONE, z + ONE), (x - ONE, z + ONE)]
        is_prism = solids == "prisms"
        parts.append(Prism(corners, -ONE, ONE) if is_prism else Pillar(x, z, ONE, -ONE, ONE))
    made, drawn = Scene(shapes, layers=[(0, 1)]), Random(SEED)
    kinds = [*_SHAPES.values()] if shapes == "all" else [_SHAPES[shapes]]
    for id in range(count):
        on_x, on_y, on_z = (
            Axis(low, 4 * ONE, drawn.below(4 * ONE), drawn.below(ONE // 4))
            for low in (
                (2 * drawn.below(side - 1) - side + 1) * 2 * ONE,
                -2 * ONE,
                (2 * drawn.below(side - 1) - side + 1) * 2 * ONE,
            )
        )
        made.put(kinds[id % len(kinds)], on_x, on_y, on_z, drawn.below(65536), 300)
        made.traits[id] = (1, 0, (0, 0, 0))
    made.moving = range(count)
    return made, Level(parts)


def written(made: Scene, level: Level | None) -> bytes:
    """A scene as counts.c reads it."""
    masks = [2**32 - 1] * 32 if made.layers is None else [0] * 32
    for i, j in made.layers or ():
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    queries = [
        struct.pack("=IIiiiiiiIIII", *shape, *made.pose(id, FRAMES), 2**32 - 1, 0, 0)
        for id in range(0, made.count, 10 if level is None else 1)
        for shape in [made.shapes[id]._row if level else (2, 0, 2 * ONE, ONE, 0)]
    ]
    solids = b"" if level is None else level.to_bytes()
    ids = made.ids()
    return b"".join(
        [
            struct.pack("=35I", made.count, 32 * made.count, 1, *masks),
            struct.pack("=I", len(solids)) + solids,
            struct.pack("=I", made.count) + made.colliders(),
            struct.pack("=I", len(queries)) + b"".join(queries),
            struct.pack("=2I", FRAMES, len(ids)) + ids.tobytes(),
            *(made.poses(frame).tobytes() for frame in range(1, FRAMES + 1)),
        ]
    )


def compiler_name(compiler: str) -> str:
    """The compiler's name and version and the machine it compiles for, as counts.json knows it."""
    command = [compiler, "--version"]
    first = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[
        0
    ]
    machine = subprocess.run(
        [compiler, "-dumpmachine"], check=True, capture_output=True, text=True
    ).stdout.strip()
    version = re.search(r"\d+\.\d+(\.\d+)?", first.rpartition(")")[2] or first)
    kind = "clang" if "clang" in first else "gcc"
    return f"{kind} {version[0] if version else '?'} -O2 {machine}"


def counted(compiler: str, folder: Path) -> Counts:
    """Of every case."""
    program = built(compiler, folder, "-O2")
    return {name: _count(program, folder, *case) for name, case in CASES.items()}


def times(compiler: str, folder: Path) -> dict[str, int]:
    """Nanoseconds of every case: of a frame, or of the call."""
    program, found = built(compiler, folder, "-O3"), {}
    for case, (name, colliders, what) in CASES.items():
        data = folder / name
        data.write_bytes(written(*scene_of(name, colliders)[:2]))
        command = [str(program), str(data), str(what), "2000" if colliders < COUNT else "100"]
        found[case] = int(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def built(compiler: str, folder: Path, level: str) -> Path:
    program = folder / "counts"
    sources = sorted(map(str, (HERE.parent / "csrc").rglob("*.c")))
    flags = ["-std=c11", level, "-g0", f"-I{HERE.parent / 'csrc'}"]
    subprocess.run(
        [compiler, *flags, "-o", str(program), str(HERE / "counts.c"), *sources], check=True
    )
    return program


def _count(program: Path, folder: Path, name: str, colliders: int, what: int) -> list[int]:
    data, out = folder / name, folder / "callgrind.out"
    made, level, wanted = scene_of(name, colliders)
    data.write_bytes(written(made, level))
    run = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--toggle-collect=measured",
            "--branch-sim=yes",
            f"--callgrind-out-file={out}",
            str(program),
            str(data),
            str(what),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    if run.stdout.strip() != wanted:
        raise RuntimeError(f"{name} came to the state {run.stdout.strip()}, which is wrong")
    reported = out.read_text()
    events = re.search(r"^events: (.+)", reported, re.MULTILINE)
    totals = re.search(r"^(?:totals|summary): (.+)", reported, re.MULTILINE)
    if events is None or totals is None or not int(totals[1].split()[0]):
        raise RuntimeError(f"{name}: callgrind counted nothing")
    of = dict(
        zip(events[1].split(), map(int, totals[1].split()), strict=False)
    )  # zeros at the end are left out
    return [of["Ir"], of.get("Bcm", 0) + of.get("Bim", 0)]


def slower(found: Counts, recorded: Counts, percents: list[float]) -> list[str]:
    """The cases that need more than allowed, and of what."""
    return [
        f"{name}: {count:,} {kind}, {(count / before - 1) * 100:+.1f}% of {before:,}; "
        f"{percent:g}% and {FEW} are allowed"
        for name, counts in recorded.items()
        for kind, count, before, percent in zip(KINDS, found[name], counts, percents, strict=True)
        if count > before * (1 + percent / 100) + FEW
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="record what is needed now")
    parser.add_argument("--times", action="store_true", help="times instead of counts")
    parser.add_argument("--compiler", default="gcc", help="default: gcc")
    options = parser.parse_args()
    for program in (options.compiler, "valgrind"):
        if shutil.which(program) is None:
            print(f"{program} is not installed", file=sys.stderr)
            return 2
    if options.times:
        with tempfile.TemporaryDirectory() as folder:
            for name, ns in times(options.compiler, Path(folder)).items():
                print(f"{name:<20} {ns:>12,} ns")
        return 0
    compiler = compiler_name(options.compiler)
    with tempfile.TemporaryDirectory() as folder:
        found = counted(options.compiler, Path(folder))
    recorded = json.loads(BASELINE.read_text(encoding="ascii"))
    before = recorded["compilers"].get(compiler, {})
    print(f"{'':<20}", *(f"{kind:>24}" for kind in KINDS))
    for name, counts in found.items():
        olds = before.get(name, [0] * len(KINDS))
        changes = [
            f"{(count / old - 1) * 100:+.2f}%" if old else "new"
            for count, old in zip(counts, olds, strict=True)
        ]
        print(
            f"{name:<20}",
            *(f"{count:>14,} {change:>9}" for count, change in zip(counts, changes, strict=True)),
        )
    if options.update:
        recorded["compilers"][compiler] = found
        text = json.dumps(recorded, indent=2)
        text = re.sub(r"\[\s+([\d.]+),\s+([\d.]+)\s+\]", r"[\1, \2]", text)  # a line a case
        BASELINE.write_text(text + "\n", encoding="ascii")
        return 0
    if not before:
        print(f"nothing is recorded for {compiler}: run it with --update", file=sys.stderr)
        return 2
    faults = slower(found, before, recorded["allowed_percents"])
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""What a level costs: 1,000 moving colliders in levels of 100 and of 100,000 solids.

    python bench/levels.py            prints the medians, and the ratio of the two steps

The levels are grids with the same spacing, so a collider meets about as much in both. Building is
fxs_level_init alone. Save, load and hash are those of the world."""

from __future__ import annotations

import argparse
import random
import struct
import time
from collections.abc import Callable
from statistics import median

from fixsync import ONE, Level, Pillar, Pose, Prism, Sphere, World

SPACING = 4 * ONE
COLLIDERS = 1_000
FRAMES = 200


def level_bytes(count: int) -> tuple[bytes, int]:
    """Pillars and square prisms in turn, on a square grid; and how wide it is."""
    side = round(count**0.5)
    solids: list[Prism | Pillar] = []
    for n in range(count):
        x, z = (n % side) * SPACING + SPACING // 2, (n // side) * SPACING + SPACING // 2
        corners = [(x - ONE, z - ONE), (x + ONE, z - ONE), (x + ONE, z + ONE), (x - ONE, z + ONE)]
        solids.append(Prism(corners, -ONE, ONE) if n % 2 else Pillar(x, z, ONE, -ONE, ONE))
    return Level(solids).to_bytes(), side * SPACING


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def measured(count: int) -> dict[str, float]:
    """Microseconds of each, and how many hits a frame has."""
    data, width = level_bytes(count)
    level = Level.from_bytes(data)
    world = World(COLLIDERS, layers=[(0, 1)], level=level)
    rng = random.Random(1)  # noqa: S311
    places = [(rng.randrange(width), rng.randrange(width)) for _ in range(COLLIDERS)]
    for id, (x, z) in enumerate(places):
        world.add(id, Sphere(ONE // 2), Pose(x, 0, z), layer=1)
    ids = struct.pack(f"={COLLIDERS}I", *range(COLLIDERS))
    steps, hits = [], 0
    for _ in range(FRAMES):
        places = [
            ((x + rng.randint(-ONE // 8, ONE // 8)) % width, (z + rng.randint(-8, 8)) % width)
            for x, z in places
        ]
        rows = struct.pack(f"={3 * COLLIDERS}i", *(v for x, z in places for v in (x, 0, z)))
        world.move_many(ids, rows)
        steps.append(timed(world.step))
        hits += world.hit_count
    state = world.save()
    return {
        "build": median(timed(lambda: Level.from_bytes(data)) for _ in range(9)),
        "step": median(steps),
        "least step": min(steps),
        "save": median(timed(world.save) for _ in range(50)),
        "load": median(timed(lambda: world.load(state)) for _ in range(50)),
        "hash": median(timed(world.hash) for _ in range(50)),
        "hits": hits / FRAMES,
    }


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    small, large = measured(100), measured(100_000)
    print(f"{'':12}{'100 solids':>14}{'100,000':>14}{'ratio':>8}")
    for name, value in small.items():
        unit = "" if name == "hits" else " us"
        print(
            f"{name:12}{value:11.1f}{unit:3}{large[name]:11.1f}{unit:3}{large[name] / value:8.2f}"
        )


if __name__ == "__main__":
    main()

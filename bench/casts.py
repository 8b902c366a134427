"""What the cast of one shape at another costs, by their kinds, called from C."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from yardstick import compiled, least

from fixsync._native.kernel import address
from fixsync._native.kinds import KINDS_BY_NAME
from fixsync.game.random import Random
from fixsync.numbers import ONE

__all__ = ["CastCost", "cast_costs", "movers"]

_PAIRS = 4_000
_KINDS = {
    "round": ("sphere", "capsule"),
    "cylinder": ("cylinder",),
    "box": ("box",),
}
_CLASSES = (
    ("round", "round"),
    ("round", "cylinder"),
    ("round", "box"),
    ("cylinder", "cylinder"),
    ("cylinder", "box"),
    ("box", "box"),
)


@dataclass
class CastCost:
    kinds: str
    near: bool
    """Up to 4 units apart on x and z, as fast as that; else 20 to 40 units apart."""
    cost: float
    """Nanoseconds."""
    met: float
    """Share of the casts that meet what they are cast at."""


def cast_costs() -> Iterator[CastCost]:
    """Nothing without a compiler: the loop over the pairs is compiled."""
    made = compiled()
    if made is None:
        return
    other, library = made
    call = other.cast("cast_pair", address("cast_pair"))
    random = Random(6)
    for a, b in _CLASSES:
        for near in (True, False):
            rows = other.from_buffer("uint32_t[]", movers(random, a, b, near))
            run = partial(library.casts, _PAIRS, call, rows)
            yield CastCost(f"{a} and {b}", near, least(run) / _PAIRS, run() / _PAIRS)


def movers(random: Random, a: str, b: str, near: bool) -> bytes:
    """Pairs of these kinds as yardstick.c reads them, the second of each standing still."""
    rows = []
    for _ in range(_PAIRS):
        away = [4 * ONE, ONE, 4 * ONE] if near else [40 * ONE, ONE, 40 * ONE]
        at = [random.between(-by, by) for by in away]
        if not near and max(abs(at[0]), abs(at[2])) < 20 * ONE:
            at[0] = 20 * ONE
        motion = [
            random.between(-4 * ONE, 4 * ONE),
            random.between(-ONE, ONE),
            random.between(-4 * ONE, 4 * ONE),
        ]
        for kinds, position, way in ((a, at, motion), (b, [0, 0, 0], [0, 0, 0])):
            kind = KINDS_BY_NAME[random.choice(_KINDS[kinds])]
            sizes = [random.between(ONE * 3 // 10, ONE * 3 // 2) for _ in range(3)]
            shape = kind.numbers(sizes[: len(kind.sizes)])
            rows.append(struct.pack("=II10i", *shape, *position, random.below(65536), *way))
    return b"".join(rows)

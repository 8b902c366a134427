"""The kit's functions that need no world. They take plain ints that were checked."""

from __future__ import annotations

from typing import Any

from fixsync._native.raw import CData, ffi, lib
from fixsync._native.status import unexpected

Vector = tuple[int, int, int]

NORMAL_MAX: int = lib.FXS_NORMAL_MAX
PASSES_MAX: int = lib.FXS_PASSES_MAX
MOVER_FLAGS: dict[str, int] = {
    name: getattr(lib, f"FXS_{name}")
    for name in ("ON_FLOOR", "ON_WALL", "ON_CEILING", "STEPPED", "PUSHED", "STUCK")
}

CARRY_FLAGS: dict[str, int] = {
    name: getattr(lib, f"FXS_{name}") for name in ("RODE", "SHOVED", "HELD", "CRUSHED")
}

_ONE = ffi.typeof("int32_t *")
_THREE = ffi.typeof("int32_t[3]")
_WIDE = ffi.typeof("int64_t *")

turn_towards: Any = lib.fxs_turn_towards

# Random numbers. A state is the cdata of one uint64_t, a place that of one int64_t.

random_next: Any = lib.fxs_random_next
random_below: Any = lib.fxs_random_below
random_between: Any = lib.fxs_random_between
random_chance: Any = lib.fxs_random_chance


def new_state(seed: int) -> CData:
    return ffi.new("uint64_t *", seed)


def new_place() -> CData:
    return ffi.new(_WIDE)


def shuffled(state: CData, count: int) -> list[int]:
    """The numbers 0..count - 1 in random order."""
    order = ffi.new("uint64_t[]", count)
    for i in range(count):
        order[i] = i
    lib.fxs_random_shuffle(state, ffi.cast("uint8_t *", order), count, 8)
    return ffi.unpack(order, count) if count else []


# Numbers.


def number(name: str, *args: int | Vector) -> int | None:
    """The number that fxs_`name` gives, None if it has none."""
    out = ffi.new(_ONE)
    if getattr(lib, f"fxs_{name}")(*args, out) != 0:
        return None
    return out[0]


def vector(name: str, *args: Any) -> Vector | None:
    """The vector that fxs_`name` gives, None if it has none."""
    out = ffi.new(_THREE)
    if getattr(lib, f"fxs_{name}")(*args, out) != 0:
        return None
    return out[0], out[1], out[2]


# Motion.


def along(motion: Vector, fraction: int, normal: Vector | None) -> Vector:
    found = vector("along", motion, fraction, ffi.NULL if normal is None else normal)
    if found is None:
        unexpected("a checked motion", lib.FXS_E_MOTION)
    return found


def bounce(motion: Vector, normal: Vector, kept: int) -> Vector | None:
    return vector("bounce", motion, normal, kept)

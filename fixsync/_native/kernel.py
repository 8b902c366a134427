"""The functions of the kernel and of the kit that need no world. They take plain ints that were
checked, and rows as bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fixsync._native.checks import utf_8
from fixsync._native.raw import CData, ffi, lib, uninitialised
from fixsync._native.rows import SHAPE, Buffer
from fixsync._native.status import refuse_pair, refuse_undefined, unexpected

Vector = tuple[int, int, int]

_PAIR = ffi.typeof("int32_t[2]")
_ONE = ffi.typeof("int32_t *")
_THREE = ffi.typeof("int32_t[3]")
_EXTENT = ffi.typeof("fxs_extent *")

# Functions of plain ints are the kernel's own.
yaw_of: Callable[[int, int], int] = lib.fxs_yaw_of
length: Callable[[int, int, int], int] = lib.fxs_length
yaw_between: Callable[[int, int], int] = lib.fxs_yaw_between
faces: Callable[[int, int, int, int], int] = lib.fxs_faces

semantics: Callable[[], int] = lib.fxs_semantics
overlap: Callable[[bytes, bytes, bytes, bytes], int] = lib.fxs_overlap
"""The contact of two shapes that were checked: shape row, pose row, shape row, pose row."""


def explanation_row(out: Any) -> tuple[int, ...]:
    """The fields of a `fxs_explanation *`."""
    return (
        *(out.why, out.grows, out.sector, out.contact),
        *(out.height, out.planar, out.gap, out.turn),
    )


def explain(a: tuple[bytes, bytes], b: tuple[bytes, bytes], hit_when: int) -> tuple[int, ...]:
    """Why checked shapes at poses, in rows, do not meet: the fields of `fxs_explanation`."""
    out = ffi.new("fxs_explanation *")
    status = lib.fxs_explain_shapes(*a, *b, hit_when, out)
    if status != 0:
        unexpected("two shapes", status)
    return explanation_row(out)


def explanation_text(
    row: tuple[int, ...], a: tuple[int, str] | None, b: tuple[int, str] | None
) -> str:
    """A row of `explain` as text; a, b: an id and its name, or None."""
    text, size = ffi.new("char[1024]"), ffi.new("uint64_t *")
    names = _name(a), _name(b)
    status = lib.fxs_explanation_text(ffi.new("fxs_explanation *", row), *names, text, 1024, size)
    if status != 0:
        unexpected("an explanation", status)
    return str(ffi.buffer(text, size[0])[:], "utf-8")


def _name(named: tuple[int, str] | None) -> CData:
    """An `fxs_name *`, or NULL. A text of more than 60 bytes ends with "…" before."""
    if named is None:
        return ffi.NULL
    id, text = named
    data = utf_8(f"name of id {id}", text)
    if len(data) > 60:
        data = data[:57].decode(errors="ignore").encode() + "…".encode()
    return ffi.new("fxs_name *", (id, data.ljust(60, b"\0")))


@lru_cache(4096)
def direction(yaw: int) -> tuple[int, int]:
    pair = ffi.new(_PAIR)
    lib.fxs_direction(yaw, pair, pair + 1)
    return pair[0], pair[1]


def forward(yaw: int, length: int) -> tuple[int, int]:
    pair = ffi.new(_PAIR)
    if lib.fxs_forward(yaw, length, pair, pair + 1) != 0:
        unexpected("forward", lib.FXS_E_DISTANCE)
    return pair[0], pair[1]


def overlap_many(names: tuple[str, ...], rows: list[bytes], n: int) -> bytes:
    """One byte for each of n pairs, from four columns of rows. `names` are for errors."""
    contacts, bad = uninitialised("uint8_t[]", n), ffi.new("uint64_t *")
    status: int = lib.fxs_overlap_many(*rows, n, contacts, bad)
    if status != 0:
        refuse_pair(names, rows, bad[0], status)
    return ffi.buffer(contacts)[:]


_Outline = tuple[list[tuple[int, int]], list[tuple[int, int]], int, int]


def outline(shape: bytes, pose: bytes, segments: int) -> _Outline:
    """The outer polygon, the hole, and the least and the greatest y."""
    return outline_of(lib.fxs_outline, shape, pose, segments)


def outline_of(call: Callable[..., int], *args: Any) -> _Outline:
    """The outline that a function of the kernel writes for checked arguments."""
    extent = ffi.new(_EXTENT)
    call(*args, ffi.NULL, 0, extent)
    room = extent.outer + extent.hole
    vertices = uninitialised("fxs_vertex[]", room)
    status = call(*args, vertices, room, extent)
    if status != 0:
        unexpected("an outline", status)
    points = [(v.x, v.z) for v in vertices[0:room]]
    return points[: extent.outer], points[extent.outer :], extent.y_low, extent.y_high


# Functions that are not defined for all shapes.


def push_out(a: bytes, pose_a: bytes, b: bytes, pose_b: bytes) -> tuple[int, int]:
    out = ffi.new(_PAIR)
    _check(lib.fxs_push_out(a, pose_a, b, pose_b, out), "can_push", a, b)
    return out[0], out[1]


def lift(a: bytes, pose_a: bytes, b: bytes, pose_b: bytes) -> int:
    out = ffi.new(_ONE)
    _check(lib.fxs_lift(a, pose_a, b, pose_b, out), "can_push", a, b)
    return out[0]


def side(a: bytes, pose_a: bytes, b: bytes, pose_b: bytes) -> int:
    found: int = lib.fxs_side(a, pose_a, b, pose_b)
    _check(found, "can_push", a, b)
    return found


def cast_pair(
    a: bytes,
    pose_a: bytes,
    motion_a: Vector,
    b: bytes,
    pose_b: bytes,
    motion_b: Vector,
    hit_when: int,
) -> tuple[int, Vector] | None:
    fraction, normal = ffi.new(_ONE), ffi.new(_THREE)
    met: int = lib.fxs_cast_pair(
        a, pose_a, motion_a, b, pose_b, motion_b, hit_when, fraction, normal
    )
    _check(met, "can_cast", a, b)
    return (fraction[0], (normal[0], normal[1], normal[2])) if met else None


def _check(status: int, can: str, a: bytes, b: bytes) -> None:
    if status < 0:
        if status != lib.FXS_E_UNDEFINED:
            unexpected("a pair of checked shapes", status)
        refuse_undefined(can, ("shape_a", SHAPE.unpack(a)), ("shape_b", SHAPE.unpack(b)))


def hash64(data: Buffer) -> int:
    """XXH64, seed 0."""
    view = ffi.from_buffer("uint8_t[]", data)
    return lib.fxs_hash64(view, len(view), 0)


def address(name: str) -> int:
    """The address of the function fxs_`name`, for C that calls it."""
    return int(ffi.cast("uintptr_t", ffi.addressof(lib, f"fxs_{name}")))


# The kit.

NORMAL_MAX: int = lib.FXS_NORMAL_MAX
PASSES_MAX: int = lib.FXS_PASSES_MAX
MOVER_FLAGS: dict[str, int] = {
    name: getattr(lib, f"FXS_{name}")
    for name in ("ON_FLOOR", "ON_WALL", "ON_CEILING", "STEPPED", "PUSHED", "STUCK")
}

CARRY_FLAGS: dict[str, int] = {
    name: getattr(lib, f"FXS_{name}") for name in ("RODE", "SHOVED", "HELD", "CRUSHED", "SQUEEZED")
}

turn_towards: Any = lib.fxs_turn_towards

# Random numbers. A state is the cdata of one uint64_t, a place that of one int64_t.

random_next: Any = lib.fxs_random_next
random_below: Any = lib.fxs_random_below
random_between: Any = lib.fxs_random_between
random_chance: Any = lib.fxs_random_chance


def new_state(seed: int) -> CData:
    return ffi.new("uint64_t *", seed)


def new_place() -> CData:
    return ffi.new("int64_t *")


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

"""Two planes of the kit: hitboxes with a ground view and a side view, and worlds of them."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from fixsync._native.lock import exclusive
from fixsync._native.raw import LAYER_COUNT, constant, ffi, lib, uninitialised
from fixsync._native.rows import COMMAND, EVENT, HIT
from fixsync._native.status import unexpected
from fixsync._native.world import NativeWorld

LAYERS = constant("PLANES_LAYERS")

# The structures of fixsync_kit.h in the struct module's codes, in the machine's byte order.
HITBOX = Struct("=I4BI7i")  # id, kind, layer, active, zero, owner, position, ground, side
PLANES_COMMAND = Struct("=II40s")  # type, mask, hitbox
HITBOX_CAST = Struct("=40s3i4I")  # hitbox, motion, mask, exclude_owner, limit, hit_when

_ABSENT = constant("E_ABSENT")
_TAKEN = constant("E_TAKEN")
_ORDER = constant("E_ORDER")
_ONE = ffi.typeof("int32_t *")
_TWO = ffi.typeof("int32_t[2]")
_THREE = ffi.typeof("int32_t[3]")
_buffer = ffi.buffer

Vector = tuple[int, int, int]


# Two hitboxes: checked rows of HITBOX.


def contact(a: bytes, b: bytes) -> int:
    return lib.fxs_hitbox_contact(a, b)


def push_out(a: bytes, b: bytes) -> tuple[int, int]:
    out = ffi.new(_TWO)
    lib.fxs_hitbox_push_out(a, b, out)
    return out[0], out[1]


def lift(a: bytes, b: bytes) -> int:
    out = ffi.new(_ONE)
    lib.fxs_hitbox_lift(a, b, out)
    return out[0]


def cast_pair(
    a: bytes, motion_a: Vector, b: bytes, motion_b: Vector, hit_when: int
) -> tuple[int, Vector] | None:
    fraction, normal = ffi.new(_ONE), ffi.new(_THREE)
    met: int = lib.fxs_hitbox_cast_pair(a, motion_a, b, motion_b, hit_when, fraction, normal)
    return (fraction[0], (normal[0], normal[1], normal[2])) if met else None


# A world of hitboxes.


def config(capacity: int, masks: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """Capacity and layer matrix of the world of so many hitboxes with such layers."""
    row = ffi.new("fxs_config *", (capacity, 1, 1, [*masks, *[0] * (LAYER_COUNT - len(masks))]))
    status = lib.fxs_planes_config(row, row)
    if status != 0:
        unexpected(f"a config of capacity {capacity}", status)
    return row.capacity, tuple(row.layers)


@exclusive
def apply(world: NativeWorld, commands: bytes, id: int = 0) -> None:
    """Makes the changes of rows of PLANES_COMMAND, all or none. `id`: of the hitbox, if one is
    changed."""
    n = len(commands) // PLANES_COMMAND.size
    rows = uninitialised("fxs_command[]", 2 * n)
    status = lib.fxs_planes_apply(world._world, commands, n, rows, world._count)
    if status == _ABSENT:
        raise KeyError(f"id {id} is not in the world")
    if status == _TAKEN:
        raise ValueError(f"id {id} is taken: remove it first, or choose another")
    if status != 0:
        unexpected(f"change of id {id}", status)
    if n and world.observer is not None:
        world.observer.changed(_buffer(rows, 2 * n * COMMAND.size)[:])


def _get(world: NativeWorld, id: int) -> bytes | None:
    """The row of a hitbox, None if it is not there."""
    row = ffi.new("fxs_hitbox *")
    if lib.fxs_planes_get(world._world, id, row) != 0:
        return None
    return _buffer(row)[:]


get = exclusive(_get)


@exclusive
def get_pair(world: NativeWorld, a: int, b: int) -> tuple[bytes | None, bytes | None]:
    """The rows of two hitboxes, None for one that is not there."""
    return _get(world, a), _get(world, b)


@exclusive
def events(world: NativeWorld, rows: bytes) -> bytes | None:
    """The events of hitboxes from those of one step, None for rows that no step writes."""
    n, count = len(rows) // EVENT.size, world._count
    out = uninitialised("fxs_event[]", n)
    if lib.fxs_planes_events(world._world, rows, n, out, count) == _ORDER:
        return None
    return _buffer(out)[: count[0] * EVENT.size]


@exclusive
def hits(world: NativeWorld) -> bytes:
    """The rows of the last step's hits."""
    out = uninitialised("fxs_hit[]", lib.fxs_world_hit_count(world._world))
    count = lib.fxs_planes_hits(world._world, out)
    return _buffer(out)[: count * HIT.size]


@exclusive
def query(
    world: NativeWorld, row: bytes, mask: int, exclude_owner: int, hit_when: int
) -> list[int]:
    """The ids of the hitboxes that a checked query meets."""
    call = lib.fxs_planes_query
    return world._ids.numbers(call, world._world, row, mask, exclude_owner, hit_when)


@exclusive
def cast(world: NativeWorld, row: bytes) -> bytes:
    """The hits of a checked row of HITBOX_CAST."""
    status = world._cast_hits.fill(lib.fxs_planes_cast, world._world, row)
    if status != 0:
        unexpected("a cast", status)
    return world._cast_hits.taken()


@exclusive
def sweep(world: NativeWorld, id: int, motion: Vector, limit: int, hit_when: int) -> bytes | None:
    """The hits of a hitbox that would move; None if it is not there."""
    hits = world._cast_hits
    status = hits.fill(lib.fxs_planes_sweep, world._world, id, motion, limit, hit_when)
    if status == _ABSENT:
        return None
    if status != 0:
        unexpected("a sweep", status)
    return hits.taken()

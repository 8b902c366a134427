"""Arguments of worlds to rows: colliders to add, places, queries and casts; and masks.

An argument of many is a buffer of rows, or a sequence of tuples. An error names its index."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fixsync._native.checks import boolean, counted, integer, integers, shown, uint32
from fixsync._native.raw import INT32_MAX, INT32_MIN, LAYER_COUNT, UINT32_MAX
from fixsync._native.rows import CAST, COLLIDER, POSE, POSITION, QUERY, Buffer, is_buffer, rows_of
from fixsync.world.records import Colliders
from fixsync.world.shapes import (
    Pose,
    Shape,
    hit_when_of,
    motion_of,
    pack_poses,
    require_pose,
    require_shape,
)

NO_OFFSET = (0, 0, 0)
_pack_collider = COLLIDER.pack
_pack_mask = struct.Struct("=3I").pack
_pack_cast = struct.Struct("=3i4I").pack
_pack_position = POSITION.pack

_RECORD = "(id, shape, pose[, layer[, owner[, offset[, active]]]])"
_QUERY = "(shape, pose[, mask[, exclude_owner[, hit_when]]])"
_CAST = "(shape, pose, motion[, mask[, exclude_owner[, limit[, hit_when]]]])"


def offset_of(name: str, offset: Any) -> tuple[int, int, int]:
    """(ox, oy, oz), each an int32."""
    x, y, z = integers(name, ("ox", "oy", "oz"), offset, INT32_MIN, INT32_MAX)
    return x, y, z


def collider_row(
    where: str,
    capacity: int,
    id: Any,
    shape: Any,
    pose: Any,
    layer: Any = 0,
    owner: Any = 0,
    offset: Any = NO_OFFSET,
    active: Any = True,
) -> bytes:
    """The row of a collider to add."""
    require_shape(f"{where}shape", shape)
    require_pose(f"{where}pose", pose)
    kind, half_angle, a, b, c = shape._row
    x, y, z, yaw = pose._row
    ox, oy, oz = offset if offset is NO_OFFSET else offset_of(f"{where}offset", offset)
    id = integer(f"{where}id", id, 0, capacity - 1)
    layer = integer(f"{where}layer", layer, 0, LAYER_COUNT - 1)
    owner = uint32(f"{where}owner", owner)
    boolean(f"{where}active", active)
    return _pack_collider(
        id, kind, layer, active, 0, yaw, half_angle, owner, x, y, z, ox, oy, oz, a, b, c
    )


def collider_rows(capacity: int, records: Buffer | Iterable[Sequence[Any]]) -> bytes:
    """The rows of colliders to add."""
    if isinstance(records, Colliders):
        return bytes(records.buffer)
    if is_buffer(records):
        return rows_of("records", records, COLLIDER.format[1:])
    rows = []
    for i, record in counted("records", records):
        values = _tuple_of(f"records[{i}]", record, 3, 7, _RECORD)
        rows.append(collider_row(f"records[{i}]: ", capacity, *values))
    return b"".join(rows)


def masks_of_yields(yields: Iterable[Iterable[int]]) -> list[int]:
    """32 masks of pairs of layers (i, j): a body of layer i gives way to one of layer j."""
    masks = [0] * LAYER_COUNT
    for n, pair in counted("yields", yields):
        i, j = integers(f"yields[{n}]", ("layer", "to"), pair, 0, LAYER_COUNT - 1)
        masks[i] |= 1 << j
    return masks


def _tuple_of(where: str, value: Any, low: int, high: int, form: str) -> Sequence[Any]:
    if not isinstance(value, (tuple, list)) or not low <= len(value) <= high:
        raise TypeError(f"{where} must be {form}, not {shown(value)}")
    return value


def id_rows(capacity: int, ids: Buffer | Iterable[int]) -> bytes:
    """Ids as uint32."""
    if is_buffer(ids):
        return rows_of("ids", ids, "I")
    numbers = [integer(f"ids[{i}]", id, 0, capacity - 1) for i, id in counted("ids", ids)]
    return struct.pack(f"={len(numbers)}I", *numbers)


def position_rows(positions: Buffer | Iterable[Iterable[int]], ids: bytes) -> bytes:
    """Positions as three int32 each, one for each of `ids`."""
    if is_buffer(positions):
        rows = rows_of("positions", positions, "iii")
    else:
        axes = ("x", "y", "z")
        rows = b"".join(
            _pack_position(*integers(f"positions[{i}]", axes, position, INT32_MIN, INT32_MAX))
            for i, position in counted("positions", positions)
        )
    _same_length("positions", len(rows) // 12, ids)
    return rows


def pose_rows(poses: Buffer | Iterable[Pose], ids: bytes) -> bytes:
    """Poses as `pack_poses` packs them, one for each of `ids`."""
    rows = rows_of("poses", poses, POSE.format[1:]) if is_buffer(poses) else pack_poses(poses)  # type: ignore[arg-type]
    _same_length("poses", len(rows) // POSE.size, ids)
    return rows


def _same_length(name: str, found: int, ids: bytes) -> None:
    if found != len(ids) // 4:
        raise ValueError(f"ids and {name} must have one length, not {len(ids) // 4} and {found}")


def query_row(
    where: str,
    shape: Shape,
    pose: Pose,
    mask: int = UINT32_MAX,
    exclude_owner: int = 0,
    hit_when: int | None = None,
) -> bytes:
    """The row of a query; a hit_when of None is the kernel's 0."""
    least = 0 if hit_when is None else hit_when_of(f"{where}hit_when", hit_when)
    try:
        if type(mask) is int and type(exclude_owner) is int:
            return shape._shape + pose._pose + _pack_mask(mask, exclude_owner, least)
    except (AttributeError, struct.error):
        pass  # the checks below name what is wrong
    require_shape(f"{where}shape", shape)
    require_pose(f"{where}pose", pose)
    numbers = uint32(f"{where}mask", mask), uint32(f"{where}exclude_owner", exclude_owner)
    return shape._shape + pose._pose + _pack_mask(*numbers, least)


def _rows(
    name: str, given: Any, row: struct.Struct, row_of: Callable[..., bytes], *form: Any
) -> bytes:
    if is_buffer(given):
        return rows_of(name, given, row.format[1:])
    rows = []
    for i, entry in counted(name, given):
        where = f"{name}[{i}]"
        rows.append(row_of(f"{where}: ", *_tuple_of(where, entry, *form)))
    return b"".join(rows)


def query_rows(queries: Buffer | Iterable[Sequence[Any]]) -> bytes:
    """The rows of queries."""
    return _rows("queries", queries, QUERY, query_row, 2, 5, _QUERY)


def cast_row(
    where: str,
    shape: Shape,
    pose: Pose,
    motion: Any,
    mask: int = UINT32_MAX,
    exclude_owner: int = 0,
    limit: int = 0,
    hit_when: int | None = None,
) -> bytes:
    """The row of a cast; a hit_when of None is the kernel's 0."""
    vector = motion_of(f"{where}motion", motion)
    least = 0 if hit_when is None else hit_when_of(f"{where}hit_when", hit_when)
    try:
        if type(mask) is int and type(exclude_owner) is int and type(limit) is int:
            numbers = _pack_cast(*vector, mask, exclude_owner, limit, least)
            return shape._shape + pose._pose + numbers
    except (AttributeError, struct.error):
        pass  # the checks below name what is wrong
    require_shape(f"{where}shape", shape)
    require_pose(f"{where}pose", pose)
    more = (
        uint32(f"{where}mask", mask),
        uint32(f"{where}exclude_owner", exclude_owner),
        uint32(f"{where}limit", limit),
    )
    return shape._shape + pose._pose + _pack_cast(*vector, *more, least)


def cast_rows(casts: Buffer | Iterable[Sequence[Any]]) -> bytes:
    """The rows of casts."""
    return _rows("casts", casts, CAST, cast_row, 3, 7, _CAST)

"""A refusal of the kernel as an exception. C decides; this module writes the message."""

from __future__ import annotations

from struct import unpack_from
from typing import Any, NoReturn, Protocol

from fixsync._native.checks import integer, refuse
from fixsync._native.kinds import KINDS, class_name, shape_fault, shape_text
from fixsync._native.raw import (
    INT32_MAX,
    INT32_MIN,
    LAYER_COUNT,
    SIZE_MAX,
    UINT32_MAX,
    YAW_MAX,
    lib,
)
from fixsync._native.rows import CAST, COLLIDER_COLUMNS, POSE, QUERY, SHAPE
from fixsync._native.state import HEAD_SIZE, MAGIC, MAGIC_LEVEL, MAGICS, MASKS_AT, PARTS

_HIT_WHENS = f"{lib.FXS_TOUCHING}..{lib.FXS_OVERLAPPING}"


class CommandError(ValueError):
    """A command of several that a world refused: its index and the reason."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(index, reason)
        self.index = index
        self.reason = reason

    def __str__(self) -> str:
        return f"commands[{self.index}]: {self.reason}"


def unexpected(what: str, status: int) -> NoReturn:
    """RuntimeError: the kernel refused something that was checked, a defect of fixsync."""
    raise RuntimeError(f"{what}: the kernel refused it with status {status}")


# Changes of colliders.


RANGES = {
    "yaw": (0, YAW_MAX),
    "layer": (0, LAYER_COUNT - 1),
    "owner": (0, UINT32_MAX),
    **dict.fromkeys(("x", "y", "z", "ox", "oy", "oz"), (INT32_MIN, INT32_MAX)),
}
"""The numbers of a change whose range is always the same, by name."""


def check_change(where: str, values: dict[str, Any], capacity: int) -> None:
    """Raises for the first number of a change that is out of range by itself."""
    for name, value in values.items():
        if name == "id":
            integer(f"{where}id", value, 0, capacity - 1)
        elif name in RANGES:
            integer(f"{where}{name}", value, *RANGES[name])


def refuse_change(
    where: str, status: int | None, values: dict[str, Any], capacity: int, place: dict[str, int]
) -> NoReturn:
    """The error of a change of a collider. `values`: its numbers, by name. `place`: where the
    collider is, if it is there. `status` is None if a number did not fit its C type."""
    check_change(where, values, capacity)
    id = values["id"]
    if status == lib.FXS_E_ABSENT:
        raise KeyError(f"{where}id {id} is not in the world")
    if status == lib.FXS_E_TAKEN:
        free = f"remove it first, or choose another of 0..{capacity - 1}"
        raise ValueError(f"{where}id {id} is taken: {free}")
    if "kind" in values:
        _refuse_shape(where, tuple(values[c] for c in ("kind", "half_angle", "a", "b", "c")))
    for name, high in (("active", 1), ("zero", 0)):
        if name in values:
            integer(f"{where}{name}", values[name], 0, high)
    if status == lib.FXS_E_CENTRE:
        at = place | values
        position, offset = (at["x"], at["y"], at["z"]), (at["ox"], at["oy"], at["oz"])
        raise ValueError(
            f"{where}id {id}: the centre must be within {INT32_MIN}..{INT32_MAX}: position "
            f"{position} and offset {offset} turned by yaw {at['yaw']} lead outside"
        )
    unexpected(f"{where}change of id {id}", -1 if status is None else status)


def _refuse_shape(where: str, numbers: tuple[int, ...]) -> None:
    fault = shape_fault(numbers)
    if fault:
        raise ValueError(f"{where}{fault[0]} {fault[1]}")


def _refuse_pose(where: str, pose: tuple[int, ...]) -> None:
    if pose[3] > YAW_MAX:
        refuse(f"{where}yaw", pose[3], f"0..{YAW_MAX}")


# Pairs, queries and casts.


def refuse_pair(names: tuple[str, ...], rows: list[bytes], index: int, status: int) -> NoReturn:
    """The error of the pair at `index` of four columns of shapes and poses."""
    for name, column in zip(names, rows, strict=True):
        if name.startswith("shapes"):
            numbers = SHAPE.unpack_from(column, index * SHAPE.size)
            _refuse_shape(f"{name}[{index}]: ", numbers)
        else:
            _refuse_pose(f"{name}[{index}]: ", POSE.unpack_from(column, index * POSE.size))
    unexpected(f"pair {index}", status)


def refuse_question(name: str, rows: bytes, index: int, status: int) -> NoReturn:
    """The error of the query or cast at `index` of rows."""
    where, is_cast = f"{name}[{index}]: ", name == "casts"
    row = CAST if is_cast else QUERY
    numbers = row.unpack_from(rows, index * row.size)
    _refuse_shape(where, numbers[:5])
    if is_cast and not KINDS[numbers[0]].can_cast:
        refuse_undefined("can_cast", (f"{where}shape", numbers[:5]))
    _refuse_pose(where, numbers[5:9])
    if is_cast:
        for axis, part in zip(("mx", "my", "mz"), numbers[9:12], strict=True):
            integer(f"{where}motion: {axis}", part, -SIZE_MAX, SIZE_MAX)
    integer(f"{where}hit_when", numbers[-1], 0, lib.FXS_OVERLAPPING)
    unexpected(f"{name}[{index}]", status)


def refuse_undefined(can: str, *shapes: tuple[str, tuple[int, ...]]) -> NoReturn:
    """The error of the first shape, of names and numbers, that cannot be pushed or cast: `can` is
    "can_push" or "can_cast". If all can, `side` was asked and the last one is not a box."""
    for name, numbers in shapes:
        if not getattr(KINDS[numbers[0]], can):
            *most, last = (class_name(kind.name) for kind in KINDS if getattr(kind, can))
            allowed = f"a {', '.join(most)} or {last}"
            raise ValueError(f"{name} must be {allowed}, not {shape_text(numbers)}")
    name, numbers = shapes[-1]
    raise ValueError(f"{name} must be a Box, not {shape_text(numbers)}")


# Saved states.


class _Level(Protocol):
    def count(self) -> int: ...
    def hash(self) -> int: ...


def refuse_state(data: bytes, at: int, capacity: int, level: _Level | None) -> NoReturn:
    """The error of a saved state whose first broken rule the kernel found at offset `at`."""
    fault = _state_fault(data, at, capacity, level)
    raise ValueError(f"data is not a state that this world can hold: byte {at}: {fault}")


def _state_fault(data: bytes, at: int, capacity: int, level: _Level | None) -> str:
    head_size = HEAD_SIZE + (8 if level else 0)
    size_min = head_size + 4 * len(PARTS)
    if (data[:4] == MAGIC_LEVEL) is (level is None) and data[:4] in MAGICS:
        return _head_fault(data, 0, level)
    if len(data) < size_min:
        return f"a saved state has at least {size_min} bytes, these are {len(data)}"
    if at < head_size:
        return _head_fault(data, at, level)
    start = head_size
    for name, row in PARTS.items():
        if start + 4 > len(data):
            return f"the bytes end before the number of {name}"
        (count,) = unpack_from("<I", data, start)
        left = len(data) - start - 4
        if count > left // row.size:
            return (
                f"{count} {name} of {row.size} bytes each do not fit the {left} bytes that are left"
            )
        end = start + 4 + count * row.size
        if at < end:
            index = max(0, at - start - 4) // row.size
            record = start + 4 + index * row.size
            before = row.unpack_from(data, record - row.size) if index else None
            solids = level.count() if level else 0
            hit_when = unpack_from("<I", data, 8)[0]
            given = row.unpack_from(data, record), before, capacity, solids, hit_when
            return f"{name}[{index}]: {_record_fault(name, *given)}"
        start = end
    return f"{len(data) - start} bytes after the end"


def _head_fault(data: bytes, at: int, level: _Level | None) -> str:
    own, other = (MAGIC, MAGIC_LEVEL) if level is None else (MAGIC_LEVEL, MAGIC)
    if data[:4] == other:
        return (
            "it is of a world with a level; this world has none"
            if level is None
            else "it is of a world without a level; this world has one"
        )
    if at < 4:
        return f"a saved state begins with {own!r}, not with {data[:4]!r}"
    if level is not None and at == HEAD_SIZE:
        (found,) = unpack_from("<Q", data, HEAD_SIZE)
        return f"its level is {found:016x}; this world's is {level.hash():016x}"
    if at < MASKS_AT:
        return f"hit_when must be {_HIT_WHENS}, not {unpack_from('<I', data, 8)[0]}"
    masks = unpack_from(f"<{LAYER_COUNT}I", data, MASKS_AT)
    i = (at - MASKS_AT) // 4
    layers = range(LAYER_COUNT)
    j = next((j for j in layers if (masks[i] >> j ^ masks[j] >> i) & 1), i)
    return f"the layer masks are not symmetric: {i} and {j} disagree whether they meet"


def _record_fault(
    name: str,
    row: tuple[int, ...],
    before: tuple[int, ...] | None,
    capacity: int,
    solids: int,
    hit_when: int,
) -> str:
    if name == "colliders" and (before is None or row[0] > before[0]):
        values = dict(zip(COLLIDER_COLUMNS, row, strict=True))
        try:  # as one to add
            refuse_change("", lib.FXS_E_CENTRE, values, capacity, {})
        except ValueError as error:
            return str(error)
    first = lib.FXS_LEVEL
    or_solid = f" or b {first}..{first + solids - 1}," if solids else ""
    rule = {
        "colliders": "ids must ascend",
        "hits": f"pairs must ascend, a < b < {capacity},{or_solid} both colliders or changed ids, "
        f"and the contact must be {hit_when}..{lib.FXS_OVERLAPPING}",
        "changed": f"ids must ascend and be 0..{capacity - 1}",
    }[name]
    found, after = (", ".join(map(str, numbers or ())) for numbers in (row, before))
    return f"{rule}, not {found}{after and f' after {after}'}"

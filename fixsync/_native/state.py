"""Saved states as rows of fields, and the fields that differ: thin over the kit's differences."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Any, NamedTuple, TypeAlias

from fixsync._native.kinds import KINDS
from fixsync._native.raw import LAYER_COUNT, UINT64_MAX, CData, constant, ffi, lib, uninitialised
from fixsync._native.rows import COLLIDER, HIT

GroupKey: TypeAlias = tuple["str | int", ...]
"""The object that a group of fields belongs to: ("world",), ("collider", 7), ("hit", 3, 9),
("fighter", 0)."""

Value: TypeAlias = int | str | bool

MAGICS = MAGIC, MAGIC_LEVEL = b"FXS1", b"FXS2"
"""The first bytes of a world's saved state: without a level, and with one."""

HEAD_SIZE = 140
"""Bytes before the level's hash, which only a world with a level has, and the parts: the magic, the
frame, hit_when, the layer matrix."""
MASKS_AT = 12
PARTS = {
    "colliders": Struct(f"<{COLLIDER.format[1:]}"),
    "hits": Struct(f"<{HIT.format[1:]}"),
    "changed": Struct("<I"),
}
"""After the head: the number of records of each part, and the records. state.c decides; this is for
messages."""

_ROW = Struct("=4I2q2I")
_ROWS = ffi.typeof("fxs_difference[]")
_ROWS_AT_FIRST = 64

_OWNERS = {
    constant("OF_WORLD"): "world",
    constant("OF_COLLIDER"): "collider",
    constant("OF_HIT"): "hit",
    constant("OF_CHANGED"): "changed",
}
_HIT = constant("OF_HIT")
_WORLD = constant("OF_WORLD")
_PRESENT = constant("FIELD_PRESENT")
_LAYERS = constant("FIELD_LAYERS")
_FIELD = "FXS_FIELD_"
_FIELDS = {
    **{
        getattr(lib, name): name.removeprefix(_FIELD).lower()
        for name in dir(lib)
        if name.startswith(_FIELD)
    },
    **{constant("FIELD_SIZE") + i: f"size[{i}]" for i in range(3)},
    **{_LAYERS + i: f"layers[{i}]" for i in range(LAYER_COUNT)},
}
_SHOWN: dict[int, Any] = {
    constant("FIELD_KIND"): lambda value: KINDS[value].name,
    constant("FIELD_LEVEL"): lambda value: f"{value & UINT64_MAX:016x}",
    constant("FIELD_ACTIVE"): lambda value: bool(value) if value < 2 else value,
    constant("FIELD_SINCE_LAST_STEP"): bool,
    **{_LAYERS + i: lambda value: f"{value:#010x}" for i in range(LAYER_COUNT)},
}
"""How the values of some fields are shown; the others are numbers."""


class Row(NamedTuple):
    """A field of two states. A value is None in a state that does not have the field."""

    key: GroupKey
    field: str | None
    """None: one state does not have the object; its value is None, the other's True."""
    values: tuple[Value | None, Value | None]


def state_end(data: bytes, start: int = 0) -> int:
    """The offset behind the saved state that begins at `start`. ValueError if there is none."""
    end = ffi.new("uint64_t *")
    if lib.fxs_state_end(ffi.from_buffer(data) + start, len(data) - start, end) != 0:
        raise ValueError(f"not a saved state: byte {end[0]}")
    return start + int(end[0])


def state_fields(data: bytes) -> dict[GroupKey, dict[str, Value]]:
    """The fields of a checked saved state."""
    groups: dict[GroupKey, dict[str, Value]] = {}
    at = ffi.new("uint64_t *")
    rows = _taken(lib.fxs_state_fields, (data, len(data)), at)
    last, group = None, {}
    for of, a, b, field, value, _, _, _ in _ROW.iter_unpack(rows):
        if (of, a, b) != last:
            last = of, a, b
            group = groups[_key(of, a, b)] = {}
        shown = _SHOWN.get(field)
        group[_FIELDS[field]] = value if shown is None else shown(value)
    return groups


def state_differences(first: bytes, second: bytes) -> Iterator[Row]:
    """The fields that differ between two checked saved states."""
    at = ffi.new("uint64_t *")
    rows = _taken(lib.fxs_state_differences, (first, len(first), second, len(second)), at)
    for of, a, b, field, x, y, no_x, no_y in _ROW.iter_unpack(rows):
        key = _key(of, a, b)
        if field == _PRESENT:
            yield Row(key, None, (None if no_x else True, None if no_y else True))
            continue
        shown = _SHOWN.get(field, int)
        yield Row(key, _FIELDS[field], (None if no_x else shown(x), None if no_y else shown(y)))


def _key(of: int, a: int, b: int) -> GroupKey:
    return (_OWNERS[of],) if of == _WORLD else ("hit", a, b) if of == _HIT else (_OWNERS[of], a)


def _taken(call: Any, args: tuple[Any, ...], at: CData) -> bytes:
    """The rows that a function of the kit writes. ValueError for bytes that are not a state."""
    room = _ROWS_AT_FIRST
    count = ffi.new("uint64_t *")
    while True:
        rows = uninitialised(_ROWS, room)
        status = call(*args, rows, room, count, at)
        if status == 0:
            return bytes(ffi.buffer(rows, int(count[0]) * _ROW.size))
        if status != lib.FXS_E_ROOM:
            raise ValueError(f"not a saved state: byte {at[0]}")
        room = int(count[0])

"""Saved states as named fields, and the differences of two of them.

A state is a list of objects in a fixed order, each with its fields in a fixed order: the world, then
every collider, hit and changed id, then those of the simulation. Only the bytes are
read; the kernel is not called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from struct import Struct, unpack_from
from typing import NamedTuple, TypeAlias

from fixsync._native.kinds import KINDS

__all__ = [
    "ABSENT",
    "ANGLES",
    "LENGTHS",
    "Difference",
    "Key",
    "StateFields",
    "byte_fields",
    "decimal",
    "difference_lines",
    "differences",
    "found_fields",
    "world_fields",
]

Key: TypeAlias = tuple["str | int", ...]
"""What a group of fields belongs to: ("world",), ("collider", 7), ("hit", 3, 9), ("fighter", 0)."""

Value: TypeAlias = int | str | bool
StateFields: TypeAlias = Mapping[Key, Mapping[str, Value]]

ABSENT = "absent"
"""The value shown for the field of an object that only the other state has."""

_LINES_MAX = 12
_WITH_LEVEL = b"FXS2"
MAGICS = (b"FXS1", _WITH_LEVEL)
"""The first bytes of a world's saved state: without a level, and with one."""
_MAGIC = re.compile(b"FXS[12]")
_COLLIDER = Struct("<IBBBBHHI9i")
_HIT = Struct("<III")
SIZES = {kind.name: tuple(size.name for size in kind.sizes) for kind in KINDS}
"""The sizes of each kind of shape, in the order of its class's arguments."""

LENGTHS = frozenset({"x", "y", "z", "ox", "oy", "oz"}.union(*SIZES.values()) - {"half_angle"})
"""Fields of a collider that are Q16.16."""
ANGLES = frozenset({"yaw", "half_angle"})
"""Fields of a collider in steps of which 65536 are a turn."""


def decimal(numerator: int, denominator: int, digits: int) -> str:
    """A fraction rounded to so many digits after the point, without zeros at its end; in
    integers.
    """
    scaled, rest = divmod(abs(numerator) * 10**digits, denominator)
    scaled += 2 * rest >= denominator
    whole, part = divmod(scaled, 10**digits)
    tail = f".{part:0{digits}}".rstrip("0").rstrip(".")
    return f"{'-' if numerator < 0 and scaled else ''}{whole}{tail}"


def world_fields(state: bytes) -> dict[Key, dict[str, Value]]:
    """The fields of the bytes of `World.save`. ValueError for bytes that a world would not load."""
    if state[:4] not in MAGICS:
        raise ValueError(f"a saved state begins with FXS1 or FXS2, not with {state[:4]!r}")
    fields, end = _world(state, 0)
    if end != len(state):
        raise ValueError(f"{len(state) - end} bytes after the end of a saved state")
    return fields


def _world(state: bytes, at: int) -> tuple[dict[Key, dict[str, Value]], int]:
    """The fields of the world saved at an offset, and the offset of its end. ValueError if it ends
    early."""
    fields: dict[Key, dict[str, Value]] = {}
    try:
        frame, hit_when, *masks = unpack_from("<II32I", state, at + 4)
        fields["world",] = {
            "frame": frame,
            "hit_when": hit_when,
            **{f"layers[{i}]": f"{mask:#010x}" for i, mask in enumerate(masks)},
        }
        has_level = state[at : at + 4] == _WITH_LEVEL
        at += 140
        if has_level:
            (level,) = unpack_from("<Q", state, at)
            fields["world",]["level"] = f"{level:016x}"
            at += 8
        (count,) = unpack_from("<I", state, at)
        at += 4
        for _ in range(count):
            key, values = _collider(*_COLLIDER.unpack_from(state, at))
            fields[key] = values
            at += _COLLIDER.size
        (count,) = unpack_from("<I", state, at)
        at += 4
        for _ in range(count):
            a, b, contact = _HIT.unpack_from(state, at)
            fields["hit", a, b] = {"contact": contact}
            at += _HIT.size
        (count,) = unpack_from("<I", state, at)
        for id in unpack_from(f"<{count}I", state, at + 4):
            fields["changed", id] = {"since_last_step": True}
        at += 4 + 4 * count
    except Exception as error:  # struct.error, or a count that no memory holds
        raise ValueError(f"a saved state that ends early: {error}") from None
    if at > len(state):
        raise ValueError("a saved state that ends early")
    return fields, at


def _collider(*row: int) -> tuple[Key, dict[str, Value]]:
    id, kind, layer, active, zero, yaw, half_angle, owner, x, y, z, ox, oy, oz, *sizes = row
    if kind >= len(KINDS):
        raise ValueError(f"collider {id}: kind {kind}")
    name = KINDS[kind].name
    names = SIZES[name]
    has_angle = "half_angle" in names
    parts = dict(zip([part for part in names if part != "half_angle"], sizes, strict=False))
    values: dict[str, Value] = {
        "kind": name,
        **{part: half_angle if part == "half_angle" else parts[part] for part in names},
        "x": x,
        "y": y,
        "z": z,
        "yaw": yaw,
        "ox": ox,
        "oy": oy,
        "oz": oz,
        "layer": layer,
        "owner": owner,
        "active": bool(active) if active < 2 else active,
    }
    # What must be 0, told where it is not.
    unused = {f"size[{i}]": size for i, size in enumerate(sizes) if i >= len(parts)}
    unused.update({"zero": zero, **({} if has_angle else {"half_angle": half_angle})})
    values.update({part: value for part, value in unused.items() if value})
    return ("collider", id), values


def byte_fields(state: bytes) -> dict[Key, dict[str, Value]]:
    """For a state of unknown form: its size and its bytes, sixteen to a field, by offset."""
    rows: dict[Key, dict[str, Value]] = {("state",): {"size": len(state)}}
    for at in range(0, len(state), 16):
        rows["bytes", at] = {"hex": state[at : at + 16].hex()}
    return rows


def found_fields(state: bytes) -> dict[Key, dict[str, Value]]:
    """For a state of unknown form: the fields of the world that was saved within it, and the bytes
    before and after that world, sixteen to a field, by their offset there. Without a world, all
    bytes."""
    for found in _MAGIC.finditer(state):
        at = found.start()
        try:
            fields, end = _world(state, at)
        except ValueError:
            continue
        for name, part in (("bytes before the world", state[:at]), ("bytes after it", state[end:])):
            for offset in range(0, len(part), 16):
                fields[name, offset] = {"hex": part[offset : offset + 16].hex()}
        return fields
    return byte_fields(state)


class Difference(NamedTuple):
    """A field that is not the same in two states."""

    key: Key
    field: str
    values: tuple[Value, Value]
    """In the first state and in the second."""

    @property
    def owner(self) -> str:
        """The owner of the field as text: "collider 7", "hit 3, 9"."""
        name, *ids = self.key
        return f"{name} {', '.join(map(str, ids))}" if ids else str(name)

    def __str__(self) -> str:
        return self.told({})

    def told(self, names: Mapping[int, str]) -> str:
        """The difference as text. `names`: names of ids, as far as they have one."""
        first, second = self.values
        return f"{self.owner}{self._named(names)}, {self.field}: {first} and {second}{self._in_units()}"

    def _named(self, names: Mapping[int, str]) -> str:
        if self.key[0] not in ("collider", "hit", "changed"):
            return ""
        known = [names[id] for id in self.key[1:] if isinstance(id, int) and id in names]
        return f" ({', '.join(known)})" if known else ""

    def _in_units(self) -> str:
        """Both values of a collider's length or angle as people think of them; raw units are
        small.
        """
        first, second = self.values
        if self.key[0] != "collider" or not (isinstance(first, int) and isinstance(second, int)):
            return ""
        if self.field in LENGTHS:
            return f" ({decimal(first, 65536, 5)} and {decimal(second, 65536, 5)} units)"
        if self.field in ANGLES:
            return f" ({decimal(first * 360, 65536, 3)}° and {decimal(second * 360, 65536, 3)}°)"
        return ""


def differences(first: StateFields, second: StateFields) -> Iterator[Difference]:
    """The differences, in the order of the fields. An object that one of them lacks is one
    difference.
    """
    groups = {
        name: i for i, name in enumerate(dict.fromkeys(key[0] for key in chain(first, second)))
    }

    def place(key: Key) -> tuple[object, ...]:
        return groups[key[0]], *((isinstance(part, str), part) for part in key[1:])

    for key in sorted(dict.fromkeys(chain(first, second)), key=place):
        if key not in first or key not in second:
            has = ["present" if key in fields else ABSENT for fields in (first, second)]
            yield Difference(key, "is there", (has[0], has[1]))
            continue
        a, b = first[key], second[key]
        if a == b:
            continue
        for field in dict.fromkeys(chain(a, b)):
            values = a.get(field, ABSENT), b.get(field, ABSENT)
            if values[0] != values[1]:
                yield Difference(key, field, values)


def difference_lines(
    found: Sequence[Difference], names: Mapping[int, str] | None = None
) -> list[str]:
    """The first 12 differences as text, and how many more there are. `names`: as for `told`."""
    lines = [difference.told(names or {}) for difference in found[:_LINES_MAX]]
    more = len(found) - _LINES_MAX
    return [*lines, f"and {more} more"] if more > 0 else lines

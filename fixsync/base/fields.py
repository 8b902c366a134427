"""Saved states as named fields, and the differences of two of them.

A state is a list of objects in a fixed order, each with its fields in a fixed order: the world, then
every collider, hit and changed id, then those of the simulation. The kit reads and compares the
world's bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from fixsync._native.kinds import KINDS
from fixsync._native.state import MAGICS, state_differences, state_end, state_fields
from fixsync._native.state import GroupKey as GroupKey
from fixsync._native.state import Value as Value
from fixsync.base.numbers import decimal

__all__ = [
    "ABSENT",
    "ANGLES",
    "LENGTHS",
    "Difference",
    "GroupKey",
    "StateFields",
    "byte_fields",
    "difference_lines",
    "differences",
    "found_fields",
    "world_fields",
]

StateFields: TypeAlias = Mapping[GroupKey, Mapping[str, Value]]

ABSENT = "absent"
"""The value shown for the field of an object that only the other state has."""

_LINES_MAX = 12
_GROUPS = ("world", "collider", "hit", "changed")
_MAGIC = re.compile(b"|".join(MAGICS))
SIZES = {kind.name: tuple(size.name for size in kind.sizes) for kind in KINDS}
"""The sizes of each kind of shape, in the order of its class's arguments."""

LENGTHS = frozenset({"x", "y", "z", "ox", "oy", "oz"}.union(*SIZES.values()) - {"half_angle"})
"""Fields of a collider that are Q16.16."""
ANGLES = frozenset({"yaw", "half_angle"})
"""Fields of a collider in steps of which 65536 are a turn."""


class _Saved(Mapping[GroupKey, Mapping[str, Value]]):
    """The fields of a world's saved state, and of the bytes before and after it. The kit compares
    two of them; they are read when one is asked for its fields."""

    def __init__(self, state: bytes, before: bytes = b"", after: bytes = b"") -> None:
        self.state = state
        self.around = {
            **_bytes_by_offset("bytes before the world", before),
            **_bytes_by_offset("bytes after it", after),
        }

    @cached_property
    def _groups(self) -> dict[GroupKey, dict[str, Value]]:
        return {**state_fields(self.state), **self.around}

    def __getitem__(self, key: GroupKey) -> dict[str, Value]:
        return self._groups[key]

    def __iter__(self) -> Iterator[GroupKey]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def __repr__(self) -> str:
        return repr(self._groups)


def world_fields(state: bytes) -> StateFields:
    """The fields of the bytes of `World.save`. ValueError for bytes that a world would not load."""
    if state[:4] not in MAGICS:
        raise ValueError(f"a saved state begins with FXS1 or FXS2, not with {state[:4]!r}")
    end = state_end(state)
    if end != len(state):
        raise ValueError(f"{len(state) - end} bytes after the end of a saved state")
    return _Saved(state)


def _bytes_by_offset(name: str, data: bytes) -> dict[GroupKey, dict[str, Value]]:
    if data.isascii() and (text := data.decode()).isprintable():
        return {(name, at): {"text": text[at : at + 16]} for at in range(0, len(text), 16)}
    return {(name, at): {"hex": data[at : at + 16].hex()} for at in range(0, len(data), 16)}


def byte_fields(state: bytes) -> dict[GroupKey, dict[str, Value]]:
    """For a state of unknown form: its size and its bytes, sixteen to a field, by offset."""
    return {("state",): {"size": len(state)}, **_bytes_by_offset("bytes", state)}


def found_fields(state: bytes) -> StateFields:
    """For a state of unknown form: the fields of the world that was saved within it, and the bytes
    before and after that world, sixteen to a field, by their offset there. Without a world, all
    bytes."""
    for found in _MAGIC.finditer(state):
        at = found.start()
        try:
            end = state_end(state, at)
        except ValueError:
            continue
        return _Saved(state[at:end], state[:at], state[end:])
    return byte_fields(state)


class Difference(NamedTuple):
    """A field that is not the same in two states."""

    key: GroupKey
    field: str
    values: tuple[Value, Value]
    """In the first state and in the second."""

    @property
    def owner(self) -> str:
        """The owner of the field as text: "collider 7", "hit 3, 9"."""
        name, *ids = self.key
        return f"{name} {', '.join(map(str, ids))}" if ids else str(name)

    def __str__(self) -> str:
        return self.text({})

    def text(self, names: Mapping[int, str]) -> str:
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
    """The differences: the world, colliders, hits, changed ids, then the groups of a game as they
    first appear; in a group by key. An object that one of them lacks is one difference.
    """
    if isinstance(first, _Saved) and isinstance(second, _Saved):
        for key, field, (a, b) in state_differences(first.state, second.state):
            if field is None:
                yield _presence(key, a is not None, b is not None)
            else:
                shown = ABSENT if a is None else a, ABSENT if b is None else b
                yield Difference(key, field, shown)
        yield from differences(first.around, second.around)
        return
    found = dict.fromkeys(key[0] for key in chain(first, second))
    groups = {name: i for i, name in enumerate(dict.fromkeys((*_GROUPS, *found)))}

    def place(key: GroupKey) -> tuple[object, ...]:
        return groups[key[0]], *((isinstance(part, str), part) for part in key[1:])

    for key in sorted(dict.fromkeys(chain(first, second)), key=place):
        if key not in first or key not in second:
            yield _presence(key, key in first, key in second)
            continue
        one, other = first[key], second[key]
        if one == other:
            continue
        for name in dict.fromkeys(chain(one, other)):
            values = one.get(name, ABSENT), other.get(name, ABSENT)
            if values[0] != values[1]:
                yield Difference(key, name, values)


def _presence(key: GroupKey, in_first: bool, in_second: bool) -> Difference:
    has = ["present" if is_there else ABSENT for is_there in (in_first, in_second)]
    return Difference(key, "is there", (has[0], has[1]))


def difference_lines(
    found: Sequence[Difference], names: Mapping[int, str] | None = None
) -> list[str]:
    """The first 12 differences as text, and how many more there are. `names`: as for `text`."""
    lines = [difference.text(names or {}) for difference in found[:_LINES_MAX]]
    more = len(found) - _LINES_MAX
    return [*lines, f"and {more} more"] if more > 0 else lines

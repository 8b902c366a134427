"""Changes of shapes for `whatif`: `sword.radius += 10%`, and recorded commands with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from msgspec.structs import astuple

from fixsync._native import kernel
from fixsync._native.kinds import KINDS, KINDS_BY_NAME
from fixsync._native.raw import INT32_MAX, INT32_MIN, TURN
from fixsync._native.rows import POSE, SHAPE
from fixsync.base.names import Names
from fixsync.base.numbers import ONE, decimal
from fixsync.log.schema import (
    SHAPES,
    Add,
    Command,
    Remove,
    SetActive,
    SetLayer,
    SetOffset,
    SetShape,
)
from fixsync.world.level import LEVEL
from fixsync.world.world import World

__all__ = ["FIELDS", "FOLLOWED", "Altered", "Rewriter", "Setting"]

ANGLE, REACH = "half_angle", "reach"
_OFFSET = ("ox", "oy", "oz")
_SECTOR = "sector"
FIELDS = (*dict.fromkeys(size.name for kind in KINDS for size in kind.sizes), *_OFFSET, REACH)
"""The fields that a setting can change."""
_PLACING = frozenset({Add, SetShape, SetOffset, SetLayer})
FOLLOWED = _PLACING | {Remove, SetActive}
"""The types of commands that matter for settings and attacks."""

_SETTING = re.compile(r"\s*(.+?)\.([a-z_]+)\s*(\+=|-=|=)\s*([+-]?[0-9.]+)\s*([a-z%°]*)\s*")
_FORM = "expected SELECTION.FIELD = VALUE, with += or -= for a change: sword.radius += 10%"

Offset = tuple[int, int, int]


class Geometry(NamedTuple):
    """The parts of a collider that settings change, as a log has them."""

    shape: Any
    """A row of the schema."""
    offset: Offset


class Setting:
    """A change of one field of the colliders of a selection.

    `SELECTION.FIELD OP VALUE`: an id, a name or a glob over names, or `layer` with a name or a
    number; a size, `ox`, `oy`, `oz` or `reach`; `=`, `+=` or `-=`; a number of units, or with a
    suffix `%` (of the recorded value), `deg` (of an angle) or `r` (raw units or yaw steps)."""

    def __init__(self, text: str) -> None:
        """ValueError for a text that is not a setting."""
        found = _SETTING.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not a setting: {_FORM}")
        selection, self.field, self._operator, number, suffix = found.groups()
        self.text = text.strip()
        if self.field not in FIELDS:
            raise ValueError(f"{self.text}: {self.field!r} is not one of {', '.join(FIELDS)}")
        times, plus = self._amount(number, suffix)
        self._divisor = times.denominator * plus.denominator
        self._factor = int(times * self._divisor)
        self._add = int(plus * self._divisor)
        layer = re.fullmatch(r"layer\s+(.+)", selection)
        self._layer = layer[1] if layer else None
        self._names = "" if layer else selection
        self._id = int(selection) if selection.isascii() and selection.isdecimal() else None
        if selection.startswith("solid ") or (self._id is not None and self._id >= LEVEL):
            raise ValueError(f"{self.text}: a solid of a level cannot be changed")

    def __repr__(self) -> str:
        return f"<Setting {self.text}>"

    def _amount(self, number: str, suffix: str) -> tuple[Fraction, Fraction]:
        """The factor of the recorded value, and the raw units to add after it."""
        try:
            value = Fraction(number)
        except ValueError:
            raise ValueError(f"{self.text}: {number!r} is not a number") from None
        is_angle = self.field == ANGLE
        if suffix == "%":
            part = value / 100
            sign = {"=": 0, "+=": 1, "-=": -1}[self._operator]
            return (1 + sign * part if sign else part), Fraction(0)
        if suffix == "r":
            if value.denominator != 1:
                raise ValueError(f"{self.text}: raw units are whole numbers, not {number}")
        elif suffix in ("deg", "°") and is_angle:
            value *= Fraction(TURN, 360)
        elif is_angle:
            raise ValueError(f"{self.text}: an angle needs deg, % or r: {number}deg")
        elif suffix:
            allowed = "deg, % or r" if is_angle else "nothing for units, % or r"
            raise ValueError(f"{self.text}: after the number can be {allowed}, not {suffix!r}")
        else:
            value *= ONE
        if self._operator == "=":
            return Fraction(0), value
        return Fraction(1), value if self._operator == "+=" else -value

    def may_select(self, id: int, names: Names) -> bool:
        """Whether it changes the collider of an id on some layer."""
        return self._layer is not None or self.selects(id, 0, names)

    def selects(self, id: int, layer: int, names: Names) -> bool:
        """Whether it changes the collider of an id on a layer."""
        if self._layer is not None:
            if self._layer.isascii() and self._layer.isdecimal():
                return layer == int(self._layer)
            return fnmatchcase(names.layers.get(layer, ""), self._layer)
        if self._id is not None:
            return id == self._id
        return id in names.ids and fnmatchcase(names.ids[id], self._names)

    def value(self, recorded: int) -> int:
        """The changed value, rounded to the nearest integer, of two the even one."""
        whole, rest = divmod(recorded * self._factor + self._add, self._divisor)
        return whole + (2 * rest + (whole & 1) > self._divisor)

    def changed(self, geometry: Geometry) -> Geometry | None:
        """A collider with the change; None if it does not have the field. ValueError for a value
        out of its range."""
        shape, offset = geometry
        kind = KINDS_BY_NAME[shape.__struct_config__.tag]
        count = len(kind.sizes)
        values = [*astuple(shape), *offset]
        if self.field == REACH:
            self._set_reach(values, count, kind.name)
            changed: tuple[int, ...] = (0, count)
        else:
            at = _place(kind.name, self.field)
            if at is None:
                return None
            values[at] = self.value(values[at])
            changed = (at,)
        for at in changed:
            _require(*_range(kind.name, at), values[at])
        if kind.hole is not None and (fault := kind.hole_fault(values[:count])):
            raise ValueError(f"{kind.hole.name} {fault}")
        return Geometry(type(shape)(*values[:count]), (values[-3], values[-2], values[-1]))

    def _set_reach(self, values: list[int], ox: int, kind: str) -> None:
        """Moves the front, which is where the offset points to along x, else +x; the back stays. A
        sector's back is its apex. The first size changes, and with it how far a shape reaches."""
        if kind == _SECTOR:
            front = abs(values[ox]) + values[0]
            values[0] += self.value(front) - front
            return
        side = -1 if values[ox] < 0 else 1
        ahead, behind = _ends(kind, values[:ox], side)
        front = side * values[ox] + ahead
        reach = self.value(front)
        long = ahead + behind
        size = round(Fraction(values[0] * (long + reach - front), long))
        _require(*_range(kind, 0), size)
        values[0] = size
        values[ox] = side * (reach - _ends(kind, values[:ox], side)[0])

    def similar(self, names: Names) -> str:
        """Names that the log has, for a selection that found nothing."""
        if self._layer is not None:
            known = sorted(set(names.layers.values()))
            return f"layers with names: {', '.join(known) or 'none'}"
        known = sorted(set(names.ids.values()))
        if not known:
            return "the log has no names: give an id"
        return f"names: {', '.join(get_close_matches(self._names, known, 5, 0.3) or known[:5])}"


def _ends(kind: str, sizes: Sequence[int], side: int) -> tuple[int, int]:
    """How far a shape with yaw 0 is from its centre along x, on a side and on the other one."""
    shape = SHAPE.pack(*KINDS_BY_NAME[kind].of_tuple(sizes))
    vertices = kernel.outline(shape, POSE.pack(0, 0, 0, 0), 4)[0]
    along = [side * x for x, _ in vertices]
    return max(along), -min(along)


@cache
def _place(kind: str, field: str) -> int | None:
    """Where a field is in the sizes of a kind and the offset after them."""
    names = [*(size.name for size in KINDS_BY_NAME[kind].sizes), *_OFFSET]
    return names.index(field) if field in names else None


@cache
def _range(kind: str, at: int) -> tuple[str, int, int]:
    """The name of a value of these, and its range."""
    sizes = KINDS_BY_NAME[kind].sizes
    if at < len(sizes):
        return sizes[at].name, sizes[at].low, sizes[at].high
    return _OFFSET[at - len(sizes)], INT32_MIN, INT32_MAX


def _require(name: str, low: int, high: int, value: int) -> None:
    if not low <= value <= high:
        least, most, found = (value_text(name, raw) for raw in (low, high, value))
        raise ValueError(f"{name} must be {low}..{high} ({least} to {most}), not {value} ({found})")


class Altered(NamedTuple):
    """A value that a setting changed, in raw units or yaw steps."""

    id: int
    field: str
    recorded: int
    changed: int


class Rewriter:
    """Rewrites the commands of a match with the settings."""

    def __init__(self, settings: Sequence[Setting], names: Names) -> None:
        self.ids: set[int] = set()
        """Of colliders that were changed."""
        self.altered: dict[str, dict[tuple[int, str], Altered]] = {one.text: {} for one in settings}
        """The first change of each field of a collider by each setting."""
        self._noted: set[tuple[str, int, str]] = set()
        self.recorded: dict[int, Geometry] = {}
        """The colliders that may be changed, as recorded."""
        self._settings = settings
        self._names = names
        self._may: dict[int, bool] = {}
        self._layers: dict[int, int] = {}
        self._now: dict[int, Geometry] = {}
        """The colliders as they are with the settings."""
        self._targets: dict[Any, Geometry] = {}
        """Those that were computed, by collider."""
        self._chosen: dict[tuple[int, int], list[Setting]] = {}
        """The settings of an id on a layer."""
        self._lacking: dict[str, set[str]] = {one.text: set() for one in settings}
        self._selected: set[str] = set()
        self._frame = 0

    def begin(self, world: World) -> list[Command]:
        """The commands that change the colliders of a world, before any frame."""
        self._frame = world.frame
        found: list[Command] = []
        for one in world.colliders():
            if not self.may_change(one.id):
                continue
            name, *sizes = one.shape.as_tuple()
            self._layers[one.id] = one.layer
            self.recorded[one.id] = self._now[one.id] = Geometry(SHAPES[name](*sizes), one.offset)
            found += self._brought_up(one.id)
        return found

    def rewrite(self, frame: int, commands: Sequence[Command]) -> list[Command]:
        """The commands of a frame, and after them those that change its colliders. ValueError for a
        change that is out of range."""
        self._frame = frame
        placed: dict[int, None] = {}
        for command in commands:
            kind, id = type(command), getattr(command, "id", -1)
            if kind is Remove:
                placed.pop(id, None)
            elif kind in _PLACING and (kind is Add or id in self.recorded) and self.may_change(id):
                self._take(command)
                placed[id] = None
        return [*commands, *chain.from_iterable(map(self._brought_up, placed))]

    def may_change(self, id: int) -> bool:
        """Whether a setting may concern an id."""
        may = self._may.get(id)
        if may is None:
            may = self._may[id] = any(one.may_select(id, self._names) for one in self._settings)
        return may

    def _take(self, command: Any) -> None:
        """A command that adds a collider, or changes its shape, offset or layer."""
        id, parts = command.id, command.__struct_fields__
        if "layer" in parts:
            self._layers[id] = command.layer
        own = {part: getattr(command, part) for part in Geometry._fields if part in parts}
        for known in (self.recorded, self._now):
            known[id] = known[id]._replace(**own) if id in known else Geometry(**own)

    def _brought_up(self, id: int) -> Iterator[Command]:
        """The commands that a collider still needs."""
        target, now = self._target(id), self._now[id]
        self._now[id] = target
        if target.shape != now.shape:
            yield SetShape(id, target.shape)
        if target.offset != now.offset:
            yield SetOffset(id, target.offset)

    def _target(self, id: int) -> Geometry:
        """A collider of now, with the settings."""
        geometry, layer = self.recorded[id], self._layers[id]
        key = id, layer, type(geometry.shape), astuple(geometry.shape), geometry.offset
        if (found := self._targets.get(key)) is not None:
            return found
        for one in self._chosen_for(id, layer):
            try:
                changed = one.changed(geometry)
            except ValueError as error:
                who = f"{self._names.ids[id]!r} (id {id})" if id in self._names.ids else f"id {id}"
                raise ValueError(f"{one.text}: {who}, frame {self._frame}: {error}") from error
            if changed is None:
                self._lacking[one.text].add(geometry.shape.__struct_config__.tag)
            elif changed != geometry:
                self.ids.add(id)
                self._note(one.text, id, geometry, changed)
                geometry = changed
        self._targets[key] = geometry
        return geometry

    def _chosen_for(self, id: int, layer: int) -> list[Setting]:
        found = self._chosen.get((id, layer))
        if found is None:
            found = [one for one in self._settings if one.selects(id, layer, self._names)]
            self._chosen[id, layer] = found
            self._selected.update(one.text for one in found)
        return found

    def _note(self, text: str, id: int, before: Geometry, after: Geometry) -> None:
        tag = before.shape.__struct_config__.tag
        if (text, id, tag) in self._noted:
            return
        self._noted.add((text, id, tag))
        kind = KINDS_BY_NAME[tag]
        fields = (*(size.name for size in kind.sizes), *_OFFSET)
        values = ((*astuple(one.shape), *one.offset) for one in (before, after))
        found = self.altered[text]
        for field, old, new in zip(fields, *values, strict=True):
            if old != new and (id, field) not in found:
                found[id, field] = Altered(id, field, old, new)

    def unselected(self) -> dict[str, str]:
        """The settings that select no collider, and what they could."""
        return {
            one.text: f"{one.text}: no collider is selected; {one.similar(self._names)}"
            for one in self._settings
            if one.text not in self._selected
        }

    def warnings(self) -> Iterator[str]:
        """Of the settings that changed nothing, why."""
        yield from (unselected := self.unselected()).values()
        for one in self._settings:
            if self.altered[one.text] or one.text in unselected:
                continue
            if kinds := self._lacking[one.text]:
                yield f"{one.text}: {_fields_text(sorted(kinds), one.field)}"
            else:
                yield f"{one.text}: every value stays as it is"


def _fields_text(kinds: Sequence[str], field: str) -> str:
    has = "; ".join(
        f"a {kind} has {', '.join(size.name for size in KINDS_BY_NAME[kind].sizes)}"
        for kind in kinds
    )
    return f"no selected shape has {field}: {has}"


def value_text(field: str, raw: int) -> str:
    """A value of a field, in units or degrees."""
    return f"{decimal(raw * 360, TURN, 3)}°" if field == ANGLE else decimal(raw, ONE, 5)


def altered_lines(found: Iterable[Altered], names: Mapping[int, str]) -> list[str]:
    """The values that a setting changed, those that many colliders share in one line."""
    groups: dict[tuple[str, int, int], list[int]] = {}
    for one in found:
        groups.setdefault((one.field, one.recorded, one.changed), []).append(one.id)
    lines = []
    for (field, old, new), ids in groups.items():
        shown = [names.get(id, str(id)) for id in ids[:4]]
        more = [f"{len(ids) - 4} more"] if len(ids) > 4 else []
        values = f"{value_text(field, old)} -> {value_text(field, new)}"
        lines.append(f"{', '.join(shown + more)}: {field} {values}")
    return lines

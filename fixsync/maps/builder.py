"""Outlines of a map become solids in raw units: the only place where a coordinate is rounded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from fixsync._native.raw import INT32_MAX, INT32_MIN, LAYER_COUNT
from fixsync.base.numbers import ONE, decimal
from fixsync.maps.choice import Choice
from fixsync.maps.document import MapError, Value
from fixsync.maps.outlines import Outline
from fixsync.maps.polygons import SPAN_MAX, VERTICES_MAX, pieces_of
from fixsync.maps.side import SlopeError, boxes
from fixsync.world.level import Pillar, Prism, Solid, prism_of

SOLIDS_MAX = 2**17
"""Most solids of a map."""

POINTS_MAX = 2**20
"""Most points of solid polygons and lines, those of templates and tile objects counted for each use."""

CUTTING_MAX = 2**28
"""Most work of cutting polygons of a map: the squares of their numbers of vertices together."""

Ends = tuple[Fraction | int, Fraction | int]


class LimitError(MapError):
    """A map is beyond a limit, or lacks an option that all of it needs: nothing more is read."""


def limit(where: Value, reason: str) -> LimitError:
    return LimitError(where.file, where.path, reason)


def _shown(value: Fraction) -> str:
    """A number for an error, with at most 5 decimals."""
    return decimal(value.numerator, value.denominator, 5)


_EXACT = Fraction(0)
_DECIMAL = re.compile(r"-?[0-9]{1,10}(\.[0-9]{1,100})?", re.ASCII)


def _line(slope: Fraction, start: Fraction) -> tuple[int, int, int]:
    """(a, b, c), so that slope * x + start is (a * x + b) / c."""
    below = lcm(slope.denominator, start.denominator)
    return int(slope * below), int(start * below), below


class Heights(NamedTuple):
    """The ends of a solid in raw units and its layer; `worst`: how far an end was rounded."""

    low: int
    high: int
    layer: int
    worst: Fraction


@dataclass(frozen=True)
class View:
    """How the map lies in the world."""

    pixels_per_unit: int | Fraction | None
    origin: Ends
    z_down: bool
    hidden: bool
    y: Ends | None
    side: bool
    z: Ends
    steps: int | Fraction | None


class Builder:
    """Makes the solids of a map, whose tiles have a width in pixels."""

    def __init__(self, view: View, width: int) -> None:
        self.solids: list[Solid] = []
        self.rounded = 0
        self.rounding = Fraction(0)
        self._view = view
        self._raw = ONE / Fraction(view.pixels_per_unit or width)
        """Raw units of one pixel."""
        ups = (self._raw, self._raw if view.z_down else -self._raw)
        self._axes = [_line(up, -up * start) for up, start in zip(ups, view.origin, strict=True)]
        self._step = None if view.steps is None else max(1, round(view.steps * ONE))
        self._worst = Fraction(0)
        """Greatest rounding of the solid being made."""
        self._points = self._cutting = 0
        self._known: dict[Any, Heights] = {}
        """By what stands in the map."""

    def solid(self, where: Value, outline: Outline, heights: Heights, called: str = "it") -> None:
        """The solids that an outline becomes. `called`: what it is, for an error."""
        low, high, layer, self._worst = heights
        if outline.circle is not None and not self._view.side:
            centre, radius = outline.circle
            x, z = (self._coordinate(where, axis, centre[axis]) for axis in (0, 1))
            self._check_room(where, len(self.solids) + 1)
            try:
                self._add(Pillar(x, z, self._rounded(radius * self._raw), low, high, layer))
            except ValueError as error:
                raise where.fail(f"{error} (raw units)") from None
            return
        count = len(outline.points)
        if count > VERTICES_MAX:
            self._cutting += count * count
        if self._cutting > CUTTING_MAX:
            raise limit(
                where,
                f"with it the squares of the numbers of vertices of the map's polygons add up to "
                f"more than {CUTTING_MAX}",
            )
        vertices = self.vertices(where, outline)
        try:
            made = (
                self._boxes(vertices, layer)
                if self._view.side
                else [prism_of(piece, low, high, layer) for piece in pieces_of(vertices)]
            )
            self._check_room(where, len(self.solids) + len(made))
        except SlopeError:
            raise where.fail(
                f"{called} is a slope, which no solid seen from the side is: --steps HEIGHT makes "
                "steps of it"
            ) from None
        except ValueError as error:
            rounded = " (raw units, after rounding)" if self._worst else " (raw units)"
            raise where.fail(f"{error}{rounded}") from None
        for solid in made:
            self._add(solid)

    def _boxes(self, vertices: list[tuple[int, int]], layer: int) -> list[Prism]:
        near, far = self._depth()
        return [
            prism_of([(a, near), (b, near), (b, far), (a, far)], low, high, layer)
            for a, low, b, high in boxes(vertices, self._step, SOLIDS_MAX - len(self.solids))
        ]

    def _depth(self) -> tuple[int, int]:
        """The ends of the solids of a map seen from the side, along z."""
        near, far = (round(end * ONE) for end in self._view.z)
        if far - near > SPAN_MAX:
            raise ValueError(f"z spans {far - near}; a solid spans at most {SPAN_MAX}")
        return near, far

    def count_points(self, where: Value, count: int) -> None:
        """Called before anything is done with the points."""
        self._points += count
        if self._points > POINTS_MAX:
            raise limit(
                where, f"with it the map has more than {POINTS_MAX} points of polygons and lines"
            )

    @staticmethod
    def _check_room(where: Value, count: int) -> None:
        if count > SOLIDS_MAX:
            raise limit(where, f"with it the map has more than {SOLIDS_MAX} solids")

    def _add(self, solid: Solid) -> None:
        self.solids.append(solid)
        if self._worst:
            self.rounded += 1
            self.rounding = max(self.rounding, self._worst)

    def heights(
        self, where: Value, own: Mapping[str, Value], choice: Choice | int | None
    ) -> Heights:
        """Those of a solid, found before its area is; from the side they mean nothing. `choice`:
        what takes it, or the layer of the world that it gives."""
        layer = choice.layer if isinstance(choice, Choice) else choice
        if layer is None:
            layer = own["layer"].integer(0, LAYER_COUNT - 1) if "layer" in own else 0
        self._worst = _EXACT
        if self._view.side:
            return Heights(0, 1, layer, _EXACT)
        ends = tuple(own[key].value if key in own else None for key in ("y_low", "y_high"))
        key = layer, *ends, *map(type, ends)  # 1 is equal to True
        is_number = all(isinstance(end, (int, str)) or end is None for end in ends)
        if not is_number or key not in self._known:
            low, high = (self._height(where, own, k, i) for i, k in enumerate(("y_low", "y_high")))
            if low >= high:
                raise own.get("y_high", where).expected(
                    f"a number of more than y_low, {_shown(Fraction(low, ONE))}"
                )
            self._known[key] = Heights(low, high, layer, self._worst)
        return self._known[key]

    def _height(self, where: Value, own: Mapping[str, Value], key: str, end: int) -> int:
        """A height in units: a number, or a string with a decimal, as that need not be a float."""
        if key not in own:
            if self._view.y is None:
                raise limit(
                    where,
                    f"it has no {key}: set the property on the object, its layer or the map, or "
                    "give --y LOW,HIGH, or --side if the map is seen from the side",
                )
            return self._rounded(Fraction(self._view.y[end] * ONE))
        value = own[key]
        if isinstance(value.value, str) and _DECIMAL.fullmatch(value.value):
            height = Fraction(value.value)
        else:
            height = value.fraction(-32768, 32768)
        raw = self._rounded(height * ONE)
        if not INT32_MIN <= raw <= INT32_MAX:
            raise value.expected("a number of units of -32768..32767.99998")
        return raw

    def vertices(self, where: Value, outline: Outline) -> list[tuple[int, int]]:
        """The points of an outline in raw units."""
        below, at = outline.below, self._at
        return [(at(where, 0, x, below), at(where, 1, y, below)) for x, y in outline.points]

    def length(self, pixels: Fraction) -> int:
        """A length in raw units. It does not count as rounded: solids do."""
        return round(pixels * self._raw)

    def _coordinate(self, where: Value, axis: int, pixel: Fraction) -> int:
        return self._at(where, axis, pixel.numerator, pixel.denominator)

    def _at(self, where: Value, axis: int, pixel: int, below: int) -> int:
        """The raw unit nearest to pixel / below, of two the even one."""
        times, plus, over = self._axes[axis]
        exact = pixel * times + below * plus
        below *= over
        raw, rest = divmod(exact, below)
        if rest:
            raw += 2 * rest > below or (2 * rest == below and raw % 2 == 1)
            off, worst = abs(exact - raw * below), self._worst
            if off * worst.denominator > worst.numerator * below:
                self._worst = Fraction(off, below)
        if not INT32_MIN <= raw <= INT32_MAX:
            units = _shown(Fraction(raw, ONE))
            name = "x" if axis == 0 else "y" if self._view.side else "z"
            raise where.fail(f"{name} is {units} units, outside -32768..32767.99998")
        return raw

    def _rounded(self, exact: Fraction) -> int:
        """The nearest integer, of two the even one."""
        raw = round(exact)
        self._worst = max(self._worst, abs(exact - raw))
        return raw

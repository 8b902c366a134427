"""The area that an object of Tiled covers: polygons and circles, in pixels of the map, as
fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isqrt

from fixsync.maps.document import Value
from fixsync.maps.polygons import POLYGON_VERTICES_MAX
from fixsync.maps.rotation import Rotation

__all__ = ["AREAS", "Outline", "Place2", "Placing", "kind_of", "outlines"]

Place2 = tuple[Fraction, Fraction]
"""A point of the map, in pixels."""
OVAL_VERTICES = 32
"""Vertices of the polygon that an oval becomes, all of them on it."""
LINE_POINTS_MAX = 2**16
"""Most points of a line that becomes walls: as many as a map has solids."""
AREAS = ("rectangle", "polygon", "ellipse", "capsule")
"""Kinds of objects that have an inside."""


@dataclass(frozen=True)
class Placing:
    """Where the points of an object lie: an affine map from its own pixels to those of the map."""

    x: Fraction = Fraction(0)
    y: Fraction = Fraction(0)
    along: Place2 = (Fraction(1), Fraction(0))
    """Where a step to the right goes."""
    down: Place2 = (Fraction(0), Fraction(1))
    scale: Fraction | None = Fraction(1)
    """Of circles; None if they become ovals."""

    def at(self, x: Fraction | int, y: Fraction | int) -> Place2:
        return (
            self.x + x * self.along[0] + y * self.down[0],
            self.y + x * self.along[1] + y * self.down[1],
        )

    def moved(self, x: Fraction | int, y: Fraction | int) -> Placing:
        return Placing(*self.at(x, y), self.along, self.down, self.scale)

    def turned(self, degrees: Fraction) -> Placing:
        if not degrees:
            return self
        turn, here = Rotation(degrees), Placing(along=self.along, down=self.down)
        steps = (
            turn.turned(*step) for step in ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
        )
        along, down = (here.at(*step) for step in steps)
        return Placing(self.x, self.y, along, down, self.scale)

    def stretched(self, x: Fraction | int, y: Fraction | int) -> Placing:
        along = self.along[0] * x, self.along[1] * x
        down = self.down[0] * y, self.down[1] * y
        size = abs(Fraction(x))
        scale = self.scale * size if self.scale is not None and size == abs(y) else None
        return Placing(self.x, self.y, along, down, scale)

    def swapped(self) -> Placing:
        """Columns become rows."""
        return Placing(self.x, self.y, self.down, self.along, self.scale)


@dataclass(frozen=True)
class Outline:
    """One part of the area of an object. `circle`: the centre and the radius, if it is one."""

    points: Sequence[Place2]
    circle: tuple[Place2, Fraction] | None = None

    def moved(self, x: Fraction, y: Fraction) -> Outline:
        points = [(px + x, py + y) for px, py in self.points]
        if self.circle is None:
            return Outline(points)
        (cx, cy), radius = self.circle
        return Outline(points, ((cx + x, cy + y), radius))


def kind_of(item: Value) -> str:
    """The kind of an object: one of AREAS, "point", "text", "tile object", "polyline" or "flat
    rectangle"."""
    for key, kind in (("point", "point"), ("text", "text"), ("gid", "tile object")):
        if item.get(key, False).value:
            return kind
    if "polygon" in item:
        return "polygon"
    if "polyline" in item:
        ends = item["polyline"].value
        is_closed = isinstance(ends, list) and len(ends) > 3 and ends[0] == ends[-1]
        return "polygon" if is_closed else "polyline"
    width, height = size_of(item)
    if not width or not height:
        return "flat rectangle" if width or height else "point"
    for key in ("ellipse", "capsule"):
        if item.get(key, False).boolean():
            return key
    return "rectangle"


def size_of(item: Value) -> Place2:
    return item.get("width", 0).fraction(0), item.get("height", 0).fraction(0)


def outlines(item: Value, placing: Placing, line_width: Fraction | None) -> list[Outline]:
    """The area that an object covers; `placing` is its corner's. Lines cover something if they have
    a width."""
    kind = kind_of(item)
    width, height = size_of(item)
    if kind == "polygon":
        points = item["polygon" if "polygon" in item else "polyline"]
        found = _vertices(points, placing, POLYGON_VERTICES_MAX + 1)
        # A ring that is closed twice is one that ends where it begins.
        return [Outline(found[:-1] if len(found) > 3 and found[0] == found[-1] else found)]
    if kind == "rectangle":
        ends = ((0, 0), (width, 0), (width, height), (0, height))
        return [Outline([placing.at(*end) for end in ends])]
    if kind in ("ellipse", "capsule"):
        return [_oval(kind, width, height, placing)]
    if kind == "polyline" and line_width:
        return _walls(_vertices(item["polyline"], placing, LINE_POINTS_MAX), line_width)
    if kind == "flat rectangle" and line_width:
        return _walls([placing.at(0, 0), placing.at(width, height)], line_width)
    return []


def _vertices(points: Value, placing: Placing, most: int) -> list[Place2]:
    """The points of a list, which must not have more than so many."""
    count = len(points.value) if isinstance(points.value, list) else 0
    if count > most:
        raise points.fail(f"it has {count} points; at most {most} are taken")
    return [placing.at(p["x"].fraction(), p["y"].fraction()) for p in points.items()]


@cache
def _circle() -> list[Place2]:
    one = Fraction(1), Fraction(0)
    return [Rotation(Fraction(360 * i, OVAL_VERTICES)).turned(*one) for i in range(OVAL_VERTICES)]


def _oval(kind: str, width: Fraction, height: Fraction, placing: Placing) -> Outline:
    """An ellipse, or a capsule: two half circles and the rectangle between them."""
    x, y = width / 2, height / 2
    radius = min(x, y)
    wide, high = (x, y) if kind == "ellipse" else (radius, radius)
    centre = placing.moved(x, y)
    points = [
        centre.at(cos * wide + _sign(cos) * (x - wide), sin * high + _sign(sin) * (y - high))
        for cos, sin in _circle()
    ]
    is_circle = width == height and placing.scale is not None
    circle = (centre.at(0, 0), radius * (placing.scale or 0)) if is_circle else None
    return Outline(points, circle)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _walls(points: Sequence[Place2], width: Fraction) -> list[Outline]:
    """Each stretch of a line as a rectangle, half of the width on either side. At an inner corner
    both go on for half of the width."""
    found = []
    for i, ((ax, ay), (bx, by)) in enumerate(pairwise(points)):
        dx, dy = bx - ax, by - ay
        if not dx and not dy:
            continue
        half = width / 2 / _root(dx * dx + dy * dy)
        before = half if i else 0
        after = half if i + 2 < len(points) else 0
        start = ax - dx * before, ay - dy * before
        end = bx + dx * after, by + dy * after
        side = -dy * half, dx * half
        found.append(
            Outline(
                [
                    (start[0] - side[0], start[1] - side[1]),
                    (end[0] - side[0], end[1] - side[1]),
                    (end[0] + side[0], end[1] + side[1]),
                    (start[0] + side[0], start[1] + side[1]),
                ]
            )
        )
    return found


def _root(value: Fraction) -> Fraction:
    """The square root, within 2^-64 of it and exact for squares of fractions."""
    size = value.numerator * value.denominator
    return Fraction(isqrt(size << 128), value.denominator << 64)

"""The area that an object of a map covers: polygons and circles, in pixels of the map, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isqrt, lcm
from typing import Any, NamedTuple

from fixsync.maps.document import Made, Value
from fixsync.maps.polygons import POLYGON_VERTICES_MAX
from fixsync.maps.rotation import rotation
from fixsync.maps.tmx import Points

Place2 = tuple[Fraction, Fraction]
"""A point of the map, in pixels."""
OVAL_VERTICES = 32
"""Vertices of the polygon that an oval becomes, all of them on it."""
LINE_POINTS_MAX = 2**16
"""Most points of a line that becomes walls."""
_MARKS = frozenset(["point", "text", "gid", "polygon", "polyline", "ellipse", "capsule"])
"""Keys of objects that are not rectangles."""
AREAS = ("rectangle", "polygon", "ellipse", "capsule")
"""Kinds of objects that have an inside."""
LINES = ("polyline", "flat rectangle")
"""Kinds that become walls if lines have a width."""


class Outline(NamedTuple):
    """One part of the area of an object: points in pixels of the map, over `below`. `circle`: the
    centre and the radius, if it is one."""

    points: Sequence[tuple[int, int]]
    below: int
    circle: tuple[Place2, Fraction] | None = None

    def moved(self, x: Fraction, y: Fraction) -> Outline:
        times = lcm(x.denominator, y.denominator)
        below = self.below * times
        by_x, by_y = int(x * below), int(y * below)
        points = [(px * times + by_x, py * times + by_y) for px, py in self.points]
        if self.circle is None:
            return Outline(points, below)
        (cx, cy), radius = self.circle
        return Outline(points, below, ((cx + x, cy + y), radius))


class Placing(NamedTuple):
    """Where the points of an object lie: an affine map from its own pixels to those of the map.

    Its numbers are integers over `below`, which only grows: a fraction would be reduced at every
    step."""

    x: int = 0
    y: int = 0
    along: tuple[int, int] = (1, 0)
    """Where a step to the right goes."""
    down: tuple[int, int] = (0, 1)
    below: int = 1
    scale: Fraction | None = Fraction(1)
    """Of circles; None if they become ovals."""

    def outline(self, points: Iterable[tuple[Fraction | int, Fraction | int]]) -> Outline:
        """The outline of points in the object's own pixels."""
        points = [*points]
        below = lcm(*(number.denominator for point in points for number in point))
        return self.over(
            below,
            [
                (x.numerator * (below // x.denominator), y.numerator * (below // y.denominator))
                for x, y in points
            ],
        )

    def over(self, below: int, points: Iterable[tuple[int, int]]) -> Outline:
        """The same of points over a number of their own."""
        (ax, ay), (dx, dy) = self.along, self.down
        left, top = self.x * below, self.y * below
        found = [(left + x * ax + y * dx, top + x * ay + y * dy) for x, y in points]
        return Outline(found, self.below * below)

    def moved(self, x: Fraction | int, y: Fraction | int) -> Placing:
        if not x and not y:
            return self
        times = lcm(x.denominator, y.denominator)
        across, below = (v.numerator * (times // v.denominator) for v in (x, y))
        (ax, ay), (dx, dy) = self.along, self.down
        return Placing(
            self.x * times + across * ax + below * dx,
            self.y * times + across * ay + below * dy,
            (ax * times, ay * times),
            (dx * times, dy * times),
            self.below * times,
            self.scale,
        )

    def turned(self, degrees: Fraction) -> Placing:
        if not degrees:
            return self
        cos, sin, below = rotation(degrees)
        here = self._replace(x=0, y=0)
        (along, down), _, _ = here.over(1, [(cos, sin), (-sin, cos)])
        return Placing(self.x * below, self.y * below, along, down, self.below * below, self.scale)

    def stretched(self, x: Fraction | int, y: Fraction | int) -> Placing:
        if x == y == 1:
            return self
        times = lcm(x.denominator, y.denominator)
        along, down = _times(self.along, int(x * times)), _times(self.down, int(y * times))
        size = abs(Fraction(x))
        scale = self.scale * size if self.scale is not None and size == abs(y) else None
        return Placing(self.x * times, self.y * times, along, down, self.below * times, scale)

    def swapped(self) -> Placing:
        """Columns become rows."""
        return self._replace(along=self.down, down=self.along)


def _times(step: tuple[int, int], times: int) -> tuple[int, int]:
    return step[0] * times, step[1] * times


def rectangle(placing: Placing, width: Fraction, height: Fraction) -> Outline:
    """A rectangle from the corner of an object."""
    below = lcm(width.denominator, height.denominator)
    right, bottom = (v.numerator * (below // v.denominator) for v in (width, height))
    return placing.over(below, [(0, 0), (right, 0), (right, bottom), (0, bottom)])


def kind_of(item: Value) -> str:
    """The kind of an object: one of AREAS, "point", "text", "tile object", "entity", "polyline" or
    "flat rectangle"."""
    if isinstance(item.value, Made):
        return "entity"
    is_marked, raw = item.has_any(_MARKS), item.raw
    if is_marked:
        for key, kind in (("point", "point"), ("text", "text"), ("gid", "tile object")):
            if raw(key):
                return kind
        if "polygon" in item:
            return "polyline" if _length(raw("polygon")) == 2 else "polygon"
        if "polyline" in item:
            return "polygon" if _is_closed(raw("polyline")) else "polyline"
    width, height = size_of(item)
    if not width or not height:
        return "flat rectangle" if width or height else "point"
    for key in ("ellipse", "capsule") if is_marked else ():
        if raw(key, False) is not False and item[key].boolean():
            return key
    return "rectangle"


def _is_closed(points: Any) -> bool:
    if isinstance(points, Points):
        return points.is_closed
    return isinstance(points, list) and len(points) > 3 and points[0] == points[-1]


def point_count(item: Value, kind: str) -> int:
    """The number of points that an object of a kind lists; of lines, flat rectangles too, 2 or more."""
    if kind == "rectangle":
        return 0
    if kind == "flat rectangle":
        return 2
    return sum(max(2, _length(item.raw(key))) for key in ("polygon", "polyline") if key in item)


def _length(points: Any) -> int:
    if isinstance(points, Points):
        return points.length
    return len(points) if isinstance(points, list) else 0


def size_of(item: Value) -> Place2:
    return item.number("width", 0, 0), item.number("height", 0, 0)


def outlines(
    item: Value, kind: str, placing: Placing, line_width: Fraction | None
) -> list[Outline]:
    """The area that an object of a kind covers, lines if they have a width; `placing`: its corner's."""
    if kind == "polygon":
        points = item["polygon" if "polygon" in item else "polyline"]
        found = _vertices(points, placing, POLYGON_VERTICES_MAX + 1)
        ends = [*found.points[1:], *found.points[:1]]
        # Neighbours in one place are one vertex; a ring may end where it begins.
        ring = [a for a, b in zip(found.points, ends, strict=True) if a != b]
        return [] if len(ring) == 2 else [found._replace(points=ring or found.points[:1])]
    width, height = size_of(item)
    if kind == "rectangle":
        return [rectangle(placing, width, height)]
    if kind in ("ellipse", "capsule"):
        return [_oval(kind, width, height, placing)]
    if kind == "polyline" and line_width:
        points = item["polygon" if "polygon" in item else "polyline"]
        return _walls(_vertices(points, placing, LINE_POINTS_MAX), line_width)
    if kind == "flat rectangle" and line_width:
        return _walls(placing.outline([(0, 0), (width, height)]), line_width)
    return []


def _vertices(points: Value, placing: Placing, most: int) -> Outline:
    """The points of a list, which must not have more than so many."""
    count = _length(points.value)
    if count > most:
        raise points.fail(f"it has {count} points; at most {most} are taken")
    if isinstance(points.value, Points):
        points = Value(points.file, points.path, points.value.split_up())
    return placing.outline((p.number("x"), p.number("y")) for p in points.items())


@cache
def _circle() -> tuple[Sequence[tuple[int, int, int, int]], int]:
    """Points of a circle of radius 1 with the signs of their numbers, and what they are over."""
    turns = [rotation(Fraction(360 * i, OVAL_VERTICES)) for i in range(OVAL_VERTICES)]
    unit = lcm(*(below for _, _, below in turns))
    points = [(cos * unit // below, sin * unit // below) for cos, sin, below in turns]
    return [(x, y, (x > 0) - (x < 0), (y > 0) - (y < 0)) for x, y in points], unit


def _oval(kind: str, width: Fraction, height: Fraction, placing: Placing) -> Outline:
    """An ellipse, or a capsule: two half circles and the rectangle between them."""
    points, unit = _circle()
    times = 2 * lcm(width.denominator, height.denominator)
    x, y = int(width * times) // 2, int(height * times) // 2
    radius = min(x, y)
    wide, high = (x, y) if kind == "ellipse" else (radius, radius)
    more_x, more_y = (x - wide) * unit, (y - high) * unit
    centre = placing.moved(width / 2, height / 2)
    found = centre.over(
        times * unit,
        [
            (cos * wide + right * more_x, sin * high + down * more_y)
            for cos, sin, right, down in points
        ],
    )
    if width != height or placing.scale is None:
        return found
    middle = Fraction(centre.x, centre.below), Fraction(centre.y, centre.below)
    return found._replace(circle=(middle, width / 2 * placing.scale))


def _walls(line: Outline, width: Fraction) -> list[Outline]:
    """Each stretch of a line as a rectangle, half of the width on either side. At an inner corner
    both go on for half of the width.

    A length is within 2^-64 of it, and exact if it is a fraction."""
    found = []
    for i, ((ax, ay), (bx, by)) in enumerate(pairwise(line.points)):
        dx, dy = bx - ax, by - ay
        if not dx and not dy:
            continue
        # Half of the width along the line is (dx, dy) * half / below, over line.below.
        below = 2 * width.denominator * isqrt((dx * dx + dy * dy) << 128)
        half = width.numerator * line.below << 64
        along = dx * half, dy * half
        before = 1 if i else 0
        after = 1 if i + 2 < len(line.points) else 0
        ax, ay, bx, by = (v * below for v in (ax, ay, bx, by))
        ax, ay = ax - along[0] * before, ay - along[1] * before
        bx, by = bx + along[0] * after, by + along[1] * after
        found.append(
            Outline(
                [
                    (ax + along[1], ay - along[0]),
                    (bx + along[1], by - along[0]),
                    (bx - along[1], by + along[0]),
                    (ax - along[1], ay + along[0]),
                ],
                line.below * below,
            )
        )
    return found

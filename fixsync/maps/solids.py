"""Solids of a level: boxes, polygons, tiles."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fixsync._native.checks import boolean, coordinate, counted, integer, integers
from fixsync._native.raw import INT32_MAX, INT32_MIN, SIZE_MAX, YAW_MAX
from fixsync.base.numbers import direction
from fixsync.maps.polygons import convex_pieces
from fixsync.world.level import Prism

Run = tuple[int, int]
"""Filled columns of one row: the first, and the one after the last."""
Rectangle = tuple[int, int, int, int]
"""The first column and row, and those after the last."""

_FILLED = re.compile(b"\x01+")


def box(
    x: int,
    z: int,
    half_x: int,
    half_z: int,
    y_low: int,
    y_high: int,
    *,
    yaw: int = 0,
    layer: int = 0,
) -> Prism:
    """A box as a prism, turned about its centre (x, z) by a yaw.

    Its corners are exact if the yaw is a multiple of a quarter turn (16384). Otherwise each
    coordinate of a corner is rounded to the nearest raw unit, so it is at most half a raw unit from
    where `direction(yaw)` puts it; opposite corners stay opposite. ValueError if a corner is
    outside int32 or the rounded box is not convex, as one of a few raw units may be."""
    x, z = coordinate("x", x), coordinate("z", z)
    half_x, half_z = integer("half_x", half_x, 1, SIZE_MAX), integer("half_z", half_z, 1, SIZE_MAX)
    cos, sin = direction(integer("yaw", yaw, 0, YAW_MAX))
    offsets = []
    for side_x, side_z in ((-half_x, -half_z), (half_x, -half_z)):
        offsets.append((_near(side_x * cos - side_z * sin), _near(side_x * sin + side_z * cos)))
    offsets += [(-dx, -dz) for dx, dz in offsets]
    return Prism([(x + dx, z + dz) for dx, dz in offsets], y_low, y_high, layer)


def _near(value: int) -> int:
    """value / 2^30 to the nearest integer, halves away from zero."""
    size = (abs(value) + 2**29) >> 30
    return -size if value < 0 else size


def polygon(
    vertices: Iterable[Iterable[int]],
    y_low: int,
    y_high: int,
    *,
    holes: Iterable[Iterable[Iterable[int]]] = (),
    layer: int = 0,
) -> list[Prism]:
    """A simple polygon, also with holes, as prisms whose union it is, exactly.

    The rules and the errors are those of `convex_pieces`."""
    return [Prism(piece, y_low, y_high, layer) for piece in convex_pieces(vertices, holes)]


def tiles(
    rows: Iterable[Iterable[bool]],
    x: int,
    z: int,
    size: int,
    y_low: int,
    y_high: int,
    *,
    layer: int = 0,
) -> list[Prism]:
    """The filled cells of a grid, merged into rectangles.

    `rows[r][c]` is the square of `size` raw units whose corner nearest to -X and -Z is
    (x + c * size, z + r * size). Neighbouring filled cells of a row become one rectangle, and so do
    equal ones of successive rows. The rectangles cover the filled cells exactly and share only
    edges."""
    x, z = coordinate("x", x), coordinate("z", z)
    size = integer("size", size, 1, SIZE_MAX)
    runs = {
        r: runs_of(bytes(boolean(f"rows[{r}][{c}]", v) for c, v in counted(f"rows[{r}]", row)))
        for r, row in counted("rows", rows)
    }
    found = []
    for left, low, right, high in rectangles(runs):
        corners = [(left, low), (right, low), (right, high), (left, high)]
        places = [(x + size * c, z + size * r) for c, r in corners]
        for place in places:
            integers(f"the cell at rows[{low}][{left}]", ("x", "z"), place, INT32_MIN, INT32_MAX)
        found.append(Prism(places, y_low, y_high, layer))
    return found


def runs_of(row: bytes) -> list[Run]:
    """The runs of a row whose filled columns are 1, and whose others are 0."""
    return [found.span() for found in _FILLED.finditer(row)]


def rectangles(runs: dict[int, list[Run]]) -> list[Rectangle]:
    """Runs of filled columns, by row, as rectangles: runs that touch are joined, then equal runs of
    successive rows. Sorted by row and column."""
    found: list[Rectangle] = []
    growing: dict[Run, int] = {}
    """The first row of each run that the last row had."""
    last = 0
    for row in [*sorted(runs), None]:
        joined = set() if row is None else {*_joined(runs[row])}
        is_next = row == last + 1
        for run, first in growing.items():
            if not is_next or run not in joined:
                found.append((run[0], first, run[1], last + 1))
        kept = growing if is_next else {}
        if row is not None:
            growing = {run: kept.get(run, row) for run in joined}
            last = row
    return sorted(found, key=lambda r: (r[1], r[0]))


def _joined(runs: list[Run]) -> list[Run]:
    joined: list[Run] = []
    for start, end in sorted(runs):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined

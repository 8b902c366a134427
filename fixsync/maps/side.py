"""A polygon of a map that is seen from the side, as boxes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from fixsync.maps.polygons import Point, pieces_of

Box = tuple[int, int, int, int]
"""Left, low, right and high, in raw units."""


class SlopeError(ValueError):
    """A polygon has an edge that is neither level nor upright."""


def boxes(vertices: Sequence[Point], step: int | None, count_max: int) -> list[Box]:
    """The boxes of a polygon of (x, y) in raw units: from below, then from the left.

    Between two heights at which it has vertices, a polygon of upright edges is boxes, exactly. With
    slopes it is steps of the height `step`, the last one lower, each as wide as the polygon is at
    half the height of the step; SlopeError without `step`. ValueError as `convex_pieces` has it,
    and for more than `count_max` boxes."""
    pieces_of(vertices)
    edges = [
        (a, b) if a[1] < b[1] else (b, a)
        for a, b in zip(vertices, [*vertices[1:], vertices[0]], strict=True)
        if a[1] != b[1]
    ]
    heights = sorted({y for _, y in vertices})
    found: list[Box] = []
    on_top: dict[tuple[int, int, int], int] = {}
    for low, high in pairwise(heights):
        crossed = [(a, b) for a, b in edges if a[1] <= low and b[1] >= high]
        if all(a[0] == b[0] for a, b in crossed):
            _join(found, on_top, [low, high], crossed)
            continue
        if step is None:
            raise SlopeError
        if len(found) + -(-(high - low) // step) * (len(crossed) // 2) > count_max:
            raise ValueError(f"with its steps the map has more than {count_max} solids")
        _join(found, on_top, [*range(low, high, step), high], crossed)
    return found


def _join(
    found: list[Box],
    on_top: dict[tuple[int, int, int], int],
    heights: Sequence[int],
    crossed: Sequence[tuple[Point, Point]],
) -> None:
    """Adds the boxes between heights that the same edges cross. A box goes on upwards if the next
    one is as wide. on_top: the places of boxes in `found`, by left, right and high."""
    for low, high in pairwise(heights):
        ends = sorted(_x_at(edge, Fraction(low + high, 2)) for edge in crossed)
        for left, right in zip(ends[::2], ends[1::2], strict=True):
            if left >= right:
                continue
            place = on_top.pop((left, right, low), len(found))
            if place == len(found):
                found.append((left, low, right, high))
            found[place] = (left, found[place][1], right, high)
            on_top[left, right, high] = place


def _x_at(edge: tuple[Point, Point], y: Fraction) -> int:
    """Where an edge is at a height, to the nearest raw unit."""
    (ax, ay), (bx, by) = edge
    if ax == bx:
        return ax
    return round(ax + (bx - ax) * (y - ay) / (by - ay))

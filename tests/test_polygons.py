"""Polygons as convex pieces: the pieces cover the polygon exactly, and nothing else.

Compared with even-odd tests and brute force that share no code with the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations, product
from math import atan2, gcd
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, cross
from model_level import SPAN_MAX, minus, polygon_fault
from strategies import examples
from tools import each

from fixsync.maps import polygons
from fixsync.maps.polygons import convex_pieces, pieces_of

Point = tuple[int, int]
Ring = Sequence[Point]


def area2(ring: Ring) -> int:
    """Twice the area, positive if it turns from +X towards +Z."""
    return sum(cross(a, b) for a, b in edges(ring))


def edges(ring: Ring) -> list[tuple[Point, Point]]:
    return [(ring[i - 1], ring[i]) for i in range(len(ring))]


def is_on(p: Point, a: Point, b: Point) -> bool:
    return (
        cross(minus(b, a), minus(p, a)) == 0
        and min(a[0], b[0]) <= p[0] <= max(a[0], b[0])
        and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
    )


def is_on_outline(ring: Ring, p: Point) -> bool:
    return any(is_on(p, a, b) for a, b in edges(ring))


def is_within(ring: Ring, p: Point) -> bool:
    """Even-odd, for a point that is on no edge: the edges that a ray along +X crosses."""
    count = 0
    for a, b in edges(ring):
        low, high = sorted((a, b), key=lambda v: v[1])
        if low[1] <= p[1] < high[1]:
            count += cross(minus(high, low), minus(p, low)) > 0
    return count % 2 == 1


def is_covered(piece: Ring, p: Point) -> bool:
    return all(cross(minus(b, a), minus(p, a)) >= 0 for a, b in edges(piece))


def is_simple(ring: Ring) -> bool:
    """By brute force, from the definition."""
    if len(ring) < 3 or len(set(ring)) < len(ring):
        return False
    sides = edges(ring)
    for (i, e), (k, f) in combinations(enumerate(sides), 2):
        shared = set(e) & set(f)
        if k - i in (1, len(sides) - 1):
            (a, b), (c, d) = e, f
            if len(ring) == 3:
                if cross(minus(b, a), minus(next(v for v in f if v not in e), a)) == 0:
                    return False
            elif any(is_on(v, a, b) for v in f if v not in shared) or any(
                is_on(v, c, d) for v in e if v not in shared
            ):
                return False
        elif have_common_point(e, f):
            return False
    return True


def have_common_point(e: tuple[Point, Point], f: tuple[Point, Point]) -> bool:
    (a, b), (c, d) = e, f
    if is_on(a, c, d) or is_on(b, c, d) or is_on(c, a, b) or is_on(d, a, b):
        return True
    ab, cd = minus(b, a), minus(d, c)
    return (
        cross(ab, minus(c, a)) * cross(ab, minus(d, a)) < 0
        and cross(cd, minus(a, c)) * cross(cd, minus(b, c)) < 0
    )


def reflex_count(ring: Ring, *, is_hole: bool = False) -> int:
    sign = 1 if (area2(ring) > 0) != is_hole else -1
    return sum(
        cross(minus(ring[i], ring[i - 1]), minus(ring[(i + 1) % len(ring)], ring[i])) * sign < 0
        for i in range(len(ring))
    )


def check(ring: Ring, holes: Sequence[Ring] = (), points: Iterable[Point] = ()) -> int:
    """The pieces of a polygon are right; returns their number. `points` are tested for lying in
    the union."""
    pieces = convex_pieces(ring, holes)
    given_points = {*ring, *(p for hole in holes for p in hole)}
    for piece in pieces:
        assert 3 <= len(piece) <= 32
        assert polygon_fault(piece) == ""
        assert set(piece) <= given_points
    # The right total, and no point where it should not be: then no two pieces overlap either.
    whole = abs(area2(ring)) - sum(abs(area2(hole)) for hole in holes)
    assert sum(area2(piece) for piece in pieces) == whole
    for p in points:
        outlined = is_on_outline(ring, p) or any(is_on_outline(hole, p) for hole in holes)
        inside = is_within(ring, p) and not any(is_within(hole, p) for hole in holes)
        count = sum(is_covered(piece, p) for piece in pieces)
        assert (count > 0) == (outlined or inside), p
    reflex = reflex_count(ring) + sum(reflex_count(hole, is_hole=True) for hole in holes)
    if len(given_points) <= 32:
        assert len(pieces) <= 2 * reflex + 1
    return len(pieces)


@pytest.mark.parametrize("count", [3, 4, 5, pytest.param(6, marks=pytest.mark.full)])
def test_every_simple_polygon_of_a_small_grid_is_covered_exactly_and_every_other_refused(
    count: int,
) -> None:
    """All closed ways over the points of a 3x3 grid."""
    scale = 4  # so that points between the vertices are tested as well
    grid = [(x * scale, z * scale) for x, z in product(range(3), range(3))]
    points = list(product(range(-1, 2 * scale + 2), repeat=2))
    counts = {True: 0, False: 0}
    for first, *rest in permutations(grid, count):
        ring = [first, *rest]
        if first != min(ring):
            continue  # another start of one that was tested
        simple = is_simple(ring)
        counts[simple] += 1
        if simple:
            check(ring, points=points[sum(map(sum, ring)) % 7 :: 7])
        else:
            with pytest.raises(ValueError, match=r"vertices"):
                convex_pieces(ring)
    assert counts[True] == {3: 152, 4: 284, 5: 480, 6: 552}[count]


@st.composite
def star_shaped(draw: st.DrawFn, size: int = 1000, most: int = 40) -> list[Point]:
    """Sorted by angle round the origin, at any distance."""
    points = draw(
        st.lists(
            st.tuples(st.integers(-size, size), st.integers(-size, size)),
            min_size=3,
            max_size=most,
            unique=True,
        )
    )
    by_direction = {(x // gcd(x, z), z // gcd(x, z)): (x, z) for x, z in points if (x, z) != (0, 0)}
    return sorted(by_direction.values(), key=lambda p: atan2(p[1], p[0]))


@st.composite
def untangled(draw: st.DrawFn, size: int, most: int) -> list[Point]:
    """Any points in any order, and edges that cross turned round until none does."""
    numbers = st.integers(-size, size)
    ring = draw(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=most, unique=True))
    for _ in range(200):
        sides = [(ring[i], ring[(i + 1) % len(ring)]) for i in range(len(ring))]
        crossing = next(
            (
                (i, k)
                for (i, e), (k, f) in combinations(enumerate(sides), 2)
                if not set(e) & set(f) and have_common_point(e, f)
            ),
            None,
        )
        if crossing is None:
            break
        i, k = crossing
        ring[i + 1 : k + 1] = ring[i + 1 : k + 1][::-1]
    return ring


@st.composite
def cells(draw: st.DrawFn, size: int = 7) -> list[Point]:
    """The outline of connected cells without a hole: many right angles and straight vertices."""
    filled = {(0, 0)}
    for _ in range(draw(st.integers(0, 25))):
        x, z = draw(st.sampled_from(sorted(filled)))
        dx, dz = draw(st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1)]))
        if abs(x + dx) <= size and abs(z + dz) <= size:
            filled.add((x + dx, z + dz))
    sides = set()
    for x, z in filled:
        for side in edges([(x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)]):
            sides ^= {side[::-1]} if side[::-1] in sides else {side}
    ways = dict(sides)
    if len(ways) < len(sides):
        return [(0, 0), (1, 0), (1, 1)]  # two cells share a corner alone
    start = min(ways)
    ring = [start]
    while ways[ring[-1]] != start:
        ring.append(ways[ring[-1]])
    if len(ring) < len(ways):
        return [(0, 0), (1, 0), (1, 1)]  # it has a hole
    return [(3 * x, 3 * z) for x, z in ring]


@examples(300)
@given(star_shaped() | untangled(30, 14) | untangled(10**9 // 4, 12) | untangled(6, 16) | cells())
def test_random_polygons_are_covered_exactly_in_both_turning_senses(ring: list[Point]) -> None:
    if not is_simple(ring):
        with pytest.raises(ValueError, match=r"vertices"):
            convex_pieces(ring)
        return
    near = {(x + dx, z + dz) for x, z in ring for dx, dz in product((-1, 0, 1), repeat=2)}
    middles = {((a[0] + b[0]) // 2, (a[1] + b[1]) // 2) for a, b in combinations(ring, 2)}
    points = sorted(near | middles)[:200]
    check(ring, points=points)
    check(ring[::-1], points=points)


@pytest.mark.full
@examples(200)
@given(st.lists(untangled(8, 6), min_size=1, max_size=4), st.data())
def test_random_polygons_with_holes_are_covered_exactly_or_refused(
    shapes: list[list[Point]], data: st.DataObject
) -> None:
    outer = data.draw(st.sampled_from([[(-40, -40), (40, -40), (40, 40), (-40, 40)]]) | cells(7))
    holes = []
    for shape in shapes:
        dx, dz = data.draw(st.tuples(st.integers(-30, 30), st.integers(-30, 30)))
        holes.append([(x + dx, z + dz) for x, z in shape])
    rings = [outer, *holes]
    right = all(map(is_simple, rings))
    right = right and not any(
        have_common_point(e, f)
        for one, two in combinations(rings, 2)
        for e, f in product(edges(one), edges(two))
    )
    right = right and all(is_within(outer, hole[0]) for hole in holes)
    right = right and not any(is_within(a, b[0]) for a, b in permutations(holes, 2))
    if not right:
        with pytest.raises(ValueError, match=r"vertices|holes"):
            convex_pieces(outer, holes)
        return
    check(outer, holes, [(x, z) for x in range(-42, 43, 3) for z in range(-41, 43, 3)])


@pytest.mark.parametrize("count", [3, 31, 32, 33, 62, 63, 200])
def test_a_convex_polygon_is_cut_only_where_it_has_more_than_32_vertices(count: int) -> None:
    """n corners need (n - 2) / 30 pieces, rounded up; merging may need a few more."""
    ring = [(i * i, i * 1000 - i) for i in range(count)]
    assert is_simple(ring) or count == 200
    found = check(ring)
    least = -(-(count - 2) // 30)
    assert found == 1 if count <= 32 else least <= found <= 2 * least


def test_a_cross_and_a_comb_have_few_pieces() -> None:
    cross_ = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2),
              (0, 1), (1, 1)]  # fmt: skip
    assert check(cross_) <= 5
    comb = [(0, 0)]
    for i in range(10):
        comb += [(4 * i + 2, 50), (4 * i + 4, 0)]
    comb += [(40, -10), (0, -10)]
    assert check(comb) <= 11 + 9


def test_the_first_vertex_of_a_piece_and_the_order_of_pieces_are_those_of_the_polygon() -> None:
    assert convex_pieces([(0, 4), (0, 0), (4, 0), (4, 4)]) == [[(0, 4), (0, 0), (4, 0), (4, 4)]]
    assert convex_pieces([(0, 4), (4, 4), (4, 0), (0, 0)]) == [[(0, 4), (0, 0), (4, 0), (4, 4)]]
    assert convex_pieces([(0, 0), (2, 0), (4, 0), (0, 4)]) == [[(0, 0), (4, 0), (0, 4)]]


def test_the_ends_of_int32_and_the_widest_polygon() -> None:
    low, high = INT32_MIN, INT32_MIN + SPAN_MAX
    check([(low, low), (high, low), (high, high), (low + 1, high), (low + 1, low + 1)])
    end = INT32_MAX - SPAN_MAX
    check([(end, INT32_MAX), (INT32_MAX, INT32_MAX), (INT32_MAX, INT32_MAX - 1)])


@each(
    ("ring", "holes", "message"),
    [
        ([(0, 0), (1, 0)], [], "vertices must be at least 3 vertices, not 2"),
        ([(0, 0), (1, 0), (1, 1), (1, 0)], [], r"vertices\[3\], \(1, 0\), repeats vertices\[1\]"),
        ([(0, 0), (2, 2), (1, 1)], [], r"vertices\[0\], \(0, 0\): .* lie on each other"),
        ([(0, 0), (4, 4), (4, 0), (0, 4)], [],
         r"the edge from vertices\[0\], \(0, 0\), to \(4, 4\), meets the edge from vertices\[2\]"),
        ([(0, 0), (4, 0), (4, 4), (2, 0)], [], r"vertices\[0\], \(0, 0\): .* lie on each other"),
        ([(0, 0), (2**30 - 1, 0), (0, 9)], [], r"1073741823 apart in x; .* at most 1073741822"),
        ([(0, 0), (9, 0), (0, 2**31)], [], r"vertices\[2\]: z must be -2147483648..2147483647"),
        ([(0, 0), (9, 0), (0, 9)], [[(8, 8), (9, 8), (9, 9)]], r"holes\[0\]\[0\].* not inside"),
        ([(0, 0), (9, 0), (0, 9)], [[(0, 0), (2, 1), (1, 2)]], r"holes\[0\]\[0\].* is also vert"),
        ([(0, 0), (9, 0), (0, 9)], [[(1, 0), (2, 1), (1, 2)]], r"meets the edge from"),
        ([(0, 0), (99, 0), (0, 99)], [[(1, 1), (30, 1), (1, 30)], [(3, 3), (4, 3), (3, 4)]],
         r"holes\[1\]\[0\], \(3, 3\), is inside holes\[0\]"),
    ],
)  # fmt: skip
def test_what_is_not_simple_is_refused_with_vertex_and_rule(
    ring: Ring, holes: Sequence[Ring], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        convex_pieces(ring, holes)


def test_a_float_is_refused() -> None:
    with pytest.raises(TypeError, match=r"vertices\[1\]: x must be an integer, not the float 1.5"):
        convex_pieces([(0, 0), (1.5, 0), (0, 1)])  # type: ignore[list-item]


def zigzag(count: int) -> list[tuple[int, int]]:
    """A thin strip with no more than two ears at any time."""
    upper = [(10 * i, i % 2 * 1000) for i in range(count // 2)]
    return upper + [(x, z - 5) for x, z in upper[::-1]]


def test_a_polygon_has_at_most_4096_vertices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before its edges are compared."""
    monkeypatch.setattr(polygons, "_check_edges", lambda _rings: pytest.fail("it was cut"))
    with pytest.raises(ValueError, match="the polygon has 4098 vertices; at most 4096 are cut"):
        convex_pieces(zigzag(4098))
    square = [(-9, -9999), (99999, -9999), (99999, 9999), (-9, 9999)]
    with pytest.raises(ValueError, match="the polygon has 4100 vertices with its holes"):
        convex_pieces(square, [zigzag(4096)])


CIRCLE = [(x, z) for x in range(-65, 66) for z in range(-65, 66) if x * x + z * z == 65 * 65]
"""36 points, all corners of their hull."""


@examples(400)
@given(
    st.permutations(range(36)) | st.just([*range(36)]),
    st.integers(3, 36),
    st.integers(0, 35),
    st.sampled_from([1, 2, 3, 5, -1, -2, 7]),
    st.sampled_from([1, 2**22]),
)
def test_a_polygon_that_is_convex_already_is_the_piece_that_cutting_gives(
    order: list[int], count: int, start: int, step: int, scale: int
) -> None:
    """Among them stars that turn one way but more than once, and polygons in any order."""
    ring = sorted(CIRCLE, key=lambda p: atan2(p[1], p[0]))
    points = [ring[order[(start + step * i) % 36]] for i in range(count)]
    points = [(x * scale, z * scale) for x, z in dict.fromkeys(points)]
    assert found(pieces_of, points) == found(convex_pieces, points)


def found(cut: Any, points: list[Point]) -> Any:
    """The pieces, or the error."""
    try:
        return cut(points)
    except ValueError as error:
        return str(error)

"""A simple polygon, also with holes, as convex pieces that cover exactly the same points.

Integers only, and only the polygon's own vertices, so nothing is rounded: ear clipping, bridges to
the holes, then Hertel and Mehlhorn's merging of the triangles."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop

from fixsync._native.checks import counted, integers
from fixsync._native.raw import INT32_MAX, INT32_MIN

Point = tuple[int, int]
"""(x, z) in raw units."""

Edge = tuple[Point, Point]
Triangle = tuple[Point, Point, Point]

VERTICES_MAX = 32
"""Most vertices of a prism."""
POLYGON_VERTICES_MAX = 4096
"""Most vertices of a polygon, those of its holes included."""
SPAN_MAX = 2**30 - 2
"""Greatest extent of a prism on each axis."""


def convex_pieces(
    vertices: Iterable[Iterable[int]], holes: Iterable[Iterable[Iterable[int]]] = ()
) -> list[list[Point]]:
    """Convex polygons of 3..32 vertices whose union is the polygon without its holes, exactly.

    Vertices are (x, z) in raw units, in either turning sense; a vertex on a straight line is
    allowed, and left out. The pieces share edges, and every corner of them is a vertex of the
    polygon or of a hole. Each turns from +X towards +Z and begins with the vertex that was given
    first. At most `2 * r + 1` pieces for r reflex vertices, unless a piece would have more than 32
    vertices. The time grows with the square of the number of vertices.

    ValueError, with the vertex and the rule, for a polygon or hole that is not simple (a vertex
    repeated, edges that cross or touch, an area of zero), for a polygon that spans more than
    2^30 - 2 on an axis, or has more than 4096 vertices with its holes, and for a hole that is not
    inside the polygon or meets another hole."""
    rings = [_Ring("vertices", vertices)]
    rings += [_Ring(f"holes[{i}]", hole) for i, hole in counted("holes", holes)]
    count = sum(len(ring.points) for ring in rings)
    if count > POLYGON_VERTICES_MAX:
        with_holes = " with its holes" if len(rings) > 1 else ""
        raise ValueError(
            f"the polygon has {count} vertices{with_holes}; at most {POLYGON_VERTICES_MAX} are cut"
        )
    _check_edges(rings)
    outer, inner = rings[0], rings[1:]
    _check_span(outer)
    for ring in inner:
        _check_place(ring, outer, inner)
    chain = _bridged(outer.turned(left=True), [ring.turned(left=False) for ring in inner])
    order = {point: i for i, point in enumerate(p for ring in rings for p in ring.points)}
    pieces = [_from_first(_corners(piece), order) for piece in _merged(_triangles(chain))]
    return sorted(pieces, key=lambda piece: [order[point] for point in piece])


def pieces_of(points: Sequence[Point]) -> list[list[Point]]:
    """`convex_pieces` of a polygon without holes whose coordinates are known to be int32. One that
    is convex already, as most are, is neither checked edge by edge nor cut."""
    return [_convex(points)] if _is_convex(points) else convex_pieces(points)


def _is_convex(points: Sequence[Point]) -> bool:
    """Whether a polygon is a prism's: strictly convex, once round, 3..32 vertices, not too wide."""
    if not 3 <= len(points) <= VERTICES_MAX:
        return False
    (ax, az), (bx, bz) = points[-2:]
    turn = changes = 0
    for cx, cz in points:
        cross = (bx - ax) * (cz - bz) - (bz - az) * (cx - bx)
        if cross == 0 or (turn and (cross > 0) != (turn > 0)):
            return False
        # Edges turn one way, each by less than half a turn: once round if they change twice between
        # the half of the directions that go right and the half that go left.
        is_right = cx > bx or (cx == bx and cz > bz)
        changes += is_right != (bx > ax or (bx == ax and bz > az))
        turn = cross
        ax, az, bx, bz = bx, bz, cx, cz
    spans = (max(line) - min(line) for line in zip(*points, strict=True))
    return changes == 2 and max(spans) <= SPAN_MAX


def _convex(points: Sequence[Point]) -> list[Point]:
    """A convex polygon, turning from +X towards +Z and beginning with the same vertex."""
    is_left = _cross(*points[:3]) > 0
    return [*points] if is_left else [points[0], *points[:0:-1]]


def _cross(o: Point, a: Point, b: Point) -> int:
    """cross(a - o, b - o): positive if b lies to the left of the line from o to a."""
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def _corners(ring: Sequence[Point]) -> list[Point]:
    """The vertices that are not on the line of their neighbours."""
    return [p for i, p in enumerate(ring) if _cross(ring[i - 1], p, ring[(i + 1) % len(ring)])]


def _edges(ring: Sequence[Point]) -> Iterator[Edge]:
    return zip(ring, [*ring[1:], *ring[:1]], strict=True)


class _Ring:
    """The outline of a polygon or of a hole, as it was given."""

    def __init__(self, name: str, vertices: Iterable[Iterable[int]]) -> None:
        self.name = name
        self.points: list[Point] = []
        self.places: dict[Point, int] = {}
        """The index of each vertex."""
        for i, vertex in counted(name, vertices):
            x, z = integers(f"{name}[{i}]", ("x", "z"), vertex, INT32_MIN, INT32_MAX)
            if (x, z) in self.places:
                first = self.places[x, z]
                raise ValueError(f"{name}[{i}], {(x, z)}, repeats {name}[{first}]")
            self.places[x, z] = i
            self.points.append((x, z))
        if len(self.points) < 3:
            raise ValueError(f"{name} must be at least 3 vertices, not {len(self.points)}")
        for i, b in enumerate(self.points):
            a, c = self.points[i - 1], self.points[(i + 1) % len(self.points)]
            along = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
            if _cross(a, b, c) == 0 and along < 0:
                raise ValueError(f"{self.at(b)}: the edges to its neighbours lie on each other")
        self.corners = _corners(self.points)
        self._z = range(*(end(z for _, z in self.points) for end in (min, max)))

    def at(self, point: Point) -> str:
        """A vertex for an error."""
        return f"{self.name}[{self.places[point]}], {point}"

    def turned(self, *, left: bool) -> list[Point]:
        """The corners, with the ring's inside to the left or to the right of its edges."""
        area = sum(a[0] * b[1] - a[1] * b[0] for a, b in _edges(self.corners))
        return self.corners if (area > 0) == left else self.corners[::-1]

    def contains(self, point: Point) -> bool:
        """Whether the ring is round a point that lies on none of its edges."""
        inside = False
        if point[1] not in self._z:
            return inside
        for a, b in _edges(self.corners):
            if (a[1] > point[1]) != (b[1] > point[1]):
                inside ^= (_cross(a, b, point) > 0) == (b[1] > a[1])
        return inside


def _check_span(ring: _Ring) -> None:
    for axis in (0, 1):
        low, high = (end(ring.points, key=lambda p: p[axis]) for end in (min, max))
        if high[axis] - low[axis] > SPAN_MAX:
            raise ValueError(
                f"{ring.at(low)}, and {ring.at(high)}, are {high[axis] - low[axis]} apart in "
                f"{'xz'[axis]}; a polygon spans at most {SPAN_MAX}"
            )


def _check_edges(rings: Sequence[_Ring]) -> None:
    """ValueError if two edges have a point in common that is not the vertex between them."""
    edges = [(edge, ring) for ring in rings for edge in _edges(ring.corners)]
    edges.sort(key=lambda entry: min(entry[0]))
    open_edges: list[tuple[int, int, int, Edge, _Ring]] = []
    """Ends in x and z of those that may reach the next edge."""
    for edge, ring in edges:
        (ax, az), (bx, bz) = edge
        left, right = (ax, bx) if ax < bx else (bx, ax)
        low, high = (az, bz) if az < bz else (bz, az)
        ux, uz = bx - ax, bz - az
        line = ux * az - uz * ax
        open_edges = [entry for entry in open_edges if entry[0] >= left]
        # Of long slanted edges most boxes meet, but few edges have a point on the line of another.
        near = [
            (other, other_ring)
            for _, bottom, top, other, other_ring in open_edges
            if bottom <= high
            and top >= low
            and (
                (c := ux * other[0][1] - uz * other[0][0]) == line
                or (d := ux * other[1][1] - uz * other[1][0]) == line
                or (c > line) != (d > line)
            )
        ]
        for other, other_ring in near:
            shared = {*edge} & {*other}
            if shared and ring is not other_ring:
                point = min(shared)
                raise ValueError(f"{ring.at(point)}, is also {other_ring.at(point)}")
            if not shared and _meet(edge, other):
                one, two = sorted(
                    f"{r.at(e[0])}, to {e[1]}" for r, e in ((ring, edge), (other_ring, other))
                )
                raise ValueError(f"the edge from {one}, meets the edge from {two}")
        open_edges.append((right, low, high, edge, ring))


def _meet(e: Edge, f: Edge) -> bool:
    """Whether two segments have a point in common."""
    ((ax, az), (bx, bz)), ((cx, cz), (dx, dz)) = e, f
    if (ax < cx > bx and ax < dx > bx) or (ax > cx < bx and ax > dx < bx):
        return False
    if (az < cz > bz and az < dz > bz) or (az > cz < bz and az > dz < bz):
        return False
    return _cuts(e, f) and _cuts(f, e)


def _cuts(e: Edge, f: Edge) -> bool:
    """Whether the line of e has a point in common with the segment f."""
    one, two = _cross(*e, f[0]), _cross(*e, f[1])
    return one == 0 or two == 0 or (one > 0) != (two > 0)


def _check_place(hole: _Ring, outer: _Ring, holes: Sequence[_Ring]) -> None:
    point = hole.points[0]
    if not outer.contains(point):
        raise ValueError(f"{hole.at(point)}, is not inside the polygon")
    for other in holes:
        if other is not hole and other.contains(point):
            raise ValueError(f"{hole.at(point)}, is inside {other.name}")


def _bridged(chain: list[Point], holes: Sequence[list[Point]]) -> list[Point]:
    """One outline: each hole is joined to it by an edge that is walked both ways."""
    edges = [edge for ring in (chain, *holes) for edge in _edges(ring)]
    for hole in sorted(holes, key=min):
        start = hole.index(min(hole))
        hole = [*hole[start:], *hole[:start]]
        at = next(at for at in _nearest(chain, hole[0]) if _is_bridge(chain, at, hole, edges))
        edges.append((chain[at], hole[0]))
        chain = [*chain[: at + 1], *hole, hole[0], *chain[at:]]
    return chain


def _nearest(chain: Sequence[Point], point: Point) -> Iterator[int]:
    """The places of the chain, the nearest to the point first."""
    px, pz = point
    places = [((x - px) ** 2 + (z - pz) ** 2, i) for i, (x, z) in enumerate(chain)]
    heapify(places)
    while places:
        yield heappop(places)[1]


def _is_bridge(
    chain: Sequence[Point], at: int, hole: Sequence[Point], edges: Iterable[Edge]
) -> bool:
    """Whether the segment from chain[at] to hole[0] lies inside and meets no other edge."""
    ends = chain[at], hole[0]
    return (
        _is_inward(chain[at - 1], chain[at], chain[(at + 1) % len(chain)], hole[0])
        and _is_inward(hole[-1], hole[0], hole[1], chain[at])
        and not any(_meet(ends, edge) and not {*ends} & {*edge} for edge in edges)
    )


def _is_inward(a: Point, b: Point, c: Point, point: Point) -> bool:
    """Whether the way from b to the point begins inside, to the left of the edges ab and bc."""
    if _cross(a, b, c) > 0:
        return _cross(a, b, point) > 0 and _cross(b, c, point) > 0
    return _cross(a, b, point) > 0 or _cross(b, c, point) > 0


def _triangles(chain: Sequence[Point]) -> Iterator[Triangle]:
    """Cuts ears off the outline until a triangle is left.

    By the two ears theorem there is always one. An ear holds no vertex but its own; if it held
    one, that farthest from the cut would not be strictly convex, so only such are looked at."""
    count = len(chain)
    before = [count - 1, *range(count - 1)]
    after = [*range(1, count), 0]
    convex = [_cross(chain[before[i]], chain[i], chain[after[i]]) > 0 for i in range(count)]
    others = sorted((*chain[i], i) for i in range(count) if not convex[i])
    # A vertex becomes an ear only when one of its neighbours goes.
    is_no_ear = [False] * count
    at = 0
    while count > 3:
        while True:
            a, b, c = chain[before[at]], chain[at], chain[after[at]]
            if convex[at] and not is_no_ear[at]:
                if not _holds_one(others, a, b, c):
                    break
                is_no_ear[at] = True
            at = after[at]
        yield a, b, c
        left, right = before[at], after[at]
        after[left], before[right] = right, left
        for i in (left, right):
            is_no_ear[i] = False
            is_convex = _cross(chain[before[i]], chain[i], chain[after[i]]) > 0
            if is_convex and not convex[i]:
                del others[bisect_left(others, (*chain[i], i))]
            elif convex[i] and not is_convex:
                insort(others, (*chain[i], i))
            convex[i] = is_convex
        count -= 1
        at = after[right]
    yield chain[before[at]], chain[at], chain[after[at]]


def _holds_one(others: Sequence[tuple[int, int, int]], a: Point, b: Point, c: Point) -> bool:
    """Whether a triangle holds one of some points, sorted, that is not a corner of it."""
    (left, _), _, (right, _) = sorted((a, b, c))
    low, _, high = sorted((a[1], b[1], c[1]))
    found = others[bisect_left(others, (left,)) : bisect_left(others, (right + 1,))]
    return any(_is_within((x, z), a, b, c) for x, z, _ in found if low <= z <= high)


def _is_within(point: Point, a: Point, b: Point, c: Point) -> bool:
    """Whether a point that is not a corner of the triangle lies in it or on its edge."""
    return (
        _cross(c, a, point) >= 0
        and _cross(a, b, point) >= 0
        and _cross(b, c, point) >= 0
        and point not in (a, b, c)
    )


def _merged(triangles: Iterable[Triangle]) -> Iterable[list[Point]]:
    """Joins pieces over a common edge wherever the result is convex.

    A piece may have vertices on a straight line until all are joined. An edge that cannot go now
    cannot go later, because angles and numbers of corners only grow: once round is enough."""
    pieces: dict[int, list[Point]] = {i: list(t) for i, t in enumerate(triangles)}
    owner = {edge: i for i, piece in pieces.items() for edge in _edges(piece)}
    for p, q in [edge for edge in owner if edge < edge[::-1] and edge[::-1] in owner]:
        one, two = owner[p, q], owner[q, p]
        joined = [*_from(pieces[one], q), *_from(pieces[two], p)[1:-1]]
        place = len(pieces[one]) - 1  # of p; q is the first
        convex = all(
            _cross(joined[i - 1], joined[i], joined[(i + 1) % len(joined)]) >= 0 for i in (0, place)
        )
        if convex and len(_corners(joined)) <= VERTICES_MAX:
            del owner[p, q], owner[q, p], pieces[two]
            pieces[one] = joined
            owner.update((edge, one) for edge in _edges(joined))
    return pieces.values()


def _from(piece: Sequence[Point], point: Point) -> list[Point]:
    """The piece, beginning with this vertex."""
    at = piece.index(point)
    return [*piece[at:], *piece[:at]]


def _from_first(piece: Sequence[Point], order: dict[Point, int]) -> list[Point]:
    """The piece, beginning with its first vertex in this order."""
    return _from(piece, min(piece, key=order.__getitem__))

# ruff: noqa: N802, N803, N806, SIM300 - the names and the order of the contract's own formulas.
"""The contract in plain Python integers: the oracle that every other answer is checked against.

Written from the contract alone. It imports nothing of fixsync and knows nothing of how the kernel
works: no early outs, no widths, no broad phase, all pairs against all pairs. It is slow on purpose.

A shape is a tuple as in a match log: ("sphere", radius), ("capsule", radius, half_height),
("cylinder", radius, half_height), ("box", half_x, half_y, half_z) or
("sector", radius, half_angle, half_height, inner_radius), the last left out where it is 0. A pose
is (x, y, z, yaw).
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cmp_to_key
from itertools import combinations, pairwise, zip_longest
from math import isqrt
from struct import calcsize, pack, unpack_from
from typing import Any

# What a formula is evaluated over: int, and Surd (below) where the contract says "real numbers".
# The formulas of a contact use only +, -, *, abs and comparisons, which both have.
Real = Any
Shape = tuple[Any, ...]
Pose = tuple[int, int, int, int]
Vec2 = tuple[Any, Any]
Vec3 = tuple[Any, Any, Any]

APART, TOUCHING, OVERLAPPING = 0, 1, 2

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
UINT32_MAX = 2**32 - 1
SIZE_MAX = 2**29 - 1
TURN = 65536
ONE_Q30 = 2**30


# Arguments.


def integer(name: str, value: Any, low: int, high: int) -> int:
    """value as an int of low..high: TypeError for a bool or what has no __index__, else
    ValueError.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    number = operator.index(value)
    if not low <= number <= high:
        raise ValueError(f"{name} must be {low}..{high}, not {number}")
    return number


def integers(name: str, values: Any, count: int, low: int, high: int) -> tuple[int, ...]:
    """values as a tuple of count ints of low..high."""
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be {count} integers, not {values!r}")
    if len(values) != count:
        raise ValueError(f"{name} must be {count} integers, not {len(values)}")
    return tuple(integer(f"{name}[{i}]", value, low, high) for i, value in enumerate(values))


# Numbers.

# Angles are computed in fixed point with FINE fraction bits. Each of the fewer than 60 terms of a
# cosine or a sine errs by less than 4 in the last place, pi's own error included: the result is
# within 2^9 of the truth. A rounding to 2^-30 is proven when the value is farther than that from
# every tie.
FINE = 192
FINE_ERROR = 2**9


def _arctan_inverse(n: int, bits: int) -> int:
    """arctan(1/n) times 2^bits, by its Taylor series."""
    power = (1 << bits) // n
    total, k, sign = 0, 1, 1
    while power:
        total += sign * (power // k)
        power //= n * n
        k += 2
        sign = -sign
    return total


@cache
def _two_pi() -> int:
    """2 pi times 2^FINE, by Machin's formula: pi/4 = 4 arctan(1/5) - arctan(1/239)."""
    bits = FINE + 32
    return 8 * (4 * _arctan_inverse(5, bits) - _arctan_inverse(239, bits)) >> 32


@cache
def _first_octant(step: int, turn: int) -> Vec2:
    """cos and sin of 2 pi step/turn, times 2^FINE, for 0 <= step <= turn/8, by their Taylor
    series.
    """
    x = _two_pi() * step // turn
    sums = [0, 0, 0, 0]
    term, k = 1 << FINE, 0
    while term:
        sums[k % 4] += term
        k += 1
        term = (term * x >> FINE) // k
    return sums[0] - sums[2], sums[1] - sums[3]


def _unfold(step: int, turn: int, octant: Callable[[int, int], Vec2]) -> Vec2:
    """(cos, sin) all around the circle from a function for the first octant, by exact
    symmetries.
    """
    quadrant, rest = divmod(step % turn, turn // 4)
    if rest <= turn // 8:
        c, s = octant(rest, turn)
    else:
        s, c = octant(turn // 4 - rest, turn)
    for _ in range(quadrant):
        c, s = -s, c
    return c, s


@cache
def _first_octant_q30(step: int, turn: int) -> Vec2:
    def rounded(fine: int) -> int:
        shift = FINE - 30
        tie_distance = abs((fine & ((1 << shift) - 1)) - (1 << (shift - 1)))
        if tie_distance <= FINE_ERROR:
            raise ArithmeticError(f"{FINE} bits do not decide how step {step} of {turn} rounds")
        return (fine + (1 << (shift - 1))) >> shift

    c, s = _first_octant(step, turn)
    return rounded(c), rounded(s)


def fine_direction(yaw: int) -> Vec2:
    """The ideal (cos, sin) of a yaw, times 2^FINE, within FINE_ERROR."""
    return _unfold(yaw, TURN, _first_octant)


@cache
def _direction(yaw: int) -> Vec2:
    """direction of any integer number of steps, modulo one turn."""
    return _unfold(yaw, TURN, _first_octant_q30)


def direction(yaw: int) -> tuple[int, int]:
    """(cos, sin) of 2 pi yaw/65536 in Q2.30, rounded to nearest."""
    return _direction(integer("yaw", yaw, 0, TURN - 1))


def half_step_direction(k: int) -> tuple[int, int]:
    """h(k): the direction at k - 1/2 steps in Q2.30, the boundary between the yaws k - 1 and k."""
    return _unfold(2 * k - 1, 2 * TURN, _first_octant_q30)


def cross(u: Vec2, v: Vec2) -> Real:
    return u[0] * v[1] - u[1] * v[0]


def dot(u: Vec2, v: Vec2) -> Real:
    return u[0] * v[0] + u[1] * v[1]


def _difference(name: str, value: Any) -> int:
    return integer(name, value, -UINT32_MAX, UINT32_MAX)


def yaw_of(dx: int, dz: int) -> int:
    """The yaw nearest to the direction of (dx, dz); 0 for (0, 0)."""
    d = _difference("dx", dx), _difference("dz", dz)
    if d == (0, 0):
        return 0
    # d lies in the half turn that starts with h(first): there cross(h(k), d) >= 0 holds up to the k
    # sought.
    first = next(k for k in (0, TURN // 2) if _starts_half_turn_of(half_step_direction(k), d))
    passed = bisect_right(
        range(TURN // 2), 0, key=lambda i: cross(half_step_direction(first + i), d) < 0
    )
    k = (first + passed - 1) % TURN
    if not (cross(half_step_direction(k), d) >= 0 and cross(d, half_step_direction(k + 1)) > 0):
        raise ArithmeticError(f"{k} is not the yaw of {d}")
    return k


def _starts_half_turn_of(h: Vec2, d: Vec2) -> bool:
    side = cross(h, d)
    return bool(side > 0 or (side == 0 and dot(h, d) > 0))


def length(dx: int, dy: int, dz: int) -> int:
    """The length of a difference of two positions, rounded down."""
    x, y, z = _difference("dx", dx), _difference("dy", dy), _difference("dz", dz)
    return isqrt(x * x + y * y + z * z)


def sgn(v: Real) -> int:
    return int(v > 0) - int(v < 0)


def R(v: int) -> int:
    """v / 2^30 rounded to nearest, halves away from zero."""
    return sgn(v) * ((2 * abs(v) + ONE_Q30) // (2 * ONE_Q30))


def turned_back(v: Vec2, yaw: int) -> Vec2:
    """v turned by -yaw, times 2^30 and exact."""
    c, s = _direction(yaw)
    return v[0] * c + v[1] * s, -v[0] * s + v[1] * c


def turned(v: Vec2, yaw: int) -> Vec2:
    """v turned by yaw, rounded."""
    c, s = _direction(yaw)
    return R(v[0] * c - v[1] * s), R(v[0] * s + v[1] * c)


# Shapes.

# The sizes of each kind, in order, with their smallest and largest value.
KINDS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "sphere": (("radius", 1, SIZE_MAX),),
    "capsule": (("radius", 1, SIZE_MAX), ("half_height", 0, SIZE_MAX)),
    "cylinder": (("radius", 1, SIZE_MAX), ("half_height", 1, SIZE_MAX)),
    "box": (("half_x", 1, SIZE_MAX), ("half_y", 1, SIZE_MAX), ("half_z", 1, SIZE_MAX)),
    "sector": (("radius", 1, SIZE_MAX), ("half_angle", 1, TURN // 2), ("half_height", 1, SIZE_MAX)),
}
ROUND = ("sphere", "capsule")
ORDER = tuple(KINDS)
VERTICAL = ("half_height", "half_y")
_HEIGHT_AT = {
    kind: at
    for kind, sizes in KINDS.items()
    for at, (name, _, _) in enumerate(sizes, 1)
    if name in VERTICAL
} | {"polygon": 1}


# The corners of each kind that has some, with yaw 0, counterclockwise. A kind that is not a box is a
# prism as one of a level is.
CORNERS: dict[str, Callable[..., Sequence[Vec2]]] = {
    "box": lambda half_x, _, half_z: (
        (half_x, half_z),
        (-half_x, half_z),
        (-half_x, -half_z),
        (half_x, -half_z),
    ),
}
POLYGON = "polygon"


def as_polygon(shape: Shape, yaw: int) -> Shape:
    """A shape with corners that is not a box as (POLYGON, half height, x, z, x, z, ...) from its
    centre; any other as it is.
    """
    if shape[0] == "box" or shape[0] not in CORNERS:
        return shape
    placed = (turned(corner, yaw) for corner in CORNERS[shape[0]](*shape[1:]))
    return (POLYGON, half_height(shape), *(v for corner in placed for v in corner))


def vertices_of(polygon: Shape, at: Vec2 = (0, 0)) -> list[Vec2]:
    return [(x + at[0], z + at[1]) for x, z in zip(polygon[2::2], polygon[3::2], strict=True)]


def has_half_angle(kind: str) -> bool:
    """Whether a shape of this kind has a half_angle, which stands behind its first size."""
    return "half_angle" in (name for name, _, _ in KINDS[kind])


def require_rule(rule: str, kinds: Sequence[str], *shapes: Shape) -> None:
    """NotImplementedError for a kind that a rule is not written for."""
    for shape in shapes:
        if shape[0] not in kinds:
            raise NotImplementedError(f"the model's {rule} has no rule for a {shape[0]}: add it")


def checked_shape(shape: Any) -> Shape:
    """The shape as a tuple; TypeError or ValueError if it is invalid."""
    if not isinstance(shape, (tuple, list)) or not shape or not isinstance(shape[0], str):
        raise TypeError(f"not a shape: {shape!r}")
    kind, *sizes = shape
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    fields = KINDS[kind]
    if kind == "sector" and len(sizes) == 4:
        inner = integer("inner_radius", sizes.pop(), 0, SIZE_MAX)
        full = checked_shape((kind, *sizes))
        if inner >= full[1]:
            raise ValueError(f"inner_radius must be below the radius {full[1]}, not {inner}")
        return (*full, inner) if inner else full
    if len(sizes) != len(fields):
        raise ValueError(f"a {kind} has {len(fields)} sizes, not {len(sizes)}")
    named = zip(fields, sizes, strict=True)
    return (kind, *(integer(name, size, low, high) for (name, low, high), size in named))


def checked_pose(pose: Any) -> Pose:
    """The pose as a tuple (x, y, z, yaw); TypeError or ValueError if it is invalid."""
    if not isinstance(pose, (tuple, list)):
        raise TypeError(f"not a pose: {pose!r}")
    if len(pose) != 4:
        raise ValueError(f"a pose is x, y, z, yaw, not {len(pose)} numbers")
    x, y, z = (
        integer(name, v, INT32_MIN, INT32_MAX) for name, v in zip("xyz", pose[:3], strict=True)
    )
    return x, y, z, integer("yaw", pose[3], 0, TURN - 1)


def centre(pose: Pose, offset: Sequence[int]) -> tuple[int, int, int]:
    """Where a collider's centre is; ValueError when that is outside int32."""
    x, y, z, yaw = pose
    ox, oy, oz = offset
    dx, dz = turned((ox, oz), yaw)
    at = x + dx, y + oy, z + dz
    for name, value in zip("xyz", at, strict=True):
        integer(f"the centre's {name}", value, INT32_MIN, INT32_MAX)
    return at


def half_height(shape: Shape) -> Real:
    """The half height without the rounded ends: 0 for a sphere."""
    return shape[_HEIGHT_AT[shape[0]]] if shape[0] in _HEIGHT_AT else 0


# Contact of two shapes.


def CLS(left: Real, right: Real) -> int:
    if left < right:
        return OVERLAPPING
    return TOUCHING if left == right else APART


def near_cylinder(radius: Real, d: Vec2, q: Real) -> int:
    if q < 0:
        return APART
    D2 = dot(d, d)
    if D2 <= radius * radius:
        return CLS(0, q)
    L = D2 - radius * radius - q
    return OVERLAPPING if L < 0 else CLS(L * L, 4 * radius * radius * q)


def near_box(half_x: Real, half_z: Real, yaw: int, d: Vec2, q: Real) -> int:
    if q < 0:
        return APART
    lx, lz = turned_back(d, yaw)
    ex = max(0, abs(lx) - half_x * ONE_Q30)
    ez = max(0, abs(lz) - half_z * ONE_Q30)
    return CLS(ex * ex + ez * ez, q * 2**60)


def wedge_side(half_angle: int, A: Real, B: Real) -> Real:
    """> 0 inside the open wedge, >= 0 inside the closed one; A = cross(e2, v) and B = cross(v,
    e1).
    """
    return min(A, B) if half_angle <= TURN // 4 else max(A, B)


def near_sector(radius: int, half_angle: int, yaw: int, d: Vec2, q: int, i: int = 0) -> int:
    """i: the sector's inner_radius."""
    if q < 0:
        return APART
    e1, e2 = _direction(yaw + half_angle), _direction(yaw - half_angle)
    return near_wedge(radius, half_angle, e1, e2, d, q, i)


def near_wedge(radius: int, half_angle: int, e1: Vec2, e2: Vec2, d: Vec2, q: int, i: int) -> int:
    """NEAR of a sector with these edges; q >= 0."""
    in_wedge = wedge_side(half_angle, cross(e2, d), cross(d, e1)) >= 0
    if half_angle == TURN // 2 or d == (0, 0) or in_wedge:
        D2 = dot(d, d)
        if D2 >= i * i:
            return near_cylinder(radius, d, q)
        L = i * i + D2 - q
        return OVERLAPPING if L < 0 else CLS(L * L, 4 * i * i * D2)

    def near_edge(e: Vec2) -> int:
        t = dot(d, e)
        if not i * ONE_Q30 < t < radius * ONE_Q30:
            end = i if t <= i * ONE_Q30 else radius
            w = ONE_Q30 * d[0] - end * e[0], ONE_Q30 * d[1] - end * e[1]
            return CLS(dot(w, w), q * 2**60)
        return CLS(cross(e, d) ** 2, q * 2**60)

    return max(near_edge(e1), near_edge(e2))


def near(prism: Shape, yaw: int, d: Vec2, q: Real) -> int:
    """NEAR: the squared planar distance of an axis at d, from the prism's centre, compared with
    q.
    """
    if prism[0] == "cylinder":
        return near_cylinder(prism[1], d, q)
    if prism[0] == "box":
        return near_box(prism[1], prism[3], yaw, d, q)
    if prism[0] == POLYGON:
        return near_prism(vertices_of(prism), d, q)
    require_rule("near", ("sector",), prism)
    return near_sector(prism[1], prism[2], yaw, d, q, inner_radius(prism))


def inner_radius(sector: Shape) -> int:
    return sector[4] if len(sector) > 4 else 0


def box_axes(a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec2) -> list[tuple[Real, Real]]:
    """(p, limit), times 2^30, on the four planar axes of two boxes, in the order b.x, b.z, a.x,
    a.z.
    """
    c, s = (abs(v) for v in _direction(yaw_b - yaw_a))
    _, ax, _, az = a
    _, bx, _, bz = b
    pa, pb = turned_back(d, yaw_a), turned_back(d, yaw_b)
    return [
        (pb[0], bx * ONE_Q30 + ax * c + az * s),
        (pb[1], bz * ONE_Q30 + ax * s + az * c),
        (pa[0], ax * ONE_Q30 + bx * c + bz * s),
        (pa[1], az * ONE_Q30 + bx * s + bz * c),
    ]


def planar_boxes(a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec2) -> int:
    return min(CLS(abs(p), limit) for p, limit in box_axes(a, yaw_a, b, yaw_b, d))


def planar_sector_box(sector: Shape, yaw_sector: int, box: Shape, yaw_box: int, apex: Vec2) -> int:
    """apex is the sector's, relative to the box's centre."""
    radius, half_angle, i = sector[1], sector[2], inner_radius(sector)
    _, half_x, _, half_z = box
    p = turned_back(apex, yaw_box)
    H = half_x * ONE_Q30, half_z * ONE_Q30
    n = tuple(max(-h, min(h, v)) for v, h in zip(p, H, strict=True))
    v = n[0] - p[0], n[1] - p[1]
    disc = CLS(dot(v, v), radius * radius * 2**60)
    if half_angle == TURN // 2:
        farthest = (abs(p[0]) + H[0]) ** 2 + (abs(p[1]) + H[1]) ** 2
        return disc if i == 0 else min(disc, CLS(i * i * 2**60, farthest))

    def edge_and_box(e: Vec2) -> int:
        w = radius * e[0], radius * e[1]
        return min(
            CLS(abs(2 * p[0] + w[0]), 2 * H[0] + abs(w[0])),
            CLS(abs(2 * p[1] + w[1]), 2 * H[1] + abs(w[1])),
            CLS(abs(cross(p, w)), H[0] * abs(w[1]) + H[1] * abs(w[0])),
        )

    def far_corners(in_wedge: Callable[[Vec2], bool]) -> list[int]:
        corners = [(x - p[0], z - p[1]) for x in (-H[0], H[0]) for z in (-H[1], H[1])]
        return [CLS(i * i * 2**60, dot(c, c)) for c in corners if in_wedge(c)]

    def far_edge(e: Vec2) -> int:
        if abs(cross(p, e)) > H[0] * abs(e[1]) + H[1] * abs(e[0]):
            return APART
        return min(CLS(i * abs(e[k]) + sgn(e[k]) * p[k], H[k]) for k in (0, 1))

    turn = yaw_sector - yaw_box
    directions = _direction(turn + half_angle), _direction(turn - half_angle), _direction(turn)
    return planar_sector(
        half_angle, i, directions, v, (-p[0], -p[1]), disc, edge_and_box, far_corners, far_edge
    )


def planar_sector(
    half_angle: int,
    i: int,
    directions: tuple[Vec2, Vec2, Vec2],
    v: Vec2,
    inside: Vec2,
    disc: int,
    edge: Callable[[Vec2], int],
    far_corners: Callable[[Callable[[Vec2], bool]], list[int]],
    far_edge: Callable[[Vec2], int],
) -> int:
    """What a sector with an angle meets of a convex outline.

    directions: e1, e2 and e0. v: the way from the apex to the outline's nearest point, disc its
    class; inside: the way to a point within. edge, far_corners and far_edge: FULL's class of an
    edge, and what FAR looks at.
    """
    e1, e2, e0 = directions

    def full(e1: Vec2, e2: Vec2, angle: int) -> int:
        A, B = cross(e2, v), cross(v, e1)
        if wedge_side(angle, A, B) < 0:
            W = APART
        else:
            A = cross(e2, inside) if A == 0 else A
            B = cross(inside, e1) if B == 0 else B
            W = OVERLAPPING if wedge_side(angle, A, B) > 0 else TOUCHING
        return max(min(W, disc), edge(e1), edge(e2))

    def narrow(e1: Vec2, e2: Vec2) -> int:
        far = far_corners(lambda c: min(cross(e2, c), cross(c, e1)) >= 0)
        return min(full(e1, e2, 1), max(*far, far_edge(e1), far_edge(e2), APART))

    if i == 0:
        return full(e1, e2, half_angle)
    if half_angle <= TURN // 4:
        return narrow(e1, e2)
    return max(narrow(e0, e2), narrow(e1, e0))


@dataclass(frozen=True)
class Wedge:
    """A convex sector without a hole: its apex, radius and edges."""

    apex: Vec2
    radius: int
    e1: Vec2
    e2: Vec2

    def near(self, other: Wedge) -> int:
        """NEAR of the other's apex within the other's radius."""
        d = other.apex[0] - self.apex[0], other.apex[1] - self.apex[1]
        return near_wedge(self.radius, 1, self.e1, self.e2, d, other.radius * other.radius, 0)

    def beyond_edges(self, other: Wedge) -> list[int]:
        """For each edge line of the other that can part the two: how this one meets its inside."""
        p = self.apex[0] - other.apex[0], self.apex[1] - other.apex[1]
        f1, f2, g1, g2 = other.e1, other.e2, self.e1, self.e2
        return [
            CLS(0, ONE_Q30 * dot(n, p) + max(0, self.radius * dot(n, g1), self.radius * dot(n, g2)))
            for n in ((f1[1], -f1[0]), (-f2[1], f2[0]))
            if wedge_side(1, cross(g2, n), cross(n, g1)) < 0
        ]


def convex_parts(sector: Shape, yaw: int, apex: Vec2) -> list[Wedge]:
    """The sector, or its two halves if its angle is above half a turn."""
    _, radius, half_angle, *_ = sector
    e1, e2, e0 = _direction(yaw + half_angle), _direction(yaw - half_angle), _direction(yaw)
    if half_angle <= TURN // 4:
        return [Wedge(apex, radius, e1, e2)]
    return [Wedge(apex, radius, e0, e2), Wedge(apex, radius, e1, e0)]


def planar_sectors(a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec2) -> int:
    """d is b's apex minus a's."""
    if inner_radius(a) or inner_radius(b):
        return APART
    if a[2] == TURN // 2:
        return near(b, yaw_b, (-d[0], -d[1]), a[1] * a[1])
    if b[2] == TURN // 2:
        return near(a, yaw_a, d, b[1] * b[1])
    return max(
        min(p.near(q), q.near(p), *p.beyond_edges(q), *q.beyond_edges(p))
        for p in convex_parts(a, yaw_a, (0, 0))
        for q in convex_parts(b, yaw_b, d)
    )


def vertical_gap(a: Shape, b: Shape, dy: Real) -> Real:
    """f: how far apart vertically the unrounded parts are."""
    return max(0, abs(dy) - half_height(a) - half_height(b))


def contact(a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec3) -> int:
    """The contact of valid shapes, d being b's centre minus a's."""
    dx, dy, dz = d
    a, b = as_polygon(a, yaw_a), as_polygon(b, yaw_b)
    if b[0] in ROUND and a[0] not in ROUND:
        return contact(b, yaw_b, a, yaw_a, (-dx, -dy, -dz))
    f = vertical_gap(a, b, dy)
    if a[0] in ROUND and b[0] in ROUND:
        return CLS(dx * dx + dz * dz + f * f, (a[1] + b[1]) * (a[1] + b[1]))
    if a[0] in ROUND:
        return near(b, yaw_b, (-dx, -dz), a[1] * a[1] - f * f)
    return min(
        CLS(abs(dy), half_height(a) + half_height(b)), planar_prisms(a, yaw_a, b, yaw_b, (dx, dz))
    )


def planar_prisms(a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec2) -> int:
    minus_d = -d[0], -d[1]
    if a[0] == "cylinder":
        return near(b, yaw_b, minus_d, a[1] * a[1])
    if b[0] == "cylinder":
        return near(a, yaw_a, d, b[1] * b[1])
    if a[0] == "box" and b[0] == "box":
        return planar_boxes(a, yaw_a, b, yaw_b, d)
    if a[0] == "sector" and b[0] == "sector":
        return planar_sectors(a, yaw_a, b, yaw_b, d)
    if a[0] == POLYGON:
        return planar_polygon(b, yaw_b, d, vertices_of(a))
    if b[0] == POLYGON:
        return planar_polygon(a, yaw_a, minus_d, vertices_of(b))
    require_rule("planar_prisms", ("box", "sector"), a, b)
    if a[0] == "sector":
        return planar_sector_box(a, yaw_a, b, yaw_b, minus_d)
    return planar_sector_box(b, yaw_b, a, yaw_a, d)


def minus(a: Sequence[Real], b: Sequence[Real]) -> Vec2:
    return a[0] - b[0], a[1] - b[1]


def edges(v: Sequence[Vec2]) -> list[Vec2]:
    """u_j = v_(j+1) - v_j."""
    return [minus(v[(j + 1) % len(v)], v[j]) for j in range(len(v))]


def near_prism(v: Sequence[Vec2], d: Vec2, q: Real) -> int:
    """NEAR(prism, q) of the point d."""
    if q < 0:
        return APART
    classes = []
    for v_j, u in zip(v, edges(v), strict=True):
        w = minus(d, v_j)
        s, t = cross(u, w), dot(u, w)
        if not s < 0:
            continue
        if t <= 0:
            classes.append(CLS(dot(w, w), q))
        elif t >= dot(u, u):
            beyond = minus(w, u)
            classes.append(CLS(dot(beyond, beyond), q))
        else:
            classes.append(CLS(s * s, q * dot(u, u)))
    return max(classes) if classes else CLS(0, q)


def planar_prism_box(v: Sequence[Vec2], box: Shape, yaw: int, centre: Vec2) -> int:
    H = box[1] * ONE_Q30, box[3] * ONE_Q30
    turned = [turned_back(minus(v_j, centre), yaw) for v_j in v]
    classes = []
    for axis in (0, 1):
        along = [p[axis] for p in turned]
        low, high = along[0], along[0]
        for value in along:
            low = value if value < low else low
            high = value if value > high else high
        classes += [CLS(low, H[axis]), CLS(-high, H[axis])]
    for p, u in zip(turned, edges(v), strict=True):
        U = turned_back(u, yaw)
        classes.append(CLS(cross(U, p), H[0] * abs(U[1]) + H[1] * abs(U[0])))
    return min(classes)


def planar_prism_sector(v: Sequence[Vec2], sector: Shape, yaw: int, apex: Vec2) -> int:
    _, radius, half_angle, _, *inner = sector
    i = inner[0] if inner else 0
    u = edges(v)
    m = [minus(v_j, apex) for v_j in v]
    N = near_prism(v, apex, radius * radius)
    if half_angle == TURN // 2:
        farthest = max(dot(m_j, m_j) for m_j in m)
        return N if i == 0 else min(N, CLS(i * i, farthest))

    s = [cross(u_j, minus(apex, v_j)) for u_j, v_j in zip(u, v, strict=True)]
    t = [dot(u_j, minus(apex, v_j)) for u_j, v_j in zip(u, v, strict=True)]
    beside = [j for j in range(len(v)) if s[j] < 0 and 0 < t[j] < dot(u[j], u[j])]
    if not any(s_j < 0 for s_j in s):
        way: Vec2 = (0, 0)
    elif beside:
        way = -u[beside[0]][1], u[beside[0]][0]
    else:
        way = min(m, key=lambda m_j: dot(m_j, m_j))
    inside = m[0][0] + m[1][0] + m[2][0], m[0][1] + m[1][1] + m[2][1]

    def edge_and_prism(e: Vec2) -> int:
        sides = [cross(e, m_j) for m_j in m]
        beyond = [
            CLS(ONE_Q30 * cross(u_j, m_j), max(0, radius * cross(u_j, e)))
            for u_j, m_j in zip(u, m, strict=True)
        ]
        return min(CLS(min(sides), 0), CLS(0, max(sides)), *beyond)

    def far_vertex(in_wedge: Any) -> list[int]:
        return [CLS(i * i, dot(m_j, m_j)) for m_j in m if in_wedge(m_j)]

    def far_edge(e: Vec2) -> int:
        sides = [cross(e, m_j) for m_j in m]
        if not min(sides) <= 0 <= max(sides):
            return APART
        return min(
            CLS(ONE_Q30 * cross(u_j, m_j), i * cross(u_j, e))
            for u_j, m_j in zip(u, m, strict=True)
            if cross(u_j, e) < 0
        )

    directions = _direction(yaw + half_angle), _direction(yaw - half_angle), _direction(yaw)
    return planar_sector(
        half_angle, i, directions, way, inside, N, edge_and_prism, far_vertex, far_edge
    )


def planar_polygon(shape: Shape, yaw: int, at: Vec2, v: Sequence[Vec2]) -> int:
    """The contact, seen from above, of what is not round at `at` with a polygon."""
    if shape[0] == "cylinder":
        return near_prism(v, at, shape[1] * shape[1])
    if shape[0] == "box":
        return planar_prism_box(v, shape, yaw, at)
    if shape[0] == POLYGON:
        return planar_polygons(v, vertices_of(shape, at))
    require_rule("planar_polygon", ("sector",), shape)
    return planar_prism_sector(v, shape, yaw, at)


def planar_polygons(v: Sequence[Vec2], w: Sequence[Vec2]) -> int:
    """No edge of either has all of the other one beyond it."""
    return min(
        CLS(0, max((cross(u, minus(p, start)) for p in other), key=cmp_to_key(_order)))
        for own, other in ((v, w), (w, v))
        for start, u in zip(own, edges(own), strict=True)
    )


def _order(a: Real, b: Real) -> int:
    return -1 if a < b else int(b < a)


def overlap(a: Shape, pa: Pose, b: Shape, pb: Pose) -> int:
    """APART, TOUCHING or OVERLAPPING."""
    a, pa, b, pb = checked_shape(a), checked_pose(pa), checked_shape(b), checked_pose(pb)
    return contact(a, pa[3], b, pb[3], _relative(pa, pb))


def outline(
    shape: Any, pose: Any, segments: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], int, int]:
    """Outer polygon, hole, and heights, of fixsync.h's fxs_outline; the pose is the centre."""
    (kind, *sizes), (x, y, z, yaw) = checked_shape(shape), checked_pose(pose)
    integer("segments", segments, 3, 65536)

    def placed(u: int, v: int, turn: int) -> tuple[int, int]:
        c, s = direction(turn % 65536)
        return x + R(u * c - v * s), z + R(u * s + v * c)

    def rim(radius: int, first: int, last: int, pieces: int) -> list[tuple[int, int]]:
        steps = [first + (last - first) * k // pieces for k in range(pieces + 1)]
        points = [placed(radius, 0, step) for step in steps]
        return points[:-1] if last - first == 65536 else points

    require_rule("outline", (*ROUND, "cylinder", "sector", *CORNERS), (kind,))
    half = half_height(shape) + (sizes[0] if kind in ROUND else 0)
    heights = (y - int(half), y + int(half))
    if kind in CORNERS:
        return [placed(u, v, yaw) for u, v in CORNERS[kind](*sizes)], [], *heights
    hole: list[tuple[int, int]] = []
    if kind == "sector" and sizes[1] < 32768:
        first, last = yaw - sizes[1], yaw + sizes[1]
        pieces = -(-segments * 2 * sizes[1] // 65536)
        inner = inner_radius(shape)
        back = rim(inner, first, last, pieces)[::-1] if inner else [(x, z)]
        return rim(sizes[0], first, last, pieces) + back, hole, *heights
    if kind == "sector" and inner_radius(shape):
        hole = rim(inner_radius(shape), yaw, yaw + 65536, segments)[::-1]
    return rim(sizes[0], yaw, yaw + 65536, segments), hole, *heights


def _relative(pa: Sequence[int], pb: Sequence[int]) -> tuple[int, int, int]:
    """b's centre minus a's."""
    return pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]


# Push-out, lift and side: the contract leaves the push-out some freedom, so these check an answer.

# Lengths below are in raw units times LENGTH. A turned coordinate is off by less than 2^34 in the
# last place, a root by one, a sum of a few of them by less than SLACK, which is 2^-64 raw units.
LENGTH_BITS = 128
LENGTH = 2**LENGTH_BITS
SLACK = 2**64


def _root(n: int) -> int:
    """sqrt(n) times LENGTH, rounded down."""
    return isqrt(n << 2 * LENGTH_BITS)


def _ideal(yaw: int) -> Vec2:
    """The true direction of a yaw, times LENGTH."""
    c, s = fine_direction(yaw)
    return c >> FINE - LENGTH_BITS, s >> FINE - LENGTH_BITS


def _quantised(yaw: int) -> Vec2:
    """The direction that contacts are computed with, times LENGTH."""
    c, s = _direction(yaw)
    return c << LENGTH_BITS - 30, s << LENGTH_BITS - 30


def _turned_by(v: Vec2, unit: Vec2) -> Vec2:
    """v turned back by the direction unit."""
    c, s = unit
    return v[0] * c + v[1] * s, -v[0] * s + v[1] * c


def _reach(a: Shape, b: Shape, f: int) -> int:
    """The planar distance that ends an overlap: between centres, or between a centre and a box."""
    if a[0] in ROUND and b[0] in ROUND:
        return _root((a[1] + b[1]) ** 2 - f * f)
    reach = 0
    for shape in (a, b):
        if shape[0] in ROUND:
            reach += _root(shape[1] ** 2 - f * f)
        elif shape[0] == "cylinder":
            reach += shape[1] * LENGTH
        else:
            require_rule("escapes", ("box",), shape)
    return reach


@dataclass(frozen=True)
class Escapes:
    """The ways out of an overlap: the shortest's length, each axis's depth and planar difference
    along it.
    """

    shortest: int
    axes: list[tuple[int, int]]

    @property
    def is_unique(self) -> bool:
        """Whether the two smallest depths differ by more than 1 and the centres differ along the
        smallest.
        """
        (depth, along), *others = sorted(self.axes)
        return along != 0 and all(other - depth > LENGTH for other, _ in others)


def escapes(a: Shape, pa: Pose, b: Shape, pb: Pose, unit: Callable[[int], Vec2]) -> Escapes:
    """The planar ways out for an OVERLAPPING pair, the shapes turned by the directions that unit
    gives.
    """
    dx, dy, dz = _relative(pa, pb)
    a, b = as_polygon(a, pa[3]), as_polygon(b, pb[3])
    if POLYGON in (a[0], b[0]):
        return _polygon_escapes(a, pa[3], b, pb[3], (dx, dy, dz), unit)
    if a[0] == "box" and b[0] == "box":
        depths = _box_axis_depths(a, pa[3], b, pb[3], (dx, dz), unit)
        return Escapes(max(0, min(depth for depth, _ in depths)), depths)
    reach = _reach(a, b, vertical_gap(a, b, dy))
    if "box" not in (a[0], b[0]):
        distance = _root(dx * dx + dz * dz)
        return Escapes(max(0, reach - distance), [(reach - distance, distance)])

    box, yaw = (a, pa[3]) if a[0] == "box" else (b, pb[3])
    local = _turned_by((dx, dz), unit(yaw))
    out = [abs(v) - half * LENGTH for v, half in zip(local, (box[1], box[3]), strict=True)]
    outside = isqrt(sum(max(0, v) ** 2 for v in out))
    shortest = max(0, reach - outside if outside else reach - max(out))
    # From outside, the way from the nearest point is the only one; within a raw unit the faces may
    # compete.
    if outside > LENGTH:
        return Escapes(shortest, [(reach - outside, outside)])
    return Escapes(shortest, [(reach - v, along) for v, along in zip(out, local, strict=True)])


def _polygon_escapes(
    a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec3, unit: Callable[[int], Vec2]
) -> Escapes:
    """By the edges of both, and of a disc by the nearest point, where one is a polygon."""
    if b[0] != POLYGON:
        return _polygon_escapes(b, yaw_b, a, yaw_a, (-d[0], -d[1], -d[2]), unit)

    def outline_of(shape: Shape, yaw: int, at: Vec2) -> list[Vec2]:
        if shape[0] == "box":
            c, s = unit(yaw)
            corners = [(x * c - z * s, x * s + z * c) for x, z in CORNERS["box"](*shape[1:])]
        else:
            corners = [(LENGTH * x, LENGTH * z) for x, z in vertices_of(shape)]
        return [(x + LENGTH * at[0], z + LENGTH * at[1]) for x, z in corners]

    v = outline_of(b, yaw_b, (d[0], d[2]))
    is_flat = a[0] in ("box", POLYGON)
    w = outline_of(a, yaw_a, (0, 0)) if is_flat else [(0, 0)]
    reach = 0 if is_flat else _reach(a, ("cylinder", 0, 0), vertical_gap(a, b, d[1]))
    found = []
    for own, other in ((v, w), (w, v)) if is_flat else ((v, w),):
        for start, u in zip(own, edges(own), strict=True):
            inside = max(cross(u, minus(p, start)) for p in other)
            found.append((reach + _quotient(inside, isqrt(dot(u, u))), 0))
    shortest = min(depth for depth, _ in found)
    if not is_flat and shortest < reach:  # outside: from the nearest point
        shortest = reach - _distance_to(v)
    return Escapes(max(0, shortest), found)


def _distance_to(v: Sequence[Vec2]) -> int:
    """How far (0, 0) is from a polygon that it is outside of."""
    found = []
    for start, u in zip(v, edges(v), strict=True):
        t, uu = -dot(start, u), dot(u, u)
        found.append(abs(cross(u, start)) // isqrt(uu) if 0 < t < uu else isqrt(dot(start, start)))
    return min(found)


def _box_axis_depths(
    a: Shape, yaw_a: int, b: Shape, yaw_b: int, d: Vec2, unit: Callable[[int], Vec2]
) -> list[tuple[int, int]]:
    """Each planar axis's depth and d along it. Boxes a multiple of a quarter turn apart share their
    axes.
    """
    c, s = (abs(v) for v in unit(yaw_b - yaw_a))
    depths = []
    for one, yaw, other in ((b, yaw_b, a), (a, yaw_a, b)):
        px, pz = _turned_by(d, unit(yaw))
        depths.append((one[1] * LENGTH + other[1] * c + other[3] * s - abs(px), px))
        depths.append((one[3] * LENGTH + other[1] * s + other[3] * c - abs(pz), pz))
    return depths[:2] if (yaw_b - yaw_a) % (TURN // 4) == 0 else depths


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _checked_solids(a: Any, pa: Any, b: Any, pb: Any) -> tuple[Shape, Pose, Shape, Pose]:
    a, b = checked_shape(a), checked_shape(b)
    if "sector" in (a[0], b[0]):
        raise ValueError("a sector is not solid")
    return a, checked_pose(pa), b, checked_pose(pb)


def _contact_after(a: Shape, pa: Pose, b: Shape, pb: Pose, tx: int, ty: int, tz: int) -> int:
    """The contact when a has been moved by (tx, ty, tz), out of range or not."""
    dx, dy, dz = _relative(pa, pb)
    return contact(a, pa[3], b, pb[3], (dx - tx, dy - ty, dz - tz))


def check_push_out(a: Any, pa: Any, b: Any, pb: Any, result: tuple[int, int]) -> None:
    """AssertionError unless result may be push_out(a, pa, b, pb)."""
    a, pa, b, pb = _checked_solids(a, pa, b, pb)
    tx, tz = result
    if _contact_after(a, pa, b, pb, 0, 0, 0) != OVERLAPPING:
        _require((tx, tz) == (0, 0), f"{result} for a pair that does not overlap")
        return
    _require(
        _contact_after(a, pa, b, pb, tx, 0, tz) != OVERLAPPING,
        f"{result} leaves the pair OVERLAPPING",
    )
    shortest = escapes(a, pa, b, pb, _ideal).shortest
    excess = _root(tx * tx + tz * tz) - shortest
    too_long = (
        f"{result} is {1000 * excess // LENGTH} thousandths of a raw unit longer than the shortest"
    )
    _require(excess <= 2 * LENGTH + SLACK, too_long)
    if not {a[0], b[0]} & CORNERS.keys() and (pa[0], pa[2]) == (pb[0], pb[2]):
        _require(tx > 0 and tz == 0, f"{result} is not along +X, and the centres coincide")


def check_push_outs(
    a: Any, pa: Any, b: Any, pb: Any, ab: tuple[int, int], ba: tuple[int, int]
) -> None:
    """AssertionError unless ab and ba may be the push-outs of (a, b) and (b, a)."""
    check_push_out(a, pa, b, pb, ab)
    check_push_out(b, pb, a, pa, ba)
    a, pa, b, pb = _checked_solids(a, pa, b, pb)
    if _contact_after(a, pa, b, pb, 0, 0, 0) != OVERLAPPING:
        return
    # The depths of ideal and of quantised boxes differ by up to a raw unit: held to where both are
    # clear.
    if all(escapes(a, pa, b, pb, unit).is_unique for unit in (_ideal, _quantised)):
        _require(
            ba == (-ab[0], -ab[1]),
            f"{ab} and {ba} do not cancel, though one way out is the shortest",
        )


def check_lift(a: Any, pa: Any, b: Any, pb: Any, result: int) -> None:
    """AssertionError unless result may be lift(a, pa, b, pb)."""
    a, pa, b, pb = _checked_solids(a, pa, b, pb)
    if _contact_after(a, pa, b, pb, 0, 0, 0) != OVERLAPPING:
        _require(result == 0, f"{result} for a pair that does not overlap")
        return
    up = 1 if pa[1] >= pb[1] else -1
    _require(
        result * up > 0,
        f"{result} is not away from the other centre, or not up from the same height",
    )
    after = _contact_after(a, pa, b, pb, 0, result, 0)
    _require(after != OVERLAPPING, f"{result} leaves the pair OVERLAPPING")
    # On the way the overlap ends once and for all.
    before = _contact_after(a, pa, b, pb, 0, result - up, 0)
    _require(before == OVERLAPPING, f"{result} is longer than the least")


NONE, POS_X, NEG_X, POS_Z, NEG_Z = range(5)


def side_of(push_out: tuple[int, int], yaw_b: int) -> int:
    """The side of the box b, turned by yaw_b, that a push-out leaves it by."""
    if push_out == (0, 0):
        return NONE
    tx, tz = turned_back(push_out, yaw_b)
    if abs(tx) >= abs(tz):
        return POS_X if tx > 0 else NEG_X
    return POS_Z if tz > 0 else NEG_Z


# Casts.


def sign_of_roots(A: int, B: int, n: int, C: int = 0, m: int = 0) -> int:
    """The sign of A + B sqrt(n) + C sqrt(m), exactly; n, m >= 0."""

    def sign_of_sum(s: int, t: int, s_less_t: int) -> int:
        """The sign of a sum from its terms' signs and the sign of |s| - |t|."""
        return s if t == 0 or s == t else t if s == 0 else s * s_less_t

    b, c = sgn(B * n), sgn(C * m)
    roots = sign_of_sum(b, c, sgn(B * B * n - C * C * m))
    if sgn(A) == roots or roots == 0:
        return sgn(A)
    # A^2 - (B sqrt(n) + C sqrt(m))^2 has one root left.
    rest, cross_term = A * A - B * B * n - C * C * m, -2 * B * C
    last = sgn(cross_term * n * m)
    larger = sign_of_sum(sgn(rest), last, sgn(rest * rest - cross_term * cross_term * n * m))
    return sign_of_sum(sgn(A), roots, larger)


class Surd:
    """The real number a + b sqrt(n), of integers; both sides of an operation share n or are
    integers.
    """

    def __init__(self, a: int, b: int, n: int) -> None:
        self.a, self.b, self.n = a, b, n

    def sign(self) -> int:
        return sign_of_roots(self.a, self.b, self.n)

    def _like(self, other: Surd | int) -> Surd:
        return other if isinstance(other, Surd) else Surd(other, 0, self.n)

    def __add__(self, other: Surd | int) -> Surd:
        other = self._like(other)
        return Surd(self.a + other.a, self.b + other.b, self.n)

    def __mul__(self, other: Surd | int) -> Surd:
        other = self._like(other)
        a = self.a * other.a + self.b * other.b * self.n
        return Surd(a, self.a * other.b + self.b * other.a, self.n)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Surd:
        return Surd(-self.a, -self.b, self.n)

    def __sub__(self, other: Surd | int) -> Surd:
        return self + -other

    def __rsub__(self, other: int) -> Surd:
        return -self + other

    def __abs__(self) -> Surd:
        return -self if self.sign() < 0 else self

    def __lt__(self, other: Surd | int) -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: Surd | int) -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: Surd | int) -> bool:
        return (self - other).sign() > 0

    def __ge__(self, other: Surd | int) -> bool:
        return (self - other).sign() >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Surd, int)) and (self - other).sign() == 0

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Time:
    """The time (u + v sqrt(n)) / w, with w > 0 and v one of -1, 0, 1."""

    u: int
    w: int = 1
    v: int = 0
    n: int = 0

    def floor(self, times: int) -> int:
        """The floor of this time multiplied by a whole number."""
        square = self.n * times * times
        root = isqrt(square)
        # The floor of (x + sqrt(y)) / w is that of (x + floor(sqrt(y))) / w; of -sqrt(y):
        # -ceil(sqrt(y)).
        whole = self.v * (root + (self.v < 0 and root * root < square))
        return (times * self.u + whole) // self.w

    def compare(self, other: Time) -> int:
        """-1, 0 or 1 as this time is before, at or after the other."""
        A = self.u * other.w - other.u * self.w
        return sign_of_roots(A, self.v * other.w, self.n, -other.v * self.w, other.n)

    def is_multiple(self, of: int) -> bool:
        """Whether this is a multiple of 1 / of."""
        return self.compare(Time(self.floor(of), of)) == 0

    def between(self, later: Time) -> Time:
        """A rational time strictly between this and a later one."""
        bits = 32
        while True:
            between = Time(self.floor(2**bits) + 1, 2**bits)
            if between.compare(later) < 0:
                return between
            bits *= 2


# A polynomial in t is the tuple of its coefficients, constant first.
Polynomial = tuple[int, ...]


def _plus(*polynomials: Polynomial) -> Polynomial:
    return tuple(sum(coefficients) for coefficients in zip_longest(*polynomials, fillvalue=0))


def _times(k: int, p: Polynomial) -> Polynomial:
    return tuple(k * coefficient for coefficient in p)


def _square(linear: Polynomial) -> Polynomial:
    c, m = linear
    return c * c, 2 * c * m, m * m


def roots(p: Polynomial) -> list[Time]:
    """The real roots of a polynomial of degree 2 or less; none for a constant."""
    c, b, a = _plus(p, (0, 0, 0))
    if a == 0:
        return [Time(-sgn(b) * c, abs(b))] if b else []
    if a < 0:
        a, b, c = -a, -b, -c
    n = b * b - 4 * a * c
    return [] if n < 0 else [Time(-b, 2 * a, -1, n), Time(-b, 2 * a, 1, n)]


def polygon_polynomials(
    a: Shape,
    yaw: int,
    v: Sequence[Vec2],
    x: Polynomial,
    z: Polynomial,
    low: Polynomial,
    high: Polynomial,
) -> list[Polynomial]:
    """All that the contact of a shape at (x, z) with a polygon compares with 0; low and high: how
    far the shape is below and above it.
    """
    lines = [low, high, _plus(low, _times(-1, high))]
    if a[0] == "box":
        c, s = _direction(yaw)
        for (vx, vz), u in zip(v, edges(v), strict=True):
            lx, lz = _plus((vx,), _times(-1, x)), _plus((vz,), _times(-1, z))
            px = _plus(_times(c, lx), _times(s, lz))
            pz = _plus(_times(-s, lx), _times(c, lz))
            for p, half in ((px, a[1] * ONE_Q30), (pz, a[3] * ONE_Q30)):
                lines += [_plus(p, (half,)), _plus(p, (-half,))]
            U = turned_back(u, yaw)
            limit = ONE_Q30 * (a[1] * abs(U[1]) + a[3] * abs(U[0]))
            lines.append(_plus(_times(U[0], pz), _times(-U[1], px), (-limit,)))
        return lines
    if a[0] == POLYGON:
        own = vertices_of(a)
        for (vx, vz), u in zip(v, edges(v), strict=True):
            for px, pz in own:
                wx, wz = _plus(x, (px - vx,)), _plus(z, (pz - vz,))
                lines.append(_plus(_times(u[0], wz), _times(-u[1], wx)))
        for (px, pz), u in zip(own, edges(own), strict=True):
            for vx, vz in v:
                wx, wz = _plus((vx - px,), _times(-1, x)), _plus((vz - pz,), _times(-1, z))
                lines.append(_plus(_times(u[0], wz), _times(-u[1], wx)))
        return lines
    r = a[1]
    gaps: list[Polynomial] = [(0, 0)]
    if a[0] in ROUND:
        gaps += [low, high]
        lines += [_plus(low, (-r,)), _plus(high, (-r,))]
    for (vx, vz), u in zip(v, edges(v), strict=True):
        wx, wz = _plus(x, (-vx,)), _plus(z, (-vz,))
        uu = dot(u, u)
        s_j = _plus(_times(u[0], wz), _times(-u[1], wx))
        t_j = _plus(_times(u[0], wx), _times(u[1], wz))
        lines += [s_j, t_j, _plus(t_j, (-uu,))]
        for f in gaps:
            lines.append(_plus(_square(wx), _square(wz), _square(f), (-r * r,)))
            lines.append(_plus(_square(s_j), _times(uu, _square(f)), (-r * r * uu,)))
    return lines


GRID = 2**32  # at a cylinder's rim only multiples of 1 / GRID count


@dataclass(frozen=True)
class Approach:
    """Two shapes of fixed yaws that move: b's centre minus a's is start + t * motion."""

    a: Shape
    yaw_a: int
    b: Shape
    yaw_b: int
    start: Vec3
    motion: Vec3

    def at(self, t: Time) -> tuple[Shape, Shape, Vec3]:
        """The shapes and their difference at t, all w times as large, which leaves the contact as
        it is.
        """

        def along(c: int, m: int) -> Real:
            whole = t.w * c + t.u * m
            return Surd(whole, t.v * m, t.n) if t.v else whole

        dx, dy, dz = (along(c, m) for c, m in zip(self.start, self.motion, strict=True))
        a, b = ((kind, *(t.w * size for size in sizes)) for kind, *sizes in (self.a, self.b))
        return a, b, (dx, dy, dz)

    def contact(self, t: Time) -> int:
        a, b, d = self.at(t)
        return contact(a, self.yaw_a, b, self.yaw_b, d)

    def swapped(self) -> Approach:
        """The same approach as b sees it."""
        minus = [tuple(-v for v in d) for d in (self.start, self.motion)]
        return Approach(self.b, self.yaw_b, self.a, self.yaw_a, *minus)

    def polynomials(self) -> list[Polynomial]:
        """In t, all that the contact compares with 0, at every place but a cylinder's rim."""
        a, b = self.a, self.b
        require_rule("Approach.polynomials", (*ROUND, "cylinder", "box", POLYGON), a, b)
        if a[0] == POLYGON != b[0]:
            return self.swapped().polynomials()
        if b[0] == POLYGON:
            x, y, z = ((-at, -m) for at, m in zip(self.start, self.motion, strict=True))
            h = half_height(a) + half_height(b)
            gaps = _plus(_times(-1, y), (-h,)), _plus(y, (-h,))
            return polygon_polynomials(a, self.yaw_a, vertices_of(b), x, z, *gaps)
        if ORDER.index(a[0]) > ORDER.index(b[0]):
            return self.swapped().polynomials()
        dx, dy, dz = zip(self.start, self.motion, strict=True)
        h = half_height(a) + half_height(b)
        faces = [_plus(dy, (h,)), _plus(dy, (-h,))]
        if a[0] == "box":
            at_start, by_motion = (
                box_axes(a, self.yaw_a, b, self.yaw_b, (d[0], d[2]))
                for d in (self.start, self.motion)
            )
            slabs = [(p, m, limit) for (p, limit), (m, _) in zip(at_start, by_motion, strict=True)]
            return faces + [(p + side, m) for p, m, limit in slabs for side in (limit, -limit)]

        reach = a[1] + (b[1] if b[0] != "box" else 0)
        lines: list[Polynomial] = []
        planar: list[tuple[Polynomial, Polynomial]] = [(dx, dz)]
        scale = 1
        if b[0] == "box":
            # On each axis the distance to the box is 0 or that to one of its sides.
            (x0, z0), (x1, z1) = (
                turned_back((d[0], d[2]), self.yaw_b) for d in (self.start, self.motion)
            )
            scale = ONE_Q30
            side_x, side_z = (
                [_plus(line, (half * scale,)), _plus(line, (-half * scale,))]
                for line, half in (((x0, x1), b[1]), ((z0, z1), b[3]))
            )
            lines = side_x + side_z
            planar = [(ex, ez) for ex in [(0, 0), *side_x] for ez in [(0, 0), *side_z]]
        elif b[0] == "cylinder":
            lines = [_plus(_square(dx), _square(dz), (-b[1] * b[1],))]
        if a[0] in ROUND:
            lines += [_plus(dy, (h + a[1],)), _plus(dy, (-h - a[1],))]
        distances = [
            _plus(_square(ex), _square(ez), _square(_times(scale, f)), (-((reach * scale) ** 2),))
            for ex, ez in planar
            for f in [(0, 0), *faces]
        ]
        return faces + lines + distances

    def critical_times(self) -> list[Time]:
        """The times of 0..1, both included, at which the contact may change but at a rim;
        ascending.
        """
        inside = [
            t
            for polynomial in self.polynomials()
            for t in roots(polynomial)
            if t.compare(Time(0)) > 0 and t.compare(Time(1)) < 0
        ]
        return [Time(0), *sorted(inside, key=cmp_to_key(Time.compare)), Time(1)]

    def at_rim(self, t: Time) -> bool:
        """Whether a round shape is above or below a cylinder and its axis outside the cylinder's
        disc.
        """
        a, b, (dx, dy, dz) = self.at(t)
        if a[0] in ROUND and b[0] == "cylinder":
            disc = b[1]
        elif a[0] == "cylinder" and b[0] in ROUND:
            disc = a[1]
        else:
            return False
        return bool(vertical_gap(a, b, dy) > 0 and dx * dx + dz * dz > disc * disc)

    def first_contact(self, hit_when: int) -> int | None:
        """floor(65536 t*), or None."""
        times = self.critical_times()
        for t, later in zip(times, [*times[1:], Time(1)], strict=True):
            counts = t.is_multiple(GRID) or not self.at_rim(t)
            if counts and self.contact(t) >= hit_when:
                return t.floor(65536)
            if t.compare(later) == 0:
                continue
            # Up to the next critical time all comparisons stay as they are at any time between.
            between = t.between(later)
            if self.at_rim(between):
                step = self._first_rim_contact(t, later, hit_when)
                if step is not None:
                    return step * 65536 // GRID
            elif self.contact(between) >= hit_when:
                return t.floor(65536)
        return None

    def _first_rim_contact(self, after: Time, before: Time, hit_when: int) -> int | None:
        """The first step of the grid with a contact, strictly between two times with the rim all
        the way.

        The distance is a convex function of t: along the grid it falls up to the nearest step, then
        rises."""

        def is_hit(step: int) -> bool:
            return self.contact(Time(step, GRID)) >= hit_when

        def distance(step: int) -> tuple[int, int, int]:
            """(A, B, n): the squared distance from the rim is A - B sqrt(n), up to a constant."""
            a, b, (dx, dy, dz) = self.at(Time(step, GRID))
            disc = a[1] if a[0] == "cylinder" else b[1]
            square = dx * dx + dz * dz
            return square + vertical_gap(a, b, dy) ** 2, 2 * disc, square

        def rises(step: int) -> bool:
            A, B, n = distance(step)
            next_A, _, next_n = distance(step + 1)
            return sign_of_roots(next_A - A, B, n, -B, next_n) >= 0

        first = after.floor(GRID) + 1
        last = before.floor(GRID) - before.is_multiple(GRID)
        if first > last:
            return None
        nearest = first + bisect_left(range(first, last), True, key=rises)
        if not is_hit(nearest):
            return None
        return first + bisect_left(range(first, nearest), True, key=is_hit)


def _quotient(v: int, by: int) -> int:
    """v / by, rounded toward zero."""
    return sgn(v) * (abs(v) // by)


def length_28(v: Vec3) -> int:
    """The length of v times 2^14."""
    return isqrt(sum(c * c for c in v) * 2**28)


def unit(v: Vec3) -> Vec3:
    """v at length 2^30."""
    s = length_28(v)
    x, y, z = (_quotient(c * 2**44, s) for c in v)
    return x, y, z


def back(n: Vec3, yaw: int) -> Vec3:
    """A normal of a turned frame in the world's."""
    c, s = _direction(yaw)
    return R(n[0] * c - n[2] * s), n[1], R(n[0] * s + n[2] * c)


def normal_and_distance(a: Shape, yaw_a: int, b: Shape, yaw_b: int, P: Vec3) -> tuple[Vec3, int]:
    """The normal from b towards a, and the gap along it in 2^-30 raw units; P is a's centre minus
    b's in 1/65536 raw units.
    """
    require_rule("normal_and_distance", (*ROUND, "cylinder", "box", POLYGON), a, b)
    if (
        (a[0] == POLYGON != b[0])
        or (b[0] in ROUND and a[0] not in ROUND)
        or (a[0] == "box" and b[0] == "cylinder")
    ):
        (x, y, z), gap = normal_and_distance(b, yaw_b, a, yaw_a, (-P[0], -P[1], -P[2]))
        return (-x, -y, -z), gap

    x, y, z = P
    h = 65536 * (half_height(a) + half_height(b))
    if a[0] not in ROUND and abs(y) >= h:
        return (0, sgn(y) * ONE_Q30, 0), (abs(y) - h) * 2**14
    F = sgn(y) * max(0, abs(y) - h) if a[0] in ROUND else 0

    if b[0] == POLYGON:
        w = [(x - 65536 * vx, z - 65536 * vz) for vx, vz in vertices_of(b)]
        return polygon_normal(a, yaw_a, edges(vertices_of(b)), w, F)

    def gap_along(v: Vec3, radii: int) -> int:
        return max(0, length_28(v) - ONE_Q30 * radii)

    if (a[0] in ROUND and b[0] in ROUND) or (a[0] == "cylinder" and b[0] == "cylinder"):
        return unit((x, F, z)), gap_along((x, F, z), a[1] + b[1])
    if b[0] == "cylinder":
        distance = isqrt(x * x + z * z)
        E = max(0, distance - 65536 * b[1])
        out = (_quotient(x * E, distance), F, _quotient(z * E, distance)) if E else (0, F, 0)
        return unit(out), gap_along(out, a[1])
    if a[0] != "box":
        L = turned_back((x, z), yaw_b)
        ex, ez = (
            _quotient(sgn(along) * max(0, abs(along) - half * 2**46), ONE_Q30)
            for along, half in zip(L, (b[1], b[3]), strict=True)
        )
        return back(unit((ex, F, ez)), yaw_b), gap_along((ex, F, ez), a[1])

    axes = [(p, abs(p) - 65536 * limit) for p, limit in box_axes(a, yaw_a, b, yaw_b, (x, z))]
    greatest = max(beyond for _, beyond in axes)
    axis = next(i for i, (_, beyond) in enumerate(axes) if beyond == greatest)
    n = [0, 0, 0]
    n[0 if axis in (0, 2) else 2] = sgn(axes[axis][0]) * ONE_Q30
    turned = back((n[0], n[1], n[2]), yaw_b if axis < 2 else yaw_a)
    return turned, max(0, greatest) // 65536


def polygon_normal(
    shape: Shape, yaw: int, u: Sequence[Vec2], w: Sequence[Vec2], F: int
) -> tuple[Vec3, int]:
    """Of a shape beside a polygon with the edges u, its centre at w from the start of each, in
    1/65536 raw units, F above or below it.
    """

    def out_along(v: Vec3, radii: int) -> tuple[Vec3, int]:
        return unit(v), max(0, length_28(v) - ONE_Q30 * radii)

    if shape[0] == POLYGON:
        return _polygons_normal(vertices_of(shape), u, w)
    if shape[0] == "box":
        return _box_normal(shape, yaw, u, w)
    s = [cross(u_j, w_j) for u_j, w_j in zip(u, w, strict=True)]
    for j, u_j in enumerate(u):
        if s[j] < 0 and 0 < dot(u_j, w[j]) < 65536 * dot(u_j, u_j):
            uu, far = dot(u_j, u_j), abs(s[j])
            if F == 0:
                gap = far * 2**44 // isqrt(uu * 2**60) - ONE_Q30 * shape[1]
                return _outward(u_j), max(0, gap)
            out = _quotient(u_j[1] * far, uu), F, _quotient(-u_j[0] * far, uu)
            return out_along(out, shape[1])
    if not any(s_j < 0 for s_j in s):
        return out_along((0, F, 0), shape[1])
    nearest = min(w, key=lambda w_j: dot(w_j, w_j))
    return out_along((nearest[0], F, nearest[1]), shape[1])


def _polygons_normal(own: Sequence[Vec2], u: Sequence[Vec2], w: Sequence[Vec2]) -> tuple[Vec3, int]:
    found: list[tuple[int, Vec3]] = []
    grown = [(65536 * x, 65536 * z) for x, z in own]
    for u_j, w_j in zip(u, w, strict=True):
        inside = max(cross(u_j, (w_j[0] + x, w_j[1] + z)) for x, z in grown)
        gap = _quotient(-inside * 2**44, isqrt(dot(u_j, u_j) * 2**60))
        found.append((gap, _outward(u_j)))
    for (x, z), u_j in zip(grown, edges(own), strict=True):
        inside = max(cross(u_j, (-w_k[0] - x, -w_k[1] - z)) for w_k in w)
        gap = _quotient(-inside * 2**44, isqrt(dot(u_j, u_j) * 2**60))
        found.append((gap, _outward((-u_j[0], -u_j[1]))))
    greatest = max(gap for gap, _ in found)
    return next(n for gap, n in found if gap == greatest), max(0, greatest)


def _outward(u: Vec2) -> Vec3:
    return unit((65536 * u[1], 0, -65536 * u[0]))


def _box_normal(box: Shape, yaw: int, u: Sequence[Vec2], w: Sequence[Vec2]) -> tuple[Vec3, int]:
    _, half_x, _, half_z = box
    found: list[tuple[int, Vec3]] = []
    for u_j, w_j in zip(u, w, strict=True):
        U = turned_back(u_j, yaw)
        reach = 65536 * (half_x * abs(U[1]) + half_z * abs(U[0]))
        beyond = ONE_Q30 * cross(u_j, (-w_j[0], -w_j[1])) - reach
        gap = _quotient(beyond * 2**14, isqrt(dot(u_j, u_j) * 2**60))
        found.append((gap, _outward(u_j)))
    turned = [turned_back((-w_j[0], -w_j[1]), yaw) for w_j in w]
    for axis, half in ((0, half_x), (1, half_z)):
        along = [p[axis] for p in turned]
        for sign, beyond in ((1, -max(along)), (-1, min(along))):
            n = [0, 0, 0]
            n[2 * axis] = sign * ONE_Q30
            gap = _quotient(beyond - half * 2**46, 65536)
            found.append((gap, back((n[0], n[1], n[2]), yaw)))
    greatest = max(gap for gap, _ in found)
    return next(n for gap, n in found if gap == greatest), max(0, greatest)


def cast_pair(
    a: Any, pa: Any, motion_a: Any, b: Any, pb: Any, motion_b: Any, hit_when: int = TOUCHING
) -> tuple[int, Vec3] | None:
    """(fraction, normal) of the first contact on the way, or None."""
    found = cast_and_distance(a, pa, motion_a, b, pb, motion_b, hit_when)
    return None if found is None else found[:2]


def cast_and_distance(
    a: Any, pa: Any, motion_a: Any, b: Any, pb: Any, motion_b: Any, hit_when: int = TOUCHING
) -> tuple[int, Vec3, int] | None:
    """As `cast_pair`, and the distance, by which hits of one fraction are ordered."""
    a, pa, b, pb = _checked_solids(a, pa, b, pb)
    motion_a = integers("motion_a", motion_a, 3, -SIZE_MAX, SIZE_MAX)
    motion_b = integers("motion_b", motion_b, 3, -SIZE_MAX, SIZE_MAX)
    hit_when = integer("hit_when", hit_when, TOUCHING, OVERLAPPING)

    a, b = as_polygon(a, pa[3]), as_polygon(b, pb[3])
    approach = Approach(a, pa[3], b, pb[3], _relative(pa, pb), _relative(motion_a, motion_b))
    fraction = approach.first_contact(hit_when)
    if fraction is None:
        return None
    if approach.contact(Time(0)) == OVERLAPPING:
        return fraction, (0, 0, 0), 0
    x, y, z = (
        -(65536 * c + fraction * m) for c, m in zip(approach.start, approach.motion, strict=True)
    )
    return fraction, *normal_and_distance(a, pa[3], b, pb[3], (x, y, z))


# The hash of a state.

_PRIME_1 = 0x9E3779B185EBCA87
_PRIME_2 = 0xC2B2AE3D27D4EB4F
_PRIME_3 = 0x165667B19E3779F9
_PRIME_4 = 0x85EBCA77C2B2AE63
_PRIME_5 = 0x27D4EB2F165667C5
_U64 = 2**64 - 1


def _rotated(v: int, bits: int) -> int:
    return (v << bits | v >> (64 - bits)) & _U64


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _PRIME_2) & _U64, 31) * _PRIME_1 & _U64


def xxh64(data: bytes, seed: int = 0) -> int:
    """XXH64, from the published specification of the algorithm."""

    def word(at: int, size: int) -> int:
        return int.from_bytes(data[at : at + size], "little")

    at = 0
    if len(data) < 32:
        digest = (seed + _PRIME_5) & _U64
    else:
        starts = _PRIME_1 + _PRIME_2, _PRIME_2, 0, -_PRIME_1
        lanes = [(seed + start) & _U64 for start in starts]
        while at + 32 <= len(data):
            lanes = [_round(lane, word(at + 8 * i, 8)) for i, lane in enumerate(lanes)]
            at += 32
        digest = (
            sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
            & _U64
        )
        for lane in lanes:
            digest = ((digest ^ _round(0, lane)) * _PRIME_1 + _PRIME_4) & _U64
    digest = (digest + len(data)) & _U64
    while at + 8 <= len(data):
        digest = (_rotated(digest ^ _round(0, word(at, 8)), 27) * _PRIME_1 + _PRIME_4) & _U64
        at += 8
    if at + 4 <= len(data):
        digest = (_rotated(digest ^ word(at, 4) * _PRIME_1 & _U64, 23) * _PRIME_2 + _PRIME_3) & _U64
        at += 4
    while at < len(data):
        digest = _rotated(digest ^ data[at] * _PRIME_5 & _U64, 11) * _PRIME_1 & _U64
        at += 1
    digest = (digest ^ digest >> 33) * _PRIME_2 & _U64
    digest = (digest ^ digest >> 29) * _PRIME_3 & _U64
    return digest ^ digest >> 32


# The world.

ENTER, STAY, EXIT = 1, 2, 3
LAYERS = 32
Event = tuple[int, int, int, int]


@dataclass(frozen=True)
class Collider:
    """What a world holds under an id. Made only from checked values; its centre is in range."""

    shape: Shape
    pose: Pose
    layer: int
    owner: int
    offset: tuple[int, ...]
    active: bool

    def __post_init__(self) -> None:
        centre(self.pose, self.offset)

    @property
    def at(self) -> Pose:
        """The pose of the shape itself: the collider's centre and yaw."""
        return (*centre(self.pose, self.offset), self.pose[3])


def _layer(value: Any) -> int:
    return integer("layer", value, 0, LAYERS - 1)


def _owner(value: Any) -> int:
    return integer("owner", value, 0, UINT32_MAX)


def _offset(value: Any) -> tuple[int, ...]:
    return integers("offset", value, 3, INT32_MIN, INT32_MAX)


def _active(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"active must be True or False, not {value!r}")
    return value


def layer_masks(layers: Any) -> list[int]:
    """The 32 rows of the layer matrix with only the given pairs enabled; None enables all."""
    if layers is None:
        return [2**LAYERS - 1] * LAYERS
    masks = [0] * LAYERS
    for pair in layers:
        i, j = integers("a pair of layers", pair, 2, 0, LAYERS - 1)
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    return masks


def is_symmetric(masks: Sequence[int]) -> bool:
    pairs = combinations(range(LAYERS), 2)
    return all((masks[i] >> j ^ masks[j] >> i) & 1 == 0 for i, j in pairs)


class ModelWorld:
    """Colliders by id, and the hits of the last step. Whatever raises has changed nothing."""

    def __init__(self, capacity: int, hit_when: int = TOUCHING, layers: Any = None) -> None:
        self.capacity = integer("capacity", capacity, 0, UINT32_MAX)
        self.hit_when = integer("hit_when", hit_when, TOUCHING, OVERLAPPING)
        self.masks = layer_masks(layers)
        self.frame = 0
        self.colliders: dict[int, Collider] = {}
        self.hits: dict[tuple[int, int], int] = {}  # the last step's, with their contacts
        self.changed: set[int] = set()  # ids added or removed since the last step

    # Changes.

    def _id(self, value: Any) -> int:
        return integer("id", value, 0, self.capacity - 1)

    def _present(self, value: Any) -> int:
        id = self._id(value)
        if id not in self.colliders:
            raise KeyError(id)
        return id

    def __getitem__(self, id: int) -> Collider:
        return self.colliders[self._present(id)]

    def _set(self, id: int, **fields: Any) -> None:
        self.colliders[id] = replace(self.colliders[id], **fields)

    def add(
        self,
        id: int,
        shape: Any,
        pose: Any,
        *,
        layer: int = 0,
        owner: int = 0,
        offset: Any = (0, 0, 0),
        active: bool = True,
    ) -> None:
        id = self._id(id)
        if id in self.colliders:
            raise ValueError(f"id {id} is taken")
        self.colliders[id] = Collider(
            shape=checked_shape(shape),
            pose=checked_pose(pose),
            layer=_layer(layer),
            owner=_owner(owner),
            offset=_offset(offset),
            active=_active(active),
        )
        self.changed.add(id)

    def remove(self, id: int) -> None:
        id = self._present(id)
        del self.colliders[id]
        self.changed.add(id)

    def move(self, id: int, x: int, y: int, z: int) -> None:
        id = self._present(id)
        self._set(id, pose=checked_pose((x, y, z, self.colliders[id].pose[3])))

    def turn(self, id: int, yaw: int) -> None:
        id = self._present(id)
        self._set(id, pose=checked_pose((*self.colliders[id].pose[:3], yaw)))

    def set_pose(self, id: int, pose: Any) -> None:
        self._set(self._present(id), pose=checked_pose(pose))

    def set_shape(self, id: int, shape: Any) -> None:
        self._set(self._present(id), shape=checked_shape(shape))

    def set_offset(self, id: int, offset: Any) -> None:
        self._set(self._present(id), offset=_offset(offset))

    def set_owner(self, id: int, owner: int) -> None:
        self._set(self._present(id), owner=_owner(owner))

    def set_layer(self, id: int, layer: int) -> None:
        self._set(self._present(id), layer=_layer(layer))

    def set_active(self, id: int, active: bool) -> None:
        self._set(self._present(id), active=_active(active))

    def set_layers(self, layers: Any) -> None:
        self.masks = layer_masks(layers)

    # Answers.

    def contact(self, a: int, b: int) -> int:
        """The contact of two colliders as they are now, whatever their layers, owners and
        activity.
        """
        one, other = self[a], self[b]
        return overlap(one.shape, one.at, other.shape, other.at)

    def _tested(self, a: Collider, b: Collider) -> bool:
        owners_allow = a.owner != b.owner or a.owner == 0
        layers_allow = bool(self.masks[a.layer] >> b.layer & 1)
        return a.active and b.active and owners_allow and layers_allow

    def _hits_now(self) -> dict[tuple[int, int], int]:
        return {
            (a, b): found
            for a, b in combinations(sorted(self.colliders), 2)
            if self._tested(self[a], self[b]) and (found := self.contact(a, b)) >= self.hit_when
        }

    def step(self) -> list[Event]:
        """The events (a, b, kind, contact) by (a, b), an EXIT before the ENTER of the same pair."""
        before, now = self.hits, self._hits_now()
        events = []
        for a, b in sorted(before.keys() | now.keys()):
            was_hit, is_hit = (a, b) in before, (a, b) in now
            same_ids = a not in self.changed and b not in self.changed
            if was_hit and is_hit and same_ids:
                events.append((a, b, STAY, now[a, b]))
                continue
            if was_hit:
                events.append((a, b, EXIT, APART))
            if is_hit:
                events.append((a, b, ENTER, now[a, b]))
        self.hits = now
        self.changed = set()
        self.frame = (self.frame + 1) % 2**32
        return events

    def _seen_by(self, mask: Any, exclude_owner: Any) -> list[int]:
        """The ids a query looks at, ascending."""
        mask = integer("mask", mask, 0, 2**LAYERS - 1)
        excluded = integer("exclude_owner", exclude_owner, 0, UINT32_MAX)
        return [
            id
            for id, c in sorted(self.colliders.items())
            if c.active and mask >> c.layer & 1 and (excluded == 0 or c.owner != excluded)
        ]

    def query(
        self,
        shape: Any,
        pose: Any,
        mask: int = 2**LAYERS - 1,
        *,
        exclude_owner: int = 0,
        hit_when: int | None = None,
    ) -> list[int]:
        """The ids, ascending, of what the shape would hit at the pose."""
        shape, pose = checked_shape(shape), checked_pose(pose)
        when = self.hit_when if hit_when is None else integer("hit_when", hit_when, 1, 2)
        return [
            id
            for id in self._seen_by(mask, exclude_owner)
            if self._contact_with(id, shape, pose) >= when
        ]

    def nearest(
        self,
        shape: Any,
        pose: Any,
        mask: int = 2**LAYERS - 1,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
    ) -> list[int]:
        """The colliders of `query` by the squared distance of their centres from the pose, then by
        id; all, or the first limit.
        """

        def key(id: int) -> tuple[int, int]:
            return sum((p - q) ** 2 for p, q in zip(self[id].at[:3], pose[:3], strict=True)), id

        found = self.query(shape, pose, mask, exclude_owner=exclude_owner)
        found = sorted((id for id in found if id in self.colliders), key=key)
        return found[:limit] if limit else found

    def _contact_with(self, id: int, shape: Shape, pose: Pose) -> int:
        return overlap(shape, pose, self[id].shape, self[id].at)

    def _cast_at(self, id: int, shape: Any, pose: Any, motion: Any, hit_when: int) -> Any:
        """As `cast_and_distance`, at what stands still; None for a sector."""
        seen = self[id]
        if seen.shape[0] == "sector":
            return None
        return cast_and_distance(shape, pose, motion, seen.shape, seen.at, (0, 0, 0), hit_when)

    def cast(
        self,
        shape: Any,
        pose: Any,
        motion: Any,
        mask: int = 2**LAYERS - 1,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> list[tuple[int, int, Vec3]]:
        """The hits (id, fraction, normal) of a moving shape by (fraction, distance, id); all, or
        the first limit.
        """
        limit = integer("limit", limit, 0, UINT32_MAX)
        ids = self._seen_by(mask, exclude_owner)
        return self._first_hits(ids, shape, pose, motion, limit, hit_when)

    def sweep(
        self, id: int, motion: Any, *, limit: int = 0, hit_when: int | None = None
    ) -> list[tuple[int, int, Vec3]]:
        """The cast of a collider's own shape at what it may hit, active itself or not."""
        me = self[id]
        ids = [other for other in self._seen_by(self.masks[me.layer], me.owner) if other != id]
        return self._first_hits(ids, me.shape, me.at, motion, limit, hit_when)

    def _first_hits(
        self, ids: list[int], shape: Any, pose: Any, motion: Any, limit: int, hit_when: int | None
    ) -> list[tuple[int, int, Vec3]]:
        hit_when = self.hit_when if hit_when is None else hit_when
        # Refuses what it must, seen or not.
        cast_pair(shape, pose, motion, shape, pose, motion, hit_when)
        hits = [
            (id, *hit)
            for id in ids
            if (hit := self._cast_at(id, shape, pose, motion, hit_when)) is not None
        ]
        hits.sort(key=lambda hit: (hit[1], hit[3], hit[0]))
        return [hit[:3] for hit in (hits[:limit] if limit else hits)]

    def _pairs(self) -> list[tuple[int, int]]:
        """All pairs that `step` tests."""
        pairs = combinations(sorted(self.colliders), 2)
        return [(a, b) for a, b in pairs if self._tested(self[a], self[b])]

    def sweep_pairs(
        self, motions: dict[int, Any], *, hit_when: int | None = None, limit: int = 0
    ) -> list[tuple[int, int, int, Vec3]]:
        """The hits (a, b, fraction, normal) of colliders that move at once, by (fraction, distance,
        a, b); all, or the first limit.
        """
        when = self.hit_when if hit_when is None else hit_when
        hits = []
        for a, b in self._pairs():
            if a in motions or b in motions:
                found = self._meeting(a, motions.get(a, (0, 0, 0)), b, motions.get(b), when)
                if found is not None:
                    fraction, n, distance = found
                    hits.append((fraction, distance, a, b, n))
        hits.sort(key=lambda hit: hit[:4])
        found_rows = [(a, b, fraction, n) for fraction, _, a, b, n in hits]
        return found_rows[:limit] if limit else found_rows

    def _meeting(self, a: int, motion_a: Any, b: int, motion_b: Any, hit_when: int) -> Any:
        """As `cast_and_distance`; None for sectors."""
        one, other = self[a], self[b]
        if "sector" in (one.shape[0], other.shape[0]):
            return None
        still = (0, 0, 0)
        return cast_and_distance(
            one.shape, one.at, motion_a, other.shape, other.at, motion_b or still, hit_when
        )

    # The saved state.

    def save(self) -> bytes:
        parts = [b"FXS1", pack("<II", self.frame, self.hit_when), pack("<32I", *self.masks)]
        parts.append(pack("<I", len(self.colliders)))
        for id, c in sorted(self.colliders.items()):
            kind, *sizes = c.shape
            # A sector's inner radius is its third size, where it has one.
            half_angle = sizes.pop(1) if has_half_angle(kind) else 0
            sizes += [0] * (3 - len(sizes))
            parts.append(pack("<IBBBB", id, ORDER.index(kind), c.layer, c.active, 0))
            parts.append(pack("<HHI", c.pose[3], half_angle, c.owner))
            parts.append(pack("<9i", *c.pose[:3], *c.offset, *sizes))
        parts.append(pack("<I", len(self.hits)))
        parts += [pack("<III", a, b, found) for (a, b), found in sorted(self.hits.items())]
        parts.append(pack("<I", len(self.changed)))
        parts += [pack("<I", id) for id in sorted(self.changed)]
        return b"".join(parts)

    def hash(self) -> int:
        return xxh64(self.save())

    def load(self, data: bytes) -> None:
        """Replace everything but the capacity; ValueError for any bytes that save() could not have
        made.
        """
        loaded = _decoded(data, self.capacity)
        vars(self).update(vars(loaded))

    # Match logs.

    def apply(self, command: Sequence[Any]) -> Any:
        """Carry out one command of a match log; the answer of a query or a cast, else None."""
        match command:
            case ["add", id, shape, position, yaw, layer, owner, offset, active]:
                pose, options = (*position, yaw), {"offset": offset, "active": active}
                self.add(id, shape, pose, layer=layer, owner=owner, **options)
            case ["move", id, [x, y, z]]:
                self.move(id, x, y, z)
            case ["turn", id, yaw]:
                self.turn(id, yaw)
            case ["pose", id, [x, y, z], yaw]:
                self.set_pose(id, (x, y, z, yaw))
            case ["shape", id, shape]:
                self.set_shape(id, shape)
            case ["offset", id, offset]:
                self.set_offset(id, offset)
            case ["owner", id, owner]:
                self.set_owner(id, owner)
            case ["layer", id, layer]:
                self.set_layer(id, layer)
            case ["active", id, active]:
                self.set_active(id, active)
            case ["remove", id]:
                self.remove(id)
            case ["layers", layers]:
                self.set_layers(layers)
            case ["query", shape, [x, y, z], yaw, mask, *more]:
                owner, when = [*more, *(0, None)[len(more) :]]
                pose = (x, y, z, yaw)
                return self.query(shape, pose, mask, exclude_owner=owner, hit_when=when)
            case ["cast", shape, [x, y, z], yaw, motion, mask, owner, limit, hit_when]:
                pose, options = (x, y, z, yaw), {"limit": limit, "hit_when": hit_when}
                hits = self.cast(shape, pose, motion, mask, exclude_owner=owner, **options)
                return [[id, fraction, *n] for id, fraction, n in hits]
            case _:
                raise ValueError(f"not a command: {command!r}")
        return None

    def play_frame(self, commands: Sequence[Any]) -> tuple[list[Event], list[Any]]:
        """One frame of a match log: its events, and the answers of its queries and casts in
        order.
        """
        asked = [command for command in commands if command[0] in ("query", "cast")]
        for command in commands:
            if command[0] not in ("query", "cast"):
                self.apply(command)
        events = self.step()
        return events, [self.apply(command) for command in asked]


def _decoded(data: bytes, capacity: int, solids: int = 0) -> ModelWorld:
    """The world that saved these bytes. solids: how many its level has."""
    at = 0

    def take(fmt: str) -> tuple[Any, ...]:
        nonlocal at
        if len(data) - at < calcsize(fmt):
            raise ValueError(
                f"the state ends at byte {len(data)}, inside a record that starts at byte {at}"
            )
        at += calcsize(fmt)
        return unpack_from(fmt, data, at - calcsize(fmt))

    def ascending(name: str, values: Sequence[Any]) -> None:
        if any(first >= second for first, second in pairwise(values)):
            raise ValueError(f"{name} must ascend")

    if take("<4s") != (b"FXS1",):
        raise ValueError("not a saved state")
    frame, hit_when = take("<II")
    world = ModelWorld(capacity, hit_when)
    world.frame = frame
    world.masks = list(take("<32I"))
    if not is_symmetric(world.masks):
        raise ValueError("the layer matrix must be symmetric")

    ids = []
    for _ in range(*take("<I")):
        id, kind, layer, active, padding, yaw, half_angle, owner = take("<IBBBBHHI")
        x, y, z, ox, oy, oz, *sizes = take("<9i")
        ids.append(id)
        name = ORDER[integer("kind", kind, 0, len(ORDER) - 1)]
        integer("active", active, 0, 1)
        integer("padding", padding, 0, 0)
        has_angle = has_half_angle(name)
        used = len(KINDS[name]) - has_angle + (name == "sector")  # with inner_radius
        for unused in sizes[used:] + ([] if has_angle else [half_angle]):
            integer("an unused size", unused, 0, 0)
        fields = sizes[:used]
        if has_angle:
            fields.insert(1, half_angle)
        world.colliders[integer("id", id, 0, capacity - 1)] = Collider(
            shape=checked_shape((name, *fields)),
            pose=(x, y, z, yaw),
            layer=_layer(layer),
            owner=owner,
            offset=(ox, oy, oz),
            active=bool(active),
        )
    ascending("ids", ids)

    hits = [take("<III") for _ in range(*take("<I"))]
    ascending("hits", [(a, b) for a, b, _ in hits])
    for a, b, found in hits:
        is_solid = 2**31 <= b < 2**31 + solids
        if not (a < b < capacity or (a < capacity and is_solid)):
            raise ValueError(f"a hit's ids must be a < b < {capacity}, not {a}, {b}")
        world.hits[a, b] = integer("a hit's contact", found, hit_when, OVERLAPPING)

    changed = [integer("a changed id", take("<I")[0], 0, capacity - 1) for _ in range(*take("<I"))]
    ascending("changed ids", changed)
    world.changed = set(changed)
    for id in {id for pair in world.hits for id in pair}:
        if id < 2**31 and id not in world.colliders and id not in world.changed:
            raise ValueError(f"id {id} has a hit but is neither there nor changed")
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes after the end")
    return world

# ruff: noqa: N806 - the names and the order of the contract's own formulas.
"""Levels in plain Python integers: the oracle of the contract's section 9, beside `model`.

Written from the contract alone; it imports nothing of fixsync. A solid is a tuple as in a match
log: ("prism", layer, y_low, y_high, [[x, z], ...]) or
("cylinder", layer, y_low, y_high, [x, z], radius).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from struct import calcsize, pack, unpack_from
from typing import Any

from model import (
    APART,
    CLS,
    INT32_MAX,
    INT32_MIN,
    ONE_Q30,
    OVERLAPPING,
    ROUND,
    SIZE_MAX,
    TOUCHING,
    TURN,
    Approach,
    ModelWorld,
    Polynomial,
    Pose,
    Real,
    Shape,
    Time,
    Vec2,
    Vec3,
    _decoded,
    _direction,
    _plus,
    _quotient,
    _square,
    _times,
    back,
    checked_pose,
    checked_shape,
    cross,
    dot,
    half_height,
    integer,
    integers,
    length_28,
    planar_sector,
    require_rule,
    turned_back,
    unit,
    xxh64,
)
from model import contact as contact_of_shapes
from model import normal_and_distance as normal_of_shapes

LEVEL = 2**31
CODES = {"cylinder": 2, "prism": 5}
VERTICES_MAX = 32
SPAN_MAX = 2**30 - 2


@dataclass(frozen=True)
class Solid:
    """One solid: a cylinder has one vertex, its centre, and a radius; a prism a radius of 0."""

    kind: str
    layer: int
    y_low: int
    y_high: int
    vertices: tuple[Vec2, ...]
    radius: int = 0

    def as_log(self) -> list[Any]:
        """The solid as a match log writes it."""
        head = [self.kind, self.layer, self.y_low, self.y_high]
        vertices = [list(v) for v in self.vertices]
        return [*head, vertices[0], self.radius] if self.radius else [*head, vertices]

    def to_bytes(self) -> bytes:
        count = 0 if self.radius else len(self.vertices)
        head = pack("<BBHii", CODES[self.kind], self.layer, count, self.y_low, self.y_high)
        rest = b"".join(pack("<ii", x, z) for x, z in self.vertices)
        return head + rest + (pack("<i", self.radius) if self.radius else b"")


def checked_solid(row: Any) -> Solid:
    """A solid from a log's row; TypeError or ValueError if it is invalid."""
    kind, layer, y_low, y_high, *rest = row
    integer("layer", layer, 0, 31)
    integer("y_low", y_low, INT32_MIN, INT32_MAX)
    integer("y_high", y_high, INT32_MIN, INT32_MAX)
    if y_low >= y_high:
        raise ValueError(f"y_low {y_low} must be below y_high {y_high}")
    if kind == "cylinder":
        centre, radius = rest
        at = integers("centre", centre, 2, INT32_MIN, INT32_MAX)
        size = integer("radius", radius, 1, SIZE_MAX)
        return Solid(kind, layer, y_low, y_high, ((at[0], at[1]),), size)
    if kind != "prism":
        raise ValueError(f"kind must be prism or cylinder, not {kind!r}")
    (vertices,) = rest
    if not 3 <= len(vertices) <= VERTICES_MAX:
        raise ValueError(f"a prism has 3..{VERTICES_MAX} vertices, not {len(vertices)}")
    points = [integers("a vertex", v, 2, INT32_MIN, INT32_MAX) for v in vertices]
    fault = polygon_fault([(x, z) for x, z in points])
    if fault:
        raise ValueError(fault)
    return Solid(kind, layer, y_low, y_high, tuple((x, z) for x, z in points))


def polygon_fault(v: Sequence[Vec2]) -> str:
    """Why these are not the vertices of a prism, "" if they are."""
    for axis in (0, 1):
        values = [p[axis] for p in v]
        if max(values) - min(values) > SPAN_MAX:
            return f"spans more than {SPAN_MAX}"
    for j, u in enumerate(edges(v)):
        ends = {j, (j + 1) % len(v)}
        if any(cross(u, minus(v[k], v[j])) <= 0 for k in range(len(v)) if k not in ends):
            return "is not strictly convex, counterclockwise and once round"
    return ""


def minus(a: Sequence[Real], b: Sequence[Real]) -> Vec2:
    return a[0] - b[0], a[1] - b[1]


def edges(v: Sequence[Vec2]) -> list[Vec2]:
    """u_j = v_(j+1) - v_j."""
    return [minus(v[(j + 1) % len(v)], v[j]) for j in range(len(v))]


# Bytes.


class RefusedError(ValueError):
    """Bytes of no level; `at` is the offset of the first field at fault."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no level: the field at byte {at}")
        self.at = at


def level_bytes(solids: Sequence[Solid]) -> bytes:
    return b"FXL1" + pack("<I", len(solids)) + b"".join(solid.to_bytes() for solid in solids)


def level_of_bytes(data: bytes) -> list[Solid]:
    """The solids; RefusedError with the offset."""
    at = 0

    def take(code: str) -> Any:
        nonlocal at
        if len(data) - at < calcsize(code):
            raise RefusedError(at)
        at += calcsize(code)
        return unpack_from(code, data, at - calcsize(code))[0]

    if take("<4s") != b"FXL1":
        raise RefusedError(0)
    n = take("<I")
    if n > 2**31 or 24 * n > len(data) - 8:
        raise RefusedError(4)
    solids: list[Solid] = []
    for _ in range(n):
        start = at
        code = take("<B")
        if code not in CODES.values():
            raise RefusedError(start)
        layer = take("<B")
        if layer > 31:
            raise RefusedError(start + 1)
        count = take("<H")
        if count != 0 if code == 2 else not 3 <= count <= VERTICES_MAX:
            raise RefusedError(start + 2)
        y_low = take("<i")
        y_high = take("<i")
        if y_low >= y_high:
            raise RefusedError(start + 8)
        if code == 2:
            x, z, radius = take("<i"), take("<i"), take("<i")
            if not 1 <= radius <= SIZE_MAX:
                raise RefusedError(start + 20)
            solids.append(Solid("cylinder", layer, y_low, y_high, ((x, z),), radius))
            continue
        first = at
        vertices = tuple((take("<i"), take("<i")) for _ in range(count))
        if polygon_fault(vertices):
            raise RefusedError(first)
        solids.append(Solid("prism", layer, y_low, y_high, vertices))
    if at != len(data):
        raise RefusedError(at)
    return solids


def level_hash(solids: Sequence[Solid]) -> int:
    return xxh64(level_bytes(solids))


# Contact.


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


def solid_contact(shape: Shape, yaw: int, at: Vec3, solid: Solid, times: int = 1) -> int:
    """The contact of a shape whose centre is `at` with a solid; `at` and the shape are `times` as
    large as they are, and the solid is taken so.
    """
    x, y, z = at
    hh = half_height(shape)
    g_low, g_high = times * solid.y_low - (y + hh), (y - hh) - times * solid.y_high
    g = g_low if g_low > g_high else g_high
    v = [(times * vx, times * vz) for vx, vz in solid.vertices]
    if solid.radius:
        # A cylinder of twice the size, whose half height is whole.
        twice = (shape[0], *(s if _is_angle(shape, n) else 2 * s for n, s in enumerate(shape[1:])))
        d = (
            2 * (v[0][0] - x),
            times * (solid.y_low + solid.y_high) - 2 * y,
            2 * (v[0][1] - z),
        )
        cylinder = (
            "cylinder",
            2 * times * solid.radius,
            times * (solid.y_high - solid.y_low),
        )
        return contact_of_shapes(twice, yaw, cylinder, 0, d)
    if shape[0] in ROUND:
        f = g if g > 0 else 0
        return near_prism(v, (x, z), shape[1] * shape[1] - f * f)
    if shape[0] == "cylinder":
        planar = near_prism(v, (x, z), shape[1] * shape[1])
    elif shape[0] == "box":
        planar = planar_prism_box(v, shape, yaw, (x, z))
    else:
        require_rule("solid_contact", ("sector",), shape)
        planar = planar_prism_sector(v, shape, yaw, (x, z))
    return min(CLS(g, 0), planar)


def _is_angle(shape: Shape, n: int) -> bool:
    return shape[0] == "sector" and n == 1


def level_contact(shape: Any, pose: Any, solid: Solid) -> int:
    """APART, TOUCHING or OVERLAPPING of a shape at a pose with a solid."""
    shape, pose = checked_shape(shape), checked_pose(pose)
    return solid_contact(shape, pose[3], pose[:3], solid)


# Casts.


@dataclass(frozen=True)
class PrismApproach(Approach):
    """A shape, a, that moves from start by motion towards a prism that stands still."""

    solid: Solid

    def contact(self, t: Time) -> int:
        a, _, at = self.at(t)
        return solid_contact(a, self.yaw_a, at, self.solid, t.w)

    def at_rim(self, t: Time) -> bool:  # noqa: ARG002
        return False

    def polynomials(self) -> list[Polynomial]:
        a, v = self.a, self.solid.vertices
        require_rule("PrismApproach.polynomials", (*ROUND, "cylinder", "box"), a)
        x, y, z = zip(self.start, self.motion, strict=True)
        hh = half_height(a)
        low = _plus(_times(-1, y), (self.solid.y_low - hh,))
        high = _plus(y, (-hh - self.solid.y_high,))
        lines = [low, high, _plus(low, _times(-1, high))]
        if a[0] == "box":
            c, s = _direction(self.yaw_a)
            for (vx, vz), u in zip(v, edges(v), strict=True):
                lx, lz = _plus((vx,), _times(-1, x)), _plus((vz,), _times(-1, z))
                px = _plus(_times(c, lx), _times(s, lz))
                pz = _plus(_times(-s, lx), _times(c, lz))
                for p, half in ((px, a[1] * ONE_Q30), (pz, a[3] * ONE_Q30)):
                    lines += [_plus(p, (half,)), _plus(p, (-half,))]
                U = turned_back(u, self.yaw_a)
                limit = ONE_Q30 * (a[1] * abs(U[1]) + a[3] * abs(U[0]))
                lines.append(_plus(_times(U[0], pz), _times(-U[1], px), (-limit,)))
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


def solid_normal(
    shape: Shape, yaw: int, start: Vec3, motion: Vec3, solid: Solid, k: int
) -> tuple[Vec3, int]:
    """The normal from the solid towards the shape at k/65536 of the motion, and the gap along it
    in 2^-30 raw units.
    """
    require_rule("solid_normal", (*ROUND, "cylinder", "box"), shape)
    (x, y, z), (mx, my, mz) = start, motion
    hh = half_height(shape)
    D = 65536 * x + k * mx, 65536 * z + k * mz
    above = 65536 * (y - hh - solid.y_high) + k * my
    below = 65536 * (solid.y_low - y - hh) - k * my
    F = max(0, above) - max(0, below)
    if shape[0] not in ROUND:
        if above >= 0:
            return (0, ONE_Q30, 0), above * 2**14
        if below >= 0:
            return (0, -ONE_Q30, 0), below * 2**14
        F = 0

    def out_along(v: Vec3, radii: int) -> tuple[Vec3, int]:
        return unit(v), max(0, length_28(v) - ONE_Q30 * radii)

    if solid.radius:
        P = minus(D, (65536 * solid.vertices[0][0], 65536 * solid.vertices[0][1]))
        if shape[0] == "cylinder":
            return out_along((P[0], 0, P[1]), shape[1] + solid.radius)
        if shape[0] == "box":
            thin = ("cylinder", solid.radius, 1)
            n, gap = normal_of_shapes(thin, 0, shape, yaw, (-P[0], 0, -P[1]))
            return (-n[0], -n[1], -n[2]), gap
        distance = isqrt(dot(P, P))
        E = max(0, distance - 65536 * solid.radius)
        if E == 0:
            return out_along((0, F, 0), shape[1])
        out = _quotient(P[0] * E, distance), F, _quotient(P[1] * E, distance)
        return out_along(out, shape[1])

    v, u = solid.vertices, edges(solid.vertices)
    w = [minus(D, (65536 * vx, 65536 * vz)) for vx, vz in v]
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


def level_cast(
    shape: Any, pose: Any, motion: Any, solid: Solid, hit_when: int = TOUCHING
) -> tuple[int, Vec3] | None:
    """(fraction, normal) of the first contact of a moving shape with a solid, or None."""
    found = level_cast_and_distance(shape, pose, motion, solid, hit_when)
    return None if found is None else found[:2]


def level_cast_and_distance(
    shape: Any, pose: Any, motion: Any, solid: Solid, hit_when: int = TOUCHING
) -> tuple[int, Vec3, int] | None:
    """As `level_cast`, and the distance, by which hits of one fraction are ordered."""
    shape, pose = checked_shape(shape), checked_pose(pose)
    if shape[0] == "sector":
        raise ValueError("a sector cannot be cast")
    m = integers("motion", motion, 3, -SIZE_MAX, SIZE_MAX)
    way = (m[0], m[1], m[2])
    approach: Approach
    if solid.radius:
        x, z = solid.vertices[0]
        twice = (shape[0], *(2 * size for size in shape[1:]))
        cylinder = ("cylinder", 2 * solid.radius, solid.y_high - solid.y_low)
        start = (
            2 * (x - pose[0]),
            solid.y_low + solid.y_high - 2 * pose[1],
            2 * (z - pose[2]),
        )
        minus_way = (-2 * way[0], -2 * way[1], -2 * way[2])
        approach = Approach(twice, pose[3], cylinder, 0, start, minus_way)
    else:
        approach = PrismApproach(shape, pose[3], shape, 0, pose[:3], way, solid)
    fraction = approach.first_contact(hit_when)
    if fraction is None:
        return None
    if level_contact(shape, pose, solid) == OVERLAPPING:
        return fraction, (0, 0, 0), 0
    return fraction, *solid_normal(shape, pose[3], pose[:3], way, solid, fraction)


# The world.


class LevelWorld(ModelWorld):
    """A world with a level; the ids of its solids are LEVEL + index."""

    def __init__(
        self, capacity: int, solids: Sequence[Solid], hit_when: int = TOUCHING, layers: Any = None
    ) -> None:
        super().__init__(capacity, hit_when, layers)
        self.solids = list(solids)

    def _solid(self, id: int) -> Solid:
        if not 0 <= id - LEVEL < len(self.solids):
            raise ValueError(f"id {id} is not a solid of the level")
        return self.solids[id - LEVEL]

    def _seen_solids(self, mask: int) -> list[tuple[int, Solid]]:
        return [
            (LEVEL + n, solid) for n, solid in enumerate(self.solids) if mask >> solid.layer & 1
        ]

    def contact(self, a: int, b: int) -> int:
        if a >= LEVEL:
            a, b = b, a
        if b < LEVEL:
            return super().contact(a, b)
        if a >= LEVEL:
            raise ValueError("two solids never meet")
        found = self[a]
        return solid_contact(found.shape, found.pose[3], found.at[:3], self._solid(b))

    def _hits_now(self) -> dict[tuple[int, int], int]:
        hits = super()._hits_now()
        for a, collider in sorted(self.colliders.items()):
            if collider.active:
                for b, _ in self._seen_solids(self.masks[collider.layer]):
                    found = self.contact(a, b)
                    if found >= self.hit_when:
                        hits[a, b] = found
        return hits

    def _seen_by(self, mask: Any, exclude_owner: Any) -> list[int]:
        found = super()._seen_by(mask, exclude_owner)
        return found + [id for id, _ in self._seen_solids(mask)]

    def _contact_with(self, id: int, shape: Shape, pose: Pose) -> int:
        if id < LEVEL:
            return super()._contact_with(id, shape, pose)
        return level_contact(shape, pose, self._solid(id))

    def _cast_at(self, id: int, shape: Any, pose: Any, motion: Any, hit_when: int) -> Any:
        if id < LEVEL:
            return super()._cast_at(id, shape, pose, motion, hit_when)
        return level_cast_and_distance(shape, pose, motion, self._solid(id), hit_when)

    def _pairs(self) -> list[tuple[int, int]]:
        pairs = super()._pairs()
        for a, collider in sorted(self.colliders.items()):
            if collider.active:
                pairs += [(a, b) for b, _ in self._seen_solids(self.masks[collider.layer])]
        return pairs

    def _meeting(self, a: int, motion_a: Any, b: int, motion_b: Any, hit_when: int) -> Any:
        if b < LEVEL:
            return super()._meeting(a, motion_a, b, motion_b, hit_when)
        one = self[a]
        if one.shape[0] == "sector":
            return None
        return level_cast_and_distance(one.shape, one.at, motion_a, self._solid(b), hit_when)

    def save(self) -> bytes:
        plain = super().save()
        return b"FXS2" + plain[4:140] + pack("<Q", level_hash(self.solids)) + plain[140:]

    def load(self, data: bytes) -> None:
        if data[:4] != b"FXS2" or data[140:148] != pack("<Q", level_hash(self.solids)):
            raise ValueError("not a saved state of a world with this level")
        loaded = _decoded(b"FXS1" + data[4:140] + data[148:], self.capacity, len(self.solids))
        vars(self).update(vars(loaded))

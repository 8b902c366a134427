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
    CLS,
    INT32_MAX,
    INT32_MIN,
    ONE_Q30,
    OVERLAPPING,
    POLYGON,
    ROUND,
    SIZE_MAX,
    TOUCHING,
    Approach,
    ModelWorld,
    Polynomial,
    Pose,
    Shape,
    Time,
    Vec2,
    Vec3,
    _decoded,
    _plus,
    _quotient,
    _times,
    as_polygon,
    checked_pose,
    checked_shape,
    cross,
    dot,
    edges,
    half_height,
    integer,
    integers,
    length_28,
    minus,
    near_prism,
    planar_polygon,
    polygon_normal,
    polygon_polynomials,
    require_rule,
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


def solid_contact(shape: Shape, yaw: int, at: Vec3, solid: Solid, times: int = 1) -> int:
    """The contact of a shape whose centre is `at` with a solid; `at` and the shape are `times` as
    large as they are, and the solid is taken so.
    """
    x, y, z = at
    shape = as_polygon(shape, yaw)
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
    return min(CLS(g, 0), planar_polygon(shape, yaw, (x, z), v))


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
        require_rule("PrismApproach.polynomials", (*ROUND, "cylinder", "box", POLYGON), a)
        x, y, z = zip(self.start, self.motion, strict=True)
        hh = half_height(a)
        low = _plus(_times(-1, y), (self.solid.y_low - hh,))
        high = _plus(y, (-hh - self.solid.y_high,))
        return polygon_polynomials(a, self.yaw_a, v, x, z, low, high)


def solid_normal(
    shape: Shape, yaw: int, start: Vec3, motion: Vec3, solid: Solid, k: int
) -> tuple[Vec3, int]:
    """The normal from the solid towards the shape at k/65536 of the motion, and the gap along it
    in 2^-30 raw units.
    """
    require_rule("solid_normal", (*ROUND, "cylinder", "box", POLYGON), shape)
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
        if shape[0] in ("box", POLYGON):
            thin = ("cylinder", solid.radius, 1)
            n, gap = normal_of_shapes(thin, 0, shape, yaw, (-P[0], 0, -P[1]))
            return (-n[0], -n[1], -n[2]), gap
        distance = isqrt(dot(P, P))
        E = max(0, distance - 65536 * solid.radius)
        if E == 0:
            return out_along((0, F, 0), shape[1])
        out = _quotient(P[0] * E, distance), F, _quotient(P[1] * E, distance)
        return out_along(out, shape[1])

    v = solid.vertices
    w = [minus(D, (65536 * vx, 65536 * vz)) for vx, vz in v]
    return polygon_normal(shape, yaw, edges(v), w, F)


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
    placed = as_polygon(shape, pose[3])
    if solid.radius:
        x, z = solid.vertices[0]
        twice = (placed[0], *(2 * size for size in placed[1:]))
        cylinder = ("cylinder", 2 * solid.radius, solid.y_high - solid.y_low)
        start = (
            2 * (x - pose[0]),
            solid.y_low + solid.y_high - 2 * pose[1],
            2 * (z - pose[2]),
        )
        minus_way = (-2 * way[0], -2 * way[1], -2 * way[2])
        approach = Approach(twice, pose[3], cylinder, 0, start, minus_way)
    else:
        approach = PrismApproach(placed, pose[3], placed, 0, pose[:3], way, solid)
    fraction = approach.first_contact(hit_when)
    if fraction is None:
        return None
    if level_contact(shape, pose, solid) == OVERLAPPING:
        return fraction, (0, 0, 0), 0
    return fraction, *solid_normal(placed, pose[3], pose[:3], way, solid, fraction)


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

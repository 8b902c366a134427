"""Push-out, lift and separation in plain Python integers, as the contract defines them: the estimate of the
shortest way out, then the whole translations about it. It imports nothing of fixsync.

A way is (u, L): a direction (x, z) in Q2.30, and how far along it, in raw units times 2^30."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

from model import (
    ONE_Q30,
    OVERLAPPING,
    POLYGON,
    ROUND,
    Pose,
    Shape,
    Vec2,
    _checked_solids,
    _direction,
    _quotient,
    as_polygon,
    box_axes,
    contact,
    cross,
    dot,
    edges,
    half_height,
    minus,
    require_rule,
    sgn,
    turned_back,
    vertical_gap,
    vertices_of,
)
from model_level import LEVEL, Solid, solid_contact

Way = tuple[Vec2, int]
Ends = Callable[[int, int], bool]
"""Whether a translation (x, z) ends the contact."""


def root(n: int) -> int:
    """About sqrt(n) times 2^30."""
    k = 0
    while n << 2 * k < 2**62:
        k += 1
    return (isqrt(n << 2 * k) << 30) >> k


def ray(v: Vec2) -> Way:
    """The direction of v, and its length in v's own unit."""
    x, z = abs(v[0]), abs(v[1])
    shift = max(x, z).bit_length() - 31
    # Both below 2^31 and one of them at least 2^30: larger ones lose bits, smaller ones gain some.
    x, z = (x >> shift, z >> shift) if shift > 0 else (x << -shift, z << -shift)
    m = isqrt(x * x + z * z)
    u = sgn(v[0]) * ((x << 30) // m), sgn(v[1]) * ((z << 30) // m)
    return u, m << shift if shift > 0 else m >> -shift


def disc(shape: Shape, f: int) -> int:
    """The radius that a round shape or a cylinder shows at a vertical gap, times 2^30."""
    return root(shape[1] ** 2 - f * f) if shape[0] in ROUND else shape[1] * ONE_Q30


def heading(v: Vec2) -> int:
    return sgn(v[0]) if abs(v[0]) >= abs(v[1]) else sgn(v[1])


def through(n: Vec2, along: int, limit: int, p: Vec2) -> Way:
    """Out of the face n or -n, on p's side; along is p on the axis of n."""
    side = sgn(along) or heading(n) * (heading(p) or 1)
    return (side * n[0], side * n[1]), limit - abs(along)


def better(ways: list[Way]) -> Way:
    """The shortest; of equal ones that nearest to the X axis, of those the one whose x and z have
    one sign, of those the first.
    """
    return min(ways, key=lambda w: (w[1], -abs(w[0][0]), sgn(w[0][0]) * sgn(w[0][1]) < 0))


def axes_of(yaw: int) -> tuple[Vec2, Vec2]:
    c, s = _direction(yaw)
    return (c, s), (-s, c)


def way_of_discs(reach: int, p: Vec2) -> Way:
    if p == (0, 0):
        return (ONE_Q30, 0), reach
    u, distance = ray((p[0] * ONE_Q30, p[1] * ONE_Q30))
    return u, reach - distance


def way_of_box_and_disc(box: Shape, yaw: int, radius: int, p: Vec2) -> Way:
    x, z = axes_of(yaw)
    at = turned_back(p, yaw)
    half = box[1] * ONE_Q30, box[3] * ONE_Q30
    beyond = abs(at[0]) - half[0], abs(at[1]) - half[1]
    if min(beyond) > 0:
        u, distance = ray(beyond)
        local = sgn(at[0]) * u[0], sgn(at[1]) * u[1]
        out = dot(local, (x[0], z[0])), dot(local, (x[1], z[1]))
        return (_quotient(out[0], ONE_Q30), _quotient(out[1], ONE_Q30)), radius - distance
    ways = [through(n, at[i], half[i] + radius, p) for i, n in enumerate((x, z))]
    return ways[0] if beyond[0] > 0 else ways[1] if beyond[1] > 0 else better(ways)


def way_of_boxes(a: Shape, yaw_a: int, b: Shape, yaw_b: int, p: Vec2) -> Way:
    along = box_axes(a, yaw_a, b, yaw_b, p)
    normals = [*axes_of(yaw_b), *axes_of(yaw_a)]
    ways = [through(n, *axis, p) for n, axis in zip(normals, along, strict=True)]
    return better(ways[2:] + ways[:2])


def way_of_pair(a: Shape, yaw_a: int, b: Shape, yaw_b: int, p: Vec2, f: int) -> Way:
    """p: from b's centre to a's; f: the vertical gap."""
    require_rule("way_of_pair", (*ROUND, "cylinder", "box", POLYGON), a, b)
    if a[0] == POLYGON and (b[0] != POLYGON or heading(p) < 0):
        (x, z), length = way_of_pair(b, yaw_b, a, yaw_a, (-p[0], -p[1]), f)
        return (-x, -z), length
    if b[0] == POLYGON:
        return way_of_polygon(a, yaw_a, vertices_of(b, (-p[0], -p[1])), f)
    if a[0] in ROUND and b[0] in ROUND:
        return way_of_discs(root((a[1] + b[1]) ** 2 - f * f), p)
    if a[0] == "box":
        if b[0] == "box":
            return way_of_boxes(a, yaw_a, b, yaw_b, p)
        return way_of_box_and_disc(a, yaw_a, disc(b, f), p)
    if b[0] == "box":
        return way_of_box_and_disc(b, yaw_b, disc(a, f), p)
    return way_of_discs(disc(a, f) + disc(b, f), p)


def over(u: Vec2, length: int) -> Way:
    """Out through the face of an edge."""
    return ray((u[1], -u[0]))[0], length


def by_length(v: int, u: Vec2) -> int:
    """v / |u| times 2^30, of a v in raw units squared."""
    return v * 2**60 // isqrt(dot(u, u) * 2**60)


def way_of_disc_and_prism(m: list[Vec2], u: list[Vec2], radius: int) -> Way:
    """m: the prism's vertices from the disc's centre."""
    s = [-cross(u_j, m_j) for u_j, m_j in zip(u, m, strict=True)]
    t = [-dot(u_j, m_j) for u_j, m_j in zip(u, m, strict=True)]
    for u_j, s_j, t_j in zip(u, s, t, strict=True):
        if s_j < 0 and 0 < t_j < dot(u_j, u_j):
            return over(u_j, radius - by_length(-s_j, u_j))
    if min(s) >= 0:
        ways = [(u_j, radius + by_length(s_j, u_j)) for u_j, s_j in zip(u, s, strict=True)]
        return over(*min(ways, key=lambda way: way[1]))
    x, z = min(m, key=lambda m_j: dot(m_j, m_j))
    direction, distance = ray((-x * ONE_Q30, -z * ONE_Q30))
    return direction, radius - distance


def way_of_box_and_prism(box: Shape, yaw: int, m: list[Vec2], u: list[Vec2]) -> Way:
    x, z = axes_of(yaw)
    half = box[1], box[3]
    ways = []
    for m_j, u_j in zip(m, u, strict=True):
        U = turned_back(u_j, yaw)  # noqa: N806
        depth = half[0] * abs(U[1]) + half[1] * abs(U[0]) - ONE_Q30 * cross(u_j, m_j)
        norm = isqrt(dot(u_j, u_j) * 2**60)
        ways.append(over(u_j, max(0, depth) * ONE_Q30 // norm))
    turned = [turned_back(m_j, yaw) for m_j in m]
    for i, n in enumerate((x, z)):
        along = [v[i] for v in turned]
        ways.append((n, max(along) + half[i] * ONE_Q30))
        ways.append(((-n[0], -n[1]), half[i] * ONE_Q30 - min(along)))
    return min(ways, key=lambda way: way[1])


def way_of_polygons(own: list[Vec2], m: list[Vec2], u: list[Vec2]) -> Way:
    ways = []
    for m_j, u_j in zip(m, u, strict=True):
        depth = max(cross(u_j, minus(v, m_j)) for v in own)
        ways.append(over(u_j, by_length(max(0, depth), u_j)))
    for m_j, u_j in zip(own, edges(own), strict=True):
        depth = max(cross(u_j, minus(v, m_j)) for v in m)
        ways.append(over((-u_j[0], -u_j[1]), by_length(max(0, depth), u_j)))
    return min(ways, key=lambda way: way[1])


def way_of_polygon(shape: Shape, yaw: int, m: list[Vec2], f: int) -> Way:
    """Of a shape out of a polygon with vertices from the shape's centre."""
    if shape[0] == "box":
        return way_of_box_and_prism(shape, yaw, m, edges(m))
    if shape[0] == POLYGON:
        return way_of_polygons(vertices_of(shape), m, edges(m))
    return way_of_disc_and_prism(m, edges(m), disc(shape, f))


def settled(way: Way, ends: Ends) -> tuple[int, int]:
    """The shortest whole translation of the rows about a way that ends the contact."""
    (ux, uz), length = way
    x_is_major = abs(ux) >= abs(uz)
    major_u, minor_u = max(abs(ux), abs(uz)), min(abs(ux), abs(uz))
    length = max(0, length)
    least = int(major_u == minor_u)
    middle = length * minor_u // 2**60

    def translation(major: int, minor: int) -> tuple[int, int]:
        x, z = (major, minor) if x_is_major else (minor, major)
        return (-x if ux < 0 else x), (-z if uz < 0 else z)

    found = []
    for minor in range(max(least, middle - 1), (middle + 2 if minor_u else 0) + 1):
        major = max(least, length * major_u // 2**60)
        if ends(*translation(major, minor)):
            while major > least and ends(*translation(major - 1, minor)):
                major -= 1
        else:
            while not ends(*translation(major, minor)):
                major += 1
        found.append((major**2 + minor**2, minor, translation(major, minor)))
    return min(found)[2]


def push_out(a: Any, pa: Any, b: Any, pb: Any) -> tuple[int, int]:
    a, pa, b, pb = _checked_solids(a, pa, b, pb)
    x, y, z = (q - p for p, q in zip(pb[:3], pa[:3], strict=True))

    def ends(dx: int, dz: int) -> bool:
        return contact(a, pa[3], b, pb[3], (-x - dx, -y, -z - dz)) != OVERLAPPING

    if ends(0, 0):
        return 0, 0
    seen = as_polygon(a, pa[3]), as_polygon(b, pb[3])
    return settled(way_of_pair(seen[0], pa[3], seen[1], pb[3], (x, z), vertical_gap(a, b, y)), ends)


def least(ends: Callable[[int], bool]) -> int:
    """The least n above 0 for which ends(n), which from there on stays so."""
    high = 1
    while not ends(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ends(middle) else (middle, high)
    return high


def lift(a: Any, pa: Any, b: Any, pb: Any) -> int:
    a, pa, b, pb = _checked_solids(a, pa, b, pb)
    x, y, z = (q - p for p, q in zip(pa[:3], pb[:3], strict=True))
    up = 1 if y <= 0 else -1

    def ends(n: int) -> bool:
        return contact(a, pa[3], b, pb[3], (x, y - up * n, z)) != OVERLAPPING

    return 0 if ends(0) else up * least(ends)


def push_out_of_solid(shape: Shape, pose: Pose, solid: Solid) -> tuple[int, int]:
    x, y, z, yaw = pose

    def ends(dx: int, dz: int) -> bool:
        return solid_contact(shape, yaw, (x + dx, y, z + dz), solid) != OVERLAPPING

    if ends(0, 0):
        return 0, 0
    shape = as_polygon(shape, yaw)
    hh = half_height(shape)
    f = max(0, solid.y_low - (y + hh), (y - hh) - solid.y_high)
    if solid.radius:
        pillar = ("cylinder", solid.radius, 1)
        return settled(
            way_of_pair(shape, yaw, pillar, 0, minus((x, z), solid.vertices[0]), f), ends
        )
    m = [minus(v, (x, z)) for v in solid.vertices]
    return settled(way_of_polygon(shape, yaw, m, f), ends)


def lift_of_solid(shape: Shape, pose: Pose, solid: Solid) -> int:
    x, y, z, yaw = pose
    up = 1 if 2 * y >= solid.y_low + solid.y_high else -1

    def ends(n: int) -> bool:
        return solid_contact(shape, yaw, (x, y + up * n, z), solid) != OVERLAPPING

    return 0 if ends(0) else up * least(ends)


# In a world: of a collider from another, or from a solid.


def world_push_out(world: Any, id: int, other: int) -> tuple[int, int]:
    one = world[id]
    if other >= LEVEL:
        return push_out_of_solid(one.shape, one.at, world._solid(other))
    return push_out(one.shape, one.at, world[other].shape, world[other].at)


def world_lift(world: Any, id: int, other: int) -> int:
    one = world[id]
    if other >= LEVEL:
        return lift_of_solid(one.shape, one.at, world._solid(other))
    return lift(one.shape, one.at, world[other].shape, world[other].at)


# Separation.


class PushedOutsideError(ValueError):
    """A push would leave int32; `id` is what it would have moved."""

    def __init__(self, id: int) -> None:
        super().__init__(f"id {id} would leave int32")
        self.id = id


def separate(world: Any, yields: Sequence[int], passes: int) -> list[tuple[int, int, int, int]]:
    """Rows (id, x, y, z) of the colliders that were pushed. yields: 32 masks."""
    before = {id: world[id].pose for id in world.colliders}
    pushed: set[int] = set()

    def push(id: int, dx: int, dz: int) -> None:
        x, y, z, _ = world[id].pose
        try:
            world.move(id, x + dx, y, z + dz)
        except ValueError:
            for moved in pushed:
                world.set_pose(moved, before[moved])
            raise PushedOutsideError(id) from None
        pushed.add(id)

    def turn_of(a: int, b: int, *, both: bool) -> bool:
        """Pushes a pair apart if its turn has come; whether it was pushed."""
        if a not in world.colliders or (b < LEVEL and b not in world.colliders):
            return False
        one, layer = world[a], _layer_of(world, b)
        gives = [bool(yields[one.layer] >> layer & 1)]
        if b < LEVEL:
            gives.append(bool(yields[layer] >> one.layer & 1))
        if sum(gives) != 1 + both or not _may_be_pushed(world, a, b):
            return False
        first, second = (a, b) if gives[0] else (b, a)
        if world.contact(a, b) != OVERLAPPING:
            return False
        if both:
            x, z = (sgn(v) * (abs(v) + 1 >> 1) for v in world_push_out(world, a, b))
            push(b, -x, -z)
            push(a, x, z)
        push(first, *world_push_out(world, first, second))
        return True

    for _ in range(passes):
        turns = [turn_of(*pair, both=both) for both in (True, False) for pair in sorted(world.hits)]
        if not any(turns):
            break
    return [(id, *world[id].pose[:3]) for id in sorted(pushed)]


def _layer_of(world: Any, id: int) -> int:
    return int(world[id].layer if id < LEVEL else world._solid(id).layer)


def _may_be_pushed(world: Any, a: int, b: int) -> bool:
    one = world[a]
    if one.shape[0] == "sector":
        return False
    if b < LEVEL:
        return world[b].shape[0] != "sector" and bool(world._tested(one, world[b]))
    return bool(one.active and world.masks[one.layer] >> _layer_of(world, b) & 1)

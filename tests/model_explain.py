"""Why a pair is not a hit, in plain Python integers: the oracle of the contract's section 11, beside
`model` and `model_level`. Written from the contract alone; it imports nothing of fixsync."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from model import (
    KINDS,
    ORDER,
    OVERLAPPING,
    ROUND,
    TOUCHING,
    VERTICAL,
    Pose,
    Shape,
    contact,
    half_height,
)
from model_level import LEVEL, LevelWorld, Solid, solid_contact

NEVER = 2**63 - 1

SAME, A_INACTIVE, B_INACTIVE, OWNER, LAYERS, MASK, EXCLUDED = 1, 2, 4, 8, 16, 32, 64
SECTORS, HEIGHT, BESIDE, CORNER, GRAZES = 128, 256, 512, 1024, 2048
BEYOND, OUTSIDE, HOLE = 1, 2, 3


@dataclass
class Explained:
    """In the order of fxs_explanation."""

    why: int = 0
    grows: int = 0
    sector: int = 0
    contact: int = 0
    height: int = 0
    planar: int = 0
    gap: int = 0
    turn: int = 0


Other = tuple[Shape, Pose] | Solid


def _contact(shape: Shape, pose: Pose, other: Other, at_one_height: bool) -> int:
    if isinstance(other, Solid):
        x, y, z, yaw = pose
        if at_one_height:
            y = (other.y_low + other.y_high) // 2
        return solid_contact(shape, yaw, (x, y, z), other)
    shape_b, pose_b = other
    dx, dy, dz = (b - a for a, b in zip(pose[:3], pose_b[:3], strict=True))
    return contact(shape, pose[3], shape_b, pose_b[3], (dx, 0 if at_one_height else dy, dz))


def _height(shape: Shape, pose: Pose, other: Other) -> int:
    radii = shape[1] if shape[0] in ROUND else 0
    hh = half_height(shape)
    if isinstance(other, Solid):
        g = max(other.y_low - (pose[1] + hh), (pose[1] - hh) - other.y_high)
        return g - radii
    shape_b, pose_b = other
    radii += shape_b[1] if shape_b[0] in ROUND else 0
    return abs(pose_b[1] - pose[1]) - hh - half_height(shape_b) - radii


def _planar(shape: Shape) -> dict[int, tuple[int, int]]:
    """Where its tuple has the sizes in the ground plane that grow, and their ranges."""
    return {
        at: (low, high)
        for at, (name, low, high) in enumerate(KINDS[shape[0]], 1)
        if name not in (*VERTICAL, "half_angle")
    }


def _grown(shape: Shape, k: int) -> Shape:
    at = _planar(shape)
    return tuple(v + k if i in at else v for i, v in enumerate(shape))


def _least(shape: Shape) -> int:
    if shape[0] == "sector" and len(shape) > 4 and shape[4]:
        return shape[4] + 1 - shape[1]
    return max(low - shape[at] for at, (low, _) in _planar(shape).items())


def _greatest(shape: Shape) -> int:
    return min(high - shape[at] for at, (_, high) in _planar(shape).items())


def _halved(low: int, high: int, counts: Callable[[int], bool]) -> int:
    while high - low > 1:
        m = (low + high) // 2
        if counts(m):
            high = m
        else:
            low = m
    return high


def _growth(least: int, greatest: int, counts: Callable[[int], bool]) -> int:
    if counts(0):
        return least if counts(least) else _halved(least, 0, counts)
    if not counts(greatest):
        return NEVER
    return _halved(0, greatest, counts)


def explain(shape: Shape, pose: Pose, other: Other, c: int) -> Explained:
    """Of two shapes at their centres, or of a shape and a solid."""
    is_solid = isinstance(other, Solid)
    out = Explained(height=_height(shape, pose, other))
    pair = [shape] if is_solid else [shape, other[0]]
    if not is_solid and ORDER.index(other[0][0]) < ORDER.index(shape[0]):
        out.grows = 1
    are_sectors = [part[0] for part in pair] == ["sector", "sector"]
    if are_sectors and any(len(part) > 4 and part[4] for part in pair):
        out.why = SECTORS
        out.planar = out.gap = out.turn = NEVER
        return out

    def with_part(i: int, part: Shape, level: bool) -> int:
        if i == 0:
            return _contact(part, pose, other, level)
        return _contact(shape, pose, (part, other[1]), level)

    def counts(i: int, part: Shape, level: bool) -> bool:
        return with_part(i, part, level) >= c

    out.contact = with_part(0, shape, False)
    v = out.height
    if v > 0 or (v == 0 and c == OVERLAPPING):
        out.why |= HEIGHT
    if with_part(0, shape, True) < c:
        out.why |= BESIDE
    if not out.why and out.contact < c:
        out.why |= CORNER
    if out.contact == TOUCHING and c == OVERLAPPING:
        out.why |= GRAZES
    grows = out.grows
    own = pair[grows]
    limits = _least(own), _greatest(own)
    out.planar = _growth(*limits, lambda k: counts(grows, _grown(own, k), True))
    out.gap = _growth(*limits, lambda k: counts(grows, _grown(own, k), False))
    sectors = [i for i, part in enumerate(pair) if part[0] == "sector"]
    if out.why & BESIDE and sectors:
        i = sectors[0]
        kind, radius, half_angle, hh, *hole = pair[i]
        whole = (kind, radius, 32768, hh)
        if are_sectors:
            second = other[0][0], other[0][1], 32768, *other[0][3:]
            is_beyond = _contact(whole, pose, (second, other[1]), True) < c
            out.sector = BEYOND if is_beyond else OUTSIDE
        elif not counts(i, whole, True):
            out.sector = BEYOND
        elif not counts(i, (kind, radius, half_angle, hh), True):
            out.sector = OUTSIDE
        else:
            out.sector = HOLE
        most = 32768 - half_angle

        def opens(k: int) -> bool:
            return counts(i, (kind, radius, half_angle + k, hh, *hole), True)

        out.turn = _halved(0, most, opens) if opens(most) else NEVER
    return out


def explain_in_world(world: LevelWorld, a: int, b: int) -> Explained:
    """Of a pair of ids; a KeyError or ValueError for what has no answer."""
    if a >= LEVEL and b >= LEVEL:
        raise ValueError("two solids")
    own, opposite = (b, a) if a >= LEVEL else (a, b)
    first = world[own]
    if a == b:
        return Explained(why=SAME)
    if opposite >= LEVEL:
        solid = world._solid(opposite)
        out = explain(first.shape, first.at, solid, world.hit_when)
        layer, owner, active = solid.layer, 0, True
        out.grows = int(own == b)
    else:
        second = world[opposite]
        out = explain(first.shape, first.at, (second.shape, second.at), world.hit_when)
        layer, owner, active = second.layer, second.owner, second.active
    inactive = (A_INACTIVE, B_INACTIVE) if own == a else (B_INACTIVE, A_INACTIVE)
    out.why |= 0 if first.active else inactive[0]
    out.why |= 0 if active else inactive[1]
    out.why |= OWNER if first.owner and first.owner == owner else 0
    out.why |= 0 if world.masks[first.layer] >> layer & 1 else LAYERS
    return out


def explain_query(
    world: LevelWorld,
    shape: Any,
    pose: Any,
    mask: int,
    exclude_owner: int,
    b: int,
    hit_when: int | None = None,
) -> Explained:
    """Of a query and a collider or solid."""
    when = world.hit_when if hit_when is None else hit_when
    if b >= LEVEL:
        solid = world._solid(b)
        out = explain(shape, pose, solid, when)
        layer = solid.layer
    else:
        second = world[b]
        out = explain(shape, pose, (second.shape, second.at), when)
        layer = second.layer
        out.why |= 0 if second.active else B_INACTIVE
        out.why |= EXCLUDED if exclude_owner and exclude_owner == second.owner else 0
    out.why |= 0 if mask >> layer & 1 else MASK
    return out

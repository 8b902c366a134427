"""The motion of the kit in plain Python integers: along, slide, bounce, move_and_slide, the mover.

Written from the contract's "Motion of the kit" alone; the steps of `move_and_slide` and of the
mover are defined here, and the contract refers to them. It imports nothing of fixsync; its casts
and pushes are the models'. Whatever raises has changed nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import model_push
from model import (
    INT32_MAX,
    INT32_MIN,
    ONE_Q30,
    OVERLAPPING,
    ROUND,
    SIZE_MAX,
    UINT32_MAX,
    ModelWorld,
    Shape,
    Vec3,
    integer,
    integers,
)
from model_level import LEVEL

Hit = tuple[int, int, Vec3]
NORMAL_MAX = 3 * 2**29
NOTHING = (0, 0, 0)


def sum_of(a: Vec3, b: Vec3) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def difference(a: Vec3, b: Vec3) -> Vec3:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a: Vec3, b: Vec3) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec3, b: Vec3) -> Vec3:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def quotient(numerator: int, denominator: int, way: int = 0) -> int:
    """Rounded up if way is positive, down if it is negative, toward zero otherwise."""
    if way > 0 or (way == 0 and numerator < 0):
        return -(-numerator // denominator)
    return numerator // denominator


def motion_of(value: Vec3) -> Vec3:
    x, y, z = integers("motion", value, 3, -SIZE_MAX, SIZE_MAX)
    return x, y, z


def normal_of(value: Vec3) -> Vec3:
    x, y, z = integers("normal", value, 3, -NORMAL_MAX, NORMAL_MAX)
    return x, y, z


def along(motion: Vec3, fraction: int, normal: Vec3 | None = None) -> Vec3:
    part = integer("fraction", fraction, 0, 65536)
    m, n = motion_of(motion), NOTHING if normal is None else normal_of(normal)
    return (
        quotient(m[0] * part, 65536, n[0]),
        quotient(m[1] * part, 65536, n[1]),
        quotient(m[2] * part, 65536, n[2]),
    )


def bounce(motion: Vec3, normal: Vec3, kept: int = 65536) -> Vec3:
    m, n, k = motion, normal_of(normal), integer("kept", kept, 0, 65536)
    if n == NOTHING:
        raise ValueError("normal must not be (0, 0, 0)")
    if dot(m, n) >= 0:
        return m
    on_an_axis = n.count(0) == 2
    e = 0 if on_an_axis else 16 * sum(map(abs, m))
    t = 65536 * e - dot(m, n) * (65536 + k)
    by = 65536 * dot(n, n)
    return sum_of(
        m,
        (quotient(n[0] * t, by, n[0]), quotient(n[1] * t, by, n[1]), quotient(n[2] * t, by, n[2])),
    )


def slide(motion: Vec3, normal: Vec3) -> Vec3:
    return bounce(motion, normal, 0)


class OutsideError(ValueError):
    """A way leads outside int32."""


class Walk:
    """A collider on its way through a world."""

    one_way = 0
    """Bit i: layer i blocks as a floor only."""

    def __init__(self, world: ModelWorld, id: int, mask: int | None) -> None:
        self.world, self.id = world, id
        self.layers = world.masks[world[id].layer]
        if mask is not None:
            self.layers = integer("mask", mask, 1, UINT32_MAX)

    @property
    def position(self) -> Vec3:
        return self.world[self.id].pose[:3]

    def put(self, position: Vec3) -> None:
        try:
            self.world.move(self.id, *position)
        except ValueError:
            raise OutsideError from None

    def go(self, by: Vec3) -> None:
        self.put(sum_of(self.position, by))

    def hits(self, motion: Vec3) -> list[Hit]:
        """What blocks a motion, by (fraction, id)."""
        me = self.world[self.id]
        found = self.world.cast(
            me.shape,
            me.at,
            motion,
            self.layers | self.one_way,
            exclude_owner=me.owner,
            hit_when=OVERLAPPING,
        )
        return [hit for hit in found if hit[0] != self.id and self.counts(hit, motion)]

    def counts(self, hit: Hit, motion: Vec3) -> bool:  # noqa: ARG002
        """Whether a hit of a motion blocks it."""
        return True

    def layer(self, id: int) -> int:
        return self.world[id].layer if id < LEVEL else self.world._solid(id).layer

    def go_as_far(self, motion: Vec3, hit: Hit) -> Vec3:
        """Goes as far as a hit of the motion; returns the part of the motion."""
        _, fraction, normal = hit
        u = 65536 // max(map(abs, motion)) + 1 if any(motion) else 0
        parts = [along(motion, fraction, normal), along(motion, fraction)]
        parts += [along(motion, max(0, fraction - j * u)) for j in (1, 2, 4)]
        for part in parts:
            if not self.hits(part):
                self.go(part)
                return part
        return NOTHING

    def go_if_free(self, motion: Vec3) -> tuple[Vec3, bool]:
        """Goes by the motion, or as far as its first hit; returns how far, and whether freely."""
        hits = self.hits(motion)
        if hits:
            return self.go_as_far(motion, hits[0]), False
        self.go(motion)
        return motion, True

    def is_round(self, id: int) -> bool:
        return id < LEVEL and self.world[id].shape[0] in ROUND


def move_and_slide(
    world: ModelWorld, id: int, motion: Vec3, mask: int | None = None, passes: int = 4
) -> list[Hit]:
    walk, met = Walk(world, id, mask), []
    m = motion_of(motion)
    start = walk.position
    try:
        for _ in range(integer("passes", passes, 1, 64)):
            hits = walk.hits(m)
            if not hits:
                walk.go(m)
                break
            met.append(hits[0])
            normal = hits[0][2]
            if normal == NOTHING:
                break
            p = walk.go_as_far(m, hits[0])
            m = slide(difference(m, p), normal)
    except ValueError:
        walk.put(start)
        raise
    return met


class Yielding(Walk):
    """A mover that gives way to others: it slides in x and z alone."""

    def __init__(
        self,
        world: ModelWorld,
        id: int,
        mask: int | None,
        yields: set[tuple[int, int]],
        movers: set,
    ) -> None:
        super().__init__(world, id, mask)
        me = world[id]
        self.passed = movers | {
            other
            for other in world.colliders
            if other != id
            and (me.layer, world[other].layer) in yields
            and world.contact(id, other) == OVERLAPPING
        }

    def counts(self, hit: Hit, motion: Vec3) -> bool:  # noqa: ARG002
        return hit[0] not in self.passed

    def go_towards(self, aim: Vec3, passes: int) -> None:
        start, rest = self.position, difference(aim, self.position)
        try:
            for _ in range(passes):
                hits = self.hits(motion_of(rest))
                if not hits:
                    self.go(rest)
                    break
                if hits[0][2] == NOTHING:
                    break
                x, _, z = slide(difference(rest, self.go_as_far(rest, hits[0])), hits[0][2])
                rest = x, 0, z
        except ValueError:
            self.put(start)


def separate(
    world: ModelWorld,
    yields: set[tuple[int, int]],
    movers: dict[int, tuple[int | None, int]],
    aims: dict[int, Vec3],
) -> list[tuple[int, int, int, int, bool]]:
    """Movers have a mask and passes; aims are the places that `World.separate` gives, other places
    alone. Whom an owner keeps apart, no hit has, so owners need no look here."""
    for id in aims.keys() - movers.keys():
        world.move(id, *aims[id])
    for id in sorted(aims.keys() & movers.keys()):
        mask, passes = movers[id]
        Yielding(world, id, mask, yields, set(movers)).go_towards(aims[id], passes)
    return [(id, *world[id].pose[:3], world[id].pose[:3] != aims[id]) for id in sorted(aims)]


@dataclass
class Result:
    """What came of a mover's move."""

    motion: Vec3
    floor: int | None = None
    hits: list[Hit] = field(default_factory=list)
    on_wall: bool = False
    on_ceiling: bool = False
    stepped: bool = False
    pushed: bool = False
    stuck: bool = False


class Mover(Walk):
    """One move of a character."""

    def __init__(
        self,
        world: ModelWorld,
        id: int,
        settings: tuple[int | None, int, int, int, int, int],
    ) -> None:
        mask, self.passes, self.step_height, self.snap, self.floor_y, self.one_way = settings
        super().__init__(world, id, mask)
        integer("passes", self.passes, 2, 64)
        integer("step_height", self.step_height, 0, SIZE_MAX)
        integer("snap", self.snap, 0, SIZE_MAX)
        integer("floor_y", self.floor_y, 1, ONE_Q30)
        integer("one_way", self.one_way, 0, UINT32_MAX)
        if self.one_way and (mask is None or mask & self.one_way):
            raise ValueError("one_way needs a mask, and shares no layer with it")
        self.counted = 0
        self.met: list[Vec3] = []
        self.floor_hit: Hit | None = None

    @property
    def shape(self) -> Shape:
        return self.world[self.id].shape

    def h(self, normal: Vec3) -> int:
        return self.shape[1] * (ONE_Q30 - normal[1]) if self.shape[0] in ROUND else 0

    def is_floor(self, hit: Hit) -> bool:
        id, _, normal = hit
        return normal[1] >= self.floor_y or (
            normal[1] > 0 and self.h(normal) <= ONE_Q30 * self.step_height and not self.is_round(id)
        )

    def counts(self, hit: Hit, motion: Vec3) -> bool:
        """A one-way layer blocks a way down that meets a floor, and that does not overlap it at the
        start."""
        if not self.one_way >> self.layer(hit[0]) & 1:
            return True
        return motion[1] < 0 and hit[2] != NOTHING and self.is_floor(hit)

    def first_floor(self, hits: list[Hit]) -> Hit | None:
        """The floor among the first hits, of equal fraction."""
        first = [hit for hit in hits if hit[1] == hits[0][1]]
        return next((hit for hit in first if self.is_floor(hit)), None)

    # The move.

    def move(self, motion: Vec3) -> Result:
        m = motion_of(motion)
        start = self.position
        try:
            self.result = Result(m)
            below = self.below()
            if self.is_inside(below):
                below = self.unstick()
                if self.result.stuck:
                    self.put(start)
                    return self.result
            self.move_freely(m, any(self.is_floor(hit) for hit in below))
        except ValueError:
            self.put(start)
            raise
        result = self.result
        if self.floor_hit:
            result.floor = self.floor_hit[0]
            result.hits.append(self.floor_hit)
            x, y, z = result.motion
            result.motion = x, max(0, y), z
        return result

    def move_freely(self, m: Vec3, on_floor: bool) -> None:
        if not (on_floor and m[1] <= 0):
            self.fly(m)
            if self.floor_hit and m[1] < 0:
                self.stand_below(-m[1] // 65536 + 4)
            return
        self.result.motion = m[0], 0, m[2]
        self.ahead((m[0], 0, m[2]))
        x, _, z = self.result.motion
        self.result.motion = x, m[1], z
        self.stand_below(min(max(self.snap, -m[1]) + 1, SIZE_MAX))
        if not self.floor_hit:
            self.fly((0, m[1], 0))

    def stand_below(self, s: int) -> None:
        """Goes down on a floor; without one it is back where it was."""
        before = self.position
        hits = self.down(s)
        floor = self.first_floor(hits) if hits else None
        if floor:
            self.floor_hit = floor
        else:
            self.put(before)

    # Step 1.

    def below(self) -> list[Hit]:
        return self.hits((0, -1, 0))[:4]

    def is_inside(self, below: list[Hit]) -> bool:
        if any(normal == NOTHING for _, _, normal in below):
            return True
        return len(below) == 4 and bool(self.hits(NOTHING))

    def unstick(self) -> list[Hit]:
        start, found = self.position, self.hits(NOTHING)
        noted = [self.ways(id)[0] for id, _, _ in found]
        for _ in range(self.passes):
            if not self.leave(self.hits(NOTHING)[0][0]):
                break
            if not self.hits(NOTHING):
                gone = difference(self.position, start)
                if any(dot(gone, way) < 0 for way in noted):
                    break
                self.result.pushed = True
                return self.below()
        self.result = Result(NOTHING, hits=found[:1], stuck=True)
        return []

    def ways(self, id: int) -> list[Vec3]:
        """Across, and up or down, if that is in int32; the shorter one first."""
        x, z = model_push.world_push_out(self.world, self.id, id)
        y = model_push.world_lift(self.world, self.id, id)
        if not INT32_MIN <= y <= INT32_MAX:
            return [(x, 0, z)]
        return sorted([(0, y, 0), (x, 0, z)], key=lambda way: dot(way, way))

    def leave(self, id: int) -> bool:
        """Goes the first way out of an obstacle that is free, the longer one if it is not too
        long."""
        sizes = self.shape[1], self.shape[3] if self.shape[0] == "box" else self.shape[1]
        shorter, *longer = self.ways(id)
        short_enough = [way for way in longer if dot(way, way) <= (2 * min(sizes)) ** 2]
        return any(self.go_out(way) for way in [shorter, *short_enough])

    def go_out(self, way: Vec3) -> bool:
        if max(map(abs, way)) > SIZE_MAX or any(n != NOTHING for _, _, n in self.hits(way)):
            return False
        try:
            self.go(way)
        except OutsideError:
            return False
        return True

    # Steps 3 and 5.

    def ahead(self, v: Vec3) -> None:
        while v != NOTHING:
            hits = self.hits(v)
            if not hits:
                self.go(v)
                return
            hit, normal = hits[0], hits[0][2]
            v = difference(v, self.go_as_far(v, hit))
            if self.counted == self.passes:
                return
            self.counted += 1
            climbed = self.climb((v[0], 0, v[2])) if self.step_height else None
            if climbed:
                v = difference(v, climbed)
                continue
            if normal[1] >= self.floor_y:
                v = slide(v, normal)
                continue
            self.touch(hit)
            wall = normal[0], 0, normal[2]
            if wall == NOTHING:
                return
            v = self.meet(v, wall)

    def fly(self, m: Vec3) -> None:
        v, walls = m, []
        while v != NOTHING:
            hits = self.hits(v)
            if not hits:
                self.go(v)
                break
            hit, normal = hits[0], hits[0][2]
            v = difference(v, self.go_as_far(v, hit))
            if self.counted == self.passes:
                break
            self.counted += 1
            if self.is_floor(hit):
                self.floor_hit = hit
                v = self.meet(v, normal if normal[1] >= self.floor_y else (0, ONE_Q30, 0))
                continue
            self.touch(hit)
            walls.append(hit)
            was_falling = v[1] < 0
            v = self.meet(v, normal)
            if was_falling and v == NOTHING and not self.floor_hit:
                upwards = [wall for wall in walls if wall[2][1] > 0]
                if upwards:
                    self.floor_hit = max(upwards, key=lambda wall: wall[2][1])

    def touch(self, hit: Hit) -> None:
        self.result.hits.append(hit)
        if hit[2][1] <= -self.floor_y:
            self.result.on_ceiling = True
        else:
            self.result.on_wall = True

    # Climbing, meeting, down.

    def climb(self, v: Vec3) -> Vec3 | None:
        """The part of v that a climbed step was gone ahead by; None if it is not climbed."""
        before = self.position
        try:
            went = self.climbed(v)
        except OutsideError:
            went = None
        if went is None:
            self.put(before)
        else:
            self.result.stepped = True
        return went

    def climbed(self, v: Vec3) -> Vec3 | None:
        y = self.position[1]
        (_, s, _), _ = self.go_if_free((0, self.step_height, 0))
        if s == 0:
            return None
        went, freely = self.go_if_free(v)
        if went == NOTHING:
            return None
        hits = self.down(s)
        if not hits:
            if freely:
                self.go((0, -s, 0))
            return went if freely else None
        floor = self.first_floor(hits)
        rise = self.position[1] - y
        if not floor or not (freely or rise > 0):
            return None
        height = ONE_Q30 * rise + self.h(floor[2])
        return went if height <= ONE_Q30 * (self.step_height + 4) else None

    def meet(self, v: Vec3, n: Vec3) -> Vec3:
        v = self.left_of(v, n)
        self.result.motion = self.left_of(self.result.motion, n)
        self.met.append(n)
        return v

    def left_of(self, v: Vec3, n: Vec3) -> Vec3:
        v = slide(v, n)
        into = next((a for a in self.met if dot(v, a) < -(2**32)), None)
        if into is None:
            return v
        x, y, z = cross(into, n)
        d = quotient(x, ONE_Q30), quotient(y, ONE_Q30), quotient(z, ONE_Q30)
        if d == NOTHING:
            return NOTHING
        by, of = dot(v, d), dot(d, d)
        v = quotient(d[0] * by, of), quotient(d[1] * by, of), quotient(d[2] * by, of)
        return NOTHING if any(dot(v, b) < -(2**32) for b in [*self.met, n]) else v

    def down(self, s: int) -> list[Hit]:
        """At most 4 hits of (0, -s, 0); it is at the first of them then."""
        hits = self.hits((0, -s, 0))[:4]
        if not hits:
            return []
        if s > 65536:
            self.go_as_far((0, -s, 0), hits[0])
            s = 8 * (s // 65536) + 8
            nearer = self.hits((0, -s, 0))[:4]
            if not nearer:
                return hits
            hits = nearer
        by = s * hits[0][1]
        for part in (-(-by // 65536), by // 65536):
            if not self.hits((0, -part, 0)):
                self.go((0, -part, 0))
                break
        return hits

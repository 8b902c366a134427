"""Plays the matches of this folder again and records them: python replay_logs/generate.py FOLDER.

Whatever they draw comes from a generator of integers that is written out here, so that the same
commands, and with them the same bytes, come out everywhere and for ever. README.md says what each
match is for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from fixsync import (
    LEVEL,
    ONE,
    Box,
    Capsule,
    Contact,
    Cylinder,
    EventKind,
    Level,
    Pillar,
    Pose,
    Prism,
    Sector,
    Shape,
    Sphere,
    World,
    direction,
    yaw_of,
)
from fixsync.base.names import Names
from fixsync.log.recorder import Recorder
from fixsync.log.schema import CastHit
from fixsync.maps import box, polygon
from fixsync.world.records import Events

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
SIZE_MAX = 2**29 - 1
TURN = 65536
QUARTER = TURN // 4


class Draw:
    """Integers drawn by SplitMix64."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        """0 .. limit - 1. The bias of the remainder matters to nobody here."""
        self._state = (self._state + 0x9E3779B97F4A7C15) % 2**64
        z = self._state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) % limit

    def between(self, low: int, high: int) -> int:
        """low .. high."""
        return low + self.below(high - low + 1)

    def one_of(self, values: Sequence[Any]) -> Any:
        return values[self.below(len(values))]

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent


Match: TypeAlias = Generator[None, Events, None]
"""Changes a world up to the end of a frame at each yield, which gives the events of that frame's
step.
"""

_Play = TypeVar("_Play", bound=Callable[..., Match])

MATCHES: dict[
    str, tuple[Callable[[World, Recorder, Draw], Match], dict[str, Any], dict[str, Any]]
] = {}
"""By name: the function that plays it, the arguments of its World, and those of its Recorder."""


def match(*, world: dict[str, Any], **about: Any) -> Callable[[_Play], _Play]:
    """Puts a match into MATCHES."""

    def add(play: _Play) -> _Play:
        MATCHES[play.__name__] = play, world, about
        return play

    return add


def ahead(pose: Pose, distance: int, yaw: int) -> Pose:
    """So far from a pose into the direction of a yaw, facing it."""
    c, s = direction(yaw)
    return Pose(pose.x + (c * distance >> 30), pose.y, pose.z + (s * distance >> 30), yaw)


# ---- a skill fight ----

HERO, MONSTER, SWORD, BITE, WALL = range(5)


WHO_MEETS = [
    (HERO, MONSTER),
    (HERO, BITE),
    (HERO, WALL),
    (MONSTER, MONSTER),
    (MONSTER, SWORD),
    (MONSTER, WALL),
]


@match(
    world={"capacity": 64, "layers": WHO_MEETS},
    meta={"pins": "attack areas: sectors and turned boxes with offsets, owners, layers, activity"},
    names=Names(
        {HERO: "hero", MONSTER: "monster", SWORD: "sword", BITE: "bite", WALL: "wall"},
        {0: "hero", 1: "slash", 2: "thrust"},
    ),
    unit_mm=1000,
)
def skill_fight(world: World, recorder: Recorder, draw: Draw) -> Match:
    """A hero slashes (a sector that sweeps) and thrusts (a box carried ahead) at monsters that
    bite.
    """
    hero, slash, thrust, monsters = 0, 1, 2, range(10, 18)
    world.add(hero, Capsule(ONE // 2, ONE // 2), Pose(0, ONE, 0), layer=HERO, owner=1)
    world.add(
        slash, Sector(3 * ONE, TURN // 12, ONE), Pose(0, ONE, 0), layer=SWORD, owner=1, active=False
    )
    lance, arm = Box(ONE, ONE // 4, ONE // 3), (3 * ONE // 2, ONE // 8, 0)
    world.add(thrust, lance, Pose(0, ONE, 0), layer=SWORD, owner=1, offset=arm, active=False)
    walls = (0, 12, 14, 1), (0, -12, 14, 1), (13, 0, 1, 12), (-13, 0, 1, 12)
    for i, (x, z, half_x, half_z) in enumerate(walls):
        wall = Box(half_x * ONE, 2 * ONE, half_z * ONE)
        world.add(60 + i, wall, Pose(x * ONE, 2 * ONE, z * ONE, i * 37 % 7), layer=WALL)
    for id in monsters:
        spawn_monster(world, draw, id)
    health = dict.fromkeys(monsters, 3)
    for frame in range(600):
        at = world[hero].pose
        alive = [id for id in monsters if id in world]
        goal = min(alive, key=lambda id: (distance_sq(world[id].pose, at), id), default=None)
        if goal is not None:
            there = world[goal].pose
            at = ahead(at, ONE // 24, yaw_of(there.x - at.x, there.z - at.z))
        world.set_pose(hero, at)
        # Forty frames of one attack, forty of the other: each active for eight.
        phase = frame % 40
        attack, other = (slash, thrust) if frame // 40 % 2 == 0 else (thrust, slash)
        if phase == 0:
            world.set_active(other, False)
        sweep = TURN // 8 - phase * TURN // 32 if attack == slash and phase < 8 else 0
        world.set_pose(attack, Pose(at.x, at.y, at.z, (at.yaw + sweep) % TURN))
        if phase in (0, 8):
            world.set_active(attack, phase == 0)
        for id in monsters:
            if id not in world:
                if draw.chance(4):
                    spawn_monster(world, draw, id)
                    health[id] = 3
                continue
            pose = world[id].pose
            facing = yaw_of(at.x - pose.x, at.z - pose.z)
            pose = ahead(pose, draw.between(0, ONE // 20), facing)
            world.set_pose(id, pose)
            bite = id + 20
            world.set_pose(bite, pose)
            biting = (frame + 5 * id) % 30
            if biting in (0, 4):
                world.set_active(bite, biting == 0)
        recorder.query(Sphere(4 * ONE), at, 1 << MONSTER | 1 << BITE)
        for event in (yield):
            if event.kind == EventKind.ENTER and event.a in (slash, thrust) and event.b in health:
                health[event.b] -= 1
        for id in [id for id in monsters if id in world and health[id] <= 0]:
            world.remove(id)
            world.remove(id + 20)


def spawn_monster(world: World, draw: Draw, id: int) -> None:
    """A monster, and its bite: a small box ahead of it that is active now and then."""
    pose = Pose(draw.between(-10, 10) * ONE, ONE, draw.between(-10, 10) * ONE, draw.below(TURN))
    body: Shape = draw.one_of(
        (Capsule(ONE // 2, ONE // 4), Cylinder(ONE // 2, ONE // 2), Sphere(ONE * 5 // 8))
    )
    world.add(id, body, pose, layer=MONSTER, owner=id)
    bite = Box(ONE // 4, ONE // 4, ONE // 4)
    world.add(id + 20, bite, pose, layer=BITE, owner=id, offset=(ONE * 3 // 4, 0, 0), active=False)


def distance_sq(a: Pose, b: Pose) -> int:
    return (a.x - b.x) ** 2 + (a.z - b.z) ** 2


# ---- swings that clash ----

FENCER, BLADE = range(2)


@match(
    world={"capacity": 20, "layers": [(FENCER, BLADE), (BLADE, BLADE)]},
    meta={"pins": "sectors against sectors: narrow, half and wide ones, whole discs, and rings"},
    names=Names({FENCER: "fencer", BLADE: "blade"}),
)
def clashes(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Ten fencers swing at each other; where two blades clash, both fencers step back."""
    fencers = range(10)
    for id in fencers:
        spot = Pose(draw.between(-4, 4) * ONE, 0, draw.between(-4, 4) * ONE, draw.below(TURN))
        world.add(id, Cylinder(ONE // 3, ONE), spot, layer=FENCER, owner=1 + id)
        world.add(10 + id, blade(draw), spot, layer=BLADE, owner=1 + id)
    for frame in range(200):
        for id in fencers:
            at = world[id].pose
            facing = yaw_of(-at.x, -at.z)
            sweep = (frame * (700 + 90 * id) + id * 9000) % TURN
            at = ahead(at, ONE // 60, facing)
            world.set_pose(id, at)
            world.set_pose(10 + id, Pose(at.x, at.y + id * ONE // 16, at.z, sweep))
            if draw.chance(5):
                world.set_shape(10 + id, blade(draw))
        recorder.query(blade(draw), Pose(0, 0, 0, frame * 331 % TURN), 1 << BLADE)
        for event in (yield):
            if event.kind == EventKind.ENTER and event.a >= 10:
                for id in (event.a - 10, event.b - 10):
                    at = world[id].pose
                    world.set_pose(id, ahead(at, -ONE, at.yaw))


def blade(draw: Draw) -> Sector:
    """Of every width; one in eight has a hole, and meets no other blade."""
    radius = draw.between(ONE, 3 * ONE)
    width = draw.one_of((1, 1500, 8192, 16384, 16385, 26000, 32768, draw.between(1, 32768)))
    return Sector(radius, width, ONE, radius // 2 if draw.chance(12) else 0)


# ---- many units ----


@match(
    world={"capacity": 96},
    meta={"pins": "many pairs of all kinds at once, and their order"},
    tick_rate=(30000, 1001),
)
def crowd(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Ninety-six units of all kinds press towards a centre that wanders."""
    for id in range(world.capacity):
        x, z = draw.between(-30, 30) * ONE, draw.between(-30, 30) * ONE
        pose = Pose(x, draw.between(0, ONE), z, draw.below(TURN))
        world.add(
            id, any_shape(draw, ONE // 4, ONE), pose, layer=draw.below(4), owner=draw.below(6)
        )
    x, z = 0, 0
    for _ in range(90):
        x, z = x + draw.between(-ONE, ONE), z + draw.between(-ONE, ONE)
        for id in range(world.capacity):
            if draw.chance(40):
                pose = world[id].pose
                world.set_pose(
                    id, ahead(pose, draw.between(0, ONE), yaw_of(x - pose.x, z - pose.z))
                )
        recorder.query(Cylinder(2 * ONE, ONE), Pose(x, 0, z), draw.below(16))
        yield


def any_shape(draw: Draw, low: int, high: int) -> Shape:
    """A shape of any kind with sizes of low..high."""

    def size() -> int:
        return draw.between(low, high)

    kind = draw.below(5)
    if kind == 0:
        return Sphere(size())
    if kind == 1:
        return Capsule(size(), draw.one_of((0, size())))
    if kind == 2:
        return Cylinder(size(), size())
    if kind == 3:
        return Box(size(), size(), size())
    return Sector(
        size(), draw.one_of((1, 8192, 16384, 16385, 32767, 32768, draw.between(1, 32768))), size()
    )


# ---- the ends of the domain ----


@match(
    world={"capacity": 24},
    meta={"pins": "the ends of int32, the largest and smallest sizes, the longest distances"},
)
def edges(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Shapes of all sizes at and next to the ends of the coordinates."""
    ends = [INT32_MIN, INT32_MIN + 1, -SIZE_MAX, -1, 0, 1, SIZE_MAX, INT32_MAX - 1, INT32_MAX]

    def place() -> Pose:
        x, y, z = draw.one_of(ends), draw.one_of(ends), draw.one_of(ends)
        return Pose(x, y, z, draw.one_of((0, 1, 8191, QUARTER, 40000, TURN - 1)))

    def shape() -> Shape:
        low, high = draw.one_of(
            ((1, 2), (1, SIZE_MAX), (SIZE_MAX - 1, SIZE_MAX), (SIZE_MAX, SIZE_MAX))
        )
        return any_shape(draw, low, high)

    for id in range(20):
        world.add(id, shape(), place())
    for _ in range(150):
        for id in range(20):
            if any(world[id].offset):
                world.set_offset(id, (0, 0, 0))
            if draw.chance(60):
                world.set_pose(id, place())
            if draw.chance(10):
                world.set_shape(id, shape())
            if draw.chance(20):
                # From an end to the middle or back again, as far as an offset goes.
                pose = world[id].pose
                world.turn(id, 0)
                x, y, z = (
                    min(-v, INT32_MAX) if draw.chance(50) else 0 for v in (pose.x, pose.y, pose.z)
                )
                world.set_offset(id, (x, y, z))
        recorder.query(shape(), place())
        yield


# ---- comings and goings ----


@match(
    world={"capacity": 256, "hit_when": Contact.OVERLAPPING},
    meta={
        "pins": "ids that are removed and added again, also within one frame; hit_when OVERLAPPING"
    },
)
def storms(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Waves of shots fill one place and vanish; ids come back at once, and as something else."""
    for frame in range(160):
        wave = frame % 20
        for _ in range(30 if wave < 6 else 3):
            id = draw.below(world.capacity)
            if id in world:
                world.remove(id)
                if draw.chance(50):
                    continue
            pose = Pose(
                draw.between(-6 * ONE, 6 * ONE),
                0,
                draw.between(-6 * ONE, 6 * ONE),
                draw.below(TURN),
            )
            world.add(id, any_shape(draw, ONE // 8, ONE), pose, owner=draw.below(40))
        if wave == 12:
            for id in list(world):
                if draw.chance(85):
                    world.remove(id)
        if frame % 40 == 39:
            everything = list(world.colliders())
            for collider in everything:
                world.remove(collider.id)
            world.add_many(everything)
        recorder.query(Box(ONE, ONE, ONE), Pose(0, 0, 0, draw.below(TURN)))
        yield


# ---- touching and no more ----


@match(
    world={"capacity": 16},
    meta={"pins": "contacts that touch and do not overlap, and a raw unit to either side of them"},
)
def grazes(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Pairs that touch exactly, along an axis or on whole triangles, or are a raw unit nearer or
    farther.
    """
    triangles = [
        (3, 4, 5),
        (5, 12, 13),
        (8, 15, 17),
        (7, 24, 25),
        (20, 21, 29),
        (1, 0, 1),
        (0, 1, 1),
    ]
    ids = range(0, 16, 2)
    for id in ids:
        world.add(id, Sphere(1), Pose(0, id * ONE, 0))
        world.add(id + 1, Sphere(1), Pose(ONE, id * ONE, 0))
    for _ in range(120):
        for id in ids:
            across, along, reach = draw.one_of(triangles)
            scale = draw.between(2, 2000)
            first = draw.between(1, reach * scale - 1)
            second = reach * scale - first
            height = draw.between(1, 500)
            a, b = draw.one_of(
                (
                    (Sphere(first), Sphere(second)),
                    (Cylinder(first, height), Cylinder(second, height)),
                    (Capsule(first, height), Sphere(second)),
                    (Sphere(first), Cylinder(second, height)),
                )
            )
            world.set_shape(id, a)
            world.set_shape(id + 1, b)
            x, z = draw.one_of((1, -1)) * across * scale, draw.one_of((1, -1)) * along * scale
            x, z = x + draw.one_of((0, 0, 0, 1, -1)), z + draw.one_of((0, 0, 0, 1, -1))
            world.move(id + 1, x, id * ONE, z)
        recorder.query(Box(3, 16 * ONE, 4), Pose(0, 0, 0))
        yield


# ---- turned bodies ----


@match(
    world={"capacity": 16},
    meta={
        "pins": "offsets turned with the yaw and how they round, turned boxes, sectors against boxes"
    },
)
def turned(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Boxes that turn about a point beside them, mirrored pairs, and sectors that sweep over
    them.
    """
    for id in range(6):
        arm = (draw.between(1, 3 * ONE), draw.between(-ONE, ONE), draw.between(-3 * ONE, 3 * ONE))
        box = Box(draw.between(1, ONE), ONE, draw.between(1, ONE))
        world.add(2 * id, box, Pose(id * ONE, 0, 0), offset=arm)
        # Its mirror image across the plane z = 0, one floor up: these must hit each other as the
        # others do.
        world.add(2 * id + 1, box, Pose(id * ONE, 9 * ONE, 0), offset=(arm[0], arm[1], -arm[2]))
    for id, half_angle in zip(range(12, 16), (2048, 16384, 16385, 30000), strict=True):
        world.add(id, Sector(5 * ONE, half_angle, ONE), Pose(id % 4 * 2 * ONE, 0, 0), owner=1)
    for frame in range(200):
        for id in range(6):
            yaw = (frame * (id + 1) * 211 + draw.one_of((0, 0, 1, -1))) % TURN
            if frame % 16 == 0:
                yaw = draw.below(8) * 8192
            world.turn(2 * id, yaw)
            world.turn(2 * id + 1, -yaw % TURN)
        for id in range(12, 16):
            world.turn(id, frame * 16384 // id % TURN)
        sector = Sector(4 * ONE, draw.one_of((1, 4096, 16384, 16385, 30000, 32768)), ONE)
        recorder.query(sector, Pose(draw.between(0, 10) * ONE, 0, 0, frame * 331 % TURN))
        yield


# ---- owners and layers that change ----


@match(
    world={"capacity": 20, "layers": [(0, 1), (1, 2), (2, 2), (31, 0), (31, 31)]},
    meta={"pins": "changes of layer, owner and activity, which keep the history of a pair"},
)
def allegiance(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Twenty bodies that stand in each other change sides, layers and whether they are there at
    all.
    """
    for id in range(world.capacity):
        pose = Pose(draw.between(-ONE, ONE), 0, draw.between(-ONE, ONE))
        layer, owner = draw.one_of((0, 1, 2, 31)), draw.below(4)
        world.add(id, any_shape(draw, ONE // 4, ONE), pose, layer=layer, owner=owner)
    for _ in range(200):
        for _ in range(draw.below(5)):
            id = draw.below(world.capacity)
            change = draw.below(3)
            if change == 0:
                world.set_layer(id, draw.one_of((0, 1, 2, 30, 31)))
            elif change == 1:
                world.set_owner(id, draw.one_of((0, 1, 2, 3, 2**32 - 1)))
            else:
                world.set_active(id, draw.chance(70))
        recorder.query(
            Cylinder(ONE, ONE), Pose(0, 0, 0), draw.one_of((1, 2, 4, 1 << 31, 2**32 - 1))
        )
        yield


# ---- fast bodies ----


@match(
    world={"capacity": 40},
    meta={"pins": "casts of every solid kind against every other, rays, grazes along a floor"},
)
def dashes(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Bodies that dash through a field of pillars, as far as their casts say, and rays across all
    of it.
    """
    runners, pillars = range(8), range(8, 39)
    for id in pillars:
        at = Pose(draw.between(-20, 20) * ONE, 0, draw.between(-20, 20) * ONE, draw.below(TURN))
        world.add(id, solid(draw), at, layer=1 + id % 3, owner=id % 5)
    world.add(39, Box(40 * ONE, ONE, 40 * ONE), Pose(0, -3 * ONE, 0), layer=4)
    shapes = [solid(draw) for _ in runners]
    for id in runners:
        at = Pose(draw.between(-20, 20) * ONE, 0, draw.between(-20, 20) * ONE)
        world.add(id, shapes[id], at, owner=1 + id)
    going: dict[int, tuple[int, int, int]] = {}
    for frame in range(150):
        for id, (x, y, z) in going.items():
            at = world[id].pose
            world.move(id, at.x + x, at.y + y, at.z + z)
        going = {}
        least = draw.one_of((Contact.TOUCHING, Contact.OVERLAPPING))
        asked = [id for id in runners if draw.chance(50)]
        motions = []
        for id in asked:
            speed = draw.one_of((1, ONE // 64, 7 * ONE, 60 * ONE))
            x, y, z = (
                draw.between(-speed, speed),
                draw.one_of((0, 0, -speed // 8)),
                draw.between(-speed, speed),
            )
            motions.append((x, y, z))
            at = world[id].pose
            recorder.cast(
                shapes[id], at, motions[-1], 0b11110, limit=2, hit_when=least, exclude_owner=1 + id
            )
        from_here = Pose(draw.between(-20, 20) * ONE, ONE // 3, -30 * ONE)
        recorder.cast(
            Sphere(1), from_here, (draw.between(-9, 9) * ONE, 0, 60 * ONE), exclude_owner=frame % 5
        )
        yield
        for id, motion, answer in zip(asked, motions, recorder.answers, strict=False):
            first = answer[0] if answer else None
            part = first.fraction if isinstance(first, CastHit) else 65536
            x, y, z = (v * part >> 16 for v in motion)
            at = world[id].pose
            if all(abs(v) < 1000 * ONE for v in (at.x + x, at.y + y, at.z + z)):
                going[id] = (x, y, z)


def solid(draw: Draw) -> Shape:
    """Any kind but a sector, of a size that leaves room between pillars."""
    while True:
        shape = any_shape(draw, ONE // 8, 2 * ONE)
        if not isinstance(shape, Sector):
            return shape


# ---- a level ----

BODY, SWING, ROCK, ZONE = range(4)


def courtyard_level() -> tuple[Level, dict[int, str]]:
    """Outlines with acute, obtuse and reflex corners, a hole, a sliver, round pillars; and the names
    of the solids."""
    parts = {
        "corner": polygon(
            scaled((-9, -9), (-2, -9), (-2, -7), (-7, -7), (-7, -1), (-9, -2)), -ONE, ONE, layer=ROCK
        ),
        "ring wall": polygon(
            scaled((2, 2), (9, 1), (11, 7), (6, 11), (1, 8)),
            -ONE // 2,
            2 * ONE,
            holes=[scaled((4, 4), (8, 4), (8, 7), (5, 8))],
            layer=ROCK,
        ),
        "star": polygon(
            scaled((6, -9), (7, -6), (10, -6), (8, -4), (9, -1), (6, -3), (3, -1), (4, -4), (2, -6),
                   (5, -6)),
            -2 * ONE,
            0,
            layer=ROCK,
        ),
        "sliver": [Prism([(-8 * ONE, 3 * ONE), (0, 4 * ONE - 1), (0, 4 * ONE)], -ONE, ONE, ROCK)],
        "crate": [box(-5 * ONE, 7 * ONE, 2 * ONE, ONE, -ONE, ONE, yaw=5000, layer=ROCK)],
        "pillar": [Pillar(0, 0, ONE, -3 * ONE, 3 * ONE, ROCK)],
        "low pillar": [Pillar(-4 * ONE, -4 * ONE, 3 * ONE // 2, -ONE, ONE // 4, ROCK)],
        "zone": [Prism(scaled((-3, -3), (3, -3), (4, 0), (3, 3), (-3, 3)), -9 * ONE, 9 * ONE, ZONE)],
    }  # fmt: skip
    names = [name for name, solids in parts.items() for _ in solids]
    level = Level(one for solids in parts.values() for one in solids)
    return level, {LEVEL + i: name for i, name in enumerate(names)}


def scaled(*points: tuple[int, int]) -> list[tuple[int, int]]:
    return [(x * ONE, z * ONE) for x, z in points]


COURTYARD, SOLID_NAMES = courtyard_level()


@match(
    world={
        "capacity": 24,
        "layers": [(BODY, BODY), (BODY, SWING), (BODY, ROCK), (BODY, ZONE), (SWING, ROCK)],
        "level": COURTYARD,
    },
    meta={"pins": "levels: all kinds against polygons and pillars, and pushes out of them"},
    names=Names({BODY: "body", SWING: "swing", ROCK: "rock", ZONE: "zone"}, SOLID_NAMES),
)
def courtyard(world: World, recorder: Recorder, draw: Draw) -> Match:
    """Bodies of all kinds walk into walls and are pushed out, swing sectors and rings, and look for
    solids by queries and casts.
    """
    bodies, swings = range(12), range(12, 18)
    for id in bodies:
        shape = solid(draw)
        world.add(id, shape, courtyard_spot(draw), layer=BODY, owner=1 + id)
    for id in swings:
        hole = draw.one_of((0, ONE))
        sector = Sector(draw.between(2, 4) * ONE, draw.between(1, TURN // 2), ONE, hole)
        world.add(id, sector, courtyard_spot(draw), layer=SWING, owner=1 + id % 12)
    going = {id: (draw.between(-ONE, ONE) // 3, draw.between(-ONE, ONE) // 3) for id in bodies}
    for frame in range(240):
        for id in bodies:
            at = world[id].pose
            if draw.chance(4) or abs(at.x) > 13 * ONE or abs(at.z) > 13 * ONE:
                aim = direction(yaw_of(draw.between(-9, 9) * ONE - at.x, -at.z))
                going[id] = (aim[0] * (ONE // 4) >> 30, aim[1] * (ONE // 4) >> 30)
            x, z = going[id]
            world.set_pose(id, Pose(at.x + x, at.y, at.z + z, (at.yaw + 300 * (id % 3)) % TURN))
        for id in swings:
            at = world[id % 12].pose
            world.set_pose(id, Pose(at.x, at.y, at.z, (at.yaw + 900 * frame) % TURN))
        spot = courtyard_spot(draw)
        recorder.query(any_shape(draw, ONE // 4, 3 * ONE), spot, 1 << ROCK | 1 << ZONE)
        way = (draw.between(-20, 20) * ONE, draw.between(-1, 1) * ONE, draw.between(-20, 20) * ONE)
        recorder.cast(solid(draw), spot, way, 1 << ROCK | 1 << BODY, limit=3)
        yield
        if frame % 2:
            world.separate([(BODY, ROCK)], passes=2)


def courtyard_spot(draw: Draw) -> Pose:
    x, z = (draw.between(-12 * ONE, 12 * ONE) for _ in range(2))
    return Pose(x, draw.between(-ONE, ONE), z, draw.below(TURN))


# ---- recording ----


def record(name: str, folder: Path) -> Path:
    """Plays one match and records it as FOLDER/name.jsonl.gz."""
    play, settings, about = MATCHES[name]
    world = World(**settings)
    path = folder / f"{name}.jsonl.gz"
    with Recorder(world, path, replace=True, **about) as recorder:
        frames = play(world, recorder, Draw(int.from_bytes(name.encode()[:8], "little")))
        next(frames)
        with suppress(StopIteration):
            while True:
                frames.send(world.step())
    return path


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for match_name in MATCHES:
        print(record(match_name, Path(sys.argv[1])))

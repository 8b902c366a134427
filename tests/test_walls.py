"""A wall holds: nothing is pushed through it by presses, doors, lifts, bosses and crowds."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import Any

import model
import model_motion
import pytest
from builds import CSRC
from model_level import LevelWorld
from strategies import rounds
from test_level import level_of, random_pose, random_shape, random_solid
from tools import Log, by_default

from fixsync import (
    LEVEL,
    ONE,
    Box,
    Cylinder,
    Level,
    Pose,
    Prism,
    Sector,
    Sphere,
    World,
)
from fixsync._native.raw import ffi, lib
from fixsync.game.motion import Mover, Separated, carry, separate
from fixsync.world.shapes import shape_from_tuple

HALF, EIGHTH = ONE // 2, ONE // 8
WALKER, WALL, BOSS = 0, 1, 2
MOVER = Mover(mask=1 << WALL)
HERO = Cylinder(HALF, ONE)
AT_WALL = 5 * HALF
"""The hero's x where it touches a wall whose near side is at x = 3."""


def a_world(wall: int = EIGHTH) -> World:
    """The hero, 0, at a wall, 1, of a thickness."""
    world = World(16, layers=[(WALKER, WALKER), (WALKER, BOSS)])
    world.add(0, HERO, Pose(AT_WALL, 0, 0), layer=WALKER)
    far = 3 * ONE + wall // 2
    world.add(1, Box(wall // 2, 9 * ONE, 9 * ONE), Pose(far, 0, 0), layer=WALL)
    return world


# What games reported.


def test_a_hero_in_a_boss_at_a_wall_stays_and_separate_alone_pushes_it_into_the_wall() -> None:
    world = a_world()
    world.add(2, Cylinder(2 * ONE, ONE), Pose(5 * EIGHTH, 0, 0), layer=BOSS)
    world.step()
    twin = world.copy()
    yields = [(WALKER, BOSS)]
    assert separate(world, yields, {0: MOVER}) == [Separated(0, AT_WALL, 0, 0, True)]
    assert twin.separate(yields) == [(0, 25 * EIGHTH, 0, 0)]
    assert twin[0].pose.x == 25 * EIGHTH


@pytest.mark.parametrize("wall", [EIGHTH, ONE])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_press_crushes_as_long_as_it_is_in_and_pushes_through_nothing(
    wall: int, axis: int
) -> None:
    """Through a wall or a floor. Past its middle it lets out behind itself."""
    world = World(4, layers=[])
    at, size = [0, 0, 0], [9 * ONE, 9 * ONE, 9 * ONE]
    world.add(0, Box(HALF, HALF, HALF), Pose(0, 0, 0), layer=WALKER)
    at[axis], size[axis] = HALF + wall // 2, wall // 2
    world.add(1, Box(*size), Pose(*at), layer=WALL)
    at[axis], size[axis] = -2 * ONE, HALF
    world.add(2, Box(*size), Pose(*at), layer=WALL)
    motion = (EIGHTH, 0, 0) if axis == 0 else (0, EIGHTH, 0)
    crushed = []
    for _ in range(60):
        crushed.append(carry(world, [2], motion, {0: MOVER})[0].crushed)
        MOVER.move(world, 0, (0, 0, 0))
        assert world[0].pose.position[axis] <= 0
    first = crushed.index(True)
    last = first + crushed[first:].index(False)
    assert last - first >= 8
    assert not any(crushed[last:])


@pytest.mark.parametrize("deep", [1, EIGHTH, 2 * EIGHTH, 9 * ONE // 16, 7 * EIGHTH])
def test_the_least_press(deep: int) -> None:
    world = a_world()
    world.add(2, Box(ONE, 9 * ONE, 9 * ONE), Pose(ONE + deep, 0, 0), layer=WALL)
    result = MOVER.move(world, 0, (0, 0, 0))
    assert (result.stuck, world[0].pose.x) == (True, AT_WALL)


def test_a_press_does_not_push_through_a_wall_that_is_overlapped_by_a_raw_unit() -> None:
    world = a_world()
    world.move(0, AT_WALL + 1, 0, 0)
    world.add(2, Box(ONE, ONE, 9 * ONE), Pose(ONE + 9 * ONE // 16, 0, 0), layer=WALL)
    for _ in range(4):
        result = MOVER.move(world, 0, (0, 0, 0))
        assert (result.stuck, world[0].pose.x) == (True, AT_WALL + 1)
    world.move(2, -ONE, 0, 0)
    assert (MOVER.move(world, 0, (0, 0, 0)).pushed, world[0].pose.x) == (True, AT_WALL)


def test_the_longer_way_is_taken_up_to_the_width_of_the_character() -> None:
    """The press leads into a wall; above it is room."""
    for height, is_out in ((ONE - 1, True), (ONE, True), (ONE + 1, False)):
        world = World(4, layers=[])
        world.add(0, Box(HALF, HALF, 3 * ONE), Pose(0, HALF, 0), layer=WALKER)
        world.add(1, Box(HALF, 9 * ONE, 9 * ONE), Pose(ONE, 0, 0), layer=WALL)
        world.add(2, Box(HALF, height, 9 * ONE), Pose(1 - ONE, 0, 0), layer=WALL)
        result = MOVER.move(world, 0, (0, 0, 0))
        assert (result.pushed, result.stuck) == (is_out, not is_out)
        assert world[0].pose.position == (0, height + HALF if is_out else HALF, 0)


def test_two_riders_under_a_ceiling_turn_the_lift_by_what_is_held() -> None:
    """The upper one is held and not crushed; both are squeezed."""
    world = World(8, layers=[(WALKER, WALKER)])
    world.add(0, HERO, Pose(0, 3 * ONE, 0), layer=WALKER)
    world.add(1, HERO, Pose(0, 5 * ONE, 0), layer=WALKER)
    world.add(2, Box(ONE, ONE, ONE), Pose(0, ONE, 0), layer=WALL)
    world.add(3, Box(ONE, ONE, ONE), Pose(0, 8 * ONE, 0), layer=WALL)
    movers = dict.fromkeys((0, 1), Mover(mask=1 << WALL | 1 << WALKER))
    for motion, flags in (
        (HALF, ("", "")),
        (HALF, ("", "")),
        (HALF, ("squeezed", "squeezed held")),
    ):
        carried = carry(world, [2], (0, motion, 0), movers)
        assert all(row.rode for row in carried.values())
        assert not any(row.crushed for row in carried.values())
        found = [
            " ".join(name for name in ("squeezed", "held") if getattr(row, name))
            for row in carried.values()
        ]
        assert tuple(found) == flags
    way, frames = HALF, 0
    world.move(0, 0, 3 * ONE, 0)
    world.move(1, 0, 5 * ONE, 0)
    world.move(2, 0, ONE, 0)
    for _ in range(40):  # as docs/movement.md says it
        state = world.save()
        rows = carry(world, [2], (0, way, 0), movers).values()
        if any(row.crushed or row.squeezed or (row.held and way > 0) for row in rows):
            world.load(state)
            way = -way
            frames += 1
        assert world.contact(0, 2) == world.contact(1, 0) == 1, "they stand on each other"
    assert frames == 1


def test_movers_are_squeezed_once_and_only_who_blocks_and_is_active() -> None:
    def carried(**first: Any) -> list[bool]:
        world = World(8, layers=[])
        for id, x in ((0, 0), (1, ONE)):
            more = first if id == 0 else {}
            world.add(id, HERO, Pose(x, 0, 0), **{"layer": WALKER, **more})
        world.add(2, Box(HALF, ONE, ONE), Pose(-ONE, 0, 0), layer=WALL)
        world.add(3, Box(HALF, ONE, ONE), Pose(2 * ONE, 0, 0), layer=WALL)
        one = Mover(mask=1 << WALL | 1 << WALKER)
        movers = {0: one, 1: MOVER}
        rows = [carry(world, [2], (100, 0, 0), movers)[0] for _ in range(2)]
        assert [row.shoved for row in rows] == [True, True]
        return [row.squeezed for row in rows]

    assert carried() == [True, False]
    assert carried(active=False) == [False, False]
    assert carried(layer=5) == [True, False], "one blocks the other"


def test_crushed_is_a_matter_of_mask_and_owner_and_not_of_one_way_layers() -> None:
    world = World(8, layers=[])
    world.add(0, HERO, Pose(0, 0, 0), layer=WALKER, owner=7)
    world.add(1, Box(HALF, ONE, ONE), Pose(0, 0, 0), layer=WALL)
    still = (0, 0, 0)
    assert carry(world, [1], still, {0: MOVER})[0] == (
        still,
        *(False, False, False),
        *(True, False, None),
    )
    assert not carry(world, [1], still, {0: Mover(mask=1, one_way=1 << WALL)})[0].crushed
    assert not carry(world, [1], still, {0: Mover(mask=1)})[0].crushed
    world.set_owner(1, 7)
    assert not carry(world, [1], still, {0: MOVER})[0].crushed
    world.set_owner(1, 0)
    world.move(1, ONE, 0, 0)
    assert not carry(world, [1], still, {0: MOVER})[0].crushed, "touching is not overlapping"


# Crowds: separate against its model.


def a_crowd(rng: random.Random) -> tuple[LevelWorld, World]:
    size = rng.choice([8, 30, 500])
    layers = rng.choice([None, [(0, 0), (0, 1), (0, 2), (1, 1)]])
    solids = [random_solid(rng, size) for _ in range(rng.choice([0, 1, 3]))]
    twin, world = (
        LevelWorld(20, solids, 1, layers),
        World(20, layers=layers, level=level_of(*solids)),
    )
    for id in range(rng.choice([3, 6, 9])):
        shape, pose = random_shape(rng, size), random_pose(rng, size)
        more: dict[str, Any] = {
            "layer": rng.randrange(3),
            "owner": rng.choice([0, 0, 7]),
            "offset": rng.choice([(0, 0, 0), (3, -2, 1)]),
            "active": rng.random() < 0.9,
        }
        try:
            twin.add(id, shape, pose, **more)
        except ValueError:
            continue
        world.add(id, shape_from_tuple(shape), Pose(*pose), **more)
    return twin, world


def check_crowd(seed: int) -> set[str]:
    rng = random.Random(seed)
    twin, world = a_crowd(rng)
    world.step()
    yields = {(i, j) for i in range(3) for j in range(3) if rng.random() < 0.5}
    movers = {
        id: Mover(mask=rng.choice([None, 1, 2, 6, 7]), passes=rng.choice([2, 4]))
        for id in world
        if rng.random() < 0.7 and not isinstance(world[id].shape, Sector)
    }
    movers = {
        id: Mover(mask=2, one_way=5) if rng.random() < 0.2 else mover
        for id, mover in movers.items()
    }
    passes = rng.choice([1, 2, 9])
    apart = world.copy()
    apart.separate(yields, passes=passes)
    aims = {id: apart[id].pose.position for id in world if apart[id].pose != world[id].pose}
    settings = {id: (mover.mask, mover.passes) for id, mover in movers.items()}
    expected = model_motion.separate(twin, yields, settings, aims)
    assert separate(world, yields, movers, passes=passes) == expected, seed
    assert [world[id].pose.position for id in world] == [twin[id].pose[:3] for id in world], seed
    apart.load(world.save())
    assert apart.hash() == world.hash()
    seen = {"held" if row[4] else "free" for row in expected if row[0] in movers}
    return seen | {"other" for row in expected if row[0] not in movers}


def test_crowds_give_way_as_in_the_model() -> None:
    seen = set().union(*(check_crowd(seed) for seed in rounds(2000)))
    assert seen == {"held", "free", "other"}


def test_who_yields_to_what_it_overlaps_may_leave_it_and_not_come_back_into_it() -> None:
    """What it gives way to and overlaps where it was is not in its way; other colliders are."""
    world = World(8, layers=[(WALKER, BOSS)])
    world.add(0, HERO, Pose(0, 0, 0), layer=WALKER)
    world.add(1, Box(HALF, ONE, ONE), Pose(-HALF, 0, 0), layer=BOSS)
    world.add(2, Box(HALF, ONE, ONE), Pose(ONE + 1000, 0, 0), layer=BOSS, owner=7)
    world.set_owner(0, 7)
    world.step()
    mover = {0: Mover(mask=1 << BOSS)}
    assert separate(world.copy(), [(WALKER, BOSS)], mover) == [(0, HALF, 0, 0, False)]
    world.set_owner(2, 0)
    world.step()
    assert separate(world.copy(), [(WALKER, BOSS)], mover) == [(0, 1000, 0, 0, True)]
    world.move(0, 1001, 0, 0)
    world.step()
    assert separate(world.copy(), [], mover) == []


def test_a_ball_that_is_pushed_against_a_lower_ball_keeps_its_height() -> None:
    """A slide along the lower one would lead upwards."""
    world = World(4, layers=[(WALKER, WALKER)])
    world.add(0, Sphere(HALF), Pose(0, 0, 0), layer=WALKER)
    world.add(1, Sphere(HALF), Pose(-EIGHTH, 0, 0), layer=WALKER)
    world.add(2, Sphere(HALF), Pose(ONE - EIGHTH, -HALF, 0), layer=WALL)
    world.step()
    row = separate(world, [(WALKER, WALKER)], {0: MOVER})[0]
    assert row.is_held
    assert row.y == 0


def test_a_mover_that_is_pushed_further_than_a_motion_stays() -> None:
    far = 2**29 - 1
    world = World(4)
    world.add(0, Cylinder(far, ONE), Pose(0, 0, 0))
    world.add(1, Cylinder(far, ONE), Pose(0, 0, 0))
    world.step()
    rows = separate(world, [(0, 0)], {0: Mover(mask=2)})
    assert [(row.id, row.is_held) for row in rows] == [(0, False), (1, False)]
    world.move(0, 0, 0, 0)
    world.move(1, 0, 0, 0)
    world.set_layer(1, 1)
    world.step()
    assert separate(world, [(0, 1)], {0: Mover(mask=1)}) == [(0, 0, 0, 0, True)]


def test_each_status_of_the_header_is_returned_and_moves_nothing() -> None:
    world = World(8)
    top = 2**31 - 1
    world.add(0, Sphere(HALF), Pose(0, 0, 0))
    world.add(1, Sphere(HALF), Pose(9, 0, 0))
    world.add(2, Sector(HALF, 9000, HALF), Pose(9 * ONE, 0, 0))
    world.add(3, Sphere(HALF), Pose(top, 0, 0))
    world.add(4, Sphere(HALF), Pose(top - 9, 0, 0), layer=1)
    world.step()
    before = world.save()
    rows, count = ffi.new("fxs_separated[]", 8), ffi.new("uint64_t *")
    seen = set()

    def settings(*ids: int, passes: int = 4) -> Any:
        return ffi.new("fxs_mover[]", [(id, 0, passes, 0, 0, 2**30, 0) for id in ids])

    for listed, yields, capacity, number in (
        (settings(0, 0), [0] * 32, 8, 1),
        (settings(0, 8), [0] * 32, 8, 1),
        (settings(0, 7), [0] * 32, 8, 1),
        (settings(0, 1, 2), [0] * 32, 8, 2),
        (settings(0, passes=1), [0] * 32, 8, 0),
        (settings(0, 1), [1] * 32, 1, 4),
        (settings(0, 1), [2] + [0] * 31, 8, 3),
    ):
        native = world._native._world
        call = native, yields, 1, listed, len(listed), rows, capacity, count
        seen.add(lib.fxs_movers_separate(*call))
        assert count[0] == number
        assert world.save() == before
    header = (CSRC / "fixsync_kit.h").read_text()
    comment = header[: header.index("FXS_API int32_t fxs_movers_separate(")].rpartition("/*")[2]
    assert seen == {getattr(lib, name) for name in re.findall(r"\bFXS_E_\w+", comment)}
    twin = world.copy()
    for movers, error, message in (
        ({2: MOVER}, ValueError, "the shape of id 2 must be a Sphere"),
        ({7: MOVER}, KeyError, "'id 7 is not in the world'"),
        ({8: MOVER}, ValueError, "id must be 0..7, not 8"),
        ([0], TypeError, "movers must be a dict of ids and Movers, not [0]"),
    ):
        with pytest.raises(error, match=f"^{re.escape(message)}"):
            separate(twin, [(0, 0)], movers)
    with pytest.raises(ValueError, match=r"^separate would push id 3 outside"):
        separate(twin, [(0, 1)], {0: MOVER})
    assert twin.save() == before


def test_a_recorder_hears_what_gives_way() -> None:
    world = a_world()
    world.add(2, Cylinder(2 * ONE, ONE), Pose(EIGHTH, 0, 0), layer=WALKER)
    world.step()
    twin, log = world.copy(), Log()
    world._native.observer = log
    assert separate(world, [(WALKER, WALKER)], {0: MOVER})
    twin._native.apply(b"".join(log.reported))
    assert twin.hash() == world.hash()


# Random rooms.

Vec3 = tuple[int, int, int]
Plane = tuple[int, int, int, int]
"""(nx, ny, nz, c): inside is where n . p < c."""


class Body:
    """A convex upright body that stands from wall to wall or may not be walked around: what is
    inside, in integers."""

    def __init__(self, shape: Any, pose: Any) -> None:
        _, half_x, half_y, half_z = shape
        x, y, z, yaw = pose
        c, s = model.direction(yaw)
        self.planes: list[Plane] = [(0, 1, 0, y + half_y), (0, -1, 0, half_y - y)]
        for nx, nz, half in ((c, s, half_x), (-s, c, half_z)):
            middle = nx * x + nz * z
            self.planes.append((nx, 0, nz, middle + half * 2**30))
            self.planes.append((-nx, 0, -nz, half * 2**30 - middle))

    def is_crossed(self, a: Vec3, b: Vec3) -> bool:
        """Whether the segment from a to b comes into it."""
        first, last = Fraction(0), Fraction(1)
        for *n, c in self.planes:
            at = sum(i * j for i, j in zip(n, a, strict=True)) - c
            by = sum(i * (q - p) for i, p, q in zip(n, a, b, strict=True))
            if by == 0:
                if at >= 0:
                    return False
            elif by > 0:
                last = min(last, Fraction(-at, by))
            else:
                first = max(first, Fraction(-at, by))
        return first < last


class Room:
    """A room with walls that cannot be walked around, things that move, and those who are pushed.

    A mover's last free place, and the frame of it, are known from the model's contacts."""

    SIDE, DEEP = 6 * ONE, 4 * ONE

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.things: dict[int, tuple[Any, Any]] = {}
        self.moved_at: dict[int, int] = {}
        self.frame = 0
        self.seen: dict[str, int] = {}
        self.top = rng.choice([3 * ONE, 4 * ONE, 6 * ONE])
        self.solids: list[Any] = []
        self.walls: list[tuple[Any, Any]] = []
        far = 40 * ONE
        thin = lambda: rng.choice([1, 2, EIGHTH // 2, EIGHTH // 2, HALF])  # noqa: E731
        for axis, at in ((0, self.SIDE), (1, 0), (2, self.DEEP)):
            for side in (-1, 1):
                half = thin()
                size, place = [far, far, far], [0, 0, 0]
                size[axis] = half
                place[axis] = side * (at + half)
                if axis == 1:
                    place[1] = -half if side < 0 else self.top + half
                self.walls.append((("box", *size), (*place, 0)))
        for _ in range(rng.choice([0, 1, 1, 2])):
            x, z = rng.randint(-3 * ONE, 3 * ONE), rng.randint(-2 * ONE, 2 * ONE)
            yaw = rng.choice([0, 16384, rng.randrange(65536)])
            self.walls.append((("box", far, far, thin()), (x, 0, z, yaw)))
        if rng.random() < 0.3:
            half = thin()
            self.walls.append((("box", far, half, far), (0, self.top // 2, 0, 0)))
        self.prisms = [wall for wall in self.walls if rng.random() < 0.5]
        level = Level([self.prism(*wall) for wall in self.prisms])
        layers = [(WALKER, WALKER), (WALKER, BOSS)]
        self.world = World(64, layers=layers, level=level)
        self.bodies = {LEVEL + i: self.body_of(s) for i, s in enumerate(level)}
        for id, wall in enumerate((w for w in self.walls if w not in self.prisms), 20):
            self.add(id, *wall, WALL)
            self.bodies[id] = Body(*wall)
        self.platforms: dict[int, list[int]] = {}
        self.movers: dict[int, Mover] = {}
        self.free: dict[int, tuple[int, Vec3]] = {}
        self.make_platforms()
        self.make_movers()

    @staticmethod
    def prism(shape: Any, pose: Any) -> Prism:
        """A box as a prism of whole vertices, which bulges by up to a raw unit."""
        _, half_x, half_y, half_z = shape
        x, y, z, yaw = pose
        c, s = model.direction(yaw)
        corners = [
            (
                x + ((i * half_x * c - j * half_z * s) >> 30),
                z + ((i * half_x * s + j * half_z * c) >> 30),
            )
            for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        return Prism(corners, y - half_y, y + half_y, WALL)

    @staticmethod
    def body_of(prism: Any) -> Body:
        body = Body.__new__(Body)
        corners = list(prism.vertices)
        body.planes = [(0, 1, 0, prism.y_high), (0, -1, 0, -prism.y_low)]
        for (x, z), (u, w) in zip(corners, corners[1:] + corners[:1], strict=True):
            nx, nz = w - z, x - u
            body.planes.append((nx, 0, nz, nx * x + nz * z))
        return body

    def add(self, id: int, shape: Any, pose: Any, layer: int) -> None:
        self.things[id] = shape, pose
        self.world.add(id, shape_from_tuple(shape), Pose(*pose), layer=layer)

    def anywhere(self) -> Vec3:
        rng = self.rng
        return (
            rng.randint(-self.SIDE, self.SIDE),
            rng.randint(0, self.top),
            rng.randint(-self.DEEP, self.DEEP),
        )

    def make_platforms(self) -> None:
        """Presses and doors from wall to wall, small ones, and lifts; a pillar or two."""
        rng = self.rng
        for id in range(40, 40 + rng.randint(1, 3)):
            axis = rng.choice([0, 1, 1, 2])
            size = [rng.randint(HALF, 2 * ONE) for _ in "xyz"]
            is_wide = rng.random() < 0.5
            if is_wide:
                size = [40 * ONE] * 3
            size[axis] = rng.choice([EIGHTH // 2, EIGHTH, HALF])
            pose = (
                *self.anywhere(),
                rng.choice([0, 0, rng.randrange(65536)]) if not is_wide else 0,
            )
            self.add(id, ("box", *size), pose, WALL)
            if is_wide:
                self.bodies[id] = Body(*self.things[id])
            motion = [0, 0, 0]
            motion[axis] = rng.choice([-1, 1]) * rng.randint(ONE // 64, ONE // 4)
            if rng.random() < 0.3:
                motion[rng.randrange(3)] = rng.randint(-EIGHTH, EIGHTH)
            self.platforms[id] = motion
        for id in range(50, 50 + rng.randrange(3)):
            x, y, z = self.anywhere()
            self.add(id, ("box", HALF, rng.randint(EIGHTH, 2 * ONE), HALF), (x, y, z, 5000), WALL)

    def make_movers(self) -> None:
        rng = self.rng
        mask = rng.choice([1 << WALL, 1 << WALL | 1 << WALKER, 1 << WALL | 1 << BOSS | 1])
        shapes = [("cylinder", HALF, HALF), ("capsule", HALF, EIGHTH), ("sphere", HALF)]
        shapes += [("box", HALF, HALF, 3 * EIGHTH), ("cylinder", EIGHTH, HALF)]
        for id in range(rng.randint(1, 4)):
            for _ in range(60):
                shape, (x, y, z) = rng.choice(shapes), self.anywhere()
                if rng.random() < 0.6:  # on a lift or on each other
                    on = rng.choice([*self.platforms, *self.movers])
                    top, at = self.things[on]
                    x, z = at[0] + rng.randint(-HALF, HALF), at[2] + rng.randint(-HALF, HALF)
                    y = at[1] + self.height(top) + self.height(shape)
                pose = x, y, z, 0
                inside = abs(x) < self.SIDE and abs(z) < self.DEEP and 0 < y < self.top
                if inside and self.is_free(id, shape, pose):
                    self.add(id, shape, pose, WALKER)
                    step = rng.choice([0, ONE // 4])
                    self.movers[id] = Mover(mask=mask, step_height=step, snap=step)
                    self.free[id] = 0, (x, y, z)
                    break
        self.boss = None
        if rng.random() < 0.5:
            self.boss = 10
            self.add(10, ("cylinder", rng.randint(ONE, 2 * ONE), ONE), (*self.anywhere(), 0), BOSS)

    @staticmethod
    def height(shape: Any) -> int:
        kind, *sizes = shape
        return {"sphere": sizes[0], "capsule": sum(sizes[:2])}.get(
            kind, sizes[min(1, len(sizes) - 1)]
        )

    def is_free(self, id: int, shape: Any, pose: Any) -> bool:
        """Of all that blocks it or may, by the model."""
        if any(
            model.overlap(shape, pose, other, at) == model.OVERLAPPING
            for i, (other, at) in self.things.items()
            if i != id
        ):
            return False
        x, y, z = pose[:3]
        return not any(
            self.world.level.contact(i, shape_from_tuple(shape), Pose(x, y, z)) == 2
            for i in range(len(self.prisms))
        )

    # A frame.

    def place(self, id: int) -> None:
        shape, (*before, yaw) = self.things[id]
        after = self.world[id].pose.position
        if tuple(before) != after:
            self.moved_at[id] = self.frame
            self.things[id] = shape, (*after, yaw)
            if id in self.bodies:
                self.bodies[id] = Body(*self.things[id])

    def count(self, name: str) -> None:
        self.seen[name] = self.seen.get(name, 0) + 1

    def play(self) -> None:
        rng, world = self.rng, self.world
        self.frame += 1
        for id, motion in self.platforms.items():
            x, y, z = motion
            if rng.random() < 0.02:
                self.platforms[id] = [-x, -y, -z]
            if rng.random() < 0.3:
                x = y = z = 0
            rows = carry(world, [id], (x, y, z), self.movers)
            for row in rows.values():
                for name in ("rode", "held", "crushed", "squeezed"):
                    if getattr(row, name):
                        self.count(name)
            self.place(id)
        if self.boss is not None and self.movers:
            hero, boss = world[0 if 0 in self.movers else min(self.movers)].pose, world[10].pose
            towards = [
                EIGHTH * ((a > b) - (a < b)) // 2
                for a, b in zip(hero.position, boss.position, strict=True)
            ]
            world.move(10, *(a + b for a, b in zip(boss.position, towards, strict=True)))
        world.step()
        yields = rng.choice(
            [[(WALKER, WALKER), (WALKER, BOSS)], [(WALKER, WALKER), (BOSS, WALKER)]]
        )
        for row in separate(world, yields, self.movers, passes=rng.choice([1, 4])):
            if row.is_held:
                self.count("kept")
        for id, mover in self.movers.items():
            x, y, z = (rng.randint(-ONE // 4, ONE // 4) for _ in "xyz")
            result = mover.move(world, id, (x, rng.choice([y, -EIGHTH, -EIGHTH]), z))
            for name in ("pushed", "stuck"):
                if getattr(result, name):
                    self.count(name)
        for id in self.movers:
            self.place(id)
        if self.boss is not None:
            self.place(10)
        for id in self.movers:
            self.judge(id)

    def judge(self, id: int) -> None:
        since, was = self.free[id]
        shape, pose = self.things[id]
        now = pose[:3]
        for other, body in self.bodies.items():
            if self.moved_at.get(other, 0) <= since:
                assert not body.is_crossed(was, now), (self.frame, id, other, was, now)
        if self.is_free(id, shape, pose):
            self.free[id] = self.frame, now


@pytest.mark.parametrize("part", by_default(1, range(4)))
def test_in_random_rooms_nobody_comes_behind_what_did_not_move(part: int) -> None:
    """6 rooms of 200 frames; 240 with --release."""
    seen: dict[str, int] = {}
    for seed in rounds(60):
        room = Room(1000 * part + seed)
        for _ in range(200):
            room.play()
        for name, n in room.seen.items():
            seen[name] = seen.get(name, 0) + n
    assert seen.keys() >= {"rode", "held", "crushed", "pushed", "stuck", "kept"}, seen

"""Characters that move through a world: walls, corners, steps, floors, ceilings."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import model
import model_motion
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_level import LevelWorld, Solid, checked_solid
from strategies import SOLIDS, rounds, sized
from test_level import level_of, random_pose, random_shape, random_solid
from tools import each

from fixsync import (
    LEVEL,
    ONE,
    Box,
    Capsule,
    Contact,
    Cylinder,
    Level,
    Pose,
    Prism,
    Shape,
    Sphere,
    World,
    degrees,
    direction,
)
from fixsync.game.motion import Mover, move_and_slide
from fixsync.world.shapes import shape_from_tuple

HALF = ONE // 2
CHARACTERS = [Capsule(HALF, HALF), Cylinder(HALF, ONE), Box(HALF, ONE, HALF)]
"""Each stands with its lowest point one unit below its pose."""
WALKER = Mover(step_height=ONE // 4, snap=ONE // 4)
FALL = -ONE // 8

each_character = pytest.mark.parametrize("shape", CHARACTERS, ids=lambda s: type(s).__name__)


def a_world(shape: Shape, *solids: tuple[Shape, Pose]) -> World:
    """The character is 0 and stands on the floor, 1, whose top is at 0."""
    world = World(16, hit_when=Contact.OVERLAPPING)
    world.add(0, shape, Pose(0, ONE, 0))
    world.add(1, Box(50 * ONE, ONE, 50 * ONE), Pose(0, -ONE, 0))
    for id, (solid, pose) in enumerate(solids, 2):
        world.add(id, solid, pose)
    return world


def is_inside(world: World, id: int = 0) -> bool:
    return bool(world.sweep(id, (0, 0, 0), hit_when=Contact.OVERLAPPING))


@each_character
def test_a_walker_on_a_floor_goes_as_far_as_it_should(shape: Shape) -> None:
    world = a_world(shape)
    for _ in range(5):
        result = WALKER.move(world, 0, (1000, FALL, -77))
        assert (result.motion, result.floor, result.on_wall) == ((1000, 0, -77), 1, False)
        assert [(hit.id, hit.normal) for hit in result.hits] == [(1, (0, 2**30, 0))]
    assert world[0].pose == Pose(5000, ONE, -385)


@each_character
@each("speed", [FALL, -1, -7919, -40 * ONE, -4000 * ONE])
def test_what_falls_comes_to_touch_the_floor_to_the_raw_unit(shape: Shape, speed: int) -> None:
    world = a_world(shape)
    world.move(0, 5, 20 * ONE + 12345, 7)
    for _ in range(40 * ONE // -speed + 2 if speed < -7 else 1):
        result = Mover().move(world, 0, (0, speed, 0))
        if result.floor is not None:
            break
    else:
        assert speed == -1
        return
    assert world[0].pose == Pose(5, ONE, 7)
    assert result.motion == (0, 0, 0)


@each_character
def test_a_wall_is_slid_along_and_reported(shape: Shape) -> None:
    world = a_world(shape, (Box(ONE, 4 * ONE, 20 * ONE), Pose(3 * ONE, 0, 0)))
    for _ in range(20):
        result = WALKER.move(world, 0, (ONE // 4, FALL, 1000))
    assert (result.on_wall, result.floor) == (True, 1)
    assert [hit.id for hit in result.hits] == [2, 1]
    assert result.motion == (0, 0, 1000)
    assert 0 <= 3 * ONE - HALF - ONE - world[0].pose.x <= 2
    assert world[0].pose.z == 20000


@each_character
@each("height", [1, 77, ONE // 8, ONE // 4])
def test_a_step_is_climbed_and_walked_down_again(shape: Shape, height: int) -> None:
    world = a_world(shape, (Box(ONE, height, 20 * ONE), Pose(3 * ONE, 0, 0)))
    heights, stepped = [], 0
    for _ in range(60):
        result = WALKER.move(world, 0, (ONE // 10, FALL, 0))
        assert result.floor is not None
        assert not result.on_wall
        assert not is_inside(world)
        stepped += result.stepped
        heights.append(world[0].pose.y)
    assert max(heights) == ONE + height
    assert heights[-1] == ONE
    assert world[0].pose.x == 60 * (ONE // 10), "a step costs no way"
    assert stepped >= 1


@each_character
def test_a_step_that_is_too_high_is_a_wall(shape: Shape) -> None:
    height = ONE // 4 + (8 if isinstance(shape, Capsule) else 1)
    world = a_world(shape, (Box(ONE, height, 20 * ONE), Pose(3 * ONE, 0, 0)))
    for _ in range(60):
        result = WALKER.move(world, 0, (ONE // 10, FALL, 0))
        assert not result.stepped
    assert result.on_wall
    assert world[0].pose.y == ONE
    assert world[0].pose.x < 2 * ONE


@each_character
@each("angle", [10, 30, 60, 89, 90, 91, 120, 150, 170])
@each("yaw", [0, 777, 8192])
def test_a_corner_of_any_angle_is_entered_and_left(shape: Shape, angle: int, yaw: int) -> None:
    """Two walls that meet at an angle. Pushing into the corner from all sides ends, and walking
    away from it is free."""
    walls = []
    for side in (1, -1):
        # Each wall is at `side` of the corner's middle line, turned by half the angle.
        turn = (yaw + side * degrees(angle) // 2) % 65536
        box = Box(20 * ONE, 4 * ONE, ONE)
        walls.append((box, turn, (20 * ONE, 0, side * ONE)))
    world = a_world(shape)
    for id, (box, turn, offset) in enumerate(walls, 2):
        world.add(id, box, Pose(0, 0, 0, turn), offset=offset)
    cos, sin = direction(yaw)
    far = 12 * ONE
    start = (cos * far >> 30, ONE, sin * far >> 30)
    world.move(0, *start)
    if is_inside(world):
        return
    speed = ONE // 5
    inwards = (-(cos * speed >> 30), FALL, -(sin * speed >> 30))
    for _ in range(120):
        WALKER.move(world, 0, inwards)
        assert not is_inside(world)
    at = world[0].pose
    for _ in range(20):
        result = WALKER.move(world, 0, inwards)
        assert result.floor == 1
    assert abs(world[0].pose.x - at.x) + abs(world[0].pose.z - at.z) < 2 * ONE, "it rests"
    for _ in range(10):
        WALKER.move(world, 0, (-inwards[0], FALL, -inwards[2]))
    left = world[0].pose
    gone = abs(left.x - at.x) + abs(left.z - at.z)
    assert gone > 9 * speed, "it is not stuck"


def test_a_character_in_a_solid_as_high_as_the_world_is_pushed_sideways() -> None:
    corners = [(0, 0), (2**30 - 2, 0), (2**30 - 2, 2**30 - 2), (0, 2**30 - 2)]
    rock = Prism(corners, -(2**31), 2**31 - 1)
    world = World(2, level=Level([rock]))
    for y in (0, -1, 2**30):  # no lift out of it is in range
        world.add(0, Sphere(ONE), Pose(ONE, y, 2**29))
        result = Mover().move(world, 0, (0, 0, 0))
        assert (result.pushed, world[0].pose) == (True, Pose(-ONE, y, 2**29))
        world.remove(0)


def test_a_way_out_of_the_world_is_not_free() -> None:
    corners = [(2**31 - 1 - i, z) for i, z in ((2**29, 0), (0, 0), (0, 2**29), (2**29, 2**29))]
    world = World(2, level=Level([Prism(corners, -(2**31), 2**31 - 1)]))
    world.add(0, Sphere(ONE), Pose(2**31 - 1 - ONE, 0, 2**28))
    before = world.save()
    for motion in ((0, 0, 0), (-ONE, 0, 0), (0, FALL, 0)):
        assert Mover().move(world, 0, motion).stuck
        assert world.save() == before


def test_a_step_at_the_end_of_the_world_is_a_wall() -> None:
    """To climb it, the character would have to leave int32."""
    world = World(4)
    top = 2**31 - 1
    world.add(0, Cylinder(HALF, ONE), Pose(0, top - 10, 0))
    world.add(1, Box(9 * ONE, ONE, 9 * ONE), Pose(0, top - 10 - 2 * ONE, 0))
    world.add(2, Box(ONE, ONE, ONE), Pose(2 * ONE, top - 2 * ONE, 0))
    result = Mover(step_height=ONE).move(world, 0, (2 * ONE, 0, 0))
    assert (result.stepped, result.on_wall, result.floor) == (False, True, 1)
    assert world[0].pose.y == top - 10


def test_a_mask_blocks_without_the_layer_matrix_so_floors_make_no_events() -> None:
    world = World(4, layers=[])
    world.add(0, Cylinder(HALF, ONE), Pose(0, ONE, 0))
    world.add(1, Box(9 * ONE, ONE, 9 * ONE), Pose(0, -ONE, 0), layer=1)
    world.add(2, Box(ONE, 9 * ONE, 9 * ONE), Pose(4 * ONE, 0, 0), layer=2)
    twin = world.copy()
    for _ in range(4):
        result = Mover(mask=6).move(world, 0, (ONE, -ONE, 0))
        assert world.step() == []
    assert (result.floor, result.on_wall, world[0].pose) == (1, True, Pose(5 * HALF, ONE, 0))
    assert Mover().move(twin, 0, (4 * ONE, -ONE, 0)).hits == [], "its row of the matrix is empty"
    assert [hit.id for hit in move_and_slide(twin, 0, (-ONE, 0, 0), mask=4)] == [2]


def test_a_mask_that_a_game_computed_as_0_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^mask must be 1\.\.4294967295, not 0"):
        Mover(mask=0)
    with pytest.raises(ValueError, match=r"^mask must be 1\.\.4294967295, not 0"):
        move_and_slide(a_world(Sphere(1)), 0, (0, 0, 0), mask=0)


WALL, LEDGE = 0, 1


def a_ledge(shape: Shape, ledge: Shape, y: int) -> World:
    """The character is 0 and stands on the floor, 1, whose top is at 0. 2 is a one-way platform
    whose centre is at y."""
    world = World(8, layers=[])
    world.add(0, shape, Pose(0, ONE, 0))
    world.add(1, Box(50 * ONE, ONE, 50 * ONE), Pose(0, -ONE, 0), layer=WALL)
    world.add(2, ledge, Pose(0, y, 0), layer=LEDGE)
    return world


JUMPER = Mover(mask=1 << WALL, one_way=1 << LEDGE, step_height=ONE // 4, snap=ONE // 4)


@each_character
@each("half", [1, ONE // 8, ONE])
def test_a_one_way_platform_is_jumped_through_stood_on_and_dropped_through(
    shape: Shape, half: int
) -> None:
    world = a_ledge(shape, Box(2 * ONE, half, 2 * ONE), 3 * ONE)
    rise, floors = ONE // 2, []
    for _ in range(60):
        result = JUMPER.move(world, 0, (100, rise, -77))
        rise = result.motion[1] - 1500 if result.floor is None else -1
        assert not result.on_ceiling
        assert not result.on_wall
        floors.append(result.floor)
    assert floors[0] is None
    assert floors[-1] == 2
    assert world[0].pose == Pose(6000, 4 * ONE + half, -77 * 60), "it stands on it to the raw unit"
    below = Mover(mask=1 << WALL, snap=ONE // 4)
    assert below.move(world, 0, (0, -1, 0)).floor is None
    for _ in range(200):
        result = JUMPER.move(world, 0, (0, -ONE // 8, 0))
    assert (result.floor, world[0].pose.y) == (1, ONE)


"""A box: id, half sizes, position, layer."""


def test_more_one_way_platforms_than_a_buffer_holds_hide_no_floor() -> None:
    world = World(40, layers=[])
    world.add(0, Cylinder(HALF, ONE), Pose(0, ONE, 0))
    for id in range(1, 30):
        world.add(id, Box(ONE, ONE, ONE), Pose(0, 77 * id, 0), layer=LEDGE)
    world.add(39, Box(ONE, ONE, ONE), Pose(0, -ONE, 0), layer=WALL)
    assert JUMPER.move(world, 0, (0, -5, 0)).floor == 39
    world.move(39, 0, -2 * ONE, 0)
    world.add(31, Box(ONE, ONE, ONE), Pose(0, -ONE, 0), layer=LEDGE)
    assert JUMPER.move(world, 0, (0, -5, 0)).floor == 31


@pytest.mark.parametrize(
    ("mask", "one_way", "message"),
    [
        (None, 4, "one_way must be 0 without a mask, not 4"),
        (7, 12, "one_way must share no layer with mask, not 4 of mask 7"),
        (7, -1, r"one_way must be 0\.\.4294967295, not -1"),
    ],
)
def test_one_way_layers_need_a_mask_of_others(mask: int | None, one_way: int, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Mover(mask=mask, one_way=one_way)


TILES = st.lists(
    st.tuples(
        st.integers(-5, 5),
        st.integers(-5, 5),
        st.integers(0, 4),
        st.integers(1, 6),
        st.integers(0, 7),
    ),
    max_size=12,
)


def rooms(tiles: list[tuple[int, int, int, int, int]], shape: Shape) -> World:
    """Boxes and pillars, some on each other, some turned, with steps of all heights."""
    world = a_world(shape)
    for id, (x, z, y, height, turn) in enumerate(tiles, 2):
        half = height * ONE // 8
        pose = Pose(x * ONE * 3 // 4, half + y * ONE // 4, z * ONE * 3 // 4, turn * 4000)
        world.add(id, Cylinder(ONE // 3, half) if turn == 7 else Box(ONE // 2, half, ONE), pose)
    return world


@given(
    TILES,
    st.sampled_from([*CHARACTERS, Sphere(HALF)]),
    st.lists(
        st.tuples(
            st.integers(-ONE, ONE),
            st.sampled_from((FALL, FALL, 0, 2 * ONE)),
            st.integers(-ONE, ONE),
        ),
        max_size=12,
    ),
    st.integers(0, ONE),
    st.integers(2, 6),
)
def test_a_character_is_never_inside_anything_and_rollback_gives_the_same(
    tiles: list[tuple[int, int, int, int, int]],
    shape: Shape,
    way: list[tuple[int, int, int]],
    step: int,
    passes: int,
) -> None:
    world = rooms(tiles, shape)
    world.move(0, 0, 4 * ONE, 0)
    if is_inside(world):
        return
    mover = Mover(step_height=step, snap=step // 2, passes=passes)
    for motion in way:
        before, state = world[0].pose, world.save()
        result = mover.move(world, 0, motion)
        after = world[0].pose
        assert not is_inside(world)
        assert (result.stuck, result.pushed) == (False, False)
        assert max(abs(after.x - before.x), abs(after.z - before.z)) <= 2 * ONE
        assert after.y - before.y <= max(motion[1], 0) + step + ONE
        done = world.save()
        world.load(state)
        assert mover.move(world, 0, motion) == result
        assert world.save() == done


# The model.


class Twins:
    """A world and the model of one; the character is 0."""

    def __init__(self, solids: list[Solid], layers: list[tuple[int, int]] | None = None) -> None:
        self.model = LevelWorld(20, solids, 1, layers)
        self.world = World(20, layers=layers, level=level_of(*solids))

    def add(self, id: int, shape: Any, pose: tuple[int, int, int, int], **more: Any) -> None:
        """Adds a collider whose centre is in range."""
        try:
            self.model.add(id, shape, pose, **more)
        except ValueError:
            return
        self.world.add(id, shape_from_tuple(shape), Pose(*pose), **more)

    def layer(self, id: int) -> int:
        return self.model[id].layer if id < LEVEL else self.model._solid(id).layer

    def place(self, id: int, at: tuple[int, int, int]) -> None:
        self.model.move(id, *at)
        self.world.move(id, *at)

    def moves(self, mover: Mover, motion: tuple[int, int, int]) -> tuple[Any, Any]:
        """What came of it in the model and in the world: result and position, None if refused."""
        expected = found = None
        m = mover
        settings = m.mask, m.passes, m.step_height, m.snap, m.floor_y, m.one_way
        with suppress(ValueError):
            model = model_motion.Mover(self.model, 0, settings)
            expected = vars(model.move(motion))
        with suppress(ValueError):
            found = mover.move(self.world, 0, motion)._asdict()
        return (expected, self.model[0].pose[:3]), (found, self.world[0].pose.position)

    def dashes(self, motion: tuple[int, int, int], mask: int, passes: int) -> tuple[Any, Any]:
        """The same for `move_and_slide`."""
        expected = found = None
        with suppress(ValueError):
            expected = model_motion.move_and_slide(self.model, 0, motion, mask, passes)
        with suppress(ValueError):
            found = move_and_slide(self.world, 0, motion, mask=mask, passes=passes)
        return (expected, self.model[0].pose[:3]), (found, self.world[0].pose.position)


def a_tiny_world(rng: random.Random) -> tuple[Twins, int]:
    """Shapes of a few raw units, any of which may overlap."""
    size = rng.choice([8, 8, 30, 500])
    layers = rng.choice([None, None, [(0, 1), (0, 2), (1, 1), (0, 0)]])
    twins = Twins([random_solid(rng, size) for _ in range(rng.choice([0, 1, 3, 6]))], layers)
    for id in range(rng.choice([3, 6, 9])):
        shape = random_shape(rng, size)
        while id == 0 and shape[0] not in SOLIDS:
            shape = random_shape(rng, size)
        twins.add(
            id,
            shape,
            random_pose(rng, size),
            layer=rng.randrange(3),
            owner=rng.choice([0, 0, 7]),
            offset=rng.choice([(0, 0, 0), (3, -2, 1)]),
            active=rng.random() < 0.9,
        )
    return twins, size


def a_room(rng: random.Random) -> tuple[Twins, int]:
    """A floor with steps, pillars and balls on it."""
    far = 9 * ONE
    floor = checked_solid(
        ("prism", 0, -ONE, 0, [[-far, -far], [far, -far], [far, far], [-far, far]])
    )
    twins = Twins([floor])
    flat = [kind for kind in SOLIDS if kind not in ("sphere", "capsule")]
    upright = [("capsule", HALF, HALF), *(sized(kind, HALF, ONE, HALF) for kind in flat)]
    x, z = (rng.randint(-2 * ONE, 2 * ONE) for _ in "xz")
    pose = x, rng.choice([ONE, ONE, 2 * ONE, 4 * ONE]), z, rng.choice([0, 5000])
    twins.add(0, rng.choice([*upright, ("sphere", ONE)]), pose)
    for id in range(1, rng.randint(2, 16)):
        x, z = (rng.randint(-3, 3) * ONE * 3 // 4 for _ in "xz")
        half, turn = rng.choice([1, 1, 2, 2, 3, 4, 5, 6, 8]) * ONE // 16, rng.randrange(9)
        kinds = {7: ("cylinder", ONE // 3, half), 8: ("sphere", half)}
        pose = x, half + rng.choice([0, 0, 0, 1, 2, 3, 4]) * ONE // 4, z, turn * 4000
        twins.add(id, kinds.get(turn, ("box", HALF, half, ONE)), pose)
    return twins, ONE


def a_vast_world(rng: random.Random) -> tuple[Twins, int]:
    """Sizes, places and motions of any length, about the ends of int32 too."""
    most, low, high = 2**29 - 1, -(2**31), 2**31 - 1

    def anywhere() -> int:
        return rng.choice(
            [
                low + rng.randrange(9),
                high - rng.randrange(9),
                rng.randint(low, high),
                rng.randint(-most, most),
                rng.randint(-99, 99),
            ]
        )

    def size() -> int:
        return rng.choice([most, most - 1, rng.randint(1, most), rng.randint(1, 2**20), 1])

    middle = [anywhere() for _ in range(3)]

    def pose() -> tuple[int, int, int, int]:
        x, y, z = (max(low, min(high, at + rng.randint(-most, most))) for at in middle)
        return x, y, z, rng.choice([0, rng.randrange(65536)])

    pillars = []
    for _ in range(rng.choice([0, 1, 3])):
        x, y, z, _ = pose()
        y_low, y_high = sorted((y, anywhere()))
        if y_low < y_high:
            pillars.append(checked_solid(("cylinder", 0, y_low, y_high, [x, z], size())))
    twins = Twins(pillars)
    for id in range(rng.choice([2, 3, 6])):
        kind = rng.choice(SOLIDS)
        twins.add(id, sized(kind, *(size() for _ in model.KINDS[kind])), pose())
    return twins, rng.choice([most, most // 7, 2**22])


def check_moves(seed: int) -> set[str]:
    """Moves of one world against the model; returns what happened in them."""
    rng = random.Random(seed)
    twins, size = (a_tiny_world, a_room, a_vast_world)[seed % 3](rng)
    seen: set[str] = set()
    if 0 not in twins.world:
        return seen
    mask, one_way = rng.choice(
        [(None, 0), (None, 0), (2**32 - 1, 0), (3, 0), (6, 0), (6, 1), (1, 6), (2**31, 7)]
    )
    mover = Mover(
        step_height=rng.choice([0, size // 4, size // 4, size // 2, size]),
        snap=rng.choice([0, size // 4, size // 2]),
        mask=mask,
        one_way=one_way,
        passes=rng.choice([2, 3, 4, 4, 6]),
        floor_y=rng.choice([759250125, 759250125, 2**30, 1, 2**29]),
    )
    for _ in range(8):
        if size < ONE and rng.random() < 0.3:
            x, y, z = (rng.randint(-2 * size, 2 * size) for _ in range(3))
            twins.place(0, (x, y, z))
        x, y, z = (rng.choice([0, rng.randint(-size, size)]) for _ in range(3))
        y = rng.choice([y, 0, -1, -size // 8])
        before = twins.world[0].pose
        expected, found = twins.moves(mover, (x, y, z))
        assert found == expected, (seed, before, (x, y, z))
        result = found[0]
        seen |= {name for name, value in result.items() if value} if result else {"refused"}
        if result and result["floor"] is not None and mover.one_way:
            seen |= {"one-way"} if mover.one_way >> twins.layer(result["floor"]) & 1 else set()
    for _ in range(2):
        x, y, z = (rng.randint(-size, size) for _ in range(3))
        expected, found = twins.dashes((x, y, z), mover.mask, mover.passes)
        assert found == expected, (seed, (x, y, z))
    return seen


def test_moves_are_the_models() -> None:
    wanted = {"floor", "on_wall", "stepped", "pushed", "stuck", "refused", "one-way"}
    seen: set[str] = set()
    for seed in range(96):
        seen |= check_moves(seed)
        if seed >= 23 and seen >= wanted:
            break
    assert seen >= wanted


@pytest.mark.full
@pytest.mark.parametrize("part", range(4))
def test_moves_in_many_worlds_are_the_models(part: int) -> None:
    for seed in rounds(100):
        check_moves(100 * part + 24 + seed)

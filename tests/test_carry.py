"""Platforms: who rides, who is pushed, who is crushed; and a stepper of one raw unit in C
(native/carry.c), with which many random scenes are compared."""

from __future__ import annotations

import random
import re

import pytest
from builds import CSRC, Builds
from strategies import rounds
from tools import Log, by_default, each, ran

from fixsync import LEVEL, ONE, Box, Capsule, Cylinder, Level, Pose, Prism, Sector, Shape, World
from fixsync._native.raw import ffi, lib
from fixsync.game.motion import Carried, Mover, carry

HALF = ONE // 2
WALKER, WALL, LEDGE = 0, 1, 2
MOVER = Mover(mask=1 << WALKER | 1 << WALL, one_way=1 << LEDGE)
TOP = 2**31 - 1


def a_world(*things: tuple[Shape, tuple[int, int, int], int], capacity: int = 16) -> World:
    """Colliders by id from 0 on, of layers that do not meet: shape, position, layer."""
    world = World(capacity, layers=[])
    for id, (shape, at, layer) in enumerate(things):
        world.add(id, shape, Pose(*at), layer=layer)
    return world


def a_box(half: int, at: tuple[int, int, int], layer: int = WALL) -> tuple[Shape, tuple, int]:
    return Box(half, half, half), at, layer


def seen(carried: Carried) -> tuple[str, int | None]:
    names = ("rode", "shoved", "held", "crushed", "squeezed")
    return " ".join(name for name in names if getattr(carried, name)), carried.by


@each("shape", [Capsule(HALF, HALF), Cylinder(HALF, ONE), Box(HALF, ONE, HALF)])
@each("motion", [(1000, 0, 0), (0, 1000, 0), (0, -1000, 0), (-700, 900, 3), (5, -40000, -7)])
def test_a_rider_keeps_its_place_and_its_floor(shape: Shape, motion: tuple[int, int, int]) -> None:
    world = a_world((shape, (0, 2 * ONE, 0), WALKER), a_box(ONE, (0, 0, 0)))
    fall = 0
    for frame in range(1, 31):
        carried = carry(world, [1], motion, {0: MOVER})[0]
        assert (carried.motion, *seen(carried)) == (motion, "rode", 1)
        result = MOVER.move(world, 0, (0, fall - 1024, 0))
        fall = result.motion[1]
        assert (result.floor, fall) == (1, 0)
        x, y, z = (frame * m for m in motion)
        assert world[1].pose == Pose(x, y, z)
        assert world[0].pose == Pose(x, 2 * ONE + y, z)


@pytest.mark.parametrize("motion", [4000, -4000])
def test_a_thin_wall_that_moves_far_pushes_and_does_not_pass(motion: int) -> None:
    wall = Box(1, ONE, ONE)
    world = a_world(a_box(10, (0, 0, 0), WALKER), (wall, (11 if motion < 0 else -11, 0, 0), WALL))
    carried = carry(world, [1], (motion, 0, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((motion, 0, 0), "shoved", 1)
    world = a_world(a_box(10, (0, 0, 0), WALKER), (wall, (-111, 0, 0), WALL))
    carried = carry(world, [1], (4000, 0, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((3900, 0, 0), "shoved", 1)


def test_a_small_crusher_that_runs_past_a_held_mover_crushes_it() -> None:
    """At the end it is behind it."""
    world = a_world(a_box(100, (0, 0, 0), WALKER), a_box(3, (-200, 0, 0)), a_box(100, (210, 0, 0)))
    carried = carry(world, [1], (1000, 0, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((10, 0, 0), "shoved held crushed", 2)
    assert world[1].pose.x == 800


def test_a_stack_whose_lower_one_stands_half_on_ground_is_carried_where_its_floor_is() -> None:
    """The lower one stands on two floors: the first by id counts."""
    upper, lower = a_box(50, (0, 200, 0), WALKER), a_box(50, (0, 100, 0), WALKER)
    for lift, ground in ((2, 3), (3, 2)):
        world = a_world(upper, lower, a_box(50, (-60, 0, 0)), a_box(50, (60, 0, 0)))
        carried = carry(world, [lift], (0, 30, 0), {0: MOVER, 1: MOVER})
        # On the ground it does not ride, but the lift comes from below, into the upper one.
        squeezed = [("squeezed", None), ("shoved squeezed", 3)]
        expected = [("rode", 1), ("rode", 2)] if lift < ground else squeezed
        assert [seen(carried[id]) for id in (0, 1)] == expected
        carried = carry(world, [lift], (7, 0, 0), {0: MOVER, 1: MOVER})
        assert world[1].pose.position == (7, 130, 0)


def test_what_a_one_way_lift_meets_on_its_way_up_is_pushed_and_then_rides() -> None:
    faller = a_box(50, (0, 130, 0), WALKER)
    world = a_world(faller, a_box(50, (0, 0, 0), LEDGE))
    carried = carry(world, [1], (0, 60, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((0, 30, 0), "shoved", 1)
    carried = carry(world, [1], (9, 60, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((9, 60, 0), "rode", 1)


@pytest.mark.parametrize("motion", [(30, 0, 0), (-30, 0, 9), (0, -30, 0)])
def test_a_one_way_platform_pushes_only_up(motion: tuple[int, int, int]) -> None:
    world = a_world(a_box(50, (0, 0, 0), WALKER), a_box(50, (-100, 0, 0), LEDGE))
    world.add(2, Box(50, 50, 50), Pose(100, 0, 0), layer=LEDGE)
    world.add(3, Box(50, 50, 50), Pose(0, 100, 0), layer=LEDGE)
    assert carry(world, [1, 2, 3], motion, {0: MOVER})[0].motion == (0, 0, 0)


def test_a_one_way_platform_never_crushes() -> None:
    world = a_world(
        a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 0, 0), LEDGE), a_box(50, (0, 220, 0))
    )
    carried = carry(world, [1], (0, 60, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((0, 20, 0), "rode shoved held", 2)


def test_who_is_pushed_against_a_ceiling_is_not_dragged_along_afterwards() -> None:
    faller, ceiling = a_box(50, (0, 101, 0), WALKER), a_box(50, (0, 211, 0))
    world = a_world(faller, a_box(50, (0, 0, 0)), ceiling)
    carried = carry(world, [1], (40, 60, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((0, 10, 0), "shoved held crushed", 2)


def test_a_rider_that_a_ceiling_stops_rides_along_the_next_axis() -> None:
    rider, ceiling = a_box(50, (0, 100, 0), WALKER), a_box(5, (0, 165, 0))
    world = a_world(rider, a_box(50, (0, 0, 0)), ceiling)
    carried = carry(world, [1], (40, 60, 0), {0: MOVER})[0]
    assert (carried.motion, *seen(carried)) == ((40, 10, 0), "rode shoved held crushed", 2)


def test_a_rider_that_overlaps_a_cabin_wall_by_a_unit_is_carried_and_crushed() -> None:
    world = a_world(a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 0, 0)), a_box(50, (99, 100, 0)))
    for motion in ((77, 0, 0), (-77, 0, 0), (5, 60, 7), (-5, -60, 7)):
        carried = carry(world, [1, 2], motion, {0: MOVER})[0]
        assert (carried.motion, *seen(carried)) == (motion, "rode crushed", 1)


def test_floor_and_walls_of_a_cabin_in_separate_calls_crush_the_rider() -> None:
    rider, floor = a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 0, 0))
    wall = a_box(50, (100, 100, 0))
    world = a_world(rider, floor, wall)
    assert seen(carry(world.copy(), [1, 2], (30, 0, 0), {0: MOVER})[0]) == ("rode", 1)
    assert seen(carry(world, [1], (30, 0, 0), {0: MOVER})[0]) == ("rode held", 2)
    assert seen(carry(world.copy(), [2], (-30, 0, 0), {0: MOVER})[0]) == ("shoved", 2)
    world.add(3, Box(50, 50, 50), Pose(-100, 100, 0), layer=WALL)
    assert seen(carry(world, [2], (-30, 0, 0), {0: MOVER})[0]) == ("shoved held crushed", 3)


def test_a_row_of_colliders_that_overlap_hides_no_platform() -> None:
    """Of more than a buffer holds, with lower ids."""
    world = World(60, layers=[])
    world.add(0, Box(50, 50, 50), Pose(0, 100, 0), layer=WALKER)
    for id in range(1, 40):
        world.add(id, Box(50, 50, 50), Pose(id, 70, 3), layer=WALL)
    world.add(50, Box(50, 50, 50), Pose(0, 0, 0), layer=WALL)
    assert seen(carry(world, [50], (0, 30, 0), {0: MOVER})[0]) == ("rode", 50)
    assert world[0].pose.position == (0, 130, 0)


def test_more_one_way_obstacles_than_a_buffer_holds_hide_no_obstacle() -> None:
    world = World(60, layers=[])
    world.add(0, Capsule(50, 10), Pose(0, 1010, 0), layer=WALKER)
    world.add(1, Box(50, 50, 50), Pose(40, 900, 0), layer=WALL)
    for id in range(2, 40):  # met at the side: not as floors
        world.add(id, Box(50, 1, 50), Pose(-99, 900 - 7 * id, 0), layer=LEDGE)
    world.add(50, Box(50, 50, 50), Pose(-99, 0, 0), layer=WALL)
    carried = carry(world, [1], (0, -990, 0), {0: MOVER})[0]
    assert carried.held
    assert carried.by == 50


def test_movers_of_the_list_do_not_block_each_other_and_others_do() -> None:
    things = [a_box(50, (x, 100, 0), WALKER) for x in (0, 120)]
    world = a_world(*things, a_box(50, (0, 0, 0)))
    twin = world.copy()
    assert carry(world, [2], (60, 0, 0), {0: MOVER, 1: MOVER})[0].motion == (60, 0, 0)
    assert seen(carry(twin, [2], (60, 0, 0), {0: MOVER})[0]) == ("rode held", 1)
    assert twin[0].pose.x == 20


def test_inactive_sets_are_refused_and_inactive_movers_carry_nobody() -> None:
    lower, upper = a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 200, 0), WALKER)
    world = a_world(lower, upper, a_box(50, (0, 0, 0)))
    world.set_active(0, False)
    carried = carry(world, [2], (9, 0, 0), {0: MOVER, 1: MOVER})
    assert [seen(carried[id]) for id in (0, 1)] == [("rode", 2), ("", None)]
    assert not world[0].active
    with pytest.raises(ValueError, match=r"^platforms: id 0 must be active"):
        carry(world, [0], (9, 0, 0), {})


def test_owner_and_mask_say_whom_a_platform_takes_along() -> None:
    world = World(4, layers=[])
    world.add(0, Box(50, 50, 50), Pose(0, 100, 0), layer=WALKER, owner=7)
    world.add(1, Box(50, 50, 50), Pose(0, 0, 0), layer=WALL, owner=7)
    assert seen(carry(world, [1], (9, 9, 0), {0: MOVER})[0]) == ("", None)
    world.set_owner(1, 8)
    world.move(0, *(c + o for c, o in zip(world[1].pose.position, (0, 100, 0), strict=True)))
    assert seen(carry(world, [1], (9, 9, 0), {0: Mover(mask=1 << LEDGE)})[0]) == ("", None)
    world.move(0, *(c + o for c, o in zip(world[1].pose.position, (0, 100, 0), strict=True)))
    assert seen(carry(world, [1], (9, 9, 0), {0: MOVER})[0]) == ("rode", 1)


def test_a_mover_that_would_leave_int32_undoes_all() -> None:
    world = a_world(
        a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 0, 0)), a_box(50, (TOP - 10, 100, 0), WALKER)
    )
    world.add(3, Box(50, 50, 50), Pose(TOP - 110, 90, 0), layer=WALL)
    before = world.save()
    movers = {0: MOVER, 2: MOVER}
    reported = rf"^motion \(20, 0, 0\) must not take a mover outside -{2**31}..{TOP}"
    with pytest.raises(ValueError, match=reported):
        carry(world, [1, 3], (20, 0, 0), movers)
    assert world.save() == before
    with pytest.raises(ValueError, match=r"^id 3: motion \(200, 0, 0\) must not lead outside"):
        carry(world, [1, 3], (200, 0, 0), {0: MOVER})
    assert world.save() == before
    assert seen(carry(world, [1, 3], (10, 0, 0), movers)[2]) == ("shoved", 3)


def test_what_is_refused_changes_nothing_and_is_named() -> None:
    world = a_world(a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 0, 0)))
    world.add(2, Sector(50, 9000, 50), Pose(500, 0, 0))
    before = world.save()
    far = 2**29
    for platforms, motion, movers, error, message in (
        ([1, 0], (1, 1, 1), {0: MOVER}, ValueError, "id 0 must not be both a platform and a mover"),
        ([1, 3], (1, 1, 1), {0: MOVER}, KeyError, "'id 3 is not in the world'"),
        ([1, 99], (1, 1, 1), {0: MOVER}, ValueError, "id must be 0..15, not 99"),
        ([1], (1, 1, 1), {0: MOVER, 5: MOVER}, KeyError, "'id 5 is not in the world'"),
        ([1, 2], (1, 1, 1), {0: MOVER}, ValueError, "the shape of id 2 must be a Sphere"),
        ([1], (1, 1, 1), {0: MOVER, 2: MOVER}, ValueError, "the shape of id 2 must be a Sphere"),
        ([1], (far, 0, 0), {0: MOVER}, ValueError,
         f"motion: mx must be {1 - far}..{far - 1}, not {far}"),
        ([1], (1, 1, 1), [0], TypeError, "movers must be a dict of ids and Movers, not [0]"),
        ([1], (1, 1, 1), {0: None}, TypeError, "movers[0] must be a Mover, not None"),
        ([1], (1, 1, 1), {0: MOVER, "a": MOVER}, TypeError, "id must be an integer, not 'a'"),
    ):  # fmt: skip
        with pytest.raises(error) as caught:
            carry(world, platforms, motion, movers)
        assert re.match(re.escape(message), str(caught.value)), str(caught.value)
        assert world.save() == before


def test_each_status_of_the_header_is_returned_and_changes_nothing() -> None:
    world = a_world(a_box(50, (0, 100, 0), WALKER), a_box(50, (0, 0, 0)), a_box(5, (TOP, 0, 0)))
    world.add(3, Sector(50, 9000, 50), Pose(500, 0, 0))
    world.add(4, Box(50, 50, 50), Pose(500, 0, 0), active=False)
    before, way = world.save(), (1, 1, 1)
    good, bad = (0, 3, 4, 0, 0, 2**30, 0), (0, 3, 1, 0, 0, 2**30, 0)
    rows = ffi.new("fxs_carried[2]")
    seen = set()
    for ids, motion, movers in (
        ([1], (2**29, 0, 0), [good]),
        ([1, 0], way, []),
        ([1, 1], way, []),
        ([], way, [good, good]),
        ([0, 1], way, [good]),
        ([16], way, [good]),
        ([1], way, [(16, *good[1:])]),
        ([1, 15], way, [good]),
        ([1], way, [good, (15, *good[1:])]),
        ([1, 3], way, [good]),
        ([1, 4], way, [good]),
        ([1], way, [bad]),
        ([1, 2], way, [good]),
    ):
        native = world._native._world
        ids, movers = ffi.new("uint32_t[]", ids), ffi.new("fxs_mover[]", movers)
        seen.add(lib.fxs_carry(native, ids, len(ids), motion, movers, len(movers), rows))
        assert world.save() == before
    header = (CSRC / "fixsync_kit.h").read_text()
    comment = header[: header.index("FXS_API int32_t fxs_carry(")].rpartition("/*")[2]
    assert seen == {getattr(lib, name) for name in re.findall(r"\bFXS_E_\w+", comment)}


def test_solids_hold_and_no_solid_carries() -> None:
    block = Prism([(150, -50), (250, -50), (250, 50), (150, 50)], 50, 150, WALL)
    ground = Prism([(-50, 200), (50, 200), (50, 300), (-50, 300)], -50, 50, WALL)
    world = World(4, layers=[], level=Level([block, ground]))
    world.add(0, Box(50, 50, 50), Pose(0, 100, 0), layer=WALKER)
    world.add(1, Box(50, 50, 50), Pose(0, 0, 0), layer=WALL)
    world.add(2, Box(50, 50, 50), Pose(0, 100, 250), layer=WALKER)
    carried = carry(world, [1], (300, 0, 0), {0: MOVER, 2: MOVER})
    assert seen(carried[0]) == ("rode held", LEVEL)
    assert carried[0].motion == (100, 0, 0)
    assert seen(carried[2]) == ("", None)


def a_heap(seed: int) -> tuple[World, list[int], dict[int, Mover]]:
    """A platform of two boxes, with stacks of movers on it, some of them beside an obstacle."""
    rng = random.Random(seed)
    world = World(40, layers=[])
    world.add(20, Box(400, 50, 200), Pose(0, 0, 0), layer=WALL)
    world.add(30, Box(50, 50, 50), Pose(0, 100, 0), layer=WALL)
    movers = {}
    heights = dict.fromkeys(range(-300, 301, 120), 50) | {-60: 150, 60: 150}
    for id in rng.sample(range(20), 9):
        x = rng.choice(list(heights))
        half = rng.randint(5, 40)
        shape = rng.choice([Box(30, half, 30), Cylinder(30, half)])
        world.add(id, shape, Pose(x, heights[x] + half, rng.randint(-20, 20)), layer=WALKER)
        heights[x] += 2 * half
        movers[id] = MOVER
    for id in (35, 36):
        world.add(id, Box(20, 20, 20), Pose(rng.choice([480, -520]), 90 * (id - 34), 0), layer=WALL)
    return world, [20, 30], movers


@each("seed", range(8))
def test_the_order_of_arguments_and_memory_changes_nothing(seed: int) -> None:
    world, platforms, movers = a_heap(seed)
    rng = random.Random(seed)
    state = world.save()
    for motion in ((90, 11, -3), (-200, -20, 5), (40, 60, 40)):
        found = set()
        for _ in range(6):
            ids, listed = list(platforms), list(movers.items())
            rng.shuffle(ids)
            rng.shuffle(listed)
            twin = World(40, layers=[])
            for id in rng.sample(list(world), len(world)):
                c = world[id]
                twin.add(id, c.shape, c.pose, layer=c.layer)
            again = world.copy()
            again.load(state)
            for any_world in (twin, again):
                carried = carry(any_world, ids, motion, dict(listed))
                found.add((tuple(carried.items()), tuple(any_world[id] for id in any_world)))
        assert len(found) == 1
        carry(world, platforms, motion, movers)
        state = world.save()


@pytest.mark.parametrize("part", range(8))
def test_riders_of_stacks_keep_their_places_to_the_bit(part: int) -> None:
    """Carry, then move, frame by frame: 120,000 frames with --release."""
    for seed in rounds(100):
        rng = random.Random(seed)
        world, platforms, movers = a_heap(100 * part + seed)
        for id in (35, 36):
            world.remove(id)
        base = world[20].pose.position
        riders = [id for id, row in carry(world, platforms, (0, 0, 0), movers).items() if row.rode]
        assert riders
        places = {id: world[id].pose.position for id in riders}
        for _ in rounds(150):
            motion = tuple(rng.choice([0, rng.randint(-200, 200)]) for _ in range(3))
            for row in carry(world, platforms, motion, movers).values():
                assert row.motion == motion
            for id, mover in movers.items():
                assert mover.move(world, id, (0, -7, 0)).floor is not None
            moved = tuple(a - b for a, b in zip(world[20].pose.position, base, strict=True))
            for id, place in places.items():
                at = world[id].pose.position
                assert tuple(a - b for a, b in zip(at, moved, strict=True)) == place


def test_a_recorder_hears_what_a_platform_moves() -> None:
    """The commands of a log, applied to the first state, give the last one."""
    world, platforms, movers = a_heap(3)
    twin, log = world.copy(), Log()
    world._native.observer = log
    carry(world, platforms, (90, 11, -3), movers)
    twin._native.apply(b"".join(log.reported))
    assert twin.hash() == world.hash()


# The stepper.


@pytest.mark.parametrize(
    ("calls", "shapes", "scale"),
    by_default(
        2,
        [
            (90_000, 0, 1), (60_000, 1, 1), (60_000, 0, 3), (25_000, 0, 11), (500, 0, 700),
            (22_000, 1, 4), (5_000, 1, 13), (6, 1, 20_000),
        ],
        are_rows=True,
    ),
)  # fmt: skip
def test_platforms_move_as_a_stepper_of_one_raw_unit(
    builds: Builds, pytestconfig: pytest.Config, calls: int, shapes: int, scale: int
) -> None:
    is_full = pytestconfig.getoption("--full")
    stepper = builds.program("carry", is_long=is_full)
    calls = len(rounds(calls)) // (1 if is_full else 5)
    run = ran([str(stepper), str(scale), str(calls), str(shapes), str(scale)])
    assert run.returncode == 0, run.stdout
    assert run.stdout.startswith(f"{calls} calls, ")

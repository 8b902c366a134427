"""`World.sweep_pairs` against the model, and against casts of its pairs one by one."""

from __future__ import annotations

import itertools
from typing import Any

import model
import model_level
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from model import SIZE_MAX, UINT32_MAX
from refusals import Refused, refusals

from fixsync import LEVEL, Box, Level, Pillar, Pose, Prism, Sector, Sphere, World
from fixsync._native.raw import ffi, lib
from fixsync.world.shapes import cast_pair, shape_from_tuple

STILL = (0, 0, 0)
HERE = Pose(0, 0, 0)
SOLIDS = (
    ["prism", 0, -20, 20, [[30, -30], [60, -30], [60, 30], [30, 40]]],
    ["cylinder", 1, -50, 0, [-40, 0], 25],
)

motions = st.tuples(*[st.integers(-120, 120) | st.sampled_from([0, 1, -1])] * 3)


def level_of(solids: Any) -> Level:
    prism, pillar = solids
    _, layer, low, high, vertices = prism
    _, at_layer, y_low, y_high, centre, radius = pillar
    return Level(
        [Prism(vertices, low, high, layer), Pillar(*centre, radius, y_low, y_high, at_layer)]
    )


@st.composite
def crowds(draw: Any) -> Any:
    """A world with a level or none, the same as the model has it, and motions of some colliders."""
    hit_when = draw(strategies.hit_whens())
    layers = draw(st.sampled_from([None, [(0, 1)], [(0, 0), (0, 1)]]))
    world: World
    if draw(st.booleans()):
        world = World(8, hit_when=hit_when, layers=layers, level=level_of(SOLIDS))
        solids = [model_level.checked_solid(solid) for solid in SOLIDS]
        hand: Any = model_level.LevelWorld(8, solids, hit_when, layers)
    else:
        world = World(8, hit_when=hit_when, layers=layers)
        hand = model.ModelWorld(8, hit_when, layers)
    moving = {}
    for id in draw(st.sets(st.integers(0, 7), min_size=2)):
        shape = draw(strategies.shapes(size=st.integers(1, 40)))
        place = tuple(draw(st.integers(-60, 60)) for _ in range(3))
        pose = (*place, draw(strategies.yaws()))
        about = {
            "layer": draw(st.integers(0, 1)),
            "owner": draw(st.sampled_from([0, 0, 1, 2])),
            "active": draw(st.sampled_from([True, True, True, False])),
        }
        world.add(id, shape_from_tuple(shape), Pose(*pose), **about)
        hand.add(id, shape, pose, **about)
        if shape[0] in strategies.SOLIDS and draw(st.booleans()):
            moving[id] = draw(motions)
    return world, hand, moving


@given(crowds(), st.sampled_from([None, 1, 2]), st.integers(0, 3))
@strategies.examples(1000)
def test_the_pairs_that_meet_are_those_of_casts_one_by_one(
    crowd: Any, hit_when: int | None, limit: int
) -> None:
    world, hand, moving = crowd
    before = world.save()
    found = world.sweep_pairs(moving, hit_when=hit_when, limit=limit)
    assert found == hand.sweep_pairs(moving, hit_when=hit_when, limit=limit)
    assert world.save() == before
    world.step()
    assert world.sweep_pairs(moving, hit_when=hit_when, limit=limit) == found


@pytest.mark.parametrize("count", [16, 65, 200])
@pytest.mark.parametrize("shift", [0, 2**31 - 1 - 40_000])
def test_many_that_move_are_found_as_by_casts_of_every_pair(count: int, shift: int) -> None:
    """More than are compared one with another, so that the grid is built of their ways; and where
    a way leads outside int32."""
    draw = model_draw(count)
    world, moving = World(count), {}
    for id in range(count):
        shape = Box(900, 900, 400) if id % 2 else Sphere(700)
        place = [draw(40_000) - (0 if shift else 20_000) for _ in range(2)]
        world.add(id, shape, Pose(place[0] + shift, 0, place[1] - shift, draw(65536)))
        if draw(8):
            moving[id] = (draw(8001) - 4000, draw(401) - 200, draw(8001) - 4000)
    expected = []
    for a in range(count):
        for b in range(a + 1, count):
            if a in moving or b in moving:
                c, d = world[a], world[b]
                ways = moving.get(a, STILL), moving.get(b, STILL)
                hit = cast_pair(c.shape, c.pose, ways[0], d.shape, d.pose, ways[1])
                expected += [(a, b, *hit)] if hit else []
    assert len(expected) >= count // 8
    for _ in range(2):
        found = world.sweep_pairs(moving)
        assert sorted(found) == expected
        assert [hit.fraction for hit in found] == sorted(hit[2] for hit in expected)
        for limit in (1, 3, len(expected) + 1):
            assert world.sweep_pairs(moving, limit=limit) == found[:limit]
        world.step()
    assert world.query(Sphere(20_000), Pose(shift, 0, -shift)) == copied(world).query(
        Sphere(20_000), Pose(shift, 0, -shift)
    )


def model_draw(seed: int) -> Any:
    state = seed

    def below(limit: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % limit

    return below


def copied(world: World) -> World:
    return World.from_bytes(world.save(), world.capacity)


@pytest.mark.parametrize(
    "order", [(1, 2, 3, 4, 5, 6, 7), (7, 6, 5, 4, 3, 2, 1), (3, 7, 1, 6, 2, 5, 4)]
)
def test_of_one_fraction_the_nearest_is_first_whatever_the_ids(order: tuple[int, ...]) -> None:
    """A motion so long that 1/65536 of it is longer than all the gaps."""
    world = World(8)
    world.add(0, Sphere(10), Pose(0, 0, 0))
    for place, id in enumerate(order, 1):
        world.add(id, Box(1, 1, 1), Pose(100 * place, 0, 0))
    ways = {0: (SIZE_MAX, 0, 0)}
    found = world.sweep_pairs(ways)
    assert [hit[:3] for hit in found] == [(0, id, 0) for id in order]
    for limit in range(1, 8):
        assert world.sweep_pairs(ways, limit=limit) == found[:limit]


@pytest.mark.parametrize("fillers", [0, 80])
def test_what_touches_only_at_an_end_of_its_motion_is_met(fillers: int) -> None:
    """With few rows, and with so many that the grid finds the pairs. One collider is inactive."""
    world = World(128)
    motions: dict[int, Any] = {}
    expected = []
    for axis, sign, length in itertools.product(range(3), (-1, 1), (-7, -2, 7)):
        # A negative length: apart from the touching start.
        a = len(motions)
        gap = [0, 0, 0]
        gap[axis] = sign * (10 + max(length, 0))
        motion = [0, 0, 0]
        motion[axis] = sign * length
        world.add(a, Sphere(5), Pose(1000 * a, 0, 0))
        world.add(a + 1, Sphere(5), Pose(1000 * a + gap[0], gap[1], gap[2]))
        motions |= {a: tuple(motion), a + 1: STILL}
        expected.append((0 if length < 0 else 65536, a, a + 1))
    for id in range(len(motions), len(motions) + fillers):
        world.add(id, Sphere(5), Pose(-1000 * id, 0, 0))
        motions[id] = (1, 0, 0)
    world.add(127, Sphere(5), Pose(0, 5000, 0), active=False)
    before = world.save()
    found = world.sweep_pairs(motions)
    assert [(fraction, a, b) for a, b, fraction, _ in found] == sorted(expected)
    assert world.save() == before


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("fillers", [0, 80])
def test_who_moves_out_of_int32_is_met_on_its_way(fillers: int, sign: int) -> None:
    """With so many rows that the grid would find the pairs, if all middles were in int32."""
    world = World(128)
    motions: dict[int, Any] = {}
    expected = []
    for axis in range(3):
        a = len(motions)
        place = [1000 * a] * 3
        motion = [0, 0, 0]
        place[axis], motion[axis] = sign * (2**31 - 1 - 3000), sign * 20000
        world.add(a, Sphere(5), Pose(*place))
        place[axis] += sign * 1500
        world.add(a + 1, Sphere(5), Pose(*place))
        motions |= {a: tuple(motion), a + 1: STILL}
        expected.append((a, a + 1, 65536 * 1490 // 20000))
    for id in range(len(motions), len(motions) + fillers):
        world.add(id, Sphere(5), Pose(-1000 * id, 0, 0))
        motions[id] = (1, 0, 0)
    assert [hit[:3] for hit in world.sweep_pairs(motions)] == expected


def test_a_level_is_met_also_where_every_collider_moves() -> None:
    world = World(1, level=level_of(SOLIDS))
    world.add(0, Sphere(5), Pose(-40, 20, 0))
    assert [(a, b) for a, b, *_ in world.sweep_pairs({0: (0, -40, 0)})] == [(0, LEVEL + 1)]


@pytest.mark.parametrize("limit", [0, 1])
def test_motions_of_any_order_give_one_answer(limit: int) -> None:
    world = World(6)
    for id in range(6):
        world.add(id, Sphere(5), Pose(20 * id, 0, 0))
    ways = {id: (10 * (5 - id), 0, 0) for id in range(6)}
    backwards = dict(sorted(ways.items(), reverse=True))
    assert world.sweep_pairs(ways, limit=limit) == world.sweep_pairs(backwards, limit=limit)


@refusals(
    """
w.sweep_pairs([(0, STILL)]) | TypeError | motions must be a dict
w.sweep_pairs({4: STILL}) | ValueError | id must be 0..3, not 4
w.sweep_pairs({1.0: STILL}) | TypeError | id must be an integer
w.sweep_pairs({3: STILL}) | KeyError | id 3 is not in the world
w.sweep_pairs({0: STILL, 2: STILL}) | ValueError | the shape of id 2 must be a Sphere, Capsule / , not Sector
w.sweep_pairs({0: (0, 2**29, 0)}) | ValueError | motions[0]: my must be
w.sweep_pairs({0: (0, 0)}) | ValueError | motions[0]
w.sweep_pairs({0: STILL}, limit=-1) | ValueError | limit must be
w.sweep_pairs({0: STILL}, hit_when=0) | ValueError | hit_when must be 1..2, not 0
w.sweep_pairs({0: STILL}, hit_when=1.0) | TypeError | hit_when must be
    """
)
def test_a_refused_sweep_of_pairs_leaves_the_world_as_it_is(refused: Refused) -> None:
    world = World(4)
    world.add(0, Sphere(5), HERE)
    world.add(1, Sphere(5), HERE, active=False)
    world.add(2, Sector(5, 5, 5), HERE)
    before = world.save()
    refused(w=world)
    assert world.save() == before


def test_c_names_the_first_bad_row_and_the_room() -> None:
    world = World(4)
    for id in range(2):
        world.add(id, Sphere(5), HERE)
    world.add(2, Sector(5, 5, 5), HERE)
    native = world._native._world
    hits, count = ffi.new("fxs_pair_hit[]", 4), ffi.new("uint64_t *")

    def asked(rows: list[Any], hit_when: int = 0, room: int = 4) -> tuple[int, int]:
        count[0] = 77
        motions = ffi.new("fxs_motion[]", [(id, motion) for id, motion in rows])
        status = lib.fxs_world_sweep_pairs(
            native, motions, len(rows), hit_when, 0, hits, room, count
        )
        return status, count[0]

    far = (0, SIZE_MAX + 1, 0)
    assert asked([(0, STILL), (0, STILL)]) == (lib.FXS_E_ORDER, 1)
    assert asked([(0, STILL), (1, far), (0, STILL)]) == (lib.FXS_E_MOTION, 1)
    assert asked([(1, far), (0, far)]) == (lib.FXS_E_MOTION, 0)
    assert asked([(4, far)]) == (lib.FXS_E_ID, 0)
    assert asked([(UINT32_MAX, STILL)]) == (lib.FXS_E_ID, 0)
    assert asked([(0, STILL), (3, far)]) == (lib.FXS_E_ABSENT, 1)
    assert asked([(2, far)]) == (lib.FXS_E_UNDEFINED, 0)
    assert asked([(3, far)], hit_when=3) == (lib.FXS_E_HIT_WHEN, 0)
    assert asked([(0, STILL)], room=0) == (lib.FXS_E_ROOM, 1)
    assert asked([(0, STILL)]) == (lib.FXS_OK, 1)
    assert (hits[0].a, hits[0].b, hits[0].fraction) == (0, 1, 0)
    assert asked([]) == (lib.FXS_OK, 0)

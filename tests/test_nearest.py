"""Nearest first, and an emptied world: against the model's queries and squared distances in big
integers.
"""

from __future__ import annotations

from typing import Any

import model
import strategies
from hypothesis import given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, SIZE_MAX
from strategies import shapes, yaws

from fixsync import Cylinder, EventKind, Pose, Sphere, World
from fixsync.world.shapes import shape_from_tuple

EDGES = st.sampled_from([INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX])
PLACES = st.tuples(EDGES, EDGES, EDGES)


def both(colliders: list[Any]) -> tuple[World, model.ModelWorld]:
    world, twin = World(max(1, len(colliders))), model.ModelWorld(max(1, len(colliders)))
    for id, (shape, pose, layer, owner, offset, active) in enumerate(colliders):
        about = {"layer": layer, "owner": owner, "offset": offset, "active": active}
        try:
            twin.add(id, shape, pose, **about)
        except ValueError:  # an offset that leads out of range
            continue
        world.add(id, shape_from_tuple(shape), Pose(*pose), **about)
    return world, twin


def colliders(
    place: st.SearchStrategy[Any], size: st.SearchStrategy[int]
) -> st.SearchStrategy[list[Any]]:
    one = st.tuples(
        shapes(size=size),
        st.tuples(place, yaws()).map(lambda p: (*p[0], p[1])),
        st.integers(0, 2),
        st.integers(0, 2),
        st.just((0, 0, 0)) | st.tuples(*[st.integers(-9, 9)] * 3),
        st.integers(0, 7).map(bool),
    )
    return st.lists(one, max_size=12)


SMALL = st.tuples(*[st.integers(-20, 20)] * 3)
QUESTIONS = st.tuples(st.integers(0, 13), st.sampled_from([2**32 - 1, 1, 6, 0]), st.integers(0, 2))


@given(
    colliders(SMALL, st.integers(1, 30)), shapes(size=st.integers(1, 40)), SMALL, yaws(), QUESTIONS
)
def test_nearest_is_the_models_query_by_squared_distance_and_id(
    rows: Any, shape: Any, place: Any, yaw: int, question: Any
) -> None:
    ask_both(rows, shape, (*place, yaw), question)


@given(
    colliders(PLACES, st.just(SIZE_MAX)), shapes(size=st.just(SIZE_MAX)), PLACES, yaws(), QUESTIONS
)
def test_nearest_holds_at_the_ends_of_int32(
    rows: Any, shape: Any, place: Any, yaw: int, question: Any
) -> None:
    ask_both(rows, shape, (*place, yaw), question)


def ask_both(rows: Any, shape: Any, pose: Any, question: Any) -> None:
    world, twin = both(rows)
    limit, mask, owner = question
    expected = twin.nearest(shape, pose, mask, exclude_owner=owner, limit=limit)
    asked = shape_from_tuple(shape), Pose(*pose)
    assert world.nearest(*asked, mask, exclude_owner=owner, limit=limit) == expected
    assert world.nearest_many([(*asked, mask, owner)] * 2, limit=limit) == [expected] * 2
    world.step()
    assert world.nearest(*asked, mask, exclude_owner=owner, limit=limit) == expected


def test_one_raw_unit_at_the_far_end_decides_who_is_nearer() -> None:
    """Squared distances near 2^61, where a double would see no difference."""
    world, far = World(2), 2**30 - 9
    world.add(0, Sphere(SIZE_MAX), Pose(far + 1, 0, 0))
    world.add(1, Sphere(SIZE_MAX), Pose(0, 0, far))
    assert float((far + 1) ** 2) - float(far**2) != 2 * far + 1
    assert world.nearest(Sphere(SIZE_MAX), Pose(0, 0, 0)) == [1, 0]
    world.move(0, far - 1, 0, 0)
    assert world.nearest(Sphere(SIZE_MAX), Pose(0, 0, 0), limit=1) == [0]


def test_nearest_grows_its_room_and_sorts_a_crowd() -> None:
    world = World(3000)
    world.add_many(
        [(id, Sphere(1), Pose(id * 7919 % 3001, 0, id * 104729 % 2999)) for id in range(3000)]
    )
    centre = Pose(1500, 0, 1500)
    by_distance = sorted(
        range(3000),
        key=lambda id: ((id * 7919 % 3001 - 1500) ** 2 + (id * 104729 % 2999 - 1500) ** 2, id),
    )
    assert world.nearest(Sphere(10**6), centre) == by_distance
    assert world.nearest(Sphere(10**6), centre, limit=10) == by_distance[:10]
    answers = world.nearest_many([(Sphere(10**6), centre)] * 3, limit=2000)
    assert list(answers) == [by_distance[:2000]] * 3


def test_nothing_to_ask_has_no_answers() -> None:
    assert list(World(2).nearest_many([])) == []


# An emptied world.


@given(strategies.frames())
@strategies.examples(40)
def test_clear_is_the_removal_of_every_id(match: Any) -> None:
    world, twin = World(6), model.ModelWorld(6)
    for commands in match:
        for command in commands:
            if command[0] in ("add", "remove"):
                world.apply([command])
                twin.apply(command)
        assert list(world.step()) == twin.step()
    world.clear()
    for id in list(twin.colliders):
        twin.remove(id)
    assert world.save() == twin.save()
    assert list(world) == []
    assert list(world.step()) == twin.step()


def test_what_stood_in_a_cleared_world_exits_with_the_next_step() -> None:
    world = World(3, hit_when=2, layers=[(0, 0)])
    world.add_many([(id, Cylinder(5, 5), Pose(id, 0, 0)) for id in range(3)])
    world.step()
    world.clear()
    assert (len(world), world.frame, world.hit_when, world.layers) == (0, 1, 2, [(0, 0)])
    assert [(a, b, kind) for a, b, kind, _ in world.step()] == [
        (0, 1, EventKind.EXIT), (0, 2, EventKind.EXIT), (1, 2, EventKind.EXIT),
    ]  # fmt: skip
    world.clear()
    assert world.step() == []

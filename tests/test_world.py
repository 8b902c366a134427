"""World: changes, steps, answers, state, bulk, observers and threads, against the model frame by
frame.
"""

from __future__ import annotations

import copy
import pickle
import random
import re
import struct
import threading
from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import strategies
import xxhash
from hypothesis import given
from hypothesis import strategies as st
from model import ModelWorld
from refusals import Refused, refusals
from strategies import NO_KIND, every_kind
from tools import Log, each

from fixsync import (
    LEVEL,
    Box,
    Capsule,
    Collider,
    Contact,
    Cylinder,
    Event,
    EventKind,
    Events,
    Hit,
    Level,
    Pillar,
    Pose,
    Sector,
    Sphere,
    World,
    pack_poses,
    pack_shapes,
)
from fixsync._native.changes import rows_of_commands, rows_of_layers
from fixsync._native.checks import layer_masks
from fixsync.game.bodies import Body
from fixsync.game.frame_data import FrameData, Part
from fixsync.synctest import strategies as fst
from fixsync.world.records import COLLIDER_DTYPE, COLLIDER_FORMAT
from fixsync.world.shapes import shape_from_tuple
from fixsync.world.world import CAPACITY_MAX

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
ORIGIN = Pose(0, 0, 0)
CAPACITY = 6


def apply(world: World, command: Any) -> Any:
    """Carries out a command of a match log; the answer of a query or a cast, else None."""
    name, *args = command
    match name:
        case "add":
            id, shape, position, yaw, layer, owner, offset, active = args
            pose = Pose(*position, yaw)
            made = shape_from_tuple(shape)
            return world.add(
                id, made, pose, layer=layer, owner=owner, offset=tuple(offset), active=active
            )
        case "move":
            return world.move(args[0], *args[1])
        case "pose":
            return world.set_pose(args[0], Pose(*args[1], args[2]))
        case "shape":
            return world.set_shape(args[0], shape_from_tuple(args[1]))
        case "offset":
            return world.set_offset(args[0], tuple(args[1]))
        case "layers":
            return world.set_layers(args[0])
        case "query":
            shape, position, yaw, mask, *more = args
            options = dict(zip(("exclude_owner", "hit_when"), more, strict=False))
            return world.query(shape_from_tuple(shape), Pose(*position, yaw), mask, **options)
        case "cast":
            shape, position, yaw, motion, mask, owner, limit, hit_when = args
            given = shape_from_tuple(shape), Pose(*position, yaw), motion, mask
            hits = world.cast(*given, exclude_owner=owner, limit=limit, hit_when=hit_when)
            return [[id, fraction, *normal] for id, fraction, normal in hits]
        case "turn" | "remove":
            return getattr(world, name)(*args)
        case "owner" | "layer" | "active":
            return getattr(world, f"set_{name}")(*args)
    raise AssertionError(command)


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returned, or the type of the error it raised."""
    try:
        return call()
    except (TypeError, ValueError, KeyError) as error:
        return type(error)


def crowd(world: World, count: int, seed: int = 1) -> None:
    """Adds `count` colliders of every kind, near enough to meet."""
    rng = random.Random(seed)
    kinds = every_kind(
        [
            Sphere(500),
            Capsule(300, 200),
            Cylinder(400, 100),
            Box(300, 200, 400),
            Sector(700, 6000, 300),
        ]
    )
    for id in range(count):
        pose = Pose(*(rng.randrange(-2000, 2000) for _ in range(3)), rng.randrange(65536))
        offset = (
            tuple(rng.randrange(-200, 200) for _ in range(3)) if rng.random() < 0.3 else (0, 0, 0)
        )
        world.add(
            id,
            rng.choice(kinds),
            pose,
            layer=rng.randrange(4),
            owner=rng.randrange(3),
            offset=offset,
        )


@pytest.fixture
def world() -> World:
    return three_in_a_row()


def three_in_a_row() -> World:
    """Three colliders in a row, stepped once: 1 and 2 overlap, 2 and 3 touch; 5 has been removed
    since.
    """
    world = World(8)
    world.add(1, Sphere(100), ORIGIN)
    world.add(2, Box(100, 50, 100), Pose(150, 0, 0), layer=3, owner=7, offset=(1, 2, 3))
    world.add(3, Sector(100, 16384, 50), Pose(251, 2, 3), layer=31)
    world.add(5, Capsule(1, 0), Pose(9000, 0, 0), active=False)
    world.step()
    world.remove(5)
    return world


# Against the model.


@given(strategies.frames(CAPACITY), strategies.layer_pairs(), strategies.hit_whens(), st.data())
@strategies.examples(150)
def test_a_match_goes_frame_by_frame_as_the_model_says(
    frames: Any, layers: Any, hit_when: int, data: Any
) -> None:
    world, model = (
        World(CAPACITY, hit_when=hit_when, layers=layers),
        ModelWorld(CAPACITY, hit_when, layers),
    )
    for commands in frames:
        asked = [command for command in commands if command[0] in ("query", "cast")]
        for command in commands:
            if command not in asked:
                assert apply(world, command) == model.apply(command)
                assert world.save() == model.save()
        if data.draw(st.booleans(), "rolled back"):
            saved = world.save()
            world.step()
            world.load(saved)
        if data.draw(st.booleans(), "moved to another world"):
            world = World.from_bytes(world.save(), CAPACITY)
        events = world.step()
        assert list(events) == model.step()
        assert world.save() == model.save()
        assert world.hash() == model.hash() == xxhash.xxh64(world.save()).intdigest()
        assert world.frame == model.frame
        for command in asked:
            assert apply(world, command) == model.apply(command)
        for a in world:
            for b in world:
                assert world.contact(a, b) == model.contact(a, b)
        assert world.save() == model.save()


@given(st.lists(strategies.wild_commands(CAPACITY), max_size=30))
def test_a_command_is_refused_when_the_model_refuses_it_and_then_changes_nothing(
    commands: Any,
) -> None:
    world, model = World(CAPACITY), ModelWorld(CAPACITY)
    for command in commands:
        # Where a command has several faults, either may be reported.
        before = model.save()
        expected = outcome(lambda command=command: model.apply(command))
        found = outcome(lambda command=command: apply(world, command))
        assert (found is None) == (expected is None), command
        assert world.save() == model.save()
        assert expected is None or model.save() == before
    assert list(world.step()) == model.step()


@given(strategies.frames(CAPACITY, 2), st.randoms(use_true_random=False))
def test_the_order_of_additions_makes_no_difference(frames: Any, rng: random.Random) -> None:
    first, second = World(CAPACITY), World(CAPACITY)
    for commands in frames:
        for command in commands:
            if command[0] not in ("query", "cast"):
                apply(first, command)
    colliders = list(first.colliders())
    rng.shuffle(colliders)
    for collider in colliders:
        second.add_many([collider])
    # Ids that came and went are part of the state until the next step; after it, nothing tells the
    # two apart.
    assert first.step() == second.step()
    assert first.save() == second.save()
    assert first.step() == second.step()


@given(
    st.lists(strategies.questions().filter(lambda command: command[0] == "query"), max_size=5),
    st.data(),
)
def test_many_queries_answer_as_one_by_one(queries: Any, data: Any) -> None:
    world = World(CAPACITY)
    for id in range(CAPACITY):
        apply(world, data.draw(strategies.additions(id)))
    asked = [
        (shape_from_tuple(shape), Pose(*at, yaw), *more) for _, shape, at, yaw, *more in queries
    ]
    expected = [apply(world, query) for query in queries]
    answers = world.query_many(asked)
    assert answers == expected
    assert [answers[i] for i in range(-len(answers), 0)] == expected
    assert answers[1:] == expected[1:]
    assert pickle.loads(pickle.dumps(answers)) == expected
    rows = b"".join(
        pack_shapes([shape]) + pack_poses([pose]) + struct.pack("=3I", *[*more, 0, 0][:3])
        for shape, pose, *more in asked
    )
    assert world.query_many(rows) == expected
    assert world.query_many(np.frombuffer(rows, "i4").reshape(-1, 12)) == expected


@pytest.mark.parametrize("when", [Contact.TOUCHING, Contact.OVERLAPPING])
def test_a_query_may_have_another_least_contact_than_the_world(when: Contact) -> None:
    """Whoever stands on a floor touches it: is there room to stand up?"""
    floor, ceiling = (Pillar(0, 0, 5000, y, y + 100) for y in (-100, 2000))
    world = World(4, hit_when=when, level=Level([floor, ceiling]))
    world.add(2, Sphere(50), Pose(0, 50, 0))
    body, at, area = Capsule(300, 700), Pose(0, 1000, 0), (LEVEL, LEVEL + 1)
    own = [2, *area] if when == Contact.TOUCHING else [2]
    assert world.query(body, at) == world.query(body, at, hit_when=None) == own
    assert world.query(body, at, hit_when=Contact.TOUCHING) == [2, *area]
    assert world.query(body, at, hit_when=Contact.OVERLAPPING) == [2]
    assert world.query(body, Pose(0, 1001, 0), hit_when=2) == [2, LEVEL + 1]
    touched = Pose(350, 50, 0)
    for least, found in ((None, [2] * (when == 1)), (1, [2]), (2, [])):
        assert world.nearest(Sphere(300), touched, hit_when=least) == found
        assert world.nearest_many([(Sphere(300), touched, 1, 0, least)]) == [found]
        assert bool(world.explain_query(Sphere(300), touched, 2, hit_when=least).why) != bool(found)


# Growth.


def test_room_for_hits_and_events_grows_and_loses_nothing() -> None:
    world, model = World(40), ModelWorld(40)
    for id in range(40):  # 780 hits: more than the room that a world begins with
        world.add(id, Sphere(1000), Pose(id, 0, 0))
        model.add(id, ("sphere", 1000), (id, 0, 0, 0))
    for _ in range(3):
        assert list(world.step()) == model.step()
        assert world.save() == model.save()
    assert len(world.hits()) == 780
    assert World.from_bytes(world.save(), 40) == world
    for id in range(40):  # every pair ends and begins anew: 1560 events
        world.remove(id)
        world.add(id, Sphere(1000), Pose(id, 0, 0))
        model.remove(id)
        model.add(id, ("sphere", 1000), (id, 0, 0, 0))
    events = world.step()
    assert len(events) == 1560
    assert list(events) == model.step()
    assert len(world.query(Sphere(1), ORIGIN)) == 40
    assert world.query_many([(Sphere(1), ORIGIN)] * 100) == [list(range(40))] * 100


def test_memory_that_cannot_be_had_is_told() -> None:
    with pytest.raises(
        MemoryError, match=r"capacity 2147483648, with room for 2147483648 hits, needs \d+ bytes"
    ):
        World(CAPACITY_MAX)


def test_a_world_holds_its_last_id_and_its_only_one() -> None:
    world = World(1)
    world.add(0, Sphere(1), ORIGIN)
    assert list(world) == [0]
    world = World(10**6)
    world.add(10**6 - 1, Sphere(1), ORIGIN)
    world.add(0, Sphere(1), ORIGIN)
    assert list(world.step()) == [(0, 10**6 - 1, EventKind.ENTER, Contact.OVERLAPPING)]


# Reading a world.


def test_a_world_reads_as_a_mapping_of_colliders(world: World) -> None:
    assert list(world) == [1, 2, 3]
    assert len(world) == 3
    assert [id for id in range(-2, 12) if id in world] == [1, 2, 3]
    assert 10**30 not in world
    assert np.uint32(2) in world
    assert world[2] == Collider(2, Box(100, 50, 100), Pose(150, 0, 0), 3, 7, (1, 2, 3), True)
    assert [world[id] for id in world] == list(world.colliders())
    assert world.hits() == [(1, 2, 2), (2, 3, 1)]
    assert world.hits()[0] == Hit(1, 2, Contact.OVERLAPPING)
    assert bool(World(1))


def test_iteration_is_over_the_ids_as_they_were(world: World) -> None:
    seen = []
    for id in world:
        seen.append(id)
        world.remove(id)
        world.add(id + 4, Sphere(1), ORIGIN)
    assert seen == [1, 2, 3]
    assert list(world) == [5, 6, 7]


def test_what_a_world_is_made_of_can_be_read_and_given_again() -> None:
    for layers, expected in (
        (None, None),
        ([], []),
        ([(3, 0), (0, 3), (31, 31)], [(0, 3), (31, 31)]),
        ([[i, j] for i in range(32) for j in range(32)], None),
    ):
        world = World(9, hit_when=Contact.OVERLAPPING, layers=layers)
        assert world.layers == expected
        assert world.hit_when is Contact.OVERLAPPING
        assert world.capacity == 9
        assert World(9, hit_when=world.hit_when, layers=world.layers).save() == world.save()


def test_repr_tells_the_state_and_changes_nothing(world: World) -> None:
    before = world.save()
    assert repr(world) == "<World frame=1 colliders=3 hits=2 capacity=8 hit_when=TOUCHING>"
    assert world.save() == before


@given(
    strategies.shapes(),
    strategies.poses(),
    strategies.offsets(),
    st.integers(0, 31),
    st.integers(0, 2**32 - 1),
)
def test_a_collider_reads_back_as_it_was_added(
    shape: Any, at: Any, offset: Any, layer: int, owner: int
) -> None:
    world, model = World(2), ModelWorld(2)
    given = Collider(1, shape_from_tuple(shape), Pose(*at), layer, owner, offset, False)
    expected = outcome(
        lambda: model.add(1, shape, at, layer=layer, owner=owner, offset=offset, active=False)
    )
    assert outcome(lambda: world.add_many([given])) == expected
    if expected is None:
        assert world[1] == given


def test_the_frame_counts_modulo_2_32() -> None:
    world = World(1)
    state = bytearray(world.save())
    state[4:8] = b"\xff\xff\xff\xff"
    world.load(state)
    assert world.frame == 2**32 - 1
    world.step()
    assert world.frame == 0


# Events.


def test_events_are_an_immutable_sequence(world: World) -> None:
    world.move(1, 9000, 0, 0)
    events = world.step()
    expected = [
        Event(1, 2, EventKind.EXIT, Contact.APART),
        Event(2, 3, EventKind.STAY, Contact.TOUCHING),
    ]
    assert list(events) == expected == events
    assert events == tuple(expected)
    assert events != expected[:1]
    assert events != expected[::-1]
    assert events != "ab"
    assert hash(events) == hash(tuple(expected))
    assert len(events) == 2
    assert events[0] == events[-2] == expected[0]
    assert type(events[0].kind) is EventKind
    assert type(events[0].contact) is Contact
    assert type(events[:1]) is Events
    assert events[:1] == expected[:1]
    assert events[::-1] == expected[::-1]
    assert events[5:] == []
    assert expected[1] in events
    assert events.index(expected[1]) == 1
    assert pickle.loads(pickle.dumps(events)) == events
    assert events.buffer.tolist() == [1, 2, 3, 0, 2, 3, 2, 1]
    assert events.buffer.readonly
    assert (
        repr(events[:1]) == "Events([Event(a=1, b=2, kind=EventKind.EXIT, contact=Contact.APART)])"
    )
    with pytest.raises(IndexError):
        events[2]
    with pytest.raises(TypeError):
        events[0] = expected[0]  # type: ignore[index]
    with pytest.raises(AttributeError):
        events.other = 1  # type: ignore[attr-defined]


def test_events_stay_as_they_were_when_the_world_goes_on(world: World) -> None:
    first = world.step()
    before = list(first)
    world.move(1, 9000, 0, 0)
    world.step()
    assert list(first) == before


@given(st.data())
def test_slices_of_events_are_slices_of_their_list(data: Any) -> None:
    rows = struct.pack("=20I", *(part for i in range(5) for part in (i, i + 1, 1 + i % 3, i % 3)))
    events = Events(rows)
    cut = data.draw(st.slices(5))
    assert list(events[cut]) == list(events)[cut]


# Bulk.


def test_colliders_can_be_given_to_another_world_in_every_form() -> None:
    world = World(50)
    crowd(world, 50)
    colliders = world.colliders()
    table = np.frombuffer(colliders.buffer, dtype=COLLIDER_DTYPE)
    assert table.dtype.itemsize == struct.calcsize(COLLIDER_FORMAT) == 52
    assert table["id"].tolist() == list(world)
    for form in (
        colliders,
        list(colliders),
        (tuple(collider) for collider in colliders),
        colliders.buffer,
        bytes(colliders.buffer),
        table,
    ):
        twin = World(50)
        twin.add_many(form)
        assert twin.save() == world.save()
    assert pickle.loads(pickle.dumps(colliders)) == colliders


def test_a_short_record_takes_the_defaults_of_add() -> None:
    world, twin = World(4), World(4)
    world.add_many(
        [(1, Sphere(5), ORIGIN), (2, Sphere(5), ORIGIN, 3), [3, Sphere(5), ORIGIN, 3, 4]]
    )
    twin.add(1, Sphere(5), ORIGIN)
    twin.add(2, Sphere(5), ORIGIN, layer=3)
    twin.add(3, Sphere(5), ORIGIN, layer=3, owner=4)
    assert world.save() == twin.save()


def test_many_moves_and_poses_are_the_single_ones() -> None:
    world = World(30)
    crowd(world, 30)
    rng = random.Random(2)
    ids = [rng.randrange(30) for _ in range(60)]  # an id may come more than once: the last counts
    positions = [tuple(rng.randrange(-3000, 3000) for _ in range(3)) for _ in ids]
    poses = [Pose(*position, rng.randrange(65536)) for position in positions]
    twin = world.copy()
    for id, position in zip(ids, positions, strict=True):
        twin.move(id, *position)
    for form in (
        (ids, positions),
        (np.array(ids, "u4"), np.array(positions, "i4")),
        (np.array(ids, "i4"), np.array(positions, "i4").ravel()),
    ):
        moved = world.copy()
        moved.move_many(*form)
        assert moved.save() == twin.save()
    twin = world.copy()
    for id, pose in zip(ids, poses, strict=True):
        twin.set_pose(id, pose)
    for form in ((ids, poses), (np.array(ids, "u4"), pack_poses(poses)), (iter(ids), iter(poses))):
        moved = world.copy()
        moved.set_pose_many(*form)
        assert moved.save() == twin.save()


def test_nothing_in_bulk_is_nothing() -> None:
    world = World(4)
    before = world.save()
    world.add_many([])
    world.add_many(b"")
    world.move_many([], [])
    world.set_pose_many(b"", b"")
    assert world.query_many([]) == []
    assert world.save() == before
    assert world.colliders() == []
    assert list(world.hits()) == []


# Errors: the name, the value and the range; nothing changes.

AT, BALL = Pose(1, 2, 3), Sphere(1)


def row(**fields: Any) -> bytes:
    """A record for add_many: a good one, but for the fields given."""
    values = {name: 0 for name, *_ in COLLIDER_DTYPE[:-1]}
    size = fields.pop("size", (1, 0, 0))
    return struct.pack(COLLIDER_FORMAT, *(values | {"active": 1} | fields).values(), *size)


@refusals(f"""
w.add(1, BALL, AT) | ValueError | id 1 / taken
w.add(8, BALL, AT) | ValueError | id / 0..7 / 8
w.add(-1, BALL, AT) | ValueError | id / 0..7 / -1
w.add(2**32, BALL, AT) | ValueError | id / 0..7 / 4294967296
w.add(2**32 + 4, BALL, AT) | ValueError | id / 0..7 / 4294967300
w.add('4', BALL, AT) | TypeError | id / '4'
w.add(4, AT, AT) | TypeError | shape / Pose
w.add(4, ('sphere', 1), AT) | TypeError | shape / ('sphere', 1)
w.add(4, BALL, (1, 2, 3)) | TypeError | pose / (1, 2, 3)
w.add(4, BALL, BALL) | TypeError | pose / Sphere
w.add(4, BALL, AT, layer=32) | ValueError | layer / 0..31 / 32
w.add(4, BALL, AT, layer=256) | ValueError | layer / 0..31 / 256
w.add(4, BALL, AT, layer=-1) | ValueError | layer / 0..31 / -1
w.add(4, BALL, AT, owner=-1) | ValueError | owner / 0..4294967295 / -1
w.add(4, BALL, AT, owner=2**32) | ValueError | owner / 0..4294967295 / 4294967296
w.add(4, BALL, AT, offset=(1, 2)) | ValueError | offset / (ox, oy, oz) / 2 values
w.add(4, BALL, AT, offset=5) | TypeError | offset / (ox, oy, oz) / 5
w.add(4, BALL, AT, offset=(0, 0.5, 0)) | TypeError | offset / oy / 0.5 / q('1.5')
w.add(4, BALL, AT, offset=(0, 0, 2**31)) | ValueError | offset / oz / 2147483648
w.add(4, BALL, AT, offset=(0, INT32_MAX, 0)) | ValueError | id 4 / centre / 2147483647
w.add(4, BALL, AT, active=1) | TypeError | active / True or False / 1
w.remove(5) | KeyError | id 5 / not in the world
w.remove(8) | ValueError | id / 0..7 / 8
w.remove(None) | TypeError | id / None
w.move(4, 0, 0, 0) | KeyError | id 4 / not in the world
w.move(9, 0, 0, 0) | ValueError | id / 0..7 / 9
w.move(1, 2**31, 0, 0) | ValueError | x / -2147483648..2147483647 / 2147483648
w.move(1, 0, 2**40, 0) | ValueError | y / -2147483648..2147483647 / 1099511627776
w.move(1, 0, 0, -2**70) | ValueError | z / -2147483648..2147483647 / -1180591620717411303424
w.move(1, 0.0, 0, 0) | TypeError | x / 0.0 / q('1.5')
w.move(2, INT32_MAX, 0, 0) | ValueError | id 2 / centre / 2147483647 / (1, 2, 3)
w.turn(1, 65536) | ValueError | yaw / 0..65535 / 65536
w.turn(1, -1) | ValueError | yaw / 0..65535 / -1
w.turn(1, 2**32 + 5) | ValueError | yaw / 0..65535 / 4294967301
w.turn(1, 90.0) | TypeError | yaw / 90.0 / degrees('22.5')
w.turn(4, 0) | KeyError | id 4
w.set_pose(1, (0, 0, 0, 0)) | TypeError | pose / (0, 0, 0, 0)
w.set_pose(4, AT) | KeyError | id 4
w.set_pose(2, Pose(0, 0, INT32_MAX)) | ValueError | id 2 / centre / 2147483647 / (1, 2, 3)
w.set_shape(1, 5) | TypeError | shape / Sphere, Capsule / 5
w.set_shape(4, BALL) | KeyError | id 4
w.set_offset(1, (1, 2, 3, 4)) | ValueError | offset / 4 values
w.set_offset(2, (INT32_MAX, 0, 0)) | ValueError | id 2 / centre / (150, 0, 0) / 2147483647
w.set_offset(4, (0, 0, 0)) | KeyError | id 4
w.set_owner(1, -1) | ValueError | owner / 0..4294967295 / -1
w.set_layer(1, 32) | ValueError | layer / 0..31 / 32
w.set_layer(1, '3') | TypeError | layer / '3'
w.set_active(1, 0) | TypeError | active / True or False / 0
w.set_active(4, True) | KeyError | id 4
w[4] | KeyError | id 4 / not in the world
w[8] | ValueError | id / 0..7 / 8
w['1'] | TypeError | id / '1'
w.contact(1, 4) | KeyError | b / id 4
w.contact(-1, 1) | ValueError | a / 0..7 / -1
w.contact(1, 8) | ValueError | b / 0..7 / 8
w.explain(1, 4) | KeyError | b / id 4
w.explain(8, 1) | ValueError | a / 0..7 / 8
w.explain_query(Sphere(9), ORIGIN, 4) | KeyError | id 4
w.explain_query(Sphere(9), ORIGIN, 8) | ValueError | b / 0..7 / 8
w.explain_query(9, ORIGIN, 1) | TypeError | shape / 9
w.query(5, AT) | TypeError | shape / 5
w.query(BALL, BALL) | TypeError | pose / Sphere
w.query(AT, BALL) | TypeError | shape / Pose
w.query(BALL, AT, -1) | ValueError | mask / 0..4294967295 / -1
w.query(BALL, AT, 2**32) | ValueError | mask / 0..4294967295 / 4294967296
w.query(BALL, AT, exclude_owner=-1) | ValueError | exclude_owner / -1
w.query(BALL, AT, hit_when=0) | ValueError | hit_when / 1..2 / 0
w.nearest(BALL, AT, hit_when=3) | ValueError | hit_when / 1..2 / 3
w.query_many([(BALL, AT), (BALL, AT, 1, 0, 0)]) | ValueError | queries[1] / hit_when / 1..2 / 0
w.query_many(struct.pack("=12I", 0, 0, 1, *[0] * 8, 3)) | ValueError | queries[0] / hit_when / 0..2 / 3
w.nearest(5, AT) | TypeError | shape must be / 5
w.nearest(BALL, 5) | TypeError | pose must be a Pose / 5
w.nearest(BALL, AT, -1) | ValueError | mask / 0..4294967295 / -1
w.nearest(BALL, AT, exclude_owner=2**32) | ValueError | exclude_owner / 4294967296
w.nearest(BALL, AT, limit=-1) | ValueError | limit / 0..4294967295 / -1
w.nearest_many([(BALL, AT)], limit=2**32) | ValueError | limit / 0..4294967295 / 4294967296
w.nearest_many([(BALL, AT), (BALL, 7)]) | TypeError | queries[1]: pose must be a Pose
w.nearest_many(5) | TypeError | queries must be a sequence
w.query_many([(BALL, AT), (BALL,)]) | TypeError | queries[1] / (Sphere(radius=1),)
w.query_many([(BALL, AT, -1)]) | ValueError | queries[0] / mask / -1
w.query_many([(BALL, 5)]) | TypeError | queries[0] / pose / 5
w.query_many(bytes(48)) | ValueError | queries[0] / radius / 0
w.query_many(np.array([[0, 0, 1, 0, 0, 0, 0, 0, 65536, 1, 0, 0]], "i4")) | ValueError | queries[0] / yaw / 0..65535
w.query_many(bytes(47)) | ValueError | queries / 48 bytes / 47
w.add_many([(4, BALL, AT), (4, BALL, AT)]) | ValueError | records[1] / id 4 / taken
w.add_many([(4, BALL, AT), (6, BALL, AT, 40)]) | ValueError | records[1] / layer / 40
w.add_many([(4, BALL, AT), (6, 5, AT)]) | TypeError | records[1] / shape / 5
w.add_many([(4, BALL, AT), 6]) | TypeError | records[1] / 6
w.add_many([(4, BALL, AT), (2**40, BALL, AT)]) | ValueError | records[1] / id / 1099511627776
w.add_many(5) | TypeError | records / 5
w.add_many(bytes(51)) | ValueError | records / 52 bytes / 51
w.add_many(row(id=4) + row(id=6, kind={NO_KIND})) | ValueError | records[1] / kind / 0..{NO_KIND - 1} / {NO_KIND}
w.add_many(row(id=4) + row(id=6, size=(0, 0, 0))) | ValueError | records[1] / radius / 0
w.add_many(row(id=4) + row(id=6, active=2)) | ValueError | records[1] / active / 0..1 / 2
w.add_many(row(id=4) + row(id=6, zero=1)) | ValueError | records[1] / zero / 1
w.add_many(row(id=4) + row(id=6, half_angle=3)) | ValueError | records[1] / half_angle / 3
w.add_many(row(id=4) + row(id=6, layer=32)) | ValueError | records[1] / layer / 0..31 / 32
w.add_many(row(id=4) + row(id=8)) | ValueError | records[1] / id / 0..7 / 8
w.add_many(row(id=4) + row(id=6, x=-1, ox=INT32_MIN)) | ValueError | records[1] / id 6 / centre
w.add_many(np.zeros((2, 13), 'i4')) | TypeError | records / 52 bytes
w.move_many([1, 4], [(0, 0, 0)] * 2) | KeyError | positions[1] / id 4
w.move_many([1, 8], [(0, 0, 0)] * 2) | ValueError | ids[1] / 0..7 / 8
w.move_many(np.array([1, 8], 'u4'), [(0, 0, 0)] * 2) | ValueError | positions[1] / id / 0..7 / 8
w.move_many([1, 2], [(0, 0, 0), (0, 2**31, 0)]) | ValueError | positions[1] / y / 2147483648
w.move_many([1, 2], [(0, 0, 0), (0, 0)]) | ValueError | positions[1] / (x, y, z) / 2 values
w.move_many([1, 2], [(9, 9, 9), (INT32_MAX, 0, 0)]) | ValueError | positions[1] / id 2 / centre
w.move_many([1, 2], [(0, 0, 0)]) | ValueError | ids / positions / 2 and 1
w.move_many([1], np.zeros((1, 3))) | TypeError | positions / 'd'
w.move_many(5, []) | TypeError | ids / 5
w.move_many([1], 'abc') | TypeError | positions / 'abc'
w.set_pose_many([1, 4], [AT] * 2) | KeyError | poses[1] / id 4
w.set_pose_many([1, 2], [AT, (0, 0, 0)]) | TypeError | poses[1] / Pose / (0, 0, 0)
w.set_pose_many([1, 2], [Pose(9, 9, 9), Pose(INT32_MAX, 0, 0)]) | ValueError | poses[1] / id 2 / centre
w.set_pose_many([1, 2], np.array([[0] * 4, [0, 0, 0, 65536]], 'i4')) | ValueError | poses[1] / yaw / 65536
w.set_pose_many([1], [AT, AT]) | ValueError | ids / poses / 1 and 2
w.set_pose_many(bytes(7), bytes(28)) | ValueError | ids / 4 bytes / 7 bytes
w.set_pose_many(bytes(4), bytes(20)) | ValueError | poses / 16 bytes / 20 bytes
w.set_pose_many(array('I', [1]), array('i', [0] * 5)) | ValueError | poses / 16 / 20 bytes
w.set_pose_many(array('f', [1]), array('i', [0] * 4)) | TypeError | ids / 'f'
w.set_pose_many([1], array('I', [5, 5, 5, 2**32 - 1])) | TypeError | poses / 'I'
w.set_pose_many([1], np.array([(0, 0, 0, 2**32 - 1)], 'i4, i4, i4, u4')) | ValueError | poses[0] / yaw / 4294967295
w.load(5) | TypeError | data / 5
w.load('FXS1') | TypeError | data / 'FXS1'
w.load(memoryview(w.save())[::2]) | ValueError | data / contiguous
w.detach(None) | ValueError | observer / None
""")
def test_an_error_names_what_is_wrong_and_changes_nothing(world: World, refused: Refused) -> None:
    before, log = world.save(), Log()
    world.attach(log)
    refused(w=world, array=array)
    assert world.save() == before
    assert log.reported == []
    world.detach(log)


@refusals("""
World(0) | ValueError | capacity / 1..2147483648 / 0
World(2**31 + 1) | ValueError | capacity / 1..2147483648 / 2147483649
World(8.0) | TypeError | capacity / 8.0
World(True) | TypeError | capacity / True
World(8, hit_when=0) | ValueError | hit_when / 1..2 / 0
World(8, hit_when=3) | ValueError | hit_when / 1..2 / 3
World(8, layers=5) | TypeError | layers / 5
World(8, layers=[(0, 1), (0, 32)]) | ValueError | layers[1] / second / 0..31 / 32
World(8, layers=[(0, 1, 2)]) | ValueError | layers[0] / 3 values
World(8, layers=[(0, True)]) | TypeError | layers[0] / second / True
World(8, layers=[3]) | TypeError | layers[0] / 3
World.from_bytes(b'', 8) | ValueError | data / 152 bytes / 0
World.from_bytes(World(1).save(), 0) | ValueError | capacity / 0
""")
def test_a_world_that_cannot_be_made_says_why(refused: Refused) -> None:
    refused()


# State.


def test_a_state_goes_round_by_every_way_to_copy_it(world: World) -> None:
    observer = Log()
    world.attach(observer)
    state = world.save()
    for twin in (
        World.from_bytes(state, 8),
        world.copy(),
        copy.copy(world),
        copy.deepcopy(world),
        pickle.loads(pickle.dumps(world)),
    ):
        assert twin.save() == state
        assert twin.hash() == world.hash()
        twin.attach(Log())  # it has no observer yet
        twin.step()
        assert world.save() == state
    assert observer.reported == []


class Arena(World):
    """It has another constructor, a `__len__` of its own, and an attribute."""

    def __init__(self, name: str) -> None:
        super().__init__(8)
        self.name, self.scores = name, [1]

    def __len__(self) -> int:
        return 10**6


class SlottedArena(World):
    __slots__ = ()

    def __init__(self, capacity: str) -> None:
        super().__init__(int(capacity))


def test_a_subclass_with_its_own_constructor_is_copied_and_pickled() -> None:
    arena = Arena("pit")
    arena.add(1, Sphere(5), ORIGIN)
    for make in (copy.copy, copy.deepcopy, World.copy, lambda w: pickle.loads(pickle.dumps(w))):
        twin = make(arena)
        assert type(twin) is Arena
        assert twin == arena
        assert twin.name == "pit"
        assert (twin.scores is arena.scores) is (make in (copy.copy, World.copy))
    slotted = SlottedArena("8")
    assert pickle.loads(pickle.dumps(slotted)) == copy.deepcopy(slotted) == slotted


def test_what_a_subclass_overrides_sizes_no_memory() -> None:
    arena = Arena("pit")
    arena.add(1, Sphere(5), ORIGIN)
    arena.clear()
    assert list(arena) == []

    class Table(FrameData):
        def to_bytes(self) -> bytes:
            return b""

        @property
        def parts(self) -> Any:
            return {}

    body = Body(arena, Table({"a": Part(Sphere(5)), "b": Part(Sphere(5))}), ORIGIN, ids=1, owner=1)
    assert list(arena) == [*body] == [1, 2]

    class Endless(Level):
        def __len__(self) -> int:
            return 10**6

    level = Endless([Pillar(0, 0, 5, 0, 5)])
    with pytest.raises(ValueError, match=r"index must be 0\.\.0, not 1"):
        level.contact(1, Sphere(1), ORIGIN)


def test_worlds_are_equal_by_capacity_and_saved_state_and_have_no_hash(world: World) -> None:
    twin = world.copy()
    assert twin == world
    assert world == three_in_a_row()
    twin.turn(1, 5)
    assert twin != world
    wider = World.from_bytes(world.save(), 9)
    assert wider != world
    assert world != world.save()
    with pytest.raises(TypeError, match="unhashable"):
        hash(world)
    level = Level([Pillar(0, 0, 5, 0, 5)])
    assert World(8, level=level) == World(8, level=level)
    assert World(8, level=level) != World(8)


def test_load_takes_any_contiguous_buffer_and_another_capacity(world: World) -> None:
    state = world.save()
    for data in (
        state,
        bytearray(state),
        memoryview(state),
        np.frombuffer(state, "u1"),
        memoryview(b"?" + state)[1:],
    ):
        twin = World(9, hit_when=Contact.OVERLAPPING, layers=[])
        twin.load(data)
        assert twin.save() == state
        assert twin.capacity == 9
        assert twin.hit_when is Contact.TOUCHING
        assert twin.layers is None


def test_load_refuses_a_state_with_an_id_beyond_the_capacity(world: World) -> None:
    with pytest.raises(ValueError, match=r"colliders\[1\]: id must be 0\.\.1, not 2"):
        World.from_bytes(world.save(), 2)
    with pytest.raises(ValueError, match=r"changed\[0\]: ids must ascend and be 0\.\.4, not 5"):
        World.from_bytes(world.save(), 5)


REFUSAL = re.compile(r"data is not a state that this world can hold: byte (\d+): \S")


def loads_as_the_model(data: bytes, world: World, before: bytes) -> bool:
    """Loads data into a world in state `before`; whether it took it. The model must agree."""
    try:
        ModelWorld(world.capacity).load(data)
        good = True
    except ValueError:
        good = False
    try:
        world.load(data)
    except ValueError as error:
        assert not good
        reported = REFUSAL.match(str(error))
        assert reported is not None
        assert int(reported[1]) <= len(data)
        assert world.save() == before
    else:
        assert good
        assert world.save() == data
        world.load(before)
    return good


def test_load_refuses_every_truncation_and_every_longer_state(world: World) -> None:
    state = world.save()
    other = World(8)
    crowd(other, 8, seed=3)
    other.step()
    before = other.save()
    for length in range(len(state)):
        assert not loads_as_the_model(state[:length], other, before)
    assert not loads_as_the_model(state + b"\0", other, before)
    assert not loads_as_the_model(state + bytes(4), other, before)
    assert loads_as_the_model(state, other, before)


@pytest.mark.full
def test_load_takes_or_refuses_every_change_of_one_byte_as_the_model_does() -> None:
    world = World(4)
    world.add(1, Sphere(100), ORIGIN)
    world.add(2, Sector(100, 16384, 50), Pose(150, 0, 0), offset=(1, 0, 0))
    world.step()
    world.remove(2)
    world.add(3, Box(1, 1, 1), ORIGIN)
    state = world.save()
    other = World(4)
    before = other.save()
    taken = 0
    for at in range(len(state)):
        changed = bytearray(state)
        # A mask's bits are all alike: each of them alone, and a few together, will do.
        for value in (
            {0, 1, 3, 127, 255, *(255 ^ 1 << i for i in range(8))} if 12 <= at < 140 else range(256)
        ):
            changed[at] = value
            taken += loads_as_the_model(bytes(changed), other, before)
    assert len(state) < taken < 255 * len(state)  # some are taken, and some are not


@given(st.data())
def test_load_takes_or_refuses_hostile_states_as_the_model_does(data: Any) -> None:
    world = World(8)
    crowd(world, data.draw(st.integers(0, 4)))
    world.step()
    if len(world):
        world.remove(0)
    state = bytearray(world.save())
    words = st.sampled_from(
        [0, 1, 2, 3, 4, 5, 7, 8, 2**16, 2**29 - 1, 2**29, 2**31 - 1, 2**31, 2**32 - 1]
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(state) // 4)) * 4
        match data.draw(st.sampled_from(["set", "insert", "cut", "copy"])):
            case "set":
                state[at : at + 4] = struct.pack("<I", data.draw(words))
            case "insert":
                state[at:at] = struct.pack("<I", data.draw(words))
            case "cut":
                del state[at : at + data.draw(st.sampled_from([1, 4, 12, 52]))]
            case "copy":
                size = data.draw(st.sampled_from([4, 12, 52]))
                state[at:at] = state[at : at + size]
    other = World(8)
    loads_as_the_model(bytes(state), other, other.save())


# The state of the fixture `world`: colliders at 144, 196 and 248, its hits from 300, its changed id
# at 332.
PAIR = (
    "pairs must ascend, a < b < 8, both colliders or changed ids, and the contact must be 1..2, not"
)
# Offset, form and values of the change | part of the message.
FAULTS = f"""
0 <I 827545671 | byte 0: a saved state begins with b'FXS1', not with b'GXS1'
8 <I 0 | byte 8: hit_when must be 1..2, not 0
48 <I 4294967287 | the layer masks are not symmetric: 9 and 3 disagree
140 <I 9 | byte 140: 9 colliders of 52 bytes each do not fit the 192 bytes that are left
300 <I 4294967295 | byte 300: 4294967295 hits of 12 bytes each do not fit
144 <I 8 | byte 144: colliders[0]: id must be 0..7, not 8
196 <I 1 | byte 196: colliders[1]: ids must ascend, not 1,
148 B {NO_KIND} | byte 144: colliders[0]: kind must be 0..{NO_KIND - 1}, not {NO_KIND}
149 B 32 | byte 144: colliders[0]: layer must be 0..31, not 32
150 B 2 | byte 144: colliders[0]: active must be 0..1, not 2
151 B 1 | byte 144: colliders[0]: zero must be 0..0, not 1
154 <H 1 | byte 144: colliders[0]: half_angle must be 0, because a sphere does not use it, not 1
296 <i -1 | byte 248: colliders[2]: size[2] (inner_radius) must be 0..536870911
258 <H 32769 | byte 248: colliders[2]: half_angle must be 1..32768, not 32769
258 <H 40000 | byte 248: colliders[2]: half_angle must be 1..32768, not 40000
184 <i 0 | byte 144: colliders[0]: size[0] (radius) must be 1..536870911, not 0
188 <i -1 | byte 144: colliders[0]: size[1] must be 0, because a sphere does not use it, not -1
240 <i 536870912 | byte 196: colliders[1]: size[1] (half_y) must be 1..536870911, not 536870912
212 <i 2147483647 | byte 196: colliders[1]: id 2: the centre must be within -2147483648..2147483647
304 <I 2 | byte 304: hits[0]: {PAIR} 2, 2,
308 <I 8 | byte 304: hits[0]: {PAIR} 1, 8,
312 <I 0 | byte 304: hits[0]: {PAIR} 1, 2, 0
312 <I 3 | byte 304: hits[0]: {PAIR} 1, 2, 3
320 <I 4 | byte 316: hits[1]: {PAIR} 2, 4,
304 <II 2 3 | byte 316: hits[1]: {PAIR} 2, 3,
304 <II 1 4 | byte 304: hits[0]: {PAIR} 1, 4,
328 <I 4294967295 | byte 328: 4294967295 changed of 4 bytes each do not fit
332 <I 8 | byte 332: changed[0]: ids must ascend and be 0..7, not 8
"""


@each("fault", FAULTS.strip().splitlines())
def test_load_says_what_is_wrong_and_where(world: World, fault: str) -> None:
    change, reported = fault.split(" | ")
    at, form, *values = change.split()
    state = bytearray(world.save())
    struct.pack_into(form, state, int(at), *map(int, values))
    with pytest.raises(ValueError) as error:
        World(8).load(state)
    assert reported in str(error.value)


def test_load_says_how_much_is_missing_or_too_much(world: World) -> None:
    state = world.save()
    for data, reported in (
        (b"", "byte 0: a saved state has at least 152 bytes, these are 0"),
        (state[:-4], "byte 328: 1 changed of 4 bytes each do not fit the 0 bytes that are left"),
        (state[:-6], "byte 328: the bytes end before the number of changed"),
        (state + b"12345", "byte 336: 5 bytes after the end"),
    ):
        with pytest.raises(ValueError) as error:
            World(8).load(data)
        assert reported in str(error.value)


# Observers: every change is reported.

THREE = three_in_a_row()
MANY = [(6, Sphere(4), AT, 2), (7, Box(1, 2, 3), AT, 0, 9, (1, 2, 3), False)]
CHANGING: dict[str, Callable[[World], Any]] = {
    "add": lambda w: w.add(
        4, Sector(5, 6, 7), Pose(1, 2, 3, 4), layer=5, owner=6, offset=(7, 8, 9), active=False
    ),
    "remove": lambda w: w.remove(1),
    "clear": lambda w: w.clear(),
    "move": lambda w: w.move(1, 5, 6, 7),
    "turn": lambda w: w.turn(2, 77),
    "set_pose": lambda w: w.set_pose(2, Pose(5, 6, 7, 8)),
    "set_shape": lambda w: w.set_shape(2, Capsule(5, 0)),
    "set_offset": lambda w: w.set_offset(2, (5, -6, 7)),
    "set_owner": lambda w: w.set_owner(2, 2**32 - 1),
    "set_layer": lambda w: w.set_layer(2, 9),
    "set_active": lambda w: w.set_active(2, False),
    "set_layers": lambda w: w.set_layers([(9, 9), (0, 1), (1, 0)]),
    "add_many": lambda w: w.add_many(MANY),
    "move_many": lambda w: w.move_many([1, 2, 1], [(1, 2, 3), (4, 5, 6), (7, 8, 9)]),
    "set_pose_many": lambda w: w.set_pose_many(
        [3, 2, 3], [Pose(1, 2, 3, 4), Pose(5, 6, 7, 8), Pose(9, 10, 11, 12)]
    ),
    "separate": lambda w: w.separate([(0, 3), (3, 0)]),
    "apply": lambda w: w.apply(
        [("move", 1, (1, 2, 3)), ("layers", [(0, 1)]), ("remove", 2), ("layers", None)]
    ),
    "step": lambda w: w.step(),
    "load": lambda w: w.load(World(8).save()),
}
READING: dict[str, Callable[[World], Any]] = {
    "query": lambda w: w.query(Sphere(1000), ORIGIN),
    "query_many": lambda w: w.query_many([(Sphere(1000), ORIGIN)]),
    "nearest": lambda w: w.nearest(Sphere(1000), ORIGIN, limit=2),
    "nearest_many": lambda w: w.nearest_many([(Sphere(1000), ORIGIN)], limit=2),
    "cast": lambda w: w.cast(Sphere(1), ORIGIN, (9, 9, 9)),
    "cast_many": lambda w: w.cast_many([(Sphere(1), ORIGIN, (9, 9, 9))]),
    "sweep": lambda w: w.sweep(1, (9, 9, 9)),
    "sweep_pairs": lambda w: w.sweep_pairs({1: (9, 9, 9)}),
    "contact": lambda w: w.contact(1, 2),
    "explain": lambda w: w.explain(1, 2),
    "explain_query": lambda w: w.explain_query(Sphere(1000), ORIGIN, 1),
    "push_out": lambda w: w.push_out(1, 2),
    "lift": lambda w: w.lift(1, 2),
    "side": lambda w: w.side(1, 2),
    "outline": lambda w: w.outline(1),
    "frame": lambda w: w.frame,
    "hit_when": lambda w: w.hit_when,
    "layers": lambda w: w.layers,
    "colliders": lambda w: w.colliders(),
    "hits": lambda w: w.hits(),
    "hit_count": lambda w: w.hit_count,
    "save": lambda w: w.save(),
    "hash": lambda w: w.hash(),
    "copy": lambda w: w.copy(),
    "__copy__": copy.copy,
    "__deepcopy__": copy.deepcopy,
    "__reduce__": pickle.dumps,
    "__repr__": repr,
    "__len__": len,
    "__contains__": lambda w: 1 in w,
    "__getitem__": lambda w: w[1],
    "__iter__": list,
    "__eq__": lambda w: w == THREE,
}
# What needs no world's memory, makes one, or is about observers themselves.
OTHER = {"level", "capacity", "from_bytes", "attach", "detach", "__init__", "__bool__", "__hash__"}
SILENT = {
    "__doc__", "__module__", "__slots__", "__weakref__", "__qualname__", "__firstlineno__",
    "__static_attributes__",
}  # fmt: skip


def test_every_method_of_a_world_is_known_as_changing_or_reading() -> None:
    methods = {
        name for name in vars(World) if not name.startswith("_") or name.startswith("__")
    } - SILENT
    known = CHANGING.keys() | READING.keys() | OTHER
    assert methods == known


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_is_told_as_commands_that_make_it_again(world: World, name: str) -> None:
    twin, log, before = world.copy(), Log(), world.save()
    world.attach(log)
    CHANGING[name](world)
    assert world.save() != before
    assert log.reported
    if name == "step":
        assert log.reported == [("stepped", twin.step())]
    elif name == "load":
        assert log.reported == [("loaded",)]
    else:
        for command in log.reported:
            assert type(command) is tuple
            apply(twin, command)
        assert twin.save() == world.save()


@each("name", READING)
def test_what_only_reads_changes_nothing_and_tells_nothing(world: World, name: str) -> None:
    log, before = Log(), world.save()
    world.attach(log)
    READING[name](world)
    assert world.save() == before
    assert log.reported == []
    world.detach(log)


def test_an_integer_of_another_kind_is_told_as_an_int(world: World) -> None:
    log = Log()
    world.attach(log)
    world.move(np.uint8(1), np.int32(-5), np.int64(6), 7)
    world.add(np.uint8(4), Sphere(1), ORIGIN, layer=np.int8(3), owner=np.int64(2))
    numbers = [log.reported[0][1], *log.reported[0][2], log.reported[1][1], *log.reported[1][5:7]]
    assert [type(number) for number in numbers] == [int] * 7


def test_an_observer_may_read_the_world_it_is_told_of(world: World) -> None:
    class Reader(Log):
        def changed(self, command: Any) -> None:
            self.reported.append((command[0], world.hash()))

        def stepped(self, _: Events) -> None:
            self.reported.append((world.frame, world.query(Sphere(1), ORIGIN)))

    log = Reader()
    world.attach(log)
    world.move(1, 0, 0, 1)
    moved = world.hash()
    world.step()
    assert log.reported == [("move", moved), (2, [1])]


def test_rows_of_single_layers_are_told_as_the_matrix_that_they_lead_to(world: World) -> None:
    log, rows = Log(), rows_of_layers(layer_masks([(0, 1), (2, 2)]))
    world.attach(log)
    world.apply(rows[2])
    first = world.layers
    world.apply(b"".join([rows[0], rows_of_commands([("move", 1, (0, 0, 1))])[0], rows[1]]))
    reported = log.reported
    assert [command[0] for command in reported] == ["layers", "layers", "move", "layers"]
    assert reported[0] == ("layers", first)
    assert reported[-1] == ("layers", world.layers)
    assert first is not None
    assert (0, 0) in first
    assert (0, 0) not in reported[1][1]


def test_a_world_has_one_observer_at_a_time(world: World) -> None:
    first, second = Log(), Log()
    world.attach(first)
    with pytest.raises(ValueError, match="an observer already"):
        world.attach(second)
    with pytest.raises(ValueError, match="must be the one attached"):
        world.detach(second)
    world.detach(first)
    world.move(1, 0, 0, 5)
    assert first.reported == []
    world.attach(second)
    world.move(1, 0, 0, 6)
    assert second.reported == [("move", 1, (0, 0, 6))]


def test_a_world_is_free_for_every_thread_after_its_observer_failed(world: World) -> None:
    class Failing(Log):
        def changed(self, _: bytes) -> None:
            world.save()
            world.contact(1, 7)  # absent

    world.attach(Failing())
    with pytest.raises(KeyError, match="id 7"):
        world.set_pose(1, ORIGIN)
    with pytest.raises(KeyError, match="id 7"):
        world.apply([("move", 1, (0, 0, 1))])
    frames: list[int] = []
    thread = threading.Thread(target=lambda: frames.append(world.frame))
    thread.start()
    thread.join()
    assert frames == [1]


# Threads.


class Stalled:
    """An observer that reads its world, then stays in the middle of a step until it may go on."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.inside, self.go_on = threading.Event(), threading.Event()

    def changed(self, command: Any) -> None: ...

    def loaded(self) -> None: ...

    def stepped(self, _: Events) -> None:
        try:
            self.world.save()
            self.world.hash()
        finally:
            self.inside.set()
        self.go_on.wait(600)


@pytest.fixture
def busy(world: World) -> Iterator[World]:
    """A world that another thread is stepping."""
    observer = Stalled(world)
    world.attach(observer)
    thread = threading.Thread(target=world.step)
    thread.start()
    assert observer.inside.wait(600)
    yield world
    observer.go_on.set()
    thread.join()
    assert world.frame == 2


@each("name", [*CHANGING, *READING, "attach", "detach"])
def test_a_world_in_use_refuses_a_second_thread(busy: World, name: str) -> None:
    calls = {
        **CHANGING,
        **READING,
        "attach": lambda w: w.attach(Log()),
        "detach": lambda w: w.detach(None),
    }
    with pytest.raises(RuntimeError, match="in use by another thread"):
        calls[name](busy)


# What load leaves to be worked out later.


def refused_load(world: World) -> None:
    """Its colliders are read, and then its last hit is not in order."""
    state = bytearray(world.save())
    state[-8:-4] = (9).to_bytes(4, "little")
    with pytest.raises(ValueError, match=r"not a state"):
        world.load(bytes(state))


def test_what_a_refused_state_held_is_not_searched(world: World) -> None:
    """A load reads colliders to where the broad phase has its own, which was fresh."""
    world.step()
    asked = [(Sphere(300), ORIGIN)] * 30
    met = list(world.query_many(asked))
    assert met[0] == [1, 2, 3]
    refused_load(world)
    assert list(world.query_many(asked)) == met


@given(fst.commands(), st.randoms(use_true_random=False))
def test_the_order_of_the_changes_of_different_colliders_does_not_matter(
    frames: list[list[tuple[Any, ...]]], shuffler: random.Random
):
    one, other = World(8), World(8)
    for commands in frames:
        one.apply(commands)
        by_id: dict[int, list[tuple[Any, ...]]] = {}
        for command in commands:
            by_id.setdefault(command[1], []).append(command)
        groups = [*by_id.values()]
        shuffler.shuffle(groups)
        for group in groups:
            other.apply(group)
        assert one.step() == other.step()
        assert one.save() == other.save()

"""The kernel as a C program calls it: what Python checks before it asks, the C functions refuse
too.
"""

from __future__ import annotations

import struct
from collections import Counter
from itertools import combinations, product
from math import gcd
from random import Random
from typing import Any

import model
import pytest
import xxhash
from tools import by_default, each

from fixsync._native.kinds import KINDS
from fixsync._native.raw import ffi, lib

SPHERE = (lib.FXS_SPHERE, 0, (5, 0, 0))
BOX = (lib.FXS_BOX, 0, (5, 6, 7))
SECTOR = (lib.FXS_SECTOR, 9, (5, 6, 0))
HERE = (0, 0, 0, 0)
MOTION = (1, 2, 3)

BAD_PLACED = [
    ((len(KINDS), 0, (5, 0, 0)), HERE, "FXS_E_KIND"),
    ((lib.FXS_SPHERE, 0, (0, 0, 0)), HERE, "FXS_E_SIZE"),
    ((lib.FXS_SPHERE, 1, (5, 0, 0)), HERE, "FXS_E_HALF_ANGLE"),
    (SPHERE, (0, 0, 0, 65536), "FXS_E_YAW"),
]


def config(**changes: Any) -> Any:
    made = ffi.new(
        "fxs_config *",
        {"capacity": 4, "hit_capacity": 4, "hit_when": 1, "layers": [2**32 - 1] * 32},
    )
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def memory(size: int, filled_with: int = 0xA5) -> Any:
    """Memory aligned to 8 whose bytes are not 0."""
    words = ffi.new("uint64_t[]", size // 8 + 1)
    ffi.buffer(words)[:] = bytes([filled_with]) * len(ffi.buffer(words))
    return words


def world(capacity: int = 4, hit_capacity: int = 4) -> Any:
    reported = config(capacity=capacity, hit_capacity=hit_capacity)
    made = memory(lib.fxs_world_size(reported))
    assert lib.fxs_world_init(ffi.cast("fxs_world *", made), reported) == lib.FXS_OK
    return made


def at(memory: Any) -> Any:
    return ffi.cast("fxs_world *", memory)


def saved(memory: Any) -> bytes:
    out = ffi.new("uint8_t[]", lib.fxs_world_save_size(at(memory)))
    lib.fxs_world_save(at(memory), out)
    return bytes(ffi.buffer(out))


def collider(id: int, shape: Any = SPHERE, **changes: Any) -> Any:
    kind, half_angle, size = shape
    reported = {"id": id, "kind": kind, "half_angle": half_angle, "size": size, "active": 1}
    return ffi.new("fxs_collider *", reported | changes)


def add(given: Any, id: int, shape: Any = SPHERE, **changes: Any) -> None:
    assert lib.fxs_world_add(at(given), collider(id, shape, **changes)) == lib.FXS_OK


def step(given: Any) -> tuple[int, int]:
    """Number of hits and events of a step."""
    counts, events = ffi.new("fxs_counts *"), ffi.new("fxs_event[]", 9999)
    assert lib.fxs_world_step(at(given), events, 9999, counts) == lib.FXS_OK
    return counts.hits, counts.events


def query(shape: Any, x: int = 0, y: int = 0, z: int = 0) -> Any:
    """Of all layers."""
    return ffi.new("fxs_query *", {"shape": shape, "pose": (x, y, z, 0), "mask": 2**32 - 1})


def met(given: Any, asked: Any) -> list[int]:
    """The ids that a query finds."""
    ids, count = ffi.new("uint32_t[]", 200), ffi.new("uint64_t *")
    assert lib.fxs_world_query(at(given), asked, ids, 200, count) == lib.FXS_OK
    return list(ids[0 : count[0]])


@pytest.mark.parametrize(
    "changes",
    [
        {"capacity": 0},
        {"capacity": lib.FXS_CAPACITY_MAX + 1},
        {"hit_when": lib.FXS_APART},
        {"hit_when": lib.FXS_OVERLAPPING + 1},
        {"layers": [2**32 - 1] * 31 + [2**32 - 2]},
        {"layers": [1 << 31] + [0] * 31},
    ],
    ids=str,
)
def test_a_config_out_of_range_is_refused_and_no_memory_is_written(changes: dict[str, Any]) -> None:
    asked, given = config(**changes), memory(1 << 16)
    before = bytes(ffi.buffer(given))
    assert lib.fxs_world_size(asked) == 0
    assert lib.fxs_world_init(at(given), asked) == lib.FXS_E_CONFIG
    assert bytes(ffi.buffer(given)) == before


def test_layers_of_which_one_meets_another_but_not_the_other_way_are_refused_whichever_they_are() -> (
    None
):
    for i, j in product(range(32), range(32)):
        masks = [2**32 - 1] * 32
        masks[i] ^= 1 << j
        good = i == j
        assert (lib.fxs_world_size(config(layers=masks)) > 0) == good
        masks = [0] * 32
        masks[i] = 1 << j
        assert (lib.fxs_world_size(config(layers=masks)) > 0) == good


def test_every_config_at_the_ends_of_its_ranges_has_a_size() -> None:
    """One collider more takes at least its own bytes more, up to the most there can be."""
    sizes = [
        lib.fxs_world_size(config(capacity=n, hit_capacity=0))
        for n in (1, 2, 2**31 - 1, lib.FXS_CAPACITY_MAX)
    ]
    assert sizes[0] > 0
    assert sizes[1] - sizes[0] >= 52
    assert sizes[3] - sizes[2] >= 52
    assert (
        0.999
        < sizes[3] / (2**11 * lib.fxs_world_size(config(capacity=2**20, hit_capacity=0)))
        < 1.001
    )
    assert lib.fxs_world_size(config(hit_when=2)) == lib.fxs_world_size(config(hit_when=1)) > 0
    hits = [lib.fxs_world_size(config(hit_capacity=n)) for n in (2**32 - 2, 2**32 - 1)]
    assert hits[1] - hits[0] >= 12


@pytest.mark.parametrize("by", range(1, 8))
def test_misaligned_memory_is_refused_and_not_written(by: int) -> None:
    asked = config()
    given = memory(lib.fxs_world_size(asked) + 8)
    before = bytes(ffi.buffer(given))
    aside = ffi.cast("fxs_world *", ffi.cast("uint8_t *", given) + by)
    assert lib.fxs_world_init(aside, asked) == lib.FXS_E_CONFIG
    assert bytes(ffi.buffer(given)) == before


def test_a_new_world_is_empty_whatever_was_in_its_memory() -> None:
    asked = config(capacity=200, hit_capacity=3)
    states = set()
    for filled_with in (0x00, 0xFF, 0x5A):
        given = memory(lib.fxs_world_size(asked), filled_with)
        assert lib.fxs_world_init(at(given), asked) == lib.FXS_OK
        add(given, 199)
        states.add(saved(given))
        reported = config()
        lib.fxs_world_config(at(given), reported)
        assert bytes(ffi.buffer(reported)) == bytes(ffi.buffer(asked))
    assert len(states) == 1


def test_a_copy_into_a_world_of_another_capacity_is_refused_and_changes_nothing() -> None:
    to, source = world(capacity=5), world(capacity=4)
    add(to, 4)
    add(source, 3)
    states = saved(to), saved(source)
    assert lib.fxs_world_copy(at(to), at(source)) == lib.FXS_E_CONFIG
    assert lib.fxs_world_copy(at(source), at(to)) == lib.FXS_E_CONFIG
    assert (saved(to), saved(source)) == states


def test_a_copy_needs_room_for_the_hits_that_there_are_and_no_more() -> None:
    source = world()
    for id in range(3):
        add(source, id)
    assert step(source) == (3, 3)
    small, large = world(hit_capacity=2), world(hit_capacity=3)
    before = saved(small)
    assert lib.fxs_world_copy(at(small), at(source)) == lib.FXS_E_ROOM
    assert saved(small) == before
    assert lib.fxs_world_copy(at(large), at(source)) == lib.FXS_OK
    assert saved(large) == saved(source)


def test_a_copy_is_the_other_world_whatever_was_in_this_one() -> None:
    """Its hit_when, layers, frame, changes and hits, and nothing of where colliders were."""
    there = query(SPHERE, 1000)
    layers = [2**32 - 1 - (1 << 31), *[2**32 - 1] * 30, 2**32 - 2]
    for first in (0, 65):  # whether the least id is there or not
        reported = config(capacity=130, hit_when=2, layers=layers)
        source = memory(lib.fxs_world_size(reported))
        assert lib.fxs_world_init(at(source), reported) == lib.FXS_OK
        for id, x in ((first, 1000), (first + 1, 1009), (128, 1010), (129, 2000)):
            add(source, id, x=x, layer=31 * (id == 128))
        assert step(source) == (1, 1)  # one only touches, and layers 0 and 31 do not meet
        assert lib.fxs_world_remove(at(source), 129) == lib.FXS_OK
        to = world(capacity=130)
        for id in range(5, 130):
            add(to, id, x=50 * id)
        for _ in range(3):  # until it has sorted where they are
            step(to)
            assert met(to, there) == [20]
        before = saved(source)
        assert lib.fxs_world_copy(at(to), at(source)) == lib.FXS_OK
        assert saved(source) == before
        assert saved(to) == before
        for given in (to, source):
            assert met(given, there) == [first, first + 1]
            assert lib.fxs_world_move(at(given), 128, 1000, 0, 0) == lib.FXS_OK
            assert step(given) == (1, 1)
        assert saved(to) == saved(source) != before


PAIR_FUNCTIONS: dict[str, Any] = {
    "overlap": lambda a, pa, b, pb, _: lib.fxs_overlap(a, pa, b, pb),
    "push_out": lambda a, pa, b, pb, out: lib.fxs_push_out(a, pa, b, pb, out),
    "lift": lambda a, pa, b, pb, out: lib.fxs_lift(a, pa, b, pb, out),
    "side": lambda a, pa, b, pb, _: lib.fxs_side(a, pa, b, pb),
    "cast_pair": lambda a, pa, b, pb, out: lib.fxs_cast_pair(
        a, pa, MOTION, b, pb, MOTION, 1, out, out + 1
    ),
}


@each("function", PAIR_FUNCTIONS)
@each(("shape", "pose", "status"), BAD_PLACED)
def test_a_function_of_two_shapes_refuses_either_and_writes_nothing(
    function: str, shape: Any, pose: Any, status: str
) -> None:
    bad, good = ffi.new("fxs_shape *", shape), ffi.new("fxs_shape *", BOX)
    bad_at, good_at = ffi.new("fxs_pose *", pose), ffi.new("fxs_pose *", HERE)
    out = ffi.new("int32_t[4]", [77] * 4)
    ask = PAIR_FUNCTIONS[function]
    assert ask(bad, bad_at, good, good_at, out) == getattr(lib, status)
    assert ask(good, good_at, bad, bad_at, out) == getattr(lib, status)
    assert list(out) == [77] * 4


def refused_pair(motion_a: Any, motion_b: Any, hit_when: int) -> int:
    """The status of a cast of two boxes that writes nothing."""
    shape, pose = ffi.new("fxs_shape *", BOX), ffi.new("fxs_pose *", HERE)
    out = ffi.new("int32_t[4]", [77] * 4)
    status = lib.fxs_cast_pair(shape, pose, motion_a, shape, pose, motion_b, hit_when, out, out + 1)
    assert list(out) == [77] * 4
    return int(status)


def refused_cast(**changes: Any) -> int:
    """The status of a cast into a world that names itself as the bad one."""
    asked = ffi.new("fxs_cast *", {"shape": BOX, "motion": MOTION} | changes)
    given, count, hits = world(), ffi.new("uint64_t *", 9), ffi.new("fxs_cast_hit[]", 4)
    status = lib.fxs_world_cast(at(given), asked, hits, 4, count)
    assert count[0] == 0
    return int(status)


@pytest.mark.parametrize("hit_when", [3, 2**32 - 1])
def test_a_cast_refuses_any_other_hit_when(hit_when: int) -> None:
    assert refused_cast(hit_when=hit_when) == lib.FXS_E_HIT_WHEN
    for refused in (hit_when, 0):
        assert refused_pair(MOTION, MOTION, refused) == lib.FXS_E_HIT_WHEN


@each("axis", range(3))
@each("component", [2**29, -(2**29), 2**31 - 1, -(2**31)])
def test_a_cast_refuses_a_motion_that_is_too_long(axis: int, component: int) -> None:
    bad = [component if i == axis else 0 for i in range(3)]
    assert refused_pair(bad, MOTION, 1) == refused_pair(MOTION, bad, 1) == lib.FXS_E_MOTION
    assert refused_cast(motion=bad) == lib.FXS_E_MOTION


def test_a_sweep_refuses_an_id_that_is_out_of_range_or_absent() -> None:
    given, count = world(capacity=4), ffi.new("uint64_t *", 77)
    add(given, 0)
    hits = ffi.new("fxs_cast_hit[]", 4)
    before = saved(given)
    for id, status in ((3, lib.FXS_E_ABSENT), (4, lib.FXS_E_ID), (2**32 - 1, lib.FXS_E_ID)):
        assert lib.fxs_world_sweep(at(given), id, MOTION, 0, 0, hits, 4, count) == status
    assert lib.fxs_world_sweep(at(given), 0, MOTION, 0, 3, hits, 4, count) == lib.FXS_E_HIT_WHEN
    assert count[0] == 77
    assert saved(given) == before


@each(
    ("changes", "status"),
    [
        ({"id": 4}, "FXS_E_ID"),
        ({"kind": len(KINDS)}, "FXS_E_KIND"),
        ({"zero": 1}, "FXS_E_KIND"),
        ({"layer": 32}, "FXS_E_LAYER"),
        ({"active": 2}, "FXS_E_ACTIVE"),
        ({"half_angle": 1}, "FXS_E_HALF_ANGLE"),
        ({"size": (5, 1, 0)}, "FXS_E_SIZE"),
        ({"oy": -1, "y": -(2**31)}, "FXS_E_CENTRE"),
        ({"oy": 1, "y": 2**31 - 1}, "FXS_E_CENTRE"),
        ({"ox": -1, "x": -(2**31)}, "FXS_E_CENTRE"),
        ({"ox": 1, "x": 2**31 - 1}, "FXS_E_CENTRE"),
        ({"oz": -1, "z": -(2**31)}, "FXS_E_CENTRE"),
        ({"oz": 1, "z": 2**31 - 1}, "FXS_E_CENTRE"),
    ],
)
def test_a_collider_that_is_refused_leaves_the_world_as_it_was(
    changes: dict[str, Any], status: str
) -> None:
    given = world(capacity=4)
    add(given, 1)
    before, bad = saved(given), ffi.new("uint64_t *", 77)
    assert lib.fxs_world_add(at(given), collider(**{"id": 0, **changes})) == getattr(lib, status)
    rows = ffi.new("fxs_collider[]", [collider(0)[0], collider(**{"id": 2, **changes})[0]])
    assert lib.fxs_world_add_many(at(given), rows, 2, bad) == getattr(lib, status)
    assert bad[0] == 1
    assert saved(given) == before
    assert lib.fxs_world_count(at(given)) == 1


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("end", [-(2**31), 2**31 - 1])
def test_an_offset_may_put_a_centre_at_the_very_end_of_int32(axis: str, end: int) -> None:
    given, outwards = world(), -1 if end < 0 else 1
    beside = {axis: end - outwards, f"o{axis}": outwards}
    add(given, 0, **beside)
    add(given, 1, **{axis: end - 10 * outwards})
    assert lib.fxs_world_contact(at(given), 0, 1) == lib.FXS_TOUCHING
    assert lib.fxs_world_add(at(given), collider(2, **beside | {axis: end})) == lib.FXS_E_CENTRE


def test_many_moves_and_many_poses_are_made_all_or_none() -> None:
    """Where offsets, some of 1, lead to an end of int32, beyond it and elsewhere: each as the model
    says.
    """
    rng, reported = Random(9), Counter[str]()
    probe, bad = query((lib.FXS_SPHERE, 0, (1, 0, 0))), ffi.new("uint64_t *")
    for n in range(600):
        given = world(capacity=8)
        offsets = [[rng.choice((0, 0, 1, -1, 700, -(2**20))) for _ in range(3)] for _ in range(5)]
        yaws = [rng.choice((0, 8192, 16384, 40000)) for _ in range(5)]
        for id, (offset, yaw) in enumerate(zip(offsets, yaws, strict=True)):
            shape = (lib.FXS_SPHERE, 0, (1, 0, 0)) if id % 2 else (lib.FXS_BOX, 0, (1, 1, 1))
            at_once = dict(zip(("ox", "oy", "oz"), offset, strict=True)) | {
                "yaw": yaw,
                "x": 999 * id,
            }
            add(given, id, shape, **at_once)
        before = saved(given)
        moved = rng.sample(range(5), 3)
        ids = ffi.new("uint32_t[]", moved)
        places: list[list[int]] = [
            [rng.randrange(-(2**20), 2**20) for _ in range(3)] for _ in moved
        ]
        if n % 4:  # to the very end of an axis, or just beyond it
            row, axis, end = rng.randrange(3), rng.randrange(3), rng.choice((-(2**31), 2**31 - 1))
            away = model.centre((0, 0, 0, yaws[moved[row]]), offsets[moved[row]])[axis]
            places[row][axis] = max(-(2**31), min(end - away + rng.choice((-1, 0, 1)), 2**31 - 1))
        if n % 2:
            flat = ffi.new("int32_t[]", [v for place in places for v in place])
            status = lib.fxs_world_move_many(at(given), ids, flat, 3, bad)
        else:
            yaws = [
                rng.choice((0, 8192, 16384, 40000)) if id in moved else yaws[id] for id in range(5)
            ]
            rows = [(*place, yaws[id]) for place, id in zip(places, moved, strict=True)]
            status = lib.fxs_world_set_pose_many(
                at(given), ids, ffi.new("fxs_pose[]", rows), 3, bad
            )
        centres: list[Any] = []
        for place, id in zip(places, moved, strict=True):
            try:
                centres.append(model.centre((place[0], place[1], place[2], yaws[id]), offsets[id]))
            except ValueError:
                break
        if len(centres) < 3:
            assert (status, bad[0]) == (lib.FXS_E_CENTRE, len(centres))
            assert saved(given) == before
        else:
            assert status == lib.FXS_OK
        reported[str(status)] += 1
        for centre, id in zip(centres, moved, strict=True) if len(centres) == 3 else ():
            for axis, beside in product(range(3), (-2, 2)):  # as far as it touches, on either side
                place = [v + beside * (axis == i) for i, v in enumerate(centre)]
                if -(2**31) <= place[axis] < 2**31:
                    probe.pose = (*place, 0)
                    assert id in met(given, probe)
            assert lib.fxs_world_get(at(given), id, out := collider(7)) == lib.FXS_OK
            assert (out.yaw, out.ox, out.oy, out.oz) == (yaws[id], *offsets[id])
            assert [out.x, out.y, out.z] == places[moved.index(id)]
    assert min(reported.values()) > 50
    assert len(reported) == 2


@each("n", [1, 62, 63, 64, 65, 66, 126, 127, 128, 129])
def test_many_poses_are_the_single_ones_however_many(n: int) -> None:
    """Of boxes and what has an offset, all of which have to be turned: their hits and nobody
    else's.
    """
    rng, bad = Random(n), ffi.new("uint64_t *")
    many, single = world(200, 9999), world(200, 9999)
    for id, given in product(range(200), (many, single)):
        add(given, id, SPHERE if id % 3 else BOX, x=100 * id, ox=id % 2 * 50)
    rows = [(rng.randrange(90), 0, rng.randrange(90), rng.randrange(65536)) for _ in range(200)]
    ids, poses = ffi.new("uint32_t[]", list(range(200))), ffi.new("fxs_pose[]", rows)
    assert lib.fxs_world_set_pose_many(at(many), ids, poses, n, bad) == lib.FXS_OK
    for id in range(n):
        assert lib.fxs_world_set_pose(at(single), id, poses + id) == lib.FXS_OK
    assert step(many) == step(single) >= (n > 1, 0)
    assert saved(many) == saved(single)


@pytest.mark.parametrize("large", [0, 40])
def test_one_that_many_meet_keeps_those_that_stay_and_loses_those_that_go(large: int) -> None:
    """All these hits have one id in common, so that one of the two sorts of a step moves
    nothing.
    """
    given, counts, events = world(64, 64), ffi.new("fxs_counts *"), ffi.new("fxs_event[]", 99)
    plate = (lib.FXS_BOX, 0, (2000, 5, 5))
    add(given, large, plate)
    others = [id for id in range(41) if id != large]
    for id in others:
        add(given, id, x=40 * id - 800)
    rng, were = Random(large), set[int]()
    for _ in range(12):
        there = {id for id in others if rng.randrange(8)}
        for id in others:
            y = 0 if id in there else 50
            assert lib.fxs_world_move(at(given), id, 40 * id - 800, y, 0) == lib.FXS_OK
        assert lib.fxs_world_step(at(given), events, 99, counts) == lib.FXS_OK
        wanted = []
        for id in sorted(there | were):
            kind = "EXIT" if id not in there else "STAY" if id in were else "ENTER"
            contact = lib.FXS_APART if kind == "EXIT" else lib.FXS_OVERLAPPING
            wanted.append((min(id, large), max(id, large), getattr(lib, f"FXS_{kind}"), contact))
        assert [(e.a, e.b, e.kind, e.contact) for e in events[0 : counts.events]] == wanted
        were = there


def test_a_step_with_too_little_room_for_hits_tells_what_is_enough() -> None:
    given, counts, events = world(hit_capacity=2), ffi.new("fxs_counts *"), ffi.new("fxs_event[9]")
    for id in range(3):
        add(given, id, x=8 * id)
    assert step(given) == (2, 2)
    add(given, 3)
    before = saved(given)
    assert lib.fxs_world_step(at(given), events, 9, counts) == lib.FXS_E_ROOM
    assert (counts.hits, counts.events) == (4, 6)
    assert saved(given) == before


def test_hits_with_solids_need_room_as_others_do() -> None:
    solids = b"".join(
        struct.pack("<2BH5i", lib.FXS_CYLINDER, 0, 0, -50, 50, x, 0, 30) for x in (0, 5, 9)
    )
    data = struct.pack("<4sI", b"FXL1", 3) + solids
    level = memory(lib.fxs_level_size(data, len(data)))
    assert lib.fxs_level_init(ffi.cast("fxs_level *", level), data, len(data), ffi.NULL) == 0
    counts, events = ffi.new("fxs_counts *"), ffi.new("fxs_event[9]")
    for room, status in ((2, lib.FXS_E_ROOM), (3, lib.FXS_OK)):
        given = world(hit_capacity=room)
        assert lib.fxs_world_attach(at(given), ffi.cast("fxs_level *", level)) == lib.FXS_OK
        add(given, 3)
        before = saved(given)
        assert lib.fxs_world_step(at(given), events, 9, counts) == status
        assert (counts.hits, counts.events) == (3, 3)
        assert (saved(given) == before) == (status != lib.FXS_OK)


def test_a_level_is_attached_to_a_new_world_alone() -> None:
    given = world()
    assert lib.fxs_world_attach(at(given), ffi.NULL) == lib.FXS_OK
    for change in (
        lambda: add(given, 3),
        lambda: lib.fxs_world_remove(at(given), 3),
        lambda: step(given),
    ):
        change()
        assert lib.fxs_world_attach(at(given), ffi.NULL) == lib.FXS_E_CONFIG


def test_a_change_of_an_id_that_is_not_there_is_refused() -> None:
    given = world(capacity=4)
    add(given, 0)
    before = saved(given)
    shape, pose, out = ffi.new("fxs_shape *", BOX), ffi.new("fxs_pose *", HERE), collider(3, BOX)
    untouched = bytes(ffi.buffer(out))
    for id, status in ((1, lib.FXS_E_ABSENT), (4, lib.FXS_E_ID), (2**32 - 1, lib.FXS_E_ID)):
        reported = [
            lib.fxs_world_remove(at(given), id),
            lib.fxs_world_get(at(given), id, out),
            lib.fxs_world_move(at(given), id, 1, 2, 3),
            lib.fxs_world_turn(at(given), id, 5),
            lib.fxs_world_set_pose(at(given), id, pose),
            lib.fxs_world_set_shape(at(given), id, shape),
            lib.fxs_world_set_offset(at(given), id, 1, 2, 3),
            lib.fxs_world_set_owner(at(given), id, 5),
            lib.fxs_world_set_layer(at(given), id, 5),
            lib.fxs_world_set_active(at(given), id, 0),
            lib.fxs_world_contact(at(given), id, 0),
            lib.fxs_world_contact(at(given), 0, id),
            lib.fxs_world_push_out(at(given), 0, id, ffi.new("int32_t[2]")),
            lib.fxs_world_lift(at(given), id, 0, ffi.new("int32_t *")),
            lib.fxs_world_side(at(given), 0, id),
        ]
        assert reported == [status] * len(reported)
        assert bytes(ffi.buffer(out)) == untouched
    assert saved(given) == before


@pytest.mark.parametrize(("a", "b", "status"), [(1, 4, lib.FXS_E_ABSENT), (4, 1, lib.FXS_E_ID)])
def test_of_two_ids_that_are_not_there_the_first_is_told(a: int, b: int, status: int) -> None:
    memory = world(capacity=4)
    given, out = at(memory), ffi.new("int32_t[2]")
    assert lib.fxs_world_contact(given, a, b) == status
    assert lib.fxs_world_push_out(given, a, b, out) == status
    assert lib.fxs_world_lift(given, a, b, out) == status
    assert lib.fxs_world_side(given, a, b) == status


def test_the_functions_that_are_not_defined_for_a_sector_say_so() -> None:
    given = world(capacity=4)
    add(given, 0, SECTOR)
    add(given, 1)
    xz, count, hits = (
        ffi.new("int32_t[2]", [77, 77]),
        ffi.new("uint64_t *"),
        ffi.new("fxs_cast_hit[]", 4),
    )
    for a, b in ((0, 1), (1, 0)):
        assert lib.fxs_world_push_out(at(given), a, b, xz) == lib.FXS_E_UNDEFINED
        assert lib.fxs_world_lift(at(given), a, b, xz) == lib.FXS_E_UNDEFINED
        assert lib.fxs_world_side(at(given), a, b) == lib.FXS_E_UNDEFINED
    assert lib.fxs_world_sweep(at(given), 0, MOTION, 0, 0, hits, 4, count) == lib.FXS_E_UNDEFINED
    assert list(xz) == [77, 77]


def filled(kind: str, room: int) -> tuple[Any, bytes]:
    """Room for so many and one more, and what the last of them holds, which nothing may write
    to.
    """
    rows = ffi.new(f"{kind}[]", room + 1)
    ffi.buffer(rows)[:] = b"\xa5" * len(ffi.buffer(rows))
    return rows, b"\xa5" * ffi.sizeof(kind)


def test_nothing_is_written_past_the_room_that_is_given() -> None:
    """A step's events and hits, ids, colliders, answers of queries: with room enough, and too
    little.
    """
    given, counts, count = (
        world(capacity=8, hit_capacity=28),
        ffi.new("fxs_counts *"),
        ffi.new("uint64_t *"),
    )
    for id in range(5):
        add(given, id, x=id)
    before = saved(given)
    for room in range(10):
        events, last = filled("fxs_event", room)
        assert lib.fxs_world_step(at(given), events, room, counts) == lib.FXS_E_ROOM
        assert (counts.hits, counts.events) == (10, 10)
        assert bytes(ffi.buffer(events))[-len(last) :] == last
        assert saved(given) == before
    events, last = filled("fxs_event", 10)
    assert lib.fxs_world_step(at(given), events, 10, counts) == lib.FXS_OK
    assert bytes(ffi.buffer(events))[-len(last) :] == last
    for kind, write, room in (
        ("fxs_hit", lib.fxs_world_hits, 10),
        ("uint32_t", lib.fxs_world_ids, 5),
        ("fxs_collider", lib.fxs_world_colliders, 5),
    ):
        rows, last = filled(kind, room)
        write(at(given), rows)
        assert bytes(ffi.buffer(rows))[-len(last) :] == last
    area = ffi.new("fxs_query[2]", [{"shape": SPHERE, "mask": 2**32 - 1}] * 2)
    ends = ffi.new("uint64_t[2]")
    asks: list[Any] = [
        (10, lambda *to: lib.fxs_world_query_many(at(given), area, 2, ends, *to, count)),
        (5, lambda *to: lib.fxs_world_query(at(given), area, *to, count)),
        (10, lambda *to: lib.fxs_world_nearest_many(at(given), area, 2, 0, ends, *to, count)),
        (6, lambda *to: lib.fxs_world_nearest_many(at(given), area, 2, 3, ends, *to, count)),
    ]
    for needed, ask in asks:
        for room in range(needed + 1):
            rows, last = filled("uint32_t", 12)
            assert ask(rows, room) == (lib.FXS_OK if room == needed else lib.FXS_E_ROOM)
            assert count[0] == needed
            assert bytes(ffi.buffer(rows))[4 * room :] == last * (13 - room)


def test_no_hit_is_written_past_the_room_when_another_sort_of_pairs_has_taken_most_of_it() -> None:
    """28 pairs of spheres, and then 66 of boxes that came to one place: where the last step's hits
    are.
    """
    given, counts = world(capacity=64, hit_capacity=40), ffi.new("fxs_counts *")
    events, box = ffi.new("fxs_event[100]"), (lib.FXS_BOX, 0, (9, 9, 9))
    for id in range(8):
        add(given, id)
    for id in range(8, 20):
        add(given, id, box, x=id * 1000)
    assert step(given)[0] == 28
    for id in range(8, 20):
        assert lib.fxs_world_move(at(given), id, 5000, 0, 0) == lib.FXS_OK
    before = saved(given)
    assert lib.fxs_world_step(at(given), events, 100, counts) == lib.FXS_E_ROOM
    assert counts.hits == 28 + 66
    assert saved(given) == before


@each("n", [15, 16, 17, 31, 32, 33, 34, 48])
def test_nothing_is_written_past_an_answer_however_its_ids_are_sorted(n: int) -> None:
    given, count = world(capacity=64), ffi.new("uint64_t *")
    for id in range(n):
        add(given, id, x=id)
    area = ffi.new("fxs_query *", {"shape": (lib.FXS_SPHERE, 0, (99, 0, 0)), "mask": 2**32 - 1})
    rows, last = filled("uint32_t", n)
    assert lib.fxs_world_query(at(given), area, rows, n, count) == lib.FXS_OK
    assert (list(rows[0:n]), bytes(ffi.buffer(rows))[-len(last) :]) == (list(range(n)), last)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("end", [-(2**31), 2**31 - 1])
def test_a_query_at_the_ends_of_int32_meets_what_is_there(axis: int, end: int) -> None:
    given = world()
    inwards = 1 if end < 0 else -1
    for id, away in enumerate((0, 10, 11)):
        place = {"xyz"[axis]: end + inwards * away}
        add(given, id, **place)
    there = [end * (n == axis) for n in range(3)]
    asked = query(SPHERE, *there)
    for _ in range(9):  # before the world has sorted where they are, and after
        assert met(given, asked) == [0, 1]


def test_a_states_hash_is_of_its_saved_bytes_wherever_a_block_of_them_ends() -> None:
    """The hash takes the bytes a few thousand at a time: sizes 4 bytes apart end around such a
    border.
    """
    given = world(capacity=400)
    for id in range(74):
        add(given, id, x=100 * id)
    step(given)
    sizes = set()
    for id in range(320):
        state = saved(given)
        sizes.add(len(state))
        assert lib.fxs_world_hash(at(given)) == xxhash.xxh64_intdigest(state)
        add(given, 100 + id % 300)
        assert lib.fxs_world_remove(at(given), 100 + id % 300) == lib.FXS_OK
    assert sizes == {4000 + 4 * n for n in range(301)}


@pytest.mark.parametrize("before", range(12, 15))
def test_a_states_hash_is_of_its_saved_bytes_where_a_full_word_of_ids_just_fits_a_block(
    before: int,
) -> None:
    """64 colliders are 3328 bytes: the head and those before leave as much of 4096, or just
    less.
    """
    given = world(capacity=192)
    for id in (*range(before), *range(64, 192)):
        add(given, id, x=100 * id)
    assert lib.fxs_world_hash(at(given)) == xxhash.xxh64_intdigest(saved(given))


def test_a_hash_of_bytes_is_xxh64() -> None:
    whole = bytes(i * 7 + 3 & 255 for i in range(4097))
    for size, seed in product((*range(100), 4095, 4096, 4097), (0, 1, 2**64 - 1)):
        data = whole[:size]
        assert lib.fxs_hash64(data, size, seed) == xxhash.xxh64_intdigest(data, seed), size
    for seed in (0, 1, 2**64 - 1):
        assert lib.fxs_hash64(ffi.NULL, 0, seed) == xxhash.xxh64_intdigest(b"", seed)


YIELDS = [2**32 - 1] * 32


def crowd(capacity: int, ids: list[int], apart: list[int]) -> Any:
    """A stepped world with `ids` in each other's way, and `apart` far from them and from each
    other.
    """
    made = world(capacity, 50)
    for n, id in enumerate([*ids, *apart]):
        add(made, id, x=n if id in ids else 100 * n)
    assert step(made)[0] == len(ids) * (len(ids) - 1) // 2
    return made


@pytest.mark.parametrize(
    ("ids", "apart", "room"),
    [
        ([0, 1], [2, 3, 4, 5], 2),
        ([0, 1, 2], [3], 4),
        ([0, 1, 2], [], 3),
        ([0, 1, 2, 3], [4, 5, 6], 7),
        ([], [1], 0),
    ],
)
def test_a_separation_needs_room_for_two_of_each_hit_or_for_all(
    ids: list[int], apart: list[int], room: int
) -> None:
    given, count = crowd(8, ids, apart), ffi.new("uint64_t *")
    before = saved(given)
    for less in range(room):
        count[0] = 77
        status = lib.fxs_world_separate(
            at(given), YIELDS, 1, ffi.new("fxs_moved[]", 8), less, count
        )
        assert (status, count[0]) == (lib.FXS_E_ROOM, room)
        assert saved(given) == before
    assert (
        lib.fxs_world_separate(at(given), YIELDS, 1, ffi.new("fxs_moved[]", 8), room, count)
        == lib.FXS_OK
    )
    assert count[0] == len(ids)


@pytest.mark.parametrize("first", [0, 7, 56, 62, 64, 120, 126])
def test_a_separation_tells_of_all_it_moved_whatever_the_last_one_moved(first: int) -> None:
    given, count, moved = (
        crowd(128, [first, first + 1], []),
        ffi.new("uint64_t *"),
        ffi.new("fxs_moved[2]"),
    )
    for _ in range(2):
        assert lib.fxs_world_separate(at(given), YIELDS, 1, moved, 2, count) == lib.FXS_OK
        assert [(m.id, m.y, m.z) for m in moved] == [(first, 0, 0), (first + 1, 0, 0)]
        assert [m.x for m in moved] == [-5, 6]  # half of 9 each, rounded away from 0
        for n in range(2):
            assert lib.fxs_world_move(at(given), first + n, n, 0, 0) == lib.FXS_OK


@pytest.mark.parametrize(
    "kinds", ["capsule capsule", "capsule sphere", "cylinder capsule", "box capsule"]
)
def test_the_tallest_of_all_that_are_just_apart_do_not_hit_in_a_step(kinds: str) -> None:
    """Their distance does not fit 32 bits, and the bounds that a step knows of them are rounded."""
    size_max = lib.FXS_SIZE_MAX
    shapes = {
        "sphere": (lib.FXS_SPHERE, 0, (size_max, 0, 0)),
        "capsule": (lib.FXS_CAPSULE, 0, (size_max, size_max, 0)),
        "cylinder": (lib.FXS_CYLINDER, 0, (size_max, size_max, 0)),
        "box": (lib.FXS_BOX, 0, (size_max, size_max, size_max)),
    }
    below, above = (shapes[kind] for kind in kinds.split())
    reach = sum(
        size[0] if kind == lib.FXS_SPHERE else size[1] + size[0] * (kind == lib.FXS_CAPSULE)
        for kind, _, size in (below, above)
    )
    for distance in (
        reach - 1, reach, reach + 1, reach + 5, reach + 9, reach + 2**13, reach + 2**14,
    ):  # fmt: skip
        given = world()
        for id, shape, y in ((0, below, -(2**30) - 5), (1, above, -(2**30) - 5 + distance)):
            add(given, id, shape, y=y)
        assert step(given)[0] == (distance <= reach)


def state(
    colliders: list[int], hits: list[tuple[int, int, int]], changed: list[int], **head: int
) -> bytes:
    """A saved state, good or not."""
    words = [head.get("magic", 0x31535846), 5, head.get("hit_when", 1), *[2**32 - 1] * 32]
    bodies = b"".join(bytes(ffi.buffer(collider(id, x=1000 * id))) for id in colliders)
    flat = [word for hit in hits for word in hit]
    parts = [struct.pack("<35I", *words), struct.pack("<I", len(colliders)), bodies]
    parts += [struct.pack(f"<{1 + len(flat)}I", len(hits), *flat)]
    parts += [struct.pack(f"<{1 + len(changed)}I", len(changed), *changed)]
    return b"".join(parts)


def state_of(made: Any, mask: int = 0) -> bytes:
    """The saved state of one collider, good or not. mask: of every layer."""
    head = struct.pack("<36I", 0x31535846, 5, 1, *[mask] * 32, 1)
    return head + bytes(ffi.buffer(made)) + bytes(8)


def load(given: Any, data: bytes) -> tuple[int, int]:
    offset = ffi.new("uint64_t *", 77)
    return lib.fxs_world_load(at(given), data, len(data), offset), offset[0]


def test_a_load_tells_where_the_rule_is_broken_and_changes_nothing() -> None:
    given = world(capacity=64, hit_capacity=4)
    for id in (0, 9):
        add(given, id, x=id and 10)
    step(given)
    before = saved(given)
    colliders_at, two_hits_at, changed_at = 144, 144 + 2 * 52 + 4, 144 + 2 * 52 + 4 + 4
    bad = {
        0: [state([0, 1], [], [], magic=1), b"", state([], [], [])[:139]],
        8: [state([0, 1], [], [], hit_when=0), state([0, 1], [], [], hit_when=3)],
        colliders_at: [state([64, 65], [], [])],
        colliders_at + 52: [state([5, 5], [], []), state([5, 4], [], []), state([5, 64], [], [])],
        two_hits_at: [
            *(
                state([3, 20], [(min(id, 20), max(id, 20), 1)], [])
                for id in range(65)
                if id not in (3, 20)
            ),
            state([3, 20], [(20, 3, 1)], []),
            state([3, 20], [(3, 3, 1)], []),
            state([3, 20], [(3, 20, 0)], []),
            state([3, 20], [(3, 20, 3)], []),
            state([3, 20], [(3, 20, 1)], [], hit_when=2),
            *(
                state([*ids], [(a, b, 1)], [])
                for ids in ((0, 1), (0, 2), (1, 2))
                for a, b in combinations(range(4), 2)
                if (a, b) != ids
            ),
        ],
        two_hits_at + 12: [
            state([3, 20], [(3, 20, 1), (3, 20, 2)], []),
            state([3, 20], [(3, 20, 1)] * 2, []),
        ],
        changed_at: [state([3, 20], [], [64])],
        changed_at + 4: [
            state([3, 20], [], [7, 7]),
            state([3, 20], [], [7, 6]),
            state([3, 20], [], [7, 64]),
        ],
        changed_at + 8: [state([3, 20], [], [7, 8]) + b"\0"],
    }
    for offset, states in bad.items():
        for data in states:
            assert load(given, data) == (lib.FXS_E_STATE, offset)
            assert saved(given) == before
    assert load(given, state([3, 20], [(3, 20, 2)], [7, 63]))[0] == lib.FXS_OK
    assert saved(given) == state([3, 20], [(3, 20, 2)], [7, 63])


@pytest.mark.parametrize("kind", [*range(len(KINDS), 9), 13, 255])
def test_a_load_refuses_what_is_no_kind_whatever_its_sizes(kind: int) -> None:
    given = world()
    for half_angle, *size in product((0, 1), repeat=4):
        data = state_of(collider(0, (kind, half_angle, size)))
        assert load(given, data) == (lib.FXS_E_STATE, 144)


@pytest.mark.parametrize("mask", [0, 2**32 - 1])
def test_a_load_refuses_layers_of_which_one_meets_another_but_not_the_other_way(mask: int) -> None:
    """Whichever they are, in a world that has the same but for this; and what follows the bytes is
    0.
    """
    reported, offset = config(layers=[mask] * 32), ffi.new("uint64_t *")
    for i, j in product(range(32), range(32)):
        given = memory(lib.fxs_world_size(reported))
        assert lib.fxs_world_init(at(given), reported) == lib.FXS_OK
        masks = [mask] * 32
        masks[i] ^= 1 << j
        data = struct.pack("<35I", 0x31535846, 5, 1, *masks) + bytes(12)
        status = lib.fxs_world_load(at(given), data + bytes(32), len(data), offset)
        if i == j:
            assert status == lib.FXS_OK
            assert saved(given) == data
        else:
            assert (status, offset[0]) == (lib.FXS_E_STATE, 12 + 4 * max(i, j))


@pytest.mark.parametrize("n", [1, 62, 63, 64, 65, 66, 126, 127, 128, 129])
def test_a_load_and_a_save_are_of_all_there_are_however_many(n: int) -> None:
    """They take 64 at a time."""
    changed = list(range(20))  # so long that one more collider than there are could be read of it
    for hits in ([], [(a, b, 1 + b % 2) for a, b in combinations(range(n), 2)][:n]):
        given, data = world(capacity=200, hit_capacity=200), state(list(range(n)), hits, changed)
        assert load(given, data)[0] == lib.FXS_OK
        assert saved(given) == data
        assert lib.fxs_world_hash(at(given)) == xxhash.xxh64_intdigest(data)


@pytest.mark.parametrize("offset", [1, 2**24])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_load_refuses_a_centre_that_an_offset_on_one_axis_puts_out_of_range(
    axis: int, offset: int
) -> None:
    """Every other byte near the offset is 0, so that nothing else could make a load look at it."""
    for least_bad in (2**31 - offset, -(2**31) - 1 + offset):
        given, sign = world(), 1 if least_bad > 0 else -1

        def data(place: int, sign: int = sign) -> bytes:
            fields = {"xyz"[axis]: place, "o" + "xyz"[axis]: sign * offset}
            return state_of(collider(0, (lib.FXS_SPHERE, 0, (65536, 0, 0)), **fields))

        assert load(given, data(least_bad)) == (lib.FXS_E_STATE, 144)
        assert load(given, data(least_bad - sign))[0] == lib.FXS_OK
        assert saved(given) == data(least_bad - sign)


FAR = [
    sign * near + more
    for sign in (-1, 1)
    for near in (0, 2**29, 2**30, 3 * 2**29)
    for more in (-2, 0, 1)
]
FAR += [-(2**31), -(2**31) + 1, 2**31 - 1]


@pytest.mark.parametrize(
    ("fields", "yaw"),
    [
        (("x", "ox", "oz"), 8192),
        (("z", "ox", "oz"), 8192),
        (("y", "oy"), 0),
        (("x", "y", "z", "oy"), 0),
    ],
)
@pytest.mark.parametrize("y", by_default(1, [2**29, -1, 0]))
def test_a_load_takes_the_centres_that_an_addition_takes(
    fields: tuple[str, ...], yaw: int, y: int
) -> None:
    """A load tells most of them from how large the numbers are."""
    adding, loading = world(), world()
    values = FAR if len(fields) < 4 else FAR[::5]
    for numbers in product(values, repeat=len(fields)):
        placed = dict.fromkeys(("x", "z", "ox", "oy", "oz"), min(y, 0)) | {"y": y}
        made = collider(0, yaw=yaw, **placed | dict(zip(fields, numbers, strict=True)))
        added = lib.fxs_world_add(at(adding), made)
        status, _ = load(loading, state_of(made, 2**32 - 1))
        assert (status == lib.FXS_OK) == (added == lib.FXS_OK), numbers
        if added == lib.FXS_OK:
            assert lib.fxs_world_remove(at(adding), 0) == lib.FXS_OK


SHORT, SIZE_MAX = 2**29, lib.FXS_SIZE_MAX


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_a_load_takes_the_sizes_and_offsets_that_an_addition_takes(kind: int) -> None:
    """Ends of their ranges, and what is 2^31 from an end: a load tells both by the same top
    bits.
    """
    adding, loading = world(), world()
    offsets = (0, SHORT, SHORT - 2**31, -SHORT, 2**31 - SHORT, -(2**31))
    ranges = {size.column: (size.low, size.high) for size in KINDS[kind].sizes}
    least = {of: low for of, (low, _) in ranges.items()}
    ends = {end for of in "ab" for end in ranges.get(of, ())}
    sizes = sorted({0, 1, *(v for end in ends for v in (end, end - 2**31))} | {-(2**31), 2 - 2**31})
    rest, angle, taken = least.get("c", 0), 9 * least.get("half_angle", 0), 0
    for oy, oz, a, b in product(offsets, offsets, sizes, sizes):
        made = collider(0, (kind, angle, (a, b, rest)), oy=oy, oz=oz)
        added = lib.fxs_world_add(at(adding), made) == lib.FXS_OK
        status, _ = load(loading, state_of(made, 2**32 - 1))
        assert (status == lib.FXS_OK) == added, (oy, oz, a, b)
        if added:
            assert lib.fxs_world_remove(at(adding), 0) == lib.FXS_OK
            taken += 1
    in_range = [
        sum(low <= size <= high for size in sizes)
        for low, high in (ranges.get(of, (0, 0)) for of in "ab")
    ]
    assert taken == 36 * in_range[0] * in_range[1] > 0


@pytest.mark.parametrize("end", [-1, 1])
def test_a_load_refuses_a_centre_that_two_offsets_turned_onto_one_axis_put_out_of_range(
    end: int,
) -> None:
    """Of numbers each of which, and any two of which, might be added to what is near."""
    given, near = world(), 2**29 - 2
    offset = {"ox": end * near, "oy": 2**29, "oz": end * (3 * 2**29 - 2), "yaw": 3355}
    for z, status in ((0, lib.FXS_OK), (end * near, lib.FXS_E_CENTRE)):
        made = collider(0, z=z, **offset)
        empty = world()
        assert lib.fxs_world_add(at(empty), made) == status
        assert load(given, state_of(made))[0] == (status and lib.FXS_E_STATE)


@pytest.mark.parametrize("filled_with", [0, 0xA5])
def test_a_load_turns_an_offset_whatever_was_in_memory(filled_with: int) -> None:
    """Of the last id and others, in a world whose other places hold nothing."""
    reported = config(capacity=64)
    for id in (0, 1, 40, 63):
        given = memory(lib.fxs_world_size(reported), filled_with)
        assert lib.fxs_world_init(at(given), reported) == lib.FXS_OK
        add(given, id, x=100, ox=1000, yaw=16384)
        data = saved(given)
        ffi.buffer(given)[:] = bytes([filled_with]) * len(ffi.buffer(given))
        assert lib.fxs_world_init(at(given), reported) == lib.FXS_OK
        assert load(given, data)[0] == lib.FXS_OK
        assert saved(given) == data
        for z, found in ((1000, 1), (0, 0), (-1000, 0)):
            assert len(met(given, query(SPHERE, 100, 0, z))) == found


def test_queries_after_a_load_see_what_was_loaded() -> None:
    """However many were asked before, and of however many colliders."""
    given, asked = world(capacity=200), query((lib.FXS_BOX, 0, (450, 9, 9)))
    for every in (1, 2, 3):
        data = state(list(range(0, 200, every)), [], [])
        assert load(given, data)[0] == lib.FXS_OK
        for x in range(0, 200000, 1000):
            asked.pose.x = x
            assert met(given, asked) == [x // 1000] * (x // 1000 % every == 0)


@pytest.mark.parametrize("yaw", [65536, 65537, 2**32 - 1])
def test_a_yaw_of_a_turn_or_more_is_refused_everywhere(yaw: int) -> None:
    given, count, bad = world(), ffi.new("uint64_t *"), ffi.new("uint64_t *", 77)
    add(given, 0, BOX)
    before = saved(given)
    pose = ffi.new("fxs_pose *", (1, 2, 3, yaw))
    assert lib.fxs_world_turn(at(given), 0, yaw) == lib.FXS_E_YAW
    assert lib.fxs_world_set_pose(at(given), 0, pose) == lib.FXS_E_YAW
    poses = ffi.new("fxs_pose[2]", [(1, 2, 3, 4), (1, 2, 3, yaw)])
    assert (
        lib.fxs_world_set_pose_many(at(given), ffi.new("uint32_t[]", [0, 0]), poses, 2, bad)
        == lib.FXS_E_YAW
    )
    assert bad[0] == 1
    area = ffi.new("fxs_query *", {"shape": BOX, "pose": (0, 0, 0, yaw), "mask": 1})
    assert lib.fxs_world_query(at(given), area, ffi.new("uint32_t[1]"), 1, count) == lib.FXS_E_YAW
    asked = ffi.new("fxs_cast *", {"shape": BOX, "pose": (0, 0, 0, yaw), "motion": MOTION})
    assert (
        lib.fxs_world_cast(at(given), asked, ffi.new("fxs_cast_hit[1]"), 1, count) == lib.FXS_E_YAW
    )
    assert saved(given) == before


def test_a_yaw_changes_at_the_very_border() -> None:
    """Places whose cross product with the direction of a border is -1, 0 or 1, the least there
    is.
    """
    tried = 0
    for step in range(0, 65536, 97):
        x, z = model.half_step_direction(step)
        if 0 in (x, z) or gcd(x, z) > 1:
            continue
        for cross in (-1, 0, 1):
            dz = cross * pow(x, -1, abs(z)) % abs(z)
            dx = (x * dz - cross) // z
            assert x * dz - z * dx == cross
            for times in (-3, -2, -1, 0, 1, 2, 3):
                there = dx + times * x, dz + times * z
                if max(map(abs, there)) < 2**32 and there != (0, 0):
                    tried += 1
                    assert lib.fxs_yaw_of(*there) == model.yaw_of(*there)
    assert tried > 1000

"""Commands in rows: `fxs_world_apply` does what the single calls do in order, or nothing."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from strategies import NO_KIND, every_kind, rounds
from test_kernel import at, config, memory, saved, world

from fixsync._native.raw import ffi, lib

CAPACITY = 70
ALL = 2**32 - 1
ADD, MOVE, TURN, POSE, SHAPE, OFFSET, OWNER, LAYER, ACTIVE, REMOVE, LAYERS = range(1, 12)
TYPES = (ADD, MOVE, TURN, POSE, SHAPE, OFFSET, OWNER, LAYER, ACTIVE, REMOVE, LAYERS)
SHAPES = every_kind(
    (
        (lib.FXS_SPHERE, 0, (40, 0, 0)),
        (lib.FXS_CAPSULE, 0, (30, 9, 0)),
        (lib.FXS_CYLINDER, 0, (30, 20, 0)),
        (lib.FXS_BOX, 0, (20, 30, 40)),
        (lib.FXS_SECTOR, 9000, (90, 20, 0)),
    )
)


def one(world: Any, row: Any) -> int:
    """The single call that a row stands for."""
    c = row.collider
    pose = ffi.new("fxs_pose *", (c.x, c.y, c.z, c.yaw))
    shape = ffi.new("fxs_shape *", (c.kind, c.half_angle, list(c.size)))
    calls = {
        ADD: lambda: lib.fxs_world_add(world, ffi.addressof(row, "collider")),
        MOVE: lambda: lib.fxs_world_move(world, c.id, c.x, c.y, c.z),
        TURN: lambda: lib.fxs_world_turn(world, c.id, c.yaw),
        POSE: lambda: lib.fxs_world_set_pose(world, c.id, pose),
        SHAPE: lambda: lib.fxs_world_set_shape(world, c.id, shape),
        OFFSET: lambda: lib.fxs_world_set_offset(world, c.id, c.ox, c.oy, c.oz),
        OWNER: lambda: lib.fxs_world_set_owner(world, c.id, c.owner),
        LAYER: lambda: lib.fxs_world_set_layer(world, c.id, c.layer),
        ACTIVE: lambda: lib.fxs_world_set_active(world, c.id, c.active),
        REMOVE: lambda: lib.fxs_world_remove(world, c.id),
        LAYERS: lambda: one_layer(world, c.layer, row.mask),
    }
    return calls[row.type]() if row.type in calls else lib.FXS_E_COMMAND


def masks_of(world: Any) -> list[int]:
    found = ffi.new("fxs_config *")
    lib.fxs_world_config(world, found)
    return list(found.layers)


def one_layer(world: Any, layer: int, mask: int) -> int:
    if layer > 31:
        return int(lib.FXS_E_LAYER)
    masks = masks_of(world)
    for other in range(32):
        masks[other] = masks[other] & ~(1 << layer) | (mask >> other & 1) << layer
    masks[layer] = mask
    return int(lib.fxs_world_set_layers(world, masks))


def row(rng: Random, type: int | None = None, ids: int = CAPACITY) -> tuple[int, int, Any]:
    """A command whose every field holds something, used or not."""
    kind, half_angle, size = rng.choice(SHAPES)
    near = rng.random() < 0.9
    x, y, z = (
        rng.randrange(-99, 99) if near else rng.choice((-(2**31), 2**31 - 1)) for _ in range(3)
    )
    collider = {
        "id": rng.randrange(ids),
        "kind": kind,
        "half_angle": half_angle,
        "size": size,
        "layer": rng.randrange(4),
        "active": rng.randrange(4) > 0,
        "owner": rng.randrange(3),
        "x": x,
        "y": y,
        "z": z,
        "yaw": rng.randrange(65536),
        **dict.fromkeys(("ox", "oy", "oz"), rng.choice((0, 0, 30, -50))),
    }
    return type or rng.choice(TYPES), rng.randrange(16) | rng.choice((0, ALL & ~15)), collider


def batch(rng: Random, count: int) -> list[Any]:
    """Runs of one type are usual."""
    rows, type = [], None
    for _ in range(count):
        type = type if type and rng.randrange(3) else rng.choice(TYPES)
        rows.append(row(rng, type))
    return rows


def filled(rng: Random) -> Any:
    given = world(CAPACITY, 4000)
    for id in range(0, CAPACITY, 2):
        _, _, fields = row(rng, ADD)
        fields |= {"id": id, "x": id, "y": 0, "z": 0}
        assert lib.fxs_world_add(at(given), ffi.new("fxs_collider *", fields)) == lib.FXS_OK
    step(given)
    for id in (0, 1, 2):  # ids that changed since the step: removed, added, replaced
        lib.fxs_world_remove(at(given), id)
    for id in (1, 2):
        _, _, fields = row(rng, ADD)
        fields |= {"id": id, "x": id, "y": 0, "z": 0}
        assert lib.fxs_world_add(at(given), ffi.new("fxs_collider *", fields)) == lib.FXS_OK
    return given


def twin_of(given: Any) -> Any:
    twin = world(CAPACITY, 4000)
    assert lib.fxs_world_copy(at(twin), at(given)) == lib.FXS_OK
    return twin


def loaded(given: Any) -> Any:
    """The same state, as a load leaves it."""
    other, state = world(CAPACITY, 4000), saved(given)
    assert lib.fxs_world_load(at(other), state, len(state), ffi.new("uint64_t *")) == lib.FXS_OK
    return other


def step(given: Any) -> bytes:
    events, counts = ffi.new("fxs_event[8000]"), ffi.new("fxs_counts *")
    assert lib.fxs_world_step(at(given), events, 8000, counts) == lib.FXS_OK
    return bytes(ffi.buffer(events, counts.events * ffi.sizeof("fxs_event")))


def answers(given: Any) -> list[Any]:
    """What a world answers from now on, over the ways that look at it differently."""
    found: list[Any] = []
    ids, count = ffi.new("uint32_t[]", CAPACITY), ffi.new("uint64_t *")
    hits = ffi.new("fxs_cast_hit[]", CAPACITY)
    area = ffi.new("fxs_query *", {"shape": SHAPES[2], "pose": (9, 0, 0, 0), "mask": ALL})
    for _ in range(8):  # first one by one, later by what is built for searches
        assert lib.fxs_world_query(at(given), area, ids, CAPACITY, count) == lib.FXS_OK
        found.append(list(ids[0 : count[0]]))
    for id in range(CAPACITY):
        status = lib.fxs_world_sweep(at(given), id, [50, 0, 0], 0, 0, hits, CAPACITY, count)
        found.append((status, count[0] if status == lib.FXS_OK else 0))
    found += [saved(given), step(given), saved(given), step(given)]
    return found


def apply(given: Any, rows: list[Any]) -> tuple[int, int]:
    bad = ffi.new("uint64_t *", 77)
    commands = ffi.new("fxs_command[]", rows)
    before = bytes(ffi.buffer(commands))
    status = lib.fxs_world_apply(at(given), commands, len(rows), bad)
    assert bytes(ffi.buffer(commands)) == before
    return status, bad[0]


def in_order(given: Any, rows: list[Any]) -> tuple[int, int]:
    commands = ffi.new("fxs_command[]", rows)
    for i, command in enumerate(commands):
        status = one(at(given), command)
        if status != lib.FXS_OK:
            return status, i
    return int(lib.FXS_OK), 77


def assert_as_in_order(given: Any, rows: list[Any]) -> int:
    """Applies the rows and compares with the single calls, or with the world before."""
    before, single = twin_of(given), twin_of(given)
    reported = in_order(single, rows)
    assert apply(given, rows) == reported
    expected = single if reported[0] == lib.FXS_OK else before
    assert saved(given) == saved(expected)
    assert answers(given) == answers(expected)
    return reported[0]


def test_a_command_has_no_padding() -> None:
    assert ffi.sizeof("fxs_command") == 60
    assert ffi.offsetof("fxs_command", "collider") == 8


@pytest.mark.parametrize("start", ["made", "loaded"])
def test_random_batches_are_the_single_calls_in_order_or_nothing(start: str) -> None:
    rng, reported = Random(start), Counter[int]()
    for _ in range(250):
        given = filled(rng)
        if start == "loaded":
            given = loaded(given)
        reported[assert_as_in_order(given, batch(rng, rng.choice((1, 2, 3, 5, 9))))] += 1
    assert reported[lib.FXS_OK] > 40
    assert reported[lib.FXS_E_ABSENT] > 40
    assert reported[lib.FXS_E_TAKEN] > 9
    assert reported[lib.FXS_E_CENTRE] > 2


def possible(rng: Random, given: Any, count: int) -> list[Any]:
    """Rows that are all taken, with adds after removes and many changes of one id."""
    trial, rows = twin_of(given), []
    while len(rows) < count:
        made = row(rng, ids=12)
        if in_order(trial, [made])[0] == lib.FXS_OK:
            rows.append(made)
    return rows


BAD: dict[str, tuple[tuple[int, int, Any], str]] = {
    "no type": ((0, 0, {"id": 1}), "FXS_E_COMMAND"),
    "a type after the last": ((12, 0, {"id": 1}), "FXS_E_COMMAND"),
    "the largest type": ((ALL, 0, {"id": 1}), "FXS_E_COMMAND"),
    "an id of the capacity": ((MOVE, 0, {"id": CAPACITY}), "FXS_E_ID"),
    "the largest id": ((REMOVE, 0, {"id": ALL}), "FXS_E_ID"),
    "an id that is not there": ((POSE, 0, {"id": CAPACITY - 1}), "FXS_E_ABSENT"),
    "an id that is taken": ((ADD, 0, {"id": 20, "size": (1, 0, 0), "active": 1}), "FXS_E_TAKEN"),
    "a kind": ((SHAPE, 0, {"id": 20, "kind": 255}), "FXS_E_KIND"),
    "zero": ((ADD, 0, {"id": 69, "zero": 1, "size": (1, 0, 0)}), "FXS_E_KIND"),
    "a size": ((SHAPE, 0, {"id": 20, "size": (-(2**31), 0, 0)}), "FXS_E_SIZE"),
    "an angle": ((SHAPE, 0, {"id": 20, "half_angle": 1, "size": (1, 0, 0)}), "FXS_E_HALF_ANGLE"),
    "a layer": ((LAYER, 0, {"id": 20, "layer": 255}), "FXS_E_LAYER"),
    "a row of layers": ((LAYERS, 9, {"id": ALL, "layer": 32}), "FXS_E_LAYER"),
    "activity": ((ACTIVE, 0, {"id": 20, "active": 2}), "FXS_E_ACTIVE"),
    "a centre": ((OFFSET, 0, {"id": 20, "oy": 2**31 - 1}), "FXS_E_CENTRE"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_refused_command_undoes_all_before_it_wherever_it_is(name: str) -> None:
    refused, status = BAD[name]
    rng = Random(name)
    for index in range(12):
        given = filled(rng)
        lib.fxs_world_move(at(given), 20, 0, 9, 0)
        rows = possible(rng, given, 12)
        rows[index:index] = [refused]
        before = saved(given)
        expected = answers(twin_of(given))
        assert apply(given, rows) == (getattr(lib, status), index)
        assert saved(given) == before
        assert answers(given) == expected


@pytest.mark.parametrize("type", TYPES)
def test_a_run_of_one_type_is_refused_as_a_whole(type: int) -> None:
    for seed in rounds(200):
        rng = Random(100 * type + seed)
        given = filled(rng)
        trial, rows = twin_of(given), []
        while len(rows) < 20:
            made = row(rng, type)
            if in_order(trial, [made])[0] == lib.FXS_OK:
                rows.append(made)
        bad = (type, 0, {"id": ALL, "layer": 40})
        assert assert_as_in_order(twin_of(given), rows) == lib.FXS_OK
        index = rng.randrange(21)
        assert assert_as_in_order(given, [*rows[:index], bad, *rows[index:]]) < 0


def test_more_commands_than_the_capacity_are_taken() -> None:
    rng = Random(5)
    for _ in range(10):
        given = filled(rng)
        assert assert_as_in_order(given, possible(rng, given, 3 * CAPACITY)) == lib.FXS_OK


def test_no_commands_change_nothing() -> None:
    given = filled(Random(1))
    before = saved(given)
    assert lib.fxs_world_apply(at(given), ffi.NULL, 0, ffi.NULL) == lib.FXS_OK
    assert saved(given) == before


def test_a_frame_of_moves_after_a_refused_batch_finds_nothing_left_over() -> None:
    """What a refused batch kept in scratch memory is not taken for that of the next one."""
    rng = Random(7)
    given = filled(rng)
    for _ in range(30):
        rows = possible(rng, given, 6)
        assert apply(given, [*rows, (0, 0, {"id": 0})]) == (lib.FXS_E_COMMAND, 6)
        assert assert_as_in_order(given, possible(rng, given, 6)) == lib.FXS_OK


def symmetric(rng: Random) -> list[int]:
    masks = [0] * 32
    for i in range(32):
        for j in range(i + 1):
            if rng.randrange(3):
                masks[i] |= 1 << j
                masks[j] |= 1 << i
    return masks


def test_a_row_for_each_layer_sets_any_symmetric_matrix() -> None:
    rng = Random(3)
    for _ in range(40):
        given, masks = filled(rng), symmetric(rng)
        single = twin_of(given)
        assert lib.fxs_world_set_layers(at(single), masks) == lib.FXS_OK
        rows = [(LAYERS, mask, {"id": ALL, "layer": layer}) for layer, mask in enumerate(masks)]
        assert apply(given, rows) == (lib.FXS_OK, 77)
        assert masks_of(at(given)) == masks
        assert answers(given) == answers(single)


def test_a_matrix_that_is_not_symmetric_is_refused() -> None:
    given = filled(Random(4))
    before = saved(given)
    for i, j in ((0, 31), (31, 0), (7, 6)):
        masks = [ALL] * 32
        masks[i] ^= 1 << j
        assert lib.fxs_world_set_layers(at(given), masks) == lib.FXS_E_CONFIG
        assert saved(given) == before


@pytest.mark.parametrize("start", ["made", "loaded"])
def test_a_matrix_set_later_hits_as_one_set_first(start: str) -> None:
    rng = Random(start)
    for _ in range(20):
        masks = symmetric(rng)
        rows = [row(rng, ADD)[2] | {"id": id, "active": 1, "x": id} for id in range(20)]
        given, first = world(CAPACITY, 4000), memory(1 << 16)
        asked = config(capacity=CAPACITY, hit_capacity=4000, layers=masks)
        first = memory(lib.fxs_world_size(asked))
        assert lib.fxs_world_init(at(first), asked) == lib.FXS_OK
        for fields, to in ((fields, to) for fields in rows for to in (given, first)):
            lib.fxs_world_add(at(to), ffi.new("fxs_collider *", fields))
        if start == "loaded":
            given = loaded(given)
        assert lib.fxs_world_set_layers(at(given), masks) == lib.FXS_OK
        assert answers(given) == answers(first)


def test_a_hit_that_the_matrix_no_longer_allows_ends_at_the_next_step() -> None:
    given = world(CAPACITY, 4000)
    for id in (1, 2):
        made = ffi.new("fxs_collider *", {"id": id, "size": (5, 0, 0), "active": 1, "layer": id})
        assert lib.fxs_world_add(at(given), made) == lib.FXS_OK
    entered = ffi.new("fxs_event *", (1, 2, lib.FXS_ENTER, lib.FXS_OVERLAPPING))
    ended = ffi.new("fxs_event *", (1, 2, lib.FXS_EXIT, lib.FXS_APART))
    assert step(given) == bytes(ffi.buffer(entered))
    assert apply(given, [(LAYERS, ALL & ~(1 << 1), {"layer": 2})])[0] == lib.FXS_OK
    assert step(given) == bytes(ffi.buffer(ended))
    assert apply(given, [(LAYERS, ALL, {"layer": 1})])[0] == lib.FXS_OK
    assert step(given) == bytes(ffi.buffer(entered))


def test_one_nearest_answers_as_many() -> None:
    rng, count = Random(8), ffi.new("uint64_t *")
    one, many, ends = ffi.new("uint32_t[99]"), ffi.new("uint32_t[99]"), ffi.new("uint64_t *")
    given = filled(rng)
    for limit in (0, 1, 3, 99):
        asked = ffi.new("fxs_query *", {"shape": SHAPES[0], "pose": (30, 0, 0, 0), "mask": ALL})
        for room in (0, 1, 99):
            status = lib.fxs_world_nearest(at(given), asked, limit, one, room, count)
            reported = (status, count[0], list(one[0 : count[0]]) if status == lib.FXS_OK else None)
            status = lib.fxs_world_nearest_many(at(given), asked, 1, limit, ends, many, room, count)
            assert reported == (
                status,
                count[0],
                list(many[0 : count[0]]) if status == lib.FXS_OK else None,
            )
        assert 0 < count[0] <= (limit or 99)
    asked.shape.kind = NO_KIND
    assert lib.fxs_world_nearest(at(given), asked, 1, one, 99, count) == lib.FXS_E_KIND
    assert count[0] == 0

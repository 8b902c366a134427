"""Differences in C: rows and words against a reader of saved states in Python."""

from __future__ import annotations

from itertools import chain
from struct import Struct, unpack_from
from typing import Any

import model
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NO_KIND, examples

from fixsync import Level, Pillar, Pose, Sector, Sphere, World
from fixsync._native.raw import ffi, lib
from fixsync.base.fields import Difference, differences, world_fields
from fixsync.synctest import strategies as fst

COLLIDER = Struct("<IBBBBHHI9i")
NAMES = model.ORDER
SIZES = {
    kind: [name for name, _, _ in sizes if name != "half_angle"]
    for kind, sizes in model.KINDS.items()
}
SIZES["sector"].append("inner_radius")
ORDER = (
    *("kind", "half_x", "half_y", "half_z", "radius", "half_angle", "half_height", "inner_radius"),
    *("x", "y", "z", "yaw", "ox", "oy", "oz", "layer", "owner", "active"),
)


def read(state: bytes) -> dict[Any, dict[str, Any]]:
    """The fields of a saved state: the model, which is given only states of worlds."""
    frame, hit_when, *masks = unpack_from("<34I", state, 4)
    layers = {f"layers[{i}]": f"{mask:#010x}" for i, mask in enumerate(masks)}
    world = {"frame": frame, "hit_when": hit_when, **layers}
    at = 140
    if state[:4] == b"FXS2":
        world["level"] = f"{unpack_from('<Q', state, at)[0]:016x}"
        at += 8
    fields: dict[Any, dict[str, Any]] = {("world",): world}
    (n,) = unpack_from("<I", state, at)
    for row in range(n):
        id, kind, layer, active, _, yaw, half_angle, owner, *rest = COLLIDER.unpack_from(
            state, at + 4 + 52 * row
        )
        values = dict(zip(("x", "y", "z", "ox", "oy", "oz"), rest, strict=False))
        values |= dict(zip(SIZES[NAMES[kind]], rest[6:], strict=False))
        values |= {"half_angle": half_angle} if NAMES[kind] == "sector" else {}
        values |= {"kind": NAMES[kind], "yaw": yaw, "layer": layer, "owner": owner}
        values["active"] = bool(active)
        assert values.keys() <= {*ORDER}, f"ORDER lacks {values.keys() - {*ORDER}}"
        fields["collider", id] = {name: values[name] for name in ORDER if name in values}
    at += 4 + 52 * n
    (n,) = unpack_from("<I", state, at)
    for row in range(n):
        a, b, contact = unpack_from("<3I", state, at + 4 + 12 * row)
        fields["hit", a, b] = {"contact": contact}
    at += 4 + 12 * n
    (n,) = unpack_from("<I", state, at)
    for (id,) in Struct("<I").iter_unpack(state[at + 4 : at + 4 + 4 * n]):
        fields["changed", id] = {"since_last_step": True}
    return fields


def expected(first: bytes, second: bytes) -> list[Difference]:
    """What differs between two states of worlds, of two dictionaries."""
    a, b = read(first), read(second)
    found = []
    groups = ("world", "collider", "hit", "changed")
    for key in sorted({**a, **b}, key=lambda key: (groups.index(key[0]), key[1:])):
        if key not in a or key not in b:
            has = ["present" if key in fields else "absent" for fields in (a, b)]
            found.append(Difference(key, "is there", (has[0], has[1])))
            continue
        names = dict.fromkeys(chain(a[key], b[key]))
        if key[0] == "collider":
            names = dict.fromkeys(name for name in ORDER if name in names)
        for name in names:
            values = a[key].get(name, "absent"), b[key].get(name, "absent")
            if values[0] != values[1]:
                found.append(Difference(key, name, values))
    return found


def rows_of(call: Any, *args: Any, room: int = 4000) -> tuple[int, list[Any], int, int]:
    """Status, rows, count and offset of a function that writes rows."""
    rows = ffi.new("fxs_difference[]", room + 1)
    rows[room].of = 77
    count, at = ffi.new("uint64_t *"), ffi.new("uint64_t *", 77)
    status = call(*args, rows, room, count, at)
    assert rows[room].of == 77
    _KEPT.append(rows)
    return status, [rows[i] for i in range(min(count[0], room))], count[0], at[0]


_KEPT: list[Any] = []
"""What the rows that `rows_of` returns are parts of."""


def sized(*states: bytes) -> list[Any]:
    return [part for state in states for part in (state, len(state))]


def text_of(row: Any, names: Any = (), room: int = 512) -> str:
    text, size = ffi.new("char[]", 512), ffi.new("uint64_t *")
    table = ffi.new("fxs_name[]", [(id, name.encode()) for id, name in dict(names).items()])
    assert lib.fxs_difference_text(ffi.addressof(row), table, len(table), text, room, size) == 0
    return bytes(ffi.buffer(text, size[0])).decode()


@examples(300)
@given(fst.worlds(), fst.worlds(), st.dictionaries(st.integers(0, 9), st.text(max_size=9)))
def test_rows_and_their_words_are_those_of_a_reader_in_python(
    first: World, second: World, names: dict[int, str]
) -> None:
    names = {id: name for id, name in names.items() if name and "\0" not in name}
    states = first.save(), second.save()
    model = expected(*states)
    status, rows, count, _ = rows_of(lib.fxs_state_differences, *sized(*states))
    assert (status, count) == (0, len(model))
    assert [text_of(row, names) for row in rows] == [found.text(names) for found in model]
    assert [*differences(*map(world_fields, states))] == model
    assert {**world_fields(states[0])} == read(states[0])


def test_rows_of_worlds_with_a_level_or_without_name_its_hash() -> None:
    level = Level([Pillar(0, 0, 65536, 0, 65536)])
    plain, with_level = World(2), World(2, level=level)
    found = expected(plain.save(), with_level.save())
    assert [str(difference) for difference in found] == [
        f"world, level: absent and {level.hash():016x}"
    ]
    for one, other in ((plain, with_level), (with_level, plain)):
        states = one.save(), other.save()
        assert [*differences(*map(world_fields, states))] == expected(*states)
        _, rows, _, _ = rows_of(lib.fxs_state_differences, *sized(*states))
        assert [text_of(row) for row in rows] == [str(row) for row in expected(*states)]


def stacked(n: int) -> World:
    world = World(n)
    for id in range(n):
        world.add(id, Sphere(65536), Pose(id, 0, 0))
    world.step()
    return world


def test_too_little_room_still_writes_the_first_rows() -> None:
    states = stacked(3).save(), stacked(9).save()
    status, whole, count, _ = rows_of(lib.fxs_state_differences, *sized(*states))
    assert (status, count) == (0, 39)
    texts = [text_of(row) for row in whole]
    for room in (0, 1, 5, 38):
        status, rows, needed, _ = rows_of(lib.fxs_state_differences, *sized(*states), room=room)
        assert (status, needed) == (lib.FXS_E_ROOM, count)
        assert [text_of(row) for row in rows] == texts[:room]
    assert rows_of(lib.fxs_state_fields, *sized(states[0]), room=3)[0] == lib.FXS_E_ROOM


@given(fst.worlds(), st.binary(max_size=30))
def test_the_end_of_a_state_is_found_inside_other_bytes(world: World, after: bytes) -> None:
    state, end = world.save(), ffi.new("uint64_t *")
    assert lib.fxs_state_end(state + after, len(state + after), end) == 0
    assert end[0] == len(state)
    for cut in range(0, len(state), 7):
        assert lib.fxs_state_end(state, cut, end) == lib.FXS_E_STATE
        assert end[0] <= cut


def test_a_state_with_a_level_that_is_cut_anywhere_is_refused_within_it() -> None:
    state, end = World(2, level=Level([])).save(), ffi.new("uint64_t *")
    ends = []
    for cut in range(len(state)):
        assert lib.fxs_state_end(state, cut, end) == lib.FXS_E_STATE
        ends.append(end[0])
    # Offsets of what is missing: all, the level's hash, three counts.
    assert ends == [*[0] * 140, *[140] * 8, *[148] * 4, *[152] * 4, *[156] * 4]


def test_bytes_of_no_world_are_refused_with_side_and_offset() -> None:
    good = stacked(3).save()
    swapped = good[:144] + good[196:248] + good[144:196] + good[248:]
    of_no_kind = good[:148] + bytes([NO_KIND]) + good[149:]
    twice = good[:-4] + b"\2\0\0\0" + b"\1\0\0\0" * 2
    for bad, offset in [
        *((b"", 0), (good[:139], 0), (b"FXS3" + good[4:], 0), (good[:141], 140)),
        *((swapped, 196), (of_no_kind, 148), (good + b"\0", len(good))),
        *((good[:-1], len(good) - 4), (twice, len(good) + 4)),
    ]:
        differ = lib.fxs_state_differences
        assert rows_of(differ, *sized(bad, good))[::2] == (lib.FXS_E_STATE, 0)
        assert rows_of(differ, *sized(good, bad))[::2] == (lib.FXS_E_STATE, 1)
        assert rows_of(differ, *sized(good, bad))[3] == offset
        assert rows_of(lib.fxs_state_fields, *sized(bad))[3] == offset


@examples(300)
@given(fst.worlds(), st.data())
def test_no_byte_of_a_state_changes_without_a_row(world: World, data: st.DataObject) -> None:
    state = bytearray(world.save())
    before = bytes(state)
    for _ in range(data.draw(st.integers(1, 3))):
        state[data.draw(st.integers(0, len(state) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    status, rows, _, _ = rows_of(lib.fxs_state_differences, *sized(before, bytes(state)))
    assert status == lib.FXS_E_STATE or bool(rows) == (bytes(state) != before)
    for row in rows:
        assert text_of(row)


def body(mirrored: int, attack: int, frame: int, has_hit: int, victims: list[int]) -> bytes:
    head = Struct("<4s5I").pack(b"FXB1", mirrored, attack, frame, has_hit, len(victims))
    return head + b"".join(Struct("<I").pack(victim) for victim in victims)


def test_bodies_differ_by_their_fields_and_victims() -> None:
    one = body(0, 2**32 - 1, 0, 0, [])
    other = body(1, 3, 7, 1, [4, 9])
    status, rows, count, _ = rows_of(lib.fxs_body_differences, *sized(one, other))
    assert (status, count) == (0, 6)
    assert [text_of(row, {9: "boss"}) for row in rows] == [
        "body, is_mirrored: 0 and 1",
        "body, attack: none and 3",
        "body, frame: 0 and 7",
        "body, has_hit: 0 and 1",
        "victim 4, is there: absent and present",
        "victim 9 (boss), is there: absent and present",
    ]
    third = body(1, 3, 7, 1, [5, 9])
    status, rows, _, _ = rows_of(lib.fxs_body_differences, *sized(other, third))
    assert [text_of(row) for row in rows] == [
        "victim 4, is there: present and absent",
        "victim 5, is there: absent and present",
    ]
    assert rows_of(lib.fxs_body_differences, *sized(other, third), room=1)[0] == lib.FXS_E_ROOM
    assert rows_of(lib.fxs_body_differences, *sized(third, third))[2] == 0


@pytest.mark.parametrize(
    ("bad", "offset"),
    [
        (b"FXB1", 0),
        (b"FXB2" + body(0, 0, 0, 0, [])[4:], 0),
        (body(0, 0, 0, 0, [1])[:-1], 20),
        (body(0, 0, 0, 0, [1]) + b"\0", 20),
        (body(0, 0, 0, 0, [*range(65)]), 20),
        (body(0, 0, 0, 0, [3, 3]), 28),
    ],
)
def test_bytes_that_no_body_saved_are_refused(bad: bytes, offset: int) -> None:
    good = body(0, 0, 0, 0, [*range(64)])
    for side, pair in enumerate([(bad, good), (good, bad)]):
        status, _, count, at = rows_of(lib.fxs_body_differences, *sized(*pair))
        assert (status, count, at) == (lib.FXS_E_STATE, side, offset)


def test_words_need_room_and_a_field_that_exists() -> None:
    world = World(4)
    world.add(1, Sector(10, 8192, 5), Pose(-98305, 0, 0, 65535))
    state = world.save()
    world.set_pose(1, Pose(-2147483648, 2147483647, 0, 1))
    _, rows, count, _ = rows_of(lib.fxs_state_differences, *sized(state, world.save()))
    assert [text_of(row) for row in rows] == [
        "collider 1, x: -98305 and -2147483648 (-1.50002 and -32768 units)",
        "collider 1, y: 0 and 2147483647 (0 and 32767.99998 units)",
        "collider 1, yaw: 65535 and 1 (359.995° and 0.005°)",
    ]
    assert count == 3
    whole = text_of(rows[0]).encode()
    text, size = ffi.new("char[]", 512), ffi.new("uint64_t *")
    row = ffi.addressof(rows[0])
    for room in (0, 1, len(whole) - 1):
        assert lib.fxs_difference_text(row, ffi.NULL, 0, text, room, size) == lib.FXS_E_ROOM
        assert size[0] == len(whole)
        assert bytes(ffi.buffer(text, room)) == whole[:room]
    for of, field in ((6, 0), (0, 31), (1, 96), (0, 2**32 - 1)):
        wrong = ffi.new("fxs_difference *", {"of": of, "field": field})
        assert lib.fxs_difference_text(wrong, ffi.NULL, 0, text, 512, size) == lib.FXS_E_RANGE

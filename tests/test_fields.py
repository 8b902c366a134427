"""Saved states as named fields: every field and every byte is there, without the kernel."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools import each

from fixsync import Box, Capsule, Cylinder, Pose, Sector, Sphere, World
from fixsync.base.fields import (
    ABSENT,
    Difference,
    byte_fields,
    difference_lines,
    differences,
    found_fields,
    world_fields,
)
from fixsync.synctest import strategies as fst


def reported(first: bytes, second: bytes) -> list[str]:
    return [
        str(difference) for difference in differences(world_fields(first), world_fields(second))
    ]


@given(fst.worlds())
def test_every_collider_hit_and_setting_of_a_world_is_told(world: World):
    fields = world_fields(world.save())
    assert (fields["world",]["frame"], fields["world",]["hit_when"]) == (
        world.frame,
        world.hit_when,
    )
    assert [key[1] for key in fields if key[0] == "collider"] == [*world]
    for collider in world.colliders():
        values = fields["collider", collider.id]
        pose = collider.pose
        assert (values["x"], values["y"], values["z"], values["yaw"]) == (
            pose.x, pose.y, pose.z, pose.yaw,
        )  # fmt: skip
        assert (values["ox"], values["oy"], values["oz"]) == collider.offset
        assert (values["layer"], values["owner"], values["active"]) == collider[3:5] + collider[6:]
        kind, *sizes = collider.shape.as_tuple()
        assert values["kind"] == kind
        assert [*values.values()][1 : 1 + len(sizes)] == sizes
    hits = {key[1:]: values["contact"] for key, values in fields.items() if key[0] == "hit"}
    assert hits == {(hit.a, hit.b): hit.contact for hit in world.hits()}


@given(fst.worlds(), st.data())
def test_no_byte_of_a_state_can_change_without_a_field_that_tells_it(
    world: World, data: st.DataObject
):
    state = world.save()
    at = data.draw(st.integers(0, len(state) - 1))
    other = state[:at] + bytes([state[at] ^ (1 << data.draw(st.integers(0, 7)))]) + state[at + 1 :]
    try:
        fields = world_fields(other)
    except ValueError:
        return
    assert [*differences(world_fields(state), fields)], f"byte {at}"


@given(st.binary(max_size=400), st.booleans())
def test_bytes_of_any_kind_raise_nothing_but_value_error(data: bytes, has_magic: bool):
    try:
        world_fields(b"FXS1" + data if has_magic else data)
    except ValueError:
        return
    assert has_magic


@given(fst.worlds(), st.data())
def test_a_state_cut_short_or_too_long_is_no_state(world: World, data: st.DataObject):
    state = world.save()
    for wrong in (state[: data.draw(st.integers(0, len(state) - 1))], state + b"\0"):
        with pytest.raises(ValueError):
            world_fields(wrong)


@each(
    ("change", "expected"),
    [
        (lambda world: world.move(5, 1, 0, 0), "collider 5, x: 0 and 1 (0 and 0.00002 units)"),
        (lambda world: world.turn(5, 8192), "collider 5, yaw: 0 and 8192 (0° and 45°)"),
        (lambda world: world.set_active(5, False), "collider 5, active: True and False"),
        (lambda world: world.set_owner(5, 3), "collider 5, owner: 0 and 3"),
        (lambda world: world.set_layer(5, 3), "collider 5, layer: 0 and 3"),
        (lambda world: world.set_offset(5, (0, -65537, 0)),
         "collider 5, oy: 0 and -65537 (0 and -1.00002 units)"),
        (lambda world: world.set_shape(5, Sphere(98304)),
         "collider 5, radius: 7 and 98304 (0.00011 and 1.5 units)"),
        (lambda world: world.remove(5), "collider 5, is there: present and absent"),
        (lambda world: world.add(2, Sphere(1), Pose(9, 0, 0)),
         "collider 2, is there: absent and present"),
        (lambda world: world.step(), "world, frame: 1 and 2"),
    ],
)  # fmt: skip
def test_a_change_is_told_by_its_field(change: Any, expected: str):
    world = World(8)
    world.add(5, Sphere(7), Pose(0, 0, 0))
    world.step()
    before = world.save()
    change(world)
    assert reported(before, world.save())[0] == expected


def test_ids_that_have_names_are_told_with_them():
    names = {5: "boss", 3: "player 3"}
    assert (
        Difference(("collider", 5), "layer", (1, 2)).text(names)
        == "collider 5 (boss), layer: 1 and 2"
    )
    assert Difference(("collider", 4), "layer", (1, 2)).text(names) == "collider 4, layer: 1 and 2"
    hit = Difference(("hit", 3, 5), "contact", (1, 2))
    assert hit.text(names) == "hit 3, 5 (player 3, boss), contact: 1 and 2"
    assert Difference(("monster", 5), "health", (1, 2)).text(names) == "monster 5, health: 1 and 2"


def test_a_shape_of_another_kind_is_told_with_the_sizes_that_only_one_has():
    world = World(8)
    world.add(0, Box(1, 2, 3), Pose(0, 0, 0))
    before = world.save()
    world.set_shape(0, Sector(1, 2, 3))
    assert reported(before, world.save()) == [
        "collider 0, kind: box and sector",
        "collider 0, half_x: 1 and absent",
        "collider 0, half_y: 2 and absent",
        "collider 0, half_z: 3 and absent",
        "collider 0, radius: absent and 1",
        "collider 0, half_angle: absent and 2",
        "collider 0, half_height: absent and 3",
        "collider 0, inner_radius: absent and 0",
    ]
    world.set_shape(0, Capsule(1, 0))
    before = world.save()
    world.set_shape(0, Cylinder(1, 1))
    assert reported(before, world.save()) == [
        "collider 0, kind: capsule and cylinder",
        "collider 0, half_height: 0 and 1 (0 and 0.00002 units)",
    ]


def test_differences_come_in_the_order_of_the_ids_wherever_they_are():
    first, second = World(300), World(300)
    for id in (200, 3, 10):
        first.add(id, Sphere(1), Pose(id, 0, 0))
    for id in (10, 4, 200):
        second.add(id, Sphere(1), Pose(id, int(id == 10), 0))
    owners = [d.owner for d in differences(world_fields(first.save()), world_fields(second.save()))]
    assert [owner for owner in owners if owner.startswith("collider")] == [
        "collider 3", "collider 4", "collider 10",
    ]  # fmt: skip


def test_a_field_that_only_one_state_has_is_absent_in_the_other():
    first, second = {("a",): {"x": 1}}, {("a",): {"y": 2}, ("b", 1, 2): {}}
    assert [*differences(first, second)] == [
        Difference(("a",), "x", (1, ABSENT)),
        Difference(("a",), "y", (ABSENT, 2)),
        Difference(("b", 1, 2), "is there", (ABSENT, "present")),
    ]
    assert [d.owner for d in differences(first, second)] == ["a", "a", "b 1, 2"]


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_states_of_an_unknown_form_are_told_apart_by_their_bytes(first: bytes, second: bytes):
    assert bool([*differences(byte_fields(first), byte_fields(second))]) == (first != second)


@given(fst.worlds(), st.binary(max_size=40), st.binary(max_size=40))
def test_a_world_within_a_state_of_unknown_form_is_found(world: World, before: bytes, after: bytes):
    state = before + b"FXS1" + before + world.save() + after  # the first magic is a decoy
    fields = found_fields(state)
    assert {key: fields[key] for key in world_fields(world.save())} == world_fields(world.save())
    changed = bytearray(state)
    changed[0] ^= 1
    changed[-1] ^= 1
    assert {d.key for d in differences(fields, found_fields(bytes(changed)))} == {
        ("bytes before the world", 0),
        *([("bytes after it", (len(after) - 1) // 16 * 16)] if after else []),
    } or not after


def test_bytes_that_are_text_are_shown_as_text():
    first, second = (byte_fields(b'{"hp": %d}' % hp) for hp in (3, 4))
    assert difference_lines([*differences(first, second)]) == [
        'bytes 0, text: {"hp": 3} and {"hp": 4}'
    ]


def test_a_state_without_a_world_is_bytes():
    for state in (b"", b"FXS1", b"nothing", World(2).save()[:-1]):
        assert found_fields(state) == byte_fields(state)

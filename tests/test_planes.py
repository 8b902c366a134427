"""Hitboxes of two planes against `model_planes`, and worlds of them."""

from __future__ import annotations

from math import isqrt
from typing import Any

import model_planes
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, SIZE_MAX, layer_masks
from strategies import examples, hit_whens, motions, nasty, positions, sizes

from fixsync import (
    Box,
    Contact,
    Cylinder,
    EventKind,
    Handlers,
    Pose,
    Shape,
    Sphere,
    cast_pair,
    flat,
    lift,
    overlap,
    push_out,
)
from fixsync._native import planes as native
from fixsync._native.raw import ffi, lib
from fixsync.game.flat import (
    Hitbox,
    TwoPlanes,
    two_plane_cast,
    two_plane_contact,
    two_plane_lift,
    two_plane_push_out,
)
from fixsync.game.motion import along
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay

SMALL = st.integers(-12, 12)
PLACES = st.tuples(SMALL, SMALL, SMALL)
ENDS = st.sampled_from([INT32_MIN, 0, INT32_MAX])
ANYWHERE = positions() | st.tuples(ENDS, ENDS, ENDS)


@st.composite
def hitboxes(draw: Any, size: Any) -> Hitbox:
    ground = draw(st.builds(flat.circle, size) | st.builds(flat.rectangle, size, size))
    return Hitbox(ground, draw(size), draw(size))


@st.composite
def single_shapes(draw: Any, size: Any) -> Hitbox:
    """A hitbox that is as wide at its side as on the ground."""
    x, y, z = draw(size), draw(size), draw(size)
    return Hitbox(draw(st.sampled_from([flat.circle(x), flat.rectangle(x, z)])), x, y)


@st.composite
def pairs(draw: Any, of: Any) -> tuple[Hitbox, Any, Hitbox, Any]:
    """Two hitboxes near each other: tiny, or of any size, where they are about to meet."""
    if draw(st.booleans()):
        return (
            draw(of(st.integers(1, 6))),
            draw(PLACES),
            draw(of(st.integers(1, 6))),
            draw(PLACES),
        )
    a, b = draw(of(sizes())), draw(of(sizes()))
    radius, half_x, half_z, side_x, side_y = model_planes.reaches(plain(a), plain(b))
    borders = (side_x, half_x + radius), (side_y,), (half_z, half_z + radius)
    at_b = draw(ANYWHERE)
    at_a = []
    for middle, border in zip(at_b, borders, strict=True):
        away = draw(st.sampled_from((0, *border)) | nasty(-SIZE_MAX, SIZE_MAX))
        off = draw(st.integers(-2, 2)) + draw(st.sampled_from([1, -1])) * away
        at_a.append(max(INT32_MIN, min(INT32_MAX, middle + off)))
    return a, tuple(at_a), b, at_b


def plain(hitbox: Hitbox) -> model_planes.Hitbox:
    """A hitbox as the model has it."""
    ground = hitbox.ground
    views = (ground.radius,) if isinstance(ground, Cylinder) else (ground.half_x, ground.half_z)
    return views, hitbox.side_half_x, hitbox.side_half_y


# Two hitboxes.


@given(pairs(hitboxes))
@example(
    (Hitbox(flat.circle(SIZE_MAX), 1, SIZE_MAX), (0, INT32_MIN, 0),
     Hitbox(flat.circle(1), 1, 1), (2, INT32_MAX, 0))
)  # fmt: skip
@examples(500)
def test_a_two_plane_hit_needs_both_planes_and_touching_counts(pair: Any) -> None:
    a, at_a, b, at_b = pair
    expected = model_planes.contact(plain(a), at_a, plain(b), at_b)
    assert two_plane_contact(a, at_a, b, at_b) == expected
    assert two_plane_contact(b, at_b, a, at_a) == expected
    (x, y, z), (u, v, w) = at_a, at_b
    ground = overlap(a.ground, Pose(x, 0, z), b.ground, Pose(u, 0, w))
    assert expected == min(ground, overlap(a.side, Pose(x, y, 0), b.side, Pose(u, v, 0)))


@given(pairs(hitboxes))
@examples(500)
def test_a_push_takes_one_of_the_views_apart_by_the_shorter_way(pair: Any) -> None:
    a, at_a, b, at_b = pair
    dx, dz = two_plane_push_out(a, at_a, b, at_b)
    assert (dx, dz) == model_planes.push_out(plain(a), at_a, plain(b), at_b)
    if two_plane_contact(a, at_a, b, at_b) != Contact.OVERLAPPING:
        assert (dx, dz) == (0, 0)
        return
    x, y, z = model_planes.difference(at_a, at_b)
    views = plain(a), plain(b)
    moved = (x + dx, y, z + dz)
    assert model_planes.contact(views[0], moved, views[1], (0, 0, 0)) < Contact.OVERLAPPING
    ground = push_out(a.ground, Pose(x, 0, z), b.ground, Pose(0, 0, 0))
    assert dx * dx + dz * dz <= ground[0] ** 2 + ground[1] ** 2
    if (x, z) != (0, 0):
        assert two_plane_push_out(b, at_b, a, at_a) == (-dx, -dz)
    # Less than 2 longer than the shortest way out: at the side, or on the ground. In 2^-40.
    radius, half_x, half_z, side_x, _ = model_planes.reaches(*views)
    e_x, e_z = abs(x) - half_x, abs(z) - half_z
    depths = [side_x - abs(x)]
    if half_x == 0 or (radius and e_x > 0 and e_z > 0):
        depths = [depth << 40 for depth in depths]
        depths.append((radius << 40) - isqrt((e_x**2 + e_z**2) << 80))
    else:
        depths = [depth << 40 for depth in (*depths, radius - e_x, radius - e_z)]
    assert isqrt((dx * dx + dz * dz) << 80) < min(depths) + (2 << 40)


def test_a_push_out_of_narrow_sides_is_along_x_and_exact() -> None:
    """A jab: deep on the ground, narrow at the side."""
    wide, narrow = Hitbox(flat.rectangle(50, 50), 10, 9), Hitbox(flat.circle(40), 5, 9)
    for x, z, expected in (
        (12, 3, (3, 0)),
        (-12, 3, (-3, 0)),
        (0, 3, (15, 0)),
        (0, -3, (-15, 0)),
        (0, 0, (15, 0)),
        (1, 80, (0, 10)),
        (5, 80, (0, 10)),  # as far along x: the ground view's way
    ):
        assert two_plane_push_out(narrow, (x, 0, z), wide, (0, 0, 0)) == expected


@given(pairs(hitboxes))
@examples(500)
def test_a_lift_is_the_rest_of_both_heights(pair: Any) -> None:
    a, at_a, b, at_b = pair
    assert two_plane_lift(a, at_a, b, at_b) == model_planes.lift(plain(a), at_a, plain(b), at_b)


LONG = st.sampled_from([-SIZE_MAX, 0, 1, SIZE_MAX])
MOTIONS = PLACES | motions() | st.tuples(LONG, LONG, LONG)


@given(pairs(hitboxes), MOTIONS, MOTIONS | st.just((0, 0, 0)), hit_whens())
@example(
    (Hitbox(flat.circle(SIZE_MAX), SIZE_MAX, SIZE_MAX), (INT32_MIN, INT32_MIN, INT32_MIN),
     Hitbox(flat.rectangle(SIZE_MAX, SIZE_MAX), SIZE_MAX, SIZE_MAX), (0, 0, 0)),
    (SIZE_MAX,) * 3, (-SIZE_MAX,) * 3, 1,
)  # fmt: skip
@example(
    (Hitbox(flat.rectangle(5, 5), 5, 5), (20, 0, 0), Hitbox(flat.circle(3), 3, 3), (0, 0, 8)),
    (-40, 0, 0), (0, 0, 0), 2,
)  # fmt: skip
@example(  # a graze of two circles on the ground, in the middle of the way and at its end
    (Hitbox(flat.circle(3), 99, 9), (-13, 0, 16), Hitbox(flat.circle(2), 9, 9), (0, 0, 0)),
    (32, 0, -24),
    (0, 0, 0),
    2,
)
@example(
    (Hitbox(flat.circle(3), 99, 9), (-13, 0, 16), Hitbox(flat.circle(2), 9, 9), (0, 0, 0)),
    (16, 0, -12), (0, 0, 0), 2,
)  # fmt: skip
@examples(2000)
def test_a_cast_is_the_first_time_that_both_views_meet(
    pair: Any, motion_a: Any, motion_b: Any, when: int
) -> None:
    a, at_a, b, at_b = pair
    found = model_planes.cast(plain(a), at_a, motion_a, plain(b), at_b, motion_b, when)
    expected = found and found[:2]
    assert two_plane_cast(a, at_a, motion_a, b, at_b, motion_b, hit_when=when) == expected
    back = two_plane_cast(b, at_b, motion_b, a, at_a, motion_a, hit_when=when)
    assert (back and back[0]) == (expected and expected[0])


@given(pairs(hitboxes), MOTIONS, hit_whens())
@examples(500)
def test_what_goes_as_far_as_a_cast_rests_outside(pair: Any, motion: Any, when: int) -> None:
    a, at_a, b, at_b = pair
    found = two_plane_cast(a, at_a, motion, b, at_b, (0, 0, 0), hit_when=when)
    if found is not None and found[1] != (0, 0, 0):
        way = along(motion, *found)
        place = tuple(at + by for at, by in zip(at_a, way, strict=True))
        assert model_planes.contact(plain(a), place, plain(b), at_b) != Contact.OVERLAPPING


def test_of_equal_gaps_the_normal_is_the_heights_then_the_grounds_and_there_that_along_x() -> None:
    thin = Hitbox(flat.rectangle(9, 1), 1, 1), Hitbox(flat.rectangle(1, 2), 2, 2)
    wide = Hitbox(flat.rectangle(1, 1), 9, 1), Hitbox(flat.rectangle(2, 2), 9, 2)
    one = 2**30
    for (a, b), at, expected in (
        (thin, (5, 5, 5), (0, one, 0)),
        (thin, (5, 0, -5), (0, 0, -one)),
        (thin, (-5, 0, 0), (-one, 0, 0)),
        (wide, (-5, 0, 5), (-one, 0, 0)),
        (wide, (5, -5, 5), (0, -one, 0)),
    ):
        x, y, z = at
        way = -4 * x // 5, -4 * y // 5, -4 * z // 5
        found = two_plane_cast(a, at, way, b, (0, 0, 0), (0, 0, 0))
        assert found == (32768, expected)


DISC = Hitbox(flat.circle(500), 500, 9)


@given(pairs(single_shapes), MOTIONS, MOTIONS, hit_whens())
@example((DISC, (38, 0, 1), DISC, (0, 0, 0)), (0, 0, 0), (0, 0, 0), 1)  # the way along x is shorter
@examples(500)
def test_a_hitbox_as_wide_at_its_side_as_on_the_ground_is_an_ordinary_shape(
    pair: Any, motion_a: Any, motion_b: Any, when: int
) -> None:
    """Its contacts, pushes and casts, normals included."""
    a, at_a, b, at_b = pair
    shapes: list[Shape] = []
    for shape in (a.as_shape(), b.as_shape()):
        assert shape is not None
        shapes.append(shape)
    one, two = (shapes[0], Pose(*at_a)), (shapes[1], Pose(*at_b))
    assert two_plane_contact(a, at_a, b, at_b) == overlap(*one, *two)
    assert two_plane_push_out(a, at_a, b, at_b) == push_out(*one, *two)
    assert two_plane_lift(a, at_a, b, at_b) == lift(*one, *two)
    assert two_plane_cast(a, at_a, motion_a, b, at_b, motion_b, hit_when=when) == cast_pair(
        *one, motion_a, *two, motion_b, hit_when=when
    )


def test_no_single_box_is_a_hitbox_whose_planes_differ_in_width() -> None:
    """Wide below and narrow beside, and the other way round: no two halves add up to 4, 4 and
    12.
    """
    a, b = Hitbox(flat.rectangle(10, 9), 2, 9), Hitbox(flat.rectangle(2, 9), 10, 9)
    assert (a.as_shape(), b.as_shape()) == (None, None)
    reach = {
        (i, j): max(x for x in range(40) if two_plane_contact(p, (0, 0, 0), r, (x, 0, 0)))
        for i, p in enumerate((a, b))
        for j, r in enumerate((a, b))
    }
    assert reach == {(0, 0): 4, (1, 1): 4, (0, 1): 12, (1, 0): 12}


def test_a_hitbox_refuses_what_is_no_flat_shape_or_size() -> None:
    for ground in (Box(1, 1, 1), Cylinder(1, 1), Sphere(1), flat.sector(1, 1), 5):
        with pytest.raises(TypeError, match=r"ground must be flat\.circle"):
            Hitbox(ground, 1, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="side_half_x must be"):
        Hitbox(flat.circle(1), 0, 1)
    with pytest.raises(TypeError, match="b must be a Hitbox"):
        two_plane_contact(Hitbox(flat.circle(1), 1, 1), (0, 0, 0), Box(1, 1, 1), (0, 0, 0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="position: y must be"):
        two_plane_contact(
            Hitbox(flat.circle(1), 1, 1), (0, 2**31, 0), Hitbox(flat.circle(1), 1, 1), (0, 0, 0)
        )


# A world of them.

LAYERS = st.none() | st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4)
CHANGES = ["add", "move", "remove", "active", "hitbox", "layer", "owner", "replace", "layers"]
ACTIONS = st.tuples(
    st.sampled_from([*CHANGES, "add", "move", "step", "step"]),
    st.integers(0, 4),
    hitboxes(st.integers(1, 6)),
    PLACES,
    st.integers(0, 2),
    st.integers(0, 2),
    st.booleans(),
)


def stepped(planes: TwoPlanes, hand: model_planes.World) -> None:
    """A step as the model's, twice: from the saved state it is the same, to the byte."""
    before = planes.world.save()
    events = planes.step()
    after = planes.world.save()
    hits = list(planes.hits())
    assert [tuple(event) for event in events] == hand.step()
    assert [tuple(hit) for hit in hits] == [(*p, c) for p, c in sorted(hand.hits.items())]
    planes.world.load(before)
    assert planes.step() == events
    assert (planes.world.save(), list(planes.hits())) == (after, hits)


def changed(planes: TwoPlanes, hand: model_planes.World, action: Any) -> None:
    name, id, hitbox, place, layer, owner, active = action
    row = [plain(hitbox), place, layer, owner, active]
    if name == "layers":
        planes.set_layers([(layer, owner)])
        hand.masks = layer_masks([(layer, owner)])
    if name == "replace" and id in planes:
        planes.remove(id)
        del hand.there[id]
        name = "add"
    if name == "add" and id not in planes:
        planes.add(id, hitbox, place, layer=layer, owner=owner, active=active)
        hand.there[id] = row
        hand.changed.add(id)
    elif id in planes and name == "remove":
        planes.remove(id)
        del hand.there[id]
        hand.changed.add(id)
    elif id in planes and name in ("move", "active", "hitbox", "layer", "owner"):
        if name == "move":
            planes.move(id, *place)
        else:
            change = {"active": active, "hitbox": hitbox, "layer": layer, "owner": owner}[name]
            getattr(planes, f"set_{name}")(id, change)
        i = ("hitbox", "move", "layer", "owner", "active").index(name)
        hand.there[id][i] = row[i]


@given(st.lists(ACTIONS, max_size=60), LAYERS, hit_whens(), PLACES, st.integers(0, 2))
@examples(200)
def test_a_world_of_two_planes_tells_the_events_of_the_rule(
    actions: Any, layers: Any, hit_when: int, motion: Any, limit: int
) -> None:
    planes = TwoPlanes(5, hit_when=hit_when, layers=layers)
    hand = model_planes.World(hit_when, layer_masks(layers))
    for action in actions:
        if action[0] == "step":
            stepped(planes, hand)
        else:
            changed(planes, hand, action)
    assert (list(planes), len(planes)) == (sorted(hand.there), len(hand.there))
    state = planes.world.save()
    probe, at = Hitbox(flat.circle(4), 2, 5), (1, 2, 3)
    for when in (None, 1, 2):
        found = planes.query(probe, at, 0xFFFD, exclude_owner=2, hit_when=when)
        assert found == hand.query(plain(probe), at, 0xFFFD, 2, when or hit_when)
    for when in (1, 2):
        hits = planes.cast(probe, at, motion, 5, exclude_owner=1, limit=limit, hit_when=when)
        ids = hand.asked(5, 1)
        assert hits == hand.cast_at(ids, plain(probe), at, motion, limit, when)
    for a, (hitbox, place, *_) in hand.there.items():
        assert planes.position(a) == place
        assert planes.sweep(a, motion, limit=limit) == hand.sweep(a, motion, limit, hit_when)
        for b, other in hand.there.items():
            expected = model_planes.contact(hitbox, place, other[0], other[1])
            assert planes.contact(a, b) == expected
            pair = hitbox, place, other[0], other[1]
            assert planes.push_out(a, b) == model_planes.push_out(*pair)
            assert planes.lift(a, b) == model_planes.lift(*pair)
    assert planes.world.save() == state


def test_an_id_that_was_replaced_ends_its_hits_also_if_one_view_was() -> None:
    planes = TwoPlanes(4)
    box = Hitbox(flat.rectangle(5, 5), 5, 5)
    for id in (1, 2):
        planes.add(id, box, (id, 0, 0))

    def kinds() -> list[int]:
        return [kind for _, _, kind, _ in planes.step()]

    assert kinds() == [EventKind.ENTER]
    assert kinds() == [EventKind.STAY]
    planes.remove(1)
    planes.add(1, box, (1, 0, 0))
    assert kinds() == [EventKind.EXIT, EventKind.ENTER]
    for view in (2, 6):
        replaced = planes.world[view]
        planes.world.remove(view)
        planes.world.add_many([replaced])
        assert kinds() == [EventKind.EXIT, EventKind.ENTER]
    assert kinds() == [EventKind.STAY]


def test_handlers_and_a_recorder_take_a_world_of_two_planes(tmp_path: Any) -> None:
    planes = TwoPlanes(8, layers=[(0, 1)])
    handlers = Handlers(planes.world)
    calls: list[Any] = []
    for kind in EventKind:
        handlers.on(kind, layers=(1, 0))(lambda a, b, _, kind=kind: calls.append((kind, a, b)))  # type: ignore[misc]
    fist, head = Hitbox(flat.rectangle(6, 2), 5, 1), Hitbox(flat.circle(3), 3, 3)
    with Recorder(planes.world, tmp_path / "fight.jsonl"):
        planes.add(2, head, (0, 10, 0))
        planes.add(5, fist, (8, 10, 0), layer=1)
        for y in (10, 14, 15, 10, 10):
            planes.move(5, 8, y, 0)
            handlers.deliver(planes.step())
        planes.remove(2)
        handlers.deliver(planes.step())
    kinds = [
        EventKind.ENTER, EventKind.STAY, EventKind.EXIT, EventKind.ENTER, EventKind.STAY,
        EventKind.EXIT,
    ]  # fmt: skip
    assert calls == [(kind, 5, 2) for kind in kinds]
    assert replay(tmp_path / "fight.jsonl").verdict == Verdict.IDENTICAL


def test_a_refused_change_of_a_two_plane_world_changes_nothing() -> None:
    planes = TwoPlanes(4)
    hitbox = Hitbox(flat.circle(3), 3, 3)
    planes.add(1, hitbox, (0, 0, 0))
    before = planes.world.save()
    here = (0, 0, 0)
    bad: list[Any] = [
        lambda: planes.add(1, hitbox, here), lambda: planes.add(4, hitbox, here),
        lambda: planes.add(2, hitbox, (0, 2**31, 0)), lambda: planes.add(2, hitbox, here, layer=16),
        lambda: planes.add(2, hitbox, here, owner=-1), lambda: planes.add(2, Box(1, 1, 1), here),
        lambda: planes.move(1, 0, 0, 2**31), lambda: planes.move(2, 0, 0, 0), lambda: planes.move(5, 0, 0, 0),
        lambda: planes.remove(3), lambda: planes.remove(5), lambda: planes.set_layer(1, 16),
        lambda: planes.set_owner(1, 2**32), lambda: planes.set_active(1, 1), lambda: planes.set_hitbox(1, 5),
        lambda: planes.set_owner(2, 1), lambda: planes.set_layers([(0, 16)]), lambda: planes.set_layers(5),
        lambda: planes.query(hitbox, here, 65536), lambda: planes.contact(1, 2),
        lambda: planes.query(hitbox, here, hit_when=3), lambda: planes.query(hitbox, here, hit_when=0),
        lambda: planes.push_out(1, 2), lambda: planes.lift(4, 1), lambda: planes.sweep(2, here),
        lambda: planes.sweep(1, (0, 0, SIZE_MAX + 1)), lambda: planes.sweep(1, here, hit_when=0),
        lambda: planes.cast(hitbox, here, here, 65536), lambda: planes.cast(5, here, here),
        lambda: planes.cast(hitbox, here, here, limit=-1), lambda: planes.cast(hitbox, here, (0, 0)),
        lambda: two_plane_cast(hitbox, here, here, hitbox, here, here, hit_when=3),
        lambda: planes.position(0), lambda: TwoPlanes(2**30 + 1), lambda: TwoPlanes(4, layers=[(0, 16)]),
        lambda: planes.combine([(2, 1, 1, 1)]), lambda: planes.combine([(0, 1, 4, 1)]),
        lambda: planes.combine([(0, 1, 1, 1), (0, 1, 3, 0)]), lambda: planes.combine([(0, 1, 1)]),
        lambda: planes.combine([(0, 2, 1, 1), (0, 1, 1, 1)]), lambda: planes.combine(5),
    ]  # fmt: skip
    for change in bad:
        with pytest.raises((ValueError, TypeError, KeyError)):
            change()
        assert planes.world.save() == before
    assert 5 not in planes
    assert 1 in planes


# As C calls it.


def a_row(**fields: int) -> bytes:
    """A good hitbox with some of its fields changed."""
    names = ("id", "kind", "layer", "active", "zero", "owner", "x", "y", "z", "g", "h", "s", "t")
    row = dict(zip(names, (1, 2, 0, 1, 0, 0, 5, 6, 7, 3, 0, 3, 3), strict=True)) | fields
    return native.HITBOX.pack(*row.values())


def test_the_hitboxes_of_a_bad_row_are_refused_with_its_status() -> None:
    planes = TwoPlanes(4)
    planes.add(0, Hitbox(flat.circle(3), 3, 3), (0, 0, 0))
    world = planes.world._native
    state, bad, rows = planes.world.save(), ffi.new("uint64_t *", 9), ffi.new("fxs_command[6]")
    good = native.PLANES_COMMAND.pack(1, 0, a_row(id=2))
    for type, mask, fields, status in (
        (1, 0, {"id": 4}, lib.FXS_E_ID),
        (2, 0, {"id": 2**32 - 1}, lib.FXS_E_ID),
        (1, 0, {"id": 0}, lib.FXS_E_TAKEN),
        (1, 0, {"id": 2}, lib.FXS_E_TAKEN),
        (10, 0, {"id": 3}, lib.FXS_E_ABSENT),
        (1, 0, {"kind": 0}, lib.FXS_E_KIND),
        (1, 0, {"kind": 4}, lib.FXS_E_KIND),
        (1, 0, {"zero": 1}, lib.FXS_E_KIND),
        (5, 0, {"id": 0, "kind": 255}, lib.FXS_E_KIND),
        (1, 0, {"g": 0}, lib.FXS_E_SIZE),
        (1, 0, {"h": 1}, lib.FXS_E_SIZE),
        (1, 0, {"kind": 3}, lib.FXS_E_SIZE),
        (1, 0, {"s": SIZE_MAX + 1}, lib.FXS_E_SIZE),
        (5, 0, {"id": 0, "t": -1}, lib.FXS_E_SIZE),
        (1, 0, {"layer": 16}, lib.FXS_E_LAYER),
        (8, 0, {"id": 0, "layer": 31}, lib.FXS_E_LAYER),
        (11, 65536, {}, lib.FXS_E_LAYER),
        (11, 1, {"layer": 16}, lib.FXS_E_LAYER),
        (9, 0, {"id": 0, "active": 2}, lib.FXS_E_ACTIVE),
        (0, 0, {}, lib.FXS_E_COMMAND),
        (3, 0, {"id": 0}, lib.FXS_E_COMMAND),
        (4, 0, {"id": 0}, lib.FXS_E_COMMAND),
        (6, 0, {"id": 0}, lib.FXS_E_COMMAND),
        (12, 0, {}, lib.FXS_E_COMMAND),
    ):
        row = native.PLANES_COMMAND.pack(type, mask, a_row(**fields))
        found = lib.fxs_planes_apply(world._world, good + row + good, 3, rows, bad)
        assert (found, bad[0]) == (status, 1), (type, fields)
        assert planes.world.save() == state
    assert (lib.fxs_planes_apply(world._world, b"", 0, rows, bad), bad[0]) == (0, 1)
    for fields, status in (
        ({"kind": 1}, lib.FXS_E_KIND),
        ({"kind": 4}, lib.FXS_E_KIND),
        ({"g": 0}, lib.FXS_E_SIZE),
        ({"kind": 3}, lib.FXS_E_SIZE),
        ({"s": 0}, lib.FXS_E_SIZE),
        ({"t": SIZE_MAX + 1}, lib.FXS_E_SIZE),
    ):
        one, other = a_row(), a_row(**fields)
        out, count = ffi.new("int32_t[3]", [7, 7, 7]), ffi.new("uint64_t *", 9)
        fraction = ffi.new("int32_t *", 7)
        for a, b in ((one, other), (other, one)):
            still = (0, 0, 0)
            assert lib.fxs_hitbox_contact(a, b) == status
            assert lib.fxs_hitbox_push_out(a, b, out) == status
            assert lib.fxs_hitbox_lift(a, b, out) == status
            found = lib.fxs_hitbox_cast_pair(a, still, b, still, 1, fraction, out)
            assert (found, fraction[0], [*out]) == (status, 7, [7, 7, 7])
        ids = ffi.new("uint32_t[4]")
        assert lib.fxs_planes_query(world._world, other, 1, 0, 0, ids, 4, count) == status
        assert count[0] == 0
        cast = native.HITBOX_CAST.pack(other, 0, 0, 0, 1, 0, 0, 0)
        hits = ffi.new("fxs_cast_hit[4]")
        assert lib.fxs_planes_cast(world._world, cast, hits, 4, count) == status
    still, far = (0, 0, 0), (0, -SIZE_MAX - 1, 0)
    for motions_, when, status in (
        ((far, still), 1, lib.FXS_E_MOTION),
        ((still, far), 1, lib.FXS_E_MOTION),
        ((still, still), 0, lib.FXS_E_HIT_WHEN),
        ((still, still), 3, lib.FXS_E_HIT_WHEN),
    ):
        first, second = motions_
        row = a_row()
        found = lib.fxs_hitbox_cast_pair(row, first, row, second, when, fraction, out)
        assert (found, fraction[0], [*out]) == (status, 7, [7, 7, 7])
    for mask, when, status in ((65536, 0, lib.FXS_E_RANGE), (1, 3, lib.FXS_E_HIT_WHEN)):
        count[0] = 9
        found = lib.fxs_planes_query(world._world, a_row(), mask, 0, when, ids, 4, count)
        assert (found, count[0]) == (status, 0)
    for motion, mask, when, status in (
        (far, 1, 0, lib.FXS_E_MOTION),
        (still, 65536, 0, lib.FXS_E_RANGE),
        (still, 1, 3, lib.FXS_E_HIT_WHEN),
    ):
        cast = native.HITBOX_CAST.pack(a_row(), *motion, mask, 0, 0, when)
        assert lib.fxs_planes_cast(world._world, cast, hits, 4, count) == status
        assert count[0] == 0
    for id, motion, when, status in (
        (4, still, 0, lib.FXS_E_ID),
        (3, still, 0, lib.FXS_E_ABSENT),
        (0, far, 0, lib.FXS_E_MOTION),
        (0, still, 3, lib.FXS_E_HIT_WHEN),
    ):
        found = lib.fxs_planes_sweep(world._world, id, motion, 0, when, hits, 4, count)
        assert (found, count[0]) == (status, 0)
    assert planes.world.save() == state


def test_too_little_room_is_told_and_enough_then_suffices() -> None:
    planes = TwoPlanes(8)
    for id in range(5):
        planes.add(id, Hitbox(flat.circle(9), 9, 9), (id, 100 if id == 4 else 0, 0))
    world, count = planes.world._native._world, ffi.new("uint64_t *")
    row = a_row(x=0, y=0, z=0)
    ids, hits = ffi.new("uint32_t[9]"), ffi.new("fxs_cast_hit[5]")
    for room in range(10):
        status = lib.fxs_planes_query(world, row, 1, 0, 0, ids, room, count)
        assert (status, count[0]) == ((0, 4) if room == 9 else (lib.FXS_E_ROOM, 9))
    assert [*ids][:4] == [0, 1, 2, 3]
    cast = native.HITBOX_CAST.pack(row, 5, 0, 0, 1, 0, 3, 0)
    for room in range(6):
        status = lib.fxs_planes_cast(world, cast, hits, room, count)
        assert (status, count[0]) == ((0, 3) if room == 5 else (lib.FXS_E_ROOM, 5))
    for room in range(5):
        status = lib.fxs_planes_sweep(world, 0, (5, 0, 0), 2, 0, hits, room, count)
        assert (status, count[0]) == ((0, 2) if room == 4 else (lib.FXS_E_ROOM, 4))
    assert [hit.id for hit in hits][:2] == [1, 2]


def test_a_config_is_doubled_or_refused() -> None:
    out = ffi.new("fxs_config *")
    masks = [3, 1, *[0] * 30]
    config = ffi.new("fxs_config *", (5, 7, 2, masks))
    assert lib.fxs_planes_config(config, out) == 0
    layers = [*masks[:16], 3 << 16, 1 << 16, *[0] * 14]
    assert (out.capacity, out.hit_capacity, out.hit_when, [*out.layers]) == (10, 7, 2, layers)
    config.capacity = 2**30
    assert (lib.fxs_planes_config(config, out), out.capacity) == (0, 2**31)
    before = ffi.buffer(out)[:]
    for capacity, hit_when, layer, mask in (
        (0, 1, 0, 1),
        (2**30 + 1, 1, 0, 1),
        (2**31 + 1, 1, 0, 1),
        (5, 3, 0, 1),
        (5, 1, 0, 2),
        (5, 1, 15, 1 << 16),
        (5, 1, 16, 1),
    ):
        bad = ffi.new("fxs_config *", (capacity, 7, hit_when))
        bad.layers[layer] = mask
        assert lib.fxs_planes_config(bad, out) == lib.FXS_E_CONFIG
        assert ffi.buffer(out)[:] == before


def test_a_collider_without_the_other_view_is_in_no_answer() -> None:
    """A world that was changed otherwise: it answers, and names no such hitbox."""
    planes = TwoPlanes(4)
    box = Hitbox(flat.rectangle(5, 5), 5, 5)
    for id in range(3):
        planes.add(id, box, (id, 0, 0))
    planes.world.remove(4)  # the side view of 0
    planes.world.set_shape(5, Sphere(3))  # and that of 1 is no longer one
    planes.world.set_shape(1, Sphere(3))
    with pytest.raises(KeyError, match="id 0 is not in the world"):
        planes.contact(0, 1)
    with pytest.raises(KeyError, match="id 1 is not in the world"):
        planes.position(1)
    assert [tuple(event)[:2] for event in planes.step()] == [(1, 2)]
    assert [tuple(hit)[:2] for hit in planes.hits()] == [(1, 2)]
    assert planes.query(box, (0, 0, 0)) == [1, 2]
    assert [hit.id for hit in planes.cast(box, (0, 0, 0), (1, 0, 0))] == [2]
    planes.world.set_layer(1, 20)  # a view on a layer of the other plane
    planes.world.set_layers(None)
    assert all(hit.b < 4 for hit in planes.hits())
    assert [tuple(event)[:3] for event in planes.step()] == [(1, 2, 2)]
    assert [tuple(hit)[:2] for hit in planes.hits()] == [(1, 2)]

"""Flat shapes and hitboxes of two planes, against planar arithmetic and the model's contacts."""

from __future__ import annotations

from typing import Any

import model
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, SIZE_MAX
from strategies import coordinates, examples, nasty, positions, sizes, yaws

from fixsync import (
    Box,
    Contact,
    Cylinder,
    EventKind,
    Handlers,
    Pose,
    Sector,
    Side,
    Sphere,
    World,
    flat,
    overlap,
    side,
)
from fixsync.game.flat import Hitbox, TwoPlanes, two_plane_contact
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay

SMALL = st.integers(-12, 12)


def classified(left: int, right: int) -> Contact:
    return (
        Contact.OVERLAPPING
        if left < right
        else Contact.TOUCHING
        if left == right
        else Contact.APART
    )


# One plane.


@given(st.integers(1, 9), st.integers(1, 9), SMALL, SMALL, yaws())
def test_circles_meet_by_squared_distance_and_squared_sum(
    r: int, s: int, x: int, y: int, yaw: int
) -> None:
    found = overlap(flat.circle(r), flat.at(3, 4, yaw), flat.circle(s), flat.at(3 + x, 4 + y))
    assert found == classified(x * x + y * y, (r + s) ** 2)


@given(
    sizes(), sizes(), sizes(), sizes(), coordinates(), coordinates(), coordinates(), coordinates()
)
def test_rectangles_meet_by_each_axis(
    w: int, h: int, v: int, g: int, x: int, y: int, p: int, q: int
) -> None:
    found = overlap(flat.rectangle(w, h), flat.at(x, y), flat.rectangle(v, g), flat.at(p, q))
    assert found == min(classified(abs(x - p), w + v), classified(abs(y - q), h + g))


@given(
    st.integers(1, 99),
    st.integers(1, 32768),
    yaws(),
    st.integers(-120, 120),
    st.integers(-120, 120),
)
def test_a_fan_is_the_sector_of_the_ground_plane(
    r: int, half_angle: int, yaw: int, x: int, y: int
) -> None:
    found = overlap(flat.sector(r, half_angle), flat.at(0, 0, yaw), flat.circle(7), flat.at(x, y))
    assert found == model.overlap(
        ("sector", r, half_angle, 1), (0, 0, 0, yaw), ("cylinder", 7, 1), (x, 0, y, 0)
    )


def test_height_decides_nothing_up_to_the_size_of_a_flat_shape() -> None:
    high = Pose(0, 2 * SIZE_MAX - 1, 0)
    assert overlap(flat.circle(5), flat.at(0, 0), flat.circle(5), high) == Contact.OVERLAPPING
    assert (
        overlap(flat.circle(5), flat.at(0, 0), Sphere(5), Pose(0, SIZE_MAX, 0))
        == Contact.OVERLAPPING
    )


def test_sides_are_named_as_a_screen_shows_them() -> None:
    block = flat.rectangle(10, 10), flat.at(100, 50)
    for x, y, name in (
        (115, 50, flat.RIGHT),
        (85, 50, flat.LEFT),
        (100, 65, flat.TOP),
        (100, 35, flat.BOTTOM),
    ):
        assert side(flat.circle(8), flat.at(x, y), *block) == name
    assert flat.TOP is Side.POS_Z


def test_a_rectangle_by_its_edges_is_where_they_are() -> None:
    shape, pose = flat.rectangle_between(-8, 2, 4, 8)
    assert (shape, pose) == (flat.rectangle(6, 3), Pose(-2, 0, 5))
    left = flat.rectangle_between(4, 2, 6, 8)
    assert overlap(shape, pose, *left) == Contact.TOUCHING
    for edges, text in (
        ((0, 0, 3, 2), "right - left must be even and above 0, not 3 - 0"),
        ((0, 2, 2, 2), "top - bottom must be even and above 0, not 2 - 2"),
        ((0, 0, 2**31, 2), "edges: right must be"),
        ((INT32_MIN, 0, INT32_MAX - 1, 2), "half_width|half_x"),
    ):
        with pytest.raises(ValueError, match=text):
            flat.rectangle_between(*edges)


# Two planes.


@st.composite
def hitboxes(draw: Any, size: Any) -> Hitbox:
    ground = draw(st.builds(flat.circle, size) | st.builds(flat.rectangle, size, size))
    return Hitbox(ground, draw(size), draw(size))


def by_planes(a: Hitbox, at_a: Any, b: Hitbox, at_b: Any) -> Contact:
    """The write-up's test in plain integers: nine regions on the ground, two intervals at the
    side.
    """
    dx, dy, dz = (p - q for p, q in zip(at_b, at_a, strict=True))
    beside = min(
        classified(abs(dx), a.side_half_x + b.side_half_x),
        classified(abs(dy), a.side_half_y + b.side_half_y),
    )
    halves = [
        (0, 0, hitbox.ground.radius) if isinstance(hitbox.ground, Cylinder)
        else (hitbox.ground.half_x, hitbox.ground.half_z, 0)
        for hitbox in (a, b)
    ]  # fmt: skip
    (ax, az, ar), (bx, bz, br) = halves
    r = ar + br
    if r == 0:
        return min(beside, classified(abs(dx), ax + bx), classified(abs(dz), az + bz))
    if ar and br:
        return min(beside, classified(dx * dx + dz * dz, r * r))
    ex, ez = max(0, abs(dx) - ax - bx), max(0, abs(dz) - az - bz)
    return min(beside, classified(ex * ex + ez * ez, r * r))


@given(hitboxes(st.integers(1, 6)), st.tuples(SMALL, SMALL, SMALL), hitboxes(st.integers(1, 6)))
@examples(400)
def test_a_two_plane_hit_needs_both_planes_and_touching_counts(
    a: Hitbox, at_b: Any, b: Hitbox
) -> None:
    for at_a in ((0, 0, 0), (3, -2, 1)):
        expected = by_planes(a, at_a, b, at_b)
        assert two_plane_contact(a, at_a, b, at_b) == expected
        assert two_plane_contact(b, at_b, a, at_a) == expected


ENDS = st.sampled_from([INT32_MIN, 0, INT32_MAX])


@given(hitboxes(sizes()), positions() | st.tuples(ENDS, ENDS, ENDS), hitboxes(sizes()), positions())
@example(
    Hitbox(flat.circle(SIZE_MAX), 1, SIZE_MAX),
    (0, INT32_MIN, 0),
    Hitbox(flat.circle(1), 1, 1),
    (2, INT32_MAX, 0),
)
def test_two_planes_hold_over_all_of_int32(a: Hitbox, at_a: Any, b: Hitbox, at_b: Any) -> None:
    assert two_plane_contact(a, at_a, b, at_b) == by_planes(a, at_a, b, at_b)


@given(st.data(), st.tuples(SMALL, SMALL, SMALL), st.booleans())
def test_a_hitbox_as_wide_at_its_side_as_on_the_ground_is_an_ordinary_shape(
    data: Any, at_b: Any, big: bool
) -> None:
    size = nasty(1, SIZE_MAX) if big else st.integers(1, 6)
    two = []
    for _ in range(2):
        x, y, z = (data.draw(size) for _ in range(3))
        two.append(
            Hitbox(flat.circle(x) if data.draw(st.booleans()) else flat.rectangle(x, z), x, y)
        )
    if big:
        at_b = data.draw(positions())
    a, b = two
    shapes = a.as_shape(), b.as_shape()
    assert shapes[0] is not None
    assert shapes[1] is not None
    assert two_plane_contact(a, (0, 0, 0), b, at_b) == overlap(
        shapes[0], Pose(0, 0, 0), shapes[1], Pose(*at_b)
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


class ByHand:
    """The rule of a world's events over the write-up's test, with nothing of the kernel."""

    def __init__(self, hit_when: int, masks: list[int]) -> None:
        self.hit_when, self.masks = hit_when, masks
        self.there: dict[int, list[Any]] = {}  # hitbox, position, layer, owner, active
        self.hits: dict[tuple[int, int], int] = {}
        self.changed: set[int] = set()

    def step(self) -> list[Any]:
        now = {}
        for a in sorted(self.there):
            for b in sorted(id for id in self.there if id > a):
                (one, p, i, o, on), (two, q, j, u, active) = self.there[a], self.there[b]
                if on and active and (o != u or o == 0) and self.masks[i] >> j & 1:
                    contact = by_planes(one, p, two, q)
                    if contact >= self.hit_when:
                        now[a, b] = contact
        events: list[Any] = []
        for pair in sorted(self.hits.keys() | now.keys()):
            was, is_hit, same = pair in self.hits, pair in now, not self.changed & {*pair}
            if was and not (is_hit and same):
                events.append((*pair, EventKind.EXIT, 0))
            if is_hit:
                events.append(
                    (*pair, EventKind.STAY if was and same else EventKind.ENTER, now[pair])
                )
        self.hits, self.changed = now, set()
        return events


LAYERS = st.none() | st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4)
CHANGES = ["add", "move", "remove", "active", "hitbox", "layer", "owner", "replace"]
ACTIONS = st.tuples(
    st.sampled_from([*CHANGES, "add", "move", "step", "step"]),
    st.integers(0, 4),
    hitboxes(st.integers(1, 6)),
    st.tuples(SMALL, SMALL, SMALL),
    st.integers(0, 2),
    st.integers(0, 2),
    st.booleans(),
)


@given(st.lists(ACTIONS, max_size=60), LAYERS, st.sampled_from([1, 2]))
@examples(150)
def test_a_world_of_two_planes_tells_the_events_of_the_rule(
    actions: Any, layers: Any, hit_when: int
) -> None:
    planes = TwoPlanes(5, hit_when=hit_when, layers=layers)
    hand = ByHand(hit_when, model.layer_masks(layers))
    for action, id, hitbox, place, layer, owner, active in actions:
        row = [hitbox, place, layer, owner, active]
        if action == "replace" and id in planes:
            planes.remove(id)
            del hand.there[id]
            action = "add"
        if action == "step":
            before = planes.world.save()
            events = planes.step()
            assert list(events) == hand.step()
            assert [tuple(hit) for hit in planes.hits()] == [
                (*p, c) for p, c in sorted(hand.hits.items())
            ]
            again = World.from_bytes(before, 10)
            assert planes.combine(again.step()) == events
        elif action == "add" and id not in planes:
            planes.add(id, hitbox, place, layer=layer, owner=owner, active=active)
            hand.there[id] = row
            hand.changed.add(id)
        elif id in planes:
            mine = hand.there[id]
            if action == "move":
                planes.move(id, *place)
                mine[1] = place
            elif action == "remove":
                planes.remove(id)
                del hand.there[id]
                hand.changed.add(id)
            elif action == "active":
                planes.set_active(id, active)
                mine[4] = active
            elif action == "hitbox":
                planes.set_hitbox(id, hitbox)
                mine[0] = hitbox
            elif action == "layer":
                planes.set_layer(id, layer)
                mine[2] = layer
            elif action == "owner":
                planes.set_owner(id, owner)
                mine[3] = owner
    assert (list(planes), len(planes)) == (sorted(hand.there), len(hand.there))
    for id, (_, place, *_) in hand.there.items():
        assert planes.position(id) == place
    if hand.there:
        probe, (a, b) = hitboxes_of(hand), (min(hand.there), max(hand.there))
        asked = [
            id
            for id, (hitbox, place, layer, owner, active) in sorted(hand.there.items())
            if active
            and layer != 1
            and owner != 2
            and by_planes(probe, (1, 2, 3), hitbox, place) >= hit_when
        ]
        assert planes.query(probe, (1, 2, 3), 0xFFFD, exclude_owner=2) == asked
        if a != b:
            one, two = hand.there[a], hand.there[b]
            assert planes.contact(a, b) == by_planes(one[0], one[1], two[0], two[1])


def hitboxes_of(hand: ByHand) -> Hitbox:
    found: Hitbox = hand.there[min(hand.there)][0]
    return found


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
        EventKind.ENTER,
        EventKind.STAY,
        EventKind.EXIT,
        EventKind.ENTER,
        EventKind.STAY,
        EventKind.EXIT,
    ]
    assert calls == [(kind, 5, 2) for kind in kinds]
    assert replay(tmp_path / "fight.jsonl").verdict == Verdict.IDENTICAL


def test_a_refused_change_of_a_two_plane_world_changes_nothing() -> None:
    planes = TwoPlanes(4)
    hitbox = Hitbox(flat.circle(3), 3, 3)
    planes.add(1, hitbox, (0, 0, 0))
    before = planes.world.save()
    bad: list[Any] = [
        lambda: planes.add(1, hitbox, (0, 0, 0)), lambda: planes.add(4, hitbox, (0, 0, 0)),
        lambda: planes.add(2, hitbox, (0, 2**31, 0)), lambda: planes.add(2, hitbox, (0, 0, 0), layer=16),
        lambda: planes.add(2, hitbox, (0, 0, 0), owner=-1), lambda: planes.add(2, Box(1, 1, 1), (0, 0, 0)),
        lambda: planes.move(1, 0, 0, 2**31), lambda: planes.move(2, 0, 0, 0), lambda: planes.move(5, 0, 0, 0),
        lambda: planes.remove(3), lambda: planes.remove(5), lambda: planes.set_layer(1, 16),
        lambda: planes.set_owner(1, 2**32), lambda: planes.set_active(1, 1), lambda: planes.set_hitbox(1, 5),
        lambda: planes.query(hitbox, (0, 0, 0), 65536), lambda: planes.contact(1, 2),
        lambda: planes.position(0), lambda: TwoPlanes(2**30 + 1), lambda: TwoPlanes(4, layers=[(0, 16)]),
    ]  # fmt: skip
    for change in bad:
        with pytest.raises((ValueError, TypeError, KeyError)):
            change()
        assert planes.world.save() == before
    assert 5 not in planes
    assert 1 in planes


def test_flat_shapes_are_made_of_checked_sizes() -> None:
    for make in (
        lambda: flat.circle(0),
        lambda: flat.rectangle(1, 2**29),
        lambda: flat.sector(1, 0),
    ):
        with pytest.raises(ValueError, match="must be"):
            make()  # type: ignore[no-untyped-call]
    assert flat.sector(7, 9) == Sector(7, 9, SIZE_MAX)

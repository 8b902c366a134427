"""The five systems that game programmers learn hit detection from: all that each does, row by row.

A name begins with the number of the system; systems.md is the table of them. What is expected
comes from the model or from plain integers here. `original` names what a system does that is not
right."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import model
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import coordinates, near_pairs, sizes, yaws

import fixsync
from fixsync import (
    Box,
    Capsule,
    Contact,
    Cylinder,
    EventKind,
    Handlers,
    Pose,
    Sector,
    Side,
    Sphere,
    World,
    degrees,
    flat,
    overlap,
    q,
)
from fixsync.game.flat import Hitbox, two_plane_contact
from fixsync.world.aim import GODOT, UNITY
from fixsync.world.shapes import shape_from_tuple

APART, TOUCHING, OVERLAPPING = Contact
SMALL = st.integers(-14, 14)


def classified(left: int, right: int) -> Contact:
    return OVERLAPPING if left < right else TOUCHING if left == right else APART


def both(a: Any, pa: Any, b: Any, pb: Any) -> Contact:
    """fixsync's contact, once the model has said the same of either order."""
    found = overlap(shape_from_tuple(a), Pose(*pa), shape_from_tuple(b), Pose(*pb))
    assert found == model.overlap(a, pa, b, pb) == model.overlap(b, pb, a, pa)
    assert found == overlap(shape_from_tuple(b), Pose(*pb), shape_from_tuple(a), Pose(*pa))
    return found


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(("box", "cylinder"), id="3 circle and turned rectangle"),
        pytest.param(("box",), id="4 turned rectangles"),
        pytest.param(("sphere", "cylinder"), id="5 sphere and cylinder"),
        pytest.param(("capsule", "sphere", "box"), id="5 capsules"),
        pytest.param(("sector", "cylinder"), id="5 sector and cylinder"),
        pytest.param(("sector", "sphere", "box", "capsule"), id="5 sectors and bodies"),
    ],
)
@given(st.data())
def test_a_pair_near_contact_is_exact(kinds: tuple[str, ...], data: st.DataObject) -> None:
    both(*data.draw(near_pairs(kinds)))


# 1. A beat-'em-up's hitboxes.


@st.composite
def intervals(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Two half sizes and centres on one axis: anywhere, or within 2 raw units of touching."""
    h, g, p, p2 = draw(sizes()), draw(sizes()), draw(coordinates()), draw(coordinates())
    if draw(st.integers(0, 3)):
        near = p + draw(st.sampled_from([1, -1, 0])) * (h + g) + draw(st.integers(-2, 2))
        p2 = near if -(2**31) <= near < 2**31 else p2
    return h, g, p, p2


@given(intervals(), intervals(), intervals())
def test_1_boxes_meet_by_min_and_max_on_each_axis_and_touching_counts(
    on_x: Any, on_y: Any, on_z: Any
) -> None:
    axes = on_x, on_y, on_z
    expected = OVERLAPPING
    for h, g, p, p2 in axes:
        gap = max(p - h, p2 - g) - min(p + h, p2 + g)
        expected = min(expected, classified(gap, 0))
    (ax, bx, x, x2), (ay, by, y, y2), (az, bz, z, z2) = axes
    assert both(("box", ax, ay, az), (x, y, z, 0), ("box", bx, by, bz), (x2, y2, z2, 0)) == expected


def test_1_a_raw_unit_decides_between_touching_and_apart_at_the_ends_of_the_world() -> None:
    box, low, high = Box(2**29 - 1, 1, 1), -(2**31), -(2**31) + 2**30 - 2
    assert overlap(box, Pose(low, 0, 0), box, Pose(high, 0, 0)) == TOUCHING
    assert overlap(box, Pose(low, 0, 0), box, Pose(high - 1, 0, 0)) == OVERLAPPING
    assert overlap(box, Pose(low, 0, 0), box, Pose(high + 1, 0, 0)) == APART


def test_1_original_a_squared_distance_against_an_unsquared_sum_misses_and_makes_up() -> None:
    for radius, distance, exact in ((3, 5, OVERLAPPING), (Fraction(1, 4), Fraction(5, 8), APART)):
        original = distance**2 <= radius + radius
        circle = flat.circle(int(radius * 65536))
        assert overlap(circle, flat.at(0, 0), circle, flat.at(int(distance * 65536), 0)) == exact
        assert original == (exact == APART)


def beside(x: int, half: int) -> int:
    """On which side of an interval a number is; 0 within it."""
    return (x > half) - (x < -half)


def nine_regions(x: int, z: int, half_x: int, half_z: int, radius: int) -> Contact:
    """The write-up's box and circle: inside, four edge regions, four corner regions."""
    over_x, over_z = abs(x) - half_x, abs(z) - half_z
    if over_x > 0 and over_z > 0:
        return classified(over_x**2 + over_z**2, radius**2)
    return classified(max(over_x, over_z, -1), radius) if max(over_x, over_z) > 0 else OVERLAPPING


def test_1_box_and_circle_are_the_nine_regions_all_over_a_grid() -> None:
    seen = set()
    for half_x, half_z, radius in ((4, 2, 5), (1, 1, 1), (3, 6, 2)):
        for x, z in product(range(-14, 15), repeat=2):
            expected = nine_regions(x, z, half_x, half_z, radius)
            box, circle = ("box", half_x, 1, half_z), ("cylinder", radius, 1)
            assert both(box, (0, 0, 0, 0), circle, (x, 0, z, 0)) == expected
            seen.add((beside(x, half_x), beside(z, half_z), expected))
    regions = set(product((-1, 0, 1), repeat=2))
    assert {(i, j) for i, j, contact in seen if contact == OVERLAPPING} == regions
    assert {(i, j) for i, j, contact in seen if contact == TOUCHING} == regions - {(0, 0)}


@given(*[st.integers(1, 5)] * 6, SMALL, SMALL, SMALL)
def test_1_a_hit_needs_the_ground_and_the_side(
    r: int, side_a: int, up_a: int, x_b: int, z_b: int, up_b: int, dx: int, dy: int, dz: int
) -> None:
    a, b = Hitbox(flat.circle(r), side_a, up_a), Hitbox(flat.rectangle(x_b, z_b), x_b, up_b)
    ground = model.overlap(("box", x_b, 1, z_b), (dx, 0, dz, 0), ("cylinder", r, 1), (0, 0, 0, 0))
    side = model.overlap(
        ("box", side_a, up_a, 1), (0, 0, 0, 0), ("box", x_b, up_b, 1), (dx, dy, 0, 0)
    )
    assert two_plane_contact(a, (0, 0, 0), b, (dx, dy, dz)) == min(ground, side)


def test_1_hitboxes_stay_unturned_when_the_picture_is_turned() -> None:
    """A world without yaws has no 45°: the corner that a turned box would lack is still hit."""
    fighter, corner = Box(q(1), q(1), q(1)), Pose(q("1.25"), 0, q("1.25"))
    assert overlap(fighter, Pose(0, 0, 0), Sphere(q("0.5")), corner) == OVERLAPPING
    assert overlap(fighter, Pose(0, 0, 0, degrees(45)), Sphere(q("0.25")), corner) == APART
    hitbox = Hitbox(flat.rectangle(q(1), q(1)), q(1), q(1))
    assert two_plane_contact(hitbox, (0, 0, 0), hitbox, (q(2), q(2), q(2))) == TOUCHING


# 2. An engine study.


@given(SMALL, SMALL, st.integers(1, 9), st.integers(1, 9))
def test_2_circles_touch_at_equal_distance_and_hit_by_default(
    x: int, y: int, r: int, s: int
) -> None:
    world = World(2)
    world.add(0, flat.circle(r), flat.at(0, 0))
    world.add(1, flat.circle(s), flat.at(x, y))
    assert bool(world.step()) == (x * x + y * y <= (r + s) ** 2)


def test_2_original_two_axes_joined_with_or_hit_what_shares_a_column() -> None:
    block = flat.rectangle(4, 4)
    assert overlap(block, flat.at(0, 0), block, flat.at(3, 1000)) == APART
    assert overlap(block, flat.at(0, 0), block, flat.at(1000, 3)) == APART


@given(*[st.integers(1, 40)] * 4, st.integers(-80, 80), st.integers(-80, 80))
def test_2_the_side_is_that_of_the_least_overlap_and_blocks_by_exactly_it(
    w: int, h: int, v: int, g: int, x: int, y: int
) -> None:
    depth_x, depth_y = w + v - abs(x), h + g - abs(y)
    pair = flat.rectangle(w, h), flat.at(x, y), flat.rectangle(v, g), flat.at(0, 0)
    found, pushed = fixsync.side(*pair), fixsync.push_out(*pair)
    if depth_x <= 0 or depth_y <= 0:
        assert (found, pushed) == (Side.NONE, (0, 0))
    elif depth_x < depth_y and x:
        expected = (flat.RIGHT, (depth_x, 0)) if x > 0 else (flat.LEFT, (-depth_x, 0))
        assert (found, pushed) == expected
    elif depth_y < depth_x and y:
        expected = (flat.TOP, (0, depth_y)) if y > 0 else (flat.BOTTOM, (0, -depth_y))
        assert (found, pushed) == expected
    else:
        assert max(map(abs, pushed)) == min(depth_x, depth_y)
        assert 0 in pushed


def test_2_original_the_larger_overlap_names_the_wrong_side() -> None:
    player, floor = flat.rectangle(4, 4), flat.rectangle(40, 4)
    overlaps = 44 - 32, 8 - 7
    assert overlaps[0] > overlaps[1]
    assert fixsync.side(player, flat.at(32, 7), floor, flat.at(0, 0)) == flat.TOP
    assert fixsync.push_out(player, flat.at(32, 7), floor, flat.at(0, 0)) == (0, 1)


@given(*[st.integers(1, 10**6)] * 2, *[st.integers(-(10**6), 10**6)] * 2)
def test_2_a_circle_is_blocked_along_the_line_of_centres(r: int, s: int, x: int, y: int) -> None:
    pair = flat.circle(r), flat.at(x, y), flat.circle(s), flat.at(0, 0)
    px, py = fixsync.push_out(*pair)
    if x * x + y * y >= (r + s) ** 2:
        assert (px, py) == (0, 0)
        return
    assert (x + px) ** 2 + (y + py) ** 2 >= (r + s) ** 2
    depth = r + s - isqrt(x * x + y * y)
    assert isqrt(px * px + py * py) <= depth + 2
    if (x, y) != (0, 0):  # off the line by rounding only: a raw unit and a half on either axis
        assert abs(px * y - py * x) <= 3 * (isqrt(x * x + y * y) + 1)
        assert px * x + py * y > 0


def test_2_one_player_against_many_enemies_is_one_step_and_one_pass() -> None:
    world = World(64)
    world.add(0, flat.circle(10), flat.at(0, 0))
    world.add_many([(id, flat.circle(4), flat.at(3 * id - 90, id % 7), 1) for id in range(1, 64)])
    met = [id for id in range(1, 64) if (3 * id - 90) ** 2 + (id % 7) ** 2 <= 14**2]
    assert [event.b for event in world.step() if event.a == 0] == met
    assert world.query(flat.circle(10), flat.at(0, 0), 1 << 1) == met
    world.separate([(1, 0)])
    assert all(world.contact(0, id) != OVERLAPPING for id in range(1, 64))


# 3. Collider components and a manager.


def heap(ids: Sequence[int]) -> World:
    """A world of spheres in one place."""
    world = World(max(ids) + 1)
    world.add_many([(id, Sphere(5), Pose(0, 0, 0)) for id in ids])
    return world


@given(yaws(), st.integers(-50, 50), st.integers(-50, 50))
def test_3_a_collider_has_an_owner_an_offset_a_shape_and_an_id(yaw: int, ox: int, oz: int) -> None:
    world, twin = World(8), model.ModelWorld(8)
    rows: list[Any] = [
        (1, ("sphere", 9), (3, 4), 5),
        (4, ("box", 9, 9, 9), (ox, oz), 5),
        (6, ("cylinder", 30, 9), (0, 0), 6),
    ]
    for id, shape, (dx, dz), owner in rows:
        about = {"layer": id % 3, "owner": owner, "offset": (dx, 0, dz)}
        world.add(id, shape_from_tuple(shape), Pose(0, 0, 0, yaw), **about)
        twin.add(id, shape, (0, 0, 0, yaw), **about)
    assert list(world.step()) == twin.step()
    assert all((a, b) != (1, 4) for a, b, _ in world.hits())


def test_3_the_layer_matrix_is_symmetric_however_a_pair_is_written() -> None:
    for pairs in ([(1, 2)], [(2, 1)], [(1, 2), (2, 1)]):
        world = World(4, layers=pairs)
        world.add_many(
            [(id, Sphere(5), Pose(0, 0, 0), layer) for id, layer in enumerate((2, 1, 1, 2))]
        )
        assert world.layers == [(1, 2)]
        assert [(a, b) for a, b, _, _ in world.step()] == [(0, 1), (0, 2), (1, 3), (2, 3)]


def test_3_enter_stay_and_exit_reach_both_of_a_pair() -> None:
    world = World(4)
    world.add(2, Sphere(5), Pose(0, 0, 0))
    world.add(3, Box(5, 5, 5), Pose(0, 0, 0))
    handlers, reported = Handlers(world), []
    for kind, id in product(EventKind, (2, 3)):
        handlers.on(kind, id=id)(
            lambda own, other, _, kind=kind: reported.append((kind, own, other))
        )  # type: ignore[misc]
    for x in (0, 1, 99, 0):
        world.move(2, x, 0, 0)
        handlers.step()
    kinds = EventKind.ENTER, EventKind.STAY, EventKind.EXIT, EventKind.ENTER
    assert reported == [call for kind in kinds for call in ((kind, 2, 3), (kind, 3, 2))]


def test_3_pairs_of_the_largest_ids_are_kept_apart() -> None:
    """A key of two 32-bit ids in 64 bits must not mix (a, b) with any other pair."""
    ids = [0, 1, 2**16, 2**16 + 1, 2**17 - 1]
    world = heap(ids)
    expected = [(a, b) for n, a in enumerate(ids) for b in ids[n + 1 :]]
    assert [(a, b) for a, b, _, _ in world.step()] == expected
    world.remove(2**16)
    assert [(a, b) for a, b, kind, _ in world.step() if kind == EventKind.EXIT] == [
        p for p in expected if 2**16 in p
    ]


def test_3_an_inactive_object_is_skipped_and_its_hits_end() -> None:
    world = heap(range(3))
    kinds = []
    for active in (True, False, False, True):
        world.set_active(1, active)
        kinds.append([kind.name for a, b, kind, _ in world.step() if 1 in (a, b)])
    assert kinds == [["ENTER"] * 2, ["EXIT"] * 2, [], ["ENTER"] * 2]
    world.set_active(1, False)
    assert world.query(Sphere(5), Pose(0, 0, 0)) == [0, 2]


def test_3_original_an_id_given_to_another_object_does_not_inherit_its_hits() -> None:
    world = heap(range(2))
    world.step()
    world.remove(1)
    world.add(1, Box(3, 3, 3), Pose(0, 0, 0))
    assert [kind for _, _, kind, _ in world.step()] == [EventKind.EXIT, EventKind.ENTER]


def test_3_clear_ends_everything() -> None:
    world = heap(range(3))
    world.step()
    world.clear()
    assert [kind for _, _, kind, _ in world.step()] == [EventKind.EXIT] * 3
    assert world.step() == []


# 4. A server's hit test.


@given(st.integers(1, 9), SMALL, SMALL, st.integers(3 - 2**30, 2**30 - 3))
def test_4_height_is_ignored(r: int, x: int, y: int, high: int) -> None:
    found = overlap(flat.circle(r), flat.at(0, 0), flat.circle(3), Pose(x, high, y))
    assert found == classified(x * x + y * y, (r + 3) ** 2)


def test_4_original_widening_the_rectangle_by_the_radius_hits_past_its_corners() -> None:
    false_hits = 0
    for x, y in product(range(-16, 17), repeat=2):
        widened = abs(x) <= 8 + 4 and abs(y) <= 4 + 4
        exact = both(("box", 8, 1, 4), (0, 0, 0, 0), ("cylinder", 4, 1), (x, 0, y, 0))
        assert exact == nine_regions(x, y, 8, 4, 4)
        if exact >= TOUCHING:
            assert widened
        elif widened:
            false_hits += 1
            assert abs(x) > 8
            assert abs(y) > 4
    assert false_hits == 4 * sum(i * i + j * j > 16 for i, j in product(range(1, 5), repeat=2))


def folded(half_x: int, half_z: int, yaw: int, x: int, z: int, radius: int) -> Contact:
    """A turned rectangle and a circle at (x, z) from it, folded into the first quadrant."""
    c, s = model.direction(yaw)
    fx = max(0, abs(x * c + z * s) - half_x * 2**30)
    fz = max(0, abs(z * c - x * s) - half_z * 2**30)
    return classified(fx * fx + fz * fz, radius**2 * 2**60)


@given(
    st.tuples(*[st.integers(1, 2**20)] * 2),
    st.integers(1, 2**20),
    yaws(),
    *[st.integers(-(2**21), 2**21)] * 2,
)
def test_4_circle_and_turned_rectangle_by_folding_into_the_first_quadrant(
    half: Any, radius: int, yaw: int, x: int, y: int
) -> None:
    found = overlap(flat.rectangle(*half), flat.at(0, 0, yaw), flat.circle(radius), flat.at(x, y))
    assert found == folded(*half, yaw, x, y, radius)


@pytest.mark.parametrize("swapped", [False, True])
def test_4_each_of_the_four_axes_can_be_the_one_that_separates(swapped: bool) -> None:
    """Places where on the three other axes they overlap."""
    one, other = ("box", 50, 5, 40), ("box", 45, 5, 30)
    alone = set()
    for x, z, yaw in product(range(-170, 171, 10), range(-110, 111, 10), (3000, 8192, 13000)):
        axes = model.box_axes(one, 0, other, yaw, (x, z))
        separating = [n for n, (p, limit) in enumerate(axes) if abs(p) > limit]
        if len(separating) == 1:
            alone.add(separating[0])
            pair = one, (0, 0, 0, 0), other, (x, 0, z, yaw)
            assert both(*(pair[2:] + pair[:2] if swapped else pair)) == APART
    assert alone == {0, 1, 2, 3}


def test_4_client_and_server_of_different_handedness_agree() -> None:
    """Unity's (x, z) is the server's (x, y); a right-handed client mirrors z and the angles."""
    x, _, z = UNITY.coordinates(3, 0, "-1.5")
    pose = flat.at(x, z, UNITY.yaw_facing(30))
    assert (pose.x, pose.z) == (q(3), q("-1.5"))
    other = GODOT.mirrored()
    assert other.position(pose.x, 0, pose.z) == (3, 0, Fraction(3, 2))
    assert other.yaw_facing(other.angle_facing(pose.yaw)) == pose.yaw
    ahead = fixsync.forward(pose.yaw, q(2))
    sector = flat.sector(q(3), degrees(10))
    assert overlap(sector, pose, flat.circle(1), flat.at(x + ahead[0], z + ahead[1])) == OVERLAPPING


# 5. Skills in a frame-sync action game.


@given(near_pairs(("cylinder",)))
def test_5_a_sphere_treated_as_a_cylinder_is_a_cylinder_and_its_height_is_half_the_sum(
    pair: Any,
) -> None:
    """The original's height test by (h1 + h2) / 2 of whole heights: the half heights added."""
    a, pa, b, pb = pair
    d = [second - first for first, second in zip(pa[:3], pb[:3], strict=True)]
    planar = classified(d[0] ** 2 + d[2] ** 2, (a[1] + b[1]) ** 2)
    assert both(*pair) == min(planar, classified(2 * abs(d[1]), 2 * a[2] + 2 * b[2]))


def test_5_original_a_sphere_as_a_cylinder_hits_above_its_shoulder() -> None:
    body, at = Cylinder(q("0.5"), q(1)), Pose(q("1.25"), q("1.875"), 0)
    assert overlap(Cylinder(q(1), q(1)), at, body, Pose(0, 0, 0)) == OVERLAPPING
    assert overlap(Sphere(q(1)), at, body, Pose(0, 0, 0)) == APART
    for x, y, z in product(range(0, 26, 5), repeat=3):
        exact = overlap(Sphere(10), Pose(x, y, z), Cylinder(5, 10), Pose(0, 0, 0))
        assert exact <= overlap(Cylinder(10, 10), Pose(x, y, z), Cylinder(5, 10), Pose(0, 0, 0))


def test_5_a_capsules_shoulder_is_round_where_a_cylinders_is_not() -> None:
    blast, at = Sphere(q(1)), Pose(q("1.25"), q("1.5"), 0)
    assert overlap(blast, at, Cylinder(q("0.5"), q(1)), Pose(0, 0, 0)) == OVERLAPPING
    assert overlap(blast, at, Capsule(q("0.5"), q("0.5")), Pose(0, 0, 0)) == APART


@given(near_pairs(("box", "cylinder")))
def test_5_box_and_cylinder_by_folding_clamping_and_squared_length(pair: Any) -> None:
    a, pa, b, pb = pair
    if a[0] == b[0]:
        return
    box, at, disc, centre = (a, pa, b, pb) if a[0] == "box" else (b, pb, a, pa)
    x, y, z = (there - here for here, there in zip(at[:3], centre[:3], strict=True))
    planar = folded(box[1], box[3], at[3], x, z, disc[1])
    assert both(*pair) == min(planar, classified(abs(y), box[2] + disc[2]))


def test_5_the_ultimate_is_a_long_rectangle_that_hits_as_far_as_it_is_long() -> None:
    beam, body = Box(q(10), q(1), q("0.25")), Cylinder(q("0.5"), q(1))
    world = World(1, hit_when=OVERLAPPING)
    for yaw in range(0, 65536, 4096):
        world.add(0, beam, Pose(0, 0, 0, yaw), offset=(q(10), 0, 0))
        edge = q("20.5")
        hits = []
        for reach in (edge - 3, edge + 3):
            x, z = fixsync.forward(yaw, reach)
            hits.append(world.query(body, Pose(x, 0, z)))
        assert hits == [[0], []]
        world.remove(0)


def test_5_original_a_sector_that_tests_only_the_centre_misses_its_edge() -> None:
    sector, body = Sector(q(3), degrees(30), q(1)), Cylinder(q("0.5"), q(1))
    at = Pose(q(2), 0, q("1.375"))
    assert not fixsync.faces(Pose(0, 0, 0), at.x, at.z, degrees(30))
    assert overlap(sector, Pose(0, 0, 0), body, at) == OVERLAPPING


@given(st.permutations(range(8)))
def test_5_the_order_of_execution_is_the_ids_whatever_was_added_first(order: list[int]) -> None:
    world, calls = World(8), []
    for id in order:
        world.add(id, Cylinder(5, 5), Pose(id, 0, 0), layer=id % 2)
    handlers = Handlers(world)
    handlers.on(EventKind.ENTER, layers=(0, 1))(lambda a, b, _: calls.append((a, b)))
    handlers.step()
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8) if (a + b) % 2]
    assert calls == [(a, b) if a % 2 == 0 else (b, a) for a, b in pairs]

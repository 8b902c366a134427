"""push_out, lift and side against the model and its checks; separate."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import ceil, hypot
from typing import Any

import model
import model_push
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from model import INT32_MAX, SIZE_MAX
from refusals import Refused, refusals
from strategies import (
    A_SOLID,
    POLYGONS,
    SOLIDS,
    UNTURNED,
    deep_pairs,
    near_pairs,
    shapes,
    sized,
    sizes,
    some,
    yaws,
)

import fixsync
from fixsync import Contact, Pose, Sector, Side, Sphere, World, q
from fixsync._native.raw import ffi, lib
from fixsync.world.shapes import shape_from_tuple

Shape = tuple[Any, ...]
Place = tuple[int, int, int, int]
Pair = tuple[Shape, Place, Shape, Place]


def push_out(a: Shape, pa: Place, b: Shape, pb: Place) -> tuple[int, int]:
    return fixsync.push_out(shape_from_tuple(a), Pose(*pa), shape_from_tuple(b), Pose(*pb))


def lift(a: Shape, pa: Place, b: Shape, pb: Place) -> int:
    return fixsync.lift(shape_from_tuple(a), Pose(*pa), shape_from_tuple(b), Pose(*pb))


def side(a: Shape, pa: Place, b: Shape, pb: Place) -> Side:
    return fixsync.side(shape_from_tuple(a), Pose(*pa), shape_from_tuple(b), Pose(*pb))


def overlap(a: Shape, pa: Place, b: Shape, pb: Place) -> Contact:
    return fixsync.overlap(shape_from_tuple(a), Pose(*pa), shape_from_tuple(b), Pose(*pb))


PAIRS = deep_pairs(SOLIDS) | near_pairs(SOLIDS)


def is_huge(a: Shape, b: Shape) -> bool:
    """Two boxes so large that a quantised direction may ask for more than a raw unit beside the
    ideal.
    """
    return a[0] == b[0] == "box" and max(a[1], a[3], b[1], b[3]) > 2**28


def excess(a: Shape, pa: Place, b: Shape, pb: Place, t: tuple[int, int]) -> float:
    """How much longer t is than the shortest real translation of the ideal shapes, in raw units."""
    shortest = model.escapes(a, pa, b, pb, model._ideal).shortest
    return float((model._root(t[0] ** 2 + t[1] ** 2) - shortest) / model.LENGTH)


def assert_push_outs_are_right(a: Shape, pa: Place, b: Shape, pb: Place) -> None:
    ab, ba = push_out(a, pa, b, pb), push_out(b, pb, a, pa)
    assert (ab, ba) == (model_push.push_out(a, pa, b, pb), model_push.push_out(b, pb, a, pa))
    if is_huge(a, b) and overlap(a, pa, b, pb) == Contact.OVERLAPPING:
        longer = excess(a, pa, b, pb, ab)
        assert longer < 2.5  # see the test of huge boxes
        if longer > 2:
            return
    model.check_push_outs(a, pa, b, pb, ab, ba)
    if (pa[0], pa[2]) != (pb[0], pb[2]):
        assert ba == (-ab[0], -ab[1])
    elif not {a[0], b[0]} & {*POLYGONS}:  # a triangle is another one after half a turn
        assert ba == ab
    if b[0] == "box":
        assert side(a, pa, b, pb) == model.side_of(ab, pb[3])


@given(PAIRS)
@example((("sphere", 1), (0, 0, 0, 0), ("sphere", 1), (0, 0, 0, 0)))
@example(
    (
        ("capsule", SIZE_MAX, SIZE_MAX),
        (0, INT32_MAX, 0, 0),
        ("capsule", SIZE_MAX, SIZE_MAX),
        (0, 4, 0, 0),
    )
)
@example((("box", 1, 1, 1), (0, 0, 0, 8192), ("box", 1, 1, 1), (0, 0, 0, 0)))
def test_push_out_and_side_pass_the_models_checks_at_every_scale(pair: Pair) -> None:
    assert_push_outs_are_right(*pair)


@st.composite
def discs_at_a_corner(draw: Any) -> Pair:
    """A disc that overlaps a box, its centre beyond two of the box's faces."""
    half_x, half_z, radius = (draw(sizes()) for _ in range(3))
    beyond_x, beyond_z = draw(st.integers(1, 999)), draw(st.integers(1, 999))
    assume(beyond_x**2 + beyond_z**2 < 1000**2)
    yaw = draw(yaws())
    c, s = model.direction(yaw)
    x, z = (half_x + radius * beyond_x // 1000 + 1, half_z + radius * beyond_z // 1000 + 1)
    x, z = x * draw(st.sampled_from([-1, 1])), z * draw(st.sampled_from([-1, 1]))
    at = (x * c - z * s) // 2**30, (x * s + z * c) // 2**30
    disc = draw(
        st.sampled_from([("sphere", radius), ("capsule", radius, 0), ("cylinder", radius, 1)])
    )
    dy = 1 + draw(st.integers(0, 300)) * radius // 1000 if disc[0] != "cylinder" else 0
    return disc, (at[0], dy, at[1], 0), ("box", half_x, 1, half_z), (0, 0, 0, yaw)


@given(discs_at_a_corner())
def test_a_disc_leaves_a_box_over_the_corner_that_it_is_at(pair: Pair) -> None:
    assert_push_outs_are_right(*pair)


@pytest.mark.parametrize("yaw", [1000, 8191, 9000, 20000])
def test_of_axes_of_one_depth_either_order_takes_the_same(yaw: int) -> None:
    box = ("box", 1000, 1000, 1000)
    for dx, dz in ((500, 0), (-500, 0), (0, 500), (0, -500)):
        ab, ba = ((box, (dx, 0, dz, yaw)), (box, (0, 0, 0, 65536 - yaw)))
        assert push_out(*ab, *ba) == tuple(-v for v in push_out(*ba, *ab))


@given(PAIRS)
@example(
    (("capsule", SIZE_MAX, SIZE_MAX), (0, 0, 0, 0), ("capsule", SIZE_MAX, SIZE_MAX), (0, 0, 0, 0))
)
def test_lift_is_the_least_that_ends_the_contact(pair: Pair) -> None:
    a, pa, b, pb = pair
    dy = lift(*pair)
    assert dy == model_push.lift(*pair)
    model.check_lift(*pair, dy)
    if dy:
        assert lift(b, pb, a, pa) == (dy if pa[1] == pb[1] else -dy)


@pytest.mark.parametrize(
    "kinds",
    list(itertools.combinations_with_replacement(SOLIDS, 2)),
    ids="-".join,
)
def test_every_push_out_of_a_tiny_grid_is_right(kinds: tuple[str, str]) -> None:
    made = [[sized(kind, 1, 1, 2), sized(kind, 2, 1, 1)] for kind in kinds]
    turns = [(0,) if kind in UNTURNED else (0, 1000, 8192) for kind in kinds]
    for a, b in itertools.product(*made):
        for yaw_a, yaw_b in itertools.product(*turns):
            for dx, dz, dy in some([*itertools.product(range(5), range(-4, 5), range(3))]):
                pair = a, (dx, dy, dz, yaw_a), b, (0, 0, 0, yaw_b)
                assert_push_outs_are_right(*pair)
                model.check_lift(*pair, lift(*pair))


def shortest_whole(a: Shape, pa: Place, b: Shape, pb: Place, enough: tuple[int, int]) -> float:
    """The length of the shortest translation in whole raw units that ends the overlap, by trying all
    that are not longer than one that does.
    """
    most = ceil(hypot(*enough))
    return min(
        hypot(x, z)
        for x, z in itertools.product(range(-most, most + 1), repeat=2)
        if model._contact_after(a, pa, b, pb, x, 0, z) != model.OVERLAPPING
    )


@given(
    st.sampled_from(SOLIDS),
    st.tuples(*(st.integers(1, 4) for _ in range(3))),
    st.tuples(*(st.integers(1, 3) for _ in range(3))),
    st.tuples(*(st.integers(-4, 4) for _ in range(3))),
    st.tuples(yaws(), yaws()),
)
def test_hardly_any_whole_translation_is_shorter(
    kind: str,
    size_a: tuple[int, ...],
    size_b: tuple[int, ...],
    d: tuple[int, ...],
    yaws: tuple[int, int],
) -> None:
    pair = sized(kind, *size_a), (*d, yaws[0]), ("box", *size_b), (0, 0, 0, yaws[1])
    # (1, 1) in the place of (1, 0) along a diagonal, a neighbouring row, or another axis of the
    # same depth.
    found = push_out(*pair)
    assert hypot(*found) - shortest_whole(*pair, found) < 2**0.5


@given(deep_pairs(("sphere", "capsule", "cylinder")))
def test_a_push_out_of_round_shapes_and_cylinders_is_less_than_a_diagonal_too_long(
    pair: Pair,
) -> None:
    if overlap(*pair) == Contact.OVERLAPPING:
        assert excess(*pair, push_out(*pair)) < 2**0.5


# Two boxes of the largest size, 4.7 raw units deep along an axis whose direction, and the other's,
# rounds outwards.
HUGE_PAIR: Pair = (
    ("box", SIZE_MAX, SIZE_MAX, SIZE_MAX),
    (-982721094, 0, 1177110826, 350),
    ("box", SIZE_MAX, SIZE_MAX, SIZE_MAX),
    (-2147483643, 0, 2147483643, 50696),
)


def test_a_push_out_of_huge_boxes_is_longer_than_2_only_where_nothing_shorter_does() -> None:
    shortest = model.escapes(*HUGE_PAIR, model._ideal).shortest
    limit = (shortest + 2 * model.LENGTH) ** 2
    for x, z in itertools.product(range(-8, 9), repeat=2):
        if (x * x + z * z) * model.LENGTH**2 <= limit:
            assert model._contact_after(*HUGE_PAIR, x, 0, z) == model.OVERLAPPING
    t = push_out(*HUGE_PAIR)
    assert model._contact_after(*HUGE_PAIR, t[0], 0, t[1]) != model.OVERLAPPING
    assert 2 < excess(*HUGE_PAIR, t) < 2.5


def mirrored(place: Place) -> Place:
    x, y, z, yaw = place
    return -x, y, z, (32768 - yaw) % 65536


@given(PAIRS)
def test_a_mirrored_overlap_is_pushed_out_mirrored(pair: Pair) -> None:
    a, pa, b, pb = pair
    assume(model.INT32_MIN not in (pa[0], pb[0]) and overlap(*pair) == Contact.OVERLAPPING)
    assume(all(model.escapes(*pair, unit).is_unique for unit in (model._ideal, model._quantised)))
    dx, dz = push_out(*pair)
    assert push_out(a, mirrored(pa), b, mirrored(pb)) == (-dx, dz)


@pytest.mark.parametrize("yaw", [0, 3000, 8191, 8192, 8193, 16384, 40000])
def test_side_names_the_face_that_a_body_has_just_entered(yaw: int) -> None:
    """However shallow the overlap: a push of (1, 0) out of a face at 45 degrees would be on two
    sides.
    """
    c, s = model.direction(yaw)
    box = ("box", 1000, 1000, 1000)
    outward = {Side.POS_X: (c, s), Side.NEG_X: (-c, -s), Side.POS_Z: (-s, c), Side.NEG_Z: (s, -c)}
    for face, (nx, nz) in outward.items():
        for depth in range(1, 40):
            x, z = ((1100 * 2**30 - depth * 2**28) * n // 2**60 for n in (nx, nz))
            pair = ("cylinder", 100, 100), (x, 0, z, 0), box, (0, 0, 0, yaw)
            if overlap(*pair) == Contact.OVERLAPPING:
                assert side(*pair) == face


def test_shapes_that_touch_or_stand_apart_are_left_alone() -> None:
    box, ball = ("box", 10, 10, 10), ("sphere", 5)
    for x in (15, 16):
        pair = ball, (x, 0, 0, 0), box, (0, 0, 0, 0)
        assert (push_out(*pair), lift(*pair), side(*pair)) == ((0, 0), 0, Side.NONE)


def test_a_body_on_a_floor_is_lifted_onto_it() -> None:
    floor, hero = ("box", q(100), q(1), q(100)), ("capsule", q("0.5"), q("0.5"))
    at = (q(3), q("1.75"), 0, 0)
    assert lift(hero, at, floor, (0, 0, 0, 0)) == q("0.25")
    assert overlap(hero, (q(3), q(2), 0, 0), floor, (0, 0, 0, 0)) == Contact.TOUCHING


@pytest.mark.parametrize("function", [fixsync.push_out, fixsync.lift, fixsync.side])
def test_what_cannot_be_pushed_is_refused_by_name(function: Callable[..., Any]) -> None:
    sector, box, ball, at = Sector(9, 9, 9), fixsync.Box(9, 9, 9), Sphere(9), Pose(0, 0, 0)
    for which, pair in (("a", (sector, at, box, at)), ("b", (box, at, sector, at))):
        solid = rf"shape_{which} must be a {A_SOLID}, not Sector\("
        with pytest.raises(ValueError, match=solid):
            function(*pair)
    with pytest.raises(TypeError, match="shape_b must be a Sphere"):
        function(ball, at, ("sphere", 9), at)
    with pytest.raises(TypeError, match="pose_a must be a Pose"):
        function(ball, (0, 0, 0), ball, at)
    if function is fixsync.side:
        with pytest.raises(ValueError, match=r"shape_b must be a Box, not Sphere\(radius=9\)"):
            function(box, at, ball, at)


# Separation.

HERO, WALL, GHOST, AREA = range(4)
YIELDS = [(HERO, HERO), (HERO, WALL)]


def stepped(*colliders: tuple[Any, Pose, int], capacity: int = 8) -> World:
    """A world that was stepped, with colliders of ids from 0 on: shape, pose and layer."""
    world = World(capacity)
    for id, (shape, pose, layer) in enumerate(colliders):
        world.add(id, shape, pose, layer=layer)
    world.step()
    return world


def overlapping(world: World, a: int, b: int) -> bool:
    return world.contact(a, b) == Contact.OVERLAPPING


def test_passes_undo_what_a_crowd_does_to_itself() -> None:
    places = [Pose(x, 0, z) for z in range(0, 240, 60) for x in range(0, 240, 60)]
    world = stepped(*((Sphere(100), place, HERO) for place in places), capacity=16)
    once = world.copy()
    once.separate(YIELDS)
    assert any(overlapping(once, a, b) for a, b in itertools.combinations(range(16), 2))
    world.separate(YIELDS, passes=100)
    assert not any(overlapping(world, h.a, h.b) for h in world.hits())
    assert world.separate(YIELDS) == []


# A world of few layers, owners and places, so that much overlaps.
COLLIDERS = st.tuples(
    shapes(size=st.integers(1, 40)),
    st.tuples(*(st.integers(-60, 60) for _ in range(3)), yaws()),
    st.integers(0, 3),  # layer
    st.integers(0, 2),  # owner
    st.tuples(*(st.integers(-9, 9) for _ in range(3))),
    st.sampled_from([True, True, True, False]),
)
LAYER_PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)


@given(
    st.lists(COLLIDERS, min_size=2, max_size=7),
    st.sampled_from([None, [(0, 0), (0, 1), (1, 2)]]),
    LAYER_PAIRS,
    st.integers(1, 3),
    st.data(),
)
def test_separate_moves_whom_the_model_moves(
    rows: list[Any], layers: Any, yields: list[tuple[int, int]], passes: int, data: st.DataObject
) -> None:
    world, twin = World(8, layers=layers), model.ModelWorld(8, layers=layers)
    for id, (shape, pose, layer, owner, offset, active) in enumerate(rows):
        options = {"layer": layer, "owner": owner, "offset": offset, "active": active}
        world.add(id, shape_from_tuple(shape), Pose(*pose), **options)
        twin.add(id, shape, pose, **options)
    world.step()
    twin.step()
    # What the game does between a step and a separation.
    changed = data.draw(st.integers(0, len(rows) - 1))
    match data.draw(st.integers(0, 3)):
        case 0:
            world.remove(changed)
            twin.remove(changed)
        case 1:
            world.set_active(changed, False)
            twin.set_active(changed, False)
        case 2:
            world.move(changed, 0, 0, 0)
            twin.move(changed, 0, 0, 0)
    reloaded = World.from_bytes(world.save(), 8)
    moved = world.separate(yields, passes=passes)
    masks = [sum(1 << j for j in range(32) if (i, j) in yields) for i in range(32)]
    assert list(map(tuple, moved)) == model_push.separate(twin, masks, passes)
    assert world.save() == twin.save()
    assert reloaded.separate(yields, passes=passes) == moved
    assert reloaded.hash() == world.hash()


class _Log:
    def __init__(self) -> None:
        self.commands: list[Any] = []

    def changed(self, command: Any) -> None:
        self.commands.append(command)

    def stepped(self, events: Any) -> None: ...

    def loaded(self) -> None: ...


def test_an_observer_hears_each_push_as_a_move() -> None:
    world = World(4)
    for id in range(4):
        world.add(id, Sphere(100), Pose(id * 50, 7, 0), offset=(id, 0, 0))
    world.step()
    replayed, log = world.copy(), _Log()
    world.attach(log)
    moved = world.separate(YIELDS, passes=2)
    assert log.commands == [("move", m.id, (m.x, m.y, m.z)) for m in moved]
    for _, id, (x, y, z) in log.commands:
        replayed.move(id, x, y, z)
    assert replayed.hash() == world.hash()


def test_a_push_out_of_range_is_an_error_that_moves_nothing() -> None:
    world, log = World(8), _Log()
    world.add(0, Sphere(100), Pose(0, 0, 0))
    world.add(1, Sphere(100), Pose(10, 0, 0))
    world.add(4, Sphere(100), Pose(INT32_MAX - 10, 0, 0))
    world.add(6, Sphere(100), Pose(INT32_MAX, 0, 0))
    world.step()
    before = world.save()
    world.attach(log)
    with pytest.raises(ValueError, match=r"would push id 6 outside -2147483648\.\.2147483647"):
        world.separate(YIELDS)
    assert world.save() == before
    assert log.commands == []
    # Nor is it kept who would have been moved: the next separation tells of all of them.
    world.move(6, 0, 0, 9999)
    other = World.from_bytes(world.save(), 8)
    assert [m.id for m in other.separate(YIELDS)] == [0, 1]
    assert [m.id for m in world.separate(YIELDS)] == [0, 1]
    assert world.save() == other.save()


@pytest.mark.parametrize(
    ("yields", "push"), [([(0, 1)], 30), ([(0, 1), (1, 0)], 15)], ids=["it", "both"]
)
@pytest.mark.parametrize("end", [-INT32_MAX - 1, INT32_MAX])
@pytest.mark.parametrize("axis", [0, 2])
def test_a_body_is_pushed_to_the_end_of_int32_and_not_past_it(
    axis: int, end: int, yields: list[tuple[int, int]], push: int
) -> None:
    inwards = 1 if end < 0 else -1
    for hero, wall, room in ((3, 5, push), (3, 5, push - 1), (5, 3, push), (5, 3, push - 1)):
        world = World(6)
        for id, radius, distance, layer in ((hero, 20, room, 0), (wall, 30, room + 20, 1)):
            place = [5, 7, 9]
            place[axis] = end + inwards * distance
            world.add(id, Sphere(radius), Pose(*place), layer=layer)
        world.step()
        before = world.save()
        if room == push:
            moved = {m.id: (m.x, m.y, m.z)[axis] for m in world.separate(yields)}
            assert moved[hero] == end
            assert moved.get(wall, end) == end + (inwards * 50 if len(yields) == 2 else 0)
        else:
            with pytest.raises(ValueError, match=f"would push id {hero} outside"):
                world.separate(yields)
            assert world.save() == before


def test_an_offset_is_kept_in_range_too() -> None:
    """The pose would fit, the centre would not."""
    world = World(2)
    world.add(0, Sphere(100), Pose(0, 0, 0), offset=(INT32_MAX - 50, 0, 0))
    world.add(1, fixsync.Box(100, 9, 999), Pose(INT32_MAX - 60, 0, 0), layer=WALL)
    world.step()
    before = world.save()
    with pytest.raises(ValueError, match="would push id 0"):
        world.separate(YIELDS)
    assert world.save() == before


@refusals("""
w.separate([(0, 32)]) | ValueError | yields
w.separate([(0,)]) | ValueError | yields
w.separate([0]) | TypeError | yields
w.separate("ab") | TypeError | yields
w.separate([(0, 1.0)]) | TypeError | yields
w.separate([], passes=0) | ValueError | passes
w.separate([], passes=2**32) | ValueError | passes
w.separate([], passes=True) | TypeError | passes
""")
def test_separate_refuses_what_is_no_list_of_layers_or_number_of_passes(refused: Refused) -> None:
    refused(w=World(2))


def test_c_tells_the_room_that_a_separation_needs_and_moves_nothing() -> None:
    world = stepped(*((Sphere(100), Pose(x, 0, 0), HERO) for x in (0, 9, 18)))
    before, masks = world.save(), [1] * 32
    rows, count = ffi.new("fxs_moved[]", 2), ffi.new("uint64_t *")
    assert lib.fxs_world_separate(world._native._world, masks, 1, rows, 2, count) == lib.FXS_E_ROOM
    assert count[0] == 3
    assert world.save() == before


def who_may_be_pushed() -> World:
    world = World(8)
    world.add(1, Sphere(100), Pose(0, 0, 0), offset=(50, 20, 0), active=False)
    world.add(2, fixsync.Box(100, 100, 100), Pose(0, 0, 0, 16384), owner=3)
    world.add(3, Sector(100, 100, 100), Pose(0, 0, 0))
    return world


def test_a_world_answers_for_its_colliders_where_they_stand() -> None:
    world = who_may_be_pushed()
    assert world.push_out(1, 2) == (150, 0)
    assert world.lift(1, 2) == 180
    assert world.side(1, 2) == Side.NEG_Z


@refusals(f"""
w.side(2, 1) | ValueError | the shape of b (1) must be a Box, not Sphere
w.push_out(1, 3) | ValueError | the shape of b (3) must be a {A_SOLID}
w.lift(7, 2) | KeyError | a: id 7 is not in the world
w.side(1, 8) | ValueError | b must be 0..7, not 8
""")
def test_a_world_names_whom_it_cannot_push(refused: Refused) -> None:
    refused(w=who_may_be_pushed())

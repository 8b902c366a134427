"""What a game does with a cast's answer: going as far as the hit, sliding along it, bouncing off
it.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from refusals import Refused, refusals

from fixsync import (
    ONE,
    Box,
    Contact,
    Cylinder,
    Pose,
    Sector,
    Shape,
    Sphere,
    World,
    cast_pair,
    degrees,
    overlap,
)
from fixsync.game.motion import along, bounce, move_and_slide, slide
from fixsync.synctest import strategies as fst

UP = (0, 1 << 30, 0)
STEP = (1 << 29) - 1

parts = (
    st.integers(-20 * ONE, 20 * ONE)
    | st.integers(-8, 8)
    | st.just(0)
    | st.sampled_from((STEP, -STEP))
)
motions = st.tuples(parts, parts, parts)
nudges = st.integers(-ONE // 2, ONE // 2) | st.just(0)


@st.composite
def aimed(draw: st.DrawFn) -> tuple[Shape, Pose, tuple[int, int, int], Shape, Pose]:
    """A shape that moves more or less at the middle of another."""
    a, b = draw(fst.shapes(sectors=False)), draw(fst.shapes(sectors=False))
    start, place = draw(fst.poses(40 * ONE)), draw(fst.poses())
    times = draw(st.integers(1, 4))
    x, y, z = (
        (end - begin) * times // 2 + draw(nudges)
        for begin, end in ((start.x, place.x), (start.y, place.y), (start.z, place.z))
    )
    return a, start, (x, y, z), b, place


def moved(pose: Pose, motion: tuple[int, int, int]) -> Pose:
    return Pose(pose.x + motion[0], pose.y + motion[1], pose.z + motion[2], pose.yaw)


def dot(a: tuple[int, int, int], b: tuple[int, int, int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


@given(case=aimed(), hit_when=st.sampled_from((Contact.TOUCHING, Contact.OVERLAPPING)))
# Touching exactly, where the normal 3:4 is rounded.
@example(
    (
        Sphere(2 * ONE),
        Pose(-6 * ONE, 8 * ONE, 0),
        (6 * ONE, -8 * ONE, 5),
        Sphere(3 * ONE),
        Pose(0, 0, 0),
    ),
    Contact.OVERLAPPING,
)
@example((Sphere(2), Pose(-3, 4, 0), (7, 5, 0), Sphere(3), Pose(0, 0, 0)), Contact.OVERLAPPING)
@example(
    (Sphere(2), Pose(-3, 4, 0), (4000, 2999, 0), Sphere(3), Pose(0, 0, 0)), Contact.OVERLAPPING
)
def test_what_goes_as_far_as_a_hit_does_not_overlap_and_what_slides_on_does_not_hit_again(
    case: tuple[Shape, Pose, tuple[int, int, int], Shape, Pose], hit_when: Contact
) -> None:
    a, start, motion, b, place = case
    met = cast_pair(a, start, motion, b, place, (0, 0, 0), hit_when=hit_when)
    assume(met is not None and met[1] != (0, 0, 0))
    assert met is not None
    fraction, normal = met
    done = along(motion, fraction, normal)
    there = moved(start, done)
    assert overlap(a, there, b, place) != Contact.OVERLAPPING
    rest = slide((motion[0] - done[0], motion[1] - done[1], motion[2] - done[2]), normal)
    assert cast_pair(a, there, rest, b, place, (0, 0, 0), hit_when=Contact.OVERLAPPING) is None


@given(motions, st.integers(0, 65536))
def test_the_part_of_a_motion_is_rounded_toward_zero_or_to_where_the_normal_points(
    motion: tuple[int, int, int], fraction: int
) -> None:
    assert along(motion, fraction) == tuple(int(Fraction(m * fraction, 65536)) for m in motion)
    out = along(motion, fraction, (1, -1, 0))
    exact = [Fraction(m * fraction, 65536) for m in motion]
    assert 0 <= out[0] - exact[0] < 1
    assert 0 <= exact[1] - out[1] < 1
    assert out[2] == int(exact[2])
    assert along(motion, 65536, (5, 5, -5)) == motion


@given(motions, motions, st.integers(0, ONE))
def test_a_bounce_is_the_formula_rounded_to_where_the_normal_points(
    motion: tuple[int, int, int], toward: tuple[int, int, int], kept: int
) -> None:
    assume(any(toward))
    size = Fraction(max(map(abs, toward)))
    x, y, z = (int(part / size * 2**29) for part in toward)
    normal = x, y, z
    assume(any(normal))
    found = bounce(motion, normal, kept)
    into = dot(motion, normal)
    if into >= 0:
        assert found == motion
        return
    assert dot(found, normal) >= 0
    slack = Fraction(sum(map(abs, motion)), 10**7) + 1
    for part, m, n in zip(found, motion, normal, strict=True):
        exact = m - (1 + Fraction(kept, ONE)) * into * Fraction(n, dot(normal, normal))
        off = (part - exact) * (1 if n > 0 else -1)
        assert 0 <= off < slack if n else part == m


def test_a_motion_that_slides_on_a_floor_keeps_its_way_to_the_raw_unit() -> None:
    assert slide((12345, -777, -99), UP) == (12345, 0, -99)
    assert slide((12345, 0, -99), UP) == (12345, 0, -99)
    assert slide((12345, 5, -99), UP) == (12345, 5, -99)
    assert bounce((12345, -778, -99), UP) == (12345, 778, -99)
    assert bounce((12345, -778, -99), UP, ONE // 2) == (12345, 389, -99)


@pytest.mark.parametrize("yaw", [0, 1, 4096, degrees(30), 8192, 20000])
def test_a_dash_along_walls_ends_in_no_wall(yaw: int) -> None:
    """A body that dashes and slides in a room of four turned walls and a pillar overlaps none."""
    world = World(8, hit_when=Contact.OVERLAPPING, layers=[(0, 1)])
    world.add(0, Cylinder(ONE // 2, ONE), Pose(0, 0, 2 * ONE))
    for side in range(4):
        turned = (yaw + side * 16384) % 65536
        world.add(
            1 + side,
            Box(ONE, 2 * ONE, 8 * ONE),
            Pose(0, 0, 0, turned),
            offset=(6 * ONE, 0, 0),
            layer=1,
        )
    world.add(5, Cylinder(ONE, ONE), Pose(0, 0, 0), layer=1)
    met, far = 0, 0
    for step in range(200):
        motion = (7919 * step % 611953 - 305976, 0, 104729 * step % 611953 - 305976)
        before = world[0].pose
        met += len(move_and_slide(world, 0, motion))
        far += abs(world[0].pose.x - before.x) + abs(world[0].pose.z - before.z)
        assert world.step() == [], "nothing is overlapped"
        assert world.query(Cylinder(8 * ONE, ONE), Pose(0, 0, 0), mask=1) == [0], (
            "it is still in the room"
        )
    assert met > 100
    assert far > 200 * ONE, "it is not stuck"


@given(fst.worlds(capacity=6), st.data())
def test_what_moves_and_slides_ends_in_nothing_that_it_was_not_in(
    world: World, data: st.DataObject
) -> None:
    movers = [id for id in world if not isinstance(world[id].shape, Sector)]
    assume(movers)
    id = data.draw(st.sampled_from(movers))
    mask = data.draw(st.sampled_from((0xFFFFFFFF, 0b0011)))

    def overlapped() -> set[int]:
        hits = world.sweep(id, (0, 0, 0), hit_when=Contact.OVERLAPPING)
        return {hit.id for hit in hits if mask >> world[hit.id].layer & 1}

    before, start = overlapped(), world[id].pose
    came_to = move_and_slide(
        world, id, data.draw(motions), mask=mask, passes=data.draw(st.integers(1, 6))
    )
    assert overlapped() == before
    if before:
        assert (came_to[0].id in before, came_to[0].fraction, came_to[0].normal) == (
            True,
            0,
            (0, 0, 0),
        )
        assert world[id].pose == start
    assert all(mask >> world[hit.id].layer & 1 for hit in came_to)


def test_a_dash_out_of_the_world_is_refused_and_moves_nothing() -> None:
    world = World(4)
    world.add(0, Sphere(ONE), Pose(2**31 - 1 - 4 * ONE, 0, 0))
    world.add(1, Box(2 * ONE, ONE, ONE), Pose(2**31 - 1 - 4 * ONE, 0, 4 * ONE))
    before = world.save()
    with pytest.raises(ValueError, match="must not lead outside"):
        move_and_slide(world, 0, (8 * ONE, 0, 8 * ONE))
    assert world.save() == before
    assert len(move_and_slide(world, 0, (ONE, 0, 8 * ONE))) == 1, (
        "it comes to the wall before it leaves"
    )


def test_a_dash_through_what_is_not_in_the_mask_is_free() -> None:
    world = World(4)
    world.add(0, Sphere(ONE), Pose(0, 0, 0))
    world.add(1, Box(1, ONE, ONE), Pose(4 * ONE, 0, 0), layer=3)
    assert move_and_slide(world, 0, (8 * ONE, 0, 0), mask=0b0111) == []
    assert world[0].pose.x == 8 * ONE
    assert [hit.id for hit in move_and_slide(world, 0, (-8 * ONE, 0, 0))] == [1]
    assert 5 * ONE + 1 <= world[0].pose.x <= 5 * ONE + 1 + 8, (
        "65536ths of the motion are 8 raw units"
    )


@refusals("""
slide((1, 2, 3), (0, 0, 0)) | ValueError | push_out first
bounce((0, 0, 0), (0, 0, 0)) | ValueError | normal must not be (0, 0, 0)
along((1, 2, 3), 65537) | ValueError | fraction must be 0..65536, not 65537
along((1 << 29, 0, 0), 1) | ValueError | motion: mx must be
bounce((0, 0, 0), UP, ONE + 1) | ValueError | kept must be 0..65536, not 65537
slide((0, 0, 0), (1 << 32, 0, 0)) | ValueError | normal: nx must be
slide((0, 0), UP) | ValueError | motion must be
slide((0.5, 0, 0), UP) | TypeError | motion: mx must be
""")
def test_what_is_out_of_range_is_refused(refused: Refused) -> None:
    refused()

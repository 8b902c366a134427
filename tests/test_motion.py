"""What a game does with a cast's answer: going as far as the hit, sliding along it, bouncing off
it.
"""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st
from refusals import Refused, refusals

from fixsync import (
    ONE,
    Contact,
    Pose,
    Shape,
    Sphere,
    cast_pair,
    overlap,
)
from fixsync.game.motion import along, bounce, slide
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


def test_a_motion_that_slides_on_a_floor_keeps_its_way_to_the_raw_unit() -> None:
    assert slide((12345, -777, -99), UP) == (12345, 0, -99)
    assert slide((12345, 0, -99), UP) == (12345, 0, -99)
    assert slide((12345, 5, -99), UP) == (12345, 5, -99)
    assert bounce((12345, -778, -99), UP) == (12345, 778, -99)
    assert bounce((12345, -778, -99), UP, ONE // 2) == (12345, 389, -99)


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

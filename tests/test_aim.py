"""Aiming against the model's integers: turns, facing, vectors of a yaw, and other engines'
angles.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import model
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, TURN
from refusals import Refused, refusals
from strategies import coordinates, half_angles, nasty, poses, yaws
from tools import each

import fixsync
from fixsync import Box, Contact, Pose, overlap
from fixsync._native.raw import ffi, lib
from fixsync.world import aim
from fixsync.world.aim import GODOT, UNITY, UNREAL, Engine

ENGINES = [UNITY, GODOT, UNITY.mirrored(), GODOT.mirrored()]
ALL = [*ENGINES, UNREAL, UNREAL.mirrored()]
ANGLES = st.fractions(-720, 720, max_denominator=400) | st.integers(-720, 720).map(Fraction)


def ordered(angle: int) -> int:
    """The signed turn of a number of steps, half a turn being the negative one."""
    return (angle + TURN // 2) % TURN - TURN // 2


@given(yaws(), yaws())
@example(0, 32768)
@example(32768, 0)
def test_a_turn_between_yaws_is_the_shorter_one_and_gets_there(start: int, end: int) -> None:
    turn = fixsync.yaw_between(start, end)
    assert turn == ordered(end - start)
    assert (start + turn) % TURN == end


@given(poses(), coordinates(), coordinates())
@example((INT32_MIN, 0, INT32_MAX, 7), INT32_MAX, INT32_MIN)
def test_yaw_towards_and_bearing_are_the_models_yaw_of_the_difference(
    pose: Any, x: int, z: int
) -> None:
    dx, dz = x - pose[0], z - pose[2]
    towards = model.yaw_of(dx, dz) if (dx, dz) != (0, 0) else pose[3]
    assert fixsync.yaw_towards(Pose(*pose), x, z) == towards
    assert fixsync.bearing(Pose(*pose), x, z) == ordered(towards - pose[3])


def test_who_stands_on_its_target_keeps_its_yaw() -> None:
    assert fixsync.yaw_towards(Pose(5, 6, 7, 1234), 5, 7) == 1234
    assert fixsync.bearing(Pose(5, 6, 7, 1234), 5, 7) == 0
    assert fixsync.faces(Pose(5, 6, 7, 1234), 5, 7, 1)


@given(yaws(), yaws(), st.integers(0, TURN))
def test_turned_towards_takes_the_shorter_way_and_goes_no_further(
    yaw: int, end: int, most: int
) -> None:
    turned = fixsync.turn_towards(yaw, end, most)
    whole, done = ordered(end - yaw), ordered(turned - yaw)
    assert abs(done) == min(most, abs(whole))
    assert done * whole >= 0


def faces_by_model(pose: Any, x: int, z: int, half_angle: int) -> bool:
    d = x - pose[0], z - pose[2]
    if half_angle == TURN // 2:
        return True
    e1, e2 = model._direction(pose[3] + half_angle), model._direction(pose[3] - half_angle)
    return bool(model.wedge_side(half_angle, model.cross(e2, d), model.cross(d, e1)) >= 0)


@st.composite
def aims(draw: st.DrawFn) -> tuple[Any, int, int, int]:
    """A pose, a place and a half angle; the place anywhere, or on the wedge's border or beside
    it.
    """
    pose, half_angle = draw(poses()), draw(half_angles())
    if draw(st.booleans()):
        return pose, draw(coordinates()), draw(coordinates()), half_angle
    edge = pose[3] + half_angle * draw(st.sampled_from([1, -1]))
    c, s = model._direction(edge)
    scale = draw(nasty(0, 2**31))
    place = [
        max(INT32_MIN, min(INT32_MAX, at + model.R(v * scale) + draw(st.integers(-1, 1))))
        for at, v in ((pose[0], c), (pose[2], s))
    ]
    return pose, place[0], place[1], half_angle


@given(aims())
@example(((0, 0, 0, 0), 0, 5, 16384))
@example(((0, 0, 0, 0), -1, 5, 16384))
@example(((0, 0, 0, 0), -5, 0, 32767))
@example(((INT32_MIN, 0, INT32_MIN, 8192), INT32_MAX, INT32_MAX, 1))
def test_faces_is_the_models_closed_wedge(aim: Any) -> None:
    pose, x, z, half_angle = aim
    assert fixsync.faces(Pose(*pose), x, z, half_angle) == faces_by_model(pose, x, z, half_angle)


def test_faces_in_c_refuses_what_is_out_of_range() -> None:
    assert lib.fxs_faces(65536, 5, 1, 1) == lib.FXS_E_YAW
    assert lib.fxs_faces(0, 0, 1, 1) == lib.fxs_faces(0, 32769, 1, 1) == lib.FXS_E_HALF_ANGLE
    assert lib.fxs_faces(0, 5, 2**32, 1) == lib.fxs_faces(0, 5, 1, -(2**32)) == lib.FXS_E_DISTANCE
    assert lib.fxs_yaw_between(65536 + 5, 3 * 65536 + 7) == 2
    pair = ffi.new("int32_t[2]", [3, 4])
    assert lib.fxs_forward(0, INT32_MIN, pair, pair + 1) == lib.FXS_E_DISTANCE
    assert list(pair) == [3, 4]
    assert lib.fxs_forward(65536 + 16384, 9, pair, pair + 1) == lib.FXS_OK
    assert list(pair) == [0, 9]


@given(yaws(), nasty(-INT32_MAX, INT32_MAX))
@example(0, INT32_MAX)
@example(16384, -INT32_MAX)
def test_forward_is_the_models_direction_rounded_away_from_zero(yaw: int, length: int) -> None:
    c, s = model.direction(yaw)
    assert fixsync.forward(yaw, length) == (model.R(length * c), model.R(length * s))


@refusals("""
yaw_between(65536, 0) | ValueError | start must be
yaw_between(0, -1) | ValueError | end must be
forward(65536, 1) | ValueError | yaw must be
forward(0, INT32_MIN) | ValueError | length must be
faces(HERE, 2**31, 0, 5) | ValueError | x must be
faces(HERE, 0, 0, 0) | ValueError | half_angle must be
yaw_towards(HERE, 0, -(2**31) - 1) | ValueError | z must be
turn_towards(0, 0, -1) | ValueError | most must be
UNITY.angle_facing(65536) | ValueError | yaw must be
UNITY.coordinates(32768, 0, 0) | ValueError | must be
UNITY.position(0, 0, 2**31) | ValueError | z must be
faces((0, 0, 0, 0), 0, 0, 5) | TypeError | pose must be a Pose
bearing(None, 0, 0) | TypeError | pose must be a Pose
""")
def test_what_is_out_of_range_or_no_pose_is_refused(refused: Refused) -> None:
    refused(HERE=Pose(0, 0, 0), **vars(aim))


# Other engines. A turn by t about Y takes a vector (x, z) to (x cos t + z sin t, z cos t - x sin t)
# in both.

QUARTERS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}  # (cos, sin)


@each("engine", ENGINES)
@each("angle", QUARTERS)
def test_quarter_turns_face_what_the_engines_own_rotation_says(engine: Engine, angle: int) -> None:
    c, s = QUARTERS[angle]
    ahead = 1 if engine.name == "Unity" else -1
    x, z = ahead * s, ahead * c
    z = -z if engine.is_mirrored else z
    assert model.direction(engine.yaw_facing(angle)) == (x * 2**30, z * 2**30)


@pytest.mark.parametrize(("engine", "left_handed"), [(UNITY, True), (GODOT, False)])
def test_a_positive_angle_turns_as_the_engines_manual_says(
    engine: Engine, left_handed: bool
) -> None:
    """From above, y towards the eye, +x right: a left-handed space has +z up, a right-handed one
    down.
    """
    before, after = (model.direction(engine.yaw_facing(angle)) for angle in (0, 10))
    up = 1 if left_handed else -1
    counter_clockwise = model.cross((before[0], up * before[1]), (after[0], up * after[1])) > 0
    assert counter_clockwise != left_handed


@pytest.mark.parametrize("engine", ALL)
def test_every_yaw_has_an_exact_angle_that_gives_it_back(engine: Engine) -> None:
    for yaw in range(0, TURN, 7):
        for angle_of, yaw_of in (
            (engine.angle_facing, engine.yaw_facing),
            (engine.angle_turned, engine.yaw_turned),
        ):
            angle = angle_of(yaw)
            assert 0 <= angle < 360
            assert yaw_of(angle) == yaw


@given(st.sampled_from(ALL), ANGLES)
def test_a_yaw_is_the_nearest_to_an_engines_angle(engine: Engine, angle: Fraction) -> None:
    for back in (
        engine.angle_facing(engine.yaw_facing(angle)),
        engine.angle_turned(engine.yaw_turned(angle)),
    ):
        off = (back - angle + 180) % 360 - 180
        assert abs(off) <= Fraction(360, 2 * TURN)


@pytest.mark.parametrize("engine", ALL)
def test_a_box_and_what_faces_are_turned_by_the_same_angle(engine: Engine) -> None:
    for angle in range(-400, 400, 13):
        ahead = engine.yaw_facing(0)
        turn = (engine.yaw_facing(angle) - ahead) % TURN
        assert turn == engine.yaw_turned(angle)


@given(st.sampled_from(ENGINES), coordinates(), coordinates(), coordinates())
def test_a_place_in_an_engines_units_is_exact_and_comes_back(
    engine: Engine, x: int, y: int, z: int
) -> None:
    place = engine.position(x, y, z)
    sign = -1 if engine.is_mirrored else 1
    assert place == (Fraction(x, 65536), Fraction(y, 65536), Fraction(sign * z, 65536))
    if sign * z <= INT32_MAX:
        assert engine.coordinates(*place) == (x, y, z)


def test_a_mirrored_engine_shows_the_same_picture() -> None:
    """A wall as Unity has it, sent to a Godot that is mirrored, stands in Godot as its mirror
    image.
    """
    place = UNITY.coordinates("1.5", 0, "-2.25")
    assert GODOT.mirrored().position(*place) == (Fraction(3, 2), 0, Fraction(9, 4))
    assert GODOT.mirrored().angle_turned(UNITY.yaw_turned(30)) == Fraction(330) + _slip(30)
    assert UNITY.mirrored().mirrored() == UNITY


def _slip(angle: int) -> Fraction:
    """How far -angle is from the nearest yaw's."""
    return angle - Fraction(round(Fraction(angle * TURN, 360)) * 360, TURN)


def test_coordinates_are_rounded_to_nearest_even_both_ways() -> None:
    half = Fraction(1, 2**17)
    assert UNITY.coordinates(half, 3 * half, -half) == (0, 2, 0)
    assert UNITY.mirrored().coordinates(half, 3 * half, 3 * half) == (0, 2, -2)


def test_boxes_turned_by_an_engine_touch_where_it_shows_them_touch() -> None:
    """Two unit boxes turned by a quarter of a turn, a box's length apart, in both engines."""
    for engine in ENGINES:
        yaw = engine.yaw_turned(90)
        pose = Pose(0, 0, 0, yaw), Pose(0, 0, 2 * 196608, yaw)
        assert (
            overlap(Box(196608, 1, 65536), pose[0], Box(196608, 1, 65536), pose[1])
            == Contact.TOUCHING
        )


@pytest.mark.parametrize("angle", QUARTERS)
def test_unreal_turns_x_towards_y_which_is_fixsyncs_z(angle: int) -> None:
    c, s = QUARTERS[angle]
    assert model.direction(UNREAL.yaw_facing(angle)) == (c * 2**30, s * 2**30)
    assert UNREAL.yaw_turned(angle) == UNREAL.yaw_facing(angle)
    assert model.direction(UNREAL.mirrored().yaw_facing(angle)) == (c * 2**30, -s * 2**30)


@given(coordinates(), coordinates(), coordinates())
def test_a_place_in_unreal_is_in_centimetres_with_z_up(x: int, y: int, z: int) -> None:
    place = UNREAL.position(x, y, z)
    assert place == (Fraction(100 * x, 65536), Fraction(100 * z, 65536), Fraction(100 * y, 65536))
    assert UNREAL.coordinates(*place) == (x, y, z)
    assert UNREAL.coordinates("150", 25, "-0.5") == (98304, -328, 16384)

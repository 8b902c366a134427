"""Flat shapes, against planar arithmetic and the model's contacts."""

from __future__ import annotations

import model
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, SIZE_MAX
from strategies import coordinates, sizes, yaws

from fixsync import Contact, Pose, Sector, Side, Sphere, flat, overlap, side

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


def test_flat_shapes_are_made_of_checked_sizes() -> None:
    for make in (
        lambda: flat.circle(0),
        lambda: flat.rectangle(1, 2**29),
        lambda: flat.sector(1, 0),
    ):
        with pytest.raises(ValueError, match="must be"):
            make()  # type: ignore[no-untyped-call]
    assert flat.sector(7, 9) == Sector(7, 9, SIZE_MAX)

"""Drawing with pygame: the pixels of a world are where its shapes are, and nothing in it changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import every_kind
from tools import needs, ran

from fixsync import (
    LEVEL,
    ONE,
    RAY,
    Box,
    Capsule,
    Cylinder,
    Level,
    Pillar,
    Pose,
    Prism,
    Sector,
    Shape,
    Sphere,
    World,
)
from fixsync.base.names import Names
from fixsync.world.draw import View, between, poses

SIZE = (160, 120)
PIXELS = 16
INT32 = st.integers(-(2**31), 2**31 - 1)
POSES = st.builds(Pose, INT32, INT32, INT32, st.integers(0, 65_535))


@given(POSES, POSES, st.integers(0, 65_535))
def test_a_pose_between_two_is_the_exact_one_rounded_down(a: Pose, b: Pose, alpha: int) -> None:
    found = between(a, b, alpha)
    share = Fraction(alpha, 65_536)
    for name in ("x", "y", "z"):
        one, other = getattr(a, name), getattr(b, name)
        assert getattr(found, name) == (one + (other - one) * share) // 1
    turned, whole = (found.yaw - a.yaw) % 65_536, (b.yaw - a.yaw) % 65_536
    if whole < 32_768:
        assert turned == whole * share // 1
    else:
        assert (turned - 65_536 if turned else 0) == (whole - 65_536) * share // 1


def test_a_share_beyond_the_two_poses_is_refused() -> None:
    for alpha in (-1, 65_536):
        with pytest.raises(ValueError, match=r"alpha must be 0\.\.65535"):
            between(Pose(0, 0, 0), Pose(1, 1, 1), alpha)
    with pytest.raises(TypeError):
        between(Pose(0, 0, 0), Pose(1, 1, 1), 0.5)  # type: ignore[arg-type]


def test_without_pygame_the_module_is_imported_and_a_view_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['pygame'] = None\n"
        "from fixsync.world.draw import View, between\n"
        "try: View(None)\n"
        "except ImportError as wrong: print(wrong)\n"
    )
    done = ran([sys.executable, "-c", program], check=True)
    assert done.stdout == "fixsync.world.draw needs pygame: pip install '.[pygame]'\n"


@pytest.fixture(scope="module")
def pygame() -> Iterator[Any]:
    found = needs("pygame")
    found.font.init()
    yield found
    found.font.quit()


def view_of(pygame: Any, **settings: Any) -> View:
    return View(pygame.Surface(SIZE), **{"pixels": PIXELS, **settings})


def is_drawn(view: View, x: int, y: int) -> bool:
    return tuple(view.surface.get_at((x, y)))[:3] != (0, 0, 0)


SHAPES: list[Shape] = every_kind(
    [
        Sphere(2 * ONE),
        Capsule(ONE, ONE),
        Cylinder(ONE * 3 // 2, ONE),
        Box(2 * ONE, ONE, ONE),
        Sector(3 * ONE, 9_000, ONE),
        Sector(3 * ONE, 25_000, ONE, ONE),
        Sector(3 * ONE, 32_768, ONE, 2 * ONE),
    ]
)
LEVEL_OF = Level(
    [
        Prism([(-4 * ONE, -3 * ONE), (-2 * ONE, -3 * ONE), (-3 * ONE, -ONE)], -ONE, ONE),
        Pillar(3 * ONE, 2 * ONE, ONE, -ONE, ONE),
    ]
)


@pytest.mark.full
@pytest.mark.parametrize("z_down", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_from_above_a_pixel_is_drawn_where_a_ray_hits(
    pygame: Any, shape: Shape, z_down: bool
) -> None:
    """Pixels at an edge, less than three from one that is answered differently, are left out."""
    world = World(2, level=LEVEL_OF)
    world.add(1, shape, Pose(ONE // 3, 0, -ONE // 4, 5_000), offset=(ONE, 0, ONE // 2))
    before = world.save()
    view = view_of(pygame, centre=(ONE // 2, 0, ONE // 4), z_down=z_down)
    view.world(world)
    assert world.save() == before
    width, height = SIZE
    hit = {}
    for x in range(width):
        for y in range(height):
            place = Pose(
                ONE // 2 + (2 * (x - width // 2) + 1) * ONE // (2 * PIXELS),
                0,
                ONE // 4
                + (1 if z_down else -1) * (2 * (y - height // 2) + 1) * ONE // (2 * PIXELS),
            )
            # A sector is not found by a sector, but a ball of the smallest size finds all shapes.
            hit[x, y] = bool(world.query(RAY, place))
    sure = [
        (x, y)
        for x in range(2, width - 2)
        for y in range(2, height - 2)
        if len({hit[x + i, y + j] for i in range(-2, 3) for j in range(-2, 3)}) == 1
    ]
    assert {hit[place] for place in sure} == {True, False}
    wrong = [place for place in sure if is_drawn(view, *place) != hit[place]]
    assert not wrong


@pytest.mark.full
def test_from_the_side_up_is_up_and_round_ends_are_round(pygame: Any) -> None:
    world = World(3)
    world.add(0, Capsule(ONE, ONE), Pose(-2 * ONE, 0, 0))
    world.add(1, Box(ONE, ONE // 2, ONE), Pose(2 * ONE, 2 * ONE, 0))
    view = view_of(pygame, side=True, z_down=True)  # which is for the view from above
    view.world(world)
    assert view.point(0, ONE, 0)[1] < view.point(0, 0, 0)[1]
    for x, y, drawn in (
        (-2, 0, True),
        (-2, 1, True),
        (2, 2, True),
        (2, 0, False),
        (2, -2, False),
    ):
        assert is_drawn(view, *view.point(x * ONE, y * ONE, 0)) == drawn, (x, y)
    left, top = view.point(-3 * ONE, 2 * ONE, 0)
    assert not is_drawn(view, left + 1, top + 1), "the corner of a capsule"
    left, top = view.point(ONE, 2 * ONE + ONE // 2, 0)
    assert is_drawn(view, left + 1, top + 1), "the corner of a box"


@pytest.mark.full
def test_a_collider_is_drawn_between_the_poses_before_and_after_a_step(pygame: Any) -> None:
    world = World(2)
    world.add(0, Sphere(ONE // 2), Pose(-4 * ONE, 0, 0))
    before = poses(world)
    world.move(0, 4 * ONE, 0, 0)
    world.add(1, Sphere(ONE // 2), Pose(0, 0, 3 * ONE))
    for alpha, x in ((0, -4), (32_768, 0), (65_535, 4)):
        view = view_of(pygame)
        view.world(world, before, alpha)
        for other in (-4, 0, 4):
            at = view.point(other * ONE, 0, 0)
            assert is_drawn(view, *at) == (other == x)
        assert is_drawn(view, *view.point(0, 0, 3 * ONE)), "it was not there before the step"


@pytest.mark.full
def test_names_hits_colours_and_inactive_colliders_are_seen(pygame: Any) -> None:
    world = World(4, level=LEVEL_OF)
    world.add(0, Sphere(ONE), Pose(-ONE // 2, 0, 0))
    world.add(1, Sphere(ONE), Pose(ONE // 2, 0, 0))
    world.add(2, Box(ONE, ONE, ONE), Pose(-3 * ONE, 0, 2 * ONE), active=False)
    world.step()
    colours = {0: (1, 2, 3), LEVEL: (9, 8, 7)}
    view = view_of(pygame, z_down=True, colours=colours, names=Names(ids={2: "gate"}))
    plain = view_of(pygame, z_down=True, colours={0: (1, 2, 3)})
    view.world(world)
    plain.world(world, hits=False)
    bright = view.surface.get_at(view.point(0, 0, 0))
    assert bright != plain.surface.get_at(plain.point(0, 0, 0)), "the line between the two"
    assert view.surface.get_at(view.point(-ONE, 0, ONE // 2))[:3] == (1, 2, 3)
    assert view.surface.get_at(view.point(-3 * ONE, 0, -2 * ONE))[:3] == (9, 8, 7)
    x, y = view.point(-3 * ONE, 0, 2 * ONE)
    assert not is_drawn(view, x, y), "only its edge"
    assert is_drawn(view, x - PIXELS, y)
    above = pygame.Rect(x - 16, y - PIXELS - 16, 32, 12)
    counts = [
        sum(
            is_drawn(each, px, py)
            for px in range(above.left, above.right)
            for py in range(above.top, above.bottom)
        )
        for each in (view, plain)
    ]
    assert counts[0] > counts[1], "its name"


@pytest.mark.full
def test_settings_of_a_view_that_cannot_be_are_refused(pygame: Any) -> None:
    for wrong, error in (
        ({"pixels": 0}, r"pixels must be 1\.\.4096, not 0"),
        ({"centre": (0, 0)}, r"centre must be \(x, y, z\)"),
        ({"side": 1}, "side must be True or False"),
        ({"z_down": 1}, "z_down must be True or False"),
    ):
        with pytest.raises((TypeError, ValueError), match=error):
            view_of(pygame, **wrong)

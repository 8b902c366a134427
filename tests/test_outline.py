"""Outlines for drawing: the model, ideal circles, the C function's statuses, and Q16.16 macros."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import model
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from refusals import Refused, refusals

from fixsync import (
    LEVEL,
    Contact,
    Cylinder,
    Level,
    Pillar,
    Pose,
    Prism,
    Sphere,
    World,
    degrees,
    outline,
    overlap,
    q,
    q_near,
)
from fixsync._native.kinds import KINDS_BY_NAME
from fixsync._native.raw import ffi, lib
from fixsync.world.shapes import shape_from_tuple

CSRC = Path(__file__).parent.parent / "csrc"
COMPILERS = [
    command
    for command in (["gcc"], ["clang"], ["g++", "-xc++", "-std=c++11"])
    if shutil.which(command[0])
]
segments = st.integers(3, 40) | st.sampled_from([64, 65535, 65536])


@strategies.examples(200)
@given(strategies.shapes(), strategies.poses(), segments)
def test_an_outline_is_the_models(shape: Any, pose: Any, count: int) -> None:
    expected = model.outline(shape, pose, count)
    assert outline(shape_from_tuple(shape), Pose(*pose), segments=count) == expected


@strategies.examples(100)
@given(strategies.shapes(), strategies.poses(), st.tuples(*[st.integers(-(2**16), 2**16)] * 3))
def test_a_colliders_outline_stands_around_its_centre(shape: Any, pose: Any, offset: Any) -> None:
    world = World(2)
    try:
        centre = model.centre(pose, offset)
    except ValueError:
        return
    world.add(1, shape_from_tuple(shape), Pose(*pose), offset=offset, active=False)
    assert world.outline(1, segments=9) == model.outline(shape, (*centre, pose[3]), 9)


def test_a_solids_outline_is_its_vertices_or_its_circle() -> None:
    corners = [(-70, -90), (80, -60), (8, 30), (-99, 7)]
    level = Level([Prism(corners, -5, 9, 2), Pillar(2**31 - 1, -7, 5000, -(2**31), 2**31 - 1)])
    world = World(2, level=level)
    assert world.outline(LEVEL) == level.outline(0) == (corners, [], -5, 9)
    circle = model.outline(("cylinder", 5000, 1), (2**31 - 1, 0, -7, 0), 12)[0]
    for drawn in (level.outline(1, segments=12), world.outline(LEVEL + 1, segments=12)):
        assert drawn == (circle, [], -(2**31), 2**31 - 1)
    for outline_of in (level.outline, lambda index: world.outline(LEVEL + index)):
        with pytest.raises(ValueError, match="must be"):
            outline_of(2)


@strategies.examples(100)
@given(strategies.shapes(), strategies.poses(), segments)
def test_an_outline_turns_one_way_around_what_it_encloses(shape: Any, pose: Any, n: int) -> None:
    drawn = outline(shape_from_tuple(shape), Pose(*pose), segments=n)
    for polygon, sign in ((drawn.outer, 1), (drawn.hole, -1)):
        area = sum(
            ax * bz - bx * az
            for (ax, az), (bx, bz) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
        )
        assert area * sign >= 0


def test_the_vertices_of_a_circle_are_on_it_and_begin_where_it_faces() -> None:
    radius, pose = q(5), Pose(q(1), q(2), q(3), degrees(90))
    drawn = outline(Cylinder(radius, q(1)), pose, segments=360)
    assert drawn.outer[0] == (q(1), q(8))
    for x, z in drawn.outer:
        distance_sq = (x - pose.x) ** 2 + (z - pose.z) ** 2
        assert (radius - 1) ** 2 < distance_sq < (radius + 1) ** 2
    assert (drawn.y_low, drawn.y_high) == (q(1), q(3))


@pytest.mark.parametrize("kind", strategies.KINDS)
def test_a_shape_is_found_wherever_its_outline_is(kind: str) -> None:
    """By the exact contact, which looks at nothing outside the extents, and in a world."""
    chance = Random(5)
    for _ in range(40):
        sizes = [chance.randint(max(1, low), min(high, 9999)) for _, low, high in model.KINDS[kind]]
        shape, pose = shape_from_tuple((kind, *sizes)), Pose(0, 0, 0, chance.randrange(65536))
        world = World(1)
        world.add(0, shape, pose)
        for x, z in outline(shape, pose, segments=24).outer:
            there = Sphere(3), Pose(x, 0, z)
            reported = f"{shape}, yaw {pose.yaw}, is not at {x}, {z}: see reach_of in shape.h, or outline.c"
            assert overlap(shape, pose, *there) == Contact.OVERLAPPING, reported
            assert list(world.query(*there)) == [0], reported


@pytest.mark.parametrize("kind", strategies.KINDS)
def test_a_kind_can_be_mirrored_and_has_a_front_if_half_a_turn_changes_it(kind: str) -> None:
    """Otherwise a mirrored part would face the wrong way without a word."""
    chance, changed = Random(6), []
    for _ in range(40):
        sizes = [chance.randint(max(1, low), min(high, 9999)) for _, low, high in model.KINDS[kind]]
        shape, yaw = shape_from_tuple((kind, *sizes)), chance.randrange(32768)
        one, other = (
            set(outline(shape, Pose(0, 0, 0, turn), segments=24).outer)
            for turn in (yaw, yaw + 32768)
        )
        if one != other:
            changed.append(shape)
        ahead = set(outline(shape, Pose(0, 0, 0, 0), segments=24).outer)
        reported = f"{kind}: a mirrored part needs an outline that z -> -z does not change: {shape}"
        assert kind not in model.CORNERS or {(x, -z) for x, z in ahead} == ahead, reported
    reported = f"in shape.h {kind} needs .has_front = {int(bool(changed))}: {changed[:1]}"
    assert KINDS_BY_NAME[kind].has_front == bool(changed), reported


def test_the_c_function_says_the_room_it_needs_and_writes_no_vertex_without_it() -> None:
    shape, pose = ffi.new("fxs_shape *", (0, 0, (5, 0, 0))), ffi.new("fxs_pose *")
    vertices, extent = ffi.new("fxs_vertex[]", [(7, 7)] * 9), ffi.new("fxs_extent *")
    assert lib.fxs_outline(shape, pose, 9, vertices, 8, extent) == lib.FXS_E_ROOM
    assert (extent.outer, extent.hole, extent.y_low, extent.y_high) == (9, 0, -5, 5)
    assert [(v.x, v.z) for v in vertices] == [(7, 7)] * 9
    assert lib.fxs_outline(shape, pose, 9, vertices, 9, extent) == lib.FXS_OK
    assert vertices[0].x == 5


@pytest.mark.parametrize("count", [0, 2, 65537, 2**32 - 1])
def test_the_c_function_refuses_segments_out_of_range(count: int) -> None:
    shape, pose = ffi.new("fxs_shape *", (0, 0, (5, 0, 0))), ffi.new("fxs_pose *")
    status = lib.fxs_outline(shape, pose, count, ffi.NULL, 0, ffi.new("fxs_extent *"))
    assert status == lib.FXS_E_SEGMENTS


@refusals("""
outline(5, Pose(0, 0, 0)) | TypeError | shape must be a Sphere
outline(Sphere(5), 5) | TypeError | pose must be a Pose
outline(Sphere(5), Pose(0, 0, 0), segments=2) | ValueError | segments must be 3
World(2).outline(1) | KeyError | id 1 is not in the world
World(2).outline(2) | ValueError | id must be 0..1, not 2
""")
def test_python_names_what_it_refuses(refused: Refused) -> None:
    refused()


# FXS_Q, FXS_Q_RATIO and FXS_Q_NEAR.

EXACT = [(3, 1), (-5, 2), (1, 65536), (32767, 1), (-32768, 1), (2**31 - 1, 65536), (-7, 8192)]
NEAR = [*EXACT, (1, 10), (-1, 10), (1, 131072), (3, 131072), (-1, 131072), (-3, 131072), (22, 7)]
NOT_VALID = [
    "FXS_Q(0.5)",
    "FXS_Q(32768)",
    "FXS_Q(-32769)",
    "FXS_Q_RATIO(1, 10)",
    "FXS_Q_RATIO(1, 0)",
    "FXS_Q_RATIO(1, -2)",
    "FXS_Q_RATIO(1, 2.0)",
    "FXS_Q_NEAR(0.1, 1)",
    "FXS_Q_NEAR(4294967295, 131072)",
]


def compiles(command: list[str], line: str, folder: Path) -> bool:
    source = folder / "constants.c"
    source.write_text(f'#include "fixsync.h"\n{line}\n', encoding="ascii")
    flags = ["-Werror", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-fsyntax-only"]
    done = subprocess.run(
        [*command, *flags, f"-I{CSRC}", str(source)], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.mark.parametrize("command", COMPILERS)
def test_constants_in_c_are_the_numbers_of_q_and_q_near(command: list[str], tmp_path: Path) -> None:
    values = [(f"FXS_Q_RATIO({a}, {b})", q(Fraction(a, b))) for a, b in EXACT]
    values += [(f"FXS_Q_NEAR({a}, {b})", q_near(Fraction(a, b))) for a, b in NEAR]
    values += [("FXS_Q(3)", q(3)), ("FXS_Q(-32768)", q(-32768))]
    is_cpp = "-xc++" in command
    check = "static_assert" if is_cpp else "_Static_assert"
    lines = [f'{check}(({text}) - ({value}LL) == 0, "");' for text, value in values]
    lines.append(f'{check}(sizeof FXS_Q(1) == 4, "");')
    assert compiles(command, "\n".join(lines), tmp_path)


USES = """
enum { HALF = FXS_Q_RATIO(1, 2), TENTH = FXS_Q_NEAR(1, 10), THREE = FXS_Q(3) };
int is_over(uint32_t id);
int is_over(uint32_t id) { return id > FXS_LEVEL || id > FXS_CAPACITY_MAX || id == FXS_NO_ATTACK; }
"""
CPP = [command for command in (["g++"], ["clang++-19"]) if shutil.which(command[0])]


@pytest.mark.parametrize("machine", ["-m32", "-m64"])
@pytest.mark.parametrize("standard", ["c++98", "c++20"])
@pytest.mark.parametrize("command", CPP)
def test_constants_make_no_warning_in_any_cpp(
    command: list[str], standard: str, machine: str, tmp_path: Path
) -> None:
    flags = [f"-std={standard}", machine, "-Wold-style-cast", "-Wsign-compare", "-xc++"]
    flags += ["-Wno-long-long"]  # C++98 has no 64-bit integers, and every compiler has
    if not compiles([*command, *flags], "int one(void);", tmp_path):
        pytest.skip(f"{command[0]} has no headers for {machine}")
    assert compiles([*command, *flags], f'#include "fixsync_kit.h"\n{USES}', tmp_path)


@pytest.mark.parametrize("command", COMPILERS)
def test_a_constant_that_is_not_exact_or_not_in_range_does_not_compile(
    command: list[str], tmp_path: Path
) -> None:
    good = "static const int32_t kept = {};\nint32_t used(void);"
    good += "\nint32_t used(void) {{ return kept; }}"
    assert compiles(command, good.format("FXS_Q(1)"), tmp_path)
    assert [text for text in NOT_VALID if compiles(command, good.format(text), tmp_path)] == []

"""Shapes and poses as values, and the contact of two of them, one by one and in bulk."""

from __future__ import annotations

import array
import copy
import json
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, get_args

import model
import numpy as np
import pytest
import strategies
import tools
from hypothesis import given
from hypothesis import strategies as st
from refusals import Refused, refusals
from strategies import NO_KIND, POLYGONS, every_kind
from tools import each

import fixsync
from fixsync import (
    ONE,
    RAY,
    Box,
    Capsule,
    Contact,
    Cylinder,
    EventKind,
    Pose,
    Sector,
    Shape,
    Side,
    Sphere,
    TinyValueWarning,
    degrees,
    flat,
    overlap,
    overlap_many,
    pack_poses,
    pack_shapes,
    q,
)
from fixsync.match.questions import kernel_id
from fixsync.world.shapes import shape_from_tuple

PLACE = ("x", "y", "z", "yaw")
SIZE_MAX = 2**29 - 1
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
SHAPES = every_kind(
    [
        Sphere(5),
        Capsule(5, 0),
        Cylinder(5, 6),
        Box(5, 6, 7),
        Sector(5, 100, 6),
        Sector(5, 100, 6, 4),
    ]
)

shapes = strategies.shapes().map(shape_from_tuple)
poses = strategies.poses().map(lambda pose: Pose(*pose))


def made(pair: Any) -> tuple[Any, Pose, Any, Pose]:
    """The objects of plain tuples."""
    a, pose_a, b, pose_b = pair
    return shape_from_tuple(a), Pose(*pose_a), shape_from_tuple(b), Pose(*pose_b)


pairs = strategies.any_pairs().map(made)


def vectors() -> Iterator[tuple[Any, Pose, Any, Pose, int]]:
    for row in (*tools.rows("contacts.csv"), *tools.rows("sectors.csv")):
        a, b = (shape_from_tuple(json.loads(row[f"shape_{side}"])) for side in "ab")
        pose_a, pose_b = (Pose(*tools.ints(row, *(s + name for name in PLACE))) for s in "ab")
        yield a, pose_a, b, pose_b, int(row["contact"])


# Values.


@pytest.mark.parametrize(
    "value", [*SHAPES, Pose(1, -2, 3, 4)], ids=lambda value: type(value).__name__
)
def test_a_value_survives_repr_copy_and_pickle(value: Any) -> None:
    names = {name: getattr(fixsync, name) for name in fixsync.__all__}
    for twin in (
        eval(repr(value), names),
        copy.copy(value),
        copy.deepcopy(value),
        pickle.loads(pickle.dumps(value)),
    ):
        assert twin == value
        assert hash(twin) == hash(value)
        assert type(twin) is type(value)
        if not isinstance(value, Pose):
            assert overlap(twin, Pose(0, 0, 0), Sphere(1), Pose(4, 0, 0)) == Contact.OVERLAPPING


@pytest.mark.parametrize(
    "value", [*SHAPES, Pose(1, -2, 3, 4)], ids=lambda value: type(value).__name__
)
def test_a_value_cannot_be_changed(value: Any) -> None:
    for name in (*value.__match_args__, "anything"):
        with pytest.raises(AttributeError):
            setattr(value, name, 1)
    with pytest.raises(AttributeError):
        delattr(value, value.__match_args__[0])


def test_values_are_equal_when_kind_and_numbers_are() -> None:
    assert Sphere(5) == Sphere(5) != Sphere(6)
    assert Capsule(5, 6) != Cylinder(5, 6)
    assert Box(1, 2, 3) != Box(1, 3, 2)
    assert Sector(5, 6, 7) != Sector(5, 7, 6)
    assert Pose(1, 2, 3) == Pose(1, 2, 3, 0) != Pose(1, 2, 3, 4)
    assert Pose(1, 2, 3) != (1, 2, 3, 0)
    assert len({*SHAPES, *SHAPES}) == len(SHAPES)


def test_values_take_part_in_pattern_matching() -> None:
    def reported(value: Any) -> tuple[Any, ...]:
        match value:
            case Sphere(radius):
                return (radius,)
            case Capsule(radius, half_height) | Cylinder(radius, half_height):
                return radius, half_height
            case Box(x, y, z):
                return x, y, z
            case Sector(radius, half_angle, half_height, 0):
                return radius, half_angle, half_height
            case Sector(radius, half_angle, half_height, inner_radius):
                return radius, half_angle, half_height, inner_radius
            case Pose(x, y, z, yaw):
                return x, y, z, yaw
        raise AssertionError(value)

    assert reported(Pose(1, 2, 3, 4)) == (1, 2, 3, 4)
    for shape in SHAPES:
        if shape.as_tuple()[0] not in POLYGONS:
            assert reported(shape) == shape.as_tuple()[1:]


@given(shapes)
def test_a_shape_reads_back_from_its_tuple_and_its_list(shape: Any) -> None:
    assert shape_from_tuple(shape.as_tuple()) == shape
    assert shape_from_tuple(list(shape.as_tuple())) == shape
    assert model.checked_shape(shape.as_tuple()) == shape.as_tuple()


@refusals("""
shape_from_tuple(("ball", 1)) | ValueError | kind / sphere / 'ball'
shape_from_tuple(("sphere",)) | ValueError | sphere / radius / 0 numbers
shape_from_tuple(("box", 1, 2)) | ValueError | box / half_z / 2 numbers
shape_from_tuple(("sphere", 0)) | ValueError | radius / 1..536870911 / 0
shape_from_tuple(()) | ValueError | kind / None
shape_from_tuple(([],)) | ValueError | kind / []
shape_from_tuple("sphere") | TypeError | 'sphere'
""")
def test_a_tuple_that_is_no_shape_is_refused(refused: Refused) -> None:
    refused()


def made_of(shape: Any, at: int, sizes: Any) -> Callable[[Any], Any]:
    """The shape with any number at one place, and elsewhere 1, or what is least."""
    return lambda v: shape(*(v if i == at else max(1, low) for i, (_, low, _) in enumerate(sizes)))


FIELDS: list[tuple[Callable[[Any], Any], str, int, int]] = [
    *(
        (made_of(shape, at, sizes), *size)
        for shape, sizes in zip(get_args(Shape), model.KINDS.values(), strict=True)
        for at, size in enumerate(sizes)
    ),
    (lambda v: Pose(v, 0, 0), "x", INT32_MIN, INT32_MAX),
    (lambda v: Pose(0, v, 0), "y", INT32_MIN, INT32_MAX),
    (lambda v: Pose(0, 0, v), "z", INT32_MIN, INT32_MAX),
    (lambda v: Pose(0, 0, 0, v), "yaw", 0, 65535),
]


@each(("make", "name", "low", "high"), FIELDS)
def test_each_field_takes_its_range_and_nothing_else(
    make: Any, name: str, low: int, high: int
) -> None:
    for good in (low, high, np.int64(high)):
        assert getattr(make(good), name) == good
        assert type(getattr(make(good), name)) is int
    for bad in (low - 1, high + 1, 2**64, -(2**64)):
        with pytest.raises(ValueError) as reported:
            make(bad)
        assert str(reported.value) == f"{name} must be {low}..{high}, not {bad}"
    for wrong in (1.0, True, "1", None, b"1"):
        with pytest.raises(TypeError, match=f"^{name} must be an integer"):
            make(wrong)


def test_a_float_is_told_what_to_write_instead() -> None:
    with pytest.raises(
        TypeError, match=r"float 1\.5: write q\('1\.5'\) or q\(Fraction\(3, 2\)\).* or the raw"
    ):
        Sphere(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"float 22\.5: write degrees\('22\.5'\)"):
        Pose(0, 0, 0, 22.5)  # type: ignore[arg-type]


def test_codes_print_alike_on_every_python() -> None:
    assert repr(Contact.TOUCHING) == "Contact.TOUCHING"
    assert f"{EventKind.EXIT} {EventKind.EXIT!s} {EventKind.EXIT:03}" == "3 3 003"
    assert json.dumps([Contact.OVERLAPPING, Side.NEG_Z]) == "[2, 4]"
    assert [int(c) for c in Contact] == [0, 1, 2]
    assert [int(k) for k in EventKind] == [1, 2, 3]
    assert [int(s) for s in Side] == [0, 1, 2, 3, 4]
    assert Contact.APART < Contact.TOUCHING < Contact.OVERLAPPING


# Contact.


def test_contacts_agree_with_the_vectors_one_by_one_and_in_bulk() -> None:
    rows = list(vectors())
    expected = [contact for *_, contact in rows]
    assert [overlap(*pair) for *pair, _ in rows] == expected
    columns = list(zip(*(pair for *pair, _ in rows), strict=True))
    assert list(overlap_many(*columns)) == expected
    packed = (
        pack_shapes(columns[0]),
        pack_poses(columns[1]),
        pack_shapes(columns[2]),
        pack_poses(columns[3]),
    )
    assert list(overlap_many(*packed)) == expected


@given(strategies.any_pairs())
def test_overlap_is_the_models_and_symmetric(pair: Any) -> None:
    a, pose_a, b, pose_b = made(pair)
    found = overlap(a, pose_a, b, pose_b)
    assert type(found) is Contact
    assert found == model.overlap(*pair)
    assert overlap(b, pose_b, a, pose_a) == found


def test_a_pose_is_moved_with_its_yaw_and_not_out_of_the_world() -> None:
    pose = Pose(1, -2, INT32_MAX, 4)
    assert pose.position == (1, -2, INT32_MAX)
    assert pose.moved(10, 20, -30) == Pose(11, 18, INT32_MAX - 30, 4)
    assert pose == Pose(1, -2, INT32_MAX, 4)
    with pytest.raises(ValueError, match=f"z must be .*, not {INT32_MAX + 1}"):
        pose.moved(0, 0, 1)
    with pytest.raises(TypeError, match="dx"):
        pose.moved(0.5, 0, 0)  # type: ignore[arg-type]


@each("wrong", [None, 3, "sphere", ("sphere", 1), Pose(0, 0, 0), Sphere])
@each("place", [0, 2])
def test_overlap_says_which_argument_is_no_shape(place: int, wrong: Any) -> None:
    args: list[Any] = [Sphere(1), Pose(0, 0, 0), Sphere(1), Pose(0, 0, 0)]
    args[place] = wrong
    with pytest.raises(TypeError, match=f"^shape_{'ab'[place // 2]} must be a Sphere, Capsule, "):
        overlap(*args)


@each("wrong", [None, (0, 0, 0), Sphere(1), Pose])
@each("place", [1, 3])
def test_overlap_says_which_argument_is_no_pose(place: int, wrong: Any) -> None:
    args: list[Any] = [Sphere(1), Pose(0, 0, 0), Sphere(1), Pose(0, 0, 0)]
    args[place] = wrong
    with pytest.raises(TypeError, match=f"^pose_{'ab'[place // 2]} must be a Pose"):
        overlap(*args)


# Many at once.


@given(st.lists(pairs, max_size=8))
def test_overlap_many_is_overlap_of_each(rows: list[Any]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    assert list(overlap_many(*columns)) == [overlap(*row) for row in rows]


@given(st.lists(st.tuples(shapes, poses), max_size=5), shapes, poses)
def test_a_single_shape_or_pose_stands_in_every_pair(
    rows: list[Any], shape: Any, pose: Pose
) -> None:
    many_shapes, many_poses = [s for s, _ in rows], [p for _, p in rows]
    each = [overlap(shape, pose, s, p) for s, p in rows]
    assert list(overlap_many(shape, pose, many_shapes, many_poses)) == each
    assert list(overlap_many(many_shapes, many_poses, shape, pose)) == each
    assert list(overlap_many(shape, many_poses, shape, pose)) == [
        overlap(shape, p, shape, pose) for p in many_poses
    ]
    assert list(overlap_many(shape, pose, shape, pose)) == [overlap(shape, pose, shape, pose)]


def test_every_kind_of_buffer_is_read_alike() -> None:
    columns = [
        SHAPES,
        [Pose(i, 0, 0, i) for i in range(len(SHAPES))],
        SHAPES[::-1],
        [Pose(0, i, 3 * i) for i in range(len(SHAPES))],
    ]
    expected = overlap_many(*columns)
    packed = [
        pack(column) for pack, column in zip((pack_shapes, pack_poses) * 2, columns, strict=True)
    ]
    numbers = [np.frombuffer(rows, np.int32) for rows in packed]
    table = [row.reshape(len(SHAPES), -1) for row in numbers]
    shape_dtype = np.dtype([("kind", "u4"), ("half_angle", "u4"), ("size", "i4", (3,))])
    pose_dtype = np.dtype([("x", "i4"), ("y", "i4"), ("z", "i4"), ("yaw", "u4")])
    records = [
        np.frombuffer(r, d) for r, d in zip(packed, (shape_dtype, pose_dtype) * 2, strict=True)
    ]
    for buffers in (
        packed,
        [bytearray(rows) for rows in packed],
        [memoryview(rows) for rows in packed],
        [memoryview(b"?" + rows)[1:] for rows in packed],  # not aligned
        [array.array("i", rows) for rows in packed],
        numbers,
        table,
        records,
    ):
        assert overlap_many(*buffers) == expected


def test_overlap_many_changes_no_buffer() -> None:
    rows = bytearray(pack_shapes(SHAPES))
    before = bytes(rows)
    overlap_many(rows, Pose(0, 0, 0), Sphere(1), Pose(0, 0, 0))
    assert rows == before
    rows.extend(b"and it is not held")


OTHER = ">i4" if sys.byteorder == "little" else "<i4"


def of_poses(poses_a: Any) -> bytes:
    return overlap_many(Sphere(1), poses_a, [Sphere(1), Sphere(2)], Pose(0, 0, 0))


def of_row(*row: int) -> bytes:
    rows = np.array([(0, 0, 1, 0, 0), row], "i4")
    return overlap_many(Sphere(1), Pose(0, 0, 0), rows, Pose(0, 0, 0))


@refusals(f"""
of_poses(np.zeros((2, 4))) | TypeError | poses_a / 16 bytes / 'd'
of_poses(np.zeros((2, 4), "f4")) | TypeError | poses_a / 'f'
of_poses(np.zeros((2, 4), "i8")) | TypeError | poses_a / 8 bytes each
of_poses(np.zeros((2, 4), "u4")) | TypeError | poses_a / 'I'
of_poses(np.zeros((2, 4), "i2")) | TypeError | poses_a / 2 bytes each
of_poses(np.zeros(8, "?")) | TypeError | poses_a / '?'
of_poses(np.zeros((2, 4), OTHER)) | ValueError | poses_a / byte order
of_poses(np.zeros((4, 2), "i4")) | ValueError | poses_a / 4 numbers / not 2
of_poses(np.zeros((2, 8), "i4")[:, ::2]) | ValueError | poses_a / contiguous
of_poses(np.zeros(7, "i4")) | ValueError | poses_a / 28 bytes
of_poses(bytes(31)) | ValueError | poses_a / 31 bytes
of_poses(np.zeros(2, [("x", "i4"), ("y", "i4"), ("z", "i4"), ("yaw", "i4")])) | TypeError | poses_a
of_poses([Pose(0, 0, 0), (1, 2, 3)]) | TypeError | poses_a[1] / Pose / (1, 2, 3)
of_poses([Pose(0, 0, 0)]) | ValueError | one length / 1 poses_a / 2 shapes_b
of_poses("ab") | TypeError | poses_a / 'ab'
of_poses(None) | TypeError | poses_a / None
of_poses(Sphere(1)) | TypeError | poses_a / Sphere
of_poses(np.array([[0, 0, 0, 0], [1, 2, 3, 65536]], "i4")) | ValueError | poses_a[1] / yaw / 65536
of_poses(np.array([[0, 0, 0, -1], [1, 2, 3, 0]], "i4")) | ValueError | poses_a[0] / yaw / 0..65535
of_row({NO_KIND}, 0, 1, 1, 1) | ValueError | shapes_b[1] / kind / 0..{NO_KIND - 1} / {NO_KIND}
of_row(0, 0, 0, 0, 0) | ValueError | shapes_b[1] / radius / 1..536870911 / 0
of_row(0, 0, 1, 1, 0) | ValueError | shapes_b[1] / size[1] / not use / 1
of_row(0, 1, 1, 0, 0) | ValueError | shapes_b[1] / half_angle / 1
of_row(1, 0, 1, -1, 0) | ValueError | shapes_b[1] / half_height / 0..536870911 / -1
of_row(4, 0, 1, 1, 0) | ValueError | shapes_b[1] / half_angle / 1..32768 / 0
of_row(4, 32769, 1, 1, 0) | ValueError | shapes_b[1] / half_angle / 1..32768 / 32769
of_row(4, 5, 7, 1, -1) | ValueError | shapes_b[1] / inner_radius / 0..536870911 / -1
of_row(4, 5, 7, 1, 7) | ValueError | shapes_b[1] / inner_radius / 0..6, below the radius / 7
""")
def test_overlap_many_says_what_is_wrong_with_a_row(refused: Refused) -> None:
    refused()


_GOOD_ROWS = {"cylinder": (2, 0, 9, 9, 0), "box": (3, 0, 9, 9, 9)}


@each("beside", _GOOD_ROWS.values())
@each("other", _GOOD_ROWS)
@each("at", range(5))
def test_overlap_many_refuses_what_is_wrong_with_a_cylinder_or_a_box(
    beside: tuple[int, ...], other: str, at: int
) -> None:
    """In each number of its row and in the yaw of its pose, on either side and on both."""
    good, poses = [beside, _GOOD_ROWS[other]], np.array([(0, 0, 0, 0), (0, 0, 0, 65535)], "i4")
    sides = [np.array([beside] * 2, "i4"), np.array(good, "i4")]
    assert list(overlap_many(sides[0], poses, sides[1], poses)) == [Contact.OVERLAPPING] * 2
    unused = at == 1 or (at == 4 and other == "cylinder")
    for wrong in (
        (NO_KIND, -1)
        if at == 0
        else (1, -1, 2**29)
        if unused
        else (0, -1, 2**29, -(2**31), 1 - 2**31)
    ):
        broken = np.array(good, "i4")
        broken[1][at] = wrong
        for a, b, name in (
            (sides[0], broken, "shapes_b[1]"),
            (broken, sides[0], "shapes_a[1]"),
            (broken, broken, "shapes_a[1]"),
        ):
            with pytest.raises(ValueError, match=re.escape(name)):
                overlap_many(a, poses, b, poses)
    for yaw in (65536, -1, -(2**31)):
        turned = np.array([(0, 0, 0, 0), (0, 0, 0, yaw)], "i4")
        for a, b, name in (
            (poses, turned, "poses_b[1]"),
            (turned, poses, "poses_a[1]"),
            (turned, turned, "poses_a[1]"),
        ):
            with pytest.raises(ValueError, match=re.escape(name)):
                overlap_many(sides[0], a, sides[1], b)


@each("beside", _GOOD_ROWS.values())
@each(
    "row",
    [
        (4, 0, 9, 9, 9),
        (3, 5, 9, 9, 0),
        (3, 0, 9, 9, 0),
        (3, 0, 9, 0, 0),
        (3, 0, 0, 1, 9),
        (2, 5, 9, 9, 0),
        (2, 0, 9, 9, 9),
        (2, 0, 9, 0, 0),
        (2, 0, 0, 1, 0),
        (2, 0, 5 - 2**31, 5 - 2**31, 0),
        (3, 0, 5 - 2**31, 5 - 2**31, 9),
    ],
)
def test_overlap_many_refuses_a_cylinder_or_a_box_with_the_numbers_of_another_kind(
    beside: tuple[int, ...], row: tuple[int, ...]
) -> None:
    """Or of none, though two numbers would be in the range if it went from its end to its
    beginning.
    """
    good, wrong, pose = np.array([beside] * 2, "i4"), np.array([beside, row], "i4"), Pose(0, 0, 0)
    with pytest.raises(ValueError, match=re.escape("shapes_b[1]")):
        overlap_many(good, pose, wrong, pose)
    for beside_it in (good, wrong):
        with pytest.raises(ValueError, match=re.escape("shapes_a[1]")):
            overlap_many(wrong, pose, beside_it, pose)


@pytest.mark.parametrize("other", _GOOD_ROWS)
def test_overlap_many_reads_no_pose_as_a_shape_where_it_could_be_one(other: str) -> None:
    """A pose like these is a row of a shape of the sizes 9, 100 and the next x, and a row is a
    pose.
    """
    cylinder, beside = (np.array([_GOOD_ROWS[kind]] * 2, "i4") for kind in ("cylinder", other))
    for x in (0, 1):
        at = np.array([(x, 0, 9, 100)] * 2, "i4")
        next_to = np.array([(x + 18, 0, 9, 0 if other == "box" else 100)] * 2, "i4")
        assert list(overlap_many(cylinder, at, beside, next_to)) == [Contact.TOUCHING] * 2
        assert list(overlap_many(beside, next_to, cylinder, at)) == [Contact.TOUCHING] * 2


# Tiny values.


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Sphere(1), "radius 1 is 1/65536 of a unit; for units write q(1)"),
        (lambda: Box(ONE, 63, ONE), "half_y 63 is 63/65536 of a unit; for units write q(63)"),
        (
            lambda: Sector(q(3), 60, ONE),
            "half_angle 60 is 60/65536 of a turn, below a degree; for degrees write degrees(60)",
        ),
        (lambda: flat.circle(5), "radius 5 is 5/65536 of a unit; for units write q(5)"),
    ],
)
def test_a_tiny_size_warns_at_the_line_that_makes_the_shape(make: Any, said: str) -> None:
    with pytest.warns(TinyValueWarning) as caught:
        shape = make()
    (one,) = caught
    assert str(one.message) == said
    assert one.filename == __file__
    assert one.lineno == make.__code__.co_firstlineno
    assert shape_from_tuple(shape.as_tuple()) == shape


def test_a_tiny_size_can_be_made_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", TinyValueWarning)
        for kind in (Sphere, Capsule):
            with pytest.raises(TinyValueWarning, match="radius 7 is 7/65536 of a unit"):
                kind(*(7, 0)[: len(kind.__match_args__)])


def test_usual_values_logs_copies_and_the_ray_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Capsule(64, 0).half_height == 0
        assert Capsule(64, 1).half_height == 1
        assert Sector(64, 181, 64).half_angle == degrees(1) - 1
        tiny = shape_from_tuple(("sector", 1, 1, 1))
        assert pickle.loads(pickle.dumps(tiny)) == copy.deepcopy(tiny) == tiny
        assert RAY.as_tuple() == ("sphere", 1)
        assert kernel_id.__wrapped__() == kernel_id(), "computed here, not remembered"


def test_an_invalid_size_is_an_error_and_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (0, -5, 2**29):
            with pytest.raises(ValueError, match=rf"radius must be 1\.\.536870911, not {size}"):
                Sphere(size)

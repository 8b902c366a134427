"""Shapes, poses and the contact of two of them.

Sizes and coordinates are Q16.16 integers (65536 is one unit), yaws and half angles have 65536 steps
a turn. Shapes and poses are immutable and are checked once, when they are made. They carry the row
of bytes that the kernel reads."""

from __future__ import annotations

import copyreg
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple, final, get_args

from fixsync._native import kernel
from fixsync._native.checks import coordinate, counted, index, integer, integers, shown
from fixsync._native.kinds import KINDS_BY_NAME
from fixsync._native.raw import OUTLINE_SEGMENTS, SIZE_MAX, TURN, YAW_MAX, constant
from fixsync._native.rows import POSE, SHAPE, Buffer, is_buffer, rows_of
from fixsync.base.kinds import *  # the classes of shapes
from fixsync.base.kinds import Shape
from fixsync.base.values import ShapeValue, Value


class _Code(IntEnum):
    """An integer with a name. It prints as the integer and has its name in its repr, on every
    Python."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    __str__ = int.__repr__

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec)


class Contact(_Code):
    """How two shapes meet, in ascending order: `contact >= Contact.TOUCHING`."""

    APART = constant("APART")
    TOUCHING = constant("TOUCHING")
    """The boundaries meet, the insides do not."""
    OVERLAPPING = constant("OVERLAPPING")


class EventKind(_Code):
    """The kind of an event of a pair."""

    ENTER = constant("ENTER")
    """A hit now, not at the last step."""
    STAY = constant("STAY")
    """A hit now and at the last step."""
    EXIT = constant("EXIT")
    """A hit at the last step, not now. Its contact is APART."""


class Side(_Code):
    """The side of a box out of which a body is pushed, in the box's own frame."""

    NONE = constant("SIDE_NONE")
    """Nothing is pushed out: the contact is not OVERLAPPING."""
    POS_X = constant("SIDE_POS_X")
    NEG_X = constant("SIDE_NEG_X")
    POS_Z = constant("SIDE_POS_Z")
    NEG_Z = constant("SIDE_NEG_Z")


CONTACTS = {int(contact): contact for contact in Contact}

_CLASSES: tuple[type[Any], ...] = get_args(Shape)
"""By code."""

_pack_pose = struct.Struct("=iiiHxx" if sys.byteorder == "little" else "=iiixxH").pack
"""A row of POSE, for a yaw in range only."""


@final
class Pose(Value):
    """Where a shape is: x, y, z (Q16.16, any int32; Y is up) and yaw (0..65535)."""

    __slots__ = ("_pose",)
    __match_args__ = ("x", "y", "z", "yaw")
    _pose: bytes

    def __init__(self, x: int, y: int, z: int, yaw: int = 0) -> None:
        if not (type(x) is int and type(y) is int and type(z) is int and type(yaw) is int):
            x, y, z, yaw = _checked_pose(x, y, z, yaw)
        try:
            self._pose = _pack_pose(x, y, z, yaw)
        except struct.error:
            _checked_pose(x, y, z, yaw)
            raise
        self._row = (x, y, z, yaw)

    @property
    def x(self) -> int:
        return self._row[0]

    @property
    def y(self) -> int:
        return self._row[1]

    @property
    def z(self) -> int:
        return self._row[2]

    @property
    def yaw(self) -> int:
        return self._row[3]

    @property
    def position(self) -> tuple[int, int, int]:
        """(x, y, z)."""
        x, y, z, _ = self._row
        return x, y, z

    def moved(self, dx: int, dy: int, dz: int) -> Pose:
        """This pose moved by (dx, dy, dz), with the same yaw. ValueError outside int32."""
        x, y, z, yaw = self._row
        return Pose(x + index("dx", dx), y + index("dy", dy), z + index("dz", dz), yaw)


def _checked_pose(x: object, y: object, z: object, yaw: object) -> tuple[int, int, int, int]:
    return (
        *(coordinate("x", x), coordinate("y", y), coordinate("z", z)),
        integer("yaw", yaw, 0, YAW_MAX),
    )


def shape_from_tuple(values: Iterable[Any]) -> Shape:
    """The shape of ("sphere", radius) and so on, from any sequence: the inverse of `as_tuple`."""
    if isinstance(values, str):
        raise TypeError(f"a shape must be ('sphere', radius) or the like, not {shown(values)}")
    name, *sizes = tuple(values) or (None,)
    kind = KINDS_BY_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"kind must be one of {', '.join(KINDS_BY_NAME)}, not {shown(name)}")
    return shape_of_row(*kind.of_tuple(sizes))


def shape_of_row(*numbers: int) -> Shape:
    """The shape of the numbers of a C structure that the kernel has checked."""
    shape: Shape = object.__new__(_CLASSES[numbers[0]])
    shape._take(numbers)
    return shape


def _pickled(shape: ShapeValue) -> tuple[Any, ...]:
    return shape_from_tuple, (shape.as_tuple(),)


for _cls in _CLASSES:
    copyreg.pickle(_cls, _pickled)

RAY = shape_of_row(constant("SPHERE"), 0, 1, 0, 0)
"""The smallest sphere: cast it as a ray, or query a point with it."""


# Contact.

_overlap = kernel.overlap
_BY_CONTACT = tuple(Contact)


def overlap(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> Contact:
    """The contact of two shapes where they are, exact for all valid shapes and poses.

    The order of the two makes no difference. Two sectors of which one has a hole are APART.
    """
    try:
        return _BY_CONTACT[_overlap(shape_a._shape, pose_a._pose, shape_b._shape, pose_b._pose)]
    except (AttributeError, TypeError):
        require_pair(shape_a, pose_a, shape_b, pose_b)
        raise


def require_pair(shape_a: object, pose_a: object, shape_b: object, pose_b: object) -> None:
    for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
        require_shape(name, shape)
    for name, pose in (("pose_a", pose_a), ("pose_b", pose_b)):
        require_pose(name, pose)


def require_shape(name: str, value: object) -> None:
    """TypeError if `value` is not a shape."""
    if not isinstance(value, ShapeValue):
        *most, last = (cls.__name__ for cls in _CLASSES)
        kinds = f"a {', '.join(most)} or {last}"
        raise TypeError(f"{name} must be {kinds}, not {shown(value)} ({type(value).__name__})")


def require_pose(name: str, value: object) -> None:
    """TypeError if `value` is not a Pose."""
    if not isinstance(value, Pose):
        raise TypeError(f"{name} must be a Pose, not {shown(value)} ({type(value).__name__})")


# Push-out.


def push_out(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> tuple[int, int]:
    """The shortest planar translation (dx, dz) of a, raw Q16.16, that ends an OVERLAPPING contact;
    (0, 0) for any other contact.

    Moved by it, the two are not OVERLAPPING, exactly; y does not change. It is less than 2 raw
    units longer than the shortest real translation (2.5 of two boxes, one with a half size above
    5000 units). `push_out(b, a)` is its negative wherever the centres differ in x or z. Where they
    do not, either order pushes its first shape the same way (without a box: along +X), so apply it
    to one of the two. ValueError for a sector."""
    return kernel.push_out(*_rows(shape_a, pose_a, shape_b, pose_b))


def lift(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> int:
    """The smallest vertical translation dy of a that ends an OVERLAPPING contact, up where both
    centres are level; 0 for any other contact. Use it for a body on a floor. ValueError for a
    sector."""
    return kernel.lift(*_rows(shape_a, pose_a, shape_b, pose_b))


def side(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> Side:
    """The side of the box b that `push_out` moves a out of; NONE if the contact is not OVERLAPPING.

    It is where the translation mostly points in the box's own frame, X on a tie. ValueError if b is
    not a box, or a is a sector."""
    return Side(kernel.side(*_rows(shape_a, pose_a, shape_b, pose_b)))


def _rows(
    shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose
) -> tuple[bytes, bytes, bytes, bytes]:
    try:
        return shape_a._shape, pose_a._pose, shape_b._shape, pose_b._pose
    except AttributeError:
        require_pair(shape_a, pose_a, shape_b, pose_b)
        raise


# Outlines.


class Outline(NamedTuple):
    """A shape from above, and its heights, for drawing. Raw Q16.16; they may lie outside int32."""

    outer: list[tuple[int, int]]
    """The vertices (x, z) of a polygon, counterclockwise as yaw turns."""
    hole: list[tuple[int, int]]
    """The vertices of its hole, clockwise; empty without a hole."""
    y_low: int
    y_high: int


def segments_of(value: object) -> int:
    """`value`, pieces of a circle, as an int."""
    return integer("segments", value, 3, TURN)


def outline(shape: Shape, pose: Pose, *, segments: int = OUTLINE_SEGMENTS) -> Outline:
    """The outline of a shape, for drawing: its vertices seen from above, and its heights.

    segments: how many pieces draw a whole circle, 3..65536. A circle begins where the pose faces, a
    box with its (+half_x, +half_z) corner, a sector with the end of its arc at yaw - half_angle;
    its apex comes last. Each component is rounded to nearest, halves away from zero."""
    require_shape("shape", shape)
    require_pose("pose", pose)
    return Outline(*kernel.outline(shape._shape, pose._pose, segments_of(segments)))


# Casts.


def motion_of(name: str, motion: object) -> tuple[int, int, int]:
    """`motion` as (mx, my, mz), each -(2^29-1)..2^29-1."""
    if type(motion) is tuple and len(motion) == 3:
        x, y, z = motion
        plain = type(x) is int and type(y) is int and type(z) is int
        if plain and max(x, y, z) <= SIZE_MAX and min(x, y, z) >= -SIZE_MAX:
            return x, y, z
    x, y, z = integers(name, ("mx", "my", "mz"), motion, -SIZE_MAX, SIZE_MAX)
    return x, y, z


def hit_when_of(name: str, value: object) -> int:
    """`value`, TOUCHING or OVERLAPPING, as an int."""
    if value is Contact.TOUCHING or value is Contact.OVERLAPPING:
        return value
    return integer(name, value, Contact.TOUCHING, Contact.OVERLAPPING)


def cast_pair(
    shape_a: Shape,
    pose_a: Pose,
    motion_a: tuple[int, int, int],
    shape_b: Shape,
    pose_b: Pose,
    motion_b: tuple[int, int, int],
    *,
    hit_when: int = Contact.TOUCHING,
) -> tuple[int, tuple[int, int, int]] | None:
    """When two shapes first meet that move straight, in the same time and without turning:
    (fraction, normal), or None. Nothing tunnels, however thin or fast.

    A motion is (mx, my, mz), Q16.16, each -(2^29-1)..2^29-1. fraction: floor(65536 * time),
    0..65536, of the first contact >= hit_when. TOUCHING counts a graze, a slide and a departure,
    OVERLAPPING does not. normal: Q2.30, from b towards a, as 1/65536 of the motion earlier; (0, 0,
    0) if they overlap where they start. ValueError for a sector."""
    a, b = motion_of("motion_a", motion_a), motion_of("motion_b", motion_b)
    least = hit_when_of("hit_when", hit_when)
    row_a, at_a, row_b, at_b = _rows(shape_a, pose_a, shape_b, pose_b)
    return kernel.cast_pair(row_a, at_a, a, row_b, at_b, b, least)


# Many pairs at once.


def pack_shapes(shapes: Iterable[Shape]) -> bytes:
    """Rows for `overlap_many`: of each shape kind, half_angle and three sizes, as 32-bit numbers in
    the machine's order.

    The sizes: the arguments of the shape in their order, without a half_angle, then zeros."""
    return b"".join(_shape_rows("shapes", shapes))


def pack_poses(poses: Iterable[Pose]) -> bytes:
    """Rows for `overlap_many`: of each pose x, y, z and yaw, as 32-bit numbers in the machine's
    order.
    """
    return b"".join(_pose_rows("poses", poses))


def _shape_rows(name: str, shapes: Any) -> Iterator[bytes]:
    for i, shape in counted(name, shapes):
        require_shape(f"{name}[{i}]", shape)
        yield shape._shape


def _pose_rows(name: str, poses: Any) -> Iterator[bytes]:
    for i, pose in counted(name, poses):
        require_pose(f"{name}[{i}]", pose)
        yield pose._pose


def overlap_many(
    shapes_a: Shape | Buffer | Iterable[Shape],
    poses_a: Pose | Buffer | Iterable[Pose],
    shapes_b: Shape | Buffer | Iterable[Shape],
    poses_b: Pose | Buffer | Iterable[Pose],
) -> bytes:
    """`overlap` of many pairs in one call: one byte each, 0 APART, 1 TOUCHING, 2 OVERLAPPING.

    Each argument is a sequence of shapes or poses, or a buffer of rows as `pack_shapes` and
    `pack_poses` lay them out (bytes, array.array, a NumPy array of int32), all of one length; or a
    single shape or pose, which stands in every pair. ValueError names the argument, the index and
    the field of an invalid row."""
    columns = (
        _column("shapes_a", shapes_a, SHAPE, _shape_rows, ShapeValue),
        _column("poses_a", poses_a, POSE, _pose_rows, Pose),
        _column("shapes_b", shapes_b, SHAPE, _shape_rows, ShapeValue),
        _column("poses_b", poses_b, POSE, _pose_rows, Pose),
    )
    lengths = {name: n for name, n, _ in columns if n is not None}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{n} {name}" for name, n in lengths.items())
        raise ValueError(f"all must have one length, not {found}")
    count = next(iter(lengths.values()), 1)
    names = tuple(name for name, _, _ in columns)
    return kernel.overlap_many(
        names, [rows * count if n is None else rows for _, n, rows in columns], count
    )


def _column(
    name: str,
    values: Any,
    row: struct.Struct,
    rows: Callable[[str, Any], Iterator[bytes]],
    single: type[Value],
) -> tuple[str, int | None, bytes]:
    """Name, number and rows of an argument of `overlap_many`; no number for a single one."""
    if isinstance(values, single):
        return name, None, b"".join(rows(name, [values]))
    packed = is_buffer(values)
    found = rows_of(name, values, row.format[1:]) if packed else b"".join(rows(name, values))
    return name, len(found) // row.size, found

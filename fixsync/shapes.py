"""Shapes, poses and the contact of two of them.

Sizes and coordinates are Q16.16 integers (65536 is one unit), yaws and half angles have 65536 steps
a turn. All of these objects are immutable, checked once when they are made, and carry the C struct
that the kernel reads."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, ClassVar, NoReturn, TypeAlias, TypeVar, final

from fixsync._native import (
    HALF_ANGLE_MAX,
    INT32_MAX,
    INT32_MIN,
    SIZE_MAX,
    YAW_MAX,
    CData,
    array_type,
    ffi,
    index,
    integer,
    integers,
    is_buffer,
    lib,
    refuse,
    rows_of,
    shown,
    uninitialised,
)

__all__ = [
    "Box",
    "Capsule",
    "Contact",
    "Cylinder",
    "EventKind",
    "Pose",
    "Sector",
    "Shape",
    "Side",
    "Sphere",
    "cast_pair",
    "lift",
    "overlap",
    "overlap_many",
    "pack_poses",
    "pack_shapes",
    "push_out",
    "shape_fault",
    "shape_from_tuple",
    "side",
]


class _Code(IntEnum):
    """An integer with a name. It prints as the integer it is, and shows itself by name, on every
    Python alike."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    __str__ = int.__repr__

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec)


class Contact(_Code):
    """How two shapes meet; ordered, so that `contact >= Contact.TOUCHING` reads as it should."""

    APART = lib.FXS_APART
    TOUCHING = lib.FXS_TOUCHING
    """The boundaries meet, the insides do not."""
    OVERLAPPING = lib.FXS_OVERLAPPING


class EventKind(_Code):
    """What a step says of a pair."""

    ENTER = lib.FXS_ENTER
    """A hit now that was none at the last step."""
    STAY = lib.FXS_STAY
    """A hit now and at the last step."""
    EXIT = lib.FXS_EXIT
    """A hit at the last step that is none now; its contact is APART."""


class Side(_Code):
    """The side of a box that something is on, in the box's own frame."""

    NONE = lib.FXS_SIDE_NONE
    """Nothing is pushed out: the contact is not OVERLAPPING."""
    POS_X = lib.FXS_SIDE_POS_X
    NEG_X = lib.FXS_SIDE_NEG_X
    POS_Z = lib.FXS_SIDE_POS_Z
    NEG_Z = lib.FXS_SIDE_NEG_Z


CONTACTS = {int(contact): contact for contact in Contact}

_SHAPE = array_type("fxs_shape *")
_MOTION = array_type("int32_t[3]")
_FRACTION = array_type("int32_t *")
_POSE = array_type("fxs_pose *")
_TRANSLATION = array_type("int32_t[2]")
_LIFT = array_type("int32_t *")
_SHAPE_SIZE: int = ffi.sizeof("fxs_shape")
_POSE_SIZE: int = ffi.sizeof("fxs_pose")
SHAPE_ROW = "IIiii"
POSE_ROW = "iiiI"
# The least half height: a capsule's may be 0.
_LEAST = {lib.FXS_CAPSULE: 0}


class _Value:
    """Equality, hash, copy and pickle by `_row`, the numbers of the C struct."""

    __slots__ = ("_row",)
    __match_args__: ClassVar[tuple[str, ...]]
    _row: tuple[int, ...]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._row == other._row

    def __hash__(self) -> int:
        return hash(self._row)

    def _fields(self) -> tuple[int, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __copy__(self: _V) -> _V:
        return self

    def __deepcopy__(self: _V, memo: object) -> _V:
        return self


_V = TypeVar("_V", bound=_Value)


class _ShapeValue(_Value):
    """A shape. Its row: kind, half_angle, and the three sizes as the C struct has them."""

    __slots__ = ("_shape",)
    _shape: CData

    def _set(self, kind: int, half_angle: int, a: int, b: int, c: int) -> None:
        self._row = (kind, half_angle, a, b, c)
        self._shape = ffi.new(_SHAPE, (kind, half_angle, (a, b, c)))

    def as_tuple(self) -> tuple[Any, ...]:
        """The shape as a match log writes it: ("sphere", radius), ("box", half_x, half_y,
        half_z).
        """
        return type(self).__name__.lower(), *self._fields()


def _size(name: str, value: object, least: int = 1) -> int:
    return integer(name, value, least, SIZE_MAX)


@final
class Sphere(_ShapeValue):
    """A ball. `radius`: Q16.16, 1..2^29-1."""

    __slots__ = ()
    __match_args__ = ("radius",)

    def __init__(self, radius: int) -> None:
        self._set(lib.FXS_SPHERE, 0, _size("radius", radius), 0, 0)

    @property
    def radius(self) -> int:
        return self._row[2]


@final
class Capsule(_ShapeValue):
    """A ball swept along a vertical segment of ±half_height. Q16.16: radius 1.., half_height
    0..2^29-1.
    """

    __slots__ = ()
    __match_args__ = ("radius", "half_height")

    def __init__(self, radius: int, half_height: int) -> None:
        self._set(
            lib.FXS_CAPSULE, 0, _size("radius", radius), _size("half_height", half_height, 0), 0
        )

    @property
    def radius(self) -> int:
        return self._row[2]

    @property
    def half_height(self) -> int:
        """Of the segment; the capsule's top is half_height + radius above its centre."""
        return self._row[3]


@final
class Cylinder(_ShapeValue):
    """A vertical cylinder. Q16.16, each 1..2^29-1."""

    __slots__ = ()
    __match_args__ = ("radius", "half_height")

    def __init__(self, radius: int, half_height: int) -> None:
        self._set(
            lib.FXS_CYLINDER, 0, _size("radius", radius), _size("half_height", half_height), 0
        )

    @property
    def radius(self) -> int:
        return self._row[2]

    @property
    def half_height(self) -> int:
        return self._row[3]


@final
class Box(_ShapeValue):
    """A box, turned about Y by its pose's yaw; with yaw 0 an AABB. Q16.16, each 1..2^29-1."""

    __slots__ = ()
    __match_args__ = ("half_x", "half_y", "half_z")

    def __init__(self, half_x: int, half_y: int, half_z: int) -> None:
        self._set(
            lib.FXS_BOX,
            0,
            _size("half_x", half_x),
            _size("half_y", half_y),
            _size("half_z", half_z),
        )

    @property
    def half_x(self) -> int:
        return self._row[2]

    @property
    def half_y(self) -> int:
        return self._row[3]

    @property
    def half_z(self) -> int:
        return self._row[4]


@final
class Sector(_ShapeValue):
    """A vertical prism over a fan: its apex at the pose, facing the yaw, half_angle (1..32768
    steps) to either side.

    A half_angle of 32768 is the whole disc. radius and half_height: Q16.16, 1..2^29-1. Sectors do
    not hit each other."""

    __slots__ = ()
    __match_args__ = ("radius", "half_angle", "half_height")

    def __init__(self, radius: int, half_angle: int, half_height: int) -> None:
        angle = integer("half_angle", half_angle, 1, HALF_ANGLE_MAX)
        self._set(
            lib.FXS_SECTOR, angle, _size("radius", radius), _size("half_height", half_height), 0
        )

    @property
    def radius(self) -> int:
        return self._row[2]

    @property
    def half_angle(self) -> int:
        return self._row[1]

    @property
    def half_height(self) -> int:
        return self._row[3]


Shape: TypeAlias = Sphere | Capsule | Cylinder | Box | Sector
"""Any of the five kinds."""

_KINDS: tuple[type[Any], ...] = (Sphere, Capsule, Cylinder, Box, Sector)  # by code
_BY_NAME: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in _KINDS}


@final
class Pose(_Value):
    """Where a shape is: x, y, z (Q16.16, any int32; Y is up) and yaw (0..65535)."""

    __slots__ = ("_pose",)
    __match_args__ = ("x", "y", "z", "yaw")
    _pose: CData

    def __init__(self, x: int, y: int, z: int, yaw: int = 0) -> None:
        if not (
            type(x) is int
            and type(y) is int
            and type(z) is int
            and type(yaw) is int
            and 0 <= yaw <= YAW_MAX
        ):
            x, y, z, yaw = self._checked(x, y, z, yaw)
        try:
            self._pose = ffi.new(_POSE, (x, y, z, yaw))
        except OverflowError:
            self._checked(x, y, z, yaw)
            raise
        self._row = (x, y, z, yaw)

    @staticmethod
    def _checked(x: object, y: object, z: object, yaw: object) -> tuple[int, int, int, int]:
        return (
            _coordinate("x", x),
            _coordinate("y", y),
            _coordinate("z", z),
            integer("yaw", yaw, 0, YAW_MAX),
        )

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
        """The pose so far from this one, with its yaw. ValueError for one outside of int32."""
        x, y, z, yaw = self._row
        return Pose(x + index("dx", dx), y + index("dy", dy), z + index("dz", dz), yaw)


def _coordinate(name: str, value: object) -> int:
    return integer(name, value, INT32_MIN, INT32_MAX)


def shape_from_tuple(values: Iterable[Any]) -> Shape:
    """The shape of ("sphere", radius) and so on: the inverse of `as_tuple`. Any sequence will
    do.
    """
    if isinstance(values, str):
        raise TypeError(f"a shape must be ('sphere', radius) or the like, not {shown(values)}")
    kind, *sizes = tuple(values) or (None,)
    made = _BY_NAME.get(kind) if isinstance(kind, str) else None
    if made is None:
        raise ValueError(f"kind must be one of {', '.join(_BY_NAME)}, not {shown(kind)}")
    if len(sizes) != len(made.__match_args__):
        raise ValueError(
            f"a {kind} has {', '.join(made.__match_args__)}, not {len(sizes)} numbers: {shown(sizes)}"
        )
    shape: Shape = made(*sizes)
    return shape


def shape_of_row(kind: int, half_angle: int, a: int, b: int, c: int) -> Shape:
    """The shape of a C struct that the kernel has checked."""
    shape: Shape = object.__new__(_KINDS[kind])
    shape._set(kind, half_angle, a, b, c)
    return shape


def shape_fault(kind: int, half_angle: int, sizes: tuple[int, ...]) -> tuple[str, str] | None:
    """What is wrong with the numbers of a C struct: (the field, "must be ..., not ..."), or None.

    It words what the kernel refused; it decides nothing.
    """
    if not 0 <= kind < len(_KINDS):
        return "kind", f"must be 0..{len(_KINDS) - 1}, not {kind}"
    names = tuple(name for name in _KINDS[kind].__match_args__ if name != "half_angle")
    if kind == lib.FXS_SECTOR:
        if not 1 <= half_angle <= HALF_ANGLE_MAX:
            return "half_angle", f"must be 1..{HALF_ANGLE_MAX}, not {half_angle}"
    elif half_angle != 0:
        return "half_angle", f"must be 0 for anything but a sector, not {half_angle}"
    for i, size in enumerate(sizes):
        if i >= len(names):
            if size != 0:
                return f"size[{i}]", f"is unused by this kind and must be 0, not {size}"
            continue
        least = _LEAST.get(kind, 1) if names[i] == "half_height" else 1
        if not least <= size <= SIZE_MAX:
            return f"size[{i}] ({names[i]})", f"must be {least}..{SIZE_MAX}, not {size}"
    return None


# Contact.

_overlap = lib.fxs_overlap


def overlap(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> Contact:
    """The contact of two shapes where they stand, exact for all valid shapes and poses.

    The order of the two makes no difference. Two sectors are always APART.
    """
    try:
        return CONTACTS[_overlap(shape_a._shape, pose_a._pose, shape_b._shape, pose_b._pose)]
    except (AttributeError, TypeError):
        _require_pair(shape_a, pose_a, shape_b, pose_b)
        raise


def _require_pair(shape_a: object, pose_a: object, shape_b: object, pose_b: object) -> None:
    for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
        require_shape(name, shape)
    for name, pose in (("pose_a", pose_a), ("pose_b", pose_b)):
        require_pose(name, pose)


def require_shape(name: str, value: object) -> None:
    """TypeError if `value` is no shape."""
    if not isinstance(value, _ShapeValue):
        kinds = "a Sphere, Capsule, Cylinder, Box or Sector"
        raise TypeError(f"{name} must be {kinds}, not {shown(value)} ({type(value).__name__})")


def require_pose(name: str, value: object) -> None:
    """TypeError if `value` is no Pose."""
    if not isinstance(value, Pose):
        raise TypeError(f"{name} must be a Pose, not {shown(value)} ({type(value).__name__})")


# Push-out.


def push_out(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> tuple[int, int]:
    """The shortest planar translation (dx, dz) of a, raw Q16.16, that ends an OVERLAPPING contact;
    (0, 0) for any other contact.

    Moved by it, the two are not OVERLAPPING, exactly; y is not changed. It is less than 2 raw units
    longer than the shortest real translation (2.5 of two boxes, one with a half size above 5000
    units). `push_out(b, a)` is its negative wherever the centres differ in x or z. Where they do
    not, either order pushes its first shape the same way (without a box: along +X), so apply it to
    one of the two. ValueError for a sector."""
    out = ffi.new(_TRANSLATION)
    _ask(lib.fxs_push_out, shape_a, pose_a, shape_b, pose_b, out)
    return out[0], out[1]


def lift(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> int:
    """The vertical counterpart of `push_out`: the dy of a that ends the contact and is the least in
    size, up where both centres are level. A body on a floor wants this one."""
    out = ffi.new(_LIFT)
    _ask(lib.fxs_lift, shape_a, pose_a, shape_b, pose_b, out)
    dy: int = out[0]
    return dy


def side(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> Side:
    """The side of the box b that `push_out` moves a out of; NONE if the contact is not OVERLAPPING.

    It is where the translation mostly points in the box's own frame, X on a tie. ValueError if b is
    no box, or a is a sector."""
    return Side(_ask(lib.fxs_side, shape_a, pose_a, shape_b, pose_b))


def _ask(call: Any, shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose, *out: CData) -> int:
    """The answer of a function of two shapes that is not defined for all of them."""
    try:
        answer: int = call(shape_a._shape, pose_a._pose, shape_b._shape, pose_b._pose, *out)
    except (AttributeError, TypeError):
        _require_pair(shape_a, pose_a, shape_b, pose_b)
        raise
    if answer == lib.FXS_E_UNDEFINED:
        refuse_undefined("shape_a", shape_a, "shape_b", shape_b)
    return answer


def refuse_undefined(name_a: str, a: Shape, name_b: str, b: Shape) -> NoReturn:
    """ValueError for what has no push-out or is not cast: a sector or, asked for a side, a b that
    is no box."""
    for name, shape in ((name_a, a), (name_b, b)):
        if isinstance(shape, Sector):
            refuse(name, shape, "a Sphere, Capsule, Cylinder or Box")
    refuse(name_b, b, "a Box")


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
    """`value`, TOUCHING or OVERLAPPING."""
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
    """When two shapes that move straight, in the same time and without turning, first meet:
    (fraction, normal), or None. Nothing tunnels, however thin or fast.

    A motion is (mx, my, mz), Q16.16, each -(2^29-1)..2^29-1. fraction: floor(65536 * time),
    0..65536, of the first contact >= hit_when. TOUCHING counts a graze, a slide and a departure,
    OVERLAPPING does not. normal: Q2.30, from b towards a, as 1/65536 of the motion earlier; (0, 0,
    0) if they overlap where they start. ValueError for a sector."""
    a, b = motion_of("motion_a", motion_a), motion_of("motion_b", motion_b)
    least = hit_when_of("hit_when", hit_when)
    fraction, normal = ffi.new(_FRACTION), ffi.new(_MOTION)
    try:
        met = lib.fxs_cast_pair(
            shape_a._shape,
            pose_a._pose,
            a,
            shape_b._shape,
            pose_b._pose,
            b,
            least,
            fraction,
            normal,
        )
    except (AttributeError, TypeError):
        _require_pair(shape_a, pose_a, shape_b, pose_b)
        raise
    if met == lib.FXS_E_UNDEFINED:
        refuse_undefined("shape_a", shape_a, "shape_b", shape_b)
    return (fraction[0], (normal[0], normal[1], normal[2])) if met else None


# Many pairs at once.


def pack_shapes(shapes: Iterable[Shape]) -> bytes:
    """Rows for `overlap_many`: of each shape kind, half_angle and three sizes, as 32-bit numbers in
    the machine's order.

    The sizes: sphere r, 0, 0; capsule and cylinder r, half_height, 0; box half_x, half_y, half_z;
    sector r, half_height, 0."""
    return _packed_shapes("shapes", shapes)


def pack_poses(poses: Iterable[Pose]) -> bytes:
    """Rows for `overlap_many`: of each pose x, y, z and yaw, as 32-bit numbers in the machine's
    order.
    """
    return _packed_poses("poses", poses)


def _packed_shapes(name: str, shapes: Iterable[Shape]) -> bytes:
    rows = []
    for i, shape in enumerate(_iterated(name, shapes)):
        require_shape(f"{name}[{i}]", shape)
        rows.append(ffi.buffer(shape._shape)[:])
    return b"".join(rows)


def _packed_poses(name: str, poses: Iterable[Pose]) -> bytes:
    rows = []
    for i, pose in enumerate(_iterated(name, poses)):
        require_pose(f"{name}[{i}]", pose)
        rows.append(ffi.buffer(pose._pose)[:])
    return b"".join(rows)


def _iterated(name: str, values: Iterable[Any]) -> Iterable[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(
            f"{name} must be a sequence or a buffer of rows, not {shown(values)} ({type(values).__name__})"
        )
    return values


def overlap_many(shapes_a: Any, poses_a: Any, shapes_b: Any, poses_b: Any) -> bytes:
    """`overlap` of many pairs in one call: one byte each, 0 APART, 1 TOUCHING, 2 OVERLAPPING.

    Each argument is a sequence of shapes or poses, or a buffer of rows as `pack_shapes` and
    `pack_poses` lay them out (bytes, array.array, a NumPy array of int32), all of one length; or a
    single shape or pose, which stands in every pair. ValueError names the argument, the index and
    the field of what is no shape or no pose."""
    names = ("shapes_a", "poses_a", "shapes_b", "poses_b")
    columns = [
        _shape_rows(names[0], shapes_a),
        _pose_rows(names[1], poses_a),
        _shape_rows(names[2], shapes_b),
        _pose_rows(names[3], poses_b),
    ]
    sizes = (_SHAPE_SIZE, _POSE_SIZE, _SHAPE_SIZE, _POSE_SIZE)
    lengths = {
        name: len(rows) // size
        for name, (rows, single), size in zip(names, columns, sizes, strict=True)
        if not single
    }
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"all must have one length, not {', '.join(f'{n} {name}' for name, n in lengths.items())}"
        )
    count = next(iter(lengths.values()), 1)
    rows = [rows * count if single else rows for rows, single in columns]
    types = ("fxs_shape[]", "fxs_pose[]", "fxs_shape[]", "fxs_pose[]")
    arrays = [ffi.from_buffer(kind, data) for kind, data in zip(types, rows, strict=True)]
    contacts = uninitialised("uint8_t[]", count)
    bad = ffi.new("uint64_t *")
    status: int = lib.fxs_overlap_many(count, *arrays, contacts, bad)
    if status != lib.FXS_OK:
        _refuse_pair(names, arrays, int(bad[0]), status)
    found: bytes = ffi.buffer(contacts)[:]
    return found


def _shape_rows(name: str, value: Any) -> tuple[bytes, bool]:
    """Rows of shapes, and whether it was a single one."""
    if isinstance(value, _ShapeValue):
        return ffi.buffer(value._shape)[:], True
    return rows_of(name, value, SHAPE_ROW) if is_buffer(value) else _packed_shapes(
        name, value
    ), False


def _pose_rows(name: str, value: Any) -> tuple[bytes, bool]:
    if isinstance(value, Pose):
        return ffi.buffer(value._pose)[:], True
    return rows_of(name, value, POSE_ROW) if is_buffer(value) else _packed_poses(name, value), False


def _refuse_pair(names: tuple[str, ...], arrays: list[CData], index: int, status: int) -> None:
    for name, array in zip(names, arrays, strict=True):
        row = array[index]
        if name.startswith("shapes"):
            fault = shape_fault(row.kind, row.half_angle, tuple(row.size))
            if fault:
                raise ValueError(f"{name}[{index}]: {fault[0]} {fault[1]}")
        elif row.yaw > YAW_MAX:
            raise ValueError(f"{name}[{index}]: yaw must be 0..{YAW_MAX}, not {row.yaw}")
    raise RuntimeError(f"overlap_many: status {status} at index {index}")

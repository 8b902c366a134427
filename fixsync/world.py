"""Worlds: colliders by id, stepped into events.

Every change of a world goes through `World._change` (or is a step or a load), which is where an
attached observer, such as a recorder, is told. Every use of the kernel's memory happens under the
world's lock: it is there to refuse a second thread, never to wait for it, since what two threads do
at once to one world has no order that could be repeated."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from threading import RLock
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias, TypeVar

from fixsync._native import (
    INT32_MAX,
    INT32_MIN,
    UINT32_MAX,
    YAW_MAX,
    CData,
    array_type,
    boolean,
    bytes_of,
    ffi,
    index,
    integer,
    integers,
    is_buffer,
    lib,
    rows_of,
    shown,
    uninitialised,
)
from fixsync.records import (
    COLLIDER_FORMAT,
    CastAnswers,
    CastHit,
    Collider,
    Colliders,
    Events,
    Hits,
    Moved,
    QueryAnswers,
    cast_hits,
    collider_of_row,
)
from fixsync.shapes import (
    CONTACTS,
    POSE_ROW,
    Contact,
    Pose,
    Sector,
    Shape,
    Side,
    hit_when_of,
    motion_of,
    pack_poses,
    refuse_undefined,
    require_pose,
    require_shape,
    shape_fault,
    shape_of_row,
)
from fixsync.state import centre_fault, state_fault

__all__ = ["CAPACITY_MAX", "Command", "Observer", "World"]

CAPACITY_MAX: int = lib.FXS_CAPACITY_MAX
"""The largest capacity of a world: 2^31."""

Command: TypeAlias = tuple[Any, ...]
"""A change as a match log writes it: ("move", id, (x, y, z)), ("shape", id, ("sphere", radius)),
...
"""

_LAYERS: int = lib.FXS_LAYER_COUNT
_ALL = (1 << _LAYERS) - 1
_POSITION = ("x", "y", "z")
_OFFSET = ("ox", "oy", "oz")
_COLLIDER_NAMES = (
    "id",
    "kind",
    "layer",
    "active",
    "zero",
    "yaw",
    "half_angle",
    "owner",
    *_POSITION,
    *_OFFSET,
)
_NO_OFFSET = (0, 0, 0)
_NO_EVENTS = Events()
_COLLIDER = struct.Struct(COLLIDER_FORMAT)
_COLLIDER_ROW = COLLIDER_FORMAT[1:]
_QUERY_ROW = "IIiiiiiiIII"
_CAST_ROW = "IIiiiiiiIiiiIIII"
_QUERY_SIZE: int = ffi.sizeof("fxs_query")

_COLLIDER_TYPE = array_type("fxs_collider *")
_COLLIDERS_TYPE = array_type("fxs_collider[]")
_EVENTS_TYPE = array_type("fxs_event[]")
_IDS_TYPE = array_type("uint32_t[]")
_CAST_HITS_TYPE = array_type("fxs_cast_hit[]")
_CAST_HIT_SIZE: int = ffi.sizeof("fxs_cast_hit")
_EVENT_SIZE: int = ffi.sizeof("fxs_event")
_HIT_SIZE: int = ffi.sizeof("fxs_hit")
_HIT_TYPE = array_type("fxs_hit *")
_BYTE_TYPE = array_type("uint8_t *")

_buffer = ffi.buffer
_unpack = ffi.unpack
_kernel_step = lib.fxs_world_step
_kernel_query = lib.fxs_world_query
_kernel_contact = lib.fxs_world_contact
_kernel_cast = lib.fxs_world_cast
_kernel_sweep = lib.fxs_world_sweep
_kernel_save_size = lib.fxs_world_save_size
_kernel_save = lib.fxs_world_save
_kernel_load = lib.fxs_world_load
_NO_ROOM: int = lib.FXS_E_ROOM

# Room for this many hits, or one a collider, comes with a new world. More is made when it is
# needed.
_HIT_ROOM_MIN = 64

_COORDINATE = (INT32_MIN, INT32_MAX)
_RANGES = {
    "yaw": (0, YAW_MAX),
    "layer": (0, _LAYERS - 1),
    "owner": (0, UINT32_MAX),
    **dict.fromkeys((*_POSITION, *_OFFSET), _COORDINATE),
}


class Observer(Protocol):
    """What `World.attach` takes. Each method is called after the world took the change, and may
    read the world. What it raises reaches the caller; the change stays."""

    def changed(self, command: Command) -> None:
        """A collider was added, changed or removed; `command` as in a match log. Bulk changes come
        one by one, in order."""

    def stepped(self, events: Events) -> None:
        """A step was made."""

    def loaded(self) -> None:
        """The whole state was replaced."""


# The changes.


class _Change(NamedTuple):
    """A function of the kernel that changes colliders, and how its arguments read."""

    call: Callable[..., int]
    name: str
    """Of its command in a match log."""
    read: Callable[..., dict[str, Any]]
    """read(i, *args): the numbers of the i-th collider that the arguments speak of, by name."""
    rows: str = ""
    """Of a change of many: what an error calls its rows."""


# What follows the id in each command; names in brackets make a list.
_PARTS: dict[str, tuple[str | tuple[str, ...], ...]] = {
    "add": ("shape", _POSITION, "yaw", "layer", "owner", _OFFSET, "active"),
    "move": (_POSITION,),
    "turn": ("yaw",),
    "pose": (_POSITION, "yaw"),
    "shape": ("shape",),
    "offset": (_OFFSET,),
    "owner": ("owner",),
    "layer": ("layer",),
    "active": ("active",),
    "remove": (),
}


def _command(name: str, values: dict[str, Any]) -> Command:
    return (name, values["id"], *(_part(values, part) for part in _PARTS[name]))


def _part(values: dict[str, Any], part: str | tuple[str, ...]) -> Any:
    if isinstance(part, tuple):
        return tuple(values[name] for name in part)
    if part == "shape":
        return shape_of_row(values["kind"], values["half_angle"], *values["size"]).as_tuple()
    return bool(values[part]) if part == "active" else values[part]


def _read(*names: str) -> Callable[..., dict[str, Any]]:
    def read(_: int, *values: Any) -> dict[str, Any]:
        return dict(zip(names, values, strict=True))

    return read


def _read_struct(names: tuple[str, ...], row: CData, **more: Any) -> dict[str, Any]:
    return {**more, **{name: getattr(row, name) for name in names}}


def _read_shape(_: int, id: int, shape: CData) -> dict[str, Any]:
    return _read_struct(("kind", "half_angle"), shape, id=id, size=tuple(shape.size))


def _read_pose(_: int, id: int, pose: CData) -> dict[str, Any]:
    return _read_struct((*_POSITION, "yaw"), pose, id=id)


def _read_collider(i: int, rows: CData) -> dict[str, Any]:
    return _read_struct(_COLLIDER_NAMES, rows[i], size=tuple(rows[i].size))


# Changes of many take their count, their arrays, and where to put the index of a row that is
# refused.
def _read_colliders(i: int, _n: int, rows: CData, _bad: CData) -> dict[str, Any]:
    return _read_collider(i, rows)


def _read_rows(codes: str, *names: str) -> Callable[..., dict[str, Any]]:
    id_row, row = struct.Struct("=I"), struct.Struct(f"={codes}")

    def read(i: int, _n: int, ids: bytes, rows: bytes, _bad: CData) -> dict[str, Any]:
        values = row.unpack_from(rows, i * row.size)
        return {
            "id": id_row.unpack_from(ids, i * id_row.size)[0],
            **dict(zip(names, values, strict=True)),
        }

    return read


_ADD = _Change(lib.fxs_world_add, "add", _read_collider)
_REMOVE = _Change(lib.fxs_world_remove, "remove", _read("id"))
_MOVE = _Change(lib.fxs_world_move, "move", _read("id", *_POSITION))
_TURN = _Change(lib.fxs_world_turn, "turn", _read("id", "yaw"))
_SET_POSE = _Change(lib.fxs_world_set_pose, "pose", _read_pose)
_SET_SHAPE = _Change(lib.fxs_world_set_shape, "shape", _read_shape)
_SET_OFFSET = _Change(lib.fxs_world_set_offset, "offset", _read("id", *_OFFSET))
_SET_OWNER = _Change(lib.fxs_world_set_owner, "owner", _read("id", "owner"))
_SET_LAYER = _Change(lib.fxs_world_set_layer, "layer", _read("id", "layer"))
_SET_ACTIVE = _Change(lib.fxs_world_set_active, "active", _read("id", "active"))
_ADD_MANY = _Change(lib.fxs_world_add_many, "add", _read_colliders, "records")
_MOVE_MANY = _Change(lib.fxs_world_move_many, "move", _read_rows("iii", *_POSITION), "positions")
_POSE_MANY = _Change(
    lib.fxs_world_set_pose_many, "pose", _read_rows(POSE_ROW, *_POSITION, "yaw"), "poses"
)


_F = TypeVar("_F", bound=Callable[..., Any])


def _exclusive(method: _F) -> _F:
    """Runs a method under the world's lock. The methods that are called most do the same by hand,
    which is faster."""

    @wraps(method)
    def locked(self: World, *args: Any, **kwargs: Any) -> Any:
        if not self._acquire(False):
            _refuse_thread()
        try:
            return method(self, *args, **kwargs)
        finally:
            self._release()

    return locked  # type: ignore[return-value]


def _refuse_thread() -> NoReturn:
    raise RuntimeError(
        "this World is in use by another thread: one world can be used by one thread at a time"
    )


class World:
    """Colliders by id, 0 <= id < capacity, and the hits between them.

    What it answers is a function of its state alone: not of the order in which ids were added, nor
    of the platform. `hit_when` is the least contact that is a hit. `layers` lists the pairs of
    layers (0..31) that can hit each other; None: all of them. An error changes nothing: ValueError
    and TypeError name the argument, its value and what is allowed; KeyError is an id in range that
    is not there; RuntimeError tells that another thread is using this world."""

    __slots__ = (
        "__weakref__",
        "_acquire",
        "_capacity",
        "_cast",
        "_cast_hits",
        "_cast_room",
        "_collider",
        "_count",
        "_counts",
        "_event_bytes",
        "_event_room",
        "_events",
        "_hit_room",
        "_id_room",
        "_ids",
        "_memory",
        "_observer",
        "_query",
        "_release",
        "_scratch",
        "_scratch_room",
        "_world",
    )

    def __init__(
        self,
        capacity: int,
        *,
        hit_when: int = Contact.TOUCHING,
        layers: Iterable[Iterable[int]] | None = None,
    ) -> None:
        """capacity: 1..2^31; its memory is taken at once, about 210 bytes an id. MemoryError if
        there is not so much."""
        config = ffi.new("fxs_config *")
        config.capacity = integer("capacity", capacity, 1, CAPACITY_MAX)
        config.hit_capacity = max(_HIT_ROOM_MIN, config.capacity)
        config.hit_when = integer("hit_when", hit_when, Contact.TOUCHING, Contact.OVERLAPPING)
        config.layers = _masks(layers)
        self._begin(config)

    def _begin(self, config: CData) -> None:
        self._memory, self._world = _take_memory(config)
        self._hit_room: int = config.hit_capacity
        self._capacity: int = config.capacity
        self._event_room, self._id_room = 0, 0
        self._events, self._ids = ffi.NULL, ffi.NULL
        self._event_bytes: Any = b""
        self._cast_room, self._cast_hits = 0, ffi.NULL
        self._scratch_room, self._scratch = 0, ffi.NULL
        self._collider = ffi.new("fxs_collider *")
        self._query = ffi.new("fxs_query *")
        self._cast = ffi.new("fxs_cast *")
        self._counts = ffi.new("fxs_counts *")
        self._count = ffi.new("uint64_t *")
        self._observer: Observer | None = None
        lock = RLock()
        self._acquire, self._release = lock.acquire, lock.release

    def _config(self) -> CData:
        config = ffi.new("fxs_config *")
        lib.fxs_world_config(self._world, config)
        return config

    # Changes.

    def _change(self, change: _Change, *args: Any) -> None:
        """Makes a change and tells the observer: the way that every change of a collider takes."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            try:
                status = change.call(self._world, *args)
            except OverflowError:
                status = None
            if status != 0:
                self._refuse(change, args, status)
            if self._observer is not None:
                for i in range(args[0] if change.rows else 1):
                    self._observer.changed(_command(change.name, change.read(i, *args)))
        finally:
            self._release()

    def _refuse(self, change: _Change, args: tuple[Any, ...], status: int | None) -> NoReturn:
        """The error of a change that the kernel refused with `status`, or cffi with an
        OverflowError.
        """
        index = args[-1][0] if change.rows else 0
        values = change.read(index, *args)
        where = f"{change.rows}[{index}]: " if change.rows else ""
        id = values["id"]
        integer(f"{where}id", id, 0, self._capacity - 1)
        for name, (low, high) in _RANGES.items():
            if name in values:
                integer(f"{where}{name}", values[name], low, high)
        if status == lib.FXS_E_ABSENT:
            raise KeyError(f"{where}id {id} is not in the world")
        if status == lib.FXS_E_TAKEN:
            raise ValueError(
                f"{where}id {id} is taken: remove it first, or choose another of 0..{self._capacity - 1}"
            )
        if status == lib.FXS_E_CENTRE:
            at = self._placed(id) | values
            position, offset = (at["x"], at["y"], at["z"]), (at["ox"], at["oy"], at["oz"])
            raise ValueError(f"{where}id {id}: {centre_fault(position, at['yaw'], offset)}")
        if "kind" in values:
            fault = shape_fault(values["kind"], values["half_angle"], values["size"])
            if fault:
                raise ValueError(f"{where}{fault[0]} {fault[1]}")
            integer(f"{where}active", values["active"], 0, 1)
            integer(f"{where}zero", values["zero"], 0, 0)
        raise RuntimeError(f"{where}the kernel refused a change with status {status}")

    def _placed(self, id: int) -> dict[str, int]:
        """Position, yaw and offset of an id, if it is there."""
        if lib.fxs_world_get(self._world, id, self._collider) != lib.FXS_OK:
            return {}
        return {name: getattr(self._collider, name) for name in (*_POSITION, "yaw", *_OFFSET)}

    def _id(self, value: object) -> int:
        return integer("id", value, 0, self._capacity - 1)

    def add(
        self,
        id: int,
        shape: Shape,
        pose: Pose,
        *,
        layer: int = 0,
        owner: int = 0,
        offset: tuple[int, int, int] = _NO_OFFSET,
        active: bool = True,
    ) -> None:
        """Adds a collider under an id that is not taken.

        layer: 0..31. owner: 0..2^32-1, 0 for none; what has the same owner does not hit. offset: of
        its centre from its pose, turned with the yaw. An inactive collider neither hits nor is
        found."""
        row = self._row("", id, shape, pose, layer, owner, offset, active)
        self._change(_ADD, ffi.from_buffer(_COLLIDER_TYPE, row))

    def _row(
        self,
        where: str,
        id: Any,
        shape: Any,
        pose: Any,
        layer: Any,
        owner: Any,
        offset: Any,
        active: Any,
    ) -> bytes:
        """A collider as the kernel reads it; what is out of range for the kernel may pass."""
        require_shape(where + "shape", shape)
        require_pose(where + "pose", pose)
        kind, half_angle, *sizes = shape._row
        x, y, z, yaw = pose._row
        ox, oy, oz = (
            offset
            if offset is _NO_OFFSET
            else integers(f"{where}offset", _OFFSET, offset, *_COORDINATE)
        )
        if not (
            type(id) is int and type(layer) is int and type(owner) is int and type(active) is bool
        ):
            id, layer, owner = self._checked(where, id, layer, owner)
            boolean(f"{where}active", active)
        try:
            return _COLLIDER.pack(
                id, kind, layer, active, 0, yaw, half_angle, owner, x, y, z, ox, oy, oz, *sizes
            )
        except struct.error:
            self._checked(where, id, layer, owner)
            raise

    def _checked(
        self, where: str, id: object, layer: object, owner: object
    ) -> tuple[int, int, int]:
        return (
            integer(f"{where}id", id, 0, self._capacity - 1),
            integer(f"{where}layer", layer, *_RANGES["layer"]),
            integer(f"{where}owner", owner, *_RANGES["owner"]),
        )

    def remove(self, id: int) -> None:
        """Removes a collider; its hits end with the next step."""
        self._change(_REMOVE, id if type(id) is int else self._id(id))

    @_exclusive
    def clear(self) -> None:
        """Removes every collider, by id; their hits end with the next step. The frame stays, and so
        do hit_when and layers."""
        for id in self._all_ids():
            self._change(_REMOVE, id)

    def move(self, id: int, x: int, y: int, z: int) -> None:
        """Puts a collider's pose at (x, y, z), Q16.16."""
        if not (type(id) is int and type(x) is int and type(y) is int and type(z) is int):
            id = self._id(id)
            x, y, z = (integer(name, v, *_COORDINATE) for name, v in (("x", x), ("y", y), ("z", z)))
        self._change(_MOVE, id, x, y, z)

    def turn(self, id: int, yaw: int) -> None:
        """Gives a collider a yaw, 0..65535."""
        if not (type(id) is int and type(yaw) is int):
            id, yaw = self._id(id), integer("yaw", yaw, 0, YAW_MAX)
        self._change(_TURN, id, yaw)

    def set_pose(self, id: int, pose: Pose) -> None:
        """Moves and turns a collider at once."""
        require_pose("pose", pose)
        self._change(_SET_POSE, id if type(id) is int else self._id(id), pose._pose)

    def set_shape(self, id: int, shape: Shape) -> None:
        """Gives a collider another shape."""
        require_shape("shape", shape)
        self._change(_SET_SHAPE, id if type(id) is int else self._id(id), shape._shape)

    def set_offset(self, id: int, offset: tuple[int, int, int]) -> None:
        """Sets how far a collider's centre is from its pose: (ox, oy, oz), each any int32, turned
        with the yaw."""
        values = integers("offset", _OFFSET, offset, *_COORDINATE)
        self._change(_SET_OFFSET, id if type(id) is int else self._id(id), *values)

    def set_owner(self, id: int, owner: int) -> None:
        """Gives a collider an owner, 0..2^32-1; 0 is none."""
        if not (type(id) is int and type(owner) is int):
            id, owner = self._id(id), integer("owner", owner, *_RANGES["owner"])
        self._change(_SET_OWNER, id, owner)

    def set_layer(self, id: int, layer: int) -> None:
        """Puts a collider on a layer, 0..31."""
        if not (type(id) is int and type(layer) is int):
            id, layer = self._id(id), integer("layer", layer, *_RANGES["layer"])
        self._change(_SET_LAYER, id, layer)

    def set_active(self, id: int, active: bool) -> None:
        """Makes a collider active or not; an inactive one neither hits nor is found."""
        boolean("active", active)
        self._change(_SET_ACTIVE, id if type(id) is int else self._id(id), active)

    @_exclusive
    def set_layers(self, layers: Iterable[Iterable[int]] | None) -> None:
        """Replaces the layer matrix: the pairs of layers that can hit each other, or None for all.

        Keeps the hit history: a hit that the matrix no longer allows is an EXIT at the next step.
        """
        if lib.fxs_world_set_layers(self._world, _masks(layers)) != lib.FXS_OK:
            raise RuntimeError("the kernel refused a symmetric layer matrix")
        if self._observer is not None:
            self._observer.changed(("layers", self.layers))

    # Many changes at once.

    def add_many(self, records: Any) -> None:
        """Adds many colliders: all of them or, if one is refused, none; the error names its index
        and field.

        `records`: a buffer of COLLIDER_FORMAT rows (bytes, a NumPy array of COLLIDER_DTYPE), what
        `colliders()` of a world returned, or tuples (id, shape, pose[, layer[, owner[, offset[,
        active]]]]), as Collider is."""
        if isinstance(records, Colliders):
            rows = bytes(records.buffer)
        elif is_buffer(records):
            rows = rows_of("records", records, _COLLIDER_ROW)
        else:
            rows = b"".join(
                self._record(f"records[{i}]", record) for i, record in _counted("records", records)
            )
        colliders = ffi.from_buffer(_COLLIDERS_TYPE, rows)
        self._change(_ADD_MANY, len(colliders), colliders, self._count)

    def _record(self, where: str, record: Any) -> bytes:
        if not isinstance(record, (tuple, list)) or not 3 <= len(record) <= 7:
            raise TypeError(
                f"{where} must be (id, shape, pose[, layer[, owner[, offset[, active]]]]), "
                f"not {shown(record)}"
            )
        return self._row(f"{where}: ", *record, *(0, 0, _NO_OFFSET, True)[len(record) - 3 :])

    def move_many(self, ids: Any, positions: Any) -> None:
        """`move` of many ids: all of them or, if one is refused, none; the error names its index.
        The last of an id counts.

        `ids`: ints, or a buffer of uint32. `positions`: (x, y, z) tuples, or a buffer of int32,
        three an id."""
        numbers = self._id_rows(ids)
        if is_buffer(positions):
            rows = rows_of("positions", positions, "iii")
        else:
            rows = b"".join(
                struct.pack(
                    "=3i", *integers(f"positions[{i}]", ("x", "y", "z"), position, *_COORDINATE)
                )
                for i, position in _counted("positions", positions)
            )
        _same_length("positions", len(rows) // 12, len(numbers) // 4)
        self._change(_MOVE_MANY, len(numbers) // 4, numbers, rows, self._count)

    def set_pose_many(self, ids: Any, poses: Any) -> None:
        """`set_pose` of many ids: all of them or, if one is refused, none; the error names its
        index. The last of an id counts.

        `ids`: ints, or a buffer of uint32. `poses`: Pose objects, or a buffer of rows as
        `pack_poses` lays them out."""
        if (
            not (type(ids) is bytes and type(poses) is bytes and len(poses) == 4 * len(ids))
            or len(ids) % 4
        ):
            ids = self._id_rows(ids)
            poses = rows_of("poses", poses, POSE_ROW) if is_buffer(poses) else pack_poses(poses)
            _same_length("poses", len(poses) // 16, len(ids) // 4)
        self._change(_POSE_MANY, len(ids) // 4, ids, poses, self._count)

    def _id_rows(self, ids: Any) -> bytes:
        if is_buffer(ids):
            return rows_of("ids", ids, "I")
        last = self._capacity - 1
        numbers = [integer(f"ids[{i}]", id, 0, last) for i, id in _counted("ids", ids)]
        return struct.pack(f"={len(numbers)}I", *numbers)

    # Steps and answers.

    def step(self) -> Events:
        """Finds this frame's hits and returns what changed since the last step, by (a, b).

        ENTER: a hit now, not at the last step. STAY: at both. EXIT: at the last step, not now. An
        id that was added or removed since the last step ends its old hits: such a pair gives EXIT
        and, if it is a hit now, ENTER after it."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            counts = self._counts
            while (
                status := _kernel_step(self._world, self._events, self._event_room, counts)
            ) != 0:
                self._make_room(status, counts.hits, counts.events)
            found = counts.events
            events = Events(self._event_bytes[: found * _EVENT_SIZE]) if found else _NO_EVENTS
            if self._observer is not None:
                self._observer.stepped(events)
            return events
        finally:
            self._release()

    def _make_room(self, status: int, hits: int, events: int) -> None:
        """Room for a step with so many hits and events."""
        if status != _NO_ROOM or (hits <= self._hit_room and events <= self._event_room):
            raise RuntimeError(f"the kernel refused a step with status {status}")
        if hits > self._hit_room:
            self._make_hit_room(hits)
        if events > self._event_room:
            room = max(events, 2 * self._event_room, _HIT_ROOM_MIN)
            self._events, self._event_room = uninitialised(_EVENTS_TYPE, room), room
            self._event_bytes = _buffer(self._events)

    def _make_hit_room(self, hits: int) -> None:
        """Moves the state into memory with room for so many hits."""
        if hits > UINT32_MAX:
            raise MemoryError(f"{hits} hits at once are more than a world can hold ({UINT32_MAX})")
        config = self._config()
        config.hit_capacity = min(max(hits, 2 * self._hit_room), UINT32_MAX)
        memory, world = _take_memory(config)
        if lib.fxs_world_copy(world, self._world) != lib.FXS_OK:
            raise RuntimeError("the kernel refused to copy a world into a larger one")
        self._memory, self._world, self._hit_room = memory, world, config.hit_capacity

    def query(
        self, shape: Shape, pose: Pose, mask: int = _ALL, *, exclude_owner: int = 0
    ) -> list[int]:
        """The ids, ascending, of the active colliders that the shape would hit at the pose, as the
        world is now.

        mask: bit i set looks at layer i. exclude_owner: leaves out what has this owner (0: leaves
        out nothing). A sector finds no sector. It changes nothing."""
        if not (type(mask) is int and type(exclude_owner) is int):
            mask, exclude_owner = _query_numbers("", mask, exclude_owner)
        if not self._acquire(False):
            _refuse_thread()
        try:
            question, count = self._query, self._count
            question.shape = shape._shape[0]
            question.pose = pose._pose[0]
            question.mask = mask
            question.exclude_owner = exclude_owner
            while (
                status := _kernel_query(self._world, question, self._ids, self._id_room, count)
            ) != 0:
                self._make_id_room(status, count[0])
            found: list[int] = _unpack(self._ids, count[0]) if count[0] else []
            return found
        except (AttributeError, TypeError, OverflowError):
            require_shape("shape", shape)
            require_pose("pose", pose)
            _query_numbers("", mask, exclude_owner)
            raise
        finally:
            self._release()

    def _make_id_room(self, status: int, ids: int) -> None:
        if status != _NO_ROOM:
            raise RuntimeError(f"the kernel refused a query with status {status}")
        room = max(ids, 2 * self._id_room, _HIT_ROOM_MIN)
        self._ids, self._id_room = uninitialised(_IDS_TYPE, room), room

    def query_many(self, queries: Any) -> QueryAnswers:
        """`query` of many in one call: the answers in order.

        `queries`: tuples (shape, pose[, mask[, exclude_owner]]), or a buffer of rows of eleven
        32-bit numbers: a row of `pack_shapes`, a row of `pack_poses`, mask and exclude_owner."""
        return self._ask_many(lib.fxs_world_query_many, _query_rows(queries))

    def nearest(
        self, shape: Shape, pose: Pose, limit: int = 0, mask: int = _ALL, *, exclude_owner: int = 0
    ) -> list[int]:
        """What `query` finds, nearest first: the first `limit` of it (0: all).

        Nearest by the exact squared distance, y included, of a collider's centre from the pose; of
        equally near ones the lower id first."""
        limit = integer("limit", limit, 0, UINT32_MAX)
        require_shape("shape", shape)
        require_pose("pose", pose)
        numbers = _query_numbers("", mask, exclude_owner)
        row = _buffer(shape._shape)[:] + _buffer(pose._pose)[:] + struct.pack("=2I", *numbers)
        return self._ask_many(lib.fxs_world_nearest_many, row, limit)[0]

    def nearest_many(self, queries: Any, limit: int = 0) -> QueryAnswers:
        """`nearest` of many in one call, `limit` for each of them. `queries`: as for
        `query_many`.
        """
        limit = integer("limit", limit, 0, UINT32_MAX)
        return self._ask_many(lib.fxs_world_nearest_many, _query_rows(queries), limit)

    @_exclusive
    def _ask_many(self, call: Callable[..., int], rows: bytes, *limit: int) -> QueryAnswers:
        questions = ffi.from_buffer("fxs_query[]", rows)
        n, count = len(questions), self._count
        ends = uninitialised("uint64_t[]", n)
        while (
            status := call(self._world, n, questions, *limit, ends, self._ids, self._id_room, count)
        ) != 0:
            if status != _NO_ROOM:
                _refuse_query(questions, int(count[0]), status)
            self._make_id_room(status, count[0])
        total = int(ends[n - 1]) if n else 0
        ids = _buffer(self._ids, total * 4)[:] if total else b""
        return QueryAnswers(_buffer(ends)[:] if n else b"", ids)

    def cast(
        self,
        shape: Shape,
        pose: Pose,
        motion: tuple[int, int, int],
        mask: int = _ALL,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> list[CastHit]:
        """What a shape meets that moves straight from the pose, by (fraction, id), as the world is
        now: the first `limit` of them (0: all). Nothing tunnels, however thin or fast. A ray is a
        Sphere(1).

        It looks at the active colliders that `query` would look at, but for sectors, each standing
        still. motion: (mx, my, mz), Q16.16, each -(2^29-1)..2^29-1. hit_when: None is the world's.
        Fractions and normals are those of `cast_pair` with the shape as a. ValueError for a sector.
        It changes nothing."""
        require_shape("shape", shape)
        require_pose("pose", pose)
        numbers = _cast_numbers("", motion, mask, exclude_owner, limit, hit_when)
        if not self._acquire(False):
            _refuse_thread()
        try:
            row = self._cast
            row.shape, row.pose = shape._shape[0], pose._pose[0]
            row.motion, row.mask, row.exclude_owner, row.limit, row.hit_when = numbers
            return self._cast_one(_kernel_cast, lambda: f"shape {shown(shape)}", row)
        finally:
            self._release()

    def sweep(
        self, id: int, motion: tuple[int, int, int], *, limit: int = 0, hit_when: int | None = None
    ) -> list[CastHit]:
        """What a collider would meet that moves straight from where it is: `cast` of its own shape,
        at the other active colliders that layers and owners let it hit. Whether it is active itself
        does not matter. ValueError for a sector."""
        vector, _, _, limit, least = _cast_numbers("", motion, _ALL, 0, limit, hit_when)
        if not self._acquire(False):
            _refuse_thread()
        try:
            if not (type(id) is int and 0 <= id < self._capacity):
                id = self._id(id)
            if not self._has(id):
                raise KeyError(f"id {id} is not in the world")
            return self._cast_one(
                _kernel_sweep, lambda: f"the shape of id {id}", id, vector, limit, least
            )
        finally:
            self._release()

    def _cast_one(
        self, call: Callable[..., int], what: Callable[[], str], *args: Any
    ) -> list[CastHit]:
        count = self._count
        while (status := call(self._world, *args, self._cast_hits, self._cast_room, count)) != 0:
            if status == lib.FXS_E_UNDEFINED:
                raise ValueError(f"a sector cannot be cast: {what()}")
            self._make_cast_room(status, count[0])
        return cast_hits(_buffer(self._cast_hits, count[0] * _CAST_HIT_SIZE)) if count[0] else []

    def _make_cast_room(self, status: int, hits: int) -> None:
        if status != _NO_ROOM or hits <= self._cast_room:
            raise RuntimeError(f"the kernel refused a cast with status {status}")
        room = max(hits, 2 * self._cast_room, _HIT_ROOM_MIN)
        self._cast_hits, self._cast_room = uninitialised(_CAST_HITS_TYPE, room), room

    def cast_many(self, casts: Any) -> CastAnswers:
        """`cast` of many in one call: the answers in order.

        `casts`: tuples (shape, pose, motion[, mask[, exclude_owner[, limit[, hit_when]]]]), or a
        buffer of rows of sixteen 32-bit numbers: a row of `pack_shapes`, a row of `pack_poses`, the
        motion, mask, exclude_owner, limit, and hit_when (0: the world's)."""
        if is_buffer(casts):
            rows = rows_of("casts", casts, _CAST_ROW)
        else:
            rows = b"".join(
                _cast_row(f"casts[{i}]", entry) for i, entry in _counted("casts", casts)
            )
        return self._cast_rows(rows)

    @_exclusive
    def _cast_rows(self, rows: bytes) -> CastAnswers:
        questions = ffi.from_buffer("fxs_cast[]", rows)
        n, count = len(questions), self._count
        ends = uninitialised("uint64_t[]", n)
        while (
            status := lib.fxs_world_cast_many(
                self._world, n, questions, ends, self._cast_hits, self._cast_room, count
            )
        ) != 0:
            if status != _NO_ROOM:
                _refuse_cast(questions, int(count[0]), status)
            self._make_cast_room(status, count[0])
        total = int(ends[n - 1]) if n else 0
        hits = _buffer(self._cast_hits, total * _CAST_HIT_SIZE)[:] if total else b""
        return CastAnswers(_buffer(ends)[:] if n else b"", hits)

    def contact(self, a: int, b: int) -> Contact:
        """The contact of two colliders as they are now, whatever their layers, owners and
        activity.
        """
        if not (type(a) is int and type(b) is int):
            a, b = (integer(name, id, 0, self._capacity - 1) for name, id in (("a", a), ("b", b)))
        if not self._acquire(False):
            _refuse_thread()
        try:
            status = _kernel_contact(self._world, a, b)
        except OverflowError:
            status = -1
        finally:
            self._release()
        if status < 0:
            for name, id in (("a", a), ("b", b)):
                integer(name, id, 0, self._capacity - 1)
                if id not in self:
                    raise KeyError(f"{name}: id {id} is not in the world")
        return CONTACTS[status]

    def push_out(self, a: int, b: int) -> tuple[int, int]:
        """`fixsync.push_out` of two colliders as they are now, whatever their layers, owners and
        activity: (dx, dz) for a's pose, its offset and all."""
        out = ffi.new("int32_t[2]")
        self._ask_pair(lib.fxs_world_push_out, a, b, out)
        return out[0], out[1]

    def lift(self, a: int, b: int) -> int:
        """`fixsync.lift` of two colliders as they are now: dy for a's pose."""
        out = ffi.new("int32_t *")
        self._ask_pair(lib.fxs_world_lift, a, b, out)
        dy: int = out[0]
        return dy

    def side(self, a: int, b: int) -> Side:
        """`fixsync.side` of two colliders as they are now: the side of b, a box, that a is pushed
        out of.
        """
        return Side(self._ask_pair(lib.fxs_world_side, a, b))

    @_exclusive
    def _ask_pair(self, call: Callable[..., int], a: int, b: int, *out: CData) -> int:
        last = self._capacity - 1
        a, b = integer("a", a, 0, last), integer("b", b, 0, last)
        status = call(self._world, a, b, *out)
        if status < 0:
            one, other = self._find(a), self._find(b)
            if one is None or other is None:
                name, id = ("a", a) if one is None else ("b", b)
                raise KeyError(f"{name}: id {id} is not in the world")
            refuse_undefined(
                f"the shape of a ({a})", one.shape, f"the shape of b ({b})", other.shape
            )
        return status

    def separate(self, yields: Iterable[Iterable[int]], *, passes: int = 1) -> list[Moved]:
        """Pushes bodies that overlap apart: characters from each other, and out of walls. Returns
        what it moved, by id, with the new positions.

        yields: pairs of layers (i, j), "a body of layer i gives way to one of layer j". Where only
        one of two bodies gives way, it takes all of `push_out`; where both do, each takes half,
        rounded away from zero; where neither does, the pair is left alone.

        The pairs are those of the last step's hits that are still there, active, allowed to meet
        and no sectors; each is pushed if it is OVERLAPPING when its turn comes, so it sees what
        earlier pushes did. A pass takes first the pairs in which both give way, then those in which
        one does, each by (a, b): what does not yield has the last word. Pushing one pair apart may
        push another together; further passes, over the same pairs, end early when nothing was left
        to push.

        Hits and frame stay as they are: the next step sees the new poses. ValueError, with nothing
        moved, if a push would leave int32."""
        masks = [0] * _LAYERS
        for n, pair in _counted("yields", yields):
            i, j = integers(f"yields[{n}]", ("layer", "to"), pair, 0, _LAYERS - 1)
            masks[i] |= 1 << j
        return self._separate(masks, integer("passes", passes, 1, UINT32_MAX))

    @_exclusive
    def _separate(self, masks: list[int], passes: int) -> list[Moved]:
        world, count = self._world, self._count
        room = min(lib.fxs_world_count(world), 2 * lib.fxs_world_hit_count(world))
        rows = uninitialised("fxs_moved[]", room)
        status = lib.fxs_world_separate(world, masks, passes, rows, room, count)
        if status == lib.FXS_E_CENTRE:
            raise ValueError(f"separate would push id {count[0]} outside {INT32_MIN}..{INT32_MAX}")
        if status != 0:
            raise RuntimeError(f"the kernel refused to separate with status {status}")
        moved = [Moved(row.id, row.x, row.y, row.z) for row in rows[0 : count[0]]]
        if self._observer is not None:
            for id, x, y, z in moved:
                self._observer.changed(("move", id, (x, y, z)))
        return moved

    # What is there.

    @property
    @_exclusive
    def frame(self) -> int:
        """Steps taken, modulo 2^32."""
        frame: int = lib.fxs_world_frame(self._world)
        return frame

    @property
    def capacity(self) -> int:
        """Ids are 0..capacity - 1."""
        return self._capacity

    @property
    @_exclusive
    def hit_when(self) -> Contact:
        """The least contact that is a hit."""
        return Contact(self._config().hit_when)

    @property
    @_exclusive
    def layers(self) -> list[tuple[int, int]] | None:
        """The pairs of layers (i, j), i <= j, that can hit each other, ascending; None if all
        can.
        """
        masks = list(self._config().layers)
        if all(mask == _ALL for mask in masks):
            return None
        return [(i, j) for i in range(_LAYERS) for j in range(i, _LAYERS) if masks[i] >> j & 1]

    @_exclusive
    def __len__(self) -> int:
        count: int = lib.fxs_world_count(self._world)
        return count

    def __bool__(self) -> bool:
        """True: an empty world is a world."""
        return True

    def __contains__(self, id: object) -> bool:
        number = id if type(id) is int else index("id", id)
        return 0 <= number < self._capacity and self._has(number)

    @_exclusive
    def _has(self, id: int) -> bool:
        present: bool = lib.fxs_world_get(self._world, id, self._collider) == lib.FXS_OK
        return present

    @_exclusive
    def _find(self, id: int) -> Collider | None:
        if lib.fxs_world_get(self._world, id, self._collider) != lib.FXS_OK:
            return None
        return collider_of_row(*_COLLIDER.unpack(_buffer(self._collider)))

    def __getitem__(self, id: int) -> Collider:
        """The collider under an id: KeyError if there is none, ValueError for an id that cannot
        be.
        """
        collider = self._find(self._id(id))
        if collider is None:
            raise KeyError(f"id {id} is not in the world")
        return collider

    def __iter__(self) -> Iterator[int]:
        """The ids in the world, ascending, as they were when the iteration began."""
        return iter(self._all_ids())

    @_exclusive
    def _all_ids(self) -> list[int]:
        count = lib.fxs_world_count(self._world)
        ids = uninitialised(_IDS_TYPE, count)
        lib.fxs_world_ids(self._world, ids)
        found: list[int] = _unpack(ids, count) if count else []
        return found

    @_exclusive
    def colliders(self) -> Colliders:
        """All colliders as they are now, by id. Its `buffer` can be given to NumPy, and it itself
        to `add_many`."""
        size = lib.fxs_world_count(self._world) * _COLLIDER.size
        return Colliders(self._written(size, _COLLIDER_TYPE, lib.fxs_world_colliders))

    @_exclusive
    def hits(self) -> Hits:
        """The hits of the last step, by (a, b)."""
        size = lib.fxs_world_hit_count(self._world) * _HIT_SIZE
        return Hits(self._written(size, _HIT_TYPE, lib.fxs_world_hits))

    def _written(self, size: int, kind: CData, write: Callable[[CData, CData], None]) -> bytes:
        """The `size` bytes that a function of the kernel writes of this world; `kind`: what it
        points to.

        It writes into memory that is kept. Large memory taken anew for every call would each time
        be given back to the system, and every page of it cost more than what is written there."""
        if size > self._scratch_room:
            room = size + size // 4
            self._scratch, self._scratch_room = uninitialised("uint64_t[]", room // 8 + 1), room
        write(self._world, ffi.cast(kind, self._scratch))
        written: bytes = _buffer(self._scratch, size)[:]
        return written

    @_exclusive
    def __repr__(self) -> str:
        return (
            f"<World frame={lib.fxs_world_frame(self._world)} colliders={lib.fxs_world_count(self._world)}"
            f" hits={lib.fxs_world_hit_count(self._world)} capacity={self._capacity}"
            f" hit_when={Contact(self._config().hit_when).name}>"
        )

    # State.

    def save(self) -> bytes:
        """The whole state, the same bytes on every platform."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            return self._written(_kernel_save_size(self._world), _BYTE_TYPE, _kernel_save)
        finally:
            self._release()

    @_exclusive
    def hash(self) -> int:
        """XXH64 (seed 0) of the bytes that `save` would return."""
        value: int = lib.fxs_world_hash(self._world)
        return value

    def load(self, data: Any) -> None:
        """Replaces everything but the capacity, hit_when and layers included, by what `save`
        returned.

        `data`: bytes or another buffer. ValueError names the offset and the rule that is broken;
        nothing has changed then."""
        state, at = bytes_of("data", data), self._count
        if not self._acquire(False):
            _refuse_thread()
        try:
            status = _kernel_load(self._world, state, len(state), at)
            if status == _NO_ROOM:
                self._make_hit_room(at[0])
                status = _kernel_load(self._world, state, len(state), at)
            if status != 0:
                offset = int(at[0])
                fault = state_fault(state, offset, self._capacity)
                raise ValueError(
                    f"data is no state that this world can hold: byte {offset}: {fault}"
                )
            if self._observer is not None:
                self._observer.loaded()
        finally:
            self._release()

    @classmethod
    def from_bytes(cls, data: Any, capacity: int) -> World:
        """A world of this capacity with a saved state."""
        world = cls(capacity)
        world.load(data)
        return world

    @_exclusive
    def copy(self) -> World:
        """Another world with the same state, without an observer."""
        twin = type(self).__new__(type(self))
        config = self._config()
        config.hit_capacity = self._hit_room
        twin._begin(config)
        if lib.fxs_world_copy(twin._world, self._world) != lib.FXS_OK:
            raise RuntimeError("the kernel refused to copy a world")
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> World:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.save(), self._capacity)

    # Observers.

    @_exclusive
    def attach(self, observer: Observer) -> None:
        """Has an observer told of every change, step and load from now on. A world has at most
        one.
        """
        if self._observer is not None:
            raise ValueError(
                f"the world has an observer already: {shown(self._observer)}; detach it first"
            )
        self._observer = observer

    @_exclusive
    def detach(self, observer: Observer) -> None:
        """Ends `attach`. ValueError if it is not this observer that is attached."""
        if self._observer is not observer:
            raise ValueError(
                f"observer must be the one attached, {shown(self._observer)}, not {shown(observer)}"
            )
        self._observer = None


def _take_memory(config: CData) -> tuple[CData, CData]:
    """New memory and, in it, an empty world of this config."""
    size = lib.fxs_world_size(config)
    try:
        memory = uninitialised("uint8_t[]", size + 8)
    except (MemoryError, OverflowError):
        raise MemoryError(
            f"a world of capacity {config.capacity}, with room for {config.hit_capacity} hits, "
            f"needs {size} bytes, which cannot be had"
        ) from None
    world = ffi.cast("fxs_world *", memory + -int(ffi.cast("uintptr_t", memory)) % 8)
    if lib.fxs_world_init(world, config) != lib.FXS_OK:
        raise RuntimeError(f"the kernel refused a checked config of capacity {config.capacity}")
    return memory, world


def _masks(layers: Iterable[Iterable[int]] | None) -> list[int]:
    """The layer matrix of a list of enabled pairs."""
    if layers is None:
        return [_ALL] * _LAYERS
    masks = [0] * _LAYERS
    for n, pair in _counted("layers", layers):
        i, j = integers(f"layers[{n}]", ("first", "second"), pair, 0, _LAYERS - 1)
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    return masks


def _counted(name: str, values: Any) -> Iterator[tuple[int, Any]]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence, not {shown(values)} ({type(values).__name__})")
    return enumerate(values)


def _same_length(name: str, found: int, ids: int) -> None:
    if found != ids:
        raise ValueError(f"ids and {name} must have one length, not {ids} and {found}")


def _query_numbers(where: str, mask: object, exclude_owner: object) -> tuple[int, int]:
    return (
        integer(f"{where}mask", mask, 0, UINT32_MAX),
        integer(f"{where}exclude_owner", exclude_owner, 0, UINT32_MAX),
    )


def _query_rows(queries: Any) -> bytes:
    if is_buffer(queries):
        return rows_of("queries", queries, _QUERY_ROW)
    return b"".join(_query_row(f"queries[{i}]", entry) for i, entry in _counted("queries", queries))


def _query_row(where: str, entry: Any) -> bytes:
    if not isinstance(entry, (tuple, list)) or not 2 <= len(entry) <= 4:
        raise TypeError(
            f"{where} must be (shape, pose[, mask[, exclude_owner]]), not {shown(entry)}"
        )
    shape, pose = entry[:2]
    mask = entry[2] if len(entry) > 2 else _ALL
    exclude_owner = entry[3] if len(entry) > 3 else 0
    require_shape(f"{where}: shape", shape)
    require_pose(f"{where}: pose", pose)
    rest = struct.pack("=2I", *_query_numbers(f"{where}: ", mask, exclude_owner))
    row: bytes = _buffer(shape._shape)[:] + _buffer(pose._pose)[:] + rest
    return row


def _cast_numbers(
    where: str, motion: object, mask: object, exclude_owner: object, limit: object, hit_when: object
) -> tuple[tuple[int, int, int], int, int, int, int]:
    """The numbers of a cast, checked; a hit_when of None is the kernel's 0."""
    vector = motion_of(f"{where}motion", motion)
    least = 0 if hit_when is None else hit_when_of(f"{where}hit_when", hit_when)
    if (
        (type(mask) is int and 0 <= mask <= UINT32_MAX)
        and (type(exclude_owner) is int and 0 <= exclude_owner <= UINT32_MAX)
        and (type(limit) is int and 0 <= limit <= UINT32_MAX)
    ):
        return vector, mask, exclude_owner, limit, least
    mask, exclude_owner = _query_numbers(where, mask, exclude_owner)
    return vector, mask, exclude_owner, integer(f"{where}limit", limit, 0, UINT32_MAX), least


def _cast_row(where: str, entry: Any) -> bytes:
    if not isinstance(entry, (tuple, list)) or not 3 <= len(entry) <= 7:
        form = "(shape, pose, motion[, mask[, exclude_owner[, limit[, hit_when]]]])"
        raise TypeError(f"{where} must be {form}, not {shown(entry)}")
    shape, pose, motion, *rest = entry
    require_shape(f"{where}: shape", shape)
    require_pose(f"{where}: pose", pose)
    usual: list[Any] = [_ALL, 0, 0, None]
    vector, *numbers = _cast_numbers(f"{where}: ", motion, *rest, *usual[len(rest) :])
    if isinstance(shape, Sector):
        raise ValueError(f"{where}: a sector cannot be cast: shape {shown(shape)}")
    row: bytes = (
        _buffer(shape._shape)[:] + _buffer(pose._pose)[:] + struct.pack("=3i4I", *vector, *numbers)
    )
    return row


def _refuse_cast(questions: CData, index: int, status: int) -> NoReturn:
    row = questions[index]
    fault: Sequence[str] | None = shape_fault(
        row.shape.kind, row.shape.half_angle, tuple(row.shape.size)
    )
    if fault is None and row.shape.kind == lib.FXS_SECTOR:
        fault = "kind", f"must not be {row.shape.kind}: a sector cannot be cast"
    if fault is None and row.pose.yaw > YAW_MAX:
        fault = "yaw", f"must be 0..{YAW_MAX}, not {row.pose.yaw}"
    if fault is None:
        motion_of(f"casts[{index}]: motion", tuple(row.motion))
        integer(f"casts[{index}]: hit_when", row.hit_when, 0, Contact.OVERLAPPING)
        raise RuntimeError(f"casts[{index}]: the kernel refused it with status {status}")
    raise ValueError(f"casts[{index}]: {fault[0]} {fault[1]}")


def _refuse_query(questions: CData, index: int, status: int) -> NoReturn:
    shape, pose = questions[index].shape, questions[index].pose
    fault: Sequence[str] | None = shape_fault(shape.kind, shape.half_angle, tuple(shape.size))
    if fault is None and pose.yaw > YAW_MAX:
        fault = "yaw", f"must be 0..{YAW_MAX}, not {pose.yaw}"
    if fault is None:
        raise RuntimeError(f"queries[{index}]: the kernel refused it with status {status}")
    raise ValueError(f"queries[{index}]: {fault[0]} {fault[1]}")

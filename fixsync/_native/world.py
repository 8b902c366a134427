"""A world's memory, and everything that is done in it.

Every use of the memory happens under the world's lock. The lock refuses a second thread and never
waits for it: changes of two threads at once have no order that could be repeated."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from threading import RLock
from typing import Any, NoReturn, Protocol, TypeVar

from fixsync._native.checks import integer, layer_pairs, shown
from fixsync._native.raw import INT32_MAX, INT32_MIN, UINT32_MAX, CData, ffi, lib, uninitialised
from fixsync._native.rows import CAST, CAST_HIT, COLLIDER, COMMAND, EVENT, HIT, POSITION, QUERY
from fixsync._native.status import (
    CommandError,
    refuse_change,
    refuse_question,
    refuse_state,
    refuse_undefined,
    unexpected,
)

__all__ = ["Change", "NativeWorld", "Observer", "Table"]

# Room for this many hits, or one a collider, comes with a new world. More is made when needed.
_HIT_ROOM_MIN = 64
_NO_ROOM: int = lib.FXS_E_ROOM
_UNDEFINED: int = lib.FXS_E_UNDEFINED
_PLACE = ("x", "y", "z", "yaw", "ox", "oy", "oz")

_EVENTS_TYPE = ffi.typeof("fxs_event[]")
_IDS_TYPE = ffi.typeof("uint32_t[]")
_CAST_HITS_TYPE = ffi.typeof("fxs_cast_hit[]")

_buffer = ffi.buffer
_unpack = ffi.unpack
_step = lib.fxs_world_step
_apply = lib.fxs_world_apply
_hash = lib.fxs_world_hash
_COMMAND_SIZE = COMMAND.size
_query = lib.fxs_world_query
_nearest = lib.fxs_world_nearest
_contact = lib.fxs_world_contact
_cast = lib.fxs_world_cast
_save_size = lib.fxs_world_save_size
_save = lib.fxs_world_save


class Change(Protocol):
    """A row of the table of commands, as `fixsync.changes` has it."""

    function: Callable[..., int]

    def values(self, args: Sequence[Any]) -> dict[str, Any]: ...
    def command(self, values: dict[str, Any]) -> tuple[Any, ...]: ...


class Table(Protocol):
    """The table of commands: the module `fixsync.changes`."""

    def values_of_row(self, rows: bytes, i: int) -> dict[str, Any]: ...
    def commands_of_rows(self, rows: bytes, masks: Sequence[int]) -> list[tuple[Any, ...]]: ...


class Observer(Protocol):
    """Called after the world took a change, under its lock."""

    def changed(self, command: tuple[Any, ...]) -> None: ...
    def stepped(self, events: Any) -> None: ...
    def loaded(self) -> None: ...


_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")


def _exclusive(method: _F) -> _F:
    """Runs a method under the world's lock. The methods that are called most do this by hand,
    which is faster."""

    @wraps(method)
    def locked(self: NativeWorld, *args: Any, **kwargs: Any) -> Any:
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


class NativeWorld:
    """A world of the kernel. Arguments are plain ints and rows of bytes."""

    __slots__ = (
        "_acquire",
        "_cast_hits",
        "_cast_room",
        "_count",
        "_counts",
        "_event_bytes",
        "_event_room",
        "_events",
        "_hit_room",
        "_id_room",
        "_ids",
        "_memory",
        "_release",
        "_scratch",
        "_scratch_room",
        "_world",
        "capacity",
        "observer",
    )

    def __init__(
        self, capacity: int, hit_when: int, masks: Sequence[int], hit_room: int = 0
    ) -> None:
        self.capacity = capacity
        self.observer: Observer | None = None
        self._hit_room = hit_room or max(_HIT_ROOM_MIN, min(capacity, UINT32_MAX))
        config = ffi.new("fxs_config *", (capacity, self._hit_room, hit_when, [*masks]))
        self._memory, self._world = _take_memory(config)
        self._event_room = self._id_room = self._cast_room = self._scratch_room = 0
        self._events = self._ids = self._cast_hits = self._scratch = ffi.NULL
        self._event_bytes: Any = b""
        self._counts = ffi.new("fxs_counts *")
        self._count = ffi.new("uint64_t *")
        lock = RLock()
        self._acquire, self._release = lock.acquire, lock.release

    # Changes.

    def change(self, change: Change, *args: Any) -> None:
        """Makes a change of a collider and calls the observer."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            try:
                status = change.function(self._world, *args)
            except OverflowError:
                status = None
            if status != 0:
                self._refuse("", status, change.values(args))
            if self.observer is not None:
                self.observer.changed(change.command(change.values(args)))
        finally:
            self._release()

    def _refuse(self, where: str, status: int | None, values: dict[str, Any]) -> NoReturn:
        placed: dict[str, int] = {}
        if isinstance(values["id"], int) and 0 <= values["id"] < self.capacity:
            row = ffi.new("fxs_collider *")
            if lib.fxs_world_get(self._world, values["id"], row) == 0:
                placed = {name: getattr(row, name) for name in _PLACE}
        refuse_change(where, status, values, self.capacity, placed)

    def add_many(self, change: Change, rows: bytes) -> None:
        """Adds colliders, all or none."""
        n = len(rows) // COLLIDER.size
        self._change_many(lib.fxs_world_add_many, "records", change, n, b"", rows)

    def move_many(self, change: Change, ids: bytes, positions: bytes) -> None:
        """Moves colliders, all or none."""
        call = lib.fxs_world_move_many
        self._change_many(call, "positions", change, len(ids) // 4, ids, positions)

    def set_pose_many(self, change: Change, ids: bytes, poses: bytes) -> None:
        """Poses colliders, all or none."""
        call = lib.fxs_world_set_pose_many
        self._change_many(call, "poses", change, len(ids) // 4, ids, poses)

    def _change_many(
        self, call: Callable[..., int], name: str, change: Change, n: int, ids: bytes, rows: bytes
    ) -> None:
        """Makes n changes, all or none. `ids` is empty if `rows` have them."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            arrays = (ids, rows) if ids else (rows,)
            status = call(self._world, n, *arrays, self._count) if n else 0
            if status != 0:
                i = int(self._count[0])
                values = change.values(_args_of_row(i, n, ids, rows))
                self._refuse(f"{name}[{i}]: ", status, values)
            if self.observer is not None:
                for i in range(n):
                    values = change.values(_args_of_row(i, n, ids, rows))
                    self.observer.changed(change.command(values))
        finally:
            self._release()

    @_exclusive
    def apply(self, rows: bytes, table: Table) -> None:
        """Makes the changes of rows in order, all or none. CommandError for a refused row."""
        masks = None if self.observer is None else self.masks()
        status = lib.fxs_world_apply(self._world, rows, len(rows) // COMMAND.size, self._count)
        if status != 0:
            self._refuse_row(rows, int(self._count[0]), status, table)
        if masks is not None and self.observer is not None:
            for command in table.commands_of_rows(rows, masks):
                self.observer.changed(command)

    def _refuse_row(self, rows: bytes, i: int, status: int, table: Table) -> NoReturn:
        then = self.copy()  # the world that refused the row, after the rows before it
        lib.fxs_world_apply(then._world, rows, i, then._count)
        try:
            then._refuse("", status, table.values_of_row(rows, i))
        except (KeyError, ValueError) as error:
            raise CommandError(i, str(error.args[0])) from error

    @_exclusive
    def set_layers(self, masks: Sequence[int]) -> None:
        """Replaces the layer matrix."""
        status = lib.fxs_world_set_layers(self._world, masks)
        if status != 0:
            unexpected("a symmetric layer matrix", status)
        if self.observer is not None:
            self.observer.changed(("layers", layer_pairs(masks)))

    @_exclusive
    def separate(self, masks: Sequence[int], passes: int) -> list[tuple[int, int, int, int]]:
        """Ids and new positions of what was pushed."""
        count = self._count
        room = min(self.count(), 2 * self.hit_count())
        rows = uninitialised("fxs_moved[]", room)
        status = lib.fxs_world_separate(self._world, masks, passes, rows, room, count)
        if status == lib.FXS_E_CENTRE:
            raise ValueError(f"separate would push id {count[0]} outside {INT32_MIN}..{INT32_MAX}")
        if status != 0:
            unexpected("separate", status)
        moved = [(row.id, row.x, row.y, row.z) for row in rows[0 : count[0]]]
        if self.observer is not None:
            for id, x, y, z in moved:
                self.observer.changed(("move", id, (x, y, z)))
        return moved

    # Steps.

    def step(self, events_of: Callable[[bytes], _T], no_events: _T) -> _T:
        """One step: `events_of` its rows, or `no_events`."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            counts = self._counts
            while status := _step(self._world, self._events, self._event_room, counts):
                self._make_room(status, counts.hits, counts.events)
            found = counts.events
            events = events_of(self._event_bytes[: found * EVENT.size]) if found else no_events
            if self.observer is not None:
                self.observer.stepped(events)
            return events
        finally:
            self._release()

    def play(self, rows: bytes, table: Table) -> tuple[int, bytes, int]:
        """A frame of a log in one call: the changes of rows as `apply`, then a step. Number of
        hits, rows of events, and hash. The world must have no observer."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            if rows:
                status = _apply(self._world, rows, len(rows) // _COMMAND_SIZE, self._count)
                if status != 0:
                    self._refuse_row(rows, int(self._count[0]), status, table)
            counts = self._counts
            while status := _step(self._world, self._events, self._event_room, counts):
                self._make_room(status, counts.hits, counts.events)
            found = counts.events
            events = self._event_bytes[: found * EVENT.size] if found else b""
            return counts.hits, events, _hash(self._world)
        finally:
            self._release()

    def _make_room(self, status: int, hits: int, events: int) -> None:
        """Room for a step with so many hits and events."""
        if status != _NO_ROOM or (hits <= self._hit_room and events <= self._event_room):
            unexpected("a step", status)
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
        status = lib.fxs_world_copy(world, self._world)
        if status != 0:
            unexpected("a copy into a larger world", status)
        self._memory, self._world, self._hit_room = memory, world, config.hit_capacity

    # Queries.

    def query(self, row: bytes) -> list[int]:
        """The ids that a query of checked numbers meets."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            count = self._count
            while (status := _query(self._world, row, self._ids, self._id_room, count)) != 0:
                self._make_id_room(status, count[0])
            found: list[int] = _unpack(self._ids, count[0]) if count[0] else []
            return found
        finally:
            self._release()

    @_exclusive
    def nearest(self, row: bytes, limit: int) -> list[int]:
        """The first `limit` ids that a query of checked numbers meets, nearest first."""
        count = self._count
        while (status := _nearest(self._world, row, limit, self._ids, self._id_room, count)) != 0:
            self._make_id_room(status, count[0])
        found: list[int] = _unpack(self._ids, count[0]) if count[0] else []
        return found

    def _make_id_room(self, status: int, ids: int) -> None:
        if status != _NO_ROOM:
            unexpected("a query", status)
        room = max(ids, 2 * self._id_room, _HIT_ROOM_MIN)
        self._ids, self._id_room = uninitialised(_IDS_TYPE, room), room

    def query_many(self, rows: bytes) -> tuple[bytes, bytes]:
        """The ends and the ids of the answers of many queries."""
        return self._answers(lib.fxs_world_query_many, rows)

    def nearest_many(self, rows: bytes, limit: int) -> tuple[bytes, bytes]:
        """The ends and the ids of the answers of many queries, nearest first."""
        return self._answers(lib.fxs_world_nearest_many, rows, limit)

    @_exclusive
    def _answers(self, call: Callable[..., int], rows: bytes, *limit: int) -> tuple[bytes, bytes]:
        n, count = len(rows) // QUERY.size, self._count
        ends = uninitialised("uint64_t[]", n)
        while (
            status := call(self._world, n, rows, *limit, ends, self._ids, self._id_room, count)
        ) != 0:
            if status != _NO_ROOM:
                refuse_question("queries", rows, int(count[0]), status)
            self._make_id_room(status, count[0])
        total = int(ends[n - 1]) if n else 0
        return _bytes_of(ends, 8 * n), _bytes_of(self._ids, 4 * total)

    # Casts.

    def cast(self, row: bytes) -> bytes:
        """The hits of a cast of checked numbers."""
        if not self._acquire(False):
            _refuse_thread()
        try:
            count = self._count
            while (status := _cast(self._world, row, self._cast_hits, self._cast_room, count)) != 0:
                if status == _UNDEFINED:
                    refuse_undefined("can_cast", ("shape", CAST.unpack(row)[:5]))
                self._make_cast_room(status, count[0])
            return _bytes_of(self._cast_hits, count[0] * CAST_HIT.size)
        finally:
            self._release()

    @_exclusive
    def sweep(self, id: int, motion: tuple[int, int, int], limit: int, hit_when: int) -> bytes:
        """The hits of a cast of a collider's own shape."""
        integer("id", id, 0, self.capacity - 1)
        count, call = self._count, lib.fxs_world_sweep
        while (
            status := call(
                *(self._world, id, motion, limit, hit_when),
                *(self._cast_hits, self._cast_room, count),
            )
        ) != 0:
            self._refuse_ids("can_cast", status, id=id)
            self._make_cast_room(status, count[0])
        return _bytes_of(self._cast_hits, count[0] * CAST_HIT.size)

    @_exclusive
    def cast_many(self, rows: bytes) -> tuple[bytes, bytes]:
        """The ends and the hits of the answers of many casts."""
        n, count = len(rows) // CAST.size, self._count
        ends, call = uninitialised("uint64_t[]", n), lib.fxs_world_cast_many
        while (
            status := call(self._world, n, rows, ends, self._cast_hits, self._cast_room, count)
        ) != 0:
            if status != _NO_ROOM:
                refuse_question("casts", rows, int(count[0]), status)
            self._make_cast_room(status, count[0])
        total = int(ends[n - 1]) if n else 0
        return _bytes_of(ends, 8 * n), _bytes_of(self._cast_hits, total * CAST_HIT.size)

    def _make_cast_room(self, status: int, hits: int) -> None:
        if status != _NO_ROOM or hits <= self._cast_room:
            unexpected("a cast", status)
        room = max(hits, 2 * self._cast_room, _HIT_ROOM_MIN)
        self._cast_hits, self._cast_room = uninitialised(_CAST_HITS_TYPE, room), room

    # Two colliders.

    def contact(self, a: int, b: int) -> int:
        if not self._acquire(False):
            _refuse_thread()
        try:
            status: int
            try:
                status = _contact(self._world, a, b)
            except OverflowError:
                status = lib.FXS_E_ID
            if status < 0:
                self._refuse_ids("", status, a=a, b=b)
            return status
        finally:
            self._release()

    @_exclusive
    def push_out(self, a: int, b: int) -> tuple[int, int]:
        out = ffi.new("int32_t[2]")
        self._ask_pair(lib.fxs_world_push_out, a, b, out)
        return out[0], out[1]

    @_exclusive
    def lift(self, a: int, b: int) -> int:
        out = ffi.new("int32_t *")
        self._ask_pair(lib.fxs_world_lift, a, b, out)
        dy: int = out[0]
        return dy

    @_exclusive
    def side(self, a: int, b: int) -> int:
        return self._ask_pair(lib.fxs_world_side, a, b)

    def _ask_pair(self, call: Callable[..., int], a: int, b: int, *out: CData) -> int:
        status = call(self._world, a, b, *out)
        if status < 0:
            self._refuse_ids("can_push", status, a=a, b=b)
        return status

    def _refuse_ids(self, can: str, status: int, **ids: int) -> None:
        """Raises for ids that are out of range or absent, or shapes that a question is not defined
        for."""
        for name, id in ids.items():
            integer(name, id, 0, self.capacity - 1)
        where = len(ids) > 1
        shapes = []
        for name, id in ids.items():
            row = self.get(id)
            if row is None:
                raise KeyError(f"{f'{name}: ' if where else ''}id {id} is not in the world")
            _, kind, _, _, _, _, half_angle, *_, a, b, c = COLLIDER.unpack(row)
            of = f"{name} ({id})" if where else f"id {id}"
            shapes.append((f"the shape of {of}", (kind, half_angle, a, b, c)))
        if status == _UNDEFINED:
            refuse_undefined(can, *shapes)

    # Reading.

    @_exclusive
    def frame(self) -> int:
        value: int = lib.fxs_world_frame(self._world)
        return value

    @_exclusive
    def count(self) -> int:
        value: int = lib.fxs_world_count(self._world)
        return value

    @_exclusive
    def hit_count(self) -> int:
        value: int = lib.fxs_world_hit_count(self._world)
        return value

    def _config(self) -> CData:
        config = ffi.new("fxs_config *")
        lib.fxs_world_config(self._world, config)
        return config

    @_exclusive
    def hit_when(self) -> int:
        value: int = self._config().hit_when
        return value

    @_exclusive
    def masks(self) -> tuple[int, ...]:
        """The layer matrix."""
        return tuple(self._config().layers)

    @_exclusive
    def get(self, id: int) -> bytes | None:
        """The row of a collider, None if it is not there."""
        row = ffi.new("fxs_collider *")
        if lib.fxs_world_get(self._world, id, row) != 0:
            return None
        found: bytes = _buffer(row)[:]
        return found

    @_exclusive
    def ids(self) -> list[int]:
        """The ids, ascending."""
        count = self.count()
        ids = uninitialised(_IDS_TYPE, count)
        lib.fxs_world_ids(self._world, ids)
        found: list[int] = _unpack(ids, count) if count else []
        return found

    @_exclusive
    def colliders(self) -> bytes:
        """The rows of all colliders, by id."""
        return self._written(
            self.count() * COLLIDER.size, "fxs_collider *", lib.fxs_world_colliders
        )

    @_exclusive
    def hits(self) -> bytes:
        """The rows of the last step's hits."""
        return self._written(self.hit_count() * HIT.size, "fxs_hit *", lib.fxs_world_hits)

    def _written(self, size: int, kind: Any, write: Callable[[CData, CData], None]) -> bytes:
        """The `size` bytes that a function of the kernel writes of this world; `kind`: the type of
        its pointer.

        The memory is kept from call to call. Large new memory for each call would be given back to
        the system every time, and the page faults cost more than the writing."""
        if size > self._scratch_room:
            room = size + size // 4
            self._scratch, self._scratch_room = uninitialised("uint64_t[]", room // 8 + 1), room
        write(self._world, ffi.cast(kind, self._scratch))
        written: bytes = _buffer(self._scratch, size)[:]
        return written

    # State.

    def save(self) -> bytes:
        if not self._acquire(False):
            _refuse_thread()
        try:
            return self._written(_save_size(self._world), _BYTES_TYPE, _save)
        finally:
            self._release()

    @_exclusive
    def hash(self) -> int:
        value: int = lib.fxs_world_hash(self._world)
        return value

    @_exclusive
    def load(self, state: bytes) -> None:
        """Replaces the state by a saved one. ValueError, with nothing changed, for other bytes."""
        at, size = self._count, len(state)
        status = lib.fxs_world_load(self._world, state, size, at)
        if status == _NO_ROOM:
            self._make_hit_room(at[0])
            status = lib.fxs_world_load(self._world, state, size, at)
        if status != 0:
            refuse_state(state, int(at[0]), self.capacity)
        if self.observer is not None:
            self.observer.loaded()

    @_exclusive
    def copy(self) -> NativeWorld:
        """Another world with the same state, without an observer."""
        twin = NativeWorld(self.capacity, self.hit_when(), self.masks(), self._hit_room)
        status = lib.fxs_world_copy(twin._world, self._world)
        if status != 0:
            unexpected("a copy", status)
        return twin

    # Observers.

    @_exclusive
    def attach(self, observer: Observer) -> None:
        if self.observer is not None:
            found = shown(self.observer)
            raise ValueError(f"the world has an observer already: {found}; detach it first")
        self.observer = observer

    @_exclusive
    def detach(self, observer: Observer) -> None:
        if self.observer is not observer:
            attached = shown(self.observer)
            raise ValueError(
                f"observer must be the one attached, {attached}, not {shown(observer)}"
            )
        self.observer = None


_BYTES_TYPE = ffi.typeof("uint8_t *")


def _args_of_row(i: int, n: int, ids: bytes, rows: bytes) -> tuple[Any, ...]:
    """The arguments of the i-th of n changes, as the change alone takes them."""
    size = len(rows) // n
    row = rows[i * size : (i + 1) * size]
    if not ids:
        return (row,)
    id = int.from_bytes(ids[4 * i : 4 * i + 4], sys.byteorder)
    return (id, *POSITION.unpack(row)) if size == POSITION.size else (id, row)


def _bytes_of(memory: CData, size: int) -> bytes:
    found: bytes = _buffer(memory, size)[:] if size else b""
    return found


def _take_memory(config: CData) -> tuple[CData, CData]:
    """New memory and, in it, an empty world of this config."""
    size = lib.fxs_world_size(config)
    try:
        memory = uninitialised("uint8_t[]", size + 8)
    except (MemoryError, OverflowError):
        raise MemoryError(
            f"a world of capacity {config.capacity}, with room for {config.hit_capacity} hits, "
            f"needs {size} bytes, which the system does not have"
        ) from None
    world = ffi.cast("fxs_world *", memory + -int(ffi.cast("uintptr_t", memory)) % 8)
    status = lib.fxs_world_init(world, config)
    if status != 0:
        unexpected(f"a config of capacity {config.capacity}", status)
    return memory, world

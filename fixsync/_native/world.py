"""Everything that is done in a world's memory: changes, steps, queries and casts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any, NoReturn, Protocol, TypeVar

from fixsync._native.checks import integer, refuse
from fixsync._native.kernel import outline_of
from fixsync._native.kinds import KINDS
from fixsync._native.level import LEVEL
from fixsync._native.memory import HIT_ROOM_MIN, Memory, exclusive
from fixsync._native.raw import INT32_MAX, INT32_MIN, SIZE_MAX, CData, ffi, lib, uninitialised
from fixsync._native.rows import (
    CAST,
    CAST_HIT,
    COLLIDER,
    COMMAND,
    EVENT,
    MOVER_RESULT,
    POSITION,
    QUERY,
)
from fixsync._native.status import (
    CommandError,
    refuse_change,
    refuse_question,
    refuse_undefined,
    unexpected,
)

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
_set_pose = lib.fxs_world_set_pose
_query = lib.fxs_world_query
_nearest = lib.fxs_world_nearest
_contact = lib.fxs_world_contact
_cast = lib.fxs_world_cast
_save_size = lib.fxs_world_save_size
_save = lib.fxs_world_save


def command_rows(count: int) -> tuple[CData, bytearray]:
    """Room for so many rows of commands, and the same memory as bytes, to write them to."""
    memory = bytearray(count * COMMAND.size)
    return ffi.from_buffer("fxs_command[]", memory), memory


_pack_move = Struct("=3I12x3i24x").pack
_MOVE: int = lib.FXS_COMMAND_MOVE


def _move_row(moved: Sequence[int]) -> bytes:
    """The row of the command that moves an id to (x, y, z)."""
    return _pack_move(_MOVE, 0, *moved)


class Change(Protocol):
    """A row of the table of commands, as `fixsync.changes` has it."""

    function: Callable[..., int]

    def values(self, args: Sequence[Any]) -> dict[str, Any]: ...
    def row_of(self, args: Sequence[Any]) -> bytes: ...


class Table(Protocol):
    """The table of commands: the module `fixsync.changes`."""

    def values_of_row(self, rows: bytes, i: int) -> dict[str, Any]: ...


_T = TypeVar("_T")


class NativeWorld(Memory):
    """A world of the kernel. Arguments are plain ints and rows of bytes."""

    __slots__ = ()

    # Changes.

    def change(self, change: Change, *args: Any) -> None:
        """Makes a change of a collider and calls the observer."""
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            try:
                status = change.function(self._world, *args)
            except OverflowError:
                status = None
            if status != 0:
                self._refuse("", status, change.values(args))
            if self.observer is not None:
                self._hold(self.observer.changed, change.row_of(args))
        finally:
            if self._owner is None:
                self._free[0] = None

    def set_pose(self, change: Change, id: int, pose: bytes) -> None:
        """`change` of a pose, which games make most: without a tuple of arguments."""
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            try:
                status = _set_pose(self._world, id, pose)
            except OverflowError:
                status = None
            if status != 0:
                self._refuse("", status, change.values((id, pose)))
            if self.observer is not None:
                self._hold(self.observer.changed, change.row_of((id, pose)))
        finally:
            if self._owner is None:
                self._free[0] = None

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
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            arrays = (ids, rows) if ids else (rows,)
            status = call(self._world, n, *arrays, self._count) if n else 0
            if status != 0:
                i = int(self._count[0])
                values = change.values(_args_of_row(i, n, ids, rows))
                self._refuse(f"{name}[{i}]: ", status, values)
            if self.observer is not None:
                made = (change.row_of(_args_of_row(i, n, ids, rows)) for i in range(n))
                self._hold(self.observer.changed, b"".join(made))
        finally:
            if self._owner is None:
                self._free[0] = None

    @exclusive
    def apply(self, rows: bytes, table: Table) -> None:
        """Makes the changes of rows in order, all or none. CommandError for a refused row."""
        status = lib.fxs_world_apply(self._world, rows, len(rows) // COMMAND.size, self._count)
        if status != 0:
            self._refuse_row(rows, int(self._count[0]), status, table)
        if rows and self.observer is not None:
            self.observer.changed(rows)

    def _refuse_row(self, rows: bytes, i: int, status: int, table: Table) -> NoReturn:
        then = self.copy()  # the world that refused the row, after the rows before it
        lib.fxs_world_apply(then._world, rows, i, then._count)
        try:
            then._refuse("", status, table.values_of_row(rows, i))
        except (KeyError, ValueError) as error:
            raise CommandError(i, str(error.args[0])) from error

    @exclusive
    def separate(self, masks: Sequence[int], passes: int) -> list[tuple[int, int, int, int]]:
        """Ids and new positions of the pushed colliders."""
        count = self._count
        room = min(self.count(), 2 * self.hit_count())
        rows = uninitialised("fxs_moved[]", room)
        status = lib.fxs_world_separate(self._world, masks, passes, rows, room, count)
        if status == lib.FXS_E_CENTRE:
            raise ValueError(f"separate would push id {count[0]} outside {INT32_MIN}..{INT32_MAX}")
        if status != 0:
            unexpected("separate", status)
        moved = [(row.id, row.x, row.y, row.z) for row in rows[0 : count[0]]]
        if moved and self.observer is not None:
            self.observer.changed(b"".join(map(_move_row, moved)))
        return moved

    # Steps.

    def step(self, events_of: Callable[[bytes], _T], no_events: _T) -> _T:
        """One step: `events_of` its rows, or `no_events`."""
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            counts = self._counts
            while status := _step(self._world, self._events, self._event_room, counts):
                self._make_room(status, counts.hits, counts.events)
            found = counts.events
            events = events_of(self._event_bytes[: found * EVENT.size]) if found else no_events
            if self.observer is not None:
                self._hold(self.observer.stepped, events)
            return events
        finally:
            if self._owner is None:
                self._free[0] = None

    def play(self, rows: CData, count: int, table: Table) -> tuple[int, bytes, int]:
        """A frame of a log in one call: the first `count` of `command_rows` as `apply`, then a
        step. Number of hits, rows of events, and hash. The world must have no observer."""
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            if count:
                status = _apply(self._world, rows, count, self._count)
                if status != 0:
                    made = _bytes_of(rows, count * COMMAND.size)
                    self._hold(self._refuse_row, made, int(self._count[0]), status, table)
            counts = self._counts
            while status := _step(self._world, self._events, self._event_room, counts):
                self._make_room(status, counts.hits, counts.events)
            found = counts.events
            events = self._event_bytes[: found * EVENT.size] if found else b""
            return counts.hits, events, _hash(self._world)
        finally:
            if self._owner is None:
                self._free[0] = None

    def _make_room(self, status: int, hits: int, events: int) -> None:
        """Room for a step with so many hits and events."""
        if status != _NO_ROOM or (hits <= self._hit_room and events <= self._event_room):
            unexpected("a step", status)
        if hits > self._hit_room:
            self._make_hit_room(hits)
        if events > self._event_room:
            room = max(events, 2 * self._event_room, HIT_ROOM_MIN)
            self._events, self._event_room = uninitialised(_EVENTS_TYPE, room), room
            self._event_bytes = _buffer(self._events)

    # Queries.

    def query(self, row: bytes) -> list[int]:
        """The ids that a query of checked numbers meets."""
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            count = self._count
            while (status := _query(self._world, row, self._ids, self._id_room, count)) != 0:
                self._make_id_room(status, count[0])
            return _unpack(self._ids, count[0]) if count[0] else []
        finally:
            if self._owner is None:
                self._free[0] = None

    @exclusive
    def nearest(self, row: bytes, limit: int) -> list[int]:
        """The first `limit` ids that a query of checked numbers meets, nearest first."""
        count = self._count
        while (status := _nearest(self._world, row, limit, self._ids, self._id_room, count)) != 0:
            self._make_id_room(status, count[0])
        return _unpack(self._ids, count[0]) if count[0] else []

    def _make_id_room(self, status: int, ids: int) -> None:
        if status != _NO_ROOM:
            unexpected("a query", status)
        room = max(ids, 2 * self._id_room, HIT_ROOM_MIN)
        self._ids, self._id_room = uninitialised(_IDS_TYPE, room), room

    def ask(self, row: bytes) -> list[int] | bytes:
        """The answer to a query or a cast of checked numbers: ids, or rows of hits."""
        return self.cast(row) if len(row) == CAST.size else self.query(row)

    def query_many(self, rows: bytes) -> tuple[bytes, bytes]:
        """The ends and the ids of the answers of many queries."""
        return self._answers(lib.fxs_world_query_many, rows)

    def nearest_many(self, rows: bytes, limit: int) -> tuple[bytes, bytes]:
        """The ends and the ids of the answers of many queries, nearest first."""
        return self._answers(lib.fxs_world_nearest_many, rows, limit)

    @exclusive
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
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            count = self._count
            while (status := _cast(self._world, row, self._cast_hits, self._cast_room, count)) != 0:
                if status == _UNDEFINED:
                    refuse_undefined("can_cast", ("shape", CAST.unpack(row)[:5]))
                self._make_cast_room(status, count[0])
            return _bytes_of(self._cast_hits, count[0] * CAST_HIT.size)
        finally:
            if self._owner is None:
                self._free[0] = None

    @exclusive
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

    @exclusive
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
        room = max(hits, 2 * self._cast_room, HIT_ROOM_MIN)
        self._cast_hits, self._cast_room = uninitialised(_CAST_HITS_TYPE, room), room

    # Motion.

    def move_and_slide(
        self, id: int, motion: tuple[int, int, int], mask: int, passes: int
    ) -> bytes:
        """Moves a collider straight and slides it along obstacles; the hits."""
        hits, count = uninitialised(_CAST_HITS_TYPE, passes), ffi.new("uint32_t *")
        arguments = (id, motion, mask, passes, hits, count)
        self._moved(id, motion, lib.fxs_move_and_slide, arguments)
        return _bytes_of(hits, count[0] * CAST_HIT.size)

    def mover_move(
        self, mover: tuple[int, ...], motion: tuple[int, int, int]
    ) -> tuple[tuple[int, ...], bytes]:
        """Moves a character; the numbers of the result, and its hits."""
        row, result = ffi.new("fxs_mover *", mover), ffi.new("fxs_mover_result *")
        hits = uninitialised(_CAST_HITS_TYPE, row.passes + 1)
        self._moved(row.id, motion, lib.fxs_mover_move, (row, motion, result, hits))
        numbers = MOVER_RESULT.unpack(_buffer(result))
        return numbers, _bytes_of(hits, result.hit_count * CAST_HIT.size)

    @exclusive
    def _moved(
        self, id: int, motion: tuple[int, int, int], call: Callable[..., int], args: tuple[Any, ...]
    ) -> None:
        """Calls a function that may move a collider, and the observer if it did."""
        integer("id", id, 0, self.capacity - 1)
        before = None if self.observer is None else self._place(id)
        status = call(self._world, *args)
        if status == lib.FXS_E_CENTRE:
            raise ValueError(
                f"id {id}: motion {motion} must not lead outside {INT32_MIN}..{INT32_MAX}"
            )
        if status == lib.FXS_E_MOTION:
            raise ValueError(
                f"id {id}: motion {motion} must not exceed {SIZE_MAX} on an axis after a slide"
            )
        if status != 0:
            self._refuse_ids("can_cast", status, id=id)
            unexpected("a checked motion", status)
        if self.observer is not None:
            after = self._place(id)
            if after is not None and after != before:
                self.observer.changed(_move_row((id, *after)))

    def _place(self, id: int) -> tuple[int, int, int] | None:
        row = ffi.new("fxs_collider *")
        if lib.fxs_world_get(self._world, id, row) != 0:
            return None
        return row.x, row.y, row.z

    # One collider, and two.

    @exclusive
    def outline(self, id: int, segments: int) -> tuple[Any, Any, int, int]:
        """What `kernel.outline` returns, of a collider with a checked id."""
        if self.get(id) is None:
            self._refuse_ids("", lib.FXS_E_ABSENT, id=id)
        return outline_of(lib.fxs_world_outline, self._world, id, segments)

    def contact(self, a: int, b: int) -> int:
        try:
            del self._free[0]
        except KeyError:
            self._reenter()
        try:
            status: int
            try:
                status = _contact(self._world, a, b)
            except OverflowError:
                status = lib.FXS_E_ID
            if status < 0:
                self._hold(self._refuse_ids, "", status, a=a, b=b)
            return status
        finally:
            if self._owner is None:
                self._free[0] = None

    @exclusive
    def push_out(self, a: int, b: int) -> tuple[int, int]:
        out = ffi.new("int32_t[2]")
        self._ask_pair(lib.fxs_world_push_out, a, b, out)
        return out[0], out[1]

    @exclusive
    def lift(self, a: int, b: int) -> int:
        out = ffi.new("int32_t *")
        self._ask_pair(lib.fxs_world_lift, a, b, out)
        return out[0]

    @exclusive
    def side(self, a: int, b: int) -> int:
        return self._ask_pair(lib.fxs_world_side, a, b)

    def _ask_pair(self, call: Callable[..., int], a: int, b: int, *out: CData) -> int:
        status = call(self._world, a, b, *out)
        if status < 0:
            self._refuse_ids("can_push", status, a=a, b=b)
        return status

    def _refuse_ids(self, can: str, status: int, **ids: int) -> None:
        """Raises for ids that are out of range or absent, or shapes that a question is not defined
        for. Only b may be a solid, or for `contact` one of them."""
        solids = self.level.count() if self.level else 0
        is_solid = {name: LEVEL <= id < LEVEL + solids for name, id in ids.items()}
        if all(is_solid.values()):
            raise ValueError(f"a or b must be a collider, not the solids {ids['a']} and {ids['b']}")
        may_be_solid = {"a", "b"} if can == "" else {"b"}
        for name, id in ids.items():
            last = self.capacity - 1
            if solids and name in may_be_solid and id > last and not is_solid[name]:
                ids_of_solids = f"{LEVEL}..{LEVEL + solids - 1} for a solid"
                refuse(name, id, f"0..{last}, or {ids_of_solids}")
            if not (name in may_be_solid and is_solid[name]):
                integer(name, id, 0, last)
        where = len(ids) > 1
        shapes = []
        for name, id in ids.items():
            if is_solid[name]:
                continue
            row = self.get(id)
            if row is None:
                raise KeyError(f"{f'{name}: ' if where else ''}id {id} is not in the world")
            _, kind, _, _, _, _, half_angle, *_, a, b, c = COLLIDER.unpack(row)
            of = f"{name} ({id})" if where else f"id {id}"
            shapes.append((f"the shape of {of}", (kind, half_angle, a, b, c)))
        if status == _UNDEFINED and any(is_solid.values()) and getattr(KINDS[shapes[0][1][0]], can):
            raise ValueError(f"b ({ids['b']}) must be a Box or a Prism, not a Pillar")
        if status == _UNDEFINED:
            refuse_undefined(can, *shapes)
        if status == lib.FXS_E_CENTRE:
            raise ValueError(f"the lift of a ({ids['a']}) leads outside {INT32_MIN}..{INT32_MAX}")


def _args_of_row(i: int, n: int, ids: bytes, rows: bytes) -> tuple[Any, ...]:
    """The arguments of the i-th of n changes, as the change alone takes them."""
    size = len(rows) // n
    row = rows[i * size : (i + 1) * size]
    if not ids:
        return (row,)
    id = int.from_bytes(ids[4 * i : 4 * i + 4], sys.byteorder)
    return (id, *POSITION.unpack(row)) if size == POSITION.size else (id, row)


def _bytes_of(memory: CData, size: int) -> bytes:
    return _buffer(memory, size)[:] if size else b""

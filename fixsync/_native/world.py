"""Everything that is done in a world's memory: changes, steps, queries and casts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from operator import add
from typing import Any, NoReturn

from fixsync._native.changes import CHANGES, Change, values_of_row
from fixsync._native.checks import integer, refuse
from fixsync._native.kernel import explanation_row, outline_of
from fixsync._native.kinds import KINDS
from fixsync._native.level import LEVEL
from fixsync._native.lock import exclusive
from fixsync._native.memory import Memory, Room
from fixsync._native.raw import INT32_MAX, INT32_MIN, SIZE_MAX, CData, ffi, lib, uninitialised
from fixsync._native.rows import (
    CARRIED,
    CAST,
    CAST_HIT,
    COLLIDER,
    COMMAND,
    EVENT,
    MOTION,
    MOVED,
    MOVER_RESULT,
    POSITION,
    QUERY,
    SEPARATED,
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
_ADD, _REMOVE = CHANGES["add"], CHANGES["remove"]
_MOVE, _POSE = CHANGES["move"], CHANGES["pose"]

Vector = tuple[int, int, int]

_buffer = ffi.buffer
_unpack = ffi.unpack
_step = lib.fxs_world_step
_set_pose = lib.fxs_world_set_pose
_query = lib.fxs_world_query
_contact = lib.fxs_world_contact


def command_rows(count: int) -> tuple[CData, bytearray]:
    """Room for so many rows of commands, and the same memory as bytes, to write them to."""
    memory = bytearray(count * COMMAND.size)
    return ffi.from_buffer("fxs_command[]", memory), memory


class NativeWorld(Memory):
    """A world of the kernel. Arguments are plain ints and rows of bytes.

    `set_pose`, `step` and `contact` have the lines of `exclusive` in them: a call more would be 4
    to 10 % of their time."""

    __slots__ = ()

    # Changes.

    @exclusive
    def change(self, change: Change, args: tuple[Any, ...]) -> None:
        """Makes a change of a collider, of the arguments of `change.function`, and calls the
        observer."""
        try:
            status = change.function(self._world, *args)
        except OverflowError:
            status = None
        if status != 0:
            self._refuse("", status, change.values(args))
        if self.observer is not None:
            self.observer.changed(change.row_of(args))

    def set_pose(self, id: int, pose: bytes) -> None:
        """The change that games make most: without a tuple of arguments."""
        key = 0
        try:
            del self._free[0]
        except KeyError:
            key = self._take_lent()
        try:
            try:
                status = _set_pose(self._world, id, pose)
            except OverflowError:
                status = None
            if status != 0:
                self._refuse("", status, _POSE.values((id, pose)))
            if self.observer is not None:
                self.observer.changed(_POSE.row_of((id, pose)))
        finally:
            self._free[key] = None

    def _refuse(self, where: str, status: int | None, values: dict[str, Any]) -> NoReturn:
        place: dict[str, int] = {}
        if isinstance(values["id"], int) and 0 <= values["id"] < self.capacity:
            row = ffi.new("fxs_collider *")
            if lib.fxs_world_get(self._world, values["id"], row) == 0:
                place = {name: getattr(row, name) for name in _PLACE}
        refuse_change(where, status, values, self.capacity, place)

    def add_many(self, rows: bytes) -> None:
        """Adds colliders, all or none."""
        self._change_many(_ADD, lib.fxs_world_add_many, "records", len(rows) // COLLIDER.size, rows)

    def move_many(self, ids: bytes, positions: bytes) -> None:
        """Moves colliders, all or none."""
        call = lib.fxs_world_move_many
        self._change_many(_MOVE, call, "positions", len(ids) // 4, ids, positions)

    def set_pose_many(self, ids: bytes, poses: bytes) -> None:
        """Poses colliders, all or none."""
        call = lib.fxs_world_set_pose_many
        self._change_many(_POSE, call, "poses", len(ids) // 4, ids, poses)

    @exclusive
    def _change_many(
        self, change: Change, call: Callable[..., int], name: str, n: int, *arrays: bytes
    ) -> None:
        """Makes n changes, all or none. The last of `arrays` is called `name` in errors."""
        if n and (status := call(self._world, *arrays, n, self._count)) != 0:
            i = int(self._count[0])
            self._refuse(f"{name}[{i}]: ", status, change.values(_args_of_row(i, n, *arrays)))
        if self.observer is not None:
            made = (change.row_of(_args_of_row(i, n, *arrays)) for i in range(n))
            self.observer.changed(b"".join(made))

    @exclusive
    def apply(self, rows: bytes) -> None:
        """Makes the changes of rows of commands in order, all or none. CommandError for a refused
        row."""
        self._apply(rows, len(rows) // COMMAND.size)

    @exclusive
    def clear(self) -> None:
        """Removes every collider, by id."""
        ids = self._all_ids()
        self._apply(b"".join(_REMOVE.pack(id) for id in ids), len(ids))

    def _apply(self, rows: bytes | CData, count: int) -> None:
        status = lib.fxs_world_apply(self._world, rows, count, self._count)
        if status != 0:
            i = int(self._count[0])
            then = self._copy()  # the world that refused the row, after the rows before it
            lib.fxs_world_apply(then._world, rows, i, then._count)
            try:
                then._refuse("", status, values_of_row(_written(rows, count), i))
            except (KeyError, ValueError) as error:
                raise CommandError(i, str(error.args[0])) from error
        if count and self.observer is not None:
            self.observer.changed(_written(rows, count))

    @exclusive
    def separate(
        self, masks: Sequence[int], passes: int, movers: Sequence[tuple[int, ...]] | None = None
    ) -> list[tuple[int, ...]]:
        """Ids and new positions of the pushed colliders; with movers, whose ids ascend, and whether
        each was held."""
        world, count = self._world, self._count
        room = min(lib.fxs_world_count(world), 2 * lib.fxs_world_hit_count(world))
        if movers is None:
            row, rows = MOVED, uninitialised("fxs_moved[]", room)
            status = lib.fxs_world_separate(world, masks, passes, rows, room, count)
        else:
            row, rows = SEPARATED, uninitialised("fxs_separated[]", room)
            listed = ffi.new("fxs_mover[]", movers), len(movers)
            status = lib.fxs_movers_separate(world, masks, passes, *listed, rows, room, count)
        if status == lib.FXS_E_CENTRE:
            raise ValueError(f"separate would push id {count[0]} outside {INT32_MIN}..{INT32_MAX}")
        if status != 0:
            self._refuse_ids("can_cast", status, id=movers[count[0]][0] if movers else 0)
        moved = list(row.iter_unpack(_buffer(rows)[: count[0] * row.size]))
        if moved and self.observer is not None:
            self.observer.changed(b"".join(_MOVE.pack(*values[:4]) for values in moved))
        return moved

    # Steps.

    def step(self) -> bytes:
        """One step: the rows of its events."""
        key = 0
        try:
            del self._free[0]
        except KeyError:
            key = self._take_lent()
        try:
            room, counts = self._events, self._counts
            while status := _step(self._world, room.rows, room.size, counts):
                self._make_room(status, counts.hits, counts.events)
            events = room.bytes[: counts.events * EVENT.size]
            if self.observer is not None:
                self.observer.stepped(events)
            return events
        finally:
            self._free[key] = None

    @exclusive
    def play(self, rows: CData, count: int) -> tuple[int, bytes, int]:
        """A frame of a log under one lock: `apply` of `command_rows`, then a step. Number of hits,
        rows of events, and hash. The world must have no observer."""
        if count and lib.fxs_world_apply(self._world, rows, count, self._count) != 0:
            self._apply(rows, count)  # changes nothing, raises the error
        room, counts = self._events, self._counts
        while status := _step(self._world, room.rows, room.size, counts):
            self._make_room(status, counts.hits, counts.events)
        events = room.bytes[: counts.events * EVENT.size]
        return counts.hits, events, lib.fxs_world_hash(self._world)

    def _make_room(self, status: int, hits: int, events: int) -> None:
        """Room for a step with so many hits and events."""
        if status != _NO_ROOM or (hits <= self._hit_room and events <= self._events.size):
            unexpected("a step", status)
        if hits > self._hit_room:
            self._make_hit_room(hits)
        if events > self._events.size:
            self._events.grow(events)

    # Queries and casts.

    def _query(self, row: bytes) -> list[int]:
        """The ids that a query of checked numbers meets."""
        ids = self._ids
        if _query(self._world, row, ids.rows, ids.size, ids.count) != 0:
            return ids.numbers(_query, self._world, row)
        count = ids.count[0]
        return _unpack(ids.rows, count) if count else []

    query = exclusive(_query)

    @exclusive
    def nearest(self, row: bytes, limit: int) -> list[int]:
        """The first `limit` ids that a query of checked numbers meets, nearest first."""
        return self._ids.numbers(lib.fxs_world_nearest, self._world, row, limit)

    def query_many(self, rows: bytes) -> tuple[bytes, bytes]:
        """The ends and the ids of the answers of many queries."""
        return self._ask_many("queries", lib.fxs_world_query_many, self._ids, rows, QUERY.size)

    def nearest_many(self, rows: bytes, limit: int) -> tuple[bytes, bytes]:
        """The ends and the ids of the answers of many queries, nearest first."""
        call = lib.fxs_world_nearest_many
        return self._ask_many("queries", call, self._ids, rows, QUERY.size, limit)

    def _cast(self, row: bytes) -> bytes:
        """The hits of a cast of checked numbers."""
        hits = self._cast_hits
        status = hits.fill(lib.fxs_world_cast, self._world, row)
        if status == _UNDEFINED:
            refuse_undefined("can_cast", ("shape", CAST.unpack(row)[:5]))
        if status != 0:
            unexpected("a cast", status)
        return hits.taken()

    cast = exclusive(_cast)

    @exclusive
    def sweep(self, id: int, motion: Vector, limit: int, hit_when: int) -> bytes:
        """The hits of a cast of a collider's own shape."""
        hits = self._cast_hits
        status = hits.fill(lib.fxs_world_sweep, self._world, id, motion, limit, hit_when)
        if status != 0:
            self._refuse_ids("can_cast", status, id=id)
        return hits.taken()

    @exclusive
    def sweep_pairs(self, rows: bytes, hit_when: int, limit: int) -> bytes:
        """The pairs that meet while colliders move, in rows by id, of checked motions."""
        hits, n = self._pair_hits, len(rows) // MOTION.size
        motions = ffi.from_buffer("fxs_motion[]", rows) if n else ffi.NULL
        sweep_pairs = lib.fxs_world_sweep_pairs
        status = hits.fill(sweep_pairs, self._world, motions, n, hit_when, limit)
        if status != 0:
            id, *_ = MOTION.unpack_from(rows, MOTION.size * int(hits.count[0]))
            self._refuse_ids("can_cast", status, id=id)
        return hits.taken()

    def cast_many(self, rows: bytes) -> tuple[bytes, bytes]:
        """The ends and the hits of the answers of many casts."""
        return self._ask_many("casts", lib.fxs_world_cast_many, self._cast_hits, rows, CAST.size)

    @exclusive
    def _ask_many(
        self, name: str, call: Callable[..., int], room: Room, rows: bytes, size: int, *limit: int
    ) -> tuple[bytes, bytes]:
        n = len(rows) // size
        ends = uninitialised("uint64_t[]", n)
        status = room.fill(call, self._world, rows, n, *limit, ends)
        if status != 0:
            refuse_question(name, rows, int(room.count[0]), status)
        return _buffer(ends)[:], room.taken()

    def _ask(self, row: bytes) -> list[int] | bytes:
        """The answer to a query or a cast of checked numbers: ids, or rows of hits."""
        return self._cast(row) if len(row) == CAST.size else self._query(row)

    ask = exclusive(_ask)

    # Motion.

    def move_and_slide(self, id: int, motion: Vector, mask: int, passes: int) -> bytes:
        """Moves a collider straight and slides it along obstacles; the hits."""
        hits, count = uninitialised("fxs_cast_hit[]", passes), ffi.new("uint64_t *")
        rest = (mask, passes, hits, count)
        self._moved(id, motion, lambda by: lib.fxs_move_and_slide(self._world, id, by, *rest))
        return _buffer(hits)[: count[0] * CAST_HIT.size]

    def mover_move(self, mover: tuple[int, ...], motion: Vector) -> tuple[tuple[int, ...], bytes]:
        """Moves a character; the numbers of the result, and its hits."""
        row, result = ffi.new("fxs_mover *", mover), ffi.new("fxs_mover_result *")
        hits = uninitialised("fxs_cast_hit[]", row.passes + 1)
        move = lib.fxs_mover_move
        self._moved(row.id, motion, lambda by: move(self._world, row, by, result, hits))
        numbers = MOVER_RESULT.unpack(_buffer(result))
        return numbers, _buffer(hits)[: result.hit_count * CAST_HIT.size]

    @exclusive
    def _moved(self, id: int, motion: Vector, call: Callable[[Vector], int]) -> None:
        """Calls a function that may move a collider by a motion, and the observer if it did."""
        integer("id", id, 0, self.capacity - 1)
        before = None if self.observer is None else self._place(id)
        status = call(motion)
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
        if self.observer is not None:
            after = self._place(id)
            if after is not None and after != before:
                self.observer.changed(_MOVE.pack(id, *after))

    @exclusive
    def carry(
        self, ids: Sequence[int], motion: Vector, movers: Sequence[tuple[int, ...]]
    ) -> list[tuple[int, ...]]:
        """Moves a platform and movers; the numbers of a row for each mover. Ids ascend, and none is
        in both lists."""
        rows, count = uninitialised("fxs_carried[]", len(movers)), len(movers)
        listed = ffi.new("uint32_t[]", ids), len(ids), motion, ffi.new("fxs_mover[]", movers)
        places = () if self.observer is None else [(id, self._place(id) or ()) for id in ids]
        status = lib.fxs_carry(self._world, *listed, count, rows)
        if status != 0:
            self._refuse_carry(ids, motion, movers, status)
        carried = list(CARRIED.iter_unpack(_buffer(rows)))
        if self.observer is not None and any(motion):
            moved = [(id, *map(add, place, motion)) for id, place in places]
            moved += [row[:4] for row in carried if any(row[4:7])]
            self.observer.changed(b"".join(_MOVE.pack(*row) for row in moved))
        return carried

    def _refuse_carry(
        self, ids: Sequence[int], motion: Vector, movers: Sequence[tuple[int, ...]], status: int
    ) -> NoReturn:
        """Names the first collider or mover that is refused by itself too."""
        no_row, none = ffi.NULL, (ffi.NULL, 0)
        for id in ids:
            one, place = ffi.new("uint32_t[]", [id]), self._place(id)
            alone = lib.fxs_carry(self._world, one, 1, motion, *none, no_row)
            if alone == 0 and place is not None:
                lib.fxs_world_move(self._world, id, *place)
            elif alone == lib.FXS_E_ACTIVE:
                raise ValueError(f"platforms: id {id} must be active")
            elif alone == lib.FXS_E_CENTRE:
                raise ValueError(
                    f"id {id}: motion {motion} must not lead outside {INT32_MIN}..{INT32_MAX}"
                )
            else:
                self._refuse_ids("can_cast", alone, id=id)
        for mover in movers:
            row, one = uninitialised("fxs_carried[]", 1), ffi.new("fxs_mover[]", [mover])
            alone = lib.fxs_carry(self._world, *none, (0, 0, 0), one, 1, row)
            if alone != 0:
                self._refuse_ids("can_cast", alone, id=mover[0])
        if status != lib.FXS_E_CENTRE:
            unexpected("carry", status)
        raise ValueError(f"motion {motion} must not take a mover outside {INT32_MIN}..{INT32_MAX}")

    def _place(self, id: int) -> tuple[int, int, int] | None:
        row = ffi.new("fxs_collider *")
        if lib.fxs_world_get(self._world, id, row) != 0:
            return None
        return row.x, row.y, row.z

    # One collider, and two.

    @exclusive
    def outline(self, id: int, segments: int) -> tuple[Any, Any, int, int]:
        """The outline of a collider with a checked id, as `kernel.outline` returns it."""
        if self._get(id) is None:
            self._refuse_ids("", lib.FXS_E_ABSENT, id=id)
        return outline_of(lib.fxs_world_outline, self._world, id, segments)

    def contact(self, a: int, b: int) -> int:
        key = 0
        try:
            del self._free[0]
        except KeyError:
            key = self._take_lent()
        try:
            try:
                status = _contact(self._world, a, b)
            except OverflowError:
                status = lib.FXS_E_ID
            if status < 0:
                self._refuse_ids("", status, a=a, b=b)
            return status
        finally:
            self._free[key] = None

    @exclusive
    def explain(self, a: int, b: int) -> tuple[int, ...]:
        """Why a pair is not a hit: the fields of `fxs_explanation`."""
        out = ffi.new("fxs_explanation *")
        status = lib.fxs_world_explain(self._world, a, b, out)
        if status < 0:
            self._refuse_ids("", status, a=a, b=b)
        return explanation_row(out)

    @exclusive
    def explain_query(self, row: bytes, b: int) -> tuple[int, ...]:
        """Why a query of checked numbers does not find b."""
        out = ffi.new("fxs_explanation *")
        status = lib.fxs_world_explain_query(self._world, row, b, out)
        if status < 0:
            self._refuse_ids("", status, b=b)
        return explanation_row(out)

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

    def _refuse_ids(self, can: str, status: int, **ids: int) -> NoReturn:
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
            row = self._get(id)
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
            what = f"the lift of a ({ids['a']}) out of b ({ids['b']})"
            raise ValueError(f"{what} is outside {INT32_MIN}..{INT32_MAX}")
        unexpected("a question of checked ids", status)


def _args_of_row(i: int, n: int, *arrays: bytes) -> tuple[Any, ...]:
    """The arguments of the i-th of n changes, as the change alone takes them."""
    *ids, rows = arrays
    size = len(rows) // n
    row = rows[i * size : (i + 1) * size]
    if not ids:
        return (row,)
    id = int.from_bytes(ids[0][4 * i : 4 * i + 4], sys.byteorder)
    return (id, *POSITION.unpack(row)) if size == POSITION.size else (id, row)


def _written(rows: bytes | CData, count: int) -> bytes:
    """`count` rows of commands as bytes."""
    return rows if isinstance(rows, bytes) else _buffer(rows)[: count * COMMAND.size]

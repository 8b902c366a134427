"""Bodies of the kit: a body's own state, and its calls, which change a world."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NoReturn

from fixsync._native.changes import CHANGES, values_of_row
from fixsync._native.lock import Lock, exclusive
from fixsync._native.raw import constant, ffi, lib, uninitialised
from fixsync._native.rows import COMMAND, EVENT, POSE, STRIKE
from fixsync._native.status import unexpected
from fixsync._native.world import NativeWorld

PARTS_MAX = constant("PARTS_MAX")
VICTIMS_MAX = constant("VICTIMS_MAX")
ATTACK_FRAMES_MAX = constant("ATTACK_FRAMES_MAX")
PHASES = {
    constant("PHASE_NONE"): None,
    constant("PHASE_STARTUP"): "startup",
    constant("PHASE_ACTIVE"): "active",
    constant("PHASE_RECOVERY"): "recovery",
}
NO_ATTACK = constant("NO_ATTACK")
_NO_ROOM = constant("E_ROOM")
_ROWS_TYPE = ffi.typeof(f"fxs_command[{constant('BODY_ROWS')}]")
_POSE_TYPE = ffi.typeof("fxs_pose *")
_buffer = ffi.buffer
# The functions of the kit for `NativeBody.change`.
REMOVE, SET_POSE, MIRROR = lib.fxs_body_remove, lib.fxs_body_set_pose, lib.fxs_body_mirror
START, CANCEL, TICK = lib.fxs_body_start, lib.fxs_body_cancel, lib.fxs_body_tick
# The fields of a saved body, by offset.
_FIELDS = {
    0: "magic",
    4: "is_mirrored",
    8: "attack",
    12: "frame",
    16: "has_hit",
    20: "the number of victims",
}


class TableError(ValueError):
    """An error in a file of frame data: the path of the value, such as attacks.slash.frames, and
    why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason


def read_table(text: bytes) -> bytes:
    """The table of a file of frame data. TableError for one that is not valid."""
    room = 4 * len(text) + constant("FRAME_DATA_MESSAGE_MAX")
    out, sizes = uninitialised("uint8_t[]", room), ffi.new("uint64_t[2]")
    status = lib.fxs_frame_data_read(text, len(text), out, room, sizes, sizes + 1)
    size, path_size = sizes
    found: bytes = _buffer(out)[:size]
    if status == 0:
        return found
    if status != constant("E_TEXT"):
        raise ValueError(
            f"a file of frame data has at most {constant('FRAME_DATA_TEXT_MAX')} bytes"
        )
    path, reason = found[:path_size], found[path_size:].lstrip(b" :,")
    raise TableError(path.decode(errors="replace"), reason.decode(errors="replace"))


class NativeBody(Lock):
    """A body in a world, under the lock of the world. C makes each change of the world; it is
    passed to the observer here."""

    __slots__ = ("_names", "_rows", "_state", "_table", "_world")
    _locked = "Body or its World"

    def __init__(self, world: NativeWorld, table: bytes, names: Sequence[str]) -> None:
        """names: of the parts, for errors."""
        super().__init__(world)
        self._world = world
        self._table = table
        self._names = names
        self._state = ffi.new("fxs_body *")
        """`fxs_body` of fixsync_kit.h."""
        self._state.attack = NO_ATTACK
        self._rows = ffi.new(_ROWS_TYPE)

    def _change(self, call: Callable[..., int], *args: object) -> None:
        """Makes the changes of a function of the kit and calls the observer."""
        world = self._world
        n = call(self._state, self._table, world._world, *args, self._rows)
        if n < 0:
            self._refuse(n)
        if n and world.observer is not None:
            world.observer.changed(_buffer(self._rows, n * COMMAND.size)[:])

    change = exclusive(_change)

    def _refuse(self, status: int) -> NoReturn:
        """The error of the row that was refused."""
        row = _buffer(self._rows, COMMAND.size)[:]
        values = values_of_row(row, 0)
        ids = [*self._state.ids][: len(self._names)]
        where = f"part {self._names[ids.index(values['id'])]!r}: "
        self._world._refuse(where, status, values)

    @exclusive
    def add(self, ids: Sequence[int], owner: int, pose: bytes, is_mirrored: bool) -> None:
        self._state.ids[0 : len(ids)] = ids
        self._change(lib.fxs_body_add, array("I", ids).tobytes(), owner, pose, is_mirrored)

    @exclusive
    def turn(self, yaw: int) -> None:
        self._change(SET_POSE, POSE.pack(*self._pose()[:3], yaw))

    @exclusive
    def set_parts(self, change: str, value: int, ids: Sequence[int]) -> None:
        """A change of parts by its name, if all are in the world."""
        world, parts = self._world, self._state.ids[0 : len(self._names)]
        for name, id in zip(self._names, parts, strict=True):
            if world._get(id) is None:
                self._refuse_absent(name, id)
        world._apply(b"".join(CHANGES[change].pack(id, value) for id in ids), len(ids))

    def _pose(self) -> tuple[int, ...]:
        """x, y, z, yaw. KeyError if the first part is not in the world."""
        out = ffi.new(_POSE_TYPE)
        if lib.fxs_body_pose(self._state, self._table, self._world._world, out) != 0:
            self._refuse_absent(self._names[0], self._state.ids[0])
        return out.x, out.y, out.z, out.yaw

    pose = exclusive(_pose)

    def _refuse_absent(self, name: str, id: int) -> NoReturn:
        raise KeyError(f"part {name!r}: id {id} is not in the world")

    @exclusive
    def numbers(self) -> tuple[bool, int, int, bool]:
        """is_mirrored, attack, its frame, has_hit."""
        state = self._state
        return bool(state.is_mirrored), state.attack, state.frame, bool(state.has_hit)

    @exclusive
    def victims(self) -> tuple[int, ...]:
        return tuple(self._state.victims[0 : self._state.victim_count])

    @exclusive
    def phase(self) -> str | None:
        return PHASES[lib.fxs_body_phase(self._state, self._table)]

    @exclusive
    def hit(self) -> int:
        return lib.fxs_body_hit(self._state, self._table)

    @exclusive
    def can_start(self, attack: int) -> bool:
        return bool(lib.fxs_body_can_start(self._state, self._table, attack) == 1)

    @exclusive
    def strike(self, victim: int) -> bool:
        status = lib.fxs_body_strike(self._state, victim)
        if status == _NO_ROOM:
            raise ValueError(
                f"one hit of an attack remembers {VICTIMS_MAX} victims; {victim} is one more:"
                " decide it with a query, or begin another hit before (rehits)"
            )
        return bool(status)

    @exclusive
    def save(self) -> bytes:
        out = ffi.new("uint8_t[]", lib.fxs_body_save_size(self._state))
        lib.fxs_body_save(self._state, out)
        return bytes(_buffer(out))

    @exclusive
    def hash(self) -> int:
        return lib.fxs_body_hash(self._state)

    @exclusive
    def load(self, state: bytes) -> None:
        at = ffi.new("uint64_t *")
        status = lib.fxs_body_load(self._state, self._table, state, len(state), at)
        if status != 0:
            if status != constant("E_STATE"):
                unexpected("a saved body", status)
            field = _FIELDS.get(at[0], "a victim, or bytes after the last one")
            raise ValueError(f"data is not a state of this body: byte {at[0]}: {field}")


@exclusive
def strikes(
    world: NativeWorld, events: bytes, mask: int, bodies: Sequence[NativeBody]
) -> list[tuple[int, int, int, int]]:
    """The rows of fxs_strikes."""
    n = len(events) // EVENT.size
    marked = ffi.new("fxs_body[]", [body._state[0] for body in bodies])
    out = uninitialised("fxs_strike[]", n)
    found = lib.fxs_strikes(world._world, events, n, mask, marked, len(bodies), out)
    if found < 0:
        raise ValueError(
            f"one hit of an attack remembers {VICTIMS_MAX} victims, and there are more, so nobody is"
            " struck: decide it with a query, or begin another hit before (rehits)"
        )
    for body, state in zip(bodies, marked, strict=True):
        body._state[0] = state
    return list(STRIKE.iter_unpack(_buffer(out)[: found * STRIKE.size]))

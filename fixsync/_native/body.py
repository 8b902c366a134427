"""Bodies of the kit: a body's own state, and its calls, which change a world."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NoReturn

from fixsync._native.changes import values_of_row
from fixsync._native.memory import exclusive
from fixsync._native.raw import CData, constant, ffi, lib
from fixsync._native.rows import COMMAND
from fixsync._native.status import unexpected
from fixsync._native.world import NativeWorld

PARTS_MAX = constant("PARTS_MAX")
VICTIMS_MAX = constant("VICTIMS_MAX")
FRAMES_MAX = constant("FRAMES_MAX")
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


def check_table(table: bytes) -> None:
    """ValueError for bytes that are not a table of frame data."""
    at = ffi.new("uint64_t *")
    if lib.fxs_frames_check(table, len(table), at) != 0:
        raise ValueError(f"not a table of frame data: byte {at[0]} is out of range")


class NativeBody:
    """A body in a world. C makes each change of the world; it is passed to the observer here."""

    __slots__ = ("_names", "_rows", "_table", "_world", "state")

    def __init__(self, world: NativeWorld, table: bytes, names: Sequence[str]) -> None:
        """names: of the parts, for errors."""
        self._world = world
        self._table = table
        self._names = names
        self.state = ffi.new("fxs_body *")
        """`fxs_body` of fixsync_kit.h."""
        self.state.attack = NO_ATTACK
        self._rows = ffi.new(_ROWS_TYPE)

    def change(self, call: Callable[..., int], *args: object) -> None:
        """Makes the changes of a function of the kit and calls the observer."""
        world = self._world
        try:
            del world._free[0]
        except KeyError:
            world._reenter()
        try:
            n = call(self.state, self._table, world._world, *args, self._rows)
            if n:
                world._hold(self._changed, n)
        finally:
            if world._owner is None:
                world._free[0] = None

    def _changed(self, n: int) -> None:
        """Calls the observer for the n changes of a call, or raises its status."""
        world = self._world
        if n < 0:
            self._refuse(n)
        if world.observer is not None:
            world.observer.changed(_buffer(self._rows, n * COMMAND.size)[:])

    def _refuse(self, status: int) -> NoReturn:
        """The error of the row that was refused."""
        row = _buffer(self._rows, COMMAND.size)[:]
        values = values_of_row(row, 0)
        ids = [*self.state.ids][: len(self._names)]
        where = f"part {self._names[ids.index(values['id'])]!r}: "
        self._world._refuse(where, status, values)

    def add(self, ids: Sequence[int], owner: int, pose: bytes, is_mirrored: bool) -> None:
        self.state.ids[0 : len(ids)] = ids
        self.change(lib.fxs_body_add, array("I", ids).tobytes(), owner, pose, is_mirrored)

    def pose(self) -> tuple[int, ...] | None:
        """x, y, z, yaw; None if the first part is not in the world."""
        return _pose(self._world, self.state, self._table)

    def phase(self) -> str | None:
        return PHASES[lib.fxs_body_phase(self.state, self._table)]

    def hit(self) -> int:
        return lib.fxs_body_hit(self.state, self._table)

    def can_start(self, attack: int) -> bool:
        return bool(lib.fxs_body_can_start(self.state, self._table, attack) == 1)

    def strike(self, victim: int) -> bool:
        status = lib.fxs_body_strike(self.state, victim)
        if status == _NO_ROOM:
            raise ValueError(
                f"one hit of an attack remembers {VICTIMS_MAX} victims; {victim} is one more:"
                " begin another hit (rehits)"
            )
        return bool(status)

    def save(self) -> bytes:
        out = ffi.new("uint8_t[]", lib.fxs_body_save_size(self.state))
        lib.fxs_body_save(self.state, out)
        return bytes(_buffer(out))

    def hash(self) -> int:
        return lib.fxs_body_hash(self.state)

    def load(self, state: bytes) -> None:
        at = ffi.new("uint64_t *")
        status = lib.fxs_body_load(self.state, self._table, state, len(state), at)
        if status != 0:
            if status != constant("E_STATE"):
                unexpected("a saved body", status)
            field = _FIELDS.get(at[0], "a victim or what follows the last")
            raise ValueError(f"data is not a state of this body: byte {at[0]}: {field}")


@exclusive
def _pose(world: NativeWorld, body: CData, table: bytes) -> tuple[int, ...] | None:
    out = ffi.new(_POSE_TYPE)
    status = lib.fxs_body_pose(body, table, world._world, out)
    return None if status else (out.x, out.y, out.z, out.yaw)

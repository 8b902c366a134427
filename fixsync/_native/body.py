"""Bodies of the kit: a body's own state, and its calls, which change a world."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import NoReturn

from fixsync._native.raw import constant, ffi, lib
from fixsync._native.rows import COMMAND, POSE
from fixsync._native.status import unexpected
from fixsync._native.world import NativeWorld, Table

PARTS_MAX = constant("PARTS_MAX")
VICTIMS_MAX = constant("VICTIMS_MAX")
FRAMES_MAX = constant("FRAMES_MAX")
PHASES = {
    constant("PHASE_NONE"): None,
    constant("PHASE_STARTUP"): "startup",
    constant("PHASE_ACTIVE"): "active",
    constant("PHASE_RECOVERY"): "recovery",
}
_NO_ATTACK = constant("NO_ATTACK")
_NO_ROOM = constant("E_ROOM")
_ROWS_TYPE = ffi.typeof(f"fxs_command[{constant('BODY_ROWS')}]")
_buffer = ffi.buffer
_tick = lib.fxs_body_tick
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
    """A body in a world. Each change of the world is made by C, and told to the observer here."""

    __slots__ = ("_body", "_commands", "_names", "_rows", "_table", "_world")

    def __init__(
        self, world: NativeWorld, table: bytes, names: Sequence[str], commands: Table
    ) -> None:
        """names: of the parts, for errors. commands: the table of commands."""
        self._world = world
        self._table = table
        self._names = names
        self._commands = commands
        self._body = ffi.new("fxs_body *")
        self._body.attack = _NO_ATTACK
        self._rows = ffi.new(_ROWS_TYPE)

    def _change(self, call: Callable[..., int], *args: object) -> None:
        world = self._world
        try:
            del world._free[0]
        except KeyError:
            world._reenter()
        try:
            n = call(self._body, self._table, world._world, *args, self._rows)
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
        values = self._commands.values_of_row(row, 0)
        ids = [*self._body.ids][: len(self._names)]
        where = f"part {self._names[ids.index(values['id'])]!r}: "
        self._world._refuse(where, status, values)

    # The world.

    def add(self, ids: Sequence[int], owner: int, pose: bytes, is_mirrored: bool) -> None:
        self._body.ids[0 : len(ids)] = ids
        rows = array("I", ids).tobytes()
        self._change(lib.fxs_body_add, rows, owner, pose, is_mirrored)

    def remove(self) -> None:
        self._change(lib.fxs_body_remove)

    def set_pose(self, pose: bytes) -> None:
        self._change(lib.fxs_body_set_pose, pose)

    def mirror(self, is_mirrored: bool) -> None:
        self._change(lib.fxs_body_mirror, is_mirrored)

    def start(self, attack: int) -> None:
        self._change(lib.fxs_body_start, attack)

    def cancel(self) -> None:
        self._change(lib.fxs_body_cancel)

    def tick(self) -> None:
        world = self._world
        try:
            del world._free[0]
        except KeyError:
            world._reenter()
        try:
            n = _tick(self._body, self._table, world._world, self._rows)
            if n:
                world._hold(self._changed, n)
        finally:
            if world._owner is None:
                world._free[0] = None

    def pose(self) -> tuple[int, ...] | None:
        """x, y, z, yaw; None if the first part is not in the world."""
        out = ffi.new("fxs_pose *")
        world = self._world
        try:
            del world._free[0]
        except KeyError:
            world._reenter()
        try:
            status = lib.fxs_body_pose(self._body, self._table, world._world, out)
        finally:
            if world._owner is None:
                world._free[0] = None
        return None if status else POSE.unpack(_buffer(out)[:])

    # The body alone.

    @property
    def is_mirrored(self) -> bool:
        return bool(self._body.is_mirrored)

    @property
    def attack(self) -> int | None:
        attack: int = self._body.attack
        return None if attack == _NO_ATTACK else attack

    @property
    def frame(self) -> int:
        return self._body.frame

    @property
    def has_hit(self) -> bool:
        return bool(self._body.has_hit)

    @property
    def victims(self) -> tuple[int, ...]:
        return tuple(self._body.victims[0 : self._body.victim_count])

    def phase(self) -> str | None:
        return PHASES[lib.fxs_body_phase(self._body, self._table)]

    def hit(self) -> int:
        return lib.fxs_body_hit(self._body, self._table)

    def can_start(self, attack: int) -> bool:
        return bool(lib.fxs_body_can_start(self._body, self._table, attack) == 1)

    def strike(self, victim: int) -> bool:
        status = lib.fxs_body_strike(self._body, victim)
        if status == _NO_ROOM:
            raise ValueError(
                f"one hit of an attack remembers {VICTIMS_MAX} victims; {victim} is one more:"
                " begin another hit (rehits)"
            )
        return bool(status)

    # State.

    def save(self) -> bytes:
        out = ffi.new("uint8_t[]", lib.fxs_body_save_size(self._body))
        lib.fxs_body_save(self._body, out)
        return bytes(_buffer(out))

    def hash(self) -> int:
        return lib.fxs_body_hash(self._body)

    def load(self, state: bytes) -> None:
        at = ffi.new("uint64_t *")
        status = lib.fxs_body_load(self._body, self._table, state, len(state), at)
        if status != 0:
            if status != constant("E_STATE"):
                unexpected("a saved body", status)
            field = _FIELDS.get(at[0], "a victim or what follows the last")
            raise ValueError(f"data is not a state of this body: byte {at[0]}: {field}")

"""A peer of a match that rolls back, of the kit, in memory that grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fixsync._native.raw import CData, ffi, lib
from fixsync._native.rows import EVENT
from fixsync._native.status import unexpected
from fixsync._native.world import NativeWorld

NONE, LOAD, GUESS, STEP = range(4)
_CHANGES = "fxs_event[]"


class NativeRollback:
    """A peer. Its arguments must be valid but for what C checks. It has no lock of its own: its
    user is alone."""

    __slots__ = ("_block", "_commands", "_events", "_it", "_numbers", "_rows", "_settings", "own")

    def __init__(self, world: NativeWorld, own: bytes, random: bytes, **settings: Any) -> None:
        """settings: those of fxs_rollback_settings, peers as bytes. ValueError for peers that have
        gaps, or frames that need too much memory."""
        self.own = bytearray(own)
        self._settings = it = ffi.new("fxs_rollback_settings *")
        it.random, it.own_size, it.command_room, it.event_room = random, len(own), 1, 64
        it.state_size = 2 * lib.fxs_world_save_size(world._world)
        for name, value in settings.items():
            setattr(it, name, value)
        made = self._memory()
        self._it = ffi.cast("fxs_rollback *", made)
        if status := lib.fxs_rollback_init(self._it, it, world._world, self._own()):
            unexpected("a rollback", status)
        self._block = made
        self._numbers = ffi.new("int64_t[]", it.players * it.numbers)
        self._commands = ffi.new("fxs_command[]", 1)
        self._make_room()

    def _memory(self) -> CData:
        size = lib.fxs_rollback_size(self._settings)
        if size == 0:
            raise ValueError(
                "peers must have 0, this one, and others without a gap, and the frames of a match "
                f"need at most {lib.FXS_MEMORY_MAX} bytes"
            )
        return ffi.new("uint64_t[]", -(-size // 8))

    def _make_room(self) -> None:
        room = self._settings.event_room
        self._events = ffi.new(_CHANGES, room)
        self._rows = [ffi.new(_CHANGES, room) for _ in range(2)]

    def _own(self) -> CData:
        return ffi.from_buffer("uint8_t[]", self.own)

    def tick(self, numbers: Sequence[int]) -> bool:
        """Begins a frame. False before every other peer is connected."""
        return lib.fxs_rollback_tick(self._it, ffi.new("int64_t[]", list(numbers))) == 0

    def next(self, world: NativeWorld) -> tuple[Any, list[int]]:
        """What the game must do next, and its inputs."""
        request = ffi.new("fxs_rollback_request *")
        room = self._numbers, self._commands, self._events
        status = lib.fxs_rollback_next(self._it, world._world, self._own(), request, *room)
        if status != 0:
            unexpected(f"frame {request.frame}", status)
        return request, list(self._numbers)

    def confirmed(self, count: int) -> bytes:
        """The rows of the events of a frame that `next` confirmed."""
        return _rows(self._events, count)

    def guess(self, numbers: Sequence[int]) -> None:
        if status := lib.fxs_rollback_guess(self._it, ffi.new("int64_t[]", list(numbers))):
            unexpected("a guess", status)

    def push(self, world: NativeWorld, shown: int, events: bytes) -> tuple[bytes, bytes] | None:
        """The rows of the events that are taken back, and predicted. None for a world that was not
        stepped exactly once."""
        count = len(events) // EVENT.size
        pushed = ffi.new("fxs_pushed *", (0, 0, 0, count, 0, 0))
        changes = ffi.new("fxs_event_changes *")
        rows = ffi.from_buffer("fxs_event *", events) if events else ffi.NULL
        while True:
            found = shown, ffi.NULL, rows, *self._rows, changes
            given = world._world, self._own(), pushed
            status = lib.fxs_rollback_push(self._it, *given, *found)
            if status == lib.FXS_E_ORDER:
                return None
            if status == 0:
                back, predicted = self._rows
                return _rows(back, changes.taken_back), _rows(predicted, changes.predicted)
            if status != lib.FXS_E_ROOM:
                unexpected("a frame", status)
            self._grow(lib.fxs_world_save_size(world._world), count)

    def _grow(self, state: int, events: int) -> None:
        it = self._settings
        if state > it.state_size:
            it.state_size = 2 * state
        else:
            it.event_room = 2 * max(events, it.event_room)
        made = self._memory()
        grown = ffi.cast("fxs_rollback *", made)
        if status := lib.fxs_rollback_grow(grown, it, self._it):
            unexpected("a rollback", status)
        self._make_room()
        # No interrupt comes between these two: the peer is always in memory that is kept.
        self._it, self._block = grown, made

    def set_delay(self, input_delay: int) -> None:
        if status := lib.fxs_rollback_set_delay(self._it, input_delay):
            unexpected("input_delay", status)

    def packet(self, peer: int) -> bytes:
        it = self._settings
        room = max(lib.FXS_PACKET_SIZE, 320 + 10 * it.players * it.numbers)
        out, size = ffi.new("uint8_t[]", room), ffi.new("uint64_t *")
        if status := lib.fxs_rollback_packet(self._it, peer, out, room, size):
            unexpected(f"a packet for peer {peer}", status)
        return bytes(ffi.buffer(out, size[0]))

    def receive(self, peer: int, data: bytes) -> Any:
        """None, or why the packet is refused."""
        status = lib.fxs_rollback_receive(self._it, peer, data, len(data))
        if status == 0:
            return None
        out = ffi.new("fxs_refusal *")
        if wrong := lib.fxs_rollback_refusal(self._it, peer, out):
            unexpected(f"a packet of peer {peer}", wrong)
        return out

    def pace(self) -> Any:
        out = ffi.new("fxs_pace *")
        lib.fxs_rollback_pace(self._it, out)
        return out

    def player(self, player: int) -> Any:
        out = ffi.new("fxs_player_pace *")
        if status := lib.fxs_rollback_player(self._it, player, out):
            unexpected(f"player {player}", status)
        return out

    def desync(self) -> Any:
        """None while nothing differs."""
        out = ffi.new("fxs_desync *")
        return out if lib.fxs_rollback_desync(self._it, out) == 0 else None

    def kept(self, which: int, part: int) -> bytes | None:
        size = ffi.new("uint64_t *")
        found = lib.fxs_rollback_kept(self._it, which, part, size)
        return None if found == ffi.NULL else bytes(ffi.buffer(found, size[0]))


def status_text(status: int) -> str:
    """A status in words."""
    text: bytes = ffi.string(lib.fxs_status_text(status))
    return text.decode()


def _rows(rows: CData, count: int) -> bytes:
    return bytes(ffi.buffer(rows, count * EVENT.size))

"""The recorder of the kit: the text of a match log, in memory that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import pack
from typing import Any

from fixsync._native.raw import CData, ffi, lib, uninitialised
from fixsync._native.rows import CAST, CAST_HIT, COMMAND, EVENT
from fixsync._native.status import unexpected
from fixsync._native.world import NativeWorld

_TEXT_TYPE = ffi.typeof("char[]")
_NO_ROOM: int = lib.FXS_E_ROOM
_commands = lib.fxs_recorder_commands
_step = lib.fxs_recorder_step


class NativeRecorder:
    """A log that is being written. Its arguments must be valid. It has no lock of its own: its user
    calls it from inside the world's, or is alone."""

    __slots__ = ("_log", "_room", "_text")

    def __init__(self, world: NativeWorld, about: bytes, state: bytes | None) -> None:
        """about: the other keys of the first line, as canonical text. state: how the log begins, if
        that is not with the colliders of the world."""
        self._log = ffi.new("fxs_recorder *")
        self._room = 4096
        self._text = uninitialised(_TEXT_TYPE, self._room)
        begin, at = (state or ffi.NULL, len(state or b"")), ffi.new("uint64_t *")

        def call(log: CData, text: CData, room: int) -> int:
            arguments = (log, world._world, about, len(about), *begin, text, room, at)
            return lib.fxs_recorder_begin(*arguments)

        self._call(call)

    def _call(self, call: Callable[..., int], *args: Any) -> None:
        while (status := call(self._log, *args, self._text, self._room)) != 0:
            if status != _NO_ROOM:
                unexpected("a match log", status)
            text = uninitialised(_TEXT_TYPE, 2 * self._room)
            ffi.memmove(text, self._text, self._log.size)
            # No interrupt comes between these two: C never gets a larger number than the room is.
            self._text, self._room = text, 2 * self._room

    @property
    def frames(self) -> int:
        """Number of whole frames so far."""
        return self._log.frames

    @property
    def next_frame(self) -> int:
        """The number of the frame that is written next."""
        return self._log.frame

    def commands(self, rows: bytes) -> None:
        """Adds rows of commands that the world took."""
        self._call(_commands, rows, len(rows) // COMMAND.size)

    def question(self, row: bytes) -> None:
        """Adds a query or a cast: its row."""
        is_cast = len(row) == CAST.size
        self._call(lib.fxs_recorder_cast if is_cast else lib.fxs_recorder_query, row)

    def answer(self, found: Sequence[int] | bytes) -> None:
        """Adds the next answer: ids, or the rows of a cast's hits."""
        if isinstance(found, bytes):
            self._call(lib.fxs_recorder_hits, found, len(found) // CAST_HIT.size)
        else:
            ids = pack(f"={len(found)}I", *found)
            self._call(lib.fxs_recorder_ids, ids, len(found))

    def end_frame(self, events: bytes, hash: int, game: bytes | None = None) -> None:
        """Ends the frame: the rows of its events and the hash. game: the rows of the game's own
        events; None: they are not known."""
        own = game or b""
        counts = len(events) // EVENT.size, len(own) // EVENT.size
        recorded = ffi.new("fxs_recorded *", (hash, 0, *counts, 1, game is not None, 1, 0))
        self._call(_step, recorded, events + own)

    def line(self, line: bytes) -> None:
        """Adds a frame: its canonical line."""
        self._call(lib.fxs_recorder_line, line, len(line))

    def end(self) -> None:
        """Adds the last line. A frame that was not ended is taken back."""
        self._call(lib.fxs_recorder_end)

    def take(self) -> bytes:
        """The whole lines that were not taken yet."""
        log, text = self._log, self._text
        size, left = log.size - log.line_size, log.line_size
        found: bytes = ffi.buffer(text, size)[:]
        ffi.memmove(text, text + size, left)
        log.size = left
        return found

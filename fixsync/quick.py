"""Replays the frames of a trace that are as they should be, whole blocks of them in one call of C.

A frame that is not (its line is not canonical, the world refuses a command, something differs from
what the log says) is left, at the place that was reached, to `Player` and to the comparison that
can tell of it. Both ways come to the same: tests hold one against the other."""

from __future__ import annotations

from typing import Any

from fixsync._native import ffi, lib, uninitialised
from fixsync.compact import Columns
from fixsync.log.player import Player

__all__ = ["Quick"]

_TAPE_WORDS_MIN = 1 << 15
_STEP, _IDS, _CAST_HITS = 1, 2, 3  # what there is too little room for; else the tape


class Quick:
    """Plays blocks of a trace with a player's world. The counts are of all frames that it
    played.
    """

    def __init__(self, player: Player) -> None:
        self.frames = 0
        self.hits = 0
        """Hits of these frames, added up."""
        self.told_events = 0
        """Frames of which the log tells the events."""
        self.told_answers = 0
        """Answers that the log tells."""
        self.told_hashes = 0
        self._player = player
        self._row: Any = ffi.new("fxl_player *")
        self._done: Any = ffi.new("uint64_t *")
        self._tape: Any = ffi.NULL

    def text(self, lines: bytes, frame: int) -> tuple[int, int]:
        """Plays what it can of whole lines, the first of which is of this frame: how many frames it
        has played, and how many bytes they are. The line after them is for the player, which knows
        how far it is."""
        row, done, text = self._row, self._done, ffi.from_buffer(lines)
        bytes_done = 0

        def call() -> int:
            nonlocal bytes_done
            bytes_done += int(done[0])
            at = frame + row.frames
            status: int = lib.fxl_play_text(
                row, text + bytes_done, len(lines) - bytes_done, at, done
            )
            return status

        done[0] = 0
        frames = self._run(call)
        return frames, bytes_done + int(done[0])

    def columns(self, block: Columns) -> int:
        """Plays what it can of a block: how many frames. The next one, if any, is for the player
        likewise.
        """
        self._take_tape(block.tape_words)
        frames = self._run(lambda: int(lib.fxl_play_columns(self._row, block.row)))
        block.frame += frames
        self._give_tape(block)
        return frames

    def blocks(self, block: Columns, data: bytes) -> int:
        """Plays what it can of the blocks that begin the data: how many bytes they are. What it
        leaves of the last one is what `block`, whose frame is the first, then holds."""
        row, done, base = self._row, self._done, ffi.from_buffer(data)
        bytes_done = 0

        def call() -> int:
            nonlocal bytes_done
            bytes_done += int(done[0])
            at = block.frame + row.frames
            rest = len(data) - bytes_done
            status: int = lib.fxl_play_blocks(row, block.row, base + bytes_done, rest, at, done)
            return status

        done[0] = 0
        block.frame += self._run(call)
        self._give_tape(block)
        return bytes_done + int(done[0])

    def _give_tape(self, block: Columns) -> None:
        """Leaves a frame that is not dealt with to the block."""
        if block.row.waiting:
            block.tape = self._tape
            self._tape = self._row.tape = ffi.NULL
            self._row.tape_room = 0

    def _run(self, call: Any) -> int:
        """Calls until nothing more can be played; keeps the counts."""
        row, world = self._row, self._player.world
        row.frames = row.hits = row.told_events = row.told_answers = row.told_hashes = 0
        row.stage, row.command = lib.FXL_NOT_BEGUN, 0
        row.counts = world._counts
        while True:
            row.world = world._world
            row.events, row.event_room = world._events, world._event_room
            row.ids, row.id_room = world._ids, world._id_room
            row.cast_hits, row.cast_room = world._cast_hits, world._cast_room
            if call() != lib.FXL_ROOM:
                break
            if row.wants == _STEP:
                world._make_room(lib.FXS_E_ROOM, row.counts.hits, row.counts.events)
            elif row.wants == _IDS:
                world._make_id_room(lib.FXS_E_ROOM, row.needed)
            elif row.wants == _CAST_HITS:
                world._make_cast_room(lib.FXS_E_ROOM, row.needed)
            else:
                self._take_tape(row.needed)
        self.frames += row.frames
        self.hits += row.hits
        self.told_events += row.told_events
        self.told_answers += row.told_answers
        self.told_hashes += row.told_hashes
        self._player.begun = row.command, row.stage == lib.FXL_STEPPED
        return int(row.frames)

    def _take_tape(self, words: int) -> None:
        row = self._row
        if self._tape == ffi.NULL or row.tape_room < words:
            row.tape_room = max(words, _TAPE_WORDS_MIN)
            self._tape = row.tape = uninitialised("int64_t[]", row.tape_room)

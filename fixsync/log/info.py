"""Counts the frames, commands and answers of a match log. Nothing is replayed."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET

from fixsync.log.lines import check_command_ids, check_ids
from fixsync.log.reader import Reader
from fixsync.log.schema import (
    Add,
    Command,
    Frame,
    Header,
    MatchLogError,
    Move,
    Remove,
    SetPose,
    SimFrame,
    TraceFrame,
)

__all__ = ["Info", "info"]

_EVENT_NAMES = {1: "enter", 2: "stay", 3: "exit"}
_POSITIONED = (Add, Move, SetPose)
_POSITIONS_MAX = 4096


@dataclass
class Info:
    """The content of a match log."""

    path: str
    size: int = 0
    """Bytes of the file."""
    header: Header | None = None
    frames: int = 0
    cut: str = ""
    """Why the log counts as cut short; "" for a whole one."""
    has_checksum: bool = False
    """Whether the last line has the SHA-256 of the rest. It is right, or there is an error."""
    commands: Counter[str] = field(default_factory=Counter)
    """Number of commands by name."""
    players: int = 0
    """Inputs per frame of a log with a sim."""
    added_by_kind: Counter[str] = field(default_factory=Counter)
    """Number of colliders added, by kind of shape."""
    added_by_layer: Counter[int] = field(default_factory=Counter)
    colliders_max: int = 0
    """The most colliders at once that commands added; those of a state are not counted."""
    frames_with: Counter[str] = field(default_factory=Counter)
    """Number of frames with "events", "game", "queries", "hash" and "state"."""
    events: Counter[str] = field(default_factory=Counter)
    """Number of events by kind: "enter", "stay" and "exit"."""
    game: Counter[int] = field(default_factory=Counter)
    """Number of the game's own events by kind."""
    hits: int = 0
    """The sum of the hits of all frames with events."""
    hits_max: int = 0
    """The most hits in one of them."""
    hits_max_frame: int | None = None
    """The first frame with that many."""
    answers: int = 0
    """Number of answers to queries and casts."""
    low: list[int] | None = None
    """The least x, y and z of all positions in commands."""
    high: list[int] | None = None
    """The greatest x, y and z."""
    last_hash: str = ""
    """The last hash in the log."""
    last_state: str = ""
    """The last hash of a whole state in the log."""
    error: MatchLogError | None = None
    """Why it is not valid, or was not read to its end."""
    is_unreadable: bool = False
    """Whether the file cannot be read. `info` raises an error instead; programs that read many logs
    report it so."""


def info(path: str | os.PathLike[str]) -> Info:
    """Reads a log and counts its content. OSError for a file that cannot be read."""
    result = Info(os.fspath(path), size=Path(path).stat().st_size)
    count = _Count(result)
    try:
        with Reader(path) as reader:
            result.header = reader.header
            try:
                for frame in reader:
                    count.frame(frame, reader.header)
            finally:
                count.end()
                result.frames, result.cut = reader.frames, reader.cut
                result.size = result.size or reader.size  # a pipe has no size of its own
            result.has_checksum = reader.footer is not None and reader.footer.sha256 is not UNSET
    except MatchLogError as error:
        result.error = error
    return result


class _Count:
    def __init__(self, result: Info) -> None:
        self._result = result
        self._present: set[int] = set()
        self._types: Counter[type[Command]] = Counter()
        self._positions: list[tuple[int, int, int]] = []

    def frame(self, frame: Frame, header: Header) -> None:
        check_ids(frame, header)
        result = self._result
        if isinstance(frame, TraceFrame):
            check_command_ids(frame.commands, header.capacity)
            self._commands(frame.commands)
        else:
            result.players = max(result.players, len(frame.inputs))
        if frame.events is not UNSET:
            result.frames_with["events"] += 1
            self._events(frame.frame, [kind for _, _, kind, _ in frame.events])
        if frame.game is not UNSET:
            result.frames_with["game"] += 1
            result.game.update(kind for _, _, kind, _ in frame.game)
        if frame.queries is not UNSET:
            result.frames_with["queries"] += 1
            result.answers += len(frame.queries)
        if frame.hash is not UNSET:
            result.frames_with["hash"] += 1
            result.last_hash = frame.hash
        if isinstance(frame, SimFrame) and frame.state is not UNSET:
            result.frames_with["state"] += 1
            result.last_state = frame.state

    def _events(self, frame: int, kinds: list[int]) -> None:
        result = self._result
        result.events.update(_EVENT_NAMES[kind] for kind in kinds)
        hits = len(kinds) - kinds.count(3)
        result.hits += hits
        if hits > result.hits_max:
            result.hits_max, result.hits_max_frame = hits, frame

    def _commands(self, commands: list[Command]) -> None:
        self._types.update(map(type, commands))
        self._positions += [c.position for c in commands if isinstance(c, _POSITIONED)]
        if len(self._positions) > _POSITIONS_MAX:
            self._bound_positions()
        result = self._result
        for command in commands:
            if isinstance(command, Add):
                result.added_by_kind[str(command.shape.__struct_config__.tag)] += 1
                result.added_by_layer[command.layer] += 1
                self._present.add(command.id)
                result.colliders_max = max(result.colliders_max, len(self._present))
            elif isinstance(command, Remove):
                self._present.discard(command.id)

    def _bound_positions(self) -> None:
        result = self._result
        known = [tuple(bound) for bound in (result.low, result.high) if bound is not None]
        axes = list(zip(*known, *self._positions, strict=True))
        self._positions.clear()
        if axes:
            result.low, result.high = [min(axis) for axis in axes], [max(axis) for axis in axes]

    def end(self) -> None:
        """Completes the counts."""
        self._bound_positions()
        for kind, number in self._types.items():
            self._result.commands[str(kind.__struct_config__.tag)] += number

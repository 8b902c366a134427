"""Counts what is in a match log, without replaying it."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET

from fixsync.log.matchlog import (
    Add,
    Frame,
    Header,
    MatchLogError,
    Move,
    Reader,
    Remove,
    SetPose,
    SimFrame,
    TraceFrame,
    check_command_id,
    check_ids,
)
from fixsync.log.text import LineError

__all__ = ["Info", "info"]

_EVENT_NAMES = {1: "enter", 2: "stay", 3: "exit"}


@dataclass
class Info:
    """What is in a match log."""

    path: str
    size: int = 0
    """Bytes of the file."""
    header: Header | None = None
    frames: int = 0
    cut: str = ""
    """Why the log counts as cut short; "" for a whole one."""
    has_checksum: bool = False
    """Whether the last line has the SHA-256 of the rest, which then is right."""
    commands: Counter[str] = field(default_factory=Counter)
    """By their names in the log."""
    players: int = 0
    """Inputs a frame, of a log with a sim."""
    added_by_kind: Counter[str] = field(default_factory=Counter)
    """Colliders added, by the kind of their shape."""
    added_by_layer: Counter[int] = field(default_factory=Counter)
    colliders_max: int = 0
    """The most colliders at once."""
    frames_with: Counter[str] = field(default_factory=Counter)
    """In how many frames the log tells "events", "queries" and "hash"."""
    events: Counter[str] = field(default_factory=Counter)
    """"enter", "stay" and "exit"."""
    hits: int = 0
    """Hits of all frames that tell their events, added up."""
    hits_max: int = 0
    """The most hits in one of them."""
    hits_max_frame: int | None = None
    """The first frame that has so many."""
    answers: int = 0
    """Answers to queries and casts."""
    low: list[int] | None = None
    """The least x, y and z of all positions in commands."""
    high: list[int] | None = None
    """The greatest x, y and z."""
    last_hash: str = ""
    """The last that the log tells."""
    error: MatchLogError | None = None
    """Why it is not valid, or was not read to its end."""
    is_unreadable: bool = False
    """Whether the error is of the file and not of the log in it. `info` raises an error instead;
    what tells of many logs tells it so."""


def info(path: str | os.PathLike[str]) -> Info:
    """Reads a log and counts what is in it. OSError for a file that cannot be read."""
    result = Info(os.fspath(path), size=Path(path).stat().st_size)
    count = _Count(result)
    try:
        with Reader(path) as reader:
            result.header = reader.header
            try:
                for frame in reader:
                    count.frame(frame, reader.header.capacity)
            except LineError as wrong:
                raise reader.error(wrong.path, wrong.reason) from wrong
            finally:
                result.frames, result.cut = reader.frames, reader.cut
                result.size = result.size or reader.size  # a pipe has none of its own
            result.has_checksum = reader.footer is not None and reader.footer.sha256 is not UNSET
    except MatchLogError as error:
        result.error = error
    return result


class _Count:
    def __init__(self, result: Info) -> None:
        self._result = result
        self._present: set[int] = set()

    def frame(self, frame: Frame, capacity: int) -> None:
        check_ids(frame, capacity)
        result = self._result
        if isinstance(frame, TraceFrame):
            self._commands(frame, capacity)
        else:
            self._inputs(frame)
        if frame.events is not UNSET:
            result.frames_with["events"] += 1
            result.events.update(_EVENT_NAMES[kind] for _, _, kind, _ in frame.events)
            hits = sum(kind != 3 for _, _, kind, _ in frame.events)
            result.hits += hits
            if hits > result.hits_max:
                result.hits_max, result.hits_max_frame = hits, frame.frame
        if frame.queries is not UNSET:
            result.frames_with["queries"] += 1
            result.answers += len(frame.queries)
        if frame.hash is not UNSET:
            result.frames_with["hash"] += 1
            result.last_hash = frame.hash

    def _inputs(self, frame: SimFrame) -> None:
        self._result.players = max(self._result.players, len(frame.inputs))

    def _commands(self, frame: TraceFrame, capacity: int) -> None:
        result = self._result
        for i, command in enumerate(frame.commands):
            check_command_id(command, i, capacity)
            result.commands[str(command.__struct_config__.tag)] += 1
            if isinstance(command, Move | SetPose | Add):
                self._position(command.position)
            if isinstance(command, Add):
                result.added_by_kind[str(command.shape.__struct_config__.tag)] += 1
                result.added_by_layer[command.layer] += 1
                self._present.add(command.id)
                result.colliders_max = max(result.colliders_max, len(self._present))
            elif isinstance(command, Remove):
                self._present.discard(command.id)

    def _position(self, position: tuple[int, int, int]) -> None:
        result = self._result
        if result.low is None or result.high is None:
            result.low, result.high = list(position), list(position)
        result.low = list(map(min, result.low, position))
        result.high = list(map(max, result.high, position))

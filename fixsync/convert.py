"""Match logs from one form to the other: text (docs/match-logs.md) and compact
(docs/compact-logs.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fixsync.log import files as logfile
from fixsync.log.matchlog import (
    Frame,
    Reader,
    TraceFrame,
    Writer,
    canonical_lines,
    check_command_id,
    check_ids,
)
from fixsync.log.text import LineError

__all__ = ["Converted", "convert", "text_of"]

PROGRESS_FRAMES = 1024
"""How many frames lie between two calls of `convert`'s progress."""


@dataclass
class Converted:
    """What was written."""

    path: str
    is_compact: bool
    frames: int
    cut: str
    """Why the log counts as cut short, as what was written does; "" for a whole one."""
    size_read: int
    """Bytes of the file that was read."""
    size: int
    """Bytes of the file that was written."""


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    is_compact: bool | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> Converted:
    """Writes a log again, in canonical form: compact or, if `is_compact` is False, as text. None:
    as the name of the target asks.

    A canonical log that goes to the other form and back is the same text. A log that was cut short
    stays one. `target`, which may be `source`, appears when all is written; MatchLogError for a log
    that is not valid, and nothing written. OSError for files that cannot be read or written."""
    if is_compact is None:
        is_compact = logfile.is_compact_name(target)
    with (
        Reader(source) as reader,
        Writer(target, reader.header, replace=True, gathers=True, is_compact=is_compact) as writer,
    ):
        for frame in _checked(reader):
            writer.write(frame)
            if progress is not None and reader.frames % PROGRESS_FRAMES == 0:
                progress(reader)
        writer.close(is_whole=not reader.cut)
    return Converted(
        os.fspath(target), is_compact, reader.frames, reader.cut, reader.size, writer.size
    )


def _checked(reader: Reader) -> Iterator[Frame]:
    """A log's frames. MatchLogError for one with an id that no world of the log's capacity has, as
    replaying the log would tell it: what no command takes for a log shall not be written."""
    capacity = reader.header.capacity
    for frame in reader:
        try:
            if isinstance(frame, TraceFrame):
                for i, command in enumerate(frame.commands):
                    check_command_id(command, i, capacity)
            check_ids(frame, capacity)
        except LineError as wrong:
            raise reader.error(wrong.path, wrong.reason) from wrong
        yield frame


def text_of(path: str | os.PathLike[str]) -> bytes:
    """A log in canonical form as text, without a last line if it was cut short. Errors as for
    `convert`.
    """
    with Reader(path) as reader:
        return b"".join(canonical_lines(reader))

"""The file of a match log that is being written."""

from __future__ import annotations

import os

from fixsync._native.recorder import NativeRecorder
from fixsync.base import files
from fixsync.base.strict_json import LineError
from fixsync.log.lines import format_about
from fixsync.log.schema import About, MatchLogError
from fixsync.world.world import World


class Writer(files.Closing):
    """Writes the output of a recorder to a file. After an error the log is cut short.

    `flush` hands the text so far to the operating system at once; only `.xz` and `.bz2` hold a part
    back until `close`. `is_over` and `is_whole` are those of `Sink`: with the latter the old file
    stays after an error."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        about: About,
        world: World,
        *,
        state: bytes | None = None,
        is_over: bool = False,
        is_whole: bool = False,
    ) -> None:
        """world: as it is before the first frame. state: the state with which the log begins; None:
        a trace begins with its world."""
        self.name = os.fspath(path)
        try:
            line = format_about(about, world.capacity, world.level)
        except LineError as wrong:
            raise MatchLogError(self.name, 1, wrong.path, wrong.reason) from wrong
        self.log = NativeRecorder(world._native, line, state)
        self._sink = files.Sink(path, is_over=is_over, is_whole=is_whole)
        self.flush()

    @property
    def size(self) -> int:
        """Bytes of the file written so far."""
        return self._sink.size

    def flush(self) -> None:
        """Writes the whole lines of the log."""
        self._sink.write(self.log.take())

    def write(self, line: bytes) -> None:
        """Writes the canonical line of the next frame."""
        self.log.line(line)
        self.flush()

    def close(self, *, is_whole: bool = True) -> None:
        """Writes the last line, if the log is whole, and closes the file."""
        if is_whole and not self._sink.is_closed:
            self.log.end()
            self.flush()
        self._sink.close()

    def abandon(self) -> None:
        """Closes the file without a last line; with `is_whole`, removes it."""
        self._sink.abandon()

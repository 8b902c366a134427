"""The file of a match log that is being written."""

from __future__ import annotations

import os
from itertools import starmap
from pathlib import Path
from types import TracebackType

from msgspec import UNSET

from fixsync._native.recorder import NativeRecorder
from fixsync._native.rows import EVENT
from fixsync.log import files
from fixsync.log.lines import format_about
from fixsync.log.schema import About, MatchLogError, SimFrame
from fixsync.log.text import LineError
from fixsync.world import World

__all__ = ["Writer"]


class Writer:
    """Writes what a recorder makes to a file. A context manager: an error within leaves a cut log.

    What `flush` writes is handed to the operating system at once; only `.xz` and `.bz2` hold a part
    back until `close`. With `replace`, nothing is handed over before that: the file appears under
    its name at `close`, and a file of that name stays until then."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        about: About,
        world: World,
        *,
        state: bytes | None = None,
        replace: bool = False,
    ) -> None:
        """world: as it is before the first frame. state: the state with which the log begins; None:
        a trace begins with its world."""
        self.name = os.fspath(path)
        if files.is_compact_name(path):
            raise ValueError(f"{self.name}: a match log is .jsonl, also compressed, not .fxlog")
        try:
            line = format_about(about, world.capacity, world.level)
        except LineError as wrong:
            raise MatchLogError(self.name, 1, wrong.path, wrong.reason) from wrong
        self.log = NativeRecorder(world._native, line, state)
        self._written = self._target = Path(path)
        if replace:
            self._written, self._target = files.place_of(path)
        self._sink = files.Sink(self._written, suffix=files.suffix_of(path), is_buffered=replace)
        try:
            self.flush()
        except OSError:
            self.abandon()
            raise

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self.abandon()

    @property
    def size(self) -> int:
        """Bytes of the file written so far."""
        return self._sink.size

    def flush(self) -> None:
        """Writes the whole lines of the log."""
        self._sink.write(self.log.take())

    def write_inputs(self, frame: SimFrame) -> None:
        """Writes the next frame of a log with a sim. It must be valid, and has no queries."""
        for value in frame.inputs:
            self.log.input(value)
        events = None if frame.events is UNSET else b"".join(starmap(EVENT.pack, frame.events))
        self.log.end_frame(events, None if frame.hash is UNSET else int(frame.hash, 16))
        self.flush()

    def close(self, *, is_whole: bool = True) -> None:
        """Writes the last line, if the log is whole, and closes the file."""
        if self._sink.is_closed:
            return
        try:
            if is_whole:
                self.log.end()
                self.flush()
            self._sink.close()
        except OSError:
            self._give_up()
            raise
        if self._written != self._target:
            self._written.replace(self._target)

    def abandon(self) -> None:
        """Closes the file without a last line; with `replace`, removes it."""
        if not self._sink.is_closed:
            self._give_up()

    def _give_up(self) -> None:
        try:
            self._sink.close()
        finally:
            if self._written != self._target:
                self._written.unlink()

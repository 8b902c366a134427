"""Writes a match log in canonical form: the same content gives the same bytes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from types import TracebackType

from fixsync.log import files
from fixsync.log.lines import FrameLines, format_footer, format_header, next_frame
from fixsync.log.schema import Footer, Frame, Header, MatchLogError
from fixsync.log.text import LineError

__all__ = ["Writer"]


class Writer:
    """Writes a match log in canonical form. A context manager: an error within leaves a cut log.

    Each frame is handed to the operating system before `write` returns; only `.xz` and `.bz2` hold
    a part back until `close`. With `replace`, nothing is handed over before that: the file appears
    under its name at `close`, and a file of that name stays until then."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Header,
        *,
        replace: bool = False,
    ) -> None:
        self.name = os.fspath(path)
        if files.is_compact_name(path):
            raise ValueError(f"{self.name}: a match log is .jsonl, also compressed, not .fxlog")
        self.frames = 0
        """Number of frames written so far."""
        self._lines = FrameLines(has_sim=header.sim is not None)
        self._due = header.first_frame
        self._sha256 = hashlib.sha256()
        try:
            line = format_header(header)
        except LineError as wrong:
            raise MatchLogError(self.name, 1, wrong.path, wrong.reason) from wrong
        self._written = self._target = Path(path)
        if replace:
            self._written, self._target = files.place_of(path)
        self._sink = files.Sink(self._written, suffix=files.suffix_of(path), is_buffered=replace)
        try:
            self._put(line)
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

    def _put(self, data: bytes) -> None:
        self._sink.write(data)
        self._sha256.update(data)

    @property
    def size(self) -> int:
        """Bytes of the file written so far."""
        return self._sink.size

    def write(self, frame: Frame, *, is_valid: bool = False) -> None:
        """Writes the next frame. MatchLogError, and nothing is written, for a frame that cannot
        follow here. `is_valid`: the frame is known to be valid and is not checked again."""
        try:
            if frame.frame != self._due:
                raise LineError("frame", f"expected {self._due}, found {frame.frame}")
            line = self._lines.format(frame) if is_valid else self._lines.format_checked(frame)
        except LineError as wrong:
            raise MatchLogError(self.name, self.frames + 2, wrong.path, wrong.reason) from wrong
        self.frames += 1
        self._due = next_frame(self._due)
        self._put(line)

    def close(self, *, is_whole: bool = True) -> None:
        """Writes the last line, if the log is whole, and closes the file."""
        if self._sink.is_closed:
            return
        try:
            if is_whole:
                self._sink.write(format_footer(Footer(self.frames, self._sha256.hexdigest())))
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

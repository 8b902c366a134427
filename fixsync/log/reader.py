"""Reads a match log: bytes to lines to frames."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator

from msgspec import UNSET

from fixsync.base import files
from fixsync.base.strict_json import LineError
from fixsync.log.lines import FrameLines, next_frame, parse_header
from fixsync.log.schema import LINE_BYTES_MAX, Footer, Frame, Header, MatchLogError

__all__ = ["Reader"]

_PROGRESS_FRAMES = 256


class Reader(files.Closing):
    """A match log, read once from start to end. A context manager; iterate over it for the frames.

    The memory that it takes is a fixed multiple of the longest line. A line may have up to
    LINE_BYTES_MAX bytes. MatchLogError, after the valid frames before it, for an invalid
    log; OSError for a file that cannot be read; ValueError for a compression that is not
    installed. A LineError that leaves the `with` block becomes the MatchLogError of `error`."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        progress: Callable[[Reader], None] | None = None,
        keep_text: bool = False,
    ) -> None:
        """progress: called now and then, after a frame. keep_text: collect the text of the whole
        lines in `text`."""
        self.name = os.fspath(path)
        """The file as it was given."""
        self.frames = 0
        """Number of frames read so far."""
        self.footer: Footer | None = None
        """The last line, once the iteration is over; None for a log without it."""
        self.cut = ""
        """Why the log counts as cut short, once the iteration is over; "" for a whole one."""
        self._kept: list[bytes] | None = [] if keep_text else None
        self._other_lines = 0  # the header and the last line, as soon as they are read
        self._sha256 = hashlib.sha256()
        self._rest = b""
        self._source = files.Source(path)
        try:
            self._blocks = self._whole_lines()
            line, line_feed, self._block = next(self._blocks, b"").partition(b"\n")
            self.header = self._read_header(
                line if line_feed else self._rest, is_whole=bool(line_feed)
            )
        except BaseException:
            self._source.close()
            raise
        self._due = self.header.first_frame
        self._lines = FrameLines(has_sim=self.header.sim is not None)
        self._frames = self._all_frames() if progress is None else self._shown(progress)

    def __exit__(self, kind: object, error: object = None, *_: object) -> None:
        self.close()
        if isinstance(error, LineError):
            raise self.error(error) from error

    def close(self) -> None:
        self._source.close()

    @property
    def line(self) -> int:
        """The number of the last line read."""
        return self.frames + self._other_lines

    @property
    def size(self) -> int:
        """Bytes of the file read so far."""
        return self._source.size

    @property
    def progress(self) -> float:
        """Share of the file that was read, 0 to 1."""
        return self._source.progress

    @property
    def text(self) -> bytes:
        """The text of the whole lines read so far, if it is kept."""
        return b"".join(self._kept or ())

    def error(self, wrong: LineError) -> MatchLogError:
        """The error for a fault in the last line read, or in the header."""
        line = 1 if wrong.in_header else self.line
        return MatchLogError(self.name, line, wrong.path, wrong.reason)

    def _error_after(self, field: str, reason: str) -> MatchLogError:
        """An error about the line after the last one read."""
        return MatchLogError(self.name, self.line + 1, field, reason)

    # Bytes to lines.

    def _whole_lines(self) -> Iterator[bytes]:
        """The text in blocks of whole lines. The end without a line feed goes to `_rest`."""
        pieces: list[bytes] = []  # of the line that has no line feed yet
        size = 0
        try:
            for piece in self._source:
                line_end = piece.find(b"\n")
                if size + (line_end if line_end >= 0 else len(piece)) > LINE_BYTES_MAX:
                    raise self._error_after("", self._too_long)
                end = piece.rfind(b"\n") + 1
                if end:
                    pieces.append(piece[:end])
                    yield b"".join(pieces)
                    pieces, size = [], 0
                pieces.append(piece[end:])
                size += len(piece) - end
        except files.DamagedFileError as damage:
            raise self._error_after("", str(damage)) from damage
        self._rest = b"".join(pieces)
        if self._source.is_cut:
            self.cut = f"the {self._source.suffix} data ends early"
        elif self._rest:
            self.cut = "the last line has no line feed"

    @property
    def _too_long(self) -> str:
        return f"the line has more than {LINE_BYTES_MAX} bytes"

    def _read_header(self, line: bytes, *, is_whole: bool) -> Header:
        if not line and not is_whole:
            reason = "the file is empty; a match log has a header on line 1"
            raise MatchLogError(self.name, 0, "", reason)
        if line.startswith(b"\x89FXL"):
            reason = "a compact log (.fxlog), which this version does not read; it reads .jsonl"
            raise MatchLogError(self.name, 0, "", reason)
        if compression := files.compression_of(line):
            reason = f"the data is compressed, so its name must end in {compression}"
            raise MatchLogError(self.name, 0, "", reason)
        if len(line) > LINE_BYTES_MAX:
            raise MatchLogError(self.name, 1, "", self._too_long)
        try:
            header = parse_header(line)
        except LineError as wrong:
            if not is_whole and not wrong.path:
                raise MatchLogError(self.name, 1, "", "the file ends within its header") from wrong
            raise MatchLogError(self.name, 1, wrong.path, wrong.reason) from wrong
        self._other_lines = 1
        self._take(line + b"\n")
        return header

    def _take(self, text: bytes) -> None:
        """Counts text that is valid as part of the log."""
        self._sha256.update(text)
        if self._kept is not None:
            self._kept.append(text)

    # Lines to frames.

    def __iter__(self) -> Iterator[Frame]:
        """The frames that were not given yet."""
        return self._frames

    def _all_frames(self) -> Iterator[Frame]:
        if self._block:
            yield from self._frames_of(self._block)
        for block in self._blocks:
            yield from self._frames_of(block)
        if self.footer is not None and self._rest:
            raise self._error_after("", "text after the last line")
        if self.footer is None and not self.cut:
            self.cut = "there is no last line"

    def _shown(self, progress: Callable[[Reader], None]) -> Iterator[Frame]:
        for frame in self._all_frames():
            yield frame
            if self.frames % _PROGRESS_FRAMES == 0:
                progress(self)

    def _frames_of(self, block: bytes) -> Iterator[Frame]:
        lines = block.split(b"\n")
        lines.pop()
        last: list[bytes] = []
        if lines[-1].startswith(b'{"frames"'):
            last.append(lines.pop())
            block = block[: len(block) - len(last[0]) - 1]
        frames = None
        if self.footer is None and not self._has_long_line(block, lines):
            frames = self._lines.parse_all(block, lines, self._due)
        if frames is not None:
            self._take(block)
            for self.frames, frame in enumerate(frames, self.frames + 1):  # noqa: B020
                yield frame
            self._due = next_frame(self._due + len(frames) - 1)
            lines = []
        for line in lines + last:
            frame_or_footer = self._parse(line)
            if isinstance(frame_or_footer, Footer):
                self._check_footer(frame_or_footer)
                self.footer = frame_or_footer
                self._other_lines += 1
                if self._kept is not None:
                    self._kept.append(line + b"\n")
            else:
                self._take(line + b"\n")
                self._due = next_frame(self._due)
                self.frames += 1
                yield frame_or_footer

    def _has_long_line(self, block: bytes, lines: list[bytes]) -> bool:
        return len(block) > LINE_BYTES_MAX and max(map(len, lines), default=0) > LINE_BYTES_MAX

    def _parse(self, line: bytes) -> Frame | Footer:
        if self.footer is not None:
            raise self._error_after("", "text after the last line")
        if len(line) > LINE_BYTES_MAX:
            raise self._error_after("", self._too_long)
        try:
            return self._lines.parse(line, self._due)
        except LineError as wrong:
            raise self._error_after(wrong.path, wrong.reason) from wrong

    def _check_footer(self, footer: Footer) -> None:
        if footer.frames != self.frames:
            reason = f"says {footer.frames}, but the log has {self.frames}"
            raise self._error_after("frames", reason)
        found = self._sha256.hexdigest()
        if footer.sha256 is not UNSET and footer.sha256 != found:
            reason = f"says {footer.sha256}, but the bytes before it have {found}"
            raise self._error_after("sha256", reason)

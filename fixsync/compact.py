"""The compact form of match logs: blocks of columns of numbers. docs/compact-logs.md has every byte
of it.

What a block holds is the canonical text of its frames in another writing: `Columns.texts` gives it
back, and whatever is wrong with it is then found where text is read. Only what cannot be text at
all is found here."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from typing import Protocol

from fixsync._native import CData, ffi, lib, uninitialised
from fixsync.log.text import LineError

__all__ = ["BLOCK_BYTES_MAX", "MAGIC", "VERSION", "Columns", "Packer", "Unpacker"]

MAGIC = b"\x89FXL\r\n\x1a\n"
"""The first bytes of a file: no text starts so, and what takes it for text damages it visibly."""
VERSION = 1
BLOCK_BYTES = 1 << 16
"""A block ends with the frame that brings it to so many bytes, if it is not ended before."""
BLOCK_BYTES_MAX = 1 << 26
"""The most bytes of a block: a longer one is refused before it is read."""
SLOTS_MAX = 1 << 16
"""Ids that are the same modulo this (or the capacity, if that is less) share what is remembered of
them.
"""

_HEADER, _FRAMES, _END = b"HFE"
_HEAD = struct.Struct("<BI")
_CHECKSUM = struct.Struct("<I")
_COLUMNS = ("structure", "x", "y", "z", "yaw", "found", "hashes")
_FAULTS = {
    lib.FXL_TOO_SHORT: "ends early",
    lib.FXL_BAD_NUMBER: "holds no number of the form and size that belongs here",
    lib.FXL_BAD_OPERATION: "holds a code that is none",
    lib.FXL_TOO_LONG: "goes on after the last frame",
}
_WORDS = ffi.typeof("int64_t[]")
_BYTES = ffi.typeof("uint8_t[]")
_WORD_TEXT_BYTES, _FRAME_TEXT_BYTES = 24, 256  # room that text needs, see fxl_print
_TEXT_BYTES = 1 << 18
_HEAD_BYTES_MAX = 9 * 9  # first frame, number of frames and seven lengths


def _fault_at(offset: int, reason: str) -> LineError:
    return LineError("", f"byte {offset} of the log: {reason}")


def _rows(capacity: int) -> tuple[int, CData]:
    slots = min(capacity, SLOTS_MAX)
    return slots, ffi.new("uint32_t[]", (slots + 1) * 8)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


class Quick(Protocol):
    """What can deal with blocks before they are taken apart."""

    def blocks(self, block: Columns, data: bytes) -> int:
        """Deals with what it can of the blocks that begin the data, the first of which should be
        that of the frame of `block`: how many bytes they are. `block` then is what is left of the
        last one."""


class Columns:
    """A block of frames that is being read."""

    def __init__(self, row: CData, body: bytes, start: int, frame: int) -> None:
        """body: the bytes that hold it, the first of which is byte `start` of the log."""
        self.row = row
        self.frame = frame
        """The number of the next frame."""
        self.is_tried = False
        """Whether a `Quick` has had it; what is left is for others."""
        self.tape_words = 2 * len(body) + int(lib.FXL_TAPE_SPARE)
        """Words that are room enough for any of its frames."""
        self.tape: CData = ffi.NULL
        """Where the frame is that is read, but not dealt with, if `row.waiting` is not 0."""
        self._start = start
        self._base = ffi.from_buffer(_BYTES, body)
        self._body = body

    def texts(self) -> Iterator[bytes]:
        """The frames that have not been dealt with, as canonical lines, several at once. LineError
        for what is damaged, after the frames before it."""
        row, frame, size = self.row, ffi.new("uint64_t *", self.frame), ffi.new("uint64_t *")
        if row.frames and not row.waiting:
            self.tape = uninitialised(_WORDS, self.tape_words)
        room, text = 0, ffi.NULL
        while True:
            status = lib.fxl_unpack_text(row, frame, self.tape, text, room, size)
            if size[0]:
                self.frame = int(frame[0])
                yield ffi.buffer(text, size[0])[:]
            if status == lib.FXL_END:
                return
            if status == lib.FXL_DAMAGED:
                raise self._fault()
            if not size[0]:
                room = max(_TEXT_BYTES, _WORD_TEXT_BYTES * row.waiting + _FRAME_TEXT_BYTES)
                text = uninitialised(_BYTES, room)

    def _fault(self) -> LineError:
        row = self.row
        offset = self._start + int(row.at[row.column] - self._base)
        return _fault_at(offset, f"the column {_COLUMNS[row.column]} {_FAULTS[row.fault]}")


class Unpacker:
    """Reads the blocks of a log out of its bytes, given in pieces. LineError for what is no such
    log.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.is_cut = False
        """After the last block: whether the log ends without an end."""
        self.end: tuple[int, str | None] | None = None
        """After the last block: how many frames the end tells, and what SHA-256, which then is
        right.
        """
        self._pieces = pieces
        self._buffer = bytearray()
        self._offset = 0
        self._sha256 = hashlib.sha256()

    def _take(self, size: int) -> bytes:
        """The next bytes; fewer only where the log ends."""
        buffer = self._buffer
        while len(buffer) < size and (piece := next(self._pieces, b"")):
            buffer += piece
        taken = bytes(buffer[:size])
        del buffer[:size]
        self._offset += len(taken)
        return taken

    def header(self) -> bytes:
        """Line 1 of the text, without its line feed."""
        start = self._take(len(MAGIC) + 1)
        if len(start) > len(MAGIC) and start[-1] != VERSION:
            raise LineError(
                "version", f"expected {VERSION}, found {start[-1]}: a later fixsync wrote this log"
            )
        self._sha256.update(start)
        block = self._block()
        if block is None:
            raise LineError("", "the file ends within its header")
        if block[0] != _HEADER:
            raise _fault_at(len(start), f"expected the header's block, found {_shown(block[0])}")
        return block[1]

    def _block(self) -> tuple[int, bytes] | None:
        """The next block: its kind and what it holds. None where the log ends."""
        start = self._offset
        head = self._take(_HEAD.size)
        if len(head) < _HEAD.size:
            return None
        kind, size = _HEAD.unpack(head)
        if kind not in (_HEADER, _FRAMES, _END):
            raise _fault_at(start, f"a block of no known kind: {_shown(kind)}")
        if size > BLOCK_BYTES_MAX:
            raise _fault_at(start + 1, f"a block of {size} bytes; {BLOCK_BYTES_MAX} is the most")
        body = self._take(size)
        sum = self._take(_CHECKSUM.size)
        if len(sum) < _CHECKSUM.size:
            return None
        if _CHECKSUM.unpack(sum)[0] != zlib.crc32(body, zlib.crc32(head)):
            raise _fault_at(start, "this block's checksum is wrong, so its bytes are damaged")
        if kind != _END:
            for part in (head, body, sum):
                self._sha256.update(part)
        return kind, body

    def blocks(self, capacity: int, kind: int, quick: Quick | None = None) -> Iterator[Columns]:
        """The blocks of frames. Each must be dealt with before the next is asked for. `quick` may
        deal with many at once before; what is left of the last of them, perhaps nothing, is then
        given."""
        row = ffi.new("fxl_columns *")
        row.slots, rows = _rows(capacity)
        row.rows, row.kind = rows, kind
        due = 0
        while True:
            start = self._offset
            if quick is not None and self._holds_a_block():
                data = bytes(self._buffer)
                left = Columns(row, data, start, due)
                size = quick.blocks(left, data)
                left.is_tried = True
                if size:
                    self._sha256.update(self._take(size))
                    due = left.frame + int(row.frames) + bool(row.waiting)
                    yield left
                    continue
            block = self._block()
            if block is None:
                self.is_cut = True
                return
            what, body = block
            if what == _END:
                self._end(body, due, start)
                return
            if what == _HEADER:
                raise _fault_at(start, "a second header")
            columns = _columns(row, body, start + _HEAD.size, due)
            due += int(row.frames)
            yield columns

    def _holds_a_block(self) -> bool:
        """Whether the next block has been read already, as where many are small."""
        if not self._buffer:
            self._buffer += next(self._pieces, b"")
        buffer = self._buffer
        return len(buffer) > _HEAD.size and len(buffer) >= 9 + int.from_bytes(buffer[1:5], "little")

    def _end(self, body: bytes, frames: int, start: int) -> None:
        if len(body) not in (4, 36):
            raise _fault_at(start, f"an end of {len(body)} bytes; it has 4 or 36")
        said = int.from_bytes(body[:4], "little")
        if said != frames:
            raise LineError("frames", f"says {said} where the log has {frames}")
        digest = body[4:].hex() or None
        if digest is not None and digest != self._sha256.hexdigest():
            found = self._sha256.hexdigest()
            raise LineError("sha256", f"says {digest} where the bytes before it have {found}")
        if self._take(1):
            raise _fault_at(self._offset - 1, "bytes after its end")
        self.end = said, digest


def _shown(kind: int) -> str:
    return repr(chr(kind)) if 32 <= kind < 127 else f"{kind:#04x}"


def _columns(row: CData, body: bytes, start: int, due: int) -> Columns:
    """Sets the row to read the columns of a block that begins with frame `due`."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while at < len(body) and shift < 63:
            byte = body[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                if byte or not shift:
                    return value
                break
            shift += 7
        raise _fault_at(start + at, "no number of the form and size that belongs here")

    first, frames = number(), number()
    if first != due:
        what = "missing" if first > due else "here twice"
        raise _fault_at(start, f"expected a block from frame {due}, found {first}: one is {what}")
    if frames == 0:
        raise _fault_at(start, "a block without frames")
    sizes = [number() for _ in _COLUMNS]
    if sum(sizes) != len(body) - at:
        raise LineError(
            "",
            f"byte {start} of the log: columns of {sum(sizes)} bytes together, where {len(body) - at} follow",
        )
    columns = Columns(row, body, start, first)
    base = ffi.from_buffer(_BYTES, body)
    for i, size in enumerate(sizes):
        row.at[i] = base + at
        at += size
        row.end[i] = base + at
    row.frames = frames
    return columns


class Packer:
    """Makes the blocks of a log out of its lines."""

    def __init__(self, capacity: int, kind: int) -> None:
        """kind: FXL_TRACE or FXL_SIM."""
        self._sha256 = hashlib.sha256()
        self._row = row = ffi.new("fxl_columns *")
        row.kind = kind
        row.slots, self._rows = _rows(capacity)
        row.rows = self._rows
        self._columns = [uninitialised(_BYTES, BLOCK_BYTES) for _ in _COLUMNS]
        self._tape = uninitialised(_WORDS, 0)
        self._words = ffi.new("uint64_t *")
        self._first = 0
        self._rewind()

    def _rewind(self) -> None:
        for i, column in enumerate(self._columns):
            self._row.at[i] = column
        self._row.frames = 0

    def _sizes(self) -> list[int]:
        return [int(self._row.at[i] - column) for i, column in enumerate(self._columns)]

    @property
    def is_full(self) -> bool:
        """Whether the block that is being made is as large as a block should be."""
        return sum(self._sizes()) >= BLOCK_BYTES

    def start(self, header: bytes) -> bytes:
        """What the file begins with; `header` is line 1 without its line feed."""
        start = MAGIC + bytes([VERSION])
        self._sha256.update(start)
        return start + self._block(_HEADER, header)

    def add(self, line: bytes, frame: int) -> None:
        """Adds a frame, given as a canonical line with its line feed, to the block that is being
        made.
        """
        row, text, size = self._row, ffi.from_buffer(line), len(line) - 1
        if len(self._tape) < size + lib.FXL_TAPE_SPARE:
            self._tape = uninitialised(_WORDS, 2 * size + int(lib.FXL_TAPE_SPARE))
        if lib.fxl_scan(text, text + size, row.kind, frame, self._tape, self._words) != lib.FXL_END:
            raise RuntimeError(f"a line that is not canonical: {line[:60]!r}")
        room = 10 * int(self._words[0])
        sizes = self._sizes()
        for i, (size, column) in enumerate(zip(sizes, self._columns, strict=True)):
            if len(column) < size + room:
                self._columns[i] = larger = uninitialised(_BYTES, 2 * (size + room))
                ffi.memmove(larger, column, size)
                row.at[i] = larger + size
        if sum(sizes) + room < BLOCK_BYTES_MAX - _HEAD_BYTES_MAX:
            lib.fxl_pack(self._tape, row)
        else:
            self._pack_if_it_fits(sizes)

    def _pack_if_it_fits(self, sizes: list[int]) -> None:
        row = self._row
        rows, last_id, frames = ffi.buffer(self._rows)[:], row.last_id, row.frames
        lib.fxl_pack(self._tape, row)
        if sum(self._sizes()) <= BLOCK_BYTES_MAX - _HEAD_BYTES_MAX:
            return
        ffi.buffer(self._rows)[:] = rows
        row.last_id, row.frames = last_id, frames
        for i, (size, column) in enumerate(zip(sizes, self._columns, strict=True)):
            row.at[i] = column + size
        raise LineError("", f"a frame that is too large for a block, {BLOCK_BYTES_MAX} bytes")

    def block(self) -> bytes:
        """The block that is being made, with which the next one begins; b"" if it has no frame."""
        frames = int(self._row.frames)
        if not frames:
            return b""
        sizes = self._sizes()
        head = b"".join(map(_varint, (self._first, frames, *sizes)))
        columns = (
            ffi.buffer(column, size)[:] for column, size in zip(self._columns, sizes, strict=True)
        )
        self._first += frames
        self._rewind()
        return self._block(_FRAMES, b"".join((head, *columns)))

    def end(self, frames: int) -> bytes:
        """What the file ends with, unless it was cut short."""
        return self._block(_END, struct.pack("<I", frames) + self._sha256.digest())

    def _block(self, kind: int, body: bytes) -> bytes:
        block = _HEAD.pack(kind, len(body)) + body
        block += _CHECKSUM.pack(zlib.crc32(block))
        self._sha256.update(block)
        return block

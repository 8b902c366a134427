"""Writes match logs as binary traces for the tests: `python traces.py FOLDER LOG...`.

A trace is little-endian: capacity, hit_when, 32 layer masks; the level's bytes and the number of
frames, then for each frame counted rows: commands (60 bytes), questions (a word 0 with a query of 48
bytes, or 1 with a cast of 64), events (16), for each question its answer (ids of 4 bytes, hits of
20); then the hash. A count is a word of 4 bytes."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

from msgspec.structs import astuple

from fixsync._native.checks import layer_masks
from fixsync.log.player import _question, _rows
from fixsync.log.reader import Reader
from fixsync.log.schema import Cast, Query


def counted(rows: bytes, size: int) -> bytes:
    """Rows of so many bytes, after their number."""
    return struct.pack("<I", len(rows) // size) + rows


def answer(found: Any, *, is_cast: bool) -> bytes:
    """The rows of C of an answer."""
    if not is_cast:
        return counted(struct.pack(f"<{len(found)}I", *found), 4)
    rows = (struct.pack("<II3i", *numbers(hit)) for hit in found)
    return counted(b"".join(rows), 20)


def numbers(row: Any) -> tuple[int, ...]:
    return row if isinstance(row, tuple) else astuple(row)


def trace(path: str) -> bytes:
    """A log as a trace."""
    with Reader(path) as log:
        header: Any = log.header
        frames: list[Any] = list(log)
    masks = layer_masks(header.layers)
    level = b"" if header.level is None else header.level.to_bytes()
    out = struct.pack("<II32I", header.capacity, header.hit_when, *masks)
    out += counted(level, 1) + struct.pack("<I", len(frames))
    for frame in frames:
        asked = [row for row in frame.commands if isinstance(row, Query | Cast)]
        commands = [row for row in frame.commands if not isinstance(row, Query | Cast)]
        out += counted(b"".join(map(_rows, commands)), 60)
        out += struct.pack("<I", len(asked))
        for row in asked:
            out += struct.pack("<I", isinstance(row, Cast)) + _question(row)
        events = (struct.pack("<4I", *numbers(event)) for event in frame.events)
        out += counted(b"".join(events), 16)
        for row, found in zip(asked, frame.queries, strict=True):
            out += answer(found, is_cast=isinstance(row, Cast))
        out += struct.pack("<Q", int(frame.hash, 16))
    return out


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        (folder / f"{Path(name).name.split('.')[0]}.trace").write_bytes(trace(name))


if __name__ == "__main__":
    main()

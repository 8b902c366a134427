"""What match logs cost in each of their forms: python bench/replay_speed.py LOG...

Each log is written as text and as compact log, both plain and with gzip, and read from there. The
columns are bytes, and milliseconds of processor time in one thread, the least of several runs:

    decode   what must be spent to know what the log says. Text: msgspec turns its lines, which lie
             decompressed in memory, into plain lists and ints. Compact: fixsync turns its blocks
             into the lines of the text.
    frames   reading the file to typed frames with every check, as `fixsync info` and other readers
    do replay   replaying the file, every check included /json    the last as a multiple of decoding
    the text with msgspec real     how many times faster than the match itself that is

The hash is that of the state after the last frame.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from fixsync.compact import Unpacker
from fixsync.convert import convert

from fixsync.log.files import Source
from fixsync.log.reader import Reader
from fixsync.log.replay import replay

RUNS = 9
FORMS = ("match.jsonl", "match.jsonl.gz", "match.fxlog", "match.fxlog.gz")


def contents(path: Path) -> bytes:
    """What a file holds, decompressed."""
    with Source(path) as source:
        return b"".join(source)


def decode_text(lines: list[bytes], decode: Callable[[bytes], Any]) -> None:
    for line in lines:
        decode(line)


def decode_compact(data: bytes, capacity: int) -> None:
    unpacker = Unpacker(iter([data]))
    unpacker.header()
    for block in unpacker.blocks(capacity, 0):
        for _ in block.texts():
            pass


def read(path: Path) -> None:
    with Reader(path) as reader:
        for _ in reader:
            pass


def least(run: Callable[[], Any]) -> float:
    """Milliseconds of processor time of the fastest of several runs."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times) * 1000


def rows(log: Path, folder: Path) -> Iterator[str]:
    for name in FORMS:
        convert(log, folder / name)
    with Reader(log) as reader:
        header = reader.header
    lines = contents(folder / FORMS[0]).split(b"\n")[:-1]
    json = least(lambda: decode_text(lines, msgspec.json.Decoder().decode))
    data = contents(folder / FORMS[2])
    unpack = least(lambda: decode_compact(data, header.capacity)) if header.sim is None else 0.0
    for name in FORMS:
        path = folder / name
        frames, whole = least(lambda: read(path)), least(lambda: replay(path))  # noqa: B023 - called at once
        result = replay(path)
        decode = json if "jsonl" in name else unpack
        label = f"{log.name.partition('.')[0]} {name.partition('.')[2]}"
        yield (
            f"{label:<26} {path.stat().st_size:9,} {result.frames:6} {decode:7.1f} {frames:7.1f} {whole:7.1f}"
            f" {whole / json:6.2f} {header.seconds(result.frames) * 1000 / whole:8,.0f}x  {result.hash}"
        )


if __name__ == "__main__":
    print(f"{'log':<26}     bytes frames  decode  frames  replay  /json      real  hash")
    for log in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            for row in rows(Path(log), Path(folder)):
                print(row, flush=True)

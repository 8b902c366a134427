"""How long replaying a match log takes beside what its JSON alone takes: python bench/replay_speed.py LOG...

Each row is the least of several runs in one thread, in milliseconds of processor time. "json": msgspec
turns the lines, which lie decompressed in memory, into plain lists and ints. "file": that and
decompressing them. "read": the reader with all its checks. "replay": everything. Then come replay as a
multiple of the first two and of real time, and the hash that it came to.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec

from fixsync.logfile import Source
from fixsync.matchlog import Reader
from fixsync.replay import replay

RUNS = 9


def text_of(path: str) -> bytes:
    with Source(path) as source:
        return b"".join(source)


def decode(lines: list[bytes], decoder: Any) -> None:
    for line in lines:
        decoder(line)


def least(run: Callable[[], Any]) -> float:
    """Milliseconds of processor time of the fastest of several runs."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times) * 1000


def read(path: str) -> None:
    with Reader(path) as reader:
        for _ in reader:
            pass


def row(path: str) -> str:
    lines = text_of(path).split(b"\n")[:-1]
    json = least(lambda: decode(lines, msgspec.json.Decoder().decode))
    file = json + least(lambda: text_of(path))
    reading = least(lambda: read(path))
    whole = least(lambda: replay(path))
    result = replay(path)
    with Reader(path) as reader:
        speed = reader.header.seconds(result.frames) * 1000 / whole
    return (
        f"{path.rpartition('/')[2]:<28} {result.frames:6} {json:7.1f} {file:7.1f} {reading:7.1f} {whole:7.1f}"
        f" {whole / json:6.2f} {whole / file:6.2f} {speed:8.0f}x  {result.hash}"
    )


if __name__ == "__main__":
    print(f"{'log':<28} frames    json    file    read  replay  /json  /file real time  hash")
    for path in sys.argv[1:]:
        print(row(path))

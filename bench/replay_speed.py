"""What replaying match logs costs: python bench/replay_speed.py LOG...

Each log is filled and gzipped first. The columns are milliseconds of processor time, the least of
several runs, in one thread:

    decode   decompressing it and decoding each line with msgspec, untyped: the yardstick
    read     reading it to typed frames, with every check
    replay   replaying it
    ratio    replay / decode
    filled   replaying it and writing it again, with gzip
    info     counting what is in it
    whatif   replaying it with id 1 smaller by 1 %, and comparing the hits
    ratio    whatif / replay: at most 1.3, of a log with a simulation 2.2
    all      the same as a ratio, with every size of every collider smaller by 1 %
    real     replay, as a multiple of real time
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from fixsync.log import Reader, info, replay
from fixsync.log.whatif import whatif

RUNS = 15
ONE, ALL = ([f"{who}.{size} -= 1%" for size in ("radius", "half_x")] for who in ("1", "layer *"))


def decode(path: Path) -> None:
    decoder = msgspec.json.Decoder()
    for line in gzip.decompress(path.read_bytes()).split(b"\n")[:-1]:
        decoder.decode(line)


def read(path: Path) -> None:
    with Reader(path) as reader:
        for _ in reader:
            pass


def least(runs: list[Callable[[], Any]]) -> list[float]:
    """The least milliseconds of each; they take turns, so that all meet the same machine."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(RUNS):
        for run, taken in zip(runs, times, strict=True):
            began = time.process_time()
            run()
            taken.append((time.process_time() - began) * 1000)
    return [min(taken) for taken in times]


def row(log: Path, folder: Path) -> str:
    path, again = folder / "filled.jsonl.gz", folder / "again.jsonl.gz"
    result = replay(log, output=path)
    if result.header is None or result.error is not None:
        raise SystemExit(str(result.error))
    decoded, reading, replaying, filling, counting, one, every = least(
        [
            lambda: decode(path),
            lambda: read(path),
            lambda: replay(path),
            lambda: replay(path, output=again),
            lambda: info(path),
            lambda: whatif(path, ONE),
            lambda: whatif(path, ALL),
        ]
    )
    real = result.header.seconds(result.frames) * 1000 / replaying
    return (
        f"{log.name:<26} {result.frames:6} {decoded:7.1f} {reading:7.1f} {replaying:7.1f}"
        f" {replaying / decoded:6.2f} {filling:7.1f} {counting:7.1f} {one:7.1f}"
        f" {one / replaying:6.2f} {every / replaying:5.2f} {real:8,.0f}x  {result.hash}"
    )


if __name__ == "__main__":
    columns = "frames  decode    read  replay  ratio  filled    info  whatif  ratio   all      real"
    print(f"{'log':<26} {columns}  hash")
    for log in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            print(row(Path(log), Path(folder)), flush=True)

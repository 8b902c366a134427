"""What verifying many logs costs: python bench/farm.py LOG... [--counts 10,1000] [--workers 1,2]

Each count is that many links to one of the logs, verified by `fixsync farm` into a new results
file. "wall": seconds of the command. "workers": processor time of verifying. "all": processor time
of all processes, their start included. Before that: `fixsync replay` for each log, --each times.
Processor times hardly change on a busy machine; wall times do."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fixsync.log.replay import replay

FIXSYNC = [sys.executable, "-c", "from fixsync.cli import main; main()"]


def children() -> float:
    """Processor time of the processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def linked(log: Path, count: int, folder: Path) -> None:
    """Makes `count` links to a log, a thousand in a folder with a copy, as links are limited."""
    suffix = "".join(log.suffixes)
    for number in range(count):
        path = folder / f"{number // 1000:04}" / f"{number:07}{suffix}"
        if number % 1000 == 0:
            path.parent.mkdir(parents=True)
            copy = path
            shutil.copyfile(log, copy)
        else:
            os.link(copy, path)


def farmed(folder: Path, workers: int, results: Path) -> str:
    began, used = time.perf_counter(), children()
    command = [*FIXSYNC, "farm", str(folder), "-r", str(results), "-j", str(workers), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    wall, used = time.perf_counter() - began, children() - used
    report = json.loads(done.stdout.split(b'"failed"')[0].rstrip(b" ,\n") + b"}")
    logs, frames = report["verified"], report["frames_verified"]
    size = results.stat().st_size
    return (
        f"{logs:>8} {workers:>7} {wall:>8.2f} {logs / wall:>8.0f} {frames / wall:>10.0f}"
        f" {report['cpu_seconds'] / logs * 1000:>10.3f} {used / logs * 1000:>8.3f} {size / logs:>10.0f}"
    )


def each(log: Path, count: int) -> str:
    began, used = time.perf_counter(), children()
    for _ in range(count):
        subprocess.run([*FIXSYNC, "replay", str(log)], stdout=subprocess.DEVNULL, check=False)
    wall, used = time.perf_counter() - began, children() - used
    return f"fixsync replay for each of {count}: {count / wall:.1f} logs/s, {used / count * 1000:.1f} ms a log"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--counts", default="10,1000")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--each", type=int, default=20)
    options = parser.parse_args()
    for log in options.logs:
        frames = replay(log).frames
        print(f"{log.name}: {frames} frames, {log.stat().st_size} bytes")
        print(each(log, options.each))
        print(
            f"{'logs':>8} {'workers':>7} {'wall s':>8} {'logs/s':>8} {'frames/s':>10} {'workers ms':>10}"
            f" {'all ms':>8} {'results B':>10}"
        )
        for count in map(int, options.counts.split(",")):
            for workers in map(int, options.workers.split(",")):
                folder = Path(tempfile.mkdtemp(prefix="fixsync-bench-", dir=log.parent))
                try:
                    linked(log, count, folder / "logs")
                    print(farmed(folder / "logs", workers, folder / "farm.sqlite"), flush=True)
                finally:
                    shutil.rmtree(folder)


if __name__ == "__main__":
    main()

"""A run of the farm: logs are found, verified and stored."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fixsync.farm.engines import Batch, Engine
from fixsync.farm.find import Found
from fixsync.farm.sandbox import Settings
from fixsync.farm.store import Store, Todo
from fixsync.farm.verdicts import exit_code

__all__ = ["Count", "Progress", "Summary", "batches", "cores", "farm"]

BATCH_BYTES = 1 << 20
"""A batch is full at this size, so a larger log is a batch by itself."""
BATCH_LOGS_MAX = 256
LOG_BYTES = 4096
"""Added to the bytes of each log in the size of a batch and in the estimate of time left."""


@dataclass
class Progress:
    """The progress of a run."""

    logs: int
    """Logs to verify."""
    bytes: int
    """Their bytes, and LOG_BYTES for each."""
    known: int
    """Logs whose verdict an earlier run has stored."""
    done_logs: int = 0
    done_bytes: int = 0
    frames: int = 0
    cpu_seconds: float = 0.0
    """Of the workers."""
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def remaining_seconds(self) -> float | None:
        """Estimated by bytes; None before the first log is done."""
        left = self.bytes - self.done_bytes
        return self.seconds * left / self.done_bytes if self.done_bytes else None


@dataclass
class Count:
    """The logs with a verdict."""

    logs: int = 0
    frames: int = 0


@dataclass
class Summary:
    """The result of a run. The results file has the details of each log."""

    counts: dict[str, Count]
    """All logs of the run by verdict, those known from earlier runs included."""
    progress: Progress
    """Of this run."""
    seconds: float

    @property
    def logs(self) -> int:
        return sum(count.logs for count in self.counts.values())

    @property
    def exit_code(self) -> int:
        return exit_code(self.counts)


def farm(
    found: Iterable[Found],
    store: Store,
    engine: Engine,
    settings: Settings,
    *,
    sources: Sequence[str] = (),
    again: bool = False,
    retry: bool = False,
    show: Callable[[Progress], None] | None = None,
) -> Summary:
    """Verifies the logs that are found and not known yet. Each verdict is stored as it comes.

    `again`, `retry`: as for `Store.plan`. `show` is called when there is progress. After any error
    the verdicts so far stay, and the next run goes on."""
    identity = engine.identity()
    options = {name: getattr(settings, name) for name in ("sims", "digest")}
    store.begin(identity, options, engine.name, engine.workers, sources, found)
    count, size, known = store.plan(again=again, retry=retry)
    progress = Progress(count, size + count * LOG_BYTES, known)
    if show is not None:
        show(progress)
    for done in engine.verify(batches(store.todo(), count, engine.workers)):
        store.write(done)
        for todo, outcome in done:
            progress.done_logs += 1
            progress.done_bytes += todo.size + LOG_BYTES
            progress.frames += outcome.frames
            progress.cpu_seconds += outcome.cpu_seconds
        if show is not None:
            show(progress)
    seconds = progress.seconds
    store.end(seconds)
    counts = {verdict: Count(logs, frames) for verdict, logs, frames in store.counts()}
    return Summary(counts, progress, seconds)


def batches(todo: Iterator[Todo], count: int, workers: int) -> Iterator[Batch]:
    """Groups logs into batches, small enough that all workers end at about the same time."""
    left = count
    batch: Batch = []
    size = 0
    for one in todo:
        batch.append(one)
        size += one.size + LOG_BYTES
        if size >= BATCH_BYTES or len(batch) >= min(BATCH_LOGS_MAX, max(1, left // (4 * workers))):
            left -= len(batch)
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

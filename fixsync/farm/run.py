"""A run of the farm: logs found, verified and told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fixsync.farm.engines import Batch, Engine
from fixsync.farm.find import Found
from fixsync.farm.sandbox import Identity, Settings
from fixsync.farm.store import Store, Todo
from fixsync.farm.verdicts import exit_code

__all__ = ["Count", "Progress", "Summary", "batches", "farm", "summary"]

BATCH_BYTES = 1 << 20
"""A batch has logs until they are of this size together: a log that is as large is a batch by
itself.
"""
BATCH_LOGS_MAX = 256
LOG_BYTES = 4096
"""What a log counts for besides its bytes, in batches and in the time that remains."""


@dataclass
class Progress:
    """How far a run is."""

    logs: int
    """How many are to be verified."""
    bytes: int
    """The bytes of them, and LOG_BYTES for each."""
    known: int
    """Logs whose verdict was known from a run before."""
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
        """Reckoned by bytes; None as long as nothing is done."""
        left = self.bytes - self.done_bytes
        return self.seconds * left / self.done_bytes if self.done_bytes else None


@dataclass
class Count:
    """How many logs have a verdict."""

    logs: int = 0
    frames: int = 0


@dataclass
class Summary:
    """What a run came to. Of each log the results file tells more."""

    counts: dict[str, Count]
    """By verdict, with all logs of the run, those known from before included."""
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

    `again`, `retry`: as of `Store.plan`. `show` is called when there is something new. Whatever is
    raised, verdicts so far are kept, and the next run goes on."""
    identity = engine.identity()
    _begin(store, identity, settings, engine, sources, found)
    count, size, known = store.plan(again=again, retry=retry)
    progress = Progress(count, size + count * LOG_BYTES, known)
    if show is not None:
        show(progress)
    sizes: dict[int, int] = {}

    def handed_out() -> Iterator[Batch]:
        for batch in batches(store.todo(), count, engine.workers):
            sizes.update((todo.log, todo.size) for todo in batch)
            yield batch

    for done in engine.verify(handed_out()):
        store.write(done)
        for log, outcome in done:
            progress.done_logs += 1
            progress.done_bytes += sizes.pop(log) + LOG_BYTES
            progress.frames += outcome.frames
            progress.cpu_seconds += outcome.cpu_seconds
        if show is not None:
            show(progress)
    seconds = progress.seconds
    store.end(seconds)
    return summary(store, progress, seconds)


def _begin(
    store: Store,
    identity: Identity,
    settings: Settings,
    engine: Engine,
    sources: Sequence[str],
    found: Iterable[Found],
) -> None:
    """Starts a run in the store with the logs that are found; if they are not to be found, there is
    none.
    """
    options: dict[str, Any] = {"sims": list(settings.sims), "digest": settings.digest}
    store.begin(identity, options, engine.name, engine.workers, sources)
    try:
        store.found(found)
    except BaseException:
        store.abandon()
        raise


def batches(todo: Iterator[Todo], count: int, workers: int) -> Iterator[Batch]:
    """Logs in batches: so small that workers end at about the same time, and no smaller than
    pays.
    """
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


def summary(store: Store, progress: Progress, seconds: float) -> Summary:
    """What the store tells of the latest run."""
    counts = {
        verdict: Count(logs, frames) for verdict, logs, frames, _ in store.counts() if verdict
    }
    return Summary(counts, progress, seconds)


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

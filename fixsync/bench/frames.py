"""What a scene's frames cost: moves in, a step, events out, driven from Python in bulk."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time_ns

from fixsync.bench import others
from fixsync.bench.check import FRAMES, golden
from fixsync.bench.scenes import scene

__all__ = ["Row", "rows"]


@dataclass
class Row:
    """One library in one scene. Times are nanoseconds of processor time of a whole frame."""

    scene: str
    count: int
    library: str
    least: int
    median: int
    pairs: int
    """That overlap after the last frame."""
    reported: int
    """Pairs told in the last frame."""
    hash: str | None = None
    """Of the final state: fixsync's only."""
    is_pinned: bool | None = None
    """Whether the hash is the pinned one; None if none is pinned."""

    @property
    def each(self) -> float:
        """Nanoseconds a collider."""
        return self.least / self.count

    @property
    def each_told(self) -> float:
        """Nanoseconds a collider and reported pair."""
        return self.least / (self.count + self.reported)


def rows(name: str, count: int, *, with_others: bool, log: Callable[[str], None]) -> Iterator[Row]:
    """The rows of a scene: fixsync's first, then those of what else is installed, taken in
    turns.
    """
    log(f"{name}, {count}: making the scene")
    made = scene(name, count)
    moves = [made.poses(frame) for frame in range(1, FRAMES + 1)]
    drivers: list[others.Driver] = [_Fixsync(made)]
    if with_others:
        drivers += others.drivers(made)
    passes = max(1, min(20, 100_000 // count))
    times: list[list[int]] = [[] for _ in drivers]
    for turn in range(passes):
        for driver, taken in zip(drivers, times, strict=True):
            log(f"{name}, {count}: {driver.library}, {turn + 1}/{passes}")
            taken += _frames(driver, moves)
    for driver, taken in zip(drivers, times, strict=True):
        row = Row(
            name,
            count,
            driver.library,
            min(taken),
            int(median(taken)),
            driver.pairs(),
            driver.reported,
        )
        if isinstance(driver, _Fixsync):
            row.hash = driver.hash()
            pinned = golden().get(name, {}).get(str(count))
            row.is_pinned = None if pinned is None else pinned == row.hash
        yield row


def _frames(driver: others.Driver, moves: Sequence[array[int]]) -> list[int]:
    """The times of the frames from the third on: the first finds everything new, the second has the
    memory for it made."""
    driver.begin()
    times = []
    for poses in moves:
        made = driver.prepared(poses)
        began = process_time_ns()
        driver.frame(made)
        times.append(process_time_ns() - began)
    return times[2:]


class _Fixsync(others.Driver):
    library = "fixsync"

    def begin(self) -> None:
        self._world, self._ids = self.scene.world(), self.scene.ids()

    def frame(self, poses: array[int]) -> None:
        self._world.set_pose_many(self._ids, poses)
        self.reported = len(self._world.step().buffer) // 4

    def pairs(self) -> int:
        return len(self._world.hits())

    def hash(self) -> str:
        return f"{self._world.hash():016x}"

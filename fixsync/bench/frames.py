"""The cost of a scene's frames: poses in, a step, events out, driven from Python in bulk."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from time import process_time_ns
from typing import Any

from fixsync.bench.scenes import Scene, scene

FRAMES = 8
"""Steps after which a scene's state is hashed."""

PINNED_COUNTS = (2, 8, 16, 32, 100, 1_000, 10_000, 100_000)
"""Numbers of colliders for which golden.json has the hashes of the scenes."""


def golden() -> dict[str, dict[str, str]]:
    """The pinned hashes: of each scene, by its number of colliders."""
    hashes: dict[str, dict[str, str]] = json.loads(
        files("fixsync.bench").joinpath("golden.json").read_text(encoding="ascii")
    )
    return hashes


def final_hash(what: Scene) -> str:
    """The state's hash after FRAMES frames."""
    world, ids = what.world(), what.ids()
    for frame in range(1, FRAMES + 1):
        world.set_pose_many(ids, what.poses(frame))
        world.step()
    return f"{world.hash():016x}"


@dataclass
class Row:
    """One library in one scene. Times are nanoseconds of processor time of a whole frame: the
    least, the mean and the worst of all."""

    scene: str
    count: int
    library: str
    least: int
    mean: int
    worst: int
    pairs: int
    """Overlapping pairs after the last frame."""
    reported: int
    """Pairs reported in the last frame."""
    hash: str = ""
    """Of the final state, for fixsync only."""
    is_pinned: bool | None = None
    """Whether the hash is the pinned one; None if none is pinned."""


class Driver(ABC):
    """A library that runs a scene's frames."""

    library: str
    reported = 0

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    @abstractmethod
    def begin(self) -> None:
        """Makes the scene anew, at frame 0."""

    def prepared(self, poses: array[int]) -> Any:
        """The poses of a frame in the library's form, not timed."""
        return poses

    @abstractmethod
    def frame(self, poses: Any) -> None:
        """Moves everything, finds the pairs and reads the events; sets `reported`."""

    @abstractmethod
    def pairs(self) -> int:
        """The number of pairs that overlapped in the last frame."""


class _Fixsync(Driver):
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


def rows(
    name: str, count: int, others: Callable[[Scene], list[Driver]] | None = None
) -> Iterator[Row]:
    """The row of fixsync in a scene, then those of the other libraries, which run in turns."""
    made = scene(name, count)
    moves = [made.poses(frame) for frame in range(1, FRAMES + 1)]
    ours = _Fixsync(made)
    drivers = [ours, *(others(made) if others else ())]
    times: list[list[int]] = [[] for _ in drivers]
    for _ in range(max(1, min(10, 50_000 // count))):
        for driver, taken in zip(drivers, times, strict=True):
            taken += _frames(driver, moves)
    for driver, taken in zip(drivers, times, strict=True):
        row = Row(
            name,
            count,
            driver.library,
            min(taken),
            sum(taken) // len(taken),
            max(taken),
            driver.pairs(),
            driver.reported,
        )
        if driver is ours:
            row.hash = ours.hash()
            pinned = golden().get(name, {}).get(str(count))
            row.is_pinned = None if pinned is None else pinned == row.hash
        yield row


def _frames(driver: Driver, moves: Sequence[array[int]]) -> list[int]:
    """The times of the frames from the third on: the first two find new pairs and make memory."""
    driver.begin()
    times = []
    for poses in moves:
        made = driver.prepared(poses)
        began = process_time_ns()
        driver.frame(made)
        times.append(process_time_ns() - began)
    return times[2:]

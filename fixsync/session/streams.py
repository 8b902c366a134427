"""The inputs of one seat, frame after frame without a gap."""

from __future__ import annotations

from collections.abc import Sequence

from fixsync.sim import Input


class Stream:
    """Inputs of the frames from `first` to `next` - 1. Earlier ones were dropped."""

    __slots__ = ("_values", "first", "last", "next")

    def __init__(self, first: int, idle: Input) -> None:
        self.first = first
        self.next = first
        self.last = idle
        """The newest input, which is also the guess for the frames after it."""
        self._values: dict[int, Input] = {}

    def push(self, value: Input) -> None:
        self._values[self.next] = self.last = value
        self.next += 1

    def __getitem__(self, frame: int) -> Input:
        """The input of a frame. KeyError if it is not held."""
        return self._values[frame]

    def __len__(self) -> int:
        return len(self._values)

    def guess(self, frame: int) -> Input:
        """The input of a frame, or a guess if it has not come."""
        return self._values[frame] if frame < self.next else self.last

    def conflict(self, first: int, values: Sequence[Input]) -> int | None:
        """The first frame whose held input is not the one among these values."""
        for frame in range(max(first, self.first), min(first + len(values), self.next)):
            if self._values[frame] != values[frame - first]:
                return frame
        return None

    def take(self, first: int, values: Sequence[Input], frames: range) -> None:
        """Appends the values that follow without a gap, of those frames only."""
        if first <= self.next and frames.start <= self.next:
            for value in values[self.next - first : max(0, frames.stop - first)]:
                self.push(value)

    def let_go(self, floor: int) -> None:
        """Forgets the inputs before a frame."""
        while self.first < min(floor, self.next):
            del self._values[self.first]
            self.first += 1

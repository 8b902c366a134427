"""The inputs of one seat, frame after frame without a gap."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from fixsync.match.sim import Input

_encoded = msgspec.msgpack.Encoder().encode
_REPEATED = b"\xc0"  # nil


class Stream:
    """Inputs of the frames from `first` to `next` - 1. Earlier ones were dropped; of later ones
    those wait that came before an earlier one."""

    __slots__ = ("_early", "_packed", "_packed_next", "_values", "delays", "first", "last", "next")

    def __init__(self, first: int, idle: Input) -> None:
        self.first = first
        self.next = first
        self.last = idle
        """The newest input."""
        self.delays: dict[int, int] = {}
        """By frame, the input delay from it on, where that changes."""
        self._values: dict[int, Input] = {}
        self._early: dict[int, Input] = {}
        self._packed: dict[int, tuple[bytes, bytes]] = {}
        self._packed_next = first

    def push(self, value: Input) -> None:
        self._values[self.next] = self.last = value
        self.next += 1

    def __getitem__(self, frame: int) -> Input:
        """The input of a frame. KeyError if it is not held."""
        return self._values[frame]

    def __len__(self) -> int:
        return len(self._values) + len(self._early)

    def conflict(self, first: int, values: Sequence[Input]) -> int | None:
        """The first frame whose held input is not the one among these values."""
        for frame in range(max(first, self.first), min(first + len(values), self.next)):
            if self._values[frame] != values[frame - first]:
                return frame
        return None

    def take(self, first: int, values: list[Input], delays: dict[int, int], frames: range) -> None:
        """Takes values of those frames only. A value after a gap waits for those before it."""
        end = min(first + len(values), frames.stop)
        for frame, delay in delays.items():
            if max(self.next, frames.start) <= frame < end and frame not in self._early:
                self.delays[frame] = delay
        for frame in range(max(first, self.next, frames.start), end):
            if frame == self.next:
                self.push(values[frame - first])
            else:
                self._early.setdefault(frame, values[frame - first])
        if self._early:
            while self.next in self._early:
                self.push(self._early[self.next])
            for frame in [frame for frame in self._early if frame < self.next]:
                del self._early[frame]

    def forget_early(self) -> None:
        """Forgets the values that wait: they may be of a life that is over."""
        self._early.clear()
        self.delays = {frame: delay for frame, delay in self.delays.items() if frame < self.next}

    def packed(self, last: int) -> dict[int, tuple[bytes, bytes]]:
        """By frame before `last`, its input as a run has it: whole, and as a change of the one
        before it."""
        while self._packed_next < last:
            frame = self._packed_next
            value, old = self._values[frame], self._values.get(frame - 1)
            whole = change = _encoded(value)
            if frame in self.delays:
                whole = change = _encoded(bytes((self.delays[frame],)) + whole)
            elif value == old:
                change = _REPEATED
            elif isinstance(value, tuple) and isinstance(old, tuple) and len(value) == len(old):
                pairs = enumerate(zip(value, old, strict=True))
                changes = _encoded({at: new for at, (new, was) in pairs if new != was})
                change = min(whole, changes, key=len)
            self._packed[frame] = whole, change
            self._packed_next += 1
        return self._packed

    def let_go(self, floor: int) -> None:
        """Forgets the inputs before a frame."""
        for frame in range(self.first, min(floor, self.next)):
            del self._values[frame]
            self._packed.pop(frame, None)
            self.delays.pop(frame, None)
            self.first = frame + 1
        self._packed_next = max(self._packed_next, self.first)

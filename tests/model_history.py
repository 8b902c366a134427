"""What a game hears under rollback, in plain Python: the oracle of the contract's section 10.

Written from the contract alone; it imports nothing of fixsync. Frames are counted from 0, without
an end, and rows are any values that can be compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Rows = list[Any]


def taken_out(rows: Rows, of: Rows) -> Rows:
    """The rows of `of` that have no equal row in `rows`; of equal ones the first ones have."""
    left = list(of)
    for row in rows:
        if row in left:
            left.remove(row)
    return left


@dataclass
class Frame:
    before: Rows
    after: Rows
    events: Rows
    hash: int


@dataclass
class ModelHistory:
    head: int = 0
    first: int = 0
    final: int = 0
    """How many frames are final."""
    stands: dict[int, Rows] = field(default_factory=dict)
    frames: dict[int, Frame] = field(default_factory=dict)

    def push(self, frame: Frame, is_final: bool) -> tuple[Rows, Rows]:
        """What is taken back, and what is predicted."""
        reported = self.stands.get(self.head, [])
        taken_back = taken_out(frame.events, reported)
        predicted = [] if is_final else taken_out(reported, frame.events)
        self.stands[self.head] = frame.events
        self.frames[self.head] = frame
        if is_final:
            assert self.final == self.head
            self.final += 1
        self.head += 1
        return taken_back, predicted

    def back(self, frame: int) -> None:
        assert self.final <= frame <= self.head
        self.head = frame

    def settle(self, frame: int) -> None:
        assert self.final <= frame <= self.head
        self.final = frame

    def confirm(self) -> tuple[int, Rows, Rows, int] | None:
        """Frame, commands, events and hash."""
        number = self.first
        if number == self.final:
            return None
        self.first += 1
        frame = self.frames[number]
        early = self.frames[number - 1].after if number else []
        return number, early + frame.before, frame.events, frame.hash


class ModelInputs:
    """Inputs by (player, frame), known and given."""

    def __init__(self, players: int) -> None:
        self.players = range(players)
        self.known: dict[tuple[int, int], int] = {}
        self.given: dict[tuple[int, int], int] = {}
        self.taken = 0

    def put(self, player: int, frame: int, value: int) -> bool:
        """Whether it does not contradict one that is known."""
        return self.known.setdefault((player, frame), value) == value

    def take(self, frame: int) -> list[int]:
        if frame < self.oldest():
            return [self.known[player, frame] for player in self.players]
        values = []
        for player in self.players:
            known = [f for f in range(frame + 1) if (player, f) in self.known]
            values.append(self.known[player, known[-1]] if known else 0)
            self.given[player, frame] = values[-1]
        self.taken = frame + 1
        return values

    def redo(self) -> int:
        for frame in range(self.taken):
            for player in self.players:
                given = self.given[player, frame]
                if self.known.get((player, frame), given) != given:
                    return frame
        return self.taken

    def confirmed(self) -> int:
        frame = 0
        while all((player, frame) in self.known for player in self.players):
            frame += 1
        return frame

    def oldest(self) -> int:
        return min(self.confirmed(), self.redo())

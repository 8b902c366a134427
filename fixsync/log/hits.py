"""The hits of two runs of a match, as spans of frames, and how they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from fixsync.log.pair import Party
from fixsync.log.schema import Event
from fixsync.log.spans import Span, numbered, united
from fixsync.world.level import LEVEL
from fixsync.world.shapes import EventKind

__all__ = [
    "CHANGES",
    "HitRow",
    "Totals",
    "TwoHits",
    "rows_of",
    "summed",
    "totals_by_id",
    "totals_of",
]

Ids: TypeAlias = tuple[int, int]

CHANGES = ("gained", "lost", "longer", "shorter", "moved")
"""How a hit differs: in the second run alone, in the first alone, in more frames, in fewer, or in
some other frames."""
_ENTER, _STAY = int(EventKind.ENTER), int(EventKind.STAY)


class HitRow(Struct):
    """A hit of a pair that is not the same in both runs. Frames as the log numbers them."""

    frame: int
    """The first frame in which the runs differ."""
    change: str
    """Of CHANGES."""
    a: Party
    b: Party
    first: list[Span]
    """Its frames in the first run."""
    second: list[Span]
    link: str
    """The part of a link to a page of `fixsync view` that opens it there."""


class Totals(Struct):
    """How many hits there are, and how many differ."""

    hits: tuple[int, int] = (0, 0)
    """Of the first run and of the second: from an ENTER to the last frame before its EXIT."""
    frames: tuple[int, int] = (0, 0)
    """The sum of their frames."""
    gained: int = 0
    lost: int = 0
    longer: int = 0
    shorter: int = 0
    moved: int = 0


class TwoHits:
    """The hits of two runs, frame by frame, counted from the first. A hit that is there in the first
    frame begins in it."""

    def __init__(self) -> None:
        self.frames = 0
        self.hits = [0, 0]
        """How many hits began in each run."""
        self.hit_frames = [0, 0]
        """The sum of the frames of each run's hits."""
        self.differing: set[Ids] = set()
        """The pairs whose hits differ."""
        self._changes: list[tuple[int, Sequence[Event], Sequence[Event]]] = []
        """Of frames with an ENTER or an EXIT these events, of both runs."""

    def take(self, first: Sequence[Event], second: Sequence[Event]) -> None:
        """Takes the events of the next frame."""
        frame, self.frames = self.frames, self.frames + 1
        if frame == 0:
            first, second = _begun(first), _begun(second)
        changes, others = self._counted(0, first), self._counted(1, second)
        if changes or others:
            self._changes.append((frame, changes, others))
            differing = {event[:3] for event in changes} ^ {event[:3] for event in others}
            self.differing |= {event[:2] for event in differing}

    def _counted(self, run: int, events: Sequence[Event]) -> list[Event]:
        """The events of a run that are not STAY."""
        changes = [event for event in events if event[2] != _STAY]
        enters = sum([event[2] == _ENTER for event in changes])
        self.hits[run] += enters
        self.hit_frames[run] += len(events) - len(changes) + enters
        return changes

    def spans(self, run: int) -> dict[Ids, list[Span]]:
        """The hits of a run, of pairs that differ."""
        found: dict[Ids, list[Span]] = {}
        open: dict[Ids, int] = {}
        wanted = self.differing

        def close(pair: Ids, last: int) -> None:
            first = open.pop(pair, last + 1)
            if first <= last:
                found.setdefault(pair, []).append((first, last))

        for frame, *changes in self._changes if wanted else ():
            for a, b, kind, _ in changes[run]:
                if (a, b) in wanted:
                    close((a, b), frame - 1)
                    if kind == _ENTER:
                        open[a, b] = frame
        for pair in list(open):
            close(pair, self.frames - 1)
        return found

    def totals(self, ids: Iterable[int]) -> dict[int, Totals]:
        """The hits of colliders in both runs."""
        hits, frames = ({id: [0, 0] for id in ids} for _ in range(2))
        for frame, *changes in self._changes if hits else ():
            rest = self.frames - frame  # an EXIT takes back what its ENTER counted too much
            for run in (0, 1):
                for event in changes[run]:
                    for id in event[:2]:
                        if id in hits:
                            is_enter = event[2] == _ENTER
                            hits[id][run] += is_enter
                            frames[id][run] += rest if is_enter else -rest
        return {id: Totals(_two(hits[id]), _two(frames[id])) for id in hits}


def _begun(events: Iterable[Event]) -> list[Event]:
    """The events of a first frame, in which every hit begins."""
    return [(a, b, _ENTER, contact) for a, b, kind, contact in events if kind in (_ENTER, _STAY)]


def rows_of(two: TwoHits, names: Mapping[int, str], first_frame: int) -> list[HitRow]:
    """The hits that differ, by the first frame that does, then by the ids."""
    first, second = (two.spans(run) for run in (0, 1))
    found = []
    for pair in sorted(first.keys() | second.keys()):
        sides = first.get(pair, []), second.get(pair, [])
        if sides[0] != sides[1]:
            found += [(_since(*parts), pair, parts) for parts in _parts(*sides)]
    a_and_b = {id: Party(id, names.get(id)) for _, pair, _ in found for id in pair}
    return [
        _row(at, a_and_b[pair[0]], a_and_b[pair[1]], parts, first_frame)
        for at, pair, parts in sorted(found)
    ]


def _parts(first: list[Span], second: list[Span]) -> Iterator[tuple[list[Span], list[Span]]]:
    """The spans of both runs in groups that overlap or follow each other at once; of those groups
    the ones that differ."""
    rest = sorted([(span, 0) for span in first] + [(span, 1) for span in second])
    group: tuple[list[Span], list[Span]] = ([], [])
    end = -2
    for span, side in rest:
        if span[0] > end + 1:
            if group[0] != group[1]:
                yield group
            group = ([], [])
        group[side].append(span)
        end = max(end, span[1])
    if group[0] != group[1]:
        yield group


def _has(spans: Iterable[Span], frame: int) -> bool:
    return any(first <= frame <= last for first, last in spans)


def _is_part(spans: Iterable[Span], of: list[Span]) -> bool:
    return all(any(a <= first and last <= b for a, b in of) for first, last in spans)


def _since(first: list[Span], second: list[Span]) -> int:
    """The first frame that is in one of them alone, or in which a hit begins again."""
    bounds = {frame for a, b in (*first, *second) for frame in (a, b + 1)}
    differing = (frame for frame in bounds if _has(first, frame) != _has(second, frame))
    return min(differing, default=max(first[0][0], second[0][0]) if first and second else 0)


def _row(at: int, a: Party, b: Party, parts: tuple[list[Span], list[Span]], begin: int) -> HitRow:
    first, second = map(united, parts)
    is_longer, is_shorter = _is_part(first, second), _is_part(second, first)
    if not first or not second:
        change = "lost" if first else "gained"
    elif is_longer == is_shorter:
        change = "moved"
    else:
        change = "longer" if is_longer else "shorter"
    ((frame, _),) = numbered([(at, at)], begin)
    spans = numbered(parts[0], begin), numbered(parts[1], begin)
    # A page selects a collider first, and explains it with the other.
    one, other = (b.id, a.id) if a.id >= LEVEL else (a.id, b.id)
    return HitRow(frame, change, a, b, *spans, f"#frame={frame}&id={one}&why={other}")


def totals_of(two: TwoHits, rows: Iterable[HitRow]) -> Totals:
    """The totals of two runs, whose rows these are."""
    return _counted(Totals(_two(two.hits), _two(two.hit_frames)), rows)


def summed(all: Iterable[Totals]) -> Totals:
    """The sum of totals."""
    found = Totals()
    for one in all:
        found.hits = found.hits[0] + one.hits[0], found.hits[1] + one.hits[1]
        found.frames = found.frames[0] + one.frames[0], found.frames[1] + one.frames[1]
        for change in CHANGES:
            setattr(found, change, getattr(found, change) + getattr(one, change))
    return found


def totals_by_id(two: TwoHits, rows: Mapping[int, Iterable[HitRow]]) -> dict[int, Totals]:
    """The totals of some colliders, each with its rows."""
    return {id: _counted(found, rows[id]) for id, found in two.totals(rows).items()}


def _two(values: Sequence[int]) -> tuple[int, int]:
    return values[0], values[1]


def _counted(found: Totals, rows: Iterable[HitRow]) -> Totals:
    for row in rows:
        setattr(found, row.change, getattr(found, row.change) + 1)
    return found

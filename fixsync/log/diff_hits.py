"""All frames in which the hits of two match logs, or of two versions of a game, differ."""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import Struct

from fixsync.log.hits import HitRow, Ids, Totals, TwoHits, rows_of, totals_of
from fixsync.log.reader import Reader
from fixsync.log.runs import Run, Simulations, walk
from fixsync.log.schema import Event
from fixsync.log.spans import Span, add_frame, all_frames, numbered
from fixsync.match import sim
from fixsync.world.shapes import EventKind

__all__ = ["HitsDiff", "diff_hits"]

_ENTER, _STAY, _EXIT = map(int, (EventKind.ENTER, EventKind.STAY, EventKind.EXIT))


class HitsDiff(Struct, kw_only=True):
    """How the hits of two logs differ."""

    a: str
    b: str
    frames: Span | None
    """The frames that both have; None without any."""
    differing: list[Span]
    """The frames in which their hits differ."""
    rows: list[HitRow]
    """The hits that differ: first those of A, second those of B."""
    totals: Totals
    notes: list[str]


def diff_hits(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    simulations: Simulations | None = None,
    builds: tuple[sim.SimulationType, sim.SimulationType] | None = None,
) -> HitsDiff:
    """Compares the hits of all frames that two logs have. Hits are those of a log's events, or
    computed where it has none. builds: simulations that play the inputs of A and of B; all hits are
    then computed.

    MatchLogError for a log that is not valid, or has no events and a simulation that is not known;
    ValueError for builds and a log that is a trace; OSError for one that cannot be read."""
    with (
        Reader(a) as reader_a,
        Reader(b) as reader_b,
    ):
        own = builds or (None, None)
        runs = (
            Run(reader_a, simulations, player=own[0]),
            Run(reader_b, simulations, player=own[1]),
        )
        first = max(run.reader.header.first_frame for run in runs)
        two, differing = TwoHits(), list[Span]()
        before: list[set[Ids]] = [set(), set()]
        for _, pair in walk(runs):
            if None in pair:
                continue  # an error there is found too
            events = [run.events for run in runs]
            hits = [{event[:2] for event in side if event[2] != _EXIT} for side in events]
            if hits[0] != hits[1]:
                add_frame(differing, two.frames)
            two.take(*map(_events_of, before, hits, events))
            before = hits
        names = {**reader_b.header.names.ids, **reader_a.header.names.ids}
        rows = rows_of(two, names, first)
        return HitsDiff(
            a=os.fspath(a),
            b=os.fspath(b),
            frames=all_frames(first, two.frames),
            differing=numbered(differing, first),
            rows=rows,
            totals=totals_of(two, rows),
            notes=[*_notes((reader_a, reader_b), first)],
        )


def _events_of(before: set[Ids], hits: set[Ids], events: list[Event]) -> list[Event]:
    """Events of a frame that follow from the hits before it, whatever a log says."""
    entered = {event[:2] for event in events if event[2] == _ENTER}
    begun = hits - before | entered
    return [
        *((a, b, _EXIT, 0) for a, b in sorted(before - hits | before & entered)),
        *((a, b, _ENTER if (a, b) in begun else _STAY, 0) for a, b in sorted(hits)),
    ]


def _notes(readers: tuple[Reader, Reader], first: int) -> Iterator[str]:
    """Frames that are not compared."""
    counts = [reader.frames - (first - reader.header.first_frame) for reader in readers]
    for reader, count in zip(readers, counts, strict=True):
        before, after = reader.frames - count, count - min(counts)
        if before > 0 or after > 0:
            yield f"not compared: frames only in {reader.name} (frames: {max(0, before) + after})"
        if reader.cut:
            yield f"{reader.name} was cut short after {reader.frames} frames: {reader.cut}"

"""Plays the inputs of a recorded match with another simulation, and finds the first differences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import UNSET

from fixsync.base.fields import SIZES, Difference, differences
from fixsync.base.strict_json import LineError
from fixsync.log.attacks import Lives
from fixsync.log.hits import HitRow, TwoHits, rows_of, totals_of
from fixsync.log.origin import others_text
from fixsync.log.reader import Reader
from fixsync.log.runs import Run, walk
from fixsync.log.spans import all_frames
from fixsync.log.watch import Start
from fixsync.log.whatif import MatchDifference, OtherMatch, WhatIf, by_attack
from fixsync.match import sim
from fixsync.match.builds import origin

__all__ = ["rematch"]

_SHAPE = frozenset({"kind", "half_angle", "ox", "oy", "oz", "size"}.union(*SIZES.values()))
"""Fields of a collider that are its shape and its offset."""
_PART = frozenset({"active", "is there"})
_OF_HITS = ("hit", "changed")


class _Both:
    """The recorded match and the other one, frame by frame."""

    def __init__(self, old: Run, new: Run, layers: Iterable[str]) -> None:
        self.old, self.new = old, new
        self.two = TwoHits()
        self.ways: dict[str, MatchDifference] = {}
        self.lives = Lives(layers)
        self.stray: int | None = None
        """The first frame in which the recorded simulation gives other events than the log."""
        self.names: Mapping[int, str] = dict(old.reader.header.names.ids)
        self.has_game = old.is_computed
        """Whether the recorded events of the game are known."""

    def take(self, number: int, recorded: Any, found: Any) -> None:
        """Takes a frame of both."""
        new: Any = self.new.player
        if self.two.frames == 0:
            own = sim.names_of(new.simulation)
            start = Start.of(self.old.reader.header, new.world, own)
            self.names = start.names
            self.lives.begin(start)
        in_log = self.old.recorded.events
        if self.stray is None and in_log is not UNSET and in_log != recorded.events:
            self.stray = number
        if recorded.events is UNSET:
            raise LineError("events", "the log has none, and its simulation is not known here")
        self.two.take(recorded.events, found.events)
        if recorded.game is not UNSET:
            self.has_game = True
            if recorded.game != new.game:
                texts = _game(recorded.game), _game(new.game)
                self._note("game", number, "recorded {}, now {}".format(*texts))
        self.lives.look(new.world)
        is_open = not {"part", "state"} <= self.ways.keys()
        if self.old.is_computed and is_open and self.old.saved != self.new.saved:
            self._compare(number)

    def _note(self, what: str, frame: int, text: str) -> None:
        self.ways.setdefault(what, MatchDifference(what, frame, text))

    def _compare(self, frame: int) -> None:
        """The first part that is on in one of them alone, and the first state beyond shapes."""
        for found in differences(self.old.fields(), self.new.fields()):
            what = _what(found)
            if what:
                self._note(what, frame, found.text(self.names))

    def result(self, cut: str) -> WhatIf:
        header = self.old.reader.header
        two, first = self.two, header.first_frame
        rows = rows_of(two, self.names, first)
        stray = (
            f"the recorded simulation gives other events than the log from frame {self.stray} on"
        )
        is_stray = self.stray is not None
        others = [] if self.old.player is None else self.old.player.others
        why = others_text(others) or "it is not the version that recorded it"
        return WhatIf(
            log=self.old.reader.name,
            frames=all_frames(first, two.frames),
            cut=cut or None,
            names=dict(self.names),
            settings=[],
            rows=rows,
            totals=totals_of(two, rows),
            attacks=by_attack(two, rows, self.lives.ids, set()),
            guess=self.lives.is_guess,
            warnings=[f"{stray}: {why}"] if is_stray else [],
            other=self._ways(rows),
        )

    def _ways(self, rows: list[HitRow]) -> OtherMatch:
        if rows:
            one = rows[0]
            self._note("hit", one.frame, f"{one.change}: {one.a} - {one.b}")
        known = ["part", "hit", "state"] if self.old.is_computed else ["hit"]
        if self.has_game:
            known.append("game")
        ways = [self.ways.get(what) or MatchDifference(what, None, "the same") for what in known]
        frames = [way.frame for way in ways if way.frame is not None and way.what != "hit"]
        since = min(frames, default=None)
        rows_since = sum(since is not None and row.frame >= since for row in rows)
        assert self.new.player is not None  # noqa: S101 - it plays the inputs
        name = origin(self.new.player.simulation).partition(" ")[0]
        return OtherMatch(name, ways, since, rows_since)


def _what(found: Difference) -> str:
    """The level of a difference of two states; "" for one of shapes or hits."""
    if found.key[0] in _OF_HITS:
        return ""
    if found.key[0] == "collider" and found.field in _PART:
        return "part"
    if found.key[0] == "collider" and found.field.partition("[")[0] in _SHAPE:
        return ""
    return "state"


def _game(events: list[Any]) -> str:
    return ", ".join(f"{kind} ({a}, {b}): {value}" for a, b, kind, value in events) or "none"


def rematch(
    path: str | os.PathLike[str],
    new: sim.SimulationType,
    *,
    old: sim.SimulationType | None = None,
    layers: Iterable[str] = (),
    progress: Callable[[Reader], None] | None = None,
) -> WhatIf:
    """Plays the inputs of a log with another simulation, and compares its match with the recorded
    one.

    old: the simulation that recorded it, which is played beside it. Without it the hits and the
    events of the game are compared with the log's, and parts and states are not known. layers: of
    attacks, as `attacks` takes them. From the first other part, state or event of the game on it is another match.

    ValueError for a log that is a trace; MatchLogError for one that is not valid, or whose inputs
    the new simulation refuses; OSError for one that cannot be read."""
    with Reader(path) as recorded, Reader(path, progress=progress) as reader:
        is_known = old is not None
        runs = Run(recorded, player=old, is_played=is_known), Run(reader, player=new)
        both = _Both(*runs, layers)
        try:
            for number, pair in walk(runs):
                both.take(number, *pair)
        except LineError as wrong:
            raise reader.error(wrong) from wrong
        return both.result(reader.cut)

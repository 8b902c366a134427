"""Plays the inputs of a recorded match with another simulation, and finds the first differences."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET

from fixsync import sim
from fixsync.fields import SIZES, Difference, differences
from fixsync.log.hits import InconsistentError, Row, TwoHits, rows_of, totals_of
from fixsync.log.player import Player, UnknownSimulationError
from fixsync.log.reader import Reader
from fixsync.log.replay import PROGRESS_FRAMES
from fixsync.log.schema import FRAME_MAX, LINE_BYTES_MAX, Header, SimFrame
from fixsync.log.text import LineError
from fixsync.log.whatif import FirstDifference, OtherMatch, WhatIf, by_attack

__all__ = ["another"]

_SHAPE = frozenset({"kind", "half_angle", "ox", "oy", "oz", "size"}.union(*SIZES.values()))
"""Fields of a collider that are its shape and its offset."""
_PART = frozenset({"active", "is there"})
_OF_HITS = ("hit", "changed")


class _Both:
    """The recorded match and the other one, frame by frame."""

    def __init__(self, new: Player, old: Player | None) -> None:
        self.new = new
        self.old = old
        self.two = TwoHits()
        self.ways: dict[str, FirstDifference] = {}
        self.attacks: set[int] = set()
        self.stray: int | None = None
        """The first frame in which the recorded simulation gives other events than the log."""
        self.names: Mapping[int, str] = {}
        self.has_game = old is not None
        """Whether the recorded events of the game are known."""

    def begin(self, header: Header, players: int) -> None:
        """Before the first frame."""
        self.names = {**sim.names_of(self.new.start(players)).ids, **header.names.ids}

    def play(self, frame: SimFrame) -> None:
        """Plays a frame in both."""
        new, old = self.new, self.old
        new.play(frame)
        recorded: Any = frame.events
        game: Any = frame.game
        if old is not None:
            old.play(frame)
            if recorded is not UNSET and recorded != old.events and self.stray is None:
                self.stray = frame.frame
            recorded, game = old.events, old.game
        if recorded is UNSET:
            raise LineError("events", "the log has none, and its simulation is not known here")
        try:
            self.two.take(recorded, new.events)
        except InconsistentError as error:
            raise LineError("events", "do not follow from those before") from error
        self.has_game = self.has_game or game is not UNSET
        if game is not UNSET and game != new.game:
            self._note("game", frame.frame, f"recorded {_game(game)}, now {_game(new.game)}")
        self._note_attacks()
        if old is not None and not {"part", "state"} <= self.ways.keys():
            self._compare(frame.frame, old)

    def _note(self, what: str, frame: int, text: str) -> None:
        self.ways.setdefault(what, FirstDifference(what, frame, text))

    def _note_attacks(self) -> None:
        """An attack is a collider that is inactive after some frame."""
        for one in self.new.world.colliders():
            if not one.active:
                self.attacks.add(one.id)

    def _compare(self, frame: int, old: Player) -> None:
        """The first part that is on in one of them alone, and the first state beyond shapes."""
        sides = [(one.simulation, (one.simulation or one.world).save()) for one in (old, self.new)]
        if sides[0][1] == sides[1][1]:
            return
        for found in differences(*(sim.fields_of(*side) for side in sides)):
            what = _what(found)
            if what:
                self._note(what, frame, found.told(self.names))


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


def another(
    path: str | os.PathLike[str],
    new: sim.SimulationType,
    *,
    old: sim.SimulationType | None = None,
    progress: Callable[[Reader], None] | None = None,
    line_bytes_max: int = LINE_BYTES_MAX,
) -> WhatIf:
    """Plays the inputs of a log with another simulation, and compares its match with the recorded
    one.

    old: the simulation that recorded it, which is played beside it. Without it the hits and the
    events of the game are compared with the log's, and parts and states are not known. From the
    first other part, state or event of the game on it is another match.

    ValueError for a log that is a trace; MatchLogError for one that is not valid, or whose inputs
    the new simulation refuses; OSError for one that cannot be read."""
    with Reader(path, line_bytes_max=line_bytes_max) as reader:
        header = reader.header
        if header.sim is None:
            raise ValueError(f"{reader.name} is a trace: it has no inputs to play again")
        try:
            both = _Both(_player(header, new), None if old is None else _player(header, old))
            for frame in reader:
                if isinstance(frame, SimFrame):
                    if reader.frames == 1:
                        both.begin(header, len(frame.inputs))
                    both.play(frame)
                if progress is not None and reader.frames % PROGRESS_FRAMES == 0:
                    progress(reader)
        except UnknownSimulationError:
            raise
        except LineError as wrong:
            raise reader.error(wrong) from wrong
        return _told(path, header, reader.cut, both)


def _player(header: Header, simulation: sim.SimulationType) -> Player:
    return Player(header, {str(header.sim): simulation})


def _told(path: str | os.PathLike[str], header: Header, cut: str, both: _Both) -> WhatIf:
    two, first = both.two, header.first_frame
    rows = rows_of(two, both.names, first)
    last = (first + two.frames - 1) & FRAME_MAX
    return WhatIf(
        log=os.fspath(path),
        frames=(first, last) if two.frames else None,
        cut=cut or None,
        names=dict(both.names),
        settings=[],
        rows=rows,
        totals=totals_of(two, rows),
        attacks=by_attack(two, rows, both.attacks, set()),
        warnings=_warnings(both),
        other=_ways(both, rows),
    )


def _warnings(both: _Both) -> list[str]:
    if both.stray is None:
        return []
    stray = f"the recorded simulation gives other events than the log from frame {both.stray} on"
    return [f"{stray}: it is not the version that recorded it"]


def _ways(both: _Both, rows: list[Row]) -> OtherMatch:
    if rows:
        one = rows[0]
        both._note("hit", one.frame, f"{one.change}: {one.a} - {one.b}")
    known = ["part", "hit", "state"] if both.old is not None else ["hit"]
    if both.has_game:
        known.append("game")
    ways = [both.ways.get(what) or FirstDifference(what, None, "the same") for what in known]
    frames = [way.frame for way in ways if way.frame is not None and way.what != "hit"]
    since = min(frames, default=None)
    kind: Any = type(both.new.simulation)
    return OtherMatch(
        f"{kind.__module__}:{kind.__qualname__}",
        ways,
        since,
        sum(since is not None and row.frame >= since for row in rows),
    )

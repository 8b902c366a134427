"""Finds the first frame in which two match logs differ, and its differences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import Any, TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from fixsync.base.fields import ABSENT, differences
from fixsync.base.strict_json import key_path
from fixsync.log.lines import plain
from fixsync.log.origin import ORIGIN, between, others_text
from fixsync.log.player import Player
from fixsync.log.reader import Reader
from fixsync.log.replay import by_pair, placed_of
from fixsync.log.runs import Run, Simulations, ended, walk
from fixsync.log.schema import Frame, Header, MatchLogError, SimFrame
from fixsync.match import sim
from fixsync.match.builds import origin
from fixsync.world.level import Level, Solid
from fixsync.world.records import Collider
from fixsync.world.shapes import Contact
from fixsync.world.world import World

__all__ = ["Diff", "DiffRow", "Pair", "Standing", "diff", "diff_builds"]

PAIRS_MAX = 8
SOLIDS_MAX = 8
"""The most solids listed of two levels that differ."""
ROWS_MAX = 1000
"""The most differences listed for one frame."""

_META = ("meta", "names", "unit_mm", "z_down", *ORIGIN)
"""Keys of the header that do not change a world."""
_KEYS = ("capacity", "tick_rate", "hit_when", "layers", "sim", "seed", *_META, "level")
"""Keys of the header that are compared; those of ORIGIN if both logs have them. Logs may begin at
different frames of one match."""


Cause: TypeAlias = Callable[[str, str, int | None], str]
"""Why a simulation's results are not those of a log, in words: from its name, the log and the last
frame."""


@dataclass(frozen=True)
class DiffRow:
    """One difference. Values are as in the logs; "absent" for a value that one log lacks."""

    group: str
    """"header", "commands", "inputs", "events", "game", "queries", "hash", "whole state" (its hash),
    "is_over" (of the simulation), "state" (a field of it), or "length" if one has ended."""
    name: str
    """The value within the group: "seed", "[3]", "1, 5", "collider 7: x"."""
    a: Any
    b: Any


@dataclass(frozen=True)
class Standing:
    """Two colliders of a replayed log right after a frame's step, as its hits were computed.

    After the step a game may still have moved or removed them."""

    colliders: tuple[Collider | Solid | None, Collider | Solid | None]
    """The second may be a solid of the level."""
    contact: Contact | None
    """Of the two; None if one of them is not in the world."""


@dataclass(frozen=True)
class Pair:
    """Two colliders whose events or hit differ between the logs."""

    a: int
    b: int
    standing: tuple[Standing | None, Standing | None]
    """In the first log and in the second; None for a log that was not replayed."""


@dataclass
class Diff:
    """How two logs compare."""

    a: str
    b: str
    frames: int = 0
    """Frames that are the same in both."""
    frame: int | None = None
    """The first frame that differs; None if none does."""
    headers: tuple[Header, Header] | None = None
    """Line 1 of both; None if one is not valid."""
    header: list[DiffRow] = field(default_factory=list)
    """Differences of line 1."""
    rows: list[DiffRow] = field(default_factory=list)
    """Differences of `frame`: in the logs, then in the worlds after it, field by field."""
    more_rows: int = 0
    """Number of differences of `frame` that are not in `rows`."""
    pairs: list[Pair] = field(default_factory=list)
    """The first few pairs of colliders in `rows`, as they were at the step."""
    not_compared: dict[str, int] = field(default_factory=dict)
    """A part that only one of the logs has, and the number of frames with it."""
    notes: list[str] = field(default_factory=list)
    error: MatchLogError | None = None
    """Why one of them is not valid."""

    @property
    def is_same(self) -> bool:
        return self.frame is None and not self.header and self.error is None

    @property
    def exit_code(self) -> int:
        """0 the same, 1 different, 2 one is not a valid log."""
        return 2 if self.error else int(not self.is_same)


def diff(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    simulations: Simulations | tuple[Simulations, Simulations] | None = None,
    cause: Cause | None = None,
    ignore_meta: bool = False,
) -> Diff:
    """Compares two logs up to the first frame that differs, replaying both.

    Parts that only one of the logs has (events, answers, hashes, the frames before the first of the
    other) are counted, not compared. `simulations`: of both logs, or of each its own.
    `ignore_meta`: ignores differences of the header in keys that do not change a world.
    `cause`: finds out why replaying a log of a simulation does not give its hash, as
    `fixsync.synctest.cause` does. Both logs are read to their end, so an error there is found;
    frames after the first difference are not replayed. OSError for files that cannot be read."""
    result = Diff(os.fspath(a), os.fspath(b))
    sims = simulations if isinstance(simulations, tuple) else (simulations, simulations)
    with _error_of(result), _readers(result) as (reader_a, reader_b):
        result.header = list(_header_rows(*result.headers or (), ignore_meta=ignore_meta))
        runs = Run(reader_a, sims[0]), Run(reader_b, sims[1])
        comparison = _Comparison(result, *runs)
        comparison.run()
        result.notes += dict.fromkeys(note for run in runs for note in _played_with(run))
        if result.frame is not None and (why := between(reader_a.header, reader_b.header)):
            result.notes.append(why)
        result.notes += _verdict(comparison, cause)
    return result


def diff_builds(
    path: str | os.PathLike[str],
    a: sim.SimulationType,
    b: sim.SimulationType,
) -> Diff:
    """Plays the inputs of a log with two versions of a simulation up to the first frame in which
    their matches differ: in events, in the worlds, or in the states beside them.

    ValueError for a log that is a trace; OSError for a file that cannot be read. `error` of the
    result for a log that is not valid, or that one of the versions cannot play."""
    result = Diff(os.fspath(path), os.fspath(path))
    with _error_of(result), _readers(result) as (reader_a, reader_b):
        runs = Run(reader_a, player=a), Run(reader_b, player=b)
        _Comparison(result, *runs).run()
        for name, run in zip("AB", runs, strict=True):
            result.notes += [f"{name} was {note}" for note in _played_with(run)]
    return result


@contextmanager
def _error_of(result: Diff) -> Iterator[None]:
    """Gives a result the error of a log that is not valid."""
    try:
        yield
    except MatchLogError as error:
        result.error = error


@contextmanager
def _readers(result: Diff) -> Iterator[tuple[Reader, Reader]]:
    with (
        Reader(result.a) as reader_a,
        Reader(result.b) as reader_b,
    ):
        result.headers = (reader_a.header, reader_b.header)
        yield reader_a, reader_b


class _Comparison:
    def __init__(self, result: Diff, a: Run, b: Run) -> None:
        self._result = result
        self._a, self._b = a, b
        self._pairs: set[tuple[int, int]] = set()
        """Those whose events or hit differ in the frame."""
        self.hashes: list[tuple[Run, str]] = []
        """The hashes of the frame as the logs have them, if they differ: of the whole states, if the
        logs have them, else of the worlds."""
        self.is_whole = False
        headers = a.reader.header, b.reader.header
        self._is_mixed = (headers[0].sim is None) != (headers[1].sim is None)
        """Whether one is a trace, and the other has the inputs of a simulation."""
        if self._is_mixed:
            trace, game = (a, b) if headers[0].sim is None else (b, a)
            result.notes.append(
                f"{trace.reader.name} has commands, {game.reader.name} has inputs: compared are "
                "events, answers and the worlds right after each step"
            )
        for run in (a, b):
            run.keeps_states = True
            if run.unknown is not None:
                result.notes.append(f"{run.reader.name} was not replayed: {run.unknown.reason}")

    @property
    def frame(self) -> int | None:
        """The first frame that differs."""
        return self._result.frame

    def run(self) -> None:
        result, runs = self._result, (self._a, self._b)

        def skipped(run: Run) -> None:
            self._only_in(run.reader.name, "frames")

        for number, (a, b) in walk(runs, skipped=skipped):
            if a is None or b is None:
                lengths = ("present" if frame else ABSENT for frame in (a, b))
                rows = [DiffRow("length", f"frame {number}", *lengths)]
            else:
                rows = self._frame_rows(a, b)
            if rows:
                result.frame = number
                result.pairs = self._changed_pairs()
                result.rows, result.more_rows = rows[:ROWS_MAX], max(0, len(rows) - ROWS_MAX)
                break
            result.frames += 1
        ended(runs)
        for name, (count, cut) in {
            run.reader.name: (run.reader.frames, run.reader.cut) for run in runs
        }.items():
            if cut:
                frames = f"{count} frame{'' if count == 1 else 's'}"
                result.notes.append(f"{name} was cut short after {frames}: {cut}")

    def _only_in(self, name: str, what: str) -> None:
        key = f"{what} only in {name}"
        self._result.not_compared[key] = self._result.not_compared.get(key, 0) + 1

    def _frame_rows(self, a: Frame, b: Frame) -> list[DiffRow]:
        group = "inputs" if isinstance(a, SimFrame) else "commands"
        rows = [] if self._is_mixed else [*_list_rows(group, _orders(a), _orders(b))]
        rows += self._recorded_rows("events", a.events, b.events)
        rows += self._recorded_rows("game", a.game, b.game)
        rows += self._recorded_rows("queries", a.queries, b.queries)
        if not self._is_mixed:  # a game may change its world after the step
            rows += self._recorded_rows("hash", a.hash, b.hash)
            if isinstance(a, SimFrame) and isinstance(b, SimFrame):
                rows += self._recorded_rows("whole state", a.state, b.state)
        over = [run.is_over for run in (self._a, self._b)]
        if over[0] != over[1]:
            rows.append(DiffRow("is_over", "", *over))
        return [*rows, *self._state_rows(bool(rows))]

    def _recorded_rows(self, group: str, a: Any, b: Any) -> list[DiffRow]:
        if (a is UNSET) != (b is UNSET):
            self._only_in(self._result.b if a is UNSET else self._result.a, group)
            return []
        if a == b:
            return []
        if group in ("hash", "whole state"):
            self.hashes = [(self._a, a), (self._b, b)]
            self.is_whole = group == "whole state"
            return [DiffRow(group, "", a, b)]
        if group == "events":
            self._pairs |= {event[:2] for event in {*map(tuple, a)} ^ {*map(tuple, b)}}
            return _event_rows(a, b)
        return [*_list_rows(group, a, b)]

    def _state_rows(self, differs: bool) -> list[DiffRow]:
        """The fields that differ between the worlds. They are compared if the logs differ in this
        frame, or the worlds' hashes do."""
        a, b = self._a.player, self._b.player
        if a is None or b is None:
            return []
        if self._is_mixed:
            worlds = self._a.stepped_world(), self._b.stepped_world()
            states = [sim.fields_of(None, world.save()) for world in worlds if world is not None]
            return self._field_rows(*states)
        if not differs and a.state == b.state:
            return []
        if self._result.header and not differs and _what_moves(a) == _what_moves(b):
            return []
        return self._field_rows(self._a.fields(), self._b.fields())

    def _field_rows(self, a: Any, b: Any) -> list[DiffRow]:
        header = {row.name for row in self._result.header}
        rows = []
        for difference in differences(a, b):
            # hit_when and layers are in the state too; a difference of the headers is listed already.
            in_head = difference.key == ("world",) and difference.field.partition("[")[0] in header
            if difference.key[0] == "hit":
                self._pairs.add((int(difference.key[1]), int(difference.key[2])))
            if not in_head:
                rows.append(
                    DiffRow("state", f"{difference.owner}: {difference.field}", *difference.values)
                )
        return rows

    def _changed_pairs(self) -> list[Pair]:
        if not self._pairs:
            return []
        worlds = self._a.stepped_world(), self._b.stepped_world()
        return [
            Pair(a, b, (_standing(worlds[0], a, b), _standing(worlds[1], a, b)))
            for a, b in sorted(self._pairs)[:PAIRS_MAX]
        ]


def _played_with(run: Run) -> Iterator[str]:
    """Which simulation a log was replayed with, and from where."""
    simulation = None if run.player is None else run.player.simulation
    if simulation is not None:
        yield f"replayed with {origin(simulation)}"


def _verdict(comparison: _Comparison, cause: Cause | None) -> list[str]:
    """Whose hash replaying gives. A recorder is blamed for a trace alone: a simulation may have more
    than one result."""
    notes, wrong, is_other = [], None, False
    for side, said in comparison.hashes:
        if side.player is None:
            continue
        name, player, simulation = side.reader.name, side.player, side.reader.header.sim
        what = "whole state" if comparison.is_whole else "hash"
        found = player.state if comparison.is_whole else player.hash
        if found == said:
            notes.append(f"replaying {name} gives its {what}")
            continue
        is_other = is_other or bool(player.others)
        why = f"not its {what}"
        if simulation is None:
            why = "its recorder did something else than the log says"
        elif wrong is None:
            wrong = simulation, name
        notes.append(f"replaying {name} gives {found}: {others_text(player.others) or why}")
    if wrong is not None and not is_other:
        unknown = "not found out: whether the simulation has more than one result"
        notes.append(unknown if cause is None else cause(*wrong, comparison.frame))
    return notes


def _standing(world: World | None, a: int, b: int) -> Standing | None:
    if world is None:
        return None
    pair = placed_of(world, a), placed_of(world, b)
    contact = None if None in pair else world.contact(a, b)
    return Standing(pair, contact)


def _what_moves(player: Player) -> Any:
    """A state without the world's own settings."""
    if player.simulation is not None:
        return player.simulation.save()
    return player.world.colliders(), player.world.hits()


def _header_rows(a: Header, b: Header, *, ignore_meta: bool) -> Iterator[DiffRow]:
    if a.first_frame == b.first_frame:
        yield from _value_rows("from.state", *(_state_text(header) for header in (a, b)))
    for name in _KEYS:
        values = getattr(a, name), getattr(b, name)
        if name == "names":  # those of owners are in meta
            values = tuple(replace(names, owners={}) for names in values)
        if name == "level":
            yield from _level_rows(*values)
        elif not (ignore_meta and name in _META) and not (name in ORIGIN and None in values):
            yield from _value_rows(name, *map(plain, values))


def _value_rows(path: str, a: Any, b: Any) -> Iterator[DiffRow]:
    """The difference of two values of the header: of objects, key by key."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            yield from _value_rows(key_path(path, key), a.get(key, ABSENT), b.get(key, ABSENT))
    elif a != b:
        yield DiffRow("header", path, a, b)


def _level_rows(a: Level | None, b: Level | None) -> Iterator[DiffRow]:
    """How the levels differ: their sizes and hashes, and the first few solids that differ."""
    yield from _value_rows("level", _level_text(a), _level_text(b))
    if a is not None and b is not None and a != b:
        rows = (
            _value_rows(f"level.solids[{i}]", *map(_solid_text, pair))
            for i, pair in enumerate(zip_longest(a, b))
        )
        yield from islice(chain.from_iterable(rows), SOLIDS_MAX)


def _level_text(level: Level | None) -> str:
    return ABSENT if level is None else f"{len(level)} solids, XXH64 {level.hash():016x}"


def _solid_text(solid: Solid | None) -> Any:
    return ABSENT if solid is None else list(solid.as_tuple())


def _state_text(header: Header) -> str:
    if header.start is None:
        return ABSENT
    return f"{len(header.start.state)} bytes, XXH64 {sim.hash_of(header.start.state):016x}"


def _orders(frame: Frame) -> list[Any]:
    """The frame's inputs or commands."""
    orders: list[Any] = frame.inputs if isinstance(frame, SimFrame) else frame.commands
    return orders


def _list_rows(group: str, a: list[Any], b: list[Any]) -> Iterator[DiffRow]:
    if a == b:
        return
    for i, pair in enumerate(zip_longest(a, b, fillvalue=ABSENT)):
        if pair[0] != pair[1]:
            yield DiffRow(group, f"[{i}]", *(plain(value) for value in pair))


def _event_rows(a: list[Any], b: list[Any]) -> list[DiffRow]:
    """Events by pair, so that an event of one log alone does not shift the rest."""
    rows = [
        DiffRow("events", f"{x}, {y}", *([*map(list, events)] or ABSENT for events in said))
        for (x, y), said in by_pair(a, b)
    ]
    return rows or [DiffRow("events", "order", *([*map(list, events)] for events in (a, b)))]

"""Finds the first frame in which two match logs differ, and its differences."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import Any

from msgspec import UNSET

from fixsync import sim
from fixsync.fields import ABSENT, differences
from fixsync.level import Level, Solid
from fixsync.log import fresh
from fixsync.log.lines import check_ids, plain
from fixsync.log.player import Player, UnknownSimulationError
from fixsync.log.reader import Reader
from fixsync.log.replay import by_pair, placed_of
from fixsync.log.schema import (
    FRAME_MAX,
    LINE_BYTES_MAX,
    Frame,
    Header,
    MatchLogError,
    SimFrame,
)
from fixsync.log.text import LineError, key_path
from fixsync.records import Collider, Events
from fixsync.shapes import Contact
from fixsync.world import Command, World

__all__ = ["Diff", "Pair", "Row", "Standing", "diff"]

PAIRS_MAX = 8
SOLIDS_MAX = 8
"""The most solids listed of two levels that differ."""
ROWS_MAX = 1000
"""The most differences listed for one frame."""

_META = ("meta", "names", "unit_mm")
"""Keys of the header that do not change a world."""
_KEYS = ("capacity", "tick_rate", "hit_when", "layers", "sim", "seed", *_META, "level")
"""Keys of the header that are compared. Logs may begin at different frames of one match."""


@dataclass(frozen=True)
class Row:
    """One difference. Values are as in the logs; "absent" for a value that one log lacks."""

    group: str
    """"header", "commands", "inputs", "events", "game", "queries", "hash", "whole state" (its hash),
    "state" (a field of it), or "length" if one has ended."""
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
    header: list[Row] = field(default_factory=list)
    """Differences of line 1."""
    rows: list[Row] = field(default_factory=list)
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
    simulations: Mapping[str, sim.SimulationType] | None = None,
    references: Mapping[str, str] | None = None,
    ignore_meta: bool = False,
    line_bytes_max: int = LINE_BYTES_MAX,
) -> Diff:
    """Compares two logs up to the first frame that differs, replaying both.

    Parts that only one of the logs has (events, answers, hashes, the frames before the first of the
    other) are counted, not compared. `ignore_meta`: ignores differences of the header in `meta`,
    `names` and `unit_mm`. `references`: how `fixsync.sim.find` knows `simulations` in another
    process; after a difference of hashes, new processes replay a log with it. Both logs are read to
    their end, so an error there is found; frames after the first difference are not replayed.
    OSError for files that cannot be read."""
    result = Diff(os.fspath(a), os.fspath(b))
    try:
        with (
            Reader(a, line_bytes_max=line_bytes_max) as reader_a,
            Reader(b, line_bytes_max=line_bytes_max) as reader_b,
        ):
            result.headers = (reader_a.header, reader_b.header)
            result.header = list(_header_rows(*result.headers, ignore_meta=ignore_meta))
            sides = _Side(reader_a, simulations), _Side(reader_b, simulations)
            comparison = _Comparison(result, *sides)
            comparison.run()
            result.notes += _played_with(sides)
            result.notes += _blame(comparison, simulations or {}, references or {})
    except MatchLogError as error:
        result.error = error
    return result


class _Side:
    """One of the two logs: its frames one by one, and its world after each."""

    def __init__(
        self, reader: Reader, simulations: Mapping[str, sim.SimulationType] | None
    ) -> None:
        self.reader = reader
        self.player: Player | None = None
        self.unplayed = ""
        self._frame: Frame | None = None
        self._before: bytes | None = None
        """The bytes that the simulation saved before that frame; None before the first."""
        try:
            self.player = Player(reader.header, simulations)
        except UnknownSimulationError as wrong:
            # Without its simulation a log can still be read and compared.
            self.unplayed = wrong.reason
        except LineError as wrong:
            raise reader.error(wrong) from wrong

    def __iter__(self) -> Iterator[Frame]:
        for frame in self.reader:
            try:
                check_ids(frame, self.reader.header)
                self._frame = frame
                if self.player is not None:
                    simulation = self.player.simulation
                    self._before = None if simulation is None else simulation.save()
                    self.player.play(frame)
            except LineError as wrong:
                raise self.reader.error(wrong) from wrong
            yield frame

    def stepped_world(self) -> World | None:
        """The world right after the step of the last frame given."""
        if self.player is None:
            return None
        if not isinstance(self._frame, SimFrame):
            return self.player.world  # all commands come before the step
        inputs = self._frame.inputs
        made = self.player.start(len(inputs), self._before)
        observer = _AtStep(made.world)
        made.world.attach(observer)
        made.step([sim.check_input(made, i, value) for i, value in enumerate(inputs)])
        made.world.detach(observer)
        return observer.copy


class _AtStep:
    """Keeps a copy of a world as it is right after its step."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.copy = world

    def changed(self, command: Command) -> None:
        """Nothing to do."""

    def stepped(self, events: Events) -> None:  # noqa: ARG002 - the protocol's name
        self.copy = self._world.copy()

    def loaded(self) -> None:
        """Nothing to do: a simulation may load its world within a step."""


class _Comparison:
    def __init__(self, result: Diff, a: _Side, b: _Side) -> None:
        self._result = result
        self._a, self._b = a, b
        self._pairs: set[tuple[int, int]] = set()
        """Those whose events or hit differ in the frame."""
        self.hashes: list[tuple[_Side, str]] = []
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
        for side in (a, b):
            if side.unplayed:
                result.notes.append(f"{side.reader.name} was not replayed: {side.unplayed}")

    @property
    def frame(self) -> int | None:
        """The first frame that differs."""
        return self._result.frame

    def run(self) -> None:
        result = self._result
        sides = self._a, self._b
        first = max(side.reader.header.first_frame for side in sides)
        frames_a, frames_b = (self._frames_from(first, side) for side in sides)
        for count, (a, b) in enumerate(zip_longest(frames_a, frames_b)):
            number = (first + count) & FRAME_MAX
            if a is None or b is None:
                told = ("present" if frame else ABSENT for frame in (a, b))
                rows = [Row("length", f"frame {number}", *told)]
            else:
                rows = self._frame_rows(a, b)
            if rows:
                result.frame = number
                result.pairs = self._pairs_told()
                result.rows, result.more_rows = rows[:ROWS_MAX], max(0, len(rows) - ROWS_MAX)
                break
            result.frames += 1
        for reader in (self._a.reader, self._b.reader):
            for _ in reader:
                pass
            if reader.cut:
                frames = f"{reader.frames} frame{'' if reader.frames == 1 else 's'}"
                result.notes.append(f"{reader.name} was cut short after {frames}: {reader.cut}")

    def _frames_from(self, first: int, side: _Side) -> Iterator[Frame]:
        """The frames from this number on. Those before it are played, and counted."""
        for frame in side:
            if side.reader.frames > first - side.reader.header.first_frame:
                yield frame
            else:
                self._only_in(side.reader.name, "frames")

    def _only_in(self, name: str, what: str) -> None:
        key = f"{what} only in {name}"
        self._result.not_compared[key] = self._result.not_compared.get(key, 0) + 1

    def _frame_rows(self, a: Frame, b: Frame) -> list[Row]:
        group = "inputs" if isinstance(a, SimFrame) else "commands"
        rows = [] if self._is_mixed else [*_list_rows(group, _orders(a), _orders(b))]
        rows += self._told_rows("events", a.events, b.events)
        rows += self._told_rows("game", a.game, b.game)
        rows += self._told_rows("queries", a.queries, b.queries)
        if not self._is_mixed:  # a game may change its world after the step
            rows += self._told_rows("hash", a.hash, b.hash)
            if isinstance(a, SimFrame) and isinstance(b, SimFrame):
                rows += self._told_rows("whole state", a.state, b.state)
        return [*rows, *self._state_rows(bool(rows))]

    def _told_rows(self, group: str, a: Any, b: Any) -> list[Row]:
        if (a is UNSET) != (b is UNSET):
            self._only_in(self._result.b if a is UNSET else self._result.a, group)
            return []
        if a == b:
            return []
        if group in ("hash", "whole state"):
            self.hashes = [(self._a, a), (self._b, b)]
            self.is_whole = group == "whole state"
            return [Row(group, "", a, b)]
        if group == "events":
            self._pairs |= {event[:2] for event in {*map(tuple, a)} ^ {*map(tuple, b)}}
            return _event_rows(a, b)
        return [*_list_rows(group, a, b)]

    def _state_rows(self, differs: bool) -> list[Row]:
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
        return self._field_rows(_fields(a), _fields(b))

    def _field_rows(self, a: Any, b: Any) -> list[Row]:
        header = {row.name for row in self._result.header}
        rows = []
        for difference in differences(a, b):
            # hit_when and layers are in the state too; a difference of the headers is listed already.
            told = difference.key == ("world",) and difference.field.partition("[")[0] in header
            if difference.key[0] == "hit":
                self._pairs.add((int(difference.key[1]), int(difference.key[2])))
            if not told:
                rows.append(
                    Row("state", f"{difference.owner}: {difference.field}", *difference.values)
                )
        return rows

    def _pairs_told(self) -> list[Pair]:
        if not self._pairs:
            return []
        worlds = self._a.stepped_world(), self._b.stepped_world()
        return [
            Pair(a, b, (_standing(worlds[0], a, b), _standing(worlds[1], a, b)))
            for a, b in sorted(self._pairs)[:PAIRS_MAX]
        ]


def _played_with(sides: tuple[_Side, _Side]) -> list[str]:
    """Which simulation the logs were replayed with, and from where."""
    notes = []
    for side in sides:
        simulation = None if side.player is None else side.player.simulation
        if simulation is not None:
            kind = type(simulation)
            file = getattr(sys.modules.get(kind.__module__), "__file__", None)
            where = f" of {file}" if file else ""
            notes.append(f"replayed with {kind.__module__}:{kind.__qualname__}{where}")
    return list(dict.fromkeys(notes))


def _blame(
    comparison: _Comparison,
    simulations: Mapping[str, sim.SimulationType],
    references: Mapping[str, str],
) -> list[str]:
    """Whose hash replaying confirms, if it is the simulation's answer in any process."""
    notes, wrong = [], None
    for side, told in comparison.hashes:
        if side.player is None:
            continue
        name, player = side.reader.name, side.player
        what = "whole state" if comparison.is_whole else "hash"
        found = player.state if comparison.is_whole else player.hash
        if found == told:
            notes.append(f"replaying {name} gives its {what}")
        else:
            wrong = wrong or side
            notes.append(
                f"replaying {name} gives {found}: its recorder did something else than the log says"
            )
    if wrong is None or wrong.reader.header.sim is None:
        return notes
    simulation = wrong.reader.header.sim
    reference = references.get(simulation, None if simulation in simulations else simulation)
    if reference is None:
        return [*notes, "not found out: whether the simulation depends on its process"]
    why = fresh.cause(reference, wrong.reader.name, comparison.frame)
    return [why] if why else notes


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


def _fields(player: Player) -> Any:
    return sim.fields_of(player.simulation, (player.simulation or player.world).save())


def _header_rows(a: Header, b: Header, *, ignore_meta: bool) -> Iterator[Row]:
    if a.first_frame == b.first_frame:
        yield from _value_rows("from.state", *(_state_told(header) for header in (a, b)))
    for name in _KEYS:
        values = getattr(a, name), getattr(b, name)
        if name == "level":
            yield from _level_rows(*values)
        elif not (ignore_meta and name in _META):
            yield from _value_rows(name, *map(plain, values))


def _value_rows(path: str, a: Any, b: Any) -> Iterator[Row]:
    """The difference of two values of the header: of objects, key by key."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            yield from _value_rows(key_path(path, key), a.get(key, ABSENT), b.get(key, ABSENT))
    elif a != b:
        yield Row("header", path, a, b)


def _level_rows(a: Level | None, b: Level | None) -> Iterator[Row]:
    """How the levels differ: their sizes and hashes, and the first few solids that differ."""
    yield from _value_rows("level", _level_told(a), _level_told(b))
    if a is not None and b is not None and a != b:
        rows = (
            _value_rows(f"level.solids[{i}]", *map(_solid_told, pair))
            for i, pair in enumerate(zip_longest(a, b))
        )
        yield from islice(chain.from_iterable(rows), SOLIDS_MAX)


def _level_told(level: Level | None) -> str:
    return ABSENT if level is None else f"{len(level)} solids, XXH64 {level.hash():016x}"


def _solid_told(solid: Solid | None) -> Any:
    return ABSENT if solid is None else list(solid.as_tuple())


def _state_told(header: Header) -> str:
    if header.start is None:
        return ABSENT
    return f"{len(header.start.state)} bytes, XXH64 {sim.hash_of(header.start.state):016x}"


def _orders(frame: Frame) -> list[Any]:
    """The frame's inputs or commands."""
    orders: list[Any] = frame.inputs if isinstance(frame, SimFrame) else frame.commands
    return orders


def _list_rows(group: str, a: list[Any], b: list[Any]) -> Iterator[Row]:
    if a == b:
        return
    for i, pair in enumerate(zip_longest(a, b, fillvalue=ABSENT)):
        if pair[0] != pair[1]:
            yield Row(group, f"[{i}]", *(plain(value) for value in pair))


def _event_rows(a: list[Any], b: list[Any]) -> list[Row]:
    """Events by pair, so that an event of one log alone does not shift the rest."""
    rows = [
        Row("events", f"{x}, {y}", *([*map(list, events)] or ABSENT for events in said))
        for (x, y), said in by_pair(a, b)
    ]
    return rows or [Row("events", "order", *([*map(list, events)] for events in (a, b)))]

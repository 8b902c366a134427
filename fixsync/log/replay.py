"""Replays match logs: recomputes every frame and compares it with the log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from fixsync.base.files import check_output, is_log_name
from fixsync.base.strict_json import LineError
from fixsync.log.lines import check_ids, format_frame, plain
from fixsync.log.origin import ORIGIN, Other, origin_of
from fixsync.log.player import Player, UnknownSimulationError
from fixsync.log.reader import Reader
from fixsync.log.schema import (
    Cast,
    Event,
    Frame,
    Header,
    MatchLogError,
    Query,
    SimFrame,
)
from fixsync.log.writer import Writer
from fixsync.match import sim
from fixsync.world.level import LEVEL, Solid
from fixsync.world.records import Collider
from fixsync.world.world import World

__all__ = ["Compared", "Difference", "Replay", "Verdict", "exit_code", "find_logs", "replay"]


class Verdict(Enum):
    """The result of replaying a log. The value is its name in output."""

    IDENTICAL = "identical"
    """Everything that the log says was computed again."""
    NOTHING_TO_COMPARE = "nothing to compare"
    """A whole log without events, answers and hashes."""
    DIVERGED = "diverged"
    """Something is not as the log says, whether the log is whole or cut short. The next three: and
    the log was recorded by another program."""
    OTHER_DATA = "recorded with other data"
    OTHER_SEMANTICS = "recorded by another semantics"
    OTHER_BUILD = "recorded by another build"
    INVALID = "not valid"
    """The file is not a match log, or a world refuses one of its commands."""
    NEEDS_SIMULATION = "needs its simulation"
    """A valid log of a simulation that is not known here."""
    OUT_OF_MEMORY = "out of memory"
    """The log may be valid, but replaying it needs more memory than there is."""
    UNREADABLE = "unreadable"
    """The file cannot be read. A verdict of programs that replay many logs; `replay` raises the
    error."""
    CUT_SHORT = "cut short"
    """The log has no end. The frames that it has are as recorded."""

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Verdict.IDENTICAL: 0,
    Verdict.NOTHING_TO_COMPARE: 0,
    Verdict.DIVERGED: 1,
    Verdict.OTHER_DATA: 1,
    Verdict.OTHER_SEMANTICS: 1,
    Verdict.OTHER_BUILD: 1,
    Verdict.INVALID: 2,
    Verdict.NEEDS_SIMULATION: 2,
    Verdict.OUT_OF_MEMORY: 2,
    Verdict.UNREADABLE: 2,
    Verdict.CUT_SHORT: 3,
}
_WORST_FIRST = (2, 1, 3, 0)


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """The exit code of several logs: 2 beats 1 beats 3 beats 0."""
    return worst(verdict.exit_code for verdict in verdicts)


def worst(codes: Iterable[int]) -> int:
    """The one of several exit codes that beats the others."""
    return min(codes, key=_WORST_FIRST.index, default=0)


@dataclass
class Compared:
    """Number of events, answers, hashes and states of a log that were compared."""

    events: int = 0
    """Frames whose events were compared."""
    queries: int = 0
    """Answers to queries and casts."""
    hashes: int = 0
    game: int = 0
    """Frames whose events of the game were compared: a trace's are not."""
    states: int = 0
    """Hashes of a simulation's whole state."""

    def __bool__(self) -> bool:
        return bool(self.events or self.game or self.queries or self.hashes or self.states)


@dataclass
class Difference:
    """The first frame that differs from the log, and the first difference in it: of events, else
    of the game's own, else of answers, else of the world's hash, else of the whole state's."""

    frame: int
    fields: list[str]
    """All that differs in this frame: "events", "game", "queries", "hash", "state"."""
    expected: Any
    """The values in the log: the pair's events as (kind, contact), the game's events, an answer or
    None, or a hash."""
    found: Any
    """The computed values, in the same form."""
    pair: tuple[int, int] | None = None
    """The two ids, if events differ."""
    colliders: dict[int, Collider | Solid | None] = field(default_factory=dict)
    """Both of the pair after the frame; None for one that is not in the world."""
    query: int | None = None
    """The index of the answer in `queries`, if an answer differs and no event does."""
    question: Any = None
    """The command that asked for this answer."""


@dataclass
class Replay:
    """The result of replaying one log."""

    path: str
    verdict: Verdict = Verdict.INVALID
    header: Header | None = None
    frames: int = 0
    """Frames replayed."""
    hits: int = 0
    """The sum of the hits of all frames: a pair that is a hit for ten frames counts ten."""
    hash: str = ""
    """Of the world after the last frame, as 16 hexadecimal digits; "" if there is no such state."""
    over_after: int | None = None
    """The frame after which the simulation `is_over`; None if it is not, or has no `is_over`."""
    game_events: int = 0
    """The game's own events in the log; the replay of a trace carries them, and compares none."""
    compared: Compared = field(default_factory=Compared)
    differing_frames: int = 0
    difference: Difference | None = None
    """The first one."""
    others: list[Other] = field(default_factory=list)
    """What the log says of its kernel and its game that is not so here: the causes of a
    difference."""
    cut: str = ""
    """Why the log counts as cut short; "" for a whole one."""
    error: MatchLogError | None = None
    """Why it is not valid, or was not replayed to its end."""
    seconds: float = 0.0
    """Time for reading and replaying. Nothing depends on it."""

    @property
    def speed(self) -> float:
        """A multiple of real time; 0 if it is unknown."""
        return (
            self.header.seconds(self.frames) / self.seconds if self.header and self.seconds else 0.0
        )


def find_logs(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """The paths that are files, and the match logs in those that are folders and below, by name.
    Links to folders are not followed; broken links are returned, and fail when they are read.

    ValueError for a folder without match logs; OSError for a path that does not exist and for a
    folder that cannot be read."""

    def unreadable(error: OSError) -> None:
        raise error

    found: list[Path] = []
    for path in map(Path, paths):
        if not path.is_dir():
            path.stat()
            found.append(path)
            continue
        folders = os.walk(path, onerror=unreadable)
        files = (Path(folder, name) for folder, _, names in folders for name in names)
        logs = sorted(
            file for file in files if is_log_name(file) and (file.is_file() or not file.exists())
        )
        if not logs:
            kinds = "*.jsonl, also compressed"
            raise ValueError(f"{path}: no match logs ({kinds}) in this folder or below")
        found += logs
    return found


def replay(
    path: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> Replay:
    """Replays one log. `output`: where to write it with the computed events, answers and hashes.

    The output is canonical, and has no last line if the log was cut short. Nothing is written for a
    log that is not valid. `simulations`: by name, for logs with a sim, searched before those that
    `fixsync.match.sim.find_named` knows. `progress` is called now and then. ValueError for an output that is
    the log; OSError for files that cannot be read or written."""
    if output is not None:
        check_output(output, [path])
    result = Replay(os.fspath(path))
    began = time.perf_counter()
    try:
        with Reader(path, progress=progress) as reader:
            result.header = reader.header
            try:
                result.verdict = _replay(result, reader, output, simulations)
            except MemoryError as error:
                reason = str(error) or "replaying from here on needs more memory than there is"
                raise LineError("", reason) from error
    except MatchLogError as error:
        result.error = error
        result.verdict = Verdict.OUT_OF_MEMORY if error.is_out_of_memory else Verdict.INVALID
    result.seconds = time.perf_counter() - began
    return result


def _replay(
    result: Replay,
    reader: Reader,
    output: str | os.PathLike[str] | None,
    simulations: Mapping[str, sim.SimulationType] | None,
) -> Verdict:
    header = reader.header
    try:
        player = Player(header, simulations)
    except UnknownSimulationError as wrong:
        for frame in reader:  # a log that is not valid needs no simulation
            check_ids(frame, header)
        result.frames, result.cut, result.error = reader.frames, reader.cut, reader.error(wrong)
        return Verdict.NEEDS_SIMULATION
    frames = iter(reader)
    try:
        if output is None:
            _play(result, reader, player, frames, None)
        else:
            state, world = None if header.start is None else header.start.state, player.world
            frames = _begun(player, frames)
            about = _filled(header, player)
            with Writer(output, about, world, state=state, is_whole=True) as writer:
                _play(result, reader, player, frames, writer)
                writer.close(is_whole=not reader.cut)
    finally:
        result.others = player.others
    if result.difference is not None:
        return Verdict(result.others[0].words) if result.others else Verdict.DIVERGED
    if result.cut:
        return Verdict.CUT_SHORT
    return Verdict.IDENTICAL if result.compared else Verdict.NOTHING_TO_COMPARE


def _begun(player: Player, frames: Iterator[Frame]) -> Iterator[Frame]:
    """The frames of a log, whose simulation is started with the first one."""
    for frame in frames:
        if isinstance(frame, SimFrame):
            player.begin(frame)
        return chain([frame], frames)
    return frames


def _filled(header: Header, player: Player) -> Header:
    """The header of computed values. What it says of the program is written only in the place of
    the log's own: earlier versions can read the log. A trace's game is the recorded one."""
    here = origin_of(player.simulation)
    known = ORIGIN if player.simulation is not None else ORIGIN[:1]
    return replace(header, **{key: here[key] for key in known if getattr(header, key) is not None})


def _play(
    result: Replay,
    reader: Reader,
    player: Player,
    frames: Iterator[Frame],
    writer: Writer | None,
) -> None:
    """Plays all frames, compares them with the log, and writes them."""
    compared, play = result.compared, player.play
    played = hits = events_recorded = hashes_recorded = 0
    has_sim = reader.header.sim is not None
    try:
        for frame in frames:
            hits += play(frame)
            played += 1
            events, answers, hash = frame.events, frame.queries, frame.hash
            is_same = True
            if frame.game is not UNSET:
                result.game_events += len(frame.game)
                if has_sim:
                    compared.game += 1
                    is_same = frame.game == player.game
            if events is not UNSET:
                events_recorded += 1
                is_same = is_same and player.has_events(events)
            if answers is not UNSET and (answers or player.answers):
                compared.queries += max(len(answers), len(player.answers))
                is_same = is_same and answers == player.answers
            if hash is not UNSET:
                hashes_recorded += 1
                is_same = is_same and player.has_hash(hash)
            if isinstance(frame, SimFrame) and frame.state is not UNSET:
                compared.states += 1
                is_same = is_same and player.state == frame.state
            if not is_same:
                check_ids(frame, reader.header)
                result.differing_frames += 1
                result.difference = result.difference or _difference(frame, player)
            if writer is not None:
                writer.write(format_frame(player.filled(frame)))
    finally:
        result.frames, result.hits, result.cut = played, hits, reader.cut
        result.over_after = player.over_after
        compared.events, compared.hashes = events_recorded, hashes_recorded
        # A frame that was refused half way leaves a state that belongs to no frame.
        if played and played == reader.frames:
            result.hash = player.hash


def _difference(frame: Frame, player: Player) -> Difference:
    found: dict[str, Any] = {"events": player.events, "game": player.game}
    found |= {"queries": player.answers, "hash": player.hash, "state": player.state}
    if player.simulation is None:
        del found["game"], found["state"]
    said = {field: getattr(frame, field) for field in found}
    differing = [
        field for field in found if said[field] is not UNSET and said[field] != found[field]
    ]
    first = differing[0]
    result = Difference(frame.frame, differing, said[first], found[first])
    if first == "events":
        for pair, events in by_pair(result.expected, result.found):
            # The same events in another order belong to no pair.
            result.pair = pair
            result.expected, result.found = ([event[2:] for event in side] for side in events)
            result.colliders = {id: placed_of(player.world, id) for id in pair}
            break
    elif first == "queries":
        answers = zip_longest(result.expected, result.found)
        result.query, (result.expected, result.found) = next(
            (i, pair) for i, pair in enumerate(answers) if pair[0] != pair[1]
        )
        result.question = _question(frame, result.query)
    return result


def by_pair(
    a: list[Event], b: list[Event]
) -> Iterator[tuple[tuple[int, int], tuple[list[Event], list[Event]]]]:
    """The pairs whose events differ between two lists, ascending, with the events of both."""
    pairs: dict[tuple[int, int], tuple[list[Event], list[Event]]] = {}
    for side, events in enumerate((a, b)):
        for event in events:
            pairs.setdefault(event[:2], ([], []))[side].append(event)
    for pair in sorted(pairs):
        if pairs[pair][0] != pairs[pair][1]:
            yield pair, pairs[pair]


def placed_of(world: World, id: int) -> Collider | Solid | None:
    """The collider or the solid of an id, if there is one."""
    if id >= LEVEL:
        solids = world.level or ()
        return solids[id - LEVEL] if id - LEVEL < len(solids) else None
    return world[id] if id in world else None  # noqa: SIM401 - a World has no get


def _question(frame: Frame, index: int) -> Any:
    """The command whose answer stands at `index` of `queries`."""
    if isinstance(frame, SimFrame):
        return None
    asked = [command for command in frame.commands if isinstance(command, Query | Cast)]
    return plain(asked[index]) if index < len(asked) else None

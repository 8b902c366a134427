"""Records match logs: the changes of a world, or the inputs of a simulation, frame by frame."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from operator import index
from types import SimpleNamespace
from typing import Any, cast

from fixsync._native.lock import Lock, exclusive
from fixsync._native.raw import UINT32_MAX
from fixsync._native.rows import CAST, GAME_EVENT_ROW
from fixsync.base import files
from fixsync.base.names import Names
from fixsync.base.strict_json import LineError
from fixsync.log import schema
from fixsync.log.lines import FrameLines
from fixsync.log.origin import origin_of
from fixsync.log.schema import About, Answer, Event, MatchLogError, SimFrame, answer_of
from fixsync.log.writer import Writer
from fixsync.match import sim
from fixsync.match.sim import Input, Simulation
from fixsync.world.arguments import cast_row, query_row
from fixsync.world.records import GameEvent
from fixsync.world.shapes import Pose, Shape
from fixsync.world.world import World

__all__ = ["Recorder", "SimRecorder"]


class _Recording(files.Closing, Lock):
    """A log that is being written, under the lock of its world. A context manager: an error within
    it leaves a log that is cut short."""

    _locked = "recording or its World"

    def _open(
        self,
        world: World,
        path: str | os.PathLike[str],
        about: About,
        replace: bool,
        state: bytes | None = None,
    ) -> None:
        """Called under the lock."""
        name = os.fspath(path)
        if not files.survives_a_cut(files.suffix_of(path)):
            raise ValueError(
                f"{name}: a crash would lose the end of a file of this kind;"
                " record to .jsonl, .jsonl.gz or .jsonl.zst"
            )
        self._writer = Writer(path, about, world, state=state, is_over=replace)
        self._log = self._writer.log

    @property
    def next_frame(self) -> int:
        """The number of the frame that is written next."""
        return self._log.next_frame

    @property
    def frames(self) -> int:
        """Number of frames written so far."""
        return self._log.frames

    @exclusive
    def close(self) -> None:
        """Ends the recording: writes the last line and closes the file. A second call does
        nothing."""
        self._stop()
        self._writer.close()

    def _abandon(self) -> None:
        """Ends the recording without a last line, as a crash would."""
        self._stop()
        self._writer.abandon()

    abandon = exclusive(_abandon)

    def _stop(self) -> None:
        """Called before the end."""


def _with_kinds(names: Names | None, kinds: type[IntEnum] | None) -> Names:
    names = names or Names()
    game = names.game or sim.names_of_kinds(kinds)
    return Names(names.layers, names.ids, game, names.owners)


class Recorder(_Recording):
    """Writes the changes of a world and the events of its steps to a match log: one line a step.

    The log of a world that is not at frame 0, or has hits, begins with the world's state. A line is
    handed to the operating system before the step returns, so a crash loses at most the frame it
    interrupts. Changes after the last step are in no frame, and not in the log.

    With `event_kinds` the line of a step waits for `game`, or for the next step or the end. A crash
    loses it, too.

    Loading the world ends the recording: the load is done, then raises ValueError, and the log is
    cut short. A game that rolls back records the inputs of confirmed frames: `SimRecorder`."""

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        *,
        replace: bool = False,
        tick_rate: int | tuple[int, int] = 60,
        meta: Mapping[str, Any] | None = None,
        names: Names | None = None,
        unit_mm: int | None = None,
        z_down: bool = False,
        event_kinds: type[IntEnum] | None = None,
        build: str | None = None,
        data: bytes | str | None = None,
    ) -> None:
        """`path`: .jsonl, compressed with .gz or .zst after it.

        replace: overwrite a file at `path`; without it FileExistsError is raised. tick_rate: frames
        a second, or (numerator, denominator) of it. meta: strings, integers, booleans, and lists
        and dicts of them. names: of layers, ids and owners. unit_mm: millimetres of one unit.
        z_down: pictures show +z downwards.
        event_kinds, build, data: as of a simulation; None: the log has none.
        ValueError if the world has an observer already; MatchLogError for values that a header
        cannot have."""
        game = SimpleNamespace(event_kinds=event_kinds, build=build, data=data)
        self._kinds = sim.event_kinds(game)
        about = About(
            tick_rate=tick_rate,
            meta=meta or {},
            names=_with_kinds(names, event_kinds),
            unit_mm=unit_mm,
            z_down=z_down,
            **origin_of(game),
        )
        super().__init__(world._native)
        self._world: World | None = None
        self._asked: list[bytes] = []
        self._answers: list[Answer] = []
        self._held: tuple[bytes, int] | None = None
        """The world's events and hash of a step whose line is not ended."""
        self._later: list[tuple[Callable[[bytes], None], bytes]] = []
        """The part of the line after that one."""

        def begin(_: object) -> Recorder:
            self._open(world, path, about, replace)
            self._world = world
            return self

        world._native.attach(begin)

    # The world's observer.

    def changed(self, rows: bytes) -> None:
        """Called by the world."""
        try:
            self._add(self._log.commands, rows)
        except BaseException:
            self._abandon()
            raise

    def stepped(self, events: bytes) -> None:
        """Called by the world."""
        asked, self._asked = self._asked, []
        native = self._recorded()._native
        try:
            self._end_line(b"")
            found = [native._ask(row) for row in asked]
            for answer in found:
                self._log.answer(answer)
            self._held = events, native._hash()
            if self._kinds is None:
                self._end_line(None)
        except BaseException:
            self._abandon()
            raise
        self._answers = [answer_of(answer) for answer in found]

    def _add(self, call: Callable[[bytes], None], row: bytes) -> None:
        if self._held is None:
            call(row)
        else:
            self._later.append((call, row))

    def _end_line(self, game: bytes | None) -> None:
        if self._held is None:
            return
        (events, hash), self._held = self._held, None
        self._log.end_frame(events, hash, game)
        self._writer.flush()
        later, self._later = self._later, []
        for call, row in later:
            call(row)

    def loaded(self) -> None:
        """Called by the world."""
        self._abandon()
        raise ValueError(
            f"the world was loaded while it was recorded: {self._writer.name} ends, cut short,"
            f" after {self.frames} frames"
        )

    @exclusive
    def game(self, events: Iterable[GameEvent]) -> None:
        """Gives the game's own events of the last step, once, and writes the line of the step.

        ValueError without `event_kinds`, without a step, and for an event that is not of these
        kinds."""
        self._recorded()
        if self._kinds is None or self._held is None:
            why = (
                "event_kinds is None" if self._kinds is None else "no line of a step waits for them"
            )
            raise ValueError(f"the log takes no game events: {why}")
        rows = sim.checked_game_events(self._kinds, events)
        try:
            self._end_line(b"".join(GAME_EVENT_ROW.pack(*row) for row in rows))
        except BaseException:
            self._abandon()
            raise

    # Questions.

    def query(
        self,
        shape: Shape,
        pose: Pose,
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        hit_when: int | None = None,
    ) -> None:
        """Calls `World.query` right after the next step. The answer goes to `answers` and the
        log."""
        self._ask(query_row("", shape, pose, mask, exclude_owner, hit_when))

    def cast(
        self,
        shape: Shape,
        pose: Pose,
        motion: tuple[int, int, int],
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> None:
        """Calls `World.cast` right after the next step. The answer goes to `answers` and the
        log."""
        row = cast_row("", shape, pose, motion, mask, exclude_owner, limit, hit_when)
        self._ask(row)

    @exclusive
    def _ask(self, row: bytes) -> None:
        native = self._recorded()._native
        if len(row) == CAST.size:
            native._cast(row)  # so that an error is raised here, not in the step
        self._add(self._log.question, row)
        self._asked.append(row)

    @property
    def answers(self) -> list[Answer]:
        """The answers to the last frame's queries and casts, in order, as in the log: ids, or a
        cast's rows."""
        return self._answers

    # The end.

    @exclusive
    def close(self) -> None:
        """Ends the recording: writes the last line and closes the file. A second call does
        nothing."""
        if self._world is not None:
            self._end_line(b"")
        self._stop()
        self._writer.close()

    def _stop(self) -> None:
        world, self._world = self._world, None
        if world is not None:
            world._native._detach(self)

    def _recorded(self) -> World:
        if self._world is None:
            raise ValueError(f"the recording of {self._writer.name} has ended")
        return self._world


class SimRecorder(_Recording):
    """Writes the inputs of a simulation to a match log, one line a frame. Replaying needs no more.

    A game that rolls back records each frame when it is confirmed. A log of a match that was joined
    in the middle begins with the state that was joined."""

    def __init__(
        self,
        simulation: Simulation,
        path: str | os.PathLike[str],
        *,
        seed: int,
        replace: bool = False,
        tick_rate: int | tuple[int, int] = 60,
        meta: Mapping[str, Any] | None = None,
        names: Names | None = None,
        unit_mm: int | None = None,
        z_down: bool = False,
    ) -> None:
        """simulation: before the first recorded frame; its `build` and `data` are in the log. seed:
        with which it was started. names: those of the simulation by default.

        The rest is as for `Recorder`."""
        kinds = sim.event_kinds(simulation)
        names = sim.names_of(simulation) if names is None else names
        self._has_game = kinds is not None
        about = About(
            tick_rate=tick_rate,
            sim=simulation.name,
            seed=seed,
            meta=meta or {},
            names=_with_kinds(names, kinds),
            unit_mm=unit_mm,
            z_down=z_down,
            **origin_of(simulation),
        )
        world = simulation.world
        state = simulation.save() if world.frame else None
        super().__init__(world._native)
        exclusive(_Recording._open)(self, world, path, about, replace, state)
        self._lines = FrameLines(has_sim=True)

    def record(
        self,
        frame: int,
        inputs: Sequence[Input],
        events: Iterable[Event] | None = None,
        hash: int | None = None,
        game: Iterable[GameEvent] | None = None,
        state: int | None = None,
    ) -> None:
        """Writes a frame: one input per player, and those of its results that are not None.

        hash: of the world after the step. game: the game's own events, written if the simulation
        has `event_kinds`. state: `hash()` of the simulation after the step. With it, replaying
        names the first frame in which anything differs, in the world or beside it.

        ValueError, and nothing is written, unless `frame` is `next_frame`."""
        line = SimFrame(index(frame), cast("list[schema.Input]", list(inputs)))
        if events is not None:
            line.events = [
                (int(a), int(b), int(kind), int(contact)) for a, b, kind, contact in events
            ]
        if game is not None and self._has_game:
            line.game = [(int(a), int(b), int(kind), int(value)) for a, b, kind, value in game]
        if hash is not None:
            line.hash = f"{hash:016x}"
        if state is not None:
            line.state = f"{state:016x}"
        self._record(line)

    @exclusive
    def _record(self, line: SimFrame) -> None:
        due = self.next_frame
        if line.frame != due:
            raise ValueError(f"frame must be {due}, the next of this log, not {line.frame}")
        try:
            text = self._lines.checked(line)
        except LineError as wrong:
            name, number = self._writer.name, self.frames + 2
            raise MatchLogError(name, number, wrong.path, wrong.reason) from wrong
        try:
            self._writer.write(text)
        except BaseException:
            self._abandon()
            raise

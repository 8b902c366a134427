"""Two runs side by side: each a log as it was recorded, or as a simulation plays its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, TypeAlias

from msgspec import UNSET

from fixsync.base.strict_json import LineError
from fixsync.log.lines import check_ids
from fixsync.log.player import Player, UnknownSimulationError
from fixsync.log.reader import Reader
from fixsync.log.schema import FRAME_MAX, Event, Frame, SimFrame
from fixsync.match import sim
from fixsync.match.builds import origin
from fixsync.world.records import Events
from fixsync.world.world import Command, World

Simulations: TypeAlias = Mapping[str, sim.SimulationType]
"""Simulations by the names that logs have for them."""


class Run:
    """A log that is read and played: its frames one by one, and its world after each."""

    def __init__(
        self,
        reader: Reader,
        simulations: Simulations | None = None,
        *,
        player: sim.SimulationType | None = None,
        is_played: bool = True,
    ) -> None:
        """`simulations`: as for `Player`. player: plays the inputs, whatever its name is, and gives
        the frames their events and hashes in the place of the log's own. is_played: False for a log
        that is read alone."""
        self.reader = reader
        self.is_computed = player is not None
        self._type = player
        self.player: Player | None = None
        self.unknown: UnknownSimulationError | None = None
        """Why the log is not played. Without its simulation it can still be read and compared."""
        self.recorded: Any = None
        """The frame as the log has it."""
        self._frame: Any = None
        self.keeps_states = False
        """Whether `stepped_world` will be called, which needs the state before the frame."""
        self._before: bytes | None = None
        """The bytes that the simulation saved before the frame; None before the first."""
        if not is_played:
            return
        if player is not None:
            if reader.header.sim is None:
                raise ValueError(f"{reader.name} is a trace: it has no inputs to play again")
            simulations = {reader.header.sim: player}
        try:
            self.player = Player(reader.header, simulations)
        except UnknownSimulationError as wrong:
            self.unknown = wrong
        except LineError as wrong:
            raise reader.error(wrong) from wrong

    def __iter__(self) -> Iterator[Frame]:
        """The frames. MatchLogError for one that is not valid or cannot be played."""
        for frame in self.reader:
            try:
                check_ids(frame, self.reader.header)
                self._frame = self.recorded = frame
                if self.player is not None:
                    self._play(self.player, frame)
            except LineError as wrong:
                if self._type is not None:
                    wrong_reason = f"{wrong.reason}; played with {origin(self._type)}"
                    wrong = LineError(wrong.path, wrong_reason, in_header=wrong.in_header)
                raise self.reader.error(wrong) from wrong
            yield self._frame

    def _play(self, player: Player, frame: Frame) -> None:
        if self.keeps_states:
            self._before = None if player.simulation is None else player.simulation.save()
        if not self.is_computed:
            player.play(frame)
            return
        try:
            player.play(frame)
            self._frame = player.filled(frame)
        except LineError:
            raise
        except Exception as error:  # a version of a game that is being changed may raise anything
            raise LineError("inputs", f"{type(error).__name__}: {error}") from error

    @property
    def events(self) -> list[Event]:
        """Those of the frame: the log's, or else the computed ones. LineError if the log has none
        and its simulation is not known."""
        if self._frame.events is not UNSET:
            found: list[Event] = self._frame.events
            return found
        if self.player is None:
            assert self.unknown is not None  # noqa: S101 - why there is no player
            raise self.reader.error(self.unknown)
        return self.player.events

    @property
    def is_over(self) -> bool:
        """Whether a simulation that plays in the place of the recorded one says so."""
        return self.is_computed and self.player is not None and self.player.over_after is not None

    @property
    def saved(self) -> bytes:
        """The state after the frame, of a log that is played."""
        assert self.player is not None  # noqa: S101
        return (self.player.simulation or self.player.world).save()

    def fields(self) -> Any:
        """The same as named fields."""
        assert self.player is not None  # noqa: S101
        return sim.fields_of(self.player.simulation, self.saved)

    def stepped_world(self) -> World | None:
        """The world right after the step of the frame; None for a log that is not played."""
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


Pair: TypeAlias = tuple[Frame | None, Frame | None]
"""A frame of two runs; None for one that has ended."""


def walk(
    runs: tuple[Run, Run],
    *,
    skipped: Callable[[Run], object] | None = None,
) -> Iterator[tuple[int, Pair]]:
    """The frames of two runs by their numbers, from the first one that both have.

    skipped: called for each frame before. The runs go on to the end of the longer one; `ended`
    reads what a caller leaves unread."""
    first = max(run.reader.header.first_frame for run in runs)

    def shared(run: Run) -> Iterator[Frame]:
        for frame in run:
            if run.reader.frames > first - run.reader.header.first_frame:
                yield frame
            elif skipped is not None:
                skipped(run)

    is_one_log = runs[0].reader.name == runs[1].reader.name
    for count, (a, b) in enumerate(zip_longest(shared(runs[0]), shared(runs[1]))):
        if is_one_log and (a is None or b is None):
            return  # it is being written
        yield (first + count) & FRAME_MAX, (a, b)


def ended(runs: tuple[Run, Run]) -> None:
    """Reads both logs to their ends, so that an error there is found. Nothing more is played."""
    for run in runs:
        for _ in run.reader:
            pass

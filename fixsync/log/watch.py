"""Plays a log step by step for a watcher: the commands of each frame, and the world right after its
step. A log of a simulation is watched as the trace that its simulation leaves."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from fixsync._native.rows import EVENT
from fixsync.base.names import Names
from fixsync.log.player import Player, UnknownSimulationError, found
from fixsync.log.reader import Reader
from fixsync.log.schema import Answer, Command, Event, Header, SimFrame, TraceFrame
from fixsync.match import sim
from fixsync.world.records import Events
from fixsync.world.world import World

__all__ = ["Observed", "Start", "Step", "Watched", "Watcher", "known", "watch"]


class Start(NamedTuple):
    """A match before its first frame."""

    header: Header
    world: World
    names: Mapping[int, str]
    """Names of ids, those of the log, or else of its simulation."""
    layers: Mapping[int, str]
    """Names of layers, likewise."""
    owners: Mapping[int, str]
    """Names of owners, likewise."""

    @classmethod
    def of(cls, header: Header, world: World, own: Names | None = None) -> Start:
        """`own`: the names of the simulation."""
        own, names = own or Names(), header.names
        return cls(
            header, world, {**own.ids, **names.ids}, {**own.layers, **names.layers},
            {**own.owners, **names.owners},
        )  # fmt: skip


class Step(NamedTuple):
    """A frame, right after the step of its world."""

    frame: int
    commands: Sequence[Command]
    """The commands that lead from the step before to this one."""
    world: World
    """As it is at the step; a simulation may change it afterwards."""
    events: list[Event]
    """As they are computed."""
    phases: Mapping[int, tuple[str, str]]
    """Those of the simulation; empty without one."""
    answers: Sequence[Answer] = ()
    """Those to the queries and casts of a trace."""


class Watcher(Protocol):
    """The methods that `watch` calls."""

    def begin(self, start: Start) -> None:
        """Before the first frame; again, before any frame, if a state is loaded."""

    def step(self, step: Step) -> None:
        """Each frame in turn. The world may be read, and not changed."""


class Watched(NamedTuple):
    """The match that was played."""

    header: Header
    frames: int
    cut: str
    """Why the log counts as cut short; "" for a whole one."""


def watch(
    path: str | os.PathLike[str],
    watcher: Watcher,
    *,
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> Watched:
    """Plays a whole log. MatchLogError for one that is not valid or whose simulation is not known,
    OSError for one that cannot be read."""
    with Reader(path, progress=progress) as reader:
        header = reader.header
        play = _simulated if header.sim is not None else _traced
        next_frame = play(header, watcher, simulations or {})
        for frame in reader:
            next_frame(frame)
        return Watched(header, reader.frames, reader.cut)


def _traced(
    header: Header, watcher: Watcher, _: Mapping[str, sim.SimulationType]
) -> Callable[[Any], None]:
    player = Player(header)
    watcher.begin(Start.of(header, player.world))

    def play(frame: TraceFrame) -> None:
        player.play(frame)
        step = frame.frame, frame.commands, player.world, player.events
        watcher.step(Step(*step, {}, player.answers))

    return play


def _simulated(
    header: Header, watcher: Watcher, simulations: Mapping[str, sim.SimulationType]
) -> Callable[[Any], None]:
    kind = known(header, simulations)
    if kind is None:
        return Player(header).play  # type: ignore[return-value] # it has the error
    run = _Run(kind, header, watcher)
    player = Player(header, {str(header.sim): run})

    def play(frame: SimFrame) -> None:
        run.frame = frame.frame
        player.play(frame)
        run.raise_failure()

    return play


def known(
    header: Header, simulations: Mapping[str, sim.SimulationType]
) -> sim.SimulationType | None:
    """The simulation of a log; None for a trace, and for a name that is not known."""
    if header.sim is None:
        return None
    try:
        return found(header.sim, simulations)
    except UnknownSimulationError:
        return None


class Observed(ABC):
    """A simulation's type that observes the world of the simulation that it makes."""

    def __init__(self, kind: sim.SimulationType) -> None:
        self.simulation: Any = None
        self.commands: list[Any] = []
        """Those since the last step."""
        self._kind = kind
        self._has_stepped = False

    @property
    def name(self) -> str:
        return self._kind.name

    def __call__(self, seed: int, players: int) -> sim.Simulation:
        self.simulation = made = self._kind(seed, players)
        self._begin()
        made.world.attach(self)
        return made

    @abstractmethod
    def _begin(self) -> None:
        """Before the first frame; again, before any frame, if a state is loaded."""

    @abstractmethod
    def _step(self, events: Events) -> None:
        """Right after a step of the world."""

    def changed(self, command: Any) -> None:
        """Called by the world."""
        self.commands.append(command)

    def stepped(self, events: Events) -> None:
        """Called by the world."""
        self._has_stepped = True
        self._step(events)
        self.commands = []

    def loaded(self) -> None:
        """Called by the world: before the first frame, the log's `from` was loaded."""
        if self.commands or self._has_stepped:
            raise ValueError("the simulation loads its world while it plays: it cannot be watched")
        self._begin()


class _Run(Observed):
    """Calls a watcher."""

    def __init__(self, kind: sim.SimulationType, header: Header, watcher: Watcher) -> None:
        super().__init__(kind)
        self.frame = 0
        self._header = header
        self._watcher = watcher
        self._failure: BaseException | None = None

    def _begin(self) -> None:
        own = sim.names_of(self.simulation)
        start = Start.of(self._header, self.simulation.world, own)
        self._guarded(self._watcher.begin, start)

    def _step(self, events: Events) -> None:
        commands = msgspec.convert(self.commands, list[Command])
        rows = list(EVENT.iter_unpack(events.buffer.cast("B")))
        phases = sim.phases_of(self.simulation)
        world = self.simulation.world
        self._guarded(self._watcher.step, Step(self.frame, commands, world, rows, phases))

    def _guarded(self, call: Callable[[Any], None], value: object) -> None:
        """The player would take an error of the watcher for one of the simulation."""
        if self._failure is None:
            try:
                call(value)
            except Exception as error:
                self._failure = error

    def raise_failure(self) -> None:
        """Raises the watcher's error, if it had one."""
        if self._failure is not None:
            raise self._failure

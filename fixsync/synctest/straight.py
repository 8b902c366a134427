"""The straight run of a simulation, one step a frame, with which all other runs are compared; and
its inputs, from bots or from a match log."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, TypeAlias

from fixsync.base.fields import Difference, difference_lines, differences
from fixsync.log.reader import Reader
from fixsync.log.recorder import SimRecorder
from fixsync.log.schema import SimFrame
from fixsync.match import sim
from fixsync.match.sim import Input, Simulation, SimulationType, Stepped
from fixsync.synctest.player_process import Case, Result, digest, tuples
from fixsync.world.records import Event, Events, GameEvent
from fixsync.world.shapes import Contact, EventKind

Inputs: TypeAlias = Sequence[Sequence[Input]]
"""For each frame, one input per player."""


@dataclass(frozen=True)
class Divergence:
    """The finding of a check: the first frame whose state or events are not the straight run's."""

    check: str
    how: str
    """The other way of running, as text."""
    frame: int
    """The frame that gave another result; -1 for the state at the start."""
    until: int = -1
    """The last frame of the match that shows it: later, where it went back before `frame`."""
    differences: list[Difference] = field(default_factory=list)
    """Of the states, field by field: straight, and otherwise."""
    events: tuple[tuple[Event, ...], tuple[Event, ...]] | None = None
    """Of the frame: straight, and otherwise; None if they are the same."""
    game: tuple[tuple[GameEvent, ...], tuple[GameEvent, ...]] | None = None
    """The game's own events, likewise."""
    error: str = ""
    """The error in place of a result."""
    names: Mapping[int, str] = field(default_factory=dict)
    """What the simulation calls its ids."""
    kinds: Mapping[int, str] = field(default_factory=dict)
    """And the kinds of its own events."""
    sides: tuple[str, str] = ("straight", "otherwise")
    """Where the two sides of differences and events come from."""
    lines: tuple[str, ...] = ()
    """The lines of the game that decide it, as text."""
    asks: tuple[str, ...] = ()
    """The lines that ask the machine, where nothing else is named."""
    can_be_shortened: bool = True
    """Whether a shorter match may show it again."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Of the surroundings of the process that differs."""
    salt: int = 0
    """With which the orders of sets differ."""
    loaded: int | None = None
    """The frame whose state before it was loaded."""

    @property
    def when(self) -> str:
        """The frame in words."""
        return "at the start" if self.frame < 0 else f"after frame {self.frame}"

    def explain(self) -> str:
        """The finding as text."""
        lines = [f"{self.check}: {self.how}: another result {self.when}"]
        if self.error:
            lines.append(f"  {self.error}")
        if self.differences:
            lines.append(f"  values {self.sides[0]}, then {self.sides[1]}:")
            lines += [f"    {line}" for line in difference_lines(self.differences, self.names)]
        width = max(map(len, self.sides))
        for what, both in (("events", self.events), ("game events", self.game)):
            for side, events in zip(self.sides, both or (), strict=False):
                kinds = self.kinds if what != "events" else _KINDS
                shown = ", ".join(_event_text(event, kinds) for event in events[:6])
                more = ", ..." if len(events) > 6 else ""
                lines.append(f"  {what} {side.ljust(width)}: {shown or 'none'}{more}")
        lines += [f"  decided at {line}" for line in self.lines]
        lines += [f"  it asks the machine at {line}" for line in self.asks]
        return "\n".join(lines)


_Row: TypeAlias = tuple[bytes, Stepped | None]
"""A state, and the events of the step that led to it."""
_KINDS = {int(kind): kind.name for kind in EventKind}


def _event_text(event: Sequence[int], kinds: Mapping[int, str]) -> str:
    a, b, kind, last = map(int, event)
    return f"{a}-{b} {kinds.get(kind, kind)} {Contact(last).name if kinds is _KINDS else last}"


@dataclass
class Straight:
    """The run with which all others are compared."""

    type: SimulationType
    seed: int
    players: int
    inputs: list[tuple[Input, ...]]
    states: list[bytes]
    """states[f] is before frame f; there is one more than frames."""
    events: list[tuple[Event, ...]]
    hashes: list[int]
    """By frame, what `hash` gave for the state after it."""
    names: Mapping[int, str] = field(default_factory=dict)
    """What the simulation calls its ids."""
    game: list[tuple[GameEvent, ...]] = field(default_factory=list)
    """By frame, the game's own events."""
    kinds: Mapping[int, str] = field(default_factory=dict)
    """And the kinds of its own events."""
    is_over: bool = False
    """Whether the simulation ended the match after the last frame."""

    @property
    def frames(self) -> int:
        return len(self.inputs)

    def result(self) -> Result:
        """The results by frame, to compare with those of other processes."""
        rows = ((state, self.step(frame)) for frame, state in enumerate(self.states, -1))
        return Result(tuple(digest(*row) for row in rows))

    def step(self, frame: int) -> Stepped | None:
        """The events of a frame; None before the first."""
        return Stepped(self.events[frame], self.game[frame]) if frame >= 0 else None

    def start(self) -> Simulation:
        """The simulation anew, at frame 0."""
        return sim.start(self.type, self.seed, self.players)

    def again(self, inputs: Inputs) -> Straight:
        """The straight run of other inputs."""
        return run_straight(self.type, self.seed, self.players, inputs)

    def divergence(
        self,
        check: str,
        how: str,
        frame: int,
        state: bytes,
        step: Stepped | None = None,
        loaded: int | None = None,
    ) -> Divergence | None:
        """A finding, unless a frame's state and events are those of the straight run."""
        made = Divergence(check, how, frame, loaded=loaded)
        return self.compared(made, (self.states[frame + 1], self.step(frame)), (state, step))

    def compared(self, made: Divergence, one: _Row, two: _Row) -> Divergence | None:
        """A finding with the differences of two rows; None if there are none. Events are compared
        if both have them."""
        (state, step), (other_state, other) = one, two
        events = game = None
        if step is not None and other is not None and other.events != step.events:
            events = tuple(step.events), tuple(other.events)
        if step is not None and other is not None and other.game != step.game:
            game = tuple(step.game), tuple(other.game)
        if state == other_state and events is None and game is None:
            return None
        fields = (sim.fields_of(self.type, data) for data in (state, other_state))
        try:
            found, error = [] if state == other_state else list(differences(*fields)), ""
        except ValueError as wrong:
            found, error = [], f"{wrong}, from its saved state"
        made = replace(made, differences=found, error=error, events=events, game=game)
        return replace(made, names=self.names, kinds=self.kinds)


class SimulationError(ValueError):
    """A simulation raised an exception in the straight run: its `__cause__`."""


@contextmanager
def _running(where: str, *passing: type[Exception]) -> Iterator[None]:
    """An error of a simulation within becomes a SimulationError with its place."""
    try:
        yield
    except passing:
        raise
    except Exception as error:
        raise SimulationError(f"{where}: it raised {raised(error)}") from error


def _made(simulation: SimulationType, seed: int, players: int) -> Simulation:
    with _running("at the start", ValueError):
        return sim.start(simulation, seed, players)


def raised(error: Exception) -> str:
    """An exception as text."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def run_straight(simulation: SimulationType, seed: int, players: int, inputs: Inputs) -> Straight:
    """Steps a simulation once a frame, until it is over; later inputs are left out.

    ValueError if it does not keep to the protocol or refuses an input, SimulationError if it
    raises."""
    made = _made(simulation, seed, players)
    checked = [_checked(made, frame, values) for frame, values in enumerate(inputs)]
    world_steps: list[Events] = []
    observer: Any = SimpleNamespace(changed=bool, loaded=bool, stepped=world_steps.append)
    made.world.attach(observer)
    states, steps, hashes = [made.save()], [], []
    for frame, values in enumerate(checked):
        with _running(f"frame {frame}"):
            steps.append(sim.stepped(made, values))
            states.append(made.save())
            hashes.append(made.hash())
            over = sim.is_over(made)
        if (count := len(world_steps) - frame) != 1:
            raise ValueError(f"frame {frame}: it stepped its world {count} times, not once")
        if over:
            break
    made.world.detach(observer)
    events, game = [tuple(step.events) for step in steps], [step.game for step in steps]
    given, names = (simulation, seed, players, checked[: len(steps)]), sim.names_of(made).ids
    kinds = sim.names_of_kinds(getattr(simulation, "event_kinds", None))
    return Straight(*given, states, events, hashes, names, game, kinds, sim.is_over(made))


def _checked(simulation: Simulation, frame: int, values: Sequence[Input]) -> tuple[Input, ...]:
    if len(values) != simulation.players:
        raise ValueError(f"frame {frame}: {len(values)} inputs for {simulation.players} players")
    try:
        return tuple(
            sim.check_input(simulation, player, value) for player, value in enumerate(values)
        )
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"frame {frame}: {wrong}") from wrong


# Inputs and logs.


def log_case(
    log: str | os.PathLike[str], reference: str | None = None, last: int | None = None
) -> Case:
    """The match of a log, up to a frame; its simulation is that of the log without a reference.
    ValueError for a log without inputs."""
    with Reader(log) as reader:
        header, inputs = reader.header, []
        for frame in reader:
            if not isinstance(frame, SimFrame):
                break
            if last is None or frame.frame <= last:
                inputs.append(tuples(frame.inputs))
    if header.sim is None:
        raise ValueError(f"{log} is a trace: it has commands, not the inputs of a simulation")
    # A log without frames has the number of players as recorders write it.
    players: Any = len(inputs[0]) if inputs else (header.meta or {}).get("players")
    is_known = type(players) is int and 1 <= players <= sim.PLAYERS_MAX
    state = None if header.start is None else header.start.state
    return Case(reference or header.sim, header.seed, players if is_known else 1, inputs, state)


def bot_inputs(
    simulation: SimulationType, seed: int, players: int, frames: int
) -> list[tuple[Input, ...]]:
    """The inputs of its bots until it is over, at most so many frames; idle without bots."""
    made = _made(simulation, seed, players)
    if not isinstance(simulation, sim.HasBots):
        return [(sim.idle_input(made),) * players] * frames
    bots = [simulation.bot(player, sim.bot_seed(seed)) for player in range(players)]
    inputs = []
    for frame in range(frames):
        with _running(f"frame {frame}"):
            decided = [bot.decide(made) for bot in bots]
        values = _checked(made, frame, decided)
        with _running(f"frame {frame}"):
            made.step(values)
        inputs.append(values)
        if sim.is_over(made):
            break
    return inputs


def write_log(straight: Straight, path: str | os.PathLike[str]) -> None:
    """Records a straight run as a match log, with events and hashes."""
    made, meta = straight.start(), {"players": straight.players}
    with SimRecorder(made, path, seed=straight.seed, replace=True, meta=meta) as recorder:
        for frame, values in enumerate(straight.inputs):
            events, game = sim.stepped(made, values)
            recorder.record(frame, values, events, made.world.hash(), game, made.hash())

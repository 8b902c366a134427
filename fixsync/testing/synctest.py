"""The sync test: a simulation is run in every way that peers, rollbacks and machines will run it,
and compared.

The straight run steps one simulation once a frame. The checks compare others with it:

- `save and load`: every state is loaded into a fresh simulation and saved again; and `hash` is that
  of the saved bytes.
- `rollback`: every frame rolls back some frames and steps again, also after frames on guessed
  inputs, as a rollback session does.
- `order`: the world's changes are made in another order, and the game's own containers are
  reordered before every frame, if it has `shuffle`.
- `process`: two fresh processes that hash strings differently run it straight.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from fixsync import processes, sim
from fixsync.fields import Difference, differences
from fixsync.game.random import Random
from fixsync.log.reader import Reader
from fixsync.log.recorder import SimRecorder
from fixsync.log.schema import SimFrame
from fixsync.records import Collider, Event, Events
from fixsync.sim import Input, Simulation, SimulationType
from fixsync.world import Command, World

__all__ = [
    "CHECKS",
    "Divergence",
    "Inputs",
    "SimulationError",
    "Straight",
    "bot_inputs",
    "log_inputs",
    "run_check",
    "run_straight",
    "write_log",
]

Inputs: TypeAlias = Sequence[Sequence[Input]]
"""By frame, an input a player."""

ROLLBACK_FRAMES = 8
_DIFFERENCES_TOLD_MAX = 12


@dataclass(frozen=True)
class Divergence:
    """What a check found: the first frame after which a state or the events are not those of the
    straight run."""

    check: str
    how: str
    """What was done differently, in words."""
    frame: int
    """The frame that gave another result; -1 for the state at the start."""
    differences: list[Difference] = field(default_factory=list)
    """Of the states, field by field: straight, and otherwise."""
    events: tuple[tuple[Event, ...], tuple[Event, ...]] | None = None
    """Of the frame: straight, and otherwise; None if they are the same."""
    error: str = ""
    """What came instead of a result."""
    names: Mapping[int, str] = field(default_factory=dict)
    """What the simulation calls its ids."""

    def explain(self) -> str:
        """The finding as text."""
        when = "at the start" if self.frame < 0 else f"after frame {self.frame}"
        lines = [f"{self.check}: {self.how}: another result {when}"]
        if self.error:
            lines.append(f"  {self.error}")
        if self.differences:
            lines.append("  values straight, then otherwise:")
            found = self.differences[:_DIFFERENCES_TOLD_MAX]
            lines += [f"    {difference.told(self.names)}" for difference in found]
            more = len(self.differences) - _DIFFERENCES_TOLD_MAX
            lines += [f"    and {more} more"] if more > 0 else []
        if self.events is not None:
            for name, events in zip(("straight ", "otherwise"), self.events, strict=True):
                shown = ", ".join(f"{e.a}-{e.b} {e.kind!r} {e.contact!r}" for e in events[:6])
                lines.append(
                    f"  events {name}: {shown or 'none'}{', ...' if len(events) > 6 else ''}"
                )
        return "\n".join(lines)


@dataclass
class Straight:
    """The straight run, with which all others are compared."""

    type: SimulationType
    seed: int
    players: int
    inputs: list[tuple[Input, ...]]
    states: list[bytes]
    """states[f] is before frame f; there is one more than frames."""
    events: list[tuple[Event, ...]]
    commands: list[list[Command]] | None
    """By frame, the changes of the world before its step; those before frame 0 include what it
    began with.

    None for a simulation that loads its world within a step, which no list of changes can tell.
    """
    world_hashes: list[int]
    """By frame, of the world right after its step."""
    hashes: list[int]
    """By frame, what `hash` gave for the state after it."""
    names: Mapping[int, str] = field(default_factory=dict)
    """What the simulation calls its ids."""

    @property
    def frames(self) -> int:
        return len(self.inputs)

    def divergence(
        self, check: str, how: str, frame: int, state: bytes, events: Sequence[Event] | None = None
    ) -> Divergence | None:
        """A finding, unless the state and the events after a frame are those of the straight
        run.
        """
        expected = self.states[frame + 1]
        is_same = events is None or tuple(events) == self.events[frame]
        if state == expected and is_same:
            return None
        found = []
        if state != expected:
            fields = (sim.fields_of(self.type, data) for data in (expected, state))
            try:
                found = list(differences(*fields))
            except ValueError as error:
                return Divergence(check, how, frame, error=f"{error}, from what it saved")
        told = None if is_same or events is None else (self.events[frame], tuple(events))
        return Divergence(check, how, frame, found, told, names=self.names)


class SimulationError(ValueError):
    """A simulation raised an exception in the straight run: its `__cause__`."""


@contextmanager
def _running(where: str) -> Iterator[None]:
    """What a simulation raises within becomes a SimulationError that says where it was."""
    try:
        yield
    except Exception as error:
        raise SimulationError(f"{where}: it raised {_raised(error)}") from error


def _made(simulation: SimulationType, seed: int, players: int) -> Simulation:
    try:
        return sim.start(simulation, seed, players)
    except ValueError:
        raise
    except Exception as error:
        raise SimulationError(f"at the start: it raised {_raised(error)}") from error


def _raised(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class _Observer:
    """Hears what a simulation does to its world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.pending: list[Command] = [_add(collider) for collider in world.colliders()]
        self.commands: list[list[Command]] = []
        self.has_loaded = False
        self.hashes: list[int] = []

    def changed(self, command: Command) -> None:
        self.pending.append(command)

    def stepped(self, events: Events) -> None:  # noqa: ARG002 - the world calls it so
        self.commands.append(self.pending)
        self.pending = []
        self.hashes.append(self.world.hash())

    def loaded(self) -> None:
        self.has_loaded = True


def _add(c: Collider) -> Command:
    position = c.pose.x, c.pose.y, c.pose.z
    return (
        "add",
        c.id,
        c.shape.as_tuple(),
        position,
        c.pose.yaw,
        c.layer,
        c.owner,
        c.offset,
        c.active,
    )


def run_straight(simulation: SimulationType, seed: int, players: int, inputs: Inputs) -> Straight:
    """Steps a simulation once a frame.

    ValueError if it does not keep to the protocol or refuses an input, SimulationError if it
    raises."""
    made = _made(simulation, seed, players)
    checked = [_checked(made, frame, values) for frame, values in enumerate(inputs)]
    observer = _Observer(made.world)
    made.world.attach(observer)
    states, events, hashes = [made.save()], [], []
    for frame, values in enumerate(checked):
        with _running(f"frame {frame}"):
            events.append(tuple(made.step(values)))
            states.append(made.save())
            hashes.append(made.hash())
        if len(observer.commands) != frame + 1:
            raise ValueError(
                f"frame {frame}: it stepped its world {len(observer.commands) - frame} times, not once"
            )
    made.world.detach(observer)
    commands = None if observer.has_loaded else observer.commands
    names = sim.names_of(made).ids
    return Straight(
        simulation, seed, players, checked, states, events, commands, observer.hashes, hashes, names
    )


def _checked(simulation: Simulation, frame: int, values: Sequence[Input]) -> tuple[Input, ...]:
    if len(values) != simulation.players:
        raise ValueError(f"frame {frame}: {len(values)} inputs for {simulation.players} players")
    try:
        return tuple(
            sim.check_input(simulation, player, value) for player, value in enumerate(values)
        )
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"frame {frame}: {wrong}") from wrong


# The checks. Each gives the first divergence that it finds, or None.


@dataclass
class _At:
    """Where a check is, for what the simulation raises there."""

    frame: int = -1


def _save_and_load(straight: Straight, at: _At, _back: int) -> Divergence | None:
    check = "save and load"
    for frame, (value, state) in enumerate(zip(straight.hashes, straight.states[1:], strict=True)):
        if value != sim.hash_of(state):
            told = f"hash {value:016x}, where the hash of what save() gave is {sim.hash_of(state):016x}"
            return Divergence(check, "hash() of the straight run", frame, error=told)
    for frame, state in enumerate(straight.states, start=-1):
        at.frame = frame
        fresh = sim.start(straight.type, straight.seed, straight.players)
        fresh.load(state)
        found = straight.divergence(
            check, "loaded into a fresh simulation and saved", frame, fresh.save()
        )
        if found is not None:
            return found
    # What was loaded must not only save alike, but go on alike.
    for frame in range(straight.frames):
        at.frame = frame
        fresh = sim.start(straight.type, straight.seed, straight.players)
        fresh.load(straight.states[frame])
        events = fresh.step(straight.inputs[frame])
        how = "stepped by a fresh simulation that loaded the state before"
        found = straight.divergence(check, how, frame, fresh.save(), events)
        if found is not None:
            return found
    return None


def _rollback(straight: Straight, at: _At, back: int) -> Divergence | None:
    check = "rollback"
    made = sim.start(straight.type, straight.seed, straight.players)
    inputs = straight.inputs
    for frame in range(straight.frames):
        at.frame = frame
        found = straight.divergence(check, "stepped on", frame, *_stepped(made, inputs[frame]))
        if found is not None:
            return found
        # A guess that turns out wrong: nobody does anything, then everybody goes on as before.
        idle = sim.idle_input(made)
        for ahead in range(1 + frame % back):
            made.step([idle] * straight.players if frame % 2 else inputs[max(0, frame - ahead)])
        first = max(0, frame + 1 - back)
        made.load(straight.states[first])
        for again in range(first, frame + 1):
            at.frame = again
            how = f"gone back {frame + 1 - first} frames after frame {frame}, and stepped again"
            found = straight.divergence(check, how, again, *_stepped(made, inputs[again]))
            if found is not None:
                return found
    return None


def _stepped(simulation: Simulation, inputs: tuple[Input, ...]) -> tuple[bytes, tuple[Event, ...]]:
    events = tuple(simulation.step(inputs))
    return simulation.save(), events


def _order(straight: Straight, at: _At, _back: int) -> Divergence | None:
    return _world_order(straight, at) or _game_order(straight, at)


def _world_order(straight: Straight, at: _At) -> Divergence | None:
    """The same changes of a world, those of different colliders in another order between two
    steps.
    """
    if straight.commands is None:
        return None
    made = sim.start(straight.type, straight.seed, straight.players).world
    world = World(made.capacity, hit_when=made.hit_when, layers=made.layers, level=made.level)
    random = Random(straight.seed)
    how = "with the world's changes in another order"
    for frame, commands in enumerate(straight.commands):
        at.frame = frame
        by_id: dict[int | None, list[Command]] = {}
        for command in commands:
            id = None if command[0] == "layers" else command[1]
            by_id.setdefault(id, []).append(command)
        ids = list(by_id)
        random.shuffle(ids)
        for id in ids:
            world.apply(by_id[id])
        events = tuple(world.step())
        if events != straight.events[frame] or world.hash() != straight.world_hashes[frame]:
            told = (straight.events[frame], events)
            return Divergence("order", how, frame, events=told, error="another hash of the world")
    return None


def _game_order(straight: Straight, at: _At) -> Divergence | None:
    made = sim.start(straight.type, straight.seed, straight.players)
    if not isinstance(made, sim.Shuffles):
        return None
    random = Random(straight.seed)
    how = "with what the game holds put into another order before each frame"
    for frame in range(straight.frames):
        at.frame = frame
        made.shuffle(random)
        found = straight.divergence("order", how, frame, *_stepped(made, straight.inputs[frame]))
        if found is not None:
            return found
    return None


_Check: TypeAlias = Callable[[Straight, _At, int], Divergence | None]
_IN_PROCESS: dict[str, _Check] = {
    "save and load": _save_and_load,
    "rollback": _rollback,
    "order": _order,
}
CHECKS = (*_IN_PROCESS, "process")
"""The names of the checks, in the order in which they are made."""


def run_check(
    name: str, straight: Straight, *, back: int = ROLLBACK_FRAMES, reference: str = ""
) -> Divergence | None:
    """One of CHECKS: the first divergence that it finds, or None.

    back: number of frames that `rollback` goes back. reference: the simulation as
    `fixsync.sim.find` knows it in another process, which `process` needs. An exception that it
    raises in a check only is a divergence too."""
    if back < 1:
        raise ValueError(f"back must be 1 or more, not {back}")
    if name == "process":
        return _process(straight, reference)
    at = _At()
    try:
        return _IN_PROCESS[name](straight, at, back)
    except Exception as error:
        return Divergence(name, "run otherwise", at.frame, error=f"it raised {_raised(error)}")


def _process(straight: Straight, reference: str) -> Divergence | None:
    with tempfile.TemporaryDirectory(prefix="fixsync-synctest-") as directory:
        log = Path(directory) / "inputs.jsonl"
        write_log(straight, log)
        for key in ("1", "2"):
            how = f"in a fresh process, with PYTHONHASHSEED={key}"
            states = Path(directory) / f"states{key}"
            failed = _run_worker(reference, log, states, key)
            with states.open("rb") if states.exists() else open(os.devnull, "rb") as file:  # noqa: PTH123
                for frame in range(-1, straight.frames):
                    size = file.read(4)
                    if len(size) < 4:
                        return Divergence("process", how, frame, error=failed or "no more states")
                    state = file.read(int.from_bytes(size, "little"))
                    found = straight.divergence("process", how, frame, state)
                    if found is not None:
                        return found
    return None


def _run_worker(reference: str, log: Path, states: Path, key: str) -> str:
    """Runs a log in a fresh process, which writes its states; returns what it said when it
    failed.
    """
    environment = {**processes.environment(), "PYTHONHASHSEED": key}
    command = [*processes.command("fixsync.testing.synctest"), reference, str(log), str(states)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return f"it raised {lines[-1]}" if lines else f"it ended with exit code {done.returncode}"


def _work(reference: str, log: Path, states: Path) -> None:
    """What the fresh process does."""
    with Reader(log) as reader, states.open("wb") as file:
        made = None
        for frame in reader:
            inputs = _inputs_of(frame)
            if made is None:
                made = sim.start(sim.find(reference), reader.header.seed, len(inputs))
                _put(file, made.save())
            made.step([sim.check_input(made, player, value) for player, value in enumerate(inputs)])
            _put(file, made.save())


def _put(file: object, state: bytes) -> None:
    file.write(len(state).to_bytes(4, "little") + state)  # type: ignore[attr-defined] # a binary file


def not_checked(straight: Straight) -> list[str]:
    """What the checks could not see, in words."""
    said = []
    if not isinstance(straight.type, sim.Shuffles):
        said.append(
            "order: it has no shuffle(): only the world's changes were put into another order"
        )
    if straight.commands is None:
        said.append(
            "order: it loads its world within a step: that world's changes kept their order"
        )
    if len({value for values in straight.inputs for value in values}) < 2:
        why = "" if isinstance(straight.type, sim.HasBots) else "it has no bot(), and "
        said.append(f"{why}all inputs were the same: give others with --inputs LOG")
    if not any(straight.events):
        said.append("nothing hit anything in this match, so little was put to the test")
    return said


# Inputs and logs.


def _inputs_of(frame: object) -> tuple[Input, ...]:
    if not isinstance(frame, SimFrame):
        raise ValueError("the log is a trace: it has commands, not the inputs of a simulation")
    return tuple(tuple(value) if isinstance(value, list) else value for value in frame.inputs)


def log_inputs(path: str | os.PathLike[str]) -> tuple[str, int, list[tuple[Input, ...]]]:
    """The simulation's name, the seed and the inputs of a match log. ValueError for a log without
    inputs.
    """
    with Reader(path) as reader:
        if reader.header.sim is None:
            raise ValueError(f"{path} is a trace: it has commands, not the inputs of a simulation")
        return reader.header.sim, reader.header.seed, [_inputs_of(frame) for frame in reader]


def bot_inputs(
    simulation: SimulationType, seed: int, players: int, frames: int
) -> list[tuple[Input, ...]]:
    """The inputs of a simulation's bots for a number of frames; idle inputs without bots."""
    made = _made(simulation, seed, players)
    if not isinstance(simulation, sim.HasBots):
        return [(sim.idle_input(made),) * players] * frames
    bots = [simulation.bot(player, seed) for player in range(players)]
    inputs = []
    for frame in range(frames):
        with _running(f"frame {frame}"):
            decided = [bot.decide(made) for bot in bots]
        values = _checked(made, frame, decided)
        with _running(f"frame {frame}"):
            made.step(values)
        inputs.append(values)
    return inputs


def write_log(straight: Straight, path: str | os.PathLike[str]) -> None:
    """Records a straight run as a match log, with events and hashes."""
    made = sim.start(straight.type, straight.seed, straight.players)
    meta, names = {"players": straight.players}, sim.names_of(made)
    with SimRecorder(
        made, path, seed=straight.seed, replace=True, meta=meta, names=names
    ) as recorder:
        for frame, values in enumerate(straight.inputs):
            events = made.step(values)
            recorder.record(frame, values, events, made.world.hash())


def main() -> None:
    """The fresh process that `_run_worker` starts."""
    _work(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))

"""The sync test: a simulation is run in every way that peers, rollbacks and machines will run it,
and compared.

The straight run steps one simulation once a frame. The checks compare others with it:

- `save and load`: every state is loaded into a fresh simulation and saved again; and `hash` is that
  of the saved bytes.
- `rollback`: every frame rolls back some frames and steps again, also after frames on guessed
  inputs, as a rollback session does.
- `order`: the world's changes are made in another order, and the game's own containers are
  reordered before every frame, if it has `shuffle`.
- `process`: four new processes run it straight. No two hash strings alike, and one leaves asserts
  out. They are compared with each other, then with this one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fixsync import sim
from fixsync.game.random import Random
from fixsync.log import fresh
from fixsync.sim import Input, Simulation
from fixsync.state import Stated
from fixsync.testing.minimise import minimise
from fixsync.testing.straight import (
    Divergence,
    Inputs,
    SimulationError,
    Straight,
    bot_inputs,
    log_inputs,
    raised,
    run_straight,
    write_log,
)
from fixsync.world import Command, World

__all__ = [
    "CHECKS",
    "LOADS",
    "Divergence",
    "Inputs",
    "SimulationError",
    "Straight",
    "bot_inputs",
    "log_inputs",
    "run_check",
    "run_straight",
    "smallest",
    "write_log",
]

ROLLBACK_FRAMES = 8
_ATTEMPTS_MAX = 400
_PROCESS_ATTEMPTS_MAX = 30
"""Tries of shorter inputs for checks that start four processes for each."""


@dataclass
class _At:
    """Where a check is, for what the simulation raises there."""

    frame: int = -1


_Findings: TypeAlias = Iterator[Divergence | None]
"""Of a check, in the order of its comparisons: None where a result is that of the straight run."""


def _save_and_load(straight: Straight, at: _At, _back: int) -> _Findings:
    check = "save and load"
    for frame, (value, state) in enumerate(zip(straight.hashes, straight.states[1:], strict=True)):
        if value != sim.hash_of(state):
            saved = sim.hash_of(state)
            told = f"hash {value:016x}, where the hash of the bytes of save() is {saved:016x}"
            yield Divergence(check, "hash() of the straight run", frame, error=told)
    for frame, state in enumerate(straight.states, start=-1):
        at.frame = frame
        fresh = straight.start()
        fresh.load(state)
        how = "loaded into a fresh simulation and saved"
        yield straight.divergence(check, how, frame, fresh.save())
        over = straight.is_over and frame == straight.frames - 1
        if sim.is_over(fresh) != over:
            told = f"is_over is {not over} then, and {over} in the straight run"
            yield Divergence(check, how, frame, error=told)
    # What was loaded must not only save alike, but go on alike.
    for frame, (values, state) in enumerate(
        zip(straight.inputs, straight.states[:-1], strict=True)
    ):
        at.frame = frame
        fresh = straight.start()
        fresh.load(state)
        how = "stepped by a fresh simulation that loaded the state before"
        yield straight.divergence(check, how, frame, *_stepped(fresh, values))


def _rollback(straight: Straight, at: _At, back: int) -> _Findings:
    check = "rollback"
    made = straight.start()
    inputs = straight.inputs
    for frame in range(straight.frames):
        at.frame = frame
        yield straight.divergence(check, "stepped on", frame, *_stepped(made, inputs[frame]))
        # A guess that turns out wrong: nobody does anything, then everybody goes on as before.
        idle = sim.idle_input(made)
        for ahead in range(1 + frame % back):
            if sim.is_over(made):
                break
            made.step([idle] * straight.players if frame % 2 else inputs[max(0, frame - ahead)])
        first = max(0, frame + 1 - back)
        made.load(straight.states[first])
        for again in range(first, frame + 1):
            at.frame = again
            how = f"gone back {frame + 1 - first} frames after frame {frame}, and stepped again"
            yield straight.divergence(check, how, again, *_stepped(made, inputs[again]))


def _stepped(simulation: Simulation, inputs: tuple[Input, ...]) -> tuple[bytes, sim.Stepped]:
    step = sim.stepped(simulation, inputs)
    return simulation.save(), step


def _order(straight: Straight, at: _At, _back: int) -> _Findings:
    yield from _world_order(straight, at)
    yield from _game_order(straight, at)


def _world_order(straight: Straight, at: _At) -> _Findings:
    """The same changes of a world, those of different colliders in another order between two
    steps.
    """
    made = straight.start().world
    world = World(made.capacity, hit_when=made.hit_when, layers=made.layers, level=made.level)
    random = Random(straight.seed)
    how = "with the world's changes in another order"
    for frame, commands in enumerate(straight.commands or ()):
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
            yield Divergence("order", how, frame, events=told, error="another hash of the world")


def _game_order(straight: Straight, at: _At) -> _Findings:
    made = straight.start()
    if not isinstance(made, sim.Shuffles):
        return
    random = Random(straight.seed)
    how = "with the game's containers in another order before each frame"
    for frame, values in enumerate(straight.inputs):
        at.frame = frame
        made.shuffle(random)
        yield straight.divergence("order", how, frame, *_stepped(made, values))


_IN_PROCESS: dict[str, Callable[[Straight, _At, int], _Findings]] = {
    "save and load": _save_and_load,
    "rollback": _rollback,
    "order": _order,
}
CHECKS = (*_IN_PROCESS, "process")
"""The names of the checks, in the order in which they are made."""
LOADS = ("save and load", "rollback")
"""Those that `load` states: what they find can be something that it does not bring back."""


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
        return next(filter(None, _process(straight, reference)), None)
    at = _At()
    try:
        return next(filter(None, _IN_PROCESS[name](straight, at, back)), None)
    except Exception as error:
        return Divergence(name, "run otherwise", at.frame, error=f"it raised {raised(error)}")


def smallest(
    straight: Straight, check: str, *, back: int = ROLLBACK_FRAMES, reference: str = ""
) -> Straight:
    """A straight run with as little in it as could be found that still fails a check.

    back, reference: as for `run_check`."""

    def fails(inputs: list[tuple[Input, ...]]) -> int | None:
        try:
            divergence = run_check(check, straight.again(inputs), back=back, reference=reference)
        except ValueError:
            return None
        return None if divergence is None else max(divergence.frame, 0)

    attempts = _PROCESS_ATTEMPTS_MAX if check == "process" else _ATTEMPTS_MAX
    idle = sim.idle_input(straight.start())
    try:
        return straight.again(minimise(straight.inputs, fails, idle, attempts_max=attempts))
    except ValueError:
        return straight


def not_checked(straight: Straight) -> list[str]:
    """The things that the checks could not test, as text."""
    said = []
    if not isinstance(straight.type, sim.Shuffles) and not isinstance(straight.start(), Stated):
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


# The new processes.

_OUTLIVES = (
    "in four new processes, which agree with each other: something outlives a match, such as a"
    " global variable"
)


def _process(straight: Straight, reference: str) -> _Findings:
    with tempfile.TemporaryDirectory(prefix="fixsync-synctest-") as directory:
        log = Path(directory) / "inputs.jsonl"
        write_log(straight, log)
        runs = fresh.run(reference, log, Path(directory), last=None, is_whole=True)
        # With each other first: those that differ show more than one that is not as here.
        for frame, found in zip(range(-1, straight.frames), fresh.states(runs), strict=False):
            for run, state in zip(runs, found, strict=True):
                if state is None:
                    how = f"in a new process, with {run.how}"
                    error = run.error or "no more states"
                    yield Divergence("process", how, frame, error=error)
                elif found[0] is not None and state != found[0]:
                    yield _between(straight, frame, runs[0].how, run.how, found[0], state)
        for frame, (state, *_) in zip(range(-1, straight.frames), fresh.states(runs), strict=False):
            if state is not None:
                yield straight.divergence("process", _OUTLIVES, frame, state)


def _between(
    straight: Straight, frame: int, one: str, other: str, a: bytes, b: bytes
) -> Divergence:
    how = f"in two new processes, with {one} and with {other}"
    try:
        found, error = straight.differences(a, b), ""
    except ValueError as wrong:
        found, error = [], f"{wrong}, from its saved state"
    sides = ("in the first", "in the second")
    return Divergence("process", how, frame, found, error=error, names=straight.names, sides=sides)

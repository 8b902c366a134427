"""A match that is played in a new process: the requests, and the process itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from fixsync.base import processes
from fixsync.match import sim
from fixsync.match.sim import Input
from fixsync.synctest import surroundings


class Case(NamedTuple):
    """A match."""

    reference: str
    """The simulation as `fixsync.match.sim.find` knows it in another process."""
    seed: int
    players: int
    inputs: Sequence[tuple[Input, ...]]
    state: bytes | None = None
    """Where it begins, if that is not the start."""
    folder: str = ""
    """Of the game's modules, as `folder_of` finds it."""


class Result(NamedTuple):
    """The result of a match, by row: before the first frame, then after each."""

    digests: tuple[bytes, ...] = ()
    """Of the state and the frame's events."""
    error: str = ""
    """The exception in place of the next row."""

    def cut(self, frames: int) -> Result:
        """The result of the first frames."""
        if len(self.digests) <= frames + 1:
            return self
        return Result(self.digests[: frames + 1])

    def differs(self, other: Result) -> int | None:
        """The first row that is not the same; None if the results are the same. An exception is
        the same if its type is: its text may hold an address."""
        for row, (one, two) in enumerate(zip(self.digests, other.digests, strict=False)):
            if one != two:
                return row
        kind, other_kind = (result.error.partition(":")[0] for result in (self, other))
        if len(self.digests) != len(other.digests) or kind != other_kind:
            return min(len(self.digests), len(other.digests))
        return None


class Played(NamedTuple):
    """A row of a result, whole."""

    state: bytes
    events: list[tuple[int, int, int, int]]
    game: list[tuple[int, int, int, int]]


class Task(Struct):
    reference: str
    seed: int
    players: int
    state: bytes | None
    values: dict[str, int]
    argv: list[str]
    pid: int
    variables: list[str]
    """The environment variables that the parent has."""
    folder: str
    """Of the game's modules; "" if it is not known."""


class PlayMatch(Struct, tag="match"):
    inputs: list[Any]


class Show(Struct, tag="show"):
    """Of the match that was played as number `match`, from 0 on, a row."""

    match: int
    row: int


def tuples(inputs: Sequence[Any]) -> tuple[Input, ...]:
    return tuple(tuple(value) if isinstance(value, (list, tuple)) else value for value in inputs)


def folder_of(simulation: object) -> str:
    """The folder of the modules of a game; "" if its module is not a file."""
    module = sys.modules.get(getattr(simulation, "__module__", ""))
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return ""
    if module.__name__.startswith("fixsync."):
        return str(Path(file).parent)
    top = Path(file).parents[module.__name__.count(".") + (Path(file).stem == "__init__")]
    is_installed = top.name in ("site-packages", "dist-packages")
    return str(top / module.__name__.partition(".")[0] if is_installed else top)


def is_in(folder: str, file: str | None) -> bool:
    """Whether a file is a module of the game in a folder, not of a library."""
    if not folder or file is None or not file.endswith(".py"):
        return False
    path = Path(file)
    if not path.is_relative_to(folder):
        return False
    inside = {*path.relative_to(folder).parts}
    return not inside & {"site-packages", "dist-packages", "fixsync"}


def digest(state: bytes, step: sim.Stepped | None) -> bytes:
    """Of a row: a state, and the events of the step that led to it."""
    events = b"" if step is None else msgspec.json.encode(plain(step))
    return sim.hash_of(state + events).to_bytes(8, "little")


def plain(step: sim.Stepped | None) -> tuple[list[Any], list[Any]]:
    """The events of a step as numbers: the world's, and the game's own."""
    if step is None:
        return [], []
    events = [tuple(map(int, event)) for event in step.events]
    return events, [tuple(map(int, event)) for event in step.game]


def play(
    case: Case, found: Callable[[], sim.SimulationType]
) -> tuple[Result, list[tuple[bytes, sim.Stepped | None]]]:
    """The result of a match, and its rows."""
    rows: list[tuple[bytes, sim.Stepped | None]] = []
    error = ""
    try:
        made = sim.start(found(), case.seed, case.players)
        if case.state is not None:
            made.load(case.state)
        rows.append((made.save(), None))
        for inputs in case.inputs:
            step = sim.stepped(made, tuples(inputs))
            rows.append((made.save(), step))
            if sim.is_over(made):
                break
    except Exception as wrong:
        error = f"it raised {type(wrong).__name__}: {wrong}"
    return Result(tuple(digest(*row) for row in rows), error), rows


# A new process.


def answer_requests(begun: Callable[[Task], Callable[[Any], Any]], requests: Any) -> None:
    """Makes the surroundings of this process those of the parent, but for the task's values; then
    answers a Task, and requests."""
    answer: Callable[[Any], Any] | None = None

    def answered(line: bytes) -> bytes:
        nonlocal answer
        if answer is not None:
            return msgspec.json.encode(answer(msgspec.json.decode(line, type=requests)))
        task = msgspec.json.decode(line, type=Task)
        sys.argv[:] = task.argv
        os.getpid = lambda: task.pid
        for name in {*os.environ} - {*task.variables}:
            del os.environ[name]
        surroundings.apply(task.values, task.folder)
        answer = begun(task)
        return b"{}"

    processes.serve(answered)


def main() -> None:
    """Answers a Task, then `PlayMatch` and `Show`."""
    answer_requests(_player, PlayMatch | Show)


def _player(task: Task) -> Callable[[PlayMatch | Show], Result | Played | str]:
    played: list[tuple[Result, list[tuple[bytes, sim.Stepped | None]]]] = []

    def answer(request: PlayMatch | Show) -> Result | Played | str:
        if isinstance(request, Show):
            result, rows = played[request.match]
            if request.row >= len(rows):
                return result.error or "the match was over before"
            state, step = rows[request.row]
            return Played(state, *plain(step))
        case = Case(task.reference, task.seed, task.players, request.inputs, task.state)
        played.append(play(case, lambda: sim.find(task.reference)))
        return played[-1][0]

    return answer

"""Plays a match of a simulation in new processes, twice in each, to find out whether the simulation
depends on its process. One has the surroundings of this process, the others differ from it in all
that a game must not depend on (`surroundings`). Only after a difference is one factor alone changed
at a time. It is named if its processes agree, and those with nothing changed do too."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from fixsync.base import processes
from fixsync.match.sim import Input
from fixsync.synctest import surroundings
from fixsync.synctest.player_process import Case, Played, PlayMatch, Result, Show, Task

VARIANTS = 12
"""Processes with other surroundings, each with a hash seed of its own."""
WHOLE = 4
"""Those of them that play all frames; the others play the first."""
FRAMES = 60
AGAIN = 4
"""How often each side of a difference is tried again."""
_MOVES = 6
"""Orders of memory that are tried before anything else is named."""
_AT_ONCE = 2
_ENDED = "its process ended"


class ProcessError(Exception):
    """A new process ended, or cannot run a simulation; with the last line of its errors."""


class Finding(NamedTuple):
    """A difference between processes."""

    verdict: str
    """NOT_REPEATABLE, PROCESS, OUTLIVES or HERE."""
    why: str
    """The verdict in words."""
    row: int
    how: tuple[str, str]
    """The two sides."""
    sides: tuple[Played | str, Played | str]
    """The row on both, or an error in its place."""
    values: Mapping[str, int]
    """The surroundings of the second side."""


class Process:
    """A new process that plays matches of one simulation."""

    def __init__(
        self,
        case: Case,
        values: Mapping[str, int],
        module: str = "fixsync.synctest.player_process",
    ) -> None:
        """values: of the surroundings that are not as here. module: its `main`."""
        self.values = values
        optimize = sys.flags.optimize
        if surroundings.OPTIMIZE in values:
            optimize = 0 if optimize else 1
        env = processes.environment()
        env["PYTHONHASHSEED"] = str(values.get(surroundings.HASH_SEED, 0))
        env.pop("PYTHONOPTIMIZE", None)
        flags = ["-" + "O" * optimize] if optimize else []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._worker = processes.Worker(
            processes.command(module, *flags), errors=self._errors, environment=env
        )
        own = (list(sys.argv), os.getpid(), list(os.environ), case.folder)
        self._worker.ask(
            msgspec.json.encode(
                Task(case.reference, case.seed, case.players, case.state, dict(values), *own)
            )
        )
        self._has_begun = False

    def ask(self, request: Struct, type: Any) -> Any:
        """The answer to a request. ProcessError if the process ends in its place."""
        self._worker.ask(msgspec.json.encode(request))
        if not self._has_begun:
            self._answer()
            self._has_begun = True
        return msgspec.json.decode(self._answer(), type=type)

    def _answer(self) -> bytes:
        line = self._worker.answer()
        if line is None:
            code = self._worker.wait()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            raise ProcessError(lines[-1] if lines else f"it ended with exit code {code}")
        return line

    def play(self, inputs: Sequence[tuple[Input, ...]]) -> Result:
        """The result of a match."""
        try:
            result: Result = self.ask(PlayMatch(list(inputs)), Result)
        except ProcessError as ended:
            return Result((), f"{_ENDED}: {ended}")
        return result

    def show(self, match: int, row: int) -> Played | str:
        """A row of a match that was played, or the error in its place."""
        try:
            found: Played | str = self.ask(Show(match, row), Played | str)
        except ProcessError as ended:
            return f"{_ENDED}: {ended}"
        return found

    def close(self) -> None:
        self._worker.stop()
        self._errors.close()


class Pair:
    """Two processes that play one match after the other, to see whether they still differ."""

    def __init__(self, case: Case, values: Mapping[str, int]) -> None:
        """values: of the second one's surroundings; without them, one process plays two matches."""
        self._case, self._values = case, values
        self._both = [Process(case, each) for each in ({}, values)] if values else []

    def differs(self, inputs: Sequence[tuple[Input, ...]]) -> int | None:
        """The first row that differs."""
        if self._both:
            one, two = (process.play(inputs) for process in self._both)
            return one.differs(two)
        with closing(Process(self._case, {})) as process:
            return process.play(inputs).differs(process.play(inputs))

    def close(self) -> None:
        for process in self._both:
            process.close()


class _Run(NamedTuple):
    """A process that has played its two matches."""

    process: Process
    results: tuple[Result, Result]


class Search:
    """Compares new processes that run a case."""

    def __init__(self, case: Case, here: Result | None = None) -> None:
        self.case = case
        self.here = here
        """Of this process."""
        self.notes: list[str] = []
        """What could not be compared, as text."""
        self.base = Result()
        """Of the process with the surroundings of this one."""
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._base: Future[_Run] = Future()
        self._other: _Run | None = None
        """The first whose first match differs from the base's."""
        self._second: _Run | None = None
        """The first whose second match differs from the base's."""
        self._repeats = False
        """Whether a process gave the same twice where the base did not."""

    def run(
        self, values: Mapping[str, int], frames: int | None = None, *, is_after: bool = False
    ) -> _Run:
        """Two matches of a new process. is_after: the first has the inputs reversed."""
        process, inputs = Process(self.case, values), self.case.inputs[:frames]
        try:
            first = process.play(inputs[::-1] if is_after else inputs)
            return _Run(process, (first, process.play(inputs)))
        except BaseException:
            process.close()
            raise

    def look(self, values: Mapping[str, int], frames: int | None) -> None:
        """Runs a variant, and keeps it if it is the first that differs."""
        if self._other is not None:
            return
        run = self.run(values, frames)
        base = self._base.result()
        count = len(self.case.inputs) if frames is None else frames
        (one, two), (base_one, base_two) = (
            [result.cut(count) for result in each.results] for each in (run, base)
        )
        with self._lock:
            if self._other is None and base_one.differs(one) is not None:
                self._other, run = run, None  # type: ignore[assignment]
            elif base_one.differs(two) is None and base_one.differs(base_two) is not None:
                self._repeats = True
            elif self._second is None and base_two.differs(two) is not None:
                self._second, run = run, None  # type: ignore[assignment]
        if run is not None:
            run.process.close()

    def search(self) -> Finding | None:
        """The first difference. ProcessError if new processes cannot run the simulation."""
        variants = [surroundings.variant(number) for number in range(1, VARIANTS + 1)]
        short = FRAMES if len(self.case.inputs) > FRAMES else None
        lengths = [None if number < WHOLE else short for number in range(VARIANTS)]
        left_out: set[str] = set()
        while True:
            self._clear()
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                self._base = base = pool.submit(self.run, {})
                after = pool.submit(self.run, {}, is_after=True)
                jobs = []
                for values, frames in zip(variants, lengths, strict=True):
                    kept = {name: v for name, v in values.items() if name not in left_out}
                    jobs.append(pool.submit(self.look, kept, frames))
            runs = [base.result(), after.result(), self._other, self._second]
            try:
                for job in jobs:
                    job.result()
                found = self._judged(base.result(), after.result())
            finally:
                for run in runs:
                    if run is not None:
                        run.process.close()
            if not isinstance(found, str):
                return found
            left_out.add(found)  # with it, the simulation cannot be started

    def _judged(self, base: _Run, after: _Run) -> Finding | str | None:
        """The finding; or a factor with which the simulation cannot be started."""
        first, second = base.results
        self.base = first
        if not first.digests:
            raise ProcessError(first.error)
        if self._other is not None:
            return self._of_first_matches(base, self._other)
        # The first match is the same in all surroundings.
        if (row := first.differs(second)) is not None:
            verdict = NOT_REPEATABLE if self._repeats else OUTLIVES
            return self._found(verdict, "", row, (base, 0), (base, 1))
        if self._second is not None:
            row = second.differs(self._second.results[1].cut(len(self.case.inputs)))
            pair = (base, 1), (self._second, 1)
            return self._found(NOT_REPEATABLE, "", row or 0, *pair)
        if (row := first.differs(after.results[1])) is not None:
            return self._found(OUTLIVES, "", row, (base, 0), (after, 1))
        if self.here is not None and (row := self.here.differs(first)) is not None:
            return self._found(HERE, "", row, (base, 0), (base, 0))
        return None

    def _of_first_matches(self, base: _Run, other: _Run) -> Finding | str:
        one, two = base.results[0], other.results[0]
        shortest = min(len(one.digests), len(two.digests))
        row = one.cut(shortest - 1).differs(two.cut(shortest - 1)) if shortest else None
        if row is None:
            row = shortest
        # The frames up to the difference are played again, by both in turn.
        has_ended = any(result.error.startswith(_ENDED) for result in (one, two))
        count = len(self.case.inputs) if has_ended else row
        both, pair = (one.cut(count), two.cut(count)), ((base, 0), (other, 0))
        again = self._first_matches([{}, other.process.values] * AGAIN, count)
        if _differ(both * AGAIN, again):
            return self._found(NOT_REPEATABLE, "", row, *pair)
        return self._factor(both[0], count, row, pair)

    def _first_matches(self, each: Sequence[Mapping[str, int]], frames: int) -> list[Result]:
        """Of new processes with these surroundings."""

        def first(values: Mapping[str, int]) -> Result:
            with closing(Process(self.case, values)) as process:
                return process.play(self.case.inputs[:frames])

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return [*pool.map(first, each)]

    def _factor(
        self, base: Result, count: int, row: int, pair: tuple[tuple[_Run, int], tuple[_Run, int]]
    ) -> Finding | str:
        """Each factor alone: those that change the first match."""
        singles = [{name: value} for name, value in pair[1][0].process.values.items()]
        found = self._first_matches(singles, count)
        pairs = zip(singles, found, strict=True)
        guilty = [(one, result) for one, result in pairs if base.differs(result) is not None]
        again = self._first_matches([one for one, _ in guilty] * AGAIN, count)
        if _differ([result for _, result in guilty] * AGAIN, again):
            return self._found(NOT_REPEATABLE, "", row, *pair)
        names = [next(iter(one)) for one, _ in guilty]
        if surroundings.MEMORY not in names and names != [surroundings.OPTIMIZE]:
            # Whatever is changed may move objects in memory: is that enough?
            moved = [{surroundings.MEMORY: value} for value in range(50, 50 + _MOVES)]
            if _differ([base] * _MOVES, self._first_matches(moved, count)):
                names = [surroundings.MEMORY]
        for name, (_, result) in zip(names, guilty, strict=False):
            if not result.digests and name not in _ALWAYS:
                note = f"it cannot be started with another value of: {name}"
                self.notes.append(f"process: {note}: {result.error}")
                return name
        if surroundings.MEMORY in names:
            names = [surroundings.MEMORY]
        return self._found(PROCESS, " and ".join(names), row, *pair)

    def _found(
        self, verdict: str, names: str, row: int, one: tuple[_Run, int], two: tuple[_Run, int]
    ) -> Finding:
        name = self.case.reference
        values = two[0].process.values
        sides = tuple(run.process.show(match, row) for run, match in (one, two))
        is_same = one[0] is two[0]
        later = "in its second match" if is_same else "in one after a match with other inputs"
        changed = "another value of it" if names else "other surroundings"
        alone = f": on {names}" if names else "; nothing that was changed alone shows it"
        how, why = {
            OUTLIVES: (
                ("in the first match of a new process", later),
                f"something of {name} outlives a match, such as a global variable",
            ),
            HERE: (
                ("here", "in a new process"),
                (
                    f"{name} gives another result in this process than in new ones, which agree with each"
                    " other; something differs here, such as what ran before"
                ),
            ),
            PROCESS: (
                ("in a new process", f"in one with {changed}"),
                f"{name} depends on its process{alone}",
            ),
            NOT_REPEATABLE: (
                ("in a new process", "in another one"),
                f"{name} is not repeatable: the same match, played again, gives another result",
            ),
        }[verdict]
        return Finding(verdict, why, row, how, sides, values)  # type: ignore[arg-type]


NOT_REPEATABLE, PROCESS, OUTLIVES, HERE = "not repeatable", "process", "outlives a match", "here"
_ALWAYS = (surroundings.HASH_SEED, surroundings.OPTIMIZE, surroundings.MEMORY)
"""Surroundings with which a simulation must be able to start."""


def _differ(some: Sequence[Result], others: Sequence[Result]) -> bool:
    pairs = zip(some, others, strict=True)
    return any(one.differs(other) is not None for one, other in pairs)

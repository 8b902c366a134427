"""The sync test: a simulation is run in every way that peers, rollbacks and machines will run it,
and compared with the straight run, which steps one simulation once a frame.

docs/testing.md has a table of the checks. They are made in its order. A simulation that fails one
of the first three fails the others for the same reason, so those are left out then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from fixsync.game.random import Random
from fixsync.match import sim
from fixsync.match.sim import Input, Simulation
from fixsync.synctest import process_check
from fixsync.synctest.instrumented import Note, Outlast, UnrunLines
from fixsync.synctest.minimise import minimise
from fixsync.synctest.player_process import Case, Played, folder_of, plain
from fixsync.synctest.process_check import Pair, Process, ProcessError, Search
from fixsync.synctest.source_lines import SaltedPair, Seen, look
from fixsync.synctest.straight import Divergence, Straight, raised
from fixsync.synctest.surroundings import stir
from fixsync.synctest.unsaved import Unsaved, outlasting, unsaved
from fixsync.world.records import Event, GameEvent

ROLLBACK_FRAMES = 8
"""How many frames the rollback check goes back."""
_REPEATS = 2
_ON = 30
"""Frames that a fresh simulation goes on for, after every 16th load."""
_ATTEMPTS_MAX = 400
_ASKS_MAX = 4
SECONDS = 15
"""Time to look for a smaller match."""


@dataclass
class _At:
    """Where a check is, for what the simulation raises there."""

    frame: int = -1
    until: int = -1
    """The last frame that was stepped before it went back."""
    every: int = 1
    """Of the frames, how many are loaded and rolled back to: one in so many."""


_Findings: TypeAlias = Iterator[Divergence | None]
"""Of a check, in the order of its comparisons: None where a result is that of the straight run."""


def _repeat(straight: Straight, at: _At, _back: int) -> _Findings:
    for number in range(1, _REPEATS + 1):
        kept = stir(number)
        made = straight.start()
        how = "not repeatable: the same match, played again in this process, gives another result"
        yield straight.divergence("repeat", how, -1, made.save())
        for frame, values in enumerate(straight.inputs):
            at.frame = frame
            yield straight.divergence("repeat", how, frame, *_stepped(made, values))
        kept.clear()


def _save_and_load(straight: Straight, at: _At, _back: int) -> _Findings:
    check = "save and load"
    for frame, (value, state) in enumerate(zip(straight.hashes, straight.states[1:], strict=True)):
        if value != sim.hash_of(state):
            saved = sim.hash_of(state)
            error = f"hash {value:016x}, where the hash of the bytes of save() is {saved:016x}"
            yield Divergence(check, "hash() of the straight run", frame, error=error)
    made = straight.start()
    for frame, values in enumerate(straight.inputs):
        at.frame = frame
        step, state = sim.stepped(made, values), straight.states[frame + 1]
        if frame == straight.frames - 1:
            state = made.save()
        how = "saved after the last frame only, which shows that save() changes the game"
        yield straight.divergence(check, how, frame, state, step, frame)
    for frame, state in enumerate(straight.states, start=-1):
        if frame % at.every:
            continue
        at.frame = frame
        fresh = straight.start()
        fresh.load(state)
        how = "loaded into a fresh simulation and saved"
        yield straight.divergence(check, how, frame, fresh.save())
        over = straight.is_over and frame == straight.frames - 1
        if sim.is_over(fresh) != over:
            error = f"is_over is {not over} then, and {over} in the straight run"
            yield Divergence(check, how, frame, error=error, loaded=frame + 1)
    # What was loaded must not only save alike, but go on alike.
    for frame, state in enumerate(straight.states[:-1]):
        if frame % at.every:
            continue
        at.frame = frame
        fresh = straight.start()
        fresh.load(state)
        how = "stepped by a fresh simulation that loaded the state before"
        for again in range(frame, min(frame + (1 if frame % 16 else _ON), straight.frames)):
            at.frame = again
            found = _stepped(fresh, straight.inputs[again])
            yield straight.divergence(check, how, again, *found, frame)


def _rollback(straight: Straight, at: _At, back: int) -> _Findings:
    check = "rollback"
    made = straight.start()
    inputs = straight.inputs
    for frame in range(straight.frames):
        at.frame = at.until = frame
        if frame % at.every:
            made.step(inputs[frame])
            continue
        # The usual rollback: one frame on a guess, which is saved too.
        idle = sim.idle_input(made)
        made.step([idle] * straight.players)
        made.save()
        made.load(straight.states[frame])
        how = "gone back 1 frame, which was stepped on guessed inputs, and stepped again"
        yield straight.divergence(check, how, frame, *_stepped(made, inputs[frame]), frame)
        # A guess that turns out wrong: nobody does anything, then everybody goes on as before.
        for ahead in range(1 + frame % back):
            if sim.is_over(made):
                break
            made.step([idle] * straight.players if frame % 2 else inputs[max(0, frame - ahead)])
            made.save()
        first = max(0, frame + 1 - back)
        made.load(straight.states[first])
        for again in range(first, frame + 1):
            at.frame = again
            how = f"gone back {frame + 1 - first} frames after frame {frame}, and stepped again"
            yield straight.divergence(check, how, again, *_stepped(made, inputs[again]), first)


def _stepped(simulation: Simulation, inputs: tuple[Input, ...]) -> tuple[bytes, sim.Stepped]:
    step = sim.stepped(simulation, inputs)
    return simulation.save(), step


def _order(straight: Straight, at: _At, _back: int) -> _Findings:
    made = straight.start()
    if not isinstance(made, sim.Shuffles):
        return
    random = Random(straight.seed)
    how = "with the game's containers in another order before each frame"
    for frame, values in enumerate(straight.inputs):
        at.frame = frame
        made.shuffle(random)
        yield straight.divergence("order", how, frame, *_stepped(made, values))


_INSIDE: dict[str, Callable[[Straight, _At, int], _Findings]] = {
    "repeat": _repeat,
    "save and load": _save_and_load,
    "rollback": _rollback,
    "order": _order,
}
CHECKS = ("repeat", "process", "sets", "save and load", "rollback", "order")
"""The names of the checks, in the order of their verdicts."""
IN_PROCESS = tuple(_INSIDE)
"""Those that need no other process."""
LOADS = ("save and load", "rollback")
"""Those that `load` states: what they find can be something that it does not bring back."""


@dataclass
class Checked:
    """The results of the checks."""

    divergences: list[Divergence] = field(default_factory=list)
    """In the order of CHECKS: the first is the verdict."""
    unsaved: list[Unsaved] = field(default_factory=list)
    """The values that cause it."""
    left_out: list[str] = field(default_factory=list)
    """Checks that were not made, because of what another one found."""
    notes: list[str] = field(default_factory=list)
    """Things that could not be tested, as text."""
    asked: list[Note] = field(default_factory=list)
    """Calls of the game that ask the machine, which may be right there."""
    missed: list[UnrunLines] = field(default_factory=list)
    """Lines of the game that never ran."""
    lines: tuple[str, ...] = ()
    """Lines whose order or number changes the result, as text."""

    def explain(self) -> str:
        """The verdict, and what causes it; "" without a difference."""
        lines = [divergence.explain() for divergence in self.divergences[:1]]
        indent = "  " * len(lines)
        for why in dict.fromkeys(one.why for one in self.unsaved):
            lines.append(f"{indent}{why}:")
            lines += [f"{indent}  {one}" for one in self.unsaved if one.why == why]
        return "\n".join(lines)


def run_checks(
    straight: Straight,
    checks: Sequence[str] = CHECKS,
    *,
    back: int = ROLLBACK_FRAMES,
    reference: str = "",
    is_alone: bool = True,
    is_named: bool = True,
    heard: Callable[[str], object] = str,
) -> Checked:
    """Makes checks.

    back: number of frames that `rollback` goes back. reference: the simulation as
    `fixsync.match.sim.find` knows it in another process, which `process` and `sets` need. is_alone:
    whether this process has nothing that changes the simulation, as a test may have, and is
    compared with new ones. is_named: whether to look for the values that cause a difference.
    heard: is called with the name of a check that begins, and with the first difference. An
    exception that the simulation raises in a check only is a divergence too."""
    outside = [name for name in ("process", "sets") if name in checks]
    later = [name for name in CHECKS[3:] if name in checks]

    def run(name: str) -> Divergence | None:
        heard(name)
        found = run_check(name, straight, back=back)
        if found is not None:
            heard(found.explain().splitlines()[0])
        return found

    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(_others, straight, reference, outside, is_alone) if outside else None
        repeat = run("repeat") if "repeat" in checks else None
        inside = [found for name in later if repeat is None and (found := run(name))]
        if inside and "repeat" not in checks:
            repeat = run("repeat")  # one that differs anyway is no fault of load
        heard(" and ".join(outside))
        seen = Checked() if others is None else others.result()
    checked = replace(seen, divergences=[])
    first = next(iter(seen.divergences), None)
    if first is not None and first.check == _OUTLIVES:
        checked.divergences.append(replace(first, check="process"))
        if repeat is not None:
            inside = [found for name in later if (found := run(name))]
        repeat = None
    elif repeat is not None or first is not None:
        # A difference between processes is not the cause if a match differs here already.
        one = replace(repeat, lines=seen.lines) if repeat is not None else first
        checked.divergences += [one] if one is not None else []
        over = CHECKS.index(checked.divergences[0].check)
        checked.left_out = [name for name in CHECKS[over + 1 :] if name in checks]
        inside = []
    for divergence in inside:
        kept_objects = stir(3)
        again = run_check(divergence.check, straight, back=back)
        kept_objects.clear()
        if again is None or again.frame != divergence.frame:
            how = f"not repeatable: {divergence.check} gives a difference, and another one again"
            checked.divergences = [
                replace(divergence, check="repeat", how=how, can_be_shortened=False)
            ]
            checked.left_out = [name for name in later if name != divergence.check]
            break
        checked.divergences.append(divergence)
    if is_named:
        _name(straight, checked, later)
    return checked


def _name(straight: Straight, checked: Checked, later: Sequence[str]) -> None:
    """Names the values that cause a difference, or the calls that may."""
    first = next(iter(checked.divergences), None)
    if first is not None and first.check == "repeat" and not first.lines:
        match = straight.seed, straight.players, straight.inputs
        checked.unsaved = outlasting(straight.type, *match)
        if checked.unsaved:
            first = replace(first, how="something outlives a match, such as a global variable")
    elif {*LOADS} & ({*later} - {*checked.left_out}):
        checked.unsaved += unsaved(straight, checked.divergences)
    if first is not None and not (first.lines or checked.unsaved):
        first = replace(first, asks=tuple(map(str, checked.asked[:_ASKS_MAX])))
    checked.divergences[:1] = [] if first is None else [first]


def run_check(
    name: str, straight: Straight, *, back: int = ROLLBACK_FRAMES, every: int = 1
) -> Divergence | None:
    """One of IN_PROCESS: the first divergence that it finds, or None. As `run_checks`.

    every: loads and rolls back at one in so many frames."""
    if back < 1:
        raise ValueError(f"back must be 1 or more, not {back}")
    at = _At(every=every)
    try:
        found = next(filter(None, _INSIDE[name](straight, at, back)), None)
    except Exception as error:
        found = Divergence(name, "run otherwise", at.frame, error=f"it raised {raised(error)}")
    if found is None:
        return None
    if name == "repeat":
        return replace(found, sides=("first", "again"), can_be_shortened=False)
    return replace(found, until=max(found.frame, at.until))


def smallest(
    straight: Straight,
    divergence: Divergence,
    back: int = ROLLBACK_FRAMES,
    reference: str = "",
    seconds: float = SECONDS,
) -> Straight | None:
    """A straight run with as little in it as could be found in some seconds that still shows a
    divergence. None for one that is not repeatable.

    back, reference: as for `run_checks`."""
    if not divergence.can_be_shortened:
        return None
    pair: Pair | SaltedPair | None = None
    case = case_of(straight, reference)
    if divergence.check == "sets":
        pair = SaltedPair(case, divergence.salt)
    elif divergence.check == "process":
        pair = Pair(case, divergence.values)
    end = time.monotonic() + seconds

    def fails(inputs: list[tuple[Input, ...]]) -> int | None:
        if time.monotonic() > end:
            return None
        try:
            if pair is not None:
                row = pair.differs(inputs)
                return None if row is None else max(row - 1, 0)
            found = run_check(divergence.check, straight.again(inputs), back=back)
        except (ValueError, ProcessError):
            return None
        return None if found is None else max(found.until, 0)

    idle = sim.idle_input(straight.start())
    try:
        return straight.again(minimise(straight.inputs, fails, idle, attempts_max=_ATTEMPTS_MAX))
    except ValueError:
        return straight
    finally:
        if pair is not None:
            pair.close()


# The new processes.

_OUTLIVES = process_check.OUTLIVES


def case_of(straight: Straight, reference: str) -> Case:
    """Its match, for a new process."""
    folder = folder_of(straight.type)
    return Case(reference, straight.seed, straight.players, straight.inputs, folder=folder)


def _others(straight: Straight, reference: str, checks: Sequence[str], is_alone: bool) -> Checked:
    case, found = case_of(straight, reference), Checked()
    try:
        finding = None
        if "process" in checks:
            search = Search(case, straight.result() if is_alone else None)
            finding, found.notes, base = search.search(), search.notes, search.base
        else:
            with closing(Process(case, {})) as process:
                base = process.play(case.inputs)
            if not base.digests:
                raise ProcessError(base.error)
        seen = Seen()
        if "sets" in checks:
            seen = look(case, base)
    except (OSError, ProcessError) as wrong:
        error = f"a new process cannot run it: {wrong}"
        made = Divergence("process", reference, -1, error=error, can_be_shortened=False)
        return Checked([made])
    found.asked, found.missed = seen.asked, seen.missed
    if seen.is_cut:
        why = "the game ended the trace, with sys.settrace or a RecursionError"
        found.notes.append(f"sets: the lines that never ran are not known: {why}")
    found.lines = lines = tuple(map(str, seen.places))
    if finding is not None:
        found.divergences = [_divergence(straight, finding, lines)]
        if finding.verdict == _OUTLIVES:
            reread = closing(Process(case, {}, "fixsync.synctest.instrumented"))
            with reread as process, suppress(ProcessError):  # without a name then
                found.unsaved = process.ask(Outlast(list(case.inputs)), list[Unsaved])
    elif seen.places:
        how = "the result depends on an order, or a number, that is another one in each process"
        found.divergences = [Divergence("sets", how, seen.row - 1, lines=lines, salt=seen.salt)]
    elif seen.why_not:
        found.notes.append(f"sets: {seen.why_not}")
    return found


def _divergence(
    straight: Straight, finding: process_check.Finding, lines: tuple[str, ...]
) -> Divergence:
    frame, (one, two) = finding.row - 1, finding.sides
    check = _OUTLIVES if finding.verdict == process_check.OUTLIVES else "process"
    made = Divergence(
        check,
        finding.why,
        frame,
        sides=finding.how,
        lines=lines,
        can_be_shortened=finding.verdict in (process_check.PROCESS, process_check.OUTLIVES),
        values=finding.values,
    )
    if finding.verdict == process_check.HERE and 0 <= finding.row < len(straight.states):
        one = Played(straight.states[finding.row], *plain(straight.step(frame)))
    if isinstance(one, str) or isinstance(two, str):
        sides = [side if isinstance(side, str) else "a result" for side in (one, two)]
        return replace(made, error=f"{finding.how[0]}: {sides[0]}; {finding.how[1]}: {sides[1]}")
    return straight.compared(made, _row(one), _row(two)) or made


def _row(played: Played) -> tuple[bytes, sim.Stepped]:
    game = tuple(map(GameEvent._make, played.game))
    return played.state, sim.Stepped(tuple(map(Event._make, played.events)), game)

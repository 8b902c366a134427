"""Assertions about simulations and states that name the frame, collider and field at fault."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NoReturn

from fixsync._native.checks import shown
from fixsync.base.fields import difference_lines, differences
from fixsync.game.random import Random
from fixsync.match import sim
from fixsync.match.sim import SimulationType
from fixsync.session import Confirmed, Match, Reason, Session
from fixsync.session.session import kind_of
from fixsync.synctest.checks import (
    CHECKS,
    IN_PROCESS,
    ROLLBACK_FRAMES,
    SECONDS,
    run_checks,
    smallest,
)
from fixsync.synctest.remarks import remarks
from fixsync.synctest.straight import Divergence, Inputs, Straight, run_straight, write_log

_TICK_MS = 16
_ROUNDS_A_FRAME_MAX = 400
_SHRINK_SECONDS = 12
"""Time in which Hypothesis may make a failing example smaller."""
_PAUSE = 5
"""Seconds without an example, after which the next one is of another test."""


def assert_peers_agree(
    simulation: SimulationType,
    inputs: Inputs,
    *,
    seed: int = 0,
    back: int = ROLLBACK_FRAMES,
    log: str | os.PathLike[str] | None = None,
    needs_hits: bool = True,
    processes: bool | None = None,
) -> None:
    """AssertionError unless a simulation gives the same states and events in every way to run it.

    It is run straight, by inputs[frame][player], and again; in new processes, and with the orders
    of sets shuffled there; with a rollback in every frame; saved and loaded; with its own
    containers in another order; and by peers, in lockstep and with rollback, over a network that
    loses and delays packets. The error names the first frame and field that differ, the line that
    decides it if that is an order of a set, and the attributes that `load` does not bring back.

    back: frames of a rollback. log: the file for the smallest match found that shows the
    difference, for which 15 seconds are taken at most. needs_hits: AssertionError too if no step
    had an event, because then nothing was compared but motion; False for inputs that may lead to no
    hit, such as those that Hypothesis draws. processes: whether to start new processes, some
    seconds; None: if they can import the simulation, which is not so for a class within a function,
    and of the examples that Hypothesis draws only for those that are twice as long as any before.
    ValueError for inputs that the simulation refuses, and for `processes=True` with a simulation
    that cannot be imported."""
    __tracebackhide__ = True
    if not inputs:
        raise ValueError("inputs must have at least one frame, not 0")
    for frame, values in enumerate(inputs):
        if not isinstance(values, Sequence):
            raise TypeError(
                f"inputs[{frame}] must be the inputs of all players, not {shown(values)}"
            )
    drawn = _Drawn.of(simulation)
    if drawn is not None and drawn.is_known(inputs):
        return
    straight = run_straight(simulation, seed, len(inputs[0]), inputs)
    reference = _reference(simulation)
    if processes and reference is None:
        raise ValueError(
            f"a new process cannot import {shown(simulation)}: processes must be False"
        )
    starts = reference is not None and (drawn is None or drawn.is_due(straight.frames))
    starts = starts if processes is None else processes
    checks: Sequence[str] = CHECKS if starts else IN_PROCESS
    if drawn is not None and drawn.failed:
        checks = [drawn.failed] if drawn.failed in IN_PROCESS else ()
    found = run_checks(
        straight,
        checks,
        back=back,
        reference=reference or "",
        is_alone=False,
        is_named=drawn is None,
    )
    for divergence in found.divergences[:1]:
        if drawn is not None:
            drawn.fails(divergence, inputs)
        text = "\n".join([found.explain(), *(f"  {line}" for line in remarks(straight, found))])
        seconds = SECONDS if _hypothesis() is None else SECONDS / 3  # it is small already
        if log is not None:
            given = (straight, divergence, back, reference or "", seconds)
            if (least := smallest(*given)) is not None:
                write_log(least, log)
                text += "\n  smallest match found that shows it:"
                text += f" {os.fspath(log)} ({least.frames} frames)"
        raise AssertionError(text)
    if drawn is not None and drawn.failed and not drawn.failed.startswith("peers"):
        return
    for prediction_max in (0, back):
        for divergence in filter(None, _by_peers(straight, prediction_max)):
            if drawn is not None:
                drawn.fails(divergence, inputs)
            raise AssertionError(divergence.explain())
    if needs_hits and not (any(straight.events) or any(straight.game)):
        raise AssertionError(
            f"{straight.frames} frames agree, but nothing was hit in them: no step returned an"
            " event. Give inputs that lead to hits, or needs_hits=False"
        )


def _reference(simulation: SimulationType) -> str | None:
    """How a new process finds a simulation; None if it cannot."""
    module, name = getattr(simulation, "__module__", ""), getattr(simulation, "__qualname__", "")
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    is_there = found is simulation and module != "__main__"
    return f"{module}:{name}" if is_there else None


class _Drawn:
    """The examples that Hypothesis draws: verdicts first, a diagnosis of the last alone."""

    _all: ClassVar[dict[Any, _Drawn]] = {}

    def __init__(self) -> None:
        self._longest = 0
        """Frames of the longest example that new processes played."""
        self.failed = ""
        """The check that found a difference. Examples after it are tried with it alone."""
        self._found: Divergence | None = None
        self._inputs: Inputs = ()
        self._end = 0.0
        self._last = time.monotonic()

    @classmethod
    def of(cls, simulation: SimulationType) -> _Drawn | None:
        """None outside of Hypothesis, and where it runs the example that it reports."""
        hypothesis = _hypothesis()
        if hypothesis is None:
            return None
        if getattr(hypothesis.control.current_build_context(), "is_final", False):
            cls._all.pop(simulation, None)
            return None
        drawn = cls._all.setdefault(simulation, cls())
        if drawn.failed and time.monotonic() > drawn._last + _PAUSE:
            drawn = cls._all[simulation] = cls()  # another test
        return drawn

    def is_known(self, inputs: Inputs) -> bool:
        """Whether an example need not be tried. AssertionError for the one that failed."""
        if self._found is not None and self._inputs == inputs:
            self.fails(self._found, inputs)  # Hypothesis takes two places for two mistakes
        is_late = bool(self.failed) and time.monotonic() > self._end
        self._last = time.monotonic()
        return is_late

    def is_due(self, frames: int) -> bool:
        """Whether new processes play an example."""
        if frames < 2 * self._longest or self.failed:
            return False
        self._longest = frames
        return True

    def fails(self, divergence: Divergence, inputs: Inputs) -> NoReturn:
        """Keeps the verdict, and raises it."""
        if not self.failed:
            self._end = time.monotonic() + _SHRINK_SECONDS
        self.failed, self._found, self._inputs = divergence.check, divergence, [*inputs]
        self._last = time.monotonic()
        raise AssertionError(divergence.explain())


def _hypothesis() -> Any:
    """Hypothesis, if it runs an example."""
    hypothesis = sys.modules.get("hypothesis")
    return hypothesis if hypothesis and hypothesis.currently_in_test_context() else None


def _by_peers(straight: Straight, prediction_max: int) -> Iterator[Divergence | None]:
    """Plays the inputs between sessions in virtual time, three packets in ten lost and all of them
    late. Yields a result for each frame that a peer confirms.
    """
    match = Match(
        straight.start().name,
        seed=straight.seed,
        players=straight.players,
        prediction_max=prediction_max,
        input_delay=0,
        frames=straight.frames,
    )
    kind = kind_of(match, 0)
    check = "peers with rollback" if prediction_max else "peers in lockstep"
    how = f"by peer {{}} of {straight.players}"
    sessions = [
        kind(match, straight.start(), me, start_number=1, nonce=bytes([me + 1] * 16), now_ms=0)
        for me in range(straight.players)
    ]
    random = Random(straight.seed)
    on_the_way: list[tuple[int, int, bytes]] = []
    now_ms = 0
    for _ in range(_ROUNDS_A_FRAME_MAX * (straight.frames + 1)):
        now_ms += _TICK_MS
        for at, receiver, data in [packet for packet in on_the_way if packet[0] <= now_ms]:
            on_the_way.remove((at, receiver, data))
            sessions[receiver].receive(data, now_ms)
        for me, session in enumerate(sessions):
            value = straight.inputs[min(session.frame, straight.frames - 1)][me]
            for notice in session.advance(value, now_ms):
                if isinstance(notice, Confirmed):
                    yield _difference(straight, check, how.format(me), session, notice)
            for receiver, data in session.outgoing(now_ms):
                if not random.chance(3, 10):
                    on_the_way.append((now_ms + random.between(0, 5 * _TICK_MS), receiver, data))
        if all(session.end is not None for session in sessions):
            break
    for me, session in enumerate(sessions):
        if session.end is None or session.end.reason is not Reason.COMPLETED:
            text = "the match did not end" if session.end is None else session.end.text
            yield Divergence(check, how.format(me), session.confirmed, error=text)


def _difference(
    straight: Straight, check: str, how: str, session: Session, notice: Confirmed
) -> Divergence | None:
    """The difference of a frame that a peer confirmed from the straight run."""
    expected = straight.states[notice.frame + 1]
    step = sim.Stepped(notice.events, notice.game)
    if notice.state_hash == sim.hash_of(expected):
        return straight.divergence(check, how, notice.frame, expected, step)
    state = session.state_after(notice.frame)
    if state is None:
        return Divergence(check, how, notice.frame, error=f"state {notice.state_hash:016x}")
    return straight.divergence(check, how, notice.frame, state, step)


def assert_same_state(first: bytes, second: bytes, simulation: object = None) -> None:
    """AssertionError, naming the fields that differ, unless two saved states are the same.

    simulation: the simulation that saved them, if it was not a World."""
    __tracebackhide__ = True
    for name, state in (("first", first), ("second", second)):
        if not isinstance(state, bytes):
            raise TypeError(
                f"{name} must be bytes, as save() returns, not a {type(state).__name__}"
            )
    if first != second:
        raise AssertionError(
            "\n".join(["two states differ:", *explained(first, second, simulation)])
        )


def explained(first: bytes, second: bytes, simulation: object = None) -> Sequence[str]:
    """The differences of two saved states, a line a field."""
    fields = (sim.fields_of(simulation, state) for state in (first, second))
    return [f"  {line}" for line in difference_lines(list(differences(*fields)))]

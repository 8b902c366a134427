"""Assertions about simulations and states that name the frame, collider and field at fault."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

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
    LOADS,
    ROLLBACK_FRAMES,
    Divergence,
    Inputs,
    Straight,
    run_checks,
    run_straight,
    smallest,
    write_log,
)
from fixsync.synctest.unsaved import unsaved, unsaved_lines

_TICK_MS = 16
_ROUNDS_A_FRAME_MAX = 400


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
    of sets shuffled there; with a rollback in every frame; saved and loaded; with its world's
    changes and its own containers in another order; and by peers, in lockstep and with rollback,
    over a network that loses and delays packets. The error names the first frame and field that
    differ, the line that decides it if that is an order of a set, and the attributes that `load`
    does not bring back.

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
    straight = run_straight(simulation, seed, len(inputs[0]), inputs)
    reference = _reference(simulation)
    if processes and reference is None:
        raise ValueError(
            f"a new process cannot import {shown(simulation)}: processes must be False"
        )
    starts = reference is not None and _is_due(reference, straight.frames)
    starts = starts if processes is None else processes
    checks = CHECKS if starts else IN_PROCESS
    found = run_checks(straight, checks, back=back, reference=reference or "", is_alone=False)
    for divergence in found.divergences[:1]:
        text = divergence.explain()
        if {*LOADS} - {*found.left_out}:
            text = "\n".join([text, *(f"  {line}" for line in unsaved_lines(unsaved(straight)))])
        least = None
        if log is not None:
            least = smallest(straight, divergence, back=back, reference=reference or "")
        if log is not None and least is not None:
            write_log(least, log)
            name = os.fspath(log)
            text += f"\n  smallest match found that shows it: {name} ({least.frames} frames)"
        raise AssertionError(text)
    for prediction_max in (0, back):
        for divergence in filter(None, _by_peers(straight, prediction_max)):
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


_longest: dict[str, int] = {}
"""By simulation, the frames of the longest example of Hypothesis that new processes played."""


def _is_due(reference: str, frames: int) -> bool:
    """Whether new processes play an example."""
    hypothesis = sys.modules.get("hypothesis")
    if hypothesis is None or not hypothesis.currently_in_test_context():
        return True
    if frames < 2 * _longest.get(reference, 0):
        return False
    _longest[reference] = frames
    return True


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

"""More matches, of other seeds and lengths: a mistake may show only where the first never came."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fixsync.synctest.checks import IN_PROCESS, case_of, run_check
from fixsync.synctest.instrumented import UnrunLines
from fixsync.synctest.process_check import ProcessError
from fixsync.synctest.source_lines import SaltedPair
from fixsync.synctest.straight import SimulationError, Straight, bot_inputs, run_straight

SECONDS = 4
"""After so many seconds no further match begins."""
_LONGER = 4
_EVERY = 8
"""Where nothing new comes, one frame in so many is loaded and rolled back to."""


@dataclass
class Tried:
    """The matches that were played."""

    seeds: list[int]
    frames: int = 0
    """Of all together."""
    failing: Straight | None = None
    """The first that differs."""
    missed: list[UnrunLines] = field(default_factory=list)
    """Lines that never ran in any of them."""
    events: set[tuple[int, ...]] = field(default_factory=set)
    """The kinds of events of all."""
    is_late: bool = False
    """Whether time ended the search."""


def try_more(
    first: Straight,
    seeds: Sequence[int],
    reference: str,
    *,
    until: float | None,
    heard: Callable[[str], object] = str,
) -> Tried:
    """Plays the bots' matches of other seeds, up to the first that differs, and a longer one of the
    first seed. Matches with new lines or events are checked in every frame, the others in some.

    until: on the clock `time.monotonic`."""
    tried = Tried([first.seed], first.frames, events=events_of(first))
    pair = SaltedPair(case_of(first, reference), 1)
    lengths = [(seed, first.frames) for seed in seeds]
    lengths[1:1] = [(first.seed, _LONGER * first.frames)]
    try:
        tried.missed = pair.missed(first.inputs, first.seed)
        for seed, frames in lengths:
            if until is not None and time.monotonic() > until and len(tried.seeds) > 1:
                tried.is_late = True
                break
            heard(f"seed {seed}, {frames} frames")
            try:
                inputs = bot_inputs(first.type, seed, first.players, frames)
                straight = run_straight(first.type, seed, first.players, inputs)
            except SimulationError as error:
                raise SimulationError(f"seed {seed}: {error}") from error.__cause__
            tried.frames += straight.frames
            tried.seeds += [seed] * (seed not in tried.seeds)
            missed = pair.missed(straight.inputs, seed)
            is_new = len(missed) < len(tried.missed) or not events_of(straight) <= tried.events
            tried.missed, tried.events = missed, tried.events | events_of(straight)
            every = 1 if is_new and frames == first.frames else _EVERY
            found = any(run_check(name, straight, every=every) for name in IN_PROCESS)
            if found or pair.differs(straight.inputs, seed) is not None:
                return replace(tried, failing=straight)
    except ProcessError:
        pass  # the first match has a note of it
    finally:
        pair.close()
    return tried


def events_of(straight: Straight) -> set[tuple[int, ...]]:
    """The kinds of events of a match."""
    world = {(event.kind, event.contact) for events in straight.events for event in events}
    return world | {(game.kind,) for events in straight.game for game in events}

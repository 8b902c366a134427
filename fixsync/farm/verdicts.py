"""What verifying a log came to, as a worker tells it, and that in a line of text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from fixsync.log.replay import Verdict
from fixsync.shapes import Contact, EventKind

__all__ = [
    "CRASHED",
    "EXIT_CODES",
    "OUT_OF_MEMORY",
    "TIMED_OUT",
    "UNREADABLE",
    "Outcome",
    "exit_code",
]

CRASHED = "crashed"
"""The worker's process ended, or a simulation raised what no simulation may."""
OUT_OF_MEMORY = Verdict.OUT_OF_MEMORY.value
"""The log needs more memory than a worker may take."""
TIMED_OUT = "timed out"
"""The log took longer than it may."""
UNREADABLE = Verdict.UNREADABLE.value
"""The file cannot be read: it is gone, or may not be opened, or the module for its compression is
missing.
"""

EXIT_CODES = {
    **{verdict.value: verdict.exit_code for verdict in Verdict},
    CRASHED: 2,
    TIMED_OUT: 2,
}
"""Every verdict, and the exit code of a run in which it is the worst."""

_WORST_FIRST = (2, 1, 3, 0)
_WHY_LENGTH_MAX = 300


def exit_code(verdicts: Iterable[str]) -> int:
    """The exit code of several logs, as of `fixsync replay`: 2 beats 1 beats 3 beats 0."""
    return min((EXIT_CODES[verdict] for verdict in verdicts), key=_WORST_FIRST.index, default=0)


class Outcome(Struct):
    """What one log came to. Counts are as in `fixsync.log.replay.Replay`."""

    verdict: str
    """A key of EXIT_CODES."""
    frames: int = 0
    hits: int = 0
    hash: str = ""
    events: int = 0
    """Frames whose events were compared."""
    queries: int = 0
    """Answers that were compared."""
    hashes: int = 0
    """Hashes that were compared."""
    differing_frames: int = 0
    difference: dict[str, Any] | None = None
    """The first frame that differs: `frame`, `fields`, `expected`, `found`, and `pair` or
    `query`.
    """
    cut: str = ""
    """Why the log counts as cut short."""
    line: int = 0
    """Where the log is not valid; 0 for the file as a whole."""
    field: str = ""
    why: str = ""
    """Why it has no better verdict, if that is neither a difference nor a cut."""
    trace: str = ""
    """The end of what the worker wrote as it crashed."""
    digest: str = ""
    """SHA-256 of all that was computed, written as a log; "" if it was not asked for."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Why it is not identical, in one line; "" if it is."""
        if self.difference is not None:
            told = _told(self.difference)
        elif self.verdict == Verdict.CUT_SHORT.value:
            told = f"after {self.frames} frames: {self.cut}"
        elif self.line:
            told = f"line {self.line}{', ' + self.field if self.field else ''}: {self.why}"
        else:
            told = self.why
        told = " ".join(told.split())
        return told if len(told) <= _WHY_LENGTH_MAX else f"{told[:_WHY_LENGTH_MAX]}…"


def _told(difference: dict[str, Any]) -> str:
    fields = difference["fields"]
    form: Callable[[Any], str] = _plain
    if "pair" in difference:
        where = f"the events of {difference['pair'][0]}, {difference['pair'][1]}"
        form = _events
    elif "query" in difference:
        where = f"queries[{difference['query']}]"
    elif fields[0] == "events":
        where = "the order of events"
    else:
        where = fields[0]
    told = f"frame {difference['frame']}, {where}"
    if "left_out" in difference:
        return told
    return f"{told}: the log says {form(difference['expected'])}, replaying gives {form(difference['found'])}"


def _events(events: list[list[int]]) -> str:
    return (
        ", then ".join(
            f"{EventKind(kind).name} {Contact(contact).name}" for kind, contact in events
        )
        or "no event"
    )


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "no answer" if value is None else json.dumps(value, separators=(",", ":"))

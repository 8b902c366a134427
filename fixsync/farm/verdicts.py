"""Verdicts, and the outcome of a log as a worker reports it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from fixsync.log.replay import Verdict, worst
from fixsync.world.shapes import Contact, EventKind

CRASHED = "crashed"
"""The worker's process ended, or a simulation raised an exception."""
OUT_OF_MEMORY = Verdict.OUT_OF_MEMORY.value
"""The log needs more memory than the limit of a worker."""
TIMED_OUT = "timed out"
"""The log took longer than its limit."""
NEEDS_SIMULATION = Verdict.NEEDS_SIMULATION.value
"""The log is of a simulation that the run does not name with --sim."""
UNREADABLE = Verdict.UNREADABLE.value
"""The file is gone, cannot be opened, or needs a module for its compression."""

EXIT_CODES = {
    **{verdict.value: verdict.exit_code for verdict in Verdict},
    CRASHED: 2,
    TIMED_OUT: 2,
}
"""Every verdict, and its exit code."""

_WHY_LENGTH_MAX = 300


def exit_code(verdicts: Iterable[str]) -> int:
    """The exit code of several logs, as of `fixsync replay`."""
    return worst(EXIT_CODES[verdict] for verdict in verdicts)


class Outcome(Struct):
    """The outcome of one log. Counts are as in `fixsync.log.replay.Replay`."""

    verdict: str
    """A key of EXIT_CODES."""
    frames: int = 0
    hits: int = 0
    hash: str = ""
    compared_events: int = 0
    compared_queries: int = 0
    compared_hashes: int = 0
    compared_states: int = 0
    differing_frames: int = 0
    difference: dict[str, Any] | None = None
    """The first differing frame: `frame`, `fields`, `expected`, `found`, `pair` or `query`; and
    `others`, text, of a log of another program."""
    cut: str = ""
    """Why the log counts as cut short."""
    line: int | None = None
    """The line that is not valid; None: the file as a whole."""
    field: str = ""
    why: str = ""
    """The reason for any other verdict than identical, cut short, and those of a difference."""
    trace: str = ""
    """The end of what a worker that crashed wrote to standard error."""
    digest: str = ""
    """SHA-256 of everything computed, written as a log; "" without `Settings.digest`."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def frame(self) -> int | None:
        """The first differing frame."""
        return None if self.difference is None else self.difference["frame"]

    @property
    def reason(self) -> str:
        """Why it is not identical, in one line; "" if it is identical."""
        if self.difference is not None and not self.why:
            text = _difference_text(self.difference)
        elif self.verdict == Verdict.CUT_SHORT.value:
            text = f"after {self.frames} frames: {self.cut}"
        elif self.line:
            text = f"line {self.line}{', ' + self.field if self.field else ''}: {self.why}"
        else:
            text = self.why
        text = " ".join(text.split())
        return text if len(text) <= _WHY_LENGTH_MAX else f"{text[:_WHY_LENGTH_MAX]}…"


def _difference_text(difference: dict[str, Any]) -> str:
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
    text = f"frame {difference['frame']}, {where}"
    if "others" in difference:
        text = f"{difference['others']}; {text}"
    if "left_out" in difference:
        return text
    expected, found = form(difference["expected"]), form(difference["found"])
    return f"{text}: the log says {expected}, replaying gives {found}"


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

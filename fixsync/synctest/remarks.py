"""Beside a verdict: what was not tested, calls that ask the machine, hints, lines that never ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fixsync.match import Stated, sim
from fixsync.synctest.checks import Checked
from fixsync.synctest.hints import hints_of
from fixsync.synctest.instrumented import UnrunLines, from_here
from fixsync.synctest.straight import Straight

_SHOWN_MAX = 12


def remarks(straight: Straight, checked: Checked) -> Iterator[str]:
    """The remarks as text, a line each."""
    yield from (f"({note})" for note in (*not_checked(straight), *checked.notes))
    noted = {(note.file, note.line) for note in checked.asked}
    hints = [hint for hint in hints_of(straight.type) if (hint.file, hint.line) not in noted]
    for lines in (
        [f"note: {note}: asks the machine" for note in checked.asked],
        [f"hint: {hint}" for hint in hints],
        [f"never ran: {line}" for line in _never_ran(checked.missed)],
    ):
        shown = lines if len(lines) <= _SHOWN_MAX + 1 else lines[:_SHOWN_MAX]
        yield from shown
        if len(lines) > len(shown):
            yield f"and {len(lines) - len(shown)} more"


def not_checked(straight: Straight) -> list[str]:
    """The things that the checks could not test, as text."""
    said = []
    if not isinstance(straight.type, sim.Shuffles) and not isinstance(straight.start(), Stated):
        said.append("order: it has no shuffle(): its containers kept their order")
    if len({value for values in straight.inputs for value in values}) < 2:
        why = "" if isinstance(straight.type, sim.HasBots) else "it has no bot(), and "
        said.append(f"{why}all inputs were the same: give others with --inputs LOG")
    if not any(straight.events):
        said.append("nothing hit anything in this match, so little was put to the test")
    return said


def _never_ran(missed: Sequence[UnrunLines]) -> list[str]:
    """The lines that never ran, by function; functions with one line of each kind together."""
    by_function: dict[tuple[str, str], list[UnrunLines]] = {}
    for one in missed:
        by_function.setdefault((one.file, one.function), []).append(one)
    # Functions of which a part ran come first: the match came near.
    found = sorted(by_function.items(), key=lambda item: item[1][0].is_whole)
    return [
        f"{from_here(file)}:{parts[0].first}: {function}"
        + ("" if parts[0].is_whole else f", {_ranges(parts)}")
        for (file, function), parts in found
    ]


def _ranges(parts: Sequence[UnrunLines]) -> str:
    is_one = len(parts) == 1 and parts[0].first == parts[0].last
    shown = (str(p.first) if p.first == p.last else f"{p.first}-{p.last}" for p in parts)
    return f"{'line' if is_one else 'lines'} {', '.join(shown)}"

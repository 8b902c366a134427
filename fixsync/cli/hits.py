"""Rows of hits that differ between two runs of a match, as commands print them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from fixsync.cli import text
from fixsync.log.hits import CHANGES, HitRow, Totals
from fixsync.log.spans import spans_text


def show(out: Console, rows: Sequence[HitRow], most: int) -> None:
    """The rows, at most so many, and how many more there are."""
    if not rows:
        return
    names = ("frame", "change", "pair", "frames")
    text.show(out, text.table(names, map(_cells, rows[:most]), numbers=("frame",)))
    if len(rows) > most:
        text.say(out, f"and {text.plural(len(rows) - most, 'more row')}")
    text.say(out, "")


def _cells(row: HitRow) -> tuple[str, ...]:
    first, second = (spans_text(spans, 3) for spans in (row.first, row.second))
    frames = f"{first} -> {second}" if first and second else first or second
    return str(row.frame), row.change, f"{row.a} - {row.b}", frames


def totals_line(totals: Totals, has_rows: bool) -> str:
    """The totals of both runs in a line."""
    if not has_rows:
        return f"no hit changes: {text.plural(totals.hits[0], 'hit')}"
    counts = ", ".join(
        f"{getattr(totals, change)} {change}" for change in CHANGES if getattr(totals, change)
    )
    return (
        f"hits {totals.hits[0]} -> {totals.hits[1]}, frames with them {totals.frames[0]} ->"
        f" {totals.frames[1]}: {counts}"
    )

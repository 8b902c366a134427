"""fixsync why: why a pair of a log is a hit or not, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from fixsync._native.raw import TURN, UINT32_MAX
from fixsync.base.names import owner_text
from fixsync.base.numbers import ONE, decimal
from fixsync.cli import options, text
from fixsync.log.pair import Check, PairFrame, PairReport, why
from fixsync.log.spans import spans_text


@click.command("why", cls=options.Command)
@click.argument("log", type=options.FILE)
@click.argument("a")
@click.argument("b")
@options.number("--frame", None, 0, UINT32_MAX, "Frame to explain.", "N")
@options.log_options
def why_command(
    log: Path, a: str, b: str, frame: int | None, as_json: bool, **reading: Any
) -> None:
    """Explain why a pair is a hit or not.

    A and B are ids or names of the log; 'solid 3' is a solid of its level. The log is replayed. The
    report has the answer, then the frames in which the pair hits, those in which its shapes meet,
    and those of each cause that prevents a hit. --frame adds a checklist of the causes in that
    frame, with their margins.

    \b
    Exit code  0  explained
               2  not valid, needs its simulation, or has no such id or frame
    """
    with text.refusals(), text.reading(log, is_hidden=as_json) as show:
        found = why(log, a, b, frame=frame, progress=show, **reading)
    if as_json:
        text.print_json({"exit_code": 0, **msgspec.to_builtins(found)})
    else:
        _print(found, frame)


def _print(found: PairReport, frame: int | None) -> None:
    out = text.console()
    a, b = str(found.a), str(found.b)
    names = {"a": a, "b": b}
    text.say(out, found.summary, "")
    if frame is not None:
        result = "not both in the world"
        if found.frame is not None:
            result = "no hit" if found.frame.why else "a hit"
        text.say(out, f"{a} - {b}, frame {frame}: {result}")
        if found.frame is not None:
            rows = [_check_row(check, found, found.frame) for check in found.checks]
            text.show(out, text.pairs_table(rows))
        text.say(out, "")
    text.say(out, f"{a} - {b}, frames {spans_text([found.frames])}")
    text.show(out, text.pairs_table(_span_rows(found, names)))
    if found.nearest is not None:
        text.say(out, f"nearest without a hit: frame {found.nearest.frame}: {found.nearest.text}")
    if found.cut is not None:
        text.say(out, f"the log is cut short: {found.cut}")


_NOT = {
    "a_inactive": "{a} is not active",
    "b_inactive": "{b} is not active",
    "owner": "one owner",
    "layers": "layers do not meet",
    "sectors": "both are sectors, and one has a hole",
    "height": "one is above the other",
    "beside": "beside each other",
    "corner": "an edge misses",
    "grazes": "they only touch",
}


def _span_rows(found: PairReport, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, spans in (
        ("in the world", found.together),
        ("hit", found.hits),
        ("shapes meet", found.meet),
        ("nothing but shapes matters", found.allowed),
    ):
        yield f"  {name}", spans_text(spans) or "never"
    for cause, spans in found.causes.items():
        yield f"  {_NOT[cause].format(**names)}", spans_text(spans)


def _check_row(check: Check, found: PairReport, at: PairFrame) -> tuple[str, str]:
    """A cause, yes or no, with its margin and the frames in which it is so."""
    question, margin = _question(check, found, at)
    frames = f"frames {spans_text([check.frames])}"
    return f"  {'no ' if check.holds else 'yes'}  {question}", "; ".join(
        filter(None, (margin, frames))
    )


def _question(check: Check, found: PairReport, at: PairFrame) -> tuple[str, str]:
    """The question of a check, so that yes is good for a hit, and its margin."""
    cause, parties = check.cause, {"a": found.a, "b": found.b}
    if cause in ("a_inactive", "b_inactive"):
        return f"{parties[cause[0]]} is active", ""
    if cause == "owner":
        return "the owners differ", " and ".join(
            owner_text(owner, found.owners) for owner in at.owners
        )
    if cause == "layers":
        return "the layers meet", f"{at.layers[0]} and {at.layers[1]}"
    if cause == "height":
        apart = decimal(abs(at.height), ONE, 5)
        return "at one height", f"{apart} {'apart' if check.holds else 'in common'}"
    if cause in ("beside", "corner"):
        growth = at.planar if cause == "beside" else at.gap
        grows = str(found.a if at.grows == found.a.id else found.b)
        question = "at one height they meet" if cause == "beside" else "their edges meet"
        return question, _growth_text(growth, grows) + _sector_text(at)
    return ("no hole in a pair of sectors" if cause == "sectors" else "they overlap"), ""


def _growth_text(growth: int | None, grows: str) -> str:
    if growth is None:
        return f"with no size of {grows}"
    by = decimal(abs(growth), ONE, 5)
    return f"if {grows} were {by} thicker" if growth > 0 else f"even if {grows} were {by} thinner"


def _sector_text(at: PairFrame) -> str:
    if at.sector is None or at.turn is None:
        return ""
    return f", or with {decimal(at.turn * 360, TURN, 3)}° more to each side"

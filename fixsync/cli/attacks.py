"""fixsync attacks: whom each attack of a log hit, and how near it came to the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from fixsync.base.names import owner_text
from fixsync.base.numbers import ONE, decimal
from fixsync.cli import options, text
from fixsync.log.attacks import AttackReport, MissedVictim, Swing, attacks
from fixsync.log.pair import Party
from fixsync.log.spans import spans_text

_SHOWN = 4
"""Parts and victims of a row; --json has all."""
_BINS = tuple(ONE // 8 << i for i in range(6))
"""Gaps of the line that counts misses, in raw units: an eighth of a unit to four units."""


@click.command("attacks", cls=options.Command)
@click.argument("log", type=options.FILE)
@options.attacks_option
@options.log_options
def attacks_command(log: Path, layers: Sequence[str], as_json: bool, **reading: Any) -> None:
    """List the attacks of a log, and how near they came.

    An attack is a collider on a layer of --attacks; without it, on a layer, or of an id, whose name
    in the log has the word attack or hitbox. If no name has, attacks are a guess: each collider
    that is inactive at some step, or was added in another frame than 0. A row has the frames in
    which an attack is active, the colliders that it hits, and its nearest miss: collider, frame and
    margin. Attacks of one owner that are active in the same frames are one row: the hitboxes of one
    blow.

    \b
    Exit code  0  listed
               2  not valid, or needs its simulation
    """
    with text.refusals(), text.reading(log, is_hidden=as_json) as show:
        found = attacks(log, layers=layers, progress=show, **reading)
    if as_json:
        text.print_json({"exit_code": 0, **msgspec.to_builtins(found)})
    else:
        _print(found)


def _print(found: AttackReport) -> None:
    out = text.console()
    names = ("frames", "owner", "attack", "hits", "nearest miss")
    text.show(out, text.table(names, (_row(swing, found.owners) for swing in found.attacks)))
    hits = sum(bool(swing.hits) for swing in found.attacks)
    text.say(out, "", f"{text.plural(len(found.attacks), 'attack')}, of which {hits} hit")
    if found.guess:
        text.say(out, options.GUESS)
    counts = list(_near_misses(found))
    if counts:
        text.say(
            out, f"attacks that hit nobody, by the gap to the nearest collider: {', '.join(counts)}"
        )
    if found.cut is not None:
        text.say(out, f"the log is cut short: {found.cut}")


def _row(swing: Swing, owners: Mapping[int, str]) -> tuple[str, ...]:
    name = _shortened(", ".join(map(str, swing.parts[:_SHOWN])), len(swing.parts))
    victims = (f"{Party(one.id, one.name)} {spans_text(one.frames, 4)}" for one in swing.hits)
    hits = _shortened(", ".join(islice(victims, _SHOWN)), len(swing.hits))
    return (
        spans_text([swing.frames]),
        owner_text(swing.owner, owners),
        name if swing.attack is None else f"{swing.attack} ({name})",
        hits or "-",
        _miss(swing.missed[0]) if swing.missed else "-",
    )


def _shortened(text: str, count: int) -> str:
    """The first few of a number of things, and how many more there are."""
    return text if count <= _SHOWN else f"{text} and {count - _SHOWN} more"


def _miss(one: MissedVictim) -> str:
    return f"{Party(one.id, one.name)} in {one.nearest.frame}: {one.nearest.text}"


def _near_misses(found: AttackReport) -> Iterator[str]:
    """How many attacks that hit nobody missed by up to so much."""
    gaps = [one.missed[0].nearest.gap for one in found.attacks if one.missed and not one.hits]
    for least, most in zip((0, *_BINS), _BINS, strict=False):
        count = sum(gap is not None and least < gap <= most for gap in gaps)
        if count:
            yield f"{count} up to {decimal(most, ONE, 3)}"

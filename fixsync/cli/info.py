"""fixsync info: the content of a log."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click
import msgspec

from fixsync.base.names import sides_in
from fixsync.cli import describe, options, text
from fixsync.cli.level import level_count, level_json
from fixsync.log.info import Info, info
from fixsync.log.lines import plain
from fixsync.log.origin import ORIGIN
from fixsync.log.replay import Verdict
from fixsync.log.schema import Header, MatchLogError
from fixsync.world.shapes import Contact

_META_SHOWN = 40
_KEY_SHOWN = 80


@click.command("info", cls=options.Command)
@click.argument(
    "logs", nargs=-1, required=True, type=click.Path(exists=True, readable=False), metavar="LOG..."
)
@options.json_option
def info_command(logs: Sequence[str], as_json: bool) -> None:
    """Show the content of a match log: its header, and counts of commands, events and answers.

    Nothing is replayed.

    \b
    Exit code  0  a valid log, whole or cut short
               2  not valid, or unreadable
    """
    for path in logs:
        if path.endswith(".fxlevel"):
            raise click.UsageError(f"{path} is a level: fixsync level shows it")
    found = list(map(_info, logs))
    if as_json:
        text.print_json({"logs": list(map(_json, found))})
    else:
        out = text.console()
        for i, one in enumerate(found):
            text.say(out, *[""] * (i > 0))
            text.show(out, text.pairs_table(_rows(one)))
    sys.exit(0 if all(one.error is None for one in found) else 2)


def _info(path: str) -> Info:
    try:
        return info(path)
    except (OSError, ValueError) as error:
        # A file that cannot be read or decompressed. The others are still shown.
        problem = getattr(error, "strerror", None) or str(error)
        return Info(path, error=MatchLogError(path, 0, "", problem), is_unreadable=True)


def _verdict(one: Info) -> str:
    """ "valid", or why not, in the words of fixsync replay."""
    if one.error is None:
        return "valid"
    if one.is_unreadable:
        return str(Verdict.UNREADABLE.value)
    verdict = Verdict.OUT_OF_MEMORY if one.error.is_out_of_memory else Verdict.INVALID
    return str(verdict.value)


def _rows(one: Info) -> Iterator[tuple[str, str]]:
    size = "" if one.is_unreadable else f" ({text.size(one.size)})"
    yield "log", f"{one.path}{size}"
    if one.error is not None:
        yield _verdict(one), str(one.error)
    if one.header is None:
        return
    yield from _header_rows(one.header, one.frames)
    if one.cut:
        yield "cut short", f"after {text.plural(one.frames, 'frame')}: {one.cut}"
    elif one.error is None:
        checksum = "with a checksum, which is right" if one.has_checksum else "without a checksum"
        yield "whole", checksum
    if one.header.sim is None:
        yield from _trace_rows(one, one.header)
    else:
        yield "players", str(one.players)
    yield from _computed_rows(one)


def _header_rows(header: Header, frames: int) -> Iterator[tuple[str, str]]:
    rate = header.tick_rate
    per_second = f"{rate[0]}/{rate[1]}" if isinstance(rate, tuple) else str(rate)
    yield "frames", f"{frames} at {per_second} a second: {text.duration(header.seconds(frames))}"
    if header.sim is None:
        yield "kind", "trace (commands)"
    else:
        yield "kind", f'inputs of sim "{header.sim}"'
        yield "seed", str(header.seed)
    yield "capacity", text.plural(header.capacity, "id")
    yield "hit when", Contact(header.hit_when).name
    if header.layers is not None:
        yield "layers that meet", describe.layers_text(header.layers, header)
    tables = header.names.layers, header.names.ids, header.names.game
    for which, names in zip(("layer names", "id names", "game event names"), tables, strict=True):
        if names:
            yield which, ", ".join(f"{number} {name}" for number, name in sorted(names.items()))
    if header.level is not None:
        yield "level", f"{level_count([*header.level])}; hash {header.level.hash():016x}"
    if header.start is not None:
        state = text.size(len(header.start.state))
        yield "begins", f"at frame {header.start.frame}, with a state of {state}"
    if header.unit_mm is not None:
        yield "one unit", f"{header.unit_mm} mm"
    if header.z_down:
        yield "pictures", "+Z is down"
    for key in ORIGIN:
        if (said := getattr(header, key)) is not None:
            yield key, str(said)
    for key, value in islice(header.meta.items(), _META_SHOWN):
        shown = value if isinstance(value, str) else text.compact(value)
        yield f"meta {text.shortened(key, _KEY_SHOWN)}", shown
    if len(header.meta) > _META_SHOWN:
        yield "meta", f"and {len(header.meta) - _META_SHOWN:,} more keys; --json has all"


def _trace_rows(one: Info, header: Header) -> Iterator[tuple[str, str]]:
    total = one.commands.total()
    yield "commands", f"{total}: {_counts(one.commands)}" if total else "none"
    if one.added_by_kind:
        yield "colliders", f"at most {one.colliders_max} at once"
        yield "added by shape", _counts(one.added_by_kind)
        yield (
            "added by layer",
            ", ".join(
                f"{describe.named_layer(layer, header)}: {number}"
                for layer, number in sorted(one.added_by_layer.items())
            ),
        )
    if one.low is not None and one.high is not None:
        for axis, low, high in zip("xyz", one.low, one.high, strict=True):
            yield f"positions in {axis}", f"{text.units(low)} to {text.units(high)}"


def _computed_rows(one: Info) -> Iterator[tuple[str, str]]:
    """The events, answers and hashes that the log records."""
    events, queries, hashes = (one.frames_with[key] for key in ("events", "queries", "hash"))
    if events:
        frames = text.plural(events, "frame")
        yield "events", f"{_counts(one.events) or 'none'} (of {frames})"
        yield "hits", str(one.hits)
        if one.hits_max_frame is not None:
            yield "most hits", f"{one.hits_max} in frame {one.hits_max_frame}"
    else:
        yield "events", "none in the log; fixsync replay -o FILLED writes them"
    if games := one.frames_with["game"]:
        kinds = {} if one.header is None else one.header.names.game
        counted = Counter(
            {sides_in(kinds.get(kind, str(kind)))[0]: number for kind, number in one.game.items()}
        )
        yield "game events", f"{_counts(counted) or 'none'} (of {text.plural(games, 'frame')})"
    frames = text.plural(queries, "frame")
    yield "answers", f"{one.answers} (of {frames})" if queries else "none in the log"
    yield "hashes", f"{hashes}, the last {one.last_hash}" if hashes else "none in the log"
    if one.header is not None and one.header.sim is not None:
        states = one.frames_with["state"]
        yield (
            "whole states",
            f"{states}, the last {one.last_state}" if states else "none in the log",
        )


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.most_common())


def _header_json(header: Header) -> dict[str, Any]:
    """The header. Of the state that a log begins with, the size alone."""
    start = header.start
    found: dict[str, Any] = plain(msgspec.structs.replace(header, start=None, level=None))
    if header.level is not None:
        found["level"] = level_json(header.level)
    if start is not None:
        found["start"] = {"frame": start.frame, "state_bytes": len(start.state)}
    return found


def _json(one: Info) -> dict[str, Any]:
    header = one.header
    return {
        "log": one.path,
        "valid": one.error is None,
        "verdict": _verdict(one),
        "error": text.error_json(one.error),
        "size": one.size,
        "header": None if header is None else _header_json(header),
        "frames": one.frames,
        "cut": one.cut or None,
        "checksum": one.has_checksum,
        "commands": dict(one.commands),
        "players": one.players,
        "colliders_max": one.colliders_max,
        "added_by_kind": dict(one.added_by_kind),
        "added_by_layer": {
            str(layer): number for layer, number in sorted(one.added_by_layer.items())
        },
        "positions": None if one.low is None else {"min": one.low, "max": one.high},
        "frames_with": dict(one.frames_with),
        "events": dict(one.events),
        "game": {str(kind): number for kind, number in sorted(one.game.items())},
        "hits": one.hits,
        "hits_max": one.hits_max,
        "hits_max_frame": one.hits_max_frame,
        "answers": one.answers,
        "last_hash": one.last_hash or None,
        "last_state": one.last_state or None,
    }

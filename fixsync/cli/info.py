"""fixsync info: the content of a log or a level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from fixsync.cli import text
from fixsync.cli.level import level_count, level_json, level_rows, read_level
from fixsync.level import Level
from fixsync.log.info import Info, info
from fixsync.log.lines import plain
from fixsync.log.replay import Verdict
from fixsync.log.schema import Header, MatchLogError


@click.command("info")
@click.argument(
    "logs", nargs=-1, required=True, type=click.Path(exists=True, readable=False), metavar="LOG..."
)
@text.line_bytes_option
@text.json_option
@click.pass_context
def info_command(
    ctx: click.Context, logs: Sequence[str], line_bytes_max: int, as_json: bool
) -> None:
    """Show the content of a match log or a level (.fxlevel).

    Of a log its header, and counts of commands, events and answers; nothing is replayed. Of a level
    its solids, layers, bounds and hash.

    \b
    Exit code  0  a valid log, whole or cut short, or a valid level
               2  not valid, or unreadable
    """
    found = [
        _level(path) if path.endswith(".fxlevel") else _info(path, line_bytes_max) for path in logs
    ]
    if as_json:
        levels = [_json(one) for one in found if isinstance(one, _Level)]
        logs_found = [_json(one) for one in found if isinstance(one, Info)]
        text.print_json({"logs": logs_found, **({"levels": levels} if levels else {})})
    else:
        out = text.console()
        for i, one in enumerate(found):
            if i:
                text.say(out, "")
            text.show(out, text.pairs_table(list(_rows(one, out))))
    ctx.exit(2 if any(one.error for one in found) else 0)


@dataclass
class _Level:
    """What is in a level, or why it is not valid."""

    path: str
    level: Level | None = None
    error: str = ""


def _level(path: str) -> _Level:
    try:
        return _Level(path, read_level(Path(path)))
    except (OSError, ValueError) as error:
        return _Level(path, error=getattr(error, "strerror", None) or str(error))


def _info(path: str, line_bytes_max: int) -> Info:
    try:
        return info(path, line_bytes_max=line_bytes_max)
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


def _rows(one: Info | _Level, out: Console) -> Iterator[tuple[str, str]]:
    if isinstance(one, _Level):
        yield "file", text.printable(one.path)
        if one.level is None:
            yield "not valid", text.printable(one.error)
        else:
            yield from level_rows(one.level)
        return
    size = "" if one.is_unreadable else f" ({text.size(one.size)})"
    yield "log", f"{text.printable(one.path)}{size}"
    if one.error is not None:
        yield _verdict(one), text.printable(str(one.error))
    if one.header is None:
        return
    yield from _header_rows(one.header, one.frames, out)
    if one.cut:
        yield "cut short", f"after {text.plural(one.frames, 'frame')}: {one.cut}"
    elif one.error is None:
        yield (
            "whole",
            "with a checksum, which is right" if one.has_checksum else "without a checksum",
        )
    if one.header.sim is None:
        yield from _trace_rows(one, one.header)
    else:
        yield "players", str(one.players)
    yield from _told_rows(one)


_LABEL_WIDTH = len("layers that meet") + 2


def _header_rows(header: Header, frames: int, out: Console) -> Iterator[tuple[str, str]]:
    rate = header.tick_rate
    per_second = f"{rate[0]}/{rate[1]}" if isinstance(rate, tuple) else str(rate)
    yield "frames", f"{frames} at {per_second} a second: {text.duration(header.seconds(frames))}"
    yield (
        "kind",
        "trace (commands)"
        if header.sim is None
        else f'inputs of sim "{text.printable(header.sim)}"',
    )
    if header.sim is not None:
        yield "seed", str(header.seed)
    yield "capacity", text.plural(header.capacity, "id")
    yield "hit when", {1: "TOUCHING", 2: "OVERLAPPING"}[header.hit_when]
    if header.layers is not None:
        pairs = [
            f"{text.layer_name(i, header)}-{text.layer_name(j, header)}" for i, j in header.layers
        ]
        yield "layers that meet", text.listed(out, pairs, _LABEL_WIDTH) or "none"
    for which, names in (("layer names", header.names.layers), ("id names", header.names.ids)):
        if names:
            items = [f"{number} {text.printable(name)}" for number, name in sorted(names.items())]
            yield which, text.listed(out, items, _LABEL_WIDTH)
    if header.level is not None:
        yield "level", f"{level_count(header.level)}; hash {header.level.hash():016x}"
    if header.start is not None:
        state = text.size(len(header.start.state))
        yield "begins", f"at frame {header.start.frame}, with a state of {state}"
    if header.unit_mm is not None:
        yield "one unit", f"{header.unit_mm} mm"
    for key, value in header.meta.items():
        told = value if isinstance(value, str) else text.compact(value)
        yield f"meta {text.printable(key)}", text.printable(told)


def _trace_rows(one: Info, header: Header) -> Iterator[tuple[str, str]]:
    total = one.commands.total()
    yield "commands", f"{total}: {_counts(one.commands)}" if total else "none"
    if one.added_by_kind:
        yield "colliders", f"at most {one.colliders_max} at once"
        yield "added by shape", _counts(one.added_by_kind)
        layers = {
            text.named_layer(layer, header): n for layer, n in sorted(one.added_by_layer.items())
        }
        yield "added by layer", ", ".join(f"{layer}: {n}" for layer, n in layers.items())
    if one.low is not None and one.high is not None:
        for axis, low, high in zip("xyz", one.low, one.high, strict=True):
            yield f"positions in {axis}", f"{text.units(low)} to {text.units(high)}"


def _told_rows(one: Info) -> Iterator[tuple[str, str]]:
    told = one.frames_with
    if told["events"]:
        yield (
            "events",
            f"{_counts(one.events) or 'none'} (of {text.plural(told['events'], 'frame')})",
        )
        yield "hits", str(one.hits)
        if one.hits_max_frame is not None:
            yield "most hits", f"{one.hits_max} in frame {one.hits_max_frame}"
    else:
        yield "events", "none in the log; fixsync replay -o FILLED writes them"
    frames = text.plural(told["queries"], "frame")
    yield "answers", f"{one.answers} (of {frames})" if told["queries"] else "none in the log"
    yield (
        "hashes",
        f"{told['hash']}, the last {one.last_hash}" if told["hash"] else "none in the log",
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


def _json(one: Info | _Level) -> dict[str, Any]:
    if isinstance(one, _Level):
        return {
            "level": one.path,
            "valid": one.level is not None,
            "error": one.error or None,
            **({} if one.level is None else level_json(one.level)),
        }
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
        "hits": one.hits,
        "hits_max": one.hits_max,
        "hits_max_frame": one.hits_max_frame,
        "answers": one.answers,
        "last_hash": one.last_hash or None,
    }

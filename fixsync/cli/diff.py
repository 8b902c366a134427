"""fixsync diff: the first frame in which two logs differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click
from rich.table import Table
from rich.text import Text

from fixsync import sim
from fixsync._native.raw import LAYER_COUNT
from fixsync.cli import text
from fixsync.fields import ABSENT, ANGLES, LENGTHS
from fixsync.log.diff import Diff, Pair, Row, diff
from fixsync.log.schema import Header
from fixsync.shapes import Contact, EventKind

Headers: TypeAlias = tuple[Header, Header]

_LOG = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("diff")
@click.argument("a", type=_LOG)
@click.argument("b", type=_LOG)
@click.option(
    "--ignore-meta",
    is_flag=True,
    help="Ignore differences in meta, names and unit_mm.",
)
@text.number("--rows", 40, 1, None, "Number of differences to show.")
@text.sim_option
@text.line_bytes_option
@text.json_option
@click.pass_context
def diff_command(
    ctx: click.Context,
    a: Path,
    b: Path,
    ignore_meta: bool,
    rows: int,
    simulations: Mapping[str, sim.SimulationType],
    line_bytes_max: int,
    as_json: bool,
) -> None:
    """Find the first frame in which two logs differ.

    All differences of that frame are listed. Both logs are replayed, so the worlds are compared
    too, collider by collider. What only one log has (events, answers, hashes, frames before the
    first of the other) is counted, not compared.

    \b
    Exit code  0  the same
               1  different
               2  one of them is not a valid log
    """
    try:
        result = diff(
            a, b, simulations=simulations, ignore_meta=ignore_meta, line_bytes_max=line_bytes_max
        )
    except (OSError, ValueError) as error:
        raise click.ClickException(text.printable(str(error))) from error
    if as_json:
        text.print_json(_json(result))
    else:
        _print(result, rows)
    ctx.exit(result.exit_code)


def _print(result: Diff, rows_max: int) -> None:
    out = text.console()
    text.say(out, f"A  {text.printable(result.a)}", f"B  {text.printable(result.b)}", "")
    if result.header and result.headers:
        text.say(out, "the headers differ:")
        text.show(out, _table(result.header, result.headers))
    if result.frame is not None and result.headers:
        lines = {str(header.line_of(result.frame)) for header in result.headers}
        line = f" (line {' and '.join(sorted(lines, key=int))})"
        text.say(out, f"first difference in frame {result.frame}{line}:")
        text.show(out, _table(result.rows[:rows_max], result.headers))
        more = len(result.rows[rows_max:]) + result.more_rows
        if more:
            text.say(out, f"and {more} more difference{'' if more == 1 else 's'} in this frame")
        text.say(out, *_geometry(result))
    elif result.error is None:
        text.say(
            out,
            ("the frame is" if result.frames == 1 else f"the {result.frames} frames are")
            + " the same"
            + (", the headers are not" if result.header else ""),
        )
    for note in _notes(result):
        text.say(out, text.printable(note))


def _geometry(result: Diff) -> Iterator[str]:
    """Where the pairs stood whose hits differ, in both worlds."""
    for pair in result.pairs:
        yield f"the pair {pair.a}, {pair.b} at this frame's step, replayed:"
        for name, standing, header in zip("AB", pair.standing, result.headers or (), strict=True):
            if standing is None:
                continue
            contact = "no contact" if standing.contact is None else standing.contact.name
            yield f"  in {name}: {contact}"
            for id, collider in zip((pair.a, pair.b), standing.colliders, strict=True):
                for line in text.collider_lines(id, collider, header):
                    yield f"    {line}"


def _notes(result: Diff) -> Iterator[str]:
    for what, count in result.not_compared.items():
        yield f"not compared: {what} (frames: {count})"
    yield from result.notes
    if result.error is not None:
        what = "out of memory" if result.error.is_out_of_memory else "not a valid log"
        yield f"{what}: {result.error}"


_FIELDS = {
    "add": ("shape", "position", "yaw", "layer", "owner", "offset", "active"),
    "move": ("position",),
    "turn": ("yaw",),
    "pose": ("position", "yaw"),
    "query": ("shape", "position", "yaw", "mask", "exclude_owner"),
    "cast": (
        *("shape", "position", "yaw", "motion"),
        *("mask", "exclude_owner", "limit", "hit_when"),
    ),
}
"""The values of a command after its name and its id; of others one, named as the command."""


def _command(command: Any, header: Header) -> tuple[str, dict[str, str]]:
    """The name of a command with its id, and its values as text."""
    name, *values = command
    what = name
    if name not in ("query", "cast", "layers"):
        what = f"{name} {text.named_id(values.pop(0), header)}"
    fields = _FIELDS.get(name, (name,))
    parts = zip(fields, values, strict=False)
    return what, {field: _part(field, value, header) for field, value in parts}


def _part(field: str, value: Any, header: Header) -> str:
    if field == "shape":
        return text.shape_text(tuple(value))
    if field in ("position", "offset", "motion"):
        return text.vector(value)
    if field == "yaw":
        return text.angle(value)
    if field == "layer":
        return text.named_layer(value, header)
    if field == "layers":
        return text.layers_text(value, header)
    if field == "mask":
        return _mask_text(value, header)
    if field == "hit_when":
        return Contact(value).name
    return text.compact(value)


def _mask_text(mask: int, header: Header) -> str:
    layers = [i for i in range(LAYER_COUNT) if mask >> i & 1]
    if len(layers) == LAYER_COUNT:
        return "all layers"
    return ", ".join(text.layer_name(i, header) for i in layers) or "no layer"


def _readable(row: Row, headers: Headers) -> Iterator[Row]:
    """A difference as a person reads it: of one command its values, of events their kinds."""
    if row.group == "header":
        yield _header_row(row, headers)
    elif row.group == "events" and row.name != "order":
        yield Row(row.group, row.name, *(_event_text(value) for value in (row.a, row.b)))
    elif row.group == "commands":
        yield from _command_rows(row, headers)
    elif row.group == "state" and row.name.startswith("world: "):
        yield from _world_rows(row, headers)
    else:
        yield row


def _header_row(row: Row, headers: Headers) -> Row:
    values = (row.a, row.b)
    if row.name == "layers":
        pairs = (text.layers_text(v, h) for v, h in zip(values, headers, strict=True))
        return Row(row.group, "layers that meet", *pairs)
    if row.name == "hit_when":
        return Row(row.group, row.name, *(Contact(value).name for value in values))
    named = re.fullmatch(r'names\.(layer|id)s\."(\d+)"', row.name)
    name = f"name of {named[1]} {named[2]}" if named else row.name
    return Row(row.group, name, *(v if v == ABSENT else text.compact(v) for v in values))


def _command_rows(row: Row, headers: Headers) -> Iterator[Row]:
    (what_a, a), (what_b, b) = (
        ("", {}) if value == ABSENT else _command(value, header)
        for value, header in zip((row.a, row.b), headers, strict=True)
    )
    if what_a != what_b:
        whole = (
            f"{what}: {', '.join(_labelled(what, *part) for part in parts.items())}"
            if parts
            else what or ABSENT
            for what, parts in ((what_a, a), (what_b, b))
        )
        yield Row(row.group, row.name, *whole)
        return
    for field in dict.fromkeys((*a, *b)):
        if a.get(field) != b.get(field):
            values = a.get(field, ABSENT), b.get(field, ABSENT)
            what = what_a if field == what_a.split()[0] else f"{what_a}: {field}"
            yield Row(row.group, f"{row.name} {what}", *values)


def _labelled(what: str, field: str, part: str) -> str:
    return part if what.split()[0] == field else f"{field} {part}"


def _world_rows(row: Row, headers: Headers) -> Iterator[Row]:
    """A setting of the world: which contact is a hit, or what a layer meets. A pair of layers is in
    the state of both; it is shown at the first."""
    layer = re.fullmatch(r"world: layers\[(\d+)\]", row.name)
    if layer:
        first, masks = int(layer[1]), (int(row.a, 16), int(row.b, 16))
        for other in range(first, LAYER_COUNT):
            meet = [mask >> other & 1 for mask in masks]
            if meet[0] != meet[1]:
                names = f"{text.layer_name(first, headers[0])}-{text.layer_name(other, headers[0])}"
                yield Row(row.group, f"layers {names}", *("meet" if m else "apart" for m in meet))
    elif row.name == "world: hit_when":
        yield Row(row.group, row.name, *(Contact(value).name for value in (row.a, row.b)))
    else:
        yield row


def _event_text(events: Any) -> str:
    if events == ABSENT:
        return ABSENT
    return ", ".join(f"{EventKind(k).name} {Contact(contact).name}" for _, _, k, contact in events)


def _table(rows: list[Row], headers: Headers) -> Table:
    """Rows as a table. `headers`: of A and B, for their names."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    table.add_column("A")
    table.add_column("B")
    for difference in rows:
        for row in _readable(difference, headers):
            group = "" if row.group == "header" else row.group
            gap = "" if row.name.startswith("[") or not (group and row.name) else " "
            name = f"{group}{gap}{_named(row, headers[0].names.ids)}"
            table.add_row(
                Text(text.printable(name)), *(Text(_value(row, value)) for value in (row.a, row.b))
            )
    return table


def _named(row: Row, ids: Mapping[int, str]) -> str:
    """What a row is of, colliders with the names that the log has for them."""
    numbers, colon, rest = row.name.removeprefix("collider ").removeprefix("hit ").partition(":")
    known = [
        ids[id] for part in numbers.split(", ") if part.isdecimal() and (id := int(part)) in ids
    ]
    if row.group not in ("events", "state") or not known or row.name.startswith("changed"):
        return row.name
    what = row.name.removesuffix(f"{colon}{rest}")
    return f'{what} "{", ".join(known)}"{colon}{rest}'


def _value(row: Row, value: Any) -> str:
    field = row.name.rpartition(": ")[2]
    if row.group == "state" and isinstance(value, int) and not isinstance(value, bool):
        if field in LENGTHS:
            return text.units(value)
        if field in ANGLES:
            return text.angle(value)
    return text.printable(value if isinstance(value, str) else text.compact(value))


def _pair_json(pair: Pair) -> dict[str, Any]:
    told: dict[str, Any] = {"pair": [pair.a, pair.b]}
    for name, standing in zip("ab", pair.standing, strict=True):
        told[name] = standing and {
            "contact": None if standing.contact is None else standing.contact.name,
            "colliders": [text.collider_json(collider) for collider in standing.colliders],
        }
    return told


def _json(result: Diff) -> dict[str, Any]:
    def rows(found: list[Row]) -> list[dict[str, Any]]:
        return [{"group": row.group, "name": row.name, "a": row.a, "b": row.b} for row in found]

    return {
        "a": result.a,
        "b": result.b,
        "exit_code": result.exit_code,
        "same": result.is_same,
        "frames": result.frames,
        "frame": result.frame,
        "header": rows(result.header),
        "differences": rows(result.rows),
        "more_differences": result.more_rows,
        "pairs": [_pair_json(pair) for pair in result.pairs],
        "not_compared": result.not_compared,
        "notes": result.notes,
        "error": text.error_json(result.error),
    }

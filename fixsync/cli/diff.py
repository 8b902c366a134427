"""fixsync diff: the first frame in which two logs differ."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import click
import msgspec
from rich.table import Table

from fixsync._native.raw import LAYER_COUNT
from fixsync.base.fields import ABSENT, ANGLES, LENGTHS
from fixsync.cli import describe, hits, options, text
from fixsync.log.diff import Cause, Diff, DiffRow, Pair, diff, diff_builds
from fixsync.log.diff_hits import diff_hits
from fixsync.log.schema import COMMANDS, Cast, Header, Query
from fixsync.log.spans import spans_text
from fixsync.synctest.cause import cause, not_found
from fixsync.world.shapes import Contact

Headers: TypeAlias = tuple[Header, Header]
Cells: TypeAlias = tuple[str, str, str]
"""A field that differs, and its values in A and B."""


@click.command("diff", cls=options.Command)
@click.argument("a", type=options.FILE)
@click.argument("b", type=options.FILE, required=False)
@options.flag(
    "--ignore-meta",
    "Ignore differences in meta, names, unit_mm, z_down, semantics, build and data.",
)
@options.flag("--events", "List all hits that differ, over all frames.", "is_hits")
@options.number("--rows", 40, 1, None, "Number of differences to show.")
@options.at_option
@options.log_options
def diff_command(
    a: Path,
    b: Path | None,
    ignore_meta: bool,
    is_hits: bool,
    rows: int,
    simulations: options.Simulations,
    as_json: bool,
    **reading: Any,
) -> None:
    """Find the first frame in which two logs, or two versions of a game, differ.

    All differences of that frame are listed. Both logs are replayed, so the worlds are compared
    too, collider by collider. Events, answers, hashes and frames that only one log has are counted,
    not compared. If hashes of a simulation differ, a log is also replayed twice, in new processes,
    and with rollbacks, to find out whether the simulation has more than one result.

    One log is played with two versions of its simulation: --sim OLD:Game --sim NEW:Game, or with
    --at DIR twice, for folders with two versions of the same modules.

    --events compares the hits of all frames, and nothing else.

    \b
    Exit code  0  the same
               1  different
               2  one of them is not a valid log
    """
    if is_hits:
        _list_hits(a, b, rows, simulations, as_json=as_json, **reading)
    with text.refusals():
        if b is None:
            result = diff_builds(a, *simulations.builds(a), **reading)
        else:
            result = diff(
                a,
                b,
                simulations=simulations.of_one_game or simulations,
                cause=None if simulations.of_one_game else _cause(simulations.references),
                ignore_meta=ignore_meta,
                **reading,
            )
    if as_json:
        text.print_json(_json(result))
    else:
        _print(result, rows)
    sys.exit(result.exit_code)


def _cause(references: Mapping[str, str]) -> Cause:
    def found(name: str, log: str, last: int | None) -> str:
        reference = references.get(name, name)
        return cause(reference, log, last) or not_found(reference)

    return found


def _list_hits(
    a: Path,
    b: Path | None,
    rows_max: int,
    simulations: options.Simulations,
    *,
    as_json: bool,
    **reading: Any,
) -> NoReturn:
    with text.refusals():
        found = diff_hits(
            a,
            b or a,
            simulations=simulations,
            builds=simulations.builds(a) if b is None else None,
            **reading,
        )
    code = int(bool(found.differing))
    if as_json:
        text.print_json({"exit_code": code, **msgspec.to_builtins(found)})
    else:
        out = text.console()
        text.say(out, f"A  {found.a}", f"B  {found.b}", "")
        hits.show(out, found.rows, rows_max)
        if found.differing:
            text.say(out, f"frames whose hits differ: {spans_text(found.differing)}")
        text.say(out, hits.totals_line(found.totals, bool(found.rows)), *found.notes)
    sys.exit(code)


def _print(result: Diff, rows_max: int) -> None:
    out = text.console()
    text.say(out, f"A  {result.a}", f"B  {result.b}", "")
    if result.header and result.headers:
        text.say(out, "the headers differ:")
        text.show(out, _table(result.header[:rows_max], result.headers))
        if len(result.header) > rows_max:
            rest = text.plural(len(result.header) - rows_max, "more difference")
            text.say(out, f"and {rest} of the headers")
    if result.frame is not None and result.headers:
        lines = sorted({header.line_of(result.frame) for header in result.headers})
        line = f" (line {' and '.join(map(str, lines))})"
        text.say(out, f"first difference in frame {result.frame}{line}:")
        text.show(out, _table(result.rows[:rows_max], result.headers))
        more = len(result.rows[rows_max:]) + result.more_rows
        if more:
            text.say(out, f"and {text.plural(more, 'more difference')} in this frame")
        for pair in result.pairs:
            text.say(out, *_pair_lines(pair, result.headers))
    elif result.error is None:
        frames = "the frame is" if result.frames == 1 else f"the {result.frames} frames are"
        text.say(out, f"{frames} the same{', the headers are not' if result.header else ''}")
    for what, count in result.not_compared.items():
        text.say(out, f"not compared: {what} (frames: {count})")
    text.say(out, *result.notes)
    if result.error is not None:
        what = "out of memory" if result.error.is_out_of_memory else "not a valid log"
        text.say(out, f"{what}: {result.error}")


def _pair_lines(pair: Pair, headers: Headers) -> Iterator[str]:
    """Where a pair stood whose hits differ, in both worlds."""
    yield f"the pair {pair.a}, {pair.b} at this frame's step, replayed:"
    for name, standing, header in zip("AB", pair.standing, headers, strict=True):
        if standing is None:
            continue
        contact = "no contact" if standing.contact is None else standing.contact.name
        yield f"  in {name}: {contact}"
        for id, collider in zip((pair.a, pair.b), standing.colliders, strict=True):
            for line in describe.collider_lines(id, collider, header):
                yield f"    {line}"


def _table(rows: Iterable[DiffRow], headers: Headers) -> Table:
    return text.table(("", "A", "B"), (cells for row in rows for cells in _cells(row, headers)))


def _cells(row: DiffRow, headers: Headers) -> Iterator[Cells]:
    """A difference in words: of one command its values, of events their kinds."""
    values, ids = (row.a, row.b), headers[0].names.ids
    if row.group == "header":
        yield _header_cells(row, headers)
    elif row.group == "commands":
        yield from _command_cells(row, headers)
    elif row.group == "state" and row.name.startswith("world: "):
        yield from _world_cells(row, headers)
    elif row.group == "state":
        owner, _, field = row.name.rpartition(": ")
        a, b = (_field_text(field, value) for value in values)
        yield f"state {_with_names(owner, ids)}: {field}", a, b
    elif row.group == "events" and row.name != "order":
        a, b = (value if value == ABSENT else describe.events_text(value) for value in values)
        yield f"events {_with_names(row.name, ids)}", a, b
    elif row.group == "game":
        a, b = (
            value if value == ABSENT else describe.game_text([value], header)
            for value, header in zip(values, headers, strict=True)
        )
        yield f"game{row.name}", a, b
    else:
        gap = "" if row.name.startswith("[") else " "
        a, b = map(_value_text, values)
        yield f"{row.group}{gap}{row.name}".rstrip(), a, b


def _value_text(value: Any) -> str:
    return value if isinstance(value, str) else text.compact(value)


def _field_text(field: str, value: Any) -> str:
    """A field of a state."""
    if isinstance(value, int) and not isinstance(value, bool):
        if field in LENGTHS:
            return text.units(value)
        if field in ANGLES:
            return text.angle(value)
    return _value_text(value)


def _with_names(owner: str, ids: Mapping[int, str]) -> str:
    """A collider or a pair, with the names that the log has for them."""
    found = re.fullmatch(r"(?:collider |hit )?(\d+)(?:, (\d+))?", owner)
    names = [ids[int(id)] for id in (found.groups("") if found else ()) if id and int(id) in ids]
    return f'{owner} "{", ".join(names)}"' if names else owner


def _header_cells(row: DiffRow, headers: Headers) -> Cells:
    values = row.a, row.b
    if row.name == "layers":
        a, b = (describe.layers_text(v, h) for v, h in zip(values, headers, strict=True))
        return "layers that meet", a, b
    if row.name == "hit_when":
        return row.name, Contact(row.a).name, Contact(row.b).name
    named = re.fullmatch(r'names\.(layer|id)s\."(\d+)"', row.name)
    a, b = (v if v == ABSENT else text.compact(v) for v in values)
    return f"name of {named[1]} {named[2]}" if named else row.name, a, b


def _world_cells(row: DiffRow, headers: Headers) -> Iterator[Cells]:
    """A setting of the world: which contact is a hit, or what a layer meets. A pair of layers is in
    the state of both; it is shown at the first."""
    layer = re.fullmatch(r"world: layers\[(\d+)\]", row.name)
    if layer:
        first = int(layer[1])
        for other in range(first, LAYER_COUNT):
            a, b = ("meet" if int(v, 16) >> other & 1 else "apart" for v in (row.a, row.b))
            if a != b:
                pair = describe.layers_text([(first, other)], headers[0])
                yield f"state layers {pair}", a, b
    elif row.name == "world: hit_when":
        yield f"state {row.name}", Contact(row.a).name, Contact(row.b).name
    else:
        yield f"state {row.name}", _value_text(row.a), _value_text(row.b)


_ROWS = {**COMMANDS, "query": Query, "cast": Cast}


def _command_cells(row: DiffRow, headers: Headers) -> Iterator[Cells]:
    (what_a, a), (what_b, b) = (
        (ABSENT, {}) if value == ABSENT else _command(value, header)
        for value, header in zip((row.a, row.b), headers, strict=True)
    )
    name = f"commands{row.name}"
    if what_a != what_b:
        yield name, _whole(what_a, a), _whole(what_b, b)
        return
    for field in dict.fromkeys((*a, *b)):
        if a.get(field) != b.get(field):
            what = f"{name} {what_a}: {field}" if field else f"{name} {what_a}"
            yield what, a.get(field, ABSENT), b.get(field, ABSENT)


def _command(command: Any, header: Header) -> tuple[str, dict[str, str]]:
    """The name of a command with its id, and its values as text by field; "" where the command has
    the name of the field."""
    name, *values = command
    what = name
    if name not in ("query", "cast", "layers"):
        what = f"{name} {describe.named_id(values.pop(0), header)}"
    fields = (field for field in _ROWS[name].__struct_fields__ if field != "id")
    parts = zip(fields, values, strict=False)
    return what, {
        "" if field == name else field: _part(field, value, header) for field, value in parts
    }


def _whole(what: str, parts: Mapping[str, str]) -> str:
    values = ", ".join(f"{field} {part}".strip() for field, part in parts.items())
    return f"{what}: {values}" if values else what


def _part(field: str, value: Any, header: Header) -> str:
    if field == "shape":
        return describe.shape_text(value)
    if field in ("position", "offset", "motion"):
        return text.vector(value)
    if field == "yaw":
        return text.angle(value)
    if field == "layer":
        return describe.named_layer(value, header)
    if field == "layers":
        return describe.layers_text(value, header)
    if field == "mask":
        layers = [i for i in range(LAYER_COUNT) if value >> i & 1]
        names = ", ".join(describe.layer_name(i, header) for i in layers)
        return "all layers" if len(layers) == LAYER_COUNT else names or "no layer"
    if field == "hit_when":
        return Contact(value).name
    return text.compact(value)


def _json(result: Diff) -> dict[str, Any]:
    return {
        "a": result.a,
        "b": result.b,
        "exit_code": result.exit_code,
        "same": result.is_same,
        "frames": result.frames,
        "frame": result.frame,
        "header": [asdict(row) for row in result.header],
        "differences": [asdict(row) for row in result.rows],
        "more_differences": result.more_rows,
        "pairs": [_pair_json(pair) for pair in result.pairs],
        "not_compared": result.not_compared,
        "notes": result.notes,
        "error": text.error_json(result.error),
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    found: dict[str, Any] = {"pair": [pair.a, pair.b]}
    for name, standing in zip("ab", pair.standing, strict=True):
        found[name] = standing and {
            "contact": None if standing.contact is None else standing.contact.name,
            "colliders": [describe.collider_json(collider) for collider in standing.colliders],
        }
    return found

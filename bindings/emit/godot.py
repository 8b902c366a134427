"""Tables for the Godot extension and its add-on: constants of its class Fixsync, kinds of shape,
layouts of rows. The node classes of 2D and 3D from one source each."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

from bindings.api import SIZES, Api, Kind, read_kinds
from bindings.emit import NOTE

ROWS = (
    "fxs_event",
    "fxs_hit",
    "fxs_collider",
    "fxs_command",
    "fxs_cast_hit",
    "fxs_motion",
    "fxs_pair_hit",
    "fxs_moved",
    "fxs_query",
    "fxs_cast",
    "fxs_mover",
    "fxs_carried",
    "fxs_explanation",
    "fxs_extent",
    "fxs_vertex",
)
"""Structures that a GDScript array holds, a number for each field."""

LEFT_OUT = ("FXS_VERSION_MAJOR", "FXS_VERSION_MINOR", "FXS_VERSION_PATCH", "FXS_SEMANTICS")
"""Constants that are functions in GDScript, where they are those of the library that runs."""


def _numbers(api: Api, name: str, start: int, prefix: str) -> Iterator[tuple[str, str, int]]:
    """Name, type and offset of each number of a structure, those within others included."""
    structure = api.structure(name)
    if structure is None:
        raise ValueError(f"the headers have no {name}")
    for field in structure.fields:
        if field.name == "zero":  # it must be 0
            continue
        at = start + field.offset
        if field.type.base not in SIZES:
            yield from _numbers(api, field.type.base, at, "")
            continue
        for index in range(max(1, field.count)):
            end = str(index) if field.count else ""
            yield f"{prefix}{field.name}{end}", field.type.base, at + index * SIZES[field.type.base]


def tables(api: Api) -> str:
    """The text of src/tables.c."""
    lines = [
        f"/* {NOTE} */",
        '#include "values.h"',
        "",
        "const gd_constant GD_CONSTANTS[] = {",
    ]
    for group in api.groups:
        lines += [
            f"    {{{_literal(constant.value)}, {int(group.is_flags)},\n"
            f'     "{group.enum}\\0{constant.name.removeprefix("FXS_")}\\0"\n'
            f"     {_text(constant.comment)}}},"
            for constant in group.constants
            if constant.name not in LEFT_OUT
        ]
    lines += ["    {0, 0, 0},", "};", "", "const gd_size GD_SIZES[] = {"]
    for kind in read_kinds(api):
        for size in kind.sizes:
            is_hole = kind.has_hole and size == kind.sizes[-1]
            lines.append(
                f'    {{{kind.code}, {size.index}, {int(is_hole)}, "{size.name}", '
                f"{size.least}, {size.most}}},"
            )
    lines += ["    {-1, 0, 0, 0, 0, 0},", "};"]
    for name in ROWS:
        numbers = list(_numbers(api, name, 0, ""))
        upper = name.removeprefix("fxs_").upper()
        lines += ["", f"static const gd_number {upper}[] = {{"]
        lines += [
            f'    {{"{field}", {offset}, {SIZES[base]}, {int(base.startswith("int"))}}},'
            for field, base, offset in numbers
        ]
        lines += [
            "};",
            f"const gd_layout GD_{upper} = {{{len(numbers)}, sizeof({name}), {upper}}};",
        ]
    return "\n".join(lines) + "\n"


def _literal(value: int) -> str:
    return f"INT64_C({value})" if abs(value) >= 2**31 else str(value)


def _text(comment: str) -> str:
    """A comment as strings of C, on lines of at most 100 columns."""
    lines = textwrap.wrap(" ".join(comment.split()), 90, drop_whitespace=False) or [""]
    return "\n     ".join('"' + line.replace('"', '\\"') + '"' for line in lines)


def makers(api: Api) -> str:
    """The text of src/kinds.h."""
    rows = []
    for kind in read_kinds(api):
        sizes = ", ".join(f"{size.name}: int" for size in kind.sizes) + " = 0" * kind.has_hole
        help = f"Returns the shape of {kind.words[0].lower()}{kind.words[1:]}"
        rows.append(f'    SHAPE({kind.name}, {kind.code}, "{sizes}",\n     {_text(help)})')
    table = "\n".join(["#define GD_SHAPES(SHAPE)", *rows]).replace("\n", " \\\n")
    return f"""/* {NOTE} */
/* Name, code, sizes as arguments of GDScript, and help of a method that makes the shape. */
{table}
"""


def kinds(api: Api) -> str:
    """The text of addons/fixsync/kinds.gd."""
    found = read_kinds(api)
    members = "\n".join(line for kind in found for line in _member(kind))
    sizes = [", ".join(f'&"{size.name}"' for size in kind.sizes) for kind in found]
    rows = "\n".join(f"\t[{names}]," for names in sizes)
    rounds = ", ".join(f"Kind.{kind.name.upper()}" for kind in found if kind.is_round)
    return f"""@tool
extends Resource
## {NOTE}

enum Kind {{
{members}
}}

## By kind: the sizes in the order of a row.
const SIZES := [
{rows}
]

## Kinds with round ends, whose top is their radius above their half_height.
const ROUND: Array[int] = [{rounds}]
"""


def _member(kind: Kind) -> list[str]:
    words = textwrap.wrap(kind.words, 90)
    return [*(f"\t## {line}" for line in words), f"\t{kind.name.upper()} = {kind.code},"]


NODES = Path(__file__).resolve().parents[1] / "godot" / "nodes"


def node(name: str, dimensions: int) -> Callable[[Api], str]:
    """The writer of addons/fixsync/NAME_2d.gd or NAME_3d.gd. In its source {D} is 2D or 3D, and a
    line that begins with "2:" or "3:" is in one of them only."""

    def write(_: Api) -> str:
        lines = (NODES / f"{name}.gd").read_text(encoding="utf-8").split("\n")
        other = f"{5 - dimensions}:"
        kept = [line.removeprefix(f"{dimensions}:") for line in lines if not line.startswith(other)]
        text = "\n".join(kept).replace("{D}", f"{dimensions}D").replace("{d}", f"{dimensions}d")
        end = text.index("\n\n", text.index("\nextends "))
        note = f"# Generated by bindings/generate.py from nodes/{name}.gd. Do not edit."
        return f"{text[:end]}\n\n{note}{text[end:]}"

    return write

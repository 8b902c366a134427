"""Raw declarations for JavaScript and TypeScript, and the tables of shapes and commands."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable

from bindings.api import SIZES, Api, Kind, Type, read_commands, read_kinds
from bindings.emit import NOTE
from bindings.names import in_case


def _number(value: int) -> str:
    """A bigint for what a number of JavaScript cannot hold."""
    return f"{value}n" if abs(value) >= 2**53 else str(value)


def raw(api: Api) -> str:
    """Constants, and for each structure its size (`$size`) and the offsets of its fields."""
    lines = [f"// {NOTE}", ""]
    lines += [
        f"export const {constant.name} = {_number(constant.value)};" for constant in api.constants
    ]
    lines.append("")
    for structure in api.structures:
        if structure.fields:
            offsets = [f"{field.name}: {field.offset}" for field in structure.fields]
            start = f"export const {structure.name} = {{"
            lines += _filled(start, [f"$size: {structure.size}", *offsets], "};")
    return "\n".join(lines) + "\n"


def raw_types(api: Api) -> str:
    """The same for TypeScript, and the functions that the module exports, each with the first line
    of its comment: the headers have the rest.
    """
    lines = [f"// {NOTE}", ""]
    for constant in api.constants:
        lines += _doc(constant.comment, "")
        lines.append(f"export const {constant.name}: {_number(constant.value)};")
    lines += [
        "",
        "/** An address in the module's memory. */",
        "export type Pointer<Of extends string> = number & { readonly of?: Of };",
    ]
    for structure in api.structures:
        if not structure.fields:
            continue
        lines += ["", *_doc(_summary(structure.comment), ""), f"export const {structure.name}: {{"]
        lines.append(f"  readonly $size: {structure.size};")
        for field in structure.fields:
            array = f"[{field.count}]" if field.count else ""
            lines += _doc(f"{field.type.base}{array}: {field.comment}".rstrip(": "), "  ")
            lines.append(f"  readonly {field.name}: {field.offset};")
        lines.append("};")
    lines += [
        "",
        "/** The exports of fixsync.wasm. A uint32_t that is returned arrives as a signed number, a",
        " * uint64_t as a signed BigInt: `>>> 0` and `BigInt.asUintN(64, …)` make them unsigned. */",
        "export interface Kernel {",
        "  readonly memory: { readonly buffer: ArrayBuffer };",
        "  readonly __heap_base: { readonly value: number };",
    ]
    for function in api.functions:
        parameters = [f"{p.name}: {_web_type(p.type)}" for p in function.parameters]
        lines += _doc(_summary(function.comment), "  ")
        end = f"): {_web_type(function.returns)};"
        lines += _filled(f"  {function.name}(", parameters, end)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _filled(start: str, parts: list[str], end: str) -> list[str]:
    """A list on one line of at most 100 columns, or else on filled lines of its own."""
    space = " " if end[0] == "}" else ""
    line = f"{start}{space}{', '.join(parts)}{space}{end}"
    if len(line) <= 100:
        return [line]
    inset = " " * (len(start) - len(start.lstrip()) + 2)
    text = ", ".join(part.replace(" ", "\0") for part in parts) + ","
    filled = textwrap.fill(text, 100, initial_indent=inset, subsequent_indent=inset)
    return [start, *filled.replace("\0", " ").split("\n"), f"{inset[2:]}{end}"]


def _web_type(type: Type) -> str:
    if type.is_pointer:
        return f'Pointer<"{type.base}">'
    if type.base == "void":
        return "void"
    return "bigint" if SIZES[type.base] == 8 else "number"


def _summary(comment: str) -> str:
    """The first sentence of a comment, on one line."""
    return re.split(r"(?<=\.)\s|\n\n", comment, maxsplit=1)[0].replace("\n", " ")


def _doc(comment: str, indent: str) -> list[str]:
    if not comment:
        return []
    width = 100 - len(indent) - len("/**  */")
    lines = [part for line in comment.split("\n") for part in textwrap.wrap(line, width) or [""]]
    words = [f"{indent} * {line}".rstrip() for line in lines]
    words[0] = f"{indent}/** {lines[0]}"
    words[-1] += " */"
    return words


def tables(api: Api) -> str:
    """The kinds of shape and the commands, as match logs write them."""
    lines = [
        f"// {NOTE}",
        "",
        "// Kinds of shape: the code, and the sizes behind the name with their ranges. All but the",
        "// half angle fill fxs_shape's `size` in order. The last size is a hole if hasHole: left out,",
        "// or 1 up to what is below the first size. hasFront: whether half a turn changes it. canPush",
        "// and canCast: whether pushes and casts are defined for the kind.",
        "export const SHAPES = {",
    ]
    for kind in read_kinds(api):
        lines += [
            f"  {kind.name}: {{",
            f"    code: {kind.code},",
            f"    sizes: {_array(size.name for size in kind.sizes)},",
            f"    least: {_array(size.least for size in kind.sizes)},",
            f"    most: {_array(size.most for size in kind.sizes)},",
            *(
                f"    {name}: {str(is_so).lower()},"
                for name, is_so in (
                    ("hasFront", kind.has_front),
                    ("hasHole", kind.has_hole),
                    ("canPush", kind.can_push),
                    ("canCast", kind.can_cast),
                )
            ),
            "  },",
        ]
    lines += [
        "};",
        "",
        "/** [name, entry] of each kind, by its code. */",
        "export const KINDS_BY_CODE = Object.entries(SHAPES);",
        "",
        "// Commands: the type, and the fields behind the name.",
        "export const COMMANDS = {",
    ]
    for command in read_commands(api):
        lines += [
            f"  {command.name}: {{",
            f"    type: {command.code},",
            f"    fields: {_array(command.fields)},",
            "  },",
        ]
    lines.append("};")
    for title, prefix in (("FIELD_CODES", "FXS_FIELD_"), ("CAUSES", "FXS_WHY_")):
        lines += ["", f"// [code, name] of each {prefix}.", f"export const {title} = ["]
        for constant in api.constants:
            if constant.name.startswith(prefix):
                name = constant.name.removeprefix(prefix).lower()
                lines.append(f'  [{constant.value}, "{name}"],')
        lines.append("];")
    return "\n".join(lines) + "\n"


def makers(api: Api) -> str:
    """A function for each kind of shape."""
    lines = [f"// {NOTE}", 'import { made } from "./shapes.js";', ""]
    for kind in read_kinds(api):
        sizes = _parameters(kind)
        given, start = ", ".join(sizes), f'  made("{kind.name}"'
        if not kind.has_hole:
            lines.append(f"export const {_maker(kind)} = ({given}) =>{start[1:]}, {given});")
            continue
        hole = sizes.pop()
        lines.append(f"export const {_maker(kind)} = ({given} = 0) =>")
        lines.append(f"{start}, {', '.join(sizes)}, ...({hole} === 0 ? [] : [{hole}]));")
    return "\n".join(lines) + "\n"


def maker_types(api: Api) -> str:
    """The types of `makers`, and that of a shape."""
    kinds = read_kinds(api)
    lines = [f"// {NOTE}", "", "/** A shape, as match logs write it. */", "export type Shape ="]
    for kind in kinds:
        sizes = [f"{size.name}: number" for size in kind.sizes]
        if kind.has_hole:
            sizes[-1] = sizes[-1].replace(":", "?:")
        lines += _listed("  | readonly [", [f'"{kind.name}"', *sizes], "    ", "]")
    lines[-1] += ";"
    for kind in kinds:
        sizes = [f"{name}: number" for name in _parameters(kind)]
        lines.append("")
        if kind.has_hole:
            hole = _parameters(kind)[-1]
            lines.append(f"/** {hole} is the radius of a hole; 0 or left out: no hole. */")
            sizes[-1] = sizes[-1].replace(":", "?:")
        lines += _listed(f"export function {_maker(kind)}(", sizes, "", "): Shape;")
    return "\n".join(lines) + "\n"


def _listed(start: str, parts: list[str], indent: str, end: str) -> list[str]:
    """On one line, or on one for each part."""
    line = f"{start}{', '.join(parts)}{end}"
    if len(line) < 100:
        return [line]
    return [start, *(f"{indent}  {part}," for part in parts), f"{indent}{end}"]


def _parameters(kind: Kind) -> list[str]:
    """The names of a kind's sizes in JavaScript."""
    return [in_case(size.name, "javascript") for size in kind.sizes]


def _maker(kind: Kind) -> str:
    return in_case(kind.name, "javascript")


def _array(values: Iterable[str | int]) -> str:
    """On one line."""
    return json.dumps(list(values))

"""The tables that the Python package reads, and its classes of shapes."""

from __future__ import annotations

import textwrap

from bindings.api import Api, Kind, Size, Type, read_commands, read_kinds
from bindings.emit import NOTE


def tables(api: Api) -> str:
    """fixsync/_native/tables.py."""
    kinds = read_kinds(api)
    sizes = ((kind.name, size) for kind in kinds for size in kind.sizes)
    lines = [
        f'"""{NOTE}"""',
        "",
        "SHAPES = (",
        *(f'    ("{kind.name}", {kind.code}, {_flags(kind)}),' for kind in kinds),
        ")",
        '"""Name, code, can_push, can_cast, has_front, has_hole."""',
        "",
        "SIZES = (",
        *(f'    ("{of}", "{s.name}", {s.index}, {s.least}, {s.most}),' for of, s in sizes),
        ")",
        '"""Name of the shape; name of the size, index in fxs_shape.size (-1: half_angle), least, most; in',
        "the order of match logs. The last size is a hole if has_hole: it is below the first, and 0",
        'without a hole."""',
        "",
        "COMMANDS = (",
    ]
    for command in read_commands(api):
        function = command.function.name.removeprefix("fxs_")
        rows = [_row(parameter.type, api) for parameter in command.function.parameters]
        row, fields = next(filter(None, rows), ""), " ".join(command.fields)
        lines.append(f'    ("{command.name}", {command.code}, "{function}", "{row}", "{fields}"),')
    lines += [
        ")",
        '"""Name, code, function, the structure of which the function takes a row ("": none), fields',
        'in the order of match logs."""',
    ]
    return "\n".join(lines) + "\n"


def _flags(kind: Kind) -> str:
    return ", ".join(map(str, (kind.can_push, kind.can_cast, kind.has_front, kind.has_hole)))


def _row(type: Type, api: Api) -> str:
    """The structure that a parameter reads, or ""."""
    structure = api.structure(type.base)
    return type.base.removeprefix("fxs_") if structure and structure.fields else ""


def kinds(api: Api) -> str:
    """fixsync/base/kinds.py."""
    found = read_kinds(api)
    names = [kind.class_name for kind in found]
    exported = "".join(f'    "{name}",\n' for name in sorted([*names, "Shape"]))
    classes = "\n\n".join(_class(kind, api.constant("FXS_SIZE_MAX")) for kind in found)
    return f'''"""{NOTE}"""

from __future__ import annotations

from typing import TypeAlias, final

from fixsync.base.values import ShapeValue, Size

__all__ = [
{exported}]


{classes}

Shape: TypeAlias = {" | ".join(names)}
"""A shape of any kind."""
'''


def _class(kind: Kind, size_max: int) -> str:
    sizes = [size.name for size in kind.sizes]
    taken = ["self", *(f"{name}: int" for name in sizes)]
    if kind.has_hole:
        taken[-1] += " = 0"
    start, end = "    def __init__(", ") -> None:"
    if len(start + ", ".join(taken) + end) > 100:
        start, end = f"{start}\n        ", f"\n    {end}"
    quoted = "".join(f'"{name}", ' for name in sizes)
    match_args = quoted.rstrip() if len(sizes) == 1 else quoted[:-2]
    lines = [
        "@final",
        f"class {kind.class_name}(ShapeValue):",
        *_docstring(kind.words, _ranges(kind, size_max)),
        "",
        "    __slots__ = ()",
        f"    __match_args__ = ({match_args})",
        *(f"    {name} = Size()" for name in sizes),
        "",
        f"{start}{', '.join(taken)}{end}",
        f"        self._set({', '.join(sizes)})",
    ]
    return "\n".join(lines) + "\n"


def _ranges(kind: Kind, size_max: int) -> str:
    """The sizes of a kind, those of one range together: "radius, half_height: Q16.16, 1..9."."""
    names: dict[str, list[str]] = {}
    for size in kind.sizes:
        names.setdefault(_range(kind, size, size_max), []).append(size.name)
    return " ".join(f"{', '.join(of)}: {range}." for range, of in names.items())


def _range(kind: Kind, size: Size, size_max: int) -> str:
    if size.index < 0:
        return f"{size.least}..{size.most} yaw steps"
    if kind.has_hole and size == kind.sizes[-1]:
        return f"Q16.16, {size.least}..{kind.sizes[0].name}-1"
    return f"Q16.16, {size.least}..{'2^29-1' if size.most == size_max else size.most}"


def _docstring(words: str, ranges: str) -> list[str]:
    """On one line, or a paragraph for each of the two."""
    lines = [f'"""{words} {ranges}"""']
    if len(lines[0]) > 96:
        lines = [*textwrap.wrap(f'"""{words}', 96), "", *textwrap.wrap(f'{ranges}"""', 96)]
    return [f"    {line}".rstrip() for line in lines]

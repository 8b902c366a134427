"""The tables that the Python package reads."""

from __future__ import annotations

from bindings.api import Api, Kind, Type, read_commands, read_kinds
from bindings.emit import NOTE


def tables(api: Api) -> str:
    """fixsync/_native/tables.py."""
    lines = [
        f'"""{NOTE}"""',
        "",
        "SHAPES = (",
        *(line for kind in read_kinds(api) for line in _shape(kind)),
        ")",
        '"""Name, code, can_push, can_cast, has_hole; sizes in the order of match logs: index in',
        "fxs_shape.size (-1: half_angle), least, most. The last size is a hole if has_hole: it is",
        'below the first, and 0 without a hole."""',
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


def _shape(kind: Kind) -> list[str]:
    lines = ["    (", f'        "{kind.name}",', f"        {kind.code},"]
    lines += [f"        {flag}," for flag in (kind.can_push, kind.can_cast, kind.has_hole)]
    lines.append("        {")
    for size in kind.sizes:
        lines.append(f'            "{size.name}": ({size.index}, {size.least}, {size.most}),')
    return [*lines, "        },", "    ),"]


def _row(type: Type, api: Api) -> str:
    """The structure that a parameter reads, or ""."""
    structure = api.structure(type.base)
    return type.base.removeprefix("fxs_") if structure and structure.fields else ""

"""The commands: every change of a world, one row each, from the table of the kernel.

A command is a tuple as a match log writes it: ("move", 7, (x, y, z)). The kernel takes it as one
flat row of 60 bytes, `fxs_command` in fixsync.h. Logs, recorders, observers and test strategies
share this table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from struct import Struct, calcsize
from typing import Any, TypeAlias, cast

from fixsync._native.checks import (
    boolean,
    counted,
    integer,
    integers,
    layer_masks,
    layer_pairs,
    refuse,
    shown,
    uint32,
)
from fixsync._native.kinds import COLUMNS, KINDS, KINDS_BY_NAME
from fixsync._native.raw import INT32_MAX, INT32_MIN, LAYER_COUNT, kernel_function
from fixsync._native.rows import COLLIDER, COLLIDER_COLUMNS, COMMAND, POSE, SHAPE
from fixsync._native.status import RANGES, CommandError
from fixsync._native.tables import COMMANDS

Command: TypeAlias = tuple[Any, ...]
"""A change as a match log writes it: ("move", id, (x, y, z)), ("shape", id, ("sphere", radius))."""

FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "shape": COLUMNS,
    "position": ("x", "y", "z"),
    "yaw": ("yaw",),
    "layer": ("layer",),
    "owner": ("owner",),
    "offset": ("ox", "oy", "oz"),
    "active": ("active",),
    "layers": (),
}
"""The numbers of each field of a command, by their names in `fxs_command`."""


_ZEROS = (0,) * (len(COLLIDER_COLUMNS) - 3)


class Change:
    """A row of the table: a command's name in match logs and its fields."""

    __slots__ = ("_head", "code", "columns", "fields", "function", "name", "pack", "row")

    def __init__(
        self, name: str, code: int, function: str, row: Struct | None, fields: tuple[str, ...]
    ) -> None:
        self.name = name
        self.code = code
        """Of `fxs_command`."""
        self.function: Callable[..., int] = kernel_function(function)
        """The kernel's function that makes this change alone; a method of World has its name."""
        self.fields = fields
        """Keys of FIELDS, in the order of match logs."""
        self.row = row
        """The structure of which `function` takes a row as bytes, if it does."""
        flat = tuple(column for field in fields for column in FIELDS[field])
        self.columns = COLLIDER_COLUMNS if row is COLLIDER else flat
        """The names of the numbers that `function` takes, in order."""
        self.pack = _packer(self.code, flat)
        """The `fxs_command` row of the fields' numbers. struct.error if one does not fit."""
        self._head = COMMAND.pack(self.code, *[0] * 18)[: COMMAND.size - COLLIDER.size]

    def __repr__(self) -> str:
        return f"<Change {self.name}>"

    def values(self, args: Sequence[Any]) -> dict[str, Any]:
        """The numbers by name of the arguments of `function`: ints, and a row as bytes."""
        return dict(zip(self.columns, self._numbers(args), strict=True))

    def row_of(self, args: Sequence[Any]) -> bytes:
        """The `fxs_command` row of the arguments of `function`."""
        if self.row is COLLIDER:
            return self._head + cast("bytes", args[0])
        return self.pack(*self._numbers(args))

    def _numbers(self, args: Sequence[Any]) -> list[Any]:
        numbers: list[Any] = []
        for arg in args:
            numbers += self.row.unpack(arg) if self.row and type(arg) is bytes else (arg,)
        return numbers

    def command(self, values: dict[str, Any]) -> Command:
        """The command of numbers by name."""
        return (self.name, values["id"], *(_part(field, values) for field in self.fields[1:]))


def _packer(code: int, columns: tuple[str, ...]) -> Callable[..., bytes]:
    """Packs numbers in the order of `columns` into a row with this code."""
    parts = []
    for column, kind in zip(COLLIDER_COLUMNS, COLLIDER.format[1:], strict=True):
        parts.append(kind if column in columns else f"{calcsize(f'={kind}')}x")
    pack = partial(Struct(f"=I4x{''.join(parts)}").pack, code)
    used = [column for column in COLLIDER_COLUMNS if column in columns]
    if used == list(columns):
        return pack
    in_order = itemgetter(*(columns.index(column) for column in used))
    return lambda *numbers: pack(*in_order(numbers))


def _part(field: str, values: dict[str, Any]) -> Any:
    """A field of a command, from numbers by name."""
    if field == "shape":
        numbers = tuple(values[column] for column in COLUMNS)
        return KINDS[numbers[0]].written(numbers)
    if field == "active":
        return bool(values["active"])
    names = FIELDS[field]
    return values[names[0]] if len(names) == 1 else tuple(values[name] for name in names)


_ROWS = {"collider": COLLIDER, "pose": POSE, "shape": SHAPE}
_TABLE = tuple(
    Change(name, code, function, _ROWS.get(row), tuple(fields.split()))
    for name, code, function, row, fields in COMMANDS
)
CHANGES = {change.name: change for change in _TABLE}
"""By name."""
_BY_CODE = {change.code: change for change in _TABLE}
_LAYERS = CHANGES["layers"]


# Commands to rows.


def rows_of_commands(commands: Iterable[Command]) -> tuple[bytes, list[int]]:
    """The rows of commands, and the index of the command of each row: the layer matrix takes 32
    rows. CommandError, or TypeError, for the first that is not a command."""
    rows: list[bytes] = []
    at: list[int] = []
    for i, command in counted("commands", commands):
        try:
            found = _rows_of(command)
        except TypeError as error:
            raise TypeError(f"commands[{i}]: {error}") from error
        except ValueError as error:
            raise CommandError(i, str(error)) from error
        rows += found
        at += [i] * len(found)
    return b"".join(rows), at


def _rows_of(command: Any) -> list[bytes]:
    if not isinstance(command, (tuple, list)) or not command:
        raise TypeError(f"must be ('move', id, (x, y, z)) or the like, not {shown(command)}")
    name, *parts = command
    change = CHANGES.get(name) if isinstance(name, str) else None
    if change is None:
        refuse("name", name, f"one of {', '.join(CHANGES)}")
    if len(parts) != len(change.fields):
        names = ", ".join(change.fields)
        raise ValueError(f"{name} has {names}, not {len(parts)} values: {shown(parts)}")
    if change is _LAYERS:
        return rows_of_layers(layer_masks(parts[0]))
    numbers: list[int] = []
    for field, part in zip(change.fields, parts, strict=True):
        numbers += _numbers_of(field, part)
    return [change.pack(*numbers)]


def _numbers_of(field: str, part: Any) -> tuple[int, ...]:
    if field == "shape":
        return shape_numbers(part)
    if field == "active":
        return (boolean("active", part),)
    if field == "id":
        return (uint32("id", part),)
    if field in RANGES:
        return (integer(field, part, *RANGES[field]),)
    return integers(field, FIELDS[field], part, INT32_MIN, INT32_MAX)


def rows_of_layers(masks: Sequence[int]) -> list[bytes]:
    """The rows that set a layer matrix."""
    return [
        COMMAND.pack(_LAYERS.code, mask, 0, 0, layer, *_ZEROS) for layer, mask in enumerate(masks)
    ]


def shape_numbers(values: Any) -> tuple[int, ...]:
    """The kernel's numbers of a shape as a match log writes it: ("sphere", radius)."""
    if not isinstance(values, (tuple, list)) or not values:
        raise TypeError(f"shape must be ('sphere', radius) or the like, not {shown(values)}")
    name, *sizes = values
    kind = KINDS_BY_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        refuse("kind", name, f"one of {', '.join(KINDS_BY_NAME)}")
    return kind.of_tuple(sizes)


# Rows to commands.


def _read(rows: bytes, i: int) -> tuple[Change, dict[str, Any]]:
    """The change of the i-th row, and its numbers by name."""
    code, mask, *numbers = COMMAND.unpack_from(rows, i * COMMAND.size)
    change = _BY_CODE.get(code)
    if change is None:
        refuse("type", code, f"1..{len(_BY_CODE)}")
    values = dict(zip(COLLIDER_COLUMNS, numbers, strict=True))
    if change is _LAYERS:
        return change, {"layer": values["layer"], "mask": mask}
    return change, {name: values[name] for name in change.columns}


def values_of_row(rows: bytes, i: int) -> dict[str, Any]:
    """The numbers of the i-th row by name. ValueError if no command has its type."""
    return _read(rows, i)[1]


def commands_of_rows(rows: bytes, masks: Sequence[int]) -> list[Command]:
    """The commands of rows that a world accepted. `masks`: its layer matrix before them. Rows of
    the layer matrix, one after another, are one command."""
    commands: list[Command] = []
    matrix, is_layers = list(masks), False
    for i in range(len(rows) // COMMAND.size):
        change, values = _read(rows, i)
        if change is _LAYERS:
            _set_layer(matrix, values["layer"], values["mask"])
            if is_layers:
                commands.pop()
            commands.append(("layers", layer_pairs(matrix)))
        else:
            commands.append(change.command(values))
        is_layers = change is _LAYERS
    return commands


def _set_layer(matrix: list[int], layer: int, mask: int) -> None:
    matrix[layer] = mask
    for other in range(LAYER_COUNT):
        matrix[other] = matrix[other] & ~(1 << layer) | (mask >> other & 1) << layer

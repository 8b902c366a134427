"""A level as the header of a match log has it: `"level":{"solids":[...]}`."""

from __future__ import annotations

import struct
from typing import Annotated, Any, TypeAlias, Union

import msgspec
from msgspec import Meta, Struct

from fixsync._native.level import pillar_bytes, prism_bytes
from fixsync.base.strict_json import LayerIndex, LineError, Row
from fixsync.log.schema import Int32
from fixsync.world.level import LEVEL, Level, Pillar, Prism, Solid


class _Row(Row):
    layer: LayerIndex
    y_low: Int32
    y_high: Int32


class PrismRow(_Row, tag="prism"):
    vertices: list[tuple[Int32, Int32]]


class CylinderRow(_Row, tag="cylinder"):
    centre: tuple[Int32, Int32]
    radius: Annotated[int, Meta(ge=1, le=2**29 - 1)]


SolidRow: TypeAlias = Union[PrismRow, CylinderRow]  # noqa: UP007 - msgspec needs the types


class LevelLine(Struct, forbid_unknown_fields=True):
    solids: list[SolidRow]


def read_level_line(value: Any) -> LevelLine | None:
    """The value of the header's key `level`; None if a type or a number in it is wrong."""
    try:
        return msgspec.convert(value, LevelLine)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError):
        return None


def level_of(line: LevelLine) -> Level:
    """The level of a header. LineError for a solid that no level has."""
    try:
        rows = [_bytes(solid) for solid in line.solids]
        return Level.from_bytes(b"FXL1" + len(rows).to_bytes(4, "little") + b"".join(rows))
    except (ValueError, struct.error):
        # Solid by solid, for an error that names the one at fault.
        return Level(_solid(f"level.solids[{i}]", solid) for i, solid in enumerate(line.solids))


def _bytes(solid: SolidRow) -> bytes:
    if isinstance(solid, CylinderRow):
        return pillar_bytes(solid.layer, solid.y_low, solid.y_high, *solid.centre, solid.radius)
    numbers = [number for vertex in solid.vertices for number in vertex]
    return prism_bytes(solid.layer, solid.y_low, solid.y_high, numbers)


def _solid(path: str, row: SolidRow) -> Solid:
    try:
        if isinstance(row, CylinderRow):
            return Pillar(*row.centre, row.radius, row.y_low, row.y_high, row.layer)
        return Prism(row.vertices, row.y_low, row.y_high, row.layer)
    except ValueError as error:
        raise LineError(path, str(error)) from None


def level_line(level: Level) -> dict[str, Any]:
    """The value of the header's key `level`."""
    return {"solids": [list(solid.as_tuple()) for solid in level]}


def solid_ids(level: Level | None) -> range:
    """The ids of a level's solids."""
    return range(0) if level is None else range(LEVEL, LEVEL + len(level))

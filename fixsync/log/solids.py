"""A level as the header of a match log has it: `"level":{"solids":[...]}`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, Union

from msgspec import Meta, Struct

from fixsync.level import LEVEL, Level, Pillar, Prism, Solid
from fixsync.log.text import LineError

__all__ = ["LevelLine", "level_line", "level_of", "solid_ids"]

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
LayerIndex = Annotated[int, Meta(ge=0, le=31)]
Radius = Annotated[int, Meta(ge=1, le=2**29 - 1)]


class _Row(Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """A JSON array: its tag, then its fields in order."""

    layer: LayerIndex
    y_low: Int32
    y_high: Int32


class PrismRow(_Row, tag="prism"):
    vertices: list[tuple[Int32, Int32]]


class CylinderRow(_Row, tag="cylinder"):
    centre: tuple[Int32, Int32]
    radius: Radius


SolidRow: TypeAlias = Union[PrismRow, CylinderRow]  # noqa: UP007 - msgspec needs the types


class LevelLine(Struct, forbid_unknown_fields=True):
    solids: list[SolidRow]


def level_of(line: dict[str, Any]) -> Level:
    """The level of a header whose types were checked. LineError for a solid that no level has."""
    return Level(_solid(f"level.solids[{i}]", *row) for i, row in enumerate(line["solids"]))


def _solid(path: str, kind: str, layer: int, y_low: int, y_high: int, *rest: Any) -> Solid:
    try:
        if kind == "prism":
            return Prism(rest[0], y_low, y_high, layer)
        (x, z), radius = rest
        return Pillar(x, z, radius, y_low, y_high, layer)
    except ValueError as error:
        raise LineError(path, str(error)) from None


def level_line(level: Level) -> dict[str, Any]:
    """The value of the header's key `level`."""
    return {"solids": [list(solid.as_tuple()) for solid in level]}


def solid_ids(level: Level | None) -> range:
    """The ids of a level's solids."""
    return range(0) if level is None else range(LEVEL, LEVEL + len(level))

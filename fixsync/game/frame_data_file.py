"""Frame data as a JSON file that people and tools write.

    {
      "parts": {
        "torso": {"shape": ["cylinder", "0.5", 1]},
        "sword": {"shape": ["box", 65536, "0.25", "0.25"], "offset": ["1.5", 0, 0], "active": false}
      },
      "attacks": {
        "slash": {"frames": 16, "active": {"sword": [[4, 6]]}, "rehits": [6],
                  "cancels": [{"into": "slash", "frames": [7, 12], "on_hit": true}],
                  "keys": {"sword": [{"frames": [5, 6], "yaw": "30", "turns": true}]}}
      }
    }

A number is raw: Q16.16 for lengths, 65536 steps a turn for angles. A string is a decimal, exact: in
units for lengths, in degrees for angles. `[4, 6]` are the frames 4, 5 and 6."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import astuple

from fixsync._native.body import ATTACK_FRAMES_MAX, PARTS_MAX, TableError, read_table
from fixsync._native.kinds import KINDS, KINDS_BY_NAME, Size, class_name
from fixsync._native.raw import INT32_MAX, INT32_MIN
from fixsync.base.numbers import degrees, q
from fixsync.base.strict_json import LayerIndex, Row
from fixsync.game.frame_data import Attack, Cancel, FrameData, Key, Part
from fixsync.world.shapes import shape_from_tuple

__all__ = ["FrameDataError", "frame_data", "read_frame_data", "schema"]


class FrameDataError(ValueError):
    """An error in a file of frame data, and its place: `path` is like attacks.slash.frames."""

    def __init__(self, file: str, path: str, reason: str) -> None:
        self.file = file
        self.path = path
        self.reason = reason
        super().__init__(": ".join(part for part in (file, path, reason) if part))


Units = Annotated[str, Meta(pattern=r"^-?[0-9]+(\.[0-9]+)?$")]
Degrees = Annotated[str, Meta(pattern=r"^-?[0-9]+(\.[0-9]+)?$")]
Length: TypeAlias = Annotated[int, Meta(ge=INT32_MIN, le=INT32_MAX)] | Units
Yaw: TypeAlias = Annotated[int, Meta(ge=0, le=65535)] | Degrees
Frame = Annotated[int, Meta(ge=0, le=ATTACK_FRAMES_MAX - 1)]
Span: TypeAlias = tuple[Frame, Frame]


def _size_field(size: Size) -> tuple[Any, ...]:
    number = Annotated[int, Meta(ge=size.low, le=size.high)]
    written = number | (Degrees if size.column == "half_angle" else Units)
    return (size.name, written, 0) if size.is_hole else (size.name, written)


_SHAPES = [
    msgspec.defstruct(
        class_name(kind.name),
        list(map(_size_field, kind.sizes)),
        bases=(Row,),
        module=__name__,
        tag=kind.name,
        array_like=True,
        forbid_unknown_fields=True,
    )
    for kind in KINDS
]
# Union[...] as an expression: msgspec needs the types themselves.
if TYPE_CHECKING:
    ShapeRow: TypeAlias = Any
else:
    ShapeRow = Union[tuple(_SHAPES)]  # noqa: UP007


class PartEntry(Struct, forbid_unknown_fields=True):
    """A collider of the body."""

    shape: ShapeRow
    offset: tuple[Length, Length, Length] = (0, 0, 0)
    layer: LayerIndex = 0
    yaw: Yaw = 0
    active: bool = True
    turns: bool = False
    meta: dict[str, Any] = {}


class KeyEntry(Struct, forbid_unknown_fields=True):
    """Shape and place of a part in these frames, first and last; the part's where left out."""

    frames: Span
    shape: ShapeRow | UnsetType = UNSET
    offset: tuple[Length, Length, Length] | UnsetType = UNSET
    yaw: Yaw | UnsetType = UNSET
    turns: bool = False
    meta: dict[str, Any] = {}


class CancelEntry(Struct, forbid_unknown_fields=True):
    """In these frames, first and last, the attack `into` may begin."""

    into: str
    frames: Span
    on_hit: bool = False


class AttackEntry(Struct, forbid_unknown_fields=True):
    """An attack: the frames, first and last, in which it switches or changes parts."""

    frames: Annotated[int, Meta(ge=1, le=ATTACK_FRAMES_MAX)]
    active: dict[str, list[Span]] = {}
    inactive: dict[str, list[Span]] = {}
    rehits: list[Frame] = []
    cancels: list[CancelEntry] = []
    keys: dict[str, list[KeyEntry]] = {}
    meta: dict[str, Any] = {}


class FrameDataFile(Struct, forbid_unknown_fields=True):
    """Frame data of fixsync."""

    parts: Annotated[dict[str, PartEntry], Meta(min_length=1, max_length=PARTS_MAX)]
    attacks: dict[str, AttackEntry] = {}
    meta: dict[str, Any] = {}


def schema() -> dict[str, Any]:
    """The JSON schema of such a file (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(FrameDataFile),
    }


def read_frame_data(path: str | os.PathLike[str]) -> FrameData:
    """The frame data of a JSON file. FrameDataError names the file, the path within it, the value
    and what is allowed."""
    text = Path(path).read_bytes()
    try:
        return frame_data(text)
    except TableError as wrong:
        reason = wrong.reason + _hint(text) * (not wrong.path)
        raise FrameDataError(os.fspath(path), wrong.path, reason) from wrong


def _hint(text: bytes) -> str:
    """What reads a file of another program."""
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    if not isinstance(document, dict) or document.keys() <= {*FrameDataFile.__struct_fields__}:
        return ""
    if isinstance(document.get("meta"), dict) and "frames" in document:
        return ". It is a sprite sheet: --from aseprite reads those of Aseprite"
    return ". docs/frames.md, Other formats, shows how a table of boxes becomes frame data"


def frame_data(text: bytes) -> FrameData:
    """The frame data of the text of a file. TableError names the path within it."""
    read_table(text)  # C checks all
    file = msgspec.json.decode(text, type=FrameDataFile)
    parts = {
        name: Part(**_place(one), layer=one.layer, active=one.active)
        for name, one in file.parts.items()
    }
    attacks = {name: _attack(one) for name, one in file.attacks.items()}
    return FrameData(parts, attacks, meta=file.meta)


def _place(entry: PartEntry | KeyEntry) -> dict[str, Any]:
    """The members that a part and a key have in common, of those that are there."""
    found: dict[str, Any] = {"turns": entry.turns, "meta": entry.meta}
    if entry.shape is not UNSET:
        row = entry.shape
        sizes = KINDS_BY_NAME[row.__struct_config__.tag].sizes
        numbers = [
            _raw(written, degrees if size.column == "half_angle" else q)
            for size, written in zip(sizes, astuple(row), strict=True)
        ]
        found["shape"] = shape_from_tuple((row.__struct_config__.tag, *numbers))
    if entry.offset is not UNSET:
        found["offset"] = tuple(_raw(written, q) for written in entry.offset)
    if entry.yaw is not UNSET:
        found["yaw"] = _raw(entry.yaw, degrees)
    return found


def _raw(written: int | str, convert: Callable[[str], int]) -> int:
    return written if isinstance(written, int) else convert(written)


def _attack(entry: AttackEntry) -> Attack:
    active, inactive = (
        {name: [*map(_frames, spans)] for name, spans in of.items()}
        for of in (entry.active, entry.inactive)
    )
    cancels = [Cancel(one.into, _frames(one.frames), one.on_hit) for one in entry.cancels]
    keys = {
        name: [Key(_frames(key.frames), **_place(key)) for key in some]
        for name, some in entry.keys.items()
    }
    return Attack(entry.frames, active, inactive, entry.rehits, cancels, keys, entry.meta)


def _frames(span: Span) -> range:
    return range(span[0], span[1] + 1)

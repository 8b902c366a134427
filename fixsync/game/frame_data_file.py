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

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, Union

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, inspect

from fixsync._native.body import ATTACK_FRAMES_MAX, PARTS_MAX
from fixsync._native.kinds import KINDS, KINDS_BY_NAME, Size, class_name
from fixsync._native.raw import INT32_MAX, INT32_MIN
from fixsync.base import strict_json
from fixsync.base.numbers import ONE, decimal, degrees, exact, q
from fixsync.base.strict_json import LayerIndex, LineError, Row, key_path
from fixsync.game.frame_data import Attack, Cancel, FrameData, Key, Part
from fixsync.world.shapes import Shape, shape_from_tuple

__all__ = ["FrameDataError", "frame_data", "read_frame_data", "schema"]

_T = TypeVar("_T")


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


_FILE, _PART, _ATTACK = map(inspect.type_info, (FrameDataFile, PartEntry, AttackEntry))
_SPANS, _KEYS = inspect.type_info(list[Span]), inspect.type_info(list[KeyEntry])


def schema() -> dict[str, Any]:
    """The JSON schema of such a file (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(FrameDataFile),
    }


def read_frame_data(path: str | os.PathLike[str]) -> FrameData:
    """The frame data of a JSON file. FrameDataError names the file, the path within it, the value
    and what is allowed."""
    name = os.fspath(path)
    try:
        document = strict_json.parse_document(Path(path).read_bytes())
        foreign = document.keys() - {*FrameDataFile.__struct_fields__}
        if foreign:
            _refuse_foreign(document, min(foreign))
        return frame_data(document)
    except LineError as wrong:
        raise FrameDataError(name, wrong.path, wrong.reason) from wrong


def _refuse_foreign(document: dict[str, Any], key: str) -> None:
    """A file of another program is refused with what reads it."""
    if "frames" in document and isinstance(document.get("meta"), dict):
        raise LineError("", "it is a sprite sheet: --from aseprite reads those of Aseprite")
    known = ", ".join(FrameDataFile.__struct_fields__)
    raise LineError(
        key_path("", key),
        f"an unknown key; known are {known}. docs/frames.md, Other formats, shows how a table of "
        "boxes becomes frame data",
    )


def frame_data(doc: dict[str, Any]) -> FrameData:
    """The frame data of a document. LineError names the path within it."""
    strict_json.check(doc, _FILE)
    parts: dict[str, Part] = {}
    for name, value in doc["parts"].items():
        path = key_path("parts", name)
        strict_json.check(value, _PART, path)
        parts[name] = _part(path, value)
    if not 1 <= len(parts) <= PARTS_MAX:
        raise LineError("parts", f"expected 1..{PARTS_MAX} parts, found {len(parts)}")
    attacks = doc.get("attacks", {})
    for name, value in attacks.items():
        strict_json.check(value, _ATTACK, key_path("attacks", name))
    made = {
        name: _attack(key_path("attacks", name), value, parts, attacks)
        for name, value in attacks.items()
    }
    meta = _meta("", doc)
    return _made("attacks", lambda: FrameData(parts, made, meta=meta))


def _part(path: str, value: dict[str, Any]) -> Part:
    others = {key: value[key] for key in ("layer", "active") if key in value}
    return _made(path, lambda: Part(**_place(path, value), **others))


def _place(path: str, value: dict[str, Any]) -> dict[str, Any]:
    """The members that a part and a key have in common, of those that are there."""
    found: dict[str, Any] = {"turns": value.get("turns", False), "meta": _meta(path, value)}
    if "shape" in value:
        found["shape"] = _shape(f"{path}.shape", value["shape"])
    if "offset" in value:
        found["offset"] = tuple(
            _number(f"{path}.offset[{i}]", written, _units)
            for i, written in enumerate(value["offset"])
        )
    if "yaw" in value:
        found["yaw"] = _number(f"{path}.yaw", value["yaw"], degrees)
    return found


def _meta(path: str, value: dict[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = value.get("meta", {})
    strict_json.check_plain(meta, key_path(path, "meta"))
    return meta


def _shape(path: str, value: list[Any]) -> Shape:
    kind, *sizes = value
    numbers = [
        _number(f"{path}[{i}]", written, degrees if size.column == "half_angle" else _units)
        for i, (size, written) in enumerate(
            zip(KINDS_BY_NAME[kind].sizes, sizes, strict=False), start=1
        )
    ]
    return _made(path, lambda: shape_from_tuple((kind, *numbers)))


def _number(path: str, written: int | str, convert: Callable[[str], int]) -> int:
    if isinstance(written, int):
        return written
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", written) is None:
        raise LineError(path, f'expected an integer or a decimal like "1.5", found {written!r}')
    return _made(path, lambda: convert(written))


def _units(written: str) -> int:
    """`q`, whose error gives the nearest numbers that the file can hold."""
    raw, rest = divmod(exact("a decimal", written) * ONE, 1)
    if rest and INT32_MIN <= raw < INT32_MAX:
        below, above = (f'"{decimal(n, ONE, 16)}" or raw {n}' for n in (raw, raw + 1))
        raise ValueError(
            f'"{written}" is not a multiple of 1/65536: write {below} (below), or {above} (above)'
        )
    return q(written)


def _made(path: str, make: Callable[[], _T]) -> _T:
    """The result of `make`; its errors get the path."""
    try:
        return make()
    except ValueError as error:
        raise LineError(path, str(error)) from error


def _attack(
    path: str, value: dict[str, Any], parts: Mapping[str, Part], attacks: Mapping[str, Any]
) -> Attack:
    frames = value["frames"]
    rest: dict[str, Any] = {}
    for which in ("active", "inactive"):
        rest[which] = {}
        for name, spans in value.get(which, {}).items():
            place = key_path(f"{path}.{which}", name)
            _known("part", name, place, parts)
            strict_json.check(spans, _SPANS, place)
            rest[which][name] = [
                _span(f"{place}[{i}]", span, frames) for i, span in enumerate(spans)
            ]
    rehits = value.get("rehits", [])
    for i, frame in enumerate(rehits):
        least = rehits[i - 1] + 1 if i else 1
        _in_range(f"{path}.rehits[{i}]", frame, least, frames - 1)
    cancels = []
    for i, cancel in enumerate(value.get("cancels", [])):
        place = f"{path}.cancels[{i}]"
        _known("attack", cancel["into"], f"{place}.into", attacks)
        span = _span(f"{place}.frames", cancel["frames"], frames)
        cancels.append(Cancel(cancel["into"], span, cancel.get("on_hit", False)))
    keys: dict[str, list[Key]] = {}
    for name, entries in value.get("keys", {}).items():
        place = key_path(f"{path}.keys", name)
        _known("part", name, place, parts)
        strict_json.check(entries, _KEYS, place)
        keys[name] = [
            _key(f"{place}[{i}]", entry, parts[name], frames) for i, entry in enumerate(entries)
        ]
    rest |= {"rehits": rehits, "cancels": cancels, "keys": keys, "meta": _meta(path, value)}
    return _made(path, lambda: Attack(frames, **rest))


def _key(path: str, value: dict[str, Any], part: Part, frames: int) -> Key:
    key = Key(_span(f"{path}.frames", value["frames"], frames), **_place(path, value))
    _made(path, lambda: key.of(part))
    return key


def _span(path: str, span: tuple[int, int], frames: int) -> range:
    first, last = span
    _in_range(f"{path}[0]", first, 0, frames - 1)
    _in_range(f"{path}[1]", last, first, frames - 1)
    return range(first, last + 1)


def _in_range(path: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise LineError(path, f"{value} is not in {low}..{high}")


def _known(what: str, name: str, path: str, names: Mapping[str, Any]) -> None:
    if name not in names:
        known = ", ".join(map(strict_json.shown, names))
        raise LineError(path, f"no {what} is called {strict_json.shown(name)}; there are {known}")

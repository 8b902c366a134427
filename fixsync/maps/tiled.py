"""Levels out of maps of Tiled (https://www.mapeditor.org), version 1.9 or later, saved as JSON.

docs/levels.md says what each thing of a map becomes. Numbers are read as the decimals that stand in
the file and computed with as fractions; each coordinate of the level is rounded once."""

from __future__ import annotations

import base64
import os
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

from fixsync._native.raw import INT32_MAX, INT32_MIN, LAYER_COUNT
from fixsync.level import LEVEL, Level, Pillar, Prism, Solid
from fixsync.log import text
from fixsync.log.files import zstd_module
from fixsync.log.text import LineError, key_path
from fixsync.maps.polygons import convex_pieces
from fixsync.maps.rotation import Rotation
from fixsync.maps.solids import Rectangle, Run, rectangles, runs_of
from fixsync.numbers import ONE, decimal

__all__ = ["TiledError", "TiledMap", "read_tiled"]

DEPTH_MAX = 64
"""How deep groups are nested."""
SOLIDS_MAX = 2**16
"""Most solids of a map."""
CELLS_MAX = 2**24
"""Most cells of a map's solid tile layers together."""
RUNS_MAX = 2**20
"""Most runs of tiles, each in one row, of a map's solid tile layers together."""
PIXELS_MAX = 10**9
"""Greatest number of pixels that a map may name."""
DIGITS_MAX = 400
"""Most digits of a number, and its most distant decimal place."""
_CELL_INDEX_MAX = 10**8
_GID = 2**28 - 1
"""The bits of a cell that are its tile; those above say how the tile is flipped."""

KEYS = ("solid", "layer", "y_low", "y_high")
"""The properties that are read, of the map, of layers and groups, and of objects."""


class TiledError(ValueError):
    """What is wrong in a map, and where: the file, the path of the value in it, such as
    `layers[2].objects[0].width`, and the reason."""

    def __init__(self, file: str, path: str, reason: str) -> None:
        super().__init__(f"{file}{', ' if path else ''}{path}: {reason}")
        self.file = file
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return TiledError, (self.file, self.path, self.reason)


@dataclass
class TiledMap:
    """The level of a map, and what became of the map's parts."""

    level: Level
    names: dict[int, str] = field(default_factory=dict)
    """Names of objects by the ids of their solids, for the `names` of a log."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of each kind of thing that is not a solid: "point", "text", "hidden object"."""
    rounded: int = 0
    """Number of solids of which a coordinate was rounded."""
    rounding: Fraction = Fraction(0)
    """The greatest distance that rounding moved a coordinate by, in raw units: at most 1/2."""


def read_tiled(
    path: str | os.PathLike[str],
    *,
    pixels_per_unit: int | Fraction | None = None,
    origin: tuple[Fraction | int, Fraction | int] = (0, 0),
    z_down: bool = False,
    hidden: bool = False,
) -> TiledMap:
    """The level of a map that Tiled has saved as JSON (.tmj or .json).

    `pixels_per_unit`: by default the width of the map's tiles. `origin`: the pixel (x, y) that
    becomes (0, 0). Up in the map is +z; with `z_down`, down is. `hidden`: hidden layers and objects
    become solids too, instead of being left out. TiledError, with the path of the value, for a map that is
    damaged or has a solid that no level can have; OSError for a file that cannot be read."""
    name = os.fspath(path)
    try:
        document = _Value("", text.parse_document(Path(path).read_bytes()))
        return _Reading(pixels_per_unit, origin, z_down, hidden).read(document)
    except LineError as wrong:
        saved = "" if wrong.path else "not a map that Tiled saved as JSON (File > Save As, .tmj): "
        raise TiledError(name, wrong.path, f"{saved}{wrong.reason}") from None


def _shown(value: Fraction) -> str:
    """A number for an error, with at most 5 decimals."""
    return decimal(value.numerator, value.denominator, 5)


class _Value:
    """A value of the map and its path, which errors name."""

    __slots__ = ("path", "value")

    def __init__(self, path: str, value: Any) -> None:
        self.path = path
        self.value = value

    def fail(self, reason: str) -> LineError:
        return LineError(self.path, reason)

    def expected(self, what: str) -> LineError:
        return self.fail(f"expected {what}, found {text.shown(self.value)}")

    def __contains__(self, key: str) -> bool:
        return key in self._members()

    def _members(self) -> dict[str, Any]:
        if isinstance(self.value, text.RepeatedKey):
            raise LineError(key_path(self.path, self.value.key), "duplicate key")
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        return self.value

    def __getitem__(self, key: str) -> _Value:
        if key not in self:
            raise LineError(key_path(self.path, key), "the key is missing")
        return self.get(key, None)

    def get(self, key: str, default: Any) -> _Value:
        """The value of a key, or the default."""
        return _Value(key_path(self.path, key), self._members().get(key, default))

    def items(self) -> Iterator[_Value]:
        if not isinstance(self.value, list):
            raise self.expected("a list")
        for i, value in enumerate(self.value):
            yield _Value(f"{self.path}[{i}]", value)

    def string(self) -> str:
        if type(self.value) is not str:
            raise self.expected("a string")
        text.check_string(self.value, self.path)
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def integer(self, low: int, high: int) -> int:
        value = self.value
        if type(value) is not int or not low <= value <= high:
            raise self.expected(f"an integer of {low}..{high}")
        return value

    def fraction(self, low: int = -PIXELS_MAX, high: int = PIXELS_MAX) -> Fraction:
        """A number as it stands in the file."""
        is_number = type(self.value) is int or isinstance(self.value, text.Number)
        try:
            value = Decimal(self.value if is_number else "NaN")
        except InvalidOperation:  # an exponent that no Decimal has
            value = Decimal("NaN")
        if not value.is_finite() or not low <= value <= high:
            raise self.expected(f"a number of {low}..{high}")
        # Before it is a fraction, because that of 1e-999999999 would fill the memory.
        if value and (value.adjusted() < -DIGITS_MAX or len(value.as_tuple().digits) > DIGITS_MAX):
            raise self.fail(f"a number has at most {DIGITS_MAX} digits and decimal places")
        return Fraction(value) if value else Fraction(0)


_DECIMAL = re.compile(r"-?[0-9]{1,10}(\.[0-9]{1,100})?", re.ASCII)


def _properties(owner: _Value) -> dict[str, _Value]:
    """Those of KEYS that something has."""
    found = {}
    for entry in owner.get("properties", []).items():
        name = entry["name"].string()
        if name in KEYS:
            found[name] = entry["value"]
    return found


@dataclass(frozen=True)
class _Place:
    """Where a layer stands: the properties that its parts take over, and its offset in pixels."""

    properties: Mapping[str, _Value]
    x: Fraction = Fraction(0)
    y: Fraction = Fraction(0)
    is_visible: bool = True


class _Reading:
    """One map on its way to a level."""

    def __init__(
        self,
        pixels_per_unit: int | Fraction | None,
        origin: tuple[Fraction | int, Fraction | int],
        z_down: bool,
        hidden: bool,
    ) -> None:
        self._pixels_per_unit = pixels_per_unit
        self._origin = origin
        self._up = 1 if z_down else -1
        self._hidden = hidden
        self._raw = Fraction(0)
        """Raw units of one pixel."""
        self._tile = (1, 1)
        self._solids: list[Solid] = []
        self._found = TiledMap(Level([]))
        self._worst = Fraction(0)
        """Greatest rounding of the solid being made."""
        self._cells = self._runs = 0
        """Of the solid tile layers so far."""

    def read(self, document: _Value) -> TiledMap:
        if document.get("type", None).value != "map":
            raise document.get("type", None).expected('"map": a map, saved by Tiled as JSON')
        orientation = document.get("orientation", None)
        if orientation.value != "orthogonal":
            raise orientation.expected('"orthogonal", the one that has a level')
        self._tile = (
            document["tilewidth"].integer(1, PIXELS_MAX),
            document["tileheight"].integer(1, PIXELS_MAX),
        )
        self._raw = ONE / Fraction(self._pixels_per_unit or self._tile[0])
        self._layers(document["layers"], _Place(_properties(document)), 1)
        self._found.level = Level(self._solids)
        return self._found

    def _layers(self, layers: _Value, outer: _Place, depth: int) -> None:
        for layer in layers.items():
            place = _Place(
                {**outer.properties, **_properties(layer)},
                outer.x + layer.get("offsetx", 0).fraction(),
                outer.y + layer.get("offsety", 0).fraction(),
                outer.is_visible and layer.get("visible", True).boolean(),
            )
            kind = layer["type"]
            if kind.value == "group":
                if depth == DEPTH_MAX:
                    raise layer.fail(f"groups are nested deeper than {DEPTH_MAX}")
                self._layers(layer["layers"], place, depth + 1)
            elif kind.value == "objectgroup":
                for item in layer["objects"].items():
                    self._object(item, place)
            elif kind.value == "tilelayer":
                self._tiles(layer, place)
            elif kind.value == "imagelayer":
                self._leave_out("image layer")
            else:
                raise kind.expected('"tilelayer", "objectgroup", "imagelayer" or "group"')

    def _leave_out(self, what: str) -> None:
        self._found.left_out[what] += 1

    # Objects.

    def _object(self, item: _Value, place: _Place) -> None:
        own = {**place.properties, **_properties(item)}
        if not self._hidden and not (place.is_visible and item.get("visible", True).boolean()):
            self._leave_out("hidden object")
        elif "solid" in own and not own["solid"].boolean():
            self._leave_out("non-solid object")
        elif "template" in item:
            template = item["template"].string()
            raise item.fail(f"it is made from the template {template!r}: detach it in Tiled")
        elif left := next(
            (key for key in ("point", "text", "gid") if item.get(key, False).value), None
        ):
            self._leave_out({"gid": "tile object"}.get(left, left))
        elif "polyline" in item:
            raise item["polyline"].fail("a polyline has no inside: draw a polygon")
        elif item.get("capsule", False).value:
            raise item["capsule"].fail("a lying capsule is not a solid: draw a polygon")
        else:
            self._area(item, place, own)

    def _area(self, item: _Value, place: _Place, own: Mapping[str, _Value]) -> None:
        """A polygon, an ellipse or a rectangle."""
        width, height = (item.get(k, 0).fraction(0) for k in ("width", "height"))
        turn = Rotation(item.get("rotation", 0).fraction())
        x, y = (item[key].fraction() + offset for key, offset in (("x", place.x), ("y", place.y)))

        def at(dx: Fraction, dy: Fraction) -> tuple[Fraction, Fraction]:
            along, down = turn.turned(dx, dy)
            return x + along, y + down

        first = len(self._solids)
        if "polygon" in item:
            corners = item["polygon"]
            points = [at(p["x"].fraction(), p["y"].fraction()) for p in corners.items()]
            self._prisms(corners, points, own)
        elif width == height == 0:
            self._leave_out("point")
        elif width == 0 or height == 0:
            key = "height" if width else "width"
            raise item.get(key, 0).expected("a number of more than 0: an area has an inside")
        elif item.get("ellipse", False).boolean():
            if width != height:
                raise item["ellipse"].fail(
                    f"an ellipse of {_shown(width)} x {_shown(height)} pixels is not a circle, and "
                    "only a circle is a cylinder: draw a polygon"
                )
            self._pillar(item, at(width / 2, height / 2), width / 2, own)
        else:
            zero = Fraction(0)
            ends = [(zero, zero), (width, zero), (width, height), (zero, height)]
            self._prisms(item, [at(*end) for end in ends], own)
        name = item.get("name", "").string()
        if name:
            for i in range(first, len(self._solids)):
                self._found.names[LEVEL + i] = name

    def _prisms(
        self,
        where: _Value,
        points: Sequence[tuple[Fraction, Fraction]],
        own: Mapping[str, _Value],
    ) -> None:
        self._worst = Fraction(0)
        low, high, layer = self._heights(where, own)
        vertices = [self._point(where, *point) for point in points]
        try:
            pieces = convex_pieces(vertices)
        except ValueError as error:
            rounded = " (raw units, after rounding)" if self._worst else " (raw units)"
            raise where.fail(f"{error}{rounded}") from None
        self._check_room(where, len(pieces))
        for piece in pieces:
            self._add(Prism(piece, low, high, layer))

    def _pillar(
        self,
        where: _Value,
        centre: tuple[Fraction, Fraction],
        radius: Fraction,
        own: Mapping[str, _Value],
    ) -> None:
        self._worst = Fraction(0)
        low, high, layer = self._heights(where, own)
        x, z = self._point(where, *centre)
        self._check_room(where, 1)
        try:
            self._add(Pillar(x, z, self._rounded(radius * self._raw), low, high, layer))
        except ValueError as error:
            raise where.fail(f"{error} (raw units)") from None

    def _check_room(self, where: _Value, count: int) -> None:
        if len(self._solids) + count > SOLIDS_MAX:
            raise where.fail(f"with it the map has more than {SOLIDS_MAX} solids")

    def _add(self, solid: Solid) -> None:
        self._solids.append(solid)
        self._found.rounded += self._worst > 0
        self._found.rounding = max(self._found.rounding, self._worst)

    def _heights(self, where: _Value, own: Mapping[str, _Value]) -> tuple[int, int, int]:
        """y_low, y_high and the layer of a solid."""
        ends = []
        for key in ("y_low", "y_high"):
            if key not in own:
                raise where.fail(
                    f"it has no {key}: set the property on the object, its layer or the map"
                )
            ends.append(self._height(own[key]))
        low, high = ends
        if low >= high:
            raise own["y_high"].expected(
                f"a number of more than y_low, {_shown(Fraction(low, ONE))}"
            )
        layer = own["layer"].integer(0, LAYER_COUNT - 1) if "layer" in own else 0
        return low, high, layer

    def _height(self, value: _Value) -> int:
        """A height in units: a number, or a string with a decimal, as that need not be a float."""
        if isinstance(value.value, str) and _DECIMAL.fullmatch(value.value):
            height = Fraction(value.value)
        else:
            height = value.fraction(-32768, 32768)
        raw = self._rounded(height * ONE)
        if not INT32_MIN <= raw <= INT32_MAX:
            raise value.expected("a number of units of -32768..32767.99998")
        return raw

    def _point(self, where: _Value, x: Fraction, y: Fraction) -> tuple[int, int]:
        """A pixel in raw units."""
        return self._coordinate(where, 0, x), self._coordinate(where, 1, y)

    def _coordinate(self, where: _Value, axis: int, pixel: Fraction) -> int:
        exact = (pixel - self._origin[axis]) * (self._up if axis else 1) * self._raw
        raw = self._rounded(exact)
        if not INT32_MIN <= raw <= INT32_MAX:
            units = _shown(Fraction(raw, ONE))
            raise where.fail(f"{'xz'[axis]} is {units} units, outside -32768..32767.99998")
        return raw

    def _rounded(self, exact: Fraction) -> int:
        """The nearest integer, of two the even one."""
        raw = round(exact)
        self._worst = max(self._worst, abs(exact - raw))
        return raw

    # Tile layers.

    def _tiles(self, layer: _Value, place: _Place) -> None:
        own = place.properties
        if not ("solid" in own and own["solid"].boolean()):
            self._leave_out("non-solid tile layer")
            return
        if not self._hidden and not place.is_visible:
            self._leave_out("hidden tile layer")
            return
        runs: dict[int, list[Run]] = {}
        for part in layer["chunks"].items() if "chunks" in layer else [layer]:
            column, row = (
                part.get(key, 0).integer(-_CELL_INDEX_MAX, _CELL_INDEX_MAX) for key in ("x", "y")
            )
            width, height = (part[key].integer(0, CELLS_MAX) for key in ("width", "height"))
            self._cells += width * height
            if self._cells > CELLS_MAX:
                raise part.fail(
                    f"it has {width} x {height} cells; with them the map has more than {CELLS_MAX}"
                )
            for line, cells in enumerate(_rows(part["data"], layer, width, height)):
                found = runs_of(bytes(cell & _GID != 0 for cell in cells))
                self._runs += len(found)
                if self._runs > RUNS_MAX:
                    raise layer.fail(f"with it the map has more than {RUNS_MAX} runs of tiles")
                if found:
                    places = ((column + a, column + b) for a, b in found)
                    runs.setdefault(row + line, []).extend(places)
        self._rectangles(layer, rectangles(runs), place)

    def _rectangles(self, layer: _Value, found: Sequence[Rectangle], place: _Place) -> None:
        """Rectangles of cells as prisms, as `_prisms` makes them of four points."""
        self._check_room(layer, len(found))
        if not found:
            return
        self._worst = Fraction(0)
        low, high, number = self._heights(layer, place.properties)
        rounding = self._worst
        known: dict[tuple[int, int], tuple[int, Fraction]] = {}

        def at(axis: int, line: int) -> tuple[int, Fraction]:
            """A line between cells in raw units, and how far it was rounded."""
            if (axis, line) not in known:
                self._worst = Fraction(0)
                pixel = line * self._tile[axis] + (place.x, place.y)[axis]
                known[axis, line] = self._coordinate(layer, axis, pixel), self._worst
            return known[axis, line]

        for left, top, right, bottom in found:
            (x, x_off), (x_end, x_end_off) = at(0, left), at(0, right)
            (z, z_off), (z_end, z_end_off) = at(1, top), at(1, bottom)
            self._worst = max(rounding, x_off, x_end_off, z_off, z_end_off)
            corners = [(x, z), (x_end, z), (x_end, z_end), (x, z_end)]
            if z_end < z:
                corners = [corners[0], *corners[:0:-1]]
            try:
                self._add(Prism(corners, low, high, number))
            except ValueError as error:
                raise layer.fail(f"{error} (raw units)") from None


def _rows(data: _Value, layer: _Value, width: int, height: int) -> Iterable[Sequence[int]]:
    """The rows of a tile layer or of a chunk: the tile of each cell, 0 for none."""
    count = width * height
    encoding = layer.get("encoding", "csv")
    if encoding.value == "csv":
        found = [cell.integer(0, 2**32 - 1) for cell in data.items()]
        if len(found) != count:
            raise data.fail(f"it has {len(found)} cells; width x height is {count}")
        return (found[width * row : width * (row + 1)] for row in range(height))
    if encoding.value != "base64":
        raise encoding.expected('"csv" or "base64"')
    try:
        packed = base64.b64decode(data.string(), validate=True)
    except ValueError as error:
        raise data.fail(f"it is not base64: {error}") from None
    raw = _unpacked(packed, data, layer.get("compression", ""), 4 * count)
    if len(raw) != 4 * count:
        size = f"more than {4 * count}" if len(raw) > 4 * count else str(len(raw))
        raise data.fail(f"it has {size} bytes; 4 x width x height is {4 * count}")
    return struct.iter_unpack(f"<{width}I", raw) if count else ()


def _unpacked(packed: bytes, data: _Value, compression: _Value, size: int) -> bytes:
    """The bytes of a tile layer, one more than `size` if there are more."""
    if compression.value == "":
        return packed
    if compression.value not in ("zlib", "gzip", "zstd"):
        raise compression.expected('"zlib", "gzip", "zstd" or ""')
    try:
        if compression.value == "zstd":
            zstd = zstd_module()
            try:
                return bytes(zstd.ZstdDecompressor().decompress(packed, size + 1))
            except zstd.ZstdError as error:
                raise data.fail(f"its zstd data is damaged: {error}") from None
        inflate = zlib.decompressobj(31 if compression.value == "gzip" else 15)
        raw = inflate.decompress(packed, size + 1)
    except zlib.error as error:
        raise data.fail(f"its {compression.value} data is damaged: {error}") from None
    except ValueError as error:
        raise compression.fail(str(error)) from None
    if len(raw) == size and not inflate.eof:
        raise data.fail(f"its {compression.value} data is cut short")
    return raw

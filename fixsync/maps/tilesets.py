"""The tiles and templates of a Tiled map: properties, class and collision shapes by number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePath

from fixsync._native.raw import UINT32_MAX
from fixsync.maps.document import Files, Instance, MapError, Value, properties_of
from fixsync.maps.outlines import AREAS, Place2, Placing, kind_of, point_count, size_of

NUMBER = 2**28 - 1
"""The bits of a cell that are its tile; those above say how the tile is flipped."""
FLIPPED_ACROSS, FLIPPED_DOWN, SWAPPED = 2**31, 2**30, 2**29
_ALIGNMENTS = {
    f"{row}{column}" or "center": (Fraction(x, 2), Fraction(y, 2))
    for y, row in enumerate(("top", "", "bottom"))
    for x, column in enumerate(("left", "", "right"))
} | {"unspecified": (Fraction(0), Fraction(1))}
"""Where an object's point is in its picture, in widths and heights."""


@dataclass(frozen=True)
class Tile:
    """A tile: its tileset, its number there, and its values in the tileset."""

    tileset: str
    id: int
    width: Fraction
    height: Fraction
    properties: MutableMapping[str, Value] = field(default_factory=dict)
    kind: str = ""
    """Its class."""
    shapes: Sequence[Value] = ()
    """Its collision shapes, without points and texts."""
    lines: Sequence[str] = ()
    """The kinds of those that have no inside."""
    point_count: int = 0
    """Of the shapes that are polygons and lines."""
    offset: Place2 = (Fraction(0), Fraction(0))
    alignment: Place2 = (Fraction(0), Fraction(1))
    fills_cell: bool = False
    """Whether it is drawn as large as a cell."""
    keeps_aspect: bool = False
    """Whether it is stretched alike both ways."""

    def scale(self, cell: int, size: Place2) -> Place2:
        """How its picture is stretched to an area of a size."""
        x, y = (room / own for room, own in zip(size, self.seen(cell), strict=True))
        return (min(x, y), min(x, y)) if self.keeps_aspect else (x, y)

    def drawn(self, cell: int, placing: Placing, size: Place2) -> Placing:
        """The placing of its picture in the middle of an area; `placing`: of the area's corner."""
        (x, y), (wide, high) = self.scale(cell, size), self.seen(cell)
        placing = placing.moved((size[0] - wide * x) / 2, (size[1] - high * y) / 2)
        return placing.stretched(x, y).moved(*self.offset)

    def seen(self, cell: int) -> Place2:
        """The size of its picture as the bits of a cell turn it."""
        return (self.height, self.width) if cell & SWAPPED else (self.width, self.height)

    def is_whole(self, cell: int, width: int, height: int) -> bool:
        """Whether its collision shapes are the cell, of a size, and no more."""
        if (
            len(self.shapes) != 1
            or [self.width, self.height] != [width, height]
            or (width != height and cell & SWAPPED)
            or any(self.offset)
        ):
            return False
        shape = self.shapes[0]
        numbers = [
            shape.get(key, 0).fraction() for key in ("x", "y", "width", "height", "rotation")
        ]
        return kind_of(shape) == "rectangle" and numbers == [0, 0, width, height, 0]


def flipped(placing: Placing, cell: int, width: Fraction, height: Fraction) -> Placing:
    """The placing of a picture, so large before it is flipped, as the bits of its cell flip it."""
    if cell & SWAPPED:
        width, height = height, width
    if cell & FLIPPED_DOWN:
        placing = placing.moved(0, height).stretched(1, -1)
    if cell & FLIPPED_ACROSS:
        placing = placing.moved(width, 0).stretched(-1, 1)
    return placing.swapped() if cell & SWAPPED else placing


class _Tileset:
    """A tileset, which is read when one of its tiles is asked for."""

    def __init__(self, entry: Value, templates: Templates) -> None:
        self.first = entry["firstgid"].integer(1, NUMBER)
        self._entry = entry
        self._templates = templates
        self._fault: MapError | None = None
        self._tiles: dict[int, Value] | None = None
        self._known: dict[int, Tile] = {}
        source = entry.get("source", None).value
        self.name = str(
            entry.get("name", "").value or PurePath(str(source).replace("\\", "/")).stem
        )

    def tile(self, id: int) -> Tile:
        if self._fault is not None:
            raise self._fault
        try:
            if self._tiles is None:
                self._read()
            if id not in self._known:
                self._known[id] = self._tile(id)
        except MapError as fault:
            self._fault = fault
            raise
        return self._known[id]

    def _read(self) -> None:
        if self._entry.get("source", None).value:
            self._entry = self._templates.files.named(self._entry["source"])
            if "source" in self._entry:
                raise self._entry["source"].fail("a tileset's file cannot name another tileset")
            if "tilewidth" not in self._entry:
                raise self._entry.fail("it is not a tileset")
            name = self._entry.get("name", "").string()
            self.name = name or self.name
        tiles = self._entry.get("tiles", [])
        if isinstance(tiles.value, dict):  # before Tiled 1.2
            numbers = (id for id in tiles.value if id.isdecimal() and len(id) < 10)
            self._tiles = {int(id): tiles[id] for id in numbers}
        else:
            self._tiles = {tile["id"].integer(0, NUMBER): tile for tile in tiles.items()}

    def _tile(self, id: int) -> Tile:
        entry, own = self._entry, (self._tiles or {}).get(id)
        sizes = [entry[key].fraction(1) for key in ("tilewidth", "tileheight")]
        properties: dict[str, Value] = {}
        shapes: list[Value] = []
        kind = ""
        old = entry.get("tileproperties", {}).get(str(id), {})
        properties.update({name: old[name] for name in old.members()})
        if own is not None:
            properties.update(properties_of(own))
            # A part of a picture, or else all of it, is as large as the tile.
            sizes = [
                next((own[k].fraction(1) for k in (key, f"image{key}") if k in own), size)
                for key, size in zip(("width", "height"), sizes, strict=True)
            ]
            kind = str(own.get("type", "").value or own.get("class", "").value)
            if "objectgroup" in own:
                found = own["objectgroup"].get("objects", []).items()
                merged = [self._templates.merged(item) for item in found]
                shapes = [item for item in merged if kind_of(item) not in ("point", "text")]
        kinds = [*map(kind_of, shapes)]
        offset = entry.get("tileoffset", {})
        alignment = entry.get("objectalignment", "unspecified")
        if alignment.value not in _ALIGNMENTS:
            raise alignment.expected(f"one of {', '.join(_ALIGNMENTS)}")
        return Tile(
            self.name, id, sizes[0], sizes[1], properties, kind, shapes,
            [kind for kind in kinds if kind not in AREAS], sum(map(point_count, shapes, kinds)),
            (offset.get("x", 0).fraction(), offset.get("y", 0).fraction()),
            _ALIGNMENTS[alignment.value], entry.get("tilerendersize", "tile").value == "grid",
            entry.get("fillmode", "stretch").value == "preserve-aspect-fit",
        )  # fmt: skip


class Tilesets:
    """The tilesets of a map or of a template."""

    def __init__(self, entries: Value, templates: Templates) -> None:
        self.all = sorted((_Tileset(e, templates) for e in entries.items()), key=lambda t: t.first)
        self._firsts = [tileset.first for tileset in self.all]

    def tile(self, cell: int) -> Tile | None:
        """The tile of a cell or an object; None if no tileset has it."""
        number = cell & NUMBER
        place = bisect_right(self._firsts, number) - 1
        if number == 0 or place < 0:
            return None
        return self.all[place].tile(number - self._firsts[place])


class _Template:
    """A template: its object, the properties of that, and the tilesets of its tile."""

    def __init__(self, document: Value, templates: Templates) -> None:
        if document.get("type", None).value != "template":
            raise document.fail("it is not a template")
        self.object = document["object"]
        if "template" in self.object:
            raise self.object.fail("the object of a template is made from a template")
        self.properties = properties_of(self.object)
        entries = [document["tileset"].value] if self.object.get("gid", None).value else []
        self.tilesets = Tilesets(Value(document.file, "tileset", entries), templates)


class Templates:
    """The templates that the files of a map name. Each is read once."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._known: dict[tuple[str, str], _Template] = {}

    def merged(self, item: Value) -> Value:
        """An object with the values of its template where the object has none."""
        if "template" not in item:
            return item
        template = self._of(item)
        return Instance(item, template.object, template.properties)

    def tilesets(self, item: Value, own: Tilesets) -> Tilesets:
        """The tilesets of an object's tile: its template's if that says the tile, else its own."""
        is_own = "template" not in item or item.get("gid", None).value
        return own if is_own else self._of(item).tilesets

    def _of(self, item: Value) -> _Template:
        reference = item["template"]
        key = reference.file, reference.string()
        if key not in self._known:
            self._known[key] = _Template(self.files.named(reference), self)
        return self._known[key]


def size_in_map(item: Value, tile: Tile | None) -> Place2:
    """The size of a tile object; before Tiled 1.0 that of its tile."""
    width, height = size_of(item)
    if tile is not None and not width and not height:
        return tile.width, tile.height
    return width, height


def picture_of(item: Value, tile: Tile | None, is_whole: bool) -> tuple[Place2, Place2]:
    """The corner of a tile object, from its point, and its size. `Tile.drawn` adds the tile's offset."""
    size = size_in_map(item, tile)
    across, down = tile.alignment if tile else (Fraction(0), Fraction(1))
    x, y = -across * size[0], -down * size[1]
    if tile is not None and is_whole:
        by_x, by_y = tile.scale(item["gid"].integer(0, UINT32_MAX), size)
        x, y = x + tile.offset[0] * by_x, y + tile.offset[1] * by_y
    return (x, y), size

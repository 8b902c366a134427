"""Levels out of maps of Tiled (https://www.mapeditor.org), in XML or JSON, and of LDtk.

docs/levels.md lists the result of each thing in a map. Numbers are read as the decimals that stand
in the file and computed with as fractions; each coordinate of the level is rounded once."""

from __future__ import annotations

import os
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from fixsync._native.checks import shown
from fixsync._native.raw import INT32_MAX, UINT32_MAX
from fixsync.base.numbers import ONE
from fixsync.maps.builder import Builder, Ends, Heights, LimitError, View, limit
from fixsync.maps.cells import TILES_MAX, parts_of
from fixsync.maps.choice import TEXT, Choice, Choices, class_of, plain
from fixsync.maps.document import PIXELS_MAX, Files, Made, MapError, Value, name_of, properties_of
from fixsync.maps.grid import Grid, shapes_of
from fixsync.maps.ldtk import is_ldtk, map_of
from fixsync.maps.outlines import (
    LINES,
    Outline,
    Place2,
    Placing,
    kind_of,
    outlines,
    point_count,
    rectangle,
    size_of,
)
from fixsync.maps.solids import Rectangle, rectangles
from fixsync.maps.survey import survey
from fixsync.maps.tilesets import Templates, Tile, Tilesets, picture_of, size_in_map
from fixsync.world.level import LEVEL, Level

DEPTH_MAX = 64
"""How deep groups are nested."""
RUNS_MAX = 2**20
"""Most runs of tiles, each in one row, of a map's solid tile layers together."""
ERRORS_MAX = 20
"""Most errors that are shown."""
PROPERTIES_MAX = 2**20
"""Most properties of places and solid objects together, those of templates counted for each."""
_CELL_INDEX_MAX = 10**8

KEYS = ("solid", "layer", "y_low", "y_high")
"""The properties that are read, of the map, of layers and groups, and of objects."""
_SOLID_KEYS = {*KEYS} - {"layer"}
"""Those that make something solid."""


class MapFileError(ValueError):
    """The errors in a map, and their places: the file, the path of the value in it, such as
    `layers[2].objects[0].width`, and the reason. `more` has all that is wrong besides, likewise.
    The message has a line for each."""

    def __init__(self, file: str, path: str, reason: str, *more: tuple[str, str, str]) -> None:
        lines = [f"{f}{', ' if p else ''}{p}: {r}" for f, p, r in ((file, path, reason), *more)]
        hidden = len(lines) - ERRORS_MAX
        if hidden > 0:
            lines[ERRORS_MAX:] = [f"{hidden} more errors"]
        super().__init__("\n".join(lines))
        self.file = file
        self.path = path
        self.reason = reason
        self.more = more

    def __reduce__(self) -> tuple[Any, ...]:
        return MapFileError, (self.file, self.path, self.reason, *self.more)


@dataclass(frozen=True)
class Place:
    """A point of a map of Tiled, or an entity of LDtk: where something starts, or is."""

    name: str
    kind: str
    """Its class in Tiled. An entity has its definition's name as its name and as this."""
    position: tuple[int, int, int]
    """x, y and z in raw units; y is 0, or z in a map that is seen from the side. Of an entity, its
    pivot."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Its custom properties or fields. A number with a point is the text that stands in the map."""
    id: str = ""
    """The id in Tiled, the iid in LDtk, by which other objects refer to it."""
    path: str = ""
    """Its layer, and the groups or the level around it: "Level_0/Entities"."""
    size: tuple[int, int] = (0, 0)
    """The width and the height of an entity in raw units."""


@dataclass
class MapLevel:
    """The level of a map, and a report about the map's parts."""

    level: Level
    names: dict[int, str] = field(default_factory=dict)
    """Names of objects by the ids of their solids, for the `names` of a log."""
    properties: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Properties of objects by the ids of their solids, such as the speed of a belt: those that the
    level does not have. Solids of one object share a mapping."""
    places: list[Place] = field(default_factory=list)
    """The points of the map."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of each kind of thing that is not a solid: "text", "hidden object"."""
    rounded: int = 0
    """Number of solids of which a coordinate was rounded."""
    rounding: Fraction = Fraction(0)
    """The greatest distance that rounding moved a coordinate by, in raw units: at most 1/2."""
    levels: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The fields of each level of LDtk, by its name."""
    files: list[str] = field(default_factory=list)
    """The files that were read: the map, its tilesets and templates."""


def read_map(
    path: str | os.PathLike[str],
    *,
    pixels_per_unit: int | Fraction | None = None,
    origin: Ends = (0, 0),
    z_down: bool = False,
    hidden: bool = False,
    solid_layers: Iterable[str] = (),
    tiles: Iterable[str] = (),
    classes: Iterable[str] = (),
    objects: Iterable[str] = (),
    slopes: Iterable[str] = (),
    only: Iterable[str] = (),
    shapes: bool = False,
    whole_tiles: bool = False,
    line_width: int | Fraction | None = None,
    y: Ends | None = None,
    side: bool = False,
    z: Ends | None = None,
    steps: int | Fraction | None = None,
    root: str | os.PathLike[str] | None = None,
    levels: Iterable[str] = (),
    places: Iterable[str] = (),
) -> MapLevel:
    """The level of a map of Tiled (.tmx, .tmj or .json), or of a project of LDtk (.ldtk).

    `pixels_per_unit`: by default the width of the map's tiles. `origin`: the pixel (x, y) that
    becomes (0, 0). Up in the map is +z; with `z_down`, down is. `hidden`: hidden layers and objects
    become solids too, instead of being left out.

    The map's properties and these choices decide which parts are solid: `solid_layers`, `tiles`,
    `classes`, `objects`, `slopes`, `only`, `shapes`, `whole_tiles`, `line_width` are the options of
    `fixsync level`, and take the same texts. `y`: the lower and upper end, in units, of solids
    without y_low and y_high. `side`: the map is seen from the side, up is +y, and its solids reach
    from `z[0]` to `z[1]`, from -1/2 to 1/2 by default; slopes are refused, or become steps of
    `steps` units. `root`: the folder that tilesets and templates must be in, by default the map's.
    `levels`: of a project of LDtk, the names of the levels, or of a world, that are read; all by
    default. A single level has its corner at (0, 0), several stand as in their world. `places`: the
    names, classes or layers of objects that are places and not solids.

    MapFileError, with the path of each value at fault, for a map that is damaged, has a solid that no
    level can have, or has no solids: then it lists the possible choices. ValueError for options
    that contradict. OSError for a file that cannot be read."""
    if side and (z_down or y is not None):
        raise ValueError("a map seen from the side has no z_down and no y: its up is +y")
    if not side and (z is not None or steps is not None):
        raise ValueError("z and steps are for a map seen from the side: side is not set")
    if shapes and whole_tiles:
        raise ValueError("shapes and whole_tiles exclude each other")
    texts = {
        "solid_layers": solid_layers, "tiles": tiles, "classes": classes, "objects": objects,
        "slopes": slopes, "only": only, "levels": levels, "places": places,
    }  # fmt: skip
    for name, some in texts.items():
        if isinstance(some, str):  # its letters would be names
            raise TypeError(f"{name} must be a list of texts, not the text {shown(some)}")
    least = Fraction(1, ONE)
    pixels_per_unit = _number("pixels_per_unit", pixels_per_unit, least, PIXELS_MAX)
    line_width = _number("line_width", line_width, least, PIXELS_MAX)
    steps = _number("steps", steps, least, PIXELS_MAX)
    origin = _ends("origin", origin)
    y, z = (None if ends is None else _ends(n, ends) for n, ends in (("y", y), ("z", z)))
    for name, ends in (("y", y), ("z", z)):
        if ends is not None and not (
            -32768 <= ends[0] <= ends[1] <= Fraction(INT32_MAX, ONE)
            and round(ends[0] * ONE) < round(ends[1] * ONE)
        ):
            raise ValueError(
                f"{name} must be two ends of -32768..32767.99998, the lower one first, and 1/65536 "
                f"or more apart, not {ends[0]},{ends[1]}"
            )
    choices = Choices.of(texts, shapes=shapes, whole_tiles=whole_tiles, line_width=line_width)
    view = View(
        pixels_per_unit, origin, z_down, hidden, y, side,
        z or (Fraction(-1, 2), Fraction(1, 2)), steps,
    )  # fmt: skip
    name = os.fspath(path)
    files = Files(Path(root) if root is not None else Path(name).parent)
    faults: list[MapError] = []
    try:
        document = files.open(name)
        if is_ldtk(document):
            document = map_of(document, files, [*levels], faults)
        elif [*levels]:
            raise document.fail("it is not a project of LDtk: --level is for those")
        if faults:
            raise _all(faults)
        found = _Reading(view, choices, files).read(document)
    except MapError as wrong:
        raise _all([*faults, wrong]) from None
    found.files = files.opened
    return found


def _number(name: str, value: Any, low: int | Fraction, high: int) -> Fraction | None:
    """A number of the caller: a float is not the decimal that it was written as."""
    if value is None:
        return None
    if type(value) is not int and not isinstance(value, Fraction):
        raise TypeError(f"{name} must be an int or a Fraction, not {shown(value)}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low}..{high}, not {value}")
    return Fraction(value)


def _ends(name: str, ends: Any) -> tuple[Fraction, Fraction]:
    if not isinstance(ends, (tuple, list)) or len(ends) != 2 or None in ends:
        raise TypeError(f"{name} must be two numbers, not {shown(ends)}")
    first, second = (_number(name, end, -PIXELS_MAX, PIXELS_MAX) or Fraction(0) for end in ends)
    return first, second


def _keys_of(owner: Value) -> dict[str, Value]:
    """Those of KEYS that something has."""
    if "properties" not in owner:
        return {}
    found = properties_of(owner)
    return {name: found[name] for name in KEYS if name in found and found[name].value is not None}


@dataclass(frozen=True)
class _Place:
    """Where a layer stands: the properties that its parts take over, and its offset in pixels."""

    properties: Mapping[str, Value]
    x: Fraction = Fraction(0)
    y: Fraction = Fraction(0)
    is_visible: bool = True
    names: tuple[str, ...] = ()
    """Those of the layer and of the groups it is in, and its path."""
    choice: Choice | None = None
    """The choice that takes the layer."""


class _Reading:
    """Makes a level of one map."""

    def __init__(self, view: View, choices: Choices, files: Files) -> None:
        self._view = view
        self._choices = choices
        self._templates = Templates(files)
        self._found = MapLevel(Level([]))
        self._faults: list[MapError] = []
        self._unread: list[MapError] = []
        """Of tilesets that may not be needed."""
        self._cells, self._runs = [0], 0
        """Of the solid tile layers so far."""
        self._property_count = 0

    def read(self, document: Value) -> MapLevel:
        if document.get("type", None).value != "map":
            raise document.get("type", None).expected('"map": a map, saved by Tiled or LDtk')
        orientation = document.get("orientation", None)
        self._is_isometric = orientation.value == "isometric"
        if orientation.value not in ("orthogonal", "isometric"):
            raise orientation.expected('"orthogonal" or "isometric": others have no level')
        wide, high = (document[k].integer(1, PIXELS_MAX) for k in ("tilewidth", "tileheight"))
        # In an isometric map a cell has a tile's height both ways, in pixels of its objects.
        self._tile = (high, high) if self._is_isometric else (wide, high)
        choices = self._choices
        if self._is_isometric and (choices.shapes or any(c.heights for c in choices.tiles)):
            raise orientation.fail("the shapes of isometric tiles are not on the ground")
        self._builder = Builder(self._view, self._tile[0])
        self._tilesets = Tilesets(document.get("tilesets", []), self._templates)
        if not self._choices and not _says_solid(document, self._templates):
            self._choices = replace(self._choices, is_alone=bool(self._choices.places))
            if not self._choices:
                self._refuse(document, "no property in it makes anything solid")
        outer = _Place(_keys_of(document))
        self._do(lambda: self._layers(document["layers"], outer, 1))
        unused = self._choices.unused()
        if unused and not self._faults:
            self._faults += self._unread
            names = ", ".join(f"{choice.option} {choice.text!r}" for choice in unused)
            self._refuse(document, f"nothing in it is selected by {names}")
        if self._faults:
            raise _all(self._faults)
        if not self._builder.solids and not (self._choices.places and self._found.places):
            self._refuse(document, "nothing of it became solid")
        self._found.level = Level(self._builder.solids)
        self._found.rounded, self._found.rounding = self._builder.rounded, self._builder.rounding
        return self._found

    def _do(self, make: Callable[[], None]) -> None:
        """Makes a part, and keeps its fault."""
        _each([make], lambda made: made(), self._faults)

    def _refuse(self, document: Value, reason: str) -> None:
        """Fails with the parts of the map, and the options that select them."""
        parts = self._tilesets, self._templates
        listed = survey(document, self._tile, *parts, self._view.side)
        raise _all([*self._faults, MapError(document.file, "", f"{reason}. {listed}")])

    def _layers(self, layers: Value, outer: _Place, depth: int) -> None:
        _each(layers.items(), lambda layer: self._layer(layer, outer, depth), self._faults)

    def _layer(self, layer: Value, outer: _Place, depth: int) -> None:
        name = name_of(layer)
        path = f"{outer.names[-1]}/{name}" if outer.names else name
        names = (*outer.names, name, path)
        choice = self._choices.layer(names)
        x, y = (layer.get(key, 0).fraction() for key in ("offsetx", "offsety"))
        if self._is_isometric and (x or y):  # on the screen, not on the ground
            x = y = Fraction(0)
            self._leave_out("layer offset")
        place = _Place(
            {**outer.properties, **_keys_of(layer)},
            outer.x + x,
            outer.y + y,
            choice is not None or (outer.is_visible and layer.get("visible", True).boolean()),
            names,
            choice,
        )
        kind = layer["type"]
        if kind.value == "group":
            if depth == DEPTH_MAX:
                raise layer.fail(f"groups are nested deeper than {DEPTH_MAX}")
            if isinstance(layer.value, Made):
                self._found.levels[name] = self._properties(layer, place)
            self._layers(layer["layers"], place, depth + 1)
        elif kind.value == "imagelayer":
            self._leave_out("image layer")
        elif kind.value not in ("objectgroup", "tilelayer"):
            raise kind.expected('"tilelayer", "objectgroup", "imagelayer" or "group"')
        elif not self._choices.allows(names):
            self._leave_out("other layer")
        elif kind.value == "objectgroup":
            self._objects(layer, place)
        else:
            self._tiles(layer, place)

    def _leave_out(self, what: str, count: int = 1) -> None:
        self._found.left_out[what] += count

    def _leave_out_lines(self, tile: Tile, choice: Choice | None) -> None:
        """Collision shapes of a tile that have no inside."""
        if self._choices.line_width is None and (choice is None or choice.heights is None):
            for kind in tile.lines:
                self._leave_out(f"{kind} of a tile")

    # Objects.

    def _objects(self, layer: Value, place: _Place) -> None:
        items = layer["objects"].items()
        _each(items, lambda item: self._object(item, place), self._faults)

    def _own(self, merged: Value, place: _Place) -> Mapping[str, Value]:
        own = _keys_of(merged)
        return {**place.properties, **own} if own else place.properties

    def _object(self, item: Value, place: _Place) -> None:
        merged = self._templates.merged(item)
        own, kind = self._own(merged, place), kind_of(merged)
        tile = None
        if self._choices.places:
            if kind == "tile object":
                tilesets = self._templates.tilesets(item, self._tilesets)
                tile = self._tile_of(tilesets, merged["gid"].integer(0, UINT32_MAX), False)
            called = class_of(merged) or (tile.kind if tile else "")
            if self._choices.is_place(place.names, called, merged.get("name", "").string()):
                kind = kind if kind == "entity" else "point"
        left_out, choice = self._choice_of(merged, kind, own, place)
        if left_out:
            self._leave_out(left_out)
        elif kind == "point":
            pivot = self._middle(merged, tile)
            self._place_of(merged, place, pivot, tile)
        elif kind == "entity":
            self._entity(merged, place, own)
        elif kind == "tile object":
            self._tile_object(item, merged, place, own)
        else:
            self._area(merged, kind, place, own, choice)

    def _choice_of(
        self, merged: Value, kind: str, own: Mapping[str, Value], place: _Place
    ) -> tuple[str, Choice | None]:
        """What a thing is left out as, or "", and the choice that takes it if it is an area."""
        is_visible = place.is_visible and (
            merged.raw("visible", True) is True or merged["visible"].boolean()
        )
        if not is_visible and not self._view.hidden:
            return "hidden object", None
        if kind in ("point", "entity"):
            self._count(merged, 1, 8)  # of a place
            return "", None
        if "solid" in own and not own["solid"].boolean():
            return "non-solid object", None
        if kind in ("text", "tile object"):
            return "text" * (kind == "text"), None
        choice = self._chosen(merged, place)
        is_left = choice is None and bool(self._choices) and "solid" not in own
        return "non-solid object" * is_left, choice

    def _chosen(self, item: Value, place: _Place) -> Choice | None:
        choices = self._choices
        return choices.named(item) or choices.kind(class_of(item)) or place.choice

    def _entity(self, item: Value, place: _Place, own: Mapping[str, Value]) -> None:
        """An entity is a place, and solid if a choice takes it or its own field says so."""
        self._do(lambda: self._place_of(item, place, item["pivot"].value, None))
        choice, solid = self._chosen(item, place), _keys_of(item).get("solid")
        if choice is not None if solid is None else solid.boolean():
            self._area(item, "rectangle", place, own, choice)

    def _corner(self, item: Value, place: _Place) -> Placing:
        x, y = item.number("x"), item.number("y")
        corner = Placing().moved(x + place.x if place.x else x, y + place.y if place.y else y)
        rotation = item.number("rotation", 0)
        if rotation and self._is_isometric:
            raise item["rotation"].fail(
                "an isometric map turns it on the screen, not on the ground"
            )
        return corner.turned(rotation)

    def _middle(self, item: Value, tile: Tile | None) -> Place2:
        """The middle of an object, from its point; the point itself of an isometric tile."""
        is_tile = bool(item.raw("gid", 0))
        zero = Fraction(0), Fraction(0)
        (x, y), (wide, high) = picture_of(item, tile, True) if is_tile else (zero, size_of(item))
        return zero if is_tile and self._is_isometric else (x + wide / 2, y + high / 2)

    def _position(self, item: Value, placing: Placing, pixel: Place2) -> tuple[int, int, int]:
        ((x, y),) = self._builder.vertices(item, placing.outline([pixel]))
        return (x, y, 0) if self._view.side else (x, 0, y)

    def _place_of(self, item: Value, place: _Place, pivot: Place2, tile: Tile | None) -> None:
        position = self._position(item, self._corner(item, place), pivot)
        properties = self._properties(item, place, tile)
        name, kind = item.get("name", "").string(), class_of(item) or (tile.kind if tile else "")
        width, height = map(self._builder.length, size_in_map(item, tile))
        id, path = str(item.get("id", "").value), place.names[-1]
        self._count(item, 1, len(f"{name}{kind}{id}{path}") // TEXT)
        found = Place(name, kind, position, properties, id, path, (width, height))
        self._found.places.append(found)

    def _area(
        self,
        item: Value,
        kind: str,
        place: _Place,
        own: Mapping[str, Value],
        choice: Choice | None,
    ) -> None:
        line_width = self._choices.line_width
        if line_width is None and kind in LINES:
            self._leave_out(kind)
            return
        self._builder.count_points(item, point_count(item, kind))
        heights = self._builder.heights(item, own, choice)
        found = outlines(item, kind, self._corner(item, place), line_width)
        where = item
        if kind in ("polygon", "polyline"):
            where = item["polygon" if "polygon" in item else "polyline"]
        self._make(where, item, found, heights, place)

    def _make(
        self, where: Value, item: Value, found: list[Outline], heights: Heights, place: _Place
    ) -> None:
        """The solids of an object, its name and its properties."""
        first = len(self._builder.solids)
        for outline in found:
            self._builder.solid(where, outline, heights)
        if not found:
            self._leave_out("shape without an inside")
        ids = range(LEVEL + first, LEVEL + len(self._builder.solids))
        if item.raw("name", ""):
            self._found.names.update(dict.fromkeys(ids, item["name"].string()))
            self._count(item, len(ids), len(item["name"].string()) // TEXT)
        properties = self._properties(item, place, uses=len(ids)) if ids else {}
        own = {key: value for key, value in properties.items() if key not in KEYS}
        if own:
            self._found.properties.update(dict.fromkeys(ids, own))

    def _properties(
        self, item: Value, place: _Place, tile: Tile | None = None, uses: int = 1
    ) -> dict[str, Any]:
        """Those of a place, an object of so many solids, or a level."""
        if "properties" not in item and tile is None:
            return {}
        found = ChainMap(properties_of(item), {} if tile is None else tile.properties)
        count = partial(self._count, item, uses)
        count(len(found))
        points = partial(self._points, item, Placing().moved(place.x, place.y))
        return {name: plain(value.value, points, count) for name, value in found.items()}

    def _count(self, item: Value, uses: int, properties: int) -> None:
        self._property_count += uses * properties
        if self._property_count > PROPERTIES_MAX:
            raise limit(item, f"with it the objects have more than {PROPERTIES_MAX} properties")

    def _points(self, item: Value, corner: Placing, field: Made) -> Any:
        """The points of a field of LDtk with their positions, the middles of their cells."""

        def point(cell: Any) -> Any:
            if cell is None:
                return None
            at = Value("", "__value", cell, field.source)
            x, y = (at[key].integer(-PIXELS_MAX, PIXELS_MAX) for key in ("cx", "cy"))
            half = Fraction(field["size"], 2)
            middle = half * (2 * x + 1), half * (2 * y + 1)
            return {"cx": x, "cy": y, "position": self._position(item, corner, middle)}

        found = field["points"]
        self._count(item, 1, 8 * len(found) if isinstance(found, list) else 8)  # they take longer
        return [*map(point, found)] if isinstance(found, list) else point(found)

    def _tile_object(
        self, item: Value, merged: Value, place: _Place, own: Mapping[str, Value]
    ) -> None:
        choices = self._choices
        cell = merged["gid"].integer(0, UINT32_MAX)
        tilesets = self._templates.tilesets(item, self._tilesets)
        named = choices.named(merged)
        choice = choices.kind(class_of(merged))
        is_taken = bool(place.choice or named or (choices and "solid" in own))
        is_strict = bool(choices.tiles or choices.shapes) or (is_taken and not choices.whole_tiles)
        tile = self._tile_of(tilesets, cell, is_strict) if choices else None
        if tile is not None:
            kind = class_of(merged) or tile.kind
            properties = ChainMap(properties_of(merged), tile.properties)
            own_tile = tile if kind == tile.kind else replace(tile, kind=kind)
            choice = choices.tile(own_tile, properties)
        choice = named or choice
        has_shapes = tile is not None and bool(tile.shapes)
        is_left = choice is None and not is_taken and not (choices.shapes and has_shapes)
        if is_left or self._is_isometric:  # where a picture has no area on the ground
            self._leave_out("tile object")
            return
        is_slope = choice is not None and choice.heights is not None
        if has_shapes and not (choices.shapes or choices.whole_tiles or is_slope):
            raise item.fail(
                "its tile has collision shapes: --shapes takes them, --whole-tiles its rectangle"
            )
        choice = choice or place.choice
        is_whole = not is_slope and not (has_shapes and choices.shapes)
        corner, size = picture_of(merged, tile, is_whole)
        placing = self._corner(merged, place).moved(*corner)
        if tile is not None and not is_whole:
            self._builder.count_points(item, tile.point_count)
            self._leave_out_lines(tile, choice)
            if not is_slope and choices.line_width is None and len(tile.lines) == len(tile.shapes):
                return
        heights = self._builder.heights(item, own, choice)
        found = [rectangle(placing, *size)]
        if tile is not None and not is_whole:
            found = shapes_of(tile, cell, size, choice, placing, choices.line_width)
        self._make(item, merged, found, heights, place)

    def _tile_of(self, tilesets: Tilesets, cell: int, is_strict: bool) -> Tile | None:
        try:
            return tilesets.tile(cell)
        except MapError as fault:
            if is_strict:
                raise
            if fault not in self._unread:
                self._unread.append(fault)
            return None

    # Tile layers.

    def _tiles(self, layer: Value, place: _Place) -> None:
        own, choices = place.properties, self._choices
        is_solid = "solid" in own and own["solid"].boolean()
        is_taken = is_solid or place.choice is not None
        if not is_taken and (
            "solid" in own or not (choices.tiles or choices.classes or choices.shapes)
        ):
            self._leave_out("non-solid tile layer")
            return
        if not self._view.hidden and not place.is_visible:
            self._leave_out("hidden tile layer")
            return
        size = self._tile
        if isinstance(layer.value, Made):  # a layer of LDtk has cells of its own size
            size = (layer["tilewidth"].value, layer["tileheight"].value)
        grid = Grid(self._tilesets, size, choices, place.choice, is_taken, self._tile_of)
        for part, lines in parts_of(layer, self._cells):
            column, row = (
                part.get(key, 0).integer(-_CELL_INDEX_MAX, _CELL_INDEX_MAX) for key in ("x", "y")
            )
            for line, cells in enumerate(lines):
                self._runs += grid.add(cells, column, row + line)
                if grid.codes.cache_info().currsize > TILES_MAX:
                    raise limit(layer, f"it has more than {TILES_MAX} different tiles")
                if self._runs > RUNS_MAX:
                    raise limit(layer, f"with it the map has more than {RUNS_MAX} runs of tiles")
        self._faults += grid.faults
        if grid.undecided:
            raise layer.fail(
                f"{grid.undecided} of its cells are tiles with collision shapes: --shapes takes "
                "the shapes, --whole-tiles the cells"
            )
        if grid.left_out:
            self._leave_out("non-solid tile", grid.left_out)
        for number, runs in grid.runs.items():
            heights = self._builder.heights(layer, own, number)
            self._do(partial(self._make_cells, layer, rectangles(runs), heights, place, size))
        self._shapes(layer, grid, place, size)

    def _make_cells(
        self,
        layer: Value,
        found: Iterable[Rectangle],
        heights: Heights,
        place: _Place,
        size: tuple[int, int],
    ) -> None:
        """The solids of whole cells: of each rectangle of columns and rows one."""
        width, height = size
        placing = Placing().moved(place.x, place.y).stretched(width, height)
        for left, top, right, bottom in found:
            corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
            self._builder.solid(layer, placing.over(1, corners), heights)

    def _shapes(self, layer: Value, grid: Grid, place: _Place, size: tuple[int, int]) -> None:
        """The cells whose tiles have collision shapes."""
        width, height = size
        bad: set[int] = set()
        for column, row, cell in grid.shaped:
            tile, choice = grid.tiles[cell]
            if cell in bad:
                continue
            try:
                heights = self._builder.heights(layer, place.properties, choice)
                x, y = column * width + place.x, row * height + place.y
                called = f"tile {tile.id} of {tile.tileset!r}"
                for outline in grid.shapes(cell, tile, choice):
                    self._builder.solid(layer, outline.moved(x, y), heights, called)
                self._leave_out_lines(tile, choice)
            except LimitError:
                raise
            except MapError as fault:
                bad.add(cell)
                self._faults.append(fault)


def _says_solid(owner: Value, templates: Templates) -> bool:
    """Whether a property of a map or of its templates makes parts solid, or is damaged."""
    try:
        if _SOLID_KEYS & {*_keys_of(templates.merged(owner))}:
            return True
        inner = [owner[key].items() for key in ("layers", "objects") if key in owner]
        return any(_says_solid(part, templates) for part in chain(*inner))
    except (MapError, RecursionError):
        return True


def _each(parts: Iterable[Any], do: Callable[[Any], None], kept: list[MapError]) -> None:
    """Does something with each part. Keeps a fault, so that the rest is checked too."""
    for part in parts:
        try:
            do(part)
        except LimitError as last:  # noqa: PERF203 - each part is tried
            raise _all([*kept, last]) from None
        except MapError as fault:
            kept.append(fault.with_traceback(None))


def _all(faults: Sequence[MapError]) -> MapFileError:
    """MapErrors as one error; those of one file and reason together."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for fault in faults:
        found.setdefault((fault.file, fault.reason), {}).setdefault(fault.path, fault.called)
    rows = []
    for (file, reason), paths in found.items():
        path, called = next(iter(paths.items()))
        words = [called] * bool(called) + [f"{len(paths) - 1} more like it"] * (len(paths) > 1)
        rows.append((file, path, reason + (f" ({', '.join(words)})" if words else "")))
    return MapFileError(*rows[0], *rows[1:])

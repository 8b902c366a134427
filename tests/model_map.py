"""A second reading of a Tiled map: which points of it are solid, and as what.

It shares no code with `fixsync.maps`. It follows Tiled's description of its files and docs/levels.md
in floats, and keeps every solid as a polygon or a circle in pixels of the map: what it says of a
point counts only where points a little beside it are the same."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, hypot, pi, radians, sin
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from fixsync.base.files import zstd_module

Json = dict[str, Any]
Point = tuple[float, float]
Map = Callable[[float, float], Point]
SHAPES = ("point", "ellipse", "capsule", "polygon", "polyline", "text")
ACROSS, DOWN, SWAPPED = 1 << 31, 1 << 30, 1 << 29


class RefusedError(Exception):
    """Tiles with shapes are chosen, and not whether their shapes or their cells are meant."""


# Files: XML becomes the values of the JSON, numbers stay text.


def load(path: Path) -> Json:
    text = path.read_text()
    return element(ET.fromstring(text)) if text.startswith("<") else json.loads(text)  # noqa: S314


def element(node: ET.Element) -> Json:
    """A map, tileset, template, layer or object."""
    found: Json = dict(node.attrib)
    for key in ("visible", "infinite"):
        if key in found:
            found[key] = found[key] == "1"
    for child in node:
        tag = child.tag
        if tag == "properties":
            found["properties"] = [
                {"name": p.get("name"), "value": flag(p.get("type"), p.get("value", p.text))}
                for p in child
            ]
        elif tag in ("layer", "objectgroup", "imagelayer", "group") and node.tag != "tile":
            kind = {"layer": "tilelayer"}.get(tag, tag)
            found.setdefault("layers", []).append({**element(child), "type": kind})
        elif tag in ("tileset", "objectgroup") and node.tag in ("template", "tile"):
            found[tag] = element(child)
        elif tag == "object" and node.tag == "template":
            found["object"] = element(child)
        elif tag in ("tileset", "tile", "object"):
            found.setdefault(f"{tag}s", []).append(element(child))
        elif tag == "data":
            found |= {k: v for k, v in child.attrib.items() if k != "version"}
            chunks = [{**c.attrib, "data": c.text or ids(c)} for c in child if c.tag == "chunk"]
            found |= (
                {"chunks": chunks} if chunks else {"data": (child.text or "").strip() or ids(child)}
            )
        elif tag in ("polygon", "polyline"):
            pairs = (pair.split(",") for pair in child.get("points", "").split())
            found[tag] = [{"x": x, "y": y} for x, y in pairs]
        elif tag in SHAPES:
            found[tag] = True
        elif tag == "image":
            found |= {f"image{k}": child.get(k) for k in ("width", "height")}
        elif tag == "tileoffset":
            found["tileoffset"] = child.attrib
    return found


def ids(node: ET.Element) -> list[int]:
    return [int(tile.get("gid", "0")) for tile in node if tile.tag == "tile"]


def flag(kind: str | None, value: Any) -> Any:
    return value == "true" if kind == "bool" else value


def number(owner: Json, key: str) -> float:
    return float(owner.get(key, 0))


def properties(owner: Json) -> Json:
    return {entry["name"]: entry["value"] for entry in owner.get("properties", [])}


def is_true(value: Any) -> bool:
    return value is True or str(value).lower() == "true"


def cells(layer: Json) -> Iterator[tuple[int, int, int]]:
    """Column, row and number of each cell."""
    for part in layer.get("chunks", [layer]):
        data, wide = part["data"], int(part["width"])
        if isinstance(data, str) and layer.get("encoding") == "base64":
            packed = base64.b64decode(data)
            unpack = {
                "zlib": zlib.decompress, "gzip": gzip.decompress,
                "zstd": lambda data: zstd_module().decompress(data), "": bytes,
            }  # fmt: skip
            raw = unpack[layer.get("compression", "")](packed)
            data = struct.unpack(f"<{len(raw) // 4}I", raw)
        elif isinstance(data, str):
            data = [int(word) for word in data.replace("\n", "").split(",") if word]
        for i, cell in enumerate(data):
            yield int(part.get("x", 0)) + i % wide, int(part.get("y", 0)) + i // wide, cell


@dataclass
class Tile:
    set_name: str
    id: int
    size: Point
    properties: Json
    kind: str
    shapes: list[Json]
    offset: Point
    alignment: str
    is_grid: bool
    is_fit: bool


@dataclass
class Area:
    """A solid: a polygon, or a circle if it has a radius."""

    points: Sequence[Point]
    radius: float
    what: tuple[int, Any, Any]
    """Layer and heights."""

    def __post_init__(self) -> None:
        xs, ys = zip(*self.points, strict=True)
        r = self.radius
        self.bounds = min(xs) - r, min(ys) - r, max(xs) + r, max(ys) + r
        self.levels = sorted({round(y, 9) for y in ys})

    def is_near(self, x: float, y: float) -> bool:
        left, top, right, bottom = self.bounds
        return left <= x <= right and top <= y <= bottom

    def has(self, x: float, y: float) -> bool:
        if self.radius:
            return hypot(x - self.points[0][0], y - self.points[0][1]) < self.radius
        return is_inside(self.points, x, y)


def is_inside(points: Sequence[Point], x: float, y: float) -> bool:
    """Even-odd."""
    inside = False
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        if (ay > y) != (by > y):
            inside ^= x < ax + (bx - ax) * (y - ay) / (by - ay)
    return inside


def turned(x: float, y: float, degrees: float) -> Map:
    """Of a point about (0, 0) to the map, turned clockwise, as y goes down."""
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return lambda u, v: (x + u * c - v * s, y + u * s + v * c)


def within(outer: Map, inner: Map) -> Map:
    return lambda u, v: outer(*inner(u, v))


def scales(tile: Tile, cell: int, drawn: Point) -> Point:
    """How much the picture of a tile is stretched along and down."""
    wide, high = tile.size[::-1] if cell & SWAPPED else tile.size
    x, y = drawn[0] / wide, drawn[1] / high
    return (min(x, y), min(x, y)) if tile.is_fit else (x, y)


class MapModel:
    """What is solid in a map, with the options of read_map."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.folder = path.parent
        self.options = options
        self.document = load(path)
        self.cell = number(self.document, "tilewidth"), number(self.document, "tileheight")
        self.areas: list[Area] = []
        self.sets = [self.tileset(entry) for entry in self.document.get("tilesets", [])]
        self.layers(self.document.get("layers", []), properties(self.document), 0, 0, True, [])

    # Choices.

    def given(self, option: str) -> list[tuple[str, int | None]]:
        """Names, and layers of the world."""
        rows = (text.partition("@") for text in self.options.get(option, ()))
        return [(name, int(layer) if layer else None) for name, _, layer in rows]

    @property
    def has_choices(self) -> bool:
        keys = ("solid_layers", "tiles", "classes", "objects", "slopes", "shapes")
        return any(self.options.get(key) for key in keys)

    @staticmethod
    def last(rows: list[Any], is_it: Callable[[str], bool]) -> Any:
        found = [row for row in rows if is_it(row[0])]
        return found[-1] if found else None

    def tile_choice(self, tile: Tile, own: Json, kind: str) -> Any:
        """(name, layer), and of slopes the heights."""

        def takes(name: str) -> bool:
            if name in own:
                return is_true(own[name])
            key, equals, value = name.partition("=")
            if equals:
                text = own.get(key)
                return (
                    key in own
                    and (str(text).lower() if isinstance(text, bool) else str(text)) == value
                )
            key, _, spans = name.rpartition(":")
            ends = [span.split("-") for span in spans.split(",")]
            return key == tile.set_name and any(int(e[0]) <= tile.id <= int(e[-1]) for e in ends)

        slopes = []
        for name, layer in self.given("slopes"):
            tiles, _, heights = name.rpartition(":")
            slopes.append((tiles, layer, [float(h) for h in heights.split(",")]))
        found = self.last([*self.given("tiles"), *slopes], takes)
        return found or (
            self.last(self.given("classes"), lambda name: name == kind) if kind else None
        )

    # Tilesets and templates.

    def tileset(self, entry: Json) -> Json:
        return {**(load(self.folder / entry["source"]) if "source" in entry else {}), **entry}

    def tile(self, sets: list[Json], cell: int) -> Tile | None:
        gid = cell & (1 << 28) - 1
        found = [s for s in sets if int(s["firstgid"]) <= gid]
        if not found:
            return None
        of = max(found, key=lambda s: int(s["firstgid"]))
        id = gid - int(of["firstgid"])
        own: Json = next((t for t in of.get("tiles", []) if int(t["id"]) == id), {})
        size = (
            float(own.get("imagewidth", of["tilewidth"])),
            float(own.get("imageheight", of["tileheight"])),
        )
        shapes = own.get("objectgroup", {}).get("objects", [])
        shapes = [shape for shape in shapes if "point" not in shape and "text" not in shape]
        offset = of.get("tileoffset", {})
        return Tile(
            of["name"], id, size, properties(own), own.get("type", own.get("class", "")), shapes,
            (number(offset, "x"), number(offset, "y")), of.get("objectalignment", "unspecified"),
            of.get("tilerendersize") == "grid", of.get("fillmode") == "preserve-aspect-fit",
        )  # fmt: skip

    def merged(self, item: Json) -> tuple[Json, list[Json]]:
        """An object with what it takes over from its template, and the tilesets of its tile."""
        if "template" not in item:
            return item, self.sets
        template = load(self.folder / item["template"])
        base = dict(template["object"])
        if any(key in item for key in SHAPES):
            base = {key: value for key, value in base.items() if key not in SHAPES}
        both = properties(base) | properties(item)
        rows = [{"name": name, "value": value} for name, value in both.items()]
        sets = (
            self.sets if "gid" in item or "gid" not in base else [self.tileset(template["tileset"])]
        )
        return {**base, **item, "properties": rows}, sets

    # Layers.

    def layers(
        self, layers: list[Json], outer: Json, x: float, y: float, seen: bool, names: list[str]
    ) -> None:
        for layer in layers:
            path = f"{names[-1]}/{layer['name']}" if names else layer["name"]
            here = [*names, layer["name"], path]
            chosen = self.last(self.given("solid_layers"), lambda name, here=here: name in here)
            is_seen = chosen is not None or (seen and layer.get("visible", True))
            own = outer | properties(layer)
            left, top = x + number(layer, "offsetx"), y + number(layer, "offsety")
            if layer["type"] == "group":
                self.layers(layer.get("layers", []), own, left, top, is_seen, here)
            elif self.options.get("only") and not {*self.options["only"]} & {*here}:
                continue
            elif layer["type"] == "objectgroup":
                for item in layer.get("objects", []):
                    self.object(item, own, left, top, is_seen, chosen)
            elif layer["type"] == "tilelayer" and (is_seen or self.options.get("hidden")):
                self.tiles(layer, own, left, top, chosen)

    def add(self, own: Json, choice: Any, points: Sequence[Point], radius: float = 0) -> None:
        layer = choice[1] if choice and choice[1] is not None else int(own.get("layer", 0))
        low, high = self.options.get("y") or (None, None)
        heights = (own.get("y_low", low), own.get("y_high", high))
        if self.options.get("side"):
            heights = self.options.get("z") or (-0.5, 0.5)
        self.areas.append(Area(points, radius, (layer, *map(float, heights))))

    def tiles(self, layer: Json, own: Json, x: float, y: float, chosen: Any) -> None:
        options, (wide, high) = self.options, self.cell
        taken = chosen is not None or own.get("solid") is True
        if not taken and ("solid" in own or not any(
            options.get(key) for key in ("tiles", "classes", "slopes", "shapes")
        )):  # fmt: skip
            return
        for column, row, cell in cells(layer):
            if not cell & (1 << 28) - 1:
                continue
            at = turned(x + column * wide, y + row * high, 0)
            tile = self.tile(self.sets, cell) if self.has_choices else None
            choice = tile and self.tile_choice(tile, tile.properties, tile.kind)
            if not (choice or taken or (options.get("shapes") and tile and tile.shapes)):
                continue
            choice = choice or chosen
            is_slope = choice is not None and len(choice) == 3
            if tile is None or not (is_slope or (tile.shapes and not options.get("whole_tiles"))):
                self.add(own, choice, [at(*p) for p in box(wide, high)])
                continue
            if not is_slope and not options.get("shapes"):
                if not self.is_cell(tile, cell):
                    raise RefusedError
                self.add(own, choice, [at(*p) for p in box(wide, high)])
                continue
            w, h = tile.size[::-1] if cell & SWAPPED else tile.size
            if tile.is_grid:
                w, h = wide, high
            self.picture(
                tile, cell, within(at, lambda u, v, h=h: (u, high - h + v)), (w, h), own, choice
            )

    def object(self, item: Json, outer: Json, x: float, y: float, seen: bool, chosen: Any) -> None:
        options, has_choices = self.options, self.has_choices
        item, sets = self.merged(item)
        own, kind = outer | properties(item), item.get("class") or item.get("type", "")
        hidden = not (seen and item.get("visible", True)) and not options.get("hidden")
        if hidden or own.get("solid") is False or "point" in item or "text" in item:
            return
        named = self.last(self.given("objects"), lambda name: name == item.get("name"))
        at = turned(x + number(item, "x"), y + number(item, "y"), number(item, "rotation"))
        if "gid" not in item:
            of_kind = self.last(self.given("classes"), lambda name: name == kind) if kind else None
            choice = named or of_kind or chosen
            if choice or not has_choices or "solid" in own:
                self.shape(item, at, 1, own, choice)
            return
        cell = int(item["gid"])
        tile = self.tile(sets, cell)
        if not has_choices or tile is None:
            return
        choice = named or self.tile_choice(
            tile, tile.properties | properties(item), kind or tile.kind
        )
        taken = choice or chosen or "solid" in own
        if not taken and not (options.get("shapes") and tile.shapes):
            return
        choice = choice or chosen
        is_slope = choice is not None and len(choice) == 3
        wide, high = number(item, "width"), number(item, "height")
        word = {"unspecified": "bottomleft"}.get(tile.alignment, tile.alignment)
        left = 0 if "left" in word else -wide if "right" in word else -wide / 2
        top = 0 if "top" in word else -high if "bottom" in word else -high / 2
        corner = within(at, lambda u, v: (u + left, v + top))
        if is_slope or (tile.shapes and options.get("shapes")):
            self.picture(tile, cell, corner, (wide, high), own, choice)
        elif tile.shapes and not options.get("whole_tiles"):
            raise RefusedError
        else:
            by_x, by_y = scales(tile, cell, (wide, high))
            x, y = tile.offset[0] * by_x, tile.offset[1] * by_y
            self.add(own, choice, [corner(u + x, v + y) for u, v in box(wide, high)])

    def is_cell(self, tile: Tile, cell: int) -> bool:
        """Whether the shape of a tile and its cell are the same, so that either may be meant."""
        (shape, *more), (wide, high) = tile.shapes, self.cell
        ends = [number(shape, key) for key in ("x", "y", "width", "height", "rotation")]
        return (
            not (more or {*SHAPES} & {*shape})
            and ends == [0, 0, wide, high, 0]
            and (tile.size, tile.offset) == (self.cell, (0, 0))
            and not (cell & SWAPPED and wide != high)
        )

    # Shapes.

    def picture(
        self, tile: Tile, cell: int, corner: Map, drawn: Point, own: Json, choice: Any
    ) -> None:
        """The shapes of a tile that is drawn so large from a corner."""
        wide, high = tile.size[::-1] if cell & SWAPPED else tile.size
        by_x, by_y = scales(tile, cell, drawn)
        beside, above = (drawn[0] - by_x * wide) / 2, (drawn[1] - by_y * high) / 2

        def at(u: float, v: float) -> Point:
            if cell & SWAPPED:
                u, v = v, u
            u = wide - u if cell & ACROSS else u
            v = high - v if cell & DOWN else v
            return corner(beside + (u + tile.offset[0]) * by_x, above + (v + tile.offset[1]) * by_y)

        w, h = tile.size
        if choice is not None and len(choice) == 3:
            left, right = choice[2]
            self.add(own, choice, [at(0, h), at(w, h), at(w, h - right * h), at(0, h - left * h)])
            return
        for shape in tile.shapes:
            place = turned(number(shape, "x"), number(shape, "y"), number(shape, "rotation"))
            size = by_x if abs(by_x - by_y) < 1e-12 else None
            self.shape(shape, within(at, place), size, own, choice)

    def shape(self, item: Json, at: Map, scale: float | None, own: Json, choice: Any) -> None:
        wide, high = number(item, "width"), number(item, "height")
        line = float(self.options.get("line_width") or 0)
        points = [
            (float(p["x"]), float(p["y"])) for p in item.get("polygon", item.get("polyline", []))
        ]
        if "polyline" in item and points[0] != points[-1]:
            self.walls([at(*p) for p in points], line, own, choice)
        elif points:
            self.add(own, choice, [at(*p) for p in points])
        elif not wide or not high:
            if wide or high:
                self.walls([at(0, 0), at(wide, high)], line, own, choice)
        elif "ellipse" in item or "capsule" in item:
            if wide == high and scale and not self.options.get("side"):
                self.add(own, choice, [at(wide / 2, high / 2)], wide / 2 * scale)
                return
            x, y = wide / 2, high / 2
            r = (x, y) if "ellipse" in item else (min(x, y), min(x, y))
            turns = [(cos(i * pi / 16), sin(i * pi / 16)) for i in range(32)]
            turns = [(0 if abs(c) < 1e-9 else c, 0 if abs(s) < 1e-9 else s) for c, s in turns]
            self.add(own, choice, [
                at(x + c * r[0] + sign(c) * (x - r[0]), y + s * r[1] + sign(s) * (y - r[1]))
                for c, s in turns
            ])  # fmt: skip
        else:
            self.add(own, choice, [at(*p) for p in box(wide, high)])

    def walls(self, points: list[Point], width: float, own: Json, choice: Any) -> None:
        """Each stretch half of the width to either side, and as far on at inner corners."""
        for i in range(len(points) - 1):
            (ax, ay), (bx, by) = points[i : i + 2]
            length = hypot(bx - ax, by - ay)
            if not width or not length:
                continue
            half = width / 2
            u, v = (bx - ax) / length * half, (by - ay) / length * half
            start, end = i > 0, i + 2 < len(points)
            ax, ay, bx, by = ax - u * start, ay - v * start, bx + u * end, by + v * end
            self.add(
                own,
                choice,
                [(ax - v, ay + u), (bx - v, by + u), (bx + v, by - u), (ax + v, ay - u)],
            )

    # Points.

    def at(self, x: float, y: float) -> set[tuple[int, Any, Any]]:
        """The layers and heights of the solids over a point."""
        return {area.what for area in self.areas if area.is_near(x, y) and self.covers(area, x, y)}

    def covers(self, area: Area, x: float, y: float) -> bool:
        step = self.options.get("steps")
        if not step or area.radius:
            return area.has(x, y)
        # From the side: between two corners, what is as wide as in the middle of its step.
        unit = float(self.options.get("pixels_per_unit") or self.cell[0])
        for top, bottom in pairwise(area.levels):
            if top <= y <= bottom:
                high = float(step) * unit
                low = bottom - int((bottom - y) / high) * high
                return area.has(x, (low + max(top, low - high)) / 2)
        return False


def box(wide: float, high: float) -> list[Point]:
    return [(0, 0), (wide, 0), (wide, high), (0, high)]


def sign(value: float) -> int:
    return (value > 0) - (value < 0)

"""Maps of Tiled against a second reading of them: points are sampled, and each is solid in the level
as in the model. The maps are written here, to have every option, flip, encoding and kind of file."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import shlex
import struct
import zlib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from model_map import Area, MapModel, RefusedError
from tools import by_default

from fixsync import Pillar
from fixsync.base.files import zstd_module
from fixsync.cli.level import level_command
from fixsync.maps import MapFileError, MapLevel, read_map
from fixsync.world.level import Solid

Json = dict[str, Any]
ONE = 65536
FLIPS = [a | b | c for a in (0, 1 << 31) for b in (0, 1 << 30) for c in (0, 1 << 29)]
ALIGNMENTS = [
    "unspecified", "topleft", "top", "topright", "left", "center", "right", "bottomleft", "bottom",
    "bottomright",
]  # fmt: skip
NEAR = 0.02
"""Pixels to where a point counts: what differs so near is an edge, or rounding."""

try:
    zstd: Any = zstd_module()
except ValueError:
    zstd = None


# Files, in both forms.


def named(values: Json) -> list[Json]:
    kinds = {bool: "bool", int: "int", float: "float", str: "string"}
    return [{"name": k, "type": kinds[type(v)], "value": v} for k, v in values.items()]


def xml(tag: str, item: Json) -> str:
    """An element of the values that JSON has."""
    inner, own = [], {}
    for key, value in item.items():
        if key == "properties":
            rows = "".join(
                f"<property name={quoteattr(p['name'])} type={quoteattr(p['type'])} "
                f"value={quoteattr(json.dumps(p['value']).strip(chr(34)))}/>"
                for p in value
            )
            inner.insert(0, f"<properties>{rows}</properties>")
        elif key in ("tilesets", "tiles", "objects"):
            inner += [xml(key[:-1], entry) for entry in value]
        elif key == "layers":
            tags = {"tilelayer": "layer"}
            inner += [xml(tags.get(e["type"], e["type"]), e) for e in value]
        elif key in ("objectgroup", "tileset", "object", "tileoffset"):
            inner.append(xml(key, value))
        elif key in ("polygon", "polyline"):
            points = " ".join(f"{p['x']},{p['y']}" for p in value)
            inner.append(f'<{key} points="{points}"/>')
        elif key in ("ellipse", "capsule", "point"):
            inner.append(f"<{key}/>")
        elif key == "text":
            inner.append("<text>words</text>")
        elif key == "imagewidth":
            inner.append(f'<image width="{value}" height="{item["imageheight"]}"/>')
        elif key in ("data", "chunks"):
            more = "".join(f' {k}="{item[k]}"' for k in ("encoding", "compression") if item.get(k))
            more = more or ("" if item.get("elements") else ' encoding="csv"')
            inner.append(f"<data{more}>{xml_cells(item)}</data>")
        elif key == "type":
            own |= {key: value} if tag in ("object", "tile") else {}
        elif key not in ("imageheight", "encoding", "compression", "elements"):
            own[key] = value
    text = "".join(f" {k}={quoteattr(str(int(v) if v is True or v is False else v))}"
                   for k, v in own.items())  # fmt: skip
    return f"<{tag}{text}>{''.join(inner)}</{tag}>"


def xml_cells(item: Json) -> str:
    def one(data: Any) -> str:
        if item.get("elements"):
            return "".join(f'<tile gid="{c}"/>' if c else "<tile/>" for c in data)
        return data if isinstance(data, str) else ",\n".join(map(str, data))

    if "data" in item:
        return one(item["data"])
    return "".join(
        '<chunk x="{x}" y="{y}" width="{width}" height="{height}">'.format(**c)
        + f"{one(c['data'])}</chunk>"
        for c in item["chunks"]
    )


class Drawing:
    """A map by chance, its files, and what of it is used."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = chance = random.Random(seed)
        self.folder = folder
        self.used: Counter[str] = Counter()
        self.is_xml = chance.random() < 0.5
        self.is_side = chance.random() < 0.3
        self.has_shapes = chance.random() < 0.75
        self.numbers = 0
        self.cell = chance.choice([(16, 16), (16, 16), (20, 12)])
        self.use(f"xml {self.is_xml}")
        self.sets = self.tilesets()
        self.templates = [self.template(i) for i in range(3)]
        document = {
            "type": "map", "orientation": "orthogonal", "version": "1.10",
            "width": 8, "height": 6, "tilewidth": self.cell[0], "tileheight": self.cell[1],
            "properties": named(self.own(0.5)), "tilesets": self.sets,
            "layers": [self.layer(0) for _ in range(chance.randint(2, 5))],
        }  # fmt: skip
        self.path = self.write("map", "map", document)
        self.options = self.chosen()

    def use(self, what: str) -> None:
        self.used[what] += 1

    def pick(self, what: str, values: Any) -> Any:
        found = self.chance.choice(values)
        self.use(f"{what} {found}")
        return found

    def write(self, name: str, tag: str, item: Json) -> Path:
        endings = {"map": ("tmx", "tmj"), "tileset": ("tsx", "tsj"), "template": ("tx", "tj")}
        path = self.folder / f"{name}.{endings[tag][not self.is_xml]}"
        path.write_text(xml(tag, item) if self.is_xml else json.dumps(item))
        return path

    def near(self, low: int, high: int) -> float:
        """A number with at most two decimals."""
        return self.chance.choice([self.chance.randint(low, high),
                                   self.chance.randint(100 * low, 100 * high) / 100])  # fmt: skip

    def own(self, often: float) -> Json:
        """Properties that a map, a layer or an object has."""
        found: Json = {"hint": "x"} if self.chance.random() < 0.3 else {}
        if self.chance.random() < often / 3:
            found["layer"] = self.chance.randint(0, 31)
        if self.chance.random() < often:
            found["solid"] = self.pick("solid", [True, True, False])
        if self.chance.random() < often / 3:
            found |= {"y_low": self.chance.randint(-9, -1), "y_high": self.chance.randint(1, 9)}
        return found

    # Tiles.

    def tilesets(self) -> list[Json]:
        wide, high = self.cell
        found, first = [], 1
        for i in range(3):
            size = self.pick("tile", [(wide, high), (wide, high), (12, 24), (high, wide)])
            one: Json = {
                "name": f"set{i}", "tilewidth": size[0], "tileheight": size[1], "tilecount": 8,
                "columns": 4, "tiles": [self.tile(id, size) for id in range(6)],
            }  # fmt: skip
            if self.chance.random() < 0.3:
                one["tileoffset"] = {
                    "x": self.chance.randint(-5, 5),
                    "y": self.chance.randint(-5, 5),
                }
                self.use("tileoffset")
            if self.chance.random() < 0.6:
                one["objectalignment"] = self.pick("alignment", ALIGNMENTS)
            if self.chance.random() < 0.3:
                one["tilerendersize"] = "grid"
                self.use("grid")
            if self.chance.random() < 0.3:
                one["fillmode"] = self.pick("fillmode", ["stretch", "preserve-aspect-fit"])
            if self.chance.random() < 0.5:
                path = self.write(f"set{i}", "tileset", {"type": "tileset", **one})
                one = {"source": path.name}
                self.use("external tileset")
            found.append({"firstgid": first, **one})
            first += self.chance.randint(8, 30)
        self.chance.shuffle(found)
        return found

    def tile(self, id: int, size: tuple[int, int]) -> Json:
        found: Json = {"id": id}
        values: Json = {}
        if self.chance.random() < 0.5:
            values["hard"] = self.chance.choice([True, False, "true"])
        if self.chance.random() < 0.4:
            values["kind"] = self.chance.choice(["deep", "ice"])
        if self.chance.random() < 0.3:
            found["type"] = "water"
        found["properties"] = named(values)
        if self.chance.random() < 0.2:
            size = self.chance.randint(8, 30), self.chance.randint(8, 30)
            found |= {"imagewidth": size[0], "imageheight": size[1]}
            self.use("picture of its own")
        if self.has_shapes and self.chance.random() < 0.6:
            shapes = [
                {**self.shape("tile", 9, 9), "id": i} for i in range(self.chance.randint(1, 2))
            ]
            if self.chance.random() < 0.3:
                shapes = [{"id": 1, "x": 0, "y": 0, "width": size[0], "height": size[1]}]
                self.use("shape as large as the tile")
            found["objectgroup"] = {"type": "objectgroup", "objects": shapes}
        return found

    def shape(self, of: str, wide: int, high: int) -> Json:
        """An object without a tile."""
        kind = self.pick(f"{of} shape", [
            "rectangle", "rectangle", "turned", "ellipse", "circle", "capsule", "polygon", "polyline",
            "ring", "flat", "point", "text",
        ])  # fmt: skip
        item: Json = {"x": self.near(-2, wide), "y": self.near(-2, high)}
        size = {"width": self.near(2, 20), "height": self.near(2, 20)}
        if kind in ("polygon", "polyline", "ring"):
            points = [
                (0, 0),
                (self.near(4, 9), 0),
                (self.near(4, 9), self.near(4, 9)),
                (2, 3),
                (0, 9),
            ]
            points += points[:1] * (kind == "ring")
            key = "polygon" if kind == "polygon" else "polyline"
            item[key] = [{"x": x, "y": y} for x, y in points]
        elif kind == "point":
            item["point"] = True
        elif kind == "flat":
            item |= {"width": 9, "height": 0}
        else:
            item |= size
        if kind == "circle":
            item |= {"height": size["width"], "ellipse": True}
        elif kind in ("ellipse", "capsule"):
            item[kind] = True
        elif kind == "text":
            item["text"] = {"text": "words"}
        if kind == "turned" or self.chance.random() < 0.2:
            item["rotation"] = self.pick("rotation", [90, 180, 270, 45, 33.3, -10])
        return item

    def cell_number(self) -> int:
        if self.chance.random() < 0.4:
            return 0
        one = self.chance.choice(self.sets)
        return (one["firstgid"] + self.chance.randint(0, 7)) | self.pick("flip", FLIPS)

    # Layers.

    def layer(self, depth: int) -> Json:
        self.numbers += 1
        kind = self.pick("layer", ["tilelayer", "tilelayer", "objectgroup", "group", "imagelayer"])
        found: Json = {"type": kind, "name": self.chance.choice("abcd"), "id": self.numbers}
        if self.chance.random() < 0.3:
            found |= {"offsetx": self.near(-9, 9), "offsety": self.near(-9, 9)}
        if self.chance.random() < 0.2:
            found["visible"] = False
            self.use("hidden layer")
        found["properties"] = named(self.own(0.3))
        if kind == "group":
            count = self.chance.randint(0, 3) if depth < 2 else 0
            return {**found, "layers": [self.layer(depth + 1) for _ in range(count)]}
        if kind == "objectgroup":
            return {**found, "objects": [self.object() for _ in range(self.chance.randint(1, 6))]}
        return {**found, **self.cells()} if kind == "tilelayer" else found

    def cells(self) -> Json:
        chance = self.chance
        forms = ["csv", "base64", "zlib", "gzip", *["zstd"] * (zstd is not None)]
        form = self.pick("encoding", [*forms, "elements"] if self.is_xml else forms)
        found: Json = {"width": 8, "height": 6}
        if form == "elements":
            found["elements"] = True
        elif form != "csv":
            found |= {"encoding": "base64", "compression": "" if form == "base64" else form}

        def packed(cells: list[int]) -> Any:
            raw = struct.pack(f"<{len(cells)}I", *cells)
            if form in ("csv", "elements"):
                return cells
            pack = {"base64": bytes, "zlib": zlib.compress, "gzip": gzip.compress}
            return base64.b64encode(
                pack[form](raw) if form in pack else zstd.compress(raw)
            ).decode()

        if chance.random() < 0.3:
            self.use("chunks")
            found["chunks"] = [
                {"x": x, "y": y, "width": 4, "height": 3,
                 "data": packed([self.cell_number() for _ in range(12)])}
                for x, y in chance.sample([(-4, -3), (0, 0), (4, 0), (0, 3), (4, 3)], 3)
            ]  # fmt: skip
        else:
            found["data"] = packed([self.cell_number() for _ in range(48)])
        return found

    # Objects.

    def object(self) -> Json:
        item: Json = {"id": self.numbers, "x": self.near(0, 120), "y": self.near(0, 80)}
        self.numbers += 1
        if self.chance.random() < 0.4:
            item = {**item, "template": self.chance.choice(self.templates).name}
            self.use("template")
            if self.chance.random() < 0.4:
                item |= self.pick("own shape", [
                    {"width": 7}, {"rotation": 30}, {"ellipse": True, "width": 9, "height": 9}, {},
                ])  # fmt: skip
            elif self.chance.random() < 0.3:
                item |= {"gid": self.cell_number() or 1, "width": 9, "height": 20}
                self.use("tile in place of a template's")
        elif self.chance.random() < 0.5:
            item |= self.tile_object(self.cell_number() or 1)
        else:
            item |= self.shape("object", 120, 80)
        if self.chance.random() < 0.15:
            item["visible"] = False
            self.use("hidden object")
        if self.chance.random() < 0.5:
            item |= {
                "name": self.chance.choice(["door", "wall"]),
                "type": self.chance.choice(["rock", "tree"]),
            }
        return {**item, "properties": named(self.own(0.3))}

    def tile_object(self, cell: int) -> Json:
        found: Json = {"gid": cell, "width": self.near(8, 30), "height": self.near(8, 30)}
        if self.chance.random() < 0.4:
            found["rotation"] = self.pick("turned tile", [90, 180, -30])
        return found

    def template(self, index: int) -> Path:
        document: Json = {"type": "template"}
        item: Json = {"name": "door", "type": "rock", "properties": named(self.own(0.5))}
        if index:
            entry = self.chance.choice(self.sets)
            cell = 3 + self.chance.randint(0, 5) | self.pick("template flip", FLIPS)
            document["tileset"] = {**entry, "firstgid": 3}
            item |= self.tile_object(cell)
        else:
            shape = self.shape("template", 0, 0)
            item |= {key: value for key, value in shape.items() if key not in "xy"}
        return self.write(f"t{index}", "template", {**document, "object": item})

    # Options.

    def chosen(self) -> Json:
        chance = self.chance

        def some(values: list[str], often: float) -> list[str]:
            if chance.random() > often:
                return []
            return [
                v + chance.choice(["", "", "@7"])
                for v in chance.sample(values, chance.randint(1, 2))
            ]

        found: Json = {
            "solid_layers": some(["a", "b", "a/b", "c"], 0.5),
            "tiles": some(["hard", "kind=deep", "set0:0-3", "set1:1,3-5"], 0.4),
            "classes": some(["water", "rock"], 0.3),
            "objects": some(["door", "wall"], 0.3),
            "slopes": some(["set0:2:0,1", "kind=ice:0.5,0.25", "set2:0-1:1,0.5"], 0.3),
            "only": [v for v in some(["a", "b", "d"], 0.15) if "@" not in v],
        }  # fmt: skip
        found = {option: values for option, values in found.items() if values}
        meaning = self.pick("meaning", ["shapes", "whole_tiles", "neither", "shapes"])
        if meaning != "neither":
            found[meaning] = True
        if chance.random() < 0.5:
            found["line_width"] = chance.choice([1, 3])
        if chance.random() < 0.3:
            found["hidden"] = True
        if chance.random() < 0.3:
            found |= {"pixels_per_unit": chance.choice([8, 10])}
        if chance.random() < 0.3:
            found["origin"] = (chance.randint(-50, 50), chance.randint(-50, 50))
        if self.is_side:
            found |= {"side": True, "steps": chance.choice([1, Fraction(1, 4)])}
            if chance.random() < 0.5:
                found["z"] = (-2, 3)
        else:
            found |= {"y": (0, 1), "z_down": chance.random() < 0.5}
        for option in found:
            self.use(option)
        return found


# The comparison.


def level_at(
    solids: list[tuple[Area, Solid]], options: Json, unit: float, x: float, y: float
) -> set[Any]:
    """As the model says it, of a pixel."""
    left, top = options.get("origin", (0, 0))
    u, v = (x - left) / unit * ONE, (y - top) / unit * ONE * (1 if options.get("z_down") else -1)
    found = set()
    for area, solid in solids:
        left, near, right, far = area.bounds
        if options.get("side"):
            if left < u < right and solid.y_low < v < solid.y_high:
                found.add((solid.layer, near / ONE, far / ONE))
        elif area.is_near(u, v) and area.has(u, v):
            found.add((solid.layer, solid.y_low / ONE, solid.y_high / ONE))
    return found


def area_of(solid: Solid) -> Area:
    if isinstance(solid, Pillar):
        return Area([(solid.x, solid.z)], solid.radius, (0, 0, 0))
    return Area(solid.vertices, 0, (0, 0, 0))


def samples(areas: list[Area], chance: random.Random, count: int) -> list[tuple[float, float]]:
    """Points everywhere, and beside the corners of solids."""
    found = [(chance.uniform(-80, 190), chance.uniform(-60, 140)) for _ in range(count)]
    for area in chance.sample(areas, min(len(areas), count // 2)):
        x, y = chance.choice(area.points)
        found.append((x + chance.uniform(-9, 9), y + chance.uniform(-9, 9)))
        found.append((x + chance.uniform(-0.5, 0.5), y + chance.uniform(-0.5, 0.5)))
    return found


OPTIONS = {
    "solid-layer": "solid_layers", "tiles": "tiles", "class": "classes", "object": "objects",
    "slope": "slopes", "only": "only",
}  # fmt: skip


def without_unused(options: Json, message: str) -> Json:
    """Options without the choices that an error says to select nothing."""
    unused = re.findall(r"--([a-z-]+) '([^']+)'", message.partition(". Choose")[0])
    found = {key: [*v] if isinstance(v, list) else v for key, v in options.items()}
    for option, text in unused:
        found[OPTIONS[option]].remove(text)
    return found


def compared(seed: int, folder: Path, used: Counter[str]) -> str:
    """Whether a map was "read", "empty" or "refused", the same by both."""
    folder.mkdir()
    drawing = Drawing(seed, folder)
    used.update(drawing.used.keys())
    return compared_with(drawing, drawing.options, seed)


def compared_with(drawing: Drawing, options: Json, seed: int) -> str:
    try:
        model = MapModel(drawing.path, **options)
    except RefusedError:
        with pytest.raises(MapFileError, match=r"(has|with) collision shapes"):
            read_map(drawing.path, **options)
        return "refused"
    try:
        found = read_map(drawing.path, **options)
    except MapFileError as error:
        message = error.reason
    else:
        compare_points(drawing, options, seed, model, found)
        return "read"
    if "nothing in it is selected by" in message:
        return compared_with(drawing, without_unused(options, message), seed)
    assert re.search("makes anything solid|nothing of it became solid", message), message
    assert not model.areas, (seed, options)
    return "empty"


def compare_points(
    drawing: Drawing, options: Json, seed: int, model: MapModel, found: MapLevel
) -> None:
    unit = float(options.get("pixels_per_unit") or drawing.cell[0])
    counts = 0
    solids = [(area_of(solid), solid) for solid in found.level]
    for x, y in samples(model.areas, random.Random(seed), 60):
        expected = model.at(x, y)
        beside = [(x + a, y + b) for a in (-NEAR, NEAR) for b in (-NEAR, NEAR)]
        if all(model.at(*point) == expected for point in beside):
            counts += 1
            got = level_at(solids, options, unit, x, y)
            assert got == expected, (seed, (x, y), options)
    assert counts > 20


@pytest.mark.parametrize("seed", range(20))
def test_a_point_of_a_map_is_solid_as_a_second_reading_says(tmp_path: Path, seed: int) -> None:
    compared(seed, tmp_path / "map", Counter())


@pytest.mark.full
def test_points_of_maps_with_everything_are_solid_as_a_second_reading_says(tmp_path: Path) -> None:
    used: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    seeds = range(600)
    for seed in seeds:
        outcomes[compared(seed, tmp_path / str(seed), used)] += 1
    assert outcomes["read"] > len(seeds) // 3, outcomes
    assert all(outcomes[kind] > 5 for kind in ("read", "refused", "empty")), outcomes
    wanted = [
        "chunks", "external tileset", "grid", "hidden layer", "hidden object", "picture of its own",
        "fillmode preserve-aspect-fit", "shape as large as the tile", "template",
        "tile in place of a template's", "tileoffset",
        "solid_layers", "tiles", "classes", "objects", "slopes", "only", "shapes", "whole_tiles",
        "line_width", "hidden", "pixels_per_unit", "origin", "side", "steps", "z", "y", "z_down",
        *(f"alignment {word}" for word in ALIGNMENTS),
        *(f"encoding {form}" for form in ("csv", "base64", "zlib", "gzip", "elements")),
        *(f"{of} {flip}" for of in ("flip", "template flip") for flip in FLIPS),
        "xml True", "xml False",
    ]  # fmt: skip
    assert [what for what in wanted if used[what] < 2] == []


# The list of choices.


def listed(message: str) -> list[list[str]]:
    """The choices that a refusal lists, as words of a command line."""
    return [shlex.split(row) for row in re.findall(r"^  (--.*?) {2,}", message, re.M)]


def options_of(words: list[str], path: Path) -> Json:
    """As the command reads them."""
    given = level_command.make_context("level", [str(path), *words]).params
    given = {k: v for k, v in given.items() if v not in (None, False, ())}
    return {k: v for k, v in given.items() if k not in ("source", "output")}


def check_list(path: Path, **options: Any) -> int:
    """Types each choice that the list of a map has; returns their number."""
    with pytest.raises(MapFileError, match="nothing in it is selected") as refused:
        read_map(path, objects=["nobody"], whole_tiles=True, **options)
    rows = listed(str(refused.value))
    for words in rows:
        found = read_map(path, **options_of(words, path), **options)
        assert len(found.level) or found.places, (path, words)
    return len(rows)


@pytest.mark.parametrize("seed", by_default(4, range(300)))
def test_a_choice_that_the_list_of_a_map_has_works_when_it_is_typed(
    tmp_path: Path, seed: int
) -> None:
    folder = tmp_path / "map"
    folder.mkdir()
    path = Drawing(seed, folder).path
    text = re.sub(r'("name": |name=)"(d|door)"', r'\1"\2@3"', path.read_text())
    text = re.sub(r'("type": |type=)"rock"', r'\1"rock@99"', text)
    path.write_text(text)
    check_list(path, y=(0, 1))

"""A project of LDtk (https://ldtk.io) as the document that the same map in Tiled would be.

A level is a group at its place in the world, an IntGrid layer is a tile layer of a tileset that has
its values, an entity is an object that is a place too. So both editors have one reader, one set of
options and one way of merging cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fixsync._native.raw import INT32_MAX
from fixsync.maps.document import PIXELS_MAX, Files, Made, MapError, Value

VALUES_MAX = 2**16
"""Most values of an IntGrid layer, 0 among them, and the tile numbers that each layer has."""
LAYERS_MAX = 2**12 - 1
"""Most IntGrid layers of a project."""
SIDE_MAX = 2**18
"""Most columns or rows of a layer."""


def is_ldtk(document: Value) -> bool:
    """Whether a document is a project of LDtk, or one of its levels."""
    return "layerInstances" in document or ("defs" in document and "jsonVersion" in document)


def map_of(document: Value, files: Files, chosen: Sequence[str], faults: list[MapError]) -> Value:
    """The map of a project. `chosen`: names of levels and of worlds; all levels if it is empty.
    `faults` gets those of levels and layers, which are left out."""
    if "defs" not in document:
        raise document.fail("it is one level: give its project (.ldtk), and --level NAME")
    layers = [v for v in document["defs"]["layers"].items() if v.get("type", "").value == "IntGrid"]
    if len(layers) > LAYERS_MAX:
        raise document["defs"]["layers"].fail(f"it has more than {LAYERS_MAX} IntGrid layers")
    firsts = {_uid(layer["uid"]): 1 + i * VALUES_MAX for i, layer in enumerate(layers)}
    sizes = {layer["gridSize"].integer(1, PIXELS_MAX) for layer in layers}
    if len(sizes) != 1:
        sizes = {document["defaultGridSize"].integer(1, PIXELS_MAX)}
    size = min(sizes)
    levels = _levels(document, chosen)
    field_size = document.get("defaultGridSize", size).integer(1, PIXELS_MAX)

    def group(placed: tuple[Value, int, int]) -> Made:
        level, x, y = placed
        x, y = (x, y) if len(levels) > 1 else (0, 0)  # one level is a map of its own
        is_outside = level.get("layerInstances", None).value is None
        whole = files.named(level["externalRelPath"]) if is_outside else level
        layers = whole["layerInstances"].items()
        return Made(
            level, type="group", name=level["identifier"].string(), offsetx=x, offsety=y,
            layers=_kept(layers, lambda layer: _layer(layer, firsts), faults),
            properties=_fields(whole, field_size),
        )  # fmt: skip

    made = Made(
        document, type="map", orientation="orthogonal", tilewidth=size, tileheight=size,
        tilesets=[_tileset(layer, firsts) for layer in layers], layers=_kept(levels, group, faults),
    )  # fmt: skip
    return Value(document.file, "", made)


def _kept(parts: Iterable[Any], make: Callable[[Any], Made], faults: list[MapError]) -> list[Made]:
    """What is made of each part that has no fault."""
    found = []
    for part in parts:
        try:
            found.append(make(part))
        except MapError as fault:  # noqa: PERF203 - each part is tried
            faults.append(fault)
    return found


def _levels(document: Value, chosen: Sequence[str]) -> list[tuple[Value, int, int]]:
    """The levels that are read, each with its corner in the world."""
    found: list[tuple[Value, int, int]] = []
    known: dict[str, None] = {}
    """Every text that chooses levels."""
    in_worlds: set[str] = set()
    by_depth: dict[int, list[str]] = {}
    for world in [*document.get("worlds", []).items()] or [document]:
        of = world.get("identifier", "").string()
        for level, x, y in _placed(world):
            depth = level.get("worldDepth", 0).integer(-PIXELS_MAX, PIXELS_MAX)
            name = level["identifier"].string()
            own = [name, of, f"depth={depth}", *[f"{of}/{name}", f"{of}/depth={depth}"] * bool(of)]
            known |= dict.fromkeys(text for text in own if text)
            if not chosen or {*chosen} & {*own}:
                found.append((level, x, y))
                in_worlds.add(of)
                by_depth.setdefault(depth, []).append(name)
    for text in chosen:
        if text not in known:
            raise document.fail(f"it has no level {text!r}: --level takes {_some([*known], 20)}")
    if len(in_worlds) > 1:
        raise document.fail(f"it has the worlds {', '.join(sorted(in_worlds))}: --level takes one")
    if len(by_depth) > 1:
        within = f"{min(in_worlds)}/" if min(in_worlds) else ""
        deep = "; ".join(
            f"--level {within}depth={d}: {_some(names)}" for d, names in sorted(by_depth.items())
        )
        raise document.fail(f"it has levels above each other: {deep}")
    return found


def _some(names: Sequence[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _placed(world: Value) -> Iterator[tuple[Value, int, int]]:
    """The levels of a world, each with its corner. Those in a line are one after the other."""
    layout = world.get("worldLayout", None)
    kind, end = layout.value, 0
    if kind not in ("Free", "GridVania", "LinearHorizontal", "LinearVertical"):
        raise layout.expected('"Free", "GridVania", "LinearHorizontal" or "LinearVertical"')
    for level in world["levels"].items():
        if kind in ("Free", "GridVania"):
            x, y = (level[key].integer(-PIXELS_MAX, PIXELS_MAX) for key in ("worldX", "worldY"))
        else:
            x, y = (end, 0) if kind == "LinearHorizontal" else (0, end)
            end += level["pxWid" if kind == "LinearHorizontal" else "pxHei"].integer(1, PIXELS_MAX)
        yield level, x, y


def _tileset(layer: Value, firsts: Mapping[int, int]) -> Made:
    """The values of an IntGrid layer as tiles, with true properties: their names, their groups'."""
    groups = {
        _uid(group["uid"]): group.get("identifier", None)
        for group in layer.get("intGridValuesGroups", []).items()
    }
    tiles = []
    for value in layer["intGridValues"].items():
        own = [value.get("identifier", None), groups.get(_uid(value.get("groupUid", 0)))]
        names = [name.string() for name in own if name is not None and name.value is not None]
        number = value["value"].integer(1, VALUES_MAX - 1)
        tiles.append(Made(value, id=number, properties=dict.fromkeys(names, True)))
    size = layer["gridSize"].integer(1, PIXELS_MAX)
    return Made(
        layer, firstgid=firsts[_uid(layer["uid"])], name=layer["identifier"].string(),
        tilewidth=size, tileheight=size, tiles=tiles,
    )  # fmt: skip


def _layer(layer: Value, firsts: Mapping[int, int]) -> Made:
    x, y = (layer[f"__pxTotalOffset{axis}"].fraction() for axis in "XY")
    what: dict[str, Any] = {"name": layer["__identifier"].string(), "offsetx": x, "offsety": y}
    what["visible"] = layer.get("visible", True).boolean()
    kind = layer["__type"].value
    if kind == "Entities":
        size = layer["__gridSize"].integer(1, PIXELS_MAX)
        found = [_entity(entity, size) for entity in layer["entityInstances"].items()]
        return Made(layer, type="objectgroup", objects=found, **what)
    if kind != "IntGrid":
        return Made(layer, type="imagelayer", **what)
    width, height = (layer[key].integer(0, SIDE_MAX) for key in ("__cWid", "__cHei"))
    if "intGridCsv" not in layer:
        raise layer.fail("its cells are as LDtk saved them before 0.8: save the project again")
    first = firsts.get(_uid(layer["layerDefUid"]))
    if first is None:
        raise layer["layerDefUid"].expected("the uid of an IntGrid layer of the project")
    cells = layer["intGridCsv"]
    if not isinstance(cells.value, list) or not all(
        type(cell) is int and 0 <= cell < VALUES_MAX for cell in cells.value
    ):
        for cell in cells.items():
            cell.integer(0, VALUES_MAX - 1)
    if len(cells.value) != width * height:
        raise cells.fail(f"it has {len(cells.value)} cells; __cWid x __cHei is {width * height}")
    size = layer["__gridSize"].integer(1, PIXELS_MAX)
    return Made(
        layer, type="tilelayer", width=width, height=height, tilewidth=size, tileheight=size,
        data=[cell and first + cell for cell in cells.value], **what,
    )  # fmt: skip


def _entity(entity: Value, size: int) -> Made:
    """An entity as an object: its corner and its size, and its pivot in parts of them."""
    (x, y), (across, down) = _pair(entity["px"]), _pair(entity["__pivot"])
    width, height = (entity[key].fraction(0) for key in ("width", "height"))
    name = entity["__identifier"].string()
    return Made(
        entity, id=entity.get("iid", "").value, name=name, type=name,
        x=x - across * width, y=y - down * height, width=width, height=height,
        pivot=(across * width, down * height), properties=_fields(entity, size),
    )  # fmt: skip


def _uid(number: Value) -> int:
    return number.integer(0, INT32_MAX)


def _pair(numbers: Value) -> list[Fraction]:
    found = [number.fraction() for number in numbers.items()]
    if len(found) != 2:
        raise numbers.expected("a list of two numbers")
    return found


def _fields(owner: Value, size: int) -> list[Made]:
    """The fields of a level or of an entity, as properties; points with the size of their cells."""

    def value_of(field: Value) -> Any:
        value, is_point = field["__value"].value, field.raw("__type") in ("Point", "Array<Point>")
        return Made(field, points=value, size=size) if is_point else value

    return [
        Made(field, name=field["__identifier"].string(), value=value_of(field))
        for field in owner.get("fieldInstances", []).items()
    ]

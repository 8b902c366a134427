"""The parts of a map, each with the option of `fixsync level` that selects it."""

from __future__ import annotations

import os
import shlex
from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from itertools import groupby
from typing import Any

from fixsync._native.raw import UINT32_MAX
from fixsync.maps.builder import limit
from fixsync.maps.cells import TILES_MAX, parts_of
from fixsync.maps.choice import class_of, is_true, text_of, typed
from fixsync.maps.document import Made, MapError, OutsideError, Value, name_of, properties_of
from fixsync.maps.outlines import LINES, kind_of
from fixsync.maps.tilesets import NUMBER, SWAPPED, Templates, Tile, Tilesets

NAMES_MAX = 8
"""Most names of objects that are listed, and most tiles of a layer that are listed by number."""
ROWS_MAX = 40  # of another option
WORK_MAX = 2**20
"""Most properties of tiles and tile objects that are counted."""
_TEXT_MAX, _DEPTH_MAX = 30, 64
_NUMBERS = "--tiles "  # rows of tiles by their numbers
_OF_THINGS = ("--tiles", _NUMBERS, "--class", "--object", "--shapes")
_WHOLE, _LINES = "--whole-tiles", "--line-width 1"

_HEIGHTS = (
    "Seen from above, give also the heights of all solids, --y LOW,HIGH in units; seen from the side, "
    "--side, and for slopes --steps HEIGHT."
)
_MORE = (
    "NAME@3 puts the solids of a name on layer 3 of the world: one-way tiles, hazards. A slope without "
    "a collision shape: --slope TILES:LEFT,RIGHT, with heights of 0..1."
)
_Taken = Counter[tuple[bool, str, str]]
"""How many things a row takes, by whether they are hidden, the option that they need, their kind."""


def survey(
    document: Value, size: tuple[int, int], tilesets: Tilesets, templates: Templates, is_side: bool
) -> str:
    """The end of a sentence, and lines of what can be chosen. Each choice that is listed selects
    something, alone and with --y or --side."""
    found = _Survey(document, size, tilesets, templates)
    try:
        found.layers(document["layers"], (), False, _solid(document, None))
    except MapError as fault:
        found.damage.append(fault.reason)
    return "\n".join(found.lines(is_side))


def _solid(part: Value, outer: bool | None) -> bool | None:
    """The property of this name, if something says it."""
    own = properties_of(part).get("solid") if "properties" in part else None
    return outer if own is None or own.value is None else own.boolean()


class _Survey:
    def __init__(
        self, document: Value, size: tuple[int, int], tilesets: Tilesets, templates: Templates
    ) -> None:
        self._size = size
        self._is_isometric = document.get("orientation", None).value == "isometric"
        self._tilesets = tilesets
        self._templates = templates
        self._rows: dict[str, dict[str, _Taken]] = {}  # by option and name
        self._layers: dict[str, Counter[str]] = {}  # the kinds of the layers of each name
        self._never: Counter[str] = Counter()  # layers that are never solid
        self._tiles: Counter[tuple[int, bool]] = Counter()  # cells by number and being hidden
        self._needed: set[str] = set()  # by what is solid without a choice
        self._cells, self._work = [0], 0
        self._unread: dict[str, MapError] = {}
        self.damage: list[str] = []

    def layers(
        self, layers: Value, outer: tuple[str, ...], hidden: bool, solid: bool | None
    ) -> None:
        for layer in layers.items():
            try:
                is_hidden = hidden or layer.get("visible", True).value is False
                names = (*outer, name_of(layer))
                self._layer(layer, names, is_hidden, _solid(layer, solid))
            except MapError as fault:  # noqa: PERF203 - each layer is tried
                self.damage.append(f"{fault.path}: {fault.reason}")

    def _layer(
        self, layer: Value, names: tuple[str, ...], is_hidden: bool, solid: bool | None
    ) -> None:
        kind = layer["type"].value
        if kind == "group" and len(names) < _DEPTH_MAX:
            self.layers(layer["layers"], names, is_hidden, solid)
        elif kind == "imagelayer":
            is_ldtk = isinstance(layer.value, Made)
            self._never["layer without IntGrid and entities" if is_ldtk else "image layer"] += 1
        elif kind in ("objectgroup", "tilelayer"):
            what = "object layer" if kind == "objectgroup" else "tile layer"
            self._layers.setdefault(names[-1], Counter())["hidden " * is_hidden + what] += 1
            take = self._objects if kind == "objectgroup" else self._cells_of
            take(layer, {*names}, is_hidden, solid)

    def _add(
        self, option: str, names: Iterable[Any], hidden: bool, need: str, kind: str, n: int = 1
    ) -> None:
        for name in names:
            if name and str(name).isprintable():
                row = self._rows.setdefault(option, {}).setdefault(str(name), Counter())
                row[hidden, need, kind] += n

    def _objects(self, layer: Value, names: set[str], hidden: bool, outer: bool | None) -> None:
        for item in layer["objects"].items():
            merged = self._templates.merged(item)
            kind, own_hidden = kind_of(merged), merged.get("visible", True).value is False
            is_hidden = hidden or own_hidden
            solid = _solid(merged, None if kind == "entity" else outer)
            is_picture = kind == "tile object" and self._is_isometric
            if kind in ("point", "text") or solid is False or is_picture:
                self._add("--place", names, is_hidden, "", kind)
                continue
            need, called = _LINES if kind in LINES else "", class_of(merged)
            if kind == "tile object":
                tilesets = self._templates.tilesets(item, self._tilesets)
                tile = self._tile(tilesets, merged["gid"].integer(0, UINT32_MAX))
                need = _WHOLE if tile is None or tile.shapes else ""
                if tile is not None:
                    self._tile_has(tile, is_hidden, need, 1, properties_of(merged))
                    called = called or tile.kind
                self._needed |= {need} if solid else set()
            self._add("--solid-layer", names, own_hidden, need, kind)
            self._add("--class", [called], is_hidden, need, kind)
            if kind != "entity":
                self._add("--object", [merged.get("name", "").value], is_hidden, need, kind)

    def _cells_of(self, layer: Value, names: set[str], is_hidden: bool, solid: bool | None) -> None:
        cells: Counter[int] = Counter()
        for _, rows in parts_of(layer, self._cells):
            for row in rows:
                cells.update(row)
                if len(cells) > TILES_MAX:
                    raise limit(layer, f"it has more than {TILES_MAX} different tiles")
        numbers: Counter[int] = Counter()
        for cell, count in cells.items():
            numbers[cell & (NUMBER | SWAPPED)] += count
        used: dict[str, list[tuple[int, int, str]]] = {}
        for cell, count in sorted(numbers.items()):
            if cell & NUMBER:
                tile = self._tile(self._tilesets, cell)
                need = self._need(tile, cell)
                self._needed |= {need} if solid else set()
                self._add("--solid-layer", names, False, need, "tile", count)
                if solid is not False:
                    self._tiles[cell, is_hidden] += count
                    if tile is not None:
                        used.setdefault(tile.tileset, []).append((tile.id, count, need))
        for tileset, tiles in used.items() if len(numbers) <= NAMES_MAX else ():
            text = f"{tileset}:{_spans(sorted({id for id, _, _ in tiles}))}"
            for id, count, need in tiles:
                self._add(_NUMBERS, [text], is_hidden, need, f"of {id}", count)

    def _need(self, tile: Tile | None, cell: int) -> str:
        is_shaped = tile is None or (tile.shapes and not tile.is_whole(cell, *self._size))
        return _WHOLE if is_shaped else ""

    def _tile(self, tilesets: Tilesets, cell: int) -> Tile | None:
        try:
            return tilesets.tile(cell)
        except MapError as fault:
            self._unread[fault.reason] = fault
            return None

    def _tile_has(
        self, tile: Tile, hidden: bool, need: str, n: int, own: MutableMapping[str, Value]
    ) -> None:
        if tile.shapes and not self._is_isometric:
            lines = _LINES if len(tile.lines) == len(tile.shapes) else ""
            self._add("--shapes", ["--shapes"], hidden, lines, "tile with collision shapes", n)
        properties = ChainMap(own, tile.properties) if self._work <= WORK_MAX else {}
        self._work += len(properties)
        for name, value in properties.items():
            text = text_of(value.value)
            if is_true(value.value):
                self._add("--tiles", [name], hidden, need, "tile", n)
            elif text.lower() != "false" and len(text) <= _TEXT_MAX and "=" not in name:
                self._add("--tiles", [f"{name}={text}"], hidden, need, "tile", n)

    def lines(self, is_side: bool) -> Sequence[str]:
        for (cell, is_hidden), count in sorted(self._tiles.items()):
            if (tile := self._tile(self._tilesets, cell)) is not None:
                need = self._need(tile, cell)
                self._tile_has(tile, is_hidden, need, count, {})
                self._add("--class", [tile.kind], is_hidden, need, "tile", count)
        rows = [row for section in self._sections() for row in section]
        wide = max((len(option) for option, _ in rows), default=0)
        never = ", ".join(_counted(n, kind) for kind, n in sorted(self._never.items()))
        nothing = f"It has only {never}: never solid." if never else "It has no layers."
        has_choices = any(option for option, _ in rows)
        head = "It is empty:" if rows else nothing
        lines = ["Choose among these:" if has_choices else head]
        lines += [f"  {option:{min(wide, 40)}}  {what}" for option, what in rows]
        lines += [f"  a damaged layer: {reason}" for reason in self.damage[:5]]
        if self._work > WORK_MAX:
            lines.append(f"  properties of more than {WORK_MAX}: some are not counted")
        lines += self._unread_lines()
        return [*lines, *([_HEIGHTS] * (not is_side) + [_MORE]) * has_choices]

    def _sections(self) -> Iterator[Sequence[tuple[str, str]]]:
        layers = []
        for name, kinds in self._layers.items():
            solid, places = (self._rows.get(o, {}).get(name) for o in ("--solid-layer", "--place"))
            option = "--solid-layer" if solid else "--place"
            row, _ = self._row(option, name, solid or places or Counter())
            _, text = self._row(option, name, (solid or Counter()) + (places or Counter()))
            what = ", ".join(_counted(n, kind) for kind, n in kinds.items())
            what = f"{what}: {text}" if text else f"{what}, {_quoted(name)}: nothing to choose"
            layers.append((row if text else "", what))
        yield _few(layers, ROWS_MAX)
        # Those that need every tileset are left out if one cannot be read.
        for option in ("--class", "--object") if self._unread else _OF_THINGS:
            named = [*self._rows.get(option, {}).items()]
            if option != _NUMBERS:
                named.sort(key=lambda row: (-row[1].total(), row[0]))
            rows = [self._row(option, name, taken) for name, taken in named]
            yield _few(rows, NAMES_MAX if option == "--object" else ROWS_MAX)

    def _row(self, option: str, name: str, taken: _Taken) -> tuple[str, str]:
        """A choice with what else it needs, and what it takes."""
        is_hidden = all(hidden for hidden, _, _ in taken)
        needs = {need for hidden, need, _ in taken if hidden == is_hidden}
        what: Counter[str] = Counter()
        for (_, _, kind), count in taken.items():
            what[kind] += count
        words = [option.strip()]
        if name != option:
            words.append(_quoted(name if option == "--place" else typed(name)))
        words += ["--hidden"] * (is_hidden and bool(taken))
        words += [_WHOLE] * (_WHOLE in needs | self._needed and option != "--shapes")
        words += [_LINES] * (needs == {_LINES})
        return " ".join(words), ", ".join(_counted(n, kind) for kind, n in sorted(what.items()))

    def _unread_lines(self) -> Iterator[str]:
        outside = [f for f in self._unread.values() if isinstance(f, OutsideError) and f.needed]
        if outside:
            folder = os.path.commonpath([os.path.realpath(fault.needed) for fault in outside])
            what = f"{_counted(len(outside), 'tileset')} outside the map's folder"
            yield f"  {what}: --root {_quoted(os.path.relpath(folder))}"
        for fault in [f for f in self._unread.values() if f not in outside][:5]:
            yield f"  a tileset cannot be read: {fault.reason}"
        if self._unread:
            yield "  without tilesets: whole cells, by --solid-layer with --whole-tiles"


def _few(rows: Sequence[tuple[str, str]], most: int) -> Sequence[tuple[str, str]]:
    more = len(rows) - most
    return [*rows[:most], ("", f"and {more} more")] if more > 0 else rows


def _quoted(text: str) -> str:
    """A text for a command line, without characters that could steer a terminal."""
    return shlex.quote("".join(c if c.isprintable() else "?" for c in text))


def _counted(count: int, kind: str) -> str:
    one, with_, rest = kind.partition(" with ")
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    is_one = count == 1 or kind.startswith("of ")  # a tile by its number
    return f"{count} {one if is_one else many}{with_}{rest}"


def _spans(ids: Sequence[int]) -> str:
    """Numbers as 0-3,7."""
    runs = groupby(enumerate(ids), lambda pair: pair[1] - pair[0])
    found = [[id for _, id in run] for _, run in runs]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in found)

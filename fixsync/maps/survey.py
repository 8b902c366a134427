"""The parts of a map, each with the option of `fixsync level` that selects it."""

from __future__ import annotations

import os
import re
import shlex
from collections import ChainMap, Counter
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from itertools import groupby

from fixsync.maps.cells import CELLS_MAX, WIDTH_MAX, rows_of
from fixsync.maps.choice import is_true, text_of
from fixsync.maps.document import MapError, OutsideError, Value, name_of, properties_of
from fixsync.maps.outlines import kind_of
from fixsync.maps.tilesets import NUMBER, Templates, Tile, Tilesets

__all__ = ["survey"]

VALUES_MAX = 8
"""Most values of a property of tiles that are listed."""
TILES_MAX = 8
"""Most different tiles of a layer that is listed by their numbers."""
ROWS_MAX = 40
"""Most rows of a list."""
WORK_MAX = 2**20
"""Most properties of tiles and tile objects that are counted."""
_TEXT_MAX = 30
_DEPTH_MAX = 64


def survey(
    document: Value, tilesets: Tilesets, templates: Templates, is_side: bool
) -> Sequence[str]:
    """The first line ends a sentence, the others list layers, tiles, classes and shapes."""
    found = _Survey(tilesets, templates)
    try:
        found.layers(document["layers"], "", False, 1)
    except MapError as fault:
        found.damage.append(fault.reason)
    return found.lines(is_side)


class _Survey:
    def __init__(self, tilesets: Tilesets, templates: Templates) -> None:
        self._tilesets = tilesets
        self._templates = templates
        self._cells = 0
        self._layers: dict[str, list[str]] = {}
        self._tiles: Counter[tuple[str, str]] = Counter()
        """Cells and tile objects by property and value."""
        self._classes: Counter[str] = Counter()
        self._names: Counter[str] = Counter()
        """Of objects."""
        self._numbers: dict[str, list[str]] = {}
        self._in_layers: Counter[int] = Counter()
        """Cells of tile layers by number."""
        self._shaped = self._work = 0
        self._unread: dict[str, MapError] = {}
        self.damage: list[str] = []

    def layers(self, layers: Value, outer: str, is_hidden: bool, depth: int) -> None:
        for layer in layers.items():
            with self._damage():
                self._layer(layer, outer, is_hidden, depth)

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except MapError as fault:
            self.damage.append(f"{fault.path}: {fault.reason}")

    def _layer(self, layer: Value, outer: str, is_hidden: bool, depth: int) -> None:
        name = name_of(layer)
        path = f"{outer}/{name}" if outer else name
        is_hidden = is_hidden or layer.get("visible", True).value is False
        kind = layer["type"].value
        if kind == "group" and depth < _DEPTH_MAX:
            self.layers(layer["layers"], path, is_hidden, depth + 1)
        elif kind == "objectgroup":
            self._objects(layer, name, is_hidden)
        elif kind == "tilelayer":
            self._tile_layer(layer, name, is_hidden)

    def _add_layer(self, name: str, what: str, is_hidden: bool) -> None:
        found = self._layers.setdefault(f"--solid-layer {_quoted(name)}", [])
        found.append(what + ", hidden" * is_hidden)

    def _objects(self, layer: Value, name: str, is_hidden: bool) -> None:
        kinds: Counter[str] = Counter()
        for item in layer["objects"].items():
            merged = self._templates.merged(item)
            kind = kind_of(merged)
            kinds[kind] += 1
            own = merged.get("type", "").value or merged.get("class", "").value
            if kind == "tile object":
                tilesets = self._templates.tilesets(item, self._tilesets)
                tile = self._tile(tilesets, merged["gid"].integer(0, 2**32 - 1))
                if tile is not None:
                    self._tile_has(tile, 1, properties_of(merged))
                own = own or (tile.kind if tile else "")
            called = merged.get("name", "").value
            if kind not in ("point", "text"):
                self._classes.update([str(own)] if own else [])
                self._names.update([str(called)] if called and kind != "entity" else [])
        what = ", ".join(_counted(n, kind) for kind, n in sorted(kinds.items()))
        self._add_layer(name, f"object layer: {what or 'empty'}", is_hidden)

    def _tile_layer(self, layer: Value, name: str, is_hidden: bool) -> None:
        cells: Counter[int] = Counter()
        for part in layer["chunks"].items() if "chunks" in layer else [layer]:
            width, height = (part[key].integer(0, WIDTH_MAX) for key in ("width", "height"))
            self._cells += width * height
            if self._cells > CELLS_MAX:
                raise part.fail(f"the map has more than {CELLS_MAX} cells")
            for row in rows_of(part["data"], layer, width, height):
                cells.update(row)
        numbers: Counter[int] = Counter()
        for cell, count in cells.items():
            numbers[cell & NUMBER] += count
        del numbers[0]
        self._add_layer(name, f"tile layer: {_counted(numbers.total(), 'tile')}", is_hidden)
        self._in_layers += numbers
        if len(numbers) > TILES_MAX:
            return
        used: dict[str, dict[int, int]] = {}
        for number, count in sorted(numbers.items()):
            tile = self._tile(self._tilesets, number)
            if tile is not None:
                used.setdefault(tile.tileset, {})[tile.id] = count
        for tileset, ids in used.items():
            text = f"--tiles {_quoted(f'{tileset}:{_spans(sorted(ids))}')}"
            each = ", ".join(f"{count} of {id}" for id, count in sorted(ids.items()))
            self._numbers.setdefault(text, []).append(f"in {_quoted(name)}: {each}")

    def _tile(self, tilesets: Tilesets, cell: int) -> Tile | None:
        try:
            return tilesets.tile(cell)
        except MapError as fault:
            self._unread[fault.reason] = fault
            return None

    def _tile_has(self, tile: Tile, count: int, own: MutableMapping[str, Value]) -> None:
        self._shaped += count if tile.shapes else 0
        if self._work > WORK_MAX:
            return
        properties = ChainMap(own, tile.properties)
        self._work += len(properties)
        for name, value in properties.items():
            self._tiles[name, text_of(value.value)] += count

    def _tiles_of_layers(self) -> None:
        for number, count in sorted(self._in_layers.items()):
            tile = self._tile(self._tilesets, number)
            if tile is not None:
                self._tile_has(tile, count, {})
                if tile.kind:
                    self._classes[tile.kind] += count

    def lines(self, is_side: bool) -> Sequence[str]:
        self._tiles_of_layers()
        sections = [
            [*map(_short, self._layers.items())],
            [*self._properties()],
            [*map(_short, self._numbers.items())],
            [(f"--class {_quoted(name)}", _counted(n, "object or tile", "objects or tiles"))
             for name, n in sorted(self._classes.items(), key=lambda row: (-row[1], row[0]))],
            self._named(),
            [("--shapes", _counted(self._shaped, "tile has", "tiles have") + " collision shapes")]
            * bool(self._shaped),
        ]  # fmt: skip
        rows = [row for section in sections for row in _few(section)]
        wide = max((len(option) for option, _ in rows), default=0)
        lines = ["Choose among these:" if rows else "It has no layers."]
        lines += [
            f"  {option:{min(wide, 40)}}  {what}" if option else f"  {what}"
            for option, what in rows
        ]
        lines += [f"  a damaged layer: {reason}" for reason in self.damage[:5]]
        lines += [f"  properties of more than {WORK_MAX}: some are not counted"] * (
            self._work > WORK_MAX
        )
        lines += self._unread_lines()
        if rows and not is_side:
            lines.append(
                "Seen from above, give also the heights of all solids, --y LOW,HIGH in units; seen "
                "from the side, --side."
            )
        if rows:
            lines.append(
                "NAME@3 puts the solids of a name on layer 3 of the world: one-way tiles, hazards. A "
                "slope without a collision shape: --slope TILES:LEFT,RIGHT, with heights of 0..1."
            )
        return lines

    def _named(self) -> list[tuple[str, str]]:
        """The names that most objects have: of a wall, not of the one who stands before it."""
        most = self._names.most_common(VALUES_MAX)
        rows = [(f"--object {_quoted(name)}", _counted(n, "object")) for name, n in most]
        more = len(self._names) - len(most)
        return rows + [("", f"and {_counted(more, 'other name')} of objects")] * bool(more)

    def _unread_lines(self) -> Iterator[str]:
        outside = [f for f in self._unread.values() if isinstance(f, OutsideError) and f.needed]
        if outside:
            folder = os.path.commonpath([os.path.realpath(fault.needed) for fault in outside])
            what = _counted(len(outside), "tileset is", "tilesets are")
            yield f"  {what} outside the map's folder: --root {_quoted(os.path.relpath(folder))}"
        for fault in [f for f in self._unread.values() if f not in outside][:5]:
            yield f"  a tileset cannot be read: {fault.reason}"
        if self._unread:
            yield "  without tilesets: whole cells, by --solid-layer with --whole-tiles"

    def _properties(self) -> Iterator[tuple[str, str]]:
        """Properties of the tiles that the map uses."""
        for name, values in groupby(sorted(self._tiles.items()), key=lambda row: row[0][0]):
            listed = [(value, count) for (_, value), count in values]
            true = sum(count for value, count in listed if is_true(value))
            if true:
                yield f"--tiles {_quoted(name)}", f"true for {_counted(true, 'tile')}"
            others = [row for row in listed if not is_true(row[0]) and row[0].lower() != "false"]
            short = [row for row in others if len(row[0]) <= _TEXT_MAX and row[0].isprintable()]
            for value, count in sorted(short, key=lambda row: -row[1])[:VALUES_MAX]:
                yield f"--tiles {_quoted(f'{name}={value}')}", _counted(count, "tile")


def _few(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    yield from rows[:ROWS_MAX]
    if len(rows) > ROWS_MAX:
        yield "", f"and {len(rows) - ROWS_MAX} more"


_PLAIN = re.compile(r"[\w@%+=:,./-]+")


def _quoted(text: str) -> str:
    """A text for a command line, without characters that could steer a terminal."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if _PLAIN.fullmatch(text) else shlex.quote(text)


def _short(row: tuple[str, Sequence[str]]) -> tuple[str, str]:
    """A row of layers of one name: the first few."""
    option, found = row
    more = len(found) - VALUES_MAX
    return option, "; ".join(found[:VALUES_MAX]) + (f"; and {more} more" if more > 0 else "")


def _counted(count: int, one: str, many: str = "") -> str:
    many = many or (f"{one[:-1]}ies" if one.endswith("y") else f"{one}s")
    return f"{count} {one if count == 1 else many}"


def _spans(ids: Sequence[int]) -> str:
    """Numbers as 0-3,7."""
    found: list[list[int]] = []
    for id in ids:
        if found and found[-1][1] == id - 1:
            found[-1][1] = id
        else:
            found.append([id, id])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in found)

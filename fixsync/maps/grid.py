"""Which cells of a tile layer are solid, and as what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from fixsync.maps.choice import Choice, Choices
from fixsync.maps.document import MapError
from fixsync.maps.outlines import Outline, Placing, kind_of, outlines
from fixsync.maps.solids import Run, runs_of
from fixsync.maps.tilesets import NUMBER, Tile, Tilesets, flipped

_SHAPED, _UNDECIDED, _LEFT = 255, 254, 253
_ONLY = [bytes(int(i == code) for i in range(256)) for code in range(256)]
"""Of each code, the table that makes it 1 and all others 0."""


class Grid:
    """The cells of one tile layer: whole ones as runs, and those that have shapes."""

    def __init__(
        self,
        tilesets: Tilesets,
        size: tuple[int, int],
        choices: Choices,
        layer_choice: Choice | None,
        is_taken: bool,
        tile_of: Callable[[Tilesets, int, bool], Tile | None],
    ) -> None:
        self._tilesets = tilesets
        self._size = size
        self._choices = choices
        self._layer_choice = layer_choice
        self._is_taken = is_taken
        self._tile_of = tile_of
        self._is_strict = bool(choices.tiles or choices.shapes) or (
            is_taken and not choices.whole_tiles
        )
        self._outlines: dict[int, list[Outline]] = {}
        self.codes = cache(self._code)
        self._groups: list[int | None] = []
        """Of each code, less 1, the layer of the world; None if the choice gives none."""
        self.runs: dict[int | None, dict[int, list[Run]]] = {}
        self.shaped: list[tuple[int, int, int]] = []
        """Column, row and cell of those with shapes."""
        self.tiles: dict[int, tuple[Tile, Choice | None]] = {}
        """The tile of each cell with shapes."""
        self.undecided = self.left_out = 0
        self.faults: list[MapError] = []

    def add(self, cells: Sequence[int], column: int, row: int) -> int:
        """Takes a row of cells in; returns how many runs it had."""
        codes = bytes(map(self.codes, cells))
        count = 0
        for code in {*codes}:
            if code == _LEFT:
                self.left_out += codes.count(code)
            elif code == _UNDECIDED:
                self.undecided += codes.count(code)
            elif code == _SHAPED:
                found = [(column + i, row, c) for i, c in enumerate(cells) if codes[i] == code]
                count += len(found)
                self.shaped += found
            elif code:
                runs = runs_of(codes.translate(_ONLY[code]))
                count += len(runs)
                places = ((column + a, column + b) for a, b in runs)
                group = self.runs.setdefault(self._groups[code - 1], {})
                group.setdefault(row, []).extend(places)
        return count

    def shapes(self, cell: int, tile: Tile, choice: Choice | None) -> list[Outline]:
        """The shapes of a cell whose corner is (0, 0)."""
        if cell not in self._outlines:
            width, height = self._size
            size = (Fraction(width), Fraction(height)) if tile.fills_cell else tile.seen(cell)
            placing = Placing().moved(0, height - size[1])  # its picture stands on the cell's floor
            line_width = self._choices.line_width
            self._outlines[cell] = shapes_of(tile, cell, size, choice, placing, line_width)
        return self._outlines[cell]

    def _code(self, cell: int) -> int:
        """0 for no tile, a group of whole cells, or one of the codes below."""
        if not cell & NUMBER:
            return 0
        choices = self._choices
        if not choices or (choices.whole_tiles and not choices.tiles and not choices.classes):
            return self._group(self._layer_choice) if self._is_taken else _LEFT
        try:
            tile = self._tile_of(self._tilesets, cell, self._is_strict)
        except MapError as fault:
            needed = choices.tiles or choices.shapes
            hint = "" if needed else " (--whole-tiles needs no tilesets)"
            self.faults.append(MapError(fault.file, fault.path, fault.reason + hint))
            return _LEFT
        choice = choices.tile(tile, tile.properties) if tile is not None else None
        has_shapes = tile is not None and bool(tile.shapes)
        if choice is None and not self._is_taken and not (choices.shapes and has_shapes):
            return _LEFT
        choice = choice or self._layer_choice
        is_slope = choice is not None and choice.heights is not None
        if tile is None:
            return self._group(choice)
        is_cell = not has_shapes or choices.whole_tiles or tile.is_whole(cell, *self._size)
        if is_cell and not is_slope:
            return self._group(choice)
        self.tiles[cell] = tile, choice
        return _SHAPED if is_slope or choices.shapes else _UNDECIDED

    def _group(self, choice: Choice | None) -> int:
        layer = None if choice is None else choice.layer
        if layer not in self._groups:
            self._groups.append(layer)
        return self._groups.index(layer) + 1


def shapes_of(
    tile: Tile,
    cell: int,
    size: tuple[Fraction, Fraction],
    choice: Choice | None,
    placing: Placing,
    line_width: Fraction | None,
) -> list[Outline]:
    """The area that a tile covers, in a cell or as an object: its collision shapes, or the part
    below a slope. `placing`: of the corner of its picture, which is stretched to a size."""
    placing = flipped(tile.drawn(cell, placing, size), cell, tile.width, tile.height)
    if choice is not None and choice.heights is not None:
        left, right = (tile.height * (1 - height) for height in choice.heights)
        zero = Fraction(0)
        ends = [(zero, tile.height), (tile.width, tile.height), (tile.width, right), (zero, left)]
        corners = [end for i, end in enumerate(ends) if end != ends[i - 1]]
        return [placing.outline(corners)]
    return [
        outline
        for item in tile.shapes
        for outline in outlines(
            item,
            kind_of(item),
            placing.moved(item["x"].fraction(), item["y"].fraction()).turned(
                item.get("rotation", 0).fraction()
            ),
            line_width,
        )
    ]

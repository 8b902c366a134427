"""Which parts of a map are solid: the choices that a command line or a program makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fixsync._native.raw import LAYER_COUNT
from fixsync.base.numbers import exact
from fixsync.base.strict_json import Number
from fixsync.maps.document import Made, Value
from fixsync.maps.tilesets import Tile

TEXT = 64
"""Characters of a text that count as a property."""
_LAYER = re.compile(r"(.+)@([0-9]{1,2})", re.DOTALL)
_NUMBERS = re.compile(
    r"(.+):([0-9]{1,9}(?:-[0-9]{1,9})?(?:,[0-9]{1,9}(?:-[0-9]{1,9})?)*)", re.DOTALL
)


def is_true(value: Any) -> bool:
    """Whether a property is true, also as the text that Tiled had before it had booleans."""
    return value is True or (isinstance(value, str) and value.lower() == "true")


def text_of(value: Any) -> str:
    """The text of a property's value, which a choice names."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def typed(name: str) -> str:
    """A name as an option takes it: with a layer of the world if it looks as if it had one."""
    return f"{name}@0" if _LAYER.fullmatch(name) else name


@dataclass(frozen=True)
class Choice:
    """One value of an option: a name, and the world's layer if one is given after "@"."""

    option: str
    text: str
    name: str
    layer: int | None
    heights: tuple[Fraction, Fraction] | None = None
    """Of a slope: how high the tile is solid on its left and on its right, 0..1."""

    @classmethod
    def slope(cls, text: str) -> Choice:
        """A choice of tiles with heights: TILES:LEFT,RIGHT."""
        chosen = cls.of("--slope", text)
        name, _, ends = chosen.name.rpartition(":")
        left, comma, right = ends.partition(",")
        try:
            heights = exact("a height", left), exact("a height", right)
            is_good = bool(name and comma) and all(0 <= h <= 1 for h in heights) and any(heights)
        except ValueError:
            is_good = False
        if not is_good:
            raise ValueError(f"--slope is TILES:LEFT,RIGHT with heights of 0..1, not {text!r}")
        return cls("--slope", text, name, chosen.layer, heights)

    @classmethod
    def of(cls, option: str, text: str) -> Choice:
        """ValueError if it has no name or a layer that the world does not have."""
        found = _LAYER.fullmatch(text)
        name, layer = (found[1], int(found[2])) if found else (text, None)
        if not name:
            raise ValueError(f"{option} needs a name, not {text!r}")
        if layer is not None and layer >= LAYER_COUNT:
            raise ValueError(f"{option} {text}: a layer is 0..{LAYER_COUNT - 1}, not {layer}")
        return cls(option, text, name, layer)

    def takes(self, tile: Tile, properties: Mapping[str, Value]) -> bool:
        """Whether a choice of tiles takes a tile with such properties."""
        if self.name in properties:
            return is_true(properties[self.name].value)
        name, equals, value = self.name.partition("=")
        if equals:
            return name in properties and text_of(properties[name].value) == value
        found = _NUMBERS.fullmatch(self.name)
        if not found or found[1] != tile.tileset:
            return False
        spans = (part.split("-") for part in found[2].split(","))
        return any(int(span[0]) <= tile.id <= int(span[-1]) for span in spans)


@dataclass(frozen=True)
class Choices:
    """Which parts are solid, as the options of the command say."""

    layers: tuple[Choice, ...] = ()
    tiles: tuple[Choice, ...] = ()
    """The slopes last, so that they win."""
    classes: tuple[Choice, ...] = ()
    objects: tuple[Choice, ...] = ()
    only: tuple[Choice, ...] = ()
    places: tuple[Choice, ...] = ()
    shapes: bool = False
    whole_tiles: bool = False
    line_width: Fraction | None = None
    is_alone: bool = False
    """Whether nothing is solid but what is chosen, even if nothing is."""
    used: set[Choice] = field(default_factory=set, compare=False)
    """The choices that took something."""

    @classmethod
    def of(cls, texts: Mapping[str, Iterable[str]], **rest: Any) -> Choices:
        def some(option: str, name: str) -> tuple[Choice, ...]:
            return tuple(Choice.of(option, text) for text in texts[name])

        return cls(
            some("--solid-layer", "solid_layers"),
            (*some("--tiles", "tiles"), *map(Choice.slope, texts["slopes"])),
            some("--class", "classes"),
            some("--object", "objects"),
            tuple(Choice("--only", text, text, None) for text in texts["only"]),
            tuple(Choice("--place", text, text, None) for text in texts["places"]),
            **rest,
        )

    def __bool__(self) -> bool:
        """Whether the solids are chosen."""
        chosen = self.layers or self.tiles or self.classes or self.objects or self.shapes
        return bool(chosen or self.is_alone)

    def unused(self) -> list[Choice]:
        """The choices that took nothing."""
        solid = (*self.layers, *self.tiles, *self.classes, *self.objects)
        return [c for c in (*solid, *self.only, *self.places) if c not in self.used]

    def layer(self, names: Iterable[str]) -> Choice | None:
        """The choice of a layer: the last that names it or a group it is in. `names`: outermost
        first; a path like "group/layer" names it too."""
        return self._last(self.layers, lambda choice: choice.name in names)

    def allows(self, names: Iterable[str]) -> bool:
        """Whether a layer is one that --only names."""
        return not self.only or self._last(self.only, lambda one: one.name in names) is not None

    def is_place(self, names: Iterable[str], kind: str, name: str) -> bool:
        """Whether an object is a place, by its layer, its class or its name."""
        known = {*names, kind, name}
        return self._last(self.places, lambda choice: choice.name in known) is not None

    def tile(self, tile: Tile, properties: Mapping[str, Value]) -> Choice | None:
        """The choice of a tile: the last of its properties, else the last of its class."""
        return self._last(self.tiles, lambda choice: choice.takes(tile, properties)) or self.kind(
            tile.kind
        )

    def kind(self, name: str) -> Choice | None:
        """The choice of a class."""
        return self._last(self.classes, lambda choice: choice.name == name) if name else None

    def named(self, item: Value) -> Choice | None:
        """The choice of an object by its name."""
        name = item.get("name", "").string() if self.objects else ""
        return self._last(self.objects, lambda choice: choice.name == name)

    def _last(self, choices: Iterable[Choice], is_it: Any) -> Choice | None:
        found = None
        for choice in choices:
            if is_it(choice):
                self.used.add(choice)
                found = choice
        return found


def class_of(item: Value) -> str:
    """The class of an object: `type` in most versions of Tiled, `class` in 1.9."""
    for key in ("type", "class"):
        if item.raw(key, "") != "":
            return item[key].string()
    return ""


def plain(value: Any, points: Callable[[Made], Any], count: Callable[[int], None]) -> Any:
    """A property's value without the classes of the reader. `points`: makes those of LDtk. `count`:
    is called with the size of each part before it is made."""
    if isinstance(value, Made):
        return points(value)
    if isinstance(value, str):
        count(len(value) // TEXT)
        return str(value) if isinstance(value, Number) else value
    if isinstance(value, list):
        count(len(value))
        return [plain(entry, points, count) for entry in value]
    if isinstance(value, dict):
        count(sum(1 + len(name) // TEXT for name in value))
        return {name: plain(entry, points, count) for name, entry in value.items()}
    return value

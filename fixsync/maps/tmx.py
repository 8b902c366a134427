"""Tiled's XML (.tmx, .tsx, .tx) as the document that its JSON would be.

Numbers stay the text that stands in the file. Nothing outside the file is read: an external DOCTYPE
is passed over, and one with declarations of its own is refused, so no entity is ever expanded."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn
from xml.parsers import expat

from fixsync.base.strict_json import LineError, Number

ELEMENTS_MAX = 2**17
"""Most elements of a file, cells not counted."""
NESTED_MAX = 256
"""How deep elements are nested."""

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_NUMBERS = frozenset(
    [
        *("firstgid", "gid", "height", "id", "offsetx", "offsety", "rotation"),
        *("tileheight", "tilewidth", "width", "x", "y"),
    ]
)
"""The attributes that are numbers."""
_CHILDREN = frozenset(["chunks", "data", "layers", "objects", "properties", "tiles", "tilesets"])
"""Keys that only elements within an element give: no attribute of these names is taken."""
_FLAGS = {"0": False, "1": True, "false": False, "true": True}

_Node = dict[str, Any]


def _number(text: str) -> Any:
    """The number that a text is, or the text, which is then refused where a number is wanted."""
    if _INTEGER.fullmatch(text):
        return int(text)
    is_number = _DECIMAL.fullmatch(text) or text.lower() in ("nan", "inf", "-inf")
    return Number(text) if is_number else text


def _node(attributes: dict[str, str]) -> _Node:
    own = ((k, v) for k, v in attributes.items() if k not in _CHILDREN)
    node: _Node = {k: _number(v) if k in _NUMBERS else v for k, v in own}
    for key in ("visible", "infinite"):
        if key in node:
            node[key] = _FLAGS.get(node[key], node[key])
    return node


class Points(str):
    """The points of a polygon or a line as the text that they are until they are needed."""

    __slots__ = ("is_closed", "length")

    def __init__(self, text: str) -> None:
        self.length = text.count(",")
        self.is_closed = self.length > 3 and text.split(None, 1)[0] == text.rsplit(None, 1)[-1]

    def split_up(self) -> Any:
        """A list as JSON has it, or the text if it holds something else."""
        pairs = [pair.split(",") for pair in self.split(maxsplit=self.length)]
        if any(len(pair) != 2 for pair in pairs):
            return str(self)
        return [{"x": _number(x), "y": _number(y)} for x, y in pairs]


def _value(kind: str, text: str) -> Any:
    """The value of a property of a type."""
    if kind == "bool":
        return _FLAGS.get(text, text)
    return _number(text) if kind in ("int", "float", "object") else text


_START: dict[str, Callable[[_Node], _Node]] = {
    "map": lambda node: {**node, "type": "map", "layers": [], "tilesets": []},
    "layer": lambda node: {**node, "type": "tilelayer"},
    "objectgroup": lambda node: {**node, "type": "objectgroup", "objects": []},
    "imagelayer": lambda node: {**node, "type": "imagelayer"},
    "group": lambda node: {**node, "type": "group", "layers": []},
    "template": lambda node: {**node, "type": "template"},
}
_LAYERS = ("layer", "objectgroup", "imagelayer", "group")
_KNOWN = frozenset(
    [
        *(*_START, "tileset", "tile", "object", "properties", "property", "data", "chunk"),
        *("ellipse", "point", "capsule", "polygon", "polyline", "text", "image", "tileoffset"),
    ]
)
_TEXT = ("data", "chunk", "property", "text")


class _Reading:
    """The document that a file is read into, and the open elements: tag, node and text of each."""

    def __init__(self) -> None:
        self.document: _Node = {}
        self._open: list[tuple[str, _Node, list[str]]] = []
        self._depth = self._count = 0
        self._skipped = 0
        """Depth of the element that is passed over, with all in it; 0 for none."""
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.SkippedEntityHandler = self._entity

    def fail(self, reason: str) -> NoReturn:
        parser = self.parser
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        raise LineError("", f"line {line}, column {column}: {reason}")

    def _doctype(
        self, _name: str, _system: str | None, _public: str | None, has_declarations: bool
    ) -> None:
        if has_declarations:
            self.fail("a DOCTYPE with declarations of its own is not read: entities may be a bomb")

    def _entity(self, name: str, _is_parameter: bool) -> None:
        self.fail(f"the entity &{name[:60]}; has no value: nothing outside the file is read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._skipped:
            return
        outer, node, _ = self._open[-1] if self._open else ("", {}, [])
        if tag == "tile" and outer in ("data", "chunk"):
            node.setdefault("data", []).append(_number(attributes.get("gid", "0")))
            self._skipped = self._depth
            return
        self._count += 1
        if self._count > ELEMENTS_MAX:
            self.fail(f"the file has more than {ELEMENTS_MAX} elements")
        if self._depth > NESTED_MAX:
            self.fail(f"elements are nested deeper than {NESTED_MAX}")
        if not outer and tag not in ("map", "tileset", "template"):
            self.fail(f"expected a map, a tileset or a template of Tiled, found <{tag[:60]}>")
        if tag not in _KNOWN:
            self._skipped = self._depth
            return
        made = _node(attributes)
        self._open.append((tag, _START[tag](made) if tag in _START else made, []))

    def _text(self, text: str) -> None:
        if self._open and not self._skipped and self._open[-1][0] in _TEXT:
            self._open[-1][2].append(text)

    def _end(self, _tag: str) -> None:
        if self._skipped:
            self._skipped = 0 if self._skipped == self._depth else self._skipped
            self._depth -= 1
            return
        self._depth -= 1
        tag, node, parts = self._open.pop()
        if self._open:
            self._place(tag, node, "".join(parts), self._open[-1][0], self._open[-1][1])
        else:
            self.document = node

    def _place(self, tag: str, node: _Node, text: str, outer: str, into: _Node) -> None:
        """Puts an element that has ended where JSON has it."""
        if tag in _LAYERS and outer in ("map", "group"):
            into["layers"].append(node)
        elif (tag, outer) in (("objectgroup", "tile"), ("tileset", "template")):
            into[tag] = node
        elif (tag, outer) == ("object", "template"):
            into["object"] = node
        elif (tag, outer) in (("tileset", "map"), ("tile", "tileset"), ("object", "objectgroup")):
            into.setdefault(f"{tag}s", []).append(node)
        elif tag == "properties":
            into["properties"] = node.get("properties", [])
        elif (tag, outer) == ("property", "properties"):
            kind = node.get("type", "string")
            made = node.get("properties", _value(kind, node.get("value", text)))
            into.setdefault("properties", []).append({**node, "type": kind, "value": made})
        elif tag in ("data", "chunk"):
            self._cells(tag, node, text, into, self._open[0][1].get("infinite") is True)
        elif tag in ("ellipse", "point", "capsule"):
            into[tag] = True
        elif tag in ("polygon", "polyline"):
            into[tag] = Points(node.get("points", ""))
        elif tag == "text":
            into["text"] = {"text": text}
        elif (tag, outer) == ("image", "tile"):
            into |= {f"image{k}": node[k] for k in ("width", "height") if k in node}
        elif tag == "tileoffset":
            into["tileoffset"] = node

    @staticmethod
    def _cells(tag: str, node: _Node, text: str, into: _Node, is_infinite: bool) -> None:
        """The cells of a layer or a chunk, a list or a text; without chunks, a layer may be empty."""
        if tag == "chunk":
            into.setdefault("chunks", []).append({**node, "data": node.get("data", text)})
            return
        into |= {k: node[k] for k in ("encoding", "compression") if k in node}
        if "chunks" in node or (is_infinite and not text.strip() and "data" not in node):
            into["chunks"] = node.get("chunks", [])
            for chunk in into["chunks"]:
                if "encoding" not in node and isinstance(chunk["data"], str):
                    chunk["data"] = []
        else:
            into["data"] = node.get("data", text if "encoding" in node else [])


def parse_xml(data: bytes) -> _Node:
    """The document of a map, a tileset or a template. LineError, with line and column."""
    reading = _Reading()
    try:
        reading.parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise LineError(
            "", f"not XML at line {error.lineno}, column {error.offset + 1}: {reason}"
        ) from None
    except (UnicodeError, LookupError, ValueError) as error:  # of an encoding
        raise LineError("", f"not XML: {error}") from None
    return reading.document

"""The files of a map, in JSON or XML, as values that know their place in them."""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Callable, Iterator, MutableMapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from fixsync.base import strict_json
from fixsync.base.strict_json import LineError, key_path
from fixsync.maps.tmx import parse_xml

SIZE_MAX = 2**25
"""Most bytes of a map and of the files that it names together."""
DECIMALS_MAX = 2**21
"""Most numbers of a file in JSON that are not written as integers."""
PIXELS_MAX = 10**9
"""Greatest number of pixels that a map may name."""
NUMBER_MAX = 64
"""Most characters of a number, and its most distant decimal place."""
_LONG = f"a number has at most {NUMBER_MAX} characters and decimal places"


class MapError(Exception):
    """An error at a place: the file, the path of the value in it, and the reason."""

    def __init__(self, file: str, path: str, reason: str, called: str = "") -> None:
        super().__init__(file, path, reason)
        self.file = file
        self.path = path
        self.reason = reason
        self.called = called
        """The object that the place is in."""


class OutsideError(MapError):
    """A map names a file outside the folder. `needed`: the nearest folder that has both, or ""."""

    def __init__(self, where: Value, name: str, root: Path, path: str) -> None:
        target = Path(path).resolve()
        self.needed = _common(target, root)
        is_link = target != Path(path).parent.resolve() / Path(path).name
        link = " is a link to a file that" if is_link else ""
        takes = f": --root {self.needed} takes it" if self.needed else ""
        super().__init__(
            where.file,
            where.path,
            f"{strict_json.shown(name)}{link} is outside the folder {root}{takes}",
        )


class Made(dict[str, Any]):
    """An object that no file has, made of one that a file has: faults name that one."""

    __slots__ = ("source",)

    def __init__(self, source: Value, **members: Any) -> None:
        super().__init__(members)
        self.source = source


class Value:
    """A value of a file and its path, which faults name. `key`: the path, or the key or index in
    `outer`: the path is put together only for a fault."""

    __slots__ = ("_file", "_key", "_outer", "value")

    def __init__(self, file: str, key: str | int, value: Any, outer: Value | None = None) -> None:
        self.value = value
        self._file = file
        self._key = key
        self._outer = outer

    @property
    def file(self) -> str:
        if isinstance(self.value, Made):
            return self.value.source.file
        return self._file if self._outer is None else self._outer.file

    @property
    def path(self) -> str:
        if isinstance(self.value, Made):
            return self.value.source.path
        if self._outer is None:
            return str(self._key)
        if isinstance(self._key, int):
            return f"{self._outer.path}[{self._key}]"
        made, key = self._outer.value, self._key
        if isinstance(made, Made) and f"__{key}" in made.source:  # LDtk's fields
            key = f"__{key}"
        return key_path(self._outer.path, key)

    def called(self) -> str:
        """The object that the value is or is in, by its number, name and class; "" if in none."""
        outer, item = self._outer, self.value
        if outer is None:
            return ""
        if outer._key not in ("objects", "entityInstances") or not isinstance(item, dict):
            return outer.called()
        words = [self.raw(key, "") for key in ("name", "type", "class", "__identifier")]
        named = dict.fromkeys(repr(word) for word in words if type(word) is str and word)
        return " ".join(["object", str(self.raw("id", self.raw("iid", ""))), *named])

    def fail(self, reason: str) -> MapError:
        return MapError(self.file, self.path, reason, self.called())

    def expected(self, what: str) -> MapError:
        return self.fail(f"expected {what}, found {strict_json.shown(self.value)}")

    def __contains__(self, key: str) -> bool:
        value = self.value
        return key in (value if type(value) is dict else self.members())

    def members(self) -> dict[str, Any]:
        if isinstance(self.value, strict_json.RepeatedKey):
            raise MapError(self.file, key_path(self.path, self.value.key), "duplicate key")
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        return self.value

    def __getitem__(self, key: str) -> Value:
        if key not in self:
            raise MapError(self.file, key_path(self.path, key), "the key is missing")
        return self.get(key, None)

    def get(self, key: str, default: Any) -> Value:
        """The value of a key, or the default."""
        return Value("", key, Value.raw(self, key, default), self)

    def raw(self, key: str, default: Any = None) -> Any:
        """`get(key, default).value`: for what is looked at more often than it is at fault."""
        value = self.value
        return (value if type(value) is dict else self.members()).get(key, default)

    def number(self, key: str, default: int | None = None, low: int = -PIXELS_MAX) -> Fraction:
        """The number of a key, or the default; without one the key must be there."""
        value = self.raw(key, default)
        if type(value) is int and low <= value <= PIXELS_MAX:
            return _whole(value)
        return (self[key] if default is None else self.get(key, default)).fraction(low)

    def has_any(self, keys: frozenset[str]) -> bool:
        return not keys.isdisjoint(self.members())

    def items(self) -> Iterator[Value]:
        if not isinstance(self.value, list):
            raise self.expected("a list")
        for i, value in enumerate(self.value):
            yield Value("", i, value, self)

    def string(self) -> str:
        if type(self.value) is not str:
            raise self.expected("a string")
        if self.value.isascii():
            return self.value
        try:
            strict_json.check_string(self.value, "")
        except LineError as wrong:
            raise self.fail(wrong.reason) from None
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def integer(self, low: int, high: int) -> int:
        value = self.value
        if type(value) is not int or not low <= value <= high:
            raise self.expected(f"an integer of {low}..{high}")
        return value

    def fraction(self, low: int = -PIXELS_MAX, high: int = PIXELS_MAX) -> Fraction:
        """A number as it stands in the file."""
        value = self.value
        if type(value) is int and low <= value <= high:
            return _whole(value)
        if isinstance(value, Fraction) and low <= value <= high:
            return value
        is_number = type(value) is int or isinstance(value, strict_json.Number)
        if is_number and len(str(value)) > NUMBER_MAX:
            raise self.fail(_LONG)
        try:
            found = Decimal(value if is_number else "NaN")
        except InvalidOperation:  # an exponent that no Decimal has
            found = Decimal("NaN")
        if not found.is_finite() or not low <= found <= high:
            raise self.expected(f"a number of {low}..{high}")
        # Before it is a fraction, because that of 1e-999999999 would fill the memory.
        if found and found.adjusted() < -NUMBER_MAX:
            raise self.fail(_LONG)
        return Fraction(*found.as_integer_ratio()) if found else Fraction(0)


_whole: Callable[[int], Fraction] = lru_cache(2**12)(Fraction)
"""The fraction of an integer. A map has few different ones, and a fraction takes long to make."""
_CLASS = frozenset(["class", "type"])
_SHAPE = frozenset(["capsule", "ellipse", "point", "polygon", "polyline", "text"])


class Instance(Value):
    """An object of a template: each value that it does not have is the template's, at its place in
    the template's file. Nothing is copied, so many objects of one template cost no more."""

    __slots__ = ("_base", "_base_properties", "_own")

    def __init__(
        self, own: Value, base: Value, base_properties: MutableMapping[str, Value]
    ) -> None:
        super().__init__(own._file, own._key, own.value, own._outer)
        self._base = base
        self._base_properties = base_properties
        self._own = {*own.members()}
        """The keys that are not the template's. A tile number of 0 is not one of them."""
        for alike in (_CLASS, _SHAPE):
            if alike & self._own:
                self._own |= alike
        if not own.get("gid", None).value:
            self._own.discard("gid")

    def __contains__(self, key: str) -> bool:
        return super().__contains__(key) or (key not in self._own and key in self._base)

    def has_any(self, keys: frozenset[str]) -> bool:
        return any(key in self for key in keys)

    def get(self, key: str, default: Any) -> Value:
        if key not in self._own and key in self._base:
            return self._base.get(key, default)
        return super().get(key, default)

    def raw(self, key: str, default: Any = None) -> Any:
        if key not in self._own and key in self._base:
            return self._base.raw(key, default)
        return super().raw(key, default)

    @property
    def properties(self) -> MutableMapping[str, Value]:
        own = _properties(super().get("properties", []))
        return ChainMap(own, self._base_properties) if own else self._base_properties


def name_of(layer: Value) -> str:
    """The name of a layer, or its number after "#"."""
    return layer.get("name", "").string() or f"#{layer.get('id', '').value}"


def properties_of(owner: Value) -> MutableMapping[str, Value]:
    """The custom properties of something, by name."""
    if isinstance(owner, Instance):
        return owner.properties
    return _properties(owner.get("properties", []))


def _properties(found: Value) -> dict[str, Value]:
    """Those of a list, or of an object as before Tiled 1.2."""
    if isinstance(found.value, dict):
        return {name: found[name] for name in found.members()}
    return {entry["name"].string(): entry["value"] for entry in found.items()}


class Files:
    """The files that a map may read: those in one folder, at most SIZE_MAX bytes together."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.opened: list[str] = []
        self._left = SIZE_MAX

    def open(self, path: str) -> Value:
        """The document of a file. MapError if it is neither JSON nor XML, OSError as usual."""
        self.opened.append(path)
        with Path(path).open("rb") as file:
            is_large = os.fstat(file.fileno()).st_size > self._left
            data = b"" if is_large else file.read(self._left + 1)
        if is_large or len(data) > self._left:
            raise MapError(path, "", f"with it the map has more than {SIZE_MAX} bytes of files")
        self._left -= len(data)
        is_xml = _XML.match(data) is not None
        try:
            found = parse_xml(data) if is_xml else _json(data)
        except LineError as wrong:
            saved = "" if wrong.path else "not a map or a sheet: "
            raise MapError(path, wrong.path, f"{saved}{wrong.reason}") from None
        return Value(path, "", found)

    def named(self, reference: Value) -> Value:
        """The document that a file names, which must be inside the folder."""
        name = reference.string().replace("\\", "/")
        path = os.path.normpath(Path(reference.file).parent / name)
        try:
            is_file = Path(path).is_file()
            is_inside = Path(path).resolve().is_relative_to(self.root.resolve())
        except (OSError, RuntimeError, ValueError) as error:
            raise reference.fail(f"{strict_json.shown(name)} cannot be found: {error}") from None
        if not is_file:
            raise reference.fail(f"the file {strict_json.shown(name)} is missing")
        if not is_inside:
            raise OutsideError(reference, name, self.root, path)
        try:
            return self.open(path)
        except OSError as error:
            raise reference.fail(f"{strict_json.shown(name)}: {error.strerror}") from None


def _json(data: bytes) -> dict[str, Any]:
    """The object of a file, which may begin with a byte order mark."""
    if data[4:6] == b"\xe0\xa5":
        raise LineError("", "a sprite of Aseprite: export data with --list-tags --list-slices")
    # Before they are made: each is slower than an integer.
    if sum(data.count(b"%d%c" % (digit, c)) for digit in range(10) for c in b".eE") > DECIMALS_MAX:
        raise LineError("", f"more than {DECIMALS_MAX} numbers with a point or an exponent")
    return strict_json.parse_document(data.removeprefix(b"\xef\xbb\xbf"))


_XML = re.compile(rb"(\xef\xbb\xbf)?[ \t\r\n]*<|\xff\xfe|\xfe\xff")
"""The first bytes of XML, in UTF-8 or UTF-16."""


def _common(target: Path, root: Path) -> str:
    """The nearest folder that has both, or "" if they have none. `target`: no link is in it."""
    try:
        found = os.path.commonpath([target.parent, root.resolve()])
        return os.path.relpath(found)
    except ValueError:  # two drives
        return ""

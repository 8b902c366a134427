"""The strict parser of one line of JSON, and its check against a msgspec type.

msgspec decodes fast and its errors say little. This parser is slow and its errors say all: the path
of the first wrong value, the value, and what is allowed. It also finds two faults that msgspec does
not find: keys that stand twice, and -0."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta, Struct, inspect

LayerIndex = Annotated[int, Meta(ge=0, le=31)]


class Row(Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """A JSON array: its tag if it has one, then its fields in order."""


class LineError(Exception):
    """An error in a line: the path of the value ("" for the line as a whole) and why.

    `in_header`: the line is the header, whatever line is being read."""

    def __init__(self, path: str, reason: str, *, in_header: bool = False) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self.in_header = in_header


class Number(str):
    """The text of a number that a log may not have: 1.0, 1e5, NaN, -0."""


class _BigInteger(Number):
    """The text of an integer with more digits than `parse` was allowed to read."""


class RepeatedKey(dict[str, Any]):
    """An object in which `key` is duplicate."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            return RepeatedKey(key)
        result[key] = value
    return result


def parse(line: bytes, *, digits_max: int = 20) -> dict[str, Any]:
    """The object on a line, given without its line feed. LineError for anything but a JSON object
    in UTF-8."""
    if line.startswith(b"\xef\xbb\xbf"):
        raise LineError("", "a byte order mark; the format is UTF-8 without one")
    if b"\r" in line:
        raise LineError("", "a carriage return; a line ends with a line feed alone")
    if not line.strip(b" \t"):
        raise LineError("", "a blank line")
    if line.strip(b" \t") != line:
        raise LineError("", "white space at the start or the end of the line")
    return parse_document(line, digits_max=digits_max)


_ODD = re.compile(rb"[0-9]{20}|-0(?![.0-9eE])")
"""Integers that are not read as they stand."""


def parse_document(data: bytes, *, digits_max: int = 20) -> dict[str, Any]:
    """The object of a JSON file, with any white space. LineError for anything but a JSON object in
    UTF-8."""

    def integer(text: str) -> int | Number:
        if len(text) <= digits_max and text != "-0":
            return int(text)
        if text == "-0":
            return Number(text)
        digits = len(text) - text.startswith("-")
        return _BigInteger(text) if digits > digits_max else int(text)

    # Of a large file, that its integers are plain is found out once, and not of each.
    is_plain = len(data) > 2**16 and digits_max >= 20 and not _ODD.search(data)
    try:
        value = json.loads(
            data.decode("utf-8"),
            parse_int=None if is_plain else integer,
            parse_float=Number,
            parse_constant=Number,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as error:
        raise LineError(
            "", f"byte {error.start + 1}, 0x{data[error.start]:02x}, is not UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise LineError("", f"not JSON at {line}column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise LineError("", "lists or objects nested too deep") from None
    if isinstance(value, RepeatedKey):
        raise LineError(key_path("", value.key), "duplicate key")
    if not isinstance(value, dict):
        raise LineError("", f"expected an object, found {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A value as the line has it, short enough for a message."""
    if isinstance(value, RepeatedKey):
        return "an object"
    try:
        text = str(value) if isinstance(value, Number) else json.dumps(value)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: Any) -> str:
    if isinstance(value, _BigInteger):
        return "an integer"
    if isinstance(value, Number):
        return "a number"
    if isinstance(value, bool):
        return "true or false"
    if value is None:
        return "null"
    return {int: "an integer", str: "a string", list: "a list"}.get(type(value), "an object")


def _expected_kind(schema: inspect.Type) -> str:
    if isinstance(schema, inspect.StructType):
        return "a list" if schema.array_like else "an object"
    return _KINDS[type(schema)][0]


def check(value: Any, schema: inspect.Type, path: str = "") -> None:
    """LineError about the first value, in the order of the line, that is not as the schema says."""
    if isinstance(value, RepeatedKey):
        raise LineError(key_path(path, value.key), "duplicate key")
    options = schema.types if isinstance(schema, inspect.UnionType) else (schema,)
    fitting = [option for option in options if _expected_kind(option) == _kind(value)]
    if not fitting:
        expected = " or ".join(dict.fromkeys(_expected_kind(option) for option in options))
        raise LineError(path, f"expected {expected}, found {shown(value)}")
    # Only lists leave a choice: rows that start with a tag.
    option = fitting[0] if len(fitting) == 1 else _tagged(value, fitting, path)
    if isinstance(option, inspect.StructType):
        (_check_row if option.array_like else _check_object)(value, option, path)
    else:
        _KINDS[type(option)][1](value, option, path)


def key_path(path: str, key: str) -> str:
    """The path of a key of the object at `path`. A key that is not a plain word is quoted."""
    word = key if len(key) <= 60 and key.isascii() and key.isidentifier() else shown(key)
    return f"{path}.{word}" if path else word


def check_string(value: Any, path: str) -> None:
    """LineError for anything but a string, and for a string that UTF-8 cannot hold."""
    if _kind(value) != "a string":
        raise LineError(path, f"expected a string, found {shown(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise LineError(path, f"half of a surrogate pair in {shown(value)}") from None


def _check_integer(value: Any, schema: Any, path: str) -> None:
    low, high = schema.ge, schema.le
    if isinstance(value, _BigInteger):
        raise LineError(
            path,
            f"{shown(value)} has too many digits" if high is None else _outside(value, low, high),
        )
    if (low is not None and value < low) or (high is not None and value > high):
        raise LineError(path, _outside(value, low, high))


def _outside(value: Any, low: int, high: int) -> str:
    return f"{shown(value)} is not in {low}..{high}"


def _check_list(value: Any, schema: Any, path: str) -> None:
    for i, item in enumerate(value):
        check(item, schema.item_type, f"{path}[{i}]")


def _check_tuple(value: Any, schema: Any, path: str) -> None:
    if len(value) != len(schema.item_types):
        raise LineError(path, f"expected {len(schema.item_types)} values, found {len(value)}")
    for i, (item, item_type) in enumerate(zip(value, schema.item_types, strict=True)):
        check(item, item_type, f"{path}[{i}]")


def _tagged(value: Any, rows: list[Any], path: str) -> inspect.Type:
    tags = [row.tag for row in rows]
    tag = value[0] if value else None
    if not isinstance(tag, str) or isinstance(tag, Number) or tag not in tags:
        found = shown(tag) if value else "an empty list"
        raise LineError(f"{path}[0]", f"expected one of {', '.join(tags)}, found {found}")
    row: inspect.Type = rows[tags.index(tag)]
    return row


def _check_row(value: Any, schema: inspect.StructType, path: str) -> None:
    names = [field.name for field in schema.fields]
    needed = sum(field.required for field in schema.fields)
    if schema.tag is not None:
        names, needed = [shown(schema.tag), *names], needed + 1
    if not needed <= len(value) <= len(names):
        between = " or " if len(names) - needed == 1 else ".."
        count = str(needed) if needed == len(names) else f"{needed}{between}{len(names)}"
        reason = f"expected {count} values ({', '.join(names)}), found {len(value)}"
        raise LineError(path, reason)
    start = len(names) - len(schema.fields)
    for i, field in enumerate(schema.fields[: len(value) - start], start):
        check(value[i], field.type, f"{path}[{i}]")
    last_fault = getattr(schema.cls, "last_fault", None)
    if last_fault is not None and (fault := last_fault(value[start:])):
        raise LineError(f"{path}[{len(value) - 1}]", f"{names[len(value) - 1]} {fault}")


def _check_object(value: Any, schema: inspect.StructType, path: str) -> None:
    fields = {field.encode_name: field for field in schema.fields}
    for key, item in value.items():
        if key not in fields:
            raise LineError(key_path(path, key), f"an unknown key; known are {', '.join(fields)}")
        check(item, fields[key].type, key_path(path, key))
    for key, field in fields.items():
        if field.required and key not in value:
            raise LineError(key_path(path, key), "the key is missing")


def _check_nothing(_value: Any, _schema: Any, _path: str) -> None:
    """For a type with one value, and for one that its owner checks."""


_KINDS: dict[type[inspect.Type], tuple[str, Callable[[Any, Any, str], None]]] = {
    inspect.IntType: ("an integer", _check_integer),
    inspect.StrType: ("a string", lambda value, _schema, path: check_string(value, path)),
    inspect.BoolType: ("true or false", _check_nothing),
    inspect.NoneType: ("null", _check_nothing),
    inspect.ListType: ("a list", _check_list),
    inspect.TupleType: ("a list", _check_tuple),
    inspect.DictType: ("an object", _check_nothing),
}
"""The name of a JSON value of each type, and its check."""


DEPTH_MAX = 64
"""How deep `check_plain` allows lists and objects to be nested."""


def check_plain(value: Any, path: str, depth: int = 0) -> None:
    """LineError unless the value is a string, an integer, a boolean, or a list or object of
    these."""
    if isinstance(value, RepeatedKey):
        raise LineError(key_path(path, value.key), "duplicate key")
    if isinstance(value, _BigInteger):
        raise LineError(path, f"{shown(value)} has too many digits")
    if value is None or isinstance(value, Number):
        expected = "a string, an integer, a boolean, a list or an object"
        raise LineError(path, f"expected {expected}, found {shown(value)}")
    if depth > DEPTH_MAX:
        raise LineError("", f"lists or objects nested deeper than {DEPTH_MAX}")
    if isinstance(value, str):
        check_string(value, path)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            check_plain(item, f"{path}[{i}]", depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            check_string(key, key_path(path, key))
            check_plain(item, key_path(path, key), depth + 1)

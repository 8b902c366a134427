"""Objects that a simulation holds beside its state: generators, bodies, handlers, and other objects
that save themselves. Each is saved as rows of a key and bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from fixsync._native.checks import shown
from fixsync._native.state import MAGICS
from fixsync.fields import GroupKey, StateFields, Value, byte_fields, world_fields
from fixsync.game.handlers import Handlers
from fixsync.game.random import Random

__all__ = ["Rows", "fields_of", "load", "save"]

Rows: TypeAlias = list[tuple[int | str, bytes]]
"""Of an attribute: for each part its key in a dict, or its place in a list, and its bytes."""

_RANDOM, _HANDLERS, _BODY = b"FXR1", b"FXH1", b"FXB1"


class _Part(NamedTuple):
    key: int | str
    part: Any


def _parts(name: str, value: Any) -> list[_Part]:
    """ValueError for keys without an order that all peers share."""
    if isinstance(value, dict):
        if {type(key) for key in value} - {int} and {type(key) for key in value} - {str}:
            raise ValueError(f"keys of {name} must be all int or all str, not {shown([*value])}")
        return [_Part(key, value[key]) for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [_Part(i, part) for i, part in enumerate(value)]
    return [_Part(0, value)]


def save(name: str, value: Any) -> Rows:
    """The rows of an attribute. ValueError if a part cannot be saved."""
    if type(value) is Random:  # the usual one, fast
        return [(0, _RANDOM + value.state.to_bytes(8, "little"))]
    return [(key, _saved(name, part)) for key, part in _parts(name, value)]


def _saved(name: str, part: Any) -> bytes:
    if isinstance(part, Random):
        return _RANDOM + part.state.to_bytes(8, "little")
    if isinstance(part, Handlers):
        return _HANDLERS + b"".join(struct.pack("<2I", *row) for row in part.state())
    if callable(getattr(part, "save", None)) and callable(getattr(part, "load", None)):
        return bytes(part.save())
    raise ValueError(
        f"{name} must hold parts with save and load, a Random or a Handlers, not {shown(part)}"
    )


def load(name: str, value: Any, rows: Rows, undo: list[Callable[[], None]]) -> None:
    """Loads the parts one by one, and adds to `undo` a function that restores each. ValueError for
    rows that these parts did not save."""
    parts = _parts(name, value)
    here, there = [part.key for part in parts], [key for key, _ in rows]
    if here != there:
        raise ValueError(f"{name} must hold {shown(here)} as here, not {shown(there)}")
    for (key, part), (_, data) in zip(parts, rows, strict=True):
        before = _saved(name, part)
        if data == before:
            continue
        place = name if part is value else f"{name}[{key!r}]"
        try:
            _load(part, data)
        except ValueError as wrong:
            raise ValueError(f"{place}: {wrong}") from wrong
        undo.append(partial(_load, part, before))
        if _saved(name, part) != data:
            raise ValueError(f"{place}: not the bytes that save gives for it")


def _load(part: Any, data: bytes) -> None:
    if isinstance(part, Random):
        if len(data) != 12 or data[:4] != _RANDOM:
            raise ValueError(f"must be the 12 bytes of a generator, not {shown(data)}")
        part.state = int.from_bytes(data[4:], "little")
    elif isinstance(part, Handlers):
        if data[:4] != _HANDLERS or len(data) % 8 != 4:
            raise ValueError(f"must be the bytes of handlers, not {shown(data)}")
        part.restore(struct.iter_unpack("<2I", data[4:]))
    else:
        part.load(data)


def fields_of(name: str, rows: Rows) -> StateFields:
    """The rows as named fields. ValueError for bytes that are none of a known part."""
    is_one = len(rows) == 1 and rows[0][0] == 0
    found: dict[GroupKey, dict[str, Value]] = {}
    for key, data in rows:
        group: GroupKey = (name,) if is_one else (name, key)
        if data[:4] == _RANDOM and len(data) == 12:
            found[group] = {"state": int.from_bytes(data[4:], "little")}
        elif data[:4] == _HANDLERS and len(data) % 8 == 4:
            hits = struct.iter_unpack("<2I", data[4:])
            found[group] = {f"layer[{id}]": layer for id, layer in hits}
        elif data[:4] == _BODY and len(data) >= 24 and len(data) % 4 == 0:
            found[group] = _body_fields(data)
        elif data.startswith(MAGICS):
            for inner, values in world_fields(data).items():
                found[group + inner] = dict(values)
        else:
            for inner, values in byte_fields(data).items():
                found[group + inner] = dict(values)
    return found


def _body_fields(data: bytes) -> dict[str, Value]:
    is_mirrored, attack, frame, has_hit, _, *victims = struct.unpack_from(
        f"<{len(data) // 4 - 1}I", data, 4
    )
    return {
        "is_mirrored": is_mirrored,
        "attack": "None" if attack == 2**32 - 1 else attack,
        "attack_frame": frame,
        "has_hit": has_hit,
        **{f"victims[{i}]": victim for i, victim in enumerate(victims)},
    }

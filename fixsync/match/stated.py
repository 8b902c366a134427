"""`Stated`: a simulation whose state is declared."""

from __future__ import annotations

import inspect
import struct
import sys
import types
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias

import msgspec

from fixsync._native.checks import shown
from fixsync._native.raw import UINT32_MAX
from fixsync._native.rows import Buffer, bytes_of
from fixsync._native.state import MAGICS
from fixsync.base.fields import GroupKey, StateFields, Value, byte_fields, world_fields
from fixsync.game.handlers import Handlers
from fixsync.game.random import Random
from fixsync.match.declared import Part, State
from fixsync.match.sim import hash_of
from fixsync.world.world import World

_MAGIC = b"FXD1"
_HEAD = 12
"""Bytes of the magic, and the digest of the declaration. Then come the number of bytes of the
MessagePack, a uint32 in little-endian, the MessagePack, and the world."""
_WRONG = (
    msgspec.MsgspecError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""The errors of msgspec for values and bytes that it refuses."""


Rows: TypeAlias = list[tuple[int | str, bytes]]
"""Of an attribute: for each part its key in a dict, or its place in a list, and its bytes."""
_Row: TypeAlias = tuple[Any, ...]
"""The parts that are saved beside the world: the state, and the rows of each attribute of
`held`."""


class _Refused(Exception):  # noqa: N818 - it never leaves this module
    """A row does not come back from its bytes."""


class _Plan(NamedTuple):
    """How a class saves."""

    declared: type[State]
    held: tuple[str, ...]
    head: bytes
    encode: Callable[[_Row], bytes]
    decode: Callable[[bytes], _Row]
    pack: Callable[[_Row], bytes]
    """All bytes but the world's. _Refused for a row that does not come back."""

    @property
    def part(self) -> Part:
        return self.declared.__part__


class Stated:
    """Base class of simulations with a declared state: it gives `save`, `load`, `hash` and
    `state_fields`.

    A class declares `state: Fight`, where `Fight` is its `State`, and its `__init__` sets `state`
    and `world`. TypeError if it does not declare one.

    `load` makes a new `state`: read `self.state` anew in each step, and keep no part of it under
    another name."""

    state: State
    world: World
    held: ClassVar[tuple[str, ...]] = ()
    """Names of attributes that are saved beside `state` and `world`: each a `Random`, a `Body`, a
    `Handlers`, anything else with `save` and `load`, or a list, tuple or dict of these. The
    constructor makes them; `load` gives them their state, and does not add or remove any."""

    _plan: ClassVar[_Plan]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        frame = sys._getframe(1)
        cls._plan = _planned(cls, {**frame.f_globals, **frame.f_locals})

    def _held(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError as error:
            raise AttributeError(
                f"held names {name!r}, which {type(self).__name__} has not: {error}"
            ) from error

    def check(self) -> None:
        """Called by `load` when everything is loaded: raise ValueError for a state in which the
        game could not go on, such as one with another number of players. Everything is then as
        before. By default it accepts all."""

    def save(self) -> bytes:
        """The state, what is `held`, and the world: the same bytes on every platform. ValueError,
        with the field, its value and the allowed ones, if a value is not as declared."""
        rows = [_rows_of(name, self._held(name)) for name in self.held] if self.held else ()
        row = (self.state, *rows)
        try:
            return self._plan.pack(row) + self.world.save()
        except _Refused as refused:
            reason = self._plan.part.fault(self.state, "", False)
            wrong = refused.__cause__ or shown(self.state)
            raise ValueError(reason or f"the state cannot be saved: {wrong}") from None

    def load(self, data: Buffer) -> None:
        """Restores the bytes of `save`. ValueError, with nothing changed, for other bytes, those of
        another declaration among them, and if `check` refuses."""
        plan = type(self)._plan
        (saved, *held), world = _read(plan, bytes_of("data", data))
        undo: list[Callable[[], None]] = []
        state = self.state
        try:
            for name, rows in zip(plan.held, held, strict=True):
                _load_rows(name, self._held(name), rows, undo)
            if type(self).check is Stated.check:
                self.world.load(world)
                self.state = saved
                return
            before = self.world.save()
            self.world.load(world)
            undo.append(lambda: self.world.load(before))
            self.state = saved
            self.check()
        except BaseException:
            self.state = state
            for bring_back in reversed(undo):
                bring_back()
            raise

    def hash(self) -> int:
        """XXH64 of the bytes of `save`."""
        return hash_of(self.save())

    @classmethod
    def state_fields(cls, state: bytes) -> StateFields:
        """The bytes of `save` as named fields: the world's, then ("state",) and a group for each
        State within it, such as ("fighters", 0), then what is held. ValueError for other bytes."""
        plan = cls._plan
        (saved, *held), world = _read(plan, bytes_of("state", state))
        found: dict[GroupKey, Mapping[str, Value]] = dict(world_fields(world))
        found.update(plan.part.groups(saved))
        for name, rows in zip(plan.held, held, strict=True):
            found.update(_fields_of_rows(name, rows))
        return found


def _planned(cls: type[Stated], known: Mapping[str, Any]) -> _Plan:
    name = cls.__name__
    declared = None
    for base in cls.__mro__[:-1]:
        if base is not Stated and "state" in (own := inspect.get_annotations(base)):
            declared = own["state"]
            if isinstance(declared, str):
                scope = {**vars(sys.modules[base.__module__]), **known}
                declared = eval(declared, scope)  # noqa: S307 - the class's own source
            break
    if not (isinstance(declared, type) and issubclass(declared, State) and declared is not State):
        given = "nothing" if declared is None else shown(declared)
        raise TypeError(f"{name} must declare `state: ` and its State, not {given}")
    if not isinstance(cls.held, tuple) or not all(isinstance(one, str) for one in cls.held):
        raise TypeError(f"{name}.held must be a tuple of names, not {shown(cls.held)}")
    wrong = [one for one in cls.held if one in ("state", "world") or not one.isidentifier()]
    if wrong or len(set(cls.held)) != len(cls.held):
        raise TypeError(
            f"{name}.held must be different names of attributes, without state and world, which"
            f" are always saved, not {shown(cls.held)}"
        )
    text = f"{declared.__part__.text}; held: {', '.join(cls.held)}"
    head = _MAGIC + hash_of(text.encode()).to_bytes(8, "little")
    row = types.GenericAlias(tuple, (declared, *[Rows] * len(cls.held)))
    encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(row).decode
    return _Plan(declared, cls.held, head, encode, decode, _packer(head, encode, decode))


def _packer(
    head: bytes, encode: Callable[[_Row], bytes], decode: Callable[[bytes], _Row]
) -> Callable[[_Row], bytes]:
    def pack(row: _Row) -> bytes:
        try:
            own = encode(row)
            # Encoding checks nothing: 101 and 1.5 would be written.
            is_good = decode(own) == row
        except _WRONG as wrong:
            raise _Refused from wrong
        if not is_good:
            raise _Refused
        return head + len(own).to_bytes(4, "little") + own

    return pack


def _read(plan: _Plan, data: bytes) -> tuple[_Row, bytes]:
    """The parts that were saved beside the world, and the world. ValueError for bytes that `save`
    does not give."""
    name = plan.declared.__name__
    if data[:_HEAD] != plan.head:
        what = f"bytes that begin with {data[:_HEAD].hex() or 'nothing'}"
        if data[:4] == _MAGIC and len(data) >= _HEAD:
            what = f"the state of another declaration, {data[4:_HEAD].hex()}"
        raise ValueError(f"a state of {name} begins with {plan.head.hex()}, but this is {what}")
    size = int.from_bytes(data[_HEAD : _HEAD + 4], "little")
    own, world = data[_HEAD + 4 : _HEAD + 4 + size], data[_HEAD + 4 + size :]
    if len(own) != size:
        raise ValueError(f"a state of {name} ends early, after {len(data)} bytes")
    try:
        row = plan.decode(own)
        if plan.encode(row) == own:
            return row, world
        wrong = "not the bytes that save gives for it"
    except _WRONG as error:
        wrong = _fault(plan, own) or str(error)
    raise ValueError(f"a state of {name}: {wrong}")


def _fault(plan: _Plan, own: bytes) -> str | None:
    try:
        values = msgspec.msgpack.decode(own)
    except _WRONG as error:
        return f"not MessagePack: {error}"
    if type(values) is not list or len(values) != len(plan.held) + 1:
        return f"must hold {', '.join(('the state', *plan.held))}, not {shown(values)}"
    return plan.part.fault(values[0], "", True)


# What a simulation holds beside its state: generators, bodies, handlers, and other objects that
# save themselves. Each is saved as rows of a key and bytes.

_RANDOM, _HANDLERS, _BODY = b"FXR1", b"FXH1", b"FXB1"


class _Held(NamedTuple):
    key: int | str
    part: Any


def _held_parts(name: str, value: Any) -> list[_Held]:
    """ValueError for keys without an order that all peers share."""
    if isinstance(value, dict):
        if {type(key) for key in value} - {int} and {type(key) for key in value} - {str}:
            raise ValueError(f"keys of {name} must be all int or all str, not {shown([*value])}")
        return [_Held(key, value[key]) for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [_Held(i, part) for i, part in enumerate(value)]
    return [_Held(0, value)]


def _rows_of(name: str, value: Any) -> Rows:
    """The rows of an attribute. ValueError if a part cannot be saved."""
    if type(value) is Random:  # the usual one, fast
        return [(0, _RANDOM + value.state.to_bytes(8, "little"))]
    return [(key, _saved(name, part)) for key, part in _held_parts(name, value)]


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


def _load_rows(name: str, value: Any, rows: Rows, undo: list[Callable[[], None]]) -> None:
    """Loads the parts one by one, and adds to `undo` a function that restores each. ValueError for
    rows that these parts did not save."""
    parts = _held_parts(name, value)
    here, there = [part.key for part in parts], [key for key, _ in rows]
    if here != there:
        raise ValueError(
            f"{name} must hold {shown(here)} as here, not {shown(there)}: load adds and removes"
            " none, so hold as many as there can be, and leave some unused"
        )
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


def _fields_of_rows(name: str, rows: Rows) -> StateFields:
    """The rows as named fields. ValueError for bytes of an unknown part."""
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
        "attack": "None" if attack == UINT32_MAX else attack,
        "attack_frame": frame,
        "has_hit": has_hit,
        **{f"victims[{i}]": victim for i, victim in enumerate(victims)},
    }

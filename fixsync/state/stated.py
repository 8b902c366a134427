"""`Stated`: a simulation whose state is declared."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeAlias

import msgspec

from fixsync._native.checks import shown
from fixsync._native.rows import Buffer, bytes_of
from fixsync.fields import GroupKey, StateFields, Value, world_fields
from fixsync.sim import hash_of
from fixsync.state import held as parts
from fixsync.state.declared import State
from fixsync.state.kinds import Part
from fixsync.world import World

__all__ = ["Stated"]

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

    def check(self) -> None:
        """Called by `load` when everything is loaded: raise ValueError for a state in which the
        game could not go on, such as one with another number of players. Everything is then as
        before. By default it accepts all."""

    def save(self) -> bytes:
        """The state, what is `held`, and the world: the same bytes on every platform. ValueError,
        with the field, its value and the allowed ones, if a value is not as declared."""
        rows = [parts.save(name, getattr(self, name)) for name in self.held] if self.held else ()
        row = (self.state, *rows)
        try:
            return self._plan.pack(row) + self.world.save()
        except _Refused as refused:
            told = self._plan.part.fault(self.state, "", False)
            wrong = refused.__cause__ or shown(self.state)
            raise ValueError(told or f"the state cannot be saved: {wrong}") from None

    def load(self, data: Buffer) -> None:
        """Restores the bytes of `save`. ValueError, with nothing changed, for other bytes, those of
        another declaration among them, and if `check` refuses."""
        plan = type(self)._plan
        (saved, *held), world = _read(plan, bytes_of("data", data))
        undo: list[Callable[[], None]] = []
        state = self.state
        try:
            for name, rows in zip(plan.held, held, strict=True):
                parts.load(name, getattr(self, name), rows, undo)
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
            found.update(parts.fields_of(name, rows))
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
        told = "nothing" if declared is None else shown(declared)
        raise TypeError(f"{name} must declare `state: ` and its State, not {told}")
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
    row = types.GenericAlias(tuple, (declared, *[parts.Rows] * len(cls.held)))
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

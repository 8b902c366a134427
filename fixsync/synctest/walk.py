"""All that a simulation can reach: attributes, slots, containers, functions with what they hold, and
the globals of the game's modules; where each is, and how to bring all of it back."""

from __future__ import annotations

import array
import contextvars
import decimal
import functools
import itertools
import operator
import os
import random
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import msgspec

from fixsync.game.bodies import Body
from fixsync.game.handlers import Handlers
from fixsync.game.random import Random
from fixsync.synctest.player_process import folder_of, is_in
from fixsync.world.world import World

_PLACES_MAX = 5_000
"""A walk goes no further than so many places."""
_PLAIN_MAX = 6
"""How deep a tuple of plain values may be."""

_NUMBERS: tuple[Any, ...] = (type(None), bool, int, float, complex, str, bytes, range)
_NUMBERS += (type, Enum, types.GenericAlias)
_EXACT = ("decimal", "fractions", "datetime", "pathlib", "uuid", "re")
"""Modules whose objects do not change."""
_DICTS = (dict, weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
_SETS = (set, weakref.WeakSet)
_FLAT = (list, *_DICTS, *_SETS, deque, bytearray, array.array)
_SHARED: dict[str, tuple[types.ModuleType, Callable[[], Any]]] = {
    "random": (random, lambda: random._inst),
    "os.environ": (os, lambda: os.environ),
    "decimal.getcontext()": (decimal, decimal.getcontext),
}
"""State of Python's own modules, by name: the module, and the object."""
_CONTEXT = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")
_BODY = ("attack", "attack_frame", "hit", "victims", "is_mirrored", "pose", "owner")
_ITERATORS = ("builtins", "itertools")
_METHODS = (types.MethodType, types.BuiltinMethodType)
_SAMPLES = ("fixsync.sample",)
_WALKED = ("__main__", "types", "collections", "queue")
"""Python's own modules with classes that hold what a game puts there."""
_MISSING = object()
_Put: TypeAlias = "Callable[[Any], None] | None"
_Inside: TypeAlias = Iterator[tuple[str, Any, _Put]]


class Place(NamedTuple):
    """Something in a walk."""

    value: Any
    """The object itself."""
    known: Any
    """The value to compare: of a number itself, of a list of numbers a copy, of a world its bytes,
    of other objects their type and their keys, without the values."""
    put: _Put
    """Puts another value here; None where that cannot be done."""
    shown: Any = None
    """The value in a report: a copy."""
    has_attributes: bool = False
    """Whether its entries are attributes."""


class _Kept(NamedTuple):
    """How an object is brought back to its old value."""

    value: Any
    back: Callable[[], object]
    holds: tuple[Any, ...]
    """The objects in it, by identity."""


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether it cannot change, with all that is in it."""
    if isinstance(value, _NUMBERS):
        return True
    if isinstance(value, (tuple, frozenset)):
        return depth < _PLAIN_MAX and all(_is_plain(one, depth + 1) for one in value)
    module = type(value).__module__
    if module.partition(".")[0] in _EXACT:
        return not isinstance(value, decimal.Context)
    # Poses, shapes, levels and frame data do not change.
    is_ours = module.startswith("fixsync.") and not module.startswith(_SAMPLES)
    return is_ours and not isinstance(value, (World, Body, Handlers, Random, msgspec.Struct))


def _saved(value: Any) -> tuple[Any, Callable[[Any], object]] | None:
    """For an object that saves itself: its state, and how it is loaded."""
    if isinstance(value, Random):
        return value.state, lambda state: setattr(value, "state", state)
    if isinstance(value, Handlers):
        return value.state(), value.restore
    if isinstance(value, (World, Body)):
        return value.save(), value.load
    if isinstance(value, random.Random):
        return value.getstate(), value.setstate
    if isinstance(value, contextvars.ContextVar):
        state = value.get(_MISSING)
        return state, _nothing if state is _MISSING else value.set
    if isinstance(value, decimal.Context):
        state = {name: getattr(value, name) for name in _CONTEXT}
        return state, functools.partial(_set_all, value)
    if value is os.environ:
        return dict(os.environ), functools.partial(_refill, os.environ)
    if type(value).__module__ == "numpy" and hasattr(value, "__setitem__"):
        known = value.copy()
        state = known.dtype.str, known.shape, known.tobytes()
        return state, lambda _: value.__setitem__(..., known)
    return None


def _names(value: Any) -> list[str]:
    """The attributes that an object has, of its own or in slots."""
    if isinstance(value, msgspec.Struct):
        return [name for name in value.__struct_fields__ if hasattr(value, name)]
    if isinstance(value, (type, types.ModuleType)):
        # The values: no functions, classes and modules.
        return [
            name
            for name, one in vars(value).items()
            if not (name.startswith("__") or isinstance(one, (type, types.ModuleType)))
            and not hasattr(type(one), "__get__")
        ]
    found = list(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            own = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") else name
            if name not in ("__dict__", "__weakref__") and hasattr(value, own):
                found.append(own)
    return found


def set_attribute(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, msgspec.Struct):
        msgspec.structs.force_setattr(owner, name, value)
    elif isinstance(owner, (type, types.ModuleType, threading.local)):
        setattr(owner, name, value)
    else:
        object.__setattr__(owner, name, value)


def delete_attribute(owner: Any, name: str) -> None:
    if isinstance(owner, (type, types.ModuleType, msgspec.Struct, threading.local)):
        delattr(owner, name)
    else:
        object.__delattr__(owner, name)


def _refill(value: Any, known: Any) -> None:
    """A container becomes as its copy."""
    if isinstance(value, (*_DICTS, *_SETS, type(os.environ))):
        value.clear()
        value.update(known)
    elif isinstance(value, deque):
        value.clear()
        value.extend(known)
    else:
        value[:] = known


def _set_all(owner: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(owner, name, value)


class Walk:
    """The objects that a simulation reaches now: `places` by name. `restore` brings all of it
    back, and empties caches of functools."""

    def __init__(self, simulation: Any) -> None:
        """simulation: a type for the globals alone."""
        self.places: dict[str, Place] = {}
        self.aliases: dict[str, str] = {}
        """Names of a place that is reached by another name too, and that other name."""
        self.iterators: dict[str, str] = {}
        """Generators and iterators, which nothing brings back: the name of the type, by name."""
        self.caches: dict[str, Any] = {}
        """Functions with a cache of functools, by name."""
        self._kept: list[_Kept] = []
        self._known: dict[int, str] = {}
        kind = simulation if isinstance(simulation, type) else type(simulation)
        self._folder = folder_of(kind)
        self._modules = {one.__module__ for one in kind.__mro__ if one is not object}
        queue: deque[tuple[str, Any, _Put]] = deque()
        if kind is not simulation:
            queue.append(("self", simulation, None))
        for one in kind.__mro__:
            queue.extend(self._home(one))
        while queue:
            for inner in self._visit(*queue.popleft()):
                if len(self.places) + len(queue) >= _PLACES_MAX:
                    break
                queue.append(inner)

    def _home(self, value: Any) -> _Inside:
        """The module of a class, function or object, or a module itself, if it is the game's."""
        is_named = isinstance(value, (type, types.FunctionType))
        name = value.__module__ if is_named else type(value).__module__
        if isinstance(value, types.ModuleType):
            name = value.__name__
        module = sys.modules.get(name or "")
        if module is None or id(module) in self._known or _is_of_fixsync(name):
            return
        if name in self._modules or is_in(self._folder, getattr(module, "__file__", None)):
            self._modules.add(name)
            yield name, module, None

    def restore(self) -> None:
        """Everything is as it was when the walk was made."""
        for kept in self._kept:
            kept.back()

    def restore_below(self, value: Any) -> None:
        """An object, and all that it reached, is as it was."""
        by_id = {id(kept.value): kept for kept in self._kept}
        left, seen = [value], set()
        while left:
            kept = by_id.get(id(left.pop()))
            if kept is not None and id(kept.value) not in seen:
                seen.add(id(kept.value))
                kept.back()
                left.extend(kept.holds)

    def _visit(self, name: str, value: Any, put: _Put) -> _Inside:
        """Notes a place. Yields the places in it."""
        if _is_plain(value):
            self.places[name] = Place(value, value, put, value)
            return
        if self._known.get(id(value)) == name:
            return
        if id(value) in self._known:
            self.aliases[name] = self._known[id(value)]
            self.places[name] = Place(value, None, put)
            return
        self._known[id(value)] = name
        self.places[name] = Place(value, None, put)  # unless it can be looked into
        if (saved := _saved(value)) is not None:
            state, load = saved
            shown = state if isinstance(value, (Random, World, decimal.Context)) else None
            if isinstance(value, Body):
                shown = {one: getattr(value, one) for one in _BODY}
            if value is os.environ:
                shown = state
            self._note(name, Place(value, state, put, shown), lambda: load(state))
        elif isinstance(value, itertools.count) or _is_copied(value):
            known = copy(value)
            shown_value = repr(known) if isinstance(known, itertools.count) else known
            back = _nothing if put is None else (lambda: put(copy(known)))
            self._note(name, Place(copy(known), shown_value, put, known), back)
        elif isinstance(value, _FLAT):
            yield from self._visit_container(name, value, put)
        elif isinstance(value, tuple):
            self._note(name, Place(value, (type(value), len(value)), put), _nothing, *value)
            for i, one in enumerate(value):
                yield f"{name}[{i}]", one, put and functools.partial(_put_in, value, i, put)
        elif isinstance(value, types.FunctionType):
            yield from self._home(value)
            yield from self._visit_function(name, value)
        elif isinstance(value, functools.partial):
            yield from self._visit_partial(name, value)
        elif isinstance(value, _METHODS):
            if not isinstance(owner := value.__self__, (type, types.ModuleType)):
                bound = value.__name__
                yield f"{name}.__self__", owner, put and (lambda new: put(getattr(new, bound)))
        elif isinstance(value, functools._lru_cache_wrapper):
            self.caches[name] = value
            self._kept.append(_Kept(value, value.cache_clear, ()))
        elif isinstance(value, Iterator) and type(value).__module__ in _ITERATORS:
            self.iterators[name] = type(value).__name__
        elif isinstance(value, types.ModuleType):
            if name in self._modules:
                yield from self._visit_module(name, value)
        elif _is_walked(value):
            yield from self._home(value)
            yield from self._visit_names(name, value, put)

    def _note(self, name: str, place: Place, back: Callable[[], object], *holds: Any) -> None:
        self.places[name] = place
        self._kept.append(_Kept(place.value, back, holds))

    def _visit_container(self, name: str, value: Any, put: _Put) -> _Inside:
        is_dict = isinstance(value, _DICTS)
        if isinstance(value, weakref.WeakSet):
            known: Any = {*value}  # copy() gives one that shares its contents
        else:
            known = dict(value) if is_dict and not isinstance(value, dict) else copy(value)
        inside = [*value.values()] if is_dict else [*value]
        keys = [*value] if is_dict else range(len(inside))
        is_set = isinstance(value, _SETS)
        is_flat = all(map(_is_plain, inside))
        # A dict is compared with its order: a game may go through it.
        outline = (type(value), [*keys] if is_dict else len(inside))
        flat = (type(value), [*keys], inside) if is_dict else (type(value), known)
        if is_set:
            flat = (type(value), known, inside)
        is_whole = is_flat or is_set
        place = Place(value, flat if is_whole else outline, put, known if is_whole else None)
        self._note(name, place, lambda: _refill(value, known), *inside)
        if not is_flat:
            for key, one in zip(keys, inside, strict=True):
                put_in = functools.partial(operator.setitem, value, key)
                yield f"{name}[{key!r}]", one, None if is_set else put_in

    def _visit_names(self, name: str, value: Any, put: _Put = None) -> _Inside:
        """The attributes of an object, a class, a module or a function."""
        inside = {one: getattr(value, one) for one in _names(value)}

        def back() -> None:
            for gone in set(_names(value)) - inside.keys():
                delete_attribute(value, gone)
            for one, old in inside.items():
                if getattr(value, one, _MISSING) is not old:
                    set_attribute(value, one, old)

        self._note(name, Place(value, type(value), put, None, True), back, *inside.values())
        for one, old in inside.items():
            yield f"{name}.{one}", old, lambda new, one=one: set_attribute(value, one, new)  # type: ignore[misc]

    def _visit_module(self, name: str, module: types.ModuleType) -> _Inside:
        for one, value in vars(module).items():
            if isinstance(value, functools._lru_cache_wrapper):
                yield one, value, None
            elif isinstance(value, (type, types.FunctionType, types.ModuleType)):
                yield from self._home(value)
                if getattr(value, "__module__", "") != name:
                    pass
                elif isinstance(value, type):
                    yield from self._visit_class(value)
                else:
                    yield one, value, None
        values = {id(one) for one in vars(module).values()}
        for shared, (home, state) in _SHARED.items():
            if not values.isdisjoint(map(id, (home, state(), *vars(home).values()))):
                yield shared, state(), None
        yield from self._visit_names(name, module)

    def _visit_class(self, kind: type) -> _Inside:
        if issubclass(kind, Enum) or id(kind) in self._known:
            return
        self._known[id(kind)] = kind.__qualname__
        for one, value in vars(kind).items():
            function = getattr(value, "__func__", value)
            if isinstance(value, property):
                function = value.fget
            if isinstance(function, (types.FunctionType, functools._lru_cache_wrapper)):
                yield f"{kind.__qualname__}.{one}", function, None
        yield from self._visit_names(kind.__qualname__, kind)

    def _visit_function(self, name: str, function: types.FunctionType) -> _Inside:
        """What a function keeps: variables of functions around it, defaults, attributes."""
        for variable, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # not set yet
            if variable != "__class__" and id(cell) not in self._known:
                self._known[id(cell)] = variable
                back = functools.partial(setattr, cell, "cell_contents")
                self._kept.append(_Kept(cell, lambda back=back, value=value: back(value), (value,)))  # type: ignore[misc]
                yield f"{variable} of {name}", value, back
        code = function.__code__
        defaults = function.__defaults__ or ()
        arguments = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
        put, known = (
            functools.partial(setattr, function, "__defaults__"),
            dict(function.__kwdefaults__ or {}),
        )
        named = function.__kwdefaults__ or {}

        def defaults_back() -> None:
            function.__defaults__ = defaults or None
            named.update(known)

        self._kept.append(_Kept(function, defaults_back, (*defaults, *known.values())))
        for i, (argument, value) in enumerate(zip(arguments, defaults, strict=True)):
            yield f"{argument} of {name}", value, functools.partial(_put_in, defaults, i, put)
        for argument, value in known.items():
            put_in = functools.partial(operator.setitem, named, argument)
            yield f"{argument} of {name}", value, put_in
        if vars(function):
            yield from self._visit_names(name, function)

    def _visit_partial(self, name: str, value: functools.partial[Any]) -> _Inside:
        def put(args: tuple[Any, ...]) -> None:
            value.__setstate__((value.func, args, value.keywords, vars(value)))  # type: ignore[attr-defined]

        args = value.args
        self._kept.append(_Kept(value, lambda: put(args), (value.func, *args, value.keywords)))
        yield f"{name}.func", value.func, None
        for i, one in enumerate(args):
            yield f"{name}.args[{i}]", one, functools.partial(_put_in, args, i, put)
        yield f"{name}.keywords", value.keywords, None


def _nothing(*_: object) -> None:
    pass


def _put_in(values: tuple[Any, ...], i: int, put: Callable[[Any], None], new: Any) -> None:
    """Puts a tuple with another value in it."""
    changed = (*values[:i], new, *values[i + 1 :])
    put(changed if type(values) is tuple else values._make(changed))  # type: ignore[attr-defined]


def _is_of_fixsync(module: str) -> bool:
    return module.partition(".")[0] == "fixsync" and not module.startswith(_SAMPLES)


def _is_walked(value: Any) -> bool:
    """Whether its attributes are a game's: not of Python's own classes, nor of libraries in C."""
    if isinstance(value, msgspec.Struct):
        return True
    module = type(value).__module__
    is_known = module.partition(".")[0] in sys.stdlib_module_names and module not in _WALKED
    is_known = is_known and not isinstance(value, threading.local)
    return not is_known and (hasattr(value, "__dict__") or bool(_names(value)))


def _is_copied(value: Any) -> bool:
    """Whether it is of a library in C, has copies, and can be compared: a rectangle of pygame."""
    kind = type(value)
    return (
        hasattr(kind, "__copy__")
        and "__eq__" in {name for one in kind.__mro__[:-1] for name in vars(one)}
        and not hasattr(value, "__dict__")
        and not isinstance(value, (*_FLAT, tuple, msgspec.Struct))
    )

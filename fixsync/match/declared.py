"""`State`, the base class of declared states, and the kinds of fields that it may have: what each
takes, and how it is shown."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta, Struct, StructMeta

from fixsync._native.checks import integer, shown
from fixsync._native.raw import INT64_MAX, INT64_MIN, UINT32_MAX
from fixsync.base.fields import GroupKey, Value

_GROUPS = ("state", "world", "collider", "hit", "changed")
"""Groups of fields that are not of a part of the state."""


def within(low: int, high: int) -> Meta:
    """Of an `int`: its least and greatest value, -2^63..2^63-1."""
    low = integer("low", low, INT64_MIN, INT64_MAX)
    return Meta(ge=low, le=integer("high", high, low, INT64_MAX))


def count(n: int) -> Meta:
    """Of a `list`, `bytes` or `str`: it holds exactly n values, bytes or characters."""
    n = integer("n", n, 0, UINT32_MAX)
    return Meta(min_length=n, max_length=n)


def up_to(n: int) -> Meta:
    """Of a `list`, `bytes` or `str`: it holds at most n values, bytes or characters."""
    return Meta(min_length=0, max_length=integer("n", n, 0, UINT32_MAX))


class Kind:
    """The values that a field accepts."""

    wants: str
    """In words, after "must be"."""
    text: str
    """The declaration as text: kinds with equal text have equal bytes."""

    def takes(self, value: Any) -> bool:
        raise NotImplementedError

    def fault(self, value: Any, at: str, is_raw: bool) -> str | None:
        """The fault of a value as text; None for a valid one. is_raw: as MessagePack has it,
        without classes."""
        del is_raw  # numbers and texts are the same there
        return None if self.takes(value) else f"{at} must be {self.wants}, not {shown(value)}"

    def fields(self, value: Any, at: str) -> Iterator[tuple[str, Value]]:
        """The value as named numbers and texts."""
        yield at, value


class _Whole(Kind):
    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.wants, self.text = f"an integer of {low}..{high}", f"int {low}..{high}"

    def takes(self, value: Any) -> bool:
        return _is_int(value) and self.low <= value <= self.high


class _Flag(Kind):
    wants, text = "True or False", "bool"

    def takes(self, value: Any) -> bool:
        return isinstance(value, bool)


class _Member(Kind):
    def __init__(self, members: type[IntEnum]) -> None:
        self.members = members
        self.wants = f"one of {', '.join(f'{int(one)} {one.name}' for one in members)}"
        self.text = f"enum {members.__name__}: {self.wants}"

    def takes(self, value: Any) -> bool:
        return _is_int(value) and value in map(int, self.members)

    def fields(self, value: Any, at: str) -> Iterator[tuple[str, Value]]:
        yield at, self.members(value).name


class _Sized(Kind):
    """Bytes or text."""

    def __init__(self, base: Any, low: int, high: int) -> None:
        self.base, self.low, self.high = base, low, high
        unit = "bytes" if base is bytes else "characters of Unicode"
        self.wants = f"{base.__name__} of {_sizes(low, high)} {unit}"
        self.text = f"{base.__name__} {low}..{high}"

    def takes(self, value: Any) -> bool:
        if not isinstance(value, self.base) or not self.low <= len(value) <= self.high:
            return False
        try:
            return self.base is bytes or value.encode() is not None
        except UnicodeEncodeError:
            return False

    def fields(self, value: Any, at: str) -> Iterator[tuple[str, Value]]:
        yield at, value.hex() if isinstance(value, bytes) else value


class _Maybe(Kind):
    def __init__(self, kind: Kind) -> None:
        self.kind, self.wants, self.text = kind, f"{kind.wants}, or None", f"{kind.text} | None"

    def fault(self, value: Any, at: str, is_raw: bool) -> str | None:
        found = None if value is None else self.kind.fault(value, at, is_raw)
        return found and found.replace(self.kind.wants, self.wants, 1)

    def fields(self, value: Any, at: str) -> Iterator[tuple[str, Value]]:
        return iter([(at, "None")]) if value is None else self.kind.fields(value, at)


class _Many(Kind):
    """A list, or a tuple with a kind for each place."""

    def __init__(self, base: Any, kinds: Sequence[Kind], low: int, high: int) -> None:
        self.base, self.kinds, self.low, self.high = base, kinds, low, high
        self.wants = f"a {base.__name__} of {_sizes(low, high)}"
        self.text = f"{base.__name__} {low}..{high} of ({'; '.join(kind.text for kind in kinds)})"

    def _of(self, value: Any, at: str) -> Iterator[tuple[Kind, Any, str]]:
        for i, one in enumerate(value):
            yield self.kinds[i if self.base is tuple else 0], one, f"{at}[{i}]"

    def fault(self, value: Any, at: str, is_raw: bool) -> str | None:
        expected: Any = list if is_raw else self.base
        if type(value) is not expected:
            return f"{at} must be a {self.base.__name__}, not {shown(value)}"
        if not self.low <= len(value) <= self.high:
            return f"{at} must hold {_sizes(self.low, self.high)} values, not {len(value)}"
        faults = (kind.fault(one, name, is_raw) for kind, one, name in self._of(value, at))
        return next(filter(None, faults), None)

    def fields(self, value: Any, at: str) -> Iterator[tuple[str, Value]]:
        for kind, one, name in self._of(value, at):
            yield from kind.fields(one, name)


class Part(Kind):
    """A nested State."""

    def __init__(self, declared: type[Struct], kinds: dict[str, Kind]) -> None:
        self.declared, self.kinds, self.wants = declared, kinds, f"a {declared.__name__}"
        own = ", ".join(f"{name}: {kind.text}" for name, kind in kinds.items())
        self.text = f"{declared.__name__}({own})"

    def fault(self, value: Any, at: str, is_raw: bool) -> str | None:
        expected: Any = list if is_raw else self.declared
        if type(value) is not expected:
            return f"{at or 'state'} must be {self.wants}, not {shown(value)}"
        if is_raw and len(value) != len(self.kinds):
            return f"{at or 'state'} must hold {len(self.kinds)} values, not {len(value)}"
        for i, (name, kind) in enumerate(self.kinds.items()):
            if not is_raw and not hasattr(value, name):
                return f"{_joined(at, name)} must be {kind.wants}, but it is not set"
            one = value[i] if is_raw else getattr(value, name)
            if found := kind.fault(one, _joined(at, name), is_raw):
                return found
        return None

    def fields(self, value: Any, at: str) -> Iterator[tuple[str, Value]]:
        for name, kind in self.kinds.items():
            yield from kind.fields(getattr(value, name), _joined(at, name))

    def groups(self, value: Any) -> Iterator[tuple[GroupKey, dict[str, Value]]]:
        """The fields in groups: the state's own, then one for each State that it holds, alone or in
        a list."""
        own: dict[str, Value] = {}
        yield ("state",), own
        for name, kind in self.kinds.items():
            one, group = getattr(value, name), f"state.{name}" if name in _GROUPS else name
            if isinstance(kind, Part):
                yield (group,), dict(kind.fields(one, ""))
            elif isinstance(kind, _Many) and isinstance(kind.kinds[0], Part) and kind.base is list:
                for i, item in enumerate(one):
                    yield (group, i), dict(kind.kinds[0].fields(item, ""))
            else:
                own.update(kind.fields(one, name))


def _joined(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _sizes(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}..{high}"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# From annotations.

_ALLOWED = (
    "an int with within(low, high), a bool, an IntEnum, a State, a list, bytes or str with count(n) or"
    " up_to(n), a tuple of fixed length, or one of them | None"
)


def kind_of(annotation: Any, at: str) -> Kind:
    """The kind that an annotation declares. TypeError, with the field's name, if a state cannot
    hold it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        limits = [one for one in arguments[1:] if isinstance(one, Meta)]
        if len(limits) > 1:
            raise TypeError(f"{at} must have one of within, count and up_to, not {len(limits)}")
        return _limited(arguments[0], limits[0] if limits else Meta(), at)
    if origin in (Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        (kind,) = (kind_of(one, at) for one in arguments if one is not type(None))
        return _Maybe(kind)
    return _limited(annotation, Meta(), at)


def _limited(base: Any, limits: Meta, at: str) -> Kind:
    origin, arguments = get_origin(base), get_args(base)
    bounds = limits.ge, limits.le
    sizes = limits.min_length or 0, limits.max_length
    others = (limits.gt, limits.lt, limits.multiple_of, limits.pattern)
    has_size = limits.max_length is not None or limits.min_length is not None
    if others != (None,) * 4 or (has_size and bounds != (None, None)):
        raise TypeError(f"{at} must have one of within, count and up_to, and no other limit")
    if base is int:
        if has_size or not (isinstance(bounds[0], int) and isinstance(bounds[1], int)):
            raise TypeError(f"{at} must have a range: Annotated[int, within(low, high)]")
        return _Whole(bounds[0], bounds[1])
    if bounds != (None, None):
        raise TypeError(f"{at}: within(low, high) is for an int, not for {_name(base)}")
    if base in (bytes, str) or base is list or origin is list:
        if sizes[1] is None:
            raise TypeError(f"{at} must have a length: Annotated[{_name(base)}, up_to(n)]")
        if base in (bytes, str):
            return _Sized(base, sizes[0], sizes[1])
        if not arguments:
            raise TypeError(f"{at} must name the type of its items: list[...]")
        return _Many(list, [kind_of(arguments[0], f"{at}[]")], sizes[0], sizes[1])
    if has_size:
        raise TypeError(f"{at}: count and up_to are for a list, bytes or str, not {_name(base)}")
    if origin is tuple and ... not in arguments:
        kinds = [kind_of(one, f"{at}[{i}]") for i, one in enumerate(arguments)]
        return _Many(tuple, kinds, len(kinds), len(kinds))
    return _class(base, at)


def _class(base: Any, at: str) -> Kind:
    if base is bool:
        return _Flag()
    if base is float:
        raise TypeError(
            f"{at} must not be float: floats differ between machines. Use an int with"
            " within(low, high), such as a length in Q16.16"
        )
    if isinstance(base, type) and issubclass(base, IntEnum):
        if not len(base) or not all(INT64_MIN <= one <= INT64_MAX for one in base):
            raise TypeError(f"{at}: {base.__name__} must have members, each of -2^63..2^63-1")
        return _Member(base)
    part = getattr(base, "__part__", None)
    if isinstance(part, Part):
        return part
    raise TypeError(f"{at} must not be {_name(base)}. A state holds {_ALLOWED}")


def _name(base: Any) -> str:
    return base.__name__ if type(base) is type else str(base).replace("typing.", "")


# The base class.

_OPTIONS = {"frozen", "kw_only"}


class _Declares(StructMeta):
    """Makes the classes of states: checks every field when the class is made."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], space: dict[str, Any], **options: Any
    ) -> Any:
        is_base = not any(isinstance(base, _Declares) for base in bases)
        if not is_base and options.keys() - _OPTIONS:
            refused = ", ".join(sorted(options.keys() - _OPTIONS))
            raise TypeError(f"{name}: a State takes the options frozen and kw_only, not {refused}")
        frame = sys._getframe(1)
        names = _resolved(name, space, {**frame.f_globals, **frame.f_locals})
        for field in names:
            default = space.get(field)
            if isinstance(default, (list, State if not is_base else list)):
                # Each instance has its own, as with a literal [] of msgspec.
                space[field] = msgspec.field(default_factory=partial(deepcopy, default))
        made: Any = super().__new__(
            mcls,
            name,
            bases,
            space,
            array_like=True,
            forbid_unknown_fields=True,
            gc=False,
            **options,
        )
        made.__part__ = Part(made, _kinds(made))
        for declared in () if is_base else msgspec.structs.fields(made):
            default = declared.default
            if declared.default_factory is not NODEFAULT:
                default = declared.default_factory()
            if default is not NODEFAULT:
                found = made.__part__.kinds[declared.name].fault(default, declared.name, False)
                if found:
                    raise TypeError(f"{name}: the default of {found}")
        return made


def _resolved(name: str, space: dict[str, Any], known: Mapping[str, Any]) -> list[str]:
    """The annotated names of a class; annotations that are text become what they mean."""
    annotations = space.get("__annotations__")
    if annotations is None:
        return [*_later(space)]
    for field, annotation in annotations.items():
        if isinstance(annotation, str):
            try:
                annotations[field] = eval(annotation, {**known, **space})  # noqa: S307 - the class's own source
            except NameError as error:
                raise TypeError(
                    f"{name}.{field}: {error}. A type must be defined before the state that holds"
                    " it, and a state cannot hold itself"
                ) from error
    return [*annotations]


def _later(space: dict[str, Any]) -> Mapping[str, Any]:
    """The annotations of a class of Python 3.14, which are not evaluated yet, as text."""
    if "__annotate_func__" not in space and "__annotate__" not in space:
        return {}
    import annotationlib  # type: ignore[import-not-found, unused-ignore]

    annotate = annotationlib.get_annotate_from_class_namespace(space)
    if annotate is None:
        return {}
    found: Mapping[str, Any] = annotationlib.call_annotate_function(
        annotate, annotationlib.Format.STRING
    )
    return found


def _kinds(made: type[Struct]) -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for base in reversed(made.__mro__):
        if isinstance(base, _Declares):
            for name, annotation in inspect.get_annotations(base).items():
                if ClassVar not in (annotation, get_origin(annotation)):
                    found[name] = kind_of(annotation, f"{made.__name__}.{name}")
    return {name: found[name] for name in made.__struct_fields__}


class State(Struct, metaclass=_Declares):
    """Base class of states: fields with types and ranges, checked when the class is made.

    A field is an `Annotated[int, within(low, high)]`, a `bool`, an `IntEnum`, another `State`, a
    `list`, `bytes` or `str` with `count(n)` or `up_to(n)`, a `tuple` of fixed length, or one of
    these `| None`. TypeError, with the field's name, for any other, and for a default that the
    field does not take. A default may be a list or a State: each instance gets a copy.

    Two states are equal if they are of one class and all their fields are equal."""

    if TYPE_CHECKING:
        __part__: ClassVar[Part]

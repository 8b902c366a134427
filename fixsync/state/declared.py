"""`State`: the base class of declared states."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, get_origin

import msgspec
from msgspec import NODEFAULT, Struct, StructMeta

from fixsync.state.kinds import Kind, Part, kind_of

__all__ = ["State"]

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

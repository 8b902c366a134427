"""Immutable values that carry the row of bytes that the kernel reads."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, TypeVar

from fixsync._native.kinds import COLUMNS, KINDS_BY_CLASS, Kind, shape_text
from fixsync._native.rows import SHAPE

_pack_shape = SHAPE.pack


class Value:
    """Equality, hash, copy and pickle by `_row`, the numbers of the C structure."""

    __slots__ = ("_row",)
    __match_args__: ClassVar[tuple[str, ...]]
    _row: tuple[int, ...]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._row == other._row

    def __hash__(self) -> int:
        return hash(self._row)

    def _fields(self) -> tuple[int, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __copy__(self: _V) -> _V:
        return self

    def __deepcopy__(self: _V, memo: object) -> _V:
        return self


_V = TypeVar("_V", bound=Value)


class Number:
    """A number of a Value, by its place in `_row`."""

    def __init__(self, at: int = 0) -> None:
        self._at = at

    def __get__(self, value: Value | None, owner: type | None = None) -> int:
        return self if value is None else value._row[self._at]  # type: ignore[return-value]

    def __set__(self, value: Value, number: NoReturn) -> None:
        raise AttributeError(f"a {type(value).__name__} cannot be changed: make another one")


class Size(Number):
    """A size of a shape, by its name in the table of kinds."""

    def __set_name__(self, owner: type[ShapeValue], name: str) -> None:
        sizes = KINDS_BY_CLASS[owner.__name__].sizes
        (self._at,) = (COLUMNS.index(size.column) for size in sizes if size.name == name)


class ShapeValue(Value):
    """A shape. The table of kinds has its sizes; `_row` has a number for each of COLUMNS."""

    __slots__ = ("_shape",)
    _shape: bytes
    """What the kernel reads. The name differs from a pose's, so that neither passes as the other:
    C does not check the length."""
    _kind: ClassVar[Kind]

    def __init_subclass__(cls) -> None:
        cls._kind = KINDS_BY_CLASS[cls.__name__]

    def _set(self, *values: object) -> None:
        kind = self._kind
        self._take(kind.numbers(kind.checked(values, warns=True)))

    def _take(self, numbers: tuple[int, ...]) -> None:
        self._row = numbers
        self._shape = _pack_shape(*numbers)

    def __repr__(self) -> str:
        return shape_text(self._row)

    def as_tuple(self) -> tuple[Any, ...]:
        """The shape as a match log writes it: ("sphere", radius), ("box", half_x, half_y,
        half_z).
        """
        return self._kind.written(self._row)

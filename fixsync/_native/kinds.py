"""The kinds of shape, from the table of the kernel. Checks, classes, logs and strategies read it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from fixsync._native.checks import integer, shown
from fixsync._native.raw import SIZE_MAX
from fixsync._native.tables import SHAPES, SIZES

COLUMNS = ("kind", "half_angle", "a", "b", "c")
"""The numbers of a shape's C structure; a, b and c are its size[0], size[1] and size[2]."""


_DEGREE = 181
"""The first half angle that is not below a degree, in steps."""


class TinyValueWarning(UserWarning):
    """A size of 1..63 raw units or a half angle of 1..180 steps, which is below a degree, where a
    shape is made by its class. Usually a `q` or a `degrees` is missing.

    It is reported once for each line of a program. A filter of Python's warnings makes it an error
    or turns it off. `RAY` is the smallest sphere, made without a warning."""


class Size(NamedTuple):
    """A number that a shape is made of."""

    name: str
    column: str
    """Which of COLUMNS holds it."""
    low: int
    high: int
    usual: int
    """At least `low`. A value above 0 and below this is a TinyValueWarning."""
    is_hole: bool
    """It must be below size[0], and is left out where it is 0."""

    def take(self, value: object, *, warns: bool) -> int:
        """`value` as a plain int in range."""
        number = integer(self.name, value, self.low, self.high)
        if warns and 0 < number < self.usual:
            _warn(self, number)
        return number


def _warn(size: Size, number: int) -> None:
    """Warns at the line outside the package that makes the shape."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("fixsync."):
        level, frame = level + 1, frame.f_back
    if size.column == "half_angle":
        meaning = f"{number}/65536 of a turn, below a degree; for degrees write degrees({number})"
    else:
        meaning = f"{number}/65536 of a unit; for units write q({number})"
    warnings.warn(f"{size.name} {number} is {meaning}", TinyValueWarning, stacklevel=level)


_Pick: TypeAlias = Callable[[tuple[int, ...]], tuple[int, ...]]


class Kind:
    """A kind of shape."""

    __slots__ = ("_order", "can_cast", "can_push", "code", "has_front", "hole", "name", "sizes")

    def __init__(
        self,
        name: str,
        code: int,
        *sizes: Size,
        can_push: bool,
        can_cast: bool,
        has_front: bool,
    ) -> None:
        self.name = name
        """In match logs; the class has the same name with a capital letter."""
        self.code = code
        self.sizes = sizes
        """In the order of the class's arguments and of match logs."""
        self.hole = sizes[-1] if sizes[-1].is_hole else None
        """The last size, where it is that of a hole."""
        self.can_push = can_push
        """Whether push_out and lift are defined."""
        self.can_cast = can_cast
        self.has_front = has_front
        """Whether half a turn changes it."""
        columns = ["", "kind", *(size.column for size in sizes)]
        picks = (columns.index(column) if column in columns else 0 for column in COLUMNS)
        self._order: _Pick = itemgetter(*picks)

    def __repr__(self) -> str:
        return f"<Kind {self.name}>"

    def checked(self, sizes: tuple[Any, ...], *, warns: bool = False) -> tuple[int, ...]:
        """`sizes` as plain ints in range, with a hole that was left out. `warns`: a tiny one is a
        TinyValueWarning.
        """
        if self.hole is not None and len(sizes) == len(self.sizes) - 1:
            sizes = (*sizes, 0)
        values = tuple(
            [
                value
                if type(value) is int and size.usual <= value <= size.high
                else size.take(value, warns=warns)
                for size, value in zip(self.sizes, sizes, strict=True)
            ]
        )
        if fault := self.hole_fault(values):
            raise ValueError(f"{self.sizes[-1].name} {fault}")
        return values

    def hole_fault(self, sizes: Sequence[int]) -> str:
        """What is wrong with the hole of sizes in range: "must be ..., not ...", or ""."""
        if self.hole is None or len(sizes) < len(self.sizes) or sizes[-1] < sizes[0]:
            return ""
        return f"must be 0..{sizes[0] - 1}, below the {self.sizes[0].name}, not {sizes[-1]}"

    def of_tuple(self, sizes: Sequence[Any]) -> tuple[int, ...]:
        """The C structure's numbers of sizes as a match log writes them, checked."""
        if len(sizes) not in (len(self.sizes), len(self.sizes) - (self.hole is not None)):
            names = ", ".join(size.name for size in self.sizes)
            raise ValueError(f"a {self.name} has {names}, not {len(sizes)} numbers: {shown(sizes)}")
        return self.numbers(self.checked(tuple(sizes)))

    def numbers(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """The C structure's numbers, one for each of COLUMNS, of sizes in the order of `sizes`."""
        return self._order((0, self.code, *sizes))

    def values(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes of a C structure's numbers: the inverse of `numbers`."""
        return tuple(numbers[COLUMNS.index(size.column)] for size in self.sizes)

    def written(self, numbers: tuple[int, ...]) -> tuple[Any, ...]:
        """A C structure's numbers as a match log writes them: ("sphere", radius)."""
        values = self.values(numbers)
        if self.hole is not None and values[-1] == 0:
            values = values[:-1]
        return (self.name, *values)


def _sizes(kind: str, has_hole: bool) -> list[Size]:
    """The sizes of a kind; `index` in fxs_shape.size, or -1 for the half angle."""
    rows = [row[1:] for row in SIZES if row[0] == kind]
    found = []
    for name, index, least, most in rows:
        column = COLUMNS[index + 2] if index >= 0 else "half_angle"
        tiny = _DEGREE if index < 0 else 64
        is_hole = has_hole and name == rows[-1][0]
        most = SIZE_MAX if is_hole else most
        found.append(Size(name, column, least, most, max(tiny, least) * (least > 0), is_hole))
    return found


KINDS = tuple(
    Kind(
        name,
        code,
        *_sizes(name, has_hole),
        can_push=can_push,
        can_cast=can_cast,
        has_front=has_front,
    )
    for name, code, can_push, can_cast, has_front, has_hole in SHAPES
)
"""By code."""
KINDS_BY_NAME = {kind.name: kind for kind in KINDS}


def class_name(kind: str) -> str:
    """That of a kind's class: HexPrism of a hex_prism."""
    return "".join(word.capitalize() for word in kind.split("_"))


KINDS_BY_CLASS = {class_name(kind.name): kind for kind in KINDS}


def shape_text(numbers: tuple[int, ...]) -> str:
    """A shape's numbers as Python writes it: Sphere(radius=65536)."""
    kind = KINDS[numbers[0]]
    name, *sizes = kind.written(numbers)
    named = ", ".join(f"{size.name}={v}" for size, v in zip(kind.sizes, sizes, strict=False))
    return f"{class_name(name)}({named})"


def shape_fault(numbers: tuple[int, ...]) -> tuple[str, str] | None:
    """What is wrong with a shape's numbers: (the field, "must be ..., not ..."), or None.

    It words what the kernel refused; it decides nothing.
    """
    code = numbers[0]
    if not 0 <= code < len(KINDS):
        return "kind", f"must be 0..{len(KINDS) - 1}, not {code}"
    kind = KINDS[code]
    used = {size.column: size for size in kind.sizes}
    for i, (column, number) in enumerate(zip(COLUMNS[1:], numbers[1:], strict=True)):
        field = f"size[{i - 1}]" if i else column
        size = used.get(column)
        if size is None and number != 0:
            return field, f"must be 0, because a {kind.name} does not use it, not {number}"
        if size is not None and not size.low <= number <= size.high:
            name = f"{field} ({size.name})" if i else field
            return name, f"must be {size.low}..{size.high}, not {number}"
    fault = kind.hole_fault(kind.values(numbers))
    return (f"size[2] ({kind.sizes[-1].name})", fault) if fault else None

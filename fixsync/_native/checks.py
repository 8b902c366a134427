"""Arguments to plain ints, or an error that names the argument, its value and what is allowed.

cffi alone would accept a bool as a number and cut the fraction off a Decimal. So callers test
`type(v) is int` and come here for everything else: for objects with `__index__`, such as NumPy
integers, and for errors."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import gcd
from typing import Any, NoReturn

from fixsync._native.raw import (
    HALF_ANGLE_MAX,
    INT32_MAX,
    INT32_MIN,
    LAYER_COUNT,
    SIZE_MAX,
    UINT32_MAX,
    YAW_MAX,
)


def shown(value: object) -> str:
    """`value` for an error message: its repr, shortened. It never fails."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # a broken __repr__ must not hide the error
        return f"a {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:80]}... ({len(text)} characters)"


def utf_8(name: str, text: str) -> bytes:
    """The bytes of a text. ValueError for one that UTF-8 cannot hold."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} has half of a surrogate pair: {shown(text)}") from None


def index(name: str, value: object) -> int:
    """`value` as a plain int, however large. TypeError for a float, a bool or a non-integer."""
    try:
        if not isinstance(value, bool):
            number = operator.index(value)  # type: ignore[arg-type]
            # Of an int subclass, such as an IntEnum, operator.index returns the object itself.
            return number if type(number) is int else int.__add__(number, 0)
    except TypeError:  # no __index__, or one that refuses, as an array of several integers has
        pass
    raise TypeError(f"{name} must be an integer, not {shown(value)} ({type(value).__name__})")


def integer(name: str, value: object, low: int, high: int) -> int:
    """`value` as a plain int of low..high. TypeError for a float, a bool or a non-integer,
    ValueError out of range."""
    if type(value) is int:
        number = value
    elif isinstance(value, float):
        raise TypeError(
            f"{name} must be an integer, not the float {shown(value)}{_instead(low, high)}"
        )
    else:
        number = index(name, value)
    if not low <= number <= high:
        refuse(name, number, f"{low}..{high}")
    return number


def _instead(low: int, high: int) -> str:
    """The hint for a float; the range of the number shows its kind."""
    if low < 0 or high == SIZE_MAX:
        return ": write q('1.5') or q(Fraction(3, 2)) for 1.5 units, or the raw Q16.16 integer"
    if high in (YAW_MAX, HALF_ANGLE_MAX):
        return ": write degrees('22.5') for 22.5 degrees, or the raw steps (65536 are one turn)"
    return ""


def coordinate(name: str, value: object) -> int:
    """`value` as an int32."""
    return integer(name, value, INT32_MIN, INT32_MAX)


def uint32(name: str, value: object) -> int:
    """`value` as an uint32: an owner, a mask, a limit."""
    return integer(name, value, 0, UINT32_MAX)


def integers(
    name: str, parts: Sequence[str], values: object, low: int, high: int
) -> tuple[int, ...]:
    """`values` as one int of low..high for each of `parts`, the names that errors give them."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be ({', '.join(parts)}), not {shown(values)}")
    found = tuple(values)
    if len(found) != len(parts):
        raise ValueError(
            f"{name} must be ({', '.join(parts)}), not {len(found)} values: {shown(found)}"
        )
    for value in found:  # as nearly all are: a third of the time of the lines below
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            break
    else:
        return tuple(map(int, found))  # of an IntEnum too
    return tuple(
        integer(f"{name}: {part}", value, low, high)
        for part, value in zip(parts, found, strict=True)
    )


def boolean(name: str, value: object) -> bool:
    """`value`, a bool. TypeError for anything else."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return value


def counted(name: str, values: Any) -> Iterator[tuple[int, Any]]:
    """Index and value of each of `values`. TypeError if it is not a sequence."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence, not {shown(values)} ({type(values).__name__})")
    return enumerate(values)


def layer_masks(layers: Iterable[Iterable[int]] | None) -> tuple[int, ...]:
    """The layer matrix of a list of enabled pairs; None enables all."""
    if layers is None:
        return (UINT32_MAX,) * LAYER_COUNT
    masks = [0] * LAYER_COUNT
    for n, pair in counted("layers", layers):
        i, j = integers(f"layers[{n}]", ("first", "second"), pair, 0, LAYER_COUNT - 1)
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    return tuple(masks)


def layer_pairs(masks: Sequence[int]) -> list[tuple[int, int]] | None:
    """The enabled pairs (i, j), i <= j, of a layer matrix, ascending; None if all are enabled."""
    pairs = _layer_pairs(tuple(masks))
    return None if pairs is None else [*pairs]


@lru_cache(64)  # games compare it in each load
def _layer_pairs(masks: tuple[int, ...]) -> list[tuple[int, int]] | None:
    if all(mask == UINT32_MAX for mask in masks):
        return None
    count = range(LAYER_COUNT)
    return [(i, j) for i in count for j in count[i:] if masks[i] >> j & 1]


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """ValueError with the name, the value and what is allowed."""
    raise ValueError(f"{name} must be {allowed}, not {shown(value)}")


def rate(name: str, value: object) -> tuple[int, int]:
    """Frames a second, an integer or (numerator, denominator), as these two in lowest terms."""
    if not isinstance(value, (tuple, list)):
        return integer(name, value, 1, UINT32_MAX), 1
    if len(value) != 2:
        raise ValueError(
            f"{name} must be an integer or (numerator, denominator), not {shown(value)}"
        )
    numerator = integer(f"numerator of {name}", value[0], 1, UINT32_MAX)
    denominator = integer(f"denominator of {name}", value[1], 1, UINT32_MAX)
    common = gcd(numerator, denominator)
    return numerator // common, denominator // common

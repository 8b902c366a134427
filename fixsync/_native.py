"""The one seam to C: the compiled extension, and the checks that every argument passes on its way
there.

cffi alone would take a bool for a number, and a Decimal by cutting its fraction off. So callers
test `type(v) is int`, hand the value to C, where cffi refuses what does not fit, and come here for
everything that is not the plain case: to turn what has `__index__` into an int, or to say what is
wrong with it."""

from __future__ import annotations

import operator
import re
import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from fixsync._kernel import ffi, lib

__all__ = [
    "HALF_ANGLE_MAX",
    "INT32_MAX",
    "INT32_MIN",
    "SIZE_MAX",
    "UINT32_MAX",
    "YAW_MAX",
    "CData",
    "array_type",
    "boolean",
    "bytes_of",
    "ffi",
    "index",
    "integer",
    "integers",
    "is_buffer",
    "lib",
    "refuse",
    "rows_of",
    "shown",
    "uninitialised",
]

CData: TypeAlias = Any  # what ffi.new returns

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
UINT32_MAX = 2**32 - 1
YAW_MAX: int = lib.FXS_TURN - 1
SIZE_MAX: int = lib.FXS_SIZE_MAX
HALF_ANGLE_MAX: int = lib.FXS_HALF_ANGLE_MAX

array_type = ffi.typeof
uninitialised = ffi.new_allocator(should_clear_after_alloc=False)


def shown(value: object) -> str:
    """`value` for an error message: its repr, shortened; it never fails."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # a broken __repr__ must not hide the error that is being told
        return f"a {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:80]}... ({len(text)} characters)"


def index(name: str, value: object) -> int:
    """`value` as an int, however large. TypeError for what is no integer; a float and a bool are
    none.
    """
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except (
        TypeError
    ):  # it has no __index__, or, as an array of more than one integer, one that refuses
        pass
    raise TypeError(f"{name} must be an integer, not {shown(value)} ({type(value).__name__})")


def integer(name: str, value: object, low: int, high: int) -> int:
    """`value` as an int of low..high. TypeError for what is no integer (a float and a bool are
    none), ValueError out of range."""
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
    """What to write instead of a float, by the range of what it was given for."""
    if low < 0 or high == SIZE_MAX:
        return ": write q('1.5') or q(Fraction(3, 2)) for 1.5 units, or the raw Q16.16 integer"
    if high in (YAW_MAX, HALF_ANGLE_MAX):
        return ": write degrees('22.5') for 22.5 degrees, or the raw number of steps (65536 are a turn)"
    return ""


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
    return tuple(
        integer(f"{name}: {part}", value, low, high)
        for part, value in zip(parts, found, strict=True)
    )


def boolean(name: str, value: object) -> bool:
    """`value`, a bool; TypeError for anything else."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return value


def refuse(name: str, value: object, allowed: str) -> NoReturn:
    """ValueError with the name, the value and what is allowed."""
    raise ValueError(f"{name} must be {allowed}, not {shown(value)}")


# Buffers.

_BYTES = {"B", "b", "c"}
_OTHER_ORDER = ">!" if sys.byteorder == "little" else "<"
# What a format code of the struct module stands for in rows: its size and whether it is signed.
_CODES = {
    code: size for size, codes in ((1, "bB"), (2, "hH"), (4, "iIlL"), (8, "qQ")) for code in codes
}


def is_buffer(value: object) -> bool:
    """Whether `value` has the buffer protocol."""
    if type(value) is bytes or type(value) is array:
        return True
    try:
        memoryview(value).release()  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


# What C reads is always a bytes object: aligned, and nobody can change it between C's checks and
# C's use of it.


def bytes_of(name: str, data: object) -> bytes:
    """The bytes of any contiguous buffer."""
    if type(data) is bytes:
        return data
    try:
        view = memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{name} must be bytes or another buffer, not {shown(data)} ({type(data).__name__})"
        ) from None
    if not view.c_contiguous:
        raise ValueError(f"{name} must be contiguous in memory")
    return view.tobytes()


def _codes(format: str, itemsize: int) -> str | None:
    """The codes of one item of a buffer, in the machine's byte order: "i", or "IBB..." for a
    record. None for another order."""
    codes = re.sub(r":[^:]*:|[T{}]|\s", "", format)
    if any(mark in codes for mark in _OTHER_ORDER) and itemsize > 1:
        return None
    codes = re.sub(r"[@=<>!^]", "", codes)
    codes = re.sub(r"\((\d+)\)(\w)", lambda match: match[2] * int(match[1]), codes)
    return re.sub(r"(\d+)(\w)", lambda match: match[2] * int(match[1]), codes)


@lru_cache
def _row_size(row: str) -> int:
    return sum(_CODES[code] for code in row)


@lru_cache
def _row_fault(
    format: str, itemsize: int, width: int | None, row: str
) -> tuple[type[Exception], str] | None:
    """What is wrong with a buffer's items as rows: an error and its message, for after the name.
    `width`: its last dimension, if it has several. Kept, since a game passes the same few formats
    in every frame."""
    wanted = f"must be {_wanted(row)}"
    codes = _codes(format, itemsize)
    if codes is None:
        return ValueError, f"{wanted}, not format {format!r}, which is of the other byte order"
    if codes in _BYTES:
        return None
    number = len(codes) == 1 and codes in _CODES and itemsize == 4
    if number and set(row) <= {"i", "I"} and (codes.islower() or set(row) == {"I"}):
        if width is not None and width != len(row):
            return ValueError, f"{wanted}: {len(row)} numbers each, not {width}"
    elif not _same_codes(codes, row) or itemsize != _row_size(row):
        return TypeError, f"{wanted}, not items of format {format!r}, {itemsize} bytes each"
    return None


def _wanted(row: str) -> str:
    return f"rows of {_row_size(row)} bytes ({row!r} in the struct module's codes, the machine's byte order)"


def rows_of(name: str, data: object, row: str) -> bytes:
    """The bytes of a buffer of rows, each of which has the struct codes `row` ("iiii": four int32),
    in native order.

    The buffer may be bytes; int32 (uint32 only if the row is nothing else), of a length or a last
    dimension that fits the row; or records of the same codes, as a structured NumPy array is."""
    if type(data) is bytes and len(data) % _row_size(row) == 0:
        return data
    if type(data) is array and _row_fault(data.typecode, data.itemsize, None, row) is None:
        rows = data.tobytes()
        if len(rows) % _row_size(row) == 0:
            return rows
    try:
        view = memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{name} must be a buffer of rows, not {shown(data)} ({type(data).__name__})"
        ) from None
    if not view.c_contiguous:
        raise ValueError(f"{name} must be contiguous in memory")
    shape = view.shape or ()
    fault = _row_fault(view.format, view.itemsize, shape[-1] if len(shape) > 1 else None, row)
    if fault:
        raise fault[0](f"{name} {fault[1]}")
    if view.nbytes % _row_size(row):
        raise ValueError(
            f"{name} must be {_wanted(row)}: {view.nbytes} bytes are no whole number of them"
        )
    return view.tobytes()


def _same_codes(codes: str, row: str) -> bool:
    return len(codes) == len(row) and all(
        a in _CODES and _CODES[a] == _CODES[b] and a.isupper() == b.isupper()
        for a, b in zip(codes, row, strict=True)
    )

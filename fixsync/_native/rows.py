"""The kernel's structures as bytes, and the buffers of them that callers give.

C always reads a bytes object: it is aligned, and nobody can change it between C's checks and C's
use of it."""

from __future__ import annotations

import re
import sys
from array import array
from functools import lru_cache
from struct import Struct, calcsize
from typing import TYPE_CHECKING

from fixsync._native.checks import shown

if TYPE_CHECKING:
    from typing_extensions import Buffer as Buffer
else:
    Buffer = object


# The structures of fixsync.h in the struct module's codes, in the machine's byte order.
SHAPE = Struct("=IIiii")
POSE = Struct("=iiiI")
COLLIDER = Struct("=IBBBBHHIiiiiiiiii")
COLLIDER_COLUMNS = (
    *("id", "kind", "layer", "active", "zero", "yaw", "half_angle", "owner"),
    *("x", "y", "z", "ox", "oy", "oz", "a", "b", "c"),
)
LAYER_AT = calcsize(COLLIDER.format[: 1 + COLLIDER_COLUMNS.index("layer")])
"""The offset of a collider's layer in its row."""
COMMAND = Struct("=II" + COLLIDER.format[1:])  # type, mask, collider
POSITION = Struct("=iii")
QUERY = Struct("=IIiiiiiiIIII")
CAST = Struct("=IIiiiiiiIiiiIIII")
EVENT = Struct("=4I")
STRIKE = Struct("=4I")
GAME_EVENT_ROW = Struct("=3Ii")
HIT = Struct("=3I")
CAST_HIT = Struct("=2I3i")
MOTION = MOVED = Struct("=I3i")
PAIR_HIT = Struct("=3I3i")
MOVER_RESULT = Struct("=6i3I")
CARRIED = Struct("=I6i2I")
SEPARATED = Struct("=I3iI")

_BYTES = {"B", "b", "c"}
_OTHER_ORDER = ">!" if sys.byteorder == "little" else "<"
# The sizes of the struct module's codes; a capital letter is unsigned.
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


def _view(name: str, data: object, what: str) -> memoryview:
    try:
        view = memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{name} must be {what}, not {shown(data)} ({type(data).__name__})"
        ) from None
    if not view.c_contiguous:
        raise ValueError(f"{name} must be contiguous in memory")
    return view


def bytes_of(name: str, data: object) -> bytes:
    """The bytes of a contiguous buffer."""
    if type(data) is bytes:
        return data
    return _view(name, data, "bytes or another buffer").tobytes()


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
    """The fault in a buffer's items as rows: an error type and a message without the name. `width`:
    its last dimension, if it has several. Cached: a game passes the same few formats in every
    frame."""
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
    size = _row_size(row)
    return f"rows of {size} bytes ({row!r} in the struct module's codes, the machine's byte order)"


def rows_of(name: str, data: object, row: str) -> bytes:
    """The bytes of a buffer of rows. `row`: the struct codes of one ("iiii": four int32).

    The buffer may be bytes; int32 numbers (uint32 only if the row has nothing else) whose length or
    last dimension is that of a row; or records of the same codes, as a structured NumPy array."""
    if type(data) is bytes and len(data) % _row_size(row) == 0:
        return data
    if type(data) is array and _row_fault(data.typecode, data.itemsize, None, row) is None:
        rows = data.tobytes()
        if len(rows) % _row_size(row) == 0:
            return rows
    view = _view(name, data, "a buffer of rows")
    shape = view.shape or ()
    fault = _row_fault(view.format, view.itemsize, shape[-1] if len(shape) > 1 else None, row)
    if fault:
        raise fault[0](f"{name} {fault[1]}")
    if view.nbytes % _row_size(row):
        raise ValueError(
            f"{name} must be {_wanted(row)}: {view.nbytes} bytes are not a whole number of rows"
        )
    return view.tobytes()


def _same_codes(codes: str, row: str) -> bool:
    return len(codes) == len(row) and all(
        a in _CODES and _CODES[a] == _CODES[b] and a.isupper() == b.isupper()
        for a, b in zip(codes, row, strict=True)
    )

"""A level's memory, and the errors of its bytes.

A level never changes once it is made, so it has no lock: any number of worlds and threads share
it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct, pack, unpack_from
from typing import Any

from fixsync._native.kernel import outline_of
from fixsync._native.raw import LAYER_COUNT, SIZE_MAX, CData, constant, ffi, lib, uninitialised
from fixsync._native.rows import CAST, CAST_HIT
from fixsync._native.status import refuse_undefined, unexpected

LEVEL: int = lib.FXS_LEVEL
"""The id of a level's first solid; ids of colliders are below it."""
CODE_CYLINDER, CODE_PRISM = constant("CYLINDER"), constant("PRISM")
VERTICES_MAX = constant("VERTICES_MAX")
SPAN_MAX = 2**30 - 2

_MAGIC = b"FXL1"
_IDS = ffi.typeof("uint32_t[]")
_CAST_HITS = ffi.typeof("fxs_cast_hit[]")
_HEAD = Struct("<4sI")
_SOLID = Struct("<BBHii")
_SOLID_SIZE_MIN = 24


def prism_bytes(layer: int, y_low: int, y_high: int, numbers: Sequence[int]) -> bytes:
    """A prism in the bytes of a level. `numbers`: x, z of each vertex."""
    count = len(numbers)
    return pack(f"<BBHii{count}i", CODE_PRISM, layer, count // 2, y_low, y_high, *numbers)


def pillar_bytes(layer: int, y_low: int, y_high: int, x: int, z: int, radius: int) -> bytes:
    """A cylinder in the bytes of a level."""
    return _SOLID.pack(CODE_CYLINDER, layer, 0, y_low, y_high) + Struct("<3i").pack(x, z, radius)


def check_solid(solid: bytes) -> None:
    """ValueError for a solid that the kernel does not take."""
    data = _HEAD.pack(_MAGIC, 1) + solid
    _, _, status, at = _made(data)
    if status != 0:
        raise ValueError(_solid_fault(data, _HEAD.size, at))


def _made(data: bytes) -> tuple[CData, CData, int, int]:
    """Memory, the level in it, status and offset of the field at fault."""
    size = lib.fxs_level_size(data, len(data))
    try:
        memory = uninitialised("uint64_t[]", size // 8 + 1)
    except (MemoryError, OverflowError):
        raise MemoryError(f"a level of {len(data)} bytes needs {size} bytes of memory") from None
    at = ffi.new("uint64_t *")
    level = ffi.cast("fxs_level *", memory)
    status: int = lib.fxs_level_init(level, data, len(data), at)
    return memory, level, status, int(at[0])


class NativeLevel:
    """A level of the kernel. Arguments are plain ints and rows of bytes."""

    __slots__ = ("_memory", "pointer")

    def __init__(self, data: bytes) -> None:
        """data: the bytes of a level. ValueError names the offset and the solid."""
        self._memory, self.pointer, status, at = _made(data)
        if status == lib.FXS_E_LEVEL:
            raise ValueError(f"data is not a level: byte {at}: {_level_fault(data, at)}")
        if status != 0:
            unexpected("a level", status)

    @classmethod
    def of_solids(cls, solids: Sequence[bytes]) -> NativeLevel:
        """The level of solids in bytes."""
        return cls(_HEAD.pack(_MAGIC, len(solids)) + b"".join(solids))

    def count(self) -> int:
        return lib.fxs_level_count(self.pointer)

    def hash(self) -> int:
        return lib.fxs_level_hash(self.pointer)

    def save(self) -> bytes:
        size = lib.fxs_level_save_size(self.pointer)
        out = uninitialised("uint8_t[]", size)
        lib.fxs_level_save(self.pointer, out)
        return ffi.buffer(out)[:]

    def solid(self, index: int) -> tuple[int, int, int, int, list[int]]:
        """Code, layer, y_low, y_high, and the numbers of a solid: x, z of each vertex, or x, z,
        radius."""
        row = ffi.new("fxs_solid *")
        status = lib.fxs_level_solid(self.pointer, index, row)
        if status != 0:
            unexpected(f"solid {index}", status)
        count = 2 * row.vertex_count if row.code == CODE_PRISM else 3
        return row.code, row.layer, row.y_low, row.y_high, ffi.unpack(row.numbers, count)

    def contact(self, index: int, shape: bytes, pose: bytes) -> int:
        found: int = lib.fxs_level_contact(self.pointer, index, shape, pose)
        if found < 0:
            unexpected(f"contact of solid {index}", found)
        return found

    def outline(self, index: int, segments: int) -> tuple[Any, Any, int, int]:
        """The outline of a solid with a checked index, as `kernel.outline` returns it."""
        return outline_of(lib.fxs_level_outline, self.pointer, index, segments)

    def query(self, row: bytes, hit_when: int) -> list[int]:
        """The ids of the solids that a query of checked numbers meets."""
        status, ids, count = _answer(_IDS, lib.fxs_level_query, self.pointer, row, hit_when)
        if status != 0:
            unexpected("a query", status)
        return ffi.unpack(ids, count) if count else []

    def cast(self, row: bytes) -> bytes:
        """The hits of a cast of checked numbers."""
        status, hits, count = _answer(_CAST_HITS, lib.fxs_level_cast, self.pointer, row)
        if status == lib.FXS_E_UNDEFINED:
            refuse_undefined("can_cast", ("shape", CAST.unpack(row)[:5]))
        if status != 0:
            unexpected("a cast", status)
        return ffi.buffer(hits)[: count * CAST_HIT.size]


def _answer(kind: CData, call: Callable[..., int], *args: Any) -> tuple[int, CData, int]:
    """Status, rows and their count, of a function that writes an array of this type."""
    count, room = ffi.new("uint64_t *"), 64
    while True:
        rows = uninitialised(kind, room)
        status = call(*args, rows, room, count)
        if status != lib.FXS_E_ROOM:
            return status, rows, count[0]
        room = count[0]


# What is wrong with bytes. Nothing here decides: it words a decision of C.


def _level_fault(data: bytes, at: int) -> str:
    if at < 4:
        return f"a level begins with {_MAGIC!r}, not with {data[:4]!r}"
    if len(data) < _HEAD.size:
        return "the bytes end before the number of solids"
    _, count = _HEAD.unpack_from(data)
    if at == 4:
        left = len(data) - _HEAD.size
        return f"{count} solids of {_SOLID_SIZE_MIN} bytes or more do not fit the {left} left"
    start = _HEAD.size
    for index in range(count):
        end = start + _solid_size(data, start)
        if at < end or end > len(data):
            return f"solid {index}: {_solid_fault(data, start, at)}"
        start = end
    return f"{len(data) - start} bytes after the last solid"


def _solid_size(data: bytes, start: int) -> int:
    """Of the solid at `start`, from its head."""
    if start + 4 > len(data):
        return _SOLID.size
    code, _, vertices = unpack_from("<BBH", data, start)
    return _SOLID.size + (8 * vertices if code == CODE_PRISM else 12)


def _solid_fault(data: bytes, start: int, at: int) -> str:
    """The fault in the field at `at` of the solid at `start`."""
    offset, left = at - start, len(data) - at
    code = data[start] if start < len(data) else 0
    names = {0: "code", 1: "layer", 2: "number of vertices", 4: "y_low", 8: "y_high"}
    rest = "last vertex" if code == CODE_PRISM else "radius"
    if left < {0: 1, 1: 1, 2: 2}.get(offset, 4):
        return f"the bytes end before its {names.get(offset, rest)}"
    if offset == 0:
        return f"code must be {CODE_CYLINDER} or {CODE_PRISM}, not {data[at]}"
    if offset == 1:
        return f"layer must be 0..{LAYER_COUNT - 1}, not {data[at]}"
    (vertices,) = unpack_from("<H", data, start + 2)
    if offset == 2:
        allowed = f"a prism has 3..{VERTICES_MAX}" if code == CODE_PRISM else "a cylinder has 0"
        return f"number of vertices: {allowed}, not {vertices}"
    y_low, y_high = unpack_from("<2i", data, start + 4)
    if offset == 8:
        return f"y_high must be above y_low {y_low}, not {y_high}"
    if code == CODE_CYLINDER:
        return f"radius must be 1..{SIZE_MAX}, not {unpack_from('<i', data, at)[0]}"
    numbers = unpack_from(f"<{2 * vertices}i", data, start + _SOLID.size)
    given = [*zip(numbers[::2], numbers[1::2], strict=True)]
    return (
        "vertices must be counterclockwise (as yaw turns, +X to +Z), strictly convex, once round, "
        f"and span at most {SPAN_MAX} on each axis, not {given}"
    )

"""The cells of tile layers, in every encoding of Tiled, a row at a time."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fixsync._native.raw import UINT32_MAX
from fixsync.base.files import zstd_module
from fixsync.maps.builder import limit
from fixsync.maps.document import Value

CELLS_MAX = 2**24
"""Most cells of a map's tile layers together."""
TILES_MAX = 2**17
"""Most different tiles of a tile layer, flipped ones among them."""
WIDTH_MAX = 2**18
"""Most columns or rows of a tile layer or a chunk."""
_BLOCK = 2**18
"""Bytes of a compressed layer that are unpacked at a time, so that a bomb stays small."""


def parts_of(layer: Value, counted: list[int]) -> Iterator[tuple[Value, Iterable[Sequence[int]]]]:
    """The chunks of a tile layer, or all of it, with their rows. `counted`: cells of the map so far."""
    for part in layer["chunks"].items() if "chunks" in layer else [layer]:
        width, height = (part[key].integer(0, WIDTH_MAX) for key in ("width", "height"))
        counted[0] += width * height
        if counted[0] > CELLS_MAX:
            words = "cells; with them the map has more than"
            raise limit(part, f"it has {width} x {height} {words} {CELLS_MAX}")
        yield part, _rows_of(part["data"], layer, width, height)


def _rows_of(data: Value, layer: Value, width: int, height: int) -> Iterable[Sequence[int]]:
    """The rows of a tile layer or of a chunk: the tile of each cell, 0 for none."""
    count = width * height
    encoding = layer.get("encoding", "csv")
    if encoding.value == "csv":
        if isinstance(data.value, str):
            return _text_rows(data, width, count)
        found = [cell.integer(0, UINT32_MAX) for cell in data.items()]
        if len(found) != count:
            raise data.fail(f"it has {len(found)} cells; width x height is {count}")
        return (found[width * row : width * (row + 1)] for row in range(height * (width > 0)))
    if encoding.value != "base64":
        raise encoding.expected('"csv" or "base64"')
    try:
        packed = base64.b64decode("".join(data.string().split()), validate=True)
    except ValueError as error:
        raise data.fail(f"it is not base64: {error}") from None
    compression, size, done = layer.get("compression", ""), 4 * count, 0
    for block in _unpacked(packed, data, compression):
        done += len(block)
        if done > size:
            raise data.fail(f"it has more than {size} bytes; 4 x width x height is {size}")
    if done != size:
        raise data.fail(f"it has {done} bytes; 4 x width x height is {size}")
    return _packed_rows(_unpacked(packed, data, compression), width)


def _packed_rows(blocks: Iterable[bytes], width: int) -> Iterator[Sequence[int]]:
    """Rows of cells of 4 bytes, which are known to be whole: unpacking is fast, rows are not."""
    rest = bytearray()
    for block in blocks:
        rest += block
        whole = len(rest) // (4 * width) * 4 * width if width else 0
        yield from struct.iter_unpack(f"<{width}I", rest[:whole]) if whole else ()
        del rest[:whole]


_CELL = re.compile(r"[0-9]{1,10}", re.ASCII)


def _text_rows(data: Value, width: int, count: int) -> Iterator[Sequence[int]]:
    """Rows of cells written with commas between them. A line may end without its comma."""
    done, cells = 0, []
    for line in data.string().splitlines():
        words = line.strip().removesuffix(",")
        for word in words.split(",") if words else ():
            cell = word.strip()
            if not _CELL.fullmatch(cell) or int(cell) >= 2**32:
                raise data.fail(f"expected an integer of 0..{UINT32_MAX}, found {cell[:60]!r}")
            cells.append(int(cell))
        done += len(words.split(",")) if words else 0
        if done > count:
            break
        while width and len(cells) >= width:
            yield cells[:width]
            del cells[:width]
    if done != count:
        more = "more than " if done > count else ""
        raise data.fail(
            f"it has {more}{min(done, count) if more else done} cells; width x height is {count}"
        )


def _unpacked(packed: bytes, data: Value, compression: Value) -> Iterator[bytes]:
    """The bytes of a tile layer, a block at a time."""
    kind = compression.value
    if kind == "":
        yield packed
        return
    if kind not in ("zlib", "gzip", "zstd"):
        raise compression.expected('"zlib", "gzip", "zstd" or ""')
    try:
        module: Any = zstd_module() if kind == "zstd" else zlib
    except ValueError as error:
        raise compression.fail(str(error)) from None
    if kind == "zstd":
        unpack, damage = module.ZstdDecompressor(), module.ZstdError
    else:
        unpack, damage = module.decompressobj(31 if kind == "gzip" else 15), module.error
    try:
        while not unpack.eof:
            block = bytes(unpack.decompress(packed, _BLOCK))
            if not block and not unpack.eof:
                raise data.fail(f"its {kind} data is cut short")
            yield block
            packed = getattr(unpack, "unconsumed_tail", b"")  # zstd keeps it
    except damage as error:
        raise data.fail(f"its {kind} data is damaged: {error}") from None

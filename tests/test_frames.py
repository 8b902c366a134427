"""Frame data: the table of parts and attacks, and what is refused of it."""

from __future__ import annotations

from struct import pack, pack_into, unpack_from

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from fixsync import Attack, Box, Cancel, Cylinder, FrameData, Part, Sector, Sphere
from fixsync._native.raw import ffi, lib

FRAMES = FrameData(
    {
        "torso": Part(Cylinder(5000, 8000), layer=3),
        "sword": Part(Box(60, 70, 80), (-90, 20, 3), layer=31, yaw=49152, active=False),
        "fan": Part(Sector(300, 9000, 10), (0, -50, 0), yaw=1234),
    },
    {
        "slash": Attack(
            10,
            {"sword": [range(2, 4), range(6, 7)], "fan": range(2, 4)},
            {"torso": range(9)},
            rehits=[3, 6],
            cancels=[Cancel("jab", range(4, 9), on_hit=True), Cancel("slash", range(9, 10))],
        ),
        "jab": Attack.of(1, 2, 3, ["fan"]),
    },
)
TABLE = FRAMES.to_bytes()

SIZE_MAX = 2**29 - 1


def test_the_bytes_of_a_table_are_those_of_the_contract() -> None:
    def part(kind: int, *numbers: int) -> bytes:
        return pack("<4B2H6i", kind, *numbers)

    assert b"".join((
        b"FXF1", pack("<2I", 3, 2),
        part(2, 3, 1, 0, 0, 0, 0, 0, 0, 5000, 8000, 0),
        part(3, 31, 0, 0, 49152, 0, -90, 20, 3, 60, 70, 80),
        part(4, 0, 1, 0, 1234, 9000, 0, -50, 0, 300, 10, 0),
        pack("<7I", 10, 0b110, 0b001, 3, 2, 2, 164),
        pack("<7I", 6, 0b100, 0, 1, 0, 0, 240),
        pack("<9I", 0, 9, 0b001, 2, 4, 0b110, 6, 7, 0b010),
        pack("<2I", 3, 6),
        pack("<8I", 4, 9, 1, 1, 9, 10, 0, 0),
        pack("<3I", 1, 3, 0b100),
    )) == TABLE  # fmt: skip


def check(table: bytes) -> int | None:
    """The offset at which C refuses a table; None for a good one."""
    at = ffi.new("uint64_t *", 999999)
    # An exact copy, so that a sanitizer sees what is read beyond its end.
    status = lib.fxs_frames_check(ffi.new("uint8_t[]", table), len(table), at)
    assert status in (0, lib.FXS_E_TABLE)
    assert status or at[0] == 999999
    return int(at[0]) if status else None


def model_part(data: bytes, at: int) -> int | None:
    kind, layer, active, zero, yaw, half, ox, _, oz, *sizes = unpack_from("<4B2H6i", data, at)
    used = {0: 1, 1: 2, 2: 2, 3: 3, 4: 2}.get(kind, 0)
    low = [0 if (kind, i) == (1, 1) else 1 for i in range(used)]
    good = all(a <= size <= SIZE_MAX for a, size in zip(low, sizes[:used], strict=True))
    hole = kind == 4 and 0 <= sizes[2] < sizes[0]
    faults = (
        (0, kind > 4),
        (1, layer > 31),
        (2, active > 1),
        (3, zero != 0),
        (4, (ox, oz) != (0, 0) and yaw % 16384 != 0),
        (6, not 1 <= half <= 32768 if kind == 4 else half != 0),
        (8, ox == -(2**31)),
        (16, oz == -(2**31)),
        (20, not (good and (any(sizes[used:]) == 0 or hole))),
    )
    return next((at + offset for offset, is_bad in faults if is_bad), None)


def model(data: bytes) -> int | None:
    """What `check` must return: docs/contract.md, in Python."""
    if len(data) < 12 or data[:4] != b"FXF1":
        return 0
    parts, attacks = unpack_from("<2I", data, 4)
    if not 1 <= parts <= 32 or len(data) < 12 + 32 * parts:
        return 4
    heads = 12 + 32 * parts
    if len(data) < heads + 28 * attacks:
        return 8
    for i in range(parts):
        fault = model_part(data, 12 + 32 * i)
        if fault is not None:
            return fault
    end, rows = heads + 28 * attacks, []
    for at in range(heads, end, 28):
        frames, active, inactive, *counts, begin = unpack_from("<7I", data, at)
        if not 1 <= frames < 2**31:
            return at
        if active >> parts:
            return at + 4
        if inactive >> parts or active & inactive:
            return at + 8
        rows.append((frames, active | inactive, counts, end))
        first = end
        for i, (count, size) in enumerate(zip(counts, (12, 4, 16), strict=True)):
            end += count * size
            if end > len(data):
                return at + 12 + 4 * i
        if begin != first:
            return at + 24
    for frames, switched, (windows, rehits, cancels), begin in rows:
        at, last = begin, 0
        for at in range(begin, begin + 12 * windows, 12):
            start, stop, mask = unpack_from("<3I", data, at)
            if not start < stop <= frames:
                return at
            if mask == 0 or mask & ~switched:
                return at + 8
        begin += 12 * windows
        for at in range(begin, begin + 4 * rehits, 4):
            (frame,) = unpack_from("<I", data, at)
            if not last < frame < frames:
                return at
            last = frame
        begin += 4 * rehits
        for at in range(begin, begin + 16 * cancels, 16):
            start, stop, into, on_hit = unpack_from("<4I", data, at)
            if not start < stop <= frames:
                return at
            if into >= attacks:
                return at + 8
            if on_hit > 1:
                return at + 12
    return None if end == len(data) else end


NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 5, 9, 10, 31, 32, 33, 2**16, 2**29, 2**31, 2**32 - 1])


@examples(2000)
@given(
    st.lists(st.tuples(st.integers(0, len(TABLE) - 4), NUMBERS, st.booleans()), max_size=3),
    st.integers(-40, 40),
)
def test_a_table_is_refused_where_the_model_refuses_it(
    changes: list[tuple[int, int, bool]], cut: int
) -> None:
    data = bytearray(TABLE)
    for at, number, is_whole in changes:
        at -= at % 4 if is_whole else 0
        pack_into("<I", data, at, number) if is_whole else data.__setitem__(at, number % 256)
    table = bytes(data[: len(data) + cut]) if cut < 0 else bytes(data) + bytes(max(0, cut - 20))
    assert check(table) == model(table)


def test_every_byte_of_a_table_is_looked_at_or_free() -> None:
    """A flip of any bit gives a good table or a fault, and the model agrees."""
    for bit in range(8 * len(TABLE)):
        data = bytearray(TABLE)
        data[bit // 8] ^= 1 << bit % 8
        assert check(bytes(data)) == model(bytes(data)), bit
    for size in range(len(TABLE)):
        assert check(TABLE[:size]) == model(TABLE[:size]) is not None
    assert check(TABLE) is None


def test_frame_data_needs_a_part() -> None:
    with pytest.raises(ValueError, match=r"names to 1\.\.32 Parts, not \{\}"):
        FrameData({})
    assert check(FrameData({"a": Part(Sphere(1))}).to_bytes()) is None

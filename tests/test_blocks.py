"""Boxes by BLOCK (csrc/blocks.h): with vector instructions, where the machine has them, and one by
one.
"""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from builds import CSRC, compiled
from hypothesis import given
from hypothesis import strategies as st
from tools import each, ran

BLOCK, FIELD, LANES, RANKS_END = 4, 20, 16, 32768

SHIM = r"""
#define FXS_SCALAR_FORMS
#include "blocks.h"

#define BOXES const uint64_t *keys, const uint64_t *least, const uint64_t *most, uint64_t of, uint64_t to

uint32_t shim_met(BOXES, uint64_t end) {
    packed_aabb box = {of, to};
    return met_of_block(keys, least, most, box, end);
}
uint32_t shim_met_scalar(BOXES, uint64_t end) {
    packed_aabb box = {of, to};
    return met_of_block_scalar(keys, least, most, box, end);
}
void shim_add(uint64_t *to, const uint64_t *from, uint64_t v) { add_to_block(to, from, v); }
uint64_t shim_keep(uint64_t *list, uint64_t first, uint32_t met) {
    return (uint64_t)(keep_of_block(list, first, met) - list);
}
uint64_t shim_keep_short(uint16_t *list, uint64_t first, uint32_t met) {
    return (uint64_t)(keep_short(list, first * EACH, met) - list);
}
uint64_t shim_below(const uint64_t *keys, uint64_t end) { return below_in_block(keys, end); }
void shim_ranks(const uint16_t *all, uint64_t n, const uint16_t *of, uint16_t *ranks) {
    rank_lanes(all, n, of, ranks);
}
void shim_ranks_scalar(const uint16_t *all, uint64_t n, const uint16_t *of, uint16_t *ranks) {
    rank_lanes_scalar(all, n, of, ranks);
}
int shim_within(const uint8_t *p, const uint64_t *least, const uint64_t *most) {
    return are_within(p, least, most);
}
int shim_within_scalar(const uint8_t *p, const uint64_t *least, const uint64_t *most) {
    return are_within_scalar(p, least, most);
}

#define LANE_BLOCK const int32_t *bounds, uint64_t stride, const int32_t *own
uint32_t shim_lanes(LANE_BLOCK) { return met_of_lanes(bounds, stride, lane_box_of(own, stride)); }
uint32_t shim_lanes_scalar(LANE_BLOCK) {
    return met_of_lanes_scalar(bounds, stride, scalar_box_of(own, stride));
}
typedef void put_form(int32_t *, uint64_t, const placed_shape *const[BLOCK]);
static void put_in_lanes(put_form *put, int32_t *bounds, uint64_t stride, const int32_t *rows) {
    placed_shape s[BLOCK];
    const placed_shape *who[BLOCK];
    for (uint32_t k = 0; k < BLOCK; k++) {
        memcpy(s + k, rows + 6 * k, 24); /* x, y, z and the reach on them */
        who[k] = s + k;
    }
    put(bounds, stride, who);
}
void shim_put(int32_t *bounds, uint64_t stride, const int32_t *rows) {
    put_in_lanes(put_lanes, bounds, stride, rows);
}
void shim_put_scalar(int32_t *bounds, uint64_t stride, const int32_t *rows) {
    put_in_lanes(put_lanes_scalar, bounds, stride, rows);
}

/* How many of n blocks of any words the two forms tell differently, of all functions. Numbers are
 * shifted, so that some are near others. */
#define COUNT (3 * BLOCK + 3)
uint64_t shim_differences(uint64_t n) {
    uint64_t state = 1, differ = 0, v[COUNT], *least = v + BLOCK, *most = v + 2 * BLOCK;
    while (n--) {
        for (uint32_t i = 0; i < COUNT; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            v[i] = state * UINT64_C(0x2545F4914F6CDD1D);
        }
        packed_aabb box = {v[12], v[13]};
        differ += met_of_block(v, least, most, box, v[14]) != met_of_block_scalar(v, least, most, box, v[14]);
        uint64_t sums[2][BLOCK];
        add_to_block(sums[0], v, v[4]);
        add_to_block_scalar(sums[1], v, v[4]);
        for (uint32_t i = 0; i < BLOCK; i++) {
            differ += sums[0][i] != sums[1][i];
        }
        int32_t near[2 * COUNT], put[2][LANE_BOUNDS * BLOCK] = {{0}};
        for (uint32_t i = 0; i < 2 * COUNT; i++) {
            near[i] = (int32_t)((uint32_t)(v[i / 2] >> (i % 2 * 32)) >> (1 + n % 31));
        }
        put_in_lanes(put_lanes, put[0], BLOCK, near);
        put_in_lanes(put_lanes_scalar, put[1], BLOCK, near);
        for (uint32_t i = 0; i < LANE_BOUNDS * BLOCK; i++) {
            differ += put[0][i] != put[1][i];
        }
        differ += shim_lanes(near, BLOCK, near + 5) != shim_lanes_scalar(near, BLOCK, near + 5);
        uint16_t all[4 * COUNT], ranks[2][LANES];
        for (uint32_t i = 0; i < 4 * COUNT; i++) {
            all[i] = (uint16_t)((v[i / 4] >> (i % 4 * 16) & (RANKS_END - 1)) >> n % 15);
        }
        rank_lanes(all, 4 * COUNT, all + 9, ranks[0]);
        rank_lanes_scalar(all, 4 * COUNT, all + 9, ranks[1]);
        for (uint32_t i = 0; i < LANES; i++) {
            differ += ranks[0][i] != ranks[1][i];
        }
        uint64_t from[2], to[2];
        memcpy(from, near + 8, sizeof from);
        to[0] = from[0] + (v[5] & 255);
        to[1] = from[1] + (v[6] & 255);
        const uint8_t *p = (const uint8_t *)near;
        differ += (are_within(p, from, to) != 0) != (are_within_scalar(p, from, to) != 0);
    }
    return differ;
}
"""
FORMS = {
    "as the compiler has it": [],
    "one by one": ["-DFXS_NO_BUILTINS", "-DFXS_NO_LITTLE_ENDIAN"],
}
SHORT = 2**29
"""How far from 0 the first four of eight numbers may be."""
U64 = ctypes.c_uint64

field = st.one_of(
    st.integers(0, 5), st.integers(2**FIELD - 5, 2**FIELD - 1), st.integers(0, 2**FIELD - 1)
)
corner = st.tuples(field, field, field)
box = st.tuples(corner, corner).map(
    lambda two: tuple(tuple(sorted(ends)) for ends in zip(*two, strict=True))
)
"""(least, most) of each axis."""
key = st.one_of(st.integers(0, 3), st.integers(2**63 - 4, 2**63 - 1), st.integers(0, 2**63 - 1))


@pytest.fixture(scope="module", params=FORMS)
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    where = tmp_path_factory.mktemp("blocks")
    (where / "shim.c").write_text(SHIM, encoding="utf-8")
    flags = ["-std=c11", "-O1", "-fPIC", "-shared", f"-I{CSRC}", *FORMS[request.param]]
    compiled(*flags, where / "shim.c", "-o", where / "blocks.so")
    found = ctypes.CDLL(str(where / "blocks.so"))
    for name in ("keep", "keep_short", "below", "differences"):
        getattr(found, f"shim_{name}").restype = U64
    return found


def words(values: list[int]) -> ctypes.Array[U64]:
    return (U64 * len(values))(*values)


def packed(ends: tuple[int, ...], guards: int) -> int:
    return sum((end | guards << FIELD) << (FIELD + 1) * axis for axis, end in enumerate(ends))


def least(of: tuple[tuple[int, int], ...]) -> int:
    return packed(tuple(ends[0] for ends in of), 0)


def most(of: tuple[tuple[int, int], ...]) -> int:
    return packed(tuple(ends[1] for ends in of), 1)


@given(
    boxes=st.lists(box, min_size=BLOCK, max_size=BLOCK),
    keys=st.lists(key, min_size=BLOCK, max_size=BLOCK),
    own=box,
    end=key,
)
def test_those_meet_that_begin_before_each_other_end_on_every_axis_and_lie_before_the_end(
    kernel: ctypes.CDLL, boxes: list[tuple[tuple[int, int], ...]], keys: list[int], own, end: int
) -> None:
    expected = 0
    for place, (other, its_key) in enumerate(zip(boxes, keys, strict=True)):
        meet = all(p[0] <= q[1] and q[0] <= p[1] for p, q in zip(own, other, strict=True))
        expected |= (meet and its_key < end) << place
    arrays = [words(keys), words([least(b) for b in boxes]), words([most(b) for b in boxes])]
    for ask in (kernel.shim_met, kernel.shim_met_scalar):
        assert ask(*arrays, U64(least(own)), U64(most(own)), U64(end)) == expected


def test_both_forms_tell_the_same_of_any_words(kernel: ctypes.CDLL) -> None:
    assert kernel.shim_differences(U64(500_000)) == 0


IN_NODE = """
const bytes = require("fs").readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes).then(({ instance }) =>
  console.log(String(instance.exports.shim_differences(500000n))));
"""


@pytest.mark.full
def test_both_forms_tell_the_same_in_webassembly(tmp_path: Path) -> None:
    if shutil.which("clang-19") is None or shutil.which("node") is None:
        pytest.skip("needs clang-19 and node")
    (tmp_path / "shim.c").write_text(SHIM, encoding="utf-8")
    libc = CSRC.parent / "bindings" / "web" / "libc"
    flags = ["--target=wasm32", "-msimd128", "-mbulk-memory", "-O1", "-nostdlib", "-ffreestanding"]
    link = ["-Wl,--no-entry", "-Wl,--export=shim_differences", libc / "string.c"]
    made = ["clang-19", *flags, f"-I{libc}", f"-I{CSRC}", tmp_path / "shim.c", *link]
    subprocess.run([*map(str, made), "-o", str(tmp_path / "shim.wasm")], check=True)
    node = ["node", "-e", IN_NODE, str(tmp_path / "shim.wasm")]
    assert ran(node, check=True).stdout == "0\n"


@each("met", range(1 << BLOCK))
def test_what_meets_is_appended_in_order(kernel: ctypes.CDLL, met: int) -> None:
    for first in (0, 7 << 32 | 5, 2**63 - 8):
        out = words([0] * BLOCK)
        count = kernel.shim_keep(out, U64(first), met)
        assert list(out)[:count] == [first + place for place in range(BLOCK) if met >> place & 1]
    for first in (0, 7 << 8 | 5, 255, 2**16 - BLOCK):
        short = (ctypes.c_uint16 * BLOCK)()
        count = kernel.shim_keep_short(short, U64(first), met)
        assert list(short)[:count] == [first + place for place in range(BLOCK) if met >> place & 1]


@given(
    values=st.lists(st.integers(0, 2**64 - 1), min_size=BLOCK, max_size=BLOCK),
    v=st.integers(0, 2**64 - 1),
)
def test_sums_are_modulo_a_word(kernel: ctypes.CDLL, values: list[int], v: int) -> None:
    out = words([0] * (BLOCK + 1))
    kernel.shim_add(out, words(values), U64(v))
    assert list(out) == [(value + v) % 2**64 for value in values] + [0]


@given(values=st.lists(key, min_size=BLOCK, max_size=BLOCK).map(sorted), end=key)
def test_ascending_keys_below_an_end_are_counted(
    kernel: ctypes.CDLL, values: list[int], end: int
) -> None:
    assert kernel.shim_below(words(values), U64(end)) == sum(value < end for value in values)


centre = st.one_of(
    st.integers(-9, 9), st.integers(-(2**31), 2**31 - 1), st.sampled_from([-(2**31), 2**31 - 1])
)
reach = st.one_of(st.integers(1, 9), st.integers(1, 2**30), st.just(2**30))


@given(
    rows=st.lists(
        st.tuples(centre, centre, centre, reach, reach, reach), min_size=BLOCK, max_size=BLOCK
    ),
    stride=st.integers(BLOCK, 7),
)
def test_lanes_meet_if_their_bounds_do_and_not_if_they_are_further_apart_than_32(
    kernel: ctypes.CDLL, rows: list[tuple[int, ...]], stride: int
) -> None:
    bounds, scalar = ((ctypes.c_int32 * (6 * 7))() for _ in range(2))
    for put, to in ((kernel.shim_put, bounds), (kernel.shim_put_scalar, scalar)):
        put(to, U64(stride), (ctypes.c_int32 * 24)(*(v for row in rows for v in row)))
    assert list(bounds) == list(scalar)
    for i, own in enumerate(rows):
        here = ctypes.byref(bounds, 4 * i)
        met = kernel.shim_lanes(bounds, U64(stride), here)
        assert met == kernel.shim_lanes_scalar(bounds, U64(stride), here)
        for k, other in enumerate(rows):
            gaps = [
                abs(own[axis] - other[axis]) - own[axis + 3] - other[axis + 3] for axis in range(3)
            ]
            assert met >> k & 1 or max(gaps) > 0
            assert not met >> k & 1 or max(gaps) <= 32


number = st.one_of(
    st.integers(0, 3), st.integers(RANKS_END - 4, RANKS_END - 1), st.integers(0, RANKS_END - 1)
)


@given(values=st.lists(number, max_size=40), of=st.lists(number, min_size=LANES, max_size=LANES))
def test_a_rank_is_how_many_are_below(
    kernel: ctypes.CDLL, values: list[int], of: list[int]
) -> None:
    u16 = ctypes.c_uint16
    for ask in (kernel.shim_ranks, kernel.shim_ranks_scalar):
        ranks = (u16 * (LANES + 1))(*[7] * (LANES + 1))
        ask((u16 * len(values))(*values), U64(len(values)), (u16 * LANES)(*of), ranks)
        assert list(ranks) == [sum(value < one for value in values) for one in of] + [7]


def halves(ends: Sequence[int]) -> ctypes.Array[U64]:
    """The last four of eight numbers, two in a word."""
    return words([a % 2**32 | b % 2**32 << 32 for a, b in zip(ends[4::2], ends[5::2], strict=True)])


@st.composite
def ranges(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]]]:
    """Eight numbers, and the range of each: of the first four that which the kernel knows."""
    signed = st.one_of(
        st.integers(-(2**31), 2**31 - 1), st.sampled_from([-(2**31), -1, 0, 1, 2**30, 2**31 - 1])
    )
    within, numbers = [(-SHORT, SHORT)] * 4, []
    for _ in range(4):
        low = draw(signed)
        within.append((low, draw(st.integers(low, min(low + 2**31 - 1, 2**31 - 1)))))
    for low, high in within:
        near = [v for v in (low - 1, low, high, high + 1) if -(2**31) <= v < 2**31]
        inside = st.integers(low, high)
        numbers.append(draw(st.one_of(inside, inside, st.sampled_from(near), signed)))
    return numbers, within


@given(drawn=ranges(), ahead=st.integers(0, 15))
def test_numbers_are_within_their_ranges_wherever_they_lie(
    kernel: ctypes.CDLL, drawn: tuple[list[int], list[tuple[int, int]]], ahead: int
) -> None:
    numbers, within = drawn
    data = bytes(ahead) + struct.pack("<8i", *numbers)
    least, most = (halves(ends) for ends in zip(*within, strict=True))
    expected = all(low <= v <= high for v, (low, high) in zip(numbers, within, strict=True))
    for ask in (kernel.shim_within, kernel.shim_within_scalar):
        at = ctypes.create_string_buffer(data)
        assert ask(ctypes.byref(at, ahead), least, most) == expected


def test_each_of_eight_numbers_is_held_against_its_own_range(kernel: ctypes.CDLL) -> None:
    low, high = [-SHORT] * 4 + [1, -70_000, 0, -(2**31)], [SHORT] * 4 + [2**29, 9, 2**31 - 1, -1]
    least, most = halves(low), halves(high)
    for place in range(8):
        for ends, off in ((low, -1), (low, 0), (high, 0), (high, 1)):
            numbers = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
            numbers[place] = ends[place] + off
            data = struct.pack("<8I", *(v % 2**32 for v in numbers))
            for ask in (kernel.shim_within, kernel.shim_within_scalar):
                assert ask(data, least, most) == (off == 0)

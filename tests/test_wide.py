"""The arithmetic that the kernel's headers share, against Python's integers: the compiler's, and in
words.

What the kernel computes of games reaches few of the numbers where a carry or a sign may go wrong.
These are tried here one by one."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from model import sgn

ROOT = Path(__file__).parents[1]

SHIM = r"""
#include "hash.h"
#include "wide256.h"
#include "world.h"

#define WIDE(at) i128_join(v[2 * (at)], v[2 * (at) + 1])

static void put(uint64_t *out, i128 r) {
    out[0] = i128_high(r);
    out[1] = i128_low(r);
}
static i256 get_words(const uint64_t *v) {
    i256 r = {{v[3], v[2], v[1], v[0]}};
    return r;
}
static void put_words(uint64_t *out, i256 r) {
    for (int i = 0; i < 4; i++) {
        out[i] = r.word[3 - i];
    }
}

uint64_t shim_magnitude(int64_t a) { return magnitude(a); }
uint64_t shim_mul_high(uint64_t a, uint64_t b) { return mul_high(a, b); }
void shim_of(int64_t a, uint64_t *out) { put(out, i128_of(a)); }
void shim_square(int64_t a, uint64_t *out) { put(out, i128_square(a)); }
void shim_mul(int64_t a, int64_t b, uint64_t *out) { put(out, i128_mul(a, b)); }
void shim_umul(uint64_t a, uint64_t b, uint64_t *out) { put(out, i128_umul(a, b)); }
void shim_add(const uint64_t *v, uint64_t *out) { put(out, i128_add(WIDE(0), WIDE(1))); }
void shim_sub(const uint64_t *v, uint64_t *out) { put(out, i128_sub(WIDE(0), WIDE(1))); }
void shim_neg(const uint64_t *v, uint64_t *out) { put(out, i128_neg(WIDE(0))); }
void shim_abs(const uint64_t *v, uint64_t *out) { put(out, i128_abs(WIDE(0))); }
int shim_sign(const uint64_t *v) { return i128_sign(WIDE(0)); }
int shim_cmp(const uint64_t *v) { return i128_cmp(WIDE(0), WIDE(1)); }
int shim_classify_wide(const uint64_t *v) { return classify_wide(WIDE(0), WIDE(1)); }
uint32_t shim_bits(const uint64_t *v) { return i128_bits(WIDE(0)); }
void shim_shr(const uint64_t *v, uint32_t shift, uint64_t *out) { put(out, i128_shr(WIDE(0), shift)); }
void shim_shl(const uint64_t *v, uint32_t shift, uint64_t *out) { put(out, i128_shl(WIDE(0), shift)); }
void shim_product(const uint64_t *v, uint64_t *out) {
    put_words(out, i256_mul(WIDE(0), WIDE(1)));
}
void shim_add_256(const uint64_t *v, uint64_t *out) {
    put_words(out, i256_add(get_words(v), get_words(v + 4)));
}
void shim_neg_256(const uint64_t *v, uint64_t *out) { put_words(out, i256_neg(get_words(v))); }
int shim_sign_256(const uint64_t *v) { return i256_sign(get_words(v)); }

int shim_sign64(int64_t a) { return sign64(a); }
int64_t shim_abs64(int64_t a) { return abs64(a); }
int64_t shim_min64(int64_t a, int64_t b) { return min64(a, b); }
int64_t shim_max64(int64_t a, int64_t b) { return max64(a, b); }
int shim_min_int(int a, int b) { return min_int(a, b); }
int shim_max_int(int a, int b) { return max_int(a, b); }
int shim_classify(int64_t a, int64_t b) { return classify(a, b); }
uint32_t shim_bit_length(uint64_t a) { return bit_length(a); }
int64_t shim_round(int64_t a) { return round_q30(a); }
uint32_t shim_trailing(uint64_t a) { return trailing_zeros(a); }
uint32_t shim_next(const uint64_t *set, uint32_t from, uint32_t capacity) {
    return set_next(set, from, capacity);
}

void shim_put_run(uint64_t *set, uint32_t first, uint32_t end) { set_put_run(set, first, end); }

uint64_t shim_pack(uint32_t a, uint32_t b, int contact) { return hit_pack(a, b, contact); }
void shim_unpack(uint64_t hit, uint32_t *out) {
    out[0] = hit_a(hit);
    out[1] = hit_b(hit);
    out[2] = hit_contact(hit);
}

uint64_t shim_scratch_at(const fxs_world *w) { return w->broad_at; }
void shim_sort(const fxs_world *w, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low, uint32_t bits) {
    fxs_sort(w, keys, spare, n, low, bits);
}

uint32_t shim_read32(const uint8_t *p) { return read32(p); }
uint64_t shim_read64(const uint8_t *p) { return read64(p); }
void shim_write32(uint8_t *p, uint32_t a) { write32(p, a); }
"""
FORMS = {
    "as the compiler has it": [],
    "in words": ["-DFXS_NO_INT128", "-DFXS_NO_BUILTINS", "-DFXS_NO_LITTLE_ENDIAN"],
}

INT64 = sorted(
    {sign * (2**k + e) for k in (0, 1, 31, 32, 33, 62) for e in (-1, 0, 1) for sign in (1, -1)}
)
INT64 += [-(2**63), -(2**63) + 1, 2**63 - 1, 0x1234567887654321, -0x0FEDCBA987654321]
WORDS = sorted(
    {2**k + e for k in (0, 1, 31, 32, 33, 63, 64) for e in (-1, 0, 1) if 0 <= 2**k + e < 2**64}
)
WORDS += [0x89ABCDEF01234567, 0x00000001FFFFFFFF]
HALVES = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 0x89ABCDEF01234567]
SIGNED = [
    high << 64 | low
    for high in (*HALVES, -(2**63), -(2**63) + 1, -(2**32), -2, -1)
    for low in HALVES
]
SIGNED = sorted({v for v in SIGNED if abs(v) < 2**127})
I64, U64, U32 = ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint32


@pytest.fixture(scope="module", params=FORMS)
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    where = tmp_path_factory.mktemp("wide")
    (where / "shim.c").write_text(SHIM, encoding="utf-8")
    flags = ["-std=c11", "-O0", "-fPIC", "-shared", f"-I{ROOT / 'csrc'}", *FORMS[request.param]]
    sources = [where / "shim.c", *sorted((ROOT / "csrc").glob("*.c"))]
    library = where / "wide.so"
    subprocess.run([compiler, *flags, *map(str, sources), "-o", str(library)], check=True)
    found = ctypes.CDLL(str(library))
    for name in ("abs64", "min64", "max64", "round"):
        getattr(found, f"shim_{name}").restype = I64
    for name in ("magnitude", "mul_high", "pack", "read64", "scratch_at"):
        getattr(found, f"shim_{name}").restype = U64
    found.fxs_world_size.restype = U64
    for name in ("bits", "bit_length", "trailing", "next", "read32"):
        getattr(found, f"shim_{name}").restype = U32
    return found


def words(bits: int, *values: int) -> Any:
    """Two's complement numbers of so many bits, each from its highest word on."""
    split = [v >> at & 2**64 - 1 for v in values for at in range(bits - 64, -1, -64)]
    return (U64 * len(split))(*split)


def number(out: Any) -> int:
    value = 0
    for word in out:
        value = value << 64 | word
    return value - (value >> 64 * len(out) - 1 << 64 * len(out))


def wide(function: Any, *arguments: Any) -> int:
    out = (U64 * 2)()
    function(*arguments, out)
    return number(out)


def wider(function: Any, *values: int, bits: int = 256) -> int:
    out = (U64 * 4)()
    function(words(bits, *values), out)
    return number(out)


def drawn(bits: int, count: int) -> list[int]:
    """Of any sizes up to so many bits, and of either sign."""
    rng = random.Random(bits)
    return [
        rng.choice((1, -1)) * (rng.getrandbits(bits) >> rng.randrange(bits)) for _ in range(count)
    ]


def test_numbers_of_64_bits_are_widened_and_multiplied_exactly(kernel: ctypes.CDLL) -> None:
    for a in INT64 + drawn(63, 200):
        assert kernel.shim_magnitude(I64(a)) == abs(a)
        assert wide(kernel.shim_of, I64(a)) == a
        assert wide(kernel.shim_square, I64(a)) == a * a
    for a, b in [
        *product(INT64, INT64),
        *zip(drawn(63, 500), reversed(drawn(63, 500)), strict=True),
    ]:
        assert wide(kernel.shim_mul, I64(a), I64(b)) == a * b
    magnitudes = [abs(v) for v in drawn(64, 500)]
    for a, b in [*product(WORDS, WORDS), *zip(magnitudes, reversed(magnitudes), strict=True)]:
        assert kernel.shim_mul_high(U64(a), U64(b)) == a * b >> 64
        if a * b < 2**127:
            assert wide(kernel.shim_umul, U64(a), U64(b)) == a * b


def test_sums_and_comparisons_of_128_bits_are_exact(kernel: ctypes.CDLL) -> None:
    for a in SIGNED + drawn(127, 200):
        assert wide(kernel.shim_neg, words(128, a)) == -a
        assert wide(kernel.shim_abs, words(128, a)) == abs(a)
        assert kernel.shim_sign(words(128, a)) == sgn(a)
    pairs = [
        *product(SIGNED, SIGNED),
        *zip(drawn(127, 500), reversed(drawn(127, 500)), strict=True),
    ]
    for a, b in pairs:
        both = words(128, a, b)
        assert kernel.shim_cmp(both) == sgn(a - b)
        assert kernel.shim_classify_wide(both) == 1 - sgn(a - b)
        if abs(a + b) < 2**127:
            assert wide(kernel.shim_add, both) == a + b
        if abs(a - b) < 2**127:
            assert wide(kernel.shim_sub, both) == a - b


def test_numbers_of_128_bits_are_shifted_and_measured_exactly(kernel: ctypes.CDLL) -> None:
    ones = [v >> 1 for k in range(129) for v in (2**k, 2**k - 1)]
    for a in {v for v in [*SIGNED, *ones, *map(abs, drawn(127, 50))] if 0 <= v < 2**127}:
        assert kernel.shim_bits(words(128, a)) == a.bit_length()
        for shift in range(128):
            assert wide(kernel.shim_shr, words(128, a), U32(shift)) == a >> shift
            if shift < 64 and a << shift < 2**127:
                assert wide(kernel.shim_shl, words(128, a), U32(shift)) == a << shift


def test_numbers_of_256_bits_are_exact_where_a_carry_goes_through_every_word(
    kernel: ctypes.CDLL,
) -> None:
    pairs = [
        *product(SIGNED, SIGNED),
        *zip(drawn(127, 500), reversed(drawn(127, 500)), strict=True),
    ]
    for a, b in pairs:
        assert wider(kernel.shim_product, a, b, bits=128) == a * b
    ends = [0, 1, 2**62, 2**63, 2**64 - 1]
    numbers = [
        sum(word << 64 * i for i, word in enumerate(four)) for four in product(ends, repeat=4)
    ]
    numbers = [v - (v >> 255 << 256) for v in numbers]
    numbers = [v for v in numbers if abs(v) < 2**255]
    for a in numbers:
        assert wider(kernel.shim_neg_256, a) == -a
        assert kernel.shim_sign_256(words(256, a)) == sgn(a)
    for a, b in product(numbers[::3], numbers[::2]):
        if abs(a + b) < 2**255:
            assert wider(kernel.shim_add_256, a, b) == a + b


def test_signs_and_ends_of_numbers_are_exact(kernel: ctypes.CDLL) -> None:
    for a in INT64:
        assert kernel.shim_sign64(I64(a)) == sgn(a)
        if a > -(2**63):
            assert kernel.shim_abs64(I64(a)) == abs(a)
    for a, b in product(INT64, INT64):
        assert kernel.shim_min64(I64(a), I64(b)) == min(a, b)
        assert kernel.shim_max64(I64(a), I64(b)) == max(a, b)
        assert kernel.shim_classify(I64(a), I64(b)) == 1 - sgn(a - b)
    ends = [-(2**31), -(2**31) + 1, -2, -1, 0, 1, 2, 2**31 - 1]
    for a, b in product(ends, ends):
        assert kernel.shim_min_int(a, b) == min(a, b)
        assert kernel.shim_max_int(a, b) == max(a, b)


def test_bits_of_words_are_counted_from_either_end(kernel: ctypes.CDLL) -> None:
    for k in range(64):
        for a in {1 << k, (1 << k) - 1, (1 << k) + 1, (2**64 - 1) << k & 2**64 - 1, 2**63 | 1 << k}:
            assert kernel.shim_bit_length(U64(a)) == a.bit_length()
            if a:
                assert kernel.shim_trailing(U64(a)) == (a & -a).bit_length() - 1


def test_quotients_by_2_to_the_30_are_rounded_to_nearest_halves_away_from_0(
    kernel: ctypes.CDLL,
) -> None:
    top = (2**63 - 2**29 - 1) >> 30
    for whole in (0, 1, 2, 5, 2**31 - 1, 2**31, 2**32, top - 1):
        for part in (0, 1, 2**29 - 1, 2**29, 2**29 + 1, 2**30 - 1):
            v = whole << 30 | part
            assert kernel.shim_round(I64(v)) == whole + (part >= 2**29)
            assert kernel.shim_round(I64(-v)) == -(whole + (part >= 2**29))


@pytest.mark.parametrize("capacity", [1, 2, 63, 64, 65, 127, 128, 129, 200, 256])
def test_the_next_of_a_set_is_the_least_that_is_not_less(
    kernel: ctypes.CDLL, capacity: int
) -> None:
    """Of members that stand alone, two by two, and none; the word past the set's end has its last
    bit.
    """
    size = (capacity + 63) // 64
    choices = [[], [0], [capacity - 1], [0, capacity - 1], list(range(capacity))]
    choices += [list(range(at, capacity, step)) for at in (0, 1, 5, 63) for step in (7, 63, 64, 65)]
    for members in choices:
        found = (U64 * (size + 1))(*[0] * size, 2**63)
        for id in members:
            found[id // 64] |= 1 << id % 64
        for start in range(capacity + 1):
            wanted = next((id for id in members if id >= start), capacity)
            assert kernel.shim_next(found, start, capacity) == wanted


def test_a_run_of_ids_is_put_into_a_set_beside_what_is_there(kernel: ctypes.CDLL) -> None:
    for first, end in combinations(range(194), 2):
        found = (U64 * 4)(1 << 7, 0, 1 << 9, 1 << 63)
        kernel.shim_put_run(found, U32(first), U32(end))
        wanted = 1 << 7 | 1 << 137 | 1 << 255 | (1 << end) - (1 << first)
        assert [*found] == [wanted >> 64 * word & 2**64 - 1 for word in range(4)]


def test_hits_of_any_ids_are_packed_in_their_order(kernel: ctypes.CDLL) -> None:
    ends = (0, 1, 2, 2**29 - 1, 2**29, 2**30 - 1, 2**30, 2**31 - 2, 2**31 - 1)
    hits = [hit for hit in product(ends, ends, (1, 2)) if hit[0] < hit[1]]
    packed = [kernel.shim_pack(U32(a), U32(b), contact) for a, b, contact in hits]
    assert packed == sorted(set(packed))
    out = (U32 * 3)()
    for hit, word in zip(hits, packed, strict=True):
        kernel.shim_unpack(U64(word), out)
        assert tuple(out) == hit


SORTED_BY = [
    (0, 0),
    (5, 0),
    (0, 1),
    (2, 1),
    (4, 2),
    (2, 6),
    (2, 7),
    (33, 8),
    (9, 12),
    (33, 13),
    (2, 15),
    (10, 22),
]
SORTED_BY += [(7, 29), (0, 43), (20, 44), (0, 63), (1, 63), (0, 64)]


@pytest.mark.parametrize("capacity", [1, 40, 200, 3000, 20000])
def test_many_keys_are_sorted_by_their_bits_alone_stably_and_few_as_a_whole_in_no_more_room(
    kernel: ctypes.CDLL, capacity: int
) -> None:
    """Of many keys and of few, by digits that differ, that are alike, and of which there is not
    one.
    """
    config = (U32 * 35)(capacity, 0, 1, *[2**32 - 1] * 32)
    size = kernel.fxs_world_size(config)
    world = (U64 * (size // 8))()
    assert kernel.fxs_world_init(world, config) == 0
    scratch = kernel.shim_scratch_at(world) // 8
    guard, rng = [0xA5A5A5A5A5A5A5A5], random.Random(capacity)
    world[scratch:] = guard * (size // 8 - scratch)
    few = [rng.getrandbits(64) for _ in range(3)]
    draws = [
        lambda: rng.getrandbits(64),
        lambda: rng.choice(few) ^ rng.getrandbits(8) << rng.randrange(57),
        lambda: few[0] ^ rng.getrandbits(6) << 30,
        lambda: few[1] ^ rng.getrandbits(3),
    ]
    for n, (low, bits) in product((0, 1, 2, 31, 32, 33, 34, 400, 2500), SORTED_BY):
        given = [draws[n % 4 if n < 100 else bits % 4]() for _ in range(n)]
        if n <= 32:
            given = rng.sample(sorted(set(given)), len(set(given)))
            n = len(given)
        keys, spare = (U64 * (n + 1))(*given, *guard), (U64 * (n + 1))(*[0] * n, *guard)
        kernel.shim_sort(world, keys, spare, U64(n), U32(low), U32(bits))
        whole = n <= 32
        assert (
            list(keys)
            == sorted(given, key=lambda key: key if whole else key >> low & (1 << bits) - 1) + guard
        )
        assert spare[n] == guard[0]
    assert world[scratch:] == guard * (size // 8 - scratch)


def test_words_are_little_endian_in_bytes_and_no_other_byte_is_touched(kernel: ctypes.CDLL) -> None:
    data = bytes(range(0x81, 0x95))
    for at in range(9):
        there = ctypes.c_char_p(data[at:])
        assert kernel.shim_read32(there) == int.from_bytes(data[at : at + 4], "little")
        assert kernel.shim_read64(there) == int.from_bytes(data[at : at + 8], "little")
        for value in (0, 1, 0x80FF01FE, 2**32 - 1):
            written = (ctypes.c_uint8 * 12)(*[0xA5] * 12)
            kernel.shim_write32(ctypes.byref(written, at), U32(value))
            assert bytes(written) == b"\xa5" * at + value.to_bytes(4, "little") + b"\xa5" * (8 - at)

"""The arithmetic that the kernel's headers share, against Python's integers: the compiler's, and in
words.

What the kernel computes of games reaches few of the numbers where a carry or a sign may go wrong.
These are tried here one by one."""

from __future__ import annotations

import ctypes
import random
from itertools import combinations, product
from typing import Any

import pytest
from builds import PORTABLE, Builds
from model import sgn
from tools import by_default, each

FORMS = {"as the compiler has it": [], "in words": PORTABLE}

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


@pytest.fixture(scope="module", params=by_default(1, FORMS))
def kernel(request: pytest.FixtureRequest, builds: Builds) -> ctypes.CDLL:
    found = builds.inside(*FORMS[request.param])
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


def pairs(ends: list[int], others: list[int]) -> list[tuple[int, int]]:
    """Every end with every end, and the others two by two."""
    return [*product(ends, ends), *zip(others, reversed(others), strict=True)]


def test_numbers_of_64_bits_are_widened_and_multiplied_exactly(kernel: ctypes.CDLL) -> None:
    for a in INT64 + drawn(63, 200):
        assert kernel.shim_magnitude(I64(a)) == abs(a)
        assert wide(kernel.shim_of, I64(a)) == a
        assert wide(kernel.shim_square, I64(a)) == a * a
    for a, b in pairs(INT64, drawn(63, 500)):
        assert wide(kernel.shim_mul, I64(a), I64(b)) == a * b
    for a, b in pairs(WORDS, [abs(v) for v in drawn(64, 500)]):
        assert kernel.shim_mul_high(U64(a), U64(b)) == a * b >> 64
        if a * b < 2**127:
            assert wide(kernel.shim_umul, U64(a), U64(b)) == a * b


def test_sums_and_comparisons_of_128_bits_are_exact(kernel: ctypes.CDLL) -> None:
    for a in SIGNED + drawn(127, 200):
        assert wide(kernel.shim_neg, words(128, a)) == -a
        assert wide(kernel.shim_abs, words(128, a)) == abs(a)
        assert kernel.shim_sign(words(128, a)) == sgn(a)
    for a, b in pairs(SIGNED, drawn(127, 500)):
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
    for a, b in pairs(SIGNED, drawn(127, 500)):
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


@each("capacity", [1, 2, 63, 64, 65, 127, 128, 129, 200, 256])
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


# From which bit, and by how many.
SORTED_BY = [(0, 0), (5, 0), (0, 1), (2, 1), (4, 2), (2, 6), (2, 7), (33, 8), (9, 12), (33, 13)]
SORTED_BY += [(2, 15), (10, 22), (7, 29), (0, 43), (20, 44), (0, 63), (1, 63), (0, 64)]


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

"""Proofs about the kernel's C, by a model checker (CBMC) and a solver (Z3).

    python tests/native/proofs.py              every proof
    python tests/native/proofs.py --quick      those that take seconds: what the tests run
    python tests/native/proofs.py --only cast
    python tests/native/proofs.py --undecided  those that no run has finished yet
    python tests/native/proofs.py --list       only print the claims

A proof holds for all values of its arguments within the bounds it names. It counts only if the same
proof, of a copy of the kernel with a fault planted in it, fails. Overflow, shifts, divisions,
conversions that could lose something and every access to memory are checked; a conversion to an
unsigned type is defined by C, and meant.

CBMC is found as `cbmc`, or started by .ci/cbmc; Z3 is the package z3-solver. Where `cadical` is
installed it takes the place of CBMC's own solver, and is several times as fast. Exit code 0: all
hold; 1: one does not; 2: the tools are not there."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from targets import CSRC, HERE, ROOT

PROOFS = HERE / "proofs"


@dataclass(frozen=True)
class Fault:
    """A change of one place of the kernel that a proof must notice."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Proof:
    claim: str
    file: str
    function: str
    fault: Fault
    options: tuple[str, ...] = ()
    bounds: str = "all"
    quick: bool = False
    undecided: bool = False  # not seen to end: no part of a full run, nor of the table

    @property
    def name(self) -> str:
        return self.function + "".join(
            f" {o[2:]}" for o in self.options if o.startswith(("-DKIND", "-DSIZE"))
        )


@dataclass(frozen=True)
class Lemma:
    """Arithmetic over unbounded integers: where nothing overflows, a statement about the code."""

    claim: str
    name: str
    state: Callable[[Any, bool], Any]  # (z3, with a fault) -> what must have no model
    bounds: str = "all integers in the ranges the code has"


KINDS = ("sphere", "capsule", "cylinder", "box", "sector")
HUGE_SIZES = Fault("fixsync.h", "#define FXS_SIZE_MAX 536870911", "#define FXS_SIZE_MAX 2147483647")
BYTES = ("-DFXS_NO_LITTLE_ENDIAN",)
WIDE = "all operands"


def contact_proofs() -> list[Proof]:
    """Every pair of kinds; two sectors never meet."""
    quick = {(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)}
    return (
        [
            Proof(
                f"contact of {KINDS[a]} and {KINDS[b]}: no overflow, nothing lost, nothing undefined",
                "prove_contact.c",
                "contact_is_defined",
                HUGE_SIZES,
                (f"-DKIND_A={a}", f"-DKIND_B={b}"),
                "all shapes, poses and directions, to 2^15 raw units beyond the reach",
                quick=(a, b) in quick,
            )
            for a in range(5)
            for b in range(a, 5)
            if (a, b) != (4, 4)
        ]
        + [
            Proof(
                f"a query's form of the contact of {KINDS[a]} and {KINDS[b]}: no overflow, nothing lost",
                "prove_contact.c",
                "slack_is_defined",
                HUGE_SIZES,
                (f"-DKIND_A={a}", f"-DKIND_B={b}"),
                "all shapes, poses and directions, to 2^15 raw units beyond the reach",
                quick=(a, b) in quick,
                undecided=b == 4,
            )
            for a, b in ((2, 4), (3, 4))
        ]
        + [
            Proof(
                f"what a sector's hole adds to its contact with {other}: no overflow, nothing lost",
                "prove_contact.c",
                f"{name}_is_defined",
                HUGE_SIZES,
                ("-DKIND_A=4", "-DKIND_B=4", "--unwind", "5"),
                bounds,
                undecided=name == "far",
            )
            for name, other, bounds in (
                ("hole", "what is round from above", "all radii, places and directions"),
                ("far", "a box", "all boxes and directions that are not rejected"),
            )
        ]
        + [
            Proof(
                "bounds of a query for a sector: no overflow, nothing lost",
                "prove_contact.c",
                "bounds_are_defined",
                Fault("contact.c", "? Q30_ONE : high", "? Q60_ONE : high"),
                ("-DKIND_A=4", "-DKIND_B=4", "--unwind", "4"),
                "all sectors, poses and directions",
                quick=True,
            )
        ]
    )


def number_proofs() -> list[Proof]:
    numbers, wide, angle = "prove_numbers.c", "prove_wide.c", "prove_angle.c"
    return [
        Proof(
            "round_q30 rounds to nearest, halves away from zero",
            numbers,
            "round_q30_rounds_halves_away_from_zero",
            Fault(
                "internal.h",
                "(uint64_t)-v + ((uint64_t)1 << 29)",
                "(uint64_t)-v + ((uint64_t)1 << 28)",
            ),
            bounds="all of its range",
            quick=True,
        ),
        Proof(
            "classify is the contract's CLS",
            numbers,
            "classify_orders",
            Fault("internal.h", "(l < r) + (l <= r)", "(l < r) + (l < r)"),
            quick=True,
        ),
        Proof(
            "bit_length and trailing_zeros without builtins",
            numbers,
            "bits_are_counted",
            Fault(
                "internal.h",
                "for (uint32_t step = 32; step; step /= 2)",
                "for (uint32_t step = 16; step; step /= 2)",
            ),
            ("-DFXS_NO_BUILTINS", "--unwind", "8"),
            quick=True,
        ),
        Proof(
            "a packed hit holds its parts and sorts by (a, b)",
            numbers,
            "packed_hits_hold_their_parts",
            Fault("world.h", "HIT_A_BIT 33", "HIT_A_BIT 32"),
            bounds="all ids",
            quick=True,
        ),
        Proof(
            "bounds in lanes: those that meet are found, what was cleared is not; no overflow",
            numbers,
            "lanes_meet_where_bounds_do",
            Fault("blocks.h", "((uint32_t)reach >> 2) + 1;", "((uint32_t)reach >> 2);"),
            bounds="all centres, reaches to 2^30",
            quick=True,
        ),
        Proof(
            "set_next finds the least member",
            numbers,
            "next_member_is_the_least",
            Fault(
                "world.h",
                "set[word] >> (from & 63) << (from & 63)",
                "set[word] >> (from & 31) << (from & 31)",
            ),
            ("--unwind", "194"),
            "all sets of up to 192 ids",
        ),
        Proof(
            "two-word sums, differences and negatives are exact",
            wide,
            "sums_are_exact",
            Fault("wide.h", "(low < a.low)", "(low <= a.low)"),
            bounds=WIDE,
            quick=True,
        ),
        Proof(
            "two-word signs, order, magnitudes are exact",
            wide,
            "signs_are_exact",
            Fault("wide.h", "return ah < bh ? -1 : 1;", "return ah > bh ? -1 : 1;"),
            bounds=WIDE,
            quick=True,
        ),
        Proof(
            "no sum within a two-word product wraps",
            wide,
            "products_never_wrap",
            Fault("wide.h", "mid = a1 * b0 + (low >> 32)", "mid = a1 * b0 + low"),
            ("--unsigned-overflow-check",),
            WIDE,
            quick=True,
        ),
        Proof(
            "the sign of a two-word product is exact, its magnitude being so",
            wide,
            "signs_of_products_are_exact",
            Fault("wide.h", "(a < 0) != (b < 0) ? i128_neg(r) : r", "a < 0 ? i128_neg(r) : r"),
            ("--z3",),
            WIDE,
            quick=True,
        ),
        Proof(
            "two-word shifts and bit lengths are exact",
            wide,
            "shifts_are_exact",
            Fault(
                "wide256.h",
                "high << (64 - shift) | low >> shift",
                "high << (63 - shift) | low >> shift",
            ),
            bounds=WIDE,
            quick=True,
        ),
        Proof(
            "four-word sums, negatives and signs are exact",
            wide,
            "sums_of_four_words_are_exact",
            Fault("wide256.h", "carry += a.word[i] < sum;", "carry = a.word[i] < sum;"),
            ("--unwind", "6"),
            WIDE,
            quick=True,
        ),
        Proof(
            "direction: tables in range, nothing lost",
            angle,
            "direction_is_defined",
            Fault("angle.c", "first_quarter(half & 32767", "first_quarter(half & 65535"),
            bounds="all 65,536 yaws",
        ),
        Proof(
            "yaw_of: no overflow, tables and division in range",
            angle,
            "yaw_of_is_defined",
            Fault("angle.c", "if (dx == 0 && dz == 0) {", "if (dx == 0 && dz == 1) {"),
            ("--unwind", "34"),
            "all int64 arguments",
        ),
        Proof(
            "isqrt64: shifts and divisions in range, ends",
            angle,
            "isqrt_is_defined",
            Fault("angle.c", "if (n == 0) {", "if (n == 1) {"),
            ("--unwind", "34"),
            "all uint64 arguments",
            quick=True,
        ),
        Proof(
            "length: no overflow, below 2^33",
            angle,
            "length_is_defined",
            Fault(
                "angle.c",
                "(i128_high(n) << 62 | i128_low(n) >> 2) * 2",
                "(i128_high(n) << 62 | i128_low(n) >> 2) * 4",
            ),
            ("--unwind", "34"),
            "all int64 arguments",
            quick=True,
        ),
        Proof(
            "yaw_between is the shorter way round",
            angle,
            "turns_are_the_shorter_way",
            Fault("angle.c", "turn < 32768 ?", "turn <= 32768 ?"),
            bounds="all uint32 arguments",
            quick=True,
        ),
    ]


def world_proofs() -> list[Proof]:
    world = "prove_world.c"
    return [
        Proof(
            "an offset is turned without overflow, each part at most 2^62, and 2^60 of a short one",
            world,
            "offset_is_turned",
            Fault(
                "internal.h",
                "{v.x * dir.x - v.z * dir.z, v.x",
                "{v.x * dir.x - v.z * dir.z * 2, v.x",
            ),
            bounds="all offsets and directions",
            quick=True,
        ),
        Proof(
            "a collider's centre is exact, and refused outside int32",
            world,
            "centres_are_exact",
            Fault("world.h", "y < INT32_MIN || y > INT32_MAX", "y < INT32_MIN"),
            ("--unwind", "5"),
            "all positions, offsets, kinds, sizes and directions",
        ),
        Proof(
            "load takes a collider if and only if its fields and its centre are in range",
            world,
            "colliders_are_taken_iff_they_are_in_range",
            Fault("shape.h", "#define SHORT (1 << 29)", "#define SHORT (1 << 30)"),
            (*BYTES, "-DFXS_NO_BUILTINS", "--unwind", "53"),
            "all 52 bytes but the id, all directions",
            quick=True,
        ),
        Proof(
            "the parts of a world's memory do not overlap, and lie within its size",
            world,
            "parts_of_a_world_do_not_overlap",
            Fault(
                "world.c", "w->marks_at = room(&end, set);", "w->marks_at = room(&end, set / 2);"
            ),
            ("--unwind", "34"),
            "all capacities",
        ),
        *(
            Proof(
                "the events of a step are those of the contract, in order",
                world,
                "events_are_those_of_the_contract",
                Fault("step.c", "} else if (was < is) {", "} else if (was <= is + 1) {"),
                (f"-DMOST_HITS={most}", "--unwind", str(2 * most + 2)),
                f"all sets of up to {most} hits before and {most} now, all changes",
                quick=most == 2,
                undecided=most == 3,
            )
            for most in (2, 3)
        ),
    ]


def push_proofs() -> list[Proof]:
    push = "prove_push.c"
    return [
        Proof(
            "push_out, the root of a number in Q30: shifts in range, nothing lost",
            push,
            "root_q30_is_defined",
            Fault("push.c", "for (; m >> 62 == 0; m <<= 2) {", "for (; m >> 63 == 0; m <<= 2) {"),
            ("--unwind", "34"),
            "all of its range",
        ),
        Proof(
            "push_out, the length and direction of a vector: no overflow, nothing lost",
            push,
            "way_along_is_defined",
            Fault(
                "push.c",
                "for (; (x | z) >> 31; x >>= 1, z >>= 1)",
                "for (; (x | z) >> 32; x >>= 1, z >>= 1)",
            ),
            ("-DROUGH_ROOT", "--unwind", "34"),
            "all of its range",
        ),
        Proof(
            "push_out, the way between two boxes: no overflow",
            push,
            "boxes_part_along_an_axis",
            Fault(
                "push.c", "ax * Q30_ONE + bx * c + bz * s, p)", "ax * Q60_ONE + bx * c + bz * s, p)"
            ),
            ("--unwind", "5"),
            "all sizes, places and directions",
        ),
        Proof(
            "push_out, a length times a direction in whole units: no overflow",
            push,
            "parts_are_whole",
            Fault("push.c", "(length % Q30_ONE) * u / Q30_ONE", "length * u / Q30_ONE"),
            bounds="all of its range",
            quick=True,
        ),
        Proof(
            "push_out, the better of two ways is the shorter, whatever their order",
            push,
            "the_better_way_does_not_depend_on_order",
            Fault("push.c", "return a.length < b.length ? a : b;", "return a;"),
            bounds="all ways",
            quick=True,
        ),
    ]


def cast_proofs() -> list[Proof]:
    cast = "prove_cast.c"
    return [
        Proof(
            "cast, fraction_of: no overflow, within 0 .. 65536",
            cast,
            "fractions_are_defined",
            Fault("cast.c", "t.n *= 2;", "t.n *= 4;"),
            ("--unwind", "18"),
            "all moments with denominators to 2^61",
        ),
        Proof(
            "cast, moments are compared without overflow, in 64 bits where those are enough",
            cast,
            "moments_are_compared_without_overflow",
            Fault("cast.c", "(uint64_t)b.d) >> 31 == 0", "(uint64_t)b.d) >> 40 == 0"),
            bounds="all of its range",
            quick=True,
        ),
        Proof(
            "cast, coordinates at a multiple of 2^-32 are exact",
            cast,
            "rim_coordinates_are_exact",
            Fault("cast.c", "-(int64_t)~sum - 1", "-(int64_t)~sum"),
            bounds="all of its range",
            quick=True,
        ),
        Proof(
            "cast, leading bits are kept",
            cast,
            "leading_bits_are_kept",
            Fault("cast.c", "i128_low(a) << -shift", "i128_low(a) << (1 - shift)"),
            bounds="all of its range",
            quick=True,
        ),
        Proof(
            "cast, slabs are clipped to 0..1 without overflow",
            cast,
            "slabs_are_clipped",
            Fault("cast.c", "if (in.n > a->m || out.n < 0) {", "if (in.n > a->m) {"),
            bounds="all slabs, motions and windows",
        ),
        Proof(
            "cast, swept bounds are rounded down, at both ends",
            cast,
            "swept_bounds_hold_the_way",
            Fault(
                "world_cast.c",
                "(j->M[i] * before + lift * WHOLE) / WHOLE - lift",
                "j->M[i] * before / WHOLE",
            ),
            ("--unwind", "5"),
            "all motions and slices",
        ),
        Proof(
            "cast, the first hits are kept, in order",
            cast,
            "the_first_hits_are_kept_in_order",
            Fault(
                "world_cast.c",
                "a->fraction > b->fraction : a->id > b->id",
                "a->fraction > b->fraction : a->id < b->id",
            ),
            ("-DMOST_HITS=3", "--unwind", "5"),
            "all hits, up to 3, all limits",
            undecided=True,
        ),
    ]


def hash_proofs() -> list[Proof]:
    return [
        Proof(
            "XXH64 stays within the bytes and within what it holds",
            "prove_hash.c",
            "adding_stays_within_the_bytes",
            Fault(
                "hash.c", "memcpy(h->held + held, p, 32 - held);", "memcpy(h->held + held, p, 32);"
            ),
            ("-DMOST=40", "--slice-formula", "--unwind", "9"),
            "all pieces of up to 40 bytes, after any number of bytes",
            undecided=True,
        ),
    ]


def state_proofs() -> list[Proof]:
    return [
        Proof(
            "load finds its parts within the bytes, whatever the counts in them",
            "prove_state.c",
            "parts_lie_within_the_bytes",
            Fault("state.c", "if (size < offset + 4) {", "if (size < offset) {"),
            ("-DSIZE_MAX_BYTES=4096", *BYTES, "--unwind", "5"),
            "all bytes of up to 4096",
            quick=True,
        ),
        Proof(
            "load reads a state's head within the bytes, and knows symmetric layers",
            "prove_state.c",
            "a_head_is_read_within_the_bytes",
            Fault("state.c", "if (size < head_size(w) || ", "if (size < head_size(w) - 4 || "),
            ("-DSIZE_MAX_BYTES=256", *BYTES, "--unwind", "34"),
            "all bytes of up to 256",
        ),
        Proof(
            "a collider's bytes are the contract's, and are read as they were written",
            "prove_state.c",
            "colliders_are_read_as_written",
            Fault("state.c", "(uint32_t)c.layer << 8", "(uint32_t)c.layer << 16"),
            ("-DSIZE_MAX_BYTES=256", *BYTES, "--unwind", "14"),
            "all colliders",
            quick=True,
        ),
    ]


def cls(z3: Any, left: Any, right: Any) -> Any:
    return z3.If(left < right, 2, z3.If(left == right, 1, 0))


def two_discs(z3: Any, fault: bool) -> Any:
    """NEAR of a cylinder with q = r^2, against a comparison of D2 with the squared sum of the
    radii.
    """
    distance_sq, big, small = z3.Ints("distance_sq R r")
    beyond = distance_sq - big * big
    left = beyond - small * small
    near = z3.If(
        beyond <= 0,
        cls(z3, 0, small * small),
        z3.If(left < 0, 2, cls(z3, left * left, 4 * big * big * small * small)),
    )
    both = big + small + int(fault)
    return z3.And(distance_sq >= 0, big >= 1, small >= 1, near != cls(z3, distance_sq, both * both))


def whole_units(z3: Any, fault: bool) -> Any:
    """classify_q46: u = floor(v / 2^30) decides |v|^2 against q * 2^60 outside a band."""
    q, ux, uz, rest_x, rest_z = z3.Ints("q ux uz rest_x rest_z")
    one = 2**30
    x, z = ux * one + rest_x, uz * one + rest_z
    ranges = [
        ux >= 0,
        uz >= 0,
        q >= 0,
        *(z3.And(rest >= 0, rest < one) for rest in (rest_x, rest_z)),
    ]
    least = ux * ux + uz * uz
    most = least + 2 * (ux + uz + (0 if fault else 1))
    apart = z3.And(least > q, x * x + z * z <= q * one * one)
    overlapping = z3.And(most <= q, x * x + z * z >= q * one * one)
    return z3.And(*ranges, z3.Or(apart, overlapping))


def umul(z3: Any, fault: bool) -> Any:
    """The sums in mul_high, for any four products of 32-bit halves."""
    word = 2**32
    p00, p10, p01, p11 = z3.Ints("p00 p10 p01 p11")
    ranges = [z3.And(p >= 0, p <= (word - 1) ** 2) for p in (p00, p10, p01, p11)]
    mid = p10 + (p00 if fault else p00 / word)
    cross = p01 + mid % word
    high = p11 + mid / word + cross / word
    low = (cross % word) * word + p00 % word
    wraps = [v >= word * word for v in (mid, cross, high, low)]
    wrong = high * word * word + low != p00 + (p10 + p01) * word + p11 * word * word
    return z3.And(*ranges, z3.Or(*wraps, wrong))


def mul256(z3: Any, fault: bool) -> Any:
    """The sums in i256_mul, for any four products of the 64-bit halves of two numbers below
    2^127.
    """
    word = 2**64
    p00, p10, p01, p11 = z3.Ints("p00 p10 p01 p11")
    most = {p00: (word - 1) ** 2, p10: (word - 1) * (word // 2 - 1), p11: (word // 2 - 1) ** 2}
    most[p01] = most[p10]
    ranges = [z3.And(p >= 0, p <= limit) for p, limit in most.items()]
    mid = p01 + p00 / word
    cross = p10 + mid % word
    high = p11 + mid / word + (0 if fault else cross / word)
    wraps = [v >= word * word // 2 for v in (mid, cross, high)]
    wrong = (
        high * word * word + (cross % word) * word + p00 % word
        != p00 + (p10 + p01) * word + p11 * word * word
    )
    return z3.And(*ranges, z3.Or(*wraps, wrong))


def root_stage(bits: int, shift: int, cut: int) -> Callable[[Any, bool], Any]:
    """A line of isqrt64: from r, (r - 1)^2 < hi < (r + 1)^2, to (r << shift) + (m >> cut) / r of
    m.
    """

    def state(z3: Any, fault: bool) -> Any:
        m, r, hi, low, dividend, dropped, quotient, rest = z3.Ints(
            "m r hi low dividend dropped quotient rest"
        )
        under = 2 ** (2 * (shift + 1))
        ranges = [
            z3.And(m == hi * under + low, low >= 0, low < under),
            z3.And(hi >= 2 ** (2 * (bits - shift - 1) - 2), hi < 2 ** (2 * (bits - shift - 1))),
            z3.And(r >= 1, (r - 1) * (r - 1) < hi, hi < (r + 1) * (r + 1)),
            z3.And(m == dividend * 2**cut + dropped, dropped >= 0, dropped < 2**cut),
            z3.And(dividend == quotient * r + rest, rest >= 0, rest < r),
        ]
        root = r * 2**shift + quotient - int(fault)
        return z3.And(*ranges, z3.Or((root - 1) * (root - 1) >= m, m >= (root + 1) * (root + 1)))

    return state


def root_start(z3: Any, fault: bool) -> Any:
    """The first two lines of isqrt64, of the leading 8 bits."""
    top = z3.Int("top")
    start = 1 + top / 64
    root = 2 * start + (top / 8) / start - int(fault)
    return z3.And(
        top >= 64, top < 256, z3.Or((root - 1) * (root - 1) >= top, top >= (root + 1) * (root + 1))
    )


def root_end(z3: Any, fault: bool) -> Any:
    """The last lines of isqrt64: a root of n << 2s, at most one off, shifted back and corrected by
    one.
    """
    n, r, g, rest = z3.Ints("n r g rest")
    cases = []
    for shift in range(32):
        scale = 2**shift
        m = n * scale * scale
        found = g - z3.If(g * g > n, 0 if fault else 1, 0)
        cases.append(
            z3.And(
                (r - 1) * (r - 1) < m,
                m < (r + 1) * (r + 1),
                r == g * scale + rest,
                rest >= 0,
                rest < scale,
                z3.Or(found * found > n, (found + 1) * (found + 1) <= n),
            )
        )
    return z3.And(n >= 1, r >= 1, z3.Or(*cases))


def last_digit(z3: Any, fault: bool) -> Any:
    """The last lines of length: of the root s of n / 4, rounded down, to that of n."""
    n, quarter, low, s = z3.Ints("n quarter low s")
    found = z3.If((2 * s + 1) * (2 * s + 1) <= n, 2 * s + 1, 2 * s + int(fault))
    return z3.And(
        *(n == 4 * quarter + low, low >= 0, low < 4),
        *(s >= 0, s * s <= quarter, quarter < (s + 1) * (s + 1)),
        z3.Or(found * found > n, (found + 1) * (found + 1) <= n),
    )


def fraction_digit(z3: Any, fault: bool) -> Any:
    """A digit of fraction_of: from k d + t = p n, 0 <= t < d, to the same with 2 p."""
    n, d, k, t, p = z3.Ints("n d k t p")
    over = 2 * t > d if fault else 2 * t >= d
    next_t, next_k = z3.If(over, 2 * t - d, 2 * t), 2 * k + z3.If(over, 1, 0)
    is_kept = z3.And(next_k * d + next_t == 2 * p * n, next_t >= 0, next_t < d)
    return z3.And(t >= 0, t < d, k * d + t == p * n, z3.Not(is_kept))


def quotient_digit(z3: Any, fault: bool) -> Any:
    """digit_of: the guess from the leading bits of rest < 2^31 d leaves 0 <= rest < 2 d."""
    rest, d, high, low, d_high, d_low, guess, over = z3.Ints(
        "rest d high low d_high d_low guess over"
    )
    half = 2**31
    left = rest - guess * d
    return z3.And(
        *(d >= half * half, d < 2 * half * half, rest >= 0, rest < half * d),
        *(
            rest == high * half + low,
            low >= 0,
            low < half,
            d == d_high * half + d_low,
            d_low >= 0,
            d_low < half,
        ),
        *(high == guess * (d_high + 1) + over, over >= 0, over <= d_high),
        z3.Or(left < 0, left >= (2 - int(fault)) * d),
    )


def unit_vector(z3: Any, fault: bool) -> Any:
    """way_along: x of a vector by its length, rounded down, in Q30; z_sq is the square of its other
    part.
    """
    x, z_sq, length, quotient = z3.Ints("x z_sq length quotient")
    end = length + 1 + int(fault)
    longer = z3.And(x * x + z_sq < end * end, x > length)
    above = z3.And(x <= length, quotient * length <= x * 2**30, quotient > 2**30)
    return z3.And(x >= 0, z_sq >= 0, length >= 1, z3.Or(longer, above))


def yaw_ratio(z3: Any, fault: bool) -> Any:
    """yaw_of: the lesser part by the greater, in Q31, which the table of arc tangents is read
    at.
    """
    least, most, ratio = z3.Ints("least most ratio")
    ranges = [least >= 0, least <= most, most >= 1, ratio * most <= least * 2**31]
    return z3.And(*ranges, ratio > 2**31 - int(fault))


def newton(z3: Any, fault: bool) -> Any:
    """isqrt128: from r, off by less than unit <= r / 2^30, to r + (n - r^2) / 2 / r, at most 2 too
    large.
    """
    n, r, unit, half, odd, step, rest = z3.Ints("n r unit half odd step rest")
    least = r + step - (0 if fault else 2)
    return z3.And(
        *(unit >= 1, unit <= 2**32, r >= unit * 2**30, r * r <= n, n < (r + unit) * (r + unit)),
        *(
            n - r * r == 2 * half + odd,
            odd >= 0,
            odd < 2,
            half == step * r + rest,
            rest >= 0,
            rest < r,
        ),
        z3.Or((r + step + 1) * (r + step + 1) <= n, least * least > n),
    )


def halving(z3: Any, fault: bool) -> Any:
    """lift: the middle is within, so that what is left, at most 2^31 at first, is halved each
    time.
    """
    held, ended = z3.Ints("held ended")
    middle = held + (ended - held) / 2 + int(fault)
    larger = z3.If(middle - held > ended - middle, middle - held, ended - middle)
    within = z3.And(middle > held, middle < ended, 2 * larger <= ended - held + 1)
    return z3.And(held >= 0, ended - held > 1, z3.Not(within))


LEMMAS = [
    Lemma(
        "two discs: comparing squared distances is NEAR's comparison of L^2", "two_discs", two_discs
    ),
    Lemma(
        "classify_q46: whole raw units decide outside a band, and decide rightly",
        "whole_units",
        whole_units,
    ),
    Lemma("the words of a two-word product are the product", "umul", umul),
    Lemma("the words of a four-word product are the product", "mul256", mul256),
    Lemma("isqrt64: the first estimate is off by less than one", "root_start", root_start),
    Lemma("isqrt64: 4 bits to 8", "root_stage_8", root_stage(8, 3, 5)),
    Lemma("isqrt64: 8 bits to 16", "root_stage_16", root_stage(16, 7, 9)),
    Lemma("isqrt64: 16 bits to 32", "root_stage_32", root_stage(32, 15, 17)),
    Lemma("isqrt64: shifted back and corrected, it is the floor of the root", "root_end", root_end),
    Lemma("length: from the root of a quarter to the root", "last_digit", last_digit),
    Lemma("fraction_of: each digit is one of floor(65536 t)", "fraction_digit", fraction_digit),
    Lemma("yaw_of: the ratio is at most 1, and so within its table", "yaw_ratio", yaw_ratio),
    Lemma(
        "quotient: a digit is right but for a last subtraction", "quotient_digit", quotient_digit
    ),
    Lemma(
        "isqrt128: a step of Newton's is at most 2 too large, and never too small", "newton", newton
    ),
    Lemma("push_out, the direction of a vector: no component above 1", "unit_vector", unit_vector),
    Lemma("lift: its interval is halved each time", "halving", halving),
]


def all_proofs() -> list[Proof]:
    return [
        *number_proofs(),
        *contact_proofs(),
        *push_proofs(),
        *cast_proofs(),
        *world_proofs(),
        *state_proofs(),
        *hash_proofs(),
    ]


def everything() -> list[Proof | Lemma]:
    """What is proved."""
    return [*LEMMAS, *(p for p in all_proofs() if not p.undecided)]


def cbmc() -> list[str]:
    """The command that starts CBMC, or nothing."""
    if shutil.which("cbmc"):
        return ["cbmc"]
    wrapper = ROOT / ".ci" / "cbmc"
    if (
        wrapper.exists()
        and subprocess.run([wrapper, "--version"], capture_output=True, check=False).returncode == 0
    ):
        return [str(wrapper)]
    return []


# Checks of a conversion to an unsigned type: C defines it, and it is meant wherever it is written.
MEANT = "to unsigned type conversion"


def run_cbmc(command: list[str], arguments: list[str], seconds: float) -> str:
    # The solver that `--z3` starts is a program of the z3-solver package.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with (
        tempfile.TemporaryDirectory(prefix="fixsync-formula-") as scratch,
        subprocess.Popen(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": path, "TMPDIR": scratch},
            start_new_session=True,
        ) as process,
    ):
        try:
            return process.communicate(timeout=seconds)[0]
        except BaseException:
            # The solver is a process of its own, which would go on when the time is over.
            os.killpg(process.pid, signal.SIGKILL)
            raise


def solver(proof: Proof) -> list[str]:
    """The options that choose what decides a formula."""
    if "--z3" not in proof.options and shutil.which("cadical"):
        return ["--external-sat-solver", "cadical"]
    return []


def deciders(proof: Proof) -> str:
    return "CBMC, Z3" if "--z3" in proof.options else "CBMC, CaDiCaL" if solver(proof) else "CBMC"


def check(command: list[str], proof: Proof, csrc: Path, seconds: float) -> tuple[bool, str]:
    """Whether everything the proof is about holds, and what does not."""
    arguments = [
        str(PROOFS / proof.file),
        "-I",
        str(csrc),
        "-I",
        str(PROOFS),
        "--function",
        proof.function,
    ]
    arguments += [
        "--conversion-check",
        "--no-malloc-may-fail",
        "--drop-unused-functions",
        *proof.options,
    ]
    try:
        said = run_cbmc(command, [*arguments, "--show-properties", "--json-ui"], seconds)
        try:
            parts = json.loads(said)
        except json.JSONDecodeError:
            return False, f"the checker could not run: {said.strip()[-200:]}"
        properties = [p for part in parts if "properties" in part for p in part["properties"]]
        if not properties:
            return False, f"the checker could not run: {parts[-1]}"
        chosen = [
            word
            for p in properties
            if MEANT not in p["description"]
            for word in ("--property", p["name"])
        ]
        said = run_cbmc(command, [*arguments, *chosen, *solver(proof), "--stop-on-fail"], seconds)
    except subprocess.TimeoutExpired:
        return False, f"not decided in {seconds:.0f} s"
    if "VERIFICATION SUCCESSFUL" in said:
        return True, ""
    if "VERIFICATION FAILED" in said:
        return False, " ".join(said.partition("Violated property:")[2].split()[:40])
    return False, f"the checker could not run: {said.strip()[-200:]}"


def planted(fault: Fault, directory: Path) -> Path:
    """A copy of the kernel with the fault in it."""
    copy = Path(tempfile.mkdtemp(dir=directory)) / "csrc"
    shutil.copytree(CSRC, copy)
    text = (copy / fault.file).read_text(encoding="utf-8")
    if fault.old not in text:
        raise ValueError(f"{fault.file} has no {fault.old!r} any more: plant another fault")
    (copy / fault.file).write_text(text.replace(fault.old, fault.new, 1), encoding="utf-8")
    return copy


@dataclass(frozen=True)
class Outcome:
    name: str
    claim: str
    bounds: str
    by: str
    held: bool
    seconds: float
    detail: str


def processor_seconds() -> float:
    """Of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


def try_proof(command: list[str], proof: Proof, directory: Path, seconds: float) -> Outcome:
    started = processor_seconds()
    held, detail = check(command, proof, CSRC, seconds)
    taken = processor_seconds() - started
    if held:
        fault_held, fault_detail = check(command, proof, planted(proof.fault, directory), seconds)
        if fault_held or "not decided" in fault_detail or "could not run" in fault_detail:
            held, detail = False, f"the planted fault is not seen: {fault_detail}"
    return Outcome(proof.name, proof.claim, proof.bounds, deciders(proof), held, taken, detail)


def try_lemma(z3: Any, lemma: Lemma, seconds: float) -> Outcome:
    def models(fault: bool) -> Any:
        solver = z3.Solver()
        solver.set("timeout", int(seconds * 1000))
        solver.add(lemma.state(z3, fault))
        return solver.check()

    started = processor_seconds()
    verdict = models(False)
    taken = processor_seconds() - started
    held = verdict == z3.unsat and models(True) == z3.sat
    detail = (
        ""
        if held
        else f"the solver says {verdict}"
        if verdict != z3.unsat
        else "the planted fault is not seen"
    )
    return Outcome(lemma.name, lemma.claim, lemma.bounds, "Z3", held, taken, detail)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="those that take seconds")
    parser.add_argument(
        "--undecided", action="store_true", help="those that were not seen to end, instead"
    )
    parser.add_argument(
        "--only", metavar="WORD", help="those with this word in their name or claim"
    )
    parser.add_argument("--seconds", type=float, default=1800, help="the longest that one may take")
    parser.add_argument("--list", action="store_true", help="only print the claims")
    args = parser.parse_args()
    proofs = [p for p in everything() if not args.quick or isinstance(p, Lemma) or p.quick]
    if args.undecided:
        proofs = [p for p in all_proofs() if p.undecided]
    if args.only:
        proofs = [p for p in proofs if args.only in p.name or args.only in p.claim]
    if args.list:
        for proof in proofs:
            print(f"{proof.claim} ({proof.bounds})")
        return 0
    command = cbmc()
    try:
        import z3  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        z3 = None
    missing = [name for name, there in (("CBMC", command), ("z3-solver", z3)) if not there]
    if missing:
        print(f"not here: {', '.join(missing)}", file=sys.stderr)
        return 2
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="fixsync-proofs-") as name:
        for proof in proofs:
            if isinstance(proof, Lemma):
                outcome = try_lemma(z3, proof, args.seconds)
            else:
                outcome = try_proof(command, proof, Path(name), args.seconds)
            outcomes.append(outcome)
            said = "proved" if outcome.held else f"NOT PROVED: {outcome.detail}"
            print(
                f"{outcome.seconds:7.1f} s  {outcome.claim} ({outcome.bounds}): {said}", flush=True
            )
    held = sum(o.held for o in outcomes)
    print(f"{held} of {len(outcomes)} proved, each of them broken by its planted fault")
    return int(held != len(outcomes))


if __name__ == "__main__":
    sys.exit(main())

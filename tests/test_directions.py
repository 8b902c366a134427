"""All 65,536 directions and all borders of yaw_of, against a rotation in integers of 320 bits."""

from __future__ import annotations

from functools import cache
from math import gcd

import mpmath

from fixsync import direction, yaw_of

TURN = 65536
BITS = 320
ONE = 1 << 30


@cache
def half_steps() -> list[tuple[int, int]]:
    """(cos, sin) at every half step, times 2^BITS: one after the other, by turning the last by half
    a step.

    A product is cut off by less than 1, so that all of a turn is off by less than 2^20 of 2^320.
    """
    with mpmath.workprec(BITS + 64):
        angle = mpmath.pi / TURN
        c, s = (int(mpmath.floor(f(angle) * 2**BITS)) for f in (mpmath.cos, mpmath.sin))
    found = [(1 << BITS, 0)]
    for _ in range(2 * TURN - 1):
        x, z = found[-1]
        found.append(((x * c - z * s) >> BITS, (x * s + z * c) >> BITS))
    return found


@cache
def rounded() -> list[tuple[int, ...]]:
    half = 1 << (BITS - 31)
    return [tuple((v + half) >> (BITS - 30) for v in pair) for pair in half_steps()]


def test_the_rotation_comes_round() -> None:
    x, z = half_steps()[TURN]
    assert abs(x + (1 << BITS)) < 1 << 24
    assert abs(z) < 1 << 24


def test_every_direction_is_correctly_rounded() -> None:
    assert [yaw for yaw in range(TURN) if direction(yaw) != rounded()[2 * yaw]] == []


def test_no_direction_is_longer_along_both_axes_than_the_proofs_take_it_to_be() -> None:
    assert max(abs(c) + abs(s) for c, s in map(direction, range(TURN))) <= 1518500252


def test_no_direction_or_border_is_near_a_tie() -> None:
    """The kernel's sums are off by less than 2^-60: what is that far from a tie is rounded
    rightly.
    """
    half = 1 << (BITS - 31)
    near = half >> 29
    assert [
        n for n, pair in enumerate(half_steps()) for v in pair if abs(v % (2 * half) - half) < near
    ] == []


def test_every_direction_has_its_own_yaw_near_and_far() -> None:
    for yaw in range(TURN):
        c, s = direction(yaw)
        assert yaw_of(c, s) == yaw
        assert yaw_of(3 * c, 3 * s) == yaw


def just_before(x: int, z: int) -> tuple[int, int]:
    """The nearest vector before (x, z) that is not much longer: that of the least cross product."""
    g = gcd(x, z)
    p, r = x // g, z // g
    # u p + v r = 1, so that p (r - u) - r (v + p) = -1. No border lies on an axis, so r is not 0.
    u = pow(p, -1, abs(r)) if abs(r) > 1 else 0
    v = (1 - u * p) // r
    return v + p, r - u


def test_every_border_of_yaw_of_is_where_it_should_be_to_the_last_step() -> None:
    """On the rounded border the yaw above it, at the nearest vector before it the yaw below."""
    for yaw in range(TURN):
        x, z = rounded()[(2 * yaw - 1) % (2 * TURN)]
        near = just_before(x, z)
        assert x * near[1] - z * near[0] == -gcd(x, z)
        assert yaw_of(x, z) == yaw
        assert yaw_of(*near) == (yaw - 1) % TURN

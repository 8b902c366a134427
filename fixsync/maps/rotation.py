"""Turning by any number of degrees, in integers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

_BITS = 128
_PI = 0x3243F6A8885A308D313198A2E03707344
"""pi * 2^128, rounded down."""
_KEPT = 2**100


@lru_cache(1024)
def rotation(degrees: Fraction) -> tuple[int, int, int]:
    """Cosine and sine of an angle in degrees, and the number that both are over. Turning by it
    takes +X towards +Z (in Tiled: clockwise).

    They are within 2^-100, so a turned point is rounded as its exact place would be; at multiples
    of 30 degrees those that are fractions are exact."""
    quarters, rest = divmod(degrees, 90)
    cos, sin = _cos_sin(rest)
    for _ in range(quarters % 4):
        cos, sin = -sin, cos
    return (cos // _KEPT, sin // _KEPT, 1) if rest == 0 else (cos, sin, _KEPT)


def _cos_sin(degrees: Fraction) -> tuple[int, int]:
    """Of 0..90 degrees, over 2^100."""
    angle = int(degrees * _PI / 180)
    sums = [1 << _BITS, 0]
    term, n = 1 << _BITS, 0
    while term:
        n += 1
        term = (term * angle >> _BITS) // n
        sums[n % 2] += -term if n % 4 in (2, 3) else term
    cos, sin = (round(Fraction(total * _KEPT, 1 << _BITS)) for total in sums)
    return cos, sin

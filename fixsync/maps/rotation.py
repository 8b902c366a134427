"""Turning by any number of degrees, in integers."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["Rotation"]

_BITS = 128
_PI = 0x3243F6A8885A308D313198A2E03707344
"""pi * 2^128, rounded down."""
_KEPT = 2**100


class Rotation:
    """A rotation by an angle in degrees that takes +X towards +Z (in Tiled: clockwise).

    Sine and cosine are within 2^-100, so a turned point is rounded as its exact place would be; at
    multiples of 30 degrees those that are fractions are exact."""

    def __init__(self, degrees: Fraction) -> None:
        quarters, rest = divmod(degrees, 90)
        cos, sin = _cos_sin(rest)
        for _ in range(quarters % 4):
            cos, sin = -sin, cos
        self._cos, self._sin = cos, sin

    def turned(self, x: Fraction, z: Fraction) -> tuple[Fraction, Fraction]:
        return x * self._cos - z * self._sin, x * self._sin + z * self._cos


def _cos_sin(degrees: Fraction) -> tuple[Fraction, Fraction]:
    """Of 0..90 degrees, each a multiple of 2^-100."""
    angle = int(degrees * _PI / 180)
    sums = [1 << _BITS, 0]
    term, n = 1 << _BITS, 0
    while term:
        n += 1
        term = (term * angle >> _BITS) // n
        sums[n % 2] += -term if n % 4 in (2, 3) else term
    cos, sin = (Fraction(round(Fraction(total * _KEPT, 1 << _BITS)), _KEPT) for total in sums)
    return cos, sin

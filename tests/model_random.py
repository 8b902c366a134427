"""The model of `fixsync.game.random`, on Python's integers."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, TypeVar

from fixsync._native.checks import index, integer

__all__ = ["Random"]

_MASK = 2**64 - 1
# Weyl increment and multipliers of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom
# number generators" (2014), with Stafford's variant 13 of the mixing function.
_STEP = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB

_T = TypeVar("_T")


class Random:
    """SplitMix64. Its whole state is one number of 64 bits, `state`, which a simulation saves and
    loads.

    Not for secrets: one output is enough to compute all that follow.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = integer("seed", seed, 0, _MASK)

    @property
    def state(self) -> int:
        """0..2^64-1. A generator with this seed continues as this one."""
        return self._state

    @state.setter
    def state(self, value: int) -> None:
        self._state = integer("state", value, 0, _MASK)

    def next(self) -> int:
        """The next number, 0..2^64-1."""
        self._state = z = (self._state + _STEP) & _MASK
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        return z ^ (z >> 31)

    def below(self, count: int) -> int:
        """A number of 0..count-1, each equally likely; count is 1..2^64."""
        if not (type(count) is int and 0 < count <= 2**64):
            count = integer("count", count, 1, 2**64)
        # The largest multiple of count up to 2^64: numbers from there on would favour the small
        # remainders.
        limit = 2**64 - 2**64 % count
        while (number := self.next()) >= limit:
            pass
        return number % count

    def between(self, low: int, high: int) -> int:
        """A number of low..high, both included, each equally likely."""
        if not (type(low) is int and type(high) is int):
            low, high = index("low", low), index("high", high)
        if low > high:
            raise ValueError(f"low must be at most high, not {low} > {high}")
        return low + self.below(high - low + 1)

    def chance(self, numerator: int, denominator: int) -> bool:
        """True in numerator of denominator cases."""
        if type(numerator) is not int:
            numerator = index("numerator", numerator)
        return self.below(denominator) < numerator

    def choice(self, values: Sequence[_T]) -> _T:
        """One of the values, each equally likely."""
        return values[self.below(len(values))]

    def shuffle(self, values: MutableSequence[Any]) -> None:
        """Puts the values into a random order, in place, each order equally likely (Fisher and
        Yates).
        """
        for last in range(len(values) - 1, 0, -1):
            other = self.below(last + 1)
            values[last], values[other] = values[other], values[last]

    def __repr__(self) -> str:
        return f"Random({self._state})"

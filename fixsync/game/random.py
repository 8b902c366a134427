"""A seeded generator of integers for simulations: the same numbers on every machine, saved in eight
bytes.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, TypeVar

from fixsync._native import kernel
from fixsync._native.checks import integer
from fixsync._native.raw import INT64_MAX, INT64_MIN, UINT64_MAX

__all__ = ["Random"]

_T = TypeVar("_T")


class Random:
    """SplitMix64. Its whole state is one number of 64 bits, `state`, which a simulation saves and
    loads.

    Not for secrets: one output is enough to compute all that follow.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = kernel.new_state(integer("seed", seed, 0, UINT64_MAX))

    @property
    def state(self) -> int:
        """0..2^64-1. A generator with this seed continues as this one."""
        value: int = self._state[0]
        return value

    @state.setter
    def state(self, value: int) -> None:
        self._state[0] = integer("state", value, 0, UINT64_MAX)

    def next(self) -> int:
        """The next number, 0..2^64-1."""
        number: int = kernel.random_next(self._state)
        return number

    def below(self, count: int) -> int:
        """A number of 0..count-1, each equally likely; count is 1..2^64."""
        if not (type(count) is int and 0 < count <= UINT64_MAX):
            count = integer("count", count, 1, UINT64_MAX + 1) % (UINT64_MAX + 1)
        number: int = kernel.random_below(self._state, count)
        return number

    def between(self, low: int, high: int) -> int:
        """A number of low..high, both included, each equally likely; both are
        -2^63..2^63-1."""
        if not (type(low) is int and type(high) is int and INT64_MIN <= low <= high <= INT64_MAX):
            low = integer("low", low, INT64_MIN, INT64_MAX)
            high = integer("high", high, INT64_MIN, INT64_MAX)
            if low > high:
                raise ValueError(f"low must be at most high, not {low} > {high}")
        place = kernel.new_place()
        kernel.random_between(self._state, low, high, place)
        number: int = place[0]
        return number

    def chance(self, numerator: int, denominator: int) -> bool:
        """True in numerator of denominator cases, 0..2^64-1 and 1..2^64-1."""
        numerator = integer("numerator", numerator, 0, UINT64_MAX)
        denominator = integer("denominator", denominator, 1, UINT64_MAX)
        return bool(kernel.random_chance(self._state, numerator, denominator))

    def choice(self, values: Sequence[_T]) -> _T:
        """One of the values, each equally likely."""
        return values[self.below(len(values))]

    def shuffle(self, values: MutableSequence[Any]) -> None:
        """Shuffles the values in place; each order is equally likely (Fisher and
        Yates).
        """
        before = list(values)
        for place, i in enumerate(kernel.shuffled(self._state, len(before))):
            values[place] = before[i]

    def __reduce__(self) -> tuple[type[Random], tuple[int]]:
        return type(self), (self.state,)

    def __repr__(self) -> str:
        return f"Random({self.state})"

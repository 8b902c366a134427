"""Q16.16 arithmetic: every result is exact, then rounded to nearest, halves away from zero.

Arguments are int32. A result outside int32 is a ValueError, never a wrapped number."""

from __future__ import annotations

from typing import NoReturn

from fixsync._native import kernel
from fixsync._native.checks import coordinate, integer, integers
from fixsync._native.raw import INT32_MAX, INT32_MIN
from fixsync.base.numbers import ONE

__all__ = [
    "approach",
    "clamp",
    "div",
    "dot",
    "hypot",
    "lerp",
    "mul",
    "mul_div",
    "scale",
    "sqrt",
    "with_length",
]

Vector = tuple[int, int, int]


def mul(a: int, b: int) -> int:
    """a * b: mul(q(3), q("0.5")) == q("1.5")."""
    return _number("mul", coordinate("a", a), coordinate("b", b))


def div(a: int, b: int) -> int:
    """a / b: div(q(3), q(2)) == q("1.5"). ValueError for a b of 0."""
    return _number("div", coordinate("a", a), coordinate("b", b))


def mul_div(a: int, b: int, c: int) -> int:
    """a * b / c of plain integers, rounded once: mul_div(damage, 30, 100). ValueError for a c of
    0."""
    return _number("mul_div", coordinate("a", a), coordinate("b", b), coordinate("c", c))


def sqrt(a: int) -> int:
    """The square root of a: sqrt(q(9)) == q(3). ValueError for a negative a."""
    return _number("sqrt", coordinate("a", a))


def lerp(a: int, b: int, fraction: int) -> int:
    """The number at a fraction (0..ONE) of the way from a to b. It is never beyond a or b."""
    part = integer("fraction", fraction, 0, ONE)
    return _number("lerp", coordinate("a", a), coordinate("b", b), part)


def clamp(v: int, low: int, high: int) -> int:
    """The number of low..high that is nearest to v. ValueError for a low above high."""
    return _number("clamp", coordinate("v", v), coordinate("low", low), coordinate("high", high))


def approach(v: int, target: int, most: int) -> int:
    """v moved towards a target by `most` (0 or more) at most."""
    least = integer("most", most, 0, INT32_MAX)
    return _number("approach", coordinate("v", v), coordinate("target", target), least)


def hypot(x: int, y: int, z: int = 0) -> int:
    """The length of a vector, to the nearest raw unit."""
    return _number("hypot", coordinate("x", x), coordinate("y", y), coordinate("z", z))


def dot(a: Vector, b: Vector) -> int:
    """The dot product of two vectors (x, y, z), rounded once."""
    return _number("dot", _vector("a", a), _vector("b", b))


def scale(vector: Vector, factor: int) -> Vector:
    """A vector (x, y, z) times a factor: scale((q(3), 0, q(4)), q("0.5"))."""
    found = kernel.vector("scale", _vector("vector", vector), coordinate("factor", factor))
    return found or _refuse("scale", vector, factor)


def with_length(vector: Vector, length: int) -> Vector:
    """A vector (x, y, z) brought to a length (0 or more): a speed in the direction of a target.

    ValueError for (0, 0, 0)."""
    size = integer("length", length, 0, INT32_MAX)
    found = kernel.vector("with_length", _vector("vector", vector), size)
    return found or _refuse("with_length", vector, length)


def _vector(name: str, value: Vector) -> Vector:
    x, y, z = integers(name, ("x", "y", "z"), value, INT32_MIN, INT32_MAX)
    return x, y, z


def _number(name: str, *args: int | Vector) -> int:
    found = kernel.number(name, *args)
    return _refuse(name, *args) if found is None else found


def _refuse(name: str, *args: int | Vector) -> NoReturn:
    shown = ", ".join(map(str, args))
    raise ValueError(f"{name}({shown}): no result within {INT32_MIN}..{INT32_MAX}")

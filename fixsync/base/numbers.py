"""Q16.16 numbers, yaws and directions. Nothing here computes with floats, and no function takes
one.

Units: a coordinate or a size is Q16.16 (65536 is one unit), a yaw has 65536 steps a turn, a
direction is Q2.30."""

from __future__ import annotations

import operator
import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn, SupportsIndex, TypeAlias

from fixsync._native import kernel
from fixsync._native.checks import integer, shown
from fixsync._native.raw import INT32_MAX, INT32_MIN, ONE, TURN, UINT32_MAX, YAW_MAX

__all__ = ["ONE", "degrees", "direction", "length", "q", "q_near", "yaw_of"]

# A sign, then an integer, a decimal fraction with digits on both sides of its point, or a ratio.
# ASCII digits only.
_NUMBER = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]+)|/([0-9]+))?")
_TEXT_LENGTH_MAX = 500
_EXPONENT_MAX = 1000
_TEXTS_KEPT = 1024

Number: TypeAlias = "int | str | Fraction | Decimal | SupportsIndex"
"""What can be a number of units or degrees."""

UNITS_MAX = INT32_MAX // ONE


def _nearest(numerator: int, denominator: int) -> int:
    """The integer nearest to a ratio, of two equally near ones the even one."""
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))


def _instead(function: str, value: float) -> str:
    """The call that takes a float's shortest decimal: degrees('45.5') for 45.5."""
    number = Decimal(float.__repr__(value))
    if not number.is_finite() or (number and abs(number.adjusted()) > 300):
        return f"a number like {function}('1.5')"
    if function == "q" and (Fraction(number) * ONE).denominator != 1:
        function = "q_near"
    digits = f"{number:f}"
    return f"{function}('{digits.rstrip('0').rstrip('.') if '.' in digits else digits}')"


def _no_number(function: str, value: object) -> NoReturn:
    if isinstance(value, float):
        raise TypeError(f"{function}() takes no float: write {_instead(function, value)}")
    raise TypeError(
        f"{function}() takes an int, a str, a Fraction or a Decimal, "
        f"not {shown(value)} ({type(value).__name__})"
    )


def exact(function: str, value: Number) -> Fraction:
    """`value` as an exact fraction."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value) if len(value) <= _TEXT_LENGTH_MAX else None
        if match is None or (match[4] is not None and int(match[4]) == 0):
            raise ValueError(
                f"{function}({shown(value)}): a number is written as '3', '-0.5' or '3/2', "
                f"in at most {_TEXT_LENGTH_MAX} characters"
            )
        sign, whole, decimals, divisor = match.groups()
        ratio = Fraction(
            int(whole + (decimals or "")),
            10 ** len(decimals or "") if divisor is None else int(divisor),
        )
        return -ratio if sign == "-" else ratio
    if isinstance(value, Decimal):
        # A Decimal can be far larger or finer than the memory that its value as a ratio would take.
        if not value.is_finite() or (value and abs(value.adjusted()) > _EXPONENT_MAX):
            raise ValueError(
                f"{function}({shown(value)}): a Decimal must be finite, with an exponent of "
                f"-{_EXPONENT_MAX}..{_EXPONENT_MAX}"
            )
        return Fraction(value) if value else Fraction(0)
    if isinstance(value, SupportsIndex) and not isinstance(value, (bool, float)):
        with suppress(TypeError):  # an array of more than one integer has an __index__ that refuses
            return Fraction(operator.index(value))
    _no_number(function, value)


def _in_range(function: str, value: object, raw: int) -> int:
    if not INT32_MIN <= raw <= INT32_MAX:
        raise ValueError(
            f"{function}({shown(value)}): a Q16.16 number must be -32768..32767.9999847412109375 "
            f"({INT32_MIN}..{INT32_MAX} raw)"
        )
    return raw


def q(value: Number) -> int:
    """The Q16.16 integer of a number of units, exactly: q(3) == 196608, q("0.5") == q(Fraction(1,
    2)) == 32768.

    A str is an integer, a decimal fraction or a ratio: "3", "-0.5", "3/2"; without spaces,
    underscores or exponents. ValueError if the number is not a multiple of 1/65536 (then `q_near`
    rounds it) or its Q16.16 is outside int32. TypeError for a float or a bool."""
    kind = type(value)
    if kind is int and -UNITS_MAX - 1 <= value <= UNITS_MAX:  # type: ignore[operator]
        return value * ONE  # type: ignore[operator, return-value]
    if kind is Fraction:
        raw, rest = divmod(value.numerator * ONE, value.denominator)  # type: ignore[union-attr]
        if rest == 0:
            return _in_range("q", value, raw)
    return _q_of_text(value) if kind is str else _q(value)  # type: ignore[arg-type]


def _q(value: Number) -> int:
    scaled = exact("q", value) * ONE
    _in_range("q", value, round(scaled))  # what q_near takes
    raw = scaled.numerator // scaled.denominator
    if scaled.denominator != 1:
        below, above = (f"{n} ({decimal(n, ONE, 16)})" for n in (raw, raw + 1))
        raise ValueError(
            f"q({shown(value)}): not a multiple of 1/65536; its neighbours are {below} and {above};"
            f" q_near({shown(value)}) takes the nearer one"
        )
    return raw


_q_of_text = lru_cache(_TEXTS_KEPT)(_q)


def q_near(value: Number) -> int:
    """The nearest Q16.16 integer of a number of units, of two equally near ones the even one:
    q_near("0.1") == 6554.

    Takes what `q` takes: a str of at most 500 characters, a Decimal with an exponent of
    -1000..1000. ValueError for another, or if the result is outside int32; TypeError for a float or
    a bool."""
    kind = type(value)
    if kind is int and -UNITS_MAX - 1 <= value <= UNITS_MAX:  # type: ignore[operator]
        return value * ONE  # type: ignore[operator, return-value]
    if kind is Fraction:
        raw = _nearest(value.numerator * ONE, value.denominator)  # type: ignore[union-attr]
        return _in_range("q_near", value, raw)
    return _q_near_of_text(value) if kind is str else _q_near(value)  # type: ignore[arg-type]


def _q_near(value: Number) -> int:
    return _in_range("q_near", value, round(exact("q_near", value) * ONE))


_q_near_of_text = lru_cache(_TEXTS_KEPT)(_q_near)


def decimal(numerator: int, denominator: int, digits: int) -> str:
    """A fraction rounded to a number of digits after the point, without zeros at its end; in
    integers."""
    scaled, rest = divmod(abs(numerator) * 10**digits, denominator)
    scaled += 2 * rest >= denominator
    whole, part = divmod(scaled, 10**digits)
    tail = f".{part:0{digits}}".rstrip("0").rstrip(".")
    return f"{'-' if numerator < 0 and scaled else ''}{whole}{tail}"


def degrees(value: Number) -> int:
    """The yaw (0..65535) nearest to an angle in degrees, of two equally near ones the even one:
    degrees(90) == 16384.

    Takes what `q` takes, any number of turns either way: degrees(-90) == degrees(270) == 49152.
    """
    kind = type(value)
    if kind is int or kind is Fraction:
        return _nearest(value.numerator * TURN, 360 * value.denominator) % TURN  # type: ignore[union-attr]
    return _degrees_of_text(value) if kind is str else _degrees(value)  # type: ignore[arg-type]


def _degrees(value: Number) -> int:
    return round(exact("degrees", value) * TURN / 360) % TURN


_degrees_of_text = lru_cache(_TEXTS_KEPT)(_degrees)


def direction(yaw: int) -> tuple[int, int]:
    """(cos, sin) of a yaw (0..65535) in Q2.30, each rounded to nearest: the (x, z) that the yaw
    faces.
    """
    number = yaw if type(yaw) is int and 0 <= yaw <= YAW_MAX else integer("yaw", yaw, 0, YAW_MAX)
    return kernel.direction(number)


def _difference(name: str, value: object) -> int:
    return integer(name, value, -UINT32_MAX, UINT32_MAX)


def yaw_of(dx: int, dz: int) -> int:
    """The yaw (0..65535) that faces (dx, dz); 0 for (0, 0). Each a difference of two coordinates,
    -(2^32-1)..2^32-1.

    It is the yaw whose step, half a step to either side, holds (dx, dz).
    """
    if type(dx) is int and type(dz) is int and max(abs(dx), abs(dz)) <= UINT32_MAX:
        return kernel.yaw_of(dx, dz)
    return kernel.yaw_of(_difference("dx", dx), _difference("dz", dz))


def length(dx: int, dy: int, dz: int) -> int:
    """floor(sqrt(dx² + dy² + dz²)), each a difference of two coordinates, -(2^32-1)..2^32-1.
    Exact.
    """
    is_plain = type(dx) is int and type(dy) is int and type(dz) is int
    if is_plain and max(abs(dx), abs(dy), abs(dz)) <= UINT32_MAX:
        return kernel.length(dx, dy, dz)
    return kernel.length(_difference("dx", dx), _difference("dy", dy), _difference("dz", dz))

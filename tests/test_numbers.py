"""q, q_near, degrees, direction, yaw_of and length."""

from __future__ import annotations

import hashlib
import struct
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

import model
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import Refused, refusals
from tools import VECTORS, each, ints, rows

from fixsync import ONE, degrees, direction, length, q, q_near, yaw_of

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1

raws = st.integers(INT32_MIN, INT32_MAX)
differences = st.integers(-(2**32 - 1), 2**32 - 1) | st.integers(-40, 40)
fractions = st.fractions(-33000, 33000) | st.builds(
    Fraction, st.integers(-(2**33), 2**33), st.sampled_from([1, 2, 3, 2**16, 2**17, 2**18, 10**5])
)


def fixed(value: Fraction) -> str:
    """A finite decimal fraction, written out."""
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(value), 1)
    digits = ""
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{sign}{whole}" + (f".{digits}" if digits else "")


@given(raws)
@example(INT32_MIN)
@example(INT32_MAX)
@example(0)
def test_q_reads_every_q16_16_number_back_from_each_way_to_write_it(raw: int) -> None:
    exact = Fraction(raw, ONE)
    for value in (exact, fixed(exact), Decimal(fixed(exact)), f"{raw}/65536"):
        assert q(value) == raw
        assert q_near(value) == raw


@given(fractions)
@example(Fraction(4 * 2**31 - 1, 4 * ONE))  # of its neighbours, the nearer one is out of range,
@example(Fraction(4 * 2**31 - 3, 4 * ONE))  # or the further one
@example(Fraction(-4 * 2**31 - 1, 4 * ONE))
@example(Fraction(-4 * 2**31 - 3, 4 * ONE))
def test_q_is_exact_or_names_both_neighbours_and_q_near(value: Fraction) -> None:
    scaled = value * ONE
    low = scaled.numerator // scaled.denominator
    if not INT32_MIN <= round(scaled) <= INT32_MAX:  # what q_near does not take either
        with pytest.raises(ValueError, match=r"-2147483648\.\.2147483647"):
            q(value)
    elif scaled.denominator == 1:
        assert q(value) == low
    else:
        with pytest.raises(ValueError, match="q_near") as reported:
            q(value)
        message = str(reported.value)
        assert f" {low} ({fixed(Fraction(low, ONE))}) " in message
        assert f" {low + 1} ({fixed(Fraction(low + 1, ONE))})" in message


@given(fractions)
@example(Fraction(1, 2**17))
@example(Fraction(3, 2**17))
@example(Fraction(-1, 2**17))
@example(Fraction(-3, 2**17))
def test_q_near_is_the_nearest_and_the_even_one_of_two(value: Fraction) -> None:
    scaled = value * ONE
    candidates = [scaled.numerator // scaled.denominator + i for i in (0, 1)]
    nearest = min(candidates, key=lambda raw: (abs(raw - scaled), raw % 2))
    if INT32_MIN <= nearest <= INT32_MAX:
        assert q_near(value) == nearest
    else:
        with pytest.raises(ValueError, match="q_near"):
            q_near(value)


@pytest.mark.parametrize("function", [q, q_near, degrees])
def test_equal_values_of_other_types_are_told_apart_however_often_they_come(function: Any) -> None:
    for _ in range(3):
        answers = {function(value) for value in (1, "1", Fraction(1), Decimal(1), "1.0", "2/2")}
        assert len(answers) == 1
        for wrong, error in ((True, TypeError), (1.0, TypeError), ("x", ValueError)):
            with pytest.raises(error, match=rf"{function.__name__}\("):
                function(wrong)


@each("function", [q, q_near, degrees])
@each(
    "value",
    [
        *(0.5, -0.0, float("nan"), float("inf"), np.float64(2.0), True, False, None, b"1", [1], 1j),
        *(np.array([1]), np.array(True)),
    ],
)
def test_what_is_no_number_is_a_type_error(function: Any, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) takes"):
        function(value)


@each("function", [q, q_near, degrees])
@each(
    "text",
    [
        *("", " 1", "1 ", "1\n", "1_0", "1,5", "1e3", "0x10", "nan", "inf", ".5", "5.", "+-1"),
        *("--1", "1/0", "1/-2", "1/2/3", "1.5/2", "٣", "½", "1" * 501),
    ],
)
def test_a_string_that_is_no_plain_number_is_refused(function: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"a number is written as '3', '-0.5' or '3/2'"):
        function(text)


@each("value", ["NaN", "sNaN", "Infinity", "-Infinity", "1E+1001", "1E-1001", "-1E+999999999"])
@each("function", [q, q_near, degrees])
def test_a_decimal_beyond_all_measure_is_refused_at_once(function: Any, value: str) -> None:
    with pytest.raises(ValueError, match=r"finite.*-1000\.\.1000"):
        function(Decimal(value))


def test_a_decimal_zero_is_zero_whatever_its_exponent() -> None:
    assert q(Decimal("0E+999999999")) == q(Decimal("-0")) == q(Decimal("0E-999999999")) == 0


def test_the_decimal_context_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 2
        assert q(Decimal("12345.0000152587890625")) == 12345 * ONE + 1


def test_integers_are_what_has_an_index() -> None:
    assert q(np.int8(-3)) == -3 * ONE
    assert direction(np.uint16(16384)) == (0, 2**30)
    assert yaw_of(np.int64(-1), np.int32(0)) == 32768


def test_a_huge_number_is_named_without_being_printed() -> None:
    with pytest.raises(ValueError, match="an integer of 16610 bits"):
        q(10**5000)


@given(
    st.fractions() | st.integers() | st.sampled_from([Fraction(45, 2**14), Fraction(135, 2**14)])
)
def test_degrees_is_the_nearest_yaw_and_the_even_one_of_two(value: Fraction | int) -> None:
    steps = Fraction(value) * 65536 / 360
    assert degrees(value) == round(steps) % 65536
    assert abs(round(steps) - steps) <= Fraction(1, 2)


def test_degrees_of_round_angles() -> None:
    assert [degrees(v) for v in (0, 90, "180", Decimal("270.0"), 360, -90, Fraction(45, 2), 720)] == [
        0, 16384, 32768, 49152, 0, 49152, 4096, 0,
    ]  # fmt: skip
    # Half a step from two yaws: the even one.
    assert degrees(Fraction(360, 2 * 65536)) == 0
    assert degrees(Fraction(3 * 360, 2 * 65536)) == 2
    assert degrees(Fraction(-360, 2 * 65536)) == 0


def test_every_direction_has_the_published_digest() -> None:
    packed = b"".join(struct.pack("<ii", *direction(yaw)) for yaw in range(65536))
    assert hashlib.sha256(packed).hexdigest() == (VECTORS / "directions.sha256").read_text().strip()


def test_angles_and_lengths_agree_with_the_vectors() -> None:
    for row in rows("angles.csv"):
        dx, dz = ints(row, "dx", "dz")
        assert (yaw_of(dx, dz), length(dx, 0, dz)) == ints(row, "yaw_of", "length_dx_0_dz"), row


@given(differences, differences)
def test_yaw_of_agrees_with_the_model(dx: int, dz: int) -> None:
    assert yaw_of(dx, dz) == model.yaw_of(dx, dz)


@given(differences, differences, differences)
@example(2**32 - 1, -(2**32 - 1), 2**32 - 1)
def test_length_is_the_root_rounded_down(dx: int, dy: int, dz: int) -> None:
    assert length(dx, dy, dz) == isqrt(dx * dx + dy * dy + dz * dz)


@given(st.integers(0, 2**33), st.integers(-1, 1))
def test_length_is_exact_next_to_every_square(root: int, off: int) -> None:
    # Three differences whose squares add up to root² + off, where there are such.
    dx = min(root, 2**32 - 1)
    rest = root * root + off - dx * dx
    dz = isqrt(rest) if rest >= 0 else 0
    if rest >= 0 and dz <= 2**32 - 1:
        total = dx * dx + dz * dz
        assert length(dx, 0, dz) == isqrt(total)


@refusals("""
direction(-1) | ValueError | yaw / 0..65535 / -1
direction(65536) | ValueError | yaw / 0..65535 / 65536
direction(10**30) | ValueError | yaw / 0..65535 / 1000000000000000000000000000000
yaw_of(2**32, 0) | ValueError | dx / -4294967295..4294967295 / 4294967296
yaw_of(0, -(2**64)) | ValueError | dz / -4294967295..4294967295 / -18446744073709551616
length(0, 2**32, 0) | ValueError | dy / -4294967295..4294967295 / 4294967296
length(0, 0, -(2**32)) | ValueError | dz / -4294967295..4294967295 / -4294967296
q(32768) | ValueError | q / -32768..32767 / 32768
q_near("32767.99999999") | ValueError | q_near / -32768..32767 / 32767.99999999
""")
def test_out_of_range_is_told_with_name_range_and_value(refused: Refused) -> None:
    refused()


@each("value", [1.0, True, "1", None, Decimal(1), Fraction(1), np.array([1]), np.array(True)])
def test_yaws_and_differences_are_integers(value: Any) -> None:
    for name, call in (
        ("yaw", lambda: direction(value)),
        ("dx", lambda: yaw_of(value, 1)),
        ("dz", lambda: yaw_of(1, value)),
        ("dy", lambda: length(1, value, 1)),
    ):
        with pytest.raises(TypeError, match=f"^{name} must be an integer"):
            call()


@each("value", [0.5, 45.5, 0.1, -3.0, 1e-7, 1e22, -0.0, 720.25])
@each("function", [q, q_near, degrees])
def test_what_is_advised_instead_of_a_float_is_right_code(function: Any, value: float) -> None:
    with pytest.raises(TypeError, match=r"takes no float: write (q|q_near|degrees)\('") as caught:
        function(value)
    code = str(caught.value).partition(": write ")[2]
    names = {"q": q, "q_near": q_near, "degrees": degrees}
    if value == 1e22 and function is not degrees:
        with pytest.raises(ValueError, match=r"a Q16\.16 number must be"):
            eval(code, names)
        return
    rounding = degrees if function is degrees else q_near
    assert eval(code, names) == rounding(Decimal(repr(value)))


def test_no_advice_is_made_of_a_float_that_is_no_number() -> None:
    for value in (float("inf"), float("nan")):
        with pytest.raises(TypeError, match=r"write a number like q\('1\.5'\)"):
            q(value)  # type: ignore[arg-type]

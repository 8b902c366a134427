"""The kit's functions against models on Python's integers, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
from contextlib import suppress
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any

import model
import model_motion
import model_random
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tools import each

from fixsync import Sector, World
from fixsync._native.raw import ffi, lib
from fixsync.game import motion, numbers
from fixsync.game.random import Random
from fixsync.synctest import strategies as fst
from fixsync.world import aim

LOW, HIGH = -(2**31), 2**31 - 1
SIZE_MAX = 2**29 - 1
GENERATORS = Random, model_random.Random
CSRC = Path(__file__).resolve().parent.parent / "csrc"
HEADER = (CSRC / "fixsync_kit.h").read_text()

int32s = st.integers(LOW, HIGH) | st.integers(-3, 3) | st.sampled_from((LOW, LOW + 1, HIGH, 65536))
vectors = st.tuples(int32s, int32s, int32s)


def rounded(value: Fraction) -> int:
    """To nearest, halves away from zero."""
    size = (2 * abs(value) + 1).__floor__() // 2
    return -size if value < 0 else size


def rounded_root(n: int) -> int:
    root = isqrt(n)
    return root + (n - root * root > root)


def in_range(value: int | None) -> int | None:
    return value if value is not None and LOW <= value <= HIGH else None


def given_by(function: Any, *args: Any) -> Any:
    """None for a ValueError."""
    try:
        return function(*args)
    except ValueError:
        return None


# Text.

texts = st.from_regex(r"-?[0-9]{1,6}(\.[0-9]{1,40})?", fullmatch=True) | st.builds(
    lambda raw, tail: format_q(raw) + tail, int32s, st.sampled_from(["", "0", "00", "1", "5"])
)


def parse_q(text: str, nearest: int) -> int | str:
    out = ffi.new("int32_t *", 77)
    status = lib.fxs_parse_q(text.encode(), len(text.encode()), nearest, out)
    assert status == lib.FXS_OK or out[0] == 77
    return int(out[0]) if status == lib.FXS_OK else {
        lib.FXS_E_TEXT: "text", lib.FXS_E_RANGE: "range", lib.FXS_E_INEXACT: "inexact"
    }[status]  # fmt: skip


def format_q(raw: int) -> str:
    out = ffi.new("char[24]", b"#" * 24)
    length = lib.fxs_format_q(raw, out)
    text = ffi.string(out).decode()
    assert len(text) == length <= 23
    return str(text)


@given(texts, st.integers(0, 1))
@example("32767.99999237060546875", 1)
@example("-32768.00000762939453125", 1)
@example("-32768.00000762939453126", 1)
@example("0.00000762939453125000000000000000000000000000001", 1)
@example("0.000022888183593750", 1)
@example("-0.00", 0)
@example("99999999999999999999999999999999999999", 0)
def test_a_decimal_is_read_exactly_or_to_the_nearest(text: str, nearest: int) -> None:
    raw = Fraction(text) * 65536
    if not nearest and raw.denominator != 1:
        expected: int | str | None = "inexact"
    else:
        expected = in_range(round(raw))  # of two, the even one
    assert parse_q(text, nearest) == ("range" if expected is None else expected)


@given(int32s)
def test_a_number_is_written_as_the_shortest_decimal_that_is_read_back(raw: int) -> None:
    text = format_q(raw)
    assert Fraction(text) * 65536 == raw
    assert parse_q(text, 0) == raw
    assert not re.search(r"\.[0-9]*0$|^-?0[0-9]|^-0$|\.$", text)


@each(
    "text",
    [
        "", "-", ".", "1.", ".5", "+1", " 1", "1 ", "1e3", "--1", "1.2.3", "1,5", "٣", "0x1", "1-",
        "-.5",
    ],
)  # fmt: skip
def test_what_is_not_a_decimal_is_refused(text: str) -> None:
    assert parse_q(text, 0) == parse_q(text, 1) == "text"
    assert lib.fxs_parse_q(b"1", 1, 2, ffi.new("int32_t *")) == lib.FXS_E_RANGE


def test_a_status_has_the_words_of_the_headers() -> None:
    headers = HEADER + (CSRC / "fixsync.h").read_text()
    found = re.findall(
        r"#define (FXS_OK|FXS_E_\w+)\s+\(?(-?\d+)\)?\s+/\*(.*?)\*/", headers, re.DOTALL
    )
    assert len(found) > 25
    for name, number, comment in found:
        words = ffi.string(lib.fxs_status_text(int(number))).decode()
        assert words == " ".join(comment.split()), name
    for unknown in (1, -63, -(2**31)):
        assert ffi.string(lib.fxs_status_text(unknown)) == b"not a status of fixsync"


def recorder_text(data: bytes, room: int | None = None) -> tuple[int, bytes, int]:
    count = ffi.new("uint64_t *")
    out = ffi.new("char[]", b"#" * 1000)
    room = 1000 if room is None else room
    status = lib.fxs_recorder_text(data, len(data), out, room, count)
    assert bytes(ffi.buffer(out))[room:] == b"#" * (1001 - room - 1) + b"\0"
    return status, bytes(ffi.buffer(out, min(count[0], room))), count[0]


@given(st.text(max_size=40) | st.text(st.characters(max_codepoint=127), max_size=40))
def test_a_text_is_escaped_as_a_match_log_has_it(text: str) -> None:
    expected = json.dumps(text, ensure_ascii=False).encode()
    status, written, count = recorder_text(text.encode())
    assert (status, written, count) == (lib.FXS_OK, expected, len(expected))
    status, written, count = recorder_text(text.encode(), len(expected) - 1)
    assert (status, count) == (lib.FXS_E_ROOM, len(expected))


@given(st.binary(max_size=12))
@example(b"ab\xed\xa0\x80")
@example(b"\xc0\x80")
@example(b"x\xf4\x90\x80\x80")
def test_text_that_is_not_utf8_is_refused_where_it_is_wrong(data: bytes) -> None:
    status, _, count = recorder_text(data)
    fault = None
    with suppress(UnicodeDecodeError):
        data.decode()
        fault = lib.FXS_OK, count
    if fault is None:
        with pytest.raises(UnicodeDecodeError) as wrong:
            data.decode()
        fault = lib.FXS_E_TEXT, wrong.value.start
    assert (status, count) == fault


# Numbers.


@given(int32s, int32s, int32s)
@example(LOW, LOW, 1)
@example(LOW, LOW, LOW)
@example(1, 1, 2)
@example(-1, 1, 2)
def test_products_and_quotients_are_rounded_once(a: int, b: int, c: int) -> None:
    assert given_by(numbers.mul, a, b) == in_range(rounded(Fraction(a * b, 65536)))
    assert given_by(numbers.div, a, b) == (in_range(rounded(Fraction(a * 65536, b))) if b else None)
    assert given_by(numbers.mul_div, a, b, c) == (
        in_range(rounded(Fraction(a * b, c))) if c else None
    )


@given(int32s)
def test_a_square_root_is_rounded(a: int) -> None:
    assert given_by(numbers.sqrt, a) == (rounded_root(a * 65536) if a >= 0 else None)


@given(int32s, int32s, st.integers(0, 65536))
@example(LOW, HIGH, 65536)
@example(HIGH, LOW, 32768)
def test_lerp_goes_from_one_number_to_the_other(a: int, b: int, fraction: int) -> None:
    found = numbers.lerp(a, b, fraction)
    assert found == a + rounded(Fraction((b - a) * fraction, 65536))
    assert min(a, b) <= found <= max(a, b)


@given(int32s, int32s, int32s)
def test_clamp_and_approach_are_min_and_max(v: int, a: int, b: int) -> None:
    assert given_by(numbers.clamp, v, a, b) == (max(a, min(b, v)) if a <= b else None)
    expected = v + max(-b, min(b, a - v)) if b >= 0 else None
    assert given_by(numbers.approach, v, a, b) == expected


@given(vectors, vectors, int32s)
@example((LOW, LOW, LOW), (LOW, LOW, LOW), LOW)
@example((HIGH, HIGH, HIGH), (LOW, LOW, LOW), HIGH)
def test_vectors_are_rounded_once_on_each_axis(
    a: tuple[int, int, int], b: tuple[int, int, int], factor: int
) -> None:
    product = sum(x * y for x, y in zip(a, b, strict=True))
    assert given_by(numbers.dot, a, b) == in_range(rounded(Fraction(product, 65536)))
    scaled = tuple(rounded(Fraction(v * factor, 65536)) for v in a)
    expected = scaled if all(LOW <= v <= HIGH for v in scaled) else None
    assert given_by(numbers.scale, a, factor) == expected
    assert given_by(numbers.hypot, *a) == in_range(rounded_root(sum(v * v for v in a)))


@given(vectors, st.integers(0, HIGH) | st.sampled_from((0, 1, HIGH)))
@example((3, 0, 4), 5)
@example((1, 0, 0), 1)
@example((2, 0, 0), 1)
@example((4, 3, 0), 5 * 3 // 2)
@example((LOW, LOW, LOW), HIGH)
@example((LOW, HIGH, LOW), 1)
def test_a_vector_is_brought_to_a_length(vector: tuple[int, int, int], length: int) -> None:
    n = sum(v * v for v in vector)
    found = given_by(numbers.with_length, vector, length)
    if n == 0:
        assert found is None
        return
    for v, part in zip(vector, found, strict=True):
        size = abs(part)
        # size - 1/2 <= |v| * length / sqrt(n) < size + 1/2
        assert 4 * v * v * length * length < (2 * size + 1) ** 2 * n
        assert size == 0 or 4 * v * v * length * length >= (2 * size - 1) ** 2 * n
        assert part * v >= 0


@given(st.integers(0, 65535), st.integers(0, 65535), st.integers(0, 65536))
def test_a_turn_goes_the_shorter_way(yaw: int, end: int, most: int) -> None:
    turn = (end - yaw + 32768) % 65536 - 32768
    assert aim.turn_towards(yaw, end, most) == (yaw + max(-most, min(most, turn))) % 65536


@each("name", numbers.__all__)
@each("bad", [0.5, True, "1", None])
def test_a_float_or_a_bool_is_no_number(name: str, bad: Any) -> None:
    function = getattr(numbers, name)
    count = function.__code__.co_argcount
    for i in range(count):
        args = [(1, 2, 3) if name == "dot" else 1] * count
        args[i] = (1, bad, 1) if name == "dot" else bad
        with pytest.raises(TypeError):
            function(*args)


# Random numbers.


@given(
    st.integers(0, 2**64 - 1) | st.sampled_from((0, 2**64 - 1)),
    st.lists(st.integers(1, 2**64) | st.integers(1, 10) | st.just(2**63 + 1), max_size=8),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 40),
)
@example(0, [], -(2**63), 2**63 - 1, 1)
def test_the_generator_is_the_model_s(
    seed: int, counts: list[int], low: int, high: int, size: int
) -> None:
    ours, theirs = Random(seed), model_random.Random(seed)
    for count in counts:
        assert ours.below(count) == theirs.below(count)
        assert ours.next() == theirs.next()
        numerator, denominator = count - 1, min(count, 2**64 - 1)
        assert ours.chance(numerator, denominator) == theirs.chance(numerator, denominator)
        assert ours.choice(range(min(count, 99))) == theirs.choice(range(min(count, 99)))
    low, high = sorted((low, high))
    assert ours.between(low, high) == theirs.between(low, high)
    values, expected = list(range(size)), list(range(size))
    ours.shuffle(values)
    theirs.shuffle(expected)
    assert values == expected
    assert ours.state == theirs.state


def test_below_takes_numbers_up_to_the_largest_multiple() -> None:
    """The state before an output: each step of the generator undone."""
    for count in (3, 6, 10, 2**32 + 1, 2**63 + 1, 2**64 - 1):
        limit = 2**64 - 2**64 % count
        for output in (limit - 1, limit, 2**64 - 1):
            z = output ^ output >> 31 ^ output >> 62
            z = z * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
            z = z ^ z >> 27 ^ z >> 54
            z = z * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
            z = z ^ z >> 30 ^ z >> 60
            ours, theirs = (kind((z - 0x9E3779B97F4A7C15) % 2**64) for kind in GENERATORS)
            assert ours.below(count) == theirs.below(count)
            assert ours.state == theirs.state


def test_a_copied_generator_goes_on_by_itself() -> None:
    random = Random(7)
    random.next()
    twins = [copy.copy(random), copy.deepcopy(random), pickle.loads(pickle.dumps(random))]
    expected = [random.next() for _ in range(3)]
    for twin in twins:
        assert [twin.next() for _ in range(3)] == expected


@given(st.integers(0, 2**64 - 1), st.integers(0, 9), st.integers(0, 9))
def test_items_of_any_size_are_shuffled_alike(seed: int, count: int, size: int) -> None:
    order = list(range(count))
    Random(seed).shuffle(order)
    data = b"".join(bytes([i]) * size for i in range(count))
    items, state = ffi.new("uint8_t[]", data), ffi.new("uint64_t *", seed)
    lib.fxs_random_shuffle(state, items, count, size)
    assert bytes(ffi.buffer(items))[: len(data)] == b"".join(bytes([i]) * size for i in order)


# Motion.

motions = st.tuples(*3 * [st.integers(-SIZE_MAX, SIZE_MAX) | st.integers(-9, 9)])
normals = st.tuples(
    *3 * [st.integers(-motion.NORMAL_MAX, motion.NORMAL_MAX) | st.integers(-2, 2)]
) | st.sampled_from(((0, 2**30, 0), (-(2**30), 0, 0)))
EXTREMES = (motion.NORMAL_MAX, -motion.NORMAL_MAX, 0, 1)


@given(motions, st.integers(0, 65536), st.none() | normals)
@example((1, -1, 1), 1, (1, -1, -1))  # the least part, rounded up
def test_along_is_the_model_s(way: Any, fraction: int, normal: Any) -> None:
    assert motion.along(way, fraction, normal) == model_motion.along(way, fraction, normal)


def test_the_longest_component_of_a_normal_is_one_and_a_half() -> None:
    for axis in range(3):
        for value in (motion.NORMAL_MAX, motion.NORMAL_MAX + 1):
            for sign in (1, -1):
                normal = tuple(sign * value * (i == axis) for i in range(3))
                is_taken = value == motion.NORMAL_MAX
                found = ffi.new("int32_t[3]")
                status = 0 if is_taken else lib.FXS_E_NORMAL
                assert lib.fxs_along((1, 2, 3), 5, normal, found) == status
                assert lib.fxs_bounce((1, 2, 3), normal, 5, found) == status


def bounced(way: Any, normal: Any, kept: int) -> Any:
    found = given_by(model_motion.bounce, way, normal, kept)
    return found if found is None or all(LOW <= v <= HIGH for v in found) else None


@given(
    motions | st.tuples(*3 * [st.integers(4 - 2**31, 2**31 - 4)]), normals, st.integers(0, 65536)
)
def test_a_bounce_is_the_model_s(way: Any, normal: Any, kept: int) -> None:
    assert given_by(motion.bounce, way, normal, kept) == bounced(way, normal, kept)
    assert given_by(motion.slide, way, normal) == bounced(way, normal, 0)


def test_a_bounce_at_the_extremes_is_the_model_s() -> None:
    ways = (2**31 - 4, 4 - 2**31, 1, 0)
    for way in itertools.product(ways, repeat=3):
        for normal in itertools.product(EXTREMES, repeat=3):
            assert given_by(motion.bounce, way, normal, 65536) == bounced(way, normal, 65536)


@given(fst.worlds(capacity=8), st.data())
def test_move_and_slide_is_the_model_s(world: World, data: st.DataObject) -> None:
    """World, hits and refusal, whether it is in the open, in a corner or in something."""
    near = [m for m in world if not isinstance(world[m].shape, Sector)]
    if not near:
        return
    id = data.draw(st.sampled_from(near))
    size = data.draw(st.sampled_from((10, 2**17, 2**20, SIZE_MAX)))
    way = data.draw(st.tuples(*3 * [st.integers(-size, size)]))
    mask = data.draw(st.sampled_from((2**32 - 1, 3, None)))
    passes = data.draw(st.integers(1, 6))
    twin = model.ModelWorld(world.capacity)
    twin.load(world.save())
    found = given_by(lambda: motion.move_and_slide(world, id, way, mask=mask, passes=passes))
    assert found == given_by(lambda: model_motion.move_and_slide(twin, id, way, mask, passes))
    assert world.save() == twin.save()


# What is refused.


def world_of(*rows: tuple[int, Any]) -> Any:
    config = ffi.new("fxs_config *", (8, 8, lib.FXS_TOUCHING, [2**32 - 1] * 32))
    memory = ffi.new("uint64_t[]", lib.fxs_world_size(config) // 8 + 1)
    world = ffi.cast("fxs_world *", memory)
    KEPT.append(memory)
    assert lib.fxs_world_init(world, config) == 0
    for id, (kind, half_angle, size, x) in rows:
        row = ffi.new("fxs_collider *")
        row.id, row.kind, row.active, row.half_angle, row.size, row.x = (
            *(id, kind, 1, half_angle, size, x),
        )
        assert lib.fxs_world_add(world, row) == 0
    return world


KEPT: list[Any] = []
GOOD_MOVER = (1, 2**31 - 1, 4, 65536, 65536, 2**30, 2**31)
BAD_MOVERS = [
    (*GOOD_MOVER[:i], value, *GOOD_MOVER[i + 1 :])
    for i, value in (
        *((0, 8), (0, 2), (0, 3)),
        *((1, 0), (6, 1), (6, 2**31 + 2), (2, 0), (2, 1), (2, 65), (3, -1), (3, 2**29), (4, -1),
         (4, 2**29), (5, 0), (5, 2**30 + 1)),
    )
]  # fmt: skip


def cases() -> dict[str, list[tuple[Any, ...]]]:
    """Of each function that returns statuses: calls that are refused, and one that is not. The
    last argument or the last two are outputs."""
    ball, sector = (lib.FXS_SPHERE, 0, [9, 0, 0], 0), (lib.FXS_SECTOR, 9, [9, 9, 0], 99)
    world = world_of((1, ball), (3, sector))
    edge = world_of((1, (lib.FXS_SPHERE, 0, [9, 0, 0], 2**31 - 1)))
    one, way = ffi.new("int32_t[3]"), (5, 0, 0)
    rows = ffi.new("fxs_cast_hit[70]")
    state = ffi.new("uint64_t *", 5)
    up, no = (0, 2**30, 0), (0, 0, 0)
    bad = {
        "fxs_mul": [(LOW, LOW), (1, 1)],
        "fxs_div": [(1, 0), (LOW, 1), (1, 1)],
        "fxs_mul_div": [(1, 1, 0), (LOW, -1, 1), (1, 1, 1)],
        "fxs_sqrt": [(-1,), (1,)],
        "fxs_lerp": [(1, 2, 65537), (1, 2, 3)],
        "fxs_clamp": [(1, 3, 2), (1, 2, 3)],
        "fxs_approach": [(1, 3, -1), (1, 2, 3)],
        "fxs_hypot": [(HIGH, HIGH, 0), (1, 2, 3)],
        "fxs_dot": [((HIGH,) * 3, (HIGH,) * 3), (way, way)],
        "fxs_scale": [((1, 1, HIGH), HIGH), (way, 1)],
        "fxs_with_length": [(no, 1), (way, -1), (way, 1)],
        "fxs_along": [((2**29, 0, 0), 1, up), (way, 65537, up), (way, 1, (LOW, 0, 0)),
         (way, 1, up)],
        "fxs_bounce": [*((way, no, 1), (way, (0, HIGH, 0), 1), (way, up, 65537)),
         *(((LOW, LOW, LOW), (2**30, 1, 1), 65536), (way, up, 1))],
        "fxs_slide": [*((way, no), (way, (0, HIGH, 0))),
         *(((LOW, HIGH, HIGH), (-(2**28), -(2**29), -(2**29))), (way, up))],
    }  # fmt: skip
    found = {name: [(*args, one) for args in calls] for name, calls in bad.items()}
    found["fxs_turn_towards"] = [(65536, 0, 0), (0, 65536, 0), (0, 0, 65537), (0, 0, 0)]
    wide = ffi.new("int64_t *")
    found["fxs_random_between"] = [(state, 2, 1, wide), (state, 1, 2, wide)]
    found["fxs_random_chance"] = [(state, 1, 0), (state, 1, 1)]
    count, result = ffi.new("uint64_t *"), ffi.new("fxs_mover_result *")
    slides = [
        *((world, 8, way, 1, 1), (world, 2, way, 1, 1), (world, 3, way, 1, 1)),
        *((world, 1, way, 1, 0), (world, 1, way, 1, 65), (world, 1, (2**29, 0, 0), 1, 1)),
        *((edge, 1, way, 1, 1), (world, 1, way, 1, 1)),
    ]
    found["fxs_move_and_slide"] = [(*args, rows, count) for args in slides]
    movers = [(world, ffi.new("fxs_mover *", mover), way) for mover in BAD_MOVERS]
    good = ffi.new("fxs_mover *", GOOD_MOVER)
    movers += [(world, good, (2**29, 0, 0)), (edge, good, way), (world, good, way)]
    found["fxs_mover_move"] = [(*args, result, rows) for args in movers]
    return found


CASES = cases()
DECLARED = re.findall(r"/\*((?:(?!\*/).)*)\*/\nFXS_API int32_t (fxs_\w+)\(", HEADER, re.DOTALL)


def saved(value: Any) -> bytes:
    if ffi.typeof(value) is ffi.typeof("fxs_world *"):
        out = ffi.new("uint8_t[]", lib.fxs_world_save_size(value))
        lib.fxs_world_save(value, out)
        return bytes(ffi.buffer(out))
    return bytes(ffi.buffer(value))


@each("name", CASES)
def test_a_refusal_is_documented_and_changes_nothing(name: str) -> None:
    comment = next(comment for comment, declared in DECLARED if declared == name)
    seen = set()
    for args in CASES[name]:
        outputs = [arg for arg in args if isinstance(arg, ffi.CData)]
        before = [saved(output) for output in outputs]
        status = getattr(lib, name)(*args)
        if status < 0:
            seen.add(status)
            assert [saved(output) for output in outputs] == before
    assert status >= 0, "the last call is right"
    reported = {getattr(lib, status) for status in re.findall(r"\bFXS_E_\w+", comment)}
    assert seen == reported

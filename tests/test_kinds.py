"""The table of shape kinds, compared with the C header, the classes and the strategies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import model
import pytest
import strategies
from hypothesis import Phase, find, given, settings
from tools import each

from fixsync import Shape
from fixsync._native import kinds as native_kinds
from fixsync._native.changes import CHANGES, FIELDS
from fixsync._native.kinds import KINDS, KINDS_BY_NAME, Kind, shape_fault
from fixsync._native.raw import ffi, lib
from fixsync._native.rows import (
    CAST,
    CAST_HIT,
    COLLIDER,
    COLLIDER_COLUMNS,
    COMMAND,
    EVENT,
    HIT,
    POSE,
    QUERY,
    SHAPE,
)
from fixsync.synctest import strategies as fst
from fixsync.world.shapes import shape_from_tuple, shape_of_row

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEADER = (Path(__file__).resolve().parent.parent / "csrc" / "fixsync.h").read_text(encoding="utf-8")
IDS = [kind.name for kind in KINDS]


def smallest(kind: Kind) -> list[int]:
    return [size.low for size in kind.sizes]


def test_the_kinds_are_those_of_the_header_by_code() -> None:
    codes = [int(code) for code in re.findall(r"^#define FXS_\w+ (\d+) +/\* size: ", HEADER, re.M)]
    assert [kind.code for kind in KINDS] == codes == list(range(len(KINDS)))
    assert [getattr(lib, f"FXS_{kind.name.upper()}") for kind in KINDS] == codes


def test_every_kind_has_a_class_with_its_sizes() -> None:
    assert [shape.__name__ for shape in get_args(Shape)] == [
        native_kinds.class_name(name) for name in IDS
    ]
    for shape, kind in zip(get_args(Shape), KINDS, strict=True):
        assert shape.__match_args__ == tuple(size.name for size in kind.sizes)


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_the_kernel_takes_exactly_the_sizes_of_the_table(kind: Kind) -> None:
    ends = [smallest(kind), [size.high - size.is_hole for size in kind.sizes]]
    for sizes in ends:
        row = kind.numbers(sizes)
        assert lib.fxs_shape_check(SHAPE.pack(*row)) == 0
        assert shape_fault(row) is None
        assert shape_from_tuple(shape_of_row(*row).as_tuple()) == shape_from_tuple(
            (kind.name, *sizes)
        )
        for i, beyond in enumerate(kind.sizes):
            wrong = [*sizes[:i], beyond.low - 1 if sizes is ends[0] else beyond.high + 1]
            row = kind.numbers([*wrong, *sizes[i + 1 :]])
            fits = all(number >= 0 for number in row[:2])  # the first two are unsigned in C
            assert not fits or lib.fxs_shape_check(SHAPE.pack(*row)) < 0
            assert shape_fault(row) is not None
            with pytest.raises(ValueError, match=beyond.name):
                shape_from_tuple((kind.name, *wrong, *sizes[i + 1 :]))
    used = {size.column for size in kind.sizes}
    for at, column in enumerate(("half_angle", "a", "b", "c"), 1):
        if column not in used:
            row = (*kind.numbers(smallest(kind))[:at], 1, *kind.numbers(smallest(kind))[at + 1 :])
            assert lib.fxs_shape_check(SHAPE.pack(*row)) < 0
            assert shape_fault(row) is not None


def test_a_hole_is_below_the_radius_and_left_out_where_it_is_0() -> None:
    sector = KINDS_BY_NAME["sector"]
    for radius, inner, fits in ((1, 0, 1), (1, 1, 0), (9, 8, 1), (9, 9, 0), (9, 10, 0), (2, -1, 0)):
        row = sector.numbers((radius, 5, 7, inner))
        assert (lib.fxs_shape_check(SHAPE.pack(*row)) == 0) == fits
        assert (shape_fault(row) is None) == fits
    assert sector.written(sector.numbers((9, 5, 7, 0))) == ("sector", 9, 5, 7)
    assert sector.written(sector.numbers((9, 5, 7, 8))) == ("sector", 9, 5, 7, 8)
    for others in [kind for kind in KINDS if kind is not sector]:
        assert not others.hole


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_the_kernel_pushes_and_casts_exactly_the_kinds_of_the_table(kind: Kind) -> None:
    row, here = SHAPE.pack(*kind.numbers(smallest(kind))), POSE.pack(0, 0, 0, 0)
    out, still = ffi.new("int32_t[3]"), (0, 0, 0)
    pushed = lib.fxs_push_out(row, here, row, here, out) != lib.FXS_E_UNDEFINED
    met = lib.fxs_cast_pair(row, here, still, row, here, still, 1, out, out)
    assert (pushed, met != lib.FXS_E_UNDEFINED) == (kind.can_push, kind.can_cast)
    assert lib.fxs_overlap(row, here, row, here) >= 0


def test_a_kind_of_two_words_has_a_class_of_two_words() -> None:
    assert native_kinds.class_name("hex_prism") == "HexPrism"


def test_the_strategies_draw_every_kind() -> None:
    first = settings(
        phases=[Phase.generate], database=None, max_examples=1000
    )  # and not the simplest
    for kind in KINDS:
        find(fst.shapes(), lambda s, kind=kind: s.as_tuple()[0] == kind.name, settings=first)


def test_a_least_size_above_a_tiny_one_is_a_least_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size that is not tiny is not looked at twice."""
    low, high = 1000, 20000
    rows = (("slab", "half_x", 0, low, high), ("slab", "half_angle", -1, low, high))
    monkeypatch.setattr(native_kinds, "SIZES", rows)
    sizes = native_kinds._sizes("slab", has_hole=False)
    kind = Kind("slab", 0, *sizes, can_push=False, can_cast=False, has_front=False)
    assert kind.checked((low, high)) == (low, high)
    for beyond in ((low - 1, high), (low, low - 1), (high + 1, high), (low, high + 1)):
        with pytest.raises(ValueError, match=f"must be {low}..{high}, not"):
            kind.checked(beyond)

    monkeypatch.setattr(fst, "KINDS", (kind,))
    monkeypatch.setattr(fst, "_made", lambda _, numbers: numbers)
    monkeypatch.setitem(model.KINDS, "slab", (("half_x", low, high), ("half_angle", low, high)))
    of_tests = strategies.shapes(("slab",)).map(lambda shape: shape[1:])
    for drawn in (fst.shapes(), fst.shapes(extremes=True), of_tests):
        assert_all_are_within(drawn, low, high)


def assert_all_are_within(sizes: Any, low: int, high: int) -> None:
    @settings(database=None, max_examples=100)
    @given(sizes)
    def check(sizes: tuple[int, ...]) -> None:
        assert all(low <= size <= high for size in sizes)

    check()


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_the_model_has_the_sizes_and_ranges_of_the_kernel(kind: Kind) -> None:
    sizes = tuple((size.name, size.low, size.high) for size in kind.sizes if not size.is_hole)
    assert model.KINDS[kind.name] == sizes
    assert model.ORDER[kind.code] == kind.name


@each(
    ("row", "name"),
    [
        (SHAPE, "shape"),
        (POSE, "pose"),
        (COLLIDER, "collider"),
        (COMMAND, "command"),
        (QUERY, "query"),
        (CAST, "cast"),
        (EVENT, "event"),
        (HIT, "hit"),
        (CAST_HIT, "cast_hit"),
    ],
)
def test_a_row_has_the_size_of_its_structure(row: object, name: str) -> None:
    assert row.size == ffi.sizeof(f"fxs_{name}")  # type: ignore[attr-defined]


def test_the_columns_of_a_collider_are_the_fields_of_its_structure() -> None:
    fields = [name for name, _ in ffi.typeof("fxs_collider").fields]
    assert list(COLLIDER_COLUMNS) == [*fields[:-1], "a", "b", "c"]
    assert fields[-1] == "size"


def test_the_header_says_what_the_table_of_commands_says() -> None:
    """The code of each command, the function that it calls, and the fields that it reads."""
    rows = re.findall(r"^#define FXS_COMMAND_(\w+) (\d+) +/\* (.*?) \*/$", HEADER, re.M)
    said = {name.lower(): (int(code), text) for name, code, text in rows}
    assert said.keys() == CHANGES.keys()
    for change in CHANGES.values():
        code, text = said[change.name]
        assert code == change.code
        if change.name == "layers":
            assert text.startswith("layer, mask: ")
            continue
        columns = [column for field in change.fields for column in FIELDS[field]]
        fields = re.sub("a, b, c$", "size", ", ".join(c for c in columns))
        fields = "the whole collider" if change.name == "add" else fields
        function = re.search(r"fxs_\w+", str(change.function))
        assert function is not None
        assert text == f"{function[0]}: {fields}"

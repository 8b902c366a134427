"""Frame data: the table of parts and attacks, and what is refused of it."""

from __future__ import annotations

import copy
import json
import re
from decimal import Decimal, localcontext
from pathlib import Path
from struct import pack, pack_into, unpack_from
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import KINDS as MODEL_KINDS
from strategies import NO_KIND, examples
from tools import each, needs

from fixsync import Attack, Box, Cancel, Cylinder, FrameData, Key, Part, Sector, Sphere
from fixsync._native.body import TableError
from fixsync._native.raw import ffi, lib
from fixsync.cli.frame_data import frame_data_command
from fixsync.game.frame_data_file import FrameDataError, frame_data, read_frame_data, schema

FRAMES = FrameData(
    {
        "torso": Part(Cylinder(5000, 8000), layer=3),
        "sword": Part(Box(60, 70, 80), (-90, 20, 3), layer=31, yaw=49152, active=False),
        "fan": Part(Sector(300, 9000, 10), (0, -50, 0), yaw=1234),
    },
    {
        "slash": Attack(10, {"sword": [range(2, 4), range(6, 7)], "fan": range(2, 4)},
         {"torso": range(9)}, rehits=[3, 6],
         cancels=[Cancel("jab", range(4, 9), on_hit=True), Cancel("slash", range(9, 10))]),
        "jab": Attack.of(1, 2, 3, ["fan"]),
    },
)  # fmt: skip
TABLE = FRAMES.to_bytes()
SWINGS = FrameData(
    {
        "torso": Part(Cylinder(5000, 8000), layer=3),
        "sword": Part(Box(60, 70, 80), (-90, 20, 3), layer=31, active=False),
        "fan": Part(Sector(300, 9000, 10), (4, -50, 0), yaw=1234, turns=True),
    },
    {
        "slash": Attack(
            10,
            {"sword": range(2, 7)},
            rehits=[3],
            cancels=[Cancel("jab", range(4, 9))],
            keys={
                "fan": [Key(range(9, 10), yaw=16384)],
                "sword": [
                    Key(range(5, 7), Sphere(9), (1, 2, 3), 777, turns=True),
                    Key(range(2, 4), Box(61, 71, 81)),
                ],
            },
        ),
        "jab": Attack(6),
    },
)
KEYED_TABLE = SWINGS.to_bytes()

SIZE_MAX = 2**29 - 1


def test_the_bytes_of_a_table_are_those_of_the_contract() -> None:
    def part(kind: int, *numbers: int) -> bytes:
        return pack("<4B2H6i", kind, *numbers)

    assert b"".join((
        b"FXF1", pack("<2I", 3, 2),
        part(2, 3, 1, 0, 0, 0, 0, 0, 0, 5000, 8000, 0),
        part(3, 31, 0, 0, 49152, 0, -90, 20, 3, 60, 70, 80),
        part(4, 0, 1, 0, 1234, 9000, 0, -50, 0, 300, 10, 0),
        pack("<7I", 10, 0b110, 0b001, 3, 2, 2, 164),
        pack("<7I", 6, 0b100, 0, 1, 0, 0, 240),
        pack("<9I", 0, 9, 0b001, 2, 4, 0b110, 6, 7, 0b010),
        pack("<2I", 3, 6),
        pack("<8I", 4, 9, 1, 1, 9, 10, 0, 0),
        pack("<3I", 1, 3, 0b100),
    )) == TABLE  # fmt: skip


def test_a_table_with_keys_is_that_of_the_contract() -> None:
    def part(kind: int, *numbers: int) -> bytes:
        return pack("<4B2H6i", kind, *numbers)

    assert b"".join((
        b"FXF2", pack("<2I", 3, 2),
        part(2, 3, 1, 0, 0, 0, 0, 0, 0, 5000, 8000, 0),
        part(3, 31, 0, 0, 0, 0, -90, 20, 3, 60, 70, 80),
        part(4, 0, 1, 1, 1234, 9000, 4, -50, 0, 300, 10, 0),
        pack("<8I", 10, 0b010, 0, 1, 1, 1, 172, 3),
        pack("<8I", 6, 0, 0, 0, 0, 0, 336, 0),
        pack("<3I", 2, 7, 0b010),
        pack("<I", 3),
        pack("<4I", 4, 9, 1, 0),
        pack("<3I", 2, 4, 1), part(3, 0, 0, 0, 0, 0, -90, 20, 3, 61, 71, 81),
        pack("<3I", 5, 7, 1), part(0, 0, 0, 1, 777, 0, 1, 2, 3, 9, 0, 0),
        pack("<3I", 9, 10, 2), part(4, 0, 0, 0, 16384, 9000, 4, -50, 0, 300, 10, 0),
    )) == KEYED_TABLE  # fmt: skip


def check(table: bytes) -> int | None:
    """The offset at which C refuses a table; None for a good one."""
    at = ffi.new("uint64_t *", 999999)
    # An exact copy, so that a sanitizer sees what is read beyond its end.
    status = lib.fxs_frame_data_check(ffi.new("uint8_t[]", table), len(table), at)
    assert status in (0, lib.FXS_E_TABLE)
    assert status or at[0] == 999999
    return int(at[0]) if status else None


def model_part(data: bytes, at: int, most: tuple[int, int, int]) -> int | None:
    """The first fault of a part row; `most` of its layer, active and turns."""
    kind, layer, active, turns, yaw, half, ox, _, oz, *sizes = unpack_from("<4B2H6i", data, at)
    ranges = [*MODEL_KINDS.values()][kind] if kind < NO_KIND else ()
    low = [least for name, least, _ in ranges if name != "half_angle"]
    angles = [(least, most) for name, least, most in ranges if name == "half_angle"] or [(0, 0)]
    used = len(low)
    good = all(a <= size <= SIZE_MAX for a, size in zip(low, sizes[:used], strict=True))
    hole = kind == 4 and 0 <= sizes[2] < sizes[0]
    faults = (
        (0, kind >= NO_KIND),
        (1, layer > most[0]),
        (2, active > most[1]),
        (3, turns > most[2]),
        (4, not turns and (ox, oz) != (0, 0) and yaw % 16384 != 0),
        (6, not angles[0][0] <= half <= angles[0][1]),
        (8, ox == -(2**31) and not (turns and kind == 4)),
        (16, oz == -(2**31) and (not turns or kind == 4)),
        (20, not (good and (any(sizes[used:]) == 0 or hole))),
    )
    return next((at + offset for offset, is_bad in faults if is_bad), None)


def model(data: bytes) -> int | None:
    """What `check` must return: docs/contract.md, in Python."""
    if len(data) < 12 or data[:4] not in (b"FXF1", b"FXF2"):
        return 0
    is_keyed = data[:4] == b"FXF2"
    attack_row = 32 if is_keyed else 28
    total_keys = 0
    parts, attacks = unpack_from("<2I", data, 4)
    if not 1 <= parts <= 32 or len(data) < 12 + 32 * parts:
        return 4
    heads = 12 + 32 * parts
    if len(data) < heads + attack_row * attacks:
        return 8
    for i in range(parts):
        fault = model_part(data, 12 + 32 * i, (31, 1, is_keyed))
        if fault is not None:
            return fault
    end, rows = heads + attack_row * attacks, []
    for at in range(heads, end, attack_row):
        frames, active, inactive, *counts, begin = unpack_from("<7I", data, at)
        if not 1 <= frames < 2**31:
            return at
        if active >> parts:
            return at + 4
        if inactive >> parts or active & inactive:
            return at + 8
        keys = unpack_from("<I", data, at + 28)[0] if is_keyed else 0
        rows.append((frames, active | inactive, (*counts, keys), end))
        first = end
        for i, (count, size) in enumerate(zip(counts, (12, 4, 16), strict=True)):
            end += count * size
            if end > len(data):
                return at + 12 + 4 * i
        if begin != first:
            return at + 24
        end += 44 * keys
        total_keys += keys
        if end > len(data):
            return at + 28
    for frames, switched, (windows, rehits, cancels, keys), begin in rows:
        at, last = begin, 0
        for at in range(begin, begin + 12 * windows, 12):
            start, stop, mask = unpack_from("<3I", data, at)
            if not start < stop <= frames:
                return at
            if mask == 0 or mask & ~switched:
                return at + 8
        begin += 12 * windows
        for at in range(begin, begin + 4 * rehits, 4):
            (frame,) = unpack_from("<I", data, at)
            if not last < frame < frames:
                return at
            last = frame
        begin += 4 * rehits
        for at in range(begin, begin + 16 * cancels, 16):
            start, stop, into, on_hit = unpack_from("<4I", data, at)
            if not start < stop <= frames:
                return at
            if into >= attacks:
                return at + 8
            if on_hit > 1:
                return at + 12
        begin += 16 * cancels
        before = (-1, 0)
        for at in range(begin, begin + 44 * keys, 44):
            start, stop, part = unpack_from("<3I", data, at)
            if not start < stop <= frames or (part, start) < before:
                return at
            before = (part, stop)
            if part >= parts:
                return at + 8
            fault = model_part(data, at + 12, (0, 0, 1))
            if fault is not None:
                return fault
    if end != len(data):
        return end
    turning = any(data[12 + 32 * i + 3] for i in range(parts))
    return 0 if is_keyed and not total_keys and not turning else None


NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 5, 9, 10, 31, 32, 33, 2**16, 2**29, 2**31, 2**32 - 1])


@examples(4000)
@given(
    st.sampled_from([TABLE, KEYED_TABLE]),
    st.lists(st.tuples(st.integers(0, len(KEYED_TABLE)), NUMBERS, st.booleans()), max_size=3),
    st.integers(-40, 40),
)
def test_a_table_is_refused_where_the_model_refuses_it(
    good: bytes, changes: list[tuple[int, int, bool]], cut: int
) -> None:
    data = bytearray(good)
    for at, number, is_whole in changes:
        at %= len(data) - 3
        at -= at % 4 if is_whole else 0
        pack_into("<I", data, at, number) if is_whole else data.__setitem__(at, number % 256)
    table = bytes(data[: len(data) + cut]) if cut < 0 else bytes(data) + bytes(max(0, cut - 20))
    assert check(table) == model(table)


@pytest.mark.parametrize("table", [TABLE, KEYED_TABLE])
def test_every_byte_of_a_table_is_looked_at_or_free(table: bytes) -> None:
    """A flip of any bit gives a good table or a fault, and the model agrees."""
    for bit in range(8 * len(table)):
        data = bytearray(table)
        data[bit // 8] ^= 1 << bit % 8
        assert check(bytes(data)) == model(bytes(data)), bit
    for size in range(len(table)):
        assert check(table[:size]) == model(table[:size]) is not None
    assert check(table) is None


def test_a_table_says_fxf2_only_if_it_needs_to() -> None:
    plain = {"a": Part(Sphere(1), (3, 0, 0))}
    assert FrameData(plain, {"x": Attack(2, keys={"a": []})}).to_bytes()[:4] == b"FXF1"
    turning = FrameData({"a": Part(Sphere(1), (3, 0, 0), turns=True)}).to_bytes()
    assert turning[:4] == b"FXF2"
    assert check(turning) is None
    needless = bytearray(turning)
    needless[12 + 3] = 0
    assert check(bytes(needless)) == model(bytes(needless)) == 0


def test_keys_that_overlap_or_belong_to_no_part_are_refused() -> None:
    parts = {"a": Part(Sphere(1), (3, 0, 0))}
    with pytest.raises(ValueError, match=r"keys\['a'\]: range\(0, 3\) and range\(2, 4\) overlap"):
        Attack(5, keys={"a": [Key(range(2, 4)), Key(range(3))]})
    with pytest.raises(ValueError, match=r"keys\['a'\]\[0\]: frames must be within range\(0, 5\)"):
        Attack(5, keys={"a": [Key(range(2, 6))]})
    with pytest.raises(ValueError, match=r'attacks\.x\.keys\.b: must be one of a, not "b"'):
        FrameData(parts, {"x": Attack(5, keys={"b": [Key(range(1))]})})
    with pytest.raises(ValueError, match=r"attacks\.x\.keys\.a\[0\]\.yaw: must be 0, 16384"):
        FrameData(parts, {"x": Attack(5, keys={"a": [Key(range(1), yaw=5)]})})
    with pytest.raises(TypeError, match="shape must be"):
        Key(range(1), shape=5)


def test_a_mirror_negates_only_what_it_must() -> None:
    least = -(2**31)
    Part(Sector(5, 5, 5), (least, 0, 0), turns=True)
    Part(Sphere(5), (0, 0, least), turns=True)
    for shape, offset in ((Sector(5, 5, 5), (0, 0, least)), (Sphere(5), (least, 0, 0))):
        with pytest.raises(ValueError, match="must be -2147483647"):
            Part(shape, offset, turns=True)


def test_frame_data_needs_a_part() -> None:
    with pytest.raises(ValueError, match=r"parts: must be 1\.\.32, not 0"):
        FrameData({})
    assert check(FrameData({"a": Part(Sphere(1))}).to_bytes()) is None


# The JSON file.

ROOT = Path(__file__).resolve().parent.parent
FIGHTER = ROOT / "examples" / "fighter.json"
FILE: dict[str, Any] = {
    "parts": {
        "body": {"shape": ["cylinder", "0.5", 65536], "layer": 1},
        "fan": {"shape": ["sector", 90000, "22.5", 5], "yaw": "-90", "offset": ["-1.5", 0, 7]},
    },
    "attacks": {
        "jab": {
            "frames": 9,
            "active": {"fan": [[2, 3], [5, 5]]},
            "rehits": [5],
            "cancels": [{"into": "roll", "frames": [4, 8], "on_hit": True}],
            "keys": {
                "fan": [
                    {"frames": [2, 2], "yaw": "30", "turns": True, "offset": ["-1", 0, 0]},
                    {"frames": [3, 5], "shape": ["sphere", 5], "meta": {"stun": 3}},
                ]
            },
            "meta": {"damage": 12, "tags": ["low", True]},
        },
        "roll": {"frames": 4, "inactive": {"body": [[0, 3]]}},
    },
    "meta": {"sheet": "hero.png"},
}


def test_a_file_is_the_frame_data_that_python_makes(tmp_path: Path) -> None:
    path = tmp_path / "fighter.json"
    path.write_text(json.dumps(FILE, indent=2), encoding="utf-8")
    made = FrameData(
        {
            "body": Part(Cylinder(32768, 65536), layer=1),
            "fan": Part(Sector(90000, 4096, 5), (-98304, 0, 7), yaw=49152),
        },
        {
            "jab": Attack(
                9,
                {"fan": [range(2, 4), range(5, 6)]},
                rehits=[5],
                cancels=[Cancel("roll", range(4, 9), on_hit=True)],
                keys={
                    "fan": [
                        Key(range(2, 3), offset=(-65536, 0, 0), yaw=5461, turns=True),
                        Key(range(3, 6), shape=Sphere(5), meta={"stun": 3}),
                    ]
                },
                meta={"damage": 12, "tags": ["low", True]},
            ),
            "roll": Attack(4, inactive={"body": range(4)}),
        },
        meta={"sheet": "hero.png"},
    )
    read = read_frame_data(path)
    assert (read.parts, read.attacks, read.meta) == (made.parts, made.attacks, made.meta)
    assert read.to_bytes() == made.to_bytes()


DELETE = object()


@each(("place", "value", "path", "reason"), [
    ("parts", {}, "parts", "must be 1..32, not 0"),
    ("parts", 5, "parts", "must be an object, not 5"),
    ("parts.", {}, "parts", 'must be of names with a character, none of them 0, not ""'),
    ("parts.body.shape", DELETE, "parts.body.shape", "is missing"),
    ("parts.body.shape.0", "cone", "parts.body.shape[0]", "must be one of sphere, capsule, "),
    ("parts.body.shape.1", 0, "parts.body.shape[1]", "must be 1..536870911, not 0"),
    ("parts.body.shape.1", "0.1", "parts.body.shape[1]",
     'must be a multiple of 1/65536, such as "0.100006103515625" (raw 6554), not "0.1"'),
    ("parts.body.shape.1", "9e9.1", "parts.body.shape[1]", 'or a decimal like "1.5", not "9e9.1"'),
    ("parts.body.shape.1", "99999.1", "parts.body.shape[1]", 'must be -2147483648..2147483647, not "99'),
    ("parts.body.shape.1", "9000", "parts.body.shape[1]", 'must be 1..536870911, not "9000"'),
    ("parts.body.shape.1", "wide", "parts.body.shape[1]", 'like "1.5", not "wide"'),
    ("parts.body.shape.1", True, "parts.body.shape[1]", "must be 1..536870911, not true"),
    ("parts.body.shape", ["box", 1, 2], "parts.body.shape", "a box has 3 numbers, not ["),
    ("parts.body.shape", ["sphere"], "parts.body.shape", 'a sphere has 1 number, not ["sphere"]'),
    ("parts.body.layer", 32, "parts.body.layer", "must be 0..31, not 32"),
    ("parts.body.color", 1, "parts.body", 'has shape, offset, yaw, turns, meta, layer, active, not "color"'),
    ("parts.body.active", 0, "parts.body.active", "must be true or false, not 0"),
    ("parts.fan.shape.2", "0", "parts.fan.shape[2]", 'must be 1..32768, not "0"'),
    ("parts.fan.yaw", 1, "parts.fan.yaw", "must be 0, 16384, 32768 or 49152 off the centre"),
    ("parts.fan.offset.1", -(2**31) - 1, "parts.fan.offset[1]", "must be -2147483648..2147483647, not -2"),
    ("parts.fan.offset.0", -(2**31), "parts.fan.offset", "must not have -2147483648 here"),
    ("parts.fan.turns", 1, "parts.fan.turns", "must be true or false, not 1"),
    ("attacks.", {"frames": 3}, "attacks", 'must be of names with a character, none of them 0, not ""'),
    ("attacks.jab.frames", 0, "attacks.jab.frames", "must be 1..2147483647, not 0"),
    ("attacks.jab.frames", 1.5, "attacks.jab.frames", "true, false, lists and objects, not: 1.5, "),
    ("attacks.jab.frames", DELETE, "attacks.jab.frames", "is missing"),
    ("attacks.jab.frame", 9, "attacks.jab", "has frames, active, inactive, rehits, cancels, keys, meta, not"),
    ("attacks.jab.active.fan.0.1", 9, "attacks.jab.active.fan[0][1]", "must be 2..8, not 9"),
    ("attacks.jab.active.fan.1", [5], "attacks.jab.active.fan[1]", "must be [first frame, last frame], not [5]"),
    ("attacks.jab.active.tail", [], "attacks.jab.active.tail", 'must be one of body, fan, not "tail"'),
    ("attacks.jab.inactive", {"fan": []}, "attacks.jab", "a part must be in active or inactive, not in both"),
    ("attacks.jab.rehits", [5, 5], "attacks.jab.rehits[1]", "must be 6..8, not 5"),
    ("attacks.jab.cancels.0.into", "hop", "attacks.jab.cancels[0].into", 'must be one of jab, roll, not "hop"'),
    ("attacks.jab.cancels.0.into", DELETE, "attacks.jab.cancels[0].into", "is missing"),
    ("attacks.jab.cancels.0.frames", [7, 6], "attacks.jab.cancels[0].frames[1]", "must be 7..8, not 6"),
    ("attacks.jab.meta", {"damage": [0, 1.5]}, "attacks.jab.meta.damage[1]", "lists and objects, not: 1.5]}"),
    ("attacks.jab.meta", 1, "attacks.jab.meta", "must be an object, not 1"),
    ("attacks.jab.keys.tail", [], "attacks.jab.keys.tail", 'must be one of body, fan, not "tail"'),
    ("attacks.jab.keys.fan.0.frames", DELETE, "attacks.jab.keys.fan[0].frames", "is missing"),
    ("attacks.jab.keys.fan.0.frames", [2, 9], "attacks.jab.keys.fan[0].frames[1]", "must be 2..8, not 9"),
    ("attacks.jab.keys.fan.0.frames", [2, 3], "attacks.jab.keys.fan[1].frames",
     "must be frames of no other key of the part, not [3,5]"),
    ("attacks.jab.keys.fan.0.turns", False, "attacks.jab.keys.fan[0].yaw", "must be 0, 16384, 32768 or 49152"),
    ("attacks.jab.keys.fan.1.shape", ["sphere", 0], "attacks.jab.keys.fan[1].shape[1]", "must be 1..536870911"),
])  # fmt: skip
def test_a_wrong_file_is_refused_with_path_value_and_range(
    place: str, value: object, path: str, reason: str, tmp_path: Path
) -> None:
    doc = copy.deepcopy(FILE)
    *way, last = (int(key) if key.isdecimal() else key for key in place.split("."))
    inner: Any = doc
    for key in way:
        inner = inner[key]
    if value is DELETE:
        del inner[last]
    else:
        inner[last] = value
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(doc), encoding="utf-8")
    with pytest.raises(FrameDataError, match=re.escape(reason)) as error:
        read_frame_data(file)
    assert (error.value.file, error.value.path) == (str(file), path)
    assert str(error.value).startswith(f"{file}: {path}: ")


@pytest.mark.parametrize(("text", "reason"), [
    ('{"parts":{},\n"parts":{}}', 'frame data, line 2, has a key twice: "parts"$'),
    ('{"parts":{"a":{},\n"b":[{}, {"c":1, "c":2}]}}', r'parts.b\[1\]: line 2, has a key twice: "c"$'),
    ('{"parts":\n{"a":}}', r"parts.a: line 2, must be JSON of strings, integers, .*, not: }}$"),
    ('{"attacks":{}, "parts":\n [3, 12 14]', r"parts\[1\]: line 2, must be JSON .*, not: 12 14\]$"),
    ('{"parts":' + 9 * "[" + "1.5" + 9 * "]", r"parts\[0\]\[0\]\[0\]\[0\]\[0\]\[0\]\[0\]: line 1.*, not: 1.5\]"),
    ('{"parts":{"a":"b\\q"}}', r"parts.a: line 1, must be JSON .*, not: "),
    ('{"parts":{"b\\ud800":{}}}', "parts: line 1, has half of a surrogate pair$"),
    ("[]", r"frame data, line 1, must be JSON of .*, not: \[\]$"),
    ('{"partes":{}}', 'frame data has parts, attacks, meta, not "partes"'),
])  # fmt: skip
def test_what_is_not_json_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(FrameDataError, match=reason):
        read_frame_data(tmp_path / "bad.json")


@pytest.mark.full
def test_the_schema_takes_what_the_reader_takes() -> None:
    validator = needs("jsonschema").Draft202012Validator(schema())
    assert validator.is_valid(FILE)
    assert validator.is_valid(json.loads(FIGHTER.read_text(encoding="utf-8")))
    for change in ({"parts": {}}, {"parts": {"a": {"shape": ["box", 1, 2]}}}, {"moves": {}}):
        assert not validator.is_valid({**FILE, **change})


def test_the_header_of_the_example_is_what_the_command_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("fighter.h", "fighter.bin"):
        frame_data_command.main([str(FIGHTER), "-o", str(tmp_path / name)], standalone_mode=False)
    assert "beam   36 frames, 2 hits" in capsys.readouterr().out
    header = (ROOT / "examples" / "fighter_frames.h").read_text(encoding="utf-8")
    assert (tmp_path / "fighter.h").read_text(encoding="utf-8") == header
    table = (tmp_path / "fighter.bin").read_bytes()
    assert table == read_frame_data(FIGHTER).to_bytes()
    assert bytes(map(int, re.findall(r"\b\d+(?=,)", header))) == table
    assert check(table) is None


def read_in_c(text: bytes) -> tuple[bytes, list[str]] | str:
    """The table and the names that C reads, or its reason for none."""
    room = 4 * len(text) + lib.FXS_FRAME_DATA_MESSAGE_MAX
    out, sizes = ffi.new("uint8_t[]", room), ffi.new("uint64_t[2]")
    status = lib.fxs_frame_data_read(
        ffi.new("char[]", text), len(text), out, room, sizes, sizes + 1
    )
    table, names = sizes
    if status != lib.FXS_OK:
        assert status == lib.FXS_E_TEXT
        assert names <= table <= lib.FXS_FRAME_DATA_MESSAGE_MAX
        return bytes(ffi.buffer(out, table)).decode()
    assert table + names <= 3 * len(text)
    written = bytes(ffi.buffer(out, table + names))
    return written[:table], written[table:].decode().split("\0")[:-1]


NAMES = st.text(min_size=1, max_size=4).filter(lambda name: "\0" not in name)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Frame data that is right, of every kind of shape and member."""

    def place(kind: str) -> dict[str, Any]:
        sizes: list[Any] = []
        for name, least, most in MODEL_KINDS[kind]:
            raw = draw(st.integers(least, min(most, 2**20)))
            written = decimal_of(raw) if name != "half_angle" else degrees_of(draw)
            sizes.append(draw(st.sampled_from((raw, written))))
        value: dict[str, Any] = {"shape": [kind, *sizes]}
        if draw(st.booleans()):
            value["offset"] = draw(st.tuples(*[st.integers(-(2**31) + 1, 2**31 - 1)] * 3))
        if draw(st.booleans()):
            value["yaw"] = draw(st.sampled_from((0, 16384, "90", "-90", "630.0")))
        if draw(st.booleans()):
            value |= {"turns": True, "yaw": draw(st.integers(0, 65535) | st.just(degrees_of(draw)))}
        if draw(st.booleans()):
            value["meta"] = {draw(st.text()): [draw(st.integers()), {"a": draw(st.text())}]}
        return value

    def span(frames: int) -> list[int]:
        return sorted(draw(st.tuples(*[st.integers(0, frames - 1)] * 2)))

    kinds = st.sampled_from([*MODEL_KINDS])
    parts = {
        name: place(draw(kinds)) | draw(st.sampled_from(({}, {"layer": 31}, {"active": False})))
        for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    }
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    attacks: dict[str, Any] = {}
    for name in names:
        frames = draw(st.integers(1, 12))
        value: dict[str, Any] = {"frames": frames}
        for part in parts:
            which = draw(st.sampled_from(("active", "inactive", "none")))
            if which != "none":
                some = [span(frames) for _ in range(draw(st.integers(0, 3)))]
                value.setdefault(which, {})[part] = some
            if draw(st.booleans()):
                cut = draw(st.integers(0, frames))
                spans = [s for s in ([cut, frames - 1], [0, cut - 1]) if s[0] <= s[1]]
                value.setdefault("keys", {})[part] = [
                    {"frames": s} | place(draw(kinds)) for s in spans
                ]
        value["rehits"] = sorted(draw(st.sets(st.integers(1, 11))) & {*range(frames)})
        value["cancels"] = [
            {"into": into, "frames": span(frames), "on_hit": draw(st.booleans())}
            for into in draw(st.lists(st.sampled_from(names), max_size=2))
        ]
        attacks[name] = value
    return {"meta": {}, "attacks": attacks, "parts": parts}


def decimal_of(raw: int) -> str:
    return f"{Decimal(raw) / 65536:f}"


def degrees_of(draw: st.DrawFn) -> str:
    """About half way between two yaws, where the last digits decide."""
    half = Decimal(2 * draw(st.integers(1, 30000)) + 1) * 45 / 2**14
    with localcontext() as context:
        context.prec = 60
        return f"{half + Decimal(draw(st.integers(-1, 1))) / Decimal(10) ** 20:f}"


@examples(200)
@given(documents(), st.booleans(), st.sampled_from((None, 1)))
def test_c_reads_a_file_as_python_does(doc: Any, ascii: bool, indent: int | None) -> None:
    text = json.dumps(doc, ensure_ascii=ascii, indent=indent).encode()
    try:
        frames = frame_data(text)
    except TableError:
        assert isinstance(read_in_c(text), str)
        return
    assert read_in_c(text) == (frames.to_bytes(), [*frames.parts, *frames.attacks])


FIGHTER_TEXT = FIGHTER.read_bytes()


def test_c_refuses_text_cut_and_changed_without_reading_beyond_it() -> None:
    for cut in range(len(FIGHTER_TEXT) - 1):
        assert (
            isinstance(read_in_c(FIGHTER_TEXT[:cut].rstrip()), str)
            or not FIGHTER_TEXT[cut:].strip()
        )
    for at in range(len(FIGHTER_TEXT)):
        for byte in b'"\\{]0,:\x00\xff \n':
            read_in_c(FIGHTER_TEXT[:at] + bytes([byte]) + FIGHTER_TEXT[at + 1 :])


def test_c_wants_the_room_that_it_promises_and_no_more() -> None:
    out, sizes = ffi.new("uint8_t[]", 4 * len(FIGHTER_TEXT) + 511), ffi.new("uint64_t[2]")
    for size, room in ((len(FIGHTER_TEXT), len(out)), (2**30, 2**33)):
        status = lib.fxs_frame_data_read(FIGHTER_TEXT, size, out, room, sizes, sizes + 1)
        assert (status, *sizes) == (lib.FXS_E_ROOM, 0, 0)

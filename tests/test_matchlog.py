"""Match logs as text: what is read, what is refused and where the error says so, and the canonical
form.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import hashlib
import json
import lzma
import os
import pickle
import struct
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import logs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, inspect
from strategies import examples, some
from tools import Run, each, needs

from fixsync import World
from fixsync._native.recorder import NativeRecorder
from fixsync.base import files
from fixsync.base.names import Names
from fixsync.base.strict_json import LineError
from fixsync.log import lines, reader, schema
from fixsync.log.cut import cut
from fixsync.log.info import info
from fixsync.log.player import Player
from fixsync.log.reader import Reader
from fixsync.log.replay import Verdict, replay
from fixsync.log.schema import About, Footer, Header, MatchLogError, SimFrame, TraceFrame
from fixsync.log.writer import Writer

VECTORS = Path(__file__).parent / "vectors"

HEADER = (
    '{"format":"fixsync-match","version":1,"tick_rate":60,"capacity":64,"hit_when":1,"layers":null,'
    '"sim":null,"seed":0,"meta":{}}'
)
SIM_HEADER = HEADER.replace('"sim":null', '"sim":"brawl"')
FRAME = '{"frame":0,"commands":[["move",1,[2,3,4]]],"queries":[],"events":[[1,2,1,2]],"hash":"00000000000000ab"}'


def log_of(*lines: str, header: str = HEADER) -> bytes:
    """The bytes of a log with these lines after the header, and no last line."""
    return "".join(f"{line}\n" for line in (header, *lines)).encode()


def with_footer(text: bytes, frames: int) -> bytes:
    digest = hashlib.sha256(text).hexdigest()
    return text + f'{{"frames":{frames},"sha256":"{digest}"}}\n'.encode()


def frame_with(commands: str) -> str:
    return f'{{"frame":0,"commands":[{commands}]}}'


def read(path: Path) -> tuple[Reader, list[Any]]:
    with Reader(path) as reader:
        return reader, list(reader)


def refusal(directory: Path, text: bytes, name: str = "match.jsonl") -> MatchLogError:
    """The error that reading this text ends in."""
    path = directory / name
    path.write_bytes(text)
    with pytest.raises(MatchLogError) as caught:
        read(path)
    assert caught.value.file == str(path)
    return caught.value


# What a log may hold, drawn from the whole of every range, its ends more often.


def integers(low: int, high: int) -> st.SearchStrategy[int]:
    return (
        st.sampled_from([low, high])
        | st.integers(low, high)
        | st.integers(max(low, -5), min(high, max(low, 5)))
    )


def values_of(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Values of a type of the schema. Its only strings are hashes."""
    if isinstance(kind, inspect.IntType):
        return integers(kind.ge, kind.le)
    if isinstance(kind, inspect.BoolType):
        return st.booleans()
    if isinstance(kind, inspect.NoneType):
        return st.none()
    if isinstance(kind, inspect.StrType):
        return st.integers(0, 2**64 - 1).map(lambda number: f"{number:016x}")
    if isinstance(kind, inspect.ListType):
        return st.lists(values_of(kind.item_type), max_size=4)
    if isinstance(kind, inspect.TupleType):
        return st.tuples(*map(values_of, kind.item_types))
    if isinstance(kind, inspect.UnionType):
        return st.one_of(*map(values_of, kind.types))
    needed = {field.name: values_of(field.type) for field in kind.fields if field.required}
    others = {field.name: values_of(field.type) for field in kind.fields if not field.required}

    def made(values: dict[str, Any]) -> Any:
        try:
            return kind.cls(**values)
        except ValueError:  # a hole that is as large as its sector, an owner 0 without a hit_when
            return kind.cls(**{name: values[name] for name in needed})

    return st.fixed_dictionaries(needed, optional=others).map(made)


LAYERS = integers(0, 31)
TEXT = st.text(max_size=8)
PLAIN = st.recursive(
    TEXT | st.integers(-(10**80), 10**80) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def frames_of(sim: str | None) -> st.SearchStrategy[list[Any]]:
    frame = values_of(inspect.type_info(TraceFrame if sim is None else SimFrame))

    def numbered(frames: list[Any]) -> list[Any]:
        for number, item in enumerate(frames):
            item.frame = number
        return frames

    return st.lists(frame, max_size=4).map(numbered)


@st.composite
def headers(draw: st.DrawFn, sim: str | None) -> Header:
    positive = integers(1, 2**32 - 1)
    capacity = draw(integers(1, 2**31))
    pairs = draw(st.none() | st.lists(st.tuples(LAYERS, LAYERS), max_size=4))
    return Header(
        capacity=capacity,
        tick_rate=draw(positive | st.tuples(positive, positive)),
        hit_when=draw(integers(1, 2)),
        layers=schema.layer_pairs(schema.layer_masks(pairs)),
        sim=sim,
        seed=draw(integers(0, 2**64 - 1)),
        meta=draw(st.dictionaries(TEXT, PLAIN, max_size=3)),
        names=Names(
            draw(st.dictionaries(LAYERS, TEXT, max_size=2)),
            draw(st.dictionaries(integers(0, capacity - 1), TEXT, max_size=2)),
        ),
        unit_mm=draw(st.none() | positive),
        z_down=draw(st.booleans()),
    )


@st.composite
def matches(draw: st.DrawFn) -> tuple[Header, list[Any]]:
    sim = draw(st.none() | st.just("brawl"))
    return draw(headers(sim)), draw(frames_of(sim))


def write(path: Path, header: Header, frames: list[Any]) -> None:
    logs.write_values(path, header, frames)


def first_line(header: Header) -> bytes:
    """The header as it is written."""
    world, state = Player(header).world, header.start and header.start.state
    about = lines.format_about(header, world.capacity, world.level)
    return NativeRecorder(world._native, about, state).take()


# Reading and writing.


@given(log=matches(), suffix=st.sampled_from(["", ".gz", ".xz", ".bz2"]))
@examples(150)
def test_what_is_written_is_read_back(
    log: tuple[Header, list[Any]], suffix: str, tmp_path_factory: Any
) -> None:
    header, frames = log
    path = tmp_path_factory.mktemp("log") / f"match.jsonl{suffix}"
    write(path, header, frames)
    reader, found = read(path)
    assert (reader.header, found) == (header, frames)
    assert reader.footer is not None
    assert (reader.footer.frames, reader.cut) == (len(frames), "")


@pytest.mark.parametrize("name", ["small", "layers", "crowd"])
def test_the_shared_vectors_are_canonical(name: str, tmp_path: Path) -> None:
    source = VECTORS / f"{name}.jsonl"
    reader, frames = read(source)
    write(tmp_path / "copy.jsonl", reader.header, frames)
    assert (tmp_path / "copy.jsonl").read_bytes() == source.read_bytes()


def test_a_log_with_spaces_and_other_key_orders_is_read_all_the_same(tmp_path: Path) -> None:
    header = json.dumps(dict(reversed(json.loads(HEADER).items())))
    frame = json.dumps(dict(reversed(json.loads(FRAME).items())), indent=None)
    text = log_of(frame, header=header)
    footer = json.dumps({"sha256": hashlib.sha256(text).hexdigest().upper(), "frames": 1})
    path = tmp_path / "match.jsonl"
    path.write_bytes(text + f"{footer}\n".encode())
    reader, frames = read(path)
    assert frames == [
        TraceFrame(0, [schema.Move(1, (2, 3, 4))], [], [(1, 2, 1, 2)], hash="00000000000000ab")  # type: ignore[list-item]
    ]
    assert (reader.footer, reader.cut) == (Footer(1, hashlib.sha256(text).hexdigest()), "")


def test_the_names_of_owners_are_in_meta_and_are_written_as_they_were_read() -> None:
    for owners in ('{"2":"Bob","1":"Ana"}', '{"1":"Ana","2":"Bob"}'):
        line = HEADER.replace('"meta":{}', f'"meta":{{"owners":{owners},"x":1}}')
        header = lines.parse_header(line.encode())
        assert header.names.owners == {1: "Ana", 2: "Bob"}
        assert first_line(header) == f"{line}\n".encode()


@each(
    "value",
    ['{"0":"a"}', '{"1":"a","01":"b"}', '{"1":2}', '{"a":"b"}', '["a"]', '"ab"', "7", "{}",
     '{"4294967296":"a"}'],
)  # fmt: skip
def test_a_key_owners_of_meta_may_be_for_something_else(value: str) -> None:
    line = HEADER.replace('"meta":{}', f'"meta":{{"owners":{value}}}')
    header = lines.parse_header(line.encode())
    assert header.names.owners == {}
    assert first_line(header) == f"{line}\n".encode()


def test_equivalent_layer_pairs_and_names_are_written_alike() -> None:
    one = (
        HEADER.replace('"layers":null', '"layers":[[0,2],[1,1]]')[:-1]
        + ',"names":{"ids":{"7":"b","10":"a"}}}'
    )
    two = (
        HEADER.replace('"layers":null', '"layers":[[1,1],[2,0],[0,2]]')[:-1]
        + ',"names":{"layers":{},"ids":{"10":"a","7":"b"}}}'
    )
    written = [first_line(lines.parse_header(text.encode())) for text in (one, two)]
    assert written[0] == written[1] == f"{one}\n".encode()


@pytest.mark.parametrize("names", ["{}", '{"layers":{}}', '{"layers":{},"ids":{},"game":{}}'])
def test_names_without_any_are_read_and_not_written(names: str) -> None:
    text = f'{HEADER[:-1]},"names":{names}}}'
    assert first_line(lines.parse_header(text.encode())) == f"{HEADER}\n".encode()


def test_a_value_of_meta_may_be_64_levels_below_it() -> None:
    for value, lists in (("1", 63), ("", 64)):
        deep = '{"a":' + "[" * lists + value + "]" * lists + "}"
        assert lines.parse_header(HEADER.replace("{}", deep).encode()).meta
        deeper = deep.replace("[", "[[", 1).replace("]", "]]", 1)
        with pytest.raises(LineError, match="nested deeper than 64"):
            lines.parse_header(HEADER.replace("{}", deeper).encode())


@pytest.mark.full
def test_zstandard_files_are_written_and_read_if_the_module_is_there(tmp_path: Path) -> None:
    needs("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    path = tmp_path / "match.jsonl.zst"
    write(path, Header(capacity=8), [TraceFrame(n, []) for n in range(50)])
    assert len(read(path)[1]) == 50
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    reader, _ = read(path)
    assert reader.cut == "the .zst data ends early"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_files_of_several_compressed_parts_are_read_as_one(tmp_path: Path, compress: Any) -> None:
    text = with_footer(log_of(FRAME), 1)
    suffix = {gzip.compress: "gz", bz2.compress: "bz2", lzma.compress: "xz"}[compress]
    path = tmp_path / f"match.jsonl.{suffix}"
    path.write_bytes(b"".join(compress(text[i : i + 40]) for i in range(0, len(text), 40)))
    reader, frames = read(path)
    assert (len(frames), reader.cut) == (1, "")


def test_reading_needs_memory_that_does_not_grow_with_the_log(tmp_path: Path) -> None:
    peaks = []
    for count in (1_000, 8_000):
        path = tmp_path / f"{count}.jsonl"
        body = [f'{{"frame":{n},"commands":[["move",1,[{n},0,0]]]}}' for n in range(count)]
        path.write_bytes(with_footer(log_of(*body), count))
        with Reader(path) as reader:
            tracemalloc.start()
            for _ in reader:
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


# Logs that were cut short.


def test_a_log_cut_at_any_byte_still_gives_its_whole_frames(tmp_path: Path) -> None:
    lines = [f'{{"frame":{n},"commands":[],"hash":"{n:016x}"}}' for n in range(2)]
    whole = with_footer(log_of(*lines), 2)
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    path = tmp_path / "match.jsonl"
    for size in range(ends[0] - 1, len(whole)):
        path.write_bytes(whole[:size])
        reader, frames = read(path)
        assert len(frames) == max(0, sum(end <= size for end in ends) - 1)
        assert reader.footer is None
        assert reader.cut == (
            "there is no last line" if size in ends else "the last line has no line feed"
        )


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_a_compressed_log_cut_at_any_byte_gives_a_prefix_of_its_frames(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"match.jsonl.{suffix}"
    write(path, Header(capacity=4), [TraceFrame(n, [], hash=f"{n * n:016x}") for n in range(6)])
    whole = path.read_bytes()
    counts = []
    sizes = range(len(whole))
    for size in sizes if suffix == "gz" else some(sizes):
        path.write_bytes(whole[:size])
        try:
            reader, frames = read(path)
        except MatchLogError as error:
            assert error.reason in (  # noqa: PT017 - short files have no header
                "the file is empty; a match log has a header on line 1",
                "the file ends within its header",
            )
            continue
        assert [frame.frame for frame in frames] == list(range(len(frames)))
        assert reader.cut == f"the .{suffix} data ends early"
        counts.append(len(frames))
    assert counts == sorted(counts)
    if suffix == "gz":
        # Each frame is flushed, so a cut loses one frame at most.
        assert set(counts) == set(range(7))


# What is refused: refused_logs.txt, and what does not fit into a row of it.

ODD_LINES = [
    ("", "", "a blank line"),
    ("  ", "", "a blank line"),
    (" " + FRAME, "", "white space at the start or the end"),
    (FRAME + " ", "", "white space at the start or the end"),
    (FRAME + "\t", "", "white space at the start or the end"),
    (FRAME + "\r", "", "carriage return"),
    (FRAME.replace(",", ",\r"), "", "carriage return"),
    ("\ufeff" + FRAME, "", "byte order mark"),
    (FRAME + "x", "", "not JSON at column 104: Extra data"),
    (FRAME + FRAME, "", "Extra data"),
    (FRAME[:-1], "", "not JSON"),
    ("[" * 200_000, "", "nested too deep"),
    ('{"frame":' + "[" * 200_000, "", "nested too deep"),
    (f'{{"frame":0,"commands":[["move",1,[1,2,{"9" * 5000}]]]}}', "commands[0][2][2]",
     "999... is not in -2147483648..2147483647"),
]  # fmt: skip
ODD_HEADERS = [
    (HEADER[:-1] + ',"seed":1}', "seed", "duplicate key"),
    ("\ufeff" + HEADER, "", "byte order mark"),
    (HEADER + "\r", "", "carriage return"),
    (" " + HEADER, "", "white space"),
    ("", "", "a blank line"),
]
STATE = base64.b64encode(World(64).save()).decode()


def rows_of(section: str) -> list[tuple[str, str, str]]:
    """The rows of a section of the file: a piece, the field at fault, words of the reason."""
    text = (VECTORS.parent / "refused_logs.txt").read_text(encoding="utf-8").replace("STATE", STATE)
    table = text.partition(f"# {section}: ")[2].partition("\n\n")[0].split("\n", 1)[1]
    rows = [line.split("  ") for line in table.strip().replace("\n    ", "  ").split("\n")]
    return [(piece, field if field != "-" else "", reason) for piece, field, reason in rows]


def with_key(member: str) -> str:
    """The header with this key and value in the place of its own, or at the end."""
    key, members = member.partition(":")[0], HEADER[1:-1].split(",")
    keys = [one.partition(":")[0] for one in members]
    if key in keys:
        members[keys.index(key)] = member
    else:
        members.append(member)
    return f"{{{','.join(members)}}}"


def without(key: str) -> str:
    return json.dumps({other: v for other, v in json.loads(HEADER).items() if other != key})


REFUSED = [
    (log, line, field, reason)
    for line, rows, log_with in (
        (1, [*ODD_HEADERS, *rows_of("first")], lambda piece: log_of(FRAME, header=piece)),
        (1, rows_of("header"), lambda piece: log_of(FRAME, header=with_key(piece))),
        (
            1,
            [(key, key, "the key is missing") for key in json.loads(HEADER)],
            lambda piece: log_of(FRAME, header=without(piece)),
        ),
        (2, [*ODD_LINES, *rows_of("frame")], log_of),
        (2, rows_of("results"), lambda piece: log_of(f'{{"frame":0,"commands":[],{piece}}}')),
        (2, rows_of("commands"), lambda piece: log_of(frame_with(piece))),
        (2, rows_of("inputs"), lambda piece: log_of(f'{{"frame":0,{piece}}}', header=SIM_HEADER)),
        (3, rows_of("last"), lambda piece: log_of(FRAME, piece)),
        (3, [('{"frames":1} ', "", "white space")], lambda piece: log_of(FRAME, piece)),
    )
    for piece, field, reason in rows
    for log in [log_with(piece)]
]


@each(("log", "line", "field", "reason"), REFUSED)
def test_what_no_log_may_hold_is_refused_with_its_line_and_field(
    tmp_path: Path, log: bytes, line: int, field: str, reason: str
) -> None:
    error = refusal(tmp_path, log)
    assert (error.line, error.field) == (line, field)
    assert reason in error.reason


def test_frames_before_a_bad_line_are_given_first(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    good = [f'{{"frame":{n},"commands":[]}}' for n in range(5)]
    path.write_bytes(log_of(*good, '{"frame":5,"commands":[7]}', '{"frame":6,"commands":[]}'))
    frames = []
    with Reader(path) as reader, pytest.raises(MatchLogError) as caught:
        frames.extend(reader)
    assert caught.value.line == 7
    assert str(caught.value) == f"{path}, line 7, commands[0]: expected a list, found 7"
    with Reader(path) as reader:
        assert [frame.frame for _, frame in zip(range(5), reader, strict=False)] == [0, 1, 2, 3, 4]


def test_a_frame_that_is_here_twice_is_refused(tmp_path: Path) -> None:
    frame = '{"frame":0,"commands":[]}'
    error = refusal(tmp_path, log_of(frame, frame))
    assert (error.line, error.field) == (3, "frame")
    assert error.reason == "expected 1, found 0: a frame is repeated"


WHOLE = with_footer(log_of(FRAME), 1)
EMPTY = "the file is empty; a match log has a header on line 1"
COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
COMPACT = b"\x89FXL\r\n\x1a\n\x01" + bytes(40)


@each(
    ("name", "data", "line", "reason"),
    [
        ("match.jsonl", b"", 0, EMPTY),
        ("match.jsonl.gz", b"", 0, EMPTY),
        ("match.jsonl.xz", b"", 0, EMPTY),
        *[
            (name, data, 0, "a compact log (.fxlog), which this version does not read")
            for name, data in [
                ("match.fxlog", COMPACT),
                ("match.fxlog.gz", gzip.compress(COMPACT, mtime=0)),
                ("match.jsonl", COMPACT),
            ]
        ],
        ("match.jsonl", HEADER[:50].encode(), 1, "the file ends within its header"),
        (
            "match.jsonl",
            gzip.compress(WHOLE, mtime=0),
            0,
            "the data is compressed, so its name must end in .gz",
        ),
        ("match.jsonl.gz", WHOLE, 1, "the .gz data is damaged near byte"),
        *[
            (
                f"match.jsonl.{suffix}",
                compress(WHOLE) + bytes(zeros),
                4,
                f"the .{suffix} data is damaged near byte",
            )
            for suffix, compress in COMPRESS.items()
            for zeros in (1, 4, 8, 512)
        ],
        *[
            ("match.jsonl", WHOLE + extra.encode(), 4, "text after the last line")
            for extra in ("\n", FRAME + "\n", "x", '{"frames":1}\n', "\0")
        ],
        *[
            (
                "match.jsonl",
                log_of(f"{FRAME[:at]}~{FRAME[at + 1 :]}").replace(b"~", b"\xff"),
                2,
                f"byte {at + 1}, 0xff, is not UTF-8",
            )
            for at in range(0, 60, 7)
        ],
    ],
)
def test_a_file_that_is_no_text_of_a_log_is_refused(
    tmp_path: Path, name: str, data: bytes, line: int, reason: str
) -> None:
    error = refusal(tmp_path, data, name)
    assert (error.line, error.field) == (line, "")
    assert error.reason.startswith(reason)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_damaged_compressed_data_is_refused_and_not_called_cut(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"match.jsonl.{suffix}"
    write(path, Header(capacity=4), [TraceFrame(n, [], hash=f"{n * n:016x}") for n in range(6)])
    data = bytearray(path.read_bytes())
    data[-6] ^= 1
    assert "data is damaged" in refusal(tmp_path, bytes(data), path.name).reason


def test_a_line_longer_than_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = f'{{"frame":1,"commands":[{" " * 1000}]}}'
    path = tmp_path / "match.jsonl"
    for frames, most, line in (
        (['{"frame":0,"commands":[]}', long], len(long), 3),
        ([], len(HEADER), 1),
    ):
        path.write_bytes(log_of(*frames))
        monkeypatch.setattr(reader, "LINE_BYTES_MAX", most)
        with Reader(path) as whole:
            assert len(list(whole)) == len(frames)
        monkeypatch.setattr(reader, "LINE_BYTES_MAX", most - 1)
        with pytest.raises(MatchLogError) as caught, Reader(path) as cut_off:
            list(cut_off)
        assert caught.value.line == line
        assert caught.value.reason == f"the line has more than {most - 1} bytes"


def test_gzip_is_of_level_6_and_flushed_after_each_line(tmp_path: Path) -> None:
    path, text = tmp_path / "match.jsonl.gz", (VECTORS / "crowd.jsonl").read_bytes()
    with files.Sink(path) as sink:
        for line in text.splitlines(keepends=True):
            sink.write(line)
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    # RFC 1952: no flags, so no file name; time 0; system 255, "unknown".
    expected = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    for line in text.splitlines(keepends=True):
        expected += deflate.compress(line) + deflate.flush(zlib.Z_SYNC_FLUSH)
    expected += deflate.flush() + struct.pack("<II", zlib.crc32(text), len(text))
    assert path.read_bytes() == expected


def test_info_counts_the_colliders_that_are_there_at_once(tmp_path: Path) -> None:
    first, second = logs.spheres(2)
    frames = [{"frame": 0, "commands": [first, second, ["remove", 0], first, ["remove", 1]]}]
    found = info(logs.write(tmp_path / "match.jsonl", logs.header(), frames))
    assert (found.colliders_max, found.commands["add"], found.commands["remove"]) == (2, 3, 2)
    frames = [{"frame": 0, "commands": [first, ["remove", 0], second], "hash": "f" * 16}]
    found = info(logs.write(tmp_path / "match.jsonl", logs.header(), frames))
    assert (found.colliders_max, found.last_hash) == (1, "f" * 16)


def test_a_huge_line_in_a_small_file_takes_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "LINE_BYTES_MAX", 1 << 24)
    path = tmp_path / "match.jsonl.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(log_of()[:-1] + b"\n")
        for _ in range(64):
            file.write(b'{"frame":0,"commands":[' + b" " * (1 << 20))
    tracemalloc.start()
    try:
        with Reader(path) as log, pytest.raises(MatchLogError, match="more than 16777216 bytes"):
            list(log)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


# Last lines.


@pytest.mark.parametrize("space", ["", " "])
def test_the_checksum_covers_every_byte_before_the_last_line(tmp_path: Path, space: str) -> None:
    text = log_of(FRAME.replace(",", f",{space}"), FRAME.replace('"frame":0', '"frame":1'))
    whole = with_footer(text, 2)
    path = tmp_path / "match.jsonl"
    path.write_bytes(whole)
    assert read(path)[0].cut == ""
    changed = whole.replace(b"ab", b"ac")
    assert refusal(tmp_path, changed).field == "sha256"


def test_a_last_line_without_a_checksum_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(log_of(FRAME, '{"frames":1}'))
    reader, _ = read(path)
    assert (reader.footer, reader.cut) == (Footer(1), "")


# Hostile bytes, and the two ways through the reader.

_FORMATS = {None: lines.FrameLines(has_sim=False), "brawl": lines.FrameLines(has_sim=True)}


@pytest.mark.full
@given(frames=frames_of(None) | frames_of("brawl"), data=st.data())
@examples(400)
def test_the_fast_way_through_the_reader_takes_nothing_that_the_strict_one_refuses(
    frames: list[Any], data: st.DataObject
) -> None:
    for frame in frames[:1]:
        line = bytearray(msgspec.json.encode(frame))
        for _ in range(data.draw(st.integers(0, 3))):
            at = data.draw(st.integers(0, len(line)))
            length = data.draw(st.integers(0, 4))
            piece = data.draw(
                st.binary(max_size=3)
                | st.sampled_from([b"-0", b".0", b"e1", b" ", b'"a":1,', b"1,"])
            )
            line[at : at + length] = piece
        text = bytes(line).replace(b"\n", b"")
        form = _FORMATS[None if isinstance(frame, TraceFrame) else "brawl"]
        fast = form.parse_all(text + b"\n", [text], 0)
        try:
            strict = form.parse(text, 0)
        except LineError:
            assert fast is None
            continue
        if fast is not None:
            assert fast == [strict]


BASE = with_footer((VECTORS / "small.jsonl").read_bytes().split(b'{"frame":4')[0], 4)


@given(data=st.data())
@examples(400)
def test_hostile_bytes_raise_match_log_errors_alone(
    data: st.DataObject, tmp_path_factory: Any
) -> None:
    text = bytearray(BASE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.sampled_from([0, 1, 2, 50, 5000]))
        text[at : at + length] = data.draw(
            st.binary(max_size=6)
            | st.sampled_from([b"\r\n", b"\n", b"[" * 3000, b"9" * 5000, b"1e5", b"\xed\xa0\x80"])
        )
    raw = bytes(text)
    suffix = data.draw(st.sampled_from(["", ".gz", ".bz2", ".xz"]))
    if suffix and data.draw(st.booleans()):
        raw = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix](raw)
        broken = bytearray(raw)
        broken[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(0, 255))
        raw = bytes(broken)[: data.draw(st.integers(0, len(raw)))]
    path = tmp_path_factory.mktemp("hostile") / f"match.jsonl{suffix}"
    path.write_bytes(raw)
    try:
        read(path)
    except MatchLogError as error:
        message = str(error)
    else:
        return
    # It can be printed, whatever bytes the log held.
    assert message.encode("utf-8").startswith(str(path).encode())


# Writing what may not be written.


@each(
    ("about", "field"),
    [
        (About(tick_rate=0), "tick_rate"),
        (About(tick_rate=(1, 2**32)), "tick_rate[1]"),
        (About(tick_rate=(1, 2, 3)), "tick_rate"),  # type: ignore[arg-type]
        (About(tick_rate=True), "tick_rate"),
        (About(seed=-1), "seed"),
        (About(sim="\ud800"), "sim"),
        (About(unit_mm=0), "unit_mm"),
        (About(meta={"a": 0.5}), "meta.a"),
        (About(meta={"a": {1, 2}}), ""),
        (About(meta={"a": (1, 2)}), "meta"),
        (About(meta={1: 2}), "meta"),  # type: ignore[dict-item]
        (About(meta={"a": "\ud800"}), "meta.a"),
        (About(meta={"a": [None]}), "meta.a[0]"),
        (About(names=Names(ids={4: "beyond"})), 'names.ids."4"'),
        (About(names=Names(layers={32: "beyond"})), 'names.layers."32"'),
        (About(names=Names(ids={1: 2})), "names.ids.1"),  # type: ignore[dict-item]
        (About(names=Names(owners={0: "nobody"})), "names.owners.0"),
        (About(names=Names(owners={2**32: "beyond"})), f"names.owners.{2**32}"),
        (About(names=Names(owners={1: 2})), "names.owners.1"),  # type: ignore[dict-item]
        (About(names=Names(owners={1: "Ana"}), meta={"owners": {"1": "Bob"}}), "meta.owners"),
        (About(names=Names(owners={1: "Ana"}), meta={"owners": 2}), "meta.owners"),
    ],
)
def test_a_header_that_no_log_may_have_is_refused(tmp_path: Path, about: About, field: str) -> None:
    with pytest.raises(MatchLogError) as caught:
        Writer(tmp_path / "match.jsonl", about, World(4))
    assert caught.value.field.replace('"', "") == field.replace('"', "")
    assert not (tmp_path / "match.jsonl").exists()


def test_capital_digits_of_a_hash_are_written_small(tmp_path: Path) -> None:
    source, part = tmp_path / "match.jsonl", tmp_path / "part.jsonl"
    write(source, Header(capacity=4), [TraceFrame(0, [], hash="00000000000000AB")])
    cut(source, part, 0, 0)
    assert b'"hash":"00000000000000ab"' in part.read_bytes()


def empty_frame(writer: Writer, number: int) -> None:
    writer.log.line(b'{"frame":%d,"commands":[]}' % number)
    writer.flush()


def test_a_replacing_writer_leaves_the_old_file_until_it_is_done(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), Writer(path, About(), World(4), is_whole=True):
        raise ZeroDivisionError
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [
        ("match.jsonl", b"old")
    ]
    with Writer(path, About(), World(4), is_whole=True) as writer:
        empty_frame(writer, 0)
        assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["match.jsonl"]
    assert len(read(path)[1]) == 1


def test_a_file_that_appears_whole_spares_every_other_file(tmp_path: Path) -> None:
    """Whatever is beside it, also where two write it at once."""
    path, other = tmp_path / "out.svg", tmp_path / "other"
    part = tmp_path / "out.svg.part"
    part.write_bytes(b"mine")
    files.write_whole(path, b"new")
    part.unlink()
    part.symlink_to(other)
    with files.Sink(path, is_whole=True) as one, files.Sink(path, is_whole=True) as two:
        one.write(b"first")
        two.write(b"second")
    assert path.read_bytes() == b"first"
    assert not other.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.svg", "out.svg.part"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_hidden_name_that_is_taken_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", bytes)
    other, hidden = tmp_path / "other", tmp_path / f".fixsync-{'00' * 8}"
    other.write_bytes(b"mine")
    hidden.symlink_to(other)
    for _ in range(2):
        with pytest.raises(FileExistsError):
            files.write_whole(tmp_path / "out", b"new")
        assert other.read_bytes() == b"mine"
        hidden.unlink()  # it is not removed by who refuses it
        with hidden.open("wb") as theirs:
            assert files.lock(theirs.fileno())
            with pytest.raises(FileExistsError):
                files.write_whole(tmp_path / "out", b"new")
        hidden.unlink()
        hidden.symlink_to(other)
    hidden.unlink()
    assert [file.name for file in tmp_path.iterdir()] == ["other"]


@pytest.mark.skipif(os.name == "nt", reason="a mode is of POSIX")
def test_a_file_that_appears_whole_has_the_mode_of_a_new_file(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        files.write_whole(tmp_path / "a", b"")
    finally:
        os.umask(mask)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_appear_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out"
    sink = files.Sink(path, is_whole=True)
    sink.write(b"data")
    path.mkdir()
    with pytest.raises(OSError) as caught:
        sink.close()
    assert caught.value.filename == str(path)
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_that_lead_in_a_circle_are_an_error_and_stay(tmp_path: Path, run: Run) -> None:
    log = VECTORS / "small.jsonl"
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).symlink_to(other)
    with pytest.raises(OSError, match="symbolic links"):
        files.write_whole(tmp_path / "a", b"")
    for command in (["replay", log, "-o"], ["view", log, "-o"], ["farm", log, "-r"]):
        code, _, err = run(*command, tmp_path / "a")
        assert (code, "symbolic links" in err, "Traceback" in err) == (2, True, False), err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_each_frame_is_in_the_file_before_the_next_is_written(tmp_path: Path) -> None:
    for name in ("match.jsonl", "match.jsonl.gz"):
        with Writer(tmp_path / name, About(), World(4)) as writer:
            for number in range(10):
                empty_frame(writer, number)
                assert len(read(tmp_path / name)[1]) == number + 1


def test_errors_survive_pickling() -> None:
    error = MatchLogError("match.jsonl", 3, "frame", "why")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.file, copy.line, copy.field) == (str(error), "match.jsonl", 3, "frame")


# Logs that begin in the middle, and what was added later.


def test_frames_are_counted_from_the_beginning_and_the_last_line_counts_lines(
    tmp_path: Path,
) -> None:
    frames = [f'{{"frame":{n},"commands":[]}}' for n in (7, 8)]
    header = with_key(f'"from":{{"frame":7,"state":"{STATE}"}}')
    path = tmp_path / "match.jsonl"
    path.write_bytes(with_footer(log_of(*frames, header=header), 2))
    assert [frame.frame for frame in read(path)[1]] == [7, 8]
    error = refusal(tmp_path, log_of(frames[1], header=header))
    assert (error.line, error.field) == (2, "frame")
    assert error.reason.startswith("expected 7, found 8")


def test_layers_are_written_in_one_order(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(log_of(frame_with('["layers",[[3,1],[1,3],[0,0]]]')))
    _, [frame] = read(path)
    assert lines.plain(frame.commands) == [["layers", [[0, 0], [1, 3]]]]


@pytest.mark.parametrize("sign", ["", "-"])
def test_meta_takes_integers_of_600_digits(tmp_path: Path, sign: str) -> None:
    for digits in (600, 601):
        number = sign + "9" * digits
        text = log_of(header=HEADER.replace('"meta":{}', f'"meta":{{"n":{number}}}'))
        if digits == 600:
            (tmp_path / "match.jsonl").write_bytes(text)
            reader, _ = read(tmp_path / "match.jsonl")
            assert reader.header.meta == {"n": int(number)}
            assert first_line(reader.header) == text
        else:
            assert refusal(tmp_path, text).field == "meta.n"


# The game's own events.

TRACE = (
    '{"format":"fixsync-match","version":1,"tick_rate":60,"capacity":4,"hit_when":1,'
    '"layers":null,"sim":null,"seed":0,"meta":{}}'
)


def test_a_trace_carries_the_games_own_events_and_replaying_counts_them(tmp_path: Path) -> None:
    lines = [
        TRACE.replace('"meta":{}', '"meta":{},"names":{"game":{"16":"ko"}}'),
        '{"frame":0,"commands":[],"events":[],"game":[[7,4294967295,16,-2147483648],[0,0,17,3]]}',
        '{"frame":1,"commands":[],"events":[],"game":[]}',
        '{"frame":2,"commands":[],"events":[]}',
        '{"frames":3}',
    ]
    log, filled = tmp_path / "log.jsonl", tmp_path / "filled.jsonl"
    log.write_text("\n".join(lines) + "\n")
    result = replay(log, output=filled)
    assert (result.verdict, result.game_events) == (Verdict.IDENTICAL, 2)
    with Reader(filled) as reader:
        assert reader.header.names.game == {16: "ko"}
        games = [frame.game for frame in reader]
    assert games == [[(7, 2**32 - 1, 16, -(2**31)), (0, 0, 17, 3)], [], UNSET]
    counted = info(filled)
    assert (counted.game.total(), counted.frames_with["game"]) == (2, 2)
    assert '"events":[],"game":[],"hash":"' in filled.read_text()

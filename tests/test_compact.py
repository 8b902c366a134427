"""The compact form of match logs: there and back, as its page describes it, and what is refused and
where.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import compact_model
import logs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_matchlog import frames_of

from fixsync import Pose, Sphere, World, cli, compact
from fixsync.convert import convert, text_of
from fixsync.log.diff import diff
from fixsync.log.info import info
from fixsync.log.matchlog import Footer, Header, MatchLogError, Reader, TraceFrame, Writer
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, find_logs, replay

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "compact-logs.md"
SMALL = logs.text_of(logs.header(), logs.model_frames(logs.small_match()))


def packed(directory: Path, text: bytes, name: str = "match.fxlog") -> Path:
    """The compact form of a log given as text."""
    (directory / "text.jsonl").write_bytes(text)
    convert(directory / "text.jsonl", directory / name)
    return directory / name


def block(kind: bytes, body: bytes) -> bytes:
    data = kind + len(body).to_bytes(4, "little") + body
    return data + zlib.crc32(data).to_bytes(4, "little")


def file_of(*blocks: bytes, header: bytes = SMALL.split(b"\n", 1)[0]) -> bytes:
    return compact.MAGIC + b"\x01" + block(b"H", header) + b"".join(blocks)


def frames_block(first: int, count: int, *columns: bytes) -> bytes:
    columns = (*columns, *[b""] * (7 - len(columns)))
    return block(b"F", bytes([first, count, *map(len, columns)]) + b"".join(columns))


def read(path: Path) -> tuple[Reader, list[Any]]:
    with Reader(path) as reader:
        return reader, list(reader)


def refusal(directory: Path, data: bytes) -> MatchLogError:
    """The error that reading these bytes ends in; replaying them by the quick way ends in the
    same.
    """
    path = directory / "match.fxlog"
    path.write_bytes(data)
    with pytest.raises(MatchLogError) as caught:
        read(path)
    assert (caught.value.file, caught.value.line) == (str(path), 0)
    assert str(replay(path).error) == str(caught.value)
    return caught.value


# There and back.


@given(
    frames=frames_of(None) | frames_of("brawl"),
    capacity=st.sampled_from([1, 2, 64, 2**31, 2**31]),
    gathers=st.booleans(),
    is_whole=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_any_log_is_the_same_text_after_it_was_compact(
    frames: list[Any], capacity: int, gathers: bool, is_whole: bool, tmp_path_factory: Any
) -> None:
    directory = tmp_path_factory.mktemp("log")
    sim = None if not frames or isinstance(frames[0], TraceFrame) else "brawl"
    header = Header(capacity=capacity, sim=sim, meta={"a": [1, "é"]})
    for name in ("match.jsonl", "match.fxlog"):
        with Writer(directory / name, header, gathers=gathers) as writer:
            for frame in frames:
                writer.write(frame)
            writer.close(is_whole=is_whole)
    assert read(directory / "match.fxlog")[1] == frames
    text = (directory / "match.jsonl").read_bytes()
    assert text_of(directory / "match.fxlog") == text
    if capacity == 2**31:  # of a smaller one, convert refuses ids
        convert(directory / "match.fxlog", directory / "back.jsonl")
        assert (directory / "back.jsonl").read_bytes() == text
    # And what a reader says that knows only the page.
    head, found, ends = compact_model.decode((directory / "match.fxlog").read_bytes())
    assert head == json.loads(text.split(b"\n")[0])
    assert found == [json.loads(line) for line in text.split(b"\n")[1 : 1 + len(frames)]]
    assert ends is is_whole


@pytest.mark.parametrize(
    "path", sorted((HERE.parent / "replay_logs").glob("*.gz")), ids=lambda path: path.stem
)
def test_the_recorded_matches_come_back_and_replay_alike(path: Path, tmp_path: Path) -> None:
    convert(path, tmp_path / "match.fxlog")
    assert text_of(tmp_path / "match.fxlog") == gzip.decompress(path.read_bytes())
    assert (tmp_path / "match.fxlog").stat().st_size < len(gzip.decompress(path.read_bytes())) / 3
    as_text, as_compact = replay(path), replay(tmp_path / "match.fxlog")
    assert as_compact.verdict is Verdict.IDENTICAL
    for field in ("frames", "hits", "hash", "compared"):
        assert getattr(as_text, field) == getattr(as_compact, field)
    _, frames, is_whole = compact_model.decode((tmp_path / "match.fxlog").read_bytes())
    assert is_whole
    assert len(frames) == as_text.frames


def test_the_same_content_is_the_same_bytes_whatever_it_was_written_from(tmp_path: Path) -> None:
    first = packed(tmp_path, SMALL).read_bytes()
    spaced = (
        SMALL.replace(b'"commands":', b'"commands": ').split(b'{"frames"')[0] + b'{"frames":4}\n'
    )
    assert packed(tmp_path, spaced).read_bytes() == first
    convert(tmp_path / "match.fxlog", tmp_path / "match.fxlog.gz")
    convert(tmp_path / "match.fxlog.gz", tmp_path / "again.fxlog")
    assert (tmp_path / "again.fxlog").read_bytes() == first


def test_a_log_may_be_converted_onto_itself_and_to_what_its_name_does_not_ask_for(
    tmp_path: Path,
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(SMALL)
    done = convert(path, path, is_compact=True)
    assert (done.is_compact, done.frames, done.cut, done.size_read) == (True, 4, "", len(SMALL))
    assert path.read_bytes().startswith(compact.MAGIC)
    assert replay(path).verdict is Verdict.IDENTICAL
    assert not convert(path, path).is_compact
    assert path.read_bytes() == SMALL


def test_a_frame_larger_than_a_block_should_be_has_one_of_its_own(tmp_path: Path) -> None:
    commands = [["move", id % 60, [id * 70_000 % 2**31, 0, -id]] for id in range(20_000)]
    text = logs.text_of(
        logs.header(capacity=60), [{"frame": n, "commands": commands} for n in range(3)]
    )
    path = packed(tmp_path, text)
    assert text_of(path) == text
    assert [kind for kind, _ in compact_model.blocks(path.read_bytes())] == list("HFFFE")


def test_a_frame_that_no_block_can_hold_is_refused_and_leaves_the_writer_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compact, "BLOCK_BYTES_MAX", 400)
    path = tmp_path / "match.fxlog"
    with Writer(path, Header(capacity=60)) as writer:
        frames = list(read(packed(tmp_path, SMALL, "small.fxlog"))[1])
        writer.write(frames[0])
        big = [["move", id, [2**30 - id * 9_999_999, id, 0]] for id in range(60)]
        line = json.dumps({"frame": 1, "commands": big}).encode()
        with pytest.raises(MatchLogError, match="too large for a block") as caught:
            writer.write(msgspec.json.decode(line, type=TraceFrame))
        assert caught.value.frame == 1
        for frame in frames[1:]:
            writer.write(frame)
    assert read(path)[1] == frames


def test_the_example_of_the_page_is_the_log_of_the_page_of_match_logs_byte_by_byte(
    tmp_path: Path,
) -> None:
    text = (PAGE.parent / "match-logs.md").read_text(encoding="utf-8").split("```\n")[1].encode()
    example = next(
        part for part in PAGE.read_text(encoding="utf-8").split("```\n") if part.startswith("89")
    )
    data = bytes.fromhex("".join(line.partition("#")[0] for line in example.splitlines()))
    assert len(data) == 301
    assert packed(tmp_path, text).read_bytes() == data
    head, frames, is_whole = compact_model.decode(data)
    assert is_whole
    assert [head, *frames] == [json.loads(line) for line in text.splitlines()[:-1]]


def test_the_page_tells_the_limits_that_hold() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"at most {compact.BLOCK_BYTES_MAX}" in page
    assert f"the capacity but at most {compact.SLOTS_MAX};" in page
    assert f"to {compact.BLOCK_BYTES} bytes together" in page


# Recording, and the other commands.


def test_a_compact_log_is_recorded_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "match.fxlog"
    world = World(8)
    with Recorder(world, path) as recorder:
        for frame in range(5):
            world.add(frame, Sphere(65536), Pose(frame * 9, 0, 0))
            recorder.query(Sphere(1), Pose(0, 0, 0))
            world.step()
            # A crash now loses nothing.
            assert len(read(path)[1]) == frame + 1
    assert replay(path).verdict is Verdict.IDENTICAL
    assert find_logs([tmp_path]) == [path]


def test_a_log_of_a_block_a_frame_is_replayed_like_one_that_gathers_them(tmp_path: Path) -> None:
    commands = [
        ["add", id, ["sphere", 9], [id * 9, 0, 0], 0, 0, 0, [0, 0, 0], True] for id in range(6)
    ]
    match = [
        commands,
        *[[["move", 1, [n, 0, 0]], ["move", 2, [0, 0, n % 50]]] for n in range(3000)],
    ]
    match[2000] = [*match[2000], ["remove", 5]]
    match[2500] = [*match[2500], ["remove", 5]]
    text = logs.text_of(
        logs.header(), [{"frame": n, "commands": frame} for n, frame in enumerate(match)]
    )
    gathered = packed(tmp_path, text, "gathered.fxlog")
    with Reader(gathered) as reader, Writer(tmp_path / "match.fxlog", reader.header) as writer:
        for frame in reader:
            writer.write(frame)
    assert (
        sum(
            kind == "F" for kind, _ in compact_model.blocks((tmp_path / "match.fxlog").read_bytes())
        )
        == 3001
    )
    one, other = replay(gathered), replay(tmp_path / "match.fxlog")
    for result in (one, other):
        assert result.error is not None
        assert (result.error.frame, result.error.field) == (2500, "commands[2]")
        assert (result.frames, result.hits) == (2500, one.hits)
    convert(tmp_path / "match.fxlog", tmp_path / "again.fxlog")
    assert (tmp_path / "again.fxlog").read_bytes() == gathered.read_bytes()


def test_filling_in_writes_a_compact_log_under_a_name_for_one(tmp_path: Path) -> None:
    bare = [{"frame": n, "commands": commands} for n, commands in enumerate(logs.small_match())]
    path = packed(tmp_path, logs.text_of(logs.header(), bare))
    replay(path, output=tmp_path / "filled.fxlog.gz")
    assert text_of(tmp_path / "filled.fxlog.gz") == SMALL


def test_info_and_diff_read_compact_logs(tmp_path: Path) -> None:
    path = packed(tmp_path, SMALL)
    found = info(path)
    assert (found.frames, found.has_checksum, found.cut, found.error) == (4, True, "", None)
    assert diff(path, tmp_path / "text.jsonl").is_same
    other = packed(
        tmp_path, SMALL.replace(b'"move",2,[50', b'"move",2,[51').rsplit(b"{", 1)[0], "other.fxlog"
    )
    assert diff(path, other).frame == 3


def test_a_page_shows_a_compact_log_as_the_text_that_it_stands_for(tmp_path: Path) -> None:
    from fixsync.view import export

    path = packed(tmp_path, SMALL)
    assert export(path).text == export(tmp_path / "text.jsonl").text == SMALL


def run(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> int:
    monkeypatch.setattr(sys, "argv", ["fixsync", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def test_convert_goes_both_ways_and_says_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, small, back = tmp_path / "a.jsonl", tmp_path / "a.fxlog", tmp_path / "b.jsonl"
    text.write_bytes(SMALL)
    assert run(monkeypatch, "convert", text, "-o", small) == 0
    out = capsys.readouterr().out
    assert f"written: {small} (4 frames, complete)" in out
    assert f"{len(SMALL):,} bytes read, {small.stat().st_size:,} written" in out
    assert run(monkeypatch, "convert", small, "-o", back, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "exit_code": 0,
        "written": str(back),
        "form": "json",
        "frames": 4,
        "cut": None,
        "size_read": small.stat().st_size,
        "size": len(SMALL),
        "error": None,
    }
    assert back.read_bytes() == SMALL
    assert run(monkeypatch, "convert", text, "-o", text, "--to", "compact") == 0
    assert text.read_bytes() == small.read_bytes()


def test_convert_ends_with_3_for_a_cut_log_and_with_2_for_one_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, small = tmp_path / "a.jsonl", tmp_path / "a.fxlog"
    text.write_bytes(SMALL[:-5])
    assert run(monkeypatch, "convert", text, "-o", small) == 3
    assert "cut short like the log: the last line has no line feed" in capsys.readouterr().out
    assert (replay(small).verdict, replay(small).frames) == (Verdict.CUT_SHORT, 4)
    small.write_bytes(b"old")
    text.write_bytes(SMALL.replace(b'"turn",5,3', b'"turn",5,-3'))
    assert run(monkeypatch, "convert", text, "-o", small) == 2
    assert "line 5, commands[1][2]: -3 is not in 0..65535" in capsys.readouterr().err
    assert run(monkeypatch, "convert", text, "-o", small, "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["exit_code"], told["written"], told["error"]["line"]) == (2, None, 5)
    assert small.read_bytes() == b"old"
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.fxlog", "a.jsonl"]


# What is cut short, and what is refused.


def test_a_log_cut_at_any_byte_gives_the_frames_of_its_whole_blocks(tmp_path: Path) -> None:
    text, path = tmp_path / "text.jsonl", tmp_path / "match.fxlog"
    text.write_bytes(SMALL)
    frames = read(text)[1]
    with Writer(path, Header(capacity=6)) as writer:
        for frame in frames:
            writer.write(frame)
    data = path.read_bytes()
    header_end = len(file_of(header=SMALL.split(b"\n", 1)[0]))
    for end in range(len(data)):
        path.write_bytes(data[:end])
        if end < header_end:
            with pytest.raises(MatchLogError) as caught:
                read(path)
            assert caught.value.frame is None
            continue
        reader, found = read(path)
        assert (reader.cut, reader.footer) == ("there is no end", None)
        whole = sum(kind == "F" for kind, _ in compact_model.blocks(data[:end]))
        assert found == frames[:whole]
        result = replay(path)
        assert (result.verdict, result.frames) == (Verdict.CUT_SHORT, whole)


def test_a_compressed_compact_log_that_is_cut_is_called_that(tmp_path: Path) -> None:
    path = packed(tmp_path, SMALL, "match.fxlog.gz")
    path.write_bytes(path.read_bytes()[:-12])
    assert read(path)[0].cut == "the .gz data ends early"


def test_every_damaged_byte_is_found(tmp_path: Path) -> None:
    data = packed(tmp_path, SMALL).read_bytes()
    start = len(compact.MAGIC)
    for at in range(start, len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        path = tmp_path / "match.fxlog"
        path.write_bytes(damaged)
        try:
            reader, _ = read(path)
        except MatchLogError:
            continue
        # A length that became larger makes the log one that was cut.
        assert reader.cut == "there is no end"


F, log = frames_block, file_of
MOVE = b"\x00\x01\x00\x00"  # no answers, one command, a move of the next id: 1


@pytest.mark.parametrize(
    ("data", "frame", "field", "reason"),
    [
        (compact.MAGIC, None, "", "the file ends within its header"),
        (compact.MAGIC + b"\x02", None, "version", "expected 1, found 2"),
        (
            compact.MAGIC + b"\x01" + F(0, 1, b"\0\0"),
            None,
            "",
            "expected the header's block, found 'F'",
        ),
        (log(header=b"{}"), None, "format", "the key is missing"),
        (log(block(b"H", b"{}")), 0, "", "a second header"),
        (log(block(b"X", b"")), 0, "", "a block of no known kind: 'X'"),
        (log(b"\0\0\0\0\0"), 0, "", "a block of no known kind: 0x00"),
        (log(b"F\xff\xff\xff\xff"), 0, "", "a block of 4294967295 bytes"),
        (log(F(0, 1, b"\0\0")[:-1] + b"\0"), 0, "", "checksum is wrong"),
        (log(block(b"F", b"")), 0, "", "no number of the form and size"),
        (log(block(b"F", b"\x80\x00")), 0, "", "no number of the form and size"),
        (log(block(b"F", b"\xff" * 12)), 0, "", "no number of the form and size"),
        (
            log(F(1, 1, b"\0\0")),
            0,
            "",
            "expected a block from frame 0, found 1: one is missing",
        ),
        (
            log(F(0, 1, b"\0\0"), F(0, 1, b"\0\0")),
            1,
            "",
            "found 0: one is here twice",
        ),
        (log(F(0, 0)), 0, "", "a block without frames"),
        (
            log(block(b"F", b"\0\1" + b"\2" * 7)),
            0,
            "",
            "columns of 14 bytes together, where 0 follow",
        ),
        (log(F(0, 2, b"\0\0")), 1, "", "structure ends early"),
        (log(F(0, 1, b"\0\0\0")), 0, "", "structure goes on after the last frame"),
        (log(F(0, 1, b"\0\0", b"\0")), 0, "", "x goes on after the last frame"),
        (log(F(0, 1, b"\x08\0")), 0, "", "structure holds a code that is none"),
        (log(F(0, 1, b"\0\1\x0c")), 0, "", "structure holds a code that is none"),
        (
            log(F(0, 1, b"\0\1\x05\0\x05")),
            0,
            "",
            "structure holds a code that is none",
        ),
        (log(F(0, 1, b"\0\1\x09\0\2")), 0, "", "structure holds no number"),
        (log(F(0, 1, MOVE, b"\0", b"\0")), 0, "", "z ends early"),
        (log(F(0, 1, MOVE, b"\x80\0", b"\0", b"\0")), 0, "", "x holds no number"),
        (
            log(F(0, 1, MOVE, b"\x80" * 4 + b"\x10", b"\0", b"\0")),
            0,
            "",
            "x holds no num",
        ),
        (
            log(F(0, 1, b"\0\1\2\0", *[b""] * 3, b"\x80\x80\4")),
            0,
            "",
            "yaw holds no",
        ),
        (log(F(0, 1, b"\4\0", *[b""] * 5, b"1234567")), 0, "", "hashes ends early"),
        (
            log(F(0, 1, b"\0" + b"\xff" * 9 + b"\1")),
            0,
            "",
            "structure holds no number",
        ),
        (log(F(0, 1, b"\0\xff\xff\xff\xff\x7f")), 0, "", "structure ends early"),
        (
            log(F(0, 1, b"\0\1\2\3", *[b""] * 3, b"\0")),
            0,
            "commands[0][1]",
            "4294967295 is not in",
        ),
        (log(F(0, 1, b"\0\1\5\0\0\0")), 0, "commands[0][2][1]", "0 is not in 1..536870911"),
        (log(F(0, 1, b"\0\1\x08\0\x20")), 0, "commands[0][2]", "32 is not in 0..31"),
        (
            log(F(0, 1, b"\2\0", *[b""] * 4, b"\1\0\2\0")),
            0,
            "events[0][2]",
            "0 is not in 1..3",
        ),
        (log(F(0, 1, b"\2\0", *[b""] * 4, b"\1\1\2\4")), 0, "events[0][0]", "-1 is not in"),
        (log(F(0, 1, b"\1\0", *[b""] * 4, b"\1\1\2")), 0, "queries[0][0]", "-1 is not in"),
        (log(block(b"E", b"\0\0")), 0, "", "an end of 2 bytes; it has 4 or 36"),
        (log(block(b"E", b"\1\0\0\0")), 0, "frames", "says 1 where the log has 0"),
        (log(block(b"E", b"\0\0\0\0" + bytes(32))), 0, "sha256", f"says {'0' * 64} where"),
        (log(block(b"E", b"\0\0\0\0"), b"x"), 0, "", "bytes after its end"),
    ],
)
def test_what_is_damaged_is_refused_with_its_frame_and_its_place(
    data: bytes, frame: int | None, field: str, reason: str, tmp_path: Path
) -> None:
    error = refusal(tmp_path, data)
    assert (error.frame, error.field) == (frame, field)
    assert reason in error.reason
    place = re.match(r"byte (\d+) of the log: ", error.reason)
    assert place or field or frame is None
    assert place is None or int(place[1]) <= len(data)


def test_an_error_tells_the_byte_at_which_it_stands(tmp_path: Path) -> None:
    data = file_of(frames_block(0, 1, MOVE, b"\x80\0", b"\0", b"\0"))
    error = refusal(tmp_path, data)
    assert error.reason.startswith(f"byte {data.rindex(MOVE) + len(MOVE)} of the log")
    assert str(error).startswith(f"{tmp_path / 'match.fxlog'}, frame 0: byte ")


def test_an_end_without_a_checksum_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "match.fxlog"
    path.write_bytes(
        file_of(frames_block(0, 1, MOVE, b"\2", b"\4", b"\6"), block(b"E", b"\1\0\0\0"))
    )
    reader, frames = read(path)
    assert (reader.cut, reader.footer) == ("", Footer(1))
    assert [command.position for frame in frames for command in frame.commands] == [(1, 2, 3)]


def test_a_command_that_the_world_refuses_is_told_with_its_frame(tmp_path: Path) -> None:
    text = logs.text_of(
        logs.header(), [{"frame": 0, "commands": []}, {"frame": 1, "commands": [["remove", 3]]}]
    )
    error = replay(packed(tmp_path, text)).error
    assert error is not None
    assert (
        str(error) == f"{tmp_path / 'match.fxlog'}, frame 1, commands[0]: id 3 is not in the world"
    )
    assert (error.line, error.frame) == (0, 1)


@given(data=st.data())
@settings(max_examples=250, deadline=None)
def test_hostile_columns_are_a_log_or_a_match_log_error_and_never_read_as_two_different_logs(
    data: st.DataObject, tmp_path_factory: Any
) -> None:
    directory = tmp_path_factory.mktemp("hostile")
    sim = data.draw(st.sampled_from([None, "brawl"]))
    frames = data.draw(frames_of(sim))
    path = directory / "match.fxlog"
    header = Header(capacity=data.draw(st.sampled_from([1, 3, 64])), sim=sim)
    with Writer(path, header, gathers=data.draw(st.booleans())) as writer:
        for frame in frames:
            writer.write(frame)
    whole = path.read_bytes()
    blocks = list(compact_model.blocks(whole))
    at = data.draw(st.integers(0, len(blocks) - 1))
    body = bytearray(blocks[at][1])
    for _ in range(data.draw(st.integers(1, 3))):
        place, length = data.draw(st.integers(0, len(body))), data.draw(st.integers(0, 3))
        pieces = [b"", b"\0", b"\xff" * 9, b"\x80" * 9 + b"\x01", b"\xff\xff\xff\xff\x0f"]
        body[place : place + length] = data.draw(st.sampled_from(pieces) | st.binary(max_size=2))
    kind = data.draw(st.sampled_from([blocks[at][0]] * 9 + ["F", "E", "H"]))
    parts = [block(name.encode(), bytes(inner)) for name, inner in blocks[:-1]]
    parts[at : at + 1] = [block(kind.encode(), bytes(body))]
    start = whole[:9] + b"".join(parts)
    end = len(frames).to_bytes(4, "little") + hashlib.sha256(start).digest()
    path.write_bytes(start + block(b"E", end) if data.draw(st.booleans()) else start)
    try:
        reader, found = read(path)
    except MatchLogError:
        found = None
    try:
        _, said, is_whole = compact_model.decode(path.read_bytes())
    except (ValueError, LookupError, TypeError):  # the last two for a header that is none
        assert found is None
    else:
        if found is not None:
            assert [json.loads(msgspec.json.encode(frame)) for frame in found] == said
            assert is_whole is (not reader.cut)
    result = replay(path)
    assert (result.verdict is Verdict.INVALID) or found is not None


@given(raw=st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_after_the_magic_are_a_log_or_a_match_log_error(
    raw: bytes, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("hostile") / "match.fxlog"
    for data in (compact.MAGIC + raw, compact.MAGIC + b"\x01" + raw, file_of(raw)):
        path.write_bytes(data)
        with contextlib.suppress(MatchLogError):
            read(path)


@pytest.mark.parametrize("way", ["read", "replay"])
def test_reading_and_replaying_need_memory_that_does_not_grow_with_the_log(
    way: str, tmp_path: Path
) -> None:
    peaks = []
    for frames in (4000, 16000):
        match = [
            {"frame": n, "commands": [["move", 1, [n, -n, n * n]]] * 9} for n in range(1, frames)
        ]
        first = {
            "frame": 0,
            "commands": [["add", 1, ["sphere", 9], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]],
        }
        path = packed(tmp_path, logs.text_of(logs.header(), [first, *match]))
        del match
        tracemalloc.start()
        if way == "replay":
            assert replay(path).frames == frames
        else:
            with Reader(path) as reader:
                assert sum(1 for _ in reader) == frames
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5


def test_lengths_that_promise_more_than_there_is_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "match.fxlog"
    size = (compact.BLOCK_BYTES_MAX).to_bytes(4, "little")
    many = b"\xff\xff\xff\xff\x0f"
    for data in (
        file_of(b"F" + size + b"abc"),
        file_of(frames_block(0, 1, b"\1\0", *[b""] * 4, many)),
    ):
        path.write_bytes(data)
        tracemalloc.start()
        with contextlib.suppress(MatchLogError):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1 << 21

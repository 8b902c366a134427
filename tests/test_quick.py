"""The quick way of replaying comes to what the slow one does, and takes no line that the strict
reader refuses."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import logs
import msgspec
import pytest
import strategies
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_matchlog import frames_of

from fixsync import quick
from fixsync._native import ffi, lib
from fixsync.log import matchlog
from fixsync.log.matchlog import Reader, Writer
from fixsync.log.replay import Verdict, replay

HEAD = logs.header()


class Counting(quick.Quick):
    """Counts the frames that it plays, in `played`."""

    played = 0

    def _run(self, call: Any) -> int:
        frames = super()._run(call)
        Counting.played += frames
        return frames


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> type[Counting]:
    Counting.played = 0
    monkeypatch.setattr("fixsync.log.replay.Quick", Counting)
    return Counting


def both_ways(path: Path) -> tuple[Any, Any]:
    """What replaying comes to by the quick way and by the slow one, which is the one that
    writes.
    """
    quickly, slowly = replay(path), replay(path, output=path.with_name("filled.jsonl"))
    return tuple(
        {**dataclasses.asdict(one), "seconds": 0, "error": str(one.error)}
        for one in (quickly, slowly)
    )  # type: ignore[return-value]


def compacted(path: Path, *, gathers: bool = True) -> Path:
    """A log in the compact form, cut short if it is."""
    target = path.with_name(f"{path.name.partition('.')[0]}.fxlog")
    with Reader(path) as reader, Writer(target, reader.header, gathers=gathers) as writer:
        for frame in reader:
            writer.write(frame)
        writer.close(is_whole=not reader.cut)
    return target


@given(
    match=strategies.frames(),
    hit_when=strategies.hit_whens(),
    layers=strategies.layer_pairs(),
    left_out=st.sets(st.tuples(st.integers(0, 5), st.sampled_from(["events", "queries", "hash"]))),
    footer=st.booleans(),
    data=st.data(),
)
@settings(max_examples=150, deadline=None)
def test_both_ways_come_to_the_same_of_logs_that_are_right_wrong_or_refused(
    match: Any,
    hit_when: int,
    layers: Any,
    left_out: Any,
    footer: bool,
    data: Any,
    tmp_path_factory: Any,
) -> None:
    directory = tmp_path_factory.mktemp("log")
    enabled = None if layers is None else sorted({tuple(sorted(pair)) for pair in layers})
    frames = [
        {key: value for key, value in frame.items() if (frame["frame"], key) not in left_out}
        for frame in logs.model_frames(match, hit_when=hit_when, layers=layers)
    ]
    frame = data.draw(st.sampled_from(frames))
    change = data.draw(st.sampled_from(["none", "event", "answer", "answers", "hash", "command"]))
    if change == "event" and "events" in frame:
        frame["events"] = [*frame["events"][1:], *data.draw(st.sampled_from([[], [[0, 1, 2, 1]]]))]
    elif change == "answer" and frame.get("queries"):
        frame["queries"][-1] = data.draw(
            st.sampled_from([[], [0], [[0, 0, 0, 0, 0]], [0, [1, 2, 3, 4, 5]]])
        )
    elif change == "answers" and "queries" in frame:
        frame["queries"] = frame["queries"][1:] or [[]]
    elif change == "hash":
        frame["hash"] = "0123456789abcdef"
    elif change == "command":
        at = data.draw(st.integers(0, len(frame["commands"])))
        frame["commands"].insert(at, data.draw(strategies.wild_commands()))
    path = logs.write(
        directory / "match.jsonl",
        logs.header(hit_when=hit_when, layers=enabled),
        frames,
        footer=footer,
    )
    quickly, slowly = both_ways(path)
    assert quickly == slowly
    if quickly["verdict"] is not Verdict.INVALID:
        packed, unpacked = both_ways(compacted(path, gathers=data.draw(st.booleans())))
        assert packed == unpacked
        own = {"path": "", "cut": "", "is_compact": True}
        assert {**packed, **own} == {**quickly, **own}


@pytest.mark.parametrize("gathers", [True, False])
def test_memory_that_was_left_to_a_block_is_not_written_to_again(
    gathers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block is let go of once its frame is read, and its memory with it."""
    left = []
    give = quick.Quick._give_tape

    def watched(player: quick.Quick, block: Any) -> None:
        give(player, block)
        left.append(bool(block.row.waiting))
        assert not left[-1] or (player._row.tape == ffi.NULL and player._row.tape_room == 0)

    monkeypatch.setattr(quick.Quick, "_give_tape", watched)
    frames = [
        {**frame, "hash": "0123456789abcdef"} for frame in logs.model_frames(logs.small_match())
    ]
    replay(compacted(logs.write(tmp_path / "match.jsonl", logs.header(), frames), gathers=gathers))
    assert any(left)


@given(data=st.data())
@settings(max_examples=250, deadline=None)
def test_both_ways_come_to_the_same_of_hostile_text(data: Any, tmp_path_factory: Any) -> None:
    text = bytearray(logs.text_of(HEAD, logs.model_frames(logs.small_match())))
    start = text.index(b"\n") + 1
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(start, len(text)))
        length = data.draw(st.sampled_from([0, 1, 2, 9, 300]))
        pieces = [
            b"\r\n",
            b"\n",
            b"-",
            b"0",
            b"00",
            b"9" * 30,
            b" ",
            b"[",
            b"]",
            b",",
            b"1,",
            b"[[]]",
            b"\xff",
            b"e1",
        ]
        text[at : at + length] = data.draw(st.binary(max_size=3) | st.sampled_from(pieces))
    path = tmp_path_factory.mktemp("hostile") / "match.jsonl"
    path.write_bytes(text)
    quickly, slowly = both_ways(path)
    assert quickly == slowly


def test_a_log_that_is_right_is_played_by_the_quick_way_alone(
    tmp_path: Path, counting: Any
) -> None:
    frames = logs.model_frames(logs.small_match())
    path = logs.write(tmp_path / "match.jsonl", HEAD, frames)
    assert replay(path).verdict is Verdict.IDENTICAL
    assert counting.played == len(frames)
    assert replay(compacted(path)).verdict is Verdict.IDENTICAL
    assert counting.played == 2 * len(frames)


def test_the_recorded_matches_are_played_by_the_quick_way_alone(counting: Any) -> None:
    frames = 0
    for path in sorted((Path(__file__).parent.parent / "replay_logs").glob("*.jsonl.gz")):
        result = replay(path)
        frames += result.frames
        assert result.verdict is Verdict.IDENTICAL, path
    assert counting.played == frames > 1000


def test_frames_that_the_quick_way_leaves_do_not_keep_it_from_later_blocks(
    tmp_path: Path, counting: Any
) -> None:
    commands = [
        ["add", id, ["sphere", 9], [id * 9, 0, 0], 0, 0, 0, [0, 0, 0], True] for id in range(6)
    ]
    match = [commands, *[[["move", 1, [n, 0, 0]], ["move", 2, [0, 0, n]]] for n in range(3000)]]
    text = logs.text_of(HEAD, [{"frame": n, "commands": frame} for n, frame in enumerate(match)])
    lines = text.split(b"\n")
    lines[7] = lines[7].replace(b'"commands":', b'"commands":\t')
    (tmp_path / "match.jsonl").write_bytes(b"\n".join(lines[:-2]) + b"\n")
    result = replay(tmp_path / "match.jsonl")
    assert (result.verdict, result.frames) == (Verdict.CUT_SHORT, 3001)
    assert 2000 < counting.played < 3001


# The C of it: lines, tapes and columns.


class Codec:
    """One line through the functions of _matchlog.h."""

    def __init__(self, kind: int, capacity: int = 7) -> None:
        self.kind = kind
        self.slots = capacity
        self.written, self.read = self._columns(), self._columns()

    def _columns(self) -> Any:
        row = ffi.new("fxl_columns *")
        rows = ffi.new("uint32_t[]", (self.slots + 1) * 8)
        row.slots, row.rows, row.kind = self.slots, rows, self.kind
        return row, rows

    def scan(self, line: bytes, frame: int = 0) -> Any:
        """The tape of a line, which ends in a line feed, or None."""
        text = ffi.from_buffer(line)
        tape, words = ffi.new("int64_t[]", len(line) + lib.FXL_TAPE_SPARE), ffi.new("uint64_t *")
        status = lib.fxl_scan(text, text + len(line) - 1, self.kind, frame, tape, words)
        return ffi.new("int64_t[]", list(tape[0 : words[0]])) if status == lib.FXL_END else None

    def printed(self, tape: Any, frame: int = 0) -> bytes:
        text = ffi.new("uint8_t[]", 24 * len(tape) + 256)
        return bytes(ffi.buffer(text, lib.fxl_print(tape, frame, text)))

    def through_columns(self, tape: Any) -> Any:
        """A tape written to columns and read again."""
        to, back = self.written[0], self.read[0]
        columns = [ffi.new("uint8_t[]", 10 * len(tape)) for _ in range(7)]
        for i, column in enumerate(columns):
            to.at[i] = back.at[i] = column
        lib.fxl_pack(tape, to)
        for i in range(7):
            back.end[i] = to.at[i]
        back.frames = 1
        size = sum(int(to.at[i] - columns[i]) for i in range(7))
        again, words = ffi.new("int64_t[]", 2 * size + lib.FXL_TAPE_SPARE), ffi.new("uint64_t *")
        assert lib.fxl_unpack(back, again, words) == lib.FXL_END
        assert words[0] <= 2 * size + 5
        return list(again[0 : words[0]])


@given(frames=frames_of(None) | frames_of("brawl"), capacity=st.integers(1, 5))
@settings(max_examples=400, deadline=None)
def test_every_canonical_line_goes_to_a_tape_and_to_columns_and_back(
    frames: list[Any], capacity: int
) -> None:
    codec = Codec(lib.FXL_TRACE, capacity)
    for number, frame in enumerate(frames):
        if isinstance(frame, matchlog.SimFrame):
            codec.kind = codec.written[0].kind = codec.read[0].kind = lib.FXL_SIM
        line = msgspec.json.encode(frame) + b"\n"
        tape = codec.scan(line, number)
        assert tape is not None, line
        assert codec.printed(tape, number) == line
        assert codec.through_columns(tape) == list(tape)


@given(frames=frames_of(None) | frames_of("brawl"), data=st.data())
@example(
    frames=[matchlog.TraceFrame(0, [], queries=[[0, matchlog.CastHit(1, 2, 3, 4, 5)]])], data=None
)
@settings(max_examples=600, deadline=None)
def test_the_quick_scan_takes_no_line_that_the_strict_reader_refuses(
    frames: list[Any], data: Any
) -> None:
    for frame in frames[:1]:
        line = bytearray(msgspec.json.encode(frame))
        for _ in range(data.draw(st.integers(0, 3)) if data else 0):
            at = data.draw(st.integers(0, len(line)))
            length = data.draw(st.integers(0, 4))
            pieces = [
                b"-0",
                b"-",
                b"0",
                b".0",
                b"e1",
                b" ",
                b'"a":1,',
                b"1,",
                b"9" * 20,
                b"]",
                b"[",
                b",1",
                b"[1]",
                b"f",
            ]
            line[at : at + length] = data.draw(st.binary(max_size=3) | st.sampled_from(pieces))
        text = bytes(line).replace(b"\n", b"")
        is_sim = isinstance(frame, matchlog.SimFrame)
        codec = Codec(lib.FXL_SIM if is_sim else lib.FXL_TRACE)
        tape = codec.scan(text + b"\n")
        if tape is not None:
            canonical = text.replace(b" ", b"") + b"\n"
            assert codec.printed(tape) == canonical
            form = matchlog._SIM if is_sim else matchlog._TRACE
            strict = form.parse(text, 0)
            assert not isinstance(strict, matchlog.Footer)
            assert form.format(strict) == canonical
        else:
            # What is canonical is taken.
            assert data is not None


def test_logs_as_json_libraries_write_them_are_played_by_the_quick_way(
    tmp_path: Path, counting: Any
) -> None:
    frames = logs.model_frames(logs.small_match())
    lines = [json.dumps(line) for line in (HEAD, *frames, {"frames": len(frames)})]
    assert ", " in lines[1]
    (tmp_path / "match.jsonl").write_text("\n".join(lines) + "\n")
    assert replay(tmp_path / "match.jsonl").verdict is Verdict.IDENTICAL
    assert counting.played == len(frames)


@pytest.mark.parametrize(
    ("number", "is_taken"),
    [
        ("0", True),
        ("-1", True),
        ("-0", False),
        ("00", False),
        ("01", False),
        ("-", False),
        ("9223372036854775807", True),
        ("9223372036854775808", False),
        ("-9223372036854775808", True),
        ("-9223372036854775809", False),
        ("18446744073709551616", False),
        ("36893488147419103232", False),
        ("1.0", False),
        ("1e2", False),
        ("+1", False),
        ("1, -2", True),
        ("1 ,2", False),
        ("1 2", False),
        (" 1", False),
    ],
)
def test_numbers_are_taken_as_the_format_writes_them(number: str, is_taken: bool) -> None:
    tape = Codec(lib.FXL_SIM).scan(f'{{"frame":0,"inputs":[{number}]}}\n'.encode())
    assert (tape is not None) is is_taken
    if tape is not None:
        assert tape[3] == int(number.partition(",")[0])


# How it is built.

SOURCES = [Path(quick.__file__).with_name(name) for name in ("_matchlog.h", "_matchlog.c")]
WARNINGS = [
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Wpedantic",
    "-Werror",
]


@pytest.mark.skipif(not SOURCES[0].exists(), reason="the sources are not here")
@pytest.mark.parametrize("flags", [[], ["-m32"]], ids=["64", "32"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_c_code_of_logs_builds_without_warnings(
    compiler: str, flags: list[str], tmp_path: Path
) -> None:
    def faults(source: Path) -> str:
        folders = [f"-I{path}" for path in (SOURCES[0].parent, SOURCES[0].parent.parent / "csrc")]
        command = [
            compiler,
            *WARNINGS,
            *flags,
            *folders,
            "-c",
            str(source),
            "-o",
            str(tmp_path / "o"),
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if run.returncode == 0 else run.stderr or "failed"

    probe = tmp_path / "probe.c"
    probe.write_text("#include <stdint.h>\n#include <string.h>\nextern int32_t unused;\n")
    if shutil.which(compiler) is None or faults(probe):
        pytest.skip(f"{compiler} {' '.join(flags)} is not on this machine")
    assert faults(SOURCES[1]) == ""


@pytest.mark.skipif(not SOURCES[0].exists(), reason="the sources are not here")
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_c_code_of_logs_is_ascii_with_lines_of_at_most_150_characters(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        assert len(line) <= 150, f"{path.name}:{number}"
        assert line == line.rstrip(), f"{path.name}:{number}"

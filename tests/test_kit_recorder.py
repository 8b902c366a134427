"""The recorder in C: its text is that of the model, whatever room it has; what it refuses."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import logs
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from strategies import NO_KIND
from test_recorder import skip
from tools import each

from fixsync import Box, Level, Pillar, Pose, Prism, Sector, Sphere, World
from fixsync._native.changes import rows_of_commands
from fixsync._native.raw import ffi, lib
from fixsync._native.rows import CAST, COMMAND, QUERY
from fixsync.base import strict_json
from fixsync.base.strict_json import LineError
from fixsync.log.lines import parse_header
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay
from fixsync.log.schema import Start
from fixsync.world.shapes import shape_from_tuple

CAPACITY = 6


def known(
    events: int | None = None,
    game: int | None = None,
    hash: int | None = None,
    state: int | None = None,
) -> Any:
    known = (events, game, hash, state)
    numbers = (hash or 0, state or 0, events or 0, game or 0)
    return ffi.new("fxs_recorded *", (*numbers, *(value is not None for value in known)))


class CLog:
    """Records a world with the functions of C, which is given as little room as it takes."""

    def __init__(self, world: World, room: int = 100) -> None:
        self.world = world
        self.log = ffi.new("fxs_recorder *")
        self.room = room
        self.buffer = ffi.new("char[]", room)
        self.text = b""
        self.asked: list[tuple[str, Any]] = []
        at = ffi.new("uint64_t *")

        def begin(log: Any, text: Any, room: int) -> int:
            none = ffi.NULL
            return lib.fxs_recorder_begin(
                log, world._native._world, none, 0, none, 0, text, room, at
            )

        self.call(begin)

    def call(self, function: Any, *args: Any) -> None:
        """Writes the buffer out whenever the text does not fit."""
        while True:
            before = bytes(ffi.buffer(self.log))
            status = function(self.log, *args, self.buffer, self.room)
            if status == 0:
                return
            assert status == lib.FXS_E_ROOM
            assert bytes(ffi.buffer(self.log)) == before
            if self.log.size == 0:
                self.room *= 2
                self.buffer = ffi.new("char[]", self.room)
            self.flush()

    def refuse(self, status: str, function: Any, *args: Any) -> None:
        """A call that is refused with this status, and changes nothing."""
        before = bytes(ffi.buffer(self.log))
        found = function(self.log, *args, self.buffer, self.room)
        assert found == getattr(lib, f"FXS_E_{status}")
        assert bytes(ffi.buffer(self.log)) == before

    def flush(self) -> None:
        self.text += bytes(ffi.buffer(self.buffer, self.log.size))
        self.log.size = 0

    def command(self, command: Any) -> None:
        name, *values = command
        if name not in ("query", "cast"):
            rows, _ = rows_of_commands([command])
            self.world.apply(rows)
            self.call(lib.fxs_recorder_commands, rows, len(rows) // COMMAND.size)
            return
        shape, position, yaw, *rest = values
        head = shape_from_tuple(shape)._shape + Pose(*position, yaw)._pose
        if name == "query":
            row = head + QUERY.pack(*[0] * 9, *[*rest, 0, 0][:3])[len(head) :]
            self.call(lib.fxs_recorder_query, row)
        else:
            motion, *numbers = rest
            row = head + CAST.pack(*[0] * 9, *motion, *numbers)[len(head) :]
            self.call(lib.fxs_recorder_cast, row)
        self.asked.append((name, row))

    def step(self) -> None:
        events = self.world.step().buffer
        for name, row in self.asked:
            native = self.world._native
            if name == "query":
                ids = ffi.new("uint32_t[]", native.query(row))
                self.call(lib.fxs_recorder_ids, ids, len(ids))
            else:
                hits = native.cast(row)
                answer = ffi.from_buffer("fxs_cast_hit[]", hits) if hits else ffi.NULL
                self.call(lib.fxs_recorder_hits, answer, len(hits) // 20)
        self.asked = []
        rows = bytes(events)
        answer = ffi.from_buffer("fxs_event[]", rows) if rows else ffi.NULL
        self.call(lib.fxs_recorder_step, known(len(rows) // 16, hash=self.world.hash()), answer)

    def end(self) -> bytes:
        self.call(lib.fxs_recorder_end)
        self.flush()
        return self.text


def recorded(world: World, match: Any) -> bytes:
    log = CLog(world)
    for commands in match:
        for command in commands:
            log.command(command)
        log.step()
    return log.end()


@strategies.examples(200)
@given(
    match=strategies.frames(CAPACITY),
    layers=strategies.layer_pairs(),
    hit_when=strategies.hit_whens(),
    skipped=st.integers(0, 3),
)
def test_a_buffer_that_is_emptied_wherever_it_is_full_holds_what_the_model_says(
    match: Any, layers: Any, hit_when: int, skipped: int
) -> None:
    skipped = min(skipped, len(match))
    world = World(CAPACITY, hit_when=hit_when, layers=layers)
    skip(world, match[:skipped])
    assert recorded(world, match[skipped:]) == logs.model_log(match, layers, hit_when, skipped)


def test_colliders_that_are_there_and_layers_are_recorded_as_python_does(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    logs = []
    for record in ("python", "c"):
        world = World(2**20, hit_when=2, layers=[(0, 1), (31, 31)])
        world.add(70000, Box(1000, 2000, 3000), Pose(4, -5, -(2**31), 7), layer=1, owner=2**32 - 1)
        world.add(2, Sector(5000, 300, 400, 20), Pose(0, 0, 0), offset=(1, -1, 2), active=False)
        world.add(3, Sphere(5000), Pose(0, 0, 0), layer=31)
        layers = [("layers", [(1, 1), (0, 31)]), ("move", 3, (1, 2, 3)), ("layers", None)]
        if record == "python":
            play_layers(world, path, layers)
            logs.append(path.read_bytes())
        else:
            log = CLog(world)
            rows, _ = rows_of_commands(layers)
            world.apply(rows)
            log.call(lib.fxs_recorder_commands, rows, len(rows) // COMMAND.size)
            log.step()
            logs.append(log.end())
    assert logs[0] == logs[1]
    assert b'["layers",[[0,31],[1,1]]],["move",3,[1,2,3]],["layers",null]' in logs[1]
    assert b'["sector",5000,300,400,20]' in logs[1]


@pytest.mark.parametrize("begins_late", [False, True])
def test_a_level_is_in_the_first_line(begins_late: bool, tmp_path: Path) -> None:
    level = Level([
        Prism([(-500, -500), (500, -500), (0, 700)], -(2**31), 5, layer=4),
        Pillar(900, -7, 300, 0, 9000),
        Prism([(0, 0), (900, 0), (900, 900), (0, 900)], 1, 2),
    ])  # fmt: skip
    path = tmp_path / "match.jsonl"
    world = World(4, level=level)
    world.add(1, Sphere(400), Pose(0, 0, 0))
    if begins_late:
        world.step()
    log = CLog(world.copy())
    for _ in range(2):
        log.step()
    with Recorder(world, path):
        for _ in range(2):
            world.step()
    assert log.end() == path.read_bytes()
    assert replay(path).verdict is Verdict.IDENTICAL


def play_layers(world: World, path: Path, layers: Any) -> None:
    with Recorder(world, path):
        world.apply(layers)
        world.step()


def test_calls_that_come_at_the_wrong_place_are_refused_and_change_nothing() -> None:
    log = CLog(World(4), 10000)
    query = Sphere(5)._shape + Pose(0, 0, 0)._pose + b"\xff\xff\xff\xff" + bytes(8)
    cast = query[:36] + bytes(12) + query[36:] + bytes(4)
    turn, _ = rows_of_commands([("turn", 1, 2)])
    args: dict[str, list[Any]] = {
        "commands": [turn, 1],
        "query": [query],
        "cast": [cast],
        "ids": [b"", 0],
        "hits": [ffi.NULL, 0],
        "step": [known(0, hash=7), ffi.NULL],
        "inputs": [ffi.NULL, 0],
        "input_list": [ffi.NULL, 0],
        "line": [b'{"frame":0,"commands":[]}', 25],
    }

    def refused() -> set[str]:
        found = set()
        for name, values in args.items():
            twin = ffi.new("fxs_recorder *", log.log[0])
            status = getattr(lib, f"fxs_recorder_{name}")(twin, *values, log.buffer, log.room)
            assert status in (0, lib.FXS_E_ORDER)
            if status:
                found.add(name)
                assert bytes(ffi.buffer(twin)) == bytes(ffi.buffer(log.log))
        return found

    inputs = {"inputs", "input_list"}
    assert refused() == {"ids", "hits", *inputs}
    log.call(lib.fxs_recorder_query, query)
    assert refused() == {"step", "line", *inputs}
    log.call(lib.fxs_recorder_ids, b"", 0)
    assert refused() == {"commands", "query", "cast", "ids", "hits", "line", *inputs}
    log.call(lib.fxs_recorder_step, known(0, hash=7), ffi.NULL)
    args["line"] = [b'{"frame":1,"commands":[]}', 25]
    assert refused() == {"ids", "hits", *inputs}
    begun(log, World(4), b'{"sim":"duel"}')
    args["line"] = [b'{"frame":0,"inputs":[]}', 23]
    assert refused() == {"commands", "query", "cast", "ids", "hits"}
    log.call(lib.fxs_recorder_inputs, ffi.NULL, 0)
    assert refused() == {"commands", "query", "cast", "ids", "hits", "line"}


def begun(log: CLog, world: World, about: bytes, state: bytes | None = None) -> tuple[int, int]:
    """The status of fxs_recorder_begin, with room for any first line of these tests, and
    where it finds a fault."""
    log.room, log.buffer, at = 10**5, ffi.new("char[]", 10**5), ffi.new("uint64_t *")
    given = (ffi.NULL, 0) if state is None else (state, len(state))
    call, native = lib.fxs_recorder_begin, world._native._world
    copy = ffi.from_buffer(about) if about else ffi.NULL
    status = call(log.log, native, copy, len(about), *given, log.buffer, log.room, at)
    return status, at[0]


ABOUT = {
    "tick_rate": [60000, 1001],
    "sim": 'duel \0\x1f\x7f\u00e9\uffff\U0010ffff"\\/\b\f\n\r\t',
    "seed": 2**64 - 1,
    "meta": {"a": [1, -(10**599), True, {"b": {"a": "\u2028"}, "": []}], "b": False, "aa": {}},
    "names": {"layers": {"0": "player", "31": ""}, "ids": {"0": "x", "5": "boss"}},
    "unit_mm": 2**32 - 1,
    "z_down": True,
    "semantics": 2**32 - 1,
    "build": 'v1 "final" \u00e9',
    "data": "0123456789abcdef",
}


def canonical(doc: Any) -> bytes:
    return json.dumps(doc, ensure_ascii=False, separators=(",", ":")).encode()


def with_world(doc: dict[str, Any], capacity: int = CAPACITY) -> dict[str, Any]:
    """A header of what a log says about itself, by the contract, for an empty world."""
    defaults = {"tick_rate": 60, "sim": None, "seed": 0, "meta": {}}
    said = {**defaults, **doc}
    # That of the recorder by default; null for none.
    here = {"semantics": said.pop("semantics", lib.FXS_SEMANTICS)}
    here |= {key: said.pop(key) for key in ("build", "data") if key in said}
    if here["semantics"] is None:
        del here["semantics"]
    return {
        "format": "fixsync-match",
        "version": 1,
        "tick_rate": said.pop("tick_rate"),
        "capacity": capacity,
        "hit_when": 1,
        "layers": None,
        **said,
        **here,
    }


def is_canonical_about(about: bytes) -> bool:
    """Whether Python's strict reader takes it, and it is how Python writes that."""
    try:
        doc = strict_json.parse(about, digits_max=600)
        keys = list(doc)
        parse_header(canonical(with_world(doc)))
    except (LineError, UnicodeEncodeError):
        return False
    in_order = keys == [key for key in ABOUT if key in doc]
    names = doc.get("names", {"layers": {"0": ""}})
    tables = [list(map(int, names[key])) for key in ("layers", "ids") if key in names]
    named = list(names) == [key for key in ("layers", "ids") if key in names]
    ascending = all(table and table == sorted(table) for table in tables)
    return in_order and named and bool(tables) and ascending and canonical(doc) == about


@each(
    "keys",
    [list(ABOUT), [], ["meta"], ["sim", "unit_mm"], ["names"], ["z_down"], ["build"], ["data"]],
)
@each("semantics", [{}, {"semantics": 3}, {"semantics": None}])
def test_the_first_line_says_what_it_is_given(keys: list[str], semantics: dict[str, Any]) -> None:
    log, doc = CLog(World(4)), {key: ABOUT[key] for key in ABOUT if key in [*keys, *semantics]}
    doc |= semantics
    assert is_canonical_about(canonical(doc))
    assert begun(log, World(CAPACITY), canonical(doc)) == (0, 0)
    assert ffi.buffer(log.buffer, log.log.size)[:] == canonical(with_world(doc)) + b"\n"


@strategies.examples(2000)
@given(
    doc=st.sampled_from([
        *(ABOUT, {"meta": ABOUT["meta"]}, {"names": ABOUT["names"]}),
        {key: ABOUT[key] for key in ("semantics", "build", "data")},
    ]),
    at=st.integers(0, 900),
    cut=st.integers(0, 12),
    pasted=st.one_of(st.binary(max_size=3), st.text(max_size=4).map(str.encode), st.sampled_from([
        *(b"-0", b"00", b"1.0", b"1e5", b"null", b"true", b"[]", b"{}", b'{"a":1,"a":1}', b" "),
        *(b",", b":", b'"', b"\\", b'"b":1,', b"[" * 66 + b"]" * 66, b"[" * 65 + b"]" * 65),
        *(b"18446744073709551616", b"4294967296", b"0", b"9" * 601, b"\\u001F", b"\\u000a"),
        *(b"ABCDEF", b"0123456789abcde", b'"data":', b'"semantics":0'),
        *(b"\\/", b"\\u0041", b"\\ud800", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"),
    ])),
)  # fmt: skip
def test_text_that_is_not_canonical_is_refused(
    doc: dict[str, Any], at: int, cut: int, pasted: bytes
) -> None:
    """Whatever the bytes are: C takes what Python's strict reader takes and would write so."""
    whole = canonical(doc)
    at %= len(whole) + 1
    about = whole[:at] + pasted + whole[at + cut :]
    log = CLog(World(4))
    before = bytes(ffi.buffer(log.log))
    status, fault = begun(log, World(CAPACITY), about)
    assert status == (0 if is_canonical_about(about) else lib.FXS_E_TEXT)
    if status:
        assert bytes(ffi.buffer(log.log)) == before
        assert fault <= len(about)


def test_a_fault_has_its_offset() -> None:
    log = CLog(World(4))
    for about, at in (
        (b'{"meta":{"a":1,"b":[2.5]}}', 21),
        (b'{"meta":{"a":1,"a":2}}', 15),
        (b'{"tick_rate":0}', 13),
        (b'{"names":{"ids":{"6":"x"}}}', 17),
        (b'{"unit_mm":5,"seed":1}', 12),
    ):
        assert begun(log, World(CAPACITY), about) == (lib.FXS_E_TEXT, at)


def test_a_log_of_inputs_begins_with_the_state_that_it_is_given(tmp_path: Path) -> None:
    world = World(4)
    world.add(1, Sphere(400), Pose(0, 0, 0))
    for _ in range(5):
        world.step()
    log = CLog(World(4))
    sim = canonical({"sim": "duel"})
    assert begun(log, world, sim) == (lib.FXS_E_STATE, 0)
    assert begun(log, world, sim, b"any bytes") == (0, 0)
    log.call(lib.fxs_recorder_inputs, ffi.new("int64_t[]", [1, -(2**63)]), 2)
    log.call(lib.fxs_recorder_input_list, ffi.new("int64_t[]", [2**63 - 1, 0]), 2)
    log.call(lib.fxs_recorder_input_list, ffi.NULL, 0)
    log.call(lib.fxs_recorder_inputs, ffi.new("int64_t[]", [7]), 1)
    step, met = lib.fxs_recorder_step, ffi.new("fxs_event[]", [(1, 2, 3, 0)])
    log.call(step, known(1, hash=255), met)
    log.call(step, known(), ffi.NULL)
    log.call(step, known(0), ffi.NULL)
    log.call(step, known(hash=2**64 - 1), ffi.NULL)
    line = b'{"frame":9,"inputs":[1],"hash":"00000000000000ff","state":"00000000000000ff"}'
    log.call(lib.fxs_recorder_line, line, len(line))
    own = ffi.new("fxs_event[]", [(1, 2, 16, 2**32 - 1)])
    log.call(step, known(state=254), ffi.NULL)
    log.call(step, known(0, 1, 254, 254), own)
    log.refuse("RANGE", step, known(1), own)
    log.refuse("RANGE", step, known(0, 1), met)
    log.refuse("RANGE", step, ffi.new("fxs_recorded *", (0, 0, 1, 0, 0, 1, 0, 0)), met)
    log.refuse("RANGE", step, ffi.new("fxs_recorded *", (0, 0, 0, 1, 1, 0, 0, 0)), own)
    path = tmp_path / "match.jsonl"
    path.write_bytes(log.end())
    numbers = [1, -(2**63), [2**63 - 1, 0], [], 7]
    assert path.read_bytes().splitlines()[1:-1] == [
        canonical(frame)
        for frame in (
            {"frame": 5, "inputs": numbers, "events": [[1, 2, 3, 0]], "hash": "00000000000000ff"},
            {"frame": 6, "inputs": []},
            {"frame": 7, "inputs": [], "events": []},
            {"frame": 8, "inputs": [], "hash": "f" * 16},
            {"frame": 9, "inputs": [1], "hash": "00000000000000ff", "state": "00000000000000ff"},
            {"frame": 10, "inputs": [], "state": "00000000000000fe"},
            {"frame": 11, "inputs": [], "events": [], "game": [[1, 2, 16, -1]],
             "hash": "00000000000000fe", "state": "00000000000000fe"},
        )
    ]  # fmt: skip
    with Reader(path) as reader:
        assert len(list(reader)) == 7
        assert reader.header.start == Start(5, b"any bytes")
        assert reader.footer is not None


@pytest.mark.parametrize("line", [
    b"", b"{}", b'{"frame":0,"commands":[', b'{"frame":1,"commands":[]}',
    b'{"frame":0,"inputs":[]}', b'{"frame":0,"commands":[]}\n', b'{"frame":0,"commands":[\0]}',
])  # fmt: skip
def test_a_line_that_is_not_of_the_frame_is_refused(line: bytes) -> None:
    CLog(World(4), 10000).refuse("TEXT", lib.fxs_recorder_line, line, len(line))


def test_a_frame_of_commands_has_no_whole_state() -> None:
    log = CLog(World(4), 10000)
    log.refuse("ORDER", lib.fxs_recorder_step, known(hash=254, state=254), ffi.NULL)
    log.call(lib.fxs_recorder_step, known(hash=254), ffi.NULL)
    assert b'"commands":[],"queries":[],"hash":"00000000000000fe"}' in log.end()


def test_a_trace_begins_with_the_state_of_its_world_only() -> None:
    world = World(4)
    world.add(1, Sphere(400), Pose(0, 0, 0))
    log = CLog(World(4))
    assert begun(log, world, b"{}", World(4).save()) == (lib.FXS_E_STATE, 0)
    assert begun(log, world, b"{}", world.save()) == (0, 0)
    head = json.loads(ffi.buffer(log.buffer, log.log.size)[:])
    assert head["from"] == {"frame": 0, "state": base64.b64encode(world.save()).decode()}


def test_a_frame_that_was_not_stepped_is_taken_back_at_the_end() -> None:
    turn, _ = rows_of_commands([("turn", 1, 2)])
    world = World(4)
    world.add(1, Sphere(400), Pose(0, 0, 0))
    ends = []
    for is_stepped in (False, True):
        log = CLog(world, 10000)
        if is_stepped:
            log.call(lib.fxs_recorder_step, known(0, hash=7), ffi.NULL)
        whole = ffi.buffer(log.buffer, log.log.size - log.log.line_size)[:]
        log.call(lib.fxs_recorder_commands, turn * 3, 3)
        ends.append(log.end())
        assert ends[-1].startswith(whole)
        lines = ends[-1].splitlines(keepends=True)
        assert len(lines) == 2 + is_stepped
        last = {
            "frames": int(is_stepped),
            "sha256": hashlib.sha256(b"".join(lines[:-1])).hexdigest(),
        }
        assert lines[-1] == canonical(last) + b"\n"


def test_a_frame_that_was_written_out_in_part_cannot_be_taken_back() -> None:
    turn, _ = rows_of_commands([("turn", 1, 2)])
    log = CLog(World(4), 10000)
    log.call(lib.fxs_recorder_commands, turn, 1)
    log.flush()
    log.call(lib.fxs_recorder_commands, turn * 9, 9)
    log.refuse("ORDER", lib.fxs_recorder_end)


@pytest.mark.parametrize(("at", "value", "status"), [
    (0, 0, "COMMAND"), (0, 12, "COMMAND"), (12, NO_KIND, "KIND"),
])  # fmt: skip
def test_a_row_that_no_world_accepts_is_refused(at: int, value: int, status: str) -> None:
    rows, _ = rows_of_commands([("turn", 1, 2), ("shape", 1, ("sphere", 5))])
    rows = rows[: 60 + at] + bytes([value]) + rows[61 + at :]
    CLog(World(4)).refuse(status, lib.fxs_recorder_commands, rows, 2)


@pytest.mark.parametrize(
    "command", [("turn", 1, 2), ("move", 1, (5, 6, 7)), ("active", 1, False), ("remove", 1)]
)
def test_a_row_whose_type_has_no_shape_is_taken_with_any_kind(command: Any) -> None:
    """As the world takes it: the log is that of the same row with kind 0."""
    rows, _ = rows_of_commands([command])
    logs = []
    for kind in (0, 5, 255):
        world = World(4)
        world.add(1, Sphere(5), Pose(0, 0, 0))
        log = CLog(world)
        row = rows[:12] + bytes([kind]) + rows[13:]
        world.apply(row)
        log.call(lib.fxs_recorder_commands, row, 1)
        log.step()
        logs.append(log.end())
    assert logs[0] == logs[1] == logs[2]


def test_frames_go_on_after_the_last_number_and_a_tick_rate_of_0_is_refused() -> None:
    world = World(4)
    state = bytearray(world.save())
    state[4:8] = b"\xff" * 4
    world.load(bytes(state))
    log = CLog(world)
    for _ in range(2):
        log.step()
    text = log.end()
    assert b'{"frame":4294967295,' in text
    assert b'{"frame":0,' in text
    assert begun(log, World(4), b'{"tick_rate":0}')[0] == lib.FXS_E_TEXT


def test_a_games_own_events_are_in_the_line_with_their_signs(tmp_path: Path) -> None:
    world = World(CAPACITY)
    log = CLog(world)
    rows = [(0, 1, lib.FXS_ENTER, 1), (4, 2**32 - 1, 16, 2**32 - 5), (0, 0, 2**32 - 1, 2**31 - 1)]
    events = ffi.new("fxs_event[]", rows)
    mixed = ffi.new("fxs_event[]", [rows[1], rows[0]])
    step = lib.fxs_recorder_step
    log.refuse("RANGE", step, known(1, 1, 255), mixed)
    log.call(step, known(1, 2, 255), events)
    log.call(step, known(1, 0), events)
    log.call(step, known(0, 0), ffi.NULL)
    path = tmp_path / "log.jsonl"
    path.write_bytes(log.end())
    with Reader(path) as reader:
        frames = [(frame.events, frame.game, frame.hash) for frame in reader]
    own = [(4, 2**32 - 1, 16, -5), (0, 0, 2**32 - 1, 2**31 - 1)]
    assert frames == [
        ([(0, 1, 1, 1)], own, f"{255:016x}"),
        ([(0, 1, 1, 1)], [], UNSET),
        ([], [], UNSET),
    ]


@each(
    ("names", "is_good"),
    [
        ('{"game":{"16":"ko","4294967295":"end"}}', True),
        ('{"layers":{"0":"a"},"game":{"17":"b"}}', True),
        ('{"ids":{"0":"a"},"game":{"17":"b"}}', True),
        ('{"game":{"15":"b"}}', False),
        ('{"game":{"17":"b"},"ids":{"0":"a"}}', False),
        ('{"ids":{"0":"a"}"game":{"17":"b"}}', False),
        ('{,"game":{"17":"b"}}', False),
        ("{}", False),
    ],
)
def test_names_of_the_games_own_events_come_last(names: str, is_good: bool) -> None:
    world = World(CAPACITY)
    status, _ = begun(CLog(world), world, f'{{"names":{names}}}'.encode())
    assert status == (0 if is_good else lib.FXS_E_TEXT)

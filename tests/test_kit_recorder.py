"""The recorder in C: its text is that of the Python recorder, to the byte."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from test_recorder import play

from fixsync import Box, Level, Pillar, Pose, Prism, Sector, Sphere, World
from fixsync._native.raw import ffi, lib
from fixsync._native.rows import CAST, COMMAND, QUERY
from fixsync.changes import rows_of_commands
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay
from fixsync.shapes import shape_from_tuple

CAPACITY = 6


class CLog:
    """Records a world with the functions of C, which is given as little room as it takes."""

    def __init__(self, world: World, room: int = 100) -> None:
        self.world = world
        self.log = ffi.new("fxs_recorder *")
        self.room = room
        self.buffer = ffi.new("char[]", room)
        self.text = b""
        self.asked: list[tuple[str, Any]] = []
        self.call(lib.fxs_recorder_begin, world._native._world, 60)

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
            mask, *owner = rest
            row = head + QUERY.pack(*[0] * 9, mask, *(owner or [0]))[len(head) :]
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
                ids = native.query(row)
                self.call(
                    lib.fxs_recorder_ids, b"".join(i.to_bytes(4, "little") for i in ids), len(ids)
                )
            else:
                hits = native.cast(row)
                answer = ffi.from_buffer("fxs_cast_hit[]", hits) if hits else ffi.NULL
                self.call(lib.fxs_recorder_hits, answer, len(hits) // 20)
        self.asked = []
        rows = bytes(events)
        answer = ffi.from_buffer("fxs_event[]", rows) if rows else ffi.NULL
        self.call(lib.fxs_recorder_step, answer, len(rows) // 16, self.world.hash())

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
def test_c_writes_the_bytes_that_python_writes(
    match: Any, layers: Any, hit_when: int, skipped: int, tmp_path_factory: Any
) -> None:
    """Also where the recording begins in the middle, with a state."""
    world = World(CAPACITY, hit_when=hit_when, layers=layers)
    path = tmp_path_factory.mktemp("log") / "match.jsonl"
    for commands in match[:skipped]:
        for command in commands:
            if command[0] not in ("query", "cast"):
                world.apply([command])
        world.step()
    twin = world.copy()
    play(world, path, match[skipped:])
    text = recorded(twin, match[skipped:])
    assert text == path.read_bytes()
    lines = text.splitlines(keepends=True)
    assert hashlib.sha256(b"".join(lines[:-1])).hexdigest() in lines[-1].decode()
    assert replay(path).verdict in (Verdict.IDENTICAL, Verdict.NOTHING_TO_COMPARE)


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
    query = Sphere(5)._shape + Pose(0, 0, 0)._pose + b"\xff\xff\xff\xff\0\0\0\0"
    cast = query[:36] + bytes(12) + query[36:] + bytes(8)
    turn, _ = rows_of_commands([("turn", 1, 2)])
    args: dict[str, list[Any]] = {
        "commands": [turn, 1],
        "query": [query],
        "cast": [cast],
        "ids": [b"", 0],
        "hits": [ffi.NULL, 0],
        "step": [ffi.NULL, 0, 7],
        "end": [],
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

    assert refused() == {"ids", "hits"}
    log.call(lib.fxs_recorder_query, query)
    assert refused() == {"step", "end"}
    log.call(lib.fxs_recorder_ids, b"", 0)
    assert refused() == {"commands", "query", "cast", "ids", "hits", "end"}
    log.call(lib.fxs_recorder_step, ffi.NULL, 0, 7)
    assert refused() == {"ids", "hits"}


@pytest.mark.parametrize(("at", "value", "status"), [
    (0, 0, "COMMAND"), (0, 12, "COMMAND"), (12, 5, "KIND"),
])  # fmt: skip
def test_a_row_that_no_world_accepts_is_refused(at: int, value: int, status: str) -> None:
    log = CLog(World(4))
    rows, _ = rows_of_commands([("turn", 1, 2), ("active", 1, True)])
    rows = rows[: 60 + at] + bytes([value]) + rows[61 + at :]
    before = bytes(ffi.buffer(log.log))
    call = lib.fxs_recorder_commands
    assert call(log.log, rows, 2, log.buffer, log.room) == getattr(lib, f"FXS_E_{status}")
    assert bytes(ffi.buffer(log.log)) == before


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
    fresh = ffi.new("fxs_recorder *")
    begin = lib.fxs_recorder_begin
    assert begin(fresh, world._native._world, 0, log.buffer, log.room) == lib.FXS_E_CONFIG

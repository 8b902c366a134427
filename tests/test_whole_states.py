"""Whole states in logs of simulations: who writes them, who compares them, what is named."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from bumpers import Bumpers, inputs
from tools import Run

from fixsync import Event
from fixsync.base.fields import StateFields, world_fields
from fixsync.log import Reader, SimRecorder, Verdict, diff, info, replay
from fixsync.log.cut import cut
from fixsync.match.sim import Input, hash_of, start, stepped
from fixsync.synctest.straight import run_straight, write_log
from fixsync.view import export

FRAMES = 60
AT = 29


class Charging(Bumpers):
    """Who rests is charged. The charge moves a ball, every ten frames."""

    name: ClassVar[str] = "charging"
    extra: ClassVar[int] = 0
    """Charged too much, in frame AT, by a version of it with a fault."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.charge = [0] * players

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        frame = self.world.frame
        for player, value in enumerate(inputs):
            self.charge[player] += value == 0
        self.charge[1] += self.extra * (frame == AT)
        if frame % 10 == 0:
            at = self.world[1].pose
            self.world.move(1, at.x + self.charge[1], at.y, at.z)
        return super().step(inputs)

    def save(self) -> bytes:
        return struct.pack(f"<{self.players}I", *self.charge) + super().save()

    def load(self, data: bytes) -> None:
        size = 4 * self.players
        super().load(data[size:])
        self.charge = list(struct.unpack(f"<{self.players}I", data[:size]))

    def hash(self) -> int:
        return hash_of(self.save())

    @staticmethod
    def state_fields(state: bytes) -> StateFields:
        charge = struct.unpack("<4I", state[:16])
        at = state.index(b"FXS1")
        return {
            **world_fields(state[at:]),
            **{("ball", player): {"charge": value} for player, value in enumerate(charge)},
        }


class Faulty(Charging):
    extra = 1


SIM = {"charging": Charging}


def recorded(
    path: Path, kind: type[Charging] = Charging, *, has_states: bool = True, frames: int = FRAMES
) -> Path:
    made = start(kind, 3, 4)
    with SimRecorder(made, path, seed=3) as recorder:
        for frame, values in enumerate(inputs(frames)):
            events = stepped(made, values).events
            state = made.hash() if has_states else None
            recorder.record(frame, values, events, made.world.hash(), state=state)
    return path


def edited(log: Path, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    head, *frames = map(json.loads, log.read_text().splitlines()[:-1])
    change(frames)
    lines = [head, *frames, {"frames": len(frames)}]
    other = log.with_name("edited.jsonl")
    other.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return other


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return recorded(tmp_path / "log.jsonl")


def test_a_line_ends_with_the_hash_of_all_that_the_simulation_saves(log: Path) -> None:
    made = start(Charging, 3, 4)
    for line, values in zip(log.read_text().splitlines()[1:], inputs(FRAMES), strict=False):
        made.step(values)
        world, state = (f"{hash_of(one.save()):016x}" for one in (made.world, made))
        assert line.endswith(f',"hash":"{world}","state":"{state}"}}')
        assert world != state


def test_replaying_compares_them_and_counts_them(log: Path, run: Run) -> None:
    found = replay(log, simulations=SIM)
    assert found.verdict is Verdict.IDENTICAL
    assert found.compared.states == found.compared.hashes == FRAMES
    sim = ("--sim", f"{__name__}:Charging")
    assert f"0 answers, {FRAMES} hashes and {FRAMES} whole states" in run("replay", log, *sim)[1]
    assert info(log).frames_with["state"] == FRAMES
    assert f"whole states  {FRAMES}, the last {info(log).last_state}" in run("info", log)[1]


def test_a_log_of_nothing_but_whole_states_is_identical_and_not_nothing_to_compare(
    log: Path,
) -> None:
    def bare(frames: list[dict[str, Any]]) -> None:
        for frame in frames:
            del frame["hash"], frame["events"]

    found = replay(edited(log, bare), simulations=SIM)
    assert found.verdict is Verdict.IDENTICAL
    assert found.compared.states == FRAMES


def test_an_older_log_replays_as_before_and_is_written_as_it_was(log: Path) -> None:
    older = recorded(log.with_name("older.jsonl"), has_states=False)
    filled = log.with_name("filled.jsonl")
    found = replay(older, simulations=SIM, output=filled)
    assert (found.verdict, found.compared.states) == (Verdict.IDENTICAL, 0)
    assert filled.read_bytes() == older.read_bytes()
    assert replay(log, simulations=SIM, output=filled).verdict is Verdict.IDENTICAL
    assert filled.read_bytes() == log.read_bytes()
    found_diff = diff(older, log, simulations=SIM)
    assert found_diff.is_same
    assert found_diff.not_compared == {f"whole state only in {log}": FRAMES}


def test_the_first_frame_that_differs_beside_the_world_is_named(tmp_path: Path, run: Run) -> None:
    other = recorded(tmp_path / "faulty.jsonl", Faulty)
    found = replay(other, simulations=SIM)
    assert found.verdict is Verdict.DIVERGED
    assert found.difference is not None
    assert (found.difference.frame, found.difference.fields) == (AT, ["state"])
    older = replay(recorded(tmp_path / "older.jsonl", Faulty, has_states=False), simulations=SIM)
    assert older.difference is not None
    assert (older.difference.frame, older.difference.fields[-1]) == (AT + 1, "hash")
    reported = run("replay", other, "--sim", f"{__name__}:Charging")[1]
    assert f"diverged in frame {AT} (line {AT + 2})" in reported
    assert "only the whole state differs: the difference is beside the world" in reported
    assert f"    the log says     {found.difference.expected}" in reported


def test_a_wrong_whole_state_of_the_first_or_the_last_frame_is_found(log: Path) -> None:
    for frame in (0, FRAMES - 1):
        other = edited(log, lambda frames, at=frame: frames[at].update(state="0" * 16))
        found = replay(other, simulations=SIM).difference
        assert found is not None
        assert (found.frame, found.fields, found.expected) == (frame, ["state"], "0" * 16)


@pytest.mark.full
def test_diff_says_whose_whole_state_replaying_gives(log: Path, run: Run) -> None:
    other = recorded(log.with_name("faulty.jsonl"), Faulty)
    found = diff(log, other, simulations=SIM)
    assert found.frame == AT
    assert [(row.group, row.name) for row in found.rows] == [("whole state", "")]
    assert f"replaying {log} gives its whole state" in found.notes
    assert any(note.endswith(": not its whole state") for note in found.notes)
    assert "whole state" in run("diff", log, other, "--sim", f"{__name__}:Charging")[1]


def test_diff_names_the_field_beside_the_world_in_the_frame_in_which_it_differs(
    log: Path,
) -> None:
    older = recorded(log.with_name("older.jsonl"), has_states=False)

    def rests(frames: list[dict[str, Any]]) -> None:
        frames[AT]["inputs"][1] = 0 if frames[AT]["inputs"][1] else 1

    found = diff(older, edited(older, rests), simulations=SIM)
    assert found.frame == AT
    assert ("state", "ball 1: charge") in [(row.group, row.name) for row in found.rows]


def test_capital_digits_are_read(log: Path) -> None:
    other = edited(log, lambda frames: frames[4].update(state=frames[4]["state"].upper()))
    assert replay(other, simulations=SIM).verdict is Verdict.IDENTICAL


def test_the_log_of_a_straight_run_has_them(tmp_path: Path) -> None:
    straight = run_straight(Charging, 3, 4, inputs(FRAMES))
    write_log(straight, tmp_path / "straight.jsonl")
    with Reader(tmp_path / "straight.jsonl") as reader:
        states = [frame.state for frame in reader]  # type: ignore[union-attr]
    assert states == [f"{hash_of(state):016x}" for state in straight.states[1:]]


def test_a_cut_keeps_them(log: Path) -> None:
    part = log.with_name("part.jsonl")
    cut(log, part, 20, 40, simulations=SIM)
    found = replay(part, simulations=SIM)
    assert (found.verdict, found.compared.states) == (Verdict.IDENTICAL, 21)


def test_a_page_has_the_recorded_and_the_computed_ones(log: Path) -> None:
    other = edited(log, lambda frames: frames[AT].update(state="0" * 16))
    text = export(other, simulations=SIM).text.splitlines()[1:]
    lines = list(map(json.loads, text))
    assert [line["frame"] for line in lines if line["state"] != line["whole"]] == [AT]

"""A game's own events: what a step returns, what sessions, logs and the sync test make of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar

import pytest
from bumpers import Bumpers, inputs
from model_history import taken_out
from network import Network, Weather
from tools import Run, by_default

from fixsync import ONE, Event, EventKind, GameEvent, Pose, Sphere, World
from fixsync.base.names import Names
from fixsync.cli.describe import game_text
from fixsync.game.random import Random
from fixsync.log import Reader, Recorder, SimRecorder, Verdict, diff, info, replay
from fixsync.match.sim import Input, Stepped, names_of, start, stepped
from fixsync.session import Match, Reason
from fixsync.session.timeline import _without
from fixsync.synctest.checks import CHECKS, run_check
from fixsync.synctest.straight import run_straight

WEATHER = Weather(loss=10, delay_ms=25, jitter_ms=40)


class Kind(IntEnum):
    BUMP = 16
    COUNT = 2**32 - 1


class Scoring(Bumpers):
    """Bumpers that tell of each push along +X, of each meeting, twice, and how many there were."""

    name = "scoring"
    event_kinds: ClassVar[type[IntEnum]] = Kind

    def step(self, inputs: Sequence[Input]) -> Any:
        events = super().step(inputs)
        game = [GameEvent(at, 7, Kind.BUMP, -1) for at, value in enumerate(inputs) if value == 1]
        for a, b, kind, _ in events:
            if kind == EventKind.ENTER:
                game += [GameEvent(b, a, Kind.BUMP, -1)] * 2
                game.append(GameEvent(a, 2**32 - 1, Kind.COUNT, self.value(a)))
        return [*events, *game]

    def value(self, player: int) -> int:
        return self.met[player]


class Forgetful(Scoring):
    """The value of its events is of no state: rollbacks count it too."""

    bumps = 0

    def value(self, player: int) -> int:  # noqa: ARG002
        self.bumps += 1
        return self.bumps


def played(simulation: type[Bumpers], seed: int = 3, **settings: Any) -> Network:
    settings = {"players": 4, "prediction_max": 8, "input_delay": 0, "frames": 150, **settings}
    match = Match(simulation.name, seed=seed, **settings)
    network = Network(match, seed, WEATHER, simulation=simulation).start_all()
    assert network.run(60_000, lambda: network.is_over)
    return network


# What a step returns.


class Answers(Bumpers):
    """Each step returns the rows that `returned` holds."""

    name = "answers"
    event_kinds: Any = Kind
    answer: Any = ()

    def step(self, inputs: Sequence[Input]) -> Any:
        events = super().step(inputs)
        return events if self.answer is None else self.answer


HIT = Event(0, 1, EventKind.ENTER, 2)  # type: ignore[arg-type]
OWN = GameEvent(1, 2, Kind.BUMP, -5)


def test_a_step_is_the_worlds_events_and_then_the_games_with_members_as_kinds() -> None:
    made = Answers(1, 2)
    made.answer = [HIT, GameEvent(1, 2, 16, -5), OWN]
    found = stepped(made, (0, 0))
    assert found == Stepped((HIT,), (OWN, OWN))
    assert [type(event) for event in (*found.events, *found.game)] == [Event, *[GameEvent] * 2]
    assert all(event.kind is Kind.BUMP for event in found.game)
    made.answer = None
    assert stepped(made, (0, 0)).game == ()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([OWN, HIT], r"game event \[1\] must be a GameEvent, not Event"),
        ([GameEvent(1, 2, 17, 0)], r"kind of game event \[0\] must be one of 16 BUMP, 429.*not 17"),
        ([OWN, GameEvent(-1, 2, 16, 0)], r"a of game event \[1\] must be 0\.\.4294967295, not -1"),
        ([GameEvent(1, 2**32, 16, 0)], r"b of game event \[0\] must be 0\.\.4294967295, not 429"),
        ([GameEvent(1, 2, 16, 2**31)], r"value of game event \[0\] must be -2147483648\.\.214"),
        ([GameEvent(1, 2, 16, 1.0)], r"value of game event \[0\] must be an int"),  # type: ignore[arg-type]
        ([GameEvent(1, 2, 16, True)], r"value of game event \[0\] must be an int"),
    ],
)
def test_an_event_that_no_log_could_hold_is_refused_with_its_place(answer: Any, error: str) -> None:
    made = Answers(1, 2)
    made.answer = answer
    with pytest.raises((TypeError, ValueError), match=error):
        stepped(made, (0, 0))


def test_a_game_event_of_a_simulation_without_kinds_is_refused() -> None:
    made = Answers(1, 2)
    made.event_kinds, made.answer = None, [HIT, OWN]
    with pytest.raises(
        ValueError, match="has no event_kinds: its class needs event_kinds, an IntEnum"
    ):
        stepped(made, (0, 0))


@pytest.mark.parametrize(
    ("kinds", "error"),
    [
        (IntEnum("Low", {"A": 16, "B": 15}), r"event_kinds\.B must be 16\.\.4294967295, not 15"),
        (IntEnum("High", {"A": 2**32}), r"event_kinds\.A must be 16\.\.4294967295, not 4294967296"),
        ((16, 17), "event_kinds must be an IntEnum with members, not"),
    ],
)
def test_kinds_that_no_log_could_hold_are_refused_at_the_start(kinds: Any, error: str) -> None:
    class Bad(Bumpers):
        event_kinds = kinds

    with pytest.raises(ValueError, match=error):
        start(Bad, 1, 2)


# Sessions.


@pytest.mark.parametrize("prediction_max", by_default(1, [8, 0]))
def test_both_peers_logs_are_equal_to_the_byte_and_to_a_straight_run(
    prediction_max: int, tmp_path: Path
) -> None:
    network = played(Scoring, prediction_max=prediction_max)
    assert {network.end_of(me).reason for me in network.peers} == {Reason.COMPLETED}
    network.check_agreement()  # with the events of a straight run
    if prediction_max:
        assert sum(peer.witness.taken_back for peer in network.peers.values()) > 0
    logs = []
    for me, peer in network.peers.items():
        log = tmp_path / f"{me}.jsonl"
        logs.append(log)
        heard = peer.witness
        with SimRecorder(Scoring(3, 4), log, seed=3) as recorder:
            for frame in range(150):
                game = [event for event in heard.events[frame] if type(event) is GameEvent]
                events = heard.events[frame][: len(heard.events[frame]) - len(game)]
                recorder.record(frame, heard.inputs[frame], events, heard.world_hashes[frame], game)
    assert len({log.read_bytes() for log in logs}) == 1
    result = replay(logs[0], simulations={"scoring": Scoring})
    assert result.verdict is Verdict.IDENTICAL
    assert result.compared.game == 150
    assert result.game_events > 30
    assert result.header is not None
    assert result.header.names.game == {16: "bump", 2**32 - 1: "count"}
    assert names_of(Scoring(1, 2)).game == result.header.names.game


def test_events_made_of_what_is_not_saved_end_the_match_though_all_states_are_equal() -> None:
    network = played(Forgetful, frames=300)
    ends = [network.end_of(me) for me in network.peers]
    assert {end.reason for end in ends} == {Reason.DESYNC}
    desync = next(end.desync for end in ends if end.desync and len(end.desync.sides) > 1)
    assert not desync.differences
    reported = desync.explain()
    assert "the states are the same: the events depend on something that is not saved" in reported
    assert "game events of peer 0: " in reported
    assert "count(" in reported


def test_what_is_taken_back_is_what_the_model_takes_back() -> None:
    for seed in range(200):
        random = Random(seed)
        rows, others = (tuple(random.below(3) for _ in range(random.below(7))) for _ in range(2))
        assert list(_without(rows, others)) == taken_out(list(others), list(rows)), seed


# Logs.


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    made = Scoring(3, 4)
    with SimRecorder(made, path, seed=3) as recorder:
        for frame, values in enumerate(inputs(60)):
            events, game = stepped(made, values)
            recorder.record(frame, values, events, made.world.hash(), game)
    return path


def changed(log: Path) -> tuple[Path, int]:
    """The log with another value in its first event, and the frame of that event."""
    lines = log.read_text().splitlines()
    for i, line in enumerate(lines[1:-1], 1):
        doc = json.loads(line)
        if doc["game"]:
            doc["game"][0][3] = 77
            lines[i] = json.dumps(doc, separators=(",", ":"))
            break
    lines[-1] = json.dumps({"frames": len(lines) - 2}, separators=(",", ":"))
    other = log.with_name("changed.jsonl")
    other.write_text("\n".join(lines) + "\n")
    return other, i - 1


def test_a_replay_with_the_simulation_compares_them(log: Path) -> None:
    other, frame = changed(log)
    simulations = {"scoring": Scoring}
    assert replay(log, simulations=simulations).verdict is Verdict.IDENTICAL
    result = replay(other, simulations=simulations)
    found = result.difference
    assert result.verdict is Verdict.DIVERGED
    assert found is not None
    assert (found.frame, found.fields) == (frame, ["game"])
    assert (found.expected[0][3], found.found[0][3]) == (77, -1)
    filled = log.with_name("filled.jsonl")
    replay(other, output=filled, simulations=simulations)
    assert filled.read_bytes() == log.read_bytes()


class Sided(IntEnum):
    HURT = 16
    FELL = 17

    @property
    def sides(self) -> tuple[str, str]:
        return ("collider", "owner") if self is Sided.HURT else ("number", "number")


def test_a_kind_says_what_a_and_b_are_and_only_colliders_have_names(tmp_path: Path) -> None:
    world = World(4)
    names = Names(ids={0: "red", 1: "blue"})
    with Recorder(world, tmp_path / "a.jsonl", names=names, event_kinds=Sided) as recorder:
        world.step()
        recorder.game([GameEvent(1, 1, Sided.HURT, 5), GameEvent(1, 0, Sided.FELL, 2)])
    with Reader(tmp_path / "a.jsonl") as reader:
        header, (frame,) = reader.header, list(reader)
    assert header.names.game == {16: "hurt (collider, owner)", 17: "fell (number, number)"}
    assert game_text(frame.game, header) == 'hurt (1 "blue", owner 1): 5, fell (1, 0): 2'
    header.names.game.clear()
    assert game_text(frame.game, header) == "16 (1, 1): 5, 17 (1, 0): 2"
    assert info(tmp_path / "a.jsonl").game == {16: 1, 17: 1}


def test_sides_that_are_no_sides_are_refused(tmp_path: Path) -> None:
    class Wrong(IntEnum):
        HURT = 16
        sides = property(lambda _: ("collider", "id"))

    with pytest.raises(
        ValueError, match=r"HURT\.sides must be two of collider, owner, number, not"
    ):
        Recorder(World(4), tmp_path / "a.jsonl", event_kinds=Wrong)


def test_the_commands_tell_of_them(log: Path, run: Run) -> None:
    other, frame = changed(log)
    sim = ("--sim", f"{__name__}:Scoring")

    def said(*arguments: Any) -> str:
        return run(*arguments)[1]

    reported = said("replay", other, *sim)
    assert f"diverged in frame {frame}" in reported
    assert "the game's own events" in reported
    assert "bump (" in reported
    assert "): 77" in reported
    assert "the game's events of 60 frames" in said("replay", log, *sim)
    counted = info(log)
    bumps, counts = counted.game[16], counted.game[2**32 - 1]
    assert bumps > 2 * counts > 0
    reported = " ".join(said("info", log).split())
    assert f"bump {bumps}, count {counts} (of 60 frames)" in reported
    assert json.loads(said("info", "--json", log))["logs"][0]["game"] == {
        "16": bumps,
        "4294967295": counts,
    }
    rows = diff(log, other, simulations={"scoring": Scoring}).rows
    assert [(row.group, row.name, row.a[3], row.b[3]) for row in rows] == [("game", "[0]", -1, 77)]
    reported = said("diff", log, other, *sim)
    assert "game[0]" in reported
    assert "bump (" in reported


@pytest.mark.full
def test_the_farm_finds_what_replaying_finds(
    log: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)  # where its workers find this module
    _, frame = changed(log)
    out = log.with_name("r.sqlite")
    sim = f"{__name__}:Scoring"
    _, reported, _ = run("farm", log.parent, "--sim", sim, "-j", 1, "--results", out, "--json")
    (failed,) = json.loads(reported)["failed"]
    assert failed["verdict"] == "diverged"
    assert f"frame {frame}, game: the log says" in failed["reason"]


def test_a_simulation_without_kinds_keeps_its_logs(tmp_path: Path) -> None:
    made = Bumpers(1, 2)
    with SimRecorder(made, tmp_path / "log.jsonl", seed=1) as recorder:
        events, game = stepped(made, (1, 2))
        recorder.record(0, (1, 2), events, made.world.hash(), game)
    assert b"game" not in (tmp_path / "log.jsonl").read_bytes()


def test_the_line_of_a_trace_waits_for_the_games_events(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    world = World(8)
    with Recorder(world, path, event_kinds=Kind) as recorder:
        with pytest.raises(ValueError, match="no line of a step waits"):
            recorder.game([])
        world.add(1, Sphere(ONE), Pose(0, 0, 0))
        world.step()
        assert (recorder.frames, path.read_bytes().count(b"\n")) == (0, 1)
        world.move(1, ONE, 0, 0)  # a reaction, which belongs to the next frame
        recorder.query(Sphere(ONE), Pose(0, 0, 0))
        with pytest.raises(ValueError, match=r"kind of game event \[0\]"):
            recorder.game([GameEvent(1, 2, 3, 4)])
        recorder.game([OWN, OWN])
        assert (recorder.frames, path.read_bytes().count(b"\n")) == (1, 2)
        with pytest.raises(ValueError, match="no line of a step waits"):
            recorder.game([OWN])
        world.step()
        assert recorder.answers == [[1]]
        world.step()
        world.move(1, 2 * ONE, 0, 0)  # in no frame
    with Reader(path) as reader:
        frames: list[Any] = list(reader)
        assert reader.header.names.game == {16: "bump", 2**32 - 1: "count"}
    assert [frame.game for frame in frames] == [[tuple(OWN)] * 2, [], []]
    assert [len(frame.commands) for frame in frames] == [1, 2, 0]
    result = replay(path)
    assert (result.verdict, result.game_events) == (Verdict.IDENTICAL, 2)
    assert result.compared.game == 0, "a trace's are carried"


def test_a_trace_without_kinds_takes_none(tmp_path: Path) -> None:
    world = World(8)
    with Recorder(world, tmp_path / "trace.jsonl") as recorder:
        world.step()
        with pytest.raises(ValueError, match="event_kinds is None"):
            recorder.game([])
    assert b"game" not in (tmp_path / "trace.jsonl").read_bytes()


# The sync test.


def test_the_sync_test_compares_them() -> None:
    for kind, failing in ((Scoring, set()), (Forgetful, {"save and load", "rollback"})):
        straight = run_straight(kind, 1, 4, inputs(60))
        assert any(straight.game)
        here = [
            check for check in CHECKS if check not in ("process", "sets")
        ]  # not in new processes
        found = {check: run_check(check, straight) for check in here}
        assert {check for check, divergence in found.items() if divergence} == failing
        for divergence in filter(None, found.values()):
            assert divergence.game is not None
            assert "game events straight" in divergence.explain()

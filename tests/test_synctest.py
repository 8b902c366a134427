"""The sync test: what is sound passes every check, and each mistake is found by the check that is
there for it."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import broken
import planted
import pytest
from bumpers import Bumpers, inputs
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from tools import ran

from fixsync.cli.synctest import synctest_command
from fixsync.farm.sandbox import Sandbox, Settings
from fixsync.game.random import Random
from fixsync.log.diff import diff
from fixsync.log.replay import Verdict, replay
from fixsync.match.sim import Input, SimulationType, Stepped
from fixsync.sample.skillfight import SkillFight
from fixsync.synctest import process_check
from fixsync.synctest.checks import CHECKS, IN_PROCESS, run_checks
from fixsync.synctest.minimise import minimise
from fixsync.synctest.remarks import not_checked
from fixsync.synctest.seeds import try_more
from fixsync.synctest.straight import (
    Divergence,
    Straight,
    bot_inputs,
    log_case,
    run_straight,
    write_log,
)
from fixsync.synctest.unsaved import unsaved
from fixsync.view.export import export, page

PLAYERS = 4


def checked(simulation: type[Bumpers], check: str) -> Divergence | None:
    straight = run_straight(simulation, 1, PLAYERS, inputs())
    return only(straight, check, f"broken:{simulation.__name__}")


def only(straight: Straight, check: str, reference: str) -> Divergence | None:
    """The verdict of one check, made alone."""
    found = run_checks(straight, [check], back=4, reference=reference)
    return next(iter(found.divergences), None)


# test_testing.py tries the process too.
@pytest.mark.parametrize(
    "check", [pytest.param(c, marks=[pytest.mark.full] * (c == "process")) for c in CHECKS]
)
@pytest.mark.parametrize("simulation", [Bumpers, pytest.param(SkillFight, marks=pytest.mark.full)])
def test_a_sound_simulation_passes(simulation: SimulationType, check: str):
    given = inputs() if simulation is Bumpers else bot_inputs(SkillFight, 3, PLAYERS, 60)
    straight = run_straight(simulation, 3, PLAYERS, given)
    assert any(straight.events), "there is something to see"
    reference = f"{simulation.__module__}:{simulation.__qualname__}"
    assert only(straight, check, reference) is None


@pytest.mark.parametrize(
    ("simulation", "check", "frame", "owner", "field"),
    [
        (broken.Unsaved, "save and load", 7, "collider 0", "yaw"),
        (broken.Unsaved, "rollback", None, "collider 0", "yaw"),
        (broken.Forgetful, "rollback", None, "player", "met"),
        (broken.Forgetful, "save and load", None, "player", "met"),
        (broken.Unordered, "order", 0, "collider", "yaw"),
        pytest.param(*(broken.Hashing, "process", 5, "collider 0", "yaw"), marks=pytest.mark.full),
        pytest.param(
            *(broken.Asserting, "process", 0, "collider 0", "yaw"), marks=pytest.mark.full
        ),
    ],
)
def test_each_mistake_is_told_with_frame_owner_and_field(
    simulation: SimulationType, check: str, frame: int | None, owner: str, field: str
):
    found = checked(simulation, check)
    assert found is not None
    first = found.differences[0]
    assert first.owner.startswith(owner)
    assert first.field == field
    assert frame in (None, found.frame)
    assert str(first.values[0]) in found.explain()
    assert str(first.values[1]) in found.explain()
    assert f"after frame {found.frame}" in found.explain()


def test_a_mistake_that_one_check_is_blind_to_is_found_by_another():
    # Why there are several: none of these shows when the simulation is merely run straight again.
    assert checked(broken.Hashing, "rollback") is None
    assert checked(broken.Unordered, "rollback") is None
    assert checked(broken.Unsaved, "order") is None


def test_a_simulation_that_raises_when_it_is_taken_back_is_told_with_the_frame():
    for check in ("save and load", "rollback"):
        found = checked(broken.Raising, check)
        assert found is not None
        assert found.error == "it raised RuntimeError: no room"
        assert 4 <= found.frame <= 8


def test_a_hash_that_is_not_of_the_state_is_told():
    found = checked(broken.LateLiar, "save and load")
    assert found is not None
    assert found.frame == 3
    assert "where the hash of the bytes of save() is" in found.explain()


def test_a_simulation_that_loads_its_world_within_a_step_is_no_mistake():
    for check in ("save and load", "rollback", "order"):
        assert checked(broken.Reloading, check) is None


def test_events_that_differ_are_told():
    straight = run_straight(Bumpers, 1, 8, inputs(60, 8))
    frame = next(frame for frame, events in enumerate(straight.events) if events)
    state, events = straight.states[frame + 1], straight.events[frame]
    assert straight.divergence("rollback", "", frame, state, Stepped(events, ())) is None
    found = straight.divergence("rollback", "made up", frame, state, Stepped((), ()))
    assert found is not None
    assert found.events == (events, ())
    assert re.search(r"events straight : \d-\d (ENTER|STAY|EXIT) [A-Z]+", found.explain())
    assert "events otherwise: none" in found.explain()


def test_inputs_that_the_simulation_refuses_are_refused_with_the_frame():
    with pytest.raises(ValueError, match=r"frame 1: input of player 2: must be 0\.\.4, not 7"):
        run_straight(Bumpers, 1, 3, [(0, 0, 0), (0, 0, 7)])
    with pytest.raises(ValueError, match="frame 1: 2 inputs for 3 players"):
        run_straight(Bumpers, 1, 3, [(0, 0, 0), (0, 0)])


def test_what_is_not_checked_is_said():
    assert not_checked(run_straight(SkillFight, 1, 2, bot_inputs(SkillFight, 1, 2, 120))) == []
    without_bots = bot_inputs(Bumpers, 1, 2, 3)
    assert without_bots == [(0, 0)] * 3
    idle = not_checked(run_straight(Bumpers, 1, 2, without_bots))
    assert [note.partition(":")[0] for note in idle] == [
        "order",
        "it has no bot(), and all inputs were the same",
        "nothing hit anything in this match, so little was put to the test",
    ]


def test_a_straight_run_is_written_as_a_log_that_replays_and_is_read_back(tmp_path: Path):
    straight = run_straight(SkillFight, 9, 2, bot_inputs(SkillFight, 9, 2, 40))
    path = tmp_path / "match.jsonl"
    write_log(straight, path)
    assert replay(path).verdict is Verdict.IDENTICAL
    assert log_case(path)[:4] == ("skillfight", 9, 2, straight.inputs)


# More matches.


def test_more_seeds_find_what_the_first_does_not_show():
    first = run_straight(broken.SomeSeeds, 1, 3, bot_inputs(broken.SomeSeeds, 1, 3, 20))
    assert run_checks(first, IN_PROCESS).explain() == ""
    tried = try_more(first, range(2, 9), "broken:SomeSeeds", until=None)
    assert tried.failing is not None
    assert (tried.failing.seed, tried.failing.frames, tried.seeds) == (3, 20, [1, 2, 3])
    assert tried.frames == 20 + 20 + 80 + 20, "the second match of seed 1 is longer"
    assert "self.count: " in run_checks(tried.failing, IN_PROCESS).explain()
    late = try_more(first, range(2, 9), "broken:SomeSeeds", until=0)
    assert (late.failing, late.seeds, late.is_late) == (None, [1, 2], True)


def test_a_simulation_that_raises_with_another_seed_is_reported_with_the_seed(
    run: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(process_check, "VARIANTS", 3)
    result = run("broken:RaisingSeeds", "--frames", "9", "--seeds", "3")
    assert result.exit_code == 1
    assert "RaisingSeeds: seed 3: frame 4: it raised RuntimeError: no room" in result.output
    assert 'broken.py", line' in result.output
    for other in (["--check", "order"], ["--inputs", str(recorded(Bumpers))]):
        result = run("broken:SomeSeeds", "--seeds", "3", *other)
        assert result.exit_code == 2
        assert "--seeds makes all checks of the bots' matches" in result.output


@pytest.mark.full
def test_the_command_says_what_it_tried(run: Any):
    """And with the seed that shows it, names the value."""
    result = run("broken:SomeSeeds", "--frames", "20", "--seeds", "2")
    assert result.exit_code == 0, result.output
    assert "tried: seeds 1 to 2, 120 frames; never reached: " in result.output
    assert ", event cheer\n" in result.output
    assert "more: fixsync synctest broken:SomeSeeds --seeds 50" in result.output
    result = run("broken:SomeSeeds", "--frames", "20", "--seeds", "3")
    assert result.exit_code == 1
    assert "20 frames, " in result.output
    assert ", seed 3\n" in result.output
    assert "    self.count: " in result.output


def test_the_first_difference_is_said_before_the_rest_is_known():
    heard: list[str] = []
    straight = run_straight(broken.Unsaved, 1, PLAYERS, inputs())
    found = run_checks(straight, IN_PROCESS, heard=heard.append)
    first = found.explain().splitlines()[0]
    assert heard.index(first) == heard.index("save and load") + 1 < heard.index("rollback")


def test_a_check_made_alone_blames_save_for_nothing_that_outlives_a_match():
    straight = run_straight(planted.ModuleList, 1, PLAYERS, inputs())
    found = run_checks(straight, ["save and load"])
    assert [one.check for one in found.divergences] == ["repeat"]
    assert "something outlives a match" in found.explain()
    assert "    planted.log: [" in found.explain()


# Making it smaller.


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 20)), min_size=1, max_size=30),
    st.data(),
)
def test_what_is_left_still_fails_and_is_no_larger(
    given: list[tuple[Input, ...]], data: st.DataObject
):
    wanted = data.draw(st.sampled_from(given))

    def fails(tried: list[tuple[Input, ...]]) -> int | None:
        return next((frame for frame, values in enumerate(tried) if values == wanted), None)

    assert minimise(given, fails, 0) == [wanted]


def test_frames_that_a_failure_needs_are_kept_in_order():
    def fails(tried: list[tuple[Input, ...]]) -> int | None:
        """A 3 of player 0, and later, with two frames between, a bit of 4 of player 1."""
        threes = [frame for frame, values in enumerate(tried) if values[0] == 3]
        for frame, values in enumerate(tried):
            if int(values[1]) & 4 and any(three + 2 < frame for three in threes):
                return frame
        return None

    random = Random(2)
    given: list[tuple[Input, ...]] = [(random.below(5), random.below(64)) for _ in range(200)]
    assert minimise(given, fails, 0) == [(3, 0), (0, 0), (0, 0), (0, 4)]


def test_inputs_of_several_numbers_are_made_plainer_number_by_number():
    def fails(tried: list[tuple[Input, ...]]) -> int | None:
        for frame, (value,) in enumerate(tried):
            assert isinstance(value, tuple)
            if value[1] & 8:
                return frame
        return None

    assert minimise([((7, -1),), ((5, 9),)], fails, (0, 0)) == [((0, -1),)]


def test_no_more_attempts_are_made_than_allowed():
    calls = []

    def fails(tried: list[tuple[Input, ...]]) -> int | None:
        calls.append(tried)
        return len(tried) - 1 if len(tried) > 90 else None

    minimise([(value,) for value in range(100)], fails, 0, attempts_max=20)
    assert len(calls) == 20


def test_inputs_that_do_not_fail_are_refused():
    with pytest.raises(ValueError, match="do not fail"):
        minimise([(1,)], lambda _: None, 0)


# The command.


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(synctest_command, [*arguments], catch_exceptions=False)

    return call


@pytest.mark.full
def test_the_command_passes_the_sample(run: Any):
    result = run("--frames", "30")
    assert result.exit_code == 0, result.output
    assert result.output.count(": the same\n") == len(CHECKS)
    assert not Path("synctest.jsonl").exists()


def test_the_command_tells_a_mistake_and_writes_the_smallest_match_that_shows_it(run: Any):
    both = ["--check", "rollback", "--check", "save and load"]
    long = str(recorded(broken.Forgetful))
    result = run("broken:Forgetful", "--inputs", long, "--json", *both)
    assert result.exit_code == 1
    reported = json.loads(result.output)
    checks = {divergence["check"] for divergence in reported["divergences"]}
    assert checks == {"rollback", "save and load"}
    assert 0 < reported["log_frames"] < 60
    assert [lost["name"] for lost in reported["unsaved"]] == ["self.met"]
    again = run("broken:Forgetful", "--inputs", reported["log"], "-o", "again.jsonl", *both)
    assert again.exit_code == 1
    assert "DIFFERS" in again.output
    assert "player " in again.output
    assert "  load does not bring back:\n    self.met: [" in again.output
    assert again.stderr.startswith("seen first: save and load: loaded into a fresh simulation and")
    assert len(log_case(Path("again.jsonl")).inputs) == reported["log_frames"], (
        "it is as small as it gets"
    )


@pytest.mark.full
def test_a_match_that_cannot_be_written_hides_no_difference(run: Any):
    recorded(broken.Forgetful)
    command = ["broken:Forgetful", "--inputs", "long.jsonl", "-o", "none/out.jsonl"]
    result = run(*command)
    assert result.exit_code == 1
    assert "DIFFERS" in result.stdout
    assert "player " in result.stdout
    said = "cannot be written: [Errno 2] No such file or directory: 'none/out.jsonl'"
    assert said in result.stderr
    result = run(*command, "--json")
    assert (result.exit_code, json.loads(result.stdout)["log"]) == (1, None)


@pytest.mark.full
def test_the_smallest_match_can_go_to_standard_output(run: Any):
    """And then what is reported does not, whether there is such a match or none."""
    given = ["--inputs", str(recorded(broken.Forgetful)), "-o"]
    run("broken:Forgetful", *given, "small.jsonl")
    program = "from fixsync.cli import main; main()"
    for simulation, code, reported in (
        ("broken:Forgetful", 1, "DIFFERS"),
        ("skillfight", 0, "no difference"),
    ):
        arguments = [simulation, *(given if code else ["--frames", "20", "-o"]), "-"]
        command = [sys.executable, "-c", program, "synctest", *arguments]
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}  # for module broken
        done = ran(command, env=env)
        assert done.returncode == code, done.stderr
        assert done.stdout == (Path("small.jsonl").read_text() if code else "")
        assert reported in done.stderr
        assert "run it again" not in done.stderr


def recorded(simulation: SimulationType) -> Path:
    path = Path("long.jsonl")
    write_log(run_straight(simulation, 1, 8, inputs(60, 8)), path)
    return path


def test_a_log_without_frames_is_valid_everywhere(run: Any):
    straight = run_straight(Bumpers, 1, 3, [])
    write_log(straight, "none.jsonl")
    result = run("broken:Bumpers", "--inputs", "none.jsonl", "--check", "repeat", "--json")
    assert result.exit_code == 0, result.output
    reported = json.loads(result.output)
    assert (reported["players"], reported["frames"]) == (3, 0)
    assert unsaved(straight) == []
    sims = {"bumpers": Bumpers}
    assert replay("none.jsonl", simulations=sims).frames == 0
    assert diff("none.jsonl", "none.jsonl", simulations=sims).exit_code == 0
    assert page([export("none.jsonl", simulations=sims)])
    sandbox = Sandbox(Settings(sims=("bumpers:Bumpers",), path=(str(Path(__file__).parent),)))
    assert [outcome.verdict for outcome in sandbox.verify(["none.jsonl"])] == ["nothing to compare"]
    sandbox.close()


def test_the_command_takes_no_inputs_of_another_simulation(run: Any):
    result = run("skillfight", "--inputs", str(recorded(broken.Forgetful)))
    assert result.exit_code != 0
    assert "is of the simulation" in result.output
    assert "not of 'skillfight'" in result.output


@pytest.mark.full
def test_what_a_simulation_calls_its_ids_is_in_the_report(run: Any):
    result = run("fixsync.peers.faults:stale_at_20", "--frames", "30", "--check", "save and load")
    assert result.exit_code == 1
    assert "collider 0 (player 0), x: " in result.output


def test_the_command_runs_one_check_alone(run: Any):
    result = run("broken:Unsaved", "--frames", "20", "--check", "order", "--players", "2")
    assert result.exit_code == 0, result.output
    assert "rollback" not in result.output
    assert "bring back" not in result.output, "no check of it loads"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("nothing", "no simulation is called 'nothing'"),
        ("broken:Nothing", "has no Nothing"),
        ("nowhere:Bumpers", "there is no module nowhere"),
        ("broken:Halting", "frame 7: it stepped its world 0 times"),
        ("broken:Liar", "hash() is not hash_of(save())"),
        ("broken:Failing", "broken:Failing: frame 4: it raised ZeroDivisionError"),
        ("broken:Failing", 'broken.py", line'),
        ("json:loads", "json:loads: at the start: it raised TypeError"),
    ],
)
def test_the_command_says_why_a_simulation_cannot_be_run(run: Any, reference: str, said: str):
    result = run(reference, "--frames", "10")
    assert result.exit_code != 0
    assert said in result.output

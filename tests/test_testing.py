"""What is offered to users' own tests: the assertion, the strategies, the pytest plugin."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import broken
import logs
import pytest
from bumpers import Bumpers, inputs
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tools import ran

from fixsync import Contact, Event, Pose, Sector, Shape, Sphere, World, overlap
from fixsync.log.replay import Verdict, replay
from fixsync.match import sim
from fixsync.match.sim import SimulationType
from fixsync.peers.peer import Task, _Peer
from fixsync.peers.plan import Run
from fixsync.sample.skillfight import SkillFight
from fixsync.session import Session
from fixsync.synctest import (
    agreement,
    assert_peers_agree,
    assert_same_state,
    checks,
    process_check,
)
from fixsync.synctest import strategies as fst
from fixsync.synctest.checks import run_check, smallest
from fixsync.synctest.straight import bot_inputs, log_case, run_straight
from fixsync.synctest.unsaved import unsaved
from fixsync.world.records import Events

# assert_peers_agree.


class Apart(logs.Game):
    """Two balls; an input other than 0 puts its player's ball where the other begins."""

    name = "apart"

    def __init__(self, seed: int, players: int) -> None:  # noqa: ARG002 - the protocol has it
        self.players = players
        self.world = World(2)
        for id in (0, 1):
            self.world.add(id, Sphere(5), Pose(90 * id, 0, 0))

    def step(self, inputs: Sequence[int]) -> Events:
        for player, value in enumerate(inputs):
            if value:
                self.world.move(player, 90 - 90 * player, 0, 0)
        return self.world.step()


class Hidden(broken.Unsaved):
    """Its source has no hints."""


def test_peers_of_a_sound_simulation_agree(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(process_check, "VARIANTS", 3)
    assert_peers_agree(Bumpers, inputs())
    assert_peers_agree(broken.Reloading, inputs(), processes=False)


@pytest.mark.parametrize(
    "simulation", [broken.Unsaved, broken.Forgetful, broken.Unordered, broken.Raising]
)
def test_peers_of_an_unsound_simulation_do_not(simulation: SimulationType):
    with pytest.raises(AssertionError) as error:
        assert_peers_agree(simulation, inputs(40), processes=False)
    assert "another result after frame" in str(error.value)
    is_raising = simulation is broken.Raising
    said = "raised RuntimeError" if is_raising else "values straight, then otherwise"
    assert said in str(error.value)


def test_the_smallest_match_that_shows_it_is_left_behind(tmp_path: Path):
    log = tmp_path / "smallest.jsonl"
    with pytest.raises(AssertionError) as error:
        assert_peers_agree(broken.Unsaved, inputs(60), log=log, processes=False)
    assert str(log) in str(error.value)
    case = log_case(log)
    seed, smallest = case.seed, case.inputs
    assert len(smallest) == 8
    assert {value for values in smallest for value in values} == {0}
    assert run_check("save and load", run_straight(broken.Unsaved, seed, 4, smallest))
    assert replay(log, simulations={"bumpers": broken.Unsaved}).verdict is Verdict.IDENTICAL


class Late(Bumpers):
    """Who is fast after frame 10 stays so when an earlier frame is loaded."""

    speed = 0

    def step(self, inputs: Sequence[Any]) -> Sequence[Event]:
        events = super().step(inputs)
        self.world.turn(0, self.speed)
        if self.world.frame > 10:
            self.speed = 5
        return events

    def save(self) -> bytes:
        return super().save() + bytes([self.speed])

    def load(self, state: bytes) -> None:
        super().load(state[:-1])
        self.speed = state[-1] or self.speed


def test_the_smallest_match_has_the_frame_from_which_it_went_back():
    straight = run_straight(Late, 1, 2, inputs(30, 2))
    found = run_check("rollback", straight)
    assert found is not None
    assert found.frame < found.until
    least = smallest(straight, found)
    assert least is not None
    assert least.frames <= found.until + 1
    assert run_check("rollback", least)


def test_peers_that_play_over_a_network_are_part_of_it(monkeypatch: pytest.MonkeyPatch):
    def end(self: Session, value: Any, now_ms: int) -> list[Any]:  # noqa: ARG001 - called like what it replaces
        self.leave(now_ms)
        return []

    monkeypatch.setattr(Session, "advance", end)
    with pytest.raises(AssertionError, match="peers in lockstep: by peer 0 of 4"):
        assert_peers_agree(Bumpers, inputs(), processes=False)


def test_agreement_without_a_hit_fails_unless_it_is_allowed():
    still = [(0, 0)] * 5
    with pytest.raises(AssertionError, match=r"^5 frames agree, but .* needs_hits=False$"):
        assert_peers_agree(Apart, still, processes=False)
    assert_peers_agree(Apart, still, needs_hits=False, processes=False)
    assert_peers_agree(Apart, [(0, 0)] * 4 + [(1, 0)], processes=False)


@pytest.mark.parametrize(
    "simulation", [broken.Unsaved, pytest.param(Hidden, marks=pytest.mark.full)]
)
def test_under_hypothesis_the_verdict_comes_first_and_one_diagnosis_last(
    simulation: SimulationType, monkeypatch: pytest.MonkeyPatch
):
    diagnoses, played = [], []

    def named(*given: Any) -> Any:
        diagnoses.append(given)
        return unsaved(*given)

    monkeypatch.setattr(checks, "unsaved", named)

    phases = (Phase.generate, Phase.shrink)  # to explain takes most of the time

    @settings(max_examples=20, deadline=None, database=None, derandomize=True, phases=phases)
    @given(fst.input_sequences(3, st.integers(0, 4), frames_max=12))
    def play(drawn: list[tuple[int, ...]]) -> None:
        played.append(drawn)
        assert_peers_agree(simulation, drawn, needs_hits=False, processes=False)

    with pytest.raises(AssertionError) as error:
        play()
    assert len(played) > 5
    assert len(played[-1]) <= 12
    assert len(diagnoses) == 1
    text = str(error.value)
    assert "load does not bring back:\n    self.count: " in text
    assert "  (order: it has no shuffle(): " in text
    assert ("  hint: " in text) == (simulation is broken.Unsaved)
    assert_peers_agree(Bumpers, inputs(), processes=False)


def test_another_test_after_a_failing_one_is_tried_whole(monkeypatch: pytest.MonkeyPatch):
    """Though it has the same simulation, and Hypothesis ran no last example of the first."""
    drawn = agreement._Drawn()
    drawn.failed = "rollback"
    monkeypatch.setitem(agreement._Drawn._all, broken.Unsaved, drawn)
    drawn._last -= 60

    @settings(max_examples=20, deadline=None, database=None, derandomize=True)
    @given(st.just([(0, 0, 0)] * 9))
    def play(given: list[tuple[int, ...]]) -> None:
        assert_peers_agree(broken.Unsaved, given, needs_hits=False, processes=False)

    with pytest.raises(AssertionError, match=r"^save and load: "):
        play()


def test_inputs_that_are_none_are_refused():
    with pytest.raises(ValueError, match="at least one frame"):
        assert_peers_agree(Bumpers, [])
    with pytest.raises(ValueError, match="frame 0: input of player 1"):
        assert_peers_agree(Bumpers, [(0, 9)])


def test_states_and_inputs_of_a_wrong_type_are_named():
    with pytest.raises(TypeError, match=r"^second must be bytes, as save.. returns, not a World$"):
        assert_same_state(b"", World(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^inputs\[1\] must be the inputs of all players, not 5$"):
        assert_peers_agree(Bumpers, [(0, 0), 5])  # type: ignore[list-item]


def test_states_that_differ_are_told_apart_by_field():
    world = World(4)
    world.add(1, Sphere(5), Pose(0, 0, 0))
    before = world.save()
    assert_same_state(before, world.copy().save())
    world.move(1, 7, 0, 0)
    with pytest.raises(AssertionError) as error:
        assert_same_state(before, world.save())
    assert str(error.value) == "two states differ:\n  collider 1, x: 0 and 7 (0 and 0.00011 units)"
    crowd = Bumpers(1, 8).world.save()
    with pytest.raises(AssertionError, match=r"\n  and 4 more$"):
        assert_same_state(World(8).save(), crowd)


# Strategies.


@given(fst.near_contact_pairs())
def test_pairs_near_contact_are_near_contact(pair: tuple[Shape, Pose, Shape, Pose]):
    a, here, b, there = pair
    if isinstance(a, Sector) or isinstance(b, Sector):
        return  # a sector that faces away is apart from whatever is behind it
    around = product(range(-3, 4), repeat=3)
    poses = [Pose(there.x + x, there.y + y, there.z + z, there.yaw) for x, y, z in around]
    assert {overlap(a, here, b, pose) is Contact.APART for pose in poses} == {True, False}


@pytest.mark.full
def test_pairs_near_contact_have_every_contact():
    found = set()

    @settings(max_examples=1000, database=None, derandomize=True)
    @given(fst.near_contact_pairs())
    def look(pair: tuple[Shape, Pose, Shape, Pose]) -> None:
        found.add(overlap(*pair))

    look()
    assert found == {*Contact}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(fst.commands(capacity=6))
def test_commands_that_are_drawn_are_taken(frames: list[list[tuple[Any, ...]]]):
    world = World(6)
    for frame in frames:
        world.apply(frame)
        world.step()
    assert world.frame == len(frames)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(fst.worlds())
def test_worlds_that_are_drawn_save_and_load(world: World):
    assert World.from_bytes(world.save(), world.capacity).save() == world.save()


@given(fst.input_sequences(3, st.integers(0, 4), frames_max=30))
def test_inputs_that_are_drawn_can_be_played(sequence: list[tuple[int, ...]]):
    assert 1 <= len(sequence) <= 30
    assert run_straight(Bumpers, 1, 3, sequence).frames == len(sequence)


@given(fst.shapes(extremes=True), fst.poses(extremes=True), fst.shapes(sectors=False))
def test_shapes_and_poses_that_are_drawn_are_shapes_and_poses(a: Shape, pose: Pose, b: Shape):
    assert not isinstance(b, Sector)
    assert overlap(a, pose, b, pose) in Contact


# The plugin, in a pytest of its own.

_TESTS = """
import pytest
from broken import Forgetful
from bumpers import Bumpers
from hypothesis import given, settings
from hypothesis import strategies as st
from fixsync import Pose, Sphere, World
from fixsync.synctest import strategies as fst

INPUTS = [(1, 2, 3), (2, 1, 4)] * 15


DRAWN = fst.input_sequences(3, st.integers(0, 4), frames_max=30)
FEW = settings(max_examples=3, deadline=None, database=None, derandomize=True)


def test_sound(peers_agree):
    peers_agree(Bumpers, [(1, 0, 0)] * 12, processes=False)


@FEW
@given(DRAWN)
def test_sound_with_what_is_drawn(peers_agree, inputs):
    peers_agree(Bumpers, inputs, needs_hits=False, processes=False)


@FEW
@given(st.just(INPUTS))
def test_unsound_with_what_is_drawn(peers_agree, inputs):
    peers_agree(Forgetful, inputs, seed=5, processes=False)


def test_unsound(peers_agree):
    peers_agree(Forgetful, INPUTS, seed=3, processes=False)


def test_world(fixsync_world, fixsync_recorder):
    assert len(fixsync_world) == 0
    fixsync_recorder(fixsync_world)
    fixsync_world.add(3, Sphere(9), Pose(0, 0, 0))
    fixsync_world.step()
    other = fixsync_world.copy()
    other.move(3, 0, 0, 5)
    assert other.save() == fixsync_world.save()


def test_worlds():
    world = World(4)
    world.add(3, Sphere(9), Pose(0, 0, 0))
    assert world == World(4)


def test_other_bytes():
    assert b"abc" == b"abd"
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of _TESTS, with the plugin loaded."""
    folder = tmp_path_factory.mktemp("users")
    (folder / "test_users.py").write_text(_TESTS)
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]),
    }
    command = [sys.executable, "-m", "pytest", "-p", "fixsync.synctest.pytest_plugin"]
    command += ["-p", "_hypothesis_pytestplugin"]
    command += ["--basetemp", str(folder / "tmp"), str(folder)]
    done = ran(command, env=environment)
    return done.stdout


@pytest.mark.parametrize(
    "said",
    [
        "5 failed, 2 passed",
        "another result after frame",
        "fixsync synctest broken:Forgetful --inputs ",
        "smallest.jsonl",
        "collider 3, z: 5 and 0",
        "collider 3, is there: present and absent",
        "At index 2 diff",  # of other bytes, by pytest itself
    ],
)
def test_the_plugin_reports_what_is_not_sound_by_its_fields(report: str, said: str):
    assert said in report


def test_the_plugin_names_the_log_of_a_recorded_world(report: str):
    path = next(line for line in report.splitlines() if "world0.jsonl" in line).split()[-1]
    assert replay(path).verdict is Verdict.IDENTICAL


def test_the_plugin_is_offered_to_every_pytest():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nfixsync = "fixsync.synctest.pytest_plugin"' in text


def test_loading_the_plugin_loads_nothing_else_of_fixsync():
    code = "import sys, fixsync.synctest.pytest_plugin\nprint(*sorted(sys.modules))"
    found = ran([sys.executable, "-c", code], check=True)
    loaded = set(found.stdout.split())
    assert not loaded & {"fixsync.session", "fixsync.synctest.checks", "fixsync.log.recorder"}


def test_bots_get_the_same_seed_of_32_bits_from_the_sync_test_and_from_peers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    seeds = []

    class Told(SkillFight):
        name = "reported"

        @classmethod
        def bot(cls, player: int, seed: int) -> Any:
            seeds.append(seed)
            return super().bot(player, 10 * seed + player)

    monkeypatch.setitem(sim._registered, "reported", Told)
    assert len(bot_inputs(Told, 2**64 - 1, 2, 3)) == 3
    plan = Run("reported", seed=2**64 - 1, frames=2)
    _Peer(Task(plan, 1, 1, 1, str(tmp_path / "log"), str(tmp_path)))
    assert seeds == [2**32 - 1] * 3

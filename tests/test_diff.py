"""Comparing two logs: the first frame that differs, all that differs in it, and nothing that does
not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import broken
import logs
import pytest
import strategies
from bumpers import Bumpers
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st
from network import Network, Weather
from tools import by_default

from fixsync import Contact, Event, Pose, Sphere, World
from fixsync.base.names import Names
from fixsync.cli.diff import diff_command
from fixsync.log.diff import DiffRow, diff
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.match import sim
from fixsync.match.sim import Input
from fixsync.sample.skillfight import SkillFight
from fixsync.session import Match, Reason
from fixsync.synctest import process_check
from fixsync.synctest.cause import cause, not_found

FRAMES = logs.model_frames(logs.small_match())


def changed(number: int, **fields: Any) -> list[logs.Frame]:
    return logs.changed(FRAMES, number, **fields)


def compared(directory: Path, a: Any, b: Any, head_b: Any = None, **options: Any) -> Any:
    logs.write(directory / "a.jsonl", logs.header(), a)
    logs.write(directory / "b.jsonl", logs.header(**(head_b or {})), b)
    return diff(directory / "a.jsonl", directory / "b.jsonl", **options)


def test_a_log_is_the_same_as_itself(tmp_path: Path) -> None:
    result = compared(tmp_path, FRAMES, FRAMES)
    assert (result.is_same, result.exit_code, result.frames, result.frame) == (True, 0, 4, None)
    assert (result.rows, result.notes, result.not_compared) == ([], [], {})


@given(match=strategies.frames(), data=st.data())
@strategies.examples(100)
def test_a_changed_command_is_found_with_the_state_it_changes(
    match: Any, data: st.DataObject, tmp_path_factory: Any
) -> None:
    """One add is put elsewhere; the model says what that does to the match."""
    adds = [
        (n, i) for n, commands in enumerate(match) for i, c in enumerate(commands) if c[0] == "add"
    ]
    assume(adds)
    number, index = data.draw(st.sampled_from(adds))
    other = [list(commands) for commands in match]
    x, y, z = other[number][index][3]
    other[number][index] = [*other[number][index][:3], [x, y + 1, z], *other[number][index][4:]]
    a, b = logs.model_frames(match), logs.model_frames(other)
    result = compared(tmp_path_factory.mktemp("log"), a, b)
    assert (result.exit_code, result.frame, result.frames) == (1, number, number)
    assert result.rows[0] == DiffRow(
        "commands", f"[{index}]", match[number][index], other[number][index]
    )
    groups = {row.group for row in result.rows}
    assert ("events" in groups) == (a[number]["events"] != b[number]["events"])
    assert ("queries" in groups) == (a[number]["queries"] != b[number]["queries"])
    assert ("state" in groups) == ("hash" in groups) == (a[number]["hash"] != b[number]["hash"])


def test_a_state_that_differs_is_told_field_by_field(tmp_path: Path) -> None:
    other = [list(commands) for commands in logs.small_match()]
    other[1] = [["pose", 2, [20, -5, 0], 9], *other[1][1:]]
    result = compared(tmp_path, FRAMES, logs.model_frames(other))
    assert result.frame == 1
    state = [(row.name, row.a, row.b) for row in result.rows if row.group == "state"]
    assert state == [
        ("collider 2: y", 0, -5),
        ("collider 2: yaw", 0, 9),
        ("hit 1, 2: is there", "present", "absent"),
    ]


def test_an_event_that_only_one_log_has_does_not_shift_the_others(tmp_path: Path) -> None:
    (frame,) = logs.model_frames([logs.spheres(4)])
    fewer = {**frame, "events": [event for event in frame["events"] if event[:2] != [0, 2]]}
    result = compared(tmp_path, [frame], [fewer])
    assert result.rows == [DiffRow("events", "0, 2", [[0, 2, 1, 2]], "absent")]
    other_order = {**frame, "events": frame["events"][::-1]}
    (row,) = compared(tmp_path, [frame], [other_order]).rows
    assert (row.group, row.name) == ("events", "order")


def test_a_hash_that_differs_alone_is_told_with_what_replaying_gives(tmp_path: Path) -> None:
    result = compared(tmp_path, FRAMES, changed(2, hash="0" * 16))
    assert result.rows == [DiffRow("hash", "", FRAMES[2]["hash"], "0" * 16)]
    assert result.notes[0].endswith("a.jsonl gives its hash")
    found = FRAMES[2]["hash"]
    assert (
        f"b.jsonl gives {found}: its recorder did something else than the log says"
        in result.notes[1]
    )


def with_hash(path: Path, simulation: type[Bumpers], changed: bool = True) -> Path:
    """A recorded match; the hash of frame 8 is changed."""
    made = simulation(1, 2)
    with SimRecorder(made, path, seed=1) as recorder:
        for frame in range(12):
            events = made.step([0, 0])
            is_wrong = changed and frame == 8
            recorder.record(frame, [0, 0], events, 5 if is_wrong else made.world.hash())
    return path


@pytest.mark.parametrize(
    ("simulation", "note"),
    by_default(
        1,
        [
            (broken.Unsaved,
             "broken:Unsaved is not as before after `load`: save and load gives another"),
            (Bumpers,
             "nobody is blamed: the simulation depends on something that was not found, or a"),
            (broken.Hashing, "broken:Hashing depends on its process: on the hash seed of strings"),
            (broken.Asserting, "broken:Asserting depends on its process: on asserts"),
            (broken.Global,
             "something of broken:Global outlives a match, such as a global variable"),
        ],
        are_rows=True,
    ),
)  # fmt: skip
def test_a_simulation_that_depends_on_its_process_is_blamed_and_no_recorder(
    tmp_path: Path, simulation: type[Bumpers], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if simulation is broken.Unsaved:  # in which processes find nothing
        monkeypatch.setattr(process_check, "VARIANTS", 3)
    a = with_hash(tmp_path / "a.jsonl", simulation, changed=False)
    b = with_hash(tmp_path / "b.jsonl", simulation)
    reference = f"{simulation.__module__}:{simulation.__qualname__}"
    result = diff(
        *(a, b),
        simulations={"bumpers": simulation},
        cause=lambda _, *of: cause(reference, *of) or not_found(reference),
    )
    assert result.notes[0].startswith(f"replayed with {reference} of {Path(__file__).parent}")
    assert note in result.notes[-1]
    assert not any("its recorder did" in line for line in result.notes)
    reported = diff(a, b, simulations={"bumpers": simulation}).notes[-1]
    assert reported == "not found out: whether the simulation has more than one result"


@pytest.mark.full
def test_the_logs_of_peers_whose_game_forgets_a_value_blame_no_recorder(tmp_path: Path) -> None:
    match, weather = Match("bumpers", seed=3, players=2, frames=200), Weather(10, jitter_ms=60)
    network = Network(match, 1, weather, simulation=broken.Unsaved).start_all()
    assert network.run(20_000, lambda: network.is_over)
    assert network.end_of(0).reason is Reason.DESYNC
    paths = []
    for me in range(2):
        witness = network.peers[me].witness
        paths.append(str(tmp_path / f"peer{me}.jsonl"))
        with SimRecorder(broken.Unsaved(3, 2), paths[-1], seed=3) as recorder:
            for frame in witness.hashes:
                values = [getattr(witness, name)[frame] for name in ("events", "world_hashes")]
                recorder.record(frame, witness.inputs[frame], *values, (), witness.hashes[frame])
    reported = CliRunner().invoke(diff_command, [*paths, "--sim", "broken:Unsaved"]).output
    assert "did something else" not in reported
    said = "broken:Unsaved is not as before after `load`: rollback gives another result"
    assert said in " ".join(reported.split())
    assert "No peer is at fault" in reported


def test_what_only_one_log_tells_is_counted_and_no_difference(tmp_path: Path) -> None:
    bare = logs.bare(FRAMES)
    result = compared(tmp_path, FRAMES, bare)
    only_in_a = f"only in {tmp_path / 'a.jsonl'}"
    assert (result.exit_code, result.frames) == (0, 4)
    assert result.not_compared == {
        f"{name} {only_in_a}": 4 for name in ("events", "queries", "hash")
    }


def test_worlds_that_differ_are_found_where_the_logs_tell_nothing_of_it(tmp_path: Path) -> None:
    """The commands are the same, but the worlds are made differently."""
    bare = logs.bare(FRAMES)
    result = compared(tmp_path, bare, bare, {"hit_when": 2})
    assert [row.name for row in result.header] == ["hit_when"]
    assert (result.frame, result.exit_code) == (1, 1)
    assert result.rows == [DiffRow("state", "hit 1, 2: is there", "present", "absent")]


@pytest.mark.parametrize(
    ("head", "name", "value"),
    [
        ({"capacity": 7}, "capacity", 7),
        ({"tick_rate": [60, 1]}, "tick_rate", [60, 1]),
        ({"seed": 5}, "seed", 5),
        ({"meta": {"a": {"b": [1]}}}, "meta.a", {"b": [1]}),
        ({"meta": {"owners": {"1": "Ana"}}}, "meta.owners", {"1": "Ana"}),
        ({"names": {"ids": {"1": "boss"}}}, 'names.ids."1"', "boss"),
        ({"unit_mm": 25}, "unit_mm", 25),
        ({"z_down": True}, "z_down", True),
    ],
)
def test_headers_that_differ_are_told_and_the_frames_compared_all_the_same(
    tmp_path: Path, head: Any, name: str, value: Any
) -> None:
    result = compared(tmp_path, FRAMES, FRAMES, head)
    assert [(row.name, row.b) for row in result.header] == [(name, value)]
    assert (result.exit_code, result.frame, result.frames) == (1, None, 4)
    ignored = compared(tmp_path, FRAMES, FRAMES, head, ignore_meta=True)
    assert ignored.is_same == (name.partition(".")[0] in ("meta", "names", "unit_mm", "z_down"))


def test_a_log_that_ends_early_differs_where_it_ends(tmp_path: Path) -> None:
    result = compared(tmp_path, FRAMES, FRAMES[:3])
    assert (result.exit_code, result.frame, result.frames) == (1, 3, 3)
    assert result.rows == [DiffRow("length", "frame 3", "present", "absent")]


def test_a_cut_log_is_told_and_is_the_same_if_its_frames_are(tmp_path: Path) -> None:
    logs.write(tmp_path / "a.jsonl", logs.header(), FRAMES)
    logs.write(tmp_path / "b.jsonl", logs.header(), FRAMES, footer=False)
    result = diff(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert result.exit_code == 0
    assert result.notes == [
        f"{tmp_path / 'b.jsonl'} was cut short after 4 frames: there is no last line"
    ]


@pytest.mark.parametrize("which", ["a", "b"])
def test_a_log_that_is_not_valid_is_told_even_after_a_difference(
    tmp_path: Path, which: str
) -> None:
    logs.write(tmp_path / "a.jsonl", logs.header(), FRAMES)
    logs.write(tmp_path / "b.jsonl", logs.header(), changed(1, hash="0" * 16))
    bad = tmp_path / f"{which}.jsonl"
    bad.write_bytes(bad.read_bytes().replace(b'["turn",5,3]', b'["turn",5,-3]'))
    result = diff(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (result.exit_code, result.frame) == (2, 1)
    assert result.error is not None
    assert (result.error.file, result.error.line) == (str(bad), 5)


@pytest.mark.parametrize("which", ["a", "b"])
def test_a_log_without_a_header_is_an_error_of_the_result(tmp_path: Path, which: str) -> None:
    for name in "ab":
        logs.write(tmp_path / f"{name}.jsonl", logs.header(), FRAMES)
    bad = tmp_path / f"{which}.jsonl"
    bad.write_bytes(b"")
    result = diff(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert result.exit_code == 2
    assert result.error is not None
    assert result.error.file == str(bad)


def test_logs_whose_simulation_is_not_known_are_compared_as_text(tmp_path: Path) -> None:
    head = logs.header(sim="test-unknown")
    frames: list[Any] = [{"frame": n, "inputs": [n, [1, 2]]} for n in range(3)]
    logs.write(tmp_path / "a.jsonl", head, frames)
    frames[2] = {"frame": 2, "inputs": [2, [1, 3]]}
    logs.write(tmp_path / "b.jsonl", head, frames)
    result = diff(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (result.exit_code, result.frame) == (1, 2)
    assert result.rows == [DiffRow("inputs", "[1]", [1, 2], [1, 3])]
    assert all(
        "was not replayed: no simulation is called 'test-unknown'" in note for note in result.notes
    )


def test_many_differences_are_counted_where_they_are_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["fixsync.log.diff"], "ROWS_MAX", 2)
    moves = [logs.spheres(2)[1:] + [["turn", 1, n]] * 5 for n in (1, 2)]
    a, b = (logs.model_frames([commands]) for commands in moves)
    result = compared(tmp_path, a, b)
    # Five commands, the hash and the yaw.
    assert (len(result.rows), result.more_rows) == (2, 5)


def test_the_geometry_of_a_pair_whose_hit_differs_is_told_on_both_sides(tmp_path: Path) -> None:
    adds = logs.spheres(2, 20, 10)
    moved = [["move", 1, [21, 0, 0]]]
    result = compared(tmp_path, logs.model_frames([adds, []]), logs.model_frames([adds, moved]))
    assert result.frame == 1
    (pair,) = result.pairs
    assert (pair.a, pair.b) == (0, 1)
    here, there = pair.standing
    assert (here.contact, there.contact) == (Contact.TOUCHING, Contact.APART)
    assert [collider.pose for collider in here.colliders] == [Pose(0, 0, 0), Pose(20, 0, 0)]
    assert [collider.pose for collider in there.colliders] == [Pose(0, 0, 0), Pose(21, 0, 0)]
    assert {collider.shape for collider in there.colliders} == {Sphere(10)}


def test_the_geometry_of_a_pair_is_told_where_only_the_logs_say_it_differs(tmp_path: Path) -> None:
    (frame,) = logs.model_frames([logs.spheres(12)], capacity=12)
    head = {"capacity": 12}
    logs.write(tmp_path / "a.jsonl", logs.header(**head), [frame])
    wrong = {**frame, "events": [[*event[:3], 1] for event in frame["events"]]}
    logs.write(tmp_path / "b.jsonl", logs.header(**head), [wrong])
    result = diff(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert [(pair.a, pair.b) for pair in result.pairs] == [(0, id) for id in range(1, 9)], (
        "the first few"
    )
    for pair in result.pairs:
        assert {standing.contact for standing in pair.standing if standing} == {Contact.OVERLAPPING}


class Catch(Bumpers):
    """Player 0 puts a ball somewhere, which is taken away right after the step in which it is
    met.
    """

    name = "catch"

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.world.clear()
        self.world.add(0, Sphere(10), Pose(0, 0, 0))

    def check_input(self, player: int, value: Input) -> None:
        """Anywhere will do."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        place = Pose(int(inputs[0]), 0, 0)
        if 1 in self.world:
            self.world.set_pose(1, place)
        else:
            self.world.add(1, Sphere(10), place)
        events = self.world.step()
        if events:
            self.world.remove(1)
        return events


@pytest.mark.parametrize("frame", [0, 2])
def test_a_pair_of_a_simulation_is_told_as_it_stood_at_the_step(tmp_path: Path, frame: int) -> None:
    ways = {"a": 20, "b": 21}
    names = Names(ids={0: "hand", 1: "ball"})
    for name, x in ways.items():
        game = Catch(1, 2)
        with SimRecorder(game, tmp_path / f"{name}.jsonl", seed=1, names=names) as log:
            for number in range(frame + 1):
                inputs = (x if number == frame else 50, 0)
                log.record(number, inputs, game.step(inputs), game.world.hash())
    result = diff(tmp_path / "a.jsonl", tmp_path / "b.jsonl", simulations={"catch": Catch})
    assert result.frame == frame
    (pair,) = result.pairs
    for standing, contact, x in zip(
        pair.standing, (Contact.TOUCHING, Contact.APART), ways.values(), strict=True
    ):
        assert standing is not None
        assert standing.contact is contact
        assert [collider and collider.pose.x for collider in standing.colliders] == [0, x]
    paths = [str(tmp_path / f"{name}.jsonl") for name in ways]
    run = CliRunner().invoke(diff_command, [*paths, "--sim", "test_diff:Catch"])
    assert 'events 0, 1 "hand, ball"' in run.output
    assert 'state hit 0, 1 "hand, ball": is there' in run.output


def test_a_collider_that_one_world_lacks_is_told_as_missing(tmp_path: Path) -> None:
    adds = logs.spheres(2)
    gone = [["remove", 1]]
    result = compared(tmp_path, logs.model_frames([adds, []]), logs.model_frames([adds, gone]))
    (pair,) = result.pairs
    assert pair.standing[1] is not None
    assert pair.standing[1].contact is None
    assert pair.standing[1].colliders[1] is None
    run = CliRunner().invoke(diff_command, [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")])
    assert "the pair 0, 1 at this frame's step, replayed:" in run.output
    assert "in A: OVERLAPPING" in run.output
    assert "in B: no contact" in run.output
    assert "1: not in the world" in run.output


def test_a_log_that_begins_later_is_compared_from_there(tmp_path: Path) -> None:
    world, late = World(4), tmp_path / "late.jsonl"
    with Recorder(world, tmp_path / "whole.jsonl"):
        world.add(1, Sphere(10), Pose(0, 0, 0))
        world.step()
        world.step()
        twin = world.copy()
        with Recorder(twin, late):
            for one in (world, twin):
                one.move(1, 5, 0, 0)
                one.step()
    result = diff(tmp_path / "whole.jsonl", late)
    assert (result.exit_code, result.frames) == (0, 1)
    assert result.not_compared == {f"frames only in {tmp_path / 'whole.jsonl'}": 2}
    late.write_bytes(late.read_bytes().partition(b'{"frames"')[0].replace(b"[5,0,0]", b"[6,0,0]"))
    result = diff(late, tmp_path / "whole.jsonl")
    assert (result.exit_code, result.frame) == (1, 2)
    run = CliRunner().invoke(diff_command, [str(late), str(tmp_path / "whole.jsonl")])
    assert "first difference in frame 2 (line 2 and 4)" in run.output


def test_a_trace_and_the_inputs_of_one_match_are_compared_after_each_step(tmp_path: Path) -> None:
    """The game moves its bodies after the step, so its hashes are not those of the trace."""
    paths = tmp_path / "trace.jsonl", tmp_path / "inputs.jsonl"
    for path in paths:
        game = sim.start(SkillFight, 5, 2)
        bots = [SkillFight.bot(player, 5) for player in range(2)]
        is_trace = path is paths[0]
        with (
            Recorder(game.world, path, names=game.names)
            if is_trace
            else SimRecorder(game, path, seed=5) as recorder
        ):
            for frame in range(60):
                inputs = [bot.decide(game) for bot in bots]
                events = game.step(inputs)
                if isinstance(recorder, SimRecorder):
                    recorder.record(frame, inputs, events, game.world.hash())
    result = diff(*paths)
    assert (result.frame, result.frames, result.exit_code) == (None, 60, 1)
    assert [row.name for row in result.header] == ["sim", "seed"]
    assert any("has commands" in note and "has inputs" in note for note in result.notes)
    lines = paths[0].read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if '"frame":30,' in line)
    lines[at] = (
        lines[at]
        .replace('"commands":[', '"commands":[["owner",0,9],', 1)
        .replace('[["owner",0,9],]', '[["owner",0,9]]')
    )
    paths[0].write_text("".join(lines[:-1]), encoding="utf-8")
    changed = diff(*paths)
    assert changed.frame == 30
    assert "collider 0: owner" in [row.name for row in changed.rows if row.group == "state"]

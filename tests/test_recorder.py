"""Recording: what a world goes through, and nothing else, is in the log, whatever happens on the
way.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import logs
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from test_world import apply

from fixsync import Box, Pose, Sector, Sphere, World
from fixsync.base.names import Names
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.log.replay import Verdict, replay
from fixsync.log.schema import UNSET, MatchLogError
from fixsync.world.shapes import shape_from_tuple


def ask(recorder: Recorder, command: Any) -> None:
    name, shape, position, yaw, *rest = command
    asked = shape_from_tuple(shape), Pose(*position, yaw)
    if name == "query":
        mask, *numbers = rest
        others = dict(zip(("exclude_owner", "hit_when"), numbers, strict=False))
        recorder.query(*asked, mask, **others)
    else:
        motion, mask, *numbers = rest
        others = dict(zip(("exclude_owner", "limit", "hit_when"), numbers, strict=True))
        recorder.cast(*asked, tuple(motion), mask, **others)


def skip(world: World, match: Any) -> None:
    """Frames that are not recorded."""
    for commands in match:
        world.apply([command for command in commands if command[0] not in ("query", "cast")])
        world.step()


def play(world: World, path: Path, match: Any, **about: Any) -> None:
    with Recorder(world, path, **about) as recorder:
        for commands in match:
            for command in commands:
                if command[0] in ("query", "cast"):
                    ask(recorder, command)
                else:
                    apply(world, command)
            world.step()


@given(
    match=strategies.frames(),
    layers=strategies.layer_pairs(),
    hit_when=strategies.hit_whens(),
    suffix=st.sampled_from(["", ".gz"]),
    skipped=st.integers(0, 3),
)
@strategies.examples(120)
def test_a_recording_is_byte_for_byte_what_the_model_says_of_the_match(
    match: Any, layers: Any, hit_when: int, suffix: str, skipped: int, tmp_path_factory: Any
) -> None:
    """Also where the recording begins in the middle, with a state."""
    skipped = min(skipped, len(match))
    path = tmp_path_factory.mktemp("log") / f"match.jsonl{suffix}"
    world = World(6, hit_when=hit_when, layers=layers)
    skip(world, match[:skipped])
    play(world, path, match[skipped:])
    expected = logs.model_log(match, layers, hit_when, skipped)
    with Reader(path) as reader:
        frames = list(reader)
        assert reader.footer is not None
    if not suffix:
        assert path.read_bytes() == expected
    assert len(frames) == len(match) - skipped
    assert replay(path).verdict in (Verdict.IDENTICAL, Verdict.NOTHING_TO_COMPARE)


def test_colliders_that_are_there_already_are_recorded_as_added(tmp_path: Path) -> None:
    world = World(9, hit_when=2, layers=[(0, 1)])
    world.add(7, Box(1, 2, 3), Pose(4, 5, 6, 7), layer=1, owner=9, offset=(1, 1, 1), active=False)
    world.add(2, Sphere(5), Pose(0, 0, 0))
    with Recorder(world, tmp_path / "match.jsonl"):
        world.step()
    with Reader(tmp_path / "match.jsonl") as reader:
        (frame,) = reader
        header = reader.header
    assert (header.capacity, header.hit_when, header.layers) == (9, 2, [(0, 1)])
    assert [command.id for command in frame.commands] == [2, 7]
    result = replay(tmp_path / "match.jsonl")
    assert (result.verdict, result.hash) == (Verdict.IDENTICAL, f"{world.hash():016x}")


def test_what_is_told_about_a_match_is_in_its_header(tmp_path: Path) -> None:
    world = World(4)
    meta = {"arena": "pit", "rounds": [1, 2, True]}
    names = Names({0: "player"}, {3: "boss"})
    about = {
        "tick_rate": (60000, 1001),
        "meta": meta,
        "names": names,
        "unit_mm": 25,
        "z_down": True,
    }
    play(world, tmp_path / "match.jsonl", [], **about)
    with Reader(tmp_path / "match.jsonl") as reader:
        assert {name: getattr(reader.header, name) for name in about} == about


def test_names_of_owners_stand_in_the_meta_of_a_log(tmp_path: Path) -> None:
    names = Names(owners={7: "Ana", 2: "Bob"})
    play(World(4), tmp_path / "match.jsonl", [], meta={"arena": "pit"}, names=names)
    with Reader(tmp_path / "match.jsonl") as reader:
        assert reader.header.names == names
        assert reader.header.meta == {"arena": "pit", "owners": {"2": "Bob", "7": "Ana"}}


def test_changes_that_the_world_refuses_are_not_recorded(tmp_path: Path) -> None:
    world = World(4)
    with Recorder(world, tmp_path / "match.jsonl"):
        world.add(0, Sphere(1), Pose(0, 0, 0))
        with pytest.raises(ValueError, match="taken"):
            world.add(0, Sphere(1), Pose(0, 0, 0))
        with pytest.raises(KeyError):
            world.move(1, 0, 0, 0)
        world.step()
    assert replay(tmp_path / "match.jsonl").verdict is Verdict.IDENTICAL


def test_questions_are_answered_after_the_step_and_change_nothing(tmp_path: Path) -> None:
    world = World(4)
    with Recorder(world, tmp_path / "match.jsonl") as recorder:
        world.add(0, Sphere(1), Pose(0, 0, 0))
        recorder.query(Sphere(1), Pose(0, 0, 0))
        recorder.query(Sphere(1), Pose(9, 0, 0), 1)
        world.move(0, 9, 0, 0)
        assert recorder.answers == []
        world.step()
        assert recorder.answers == [[], [0]]
        world.step()
        assert recorder.answers == []


@pytest.mark.parametrize("mask", [-1, 2**32, 1.0, True])
def test_a_question_that_no_log_may_hold_is_refused_at_once(tmp_path: Path, mask: Any) -> None:
    world = World(4)
    with Recorder(world, tmp_path / "match.jsonl") as recorder:
        with pytest.raises((TypeError, ValueError), match="mask"):
            recorder.query(Sphere(1), Pose(0, 0, 0), mask)
        world.step()
    assert replay(tmp_path / "match.jsonl").frames == 1


class Seven:
    def __index__(self) -> int:
        return 7


def test_whatever_is_an_integer_to_a_world_is_one_to_its_log(tmp_path: Path) -> None:
    seven: Any = Seven()
    world = World(9)
    with Recorder(world, tmp_path / "match.jsonl") as recorder:
        world.add(seven, Sphere(seven), Pose(seven, seven, seven, seven), layer=seven, owner=seven)
        world.move(seven, seven, 0, 0)
        recorder.query(Sphere(seven), Pose(0, 0, 0), seven)
        others = {"exclude_owner": seven, "limit": seven, "hit_when": 1}
        recorder.cast(Sphere(1), Pose(0, 0, 0), (seven, seven, 0), seven, **others)
        world.step()
    assert replay(tmp_path / "match.jsonl").verdict is Verdict.IDENTICAL


@pytest.mark.parametrize(
    "wrong", [{"hit_when": True}, {"hit_when": 1.0}, {"limit": -1}, {"mask": 2**32}]
)
def test_a_cast_that_the_world_would_refuse_is_refused_at_once(tmp_path: Path, wrong: Any) -> None:
    world = World(4)
    with Recorder(world, tmp_path / "match.jsonl") as recorder:
        with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
            recorder.cast(Sphere(1), Pose(0, 0, 0), (0, 0, 0), **wrong)
        with pytest.raises(ValueError, match="Sector"):
            recorder.cast(Sector(1, 1, 1), Pose(0, 0, 0), (0, 0, 0))
        world.step()
    assert replay(tmp_path / "match.jsonl").compared.queries == 0


def test_layers_that_are_replaced_twice_are_two_commands(tmp_path: Path) -> None:
    """In a recording as in a log that is filled in. Rows of one call are one command."""
    world = World(4)
    with Recorder(world, tmp_path / "match.jsonl"):
        world.set_layers([(1, 1)])
        world.set_layers([(0, 1)])
        world.apply([("layers", None), ("layers", [(2, 3)])])
        world.step()
    commands = [["layers", pairs] for pairs in ([[1, 1]], [[0, 1]], [[2, 3]])]
    lines = (tmp_path / "match.jsonl").read_text().splitlines()
    assert json.loads(lines[1])["commands"] == commands
    assert replay(tmp_path / "match.jsonl", output=tmp_path / "filled.jsonl").frames == 1
    assert (tmp_path / "filled.jsonl").read_bytes() == (tmp_path / "match.jsonl").read_bytes()


# Worlds that cannot be recorded.


def fight() -> World:
    """A world of two spheres that move apart, one step from the beginning."""
    world = World(4, layers=[(0, 0), (0, 1)])
    world.add(0, Sphere(10), Pose(0, 0, 0))
    world.add(3, Sphere(10), Pose(5, 0, 0), layer=1)
    world.step()
    return world


def test_a_world_at_frame_0_that_has_hits_begins_with_its_state(tmp_path: Path) -> None:
    state = bytearray(fight().save())
    state[4:8] = bytes(4)
    world = World.from_bytes(bytes(state), 4)
    with Recorder(world, tmp_path / "match.jsonl") as recorder:
        world.step()
    assert recorder.frames == 1
    assert replay(tmp_path / "match.jsonl").verdict is Verdict.IDENTICAL


def test_a_simulation_that_came_in_later_is_recorded_from_its_state(tmp_path: Path) -> None:
    game = Empty()
    game.world.load(fight().save())
    with SimRecorder(game, tmp_path / "match.jsonl", seed=1) as recorder:
        with pytest.raises(ValueError, match="frame must be 1, the next of this log, not 0"):
            recorder.record(0, [0, 0])
        for frame in (1, 2):
            recorder.record(frame, [0, 0], game.step([0, 0]), game.world.hash())

    def made(_seed: int, _players: int) -> Empty:
        return Empty()

    made.name = "duel"  # type: ignore[attr-defined]
    result = replay(tmp_path / "match.jsonl", simulations={"duel": made})  # type: ignore[dict-item]
    assert (result.verdict, result.frames, result.hits) == (Verdict.IDENTICAL, 2, 2)


def test_a_frame_number_wraps_as_that_of_the_world_does(tmp_path: Path) -> None:
    state = bytearray(World(4).save())
    state[4:8] = b"\xff" * 4
    world = World.from_bytes(bytes(state), 4)
    with Recorder(world, tmp_path / "match.jsonl"):
        world.step()
        world.step()
    with Reader(tmp_path / "match.jsonl") as reader:
        assert [frame.frame for frame in reader] == [2**32 - 1, 0]
    assert replay(tmp_path / "match.jsonl").verdict is Verdict.IDENTICAL


@pytest.mark.parametrize("simulation", [False, True])
def test_a_recording_overwrites_nothing_unless_it_is_told_to(
    tmp_path: Path, simulation: bool
) -> None:
    path = tmp_path / "match.jsonl"

    def recorded(**more: Any) -> Any:
        game = Empty()
        if simulation:
            return SimRecorder(game, path, seed=1, **more)
        return Recorder(game.world, path, **more)

    path.touch()
    recorded().close()  # an empty file holds nothing
    evidence = path.read_bytes()
    with pytest.raises(FileExistsError, match="replace=True"):
        recorded()
    assert path.read_bytes() == evidence
    recorded(replace=True).abandon()
    assert path.read_bytes() != evidence


def test_one_of_two_recorders_of_a_path_is_refused(tmp_path: Path) -> None:
    """Whichever comes first, and whether the file was there or not."""
    for name, is_there, replace in (("a", False, False), ("b", True, False), ("c", True, True)):
        path = tmp_path / f"{name}.jsonl"
        if is_there:
            path.touch()
        world = World(4)
        with Recorder(world, path, replace=replace):
            for again in (False, True):
                with pytest.raises(FileExistsError):
                    Recorder(World(4), path, replace=again)
            world.step()
        assert replay(path).frames == 1


def test_recorders_that_begin_at_once_leave_one_valid_log(tmp_path: Path) -> None:
    """Each thread stops until all have opened their recorder."""
    barrier = threading.Barrier(4)

    def record(path: Path) -> bool:
        barrier.wait()
        try:
            with Recorder(world := World(4), path):
                barrier.wait()
                world.step()
        except FileExistsError:
            barrier.wait()
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        for number in range(20):
            path = tmp_path / f"{number}.jsonl"
            if number % 2:
                path.touch()
            assert sum(pool.map(record, [path] * 4)) == 1
            assert replay(path).frames == 1


class _Silent:
    def changed(self, command: Any) -> None: ...
    def stepped(self, events: Any) -> None: ...
    def loaded(self) -> None: ...


def test_a_world_with_another_observer_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    world = World(4)
    world.attach(_Silent())
    with pytest.raises(ValueError, match="observer"):
        Recorder(world, tmp_path / "match.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["xz", "bz2"])
def test_files_that_keep_frames_back_are_refused(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ValueError, match=r"record to a? ?\.jsonl"):
        Recorder(World(4), tmp_path / f"match.jsonl.{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_no_log_may_have_is_refused_and_the_world_is_free_again(
    tmp_path: Path,
) -> None:
    world = World(4)
    with pytest.raises(MatchLogError) as caught:
        Recorder(world, tmp_path / "match.jsonl", meta={"speed": 1.5})
    assert caught.value.field == "meta.speed"
    Recorder(world, tmp_path / "match.jsonl").close()


# How a recording ends.


def test_a_load_ends_the_recording_and_says_so(tmp_path: Path) -> None:
    world = World(4)
    recorder = Recorder(world, tmp_path / "match.jsonl")
    world.add(0, Sphere(1), Pose(0, 0, 0))
    state = world.save()
    world.step()
    with pytest.raises(
        ValueError, match=r"loaded while it was recorded.*cut short, after 1 frames"
    ):
        world.load(state)
    assert world.frame == 0
    world.step()
    recorder.close()
    result = replay(tmp_path / "match.jsonl")
    assert (result.verdict, result.frames) == (Verdict.CUT_SHORT, 1)


def test_an_error_in_the_game_leaves_a_log_that_is_cut_short(tmp_path: Path) -> None:
    world = World(4)
    recorder = Recorder(world, tmp_path / "match.jsonl.gz")
    world.step()
    with pytest.raises(ZeroDivisionError), recorder:
        raise ZeroDivisionError
    result = replay(tmp_path / "match.jsonl.gz")
    assert (result.verdict, result.frames) == (Verdict.CUT_SHORT, 1)


def test_closing_detaches_and_closing_again_does_nothing(tmp_path: Path) -> None:
    world = World(4)
    recorder = Recorder(world, tmp_path / "match.jsonl")
    world.step()
    world.add(0, Sphere(1), Pose(0, 0, 0))  # in no frame
    recorder.close()
    written = (tmp_path / "match.jsonl").read_bytes()
    world.step()
    recorder.close()
    recorder.abandon()
    assert (tmp_path / "match.jsonl").read_bytes() == written
    with pytest.raises(ValueError, match="has ended"):
        recorder.query(Sphere(1), Pose(0, 0, 0))
    assert replay(tmp_path / "match.jsonl").frames == 1


def test_a_file_that_cannot_be_written_ends_the_recording_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(4)
    recorder = Recorder(world, tmp_path / "match.jsonl")
    world.step()

    def full(_sink: Any, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("fixsync.base.files.Sink.write", full)
        with pytest.raises(OSError, match="No space left"):
            world.step()
    assert world.frame == 2
    world.step()
    recorder.close()
    result = replay(tmp_path / "match.jsonl")
    assert (result.verdict, result.frames) == (Verdict.CUT_SHORT, 1)


@pytest.mark.parametrize("name", ["match.jsonl", "match.jsonl.gz"])
def test_a_process_that_dies_loses_at_most_the_frame_it_is_in(tmp_path: Path, name: str) -> None:
    program = """
import os, sys
from fixsync import Pose, Sphere, World
from fixsync.log.recorder import Recorder
world = World(4)
recorder = Recorder(world, sys.argv[1])
world.add(0, Sphere(10), Pose(0, 0, 0))
world.add(1, Sphere(10), Pose(0, 0, 0))
for frame in range(25):
    world.move(1, frame, 0, 0)
    world.step()
world.move(1, 0, 0, 0)
os._exit(9)
"""
    path = tmp_path / name
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == 9
    result = replay(path)
    assert (result.verdict, result.frames, result.hits) == (Verdict.CUT_SHORT, 25, 21)


# Inputs of simulations.


class Empty(logs.Game):
    def __init__(self) -> None:
        self.world = World(4)


def test_the_inputs_of_a_simulation_are_recorded_with_what_is_known_of_the_frame(
    tmp_path: Path,
) -> None:
    game = Empty()
    world = game.world
    with SimRecorder(game, tmp_path / "match.jsonl", seed=2**64 - 1) as recorder:
        recorder.record(0, [1, (2, -3)])
        world.add(0, Sphere(1), Pose(0, 0, 0))
        world.add(1, Sphere(1), Pose(0, 0, 0))
        recorder.record(1, [[4], 5], world.step(), world.hash())
    with Reader(tmp_path / "match.jsonl") as reader:
        first, second = reader
        assert (reader.header.sim, reader.header.seed) == ("duel", 2**64 - 1)
    assert (first.inputs, first.events, first.hash) == ([1, [2, -3]], UNSET, UNSET)
    assert (second.inputs, second.events) == ([[4], 5], [(0, 1, 1, 2)])
    assert second.hash == f"{world.hash():016x}"


@pytest.mark.parametrize(
    ("known", "field"),
    [
        ({"events": [(1, 2, 9, 0)]}, "events[0][2]"),
        ({"events": [(1, 2, 1, 0), (-1, 2, 1, 0)]}, "events[1][0]"),
        ({"events": [(1, 2**32, 1, 0)]}, "events[0][1]"),
        ({"hash": -1}, "hash"),
        ({"hash": 2**64}, "hash"),
    ],
)
def test_what_no_world_can_answer_is_refused_and_nothing_is_written(
    tmp_path: Path, known: Any, field: str
) -> None:
    with SimRecorder(Empty(), tmp_path / "match.jsonl", seed=0) as recorder:
        with pytest.raises(MatchLogError) as caught:
            recorder.record(0, [1], **known)
        assert (caught.value.line, caught.value.field) == (2, field)
        recorder.record(0, [1], [(1, 2**32 - 1, 3, 0)], 2**64 - 1)
    with Reader(tmp_path / "match.jsonl") as reader:
        assert [frame.hash for frame in reader] == ["f" * 16]


@pytest.mark.parametrize("inputs", [[1.0], [True], ["1"], [2**63], [None], [[[1]]]])
def test_inputs_that_no_log_may_hold_are_refused_and_nothing_is_written(
    tmp_path: Path, inputs: Any
) -> None:
    with SimRecorder(Empty(), tmp_path / "match.jsonl", seed=0) as recorder:
        with pytest.raises(MatchLogError) as caught:
            recorder.record(0, inputs)
        assert caught.value.field.startswith("inputs[0]")
        assert recorder.frames == 0
        recorder.record(0, [1])


def test_the_names_of_a_simulation_are_in_its_log_unless_others_are_given(tmp_path: Path) -> None:
    class Named(Empty):
        names = Names({0: "ball"}, {3: "red"})

    for names, expected in ((None, {3: "red"}), (Names(ids={2: "blue"}), {2: "blue"})):
        path = tmp_path / "match.jsonl"
        SimRecorder(Named(), path, seed=1, names=names, replace=True).close()
        with Reader(path) as reader:
            assert reader.header.names.ids == expected

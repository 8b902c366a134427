"""Replaying: what a log says is found again, or the first difference is reported; and every other
verdict.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import logs
import model
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from tools import each

from fixsync import Contact, EventKind, Pose, Sphere, World
from fixsync.log.recorder import SimRecorder
from fixsync.log.replay import Compared, Replay, Verdict, exit_code, find_logs, replay
from fixsync.log.schema import Header
from fixsync.match import sim

VECTORS = Path(__file__).parent / "vectors"
DOCUMENTATION = Path(__file__).parent.parent / "docs" / "match-logs.md"

HEAD = logs.header()
FRAMES = logs.model_frames(logs.small_match())


def changed(number: int, **fields: Any) -> list[logs.Frame]:
    """The small match with some fields of one frame changed; None takes a field out."""
    return logs.changed(FRAMES, number, **fields)


def replayed(
    directory: Path, frames: Sequence[logs.Frame], *, footer: bool = True, **head: Any
) -> Any:
    return replay(logs.write(directory / "match.jsonl", logs.header(**head), frames, footer=footer))


# What the log says is found again.


@pytest.mark.parametrize(
    ("name", "frames", "queries"), [("small", 40, 21), ("layers", 40, 21), ("crowd", 30, 16)]
)
def test_the_vectors_of_an_independent_implementation_are_identical(
    name: str, frames: int, queries: int
) -> None:
    result = replay(VECTORS / f"{name}.jsonl")
    assert result.verdict is Verdict.IDENTICAL, result
    assert result.compared == Compared(frames, queries, frames)


@given(
    match=strategies.frames(),
    layers=strategies.layer_pairs(),
    hit_when=strategies.hit_whens(),
    left_out=st.sets(st.tuples(st.integers(0, 5), st.sampled_from(["events", "queries", "hash"]))),
    data=st.data(),
)
@strategies.examples(120)
def test_what_the_model_says_is_found_again_and_what_was_left_out_is_filled_in(
    match: Any,
    layers: Any,
    hit_when: int,
    left_out: set[Any],
    data: st.DataObject,
    tmp_path_factory: Any,
) -> None:
    directory = tmp_path_factory.mktemp("log")
    frames = logs.model_frames(match, hit_when=hit_when, layers=layers)
    hits = sum(event[2] != EventKind.EXIT for frame in frames for event in frame["events"])
    enabled = None if layers is None else sorted({tuple(sorted(pair)) for pair in layers})
    head = logs.header(hit_when=hit_when, layers=enabled)
    known = [
        {key: value for key, value in frame.items() if (frame["frame"], key) not in left_out}
        for frame in frames
    ]
    is_whole = data.draw(st.booleans())
    path = logs.write(directory / "match.jsonl", head, known, footer=is_whole)
    result = replay(path, output=directory / "filled.jsonl")
    compared = Compared(
        sum("events" in frame for frame in known),
        sum(len(frame.get("queries", ())) for frame in known),
        sum("hash" in frame for frame in known),
    )
    verdict = Verdict.IDENTICAL if compared else Verdict.NOTHING_TO_COMPARE
    assert (result.verdict, result.compared) == (
        verdict if is_whole else Verdict.CUT_SHORT,
        compared,
    )
    assert (result.frames, result.hits, result.hash) == (len(frames), hits, frames[-1]["hash"])
    assert (directory / "filled.jsonl").read_bytes() == logs.text_of(head, frames, footer=is_whole)


def test_a_cast_that_no_world_makes_is_not_valid(tmp_path: Path) -> None:
    query = ["query", ["sector", 5, 6, 7], [0, 0, 0], 0, 1]
    cast = ["cast", *query[1:4], [1, 1, 1], 1, 0, 0, 1]
    frames = [{"frame": 0, "commands": [query, ["layers", None], cast]}]
    result = replay(logs.write(tmp_path / "match.jsonl", logs.header(), frames))
    assert result.verdict is Verdict.INVALID
    assert result.error is not None
    assert (result.error.line, result.error.field) == (2, "commands[2]")
    assert "not Sector(radius=5, half_angle=6, half_height=7)" in result.error.reason


def test_a_log_that_tells_nothing_is_not_called_identical(tmp_path: Path) -> None:
    result = replayed(tmp_path, logs.bare(FRAMES))
    assert (result.verdict, result.verdict.exit_code) == (Verdict.NOTHING_TO_COMPARE, 0)
    assert not result.compared


def test_a_match_of_no_frames_is_a_log_with_nothing_to_compare(tmp_path: Path) -> None:
    result = replayed(tmp_path, [])
    assert (result.verdict, result.frames, result.hash) == (Verdict.NOTHING_TO_COMPARE, 0, "")


def test_hits_beyond_the_room_that_a_world_begins_with_are_replayed(tmp_path: Path) -> None:
    frames = logs.model_frames([logs.spheres(40), [["remove", 3]], []], capacity=40)
    result = replayed(tmp_path, frames, capacity=40)
    assert (result.verdict, result.hits) == (Verdict.IDENTICAL, 780 + 741 + 741)


# What the log says is not found again.


ENTER, STAY, TOUCHING, OVERLAPPING = EventKind.ENTER, EventKind.STAY, *list(Contact)[1:]
MOVED = [["move", 2, [18, 0, 0]], FRAMES[2]["commands"][1]]


@pytest.mark.parametrize(
    ("number", "fields", "pair", "expected", "found"),
    [
        (2, {"events": [[1, 2, 2, 1]]}, (1, 2), [(STAY, TOUCHING)], [(STAY, OVERLAPPING)]),
        (0, {"events": [[0, 3, 1, 2]]}, (0, 3), [(ENTER, OVERLAPPING)], []),
        (1, {"events": []}, (1, 2), [], [(ENTER, TOUCHING)]),
        (1, {"events": [], "queries": [[1]], "hash": "0" * 16}, (1, 2), [], [(ENTER, TOUCHING)]),
        (1, {"queries": [[]]}, None, [], [1, 2]),
        (1, {"queries": [[1, 2, 5]]}, None, [1, 2, 5], [1, 2]),
        (1, {"queries": []}, None, None, [1, 2]),
        (1, {"queries": [[1, 2], [3]]}, None, [3], None),
        (3, {"hash": "0123456789abcdef"}, None, "0123456789abcdef", FRAMES[3]["hash"]),
    ],
)
def test_the_first_difference_of_a_frame_is_told(
    tmp_path: Path, number: int, fields: Any, pair: Any, expected: Any, found: Any
) -> None:
    result = replayed(tmp_path, changed(number, **fields))
    difference = result.difference
    assert (result.verdict, result.verdict.exit_code) == (Verdict.DIVERGED, 1)
    assert (result.frames, result.differing_frames) == (len(FRAMES), 1)
    assert (difference.frame, difference.fields) == (number, list(fields))
    assert (difference.pair, difference.expected, difference.found) == (pair, expected, found)
    if list(fields) == ["queries"]:
        index = len(fields["queries"]) - 1 if found is None else 0
        assert difference.query == index
        assert difference.question == (None if index else FRAMES[1]["commands"][1])
        assert result.compared.queries == 4 + index


def test_both_colliders_of_a_pair_whose_events_differ_are_told(tmp_path: Path) -> None:
    colliders = replayed(tmp_path, changed(2, events=[])).difference.colliders
    assert colliders[1].shape == Sphere(10)
    assert colliders[2].pose == Pose(19, 0, 0)
    colliders = replayed(tmp_path, changed(0, events=[[0, 3, 1, 2]])).difference.colliders
    assert colliders == {0: None, 3: None}


def test_events_in_another_order_are_a_difference(tmp_path: Path) -> None:
    frames = logs.model_frames([logs.spheres(3)])
    frames[0]["events"].reverse()
    result = replayed(tmp_path, frames)
    assert (result.verdict, result.difference.pair) == (Verdict.DIVERGED, None)
    assert result.difference.expected == result.difference.found[::-1]


def test_the_first_pair_that_differs_is_told_in_the_order_of_pairs(tmp_path: Path) -> None:
    frames = logs.model_frames([logs.spheres(4)])
    frames[0]["events"] = [e for e in frames[0]["events"] if e[:2] not in ([0, 3], [1, 2])]
    assert replayed(tmp_path, frames).difference.pair == (0, 3)


def test_frames_that_differ_are_counted_and_the_first_is_told(tmp_path: Path) -> None:
    frames = logs.changed(changed(1, hash="0" * 16), 3, hash="1" * 16)
    result = replayed(tmp_path, frames)
    assert (result.difference.frame, result.differing_frames) == (1, 2)
    result = replayed(tmp_path, changed(2, commands=MOVED))
    assert (result.difference.frame, result.difference.fields) == (2, ["hash"])
    assert result.differing_frames == 1  # the next frame moves it again


def test_the_output_of_a_log_that_diverges_has_what_was_computed(tmp_path: Path) -> None:
    path = logs.write(
        tmp_path / "match.jsonl", HEAD, changed(2, events=[[1, 2, 3, 0]], hash="0" * 16)
    )
    assert replay(path, output=tmp_path / "filled.jsonl").verdict is Verdict.DIVERGED
    assert (tmp_path / "filled.jsonl").read_bytes() == logs.text_of(HEAD, FRAMES)


# Logs that are cut short or not valid.


def test_a_cut_log_is_good_so_far_or_has_diverged(tmp_path: Path) -> None:
    text = logs.text_of(HEAD, FRAMES)
    path = tmp_path / "match.jsonl"
    path.write_bytes(text[:-20])
    result = replay(path)
    assert (result.verdict, result.verdict.exit_code, result.frames) == (Verdict.CUT_SHORT, 3, 4)
    assert result.cut == "the last line has no line feed"
    path.write_bytes(logs.text_of(HEAD, changed(2, hash="0" * 16))[:-20])
    result = replay(path)
    assert (result.verdict, result.verdict.exit_code) == (Verdict.DIVERGED, 1)
    assert result.cut


def test_a_log_that_diverges_first_and_is_not_valid_later_is_not_valid(tmp_path: Path) -> None:
    text = logs.text_of(HEAD, changed(1, hash="0" * 16)).replace(b'["turn",5,3]', b'["turn",5,3.0]')
    path = tmp_path / "match.jsonl"
    path.write_bytes(text)
    result = replay(path, output=tmp_path / "filled.jsonl")
    assert (result.verdict, result.verdict.exit_code) == (Verdict.INVALID, 2)
    assert (result.error.line, result.error.field) == (5, "commands[1][2]")
    assert result.difference.frame == 1
    assert [file.name for file in tmp_path.iterdir()] == ["match.jsonl"]


REFUSED = [
    (["add", 1, ["sphere", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True], "taken"),
    (["move", 6, [1, 2, 3]], "0..5"),
    (["pose", 5, [0, 0, 2**31 - 1], 16384], "centre"),
    (["remove", 0], "not in the world"),
]


@each(("command", "reason"), REFUSED)
@each("before", [0, 2])
def test_a_command_that_the_world_refuses_is_told_with_its_place(
    tmp_path: Path, command: Any, reason: str, before: int
) -> None:
    moves = [["move", 1, [n, 0, 0]] for n in range(before)]
    frames = changed(1, commands=[*moves, command, ["move", 1, [0, 0, 0]]])
    result = replayed(tmp_path, frames)
    assert (result.verdict, result.frames, result.hash) == (Verdict.INVALID, 1, "")
    # What is wrong with the id alone is told of it; what is wrong with the world too, of the
    # command.
    place = "[1]" if reason == "0..5" else ""
    assert (result.error.line, result.error.field) == (3, f"commands[{before}]{place}")
    assert reason in result.error.reason
    assert not result.error.reason.startswith("'")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"events": [[1, 6, 1, 2]]}, "events[0][1]"),
        ({"queries": [[6]]}, "queries[0][0]"),
        ({"queries": [[[9, 0, 0, 0, 0]]]}, "queries[0][0][0]"),
    ],
)
def test_ids_that_the_logs_capacity_excludes_are_out_of_range(
    tmp_path: Path, fields: Any, field: str
) -> None:
    result = replayed(tmp_path, changed(1, **fields))
    assert (result.verdict, result.error.line, result.error.field) == (Verdict.INVALID, 3, field)
    assert "not in 0..5" in result.error.reason


def test_a_world_too_large_for_the_memory_is_told_with_its_capacity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: Any, **__: Any) -> World:
        raise MemoryError("a world of capacity 2147483648 needs more than there is")

    monkeypatch.setattr("fixsync.world.world.World.__init__", none_left)
    result = replayed(tmp_path, [], capacity=2**31)
    assert (result.verdict, result.error.line, result.error.field) == (
        Verdict.OUT_OF_MEMORY, 1, "capacity",
    )  # fmt: skip


@pytest.mark.parametrize("form", ["canonical", "spaced"])  # played in blocks, and frame by frame
def test_a_frame_that_needs_too_much_memory_is_told_and_makes_no_log_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    def none_left(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("fixsync._native.world.NativeWorld._make_room", none_left)
    path = tmp_path / "match.jsonl"
    frame = {"frame": 0, "commands": logs.spheres(300)}
    logs.write(path, logs.header(capacity=300), [frame])
    if form == "spaced":
        path.write_bytes(
            path.read_bytes().replace(b'{"frame":0,', b'{ "frame":0,').partition(b'{"frames"')[0]
        )
    result = replay(path)
    assert (result.verdict, result.verdict.exit_code) == (Verdict.OUT_OF_MEMORY, 2)
    assert result.error.reason == "replaying from here on needs more memory than there is"


def test_the_speed_of_a_replay_is_unknown_without_a_header_or_a_time() -> None:
    header = Header(capacity=1, tick_rate=(60000, 1001))
    assert Replay("x", header=header, frames=120, seconds=1.001).speed == pytest.approx(2)
    assert Replay("x", header=header, frames=120).speed == 0
    assert Replay("x", seconds=1.0).speed == 0


def test_a_missing_file_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replay(tmp_path / "none.jsonl")


def test_of_several_logs_2_beats_1_beats_3_beats_0() -> None:
    order = [Verdict.INVALID, Verdict.DIVERGED, Verdict.CUT_SHORT, Verdict.IDENTICAL]
    assert [verdict.exit_code for verdict in order] == [2, 1, 3, 0]
    failed = Verdict.NEEDS_SIMULATION, Verdict.OUT_OF_MEMORY, Verdict.UNREADABLE
    assert {verdict.exit_code for verdict in failed} == {2}
    for i, worst in enumerate(order):
        assert exit_code(order[i:]) == exit_code(order[i:][::-1]) == worst.exit_code
    assert exit_code([Verdict.NOTHING_TO_COMPARE]) == exit_code([]) == 0


def test_folders_stand_for_the_logs_in_them_and_below(tmp_path: Path) -> None:
    below = tmp_path / "logs" / "below"
    below.mkdir(parents=True)
    names = ["b.jsonl", "a.jsonl.gz", "notes.txt", "c.JSONL", "d.jsonl.bak", "below/e.jsonl.xz"]
    for name in names:
        (tmp_path / "logs" / name).write_bytes(b"")
    found = find_logs([tmp_path / "logs", tmp_path / "logs" / "notes.txt"])
    relative = [path.relative_to(tmp_path / "logs").as_posix() for path in found]
    assert relative == ["a.jsonl.gz", "b.jsonl", "below/e.jsonl.xz", "c.JSONL", "notes.txt"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no match logs"):
        find_logs([tmp_path / "empty"])
    with pytest.raises(FileNotFoundError):
        find_logs([tmp_path / "none"])


def test_progress_is_told_and_never_goes_back(tmp_path: Path) -> None:
    bare = [{"frame": n, "commands": []} for n in range(5000)]
    path = logs.write(tmp_path / "match.jsonl", HEAD, bare)
    seen: list[tuple[int, float]] = []
    replay(path, progress=lambda reader: seen.append((reader.frames, reader.progress)))
    assert [frames for frames, _ in seen] == [*range(256, 5000, 256)]
    assert all(0 < part <= 1 for _, part in seen)
    assert seen == sorted(seen)


# Hostile logs: those that are read but make no sense to a world.


def first_refused(match: Any) -> tuple[int, int] | None:
    """Frame and index of the first command that the model refuses."""
    world = model.ModelWorld(6)
    for number, commands in enumerate(match):
        for index, command in enumerate(commands):
            try:
                world.apply(command)
            except (TypeError, ValueError, KeyError):
                return number, index
        world.step()
    return None


@given(
    match=st.lists(st.lists(strategies.wild_commands(), max_size=4), min_size=1, max_size=3),
    footer=st.booleans(),
)
@strategies.examples(200)
def test_any_commands_are_replayed_or_refused_with_a_place(
    match: Any, footer: bool, tmp_path_factory: Any
) -> None:
    frames = [{"frame": n, "commands": commands} for n, commands in enumerate(match)]
    result = replayed(tmp_path_factory.mktemp("log"), frames, footer=footer)
    first = first_refused(match)
    if result.verdict is Verdict.INVALID:
        number = result.error.line - 2
        place = int(result.error.field.partition("[")[2].partition("]")[0])
        # Of several in a frame, the reader may refuse a later one before the world an earlier one.
        assert first is not None
        assert result.frames <= number == first[0]
        assert place >= first[1]
    else:
        assert (result.frames, first) == (len(match), None)
        assert result.verdict is (Verdict.NOTHING_TO_COMPARE if footer else Verdict.CUT_SHORT)


# Logs of simulations.


class Duel(logs.Game):
    """Two spheres on a line; an input moves a player's by so many units."""

    name = "test-duel"

    def __init__(self, seed: int, players: int) -> None:
        if players != 2:
            raise ValueError(f"two play this, not {players}")
        self.players = players
        self.world = World(2)
        self.world.add(0, Sphere(10), Pose(0, 0, 0))
        self.world.add(1, Sphere(10), Pose(int(seed), 0, 0))

    def check_input(self, player: int, value: Any) -> None:
        if not isinstance(value, int):
            raise ValueError(f"one integer, not {value} of player {player}")

    def step(self, inputs: Any) -> Any:
        for id, move in enumerate(inputs):
            self.world.move(id, self.world[id].pose.x + move, 0, 0)
        return self.world.step()


DUEL: dict[str, Any] = {"test-duel": Duel}


def duel_log(path: Path, inputs: Sequence[Any]) -> Path:
    duel = Duel(30, 2)
    with SimRecorder(duel, path, seed=30) as recorder:
        for frame, entry in enumerate(inputs):
            events = duel.step(entry)
            recorder.record(frame, entry, events, duel.world.hash())
    return path


def test_a_log_of_inputs_is_replayed_by_its_simulation(tmp_path: Path) -> None:
    path = duel_log(tmp_path / "match.jsonl", [[5, 0], [5, 0], [1, -1], [-9, 0]])
    result = replay(path, simulations=DUEL)
    assert (result.verdict, result.frames, result.hits) == (Verdict.IDENTICAL, 4, 2)
    assert result.compared == Compared(4, 0, 4)


def test_what_a_log_of_inputs_left_out_is_filled_in(tmp_path: Path) -> None:
    whole = duel_log(tmp_path / "match.jsonl", [[5, 0], [5, 0], [1, -1], [-9, 0]])
    head, *frames = [json.loads(line) for line in whole.read_text().splitlines()[:-1]]
    bare = logs.write(tmp_path / "bare.jsonl", head, logs.bare(frames))
    result = replay(bare, output=tmp_path / "filled.jsonl", simulations=DUEL)
    assert result.verdict is Verdict.NOTHING_TO_COMPARE
    assert (tmp_path / "filled.jsonl").read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("inputs", "head", "line", "field", "reason"),
    [
        ([[5, 0, 1]], {}, 2, "inputs", "two play this, not 3"),
        ([[5, 0], [5]], {}, 3, "inputs", "1 inputs; the first frame has 2"),
        ([[5, 0], [5, [1, 2]]], {}, 3, "inputs", "input of player 1"),
        ([[2**31, 0]], {}, 2, "inputs", "x must be"),
        ([[5, 0]], {"capacity": 3}, 1, "capacity", "3, but test-duel makes a world with 2"),
        ([[5, 0]], {"hit_when": 2}, 1, "hit_when", "2, but test-duel makes a world with 1"),
        ([[5, 0]], {"layers": [[0, 1]]}, 1, "layers", "[(0, 1)], but"),
    ],
)
def test_a_log_that_its_simulation_does_not_take_is_not_valid(
    tmp_path: Path, inputs: Any, head: Any, line: int, field: str, reason: str
) -> None:
    frames = [{"frame": n, "inputs": entry} for n, entry in enumerate(inputs)]
    settings = {"sim": "test-duel", "capacity": 2, "seed": 30, **head}
    path = logs.write(tmp_path / "match.jsonl", logs.header(**settings), frames)
    result = replay(path, simulations=DUEL)
    assert (result.verdict, result.error.line, result.error.field) == (Verdict.INVALID, line, field)
    assert reason in result.error.reason


def test_a_simulation_that_does_not_step_its_world_once_is_told(tmp_path: Path) -> None:
    class Twice(Duel):
        def step(self, inputs: Any) -> Any:
            super().step(inputs)
            return super().step(inputs)

    path = duel_log(tmp_path / "match.jsonl", [[5, 0]])
    result = replay(path, simulations={"test-duel": Twice})  # type: ignore[dict-item]
    assert (result.verdict, result.error.field) == (Verdict.INVALID, "frame")
    assert "at frame 2 after this frame" in result.error.reason


def test_the_state_after_the_last_frame_is_the_one_that_the_vectors_come_with() -> None:
    """The hash of the replayed crowd is that of the saved state beside it."""
    state = (VECTORS / "crowd.last_state.bin").read_bytes()
    assert struct.unpack_from("<I", state, 4) == (30,)
    assert replay(VECTORS / "crowd.jsonl").hash == f"{sim.hash_of(state):016x}"


def test_the_log_in_the_documentation_is_right_and_canonical(tmp_path: Path) -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8").split("```\n")[1].encode()
    (tmp_path / "match.jsonl").write_bytes(text)
    result = replay(tmp_path / "match.jsonl", output=tmp_path / "filled.jsonl")
    assert (result.verdict, result.compared) == (Verdict.IDENTICAL, Compared(2, 1, 2))
    assert (tmp_path / "filled.jsonl").read_bytes() == text
    matches = [json.loads(line)["commands"] for line in text.splitlines()[1:-1]]
    assert logs.text_of(logs.header(capacity=8), logs.model_frames(matches, capacity=8)) == text

"""Why a pair of a log is a hit or not: against the log's own hits, and against the model."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import logs
import model_explain
import pytest
from model_level import LEVEL, LevelWorld, checked_solid
from strategies import rounds, some
from test_cut import log as log
from test_replay_logs import GOLDENS, path_of
from tools import Run, by_default

from fixsync.log import Reader
from fixsync.log.lines import plain
from fixsync.log.pair import CAUSES, PairReport, Party, why
from fixsync.log.spans import add_frame, around, numbered, spans_text
from fixsync.log.watch import Start, Step, watch


class Everything:
    """Explains every pair of every frame."""

    def __init__(self) -> None:
        self.pairs = 0

    def begin(self, start: Start) -> None:
        self.solids = range(LEVEL, LEVEL + len(start.world.level or ()))

    def step(self, step: Step) -> None:
        if step.frame not in some(range(step.frame + 1)):
            return
        hits = {(a, b): contact for a, b, kind, contact in step.events if kind != 3}
        ids = list(step.world)
        for i, a in enumerate(ids):
            for b in (*ids[i + 1 :], *self.solids):
                row = step.world._native.explain(a, b)
                assert (row[0] == 0) == ((a, b) in hits), (step.frame, a, b)
                assert row[0] or row[3] == hits[a, b], (step.frame, a, b)
                self.pairs += 1


@pytest.mark.parametrize("name", GOLDENS)
def test_no_cause_is_given_exactly_where_a_log_has_a_hit(name: str) -> None:
    """Of every pair of every frame; without --release of a few frames."""
    everything = Everything()
    watch(path_of(name), everything)
    assert everything.pairs > 500


# The report of a pair, from the model.


@dataclass
class Expected:
    together: list[Any] = field(default_factory=list)
    hits: list[Any] = field(default_factory=list)
    meet: list[Any] = field(default_factory=list)
    allowed: list[Any] = field(default_factory=list)
    causes: dict[str, list[Any]] = field(default_factory=dict)
    frames: dict[int, model_explain.Explained] = field(default_factory=dict)

    def take(self, frame: int, found: model_explain.Explained) -> None:
        of_shapes = found.why >> 7
        self.frames[frame] = found
        self._add(self.together, frame, True)
        self._add(self.hits, frame, found.why == 0)
        self._add(self.meet, frame, of_shapes == 0)
        self._add(self.allowed, frame, found.why == of_shapes << 7)
        for i, name in enumerate(CAUSES):
            if found.why >> i & 1:
                self._add(self.causes.setdefault(name, []), frame, True)

    def _add(self, spans: list[Any], frame: int, is_so: bool) -> None:
        if is_so and spans and spans[-1][1] == frame - 1:
            spans[-1] = (spans[-1][0], frame)
        elif is_so:
            spans.append((frame, frame))

    @property
    def nearest(self) -> int | None:
        ranked = [
            (found.why & 127 != 0, is_never, found.height if is_never else found.gap, frame)
            for frame, found in self.frames.items()
            for is_never in [found.gap == model_explain.NEVER]
            if found.why
        ]
        return min(ranked)[-1] if ranked else None


def model_of(reader: Any) -> LevelWorld:
    head = reader.header
    solids = [checked_solid(solid.as_tuple()) for solid in head.level or ()]
    return LevelWorld(head.capacity, solids, head.hit_when, head.layers)


def there(world: LevelWorld, id: int) -> bool:
    return id >= LEVEL or id in world.colliders


def expected(path: Path, pairs: list[tuple[int, int]]) -> dict[tuple[int, int], Expected]:
    found = {pair: Expected() for pair in pairs}
    with Reader(path) as reader:
        world = model_of(reader)
        for frame in reader:
            world.play_frame([c for c in plain(frame.commands) if c[0] not in ("query", "cast")])
            for a, b in pairs:
                if there(world, a) and there(world, b):
                    explained = model_explain.explain_in_world(world, a, b)
                    found[a, b].take(frame.frame, explained)
    return found


def beginning(name: str, frames: int, tmp_path: Path) -> Path:
    """The first frames of a log."""
    path = tmp_path / f"{name}.jsonl"
    with Reader(path_of(name)) as reader:
        read = [frame for _, frame in zip(range(frames), reader, strict=False)]
        logs.write_values(path, reader.header, read)
    return path


def check(report: PairReport, model: Expected) -> None:
    assert report.together == model.together
    assert report.hits == model.hits
    assert report.meet == model.meet
    assert report.allowed == model.allowed
    assert report.causes == model.causes
    nearest = model.nearest
    if nearest is None:
        assert report.nearest is None
        return
    assert report.nearest is not None
    assert report.nearest.frame == nearest
    found, at = model.frames[nearest], report.nearest
    never = (None if n == model_explain.NEVER else n for n in (found.planar, found.gap, found.turn))
    assert (at.planar, at.gap, at.turn) == tuple(never)
    assert at.height == found.height
    assert at.why == [name for i, name in enumerate(CAUSES) if found.why >> i & 1]
    assert at.grows == (report.a.id, report.b.id)[found.grows]
    assert at.sector == (None, "beyond", "outside", "hole")[found.sector]
    assert at.contact == ("APART", "TOUCHING", "OVERLAPPING")[found.contact]


@pytest.mark.parametrize("name", by_default(4, [name for name in GOLDENS if name != "crowd"]))
def test_a_pair_is_reported_as_the_model_explains_it(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    path = beginning(name, max(6, len(rounds(30))), tmp_path)
    ids: set[int] = set()
    with Reader(path) as reader:
        solids = len(reader.header.level or ())
        for frame in reader:
            ids |= {command.id for command in frame.commands if hasattr(command, "id")}
    others = [*sorted(ids), *range(LEVEL, LEVEL + solids)]
    pairs = [
        (a, rng.choice([b for b in others if b != a]))
        for a in rng.sample(sorted(ids), min(len(ids), max(3, len(rounds(12)))))
    ]
    for (a, b), model in expected(path, pairs).items():
        check(why(path, str(a), str(b)), model)
        swapped = why(path, str(b), str(a))
        assert (swapped.hits, swapped.meet) == (model.hits, model.meet)


@pytest.mark.full
def test_the_checks_of_a_frame_are_the_spans_around_it() -> None:
    path = path_of("skill_fight")
    with Reader(path) as reader:
        entered = [(f.frame, a, b) for f in reader for a, b, kind, _ in f.events if kind == 1]
    for number, a, b in entered[:: len(entered) // len(rounds(30))]:
        for frame in (max(0, number - 1), number, number + 1):
            report = why(path, str(a), str(b), frame=frame)
            together = [one for one in report.together if one[0] <= frame <= one[1]]
            assert (report.frame is None) == (not together)
            if report.frame is None:
                assert report.checks == []
                continue
            assert {one.cause for one in report.checks if one.holds} == set(report.frame.why)
            for one in report.checks:
                first, last = one.frames
                spans = report.causes.get(one.cause, [])
                holds = [any(x <= f <= y for x, y in spans) for f in range(first - 1, last + 2)]
                assert set(holds[1:-1]) == {one.holds}
                assert together[0][0] == first or holds[0] != one.holds
                assert together[0][1] == last or holds[-1] != one.holds


@pytest.mark.full
def test_a_match_of_a_simulation_is_explained_at_its_steps(log: Path) -> None:
    """The hits are those of the events: what a game changes after its step is not yet there."""
    hits: dict[tuple[int, int], list[tuple[int, int]]] = {}
    with Reader(log) as reader:
        for frame in reader:
            for a, b, kind, _ in frame.events:
                if kind != 3:
                    add_frame(hits.setdefault((a, b), []), frame.frame)
    assert hits
    for a, b in sorted(hits)[:6]:
        assert why(log, str(a), str(b)).hits == hits[a, b]


# The command, names, refusals.

MATCH = [
    [
        ["add", 1, ["sphere", 10], [0, 0, 0], 0, 0, 0, [0, 0, 0], True],
        ["add", 2, ["sector", 30, 8192, 5], [25, 0, 0], 16384, 1, 7, [0, 0, 0], False],
    ],
    [["active", 2, True]],
    [["move", 2, [5, 0, -5]]],
    [["remove", 1]],
]
NAMES = {"layers": {}, "ids": {"1": "body", "2": "sword", "3": "twin", "4": "twin"}}


@pytest.fixture
def match(tmp_path: Path) -> Path:
    head = logs.header(names={"ids": NAMES["ids"]})
    return logs.write(tmp_path / "match.jsonl", head, logs.model_frames(MATCH))


def test_the_command_prints_the_causes_with_their_margins(run: Run, match: Path) -> None:
    code, out, _ = run("why", match, "sword", "body", "--frame", 1)
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0].startswith("sword missed body in frame 1: beside: ")
    assert "sword - body, frame 1: no hit" in lines
    assert "yes sword is active frames 1..2" in lines
    assert "yes the owners differ 7 and none; frames 0..2" in lines
    assert any(line.startswith("no at one height they meet if body were") for line in lines)
    assert "° more to each side; frames 0..1" in out
    assert "hit 2" in lines
    assert "sword is not active 0" in lines


def test_owners_have_the_names_of_the_log(run: Run, tmp_path: Path) -> None:
    head = logs.header(names={"ids": NAMES["ids"]}, meta={"owners": {"7": "Ana"}})
    match = logs.write(tmp_path / "match.jsonl", head, logs.model_frames(MATCH))
    _, out, _ = run("why", match, "sword", "body", "--frame", 1)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "yes the owners differ Ana and none; frames 0..2" in lines
    assert why(match, "1", "2").owners == {7: "Ana"}


def test_the_command_prints_the_report_as_json(run: Run, match: Path) -> None:
    code, out, _ = run("why", match, "1", "sword", "--frame", 3, "--json")
    found = json.loads(out)
    assert (code, found["exit_code"], found["frame"], found["checks"]) == (0, 0, None, [])
    assert (found["a"], found["b"]) == ({"id": 1, "name": "body"}, {"id": 2, "name": "sword"})
    assert (found["frames"], found["together"], found["hits"]) == ([0, 3], [[0, 2]], [[2, 2]])
    assert found["causes"] == {"b_inactive": [[0, 0]], "beside": [[0, 1]]}
    assert found["nearest"]["frame"] == 1
    assert found["nearest"]["sector"] == "outside"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["1", "swor"], "no id of the log has the name 'swor'; similar names: 'sword'"),
        (["1", "twin"], "'twin' is the name of ids 3, 4: give the id"),
        (["1", "6"], "id must be 0..5, not 6"),
        (["1", "solid 0"], "id must be 0..5, not solid 0"),
        (["1", "body"], "A and B are the same id, 1"),
        (["1", "2", "--frame", "4"], "frame must be 0..3, not 4"),
    ],
)
def test_what_a_match_does_not_have_is_refused(
    run: Run, match: Path, arguments: list[str], words: str
) -> None:
    code, out, err = run("why", match, *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())


def test_solids_have_names_of_their_own(run: Run) -> None:
    code, _, err = run("why", path_of("courtyard"), "solid 0", "solid 1")
    assert (code, "are the solids 0 and 1" in err) == (2, True)
    code, out, _ = run("why", path_of("courtyard"), "solid 0", "3", "--json")
    assert json.loads(out)["a"] == {"id": LEVEL, "name": "corner"}
    assert str(Party(LEVEL + 5, None)) == "solid 5"


def test_a_log_without_frames_is_refused(run: Run, tmp_path: Path) -> None:
    path = logs.write(tmp_path / "empty.jsonl", logs.header(), [])
    assert "has no frames" in run("why", path, 0, 1)[2]


def test_spans_are_counted_over_the_end_of_frame_numbers() -> None:
    spans: list[tuple[int, int]] = []
    for frame in (0, 1, 2, 5):
        add_frame(spans, frame)
    assert spans == [(0, 2), (5, 5)]
    assert numbered(spans, 2**32 - 2) == [(2**32 - 2, 0), (3, 3)]
    assert [around(spans, frame, (0, 9)) for frame in (1, 3, 5, 7)] == [
        (True, (0, 2)),
        (False, (3, 4)),
        (True, (5, 5)),
        (False, (6, 9)),
    ]
    assert spans_text(spans) == "0..2, 5"
    assert spans_text([(i, i) for i in range(0, 40, 2)], 3) == "0, 2, 4, and 17 more"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"frame": 0}, "sword missed body in frame 0: {beside}; sword is not active. {near}"),
        ({"frame": 1}, "sword missed body in frame 1: {beside}"),
        ({"frame": 2}, "sword hit body in frame 2"),
        ({"frame": 3}, "sword and body were not both in the world in frame 3, but in frames 0..2"),
        ({}, "sword hit body in frame 2"),
    ],
)
def test_the_summary_is_the_answer(match: Path, arguments: dict[str, Any], sentence: str) -> None:
    beside = why(match, "sword", "body", frame=1).summary.partition(": ")[2]
    assert beside.endswith("° short")
    near = f"The nearest miss is in frame 1: {beside}"
    found = why(match, "sword", "body", **arguments)
    assert found.summary == sentence.format(beside=beside, near=near)

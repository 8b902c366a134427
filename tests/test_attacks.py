"""The attacks of a log: against the definition, followed with the model, frame by frame."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import logs
import model_explain
import pytest
from model_level import LEVEL
from strategies import rounds
from test_cut import log as log
from test_why import beginning, model_of
from tools import Run

from fixsync.log import Reader, SimRecorder
from fixsync.log.attacks import MISSED_MAX, attacks
from fixsync.log.lines import plain
from fixsync.log.pair import CAUSES

NEVER = model_explain.NEVER


def snapshots(path: Path) -> list[dict[str, Any]]:
    """Each step of a log by the model: colliders with the number of their life, and hits; what each
    attack explains of each other is found when it is asked for."""
    found = []
    lives: dict[int, int] = {}
    with Reader(path) as reader:
        world = model_of(reader)
        for frame in reader:
            commands = [c for c in plain(frame.commands) if c[0] not in ("query", "cast")]
            added = set()
            for c in commands:
                if c[0] == "add":
                    lives[c[1]] = lives.get(c[1], -1) + 1
                    added.add((c[1], lives[c[1]]))
            events, _ = world.play_frame(commands)
            rows = {
                (id, lives[id]): (one.shape, one.layer, one.owner, one.active)
                for id, one in world.colliders.items()
            }
            copy = model_of(reader)
            copy.load(world.save())
            found.append(
                {
                    "frame": frame.frame,
                    "rows": rows,
                    "added": added,
                    "hits": {e[:2] for e in map(tuple, events) if e[2] != 3},
                    "world": copy,
                }
            )
    return found


def said(path: Path) -> tuple[set[int], set[int]]:
    """The layers and ids that the log's names call attacks."""
    with Reader(path) as reader:
        names = reader.header.names
    words = {"attack", "attacks", "hitbox", "hitboxes"}
    return tuple(  # type: ignore[return-value]
        {n for n, text in found.items() if words & {*re.split("[^a-z]+", text.lower())}}
        for found in (names.layers, names.ids)
    )


def is_attack(life: tuple[int, int], steps: list[dict[str, Any]], named: Any = None) -> bool:
    if named and any(named):
        layers, ids = named
        rows = [step["rows"][life] for step in steps if life in step["rows"]]
        return bool(rows) and (life[0] in ids or any(row[1] in layers for row in rows))
    if any(life in step["rows"] and not step["rows"][life][3] for step in steps):
        return True
    is_late = any(step["frame"] != 0 and life in step["added"] for step in steps)
    return is_late and (life[1] == 0 or is_attack((life[0], life[1] - 1), steps))


def swings(life: tuple[int, int], steps: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The longest rows of steps in which a life is active."""
    found: list[list[dict[str, Any]]] = []
    was_on = False
    for step in steps:
        is_on = life in step["rows"] and step["rows"][life][3]
        if is_on and not was_on:
            found.append([])
        if is_on:
            found[-1].append(step)
        was_on = is_on
    return found


def nearest(life: Any, other: Any, swing: list[dict[str, Any]]) -> Any:
    """The frame in which a swing came nearest to another collider that it could hit, or None."""
    ranked = []
    could = False
    for step in swing:
        if other not in step["rows"]:
            continue
        shape, layer, owner, _ = step["rows"][life]
        shape_b, layer_b, owner_b, active_b = step["rows"][other]
        if (owner and owner == owner_b) or not step["world"].masks[layer] >> layer_b & 1:
            continue
        if shape[0] == shape_b[0] == "sector" and (shape[4:] or shape_b[4:]):
            continue
        found = model_explain.explain_in_world(step["world"], life[0], other[0])
        could |= active_b or found.why >> 7 == 0
        is_never = found.gap == NEVER
        by = found.height if is_never else found.gap
        ranked.append((found.why & 127 != 0, is_never, by, step["frame"], found))
    if not could:
        return None
    return min(ranked, key=lambda row: row[:4])


def spans(frames: list[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for frame in frames:
        if found and found[-1][1] == frame - 1:
            found[-1][1] = frame
        else:
            found.append([frame, frame])
    return found


def swings_of(path: Path) -> list[dict[str, Any]]:
    """Each swing of each life: its owner, frames, whom it hits in which, and how near it came to the
    others, as (rank, life, frame, explained)."""
    steps = snapshots(path)
    lives = sorted({life for step in steps for life in step["rows"]})
    found = []
    for life in lives:
        if not is_attack(life, steps, said(path)):
            continue
        for swing in swings(life, steps):
            met: dict[Any, list[int]] = {}
            for step in swing:
                for pair in step["hits"]:
                    if life[0] in pair:
                        other = pair[0] + pair[1] - life[0]
                        ids = [one for one in step["rows"] if one[0] == other]
                        met.setdefault(ids[0] if ids else (other, 0), []).append(step["frame"])
            others = {one for step in swing for one in step["rows"]} - {life} - met.keys()
            near = {other: nearest(life, other, swing) for other in others}
            found.append(
                {
                    "parts": [life],
                    "owner": swing[0]["rows"][life][2],
                    "frames": [swing[0]["frame"], swing[-1]["frame"]],
                    "hits": met,
                    "near": {o: (row[:3], row[3], row[4]) for o, row in near.items() if row},
                }
            )
    return sorted(found, key=lambda one: (one["frames"][0], one["parts"]))


def grouped(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, with those of one owner and the same frames as one."""
    groups: dict[Any, dict[str, Any]] = {}
    for one in found:
        key = (one["owner"] or one["parts"][0], *one["frames"])
        if key not in groups:
            groups[key] = one
            continue
        group = groups[key]
        group["parts"] += one["parts"]
        for life, frames in one["hits"].items():
            group["hits"][life] = sorted({*group["hits"].get(life, ()), *frames})
        for life, row in one["near"].items():
            if life not in group["near"] or row[:2] < group["near"][life][:2]:
                group["near"][life] = row
    return sorted(groups.values(), key=lambda one: (one["frames"][0], one["parts"]))


def check(path: Path) -> int:
    report = attacks(path)
    assert report.guess == (not any(said(path)))
    model = grouped(swings_of(path))
    assert [([p.id for p in one.parts], list(one.frames)) for one in report.attacks] == [
        ([id for id, _ in one["parts"]], one["frames"]) for one in model
    ]
    for one, expected in zip(report.attacks, model, strict=True):
        assert one.id == one.parts[0].id
        assert [(hit.id, [list(s) for s in hit.frames]) for hit in one.hits] == [
            (life[0], spans(frames))
            for life, frames in sorted(
                expected["hits"].items(), key=lambda item: (spans(item[1])[0], item[0])
            )
        ]
        near = [(*row[:2], life, row[2]) for life, row in expected["near"].items()]
        missed = [row for row in near if row[2] not in expected["hits"]]
        assert [
            (
                miss.id,
                miss.nearest.frame,
                sum(1 << CAUSES.index(why) for why in miss.nearest.why),
                miss.nearest.gap,
            )
            for miss in one.missed
        ] == [
            (life[0], frame, e.why, None if e.gap == NEVER else e.gap)
            for _, frame, life, e in sorted(missed, key=lambda r: (r[0], r[2]))[:MISSED_MAX]
        ]
    return len(model)


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("skill_fight", 40),
        ("allegiance", 12),
        ("courtyard", 3),
        pytest.param("storms", 2, marks=pytest.mark.full),
    ],
)
def test_attacks_are_those_that_the_model_follows(name: str, frames: int, tmp_path: Path) -> None:
    count = frames * max(1, len(rounds(3)))
    path = beginning(name, count, tmp_path)
    assert check(path) >= (0 if name == "courtyard" else 2)


def sphere(id: int, x: int, owner: int, active: bool, layer: int = 0) -> list[Any]:
    return ["add", id, ["sphere", 10], [x, 0, 0], 0, layer, owner, [0, 0, 0], active]


def written(tmp_path: Path, match: list[Any], **head: Any) -> Path:
    capacity = {"capacity": 6}
    frames = logs.model_frames(match, **capacity)
    return logs.write(tmp_path / "match.jsonl", logs.header(**head), frames)


CASES: dict[str, list[Any]] = {
    "on from the start, then off": [
        [sphere(1, 0, 1, True), sphere(2, 25, 2, True)],
        [["move", 2, [21, 0, 0]]],
        [["active", 1, False]],
        [["active", 1, True], ["move", 2, [19, 0, 0]]],
    ],
    "an id that is used again within a frame": [
        [sphere(1, 0, 1, True), sphere(2, 25, 2, True)],
        [["remove", 1], sphere(1, 3, 1, True)],
        [["remove", 2], sphere(2, 30, 2, True)],
        [["remove", 1], sphere(1, 8, 1, True)],
    ],
    "off and on again within a frame": [
        [sphere(1, 0, 1, True), sphere(2, 25, 2, True)],
        [["active", 1, False], ["active", 1, True]],
        [],
    ],
    "a victim that cannot be hit, and one that could": [
        [sphere(1, 0, 1, False), sphere(2, 15, 2, False), sphere(3, 90, 2, False)],
        [["active", 1, True]],
        [["owner", 2, 1]],
        [["active", 3, True]],
    ],
    "an owner that changes in a swing": [
        [sphere(1, 0, 1, False), sphere(2, 25, 2, True)],
        [["active", 1, True]],
        [["owner", 1, 2]],
        [["owner", 1, 0]],
    ],
    "an attack of two hitboxes, and another of the same owner": [
        [sphere(1, 0, 1, False), sphere(2, 40, 1, False), sphere(3, 9, 1, False)],
        [sphere(4, 25, 2, True), sphere(5, 90, 2, True)],
        [["active", 1, True], ["active", 2, True]],
        [["active", 3, True]],
        [["active", 1, False], ["active", 2, False], ["move", 5, [70, 0, 0]]],
    ],
    "layers that change": [
        [sphere(1, 0, 1, False), sphere(2, 25, 2, True, 1), ["layers", [[0, 0]]]],
        [["active", 1, True]],
        [["layers", None], ["move", 2, [24, 0, 0]]],
        [["layers", [[0, 0]]], ["move", 2, [20, 0, 0]]],
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_a_small_match_has_the_attacks_of_the_definition(case: str, tmp_path: Path) -> None:
    check(written(tmp_path, CASES[case]))


NAMED: dict[str, Any] = {
    "a layer": {"layers": {"0": "hurtbox", "1": "Hitboxes"}},
    "an id": {"ids": {"3": "attack of 1", "1": "attackable"}},
    "both": {"layers": {"1": "p1_attack2"}, "ids": {"2": "hitbox"}},
    "nothing": {"layers": {"0": "attacker", "1": "hit"}},
}


def named(case: str, names: str, tmp_path: Path) -> Path:
    """A case with colliders that change their layers, and with names."""
    match = [
        [sphere(3, 5, 0, True, 1), sphere(4, 9, 2, True), *CASES[case][0]],
        [["layer", 3, 0], ["layer", 4, 1], *CASES[case][1]],
        *CASES[case][2:],
    ]
    match = [[c for c in frame if c[0] != "add" or c[1] not in (3, 4) or c in match[0][:2]]
             for frame in match]  # fmt: skip
    match = [[c for c in frame if c[:2] not in (["active", 3], ["move", 3], ["active", 4])]
             for frame in match]  # fmt: skip
    return written(tmp_path, match, names=NAMED[names])


@pytest.mark.parametrize("names", NAMED)
@pytest.mark.parametrize("case", CASES)
def test_names_of_layers_and_ids_say_what_an_attack_is(
    case: str, names: str, tmp_path: Path
) -> None:
    check(named(case, names, tmp_path))


def test_layers_are_chosen_by_name_or_number(run: Run, tmp_path: Path) -> None:
    match = [[sphere(1, 0, 1, True, 2), sphere(2, 5, 2, False)], [["active", 2, True]]]
    path = written(tmp_path, match, names={"layers": {"0": "hitbox", "2": "blade"}})
    assert [one.id for one in attacks(path).attacks] == [2]
    for chosen in ("blade", "2"):
        assert [one.id for one in attacks(path, layers=[chosen]).attacks] == [1]
    code, _, errors = run("attacks", path, "--attacks", "claw")
    assert code == 2
    assert "--attacks must be a layer's number, 0..31, or its name, not 'claw'" in errors
    assert "a guess: " not in run("attacks", path)[1]
    assert "a guess: " in run("attacks", written(tmp_path, match))[1]


def test_an_attack_has_the_name_of_its_owner(run: Run, tmp_path: Path) -> None:
    match = [[sphere(1, 0, 1, True, 2), sphere(2, 5, 2, False, 2), sphere(3, 9, 0, True, 2)]]
    path = written(
        tmp_path, match, names={"layers": {"2": "hitbox"}}, meta={"owners": {"1": "Ana"}}
    )
    _, out, _ = run("attacks", path)
    rows = [line.split() for line in out.splitlines()[1:3]]
    assert [(row[1], row[2]) for row in rows] == [("Ana", "1"), ("none", "3")]
    assert attacks(path).owners == {1: "Ana"}


def test_a_log_that_begins_in_the_middle_has_the_swings_of_its_frames(tmp_path: Path) -> None:
    from fixsync.log.cut import cut

    whole = written(tmp_path, CASES["on from the start, then off"])
    assert [list(one.frames) for one in attacks(whole).attacks] == [[0, 1], [3, 3]]
    part = tmp_path / "part.jsonl"
    cut(whole, part, 2, 3)
    assert [list(one.frames) for one in attacks(part).attacks] == [[3, 3]]
    cut(whole, part, 0, 1)
    assert attacks(part).attacks == []


def test_a_solid_is_hit_and_never_missed(tmp_path: Path) -> None:
    report = attacks(beginning("courtyard", 20, tmp_path))
    assert not any(miss.id >= LEVEL for one in report.attacks for miss in one.missed)


def test_attacks_of_a_simulation_have_the_names_of_its_phases(log: Path) -> None:
    report = attacks(log)
    with Reader(log) as reader:
        is_game = reader.header.sim is not None
    assert bool(report.attacks) == is_game
    named = {one.attack for one in report.attacks} - {None}
    assert bool(named) == is_game
    assert all(one.attack is None for one in report.attacks if one.owner == 0)
    for one, other in pairwise(report.attacks):
        assert (one.frames[0], one.id) < (other.frames[0], other.id)


def test_the_command_prints_a_row_for_each_attack(run: Run, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        CASES["on from the start, then off"],
        names={"ids": {"1": "fist", "2": "head"}},
    )
    code, out, _ = run("attacks", path)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert lines[1] == (
        "0..1 1 fist - head in 1: beside: they would meet if fist were 0.00002 units thicker"
    )
    assert lines[2] == "3 1 fist head 3 -"
    assert "2 attacks, of which 1 hit" in lines
    assert "attacks that hit nobody, by the gap to the nearest collider: 1 up to 0.125" in lines
    code, out, _ = run("attacks", path, "--json")
    found = json.loads(out)
    assert (code, found["exit_code"], found["frames"], found["cut"]) == (0, 0, [0, 3], None)
    first, second = found["attacks"]
    assert (first["id"], first["name"], first["owner"]) == (1, "fist", 1)
    assert first["missed"][0]["nearest"]["gap"] == 1
    assert second["hits"] == [{"id": 2, "name": "head", "owner": 2, "frames": [[3, 3]]}]


def test_a_log_of_a_simulation_that_is_not_known_is_refused(run: Run, tmp_path: Path) -> None:
    path = logs.write(
        tmp_path / "m.jsonl", logs.header(sim="nobody"), [{"frame": 0, "inputs": [1]}]
    )
    for command in (["attacks", path], ["why", path, "0", "1"]):
        code, out, err = run(*command)
        assert (code, out) == (2, "")
        assert "no simulation is called 'nobody'" in err


def test_a_simulation_that_is_watched_must_not_load_its_world_in_a_frame(tmp_path: Path) -> None:
    from bumpers import Bumpers

    class Loads(Bumpers):
        def step(self, inputs: Any) -> Any:
            self.world.load(self.world.save())
            return super().step(inputs)

    path = tmp_path / "loads.jsonl"
    game = Loads(1, 2)
    with SimRecorder(game, path, seed=1) as recorder:
        for frame in range(3):
            game.step([1, 2])
            recorder.record(frame, [1, 2])
    with pytest.raises(ValueError, match="loads its world while it plays"):
        attacks(path, simulations={"bumpers": Loads})

"""What if a shape were another: against a run of the model with shapes changed by hand."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import logs
import model
import pytest
from model_level import LEVEL
from strategies import rounds
from test_cut import log as log
from test_replay_logs import GOLDENS, path_of
from test_why import beginning, model_of
from tools import Run, by_default, each

from fixsync import Cylinder
from fixsync._native import kernel
from fixsync._native.rows import SHAPE
from fixsync.farm.whatif import Request, answers
from fixsync.log import Reader, replay
from fixsync.log.attacks import attacks
from fixsync.log.diff_hits import diff_hits
from fixsync.log.hits import TwoHits, rows_of
from fixsync.log.lines import plain
from fixsync.log.rematch import rematch
from fixsync.log.schema import SHAPES
from fixsync.log.settings import FIELDS, Geometry, Setting
from fixsync.log.whatif import WhatIf, whatif
from fixsync.peers.faults import faulty
from fixsync.sample.skillfight import SkillFight
from fixsync.sample.skillfight.rules import Layer

ONE = 65536
SIZES = {kind: [name for name, _, _ in sizes] for kind, sizes in model.KINDS.items()}
SIZES["sector"].append("inner_radius")

Alter = Callable[[int, int, Any, Any], tuple[Any, Any]]
"""Of an id, its layer, shape and offset the changed shape and offset."""


# The reference: the model plays the commands, and after those of a frame every collider is given
# its changed shape and offset, computed from what was recorded.


class Altered:
    """A model of the match with changed shapes. What was recorded is kept beside it."""

    def __init__(self, world: Any, alter: Alter) -> None:
        self.world = world
        self.alter = alter
        self.recorded = {id: (one.shape, one.offset) for id, one in world.colliders.items()}

    def play(self, commands: list[Any]) -> set[tuple[int, int]]:
        for command in commands:
            name, *rest = command
            if name in ("query", "cast"):
                continue
            if name == "add":
                self.recorded[rest[0]] = (rest[1], rest[6])
            elif name == "shape":
                self.recorded[rest[0]] = (rest[1], self.recorded[rest[0]][1])
            elif name == "offset":
                self.recorded[rest[0]] = (self.recorded[rest[0]][0], rest[1])
            elif name == "remove":
                del self.recorded[rest[0]]
            self.world.apply(command)
        self.bring_up()
        events = self.world.step()
        return {(a, b) for a, b, kind, _ in events if kind != 3}

    def bring_up(self) -> None:
        for id, (shape, offset) in self.recorded.items():
            shape, offset = self.alter(id, self.world.colliders[id].layer, shape, offset)
            self.world.apply(["shape", id, shape])
            self.world.apply(["offset", id, offset])


def frames_of(path: Path, alter: Alter | None) -> list[set[tuple[int, int]]]:
    """The pairs that hit in each frame: recorded, or with changed shapes."""
    with Reader(path) as reader:
        if alter is None:
            return [{e[:2] for e in frame.events if e[2] != 3} for frame in reader]
        world: Any = model_of(reader)
        if reader.header.level is None:
            head = reader.header
            world = model.ModelWorld(head.capacity, head.hit_when, head.layers)
        if reader.header.start is not None:
            world.load(reader.header.start.state)
        altered = Altered(world, alter)
        altered.bring_up()
        return [altered.play(plain(frame.commands)) for frame in reader]


def only(frames: list[set[tuple[int, int]]], others: list[set[tuple[int, int]]]) -> Any:
    """(frame, a, b) of hits in one of two runs alone."""
    return sorted(
        (i, *pair)
        for i, (one, other) in enumerate(zip(frames, others, strict=True))
        for pair in one - other
    )


def of_rows(found: WhatIf, first_frame: int) -> tuple[Any, Any]:
    """(frame, a, b) of the frames that the rows gain, and of those that they lose."""
    gained, lost = set(), set()
    for row in found.rows:
        frames = [
            {f - first_frame for a, b in spans for f in range(a, b + 1)}
            for spans in (row.first, row.second)
        ]
        assert frames[0] != frames[1]
        assert row.frame - first_frame == min(frames[0] ^ frames[1])
        lost |= {(f, row.a.id, row.b.id) for f in frames[0] - frames[1]}
        gained |= {(f, row.a.id, row.b.id) for f in frames[1] - frames[0]}
        assert row.change == {
            (False, True): "gained",
            (True, False): "lost",
        }.get(
            (bool(frames[0]), bool(frames[1])),
            "longer" if frames[0] < frames[1] else "shorter" if frames[1] < frames[0] else "moved",
        )
    return sorted(gained), sorted(lost)


def check(path: Path, settings: list[str], alter: Alter) -> WhatIf:
    found = whatif(path, settings)
    recorded, changed = frames_of(path, None), frames_of(path, alter)
    first = 0 if found.frames is None else found.frames[0]
    assert of_rows(found, first) == (only(changed, recorded), only(recorded, changed))
    assert found.totals.frames == (sum(map(len, recorded)), sum(map(len, changed)))
    assert [row.frame for row in found.rows] == sorted(row.frame for row in found.rows)
    return found


def grown(field: str, change: Callable[[int], int], chosen: Callable[[int, int], bool]) -> Alter:
    """A field changed where a shape has it."""

    def alter(id: int, layer: int, shape: Any, offset: Any) -> tuple[Any, Any]:
        kind, *sizes = shape
        if not chosen(id, layer):
            return shape, offset
        if field in SIZES[kind]:
            at = SIZES[kind].index(field)
            sizes += [0] * (len(SIZES[kind]) - len(sizes))
            sizes[at] = change(sizes[at])
            if kind == "sector" and sizes[3] == 0:
                sizes.pop()
        return (kind, *sizes), offset

    return alter


def everyone(_id: int, _layer: int) -> bool:
    return True


@pytest.mark.parametrize("name", GOLDENS)
def test_without_a_change_no_hit_differs(name: str) -> None:
    for settings in ([], ["layer *.radius += 0"]):
        found = whatif(path_of(name), settings)
        assert found.rows == []
        assert found.attacks == []
        assert found.totals.hits[0] == found.totals.hits[1] > 0
        assert found.totals.frames[0] == found.totals.frames[1]


PERCENT = [("radius", 10), ("half_x", -30), ("half_height", 25)]


def changes_of(name: str) -> list[tuple[list[str], Alter]]:
    """Settings for a log, and what they do."""
    if name == "edges":  # the largest sizes are there: they cannot grow
        return [(["layer *.half_height = 7r"], grown("half_height", lambda _: 7, everyone))]
    found: list[tuple[list[str], Alter]] = []
    for field, percent in PERCENT:
        factor = Fraction(100 + percent, 100)
        found.append(
            (
                [f"layer *.{field} += {percent}%"],
                grown(field, lambda v, f=factor: round(v * f), everyone),  # type: ignore[misc]
            )
        )
    found.append((["layer 0.half_y = 2"], grown("half_y", lambda _: 2 * ONE, lambda _, n: n == 0)))
    found.append(
        (["1.radius += 0.5"], grown("radius", lambda v: v + ONE // 2, lambda i, _: i == 1))
    )
    return found


# The model takes a tenth of a second for a frame of many colliders.
BEGINNINGS = [("skill_fight", 12), ("grazes", 12)]
MANY = max(10, len(rounds(30)))
BEGINNINGS += [(name, MANY if name in ("crowd", "storms") else 100) for name in GOLDENS]


@pytest.mark.parametrize(("name", "frames"), by_default(2, BEGINNINGS, are_rows=True))
def test_the_hits_gained_and_lost_are_those_of_the_model(
    name: str, frames: int, tmp_path: Path
) -> None:
    path, rows = beginning(name, frames, tmp_path), 0
    for settings, alter in changes_of(name):
        rows += len(check(path, settings, alter).rows)
    assert rows or frames == 12


# Small matches: commands in mid-match, ids that are used again, a state to begin with.


def add(id: int, shape: list[Any], x: int, layer: int = 0, **more: Any) -> list[Any]:
    offset = more.get("offset", [0, 0, 0])
    return ["add", id, shape, [x, 0, 0], 0, layer, more.get("owner", 0), offset, True]


MATCH = [
    [add(1, ["sphere", 10], 0), add(2, ["sphere", 10], 22), add(3, ["box", 5, 5, 5], 500, 1)],
    [["shape", 1, ["sphere", 11]]],
    [["shape", 1, ["capsule", 4, 9]]],
    [["remove", 1], add(1, ["sphere", 12], -3)],
    [["layer", 2, 1]],
    [["offset", 2, [-4, 0, 0]], ["layer", 1, 1]],
    [["layer", 1, 0], ["remove", 2], add(2, ["sphere", 3], 19)],
    [["move", 2, [16, 0, 0]], ["move", 3, [8, 0, 0]], ["turn", 3, 16384]],
    [["remove", 3], add(3, ["box", 2, 2, 2], 16, 0, offset=[3, 0, 0])],
    [["shape", 3, ["box", 1, 2, 2]], ["offset", 3, [-3, 0, 0]]],
]
NAMES = {"layers": {"0": "body", "1": "blade"}, "ids": {"1": "P0 torso", "2": "P1 torso"}}
TWICE: dict[str, tuple[list[str], Alter]] = {
    "of an id": (["1.radius += 3r"], grown("radius", lambda v: v + 3, lambda id, _: id == 1)),
    "of names": (["P? torso.radius *= 1".replace("*=", "+=").replace("1", "2r")],
     grown("radius", lambda v: v + 2, lambda id, _: id in (1, 2))),
    "of a layer that colliders join and leave": (["layer body.radius += 50%"],
     grown("radius", lambda v: round(Fraction(3 * v, 2)), lambda _, layer: layer == 0)),
    "of a layer by its number": (["layer 1.radius = 1r"],
     grown("radius", lambda _: 1, lambda _, layer: layer == 1)),
}  # fmt: skip


def small(tmp_path: Path, match: list[Any] = MATCH, **head: Any) -> Path:
    frames = logs.model_frames(match)
    return logs.write(tmp_path / "match.jsonl", logs.header(names=NAMES, **head), frames)


@pytest.mark.parametrize("which", TWICE)
def test_changes_hold_for_every_command_that_sets_a_shape(which: str, tmp_path: Path) -> None:
    settings, alter = TWICE[which]
    assert check(small(tmp_path), settings, alter).rows


@pytest.mark.parametrize("skipped", [1, 4, 7])
def test_a_log_that_begins_with_a_state_changes_that_state(skipped: int, tmp_path: Path) -> None:
    path = tmp_path / "part.jsonl"
    path.write_bytes(logs.model_log(MATCH, None, 1, skipped))
    check(path, ["layer *.radius += 3r"], grown("radius", lambda v: v + 3, everyone))


def test_reach_holds_for_a_shape_and_an_offset_that_change_later(tmp_path: Path) -> None:
    match = [
        [add(1, ["box", 10, 5, 5], 0, offset=[10, 0, 0]), add(2, ["sphere", 3], 26)],
        [["shape", 1, ["box", 6, 5, 5]], ["move", 2, [28, 0, 0]]],  # beyond 24
        [["offset", 1, [-30, 0, 0]], ["move", 2, [-57, 0, 0]]],  # at -54
        [["move", 2, [2, 0, 0]]],
        [["move", 2, [1, 0, 0]]],
    ]
    by_half = only_of(1, reach(lambda front: round(Fraction(front, 2))))
    assert check(small(tmp_path, match), ["1.reach += 50%"], by_half).rows


def only_of(id: int, alter: Alter) -> Alter:
    def one(own: int, layer: int, shape: Any, offset: Any) -> tuple[Any, Any]:
        return alter(own, layer, shape, offset) if own == id else (shape, offset)

    return one


def test_hits_that_follow_each_other_at_once_are_one_row() -> None:
    enter, stay, leave = (1, 2, 1, 2), (1, 2, 2, 2), (1, 2, 3, 0)
    two = TwoHits()
    for first, second in (
        ([], []),
        ([enter], []),
        ([stay], []),
        ([leave], [enter]),
        ([], [stay]),
        ([], [leave]),
    ):
        two.take(first, second)
    (row,) = rows_of(two, {}, 100)
    assert (row.frame, row.change, row.first, row.second) == (
        *(101, "moved"),
        *([(101, 102)], [(103, 104)]),
    )


def reach(change: Callable[[int], int]) -> Alter:
    """The front moves, the back stays; a sector has its back at its pose."""

    def alter(_id: int, _layer: int, shape: Any, offset: Any) -> tuple[Any, Any]:
        kind, size, *rest = shape
        x, y, z = offset
        by = change((-1 if x < 0 else 1) * x + size)
        if kind == "sector":
            return (kind, size + by, *rest), offset
        new = round(Fraction(2 * size + by, 2))
        front = (-1 if x < 0 else 1) * x + size + by
        return (kind, new, *rest), ((-1 if x < 0 else 1) * (front - new), y, z)

    return alter


@pytest.mark.parametrize("by", [4, 7, -2])
def test_reach_moves_the_front_and_keeps_the_back(by: int, tmp_path: Path) -> None:
    match = [
        [
            add(1, ["box", 10, 5, 5], 0, offset=[10, 0, 0]),
            add(2, ["sphere", 3], 25),
            add(3, ["box", 10, 5, 5], 0, offset=[-10, 0, 0]),
            add(4, ["sphere", 2], -24),
            add(5, ["sector", 20, 8000, 5], 0, owner=4),
        ],
        *[[["move", 2, [25 + i, 0, 0]], ["move", 4, [-24 - i, 0, 0]]] for i in range(5)],
    ]
    check(small(tmp_path, match), [f"layer *.reach += {by}r"], reach(lambda _: by))
    box = Setting(f"1.reach += {by}r")
    with Reader(small(tmp_path, match)) as reader:
        shape = next(iter(reader)).commands[0].shape
    made = box.changed((shape, (10, 0, 0)))  # type: ignore[arg-type]
    assert made is not None
    assert made.offset[0] + made.shape.half_x == 20 + by
    assert abs(made.offset[0] - made.shape.half_x) <= 1


@pytest.mark.parametrize(("side", "far", "near"), [(1, 866, 500), (-1, 500, 866)])
def test_reach_is_that_of_the_corners(
    side: int, far: int, near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a triangle, which reaches 0.866 of its first size in +x, and half of it in -x."""

    def triangle(shape: bytes, _pose: bytes, _segments: int) -> Any:
        size = SHAPE.unpack(shape)[2]
        ahead, behind = size * 866 // 1000, -size * 500 // 1000
        return [(ahead, 0), (behind, size), (behind, -size)], [], 0, 0

    monkeypatch.setattr(kernel, "outline", triangle)
    at = 300 * side
    geometry = Geometry(SHAPES["box"](10000, 5, 5), (at, 0, 0))
    made = Setting("1.reach += 1366r").changed(geometry)
    assert made is not None
    size, ox = made.shape.half_x, made.offset[0]
    assert size == 11000
    assert side * ox + size * far // 1000 == 300 + 10 * far + 1366
    assert side * ox - size * near // 1000 == 300 - 10 * near


@pytest.mark.parametrize("what", ["none", "some", "wrong"])
def test_the_events_of_a_log_make_no_difference(what: str, tmp_path: Path) -> None:
    path = small(tmp_path)
    expected = whatif(path, ["1.radius += 3r"])
    frames = [json.loads(line) for line in path.read_text().splitlines()[1:-1]]
    for i, frame in enumerate(frames):
        if what == "none" or (what == "some" and i > 3):
            del frame["events"]
        elif what == "wrong" and i == 5:
            frame["events"] = [[0, 1, 2, 2], *frame["events"]]  # a STAY that never began
    logs.write(path, logs.header(names=NAMES), frames)
    found = whatif(path, ["1.radius += 3r"])
    assert found.rows
    assert (found.rows, found.totals) == (expected.rows, expected.totals)


def test_a_match_of_a_simulation_is_changed_as_its_trace_is(log: Path, tmp_path: Path) -> None:
    """The part of a simulation's match that its world saw, recorded as a trace, has the same rows."""
    settings = ["layer *.radius += 20%"]
    found = whatif(log, settings)
    assert found.rows
    changed = tmp_path / "changed.jsonl"
    whatif(log, settings, output=changed)
    result = replay(changed)
    assert result.verdict.value == "identical"
    assert result.hits == found.totals.frames[1]


# Settings.


@each(
    ("text", "recorded", "expected"),
    [
        ("x.radius += 10%", 196608, 216269),
        ("x.radius -= 10%", 10, 9),
        ("x.radius = 110%", 15, 16),
        ("x.radius += 50%", 1, 2),
        ("x.radius += 50%", 5, 8),
        ("x.radius += 50%", 3, 4),
        ("x.radius = 1.5", 3, 98304),
        ("x.radius -= 0.5", 65536, 32768),
        ("x.radius=12r", 3, 12),
        ("x.ox += -2r", 3, 1),
        ("x.half_angle = 90deg", 3, 16384),
        ("x.half_angle += 12deg", 1000, 3185),
        ("x.half_angle += 12°", 1000, 3185),
        ("x.half_angle -= 3r", 1000, 997),
        ("a.b c.radius = 1r", 5, 1),
    ],
)
def test_a_value_is_rounded_to_the_nearest(text: str, recorded: int, expected: int) -> None:
    assert Setting(text).value(recorded) == expected


@each(
    ("text", "words"),
    [
        ("radius += 1", "is not a setting"),
        ("x.radius", "is not a setting"),
        ("x.radius += one", "is not a setting"),
        ("x.radius += 1.2.3", "'1.2.3' is not a number"),
        ("x.size += 1", "'size' is not one of radius, half_height"),
        ("x.half_angle += 10", "an angle needs deg, % or r"),
        ("x.radius += 10deg", "not 'deg'"),
        ("x.radius += 10m", "not 'm'"),
        ("x.radius += 1.5r", "raw units are whole numbers, not 1.5"),
        ("solid 3.radius += 1", "a solid of a level cannot be changed"),
        (f"{LEVEL}.radius += 1", "a solid of a level cannot be changed"),
    ],
)
def test_a_setting_that_is_wrong_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        Setting(text)


def test_every_size_of_every_shape_can_be_set() -> None:
    assert set(FIELDS) == {name for names in SIZES.values() for name in names} | {
        *("ox", "oy", "oz", "reach")
    }


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("P0 torso.radius = 9000", "'P0 torso' (id 1), frame 0: radius must be 1..536870911"),
        ("2.radius -= 100%", "'P1 torso' (id 2), frame 0: radius must be 1..536870911"),
        ("1.ox = 40000", "frame 0: ox must be -2147483648..2147483647"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(setting: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        whatif(small(tmp_path), [setting])
    assert str(caught.value).startswith(setting)
    assert words in str(caught.value)


def test_a_centre_out_of_range_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    match = [[add(1, ["sphere", 10], 0)], [["move", 1, [2**31 - 5, 0, 0]]]]
    out = tmp_path / "out.jsonl"
    with pytest.raises(ValueError, match="frame 1, with the settings"):
        whatif(small(tmp_path, match), ["1.ox += 9r"], output=out)
    assert not out.exists()


def test_a_log_that_is_itself_wrong_is_refused_as_such(tmp_path: Path) -> None:
    frames = [{"frame": 0, "commands": [["move", 1, [0, 0, 0]]], "events": [], "queries": []}]
    path = logs.write(tmp_path / "bad.jsonl", logs.header(), frames)
    with pytest.raises(ValueError, match=r"line 2, commands\[0\]"):
        whatif(path, ["1.radius += 1"])


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("P9*.radius += 1", "no collider is selected; names: P0 torso, P1 torso"),
        ("layer sword.radius += 1", "no collider is selected; layers with names: blade, body"),
        ("3.radius += 1", "no selected shape has radius: a box has half_x, half_y, half_z"),
        ("1.radius += 0", "every value stays as it is"),
        ("2.radius += 1%", "every value stays as it is"),
    ],
)
def test_a_change_that_nothing_uses_is_a_warning(setting: str, words: str, tmp_path: Path) -> None:
    found = whatif(small(tmp_path), [setting])
    assert found.rows == []
    assert found.warnings == [f"{setting}: {words}"]


@pytest.mark.full
def test_a_change_that_selects_nothing_of_any_log_is_an_error_of_the_command(
    tmp_path: Path, run: Run
) -> None:
    path, out = small(tmp_path), tmp_path / "changed.jsonl"
    out.write_text("kept")
    for arguments in ((path,), (path, path_of("grazes")), (path, "-o", out)):
        code, said, err = run("whatif", *arguments, "--set", "P9*.radius += 1")
        assert (code, said) == (2, "")
        assert "P9*.radius += 1: no collider is selected; names: P0 torso, P1 torso" in err
    assert out.read_text() == "kept"
    code, said, _ = run("whatif", path, path_of("grazes"), "--set", " P0*.radius += 1 ")
    assert (code, "no collider is selected" in said) == (0, True)


# What is not known.


def test_a_changed_collider_that_is_no_attack_is_a_warning(tmp_path: Path) -> None:
    match: list[list[Any]] = [[add(id, ["sphere", 10], 30 * id) for id in range(5)]]
    match[0].append(add(5, ["sector", 9, 9, 9], 900))
    every = [f"{id}.radius += 1r" for id in range(6)]
    for settings, named in ((every[1:2], "where P0 torso would"), (every, "and 1 more would")):
        (warning,) = whatif(small(tmp_path, match), settings).warnings
        assert warning.startswith("movement is as recorded: ")
        assert named in warning
    assert whatif(small(tmp_path, match), every[5:]).warnings == []
    match.append([["active", 1, False]])
    assert whatif(small(tmp_path, match), every[1:2]).warnings == []


def test_answers_that_differ_are_counted() -> None:
    found = whatif(path_of("dashes"), ["layer *.radius += 5%"])
    assert any("answers to queries and casts" in warning for warning in found.warnings)


# Another simulation.


def sim_log(tmp_path: Path, frames: int = 120) -> Path:
    path = tmp_path / "inputs.jsonl"
    logs.skill_fight(path, frames)
    return path


@pytest.mark.parametrize(
    ("chosen", "word"),
    by_default(
        2,
        [("ATTACK", "skill"), ("", "skill|bite"), ("BITE", "bite"), ("SHOT", "shot")],
        are_rows=True,
    ),
)
def test_attacks_are_those_of_the_list_of_attacks(tmp_path: Path, chosen: str, word: str) -> None:
    """Also of a trace, and of another simulation."""
    path, trace = sim_log(tmp_path), tmp_path / "trace.jsonl"
    layers = [str(int(Layer[chosen]))] if chosen else []
    whatif(path, ["layer *.radius += 1r"], output=trace)
    for one_log in (path, trace):
        listed = attacks(one_log, layers=layers)
        known = {part.id for swing in listed.attacks for part in swing.parts}
        found = whatif(one_log, ["layer *.radius += 50%"], layers=layers)
        hitting = {one.id for row in found.rows for one in (row.a, row.b)}
        named = {one.attack.id for one in found.attacks}
        assert named <= known & hitting
        if chosen:  # attacks of one layer do not meet
            assert named == known & hitting
        assert (found.guess, listed.guess) == (False, False)
    other = rematch(path, Larger, layers=layers)
    assert other.rows
    assert all(re.match(f"({word}) ", str(one.attack)) for one in other.attacks)
    assert not other.guess


def test_the_same_simulation_goes_the_same_way(tmp_path: Path) -> None:
    found = rematch(sim_log(tmp_path), SkillFight, old=SkillFight)
    assert found.rows == []
    assert found.other is not None
    assert {way.what for way in found.other.ways} == {"part", "hit", "state", "game"}
    assert all(way.frame is None for way in found.other.ways)
    assert found.other.since is None


def test_a_planted_difference_of_the_state_is_found_in_its_frame(tmp_path: Path) -> None:
    found = rematch(sim_log(tmp_path), faulty("unit", frame=30), old=SkillFight)
    assert found.other is not None
    ways = {way.what: way for way in found.other.ways}
    assert ways["state"].frame == 30
    assert "x" in ways["state"].text
    assert ways["part"].frame is None
    assert found.other.since == 30


class Larger(SkillFight):
    """The same game, whose players become larger in frame 20."""

    def step(self, inputs: Any) -> Any:
        if self.world.frame == 20:
            for id in (0, 1):
                radius, half_height = self.world[id].shape.as_tuple()[1:]
                self.world.set_shape(id, Cylinder(radius + 6000, half_height))
        return super().step(inputs)


def test_shapes_alone_are_no_other_state(tmp_path: Path) -> None:
    path = sim_log(tmp_path, 60)
    found = rematch(path, Larger, old=SkillFight)
    assert found.other is not None
    ways = {way.what: way for way in found.other.ways}
    frames = [way.frame for way in ways.values() if way.frame is not None]
    assert frames
    assert all(frame > 25 for frame in frames)
    alone = rematch(path, Larger)
    assert alone.other is not None
    assert [row.frame for row in alone.rows] == [row.frame for row in found.rows]
    assert "state" not in {way.what for way in alone.other.ways}


def test_a_trace_has_no_inputs_to_play_again(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a trace"):
        rematch(small(tmp_path), SkillFight)


# All hits of two logs.


def edited(path: Path, change: Callable[[int, list[Any]], list[Any] | None], target: Path) -> Path:
    """A log with other events; None takes them out."""
    lines = path.read_text().splitlines()
    frames = [json.loads(line) for line in lines[1:-1]]
    for frame in frames:
        events = change(frame["frame"], frame.pop("events"))
        if events is not None:
            frame["events"] = events
    return logs.write(target, json.loads(lines[0]), frames)


def test_an_error_in_one_of_several_logs_names_it_once(tmp_path: Path, run: Run) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("{}\n")
    code, said, _ = run("whatif", small(tmp_path), wrong, "--set", "1.radius += 3r")
    assert (code, said.count(str(wrong))) == (2, 1)


@pytest.mark.skipif(os.name != "posix", reason="pipes with names")
def test_an_error_ends_the_processes_that_are_in_the_middle_of_a_log(tmp_path: Path) -> None:
    never = tmp_path / "never.jsonl"  # whoever reads it waits
    os.mkfifo(never)
    asked = [Request(str(log), ["1.radius += 3r"], [], None) for log in (small(tmp_path), never)]

    def said() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        answers(asked, said)


def test_the_hits_of_two_logs_differ_as_whatif_says(tmp_path: Path) -> None:
    changed = tmp_path / "changed.jsonl"
    for name in ("skill_fight", "storms", "courtyard"):
        expected = whatif(path_of(name), ["layer *.radius += 3%"], output=changed)
        found = diff_hits(path_of(name), changed)
        assert expected.rows
        assert found.rows == expected.rows
        assert found.totals.frames == expected.totals.frames
        recorded, other = frames_of(path_of(name), None), frames_of(changed, None)
        frames = {f for a, b in found.differing for f in range(a, b + 1)}
        assert frames == {
            i for i, pair in enumerate(zip(recorded, other, strict=True)) if pair[0] != pair[1]
        }


def test_a_planted_hit_of_one_frame_is_found(tmp_path: Path) -> None:
    path = small(tmp_path)
    for frame in range(1, len(MATCH)):
        planted = edited(
            path,
            lambda number, events, frame=frame: (  # type: ignore[misc]
                [*events, [3, 5, 2, 2]] if number == frame else events
            ),
            tmp_path / "planted.jsonl",
        )
        (row,) = diff_hits(path, planted).rows
        assert (row.frame, row.change, row.a.id, row.b.id) == (frame, "gained", 3, 5)
        assert (row.first, row.second) == ([], [(frame, frame)])
        (row,) = diff_hits(planted, path).rows
        assert row.change == "lost"


def test_hits_of_a_log_without_events_are_computed(tmp_path: Path) -> None:
    path = small(tmp_path)
    bare = edited(path, lambda _, __: None, tmp_path / "bare.jsonl")
    assert diff_hits(path, bare).differing == []
    unknown = logs.write(
        tmp_path / "unknown.jsonl", logs.header(sim="nobody"), [{"frame": 0, "inputs": [1]}]
    )
    with pytest.raises(ValueError, match="no simulation is called 'nobody'"):
        diff_hits(path, unknown)


def test_a_log_that_begins_later_is_compared_from_there(tmp_path: Path) -> None:
    path, part = small(tmp_path), tmp_path / "part.jsonl"
    part.write_bytes(logs.model_log(MATCH, None, 1, 4))
    for pair in ((path, part), (part, path)):
        found = diff_hits(*pair)
        assert (found.frames, found.rows, found.differing) == ((4, len(MATCH) - 1), [], [])
        assert found.notes == [f"not compared: frames only in {path} (frames: 4)"]


def test_the_command_lists_the_hits_that_differ(run: Run, tmp_path: Path) -> None:
    path = small(tmp_path)
    planted = edited(
        path, lambda n, e: [*e, [3, 5, 2, 2]] if n == 2 else e, tmp_path / "planted.jsonl"
    )
    code, out, _ = run("diff", "--events", path, planted)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 1
    assert "2 gained 3 - 5 2" in lines
    assert "frames whose hits differ: 2" in lines
    code, out, _ = run("diff", "--events", path, path, "--json")
    found = json.loads(out)
    assert (code, found["exit_code"], found["rows"], found["differing"]) == (0, 0, [], [])


# The command.


def test_layers_of_attacks_are_chosen_and_a_guess_is_called_one(run: Run) -> None:
    path = path_of("skill_fight")
    arguments = "whatif", path, "--set", "slash.radius += 10%"
    assert "\na guess: " in run(*arguments)[1]
    _, out, _ = run(*arguments, "--attacks", "sword")
    assert "a guess" not in out
    assert re.search("^slash +18 -> 19", out, re.M)
    _, out, _ = run(*arguments, "--attacks", "3")
    assert not re.search("^slash +18 -> 19", out, re.M)
    code, _, errors = run(*arguments, "--attacks", "claw")
    assert code == 2
    assert "--attacks must be a layer's number, 0..31, or its name, not 'claw'" in errors


def test_the_command_prints_json(run: Run) -> None:
    path = path_of("skill_fight")
    code, out, _ = run("whatif", path, "--set", "slash.radius += 10%", "--json")
    found = json.loads(out)
    (one,) = found["logs"]
    assert (code, found["exit_code"], one["error"], one["frames"]) == (0, 0, None, [0, 599])
    assert one["rows"] == [
        {
            "frame": 567,
            "change": "gained",
            "a": {"id": 1, "name": "slash"},
            "b": {"id": 14, "name": None},
            "first": [],
            "second": [[567, 567]],
            "link": "#frame=567&id=1&why=14",
        }
    ]
    assert one["settings"] == [
        {"text": "slash.radius += 10%", "altered": [[1, "radius", 196608, 216269]]}
    ]
    assert found["totals"] == one["totals"]
    assert found["attacks"]["slash"]["gained"] == 1


def test_the_example_of_the_documentation_is_what_the_command_prints(run: Run) -> None:
    page = (path_of("skill_fight").parent.parent / "docs" / "balance.md").read_text()
    command, output = re.findall(r"```(?:sh|text)\n(.*?)```", page, re.DOTALL)[1:3]
    name, log, *arguments = shlex.split(command.replace("\\\n", ""))[1:]
    path = path_of("skill_fight")
    _, out, _ = run(name, path, *arguments)
    assert out.replace(str(path), log) == output


@pytest.mark.full
def test_several_logs_are_summed_and_a_bad_one_is_named(run: Run, tmp_path: Path) -> None:
    for name in ("skill_fight", "turned"):
        (tmp_path / path_of(name).name).write_bytes(path_of(name).read_bytes())
    (tmp_path / "bad.jsonl").write_text("{}\n")
    code, out, _ = run("whatif", tmp_path, "--set", "1.radius += 10%", "--json")
    found = json.loads(out)
    errors = [Path(one["log"]).name for one in found["logs"] if one["error"]]
    assert (code, found["exit_code"], errors) == (2, 2, ["bad.jsonl"])
    alone = [whatif(path_of(name), ["1.radius += 10%"]) for name in ("skill_fight", "turned")]
    assert found["totals"]["gained"] == sum(one.totals.gained for one in alone)
    assert [len(one["rows"]) for one in found["logs"] if not one["error"]] == [
        len(one.rows) for one in alone
    ]
    code, out, _ = run("whatif", tmp_path, "--set", "1.radius += 10%")
    assert code == 2
    assert "bad.jsonl" in out.splitlines()[-1]


def test_the_command_plays_another_simulation(run: Run, tmp_path: Path) -> None:
    path = sim_log(tmp_path, 40)
    code, out, _ = run("whatif", path, "--sim", "fixsync.sample.skillfight:SkillFight")
    lines = [line.strip() for line in out.splitlines()]
    assert code == 0
    assert "first part that is on or off: the same" in lines
    assert "no hit changes" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "x.radius"], "is not a setting"),
        (["--set", "1.half_angle += 3"], "an angle needs deg, % or r"),
        (["-o", "out.jsonl"], "-o takes one log and --set"),
    ],
)
def test_the_command_refuses_what_is_wrong(
    run: Run, tmp_path: Path, arguments: list[str], words: str
) -> None:
    code, out, err = run("whatif", small(tmp_path), *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())

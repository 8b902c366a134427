"""Levels in match logs, in what reads and writes them, in states as fields, and between peers."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import logs
import pytest
from bumpers import Bumpers
from click.testing import CliRunner
from network import Network

from fixsync import LEVEL, ONE, Contact, Event, Level, Pillar, Pose, Prism, Sphere, World, q
from fixsync.base.fields import differences, found_fields, world_fields
from fixsync.base.names import Names
from fixsync.cli import fixsync
from fixsync.log.cut import cut
from fixsync.log.diff import diff
from fixsync.log.info import info
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.log.replay import Compared, Verdict, replay
from fixsync.match.sim import Input
from fixsync.session import Match
from fixsync.session.desync import pair_text
from fixsync.session.notices import Reason
from fixsync.synctest.agreement import assert_peers_agree

VECTORS = Path(__file__).parent / "vectors" / "levels"
ARENA = Level([
    Prism([(q(2), q(-3)), (q(4), q(-3)), (q(4), q(3)), (q(3), q(4))], 0, q(3), 1),
    Pillar(q(-4), 0, q(1), q(-1), q(2)),
])  # fmt: skip
PILLAR = LEVEL + 1


# The vectors of an independent implementation.


@pytest.mark.parametrize("name", ["level", "level_layers"])
def test_the_vectors_are_identical_and_end_with_the_state_beside_them(name: str) -> None:
    path = VECTORS / f"{name}.jsonl"
    with Reader(path) as reader:
        frames = [*reader]
        level = reader.header.level
    result = replay(path)
    assert result.verdict is Verdict.IDENTICAL, result
    answers = sum(len(frame.queries or ()) for frame in frames)
    assert answers > 0
    assert result.compared == Compared(len(frames), answers, len(frames))
    state = (VECTORS / f"{name}.last_state.bin").read_bytes()
    assert level is not None
    assert state[:4] == b"FXS2"
    assert struct.unpack_from("<Q", state, 140) == (level.hash(),)
    world = World.from_bytes(state, reader.header.capacity, level)
    assert f"{world.hash():016x}" == result.hash
    assert world_fields(state)["world",]["level"] == f"{level.hash():016x}"


@pytest.mark.parametrize("name", ["level", "level_layers"])
def test_the_vectors_are_canonical(name: str, tmp_path: Path) -> None:
    source = VECTORS / f"{name}.jsonl"
    with Reader(source) as reader:
        logs.write_values(tmp_path / "copy.jsonl", reader.header, reader)
    assert (tmp_path / "copy.jsonl").read_bytes() == source.read_bytes()
    assert replay(source, output=tmp_path / "filled.jsonl").verdict is Verdict.IDENTICAL
    assert (tmp_path / "filled.jsonl").read_bytes() == source.read_bytes()


# Recording, replaying, cutting, comparing.


def recorded(path: Path, level: Level | None = ARENA, **changes: Any) -> Path:
    """A ball rolls through the pillar and to the prism; a query and a cast look for solids."""
    world = World(8, level=level)
    with Recorder(world, path, **changes) as recorder:
        world.add(3, Sphere(q("0.5")), Pose(q(-8), 0, 0))
        for frame in range(12):
            world.move(3, q(frame - 8), 0, 0)
            recorder.query(Sphere(q(1)), Pose(q(-4), 0, 0))
            recorder.cast(Sphere(1), Pose(q(-9), 0, 0), (q(20), 0, 0))
            world.step()
    return path


def test_a_recorded_match_has_its_level_and_replays(tmp_path: Path) -> None:
    path = recorded(tmp_path / "match.jsonl", names=Names(ids={PILLAR: "pillar", 3: "ball"}))
    result = replay(path)
    assert result.verdict is Verdict.IDENTICAL, result
    assert result.compared == Compared(12, 24, 12)
    with Reader(path) as reader:
        frames = [*reader]
        assert reader.header.level == ARENA
        assert reader.header.names.ids[PILLAR] == "pillar"
    met = {event[:2] for frame in frames for event in frame.events or ()}
    assert met == {(3, LEVEL), (3, PILLAR)}
    assert PILLAR in frames[0].queries[0]  # type: ignore[index]
    header = json.loads(path.read_text().splitlines()[0])
    assert header["level"]["solids"][1] == ["cylinder", 0, -65536, 131072, [-262144, 0], 65536]
    assert [*header][-3:] == ["names", "level", "semantics"]


def test_a_part_of_a_match_keeps_the_level(tmp_path: Path) -> None:
    path = recorded(tmp_path / "match.jsonl")
    assert cut(path, tmp_path / "part.jsonl", 4, 7) == 4
    result = replay(tmp_path / "part.jsonl")
    assert (result.verdict, result.frames) == (Verdict.IDENTICAL, 4)
    with Reader(tmp_path / "part.jsonl") as reader:
        assert reader.header.level == ARENA
        assert reader.header.start is not None
        assert reader.header.start.state[:4] == b"FXS2"


def test_info_counts_the_solids(tmp_path: Path) -> None:
    path = recorded(tmp_path / "match.jsonl", names=Names(ids={PILLAR: "pillar"}))
    assert info(path).error is None
    text = CliRunner().invoke(fixsync, ["info", str(path)]).output
    assert f"2 solids: 1 prism, 1 cylinder; hash {ARENA.hash():016x}" in text
    reported = json.loads(CliRunner().invoke(fixsync, ["info", str(path), "--json"]).output)
    assert reported["logs"][0]["header"]["level"] == {
        "solids": 2, "prisms": 1, "cylinders": 1, "hash": f"{ARENA.hash():016x}",
    }  # fmt: skip


def test_diff_names_the_level_and_the_solids_that_differ(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.jsonl")
    other = Level([ARENA[0], Pillar(q(-4), 0, q(1) + 1, q(-1), q(2))])
    found = diff(path, recorded(tmp_path / "b.jsonl", other))
    assert [(row.name, row.a) for row in found.header] == [
        ("level", f"2 solids, XXH64 {ARENA.hash():016x}"),
        ("level.solids[1]", list(ARENA[1].as_tuple())),
    ]
    none = diff(path, recorded(tmp_path / "c.jsonl", None))
    assert [(row.name, row.b) for row in none.header] == [("level", "absent")]
    assert not diff(path, recorded(tmp_path / "d.jsonl", Level([*ARENA]))).header


def test_a_difference_with_a_solid_says_where_both_stood(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.jsonl", names=Names(ids={PILLAR: "pillar"}))
    lines = path.read_text().splitlines()
    i = next(i for i, line in enumerate(lines) if f"[3,{PILLAR},1," in line)
    broken = tmp_path / "b.jsonl"
    text = "\n".join([*lines[:i], lines[i].replace(f"[3,{PILLAR},1,2]", f"[3,{PILLAR},1,1]")])
    broken.write_text(text + "\n")
    ran = CliRunner().invoke(fixsync, ["replay", str(broken)])
    assert ran.exit_code == 1
    assert f'pair 3, {PILLAR} "pillar"' in ran.output
    assert "cylinder, radius 1 (65536)" in ran.output
    ran = CliRunner().invoke(fixsync, ["diff", str(path), str(broken)])
    assert ran.exit_code == 1
    assert "cylinder, radius 1 (65536)" in ran.output
    pair = diff(path, broken).pairs[0].standing[0]
    assert pair is not None
    assert (pair.colliders[1], pair.contact) == (ARENA[1], Contact.OVERLAPPING)


# What is refused.


def header_with(level: Any, **more: Any) -> dict[str, Any]:
    return {**logs.header(), **more, "level": level}


def test_a_prism_of_more_vertices_than_a_level_can_count_is_refused(tmp_path: Path) -> None:
    level = {"solids": [["prism", 0, 0, 1, [[0, 0]] * 70_000]]}
    error = info(logs.write(tmp_path / "match.jsonl", header_with(level), [])).error
    assert (error.line, error.field) == (1, "level.solids[0]")
    assert error.reason.startswith("number of vertices")


LINE = {"solids": [list(solid.as_tuple()) for solid in ARENA]}


@pytest.mark.parametrize("id", [6, LEVEL - 1, LEVEL + 2])
@pytest.mark.parametrize("where", ["event", "query", "cast", "name"])
def test_an_id_of_no_solid_is_refused(tmp_path: Path, id: int, where: str) -> None:

    def found_with(id: int) -> Any:
        frame: dict[str, Any] = {"frame": 0, "commands": []}
        head = header_with(LINE)
        if where == "event":
            frame["events"] = [[0, id, 1, 1]]
        elif where == "name":
            head = header_with(LINE, names={"ids": {str(id): "x"}})
        else:
            frame["queries"] = [[id if where == "query" else [id, 0, 0, 0, 0]]]
        return info(logs.write(tmp_path / "match.jsonl", head, [frame])).error

    error = found_with(id)
    assert error.line == (1 if where == "name" else 2)
    assert "2147483648..2147483649" in error.reason.replace('"', "")
    assert found_with(PILLAR) is None


def test_a_log_that_begins_in_the_middle_needs_the_level_of_its_state(tmp_path: Path) -> None:
    cut(recorded(tmp_path / "match.jsonl"), tmp_path / "part.jsonl", 4, 7)
    text = (tmp_path / "part.jsonl").read_text()
    (tmp_path / "other.jsonl").write_text(text.replace(",65536]]}", ",65537]]}").rsplit("{", 1)[0])
    result = replay(tmp_path / "other.jsonl")
    assert result.error is not None
    assert (result.verdict, result.error.field) == (Verdict.INVALID, "from.state")


# Simulations.


class Walled(Bumpers):
    """Bumpers in a level. The ball of each player meets the pillar now and then."""

    name = "walled"
    level: Level | None = ARENA
    names = Names(ids={PILLAR: "pillar"})

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        world = World(players, level=self.level)
        for collider in self.world.colliders():
            world.add(collider.id, collider.shape, collider.pose)
        self.world = world

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        for player, value in enumerate(inputs):
            x, y, z = self.world[player].pose.position
            dx, dz = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))[int(value)]  # type: ignore[arg-type]
            self.world.move(player, x + dx * ONE // 4, y, z + dz * ONE // 4)
        return self.world.step()


class Bare(Walled):
    level = None


def test_a_simulation_in_a_level_is_recorded_and_replayed(tmp_path: Path) -> None:
    made = Walled(5, 2)
    path = tmp_path / "match.jsonl"
    with SimRecorder(made, path, seed=5) as recorder:
        for frame in range(30):
            inputs = [frame % 5, frame % 3]
            recorder.record(frame, inputs, made.step(inputs), made.world.hash())
    result = replay(path, simulations={"walled": Walled})
    assert result.verdict is Verdict.IDENTICAL, result
    result = replay(path, simulations={"walled": Bare})
    assert result.error is not None
    assert result.error.field == "level"
    assert "walled makes a world with None" in result.error.reason


def test_a_simulation_in_a_level_passes_the_synctest() -> None:
    assert_peers_agree(Walled, [(f % 5, f % 4) for f in range(20)], seed=3, processes=False)


def test_peers_of_two_levels_refuse_each_other_before_the_match() -> None:
    network = Network(Match("walled", 5, 2, frames=60))
    network.start(0, simulation=Walled(5, 2))
    network.start(1, simulation=Bare(5, 2))
    network.run(10_000)
    for peer in network.peers.values():
        end = peer.session.end
        assert end is not None
        assert (end.reason, peer.session.frame) == (Reason.REFUSED, 0)
        assert f"field level: {ARENA.hash():016x} on peer 0, none on peer 1" in end.text


# Desyncs.


def test_fields_of_a_state_have_the_level_and_hits_of_solids() -> None:
    world = World(4, level=ARENA)
    world.add(1, Sphere(q(1)), Pose(q(-4), 0, 0))
    world.step()
    state = world.save()
    fields = world_fields(state)
    assert fields["world",]["level"] == f"{ARENA.hash():016x}"
    assert fields["hit", 1, PILLAR] == {"contact": 2}
    assert found_fields(b"game" + state + b"more")["world",] == fields["world",]
    other = World(4, level=Level([ARENA[1]]))
    other.add(1, Sphere(q(1)), Pose(q(-4), 0, 0))
    other.step()
    reported = [str(found) for found in differences(fields, world_fields(other.save()))]
    assert f"world, level: {ARENA.hash():016x} and {other.level.hash():016x}" in reported  # type: ignore[union-attr]


def test_the_contact_with_a_solid_is_told_of_a_desync() -> None:
    world = World(4, level=ARENA)
    world.add(1, Sphere(q(1)), Pose(q(-4), 0, 0))
    world.step()
    fields = world_fields(world.save())
    reported = pair_text(fields, 1, PILLAR, ARENA)
    assert reported.startswith("hit with contact OVERLAPPING; Sphere(radius=65536) at ")
    assert reported.endswith("whose contact is OVERLAPPING")
    assert "Pillar(x=-262144" in reported
    assert "that the level does not have" in pair_text(fields, 1, PILLAR)

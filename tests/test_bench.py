"""The bench: its scenes, their pinned answers, what the command prints, and bench/."""

from __future__ import annotations

import json
import re
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from tools import each

from fixsync.bench.frames import FRAMES, PINNED_COUNTS, Row, final_hash, golden, rows
from fixsync.bench.scenes import SCENES, scene
from fixsync.cli.bench import bench_command
from fixsync.world.shapes import Contact


def bench(*options: str) -> tuple[int, str]:
    done = CliRunner().invoke(bench_command, options)
    return done.exit_code, done.output


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_has_the_hits_of_all_pairs_and_comes_to_its_pinned_hash(name: str) -> None:
    assert final_hash(scene(name, 1_000)) == golden()[name]["1000"]
    made = scene(name, 150)
    world, ids = made.world(), made.ids()
    layers = {frozenset(pair) for pair in made.layers or product(range(32), repeat=2)}
    for frame in range(1, FRAMES + 1):
        world.set_pose_many(ids, made.poses(frame))
        world.step()
        contacts = {
            (a.id, b.id): world.contact(a.id, b.id)
            for a, b in combinations(world.colliders(), 2)
            if frozenset((a.layer, b.layer)) in layers and (a.owner == 0 or a.owner != b.owner)
        }
        found = {pair: contact for pair, contact in contacts.items() if contact != Contact.APART}
        assert {(hit.a, hit.b): hit.contact for hit in world.hits()} == found


def test_a_hash_is_pinned_for_every_scene_and_number_of_colliders() -> None:
    wanted = {name: {str(n) for n in PINNED_COUNTS} for name in SCENES}
    assert {name: set(hashes) for name, hashes in golden().items()} == wanted


@each("name", SCENES)
def test_colliders_of_a_scene_stay_between_their_walls(name: str) -> None:
    made = scene(name, 100)
    for *axes, _, _ in made.motions:
        for axis, frame in product(axes, range(0, 10**6, 99_991)):
            assert axis.low <= axis.at(frame) <= axis.low + axis.span


def test_a_scene_is_refused_by_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match="no scene 'unifrom'"):
        scene("unifrom", 100)
    with pytest.raises(ValueError, match="not 1"):
        scene("uniform", 1)


def test_the_first_line_tells_a_game_what_a_frame_takes_and_each_row_has_its_hash() -> None:
    code, out = bench("--scene", "line", "--count", "100", "--count", "20")
    first, _, head, *rows = out.splitlines()
    assert code == 0
    number = "[0-9.]+"
    assert re.fullmatch(
        f"100 colliders: a frame takes {number} ms, {number}% of a 60 Hz frame", first
    )
    assert rows[0].split()[-1] == golden()["line"]["100"]
    assert rows[1].endswith(" unknown")
    assert max(map(len, [head, *rows])) <= 80


def test_the_scenes_are_reported_as_json() -> None:
    code, out = bench("--scene", "uniform", "--scene", "line", "--count", "100", "--json")
    report = json.loads(out)
    assert (code, report["exit_code"]) == (0, 0)
    assert [(row["scene"], row["hash"]) for row in report["scenes"]] == [
        (name, golden()[name]["100"]) for name in ("uniform", "line")
    ]


@pytest.mark.full
def test_small_worlds_questions_and_the_plain_loop_follow_where_nothing_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fixsync.bench.calls._RUN_NS", 0)
    code, out = bench("--json")
    report = json.loads(out)
    assert (code, report["scenes"][0]["count"]) == (0, 10_000)
    assert [row["scene"] for row in report["scenes"]] == ["uniform", *SCENES]
    assert {(row["what"], row["count"]) for row in report["calls"]} >= {
        *((what, count) for what in ("frame", "rollback of 8") for count in (2, 8, 16, 32)),
        *((f"move, {what}", 1_000) for what in ("query", "nearest", "cast", "sweep")),
        *(("plain loop", count) for count in (16, 100, 1_000)),
    }
    for row in report["scenes"] + report["calls"]:
        assert 0 < row["least"] <= row["mean"] <= row["worst"]


def test_a_hash_other_than_the_pinned_one_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fixsync.bench.frames.golden", lambda: {"line": {"100": "0" * 16}})
    code, out = bench("--scene", "line", "--count", "100")
    assert (code, out.endswith(" wrong\n")) == (1, True)


# The developers' scripts in bench/.


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parent.parent / "bench"
    if not folder.is_dir():
        pytest.skip("the sources are not here")
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.full
@pytest.mark.usefixtures("scripts")
def test_other_libraries_find_the_same_pairs() -> None:
    from others import drivers

    for name in ("pymunk", "scipy"):
        pytest.importorskip(name, reason=f"no {name} here: pip install -e '.[bench]'")
    found = {row.library: row.pairs for row in rows("uniform", 100, drivers)}
    assert len(found) == 3
    assert len(set(found.values())) == 1


@pytest.mark.usefixtures("scripts")
def test_the_plot_has_a_line_for_every_scene_and_library() -> None:
    from plot import svg

    measured = [
        Row("uniform", count, library, *[count * each] * 3, 0, 0)
        for library, each in (("fixsync", 30), ("pymunk", 300))
        for count in (100, 1_000)
    ]
    root = ElementTree.fromstring(svg(measured))  # noqa: S314 - the plot's own
    assert len(root.findall("{*}polyline")) == 2
    assert {"fixsync, uniform", "pymunk, uniform", "1,000"} <= {
        e.text for e in root.findall("{*}text")
    }

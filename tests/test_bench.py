"""The bench: its scenes, their pinned answers, and what the command tells."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from fixsync import Pose, cast_pair
from fixsync.bench import check
from fixsync.bench.casts import cast_costs, movers
from fixsync.bench.frames import Row
from fixsync.bench.plot import svg
from fixsync.bench.scenes import SCENES, scene
from fixsync.bench.yardstick import sort_and_copy
from fixsync.cli.bench import bench_command
from fixsync.game.random import Random
from fixsync.shapes import shape_of_row
from fixsync.world import World


def test_every_scene_agrees_with_a_look_at_all_pairs_and_comes_to_its_pinned_hash() -> None:
    found = list(check.checked())
    assert [name for name, _, _ in found] == [*SCENES]
    assert {name: faults for name, _, faults in found if faults} == {}


def test_a_hash_is_pinned_for_every_scene_and_number_of_colliders() -> None:
    wanted = {name: {str(n) for n in check.PINNED_COUNTS} for name in SCENES}
    assert {name: set(hashes) for name, hashes in check.golden().items()} == wanted


@pytest.mark.parametrize("fault", ["misses", "queries"])
def test_the_check_sees_a_wrong_answer(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step, query = World.step, World.query
    if fault == "misses":
        monkeypatch.setattr(World, "step", lambda self: step(self)[:-1])
    else:
        monkeypatch.setattr(World, "query", lambda self, *args: query(self, *args)[1:])
    assert any(faults for _, _, faults in check.checked(count=100))


@pytest.mark.parametrize("name", SCENES)
def test_colliders_of_a_scene_stay_between_their_walls(name: str) -> None:
    made = scene(name, 100)
    for axes in made.motions:
        for axis in axes[:3]:
            assert all(
                axis.low <= axis.at(frame) <= axis.low + axis.span
                for frame in range(0, 10**6, 99_991)
            )


def test_a_scene_is_refused_by_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match="no scene 'unifrom'"):
        scene("unifrom", 100)
    with pytest.raises(ValueError, match="not 9"):
        scene("uniform", 9)


def test_the_yardstick_sorts() -> None:
    # It compares its result with Python's sort; without a compiler there is none.
    cost = sort_and_copy(3_000)
    assert cost is None or cost > 0


@pytest.mark.full
@pytest.mark.parametrize("near", [True, False])
def test_the_casts_that_are_timed_meet_what_cast_pair_meets(near: bool) -> None:
    """None of the far ones meets anything, or they would not be what they are called."""
    made = {(cast.kinds, cast.near): cast.met for cast in cast_costs()}
    if not made:
        pytest.skip("no compiler")
    random, row = Random(6), struct.Struct("=2I10i")
    for kinds, is_near in made:
        pairs = [
            row.unpack_from(data, at)
            for data in [movers(random, *kinds.split(" and "), is_near)]
            for at in range(0, len(data), 48)
        ]
        if is_near != near or kinds not in ("round and box", "cylinder and cylinder"):
            continue
        met = sum(
            cast_pair(
                shape_of_row(*a[:5]),
                Pose(*a[5:9]),
                a[9:],
                shape_of_row(*b[:5]),
                Pose(*b[5:9]),
                b[9:],
            )
            is not None
            for a, b in zip(pairs[::2], pairs[1::2], strict=True)
        )
        assert met / (len(pairs) // 2) == made[kinds, is_near]
        assert near == (met > 0)


@pytest.mark.full
def test_the_command_tells_scenes_costs_and_hashes_as_json() -> None:
    run = CliRunner().invoke(bench_command, ["--scene", "uniform", "--count", "100", "--json"])
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    rows = {row["library"]: row for row in told["scenes"]}
    assert rows["fixsync"]["hash"] == check.golden()["uniform"]["100"]
    assert all(row["pairs"] == rows["fixsync"]["pairs"] for row in rows.values())
    assert {"overlap()", "save(), 10000"} <= {cost["what"] for cost in told["costs"]}


@pytest.mark.full
def test_a_pinned_hash_that_does_not_match_is_told_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fixsync.bench.frames.golden", lambda: {"line": {"100": "0" * 16}})
    run = CliRunner().invoke(bench_command, ["--scene", "line", "--count", "100", "--fixsync-only"])
    assert run.exit_code == 1
    assert "WRONG" in run.stdout


def test_what_was_measured_is_told_where_the_plot_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixsync.cli.bench.costs", lambda *_: [])
    plot = tmp_path / "no-such-folder" / "x.svg"
    arguments = [
        "--scene",
        "idle",
        "--count",
        "10",
        "--fixsync-only",
        "--json",
        "--plot",
        str(plot),
    ]
    run = CliRunner().invoke(bench_command, arguments)
    assert run.exit_code == 2
    assert [row["scene"] for row in json.loads(run.stdout)["scenes"]] == ["idle"]
    assert "the plot cannot be written" in run.stderr


@pytest.mark.full
def test_the_plot_can_go_to_standard_output_and_what_is_told_to_standard_error() -> None:
    program = (
        "from fixsync.cli import bench, main\n"
        "bench.costs = lambda *_: []\n"  # of which none is plotted
        "main()"
    )
    arguments = [
        "bench",
        "--scene",
        "line",
        "--count",
        "100",
        "--fixsync-only",
        "--json",
        "--plot",
        "-",
    ]
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ElementTree.fromstring(done.stdout).tag.endswith("svg")  # noqa: S314 - the plot's own
    assert [row["scene"] for row in json.loads(done.stderr)["scenes"]] == ["line"]


def test_the_check_takes_scenes_and_nothing_that_it_would_not_look_at() -> None:
    run = CliRunner().invoke(bench_command, ["--check", "--scene", "line", "--json"])
    assert [scene["scene"] for scene in json.loads(run.stdout)["scenes"]] == ["line"]
    for arguments in (["--count", "100"], ["--plot", "x.svg"], [__file__]):
        run = CliRunner().invoke(bench_command, ["--check", *arguments])
        assert (run.exit_code, "--check measures nothing" in run.output) == (2, True)


def test_a_log_that_is_not_as_it_says_is_not_measured(tmp_path: Path) -> None:
    small = (Path(__file__).parent / "vectors" / "small.jsonl").read_text(encoding="utf-8")
    log = tmp_path / "match.jsonl"
    wrong_hash = re.sub('"hash":"[0-9a-f]{16}"', f'"hash":"{"0" * 16}"', small.rpartition("{")[0])
    for text, words in (("", "the file is empty"), (wrong_hash, "it diverges in frame 0")):
        log.write_text(text, encoding="utf-8")
        run = CliRunner().invoke(bench_command, [str(log), "--count", "100", "--scene", "line"])
        assert (run.exit_code, words in run.output) == (1, True), (
            run.output
        )  # by itself; as a program, 2


def test_the_plot_has_a_line_for_every_scene_and_library() -> None:
    rows = [
        Row("uniform", count, library, count * each, count * each, 0, 0)
        for library, each in (("fixsync", 30), ("pymunk", 300))
        for count in (100, 1_000)
    ]
    root = ElementTree.fromstring(svg(rows))  # noqa: S314 - the plot's own
    assert len(root.findall("{*}polyline")) == 2
    assert {"fixsync, uniform", "pymunk, uniform", "1,000"} <= {
        e.text for e in root.findall("{*}text")
    }

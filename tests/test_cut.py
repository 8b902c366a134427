"""A part cut out of a match log is a log of its own, which begins with its state."""

from __future__ import annotations

import json
from pathlib import Path

import logs
import pytest
from click.testing import CliRunner

from fixsync import view
from fixsync.cli import fixsync
from fixsync.log.cut import cut
from fixsync.log.diff import diff
from fixsync.log.info import info
from fixsync.log.replay import Verdict, replay

TRACE = Path(__file__).resolve().parent.parent / "replay_logs" / "turned.jsonl.gz"


@pytest.fixture(params=["trace", "inputs"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A trace, and the inputs of a simulation."""
    if request.param == "trace":
        return TRACE
    path = tmp_path / "inputs.jsonl"
    logs.skill_fight(path, 150)
    return path


@pytest.mark.parametrize("first", [0, 1, 60])
def test_a_part_replays_identical_and_has_the_logs_own_frames(
    log: Path, tmp_path: Path, first: int
) -> None:
    part = tmp_path / "part.jsonl"
    assert cut(log, part, first, 100) == 101 - first
    result = replay(part)
    assert (result.verdict, result.frames) == (Verdict.IDENTICAL, 101 - first)
    found = info(part)
    assert found.header is not None
    assert found.header.first_frame == first
    compared = diff(log, part)
    assert (compared.frame, compared.frames) == (101, 101 - first)
    assert [row.group for row in compared.rows] == ["length"]
    assert view.export(part).frames == 101 - first


def test_a_part_of_a_part_is_that_part_of_the_log(log: Path, tmp_path: Path) -> None:
    whole, once, twice = (tmp_path / f"{name}.jsonl" for name in "abc")
    cut(log, whole, 30, 90)
    cut(whole, once, 50, 60)
    cut(log, twice, 50, 60)
    assert once.read_bytes() == twice.read_bytes()


def test_frames_that_a_log_does_not_have_are_refused_and_nothing_is_written(
    log: Path, tmp_path: Path
) -> None:
    part = tmp_path / "part.jsonl"
    for first, last, said in (
        (5, 4, "frames must be FIRST..LAST, not 5..4"),
        (0, 5000, "the log has no frame 5000"),
        (4000, 5000, "the log has no frame 4000"),
    ):
        with pytest.raises(ValueError, match=said):
            cut(log, part, first, last)
    begins = tmp_path / "begins.jsonl"
    cut(log, begins, 20, 30)
    with pytest.raises(ValueError, match="the log begins at frame 20, after 19"):
        cut(begins, part, 19, 25)
    assert not part.exists()


def test_the_command_writes_a_part(tmp_path: Path) -> None:
    part = tmp_path / "part.jsonl.gz"
    done = CliRunner().invoke(fixsync, ["cut", str(TRACE), "40..60", "-o", str(part)])
    assert (done.exit_code, done.output) == (0, f"written: {part} (21 frames)\n")
    assert replay(part).verdict is Verdict.IDENTICAL
    done = CliRunner().invoke(fixsync, ["cut", str(TRACE), "7..7", "-o", str(part), "--json"])
    assert json.loads(done.output) == {"part": str(part), "frames": 1}
    for frames in ("40", "40-60", "a..b", "-1..4"):
        done = CliRunner().invoke(fixsync, ["cut", str(TRACE), "-o", str(part), "--", frames])
        assert done.exit_code == 2
        assert f"FIRST..LAST must be like 400..520, not {frames}" in done.output
    done = CliRunner().invoke(fixsync, ["cut", str(TRACE), "900..901", "-o", str(part)])
    assert (done.exit_code, done.output) == (1, "Error: the log has no frame 900\n")

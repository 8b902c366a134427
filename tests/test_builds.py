"""One log through two versions of a game: `diff`, `view` and `whatif` of the same match."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tools import Run

from fixsync import World
from fixsync.log import Recorder, SimRecorder
from fixsync.log.diff import diff_builds
from fixsync.log.diff_hits import diff_hits
from fixsync.match.builds import GameFolder, origin
from fixsync.match.sim import start, stepped

FRAMES = 60
AT = 29

GAME = """
import struct
import rules
from fixsync import Pose, Sphere, World
from fixsync.base.fields import world_fields
from fixsync.match.sim import hash_of

class Game:
    name = "pushed"

    def __init__(self, seed, players):
        self.players, self.charge, self.world = players, 0, World(4)
        self.world.add(1, Sphere(65536), Pose(0, 0, 0))
        self.world.add(2, Sphere(65536), Pose(4 * 65536, 0, 0))

    def step(self, inputs):
        import late  # in the middle of the match
        at = self.world.frame
        self.charge += late.charge(at, sum(inputs))
        if at % 10 == 0:
            self.world.move(1, self.charge * rules.PUSH, 0, 0)
        return self.world.step()

    def save(self):
        return struct.pack("<i", self.charge) + self.world.save()

    def load(self, data):
        self.world.load(data[4:])
        self.charge, = struct.unpack("<i", data[:4])

    def hash(self):
        return hash_of(self.save())

    @staticmethod
    def state_fields(state):
        charge, = struct.unpack("<i", state[:4])
        return {**world_fields(state[4:]), ("game",): {"charge": charge}}
"""
LATE = f"def charge(frame, by):\n    return by + EXTRA * (frame == {AT})\n"


def version(folder: Path, late: str = LATE, *, extra: int = 0, push: int = 3000) -> Path:
    """A folder with a version of the game."""
    folder.mkdir()
    (folder / "game.py").write_text(GAME)
    (folder / "rules.py").write_text(f"PUSH = {push}\n")
    (folder / "late.py").write_text(f"EXTRA = {extra}\n{late}")
    (folder / "pyproject.toml").write_text('[tool.fixsync]\nsim = "game:Game"\n')
    return folder


def of(folder: Path) -> Any:
    return GameFolder(folder).find("game:Game")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return version(tmp_path / "old")


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return version(tmp_path / "new", extra=7)


@pytest.fixture
def log(tmp_path: Path, old: Path) -> Path:
    path = tmp_path / "log.jsonl"
    made = start(of(old), 1, 1)
    with SimRecorder(made, path, seed=1) as recorder:
        for frame in range(FRAMES):
            events = stepped(made, (2,)).events
            recorder.record(frame, (2,), events, made.world.hash())
    return path


# The result.


def test_the_first_frame_and_field_are_named_before_they_reach_the_world(
    log: Path, old: Path, new: Path
) -> None:
    found = diff_builds(log, of(old), of(new))
    assert (found.frame, found.frames) == (AT, AT)
    (row,) = found.rows
    charge = 2 * (AT + 1)
    assert (row.group, row.name, row.a, row.b) == ("state", "game: charge", charge, charge + 7)
    assert [note.endswith(f"of {folder / 'game.py'}") for note, folder in
            zip(found.notes, (old, new), strict=True)] == [True, True]  # fmt: skip


def test_a_difference_of_the_world_is_named_with_its_collider(
    log: Path, old: Path, tmp_path: Path
) -> None:
    found = diff_builds(log, of(old), of(version(tmp_path / "far", push=4000)))
    assert found.frame == 0
    rows = {(row.group, row.name): (row.a, row.b) for row in found.rows}
    assert rows["state", "collider 1: x"] == (2 * 3000, 2 * 4000)


def test_two_equal_versions_are_the_same(log: Path, old: Path, tmp_path: Path) -> None:
    found = diff_builds(log, of(old), of(version(tmp_path / "copy")))
    assert found.is_same
    assert found.frames == FRAMES


def test_the_order_of_the_versions_is_the_order_of_the_values(
    log: Path, old: Path, new: Path
) -> None:
    there, back = (diff_builds(log, *map(of, pair)) for pair in ((old, new), (new, old)))
    assert [(row.b, row.a) for row in back.rows] == [(row.a, row.b) for row in there.rows]


def test_their_hits_are_compared_over_all_frames(log: Path, old: Path, tmp_path: Path) -> None:
    versions = of(old), of(version(tmp_path / "far", push=1000))
    found = diff_hits(log, log, builds=versions)
    assert found.totals.lost == 1
    assert found.rows[0].second == []


@pytest.mark.parametrize("what", ["raise KeyError('x')", "raise ValueError('x')", "1 / 0"])
def test_a_version_that_raises_in_the_middle_is_named_with_its_frame(
    what: str, log: Path, old: Path, tmp_path: Path
) -> None:
    late = f"def charge(frame, by):\n    if frame == 40: {what}\n    return by\n"
    error = diff_builds(log, of(old), of(version(tmp_path / "bad", late))).error
    assert error is not None
    assert (error.line, error.field) == (42, "inputs")
    assert error.reason.endswith(f"played with game:Game of {tmp_path / 'bad' / 'game.py'}")


def test_a_version_that_ends_its_match_earlier_differs_in_that_frame(
    log: Path, old: Path, tmp_path: Path
) -> None:
    short = version(tmp_path / "short")
    text = (short / "game.py").read_text()
    (short / "game.py").write_text(
        f"{text}\n    is_over = property(lambda self: self.charge > 90)\n"
    )
    found = diff_builds(log, of(old), of(short))
    assert (found.frame, found.rows[0].group) == (45, "is_over")
    assert (found.rows[0].a, found.rows[0].b) == (False, True)


def test_a_version_with_another_world_is_named(log: Path, old: Path, tmp_path: Path) -> None:
    wide = version(tmp_path / "wide")
    text = (wide / "game.py").read_text()
    (wide / "game.py").write_text(text.replace("World(4)", "World(8)"))
    error = diff_builds(log, of(old), of(wide)).error
    assert error is not None
    assert (error.line, error.field) == (1, "capacity")
    assert f"of {wide / 'game.py'}" in error.reason


def test_a_trace_has_no_inputs_for_them(tmp_path: Path, old: Path, new: Path, run: Run) -> None:
    world = World(4)
    with Recorder(world, tmp_path / "trace.jsonl"):
        world.step()
    with pytest.raises(ValueError, match="is a trace: it has no inputs"):
        diff_builds(tmp_path / "trace.jsonl", of(old), of(new))
    code, _, err = run("diff", tmp_path / "trace.jsonl", "--at", old, "--at", new)
    assert (code, "it has no inputs to play again" in err) == (2, True)


def test_modules_of_both_folders_are_apart_and_leave_no_trace(old: Path, new: Path) -> None:
    before, path = dict(sys.modules), list(sys.path)
    made = [start(kind, 1, 1) for kind in (of(old), of(new), of(old))]
    for _ in range(AT + 1):
        for one in made:
            one.step((2,))
    assert [one.charge for one in made] == [60, 67, 60]  # type: ignore[attr-defined]
    assert [origin(one) for one in made[:2]] == [
        f"game:Game of {folder / 'game.py'}" for folder in (old, new)
    ]
    assert sys.path == path
    assert not {"game", "rules", "late"} & sys.modules.keys() - before.keys()


# The commands.


def test_diff_of_one_log_and_two_folders(log: Path, old: Path, new: Path, run: Run) -> None:
    code, out, _ = run("diff", log, "--at", old, "--at", new)
    assert code == 1
    assert f"first difference in frame {AT} (line {AT + 2})" in out
    assert "state game: charge  60  67" in out
    assert f"B was replayed with game:Game of {new / 'game.py'}" in out
    same = run("diff", log, "--at", old, "--at", old, "--sim", "game:Game")
    assert (same[0], f"the {FRAMES} frames are the same" in same[1]) == (0, True)
    code, out, _ = run("diff", "--events", log, "--at", old, "--at", new)
    assert (code, "no hit changes" in out) == (0, True)


def test_diff_of_one_log_and_two_simulations(
    log: Path, old: Path, new: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(old.parent))
    for folder in (old, new):
        for name in ("rules", "late"):
            text = (folder / "game.py").read_text()
            (folder / "game.py").write_text(
                text.replace(f"import {name}", f"from {folder.name} import {name}")
            )
    sims = ("--sim", "old.game:Game", "--sim", "new.game:Game")
    code, out, _ = run("diff", log, *sims, "--json")
    document = json.loads(out)
    assert (code, document["frame"]) == (1, AT)
    assert [row["name"] for row in document["differences"]] == ["game: charge"]
    code, out, _ = run("whatif", log, "--sim", "new.game:Game")
    assert f"first state beyond shapes: frame {AT + 1}" not in out


def test_view_shows_both_and_the_field_in_the_first_frame_that_differs(
    log: Path, old: Path, new: Path, run: Run, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    code, out, _ = run("view", log, "--at", old, "--at", new, "-o", page)
    assert code == 0
    assert f"first difference in frame {AT}: state game: charge" in out
    text = page.read_text()
    assert f'"held":{{"frame":{AT},' in text.replace(": ", ":").replace(", ", ",")
    assert f"with {new}" in text
    code, out, _ = run("view", "--json", log, "--at", old, "--at", new, "-o", page)
    document = json.loads(out)
    first, second = document["logs"]
    assert (document["frame"], first["frames"], second["frames"]) == (AT, FRAMES, FRAMES)
    assert first["hash"] != second["hash"]


def test_one_log_alone_and_one_folder_alone_are_not_enough(
    log: Path, old: Path, run: Run, tmp_path: Path
) -> None:
    code, _, err = run("diff", log)
    assert code == 2
    assert "needs two versions of its game, --sim OLD:Game --sim NEW:Game, or --at DIR twice" in err
    code, _, err = run("diff", log, "--at", old)
    assert (code, "takes two folders, the old game's and the new one's, not 1" in err) == (2, True)
    bare = tmp_path / "bare"
    bare.mkdir()
    code, _, err = run("diff", log, "--at", old, "--at", bare)
    assert (code, f"{bare} has no pyproject.toml" in err) == (2, True)
    code, _, err = run("diff", log, "--at", old, "--at", bare, "--sim", "game:Game")
    assert (code, "there is no module game" in err) == (2, True)

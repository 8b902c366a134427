"""The verdicts of the sync test: each planted fault gets its own, and a game that is right gets
none."""

from __future__ import annotations

import sys
from pathlib import Path

import planted
import pytest
from bumpers import inputs
from tools import in_turn, ran

from fixsync.synctest.checks import CHECKS, Checked, run_checks
from fixsync.synctest.straight import Straight, run_straight
from fixsync.synctest.surroundings import FACTORS, variant


def checked(game: type[planted.Game]) -> tuple[Straight, Checked]:
    straight = run_straight(game, 1, 8, inputs(40, 8))
    assert any(straight.events), "there is something to see"
    return straight, run_checks(straight, reference=f"planted:{game.__name__}")


@pytest.mark.full
@pytest.mark.parametrize("name", in_turn(4, planted.PLANTED))
def test_a_planted_fault_gets_its_verdict(name: str):
    game, expected = planted.PLANTED[name]
    _, found = checked(game)
    if not expected.checks:
        assert found.explain() == "", "no run on this machine can show it"
        return
    told = found.explain()
    assert found.divergences, "it is found"
    first = found.divergences[0]
    assert first.check in expected.checks, told
    assert not expected.said or any(said in told for said in expected.said), told
    source = Path(planted.__file__).read_text().splitlines()
    named = [source[int(line.split(":")[1]) - 1] for line in (*first.lines, *first.asks)]
    assert not expected.line or any(of in line for of in expected.line for line in named), told


@pytest.mark.full
def test_a_clock_for_drawing_is_noted_and_no_fault():
    _, found = checked(planted.Drawn)
    assert found.divergences == []
    assert {note.what for note in found.asked} == {"time.time"}


@pytest.mark.full
@pytest.mark.parametrize("name", in_turn(4, planted.RIGHT))
def test_a_game_that_is_right_gets_no_verdict(name: str):
    _, found = checked(planted.RIGHT[name])
    assert found.explain() == ""
    assert found.left_out == []


@pytest.mark.full
def test_a_line_that_never_ran_is_listed():
    _, found = checked(planted.Late)
    missed = [one for one in found.missed if one.function.endswith("Late.number")]
    source = Path(planted.__file__).read_text().splitlines()
    assert [source[one.first - 1].strip() for one in missed] == ["return time.time_ns()"]


@pytest.mark.full
def test_a_line_that_ran_is_not_listed_where_the_game_ends_the_trace():
    _, found = checked(planted.Deep)
    if any("the lines that never ran are not known" in note for note in found.notes):
        assert found.missed == []
    else:
        assert sys.version_info >= (3, 12)
        assert not [one for one in found.missed if one.function.endswith("Deep.number")]


def test_there_are_enough_planted_faults():
    verdicts = [verdict for _, verdict in planted.PLANTED.values()]
    assert len(verdicts) >= 60
    assert len(planted.RIGHT) >= 20
    found = [verdict for verdict in verdicts if verdict.checks]
    assert len(found) >= 0.95 * len(verdicts)
    assert all(verdict.said or verdict.line for verdict in found), "each is named"
    checks = {check for _, verdict in planted.PLANTED.values() for check in verdict.checks}
    assert checks == {*CHECKS} - {"order"}, "test_synctest.py has that one"


def test_every_variant_has_another_hash_seed_and_changes_every_factor():
    variants = [variant(number) for number in range(1, 13)]
    for name in FACTORS:
        assert any(name in values for values in variants)
    seeds = [values["the hash seed of strings"] for values in variants]
    assert len({*seeds}) == 12
    assert 0 not in seeds


_GAME = """
import sys
sys.path.append({tests!r})
from bumpers import Bumpers
class Game(Bumpers):
    pass
"""


@pytest.mark.full
def test_a_file_beside_the_game_hides_no_module_of_the_standard_library(tmp_path: Path):
    (tmp_path / "my_game.py").write_text(_GAME.format(tests=str(Path(__file__).parent)))
    for name in ("uuid", "platform", "statistics"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not this one')")
    # The installed program: `python -c` has the current folder in its path before it runs a line.
    command = [Path(sys.executable).with_name("fixsync"), "synctest", "my_game:Game"]
    done = ran([*command, "--frames", "20"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "process: the same" in done.stdout

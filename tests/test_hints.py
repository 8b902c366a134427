"""Hints: the floats that the sync test names in a simulation's source."""

from __future__ import annotations

import json

import broken
import pytest
from click.testing import CliRunner
from tools import each

from fixsync.cli.synctest import synctest_command
from fixsync.sample.skillfight import SkillFight
from fixsync.synctest.hints import hints_in, hints_of


@each(
    ("source", "expected"),
    [
        ("x = 0.5", "a float literal"),
        ("x = 1 / 2", "the operator / (of integers it gives a float)"),
        ("x /= 2", "the operator / (of integers it gives a float)"),
        ("name = 'a'; x = speed / name", "the operator / (of integers it gives a float)"),
        ("import math; y = math.cos(x)", "a use of math.cos"),
        ("from math import sin as s; y = s(x)", "a use of math.sin"),
    ],
)
def test_a_hint_names_what_is_there(source: str, expected: str) -> None:
    (hint,) = hints_in(source, "game.py")
    assert hint.what == expected
    assert str(hint) == f"game.py:{hint.line}: {expected}"


@pytest.mark.parametrize(
    "source",
    [
        "x = 1 // 2",
        "from pathlib import Path; level = Path(__file__).parent / 'level.json'",
        "import pathlib; A = pathlib.Path('a'); b = A / name; c = A.resolve() / name / 'x'",
        "def f(folder): return folder / 'level.json'",
        "def f(folder, name): return folder.parent / f'{name}.json'",
        "def f(folder): folder /= 'levels'",
        "import math; y = math.isqrt(x)",
    ],
)
def test_what_is_exact_gives_no_hint(source: str) -> None:
    assert hints_in(source, "game.py") == []


def test_the_sample_and_what_has_no_source_give_no_hints() -> None:
    assert hints_of(SkillFight) == []
    assert hints_of(object()) == hints_of(int) == []


def test_the_sync_test_prints_hints_and_they_decide_nothing() -> None:
    (hint,) = hints_of(broken.Unsaved)
    options = ["broken:Bumpers", "--frames", "5", "--check", "order"]
    done = CliRunner().invoke(synctest_command, options)
    assert (done.exit_code, "hint:" in done.output) == (0, False), "bumpers.py defines that class"
    options[0] = "broken:Unsaved"
    done = CliRunner().invoke(synctest_command, options)
    assert done.exit_code == 0
    assert hint.what == "the operator / (of integers it gives a float)"
    assert f"hint: {hint}" in done.output
    reported = json.loads(CliRunner().invoke(synctest_command, [*options, "--json"]).output)
    assert reported["hints"] == [hint._asdict()]

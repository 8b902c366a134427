"""Hints: what the sync test points at in a simulation's source, and what it leaves alone."""

from __future__ import annotations

import json

import broken
import pytest
from click.testing import CliRunner

from fixsync.cli.synctest import synctest_command
from fixsync.sample.skillfight import SkillFight
from fixsync.synctest.hints import hints_in, hints_of
from fixsync.synctest.instrumented import from_here


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 0.5", "a float literal"),
        ("x = 1 / 2", "the operator / (of integers it gives a float)"),
        ("x /= 2", "the operator / (of integers it gives a float)"),
        ("name = 'a'; x = speed / name", "the operator / (of integers it gives a float)"),
        ("import math; y = math.cos(x)", "a use of math.cos"),
        ("import random as r; y = r.random()", "a use of random.random"),
        ("from time import time as now; y = now()", "a use of time.time"),
        ("y = hash(name)", "a call of hash()"),
        ("y = {id(thing): thing}", "a call of id()"),
        ("y = sorted(things, key=id)", "id as a function"),
        ("y = max(names, key=hash)", "hash as a function"),
        ("import threading; y = threading.Thread(target=f)", "a use of threading.Thread"),
        (
            "from concurrent import futures; y = futures.ThreadPoolExecutor(2)",
            "a use of concurrent.futures.ThreadPoolExecutor",
        ),
        ("import weakref; y = weakref.WeakSet()", "a use of weakref.WeakSet"),
        ("for x in {1, 2}: pass", "an iteration over a set"),
        ("y = [x for x in set(z)]", "an iteration over a set"),
        ("def f():\n s = set()\n for x in s: pass", "an iteration over a set"),
        (
            "class A:\n def f(self): self.s = set()\n def g(self):\n  for x in self.s: pass",
            "an iteration over a set",
        ),
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
        "def f(id): return id\nfor id in range(3): print(id)",
        "import weakref; y = weakref.ref(x)",
        "from fixsync.game.random import Random; y = Random(1).below(6)",
        "class A:\n def hash(self): return self.hash()",
        "def hash(x): return 1\ny = hash(2)",
        "import time\ndef f(time): return time.left",
        "for x in sorted({1, 2}): pass",
        "y = sum(x for x in {1, 2})",
        "y = {x for x in {1, 2}}",
        "def f(s):\n for x in s: pass",
        "def f():\n s = set()\n s = [1]\n for x in s: pass",
        "def f():\n s = set()\ndef g(s):\n for x in s: pass",
    ],
)
def test_what_is_exact_or_unknown_gives_no_hint(source: str) -> None:
    assert hints_in(source, "game.py") == []


def test_the_sample_and_what_has_no_source_give_no_hints() -> None:
    assert hints_of(SkillFight) == []
    assert hints_of(object()) == hints_of(int) == []


def test_the_sync_test_prints_hints_and_they_decide_nothing() -> None:
    (line,) = [hint.line for hint in hints_of(broken.Unsaved) if hint.what == "a call of hash()"]
    options = ["broken:Bumpers", "--frames", "5", "--check", "order"]
    done = CliRunner().invoke(synctest_command, options)
    assert (done.exit_code, "hint:" in done.output) == (0, False), "bumpers.py defines that class"
    options[0] = "broken:Unsaved"
    done = CliRunner().invoke(synctest_command, options)
    assert done.exit_code == 0
    file = from_here(broken.__file__)
    assert f"hint: {file}:{line}: a call of hash()" in done.output
    reported = json.loads(CliRunner().invoke(synctest_command, [*options, "--json"]).output)
    assert {"file": broken.__file__, "line": line, "what": "a call of hash()"} in reported["hints"]

"""Whose results a log has: semantics, build and data, and the verdict of a difference by them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import logs
import pytest
from bumpers import Bumpers
from msgspec import UNSET
from tools import Run

from fixsync import Pose, Sphere, World
from fixsync._native.raw import lib
from fixsync.farm.verdicts import EXIT_CODES
from fixsync.farm.worker import _digest_of_frames
from fixsync.log import Reader, Recorder, SimRecorder, diff, replay
from fixsync.log.cut import cut
from fixsync.log.origin import Other, others_text
from fixsync.log.replay import Verdict
from fixsync.match.sim import build_of, data_of, hash_of, start

TABLE = b"frames of attacks"
DIGEST = f"{hash_of(TABLE):016x}"
HERE = {"semantics": lib.FXS_SEMANTICS, "build": "v2", "data": DIGEST}
OTHER = {"semantics": lib.FXS_SEMANTICS + 1, "build": 'v1 "é"', "data": "0123456789abcdef"}
FRAMES = 3


@pytest.fixture(autouse=True)
def _is_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of the farm import this module."""
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", here)
    monkeypatch.syspath_prepend(here)


class Stocked(Bumpers):
    name = "stocked"
    build: str | None = "v2"
    data: Any = TABLE


SIMULATIONS = {"stocked": Stocked}


def recorded(path: Path, kind: str) -> list[bytes]:
    """The lines of a match of this program: of a trace, or of a simulation."""
    if kind == "sim":
        game = Stocked(1, 2)
        with SimRecorder(game, path, seed=1) as recorder:
            for frame in range(FRAMES):
                inputs = [1, 2]
                events = game.step(inputs)
                recorder.record(frame, inputs, events, game.world.hash(), state=game.hash())
    else:
        world = World(4)
        with Recorder(world, path, build="v2", data=TABLE):
            world.add(1, Sphere(100), Pose(0, 0, 0))
            for _ in range(FRAMES):
                world.step()
    return path.read_bytes().splitlines(keepends=True)


def edited(path: Path, lines: list[bytes], said: dict[str, Any], *, is_equal: bool) -> Path:
    """The log with other keys of its recorder."""
    head = json.loads(lines[0])
    for key in HERE:
        head.pop(key)
    head |= {key: said[key] for key in HERE if said[key] is not None}
    rest = [json.loads(line) for line in lines[1:-1]]
    if not is_equal:
        rest[1]["hash"] = "0" * 16
    return logs.write(path, head, rest)


WORDS = {
    "data": Verdict.OTHER_DATA,
    "semantics": Verdict.OTHER_SEMANTICS,
    "build": Verdict.OTHER_BUILD,
}
SAID = [dict(zip(HERE, values, strict=True)) for values in itertools.product(*(
    (None, HERE[key], OTHER[key]) for key in HERE
))]  # fmt: skip


@pytest.mark.parametrize("kind", ["trace", "sim"])
def test_a_difference_is_named_by_what_the_log_was_recorded_with(kind: str, tmp_path: Path) -> None:
    """All cases: a key is missing, the same or another, and a result is equal or not. Of a trace
    the results depend on the kernel alone."""
    lines = recorded(tmp_path / "log.jsonl", kind)
    for number, said in enumerate(SAID):
        known = HERE if kind == "sim" else ["semantics"]
        others = [key for key in WORDS if key in known and said[key] == OTHER[key]]
        for is_equal in (True, False):
            log = edited(tmp_path / f"{number}.jsonl", lines, said, is_equal=is_equal)
            found = replay(log, simulations=SIMULATIONS)
            due = WORDS[others[0]] if others else Verdict.DIVERGED
            assert found.verdict is (Verdict.IDENTICAL if is_equal else due), said
            assert found.verdict.exit_code == int(not is_equal)
            assert [tuple(one) for one in found.others] == [
                (key, OTHER[key], HERE[key]) for key in others
            ]
            assert EXIT_CODES[found.verdict.value] == found.verdict.exit_code


@pytest.mark.parametrize(("key", "value"), [("build", None), ("data", None), ("data", "other")])
def test_a_simulation_that_says_less_or_else_is_another(
    key: str, value: Any, tmp_path: Path
) -> None:
    lines = recorded(tmp_path / "log.jsonl", "sim")
    log = edited(tmp_path / "edited.jsonl", lines, HERE, is_equal=False)
    other = type("Other", (Stocked,), {key: value})
    found = replay(log, simulations={"stocked": other})
    assert found.verdict is WORDS[key]
    here = None if value is None else f"{hash_of(value.encode()):016x}"
    assert found.others == [(key, HERE[key], here)]


def test_a_refused_frame_of_another_program_says_so(tmp_path: Path, run: Run) -> None:
    lines = recorded(tmp_path / "log.jsonl", "sim")
    lines = [line.replace(b'"inputs":[1,2]', b'"inputs":[1,9]') for line in lines]
    log = edited(tmp_path / "edited.jsonl", lines, OTHER, is_equal=True)
    found = replay(log, simulations=SIMULATIONS)
    assert (found.verdict, len(found.others)) == (Verdict.INVALID, 3)
    code, out, _ = run("replay", log, "--sim", f"{__name__}:Stocked")
    assert code == 2
    assert f"recorded with other data (0123456789abcdef, here {DIGEST})" in out
    code, out, _ = run("farm", log, "--sim", f"{__name__}:Stocked", "--results", tmp_path / "r")
    assert code == 2
    assert "recorded with other data (0123" in out


def test_the_commands_say_it_instead_of_diverged(tmp_path: Path, run: Run) -> None:
    lines = recorded(tmp_path / "log.jsonl", "sim")
    log = edited(tmp_path / "edited.jsonl", lines, {**HERE, "data": OTHER["data"]}, is_equal=False)
    simulation = ["--sim", f"{__name__}:Stocked"]
    code, out, _ = run("replay", log, *simulation)
    assert code == 1
    why = f"recorded with other data (0123456789abcdef, here {DIGEST})"
    assert out.splitlines()[1].startswith("recorded with other data")
    assert f"  {why}\n  first difference in frame 1 (line 3)\n" in out
    assert "diverged" not in out
    reported = json.loads(run("replay", log, *simulation, "--json")[1])["logs"][0]
    assert reported["verdict"] == "recorded with other data"
    other = {"what": "data", "recorded": OTHER["data"], "here": DIGEST}
    assert reported["others"] == [other]
    code, out, _ = run("farm", log, *simulation, "--results", tmp_path / "r.sqlite")
    assert code == 1
    assert f"edited.jsonl: {why}; frame 1, hash: the log says 0000" in out
    assert "diverged" not in out
    _, out, _ = run("info", log)
    said = {key: str(value) for key, value in HERE.items()}
    rows = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert {key: rows[key] for key in HERE} == {**said, "data": OTHER["data"]}


def test_two_logs_that_differ_say_that_their_recorders_did(tmp_path: Path, run: Run) -> None:
    lines = recorded(tmp_path / "log.jsonl", "sim")
    a = edited(tmp_path / "a.jsonl", lines, HERE, is_equal=True)
    b = edited(tmp_path / "b.jsonl", lines, OTHER, is_equal=False)
    why = (
        f"recorded with other data ({DIGEST} in A, 0123456789abcdef in B), recorded by another "
        f"semantics ({HERE['semantics']} in A, {OTHER['semantics']} in B), recorded by another "
        'build ("v2" in A, "v1 "é"" in B)'
    )
    found = diff(a, b, simulations=SIMULATIONS)
    assert [(row.name, row.a, row.b) for row in found.header] == [
        (key, HERE[key], OTHER[key]) for key in HERE
    ]
    assert (found.frame, found.exit_code) == (1, 1)
    assert why in found.notes
    blamed = [note for note in found.notes if note.startswith(f"replaying {b}")]
    assert "recorded with other data (0123456789abcdef, here" in blamed[0]
    assert "did something else" not in " ".join(found.notes)
    assert not any("depends on its process" in note for note in found.notes)
    same = edited(tmp_path / "same.jsonl", lines, OTHER, is_equal=True)
    found = diff(a, same, simulations=SIMULATIONS)
    assert (found.frame, found.exit_code, why in found.notes) == (None, 1, False)
    assert diff(a, same, simulations=SIMULATIONS, ignore_meta=True).is_same
    unknown = edited(tmp_path / "old.jsonl", lines, dict.fromkeys(HERE), is_equal=True)
    assert diff(a, unknown, simulations=SIMULATIONS).is_same
    code, out, _ = run("diff", a, b, "--ignore-meta", "--sim", f"{__name__}:Stocked")
    assert code == 1
    assert why in out


def head_of(path: Path) -> dict[str, Any]:
    with Reader(path) as reader:
        return {key: getattr(reader.header, key) for key in HERE}


@pytest.mark.parametrize("kind", ["trace", "sim"])
def test_a_copy_says_whose_results_it_has(kind: str, tmp_path: Path) -> None:
    """A part has the log's own frames; a filled log has computed ones, and says only what its log
    says, so that a version that knows no such key can read it."""
    lines = recorded(tmp_path / "log.jsonl", kind)
    assert head_of(tmp_path / "log.jsonl") == HERE
    copy = tmp_path / "copy.jsonl"
    for number, said in enumerate(SAID):
        log = edited(tmp_path / f"{number}.jsonl", lines, said, is_equal=True)
        cut(log, copy, 1, 2, simulations=SIMULATIONS)
        assert head_of(copy) == said
        replay(log, output=copy, simulations=SIMULATIONS)
        computed = HERE if kind == "sim" else {"semantics": HERE["semantics"]}
        assert head_of(copy) == {
            key: said[key] if said[key] is None else computed.get(key, said[key]) for key in HERE
        }


def test_a_digest_of_what_was_computed_has_no_version(tmp_path: Path) -> None:
    """Two versions of fixsync with other semantics that compute the same have one digest."""
    lines = recorded(tmp_path / "log.jsonl", "trace")
    found = {
        _digest_of_frames(edited(tmp_path / "copy.jsonl", lines, said, is_equal=True))
        for said in SAID
    }
    assert len(found) == 1
    assert _digest_of_frames(edited(tmp_path / "c", lines, HERE, is_equal=False)) not in found


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("data", 5, "data of a simulation must be bytes or a str, not 5"),
        ("data", {"a": 1}, "data of a simulation must be bytes or a str, not {'a': 1}"),
        ("data", lambda: b"", "must be bytes or a str, not .*: make it a property"),
        ("build", b"v1", "build of a simulation must be a str, not b'v1'"),
        ("build", 3, "build of a simulation must be a str, not 3"),
        ("build", "1\ud800", "build of a simulation has half of a surrogate pair: '1.ud800'"),
        ("data", "1\ud800", "data of a simulation has half of a surrogate pair: '1.ud800'"),
    ],
)
def test_a_wrong_member_is_named_at_the_start(name: str, value: Any, said: str) -> None:
    wrong = type("Wrong", (Bumpers,), {name: staticmethod(value) if callable(value) else value})
    with pytest.raises((TypeError, ValueError), match=said):
        start(wrong, 1, 2)


def test_a_build_is_quoted_and_cut() -> None:
    found = [Other("build", "", None), Other("build", "none", "1" * 99), Other("data", "ab", "cd")]
    cut = '"' + "1" * 57 + '..."'
    builds = [
        f"recorded by another build ({two})" for two in ('"", here none', f'"none", here {cut}')
    ]
    assert others_text(found) == ", ".join([*builds, "recorded with other data (ab, here cd)"])


def test_text_is_its_utf_8_and_nothing_is_none() -> None:
    def of(**members: Any) -> Any:
        return type("Game", (), members)()

    assert data_of(of(data="é")) == data_of(of(data="é".encode())) == hash_of("é".encode())
    assert data_of(of(data=bytearray(b"ab"))) == data_of(of(data=memoryview(b"a.b.")[::2])) + 0
    assert data_of(of(data=b"")) == hash_of(b"") != 0
    assert data_of(of()) is None is build_of(of())
    assert build_of(of(build="")) == ""


def test_capital_digits_are_read_as_the_same(tmp_path: Path) -> None:
    logs.write(tmp_path / "log.jsonl", logs.header(data=DIGEST.upper()), [])
    assert head_of(tmp_path / "log.jsonl")["data"] == DIGEST
    with Reader(tmp_path / "log.jsonl") as reader:
        assert reader.header.semantics is None
        assert UNSET not in (reader.header.build, reader.header.semantics)

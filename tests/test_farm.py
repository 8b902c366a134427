"""fixsync farm: a verdict for every log, whatever the log does to the process that verifies it, and
whatever ends the run."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import logs
import msgspec
import pytest
import trouble
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from tools import Run, by_default, lock, needs, ran

import fixsync
from fixsync.farm import engines, regress
from fixsync.farm.engines import LocalEngine
from fixsync.farm.find import SourceError, find
from fixsync.farm.run import (
    BATCH_BYTES,
    BATCH_LOGS_MAX,
    LOG_BYTES,
    Progress,
    Summary,
    batches,
    farm,
)
from fixsync.farm.sandbox import Sandbox, Settings, WorkerError
from fixsync.farm.store import ResultsError, Store, Todo
from fixsync.farm.verdicts import EXIT_CODES, Outcome, exit_code
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay
from fixsync.world.shapes import Pose, Sphere
from fixsync.world.world import World

HERE = Path(__file__).parent
SCALE = HERE.parent / "docs" / "scale.md"
FRAMES = logs.model_frames(logs.small_match())
SETTINGS = Settings(path=(str(HERE),), sims=("trouble:Trouble",), memory_bytes=1 << 30, seconds=30)

changed = partial(msgspec.structs.replace, SETTINGS)
FIXSYNC = [sys.executable, "-c", "from fixsync.cli import main; main()"]

devices = pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="there are no such names")
posix = pytest.mark.skipif(
    sys.platform == "win32", reason="signals, links and pipes are of POSIX systems"
)


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `fixsync farm` with a worker, in a folder of its own."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("fixsync.cli.farm.cores", lambda: 1)
    return partial(run, "farm")


def reported(run: Run, *arguments: Any) -> dict[str, Any]:
    """What the command prints as JSON."""
    _, out, _ = run(*arguments, "--json")
    answer: dict[str, Any] = json.loads(out)
    return answer


def good(path: Path, frames: int = 4) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return logs.write(path, logs.header(), FRAMES[:frames])


def verified(
    sources: list[Path], results: Path, settings: Settings = SETTINGS, **options: Any
) -> Summary:
    """A run without the command line."""
    with Store(results) as store, LocalEngine(settings, 1) as engine:
        return farm(find(list(map(str, sources))), store, engine, settings, **options)


FARM = Path("farm.sqlite")


def rows(results: Path = FARM, columns: str = "name, verdict") -> list[tuple[Any, ...]]:
    """What the results file tells of the latest run, by name, in a connection of its own."""
    with closing(sqlite3.connect(results)) as db:
        return db.execute(f"SELECT {columns} FROM results ORDER BY name").fetchall()  # noqa: S608


def verdicts(results: Path = FARM) -> dict[str, str]:
    return {Path(os.fsdecode(name)).name: verdict for name, verdict in rows(results)}


def outcomes(settings: Settings, folder: Path, *troubles: str) -> list[Outcome]:
    """The outcomes of logs with these troubles, which one sandbox verifies."""
    paths = [
        trouble.write(folder / f"{number}.jsonl", name, seed=number)
        for number, name in enumerate(troubles)
    ]
    with closing(Sandbox(settings)) as sandbox:
        return list(sandbox.verify(list(map(str, paths))))


# Verdicts.


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log of each verdict."""
    folder = tmp_path_factory.mktemp("kinds")
    good(folder / "good.jsonl")
    good(folder / "below" / "deep" / "good.jsonl")
    logs.broken(folder / "hash.jsonl", hash="0" * 16)
    logs.broken(folder / "events.jsonl", events=[[1, 2, 2, 1]])
    logs.broken(folder / "queries.jsonl", queries=[[]])
    logs.broken(folder / "cut.jsonl", footer=False)
    logs.broken(folder / "cut_and_diverged.jsonl", footer=False, hash="0" * 16)
    bare = [{"frame": frame["frame"], "commands": frame["commands"]} for frame in FRAMES]
    logs.write(folder / "bare.jsonl", logs.header(), bare)
    logs.broken(folder / "refused.jsonl", commands=[["move", 4, [0, 0, 0]]])
    world = World(4)
    world.add(1, Sphere(10), Pose(0, 0, 0))
    world.add(2, Sphere(10), Pose(15, 0, 0))
    world.step()
    with Recorder(world, folder / "from_the_middle.jsonl"):
        world.step()
    (folder / "empty.jsonl").touch()
    (folder / "garbage.jsonl").write_bytes(random.Random(1).randbytes(5000))
    (folder / "damaged.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00" + b"\xff" * 100)
    (folder / "no log.txt").write_text("this is looked at by nobody")
    return folder


@pytest.fixture(scope="module")
def results(every_kind: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results file of a run over them."""
    path = tmp_path_factory.mktemp("results") / "r.sqlite"
    verified([every_kind], path)
    return path


def as_replayed(results: Path) -> dict[str, str]:
    """The verdicts by name. Every column is what replaying the log gives."""
    columns = "verdict, frames, hits, hash, line, field"
    compared = "compared_events, compared_queries, compared_hashes, compared_states"
    found = rows(results, f"name, {columns}, {compared}")
    for name, *values in found:
        result = replay(name)
        error, counts = result.error, result.compared
        assert values == [
            *(result.verdict.value, result.frames, result.hits, result.hash or None),
            *((error.line or None, error.field or None) if error else (None, None)),
            *(counts.events, counts.queries, counts.hashes, counts.states),
        ]
    return {name: verdict for name, verdict, *_ in found}


def test_a_log_of_every_kind_has_the_verdict_that_replaying_it_has(
    every_kind: Path, run: Run
) -> None:
    code, out, err = run(every_kind, "--json", "-j", 2)
    assert (code, err) == (2, "")
    answer = json.loads(out)
    found = as_replayed(FARM)
    assert len(found) == answer["logs"] == answer["verified"] == 13
    assert {one["name"]: one["verdict"] for one in answer["failed"]} == {
        name: verdict for name, verdict in found.items() if EXIT_CODES[verdict]
    }
    assert answer["verdicts"]["diverged"] == {"logs": 4, "frames": 16}


def test_mutated_logs_have_the_verdicts_that_replaying_them_has(tmp_path: Path) -> None:
    dice = random.Random(9)
    text = logs.text_of(logs.header(), FRAMES)
    for number in range(60):
        data = bytearray(text)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(data))
            data[at : at + dice.randint(0, 3)] = dice.randbytes(dice.randint(0, 3))
        (tmp_path / f"{number}.jsonl").write_bytes(data[: dice.randint(1, len(data) * 2)])
    verified([tmp_path], tmp_path / "r.sqlite")
    found = as_replayed(tmp_path / "r.sqlite")
    assert len(found) == 60
    assert len({*found.values()}) >= 3


def test_the_reason_is_told_in_a_line_and_good_logs_are_only_counted(
    every_kind: Path, run: Run
) -> None:
    code, out, _ = run(every_kind)
    lines = {line.split(": ")[0].rpartition("/")[2]: line for line in out.splitlines()}
    assert code == 2
    events = "the log says STAY TOUCHING, replaying gives STAY OVERLAPPING"
    for name, said in {
        "events": f"diverged: frame 2, the events of 1, 2: {events}",
        "queries": "diverged: frame 2, queries[0]: the log says [], replaying gives [1,2]",
        "cut": "cut short: after 4 frames: there is no last line",
        "refused": "not valid: line 4, commands[0]: id 4 is not in the world",
    }.items():
        assert lines[f"{name}.jsonl"].endswith(f": {said}")
    hashes = "diverged: frame 2, hash: the log says 0000000000000000, replaying gives"
    assert hashes in lines["hash.jsonl"]
    assert ["nothing", "to", "compare", "1", "4"] in [line.split() for line in out.splitlines()]
    assert not {"bare.jsonl", "good.jsonl", "no log.txt"} & lines.keys()
    assert "results: farm.sqlite" in out
    assert "\x1b" not in out


@given(st.lists(st.sampled_from(list(EXIT_CODES))))
def test_the_exit_code_is_the_worst(found: list[str]) -> None:
    codes = {EXIT_CODES[verdict] for verdict in found}
    assert exit_code(found) == next((code for code in (2, 1, 3) if code in codes), 0)
    assert {verdict.value: verdict.exit_code for verdict in Verdict}.items() <= EXIT_CODES.items()
    for verdict in ("crashed", "out of memory", "timed out", "unreadable"):
        assert EXIT_CODES[verdict] == 2


@pytest.mark.full
def test_a_log_of_an_unknown_simulation_needs_it_and_is_good_with_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = trouble.write(tmp_path / "a.jsonl", "none")
    good(tmp_path / "b.jsonl")
    code, out, _ = run(tmp_path)
    assert (code, verdicts()["a.jsonl"]) == (2, "needs its simulation")
    (line,) = [line for line in out.splitlines() if str(log) in line]
    assert line.startswith(f"{log}: needs its simulation: ")
    assert "trouble" in line
    assert "--sim MODULE:OBJECT" in out
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.syspath_prepend(str(HERE))
    code, _, _ = run(log, "--sim", "trouble:Trouble")
    assert (code, verdicts()) == (0, {"a.jsonl": "nothing to compare"})


# Logs that end or exhaust their worker.


@pytest.mark.full
@posix
def test_a_log_that_ends_its_worker_has_that_for_a_verdict_and_the_others_have_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    bad = {
        "kill": "crashed: the worker was ended by SIGKILL, perhaps by the system for lack of memory",
        "abort": "crashed: the worker was ended by SIGABRT",
        "segfault": "crashed: the worker was ended by SIGSEGV",
        "exit": "crashed: SystemExit: 0",
        "raise": "crashed: ZeroDivisionError: integer division or modulo by zero",
        "memory": "out of memory: needs more than the 512 MiB of a worker",
    }
    for name in bad:
        trouble.write(folder / f"{name}.jsonl", "none", name)
    for number in range(8):
        good(folder / f"good{number}.jsonl")
    trouble.write(folder / "talk.jsonl", "talk")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings = changed(memory_bytes=512 << 20)
    summary = verified([folder], tmp_path / "r.sqlite", settings)
    columns = "name, verdict, coalesce(': ' || reason, '')"
    found = {
        Path(name).stem: verdict + reason
        for name, verdict, reason in rows(tmp_path / "r.sqlite", columns)
    }
    others = {f"good{number}": "identical" for number in range(8)}
    assert found == {**bad, **others, "talk": "nothing to compare"}
    assert (summary.exit_code, summary.logs) == (2, 15)
    traces = {Path(name).stem: trace for name, trace in rows(tmp_path / "r.sqlite", "name, trace")}
    assert "Fatal Python error: Segmentation fault" in traces["segfault"]
    assert "trouble.py" in traces["segfault"]
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["logs"], (
        "scratch is removed"
    )


@pytest.mark.full
def test_a_log_that_takes_too_long_is_ended_and_the_next_has_its_time(tmp_path: Path) -> None:
    found = outcomes(changed(seconds=3), tmp_path, "none", "loop", "none")
    assert [(outcome.verdict, outcome.reason) for outcome in found] == [
        ("nothing to compare", ""),
        ("timed out", "took longer than 3 s"),
        ("nothing to compare", ""),
    ]


@pytest.mark.full
@posix
def test_a_worlds_memory_counts_as_a_workers(tmp_path: Path) -> None:
    logs.write(tmp_path / "large.jsonl", logs.header(capacity=3_000_000), FRAMES)
    good(tmp_path / "small.jsonl")
    for mebibytes, verdict in ((400, "out of memory"), (4000, "identical")):
        settings = Settings(memory_bytes=mebibytes << 20)
        results = tmp_path / f"{mebibytes}.sqlite"
        verified([tmp_path], results, settings)
        assert verdicts(results) == {"large.jsonl": verdict, "small.jsonl": "identical"}


@pytest.mark.full
@posix
def test_a_log_is_not_blamed_for_what_the_logs_before_it_did_to_the_worker(tmp_path: Path) -> None:
    found = outcomes(SETTINGS, tmp_path, "none", "none", "not first", "none")
    assert [outcome.verdict for outcome in found] == ["nothing to compare"] * 4


def test_a_simulation_that_is_not_there_stops_the_run_and_is_no_verdict(
    run: Run, every_kind: Path
) -> None:
    code, out, err = run(every_kind, "--sim", "nowhere:Nothing")
    assert (code, out) == (2, "")
    assert "there is no module nowhere" in err
    assert "Traceback" not in err


def test_a_worker_that_cannot_be_started_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WorkerError, match="cannot be started"):
        regress.identity(changed(python=str(tmp_path / "gone")))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(WorkerError, match=r"No such file or directory: .*gone"):
        regress.identity(SETTINGS)


# Runs that are ended.


def environment(folder: Path) -> dict[str, str]:
    """Of processes that play `trouble`."""
    return {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "TROUBLE_FILE": str(folder / "begun"),
        "TROUBLE_GATE": str(folder / "gate"),
        "TMPDIR": str(folder / "temporary"),
    }


def started(arguments: list[Any], folder: Path) -> subprocess.Popen[bytes]:
    (folder / "temporary").mkdir(exist_ok=True)
    return subprocess.Popen(
        [*FIXSYNC, "farm", *map(str, arguments)],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Tests that run in the background of a shell have inherited that interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def begun(folder: Path) -> list[tuple[int, int]]:
    """Process and seed of each log that was begun."""
    file = folder / "begun"
    lines = file.read_text().splitlines() if file.exists() else []
    return [(int(process), int(seed)) for process, seed in map(str.split, lines)]


def wait_until(is_true: Callable[[], bool], what: str) -> None:
    for _ in range(15_000):
        if is_true():
            return
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come")


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


LOGS, FREE = 16, 8
WAITING = ["waiting", "--sim", "trouble:Trouble", "-j", "2", "--json"]


def write_waiting(folder: Path) -> None:
    """Logs that are verified at once, and as many that wait for a gate. They are of one size, so
    they are verified in this order."""
    (folder / "waiting").mkdir()
    for number in range(LOGS):
        name = folder / "waiting" / f"{number:02}.jsonl"
        trouble.write(name, "none" if number < FREE else "wait", seed=100 + number)


def start_waiting(folder: Path) -> subprocess.Popen[bytes]:
    """A run of two workers, each within a log that waits, with all verdicts before them stored."""
    write_waiting(folder)
    process = started(WAITING, folder)
    wait_until(lambda: len(begun(folder)) == FREE + 2, "the logs that wait")
    wait_until(lambda: len(known(folder)) == FREE, "the verdicts")
    return process


def known(folder: Path) -> list[tuple[Any, ...]]:
    found = rows(folder / "farm.sqlite", "name, verdict, run, seconds")
    return [row for row in found if row[1] is not None]


@posix
def test_a_run_that_is_killed_goes_on_without_losing_or_repeating_a_verdict(
    tmp_path: Path,
) -> None:
    process = start_waiting(tmp_path)
    process.kill()
    process.communicate()
    first, before = begun(tmp_path), known(tmp_path)
    wait_until(lambda: not any(is_running(worker) for worker, _ in first), "the workers' end")
    wait_until(lambda: not list((tmp_path / "temporary").iterdir()), "the end of scratch")
    assert len(first) == FREE + 2, "a worker of a run that was killed began no other log"

    (tmp_path / "gate").touch()
    process = started(WAITING, tmp_path)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    answer = json.loads(out)
    assert (answer["known"], answer["verified"], answer["logs"]) == (FREE, LOGS - FREE, LOGS)
    after = known(tmp_path)
    assert len(after) == LOGS
    assert {row[1] for row in after} == {"nothing to compare"}
    assert [row for row in after if row[2] == 1] == before, "verdicts of the first run stay"
    assert sorted(seed for _, seed in begun(tmp_path)[len(first) :]) == [
        100 + number for number in range(FREE, LOGS)
    ]


@posix
def test_a_worker_ends_with_whoever_started_it_whatever_it_is_doing(tmp_path: Path) -> None:
    trouble.write(tmp_path / "a.jsonl", "loop")
    process = started(["a.jsonl", "--sim", "trouble:Trouble", "--time-limit", 0], tmp_path)
    wait_until(lambda: bool(begun(tmp_path)), "the log")
    process.kill()
    process.communicate()
    wait_until(lambda: not is_running(begun(tmp_path)[0][0]), "the end of the worker")


@pytest.mark.full
@posix
def test_an_interrupted_run_keeps_its_verdicts_and_leaves_no_worker(tmp_path: Path) -> None:
    process = start_waiting(tmp_path)
    before = known(tmp_path)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate()
    assert (process.returncode, out) == (130, b"")
    assert [line for line in err.decode().splitlines() if line] == [
        "verdicts so far are in farm.sqlite; the same command goes on from there",
        "interrupted",
    ]
    assert not any(is_running(worker) for worker, _ in begun(tmp_path))
    assert known(tmp_path) == before, "workers are not interrupted"


@pytest.mark.full
def test_a_log_is_verified_again_if_it_has_changed_or_if_asked_for(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    for name in ("a", "b", "c"):
        good(folder / f"{name}.jsonl")

    def counts(*options: str) -> tuple[int, int]:
        answer = reported(run, folder, *options)
        return answer["verified"], answer["known"]

    assert counts() == (3, 0)
    assert counts() == (0, 3)
    logs.broken(folder / "b.jsonl", hash="0" * 16)
    assert counts() == (1, 2)
    assert verdicts()["b.jsonl"] == "diverged"
    size = (folder / "b.jsonl").stat().st_size
    good(folder / "b.jsonl")
    assert (folder / "b.jsonl").stat().st_size == size
    assert counts() == (1, 2), "the time alone is enough"
    assert counts("--again") == (3, 0)
    (folder / "d.jsonl").symlink_to("e.jsonl")
    assert counts() == (0, 3)
    good(folder / "e.jsonl")
    assert counts() == (2, 3), "what could not be read is looked at again"
    (folder / "a.jsonl").unlink()
    assert counts() == (0, 4)
    assert "a.jsonl" not in verdicts(), "results are those of the logs that were found"


@pytest.mark.full
@posix
def test_logs_that_ended_a_worker_are_verified_again_if_asked_for(tmp_path: Path) -> None:
    trouble.write(tmp_path / "a.jsonl", "kill")
    good(tmp_path / "b.jsonl")
    for retry, count in ((False, 2), (False, 0), (True, 1)):
        found = verified([tmp_path], tmp_path / "r.sqlite", retry=retry)
        assert (found.progress.done_logs, found.counts["crashed"].logs) == (count, 1)


@pytest.mark.full
def test_verdicts_of_another_fixsync_or_with_other_simulations_are_kept_and_do_not_count(
    tmp_path: Path,
) -> None:
    log = good(tmp_path / "a.jsonl")
    results = tmp_path / "r.sqlite"
    verified([log], results, Settings())
    assert verified([log], results, Settings()).progress.known == 1
    assert verified([log], results, SETTINGS).progress.known == 0
    db = sqlite3.connect(results)
    db.execute("UPDATE builds SET kernel = 'another'")
    db.commit()
    assert verified([log], results, Settings()).progress.known == 0
    assert db.execute("SELECT count(*) FROM verdicts").fetchone() == (3,)
    db.close()


# Finding logs.


def names(sources: list[Any], folder: Path, **options: Any) -> list[str]:
    found = list(find([str(source) for source in sources], **options))
    return sorted(os.path.relpath(one.name, folder) + ("?" if one.problem else "") for one in found)


def test_folders_patterns_lists_and_logs_name_the_same_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.jsonl", "b/c.jsonl", "b/d/e.jsonl", "b/D.JSONL"):
        good(tmp_path / "logs" / name)
    (tmp_path / "logs" / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    everything = ["logs/a.jsonl", "logs/b/D.JSONL", "logs/b/c.jsonl", "logs/b/d/e.jsonl"]
    for source in ("logs", "logs/**/*", "logs/**", "log[s]"):
        assert names([source], tmp_path) == everything
    assert names(["logs/?.jsonl"], tmp_path) == ["logs/a.jsonl"]
    (tmp_path / "list").write_text("\n".join(everything) + "\n\nlogs/gone.jsonl\r\n")
    assert names(["list"], tmp_path) == sorted([*everything, "logs/gone.jsonl?"])
    (tmp_path / "nul").write_text("\0".join([*everything, ""]))
    assert names(["nul"], tmp_path, null=True) == everything
    assert names(["logs", "./logs/a.jsonl", "list"], tmp_path).count("logs/a.jsonl") == 3
    good(tmp_path / "match.log")
    (tmp_path / "binary").write_bytes(b"\x1f\x8b\0\0")
    for source in ("match.log", "binary"):
        assert names([source], tmp_path) == [source], "a file of another name may be a log"


def test_a_log_that_is_named_several_times_is_verified_once(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    good(folder / "a.jsonl")
    (tmp_path / "list").write_text(
        f"{folder}/a.jsonl\n{folder}//a.jsonl\n{folder}/../logs/a.jsonl\n"
    )
    sources = (folder, f"{folder}/*.jsonl", tmp_path / "list", folder / "a.jsonl")
    answer = reported(run, *sources)
    assert (answer["exit_code"], answer["verified"], answer["logs"]) == (0, 1, 1)


@posix
def test_what_cannot_be_read_has_that_for_a_verdict(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    good(folder / "good.jsonl")
    (folder / "dangling.jsonl").symlink_to("nothing")
    os.mkfifo(folder / "pipe.jsonl")
    (tmp_path / "list").write_text(f"{folder}/gone.jsonl\n{folder}\n{folder}/{'x' * 300}.jsonl\n")
    assert run(folder, tmp_path / "list")[0] == 2
    assert {
        Path(name).name[:14]: answer for name, *answer in rows(FARM, "name, verdict, reason")
    } == {
        "good.jsonl": ["identical", None],
        "dangling.jsonl": ["unreadable", "No such file or directory"],
        "gone.jsonl": ["unreadable", "No such file or directory"],
        "pipe.jsonl": ["unreadable", "not a regular file"],
        "logs": ["unreadable", "not a regular file"],
        "x" * 14: ["unreadable", "File name too long"],
    }


@posix
def test_a_log_that_is_gone_when_its_turn_comes_is_unreadable(tmp_path: Path) -> None:
    log = good(tmp_path / "a.jsonl")
    found = list(find([str(log)]))
    kept = log.rename(tmp_path / "kept")
    with Store(tmp_path / "r.sqlite") as store, LocalEngine(SETTINGS, 1) as engine:
        assert list(farm(found, store, engine, SETTINGS).counts) == ["unreadable"]
        assert "No such file" in next(store.known("unreadable"))["reason"]
    kept.rename(log)
    assert verified([log], tmp_path / "r.sqlite").progress.done_logs == 1, "it is looked at again"
    assert verdicts(tmp_path / "r.sqlite") == {"a.jsonl": "identical"}


@pytest.mark.full
@posix
@pytest.mark.parametrize("listed", [False, True])
def test_names_may_hold_whatever_a_system_lets_them(run: Run, tmp_path: Path, listed: bool) -> None:
    odd = [b"line\nfeed", b"quote'\"", b"-dash", b"\xff\xfe", b"a::b", b"[x]*?", b" "]
    odd.append("\u202e\u00e9\U0001f5e1".encode())
    folder = tmp_path / "logs [1]"
    folder.mkdir()
    paths = [os.path.join(os.fsencode(folder), name + b".jsonl") for name in odd]  # noqa: PTH118
    for path in paths:
        good(Path(os.fsdecode(path)))
    (tmp_path / "list").write_bytes(b"\0".join([*paths, b""]))
    answer = reported(run, "-0", tmp_path / "list" if listed else folder)
    assert (answer["exit_code"], answer["logs"]) == (0, len(odd))
    assert {os.fsencode(name): verdict for name, verdict in rows()} == dict.fromkeys(
        paths, "identical"
    )
    Path(os.fsdecode(paths[3])).write_bytes(b"")
    code, out, _ = run(folder)
    assert code == 2
    assert "\\udcff\\udcfe.jsonl: not valid: the file is empty" in out


@pytest.mark.parametrize("make", by_default(2, ["nothing", "pattern", "folder", "list"]))
def test_sources_without_logs_are_an_error(run: Run, tmp_path: Path, make: str) -> None:
    source = tmp_path / make
    if make == "folder":
        source.mkdir()
    elif make == "pattern":
        source = tmp_path / "*.jsonl"
    elif make == "list":
        source.write_text("\n")
    good(tmp_path / "logs" / "a.jsonl")
    code, out, err = run(tmp_path / "logs", source)
    assert (code, out) == (2, "")
    assert str(source) in err
    assert ("no such file" if make == "nothing" else "no match logs") in err
    if make == "nothing":
        assert not FARM.exists()
        return
    with closing(sqlite3.connect(FARM)) as db:
        for table in ("runs", "logs"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608


@devices
@pytest.mark.parametrize("null", [False, True])
def test_a_list_in_a_pipe_is_read_once_and_whole(tmp_path: Path, null: bool) -> None:
    paths = [str(tmp_path / f"{number}.jsonl") for number in range(300)]
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as file:
        file.writelines(path + ("\0" if null else "\n") for path in paths)
    try:
        assert [one.name for one in find([f"/dev/fd/{reading}"], null=null)] == paths
    finally:
        os.close(reading)


@posix
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no match logs"),
        (b"\n\n", "no match logs"),
        (b"a.jsonl\nb.json", "no line feed after its last name, 'b.json'"),
        (b"a.jsonl", "the list is cut short"),
        (b"x" * 70_000, "a name has more than 65536 bytes"),
        (b'{"format":"fixsync-match"}\n', "not a list of logs"),
    ],
)
@pytest.mark.parametrize("through", ["file", "-"])
def test_a_list_that_is_empty_or_cut_short_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, said: str, through: str
) -> None:
    source = "-"
    if through == "file":
        if data.startswith(b"{"):
            pytest.skip("in a file it is a log")
        (tmp_path / "list").write_bytes(data)
        source = str(tmp_path / "list")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(SourceError) as raised:
        list(find([source]))
    assert str(raised.value).startswith(f"{source}: ")
    assert said in str(raised.value)


def test_a_standard_input_that_cannot_be_read_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "written").open("w", encoding="utf-8") as file:
        for stdin, said in ((None, "-: standard input is closed"), (file, "-: ")):
            monkeypatch.setattr(sys, "stdin", stdin)
            with pytest.raises(SourceError, match=said):
                list(find(["-"]))


def test_a_folder_that_cannot_be_read_is_not_passed_over_by_a_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good(tmp_path / "a" / "good.jsonl")
    (tmp_path / "locked").mkdir()
    lock(monkeypatch)
    for pattern in ("*", "*/*.jsonl", "**/*.jsonl"):
        assert set(names([tmp_path / pattern], tmp_path)) == {"a/good.jsonl", "locked?"}


# Where there are no paths.


def zipped(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("logs/good.jsonl", logs.text_of(logs.header(), FRAMES))
        file.writestr("logs/below/cut.jsonl", logs.text_of(logs.header(), FRAMES, footer=False))
        file.writestr("logs/notes.txt", "")
    return path


@pytest.mark.full
def test_logs_are_read_through_fsspec_and_known_by_their_checksums(
    run: Run, tmp_path: Path
) -> None:
    needs("fsspec")
    path = zipped(tmp_path / "logs.zip")
    url = f"zip://logs::file://{path}"
    answer = reported(run, url)
    assert (answer["exit_code"], answer["verified"]) == (3, 2)
    assert rows() == [
        (f"zip://logs/below/cut.jsonl::file://{path}", "cut short"),
        (f"zip://logs/good.jsonl::file://{path}", "identical"),
    ]
    answer = reported(run, url)
    assert (answer["exit_code"], answer["known"]) == (3, 2)
    assert reported(run, f"zip://logs/*.jsonl::file://{path}")["known"] == 1
    listed = tmp_path / "list"
    listed.write_text("".join(f"zip://logs/{n}.jsonl::file://{path}\n" for n in ("good", "gone")))
    answer = reported(run, listed)
    assert (answer["exit_code"], answer["known"]) == (2, 1)
    assert answer["verdicts"]["unreadable"]["logs"] == 1
    assert run(f"simplecache::file://{good(tmp_path / 'x.jsonl')}")[0] == 0


@pytest.mark.full
def test_an_address_that_leads_nowhere_is_an_error(run: Run, tmp_path: Path) -> None:
    needs("fsspec")
    for url in (
        "nosuchthing://a",
        f"zip://*.jsonl::file://{tmp_path}/none.zip",
        f"file://{tmp_path}/none",
    ):
        code, out, err = run(url)
        assert (code, out) == (2, "")
        assert url in err


def test_without_fsspec_an_address_is_an_error_that_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    code, _, err = run("zip://a::file://b")
    assert code == 2
    assert "pip install fsspec" in err


# The results file.


def test_another_file_is_no_results_file_and_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    log = good(tmp_path / "a.jsonl")
    text, other, later = (tmp_path / name for name in ("text", "other", "later"))
    text.write_text("not a database, and long enough to be read as one" * 20)
    Store(later).close()
    for path, statement in ((other, "CREATE TABLE mine (a)"), (later, "PRAGMA user_version = 99")):
        with closing(sqlite3.connect(path)) as db:
            db.execute(statement)
    for path, said in (
        (text, "not a results file"),
        (other, "not a results file"),
        (later, "version 99"),
        (tmp_path / "no" / "folder", "there is no folder"),
    ):
        before = path.exists() and path.read_bytes()
        code, out, err = run(log, "-r", path)
        assert (code, out) == (2, "")
        assert said in err
        assert (path.exists() and path.read_bytes()) == before


def content(results: Path) -> dict[str, list[str]]:
    """All that a results file says, as text, read as the commands read it."""
    with Store(results) as store:
        found = {
            table: [repr(row) for row in store.query(f"SELECT * FROM {table}")]  # noqa: S608
            for table in ("builds", "runs", "logs", "verdicts")
        }
        found["counts"] = [repr(row) for row in store.counts()]
        found["known"] = [repr(row) for kind, *_ in store.counts() for row in store.known(kind)]
    return found


def damaged(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    at = rng.randrange(len(data))
    changed[at] ^= rng.choice((1, 0x80, 0xFF, rng.randrange(1, 256)))
    return bytes(changed)


@examples(400)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_damaged_byte_of_a_results_file_is_told_or_is_in_one_value(
    results: Path, seed: int
) -> None:
    """A number or a character that became another one cannot be noticed, and what follows from
    it; all else is."""
    rng = random.Random(seed)
    path = results.with_name("damaged.sqlite")
    for file in results.parent.glob("damaged.sqlite*"):
        file.unlink()
    path.write_bytes(damaged(rng, results.read_bytes()))
    try:
        found = content(path)
    except (ResultsError, sqlite3.Error, UnicodeDecodeError):
        return
    usual = content(results)
    tables = ("builds", "runs", "logs", "verdicts")
    changed = sum(
        a != b for table in tables for a, b in zip(found[table], usual[table], strict=True)
    )
    assert changed <= 1
    if not changed:
        assert found == usual


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"CREATE VIEW results", b"CREATE VIEW r\xffsults", "r.sqlite is"),
        (b"CREATE TABLE runs", b"CREATE TABLE r\xffns", "r.sqlite is"),
        (b"max(run) FROM", b"min(run) FROM", "r.sqlite is damaged: its schema is not that of"),
        (b"diverged", b"divorced", "r.sqlite is damaged: a row of verdicts has a wrong value"),
        (b'{"frame"', b'{"fr\xffme"', "r.sqlite is damaged: "),
        (b'{"frame"', b'["frame"', "r.sqlite is damaged: "),
        (b"SELECT logs.name", b"SELECT logs.size", "its schema is not that of version 2"),
        (b"SQLite format 3", b"SQLite format 4", "r.sqlite is not a results file of fixsync"),
    ],
)
def test_a_damaged_results_file_ends_with_2_and_names_the_file(
    run: Run, results: Path, every_kind: Path, tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    path = tmp_path / "r.sqlite"
    data = results.read_bytes().replace(old, new)
    assert data != results.read_bytes()
    path.write_bytes(data)
    code, out, err = run(every_kind, "-r", path)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert path.read_bytes() == data


@pytest.mark.full
@posix
@pytest.mark.parametrize("kibibytes", by_default(1, (8, 80)))
def test_a_results_file_that_cannot_grow_is_an_error_with_file_and_cause(
    tmp_path: Path, kibibytes: int
) -> None:
    folder, count = tmp_path / "logs", 4 * kibibytes
    for number in range(count):
        good(folder / f"{number}.jsonl")
    limited = ["bash", "-c", f'ulimit -f {kibibytes}; exec "$@"', "bash"]
    command = [*limited, *FIXSYNC, "farm", str(folder), "-j", "1"]
    done = ran(command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: farm.sqlite cannot be written: disk I/O error")
    assert verified([folder], tmp_path / "farm.sqlite").logs == count, "the file is whole"


@pytest.mark.full
def test_a_full_disk_keeps_the_verdicts_and_its_cause_is_told(tmp_path: Path) -> None:
    sources = [good(tmp_path / f"{number}.jsonl") for number in range(100)]
    first = verified(sources[:1], tmp_path / "r.sqlite")
    with Store(tmp_path / "r.sqlite") as store, LocalEngine(SETTINGS, 1) as engine:
        (pages,) = store.query("PRAGMA page_count").fetchone()
        store.query(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ResultsError, match=r"r.sqlite cannot be written: .*full"):
            farm(find([str(source) for source in sources]), store, engine, SETTINGS)
    assert verdicts(tmp_path / "r.sqlite") == {"0.jsonl": "identical"}, "the failed run left none"
    assert first.logs == 1
    assert verified(sources, tmp_path / "r.sqlite").progress.known == 1


@posix
def test_two_runs_do_not_write_one_results_file(run: Run, tmp_path: Path) -> None:
    log = good(tmp_path / "a.jsonl")
    with Store(tmp_path / "r.sqlite"):
        code, _, err = run(log, "-r", tmp_path / "r.sqlite")
        assert code == 2
        assert "is being written by another run" in err
    assert run(log, "-r", tmp_path / "r.sqlite")[0] == 0
    assert sorted(path.name for path in tmp_path.glob("r.sqlite*")) == ["r.sqlite"], (
        "it is one file"
    )


@posix
def test_a_results_file_has_one_lock_whatever_it_is_called(run: Run, tmp_path: Path) -> None:
    log = good(tmp_path / "a.jsonl")
    (tmp_path / "link.sqlite").symlink_to("r.sqlite")
    with Store(tmp_path / "r.sqlite"):
        code, _, err = run(log, "-r", tmp_path / "link.sqlite")
        assert (code, "link.sqlite is being written by another run" in err) == (2, True)
    (tmp_path / "hard.sqlite").hardlink_to(tmp_path / "r.sqlite")
    code, _, err = run(log, "-r", tmp_path / "hard.sqlite")
    assert (code, "hard.sqlite has several names" in err) == (2, True)
    (tmp_path / "hard.sqlite").unlink()
    assert run(log, "-r", tmp_path / "link.sqlite")[0] == 0


def test_an_empty_python_module_is_no_results_file(run: Run, tmp_path: Path) -> None:
    """SQLite takes an empty file for a new database; one of a package is empty."""
    log, module = good(tmp_path / "a.jsonl"), tmp_path / "__init__.py"
    module.write_bytes(b"")
    code, _, err = run(log, "-r", module)
    assert (code, err.strip()) == (
        2, f"Error: {module} is the name of a Python module, not of a results file",
    )  # fmt: skip
    assert module.read_bytes() == b""


@pytest.mark.skipif(os.name != "posix", reason="pipes with names")
def test_a_pipe_or_a_device_is_no_results_file_and_gets_nothing_beside_it(
    run: Run, tmp_path: Path
) -> None:
    log = good(tmp_path / "a.jsonl")
    os.mkfifo(tmp_path / "pipe")
    before = {*tmp_path.iterdir()}
    code, _, err = run(log, "-r", tmp_path / "pipe")
    assert (code, err.strip()) == (2, f"Error: {tmp_path / 'pipe'} is not a regular file")
    assert {*tmp_path.iterdir()} == before


def test_the_results_can_be_queried_while_they_are_written(tmp_path: Path) -> None:
    sources = [good(tmp_path / f"{number}.jsonl") for number in range(40)]
    results = tmp_path / "r.sqlite"
    seen = []

    def look(progress: Progress) -> None:
        answer = [verdict for _, verdict in rows(results)]
        assert len(answer) == 40
        assert sum(verdict is not None for verdict in answer) == progress.done_logs
        seen.append(progress.done_logs)

    progress = verified(sources, results, show=look).progress
    assert progress.done_bytes == progress.bytes
    assert (seen[0], seen[-1]) == (0, 40)
    assert len(seen) > 3


@pytest.mark.full
def test_a_difference_too_large_to_be_kept_is_said_to_be_left_out(tmp_path: Path) -> None:
    adds = [["add", id, ["sphere", 9], [0, 0, 0], 0, 0, 0, [0, 0, 0], True] for id in range(120)]
    (frame,) = logs.model_frames([adds], capacity=120)
    frame["events"][0], frame["events"][1] = frame["events"][1], frame["events"][0]
    log = logs.write(tmp_path / "a.jsonl", logs.header(capacity=120), [frame])
    assert replay(log).verdict is Verdict.DIVERGED
    verified([log], tmp_path / "r.sqlite")
    ((reason, difference),) = rows(tmp_path / "r.sqlite", "reason, difference")
    assert reason == "frame 0, the order of events"
    assert "more than 65536 bytes" in json.loads(difference)["left_out"]


def test_the_queries_of_the_documentation_find_something(results: Path) -> None:
    queries = re.findall(
        r"^    (SELECT .*?;)$", SCALE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(queries) == 3
    with closing(sqlite3.connect(results)) as db:
        for query in queries:
            assert db.execute(query).fetchall(), query


def test_the_schema_in_a_results_file_describes_every_column(results: Path) -> None:
    with closing(sqlite3.connect(results)) as db:
        tables = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        assert {name for name, _ in tables} == {"builds", "runs", "logs", "verdicts"}
        for table, sql in tables:
            for _, column, *_ in db.execute(f"PRAGMA table_info({table})"):
                assert re.search(rf"^    {column} .* -- \w", sql, re.MULTILINE), (table, column)


# Batches.


@given(st.lists(st.integers(0, 3 * BATCH_BYTES), max_size=1000), st.integers(1, 64))
def test_batches_hold_every_log_once_in_order_and_are_bounded(
    sizes: list[int], workers: int
) -> None:
    todo = [Todo(number, str(number), size) for number, size in enumerate(sizes)]
    made = list(batches(iter(todo), len(todo), workers))
    assert [one for batch in made for one in batch] == todo
    for batch in made:
        assert 1 <= len(batch) <= BATCH_LOGS_MAX
        assert sum(one.size + LOG_BYTES for one in batch[:-1]) < BATCH_BYTES
    if len(todo) >= 8 * workers:
        assert len(made) >= 4 * workers, "there is enough for every worker to the end"


def test_the_largest_logs_come_first(tmp_path: Path) -> None:
    sources = [good(tmp_path / f"{number}.jsonl", frames=number) for number in (2, 4, 1, 3)]
    with Store(tmp_path / "r.sqlite") as store:
        found = find([str(source) for source in sources])
        store.begin(regress.identity(SETTINGS), {}, "local", 1, [], found)
        count, size, known = store.plan()
        assert (count, known) == (4, 0)
        assert size == sum(source.stat().st_size for source in sources)
        assert [Path(todo.name).stem for todo in store.todo()] == ["4", "3", "2", "1"]


def test_a_progress_reckons_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress(logs=10, bytes=1000, known=0, began=100.0)
    assert progress.remaining_seconds is None
    monkeypatch.setattr("time.monotonic", lambda: 110.0)
    progress.done_bytes = 250
    assert progress.remaining_seconds == 30


def test_the_reason_of_a_log_that_is_not_valid_is_that_also_if_a_frame_differs() -> None:
    difference = {"frame": 4, "fields": ["hash"], "expected": "0", "found": "1"}
    found = Outcome("not valid", difference=difference, line=9, field="sha256", why="says 0")
    assert (found.reason, found.frame) == ("line 9, sha256: says 0", 4)


@given(
    st.builds(
        Outcome,
        st.sampled_from(list(EXIT_CODES)),
        why=st.text(),
        cut=st.text(),
        line=st.integers(0, 9),
        field=st.text(max_size=5),
    )
)
def test_a_reason_is_one_line_of_bounded_length(outcome: Outcome) -> None:
    assert len(outcome.reason) <= 301
    assert len(outcome.reason.splitlines()) <= 1


# Dask.


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A scheduler and two workers of Dask, each a process of its own."""
    needs("distributed")
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    (folder / "temporary").mkdir()

    def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *common, *arguments],
            cwd=folder,
            env=environment(folder),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def worker() -> subprocess.Popen[bytes]:
        # Without a nanny, which would start it again: a machine that is lost stays lost.
        return start("dask_worker", "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")

    processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0"), worker(), worker()]
    wait_until(file.exists, "the scheduler")
    yield {"file": file, "workers": processes[1:], "folder": folder}
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.full
@posix
def test_a_cluster_gives_the_verdicts_of_this_machine(
    cluster: dict[str, Any], every_kind: Path, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "trouble"
    folder.mkdir()
    for name in ("kill", "raise", "memory", "none"):
        trouble.write(folder / f"{name}.jsonl", name)
    sources = [every_kind, folder]
    options = ["--engine", "dask", "--scheduler", cluster["file"], "--memory", 700, "--json"]
    code, out, err = run(*sources, *options, "--sim", "trouble:Trouble", "-r", "dask.sqlite")
    assert (code, err) == (2, "")
    assert json.loads(out)["verified"] == 17
    verified(sources, Path("local.sqlite"), changed(memory_bytes=700 << 20, seconds=0))
    columns = "name, verdict, reason, frames, hits, hash, differing_frames, difference, line, field"
    assert rows(Path("dask.sqlite"), columns) == rows(Path("local.sqlite"), columns)


@pytest.mark.full
@posix
def test_a_cluster_that_loses_a_worker_in_the_middle_loses_no_verdict(
    cluster: dict[str, Any], tmp_path: Path
) -> None:
    write_waiting(tmp_path)
    (cluster["folder"] / "begun").unlink(missing_ok=True)
    settings, killed = changed(memory_bytes=0, seconds=0), 0

    def kill(progress: Progress) -> None:
        nonlocal killed
        if progress.done_logs >= FREE // 2 and not killed:
            cluster["workers"][0].kill()
            killed = progress.done_logs
            (cluster["folder"] / "gate").touch()

    with Store(tmp_path / "r.sqlite") as store:
        with engines.DaskEngine(settings, str(cluster["file"])) as engine:
            found = farm(find([str(tmp_path / "waiting")]), store, engine, settings, show=kill)
        assert FREE // 2 <= killed < LOGS
        assert {verdict: count.logs for verdict, count in found.counts.items()} == {
            "nothing to compare": LOGS
        }
    processes = {process for process, _ in begun(cluster["folder"])}
    assert len(processes) >= 2
    wait_until(lambda: not any(map(is_running, processes)), "the end of the worker processes")


@pytest.mark.full
def test_a_cluster_whose_workers_have_another_fixsync_is_refused(tmp_path: Path) -> None:
    encoded = engines.encoded(Settings())
    with pytest.raises(
        WorkerError, match=r"another fixsync in .*: version .* where the others have 9\.9"
    ):
        engines.verify_on_dask(encoded, ("9.9", "", ""), [str(good(tmp_path / "a.jsonl"))])
    engines.close_on_dask(encoded)


@pytest.mark.full
def test_logs_that_dask_workers_are_lost_with_are_tried_one_by_one() -> None:
    distributed = needs("distributed")

    class Lost:
        def result(self) -> bytes:
            raise distributed.KilledWorker(
                "task", last_worker=SimpleNamespace(address="x"), allowed_failures=3
            )

    engine = object.__new__(engines.DaskEngine)
    engine._distributed = distributed
    batch = [Todo(1, "a", 9), Todo(2, "b", 9)]
    waiting: deque[list[Todo]] = deque()
    assert engine._outcomes(Lost(), batch, waiting) == []
    assert list(waiting) == [[batch[0]], [batch[1]]]
    ((todo, outcome),) = engine._outcomes(Lost(), waiting[0], waiting)
    assert (todo, outcome.verdict) == (batch[0], "crashed")
    assert "each Dask worker that verified it was lost" in outcome.reason


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--engine dask", "needs --scheduler"),
        ("--scheduler tcp://127.0.0.1:1", "--scheduler needs --engine dask"),
        ("--engine dask --scheduler tcp://127.0.0.1:1 -j 2", "--workers needs --engine local"),
        ("--engine dask --scheduler no.json", "no Dask scheduler answers at no.json"),
    ],
)
def test_engines_that_cannot_be_had_are_errors(
    run: Run, tmp_path: Path, options: str, said: str
) -> None:
    needs("distributed")
    code, out, err = run(good(tmp_path / "a.jsonl"), *options.split())
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())


def test_farm_is_of_this_version() -> None:
    identity = regress.identity(Settings())
    assert identity.fixsync == fixsync.__version__
    assert Path(identity.folder) == Path(fixsync.__file__).parent
    assert len(identity.sources) == len(identity.kernel) == 16

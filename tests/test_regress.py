"""fixsync regress: what two versions make of the same logs."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sqlite3
import sys
import zipfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import logs
import pytest
from tools import Run

import fixsync
from fixsync._native.raw import lib
from fixsync.farm import regress
from fixsync.farm.sandbox import Settings, WorkerError

PACKAGE = Path(fixsync.__file__).parent
FRAMES = logs.model_frames(logs.small_match())


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return partial(run, "regress")


def copied(folder: Path) -> Path:
    """The package again, in another folder."""
    unused = ("__pycache__", "view", "session", "testing", "bench", "cli", "farm")
    shutil.copytree(PACKAGE, folder / "fixsync", ignore=shutil.ignore_patterns(*unused))
    return folder


IMPORT = "from fixsync._kernel import lib as lib\n"
CHANGED = """from fixsync._kernel import lib as _lib

class _Changed:
    def __getattr__(self, name: str) -> object:
        return getattr(_lib, name)

    @staticmethod
    def fxs_world_hash(world: object) -> int:
        return _lib.fxs_world_hash(world) ^ (_lib.fxs_world_count(world) > 1)

lib = _Changed()
"""


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """This version, and one that has another hash for every world of several colliders."""
    old = copied(tmp_path_factory.mktemp("old"))
    new = copied(tmp_path_factory.mktemp("new"))
    native = new / "fixsync" / "_native" / "raw.py"
    text = native.read_text()
    assert IMPORT in text
    native.write_text(text.replace(IMPORT, CHANGED))
    return old, new


@pytest.fixture
def match_logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    logs.write(folder / "full.jsonl", logs.header(), FRAMES)
    bare = [{"frame": frame["frame"], "commands": frame["commands"]} for frame in FRAMES]
    logs.write(folder / "bare.jsonl", logs.header(), bare)
    small = [["add", 1, ["sphere", 3], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]]
    logs.write(folder / "same.jsonl", logs.header(), logs.model_frames([small, []]))
    (folder / "empty.jsonl").touch()
    return folder


@pytest.mark.full
@pytest.mark.parametrize("is_changed", [False, True])
def test_another_semantics_is_a_change_only_where_something_differs(
    is_changed: bool, run: Run, versions: tuple[Path, Path], tmp_path: Path
) -> None:
    new = copied(tmp_path / "other")
    native = new / "fixsync" / "_native" / "raw.py"
    other = CHANGED.replace(
        "lib = _Changed()",
        "    @staticmethod\n    def fxs_semantics() -> int:\n        return 99\n\nlib = _Changed()",
    )
    if not is_changed:
        other = other.replace("_lib.fxs_world_count(world) > 1", "0")
    native.write_text(native.read_text().replace(IMPORT, other))
    logs.write(tmp_path / "log.jsonl", logs.header(semantics=lib.FXS_SEMANTICS), FRAMES)
    code, out, _ = run(versions[0], new, tmp_path / "log.jsonl", "--json", "-j", 1)
    reported = json.loads(out)
    assert (code, reported["changed"]) == (int(is_changed), int(is_changed))
    for change in reported["changes"]:
        assert change["new"]["verdict"] == "recorded by another semantics"
        why = f"recorded by another semantics ({lib.FXS_SEMANTICS}, here 99); frame 0, hash: "
        assert change["new"]["reason"].startswith(why)


@pytest.mark.full
def test_what_changed_is_told_whether_or_not_the_log_tells_it(
    run: Run, versions: tuple[Path, Path], match_logs: Path
) -> None:
    code, out, err = run(*versions, match_logs, "--json", "-j", 1)
    assert (code, err) == (1, "")
    reported = json.loads(out)
    assert (reported["logs"], reported["changed"], reported["not_verified"]) == (4, 2, 0)
    assert reported["old"]["folder"] == str(versions[0] / "fixsync")
    bare, full = reported["changes"]
    assert (Path(bare["name"]).name, Path(full["name"]).name) == ("bare.jsonl", "full.jsonl")
    assert (full["old"]["verdict"], full["new"]["verdict"]) == ("identical", "diverged")
    assert bare["old"]["verdict"] == bare["new"]["verdict"] == "nothing to compare"
    assert "digest" in bare["fields"]
    for change in (bare, full):
        first = change["first_difference"]
        assert first["frame"] == 0
        assert first["old"]["hash"] == FRAMES[0]["hash"] != first["new"]["hash"]
    pairs = {
        (one["old"], one["new"]): (one["logs"], one["changed"]) for one in reported["verdicts"]
    }
    assert pairs == {
        ("nothing to compare", "nothing to compare"): (1, 1),
        ("identical", "diverged"): (1, 1),
        ("identical", "identical"): (1, 0),
        ("not valid", "not valid"): (1, 0),
    }


@pytest.mark.full
def test_what_changed_is_told_in_words_and_goes_on_from_a_run_before(
    run: Run, versions: tuple[Path, Path], match_logs: Path, tmp_path: Path
) -> None:
    code, first, _ = run(*versions, match_logs, "-j", 1)
    again = run(*versions, match_logs, "-j", 1)
    assert again == (code, first, "") == (1, first, "")
    lines = [line.rstrip() for line in first.splitlines()]
    assert lines[0].startswith("OLD  fixsync ")
    assert lines[0].endswith(str(versions[0] / "fixsync"))
    assert "  old  identical" in lines
    assert any(line.startswith("  new  diverged: frame 0, hash: the log says") for line in lines)
    assert lines.count("  first differing frame 0: hash") == 2
    assert f"    hash  old {FRAMES[0]['hash']}" in lines
    assert lines[-2:] == ["2 of 4 logs differ", "results: regress.sqlite"]
    db = sqlite3.connect(tmp_path / "regress.sqlite")
    found = db.execute("SELECT run, count(*) FROM verdicts GROUP BY run ORDER BY run").fetchall()
    db.close()
    assert found == [(1, 4), (2, 4)]
    _, out, _ = run(*versions, match_logs, "-j", 1, "--explain", 0)
    assert "first differing frame" not in out
    assert "  different: verdict, hash, differing_frames, frame, digest" in out


@pytest.mark.full
@pytest.mark.parametrize(
    ("names", "code", "differ"), [("same empty", 0, "0 of 2"), ("same gone", 2, "0 of 2")]
)
def test_what_did_not_change_ends_with_0_unless_it_cannot_be_verified(
    run: Run, versions: tuple[Path, Path], match_logs: Path, names: str, code: int, differ: str
) -> None:
    listed = match_logs / "list"
    listed.write_text("".join(f"{match_logs}/{name}.jsonl\n" for name in names.split()))
    found, out, _ = run(*versions, listed, "-j", 1)
    assert (found, f"{differ} logs differ" in out) == (code, True)


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="there are no such names")
def test_a_list_in_a_pipe_is_read_once_for_both_versions(
    run: Run, versions: tuple[Path, Path], match_logs: Path
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as file:
        file.writelines(f"{log}\n" for log in sorted(match_logs.iterdir()))
    code, out, err = run(*versions, f"/dev/fd/{reading}", "-j", 1, "--json", "--explain", 0)
    os.close(reading)
    assert (code, err) == (1, "")
    assert (json.loads(out)["logs"], json.loads(out)["changed"]) == (4, 2)


@pytest.mark.full
def test_a_version_beside_itself_or_without_fixsync_is_an_error(
    run: Run, versions: tuple[Path, Path], match_logs: Path, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("")
    for old, said in (
        (versions[0], "OLD and NEW are the same"),
        *((path, str(path)) for path in (tmp_path / "none", tmp_path / "text", tmp_path)),
    ):
        code, out, err = run(old, versions[0], match_logs)
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="the interpreter is a script for a shell")
def test_a_version_may_be_a_virtual_environment_or_its_interpreter(
    versions: tuple[Path, Path], tmp_path: Path
) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\nPYTHONPATH='{versions[1]}' exec '{sys.executable}' \"$@\"\n")
    python.chmod(0o755)
    with ExitStack() as stack:
        for name in (tmp_path / "venv", python):
            settings = regress.version(str(name), Settings(), stack)
            identity = regress.identity(settings)
            assert identity.folder == str(versions[1] / "fixsync")


def wheel_of(version: Path, folder: Path) -> Path:
    """A wheel with the package of a folder, as installers want it."""
    path = folder / "fixsync-9.9-py3-none-any.whl"
    record = []
    with zipfile.ZipFile(path, "w") as file:

        def write(name: str, data: bytes) -> None:
            file.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")

        for one in sorted((version / "fixsync").rglob("*")):
            if one.is_file() and "__pycache__" not in one.parts:
                write(str(one.relative_to(version)), one.read_bytes())
        info = "fixsync-9.9.dist-info"
        write(f"{info}/METADATA", b"Metadata-Version: 2.1\nName: fixsync\nVersion: 9.9\n")
        write(
            f"{info}/WHEEL",
            b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        file.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return path


@pytest.mark.full
def test_a_version_may_be_a_wheel(versions: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("pip", reason="no pip here")
    wheel = wheel_of(versions[1], tmp_path)
    with ExitStack() as stack:
        settings = regress.version(str(wheel), Settings(), stack)
        identity = regress.identity(settings)
        folder = Path(identity.folder).parent
        assert folder not in (PACKAGE.parent, versions[1])
        assert identity.sources == regress.identity(Settings(path=(str(versions[1]),))).sources
    assert not folder.exists()
    wheel.write_bytes(b"no wheel")
    with ExitStack() as stack, pytest.raises(WorkerError, match="cannot be installed"):
        regress.version(str(wheel), Settings(), stack)


@pytest.mark.full
def test_a_log_that_is_written_between_the_two_is_not_compared(
    run: Run, versions: tuple[Path, Path], match_logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fixsync.cli import regress as command

    look = command.look

    def changed(names: Any) -> Any:
        os.utime(match_logs / "full.jsonl", ns=(1, 1))
        return look(names)

    monkeypatch.setattr(command, "look", changed)
    code, out, _ = run(*versions, match_logs / "full.jsonl", match_logs / "same.jsonl", "-j", 1)
    assert code == 2
    assert "1 logs changed during the run and are not compared" in out
    assert "0 of 1 logs differ" in out

"""The workflows of the code host: they call what is here, and no job may do more than it has to."""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tools import needs, ran

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}

_spec = importlib.util.spec_from_file_location("parts", ROOT / ".ci" / "parts.py")
assert _spec is not None
assert _spec.loader is not None
PARTS = importlib.util.module_from_spec(_spec)
sys.modules["parts"] = PARTS  # for its dataclass
_spec.loader.exec_module(PARTS)

pytestmark = pytest.mark.skipif(not FILES, reason="the workflows are not here")


def jobs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = needs("yaml").safe_load(TEXTS[name])["jobs"]
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_the_scripts_that_a_workflow_runs_are_here(name: str) -> None:
    commands = re.findall(r"^ +- run: (.+)$", TEXTS[name], re.MULTILINE)
    assert commands
    files = [word for line in commands for word in re.findall(r"(?:\.ci|bindings)/[\w./-]+", line)]
    for file in files:
        assert (ROOT / file).is_file(), file
        if f"python {file}" not in TEXTS[name]:
            assert (ROOT / file).stat().st_mode & 0o100, f"{file} cannot be run"


def test_the_workflows_have_no_secrets_and_pin_what_they_use() -> None:
    for name, text in TEXTS.items():
        assert "secrets." not in text, name
        for action in re.findall(r"uses: (\S+)", text):
            assert re.search(r"@(v\d+|stable|release/v\d+)$", action), action


@pytest.mark.full
def test_only_the_job_that_publishes_may_write_and_it_waits_for_a_person() -> None:
    for name, text in TEXTS.items():
        assert needs("yaml").safe_load(text)["permissions"] == {"contents": "read"}, name
        for job, settings in jobs(name).items():
            may_write = "permissions" in settings
            assert may_write == (settings.get("environment") == "release"), f"{name}: {job}"
    assert set(jobs("release.yml")["publish"]["needs"]) == {"packages", "wheels"}


@pytest.mark.full
def test_every_machine_computes_the_recorded_hashes() -> None:
    machines = jobs("tests.yml")["machines"]
    systems = " ".join(machines["strategy"]["matrix"]["os"])
    for system in ("ubuntu", "windows", "macos", "ubuntu-24.04-arm", "windows-11-arm"):
        assert system in systems
    commands = [step.get("run", "") for step in machines["steps"]]
    assert "python -m fixsync replay replay_logs" in commands


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("bindings/csharp/Runtime/Fix.cs", ["linters", "python", "csharp"]),
        ("docs/rust.md", ["linters", "python", "rust"]),
        ("tests/test_wide.py", ["linters", "python", "kernel"]),
        ("csrc/hit.h", [*PARTS.PARTS]),
        (".ci/run", [*PARTS.PARTS]),
    ],
)
def test_a_change_runs_the_parts_that_depend_on_it(file: str, parts: list[str]) -> None:
    assert PARTS.changed_parts([file]) == parts


@pytest.mark.parametrize("name", PARTS.PARTS)
def test_each_part_has_three_faults_that_still_fit_the_code(name: str) -> None:
    faults = PARTS.PARTS[name].faults
    assert len({fault[:2] for fault in faults}) == 3
    for file, old, new in faults:
        assert old in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {old!r}"
        assert new != old


@pytest.mark.skipif(os.name == "nt", reason="a script of a shell")
@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_a_git_url_names_the_files_of_unitys_package(tmp_path: Path) -> None:
    """On a branch of their own, with a commit and a tag for each release."""
    remote, clone = tmp_path / "remote", tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
    subprocess.run(["git", "clone", "--quiet", remote, clone], check=True, capture_output=True)
    env = dict(os.environ)
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@a.test"}
    for version, files in (("1.0.0", ["old.cs", "old.cs.meta"]), ("1.1.0", [".hidden", "new.cs"])):
        dist = tmp_path / version
        dist.mkdir()
        with tarfile.open(dist / f"dev.fixsync.fixsync-{version}.tgz", "w:gz") as packed:
            manifest = f'{{\n  "version": "{version}",\n}}'
            for name, data in [("package.json", manifest), *zip(files, files, strict=True)]:
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size = len(data)
                packed.addfile(entry, io.BytesIO(data.encode()))
        subprocess.run([ROOT / ".ci" / "upm", dist], cwd=clone, env=env, check=True)
        asked = ["git", "-C", remote, "ls-tree", "--name-only", f"upm/{version}"]
        listed = ran(asked, check=True).stdout.split()
        assert sorted(listed) == sorted([*files, "package.json"])
    asked = ["git", "-C", remote, "log", "--format=%s", "upm"]
    log = ran(asked, check=True).stdout
    assert log == "fixsync 1.1.0\nfixsync 1.0.0\n"
    assert not list(clone.glob("*.cs"))


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="the stand-in for cargo is a script of a shell")
def test_crates_are_published_only_if_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text(f'#!/bin/sh\necho "$1 $(ls | tr "\\n" " ")" >>{tmp_path}/ran\n')
    cargo.chmod(0o700)
    monkeypatch.setenv("PATH", f"{cargo.parent}{os.pathsep}{os.environ['PATH']}")
    script = [sys.executable, ROOT / "bindings" / "rust" / "pack.py", tmp_path / "out"]
    staged = "Cargo.toml fixsync fixsync-sys \n"
    subprocess.run(script, check=True, capture_output=True)
    assert (tmp_path / "ran").read_text() == f"package {staged}"
    subprocess.run([*script, "--publish"], check=True, capture_output=True)
    assert (tmp_path / "ran").read_text() == f"package {staged}" * 2 + f"publish {staged}"


@pytest.mark.full
@pytest.mark.skipif(shutil.which("go") is None, reason="no Go here")
def test_actionlint_finds_nothing() -> None:
    """With the command that the workflow itself has."""
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    commands = [line.split("run: ")[1] for line in text.splitlines() if "actionlint@" in line]
    assert len(commands) == 1
    command = [*shlex.split(commands[0]), *FILES]
    done = ran(command, cwd=ROOT)
    if "dial tcp" in done.stderr or "no such host" in done.stderr:
        pytest.skip(f"actionlint is not to be had: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stdout + done.stderr

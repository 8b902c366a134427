"""The workflows of the code host: they call what is here, and no job may do more than it has to."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools import needs

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}

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


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="no actionlint here")
def test_actionlint_finds_nothing() -> None:
    done = subprocess.run(
        ["actionlint", *FILES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

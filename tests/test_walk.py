"""Characters in random levels (native/walk.c): never inside anything, never out of the room, never
stuck."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc on this machine")
    program = tmp_path_factory.mktemp("walk") / "walk"
    sources = [ROOT / "tests" / "native" / "walk.c", *sorted((ROOT / "csrc").rglob("*.c"))]
    command = ["gcc", "-std=c11", "-O1", f"-I{ROOT / 'csrc'}", "-o", str(program)]
    subprocess.run([*command, *map(str, sources)], check=True)
    return program


@pytest.mark.full
@pytest.mark.parametrize(("seed", "frames"), [(1, 20_000), (1000, 1_000_000)])
def test_a_character_walks_for_hours(program: Path, seed: int, frames: int) -> None:
    run = subprocess.run(
        [str(program), str(seed), str(frames)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    assert run.stdout.startswith(f"{frames} frames: ")

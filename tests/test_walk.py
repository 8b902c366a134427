"""Characters in random levels (native/walk.c): never inside anything, never out of the room, never
stuck."""

from __future__ import annotations

import pytest
from builds import Builds
from tools import ran


@pytest.mark.full
@pytest.mark.parametrize(("seed", "frames"), [(1, 20_000), (1000, 1_000_000)])
def test_a_character_walks_for_hours(builds: Builds, seed: int, frames: int) -> None:
    program = builds.program("walk", is_long=True)
    run = ran([str(program), str(seed), str(frames)])
    assert run.returncode == 0, run.stdout
    assert run.stdout.startswith(f"{frames} frames: ")

"""The same golden on other machines and compilers: what `tests/native/targets.py --short` runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Where the packages of .ci/packages are installed none of these may be passed over.
REQUIRED = ("gcc -m32 -O2", "gcc aarch64 -O2", "gcc armhf -O2", "gcc s390x -O2", "clang wasm32 -O2, Node")


def test_every_target_at_hand_prints_the_golden() -> None:
    required = [f"--require={name}" for name in REQUIRED] if os.environ.get("CI") else []
    run = subprocess.run(
        [sys.executable, str(HERE / "native" / "targets.py"), "--short", *required],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr

"""The gate on instructions and mispredicted branches: bench/counts.py."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tools import ran

BENCH = Path(__file__).resolve().parent.parent / "bench"

pytestmark = pytest.mark.skipif(
    not (BENCH / "counts.py").exists(), reason="the sources are not here"
)


def counts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("counts", BENCH / "counts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.full
def test_the_kernel_needs_no_more_than_recorded_and_allowed() -> None:
    run = ran([sys.executable, str(BENCH / "counts.py")])
    if run.returncode == 2:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stdout + run.stderr


def test_more_than_the_allowed_change_is_told_and_less_is_not() -> None:
    before = {"uniform": [10_000, 1_000], "hash": [10_000, 0], "save": [10_000, 1_000]}
    found = {"uniform": [10_251, 1_150], "hash": [10_250, 50], "save": [500, 1_151]}
    assert counts().slower(found, before, [2.0, 10.0]) == [
        "uniform: 10,251 instructions, +2.5% of 10,000; 2% and 50 are allowed",
        "save: 1,151 mispredicted branches, +15.1% of 1,000; 10% and 50 are allowed",
    ]


def test_every_recorded_compiler_has_a_count_for_every_case() -> None:
    recorded = json.loads((BENCH / "counts.json").read_text(encoding="ascii"))
    assert recorded["compilers"]
    for found in recorded["compilers"].values():
        assert set(found) == set(counts().CASES)
        assert all(len(of) == len(counts().KINDS) for of in found.values())

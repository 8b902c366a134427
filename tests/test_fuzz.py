"""Each fuzzer for a few seconds: `python tests/native/fuzz.py --seconds 3600` for as long as you
like.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from builds import Builds
from tools import ran

NATIVE = Path(__file__).resolve().parent / "native"
CSRC = NATIVE.parent.parent / "csrc"
NOT_BUILT = 2


def fuzz(program: Path, out: Path, *arguments: str) -> tuple[int, str, list[str]]:
    """Its exit code, what it says, and the inputs that it wrote."""
    out.mkdir()
    run = ran([sys.executable, str(program), "--out", str(out), *arguments])
    if run.returncode == NOT_BUILT and not os.environ.get("CI"):
        pytest.skip(run.stderr.strip())
    return run.returncode, run.stdout + run.stderr, sorted(path.name for path in out.iterdir())


@pytest.fixture
def objects(builds: Builds, tmp_path: Path) -> Path:
    """The objects of all fuzzers, built once, whichever test needs them first."""

    def make(to: Path) -> None:
        arguments = ("--seconds", "1", "--objects", str(to))
        code, said, found = fuzz(NATIVE / "fuzz.py", tmp_path / "found", *arguments)
        assert (code, found) == (0, []), said

    return builds.made("fuzz", make)


@pytest.mark.full
def test_the_corpora_and_a_second_beyond_each_find_nothing(objects: Path) -> None:
    assert {path.stem for path in objects.glob("run_*")} == {f"run_{name}" for name in FAULTS}


@pytest.mark.full
@pytest.mark.release
def test_a_million_hostile_packets_find_nothing(objects: Path, tmp_path: Path) -> None:
    arguments = ("rollback", "--seconds", "60", "--objects", str(objects))
    code, said, found = fuzz(NATIVE / "fuzz.py", tmp_path / "found", *arguments)
    assert (code, found) == (0, []), said


# For each target, a change in a copy of the kernel that must be noticed.
FAULTS = {
    "shapes": ("contact.c", "classify_wide(i128_square(L), i128_mul(4 * R * R, q))",
     "FXS_TOUCHING"),
    "cast": ("toi.c", "return discriminant >= (int64_t)1 << 50;", "return 1;"),
    "angles": ("angle.c", "r -= r * r > n;", "r -= r * r >= n;"),
    "level": ("polygon_cast.c", "i128_shl(i128_neg(s), 44)", "i128_shl(i128_neg(s), 43)"),
    "kit": ("kit/rewind.c", "kept < rewind->frames ? kept + 1 : kept", "kept + 1"),
    "rollback": ("kit/packet.c", "from->size - from->at < 8", "from->size - from->at < 1"),
    "load": ("state.c", "(size - offset - 4) / sizes[i]", "(size - offset + 4) / sizes[i]"),
    "commands": ("step.c", "*old++, FXS_EXIT, FXS_APART", "*old++, FXS_STAY, FXS_APART"),
    "crowd": ("world_cast.c", "return of_a != of_b ? of_a > of_b : a->id > b->id;",
     "return a->id > b->id;"),
}  # fmt: skip


# What another target's fault would be found by is planted by itself.
@pytest.mark.full
@pytest.mark.parametrize(
    "targets",
    [
        ["shapes", "cast", "angles", "load", "rollback"],
        *(
            pytest.param(t, marks=pytest.mark.release)
            for t in (["commands", "crowd", "kit"], ["level"])
        ),
    ],
    ids="-".join,
)
def test_planted_faults_are_found_and_the_inputs_kept(
    targets: list[str], objects: Path, tmp_path: Path
) -> None:
    shutil.copytree(CSRC, tmp_path / "csrc")
    shutil.copytree(NATIVE, tmp_path / "tests" / "native")
    own = shutil.copytree(objects, tmp_path / "objects")
    for target in targets:
        file, old, new = FAULTS[target]
        path = tmp_path / "csrc" / file
        text = path.read_text(encoding="ascii")
        assert text.count(old) == 1, f"{file} has no {old!r} any more: plant another fault"
        path.write_text(text.replace(old, new), encoding="ascii")
    program = tmp_path / "tests" / "native" / "fuzz.py"
    options = ("--seconds", "30", "--objects", str(own))
    code, said, found = fuzz(program, tmp_path / "found", *targets, *options)
    assert code == 1, said
    assert {name.partition("-")[0] for name in found} == set(targets), said

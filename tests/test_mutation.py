"""The tests notice a kernel with one thing wrong: mutants of tests/native/mutation.py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NATIVE = Path(__file__).resolve().parent / "native"
KERNEL = NATIVE.parents[1] / "csrc"
HARD = (NATIVE / "mutation_hard.txt").read_text(encoding="utf-8").splitlines()

pytest.importorskip("tree_sitter_c")
sys.path.insert(0, str(NATIVE))

from mutants import kernel_mutants  # noqa: E402
from targets import MissingError, newest_clang  # noqa: E402


def needs_compilers() -> None:
    """gcc, and a clang of any version."""
    missing = [] if shutil.which("gcc") else ["no gcc"]
    try:
        newest_clang()
    except MissingError as no_clang:
        missing.append(str(no_clang))
    if missing and not os.environ.get("CI"):
        pytest.skip(" and ".join(missing))


def mutation(*arguments: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(NATIVE / "mutation.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def hard() -> list[str]:
    """Of mutation_hard.txt, what the kernel still has: a change of a line takes its mutants
    away.
    """
    there = set(mutation("--list").stdout.splitlines())
    found = [name for name in HARD if name in there]
    assert len(found) > 10, (
        f"mutation_hard.txt needs others in the place of {sorted(set(HARD) - there)}"
    )
    return found


def test_the_golden_notices_what_is_hard_to_notice(hard: list[str], tmp_path: Path) -> None:
    needs_compilers()
    chosen = [word for name in hard for word in ("--only", name)]
    run = mutation("--stages", 1, "--results", tmp_path / "results", *chosen)
    assert run.returncode == 0, run.stdout + run.stderr
    table = run.stdout.splitlines()[-1].split("|")
    assert [cell.strip() for cell in table[1:5]] == ["all", str(len(hard)), "0", str(len(hard))], (
        run.stdout
    )


def test_a_mutant_that_is_none_is_named_so() -> None:
    run = mutation("--list", "--only", "contact.c near_disc [< -> >=] return 5;")
    assert run.returncode == 2
    assert "contact.c near_disc [< -> >=] return 5;" in run.stderr


def test_a_survivor_without_a_reason_fails_the_command(hard: list[str], tmp_path: Path) -> None:
    """Of a kernel that is not tried at all everything survives."""
    needs_compilers()
    name, results = hard[0], tmp_path / "results"
    (origin,) = {mutant.origin for mutant in kernel_mutants(KERNEL) if mutant.name == name}
    known = {"name": name, "verdict": "survived", "by": "", "origin": origin}
    results.write_text(json.dumps(known) + "\n", encoding="utf-8")
    run = mutation("--results", results, "--resume", "--stages", 2, "--only", name)
    assert run.returncode == 1
    assert f"survives without a reason: {name}" in run.stdout


def test_mutants_are_found_in_every_part_of_the_kernel_and_no_two_have_one_name() -> None:
    run = mutation("--list")
    names = run.stdout.splitlines()
    assert len(names) == len(set(names))
    kernel = {path.name for path in KERNEL.glob("*.[ch]")}
    assert {name.split()[0] for name in names} == kernel - {"angle_table.h", "fixsync.h"}


def test_a_result_of_another_text_of_the_function_is_not_kept(
    hard: list[str], tmp_path: Path
) -> None:
    needs_compilers()
    name, results = hard[0], tmp_path / "results"
    known = {"name": name, "verdict": "survived", "by": "", "origin": "0123456789ab"}
    results.write_text(json.dumps(known) + "\n", encoding="utf-8")
    run = mutation("--results", results, "--resume", "--stages", 1, "--only", name)
    assert run.returncode == 0, run.stdout + run.stderr

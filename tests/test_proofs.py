"""The quick proofs. `python tests/native/proofs.py` runs all of them."""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path

import pytest
from strategies import POLYGONS
from tools import each, ran

from fixsync._native.kinds import KINDS_BY_NAME

NATIVE = Path(__file__).resolve().parent / "native"
sys.path.insert(0, str(NATIVE))

import proofs  # noqa: E402

NOT_HERE = 2


def is_debian() -> bool:
    """Where .ci/cbmc knows what to fetch."""
    release = Path("/etc/os-release")
    return release.exists() and "ID=debian" in release.read_text(encoding="utf-8").split()


@pytest.mark.full
def test_the_quick_proofs_hold_and_a_planted_fault_breaks_each() -> None:
    run = ran([sys.executable, str(NATIVE / "proofs.py"), "--quick"])
    if run.returncode == NOT_HERE and not (os.environ.get("CI") and is_debian()):
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stdout + run.stderr


def test_contacts_of_every_two_kinds_have_a_proof() -> None:
    """Those of polygons are in prove_level.c, of all of them at once."""
    name = "contact_is_defined"
    proved = {proof.options[:2] for proof in proofs.all_proofs() if proof.function == name}
    kinds = [
        (code, kind)
        for code, kind in enumerate(KINDS_BY_NAME.values())
        if kind.name not in POLYGONS
    ]
    pairs = [*combinations(range(len(kinds)), 2), *((i, i) for i, kind in kinds if kind.can_push)]
    missing = {(f"-DKIND_A={a}", f"-DKIND_B={b}") for a, b in pairs} - proved
    assert missing == set(), "add them to `of` of contact_is_defined in prove_contact.c"
    assert list(KINDS_BY_NAME) == proofs.KINDS


@each("proof", proofs.all_proofs())
def test_the_place_of_a_planted_fault_is_still_there(proof: proofs.Proof) -> None:
    text = (proofs.CSRC / proof.fault.file).read_text(encoding="ascii")
    assert text.count(proof.fault.old) >= 1
    assert proof.fault.new != proof.fault.old

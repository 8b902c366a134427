"""The kernel, and the C that reads logs, with their assertions, under the address and
undefined-behaviour sanitizers, driven by the tests of the package."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from builds import ASSERTS
from test_package import needs_compiler, run_with_flags

SANITIZE = "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
FLAGS = f"{SANITIZE} {shlex.join(ASSERTS)}"
TESTS = {
    "kernel": "shapes numbers world broad push cast kernel kit motion mover",
    "moves": "sweep_pairs contact",
    "kit": "bodies difference explain frames kit_history kit_recorder kit_rewind",
}


def runtime(name: str) -> str:
    """The path of a sanitizer's runtime, "" if the compiler has none."""
    run = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=False
    )
    path = run.stdout.strip()
    return path if "/" in path else ""


@pytest.mark.full
@needs_compiler
@pytest.mark.parametrize("part", TESTS)
def test_nothing_is_undefined_and_memory_is_kept_to(part: str, tmp_path: Path) -> None:
    preload = [runtime("libasan.so"), runtime("libubsan.so")]
    if not all(preload):
        pytest.skip("gcc's sanitizer runtimes are not installed")
    options = "detect_leaks=0:allocator_may_return_null=1"
    names = [f"test_{name}.py" for name in TESTS[part].split()]
    run_with_flags(tmp_path, FLAGS, names, LD_PRELOAD=" ".join(preload), ASAN_OPTIONS=options)

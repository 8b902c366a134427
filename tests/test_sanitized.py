"""The kernel, and the C that reads logs, with their assertions, under the address and
undefined-behaviour sanitizers, driven by the tests of the package."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from builds import ASSERTS, ROOT, Builds
from test_package import needs_compiler, release
from tools import ran

SANITIZE = "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
FLAGS = f"{SANITIZE} {shlex.join(ASSERTS)}"
TESTS = {
    "kernel": "shapes numbers world broad push cast kernel kit motion mover",
    "moves": "sweep_pairs contact",
    "kit": "bodies difference explain frame_data kit_history kit_recorder kit_rewind rollback",
}


def runtime(name: str) -> str:
    """The path of a sanitizer's runtime, "" if the compiler has none."""
    run = ran(["gcc", f"-print-file-name={name}"])
    path = run.stdout.strip()
    return path if "/" in path else ""


@pytest.mark.full
@needs_compiler
@pytest.mark.parametrize("part", TESTS)
def test_nothing_is_undefined_and_memory_is_kept_to(
    part: str, builds: Builds, tmp_path: Path
) -> None:
    preload = [runtime("libasan.so"), runtime("libubsan.so")]
    if not all(preload):
        pytest.skip("gcc's sanitizer runtimes are not installed")
    installed = builds.made("sanitized", install)
    tests = [str(ROOT / "tests" / f"test_{name}.py") for name in TESTS[part].split()]
    code = (
        "import sys, pytest\n"
        # Captured by Python alone: what a sanitizer writes to the process's own output must come
        # through.
        f"code = pytest.main(['-qx', '-n0', '--capture=sys', '-pno:cacheprovider', *{tests!r}])\n"
        "import fixsync._native\n"  # pytest's plugins must be imported by pytest first
        f"assert fixsync._native.__file__.startswith({str(installed)!r}), fixsync._native.__file__\n"
        "sys.exit(code)"
    )
    options = "detect_leaks=0:allocator_may_return_null=1"
    variables = {"LD_PRELOAD": " ".join(preload), "ASAN_OPTIONS": options}
    run = ran(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed), **variables},
    )
    assert run.returncode == 0, run.stdout + run.stderr


def install(to: Path) -> None:
    """What a wheel that is built with the sanitizers holds."""
    with tempfile.TemporaryDirectory() as work:
        wheel = release.build(release.tree(Path(work) / "tree"), "wheel", FLAGS)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(to)

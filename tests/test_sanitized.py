"""The kernel, and the C that reads logs, under the address and undefined-behaviour sanitizers,
driven by the tests of the package."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from test_package import needs_compiler, release

HERE = Path(__file__).resolve().parent
FLAGS = "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
TESTS = {
    "kernel": (
        "test_shapes.py",
        "test_numbers.py",
        "test_world.py",
        "test_broad.py",
        "test_push.py",
        "test_cast.py",
        "test_kernel.py",
        "test_kit.py",
        "test_motion.py",
        "test_mover.py",
    ),
    "kit": ("test_bodies.py", "test_frames.py", "test_kit_recorder.py", "test_kit_rewind.py"),
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
    installed = tmp_path / "installed"
    with zipfile.ZipFile(release.build(release.tree(tmp_path / "tree"), "wheel", FLAGS)) as archive:
        archive.extractall(installed)
    tests = [str(HERE / name) for name in TESTS[part]]
    code = (
        "import sys, pytest\n"
        # Captured by Python alone: what a sanitizer writes to the process's own output must come
        # through.
        f"code = pytest.main(['-q', '-x', '-n0', '--capture=sys', '-p', 'no:cacheprovider', *{tests!r}])\n"
        "import fixsync._native\n"  # pytest's plugins must be imported by pytest first
        f"assert fixsync._native.__file__.startswith({str(installed)!r}), fixsync._native.__file__\n"
        "sys.exit(code)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(installed),
            "LD_PRELOAD": " ".join(preload),
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr

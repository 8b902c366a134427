"""The kernel as tests compile it: once for all tests of a run, whichever worker needs it first."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "csrc"
INSIDE = ROOT / "tests" / "inside.c"
COMPILER = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror"]
PORTABLE = ["-DFXS_NO_INT128", "-DFXS_NO_BUILTINS", "-DFXS_NO_LITTLE_ENDIAN"]
# Answers do not depend on optimisation; a compiler without it takes a third of the time.
COMMON = ["-std=c11", "-O0", "-fPIC"]
# The kernel's own assertions, which other builds leave out.
ASSERTS = ["-include", str(ROOT / "tests" / "native" / "assert.h")]


class Builds:
    """What is compiled, in a folder that all workers of a run share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def source(self) -> Path:
        """The folder of the kernel's single-file form."""
        return self.made("single", self._write_source)

    def object(self, level: str = "-O0") -> Path:
        """Kernel and kit, to be linked with a program or as a shared library."""
        flags = [*COMMON, level, *STRICT, "-fvisibility=hidden", "-DFXS_SHARED", "-DFXS_BUILD"]
        source = self.source() / "fixsync.c"
        return self.made(f"fixsync{level}.o", lambda to: compiled(*flags, "-c", source, "-o", to))

    def program(self, name: str, *, is_long: bool) -> Path:
        """A program of `native`, with a kernel that is optimised if it runs for long."""
        kernel = self.object("-O2" if is_long else "-O0")
        source = ROOT / "tests" / "native" / f"{name}.c"
        flags = ["-std=c11", "-O1", f"-I{CSRC}"]
        return self.made(name, lambda to: compiled(*flags, source, kernel, "-o", to))

    def inside(self, *form: str) -> ctypes.CDLL:
        """A library of kernel and kit with the functions of inside.c, which call theirs."""

        def make(to: Path) -> None:
            files = [*sorted(CSRC.glob("*.c")), *sorted(CSRC.glob("kit/*.c")), INSIDE]
            unit = to.with_suffix(".c")
            unit.write_text("".join(f'#include "{file}"\n' for file in files))
            static = "-DFXS_ONE_SOURCE"
            compiled(*COMMON, *ASSERTS, *form, static, f"-I{CSRC}", "-shared", unit, "-o", to)

        return ctypes.CDLL(str(self.made("".join(["inside", *form, ".so"]), make)))

    def _write_source(self, to: Path) -> None:
        subprocess.run(
            [sys.executable, CSRC / "amalgamate.py", to], check=True, capture_output=True
        )

    def made(self, name: str, make: Callable[[Path], None]) -> Path:
        """A file or folder of this name, made by the first who asks."""
        import fcntl

        done = self.folder / name
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                partial = self.folder / f"partial-{name}"
                make(partial)
                partial.rename(done)
        return done


def compiled(*arguments: str | Path) -> None:
    if COMPILER is None:
        pytest.skip("no C compiler here")
    done = subprocess.run(
        [COMPILER, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr

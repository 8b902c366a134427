"""The same golden on other machines and compilers: what `tests/native/targets.py --short` runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import ran

HERE = Path(__file__).resolve().parent
# Where the packages of .ci/packages are installed none of these may be passed over.
REQUIRED = ["gcc -m32 -O2", "gcc aarch64 -O2", "gcc armhf -O0", "gcc s390x -O0"]
REQUIRED += ["clang wasm32 -Oz -DFXS_SMALL, Node"]
MORE = ["--level=0", "--only=powerpc", "--only=clang -O"]
NATIVE, CSRC = HERE / "native", HERE.parent / "csrc"
GCC = ["gcc", "-std=c11", "-O1", f"-I{CSRC}", f"-I{NATIVE}"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("chosen", "required"),
    [
        (["--short"], REQUIRED),
        pytest.param(MORE, ["gcc powerpc -O0"], marks=pytest.mark.release),
    ],
)
def test_every_target_at_hand_prints_the_golden(chosen: list[str], required: list[str]) -> None:
    needed = [f"--require={name}" for name in required] if os.environ.get("CI") else []
    run = ran([sys.executable, NATIVE / "targets.py", *chosen, *needed])
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.full
@pytest.mark.parametrize("name", ["fixsync", "fixsync_kit"])
def test_the_golden_calls_every_function_of_the_header(tmp_path: Path, name: str) -> None:
    if shutil.which("gcc") is None or shutil.which("nm") is None:
        pytest.skip("no gcc or no nm on this machine")
    header = (CSRC / f"{name}.h").read_text(encoding="ascii")
    goldens = ["golden.c", "golden_kit.c"] if name == "fixsync" else ["golden_kit.c"]
    declared = set(re.findall(r"^FXS_API [\w ]*?\*?(fxs_\w+)\(", header, re.MULTILINE))
    assert len(declared) == header.count("\nFXS_API ")
    called = set()
    for golden in goldens:
        compiled = tmp_path / "golden.o"
        # Optimised, so that a function of the golden that nothing runs calls nothing either.
        subprocess.run([*GCC, "-c", "-o", compiled, NATIVE / golden], check=True)
        command = ["nm", "-u", compiled]
        undefined = ran(command, check=True)
        called |= {name.lstrip("_") for name in undefined.stdout.split()}
    assert declared - called == set()


@pytest.mark.full
def test_the_golden_runs_inside_a_program_as_the_documentation_tells(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc on this machine")
    page = (HERE.parent / "docs" / "determinism.md").read_text(encoding="utf-8")
    (tmp_path / "theirs.c").write_text(page.split("```c\n")[1].split("```")[0], encoding="utf-8")
    (tmp_path / "platform.c").write_text(
        "#include <stdint.h>\n#include <stdio.h>\nint run_golden(void);\n"
        "void send_text(const char *text, uint32_t size);\n"
        "void send_text(const char *text, uint32_t size) { fwrite(text, 1, size, stdout); }\n"
        "int main(void) { return run_golden(); }\n"
    )
    program, own = tmp_path / "program", [tmp_path / "theirs.c", tmp_path / "platform.c"]
    sources = [*own, NATIVE / "golden.c", *sorted(CSRC.glob("*.c"))]
    subprocess.run([*GCC, "-o", program, *sources], check=True)
    run = ran([program], check=True)
    golden = (NATIVE / "golden.txt").read_text(encoding="ascii").splitlines()
    assert run.stdout.splitlines() == [line for line in golden if line[0] in "01"]


@pytest.mark.full
def test_a_target_of_ones_own_is_compared_with_the_golden(tmp_path: Path) -> None:
    compiler = next((name for name in ("gcc", "cc", "clang") if shutil.which(name)), None)
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    runner = tmp_path / "runner"
    runner.write_text('#!/bin/sh\n"$@" | sed "s/$CHANGE/x/"\n', encoding="ascii")
    runner.chmod(0o755)
    arguments = ["--compiler", compiler, "--flags=-O0", "--runner", str(runner), "--level", "0"]
    codes = [
        subprocess.run(
            [sys.executable, NATIVE / "targets.py", *arguments],
            env={**os.environ, "CHANGE": change},
            capture_output=True,
            check=False,
        ).returncode
        for change in ("nothing", "a$")
    ]
    assert codes == [0, 1]

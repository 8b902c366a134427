"""The C that reads and plays match logs, under a coverage-guided fuzzer and the sanitizers.

tests/native/fuzz_logs.c says what has to hold. For longer: FIXSYNC_FUZZ_SECONDS=3600 pytest -k
fuzzer_of_logs"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

import compact_model
import logs
import pytest

from fixsync.convert import convert

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SECONDS = int(os.environ.get("FIXSYNC_FUZZ_SECONDS", "4"))
SANITIZERS = "-fsanitize=fuzzer,address,undefined"


def seeds(folder: Path) -> Path:
    """Lines of logs, and the columns that they make, as the fuzzer takes them."""
    folder.mkdir()
    cast = ["cast", ["sphere", 1], [-99, 0, 0], 0, [200, 0, 0], 2**32 - 1, 0, 0, 1]
    match = [
        *logs.small_match(),
        [cast, ["shape", 1, ["sector", 9, 8, 7]], ["offset", 2, [-1, 0, 1]]],
    ]
    text = logs.text_of(logs.header(), logs.model_frames(match))
    head, *lines = text.splitlines()[:-1]
    source, target = folder / "match.jsonl", folder / "match.fxlog"
    for count in (1, 2, len(lines)):
        (folder / f"text{count}").write_bytes(b"\0" + b"\n".join(lines[:count]))
        source.write_bytes(
            logs.text_of(json.loads(head), [json.loads(line) for line in lines[:count]])
        )
        convert(source, target)
        _, frames, _ = compact_model.blocks(target.read_bytes())
        block = compact_model.Column(frames[1])
        _, n, *sizes = (block.number() for _ in range(9))
        columns = struct.pack("<7H", n - 1, *sizes[:6]) + frames[1][block.at :]
        (folder / f"columns{count}").write_bytes(b"\1" + columns)
        if len(frames[1]) < 256:
            (folder / f"blocks{count}").write_bytes(b"\4" + bytes([len(frames[1])]) + frames[1])
    source.unlink()
    target.unlink()
    inputs = b'{"frame":0,"inputs":[1,[-2,9223372036854775807],[]],"hash":"0123456789abcdef"}'
    (folder / "inputs").write_bytes(b"\2" + inputs)
    return folder


def fuzz(folder: Path, code: Path, seconds: int) -> subprocess.CompletedProcess[str]:
    """Builds the fuzzer with this C of logs, and runs it."""
    clang = next(
        (name for name in ("clang-19", "clang-18", "clang-16", "clang") if shutil.which(name)), None
    )
    program = folder / "fuzz_logs"
    sources = [HERE / "native" / "fuzz_logs.c", code, *sorted((ROOT / "csrc").glob("*.c"))]
    folders = [code.parent, ROOT / "csrc", HERE / "native"]
    flags = [
        "-std=c11",
        "-g",
        "-O1",
        SANITIZERS,
        "-fno-sanitize-recover=all",
        *(f"-I{path}" for path in folders),
    ]
    built = clang and subprocess.run(
        [clang, *flags, *map(str, sources), "-o", str(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    if not built or built.returncode:
        reason = built.stderr[-300:] if built else "clang is not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(f"no fuzzer can be built: {reason}")
    options = [
        f"-max_total_time={seconds}",
        "-max_len=3000",
        "-timeout=20",
        f"-artifact_prefix={folder}/",
    ]
    return subprocess.run(
        [str(program), *options, str(seeds(folder / "seeds"))],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def test_the_fuzzer_of_logs_finds_nothing(tmp_path: Path) -> None:
    run = fuzz(tmp_path, ROOT / "fixsync" / "_matchlog.c", SECONDS)
    assert run.returncode == 0, run.stderr[-4000:]


# Reads one byte beyond a column that ends early.
FAULT = "if (p < end && *p < 128) {", "if (*p < 128) {"


def test_a_planted_fault_is_found_by_the_fuzzer_of_logs(tmp_path: Path) -> None:
    old, new = FAULT
    for name in ("_matchlog.c", "_matchlog.h"):
        shutil.copy(ROOT / "fixsync" / name, tmp_path)
    code = tmp_path / "_matchlog.c"
    text = code.read_text(encoding="utf-8")
    assert text.count(old) == 1
    code.write_text(text.replace(old, new), encoding="utf-8")
    assert fuzz(tmp_path, code, 60).returncode != 0

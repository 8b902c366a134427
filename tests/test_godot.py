"""The Godot extension without the engine: it compiles, binds every function, explains each method.
bindings/godot/test runs it in the engine."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tools import ran

from bindings.api import read

ROOT = Path(__file__).resolve().parents[1]
GODOT = ROOT / "bindings" / "godot"
SOURCES = sorted((GODOT / "src").glob("*.c"))
COMPILER = shutil.which("cc")

TYPES = {
    *("bool", "int", "Node", "String", "Vector3i"),
    *("PackedByteArray", "PackedInt64Array", "PackedStringArray"),
}


def texts() -> dict[str, str]:
    """The sources, with string literals that follow each other joined, and macros of them put in
    their place."""
    found = {}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for name, value in re.findall(r'^#define ([A-Z]+) +("[^\n]*")$', text, re.MULTILINE):
            text = re.sub(rf"(?<=[ (]){name}(?=[ )])", lambda _, value=value: value, text)
        found[path.name] = re.sub(r'"\s*"', "", text)
    return found


def rows() -> list[tuple[str, str, str]]:
    """Signature, function and help of each method."""
    all_rows = []
    for text in texts().values():
        for table in re.findall(r"gd_method \w+\[\] = \{\n(.*?)\n\};", text, re.DOTALL):
            parts = re.findall(r'\{"(.*?)",\s*(\w+),\s*"(.*?[^\\])"\}', table, re.DOTALL)
            assert len(parts) == table.count("\n    {"), table
            all_rows += parts
    return all_rows


@pytest.mark.full
@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_each_source_compiles_without_a_warning(path: Path, tmp_path: Path) -> None:
    flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wshadow=local",
        "-Werror",
        "-O1",
        f"-I{ROOT / 'csrc'}",
    ]
    subprocess.run([str(COMPILER), *flags, "-c", path, "-o", tmp_path / "out.o"], check=True)


def test_each_function_of_c_is_bound_or_has_a_reason() -> None:
    source = "".join(texts().values())
    called = set(re.findall(r"\b(fxs_\w+)\(", source))
    called |= set(re.findall(r"\bWRITE\((fxs_\w+),", source))
    declared = {function.name for function in read().functions}
    lines = (GODOT / "unbound.txt").read_text(encoding="utf-8").splitlines()
    reasons = dict(line.split("  ", 1) for line in lines if not line.startswith("#"))
    left = {pattern: set(fnmatch.filter(declared - called, pattern)) for pattern in reasons}
    assert declared - called == set().union(*left.values())
    assert all(reasons.values())
    assert all(left.values())
    assert len(declared) >= 170


def test_each_method_has_a_signature_that_the_binding_reads_and_a_help() -> None:
    found = rows()
    assert len(found) > 200
    classes = set(re.findall(r'= \{\s*"(Fixsync\w*)",', "".join(texts().values())))
    for signature, function, help in found:
        match = re.fullmatch(r"(static )?(\w+)\((.*)\)(?: -> (\w+))?", signature)
        assert match, signature
        assert match[4] is None or match[4] in TYPES | classes, signature
        arguments = match[3].replace("Vector3i()", "Vector3i").split(", ") if match[3] else []
        assert len(arguments) <= 10, signature
        has_default = False
        for argument in arguments:
            part = re.fullmatch(
                r"(\w+): (\w+)( = (-?\d+|true|false|null|\[\]|Vector3i))?", argument
            )
            assert part, signature
            assert part[2] in TYPES | classes, signature
            assert len(part[1]) < 32, signature
            assert part[3] or not has_default, f"{signature}: no default after a default"
            has_default = has_default or part[3] is not None
        assert re.match(r"[A-Z].*\.", help), f"{signature}: {help}"
        assert function


@pytest.mark.skipif(os.name != "posix", reason="a script of bash")
def test_the_engine_names_a_missing_tool_before_it_fetches(tmp_path: Path) -> None:
    for tool in ("bash", "apt-get", "dpkg-deb"):
        (tmp_path / tool).write_text("#!/bin/sh\nexit 9\n")
        (tmp_path / tool).chmod(0o755)
    bash = shutil.which("bash")
    assert bash is not None
    done = ran(
        [bash, GODOT / "engine"],
        env={"PATH": str(tmp_path), "FIXSYNC_CACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 1
    assert done.stderr == "engine: patchelf is missing: apt-get install patchelf\n"


def test_the_manifest_names_each_library_that_the_build_makes() -> None:
    manifest = (GODOT / "addons" / "fixsync" / "fixsync.gdextension").read_text(encoding="utf-8")
    build = (ROOT / "bindings" / "natives" / "build.py").read_text(encoding="utf-8")
    built = set(re.findall(r'"(\w*fixsync_godot\.[\w.]+)"', build))
    assert set(re.findall(r'"bin/([^"]+)"', manifest)) == built
    assert 'entry_symbol = "fixsync_godot_init"' in manifest
    assert "fixsync_godot_init(" in texts()["gd.c"]

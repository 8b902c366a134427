"""The linters find nothing: the same commands by hand are `ruff check`, `ruff format --check` and
`mypy`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
from builds import CSRC, ROOT, STRICT
from tools import needs

KERNEL = sorted(CSRC.rglob("*.[ch]"))


@pytest.mark.full
@pytest.mark.parametrize("command", ["ruff check", "ruff format --check", "mypy"])
def test_the_linters_find_nothing(command: str) -> None:
    name, *arguments = command.split()
    run = subprocess.run(
        [sys.executable, "-m", name, *arguments, *(["."] if name == "ruff" else [])],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


# By a script, or by hand: comments of the public headers stand in one column.
OTHERWISE_FORMATTED = {"angle_table.h", "fixsync.h", "fixsync_kit.h"}


@pytest.mark.full
def test_the_kernel_is_formatted_as_its_settings_say() -> None:
    needs("clang_format")
    command = [Path(sys.executable).with_name("clang-format"), "--dry-run", "-Werror"]
    files = [path for path in KERNEL if path.name not in OTHERWISE_FORMATTED]
    run = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


# The most branches, by McCabe's count, of a function that is easy to follow.
BRANCHES_MAX = 15
# One that is a list: a switch with a line for each status.
LONG_LISTS = {"fxs_status_text"}


@pytest.mark.full
def test_no_function_of_the_kernel_branches_more_than_is_easy_to_follow() -> None:
    lizard = needs("lizard")
    functions = [
        (path, function)
        for path in KERNEL
        for function in lizard.analyze_file(str(path)).function_list
    ]
    assert {function.name for _, function in functions} >= LONG_LISTS
    assert not [
        f"{path.relative_to(CSRC)}:{function.start_line}: {function.name} branches "
        f"{function.cyclomatic_complexity} times; {BRANCHES_MAX} are allowed"
        for path, function in functions
        if function.cyclomatic_complexity > BRANCHES_MAX and function.name not in LONG_LISTS
    ]


def nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for child in tree.children:
        yield from nodes(child)


@pytest.mark.full
def test_the_kernel_takes_one_step_a_line() -> None:
    tree_sitter, grammar = needs("tree_sitter"), needs("tree_sitter_c")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))

    def found(text: bytes, name: str = "") -> list[str]:
        steps = []
        for node in nodes(parser.parse(text).root_node):
            if node.type == "conditional_expression":
                parts = [part for child in node.children for part in nodes(child)]
                if any(part.type == "conditional_expression" for part in parts):
                    steps.append(f"{name}:{node.start_point[0] + 1}: a choice within a choice")
            elif node.type == "declaration" and node.parent.type != "for_statement":
                kinds = [child.type for child in node.children]
                if kinds.count("init_declarator") > 1:
                    steps.append(f"{name}:{node.start_point[0] + 1}: one declaration a line")
        return steps

    assert found(b"int f(int a) { return a ? 1 : (a > 1 ? 2 : 3); }") == [
        ":1: a choice within a choice"
    ]
    assert found(b"int f(void) { int a = 1, b = a; return b; }") == [":1: one declaration a line"]
    assert not [step for path in KERNEL for step in found(path.read_bytes(), path.name)]


def floors(csrc: Path) -> list[str]:
    """The files of the kernel, each below those that include it or call it: a header and a source
    of one name are one file."""
    texts = {
        path: re.sub(r"/\*.*?\*/", "", path.read_text(encoding="ascii"), flags=re.DOTALL)
        for path in sorted(csrc.rglob("*.[ch]"))
        if not path.name.startswith("fixsync")
    }
    defined = {
        name: path.stem
        for path, text in texts.items()
        for name in re.findall(r"^\w[\w ]*\b\*?(fxs_\w+)\([^;{]*\) \{", text, re.MULTILINE)
    }
    needs: dict[str, set[str]] = {}
    for path, text in texts.items():
        own = needs.setdefault(path.stem, set())
        own |= {Path(name).stem for name in re.findall(r'#include "([^"]+)"', text)}
        if path.suffix == ".c":
            own |= {defined[name] for name in re.findall(r"\bfxs_\w+", text) if name in defined}
        own -= {path.stem, "fixsync", "fixsync_kit"}
    return list(TopologicalSorter(needs).static_order())


def test_no_files_of_the_kernel_need_each_other_in_a_circle(tmp_path: Path) -> None:
    order = floors(CSRC)
    assert len(order) > 60
    stairs = ["integer", "angle", "placed_shape", "contact", "memory", "grid", "world", "step"]
    assert sorted(stairs, key=order.index) == stairs
    shutil.copytree(CSRC, tmp_path / "csrc")
    with (tmp_path / "csrc" / "grid.h").open("a") as grid:
        grid.write('#include "broad_pairs.h"\n')
    with pytest.raises(CycleError, match="broad_pairs"):
        floors(tmp_path / "csrc")


@pytest.mark.parametrize("path", KERNEL, ids=lambda path: path.name)
def test_the_kernel_names_no_floating_point_and_nothing_of_libc(path: Path) -> None:
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search(r"\b(float|double|_Float\w+)\b", text)
    allowed = {"<stddef.h>", "<stdint.h>", "<string.h>"}
    if path.name == "blocks.h":  # of these, integer instructions only: see test_kernel_object
        allowed |= {"<emmintrin.h>", "<arm_neon.h>"}
    included = set(re.findall(r"#\s*include\s+(\S+)", text))
    assert {name for name in included if name.startswith("<")} <= allowed
    called = set(
        re.findall(
            r"\b(mem[a-z]+|str(?:len|n?cmp|n?cpy|n?cat|r?chr|str|dup)|[a-z]*printf|abort)\(", text
        )
    )
    assert called <= {"memcpy", "memmove", "memset"}


@pytest.mark.parametrize("path", KERNEL, ids=lambda path: path.name)
def test_the_kernel_is_ascii_without_tabs_and_trailing_spaces(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        assert line == line.rstrip(), f"{path.name}:{number}"
        assert "\t" not in line, f"{path.name}:{number}"


# What people read: documentation, code with its comments and messages.
FOLDERS = {
    ".ci",
    "bench",
    "bindings",
    "csrc",
    "docs",
    "examples",
    "fixsync",
    "replay_logs",
    "tests",
}
SUFFIXES = {".c", ".cs", ".h", ".js", ".md", ".mjs", ".py", ".rs", ""}
IGNORED = {".gitignore", ".test", "LICENSE", "__pycache__", "build", "corpus", "target"}


def texts() -> Iterator[tuple[str, list[str]]]:
    """Every file that people read: its name, and its lines."""
    for top, folders, names in os.walk(ROOT):
        here = Path(top).relative_to(ROOT)
        allowed = FOLDERS if here == Path() else set(folders)
        # Not entered: other tests may be writing there.
        folders[:] = sorted(allowed.intersection(folders) - IGNORED)
        for path in map(here.joinpath, sorted(set(names) - IGNORED)):
            if path.suffix in SUFFIXES:
                yield path.as_posix(), (ROOT / path).read_text(encoding="utf-8").splitlines()


# "is told", "are none"; "what is posed"; "tell"; "is no sector"; "is to be"; names that only we use.
HABITS = re.compile(
    r"\b(?<!there )(?:is|are|be) (?:none|told)\b(?! of| apart)"
    r"|\b(?:has|have|was|were|values?|[Uu]nless|and) told\b"
    r"|\b[Ww]hat (?:there is|is (?:there|posed|told|asked|to be)|(?:is|are|was) (?:not?|too)\b)"
    r"|\b[Tt]ells?\b(?!\(|.* apart)"
    r"|\b(?<![Tt]here )(?:is|are|was|were) no (?!longer|more|less|earlier|later|larger|further)"
    r"|\b(?:is|are|was|were) to be\b|\b[Ww]orks (?:it|them) out\b"
    r"|\b(?:[Ff]ans?|[Ll]onely|strangers?|in vain)\b"
)
# Pages with a long line in the output of a program.
WIDE_OUTPUT = {"docs/concepts.md", "docs/testing.md"}


def test_no_sentence_has_a_habit_that_is_hard_to_read() -> None:
    """Say what something does: "report", "return", "print" for "tell"; "has no" for "is none"."""
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, lines in texts()
        if not name.startswith("tests/test_")
        for number, line in enumerate(lines, 1)
        if HABITS.search(line) and not line.startswith("HABITS")
    ]
    assert found == []


# A row of a table, a link, an address, a line of a log, one of the README's two commands.
LONG = re.compile(r"^\||\]\(|://|^python3 -m venv|^\{")


def test_lines_have_at_most_100_characters() -> None:
    """ruff checks Python."""
    rooms = ("bench/", "csrc/", "docs/", "examples/", "README.md", "tests/README.md")
    found = [
        f"{name}:{number}: {len(line)}"
        for name, lines in texts()
        if name.startswith(rooms) and not name.endswith(".py") and name not in WIDE_OUTPUT
        for number, line in enumerate(lines, 1)
        if len(line) > 100 and not (name.endswith(".md") and LONG.search(line))
    ]
    assert found == []


@pytest.mark.full
@pytest.mark.parametrize(
    "flags", ["", "-DFXS_NO_INT128 -DFXS_NO_BUILTINS -DFXS_NO_LITTLE_ENDIAN", "-m32"]
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_kernel_builds_without_warnings(compiler: str, flags: str, tmp_path: Path) -> None:
    def compiles(source: Path) -> str:
        options = ["-std=c11", "-O2", *STRICT, *flags.split(), "-c", "-o", tmp_path / "o"]
        run = subprocess.run(
            [compiler, *options, source], capture_output=True, text=True, check=False
        )
        return "" if run.returncode == 0 else run.stderr or "failed"

    probe = tmp_path / "probe.c"
    probe.write_text("#include <stdint.h>\n#include <string.h>\nextern int32_t unused;\n")
    if shutil.which(compiler) is None or compiles(probe):
        pytest.skip(f"{compiler} {flags} is not on this machine")
    faults = {path.name: compiles(path) for path in KERNEL if path.suffix == ".c"}
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_the_angle_table_is_what_its_generator_writes() -> None:
    generator = ROOT / "csrc" / "angle_table.py"
    run = subprocess.run(
        [sys.executable, str(generator)], capture_output=True, text=True, check=True
    )
    assert run.stdout == (ROOT / "csrc" / "angle_table.h").read_text(encoding="utf-8")

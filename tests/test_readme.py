"""The README keeps its word: its programs run, its files are there, its commands are one line
each.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from builds import CSRC, STRICT, Builds, compiled

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_every_python_example_of_the_readme_runs(tmp_path: Path) -> None:
    examples = blocks("python")
    assert examples
    for example in examples:
        run = subprocess.run(
            [sys.executable, "-c", example],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        printed = re.findall(r"print\(.*#\s*(.*)$", example, re.MULTILINE)
        assert run.stdout.splitlines() == printed


def test_the_readme_begins_with_two_commands_of_one_line() -> None:
    commands = blocks("sh")[:2]
    assert [len(command.splitlines()) for command in commands] == [1, 1]
    assert "pytest" in commands[1]
    assert commands[1].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_what_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_c_example_of_the_readme_prints_what_its_comment_says(
    tmp_path: Path, builds: Builds
) -> None:
    (source,) = blocks("c")
    (tmp_path / "duel.c").write_text(source)
    compiled(
        "-std=c11",
        *STRICT,
        f"-I{CSRC}",
        tmp_path / "duel.c",
        builds.object(),
        "-o",
        tmp_path / "duel",
    )
    run = subprocess.run([tmp_path / "duel"], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == re.findall(r"/\* ([\d ]+) \*/", source)


def test_the_drawings_are_what_their_script_writes() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "images" / "pictures.py"))
    for name, draw in script["PICTURES"].items():
        committed = (ROOT / "docs" / "images" / name).read_bytes()
        assert draw().bytes() == committed, f"{name}: run python docs/images/pictures.py"


@pytest.mark.parametrize("page", ["zh.md", "ko.md"])
def test_a_first_page_in_another_language_has_the_readmes_commands_and_code(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    code = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert code[:3] == [
        *(("sh", command) for command in blocks("sh")[:2]),
        ("python", blocks("python")[0]),
    ]
    assert [language for language, _ in code[3:]] == ["text"]
    assert f"docs/{page}" in README

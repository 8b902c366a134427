"""The README keeps its word: its programs run, its files are there, its commands are one line
each.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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

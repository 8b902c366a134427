"""docs/levels.md, followed literally in an empty folder: its programs and commands print what
stands under them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tools import run_shell

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "levels.md").read_text(encoding="utf-8")
_PARTS = re.compile(
    r"^```(sh|python)\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)


def test_the_page_can_be_followed_in_an_empty_folder(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "arena.tmj", tmp_path)
    parts = _PARTS.findall(PAGE)
    assert [kind for kind, _, _ in parts] == ["sh", "python", "sh", "python"]
    for kind, text, output in parts:
        if kind == "python":
            (tmp_path / "walk.py").write_text(text)
        command = text if kind == "sh" else "python -W error walk.py"
        printed = run_shell(command, tmp_path)
        if output:
            assert printed == output
    assert (tmp_path / "match.html").stat().st_size > 10_000

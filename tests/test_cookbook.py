"""Every program of the documentation is run, and prints what stands under it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

COOKBOOK = Path(__file__).resolve().parent.parent / "docs" / "cookbook.md"
# A heading, or a program with what it prints.
_PARTS = re.compile(r"^## (.+?)$|^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def programs() -> list[tuple[str, str, str | None]]:
    """Heading, program and output of each program, in order."""
    heading, found = "", []
    for title, program, output in _PARTS.findall(COOKBOOK.read_text(encoding="utf-8")):
        if title:
            heading = title
        else:
            found.append((heading, program, output))
    return found


PROGRAMS = programs()


def test_every_section_of_the_cookbook_has_a_program_with_its_output() -> None:
    text = COOKBOOK.read_text(encoding="utf-8")
    assert {heading for heading, _, _ in PROGRAMS} == set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert len(PROGRAMS) == text.count("```python\n") == text.count("```text\n")
    assert all(output for _, _, output in PROGRAMS)


@pytest.mark.parametrize("number", range(len(PROGRAMS)), ids=[heading for heading, _, _ in PROGRAMS])
def test_a_program_of_the_cookbook_prints_what_stands_under_it(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    heading, program, output = PROGRAMS[number]
    exec(compile(program, heading, "exec"), {"__name__": "__main__"})  # noqa: S102 - the project's own text
    assert capsys.readouterr().out == output


def test_links_of_the_cookbook_lead_to_its_headings() -> None:
    text = COOKBOOK.read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors

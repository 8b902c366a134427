"""Every program of the documentation is run, and prints what stands under it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

COOKBOOK = Path(__file__).resolve().parent.parent / "docs" / "cookbook.md"
# A heading, or a program with what it prints.
_PARTS = re.compile(
    r"^## (.+?)$|^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)


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
    assert {heading for heading, _, _ in PROGRAMS} == set(
        re.findall(r"^## (.+)$", text, re.MULTILINE)
    )
    assert len(PROGRAMS) == text.count("```python\n") == text.count("```text\n")
    assert all(output for _, _, output in PROGRAMS)


@pytest.mark.parametrize(
    "number", range(len(PROGRAMS)), ids=[heading for heading, _, _ in PROGRAMS]
)
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


SYSTEMS = COOKBOOK.with_name("systems.md").read_text(encoding="utf-8")


def test_every_row_of_the_systems_leads_to_a_test_that_there_is() -> None:
    links = re.findall(r"\[`(test_\w+)`\]\(\.\./(tests/\w+\.py)\)", SYSTEMS)
    assert len(links) > 40
    for name, file in links:
        source = (COOKBOOK.parent.parent / file).read_text(encoding="utf-8")
        assert f"\ndef {name}(" in source, name


def test_every_test_of_the_systems_is_in_a_row() -> None:
    source = (COOKBOOK.parent.parent / "tests" / "test_systems.py").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\d_\w+)`", SYSTEMS))
    assert named == set(re.findall(r"^def (test_\d_\w+)\(", source, re.MULTILINE))


def test_the_systems_lead_to_programs_and_examples_that_there_are() -> None:
    text = COOKBOOK.read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\(cookbook\.md#([^)]+)\)", SYSTEMS)) <= anchors
    for path in re.findall(r"\(\.\./(examples/[^)]+)\)", SYSTEMS):
        assert (COOKBOOK.parent.parent / path).is_file()

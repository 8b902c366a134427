"""The pages on sessions, desyncs and testing: their programs run, their tables are true, their
links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools import needs_loopback

from fixsync.cli import fixsync
from fixsync.sample.faults import FAULTS
from fixsync.session import Match, Reason, packets
from fixsync.testing.synctest import CHECKS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = ("sessions.md", "desync.md", "testing.md")
TEXTS = {page: (DOCS / page).read_text(encoding="utf-8") for page in PAGES}
_PROGRAM = re.compile(r"^```python\n(.*?)^```\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = [
    pytest.param(
        program,
        output,
        id=f"{page}-{number}",
        marks=[needs_loopback] if "udp" in program else [],
    )
    for page in PAGES
    for number, (program, output) in enumerate(_PROGRAM.findall(TEXTS[page]))
]


@pytest.mark.parametrize(("program", "output"), PROGRAMS)
def test_a_program_prints_what_stands_under_it(
    program: str, output: str, capsys: pytest.CaptureFixture[str]
):
    exec(compile(program, "program", "exec"), {"__name__": "__main__"})  # noqa: S102 - the project's own text
    assert capsys.readouterr().out == output


def test_every_program_has_its_output():
    assert len(PROGRAMS) == sum(text.count("```python\n") for text in TEXTS.values())


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str):
    for target in re.findall(r"\]\(([^)]+)\)", TEXTS[page]):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = (DOCS / name).resolve() if name else DOCS / page
        assert path.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor in anchors, target


def test_every_reason_setting_fault_and_check_is_documented():
    for reason in Reason:
        assert f"| `{reason.name}` |" in TEXTS["sessions.md"]
    for name in Match.__dataclass_fields__:
        assert f"`{name}`" in TEXTS["sessions.md"], name
    for name in FAULTS:
        assert f"| `{name}` " in TEXTS["desync.md"]
    for name in CHECKS:
        assert f"| {name} |" in TEXTS["testing.md"]


def test_the_numbers_told_are_the_true_ones():
    text = TEXTS["sessions.md"]
    assert f"at most {packets.PACKET_BYTES_MAX} bytes" in text
    assert f"version ({packets.VERSION})" in text
    assert f"up to {packets.PIECES_ASKED_MAX} numbers of pieces" in text
    assert f"up to {packets.PIECE_BYTES} bytes" in text
    rollback, lockstep = (
        Match("x", seed=0, players=2, prediction_max=most).detection_frames_max for most in (8, 0)
    )
    assert (
        f"{rollback} with a delay of 2 and a prediction of 8, {lockstep} in lockstep"
        in TEXTS["desync.md"]
    )


def test_a_packet_is_laid_out_as_documented():
    from hashlib import blake2b

    match = Match("x", seed=0, players=2, id=7, key=b"secret")
    data = packets.Codec(match).seal(packets.Bye(1, 2, 3, 4, 5, 0, "so", True))
    assert data[:4] == b"FXP\x01"
    tag = blake2b(
        data[3:4] + data[12:],
        digest_size=8,
        key=b"secret",
        salt=bytes([7, *[0] * 7]),
        person=b"fixsync packet",
    )
    assert data[4:12] == tag.digest()
    assert data[12:] == b"\x99\x05\x01\x02\x03\x04\x05\x00\xa2so\xc3"


@pytest.mark.parametrize("page", PAGES)
def test_command_lines_have_the_options_that_they_show(page: str):
    runner = CliRunner()
    for command in ("peers", "synctest"):
        help_text = runner.invoke(fixsync, [command, "--help"]).output
        for line in re.findall(rf"^\s*fixsync {command} (.*)$", TEXTS[page], re.MULTILINE):
            for option in re.findall(r"--[\w-]+", line):
                assert f"{option} " in help_text or f"{option}\n" in help_text, option

"""The pages on sessions, desyncs and testing: their tables and numbers are true. test_docs.py runs
their programs."""

from __future__ import annotations

from pathlib import Path

from fixsync.sample.faults import FAULTS
from fixsync.session import Match, Reason, packets
from fixsync.testing.synctest import CHECKS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = ("sessions.md", "desync.md", "testing.md")
TEXTS = {page: (DOCS / page).read_text(encoding="utf-8") for page in PAGES}


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
    rollback, lockstep = (
        Match("x", seed=0, players=2, prediction_max=most).detection_frames_max for most in (8, 0)
    )
    assert (
        f"{rollback} with a delay of 2 and a prediction of 8, {lockstep} in lockstep"
        in " ".join(TEXTS["desync.md"].split())
    )


def test_a_packet_is_laid_out_as_documented():
    from hashlib import blake2b

    match = Match("x", seed=0, players=2, id=7, key=b"secret")
    data = packets.Codec(match, 1).seal(packets.Bye(1, 2, 3, 4, 5, 0, "so", True), 6, 258, 9)
    assert data[:4] == b"FXP\x05"
    tag = blake2b(
        data[3:4] + bytes([6]) + data[12:],
        digest_size=8,
        key=b"secret",
        salt=bytes([7, *[0] * 7]),
        person=b"fixsync packet",
    )
    assert data[4:12] == tag.digest()
    assert data[12:28] == bytes([*[0] * 6, 1, 2, *[0] * 7, 9])
    assert data[28:] == b"\x99\x05\x01\x02\x03\x04\x05\x00\xa2so\xc3"

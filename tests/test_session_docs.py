"""The pages on sessions, desyncs and testing: their tables and numbers are true. test_docs.py runs
their programs."""

from __future__ import annotations

from pathlib import Path

from fixsync.peers.faults import FAULTS
from fixsync.session import Match, Reason, packets
from fixsync.synctest.checks import CHECKS

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

    ours, theirs = b"a" * 16, b"b" * 16
    codec = packets.Codec(Match("x", seed=0, players=2, id=7, key=b"secret"), 1, ours)
    bye = packets.Bye(4, 5, 0, "so", True)
    hello = packets.Hello(1, 2, 3, False, 0, b"k", "x", 0, 2, 8, 2, 2, 0, [], 60, b"", b"")
    for message, who, nonces in ((bye, 1, b""), (hello, 129, ours + theirs)):
        data = codec.seal(message, 6, theirs, 258, 9)
        assert data[:5] == b"FXP\x05" + bytes([who])
        named = bytes([5, 1, 6]) + (b"" if nonces else ours + theirs)
        settings = {"key": b"secret", "salt": bytes([7, *[0] * 7]), "person": b"fixsync packet"}
        key = blake2b(named, digest_size=32, **settings).digest()
        tag = blake2b(data[13:], digest_size=8, key=key, person=b"fixsync packet")
        assert data[5:13] == tag.digest()
        assert data[13:29] == bytes([*[0] * 6, 1, 2, *[0] * 7, 9])
        assert data[29 : 29 + len(nonces)] == nonces
        codec.meet(6, theirs)
        assert codec.seal(message, 6, theirs, 258, 9) == data
    assert codec.seal(bye, 6, theirs, 1, 0)[29:] == b"\x96\x05\x04\x05\x00\xa2so\xc3"

"""The pages on sessions, desyncs and testing: their tables and numbers are true. test_docs.py runs
their programs."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from fixsync import GameEvent, World
from fixsync.game.random import Random
from fixsync.match import hash_of, start
from fixsync.peers.faults import FAULTS
from fixsync.session import Match, Predicted, Reason, RollbackSession, TakenBack, packets
from fixsync.synctest.checks import CHECKS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = ("sessions.md", "protocol.md", "desync.md", "testing.md")
TEXTS = {page: (DOCS / page).read_text(encoding="utf-8") for page in PAGES}


def test_every_reason_setting_fault_and_check_is_documented():
    for reason in Reason:
        assert f"- `{reason.name}`: " in TEXTS["sessions.md"]
    for name in Match.__dataclass_fields__:
        assert f"`{name}`" in TEXTS["sessions.md"], name
    for name in FAULTS:
        assert f"| `{name}` " in TEXTS["desync.md"]
    for name in CHECKS:
        assert f"| {name} |" in TEXTS["testing.md"]


def test_the_numbers_told_are_the_true_ones():
    text = TEXTS["protocol.md"]
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


class Kind(IntEnum):
    SHOT = 16


class Held:
    """An input is 1 as long as the button is held. The state has the button of the last frame."""

    name = "shots"
    event_kinds = Kind

    def __init__(self, _seed, players):
        self.players = players
        self.world = World(1)
        self.before = [0] * players

    def step(self, inputs):
        events = self.world.step()
        pressed = [now and not was for now, was in zip(inputs, self.before, strict=True)]
        self.before = [*inputs]
        return [*events, *(GameEvent(who, 0, Kind.SHOT, 1) for who, it in enumerate(pressed) if it)]

    def save(self):
        return bytes(self.before) + self.world.save()

    def load(self, data):
        self.world.load(data[self.players :])
        self.before = [*data[: self.players]]

    def hash(self):
        return hash_of(self.save())


class Pressed(Held):
    """An input is 1 in the one frame in which the button goes down."""

    def step(self, inputs):
        self.before = [0] * self.players
        return super().step(inputs)


class Guessed(Pressed):
    """The same, but nobody is guessed to press again."""

    @staticmethod
    def guess_input(_player, _last, _age):
        return 0


def shots(game, latency):
    """The shots that player 0 sees predicted and taken back in 600 frames."""
    match = Match("shots", seed=1, players=2, input_delay=2, frames=600)
    peers = [
        RollbackSession(match, start(game, 1, 2), me, start_number=1, nonce=b"n" * 16, now_ms=0)
        for me in (0, 1)
    ]
    randoms, held, found, wire, frame = [Random(7), Random(8)], [0, 0], [0, 0], [], 0
    while not all(peer.is_over for peer in peers):
        frame += 1
        for _, receiver, data in [it for it in wire if it[0] <= frame]:
            peers[receiver].receive(data, 16 * frame)
        wire = [it for it in wire if it[0] > frame]
        for me, peer in enumerate(peers):
            was, held[me] = held[me], held[me] - 1 if held[me] else 6 * randoms[me].chance(1, 20)
            value = int(held[me] > 0 and (game is Held or not was))
            for notice in peer.advance(value, 16 * frame):
                if me == 0 and isinstance(notice, (Predicted, TakenBack)):
                    found[isinstance(notice, TakenBack)] += len(notice.game)
            wire += [(frame + latency, *packet) for packet in peer.outgoing(16 * frame)]
    return found


def test_what_is_held_is_guessed_right_as_the_page_says():
    pressed, held, guessed = (shots(game, latency=6) for game in (Pressed, Held, Guessed))
    assert held == guessed == [28, 0]
    text = " ".join(TEXTS["sessions.md"].split())
    assert (
        f'28 shots of "just pressed" gave {pressed[0]} predicted and {pressed[1]} taken back, of '
        f"held buttons {held[0]} and {held[1]}"
    ) in text

"""Peers of `fxs_rollback`: they agree over a bad network, and say when a game does not."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from rollback_peers import Duel, Match, Peer, RaisedError, pressed
from tools import by_default

from fixsync._native.raw import lib


def hash64(data: bytes, seed: int) -> int:
    return int(lib.fxs_hash64(data, len(data), seed))


def varint(value: int) -> bytes:
    """As docs/rollback.md has it."""
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value >> 7)


def signed(value: int) -> bytes:
    return varint(2 * value if value >= 0 else -2 * value - 1)


def numbers_of(data: bytes) -> tuple[int, int, int, int]:
    """The first four numbers of a PLAY: head, ack, confirmed and hash ack."""
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
        if len(found) == 4:
            break
    head, ack, confirmed, hash_ack = found
    return (
        head,
        -(ack + 1) // 2 if ack % 2 else ack // 2,
        confirmed,
        (-(hash_ack + 1) // 2 if hash_ack % 2 else hash_ack // 2),
    )


FAULTS = ("unsaved", "static", "clock", "float", "reaction")
PARTS = {
    "unsaved": lib.FXS_PART_SHOWN,
    "static": lib.FXS_PART_WORLD,
    "clock": lib.FXS_PART_WORLD,
    "float": lib.FXS_PART_WORLD,
    "reaction": lib.FXS_PART_OWN,
}


def alone(frames: int, players: int, seed: int = 1, start: int = 0, delay: int = 0) -> list[Any]:
    """What every peer must have confirmed: a game that is stepped once, with all inputs."""
    game, found = Duel(players, start), []
    early: list[bytes] = []
    for frame in range(frames):
        inputs = tuple(
            tuple(pressed(seed, player, (start + frame - delay) % 2**32))
            if frame >= delay
            else (0,)
            for player in range(players)
        )
        before, after, events, hash = game.step(inputs)
        own = sum(row[2] >= 16 for row in events)
        rows = b"".join(early + before)
        found.append(((start + frame) % 2**32, inputs, rows, tuple(events), own, hash))
        early = after
    return found


@pytest.mark.parametrize("start", by_default(1, [0, 2**32 - 100]))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"check": 5},
        {"check": 1},
        {"prediction_max": 0, "input_delay": 4},
        {"prediction_max": 20, "input_delay": 2},
    ],
)
@pytest.mark.parametrize("count", by_default(2, [2, 4, 3]))
def test_peers_confirm_what_a_game_alone_computes(
    count: int, settings: dict[str, Any], start: int
) -> None:
    match = Match(count, seed=count, start=start, jitter_ms=60, loss=0.1, **settings)
    match.run(250)
    match.loss = 0
    alone_ = alone(260, count, count, start, settings.get("input_delay", 0))
    for peer in match.peers:
        confirmed = peer.heard.confirmed
        assert len(confirmed) > 200
        assert confirmed == alone_[: len(confirmed)]
        assert peer.desync is None
        # Without a prediction that stands, what was shown and not taken back was right.
        for frame, _, _, events, _, _ in confirmed:
            left = list(events)
            for row in peer.heard.shown.get(frame, []):
                left.remove(row)
    assert match.statuses == {lib.FXS_OK}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sync_test_names_frame_and_part_of_a_planted_fault(fault: str) -> None:
    Duel.counter = 0
    peer = Peer(Duel(2, 0, fault), [0, 0], check=8)
    frames = 0
    while peer.desync is None:
        assert frames < 300
        peer.tick([pressed(1, player, frames) for player in range(2)])
        frames += 1
    found = peer.desync
    assert found.part == PARTS[fault]
    assert found.players == found.peer == 0
    assert frames - found.frame <= 16
    assert found.ours[found.part] != found.theirs[found.part]


@pytest.mark.parametrize("fault", FAULTS)
def test_two_peers_name_frame_and_part_of_a_planted_fault(fault: str) -> None:
    Duel.counter = 0
    match = Match(2, faults=(fault, fault))
    match.run(2000, lambda: any(peer.desync for peer in match.peers))
    peer = next(peer for peer in match.peers if peer.desync)
    found = peer.desync
    assert found.part == PARTS[fault]
    assert found.peer == 1
    assert found.players == 2 - match.peers.index(peer)
    assert peer.pace.head - found.frame <= 40


def test_a_good_game_passes_the_sync_test() -> None:
    peer = Peer(Duel(3), [0, 0, 0], check=8)
    for frame in range(2000):
        peer.tick([pressed(1, player, frame) for player in range(3)])
    assert peer.desync is None
    confirmed = peer.heard.confirmed
    assert confirmed == alone(2000, 3)[: len(confirmed)]
    assert len(confirmed) == 1991


def test_a_game_that_raises_in_the_middle_loses_nothing() -> None:
    match = Match(2, seed=5, jitter_ms=30)
    count = [0]

    def sometimes(request: tuple[Any, ...]) -> bool:
        count[0] += 1
        return request[0] in ("load", "step") and count[0] % 7 == 0

    match.peers[1].raise_in = sometimes
    while match.peers[0].pace.head < 300:
        try:
            match.turn()
        except RaisedError:
            match.due[1] += 16
    for peer in match.peers:
        confirmed = peer.heard.confirmed
        inputs = [row[1] for row in confirmed]
        assert len(confirmed) > 250
        assert [row[0] for row in confirmed] == list(range(len(confirmed)))
        assert inputs
    first, second = (peer.heard.confirmed for peer in match.peers)
    shared = min(len(first), len(second))
    assert first[:shared] == second[:shared]
    assert all(peer.desync is None for peer in match.peers)


def refused(settings: dict[str, Any]) -> tuple[int, int, int]:
    """Status, field and value, when a peer with other settings greets."""
    ours = Peer(Duel(2), [0, 1], random=b"a" * 16)
    theirs = Peer(Duel(2), [1, 0], random=b"b" * 16, **settings)
    status = ours.receive(1, theirs.packet(1))
    refusal = ours.refusal(1)
    return status, refusal.field, refusal.theirs


@pytest.mark.parametrize(
    ("settings", "status", "field"),
    [
        ({"match": 8}, lib.FXS_E_MATCH, lib.FXS_PACKET_MATCH),
        ({"data": 8}, lib.FXS_E_DATA, lib.FXS_PACKET_DATA),
        ({"numbers": 8}, lib.FXS_E_SETTINGS, lib.FXS_PACKET_NUMBERS),
        ({"prediction_max": 3}, lib.FXS_E_SETTINGS, lib.FXS_PACKET_PREDICTION_MAX),
    ],
)
def test_a_peer_with_another_setting_is_refused_by_name(
    settings: dict[str, int], status: int, field: int
) -> None:
    assert refused(settings) == (status, field, next(iter(settings.values())))


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("jitter", by_default(1, [5, 0, 20]))
@pytest.mark.parametrize("rtt", by_default(2, [80, 20, 200, 40]))
@pytest.mark.parametrize("slow_clock", [False, True])
def test_peers_step_about_as_many_frames_again_and_keep_their_pace(
    slow_clock: bool, rtt: int, jitter: int, skip: bool
) -> None:
    """With a clock that is 1 % slow, or a head start of 6 frames, from the second second on."""
    clocks: dict[str, Any] = {"rates": [1, 1.01]} if slow_clock else {"offsets_ms": [0, 100]}
    match = Match(
        2, rtt_ms=rtt, jitter_ms=jitter, skip=skip, slow=not skip, prediction_max=16, **clocks
    )

    def told() -> list[tuple[int, float]]:
        """Of each peer, frames that it stepped again, and by its clock could have stepped."""
        clocks = zip(match.peers, match.due, match.rates, strict=True)
        return [(peer.pace.resteps, due * 60 / 1000 / rate) for peer, due, rate in clocks]

    match.run(120)
    before = told()
    match.run(1020)
    resteps = [after[0] - was[0] for after, was in zip(told(), before, strict=True)]
    ticks = [after[1] - was[1] for after, was in zip(told(), before, strict=True)]
    # 40 ms are so short that a few frames, or one of the two that are ahead, are a third.
    assert max(resteps) <= (1.3 if rtt > 40 else 1.45) * min(resteps)
    assert max(ticks) <= 900 * 1.04


def test_packets_are_small_and_hashes_come_within_thirty_frames() -> None:
    """By the bytes of the packets alone: a hash that came is acknowledged in the next packet."""
    match = Match(2, loss=0.05, rtt_ms=80)
    late = 0
    while match.peers[0].pace.head < 1800:
        match.turn()
        for me, peer in enumerate(match.peers):
            if (data := peer.last)[8:9] == b"\x11":
                head, ack, confirmed, hash_ack = numbers_of(data[9:])
                first = match.peers[1 - me].pace.first
                late = max(late, first - (head + hash_ack))
                assert confirmed <= head
                assert ack <= 64
    sizes = [size for peer in match.peers for size in peer.packets]
    assert sum(sizes) / len(sizes) <= 64
    assert 0 < late <= 30


def test_hostile_packets_change_nothing_that_peers_confirm() -> None:
    random = Random(3)
    match, old = Match(2, seed=2, loss=0), Match(2, seed=9, loss=0)
    old.run(60)
    recorded = [old.peers[1].packet(1)]
    while match.peers[0].pace.head < 120:
        match.turn()
        seen = [data for *_, data in match.wire]
        recorded = (recorded + seen)[-200:]
        for peer in match.peers:
            data = bytearray(random.choice(recorded))
            way = random.randrange(4)
            if way == 0:
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
            elif way == 1:
                del data[random.randrange(len(data)) :]
            elif way == 2:
                data += random.choice(recorded)
            assert peer.receive(1, bytes(data)) <= 0
    first, second = (peer.heard.confirmed for peer in match.peers)
    shared = min(len(first), len(second))
    assert shared > 100
    assert first[:shared] == second[:shared]
    assert all(peer.desync is None for peer in match.peers)


def test_a_liar_is_refused_by_player_frame_and_both_values() -> None:
    match = Match(2, loss=0)
    match.run(30)
    ours = match.peers[0]
    keys = [peer.settings.random for peer in match.peers]
    key = hash64(bytes(keys[1]) + bytes(keys[0]), 0)
    head, player = min(peer.pace.head for peer in match.peers) - 1, 1

    def play(ack: int, first: int, runs: bytes) -> Any:
        body = b"\x11" + varint(head) + signed(ack - head) + varint(head) + signed(-head)
        body += signed(0) + signed(first - head) + runs + b"\0\0\0"
        return ours.receive(1, hash64(body, key).to_bytes(8, "little") + body)

    right = pressed(1, player, 3)[0]
    assert play(head, 3, varint(1) + signed(right)) == lib.FXS_OK
    assert play(head, 3, varint(1) + signed(right + 5)) == lib.FXS_E_INPUT
    refusal = ours.refusal(1)
    assert (refusal.player, refusal.frame) == (player, 3)
    assert (refusal.ours, refusal.theirs) == (right, right + 5)
    assert play(head + 500, 3, b"") == lib.FXS_E_RANGE  # it has inputs that were never sent
    assert ours.refusal(1).field == lib.FXS_PACKET_ACK
    assert play(head - 2, 3, varint(500) + signed(1)) == lib.FXS_E_RANGE  # far ahead
    assert ours.refusal(1).field == lib.FXS_PACKET_INPUT_END
    assert play(head, 3, varint(1) + b"\xff" * 11) == lib.FXS_E_PACKET
    assert match.peers[0].desync is None


def test_a_changed_input_delay_and_guesses_lead_to_the_same_match() -> None:
    match = Match(2, seed=4, jitter_ms=40, guesses=1)

    def guess(player: int, frame: int, age: int, last: list[int]) -> list[int] | None:
        return [(last[0] + player + frame) % 3] if age > 1 else None

    for peer in match.peers:
        peer.guess = guess
    for head, delay in ((40, 5), (90, 1), (140, 64), (200, 0)):
        match.run(head)
        assert lib.fxs_rollback_set_delay(match.peers[0].it, delay) == lib.FXS_OK
    match.run(320)
    assert lib.fxs_rollback_set_delay(match.peers[0].it, 65) == lib.FXS_E_RANGE
    first, second = (peer.heard.confirmed for peer in match.peers)
    shared = min(len(first), len(second))
    assert shared > 200
    assert first[:shared] == second[:shared]
    assert any(request[0] == "guess" for request in match.peers[1].heard.requests)


def test_a_peer_without_room_for_the_events_grows() -> None:
    match = Match(2, seed=2, room=1)
    match.run(200)
    assert all(peer.settings.event_room > 1 for peer in match.peers)
    first, second = (peer.heard.confirmed for peer in match.peers)
    shared = min(len(first), len(second))
    assert first[:shared] == second[:shared] == alone(300, 2, 2)[:shared]


class TwoFaced(Peer):
    """A player who sends another input to the second peer from frame 60 on."""

    def __init__(self, game: Duel, peers: list[int], **settings: Any) -> None:
        super().__init__(game, peers, **settings)
        self.other = Peer(Duel(len(peers)), peers, **settings)

    def tick(self, values: Any) -> int:
        lie = [[(values[0][0] + 1) % 3]] if self.pace.head >= 60 else values
        self.other.tick(lie)
        return super().tick(values)

    def packet(self, peer: int, room: int = 1200) -> bytes:
        said = super().packet(peer, room), self.other.packet(peer, room)
        return said[peer - 1]

    def receive(self, peer: int, data: bytes) -> int:
        self.other.receive(peer, data)
        return super().receive(peer, data)


def test_a_player_who_sends_two_inputs_is_found_by_those_who_got_them() -> None:
    def peer(game: Duel, peers: list[int], **settings: Any) -> Peer:
        return (TwoFaced if peers[2] == 0 else Peer)(game, peers, **settings)

    match = Match(3, peer=peer, jitter_ms=30)
    match.run(400, lambda: all(one.desync for one in match.peers[:2]))
    first, second = (one.desync for one in match.peers[:2])
    assert first.frame == second.frame == 60
    assert first.part == second.part == lib.FXS_PART_INPUTS
    assert (first.players, second.players) == (0b010, 0b001)  # of each other: nobody else knows
    assert first.parts & 1 << lib.FXS_PART_WORLD
    inputs = [one.heard.confirmed[60][1] for one in match.peers[:2]]
    assert inputs[0][:2] == inputs[1][:2]
    assert inputs[0][2] != inputs[1][2]  # logs name the player

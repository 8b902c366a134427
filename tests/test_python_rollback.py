"""`fixsync.match.Rollback`: peers over a bad network, their pace and packets, and what they say of a
bad game."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from model_rollback import Play
from network import Weather, Witness
from rollback_peers import Brawl, Match, pressed
from tools import by_default

from fixsync import Event, GameEvent, Pose, Sphere
from fixsync.match import DesyncError, RefusedError, Rollback
from fixsync.match.notices import Confirmed
from fixsync.match.sim import Input

FAULTS = {"unsaved": "shown", "static": "world", "clock": "world", "float": "world"}
FAULTS["reaction"] = "own"
BAD = Weather(loss=10, delay_ms=40, jitter_ms=60)


@pytest.mark.parametrize(
    ("count", "settings"),
    [
        (2, {"check": 5}),
        (2, {"check": 1}),
        (2, {"prediction_max": 0, "input_delay": 4}),
        (3, {"numbers": 2, "prediction_max": 20, "own_max": 99}),
    ],
)
def test_peers_confirm_what_a_game_alone_computes(count: int, settings: dict[str, Any]) -> None:
    match = Match(count, weather=BAD, **settings)
    match.run(250)
    match.check_straight(200)
    assert not any(peer.desync for peer in match.peers)
    resteps = [peer.pace().resteps for peer in match.peers]
    assert all(resteps) == (settings.get("prediction_max") != 0)
    assert any(witness.taken_back for witness in match.witnesses) == all(resteps)


def play(rollback: Rollback, frames: int) -> list[Any]:
    """Plays alone. What is heard, until the sync test finds something."""
    game, found = rollback.simulation, []
    for frame in range(frames):
        notices = rollback.advance([pressed(1, player, frame) for player in range(game.players)])
        game.hear(notices)
        found += notices
    return found


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sync_test_names_frame_part_and_field_of_a_fault(fault: str) -> None:
    Brawl.counter = 0
    rollback = Rollback(Brawl(2, fault), check=8)
    with pytest.raises(DesyncError) as raised:
        play(rollback, 300)
    found = raised.value.desync
    assert (found.part, found.peer, found.players) == (FAULTS[fault], 0, ())
    assert rollback.pace().head - found.frame <= 16
    assert found.ours[found.part] != found.theirs[found.part]
    assert f"frame {found.frame}: {found.part} differs" in str(raised.value)
    if found.part != "shown":
        owner = "collider" if found.part == "world" else "player"
        assert any(row.owner.startswith(owner) for row in found.differences)
    rollback.advance([0, 0])  # said once


@pytest.mark.parametrize("fault", FAULTS)
def test_two_peers_name_frame_part_and_field_of_a_fault(fault: str) -> None:
    Brawl.counter = 0
    match = Match(2, faults=(fault, fault))
    match.run(2000, lambda: any(peer.desync for peer in match.peers))
    at = next(peer.desync.frame for peer in match.peers if peer.desync)
    assert max(peer.pace().head for peer in match.peers) - at <= 40
    match.run(2000, lambda: all(peer.desync for peer in match.peers))
    first, second = (peer.desync for peer in match.peers)
    assert first.frame == second.frame == at
    assert first.part == second.part == FAULTS[fault]
    assert (first.peer, first.players, second.players) == (1, (1,), (0,))
    sent = match.peers[1].kept()
    assert sent is not None
    assert bool(match.peers[0].differences(sent)) == (fault != "unsaved")


def test_a_good_game_passes_the_sync_test() -> None:
    witness = Witness()
    witness.hear_all(play(Rollback(Brawl(3), check=8), 1000))
    game = Brawl(3)
    for frame in range(991):
        events = tuple(game.step([pressed(1, player, frame) for player in range(3)]))
        assert (witness.events[frame], witness.hashes[frame]) == (events, game.hash())
    assert witness.next_frame == 991


def test_a_game_that_raises_in_the_middle_loses_nothing() -> None:
    match, count = Match(2, weather=BAD), 0

    def sometimes() -> bool:
        nonlocal count
        count += 1
        return count % 7 == 0

    match.peers[1].simulation.raise_in = sometimes
    while match.peers[0].pace().head < 300:
        with suppress(OSError):
            match.turn()
    assert count > 300
    first, second = match.witnesses
    frames = range(min(first.next_frame, second.next_frame))
    assert len(frames) > 250
    assert all(first.hashes[frame] == second.hashes[frame] for frame in frames)
    assert not any(peer.desync for peer in match.peers)


def test_a_changed_input_delay_and_guesses_lead_to_the_same_match() -> None:
    class Guessing(Brawl):
        @staticmethod
        def guess_input(player: int, last: Input, age: int) -> Input:
            return (last + player) % 3 if age > 1 else last

    match = Match(2, weather=BAD, game=Guessing)
    for head, delay in ((40, 5), (90, 1), (140, 64), (200, 0), (320, 0)):
        match.run(head)
        match.peers[0].set_delay(delay)
    first, second = match.witnesses
    frames = range(min(first.next_frame, second.next_frame))
    assert len(frames) > 200
    assert all(first.hashes[frame] == second.hashes[frame] for frame in frames)


@pytest.mark.parametrize("slows", [False, True])
@pytest.mark.parametrize("jitter", by_default(1, [5, 0, 20]))
@pytest.mark.parametrize("rtt", by_default(2, [80, 20, 200, 40]))
@pytest.mark.parametrize("slow_clock", [False, True])
def test_peers_step_about_as_many_frames_again_and_keep_their_pace(
    slow_clock: bool, rtt: int, jitter: int, slows: bool
) -> None:
    """With a clock that is 1 % slow, or a head start of 6 frames, from the second second on."""
    clocks: dict[str, Any] = {"rates": [1, 1.01]} if slow_clock else {"offsets_ms": [0, 100]}
    weather = Weather(loss=5, delay_ms=rtt // 2, jitter_ms=jitter)
    match = Match(2, weather=weather, slows=slows, prediction_max=16, **clocks)

    def told() -> list[tuple[int, float]]:
        """Of each peer, frames that it stepped again, and by its clock could have stepped."""
        clocks = zip(match.peers, match.due, match.rates, strict=True)
        return [(peer.pace().resteps, due * 60 / 1000 / rate) for peer, due, rate in clocks]

    match.run(120)
    before = told()
    match.run(1020)
    resteps = [after[0] - was[0] for after, was in zip(told(), before, strict=True)]
    ticks = [after[1] - was[1] for after, was in zip(told(), before, strict=True)]
    # 40 ms are so short that a few frames, or one of the two that are ahead, are a third.
    assert max(resteps) <= (1.3 if rtt > 40 else 1.45) * min(resteps)
    assert max(ticks) <= 900 * 1.04


@pytest.mark.parametrize("rtt", by_default(1, [20, 80, 200]))
@pytest.mark.parametrize(
    "habit",
    [
        "every third turn",
        "silent without a step",
        "only to the last one without a step",
        "last one first",
    ],
)
@pytest.mark.parametrize("count", [2, 3])
def test_peers_go_on_whenever_a_game_sends(count: int, habit: str, rtt: int) -> None:
    """Without loss: a game that sends nothing while it waits must not lose its last packet."""
    clocks: dict[str, Any] = {
        "rates": [1, 1.02, 0.98][:count],
        "offsets_ms": [0, 100, 50][:count],
    }
    weather = Weather(delay_ms=rtt // 2)
    match = Match(count, weather=weather, habit=habit, prediction_max=16, **clocks)
    match.run(600)
    assert match.now_ms < 600 * 1000 / 60 * 1.02 * 1.04 + 500
    assert all(peer.desync is None for peer in match.peers)


def test_lost_hashes_do_not_hold_up_a_game_that_sends_every_third_turn() -> None:
    weather = Weather(loss=20, delay_ms=40)
    match = Match(2, weather=weather, habit="every third turn", prediction_max=16)
    match.run(600)
    assert match.now_ms < 600 * 1000 / 60 * 1.1 + 500
    assert all(peer.desync is None for peer in match.peers)


def test_packets_are_small_and_hashes_come_within_thirty_frames() -> None:
    """By the bytes of the packets alone: a hash that came is acknowledged in the next packet."""
    match = Match(2)
    late = 0
    while match.peers[0].pace().head < 1800:
        match.turn()
        for me, packets in enumerate(match.packets):
            if packets and packets[-1][8] == 17:
                play = Play.read(packets[-1][9:], 1)
                late = max(late, match.peers[1 - me].pace().first - play.hash_ack)
    sizes = [len(packet) for packets in match.packets for packet in packets]
    assert sum(sizes) / len(sizes) <= 64
    assert 0 < late <= 30


def test_a_packet_that_comes_seconds_late_is_no_error() -> None:
    match = Match(2)
    match.run(300)
    for packet in match.packets[1]:
        match.peers[0].receive(1, packet)
    match.run(320)
    match.check_straight(300)


class TwoFaced(Rollback):
    """A player who sends another input to the second peer from frame 60 on."""

    def __init__(self, game: Brawl, **settings: Any) -> None:
        super().__init__(game, **settings)
        self.other = Rollback(Brawl(game.players), **settings)

    def advance(self, inputs: Any) -> Any:
        self.other.advance([inputs[0] + 1] if self.pace().head >= 60 else inputs)
        return super().advance(inputs)

    def packet(self, peer: int) -> bytes:
        return (super().packet(peer), self.other.packet(peer))[peer - 1]

    def receive(self, peer: int, data: Any) -> None:
        self.other.receive(peer, data)
        super().receive(peer, data)


def test_a_player_who_sends_two_inputs_is_found_by_those_who_got_them() -> None:
    def peer(game: Brawl, **settings: Any) -> Rollback:
        return (TwoFaced if settings["peers"][2] == 0 else Rollback)(game, **settings)

    match = Match(3, peer=peer, weather=Weather(loss=5, delay_ms=40, jitter_ms=30))
    match.run(400, lambda: all(one.desync for one in match.peers[:2]))
    first, second = (one.desync for one in match.peers[:2])
    assert first.frame == second.frame == 60
    assert first.part == second.part == "inputs"
    assert (first.players, second.players) == ((1,), (0,))  # of each other: nobody else knows
    assert "world" in first.parts
    inputs = [witness.inputs[60] for witness in match.witnesses[:2]]
    assert inputs[0][:2] == inputs[1][:2]
    assert inputs[0][2] != inputs[1][2]  # logs name the player


def test_errors_name_what_was_wrong() -> None:
    ours, theirs = (Rollback(Brawl(2), peers=[i, 1 - i], match=7 + i) for i in range(2))
    with pytest.raises(RefusedError, match=r"peer 1: .*match 8, here 7") as raised:
        ours.receive(1, theirs.packet(1))
    assert (raised.value.field, raised.value.ours, raised.value.theirs) == ("match", 7, 8)
    with pytest.raises(RefusedError, match="packet of peer 1"):
        ours.receive(1, b"no packet")
    with pytest.raises(ValueError, match="peers must have 0"):
        Rollback(Brawl(2), peers=[1, 1])
    with pytest.raises(ValueError, match="one of each of 1 local players, not 2"):
        ours.advance([0, 0])
    with pytest.raises(ValueError, match="input of player 0 must hold 1 integers, not 2"):
        ours.advance([(1, 2)])
    with pytest.raises(ValueError, match=r"peer must be 1\.\.1"):
        ours.packet(2)


def test_frames_get_the_room_that_they_need() -> None:
    class Crowd(Brawl):
        def step(self, inputs: Sequence[Input]) -> Sequence[Event | GameEvent]:
            for i in range(40):
                if i not in self.world:
                    self.world.add(i, Sphere(4), Pose(0, 0, 0))
                self.world.move(i, (1 + 20 * (inputs[0] == 1)) * i, 0, 0)
            return self.world.step()

    game, rollback, found, expected = Crowd(40), Rollback(Crowd(40), check=4), [], []
    for frame in range(40):
        inputs = [frame // 5 % 2] * 40
        expected.append((tuple(game.step(inputs)), game.hash()))
        found += rollback.advance(inputs)
    rows = [(it.events, it.state_hash) for it in found if isinstance(it, Confirmed)]
    assert max(len(events) for events, _ in rows) > 128
    assert rows == expected[: len(rows)]
    assert len(rows) > 30


def test_own_bytes_of_any_size_need_a_maximum() -> None:
    class Grows(Brawl):
        def save(self) -> bytes:
            return super().save() + bytes(self.world.frame)

        def load(self, data: bytes) -> None:
            size = 8 * self.players
            end = len(data) - int.from_bytes(data[size + 4 : size + 8], "little")
            super().load(data[:end])

    game = Grows(2)
    with pytest.raises(ValueError, match="exactly 16 bytes besides the world, not 17"):
        Rollback(game).advance([0, 0])
    rollback = Rollback(Grows(2), own_max=18, check=2)
    for _ in range(2):
        rollback.advance([2, 1])
    with pytest.raises(ValueError, match="at most 18 bytes besides the world, not 19"):
        rollback.advance([2, 1])


def test_own_bytes_are_what_is_saved_besides_the_world_wherever_it_is() -> None:
    class Named(Brawl):
        """Saves a text that changes its length, then the world."""

        def shown(self) -> int:
            return 0

        def save(self) -> bytes:
            text = str(self.world.frame).encode()
            return bytes([len(text)]) + text + self.world.save()

        def load(self, data: bytes) -> None:
            self.world.load(data[1 + data[0] :])

        def step(self, _inputs: Sequence[Input]) -> Sequence[Event | GameEvent]:
            return self.world.step()

    class Loose(Brawl):
        def save(self) -> bytes:
            text = bytes(self.world.frame)
            return text + self.world.save() + text

    peer, found = Rollback(Named(2), own_max=4, check=3), []
    for _ in range(20):
        found += peer.advance([2, 1])
    game = Named(2)
    hashes = [it.state_hash for it in found if isinstance(it, Confirmed)]
    assert len(hashes) > 14
    for hash in hashes:
        game.step([2, 1])
        assert hash == game.hash()
    with pytest.raises(ValueError, match="bytes of its world last, or after 0 bytes"):
        Rollback(Loose(2), own_max=4).advance([2, 1])

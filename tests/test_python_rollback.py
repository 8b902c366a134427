"""`fixsync.match.Rollback`: peers in Python over a bad network, and what it says of a bad game."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

import pytest
from rollback_peers import Match, pressed

from fixsync import Event, EventKind, GameEvent, Pose, Sphere, World
from fixsync.match import DesyncError, RefusedError, Rollback, hash_of, world_fields
from fixsync.match.notices import Confirmed, Predicted
from fixsync.match.sim import Input, Simulation


class Kind(IntEnum):
    HIT = 16


class Brawl:
    """Balls that push and hit each other. Saved: by player health and score, then the world.

    fault: a mistake that everybody makes once."""

    name, event_kinds, counter = "brawl", Kind, 0

    def __init__(self, players: int, fault: str = "") -> None:
        self.players, self.fault = players, fault
        self.world = World(players)
        for i in range(players):
            self.world.add(i, Sphere(4), Pose(20 * i, 0, 0))
        self.health, self.score = [100] * players, [0] * players
        self.speed, self.steps = 1.0, 0
        self.raise_in: Callable[[], bool] = lambda: False

    def shown(self) -> int:
        return hash_of(struct.pack(f"<{self.players}i", *self.health))

    def save(self) -> bytes:
        health = [0] * self.players if self.fault == "unsaved" else self.health
        return struct.pack(f"<{2 * self.players}i", *health, *self.score) + self.world.save()

    def load(self, data: bytes) -> None:
        n = self.players
        numbers = struct.unpack_from(f"<{2 * n}i", data)
        self.world.load(data[8 * n :])
        if self.fault != "unsaved":
            self.health = list(numbers[:n])
        self.score = list(numbers[n:])

    def hash(self) -> int:
        return hash_of(self.save())

    def state_fields(self, data: bytes) -> Any:
        n = self.players
        numbers = struct.unpack_from(f"<{2 * n}i", data)
        rows = {("fighter", i): {"health": numbers[i], "score": numbers[n + i]} for i in range(n)}
        return {**world_fields(data[8 * n :]), **rows}

    def step(self, inputs: Sequence[Input]) -> Sequence[Event | GameEvent]:
        self.steps += 1
        for player, value in enumerate(inputs):
            numbers = value if isinstance(value, tuple) else (value,)
            way = (numbers[0] & 3) - 1 + sum(numbers[1:]) % 2
            if self.fault == "static":
                Brawl.counter += 1
                way += Brawl.counter % 97 == 0
            if self.fault == "float" and way:
                self.speed *= 1.001
                way = int(way * self.speed)
            if self.fault == "clock":
                way += self.steps % 50 == 0
            x = self.world[player].pose.x
            self.world.move(player, max(-200, min(200, x + 3 * way)), 0, 0)
        if self.raise_in():
            raise OSError
        found = self.world.step()
        game = []
        for event in found:
            if event.kind == EventKind.ENTER:
                self.health[event.b] -= 1 + event.a
                self.score[event.a] += 1
                game.append(GameEvent(event.a, event.b, Kind.HIT, self.score[event.a]))
        return [*found, *game]


class Peer:
    """A `Rollback` as `rollback_peers.Match` uses peers."""

    def __init__(self, game: Brawl, peers: Sequence[int], **settings: Any) -> None:
        self.game, self.numbers = game, settings.get("numbers", 1)
        self.local = [i for i, peer in enumerate(peers) if peer == 0]
        self.rollback = Rollback(game, peers=peers, **settings)
        self.confirmed: list[Confirmed] = []
        self.shown: dict[int, list[Any]] = {}
        self.taken_back = 0

    @property
    def pace(self) -> Any:
        return self.rollback.pace()

    @property
    def desync(self) -> Any:
        return self.rollback.desync

    def tick(self, values: Sequence[Sequence[int]]) -> None:
        inputs = [tuple(value) if self.numbers > 1 else value[0] for value in values]
        for notice in self.rollback.advance(inputs):
            if isinstance(notice, Confirmed):
                self.confirmed.append(notice)
                continue
            shown = self.shown.setdefault(notice.frame, [])
            if isinstance(notice, Predicted):
                shown += [*notice.events, *notice.game]
                for event in notice.game if self.game.fault == "reaction" else ():
                    self.game.score[event.a] += 10
            else:
                self.taken_back += 1
                for row in (*notice.events, *notice.game):
                    shown.remove(row)

    def packet(self, peer: int) -> bytes:
        return self.rollback.packet(peer)

    def receive(self, peer: int, data: bytes) -> int:
        self.rollback.receive(peer, data)
        return 0


def alone(frames: int, players: int, numbers: int, seed: int) -> list[Any]:
    """What every peer must have confirmed."""
    game, found = Brawl(players), []
    for frame in range(frames):
        rows = [pressed(seed, player, frame, numbers) for player in range(players)]
        inputs: tuple[Input, ...] = tuple(tuple(row) if numbers > 1 else row[0] for row in rows)
        events = game.step(inputs)
        split: list[Any] = [
            tuple(e for e in events if isinstance(e, kind)) for kind in (Event, GameEvent)
        ]
        hashes = game.world.hash(), game.hash()
        found.append(Confirmed(frame, inputs, split[0], *hashes, split[1]))
    return found


@pytest.mark.parametrize(
    ("count", "settings"),
    [(2, {}), (2, {"check": 5}), (3, {"numbers": 2, "prediction_max": 20, "own_max": 99})],
)
def test_peers_confirm_what_a_game_alone_computes(count: int, settings: dict[str, Any]) -> None:
    match = Match(count, game=Brawl, peer=Peer, jitter_ms=60, loss=0.1, **settings)
    match.run(250)
    expected = alone(300, count, settings.get("numbers", 1), 1)
    for peer in match.peers:
        assert len(peer.confirmed) > 200
        assert peer.confirmed == expected[: len(peer.confirmed)]
        assert peer.desync is None
        assert peer.shown
        assert peer.taken_back or count == 2
        for row in peer.confirmed:  # what was shown and not taken back was right
            left = [*row.events, *row.game]
            for event in peer.shown.get(row.frame, []):
                left.remove(event)
    assert match.peers[0].pace.resteps > 0


FAULTS = {"unsaved": "shown", "static": "world", "clock": "world", "float": "world"}
FAULTS["reaction"] = "own"


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sync_test_names_frame_part_and_field_of_a_fault(fault: str) -> None:
    Brawl.counter = 0
    peer = Peer(Brawl(2, fault), [0, 0], check=8)
    frame = -1

    def play() -> None:
        nonlocal frame
        for frame in range(300):
            peer.tick([pressed(1, player, frame) for player in range(2)])

    with pytest.raises(DesyncError) as raised:
        play()
    found = raised.value.desync
    assert (found.part, found.peer) == (FAULTS[fault], 0)
    assert frame - found.frame <= 16
    assert f"frame {found.frame}: {found.part} differs" in str(raised.value)
    if found.part != "shown":
        owner = "collider" if found.part == "world" else "fighter"
        assert any(row.owner.startswith(owner) for row in found.differences)
    peer.tick([[0], [0]])  # said once


@pytest.mark.parametrize("fault", FAULTS)
def test_two_peers_name_frame_part_and_field_of_a_fault(fault: str) -> None:
    Brawl.counter = 0
    match = Match(2, game=Brawl, peer=Peer, faults=(fault, fault))
    match.run(2000, lambda: all(peer.desync for peer in match.peers))
    first, second = (peer.desync for peer in match.peers)
    assert first.frame == second.frame
    assert first.part == second.part == FAULTS[fault]
    assert (first.peer, first.players, second.players) == (1, (1,), (0,))
    sent = match.peers[1].rollback.kept()
    assert sent is not None
    assert bool(match.peers[0].rollback.differences(sent)) == (fault != "unsaved")


def test_a_good_game_passes_the_sync_test() -> None:
    peer = Peer(Brawl(3), [0, 0, 0], check=8)
    for frame in range(1000):
        peer.tick([pressed(1, player, frame) for player in range(3)])
    assert peer.confirmed == alone(991, 3, 1, 1)


def test_a_game_that_raises_in_the_middle_loses_nothing() -> None:
    match = Match(2, game=Brawl, peer=Peer, jitter_ms=30)
    count = [0]

    def sometimes() -> bool:
        count[0] += 1
        return count[0] % 7 == 0

    match.peers[1].game.raise_in = sometimes
    while match.peers[0].pace.head < 300:
        try:
            match.turn()
        except OSError:
            match.due[1] += 16
    assert count[0] > 300
    first, second = (peer.confirmed for peer in match.peers)
    shared = min(len(first), len(second))
    assert shared > 250
    assert [row.frame for row in second] == list(range(len(second)))
    assert first[:shared] == second[:shared]
    assert all(peer.desync is None for peer in match.peers)


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

    game: Simulation = Grows(2)
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

"""Peers of `fxs_rollback` as C calls them, a game for them, and a bad network in virtual time."""

from __future__ import annotations

import heapq
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any

from fixsync import EventKind, Pose, Sphere, World
from fixsync._native.raw import ffi, lib

MOST = 2**32
COMMANDS, EVENTS, STATE = 32, 64, 2048
Rows = list[tuple[int, int, int, int]]


class Duel:
    """Balls on a line that push and hit each other. Own bytes: by player health and score; an event
    of the game's own for each hit.

    fault: a mistake that everybody makes once."""

    counter = 0

    def __init__(self, players: int, start: int = 0, fault: str = "") -> None:
        self.players, self.fault = players, fault
        self.world = World(players)
        for i in range(players):
            self.world.add(i, Sphere(4), Pose(20 * i, 0, 0))
        state = bytearray(self.world.save())
        state[4:8] = start.to_bytes(4, "little")
        self.world.load(bytes(state))
        self.own = bytearray(8 * players)
        self.health = [100] * players
        self.score = [0] * players
        self.rage = 0
        self.speed = 1.0
        self.steps = 0
        self.save()

    def save(self) -> None:
        health = [0] * self.players if self.fault == "unsaved" else self.health
        self.own[:] = struct.pack(f"<{2 * self.players}i", *health, *self.score)

    def load(self) -> None:
        numbers = struct.unpack(f"<{2 * self.players}i", self.own)
        if self.fault != "unsaved":
            self.health = list(numbers[: self.players])
        self.score = list(numbers[self.players :])

    @property
    def shown(self) -> int:
        packed = struct.pack(f"<{self.players}i", *self.health)
        return int(lib.fxs_hash64(packed, len(packed), 0))

    def _move(self, id: int, x: int) -> bytes:
        self.world.move(id, x, 0, 0)
        row = ffi.new("fxs_command *")
        row.type, row.collider.id, row.collider.x = lib.FXS_COMMAND_MOVE, id, x
        return bytes(ffi.buffer(row))

    def step(self, inputs: Sequence[Sequence[int]]) -> tuple[list[bytes], list[bytes], Rows, int]:
        """Commands, reactions, events, and the hash of the world."""
        self.steps += 1
        before, after = [], []
        for player, numbers in enumerate(inputs):
            way = (numbers[0] & 3) - 1 + sum(numbers[1:]) % 2
            if self.fault == "static":
                Duel.counter += 1
                way += Duel.counter % 97 == 0
            if self.fault == "float" and way:
                self.speed *= 1.001
                way = int(way * self.speed)
            if self.fault == "clock":
                way += self.steps % 50 == 0
            x = self.world[player].pose.x
            if way:
                before.append(self._move(player, max(-200, min(200, x + 3 * way))))
        found = self.world.step()
        hash = self.world.hash()
        events: Rows = [(row.a, row.b, int(row.kind), int(row.contact)) for row in found]
        for event in found:
            if event.kind == EventKind.ENTER:
                self.health[event.b] -= 1 + event.a
                self.score[event.a] += 1
                events.append((event.a, event.b, 16, self.score[event.a]))
                after.append(self._move(event.b, 20 * event.b + self.score[event.a] % 5))
        self.save()
        return before, after, events, hash

    def hear(self, predicted: Rows) -> None:
        """Shows predicted events; a fault reacts to them."""
        if self.fault == "reaction":
            for row in predicted:
                if row[2] == 16:
                    self.score[row[0]] += 10
                    self.save()


@dataclass
class Heard:
    """What a peer's game has heard, by frame."""

    confirmed: list[tuple[Any, ...]] = field(default_factory=list)
    shown: dict[int, list[Any]] = field(default_factory=dict)
    requests: list[tuple[Any, ...]] = field(default_factory=list)


class RaisedError(Exception):
    """What a test's game raises in the middle."""


class Peer:
    def __init__(
        self,
        game: Duel,
        peers: Sequence[int],
        *,
        random: bytes = b"",
        match: int = 7,
        data: int = 9,
        numbers: int = 1,
        prediction_max: int = 8,
        input_delay: int = 0,
        check: int = 0,
        past: int = 60,
        guesses: int = 0,
        room: int = EVENTS,
    ) -> None:
        self.game = game
        self.local = [i for i, peer in enumerate(peers) if peer == 0]
        self.numbers, self.players = numbers, len(peers)
        self.remotes = range(1, max(peers) + 1)
        self.settings = ffi.new("fxs_rollback_settings *")
        it = self.settings
        it.random = random or bytes(16)
        it.match, it.data, it.own_size = match, data, len(game.own)
        it.state_size, it.command_room, it.event_room, it.past = STATE, COMMANDS, room, past
        it.players, it.numbers, it.prediction_max = len(peers), numbers, prediction_max
        it.input_delay, it.check, it.guesses = input_delay, check, guesses
        it.peers = bytes(peers) + bytes(64 - len(peers))
        size = lib.fxs_rollback_size(it)
        assert size
        self.memory = ffi.new("uint64_t[]", [0x5A5A5A5A5A5A5A5A] * -(-size // 8))
        self.it = ffi.cast("fxs_rollback *", self.memory)
        assert lib.fxs_rollback_init(self.it, it, self._world(), self._own()) == 0
        self.request = ffi.new("fxs_rollback_request *")
        self.inputs = ffi.new("int64_t[]", len(peers) * numbers)
        self.commands = ffi.new("fxs_command[]", COMMANDS)
        self.events, self.taken_back, self.predicted = (
            ffi.new("fxs_event[]", EVENTS) for _ in range(3)
        )
        self.heard = Heard()
        self.raise_in: Callable[[tuple[Any, ...]], bool] = lambda _: False
        self.guess: Callable[[int, int, int, list[int]], list[int] | None] | None = None
        self.packets: list[int] = []
        self.last = b""

    def _world(self) -> Any:
        return self.game.world._native._world

    def _own(self) -> Any:
        return ffi.from_buffer("uint8_t[]", self.game.own)

    def _rows(self, rows: Any, n: int) -> Rows:
        return [(row.a, row.b, row.kind, row.contact) for row in rows[0:n]]

    def _by_player(self) -> list[tuple[int, ...]]:
        n = self.numbers
        return [tuple(self.inputs[i * n : (i + 1) * n]) for i in range(self.players)]

    def grow(self) -> None:
        self.settings.event_room = EVENTS
        self.settings.past += 3
        size = lib.fxs_rollback_size(self.settings)
        memory = ffi.new("uint64_t[]", -(-size // 8))
        it = ffi.cast("fxs_rollback *", memory)
        assert lib.fxs_rollback_grow(it, self.settings, self.it) == 0
        ffi.buffer(self.memory)[:] = b"\xa5" * len(ffi.buffer(self.memory))
        self.memory, self.it = memory, it

    def tick(self, values: Sequence[Sequence[int]]) -> int:
        """One frame with the inputs of the local players. Returns a status."""
        flat = [number for value in values for number in value]
        status = int(lib.fxs_rollback_tick(self.it, ffi.new("int64_t[]", flat)))
        if status == 0:
            for _ in self.asked():
                pass
        return status

    def asked(self) -> Iterator[tuple[Any, ...]]:
        """Answers requests until there are no more."""
        it = self.request
        while True:
            status = lib.fxs_rollback_next(
                self.it, self._world(), self._own(), it, self.inputs, self.commands, self.events
            )
            assert status == 0
            if it.type == lib.FXS_ROLLBACK_NONE:
                return
            request = self._request()
            self.heard.requests.append(request)
            if self.raise_in(request):
                self.game.world.move(0, 77, 0, 0)
                raise RaisedError
            if it.type == lib.FXS_ROLLBACK_LOAD:
                self.game.load()
            elif it.type == lib.FXS_ROLLBACK_GUESS:
                assert self.guess is not None
                last = list(self.inputs[0 : self.numbers])
                answer = self.guess(it.player, it.frame, it.age, last)
                if answer is not None:
                    assert lib.fxs_rollback_guess(self.it, ffi.new("int64_t[]", answer)) == 0
            elif it.type == lib.FXS_ROLLBACK_STEP:
                self._step(it.frame)
            yield request

    def _request(self) -> tuple[Any, ...]:
        it = self.request
        if it.type == lib.FXS_ROLLBACK_LOAD:
            return "load", it.frame
        if it.type == lib.FXS_ROLLBACK_GUESS:
            return "guess", it.frame, it.player, it.age
        if it.type == lib.FXS_ROLLBACK_STEP:
            return "step", it.frame, tuple(self._by_player()), it.predicted, it.is_again
        now = it.confirmed
        assert now.frame == it.frame
        rows = bytes(ffi.buffer(self.commands, now.commands * ffi.sizeof("fxs_command")))
        events = tuple(self._rows(self.events, now.events))
        self.heard.confirmed.append(
            (it.frame, tuple(self._by_player()), rows, events, now.game_events, now.hash)
        )
        return "confirmed", it.frame

    def _step(self, frame: int) -> None:
        assert self.game.world.frame == frame
        before, after, events, hash = self.game.step(self._by_player())
        rows = b"".join(before + after)
        packed = b"".join(struct.pack("<4I", *row) for row in events)
        counts = len(before) + len(after), len(after), len(events)
        pushed = ffi.new("fxs_pushed *", (hash, *counts, 0, 1))
        changes = ffi.new("fxs_event_changes *")
        given = [ffi.from_buffer(rows), ffi.from_buffer(packed)]
        for _ in range(2):
            status = lib.fxs_rollback_push(
                self.it,
                self._world(),
                self._own(),
                pushed,
                self.game.shown,
                given[0] if rows else ffi.NULL,
                given[1] if packed else ffi.NULL,
                self.taken_back,
                self.predicted,
                changes,
            )
            if status != lib.FXS_E_ROOM:
                break
            self.grow()
        assert status == 0
        shown = self.heard.shown.setdefault(frame, [])
        for row in self._rows(self.taken_back, changes.taken_back):
            shown.remove(row)
        predicted = self._rows(self.predicted, changes.predicted)
        shown += predicted
        self.game.hear(predicted)

    def packet(self, peer: int, room: int = 1200) -> bytes:
        out, size = ffi.new("uint8_t[]", room), ffi.new("uint64_t *")
        assert lib.fxs_rollback_packet(self.it, peer, out, room, size) == 0
        self.packets.append(size[0])
        self.last = bytes(ffi.buffer(out, size[0]))
        return self.last

    def receive(self, peer: int, data: bytes) -> int:
        return int(lib.fxs_rollback_receive(self.it, peer, data, len(data)))

    def refusal(self, peer: int) -> Any:
        out = ffi.new("fxs_refusal *")
        assert lib.fxs_rollback_refusal(self.it, peer, out) == 0
        return out

    @property
    def pace(self) -> Any:
        out = ffi.new("fxs_pace *")
        lib.fxs_rollback_pace(self.it, out)
        return out

    @property
    def desync(self) -> Any:
        out = ffi.new("fxs_desync *")
        return out if lib.fxs_rollback_desync(self.it, out) == 0 else None

    def kept(self, which: int, part: int) -> bytes | None:
        size = ffi.new("uint64_t *")
        bytes_of = lib.fxs_rollback_kept(self.it, which, part, size)
        return None if bytes_of == ffi.NULL else bytes(ffi.buffer(bytes_of, size[0]))


def pressed(seed: int, player: int, frame: int, numbers: int = 1) -> list[int]:
    """The keys of a player: they change every few frames."""
    held = blake2b(repr((seed, player, frame // 5)).encode(), digest_size=16).digest()
    return [held[0] % 3] + [held[i] - 128 for i in range(1, numbers)]


class Match:
    """Peers, one player each, and a network between them. Times are in 1/256 ms."""

    def __init__(
        self,
        count: int,
        *,
        seed: int = 1,
        start: int = 0,
        rtt_ms: float = 80,
        jitter_ms: float = 0,
        loss: float = 0.05,
        faults: Sequence[str] = (),
        skip: bool = False,
        slow: bool = True,
        offsets_ms: Sequence[float] = (),
        rates: Sequence[float] = (),
        game: Callable[..., Any] = Duel,
        peer: Callable[..., Any] = Peer,
        **settings: Any,
    ) -> None:
        self.random, self.seed, self.start, self.loss = Random(seed), seed, start, loss
        self.rtt_ms, self.jitter_ms, self.skip, self.slow = rtt_ms, jitter_ms, skip, slow
        self.peers = []
        for me in range(count):
            others = iter(range(1, count))
            peers = [0 if i == me else next(others) for i in range(count)]
            fault = faults[me] if me < len(faults) else ""
            random = blake2b(repr((seed, me)).encode(), digest_size=16).digest()
            made = game(count, fault=fault, **({"start": start} if start else {}))
            self.peers.append(peer(made, peers, random=random, **settings))
        self.due = list(offsets_ms) or [self.random.random() * 16 for _ in range(count)]
        self.rates = list(rates) or [1.0] * count
        self.wire: list[tuple[float, int, int, int, bytes]] = []
        self.now = 0.0
        self.number = 0
        self.statuses: set[int] = set()

    def number_of(self, me: int, other: int) -> int:
        """What `me` calls another peer."""
        return other + 1 - (other > me)

    def run(self, frames: int, until: Callable[[], bool] = lambda: False) -> None:
        """Until all peers have stepped so many frames."""
        while min((peer.pace.head - self.start) % MOST for peer in self.peers) < frames:
            if until():
                return
            self.turn()

    def turn(self) -> None:
        """The next thing that happens."""
        me = min(range(len(self.peers)), key=self.due.__getitem__)
        if self.wire and self.wire[0][0] <= self.due[me]:
            self.now, _, to, sender, data = heapq.heappop(self.wire)
            self.statuses.add(self.peers[to].receive(self.number_of(to, sender), data))
            return
        self.now = self.due[me]
        peer = self.peers[me]
        pace = peer.pace
        if not (self.skip and pace.is_skipped):
            values = [pressed(self.seed, player, pace.head, peer.numbers) for player in peer.local]
            peer.tick(values)
        for other in range(len(self.peers)):
            if other != me:
                self.send(me, other, peer.packet(self.number_of(me, other)))
        slower = 1.25 if self.slow and pace.is_ahead else 1
        self.due[me] += 1000 / 60 * self.rates[me] * slower

    def send(self, me: int, other: int, data: bytes) -> None:
        if self.random.random() >= self.loss:
            late = self.rtt_ms / 2 + self.random.random() * self.jitter_ms
            self.number += 1
            heapq.heappush(self.wire, (self.now + late, self.number, other, me, data))

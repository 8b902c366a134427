"""A match of peers that are `Rollback`s, on a network in virtual time, and a small game for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from enum import IntEnum
from hashlib import blake2b
from typing import Any

from bumpers import Bumpers
from network import Weather, Wire, Witness

from fixsync import Event, EventKind, GameEvent
from fixsync.match import Rollback, hash_of
from fixsync.match.notices import Predicted
from fixsync.match.sim import Input

FRAME_MS = 1000 / 60


class Kind(IntEnum):
    MET = 16


class Brawl(Bumpers):
    """Bumpers that stay on a line, meet in an event of their own, and show whom they met.

    fault: a mistake that everybody makes once."""

    event_kinds, counter = Kind, 0

    def __init__(self, players: int, fault: str = "") -> None:
        super().__init__(7, players)
        self.fault = fault
        self.speed, self.steps = 1.0, 0
        self.raise_in: Callable[[], bool] = lambda: False

    def check_input(self, player: int, value: Input) -> None:
        """Any is good."""

    def shown(self) -> int:
        return hash_of(repr(self.met).encode())

    def save(self) -> bytes:
        met, unsaved = self.met, self.fault == "unsaved"
        self.met = [0] * self.players if unsaved else met
        state = super().save()
        self.met = met
        return state

    def load(self, data: bytes) -> None:
        met = self.met
        super().load(data)
        if self.fault == "unsaved":
            self.met = met

    def step(self, inputs: Sequence[Input]) -> Any:
        self.steps += 1
        pushed = [(sum(value) if isinstance(value, tuple) else value) % 3 for value in inputs]
        if self.fault == "static":
            Brawl.counter += 1
            pushed[0] = 1 if Brawl.counter % 97 == 0 else pushed[0]
        if self.fault == "float":
            self.speed *= 1.01
            pushed[0] = int(pushed[0] * self.speed) % 3
        if self.fault == "clock" and self.steps % 50 == 0:
            pushed[0] = 1
        if self.raise_in():
            raise OSError
        events: list[Event | GameEvent] = []
        for event in super().step(pushed):
            events.append(event)
            if event.kind == EventKind.ENTER:
                self.world.move(event.b, self.world[event.b].pose.x, 0, 0)
        met = [event for event in events if event.kind == EventKind.ENTER]
        return [*events, *(GameEvent(it.a, it.b, Kind.MET, self.met[it.a]) for it in met)]

    def hear(self, notices: Sequence[Any]) -> None:
        """Counts what is predicted, if that is its fault."""
        for notice in notices:
            if isinstance(notice, Predicted) and self.fault == "reaction":
                for event in notice.game:
                    self.met[event.a] += 10


def pressed(seed: int, player: int, frame: int, numbers: int = 1) -> Input:
    """The keys of a player: they change every few frames."""
    held = blake2b(repr((seed, player, frame // 5)).encode(), digest_size=16).digest()
    values = held[0], *(number - 128 for number in held[1:numbers])
    return values if numbers > 1 else values[0]


class Match(Wire):
    """Peers, one player each. What `peer` makes is used as a `Rollback` is."""

    def __init__(
        self,
        count: int,
        *,
        seed: int = 1,
        weather: Weather | None = None,
        faults: Sequence[str] = (),
        slows: bool = False,
        habit: str = "",
        offsets_ms: Sequence[float] = (),
        rates: Sequence[float] = (),
        game: Callable[[int, str], Any] = Brawl,
        peer: Callable[..., Any] = Rollback,
        **settings: Any,
    ) -> None:
        super().__init__(seed, weather or Weather(loss=5, delay_ms=40))
        settings |= {"slows": True} if slows else {}
        self.seed, self.slows, self.habit, self.settings = seed, slows, habit, settings
        self.peers = []
        for me in range(count):
            others = iter(range(1, count))
            orders = [0 if i == me else next(others) for i in range(count)]
            random = blake2b(repr((seed, me)).encode(), digest_size=16).digest()
            made = game(count, faults[me] if me < len(faults) else "")
            self.peers.append(peer(made, peers=orders, random=random, **settings))
        self.due = list(offsets_ms) or [1.0 * self.random.below(16) for _ in range(count)]
        self.rates = list(rates) or [1.0] * count
        self.turns = [0] * count
        self.witnesses = [Witness() for _ in range(count)]
        self.packets: list[list[bytes]] = [[] for _ in range(count)]

    def run(self, frames: int, until: Callable[[], bool] = lambda: False) -> None:
        """Until all peers have stepped so many frames; an error if they stand still."""
        end = self.now_ms + 1000 * frames
        while min(peer.pace().head for peer in self.peers) < frames and not until():
            assert self.now_ms < end
            self.turn()

    def turn(self) -> None:
        """The next thing that happens."""
        me = min(range(len(self.peers)), key=self.due.__getitem__)
        if self._queue and self._queue[0][0] <= self.due[me]:
            self.now_ms, _, to, data, sender = heapq.heappop(self._queue)
            assert sender is not None
            self.peers[to].receive(sender + (sender < to), data)
            return
        self.now_ms = self.due[me]
        peer = self.peers[me]
        head = peer.pace().head
        self.play(me, head)
        pace = peer.pace()
        self.due[me] += FRAME_MS * self.rates[me] * (1.25 if self.slows and pace.is_ahead else 1)
        self.turns[me] += 1
        for other in self.receivers(me, pace.head > head or not pace.is_connected):
            self.packets[me].append(peer.packet(other + (other < me)))
            self.send(other, self.packets[me][-1], me)

    def receivers(self, me: int, has_stepped: bool) -> list[int]:
        """To whom a game of this habit sends in this turn."""
        others = [i for i in range(len(self.peers)) if i != me]
        is_silent = self.habit == "silent without a step" and not has_stepped
        if is_silent or (self.habit == "every third turn" and self.turns[me] % 3):
            return []
        is_short = self.habit == "only to the last one without a step" and not has_stepped
        return others[-1:] if is_short else others[:: -1 if self.habit == "last one first" else 1]

    def play(self, me: int, head: int) -> None:
        numbers = self.settings.get("numbers", 1)
        notices = self.peers[me].advance([pressed(self.seed, me, head, numbers)])
        self.witnesses[me].hear_all(notices)
        if hasattr(self.peers[me], "simulation"):
            self.peers[me].simulation.hear(notices)

    def check_straight(self, least: int) -> None:
        """All peers have confirmed so many frames, as a game that is stepped once computes them."""
        numbers, delay = (
            self.settings.get(name, n) for name, n in (("numbers", 1), ("input_delay", 0))
        )
        game, count = Brawl(len(self.peers)), len(self.peers)
        most = max(self.witnesses, key=lambda witness: witness.next_frame)
        for frame in range(most.next_frame):
            inputs = tuple(
                pressed(self.seed, i, frame - delay, numbers) if frame >= delay else 0
                for i in range(count)
            )
            found = inputs, tuple(game.step(inputs)), game.world.hash(), game.hash()
            for it in self.witnesses:
                if frame < it.next_frame:
                    assert found == (
                        it.inputs[frame],
                        it.events[frame],
                        it.world_hashes[frame],
                        it.hashes[frame],
                    )
        assert min(witness.next_frame for witness in self.witnesses) >= least

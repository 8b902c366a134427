"""A network that can be made as bad as a test wants, and peers on it, all in virtual time."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bumpers import Bumpers

from fixsync.game.random import Random
from fixsync.session import (
    Confirmed,
    Joined,
    LockstepSession,
    Match,
    Notice,
    Predicted,
    RollbackSession,
    Session,
    SpectatorSession,
    TakenBack,
    Timing,
)
from fixsync.sim import Simulation

SEMANTICS = b"for tests"
TICK_MS = 16


@dataclass
class Weather:
    """What the network does to a packet. Chances are of 100."""

    loss: int = 0
    delay_ms: int = 20
    jitter_ms: int = 0
    duplication: int = 0
    damage: int = 0
    silent_until_ms: int = 0
    """Nothing arrives that is sent before."""


@dataclass
class Witness:
    """What a game would know from its session's notices; it fails when they contradict each
    other.
    """

    inputs: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    hashes: dict[int, int] = field(default_factory=dict)
    world_hashes: dict[int, int] = field(default_factory=dict)
    shown: dict[int, list[Any]] = field(default_factory=dict)
    """By frame, predicted events that are not taken back."""
    joined_at: int = 0
    taken_back: int = 0

    def hear(self, notice: Notice) -> None:
        if isinstance(notice, Joined):
            assert not self.hashes, "joined after frames were told"
            self.joined_at = notice.frame
        elif isinstance(notice, Predicted):
            assert notice.frame not in self.hashes, "predicted after it was confirmed"
            self.shown.setdefault(notice.frame, []).extend(notice.events)
        elif isinstance(notice, TakenBack):
            for event in notice.events:
                self.shown[notice.frame].remove(event)
                self.taken_back += 1
        elif isinstance(notice, Confirmed):
            assert notice.frame == self.joined_at + len(self.hashes), (
                "confirmed out of order, or twice"
            )
            shown = self.shown.pop(notice.frame, [])
            for event in notice.events:
                if event in shown:
                    shown.remove(event)
            assert not shown, (
                f"frame {notice.frame} was confirmed without {shown}, which stand predicted"
            )
            self.inputs[notice.frame] = notice.inputs
            self.events[notice.frame] = notice.events
            self.hashes[notice.frame] = notice.state_hash
            self.world_hashes[notice.frame] = notice.world_hash


@dataclass
class Peer:
    session: Session
    witness: Witness
    play: Callable[[], int]
    is_up: bool = True
    due_ms: int = 0


class Network:
    """Peers of one match. `run` moves time on."""

    def __init__(
        self,
        match: Match,
        seed: int = 0,
        weather: Weather | None = None,
        *,
        simulation: Callable[[int, int], Simulation] = Bumpers,
        timing: Timing | None = None,
    ) -> None:
        self.match = match
        self.random = Random(seed)
        self.weather = weather or Weather()
        self.simulation = simulation
        self.timing = timing or Timing()
        self.now_ms = 0
        self.peers: dict[int, Peer] = {}
        self.lives = 0
        self.sent = 0
        self._queue: list[tuple[int, int, int, bytes]] = []
        self._order = 0

    def start(
        self, me: int, *, simulation: Simulation | None = None, semantics: bytes = SEMANTICS
    ) -> Peer:
        """Starts a peer, or starts it anew."""
        self.lives += 1
        made = simulation or self.simulation(self.match.seed, self.match.players)
        kind: type[Session] = RollbackSession if self.match.prediction_max else LockstepSession
        if not self.match.is_player(me):
            kind = SpectatorSession
        session = kind(
            self.match,
            made,
            me,
            instance=self.lives,
            now_ms=self.now_ms,
            timing=self.timing,
            semantics=semantics,
        )
        random = Random(1000 * self.match.seed + 10 * me + self.lives)
        state = [0, 0]

        def play() -> int:
            if state[0] <= 0:
                state[:] = [random.between(1, 20), random.below(5)]
            state[0] -= 1
            return state[1]

        peer = Peer(session, Witness(), play, due_ms=self.now_ms + self.random.below(TICK_MS))
        self.peers[me] = peer
        return peer

    def start_all(self) -> None:
        for me in self.match.seated:
            self.start(me)

    def crash(self, me: int) -> None:
        self.peers[me].is_up = False

    def send(self, receiver: int, data: bytes) -> None:
        """Puts a packet on the way, as the weather will have it."""
        self.sent += 1
        random, weather = self.random, self.weather
        if self.now_ms < weather.silent_until_ms or random.chance(weather.loss, 100):
            return
        for _ in range(1 + random.chance(weather.duplication, 100)):
            if random.chance(weather.damage, 100):
                at = random.below(len(data))
                data = data[:at] + bytes([data[at] ^ (1 << random.below(8))]) + data[at + 1 :]
            arrives = self.now_ms + weather.delay_ms + random.below(weather.jitter_ms + 1)
            self._order += 1
            heapq.heappush(self._queue, (arrives, self._order, receiver, data))

    def tick(self) -> None:
        """One millisecond."""
        self.now_ms += 1
        while self._queue and self._queue[0][0] <= self.now_ms:
            _, _, receiver, data = heapq.heappop(self._queue)
            peer = self.peers.get(receiver)
            if peer is not None and peer.is_up and not peer.session.is_over:
                peer.session.receive(data, self.now_ms)
        for peer in self.peers.values():
            if peer.is_up and peer.due_ms <= self.now_ms and not peer.session.is_over:
                peer.due_ms = self.now_ms + TICK_MS
                for notice in peer.session.advance(peer.play(), self.now_ms):
                    peer.witness.hear(notice)
                for receiver, data in peer.session.outgoing(self.now_ms):
                    self.send(receiver, data)

    def run(self, ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        """Runs for so long at most; whether `until` came true."""
        for _ in range(ms):
            if until():
                return True
            self.tick()
        return until()

    @property
    def is_over(self) -> bool:
        return all(peer.session.is_over or not peer.is_up for peer in self.peers.values())

    def check_agreement(self) -> None:
        """Every frame that two peers confirmed, they confirmed alike; and a straight run gives the
        same.
        """
        witnesses = [peer.witness for peer in self.peers.values()]
        longest = max(witnesses, key=lambda witness: len(witness.hashes) - witness.joined_at)
        for witness in witnesses:
            for frame, value in witness.hashes.items():
                if frame in longest.hashes:
                    assert longest.inputs[frame] == witness.inputs[frame], (
                        f"inputs of frame {frame}"
                    )
                    assert longest.hashes[frame] == value, f"state after frame {frame}"
                    assert longest.events[frame] == witness.events[frame], (
                        f"events of frame {frame}"
                    )
        if longest.joined_at == 0:
            straight = self.simulation(self.match.seed, self.match.players)
            for frame, inputs in sorted(longest.inputs.items()):
                events = tuple(straight.step(inputs))
                assert events == longest.events[frame], f"events of frame {frame}, stepped straight"
                assert straight.hash() == longest.hashes[frame], (
                    f"state after frame {frame}, stepped straight"
                )
                assert straight.world.hash() == longest.world_hashes[frame]

"""A network that can be made as bad as a test wants, and peers on it, all in virtual time."""

from __future__ import annotations

import heapq
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import msgspec
from bumpers import Bumpers

from fixsync.game.random import Random
from fixsync.match.sim import Simulation
from fixsync.session import (
    Confirmed,
    End,
    Joined,
    Match,
    Notice,
    Phase,
    Predicted,
    Reason,
    Session,
    TakenBack,
    Timing,
)
from fixsync.session.packets import NONCE_BYTES, Message, Packet
from fixsync.session.session import kind_of

KERNEL = b"for tests"
TICK_MS = 16
COAST_MS = 1000
"""Of virtual time between two frames while a network coasts: nobody is silent for long."""


def nonce_of(*numbers: int) -> bytes:
    """Random bytes that are the same whenever a test runs."""
    return blake2b(repr(numbers).encode(), digest_size=NONCE_BYTES).digest()


_HEAD_BYTES = 29


def packet_of(data: bytes) -> Packet:
    """A packet, whoever it is for, by the table of docs/protocol.md."""
    nonces, at = (b"", b""), _HEAD_BYTES
    if data[4] >= 128:
        nonces, at = (data[at : at + 16], data[at + 16 : at + 32]), at + 32
    message = msgspec.msgpack.decode(data[at:], type=Message)
    return Packet(data[4] % 128, message, *struct.unpack(">QQ", data[13:29]), *nonces)


def sealed(sender: Session, receiver: int, message: Message, number: int, got: int = 0) -> bytes:
    """A packet of a peer with the key, to the life that it speaks to."""
    life = sender._remotes[receiver].life
    return sender._local.codec.seal(message, receiver, life, number, got)


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
    """What a game knows from its session's notices; it fails when they contradict each other."""

    inputs: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    hashes: dict[int, int] = field(default_factory=dict)
    world_hashes: dict[int, int] = field(default_factory=dict)
    delays: dict[int, tuple[int, ...]] = field(default_factory=dict)
    shown: dict[int, list[Any]] = field(default_factory=dict)
    """By frame, predicted events that are not taken back."""
    joined_at: int = 0
    taken_back: int = 0

    @property
    def next_frame(self) -> int:
        return self.joined_at + len(self.hashes)

    def hear_all(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self.hear(notice)

    def hear(self, notice: Notice) -> None:
        if isinstance(notice, Joined):
            assert not self.hashes, "joined after frames were reported"
            self.joined_at = notice.frame
        elif isinstance(notice, Predicted):
            assert notice.frame not in self.hashes, "predicted after it was confirmed"
            self.shown.setdefault(notice.frame, []).extend((*notice.events, *notice.game))
        elif isinstance(notice, TakenBack):
            for event in (*notice.events, *notice.game):
                self.shown[notice.frame].remove(event)
                self.taken_back += 1
        elif isinstance(notice, Confirmed):
            assert notice.frame == self.next_frame, "confirmed out of order, or twice"
            events = (*notice.events, *notice.game)
            shown = Counter(self.shown.pop(notice.frame, [])) - Counter(events)
            assert not shown, f"frame {notice.frame} was confirmed without {shown}, reported before"
            self.inputs[notice.frame] = notice.inputs
            self.events[notice.frame] = events
            self.hashes[notice.frame] = notice.state_hash
            self.world_hashes[notice.frame] = notice.world_hash
            self.delays[notice.frame] = notice.input_delays


@dataclass
class Peer:
    """One life of a peer."""

    me: int
    session: Session
    witness: Witness
    play: Callable[[], int]
    is_up: bool = True
    due_ms: int = 0
    epoch: int = 0
    """The match it plays, numbered from 1; 0 before it plays. A match that nobody plays any more is
    over: who comes then begins the next."""
    has_ended: bool = False
    shared_until: int = 2**32
    """Of a life that is over, the first frame with an input that nobody has any more: a later life
    may give another, so what it confirmed from there on is not part of the match."""

    @property
    def is_running(self) -> bool:
        return self.is_up and self.session.phase is Phase.RUNNING


class Wire:
    """What carries packets in virtual time."""

    def __init__(self, seed: int, weather: Weather | None = None) -> None:
        self.random = Random(seed)
        self.weather = weather or Weather()
        self.now_ms: float = 0
        self.sent = 0
        self._queue: list[tuple[float, int, int, bytes, int | None]] = []
        self._order = 0

    def send(self, receiver: int, data: bytes, source: int | None = None) -> None:
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
            heapq.heappush(self._queue, (arrives, self._order, receiver, data, source))


class Network(Wire):
    """Peers of one match. `run` moves time on."""

    def __init__(
        self,
        match: Match,
        seed: int = 0,
        weather: Weather | None = None,
        *,
        simulation: Callable[[int, int], Simulation] = Bumpers,
        timing: Timing | None = None,
        begin_ms: int = 0,
    ) -> None:
        super().__init__(seed, weather)
        self.match = match
        self.simulation = simulation
        self.timing = timing or Timing()
        self.now_ms = self.passed_ms = begin_ms
        """The clock, and how much of it has passed outside the plan, whose clock is `clock_ms`."""
        self.peers: dict[int, Peer] = {}
        """The present life of each."""
        self.history: list[Peer] = []
        """All lives, in the order in which they began."""
        self.lossy: set[int] = set()
        """The matches in which two players were down at once: what only they knew is lost."""
        self.delays: Random | None = None
        """By which players change their input delay."""
        self.lives = self.salt = 0
        """Both make the nonces of its peers."""

    def start(
        self, me: int, *, simulation: Simulation | None = None, kernel: bytes = KERNEL
    ) -> Peer:
        """Starts a peer, or starts it anew."""
        self.lives += 1
        made = simulation or self.simulation(self.match.seed, self.match.players)
        session = kind_of(self.match, me)(
            self.match,
            made,
            me,
            start_number=self.lives,
            nonce=nonce_of(self.salt, self.match.seed, me, self.lives),
            now_ms=self.now_ms,
            timing=self.timing,
            kernel=kernel,
        )
        random = Random(1000 * self.match.seed + 10 * me + self.lives)
        state = [0, 0]

        def play() -> int:
            if state[0] <= 0:
                state[:] = [random.between(1, 20), random.below(5)]
            state[0] -= 1
            return state[1]

        peer = Peer(me, session, Witness(), play, due_ms=self.now_ms + self.random.below(TICK_MS))
        self.peers[me] = peer
        self.history.append(peer)
        return peer

    def start_all(self, *others: int) -> Network:
        for me in (*self.match.seated, *others):
            self.start(me)
        return self

    def restart(self, me: int, ms: int) -> Peer:
        """A peer falls over, and comes back after a time."""
        self.crash(me)
        self.run(ms)
        return self.start(me)

    def session(self, me: int) -> Session:
        return self.peers[me].session

    def end_of(self, me: int) -> End:
        end = self.session(me).end
        assert end is not None
        return end

    def crash(self, me: int) -> None:
        peer = self.peers[me]
        peer.is_up = False
        others = [other.session for other in self.peers.values() if other.is_running]
        known = min(
            max((session._seats.streams[seat].next for session in others), default=0)
            for seat in range(self.match.players)
        )
        for life in self.history:
            if not life.is_up and life.epoch == peer.epoch:
                life.shared_until = min(life.shared_until, known)
        if self.match.is_player(me) and peer.epoch and len(self._down(peer.epoch)) > 1:
            self.lossy.add(peer.epoch)

    def _down(self, epoch: int) -> set[int]:
        """The players with a seat who do not play, now."""
        taken = set(self.match.seated)
        for peer in self.history:
            if peer.epoch == epoch:
                taken |= {
                    seat for seat, since in enumerate(peer.session.seats) if since is not None
                }
        return {
            seat
            for seat in taken
            if not (
                (peer := self.peers.get(seat))
                and peer.is_up
                and peer.epoch == epoch
                and (peer.session.is_playing or peer.session.phase is Phase.ENDED)
            )
        }

    def deliver(self, receiver: int, data: bytes, _source: int | None) -> None:
        """A packet arrives."""
        peer = self.peers.get(receiver)
        if peer is not None and peer.is_up and not peer.session.is_over:
            peer.session.receive(data, self.now_ms)

    def dispatch(self, _sender: Peer, receiver: int, data: bytes) -> None:
        """A peer sends a packet."""
        self.send(receiver, data)

    def advance(self, peer: Peer) -> None:
        """A peer's frame."""
        match = self.match
        if self.delays is not None and match.is_player(peer.me) and self.delays.chance(1, 30):
            peer.session.set_input_delay(self.delays.below(match.delay_max + 1))
        peer.witness.hear_all(peer.session.advance(peer.play(), self.now_ms))
        for receiver, data in peer.session.outgoing(self.now_ms):
            self.dispatch(peer, receiver, data)

    @property
    def clock_ms(self) -> int:
        return self.now_ms - self.passed_ms

    @property
    def can_coast(self) -> bool:
        """Whether all who should be there play or watch."""
        there = [peer for peer in self.peers.values() if peer.is_up]
        return {peer.me for peer in there} >= {*self.match.seated} and all(
            peer.is_running and (peer.session.is_playing or not self.match.is_player(peer.me))
            for peer in there
        )

    def coast(self, ms: int) -> None:
        """Lets minutes pass: a calm network, and few frames. The plan's clock stands still."""
        for _ in range(ms // COAST_MS):
            self.now_ms += COAST_MS
            self.passed_ms += COAST_MS
            while self._queue:
                self.deliver(*heapq.heappop(self._queue)[2:])
            for peer in self.peers.values():
                if peer.is_up and not peer.session.is_over:
                    peer.witness.hear_all(peer.session.advance(peer.play(), self.now_ms))
                    for receiver, data in peer.session.outgoing(self.now_ms):
                        self.pass_on(peer, receiver, data)
                    self._observe(peer)

    def pass_on(self, _sender: Peer, receiver: int, data: bytes) -> None:
        """A packet arrives at once."""
        self.deliver(receiver, data, None)

    def tick(self) -> None:
        """One millisecond."""
        self.now_ms += 1
        while self._queue and self._queue[0][0] <= self.now_ms:
            self.deliver(*heapq.heappop(self._queue)[2:])
        for peer in self.peers.values():
            if peer.is_up and peer.due_ms <= self.now_ms and not peer.session.is_over:
                peer.due_ms = self.now_ms + TICK_MS
                self.advance(peer)
            if peer.is_up:
                self._observe(peer)

    def _observe(self, peer: Peer) -> None:
        """Numbers the match that a peer has begun to play; checks what it says when it ends."""
        if not peer.epoch and (peer.is_running or peer.session.confirmed):
            others = [it for it in self.peers.values() if self.match.is_player(it.me)]
            played = [0, *(other.epoch for other in others if other.is_running)]
            last = max((other.epoch for other in self.history), default=0)
            began = peer.session._joining.has_begun and not max(played)
            peer.epoch = last + 1 if began else max(played) or last
        if peer.session.end is not None and not peer.has_ended and not peer.session._joined:
            peer.has_ended = True
            if peer.session.end.reason is Reason.COMPLETED:
                self.check_completed(peer)

    def check_completed(self, peer: Peer) -> None:
        """A match is complete when every player has confirmed every frame, all of them alike."""
        frames, mine = self.match.frames, peer.witness
        assert mine.next_frame == frames, f"peer {peer.me} completed {mine.next_frame} of {frames}"
        for seat in range(self.match.players):
            lives = [life for life in self.history if life.me == seat and life.epoch == peer.epoch]
            seated = [life for life in (peer, *lives) if life.session.seats[seat] is not None]
            if any(life.is_up for life in seated):
                assert any(life.witness.next_frame == frames for life in lives), (
                    f"peer {peer.me} completed the match without player {seat}"
                )

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
        """Nobody confirmed a frame that another in the same match confirmed differently, whether it
        is still there or not; and a straight run gives the same."""
        for epoch in {peer.epoch for peer in self.history} - {0}:
            lives = [peer for peer in self.history if peer.epoch == epoch]
            reported: dict[int, tuple[int, Any]] = {}
            for peer in lives:
                for frame, value in peer.witness.hashes.items():
                    if frame >= peer.shared_until:
                        break
                    witness = peer.witness
                    mine = (
                        witness.inputs[frame],
                        value,
                        witness.events[frame],
                        witness.delays[frame],
                    )
                    other, theirs = reported.setdefault(frame, (peer.me, mine))
                    assert mine == theirs, (
                        f"frame {frame}: peer {other} confirmed {theirs}, peer {peer.me} {mine}"
                    )
            self._check_straight(lives)

    def _check_straight(self, lives: list[Peer]) -> None:
        whole = [peer.witness for peer in lives if peer.witness.joined_at == 0]
        if not whole:
            return
        longest = max(whole, key=lambda witness: len(witness.hashes))
        straight = self.simulation(self.match.seed, self.match.players)
        for frame, inputs in sorted(longest.inputs.items()):
            events = tuple(straight.step(inputs))
            assert events == longest.events[frame], f"events of frame {frame}, stepped straight"
            assert straight.hash() == longest.hashes[frame], f"frame {frame}, stepped straight"
            assert straight.world.hash() == longest.world_hashes[frame]

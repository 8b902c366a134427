"""Matches with a peer that lies, or an outsider without the key, each out of one seed.

    python tests/simulator.py --liars             such matches for a minute
    python tests/simulator.py --liars --seed 7    one of them, reported

The liar is a true session whose packets are changed on the way out; it has the key. An outsider has
packets that it saw, and addresses of its own. A match fails when

- an honest peer confirms another input for a seat than the honest peer gave that plays it;
- an honest peer holds too much, or does too much work at once, counted in calls of functions;
- an honest peer says COMPLETED and has not had, from each player, the hash of every frame;
- an honest peer makes more than two snapshots a second;
- an honest peer raises, or does not end; with an outsider, or a joiner that is never ready or asks
  for snapshots again and again, when the match is not completed."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, TypeVar

from msgspec.structs import replace as changed
from network import Network, Peer, Weather, nonce_of, packet_of
from simulator import FailedMatchError, check_memory, coast_of

from fixsync.game.random import Random
from fixsync.session import Match, Phase, Reason
from fixsync.session.match import HOST
from fixsync.session.packets import (
    NEVER,
    NOBODY,
    Blob,
    Bye,
    Codec,
    Hello,
    Message,
    Run,
    Update,
    Want,
)

LIES = (
    *("seat", "rejoin", "no hashes", "skipped hashes", "seats", "byes", "done", "flood"),
    *("never ready", "snapshots"),
)
JOINERS = ("seats", "never ready", "snapshots")
"""The lies of a peer that comes late."""
OUTSIDERS = ("old packets", "thief", "rebinding", "noise")
OUTSIDER = 1000
"""The first address that belongs to no peer."""
CALLS_MAX = 4_000
"""Of functions, for a packet, a frame or all packets that go out at once."""
STALL_MS_MAX = 2_000
T = TypeVar("T")


@dataclass
class Lie:
    """What will happen in a match."""

    seed: int
    match: Match
    weather: Weather
    kind: str
    liar: int | None
    """None: an outsider."""
    victim: int
    starts: dict[int, int] = field(default_factory=dict)
    """When which peer starts."""
    restart: tuple[int, int] | None = None
    """When the victim falls over, and comes back."""
    coast: tuple[int, int] = 0, 0
    """As of a `Plan`."""


def plan_of_lies(seed: int, kind: str = "") -> Lie:
    random = Random(seed)
    kind = kind or (*LIES, *OUTSIDERS)[seed % len(LIES + OUTSIDERS)]
    players = random.choice((2, 2, 3, 4))
    settings: dict[str, Any] = {
        "prediction_max": random.choice((0, 2, 8)),
        "input_delay": random.choice((0, 1, 2, 4)),
        "frames": random.between(150, 300),
        "key": b"secret",
    }
    match = Match("bumpers", seed=random.below(2**32), players=players, **settings)
    if kind in JOINERS or (players > 2 and random.chance(1, 2)):
        match = replace(
            match, players=max(3, players), empty_seats=frozenset({max(3, players) - 1})
        )
    if random.chance(1, 3):
        match = replace(match, spectators=1)
    liar = random.choice(sorted(match.empty_seats) if kind in JOINERS else match.seated)
    others = [peer for peer in match.seated if peer != liar]
    weather = Weather(random.choice((0, 5)), random.choice((0, 10, 40)), random.choice((0, 20)))
    lie = Lie(seed, match, weather, kind, liar, random.choice(others or match.seated))
    if kind in OUTSIDERS:
        lie.liar = None
    lie.starts = {peer: random.below(200) for peer in match.seated}
    for late in (*match.empty_seats, *range(match.players, len(match.peers))):
        lie.starts[late] = random.below(1500)
    if kind == "rejoin":
        lie.restart = 1800, 1800 + random.between(50, 1000)
    lie.match, lie.coast = coast_of(seed, match)
    return lie


class LyingNetwork(Network):
    """Knows who sends what from where, and which inputs honest peers give."""

    def __init__(self, lie: Lie) -> None:
        super().__init__(lie.match, lie.seed, lie.weather)
        self.lie = lie
        self.lots = Random(lie.seed + 1)
        self.at = {peer: peer for peer in lie.match.peers}
        """Where each is."""
        self.addresses: dict[int, dict[int, int]] = {}
        """Where each takes the others to be."""
        self.made: dict[int, dict[int, dict[int, int]]] = {}
        """By peer, seat and frame, the inputs of its present life."""
        self.before: set[tuple[int, int, int]] = set()
        """Seat, frame and input of earlier lives."""
        self.hashes: dict[int, dict[int, dict[int, int]]] = {}
        """By receiver, sender and frame."""
        self.first_hashes: dict[tuple[int, int], int] = {}
        """By receiver and sender, the first frame whose hash the sender had for a receiver that it
        had not heard yet: it may leave out earlier ones."""
        self.seen: list[tuple[int, bytes]] = []
        """What an outsider saw: where it went, and the packet."""
        self.lost_to_outsiders = 0
        self.lives_told = 0
        self.calls_max = 0
        self.snapshots: dict[int, list[int]] = defaultdict(list)
        """By peer, when it made one."""
        self.stall_ms = 0
        self._calls = 0
        self._moved: dict[int, tuple[int, int]] = {}

    def is_honest(self, peer: int) -> bool:
        return peer != self.lie.liar

    def start(self, me: int, **settings: Any) -> Peer:
        peer = super().start(me, **settings)
        self.addresses[me] = {other: self.at[other] for other in self.match.peers}
        self.hashes[me] = defaultdict(dict)
        for other in self.match.peers:
            self.first_hashes.pop((me, other), None)
        made: dict[int, dict[int, int]] = defaultdict(dict)
        self.made[me] = made
        seats = peer.session._seats
        for name in ("feed", "give"):
            setattr(seats, name, self._noting(peer, getattr(seats, name)))
        return peer

    def _noting(self, peer: Peer, call: Callable[[int, Any], None]) -> Callable[[int, Any], None]:
        """A function that makes inputs of a peer's seats, and notes them."""
        seats, made = peer.session._seats, self.made[peer.me]

        def noted(first: int, second: Any) -> None:
            before = {seat: seats.streams[seat].next for seat in seats.sources}
            call(first, second)
            for seat, at in before.items():
                stream = seats.streams[seat]
                made[seat].update((frame, stream[frame]) for frame in range(at, stream.next))  # type: ignore[misc]

        return noted

    def crash(self, me: int) -> None:
        super().crash(me)
        for seat, values in self.made[me].items():
            self.before |= {(seat, *item) for item in values.items()}
        self.made[me] = {}

    def counted(self, peer: Peer, call: Callable[[], T]) -> T:
        """Counts the calls of functions of an honest peer, now and then."""
        self._calls += 1
        if not self.is_honest(peer.me) or self._calls % 5:
            return call()
        count = 0

        def note(_: FrameType, event: str, __: object) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            return call()
        finally:
            sys.setprofile(before)
            self.calls_max = max(self.calls_max, count)
            assert count <= CALLS_MAX, f"peer {peer.me} does {count} calls at once"

    def deliver(self, receiver: int, data: bytes, source: int | None) -> None:
        me = next((peer for peer, at in self.at.items() if at == receiver), None)
        if me is None or me not in self.peers or not self.peers[me].is_up:
            return
        peer = self.peers[me]
        if peer.session.is_over:
            return
        unheard = [other for other, it in peer.session._remotes.items() if not it.is_mutual]
        sender = self.counted(peer, lambda: peer.session.receive(data, self.now_ms))
        if sender is None:
            return
        known = self.addresses[me]
        assert source is not None
        if known[sender] != source and peer.session.may_move(sender, self.now_ms):
            known[sender] = source
        message = packet_of(data).message
        if isinstance(message, Update):
            self.hashes[me][sender].update(enumerate(message.hashes, message.hash_first))
            if sender in unheard:
                self.first_hashes[me, sender] = message.hash_first

    def pass_on(self, sender: Peer, receiver: int, data: bytes) -> None:
        self.deliver(self.at[receiver], data, self.at[sender.me])

    def advance(self, peer: Peer) -> None:
        value = peer.play()
        peer.witness.hear_all(self.counted(peer, lambda: peer.session.advance(value, self.now_ms)))
        for receiver, data in self.counted(peer, lambda: peer.session.outgoing(self.now_ms)):
            self.dispatch(peer, receiver, data)
        local, made_at = peer.session._local, self.snapshots[peer.me]
        if local.snapshot is not None and local.snapshot_ms not in made_at[-1:]:
            made_at.append(local.snapshot_ms)
        at, since = self._moved.get(peer.me, (-1, 0))
        if (now := peer.session.confirmed) != at or peer.session.end is not None:
            self._moved[peer.me] = now, self.now_ms
        elif at > 0 and self.is_honest(peer.me):
            self.stall_ms = max(self.stall_ms, self.now_ms - since)

    def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
        where = self.addresses[sender.me][receiver]
        if where >= OUTSIDER:
            self.lost_to_outsiders += 1
        source = self.at[sender.me]
        if self.lie.kind == "thief":
            self.deliver(where, data, OUTSIDER)
        self.seen.append((where, data))
        del self.seen[:-500]
        if sender.me == self.lie.liar:
            for lie in self.lies(sender, receiver, data):
                self.send(where, lie, source)
        else:
            self.send(where, data, source)

    # The liar.

    def lies(self, liar: Peer, receiver: int, data: bytes) -> list[bytes]:
        """What goes out in the place of a packet, under numbers of its own."""
        packet = packet_of(data)
        if self.lie.kind == "snapshots" and receiver == HOST:
            return self.lives_of(liar, packet.message)
        reported = self.reported(liar, receiver, packet.message)
        remote = liar.session._remotes[receiver]
        first = remote.sent
        remote.sent += len(reported)
        return [
            liar.session._local.codec.seal(
                message, receiver, packet.heard or remote.life, number, packet.got
            )
            for number, message in enumerate(reported, first)
        ]

    def lives_of(self, liar: Peer, message: Message) -> list[bytes]:
        """One new life after another, each of which asks for a snapshot."""
        if HOST not in self.peers:
            return []
        self.lives_told += not isinstance(message, Hello)
        host = self.session(HOST)
        codec = Codec(self.match, liar.me, nonce_of(self.lie.seed, self.lives_told))
        hello = liar.session._remotes[HOST].hello(NOBODY, self.now_ms)
        asks = Want(Blob.SNAPSHOT, 0, b"", 0, [*range(64)])
        return [
            codec.seal(reported, HOST, host._local.codec.nonce, number, host._remotes[liar.me].sent)
            for number, reported in enumerate((hello, asks), 1)
        ]

    def reported(self, liar: Peer, receiver: int, message: Message) -> list[Message]:
        kind, random = self.lie.kind, self.lots
        if kind == "never ready" and isinstance(message, Update):
            return [changed(message, seat=0)]
        if not isinstance(message, Update):
            if kind == "no hashes" and isinstance(message, Bye):
                return []
            return [message]
        if kind in ("seat", "rejoin"):
            session = self.peers[receiver].session
            seat = self.lie.victim if random.chance(3, 4) else random.below(self.match.players)
            seat = self.lie.victim if seat == liar.me else seat
            first = session._seats.streams[seat].next
            values = [random.below(5) for _ in range(random.between(1, 40))]
            return [changed(message, runs=[Run(seat, first, values)]), message]  # type: ignore[arg-type]
        if kind == "no hashes":
            return [changed(message, hashes=[])]
        if kind == "skipped hashes":
            echo = message.echo_ms if self.lie.seed % 8 < 4 else 0  # as if it had no Update
            return [changed(message, hash_first=message.confirmed, hashes=[], echo_ms=echo)]
        if kind == "seats":
            frame = random.choice((0, liar.session.confirmed, liar.session.confirmed + 20))
            since = [frame if seat == liar.me else at for seat, at in enumerate(message.seats)]
            streams = self.peers[receiver].session._seats.streams
            run = Run(liar.me, streams[liar.me].next, [random.below(5) for _ in range(20)])  # type: ignore[arg-type]
            return [changed(message, seats=since, runs=[run])]
        if kind == "byes" and liar.session.confirmed > 60:
            frame = random.below(liar.session.confirmed + 40)
            return [Bye(Reason.DESYNC, frame, liar.me, "so", False)]
        if kind == "done" and liar.session.confirmed > 20:
            frames = self.match.frames or 0
            bye = Bye(Reason.COMPLETED, frames, liar.me, "done", False)
            return [bye, changed(message, hashes=[]) if random.chance(9, 10) else message]
        if kind == "flood":
            wants = [Want(blob, random.below(300), b"", 0, list(range(16))) for blob in Blob]
            high = changed(message, needs=[NEVER - 1] * self.match.players)
            slots = [Run(random.below(8), random.below(300), [1] * 64) for _ in range(8)]
            return [message, *wants, high, changed(message, runs=slots)] * 4
        return [message]

    def strange(self) -> None:
        """What an outsider does in a millisecond."""
        kind, random = self.lie.kind, self.lots
        if kind == "old packets" and self.seen:
            for _ in range(5):
                where, data = random.choice(self.seen)
                self.deliver(where, data, OUTSIDER + random.below(3))
        if kind == "noise" and self.seen:
            where, data = random.choice(self.seen)
            for _ in range(20):
                at = random.below(len(data))
                wrong = data[:at] + bytes([data[at] ^ 1 << random.below(8)]) + data[at + 1 :]
                self.deliver(where, wrong, OUTSIDER)
        if kind == "rebinding" and self.clock_ms in (2000, 3500):
            self.at[self.lie.victim] += 100

    # What must hold.

    def check_completed(self, peer: Peer) -> None:
        if not self.is_honest(peer.me):
            return
        frames, mine = self.match.frames or 0, peer.witness
        assert mine.next_frame == frames, f"peer {peer.me} completed {mine.next_frame} of {frames}"
        for other, theirs in self.hashes[peer.me].items():
            if peer.session.seats[other : other + 1] in ([], [None]):
                continue
            first = self.first_hash(peer, other)
            missing = [at for at in range(first, frames) if theirs.get(at) != mine.hashes[at]]
            assert not missing, f"peer {peer.me} completed without hash {missing[0]} of {other}"

    def believes_liar(self, peer: Peer) -> bool:
        """Whether it takes the inputs of others from the liar: as a spectator, or as a player who
        joined by the liar's snapshot."""
        return self.lie.liar is not None and peer.session._local.feeder == self.lie.liar

    def inputs_of_the_honest(self, peer: Peer) -> Iterator[tuple[int, int, Any]]:
        """Seat, frame and input of what a peer confirmed for seats that honest peers play."""
        for frame, inputs in peer.witness.inputs.items():
            for seat, value in enumerate(inputs):
                owner = peer.session.seats[seat]
                maker = 0 if owner is None or frame < owner else seat
                if frame >= self.match.input_delay and self.is_honest(maker):
                    yield seat, frame, value

    def check_inputs(self) -> None:
        """Nobody confirmed another input for a seat than its honest player gave, except for the
        seats of others one who believes the liar. A player does not complete such a match, if the
        hashes of another honest player are there to be compared."""
        given: dict[tuple[int, int], Any] = {}
        for maker, seats in self.made.items():
            if self.is_honest(maker):
                given |= {(seat, at): v for seat, vs in seats.items() for at, v in vs.items()}
        invented = set()
        for me, peer in self.peers.items():
            is_deceived = False
            for seat, frame, value in self.inputs_of_the_honest(peer) if self.is_honest(me) else ():
                is_given = (seat, frame) in given
                if value == given[seat, frame] if is_given else (seat, frame, value) in self.before:
                    continue
                if seat != me and self.believes_liar(peer):
                    is_deceived = True
                    continue
                said = f"peer {me} confirmed {value} for seat {seat} in frame {frame}"
                assert not is_given, f"{said}, not what it gave"
                invented.add(frame)
            if is_deceived and self.match.is_player(me) and self.has_honest_players_besides(me):
                assert peer.session.end is None or peer.session.end.reason is not Reason.COMPLETED
        most = 2 * self.match.detection_frames_max if self.lie.restart is not None else 0
        assert len(invented) <= most, f"{len(invented)} inputs were invented, at most {most} may be"

    def has_honest_players_besides(self, me: int) -> bool:
        seats = enumerate(self.peers[me].session.seats)
        return bool({seat for seat, at in seats if at is not None} - {me, self.lie.liar})

    def first_hash(self, peer: Peer, other: int) -> int:
        """The first frame whose hash a peer must have from another."""
        lives = peer.session, self.session(other)
        if any(session._local.feeder is not None for session in lives):
            return max(peer.witness.joined_at, self.first_hashes.get((peer.me, other), 0))
        return 0

    def check_hashes(self) -> None:
        """No honest peer confirmed more than `detection_frames_max` frames beyond the first frame
        whose hash it did not have from the liar, or had otherwise."""
        liar = self.lie.liar
        for me, peer in self.peers.items():
            if not self.is_honest(me) or liar not in self.match.others(me):
                continue
            theirs, mine = self.hashes[me][liar], peer.witness
            if peer.session.seats[liar] is None:
                continue
            first = self.first_hash(peer, liar)
            differs = (
                at for at in range(first, mine.next_frame) if theirs.get(at) != mine.hashes[at]
            )
            last = next(differs, mine.next_frame) + self.match.detection_frames_max
            assert mine.next_frame <= last, (
                f"peer {me} confirmed {mine.next_frame}, not up to {last}"
            )


def play_lie(lie: Lie) -> LyingNetwork:
    network, (coast_at, coast_ms) = LyingNetwork(lie), lie.coast
    while network.clock_ms < 60_000 + 500 * (lie.match.frames or 0):
        now = network.clock_ms
        if coast_ms and now >= coast_at and network.can_coast:
            network.coast(coast_ms)
            network._moved.clear()
            coast_ms = 0
        for peer, at in lie.starts.items():
            if at == now:
                network.start(peer)
        if lie.restart is not None and lie.victim in network.peers:
            if now == lie.restart[0]:
                network.crash(lie.victim)
            if now == lie.restart[1] and not network.session(lie.victim).is_over:
                network.start(lie.victim)
        if network.peers:
            network.strange()
        network.tick()
        if now % 256 == 0:
            check_memory(network, network.is_honest)
        if now > max(lie.starts.values()) + 10 and network.is_over:
            break
    for me, peer in network.peers.items():
        if network.is_honest(me) and peer.is_up:
            assert peer.session.phase is Phase.ENDED, f"peer {me} has not ended"
    network.check_inputs()
    network.check_hashes()
    for me, times in network.snapshots.items():
        often = [now for now, then in zip(times[2:], times, strict=False) if now - then < 1000]
        assert not often, f"peer {me} makes three snapshots in a second"
    if lie.kind in ("never ready", "snapshots"):
        ends = {me: network.session(me).end for me in lie.match.seated}
        assert {end and end.reason for end in ends.values()} == {Reason.COMPLETED}, f"{ends}"
        assert network.stall_ms <= STALL_MS_MAX, f"the match stood still for {network.stall_ms} ms"
    if lie.liar is None:
        ends = {me: peer.session.end for me, peer in network.peers.items()}
        assert {end and end.reason for end in ends.values()} == {Reason.COMPLETED}, f"{ends}"
        network.check_agreement()
        assert network.stall_ms <= STALL_MS_MAX, f"the match stood still for {network.stall_ms} ms"
        if lie.kind != "rebinding":
            reported = f"{network.lost_to_outsiders} packets went to an outsider"
            assert not network.lost_to_outsiders, reported
    return network


def run_lie(seed: int, say: Callable[[str], None] = lambda _: None, kind: str = "") -> LyingNetwork:
    """The match of a seed, checked; FailedMatchError names the seed."""
    lie = plan_of_lies(seed, kind)
    say(f"{lie}")
    try:
        network = play_lie(lie)
    except Exception as error:
        raise FailedMatchError(f"lie {seed}: {type(error).__name__}: {error}") from error
    for me, peer in network.peers.items():
        say(f"peer {me}: {peer.session.confirmed} {peer.session.end}")
    say(f"{network.calls_max} calls at most, {network.stall_ms} ms still")
    return network

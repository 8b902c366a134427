"""Matches over distance: 5 to 300 ms one way, jitter, bursts of loss, narrow links, large inputs and
states, late players, spectators and restarts, each out of one seed.

    python tests/simulator.py --distance           such matches for a minute
    python tests/simulator.py --distance --seed 7  one of them, reported
    python tests/simulator.py --floors             the table of docs/network.md

A match fails as in simulator.py, and when

- a joiner is neither playing (a spectator: watching) nor ended with a reason in its transfer, 3 s
  and 8 round trips;
- the match has less than 95 % of its tick rate while the network can carry it: while input_delay +
  prediction_max is at least the frames of the longest way and its jitter, one for the loops, and
  one for each packet of a burst of loss, and the links have room for the packets;
- peers below that bound do not slow down alike;
- a spectator that watches is more than 2 s behind;
- a peer confirms another input than its owner's own record has."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bumpers import Bumpers
from network import Network, Peer
from simulator import FailedMatchError, coast_of

from fixsync.game.random import Random
from fixsync.match.sim import Input
from fixsync.session import Match, Phase
from fixsync.session.blobs import QUEUE_MS_MAX
from fixsync.session.packets import PACKET_BYTES_MAX
from fixsync.world.records import Event

LONG_MS = 300
QUEUE_MS = 300
"""A link drops what would wait longer."""
SETTLED_MS = 2500
"""After a start, a seat or an end of a silence, a match finds its pace in this time and 8 round
trips."""
MEASURED_MS = 3000


class Wide(Bumpers):
    """Inputs of several numbers, and a state as large as wanted."""

    numbers, padding = 1, b""

    def check_input(self, _player: int, value: Input) -> None:
        if (len(value) if isinstance(value, tuple) else 1) != self.numbers:
            raise ValueError(f"must be {self.numbers} integers, not {value}")

    @property
    def idle(self) -> Input:
        return (0,) * self.numbers if self.numbers > 1 else 0

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        for value in inputs:
            for number in value if isinstance(value, tuple) else (value,):
                self.met[0] = (self.met[0] + number) % 2**31
        firsts = [value[0] if isinstance(value, tuple) else value for value in inputs]
        return super().step([first % 5 for first in firsts])

    def save(self) -> bytes:
        return super().save() + self.padding

    def load(self, data: bytes) -> None:
        size = len(data) - len(self.padding)
        if size < 0:
            raise ValueError(f"a state has at least {len(self.padding)} bytes, not {len(data)}")
        super().load(data[:size])


@dataclass
class Path:
    """The way from one peer to another."""

    delay_ms: int
    jitter_ms: int = 0
    loss: int = 0
    """Of 100 packets, as bursts."""
    burst: int = 1
    """Packets of the longest burst; 0: each packet is lost by itself."""
    duplication: int = 0
    period: int = 0
    """If each burst has `burst` packets: packets from one to the next."""
    left: int = 0
    """Packets of the present burst that are still lost."""
    quiet: int = 0
    """Packets that pass before the next burst."""


@dataclass
class Journey:
    """What will happen in a match."""

    seed: int
    match: Match
    numbers: int
    bits: int
    state_bytes: int
    paths: dict[tuple[int, int], Path]
    uplink: int = 0
    """Bytes a millisecond that a peer can send; 0: any."""
    starts: dict[int, int] = field(default_factory=dict)
    silence: tuple[int, int, int, int] | None = None
    """From when to when nothing gets from one peer to another."""
    restart: tuple[int, int, int] | None = None
    """Who falls over, when, and when it comes back."""
    coast_ms: int = 0
    """For how long the players are left alone before anybody else comes; no time of the above."""
    end_ms: int = 12_000

    def one_way_ms(self) -> int:
        return max((it.delay_ms + it.jitter_ms for it in self.paths.values()), default=0)

    def frames_needed(self) -> int:
        """The frames that input_delay and prediction_max must cover for the full rate."""
        burst = max((it.burst if it.loss else 0 for it in self.paths.values()), default=0)
        return self.match.frames_of(self.one_way_ms()) + 1 + burst

    def is_carried(self) -> bool:
        """Whether the promise of the full rate holds."""
        covered = self.match.input_delay + self.match.prediction_max
        needed = self.frames_needed()
        if self.uplink:  # A transfer may make packets wait that long.
            needed += self.match.frames_of(2 * QUEUE_MS_MAX)
        return covered >= needed and (not self.uplink or self.uplink >= self.load())

    def load(self) -> int:
        """Bytes a millisecond that the host's inputs take at most, with repetitions."""
        frame = self.match.players * (9 * self.numbers + 13)
        packets = -(-frame // 900) + 1
        others = len(list(self.match.others(0)))
        rate = self.match.tick_rate
        assert isinstance(rate, int)
        return others * packets * PACKET_BYTES_MAX * rate // 1000 + 1


def plan_of_distance(seed: int) -> Journey:
    """The match of a seed."""
    random = Random(seed)
    players = random.choice((2, 2, 3, 3, 4, 8))
    empty_seats = (
        frozenset({players - 1}) if players > 2 and random.chance(2, 3) else frozenset[int]()
    )
    delay_ms = random.choice((5, 20, 40, 70, 100, 150, 250, LONG_MS))
    match = Match(
        "bumpers",
        seed=random.below(2**32),
        players=players,
        prediction_max=random.choice((0, 8, 8, 15, 24)),
        input_delay=random.choice((0, 2, 4, 8)),
        frames=None,
        empty_seats=empty_seats,
        spectators=random.choice((0, 0, 1, 2)),
        id=seed,
    )
    jitter_ms, loss = random.choice((0, 5, 20, 50)), random.choice((0, 0, 1, 5, 10, 20))
    burst, twice = random.choice((1, 2, 4)), random.choice((0, 0, 10))
    paths = {}
    for a in match.peers:
        for b in match.others(a):
            ms = max(1, delay_ms * random.between(50, 100) // 100)
            paths[a, b] = Path(ms, jitter_ms, loss, burst, twice)
    made = Journey(
        seed,
        match,
        numbers=random.choice((1, 1, 4, 16)),
        bits=random.choice((3, 16, 63)),
        state_bytes=random.choice((1, 1, 20, 200)) * 1024,
        paths=paths,
    )
    made.starts = {peer: random.below(300) for peer in match.seated}
    for late in (*sorted(empty_seats), *range(players, len(match.peers))):
        made.starts[late] = random.between(1500, 3000)
    if random.chance(1, 2):
        made.uplink = made.load() * random.between(12, 30) // 10
    event = random.below(4)
    if event == 0:
        a, b = random.choice(sorted(paths))
        begin = random.between(2000, 6000)
        made.silence = begin, begin + random.between(500, 3000), a, b
    elif event == 1 and not empty_seats:
        at = random.between(2500, 4500)
        made.restart = random.choice(match.seated), at, at + random.between(100, 1500)
    made.coast_ms = coast_of(seed, match)[1][1]
    return made


class Far(Network):
    """Peers whose packets travel, each with a loop of its own phase and pace."""

    def __init__(self, journey: Journey) -> None:
        self.journey = journey
        self.one_way_ms = journey.one_way_ms()
        self.settle_ms = SETTLED_MS + 16 * self.one_way_ms
        self.padding = bytes(journey.state_bytes)
        super().__init__(journey.match, journey.seed, simulation=self._game)
        self.lots = Random(journey.seed + 1)
        self.free_us: dict[int, int] = {}
        """When the link of each peer is free again."""
        self.made: dict[tuple[int, int], set[Any]] = {}
        """By seat and frame, the inputs that its players gave, in all their lives."""
        self.started: dict[int, int] = {}
        self.running: dict[int, int] = {}
        self.seated: dict[int, int] = {}
        self.events: list[int] = []
        """When the pace may have been disturbed."""
        self.bytes: dict[tuple[int, int], int] = {}
        self.packets: dict[tuple[int, int], int] = {}

    def _game(self, seed: int, players: int) -> Wide:
        made = Wide(seed, players)
        made.numbers, made.padding = self.journey.numbers, self.padding
        return made

    def start(self, me: int, **settings: Any) -> Peer:
        peer = super().start(me, **settings)
        self.started[me] = self.now_ms
        self.running.pop(me, None)
        self.seated.pop(me, None)
        if me in self.match.seated:
            self.events.append(self.now_ms)
        seats = peer.session._seats
        for name in ("feed", "give"):
            setattr(seats, name, self._noting(peer, getattr(seats, name)))
        peer.due_ms = self.now_ms + self.random.below(17)
        numbers, bits, random = self.journey.numbers, self.journey.bits, Random(self.lives)

        def play() -> Any:
            values = [random.below(2**bits) for _ in range(numbers)]
            return tuple(values) if numbers > 1 else values[0]

        peer.play = play
        return peer

    def _noting(self, peer: Peer, call: Callable[[int, Any], None]) -> Callable[[int, Any], None]:
        seats = peer.session._seats

        def noted(first: int, second: Any) -> None:
            before = {seat: seats.streams[seat].next for seat in seats.sources}
            call(first, second)
            for seat, at in before.items():
                for frame in range(at, seats.streams[seat].next):
                    self.made.setdefault((seat, frame), set()).add(seats.streams[seat][frame])

        return noted

    def crash(self, me: int) -> None:
        super().crash(me)
        self.events.append(self.now_ms)

    def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
        self.sent += 1
        way = sender.me, receiver
        self.bytes[way] = self.bytes.get(way, 0) + len(data)
        self.packets[way] = self.packets.get(way, 0) + 1
        path, random, now_us = self.journey.paths[way], self.lots, 1000 * self.now_ms
        if self.journey.uplink:
            begins = max(now_us, self.free_us.get(sender.me, 0))
            if begins - now_us > 1000 * QUEUE_MS:
                return
            now_us = self.free_us[sender.me] = begins + 1000 * len(data) // self.journey.uplink
        silence = self.journey.silence
        if silence is not None and silence[2:] == way and silence[0] <= self.clock_ms < silence[1]:
            return
        if path.loss and self._is_lost(path):
            return
        for _ in range(1 + random.chance(path.duplication, 100)):
            arrives = now_us // 1000 + path.delay_ms + random.below(path.jitter_ms + 1)
            self._order += 1
            heapq.heappush(self._queue, (arrives, self._order, receiver, data, None))

    def _is_lost(self, path: Path) -> bool:
        """Bursts of 1 to `burst` packets, with as many between that `loss` is right."""
        if path.period:
            path.left = (path.left + 1) % path.period
            return path.left < path.burst
        if not path.burst:
            return self.lots.chance(path.loss, 100)
        if path.left == 0 and path.quiet == 0:
            path.left = self.lots.between(1, path.burst)
            most = path.left * (100 - path.loss) // path.loss
            path.quiet = self.lots.between(max(1, most // 2), max(1, most * 3 // 2))
        if path.left:
            path.left -= 1
            return True
        path.quiet -= 1
        return False

    def tick(self) -> None:
        """Up to the next packet or frame of a loop."""
        dues = [
            peer.due_ms for peer in self.peers.values() if peer.is_up and not peer.session.is_over
        ]
        arrivals = [self._queue[0][0]] if self._queue else []
        self.now_ms = max(self.now_ms + 1, min([self.now_ms + 10, *dues, *arrivals]))
        while self._queue and self._queue[0][0] <= self.now_ms:
            self.deliver(*heapq.heappop(self._queue)[2:])
        for me, peer in self.peers.items():
            session = peer.session
            if not peer.is_up:
                continue
            if peer.due_ms <= self.now_ms and not session.is_over:
                self.advance(peer)
                # 60 Hz: 50 frames in 833 ms; slower by a quarter while ahead, as udp.play.
                peer.due_ms += 16 + (self.lots.below(3) < 2)
                if session.is_ahead(self.now_ms):
                    peer.due_ms += 4
                peer.due_ms = max(peer.due_ms, self.now_ms)
            self._observe(peer)
            if session.phase is Phase.RUNNING and me not in self.running:
                self.running[me] = self.now_ms
            if session.is_playing and me not in self.seated:
                self.seated[me] = self.now_ms
                self.events.append(self.now_ms)

    def run(self, ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        end = self.now_ms + ms
        while self.now_ms < end:
            if until():
                return True
            self.tick()
        return until()

    # What must hold.

    def is_calm(self) -> bool:
        """Whether nothing has disturbed the pace for a while."""
        silence = self.journey.silence
        is_cut = silence is not None and silence[0] < self.clock_ms
        ends = [*self.events, *([silence[1] + self.passed_ms] if silence and is_cut else [])]
        seated = [self.peers.get(at) for at in self.journey.match.seated]
        is_whole = all(peer is not None and peer.session.is_playing for peer in seated)
        return is_whole and all(self.now_ms - at > self.settle_ms for at in ends)

    def check_joiners(self) -> None:
        silence = self.journey.silence
        pause_ms = silence[1] - silence[0] if silence else 0
        most = 3000 + 16 * self.one_way_ms + 2 * pause_ms
        for me, at in self.running.items():
            session = self.peers[me].session
            if me in self.seated or session.end is not None or not self.match.is_player(me):
                continue
            assert self.now_ms - at <= most, (
                f"player {me} has had its snapshot for {self.now_ms - at} ms, and no seat"
            )

    def check_spectators(self) -> None:
        host = self.peers[0].session
        for me in range(self.match.players, len(self.match.peers)):
            peer = self.peers.get(me)
            if peer is None or me not in self.running or peer.session.end is not None:
                continue
            if self.now_ms - self.running[me] < self.settle_ms:
                continue
            behind = host.confirmed - peer.session.confirmed
            assert behind <= 2 * 60, f"spectator {me} is {behind} frames behind"

    def check_inputs(self) -> None:
        for peer in self.history:
            for frame, inputs in peer.witness.inputs.items():
                if frame >= max(self.match.input_delay, 1) and frame < peer.shared_until:
                    for seat, value in enumerate(inputs):
                        given = self.made.get((seat, frame), set())
                        assert value in given, (
                            f"peer {peer.me} confirmed {value} for seat {seat} in frame {frame}, "
                            f"whose owner gave {given}"
                        )


def travel(journey: Journey, say: Callable[[str], None] = lambda _: None) -> Far:
    """Plays a match and checks it."""
    network = Far(journey)
    mark: tuple[int, dict[int, int]] | None = None
    checked, coast_ms = 0, journey.coast_ms
    while network.clock_ms < journey.end_ms:
        now = network.clock_ms
        if coast_ms and 1000 < now < 1500 and network.can_coast:
            network.coast(coast_ms)
            network.events.append(network.now_ms)
            coast_ms = 0
        for peer, at in journey.starts.items():
            if at <= now and peer not in network.peers:
                network.start(peer)
        if journey.restart is not None:
            who, falls, returns = journey.restart
            if falls <= now < returns and network.peers[who].is_up:
                network.crash(who)
            if now >= returns and not network.peers[who].is_up:
                network.start(who)
        network.tick()
        network.check_joiners()
        if not network.is_calm():
            mark = None
            continue
        network.check_spectators()
        frames = {
            me: peer.session.frame
            for me, peer in network.peers.items()
            if network.match.is_player(me) and peer.session.is_playing
        }
        if mark is None or frames.keys() != mark[1].keys():
            mark = network.now_ms, frames
        elif network.now_ms - mark[0] >= MEASURED_MS:
            check_pace(journey, network.now_ms - mark[0], mark[1], frames)
            mark, checked = (network.now_ms, frames), checked + 1
    for me, peer in network.peers.items():
        session = peer.session
        say(f"peer {me}: {session.phase.name} {session.frame}/{session.confirmed} {session.end}")
        if peer.is_up and me in journey.match.seated and journey.restart is None:
            assert session.end is None, f"peer {me} ended by {session.end}"
        elif peer.is_up and journey.restart is None and journey.silence is None:
            assert session.end is None, f"joiner {me} ended by {session.end}"
    say(f"{checked} times at full rate: {journey.is_carried()}")
    network.check_agreement()
    network.check_inputs()
    return network


def check_pace(journey: Journey, ms: int, before: dict[int, int], after: dict[int, int]) -> None:
    made = {me: after[me] - before[me] for me in before}
    full = ms * 60 // 1000
    if journey.is_carried():
        slow = {me: frames for me, frames in made.items() if frames * 100 < 95 * full}
        assert not slow, f"in {ms} ms of {full} frames {made}, by peer"
    # Peers differ by no more than what they may be ahead, whatever the network.
    spread = max(made.values()) - min(made.values())
    most = 3 + 2 * (journey.match.prediction_max + journey.match.input_delay)
    assert spread <= most, f"peers do not slow down alike: {made}"


def journey_of(
    players: int,
    one_way_ms: int,
    *,
    prediction_max: int = 8,
    input_delay: int = 2,
    numbers: int = 1,
    bits: int = 3,
    state_bytes: int = 1024,
    spectators: int = 0,
    empty_seats: frozenset[int] = frozenset(),
    path: Path | None = None,
    seed: int = 5,
) -> Journey:
    """A match whose paths are alike; who is not there from the start comes after 2 s."""
    settings: dict[str, Any] = {
        "players": players,
        "empty_seats": empty_seats,
        "spectators": spectators,
    }
    settings |= {"prediction_max": prediction_max, "input_delay": input_delay, "seed": seed}
    match = Match("bumpers", **settings)
    ways = [(a, b) for a in match.peers for b in match.others(a)]
    paths = {way: replace(path or Path(one_way_ms), delay_ms=one_way_ms) for way in ways}
    starts = {peer: 0 if peer in match.seated else 2000 for peer in match.peers}
    return Journey(seed, match, numbers, bits, state_bytes, paths, starts=starts)


def run_distance(seed: int, say: Callable[[str], None] = lambda _: None) -> Far:
    """The match of a seed, checked; FailedMatchError names the seed."""
    journey = plan_of_distance(seed)
    say(f"{journey}")
    try:
        return travel(journey, say)
    except Exception as error:
        raise FailedMatchError(f"distance {seed}: {type(error).__name__}: {error}") from error


# The table of docs/network.md.


def joined(journey: Journey) -> tuple[int, int, int, Far]:
    """Of the last peer, who comes after 2 s: the time to its snapshot, from there to its seat (a
    spectator: 0), and the frames that the match made in a second until then. -1: did not come."""
    network, last = Far(journey), journey.match.peers[-1]
    for peer in journey.match.peers[:-1]:
        network.start(peer)
    network.run(2000)
    session, begin = network.start(last).session, network.now_ms
    host, first = network.session(0), network.session(0).confirmed
    is_player = journey.match.is_player(last)
    network.run(40_000, lambda: session.phase is Phase.RUNNING or session.end is not None)
    transfer_ms, rate = network.now_ms - begin, 0
    rate = (host.confirmed - first) * 1000 // max(1, transfer_ms)
    begin = network.now_ms
    if is_player:
        network.run(20_000, lambda: session.is_playing or session.end is not None)
    if session.end is not None or is_player != session.is_playing:
        return transfer_ms, -1, rate, network
    return transfer_ms, network.now_ms - begin, rate, network


def pace(journey: Journey, who: int, ms: int = 5000) -> tuple[int, int, int]:
    """Of a running match: frames that a peer confirms in 60 frames' time, and the packets and bytes
    a second from peer 0 to peer 1."""
    network = Far(journey)
    for peer in journey.match.peers:
        network.start(peer)
    network.run(4000)
    way, begin = (0, 1), network.now_ms
    first, packets, size = (
        network.session(who).confirmed,
        network.packets[way],
        network.bytes[way],
    )
    network.run(ms)
    passed = network.now_ms - begin
    frames = network.session(who).confirmed - first
    return (
        -(-frames * 1000 // passed),
        (network.packets[way] - packets) * 1000 // passed,
        (network.bytes[way] - size) * 1000 // passed,
    )


def settings_table(say: Callable[[str], None] = print, *, is_whole: bool = True) -> None:
    """Prints what settings give."""
    ways = (20, 80, 150, 300) if is_whole else (20, 300)
    say("2 players, 5 % loss: percent of the tick rate, and kB a second from player 0 to player 1")
    say(f"| `input_delay` + `prediction_max` | {' | '.join(f'{way} ms' for way in ways)} |")
    say(f"| --- |{' --- |' * len(ways)}")
    for input_delay, prediction_max in ((2, 8), (4, 12), (7, 21)):
        cells = []
        for way in ways:
            path = Path(way, loss=5, burst=0)
            settings = {"input_delay": input_delay, "prediction_max": prediction_max}
            journey = journey_of(2, way, path=path, **settings)
            frames, _, size = pace(journey, 1, 30_000 if is_whole else 3000)
            cells.append(f"{min(100, frames * 100 // 60)} %, {-(-size // 1000)} kB/s")
        say(f"| {input_delay} + {prediction_max} | {' | '.join(cells)} |")
    say("")


def floors(say: Callable[[str], None] = print, *, is_whole: bool = True) -> None:
    """Prints the table."""
    settings_table(say, is_whole=is_whole)
    say(
        "third seat: time from its snapshot to its seat, in ms; the last column is the most allowed"
    )
    say("| one way | no loss | 10 % loss | allowed |")
    say("| --- | --- | --- | --- |")
    for one_way in (20, 40, 70, 100, 150, 200, 250) if is_whole else (100,):
        found = []
        for loss in (0, 10):
            times = []
            for seed in range(4 if is_whole else 1):
                for prediction_max, jitter in ((0, 0), (8, 0), (8, 20)):
                    path = Path(one_way, jitter, loss)
                    settings: dict[str, Any] = {"prediction_max": prediction_max, "seed": seed}
                    times.append(
                        joined(
                            journey_of(
                                3, one_way, empty_seats=frozenset({2}), path=path, **settings
                            )
                        )[1]
                    )
            assert min(times) >= 0, "a player was not seated"
            found.append(f"{min(times)} to {max(times)}")
        say(f"| {one_way} ms | {' | '.join(found)} | {3000 + 16 * one_way} |")
    say("")
    say("frames a second (of 60), and packets and bytes a second from peer 0 to peer 1")
    say("| match | frames | packets | bytes |")
    say("| --- | --- | --- | --- |")
    for name, who, journey in (
        ("2 players, 1 number of 3 bits, 50 ms", 1, journey_of(2, 50)),
        ("2 players, 16 × 64 bits, 50 ms", 1, journey_of(2, 50, numbers=16, bits=63)),
        (
            "2 players, 16 × 64 bits, 150 ms",
            1,
            journey_of(2, 150, numbers=16, bits=63, prediction_max=10),
        ),
        ("4 players, 1 × 16 bits, 50 ms", 1, journey_of(4, 50, bits=16)),
        (
            "8 players, 1 × 64 bits, 100 ms: the spectator",
            8,
            journey_of(8, 100, bits=63, spectators=1),
        ),
    ):
        if is_whole or len(journey.match.peers) == 2:
            frames, packets, size = pace(journey, who, 5000 if is_whole else 2000)
            say(f"| {name} | {frames} | {packets} | {size} |")
    say("")
    say("a snapshot at 50 ms and 1 % loss: time, and the match's frames a second meanwhile")
    say("| state | time | frames |")
    say("| --- | --- | --- |")
    for mib in (1, 2, 16) if is_whole else (1,):
        path = Path(50, loss=1)
        journey = journey_of(2, 50, state_bytes=mib * 2**20, spectators=1, path=path)
        transfer_ms, seat_ms, rate, _ = joined(journey)
        assert seat_ms >= 0
        say(f"| {mib} MiB | {transfer_ms} ms | {rate} |")

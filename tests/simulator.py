"""Whole matches out of one seed: peers, network, crashes, late players, spectators, faults and
noise, in virtual time.

    python tests/simulator.py                     random matches for a minute
    python tests/simulator.py --seconds 36000     for a night
    python tests/simulator.py --seed 4711         one match, reported step by step
    python tests/simulator.py --restarts ...      any peer, the host too, may restart at any time
    python tests/simulator.py --liars ...         a peer lies, or an outsider attacks: liars.py
    python tests/simulator.py --distance ...      latency, narrow links, large inputs: distance.py
    python tests/simulator.py --floors            the table of docs/network.md

A match fails when a peer raises, when two peers confirm a frame differently, when a game gets a
notice twice or never, when memory grows beyond what the window needs, when a match does not end,
when it ends for a wrong reason, or when a peer says COMPLETED and a player lacks a frame."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bumpers import Bumpers
from network import COAST_MS, Network, Weather

from fixsync.game.random import Random
from fixsync.peers.faults import FAULTS
from fixsync.session import Match, Phase, Reason, Session
from fixsync.session.match import HOST

INPUTS_HELD_MAX = 600
"""Of one seat: the frames that one peer may be ahead (256), twice the window, and those that
are not released yet."""


@dataclass
class Plan:
    """What will happen in a match."""

    seed: int
    match: Match
    weather: list[tuple[int, Weather]] = field(default_factory=list)
    """From when on, in milliseconds."""
    starts: list[tuple[int, int]] = field(default_factory=list)
    """When which peer starts, the first time or again."""
    crashes: list[tuple[int, int]] = field(default_factory=list)
    fault: tuple[int, int] | None = None
    """Who is broken, and in which frame it shows."""
    noise: int = 0
    """Of 100 milliseconds, in how many a made-up packet arrives somewhere."""
    ends: frozenset[Reason] = frozenset({Reason.COMPLETED})
    """How the match may end."""
    leaves: list[tuple[int, int]] = field(default_factory=list)
    """When which peer leaves."""
    coast: tuple[int, int] = 0, 0
    """When the match is first left alone, once it is calm, and for how long: up to 20 minutes. All
    other times are of a clock that stands still meanwhile."""
    begin_ms: int = 0
    """The time at which all clocks begin."""
    restarts: bool = False
    """Peers crash and come back whether or not somebody keeps the match alive."""


def plan(seed: int) -> Plan:
    """The match of a seed."""
    random = Random(seed)
    players = random.choice((2, 2, 2, 3, 3, 4, 5, 8))
    empty_seats = frozenset(
        player for player in range(1, players) if random.chance(1, 4) and players > 2
    )
    spectators = random.choice((0, 0, 0, 1, 2))
    match = _match(random, players, (0, 0, 1, 2, 4, 8, 8, 15), (0, 1, 2, 2, 3, 6), (30, 260))
    match = replace(match, empty_seats=empty_seats, spectators=spectators, id=random.next())
    if random.chance(1, 2):
        match = replace(match, key=random.next().to_bytes(8, "little"))
    made = Plan(seed, match, noise=random.choice((0, 0, 3, 20)))
    for at in (0, *sorted(random.below(4000) for _ in range(random.below(3)))):
        made.weather.append((at, _weather(random)))
    for player in made.match.seated:
        made.starts.append((random.below(1500), player))
    for late in (*sorted(empty_seats), *range(players, players + spectators)):
        if random.chance(3, 4):
            made.starts.append((random.below(5000), late))
    # Somebody who is there from the start must be there to notice.
    if random.chance(1, 4) and len(made.match.seated) > 1:
        who = random.choice(made.match.seated)
        made.fault = who, random.below(max(1, (made.match.frames or 1) - 1))
        made.ends = frozenset({Reason.DESYNC})
    elif random.chance(1, 2):
        _add_crashes(random, made)
    return made


def plan_of_restarts(seed: int) -> Plan:
    """A match in which any peer, the host included, may fall over and come back at any time."""
    random = Random(seed)
    players = random.choice((2, 2, 2, 3, 3, 4))
    empty_seats = frozenset(player for player in range(1, players) if random.chance(1, 2))
    spectators = random.choice((0, 0, 1, 2))
    match = _match(random, players, (0, 0, 2, 8), (0, 1, 2, 6), (40, 300))
    match = replace(match, empty_seats=empty_seats, spectators=spectators)
    ends = frozenset(Reason) - {Reason.LEFT, Reason.DESYNC}
    made = Plan(seed, match, [(0, _weather(random))], ends=ends, restarts=True)
    for peer in made.match.peers:
        at = random.below(2500 if peer in made.match.seated else 5000)
        if peer in made.match.seated or random.chance(5, 6):
            made.starts.append((at, peer))
    for _ in range(random.between(1, 4)):
        who = 0 if random.chance(2, 5) else random.choice(made.match.peers)
        at = random.below(7000)
        made.crashes.append((at, who))
        if random.chance(6, 7):
            made.starts.append((at + random.between(10, 3000), who))
    return made


def plan_of_a_host_that_returns(seed: int) -> Plan:
    """A match in which the host falls over, and comes back by a snapshot, while another player is
    down. The others wait for the first: nothing that they have stepped is lost."""
    random = Random(seed)
    players = random.choice((3, 3, 4, 5))
    match = _match(random, players, (0, 1, 2, 8), (0, 1, 2, 6), (200, 300))
    match = replace(match, spectators=random.choice((0, 0, 1)))
    made = Plan(seed, match, [(0, _weather(random))])
    for peer in made.match.peers:
        made.starts.append((random.below(200), peer))
    other = random.between(1, players - 1)
    falls = random.between(1600, 2600)
    host_falls = falls + random.between(1000, 1300)
    host_returns = host_falls + random.between(20, 700)
    made.crashes += [(falls, other), (host_falls, 0)]
    made.starts += [(host_returns, 0), (host_returns + random.between(1000, 2000), other)]
    return made


Planned = Callable[[int], Plan]
PLANS: list[Planned] = [plan, plan_of_restarts, plan_of_a_host_that_returns]


def coast_of(seed: int, match: Match) -> tuple[Match, tuple[int, int]]:
    """A match that has frames for it, and when and for how long it is left alone."""
    random = Random(seed + 2)
    longest_ms = random.choice((0, 10_000, 60_000, 1_200_000))
    at, ms = random.below(4000), random.below(longest_ms + 1)
    if match.frames is not None:
        match = replace(match, frames=match.frames + ms // COAST_MS)
    return match, (at, ms)


def aged(made: Plan) -> Plan:
    """The same plan, and most of it happens to a match that is minutes old."""
    made.match, made.coast = coast_of(made.seed, made.match)
    random = Random(made.seed + 3)
    made.begin_ms = random.choice((0, 0, 2**32 - 3000, 2**32 - made.coast[1] - 2000, 2**53))
    for peer in made.match.peers:
        is_player = made.match.is_player(peer)
        if random.chance(1, 12 if is_player else 3) and made.fault is None:
            made.leaves.append((random.between(1000, 6000), peer))
            # Who starts after all others have left hears nobody.
            made.ends |= {Reason.LEFT, Reason.SILENT} if is_player else set()
    return made


def _match(
    random: Random,
    players: int,
    predictions: Sequence[int],
    delays: Sequence[int],
    frames: tuple[int, int],
) -> Match:
    lots = Random(random.state)
    return Match(
        "bumpers",
        input_delay_max=lots.choice((None, None, 8, 16)),
        seed=random.below(2**32),
        players=players,
        prediction_max=random.choice(predictions),
        input_delay=random.choice(delays),
        frames=random.between(*frames),
    )


def _weather(random: Random) -> Weather:
    return Weather(
        loss=random.choice((0, 5, 20, 30, 50)),
        delay_ms=random.choice((0, 1, 10, 40, 90)),
        jitter_ms=random.choice((0, 5, 30, 100)),
        duplication=random.choice((0, 10, 50)),
        damage=random.choice((0, 0, 10)),
    )


def _add_crashes(random: Random, made: Plan) -> None:
    """Players fall over and come back within the time that the others wait, or sometimes never."""
    for _ in range(random.between(1, 3)):
        who = random.choice(made.match.seated)
        at = random.between(1600, 5000)
        made.crashes.append((at, who))
        if random.chance(5, 6):
            made.starts.append((at + random.between(50, 3000), who))
        else:
            made.ends |= {Reason.SILENT, Reason.STALLED}
    # Two at once leave nobody to come back by; a host with empty seats cannot come back; what went
    # on while somebody was away may make the rest too late.
    made.ends |= {Reason.SILENT, Reason.JOIN_FAILED, Reason.STALLED}
    if len({who for _, who in made.crashes}) > 1:
        # What only two knew who were both down is lost: one of them plays that frame anew,
        # otherwise.
        made.ends |= {Reason.DESYNC}


class FailedMatchError(AssertionError):
    """What went wrong in a match, with the seed that repeats it."""


def play(made: Plan, say: Callable[[str], None] = lambda _: None) -> Network:
    """Plays a match and checks it."""
    match = made.match
    network = Network(match, made.seed, made.weather[0][1], begin_ms=made.begin_ms)
    noise = Random(made.seed + 1)
    network.delays = Random(made.seed + 2)
    frames = match.frames or 0
    # Lockstep without delay takes a round trip a frame, at half of the packets lost, each way, with
    # 8 players.
    limit_ms = 20_000 + frames * 1_500 + max(at for at, _ in made.starts)
    over_ms = 0
    coast_at, coast_ms = made.coast
    while network.clock_ms < limit_ms:
        now = network.clock_ms
        if coast_ms and now >= coast_at and network.can_coast:
            say(f"{now} ms: nothing happens for {coast_ms} ms")
            network.coast(coast_ms)
            coast_ms = 0
        for at, who in made.leaves:
            if at == now and who in network.peers and network.peers[who].is_up:
                say(f"{now} ms: peer {who} leaves")
                network.session(who).leave(network.now_ms)
        for at, weather in made.weather:
            if at == now:
                network.weather = weather
        for at, who in made.crashes:
            if at == now and _has_company(network, made, who) and network.peers[who].is_up:
                say(f"{now} ms: peer {who} crashes in frame {network.peers[who].session.frame}")
                network.crash(who)
        for at, who in made.starts:
            if at != now:
                continue
            if who not in network.peers or (
                not network.peers[who].is_up and _has_company(network, made, who)
            ):
                say(f"{now} ms: peer {who} starts")
                _start(network, made, who)
        if network.peers and noise.chance(made.noise, 100):
            _add_noise(network, noise)
        network.tick()
        if now % 256 == 0:
            check_memory(network)
        if network.peers and network.is_over and all(at < now for at, _ in made.starts):
            over_ms += 1
            if over_ms > 10:
                break
    _check_end(network, made, say)
    return network


def _has_company(network: Network, made: Plan, who: int) -> bool:
    """Whether another player keeps the match alive: without one it is over, and a restart is
    another match."""
    if who not in network.peers or network.peers[who].session.is_over:
        return False
    if made.restarts:
        return True
    others = (peer for me, peer in network.peers.items() if me in made.match.seated and me != who)
    return any(peer.is_up and peer.session.phase is Phase.RUNNING for peer in others)


def _start(network: Network, made: Plan, who: int) -> None:
    simulation = None
    if made.fault is not None and made.fault[0] == who:
        broken = type("Broken", (FAULTS["unit"].kind, Bumpers), {"_fault_frame": made.fault[1]})
        simulation = broken(made.match.seed, made.match.players)
    network.start(who, simulation=simulation)


def _add_noise(network: Network, random: Random) -> None:
    """A packet that nobody sent: random bytes, or a true message with one thing in it changed."""
    peer = random.choice([*network.peers.values()])
    if not peer.is_up:
        return
    if random.chance(1, 2):
        data = bytes(random.below(256) for _ in range(random.below(80)))
    else:
        data = bytearray(b"FXP\x02" + random.next().to_bytes(8, "little"))
        data += bytes(
            random.choice((0x95, 0x9F, 0xC0, 0xCF, 1, 2, 0xFF)) for _ in range(random.below(60))
        )
        data = bytes(data)
    refused = peer.session.refused
    assert peer.session.receive(data, network.now_ms) is None
    assert peer.session.refused == refused + 1


def held(session: Session) -> dict[str, int]:
    """How much a session holds."""
    timeline, remotes = session._timeline, session._remotes.values()
    return {
        "inputs": max(len(stream) for stream in session._seats.streams),
        "states": len(timeline.states),
        "hashes": len(timeline.hashes),
        "their hashes": max((len(remote.hashes) for remote in remotes), default=0),
    }


def check_memory(
    network: Network,
    is_checked: Callable[[int], bool] = lambda _: True,
) -> None:
    """No session holds more than its window, and what those need who come late, asks for."""
    match = network.match
    window = match.detection_frames_max
    has_joined = match.empty_seats or match.spectators or network.lives > match.players
    backlog = 3700 if match.spectators or match.empty_seats else 0
    for me, peer in network.peers.items():
        if not is_checked(me):
            continue
        found = held(peer.session)
        limits = {
            "inputs": INPUTS_HELD_MAX + backlog,
            "states": 200 if has_joined else 2 * window + match.prediction_max + 4,
            "hashes": 4 * window + 8 + backlog,
            "their hashes": INPUTS_HELD_MAX,
        }
        for name, count in found.items():
            assert count <= limits[name], (
                f"peer {me} holds {count} {name}, at most {limits[name]} are needed"
            )


def _check_end(network: Network, made: Plan, say: Callable[[str], None]) -> None:
    ends: dict[int, Reason] = {}
    for me, peer in network.peers.items():
        session = peer.session
        say(f"peer {me}: {session.phase.name} {session.frame}/{session.confirmed} {session.end}")
        if peer.is_up:
            reported = f"peer {me} has not ended after {network.clock_ms} ms"
            assert session.phase is Phase.ENDED, reported
            assert session.end is not None
            if me in made.match.seated or made.restarts:
                ends[me] = session.end.reason
    if made.fault is not None:
        _check_desync(network, made)
    elif Reason.DESYNC not in ends.values() or not network.lossy:
        network.check_agreement()
    if made.restarts and network.lossy:
        made.ends |= {Reason.DESYNC}
    reported = f"ended by {ends}, expected {made.ends}"
    assert set(ends.values()) <= made.ends | {Reason.LEFT}, reported
    if made.ends == {Reason.COMPLETED}:
        for me, peer in network.peers.items():
            witness = peer.witness
            if witness.hashes and me not in made.match.seated:
                reported = f"peer {me} joined in frame {witness.joined_at}: {network.end_of(me)}"
                expected = Reason.COMPLETED
                if network.peers[HOST].witness.joined_at > witness.next_frame:
                    expected = Reason.JOIN_FAILED  # The host came back without what it lacked.
                assert network.end_of(me).reason in (expected, Reason.LEFT), reported
            if me in made.match.seated:
                assert witness.next_frame == made.match.frames, (
                    f"peer {me} confirmed {witness.next_frame} frames"
                )


def _check_desync(network: Network, made: Plan) -> None:
    assert made.fault is not None
    who, frame = made.fault
    for me in made.match.seated:
        end, confirmed = network.end_of(me), network.session(me).confirmed
        assert end.reason is Reason.DESYNC, f"peer {me} ended by {end}"
        assert end.frame == frame, f"peer {me} blames frame {end.frame}, not {frame}"
        last = frame + made.match.detection_frames_max
        assert confirmed <= last, f"peer {me} went on to {confirmed}"
        assert end.desync is not None
        if confirmed > frame:
            first = end.desync.differences[0]
            assert (first.key, first.field) == (("collider", 0), "x"), f"peer {me} blames {first}"
            assert [who] in end.desync.sides, f"peer {me} has sides {end.desync.sides}"
            assert end.desync.same_inputs
            assert end.desync.same_before


def run(
    seed: int,
    say: Callable[[str], None] = lambda _: None,
    planned: Planned = plan,
) -> Network:
    """The match of a seed, checked; FailedMatchError names the seed."""
    made = aged(planned(seed))
    say(f"{made}")
    try:
        return play(made, say)
    except Exception as error:
        raise FailedMatchError(f"seed {seed}: {type(error).__name__}: {error}") from error


def main() -> int:
    parser = argparse.ArgumentParser(description="Random whole matches, each out of one seed.")
    parser.add_argument("--seconds", type=int, default=60, help="Time to search (60).")
    parser.add_argument("--seed", type=int, help="Play only this match, and report it.")
    parser.add_argument("--first", type=int, help="First seed; otherwise from the clock.")
    parser.add_argument("--count", type=int, default=10**12, help="Number of seeds.")
    parser.add_argument("--restarts", action="store_true", help="Any peer may restart.")
    parser.add_argument("--liars", action="store_true", help="A peer lies, or an outsider attacks.")
    parser.add_argument("--distance", action="store_true", help="Peers are far from each other.")
    parser.add_argument("--floors", action="store_true", help="Print the table of docs/network.md.")
    parser.add_argument("--keep-going", action="store_true", help="Report failures and go on.")
    options = parser.parse_args()
    planned = plan_of_restarts if options.restarts else plan
    played: Callable[..., Network] = partial(run, planned=planned)
    if options.floors:
        from distance import floors

        floors()
        return 0
    if options.distance:
        from distance import run_distance as played
    if options.liars:
        from liars import run_lie as played
    if options.seed is not None:
        played(options.seed, print)
        return 0
    seed = options.first if options.first is not None else time.time_ns() % 10**12
    first, until = seed, time.monotonic() + options.seconds
    ended: Counter[str] = Counter()
    frames = failed = 0
    while time.monotonic() < until and seed < first + options.count:
        try:
            network = played(seed)
        except FailedMatchError as failure:
            failed += 1
            print(failure, file=sys.stderr, flush=True)
            if not options.keep_going:
                break
        else:
            for peer in network.peers.values():
                end = peer.session.end
                ended["crashed" if end is None or not peer.is_up else end.reason.name] += 1
            frames += sum(len(peer.witness.hashes) for peer in network.history)
        seed += 1
    print(
        f"{seed - first} matches from seed {first} on, {failed} failed; {frames} confirmed frames"
    )
    print(f"peers ended: {dict(ended)}")
    return 1 if failed else 0


if __name__ == "__main__":
    import simulator  # whose errors are those that liars.py raises

    sys.exit(simulator.main())

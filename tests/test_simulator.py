"""Whole matches, each out of one seed, and tests of the simulator itself.

`python tests/simulator.py --seconds N` searches other seeds.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path as File
from statistics import median

import pytest
from distance import (
    Far,
    Journey,
    Path,
    Wide,
    floors,
    journey_of,
    plan_of_distance,
    run_distance,
    travel,
)
from liars import LIES, OUTSIDERS, run_lie
from network import Network, Peer, Weather
from simulator import PLANS, FailedMatchError, Planned, held, plan, play, run
from strategies import rounds, some
from tools import by_default, ran

from fixsync.peers.faults import FAULTS
from fixsync.session import Match, Phase, Reason, Session
from fixsync.session.blobs import RATE_PIECES
from fixsync.session.joining import Joining
from fixsync.session.outgoing import Outgoing
from fixsync.session.packets import PacketError, Run, Update
from fixsync.session.remote import Local, Remote
from fixsync.session.seats import Seats
from fixsync.session.timeline import Timeline


@pytest.mark.parametrize("planned", PLANS)
def test_a_match_of_a_fixed_seed_holds(planned: Planned):
    run(0, planned=planned)


@pytest.mark.full
@pytest.mark.parametrize("planned", PLANS)
def test_matches_of_many_seeds_hold(planned: Planned):
    for seed in rounds(63):
        run(1 + seed, planned=planned)


@pytest.mark.full
@pytest.mark.parametrize("planned", PLANS)
def test_matches_of_fresh_seeds_hold(planned: Planned):
    # A failure names its seed, which repeats it.
    first = int(os.environ.get("FIXSYNC_SIMULATOR_SEED", time.time_ns() // 1000 % 10**12))
    for seed in rounds(30):
        run(first + seed, planned=planned)


@pytest.mark.parametrize("seed", by_default(1, [1000000129, 830852082298, 1000001156, 1000001973]))
def test_a_desync_is_explained_to_both_though_half_of_the_packets_are_lost(seed: int):
    """A peer that still lacked a piece of the other's state was not waited for long enough."""
    assert plan(seed).weather[-1][1].loss == 50
    run(seed)


def test_a_late_player_meets_those_who_end_before_they_heard_of_it():
    run(2200000914)


def test_a_desync_of_large_states_on_a_narrow_link_is_explained_to_both():
    journey = journey_of(2, 50, state_bytes=200 * 1024)
    journey.uplink = 100  # bytes a millisecond: four seconds for what a peer sends
    network = Far(journey)
    network.start(0)
    kind = type("Broken", (FAULTS["unit"].kind, Wide), {"_fault_frame": 100})
    broken = kind(journey.match.seed, journey.match.players)
    broken.padding = network.padding
    network.start(1, simulation=broken)
    network.run(20_000, lambda: network.is_over)
    for me in journey.match.peers:
        desync = network.end_of(me).desync
        assert desync is not None
        assert desync.sides == [[0], [1]]


@pytest.mark.full
def test_a_seed_makes_the_same_match_twice():
    seed = next(
        seed
        for seed in range(1000)
        if plan(seed).crashes and plan(seed).noise and plan(seed).match.players < 4
    )
    assert plan(seed) == plan(seed)
    first, again = (play(plan(seed)) for _ in range(2))
    assert first.now_ms == again.now_ms
    assert first.sent == again.sent
    for me, peer in first.peers.items():
        assert peer.witness == again.peers[me].witness
        assert held(peer.session) == held(again.peers[me].session)


@pytest.mark.full
def test_a_spectator_ends_at_once_if_a_host_that_returned_lacks_its_next_input():
    # Lost packets: the host hears it, lets it go, and hears it again before it knows.
    network = run(13, planned=PLANS[2])
    spectator = network.session(network.match.players)
    assert spectator.end is not None
    assert spectator.end.reason is Reason.JOIN_FAILED


def test_the_plans_hold_everything_that_is_to_be_tried():
    plans = [plan(seed) for seed in range(300)]
    assert {made.match.players for made in plans} == {2, 3, 4, 5, 8}
    for wanted in ("crashes", "fault", "noise"):
        assert sum(bool(getattr(made, wanted)) for made in plans) > 30, wanted
    for wanted in ("empty_seats", "spectators", "prediction_max", "input_delay", "key"):
        assert sum(bool(getattr(made.match, wanted)) for made in plans) > 30, wanted
        assert sum(not getattr(made.match, wanted) for made in plans) > 30, wanted
    assert any(weather.loss == 50 for made in plans for _, weather in made.weather)


KINDS = LIES + OUTSIDERS


@pytest.mark.parametrize(
    "seed", by_default(2, [*range(3 * len(KINDS), 4 * len(KINDS)), *some(range(3 * len(KINDS)))])
)
def test_liars_and_outsiders_do_no_more_than_they_may(seed: int):
    run_lie(seed)


@pytest.mark.full
def test_a_lying_host_plays_no_frame_of_a_seat_that_it_has_given_away():
    # The joiner stood still: its seat had inputs from the host only.
    run_lie(702338366707, kind="flood")


def lies_of(kind: str, count: int = 3) -> list[int]:
    return [KINDS.index(kind) + at * len(KINDS) for at in range(count)]


def run_lies(seeds: list[int]) -> None:
    for seed in seeds:
        run_lie(seed)


@pytest.mark.full
def test_the_simulator_fails_when_a_player_who_comes_back_gets_no_input_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(
        Local, "is_made_here", lambda self, seat: seat == self.me or seat in self.seats.sources
    )
    with pytest.raises(FailedMatchError):
        run_each([*range(30)], PLANS[2])


@pytest.mark.full
def test_the_simulator_fails_when_no_peer_may_leave_out_hashes(monkeypatch: pytest.MonkeyPatch):
    def refuse(_: Remote, __: Update) -> None:
        raise PacketError("a jump")

    monkeypatch.setattr(Remote, "_check_jump", refuse)
    with pytest.raises(FailedMatchError):
        run_each([0], PLANS[2])  # a host returns
    with pytest.raises(FailedMatchError, match="joined in frame"):
        run_each([13, 42])  # players come late


@pytest.mark.full
def test_the_simulator_fails_when_the_newest_address_wins(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Session, "may_move", lambda self, *_: True)  # noqa: ARG005
    with pytest.raises(FailedMatchError, match=r"stood still|to an outsider|ENDED|SILENT"):
        run_lies(lies_of("thief"))


@pytest.mark.full
def test_the_simulator_fails_when_inputs_for_any_seat_are_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Local, "is_made_here", lambda self, seat: False)  # noqa: ARG005
    monkeypatch.setattr(Remote, "_decides", lambda self, seat: range(2**32))  # noqa: ARG005
    with pytest.raises(FailedMatchError, match=r"not what it gave|were invented"):
        run_lies(lies_of("seat"))


@pytest.mark.full
def test_the_simulator_fails_when_who_is_done_is_not_compared(monkeypatch: pytest.MonkeyPatch):
    has_all = Remote.has_all
    monkeypatch.setattr(Remote, "has_all", lambda self, at: self.is_done or has_all(self, at))
    with pytest.raises(FailedMatchError, match="completed without hash"):
        run_lies(lies_of("done", 6))


@pytest.mark.parametrize("seed", by_default(2, [0, 3, *range(4, 16), 1, 2]))
def test_matches_over_distance_hold(seed: int):
    run_distance(seed)


def test_the_plans_over_distance_hold_everything_that_is_to_be_tried():
    plans = [plan_of_distance(seed) for seed in range(300)]
    assert {made.match.players for made in plans} == {2, 3, 4, 8}
    assert {made.numbers for made in plans} == {1, 4, 16}
    longest = [max(path.delay_ms for path in made.paths.values()) for made in plans]
    assert min(longest) <= 5
    assert max(longest) > 290
    for wanted in ("silence", "restart", "uplink"):
        assert sum(bool(getattr(made, wanted)) for made in plans) > 20, wanted
    for wanted in ("empty_seats", "spectators", "prediction_max", "input_delay"):
        assert sum(bool(getattr(made.match, wanted)) for made in plans) > 30, wanted
    assert 60 < sum(made.is_carried() for made in plans) < 200


@pytest.mark.full
def test_the_table_of_distances_holds():
    said: list[str] = []
    floors(said.append)
    rows = {line.split(" | ")[0]: line.strip("| ").split(" | ")[1:] for line in said if "|" in line}
    for name, row in rows.items():
        if " players, " in name:
            assert int(row[0]) >= 59, name
    for name, ways in (("| 2 + 8", 2), ("| 4 + 12", 3), ("| 7 + 21", 4)):
        assert all(cell.startswith("100 %") for cell in rows[name][:ways]), name
    for name, most_ms in (("| 2 MiB", 4000), ("| 16 MiB", 20_000)):
        assert int(rows[name][0].split()[0]) < most_ms
        assert int(rows[name][1]) >= 59


def test_below_the_bound_all_peers_slow_down_alike():
    # 200 ms are 12 frames; 2 + 4 are covered.
    network = travel(journey_of(2, 200, prediction_max=4))
    frames = [network.session(me).frame for me in (0, 1)]
    assert abs(frames[0] - frames[1]) <= 7
    assert max(frames) < network.now_ms * 60 // 1000 * 3 // 4
    assert all(network.session(me).stats(network.now_ms).is_slowed for me in (0, 1))


BURSTS = [
    (numbers, ms, burst)
    for numbers in (16, 1, 5, 9, 12)
    for ms in (100, 20, 200)
    for burst in (6, 12, 3)
    if ms * 60 // 1000 + 1 + burst <= 24
]


@pytest.mark.parametrize("case", by_default(1, BURSTS), ids=str)
def test_bursts_that_delay_and_prediction_cover_cost_no_frame(case: tuple[int, int, int]):
    numbers, ms, burst = case
    path = Path(ms, loss=1, burst=burst, period=60)
    journey = journey_of(2, ms, prediction_max=20, numbers=numbers, bits=63, path=path)
    journey.match = replace(journey.match, input_delay=4)
    for count, way in enumerate(journey.paths.values()):
        way.left = 7 * count
    network = Far(journey)
    for me in (0, 1):
        network.start(me)
    network.run(4000)
    first, begin = network.session(1).confirmed, network.now_ms
    network.run(8000)
    frames = network.session(1).confirmed - first
    assert frames * 1000 >= 59.5 * (network.now_ms - begin)


def lossy(kib: int, seed: int, ms: int) -> Network:
    """Two players on a network that loses nothing yet, and games whose states are that large."""

    def game(seed: int, players: int, kind: type[Wide] = Wide) -> Wide:
        made = kind(seed, players)
        made.padding = bytes(1024 * kib)
        return made

    match = Match("bumpers", seed=5, players=2, spectators=1, input_delay=4)
    network = Network(match, seed, Weather(delay_ms=ms), simulation=game)
    kind = type("Broken", (FAULTS["unit"].kind, Wide), {"_fault_frame": 60})
    network.start(0)
    network.start(1, simulation=game(5, 2, kind))
    return network


class Thin(Far):
    """The link to the spectator carries so many bytes a millisecond."""

    link = 0

    def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
        self.journey.uplink = self.link if (sender.me, receiver) == (0, 2) else 0
        super().dispatch(sender, receiver, data)


@pytest.mark.full
@pytest.mark.parametrize("numbers", [8, 1])
def test_a_spectator_follows_over_a_link_with_a_fifth_more_than_the_match_takes(numbers: int):
    path = Path(40, loss=5, jitter_ms=5, burst=2)
    rate = 0.0
    for ms in (5000, 20_000):
        settings = {"numbers": numbers, "bits": 63, "spectators": 1, "path": path}
        network = Thin(journey_of(2, 40, prediction_max=12, **settings))  # type: ignore[arg-type]
        network.link = int(1.2 * rate)
        for me in range(3):
            network.start(me)
        network.run(2000)
        before, begin = network.bytes[0, 2], network.now_ms
        network.run(ms)
        rate = (network.bytes[0, 2] - before) / (network.now_ms - begin)
    host, spectator = network.session(0), network.session(2)
    assert spectator.end is None
    assert host.confirmed - spectator.confirmed < 60


def is_watching(network: Network) -> bool:
    return network.session(2).phase is Phase.RUNNING


LOSSY = [(loss, ms, kib) for loss in (50, 70) for ms in (20, 150, 50) for kib in (8, 64, 1024)]
SEEDS = 40


@pytest.mark.parametrize("case", by_default(2, LOSSY), ids=str)
def test_a_snapshot_takes_no_longer_than_loss_makes_it(
    case: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Remote, "first_difference", lambda self: None)  # noqa: ARG005
    loss, ms, kib = case
    rate, arrives = 1024 * RATE_PIECES, 1 - loss / 100
    expected_ms = 2 * ms / arrives**2 + 1000 * 1024 * kib / (rate * arrives)
    times = []
    for seed in range(max(4, len(rounds(SEEDS if kib < 1024 else SEEDS // 8)))):
        gc.collect()  # the last match: few objects that are large
        network = lossy(kib, seed, ms)
        network.run(1000)
        network.weather, begin = Weather(loss, ms), network.now_ms
        network.start(2)
        assert network.run(round(5 * expected_ms), partial(is_watching, network))
        times.append(network.now_ms - begin)
    assert median(times) <= 2 * expected_ms


@pytest.mark.parametrize("loss", by_default(1, [70, 50]))
def test_both_sides_of_a_desync_get_the_evidence_of_the_other_though_packets_are_lost(loss: int):
    whole, seeds = 0, len(rounds(SEEDS))
    for seed in range(seeds):
        network = lossy(4, seed, 20 + seed % 5 * 30)
        network.run(900)
        network.weather = replace(network.weather, loss=loss)
        assert network.run(60_000, lambda it=network: it.is_over)  # type: ignore[misc]
        desyncs = [network.end_of(me).desync for me in (0, 1)]
        whole += all(desync is not None and desync.sides == [[0], [1]] for desync in desyncs)
    assert whole >= (seeds if loss == 50 else seeds * 9 // 10)


@pytest.mark.full
def test_the_simulator_fails_when_a_joiner_must_catch_up_exactly(monkeypatch: pytest.MonkeyPatch):
    offer = Joining._offer_seat

    def exactly(self: Joining, remote: Remote, now_ms: int) -> None:
        if remote.confirmed + 2 < self.local.all_confirmed():
            remote.accepted = 0
        offer(self, remote, now_ms)

    monkeypatch.setattr(Joining, "_offer_seat", exactly)
    with pytest.raises(AssertionError, match="joiner 2 ended by"):
        travel(journey_of(3, 70, empty_seats=frozenset({2})))


@pytest.mark.full
def test_the_simulator_fails_when_inputs_share_one_packet_a_round_trip(
    monkeypatch: pytest.MonkeyPatch,
):
    def first_packet(self: Outgoing, lacking: list[tuple[int, int, int]], room: int, _now: int):  # type: ignore[no-untyped-def]
        start, high = min(first for _, first, _ in lacking), max(last for *_, last in lacking)
        return self._packed_runs(lacking, start, high, min(room, 540))[:1]

    monkeypatch.setattr(Outgoing, "_many_runs", first_packet)
    with pytest.raises(AssertionError, match="frames"):
        travel(journey_of(2, 50, numbers=16, bits=63))


def narrow() -> Journey:
    """A spectator comes to a match whose links carry little more than its inputs."""
    journey = journey_of(2, 50, prediction_max=6, state_bytes=2**19, spectators=1)
    journey.uplink, journey.starts[2], journey.end_ms = journey.load(), 3500, 6600
    return journey


def test_a_snapshot_over_a_slow_link_is_not_sent_over_and_over():
    size = 2**17
    path = Path(20, loss=30)
    network = Thin(journey_of(2, 20, state_bytes=size, spectators=1, path=path))
    network.link = 60  # Its packets wait and are lost, as the link is full.
    for me in range(3):
        network.start(me)
    assert network.run(30_000, lambda: is_watching(network))
    assert network.bytes[0, 2] < 8 * size


@pytest.mark.full
def test_the_simulator_fails_when_a_transfer_starves_inputs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fixsync.session.blobs.QUEUE_MS_MAX", 10**6)
    monkeypatch.setattr("fixsync.session.blobs._FAST", 1)
    journey = narrow()
    with pytest.raises(AssertionError, match="frames"):
        travel(journey)


@pytest.mark.full
def test_a_transfer_over_a_narrow_link_leaves_room_for_inputs():
    journey = narrow()
    assert journey.is_carried()
    assert travel(journey).session(2).phase is Phase.RUNNING


@pytest.mark.full
def test_the_simulator_fails_when_a_seat_changes_one_frame_early_on_one_peer(
    monkeypatch: pytest.MonkeyPatch,
):
    learn = Seats.learn

    def early(self: Seats, since: list[int]) -> list[int]:
        found = learn(self, since)
        if self.me == 1 and found:
            stream = self.streams[2]
            while stream.next < self.since[2] - 1:
                stream.push(self.idle)
            if stream.next < self.since[2]:
                stream.push(3)
        return found

    monkeypatch.setattr(Seats, "learn", early)
    with pytest.raises(AssertionError, match=r"ended by|confirmed"):
        travel(journey_of(3, 40, empty_seats=frozenset({2})))


def run_each(seeds: list[int], planned: Planned = plan) -> None:
    for seed in seeds:
        run(seed, planned=planned)


SOUND = [
    seed
    for seed in range(60)
    if plan(seed).ends == {Reason.COMPLETED} and plan(seed).match.prediction_max
][:6]
FAULTY = [seed for seed in range(60) if plan(seed).fault][:4]


@pytest.mark.full
def test_the_simulator_fails_when_a_session_goes_back_to_the_wrong_frame(
    monkeypatch: pytest.MonkeyPatch,
):
    take_back = Timeline._take_back

    def wrong(self: Timeline, first: int) -> None:
        self.states[first] = self.states[max(self.first_state, first - 1)]
        take_back(self, first)

    monkeypatch.setattr(Timeline, "_take_back", wrong)
    with pytest.raises(FailedMatchError):
        run_each(SOUND)


@pytest.mark.full
def test_the_simulator_fails_when_nothing_is_ever_let_go(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Local, "let_go", lambda self: None)  # noqa: ARG005
    with pytest.raises(FailedMatchError, match="at most"):
        run_each(SOUND)


@pytest.mark.full
def test_the_simulator_fails_when_a_desync_is_not_noticed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Remote, "first_difference", lambda self: None)  # noqa: ARG005
    with pytest.raises(FailedMatchError):
        run_each(FAULTY)


@pytest.mark.full
def test_the_simulator_fails_when_lost_inputs_are_not_sent_again(monkeypatch: pytest.MonkeyPatch):
    runs = Outgoing._runs

    def first_runs(self: Outgoing, hash_end: int) -> list[Run]:
        return runs(self, hash_end) if self.local.timeline.head < 9 else []

    monkeypatch.setattr(Outgoing, "_runs", first_runs)
    with pytest.raises(FailedMatchError):
        run_each(SOUND)


@pytest.mark.full
def test_the_command_plays_one_seed_and_tells_it():
    command = [sys.executable, File(__file__).parent / "simulator.py", "--seed", "3"]
    done = ran(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Plan(seed=3")
    assert "peer 0: ENDED" in done.stdout

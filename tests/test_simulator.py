"""Whole matches, each out of one seed, and tests of the simulator itself.

`python tests/simulator.py --seconds N` searches other seeds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from liars import LIES, OUTSIDERS, run_lie
from simulator import PLANS, FailedMatchError, Planned, held, plan, play, run

from fixsync.session import Reason, Session
from fixsync.session.outgoing import Outgoing
from fixsync.session.packets import PacketError, Run, Update
from fixsync.session.remote import Local, Remote
from fixsync.session.timeline import Timeline

SHORT = range(2)
LONG = range(2, 300)


@pytest.mark.parametrize("planned", PLANS)
def test_matches_of_fixed_seeds_hold(planned: Planned):
    for seed in SHORT:
        run(seed, planned=planned)


@pytest.mark.full
@pytest.mark.parametrize("planned", PLANS)
@pytest.mark.parametrize("first", range(LONG.start, LONG.stop, 21))
def test_matches_of_many_seeds_hold(planned: Planned, first: int):
    for seed in range(first, min(first + 21, LONG.stop)):
        run(seed, planned=planned)


@pytest.mark.full
@pytest.mark.parametrize("planned", PLANS)
def test_matches_of_fresh_seeds_hold(planned: Planned):
    # A failure names its seed, which repeats it.
    first = int(os.environ.get("FIXSYNC_SIMULATOR_SEED", time.time_ns() // 1000 % 10**12))
    for seed in range(first, first + 15):
        run(seed, planned=planned)


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
    for wanted in ("vacant", "spectators", "prediction_max", "input_delay", "key"):
        assert sum(bool(getattr(made.match, wanted)) for made in plans) > 30, wanted
        assert sum(not getattr(made.match, wanted) for made in plans) > 30, wanted
    assert any(weather.loss == 50 for made in plans for _, weather in made.weather)


@pytest.mark.parametrize("seed", range(len(LIES + OUTSIDERS)), ids=(LIES + OUTSIDERS).__getitem__)
def test_liars_and_outsiders_do_no_more_than_they_may(seed: int):
    run_lie(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(12, 252, 24))
def test_liars_and_outsiders_of_many_seeds_do_no_more_than_they_may(first: int):
    for seed in range(first, first + 24):
        run_lie(seed)


def test_a_lying_host_plays_no_frame_of_a_seat_that_it_has_given_away():
    # The joiner stood still: its seat had inputs from the host only.
    run_lie(702338366707)


def lies_of(kind: str, count: int = 3) -> list[int]:
    kinds = LIES + OUTSIDERS
    return [kinds.index(kind) + at * len(kinds) for at in range(count)]


def run_lies(seeds: list[int]) -> None:
    for seed in seeds:
        run_lie(seed)


def test_the_simulator_fails_when_a_player_who_comes_back_gets_no_input_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(
        Local, "is_made_here", lambda self, seat: seat == self.me or seat in self.seats.sources
    )
    with pytest.raises(FailedMatchError):
        run_each([*range(30)], PLANS[2])


def test_the_simulator_fails_when_no_peer_may_leave_out_hashes(monkeypatch: pytest.MonkeyPatch):
    def refuse(_: Remote, __: Update) -> None:
        raise PacketError("a jump")

    monkeypatch.setattr(Remote, "_check_jump", refuse)
    with pytest.raises(FailedMatchError):
        run_each([0], PLANS[2])  # a host returns
    with pytest.raises(FailedMatchError, match="joined in frame"):
        run_each([0])  # players come late


def test_the_simulator_fails_when_the_newest_address_wins(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Session, "may_move", lambda self, *_: True)  # noqa: ARG005
    with pytest.raises(FailedMatchError, match=r"stood still|to an outsider|ENDED|SILENT"):
        run_lies(lies_of("thief"))


def test_the_simulator_fails_when_inputs_for_any_seat_are_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Local, "is_made_here", lambda self, seat: False)  # noqa: ARG005
    monkeypatch.setattr(Remote, "_decides", lambda self, seat: range(2**32))  # noqa: ARG005
    with pytest.raises(FailedMatchError, match=r"not what it gave|were invented"):
        run_lies(lies_of("seat"))


def test_the_simulator_fails_when_who_is_done_is_not_compared(monkeypatch: pytest.MonkeyPatch):
    has_all = Remote.has_all
    monkeypatch.setattr(Remote, "has_all", lambda self, at: self.is_done or has_all(self, at))
    with pytest.raises(FailedMatchError, match="completed without hash"):
        run_lies(lies_of("done", 6))


def run_each(seeds: list[int], planned: Planned = plan) -> None:
    for seed in seeds:
        run(seed, planned=planned)


SOUND = [
    seed
    for seed in range(60)
    if plan(seed).ends == {Reason.COMPLETED} and plan(seed).match.prediction_max
][:6]
FAULTY = [seed for seed in range(60) if plan(seed).fault][:4]


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


def test_the_command_plays_one_seed_and_tells_it():
    command = [sys.executable, Path(__file__).parent / "simulator.py", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Plan(seed=3")
    assert "peer 0: ENDED" in done.stdout

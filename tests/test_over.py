"""A simulation that says when its match is over: sessions end with it, on every peer alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from bumpers import Bumpers, inputs
from network import Network, Peer, Weather
from tools import Run, by_default

from fixsync import GameEvent
from fixsync.log import Verdict, replay
from fixsync.match.sim import Input, start
from fixsync.session import Match, Reason, TakenBack
from fixsync.synctest import assert_peers_agree
from fixsync.synctest.checks import run_check
from fixsync.synctest.straight import bot_inputs, run_straight, write_log

WEATHER = Weather(loss=10, delay_ms=60, jitter_ms=80)
MEETINGS = 6


class Ended(Bumpers):
    """Bumpers until some meetings have been. It fails when it is stepped then."""

    name = "ended"

    @property
    def is_over(self) -> bool:
        return sum(self.met) >= MEETINGS

    def step(self, inputs: Sequence[Input]) -> Any:
        assert not self.is_over, "a match that is over was stepped"
        return super().step(inputs)


class Clock(Ended):
    """It counts its own steps, rollbacks included: the end is of no state."""

    name = "clock"
    steps = 0

    @property
    def is_over(self) -> bool:
        return self.steps >= 40

    def step(self, inputs: Sequence[Input]) -> Any:
        self.steps += 1
        return Bumpers.step(self, inputs)


class Playing(Network):
    """Peers complete the match when it is over."""

    def check_completed(self, peer: Peer) -> None:
        frames = {
            life.witness.next_frame
            for life in self.history
            if life.is_up and life.epoch and self.match.is_player(life.me)
        }
        assert frames == {peer.session.confirmed}


def played(
    simulation: Callable[[int, int], Bumpers], seed: int, *spectators: int, **settings: Any
) -> Playing:
    name = simulation.name  # type: ignore[attr-defined]
    match = Match(name, **{"seed": seed, "players": 4, "spectators": len(spectators), **settings})
    network = Playing(match, seed, WEATHER, simulation=simulation).start_all(*spectators)
    assert network.run(120_000, lambda: network.is_over)
    return network


def frames_of(seed: int, network: Network) -> int:
    """How long the match is whose inputs the peers confirmed, stepped straight."""
    made = Ended(seed, network.match.players)
    given = network.peers[0].witness.inputs
    for frame in range(len(given)):
        assert not made.is_over
        made.step(given[frame])
    assert made.is_over
    return made.world.frame


@pytest.mark.parametrize("prediction_max", by_default(1, [8, 0]))
def test_a_match_is_completed_on_all_peers_after_the_frame_that_ended_it(
    prediction_max: int,
) -> None:
    rolled_back = 0
    for seed in range(3 if prediction_max else 1):
        network = played(Ended, seed, 4, prediction_max=prediction_max, input_delay=1)
        network.check_agreement()
        frames = frames_of(seed, network)
        for me, peer in network.peers.items():
            end = network.end_of(me)
            assert (end.reason, end.frame) == (Reason.COMPLETED, frames)
            whom = "all players" if network.match.is_player(me) else f"peers 0 and {me}"
            assert end.text == f"all {frames} frames are the same on {whom}, and the match is over"
            assert peer.session.simulation.hash() == peer.witness.hashes[frames - 1]
            rolled_back += peer.session.rollbacks
    assert (rolled_back > 0) == (prediction_max > 0)


@pytest.mark.full
def test_a_match_of_a_fixed_length_ends_when_it_is_over_if_that_is_earlier() -> None:
    network = played(Ended, 3)
    frames = frames_of(3, network)
    for length, text in ((frames - 1, ""), (frames + 1, ", and the match is over")):
        end = played(Ended, 3, frames=length).end_of(0)
        assert end.text == f"all {min(frames, length)} frames are the same on all players{text}"


def test_what_was_predicted_after_an_end_is_taken_back() -> None:
    """Peer 0 steps on guesses beyond the frame that, with the real input, ends the match."""
    reported: list[Any] = []

    class Ending(Bumpers):
        name = "ending"
        event_kinds: ClassVar[Any] = __import__("enum").IntEnum("Kind", {"TICK": 16})
        is_over = False

        def step(self, inputs: Sequence[Input]) -> Any:
            assert not self.is_over
            events = super().step(inputs)
            self.is_over = inputs[1] == 4
            return [*events, GameEvent(self.world.frame, 0, 16, 0)]

        def load(self, data: bytes) -> None:
            super().load(data[1:])
            self.is_over = bool(data[0])

        def save(self) -> bytes:
            return bytes([self.is_over]) + super().save()

    match = Match("ending", seed=1, players=2, input_delay=0)
    network = Playing(match, 1, Weather(delay_ms=50), simulation=Ending).start_all()
    played = [iter([0] * 20 + [3] * 10_000), iter([0] * 20 + [4] * 10_000)]
    for me in (0, 1):
        network.peers[me].play = lambda me=me: next(played[me])  # type: ignore[misc]
    hear = network.peers[0].witness.hear

    def listen(notice: Any) -> None:
        reported.append(notice)
        hear(notice)

    network.peers[0].witness.hear = listen  # type: ignore[method-assign]
    assert network.run(60_000, lambda: network.is_over)
    end = network.end_of(0)
    assert end.reason is Reason.COMPLETED
    network.check_agreement()
    gone = [notice for notice in reported if isinstance(notice, TakenBack)]
    beyond = [notice.frame for notice in gone if notice.frame >= end.frame]
    assert beyond == list(range(end.frame, end.frame + len(beyond)))
    assert beyond, "the peer was never ahead of the end"
    assert not any(network.peers[0].witness.shown.values()), (
        "what was shown and did not happen still stands"
    )


def test_a_player_who_comes_back_when_the_match_is_nearly_over_completes_it() -> None:
    class Timed(Ended):
        name = "timed"

        @property
        def is_over(self) -> bool:
            return self.world.frame >= 40

    for at in range(36, 41):
        match = Match("timed", seed=4, players=2, prediction_max=8)
        network = Playing(match, 4, Weather(delay_ms=20), simulation=Timed).start_all()
        host = network.session(0)
        while host.confirmed < at:
            network.tick()
        network.restart(1, 300)
        while not network.is_over:
            network.tick()
        ends = [network.end_of(me) for me in (0, 1)]
        assert [(end.reason, end.frame) for end in ends] == [(Reason.COMPLETED, 40)] * 2
        network.check_agreement()


def test_an_end_that_is_made_of_what_is_not_saved_is_a_desync_that_says_so() -> None:
    network = played(Clock, 2, input_delay=0)
    end = network.end_of(0)
    assert end.reason is Reason.DESYNC
    reported = end.desync.explain()  # type: ignore[union-attr]
    assert "is_over is" in reported
    assert "the states are the same: is_over depends on something that is not saved" in reported
    divergence = run_check("save and load", run_straight(Clock, 2, 4, inputs(60)))
    assert divergence is not None
    assert "is_over is False then, and True in the straight run" in divergence.explain()


@pytest.mark.full
def test_runs_and_bots_stop_when_the_match_is_over() -> None:
    straight = run_straight(Ended, 1, 4, inputs(150))
    assert straight.is_over
    assert straight.frames == len(straight.states) - 1 < 600
    for check in ("save and load", "rollback", "order"):
        assert run_check(check, straight) is None
    assert_peers_agree(Ended, inputs(150), processes=False)

    class WithBots(Ended):
        @classmethod
        def bot(cls, player: int, _seed: int) -> Any:
            given = iter(inputs(150))
            return type("Bot", (), {"decide": lambda _, __: next(given)[player]})()

    assert len(bot_inputs(WithBots, 1, 4, 600)) == straight.frames


def test_a_replay_says_after_which_frame_the_match_is_over(tmp_path: Path, run: Run) -> None:
    whole, longer = tmp_path / "whole.jsonl", tmp_path / "longer.jsonl"
    straight = run_straight(Ended, 1, 4, inputs(150))
    write_log(straight, whole)
    result = replay(whole, simulations={"ended": Ended})
    assert (result.verdict, result.over_after) == (Verdict.IDENTICAL, straight.frames - 1)
    text = whole.read_text().replace('"sim":"ended"', '"sim":"bumpers"')
    longer.write_text("".join(text.splitlines(keepends=True)[:-1]))
    assert replay(longer, simulations={"bumpers": Bumpers}).over_after is None
    code, out, _ = run("replay", whole, "--sim", "test_over:Ended")
    assert (code, f"the match is over after frame {straight.frames - 1}" in out) == (0, True)


@pytest.mark.parametrize(
    ("over", "error"),
    [
        (
            lambda: False,
            "is_over of a simulation must be True or False, not .*: make it a property",
        ),
        (0, "is_over of a simulation must be True or False, not 0$"),
        (True, "simulation bumpers: must not be over at frame 0"),
    ],
)
def test_an_end_that_is_no_bool_or_is_there_at_the_start_is_refused(over: Any, error: str) -> None:
    kind = type("Wrong", (Bumpers,), {"is_over": over})
    with pytest.raises((TypeError, ValueError), match=error):
        start(kind, 1, 2)

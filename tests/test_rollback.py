"""Peers of `fxs_rollback`: they agree over a bad network, and say when a game does not."""

from __future__ import annotations

from typing import Any

import pytest
from rollback_peers import Duel, Match, Peer, RaisedError, pressed
from tools import by_default

from fixsync._native.raw import lib

FAULTS = ("unsaved", "static", "clock", "float", "reaction")
PARTS = {
    "unsaved": lib.FXS_PART_SHOWN,
    "static": lib.FXS_PART_WORLD,
    "clock": lib.FXS_PART_WORLD,
    "float": lib.FXS_PART_WORLD,
    "reaction": lib.FXS_PART_OWN,
}


def alone(frames: int, players: int, seed: int = 1, start: int = 0, delay: int = 0) -> list[Any]:
    """What every peer must have confirmed: a game that is stepped once, with all inputs."""
    game, found = Duel(players, start), []
    early: list[bytes] = []
    for frame in range(frames):
        inputs = tuple(
            tuple(pressed(seed, player, start + frame - delay)) if frame >= delay else (0,)
            for player in range(players)
        )
        before, after, events, hash = game.step(inputs)
        own = sum(row[2] >= 16 for row in events)
        rows = b"".join(early + before)
        found.append(((start + frame) % 2**32, inputs, rows, tuple(events), own, hash))
        early = after
    return found


@pytest.mark.parametrize("start", by_default(1, [0, 2**32 - 100]))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"check": 5},
        {"check": 1},
        {"prediction_max": 0, "input_delay": 4},
        {"prediction_max": 20, "input_delay": 2},
    ],
)
@pytest.mark.parametrize("count", by_default(2, [2, 4, 3]))
def test_peers_confirm_what_a_game_alone_computes(
    count: int, settings: dict[str, Any], start: int
) -> None:
    match = Match(count, seed=count, start=start, jitter_ms=60, loss=0.1, **settings)
    match.run(250)
    match.loss = 0
    alone_ = alone(260, count, count, start, settings.get("input_delay", 0))
    for peer in match.peers:
        confirmed = peer.heard.confirmed
        assert len(confirmed) > 200
        assert confirmed == alone_[: len(confirmed)]
        assert peer.desync is None
        # Without a prediction that stands, what was shown and not taken back was right.
        for frame, _, _, events, _, _ in confirmed:
            left = list(events)
            for row in peer.heard.shown.get(frame, []):
                left.remove(row)
    assert match.statuses == {lib.FXS_OK}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sync_test_names_frame_and_part_of_a_planted_fault(fault: str) -> None:
    Duel.counter = 0
    peer = Peer(Duel(2, 0, fault), [0, 0], check=8)
    frames = 0
    while peer.desync is None:
        assert frames < 300
        peer.tick([pressed(1, player, frames) for player in range(2)])
        frames += 1
    found = peer.desync
    assert found.part == PARTS[fault]
    assert found.players == found.peer == 0
    assert frames - found.frame <= 16
    assert found.ours[found.part] != found.theirs[found.part]


@pytest.mark.parametrize("fault", FAULTS)
def test_two_peers_name_frame_and_part_of_a_planted_fault(fault: str) -> None:
    Duel.counter = 0
    match = Match(2, faults=(fault, fault))
    match.run(2000, lambda: any(peer.desync for peer in match.peers))
    peer = next(peer for peer in match.peers if peer.desync)
    found = peer.desync
    assert found.part == PARTS[fault]
    assert found.peer == 1
    assert found.players == 2 - match.peers.index(peer)
    assert peer.pace.head - found.frame <= 40


def test_a_good_game_passes_the_sync_test() -> None:
    peer = Peer(Duel(3), [0, 0, 0], check=8)
    for frame in range(2000):
        peer.tick([pressed(1, player, frame) for player in range(3)])
    assert peer.desync is None
    confirmed = peer.heard.confirmed
    assert confirmed == alone(2000, 3)[: len(confirmed)]
    assert len(confirmed) == 1991


def test_a_game_that_raises_in_the_middle_loses_nothing() -> None:
    match = Match(2, seed=5, jitter_ms=30)
    count = [0]

    def sometimes(request: tuple[Any, ...]) -> bool:
        count[0] += 1
        return request[0] in ("load", "step") and count[0] % 7 == 0

    match.peers[1].raise_in = sometimes
    while match.peers[0].pace.head < 300:
        try:
            match.turn()
        except RaisedError:
            match.due[1] += 16
    for peer in match.peers:
        confirmed = peer.heard.confirmed
        inputs = [row[1] for row in confirmed]
        assert len(confirmed) > 250
        assert [row[0] for row in confirmed] == list(range(len(confirmed)))
        assert inputs
    first, second = (peer.heard.confirmed for peer in match.peers)
    shared = min(len(first), len(second))
    assert first[:shared] == second[:shared]
    assert all(peer.desync is None for peer in match.peers)

"""The example of a network game: the game itself, and its window without a screen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tools import needs, needs_loopback, windows_play

from fixsync.log.replay import Verdict, replay
from fixsync.synctest import assert_peers_agree
from fixsync.synctest.straight import bot_inputs

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
sys.path.append(str(EXAMPLES))
from pygame_duel import ROUNDS, Duel  # noqa: E402 - it is where the path says since a line ago


def test_peers_of_the_duel_agree() -> None:
    assert_peers_agree(Duel, bot_inputs(Duel, 1, 2, 60), processes=False)


def test_a_duel_is_fought_to_its_end() -> None:
    duel, bots = Duel(1, 2), [Duel.bot(player, 1) for player in range(2)]
    for _ in range(20_000):
        duel.step([bot.decide(duel) for bot in bots])
        if duel.is_over:
            break
    assert max(player.score for player in duel.state.players) == ROUNDS


def test_a_state_of_another_game_is_refused() -> None:
    duel = Duel(1, 2)
    for wrong in (b"", duel.save()[:20], b"\xff" * 14 + duel.save()[14:], Duel(1, 2).world.save()):
        state = duel.save()
        with pytest.raises(ValueError):
            duel.load(wrong)
        assert duel.save() == state


@needs_loopback
@pytest.mark.full
def test_two_windows_play_one_match(tmp_path: Path) -> None:
    needs("pygame")
    logs = [tmp_path / "host.jsonl", tmp_path / "guest.jsonl"]
    ends = "^completed: all 90 frames are the same"
    windows_play(EXAMPLES / "pygame_duel.py", logs, ["--frames", "90"], ends)
    assert replay(logs[0], simulations={"duel": Duel}).verdict is Verdict.IDENTICAL

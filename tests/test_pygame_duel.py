"""The example of a network game: the game itself, and its window without a screen."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tools import needs, needs_loopback

from fixsync.log.replay import Verdict, replay
from fixsync.synctest import assert_peers_agree
from fixsync.synctest.checks import bot_inputs

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
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    logs = {tmp_path / "host.jsonl": [], tmp_path / "guest.jsonl": ["127.0.0.1"]}
    options = ["--bot", "--frames", "90", "--port", port, "--log"]
    started = [
        subprocess.Popen(
            [sys.executable, EXAMPLES / "pygame_duel.py", *options, log, *address],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for log, address in logs.items()
    ]
    for process in started:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert re.search("^completed: all 90 frames are the same", out, re.MULTILINE), out
    host, guest = logs
    assert host.read_bytes() == guest.read_bytes()
    assert replay(host, simulations={"duel": Duel}).verdict is Verdict.IDENTICAL

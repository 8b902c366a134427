"""The examples: whole matches in integers, the same every time, whose logs replay."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from tools import needs, needs_loopback, ran, windows_play

from fixsync import LEVEL, EventKind
from fixsync.log.reader import Reader
from fixsync.log.replay import Verdict, replay
from fixsync.synctest import assert_peers_agree
from fixsync.synctest.straight import bot_inputs, run_straight

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
ALL = sorted(path.stem for path in EXAMPLES.glob("*.py"))
NAMES = [name for name in ALL if not name.startswith("pygame_")]
"""Those that play a match by themselves and write its log."""
sys.path.append(str(EXAMPLES))
from arena import Arena  # noqa: E402 - it is where the path says since a line ago
from brawl import Brawl  # noqa: E402

GAMES = {"arena": Arena, "brawl": Brawl}


def play(name: str, path: Path, seed: int = 1) -> str:
    command = [sys.executable, "-W", "error", EXAMPLES / f"{name}.py", str(path), str(seed)]
    return ran(command, check=True).stdout


@pytest.fixture(scope="module", params=NAMES)
def match(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, str]:
    """Of each example: its name, the log of a match, and what it printed."""
    path = tmp_path_factory.mktemp(request.param) / "match.jsonl"
    return request.param, path, play(request.param, path)


def test_an_example_plays_a_match_that_replays(match: tuple[str, Path, str]) -> None:
    _, path, reported = match
    played = replay(path, simulations=GAMES)
    assert played.verdict == Verdict.IDENTICAL
    assert played.compared.events == played.compared.hashes == played.frames
    assert f"{played.frames} frames" in reported


@pytest.mark.full
def test_an_example_is_the_same_twice_and_another_with_another_seed(
    match: tuple[str, Path, str], tmp_path: Path
) -> None:
    name, path, reported = match
    for seed in (1, 2):
        again = play(name, tmp_path / "match.jsonl", seed)
        is_same = (tmp_path / "match.jsonl").read_bytes() == path.read_bytes()
        assert is_same == (seed == 1)
        if is_same:
            assert again.split(": ")[1] == reported.split(": ")[1]


def test_every_pair_of_layers_that_matters_meets_in_an_example(
    match: tuple[str, Path, str],
) -> None:
    """Or the example would show nothing: each enabled pair of layers has an ENTER and an EXIT."""
    name, path, _ = match
    met: dict[tuple[int, int], set[int]] = {}
    with Reader(path) as reader:
        enabled = {tuple(sorted(pair)) for pair in reader.header.layers or ()}
        layers = {LEVEL + i: solid.layer for i, solid in enumerate(reader.header.level or ())}
        if name in GAMES:
            layers |= {it.id: it.layer for it in GAMES[name](1, 2).world.colliders()}
        for frame in reader:
            for command in getattr(frame, "commands", ()):
                if type(command).__name__ == "Add":
                    layers[command.id] = command.layer
            for a, b, kind, _ in frame.events:  # type: ignore[misc]
                met.setdefault(tuple(sorted((layers[a], layers[b]))), set()).add(kind)  # type: ignore[arg-type]
    both = {EventKind.ENTER, EventKind.EXIT}
    assert {pair for pair, kinds in met.items() if kinds >= both} == enabled


@pytest.mark.parametrize("name", ALL)
def test_an_example_computes_with_integers_only(name: str) -> None:
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float()) | ast.Div():
                pytest.fail(f"a float: {ast.dump(node)}")
            case ast.Name(id=used):
                assert used not in ("float", "round", "hash", "set")
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                used_modules = {getattr(node, "module", None), *(alias.name for alias in aliases)}
                # A window's clock says when to step, not what comes of it.
                allowed = {"time"} if name.startswith("pygame_") else set()
                assert not used_modules & {"math", "random", "time", "os"} - allowed


@pytest.mark.parametrize("name", NAMES)
def test_an_example_says_how_it_is_run(name: str) -> None:
    text = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8")))
    assert text is not None
    assert re.search(rf"python examples/{name}\.py \[LOG\] \[SEED\] +\({name}\.jsonl, 1\)", text)
    assert f"fixsync replay {name}.jsonl" in text


@pytest.mark.full
@pytest.mark.parametrize("name", GAMES)
def test_an_example_of_a_simulation_keeps_its_promises_between_peers(name: str) -> None:
    game = GAMES[name]
    assert_peers_agree(game, bot_inputs(game, 3, 2, 90))


def test_a_goal_and_a_knock_out_end_their_matches_with_an_event() -> None:
    for game, last in ((Arena, 5), (Brawl, None)):
        straight = run_straight(game, 2, 2, bot_inputs(game, 2, 2, 60 * 60))
        assert straight.is_over
        (event,) = straight.game[-1]
        assert last in (None, event.value)
        assert not any(straight.game[:10])


@needs_loopback
@pytest.mark.full
def test_two_windows_fight_one_match_to_its_end(tmp_path: Path) -> None:
    needs("pygame")
    logs = [tmp_path / "host.jsonl", tmp_path / "guest.jsonl"]
    ends = "^completed: all .* and the match is over$"
    windows_play(EXAMPLES / "pygame_brawl.py", logs, [], ends)
    played = replay(logs[0], simulations=GAMES)
    assert (played.verdict, played.over_after) == (Verdict.IDENTICAL, played.frames - 1)

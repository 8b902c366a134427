"""The simulations that pyproject.toml names, and what the commands do with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools import needs_loopback

from fixsync.cli import fixsync
from fixsync.cli.options import chosen_simulation

GAME = Path(__file__).parent / "bumpers.py"

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no tomllib")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that names its simulation, in a module that is only there; this is in a folder
    below it."""
    (tmp_path / "my_game.py").write_text(
        GAME.read_text(encoding="utf-8").replace('"bumpers"', '"my game"')
        + """
    @classmethod
    def bot(cls, player, seed):
        return Bot(player + seed)


class Bot:
    def __init__(self, seed):
        self.random = Random(seed)

    def decide(self, simulation):
        return self.random.below(5)
""",
        encoding="utf-8",
    )
    name_simulation(tmp_path, '"my_game:Bumpers"')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "my_game", raising=False)
    return tmp_path


def name_simulation(folder: Path, value: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.fixsync]\nsim = {value}\n", encoding="utf-8")


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(fixsync, list(words))
    return done.exit_code, done.output


def test_the_nearest_file_with_the_table_names_the_simulation(project: Path) -> None:
    (project / "below" / "pyproject.toml").write_text("[tool.other]\nfixsync = 1\n")
    assert chosen_simulation(None) == "my_game:Bumpers"
    name_simulation(project / "below", '["a:B", "my_game:Bumpers"]')
    assert chosen_simulation(None) == "a:B"
    assert chosen_simulation("c:D") == "c:D"


def test_without_a_file_that_names_one_the_sample_is_played(project: Path) -> None:
    (project / "pyproject.toml").unlink()
    assert chosen_simulation(None) == "skillfight"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[tool.fixsync]\nsim = 1", "must be a text or a list of texts, not 1"),
        ("[tool.fixsync]\nsim = [1]", "must be a text or a list of texts, not [1]"),
        ('[tool.fixsync]\nsims = "a:B"', "has the key sim alone, not 'sims'"),
        ("[tool.fixsync\n", "pyproject.toml: "),
        ('[tool.fixsync]\nsim = "nowhere:B"', "there is no module nowhere"),
    ],
)
def test_a_file_that_is_wrong_is_named(project: Path, text: str, reported: str) -> None:
    (project / "pyproject.toml").write_text(text)
    for command in (["synctest"], ["peers"], ["demo"]):
        code, output = run(*command)
        assert code != 0
        assert reported in " ".join(output.split())


def test_a_log_is_replayed_with_the_simulation_that_the_file_names(project: Path) -> None:
    code, output = run("synctest", "--frames", "20", "--check", "order", "-o", "x.jsonl")
    assert (code, output.splitlines()[0].split(":")[0]) == (0, "my game")
    from fixsync.synctest.straight import bot_inputs, run_straight, write_log

    made = sys.modules["my_game"].Bumpers
    write_log(run_straight(made, 1, 2, bot_inputs(made, 1, 2, 20)), Path("log.jsonl"))
    assert run("replay", "log.jsonl")[0] == 0
    (project / "pyproject.toml").unlink()
    assert run("replay", "log.jsonl")[0] == 2, "a log names no module"
    assert run("replay", "log.jsonl", "--sim", "my_game:Bumpers")[0] == 0


@pytest.mark.full
@needs_loopback
def test_peers_play_a_game_of_the_user_and_catch_a_fault_in_it(project: Path) -> None:
    options = ["--frames", "60", "--rate", "0", "--json"]
    code, output = run("peers", *options, "--fault", "unit@20", "-o", str(project / "out"))
    reported = json.loads(output)
    assert (code, [peer["reason"] for peer in reported["peers"]]) == (1, ["DESYNC"] * 2)
    assert reported["peers"][1]["diverged_frame"] == 20, "the log of the faulty peer"
    assert "collider 0, x" in reported["peers"][0]["explanation"]


@needs_loopback
@pytest.mark.full
@pytest.mark.usefixtures("project")
def test_demo_and_peers_play_a_game_of_the_user_to_its_end() -> None:
    options = ["--frames", "200", "--loss", "10", "--json"]
    three = ["--players", "3"]
    for extra in (["--spectators", "1"], ["--lockstep"], [*three, "--restart", "20"]):
        code, output = run("peers", *options, *extra)
        assert code == 0, output
    code, output = run("peers", *options, *three, "--late", "30")
    reported = json.loads(output)
    assert (code, [peer["reason"] for peer in reported["peers"]]) == (0, ["COMPLETED"] * 3), output
    assert reported["peers"][2]["parts"][0]["first_frame"] >= 30
    code, output = run("demo", "--frames", "60", "--no-open", "--json")
    assert code == 0, output
    assert Path(json.loads(output)["page"]).exists()

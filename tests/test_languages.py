"""Two languages in one match: peers in C, C#, JavaScript, Python and Rust, one process each, play one
small game over a bad network, and write equal logs. languages/peer.py has the game.

A peer reads a line for each of its frames: its input, then the packets that came. It answers: its
head, its first frame that is not confirmed, whether a frame differs, and its packet."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builds import COMPILER, CSRC, Builds
from languages.peer import Pit
from network import Weather
from rollback_peers import Match

from fixsync.log.replay import Verdict, replay

HERE = Path(__file__).resolve().parent / "languages"
BINDINGS = HERE.parent.parent / "bindings"
FULL_FRAMES = 3600
NEEDS = {
    "C": COMPILER,
    "C#": "mcs",
    "JavaScript": "node",
    "Python": sys.executable,
    "Rust": "rustc",
}
LANGUAGES = list(NEEDS)


def pairs() -> Iterator[Any]:
    """Every two languages; without --release each with two others."""
    for (i, a), (j, b) in itertools.combinations(enumerate(LANGUAGES), 2):
        is_next = j - i in (1, len(LANGUAGES) - 1)
        yield pytest.param((a, b), marks=() if is_next else pytest.mark.release, id=f"{a} and {b}")


def called(*command: object) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def library(builds: Builds, to: Path) -> None:
    to.mkdir(exist_ok=True)
    called(COMPILER, "-shared", builds.object(), "-o", to / "libfixsync.so")


def build_c(builds: Builds, to: Path) -> None:
    to.mkdir(exist_ok=True)
    called(COMPILER, f"-I{CSRC}", HERE / "peer.c", builds.object(), "-o", to / "peer")


def build_csharp(builds: Builds, to: Path) -> None:
    library(builds, to)
    files = sorted((BINDINGS / "csharp" / "Runtime").glob("*.cs"))
    called(
        "mcs", "-unsafe", "-langversion:7.2", f"-out:{to / 'peer.exe'}", *files, HERE / "Peer.cs"
    )


def build_rust(builds: Builds, to: Path) -> None:
    """The crates as they are, without those of the registry."""
    library(builds, to)
    rust = ["rustc", "--edition=2024", "-O", f"-L{to}", "--cap-lints=allow", f"--out-dir={to}"]
    used: list[str] = []
    for name in ("fixsync_sys", "fixsync"):
        source = BINDINGS / "rust" / name.replace("_", "-") / "src" / "lib.rs"
        called(*rust, "--crate-type=rlib", f"--crate-name={name}", *used, source)
        used += ["--extern", f"{name}={to / f'lib{name}.rlib'}"]
    called(*rust, *used, "-ldylib=fixsync", HERE / "peer.rs")


BUILDS = {"C": build_c, "C#": build_csharp, "Rust": build_rust}


def command_of(language: str, builds: Builds) -> list[str]:
    """What starts a peer, built by the first test that asks."""
    needed = NEEDS[language]
    if needed is None or shutil.which(needed) is None:
        pytest.skip(f"no {needed} here")
    if language in BUILDS:
        build = BUILDS[language]
        made = builds.made(f"peer-{needed}", lambda to: build(builds, to))
        program = ["mono", str(made / "peer.exe")] if language == "C#" else [str(made / "peer")]
        return ["env", f"LD_LIBRARY_PATH={made}", *program]
    return [needed, str(HERE / ("peer.py" if language == "Python" else "peer.mjs"))]


class Peer:
    """A process that is a peer, as `rollback_peers.Match` uses a `Rollback`."""

    def __init__(
        self, start: Sequence[str], log: Path, peers: Sequence[int], frames: int, random: bytes
    ) -> None:
        self.log = log
        arguments = [*start, str(peers.index(0)), random.hex()[:16], str(log), str(frames)]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.came: list[str] = []
        self.pressed = ""
        self.now, self.differs = SimpleNamespace(head=0, first=0, is_connected=True), False

    def pace(self) -> SimpleNamespace:
        return self.now

    def receive(self, _: int, data: bytes) -> None:
        self.came.append(data.hex())

    def advance(self, inputs: Sequence[Sequence[int]]) -> list[Any]:
        self.pressed = ",".join(map(str, inputs[0]))
        return []

    def packet(self, _: int) -> bytes:
        assert self.process.stdin
        assert self.process.stdout
        print(self.pressed, *self.came, file=self.process.stdin, flush=True)
        self.came.clear()
        head, first, differs, packet = self.process.stdout.readline().split()
        self.now = SimpleNamespace(head=int(head), first=int(first), is_connected=True)
        self.differs = differs == "1"
        return bytes.fromhex(packet)

    def end(self) -> bytes:
        self.process.communicate()
        assert self.process.returncode == 0
        return self.log.read_bytes()


@pytest.fixture
def started(builds: Builds, tmp_path: Path) -> Iterator[Any]:
    made: list[Peer] = []

    def start(languages: Sequence[str], frames: int, seed: int) -> Match:
        commands = [command_of(language, builds) for language in languages]

        def peer(_: object, peers: Sequence[int], random: bytes, numbers: int) -> Peer:
            assert numbers == 2
            me = len(made)
            made.append(Peer(commands[me], tmp_path / f"{me}.jsonl", peers, frames, random))
            return made[-1]

        weather = Weather(loss=5, delay_ms=40, jitter_ms=40)
        return Match(2, seed=seed, game=lambda *_: None, peer=peer, weather=weather, numbers=2)

    yield start
    for peer in made:
        peer.process.kill()
        peer.process.communicate()


def check_pair(started: Any, pair: Sequence[str], frames: int) -> None:
    match = started(pair, frames, seed=len("".join(pair)))
    while min(peer.pace().first for peer in match.peers) < frames:
        match.turn()
        assert not any(peer.differs for peer in match.peers), pair
    first, second = (peer.end() for peer in match.peers)
    assert first == second
    played = replay(match.peers[0].log, simulations={"pit": Pit})
    assert (played.verdict, played.frames) == (Verdict.IDENTICAL, frames)
    assert played.compared.states == played.compared.hashes == played.compared.game == frames


def test_a_match_of_c_and_python_has_one_log(started: Any) -> None:
    check_pair(started, ("C", "Python"), 300)


@pytest.mark.full
@pytest.mark.parametrize("pair", [*pairs()])
def test_a_match_of_two_languages_has_one_log(started: Any, pair: Sequence[str]) -> None:
    check_pair(started, pair, FULL_FRAMES)

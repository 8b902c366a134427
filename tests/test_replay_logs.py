"""The matches of replay_logs/ come to their goldens, to the model's answers, and to themselves
again.
"""

from __future__ import annotations

import csv
import importlib.util
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import model
import pytest
from logs import write_values
from model_level import LevelWorld, checked_solid
from strategies import KINDS, POLYGONS, rounds

from fixsync._native.kernel import semantics
from fixsync.base.files import Source
from fixsync.log import lines, schema
from fixsync.log.reader import Reader
from fixsync.log.replay import Verdict, replay

FOLDER = Path(__file__).parent.parent / "replay_logs"
with (FOLDER / "goldens.csv").open(encoding="utf-8", newline="") as file:
    GOLDENS = {row["log"]: row for row in csv.DictReader(file)}

CAST_CONTACTS = 40
"""How many contacts it takes about as long as to cast at one collider."""


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.jsonl.gz"


def text_of(path: Path) -> bytes:
    with Source(path) as source:
        return b"".join(source)


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_replay_logs", FOLDER / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_log_has_its_golden_its_maker_and_its_line_in_the_readme(
    generate: ModuleType,
) -> None:
    files = {path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl*")}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert files == set(GOLDENS) == set(generate.MATCHES)
    assert all(f"| `{name}` |" in readme for name in files)


@pytest.mark.parametrize("name", GOLDENS)
def test_a_log_replays_as_identical_and_comes_to_its_golden(name: str) -> None:
    result = replay(path_of(name))
    assert result.verdict is Verdict.IDENTICAL, result.error or result.difference
    golden = GOLDENS[name]
    assert (str(result.frames), str(result.hits), result.hash) == (
        golden["frames"],
        golden["hits"],
        golden["hash"],
    )
    assert result.compared.events == result.compared.hashes == result.frames


@pytest.mark.parametrize("name", GOLDENS)
def test_a_match_that_is_played_again_is_recorded_as_the_same_text(
    name: str, generate: ModuleType, tmp_path: Path
) -> None:
    """The text, not the file: how well it is compressed depends on the zlib at hand. It is that of
    any kernel with these answers, so the number of its semantics, which the first line has now, is
    left out, and with it the last line's digest."""
    again, before = (
        text_of(path).split(b"\n") for path in (generate.record(name, tmp_path), path_of(name))
    )
    assert again[0] == before[0][:-1] + b',"semantics":%d}' % semantics()
    assert again[1:-2] == before[1:-2]


@pytest.mark.parametrize("name", GOLDENS)
def test_the_model_gives_the_same_answers(name: str) -> None:
    """As many of a log's first frames as the model, which is slow, plays in a second."""
    with Reader(path_of(name)) as reader:
        head = reader.header
        solids = [checked_solid(solid.as_tuple()) for solid in head.level or ()]
        about = head.hit_when, head.layers
        world = (
            model.ModelWorld(head.capacity, *about)
            if head.level is None
            else LevelWorld(head.capacity, solids, *about)
        )
        contacts, contacts_max = 0, len(rounds(60_000))
        for frame in reader:
            commands: list[Any] = lines.plain(frame.commands)
            events, answers = world.play_frame(commands)
            assert [list(event) for event in events] == lines.plain(frame.events), frame.frame
            assert answers == lines.plain(frame.queries), frame.frame
            assert f"{world.hash():016x}" == frame.hash, frame.frame
            casts = sum(isinstance(command, schema.Cast) for command in frame.commands)
            met = len(world.colliders) // 2 + len(solids)
            contacts += len(world.colliders) * (met + CAST_CONTACTS * casts)
            if contacts > contacts_max and reader.frames > 1:
                break


@pytest.mark.parametrize("name", GOLDENS)
def test_a_log_is_canonical_and_small(name: str, tmp_path: Path) -> None:
    path, copy = path_of(name), tmp_path / "copy.jsonl"
    with Reader(path) as reader:
        write_values(copy, reader.header, reader)
    assert copy.read_bytes() == text_of(path)
    assert path.stat().st_size < 300_000


def test_bodies_that_mirror_each_other_hit_alike() -> None:
    """In `turned`, each odd id is the mirror image of the even one before it, on a floor of its
    own.
    """
    with Reader(path_of("turned")) as reader:
        for frame in reader:
            bodies = [event for event in frame.events if event[1] < 12]
            even = [event for event in bodies if event[0] % 2 == 0]
            odd = [(a - 1, b - 1, kind, contact) for a, b, kind, contact in bodies if a % 2]
            assert even == odd
            assert len(even) + len(odd) == len(bodies)


def test_together_the_logs_hold_every_command_shape_event_and_contact() -> None:
    kinds: set[Any] = set()
    for name in GOLDENS:
        with Reader(path_of(name)) as reader:
            for frame in reader:
                for command in frame.commands:
                    kinds.add(command.__struct_config__.tag)
                    if isinstance(command, schema.Add):
                        kinds.add(command.shape.__struct_config__.tag)
                kinds.update((kind, contact) for _, _, kind, contact in frame.events)
    commands = {
        "add", "move", "turn", "pose", "shape", "offset", "owner", "layer", "active", "remove",
        "query", "cast",
    }  # fmt: skip
    assert commands <= kinds
    missing = [kind for kind in KINDS if kind not in {*kinds, *POLYGONS}]
    assert missing == [], "add a match with them to replay_logs/generate.py"
    assert {*itertools.product((1, 2), (1, 2)), (3, 0)} <= kinds

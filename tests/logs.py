"""Match logs for tests: made of plain JSON values, with what the model says of them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import model
import msgspec

from fixsync import World
from fixsync._native.kernel import semantics
from fixsync.base import files
from fixsync.log.recorder import SimRecorder
from fixsync.log.schema import Header
from fixsync.match.sim import start
from fixsync.sample.skillfight import SkillFight

Frame = dict[str, Any]


def header(**changes: Any) -> dict[str, Any]:
    """A header; `names` and `unit_mm` can be added."""
    return {
        "format": "fixsync-match",
        "version": 1,
        "tick_rate": 60,
        "capacity": 6,
        "hit_when": 1,
        "layers": None,
        "sim": None,
        "seed": 0,
        "meta": {},
        **changes,
    }


def model_log(match: Sequence[Sequence[Any]], layers: Any, hit_when: int, skipped: int) -> bytes:
    """The log of a match that is recorded from the frame `skipped` on."""
    world = model.ModelWorld(6, hit_when, layers)
    for commands in match[:skipped]:
        world.play_frame(commands)
    enabled = [(i, j) for i in range(32) for j in range(i, 32) if world.masks[i] >> j & 1]
    head = header(hit_when=hit_when, layers=enabled if len(enabled) < 528 else None)
    if skipped:
        state = base64.b64encode(world.save()).decode()
        head["from"] = {"frame": skipped, "state": state}
    head["semantics"] = semantics()
    return text_of(head, _frames(world, skipped, match[skipped:]))


def model_frames(match: Sequence[Sequence[Any]], **settings: Any) -> list[Frame]:
    """The frames of a match, given as the commands of each, with all that the model answers."""
    return _frames(model.ModelWorld(settings.pop("capacity", 6), **settings), 0, match)


def _frames(world: Any, first: int, match: Sequence[Sequence[Any]]) -> list[Frame]:
    frames = []
    for number, commands in enumerate(match, first):
        events, answers = world.play_frame(commands)
        frames.append(
            {
                "frame": number,
                "commands": list(commands),
                "queries": answers,
                "events": [list(event) for event in events],
                "hash": f"{world.hash():016x}",
            }
        )
    return frames


def text_of(head: dict[str, Any], frames: Sequence[Frame], *, footer: bool = True) -> bytes:
    """A log in canonical form, written without fixsync."""
    lines = [
        json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in (head, *frames)
    ]
    text = "".join(f"{line}\n" for line in lines).encode()
    if footer:
        last = {"frames": len(frames), "sha256": hashlib.sha256(text).hexdigest()}
        text += json.dumps(last, separators=(",", ":")).encode() + b"\n"
    return text


def write(
    path: Path, head: dict[str, Any], frames: Sequence[Frame], *, footer: bool = True
) -> Path:
    path.write_bytes(text_of(head, frames, footer=footer))
    return path


def broken(path: Path, *, footer: bool = True, **fields: Any) -> Path:
    """Writes the small match with something changed in frame 2."""
    frames = model_frames(small_match())
    frames[2].update(fields)
    return write(path, header(), frames, footer=footer)


def write_values(path: Path, header: Header, frames: Iterable[Any]) -> None:
    """Writes a log from the values that a reader gives, as they are."""
    doc = {
        key: getattr(header, key)
        for key in ("tick_rate", "capacity", "hit_when", "layers", "sim", "seed", "meta")
    }
    tables = {"layers": header.names.layers, "ids": header.names.ids}
    if names := {which: table for which, table in tables.items() if table}:
        doc["names"] = {
            which: {str(number): table[number] for number in sorted(table)}
            for which, table in names.items()
        }
    if header.unit_mm is not None:
        doc["unit_mm"] = header.unit_mm
    if header.z_down:
        doc["z_down"] = True
    if header.level is not None:
        doc["level"] = {"solids": [solid.as_tuple() for solid in header.level]}
    if header.start is not None:
        state = base64.b64encode(header.start.state).decode()
        doc["from"] = {"frame": header.start.frame, "state": state}
    said = {key: getattr(header, key) for key in ("semantics", "build", "data")}
    doc |= {key: value for key, value in said.items() if value is not None}
    head = {"format": "fixsync-match", "version": 1, **doc}
    text = text_of(head, [_without_zeros(msgspec.to_builtins(frame)) for frame in frames])
    with files.Sink(path, is_over=True) as sink:
        for line in text.splitlines(keepends=True):  # each at once, as a recorder does
            sink.write(line)


def _without_zeros(value: Any) -> Any:
    """A value without the zeros that are not written: of a hole and at the end of a query."""
    if isinstance(value, dict):
        return {key: _without_zeros(item) for key, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    items = [_without_zeros(item) for item in value]
    least = {"sector": 4, "query": 5}.get(items[0] if items and isinstance(items[0], str) else "")
    while least is not None and len(items) > least and items[-1] == 0:
        items.pop()
    return items


def small_match() -> list[list[Any]]:
    """Two spheres that meet in frame 1 and part in frame 3, a box that nothing meets, a query a
    frame.
    """
    query = ["query", ["sphere", 10], [0, 0, 0], 0, 2**32 - 1]
    return [
        [
            ["add", 1, ["sphere", 10], [0, 0, 0], 0, 0, 0, [0, 0, 0], True],
            ["add", 2, ["sphere", 10], [100, 0, 0], 0, 1, 7, [0, 0, 0], True],
            ["add", 5, ["box", 1, 2, 3], [0, 900, 0], 16384, 2, 0, [4, 0, 0], False],
            query,
        ],
        [["move", 2, [20, 0, 0]], query],
        [["move", 2, [19, 0, 0]], query],
        [["move", 2, [50, 0, 0]], ["turn", 5, 3], query],
    ]


def changed(frames: Sequence[Frame], number: int, **fields: Any) -> list[Frame]:
    """The frames with some fields of one of them changed; None takes a field out."""
    copy = [dict(frame) for frame in frames]
    copy[number].update(fields)
    copy[number] = {key: value for key, value in copy[number].items() if value is not None}
    return copy


def bare(frames: Sequence[Frame]) -> list[Frame]:
    """The frames without any result."""
    kept = ("frame", "commands", "inputs")
    return [{key: frame[key] for key in kept if key in frame} for frame in frames]


def skill_fight(path: Path, frames: int = 120) -> SkillFight:
    """Writes the inputs of a match between two bots."""
    game = start(SkillFight, 5, 2)
    bots = [SkillFight.bot(player, 5) for player in range(2)]
    with SimRecorder(game, path, seed=5) as recorder:
        for frame in range(frames):
            inputs = [bot.decide(game) for bot in bots]
            recorder.record(frame, inputs, game.step(inputs), game.world.hash())
    return game


def spheres(count: int, step: int = 0, radius: int = 9) -> list[Any]:
    """Commands that add spheres in a row."""
    return [
        ["add", id, ["sphere", radius], [step * id, 0, 0], 0, 0, 0, [0, 0, 0], True]
        for id in range(count)
    ]


class Game:
    """As much of a simulation as a log asks for: its state is its world."""

    name = "duel"
    players = 2
    world: World

    def step(self, _inputs: Any) -> Any:
        return self.world.step()

    def save(self) -> bytes:
        return self.world.save()

    def load(self, data: bytes) -> None:
        self.world.load(data)

    def hash(self) -> int:
        return self.world.hash()


def with_game_events() -> list[Frame]:
    """Frames of two owners, with events of the game: of collider 0, of both, of none."""
    games = {1: [[0, 7, 16, -1], [1, 0, 17, 2]], 3: [[9, 2**32 - 1, 2**32 - 1, 5]]}
    added = [
        ["add", id, ["sphere", 9], [100 * id, 0, 0], 0, 0, id + 1, [0, 0, 0], True]
        for id in range(2)
    ]
    return [
        {"frame": at, "commands": [] if at else added, "game": games.get(at, [])} for at in range(4)
    ]

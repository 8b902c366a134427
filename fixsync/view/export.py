"""Match logs to pages: the content of a page for a log, and writing the page."""

from __future__ import annotations

import base64
import gzip
import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

import fixsync
from fixsync.base import files
from fixsync.log.diff import Diff
from fixsync.log.origin import Other
from fixsync.log.player import Player
from fixsync.log.reader import Reader
from fixsync.log.schema import Add, GameEvent, Header, SimFrame, TraceFrame
from fixsync.log.watch import Observed, known
from fixsync.match import sim
from fixsync.view import bundle
from fixsync.world.records import Events
from fixsync.world.world import Command

_GZIP_LEVEL = 6
_HELD_MAX = 100
"""The most fields of a difference that a page lists."""


@dataclass
class Exported:
    """A log as a page takes it."""

    name: str
    header: Header
    frames: int
    cut: str
    """Why the log counts as cut short; "" for a whole one."""
    text: bytes
    """The log that the page plays: the log's own text, or, for a log with a sim, the trace that
    running it leaves."""
    ids: int
    """One more than the highest id ever added: the page's worlds need no more capacity."""
    original: bytes | None
    """The text of a log with a sim, for the page to give back."""
    hashes: bytes
    """XXH64 of the state after each frame, as the native kernel computes it here. Little-endian."""
    others: list[Other]
    """What a log with a sim was recorded with that the simulation here has not. The page knows its
    kernel itself."""
    game: bytes | None
    """The inputs, named state and phases of a log with a sim, as JSON."""

    @property
    def first(self) -> int:
        """The number of the first frame."""
        return self.header.first_frame

    @property
    def last_hash(self) -> str:
        """Of the state after the last frame, as a log writes it; "" for a log without frames."""
        return self.hashes[-8:][::-1].hex()

    def entry(self) -> dict[str, Any]:
        """The log in the manifest of a page."""
        return {
            "name": self.name,
            "sim": self.header.sim,
            "first": self.first,
            "frames": self.frames,
            "ids": self.ids,
            "bytes": len(self.text),
            "cut": self.cut,
            "hashes": _base64(self.hashes),
            "original": None if self.original is None else _base64(_compressed(self.original)),
            "others": [one._asdict() | {"words": one.words} for one in self.others],
            "game": None if self.game is None else _base64(_compressed(self.game)),
        }


def export(
    path: str | os.PathLike[str],
    *,
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> Exported:
    """Reads a log and plays it with the native kernel.

    Raises MatchLogError for a log that is not valid, or whose commands a world refuses; OSError for
    a file that cannot be read."""
    hashes: list[int] = []
    ids = 1
    with Reader(path, progress=progress, keep_text=True) as reader:
        header = reader.header
        kind = known(header, simulations or {})
        run = None if kind is None else _Run(kind)
        player = Player(header, None if run is None else {str(header.sim): run})
        if run is None and header.start is not None:
            ids = max([ids, *(id + 1 for id in player.world)])
        for frame in reader:
            player.play(frame)
            hashes.append(int(player.hash, 16))
            if isinstance(frame, TraceFrame):
                ids = max([ids, *(c.id + 1 for c in frame.commands if type(c) is Add)])
            elif run is not None:
                run.end(frame, player.game)
        text = reader.text
        return Exported(
            name=Path(path).name,
            header=header,
            frames=reader.frames,
            cut=reader.cut,
            text=text if run is None else run.text(text),
            ids=ids if run is None else run.ids,
            original=None if run is None else text,
            hashes=struct.pack(f"<{len(hashes)}Q", *hashes),
            others=[other for other in player.others if run and other.what != "semantics"],
            game=None if run is None else run.game(),
        )


class _Run(Observed):
    """Writes the lines of the trace that a simulation leaves, and keeps by frame its state beside
    the world.

    A change that a simulation makes after its step is in the frame's `after`: the frame's hash is
    that of the state behind it. `whole` is the computed hash of the simulation's whole state. No
    match log has these keys; only pages do."""

    def __init__(self, kind: sim.SimulationType) -> None:
        super().__init__(kind)
        self.ids = 1
        self._state = b""
        self._first = 0
        self._lines: list[bytes] = []
        self._before: list[Command] = []
        self._game = _Game()

    def _begin(self) -> None:
        world = self.simulation.world
        self._state = world.save()
        self._first = world.frame
        self.ids = max([self.ids, *(id + 1 for id in world)])

    def _step(self, events: Events) -> None:  # noqa: ARG002 - the log has them
        self._before = self.commands
        self._game.phases(sim.phases_of(self.simulation))

    def end(self, frame: SimFrame, game: list[GameEvent]) -> None:
        """Ends a frame. game: its own events, as they are computed."""
        after, self.commands = self.commands, []
        line: dict[str, Any] = {"frame": frame.frame, "commands": self._before}
        if after:
            line["after"] = after
        if frame.events is not UNSET:
            line["events"] = frame.events
        if game:
            line["game"] = game
        if frame.hash is not UNSET:
            line["hash"] = frame.hash
        if frame.state is not UNSET:
            line["state"] = frame.state
        state = self.simulation.save()
        line["whole"] = f"{sim.hash_of(state):016x}"
        self._lines.append(msgspec.json.encode(line) + b"\n")
        added = (command[1] for command in (*self._before, *after) if command[0] == "add")
        self.ids = max([self.ids, *(id + 1 for id in added)])
        self._game.end(frame, self.simulation, state)

    def text(self, log: bytes) -> bytes:
        """The trace: the log's header, from the state of the simulation's new world on."""
        header = json.loads(log[: log.index(b"\n")])
        if self._lines:  # a log without frames starts no simulation
            header["from"] = {"frame": self._first, "state": _base64(self._state)}
        return json.dumps(header).encode() + b"\n" + b"".join(self._lines)

    def game(self) -> bytes:
        return self._game.encoded()


_OF_WORLD = {"world", "collider", "hit", "changed"}
"""Groups of `world_fields`: the page has them from the world itself."""


class _Game:
    """The state of a simulation beside its world, frame by frame: assets/game.js has the form."""

    def __init__(self) -> None:
        self._frame = 0
        self._inputs: dict[int, _Series] = {}
        self._state: dict[tuple[str, str], _Series] = {}
        self._phases: dict[int, list[list[Any]]] = {}
        self._seen: Mapping[int, tuple[str, str]] = {}

    def phases(self, phases: Mapping[int, tuple[str, str]]) -> None:
        """The actions of owners in the frame that was stepped last."""
        self._seen = phases

    def end(self, frame: SimFrame, simulation: Any, saved: bytes) -> None:
        self._frame = frame.frame
        for player, value in enumerate(frame.inputs):
            self._inputs.setdefault(player, _Series()).add(self._frame, value)
        fields = sim.state_fields_of(simulation)
        for key, values in (fields(saved) if fields else {}).items():
            if key[0] in _OF_WORLD:
                continue
            group = " ".join(map(str, key))
            for name, part in values.items():
                self._state.setdefault((group, name), _Series()).add(self._frame, part)
        for owner, (name, phase) in self._seen.items():
            spans = self._phases.setdefault(owner, [])
            if spans and spans[-1][1:] == [self._frame - 1, name, phase]:
                spans[-1][1] = self._frame
            else:
                spans.append([self._frame, self._frame, name, phase])

    def encoded(self) -> bytes:
        return msgspec.json.encode(
            {
                "inputs": {player: series.pair for player, series in self._inputs.items()},
                "state": [[*key, series.pair] for key, series in self._state.items()],
                "phases": self._phases,
            }
        )


class _Series:
    """A value over time: the frames where it changed, and what to. Integers that a page's numbers
    cannot hold are digits."""

    def __init__(self) -> None:
        self.pair: tuple[list[int], list[Any]] = [], []

    def add(self, frame: int, value: Any) -> None:
        exact = str(value) if isinstance(value, int) and abs(value) >= 2**53 else value
        frames, values = self.pair
        if not values or values[-1] != exact:
            frames.append(frame)
            values.append(exact)


def page(logs: Sequence[Exported], title: str = "", difference: Diff | None = None) -> str:
    """The page that shows one log, or two against each other, or, of none, one to drop logs onto.
    `title`: "" makes one of the logs' names. difference: of the matches of two versions of a game,
    to show its fields."""
    if len(logs) > 2:
        raise ValueError(f"a page shows at most two logs, not {len(logs)}")
    title = title or " and ".join(log.name for log in logs) or "fixsync view"
    manifest: dict[str, Any] = {
        "title": title,
        "version": fixsync.__version__,
        "logs": [log.entry() for log in logs],
    }
    if difference is not None and difference.frame is not None:
        manifest["held"] = _held(difference)
    return bundle.page(title, manifest, [_compressed(log.text) for log in logs])


def _held(difference: Diff) -> dict[str, Any]:
    """The fields that differ in the first frame that does."""
    rows = []
    for row in difference.rows[:_HELD_MAX]:
        if row.group == "state":
            group, _, field = row.name.rpartition(": ")
            rows.append({"group": group, "field": field, "a": str(row.a), "b": str(row.b)})
    caption = "≠ what each version computed, raw"
    return {"frame": difference.frame, "rows": rows, "caption": caption}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _compressed(text: bytes) -> bytes:
    return gzip.compress(text, _GZIP_LEVEL, mtime=0)


def write(
    out: str | os.PathLike[str],
    logs: Sequence[Exported],
    title: str = "",
    difference: Diff | None = None,
) -> int:
    """Writes the page of the logs, as `page` makes it; returns how many bytes it has. A file that is
    there already is replaced once the page is whole."""
    return _write(out, page(logs, title, difference))


def write_arena(out: str | os.PathLike[str]) -> int:
    """Writes the page of the arena, as `write` does."""
    return _write(out, bundle.arena())


def _write(out: str | os.PathLike[str], text: str) -> int:
    data = text.encode()
    files.write_whole(out, data)
    return len(data)

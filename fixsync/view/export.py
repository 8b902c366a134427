"""Match logs to pages: what a page holds of a log, and writing the page."""

from __future__ import annotations

import base64
import gzip
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

import fixsync
from fixsync import sim
from fixsync.log import files
from fixsync.log.player import Player
from fixsync.log.reader import Reader
from fixsync.log.schema import LINE_BYTES_MAX, Add, Header, SimFrame
from fixsync.log.text import LineError
from fixsync.records import Events
from fixsync.view import bundle
from fixsync.world import Command, World

__all__ = ["Exported", "export", "page", "write"]

PROGRESS_FRAMES = 256
"""How many frames lie between two calls of `export`'s progress."""

_GZIP_LEVEL = 6


@dataclass
class Exported:
    """A log as a page takes it."""

    name: str
    header: Header
    frames: int
    cut: str
    """Why the log counts as cut short; "" for a whole one."""
    text: bytes
    """What the page plays: the log's own text, or, for a log with a sim, the trace that running it
    leaves.
    """
    ids: int
    """One more than the highest id ever added: as large as the page's worlds need be."""
    original: bytes | None
    """The text of a log with a sim, for the page to give back."""
    hashes: bytes
    """XXH64 of the state after each frame, as the native kernel computes it here. Little-endian."""

    @property
    def last_hash(self) -> str:
        """Of the state after the last frame, as a log writes it; "" for a log without frames."""
        return self.hashes[-8:][::-1].hex()


def export(
    path: str | os.PathLike[str],
    *,
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
    line_bytes_max: int = LINE_BYTES_MAX,
) -> Exported:
    """Reads a log and plays it with the native kernel.

    MatchLogError for a log that is not valid, or whose commands a world refuses; OSError for a file
    that cannot be read."""
    hashes: list[int] = []
    ids = 1
    trace = _Trace()
    with Reader(path, line_bytes_max=line_bytes_max, keep_text=True) as reader:
        header = reader.header
        try:
            player = Player(header, trace.watching(header, simulations or {}))
            for frame in reader:
                player.play(frame)
                hashes.append(int(player.hash, 16))
                if isinstance(frame, SimFrame):
                    ids = max(ids, trace.add(frame))
                else:
                    ids = max(
                        [
                            ids,
                            *[command.id + 1 for command in frame.commands if type(command) is Add],
                        ]
                    )
                if progress is not None and reader.frames % PROGRESS_FRAMES == 0:
                    progress(reader)
        except LineError as wrong:
            raise reader.error(wrong) from wrong
        text = reader.text
        return Exported(
            Path(path).name,
            header,
            reader.frames,
            reader.cut,
            text if header.sim is None else text[: text.index(b"\n") + 1] + b"".join(trace.lines),
            ids,
            None if header.sim is None else text,
            struct.pack(f"<{len(hashes)}Q", *hashes),
        )


class _Trace:
    """The commands that a simulation gives its world, frame by frame, as lines of a trace.

    What a simulation changes after its step is in the frame's `after`: the frame's hash is that of
    the state behind it. No match log has that key; only pages do."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._before: list[Command] = []
        self._after: list[Command] = []
        self._has_stepped = False

    def watching(
        self, header: Header, simulations: Mapping[str, sim.SimulationType]
    ) -> Mapping[str, sim.SimulationType]:
        """Simulations to play the log with: its own tells this trace what it does."""
        if header.sim is None:
            return {}
        try:
            found = simulations[header.sim] if header.sim in simulations else sim.named(header.sim)
        except ValueError:
            return {}  # the player says it better
        return {header.sim: _Watched(found, self)}

    def begin(self, world: World) -> None:
        """Takes what a new simulation's world holds already as the first frame's commands."""
        for c in world.colliders():
            position = c.pose.x, c.pose.y, c.pose.z
            rest = c.pose.yaw, c.layer, c.owner, c.offset, c.active
            self._before.append(("add", c.id, c.shape.as_tuple(), position, *rest))
        world.attach(self)

    def changed(self, command: Command) -> None:
        """Called by the world."""
        (self._after if self._has_stepped else self._before).append(command)

    def stepped(self, events: Events) -> None:  # noqa: ARG002 - the protocol's
        """Called by the world."""
        self._has_stepped = True

    def loaded(self) -> None:
        """Called by the world."""
        raise ValueError("the simulation loads its world while it plays, which no trace can tell")

    def add(self, frame: SimFrame) -> int:
        """Ends a frame. Returns one more than the highest id that it added."""
        line: dict[str, Any] = {"frame": frame.frame, "commands": self._before}
        if self._after:
            line["after"] = self._after
        if frame.events is not UNSET:
            line["events"] = frame.events
        if frame.hash is not UNSET:
            line["hash"] = frame.hash
        self.lines.append(msgspec.json.encode(line) + b"\n")
        ids: int = max(
            [
                0,
                *[
                    command[1] + 1
                    for command in (*self._before, *self._after)
                    if command[0] == "add"
                ],
            ]
        )
        self._before, self._after, self._has_stepped = [], [], False
        return ids


class _Watched:
    """A simulation's type, whose simulations have their world watched."""

    def __init__(self, kind: sim.SimulationType, trace: _Trace) -> None:
        self._kind = kind
        self._trace = trace

    @property
    def name(self) -> str:
        return self._kind.name

    def __call__(self, seed: int, players: int) -> sim.Simulation:
        made = self._kind(seed, players)
        self._trace.begin(made.world)
        return made


def page(logs: Sequence[Exported], title: str = "") -> str:
    """The page that shows one log, or two against each other. `title`: "" makes one of the logs'
    names.
    """
    if not 1 <= len(logs) <= 2:
        raise ValueError(f"a page shows one log or two, not {len(logs)}")
    title = title or " and ".join(log.name for log in logs)
    entries = [
        {
            "name": log.name,
            "sim": log.header.sim,
            "frames": log.frames,
            "ids": log.ids,
            "bytes": len(log.text),
            "cut": log.cut,
            "hashes": _base64(log.hashes),
            "original": None if log.original is None else _base64(_compressed(log.original)),
        }
        for log in logs
    ]
    manifest = {"title": title, "version": fixsync.__version__, "logs": entries}
    return bundle.page(title, manifest, [_compressed(log.text) for log in logs])


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _compressed(text: bytes) -> bytes:
    return gzip.compress(text, _GZIP_LEVEL, mtime=0)


def write(out: str | os.PathLike[str], logs: Sequence[Exported], title: str = "") -> int:
    """Writes the page of one log or two; returns how many bytes it has. A file that is there
    already is replaced once the page is whole."""
    data = page(logs, title).encode()
    written, target = files.place_of(out)
    try:
        sink = files.Sink(written, suffix="")
        try:
            sink.write(data)
        finally:
            sink.close()
        if written != target:
            written.replace(target)
    except OSError:
        if written != target:
            written.unlink(missing_ok=True)
        raise
    return len(data)

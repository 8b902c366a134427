"""The same logs under two versions of fixsync, and what changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from fixsync.farm.sandbox import Identity, Sandbox, Settings, WorkerError
from fixsync.farm.store import Store, name_of
from fixsync.farm.verdicts import CRASHED, OUT_OF_MEMORY, TIMED_OUT, UNREADABLE

__all__ = [
    "NOT_VERIFIED",
    "Change",
    "FirstDifference",
    "Moved",
    "Side",
    "changes",
    "first_difference",
    "identity",
    "moved",
    "rewritten",
    "version",
]

NOT_VERIFIED = (CRASHED, OUT_OF_MEMORY, TIMED_OUT, UNREADABLE)
"""Verdicts that say nothing of what a version computes."""

_COMPARED = (
    "verdict",
    "frames",
    "hits",
    "hash",
    "differing_frames",
    "frame",
    "line",
    "field",
    "digest",
)
_SIDE = "verdict, reason, frames, hits, hash, differing_frames, frame, line, field, digest"
_JOIN = (
    " FROM logs JOIN verdicts AS old ON old.log = logs.log AND old.build = ?"
    " JOIN verdicts AS new ON new.log = logs.log AND new.build = ?"
    " WHERE logs.run = ?"
)
_SAME_FILE = "(old.size, old.stamp) = (new.size, new.stamp)"
_IS_CHANGED = " OR ".join(f"old.{name} IS NOT new.{name}" for name in _COMPARED)


def version(name: str, settings: Settings, stack: ExitStack) -> Settings:
    """The settings for workers of an installed version: of an interpreter, of a virtual
    environment, of a folder that has the package `fixsync` in it, or of a wheel, which is unpacked
    until the stack ends.

    WorkerError for what is none of these.
    """
    path = Path(name)
    environment = tuple((key, value) for key, value in os.environ.items() if key != "PYTHONPATH")
    if path.is_dir():
        for python in (path / "bin" / "python", path / "Scripts" / "python.exe"):
            if python.is_file():
                return msgspec.structs.replace(
                    settings, python=str(python), environment=environment
                )
        if (path / "fixsync" / "__init__.py").is_file():
            return _with_folder(settings, str(path.absolute()))
        raise WorkerError(f"{name} is no virtual environment, and has no package fixsync")
    if path.suffix == ".whl" and path.is_file():
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fixsync-regress-"))
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
        done = subprocess.run(  # noqa: S603
            [*command, "--disable-pip-version-check", "--target", folder, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise WorkerError(f"{name} cannot be installed: {done.stderr.strip()}")
        return _with_folder(settings, folder)
    if path.is_file() and os.access(path, os.X_OK):
        return msgspec.structs.replace(
            settings, python=str(path.absolute()), environment=environment
        )
    raise WorkerError(
        f"{name} is no interpreter, no virtual environment, no folder with fixsync and no wheel"
    )


def identity(settings: Settings) -> Identity:
    """What a version is. WorkerError if it cannot be run."""
    sandbox = Sandbox(settings)
    try:
        return sandbox.identity()
    finally:
        sandbox.close()


def _with_folder(settings: Settings, folder: str) -> Settings:
    return msgspec.structs.replace(settings, path=(folder, *settings.path))


@dataclass
class Side:
    """What one of the versions made of a log."""

    verdict: str
    reason: str
    frames: int
    hits: int
    hash: str
    differing_frames: int
    frame: int | None
    line: int | None
    field: str | None
    digest: str | None
    """SHA-256 of all events, answers and hashes that it computed, as a log."""


@dataclass
class Change:
    """A log of which the versions do not make the same."""

    name: str
    old: Side
    new: Side

    @property
    def fields(self) -> list[str]:
        """What is not the same."""
        return [name for name in _COMPARED if getattr(self.old, name) != getattr(self.new, name)]


@dataclass
class Moved:
    """How many logs went from a verdict to a verdict."""

    old: str
    new: str
    logs: int
    changed: int
    """Those of which anything is not the same."""


def changes(store: Store, old: int, new: int, limit: int = -1) -> Iterator[Change]:
    """The logs of the latest run of which two builds do not make the same, by name; at most so
    many.
    """
    columns = ", ".join(f"{side}.{name}" for side in ("old", "new") for name in _SIDE.split(", "))
    rows = store.query(
        f"SELECT logs.name, {columns}{_JOIN} AND {_SAME_FILE} AND ({_IS_CHANGED}) ORDER BY logs.name LIMIT ?",
        (old, new, store.run, limit),
    )
    half = _SIDE.count(",") + 1
    for name, *values in rows:
        yield Change(name_of(name), _side(values[:half]), _side(values[half:]))


def _side(values: list[Any]) -> Side:
    verdict, reason, frames, hits, hash, *rest = values
    return Side(verdict, reason or "", frames, hits, hash or "", *rest)


def moved(store: Store, old: int, new: int) -> list[Moved]:
    """From which verdict to which the logs of the latest run went."""
    rows = store.query(
        f"SELECT old.verdict, new.verdict, count(*), sum({_IS_CHANGED}){_JOIN} AND {_SAME_FILE}"
        " GROUP BY old.verdict, new.verdict ORDER BY count(*) DESC, old.verdict, new.verdict",
        (old, new, store.run),
    )
    return [Moved(*row) for row in rows]


def rewritten(store: Store, old: int, new: int) -> int:
    """How many logs changed between the two, so that they are not compared."""
    row = store.query(
        f"SELECT count(*){_JOIN} AND NOT {_SAME_FILE}",
        (old, new, store.run),
    )
    count: int = row.fetchone()[0]
    return count


@dataclass
class FirstDifference:
    """The first frame that two versions do not compute to the same."""

    frame: int
    fields: list[str]
    """Which of "events", "queries", "hash" differ; "frame" if only one of them has that frame."""
    old: dict[str, Any]
    """Those of the old version."""
    new: dict[str, Any]


def first_difference(name: str, old: Settings, new: Settings) -> FirstDifference | None:
    """Has both versions compute a log again; None if what they compute is the same, or cannot be
    had.
    """
    with tempfile.TemporaryDirectory(prefix="fixsync-regress-", dir=old.scratch or None) as folder:
        paths = [Path(folder) / "old.jsonl", Path(folder) / "new.jsonl"]
        for settings, path in zip((old, new), paths, strict=True):
            sandbox = Sandbox(msgspec.structs.replace(settings, kept=str(path)))
            try:
                next(sandbox.verify([name]))
            finally:
                sandbox.close()
            if not path.is_file():
                return None
        with paths[0].open("rb") as lines_old, paths[1].open("rb") as lines_new:
            for number, (a, b) in enumerate(zip_longest(lines_old, lines_new)):
                if a != b and number:
                    return _difference(number - 1, a, b)
    return None


def _difference(frame: int, a: bytes | None, b: bytes | None) -> FirstDifference:
    told = [json.loads(line) if line else {} for line in (a, b)]
    if any(one.get("frame") != frame for one in told):
        return FirstDifference(frame, ["frame"], {}, {})
    fields = [key for key in ("events", "queries", "hash") if told[0].get(key) != told[1].get(key)]
    return FirstDifference(frame, fields, *({key: one.get(key) for key in fields} for one in told))

"""The same logs under two versions of fixsync, and the differences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from fixsync.farm.sandbox import Identity, Sandbox, Settings, WorkerError
from fixsync.farm.store import Store, name_of
from fixsync.farm.verdicts import (
    CRASHED,
    NEEDS_SIMULATION,
    OUT_OF_MEMORY,
    TIMED_OUT,
    UNREADABLE,
)
from fixsync.log import differing

__all__ = [
    "NOT_VERIFIED",
    "Change",
    "FirstDifference",
    "Moved",
    "changes",
    "first_difference",
    "identity",
    "moved",
    "rewritten",
    "version",
]

NOT_VERIFIED = (CRASHED, OUT_OF_MEMORY, TIMED_OUT, UNREADABLE, NEEDS_SIMULATION)
"""Verdicts of logs for which a version computed nothing."""

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
_COMPUTED = ("events", "game", "queries", "hash", "state")
_SIDE = ("reason", *_COMPARED)
_JOIN = (
    " FROM logs JOIN verdicts AS old ON old.log = logs.log AND old.build = ?"
    " JOIN verdicts AS new ON new.log = logs.log AND new.build = ?"
    " WHERE logs.run = ?"
)
_SAME_FILE = "(old.size, old.stamp) = (new.size, new.stamp)"
_IS_CHANGED = " OR ".join(f"old.{name} IS NOT new.{name}" for name in _COMPARED)


def version(name: str, settings: Settings, stack: ExitStack) -> Settings:
    """The settings for workers of a version: an interpreter, a virtual environment, a folder
    with the package `fixsync`, or a wheel, which is unpacked until the stack ends.

    WorkerError for anything else."""
    path = Path(name).absolute()
    if path.suffix == ".whl" and path.is_file():
        path = _unpacked(path, stack)
    if (path / "fixsync" / "__init__.py").is_file():
        return msgspec.structs.replace(settings, path=(str(path), *settings.path))
    for python in (path / "bin" / "python", path / "Scripts" / "python.exe", path):
        if python.is_file() and os.access(python, os.X_OK):
            kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            return msgspec.structs.replace(
                settings, python=str(python), environment=tuple(kept.items())
            )
    raise WorkerError(
        f"{name} is not an interpreter, a virtual environment, a folder with fixsync or a wheel"
    )


def _unpacked(wheel: Path, stack: ExitStack) -> Path:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fixsync-regress-"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    done = subprocess.run(  # noqa: S603
        [*command, "--disable-pip-version-check", "--target", folder, str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkerError(f"{wheel} cannot be installed: {done.stderr.strip()}")
    return Path(folder)


def identity(settings: Settings) -> Identity:
    """The identity of a version. WorkerError if it cannot be run."""
    with closing(Sandbox(settings)) as sandbox:
        return sandbox.identity()


@dataclass
class Change:
    """A log with different results."""

    name: str
    fields: list[str]
    """The columns that differ."""
    old: dict[str, Any]
    """Columns of `verdicts`. `digest`: SHA-256 of all frames as they were computed."""
    new: dict[str, Any]


@dataclass
class Moved:
    """The logs with one verdict under the old version and one under the new."""

    old: str
    new: str
    logs: int
    changed: int
    """Logs of these with any difference."""


def changes(store: Store, old: int, new: int, limit: int = -1) -> Iterator[Change]:
    """The logs of the latest run for which two builds differ, by name; at most `limit`."""
    columns = ", ".join(f"{side}.{name}" for side in ("old", "new") for name in _SIDE)
    rows = store.query(
        f"SELECT logs.name, {columns}{_JOIN} AND {_SAME_FILE} AND ({_IS_CHANGED})"
        " ORDER BY logs.name LIMIT ?",
        (old, new, store.run, limit),
    )
    for name, *values in rows:
        halves = values[: len(_SIDE)], values[len(_SIDE) :]
        sides = [dict(zip(_SIDE, half, strict=True)) for half in halves]
        fields = [field for field in _COMPARED if sides[0][field] != sides[1][field]]
        yield Change(name_of(name), fields, *sides)


def moved(store: Store, old: int, new: int) -> list[Moved]:
    """The logs of the latest run by old and new verdict."""
    rows = store.query(
        f"SELECT old.verdict, new.verdict, count(*), sum({_IS_CHANGED}){_JOIN} AND {_SAME_FILE}"
        " GROUP BY old.verdict, new.verdict ORDER BY count(*) DESC, old.verdict, new.verdict",
        (old, new, store.run),
    )
    return [Moved(*row) for row in rows]


def rewritten(store: Store, old: int, new: int) -> int:
    """The number of logs whose files changed between the two, which are not compared."""
    values = (old, new, store.run)
    count: int = store.query(f"SELECT count(*){_JOIN} AND NOT {_SAME_FILE}", values).fetchone()[0]
    return count


@dataclass
class FirstDifference:
    """The first frame that two versions compute differently."""

    frame: int
    fields: list[str]
    """Of "events", "game", "queries", "hash", "state" those that differ; "frame" if one side has no
    such frame."""
    old: dict[str, Any]
    """Values of the old version."""
    new: dict[str, Any]


def first_difference(name: str, old: Settings, new: Settings) -> FirstDifference | None:
    """Computes a log again with both versions; None if they agree or one computes nothing."""
    with tempfile.TemporaryDirectory(prefix="fixsync-regress-") as folder:
        paths = [Path(folder) / "old.jsonl", Path(folder) / "new.jsonl"]
        for settings, path in zip((old, new), paths, strict=True):
            kept = msgspec.structs.replace(settings, kept=str(path))
            with closing(Sandbox(kept)) as sandbox:
                next(sandbox.verify([name]))
            if not path.is_file():
                return None
        with paths[0].open("rb") as lines_old, paths[1].open("rb") as lines_new:
            found = differing.first_difference(lines_old, lines_new)
    if found is None:
        return None
    sides = [json.loads(line) if line else {} for line in (found.a, found.b)]
    if any("frame" not in side for side in sides):
        return FirstDifference(found.frame, ["frame"], {}, {})
    fields = [key for key in _COMPUTED if sides[0].get(key) != sides[1].get(key)]
    return FirstDifference(
        found.frame, fields, *({key: it.get(key) for key in fields} for it in sides)
    )

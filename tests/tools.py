"""What some tests need: an observer, packages of the extra `dev`, a loopback interface, rows of
`vectors/`, a shell, types of fixtures.
"""

import copy
import csv
import functools
import importlib
import inspect
import os
import random
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest

VECTORS = Path(__file__).resolve().parent / "vectors"
Run: TypeAlias = Callable[..., tuple[int, str, str]]
"""The fixture `run`: exit code, standard output and standard error of `fixsync` with arguments."""


class Log:
    """An observer of a world that keeps its calls."""

    def __init__(self) -> None:
        self.reported: list[Any] = []

    def changed(self, command: Any) -> None:
        self.reported.append(command)

    def stepped(self, events: Any) -> None:
        self.reported.append(("stepped", events))

    def loaded(self) -> None:
        self.reported.append(("loaded",))


def needs(module: str) -> ModuleType:
    """A module of the extra `dev`. Without it the test is skipped; in CI it fails."""
    if os.environ.get("CI"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"no {module} here: pip install -e '.[dev]'")


def has_loopback() -> bool:
    """Whether this machine can send packets to itself. A new network namespace cannot."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(("127.0.0.1", 0))
        try:
            return end.sendto(b"", end.getsockname()) == 0
        except OSError:
            return False


def by_default(count: int, values: Iterable[Any], *, are_rows: bool = False) -> list[Any]:
    """Parameters of a test, or rows of several: so many run by default, and the others with
    --full.
    """
    chosen = list(values)
    rest = chosen[count:] if are_rows else [(value,) for value in chosen[count:]]
    return [*chosen[:count], *(pytest.param(*row, marks=pytest.mark.full) for row in rest)]


def in_turn(step: int, values: Iterable[str]) -> list[Any]:
    """Parameters of a slow test: one of so many runs with --full, and the others with --release."""
    return [
        pytest.param(value, marks=pytest.mark.release if i % step else ())
        for i, value in enumerate(values)
    ]


def each(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[..., Any]:
    """As `pytest.mark.parametrize`, but one test tries all rows, which take milliseconds. A failure
    names its row."""
    all_rows = [(row,) for row in rows] if isinstance(names, str) else list(rows)
    keys = (names,) if isinstance(names, str) else names

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            for number, row in enumerate(all_rows):
                values = dict(zip(keys, row, strict=True))
                try:
                    test(**fixtures, **values)
                except (Exception, pytest.fail.Exception) as error:
                    raise AssertionError(f"row {number}: {values}") from error

        takes = inspect.signature(test)
        left = [one for name, one in takes.parameters.items() if name not in keys]
        tried.__signature__ = takes.replace(parameters=left)  # type: ignore[attr-defined]
        return tried

    return decorate


def lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, folders called "locked" cannot be read."""
    scandir = os.scandir

    def refused(path: Any) -> Any:
        if os.fspath(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of vectors, by column."""
    with (VECTORS / name).open(newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def ints(row: dict[str, str], *names: str) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in names)


needs_loopback = pytest.mark.skipif(not has_loopback(), reason="no loopback interface here")


def ran(command: Sequence[Any], **settings: Any) -> subprocess.CompletedProcess[str]:
    """A process that has ended, with what it printed."""
    settings = {"check": False, **settings}
    return subprocess.run([*map(str, command)], capture_output=True, text=True, **settings)


def run_shell(lines: str, folder: Path) -> str:
    """What lines of a shell print, `fixsync` and `python` being this Python's."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = ran(["sh", "-e", "-c", lines], cwd=folder, env={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a document, with each key or index in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], (dict, list)):
            found += places(value[key])
    return found


def damaged_values(document: Any, chance: random.Random, values: list[Any]) -> Iterator[Any]:
    """Copies of a document with another value somewhere."""
    from strategies import rounds  # loads fixsync, which a run with workers need not

    for _ in rounds(2400):
        made = copy.deepcopy(document)
        holder, key = chance.choice(places(made))
        holder[key] = chance.choice(values)
        yield made


def windows_play(program: Path, logs: list[Path], options: list[str], ends: str) -> None:
    """Two windows of an example play one match against each other, with bots; each ends with a line
    that matches `ends`, and both record the same log."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    pipe: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, program, "--bot", *options, "--port", port, "--log"]
    started = [
        subprocess.Popen([*command, log, *address], env=environment, **pipe)
        for log, address in zip(logs, ([], ["127.0.0.1"]), strict=True)
    ]
    try:
        for process in started:
            out, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
            assert re.search(ends, out, re.MULTILINE), out
    finally:
        for process in started:
            with process:
                process.kill()
    assert logs[0].read_bytes() == logs[1].read_bytes()

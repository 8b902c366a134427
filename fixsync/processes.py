"""Processes of a Python with a fixsync: how they are started, and those that answer line by line."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

import fixsync

__all__ = ["Worker", "command", "environment"]


def command(module: str) -> list[str]:
    """Calls `main` of a module. The current folder is not searched first: it may have another
    fixsync."""
    code = f"import sys; sys.path[:] = filter(None, sys.path); from {module} import main; main()"
    return [sys.executable, "-c", code]


def environment() -> dict[str, str]:
    """This process's environment and search path of modules, this fixsync first."""
    here = str(Path(fixsync.__file__).parent.parent)
    path = [here, *(entry or str(Path.cwd()) for entry in sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


class Worker:
    """A process that takes a line and answers with lines. It is killed by `stop`, and ends by itself
    when its standard input does."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        errors: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        is_apart: bool = False,
    ) -> None:
        """errors: its standard error; None: that of this process. is_apart: an interrupt from the
        keyboard goes to the parent only. OSError if it cannot be started."""
        options: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(  # noqa: S603
            [*arguments], stderr=errors, env=environment, start_new_session=is_apart, **options
        )
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Passes on the answers, so that waiting for one can time out."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        with self._process.stdout as pipe:
            for line in pipe:
                self._lines.put(line)
        self._lines.put(None)

    def ask(self, line: bytes) -> None:
        """Sends a line. A process that has ended does not answer; `answer` handles that."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def answer(self, seconds: float | None = None) -> bytes | None:
        """The next line; None from a process that has ended. TimeoutError if it takes longer."""
        try:
            return self._lines.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None

    def wait(self) -> int:
        """The exit code of a process that has ended."""
        return self._process.wait()

    def stop(self) -> int:
        """Kills the process, and returns its exit code."""
        self._process.kill()
        code = self._process.wait()
        # Closing flushes a request that nobody will read.
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        return code

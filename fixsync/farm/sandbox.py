"""A worker process, and what becomes of a log that ends it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

import msgspec
from msgspec import Struct

from fixsync.farm.verdicts import CRASHED, OUT_OF_MEMORY, TIMED_OUT, Outcome

__all__ = ["Identity", "Sandbox", "Settings", "WorkerError", "can_limit_memory"]

_PROGRAM = Path(__file__).parent / "worker.py"
_START_SECONDS = 120.0
_TRACE_BYTES = 4000
_ERRORS_BYTES_MAX = 1 << 20
_OUTCOME = msgspec.json.Decoder(Outcome)
_END = None


class WorkerError(Exception):
    """Workers cannot be started, or are not what they must be; no log is to blame."""


class Settings(Struct, frozen=True):
    """How workers verify."""

    memory_bytes: int = 0
    """The most address space that a worker may take; 0: no limit."""
    seconds: float = 0.0
    """The longest that a log may take; 0: no limit."""
    logs_per_worker: int = 0
    """After so many logs a worker is replaced by a new one; 0: never."""
    sims: tuple[str, ...] = ()
    """Simulations that logs name, as `module:object`."""
    path: tuple[str, ...] = ()
    """Folders where modules are looked for, before all others."""
    digest: bool = False
    """Whether the outcome tells the digest of all that was computed."""
    kept: str = ""
    """Where the log with all that was computed is left, if `digest` is set; "": nowhere."""
    scratch: str = ""
    """Where copies of remote logs are for as long as they are needed; "": where the system has such
    files.
    """
    python: str = sys.executable
    environment: tuple[tuple[str, str], ...] | None = None
    """None: this process's."""


class Identity(Struct, frozen=True):
    """What a worker replays with. Where all but `python`, `machine` and `folder` agree, verdicts
    do.
    """

    fixsync: str
    """The version."""
    semantics: str
    """The kernel's answers to a fixed match, as an id; "" where the version has none."""
    sources: str
    """Digest of the modules."""
    kernel: str
    """Digest of the compiled kernel: another one on another platform."""
    python: str
    machine: str
    folder: str

    @property
    def code(self) -> tuple[str, str, str]:
        """What is the same on all platforms."""
        return self.fixsync, self.semantics, self.sources


_IDENTITY = msgspec.json.Decoder(Identity)


def can_limit_memory() -> bool:
    """Whether a process's memory can be limited on this system."""
    return sys.platform not in ("win32", "darwin")


class Sandbox:
    """One worker process at a time. It is started when there is something to do, and again when it
    has ended.

    A log that ends it, or takes more than it may, has that for a verdict. If the process had
    verified others before, they may be why; so the log is verified again in a new process, and that
    is its verdict."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._errors: IO[bytes] | None = None
        self._scratch = ""
        self._done = 0
        self._lock = threading.Lock()
        self._is_closed = False

    def identity(self) -> Identity:
        """What the worker is. WorkerError if it cannot be started."""
        self._ready()
        return self._identity

    def verify(self, names: Sequence[str]) -> Iterator[Outcome]:
        """Verifies logs, and gives an outcome for each, in order and as it comes."""
        waiting = deque(names)
        while waiting:
            self._ready()
            limit = self._settings.logs_per_worker
            chunk = list(waiting)[: limit - self._done] if limit else list(waiting)
            self._ask(chunk)
            for _ in chunk:
                was_new = self._done == 0
                outcome, is_alive = self._answer()
                if not is_alive:
                    self._stop()
                    if not was_new and outcome.verdict != TIMED_OUT:
                        break
                waiting.popleft()
                self._done += 1
                yield outcome
                if not is_alive:
                    break
            if limit and self._done >= limit:
                self._stop()

    def close(self) -> None:
        """Ends the process, whatever it is doing. May be called by any thread, more than once."""
        self._is_closed = True
        self._stop()

    def _ready(self) -> None:
        if self._process is None:
            self._start()

    def _start(self) -> None:
        settings = self._settings
        self._lines = SimpleQueue()
        self._done = 0
        scratch = tempfile.mkdtemp(prefix="fixsync-farm-", dir=settings.scratch or None)
        told = {
            "memory_bytes": settings.memory_bytes,
            "sims": settings.sims,
            "path": settings.path,
            "digest": settings.digest,
            "kept": settings.kept,
            "scratch": scratch,
        }
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by _stop
        environment: Mapping[str, str] | None = (
            None if settings.environment is None else dict(settings.environment)
        )
        with self._lock:
            self._scratch, self._errors = scratch, errors
            if self._is_closed:
                self._remove()
                raise WorkerError("closed")
            try:
                # In a session of its own: an interrupt from the keyboard is for the parent alone.
                process = subprocess.Popen(  # noqa: S603
                    [settings.python, str(_PROGRAM), json.dumps(told)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=environment,
                    start_new_session=True,
                )
            except OSError as error:
                self._remove()
                raise WorkerError(f"{settings.python} cannot be started: {error}") from error
            self._process = process
        threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True).start()
        try:
            line = self._lines.get(timeout=_START_SECONDS)
        except Empty:
            line = _END
        if line is _END:
            said = self._written() or "it wrote nothing"
            self._stop()
            raise WorkerError(f"a worker cannot be started with {settings.python}: {said}")
        self._identity = _IDENTITY.decode(line)

    def _ask(self, names: Sequence[str]) -> None:
        errors, process = self._errors, self._process
        if errors is not None and os.fstat(errors.fileno()).st_size > _ERRORS_BYTES_MAX:
            errors.truncate(0)
        if process is not None and process.stdin is not None:
            # One that has ended does not answer either, and that is dealt with there.
            with contextlib.suppress(OSError, ValueError):
                process.stdin.write(json.dumps({"logs": names}).encode() + b"\n")
                process.stdin.flush()

    def _answer(self) -> tuple[Outcome, bool]:
        """What the log under way came to, and whether the process may go on."""
        seconds = self._settings.seconds
        try:
            line = self._lines.get(timeout=seconds or None)
        except Empty:
            return Outcome(TIMED_OUT, why=f"took longer than {seconds:g} s", seconds=seconds), False
        if line is _END:
            return self._crash(), False
        outcome = _OUTCOME.decode(line)
        if outcome.verdict == OUT_OF_MEMORY:
            limit = self._settings.memory_bytes
            outcome.why = (
                f"needs more than the {limit >> 20} MiB of a worker"
                if limit
                else "there is none left"
            )
            return outcome, False
        return outcome, True

    def _crash(self) -> Outcome:
        process = self._process
        if process is None:
            raise WorkerError("closed")
        code = process.wait()
        if self._is_closed:
            raise WorkerError("closed")
        why = f"the worker ended with exit code {code}"
        if code < 0:
            try:
                why = f"the worker was ended by {signal.Signals(-code).name}"
            except ValueError:
                why = f"the worker was ended by signal {-code}"
            if -code == getattr(signal, "SIGKILL", 0):
                why += ", by the system for want of memory perhaps"
        return Outcome(CRASHED, why=why, trace=self._written())

    def _written(self) -> str:
        """The end of what the process wrote besides answers."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _TRACE_BYTES))
        return self._errors.read().decode("utf-8", "backslashreplace").strip()

    def _stop(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            process.kill()
            process.wait()
            if process.stdin is not None:
                # What was not written yet is for nobody now.
                with contextlib.suppress(OSError):
                    process.stdin.close()
            self._remove()

    def _remove(self) -> None:
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        shutil.rmtree(self._scratch, ignore_errors=True)


def _read(pipe: IO[bytes], lines: SimpleQueue[bytes | None]) -> None:
    """Hands on the answers as they come, so that waiting for one can end without it."""
    with pipe:
        for line in pipe:
            lines.put(line)
    lines.put(_END)

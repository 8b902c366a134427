"""A worker process, and the verdict of a log that ends it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from fixsync.base.processes import Worker
from fixsync.farm.verdicts import CRASHED, OUT_OF_MEMORY, TIMED_OUT, Outcome

_PROGRAM = Path(__file__).parent / "worker.py"
_START_SECONDS = 120.0
_TRACE_BYTES = 4000
_ERRORS_BYTES_MAX = 1 << 20
_OUTCOME = msgspec.json.Decoder(Outcome)


class WorkerError(Exception):
    """Workers cannot be started, or are of another version; not the fault of a log."""


class Settings(Struct, frozen=True):
    """How workers verify."""

    memory_bytes: int = 0
    """Limit of the address space of a worker; 0: no limit."""
    seconds: int = 0
    """Limit of the time for a log; 0: no limit."""
    sims: tuple[str, ...] = ()
    """Simulations for logs with a sim, as `module:object`."""
    path: tuple[str, ...] = ()
    """Folders of modules, searched before all others."""
    digest: bool = False
    """Whether the outcome has a digest of everything computed."""
    kept: str = ""
    """File for the log with everything computed, if `digest` is set; "": not kept."""
    python: str = sys.executable
    environment: tuple[tuple[str, str], ...] | None = None
    """Environment variables; None: those of this process."""


class Identity(Struct, frozen=True):
    """The versions that a worker replays with. If all but `python`, `machine` and `folder` are
    equal, so are the verdicts."""

    fixsync: str
    """The version."""
    semantics: str
    """`fixsync.match.questions.kernel_id()`."""
    sources: str
    """Digest of the modules."""
    kernel: str
    """Digest of the compiled kernel, which differs between platforms."""
    python: str
    machine: str
    folder: str

    @property
    def code(self) -> tuple[str, str, str]:
        """The part that is equal on all platforms."""
        return self.fixsync, self.semantics, self.sources


_OF_WORKER = ("memory_bytes", "sims", "path", "digest", "kept")
"""The settings that a worker gets."""
_IDENTITY = msgspec.json.Decoder(Identity)


def can_limit_memory() -> bool:
    """Whether this system can limit the memory of a process."""
    return sys.platform not in ("win32", "darwin")


class Sandbox:
    """One worker process at a time, started when there is work, and again after it has ended.

    A log that ends the process, or exceeds a limit, gets that as its verdict. If the process had
    verified other logs before, they may be the cause, so the log is verified again in a new process
    and gets that verdict."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._worker: Worker | None = None
        self._errors: IO[bytes] | None = None
        self._scratch = ""
        self._done = 0
        self._lock = threading.Lock()
        self._is_closed = False

    def identity(self) -> Identity:
        """The identity of the worker. WorkerError if it cannot be started."""
        self._ready()
        return self._identity

    def verify(self, names: Sequence[str]) -> Iterator[Outcome]:
        """Verifies logs and yields the outcome of each, in order, as it comes."""
        waiting = deque(names)
        while waiting:
            self._ready()
            self._ask(list(waiting))
            while waiting:
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

    def close(self) -> None:
        """Ends the process. Any thread may call it, more than once."""
        self._is_closed = True
        self._stop()

    def _ready(self) -> None:
        if self._worker is None:
            self._start()

    def _start(self) -> None:
        settings = self._settings
        self._done = 0
        try:
            scratch = tempfile.mkdtemp(prefix="fixsync-farm-")
            # Removed with the folder, by _remove.
            errors = (Path(scratch) / "errors").open("a+b")
        except OSError as error:
            raise WorkerError(f"a worker has no folder for its files: {error}") from error
        argument = {name: getattr(settings, name) for name in _OF_WORKER} | {"scratch": scratch}
        environment = None if settings.environment is None else dict(settings.environment)
        with self._lock:
            self._scratch, self._errors = scratch, errors
            if self._is_closed:
                self._remove()
                raise WorkerError("closed")
            try:
                arguments = [settings.python, str(_PROGRAM), json.dumps(argument)]
                worker = Worker(arguments, errors=errors, environment=environment, is_apart=True)
            except OSError as error:
                self._remove()
                raise WorkerError(f"{settings.python} cannot be started: {error}") from error
            self._worker = worker
        try:
            line = worker.answer(_START_SECONDS)
        except TimeoutError:
            line = None
        if line is None:
            said = self._written() or "it wrote nothing"
            self._stop()
            raise WorkerError(f"a worker cannot be started with {settings.python}: {said}")
        self._identity = _IDENTITY.decode(line)

    def _ask(self, names: Sequence[str]) -> None:
        errors, worker = self._errors, self._worker
        if errors is not None and os.fstat(errors.fileno()).st_size > _ERRORS_BYTES_MAX:
            errors.truncate(0)
        if worker is not None:
            worker.ask(json.dumps({"logs": names}).encode())

    def _answer(self) -> tuple[Outcome, bool]:
        """The outcome of the current log, and whether the process may go on."""
        seconds, worker = self._settings.seconds, self._worker
        try:
            line = worker.answer(seconds or None) if worker is not None else None
        except TimeoutError:
            return Outcome(TIMED_OUT, why=f"took longer than {seconds} s", seconds=seconds), False
        if line is None:
            return self._crash(), False
        outcome = _OUTCOME.decode(line)
        if outcome.verdict == OUT_OF_MEMORY:
            limit = self._settings.memory_bytes
            outcome.why = (
                f"needs more than the {limit >> 20} MiB of a worker"
                if limit
                else "the machine has no memory left"
            )
            return outcome, False
        return outcome, True

    def _crash(self) -> Outcome:
        worker = self._worker
        if worker is None:
            raise WorkerError("closed")
        code = worker.wait()
        if self._is_closed:
            raise WorkerError("closed")
        why = f"the worker ended with exit code {code}"
        if code < 0:
            try:
                why = f"the worker was ended by {signal.Signals(-code).name}"
            except ValueError:
                why = f"the worker was ended by signal {-code}"
            if -code == getattr(signal, "SIGKILL", 0):
                why += ", perhaps by the system for lack of memory"
        return Outcome(CRASHED, why=why, trace=self._written())

    def _written(self) -> str:
        """The end of what the process wrote to standard error."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _TRACE_BYTES))
        return self._errors.read().decode("utf-8", "backslashreplace").strip()

    def _stop(self) -> None:
        with self._lock:
            worker, self._worker = self._worker, None
            if worker is not None:
                worker.stop()
                self._remove()

    def _remove(self) -> None:
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        shutil.rmtree(self._scratch, ignore_errors=True)

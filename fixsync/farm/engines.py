"""Engines that run workers: this machine, or a Dask cluster."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from typing import Any, TypeAlias

import msgspec

from fixsync.farm.sandbox import Identity, Sandbox, Settings, WorkerError
from fixsync.farm.store import Todo
from fixsync.farm.verdicts import CRASHED, Outcome

Batch: TypeAlias = list[Todo]
Done: TypeAlias = list[tuple[Todo, Outcome]]

_AHEAD = 2
"""Batches handed out for each worker: one to work on, and one in advance."""
_TICK_SECONDS = 0.2
_AT_ONCE = 500


class Engine(AbstractContextManager["Engine"], ABC):
    """Verifies batches of logs, each log in a worker process of `Sandbox`. A context manager."""

    name: str
    workers: int
    """Logs verified at a time."""

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Ends the worker processes."""

    @abstractmethod
    def identity(self) -> Identity:
        """The versions that the workers replay with. WorkerError if there are no workers, or they
        differ."""

    @abstractmethod
    def verify(self, batches: Iterator[Batch]) -> Iterator[Done]:
        """Yields the outcomes as they come.

        Takes from `batches` as workers become free, in the thread that asks for outcomes.
        WorkerError if no workers are left."""


class LocalEngine(Engine):
    """Worker processes of this machine.

    A thread here talks with each through its pipes, so that the end of a process concerns only the
    log that it was verifying. With pebble, loky and concurrent.futures 5 of 16 trials in which
    workers were killed lost or hung the run, and left orphans."""

    name = "local"

    def __init__(self, settings: Settings, workers: int) -> None:
        self.workers = workers
        self._sandboxes = [Sandbox(settings) for _ in range(workers)]
        self._batches: Queue[Batch | None] = Queue()
        self._results: SimpleQueue[tuple[Todo, Outcome] | BaseException | None] = SimpleQueue()
        """Outcomes, an error of a thread, and None after each batch."""

    def close(self) -> None:
        for _ in self._sandboxes:
            self._batches.put(None)
        for sandbox in self._sandboxes:
            sandbox.close()

    def identity(self) -> Identity:
        return self._sandboxes[0].identity()

    def verify(self, batches: Iterator[Batch]) -> Iterator[Done]:
        for sandbox in self._sandboxes:
            threading.Thread(target=self._serve, args=(sandbox,), daemon=True).start()
        under_way = 0
        while True:
            while under_way < _AHEAD * self.workers and (batch := next(batches, None)) is not None:
                self._batches.put(batch)
                under_way += 1
            if under_way == 0:
                return
            done: Done = []
            for item in self._come():
                if isinstance(item, BaseException):
                    raise item
                if item is None:
                    under_way -= 1
                else:
                    done.append(item)
            if done:
                yield done

    def _come(self) -> Iterator[tuple[Todo, Outcome] | BaseException | None]:
        """Yields at least one item, and all others that have come."""
        while True:
            # With a timeout: a wait without one cannot be interrupted on every system.
            with contextlib.suppress(Empty):
                yield self._results.get(timeout=_TICK_SECONDS)
                break
        # Only this thread takes items, so those that have come stay.
        for _ in range(min(_AT_ONCE, self._results.qsize())):
            yield self._results.get_nowait()

    def _serve(self, sandbox: Sandbox) -> None:
        try:
            while (batch := self._batches.get()) is not None:
                outcomes = sandbox.verify([todo.name for todo in batch])
                for done in zip(batch, outcomes, strict=True):
                    self._results.put(done)
                self._results.put(None)
        except BaseException as error:
            self._results.put(error)


# Dask.

_idle: dict[Settings, list[Sandbox]] = {}
_idle_lock = threading.Lock()


@contextlib.contextmanager
def _sandbox(settings: Settings) -> Iterator[Sandbox]:
    """An idle worker process of this Dask worker."""
    with _idle_lock:
        idle = _idle.setdefault(settings, [])
        sandbox = idle.pop() if idle else Sandbox(settings)
    try:
        yield sandbox
    except BaseException:
        sandbox.close()
        raise
    with _idle_lock:
        idle.append(sandbox)


def encoded(settings: Settings) -> bytes:
    """Settings for a Dask task."""
    return msgspec.msgpack.encode(settings)


def _decoded(settings: bytes) -> Settings:
    """Settings on a Dask worker, with its own interpreter."""
    decoded = msgspec.msgpack.decode(settings, type=Settings)
    return msgspec.structs.replace(decoded, python=sys.executable)


def verify_on_dask(settings: bytes, code: tuple[str, str, str], names: Sequence[str]) -> bytes:
    """The task that Dask runs: verifies logs. WorkerError if this worker has other code."""
    with _sandbox(_decoded(settings)) as sandbox:
        identity = sandbox.identity()
        if identity.code != tuple(code):
            raise WorkerError(_another(identity, code))
        return msgspec.msgpack.encode(list(sandbox.verify(names)))


def identity_on_dask(settings: bytes) -> bytes:
    """The identity of a Dask worker."""
    with _sandbox(_decoded(settings)) as sandbox:
        return msgspec.msgpack.encode(sandbox.identity())


def close_on_dask(settings: bytes) -> None:
    """Ends the worker processes of a Dask worker with these settings."""
    with _idle_lock:
        sandboxes = _idle.pop(_decoded(settings), [])
    for sandbox in sandboxes:
        sandbox.close()


def _another(identity: Identity, code: tuple[str, str, str]) -> str:
    names = ("version", "semantics", "sources")
    differences = ", ".join(
        f"{name} {found} where the others have {expected}"
        for name, found, expected in zip(names, identity.code, code, strict=True)
        if found != expected
    )
    return f"a worker has another fixsync in {identity.folder}: {differences}"


@contextlib.contextmanager
def _as_worker_errors(what: str, *others: type[Exception]) -> Iterator[None]:
    """Raises an error of a Dask worker as a WorkerError, unless it is one of `others`."""
    try:
        yield
    except Exception as error:
        if isinstance(error, (WorkerError, *others)):
            raise
        raise WorkerError(f"{what}: {type(error).__name__}: {error}") from error


class DaskEngine(Engine):
    """The workers of a Dask cluster. Each of their threads has a worker process for its logs, so a
    log that ends a process does not end a Dask worker.

    The batch of a Dask worker that is lost goes to another worker."""

    name = "dask"

    def __init__(
        self, settings: Settings, scheduler: str, *, timeout_seconds: float = 30.0
    ) -> None:
        """`scheduler`: an address such as tcp://host:8786, or the path of a scheduler file."""
        try:
            import distributed
        except ModuleNotFoundError as missing:
            raise WorkerError(f"it needs {missing.name}: pip install distributed fsspec") from None
        is_file = Path(scheduler).is_file()
        if not is_file and ":" not in scheduler:
            # Dask would wait for the file.
            raise WorkerError(f"no Dask scheduler answers at {scheduler}: there is no such file")
        where = {"scheduler_file" if is_file else "address": scheduler}
        self._distributed: Any = distributed
        try:
            self._client: Any = self._distributed.Client(
                **where, timeout=timeout_seconds, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise WorkerError(f"no Dask scheduler answers at {scheduler}: {error}") from error
        self._settings = settings
        self._encoded = encoded(settings)
        self._timeout_seconds = timeout_seconds
        self.workers = 0
        self._code = ("", "", "")

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._client.run(close_on_dask, self._encoded)
        with contextlib.suppress(Exception):
            self._client.close()

    def identity(self) -> Identity:
        try:
            self._client.wait_for_workers(1, timeout=self._timeout_seconds)
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise WorkerError(
                f"the Dask scheduler had no workers for {self._timeout_seconds:g} s"
            ) from error
        self.workers = self._threads()
        with _as_worker_errors("the Dask workers cannot verify logs"):
            answers = self._client.run(identity_on_dask, self._encoded)
        found = [msgspec.msgpack.decode(answer, type=Identity) for answer in answers.values()]
        first = found[0]
        for other in found:
            if other.code != first.code:
                raise WorkerError(_another(other, first.code))
        self._code = first.code
        # Compiled kernels differ between platforms with the same answers, so a mixed cluster has
        # no digest of a kernel.
        kernels = {identity.kernel for identity in found}
        return first if len(kernels) == 1 else msgspec.structs.replace(first, kernel="")

    def _threads(self) -> int:
        threads: int = sum(self._client.nthreads().values())
        return max(1, threads)

    def verify(self, batches: Iterator[Batch]) -> Iterator[Done]:
        under_way: dict[Any, Batch] = {}
        waiting: deque[Batch] = deque()
        completed = self._distributed.as_completed(loop=self._client.loop)
        while True:
            # Workers come and go.
            while len(under_way) < _AHEAD * self._threads():
                batch = waiting.popleft() if waiting else next(batches, None)
                if batch is None:
                    break
                names = [todo.name for todo in batch]
                # Not pure: Dask must not answer from its cache.
                future = self._client.submit(
                    verify_on_dask, self._encoded, self._code, names, pure=False
                )
                under_way[future] = batch
                completed.add(future)
            if not under_way:
                return
            done: Done = []
            for future in completed.next_batch(block=True):
                done += self._outcomes(future, under_way.pop(future), waiting)
            if done:
                yield done

    def _outcomes(self, future: Any, batch: Batch, waiting: deque[Batch]) -> Done:
        try:
            with _as_worker_errors("the Dask cluster failed", self._distributed.KilledWorker):
                outcomes = msgspec.msgpack.decode(future.result(), type=list[Outcome])
        except self._distributed.KilledWorker as error:
            if len(batch) > 1:
                # One of them may be the cause.
                waiting.extend([todo] for todo in batch)
                return []
            why = f"each Dask worker that verified it was lost: {error}"
            return [(batch[0], Outcome(CRASHED, why=why))]
        return list(zip(batch, outcomes, strict=True))

"""Answers `whatif` for many logs, with processes that take a log at a time."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import msgspec
from msgspec import Struct

from fixsync.base import processes
from fixsync.log.reader import Reader
from fixsync.log.rematch import rematch
from fixsync.log.whatif import WhatIf, whatif
from fixsync.match import sim

AT_ONCE = 2
"""Processes."""


class Request(Struct):
    """One log, and the changes to play it with."""

    log: str
    settings: list[str]
    sims: list[str]
    """References of simulations."""
    olds: list[str] | None
    """References of the simulations that recorded logs, where those of `sims` shall play their
    inputs again; None where they shall not."""
    output: str | None = None
    """Where to write the changed match."""
    layers: list[str] = []
    """Those of attacks."""


class Answer(Struct):
    """The result for a log, or the error in its place."""

    log: str
    found: WhatIf | None
    error: str = ""


def answer(request: Request, progress: Callable[[Reader], None] | None = None) -> Answer:
    """The answer to a request."""
    try:
        return Answer(request.log, _found(request, progress))
    except (OSError, ValueError) as error:
        return Answer(request.log, None, str(error))


def _found(request: Request, progress: Callable[[Reader], None] | None) -> WhatIf:
    sims = _by_name(request.sims)
    if request.olds is not None:
        with Reader(request.log) as reader:
            name = str(reader.header.sim)
        if name not in sims and len(sims) > 1:
            raise ValueError(f"{request.log} has the simulation {name!r}: give one of that name")
        new = sims.get(name) or next(iter(sims.values()))
        old = _by_name(request.olds).get(name) or _known(name)
        return rematch(request.log, new, old=old, layers=request.layers, progress=progress)
    return whatif(
        request.log,
        request.settings,
        output=request.output,
        layers=request.layers,
        simulations=sims,
        progress=progress,
    )


def _by_name(references: Sequence[str]) -> dict[str, sim.SimulationType]:
    found = (sim.find(reference) for reference in references)
    return {one.name: one for one in found}


def _known(name: str) -> sim.SimulationType | None:
    try:
        return sim.find_named(name)
    except ValueError:
        return None


def answers(requests: Sequence[Request], said: Callable[[], None]) -> list[Answer]:
    """The answers, in the order of the requests, from processes of their own. said: called after
    each. A log that ends its process has that as its error, and the next log gets a new one."""
    idle: SimpleQueue[processes.Worker | None] = SimpleQueue()
    for _ in range(AT_ONCE):
        idle.put(None)
    started: list[processes.Worker] = []

    def ask(request: Request) -> Answer:
        worker = idle.get()
        try:
            if worker is None:
                worker = processes.Worker(
                    processes.command("fixsync.farm.whatif"), environment=processes.environment()
                )
                started.append(worker)
            worker.ask(msgspec.json.encode(request))
            found = msgspec.json.decode(worker.answer() or b"", type=Answer)
        except msgspec.DecodeError:
            code = worker.stop() if worker is not None else 0
            found = Answer(request.log, None, f"its process ended with exit code {code}")
            worker = None
        finally:
            idle.put(worker)
        said()
        return found

    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            return [*pool.map(ask, requests)]
        finally:
            # After an interrupt no log is begun, and none goes on.
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in started:
                worker.stop()


def main() -> None:
    """A process: requests on standard input, a line each, answers on standard output."""

    def answered(line: bytes) -> bytes:
        request = msgspec.json.decode(line, type=Request)
        try:
            found = answer(request)
        except Exception as error:
            traceback.print_exc()
            found = Answer(request.log, None, f"{type(error).__name__}: {error}")
        return msgspec.json.encode(found)

    processes.serve(answered)

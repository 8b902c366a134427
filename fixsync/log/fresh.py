"""Replays the log of a simulation in new processes, to find out whether the simulation depends on
its process.

No two of them hash strings alike, and one leaves asserts out. A simulation that depends on
addresses, on clocks or on the machine may still give the same in all of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from fixsync import processes, sim
from fixsync.log.player import Player
from fixsync.log.reader import Reader

__all__ = ["Run", "cause", "run", "states"]

_ENVIRONMENTS = tuple(
    {"PYTHONHASHSEED": str(key), "PYTHONOPTIMIZE": "1" if key == 3 else ""} for key in (1, 2, 3, 4)
)
_AT_ONCE = 2


class Run(NamedTuple):
    """A new process that has ended."""

    how: str
    file: Path
    """Its results."""
    error: str
    """Why it ended before the log did; "" if it did not."""


def run(
    reference: str, log: str | os.PathLike[str], folder: Path, *, last: int | None, is_whole: bool
) -> list[Run]:
    """Replays a log in each new process, two at a time.

    reference: the simulation as `fixsync.sim.find` knows it there. folder: for files. last: the
    last frame to play; None: all. is_whole: keep the saved states, not their hashes."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        one = partial(_run, reference, os.fspath(log), folder, last, is_whole)
        return list(pool.map(one, _ENVIRONMENTS))


def _run(
    reference: str,
    log: str,
    folder: Path,
    last: int | None,
    is_whole: bool,
    environment: dict[str, str],
) -> Run:
    how = " ".join(f"{name}={value}" for name, value in environment.items() if value)
    file = folder / environment["PYTHONHASHSEED"]
    file.touch()
    arguments = [reference, log, str(file), "" if last is None else str(last), str(int(is_whole))]
    done = subprocess.run(  # noqa: S603
        [*processes.command("fixsync.log.fresh"), *arguments],
        env={**processes.environment(), **environment},
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return Run(how, file, "")
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    error = f"it raised {lines[-1]}" if lines else f"it ended with exit code {done.returncode}"
    return Run(how, file, error)


def states(runs: Sequence[Run]) -> Iterator[list[bytes | None]]:
    """The results of the processes: before the first frame, then after each; None for one that has
    ended. The last list has at least one None."""
    files = [run.file.open("rb") for run in runs]
    try:
        row: list[bytes | None] = []
        while None not in row:
            row = [_taken(file) for file in files]
            yield row
    finally:
        for file in files:
            file.close()


def cause(reference: str, log: str | os.PathLike[str], last: int | None) -> str:
    """Why replaying a log of a simulation may not give the results of its recorder: a sentence that
    blames the simulation, or "" if all processes, and this one, replay it alike.

    reference, last: as for `run`."""
    try:
        with Reader(log) as reader, tempfile.TemporaryDirectory(prefix="fixsync-") as directory:
            first, name = reader.header.first_frame, reader.header.sim
            runs = run(reference, log, Path(directory), last=last, is_whole=False)
            advice = f"No peer is at fault. To find out why: fixsync synctest {reference}"
            for count, row in enumerate(states(runs), first):
                if len({*row}) > 1:
                    return (
                        f"{name} depends on its process: four new processes replay {log}"
                        f" differently {_when(count, first)}. {advice}"
                    )
            if count == first and runs[0].error:
                return f"new processes cannot replay {log}, so no peer is blamed: {runs[0].error}"
            here = _computed(reader, sim.find(reference), last, is_whole=False)
            for count, row in enumerate(states(runs), first):
                if next(here, None) != row[0]:
                    return (
                        f"something of {name} outlives a match, such as a global variable: four new"
                        f" processes replay {log} alike, and this one differently"
                        f" {_when(count, first)}. {advice}"
                    )
    except (OSError, ValueError) as wrong:
        return f"new processes cannot replay {log}, so no peer is blamed: {wrong}"
    return ""


def _when(count: int, first: int) -> str:
    return "at the start" if count == first else f"from frame {count - 1} on"


def _computed(
    reader: Reader, simulation: sim.SimulationType, last: int | None, *, is_whole: bool
) -> Iterator[bytes]:
    """The results of replaying a log: its state before the first frame, then after each, or hashes
    of it and of the frame's events."""
    player = Player(reader.header, {str(reader.header.sim): simulation})
    for frame in islice(reader, None if last is None else last - reader.header.first_frame + 1):
        if player.simulation is None:
            player.simulation = player.start(len(frame.inputs))  # type: ignore[union-attr]
            player.world = player.simulation.world
            yield _kept(player.simulation.save(), b"", is_whole=is_whole)
        player.play(frame)
        events = msgspec.json.encode((player.events, player.game))
        yield _kept(player.simulation.save(), events, is_whole=is_whole)


def _kept(state: bytes, events: bytes, *, is_whole: bool) -> bytes:
    return state if is_whole else sim.hash_of(state + events).to_bytes(8, "little")


def _taken(file: BinaryIO) -> bytes | None:
    size = file.read(4)
    return file.read(int.from_bytes(size, "little")) if len(size) == 4 else None


def main() -> None:
    """A new process."""
    reference, log, file, last, is_whole = sys.argv[1:]
    with Reader(log) as reader, Path(file).open("wb") as out:
        simulation, end = sim.find(reference), int(last) if last else None
        for state in _computed(reader, simulation, end, is_whole=is_whole == "1"):
            out.write(len(state).to_bytes(4, "little") + state)

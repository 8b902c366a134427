"""A simulation whose inputs are what can go wrong in a process, for tests of what verifies logs.

Each log of it that is begun adds a line to the file that the environment names in TROUBLE_FILE: the
process's number and the log's seed. "wait" waits for the file named in TROUBLE_GATE."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import logs
from bumpers import Bumpers

from fixsync import Event
from fixsync.match.sim import Input

_begun = 0


def _fill_memory() -> None:
    taken = []
    while True:
        taken.append(bytearray(1 << 27))


def _loop() -> None:
    while True:
        pass


def _end_unless_first() -> None:
    if _begun > 1:
        os.kill(os.getpid(), signal.SIGKILL)


def _talk() -> None:
    print("not an answer", flush=True)
    os.write(1, b"nor is this\n")


def _wait() -> None:
    gate = Path(os.environ["TROUBLE_GATE"])
    while not gate.exists():
        time.sleep(0.005)


TROUBLES = {
    "none": lambda: None,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(0),
    "loop": _loop,
    "exit": lambda: sys.exit(0),
    "raise": lambda: 1 // 0,
    "memory": _fill_memory,
    "talk": _talk,
    "wait": _wait,
    "not first": _end_unless_first,
}
NAMES = list(TROUBLES)


class Trouble(Bumpers):
    """The first player's input is the place of a trouble in TROUBLES."""

    name: ClassVar[str] = "trouble"

    def __init__(self, seed: int, players: int) -> None:
        global _begun
        super().__init__(seed, players)
        _begun += 1
        if "TROUBLE_FILE" in os.environ:
            with Path(os.environ["TROUBLE_FILE"]).open("a") as file:
                file.write(f"{os.getpid()} {seed}\n")

    def check_input(self, player: int, value: Input) -> None:
        """All are allowed."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        TROUBLES[NAMES[int(inputs[0])]]()  # type: ignore[arg-type]
        return super().step([0] * self.players)


def write(path: Path, *troubles: str, seed: int = 0) -> Path:
    """A log whose frames have these troubles, one each."""
    frames: list[Any] = [
        {"frame": number, "inputs": [NAMES.index(trouble), 0]}
        for number, trouble in enumerate(troubles)
    ]
    return logs.write(path, logs.header(capacity=2, sim="trouble", seed=seed), frames)

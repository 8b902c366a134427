"""Whose results a log has: the semantics of the kernel, the build of the game, and its data. A
program that has another one may compute something else, and nobody has cheated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from fixsync._native import kernel
from fixsync.log.schema import About
from fixsync.match import sim

ORIGIN = ("semantics", "build", "data")
"""Keys of the header."""
_WORDS = {
    "data": "recorded with other data",
    "semantics": "recorded by another semantics",
    "build": "recorded by another build",
}
"""The surest cause of a difference first."""


class Other(NamedTuple):
    """What a log has of another program."""

    what: str
    """One of ORIGIN."""
    recorded: int | str
    here: int | str | None
    """None: this program does not say it."""

    @property
    def words(self) -> str:
        return _WORDS[self.what]


def origin_of(simulation: object = None) -> dict[str, Any]:
    """The keys of this program: of the kernel, and of the simulation that it runs."""
    data = None if simulation is None else sim.data_of(simulation)
    return {
        "semantics": kernel.semantics(),
        "build": None if simulation is None else sim.build_of(simulation),
        "data": None if data is None else f"{data:016x}",
    }


def others(about: About, simulation: object = None) -> list[Other]:
    """What a log says that is not so here, the surest cause of a difference first. The results of a
    trace, without a simulation, depend on the kernel alone."""
    here = origin_of(simulation)
    known = ORIGIN if simulation is not None else ORIGIN[:1]
    said = ((what, getattr(about, what)) for what in _WORDS if what in known)
    return [Other(what, was, here[what]) for what, was in said if was not in (None, here[what])]


def others_text(found: Iterable[Other]) -> str:
    """As text: "recorded with other data (0123456789abcdef, here none)"."""
    return ", ".join(
        f"{one.words} ({_value(one.what, one.recorded)}, here {_value(one.what, one.here)})"
        for one in found
    )


def _value(what: str, value: int | str | None) -> str:
    """A build is any text, so it is quoted and cut."""
    text = "none" if value is None else str(value)
    if what != "build" or value is None:
        return text
    return f'"{text}"' if len(text) <= 60 else f'"{text[:57]}..."'


def between(a: About, b: About) -> str:
    """The same of two logs; "" unless both say it."""
    pairs = ((what, getattr(a, what), getattr(b, what)) for what in _WORDS)
    return ", ".join(
        f"{_WORDS[what]} ({_value(what, one)} in A, {_value(what, other)} in B)"
        for what, one, other in pairs
        if one != other and None not in (one, other)
    )

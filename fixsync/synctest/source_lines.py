"""Finds the lines of a game that make it depend on an order or a number of its process, and those
that never ran, with a process that reads the game's modules anew (`reread`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from fixsync.match.sim import Input
from fixsync.synctest.instrumented import Cover, Look, Looked, Note, UnrunLines
from fixsync.synctest.player_process import Case, Result
from fixsync.synctest.process_check import Process, ProcessError

_SALTS = 6
_PLACES_MAX = 24
"""Places that are tried alone."""


@dataclass
class Seen:
    """The findings about a game's modules."""

    places: list[Note] = field(default_factory=list)
    """Lines that change the result, each alone or, if none does, all together."""
    row: int = 0
    """The first row that they change."""
    salt: int = 0
    """With which they do."""
    asked: list[Note] = field(default_factory=list)
    """Calls that ask the machine, which may be right there."""
    missed: list[UnrunLines] = field(default_factory=list)
    """Lines that never ran."""
    is_cut: bool = False
    """Whether that is not known, because the game ended the trace."""
    why_not: str = ""
    """Why the modules could not be looked at."""


class SaltedPair:
    """One process that plays a match as it is, and with its orders shuffled."""

    def __init__(self, case: Case, salt: int) -> None:
        self._process, self._salt = _process(case), salt

    def differs(self, inputs: Sequence[tuple[Input, ...]], seed: int | None = None) -> int | None:
        """The first row that differs."""
        looks = [Look(list(inputs), salt, seed=seed) for salt in (0, self._salt)]
        one, two = (self._process.ask(look, Looked).result for look in looks)
        row: int | None = one.differs(two)
        return row

    def missed(self, inputs: Sequence[tuple[Input, ...]], seed: int) -> list[UnrunLines]:
        """The lines that never ran in this match, nor in those before."""
        found = self._process.ask(Cover(list(inputs), seed), list[UnrunLines] | None)
        return found or []

    def close(self) -> None:
        self._process.close()


def _process(case: Case) -> Process:
    return Process(case, {}, "fixsync.synctest.instrumented")


def look(case: Case, expected: Result) -> Seen:
    """Looks at the game's modules while a match is played, whose result is expected."""
    if not case.folder:
        return Seen(why_not="its module is not a file")
    try:
        with closing(_process(case)) as process:
            return _seen(process, case, expected)
    except ProcessError as ended:
        return Seen(why_not=f"its process ended: {ended}")


def _seen(process: Process, case: Case, expected: Result) -> Seen:
    def played(salt: int, frames: int | None = None, only: list[int] | None = None) -> Looked:
        request = Look(list(case.inputs[:frames]), salt, only)
        found: Looked = process.ask(request, Looked)
        return found

    plain = played(0)
    if not plain.result.digests:
        return Seen(why_not=plain.result.error)
    seen = Seen(asked=plain.asked)
    missed: list[UnrunLines] | None = process.ask(Cover(list(case.inputs)), list[UnrunLines] | None)
    seen.missed, seen.is_cut = missed or [], missed is None
    if plain.result.differs(played(0).result) is not None:
        seen.why_not = "its modules, read anew, give another result each time"
        return seen
    places = dict(plain.places)
    for salt in range(1, _SALTS + 1) if places else ():
        salted = played(salt)
        row = plain.result.differs(salted.result)
        if row is None:
            continue
        places |= salted.places
        seen.row, seen.salt = row, salt
        alone = [
            note
            for place, note in [*places.items()][:_PLACES_MAX]
            if plain.result.cut(row).differs(played(salt, row, [place]).result) is not None
        ]
        seen.places = [*dict.fromkeys(alone or places.values())]
        return seen
    if plain.result.differs(expected) is not None:
        seen.why_not = "its modules, read anew, give another result"
    return seen

"""Events of a match: the meaning of another peer's message, as `Remote.receive` returns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fixsync.session.end import Reason
from fixsync.session.packets import Blob


@dataclass(frozen=True, slots=True)
class Refused:
    """A setting of the peer is another one, and the match cannot begin."""

    text: str


@dataclass(frozen=True, slots=True)
class Greeted:
    """The peer knows this peer's present life."""

    join: bool
    """The match runs there: this peer must come in by a snapshot."""


@dataclass(frozen=True, slots=True)
class Updated:
    """Inputs, hashes or acknowledgements have come."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A snapshot or evidence is whole."""

    kind: Blob
    data: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """The match is over for the peer, and so for this one."""

    reason: Reason
    frame: int
    peer: int
    text: str


Event: TypeAlias = Refused | Greeted | Updated | Arrived | Ended

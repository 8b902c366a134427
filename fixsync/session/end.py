"""How a match ended, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from fixsync.session.desync import Desync


class Reason(IntEnum):
    """Why a match ended."""

    COMPLETED = 1
    """Every frame was confirmed, and every hash was the same on all peers."""
    LEFT = 2
    """A player left."""
    SILENT = 3
    """Nothing valid came from a player for too long."""
    STALLED = 4
    """A player was heard, but an input of theirs that all wait for did not come."""
    REFUSED = 5
    """The peers' settings, kernels or protocols are not the same."""
    DESYNC = 6
    """The states of two peers differ after the same frame."""
    JOIN_FAILED = 7
    """A peer could not come in: its snapshot did not load, or it fell too far behind."""


@dataclass(frozen=True)
class End:
    """How a match ended for one peer."""

    reason: Reason
    frame: int
    """Of a desync, the frame; otherwise, how many frames were confirmed."""
    peer: int
    """The peer that left, fell silent or was refused; of a desync, the peer that noticed it."""
    text: str
    """For people."""
    desync: Desync | None = field(default=None, repr=False)

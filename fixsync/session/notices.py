"""Notices: the results of a session's `advance`, for the game; at last how the match ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from fixsync.match.notices import Confirmed as Confirmed
from fixsync.match.notices import Predicted as Predicted
from fixsync.match.notices import TakenBack as TakenBack

if TYPE_CHECKING:  # which needs the timeline, which needs this
    from fixsync.session.desync import Desync


@dataclass(frozen=True, slots=True)
class Joined:
    """The simulation was brought to this frame by a snapshot. Earlier frames give no notices here.

    The `advance` that returns it steps nothing: a match log can begin with the simulation as it
    is."""

    frame: int
    state_hash: int


Notice: TypeAlias = Predicted | TakenBack | Confirmed | Joined


class Reason(IntEnum):
    """Why a match ended."""

    COMPLETED = 1
    """Every frame was confirmed, and every hash was the same on all players."""
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
    """The peer that the reason is about: it left, fell silent or was refused; of a desync, one of
    the two that differ."""
    text: str
    """For people. What another peer says is quoted, with its number."""
    reported_by: int
    """The peer that says so: this one, or the one whose message ended the match here. It may be
    wrong, or lie."""
    desync: Desync | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PeerStats:
    """The connection with one other peer."""

    peer: int
    rtt_ms: int | None
    """The round trip, smoothed; None as long as it is not known."""
    jitter_ms: int
    """How much the round trip varies, smoothed."""
    loss_percent: int
    """Of its last 256 packets since it was first heard, those that did not come, or not yet."""
    frames_ahead: int
    """By how many frames this peer is ahead of it, as far as is known."""
    bytes_in: int
    """Bytes a second that came from it, of the last whole second."""
    bytes_out: int
    """Bytes a second that went to it, of the last whole second."""


@dataclass(frozen=True, slots=True)
class SessionStats:
    """The state of a session: what a game shows its player, and what an operator logs."""

    frame: int
    confirmed: int
    rollbacks: int
    resteps: int
    waits: int
    """Number of calls of `advance` that stepped no frame because an input was missing."""
    waiting_for: tuple[int, ...]
    """The peers that the match waits for."""
    waiting_ms: int
    """How long it has waited for them."""
    frames_covered: int
    """`prediction_max` of the match, and the least of `input_delays` of seats with a player."""
    frames_needed: int
    """Frames of the longest way to a player with its jitter, one for the loops, and one for each of
    the most packets that were lost in a row, of the last 256. If this is more than
    `frames_covered`, the match runs slower than its tick rate, on all peers alike."""
    peers: tuple[PeerStats, ...]
    input_delays: tuple[int, ...]
    """By player, the input delay of the last confirmed frame."""

    @property
    def is_slowed(self) -> bool:
        """Whether the match cannot keep its tick rate on these ways."""
        return self.frames_needed > self.frames_covered

"""Sessions: a match played by several peers, in lockstep or with rollback. See docs/sessions.md."""

from fixsync.session.blobs import Evidence
from fixsync.session.desync import Desync
from fixsync.session.match import Match, Timing
from fixsync.session.notices import (
    Confirmed,
    End,
    Joined,
    Notice,
    PeerStats,
    Predicted,
    Reason,
    SessionStats,
    TakenBack,
)
from fixsync.session.remote import Phase
from fixsync.session.session import (
    LockstepSession,
    RollbackSession,
    Session,
    SpectatorSession,
)

__all__ = [
    "Confirmed",
    "Desync",
    "End",
    "Evidence",
    "Joined",
    "LockstepSession",
    "Match",
    "Notice",
    "PeerStats",
    "Phase",
    "Predicted",
    "Reason",
    "RollbackSession",
    "Session",
    "SessionStats",
    "SpectatorSession",
    "TakenBack",
    "Timing",
]

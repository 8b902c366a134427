"""Sessions: a match played by several peers, in lockstep or with rollback. See docs/sessions.md."""

from fixsync.session.blobs import Evidence
from fixsync.session.desync import Desync
from fixsync.session.end import End, Reason
from fixsync.session.kinds import LockstepSession, RollbackSession, SpectatorSession
from fixsync.session.match import Match, Timing
from fixsync.session.notices import Confirmed, Joined, Notice, Predicted, TakenBack
from fixsync.session.remote import Phase
from fixsync.session.session import Session

__all__ = [
    "Confirmed",
    "Desync",
    "End",
    "Evidence",
    "Joined",
    "LockstepSession",
    "Match",
    "Notice",
    "Phase",
    "Predicted",
    "Reason",
    "RollbackSession",
    "Session",
    "SpectatorSession",
    "TakenBack",
    "Timing",
]

"""What the parts of a session share: the phase of the match, this peer, and the other peers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from fixsync.session.blobs import Evidence
from fixsync.session.end import End, Reason
from fixsync.session.match import HOST, INPUT_DELAY_MAX, PREDICTION_MAX, Match, Timing
from fixsync.session.packets import NEVER
from fixsync.session.seats import Seats
from fixsync.session.timeline import Timeline

if TYPE_CHECKING:
    from fixsync.session.remote import Remote

AHEAD_FRAMES_MAX = 256
"""Inputs and hashes are taken up to this many frames ahead. Players are never farther apart than
two predictions and two delays; a peer that catches up takes what comes in order, and asks for the
rest again."""

# A peer that watches or joins is dropped when it is this many frames behind.
BACKLOG_FRAMES_MAX = 3600
# States are kept for at most this many confirmed frames. Between players who were there from the
# start none is older than `detection_frames_max`; one who joins may hear from some players later.
_STATES_MAX = 4 * (INPUT_DELAY_MAX + PREDICTION_MAX)


class Phase(Enum):
    """The phase of a session."""

    CONNECTING = auto()
    """Waits for the other players."""
    JOINING = auto()
    """The match runs; waits for a snapshot."""
    RUNNING = auto()
    ENDED = auto()


@dataclass
class Local:
    """What the parts of a session know of this peer and its match."""

    match: Match
    me: int
    instance: int
    semantics: bytes
    timing: Timing
    seats: Seats
    timeline: Timeline
    remotes: dict[int, Remote] = field(default_factory=dict)
    phase: Phase = Phase.CONNECTING
    end: End | None = None
    is_over: bool = False
    feeder: int | None = None
    """The peer that this one joins by."""
    moved_ms: int = 0
    """When a frame was stepped or confirmed last."""
    received: int = 0
    refused: int = 0
    fault: str = ""
    """Why the last packet was refused that names no peer of the match."""

    @property
    def is_playing(self) -> bool:
        return self.phase is Phase.RUNNING and self.me in self.seats.sources

    @property
    def frames(self) -> int | None:
        """The length of the match; None as long as it is not known."""
        frames = self.timeline.frames
        return self.match.frames if frames is None else frames

    def waiting_for(self) -> list[int]:
        """The peers that the match waits for."""
        required, confirmed = self.required(), self.timeline.confirmed
        if self.phase is Phase.CONNECTING:
            return [remote.peer for remote in required if not remote.is_established]
        if self.phase is Phase.JOINING:
            return [HOST if self.feeder is None else self.feeder]
        if confirmed == self.frames:
            return [remote.peer for remote in required if not remote.has_all(confirmed)]
        if self.phase is Phase.ENDED or (self.is_playing and self.timeline.can_step):
            return []
        unheard = [remote.peer for remote in required if not remote.is_mutual]
        if unheard and not self.is_playing:
            return unheard
        late = [seat for seat, it in enumerate(self.seats.streams) if it.next <= confirmed]
        return sorted({HOST if self.seats.since[seat] == NEVER else seat for seat in late})

    def is_made_here(self, seat: int) -> bool:
        """Whether this peer makes a seat's inputs, or will when it begins at frame 0."""
        seats = self.seats
        if self.feeder is not None:
            return seat in seats.sources
        return seat == self.me or (self.me == HOST and seats.since[seat] == NEVER)

    def required(self) -> list[Remote]:
        """The peers that the match waits for."""
        return [remote for remote in self.remotes.values() if remote.is_required]

    def all_confirmed(self, besides: Remote | None = None) -> int:
        """The frames below this are confirmed here and by all required peers."""
        others = (remote.confirmed for remote in self.required() if remote is not besides)
        return min([self.timeline.confirmed, *others])

    def evidence(self, frame: int) -> Evidence:
        """What this peer has of a frame."""
        timeline = self.timeline
        inputs = timeline.final_inputs.get(frame, ())
        if not inputs:
            return Evidence(frame, b"", b"", (), b"")
        before, after = (timeline.states.get(at, b"") for at in (frame, frame + 1))
        digest = timeline.inputs_digests.get(frame + 1, b"")
        game = timeline.final_game.get(frame, ())
        over = timeline.frames == frame + 1
        return Evidence(frame, before, after, inputs, digest, game, over)

    def let_go(self) -> None:
        """Forgets what no peer can ask for any more."""
        confirmed, is_player = self.timeline.confirmed, self.match.is_player(self.me)
        inputs = hashes = states = confirmed
        for remote in self.remotes.values():
            if remote.is_required and is_player:
                states = min(states, remote.compared)
            elif remote.is_fresh and remote.snapshot is None:
                continue
            elif confirmed - remote.floor > BACKLOG_FRAMES_MAX or not remote.can_be_fed:
                remote.drop(Reason.JOIN_FAILED, f"too far behind, in frame {remote.confirmed}")
                continue
            inputs = min(inputs, remote.confirmed)
            hashes = min(hashes, remote.hash_needed)
            if self.match.is_player(remote.peer):
                hashes = min(hashes, remote.compared)
        if not is_player:
            # A spectator's evidence is of the frames that the host's hashes may still be about.
            hashes = max(self.remotes[HOST].compared, confirmed - AHEAD_FRAMES_MAX)
            states = min(hashes, confirmed - self.match.detection_frames_max)
        self.seats.let_go(inputs)
        self.timeline.let_go(max(states, confirmed - _STATES_MAX), hashes)

    @property
    def has_evidence(self) -> bool:
        """No evidence that was asked for is missing."""
        asked = (remote.collector for remote in self.remotes.values())
        return all(collector is None or collector.data is not None for collector in asked)

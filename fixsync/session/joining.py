"""How a peer joins a match: at frame 0, or by a snapshot."""

from __future__ import annotations

from fixsync.session.blobs import Collector, Snapshot, decoded
from fixsync.session.match import HOST
from fixsync.session.notices import Joined
from fixsync.session.packets import Blob
from fixsync.session.remote import Local, Phase
from fixsync.sim import hash_of


class Joining:
    """How this peer joins the match."""

    def __init__(self, local: Local, now_ms: int) -> None:
        self.local = local
        self.since_ms = now_ms
        """The time at which the present wait began."""
        self.has_begun = False
        """It was in the match from frame 0 on."""
        if not local.seats.is_mine_taken:
            self.join(HOST, now_ms)

    def begin(self, now_ms: int) -> None:
        """Begins at frame 0, unless a player is missing or an earlier life of this peer may have
        begun the match already.

        In its first life a peer began no match; if one of the starting players is in its first
        life, there was no match. Otherwise every other peer is asked: those who are in a match
        answer with `join`. Who does not answer for `silence_ms` has given that match up."""
        local = self.local
        required = local.required()
        if not all(remote.is_established for remote in required):
            return
        if 1 not in (local.instance, *(remote.instance for remote in required)):
            for remote in local.remotes.values():
                is_silent = now_ms - remote.heard_ms > local.timing.silence_ms
                if not (remote.is_established or is_silent):
                    return
        for remote in local.remotes.values():
            remote.started_instance = remote.instance
        self.has_begun = True
        local.seats.sources.add(local.me)
        if local.me == HOST:
            local.seats.sources.update(local.match.vacant)
        self._run(now_ms)

    def join(self, feeder: int, now_ms: int) -> None:
        """Asks a peer for a snapshot."""
        self.local.phase = Phase.JOINING
        self.local.feeder = feeder
        self.local.remotes[feeder].collector = Collector(Blob.SNAPSHOT, 0)
        self.since_ms = now_ms

    def load(self, data: bytes, now_ms: int) -> Joined:
        """Continues from a snapshot. ValueError, with nothing changed, for one that cannot be."""
        local = self.local
        snapshot = decoded(Snapshot, data)
        players = local.match.players
        for name in ("seats", "lives"):
            count = len(getattr(snapshot, name))
            if count != players:
                raise ValueError(f"{name} must have {players} entries, not {count}")
        for seat, since in enumerate(snapshot.seats):
            if since and seat not in local.match.vacant:
                raise ValueError(f"seats[{seat}] must be 0, not {since}: the seat was not vacant")
        try:
            local.timeline.restart(snapshot.frame, snapshot.state, snapshot.inputs_digest)
        except ValueError:
            raise
        except Exception as wrong:  # whatever a game's load does with bytes from elsewhere
            raise ValueError(f"{type(wrong).__name__}: {wrong}") from wrong
        local.seats.restart(snapshot.frame, snapshot.seats)
        for remote in local.remotes.values():
            remote.collector = None
            # What one who watches needs is not known here: perhaps more than is held.
            floor = snapshot.frame if remote.is_required else 0
            remote.reset(floor, floor)
            remote.hear(now_ms)
            # One that was not heard yet is in the match if the sender of the snapshot says so.
            remote.started_instance = snapshot.lives[remote.peer] if remote.peer < players else 0
        self._run(now_ms)
        return Joined(snapshot.frame, hash_of(snapshot.state))

    def _run(self, now_ms: int) -> None:
        self.local.moved_ms = now_ms
        self.local.phase = Phase.RUNNING

    def take_seat(self) -> None:
        """Begins to play, once nobody can hold an input of this seat that is not held here."""
        me, seats = self.local.me, self.local.seats
        if not seats.is_mine_taken or me in seats.sources:
            return
        next_frame = seats.streams[me].next
        if next_frame >= seats.since[me] and all(
            remote.is_mutual and remote.needs[me] <= next_frame for remote in self.local.required()
        ):
            seats.sources.add(me)

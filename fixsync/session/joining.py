"""How a peer joins a match: at frame 0, or by a snapshot."""

from __future__ import annotations

from fixsync.match.sim import hash_of
from fixsync.session.blobs import Collector, Snapshot, decoded
from fixsync.session.match import FRAMES_MAX, HOST
from fixsync.session.notices import Joined, Reason
from fixsync.session.packets import NOBODY, Blob
from fixsync.session.remote import Local, Phase, Remote

_STEPS_MAX = 16
"""Frames that a peer steps at once while it catches up."""
_CATCH_UP_MS = 2000
_SEATING_MS = 2500
"""Besides six round trips: how long a player who has a snapshot, and does not catch up any more,
may wait for its seat."""
_LOOPS_MS = 64
"""An offer and its answer wait for two loops each."""
_LEAD_FRAMES_MAX = 160


class Joining:
    """How this peer joins the match."""

    def __init__(self, local: Local, now_ms: int) -> None:
        self.local = local
        self._since_ms = now_ms
        """The time at which the present wait began."""
        self.catches_up_until_ms: int | None = None
        """Until then it may step several frames at once, to be where the others are."""
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
        if not all(remote.start_number for remote in required):
            return
        if 1 not in (local.start_number, *(remote.start_number for remote in required)):
            for remote in local.remotes.values():
                is_silent = now_ms - remote.heard_ms > local.timing.silence_ms
                if not (remote.start_number or is_silent):
                    return
        for remote in local.remotes.values():
            remote.started_life = remote.life
        self.has_begun = True
        local.seats.sources.add(local.me)
        if local.me == HOST:
            local.seats.sources.update(local.match.empty_seats)
        self._run(now_ms)

    def join(self, feeder: int, now_ms: int) -> None:
        """Asks a peer for a snapshot."""
        self.local.phase = Phase.JOINING
        self.local.feeder = feeder
        self.local.remotes[feeder].collector = Collector(Blob.SNAPSHOT, 0, now_ms)
        self._since_ms = now_ms

    @property
    def moved_ms(self) -> int:
        """The time at which the present wait began, or a piece of the snapshot came."""
        collector = self.local.collector
        return self._since_ms if collector is None else max(self._since_ms, collector.moved_ms)

    def load(self, data: bytes, now_ms: int) -> Joined:
        """Continues from a snapshot. ValueError, with nothing changed, for one that cannot be."""
        local = self.local
        snapshot = decoded(Snapshot, data)
        players = local.match.players
        for name in ("seats", "lives", "delays"):
            count = len(getattr(snapshot, name))
            if count != players:
                raise ValueError(f"{name} must have {players} entries, not {count}")
        for seat, since in enumerate(snapshot.seats):
            if since and seat not in local.match.empty_seats:
                raise ValueError(f"seats[{seat}] must be 0, not {since}: the seat was not empty")
        try:
            local.timeline.restart(snapshot)
        except ValueError:
            raise
        except Exception as wrong:  # whatever a game's load does with bytes from elsewhere
            raise ValueError(f"{type(wrong).__name__}: {wrong}") from wrong
        local.seats.restart(snapshot.frame, snapshot.seats)
        for remote in local.remotes.values():
            # What one who watches needs is not known here: perhaps more than is held.
            floor = snapshot.frame if remote.is_required else 0
            remote.reset(floor, floor)
            remote.hear(now_ms)
            # One that was not heard yet is in the match if the sender of the snapshot says so.
            is_player = remote.peer < players
            remote.started_life = snapshot.lives[remote.peer] if is_player else NOBODY
        self._run(now_ms)
        return Joined(snapshot.frame, hash_of(snapshot.state))

    def _run(self, now_ms: int) -> None:
        self.local.moved_ms = now_ms
        self.local.phase = Phase.RUNNING

    def take_seat(self, now_ms: int) -> None:
        """Begins to play, once nobody can hold an input of this seat that is not held here."""
        local = self.local
        me, seats = local.me, local.seats
        if not seats.is_mine_taken or me in seats.sources:
            return
        next_frame = seats.streams[me].next
        required = local.required()
        if next_frame >= seats.since[me] and all(
            remote.is_mutual and remote.needs[me] <= next_frame for remote in required
        ):
            seats.sources.add(me)
            self.catches_up_until_ms = now_ms + _CATCH_UP_MS

    def steps(self, now_ms: int) -> int:
        """The number of frames that one `advance` may step."""
        local = self.local
        if not local.is_playing:
            return _STEPS_MAX
        if self.catches_up_until_ms is None or now_ms >= self.catches_up_until_ms:
            return 1
        behind = max([-remote.frames_behind(now_ms) for remote in local.required()], default=0)
        if behind < 1:
            self.catches_up_until_ms = None
        return min(max(1, behind), _STEPS_MAX)

    def offer_seats(self, now_ms: int) -> None:
        """The host offers empty seats to the players who have come for them, and gives them.

        An offer names a frame that is far enough ahead for the offer, the answer, the handover and
        the first inputs to arrive before anybody needs an input of that frame. If the answer does
        not come before the host plays that frame, it offers a later one."""
        local = self.local
        if local.me != HOST or not local.seats.has_empty:
            return
        for remote in local.remotes.values():
            is_waiting = local.match.is_player(remote.peer) and not remote.is_required
            if is_waiting and remote.is_fed and not remote.is_fresh:
                self._offer_seat(remote, now_ms)

    def _offer_seat(self, remote: Remote, now_ms: int) -> None:
        local, seats, seat = self.local, self.local.seats, remote.peer
        match, rtt_ms, jitter_ms = local.match, remote.rtt_ms or 0, remote.jitter_ms
        made = seats.streams[seat].next
        if remote.offer and remote.accepted == remote.offer >= made:
            seats.give(seat, remote.offer)
            remote.hear(now_ms)  # From now on it may not be silent.
            return
        behind = local.all_confirmed() - remote.confirmed
        if behind + _STEPS_MAX <= remote.behind_min:
            remote.behind_min, remote.seating_ms = behind, now_ms
        waited_ms = now_ms - remote.seating_ms
        behind_max = _STEPS_MAX + match.frames_of(rtt_ms + 4 * jitter_ms)
        answer_ms = 2 * rtt_ms + 4 * jitter_ms + _LOOPS_MS
        lead = match.frames_of(answer_ms + answer_ms * remote.offers // 2)
        frame = made + min(lead, _LEAD_FRAMES_MAX)
        if frame >= (FRAMES_MAX if local.frames is None else local.frames):
            return  # The match is over before.
        if waited_ms > _SEATING_MS + 6 * rtt_ms:
            text = (
                f"player {seat} did not take its seat in {waited_ms} ms: {remote.offers} offers, "
                f"the last for frame {remote.offer}, its last answer for "
                f"{remote.accepted or 'none'}; it was {behind} frames behind, allowed are "
                f"{behind_max}"
            )
            remote.drop(Reason.JOIN_FAILED, text)
        elif remote.offer < made and behind <= behind_max and remote.rtt_ms is not None:
            remote.offer = frame
            remote.offers += 1

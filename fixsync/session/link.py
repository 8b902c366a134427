"""What a session knows of one other peer."""

from __future__ import annotations

from fixsync.session.packets import Bye, Want

__all__ = ["Link"]


class Link:
    """One other peer, in its present life: a peer that starts anew has a higher instance."""

    def __init__(self, peer: int, players: int, now_ms: int) -> None:
        self.peer = peer
        self._players = players
        self.instance = 0
        """0: nothing was heard yet."""
        self.started_instance = 0
        """The life in which it started the match together with this peer; 0 if it was not there."""
        self.is_established = False
        """It has shown, by a Hello, that it knows this peer's present life."""
        self.heard_ms = now_ms
        self.refused = 0
        """How many of its packets were refused."""
        self.fault = ""
        """Why the last of them was."""
        self.hello_ms = -(2**62)
        self.update_ms = -(2**62)
        self.want_ms = -(2**62)
        self.owes_answer = False
        self.rtt_ms: int | None = None
        self.bye: Bye | None = None
        self.is_done = False
        """It has all of the match, and needs nobody any more."""
        self.reset(0, 0)

    def reset(self, floor: int, hash_floor: int) -> None:
        """Starts from a frame."""
        self.needs = [floor] * self._players
        self.confirmed = floor
        self.frame = floor
        self.is_fresh = True
        """No Update has come yet."""
        self.is_mutual = False
        """It has had an Update of this peer's present life."""
        self.echo: tuple[int, int] | None = None
        """Its clock in its last Update, and when that came."""
        self.hash_needed = hash_floor
        """The first of this peer's hashes that it lacks."""
        self.compared = hash_floor
        """The first frame whose hash has not been compared with its."""
        self.hash_next = hash_floor
        """The first of its hashes that has not come."""
        self.hashes: dict[int, int] = {}
        """Its hashes that came and wait to be compared."""
        self.snapshot: bytes | None = None
        """What it joins by."""
        self.is_fed = False
        """It is sent the inputs of all seats, not only of those played here."""
        self.wants: list[Want] = []
        self.sent_next = floor

    def hear(self, now_ms: int, rtt_ms: int | None) -> None:
        self.heard_ms = max(self.heard_ms, now_ms)
        if rtt_ms is not None:
            self.rtt_ms = rtt_ms if self.rtt_ms is None else (7 * self.rtt_ms + rtt_ms) // 8

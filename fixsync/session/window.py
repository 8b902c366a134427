"""The numbers of a peer's packets that have come, so that none has an effect twice."""

from __future__ import annotations

WINDOW = 1024
"""A packet that is this many numbers behind the newest is refused."""


class Window:
    """The newest life of a peer, and the last numbers that came from it."""

    def __init__(self) -> None:
        self.life = 0
        self.newest = 0
        """The highest number that came from that life."""
        self._seen = 0
        """Bit i: the number `newest` - i has come."""

    def fault(self, life: int, number: int) -> str:
        """Why a packet is refused; "" for one that may be taken."""
        if life < self.life:
            return "a packet of an earlier life"
        newest = self.newest if life == self.life else 0
        behind = newest - number
        if number < 1 or behind >= WINDOW:
            return f"packet {number} is too old: {newest} has come"
        if behind >= 0 and life == self.life and self._seen >> behind & 1:
            return f"packet {number} has come before"
        return ""

    def take(self, life: int, number: int) -> bool:
        """Takes the number of a packet without fault. Whether it is the newest."""
        if life != self.life:
            self.life, self.newest, self._seen = life, 0, 0
        ahead = number - self.newest
        if ahead > 0:
            self.newest = number
            self._seen = (self._seen << min(ahead, WINDOW) | 1) & ((1 << WINDOW) - 1)
        else:
            self._seen |= 1 << -ahead
        return ahead > 0

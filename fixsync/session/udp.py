"""Runs a session over UDP: a thin driver with a socket, a clock and a loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from fixsync.session import End, Notice, Session
from fixsync.sim import Input

__all__ = ["Address", "Endpoint", "now_ms", "play"]

Address: TypeAlias = tuple[str, int]

# When it is later than this, the loop does not catch up.
_LATE_S_MAX = 0.25
# A peer that runs ahead of the others makes each frame longer by this share, until it does not.
_SLOWER = 0.25
_AHEAD_FRAMES = 2


def now_ms() -> int:
    """The clock for sessions: milliseconds from an arbitrary beginning, never backwards."""
    return time.monotonic_ns() // 1_000_000


class Endpoint(asyncio.DatagramProtocol):
    """A UDP socket that passes packets to a session, and knows the addresses of its peers.

    A peer's address is the source of its last accepted packet, so a peer that restarts elsewhere is
    found again."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.addresses: dict[int, Address] = {}
        self.arrived = asyncio.Event()
        self._transport: asyncio.DatagramTransport | None = None

    @classmethod
    async def open(cls, host: str = "127.0.0.1", port: int = 0) -> Endpoint:
        """Binds a socket; port 0 takes a free port. OSError if it cannot be bound."""
        loop = asyncio.get_running_loop()
        _, endpoint = await loop.create_datagram_endpoint(cls, local_addr=(host, port))
        return endpoint

    @property
    def address(self) -> Address:
        """This endpoint's own address."""
        if self._transport is None:
            raise ValueError("the endpoint is not open")
        host, port, *_ = self._transport.get_extra_info("sockname")
        return host, port

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def send(self, peer: int, data: bytes) -> None:
        if self._transport is not None and peer in self.addresses:
            self._transport.sendto(data, self.addresses[peer])

    # What asyncio calls.

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        if self.session is None:
            return
        peer = self.session.receive(data, now_ms())
        if peer is not None:
            self.addresses[peer] = (addr[0], addr[1])
            self.arrived.set()

    def error_received(self, exc: Exception) -> None:
        """A packet that cannot be delivered counts as lost."""


async def play(
    endpoint: Endpoint,
    session: Session,
    peers: Mapping[int, Address],
    decide: Callable[[], Input],
    heed: Callable[[Notice], None] = lambda _: None,
    *,
    rate: int | None = None,
    watch: Callable[[], None] = lambda: None,
) -> End:
    """Plays a session until it is over, and returns how it ended.

    peers: where to find those whose address is known; whoever speaks first need not be among them.
    decide: called for the input of each frame. heed: called with each notice. rate: frames a
    second, None for the match's, 0 for as fast as the others allow. watch: called once a round."""
    endpoint.session = session
    endpoint.addresses.update(peers)
    frames_a_second = session.match.tick_rate if rate is None else rate
    frame_s = 1 / frames_a_second if frames_a_second else 0.0
    resend_s = session.timing.resend_ms / 1000
    due = time.monotonic()
    while True:
        before = session.frame, session.confirmed
        endpoint.arrived.clear()
        for notice in session.advance(decide(), now_ms()):
            heed(notice)
        for peer, data in session.outgoing(now_ms()):
            endpoint.send(peer, data)
        watch()
        if session.is_over and session.end is not None:
            return session.end
        now = time.monotonic()
        if before == (session.frame, session.confirmed):
            # Nothing moves before something arrives, or is sent again.
            due = max(due, now)
            await _arrival(endpoint, resend_s)
            continue
        is_ahead = session.frames_ahead(now_ms()) >= _AHEAD_FRAMES
        due = max(due + frame_s * (1 + _SLOWER * is_ahead), now - _LATE_S_MAX)
        await asyncio.sleep(max(0.0, due - now))


async def _arrival(endpoint: Endpoint, seconds: float) -> None:
    try:
        await asyncio.wait_for(endpoint.arrived.wait(), seconds)
    except asyncio.TimeoutError:
        return

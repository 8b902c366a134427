"""Runs a session over UDP: `Endpoint.poll` in a game's own loop, or `play` with asyncio."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
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
_DATAGRAM_BYTES_MAX = 65536


def now_ms() -> int:
    """The clock for sessions: milliseconds from an arbitrary beginning, never backwards."""
    return time.monotonic_ns() // 1_000_000


class Endpoint:
    """A UDP socket that passes packets to a session, and knows the addresses of its peers.

    It never waits. Give it a session and the known addresses by `begin`, then call `poll` once a
    frame. A peer's address is the source of its last accepted packet, so a peer that restarts
    elsewhere is found again."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Binds a socket; port 0 takes a free port. OSError if it cannot be bound."""
        self.session: Session | None = None
        self.addresses: dict[int, Address] = {}
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self.socket.setblocking(False)
            self.socket.bind(address)
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> Address:
        """This endpoint's own address. OSError if it is closed."""
        host, port, *_ = self.socket.getsockname()
        return host, port

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, session: Session, peers: Mapping[int, Address]) -> None:
        """Serves a session from now on. `peers`: the known addresses; a peer that sends first need
        not be among them."""
        self.session = session
        self.addresses.update(peers)

    def poll(self, value: Input) -> list[Notice]:
        """One round: takes what has arrived, advances the session with this player's input, and
        sends its packets. Returns the notices of `advance`."""
        if self.session is None:
            raise ValueError("no session: call begin first")
        while (packet := self._next_packet()) is not None:
            self.take(*packet)
        notices = self.session.advance(value, now_ms())
        for peer, data in self.session.outgoing(now_ms()):
            self.send(peer, data)
        return notices

    def _next_packet(self) -> tuple[bytes, tuple[Any, ...]] | None:
        while True:
            try:
                return self.socket.recvfrom(_DATAGRAM_BYTES_MAX)
            except BlockingIOError:  # noqa: PERF203 - each packet may fail by itself
                return None
            except OSError as error:
                # On Windows a packet that nobody took is reported here. A closed socket raises.
                if not isinstance(error, ConnectionError):
                    raise

    def take(self, data: bytes, source: tuple[Any, ...]) -> bool:
        """Gives the session a packet. Returns whether it was accepted."""
        if self.session is None:
            return False
        peer = self.session.receive(data, now_ms())
        if peer is not None:
            self.addresses[peer] = (source[0], source[1])
        return peer is not None

    def send(self, peer: int, data: bytes) -> None:
        """Sends a packet to a peer whose address is known. One that cannot be sent counts as
        lost."""
        if peer not in self.addresses:
            return
        try:
            self.socket.sendto(data, self.addresses[peer])
        except OSError:
            if self.socket.fileno() < 0:
                raise


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
    """Plays a session with asyncio until it is over, and returns how it ended.

    peers: the known addresses; a peer that sends first need not be among them. decide: called for
    the input of each frame. heed: called with each notice. rate: frames a second, None for the
    match's, 0 for as fast as the others allow. watch: called once a round."""
    endpoint.begin(session, peers)
    arrivals = _Arrivals(endpoint)
    rate = session.match.tick_rate if rate is None else rate
    frame_s = 1 / rate if rate else 0.0
    due = time.monotonic()
    loop = asyncio.get_running_loop()
    # The transport closes its socket; the endpoint keeps its own.
    transport, _ = await loop.create_datagram_endpoint(lambda: arrivals, sock=endpoint.socket.dup())
    try:
        while True:
            before = session.frame, session.confirmed
            arrivals.arrived.clear()
            for notice in endpoint.poll(decide()):
                heed(notice)
            watch()
            if session.is_over and session.end is not None:
                return session.end
            now = time.monotonic()
            if before == (session.frame, session.confirmed):
                # Nothing moves before something arrives, or is sent again.
                due = max(due, now)
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(arrivals.arrived.wait(), session.timing.resend_ms / 1000)
                continue
            is_ahead = session.frames_ahead(now_ms()) >= _AHEAD_FRAMES
            due = max(due + frame_s * (1 + _SLOWER * is_ahead), now - _LATE_S_MAX)
            await asyncio.sleep(max(0.0, due - now))
    finally:
        transport.close()


class _Arrivals(asyncio.DatagramProtocol):
    """Passes packets on as they arrive, and wakes who waits for them."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.arrived = asyncio.Event()
        self._endpoint = endpoint

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        if self._endpoint.take(data, addr):
            self.arrived.set()

    def error_received(self, exc: Exception) -> None:
        """A packet that cannot be delivered counts as lost."""

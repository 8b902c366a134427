"""Runs a session over UDP: `Endpoint.poll` in a game's own loop, or `play` with asyncio."""

from __future__ import annotations

import asyncio
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from fixsync._native import checks
from fixsync.match.sim import Input
from fixsync.session import End, Notice, Session

__all__ = ["Address", "Endpoint", "now_ms", "play"]

Address: TypeAlias = tuple[str, int] | tuple[str, int, int, int]
"""Host and port; of IPv6 also flow information and scope."""

# When it is later than this, the loop does not catch up.
_LATE_S_MAX = 0.25
# A peer that runs ahead of the others makes each frame longer by this share, until it does not.
_SLOWER = 0.25
_DATAGRAM_BYTES_MAX = 65536
_PORT_MAX = 65535
# On Windows sockets that share a port do not divide its packets by their senders.
_CAN_SHARE_PORTS = sys.platform != "win32"
_RECEIVE_BYTES = 4 * 2**20


class _Share(NamedTuple):
    """How much one poll takes from a socket."""

    packets: int
    ms: int


_OF_PEER = _Share(256, 4)
_OF_OUTSIDERS = _Share(64, 2)
_OF_ALL = _Share(1_000_000, 8)


def now_ms() -> int:
    """The clock for sessions: milliseconds from an arbitrary beginning, never backwards."""
    return time.monotonic_ns() // 1_000_000


class Endpoint:
    """A UDP socket that passes packets to a session, and knows the addresses of its peers.

    It never waits. Give it a session and the known addresses by `begin`, then call `poll` once a
    frame. Each known address has a socket of its own at the same port, so that a flood from
    elsewhere does not displace what peers send. A peer that is heard from another address is found
    there once it has acknowledged nothing for half a second."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Binds a socket; port 0 takes a free port. OSError if it cannot be bound, ValueError for a
        port that is not 0..65535."""
        checks.integer("port", port, 0, _PORT_MAX)
        self.session: Session | None = None
        self.addresses: dict[int, Address] = {}
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        self._family, address = found[0], found[4]
        self._by_address: dict[Address, socket.socket] = {}
        self._is_shared = _CAN_SHARE_PORTS
        self.socket = socket.socket(self._family, socket.SOCK_DGRAM)
        try:
            self.socket.setblocking(False)
            self.socket.bind(address)
            if not self._is_shared:
                self._take_all()
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> Address:
        """This endpoint's own address. OSError if it is closed."""
        host, port, *_ = self.socket.getsockname()
        return host, port

    def close(self) -> None:
        for each in (self.socket, *self._by_address.values()):
            each.close()
        self._by_address.clear()

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, session: Session, peers: Mapping[int, Address]) -> None:
        """Serves a session from now on. `peers`: the known addresses; a peer that sends first need
        not be among them. A host's name is looked up here, once.

        With nothing changed, OSError for a host that is not found or is not of this endpoint's kind
        of IP, ValueError or TypeError for a port that is not 1..65535."""
        found = {peer: self._resolved(peer, address) for peer, address in peers.items()}
        self.session = session
        for peer, address in found.items():
            self._place(peer, address)

    def poll(self, value: Input) -> list[Notice]:
        """One round: takes the packets that have arrived, advances the session with this player's
        input, and sends its packets. Returns the notices of `advance`.

        It takes at most 256 packets or 4 ms of each known address, and 64 or 2 ms of all others;
        on Windows 8 ms of all together. The rest waits for the next poll."""
        session = self._take_in()
        notices = session.advance(value, now_ms())
        self._give_out(session)
        return notices

    def exchange(self) -> None:
        """Takes the packets that have arrived, and sends those that are due, without a step. For
        each round of a loop that draws more often than it steps: `poll` then finds what arrived in
        between."""
        self._give_out(self._take_in())

    def _take_in(self) -> Session:
        if self.session is None:
            raise ValueError("no session: call begin first")
        for each in list(self._by_address.values()):
            self._receive(each, _OF_PEER)
        self._receive(self.socket, _OF_OUTSIDERS if self._is_shared else _OF_ALL)
        return self.session

    def _give_out(self, session: Session) -> None:
        for peer, data in session.outgoing(now_ms()):
            self.send(peer, data)

    def _receive(self, source: socket.socket, share: _Share) -> None:
        """Gives the session the packets that have arrived at a socket, up to a share."""
        end_ns = time.monotonic_ns() + share.ms * 1_000_000
        for _ in range(share.packets):
            try:
                packet = source.recvfrom(_DATAGRAM_BYTES_MAX)
            except BlockingIOError:
                return
            except OSError:
                # Errors of packets that were sent are reported here. A closed socket raises.
                if self.socket.fileno() < 0:
                    raise
            else:
                self.take(*packet)
            if time.monotonic_ns() >= end_ns or source.fileno() < 0:
                return

    def take(self, data: bytes, source: tuple[Any, ...]) -> bool:
        """Gives the session a packet. Returns whether it was accepted."""
        if self.session is None:
            return False
        now = now_ms()
        peer = self.session.receive(data, now)
        if peer is None:
            for answer in self.session.answers(now):
                with suppress(OSError):  # One that cannot be sent counts as lost.
                    self.socket.sendto(answer, source)
            return False
        address = _address(source)
        is_known = peer in self.addresses
        if not is_known or (self.addresses[peer] != address and self.session.may_move(peer, now)):
            self._place(peer, address)
        return True

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

    def wait(self, ms: int) -> None:
        """Waits until something arrives from a known address, or from anyone where they have no
        sockets of their own, but at most so long."""
        with selectors.DefaultSelector() as selector, suppress(ValueError, OSError):
            is_open = not (self._is_shared and self._by_address)
            for each in (*self._by_address.values(), *[self.socket] * is_open):
                selector.register(each, selectors.EVENT_READ)
            selector.select(ms / 1000)

    def _resolved(self, peer: int, address: Address) -> Address:
        host, port = address[:2]
        checks.integer(f"port of peer {peer}", port, 1, _PORT_MAX)
        try:
            found = socket.getaddrinfo(host, port, self._family, socket.SOCK_DGRAM)[0][4]
        except (OSError, UnicodeError) as wrong:
            raise OSError(f"host {host!r} of peer {peer} is not found: {wrong}") from wrong
        return address if len(address) > 2 else _address(found)

    def _place(self, peer: int, address: Address) -> None:
        """A peer is at an address from now on."""
        self.addresses[peer] = address
        for old in set(self._by_address) - set(self.addresses.values()):
            self._by_address.pop(old).close()
        if self._is_shared and address not in self._by_address:
            try:
                self._by_address[address] = self._connected(address)
            except OSError:
                self._take_all()

    def _connected(self, address: Address) -> socket.socket:
        """A socket at this endpoint's port that gets all packets from an address.

        The port is shared only while it is bound: no other program can bind it before or later."""
        made = socket.socket(self._family, socket.SOCK_DGRAM)
        names = [name for name in ("SO_REUSEADDR", "SO_REUSEPORT") if hasattr(socket, name)]
        options = [getattr(socket, name) for name in names[: 1 if sys.platform == "linux" else 2]]
        both = (self.socket, made)
        try:
            made.setblocking(False)
            try:
                _set_all(both, options, 1)
                made.bind(self.socket.getsockname())
            finally:
                _set_all(both, options, 0)
            made.connect(address)
        except BaseException:
            made.close()
            raise
        return made

    def _take_all(self) -> None:
        """From now on the open socket serves known addresses too."""
        self._is_shared = False
        with suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)


def _set_all(sockets: Iterable[socket.socket], options: Iterable[int], value: int) -> None:
    for each in sockets:
        for option in options:
            each.setsockopt(socket.SOL_SOCKET, option, value)


def _address(source: tuple[Any, ...]) -> Address:
    """The address of a source, with the scope of IPv6 and without its flow."""
    return (source[0], source[1], 0, source[3]) if len(source) == 4 else (source[0], source[1])


async def play(
    endpoint: Endpoint,
    session: Session,
    peers: Mapping[int, Address],
    decide: Callable[[], Input],
    heed: Callable[[Notice], None] = lambda _: None,
    *,
    rate: int | tuple[int, int] | None = None,
    watch: Callable[[], None] = lambda: None,
) -> End:
    """Plays a session with asyncio until it is over, and returns how it ended.

    peers: the known addresses; a peer that sends first need not be among them. decide: called for
    the input of each frame. heed: called with each notice. rate: frames a second, or (numerator,
    denominator) of it; None for the match's, 0 for as fast as the others allow. watch: called once
    a round."""
    endpoint.begin(session, peers)
    rate = session.match.tick_rate if rate is None else rate
    numerator, denominator = checks.rate("rate", rate) if rate else (0, 0)
    frame_s = denominator / numerator if numerator else 0.0
    due = time.monotonic()
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, "fixsync waits for packets") as waiter:
        while True:
            before = session.frame, session.confirmed
            for notice in endpoint.poll(decide()):
                heed(notice)
            watch()
            if session.is_over and session.end is not None:
                return session.end
            now = time.monotonic()
            if before == (session.frame, session.confirmed):
                # Nothing moves before something arrives, or is sent again.
                due = max(due, now)
                await loop.run_in_executor(waiter, endpoint.wait, session.timing.resend_ms)
                continue
            slower = _SLOWER if session.is_ahead(now_ms()) else 0
            due = max(due + frame_s * (1 + slower), now - _LATE_S_MAX)
            await asyncio.sleep(max(0.0, due - now))

"""A relay between UDP peers that loses, delays, repeats and reorders packets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from fixsync.game.random import Random
from fixsync.session.udp import Address


@dataclass(frozen=True)
class Impairment:
    """Settings of a relay: shares in percent, times in milliseconds, one way."""

    loss: int = 0
    latency_ms: int = 0
    jitter_ms: int = 0
    """Maximum random delay added to the latency."""
    duplicate: int = 0
    reorder: int = 0
    """Share of packets held back by another latency + jitter + 20 ms."""

    def __post_init__(self) -> None:
        for name in ("loss", "duplicate", "reorder"):
            if not 0 <= getattr(self, name) <= 100:
                raise ValueError(f"{name} must be 0..100 percent, not {getattr(self, name)}")
        for name in ("latency_ms", "jitter_ms"):
            if not 0 <= getattr(self, name) <= 60_000:
                raise ValueError(f"{name} must be 0..60000, not {getattr(self, name)}")


class Relay:
    """Has a port for each peer: the others send to that port instead of to the peer.

    A seed decides what happens to each packet, in the order in which packets come.
    """

    def __init__(self, impairment: Impairment, seed: int) -> None:
        self.impairment = impairment
        self.passed = self.lost = 0
        self._random = Random(seed)
        self._peers: dict[int, Address] = {}
        self._by_address: dict[Address, int] = {}
        self._fronts: dict[int, asyncio.DatagramTransport] = {}

    async def open(self, peers: int, host: str = "127.0.0.1") -> None:
        """Binds a port for each peer."""
        loop = asyncio.get_running_loop()
        for peer in range(peers):
            transport, _ = await loop.create_datagram_endpoint(
                lambda peer=peer: _Front(self, peer),  # type: ignore[misc] # mypy infers no default of a lambda
                local_addr=(host, 0),
            )
            self._fronts[peer] = transport

    def close(self) -> None:
        for front in self._fronts.values():
            front.close()

    def front(self, peer: int) -> int:
        """The port that stands for a peer."""
        port: int = self._fronts[peer].get_extra_info("sockname")[1]
        return port

    def introduce(self, peer: int, address: Address) -> None:
        """Says where a peer really is; again when it has started anew elsewhere."""
        self._by_address = {
            known: other for known, other in self._by_address.items() if other != peer
        }
        self._by_address[address] = peer
        self._peers[peer] = address

    def pass_on(self, receiver: int, data: bytes, source: Address) -> None:
        """Drops, delays, repeats or passes on a packet. One from who was not introduced goes
        nowhere.
        """
        sender = self._by_address.get(source)
        if sender is None or receiver not in self._peers:
            return
        random, impairment = self._random, self.impairment
        if random.chance(impairment.loss, 100):
            self.lost += 1
            return
        for _ in range(1 + random.chance(impairment.duplicate, 100)):
            delay_ms = impairment.latency_ms + random.below(impairment.jitter_ms + 1)
            if random.chance(impairment.reorder, 100):
                delay_ms += impairment.latency_ms + impairment.jitter_ms + 20
            self.passed += 1
            if delay_ms:
                loop = asyncio.get_running_loop()
                loop.call_later(delay_ms / 1000, self._deliver, sender, receiver, data)
            else:
                self._deliver(sender, receiver, data)

    def _deliver(self, sender: int, receiver: int, data: bytes) -> None:
        front = self._fronts[sender]
        if not front.is_closing():
            front.sendto(data, self._peers[receiver])


class _Front(asyncio.DatagramProtocol):
    """The port that stands for one peer."""

    def __init__(self, relay: Relay, peer: int) -> None:
        self._relay = relay
        self._peer = peer

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        self._relay.pass_on(self._peer, data, (addr[0], addr[1]))

    def error_received(self, exc: Exception) -> None:
        """A peer that is gone."""

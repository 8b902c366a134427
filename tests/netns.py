"""Linux network namespaces: each peer behind a network interface of its own, joined to this process
by veth pairs."""

from __future__ import annotations

import os
import shutil
import subprocess

from fixsync.peers.run import Places


class Namespaces(Places):
    """A context manager that makes `count` namespaces and removes them. OSError if the machine does
    not allow it.

    Each namespace has a network 10.x.y.0/24 of its own, by this process's number."""

    listen = "0.0.0.0"  # noqa: S104 - the networks of the namespaces

    def __init__(self, count: int) -> None:
        self._count = count
        self._made: list[str] = []

    def _name(self, peer: int) -> str:
        return f"fixsync-{os.getpid()}-{peer}"

    def __enter__(self) -> Namespaces:
        if shutil.which("ip") is None:
            raise OSError("network namespaces need the command `ip` of iproute2")
        try:
            for peer in range(self._count):
                self._make(peer)
        except subprocess.CalledProcessError as error:
            self._remove()
            reason = error.stderr.decode(errors="replace").strip()
            raise OSError(f"this machine makes no network namespaces: {reason}") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def _make(self, peer: int) -> None:
        name = self._name(peer)
        outer, inner = self._link(peer), f"{self._link(peer)}i"
        _ip("netns", "add", name)
        self._made.append(name)
        _ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
        _ip("addr", "add", f"{self.host(peer)}/24", "dev", outer)
        _ip("link", "set", outer, "up")
        _ip("-n", name, "addr", "add", f"{self.address(peer)}/24", "dev", inner)
        _ip("-n", name, "link", "set", inner, "up")

    def _remove(self) -> None:
        for peer, name in enumerate(self._made):
            # One end of a pair takes the other with it, and at once, which the end of a namespace
            # does not.
            for arguments in (("link", "del", self._link(peer)), ("netns", "del", name)):
                subprocess.run(["ip", *arguments], capture_output=True, check=False)
        self._made = []

    def _link(self, peer: int) -> str:
        """The name of this end of a pair; of the 15 characters that one may have, the other end
        needs one more."""
        return f"fx{os.getpid() % 10**8}p{peer}"

    def _network(self, peer: int) -> str:
        return f"10.{64 + os.getpid() // 8 % 128}.{os.getpid() % 8 * 32 + peer}"

    def host(self, peer: int) -> str:
        """The address of this process as a peer sees it."""
        return f"{self._network(peer)}.1"

    def address(self, peer: int) -> str:
        """The address of a peer."""
        return f"{self._network(peer)}.2"

    def command(self, peer: int) -> list[str]:
        """What to put before a command that is to run in a peer's namespace."""
        return ["ip", "netns", "exec", self._name(peer)]


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], capture_output=True, check=True)

"""Linux network namespaces: each peer behind a network interface of its own, joined to this process by veth
pairs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from types import TracebackType

__all__ = ["Namespaces"]


class Namespaces:
    """A context manager that makes `count` namespaces and removes them. OSError if the machine does not let
    it.

    In namespace i the peer is 10.77.i.2 and this process is 10.77.i.1.
    """

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _make(self, peer: int) -> None:
        name = self._name(peer)
        # Names of interfaces have at most 15 characters.
        outer, inner = f"fx{os.getpid() % 10**8}o{peer}", f"fx{os.getpid() % 10**8}i{peer}"
        _ip("netns", "add", name)
        self._made.append(name)
        _ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
        _ip("addr", "add", f"{self.host(peer)}/24", "dev", outer)
        _ip("link", "set", outer, "up")
        _ip("-n", name, "addr", "add", f"{self.address(peer)}/24", "dev", inner)
        _ip("-n", name, "link", "set", inner, "up")

    def _remove(self) -> None:
        for name in self._made:
            # Its interface goes with it, and the other end of that.
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)  # noqa: S603, S607
        self._made = []

    def host(self, peer: int) -> str:
        """The address of this process as a peer sees it."""
        return f"10.77.{peer}.1"

    def address(self, peer: int) -> str:
        """The address of a peer."""
        return f"10.77.{peer}.2"

    def command(self, peer: int) -> list[str]:
        """What to put before a command that is to run in a peer's namespace."""
        return ["ip", "netns", "exec", self._name(peer)]


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], capture_output=True, check=True)  # noqa: S603, S607

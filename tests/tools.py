"""What some tests need: packages of the extra `dev`, a loopback interface."""

import importlib
import os
import socket
from types import ModuleType

import pytest


def needs(module: str) -> ModuleType:
    """A module of the extra `dev`. Without it the test is skipped; in CI it fails."""
    if os.environ.get("CI"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"no {module} here: pip install -e '.[dev]'")


def has_loopback() -> bool:
    """Whether this machine can send packets to itself. A new network namespace cannot."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(("127.0.0.1", 0))
        try:
            return end.sendto(b"", end.getsockname()) == 0
        except OSError:
            return False


needs_loopback = pytest.mark.skipif(not has_loopback(), reason="no loopback interface here")

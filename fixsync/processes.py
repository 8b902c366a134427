"""Fresh processes of this Python with this fixsync, for a main function of one of its modules."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import fixsync

__all__ = ["command", "environment"]


def command(module: str) -> list[str]:
    """Calls `main` of a module. The current folder is not searched first: it may have another
    fixsync."""
    code = f"import sys; sys.path[:] = filter(None, sys.path); from {module} import main; main()"
    return [sys.executable, "-c", code]


def environment() -> dict[str, str]:
    """This process's environment and search path of modules, this fixsync first."""
    here = str(Path(fixsync.__file__).parent.parent)
    path = [here, *(entry or str(Path.cwd()) for entry in sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}

"""Processes of a Python with a fixsync: how they are started, and those that answer line by line."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.util import spec_from_file_location
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

import fixsync


def command(module: str, *flags: str) -> list[str]:
    """Calls `main` of a module, with this process's search path of modules.

    The standard library is searched first: a folder of games may have a file called uuid.py. A
    game's module that has such a name is found where this process found it. flags: of Python."""
    code = f"import sys; sys.path[:] = {_path()!r}; from {module} import main; "
    if taken := _taken_names():
        code += f"from fixsync.base.processes import prefer; prefer({taken!r}); "
    return [sys.executable, *flags, "-c", f"{code}main()"]


_LIBRARY = Path(os.__file__).parent


def _path() -> list[str]:
    """This process's search path of modules, absolute: the standard library, this fixsync, the
    rest."""
    path = [entry or str(Path.cwd()) for entry in sys.path]
    library = [entry for entry in path if _is_library(Path(entry))]
    return [*dict.fromkeys([*library, str(Path(fixsync.__file__).parent.parent), *path])]


def _is_library(folder: Path) -> bool:
    installed = {"site-packages", "dist-packages"} & {*folder.parts}
    return (
        folder.is_relative_to(sys.base_prefix)
        and not installed
        and (
            folder == _LIBRARY or folder.name in ("lib-dynload", "DLLs") or folder.suffix == ".zip"
        )
    )


def _taken_names() -> dict[str, str]:
    """Modules of this process that are not of the standard library, but have a name of it."""
    files = {
        name: getattr(sys.modules[name], "__file__", None)
        for name in sys.stdlib_module_names & sys.modules.keys()
    }
    return {
        name: file
        for name, file in files.items()
        if file is not None
        and not Path(file).is_relative_to(_LIBRARY)
        and not _is_library(Path(file).parent)
    }


def prefer(files: Mapping[str, str]) -> None:
    """From now on, modules of these names are imported from these files."""

    class Finder:
        @staticmethod
        def find_spec(name: str, _path: object = None, _target: object = None) -> Any:
            if name not in files:
                return None
            folders = (
                [str(Path(files[name]).parent)] if files[name].endswith("__init__.py") else None
            )
            return spec_from_file_location(name, files[name], submodule_search_locations=folders)

    sys.meta_path.insert(0, Finder)


def environment() -> dict[str, str]:
    """This process's environment."""
    return dict(os.environ)


class Worker:
    """A process that takes a line and answers with lines. It is killed by `stop`, and ends by itself
    when its standard input does."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        errors: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        is_apart: bool = False,
    ) -> None:
        """errors: its standard error; None: that of this process. is_apart: an interrupt from the
        keyboard goes to the parent only. OSError if it cannot be started."""
        options: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(  # noqa: S603
            [*arguments], stderr=errors, env=environment, start_new_session=is_apart, **options
        )
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Passes on the answers, so that waiting for one can time out."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        with self._process.stdout as pipe:
            for line in pipe:
                self._lines.put(line)
        self._lines.put(None)

    def ask(self, line: bytes) -> None:
        """Sends a line. A process that has ended does not answer; `answer` handles that."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def answer(self, seconds: float | None = None) -> bytes | None:
        """The next line; None from a process that has ended. TimeoutError if it takes longer."""
        try:
            return self._lines.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None

    def wait(self) -> int:
        """The exit code of a process that has ended."""
        return self._process.wait()

    def stop(self) -> int:
        """Kills the process, and returns its exit code."""
        self._process.kill()
        code = self._process.wait()
        # Closing flushes a request that nobody will read.
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        return code


def serve(answer: Callable[[bytes], bytes]) -> None:
    """In the worker: answers each line of standard input with one. What the code of a game prints
    goes to standard error, and what it reads is empty."""
    given, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for line in given:
        out.write(answer(line) + b"\n")
        out.flush()

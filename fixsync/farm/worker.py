"""The program of a worker process: it replays the logs that it is told, and tells what each came
to.

It is started by its path, under the interpreter and the fixsync that are to be asked, so of fixsync
it uses what every version has: `fixsync.log.replay.replay`, and what that returns. It reads a JSON
object a line from standard input, `{"logs": [name, …]}`, and writes one a line to what was its
standard output: first what it is, then an answer for each log, in order. It ends when its standard
input does, whatever it is doing."""

from __future__ import annotations

import sys

# A program started by its path finds modules beside it, where nothing is for others to import.
if __name__ == "__main__" and sys.path and sys.path[0] == __file__.rpartition("/worker.py")[0]:
    del sys.path[0]

import faulthandler
import hashlib
import json
import os
import platform
import re
import shutil
import threading
import time
import traceback
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any, NoReturn

DETAIL_BYTES_MAX = 1 << 16
"""The most that an answer holds of a difference, as JSON: two lists of events may be of any
length.
"""
_PIECE_BYTES = 1 << 20
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(name: str) -> bool:
    """Whether a log's name is one for fsspec rather than a path."""
    return _URL.match(name) is not None


def identity(fixsync: ModuleType) -> dict[str, Any]:
    """What this process replays with. Two that agree in all of it give every log the same
    verdict.
    """
    folder = Path(fixsync.__file__ or "").resolve().parent
    try:
        from fixsync.semantics import semantics_id

        semantics = semantics_id().hex()
    except ImportError:
        semantics = ""
    return {
        "fixsync": str(fixsync.__version__),
        "semantics": semantics,
        "sources": _digest(folder.glob("*.py")),
        "kernel": _digest([*folder.glob("_kernel*.so"), *folder.glob("_kernel*.pyd")]),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "folder": str(folder),
    }


def _digest(files: Any) -> str:
    """Of the names and the contents of some files, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


class _Worker:
    def __init__(self, settings: dict[str, Any]) -> None:
        from fixsync import sim
        from fixsync.log import replay

        self._replay = replay.replay
        self._with_digest: bool = settings["digest"]
        self._scratch = Path(settings["scratch"])
        self._kept = settings["kept"]
        found = [sim.find(reference) for reference in settings["sims"]]
        self._simulations = {simulation.name: simulation for simulation in found}

    def answer(self, name: str) -> dict[str, Any]:
        """What a log came to, whatever happens."""
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            told = self._verified(name)
        except MemoryError:
            told = {"verdict": "out of memory"}
        except (OSError, ValueError, ImportError) as error:
            told = {"verdict": "unreadable", "why": str(error) or type(error).__name__}
        except BaseException as error:
            # A simulation may raise anything, and sys.exit() in one ends no farm.
            what = "".join(traceback.format_exception_only(type(error), error)).strip()
            told = {"verdict": "crashed", "why": what, "trace": traceback.format_exc()[-4000:]}
        told["seconds"] = time.perf_counter() - wall
        told["cpu_seconds"] = time.process_time() - cpu
        return told

    def _verified(self, name: str) -> dict[str, Any]:
        if not is_url(name):
            return self._replayed(name)
        copy = self._fetched(name)
        try:
            return self._replayed(copy)
        finally:
            copy.unlink()

    def _fetched(self, url: str) -> Path:
        """A copy of what an address has, under a name that ends as its does. OSError if it cannot
        be had.
        """
        try:
            import fsspec
        except ModuleNotFoundError:
            raise OSError("reading it needs fsspec: pip install 'fixsync[farm]'") from None
        ending = re.sub(r"[^A-Za-z0-9.]", "_", url.split("::", 1)[0].rpartition("/")[2])[-100:]
        copy = self._scratch / f"log.{ending}"
        try:
            with fsspec.open(url, "rb") as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target, _PIECE_BYTES)
        except MemoryError:
            raise
        except Exception as error:  # each file system has errors of its own
            raise OSError(f"{type(error).__name__}: {error}") from error
        return copy

    def _replayed(self, path: str | Path) -> dict[str, Any]:
        filled = Path(self._kept or self._scratch / "filled.jsonl") if self._with_digest else None
        result = self._replay(path, output=filled, simulations=self._simulations)
        if _is_for_want_of_memory(result.error):
            raise MemoryError
        told: dict[str, Any] = {
            "verdict": result.verdict.value,
            "frames": result.frames,
            "hits": result.hits,
            "hash": result.hash,
            "events": result.compared.events,
            "queries": result.compared.queries,
            "hashes": result.compared.hashes,
            "differing_frames": result.differing_frames,
            "difference": _difference(result.difference),
        }
        if result.error is not None:
            told |= {
                "line": result.error.line,
                "field": result.error.field,
                "why": result.error.reason,
            }
        elif result.cut:
            told["cut"] = result.cut
        if filled is not None and result.error is None:
            with filled.open("rb") as file:
                digest = hashlib.sha256()
                while piece := file.read(_PIECE_BYTES):
                    digest.update(piece)
            told["digest"] = digest.hexdigest()
            if not self._kept:
                filled.unlink()
        return told


def _is_for_want_of_memory(error: BaseException | None) -> bool:
    """Whether a log is called not valid only because this process may not take the memory it
    needs.
    """
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False


def _difference(difference: Any) -> dict[str, Any] | None:
    if difference is None:
        return None
    told: dict[str, Any] = {"frame": difference.frame, "fields": list(difference.fields)}
    if difference.pair is not None:
        told["pair"] = list(difference.pair)
    if difference.query is not None:
        told["query"] = difference.query
        told["question"] = difference.question
    values = {"expected": _plain(difference.expected), "found": _plain(difference.found)}
    if len(json.dumps(values)) <= DETAIL_BYTES_MAX:
        return told | values
    return told | {"left_out": f"expected and found: more than {DETAIL_BYTES_MAX} bytes"}


def _plain(value: Any) -> Any:
    from fixsync.log.matchlog import plain

    return plain(value)


def _limit(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system: the parent does not ask for it
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def _end(scratch: str) -> NoReturn:
    """Ends the process, whatever its other threads are doing."""
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)


def _requests(scratch: str) -> SimpleQueue[list[str]]:
    """The requests as they come. The process ends with its input: whoever started it is gone
    then.
    """
    queue: SimpleQueue[list[str]] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            queue.put(json.loads(line)["logs"])
        _end(scratch)

    threading.Thread(target=read, daemon=True).start()
    return queue


def main() -> None:
    settings = json.loads(sys.argv[1])
    # What a simulation prints goes where errors go, and does not stand among the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    faulthandler.enable()
    for place in settings["path"]:
        if place not in sys.path:
            sys.path.insert(0, place)

    def say(told: dict[str, Any]) -> None:
        rest = memoryview(json.dumps(told).encode() + b"\n")
        try:
            while rest:
                rest = rest[answers.write(rest) :]
        except BrokenPipeError:
            _end(settings["scratch"])

    requests = _requests(settings["scratch"])
    import fixsync

    try:
        worker = _Worker(settings)
    except ValueError as error:
        sys.exit(str(error))  # a simulation that is not there: no traceback tells more
    say(identity(fixsync))
    _limit(settings["memory_bytes"])
    while True:
        for name in requests.get():
            say(worker.answer(name))


if __name__ == "__main__":
    main()

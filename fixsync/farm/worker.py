"""The program of a worker process: it replays logs and answers with the outcome of each.

It is started by its path, with the interpreter and the fixsync under test, so it uses only what
every version of fixsync has: `fixsync.log.replay.replay` and its result. It reads a JSON object per
line from standard input, `{"logs": [name, …]}`, and writes one per line to standard output: first
its identity, then an answer for each log, in order. It ends at the end of its standard input, even
in the middle of a log."""

from __future__ import annotations

import sys

# A program started by its path would import the modules beside it.
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
"""Limit of a difference in an answer, as JSON: two lists of events may have any length."""
_PIECE_BYTES = 1 << 20
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(name: str) -> bool:
    """Whether a log's name is one for fsspec rather than a path."""
    return _URL.match(name) is not None


def identity(fixsync: ModuleType) -> dict[str, Any]:
    """The versions that this process replays with: equal identities give equal verdicts."""
    folder = Path(fixsync.__file__ or "").resolve().parent
    from fixsync.match.questions import kernel_id

    return {
        "fixsync": str(fixsync.__version__),
        "semantics": kernel_id().hex(),
        "sources": _digest(folder, "**/*.py"),
        "kernel": _digest(folder, "_kernel*.so", "_kernel*.pyd"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "folder": str(folder),
    }


def _digest(folder: Path, *patterns: str) -> str:
    """Digest of the paths and contents of files, 16 hexadecimal digits."""
    files = [file for pattern in patterns for file in folder.glob(pattern)]
    digest = hashlib.sha256()
    for name, file in sorted((file.relative_to(folder).as_posix(), file) for file in files):
        digest.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


class _Worker:
    def __init__(self, settings: dict[str, Any]) -> None:
        from fixsync.log.origin import others_text
        from fixsync.log.replay import replay
        from fixsync.match import sim

        self._replay, self._others_text = replay, others_text
        self._with_digest: bool = settings["digest"]
        self._scratch = Path(settings["scratch"])
        self._kept = settings["kept"]
        found = [sim.find(reference) for reference in settings["sims"]]
        self._simulations = {simulation.name: simulation for simulation in found}

    def outcome(self, name: str) -> dict[str, Any]:
        """The outcome of a log, whatever happens."""
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            answer = self._verified(name)
        except MemoryError:
            answer = {"verdict": "out of memory"}
        except (OSError, ValueError, ImportError) as error:
            answer = {"verdict": "unreadable", "why": str(error) or type(error).__name__}
        except BaseException as error:
            # A simulation may raise anything, SystemExit too.
            what = "".join(traceback.format_exception_only(type(error), error)).strip()
            answer = {"verdict": "crashed", "why": what, "trace": traceback.format_exc()[-4000:]}
        answer["seconds"] = time.perf_counter() - wall
        answer["cpu_seconds"] = time.process_time() - cpu
        return answer

    def _verified(self, name: str) -> dict[str, Any]:
        if not is_url(name):
            return self._replayed(name)
        copy = self._fetched(name)
        try:
            return self._replayed(copy)
        finally:
            copy.unlink()

    def _fetched(self, url: str) -> Path:
        """A copy of the log at an address, whose name ends as the address does. OSError if it
        cannot be read."""
        try:
            import fsspec
        except ModuleNotFoundError:
            raise OSError("reading it needs fsspec: pip install fsspec") from None
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
        result = self._replay(
            path,
            output=filled,
            simulations=self._simulations,
        )
        if result.error is not None and result.error.is_out_of_memory:
            raise MemoryError
        answer: dict[str, Any] = {
            "verdict": result.verdict.value,
            "frames": result.frames,
            "hits": result.hits,
            "hash": result.hash,
            "compared_events": result.compared.events,
            "compared_queries": result.compared.queries,
            "compared_hashes": result.compared.hashes,
            "compared_states": result.compared.states,
            "differing_frames": result.differing_frames,
            "difference": _difference(result.difference),
        }
        others = self._others_text(result.others)
        if others and result.difference is not None:
            answer["difference"]["others"] = others
        if result.error is not None:
            answer |= {
                "line": result.error.line or None,
                "field": result.error.field,
                "why": f"{result.error.reason}{others and '; '}{others}",
            }
        elif result.cut:
            answer["cut"] = result.cut
        if filled is not None and result.error is None:
            answer["digest"] = _digest_of_frames(filled)
            if not self._kept:
                filled.unlink()
        return answer


def _digest_of_frames(filled: Path) -> str:
    """Of all that was computed. The first line names the version, and the last has its digest."""
    digest = hashlib.sha256()
    with filled.open("rb") as lines:
        next(lines, b"")
        for line in lines:
            if not line.startswith(b'{"frames"'):
                digest.update(line)
    return digest.hexdigest()


def _difference(difference: Any) -> dict[str, Any] | None:
    from fixsync.log.lines import plain

    if difference is None:
        return None
    answer: dict[str, Any] = {"frame": difference.frame, "fields": list(difference.fields)}
    if difference.pair is not None:
        answer["pair"] = list(difference.pair)
    if difference.query is not None:
        answer["query"] = difference.query
        answer["question"] = difference.question
    values = {"expected": plain(difference.expected), "found": plain(difference.found)}
    if len(json.dumps(values)) <= DETAIL_BYTES_MAX:
        return answer | values
    return answer | {"left_out": f"expected and found: more than {DETAIL_BYTES_MAX} bytes"}


def _limit(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system, where the parent sets no limit
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def _end(scratch: str) -> NoReturn:
    """Ends the process with all its threads."""
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)


def _requests(scratch: str) -> SimpleQueue[list[str]]:
    """The requests as they come. The process ends with its input, because its parent has ended
    then."""
    queue: SimpleQueue[list[str]] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            queue.put(json.loads(line)["logs"])
        _end(scratch)

    threading.Thread(target=read, daemon=True).start()
    return queue


def main() -> None:
    settings = json.loads(sys.argv[1])
    # Output of a simulation goes to standard error, not between the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    faulthandler.enable()
    for place in settings["path"]:
        if place not in sys.path:
            sys.path.insert(0, place)

    def say(answer: dict[str, Any]) -> None:
        rest = memoryview(json.dumps(answer).encode() + b"\n")
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
        sys.exit(str(error))  # a simulation that does not exist: a traceback adds nothing
    say(identity(fixsync))
    _limit(settings["memory_bytes"])
    while True:
        for name in requests.get():
            say(worker.outcome(name))


if __name__ == "__main__":
    main()

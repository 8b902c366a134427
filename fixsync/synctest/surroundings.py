"""The surroundings of a process that a game must not depend on: each can be made another one, alone.

All but the hash seed and the asserts are changed within the process, before the game is imported.
"""

from __future__ import annotations

import _socket
import contextlib
import datetime
import gc
import locale
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

HASH_SEED = "the hash seed of strings"
OPTIMIZE = "asserts, which Python's -O leaves out"
MEMORY = "the order of memory: id(), sets of objects, when garbage is collected"


def _process(value: int) -> None:
    own = (4099, 70_001, 12_346)[value % 3]
    os.getpid = lambda: own
    os.getppid = lambda: own - 2


class _Arguments(list[str]):
    """Arguments that have every one that is asked for."""

    def __contains__(self, one: object) -> bool:
        return isinstance(one, str)


def _arguments(value: int) -> None:
    sys.argv = _Arguments(["player", "--fullscreen", "eu"][: 1 + value % 3])


def _folder(_value: int) -> None:
    os.chdir(os.sep)


_KEPT = ("PATH", "LANG", "TZ", "TMP", "TEMP", "TMPDIR", "SYSTEMROOT", "COMSPEC", "WINDIR")
_KEPT_PREFIXES = ("LC_", "PYTHON", "LD_", "DYLD_", "SDL_", "COVERAGE")


class _Variables(type(os.environ)):  # type: ignore[misc]
    """An environment that has every variable that the game itself asks for."""

    folder = ""

    def __getitem__(self, name: str) -> str:
        try:
            return str(super().__getitem__(name))
        except KeyError:
            frame = sys._getframe(1)
            while frame.f_back is not None and frame.f_code.co_filename in _OS_FILES:
                frame = frame.f_back
            if self.folder and frame.f_code.co_filename.startswith(self.folder):
                return "1"
            raise


_OS_FILES = {os.__file__, "<frozen os>", "<frozen _collections_abc>"}
_OS_FILES.add(str(getattr(sys.modules.get("_collections_abc"), "__file__", "")))


def _environment(value: int) -> None:
    os.environ.__class__ = _Variables
    for name in [*os.environ]:
        if name.upper() not in _KEPT and not name.startswith(_KEPT_PREFIXES):
            del os.environ[name]
    name = ("ann", "bernd")[value % 2]
    for one in ("USER", "LOGNAME", "USERNAME", "HOSTNAME", "COMPUTERNAME"):
        os.environ[one] = name
    for one in ("HOME", "USERPROFILE"):
        os.environ[one] = os.path.join(os.sep, "home", name)  # noqa: PTH118 - no folder is read


def _machine(value: int) -> None:
    name = ("den", "attic", "pi")[value % 3]
    _socket.gethostname = lambda: name
    if (socket := sys.modules.get("socket")) is not None:
        socket.gethostname = _socket.gethostname  # type: ignore[attr-defined]
    if hasattr(os, "uname"):
        real = os.uname()
        renamed = os.uname_result((real[0], name, *real[2:]))
        os.uname = lambda: renamed
    platform.node = lambda: name


def _language(value: int) -> None:
    names = ("de_DE", "tr_TR", "fr_FR")
    name = names[value % len(names)]
    os.environ["LANG"] = os.environ["LC_ALL"] = f"{name}.UTF-8"
    for one in (name, *names):
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, f"{one}.UTF-8")
            return


def _zone(value: int) -> None:
    if hasattr(time, "tzset"):
        os.environ["TZ"] = ("<-09>9", "<+05>-5", "<+11>-11")[value % 3]
        time.tzset()


def _clock(value: int) -> None:
    """Time goes on from another date and hour."""
    seconds = 86_400 * (37, 96, 215, 303)[value % 4] + 3_600 * (6, 12, 18, 9)[value % 4] + 1_277
    real, real_ns = time.time, time.time_ns
    local, utc, formatted, ascii = time.localtime, time.gmtime, time.strftime, time.asctime
    time.time = lambda: real() + seconds
    time.time_ns = lambda: real_ns() + seconds * 10**9
    time.localtime = lambda at=None: local(time.time() if at is None else at)
    time.gmtime = lambda at=None: utc(time.time() if at is None else at)
    time.ctime = lambda at=None: ascii(time.localtime(at))
    time.asctime = lambda at=None: ascii(time.localtime() if at is None else at)
    time.strftime = lambda form, at=None: formatted(form, time.localtime() if at is None else at)

    class DateTime(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)

    # `today` asks `time.time`.
    DateTime.__name__ = DateTime.__qualname__ = "datetime"
    datetime.datetime = DateTime  # type: ignore[misc]


def _processors(value: int) -> None:
    count = (1, 3, 64)[value % 3]
    os.cpu_count = lambda: count
    if hasattr(os, "process_cpu_count"):
        os.process_cpu_count = lambda: count
    if hasattr(os, "sched_getaffinity"):
        os.sched_getaffinity = lambda _pid: {*range(count)}


def _files(value: int) -> None:
    """The files of a folder come in another order."""
    names, entries = os.listdir, os.scandir

    def order(found: list[Any], name: Callable[[Any], Any]) -> list[Any]:
        found.sort(key=lambda one: (str(name(one))[::-1], str(name(one))), reverse=bool(value % 2))
        return found

    class Entries(contextlib.ExitStack):
        def __init__(self, folder: Any) -> None:
            super().__init__()
            with entries(folder) as found:
                self._left = iter(order([*found], lambda one: one.name))

        def __iter__(self) -> Iterator[Any]:
            return self._left

        def __next__(self) -> Any:
            return next(self._left)

    os.listdir = lambda folder=".": order(names(folder), lambda one: one)
    os.scandir = lambda folder=".": Entries(folder)  # type: ignore[assignment]


def stir(value: int) -> list[Any]:
    """Objects with free memory between them, in another pattern for each value. As long as they are
    kept, new objects come to lie in another order."""
    state = value * 2_654_435_761 + 97
    kept: list[Any] = []
    for _ in range(6_000):
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        size = (state >> 33) % 160
        one: Any = bytes(size)
        if state >> 60 & 1:
            one = {"a": size} if state >> 61 & 1 else [size] * 3
        kept.append(one if state >> 62 & 1 else None)
        if state >> 59 & 1:
            kept[(state >> 20) % len(kept)] = None
    return kept


_kept: list[Any] = []


def _memory(value: int) -> None:
    _kept.append(stir(value))
    gc.set_threshold(40 + 70 * (value % 9), 3, 3)


FACTORS: Mapping[str, Callable[[int], None] | None] = {
    HASH_SEED: None,
    OPTIMIZE: None,
    "the process id": _process,
    "the arguments of the command line": _arguments,
    "the current folder": _folder,
    "environment variables": _environment,
    "the name of the machine": _machine,
    "the language of the system": _language,
    "the time zone": _zone,
    "the date and the time of day": _clock,
    "the number of processors": _processors,
    "the order of the files in a folder": _files,
    MEMORY: _memory,
}
"""By name, how each is made another one; None for what a process can only be started with."""


def variant(number: int) -> dict[str, int]:
    """Values of all factors, others for each number 1, 2, ..."""
    return {name: number for name in FACTORS if name != OPTIMIZE or number % 2}


def apply(values: Mapping[str, int], folder: str) -> None:
    """Changes the surroundings of this process. folder: of the game's modules."""
    _Variables.folder = folder
    for name, change in FACTORS.items():
        if name in values and change is not None:
            change(values[name])

"""Finding logs: in folders, by patterns and in lists, on paths and wherever fsspec can read."""

from __future__ import annotations

import fnmatch
import glob
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from fixsync.base.files import is_log_name
from fixsync.farm.worker import is_url

_STAMPS = (
    "ETag",
    "etag",
    "checksum",
    "md5",
    "CRC",
    "mtime",
    "LastModified",
    "last_modified",
    "updated",
)
"""Keys of what changes with a file, as file systems name it, the surest first."""
_AT_ONCE = 256
_SNIFFED_BYTES = 512
_NAME_BYTES_MAX = 1 << 16


class SourceError(ValueError):
    """A source that names no logs."""


class Found(NamedTuple):
    """A log, or a path that cannot be read."""

    name: str
    """An absolute path, or an address."""
    size: int = 0
    """In bytes; 0 if it is not known."""
    stamp: str = ""
    """Changes when the file does: the time of the last write, or its file system's equivalent."""
    problem: str = ""
    """Why it cannot be read; "" as far as is known."""


def find(sources: Sequence[str], *, null: bool = False) -> Iterator[Found]:
    """The logs of each source, as they are found. A log in several sources comes several times.

    A source is a folder (its logs and those below; links to folders are not followed), a log, a
    pattern (`*`, `?`, `[…]`, and `**` for folders at any depth), or a list: a file with a path or
    an address on each line, or `-` for standard input; with `null`, a NUL byte ends each name. A
    list is read once, so it may be a pipe. Each name may be an address with a scheme that fsspec
    knows. SourceError for a source that does not exist, has no logs, or is a list whose last name
    does not end."""
    for source in sources:
        found = _remote(source) if is_url(source) else _local(source, null=null)
        count = 0
        for one in found:
            count += 1
            yield one
        if count == 0:
            raise SourceError(f"{source}: no match logs (*.jsonl, also compressed) there")


def look(names: Iterable[str]) -> Iterator[Found]:
    """The logs with these paths and addresses, in their order."""
    names = iter(names)
    with ThreadPoolExecutor(16) as pool:
        while chunk := list(islice(names, _AT_ONCE)):
            if any(map(is_url, chunk)):
                # Each is a question to a machine far away.
                yield from pool.map(_asked, chunk)
            else:
                yield from map(_looked_at, chunk)


def require(sources: Sequence[str]) -> None:
    """SourceError for a path that does not exist, before anything is looked at."""
    for source in sources:
        is_elsewhere = source == "-" or is_url(source) or glob.has_magic(source)
        if not is_elsewhere and not os.path.lexists(source):
            raise _absent(source)


def _absent(source: str) -> SourceError:
    return SourceError(f"{source}: there is no such file or folder")


def _local(source: str, *, null: bool) -> Iterator[Found]:
    if source == "-":
        yield from _in_file(source, null=null)
    elif os.path.isdir(source):  # noqa: PTH112
        yield from _in_folder(os.path.abspath(source))  # noqa: PTH100
    elif is_log_name(Path(source)) and os.path.lexists(source):
        yield _looked_at(source)
    elif os.path.lexists(source):
        yield from _in_file(source, null=null)
    elif glob.has_magic(source):
        path = Path(source)
        parts = path.parts[1:] if path.anchor else path.parts
        yield from _matching(os.path.abspath(path.anchor), parts, "**" in parts)  # noqa: PTH100
    else:
        raise _absent(source)


def _looked_at(path: str) -> Found:
    name = os.path.abspath(path)  # noqa: PTH100 - links stay
    try:
        status = os.stat(name)  # noqa: PTH116
    except (OSError, ValueError) as error:
        return Found(name, problem=getattr(error, "strerror", None) or str(error))
    if not stat.S_ISREG(status.st_mode):
        return Found(name, problem="not a regular file")
    return Found(name, status.st_size, str(status.st_mtime_ns))


def _in_folder(top: str) -> Iterator[Found]:
    folders = [top]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif is_log_name(Path(entry.name)):
                        yield _looked_at(entry.path)
        except OSError as error:
            yield Found(folder, problem=error.strerror or str(error))


def _matching(folder: str, parts: Sequence[str], is_deep: bool) -> Iterator[Found]:
    """As `glob`, which passes over a folder that it cannot read; here it comes with its problem.

    `is_deep`: the pattern has `**`, which gives the logs below a folder anyway."""
    part, rest = parts[0], parts[1:]
    if part == "**" and rest:
        yield from _matching(folder, rest, is_deep)
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(folder, problem=error.strerror or str(error))
        return
    for entry in found:
        is_hidden = entry.name.startswith(".") and not part.startswith(".")
        if is_hidden or not fnmatch.fnmatch(entry.name, part):
            continue
        if entry.is_dir(follow_symlinks=part != "**"):
            if part == "**":
                yield from _matching(entry.path, parts, is_deep)
            elif rest:
                yield from _matching(entry.path, rest, is_deep)
            elif not is_deep:
                yield from _in_folder(entry.path)
        elif not rest and is_log_name(Path(entry.name)):
            yield _looked_at(entry.path)


# Lists.


def _in_file(source: str, *, null: bool) -> Iterator[Found]:
    """The content of a file that is not named as a log: a list, or a log all the same."""
    try:
        if source == "-" and sys.stdin is None:
            raise SourceError("-: standard input is closed")
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
            start = file.read(_SNIFFED_BYTES)
            # A log begins with a brace, and other files have NUL bytes.
            if not start.startswith(b"{") and (null or b"\0" not in start):
                yield from look(_names(source, start, file, b"\0" if null else b"\n"))
            elif source == "-":
                raise SourceError("-: standard input is not a list of logs")
            else:
                yield _looked_at(source)
    except OSError as error:
        raise SourceError(f"{source}: {error.strerror or error}") from error


def _names(source: str, start: bytes, file: BinaryIO, end: bytes) -> Iterator[str]:
    rest = start
    while True:
        *names, rest = rest.split(end)
        for name in names:
            if name := name if end == b"\0" else name.removesuffix(b"\r"):
                yield os.fsdecode(name)
        if len(rest) > _NAME_BYTES_MAX:
            raise SourceError(f"{source}: a name has more than {_NAME_BYTES_MAX} bytes")
        piece = file.read(_NAME_BYTES_MAX)
        if not piece:
            break
        rest += piece
    if rest:
        what = "NUL byte" if end == b"\0" else "line feed"
        last = os.fsdecode(rest[-100:])
        raise SourceError(
            f"{source}: the list is cut short: no {what} after its last name, {last!r}"
        )


# Addresses.


def _file_system(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ModuleNotFoundError:
        raise SourceError(f"{url}: reading it needs fsspec: pip install fsspec") from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError, OSError) as error:
        raise SourceError(f"{url}: {error}") from error
    return system, path


def _asked(name: str) -> Found:
    if not is_url(name):
        return _looked_at(name)
    try:
        system, path = _file_system(name)
        return _described(name, system.info(path))
    except Exception as error:  # each file system has errors of its own
        return Found(name, problem=f"{type(error).__name__}: {error}")


def _described(name: str, info: dict[str, Any]) -> Found:
    stamp = next((f"{key}={info[key]}" for key in _STAMPS if info.get(key) is not None), "")
    return Found(name, int(info.get("size") or 0), stamp)


def _remote(url: str) -> Iterator[Found]:
    system, path = _file_system(url)
    try:
        if glob.has_magic(url.split("::", 1)[0] if "://" in url.split("::", 1)[0] else url):
            rows = system.glob(path, detail=True).items()
        elif not system.isdir(path):
            rows = [(path, system.info(path))]
        else:
            rows = (
                (info["name"], info)
                for _, _, files in system.walk(path, detail=True, on_error="raise")
                for info in files.values()
            )
        for found, info in rows:
            if info.get("type") == "file" and (found == path or is_log_name(Path(found))):
                yield _described(_address(url, system, found), info)
    except SourceError:
        raise
    except Exception as error:  # each file system has errors of its own
        raise SourceError(f"{url}: {type(error).__name__}: {error}") from error


def _address(source: str, system: Any, path: str) -> str:
    """The address of a path of a file system that a source's address led to."""
    address: str = system.unstrip_protocol(path)
    first, chained, rest = source.partition("::")
    if not chained:
        return address
    # "zip://*.jsonl::file://logs.zip" or, for a cache around another one, "simplecache::s3://logs".
    return f"{address}::{rest}" if "://" in first else f"{first}::{address}"

"""Finding logs: in folders, by patterns and in lists, on paths and wherever fsspec can read."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from fixsync.farm.worker import is_url
from fixsync.log.files import is_log_name

__all__ = ["Found", "SourceError", "find", "require"]

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
"""What file systems say of a file that changes with it, the surest first."""
_AT_ONCE = 256
_SNIFFED_BYTES = 512


class SourceError(ValueError):
    """A source that names no logs."""


class Found(NamedTuple):
    """A log, or what cannot be looked at."""

    name: str
    """An absolute path, or an address."""
    size: int = 0
    """In bytes; 0 if it is not known."""
    stamp: str = ""
    """What changes when the file does: when it was last written, or what its file system has for
    that.
    """
    problem: str = ""
    """Why it cannot be read; "" if that is not known yet."""


def find(sources: Sequence[str], *, null: bool = False) -> Iterator[Found]:
    """The logs of each source, as they are found; one that several sources have comes several
    times.

    A source is a folder (its logs and those below; links to folders are not followed), a log, a
    pattern (`*`, `?`, `[…]`, and `**` for folders at any depth), or a list: a file with a path or
    an address on each line, `-` for standard input; with `null`, each ended by a NUL byte. Each may
    be an address with a scheme that fsspec knows. SourceError for a source that is not there, or
    has no logs."""
    for source in sources:
        found = _remote(source) if is_url(source) else _local(source, null=null)
        count = 0
        for one in found:
            count += 1
            yield one
        if count == 0:
            raise SourceError(f"{source}: no match logs (*.jsonl, also compressed) there")


def require(sources: Sequence[str]) -> None:
    """SourceError for one that is plainly not there, before anything is looked at."""
    for source in sources:
        is_elsewhere = source == "-" or is_url(source) or glob.has_magic(source)
        if not is_elsewhere and not os.path.lexists(source):
            raise _absent(source)


def _absent(source: str) -> SourceError:
    return SourceError(f"{source}: there is no such file or folder")


def _local(source: str, *, null: bool) -> Iterator[Found]:
    if source == "-":
        yield from _listed(sys.stdin.buffer, null=null)
    elif os.path.isdir(source):  # noqa: PTH112
        yield from _in_folder(source)
    elif os.path.lexists(source):
        if is_log_name(Path(source)) or not _is_list(source, null=null):
            yield _looked_at(source)
            return
        with open(source, "rb") as file:  # noqa: PTH123
            yield from _listed(file, null=null)
    elif glob.has_magic(source):
        yield from _matching(source)
    else:
        raise _absent(source)


def _is_list(source: str, *, null: bool) -> bool:
    """Whether a file that is not named as a log is a list: a log has a brace first, other files
    have NULs.
    """
    try:
        with open(source, "rb") as file:  # noqa: PTH123
            start = file.read(_SNIFFED_BYTES)
    except OSError as error:
        raise SourceError(str(error)) from error
    return not start.startswith(b"{") and (null or b"\0" not in start)


def _looked_at(path: str) -> Found:
    name = os.path.abspath(path)  # noqa: PTH100 - links stay
    try:
        status = os.stat(name)  # noqa: PTH116
    except (OSError, ValueError) as error:
        return Found(name, problem=getattr(error, "strerror", None) or str(error))
    if not stat.S_ISREG(status.st_mode):
        return Found(name, problem="is no file")
    return Found(name, status.st_size, str(status.st_mtime_ns))


def _in_folder(top: str) -> Iterator[Found]:
    folders = [os.path.abspath(top)]  # noqa: PTH100
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


def _matching(pattern: str) -> Iterator[Found]:
    for path in glob.iglob(pattern, recursive=True):  # noqa: PTH207 - patterns may be absolute
        if os.path.isdir(path):  # noqa: PTH112
            # `**` gives the folders below as well.
            if "**" not in pattern:
                yield from _in_folder(path)
        elif is_log_name(Path(path)):
            yield _looked_at(path)


def _listed(file: BinaryIO, *, null: bool) -> Iterator[Found]:
    with ThreadPoolExecutor(16) as pool:
        names = _names(file, null=null)
        while chunk := list(islice(names, _AT_ONCE)):
            if any(map(is_url, chunk)):
                # Each is a question to a machine far away.
                yield from pool.map(_asked, chunk)
            else:
                yield from map(_looked_at, chunk)


def _names(file: BinaryIO, *, null: bool) -> Iterator[str]:
    if not null:
        for line in file:
            if name := line.rstrip(b"\r\n"):
                yield os.fsdecode(name)
        return
    rest = b""
    while piece := file.read(1 << 16):
        *names, rest = (rest + piece).split(b"\0")
        yield from (os.fsdecode(name) for name in names if name)
    if rest:
        yield os.fsdecode(rest)


# Addresses.


def _file_system(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ModuleNotFoundError:
        raise SourceError(f"{url}: reading it needs fsspec: pip install 'fixsync[farm]'") from None
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
                for _, _, files in system.walk(path, detail=True)
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

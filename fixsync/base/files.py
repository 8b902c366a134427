"""Files whose name says how they are compressed.

`Source` reads a file of any size in pieces of bounded size, and reads a file that was cut short up
to its end. `Sink` writes files whose bytes depend on what is written alone: no header holds a time,
a file name or a platform."""

from __future__ import annotations

import bz2
import errno
import importlib
import lzma
import os
import stat
import struct
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Protocol, TypeVar

# The first bytes of compressed files, to recognise one whose name does not say so.
_MAGIC = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00", ".bz2": b"BZh", ".zst": b"\x28\xb5\x2f\xfd"}
SUFFIXES = tuple(_MAGIC)
STANDARD_OUTPUT = Path("/dev/stdout")
"""Stands for standard output, also on a system without a file of this name."""

_READ_BYTES = 1 << 16
_PIECE_BYTES = 1 << 15
_BUFFER_BYTES = 1 << 16
_GZIP_LEVEL = 6  # level 9 takes half as long again, and saves 1%
_XZ_MEMORY_BYTES_MAX = 1 << 28

_ONLY_NEW = os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | _ONLY_NEW
_MODE = 0o666
"""Less the umask."""

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 0x7FFF0000

    def lock(file: int) -> bool:
        """Locks an open file until it is closed; False if another has locked it."""
        at = os.lseek(file, 0, os.SEEK_CUR)
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)  # others may read all before it
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        finally:
            os.lseek(file, at, os.SEEK_SET)
        return True
else:
    import fcntl

    def lock(file: int) -> bool:
        """Locks an open file until it is closed; False if another has locked it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True


_Self = TypeVar("_Self", bound="Closing")


class DamagedFileError(ValueError):
    """Compressed data that is damaged, not only cut short."""


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The compression of a file by its name: one of SUFFIXES, or ""."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in SUFFIXES else ""


def is_log_name(path: str | os.PathLike[str]) -> bool:
    """Whether a file's name is that of a match log: .jsonl, also with a compression's suffix."""
    plain = Path(path).with_suffix("") if suffix_of(path) else Path(path)
    return plain.suffix.lower() == ".jsonl"


def survives_a_cut(suffix: str) -> bool:
    """Whether everything written can be read back, however the process ends."""
    return suffix in ("", ".gz", ".zst")


def compression_of(start: bytes) -> str:
    """The compression of data that starts like this: one of SUFFIXES, or ""."""
    return next((suffix for suffix, magic in _MAGIC.items() if start.startswith(magic)), "")


def _may_begin_stream(suffix: str, data: bytes) -> bool:
    """Whether a compressed stream may begin like this. A decoder says so only when it has seen more
    than a byte or two. A frame of zstd to be skipped begins with 0x50 to 0x5f."""
    is_skipped = suffix == ".zst" and data[0] >> 4 == 5
    return is_skipped or _MAGIC[suffix].startswith(data[: len(_MAGIC[suffix])])


def zstd_module() -> ModuleType:
    """The module that reads and writes zstd. ValueError if it is not installed."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        how = (
            "pip install backports.zstd"
            if name == "backports.zstd"
            else "this Python is without it"
        )
        raise ValueError(f"zstd needs the module {name}: {how}") from None


def require_compression(path: str | os.PathLike[str]) -> None:
    """ValueError if the module that compresses a file of this name is not installed."""
    if suffix_of(path) == ".zst":
        zstd_module()


def is_standard_output(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads where standard output does, as /dev/stdout. Never for the null
    device."""
    if Path(path) == STANDARD_OUTPUT:
        return True
    try:
        there, nowhere = Path(path).stat(), Path(os.devnull).stat()
        here = os.fstat(sys.__stdout__.fileno()) if sys.__stdout__ else nowhere
    except (OSError, ValueError):
        return False
    return os.path.samestat(there, here) and not os.path.samestat(here, nowhere)


def _open_output(path: Path, *, is_over: bool) -> FileIO:
    """Opens a file to write it from its beginning, as nobody else does meanwhile.

    A regular file is created, or was empty, unless `is_over`: FileExistsError for another, and for
    one that is being written. Standard output is continued: opening it again would empty the file
    that a shell appends it to."""
    if is_standard_output(path):
        if sys.__stdout__ is None:
            raise OSError(errno.EBADF, "standard output is closed", os.fspath(path))
        return FileIO(os.dup(sys.__stdout__.fileno()), "wb")
    is_new = True
    try:
        number = os.open(path, _CREATE, _MODE)
    except FileExistsError:  # a file, a link, a pipe, a device
        is_new = False
        number = os.open(path, _CREATE & ~_ONLY_NEW, _MODE)
    file = FileIO(number, "wb")
    try:
        if stat.S_ISREG(os.fstat(number).st_mode):
            _claim(number, os.fspath(path), is_new=is_new, is_over=is_over)
    except BaseException:
        file.close()
        raise
    return file


def _claim(number: int, name: str, *, is_new: bool, is_over: bool) -> None:
    """Locks a file that was opened for writing, and looks at it after that."""
    try:
        is_held = lock(number)
    except OSError:
        if not is_new:
            raise
        is_held = True  # on a file system without locks
    if not is_held:
        raise FileExistsError(errno.EEXIST, "another recording is writing this file", name)
    if os.fstat(number).st_size == 0:
        return
    if not is_over:
        raise FileExistsError(
            errno.EEXIST,
            "a recording does not overwrite a file; choose another name, or pass replace=True",
            name,
        )
    os.ftruncate(number, 0)


def resolved(path: Path) -> Path:
    """Where a path leads. OSError for links that lead in a circle."""
    try:
        found = path.resolve()
    except RuntimeError:  # of Python up to 3.12
        found = path
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return found


def check_output(output: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """ValueError if an output is one of the inputs, by whatever name: writing it would destroy the
    input. Pipes and devices may be both."""
    written = _identity(output)
    for path in inputs if written is not None else ():
        if written == _identity(path):
            raise ValueError(
                f"the output {os.fspath(output)} is the same file as the input {os.fspath(path)}:"
                " give the output another name"
            )


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Device and inode of a regular file; None for all else."""
    try:
        if is_standard_output(path):
            found = os.fstat(sys.__stdout__.fileno()) if sys.__stdout__ else None
        else:
            found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if found and stat.S_ISREG(found.st_mode) else None


class _Whole:
    """A file that appears under its name when it is whole. Until then it has a hidden name of its
    own in the same folder, where it stays if the process is killed, and a file of its name stays."""

    def __init__(self, path: Path) -> None:
        self._target = resolved(path)
        self._hidden = self._target.with_name(f".fixsync-{os.urandom(8).hex()}")
        try:
            self.file = FileIO(os.open(self._hidden, _CREATE, _MODE), "wb")
        except OSError as error:
            error.filename = os.fspath(path)  # nobody knows the hidden name
            raise

    def finish(self) -> None:
        try:
            os.fsync(self.file.fileno())
            self.file.close()
            self._hidden.replace(self._target)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        self.file.close()
        self._hidden.unlink(missing_ok=True)


class Closing(ABC):
    """A context manager: closed at its end, abandoned after an error."""

    @abstractmethod
    def close(self) -> None:
        """Closes it. Closing again does nothing."""

    def abandon(self) -> None:
        """Closes after an error."""
        self.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


class _Decompressor(Protocol):
    """The interface that bz2, lzma and zstd share; at most `max_length` bytes come out of one
    call.
    """

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gunzip:
    """zlib's gzip decoder with the interface of the others."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self.eof = False
        self.needs_input = True
        self.unused_data = b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        inflate = self._inflate
        piece = inflate.decompress(inflate.unconsumed_tail + data, max_length)
        # A full piece may leave more inside zlib even when all input is taken.
        self.needs_input = len(piece) < max_length and not inflate.unconsumed_tail
        self.eof, self.unused_data = inflate.eof, inflate.unused_data
        return piece


def _decompressor(suffix: str) -> tuple[Callable[[], _Decompressor], type[Exception]]:
    """The function that starts a decoder, and the error that the decoder raises for broken data."""
    if suffix == ".gz":
        return _Gunzip, zlib.error
    if suffix == ".bz2":
        return bz2.BZ2Decompressor, OSError
    if suffix == ".xz":
        return (
            lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES_MAX)
        ), lzma.LZMAError
    zstd = zstd_module()
    return zstd.ZstdDecompressor, zstd.ZstdError


class Source(Closing):
    """The decompressed bytes of a file, in pieces. OSError for a file that cannot be opened or
    read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.suffix = suffix_of(path)
        self.is_cut = False
        """After the last piece: whether the compressed data ended before its own end mark."""
        self.size = 0
        """Bytes of the file read so far."""
        self._start = _decompressor(self.suffix) if self.suffix else None
        self._file: BinaryIO = Path(path).open("rb")  # noqa: SIM115 - closed by close()

    def close(self) -> None:
        self._file.close()

    @property
    def progress(self) -> float:
        """How much of the file has been read, 0 to 1; of a pipe, which has no size, always 0."""
        size = os.fstat(self._file.fileno()).st_size
        return min(1.0, self.size / size) if size else 0.0

    def __iter__(self) -> Iterator[bytes]:
        """Pieces of up to 32 KiB. DamagedFileError for broken compressed data, after the pieces
        before it."""
        if self._start is None:
            while data := self._file.read(_PIECE_BYTES):
                self.size += len(data)
                yield data
            return
        start, error = self._start
        decoder = start()
        # A file may hold several compressed ones. Where one ends, the next must start or the file
        # must end.
        while data := self._file.read(_READ_BYTES):
            self.size += len(data)
            while data or not decoder.needs_input:
                if decoder.eof:
                    decoder = start()
                    if not _may_begin_stream(self.suffix, data):
                        raise DamagedFileError(
                            f"the {self.suffix} data is damaged near byte {self.size}: bytes after"
                            " its end begin no other stream"
                        )
                try:
                    piece = decoder.decompress(data, _PIECE_BYTES)
                except (error, EOFError) as damage:
                    raise DamagedFileError(
                        f"the {self.suffix} data is damaged near byte {self.size}: {damage}"
                    ) from damage
                if piece:
                    yield piece
                data = decoder.unused_data if decoder.eof else b""
                if decoder.eof and not data:
                    break
        self.is_cut = not decoder.eof


class _Compressor(Protocol):
    def compress(self, data: bytes) -> bytes: ...
    def flush(self) -> bytes: ...


class _Gzip:
    """gzip with a header that is always the same (RFC 1952: no time, no name, system unknown)."""

    _HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, -15)
        self._crc = 0
        self._size = 0
        self._head = self._HEADER

    def compress(self, data: bytes) -> bytes:
        self._crc = zlib.crc32(data, self._crc)
        self._size = (self._size + len(data)) & 0xFFFFFFFF
        head, self._head = self._head, b""
        return head + self._deflate.compress(data) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def flush(self) -> bytes:
        head, self._head = self._head, b""
        return head + self._deflate.flush() + struct.pack("<II", self._crc, self._size)


class _Zstandard:
    def __init__(self) -> None:
        self._zstd: Any = zstd_module()
        checksum = {self._zstd.CompressionParameter.checksum_flag: 1}
        self._compressor: Any = self._zstd.ZstdCompressor(options=checksum)

    def compress(self, data: bytes) -> bytes:
        written: bytes = self._compressor.compress(data, self._compressor.FLUSH_BLOCK)
        return written

    def flush(self) -> bytes:
        written: bytes = self._compressor.flush()
        return written


class _Plain:
    def compress(self, data: bytes) -> bytes:
        return data

    def flush(self) -> bytes:
        return b""


_COMPRESSORS: dict[str, Callable[[], _Compressor]] = {
    "": _Plain,
    ".gz": _Gzip,
    ".zst": _Zstandard,
    ".xz": lzma.LZMACompressor,
    ".bz2": bz2.BZ2Compressor,
}


class Sink(Closing):
    """Writes a file. The data goes to the operating system before `write` returns, if
    `survives_a_cut` says so; FileExistsError for a file that is not empty, unless `is_over`, and
    for one that another writes.

    With `is_whole` it is buffered instead, and the file appears under its name at `close`; a file
    of that name stays until then. After an OSError the file is closed."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        suffix: str | None = None,
        is_over: bool = False,
        is_whole: bool = False,
    ) -> None:
        """suffix: the compression, if the name does not say it."""
        self.size = 0
        """Bytes of the file so far, buffered ones included."""
        self._path = os.fspath(path)
        self._compressor = _COMPRESSORS[suffix_of(path) if suffix is None else suffix]()
        self._buffer = bytearray()
        self._buffer_max = _BUFFER_BYTES if is_whole else 0
        target = Path(path)
        # A device, a pipe and standard output cannot be replaced.
        is_file = target.is_file() or not target.exists()
        is_whole = is_whole and is_file and not is_standard_output(path)
        self._whole = _Whole(target) if is_whole else None
        self._file = (
            _open_output(target, is_over=is_over) if self._whole is None else self._whole.file
        )

    def write(self, data: bytes) -> None:
        self._put(self._compressor.compress(data))

    def _put(self, data: bytes) -> None:
        self.size += len(data)
        self._buffer += data
        if len(self._buffer) > self._buffer_max:
            self._flush()

    def _flush(self) -> None:
        data, self._buffer = self._buffer, bytearray()
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]  # a raw file may take fewer bytes than given
        except OSError as error:
            self._failed(error)
            raise

    def _failed(self, error: OSError) -> None:
        error.filename = self._path  # so that it cannot be taken for an error in reading
        self._discard()

    def _discard(self) -> None:
        (self._file.close if self._whole is None else self._whole.discard)()

    @property
    def is_closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        """Ends the compressed data and closes the file."""
        if self._file.closed:
            return
        self._put(self._compressor.flush())
        self._flush()
        try:
            (self._file.close if self._whole is None else self._whole.finish)()
        except OSError as error:
            self._failed(error)
            raise

    def abandon(self) -> None:
        """Closes the file; with `is_whole`, removes it."""
        if self._whole is None:
            self.close()
        elif not self._file.closed:
            self._discard()


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file that is not compressed. A file of that name is replaced once it is whole."""
    with Sink(path, suffix="", is_whole=True) as sink:
        sink.write(data)

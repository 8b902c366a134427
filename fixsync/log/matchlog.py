"""Match logs: their schema, and files to typed values and back. docs/match-logs.md describes the
format.

Nothing here asks the kernel: a log that is well formed may still hold commands that a world
refuses.

`Reader` gives a log's frames one after another in bounded memory. Every mistake in a log is a
`MatchLogError` that names the file, the line and the field. `Writer` writes the canonical form: the
same content is the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, TypeAlias, Union

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, inspect

from fixsync.log import files as logfile
from fixsync.log import text as strictjson
from fixsync.log.text import LineError

FORMAT = "fixsync-match"
VERSION = 1
LINE_BYTES_MAX = 1 << 28
"""The longest line that is read; a longer one is an error, so that a hostile log cannot fill the
memory.
"""

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
SEED_MAX = 2**64 - 1
META_DIGITS_MAX = 600
"""The most digits of an integer in `meta`: any Python reads that many, whatever its own limit is
set to.
"""


class MatchLogError(ValueError):
    """What is wrong in a match log, and where.

    `file` is its name, `line` counts from 1 (0: the file as a whole, or the log is compact),
    `field` is the path of the value within the line, such as `commands[3][2][0]` ("": the line as a
    whole), `reason` the rest of the message. `frame` is the number of the frame, of a compact log,
    which has no lines; else None."""

    def __init__(
        self, file: str, line: int, field: str, reason: str, frame: int | None = None
    ) -> None:
        self.file = file
        self.line = line
        self.field = field
        self.reason = reason
        self.frame = frame
        place = [f"line {line}"] if line else [] if frame is None else [f"frame {frame}"]
        super().__init__(f"{', '.join([file, *place, *([field] if field else [])])}: {reason}")

    @property
    def is_for_want_of_memory(self) -> bool:
        """Whether the log may well be valid, and needs more memory than there is."""
        error: BaseException | None = self
        while error is not None and not isinstance(error, MemoryError):
            error = error.__cause__
        return error is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return MatchLogError, (self.file, self.line, self.field, self.reason, self.frame)


# ---- schema ----

Int32 = Annotated[int, Meta(ge=INT32_MIN, le=INT32_MAX)]
UInt32 = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**32 - 1)]
Capacity = Annotated[int, Meta(ge=1, le=2**31)]
Id = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Size = Annotated[int, Meta(ge=1, le=2**29 - 1)]
HalfHeight0 = Annotated[int, Meta(ge=0, le=2**29 - 1)]
HalfAngle = Annotated[int, Meta(ge=1, le=32768)]
Yaw = Annotated[int, Meta(ge=0, le=65535)]
LayerIndex = Annotated[int, Meta(ge=0, le=31)]
HitWhen = Annotated[int, Meta(ge=1, le=2)]
ContactCode = Annotated[int, Meta(ge=0, le=2)]
EventCode = Annotated[int, Meta(ge=1, le=3)]
MotionPart = Annotated[int, Meta(ge=-(2**29 - 1), le=2**29 - 1)]
Fraction = Annotated[int, Meta(ge=0, le=65536)]
Vector = tuple[Int32, Int32, Int32]
MotionVector = tuple[MotionPart, MotionPart, MotionPart]


class _Row(Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """Written as a JSON array: its tag if it has one, then its fields in order."""


class Sphere(_Row, tag="sphere"):
    radius: Size


class Capsule(_Row, tag="capsule"):
    radius: Size
    half_height: HalfHeight0


class Cylinder(_Row, tag="cylinder"):
    radius: Size
    half_height: Size


class Box(_Row, tag="box"):
    half_x: Size
    half_y: Size
    half_z: Size


class Sector(_Row, tag="sector"):
    radius: Size
    half_angle: HalfAngle
    half_height: Size


# Union[...] as an expression: msgspec needs the types themselves.
Shape: TypeAlias = Union[Sphere, Capsule, Cylinder, Box, Sector]  # noqa: UP007


class Add(_Row, tag="add"):
    id: Id
    shape: Shape
    position: Vector
    yaw: Yaw
    layer: LayerIndex
    owner: UInt32
    offset: Vector
    active: bool


class Move(_Row, tag="move"):
    id: Id
    position: Vector


class Turn(_Row, tag="turn"):
    id: Id
    yaw: Yaw


class SetPose(_Row, tag="pose"):
    id: Id
    position: Vector
    yaw: Yaw


class SetShape(_Row, tag="shape"):
    id: Id
    shape: Shape


class SetOffset(_Row, tag="offset"):
    id: Id
    offset: Vector


class SetOwner(_Row, tag="owner"):
    id: Id
    owner: UInt32


class SetLayer(_Row, tag="layer"):
    id: Id
    layer: LayerIndex


class SetActive(_Row, tag="active"):
    id: Id
    active: bool


class Remove(_Row, tag="remove"):
    id: Id


class Query(_Row, tag="query"):
    shape: Shape
    position: Vector
    yaw: Yaw
    mask: UInt32


class Cast(_Row, tag="cast"):
    shape: Shape
    position: Vector
    yaw: Yaw
    motion: MotionVector
    mask: UInt32
    exclude_owner: UInt32
    limit: UInt32
    hit_when: HitWhen


class CastHit(_Row):
    """One row of a cast's answer. No tuple: msgspec 0.22 crashes on a union of a bounded int and a
    tuple.
    """

    id: Id
    fraction: Fraction
    normal_x: Int32
    normal_y: Int32
    normal_z: Int32


Command: TypeAlias = Union[  # noqa: UP007
    Add,
    Move,
    Turn,
    SetPose,
    SetShape,
    SetOffset,
    SetOwner,
    SetLayer,
    SetActive,
    Remove,
    Query,
    Cast,
]
Event: TypeAlias = tuple[Id, Id, EventCode, ContactCode]
Answer: TypeAlias = list[Union[Id, CastHit]]  # noqa: UP007
Input: TypeAlias = Union[Int64, list[Int64]]  # noqa: UP007


class TraceFrame(Struct, forbid_unknown_fields=True, gc=False):
    """A frame of a log without a sim. What its recorder left out is UNSET."""

    frame: UInt32
    commands: list[Command]
    queries: list[Answer] | UnsetType = UNSET
    events: list[Event] | UnsetType = UNSET
    hash: str | UnsetType = UNSET


class SimFrame(Struct, forbid_unknown_fields=True, gc=False):
    """A frame of a log with a sim: inputs, one entry a player, in the place of commands."""

    frame: UInt32
    inputs: list[Input]
    queries: list[Answer] | UnsetType = UNSET
    events: list[Event] | UnsetType = UNSET
    hash: str | UnsetType = UNSET


Frame: TypeAlias = Union[TraceFrame, SimFrame]  # noqa: UP007


class Footer(Struct, forbid_unknown_fields=True):
    """The last line: how many frames there are, and the SHA-256 of all bytes before it."""

    frames: UInt32
    sha256: str | UnsetType = UNSET


class Names(Struct):
    """What people call a log's layers and ids."""

    layers: dict[int, str] = {}
    ids: dict[int, str] = {}


class Header(Struct, kw_only=True):
    """Line 1 of a log: how a world is made, and what the log says about itself."""

    capacity: int
    tick_rate: int | tuple[int, int] = 60
    """Frames a second, or (numerator, denominator) of it."""
    hit_when: int = 1
    layers: list[tuple[int, int]] | None = None
    """None: every layer meets every layer. Else the enabled pairs, (i, j) with i <= j,
    ascending.
    """
    sim: str | None = None
    seed: int = 0
    meta: dict[str, Any] = {}
    names: Names = msgspec.field(default_factory=Names)
    unit_mm: int | None = None
    """How many millimetres one unit is, if that is known."""

    def seconds(self, frames: int) -> float:
        """How long so many frames last; for showing, never for deciding."""
        numerator, denominator = (
            self.tick_rate if isinstance(self.tick_rate, tuple) else (self.tick_rate, 1)
        )
        return frames * denominator / numerator


def layer_masks(layers: Sequence[tuple[int, int]] | None) -> list[int]:
    """The layer matrix as 32 masks: bit j of mask i is set when layers i and j meet."""
    if layers is None:
        return [0xFFFFFFFF] * 32
    masks = [0] * 32
    for i, j in layers:
        masks[i] |= 1 << j
        masks[j] |= 1 << i
    return masks


def layer_pairs(masks: Sequence[int]) -> list[tuple[int, int]] | None:
    """The enabled pairs of a symmetric matrix as a header holds them: None if all are."""
    if all(mask == 0xFFFFFFFF for mask in masks):
        return None
    return [(i, j) for i in range(32) for j in range(i, 32) if masks[i] >> j & 1]


# ---- line 1 ----


class _NamesLine(Struct, forbid_unknown_fields=True):
    layers: dict[str, str] = {}
    ids: dict[str, str] = {}


class _HeaderLine(Struct, forbid_unknown_fields=True):
    """Line 1 as it is written, key order included."""

    format: str
    version: int
    tick_rate: Union[Positive, list[Positive]]  # noqa: UP007
    capacity: Capacity
    hit_when: HitWhen
    layers: list[tuple[LayerIndex, LayerIndex]] | None
    sim: str | None
    seed: int
    meta: dict[str, Any]
    names: _NamesLine | UnsetType = UNSET
    unit_mm: Positive | UnsetType = UNSET


_HEADER_LINE = inspect.type_info(_HeaderLine)


def parse_header(line: bytes) -> Header:
    """The header on line 1, given without its newline. `LineError` for what is none."""
    doc = strictjson.parse(line, digits_max=META_DIGITS_MAX)
    if "format" not in doc:
        raise LineError(
            "format", f'the key is missing; a match log starts with {{"format":"{FORMAT}"'
        )
    if doc["format"] != FORMAT:
        raise LineError(
            "format",
            f"expected {strictjson.shown(FORMAT)}, found {strictjson.shown(doc['format'])}",
        )
    version = doc.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise LineError("version", f"expected {VERSION}, found {strictjson.shown(version)}")
    strictjson.check(doc, _HEADER_LINE)
    if not 0 <= doc["seed"] <= SEED_MAX:
        raise LineError("seed", f"{strictjson.shown(doc['seed'])} is not in 0..{SEED_MAX}")
    strictjson.check_plain(doc["meta"], "meta")
    names = doc.get("names", {})
    tick_rate = doc["tick_rate"]
    if isinstance(tick_rate, list) and len(tick_rate) != 2:
        found = strictjson.shown(tick_rate)
        raise LineError(
            "tick_rate", f"expected an integer or [numerator, denominator], found {found}"
        )
    return Header(
        capacity=doc["capacity"],
        tick_rate=tuple(tick_rate) if isinstance(tick_rate, list) else tick_rate,
        hit_when=doc["hit_when"],
        layers=layer_pairs(layer_masks(doc["layers"])),
        sim=doc["sim"],
        seed=doc["seed"],
        meta=doc["meta"],
        names=Names(_names(names, "layers", 31), _names(names, "ids", doc["capacity"] - 1)),
        unit_mm=doc.get("unit_mm"),
    )


def _names(names: dict[str, Any], which: str, number_max: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for key, name in names.get(which, {}).items():
        path = strictjson.key_path(f"names.{which}", key)
        is_number = key.isascii() and key.isdecimal() and len(key) <= 10 and str(int(key)) == key
        if not is_number or int(key) > number_max:
            raise LineError(path, f'expected a key in "0".."{number_max}"')
        strictjson.check_string(name, path)
        found[int(key)] = name
    return found


def format_header(header: Header) -> bytes:
    """The header's canonical line, newline included. `LineError` for a header that no log may
    have.
    """
    names = {which: names for which, names in _named(header.names) if names}
    doc: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tick_rate": header.tick_rate,
        "capacity": header.capacity,
        "hit_when": header.hit_when,
        "layers": header.layers,
        "sim": header.sim,
        "seed": header.seed,
        "meta": header.meta,
        **({"names": names} if names else {}),
        **({} if header.unit_mm is None else {"unit_mm": header.unit_mm}),
    }
    header = parse_header(_json(doc))
    if header.meta != doc["meta"]:
        raise LineError("meta", "JSON does not keep it: a key is no string, or a list is a tuple")
    return _json({**doc, "layers": header.layers}) + b"\n"


def _json(doc: dict[str, Any]) -> bytes:
    try:
        return json.dumps(doc, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise LineError("", f"a header that JSON cannot hold: {error}") from error


def _named(names: Names) -> list[tuple[str, dict[str, str]]]:
    """Both tables with keys as JSON has them, ascending by number."""
    tables = ("layers", names.layers), ("ids", names.ids)
    return [
        (which, {str(number): table[number] for number in sorted(table)}) for which, table in tables
    ]


# ---- the lines after it ----

# bytes.find takes three times as long for this pattern.
_MINUS_ZERO = re.compile(b"-0").search
_HEX = "0123456789abcdef"
_FOOTER_LINE = inspect.type_info(Footer)


def _hexadecimal(value: str, digits: int, path: str) -> str:
    value = value.lower()
    if len(value) != digits or value.strip(_HEX):
        raise LineError(
            path, f"expected {digits} hexadecimal digits, found {strictjson.shown(value)}"
        )
    return value


class _FrameFormat:
    """Frame lines of one of the two kinds, to values and back."""

    def __init__(self, frame: type[TraceFrame] | type[SimFrame]) -> None:
        self.decoder = msgspec.json.Decoder(frame)
        self._schema = inspect.type_info(frame)
        self._encode = msgspec.json.Encoder().encode

    def parse(self, line: bytes, due: int) -> Frame | Footer:
        """Any line after the first, strictly; frame number `due` if it is a frame."""
        doc = strictjson.parse(line)
        if "frames" in doc and "frame" not in doc:
            strictjson.check(doc, _FOOTER_LINE)
            footer = msgspec.convert(doc, Footer)
            if footer.sha256 is not UNSET:
                footer.sha256 = _hexadecimal(footer.sha256, 64, "sha256")
            return footer
        strictjson.check(doc, self._schema)
        try:
            frame: Frame = self.decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise LineError("", str(error)) from error
        if frame.frame != due:
            what = "missing" if frame.frame > due else "here twice"
            raise LineError("frame", f"expected {due}, found {frame.frame}: a frame is {what}")
        if frame.hash is not UNSET:
            frame.hash = _hexadecimal(frame.hash, 16, "hash")
        return frame

    def parse_all(self, block: bytes, lines: list[bytes], due: int) -> list[Frame] | None:
        """All of a block of whole lines at once, or None if any of them needs `parse`.

        msgspec checks types, ranges, lengths and known keys, and finds blank lines. What it lets
        through is looked for here in the block as a whole: carriage returns, white space around an
        object, -0, frames out of sequence, keys that stand twice (a frame's line has a colon after
        each key and nowhere else), hashes that are none."""
        count = len(lines)
        if b"\r" in block or _MINUS_ZERO(block):
            return None
        if (b" " in block or b"\t" in block) and any(line.strip(b" \t") != line for line in lines):
            return None
        try:
            frames: list[Frame] = list(map(self.decoder.decode, lines))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if [frame.frame for frame in frames] != list(range(due, due + count)):
            return None
        more_keys = block.count(b":") - 2 * count
        if more_keys == 0:
            return frames
        hashes = [frame.hash for frame in frames if frame.hash is not UNSET]
        left_out = sum([(frame.queries is UNSET) + (frame.events is UNSET) for frame in frames])
        if more_keys != len(hashes) + 2 * count - left_out:
            return None
        if hashes and (set(map(len, hashes)) != {16} or "".join(hashes).strip(_HEX)):
            return None
        return frames

    def format(self, frame: Frame) -> bytes:
        """The frame's canonical line, newline included. `LineError` for a frame that no log may
        have.
        """
        try:
            line = self._encode(frame)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise LineError("", f"a frame that JSON cannot hold: {error}") from error
        if self.parse_all(line + b"\n", [line], frame.frame) is None:
            line = self._encode(self.parse(line, frame.frame))
        return line + b"\n"


def plain(value: Any) -> Any:
    """A value of a log as any JSON library reads it: a list for each row and tuple."""
    return json.loads(json.dumps(msgspec.to_builtins(value, str_keys=True)))


def check_ids(frame: Frame, capacity: int) -> None:
    """`LineError` for an event or an answer with an id that no world of this capacity has.

    Commands are checked by the world that they are for, or one at a time by `check_command_id`.
    """
    # No path is made of what is right, which is nearly all.
    for i, (a, b, _, _) in enumerate(frame.events or []):
        if a >= capacity:
            raise _no_such_id(a, capacity, f"events[{i}][0]")
        if b >= capacity:
            raise _no_such_id(b, capacity, f"events[{i}][1]")
    for i, answer in enumerate(frame.queries or []):
        for j, hit in enumerate(answer):
            if isinstance(hit, CastHit):
                if hit.id >= capacity:
                    raise _no_such_id(hit.id, capacity, f"queries[{i}][{j}][0]")
            elif hit >= capacity:
                raise _no_such_id(hit, capacity, f"queries[{i}][{j}]")


def check_command_id(command: Command, index: int, capacity: int) -> None:
    """`LineError` for the command at `index` of a frame if no world of this capacity has its id."""
    # Query | Cast would be made anew for each command.
    if not isinstance(command, (Query, Cast)) and command.id >= capacity:
        raise _no_such_id(command.id, capacity, f"commands[{index}][1]")


def _no_such_id(id: int, capacity: int, path: str) -> LineError:
    return LineError(path, f"{id} is not in 0..{capacity - 1}, which is the log's capacity")


_TRACE, _SIM = _FrameFormat(TraceFrame), _FrameFormat(SimFrame)


class Reader:
    """A match log, read once from start to end. A context manager; iterate over it for the frames.

    The memory it needs is that of a hundred frames, or of the longest line, or of the largest block
    of a compact log. MatchLogError for whatever is wrong, after the whole frames before it; OSError
    for a file that cannot be read; ValueError for a compression that is not installed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        """The file as it was given."""
        self.frames = 0
        """Frames read so far."""
        self.footer: Footer | None = None
        """The last line, once the iteration is over; None for a log without it."""
        self.cut = ""
        """Why the log counts as cut short, once the iteration is over; "" for a whole one."""
        self._other_lines = 0  # header and last line, as soon as they are read
        self._sha256 = hashlib.sha256()
        self._rest = b""
        self._source = logfile.Source(path)
        try:
            self._blocks = self._whole_lines(self._pieces())
            line, line_feed, self._block = next(self._blocks, b"").partition(b"\n")
            self.header = self._read_header(
                line if line_feed else self._rest, is_whole=bool(line_feed)
            )
        except BaseException:
            self._source.close()
            raise
        self._format = _TRACE if self.header.sim is None else _SIM
        self._frames = self._all_frames()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._source.close()

    @property
    def line(self) -> int:
        """The number of the last line read; that of frame n is n + 2. A compact log is counted
        likewise.
        """
        return self.frames + self._other_lines

    @property
    def size(self) -> int:
        """Bytes of the file read so far."""
        return self._source.size

    @property
    def progress(self) -> float:
        """How much of the file has been read, 0 to 1."""
        return self._source.progress

    def error(self, field: str, reason: str) -> MatchLogError:
        """An error about a field of the last line read."""
        return self._error_at(self.line, field, reason)

    def _error_at(self, line: int, field: str, reason: str) -> MatchLogError:
        return MatchLogError(self.name, line, field, reason)

    def _error_after(self, field: str, reason: str) -> MatchLogError:
        """An error about the line after the last one read."""
        return self._error_at(self.line + 1, field, reason)

    # Bytes to lines.

    def _pieces(self) -> Iterator[bytes]:
        try:
            yield from self._source
        except logfile.DamagedFileError as damage:
            raise self._error_after("", str(damage)) from damage

    def _whole_lines(self, pieces_read: Iterator[bytes]) -> Iterator[bytes]:
        """The text in blocks of whole lines. What follows the last line feed becomes `_rest`, sets
        `cut`.
        """
        pieces: list[bytes] = []
        size = 0
        for piece in pieces_read:
            end = piece.rfind(b"\n") + 1
            if end:
                pieces.append(piece[:end])
                yield b"".join(pieces)
                pieces, size = [], 0
            pieces.append(piece[end:])
            size += len(piece) - end
            if size > LINE_BYTES_MAX:
                raise self._error_after("", f"a line of more than {LINE_BYTES_MAX} bytes")
        self._rest = b"".join(pieces)
        if self._source.is_cut:
            self.cut = self._cut_source
        elif self._rest:
            self.cut = "the last line has no line feed"

    @property
    def _cut_source(self) -> str:
        return f"the {self._source.suffix} data ends early"

    def _read_header(self, line: bytes, *, is_whole: bool) -> Header:
        if not line and not is_whole:
            raise MatchLogError(
                self.name, 0, "", "the file is empty; a match log has a header on line 1"
            )
        if compression := logfile.compression_of(line):
            reason = f"the data is compressed, so its name must end in {compression}"
            raise MatchLogError(self.name, 0, "", reason)
        try:
            header = parse_header(line)
        except LineError as wrong:
            if not is_whole and not wrong.path:
                raise MatchLogError(self.name, 1, "", "the file ends within its header") from wrong
            raise MatchLogError(self.name, 1, wrong.path, wrong.reason) from wrong
        self._other_lines = 1
        self._sha256.update(line + b"\n")
        return header

    # Lines to frames.

    def __iter__(self) -> Iterator[Frame]:
        """The frames that have not been given yet."""
        return self._frames

    def _all_frames(self) -> Iterator[Frame]:
        if self._block:
            yield from self._frames_of(self._block)
        for block in self._blocks:
            yield from self._frames_of(block)
        if self.footer is not None and self._rest:
            raise self._error_after("", "text after the last line")
        if self.footer is None and not self.cut:
            self.cut = "there is no last line"

    def _frames_of(self, block: bytes) -> Iterator[Frame]:
        lines = block.split(b"\n")
        lines.pop()
        last: list[bytes] = []
        if lines[-1].startswith(b'{"frames"'):
            last.append(lines.pop())
            block = block[: len(block) - len(last[0]) - 1]
        frames_read = None if self.footer else self._format.parse_all(block, lines, self.frames)
        if frames_read is not None:
            self._sha256.update(block)
            for frame in frames_read:
                self.frames += 1
                yield frame
            lines = []
        for line in lines + last:
            frame_or_footer = self._parse(line)
            if isinstance(frame_or_footer, Footer):
                self._check_footer(frame_or_footer)
                self.footer = frame_or_footer
                self._other_lines += 1
            else:
                self._sha256.update(line + b"\n")
                self.frames += 1
                yield frame_or_footer

    def _parse(self, line: bytes) -> Frame | Footer:
        if self.footer is not None:
            raise self._error_after("", "text after the last line")
        try:
            return self._format.parse(line, self.frames)
        except LineError as wrong:
            raise self._error_after(wrong.path, wrong.reason) from wrong

    def _check_footer(self, footer: Footer) -> None:
        if footer.frames != self.frames:
            raise self._error_after(
                "frames", f"says {footer.frames} where the log has {self.frames}"
            )
        if footer.sha256 is not UNSET and footer.sha256 != self._sha256.hexdigest():
            found = self._sha256.hexdigest()
            raise self._error_after(
                "sha256", f"says {footer.sha256} where the bytes before it have {found}"
            )


def canonical_lines(reader: Reader) -> Iterator[bytes]:
    """The lines of a log in canonical form: all that its reader has not given yet. None at the end
    if it was cut short."""
    line = format_header(reader.header)
    sha256 = hashlib.sha256(line)
    yield line
    for frame in reader:
        line = reader._format.format(frame)
        sha256.update(line)
        yield line
    if not reader.cut:
        yield msgspec.json.encode(Footer(reader.frames, sha256.hexdigest())) + b"\n"


class Writer:
    """Writes a match log in canonical form. A context manager: an error within leaves a cut log.

    Each frame is handed to the operating system before `write` returns (but a `.xz` or `.bz2` keeps
    a part back until `close`). With `replace`, the file appears under its name at `close`;
    what has that name now stays until then."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Header,
        *,
        replace: bool = False,
    ) -> None:
        self.name = os.fspath(path)
        self.frames = 0
        """Frames written so far."""
        self._format = _TRACE if header.sim is None else _SIM
        self._sha256 = hashlib.sha256()
        try:
            line = format_header(header)
        except LineError as wrong:
            raise MatchLogError(self.name, 1, wrong.path, wrong.reason) from wrong
        self._written, self._target = (
            logfile.place_of(path) if replace else (Path(path), Path(path))
        )
        self._sink = logfile.Sink(self._written, suffix=logfile.suffix_of(path))
        try:
            self._put(line)
        except OSError:
            self.abandon()
            raise

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self.abandon()

    def _put(self, data: bytes) -> None:
        self._sink.write(data)
        self._sha256.update(data)

    @property
    def size(self) -> int:
        """Bytes of the file written so far."""
        return self._sink.size

    def write(self, frame: Frame) -> None:
        """Writes the next frame. MatchLogError, and nothing written, for one that no log may have
        here.
        """
        try:
            if frame.frame != self.frames:
                raise LineError("frame", f"expected {self.frames}, found {frame.frame}")
            line = self._format.format(frame)
        except LineError as wrong:
            raise MatchLogError(self.name, self.frames + 2, wrong.path, wrong.reason) from wrong
        self.frames += 1
        self._put(line)

    def close(self, *, is_whole: bool = True) -> None:
        """Writes the last line, unless the log is one that was cut short, and closes the file."""
        if self._sink.is_closed:
            return
        try:
            if is_whole:
                footer = Footer(self.frames, self._sha256.hexdigest())
                self._sink.write(msgspec.json.encode(footer) + b"\n")
            self._sink.close()
        except OSError:
            self._give_up()
            raise
        if self._written != self._target:
            self._written.replace(self._target)

    def abandon(self) -> None:
        """Closes the file without a last line; with `replace`, removes what was written."""
        if not self._sink.is_closed:
            self._give_up()

    def _give_up(self) -> None:
        try:
            self._sink.close()
        finally:
            if self._written != self._target:
                self._written.unlink()

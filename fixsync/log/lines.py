"""A line of a match log to its value and back: the header, a frame, the last line.

Each line is read by msgspec first, which is fast and says little. A line that it refuses, or that
may have a fault that it does not find, goes through the strict parser of `fixsync.base.strict_json`, which
names the fault."""

from __future__ import annotations

import base64
import binascii
import json
import re
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, inspect

from fixsync._native.checks import layer_masks, layer_pairs
from fixsync._native.kinds import KINDS
from fixsync.base import strict_json
from fixsync.base.names import Names
from fixsync.base.strict_json import LineError, Row
from fixsync.log.schema import (
    FORMAT,
    FRAME_MAX,
    SEED_MAX,
    VERSION,
    About,
    Capacity,
    CastHit,
    Command,
    Footer,
    Frame,
    Header,
    HitWhen,
    LayerPair,
    Positive,
    Query,
    SetLayers,
    SimFrame,
    Start,
    TraceFrame,
    UInt32,
)
from fixsync.log.schema import Cast as CastCommand
from fixsync.log.solids import LevelLine, level_of, read_level_line, solid_ids
from fixsync.match.sim import GAME_EVENT
from fixsync.world.level import Level

META_DIGITS_MAX = 600
"""The most digits of an integer in `meta`: any Python reads that many, whatever its own limit."""


# The header.


class _NamesLine(Struct, forbid_unknown_fields=True):
    layers: dict[str, str] = {}
    ids: dict[str, str] = {}
    game: dict[str, str] = {}


class _StartLine(Struct, forbid_unknown_fields=True):
    frame: UInt32
    state: str


class _HeaderLine(Struct, forbid_unknown_fields=True):
    """Line 1 as it is written, in the canonical order of its keys."""

    format: str
    version: int
    tick_rate: Positive | list[Positive]
    capacity: Capacity
    hit_when: HitWhen
    layers: list[LayerPair] | None
    sim: str | None
    seed: int
    meta: dict[str, Any]
    names: _NamesLine | UnsetType = UNSET
    unit_mm: Positive | UnsetType = UNSET
    z_down: bool | UnsetType = UNSET
    level: LevelLine | UnsetType = UNSET
    start: _StartLine | UnsetType = msgspec.field(default=UNSET, name="from")
    semantics: Positive | UnsetType = UNSET
    build: str | UnsetType = UNSET
    data: str | UnsetType = UNSET


_HEADER_LINE = inspect.type_info(_HeaderLine)


def parse_header(line: bytes) -> Header:
    """The header on line 1, given without its line feed. LineError for anything else."""
    doc = strict_json.parse(line, digits_max=META_DIGITS_MAX)
    if "format" not in doc:
        expected = f'a match log starts with {{"format":"{FORMAT}"'
        raise LineError("format", f"the key is missing; {expected}")
    if doc["format"] != FORMAT:
        raise LineError(
            "format",
            f"expected {strict_json.shown(FORMAT)}, found {strict_json.shown(doc['format'])}",
        )
    version = doc.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise LineError("version", f"expected {VERSION}, found {strict_json.shown(version)}")
    # A level may have many solids: the strict parser sees it only if something is wrong with it.
    line_of_level = read_level_line(doc["level"]) if "level" in doc else None
    strict_json.check({**doc, "level": {"solids": []}} if line_of_level else doc, _HEADER_LINE)
    level = None if line_of_level is None else level_of(line_of_level)
    capacity = doc["capacity"]
    return Header(
        **_about(doc, capacity, level),
        capacity=capacity,
        hit_when=doc["hit_when"],
        layers=layer_pairs(layer_masks(doc["layers"])),
        level=level,
        start=_start(doc["from"]) if "from" in doc else None,
    )


def _about(doc: dict[str, Any], capacity: int, level: Level | None) -> dict[str, Any]:
    """The fields of About, of values that are as the schema says."""
    if not 0 <= doc["seed"] <= SEED_MAX:
        raise LineError("seed", f"{strict_json.shown(doc['seed'])} is not in 0..{SEED_MAX}")
    strict_json.check_plain(doc["meta"], "meta")
    names = doc.get("names", {})
    ids = range(capacity), solid_ids(level)
    return {
        "tick_rate": _tick_rate(doc["tick_rate"]),
        "sim": doc["sim"],
        "seed": doc["seed"],
        "meta": doc["meta"],
        "names": Names(
            _names(names, "layers", range(32)),
            _names(names, "ids", *ids),
            _names(names, "game", range(GAME_EVENT, 2**32)),
            _owners(doc["meta"]),
        ),
        "unit_mm": doc.get("unit_mm"),
        "z_down": _only_true(doc),
        "semantics": doc.get("semantics"),
        "build": doc.get("build"),
        "data": _hexadecimal(doc["data"], 16, "data") if "data" in doc else None,
    }


def _only_true(doc: dict[str, Any]) -> bool:
    """z_down, which stands in a log only if it is true."""
    if doc.get("z_down", True) is not True:
        raise LineError("z_down", "expected true, or no such key, found false")
    return "z_down" in doc


def _tick_rate(value: Any) -> int | tuple[int, int]:
    if not isinstance(value, list):
        return int(value)
    if len(value) != 2:
        found = strict_json.shown(value)
        raise LineError(
            "tick_rate", f"expected an integer or [numerator, denominator], found {found}"
        )
    return value[0], value[1]


def _names(names: dict[str, Any], which: str, *numbers: range) -> dict[int, str]:
    found: dict[int, str] = {}
    for key, name in names.get(which, {}).items():
        path = strict_json.key_path(f"names.{which}", key)
        is_number = key.isascii() and key.isdecimal() and len(key) <= 10 and str(int(key)) == key
        if not is_number or not any(int(key) in allowed for allowed in numbers):
            ranges = [f'"{allowed[0]}".."{allowed[-1]}"' for allowed in numbers if allowed]
            raise LineError(path, f"expected a key in {' or '.join(ranges)}")
        strict_json.check_string(name, path)
        found[int(key)] = name
    return found


_OWNERS = range(1, 2**32)


def _owners(meta: dict[str, Any]) -> dict[int, str]:
    """The names of owners in `meta`, which may have a key of that name for something else."""
    found = meta.get("owners")
    is_names = isinstance(found, dict) and all(isinstance(name, str) for name in found.values())
    try:
        return _names(meta, "owners", _OWNERS) if is_names else {}
    except LineError:
        return {}


def _start(value: dict[str, Any]) -> Start:
    written = value["state"]
    try:
        state = base64.b64decode(written.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        state = b""
    # The decoder takes other ends of the same bytes, too: only one of them is canonical.
    if not state or base64.b64encode(state).decode() != written:
        found = strict_json.shown(written)
        raise LineError("from.state", f"expected a state in base64 with padding, found {found}")
    return Start(value["frame"], state)


def format_about(about: About, capacity: int, level: Level | None) -> bytes:
    """The members of the first line that are not of a world, as the recorder takes them. LineError
    for values that no log may have."""
    names = {which: table for which, table in _named(about.names) if table}
    owners, meta = names.pop("owners", {}), dict(about.meta)
    if owners and about.names.owners != _owners(meta):
        if "owners" in meta:
            raise LineError("meta.owners", "it is where the names of owners are: leave it out")
        meta["owners"] = owners
        _names(meta, "owners", _OWNERS)
    doc: dict[str, Any] = {
        "tick_rate": about.tick_rate,
        "sim": about.sim,
        "seed": about.seed,
        "meta": meta,
    }
    if names:
        doc["names"] = names
    if about.unit_mm is not None:
        doc["unit_mm"] = about.unit_mm
    if about.z_down:
        doc["z_down"] = True
    doc["semantics"] = about.semantics
    if about.build is not None:
        doc["build"] = about.build
    if about.data is not None:
        doc["data"] = about.data
    try:
        line = json.dumps(doc, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        line = json.dumps(doc).encode()  # what refuses it names the place
    except (TypeError, ValueError, RecursionError) as error:
        raise LineError("", f"JSON cannot hold this header: {error}") from error
    found = strict_json.parse(line, digits_max=META_DIGITS_MAX)
    if found["semantics"] is None:  # the C recorder takes null for none
        del found["semantics"]
    strict_json.check({**_OF_WORLD, **found}, _HEADER_LINE)
    _about(found, capacity, level)
    if found["meta"] != doc["meta"]:
        reason = "JSON does not keep it: a key is not a string, or a list is a tuple"
        raise LineError("meta", reason)
    return line


_OF_WORLD = {"format": FORMAT, "version": VERSION, "capacity": 1, "hit_when": 1, "layers": None}


def _named(names: Names) -> list[tuple[str, dict[str, str]]]:
    """All tables with keys as JSON has them, ascending by number."""
    tables = ((which, getattr(names, which)) for which in ("layers", "ids", "game", "owners"))
    return [
        (which, {str(number): table[number] for number in sorted(table)}) for which, table in tables
    ]


# The lines after it.

# bytes.find takes three times as long for this pattern.
_MINUS_ZERO = re.compile(b"-0").search
_HEX = "0123456789abcdef"
_HASHES = {"hash", "state"}
_FOOTER_LINE = inspect.type_info(Footer)


def _is_hexadecimal(digits: str) -> bool:
    """Whether an even number of digits are all lower-case hexadecimal."""
    try:
        return bytes.fromhex(digits).hex() == digits
    except ValueError:
        return False


def _hexadecimal(value: str, digits: int, path: str) -> str:
    value = value.lower()
    if len(value) != digits or value.strip(_HEX):
        found = strict_json.shown(value)
        raise LineError(path, f"expected {digits} hexadecimal digits, found {found}")
    return value


_type_info = cache(inspect.type_info)  # a millisecond


class FrameLines:
    """The lines after the header, of a trace or of a log with a sim."""

    def __init__(self, *, has_sim: bool) -> None:
        self._type: type[TraceFrame] | type[SimFrame] = SimFrame if has_sim else TraceFrame
        self._decode = msgspec.json.Decoder(self._type).decode
        self._schema = _type_info(self._type)
        self._keys = self._type.__struct_fields__
        self._values = attrgetter("frame", *self._keys[2:])

    def parse(self, line: bytes, due: int) -> Frame | Footer:
        """Any line after the first, strictly. A frame must have the number `due`."""
        doc = strict_json.parse(line)
        if "frames" in doc and "frame" not in doc:
            strict_json.check(doc, _FOOTER_LINE)
            footer = msgspec.convert(doc, Footer)
            if footer.sha256 is not UNSET:
                footer.sha256 = _hexadecimal(footer.sha256, 64, "sha256")
            return footer
        strict_json.check(doc, self._schema)
        try:
            frame: Frame = self._decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise LineError("", str(error)) from error
        if frame.frame != due:
            what = "missing" if frame.frame > due else "repeated"
            raise LineError("frame", f"expected {due}, found {frame.frame}: a frame is {what}")
        for name in _HASHES & {*self._keys}:
            if (value := getattr(frame, name)) is not UNSET:
                setattr(frame, name, _hexadecimal(value, 16, name))
        return frame

    def parse_all(self, block: bytes, lines: list[bytes], due: int) -> list[Frame] | None:
        """All lines of a block of whole frame lines, or None if any of them needs `parse`.

        msgspec checks types, ranges, lengths and known keys, and refuses blank lines. The faults
        that it does not find are searched for in the block as a whole: carriage returns, white
        space around an object, -0, frames out of sequence, keys that stand twice (a frame's line
        has a colon after each key and nowhere else), hashes that are not 16 lower-case digits."""
        count = len(lines)
        if b"\r" in block or _MINUS_ZERO(block):
            return None
        if (b" " in block or b"\t" in block) and any(line.strip(b" \t") != line for line in lines):
            return None
        try:
            frames: list[Frame] = list(map(self._decode, lines))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if count == 0:
            return frames
        numbers, *optional = zip(*map(self._values, frames), strict=True)
        if numbers != tuple(range(due, due + count)):
            return None
        left_out = sum(part.count(UNSET) for part in optional)
        if block.count(b":") != len(self._keys) * count - left_out:
            return None
        for hashes in optional[3:]:
            known = [hash for hash in hashes if hash is not UNSET] if UNSET in hashes else hashes
            if known and not (set(map(len, known)) == {16} and _is_hexadecimal("".join(known))):
                return None
        return frames

    def checked(self, frame: Frame) -> bytes:
        """The frame's canonical line. LineError for a frame that no log may have."""
        try:
            line = format_frame(frame)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise LineError("", f"JSON cannot hold this frame: {error}") from error
        if self.parse_all(line, [line], frame.frame) is None:
            self.parse(line, frame.frame)
        return line


def format_frame(frame: Frame) -> bytes:
    """The canonical line of a valid frame."""
    return _without_zeros(_encode(frame))


_encode = msgspec.json.Encoder().encode
_NO_HOLES = tuple(
    (
        b'["%b",' % kind.name.encode(),
        re.compile(rb'(\["%b"(?:,-?\d+){%d}),0\]' % (kind.name.encode(), len(kind.sizes) - 1)),
    )
    for kind in KINDS
    if kind.hole
)
_NO_OPTIONS = re.compile(rb'(\["query"(?:,\[[^]]*\]){2}(?:,-?\d+){2}(?:,[1-9]\d*)?)(?:,0){1,2}\]')


def _without_zeros(line: bytes) -> bytes:
    """A line without zeros that are not written: a hole's, and those that end a query."""
    for word, zero in (*_NO_HOLES, (b'["query",', _NO_OPTIONS)):
        if word in line:
            line = zero.sub(rb"\1]", line)
    return line


def next_frame(frame: int) -> int:
    """The number of the frame after this one: a world counts modulo 2^32."""
    return (frame + 1) & FRAME_MAX


def plain(value: Any) -> Any:
    """A value of a log as any JSON library reads it: a list for each row and tuple."""
    if isinstance(value[0] if isinstance(value, list) and value else value, Row):
        return json.loads(_without_zeros(_encode(value)))
    return json.loads(json.dumps(msgspec.to_builtins(value, str_keys=True)))


# Ids, which the schema cannot check: the header has the capacity and the level.


def check_ids(frame: Frame, header: Header) -> None:
    """LineError for an event or an answer with an id that no collider and no solid of the log
    has."""
    capacity, solids = header.capacity, solid_ids(header.level)
    # No path is made for valid ids, which nearly all are.
    for i, (a, b, _, _) in enumerate(frame.events or ()):
        if a >= capacity:
            raise _no_such_id(a, capacity, f"events[{i}][0]")
        if b >= capacity and b not in solids:
            raise _no_such_id(b, capacity, f"events[{i}][1]", solids)
    for i, answer in enumerate(frame.queries or ()):
        for j, hit in enumerate(answer):
            if isinstance(hit, CastHit):
                if hit.id >= capacity and hit.id not in solids:
                    raise _no_such_id(hit.id, capacity, f"queries[{i}][{j}][0]", solids)
            elif hit >= capacity and hit not in solids:
                raise _no_such_id(hit, capacity, f"queries[{i}][{j}]", solids)


def check_command_ids(commands: list[Command], capacity: int) -> None:
    """LineError for a command with an id that no world of this capacity has."""
    for i, command in enumerate(commands):
        if not isinstance(command, _WITHOUT_ID) and command.id >= capacity:
            raise _no_such_id(command.id, capacity, f"commands[{i}][1]")


_WITHOUT_ID = (Query, CastCommand, SetLayers)


def _no_such_id(id: int, capacity: int, path: str, solids: range = range(0)) -> LineError:
    of_solids = f", nor in {solids[0]}..{solids[-1]}, its solids" if solids else ""
    reason = f"{id} is not in 0..{capacity - 1}, the range of the log's capacity{of_solids}"
    return LineError(path, reason)

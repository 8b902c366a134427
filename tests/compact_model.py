"""The compact form of match logs, read in plain Python by docs/compact-logs.md alone. Imports
nothing of fixsync."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from typing import Any

MAGIC = bytes.fromhex("89 46 58 4c 0d 0a 1a 0a")
COMMANDS = [
    "move",
    "pose",
    "turn",
    "add",
    "remove",
    "shape",
    "offset",
    "owner",
    "layer",
    "active",
    "query",
    "cast",
]
FIELDS = {
    "move": "id position",
    "pose": "id position yaw",
    "turn": "id yaw",
    "add": "id shape position yaw number number vector boolean",
    "remove": "id",
    "shape": "id shape",
    "offset": "id vector",
    "owner": "id number",
    "layer": "id number",
    "active": "id boolean",
    "query": "shape position yaw number",
    "cast": "shape position yaw vector number number number number",
}
SHAPES = [("sphere", 1), ("capsule", 2), ("cylinder", 2), ("box", 3), ("sector", 3)]


class DamagedError(ValueError):
    """What is no compact log."""


def unzigzag(value: int) -> int:
    return value // 2 if value % 2 == 0 else -(value + 1) // 2


def wrapped(value: int, bits: int) -> int:
    """The number of so many bits, with a sign, that is the same modulo 2**bits."""
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


class Memory:
    """What both sides remember from frame to frame."""

    def __init__(self, capacity: int) -> None:
        self.slots = min(capacity, 65536)
        self.rows: dict[int, list[int]] = {}
        self.last_id = 0

    def row(self, id: int | None) -> list[int]:
        """x, y, z, yaw and what was last added to each; of an id, or of the questions."""
        slot = -1 if id is None else id % self.slots
        return self.rows.setdefault(slot, [0] * 8)


class Column:
    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.at = 0

    def byte(self) -> int:
        if self.at == len(self.data):
            raise DamagedError("a column ends early")
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value += (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if value >= 2**64 or (byte == 0 and shift > 7):
            raise DamagedError("a number that is no such number")
        return value

    def signed(self) -> int:
        return unzigzag(self.number())

    def difference(self, bits: int) -> int:
        value = self.number()
        if value >= 2**bits:
            raise DamagedError("a difference out of range")
        return unzigzag(value)

    def natural(self) -> int:
        value = self.number()
        if value >= 2**63:
            raise DamagedError("a number out of range")
        return value


def _moved(row: list[int], part: int, value: int, bits: int, is_added: bool) -> None:
    row[4 + part] = 0 if is_added else wrapped(value - row[part], bits)
    row[part] = value


class Decoder:
    """Frames as plain JSON values, out of the columns of blocks."""

    def __init__(self, capacity: int, is_sim: bool) -> None:
        self.is_sim = is_sim
        self.memory = Memory(capacity)

    def block(self, body: bytes, due: int) -> list[dict[str, Any]]:
        head = Column(body)
        first, count = head.number(), head.number()
        if first != due or count == 0:
            raise DamagedError("not the block that is due")
        sizes = [head.number() for _ in range(7)]
        if sum(sizes) != len(body) - head.at:
            raise DamagedError("columns of another length")
        at = head.at
        self.columns = []
        for size in sizes:
            self.columns.append(Column(body[at : at + size]))
            at += size
        frames = [self.frame(first + i) for i in range(count)]
        if any(column.at != len(column.data) for column in self.columns):
            raise DamagedError("a column goes on")
        return frames

    def frame(self, number: int) -> dict[str, Any]:
        structure, found, hashes = self.columns[0], self.columns[5], self.columns[6]
        flags = structure.number()
        if flags > 7:
            raise DamagedError("flags that are none")
        count = structure.natural()
        frame: dict[str, Any] = {"frame": number}
        if self.is_sim:
            frame["inputs"] = [self.input() for _ in range(count)]
        else:
            frame["commands"] = [self.command() for _ in range(count)]
        if flags & 1:
            frame["queries"] = [self.answer() for _ in range(found.natural())]
        if flags & 2:
            events, last = [], 0
            for _ in range(found.natural()):
                a = last + found.signed()
                b = a + found.signed()
                what = found.natural()
                events.append([a, b, what // 4, what % 4])
                last = a
            frame["events"] = events
        if flags & 4:
            frame["hash"] = f"{sum(hashes.byte() << 8 * i for i in range(8)):016x}"
        return frame

    def input(self) -> Any:
        length = self.columns[0].natural()
        if length == 0:
            return self.columns[0].signed()
        return [self.columns[0].signed() for _ in range(length - 1)]

    def answer(self) -> list[Any]:
        found, rows, last = self.columns[5], [], -1
        for _ in range(found.natural()):
            head = found.number()
            id = last + 1 + unzigzag(head // 2)
            rows.append(
                [id, found.natural(), *[found.signed() for _ in range(3)]] if head % 2 else id
            )
            last = id
        return rows

    def command(self) -> list[Any]:
        structure, memory = self.columns[0], self.memory
        code = structure.number()
        if code >= len(COMMANDS):
            raise DamagedError("an operation that is none")
        name = COMMANDS[code]
        command: list[Any] = [name]
        row = memory.row(None)
        for field in FIELDS[name].split():
            if field == "id":
                memory.last_id = (memory.last_id + 1 + structure.difference(32)) % 2**32
                row = memory.row(memory.last_id)
                command.append(memory.last_id)
            elif field == "shape":
                kind = structure.number()
                if kind >= len(SHAPES):
                    raise DamagedError("a shape that is none")
                shape, length = SHAPES[kind]
                command.append([shape, *[structure.natural() for _ in range(length)]])
            elif field == "position":
                place = []
                for part in range(3):
                    difference = self.columns[1 + part].difference(32)
                    value = wrapped(row[part] + row[4 + part] + difference, 32)
                    _moved(row, part, value, 32, name == "add")
                    place.append(value)
                command.append(place)
            elif field == "yaw":
                yaw = (row[3] + row[7] + self.columns[4].difference(16)) % 65536
                _moved(row, 3, yaw, 16, name == "add")
                command.append(yaw)
            elif field == "vector":
                command.append([structure.signed() for _ in range(3)])
            elif field == "boolean":
                flag = structure.number()
                if flag > 1:
                    raise DamagedError("neither true nor false")
                command.append(bool(flag))
            else:
                command.append(structure.natural())
        return command


def blocks(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The whole blocks of a log, up to where it ends or is cut."""
    at = 9
    while len(data) - at >= 5:
        size = int.from_bytes(data[at + 1 : at + 5], "little")
        end = at + 5 + size
        if end + 4 > len(data):
            return
        if zlib.crc32(data[at:end]) != int.from_bytes(data[end : end + 4], "little"):
            raise DamagedError("a checksum")
        yield chr(data[at]), data[at + 5 : end]
        at = end + 4


def decode(data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]], bool]:
    """Header, frames, and whether the log is whole."""
    if data[:9] != MAGIC + b"\x01":
        raise DamagedError("no compact log of version 1")
    header: dict[str, Any] = {}
    frames: list[dict[str, Any]] = []
    decoder = None
    for kind, body in blocks(data):
        if kind == "H" and decoder is None:
            header = json.loads(body)
            decoder = Decoder(header["capacity"], header["sim"] is not None)
        elif kind == "F" and decoder is not None:
            frames += decoder.block(body, len(frames))
        elif kind == "E" and decoder is not None:
            end = data.index(b"E" + len(body).to_bytes(4, "little") + body)
            if int.from_bytes(body[:4], "little") != len(frames):
                raise DamagedError("another number of frames")
            if body[4:] not in (b"", hashlib.sha256(data[:end]).digest()):
                raise DamagedError("another SHA-256")
            if end + 9 + len(body) != len(data):
                raise DamagedError("more after the end")
            return header, frames, True
        else:
            raise DamagedError("a block where none of its kind may be")
    return header, frames, False

"""Writes match logs as binary traces for the tests: `python traces.py FOLDER LOG...`.

A trace is little-endian: capacity, hit_when, 32 layer masks; the level's bytes and the number of
frames, then for each frame counted rows: commands (60 bytes), questions (a word 0 with a query of 44
bytes, or 1 with a cast of 64), events (16), for each question its answer (ids of 4 bytes, hits of
20); then the hash. A count is a word of 4 bytes."""

from __future__ import annotations

import gzip
import json
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

KINDS = {"sphere": 0, "capsule": 1, "cylinder": 2, "box": 3, "sector": 4}
COMMANDS = (
    "add", "move", "turn", "pose", "shape", "offset", "owner", "layer", "active", "remove", "layers",
)  # fmt: skip


def shape(row: list[Any]) -> tuple[int, int, list[int]]:
    """Kind, half angle, three sizes."""
    name, *sizes = row
    angle = sizes.pop(1) if name == "sector" else 0
    return KINDS[name], angle, [*sizes, 0, 0, 0][:3]


def collider(
    id: int = 0,
    sizes: tuple[int, int, list[int]] = (0, 0, [0, 0, 0]),
    at: Iterable[int] = (0, 0, 0),
    yaw: int = 0,
    layer: int = 0,
    owner: int = 0,
    offset: Iterable[int] = (0, 0, 0),
    active: bool = False,
) -> bytes:
    kind, angle, size = sizes
    head = struct.pack("<IBBBBHHI", id, kind, layer, active, 0, yaw, angle, owner)
    return head + struct.pack("<9i", *at, *offset, *size)


def masks(pairs: list[list[int]] | None) -> list[int]:
    rows = [0 if pairs is not None else 0xFFFFFFFF] * 32
    for a, b in pairs or ():
        rows[a] |= 1 << b
        rows[b] |= 1 << a
    return rows


def commands(row: list[Any]) -> list[bytes]:
    """The rows of C for a command of a log."""
    name, id, *rest = row
    if name == "layers":
        rows = enumerate(masks(id))
        return [struct.pack("<II", 11, mask) + collider(layer=layer) for layer, mask in rows]
    if name == "add":
        sizes, at, yaw, layer, owner, offset, active = rest
        body = collider(id, shape(sizes), at, yaw, layer, owner, offset, active)
    else:
        fields = {
            "move": ("at",), "turn": ("yaw",), "pose": ("at", "yaw"), "offset": ("offset",),
            "owner": ("owner",), "layer": ("layer",), "active": ("active",), "remove": (),
            "shape": ("sizes",),
        }[name]  # fmt: skip
        values = dict(zip(fields, rest, strict=True))
        if "sizes" in values:
            values["sizes"] = shape(values["sizes"])
        body = collider(id, **values)
    return [struct.pack("<II", COMMANDS.index(name) + 1, 0) + body]


def question(row: list[Any]) -> bytes:
    """The row of C for a query or a cast of a log."""
    name, sizes, at, yaw, *rest = row
    kind, angle, size = shape(sizes)
    body = struct.pack("<II3i3iI", kind, angle, *size, *at, yaw)
    if name == "query":
        mask, owner = [*rest, 0][:2]
        return struct.pack("<I", 0) + body + struct.pack("<II", mask, owner)
    motion, mask, owner, limit, hit_when = rest
    return struct.pack("<I", 1) + body + struct.pack("<3i4I", *motion, mask, owner, limit, hit_when)


def level(header: dict[str, Any]) -> bytes:
    """The bytes of a level."""
    if "level" not in header:
        return b""
    solids = header["level"]["solids"]
    out = b"FXL1" + struct.pack("<I", len(solids))
    for name, layer, low, high, *rest in solids:
        if name == "cylinder":
            (x, z), radius = rest
            out += struct.pack("<BBH2i3i", 2, layer, 0, low, high, x, z, radius)
        else:
            numbers = [number for vertex in rest[0] for number in vertex]
            out += struct.pack("<BBH2i", 5, layer, len(rest[0]), low, high)
            out += struct.pack(f"<{len(numbers)}i", *numbers)
    return out


def counted(rows: list[bytes]) -> bytes:
    return struct.pack("<I", len(rows)) + b"".join(rows)


def trace(text: str) -> bytes:
    """A log as a trace."""
    header, *lines = (json.loads(line) for line in text.splitlines())
    frames = [line for line in lines if "frame" in line]
    out = struct.pack("<II", header["capacity"], 2 if header.get("hit_when") == 2 else 1)
    out += struct.pack("<32I", *masks(header.get("layers")))
    bytes_of_level = level(header)
    out += struct.pack("<I", len(bytes_of_level)) + bytes_of_level + struct.pack("<I", len(frames))
    for frame in frames:
        asked = [row for row in frame["commands"] if row[0] in ("query", "cast")]
        told = [row for row in frame["commands"] if row[0] not in ("query", "cast")]
        out += counted([row for command in told for row in commands(command)])
        out += counted([question(row) for row in asked])
        out += counted([struct.pack("<4I", *row) for row in frame["events"]])
        for row, answer in zip(asked, frame["queries"], strict=True):
            layout = "<I" if row[0] == "query" else "<II3i"
            rows = [(found,) if row[0] == "query" else found for found in answer]
            out += counted([struct.pack(layout, *found) for found in rows])
        out += struct.pack("<Q", int(frame["hash"], 16))
    return out


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        path = Path(name)
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        (folder / f"{path.name.split('.')[0]}.trace").write_bytes(trace(text))


if __name__ == "__main__":
    main()

"""Match logs for tests: made of plain JSON values, with what the model says of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import model

Frame = dict[str, Any]


def header(**changes: Any) -> dict[str, Any]:
    """A header; `names` and `unit_mm` can be added."""
    return {
        "format": "fixsync-match",
        "version": 1,
        "tick_rate": 60,
        "capacity": 6,
        "hit_when": 1,
        "layers": None,
        "sim": None,
        "seed": 0,
        "meta": {},
        **changes,
    }


def model_frames(match: Sequence[Sequence[Any]], **settings: Any) -> list[Frame]:
    """The frames of a match, given as the commands of each, with all that the model answers."""
    world = model.ModelWorld(settings.pop("capacity", 6), **settings)
    frames = []
    for number, commands in enumerate(match):
        events, answers = world.play_frame(commands)
        frames.append(
            {
                "frame": number,
                "commands": list(commands),
                "queries": answers,
                "events": [list(event) for event in events],
                "hash": f"{world.hash():016x}",
            }
        )
    return frames


def text_of(head: dict[str, Any], frames: Sequence[Frame], *, footer: bool = True) -> bytes:
    """A log in canonical form, written without fixsync."""
    lines = [
        json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in (head, *frames)
    ]
    text = "".join(f"{line}\n" for line in lines).encode()
    if footer:
        last = {"frames": len(frames), "sha256": hashlib.sha256(text).hexdigest()}
        text += json.dumps(last, separators=(",", ":")).encode() + b"\n"
    return text


def write(
    path: Path, head: dict[str, Any], frames: Sequence[Frame], *, footer: bool = True
) -> Path:
    path.write_bytes(text_of(head, frames, footer=footer))
    return path


def small_match() -> list[list[Any]]:
    """Two spheres that meet in frame 1 and part in frame 3, a box that nothing meets, a query a
    frame.
    """
    query = ["query", ["sphere", 10], [0, 0, 0], 0, 2**32 - 1]
    return [
        [
            ["add", 1, ["sphere", 10], [0, 0, 0], 0, 0, 0, [0, 0, 0], True],
            ["add", 2, ["sphere", 10], [100, 0, 0], 0, 1, 7, [0, 0, 0], True],
            ["add", 5, ["box", 1, 2, 3], [0, 900, 0], 16384, 2, 0, [4, 0, 0], False],
            query,
        ],
        [["move", 2, [20, 0, 0]], query],
        [["move", 2, [19, 0, 0]], query],
        [["move", 2, [50, 0, 0]], ["turn", 5, 3], query],
    ]

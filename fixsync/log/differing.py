"""The first difference of two logs as lines of text, without playing them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, zip_longest
from typing import NamedTuple

import msgspec


class DifferingLines(NamedTuple):
    frame: int
    a: bytes | None
    """The line of the frame; None behind the last frame of this log."""
    b: bytes | None


def first_frame(header: bytes) -> int:
    """The number of the first frame of a log with this first line."""
    frame: int = msgspec.json.decode(header).get("from", {}).get("frame", 0)
    return frame


def first_difference(a: Iterable[bytes], b: Iterable[bytes]) -> DifferingLines | None:
    """Of two logs, line by line: the first frame, from the first number that both have, whose lines
    are not the same."""
    logs = [iter(a), iter(b)]
    firsts = [first_frame(next(lines)) for lines in logs]
    first = max(firsts)
    shared = (
        (
            line if line.startswith(b'{"frame":') else None
            for line in islice(lines, first - own, None)
        )
        for lines, own in zip(logs, firsts, strict=True)
    )
    for frame, (line_a, line_b) in enumerate(zip_longest(*shared), first):
        if line_a != line_b:
            return DifferingLines(frame, line_a, line_b)
    return None

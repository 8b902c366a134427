"""Rows of frames: first and last, counted from the first frame of a log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from fixsync.log.schema import FRAME_MAX

Span: TypeAlias = tuple[int, int]
"""First and last frame."""


def add_frame(spans: list[Span], frame: int) -> None:
    """Adds a frame that is later than those of the spans."""
    if spans and spans[-1][1] == frame - 1:
        spans[-1] = (spans[-1][0], frame)
    else:
        spans.append((frame, frame))


def united(spans: Iterable[Span]) -> list[Span]:
    """The frames of spans that may overlap or touch, as the fewest spans."""
    found: list[Span] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            first, other = found.pop()
            last = max(last, other)
        found.append((first, last))
    return found


def around(spans: Sequence[Span], frame: int, bounds: Span) -> tuple[bool, Span]:
    """Whether a frame is in one of the spans, and the longest span around it, within bounds, for
    which the answer is the same."""
    low, high = bounds
    for first, last in spans:
        if first <= frame <= last:
            return True, (max(low, first), min(high, last))
        if last < frame:
            low = max(low, last + 1)
        else:
            high = min(high, first - 1)
            break
    return False, (low, high)


def all_frames(first: int, count: int) -> Span | None:
    """The numbers of the first and the last of so many frames."""
    return (first, (first + count - 1) & FRAME_MAX) if count else None


def numbered(spans: Iterable[Span], first_frame: int) -> list[Span]:
    """Spans by the frames' own numbers, which are counted modulo 2^32."""
    return [((a + first_frame) & FRAME_MAX, (b + first_frame) & FRAME_MAX) for a, b in spans]


def spans_text(spans: Sequence[Span], most: int = 12) -> str:
    """ "300..319, 412", and how many more there are."""
    texts = [str(a) if a == b else f"{a}..{b}" for a, b in spans[:most]]
    more = [f"and {len(spans) - most} more"] if len(spans) > most else []
    return ", ".join(texts + more)

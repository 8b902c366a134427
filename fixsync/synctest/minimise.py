"""Makes the inputs that show a failure as few and as idle as possible.

In the manner of delta debugging (Zeller and Hildebrandt, 2002): cut, and keep the inputs that still
fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from fixsync.match.sim import Input


def minimise(
    inputs: list[tuple[Input, ...]],
    fails: Callable[[list[tuple[Input, ...]]], int | None],
    idle: Input,
    *,
    attempts_max: int = 500,
) -> list[tuple[Input, ...]]:
    """The inputs, by frame and player, shortened and made idle as long as they still fail.

    fails: the frame in which given inputs fail, or None if they do not; the frames after it are
    cut off. It is called `attempts_max` times at most. ValueError if the given inputs do not
    fail."""
    best: list[tuple[Input, ...]] = []
    left = attempts_max

    def takes(tried: list[tuple[Input, ...]]) -> bool:
        """Tries inputs, and keeps them, up to where they fail, if they do."""
        nonlocal best, left
        left -= 1
        frame = fails(tried) if left >= 0 else None
        if frame is not None:
            best = tried[: frame + 1]
        return frame is not None

    def change(changed: Callable[[list[tuple[Input, ...]]], list[tuple[Input, ...]]]) -> None:
        """Changes stretches of frames, from halves to single ones, from the end on."""
        size = max(1, len(best) // 2)
        while size:
            end = len(best)
            while end > 0 and left > 0:
                start = max(0, end - size)
                stretch = best[start:end]
                if stretch != (other := changed(stretch)):
                    takes(best[:start] + other + best[end:])
                end = min(start, len(best))
            size //= 2

    if not takes(inputs):
        raise ValueError("the inputs do not fail")
    before = None
    # Each kind of change may make another possible again.
    while before != best and left > 0:
        before = best
        change(lambda _: [])
        players = range(len(best[0]) if best else 0)
        for player in players:
            idled = [_with(values, player, idle) for values in best]
            if idled != best:
                takes(idled)
        change(lambda stretch: [(idle,) * len(values) for values in stretch])
        for frame, player in product(range(len(best)), players):
            for simpler in _simpler(best[frame][player], idle) if frame < len(best) else ():
                if takes([*best[:frame], _with(best[frame], player, simpler), *best[frame + 1 :]]):
                    break
    return best


def _with(values: tuple[Input, ...], player: int, value: Input) -> tuple[Input, ...]:
    return (*values[:player], value, *values[player + 1 :])


def _simpler(value: Input, idle: Input) -> Iterator[Input]:
    """Idle; then each number with one bit of its size taken away, the highest first."""
    if value == idle:
        return
    yield idle
    parts = value if isinstance(value, tuple) else (value,)
    for i, part in enumerate(parts):
        size = abs(part)
        for bit in reversed(range(size.bit_length())):
            if size >> bit & 1:
                rest = size & ~(1 << bit)
                less = rest if part > 0 else -rest
                yield (*parts[:i], less, *parts[i + 1 :]) if isinstance(value, tuple) else less

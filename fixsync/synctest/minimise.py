"""Makes the inputs that show a failure as few and as idle as possible.

In the manner of delta debugging (Zeller and Hildebrandt, 2002): cut, and keep the inputs that still
fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fixsync.match.sim import Input

__all__ = ["minimise"]


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
    search = _Search(fails, attempts_max)
    if not search.takes(inputs):
        raise ValueError("the inputs do not fail")
    best = None
    # Each kind of change may make another possible again.
    while best != (best := search.best) and search.attempts_left:
        search.change(lambda _: [])
        for player in range(len(search.best[0]) if search.best else 0):
            idled = [_with(values, player, idle) for values in search.best]
            if idled != search.best:
                search.takes(idled)
        search.change(lambda stretch: [(idle,) * len(values) for values in stretch])
        search.simplify(idle)
    return search.best


class _Search:
    def __init__(
        self, fails: Callable[[list[tuple[Input, ...]]], int | None], attempts_max: int
    ) -> None:
        self._fails = fails
        self.attempts_left = attempts_max
        self.best: list[tuple[Input, ...]] = []

    def takes(self, inputs: list[tuple[Input, ...]]) -> bool:
        """Tries inputs, and keeps them, up to where they fail, if they do."""
        if not self.attempts_left:
            return False
        self.attempts_left -= 1
        frame = self._fails(inputs)
        if frame is None:
            return False
        self.best = inputs[: frame + 1]
        return True

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Stretches of frames, from halves down to single ones, from the end to the start."""
        length = len(self.best)
        size = max(1, length // 2)
        while True:
            end = len(self.best)
            while end > 0 and self.attempts_left:
                start = max(0, end - size)
                yield start, end
                end = min(start, len(self.best))
            if size == 1:
                return
            size //= 2

    def change(self, changed: Callable[[list[tuple[Input, ...]]], list[tuple[Input, ...]]]) -> None:
        """Changes one stretch of frames after the other."""
        for start, end in self._pieces():
            stretch = self.best[start:end]
            if stretch != (other := changed(stretch)):
                self.takes(self.best[:start] + other + self.best[end:])

    def simplify(self, idle: Input) -> None:
        """Each value that is left: idle, or with one bit fewer."""
        for frame in range(len(self.best)):
            for player in range(len(self.best[0])):
                for simpler in (
                    _simpler(self.best[frame][player], idle) if frame < len(self.best) else ()
                ):
                    tried = list(self.best)
                    tried[frame] = _with(tried[frame], player, simpler)
                    if self.takes(tried):
                        break
                if frame >= len(self.best):
                    return


def _with(values: tuple[Input, ...], player: int, value: Input) -> tuple[Input, ...]:
    return (*values[:player], value, *values[player + 1 :])


def _simpler(value: Input, idle: Input) -> Iterator[Input]:
    if value == idle:
        return
    yield idle
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            for plainer in _plainer(part):
                yield (*value[:i], plainer, *value[i + 1 :])
    else:
        yield from _plainer(value)


def _plainer(number: int) -> Iterator[int]:
    """A number's size with one bit after another taken away, the highest first; the sign stays."""
    size = abs(number)
    for bit in reversed(range(size.bit_length())):
        if size >> bit & 1:
            rest = size & ~(1 << bit)
            yield rest if number > 0 else -rest

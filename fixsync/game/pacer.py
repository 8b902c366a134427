"""Fixed steps: how many frames of the game are due, and where between two of them to draw."""

from __future__ import annotations

from fixsync._native.checks import boolean, index, integer, rate

__all__ = ["Pacer"]

_NS = 1_000_000_000
_FASTER, _SLOWER = 5, 4
"""Of 5 shares of time, a peer that is ahead of the others takes 4: its frames are a quarter
longer."""
_ALPHA_MAX = 65_535


class Pacer:
    """Says how many steps are due, at whatever rate the loop runs.

    Each round of a loop makes `pacer.due(time.monotonic_ns())` steps, then draws at `alpha`. It
    counts in integers, so it loses and gains no step, at 60000/1001 a second for a day or longer.
    The time decides only when a step is made: no step may ask for it.

    A step is made up to a quarter of a frame early, if a loop of this pace makes it in this round.
    So a loop that draws once a frame makes one step each time, though no display is exactly on
    time."""

    def __init__(self, tick_rate: int | tuple[int, int], catch_up: int = 4) -> None:
        """tick_rate: frames a second, or (numerator, denominator) of it, each 1..2^32-1. catch_up:
        the most steps that `due` returns, 1..1000."""
        self._numerator, self._denominator = rate("tick_rate", tick_rate)
        self._catch_up = integer("catch_up", catch_up, 1, 1000)
        self._frame = self._denominator * _NS * _FASTER
        self._time = 0
        """Since the last step, in parts of a frame; negative after an early step."""
        self._now_ns: int | None = None
        self._dropped = 0

    @property
    def tick_rate(self) -> int | tuple[int, int]:
        """Frames a second, or (numerator, denominator) of it in lowest terms."""
        whole = self._denominator == 1
        return self._numerator if whole else (self._numerator, self._denominator)

    @property
    def dropped(self) -> int:
        """The number of steps that were due beyond `catch_up`, and are not made."""
        return self._dropped

    @property
    def alpha(self) -> int:
        """Where to draw between the states before (0) and after (65536) the last step, 0..65535.

        The picture is three quarters of a frame late, and moves evenly if the loop draws more often
        than it steps."""
        alpha = (self._time * 4 + self._frame) * (_ALPHA_MAX + 1) // (self._frame * 4)
        return min(alpha, _ALPHA_MAX)

    def due(self, now_ns: int, *, slow: bool = False) -> int:
        """The number of steps to make now, 0..catch_up. The first call starts the clock.

        now_ns: nanoseconds of a clock that never runs backwards, such as `time.monotonic_ns()`;
        ValueError if it does. slow: whether to run a fifth slower since the last call, as
        `Session.is_ahead` of a session advises."""
        now_ns = index("now_ns", now_ns)
        shares = _SLOWER if boolean("slow", slow) else _FASTER
        last_ns = now_ns if self._now_ns is None else self._now_ns
        if now_ns < last_ns:
            raise ValueError(
                f"now_ns must be at least {last_ns}, as in the last call, not {now_ns}"
            )
        self._now_ns = now_ns
        frame, passed = self._frame, (now_ns - last_ns) * self._numerator * shares
        time = self._time + passed
        steps, self._time = divmod(time, frame) if time >= 0 else (0, time)
        usual = max(1, (2 * passed + frame) // (2 * frame))
        if steps == usual - 1 and self._time * 4 >= frame * 3:
            steps, self._time = usual, self._time - frame
        made = min(steps, self._catch_up)
        self._dropped += steps - made
        return made

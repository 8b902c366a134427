"""Fixed steps: what `Pacer` makes of the clocks of displays, checked against exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixsync import Pacer
from fixsync.game.random import Random

S = 1_000_000_000
NTSC = (60_000, 1001)


def clock(hertz: Fraction | int, frames: int, jitter_ns: int = 0) -> Iterator[int]:
    """The times at which a display shows its frames, each off by at most `jitter_ns`."""
    random = Random(1)
    for frame in range(frames):
        time = int(Fraction(frame * S) / hertz)
        yield 10 * S + time + (random.between(-jitter_ns, jitter_ns) if jitter_ns else 0)


def counts(pacer: Pacer, times: Iterable[int]) -> Counter[int]:
    """How often each number of steps was due, from the second call on."""
    steps = [pacer.due(now) for now in times]
    assert steps[0] == 0
    return Counter(steps[1:])


def made(rate: Fraction, times: Iterable[int], catch_up: int) -> tuple[list[int], list[Fraction]]:
    """The rule in fractions: the steps of each call, and the time left over."""
    steps, left, over, last = [], [], Fraction(0), None
    for now in times:
        passed = Fraction(now - (now if last is None else last), S) * rate
        over, last = over + passed, now
        due = max(0, over // 1)
        over -= due
        usual = max(1, (passed + Fraction(1, 2)) // 1)
        if due == usual - 1 and over >= Fraction(3, 4):
            due, over = due + 1, over - 1
        steps.append(min(due, catch_up))
        left.append(over)
    return steps, left


@pytest.mark.parametrize("rate", [60, 50, NTSC, (24_000, 1001), (1, 3)])
def test_steps_are_exact_after_a_day_of_frames_of_any_length(
    rate: int | tuple[int, int],
) -> None:
    pacer, random = Pacer(rate, catch_up=1000), Random(3)
    now = steps = pacer.due(0)
    while now < 86_400 * S:
        now = min(86_400 * S, now + random.between(0, 10 * S))
        steps += pacer.due(now)
    exact = 86_400 * (Fraction(*rate) if isinstance(rate, tuple) else rate)
    assert -1 < steps - exact <= Fraction(1, 4)
    assert pacer.dropped == 0


@pytest.mark.parametrize("jitter_ns", [400_000, 2_000_000])
def test_a_jittering_display_at_the_tick_rate_steps_once_a_frame(jitter_ns: int) -> None:
    assert counts(Pacer(60), clock(60, 20_000, jitter_ns)) == {1: 19_999}


def test_a_display_a_little_off_the_tick_rate_skips_or_doubles_only_when_it_must() -> None:
    for hertz, steps in ((Fraction(60_000, 1001), 2), (Fraction(60_060, 1000), 0)):
        found = counts(Pacer(60), clock(hertz, 20_000, 400_000))
        off = abs(Fraction(60) / hertz - 1) * 20_000
        assert set(found) == {1, steps}
        assert abs(found[steps] - off) <= 2


def test_a_loop_of_whole_milliseconds_makes_60_steps_a_second_not_62() -> None:
    """pygame's `clock.tick(60)` waits 16 ms: a loop that steps once for each runs at 62.5 Hz."""
    found = counts(Pacer(60), (10 * S + 16_000_000 * i for i in range(62_501)))
    assert found[1] == 60_000
    assert set(found) == {0, 1}


def test_what_is_drawn_moves_evenly_when_the_loop_draws_more_often_than_it_steps() -> None:
    pacer = Pacer(60)
    at, steps = [], 0
    for now in clock(144, 1440):
        steps += pacer.due(now)
        at.append(Fraction(steps) + Fraction(pacer.alpha, 65_536))
    moves = [b - a for a, b in pairwise(at)]
    even = Fraction(60, 144)
    assert all(abs(move - even) < Fraction(1, 30_000) for move in moves)


@given(
    st.integers(1, 1000),
    st.integers(1, 1001),
    st.integers(1, 8),
    st.lists(st.integers(0, S) | st.integers(0, 20_000_000), max_size=40),
)
def test_steps_alpha_and_drops_are_those_of_the_rule_in_fractions(
    numerator: int, denominator: int, catch_up: int, waits: list[int]
) -> None:
    pacer = Pacer((numerator, denominator), catch_up)
    rate = Fraction(numerator, denominator)
    times = [sum(waits[:i]) for i in range(len(waits) + 1)]
    steps, left = made(rate, times, catch_up)
    whole, _ = made(rate, times, 10**9)
    for i, now in enumerate(times):
        assert pacer.due(now) == steps[i]
        assert pacer.alpha == min(65_535, int((left[i] + Fraction(1, 4)) * 65_536 // 1))
        assert pacer.dropped == sum(whole[: i + 1]) - sum(steps[: i + 1])


def test_a_slow_pacer_makes_four_steps_where_another_makes_five() -> None:
    pacer = Pacer(60)
    pacer.due(0)
    steps = sum(pacer.due(i * S // 60, slow=True) for i in range(1, 601))
    assert abs(steps - 480) <= 1
    steps = sum(pacer.due(10 * S + i * S // 60) for i in range(1, 601))
    assert steps in (600, 601)


def test_alpha_stays_in_its_range_before_the_first_call_and_after_a_long_wait() -> None:
    pacer = Pacer(60)
    assert 0 <= pacer.alpha <= 65_535
    for now in (0, 1, S // 80, S // 79, S, S + 1, 100 * S):
        pacer.due(now)
        assert 0 <= pacer.alpha <= 65_535


def test_a_rate_is_kept_in_lowest_terms() -> None:
    assert Pacer((120_000, 2002)).tick_rate == NTSC
    assert Pacer((60, 1)).tick_rate == Pacer(60).tick_rate == 60


def test_what_cannot_be_is_refused_and_named() -> None:
    for wrong, message in (
        (lambda: Pacer(0), r"tick_rate must be 1\.\.4294967295, not 0"),
        (lambda: Pacer((60, 0)), r"denominator of tick_rate must be 1\.\.4294967295, not 0"),
        (lambda: Pacer((1, 2, 3)), r"tick_rate must be an integer or \(numerator, denominator\)"),  # type: ignore[arg-type]
        (lambda: Pacer(60, catch_up=0), r"catch_up must be 1\.\.1000, not 0"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    pacer = Pacer(60)
    pacer.due(100)
    with pytest.raises(ValueError, match="now_ns must be at least 100, as in the last call, not 9"):
        pacer.due(99)
    with pytest.raises(TypeError, match=r"now_ns must be an integer, not 1\.5"):
        pacer.due(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="slow must be True or False, not 2"):
        pacer.due(200, slow=2)  # type: ignore[arg-type]
    assert pacer.due(100) == 0, "a refused call changes nothing"

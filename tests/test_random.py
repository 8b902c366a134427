"""The seeded generator: against the published algorithm's outputs, and its ranges."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from refusals import Refused, refusals

from fixsync.game.random import Random

SEEDS = st.integers(0, 2**64 - 1)


def test_it_gives_the_published_numbers_of_splitmix64():
    random = Random(1234567)
    assert [random.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(SEEDS, st.integers(0, 20))
def test_a_generator_with_the_saved_state_goes_on_alike(seed: int, drawn: int):
    random = Random(seed)
    for _ in range(drawn):
        random.next()
    twin = Random(0)
    twin.state = random.state
    assert [twin.next() for _ in range(5)] == [random.next() for _ in range(5)]


@given(SEEDS, st.integers(1, 2**64))
def test_below_stays_below(seed: int, count: int):
    assert 0 <= Random(seed).below(count) < count


@given(SEEDS, st.integers(-100, 100), st.integers(0, 10))
def test_between_reaches_both_ends_and_no_more(seed: int, low: int, span: int):
    random = Random(seed)
    assert {random.between(low, low + span) for _ in range(400)} == set(range(low, low + span + 1))


def test_below_favours_no_number():
    # 3/4 of 2^64 leaves the most of the range over: without rejection the lower third would come
    # twice as often.
    count = 3 * 2**62
    thirds = Counter(Random(seed).below(count) * 3 // count for seed in range(3000))
    assert all(850 < thirds[third] < 1150 for third in range(3))


@given(SEEDS, st.lists(st.integers(), max_size=20))
def test_shuffle_keeps_every_value(seed: int, values: list[int]):
    shuffled = list(values)
    Random(seed).shuffle(shuffled)
    assert sorted(shuffled) == sorted(values)


def test_shuffle_reaches_every_order():
    orders = set()
    for seed in range(200):
        values = [1, 2, 3]
        Random(seed).shuffle(values)
        orders.add(tuple(values))
    assert len(orders) == 6


@refusals("""
Random(-1) | ValueError | seed must be 0..18446744073709551615
Random(2**64) | ValueError | seed must be 0..18446744073709551615
Random(1.0) | TypeError | seed must be
Random(1).below(0) | ValueError | count must be 1..18446744073709551616
Random(1).between(3, 2) | ValueError | low must be at most high
""")
def test_what_is_out_of_range_is_refused(refused: Refused) -> None:
    refused()

"""The seeded generator: against the published algorithm's outputs, and its ranges."""

from __future__ import annotations

from refusals import Refused, refusals

from fixsync.game.random import Random


def test_it_gives_the_published_numbers_of_splitmix64():
    random = Random(1234567)
    assert [random.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@refusals("""
Random(-1) | ValueError | seed must be 0..18446744073709551615
Random(2**64) | ValueError | seed must be 0..18446744073709551615
Random(1.0) | TypeError | seed must be
Random(1).below(0) | ValueError | count must be 1..18446744073709551616
Random(1).between(3, 2) | ValueError | low must be at most high
""")
def test_what_is_out_of_range_is_refused(refused: Refused) -> None:
    refused()

"""The kernel id: the model gives the same answers, and changed answers change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import model
import pytest
from tools import by_default

from fixsync import Pose, Sector, Shape
from fixsync._native.raw import lib
from fixsync.game.random import Random
from fixsync.match import questions
from fixsync.match.questions import (
    contact_questions,
    kernel_id,
    near_questions,
    sector_questions,
)

IDS = {
    1: "833143b6e6e6a04709c89b1da110cb68",
    2: "03cb91ce2bbbe1fb0315421b678d2f94",
    3: "e3b22eaac58a93ab74f63ee68d67e7d8",  # which asks movers and platforms too
    4: "1d27b564d60e1ac24fb85f2aeb98a10a",  # pairs of sectors, ties at seams, sweep_pairs
    5: "9cd746fcd8fd1ba91bdfcaf2e438b65f",  # which asks for squeezed and crowds too
}
"""By FXS_SEMANTICS."""
GOLDEN = IDS[max(IDS)]
"""The answers behind it are checked against the model below and in test_world.py, test_push.py,
test_mover.py and test_carry.py; a change of it is a change of what fixsync computes, on every
machine: FXS_SEMANTICS is raised, and the new id goes into IDS."""


def row(shape: Shape, pose: Pose) -> tuple[Any, Any]:
    return shape.as_tuple(), (pose.x, pose.y, pose.z, pose.yaw)


def answers(part: Any) -> bytes:
    return b"".join(part(Random(questions._SEED)))


def test_this_kernel_has_the_id_that_every_kernel_of_this_contract_has():
    found = f"raise FXS_SEMANTICS where an answer changes; IDS needs {kernel_id().hex()!r}"
    assert lib.fxs_semantics() == lib.FXS_SEMANTICS
    assert list(IDS) == list(range(1, lib.FXS_SEMANTICS + 1)), found
    assert kernel_id().hex() == GOLDEN, found


@pytest.mark.full
def test_the_contacts_in_the_id_are_those_of_the_model():
    asked = list(contact_questions(Random(questions._SEED)))
    expected = bytes(model.overlap(*row(a, here), *row(b, there)) for a, here, b, there in asked)
    assert answers(questions._contacts) == expected
    assert min(expected.count(contact) for contact in (0, 1, 2)) > 50, (
        "each answer is asked for often"
    )
    assert {(type(a), type(b)) for a, _, b, _ in asked} >= {
        (type(a), type(b)) for a, _, _, _ in asked for _, _, b, _ in asked
    }, "each pair of kinds is asked for"


def test_the_contacts_of_two_sectors_in_the_id_are_those_of_the_model():
    asked = list(sector_questions(Random(questions._SEED)))
    expected = bytes(model.overlap(*row(a, here), *row(b, there)) for a, here, b, there in asked)
    assert answers(questions._sectors) == expected
    assert min(expected.count(0), expected.count(2)) > 100


def test_the_angles_in_the_id_are_those_of_the_model():
    def expected(random: Random) -> Iterator[bytes]:
        for _ in range(questions._YAWS):
            yield questions._packed(*model.direction(random.below(65536)))
            parts = [questions._difference(random) for _ in range(3)]
            yield questions._packed(model.yaw_of(parts[0], parts[2]), model.length(*parts))

    assert answers(questions._angles) == answers(expected)


def test_the_casts_in_the_id_are_those_of_the_model(monkeypatch: pytest.MonkeyPatch):
    found = answers(questions._casts)

    def cast(a: Shape, pa: Pose, ma: Any, b: Shape, pb: Pose, mb: Any, *, hit_when: int) -> Any:
        return model.cast_pair(*row(a, pa), ma, *row(b, pb), mb, hit_when)

    monkeypatch.setattr(questions, "cast_pair", cast)
    assert answers(questions._casts) == found


def test_the_pushes_in_the_id_are_what_the_contract_asks_for():
    for a, here, b, there in near_questions(Random(questions._SEED), questions._PUSHED):
        assert not isinstance(a, Sector)
        model.check_push_out(*row(a, here), *row(b, there), questions.push_out(a, here, b, there))
        model.check_lift(*row(a, here), *row(b, there), questions.lift(a, here, b, there))


@pytest.fixture
def fresh() -> Iterator[None]:
    """The id is computed anew, now and after the test."""
    kernel_id.cache_clear()
    yield
    kernel_id.cache_clear()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "name",
    by_default(2, ["cast_pair", "yaw_of", "direction", "length", "push_out", "lift", "side"]),
)
def test_a_kernel_that_answers_one_question_otherwise_has_another_id(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    answer = getattr(questions, name)
    calls = []

    def wrong(*args: Any, **options: Any) -> Any:
        calls.append(args)
        found = answer(*args, **options)
        if len(calls) != 20:
            return found
        if isinstance(found, tuple):
            return (*found[:-1], found[-1] + 1 if isinstance(found[-1], int) else (1, 2, 3))
        return 1 if found is None else found + 1

    monkeypatch.setattr(questions, name, wrong)
    assert kernel_id().hex() != GOLDEN
    assert len(calls) >= 20


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("call", ["cast", "sweep_pairs"])
def test_a_kernel_that_orders_hits_of_one_fraction_by_id_has_another_id(
    monkeypatch: pytest.MonkeyPatch, call: str
):
    class World(questions.World):
        def cast(self, *args: Any, limit: int = 0, **options: Any) -> Any:
            if call != "cast":
                return super().cast(*args, limit=limit, **options)
            hits = super().cast(*args, **options)
            return sorted(hits, key=lambda hit: (hit.fraction, hit.id))[: limit or None]

        def sweep_pairs(self, *args: Any, **options: Any) -> Any:
            hits = super().sweep_pairs(*args, **options)
            return sorted(hits, key=lambda hit: hit[2::-1]) if call == "sweep_pairs" else hits

    monkeypatch.setattr(questions, "World", World)
    assert kernel_id().hex() != GOLDEN


@pytest.mark.usefixtures("fresh")
def test_a_kernel_whose_sectors_meet_no_sector_has_another_id(monkeypatch: pytest.MonkeyPatch):
    overlap_many = questions.overlap_many

    def apart(a: Any, pa: Any, b: Any, pb: Any) -> bytes:
        pairs = zip(a, b, overlap_many(a, pa, b, pb), strict=True)
        return bytes(0 if type(s) is type(t) is Sector else contact for s, t, contact in pairs)

    monkeypatch.setattr(questions, "overlap_many", apart)
    assert kernel_id().hex() != GOLDEN


def without_masks(settings: dict[str, Any]) -> dict[str, Any]:
    return {**settings, "mask": None, "one_way": 0}


def without_one_way(settings: dict[str, Any]) -> dict[str, Any]:
    return {**settings, "one_way": 0}


def both_ways(settings: dict[str, Any]) -> dict[str, Any]:
    both = (settings["mask"] or 0) | settings["one_way"]
    return {**settings, "mask": both or None, "one_way": 0}


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("changed", [without_masks, without_one_way, both_ways])
def test_a_kernel_with_other_rules_for_movers_has_another_id(
    monkeypatch: pytest.MonkeyPatch, changed: Any
):
    real = questions.Mover
    monkeypatch.setattr(questions, "Mover", lambda **settings: real(**changed(settings)))
    assert kernel_id().hex() != GOLDEN


@pytest.mark.usefixtures("fresh")
def test_a_kernel_with_other_rules_for_platforms_has_another_id(monkeypatch: pytest.MonkeyPatch):
    seen, rows = set(), []
    carry = questions.carry

    def heard(world: Any, *args: Any) -> Any:
        carried = carry(world, *args)
        rows.extend(carried.values())
        return carried

    monkeypatch.setattr(questions, "carry", heard)
    found = kernel_id().hex()
    for row in rows:
        seen |= {name for name, value in row._asdict().items() if value}
    missing = {"motion", "rode", "shoved", "held", "crushed", "squeezed", "by"} - seen
    assert not missing, f"raise _MOVER_WORLDS of match/questions.py: no answer has {missing}"
    assert found == GOLDEN
    kernel_id.cache_clear()

    def stands(world: Any, platforms: Any, motion: Any, movers: Any) -> Any:
        """Without one of the movers."""
        return carry(world, platforms, motion, {id: m for id, m in movers.items() if id != 9})

    monkeypatch.setattr(questions, "carry", stands)
    assert kernel_id().hex() != GOLDEN


@pytest.mark.usefixtures("fresh")
def test_a_kernel_with_other_rules_for_crowds_has_another_id(monkeypatch: pytest.MonkeyPatch):
    separate, rows = questions.separate, []

    def heard(*args: Any, passes: int) -> Any:
        rows.extend(separate(*args, passes=passes))
        return rows[-1:]

    monkeypatch.setattr(questions, "separate", heard)
    assert kernel_id().hex() != GOLDEN, "it asks for more than the last row"
    assert {row.is_held for row in rows} == {False, True}


@pytest.mark.usefixtures("fresh")
def test_a_kernel_whose_worlds_save_otherwise_has_another_id(monkeypatch: pytest.MonkeyPatch):
    class World(questions.World):
        def save(self) -> bytes:
            return super().save().replace(b"FXS1", b"FXS2")

    monkeypatch.setattr(questions, "World", World)
    monkeypatch.setattr(World, "load", lambda self, data: None)  # noqa: ARG005
    assert kernel_id().hex() != GOLDEN

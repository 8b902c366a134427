"""The kernel's semantics id: the model gives the same answers, and changed answers change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import model
import pytest

from fixsync import Pose, Sector, Shape, semantics
from fixsync.game.random import Random
from fixsync.semantics import contact_questions, near_questions, semantics_id

GOLDEN = "03cb91ce2bbbe1fb0315421b678d2f94"
"""Of FXS_SEMANTICS 2. The answers behind it are checked against the model below and in
test_world.py and test_push.py; a change of it is a change of what fixsync computes, on every
machine. """


def row(shape: Shape, pose: Pose) -> tuple[Any, Any]:
    return shape.as_tuple(), (pose.x, pose.y, pose.z, pose.yaw)


def answers(part: Any) -> bytes:
    return b"".join(part(Random(semantics._SEED)))


def test_this_kernel_has_the_id_that_every_kernel_of_this_contract_has():
    assert semantics_id().hex() == GOLDEN


def test_the_contacts_in_the_id_are_those_of_the_model():
    asked = list(contact_questions(Random(semantics._SEED)))
    expected = bytes(model.overlap(*row(a, here), *row(b, there)) for a, here, b, there in asked)
    assert answers(semantics._contacts) == expected
    assert min(expected.count(contact) for contact in (0, 1, 2)) > 50, (
        "each answer is asked for often"
    )
    assert {(type(a), type(b)) for a, _, b, _ in asked} >= {
        (type(a), type(b)) for a, _, _, _ in asked for _, _, b, _ in asked
    }, "each pair of kinds is asked for"


def test_the_angles_in_the_id_are_those_of_the_model():
    def expected(random: Random) -> Iterator[bytes]:
        for _ in range(semantics._YAWS):
            yield semantics._packed(*model.direction(random.below(65536)))
            parts = [semantics._difference(random) for _ in range(3)]
            yield semantics._packed(model.yaw_of(parts[0], parts[2]), model.length(*parts))

    assert answers(semantics._angles) == answers(expected)


def test_the_casts_in_the_id_are_those_of_the_model(monkeypatch: pytest.MonkeyPatch):
    found = answers(semantics._casts)

    def cast(a: Shape, pa: Pose, ma: Any, b: Shape, pb: Pose, mb: Any, *, hit_when: int) -> Any:
        return model.cast_pair(*row(a, pa), ma, *row(b, pb), mb, hit_when)

    monkeypatch.setattr(semantics, "cast_pair", cast)
    assert answers(semantics._casts) == found


def test_the_pushes_in_the_id_are_what_the_contract_asks_for():
    for a, here, b, there in near_questions(Random(semantics._SEED), semantics._PUSHED):
        assert not isinstance(a, Sector)
        model.check_push_out(*row(a, here), *row(b, there), semantics.push_out(a, here, b, there))
        model.check_lift(*row(a, here), *row(b, there), semantics.lift(a, here, b, there))


@pytest.fixture
def fresh() -> Iterator[None]:
    """The id is computed anew, now and after the test."""
    semantics_id.cache_clear()
    yield
    semantics_id.cache_clear()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "name", ["direction", "yaw_of", "length", "push_out", "lift", "side", "cast_pair"]
)
def test_a_kernel_that_answers_one_question_otherwise_has_another_id(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    answer = getattr(semantics, name)
    calls = []

    def wrong(*args: Any, **options: Any) -> Any:
        calls.append(args)
        found = answer(*args, **options)
        if len(calls) != 20:
            return found
        if isinstance(found, tuple):
            return (*found[:-1], found[-1] + 1 if isinstance(found[-1], int) else (1, 2, 3))
        return 1 if found is None else found + 1

    monkeypatch.setattr(semantics, name, wrong)
    assert semantics_id().hex() != GOLDEN
    assert len(calls) >= 20


@pytest.mark.usefixtures("fresh")
def test_a_kernel_whose_worlds_save_otherwise_has_another_id(monkeypatch: pytest.MonkeyPatch):
    class World(semantics.World):
        def save(self) -> bytes:
            return super().save().replace(b"FXS1", b"FXS2")

    monkeypatch.setattr(semantics, "World", World)
    monkeypatch.setattr(World, "load", lambda self, data: None)  # noqa: ARG005
    assert semantics_id().hex() != GOLDEN

"""Simulations by name, what starting one checks, and what an input may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import broken
import pytest
from bumpers import Bumpers
from hypothesis import given
from hypothesis import strategies as st
from tools import each

from fixsync.base.fields import byte_fields, world_fields
from fixsync.base.names import Names
from fixsync.match import sim
from fixsync.match.sim import (
    check_input,
    fields_of,
    find,
    hash_of,
    idle_input,
    names,
    register,
    start,
)
from fixsync.sample.skillfight import SkillFight


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim, "_registered", {})


# By name.


def test_a_registered_simulation_is_found_by_its_name():
    assert register(Bumpers) is Bumpers
    assert find("bumpers") is Bumpers
    assert {"bumpers", "skillfight"} <= {*names()}
    register(Bumpers)


def test_the_sample_and_an_object_of_a_module_are_found_without_being_registered():
    assert find("skillfight") is SkillFight
    assert find("broken:Forgetful") is broken.Forgetful


def named(name: Any) -> Any:
    return type("Named", (Bumpers,), {"name": name})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bumpers", "'bumpers' is registered already"),
        ("skillfight", "'skillfight' is registered already"),
        ("", "name of a simulation must be a str"),
        (3, "name of a simulation must be a str"),
    ],
)
def test_a_name_that_is_taken_or_no_text_is_not_registered(name: Any, said: str):
    register(Bumpers)
    with pytest.raises(ValueError, match=said):
        register(named(name))


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (
            "nobody",
            "known are skillfight, or give module:object, for a log as --sim module:object",
        ),
        ("nowhere:Game", "there is no module nowhere"),
        ("bumpers:Game", "has no Game"),
        ("bumpers:ONE", "must be called as"),
        ("bumpers.inside:Game", "there is no module bumpers"),
    ],
)
def test_what_is_not_there_is_told(reference: str, said: str):
    with pytest.raises(ValueError, match=said):
        find(reference)


def test_a_module_that_itself_lacks_a_module_is_not_taken_for_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "lacking.py").write_text("import a_module_that_is_nowhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_nowhere"):
        find("lacking:Game")


# Starting.


def altered(**parts: Any) -> Any:
    """Makes simulations with these attributes."""

    def make(seed: int, players: int) -> Bumpers:
        made = Bumpers(seed, players)
        vars(made).update(parts)
        return made

    return make


def begun(seed: int, players: int) -> Bumpers:
    made = Bumpers(seed, players)
    made.world.step()
    return made


@pytest.mark.parametrize(
    ("simulation", "said"),
    [
        (altered(step=None), "no method step"),
        ("bumpers:Bumpers", "a simulation is a class, or .*, not 'bumpers:Bumpers'"),
        (altered(name=""), "its `name` must be a str, not ''"),
        (altered(world=None), "`world` must be a World, not None"),
        (altered(players=7), "started for 2 players, its `players` is 7"),
        (begun, "must start at frame 0, not 1"),
        (broken.Liar, r"hash\(\) is not hash_of\(save\(\)\)"),
    ],
)
def test_what_keeps_not_to_the_protocol_is_not_started(simulation: Any, said: str):
    with pytest.raises(ValueError, match=said):
        start(simulation, 1, 2)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("names", {7: "boss"}, r"must be a Names, not \{7: 'boss'\}$"),
        ("names", lambda: Names(), "must be a Names, not <function .*: make it a property"),
        ("state_fields", None, "must be a function of a saved state, not None"),
        ("state_fields", {"x": 1}, r"must be a function of a saved state, not \{'x': 1\}"),
    ],
)
def test_an_optional_member_of_a_wrong_type_is_named_at_the_start(part: str, value: Any, said: str):
    with pytest.raises(TypeError, match=f"^{part} of a simulation {said}"):
        start(altered(**{part: value}), 1, 2)


def test_phases_are_attacks_by_owner_and_one_of_three_phases():
    made = Bumpers(1, 2)
    assert sim.phases_of(made) == {}
    for phases, error, said in (
        (["jab"], TypeError, r"phases .* must be \{owner: \(attack, phase\)\}, not \['jab'\]"),
        (dict, TypeError, "make it a property"),
        ({-1: ("jab", "active")}, ValueError, r"an owner in phases .* 0\.\.4294967295, not -1"),
        ({1: "jab"}, TypeError, r"phases\[1\] .* must be \(attack, phase\), not 'jab'"),
        ({1: ("jab", None)}, TypeError, r"phases\[1\] .* must be \(attack, phase\)"),
        ({1: ("jab", "ACTIVE")}, ValueError, "of startup, active, recovery, not 'ACTIVE'"),
    ):
        made.phases = phases  # type: ignore[attr-defined]
        with pytest.raises(error, match=said):
            sim.phases_of(made)
    made.phases = {1: ("jab", "active")}  # type: ignore[attr-defined]
    assert sim.phases_of(made) == {1: ("jab", "active")}


@pytest.mark.parametrize(("seed", "players"), [(-1, 2), (2**64, 2), (1, 0), (1, 9)])
def test_a_seed_or_a_number_of_players_out_of_range_is_refused(seed: int, players: int):
    with pytest.raises(ValueError, match="must be"):
        start(Bumpers, seed, players)


# Inputs.


class Anything(Bumpers):
    def check_input(self, _player: int, value: sim.Input) -> None:
        """All that is an input."""


INT64 = st.integers(-(2**63), 2**63 - 1)


@given(st.one_of(INT64, st.lists(INT64, min_size=1, max_size=16)))
def test_an_input_is_an_integer_or_up_to_sixteen(value: int | list[int]):
    expected = tuple(value) if isinstance(value, list) else value
    assert check_input(Anything(1, 2), 1, value) == expected


@each(
    ("value", "error", "said"),
    [
        (2**63, ValueError, "input of player 1 must be"),
        ([], ValueError, "must hold 1..16 integers, not 0"),
        ([0] * 17, ValueError, "must hold 1..16 integers, not 17"),
        ([1, 2**63], ValueError, r"input of player 1, \[1\] must be"),
        (1.0, TypeError, "input of player 1 must be an integer"),
        (True, TypeError, "input of player 1 must be an integer"),
        ([1.0], TypeError, r"input of player 1, \[0\] must be an integer"),
        ("1", TypeError, "input of player 1 must be an integer"),
        (b"1", TypeError, r"must be an integer or a list of 1\.\.16 integers, not b'1' \(bytes\)"),
        (None, TypeError, "input of player 1 must be an integer"),
    ],
)
def test_what_is_no_input_is_refused_by_player(value: Any, error: type[Exception], said: str):
    with pytest.raises(error, match=said):
        check_input(Anything(1, 2), 1, value)


def test_what_the_simulation_refuses_is_refused_with_its_reason():
    with pytest.raises(ValueError, match=r"input of player 1: must be 0\.\.4, not 5"):
        check_input(Bumpers(1, 2), 1, 5)


def test_the_idle_input_is_0_unless_the_simulation_says_otherwise():
    assert idle_input(Bumpers(1, 2)) == 0
    assert idle_input(altered(idle=[1, 2])(1, 2)) == (1, 2)


# States.


def test_a_state_is_told_by_its_simulation_as_a_world_or_as_bytes():
    game = Bumpers(1, 2)
    assert ("player", 1) in fields_of(Bumpers, game.save())
    assert fields_of(None, game.world.save()) == world_fields(game.world.save())
    assert fields_of(None, b"anything") == byte_fields(b"anything")


def test_the_hash_of_a_worlds_bytes_is_its_hash():
    world = Bumpers(1, 5).world
    world.step()
    assert hash_of(world.save()) == world.hash()


def test_what_is_no_buffer_has_no_hash():
    with pytest.raises(TypeError, match=r"^data must be bytes or another buffer, not 'state'"):
        hash_of("state")  # type: ignore[arg-type]
    assert hash_of(bytearray(b"state")) == hash_of(b"state")  # type: ignore[arg-type]


def test_a_step_that_returns_no_events_is_refused_with_what_it_must_return():
    made = altered(step=lambda _: None)(1, 2)
    with pytest.raises(TypeError, match=r"step of simulation bumpers must return events, .* None$"):
        sim.stepped(made, (0, 0))

"""Strikes of bodies: the model, the order of the bodies, the ends."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from model_strikes import Fighter, model_strikes
from tools import by_default

from fixsync import Attack, Body, FrameData, Part, Pose, Sphere, World, q, strikes
from fixsync._native.raw import ffi, lib

HURT, HIT = 0, 1
LAYERS = 4


def frames(layers: list[int]) -> FrameData:
    parts = {f"p{n}": Part(Sphere(q(1)), layer=layer) for n, layer in enumerate(layers)}
    return FrameData(parts, {"swing": Attack(9, {"p0": range(9)})})


def scene(
    rng: random.Random,
) -> tuple[World, list[Body], list[Fighter], dict[int, tuple[int, int]]]:
    """Bodies in one place, with parts of any layers; ids are not in the order of the parts."""
    world = World(64)
    ids = rng.sample(range(64), 64)
    bodies, fighters, colliders = [], [], {}
    for _ in range(rng.randrange(1, 6)):
        layers = [rng.randrange(LAYERS) for _ in range(rng.choice([1, 2, 3, 7]))]
        own = [ids.pop() for _ in layers]
        owner = rng.randrange(1, 5)
        body = Body(world, frames(layers), Pose(0, 0, 0), ids=own, owner=owner)
        attacks, victims = rng.random() < 0.8, set(rng.sample(range(6), rng.randrange(3)))
        if attacks:
            body.start("swing")
        fighter = Fighter(own, attacks, {one for one in victims if body.strike(one)})
        colliders |= {id: (layer, owner) for id, layer in zip(own, layers, strict=True)}
        bodies.append(body)
        fighters.append(fighter)
    for id in rng.sample(ids, 3):  # of no body
        world.add(id, Sphere(q(1)), Pose(0, 0, 0), layer=rng.randrange(LAYERS), owner=9)
        colliders[id] = world[id].layer, 9
    for id in rng.sample([*colliders], rng.randrange(2)):
        world.remove(id)
        del colliders[id]
    return world, bodies, fighters, colliders


def some_events(rng: random.Random, world: World) -> list[tuple[int, int, int, int]]:
    if rng.random() < 0.3:
        return [*world.step()]
    pairs = [sorted(rng.sample(range(64), 2)) for _ in range(rng.choice([0, 5, 60, 400]))]
    return [(a, b, rng.choice([1, 1, 2, 3, 16, 17]), 1) for a, b in pairs]


@pytest.mark.parametrize("seed", by_default(2, range(8)))
def test_strikes_are_those_of_the_model_in_any_order_of_the_bodies(seed: int) -> None:
    rng, met = random.Random(seed), 0
    for _ in range(150):
        world, bodies, fighters, colliders = scene(rng)
        mask, events = rng.randrange(1 << LAYERS), some_events(rng, world)
        order = rng.sample(range(len(bodies)), len(bodies))
        before = [body.save() for body in bodies]

        shuffled = strikes(world, events, [bodies[i] for i in order], mask)
        after = [body.save() for body in bodies]
        for body, state in zip(bodies, before, strict=True):
            body.load(state)
        found = strikes(world, events, bodies, mask)

        model = [replace(fighter, victims={*fighter.victims}) for fighter in fighters]
        rows = model_strikes(events, colliders, mask, model)
        at = {body: n for n, body in enumerate(bodies)}
        assert [(at[a], at[v], [*a.frame_data.parts].index(p)) for a, v, p in found] == rows
        assert sorted(shuffled, key=found.index) == found
        assert [body.save() for body in bodies] == after
        assert [{*body.victims} for body in bodies] == [one.victims for one in model]
        met += len(found)
        assert strikes(world, events, bodies, mask) == [], "each is struck once"
    assert met > 40


def crowd(count: int, parts: int = 1) -> tuple[World, list[Body]]:
    """A fighter with a fist as its last part, and so many that it meets."""
    world = World(256, layers=[(HURT, HIT)])
    layers = [HURT] * (parts - 1) + [HIT]
    bodies = [Body(world, frames(layers), Pose(0, 0, 0), ids=100, owner=1)]
    bodies += [Body(world, frames([HURT]), Pose(0, 0, 0), ids=n, owner=2 + n) for n in range(count)]
    bodies[0].start("swing")
    return world, bodies


def test_a_body_of_32_parts_strikes_with_its_last_and_has_no_other() -> None:
    """Its victim has id 0, which is also the number after the ids of the parts."""
    world, bodies = crowd(1, parts=32)
    assert strikes(world, world.step(), bodies, 1 << HURT) == [(bodies[0], bodies[1], "p31")]


def test_a_hit_remembers_64_victims_and_refuses_more_with_nothing_changed() -> None:
    world, bodies = crowd(65)
    state = bodies[0].save()
    with pytest.raises(
        ValueError, match="remembers 64 victims, and there are more, so nobody is struck"
    ):
        strikes(world, events := world.step(), bodies, 1 << HURT)
    assert bodies[0].save() == state
    assert len(strikes(world, events, bodies[:65], 1 << HURT)) == 64
    with pytest.raises(ValueError, match="remembers 64 victims"):
        strikes(world, events, bodies, 1 << HURT)
    assert strikes(world, events, bodies[:65], 1 << HURT) == []


def test_in_c_too_many_victims_and_too_many_events_have_a_status() -> None:
    world, bodies = crowd(65)
    events = [row for row in world.step() if row.b == 100]
    rows = ffi.new("fxs_event[]", [tuple(map(int, row)) for row in events])
    states = ffi.new("fxs_body[]", [body._native._state[0] for body in bodies])
    out, before = ffi.new("fxs_strike[]", len(rows)), bytes(ffi.buffer(states))
    for n, status in ((len(rows), lib.FXS_E_ROOM), (2**31, lib.FXS_E_RANGE)):
        call = (world._native._world, rows, n, 1 << HURT, states, len(bodies), out)
        assert lib.fxs_strikes(*call) == status
        assert bytes(ffi.buffer(states)) == before


def test_of_one_owner_all_that_an_attack_meets_in_a_frame_are_struck() -> None:
    world, (hero, *others) = crowd(2)
    world.set_owner(1, others[0].owner)
    assert [row.victim for row in strikes(world, world.step(), [hero, *others], 1)] == others
    assert hero.victims == (others[0].owner,)


def test_bodies_that_cannot_be_given_are_named() -> None:
    world, bodies = crowd(1)
    events = world.step()
    with pytest.raises(TypeError, match=r"bodies\[1\] must be a Body, not 7"):
        strikes(world, events, [bodies[0], 7], 1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"bodies\[1\] must be there once, not twice"):
        strikes(world, events, [bodies[0], bodies[0]], 1)
    with pytest.raises(ValueError, match=r"bodies\[0\] must be in the world that stepped"):
        strikes(world, events, crowd(0)[1], 1)
    with pytest.raises(ValueError, match=r"mask must be 0..4294967295, not -1"):
        strikes(world, events, bodies, -1)
    with pytest.raises(ValueError, match=r"events\[0\]: kind must be 0..4294967295, not -1"):
        strikes(world, [(1, 2, -1, 0)], bodies, 1)
    assert bodies[0].victims == ()

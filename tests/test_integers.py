"""Every public function with objects that have `__index__`, NumPy's integers, floats and bools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from tools import Log, by_default, each

import fixsync
from fixsync import (
    Box,
    Contact,
    Cylinder,
    EventKind,
    Handlers,
    Level,
    Pillar,
    Pose,
    Prism,
    Shape,
    Side,
    Sphere,
    World,
    flat,
)
from fixsync._native.kinds import KINDS_BY_CLASS
from fixsync.game.bodies import Body
from fixsync.game.frame_data import Attack, FrameData, Part
from fixsync.game.motion import along, bounce, move_and_slide, slide
from fixsync.game.random import Random
from fixsync.world.aim import UNITY

N = Callable[[int], Any]


class Indexed:
    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Number(int):
    """An int that is not a plain one, as a member of an IntEnum is."""


FORMS: dict[str, N] = {
    "__index__": Indexed,
    "a subclass of int": Number,
    "int64": np.int64,
    "smallest": lambda v: np.uint16(v) if 0 <= v < 65536 else np.int64(v),
}
WRONG: dict[str, N] = {"float": float, "bool": bool, "float64": np.float64, "bool_": np.bool_}

HERE = Pose(0, 0, 0)


def world() -> World:
    made = World(8)
    made.add(1, Box(100, 100, 100), HERE, layer=1)
    made.add(2, Cylinder(100, 100), Pose(50, 0, 9), layer=2)
    made.step()
    return made


def changed(change: Callable[[World], object]) -> tuple[bytes, list[Any]]:
    """The state after a change, and the commands that an observer got."""
    made, log = world(), Log()
    made.attach(log)
    change(made)
    return made.save(), log.reported


def handled(n: N) -> list[tuple[int, ...]]:
    reported: list[tuple[int, ...]] = []
    made = world()
    handlers = Handlers(made)
    handlers.on(n(2), layers=(n(1), n(2)))(lambda a, b, contact: reported.append((a, b, contact)))
    handlers.on(n(2), id=n(2))(lambda a, b, contact: reported.append((a, b, contact)))
    handlers.restore([(n(1), n(1)), (n(2), n(2))])
    handlers.step()
    return reported


def paced(n: N) -> list[int]:
    pacer = fixsync.Pacer((n(60), n(1)), catch_up=n(4))
    return [pacer.due(n(0)), pacer.due(n(10**9)), pacer.dropped, pacer.alpha]


def two_planes(n: N) -> list[Any]:
    planes = flat.TwoPlanes(n(8), hit_when=n(1), layers=[(n(3), n(4))])
    hitbox = flat.Hitbox(flat.circle(5), 6, 7)
    planes.add(n(1), hitbox, (n(5), n(6), n(7)), layer=n(3), owner=n(9))
    planes.add(2, hitbox, (5, 6, 7))
    planes.move(n(2), n(5), n(6), n(8))
    planes.set_owner(n(2), n(3))
    planes.set_layer(n(2), n(4))
    planes.set_active(n(2), True)
    planes.set_hitbox(n(2), hitbox)
    asked: list[Any] = []
    asked += planes.query(hitbox, (n(5), n(6), n(7)), n(255), exclude_owner=n(9))
    planes.set_layers([(n(3), n(5))])
    asked += planes.cast(hitbox, (0, 0, 0), (n(9), 0, 0), n(255), limit=n(1), hit_when=n(2))
    asked += planes.sweep(n(1), (n(9), 0, 0), limit=n(1), hit_when=n(2))
    asked += [planes.push_out(n(1), n(2)), planes.lift(n(1), n(2))]
    found = planes.contact(n(1), n(2)), planes.position(n(2)), n(2) in planes
    planes.remove(n(1))
    return [planes.world.save(), *found, asked]


def body(n: N) -> list[Any]:
    made = World(8)
    part = Part(Sphere(5), (n(1), n(2), n(3)), n(4), n(0))
    fighter = Body(made, FrameData({"hand": part}), HERE, ids=n(3), owner=n(5))
    fighter.move(n(5), n(6), n(7))
    fighter.turn(n(700))
    strikes = fighter.strike(n(9))
    return [made.save(), fighter.owner, fighter.part_of(n(3)), strikes]


# Each call with every integer in n(...): the name of a public function, and how it is called.
CALLS: dict[str, Callable[[N], Any]] = {
    "Pacer": paced,
    "q": lambda n: fixsync.q(n(3)),
    "q_near": lambda n: fixsync.q_near(n(3)),
    "degrees": lambda n: fixsync.degrees(n(45)),
    "direction": lambda n: fixsync.direction(n(700)),
    "yaw_of": lambda n: fixsync.yaw_of(n(5), n(7)),
    "length": lambda n: fixsync.length(n(3), n(4), n(12)),
    "yaw_between": lambda n: fixsync.yaw_between(n(5), n(60000)),
    "yaw_towards": lambda n: fixsync.yaw_towards(HERE, n(3), n(4)),
    "bearing": lambda n: fixsync.bearing(HERE, n(3), n(4)),
    "turn_towards": lambda n: fixsync.turn_towards(n(5), n(60000), n(300)),
    "turn_towards whole": lambda n: fixsync.turn_towards(n(5), n(5), n(300)),
    "faces": lambda n: fixsync.faces(HERE, n(3), n(4), n(9000)),
    "forward": lambda n: fixsync.forward(n(700), n(65536)),
    **{
        shape.__name__: lambda n, shape=shape: shape(
            *[
                n(max(5, size.low))
                for size in KINDS_BY_CLASS[shape.__name__].sizes
                if not size.is_hole
            ]
        )
        for shape in get_args(Shape)
    },
    "Pose": lambda n: Pose(n(5), n(6), n(7), n(8)),
    "Pose.moved": lambda n: Pose(1, 2, 3).moved(n(5), n(6), n(7)),
    "Prism": lambda n: Prism([(n(0), n(1)), (n(9), n(2)), (n(3), n(8))], n(-4), n(5), n(6)),
    "Pillar": lambda n: Pillar(n(5), n(-6), n(7), n(-8), n(9), n(3)),
    "Level": lambda n: Level([Pillar(1, 2, n(7), 0, 9)]).cast(
        *(Sphere(9), Pose(900, 0, 0), (n(-1000), n(3), n(4)), n(1)), limit=n(2), hit_when=n(2)
    ),
    "Level.contact": lambda n: Level([Pillar(1, 2, 7, 0, 9)]).contact(n(0), Sphere(9), HERE),
    "outline": lambda n: fixsync.outline(Sphere(9), HERE, segments=n(8)),
    "cast_pair": lambda n: fixsync.cast_pair(
        *(Sphere(5), HERE, (n(900), n(3), n(4)), Sphere(5), Pose(500, 0, 0), (n(5), n(3), n(4))),
        hit_when=n(2),
    ),
    "flat.circle": lambda n: flat.circle(n(5)),
    "flat.rectangle": lambda n: flat.rectangle(n(5), n(6)),
    "flat.sector": lambda n: flat.sector(n(5), n(6)),
    "flat.at": lambda n: flat.at(n(5), n(6), n(7)),
    "flat.rectangle_between": lambda n: flat.rectangle_between(n(2), n(4), n(6), n(8)),
    "flat.Hitbox": lambda n: flat.Hitbox(flat.circle(5), n(6), n(7)).side,
    "UNITY.angle_facing": lambda n: UNITY.angle_facing(n(700)),
    "UNITY.position": lambda n: UNITY.position(n(5), n(6), n(7)),
    "UNITY.coordinates": lambda n: UNITY.coordinates(n(5), n(6), n(7)),
    "UNITY.yaw_facing": lambda n: UNITY.yaw_facing(n(30)),
    "Random": lambda n: (Random(n(7)).below(n(100)), Random(n(7)).between(n(5), n(900))),
    "Random.chance": lambda n: Random(7).chance(n(1), n(3)),
    "Handlers": handled,
    "along": lambda n: along((n(9), n(8), n(7)), n(500), (n(2**30), n(0), n(0))),
    "slide": lambda n: slide((n(-9), n(8), n(7)), (n(2**30), n(0), n(0))),
    "bounce": lambda n: bounce((n(-9), n(8), n(7)), (n(2**30), n(0), n(0)), n(700)),
    "move_and_slide": lambda n: move_and_slide(
        world(), n(2), (n(900), n(3), n(4)), mask=n(6), passes=n(2)
    ),
    "TwoPlanes": two_planes,
    "Attack.of": lambda n: repr(Attack.of(n(2), n(3), n(4), ["hand"])),
    "Attack": lambda n: repr(Attack(n(9), rehits=[n(2), n(4)])),
    "Body": body,
    "strikes": lambda n: fixsync.strikes(world(), [(n(1), n(2), n(1), n(2))], [], n(5)),
    "World": lambda n: World(n(8), hit_when=n(2), layers=[(n(3), n(4))]).save(),
    "World.add": lambda n: changed(
        lambda w: w.add(*(n(5), Sphere(9), HERE), layer=n(3), owner=n(4), offset=(n(5), n(6), n(7)))
    ),
    "World.remove": lambda n: changed(lambda w: w.remove(n(2))),
    "World.move": lambda n: changed(lambda w: w.move(n(2), n(5), n(6), n(7))),
    "World.turn": lambda n: changed(lambda w: w.turn(n(2), n(5))),
    "World.set_pose": lambda n: changed(lambda w: w.set_pose(n(2), Pose(5, 6, 7, 8))),
    "World.set_shape": lambda n: changed(lambda w: w.set_shape(n(2), Sphere(3))),
    "World.set_offset": lambda n: changed(lambda w: w.set_offset(n(2), (n(5), n(6), n(7)))),
    "World.set_owner": lambda n: changed(lambda w: w.set_owner(n(2), n(5))),
    "World.set_layer": lambda n: changed(lambda w: w.set_layer(n(2), n(5))),
    "World.set_active": lambda n: changed(lambda w: w.set_active(n(2), False)),
    "World.set_layers": lambda n: changed(lambda w: w.set_layers([(n(2), n(5))])),
    "World.add_many": lambda n: changed(
        lambda w: w.add_many([(n(5), Sphere(9), HERE, n(3), n(4), (n(5), n(6), n(7)), True)])
    ),
    "World.move_many": lambda n: changed(lambda w: w.move_many([n(2)], [(n(5), n(6), n(7))])),
    "World.set_pose_many": lambda n: changed(lambda w: w.set_pose_many([n(2)], [HERE])),
    "World.apply": lambda n: changed(
        lambda w: w.apply(
            [
                (
                    *("add", n(5), ("sector", n(5), n(6), n(7)), (n(5), n(6), n(7))),
                    *(n(8), n(3), n(4), (n(1), n(2), n(3)), True),
                ),
                ("move", n(2), (n(5), n(6), n(7))),
                ("layer", n(2), n(3)),
                ("layers", [(n(2), n(3))]),
            ]
        )
    ),
    "World.separate": lambda n: changed(
        lambda w: w.separate([(n(2), n(1)), (n(1), n(2))], passes=n(2))
    ),
    "World.query": lambda n: world().query(Sphere(9), HERE, n(6), exclude_owner=n(5)),
    "World.query_many": lambda n: list(world().query_many([(Sphere(9), HERE, n(6), n(5))])),
    "World.nearest": lambda n: world().nearest(
        Sphere(99), HERE, n(6), exclude_owner=n(5), limit=n(2)
    ),
    "World.nearest_many": lambda n: list(
        world().nearest_many([(Sphere(9), HERE, n(6), n(5))], limit=n(2))
    ),
    "World.cast": lambda n: world().cast(
        *(Sphere(9), Pose(900, 0, 0), (n(-1000), n(3), n(4)), n(6)),
        exclude_owner=n(5),
        limit=n(2),
        hit_when=n(2),
    ),
    "World.cast_many": lambda n: list(
        world().cast_many(
            [(Sphere(9), Pose(900, 0, 0), (n(-1000), n(3), n(4)), n(6), n(5), n(2), n(2))]
        )
    ),
    "World.sweep": lambda n: world().sweep(n(2), (n(-1000), n(3), n(4)), limit=n(2), hit_when=n(2)),
    "World.sweep_pairs": lambda n: world().sweep_pairs(
        {n(2): (n(-1000), n(3), n(4))}, limit=n(2), hit_when=n(2)
    ),
    "World.contact": lambda n: world().contact(n(2), n(1)),
    "World.explain": lambda n: world().explain(n(2), n(1)),
    "World.explain_query": lambda n: world().explain_query(
        *(Sphere(9), HERE, n(1), n(6)), exclude_owner=n(5)
    ),
    "explain": lambda n: fixsync.explain(Sphere(9), HERE, Sphere(9), HERE, hit_when=n(2)),
    "World.push_out": lambda n: world().push_out(n(2), n(1)),
    "World.lift": lambda n: world().lift(n(2), n(1)),
    "World.side": lambda n: world().side(n(2), n(1)),
    "World.outline": lambda n: world().outline(n(2), segments=n(8)),
    "World.from_bytes": lambda n: World.from_bytes(world().save(), n(8)).capacity,
    "World[id]": lambda n: world()[n(2)],
    "id in World": lambda n: n(2) in world(),
}

# Public, and without an integer among the arguments.
NO_INTEGERS = {
    *("overlap", "overlap_many", "pack_poses", "pack_shapes", "push_out", "lift", "side"),
    *("World.step", "World.clear", "World.colliders", "World.hits", "World.save", "World.load"),
    *("World.hash", "World.copy", "World.attach", "World.detach"),
    # Made by fixsync, or tested in test_bodies.py.
    "TinyValueWarning",
    *("CastHit", "PairHit", "Collider", "Colliders", "Event", "Events", "GameEvent", "Hit", "Hits"),
    *("Attack", "Body", "Cancel", "FrameData", "Key", "Part", "Contact", "EventKind", "Side"),
    "Strike",
    *("Explanation", "Missed", "Outline", "Why"),
}


def test_every_public_function_is_called() -> None:
    public = {name for name in fixsync.__all__ if callable(getattr(fixsync, name))} - {"Shape"}
    methods = inspect.getmembers(World, callable)
    public |= {f"World.{name}" for name, _ in methods if not name.startswith("_")}
    assert public - NO_INTEGERS <= CALLS.keys()


def plain(value: Any) -> Iterator[Any]:
    """All numbers within an answer."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from plain(part)
    elif hasattr(value, "__match_args__"):
        yield from plain([getattr(value, name) for name in value.__match_args__])
    else:
        yield value


def at(form: N, position: int | None) -> tuple[N, list[int]]:
    """A converter of all integers, or of the one at a position; and the integers it was given."""
    given: list[int] = []

    def convert(value: int) -> Any:
        given.append(value)
        return form(value) if position in (None, len(given) - 1) else value

    return convert, given


@pytest.mark.parametrize("form", by_default(1, FORMS))
@each("name", CALLS)
def test_an_integer_of_any_kind_is_the_integer(name: str, form: str) -> None:
    expected = CALLS[name](int)
    found = CALLS[name](FORMS[form])
    assert found == expected
    enums = {Contact, EventKind, Side, fixsync.Why, fixsync.Missed}
    kinds = {int, bool, bytes, str, type(None), Fraction, *enums}
    for number in plain(found):
        assert type(number) in kinds, f"{number!r}, a {type(number).__name__}"


@pytest.mark.parametrize("form", by_default(1, WRONG))
@each("name", CALLS)
def test_a_float_and_a_bool_are_no_integers_anywhere(name: str, form: str) -> None:
    convert, given = at(int, None)
    CALLS[name](convert)
    for position in range(len(given)):
        wrong = at(WRONG[form], position)[0]
        with pytest.raises(TypeError):
            CALLS[name](wrong)

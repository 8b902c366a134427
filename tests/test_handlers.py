"""Handlers: which function gets which event, in which order, and changes during a delivery."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import model
import pytest
import strategies
from hypothesis import given

from fixsync import Box, Contact, EventKind, Handlers, Pose, Sphere, World
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay

ENTER, STAY, EXIT = EventKind.ENTER, EventKind.STAY, EventKind.EXIT
SWORD, MONSTER, WALL = 0, 1, 2


def at(x: int) -> Pose:
    return Pose(x, 0, 0)


@pytest.fixture
def world() -> World:
    """Two swords (1, 6) in two monsters (3, 4), and a wall (5) in the first monster."""
    world = World(8)
    world.add_many(
        [
            (1, Sphere(10), at(0), SWORD, 9),
            (6, Sphere(10), at(15), SWORD, 9),
            (3, Sphere(10), at(5), MONSTER),
            (4, Sphere(10), at(20), MONSTER),
            (5, Box(1, 1, 1), at(-6), WALL),
        ]
    )
    return world


def reported(handlers: Handlers, kind: int, **what: Any) -> list[tuple[int, int, Contact]]:
    """The calls of a handler from now on."""
    calls: list[tuple[int, int, Contact]] = []
    handlers.on(kind, **what)(lambda *call: calls.append(call))
    return calls


def test_an_id_is_told_with_itself_first(world: World) -> None:
    handlers = Handlers(world)
    calls = reported(handlers, ENTER, id=4)
    handlers.step()
    assert [(a, b) for a, b, _ in calls] == [(4, 1), (4, 3), (4, 6)]


def test_without_layers_and_id_all_are_told_in_the_order_of_the_events(world: World) -> None:
    handlers = Handlers(world)
    everything = {kind: reported(handlers, kind) for kind in EventKind}
    for _ in range(2):
        world.move(5, -7, 0, 0)
        for calls in everything.values():
            calls.clear()
        events = handlers.step()
        for kind, calls in everything.items():
            assert calls == [(a, b, contact) for a, b, k, contact in events if k == kind]


def test_every_event_goes_through_the_functions_in_the_order_of_registering(world: World) -> None:
    handlers = Handlers(world)
    order: list[tuple[str, int, int]] = []
    for name, what in (
        ("second", {"layers": (MONSTER, WALL)}),
        ("first", {}),
        ("third", {"id": 5}),
    ):
        handlers.on(ENTER, **what)(lambda a, b, _, name=name: order.append((name, a, b)))  # type: ignore[arg-type]
    handlers.step()
    pair = [(name, a, b) for name, a, b in order if {a, b} == {3, 5}]
    assert pair == [("second", 3, 5), ("first", 3, 5), ("third", 5, 3)]
    assert [order.index(call) for call in pair] == list(
        range(order.index(pair[0]), order.index(pair[0]) + 3)
    )


# Changes on the way.


def test_a_change_made_on_the_way_takes_effect_as_if_made_after_the_step(world: World) -> None:
    twin = world.copy()
    handlers = Handlers(world)

    @handlers.on(ENTER, layers=(SWORD, MONSTER))
    def struck(sword: int, monster: int, _: Contact) -> None:
        if monster in world:
            world.remove(monster)
        world.move(sword, 1000 * sword, 0, 0)

    events = handlers.step()
    assert events == twin.step()
    for id in (3, 4):
        twin.remove(id)
    twin.move(1, 1000, 0, 0)
    twin.move(6, 6000, 0, 0)
    assert world.save() == twin.save()
    assert handlers.step() == twin.step()


def test_an_event_is_delivered_though_an_earlier_function_removed_its_id(world: World) -> None:
    handlers = Handlers(world)
    handlers.on(ENTER, id=1)(lambda *_: world.clear())
    later = reported(handlers, ENTER, layers=(MONSTER, MONSTER))
    handlers.step()
    assert len(world) == 0
    assert [(a, b) for a, b, _ in later] == [(3, 4)]


def test_a_registration_made_on_the_way_counts_from_the_next_step(world: World) -> None:
    handlers = Handlers(world)
    early: list[Any] = []
    late: list[Any] = []

    @handlers.on(ENTER, id=1)
    def first(*call: object) -> None:
        early.append(call)
        if len(early) == 1:
            handlers.off(first)
            for kind in (ENTER, STAY):
                handlers.on(kind, id=1)(lambda *call: late.append(call))

    handlers.step()
    assert [call[1] for call in early] == [3, 4, 5]
    assert late == []
    handlers.step()
    assert late == early


def test_an_exception_ends_the_delivery_and_leaves_the_step_made(world: World) -> None:
    handlers = Handlers(world)

    @handlers.on(ENTER, id=4)
    def fails(*_: object) -> None:
        raise ArithmeticError("of the game")

    earlier, later = reported(handlers, ENTER, id=3), reported(handlers, ENTER, id=5)
    with pytest.raises(ArithmeticError, match="of the game"):
        handlers.step()
    assert world.frame == 1
    assert earlier == [(3, 1, Contact.OVERLAPPING)]
    assert later == []
    handlers.off(fails)
    stays = reported(handlers, STAY)
    assert [(a, b, contact) for a, b, _, contact in handlers.step()] == stays


@pytest.mark.parametrize("how", ["step", "handlers", "deliver", "load"])
def test_a_handler_that_steps_or_loads_the_world_is_refused(world: World, how: str) -> None:
    handlers, empty = Handlers(world), World(8).save()

    @handlers.on(ENTER)
    def steps(*_: object) -> None:
        if how == "step":
            world.step()
        elif how == "handlers":
            handlers.step()
        elif how == "deliver":
            handlers.deliver([])
        else:
            world.load(empty)

    with pytest.raises(RuntimeError, match=r"cannot step|cannot deliver|stepped or loaded"):
        handlers.step()


def test_deliver_takes_the_events_of_a_step_made_without_it(world: World) -> None:
    handlers = Handlers(world)
    calls = reported(handlers, ENTER)
    events = world.step()
    handlers.deliver(events)
    assert calls == [(a, b, contact) for a, b, _, contact in events]
    handlers.deliver([tuple(map(int, event)) for event in world.step()])  # type: ignore[misc]
    assert len(calls) == len(events)


def test_registering_refuses_what_can_never_be_told(world: World) -> None:
    handlers = Handlers(world)
    for what, error, text in (
        ({"kind": 0}, ValueError, r"kind must be 1\.\.3, not 0"),
        ({"kind": 1, "layers": (0, 32)}, ValueError, r"layers: second must be 0\.\.31, not 32"),
        ({"kind": 1, "layers": (0,)}, ValueError, "layers must be"),
        ({"kind": 1, "id": 8}, ValueError, r"id must be 0\.\.7, not 8"),
        ({"kind": 1, "id": 1, "layers": (0, 1)}, ValueError, "layers or id, not both"),
        ({"kind": True}, TypeError, "kind must be an integer"),
    ):
        with pytest.raises(error, match=text):  # type: ignore[call-overload]
            handlers.on(**what)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be callable, not 7"):
        handlers.on(ENTER)(7)  # type: ignore[type-var]
    with pytest.raises(ValueError, match="must be one that is registered"):
        handlers.off(print)
    for state, text in (([(1, 32)], r"state\[0\]: layer must be 0\.\.31"), ([(1,)], r"state\[0\]")):
        with pytest.raises(ValueError, match=text):
            handlers.restore(state)  # type: ignore[arg-type]


def test_a_bound_method_is_taken_off_again(world: World) -> None:
    class Game:
        def __init__(self) -> None:
            self.count = 0

        def struck(self, *_: object) -> None:
            self.count += 1

    handlers, game = Handlers(world), Game()
    handlers.on(ENTER)(game.struck)
    handlers.off(game.struck)
    handlers.step()
    assert game.count == 0


# Logs, rollback, and everything at once.


class Game:
    """A game whose whole logic is in handlers: swords remove walls, monsters turn into walls, walls
    drift.
    """

    def __init__(self, commands: list[list[Any]]) -> None:
        self.world, self.commands, self.calls = World(6), commands, list[Any]()
        self.handlers = Handlers(self.world)
        for first in range(4):
            for second in range(4):
                for kind in EventKind:
                    self.handlers.on(kind, layers=(first, second))(
                        partial(self.reported, (first, second, kind))
                    )

    def reported(self, key: Any, a: int, b: int, contact: Contact) -> None:
        self.calls.append((*key, a, b, contact))
        world, kind = self.world, key[2]
        if kind == EXIT and a in world:
            world.set_layer(a, (world[a].layer + 1) % 4)
        elif kind == ENTER and contact == Contact.TOUCHING and b in world:
            world.remove(b)
        elif kind == STAY and a in world:
            pose = world[a].pose
            world.move(a, pose.x + 7 * b, pose.y, pose.z - a)

    def frame(self, number: int) -> None:
        for command in self.commands[number]:
            name, id = command[:2]
            if name in ("add", "move", "remove") and (id in self.world) == (name != "add"):
                self.world.apply([command])
        self.handlers.step()


@given(match=strategies.frames(frame_count_max=8))
@strategies.examples(60)
def test_a_game_of_handlers_rolls_back_and_comes_to_the_same_calls(match: Any) -> None:
    game = Game(match)
    saved = []
    for number in range(len(match)):
        saved.append((game.world.save(), game.handlers.state(), len(game.calls)))
        game.frame(number)
    calls, hash = list(game.calls), game.world.hash()
    for begin, (data, state, count) in enumerate(saved):
        game.world.load(data)
        game.handlers.restore(state)
        game.calls = calls[:count]
        for number in range(begin, len(match)):
            game.frame(number)
        assert (game.calls, game.world.hash()) == (calls, hash)
        other = Game(match)
        other.world.load(data)
        other.handlers.restore(state)
        other.frame(begin)
        assert other.calls == calls[count : count + len(other.calls)]


@given(match=strategies.frames(frame_count_max=8))
@strategies.examples(30)
def test_what_handlers_do_is_recorded_like_any_change(match: Any, tmp_path_factory: Any) -> None:
    path: Path = tmp_path_factory.mktemp("handlers") / "match.jsonl"
    game = Game(match)
    with Recorder(game.world, path):
        for number in range(len(match)):
            game.frame(number)
        game.world.step()  # what the last delivery changed stands in this frame
    played = replay(path)
    assert played.verdict == Verdict.IDENTICAL
    assert played.hash == f"{game.world.hash():016x}"


@given(match=strategies.frames(frame_count_max=8))
@strategies.examples(300)
def test_every_event_of_the_model_is_told_to_the_layers_it_has_there(match: Any) -> None:
    """A model beside the game is given the same changes, and says what must be reported, layer by
    layer.
    """
    game, twin = Game(match), model.ModelWorld(6)

    class Twin:
        def changed(self, command: Any) -> None:
            twin.apply([list(part) if isinstance(part, tuple) else part for part in command])

        def stepped(self, events: Any) -> None:
            before.update(layers)
            layers.clear()
            expected.extend(twin.step())
            layers.update({id: c.layer for id, c in twin.colliders.items()})
            assert list(events) == expected

        def loaded(self) -> None:
            raise AssertionError

    layers: dict[int, int] = {}
    before: dict[int, int] = {}
    expected: list[Any] = []
    game.world.attach(Twin())
    for number in range(len(match)):
        game.calls.clear()
        expected.clear()
        before.clear()
        game.frame(number)
        calls = []
        for a, b, kind, contact in expected:
            known = before if kind == EXIT else layers
            la, lb = known[a], known[b]
            if la == lb:
                calls.append((la, lb, kind, a, b, contact))
            else:
                calls += sorted([(la, lb, kind, a, b, contact), (lb, la, kind, b, a, contact)])
        assert game.calls == calls

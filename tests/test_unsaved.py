"""What a simulation forgets to save is named; what it need not save is not."""

from __future__ import annotations

import contextvars
import functools
import itertools
import os
import random
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import broken
import pytest
from bumpers import Bumpers, inputs
from tools import by_default, needs

from fixsync import ONE, Body, Event, FrameData, Part, Pose, Sphere, World, q
from fixsync.game.random import Random
from fixsync.match import State, Stated, count, within
from fixsync.match.sim import Input, SimulationType
from fixsync.sample.skillfight import SkillFight
from fixsync.synctest.straight import Inputs, bot_inputs, run_straight
from fixsync.synctest.unsaved import unsaved
from fixsync.synctest.walk import Walk

EXAMPLES = Path(__file__).parent.parent / "examples"


def names(simulation: SimulationType, given: Inputs | None = None) -> list[str]:
    given = inputs(24) if given is None else given
    return [found.name for found in unsaved(run_straight(simulation, 1, len(given[0]), given))]


class Turning(Bumpers):
    """Turns ball 0 by a number that `next` gives for each frame."""

    def next(self) -> int:
        raise NotImplementedError

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        self.world.turn(0, self.next() % 65536)
        return events


# What is forgotten.


class Attribute(Turning):
    combo = 0

    def next(self) -> int:
        self.combo += 1
        return self.combo


class Private(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.__secret = 0

    def next(self) -> int:
        self.__secret += 1
        return self.__secret


class Slots(Turning):
    __slots__ = ("combo",)

    def next(self) -> int:
        self.combo = getattr(self, "combo", 0) + 1
        return self.combo


class Listed(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.hits = [[0], [0, 0]]

    def next(self) -> int:
        self.hits[1][0] += 1
        return self.hits[1][0]


class Growing(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.seen: deque[int] = deque(maxlen=5)
        self.by_frame: dict[str, dict[int, int]] = {"turns": {}}

    def next(self) -> int:
        self.by_frame["turns"][len(self.by_frame["turns"])] = self.random.below(3)
        return len(self.by_frame["turns"])


@dataclass
class Fighter:
    combo: int = 0
    moves: set[int] = field(default_factory=set)


class Nested(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.fighters = {"red": Fighter(), "blue": Fighter()}

    def next(self) -> int:
        self.fighters["blue"].combo += 1
        return self.fighters["blue"].combo


class OwnRandom(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.die = Random(5)

    def next(self) -> int:
        return self.die.below(65536)


class PythonsRandom(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.die = random.Random(5)

    def next(self) -> int:
        return self.die.randrange(65536)


class Counting(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.ids = itertools.count(7)

    def next(self) -> int:
        return next(self.ids)


turns_of_all = 0


class ModuleCounter(Turning):
    def next(self) -> int:
        global turns_of_all
        turns_of_all += 1
        return turns_of_all


class ClassCounter(Turning):
    turns = 0

    def next(self) -> int:
        ClassCounter.turns += 1
        return self.turns


def _closure() -> Callable[[], int]:
    n = 0

    def turn() -> int:
        nonlocal n
        n += 1
        return n

    return turn


class Closure(Turning):
    turn = staticmethod(_closure())

    def next(self) -> int:
        return self.turn()


class InstanceClosure(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.turn = _closure()

    def next(self) -> int:
        return self.turn()


class SecondWorld(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.radar = World(1)
        self.radar.add(0, Sphere(ONE), Pose(0, 0, 0))

    def next(self) -> int:
        self.radar.move(0, self.radar[0].pose.x + 1, 0, 0)
        return self.radar[0].pose.x


class Bodies(Turning):
    DATA = FrameData({"hand": Part(Sphere(q(1)), (0, 0, 0))}, {})

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.other = World(2)
        self.bodies = [
            Body(self.other, self.DATA, Pose(0, 0, 0), ids=id, owner=id + 1) for id in range(2)
        ]

    def next(self) -> int:
        self.bodies[0].mirror(not self.bodies[0].is_mirrored)
        return self.bodies[0].is_mirrored + 1


class Reset(Turning):
    """Sets to 0 in `load` what it does not save, and counts only at hits."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.combo = 0

    def next(self) -> int:
        self.combo += sum(self.met) // 2 % 2
        return self.combo

    def load(self, data: bytes) -> None:
        super().load(data)
        self.combo = 0


class Generated(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.turns = self.turning()

    def turning(self) -> Iterator[int]:
        yield from range(65536)

    def next(self) -> int:
        return next(self.turns)


class CachedMethod(Turning):
    """The cache has what was right in the first of ten frames."""

    def next(self) -> int:
        return self.heat(self.world.frame // 10)

    @functools.cache  # noqa: B019 - the fault
    def heat(self, _decade: int) -> int:
        return self.world[0].pose.x


_TURNS: contextvars.ContextVar[int] = contextvars.ContextVar("turns", default=0)


class InContext(Turning):
    def next(self) -> int:
        _TURNS.set(_TURNS.get() + 1)
        return _TURNS.get()


class Environment(Turning):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        os.environ["TURNS_OF_A_GAME"] = "0"

    def next(self) -> int:
        turns = int(os.environ["TURNS_OF_A_GAME"]) + 1
        os.environ["TURNS_OF_A_GAME"] = str(turns)
        return turns


class Marker:
    """Something to refer to weakly."""


class Weak(Turning):
    """Balls are marked for good, one after the other."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.balls = [Marker() for _ in range(players)]
        self.marked: weakref.WeakSet[Marker] = weakref.WeakSet()

    def next(self) -> int:
        if self.world.frame % 7 == 0:
            self.marked.add(self.balls[self.world.frame // 7 % self.players])
        return len(self.marked)


class WeakCounts(Weak):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.counts: weakref.WeakKeyDictionary[Marker, int] = weakref.WeakKeyDictionary()

    def next(self) -> int:
        ball = self.balls[0]
        self.counts[ball] = self.counts.get(ball, 0) + 1
        return self.counts[ball]


FORGOTTEN = [
    (Nested, "self.fighters['blue'].combo"),
    (Attribute, "self.combo"),
    (OwnRandom, "self.die"),
    (ModuleCounter, "test_unsaved.turns_of_all"),
    (ClassCounter, "ClassCounter.turns"),
    (Closure, "n of Closure.turn"),
    (SecondWorld, "self.radar"),
    (broken.Global, "Global.frames"),
    (WeakCounts, "self.counts"),
    (Generated, "self.turns"),
    (CachedMethod, "CachedMethod.heat"),
    (InContext, "test_unsaved._TURNS"),
    (Environment, "os.environ"),
    (Weak, "self.marked"),
    (Private, "self._Private__secret"),
    (Slots, "self.combo"),
    (Listed, "self.hits[1]"),
    (Growing, "self.by_frame['turns']"),
    (PythonsRandom, "self.die"),
    (Counting, "self.ids"),
    (InstanceClosure, "n of self.turn"),
    (Bodies, "self.bodies[0]"),
    (Reset, "self.combo"),
    (broken.Forgetful, "self.met"),
]


@pytest.mark.parametrize(("simulation", "name"), by_default(1, FORGOTTEN, are_rows=True))
def test_what_is_forgotten_is_named(simulation: SimulationType, name: str):
    assert names(simulation) == [name]


def test_two_things_that_are_forgotten_are_both_named():
    class Two(Attribute):
        def __init__(self, seed: int, players: int) -> None:
            super().__init__(seed, players)
            self.jumps = [0]

        def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
            events = super().step(inputs)
            self.jumps[0] += 1
            self.world.turn(1, self.jumps[0])
            return events

    assert sorted(names(Two, inputs(12))) == ["self.combo", "self.jumps"]


def test_the_report_has_both_values():
    (found,) = unsaved(run_straight(broken.Unsaved, 1, 4, inputs(12)))
    assert str(found) == "self.count: 0 before, 8 after the load"
    assert found.frame == -1
    (found,) = unsaved(run_straight(Attribute, 1, 4, inputs(12)))
    assert str(found) == "self.combo: not there before the load"


@pytest.mark.parametrize(
    ("simulation", "text"),
    by_default(
        1,
        [
            (
                Environment,
                "os.environ: {'TURNS_OF_A_GAME': '0'} before, {'TURNS_OF_A_GAME': '8'} after the load",
            ),
            (
                Bodies,
                "self.bodies[0]: {'is_mirrored': True} before, {'is_mirrored': False} after the load",
            ),
            (
                Weak,
                "self.marked: set() before, {<test_unsaved.Marker object>} after the load",
            ),
            (
                WeakCounts,
                "self.counts: {} before, {<test_unsaved.Marker object>: 8} after the load",
            ),
        ],
        are_rows=True,
    ),
)
def test_the_report_has_the_variable_that_differs_and_no_addresses(
    simulation: SimulationType, text: str
):
    (found,) = unsaved(run_straight(simulation, 1, 4, inputs(12)))
    assert str(found) == text


def test_globals_are_as_before_afterwards():
    straight = run_straight(ModuleCounter, 1, 4, inputs(12))
    before, state = turns_of_all, random.getstate()
    unsaved(straight)
    unsaved(run_straight(SkillFight, 1, 2, bot_inputs(SkillFight, 1, 2, 10)))
    assert turns_of_all == before
    assert random.getstate() == state


# Second names.


class Ball(State):
    turn: Annotated[int, within(0, 65535)] = 0


class Balls(State):
    balls: Annotated[list[Ball], count(2)] = [Ball(), Ball()]  # noqa: RUF012 - each has its own


class Rolling(Stated):
    """Turns each ball as far as its state says."""

    name = "rolling"
    state: Balls

    def __init__(self, seed: int, players: int) -> None:
        self.players = players
        self.random = Random(seed)
        self.state = Balls()
        self.world = World(players)
        for player in range(players):
            self.world.add(player, Sphere(ONE), Pose(ONE * player, 0, 0))

    def turn(self) -> None:
        self.state.balls[1].turn += 1

    def step(self, _: Sequence[Input]) -> Sequence[Event]:
        self.turn()
        for player, ball in enumerate(self.state.balls):
            self.world.turn(player, ball.turn)
        return self.world.step()


class Leader(Rolling):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.leader = self.state.balls[1]

    def turn(self) -> None:
        self.leader.turn += 1


class LeaderRead(Rolling):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.by_name = {"red": self.state.balls[0], "blue": self.state.balls[1]}

    def turn(self) -> None:
        self.state.balls[0].turn = self.by_name["blue"].turn
        super().turn()


class Shared(Rolling):
    """Both balls are one."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.state.balls[0] = self.state.balls[1]


@pytest.mark.full
@pytest.mark.parametrize(
    ("simulation", "name", "what"),
    [
        (Leader, "self.leader", "still the object from before the load"),
        (LeaderRead, "self.by_name['blue']", "still the object from before the load"),
        (Shared, "self.state.balls[1]", "one object with self.state.balls[0] before the load"),
    ],
)
def test_a_second_name_that_a_load_left_behind_is_named(
    simulation: SimulationType, name: str, what: str
):
    found = unsaved(run_straight(simulation, 1, 2, [(0, 0)] * 40))
    assert [one.name for one in found] == [name]
    assert found[0].what.startswith(what)


@pytest.mark.full
def test_a_second_name_that_load_sets_anew_or_nobody_uses_is_not_named():
    class Anew(Leader):
        def load(self, data: Any) -> None:
            super().load(data)
            self.leader = self.state.balls[1]

    class Unused(Rolling):
        def __init__(self, seed: int, players: int) -> None:
            super().__init__(seed, players)
            self.leader = self.state.balls[1]

    for simulation in (Rolling, Anew, Unused):
        assert names(simulation, [(0, 0)] * 40) == []


# What need not be saved.


class Cached(Turning):
    """Remembers what follows from the state: by key, for the last frame, and for drawing."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.scratch: list[int] = []
        self.squares: dict[int, int] = {}
        self.last_frame, self.last_turn = -1, 0
        self.trail: list[Pose] = []
        self.drawn = 0
        self.players_list = [*range(players)]
        self.name_of = {id: f"ball {id}" for id in range(players)}

    def next(self) -> int:
        self.scratch.clear()
        self.scratch.extend(self.world[id].pose.x for id in self.players_list)
        self.trail.append(self.world[0].pose)
        self.drawn += 1
        key = sum(self.scratch) % 64
        if key not in self.squares:
            self.squares[key] = key * key
        if self.last_frame != self.world.frame:
            self.last_frame, self.last_turn = self.world.frame, self.squares[key]
        return self.last_turn


@functools.lru_cache
def _squared(n: int) -> int:
    return n * n


class Memoised(Turning):
    def next(self) -> int:
        return _squared(self.world.frame % 7)


class Endless(Turning):
    """A generator without a place that matters, and a cached method that looks at no state."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.frames = self.reading()

    def reading(self) -> Iterator[int]:
        while True:
            yield self.world.frame

    @functools.cache  # noqa: B019 - it is right
    def squared(self, n: int) -> int:
        return n * n

    def next(self) -> int:
        return self.squared(next(self.frames) % 50)


@pytest.mark.parametrize(
    "simulation",
    by_default(
        2, [Bumpers, Cached, broken.Unordered, broken.Reloading, broken.Hashing, Memoised, Endless]
    ),
)
def test_what_need_not_be_saved_is_not_named(simulation: SimulationType):
    assert names(simulation, inputs(60)) == []


@pytest.mark.full
def test_beside_something_forgotten_a_generator_and_a_cache_are_not_named():
    class Beside(Endless):
        def next(self) -> int:
            self.combo = getattr(self, "combo", 0) + 1
            return super().next() + self.combo

    assert names(Beside) == ["self.combo"]


@pytest.mark.full
def test_beside_something_forgotten_a_cache_is_not_named():
    class Both(Cached):
        def next(self) -> int:
            self.combo = getattr(self, "combo", 0) + 1
            return super().next() + self.combo

    assert names(Both, inputs(60)) == ["self.combo"]


@pytest.mark.parametrize("players", [2, pytest.param(5, marks=pytest.mark.full)])
def test_nothing_of_the_sample_is_named(players: int):
    assert names(SkillFight, bot_inputs(SkillFight, 4, players, 100)) == []


@pytest.mark.parametrize(
    "example", by_default(1, ["arena:Arena", "brawl:Brawl", "pygame_duel:Duel"])
)
def test_nothing_of_the_examples_is_named(example: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module, _, name = example.partition(":")
    simulation = getattr(__import__(module), name)
    assert names(simulation, bot_inputs(simulation, 4, 2, 600)) == []


def test_a_simulation_that_raises_after_a_load_ends_the_search():
    assert names(broken.Raising) == []


# The walk.


def test_a_walk_brings_everything_back():
    game = SkillFight(3, 4)
    values = bot_inputs(SkillFight, 3, 4, 120)
    for one in values[:60]:
        game.step(one)
    walk, before = Walk(game), game.save()
    after = []
    for _ in range(2):
        for one in values[60:]:
            game.step(one)
        after.append(game.save())
        walk.restore()
        assert game.save() == before
    assert after[0] == after[1] != before


@pytest.mark.full
def test_a_rectangle_of_pygame_is_seen():
    pygame = needs("pygame")

    class Rectangle(Turning):
        def __init__(self, seed: int, players: int) -> None:
            super().__init__(seed, players)
            self.rect = pygame.Rect(0, 0, 5, 5)

        def next(self) -> int:
            self.rect.x += 1
            return self.rect.x

    assert names(Rectangle) == ["self.rect"]


@pytest.mark.full
def test_an_array_of_numpy_is_seen():
    numpy = needs("numpy")

    class Arrays(Turning):
        def __init__(self, seed: int, players: int) -> None:
            super().__init__(seed, players)
            self.grid = numpy.zeros((2, 2), dtype=numpy.int32)

        def next(self) -> int:
            self.grid[1, 0] += 1
            return int(self.grid[1, 0])

    assert names(Arrays) == ["self.grid"]


@pytest.mark.full
def test_a_walk_ends_in_a_game_that_holds_very_much():
    class Hoard(Bumpers):
        def __init__(self, seed: int, players: int) -> None:
            super().__init__(seed, players)
            self.grid = [[[i, j] for i in range(300)] for j in range(300)]
            self.loop: list[Any] = []
            self.loop.append(self.loop)

    assert len(Walk(Hoard(1, 2)).places) < 100_000
    assert names(Hoard, inputs(2)) == []

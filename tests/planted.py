"""Games with one planted fault each, with the verdict that each must get; and games that are right,
though they use what is often wrong.

Each turns ball 0 by a number, frame by frame: `number` is where the fault is."""

from __future__ import annotations

import datetime
import enum
import functools
import gc
import itertools
import os
import platform
import random
import secrets
import socket
import sys
import tempfile
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from bumpers import Bumpers

from fixsync import Event
from fixsync.match.sim import Input, hash_of

NAMES = ("ann", "bob", "cid", "dora", "emil", "fay")


class Verdict(NamedTuple):
    """The verdict that a game must get."""

    checks: tuple[str, ...]
    """One of these is the first that differs."""
    said: tuple[str, ...] = ()
    """One of these is in the explanation."""
    line: str = ""
    """In the source of the line that is named."""


PLANTED: dict[str, tuple[type[Game], Verdict]] = {}
RIGHT: dict[str, type[Game]] = {}


def planted(*checks: str, said: str | tuple[str, ...] = (), line: str = "") -> Callable[[Any], Any]:
    texts = (said,) if isinstance(said, str) else said

    def note(game: type[Game]) -> type[Game]:
        PLANTED[game.__name__] = game, Verdict(checks, texts, line)
        return game

    return note


def right(game: type[Game]) -> type[Game]:
    RIGHT[game.__name__] = game
    return game


class Game(Bumpers):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(tuple(inputs))
        self.world.turn(0, self.number(inputs) % 65536)
        return events

    def number(self, inputs: Sequence[Input]) -> int:
        raise NotImplementedError


def order_of(names: Any) -> int:
    """A number that depends on an order."""
    found = 0
    for name in names:
        found = found * 7 + len(name) + ord(name[0])
    return found


NOT = "not repeatable"
MEMORY = ("order of memory", NOT)

# What no run can repeat.


@planted("repeat", said=NOT)
class Clock(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return time.time_ns() // 1000


@planted("repeat", said=NOT)
class Stopwatch(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.began = time.perf_counter()

    def number(self, inputs: Sequence[Input]) -> int:
        return int((time.perf_counter() - self.began) * 1_000_000)


@planted("repeat", said=NOT)
class Now(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return datetime.datetime.now().microsecond  # noqa: DTZ005


@planted("repeat", said=NOT)
class Dice(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return random.randrange(1000)


@planted("repeat", said=NOT)
class OwnDice(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.dice = random.Random()

    def number(self, inputs: Sequence[Input]) -> int:
        return self.dice.randrange(1000)


@planted("repeat", said=NOT)
class Secret(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return secrets.randbelow(1000)


@planted("repeat", said=NOT)
class Unique(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return uuid.uuid4().int


@planted("repeat", said=NOT)
class Noise(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return os.urandom(1)[0]


@planted("repeat", said=NOT)
class FileName(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return sum(map(ord, Path(tempfile.mktemp()).name))  # noqa: S306


@planted("repeat", "process", said=MEMORY)
class Address(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.token = [seed]

    def number(self, inputs: Sequence[Input]) -> int:
        return id(self.token) >> 4


class Thing:
    def __init__(self, name: str) -> None:
        self.name = name


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"))
class SetOfObjects(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = {Thing(name) for name in NAMES * 3}

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in self.things])


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"))
class WeakSet(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = [Thing(name) for name in NAMES * 3]
        self.weak = weakref.WeakSet(self.things)

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in self.weak])


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"))
class SortedById(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = [Thing(name) for name in NAMES * 3]

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in sorted(self.things, key=id)])


THINGS = {Thing(name) for name in NAMES * 3}


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"))
class ModuleObjects(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in THINGS])


BEGAN = time.time()


@planted("process", said=NOT)
class Began(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return int(BEGAN * 1000)


@planted("repeat", "process", said=MEMORY)
class Garbage(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return gc.get_count()[0]


@planted("process", said=(NOT, "order of memory"))
class ThreadNumber(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return threading.get_ident() >> 12


# What depends on one thing of a process.

SEED = "on the hash seed of strings"


@planted("process", said=SEED, line="hash(")
class Hash(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return hash("ann")


@planted("process", said=SEED, line="for name in self.names")
class SetOfStrings(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.names = {*NAMES}

    def number(self, inputs: Sequence[Input]) -> int:
        found = 0
        for name in self.names:
            found = found * 7 + ord(name[0])
        return found


@planted("process", "sets", said=(SEED, "an order"), line="next(iter(")
class PairOfStrings(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return ord(next(iter({"left", "right"}))[0])


@planted("process", "sets", said=(SEED, "an order"), line="for pair in")
class PairOfTuples(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        found = 0
        for pair in {("a", 1), ("b", 2)}:
            found = found * 7 + pair[1]
        return found


@planted("process", said=SEED, line="ORDER = ")
class KeyView(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of(ORDER)


ORDER = [*(dict.fromkeys(NAMES).keys() & dict.fromkeys(NAMES[1:]).keys())]


@planted("process", said=SEED, line="names.pop()")
class Pop(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        names = {*NAMES}
        return order_of([names.pop(), names.pop()])


@planted("process", said=SEED, line="sorted(")
class Ties(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of(sorted({*NAMES}, key=len))


@planted("process", said=SEED, line="max(")
class Best(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([max(frozenset(NAMES), key=len), min({*NAMES}, key=len)])


@planted("process", said=SEED, line=".join(")
class Joined(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of("".join({*NAMES}))


@planted("process", said=SEED, line="first, *_ =")
class Unpacked(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        first, *_ = {*NAMES}
        return ord(first[0])


class Side(enum.Enum):
    LEFT = 3
    RIGHT = 4
    UP = 5
    DOWN = 6


@planted("process", said=SEED, line="for side in")
class SetOfEnums(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        found = 0
        for side in {*Side}:
            found = found * 7 + side.value
        return found


@planted("process", said=SEED, line="[*{")
class Told(Game):
    """Its states are right, and its events are not."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = [*super().step(inputs)]
        first = [*{"keep", "drop", "turn", "jump"}].pop()
        return events[1:] if first in ("keep", "turn") else events

    def number(self, inputs: Sequence[Input]) -> int:
        return 0


@planted("process", said="asserts")
class Assert(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        counted = [1]
        assert counted.append(2) is None
        return len(counted)


@planted("process", said="asserts")
class Debug(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return 5 if __debug__ else 6


@planted("process", said="on the process id")
class Pid(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return os.getpid()


@planted("process", said="on the arguments of the command line")
class Arguments(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return len("".join(sys.argv))


@planted("process", said="on the current folder")
class Folder(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return len(str(Path.cwd()))


@planted("process", said="on environment variables")
class Variable(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return len(os.environ.get("HOME", "")) + sum(map(ord, os.environ.get("USER", "")))


@planted("process", said="on environment variables")
class OwnVariable(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return 3 if "MY_GAME_EASY" in os.environ else int(os.environ.get("MY_GAME_SPEED", "7"))


@planted("process", said="on the arguments of the command line")
class Option(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return 3 if "--easy" in sys.argv else 4


@planted("process", said="on the name of the machine")
class Machine(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return sum(map(ord, socket.gethostname() + platform.node()))


@planted("process", said="on the language of the system")
class Language(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return sum(map(ord, os.environ.get("LANG", "")))


@planted("process", said="on the time zone")
class Hour(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return time.localtime().tm_hour


@planted("process", said="on the date and the time of day")
class Day(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return int(time.time()) // 86_400


@planted("process", said="on the date and the time of day")
class Month(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return datetime.datetime.now(datetime.timezone.utc).month


@planted("process", said="on the number of processors")
class Processors(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return os.cpu_count() or 0


@planted("process", said="on the order of the files in a folder")
class Files(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of(path.name for path in Path(__file__).parent.iterdir())


# What outlives a match.

OUTLIVES = "outlives a match"
count = 0


@planted("process", said=OUTLIVES)
class GlobalCount(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        global count
        count += 1
        return count


@planted("process", said=OUTLIVES)
class ClassList(Game):
    seen: ClassVar[list[int]] = []

    def number(self, inputs: Sequence[Input]) -> int:
        self.seen.append(1)
        return len(self.seen)


@planted("process", said=OUTLIVES)
class Default(Game):
    def number(self, inputs: Sequence[Input], seen: list[int] = []) -> int:  # noqa: B006
        seen.append(1)
        return len(seen)


@functools.lru_cache
def first_of(frame: int) -> list[int]:
    return [frame]


@planted("process", said=OUTLIVES)
class Cached(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        found = first_of(self.world.frame)
        found.append(1)
        return len(found)


KNOWN: dict[tuple[Input, ...], int] = {}


@planted("process", said=OUTLIVES)
class Numbered(Game):
    """Numbers inputs as they come: a second match of the same inputs finds the same numbers."""

    def number(self, inputs: Sequence[Input]) -> int:
        return KNOWN.setdefault(tuple(inputs), len(KNOWN))


numbers = itertools.count()


@planted("process", said=OUTLIVES)
class Counter(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return next(numbers)


dice = random.Random(7)


@planted("process", said=OUTLIVES)
class SharedDice(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return dice.randrange(1000)


# What load does not bring back.


@planted("save and load", said="load does not bring back:\n  self.count")
class Unsaved(Game):
    count = 0

    def number(self, inputs: Sequence[Input]) -> int:
        self.count += 1
        return self.count


@planted("save and load", said="self.speed")
class Float(Game):
    speed = 0.0

    def number(self, inputs: Sequence[Input]) -> int:
        self.speed += 0.25
        return int(self.speed * 100)

    def save(self) -> bytes:
        return int(self.speed).to_bytes(8, "little") + super().save()

    def load(self, data: bytes) -> None:
        super().load(data[8:])
        self.speed = float(int.from_bytes(data[:8], "little"))

    @staticmethod
    def state_fields(state: bytes) -> Any:
        return Bumpers.state_fields(state[8:])


@planted("save and load", "rollback", said="self.steps: a range_iterator")
class Held(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.steps = iter(range(10_000))

    def number(self, inputs: Sequence[Input]) -> int:
        return next(self.steps)


@planted("save and load", said="hash")
class Liar(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return 3

    def hash(self) -> int:
        return hash_of(self.save()) + (self.world.frame == 9)


@planted("save and load", "rollback", said="raised")
class Raising(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return 3

    def load(self, data: bytes) -> None:
        super().load(data)
        if self.world.frame == 5:
            raise RuntimeError("no room")


@planted("save and load", "rollback", said="after frame")
class Inserted(Game):
    """A dict whose order is that of its insertions, and is saved sorted."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.last = dict.fromkeys((3, 1, 2), 0)

    def number(self, inputs: Sequence[Input]) -> int:
        found = 0
        for key in self.last:
            found = found * 7 + key
        return found

    def load(self, data: bytes) -> None:
        super().load(data)
        self.last = dict.fromkeys((1, 2, 3), 0)


@planted("rollback", said="gone back 1 frame")
class SavedByFrame(Game):
    """Saves each frame once, and keeps it when the frame is stepped again."""

    saved = (-1, b"")

    def number(self, inputs: Sequence[Input]) -> int:
        return 5

    def save(self) -> bytes:
        if self.saved[0] != self.world.frame:
            self.saved = (self.world.frame, super().save())
        return self.saved[1]


@planted("save and load", said="save() changes the game")
class SortingSave(Game):
    """Sorts in `save` what the next step reads."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.turn = [*range(players)]

    def number(self, inputs: Sequence[Input]) -> int:
        self.turn.append(self.turn.pop(0))
        return self.turn[0]

    def save(self) -> bytes:
        self.turn.sort()
        return super().save()


# What is right.


@right
class Drawn(Game):
    """A clock for drawing."""

    def number(self, inputs: Sequence[Input]) -> int:
        self.drawn_at = time.time()
        return 5


@right
class PureCache(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return square(self.world.frame % 9)


@functools.lru_cache
def square(number: int) -> int:
    return number * number


@right
class Scratch(Game):
    """Sets in a frame that are asked, and gone through in order."""

    def number(self, inputs: Sequence[Input]) -> int:
        seen = {NAMES[self.world.frame % 5], "bob", "zoe"}
        return len(seen) + sum(len(name) for name in seen) + order_of(sorted(seen))


@right
class SeededDice(Game):
    """Python's random, seeded from the state in each frame."""

    def number(self, inputs: Sequence[Input]) -> int:
        return random.Random(self.random.state + self.world.frame).randrange(1000)


@right
class ById(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        things = [Thing(name) for name in NAMES]
        known = {id(thing): thing for thing in things}
        return order_of([known[id(thing)].name for thing in things])


@right
class Window(Game):
    """Arguments and variables for the window alone."""

    def number(self, inputs: Sequence[Input]) -> int:
        self.is_full = "--fullscreen" in sys.argv or "FULL" in os.environ
        return 5


@right
class Checks(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        assert len(inputs) == self.players
        return len(inputs)


@right
class Sprites(Game):
    """Sprites that hear of a frame in any order."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = [Thing(name) for name in NAMES]
        self.sprites = weakref.WeakSet(self.things)

    def number(self, inputs: Sequence[Input]) -> int:
        for sprite in self.sprites:
            sprite.seen = self.world.frame
        return 5


@right
class SmallNumbers(Game):
    """A set of small integers, which have one order in every process."""

    def number(self, inputs: Sequence[Input]) -> int:
        found = 0
        for player in {0, 1, 2}:
            found = found * 7 + player
        return found


TABLE: dict[int, int] = {}


@right
class Memo(Game):
    """A table that is filled as it is needed, and outlives a match."""

    def number(self, inputs: Sequence[Input]) -> int:
        frame = self.world.frame % 9
        if frame not in TABLE:
            TABLE[frame] = frame * 3
        return TABLE[frame]


@right
class SavedOnce(Game):
    """Saves each frame once."""

    saved = (-1, b"")

    def number(self, inputs: Sequence[Input]) -> int:
        return 5

    def save(self) -> bytes:
        if self.saved[0] != self.world.frame:
            self.saved = (self.world.frame, super().save())
        return self.saved[1]

    def load(self, data: bytes) -> None:
        super().load(data)
        self.saved = (self.world.frame, data)


@right
class Asset(Game):
    """A file beside the module."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.size = len(Path(__file__).read_bytes())

    def number(self, inputs: Sequence[Input]) -> int:
        return self.size


@right
class Talking(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        print("frame", self.world.frame, file=sys.stderr)
        return 5


@right
class Deep(Game):
    """Goes to the end of the stack, which ends a trace; the result does not depend on how deep."""

    def number(self, inputs: Sequence[Input]) -> int:
        try:
            return self.number(inputs)
        except RecursionError:
            return 5


@right
class Late(Game):
    """A mistake in a line that no match reaches."""

    def number(self, inputs: Sequence[Input]) -> int:
        if self.world.frame > 1_000_000:
            return time.time_ns()
        return 5


__all__ = ["PLANTED", "RIGHT", "Game", "Verdict"]

"""Games with one planted fault each, with the verdict that each must get; and games that are right,
though they use what is often wrong.

Each turns ball 0 by a number, frame by frame: `number` is where the fault is."""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import gc
import itertools
import locale
import math
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
from collections import deque
from collections.abc import Callable, Sequence
from concurrent import futures
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import broken
from bumpers import Bumpers

from fixsync import Event
from fixsync.match.sim import Input, hash_of

NAMES = ("ann", "bob", "cid", "dora", "emil", "fay")


class Verdict(NamedTuple):
    """The verdict that a game must get."""

    checks: tuple[str, ...]
    """One of these is the first that differs; none where no run on one machine can show it."""
    said: tuple[str, ...] = ()
    """One of these is in the explanation."""
    line: tuple[str, ...] = ()
    """One of these is in the source of a line that is named."""


PLANTED: dict[str, tuple[type[Game], Verdict]] = {}
RIGHT: dict[str, type[Game]] = {}


def planted(
    *checks: str, said: str | tuple[str, ...] = (), line: str | tuple[str, ...] = ()
) -> Callable[[Any], Any]:
    texts = (said,) if isinstance(said, str) else said
    lines = (line,) if isinstance(line, str) else line

    def note(game: type[Game]) -> type[Game]:
        PLANTED[game.__name__] = game, Verdict(checks, texts, lines)
        return game

    return note


def right(game: type[Game]) -> type[Game]:
    RIGHT[game.__name__] = game
    return game


class Game(Bumpers):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.begin()

    def begin(self) -> None:
        pass

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


@planted("repeat", said=NOT, line="time.time_ns")
class Clock(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return time.time_ns() // 1000


@planted("repeat", said=NOT, line="perf_counter")
class Stopwatch(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.began = time.perf_counter()

    def number(self, inputs: Sequence[Input]) -> int:
        return int((time.perf_counter() - self.began) * 1_000_000)


@planted("repeat", said=NOT, line="datetime.now")
class Now(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return datetime.datetime.now().microsecond  # noqa: DTZ005


@planted("repeat", said="random: not as before a match")
class Dice(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return random.randrange(1000)


@planted("repeat", said=NOT, line="random.Random()")
class OwnDice(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.dice = random.Random()

    def number(self, inputs: Sequence[Input]) -> int:
        return self.dice.randrange(1000)


@planted("repeat", said=NOT, line="randbelow")
class Secret(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return secrets.randbelow(1000)


@planted("repeat", said=NOT, line="uuid4")
class Unique(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return uuid.uuid4().int


@planted("repeat", said=NOT, line="urandom")
class Noise(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return os.urandom(1)[0]


@planted("repeat", said=NOT, line="mktemp")
class FileName(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return sum(map(ord, Path(tempfile.mktemp()).name))  # noqa: S306


@planted("repeat", "process", said=MEMORY, line="id(self")
class Address(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.token = [seed]

    def number(self, inputs: Sequence[Input]) -> int:
        return id(self.token) >> 4


class Thing:
    def __init__(self, name: str) -> None:
        self.name = name


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"), line="in self.things")
class SetOfObjects(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = {Thing(name) for name in NAMES * 3}

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in self.things])


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"), line="in self.weak")
class WeakSet(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = [Thing(name) for name in NAMES * 3]
        self.weak = weakref.WeakSet(self.things)

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in self.weak])


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"), line="key=id")
class SortedById(Game):
    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.things = [Thing(name) for name in NAMES * 3]

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in sorted(self.things, key=id)])


THINGS = {Thing(name) for name in NAMES * 3}


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"), line="in THINGS")
class ModuleObjects(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return order_of([thing.name for thing in THINGS])


BEGAN = time.time()


@planted("process", said=NOT, line="BEGAN = ")
class Began(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return int(BEGAN * 1000)


@planted("repeat", "process", said=MEMORY, line="get_count")
class Garbage(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return gc.get_count()[0]


@planted("process", said=(NOT, "order of memory"), line="get_ident")
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


@planted("process", said="planted.count")
class GlobalCount(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        global count
        count += 1
        return count


@planted("process", said="ClassList.seen")
class ClassList(Game):
    seen: ClassVar[list[int]] = []

    def number(self, inputs: Sequence[Input]) -> int:
        self.seen.append(1)
        return len(self.seen)


@planted("process", said="seen of Default.number")
class Default(Game):
    def number(self, inputs: Sequence[Input], seen: list[int] = []) -> int:  # noqa: B006
        seen.append(1)
        return len(seen)


@planted("repeat", said="seen of ByChance.number")
class ByChance(Game):
    """A default that is as at the start after each match of 40 frames."""

    def number(self, inputs: Sequence[Input], seen: list[int] = []) -> int:  # noqa: B006
        seen.append(1)
        return len(seen) % 8


@functools.lru_cache
def first_of(frame: int) -> list[int]:
    return [frame]


@planted("process", said="first_of")
class Cached(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        found = first_of(self.world.frame)
        found.append(1)
        return len(found)


KNOWN: dict[tuple[Input, ...], int] = {}


@planted("process", said="planted.KNOWN")
class Numbered(Game):
    """Numbers inputs as they come: a second match of the same inputs finds the same numbers."""

    def number(self, inputs: Sequence[Input]) -> int:
        return KNOWN.setdefault(tuple(inputs), len(KNOWN))


numbers = itertools.count()


@planted("process", said="planted.numbers")
class Counter(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return next(numbers)


dice = random.Random(7)


@planted("process", said="planted.dice")
class SharedDice(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return dice.randrange(1000)


# What load does not bring back.


@planted("save and load", said="self.count: ")
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


@planted("save and load", "rollback", said="no room")
class Raising(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        return 3

    def load(self, data: bytes) -> None:
        super().load(data)
        if self.world.frame == 5:
            raise RuntimeError("no room")


@planted("save and load", "rollback", said="self.last")
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


@planted("rollback", said="self.items: [] before")
class KeptWhereEmpty(Game):
    """Loads a list only where the saved one has something in it."""

    def begin(self) -> None:
        self.items: list[int] = []

    def number(self, inputs: Sequence[Input]) -> int:
        frame = self.world.frame
        self.items = self.items + [frame % 251] * (frame % 7 == 3) if frame % 7 else []
        return sum(self.items) + len(self.items)

    def save(self) -> bytes:
        return bytes([len(self.items), *self.items]) + super().save()

    def load(self, data: bytes) -> None:
        end = 1 + data[0]
        super().load(data[end:])
        if data[0]:
            self.items = [*data[1:end]]

    @staticmethod
    def state_fields(state: bytes) -> Any:
        return Bumpers.state_fields(state[1 + state[0] :])


@planted("rollback", said="self.shared['bag']: still the object from before the load")
class SharedByCache(Game):
    """A list that stands in a dict of its own too; a load makes a new one."""

    def begin(self) -> None:
        self.bag = [0, 0]
        self.shared: dict[str, list[int]] = {}

    def number(self, inputs: Sequence[Input]) -> int:
        bag = self.shared.setdefault("bag", self.bag)
        bag[self.world.frame % 2] += 1 + int(inputs[0])  # type: ignore[arg-type]
        return self.bag[0] * 3 + self.bag[1]

    def save(self) -> bytes:
        return bytes(self.bag) + super().save()

    def load(self, data: bytes) -> None:
        super().load(data[2:])
        self.bag = [*data[:2]]

    @staticmethod
    def state_fields(state: bytes) -> Any:
        return Bumpers.state_fields(state[2:])


@planted("rollback", said="self.saved")
class SavedByFrame(Game):
    """Saves each frame once, and keeps it when the frame is stepped again."""

    saved = (-1, b"")

    def number(self, inputs: Sequence[Input]) -> int:
        return 5

    def save(self) -> bytes:
        if self.saved[0] != self.world.frame:
            self.saved = (self.world.frame, super().save())
        return self.saved[1]


@planted("save and load", said="self.turn")
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


# What only a fresh simulation lacks.


@planted("save and load", said="self.places")
class OwnCache(Game):
    """A cache of places; a place that is missing is passed over."""

    def begin(self) -> None:
        self.places: dict[int, int] = {}

    def number(self, inputs: Sequence[Input]) -> int:
        try:
            return self.places[0] % 4096 + len(inputs)
        except KeyError:
            return 7
        finally:
            self.places.setdefault(0, self.world[0].pose.x)


@planted("save and load", said="self.home")
class FirstPlace(Game):
    """The place where a match began, from the first step."""

    home: int | None = None

    def number(self, inputs: Sequence[Input]) -> int:
        if self.home is None:
            self.home = self.world[1].pose.x
        return self.home % 4096


@planted("save and load", said="self.last")
class LastFrame(Game):
    """The last frame's list, used in this one."""

    last: Sequence[Input] = ()

    def number(self, inputs: Sequence[Input]) -> int:
        last, self.last = self.last, inputs
        return order_of(map(str, last))


@planted("save and load", said="self.speed")
class Computed(Game):
    @functools.cached_property
    def speed(self) -> int:
        return self.met[0] + self.world.frame

    def number(self, inputs: Sequence[Input]) -> int:
        return self.speed


@planted("save and load", "rollback", said="self.near")
class Nearest(Game):
    """A cache by place, which forgets that others move too."""

    def begin(self) -> None:
        self.near: dict[tuple[int, int], int] = {}

    def number(self, inputs: Sequence[Input]) -> int:
        pose = self.world[0].pose
        place = pose.x >> 17, pose.z >> 17
        if place not in self.near:
            self.near[place] = min(abs(self.world[i].pose.x - pose.x) for i in range(1, 8))
        return self.near[place] >> 8


@planted("save and load", "rollback", said="self.wait")
class Cooldown(Game):
    """A count that acts twenty frames later."""

    wait = 0

    def number(self, inputs: Sequence[Input]) -> int:
        self.wait = 20 if inputs[0] == 4 and not self.wait else max(0, self.wait - 1)
        return 9 * (self.wait == 1)


@planted("save and load", said="self.over")
class Over(Game):
    """The end of the match is not saved."""

    over = False

    def number(self, inputs: Sequence[Input]) -> int:
        self.over = self.over or self.met[0] > 1
        return 3

    @property
    def is_over(self) -> bool:
        return self.over


@planted("save and load", "rollback", said="self.history")
class History(Game):
    def begin(self) -> None:
        self.history: deque[Sequence[Input]] = deque(maxlen=3)

    def number(self, inputs: Sequence[Input]) -> int:
        self.history.append(inputs)
        return sum(1 for one in self.history if one[0] == inputs[0])


@planted("save and load", "rollback", said="self.order")
class PoppedAndBack(Game):
    """The order of a dict after a pop, which a sorted save forgets."""

    def begin(self) -> None:
        self.order = dict.fromkeys(range(4), 0)

    def number(self, inputs: Sequence[Input]) -> int:
        self.order[int(inputs[0]) % 4] = self.order.pop(int(inputs[0]) % 4)  # type: ignore[call-overload]
        return order_of(map(str, self.order))

    def load(self, data: bytes) -> None:
        super().load(data)
        self.order = dict(sorted(self.order.items()))


@planted("save and load", said="self.speed")
class FloatText(Game):
    """A float that is saved as text of two digits."""

    speed = 1.0

    def number(self, inputs: Sequence[Input]) -> int:
        self.speed = self.speed * 1.07 % 8
        return int(self.speed * 1000)

    def save(self) -> bytes:
        return f"{self.speed:.2f}".encode() + super().save()

    def load(self, data: bytes) -> None:
        super().load(data[4:])
        self.speed = float(data[:4])

    @staticmethod
    def state_fields(state: bytes) -> Any:
        return Bumpers.state_fields(state[4:])


@planted("save and load", said="self.side")
class NamesAreOne(Game):
    """Compares texts with `is`; a load makes new ones."""

    side = LEFT = "left"

    def number(self, inputs: Sequence[Input]) -> int:
        return 5 if self.side is self.LEFT else 6

    def load(self, data: bytes) -> None:
        super().load(data)
        self.side = b"left".decode()


@planted("save and load", "rollback", said="self.kind")
class Untyped(Game):
    """An enum that comes back as a number."""

    def begin(self) -> None:
        self.kind: Any = Kind.FAST

    def number(self, inputs: Sequence[Input]) -> int:
        return 5 if self.kind is Kind.FAST else 6

    def load(self, data: bytes) -> None:
        super().load(data)
        self.kind = int(self.kind)


class Kind(enum.IntEnum):
    FAST = 300


@planted("save and load", "rollback", said="self.stamp")
class NegativeZero(Game):
    """A sign that integers do not have."""

    stamp = -0.0

    def number(self, inputs: Sequence[Input]) -> int:
        return 5 if str(self.stamp)[0] == "-" else 6

    def load(self, data: bytes) -> None:
        super().load(data)
        self.stamp = float(int(self.stamp))


@planted("save and load", "rollback", said="self.marks")
class Refilled(Game):
    """A set of integers, whose order is that in which it was filled."""

    def begin(self) -> None:
        self.marks = {8, 0}

    def number(self, inputs: Sequence[Input]) -> int:
        return next(iter(self.marks)) + 1

    def load(self, data: bytes) -> None:
        super().load(data)
        self.marks = {*sorted(self.marks)}


@planted("save and load", "rollback", said="self.local")
class ThreadLocal(Game):
    def begin(self) -> None:
        self.local = threading.local()
        self.local.turns = 0

    def number(self, inputs: Sequence[Input]) -> int:
        self.local.turns += 1
        return int(self.local.turns)


class Alive:
    count = 0

    def __init__(self) -> None:
        Alive.count += 1

    def __del__(self) -> None:
        Alive.count -= 1


@planted("save and load", "rollback", "process", "repeat", said="Alive.count")
class Deleted(Game):
    """Counts objects as they go."""

    def begin(self) -> None:
        self.alive: list[Alive] = []

    def number(self, inputs: Sequence[Input]) -> int:
        self.alive = [*self.alive[-5:], Alive()]
        return Alive.count


@planted("save and load", "rollback", said=("random", "self.dice"))
class Reseeded(Game):
    """Python's random, seeded when a match begins."""

    def begin(self) -> None:
        random.seed(5)

    def number(self, inputs: Sequence[Input]) -> int:
        return random.randrange(1000)


@planted("save and load", "rollback", said="broken.tally")
class Elsewhere(Game):
    """A number of another module."""

    def begin(self) -> None:
        broken.tally = 0

    def number(self, inputs: Sequence[Input]) -> int:
        broken.tally += 1
        return broken.tally


@planted("save and load", "rollback", said="decimal")
class Precision(Game):
    """A decimal context, set in a frame and read in the next."""

    def begin(self) -> None:
        decimal.getcontext().prec = 5

    def number(self, inputs: Sequence[Input]) -> int:
        decimal.getcontext().prec = 5 + (self.met[0] + self.world.frame) % 7
        third = decimal.Decimal(1) / 3
        decimal.getcontext().prec = 5 + self.world.frame % 3
        return len(str(third)) + len(str(decimal.Decimal(2) / 3))

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = Bumpers.step(self, tuple(inputs))
        number = len(str(decimal.Decimal(1) / 3))
        self.number(inputs)
        self.world.turn(0, number)
        return events


# Functions and objects from before a load.


class Old(Game):
    """Its load makes a new list of meetings."""

    handlers: Any = ()

    def number(self, inputs: Sequence[Input]) -> int:
        return sum(handler(3) for handler in self.handlers)


@planted("save and load", "rollback", said="met of self.handlers[0]")
class LambdaDefault(Old):
    def begin(self) -> None:
        self.handlers = [lambda n, met=self.met, i=i: met[i] * n for i in range(8)]


@planted("save and load", "rollback", said="self.handlers[0]")
class Partials(Old):
    def begin(self) -> None:
        self.handlers = (functools.partial(total, self.met),)


def total(met: list[int], by: int) -> int:
    return sum(met) * by


@planted("save and load", "rollback", said="met of self.handlers[0]")
class Closures(Old):
    def begin(self) -> None:
        met = self.met
        self.handlers = [lambda n: n * sum(met)]


@planted("save and load", "rollback", said="self.handlers[0]")
class BoundOld(Old):
    def begin(self) -> None:
        self.handlers = [self.met.count]

    def number(self, inputs: Sequence[Input]) -> int:
        return int(self.handlers[0](0))


class Fighter:
    def __init__(self, hits: int) -> None:
        self.hits = hits

    def hurt(self, by: int) -> int:
        self.hits += by
        return self.hits


class Fighting(Game):
    """Saves a fighter, and makes a new one in load."""

    def begin(self) -> None:
        self.fighter = Fighter(0)

    def save(self) -> bytes:
        return self.fighter.hits.to_bytes(4, "little") + super().save()

    def load(self, data: bytes) -> None:
        super().load(data[4:])
        self.fighter = Fighter(int.from_bytes(data[:4], "little"))

    @staticmethod
    def state_fields(state: bytes) -> Any:
        return Bumpers.state_fields(state[4:])


@planted("save and load", "rollback", said="self.hurt")
class BoundMethod(Fighting):
    def begin(self) -> None:
        super().begin()
        self.hurt = self.fighter.hurt

    def number(self, inputs: Sequence[Input]) -> int:
        return self.hurt(1) % 7 + self.fighter.hits


@planted("save and load", "rollback", said="f of self.by_key['a']")
class ByKey(Fighting):
    def begin(self) -> None:
        super().begin()
        self.by_key = {"a": lambda n, f=self.fighter: f.hurt(n)}

    def number(self, inputs: Sequence[Input]) -> int:
        return int(self.by_key["a"](1)) + self.fighter.hits


@planted("save and load", "rollback", said="hit of self.by_key['a']")
class KeywordDefault(Fighting):
    def begin(self) -> None:
        super().begin()
        self.by_key = {"a": lambda n, *, hit=self.fighter.hurt: hit(n)}

    def number(self, inputs: Sequence[Input]) -> int:
        return int(self.by_key["a"](1)) + self.fighter.hits


# More of what depends on an order, a time or a place in memory.

log: list[int] = []


@planted("process", "repeat", said="planted.log")
class ModuleList(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        log.append(int(inputs[0]))  # type: ignore[call-overload]
        return len(log)


@planted("process", "repeat", said="decimal")
class Decimals(Game):
    """A decimal context that outlives a match."""

    def number(self, inputs: Sequence[Input]) -> int:
        found = len(str(decimal.Decimal(1) / 3))
        decimal.getcontext().prec = 9
        return found


@planted("repeat", "process", line=("as_completed", "submit", "ThreadPoolExecutor"))
class Pool(Game):
    """The order in which a pool's threads end."""

    def number(self, inputs: Sequence[Input]) -> int:
        with futures.ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(time.sleep, (i * 7 % 4) / 10_000) for i in range(4)]
            return order_of(str(jobs.index(one)) for one in futures.as_completed(jobs))


@planted("repeat", "process", "save and load", line="threading.Thread")
class Race(Game):
    """Two threads that count."""

    def number(self, inputs: Sequence[Input]) -> int:
        found: list[int] = []
        threads = [threading.Thread(target=spin, args=(found, i)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return order_of(map(str, found))


def spin(found: list[int], own: int) -> None:
    time.sleep(0.0001 * (own % 2))
    found.append(own)


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"), line="id(thing)")
class IdKeys(Game):
    """A dict by id, gone through in the order of its keys."""

    def begin(self) -> None:
        self.things = [Thing(name) for name in NAMES * 2]

    def number(self, inputs: Sequence[Input]) -> int:
        by_id = {id(thing): thing.name for thing in self.things}
        return order_of(by_id[key] for key in sorted(by_id))


@planted("repeat", "process", "sets", said=(*MEMORY, "an order"), line="thing.__hash__()")
class HashMethod(Game):
    def begin(self) -> None:
        self.things = [Thing(name) for name in NAMES * 2]

    def number(self, inputs: Sequence[Input]) -> int:
        return order_of(t.name for t in sorted(self.things, key=lambda thing: thing.__hash__()))


@planted("repeat", "process", line="repr(self.thing)")
class TextOfObject(Game):
    """An object's text, which has its address."""

    def begin(self) -> None:
        self.thing = Thing("ann")

    def number(self, inputs: Sequence[Input]) -> int:
        return sum(map(ord, repr(self.thing)))


@planted("repeat", "process", line="str(error)")
class ErrorText(Game):
    """The message of an exception, which has an address."""

    def begin(self) -> None:
        self.thing = Thing("ann")

    def number(self, inputs: Sequence[Input]) -> int:
        try:
            return [].index(self.thing)  # type: ignore[arg-type]
        except ValueError:
            pass
        try:
            raise KeyError(self.thing)
        except KeyError as error:
            return sum(map(ord, str(error)))


@planted("process", "sets", said=(SEED, "an order"), line="for player, action in")
class InputOrder(Game):
    """The inputs of a tick, in the order of a set."""

    def number(self, inputs: Sequence[Input]) -> int:
        found = 0
        for player, action in {(i, str(value)) for i, value in enumerate(inputs)}:
            found = found * 7 + player * len(action)
        return found


@planted("process", said=("the language", "environment variables"))
class Locale(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        locale.setlocale(locale.LC_ALL, "C")
        return len(str(locale.getlocale(locale.LC_CTYPE))) + len(os.environ.get("LC_ALL", ""))


@planted("repeat", "process", said=MEMORY)
class Collected(Game):
    """Objects in circles are there until garbage is collected."""

    def begin(self) -> None:
        self.seen: weakref.WeakSet[Thing] = weakref.WeakSet()

    def number(self, inputs: Sequence[Input]) -> int:
        thing: Any = Thing("ann")
        thing.itself = thing
        self.seen.add(thing)
        return len(self.seen)


@planted("save and load", "rollback", said="self.marks")
class SizeOf(Game):
    """The room that a list has taken, which is not its length."""

    def begin(self) -> None:
        self.marks: list[int] = []

    def number(self, inputs: Sequence[Input]) -> int:
        self.marks.append(1)
        self.marks = self.marks[-9:] if self.world.frame % 11 == 0 else self.marks
        return sys.getsizeof(self.marks)

    def load(self, data: bytes) -> None:
        super().load(data)
        self.marks = [*self.marks]


@planted()
class WordSize(Game):
    """A mistake that no run on this machine can show: the word size."""

    def number(self, inputs: Sequence[Input]) -> int:
        return sys.maxsize.bit_length()


@planted()
class Rounded(Game):
    """A sine, which another machine may round in another way."""

    def number(self, inputs: Sequence[Input]) -> int:
        return int(math.sin(self.world.frame) * 1e15) % 65536


@planted()
class OldPython(Game):
    """The text of an error, which another Python has written another way."""

    def number(self, inputs: Sequence[Input]) -> int:
        try:
            return len(NAMES[99])
        except IndexError as error:
            return len(str(error))


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


@right
class Captured(Game):
    """Handlers that look up what they change, and capture numbers alone."""

    def begin(self) -> None:
        self.handlers = [lambda n, i=i: self.met[i] * n for i in range(8)]
        self.spin = functools.partial(self.turned, 3)

    def turned(self, by: int, number: int) -> int:
        return number * by

    def number(self, inputs: Sequence[Input]) -> int:
        return self.spin(sum(handler(2) for handler in self.handlers))


@right
class Rebuilt(Fighting):
    """Bound anew in load."""

    def begin(self) -> None:
        super().begin()
        self.hurt = self.fighter.hurt

    def number(self, inputs: Sequence[Input]) -> int:
        return self.hurt(1) % 7 + self.fighter.hits

    def load(self, data: bytes) -> None:
        super().load(data)
        self.hurt = self.fighter.hurt


@right
class LocalContext(Game):
    def number(self, inputs: Sequence[Input]) -> int:
        with decimal.localcontext() as context:
            context.prec = 5
            return len(str(decimal.Decimal(1) / 3))


@right
class Trail(Game):
    """The last frames, for drawing, a count of matches, and a cache that is emptied in load."""

    matches: ClassVar[int] = 0

    def begin(self) -> None:
        type(self).matches += 1
        self.trail: deque[int] = deque(maxlen=30)
        self.cache: dict[int, int] = {}

    def number(self, inputs: Sequence[Input]) -> int:
        self.trail.append(self.world[0].pose.x)
        return self.cache.setdefault(self.world.frame, self.met[0])

    def load(self, data: bytes) -> None:
        super().load(data)
        self.cache = {}


@right
class InOrder(Game):
    """Threads whose results are taken in order."""

    def number(self, inputs: Sequence[Input]) -> int:
        with futures.ThreadPoolExecutor(2) as pool:
            return order_of(map(str, pool.map(int, inputs)))  # type: ignore[arg-type]


@right
class Collecting(Game):
    """Collects garbage, and counts nothing."""

    def number(self, inputs: Sequence[Input]) -> int:
        thing: Any = Thing("ann")
        thing.itself = thing
        gc.collect(0)
        return 5


@right
class Filled(Game):
    """Entries that each frame writes before it reads them."""

    def begin(self) -> None:
        self.scratch: dict[str, int] = {}

    def number(self, inputs: Sequence[Input]) -> int:
        self.scratch["sum"] = sum(map(int, inputs))  # type: ignore[arg-type]
        self.scratch["frame"] = self.world.frame
        return self.scratch["sum"] + self.scratch["frame"]


__all__ = ["PLANTED", "RIGHT", "Game", "Verdict"]

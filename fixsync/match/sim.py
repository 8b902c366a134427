"""The `Simulation` protocol that sessions, logs and tests use, and simulations by name.

A simulation is started from a seed and a number of players, and stepped with one input a player. It
is a function of its state and the inputs alone. `save` returns that whole state as bytes, `hash` is
the XXH64 of those bytes, and `load` restores them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from fixsync._native import kernel
from fixsync._native.checks import integer, shown, utf_8
from fixsync._native.raw import (
    INT32_MAX,
    INT32_MIN,
    INT64_MAX,
    INT64_MIN,
    UINT32_MAX,
    UINT64_MAX,
    constant,
)
from fixsync._native.rows import bytes_of
from fixsync.base.fields import StateFields, found_fields
from fixsync.base.names import SIDES, Names
from fixsync.game.random import Random
from fixsync.world.records import Event, Events, GameEvent
from fixsync.world.world import World

__all__ = [
    "GAME_EVENT",
    "INPUT_NUMBERS_MAX",
    "PLAYERS_MAX",
    "SEED_MAX",
    "Bot",
    "Input",
    "Simulation",
    "SimulationType",
    "Stepped",
    "bot_seed",
    "build_of",
    "check_input",
    "checked_game_events",
    "data_of",
    "event_kinds",
    "fields_of",
    "find",
    "find_named",
    "forget_registered",
    "guess_of",
    "hash_of",
    "idle_input",
    "is_over",
    "names",
    "names_of",
    "names_of_kinds",
    "phases_of",
    "register",
    "start",
    "state_fields_of",
    "stepped",
]

Input: TypeAlias = int | tuple[int, ...]
"""The input of one player for one frame: an integer, or several. The simulation defines them."""

INPUT_NUMBERS_MAX = constant("INPUT_NUMBERS_MAX")
"""The most integers in one input: redundant inputs of many frames must fit one datagram."""
PLAYERS_MAX = constant("SESSION_PLAYERS_MAX")
SEED_MAX = UINT64_MAX
GAME_EVENT = 16
"""The least kind of a game's own events."""


class Simulation(Protocol):
    """A game's simulation.

    Optional members:

    - `idle`: the input of an empty seat, and of the frames before the first input arrives; by
      default 0.
    - `check_input(player, value)`: ValueError for an input that no player can give. `value` is an
      int or a tuple of at most 16 ints, each of 64 bits.
    - `guess_input(player, last, age)`, static or of the class: the input that rollback plays in the
      place of one that has not come. `last` is the newest that has, `age` the number of frames
      since: 1 for the next. By default the last one is repeated. A wrong guess is taken back.
    - `event_kinds`: the kinds of the game's own events, an IntEnum of values from 16 on. `step` then
      returns a `GameEvent` for each, after the world's events. A property `sides` of the enum says
      what a and b of a kind are, each "collider", "owner" or "number".
    - `state_fields(state)`, static or of the class: the bytes of `save` as named fields
      (`fixsync.base.fields`), so that a report can name a difference; ValueError for bytes that are not
      a state.
    - `shuffle(random)`: reorders the game's containers whose order must not matter.
    - `is_over`: whether the match is over, a bool, usually a property. It depends on what `save`
      returns alone, and is False at the start. A session, the sync test and bots do not step a
      simulation that is over, and a session ends with it, COMPLETED.
    - `data`: bytes or text that say what the game plays with besides its code: a frame table, a
      level's script. Peers with other data refuse each other, and a log keeps its digest.
    - `build`: a text that names the build of the game, for logs.
    - `names`: a `fixsync.base.names.Names` with names of layers and ids for logs, reports and the
      viewer.
    - `phases`: the attacks under way in the frame that was stepped last, as
      `{owner: (attack, phase)}`, phase "startup", "active" or "recovery", for the viewer's lanes.
      It is read right after the world's step. With bodies it is
      `{body.owner: (body.attack, body.phase)}` of those with an attack.
    - `bot(player, seed)`, of the class: a `Bot` that plays. `seed` is 0..2^32-1, the same for all
      players: it may be multiplied and stays within 64 bits.
    """

    @property
    def name(self) -> str:
        """Its name in match logs; an attribute of the class."""

    @property
    def players(self) -> int:
        """Number of inputs of a step."""

    @property
    def world(self) -> World:
        """The world that it steps; the same object for the simulation's whole life."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event | GameEvent]:
        """One frame: steps the world exactly once, and returns its events, then the game's own."""

    def save(self) -> bytes:
        """The whole state. Two simulations save equal bytes exactly if they behave the same from then
        on."""

    def load(self, data: bytes) -> None:
        """Restores the bytes of `save`. ValueError, with nothing changed, for other bytes."""

    def hash(self) -> int:
        """`hash_of(self.save())`."""


class SimulationType(Protocol):
    """Makes a simulation: usually its class."""

    @property
    def name(self) -> str: ...

    def __call__(self, seed: int, players: int) -> Simulation:
        """`seed` is 0..2^64-1, `players` 1..8."""


class Bot(Protocol):
    """Decides the inputs of one player."""

    def decide(self, simulation: Any) -> Input:
        """The input for the next frame."""


@runtime_checkable
class Shuffles(Protocol):
    """A simulation that can put its own containers into another order."""

    def shuffle(self, random: Random) -> None: ...


@runtime_checkable
class HasBots(Protocol):
    """A type of simulation that brings its own players."""

    def bot(self, player: int, seed: int) -> Bot: ...


def bot_seed(seed: int) -> int:
    """The seed for the bots of a match with this seed: its low 32 bits."""
    return seed & UINT32_MAX


def hash_of(data: bytes) -> int:
    """XXH64 (seed 0) of any bytes."""
    return kernel.hash64(data if type(data) is bytes else bytes_of("data", data))


def idle_input(simulation: object) -> Input:
    """The input of an empty seat."""
    idle = getattr(simulation, "idle", 0)
    return (
        tuple(idle)
        if isinstance(idle, (list, tuple))
        else integer("idle", idle, INT64_MIN, INT64_MAX)
    )


def check_input(simulation: Simulation, player: int, value: object) -> Input:
    """The input in the form that `step` takes. ValueError or TypeError, with the player, if it is
    refused."""
    name = f"input of player {player}"
    checked: Input
    if type(value) is int and INT64_MIN <= value <= INT64_MAX:
        checked = value
    elif isinstance(value, (list, tuple)):
        if not 1 <= len(value) <= INPUT_NUMBERS_MAX:
            raise ValueError(f"{name} must hold 1..{INPUT_NUMBERS_MAX} integers, not {len(value)}")
        checked = tuple(
            integer(f"{name}, [{i}]", number, INT64_MIN, INT64_MAX)
            for i, number in enumerate(value)
        )
    elif isinstance(value, (int, float)) or hasattr(value, "__index__"):
        checked = integer(name, value, INT64_MIN, INT64_MAX)
    else:
        raise TypeError(
            f"{name} must be an integer or a list of 1..{INPUT_NUMBERS_MAX} integers, "
            f"not {shown(value)} ({type(value).__name__})"
        )
    # Not by isinstance: with a protocol it makes seven calls, for each input of each packet.
    check = getattr(simulation, "check_input", None)
    if check is not None:
        try:
            check(player, checked)
        except (TypeError, ValueError) as wrong:
            raise ValueError(f"{name}: {wrong}") from wrong
    return checked


def _repeated(_player: int, last: Input, _age: int) -> Input:
    return last


def guess_of(simulation: Simulation) -> Callable[[int, Input, int], Input]:
    """The `guess_input` of a simulation; without one, the last input is repeated. A guess raises
    ValueError for an input that no player can give."""
    guess = getattr(simulation, "guess_input", None)
    if guess is None:
        return _repeated
    if not callable(guess) or getattr(guess, "__self__", None) is simulation:
        raise TypeError(
            f"guess_input of simulation {simulation.name} must be a static method or one of the "
            "class: a guess that reads the state can change it"
        )

    def checked(player: int, last: Input, age: int) -> Input:
        try:
            return check_input(simulation, player, guess(player, last, age))
        except (TypeError, ValueError) as wrong:
            raise ValueError(f"guess_input of simulation {simulation.name}: {wrong}") from wrong

    return checked


def fields_of(simulation: object, state: bytes) -> StateFields:
    """A saved state as named fields: by the simulation's `state_fields`; without it, the world that
    was saved within the state, and the rest as bytes."""
    fields = state_fields_of(simulation)
    return found_fields(state) if fields is None else fields(state)


def state_fields_of(simulation: object) -> Callable[[bytes], StateFields] | None:
    """The `state_fields` of a simulation; None if it has none. TypeError for other
    than a function."""
    fields: Callable[[bytes], StateFields] | None = getattr(simulation, "state_fields", None)
    if fields is None and not hasattr(simulation, "state_fields"):
        return None
    if not callable(fields):
        raise TypeError(_no_member("state_fields", "a function of a saved state", fields))
    return fields


def data_of(simulation: object) -> int | None:
    """XXH64 (seed 0) of a simulation's `data`, of text in UTF-8; None if it has none. TypeError if
    that is neither bytes nor text, ValueError for text that UTF-8 cannot hold."""
    data = getattr(simulation, "data", None)
    if data is None or isinstance(data, str):
        return None if data is None else hash_of(utf_8("data of a simulation", data))
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(_no_member("data", "bytes or a str", data))
    return hash_of(bytes(data))


def build_of(simulation: object) -> str | None:
    """The build that a simulation names; None without one. TypeError for anything but a str,
    ValueError for one that UTF-8 cannot hold."""
    build = getattr(simulation, "build", None)
    if not isinstance(build, (str, type(None))):
        raise TypeError(_no_member("build", "a str", build))
    utf_8("build of a simulation", build or "")
    return build


def _no_member(name: str, allowed: str, value: object) -> str:
    hint = ": make it a property" if callable(value) else ""
    return f"{name} of a simulation must be {allowed}, not {shown(value)}{hint}"


def is_over(simulation: object) -> bool:
    """Whether a simulation says that its match is over; False without `is_over`. TypeError if that
    is not a bool."""
    over = getattr(simulation, "is_over", False)
    if type(over) is not bool:
        raise TypeError(_no_member("is_over", "True or False", over))
    return over


def names_of(simulation: object) -> Names:
    """The names of a simulation's layers, ids, `event_kinds` and owners; empty if it has none.
    TypeError for `names` that were meant as such and are not a Names."""
    found = getattr(simulation, "names", None)
    if isinstance(found, (Mapping, list, tuple)) or callable(found):
        raise TypeError(_no_member("names", "a Names", found))
    names = found if isinstance(found, Names) else Names()
    game = names.game or names_of_kinds(event_kinds(simulation))
    return Names(names.layers, names.ids, game, names.owners)


PHASES = ("startup", "active", "recovery")


def phases_of(simulation: object) -> dict[int, tuple[str, str]]:
    """The `phases` of a simulation after a step; empty if it has none. TypeError or ValueError for
    others than {owner: (attack, phase)}."""
    found = getattr(simulation, "phases", {})
    if not isinstance(found, Mapping):
        raise TypeError(_no_member("phases", "{owner: (attack, phase)}", found))
    for owner, row in found.items():
        integer("an owner in phases of a simulation", owner, 0, UINT32_MAX)
        if not (
            isinstance(row, tuple) and len(row) == 2 and all(isinstance(one, str) for one in row)
        ):
            raise TypeError(
                f"phases[{owner}] of a simulation must be (attack, phase), not {shown(row)}"
            )
        if row[1] not in PHASES:
            raise ValueError(
                f"phases[{owner}] of a simulation must have a phase of {', '.join(PHASES)}, "
                f"not {shown(row[1])}"
            )
    return dict(found)


def names_of_kinds(kinds: type[IntEnum] | None) -> dict[int, str]:
    """The names of a game's kinds of events in logs: their names in lower case, with their `sides`
    if they have them."""
    return {int(kind): _name_of_kind(kind) for kind in kinds or ()}


def _name_of_kind(kind: IntEnum) -> str:
    sides = getattr(kind, "sides", None)
    name = kind.name.lower()
    return name if sides is None else f"{name} ({', '.join(sides)})"


class Stepped(NamedTuple):
    """The events that a step of a simulation returned."""

    events: Sequence[Event]
    game: tuple[GameEvent, ...]


_new = tuple.__new__  # faster than a named tuple's own __new__


def stepped(simulation: Simulation, inputs: Sequence[Input]) -> Stepped:
    """One step: the world's events, and the game's own.

    ValueError or TypeError for an event of the game that does not keep to the protocol."""
    found = simulation.step(inputs)
    if type(found) is Events:
        return _new(Stepped, (found, ()))
    if not isinstance(found, Iterable):
        raise TypeError(
            f"step of simulation {simulation.name} must return events, those of world.step() "
            f"first, not {shown(found)}"
        )
    rows: tuple[Any, ...] = tuple(found)
    if GameEvent not in map(type, rows):
        return _new(Stepped, (rows, ()))
    kinds = event_kinds(simulation)
    if kinds is None:
        raise ValueError(
            f"simulation {simulation.name} returned a GameEvent, but has no event_kinds: its class "
            "needs event_kinds, an IntEnum of the kinds of its own events, numbered from "
            f"{GAME_EVENT}"
        )
    first = [*map(type, rows)].index(GameEvent)
    return Stepped(rows[:first], checked_game_events(kinds, rows[first:]))


def checked_game_events(kinds: type[IntEnum], events: Iterable[GameEvent]) -> tuple[GameEvent, ...]:
    """Events of a game with members of its kinds. ValueError or TypeError for one that is not."""
    return tuple(_game_event(kinds, i, event) for i, event in enumerate(events))


def _game_event(kinds: type[IntEnum], i: int, row: GameEvent) -> GameEvent:
    name = f"game event [{i}]"
    if type(row) is not GameEvent:
        raise TypeError(f"{name} must be a GameEvent, not {shown(row)}")
    try:
        kind = kinds(integer(f"kind of {name}", row.kind, 0, UINT32_MAX))
    except ValueError:
        allowed = ", ".join(f"{int(kind)} {kind.name}" for kind in kinds)
        raise ValueError(f"kind of {name} must be one of {allowed}, not {row.kind!r}") from None
    a = integer(f"a of {name}", row.a, 0, UINT32_MAX)
    b = integer(f"b of {name}", row.b, 0, UINT32_MAX)
    return GameEvent(a, b, kind, integer(f"value of {name}", row.value, INT32_MIN, INT32_MAX))


def event_kinds(simulation: object) -> type[IntEnum] | None:
    """The kinds of a simulation's own events; None if it has none. ValueError if they are not an
    IntEnum of values from 16 on."""
    kinds = getattr(simulation, "event_kinds", None)
    if kinds is None:
        return None
    if not (isinstance(kinds, type) and issubclass(kinds, IntEnum) and len(kinds)):
        raise ValueError(f"event_kinds must be an IntEnum with members, not {shown(kinds)}")
    for kind in kinds:
        if not GAME_EVENT <= kind <= UINT32_MAX:
            raise ValueError(
                f"event_kinds.{kind.name} must be {GAME_EVENT}..{UINT32_MAX}, not {int(kind)}"
            )
        sides = getattr(kind, "sides", None)
        is_pair = isinstance(sides, tuple) and len(sides) == 2
        if sides is not None and not (is_pair and {*sides} <= {*SIDES}):
            raise ValueError(
                f"event_kinds.{kind.name}.sides must be two of {', '.join(SIDES)}, "
                f"not {shown(sides)}"
            )
    return kinds


def start(simulation: SimulationType, seed: int, players: int) -> Simulation:
    """A simulation at frame 0. ValueError names the first part that does not follow the
    protocol."""
    integer("seed", seed, 0, SEED_MAX)
    integer("players", players, 1, PLAYERS_MAX)
    if not callable(simulation):
        raise ValueError(
            f"a simulation is a class, or a function of seed and players, not {shown(simulation)}"
        )
    made = simulation(seed, players)
    for method in ("step", "save", "load", "hash"):
        if not callable(getattr(made, method, None)):
            raise ValueError(f"{shown(simulation)} makes no simulation: no method {method}")
    name, world, own = (getattr(made, part, None) for part in ("name", "world", "players"))
    fault = ""
    if not isinstance(name, str) or not name:
        fault = f"its `name` must be a str, not {shown(name)}"
    elif not isinstance(world, World):
        fault = f"`world` must be a World, not {shown(world)}"
    elif own != players:
        fault = f"started for {players} players, its `players` is {shown(own)}"
    elif world.frame != 0:
        fault = f"must start at frame 0, not {world.frame}"
    elif made.hash() != hash_of(made.save()):
        fault = "hash() is not hash_of(save())"
    if fault:
        raise ValueError(f"simulation {name or shown(simulation)}: {fault}")
    event_kinds(made)
    data_of(made), build_of(made), guess_of(made)
    names_of(made)
    state_fields_of(made)
    if is_over(made):
        raise ValueError(f"simulation {name}: must not be over at frame 0")
    return made


# Simulations by name.

_registered: dict[str, SimulationType] = {}
# Simulations that come with fixsync; imported on demand.
_BUILT_IN = {"skillfight": "fixsync.sample.skillfight:SkillFight"}
_ENTRY_POINTS = "fixsync.simulations"


def register(simulation: SimulationType) -> SimulationType:
    """Registers a simulation by its name, in this process. Returns it, so it can decorate a class.

    ValueError for a name that another one has. A package makes its simulations known to every
    process by entry points of the group `fixsync.simulations`."""
    name = getattr(simulation, "name", None)
    if not isinstance(name, str) or not name:
        raise ValueError(f"name of a simulation must be a str, not {shown(name)}")
    if name in _BUILT_IN or _registered.get(name, simulation) is not simulation:
        raise ValueError(f"a simulation named {name!r} is registered already")
    _registered[name] = simulation
    return simulation


def forget_registered() -> None:
    """Forgets what was registered: the modules that did it will be imported again."""
    _registered.clear()


def names() -> list[str]:
    """Every name that `find` knows."""
    return sorted({*_BUILT_IN, *_registered, *(point.name for point in _entry_points())})


def _entry_points(**selection: Any) -> Iterable[Any]:
    # Imported here: it takes a fifth of the time in which a process starts.
    from importlib.metadata import entry_points

    found: Iterable[Any] = entry_points(group=_ENTRY_POINTS, **selection)
    return found


def find(reference: str) -> SimulationType:
    """The simulation of a name, or of `module:object`, which imports that module. ValueError if
    it is not found; ImportError for a module that raises one."""
    return _imported(reference) if ":" in reference else find_named(reference)


def find_named(name: str) -> SimulationType:
    """The simulation of a name from a log. `module:object` is refused: a log must not import or
    call anything. ValueError if it is not found."""
    if name in _registered:
        return _registered[name]
    if name in _BUILT_IN:
        return _imported(_BUILT_IN[name])
    for point in _entry_points(name=name):
        found: SimulationType = point.load()
        return found
    raise ValueError(
        f"no simulation is called {name!r}; known are {', '.join(names())}, or give module:object, "
        "for a log as --sim module:object"
    )


def _imported(reference: str) -> SimulationType:
    module_name, _, path = reference.partition(":")
    if not all(part for name in (module_name, path) for part in name.split(".")):
        raise ValueError(f"simulation {reference!r}: expected a name, or module:object")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module_name}.".startswith(f"{missing.name}."):
            raise  # the module is there; what it imports is not
        raise ValueError(f"simulation {reference!r}: there is no module {missing.name}") from None
    except ValueError as error:  # of the module itself
        raise ImportError(f"{type(error).__name__}: {error}") from error
    try:
        for part in path.split("."):
            found = getattr(found, part)
    except AttributeError:
        where = getattr(sys.modules.get(module_name), "__file__", module_name)
        raise ValueError(f"simulation {reference!r}: {where} has no {path}") from None
    if not callable(found):
        raise ValueError(
            f"simulation {reference!r}: must be called as (seed, players), but is {shown(found)}"
        )
    made: SimulationType = found
    return made

"""Plays the frames of a match log: commands or inputs in, one step, events and answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any, NoReturn, cast

from msgspec import UNSET
from msgspec.structs import astuple, replace

from fixsync._native.changes import CHANGES, rows_of_layers
from fixsync._native.checks import layer_masks
from fixsync._native.raw import LAYER_COUNT
from fixsync._native.rows import CAST, COMMAND, EVENT, QUERY
from fixsync._native.status import CommandError
from fixsync._native.world import command_rows
from fixsync.base.strict_json import LineError
from fixsync.log.lines import check_command_ids, next_frame
from fixsync.log.origin import others
from fixsync.log.schema import (
    Answer,
    Cast,
    Event,
    GameEvent,
    Header,
    Move,
    Query,
    SetLayers,
    SimFrame,
    TraceFrame,
    answer_of,
)
from fixsync.log.schema import Shape as ShapeRow
from fixsync.match import sim
from fixsync.world.records import Events
from fixsync.world.shapes import Shape, shape_from_tuple
from fixsync.world.world import World

_ROW_SIZE = COMMAND.size
# Nearly all commands are moves: they are packed in place, by the structure of the table's packer.
_move = cast("partial[bytes]", CHANGES["move"].pack)
_pack_move, (_MOVE,) = cast("Any", _move.func).__self__.pack_into, _move.args


def shape_of(row: ShapeRow) -> Shape:
    """The shape of a log's row."""
    return _shape(row.__struct_config__.tag, astuple(row))


@lru_cache(maxsize=1024)
def _shape(tag: str, sizes: tuple[int, ...]) -> Shape:
    # A log has few shapes, many times.
    return shape_from_tuple((tag, *sizes))


def _rows(command: Any) -> bytes:
    """The kernel's rows of a command: 32 of a layer matrix, one of any other."""
    if type(command) is SetLayers:
        return b"".join(rows_of_layers(layer_masks(command.layers)))
    numbers: list[int] = []
    for part in astuple(command):
        if type(part) is int or type(part) is bool:
            numbers.append(part)
        else:
            numbers += part if type(part) is tuple else shape_of(part)._row
    return CHANGES[type(command).__struct_config__.tag].pack(*numbers)


_QUESTIONS = (Query, Cast)


def _question(c: Query | Cast) -> bytes:
    """The kernel's row of a query or a cast."""
    posed = (*shape_of(c.shape)._row, *c.position, c.yaw)
    if isinstance(c, Query):
        return QUERY.pack(*posed, c.mask, c.exclude_owner, c.hit_when)
    return CAST.pack(*posed, *c.motion, c.mask, c.exclude_owner, c.limit, c.hit_when)


def _reason(error: Exception) -> str:
    """The message alone: str() of a KeyError would quote it."""
    return str(error.args[0]) if len(error.args) == 1 else str(error)


class UnknownSimulationError(LineError):
    """The simulation that a log names is not known here."""


class Player:
    """The world of a log. `play` each frame in turn; the other members are about that frame.

    LineError names the field of the header or of the frame that cannot be played."""

    def __init__(
        self, header: Header, simulations: Mapping[str, sim.SimulationType] | None = None
    ) -> None:
        """`simulations`: by name, searched before those that `fixsync.match.sim.find_named` knows.
        UnknownSimulationError if the log needs one that neither has."""
        self.world = _first_world(header)
        """With a sim: the simulation's, once that is started with the first frame's inputs."""
        self.simulation: sim.Simulation | None = None
        self.over_after: int | None = None
        """The frame after which the simulation was over first."""
        self.others = [] if header.sim is not None else others(header)
        """Of a log with a sim, known once the simulation is started."""
        self.answers: list[Answer] = []
        """Answers to the frame's queries and casts, in order."""
        self._rows: Any
        self._buffer: Any = None
        self._make_room(64)
        self._events = b""
        self._hash = 0
        self.play: Callable[[Any], int] = self._play_commands
        """Plays the next frame, a TraceFrame, or a SimFrame if the log has a sim. Returns the
        number of hits."""
        self._header = header
        if header.sim is not None:
            self._type = found(header.sim, simulations or {})
            self._stepped = sim.Stepped((), ())
            self.play = self._play_inputs

    def _play_commands(self, frame: TraceFrame) -> int:
        world, commands = self.world, frame.commands
        if len(commands) > self._room:
            self._make_room(2 * len(commands))
        buffer, at = self._buffer, 0
        questions: list[Any] = []
        command: Any
        for command in commands:
            kind = type(command)
            if kind is Move:
                x, y, z = command.position
                _pack_move(buffer, at, _MOVE, command.id, x, y, z)
                at += _ROW_SIZE
            elif kind in _QUESTIONS:
                questions.append(command)
            else:
                rows = _rows(command)
                if kind is SetLayers:
                    self._make_room(self._room + LAYER_COUNT)  # for the others it is left
                    buffer = self._buffer
                end = at + len(rows)
                buffer[at:end] = rows
                at = end
        try:
            count = at // _ROW_SIZE
            hits, self._events, self._hash = world._native.play(self._rows, count)
        except CommandError as error:
            _refuse(frame, error, world.capacity)
        if questions or self.answers:
            self.answers = [self._ask(frame, question) for question in questions]
        return hits

    def _ask(self, frame: TraceFrame, command: Any) -> Answer:
        try:
            return answer_of(self.world._native.ask(_question(command)))
        except ValueError as error:
            i = next(i for i, other in enumerate(frame.commands) if other is command)
            raise LineError(f"commands[{i}]", _reason(error)) from error

    def filled(self, frame: Any) -> Any:
        """The frame that was just played, with the computed values. A whole state is written only
        in the place of the log's own."""
        if self.simulation is None:
            return replace(frame, queries=self.answers, events=self.events, hash=self.hash)
        has_game = frame.game is not UNSET or sim.event_kinds(self.simulation) is not None
        found: dict[str, Any] = {"game": self.game if has_game else UNSET}
        if frame.state is not UNSET:  # logs of earlier versions stay as they can be read there
            found["state"] = self.state
        return replace(frame, queries=UNSET, events=self.events, hash=self.hash, **found)

    def _make_room(self, count: int) -> None:
        """Room for so many rows of commands; those that are written stay."""
        written = b"" if self._buffer is None else self._buffer[:]
        self._rows, self._buffer = command_rows(count)
        self._buffer[: len(written)] = written
        self._room = count

    def _play_inputs(self, frame: SimFrame) -> int:
        simulation = self.begin(frame)
        if len(frame.inputs) != simulation.players:
            reason = f"{len(frame.inputs)} inputs; the first frame has {simulation.players}"
            raise LineError("inputs", reason)
        try:
            inputs = tuple(
                sim.check_input(simulation, i, value) for i, value in enumerate(frame.inputs)
            )
            self._stepped = sim.stepped(simulation, inputs)
            if self.over_after is None and sim.is_over(simulation):
                self.over_after = frame.frame
        except (TypeError, ValueError) as error:
            raise LineError("inputs", _reason(error)) from error
        if self.world.frame != next_frame(frame.frame):
            reason = f"the simulation's world is at frame {self.world.frame} after this frame"
            raise LineError("frame", reason)
        self._hash = self.world.hash()
        return self.world.hit_count

    def begin(self, frame: SimFrame) -> sim.Simulation:
        """The simulation, which is started with the first frame's inputs."""
        if self.simulation is None:
            self.simulation = self.start(len(frame.inputs))
            self.world = self.simulation.world
        return self.simulation

    def start(self, players: int, state: bytes | None = None) -> sim.Simulation:
        """The log's simulation before its first frame, or with the state that its `save` gave."""
        header = self._header
        try:
            simulation = sim.start(self._type, header.seed, players)
        except (TypeError, ValueError) as error:
            raise LineError(
                "inputs", f"the simulation cannot be started: {_reason(error)}"
            ) from error
        self.others = others(header, simulation)
        world = simulation.world
        given: dict[str, Any] = {"capacity": header.capacity, "level": header.level}
        if header.start is None:  # a state brings its own
            given |= {"hit_when": header.hit_when, "layers": header.layers}
        for field, value in given.items():
            made = getattr(world, field)
            if value != made:
                reason = f"{value}, but {self._type.name} makes a world with {made}"
                raise LineError(field, reason, in_header=True)
        if header.start is not None:
            try:
                simulation.load(header.start.state)
            except ValueError as error:
                raise LineError("from.state", _reason(error), in_header=True) from error
            _check_start(header, world)
        if state is not None:
            simulation.load(state)
        return simulation

    @property
    def events(self) -> list[Event]:
        """Events of the frame, by (a, b)."""
        if self.simulation is None:
            return list(EVENT.iter_unpack(self._events))
        found = self._stepped.events
        if type(found) is Events:
            return list(EVENT.iter_unpack(found.buffer.cast("B")))
        return [(int(a), int(b), int(kind), int(contact)) for a, b, kind, contact in found]

    @property
    def game(self) -> list[GameEvent]:
        """The game's own events of the frame; none without a sim."""
        if self.simulation is None:
            return []
        return [(a, b, int(kind), value) for a, b, kind, value in self._stepped.game]

    def has_events(self, events: list[Event]) -> bool:
        """Whether these are the frame's events."""
        if self.simulation is None and not self._events:
            return not events
        return events == self.events

    def has_hash(self, hash: str) -> bool:
        """Whether the world has this hash, written as in a log."""
        return int(hash, 16) == self._hash

    @property
    def hash(self) -> str:
        """The world's hash as a log writes it."""
        return f"{self._hash:016x}"

    @property
    def state(self) -> str:
        """The hash of the simulation's whole state, or without a sim of the world, as a log writes
        it."""
        if self.simulation is None:
            return self.hash
        return f"{sim.hash_of(self.simulation.save()):016x}"


def _refuse(frame: TraceFrame, error: CommandError, capacity: int) -> NoReturn:
    """The error of the command whose row the world refused."""
    ends = accumulate(
        LAYER_COUNT if type(command) is SetLayers else type(command) not in _QUESTIONS
        for command in frame.commands
    )
    i = next(i for i, end in enumerate(ends) if end > error.index)
    check_command_ids(frame.commands[: i + 1], capacity)
    raise LineError(f"commands[{i}]", error.reason) from error


def _first_world(header: Header) -> World:
    """The world before the first frame."""
    try:
        world = World(
            header.capacity, hit_when=header.hit_when, layers=header.layers, level=header.level
        )
        if header.start is not None:
            # Of a simulation it is only known at which frame its world is.
            state, frame = header.start.state, header.start.frame.to_bytes(4, "little")
            if header.sim is not None:
                state = world.save()
                state = state[:4] + frame + state[8:]
            world.load(state)
    except MemoryError as error:
        raise LineError("capacity", str(error), in_header=True) from error
    except ValueError as error:
        raise LineError("from.state", _reason(error), in_header=True) from error
    if header.sim is None:
        _check_start(header, world)
    return world


def _check_start(header: Header, world: World) -> None:
    """LineError unless the world is as the header says of its first frame."""
    if header.start is not None and world.frame != header.start.frame:
        reason = f"{header.start.frame}, but the state is of frame {world.frame}"
        raise LineError("from.frame", reason, in_header=True)
    if world.hit_when != header.hit_when:
        reason = f"{header.hit_when}, but the state has {int(world.hit_when)}"
        raise LineError("hit_when", reason, in_header=True)


def found(name: str, simulations: Mapping[str, sim.SimulationType]) -> sim.SimulationType:
    """The simulation of a log's name. UnknownSimulationError if there is none."""
    if name in simulations:
        return simulations[name]
    try:
        return sim.find_named(name)
    except ValueError as error:
        raise UnknownSimulationError("sim", _reason(error), in_header=True) from error

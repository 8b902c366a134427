"""Plays the frames of a match log: commands or inputs in, a world stepped, events and answers
out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

from msgspec.structs import astuple

from fixsync import sim
from fixsync._native import ffi, lib
from fixsync.log.matchlog import (
    Add,
    Answer,
    Cast,
    CastHit,
    Command,
    Event,
    Header,
    Move,
    Query,
    Remove,
    SetActive,
    SetLayer,
    SetOffset,
    SetOwner,
    SetPose,
    SetShape,
    SimFrame,
    TraceFrame,
    Turn,
    check_command_id,
)
from fixsync.log.matchlog import Shape as ShapeRow
from fixsync.log.text import LineError
from fixsync.shapes import Pose, Shape, shape_from_tuple
from fixsync.world import World

__all__ = ["Player", "apply_command", "shape_of"]

_EVENT = Struct("=4I")

_buffer = ffi.buffer
_move = lib.fxs_world_move
_step = lib.fxs_world_step
_hash = lib.fxs_world_hash
_hit_count = lib.fxs_world_hit_count


def shape_of(row: ShapeRow) -> Shape:
    """The shape that a log's row is."""
    return _shape(row.__struct_config__.tag, astuple(row))


@lru_cache(maxsize=1024)
def _shape(tag: str, sizes: tuple[int, ...]) -> Shape:
    # A log has few shapes, many times.
    return shape_from_tuple((tag, *sizes))


def _add(world: World, c: Add) -> None:
    pose = Pose(*c.position, c.yaw)
    world.add(
        c.id,
        shape_of(c.shape),
        pose,
        layer=c.layer,
        owner=c.owner,
        offset=c.offset,
        active=c.active,
    )


def _set_pose(world: World, c: SetPose) -> None:
    world.set_pose(c.id, Pose(*c.position, c.yaw))


_CHANGES: dict[type[Any], Callable[[World, Any], None]] = {
    Add: _add,
    Move: lambda world, c: world.move(c.id, *c.position),
    Turn: lambda world, c: world.turn(c.id, c.yaw),
    SetPose: _set_pose,
    SetShape: lambda world, c: world.set_shape(c.id, shape_of(c.shape)),
    SetOffset: lambda world, c: world.set_offset(c.id, c.offset),
    SetOwner: lambda world, c: world.set_owner(c.id, c.owner),
    SetLayer: lambda world, c: world.set_layer(c.id, c.layer),
    SetActive: lambda world, c: world.set_active(c.id, c.active),
    Remove: lambda world, c: world.remove(c.id),
}


def apply_command(world: World, command: Command) -> None:
    """Makes the change that a command tells; a query or a cast is none."""
    _CHANGES[type(command)](world, command)


def _query(world: World, c: Query) -> Answer:
    return [*world.query(shape_of(c.shape), Pose(*c.position, c.yaw), c.mask)]


def _cast(world: World, c: Cast) -> Answer:
    found = world.cast(
        shape_of(c.shape),
        Pose(*c.position, c.yaw),
        c.motion,
        c.mask,
        exclude_owner=c.exclude_owner,
        limit=c.limit,
        hit_when=c.hit_when,
    )
    return [CastHit(id, fraction, *normal) for id, fraction, normal in found]


_QUESTIONS: dict[type[Any], Callable[[World, Any], Answer]] = {Query: _query, Cast: _cast}


def _reason(error: Exception) -> str:
    """The message alone: str() of a KeyError would quote it."""
    return str(error.args[0]) if error.args else str(error)


class Player:
    """The world of a log, from its header on. `play` each frame in turn; the rest then tells of
    that frame.

    LineError names the field of the header or of the frame that cannot be played.
    """

    def __init__(
        self, header: Header, simulations: Mapping[str, sim.SimulationType] | None = None
    ) -> None:
        """`simulations`: by name, looked at before those that `fixsync.sim.named` knows."""
        self.world = _empty_world(header)
        """Of a log with a sim: the simulation's, which is started with the first frame's inputs."""
        self.simulation: sim.Simulation | None = None
        self.answers: list[Answer] = []
        """Answers to the frame's queries and casts, in order."""
        self.play: Callable[[Any], int] = self._play_commands
        """Plays the next frame, a TraceFrame or, if the log has a sim, a SimFrame; returns how many
        hits.
        """
        self.begun: tuple[int, bool] = (0, False)
        """How far the frame that is played next has been played already: the commands before this
        one, and whether the step was done."""
        self._header = header
        if header.sim is not None:
            self._type = _found(header.sim, simulations or {})
            self._sim_events: Sequence[Any] = ()
            self.play = self._play_inputs

    def _play_commands(self, frame: TraceFrame) -> int:
        # Nearly all of a match is moves and steps. The world is nobody else's here, so both go to
        # the kernel without the lock, the type checks (the reader made them) and the observer of
        # World's methods, and what the kernel refuses is done again by the method, for its error.
        world = self.world
        kernel, counts = world._world, world._counts
        questions: list[Query | Cast] | None = None
        command: Any = None
        (done, has_stepped), self.begun = self.begun, (0, False)
        try:
            for i, command in enumerate(frame.commands):
                if i < done and type(command) in _CHANGES:
                    continue
                if type(command) is Move:
                    x, y, z = command.position
                    if _move(kernel, command.id, x, y, z) != 0:
                        world.move(command.id, x, y, z)
                elif type(command) in _CHANGES:
                    _CHANGES[type(command)](world, command)
                elif questions is None:
                    questions = [command]
                else:
                    questions.append(command)
            if not has_stepped and _step(kernel, world._events, world._event_room, counts) != 0:
                world.step()
            if questions is not None:
                self.answers = []
                for command in questions:
                    self.answers.append(_QUESTIONS[type(command)](world, command))
            elif self.answers:
                self.answers = []
        except (ValueError, KeyError) as error:
            index = next(i for i, c in enumerate(frame.commands) if c is command)
            check_command_id(command, index, world.capacity)
            raise LineError(f"commands[{index}]", _reason(error)) from error
        hits: int = counts.hits
        return hits

    def _play_inputs(self, frame: SimFrame) -> int:
        if self.simulation is None:
            self.simulation = _started(self._type, self._header, len(frame.inputs))
            self.world = self.simulation.world
        simulation = self.simulation
        if len(frame.inputs) != simulation.players:
            reason = f"{len(frame.inputs)} inputs for the {simulation.players} players of the frames before"
            raise LineError("inputs", reason)
        try:
            inputs = [sim.check_input(simulation, i, value) for i, value in enumerate(frame.inputs)]
            self._sim_events = simulation.step(inputs)
        except (TypeError, ValueError) as error:
            raise LineError("inputs", _reason(error)) from error
        if self.world.frame != (frame.frame + 1) & 0xFFFFFFFF:
            reason = f"the simulation leaves its world at frame {self.world.frame} after this one"
            raise LineError("frame", reason)
        hits: int = _hit_count(self.world._world)
        return hits

    @property
    def events(self) -> list[Event]:
        """Events of the frame, by (a, b)."""
        if self.simulation is not None:
            return [
                (int(a), int(b), int(kind), int(contact))
                for a, b, kind, contact in self._sim_events
            ]
        world = self.world
        count = world._counts.events
        # As the kernel wrote them; the next step writes over them.
        return (
            list(_EVENT.iter_unpack(_buffer(world._events, count * _EVENT.size))) if count else []
        )

    @property
    def hash(self) -> str:
        """The world's hash as a log writes it."""
        return f"{_hash(self.world._world):016x}"


def _empty_world(header: Header) -> World:
    try:
        return World(header.capacity, hit_when=header.hit_when, layers=header.layers)
    except MemoryError as error:
        raise LineError("capacity", str(error)) from error


def _found(name: str, simulations: Mapping[str, sim.SimulationType]) -> sim.SimulationType:
    try:
        return simulations[name] if name in simulations else sim.named(name)
    except ValueError as error:
        raise LineError("sim", _reason(error)) from error


def _started(kind: sim.SimulationType, header: Header, players: int) -> sim.Simulation:
    try:
        simulation = sim.start(kind, header.seed, players)
    except (TypeError, ValueError) as error:
        raise LineError("inputs", f"the simulation cannot be started: {_reason(error)}") from error
    world = simulation.world
    for field, given, made in (
        ("capacity", header.capacity, world.capacity),
        ("hit_when", header.hit_when, world.hit_when),
        ("layers", header.layers, world.layers),
    ):
        if given != made:
            reason = f"the header's {field} is {given}, but {kind.name} makes a world with {made}"
            raise LineError("inputs", reason)
    return simulation

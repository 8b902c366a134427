"""Plays the frames of a match log: commands or inputs in, one step, events and answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, NoReturn

from msgspec.structs import astuple

from fixsync import sim
from fixsync._native import array_type, ffi, lib
from fixsync.log.lines import check_command_ids, next_frame
from fixsync.log.schema import (
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
    SetLayers,
    SetOffset,
    SetOwner,
    SetPose,
    SetShape,
    SimFrame,
    TraceFrame,
    Turn,
    layer_masks,
)
from fixsync.log.schema import Shape as ShapeRow
from fixsync.log.text import LineError
from fixsync.shapes import Pose, Shape, shape_from_tuple
from fixsync.world import World

__all__ = ["Player", "UnknownSimulationError", "apply_command", "shape_of", "started"]

_EVENT = Struct("=4I")

_COMMANDS = array_type("fxs_command[]")
_MOVE = lib.FXS_COMMAND_MOVE
_buffer = ffi.buffer
_from_buffer = ffi.from_buffer
_apply = lib.fxs_world_apply
_step = lib.fxs_world_step
_hash = lib.fxs_world_hash
_hit_count = lib.fxs_world_hit_count


def shape_of(row: ShapeRow) -> Shape:
    """The shape of a log's row."""
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
    SetLayers: lambda world, c: world.set_layers(c.layers),
}


def apply_command(world: World, command: Command) -> None:
    """Makes the change of a command, which must not be a query or a cast."""
    _CHANGES[type(command)](world, command)


# Commands as rows for the kernel. Unused fields are 0.

_ROW = Struct("=II I4BHHI 3i 3i 3i")
"""fxs_command: type, mask, then the collider: id, kind, layer, active, 0, yaw, half_angle, owner,
position, offset, sizes."""
_MOVE_ROW = Struct("=I4xI12x3i24x").pack
_NOWHERE = (0, 0, 0)


def _row(
    type: int,
    id: int = 0,
    position: tuple[int, int, int] = _NOWHERE,
    yaw: int = 0,
    *,
    shape: ShapeRow | None = None,
    layer: int = 0,
    owner: int = 0,
    offset: tuple[int, int, int] = _NOWHERE,
    active: bool = False,
    mask: int = 0,
) -> bytes:
    kind, half_angle, *sizes = shape_of(shape)._row if shape is not None else _NO_SHAPE
    collider = id, kind, layer, active, 0, yaw, half_angle, owner
    return _ROW.pack(type, mask, *collider, *position, *offset, *sizes)


_NO_SHAPE = (0, 0, 0, 0, 0)
_ROWS: dict[type[Any], Callable[[Any], bytes]] = {
    Add: lambda c: _row(
        lib.FXS_COMMAND_ADD,
        c.id,
        c.position,
        c.yaw,
        shape=c.shape,
        layer=c.layer,
        owner=c.owner,
        offset=c.offset,
        active=c.active,
    ),
    Turn: lambda c: _row(lib.FXS_COMMAND_TURN, c.id, yaw=c.yaw),
    SetPose: lambda c: _row(lib.FXS_COMMAND_POSE, c.id, c.position, c.yaw),
    SetShape: lambda c: _row(lib.FXS_COMMAND_SHAPE, c.id, shape=c.shape),
    SetOffset: lambda c: _row(lib.FXS_COMMAND_OFFSET, c.id, offset=c.offset),
    SetOwner: lambda c: _row(lib.FXS_COMMAND_OWNER, c.id, owner=c.owner),
    SetLayer: lambda c: _row(lib.FXS_COMMAND_LAYER, c.id, layer=c.layer),
    SetActive: lambda c: _row(lib.FXS_COMMAND_ACTIVE, c.id, active=c.active),
    Remove: lambda c: _row(lib.FXS_COMMAND_REMOVE, c.id),
    SetLayers: lambda c: b"".join(
        _row(lib.FXS_COMMAND_LAYERS, layer=layer, mask=mask)
        for layer, mask in enumerate(layer_masks(c.layers))
    ),
}


def _query(world: World, c: Query) -> Answer:
    shape, pose = shape_of(c.shape), Pose(*c.position, c.yaw)
    return [*world.query(shape, pose, c.mask, exclude_owner=c.exclude_owner)]


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


class UnknownSimulationError(LineError):
    """The simulation that a log names is not known here."""


class Player:
    """The world of a log. `play` each frame in turn; the other members are about that frame.

    LineError names the field of the header or of the frame that cannot be played."""

    def __init__(
        self, header: Header, simulations: Mapping[str, sim.SimulationType] | None = None
    ) -> None:
        """`simulations`: by name, searched before those that `fixsync.sim.named` knows.
        UnknownSimulationError if the log needs one that neither has."""
        self.world = _first_world(header)
        """With a sim: the simulation's, which is started with the first frame's inputs."""
        self.simulation: sim.Simulation | None = None
        self.answers: list[Answer] = []
        """Answers to the frame's queries and casts, in order."""
        self._bad = ffi.new("uint64_t *")
        self.play: Callable[[Any], int] = self._play_commands
        """Plays the next frame, a TraceFrame, or a SimFrame if the log has a sim. Returns the
        number of hits."""
        self._header = header
        if header.sim is not None:
            self._type = _found(header.sim, simulations or {})
            self._sim_events: Sequence[Any] = ()
            self.play = self._play_inputs

    def _play_commands(self, frame: TraceFrame) -> int:
        # The world is in no other hands, and the reader checked the ranges: no lock, no checks.
        world = self.world
        kernel, counts = world._world, world._counts
        rows = []
        questions: list[Any] | None = None
        command: Any
        for command in frame.commands:
            kind = type(command)
            if kind is Move:
                x, y, z = command.position
                rows.append(_MOVE_ROW(_MOVE, command.id, x, y, z))
            elif kind in _ROWS:
                rows.append(_ROWS[kind](command))
            elif questions is None:
                questions = [command]
            else:
                questions.append(command)
        if rows:
            data = b"".join(rows)
            count = len(data) // _ROW.size
            if _apply(kernel, _from_buffer(_COMMANDS, data), count, self._bad) != 0:
                self._refuse(frame)
        if _step(kernel, world._events, world._event_room, counts) != 0:
            world.step()  # makes room, and steps
        if questions is not None:
            self.answers = [_QUESTIONS[type(command)](world, command) for command in questions]
        elif self.answers:
            self.answers = []
        hits: int = counts.hits
        return hits

    def _refuse(self, frame: TraceFrame) -> NoReturn:
        """The error of the first command that the kernel refuses."""
        i = 0
        try:
            for i, command in enumerate(frame.commands):  # noqa: B007 - the handler needs it
                if type(command) in _CHANGES:
                    apply_command(self.world, command)
        except (ValueError, KeyError) as error:
            check_command_ids(frame.commands[: i + 1], self.world.capacity)
            raise LineError(f"commands[{i}]", _reason(error)) from error
        raise RuntimeError("the kernel refused commands that a World takes")

    def _play_inputs(self, frame: SimFrame) -> int:
        if self.simulation is None:
            self.simulation = started(self._type, self._header, len(frame.inputs))
            self.world = self.simulation.world
        simulation = self.simulation
        if len(frame.inputs) != simulation.players:
            reason = f"{len(frame.inputs)} inputs; the first frame has {simulation.players}"
            raise LineError("inputs", reason)
        try:
            inputs = [sim.check_input(simulation, i, value) for i, value in enumerate(frame.inputs)]
            self._sim_events = simulation.step(inputs)
        except (TypeError, ValueError) as error:
            raise LineError("inputs", _reason(error)) from error
        if self.world.frame != next_frame(frame.frame):
            reason = f"the simulation's world is at frame {self.world.frame} after this frame"
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


def _first_world(header: Header) -> World:
    """The world before the first frame."""
    try:
        world = World(header.capacity, hit_when=header.hit_when, layers=header.layers)
        if header.start is not None and header.sim is None:
            world.load(header.start.state)
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


def _found(name: str, simulations: Mapping[str, sim.SimulationType]) -> sim.SimulationType:
    if name in simulations:
        return simulations[name]
    try:
        return sim.named(name)
    except ValueError as error:
        raise UnknownSimulationError("sim", _reason(error), in_header=True) from error


def started(
    kind: sim.SimulationType, header: Header, players: int, state: bytes | None = None
) -> sim.Simulation:
    """The simulation of a log before its first frame, or with the state that its `save` gave."""
    try:
        simulation = sim.start(kind, header.seed, players)
    except (TypeError, ValueError) as error:
        raise LineError("inputs", f"the simulation cannot be started: {_reason(error)}") from error
    world = simulation.world
    given: dict[str, Any] = {"capacity": header.capacity}
    if header.start is None:  # a state brings its own
        given |= {"hit_when": header.hit_when, "layers": header.layers}
    for field, value in given.items():
        made = getattr(world, field)
        if value != made:
            reason = f"{value}, but {kind.name} makes a world with {made}"
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

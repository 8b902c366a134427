"""Records match logs: the changes of a world, or the inputs of a simulation, frame by frame."""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import Any, TypeVar, cast

from fixsync._native import UINT32_MAX, integer
from fixsync.log import files, schema
from fixsync.log.lines import next_frame
from fixsync.log.schema import Answer, CastHit, Event, Header, SimFrame, Start, TraceFrame
from fixsync.log.writer import Writer
from fixsync.names import Names
from fixsync.records import Collider, Events
from fixsync.shapes import Pose, Shape, require_pose, require_shape
from fixsync.sim import Input, Simulation
from fixsync.world import Command, World

__all__ = ["Recorder", "SimRecorder"]

_EVENT = Struct("=4I")
_Self = TypeVar("_Self", bound="_Recording")


class _Recording(ABC):
    """A log that is being written. A context manager: an error within it leaves a log that is cut
    short."""

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        *,
        start: Start | None,
        replace: bool,
        tick_rate: int | tuple[int, int],
        meta: Mapping[str, Any] | None,
        names: Names | None,
        unit_mm: int | None,
        sim: str | None = None,
        seed: int = 0,
    ) -> None:
        name = os.fspath(path)
        if not files.survives_a_cut(files.suffix_of(path)):
            raise ValueError(
                f"{name}: a crash would lose the end of a file of this kind;"
                " record to .jsonl, .jsonl.gz or .jsonl.zst"
            )
        if not replace and Path(path).is_file() and Path(path).stat().st_size:
            raise FileExistsError(
                errno.EEXIST,
                "a recording does not overwrite a file; choose another name, or pass replace=True",
                name,
            )
        header = Header(
            capacity=world.capacity,
            tick_rate=tick_rate,
            hit_when=int(world.hit_when),
            layers=world.layers,
            sim=sim,
            seed=seed,
            meta=dict(meta or {}),
            names=names or Names(),
            unit_mm=unit_mm,
            level=world.level,
            start=start,
        )
        self._next = header.first_frame
        self._writer = Writer(path, header)

    @property
    def next_frame(self) -> int:
        """The number of the frame that is written next."""
        return self._next

    @property
    def frames(self) -> int:
        """Number of frames written so far."""
        return self._writer.frames

    @abstractmethod
    def close(self) -> None:
        """Ends the recording: writes the last line and closes the file. A second call does
        nothing."""
        self._writer.close()

    @abstractmethod
    def abandon(self) -> None:
        """Ends the recording without a last line, as a crash would."""
        self._writer.abandon()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self.abandon()


class Recorder(_Recording):
    """Writes the changes of a world and the events of its steps to a match log: one line a step.

    The log of a world that is not at frame 0, or has hits, begins with the world's state. A line is
    handed to the operating system before the step returns, so a crash loses at most the frame it
    interrupts. Changes after the last step are in no frame, and not in the log.

    Loading the world ends the recording: the load is done, then raises ValueError, and the log is
    cut short. A game that rolls back records the inputs of confirmed frames: `SimRecorder`."""

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        *,
        replace: bool = False,
        tick_rate: int | tuple[int, int] = 60,
        meta: Mapping[str, Any] | None = None,
        names: Names | None = None,
        unit_mm: int | None = None,
    ) -> None:
        """`path`: .jsonl, compressed with .gz or .zst after it.

        replace: overwrite a file at `path`; without it FileExistsError is raised. tick_rate: frames
        a second, or (numerator, denominator) of it. meta: strings, integers, booleans, and lists
        and dicts of them. names: names of layers and ids. unit_mm: millimetres of one unit.
        ValueError if the world has an observer already; MatchLogError for values that a header
        cannot have."""
        world.attach(self)
        self._world: World | None = world
        is_new = world.frame == 0 and not world.hits()
        try:
            super().__init__(
                world,
                path,
                start=None if is_new else Start(world.frame, world.save()),
                replace=replace,
                tick_rate=tick_rate,
                meta=meta,
                names=names,
                unit_mm=unit_mm,
            )
        except BaseException:
            world.detach(self)
            raise
        colliders = world.colliders() if is_new else ()
        self._commands = [_add_command(collider) for collider in colliders]
        self._questions: list[Callable[[], Answer]] = []
        self._answers: list[Answer] = []

    # The world's observer.

    def changed(self, command: Command) -> None:
        """Called by the world."""
        self._commands.append(command)

    def stepped(self, events: Events) -> None:
        """Called by the world."""
        commands, self._commands = self._commands, []
        questions, self._questions = self._questions, []
        try:
            self._answers = [ask() for ask in questions]
            rows: list[Event] = list(_EVENT.iter_unpack(events.buffer))
            hash = f"{self._recorded().hash():016x}"
            # Changes come as tuples, which are written like the rows that they stand for.
            rows_of_commands = cast("list[schema.Command]", commands)
            frame = TraceFrame(self._next, rows_of_commands, self._answers, rows, hash)
            self._writer.write(frame)
            self._next = next_frame(self._next)
        except BaseException:
            self.abandon()
            raise

    def loaded(self) -> None:
        """Called by the world."""
        self.abandon()
        raise ValueError(
            f"the world was loaded while it was recorded: {self._writer.name} ends, cut short,"
            f" after {self.frames} frames"
        )

    # Questions.

    def query(
        self, shape: Shape, pose: Pose, mask: int = UINT32_MAX, *, exclude_owner: int = 0
    ) -> None:
        """Calls `World.query` right after the next step. The answer goes to `answers` and the
        log."""
        require_shape("shape", shape)
        require_pose("pose", pose)
        mask = integer("mask", mask, 0, UINT32_MAX)
        exclude_owner = integer("exclude_owner", exclude_owner, 0, UINT32_MAX)
        world = self._recorded()
        row = "query", shape.as_tuple(), (pose.x, pose.y, pose.z), pose.yaw, mask
        self._commands.append((*row, exclude_owner) if exclude_owner else row)
        self._questions.append(
            lambda: [*world.query(shape, pose, mask, exclude_owner=exclude_owner)]
        )

    def cast(
        self,
        shape: Shape,
        pose: Pose,
        motion: tuple[int, int, int],
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> None:
        """Calls `World.cast` right after the next step. The answer goes to `answers` and the
        log."""
        world = self._recorded()
        least = world.hit_when if hit_when is None else hit_when

        def ask() -> Answer:
            found = world.cast(
                shape, pose, motion, mask, exclude_owner=exclude_owner, limit=limit, hit_when=least
            )
            return [CastHit(id, fraction, *normal) for id, fraction, normal in found]

        ask()  # so that an error is raised here, not in the step
        way = tuple(index(part) for part in motion)
        row = ("cast", shape.as_tuple(), (pose.x, pose.y, pose.z), pose.yaw, way, index(mask))
        self._commands.append((*row, index(exclude_owner), index(limit), index(least)))
        self._questions.append(ask)

    @property
    def answers(self) -> list[Answer]:
        """The answers to the last frame's queries and casts, in order, as in the log: ids, or a
        cast's rows."""
        return self._answers

    # The end.

    def close(self) -> None:
        self._stop()
        super().close()

    def abandon(self) -> None:
        self._stop()
        super().abandon()

    def _stop(self) -> None:
        world, self._world = self._world, None
        if world is not None:
            world.detach(self)

    def _recorded(self) -> World:
        if self._world is None:
            raise ValueError(f"the recording of {self._writer.name} has ended")
        return self._world


class SimRecorder(_Recording):
    """Writes the inputs of a simulation to a match log, one line a frame. Replaying needs no more.

    A game that rolls back records each frame when it is confirmed. A log of a match that was joined
    in the middle begins with the state that was joined."""

    def __init__(
        self,
        simulation: Simulation,
        path: str | os.PathLike[str],
        *,
        seed: int,
        replace: bool = False,
        tick_rate: int | tuple[int, int] = 60,
        meta: Mapping[str, Any] | None = None,
        names: Names | None = None,
        unit_mm: int | None = None,
    ) -> None:
        """simulation: before the first recorded frame. seed: with which it was started.

        The rest is as for `Recorder`."""
        world = simulation.world
        super().__init__(
            world,
            path,
            start=Start(world.frame, simulation.save()) if world.frame else None,
            replace=replace,
            sim=simulation.name,
            seed=seed,
            tick_rate=tick_rate,
            meta=meta,
            names=names,
            unit_mm=unit_mm,
        )

    def record(
        self,
        frame: int,
        inputs: Sequence[Input],
        events: Iterable[Event] | None = None,
        hash: int | None = None,
    ) -> None:
        """Writes a frame: one input per player, and the results of the world that are not None.

        ValueError, and nothing is written, unless `frame` is `next_frame`."""
        if index(frame) != self._next:
            raise ValueError(f"frame must be {self._next}, the next of this log, not {frame}")
        line = SimFrame(self._next, cast("list[schema.Input]", list(inputs)))
        if events is not None:
            line.events = [
                (int(a), int(b), int(kind), int(contact)) for a, b, kind, contact in events
            ]
        if hash is not None:
            line.hash = f"{hash:016x}"
        try:
            self._writer.write(line)
        except OSError:
            self.abandon()
            raise
        self._next = next_frame(self._next)

    def close(self) -> None:
        super().close()

    def abandon(self) -> None:
        super().abandon()


def _add_command(c: Collider) -> Command:
    position = c.pose.x, c.pose.y, c.pose.z
    return (
        "add",
        c.id,
        c.shape.as_tuple(),
        position,
        c.pose.yaw,
        c.layer,
        c.owner,
        c.offset,
        c.active,
    )

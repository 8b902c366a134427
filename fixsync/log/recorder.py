"""Records match logs: a world's changes frame by frame, or the inputs that drive a simulation."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from struct import Struct
from types import TracebackType
from typing import Any, TypeVar, cast

from fixsync._native import UINT32_MAX, integer
from fixsync.log import files as logfile
from fixsync.log import matchlog
from fixsync.log.matchlog import Answer, CastHit, Event, Header, Names, SimFrame, TraceFrame, Writer
from fixsync.records import Collider, Events
from fixsync.shapes import Pose, Shape, require_pose, require_shape
from fixsync.sim import Input
from fixsync.world import Command, World

__all__ = ["Recorder", "SimRecorder"]

_EVENT = Struct("=4I")
_Self = TypeVar("_Self", bound="_Recording")


class _Recording(ABC):
    """A log that is being written. A context manager: an error within it leaves a log that is cut
    short.
    """

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        *,
        tick_rate: int | tuple[int, int],
        meta: Mapping[str, Any] | None,
        names: Names | None,
        unit_mm: int | None,
        sim: str | None = None,
        seed: int = 0,
    ) -> None:
        if world.frame != 0 or world.hits():
            raise ValueError(
                f"a log begins with a world at frame 0 that has no hits; this one is at frame {world.frame}"
                f" with {len(world.hits())}, and how it got there could not be replayed"
            )
        if not logfile.survives_a_cut(logfile.suffix_of(path)):
            raise ValueError(
                f"{os.fspath(path)}: a crash would lose the end of a file of this kind;"
                " record to .jsonl, as it is or with .gz or .zst"
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
        )
        self._writer = Writer(path, header)

    @property
    def frames(self) -> int:
        """Frames written so far."""
        return self._writer.frames

    @abstractmethod
    def close(self) -> None:
        """Ends the recording: writes the last line and closes the file. Once more does nothing."""
        self._writer.close()

    @abstractmethod
    def abandon(self) -> None:
        """Ends the recording without a last line: a log that is cut short, as a crash would leave
        it.
        """
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
    """Writes every change of a world, and what each step finds, to a match log: one line, or block,
    a step.

    The world must be at frame 0, empty or with colliders; ValueError for any other, since no log
    holds its past. A line is handed to the operating system before the step returns, so a crash
    loses at most the frame it is in. Changes after the last step are in no frame, and so in no log.

    A world that is loaded cannot go on being recorded: the load raises ValueError, though it is
    done, and the log ends before it, cut short. What rolls back records the inputs of confirmed
    frames instead: `SimRecorder`."""

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        *,
        tick_rate: int | tuple[int, int] = 60,
        meta: Mapping[str, Any] | None = None,
        names: Names | None = None,
        unit_mm: int | None = None,
    ) -> None:
        """`path` is replaced if it exists; with .gz or .zst at its end it is compressed, and with
        .fxlog (or .fxlog.gz and so on) the log is a compact one.

        tick_rate: frames a second, or (numerator, denominator) of it. meta: anything made of
        strings, integers, booleans, lists and dicts. names: what people call layers and ids.
        unit_mm: how many millimetres one unit is. ValueError if the world is observed already;
        MatchLogError for what no header may hold."""
        world.attach(self)
        self._world: World | None = world
        try:
            super().__init__(
                world, path, tick_rate=tick_rate, meta=meta, names=names, unit_mm=unit_mm
            )
        except BaseException:
            world.detach(self)
            raise
        self._commands = [_add_command(collider) for collider in world.colliders()]
        self._questions: list[Callable[[], Answer]] = []
        self._answers: list[Answer] = []

    # What the world tells its observer.

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
            # The world tells its changes as tuples, which are written like the rows they stand for.
            said = cast("list[matchlog.Command]", commands)
            self._writer.write(TraceFrame(self.frames, said, self._answers, rows, hash))
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

    def query(self, shape: Shape, pose: Pose, mask: int = UINT32_MAX) -> None:
        """Asks with the coming frame: `World.query` right after its step, into `answers` and the
        log.
        """
        require_shape("shape", shape)
        require_pose("pose", pose)
        mask = integer("mask", mask, 0, UINT32_MAX)
        world = self._recorded()
        self._commands.append(("query", shape.as_tuple(), (pose.x, pose.y, pose.z), pose.yaw, mask))
        self._questions.append(lambda: [*world.query(shape, pose, mask)])

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
        """Asks with the coming frame: `World.cast` right after its step, into `answers` and the
        log.
        """
        world = self._recorded()
        least = world.hit_when if hit_when is None else hit_when

        def ask() -> Answer:
            found = world.cast(
                shape, pose, motion, mask, exclude_owner=exclude_owner, limit=limit, hit_when=least
            )
            return [CastHit(id, fraction, *normal) for id, fraction, normal in found]

        ask()  # for its errors: they belong here, not into the step
        way = tuple(index(part) for part in motion)
        row = ("cast", shape.as_tuple(), (pose.x, pose.y, pose.z), pose.yaw, way, index(mask))
        self._commands.append((*row, index(exclude_owner), index(limit), index(least)))
        self._questions.append(ask)

    @property
    def answers(self) -> list[Answer]:
        """The answers to the questions of the last frame, in order: ids, or a cast's rows, as in
        the log.
        """
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
    """Writes a simulation's inputs to a match log: one line a frame, which is all that replaying
    needs.

    What rolls back gives each frame when it is confirmed. The simulation's world must be at frame
    0."""

    def __init__(
        self,
        world: World,
        path: str | os.PathLike[str],
        *,
        sim: str,
        seed: int,
        tick_rate: int | tuple[int, int] = 60,
        meta: Mapping[str, Any] | None = None,
        names: Names | None = None,
        unit_mm: int | None = None,
    ) -> None:
        """sim: the name under which replaying finds the simulation. seed: what it was started with.

        The rest as for a `Recorder`.
        """
        about: dict[str, Any] = {
            "tick_rate": tick_rate,
            "meta": meta,
            "names": names,
            "unit_mm": unit_mm,
        }
        super().__init__(world, path, sim=sim, seed=seed, **about)

    def record(
        self,
        inputs: Sequence[Input],
        events: Iterable[Event] | None = None,
        hash: int | None = None,
    ) -> None:
        """Writes the next frame: an input a player, and of the world after it what is not None."""
        frame = SimFrame(self.frames, cast("list[matchlog.Input]", list(inputs)))
        if events is not None:
            frame.events = [
                (int(a), int(b), int(kind), int(contact)) for a, b, kind, contact in events
            ]
        if hash is not None:
            frame.hash = f"{hash:016x}"
        try:
            self._writer.write(frame)
        except OSError:
            self.abandon()
            raise

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

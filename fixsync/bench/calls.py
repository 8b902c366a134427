"""The cost of small worlds, questions between moves and the plainest loop, driven from Python."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time_ns

from fixsync.base.numbers import ONE
from fixsync.bench.frames import FRAMES
from fixsync.bench.scenes import scene
from fixsync.world.shapes import RAY, Pose, Sphere
from fixsync.world.world import World

SMALL = (2, 8, 16, 32)
ASKED = (1_000, 10_000)
PLAIN = (16, 100, 1_000)
ASKS = 250
_RUN_NS = 100_000_000
"""How long each row is measured, at least two runs."""


@dataclass
class Call:
    """One row. Times are nanoseconds of processor time of one call or frame."""

    what: str
    count: int
    least: int
    mean: int
    worst: int


def calls() -> Iterator[Call]:
    """All rows."""
    for count in SMALL:
        yield from _small(count)
    for count in ASKED:
        yield from asked(count)
    for count in PLAIN:
        yield plain(count)


def _measured(what: str, count: int, each: int, run: Callable[[], None]) -> Call:
    """The row of a run that makes `each` calls of its name. The first run is not counted: it
    makes memory."""
    run()
    times: list[int] = []
    while len(times) < 2 or sum(times) < _RUN_NS:
        began = process_time_ns()
        run()
        times.append(process_time_ns() - began)
    return Call(
        what,
        count,
        min(times) // each,
        sum(times) // (len(times) * each),
        max(times) // each,
    )


def _small(count: int) -> Iterator[Call]:
    """FRAMES frames in bulk calls, and the same after a load, as a rollback does."""
    made = scene("uniform", count)
    world, ids = made.world(), made.ids().tobytes()
    moves = [made.poses(frame).tobytes() for frame in range(1, FRAMES + 1)]
    state = world.save()

    def frames() -> None:
        for poses in moves:
            world.set_pose_many(ids, poses)
            world.step()

    def rollback() -> None:
        world.load(state)
        frames()

    yield _measured("frame", count, FRAMES, frames)
    yield _measured(f"rollback of {FRAMES}", count, 1, rollback)


def asked(count: int) -> Iterator[Call]:
    """A collider moves, then one question is asked, again and again."""
    made = scene("uniform", count)
    world = made.world()
    world.step()
    area, motion = Sphere(2 * ONE), (4 * ONE, 0, ONE)
    places = [Pose(*made.pose(id, FRAMES)) for id in range(0, count, count // ASKS)]

    def run(ask: Callable[[int, Pose], object]) -> Callable[[], None]:
        def asks() -> None:
            for id, pose in enumerate(places):
                world.set_pose(id, pose)
                ask(id, pose)

        return asks

    questions: Sequence[tuple[str, Callable[[int, Pose], object]]] = (
        ("query", lambda _, pose: world.query(area, pose)),
        ("nearest", lambda _, pose: world.nearest(area, pose, limit=4)),
        ("cast", lambda _, pose: world.cast(RAY, pose, motion, limit=1)),
        ("sweep", lambda id, _: world.sweep(id, motion, limit=1)),
    )
    for name, ask in questions:
        yield _measured(f"move, {name}", count, len(places), run(ask))


def plain(count: int, *, turns: bool = True) -> Call:
    """A frame: a Pose for each collider, a step, events as objects. Without `turns`: only a
    move."""
    made = scene("uniform", count)
    world: World = made.world()
    rows: list[array[int]] = [made.poses(frame) for frame in range(1, FRAMES + 1)]
    moves = [list(zip(*[iter(poses)] * 4, strict=True)) for poses in rows]

    def run() -> None:
        for places in moves:
            if turns:
                for id, (x, y, z, yaw) in enumerate(places):
                    world.set_pose(id, Pose(x, y, z, yaw))
            else:
                for id, (x, y, z, _) in enumerate(places):
                    world.move(id, x, y, z)
            for _ in world.step():
                pass

    return _measured("plain loop", count, FRAMES, run)

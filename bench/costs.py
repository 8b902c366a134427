"""The cost of single calls, each beside a yardstick."""

from __future__ import annotations

import struct
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from time import process_time_ns

from casts import cast_costs
from yardstick import compiled, empty_call, least, sort_and_copy

from fixsync._native import kernel
from fixsync.bench.check import FRAMES
from fixsync.bench.scenes import Scene, scene
from fixsync.game.random import Random
from fixsync.numbers import ONE
from fixsync.shapes import (
    RAY,
    Box,
    Capsule,
    Cylinder,
    Pose,
    Shape,
    overlap,
    pack_poses,
    pack_shapes,
)
from fixsync.world import World

__all__ = ["Cost", "costs"]

_BACK = 8


@dataclass
class Cost:
    """Nanoseconds of a call, and of its yardstick."""

    what: str
    unit: str
    cost: float
    yardstick: str = ""
    yardstick_cost: float | None = None
    hash: str | None = None


def costs(count: int) -> Iterator[Cost]:
    """The rows, of a uniform scene with `count` colliders where one is needed."""
    empty = empty_call()
    yield Cost("empty call (fxs_world_frame)", "call", empty)
    yield _overlap_cost(empty)
    yield from _small_costs(empty)
    yield from _predicate_costs()
    yield from _cast_pair_costs()
    made = scene("uniform", count)
    sort = sort_and_copy(count)
    if sort is not None:
        step = _frame_cost(made)
        yield Cost(f"frame, {count}", "collider", step / count, "copy 32 bytes, radix sort", sort)
    yield from _state_costs(made)
    yield _rollback_cost(made)
    yield from _query_costs(made)
    yield _cast_costs(made)


def _overlap_cost(empty: float) -> Cost:
    a, at_a, b, at_b = (
        Cylinder(ONE, ONE),
        Pose(0, 0, 0),
        Box(ONE, ONE, ONE),
        Pose(ONE, 0, ONE, 5000),
    )
    times = []
    for _ in range(60):
        began = process_time_ns()
        for _ in range(250):
            overlap(a, at_a, b, at_b), overlap(a, at_a, b, at_b)
            overlap(a, at_a, b, at_b), overlap(a, at_a, b, at_b)
        times.append(process_time_ns() - began)
    return Cost("overlap()", "call", min(times) / 1000, "empty call", empty)


def _small_costs(empty: float) -> Iterator[Cost]:
    made = scene("uniform", 10)
    world, ids = made.world(), made.ids().tobytes()
    poses = [made.poses(frame).tobytes() for frame in range(2)]
    world.step()

    def frame() -> None:
        world.set_pose_many(ids, poses[0])
        world.step()

    yield Cost("step(), 10 colliders", "call", least(world.step, calls=500), "empty call", empty)
    yield Cost(
        "set_pose_many() and step(), 10", "frame", least(frame, calls=500), "empty call", empty
    )


def _predicate_costs() -> Iterator[Cost]:
    random, pairs = Random(3), 20_000
    cylinder, box = Cylinder(ONE // 2, ONE), Box(ONE // 2, ONE, ONE * 3 // 10)
    for name, a, b in (
        ("cylinder and cylinder", cylinder, cylinder),
        ("cylinder and box", cylinder, box),
        ("box and box", box, box),
    ):
        yield _predicate_cost(f"overlap_many, {name}", random, pairs, a, b)


def _predicate_cost(what: str, random: Random, pairs: int, a: Shape, b: Shape) -> Cost:
    """With the plain formula of shapes of these kinds, if there is a compiler and one that all
    games have.
    """

    def poses() -> bytes:
        return pack_poses(
            Pose(random.below(2 * ONE), 0, random.below(2 * ONE), random.below(65536))
            for _ in range(pairs)
        )

    rows = [pack_shapes([a]) * pairs, poses(), pack_shapes([b]) * pairs, poses()]
    run = partial(kernel.overlap_many, ("shapes_a", "poses_a", "shapes_b", "poses_b"), rows, pairs)
    made = compiled()
    if made is None or isinstance(a, Box):
        return Cost(what, "pair", least(run) / pairs)
    other, library = made
    turned = kernel.address("direction") if isinstance(b, Box) else 0
    numbers = [other.from_buffer("int32_t[]", data) for data in rows]
    plain = other.new("uint8_t[]", pairs)
    plainly = partial(
        library.plain_contacts, pairs, other.cast("direction", turned), *numbers, plain
    )
    costs = [(least(run, repeats=5), least(plainly, repeats=5)) for _ in range(4)]
    if not isinstance(b, Box) and run() != bytes(other.buffer(plain)):
        raise RuntimeError("cylinders meet otherwise by the plain formula")
    ours, theirs = (min(cost) / pairs for cost in zip(*costs, strict=True))
    return Cost(what, "pair", ours, "the plain formula in C", theirs)


def _cast_pair_costs() -> Iterator[Cost]:
    for cast in cast_costs():
        where = f"near, {cast.met:.0%} meet" if cast.near else "far"
        yield Cost(f"cast_pair, {cast.kinds}, {where}", "pair", cast.cost)


def _frame_cost(made: Scene) -> float:
    moves = [made.poses(frame) for frame in range(1, FRAMES + 1)]
    times = []
    for _ in range(3):
        world, ids = made.world(), made.ids()
        for poses in moves:
            began = process_time_ns()
            world.set_pose_many(ids, poses)
            world.step()
            times.append(process_time_ns() - began)
    return min(times)


def _state_costs(made: Scene) -> Iterator[Cost]:
    world = made.world()
    world.step()
    state = world.save()
    view, n = memoryview(state), made.count
    copy = least(view.tobytes, repeats=50)
    for what, run in (("save()", world.save), ("load()", lambda: world.load(state))):
        yield Cost(f"{what}, {n}", "call", least(run, repeats=50), "copy of the same bytes", copy)
    hashed = Cost(f"hash(), {n}", "call", least(world.hash, repeats=50))
    if find_spec("xxhash"):
        import xxhash

        hashed.yardstick, hashed.hash = "xxhash of the same bytes", f"{world.hash():016x}"
        hashed.yardstick_cost = least(lambda: xxhash.xxh64_intdigest(state), repeats=50)
        if world.hash() != xxhash.xxh64_intdigest(state):
            raise RuntimeError("hash() is not the XXH64 of the state")
    yield hashed


def _rollback_cost(made: Scene) -> Cost:
    """Going back by loading a state of 8 frames ago and stepping those frames again, as a session
    does, but without saving them anew."""
    moves = [made.poses(frame) for frame in range(1, _BACK + 4)]
    ids = made.ids()
    steps, backs = [], []
    for _ in range(3):
        world, saved = made.world(), deque[bytes](maxlen=_BACK + 1)
        for poses in moves:
            saved.append(world.save())
            steps.append(_timed(world, ids, [poses]))
        end = world.hash()
        began = process_time_ns()
        world.load(saved[-_BACK])
        _timed(world, ids, moves[-_BACK:])
        backs.append(process_time_ns() - began)
        if world.hash() != end:
            raise RuntimeError("going back and stepping again led to another state")
    what = f"back {_BACK} frames, and stepping them again, {made.count}"
    return Cost(what, "time", min(backs), "frame", sorted(steps)[len(steps) // 4], f"{end:016x}")


def _timed(world: World, ids: array[int], moves: list[array[int]]) -> int:
    began = process_time_ns()
    for poses in moves:
        world.set_pose_many(ids, poses)
        world.step()
    return process_time_ns() - began


def _query_costs(made: Scene) -> Iterator[Cost]:
    """1,000 skill areas, one at each of 1,000 colliders: melee, 1 to 2 units large, and spells, 1
    to 5.
    """
    world, ids, moves = made.world(), made.ids(), made.poses(1)
    for name, largest in (("melee", 2), ("spell", 5)):
        frames, fresh, stale = [], [], []
        rows = _areas(made, largest)
        ask = partial(world.query_many, rows)
        for frame in range(1, 12):
            frames.append(_timed(world, ids, [made.poses(frame)]))
            fresh.append(least(ask, repeats=1))
            world.set_pose_many(ids, moves)
            stale.append(least(ask, repeats=1))
        what = f"1,000 {name} queries ({len(ask().ids)} ids)"
        yield Cost(f"{what} after a step, {made.count}", "all", min(fresh), "frame", min(frames))
        yield Cost(f"{what} after a change, {made.count}", "all", min(stale), "frame", min(frames))


def _areas(made: Scene, largest: int) -> bytes:
    """1,000 rows of queries: sectors, cylinders and boxes."""
    random, areas = Random(4), []
    for i in range(1_000):
        size = random.between(ONE, largest * ONE)
        kind, half_angle = (i % 3) + 2, random.between(2000, 12000) if i % 3 == 2 else 0
        sizes = (size, ONE, size // 2) if kind == 3 else (size, ONE, 0)
        at = made.pose(i * made.count // 1_000, 1)
        areas.append(struct.pack("=IIiiiiiiIII", kind, half_angle, *sizes, *at, 2**32 - 1, 0))
    return b"".join(areas)


def _cast_costs(made: Scene) -> Cost:
    """1,000 casts: bullets (spheres of radius 1), dashes (capsules) and blades (boxes), one from
    each of 1000 colliders, 1 to 8 units far on each horizontal axis; the first two contacts of
    each, of which one is the collider it starts from."""
    random, world, ids = Random(5), made.world(), made.ids()
    shapes = pack_shapes([RAY, Capsule(ONE // 2, ONE // 2), Box(ONE, ONE // 8, ONE // 4)])
    rows = b""
    for i in range(1_000):
        mx, mz = (random.between(ONE, 8 * ONE) * random.choice((-1, 1)) for _ in range(2))
        at = struct.pack("=4i", *made.pose(i * made.count // 1_000, FRAMES))
        rows += (
            shapes[20 * (i % 3) :][:20] + at + struct.pack("=3i4I", mx, 0, mz, 2**32 - 1, 0, 2, 0)
        )
    frames = [_timed(world, ids, [made.poses(frame)]) for frame in range(1, FRAMES + 1)]
    cost = least(lambda: world.cast_many(rows), repeats=10)
    told = sum(map(len, world.cast_many(rows)))
    return Cost(f"1,000 casts ({told} hits), {made.count}", "all", cost, "frame", min(frames))

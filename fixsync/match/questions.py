"""The kernel id: sixteen bytes, equal for kernels that give the same answers.

It is a digest over the answers to a fixed list of questions, put to the kernel that is loaded:
angles, contacts of every two kinds of shape, two sectors among them, push-outs, casts, worlds with
their events, queries and saved bytes, casts at the seams of tiled floors, colliders that all move
at once, characters that move and give way, and platforms. Peers exchange it before a match. Two
kernels that differ in any of these answers refuse each other, whatever their version numbers say;
two that agree may be of different versions, compilers and machines.

The questions are drawn from a seeded generator: everyday ones, ones that lie right at a contact,
and the extremes of the domain. `tests/test_kernel_id.py` asks the slow model the same ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from fixsync._native.kinds import KINDS
from fixsync._native.raw import HALF_ANGLE_MAX, INT32_MAX, INT32_MIN, SIZE_MAX, UINT32_MAX
from fixsync.base.numbers import ONE, direction, length, yaw_of
from fixsync.game.motion import Mover, carry, move_and_slide, separate
from fixsync.game.random import Random
from fixsync.world.shapes import (
    Box,
    Pose,
    Shape,
    cast_pair,
    lift,
    overlap_many,
    push_out,
    shape_from_tuple,
    side,
)
from fixsync.world.world import World

__all__ = ["KERNEL_ID_BYTES", "kernel_id"]

KERNEL_ID_BYTES = 16
_SEED = 0x46585331
_YAWS = 256
_PAIRS = 1000
_SECTORS = 300
_PUSHED = 150
_CAST = 150
_WORLD_FRAMES = 12
_WORLD_IDS = 24
_SEAM_WORLDS = 8
_BALLS = 20
_MOVER_WORLDS = 12
_MOVER_FRAMES = 8
_ALL = len(KINDS)
_SOLID = [kind.code for kind in KINDS if kind.can_push and kind.can_cast]


@cache
def kernel_id() -> bytes:
    """Sixteen bytes, the same for every kernel that answers as this one does. The first call takes
    milliseconds.
    """
    digest = hashlib.blake2b(digest_size=KERNEL_ID_BYTES, person=b"fixsync kernel")
    for part in (_angles, _contacts, _sectors, _pushes, _casts, _worlds, _seams, _movers):
        for answer in part(Random(_SEED)):
            digest.update(answer)
    return digest.digest()


def _packed(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(9, "little", signed=True) for number in numbers)


def _angles(random: Random) -> Iterator[bytes]:
    for _ in range(_YAWS):
        yield _packed(*direction(random.below(65536)))
        parts = [_difference(random) for _ in range(3)]
        yield _packed(yaw_of(parts[0], parts[2]), length(*parts))


def _difference(random: Random) -> int:
    if random.chance(1, 4):
        return random.choice((0, 1, -1, UINT32_MAX, -UINT32_MAX))
    return _wide(random, 33)


def _wide(random: Random, bits: int) -> int:
    """A number of either sign whose size is itself drawn: as likely small as large."""
    limit = 1 << random.below(bits)
    return random.between(1 - limit, limit - 1)


def contact_questions(random: Random) -> Iterator[tuple[Shape, Pose, Shape, Pose]]:
    """Pairs of shapes: three of five right where they may touch, one of five at the ends of the
    domain.
    """
    for i in range(_PAIRS):
        is_extreme = i % 5 == 4
        a, b = (_shape(random, kind, is_extreme) for kind in (i // 5 % _ALL, i // 5 // _ALL % _ALL))
        here = _pose(_coordinates(random, is_extreme), random.choice((0, 16384, 32768)))
        reach = _extent(a) + _extent(b)
        if is_extreme:
            there = _pose(_coordinates(random, is_extreme), random.below(65536))
        elif i % 5 < 3:
            # Side by side, a raw unit around where they touch, with quarter turns and with any.
            far, up = reach + random.choice((0, 0, 1, -1)), random.choice((0, 0, 1))
            yaw = random.choice((0, 16384)) if i % 5 < 2 else random.below(65536)
            there = Pose(_near(here.x + far), _near(here.y + up), here.z, yaw)
        else:
            moved = [_near(value + random.between(-reach, reach)) for value in _at(here)]
            there = _pose(moved, random.below(65536))
        yield a, here, b, there


def _pose(position: Sequence[int], yaw: int) -> Pose:
    x, y, z = position
    return Pose(x, y, z, yaw)


def _at(pose: Pose) -> tuple[int, int, int]:
    return pose.x, pose.y, pose.z


def _near(value: int) -> int:
    return min(max(value, INT32_MIN), INT32_MAX)


def _coordinates(random: Random, is_extreme: bool) -> list[int]:
    if is_extreme:
        return [random.choice((INT32_MIN, INT32_MAX, 0, _wide(random, 31))) for _ in range(3)]
    return [random.between(-100 * ONE, 100 * ONE) for _ in range(3)]


def _extent(shape: Shape) -> int:
    """The first size, which is that along x."""
    return shape._row[2]


def _shape(random: Random, kind: int, is_extreme: bool) -> Shape:
    values: list[int] = []
    for each in KINDS[kind].sizes:
        if each.is_hole:
            values.append(random.choice((0, random.below(values[0]), values[0] - 1)))
        elif each.high == HALF_ANGLE_MAX:
            values.append(random.choice((1, 16384, each.high, random.between(1, each.high))))
        elif is_extreme:
            size = random.choice((1, SIZE_MAX, 1 + random.below(SIZE_MAX)))
            values.append(min(size - 1 + each.low, each.high))
        else:
            values.append(min(random.between(1, 4 * ONE) - 1 + each.low, each.high))
    return shape_from_tuple((KINDS[kind].name, *values))


def _ball(radius: int) -> Shape:
    """A sphere of any radius, without a TinyValueWarning."""
    return shape_from_tuple(("sphere", radius))


def _contacts(random: Random) -> Iterator[bytes]:
    columns: list[Any] = list(map(list, zip(*contact_questions(random), strict=True)))
    yield overlap_many(*columns)


def _solids(i: int) -> tuple[int, int]:
    """The kinds of the i-th pair of kinds that are pushed and cast."""
    n = len(_SOLID)
    return _SOLID[i % n], _SOLID[i // n % n]


def near_questions(random: Random, count: int) -> Iterator[tuple[Shape, Pose, Shape, Pose]]:
    """Pairs without a sector, the second no farther from the first than some distance that is
    itself drawn."""
    for i in range(count):
        a, b = (_shape(random, kind, i % 5 == 4) for kind in _solids(i))
        here = _pose(_coordinates(random, i % 5 == 4), random.below(65536))
        there = _pose(
            [_near(value + _wide(random, 18)) for value in _at(here)], random.below(65536)
        )
        yield a, here, b, there


def _pushes(random: Random) -> Iterator[bytes]:
    for a, here, b, there in near_questions(random, _PUSHED):
        yield _packed(*push_out(a, here, b, there), lift(a, here, b, there))
        if isinstance(b, Box):
            yield _packed(side(a, here, b, there))


def _casts(random: Random) -> Iterator[bytes]:
    for a, here, b, there in near_questions(random, _CAST):
        # Towards the other, past it or short of it, or anywhere.
        way = [there.x - here.x, there.y - here.y, there.z - here.z]
        if random.chance(1, 4):
            way = [_wide(random, 20) for _ in range(3)]
        far = random.choice((1, 2, 4))
        x, y, z = (min(max(part * far // 2, -SIZE_MAX), SIZE_MAX) for part in way)
        met = cast_pair(a, here, (x, y, z), b, there, (0, 0, 0), hit_when=random.choice((1, 2)))
        yield b"" if met is None else _packed(met[0], *met[1])


def _worlds(random: Random) -> Iterator[bytes]:
    layers = [(i, j) for i in range(4) for j in range(i, 4) if (i, j) != (2, 2)]
    for hit_when in (1, 2):
        world = World(_WORLD_IDS, hit_when=hit_when, layers=layers)
        for frame in range(_WORLD_FRAMES):
            for id in range(_WORLD_IDS):
                _change(random, world, id)
            for event in world.step():
                yield _packed(*event)
            shape = _shape(random, frame % _ALL, False)
            yield _packed(*world.query(shape, _place(random), exclude_owner=1 + frame % 3))
            ray = (random.between(-9 * ONE, 9 * ONE), 0, random.between(-9 * ONE, 9 * ONE))
            ball = _ball(1 + random.below(ONE))
            for hit in world.cast(ball, _place(random), ray, limit=frame % 3):
                yield _packed(hit[0], hit[1], *hit[2])
            if frame % 4 == 3:
                for moved in world.separate([(0, 0), (0, 1)], passes=2):
                    yield _packed(*moved)
            if frame % 5 == 2:
                world.load(world.save())
            yield world.save() + _packed(world.hash())


def sector_questions(random: Random) -> Iterator[tuple[Shape, Pose, Shape, Pose]]:
    """Two sectors without holes, not much further apart than they reach."""
    for _ in range(_SECTORS):
        a, b = (
            shape_from_tuple(
                (
                    "sector",
                    1 + random.below(2 * ONE),
                    random.choice((1, 8192, 16384, 16385, 32768, random.between(1, 32768))),
                    ONE,
                )
            )
            for _ in range(2)
        )
        reach = _extent(a) + _extent(b)
        x, z = (random.between(-reach, reach) * 3 // 4 for _ in range(2))
        yield a, Pose(0, 0, 0, random.below(65536)), b, Pose(x, 0, z, random.below(65536))


def _sectors(random: Random) -> Iterator[bytes]:
    columns: list[Any] = list(map(list, zip(*sector_questions(random), strict=True)))
    yield overlap_many(*columns)


def _seams(random: Random) -> Iterator[bytes]:
    """Small fast balls that land on a floor of tiles, where two tiles meet: both are met at one
    fraction, and the nearest is first. The tile ahead has now the lower id, now the higher one."""
    for _ in range(_SEAM_WORLDS):
        world, way = World(2 + _BALLS), random.choice((1, -1))
        for id in range(2):
            world.add(id, Box(ONE, ONE // 4, ONE), Pose(way * (2 * id - 1) * ONE, -ONE // 4, 0))
        motions = {}
        for id in range(2, 2 + _BALLS):
            radius, ahead, down = (1 + random.below(4 * ONE >> bits) for bits in (5, 0, 3))
            start = Pose(random.between(-9, 9) - ahead, radius + down, 0)
            motions[id] = 2 * ahead, -2 * down, 0
            for hit in world.cast(_ball(radius), start, motions[id], limit=random.below(3)):
                yield _packed(hit[0], hit[1], *hit[2])
            world.add(id, _ball(radius), start, owner=1)
        for pair in world.sweep_pairs(motions):
            yield _packed(pair[0], pair[1], pair[2], *pair[3])


def _place(random: Random) -> Pose:
    return _pose([random.between(-8 * ONE, 8 * ONE) for _ in range(3)], random.below(65536))


def _change(random: Random, world: World, id: int) -> None:
    """One of the things that may happen to a collider between two steps."""
    if id not in world:
        if random.chance(1, 2):
            offset = tuple(_wide(random, 17) if random.chance(1, 4) else 0 for _ in range(3))
            world.add(
                id,
                _shape(random, random.below(_ALL), False),
                _place(random),
                layer=random.below(4),
                owner=random.below(4),
                offset=offset,  # type: ignore[arg-type] # three, as written
                active=random.chance(7, 8),
            )
        return
    changes: tuple[Callable[[], None], ...] = (
        lambda: world.remove(id),
        lambda: world.turn(id, random.below(65536)),
        lambda: world.set_shape(id, _shape(random, random.below(_ALL), False)),
        lambda: world.set_owner(id, random.below(4)),
        lambda: world.set_layer(id, random.below(4)),
        lambda: world.set_active(id, random.chance(1, 2)),
        lambda: world.set_pose(id, _place(random)),
        lambda: None,
    )
    random.choice(changes)()


def _movers(random: Random) -> Iterator[bytes]:
    """Characters among blocks that touch each other: masks that the matrix does not allow, one-way
    layers, platforms that carry and push, and crowds that give way."""
    for i in range(_MOVER_WORLDS):
        world = World(_WORLD_IDS, layers=[(0, 1)])
        for id in range(_WORLD_IDS):
            shape = _shape(random, _SOLID[id % len(_SOLID)], False)
            x, y, z = (random.between(-6, 6) * ONE for _ in range(3))
            world.add(id, shape, Pose(x, y, z, random.below(4) * 16384), layer=id % 3)
        masks = (None, 0), (6, 0), (1, 6), (5, 2)
        movers = [
            Mover(mask=mask, one_way=one_way, step_height=ONE * (i % 2) // 4, snap=ONE // 4)
            for mask, one_way in masks
        ]
        for _ in range(_MOVER_FRAMES):
            yield from _moves(random, world, movers)


def _moves(random: Random, world: World, movers: Sequence[Mover]) -> Iterator[bytes]:
    riders = {id: movers[id % len(movers)] for id in range(0, _WORLD_IDS, 3)}
    x, y, z = (random.between(-ONE, ONE) for _ in range(3))
    for id, row in carry(world, (1, 2, 4), (x, y, z), riders).items():
        flags = row.rode, row.shoved, row.held, row.crushed, row.squeezed
        yield _packed(id, *row.motion, *map(int, flags), -1 if row.by is None else row.by)
    world.step()
    for place in separate(world, [(0, 1), (1, 0)], riders, passes=2):
        yield _packed(*place)
    for id, mover in riders.items():
        found = mover.move(world, id, (x, random.choice((-ONE // 8, -9 * ONE, ONE)), z))
        yield _packed(*found.motion, -1 if found.floor is None else found.floor)
        yield b"".join(_packed(hit[0], hit[1], *hit[2]) for hit in found.hits)
    for hit in move_and_slide(world, 5, (x, 0, z), mask=random.choice((None, 1, 2))):
        yield _packed(hit[0], hit[1], *hit[2])
    yield _packed(world.hash())

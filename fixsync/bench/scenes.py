"""The scenes: a function of their name and the number of colliders, in integers alone, so that
every machine steps through the same states and comes to the same hashes.

By default half of the colliders are cylinders of radius 0.5 and half are boxes of half
sizes 0.5 and 0.3, with any yaw, turning, 0.03 to 0.07 units fast, reflected by walls; there is room
for about one overlapping pair a collider."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from math import isqrt
from typing import NamedTuple

from fixsync.base.numbers import ONE
from fixsync.game.random import Random
from fixsync.world.records import COLLIDER_FORMAT
from fixsync.world.shapes import Box, Capsule, Cylinder, Shape, Sphere, shape_from_tuple
from fixsync.world.world import World

SEED = 20260

_RADIUS = ONE // 2
_THIN = ONE * 3 // 10
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_ROW = struct.Struct(COLLIDER_FORMAT)


class Axis(NamedTuple):
    """A motion between two walls: at frame f it is `low` and the distance start + f * speed, folded
    back at 0 and at `span`."""

    low: int
    span: int
    start: int
    speed: int

    def at(self, frame: int) -> int:
        period = 2 * self.span
        distance = (self.start + frame * self.speed) % period if period else 0
        return self.low + (distance if distance <= self.span else period - distance)


@dataclass
class Scene:
    """Colliders with ids 0..n-1 and how they move."""

    name: str
    layers: list[tuple[int, int]] | None = None
    shapes: list[Shape] = field(default_factory=list)
    motions: list[tuple[Axis, Axis, Axis, int, int]] = field(default_factory=list)
    """Of each collider x, y, z, its yaw at frame 0 and its turn a frame."""
    traits: dict[int, tuple[int, int, tuple[int, int, int]]] = field(default_factory=dict)
    """Layer, owner and offset, where one of them is not 0."""
    diagonal: bool = False
    """z is relative to x."""
    moving: range = field(default_factory=lambda: range(0))

    @property
    def count(self) -> int:
        return len(self.shapes)

    def put(self, shape: Shape, x: Axis, y: Axis, z: Axis, yaw: int, turn: int) -> None:
        self.shapes.append(shape)
        self.motions.append((x, y, z, yaw, turn))

    def pose(self, id: int, frame: int) -> tuple[int, int, int, int]:
        """Where a collider is at a frame: x, y, z and yaw."""
        along_x, along_y, along_z, yaw, turn = self.motions[id]
        x, z = along_x.at(frame), along_z.at(frame)
        return x, along_y.at(frame), z + x if self.diagonal else z, (yaw + turn * frame) % 65536

    def poses(self, frame: int) -> array[int]:
        """Rows for `World.set_pose_many` of the ids that move."""
        return array("i", [number for id in self.moving for number in self.pose(id, frame)])

    def ids(self) -> array[int]:
        """The ids that move."""
        return array("I", self.moving)

    def colliders(self) -> bytes:
        """Rows for `World.add_many`: all colliders at frame 0."""
        rows = []
        for id, shape in enumerate(self.shapes):
            kind, half_angle, *sizes = shape._row
            x, y, z, yaw = self.pose(id, 0)
            layer, owner, offset = self.traits.get(id, (0, 0, (0, 0, 0)))
            rows.append(
                _ROW.pack(id, kind, layer, 1, 0, yaw, half_angle, owner, x, y, z, *offset, *sizes)
            )
        return b"".join(rows)

    def world(self) -> World:
        """A world that holds it, at frame 0, not yet stepped."""
        world = World(self.count, layers=self.layers)
        world.add_many(self.colliders())
        return world


SCENES: dict[str, Callable[[int], Scene]] = {}
"""The scenes by name: each a function of the number of colliders."""


def scene(name: str, count: int) -> Scene:
    """A scene of SCENES with so many colliders, at least 2."""
    if name not in SCENES:
        raise ValueError(f"there is no scene {name!r}, only {', '.join(SCENES)}")
    if count < 2:
        raise ValueError(f"a scene has at least 2 colliders, not {count}")
    made = SCENES[name](count)
    made.name = name
    made.moving = made.moving or range(made.count)
    return made


def _named(make: Callable[[int], Scene]) -> Callable[[int], Scene]:
    SCENES[make.__name__] = make
    return make


# What the scenes are made of.

_STILL = Axis(0, 0, 0, 0)


def _speed(random: Random) -> int:
    return random.between(ONE * 3 // 100, ONE * 7 // 100) * (1 if random.below(2) else -1)


def _between(random: Random, low: int, high: int) -> Axis:
    return Axis(low, high - low, random.below(high - low + 1), _speed(random))


def _turn(random: Random) -> tuple[int, int]:
    return random.below(65536), random.between(-700, 700)


def _usual(random: Random, half_height: int = ONE) -> Shape:
    if random.below(2):
        return Cylinder(_RADIUS, half_height)
    return Box(_RADIUS, half_height, _THIN)


def _side(count: int) -> int:
    """Of a square where each collider has an area of 1.5: two of them overlap in 2.99 on average,
    and each pair counts once."""
    return isqrt(count * 3 * ONE * ONE // 2)


def _square(count: int) -> Scene:
    random, made, side = Random(SEED), Scene(""), _side(count)
    for _ in range(count):
        x, z = _between(random, 0, side), _between(random, 0, side)
        made.put(_usual(random), x, _STILL, z, *_turn(random))
    return made


@_named
def uniform(count: int) -> Scene:
    """A square, equally full everywhere."""
    return _square(count)


@_named
def clustered(count: int) -> Scene:
    """90% of the colliders in a square of 5% of the area."""
    random, made, side = Random(SEED), Scene(""), _side(count)
    small = isqrt(side * side // 20)
    low = (side - small) // 3
    for id in range(count):
        start, end = (0, side) if id % 10 == 0 else (low, low + small)
        x, z = _between(random, start, end), _between(random, start, end)
        made.put(_usual(random), x, _STILL, z, *_turn(random))
    return made


def _line(count: int, axis: int) -> Scene:
    """The domain is 65,536 units long: from 60,000 colliders on they stand closer."""
    random, made, half = Random(SEED), Scene(""), min(count, 60_000) * ONE // 2
    for _ in range(count):
        axes = [_STILL, _STILL, _STILL]
        axes[axis] = _between(random, -half, half)
        x, y, z = axes
        made.put(_usual(random, ONE // 2), x, y, z, *_turn(random))
    return made


@_named
def line(count: int) -> Scene:
    """All on one line along x."""
    return _line(count, 0)


@_named
def line_z(count: int) -> Scene:
    """All on one line along z."""
    return _line(count, 2)


@_named
def line_y(count: int) -> Scene:
    """All above each other on one line along y."""
    return _line(count, 1)


@_named
def diagonal(count: int) -> Scene:
    """A band 4 units wide on z along the diagonal of x and z."""
    random, made = Random(SEED), Scene("", diagonal=True)
    length = count * 3 * ONE // 8
    for _ in range(count):
        x, z = _between(random, -length // 2, length // 2), _between(random, -2 * ONE, 2 * ONE)
        made.put(_usual(random), x, _STILL, z, *_turn(random))
    return made


@_named
def power_law(count: int) -> Scene:
    """Cylinders of radius 0.05 to 500: four decades; half as many of twice the size."""
    random, made = Random(SEED), Scene("")
    side = isqrt(count * 128) * ONE
    for _ in range(count):
        # 1 / u for a u in (0, 1], cut off at four decades; in 1/2^20.
        scale = min((1 << 60) // (1 + random.below(1 << 40)), 10_000 << 20)
        radius = ONE // 20 * scale >> 20
        x, z = _between(random, -side // 2, side // 2), _between(random, -side // 2, side // 2)
        made.put(Cylinder(radius, ONE), x, _STILL, z, *_turn(random))
    return made


@_named
def giant(count: int) -> Scene:
    """As uniform, but one box is as large as the map."""
    made, half = _square(count), _side(count) // 2
    made.shapes[0] = Box(half, ONE, half)
    made.motions[0] = (Axis(half, 0, 0, 0), _STILL, Axis(half, 0, 0, 0), 0, 0)
    return made


def _stacked(count: int, layers: list[tuple[int, int]]) -> Scene:
    """Four points with a layer each; all that stand on one of them are within 0.1 of it."""
    random, made = Random(SEED), Scene("", layers=layers)
    for id in range(count):
        low = id % 4 * 100 * ONE
        x, z = _between(random, low, low + ONE // 10), _between(random, 0, ONE // 10)
        made.put(_usual(random), x, _STILL, z, *_turn(random))
        made.traits[id] = (id % 4, 0, (0, 0, 0))
    return made


@_named
def stacked(count: int) -> Scene:
    """All on four points, on layers that meet no layer that is there."""
    return _stacked(count, [(layer, layer + 4) for layer in range(4)])


@_named
def stacked_apart(count: int) -> Scene:
    """All on four points, a layer each, that meets the layers of the other points and not
    itself.
    """
    return _stacked(count, [(a, b) for a in range(4) for b in range(a)])


@_named
def corners(count: int) -> Scene:
    """In the eight corners of the domain, centres up to its last coordinate."""
    random, made, side = Random(SEED), Scene(""), _side(count // 8 + 1)
    for id in range(count):
        x, z = (
            _between(random, _INT32_MIN, _INT32_MIN + side)
            if id & bit
            else _between(random, _INT32_MAX - side, _INT32_MAX)
            for bit in (1, 2)
        )
        y = Axis(_INT32_MIN if id & 4 else _INT32_MAX, 0, 0, 0)
        made.put(_usual(random), x, y, z, *_turn(random))
    return made


@_named
def idle(count: int) -> Scene:
    """As uniform, but only every twentieth moves."""
    made = _square(count)
    made.moving = range(0, count, 20)
    return made


@_named
def volume(count: int) -> Scene:
    """A cube, equally full everywhere, all moving up and down too."""
    random, made = Random(SEED), Scene("")
    side = 1
    while side**3 < count * 3 * ONE**3:  # to within a part in 32
        side += side // 32 + 1
    for _ in range(count):
        x, y, z = (_between(random, 0, side) for _ in range(3))
        made.put(_usual(random, ONE // 2), x, y, z, *_turn(random))
    return made


@_named
def mixed(count: int) -> Scene:
    """All kinds, owners, eight layers whose neighbours do not meet, offsets; a slab 4 units high."""
    random = Random(SEED)
    layers = [(a, b) for a in range(8) for b in range(a + 1) if a - b != 1]
    made, side = Scene("", layers=layers), _side(count * 2 // 3)
    for id in range(count):
        shape: Shape = (
            Sphere(_RADIUS),
            Capsule(_RADIUS, ONE // 3),
            Cylinder(_RADIUS, ONE),
            Box(_RADIUS, ONE, _THIN),
            shape_from_tuple(("sector", ONE * 3 // 2, 1 + random.below(32768), ONE)),
        )[id % 5]
        x, z = _between(random, 0, side), _between(random, 0, side)
        made.put(shape, x, _between(random, 0, 4 * ONE), z, *_turn(random))
        offset = (
            (random.below(ONE), random.below(ONE) - ONE // 2, 0)
            if random.below(4) == 0
            else (0, 0, 0)
        )
        made.traits[id] = (random.below(8), random.below(count // 2), offset)
    return made

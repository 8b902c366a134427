"""Carry in plain Python integers: the contract's steps of one raw unit, one after the other, with
the casts of the model. It imports nothing of fixsync."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from model import OVERLAPPING, Vec3
from model_motion import NOTHING, Hit, Mover, difference, sum_of

RODE, SHOVED, HELD, CRUSHED, SQUEEZED = 1, 2, 4, 8, 16
UP, DOWN = (0, 1, 0), (0, -1, 0)


@dataclass
class Passenger:
    """A mover of the list, and its row."""

    walk: Mover
    start: Vec3
    floor: int | None = None
    rides: bool = False
    rides_on: bool = False
    """Along this axis."""
    flags: int = 0
    stopped_by: int = 0
    shoved_by: int | None = None

    @property
    def row(self) -> tuple[int, Vec3, Vec3, int, int]:
        if self.flags & HELD:
            by = self.stopped_by
        elif self.flags & RODE and self.floor is not None:
            by = self.floor
        else:
            by = self.shoved_by or 0
        at = self.walk.position
        return self.walk.id, at, difference(at, self.start), self.flags, by

    def hold(self, by: int) -> None:
        self.flags |= HELD
        self.stopped_by = by
        self.rides_on = False


def floor_of(walk: Mover) -> int | None:
    """The first obstacle that a mover meets as a floor one raw unit down."""
    hits = [hit for hit in walk.hits(DOWN) if hit[2] != NOTHING and walk.is_floor(hit)]
    return hits[0][0] if hits else None


def blocking(walk: Mover, step: Vec3, ids: set[int] | None, without: set[int]) -> list[Hit]:
    """What of some ids (None: all) a step meets that it does not overlap now."""
    return [
        hit
        for hit in walk.hits(step)
        if hit[2] != NOTHING and hit[0] not in without and (ids is None or hit[0] in ids)
    ]


def carry(
    world: Any, moving: list[int], motion: Vec3, movers: dict[int, tuple[Any, ...]]
) -> list[tuple[int, Vec3, Vec3, int, int]]:
    """Rows (id, position, motion made, flags, by). movers: settings of `Mover`, by id."""

    walks = {id: Mover(world, id, movers[id]) for id in sorted(movers)}
    riders = {id: Passenger(walk, walk.position, floor_of(walk)) for id, walk in walks.items()}
    for _ in riders:  # so many may stand on one another
        for one in riders.values():
            on = riders.get(one.floor) if one.floor is not None else None
            one.rides |= one.floor in moving or (on is not None and on.rides)
    for one in riders.values():
        one.flags = RODE if one.rides else 0
    apart = [pair for pair in combinations(riders, 2) if world.contact(*pair) < OVERLAPPING]
    x, y, z = motion
    for way in ((0, max(0, y), 0), (x, 0, 0), (0, 0, z), (0, min(0, y), 0)):
        for one in riders.values():
            one.rides_on = one.rides
        length = max(map(abs, way))
        for _ in range(length):
            take_step(world, moving, riders, tuple(c // length for c in way))
    for id, one in riders.items():
        if any(blocks(world, by, one.walk) and overlap(world, id, by) for by in moving):
            one.flags |= CRUSHED
    for a, b in apart:
        either = blocks(world, b, walks[a]) or blocks(world, a, walks[b])
        if either and world[a].active and world[b].active and overlap(world, a, b):
            riders[a].flags |= SQUEEZED
            riders[b].flags |= SQUEEZED
    return [one.row for one in riders.values()]


def overlap(world: Any, a: int, b: int) -> bool:
    return bool(world.contact(a, b) == OVERLAPPING)


def blocks(world: Any, id: int, walk: Mover) -> bool:
    """Whether a collider blocks a mover, by mask and owner."""
    one, owner = world[id], world[walk.id].owner
    return bool(walk.layers >> one.layer & 1 and (owner == 0 or owner != one.owner))


def take_step(world: Any, moving: list[int], riders: dict[int, Passenger], step: Any) -> None:
    back = tuple(-c for c in step)
    inside = set(moving) | riders.keys()
    stops = {id: blocking(one.walk, step, None, inside) for id, one in riders.items()}
    shoves = {id: blocking(one.walk, back, set(moving), set()) for id, one in riders.items()}
    for id, one in riders.items():
        if one.rides_on and stops[id]:
            one.hold(stops[id][0][0])
    for _ in riders:
        for one in riders.values():
            below = riders.get(one.floor) if one.floor is not None else None
            if one.rides_on and below is not None and not below.rides_on:
                one.hold(below.walk.id)
    going = []
    for id, one in riders.items():
        if one.rides_on:
            going.append(id)
        elif shoves[id]:
            one.flags |= SHOVED
            one.shoved_by = shoves[id][0][0] if one.shoved_by is None else one.shoved_by
            if not stops[id]:
                going.append(id)
                continue
            one.hold(stops[id][0][0])
            if any(not one.walk.one_way >> one.walk.layer(hit[0]) & 1 for hit in shoves[id]):
                one.flags |= CRUSHED
    for id in [*moving, *going]:
        world.move(id, *sum_of(world[id].pose[:3], step))

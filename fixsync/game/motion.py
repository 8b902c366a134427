"""What to do with the answer of a cast: how far to go, how to slide along what was met, how to
bounce off it. And how characters move: along walls, up steps, down to the floor.

A motion is (mx, my, mz), Q16.16; a fraction and a normal are those of `World.cast`, `World.sweep`
and `cast_pair`. All is computed in integers, rounded to raw units as said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fixsync import records
from fixsync._native import (
    INT32_MAX,
    INT32_MIN,
    SIZE_MAX,
    UINT32_MAX,
    integer,
    integers,
    kit,
)
from fixsync._native.kit import MOVER_FLAGS, NORMAL_MAX, PASSES_MAX
from fixsync.numbers import ONE
from fixsync.records import CastHit, cast_hits
from fixsync.shapes import motion_of
from fixsync.world import World

__all__ = ["Mover", "MoverResult", "along", "bounce", "move_and_slide", "slide"]

Motion = tuple[int, int, int]

_DEGREES_45 = 759250125  # cos(45 degrees) in Q2.30


def along(motion: Motion, fraction: int, normal: Motion | None = None) -> Motion:
    """The part of a motion up to a fraction (0..65536): motion * fraction / 65536.

    With the normal of the hit it is rounded to where that points, so that what moves comes to rest
    outside of what it met, less than a raw unit off on each axis; without, toward zero."""
    part = integer("fraction", fraction, 0, 65536)
    out = None if normal is None else _normal_of(normal)
    return kit.along(motion_of("motion", motion), part, out)


def slide(motion: Motion, normal: Motion) -> Motion:
    """A motion without what of it goes into a surface: what is left of a dash at a wall.

    It never leads into the surface: its dot product with the normal is 0 or more. A motion along
    the surface, or away from it, stays as it is. Otherwise as `bounce` that keeps nothing."""
    return bounce(motion, normal, 0)


def bounce(motion: Motion, normal: Motion, kept: int = ONE) -> Motion:
    """A motion thrown back by a surface. kept, 0..ONE: how much of its speed into the surface it
    keeps.

    motion - (1 + kept) * dot(motion, normal) * normal, rounded to where the normal points: less
    than a raw unit off on each axis, and a hundred-millionth of the motion. A motion along the
    surface, or away from it, stays as it is. ValueError for a result outside int32, and for the
    normal (0, 0, 0): the two overlapped where the cast began, so `push_out` is what is wanted."""
    x, y, z = integers("motion", ("mx", "my", "mz"), motion, INT32_MIN, INT32_MAX)
    out = _normal_of(normal)
    if not any(out):
        raise ValueError(
            "normal must not be (0, 0, 0): the two overlap at the start, so push_out first"
        )
    found = kit.bounce((x, y, z), out, integer("kept", kept, 0, ONE))
    if found is None:
        raise ValueError(f"motion {(x, y, z)} bounces to outside {INT32_MIN}..{INT32_MAX}")
    return found


def move_and_slide(
    world: World, id: int, motion: Motion, *, mask: int = UINT32_MAX, passes: int = 4
) -> list[CastHit]:
    """Moves a collider straight, and along what it comes to: a dash. What it came to, in order.

    Nothing is passed through, and it ends in nothing: what it may hit and whose layer is in `mask`
    does not overlap it afterwards, to the raw unit. It slides `passes` - 1 times at most. A
    collider that overlaps something where it begins stays there: the only hit, with fraction 0 and
    normal (0, 0, 0), says of whom it has to be pushed out. KeyError for an id that is not there,
    ValueError for a sector, for numbers out of range, and for a place outside int32, with the
    collider where it was."""
    vector, layers = motion_of("motion", motion), integer("mask", mask, 0, UINT32_MAX)
    most = integer("passes", passes, 1, PASSES_MAX)
    return cast_hits(world._native.move_and_slide(_id_of(world, id), vector, layers, most))


class MoverResult(NamedTuple):
    """What came of a move."""

    motion: Motion
    """The motion without what walls, floor and ceiling took of it."""
    floor: int | None
    """The id of what it stands on, None in the air."""
    hits: list[records.CastHit]
    """Walls and ceilings that it came to, in order, then the floor."""
    on_wall: bool
    """Whether it came to a wall."""
    on_ceiling: bool
    """Whether it came to a ceiling."""
    stepped: bool
    """Whether it climbed a step."""
    pushed: bool
    """Whether it overlapped something at the start, and was pushed out."""
    stuck: bool
    """Whether it overlaps something (the only hit), could not be pushed out, and stays."""


@dataclass(frozen=True)
class Mover:
    """How a character moves."""

    step_height: int = 0
    """The highest step that it climbs. 0: none."""
    snap: int = 0
    """How far it is drawn down to a floor when it walks."""
    mask: int = UINT32_MAX
    """Bit i: what is on layer i is in its way, if layers and owners let it hit that."""
    passes: int = 4
    """How often one move may slide, 2..64."""
    floor_y: int = _DEGREES_45
    """The least y of a normal that is a floor's, 1..2^30: the cosine of an angle in Q2.30, of 45
    degrees by default."""

    def __post_init__(self) -> None:
        integer("step_height", self.step_height, 0, SIZE_MAX)
        integer("snap", self.snap, 0, SIZE_MAX)
        integer("mask", self.mask, 0, UINT32_MAX)
        integer("passes", self.passes, 2, PASSES_MAX)
        integer("floor_y", self.floor_y, 1, 2**30)

    def move(self, world: World, id: int, motion: Motion) -> MoverResult:
        """Moves a character by a motion: along walls, up steps, down to the floor.

        It walks if it stands on a floor and the motion leads not upwards; else it flies. A walker
        moves in the plane and climbs steps of at most `step_height`. Then it moves down as the
        motion says or, if there is a floor within `snap`, to that floor. A flyer moves straight and
        slides along what it comes to. Nothing is passed through, and it overlaps nothing
        afterwards.

        A surface is a floor if the y of its normal is at least `floor_y`. So is the edge of
        something with a flat top for a sphere or capsule whose lowest point is at most
        `step_height` below it. What overlaps it at the start pushes it out the shortest way; if
        that fails it stays, and is `stuck`. KeyError for an id that is not there, ValueError for a
        sector, for numbers out of range, and for a place outside int32, with the collider where it
        was."""
        vector = motion_of("motion", motion)
        row = (_id_of(world, id), self.mask, self.passes, self.step_height, self.snap, self.floor_y)
        numbers, hits = world._native.mover_move(row, vector)
        _, _, _, mx, my, mz, flags, floor, _ = numbers
        return MoverResult(
            (mx, my, mz),
            floor if flags & MOVER_FLAGS["ON_FLOOR"] else None,
            cast_hits(hits),
            *(bool(flags & flag) for name, flag in MOVER_FLAGS.items() if name != "ON_FLOOR"),
        )


def _id_of(world: World, id: int) -> int:
    return integer("id", id, 0, world.capacity - 1)


def _normal_of(normal: Motion) -> Motion:
    x, y, z = integers("normal", ("nx", "ny", "nz"), normal, -NORMAL_MAX, NORMAL_MAX)
    return x, y, z

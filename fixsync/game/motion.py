"""Motion after a cast: how far to go, slide, bounce. Characters: along walls, up steps, down to
the floor, with a platform.

A motion is (mx, my, mz), Q16.16; a fraction and a normal are those of `World.cast`, `World.sweep`
and `cast_pair`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fixsync._native import kernel
from fixsync._native.checks import integer, integers, shown
from fixsync._native.kernel import CARRY_FLAGS, MOVER_FLAGS, NORMAL_MAX, PASSES_MAX
from fixsync._native.raw import INT32_MAX, INT32_MIN, SIZE_MAX, UINT32_MAX
from fixsync.base.numbers import ONE
from fixsync.world import records
from fixsync.world.arguments import masks_of_yields
from fixsync.world.records import CastHit, cast_hits
from fixsync.world.shapes import motion_of
from fixsync.world.world import World

__all__ = [
    "Carried",
    "Mover",
    "MoverResult",
    "Separated",
    "along",
    "bounce",
    "carry",
    "move_and_slide",
    "separate",
    "slide",
]

Motion = tuple[int, int, int]

_DEGREES_45 = 759250125  # cos(45 degrees) in Q2.30


def along(motion: Motion, fraction: int, normal: Motion | None = None) -> Motion:
    """The part of a motion up to a fraction (0..65536): motion * fraction / 65536.

    With the normal of the hit it is rounded in the direction of the normal, so that it ends outside
    the obstacle, less than a raw unit off on each axis; without, toward zero."""
    part = integer("fraction", fraction, 0, 65536)
    out = None if normal is None else _normal_of(normal)
    return kernel.along(motion_of("motion", motion), part, out)


def slide(motion: Motion, normal: Motion) -> Motion:
    """Removes the component of a motion into a surface: `bounce` with kept=0.

    The result never leads into the surface: its dot product with the normal is 0 or more. A motion
    along the surface, or away from it, is returned unchanged."""
    return bounce(motion, normal, 0)


def bounce(motion: Motion, normal: Motion, kept: int = ONE) -> Motion:
    """Reflects a motion at a surface. kept, 0..ONE: share of the speed into the surface that it
    keeps.

    motion - (1 + kept) * dot(motion, normal) * normal, rounded in the direction of the normal: less
    than a raw unit off on each axis, and a hundred-millionth of the motion. A motion along the
    surface, or away from it, is returned unchanged. ValueError for a result outside int32, and for
    the normal (0, 0, 0): the two overlapped at the start of the cast, so use `push_out`."""
    x, y, z = integers("motion", ("mx", "my", "mz"), motion, INT32_MIN, INT32_MAX)
    out = _normal_of(normal)
    if not any(out):
        raise ValueError(
            "normal must not be (0, 0, 0): the two overlap at the start, so push_out first"
        )
    found = kernel.bounce((x, y, z), out, integer("kept", kept, 0, ONE))
    if found is None:
        raise ValueError(f"motion {(x, y, z)} bounces to outside {INT32_MIN}..{INT32_MAX}")
    return found


def move_and_slide(
    world: World, id: int, motion: Motion, *, mask: int | None = None, passes: int = 4
) -> list[CastHit]:
    """Moves a collider straight and slides it along obstacles: a dash. Returns its hits, in order.

    Obstacles are the active colliders and the solids whose layer is in `mask`, but no sectors and
    none of its owner; without a mask, those that the layer matrix lets its layer meet. It passes
    through none of them, and overlaps none of them afterwards. It slides at most `passes` - 1
    times. A collider that overlaps an obstacle at the start stays there; the only hit, with
    fraction 0 and normal (0, 0, 0), names an obstacle to push it out of. KeyError for an id that is
    not in the world, ValueError for a sector, for numbers out of range, and for a position outside
    int32; the collider is then not moved."""
    vector, layers = motion_of("motion", motion), _mask_of(mask)
    most = integer("passes", passes, 1, PASSES_MAX)
    return cast_hits(world._native.move_and_slide(_id_of(world, id), vector, layers, most))


class MoverResult(NamedTuple):
    """The result of a move."""

    motion: Motion
    """The motion without the components into walls, floor and ceiling."""
    floor: int | None
    """Id of the collider or solid that it stands on, None in the air."""
    hits: list[records.CastHit]
    """Walls and ceilings that it hit, in order, then the floor."""
    on_wall: bool
    """Whether it hit a wall."""
    on_ceiling: bool
    """Whether it hit a ceiling."""
    stepped: bool
    """Whether it climbed a step."""
    pushed: bool
    """Whether it overlapped something at the start, and was pushed out."""
    stuck: bool
    """Whether it overlapped something (the only hit), has no free way out, and stays."""


@dataclass(frozen=True)
class Mover:
    """The settings of a character that walks."""

    step_height: int = 0
    """Highest step that it climbs; 0: none."""
    snap: int = 0
    """How far below a walker a floor may be for it to go down to it."""
    mask: int | None = None
    """Bit i: layer i blocks it. None: the row of its layer in the layer matrix."""
    passes: int = 4
    """Maximum number of slides in one move, 2..64."""
    floor_y: int = _DEGREES_45
    """Least y of the normal of a floor, 1..2^30: the cosine of an angle in Q2.30, of 45 degrees by
    default."""
    one_way: int = 0
    """Bit i: layer i is a floor from above, and blocks no other way. Needs a mask that shares no
    layer with it."""

    def __post_init__(self) -> None:
        integer("step_height", self.step_height, 0, SIZE_MAX)
        integer("snap", self.snap, 0, SIZE_MAX)
        _mask_of(self.mask)
        integer("passes", self.passes, 2, PASSES_MAX)
        integer("floor_y", self.floor_y, 1, 2**30)
        if integer("one_way", self.one_way, 0, UINT32_MAX):
            if self.mask is None:
                raise ValueError(f"one_way must be 0 without a mask, not {self.one_way}")
            if self.mask & self.one_way:
                both = self.mask & self.one_way
                raise ValueError(
                    f"one_way must share no layer with mask, not {both} of mask {self.mask}"
                )

    def _row(self, world: World, id: int) -> tuple[int, ...]:
        """As C has it, for a collider of a world."""
        settings = self.passes, self.step_height, self.snap, self.floor_y, self.one_way
        return (_id_of(world, id), _mask_of(self.mask), *settings)

    def move(self, world: World, id: int, motion: Motion) -> MoverResult:
        """Moves a character by a motion: along walls, up steps, down to the floor.

        It walks if it stands on a floor and the motion does not lead upwards; otherwise it flies. A
        walker moves in the plane and climbs steps of at most `step_height`. Then it moves down by
        the motion's y or, if there is a floor within `snap`, to that floor. A flyer moves straight
        and slides along obstacles. It passes through no obstacle, and overlaps none afterwards.

        An obstacle on a layer of `one_way` blocks it only on a motion down, as a floor, and only if
        the two do not overlap at the start of that motion: it jumps up through a platform and
        stands on it. To drop through, leave the layer out for a frame, with a motion whose y is
        below 0.

        A surface is a floor if the y of its normal is at least `floor_y`. For a sphere or capsule
        the edge of a flat top is a floor too, if its lowest point is at most `step_height` below
        that edge. A character that overlaps something at the start is pushed out, through nothing:
        sideways or up or down, the shorter free way; if none is free it stays, and is `stuck`.
        KeyError for an id that is not in the world, ValueError for a sector, for numbers out of
        range, and for a position outside int32; the collider is then not moved."""
        vector = motion_of("motion", motion)
        numbers, hits = world._native.mover_move(self._row(world, id), vector)
        _, _, _, mx, my, mz, flags, floor, _ = numbers
        return MoverResult(
            (mx, my, mz),
            floor if flags & MOVER_FLAGS["ON_FLOOR"] else None,
            cast_hits(hits),
            *(bool(flags & flag) for name, flag in MOVER_FLAGS.items() if name != "ON_FLOOR"),
        )


class Carried(NamedTuple):
    """The effect of a platform on a mover."""

    motion: Motion
    """The motion that it made."""
    rode: bool
    """Whether it rides, also if it was held."""
    shoved: bool
    """Whether the platform came against it while it did not ride."""
    held: bool
    """Whether an obstacle blocked it, or its floor stopped riding."""
    crushed: bool
    """Whether the platform overlaps it, or came to on its way."""
    squeezed: bool
    """Whether it came to overlap another mover."""
    by: int | None
    """If it was held, id of the obstacle or the floor that stopped it last; else if it rode, of its
    floor; else of the collider that first shoved it; else None."""


def carry(
    world: World, platforms: Iterable[int], motion: Motion, movers: Mapping[int, Mover]
) -> dict[int, Carried]:
    """Moves a platform, with the movers that ride on it, and pushes those in its way. Returns a
    result for each mover, by ascending id.

    platforms: the ids that make up one platform: a cabin's floor and walls together. movers: those
    that it may take along, by id; they do not block each other meanwhile.

    A mover rides if it stands on the platform or on a mover that rides. The motion is taken up,
    then x, then z, then down. Along each, a rider moves with the platform until an obstacle blocks
    it or its floor stops; any other mover is pushed ahead of the platform until an obstacle blocks
    it. Obstacles are those of `Mover.move`, without the platform and the movers. A collider or
    solid that a mover overlaps at first does not block or push it. The platform always makes its
    whole motion, through a mover that cannot give way: that one is `crushed`, then and after each
    call that leaves the two overlapping. One on a layer of the mover's `one_way` carries it, pushes
    it only up, and never crushes it. Two movers that overlap now and did not before are `squeezed`,
    if one blocks the other by mask and owner.

    The usual order of a frame: carry, separate, moves, step. KeyError for an id that is not in the
    world; ValueError for an id in both lists, for a sector, for an inactive platform, for numbers
    out of range, and for a position outside int32; nothing is moved then."""
    vector = motion_of("motion", motion)
    ids = sorted({_id_of(world, id) for id in platforms})
    rows = _rows_of(world, movers)
    both = next((id for id in ids if id in movers), None)
    if both is not None:
        raise ValueError(f"id {both} must not be both a platform and a mover")
    carried = {}
    for id, _, _, _, mx, my, mz, flags, by in world._native.carry(ids, vector, rows):
        rode, shoved, held, crushed, squeezed = (bool(flags & f) for f in CARRY_FLAGS.values())
        who = by if rode or shoved or held else None
        carried[id] = Carried((mx, my, mz), rode, shoved, held, crushed, squeezed, who)
    return carried


class Separated(NamedTuple):
    """A collider that `separate` moved, or would have."""

    id: int
    x: int
    y: int
    z: int
    is_held: bool
    """Whether an obstacle kept it from the place that it was pushed to."""


def separate(
    world: World, yields: Iterable[Iterable[int]], movers: Mapping[int, Mover], *, passes: int = 1
) -> list[Separated]:
    """`World.separate` for characters: none is pushed through a wall, or into one. Returns the
    colliders that are pushed to another place, by id, with their new positions.

    yields, passes: those of `World.separate`, which says where each collider is pushed to. A
    collider that is not in `movers` goes there. Then each mover goes there, by ascending ids, from
    where it was, and slides along obstacles as with `move_and_slide`, with the mask and passes of
    its settings, in x and z alone. Obstacles are those of `Mover.move`, without the movers, without
    layers of `one_way`, and without the colliders that it gives way to and overlaps where it was. A
    mover that overlaps an obstacle where it was stays there.

    Walls that are colliders belong in the masks of the movers, not in `yields`. Hits and frame stay
    as they are: the next step sees the new poses. KeyError for an id that is not in the world,
    ValueError for a sector, for numbers out of range, and for a push outside int32; nothing is
    moved then."""
    masks, most = masks_of_yields(yields), integer("passes", passes, 1, UINT32_MAX)
    rows = _rows_of(world, movers)
    found = world._native.separate(masks, most, rows)
    return [Separated(id, x, y, z, bool(is_held)) for id, x, y, z, is_held in found]


def _rows_of(world: World, movers: Mapping[int, Mover]) -> list[tuple[int, ...]]:
    """As C has them, by id."""
    if not isinstance(movers, Mapping):
        raise TypeError(f"movers must be a dict of ids and Movers, not {shown(movers)}")
    for id, mover in movers.items():
        if not isinstance(mover, Mover):
            raise TypeError(f"movers[{shown(id)}] must be a Mover, not {shown(mover)}")
    return sorted(mover._row(world, id) for id, mover in movers.items())


def _id_of(world: World, id: int) -> int:
    return integer("id", id, 0, world.capacity - 1)


def _mask_of(mask: int | None) -> int:
    """As C has it: 0 for the row of the layer matrix."""
    return 0 if mask is None else integer("mask", mask, 1, UINT32_MAX)


def _normal_of(normal: Motion) -> Motion:
    x, y, z = integers("normal", ("nx", "ny", "nz"), normal, -NORMAL_MAX, NORMAL_MAX)
    return x, y, z

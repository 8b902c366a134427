"""The model of `fixsync.game.motion`: along, slide, bounce and move_and_slide on Python's integers.

A motion is (mx, my, mz), Q16.16; a fraction and a normal are those of `World.cast`, `World.sweep`
and `cast_pair`. All is computed in integers, rounded to raw units as said."""

from __future__ import annotations

from fixsync._native import SIZE_MAX, UINT32_MAX, integer, integers
from fixsync.numbers import ONE
from fixsync.records import CastHit
from fixsync.shapes import Contact, motion_of
from fixsync.world import World

__all__ = ["along", "bounce", "move_and_slide", "slide"]

Motion = tuple[int, int, int]

_NORMAL_MAX = 2 * 2**30
# A motion that was slid or bounced may be longer on an axis than one that is given to a cast.
_MOTION_MAX = 4 * SIZE_MAX


def along(motion: Motion, fraction: int, normal: Motion | None = None) -> Motion:
    """The part of a motion up to a fraction (0..65536): motion * fraction / 65536.

    With the normal of the hit it is rounded to where that points, so that what moves comes to rest
    outside of what it met, less than a raw unit off on each axis; without, toward zero."""
    way = motion_of("motion", motion)
    part = integer("fraction", fraction, 0, 65536)
    out = (0, 0, 0) if normal is None else _normal_of(normal)
    x, y, z = (_rounded(m * part, 65536, n) for m, n in zip(way, out, strict=True))
    return x, y, z


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
    surface, or away from it, stays as it is. ValueError for the normal (0, 0, 0): the two
    overlapped where the cast began, so `push_out` is what is wanted."""
    x, y, z = integers("motion", ("mx", "my", "mz"), motion, -_MOTION_MAX, _MOTION_MAX)
    way, out = (x, y, z), _normal_of(normal)
    factor = ONE + integer("kept", kept, 0, ONE)
    length_sq = sum(n * n for n in out)
    if length_sq == 0:
        raise ValueError(
            "normal must not be (0, 0, 0): the two overlap at the start, so push_out first"
        )
    into = sum(m * n for m, n in zip(way, out, strict=True))
    if into >= 0:
        return way
    # A normal that lies on an axis is exact. Another is less than 5 of its 2^-30 off: the true one
    # must not find the result leading inwards either.
    slack = 0 if length_sq == max(map(abs, out)) ** 2 else 16 * sum(map(abs, way))
    # Each part of what is added has the normal's sign. Rounded away from 0 it is never too little,
    # and so dot(result, normal) >= into - factor * into / ONE + slack >= slack.
    total = slack * ONE - into * factor
    x, y, z = (m + _rounded(n * total, ONE * length_sq, n) for m, n in zip(way, out, strict=True))
    return x, y, z


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
    rest, mask = motion_of("motion", motion), integer("mask", mask, 0, UINT32_MAX)
    left = integer("passes", passes, 1, 64)
    came_to: list[CastHit] = []
    start = world[id].pose
    try:
        while left:
            met = _blocking(world, id, rest, mask)
            if not met:
                _shift(world, id, rest)
                return came_to
            came_to.append(met[0])
            if not any(met[0].normal):
                return came_to
            done = _free_part(world, id, rest, met[0], mask)
            _shift(world, id, done)
            x, y, z = (whole - part for whole, part in zip(rest, done, strict=True))
            rest, left = slide((x, y, z), met[0].normal), left - 1
    except ValueError:
        if world[id].pose != start:
            world.set_pose(id, start)
        raise
    return came_to


def _blocking(world: World, id: int, motion: Motion, mask: int) -> list[CastHit]:
    hits = world.sweep(id, motion, hit_when=Contact.OVERLAPPING)
    return [hit for hit in hits if mask >> world[hit.id].layer & 1]


def _free_part(world: World, id: int, motion: Motion, hit: CastHit, mask: int) -> Motion:
    """The part of a motion up to a hit, rounded so that nothing is overlapped.

    In a corner, what is rounded away from one wall may lead into the other.
    """
    raw_unit = 65536 // max(map(abs, motion)) + 1
    tries = [along(motion, hit.fraction, hit.normal), along(motion, hit.fraction)]
    tries += [along(motion, max(0, hit.fraction - back * raw_unit)) for back in (1, 2, 4)]
    return next((part for part in tries if not _blocking(world, id, part, mask)), (0, 0, 0))


def _shift(world: World, id: int, by: Motion) -> None:
    if any(by):
        world.move(id, *world[id].pose.moved(*by).position)


def _normal_of(normal: Motion) -> Motion:
    x, y, z = integers("normal", ("nx", "ny", "nz"), normal, -_NORMAL_MAX, _NORMAL_MAX)
    return x, y, z


def _rounded(numerator: int, denominator: int, way: int) -> int:
    """A quotient rounded up if `way` is positive, down if it is negative, toward zero otherwise."""
    if way > 0 or (way == 0 and numerator < 0):
        return -(-numerator // denominator)
    return numerator // denominator

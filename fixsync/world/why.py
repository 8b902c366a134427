"""Why a pair is not a hit, and by how much it misses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag
from typing import NamedTuple

from fixsync._native import kernel
from fixsync._native.raw import constant
from fixsync.world.shapes import CONTACTS, Contact, Pose, Shape, hit_when_of, require_pair

__all__ = ["Explanation", "Missed", "Why", "explain"]


class Why(IntFlag):
    """The causes why a pair is not a hit. No cause: it is one."""

    SAME = constant("WHY_SAME")
    """Both ids are the same; every number is then 0."""
    A_INACTIVE = constant("WHY_A_INACTIVE")
    B_INACTIVE = constant("WHY_B_INACTIVE")
    OWNER = constant("WHY_OWNER")
    """They have one owner."""
    LAYERS = constant("WHY_LAYERS")
    """The layer matrix keeps them apart."""
    MASK = constant("WHY_MASK")
    """The layer of b is not in the mask of the query."""
    EXCLUDED = constant("WHY_EXCLUDED")
    """The query leaves out the owner of b."""
    SECTORS = constant("WHY_SECTORS")
    """Both are sectors, and one has a hole."""
    HEIGHT = constant("WHY_HEIGHT")
    """One is above the other."""
    BESIDE = constant("WHY_BESIDE")
    """They would not meet at one height either."""
    CORNER = constant("WHY_CORNER")
    """Neither, but a rounded edge misses."""
    GRAZES = constant("WHY_GRAZES")
    """They touch, and only OVERLAPPING counts."""


class Missed(IntEnum):
    """How the other shape misses a sector."""

    NOTHING = 0
    """No sector is missed."""
    BEYOND = constant("SECTOR_BEYOND")
    """It is beyond the radius."""
    OUTSIDE = constant("SECTOR_OUTSIDE")
    """It is within the radius, but not in the wedge."""
    HOLE = constant("SECTOR_HOLE")
    """It is in the hole."""


class Explanation(NamedTuple):
    """Why a and b are not a hit, as `World.explain` and `explain` find it. `str` is sentences.

    A growth adds raw units to the radius, or to half_x and half_z, of one shape: that of the kind
    that docs/cookbook.md lists first; of one kind a; of a collider and a solid the collider. None:
    no growth, or no turn, makes them meet."""

    a: int | None
    """Id; None for a query or a shape."""
    b: int | None
    why: Why
    grows_b: bool
    """Whether the growths are of b."""
    sector: Missed
    contact: Contact
    """Of the two shapes."""
    height: int
    """Vertical distance in raw units, exact; negative if they share heights."""
    planar: int | None
    """The growth that they need at one height."""
    gap: int | None
    """The growth that they need where they are; 0 or less if the contact counts."""
    turn: int | None
    """With a missed sector: the yaw steps that its half_angle must grow by. Else 0."""

    def __str__(self) -> str:
        return self.text({})

    def text(self, names: Mapping[int, str]) -> str:
        """The causes as text. `names`: names of ids, as far as they have one."""
        a, b = (None if id is None else (id, names.get(id, "")) for id in (self.a, self.b))
        if a is None and b is not None:
            a = 0, "the query"
        return kernel.explanation_text(_row(self), a, b)


_NEVER: int = constant("NEVER")


def _row(found: Explanation) -> tuple[int, ...]:
    """The fields of `fxs_explanation`."""
    growths = (_NEVER if v is None else v for v in (found.planar, found.gap, found.turn))
    return (
        *(found.why, found.grows_b, found.sector, found.contact),
        *(found.height, *growths),
    )


def explanation(a: int | None, b: int | None, row: tuple[int, ...]) -> Explanation:
    """The record of a row of `fxs_explanation`."""
    why, grows, missed, contact, height, *growths = row
    planar, gap, turn = (None if v == _NEVER else v for v in growths)
    return Explanation(
        a, b, Why(why), bool(grows), Missed(missed), CONTACTS[contact], height, planar, gap, turn
    )


def explain(
    shape_a: Shape,
    pose_a: Pose,
    shape_b: Shape,
    pose_b: Pose,
    *,
    hit_when: int = Contact.TOUCHING,
) -> Explanation:
    """Why the contact of two shapes is less than hit_when: TOUCHING or OVERLAPPING."""
    require_pair(shape_a, pose_a, shape_b, pose_b)
    a, b = (shape_a._shape, pose_a._pose), (shape_b._shape, pose_b._pose)
    row = kernel.explain(a, b, hit_when_of("hit_when", hit_when))
    return explanation(None, None, row)

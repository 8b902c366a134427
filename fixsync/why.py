"""Why a pair is not a hit, and by how much it misses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum, IntFlag
from typing import NamedTuple

from fixsync._native import kernel
from fixsync._native.raw import ONE, TURN, constant
from fixsync.numbers import decimal
from fixsync.shapes import CONTACTS, Contact, Pose, Shape, hit_when_of, require_pair

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
    listed first of sphere, capsule, cylinder, box, sector; of one kind a; of a collider and a solid
    the collider. None: no growth, or no turn, makes them meet."""

    a: int | None
    """Id; None for a query or a shape."""
    b: int | None
    why: Why
    grows_b: bool
    """Whether the growths are of b."""
    missed: Missed
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
        return self.told({})

    def told(self, names: Mapping[int, str]) -> str:
        """The causes as text. `names`: names of ids, as far as they have one."""
        unnamed = ("a" if self.b is None else "the query", "b")
        ids = zip(unnamed, (self.a, self.b), strict=True)
        a, b = (side if id is None else names.get(id, str(id)) for side, id in ids)
        return "; ".join(self._causes(a, b)) or "they meet"

    def _causes(self, a: str, b: str) -> Iterator[str]:
        why, grows = self.why, b if self.grows_b else a
        if Why.SAME in why:
            yield "a and b are the same id"
        if Why.SECTORS in why:
            yield "two sectors, one with a hole, never meet"
        if Why.HEIGHT in why:
            yield f"height: one is {decimal(self.height, ONE, 5)} above the other"
        if Why.BESIDE in why:
            if Why.HEIGHT in why:
                yield f"beside: {_growth(self.planar, grows, 'at one height they')}"
            else:
                yield f"beside: {_growth(self.gap, grows, 'they')}"
        if self.missed is not Missed.NOTHING:
            yield _MISSED[self.missed] + _turn(self.turn)
        if Why.CORNER in why:
            yield f"corner: {_growth(self.gap, grows, 'they')}"
        if Why.GRAZES in why:
            yield "they only touch"
        for cause, text in (
            (Why.A_INACTIVE, f"{a} is not active"),
            (Why.B_INACTIVE, f"{b} is not active"),
            (Why.OWNER, "the owner is the same"),
            (Why.LAYERS, "their layers do not meet"),
            (Why.MASK, f"the layer of {b} is not in the mask"),
            (Why.EXCLUDED, f"the owner of {b} is left out"),
        ):
            if cause in why:
                yield text


_NEVER = constant("NEVER")
_MISSED = {
    Missed.BEYOND: "beyond the radius",
    Missed.OUTSIDE: "outside the wedge",
    Missed.HOLE: "in the hole",
}


def _growth(growth: int | None, name: str, they: str) -> str:
    if growth is None:
        return f"no size of {name} makes them meet"
    return f"{they} would meet if {name} were {decimal(growth, ONE, 5)} thicker"


def _turn(turn: int | None) -> str:
    if turn is None:  # with no half_angle
        return ""
    return f", half_angle {decimal(turn * 360, TURN, 3)}° short"


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

"""2D and 2.5D: circles, rectangles and sectors that ignore height, and hitboxes of two planes.

    from fixsync.game import flat

    world.add(1, flat.circle(q("0.5")), flat.at(q(3), q(4)))
    world.query(flat.sector(q(2), degrees(45)), flat.at(0, 0, degrees(90)))

A flat game's x and y are fixsync's x and z. A yaw turns its +x towards its +y. The shapes are
ordinary ones, as tall as a size can be: at y 0, where `at` puts them, or up to 8191 units above or
below, height decides nothing. Everything of fixsync works with them: worlds, queries, casts,
`push_out`, `side`, bodies, logs.

`Hitbox` says what a hitbox of two planes is, and when an ordinary shape does the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from struct import Struct

from fixsync._native import (
    CAPACITY_MAX,
    INT32_MAX,
    INT32_MIN,
    LAYER_COUNT,
    SIZE_MAX,
    index,
    integer,
    integers,
    shown,
)
from fixsync.records import Events, Hits
from fixsync.shapes import Box, Contact, Cylinder, EventKind, Pose, Sector, Side, overlap
from fixsync.world import World

__all__ = [
    "BOTTOM",
    "LEFT",
    "RIGHT",
    "TALL",
    "TOP",
    "Hitbox",
    "TwoPlanes",
    "at",
    "circle",
    "rectangle",
    "rectangle_between",
    "sector",
    "two_plane_contact",
]

TALL = SIZE_MAX
"""The half height of flat shapes: 2^29-1."""

RIGHT, LEFT, TOP, BOTTOM = Side.POS_X, Side.NEG_X, Side.POS_Z, Side.NEG_Z
"""Answers of `side` where the flat game's y points up."""


def circle(radius: int) -> Cylinder:
    """A circle. radius: Q16.16, 1..2^29-1."""
    return Cylinder(radius, TALL)


def rectangle(half_width: int, half_height: int) -> Box:
    """A rectangle, turned by its pose's yaw. Q16.16, each 1..2^29-1: half of its extent on x and on
    y.
    """
    return Box(half_width, TALL, half_height)


def sector(radius: int, half_angle: int, inner_radius: int = 0) -> Sector:
    """A sector: its apex at the pose, facing the yaw, half_angle (1..32768 steps) to either side.

    inner_radius, 0..radius-1, leaves out what is nearer to the apex."""
    return Sector(radius, half_angle, TALL, inner_radius)


def at(x: int, y: int, yaw: int = 0) -> Pose:
    """The pose of a flat shape. (x, y): Q16.16."""
    return Pose(x, 0, y, yaw)


def rectangle_between(left: int, bottom: int, right: int, top: int) -> tuple[Box, Pose]:
    """A rectangle by its edges, as in tile maps and editors: the shape and its pose.

    ValueError unless left < right and bottom < top, or for an odd width or height, which has its
    middle between two raw units."""
    names = "left", "bottom", "right", "top"
    left, bottom, right, top = integers(
        "edges", names, (left, bottom, right, top), INT32_MIN, INT32_MAX
    )
    for low, high, low_name, high_name in (
        (left, right, "left", "right"),
        (bottom, top, "bottom", "top"),
    ):
        if low >= high or (high - low) % 2:
            raise ValueError(
                f"{high_name} - {low_name} must be even and above 0, not {high} - {low}"
            )
    shape = rectangle((right - left) // 2, (top - bottom) // 2)
    return shape, at((left + right) // 2, (bottom + top) // 2)


# Two planes.


@dataclass(frozen=True)
class Hitbox:
    """A hitbox of a 2.5D fight, which meets another where both their ground and their side views
    meet.

    ground: `circle(radius)` or `rectangle(half_x, half_z)`, seen from above (plane XZ). side_half_x
    and side_half_y: half the extents of the box seen from the side (plane XY). It is never turned,
    whatever is done to the picture. Touching counts as it does everywhere: with the world's
    `hit_when`.

    Where the side view is as wide as the ground view, the ordinary shape of `as_shape()`, not
    turned, has the same contacts: a Box, or an upright Cylinder. The reach on x of two hitboxes is
    the lesser of both planes' sums. No single shape gives that when the planes differ in width; use
    `TwoPlanes`."""

    ground: Cylinder | Box
    side_half_x: int
    side_half_y: int

    def __post_init__(self) -> None:
        ground = self.ground
        height = (
            ground.half_height if isinstance(ground, Cylinder) else getattr(ground, "half_y", None)
        )
        if not isinstance(ground, (Cylinder, Box)) or height != TALL:
            raise TypeError(
                f"ground must be flat.circle(...) or flat.rectangle(...), not {shown(ground)}"
            )
        for name in ("side_half_x", "side_half_y"):
            object.__setattr__(self, name, integer(name, getattr(self, name), 1, SIZE_MAX))

    @property
    def side(self) -> Box:
        """The side view, as deep as a size can be."""
        return Box(self.side_half_x, self.side_half_y, TALL)

    def as_shape(self) -> Box | Cylinder | None:
        """The ordinary shape of the same contacts; None if the planes differ in width."""
        ground = self.ground
        if isinstance(ground, Cylinder):
            return (
                Cylinder(ground.radius, self.side_half_y)
                if ground.radius == self.side_half_x
                else None
            )
        return (
            Box(ground.half_x, self.side_half_y, ground.half_z)
            if ground.half_x == self.side_half_x
            else None
        )


Position = tuple[int, int, int]


def _views(position: Position) -> tuple[Pose, Pose]:
    """The poses of a hitbox in the ground view and in the side view; the hidden axis is 0."""
    x, y, z = integers("position", ("x", "y", "z"), position, INT32_MIN, INT32_MAX)
    return Pose(x, 0, z), Pose(x, y, 0)


def two_plane_contact(a: Hitbox, position_a: Position, b: Hitbox, position_b: Position) -> Contact:
    """The contact of two hitboxes, exactly: the lesser of their contacts in the two planes.

    Positions: (x, y, z), Q16.16, any int32.
    """
    for name, hitbox in (("a", a), ("b", b)):
        _require_hitbox(name, hitbox)
    (ground_a, side_a), (ground_b, side_b) = _views(position_a), _views(position_b)
    return min(
        overlap(a.ground, ground_a, b.ground, ground_b), overlap(a.side, side_a, b.side, side_b)
    )


def _require_hitbox(name: str, value: object) -> None:
    if not isinstance(value, Hitbox):
        raise TypeError(f"{name} must be a Hitbox, not {shown(value)} ({type(value).__name__})")


_LAYERS = LAYER_COUNT // 2
_CAPACITY_MAX = CAPACITY_MAX // 2
_EVENT = Struct("=4I")
_HIT = Struct("=3I")


class TwoPlanes:
    """A world of two-plane hitboxes: ids, layers, owners and events as in a `World`.

    Each hitbox is two colliders of `world`, an ordinary World of twice the capacity: under its own
    id and layer the ground view, under id + capacity and layer + 16 the side view. What it answers
    comes from that world alone: save, load, hash, copy and record `world`. Give every id its
    changes here, so that both views take them. Layers are 0..15."""

    def __init__(
        self,
        capacity: int,
        *,
        hit_when: int = Contact.TOUCHING,
        layers: Iterable[Iterable[int]] | None = None,
    ) -> None:
        """As `World`; capacity 1..2^30, layers None or the enabled pairs of 0..15."""
        self._capacity = integer("capacity", capacity, 1, _CAPACITY_MAX)
        every = [(i, j) for i in range(_LAYERS) for j in range(i, _LAYERS)]
        pairs = [
            integers(f"layers[{n}]", ("first", "second"), pair, 0, _LAYERS - 1)
            for n, pair in enumerate(every if layers is None else layers)
        ]
        both = [(i + plane, j + plane) for i, j in pairs for plane in (0, _LAYERS)]
        self.world = World(2 * self._capacity, hit_when=hit_when, layers=both)

    @property
    def capacity(self) -> int:
        """Ids are 0..capacity - 1."""
        return self._capacity

    def _id(self, id: int) -> int:
        return integer("id", id, 0, self._capacity - 1)

    def _layer(self, layer: int) -> int:
        return integer("layer", layer, 0, _LAYERS - 1)

    def _there(self, id: int) -> tuple[int, int]:
        """The ids of both views. KeyError if the hitbox is not there."""
        id = self._id(id)
        if id not in self.world:
            raise KeyError(f"id {id} is not in the world")
        return id, id + self._capacity

    def add(
        self,
        id: int,
        hitbox: Hitbox,
        position: Position,
        *,
        layer: int = 0,
        owner: int = 0,
        active: bool = True,
    ) -> None:
        """Adds a hitbox under an id that is not taken."""
        _require_hitbox("hitbox", hitbox)
        id, layer, (ground, side), none = (
            self._id(id),
            self._layer(layer),
            _views(position),
            (0, 0, 0),
        )
        if id in self.world:
            raise ValueError(f"id {id} is taken: remove it first, or choose another")
        self.world.add_many(
            [
                (id, hitbox.ground, ground, layer, owner, none, active),
                (id + self._capacity, hitbox.side, side, layer + _LAYERS, owner, none, active),
            ]
        )

    def remove(self, id: int) -> None:
        """Removes a hitbox; its hits end with the next step."""
        for each in self._there(id):
            self.world.remove(each)

    def move(self, id: int, x: int, y: int, z: int) -> None:
        """Puts a hitbox at (x, y, z), Q16.16."""
        poses = _views((x, y, z))
        self.world.set_pose_many(self._there(id), poses)

    def set_hitbox(self, id: int, hitbox: Hitbox) -> None:
        """Gives an id another hitbox."""
        _require_hitbox("hitbox", hitbox)
        ground, side = self._there(id)
        self.world.set_shape(ground, hitbox.ground)
        self.world.set_shape(side, hitbox.side)

    def set_owner(self, id: int, owner: int) -> None:
        """Gives a hitbox an owner, 0..2^32-1; 0 means no owner."""
        for each in self._there(id):
            self.world.set_owner(each, owner)

    def set_layer(self, id: int, layer: int) -> None:
        """Puts a hitbox on a layer, 0..15."""
        ground, side = self._there(id)
        layer = self._layer(layer)
        self.world.set_layer(ground, layer)
        self.world.set_layer(side, layer + _LAYERS)

    def set_active(self, id: int, active: bool) -> None:
        """Makes a hitbox active or not."""
        for each in self._there(id):
            self.world.set_active(each, active)

    def position(self, id: int) -> Position:
        """Where a hitbox is."""
        ground, side = self._there(id)
        seen = self.world[ground].pose
        return seen.x, self.world[side].pose.y, seen.z

    def __contains__(self, id: object) -> bool:
        return 0 <= index("id", id) < self._capacity and id in self.world

    def __iter__(self) -> Iterator[int]:
        """The ids, ascending."""
        return (id for id in self.world if id < self._capacity)

    def __len__(self) -> int:
        return len(self.world) // 2

    def contact(self, a: int, b: int) -> Contact:
        """The contact of two hitboxes as they are now, whatever their layers, owners and
        activity.
        """
        (ground_a, side_a), (ground_b, side_b) = self._there(a), self._there(b)
        return min(self.world.contact(ground_a, ground_b), self.world.contact(side_a, side_b))

    def query(
        self, hitbox: Hitbox, position: Position, mask: int = 0xFFFF, *, exclude_owner: int = 0
    ) -> list[int]:
        """The ids, ascending, of the active hitboxes that one at a position would hit. mask: 16
        bits.
        """
        _require_hitbox("hitbox", hitbox)
        ground, side = _views(position)
        mask = integer("mask", mask, 0, (1 << _LAYERS) - 1)
        asked = (
            (hitbox.ground, ground, mask, exclude_owner),
            (hitbox.side, side, mask << _LAYERS, exclude_owner),
        )
        above, beside = self.world.query_many(asked)
        seen = {id - self._capacity for id in beside}
        return [id for id in above if id in seen]

    def step(self) -> Events:
        """Steps the world and returns the events of the hitboxes, by (a, b): a hit is one in both
        planes.
        """
        return self.combine(self.world.step())

    def combine(self, events: Iterable[tuple[int, int, int, int]]) -> Events:
        """The events of the hitboxes, from those of one step of `world`."""
        planes: tuple[dict[tuple[int, int], _Pair], ...] = ({}, {})
        for a, b, kind, contact in events:
            plane, first = divmod(a, self._capacity)
            planes[plane].setdefault((first, b % self._capacity), _Pair()).take(kind, contact)
        rows = []
        for pair, ground in planes[0].items():
            side = planes[1].get(pair)
            if side is not None:
                rows += [(*pair, kind, contact) for kind, contact in ground.joined(side)]
        return Events(b"".join(_EVENT.pack(*row) for row in rows))

    def hits(self) -> Hits:
        """The hits of the last step, by (a, b)."""
        planes: tuple[dict[tuple[int, int], int], ...] = ({}, {})
        for a, b, contact in self.world.hits():
            plane, first = divmod(a, self._capacity)
            planes[plane][first, b % self._capacity] = contact
        rows = [
            (*pair, min(contact, planes[1][pair]))
            for pair, contact in planes[0].items()
            if pair in planes[1]
        ]
        return Hits(b"".join(_HIT.pack(*row) for row in rows))


class _Pair:
    """What a step reports of a pair in one plane."""

    __slots__ = ("contact", "is_hit", "was_hit", "was_replaced")

    def __init__(self) -> None:
        self.was_hit = self.is_hit = self.was_replaced = False
        self.contact = int(Contact.APART)

    def take(self, kind: int, contact: int) -> None:
        self.was_replaced = self.was_hit and kind == EventKind.ENTER
        self.was_hit |= kind != EventKind.ENTER
        self.is_hit = kind != EventKind.EXIT
        self.contact = contact

    def joined(self, other: _Pair) -> Iterator[tuple[int, int]]:
        """Kind and contact of the events of both planes together."""
        was_hit, is_hit = self.was_hit and other.was_hit, self.is_hit and other.is_hit
        stays = was_hit and is_hit and not (self.was_replaced or other.was_replaced)
        if was_hit and not stays:
            yield EventKind.EXIT, Contact.APART
        if is_hit:
            yield EventKind.STAY if stays else EventKind.ENTER, min(self.contact, other.contact)

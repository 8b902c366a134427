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

from fixsync._native import planes
from fixsync._native.changes import CHANGES
from fixsync._native.checks import (
    boolean,
    counted,
    index,
    integer,
    integers,
    layer_masks,
    layer_pairs,
    shown,
    uint32,
)
from fixsync._native.planes import HITBOX, HITBOX_CAST, LAYERS, PLANES_COMMAND
from fixsync._native.raw import CAPACITY_MAX, INT32_MAX, INT32_MIN, SIZE_MAX
from fixsync.world.records import CastHit, Events, Hits, cast_hits, event_rows
from fixsync.world.shapes import (
    CONTACTS,
    Box,
    Contact,
    Cylinder,
    Pose,
    Sector,
    Side,
    hit_when_of,
    motion_of,
)
from fixsync.world.world import World

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
    "two_plane_cast",
    "two_plane_contact",
    "two_plane_lift",
    "two_plane_push_out",
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

    inner_radius, 0..radius-1, leaves out the points nearer to the apex."""
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
            is_as_wide = ground.radius == self.side_half_x
            return Cylinder(ground.radius, self.side_half_y) if is_as_wide else None
        is_as_wide = ground.half_x == self.side_half_x
        return Box(ground.half_x, self.side_half_y, ground.half_z) if is_as_wide else None


Position = tuple[int, int, int]

_EVERY_LAYER = (1 << LAYERS) - 1
_NOWHERE = (0, 0, 0)
_NO_SIZES = (0, 0, 0, 0, 0)


def _place(position: object) -> tuple[int, ...]:
    return integers("position", ("x", "y", "z"), position, INT32_MIN, INT32_MAX)


def _sizes(name: str, hitbox: object) -> tuple[int, ...]:
    """Kind, the two sizes of the ground view, and the two of the side view."""
    if not isinstance(hitbox, Hitbox):
        raise TypeError(f"{name} must be a Hitbox, not {shown(hitbox)} ({type(hitbox).__name__})")
    kind, _, first, _, second = hitbox.ground._row
    return kind, first, second, hitbox.side_half_x, hitbox.side_half_y


def _row(
    sizes: tuple[int, ...] = _NO_SIZES,
    place: tuple[int, ...] = _NOWHERE,
    id: int = 0,
    layer: int = 0,
    owner: int = 0,
    active: bool = False,
) -> bytes:
    """`fxs_hitbox` of fixsync_kit.h. Fields that its reader ignores are 0."""
    kind, *lengths = sizes
    return HITBOX.pack(id, kind, layer, active, 0, owner, *place, *lengths)


def _rows(a: object, position_a: object, b: object, position_b: object) -> tuple[bytes, bytes]:
    row_a = _row(_sizes("a", a), _place(position_a))
    return row_a, _row(_sizes("b", b), _place(position_b))


def two_plane_contact(a: Hitbox, position_a: Position, b: Hitbox, position_b: Position) -> Contact:
    """The contact of two hitboxes, exactly: the lesser of their contacts in the two planes.

    Positions: (x, y, z), Q16.16, any int32.
    """
    return CONTACTS[planes.contact(*_rows(a, position_a, b, position_b))]


def two_plane_push_out(
    a: Hitbox, position_a: Position, b: Hitbox, position_b: Position
) -> tuple[int, int]:
    """`push_out` of two hitboxes: (dx, dz) for a that ends an overlap by taking one of the views
    apart; (0, 0) for any other contact.

    It is `push_out` of the ground views or, if the side views are narrower on x and this is
    shorter, the translation along x that ends their overlap, exactly."""
    return planes.push_out(*_rows(a, position_a, b, position_b))


def two_plane_lift(a: Hitbox, position_a: Position, b: Hitbox, position_b: Position) -> int:
    """`lift` of two hitboxes: the shortest dy for a that ends an overlap, upwards when both are
    level; 0 for any other contact."""
    return planes.lift(*_rows(a, position_a, b, position_b))


def two_plane_cast(
    a: Hitbox,
    position_a: Position,
    motion_a: tuple[int, int, int],
    b: Hitbox,
    position_b: Position,
    motion_b: tuple[int, int, int],
    *,
    hit_when: int = Contact.TOUCHING,
) -> tuple[int, tuple[int, int, int]] | None:
    """`cast_pair` of two hitboxes: when both views first meet at one time, exactly.

    Returns (fraction, normal), or None."""
    way_a, way_b = motion_of("motion_a", motion_a), motion_of("motion_b", motion_b)
    least = hit_when_of("hit_when", hit_when)
    row_a, row_b = _rows(a, position_a, b, position_b)
    return planes.cast_pair(row_a, way_a, row_b, way_b, least)


def _layer(layer: int) -> int:
    return integer("layer", layer, 0, LAYERS - 1)


def _mask(mask: int) -> int:
    return integer("mask", mask, 0, _EVERY_LAYER)


def _masks(layers: Iterable[Iterable[int]] | None) -> tuple[int, ...]:
    """The layer matrix of hitboxes of a list of enabled pairs; None enables all."""
    if layers is None:
        return (_EVERY_LAYER,) * LAYERS
    names = "first", "second"
    pairs = [
        integers(f"layers[{n}]", names, pair, 0, LAYERS - 1)
        for n, pair in counted("layers", layers)
    ]
    return layer_masks(pairs)[:LAYERS]


class TwoPlanes:
    """A world of two-plane hitboxes: ids, layers, owners and events as in a `World`.

    Each hitbox is two colliders of `world`, an ordinary World of twice the capacity: under its own
    id and layer the ground view, under id + capacity and layer + 16 the side view. Its answers come
    from that world alone: save, load, hash, copy and record `world`. Give every id its changes
    here, so that both views take them. Layers are 0..15."""

    def __init__(
        self,
        capacity: int,
        *,
        hit_when: int = Contact.TOUCHING,
        layers: Iterable[Iterable[int]] | None = None,
    ) -> None:
        """As `World`; capacity 1..2^30, layers None or the enabled pairs of 0..15."""
        self._capacity = integer("capacity", capacity, 1, CAPACITY_MAX // 2)
        doubled, masks = planes.config(self._capacity, _masks(layers))
        self.world = World(doubled, hit_when=hit_when, layers=layer_pairs(masks))

    @property
    def capacity(self) -> int:
        """Ids are 0..capacity - 1."""
        return self._capacity

    def _id(self, id: int) -> int:
        return integer("id", id, 0, self._capacity - 1)

    def _there(self, id: int) -> bytes:
        """The row of a hitbox. KeyError if it is not there."""
        id = self._id(id)
        return _found(id, planes.get(self.world._native, id))

    def _two(self, a: int, b: int) -> tuple[bytes, bytes]:
        """The rows of two hitboxes at one time."""
        a, b = self._id(a), self._id(b)
        row_a, row_b = planes.get_pair(self.world._native, a, b)
        return _found(a, row_a), _found(b, row_b)

    def _change(self, name: str, id: int, row: bytes) -> None:
        command = PLANES_COMMAND.pack(CHANGES[name].code, 0, row)
        planes.apply(self.world._native, command, id)

    # Changes.

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
        sizes, place = _sizes("hitbox", hitbox), _place(position)
        id, layer = self._id(id), _layer(layer)
        row = _row(sizes, place, id, layer, uint32("owner", owner), boolean("active", active))
        self._change("add", id, row)

    def remove(self, id: int) -> None:
        """Removes a hitbox; its hits end with the next step."""
        id = self._id(id)
        self._change("remove", id, _row(id=id))

    def move(self, id: int, x: int, y: int, z: int) -> None:
        """Puts a hitbox at (x, y, z), Q16.16."""
        id = self._id(id)
        self._change("move", id, _row(place=_place((x, y, z)), id=id))

    def set_hitbox(self, id: int, hitbox: Hitbox) -> None:
        """Gives an id another hitbox."""
        id = self._id(id)
        self._change("shape", id, _row(_sizes("hitbox", hitbox), id=id))

    def set_owner(self, id: int, owner: int) -> None:
        """Gives a hitbox an owner, 0..2^32-1; 0 means no owner."""
        id = self._id(id)
        self._change("owner", id, _row(id=id, owner=uint32("owner", owner)))

    def set_layer(self, id: int, layer: int) -> None:
        """Puts a hitbox on a layer, 0..15."""
        id = self._id(id)
        self._change("layer", id, _row(id=id, layer=_layer(layer)))

    def set_active(self, id: int, active: bool) -> None:
        """Makes a hitbox active or not."""
        id = self._id(id)
        self._change("active", id, _row(id=id, active=boolean("active", active)))

    def set_layers(self, layers: Iterable[Iterable[int]] | None) -> None:
        """Replaces the pairs of layers (0..15) that can hit each other; None enables all.

        Keeps the hit history, as `World.set_layers`."""
        rows = [
            PLANES_COMMAND.pack(CHANGES["layers"].code, mask, _row(layer=layer))
            for layer, mask in enumerate(_masks(layers))
        ]
        planes.apply(self.world._native, b"".join(rows))

    # Lookups.

    def position(self, id: int) -> Position:
        """Where a hitbox is."""
        _, _, _, _, _, _, x, y, z, *_ = HITBOX.unpack(self._there(id))
        return x, y, z

    def __contains__(self, id: object) -> bool:
        number = index("id", id)
        return 0 <= number < self._capacity and planes.get(self.world._native, number) is not None

    def __iter__(self) -> Iterator[int]:
        """The ids, ascending."""
        return (id for id in self.world if id < self._capacity)

    def __len__(self) -> int:
        return len(self.world) // 2

    # Two hitboxes.

    def contact(self, a: int, b: int) -> Contact:
        """The contact of two hitboxes as they are now, whatever their layers, owners and
        activity.
        """
        return CONTACTS[planes.contact(*self._two(a, b))]

    def push_out(self, a: int, b: int) -> tuple[int, int]:
        """`two_plane_push_out` of two hitboxes as they are now: (dx, dz) for a."""
        return planes.push_out(*self._two(a, b))

    def lift(self, a: int, b: int) -> int:
        """`two_plane_lift` of two hitboxes as they are now: dy for a."""
        return planes.lift(*self._two(a, b))

    # Queries and casts.

    def query(
        self,
        hitbox: Hitbox,
        position: Position,
        mask: int = _EVERY_LAYER,
        *,
        exclude_owner: int = 0,
        hit_when: int | None = None,
    ) -> list[int]:
        """The ids, ascending, of the active hitboxes that one at a position would hit. mask: 16
        bits. hit_when: the least contact; None is the world's."""
        row = _row(_sizes("hitbox", hitbox), _place(position))
        owner = uint32("exclude_owner", exclude_owner)
        least = 0 if hit_when is None else hit_when_of("hit_when", hit_when)
        return planes.query(self.world._native, row, _mask(mask), owner, least)

    def cast(
        self,
        hitbox: Hitbox,
        position: Position,
        motion: tuple[int, int, int],
        mask: int = _EVERY_LAYER,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> list[CastHit]:
        """The hits of a hitbox that moves straight from a position, in the order of `World.cast`:
        the first `limit` of them (0: all). It changes nothing.

        Candidates are the active hitboxes of `query`, each standing still. motion, fraction, normal
        and hit_when (None: the world's) are those of `World.cast`. mask: 16 bits."""
        row = HITBOX_CAST.pack(
            _row(_sizes("hitbox", hitbox), _place(position)),
            *motion_of("motion", motion),
            _mask(mask),
            uint32("exclude_owner", exclude_owner),
            uint32("limit", limit),
            0 if hit_when is None else hit_when_of("hit_when", hit_when),
        )
        return cast_hits(planes.cast(self.world._native, row))

    def sweep(
        self, id: int, motion: tuple[int, int, int], *, limit: int = 0, hit_when: int | None = None
    ) -> list[CastHit]:
        """The hits of a hitbox that would move straight from where it is: `cast` of it at the other
        active hitboxes that layers and owners let it hit. It may be inactive itself."""
        id, way = self._id(id), motion_of("motion", motion)
        least = 0 if hit_when is None else hit_when_of("hit_when", hit_when)
        found = planes.sweep(self.world._native, id, way, uint32("limit", limit), least)
        if found is None:
            raise KeyError(f"id {id} is not in the world")
        return cast_hits(found)

    # Steps.

    def step(self) -> Events:
        """Steps the world and returns the events of the hitboxes, by (a, b): a hit is one in both
        planes.
        """
        return self.combine(self.world.step())

    def combine(self, events: Iterable[tuple[int, int, int, int]]) -> Events:
        """The events of the hitboxes, from those of one step of `world` in their order."""
        found = planes.events(self.world._native, event_rows(events))
        if found is None:
            raise ValueError("events must be those of one step, by (a, b), EXIT before ENTER")
        return Events(found)

    def hits(self) -> Hits:
        """The hits of the last step, by (a, b)."""
        return Hits(planes.hits(self.world._native))


def _found(id: int, row: bytes | None) -> bytes:
    if row is None:
        raise KeyError(f"id {id} is not in the world")
    return row

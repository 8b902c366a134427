"""Bodies: the hurtboxes and hitboxes of one fighter, which move, turn, mirror and attack together.

    hero = Body(world, HERO, Pose(0, 0, 0), ids=10, owner=1)

    hero.start("slash")
    hero.set_pose(Pose(q(2), 0, 0))
    world.step()
    hero.tick()

`HERO` is the `FrameData` of a kind of fighter: its parts and attacks.

The poses, activity and hits of the parts are in the world. A body itself (`save`) has only its
mirroring and the frame and victims of its attack."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from fixsync._native.body import (
    CANCEL,
    MIRROR,
    NO_ATTACK,
    REMOVE,
    SET_POSE,
    START,
    TICK,
    NativeBody,
)
from fixsync._native.body import strikes as _strikes
from fixsync._native.checks import boolean, coordinate, counted, index, integer, shown
from fixsync._native.raw import UINT32_MAX, YAW_MAX
from fixsync._native.rows import POSITION, Buffer, bytes_of
from fixsync.game.frame_data import FrameData
from fixsync.game.motion import Separated
from fixsync.world.records import Moved, event_rows
from fixsync.world.shapes import Pose, require_pose
from fixsync.world.world import World

__all__ = ["Body", "Strike", "strikes"]


class Body:
    """Several colliders of one owner that move and turn together.

    Each call that changes the world changes all parts or, if one is refused, none. All parts have
    one owner, so they never hit each other. The parts and attacks of a body do not change: for
    another stance, switch other parts on and these off.

    Colliders may also be changed through the world. A part that is moved alone leaves the others
    behind until the next `move`, `set_pose` or `follow`."""

    __slots__ = (
        "__weakref__",
        "_attacks",
        "_frame_data",
        "_id_rows",
        "_ids",
        "_native",
        "_owner",
        "_world",
    )

    def __init__(
        self,
        world: World,
        frame_data: FrameData,
        pose: Pose,
        *,
        ids: int | Iterable[int],
        owner: int,
        is_mirrored: bool = False,
    ) -> None:
        """Adds the parts to the world: all or none.

        ids: one for each part, in their order, or the first of as many in a row. owner: 1..2^32-1.
        is_mirrored: it starts mirrored."""
        if not isinstance(frame_data, FrameData):
            raise TypeError(f"frame_data must be a FrameData, not {shown(frame_data)}")
        self._world = world
        self._frame_data = frame_data
        self._owner = integer("owner", owner, 1, UINT32_MAX)
        require_pose("pose", pose)
        boolean("is_mirrored", is_mirrored)
        names = [*frame_data._parts]
        first = 0 if isinstance(ids, Iterable) else integer("ids", ids, 0, UINT32_MAX)
        numbers = [*ids] if isinstance(ids, Iterable) else range(first, first + len(names))
        if len(numbers) != len(names):
            raise ValueError(
                f"ids must be one for each of the {len(names)} parts, not {len(numbers)}"
            )
        self._ids = {
            name: integer(f"id of part {name!r}", id, 0, world.capacity - 1)
            for name, id in zip(names, numbers, strict=True)
        }
        self._id_rows = struct.pack(f"={len(names)}I", *self._ids.values())
        self._attacks = [*frame_data._attacks]
        self._native = NativeBody(world._native, frame_data._table, names)
        self._native.add([*self._ids.values()], self._owner, pose._pose, is_mirrored)

    # Properties and lookups.

    @property
    def frame_data(self) -> FrameData:
        """The parts and attacks."""
        return self._frame_data

    @property
    def owner(self) -> int:
        """The owner of its parts, as the first that is in the world has it; after `remove` the one
        that it was made with."""
        there = (id for id in self._ids.values() if id in self._world)
        return next((self._world[id].owner for id in there), self._owner)

    @property
    def ids(self) -> Mapping[str, int]:
        """The id of each part."""
        return MappingProxyType(self._ids)

    def __getitem__(self, name: str) -> int:
        """The id of a part. KeyError for an unknown name."""
        if name not in self._ids:
            raise KeyError(
                f"no part is called {shown(name)}; there are {', '.join(map(repr, self._ids))}"
            )
        return self._ids[name]

    def __contains__(self, id: object) -> bool:
        """Whether an id is one of the body's."""
        return id in self._ids.values()

    def __iter__(self) -> Iterator[int]:
        """The ids, in the order of the parts."""
        return iter(self._ids.values())

    def __len__(self) -> int:
        return len(self._ids)

    def part_of(self, id: int) -> str | None:
        """The name of the part that has an id, if it is one of the body's."""
        id = index("id", id)
        return next((name for name, own in self._ids.items() if own == id), None)

    @property
    def pose(self) -> Pose:
        """The pose of the body: that of its first part, less the yaw of the part itself."""
        return Pose(*self._native.pose())

    @property
    def is_mirrored(self) -> bool:
        """Whether it is mirrored: it faces its local -x."""
        return self._native.numbers()[0]

    # Changes of place.

    def set_pose(self, pose: Pose) -> None:
        """Moves and turns all parts."""
        require_pose("pose", pose)
        self._native.change(SET_POSE, pose._pose)

    def move(self, x: int, y: int, z: int) -> None:
        """Moves all parts: one `World.move_many`."""
        row = POSITION.pack(coordinate("x", x), coordinate("y", y), coordinate("z", z))
        self._world._native.move_many(self._id_rows, row * len(self._ids))

    def turn(self, yaw: int) -> None:
        """Turns all parts."""
        self._native.turn(integer("yaw", yaw, 0, YAW_MAX))

    def follow(self, moved: Iterable[Moved | Separated]) -> bool:
        """Moves all parts by the push that `World.separate`, or `separate` of
        `fixsync.game.motion`, gave to one of them. Returns whether there was one.

        ValueError if it pushed parts to different places: let one part of a body be on a layer that
        yields."""
        places = {row[1:4] for row in moved if row[0] in self}
        if len(places) > 1:
            raise ValueError(
                f"the parts of a body were pushed to different places: {shown(sorted(places))}"
            )
        for place in places:
            self.move(*place)
        return bool(places)

    def mirror(self, is_mirrored: bool) -> None:
        """Turns the body to its local +x (False) or -x (True) by mirroring: for side views.

        Parts are mirrored across the body's local z axis: an offset ox becomes -ox, a box that is
        turned by w is turned by -w. A box, sphere, capsule or cylinder keeps its shape; a sector
        faces half a turn - w."""
        self._native.change(MIRROR, boolean("is_mirrored", is_mirrored))

    # Activity.

    def set_active(self, active: bool, *names: str) -> None:
        """Switches parts on or off: those named, or all."""
        boolean("active", active)
        ids = [self[name] for name in names] if names else [*self._ids.values()]
        self._native.set_parts("active", active, ids)

    def set_owner(self, owner: int) -> None:
        """Gives all parts an owner, 1..2^32-1, such as for a new unit in an old place. An attack
        under way keeps the victims that it has struck. Bodies of one owner are one victim."""
        number = integer("owner", owner, 1, UINT32_MAX)
        self._native.set_parts("owner", number, [*self._ids.values()])

    def remove(self) -> None:
        """Removes all parts from the world."""
        self._native.change(REMOVE)

    # Attacks.

    def start(self, name: str) -> None:
        """Begins an attack with its frame 0; one that is under way is cancelled first."""
        self._native.change(START, self._attack(name))

    def can_start(self, name: str) -> bool:
        """Whether an attack may begin now: none is under way, or the one under way has a cancel
        into it."""
        return self._native.can_start(self._attack(name))

    def _attack(self, name: str) -> int:
        if name not in self._attacks:
            raise KeyError(
                f"no attack is called {shown(name)}; there are {', '.join(map(repr, self._attacks))}"
            )
        return self._attacks.index(name)

    def tick(self) -> None:
        """Moves the attack under way to its next frame, or ends it: once a frame, after the world's
        step. Without an attack it does nothing."""
        self._native.change(TICK)

    def cancel(self) -> None:
        """Ends the attack under way, if there is one."""
        self._native.change(CANCEL)

    @property
    def attack(self) -> str | None:
        """The attack under way."""
        _, attack, _, _ = self._native.numbers()
        return None if attack == NO_ATTACK else self._attacks[attack]

    @property
    def attack_frame(self) -> int:
        """The frame of the attack under way, from 0; 0 if there is none."""
        return self._native.numbers()[2]

    @property
    def phase(self) -> str | None:
        """Phase of the attack under way: "startup" before a part is on, "active" while one is on,
        "recovery" after the last active frame; None without an attack."""
        return self._native.phase()

    @property
    def hit(self) -> int:
        """Which hit of the attack is under way, from 0: it grows at each frame of its `rehits`."""
        return self._native.hit()

    @property
    def has_hit(self) -> bool:
        """Whether the attack under way has struck a victim."""
        return self._native.numbers()[3]

    @property
    def victims(self) -> tuple[int, ...]:
        """The victims of the hit under way, ascending."""
        return self._native.victims()

    def strike(self, victim: int) -> bool:
        """Whether the hit under way strikes a victim (any id or owner, 0..2^32-1) for the first
        time.

        The victim is remembered until the attack's next hit, or its end: one swing hurts once,
        however many boxes it meets and however often. Without an attack it is False. ValueError
        for the 65th victim."""
        return self._native.strike(integer("victim", victim, 0, UINT32_MAX))

    # State.

    def save(self) -> bytes:
        """The state of the body, to save beside `world.save()`; the same bytes on every platform."""
        return self._native.save()

    def hash(self) -> int:
        """XXH64 of the bytes of `save`."""
        return self._native.hash()

    def load(self, data: Buffer) -> None:
        """Restores the bytes of `save`. Call `world.load()` too: this does not touch the world.
        ValueError, with nothing changed, for other bytes."""
        self._native.load(bytes_of("data", data))

    def __repr__(self) -> str:
        is_mirrored, attack, frame, _ = self._native.numbers()
        mirrored = " mirrored" if is_mirrored else ""
        now = "" if attack == NO_ATTACK else f" {self._attacks[attack]!r} frame {frame}"
        return f"<Body owner={self.owner} ids={self._ids}{mirrored}{now}>"


class Strike(NamedTuple):
    """An attack that hits somebody for the first time."""

    attacker: Body
    victim: Body
    part: str
    """The first part of the attacker, in the order of its frame data, that meets the victim."""


def strikes(
    world: World,
    events: Iterable[tuple[int, int, int, int]],
    bodies: Iterable[Body],
    mask: int,
) -> list[Strike]:
    """The new strikes of a frame: each attacker and victim once, with the best part.

    events: of the last step. A part of an attacker strikes a part of another body that it meets if
    the victim's is on a layer of `mask`, and its own is not. bodies: all that may attack or be
    struck. Strikes are in the order of the bodies, and nothing else depends on that order.

    Each attack then remembers the owner of its victim, as `Body.strike` does: of several bodies of
    one owner it strikes those that it meets in the first frame. One hit remembers 64 victims.
    ValueError, with no body changed and nobody struck, for the 65th: decide a blast in a crowd with
    a query. `rehits` help only an attack that meets its victims one after the other."""
    mask = integer("mask", mask, 0, UINT32_MAX)
    listed: dict[Body, None] = {}
    for n, body in counted("bodies", bodies):
        if not isinstance(body, Body):
            raise TypeError(f"bodies[{n}] must be a Body, not {shown(body)}")
        if body._world is not world:
            raise ValueError(f"bodies[{n}] must be in the world that stepped, not in another")
        if body in listed:
            raise ValueError(f"bodies[{n}] must be there once, not twice")
        listed[body] = None
    natives = [body._native for body in listed]
    given = [*listed]
    return [
        Strike(given[attacker], given[victim], [*given[attacker]._ids][part])
        for attacker, victim, part, _ in _strikes(world._native, event_rows(events), mask, natives)
    ]

"""Bodies: the hurtboxes and hitboxes of one fighter, which move, turn, mirror and attack together.

    PARTS = {
        "torso": Part(Cylinder(q("0.5"), q(1)), layer=HURT),
        "sword": Part(Box(q(1), q("0.25"), q("0.25")), (q("1.5"), 0, 0), layer=HIT, active=False),
    }
    SLASH = Attack.of(startup=4, active=3, recovery=9, parts=["sword"])
    hero = Body(world, PARTS, Pose(0, 0, 0), ids=10, owner=1, attacks={"slash": SLASH})

    hero.start("slash")
    hero.set_pose(Pose(q(2), 0, 0))
    world.step()
    hero.tick()

A body is a name for some colliders of a world: where they are, which are active, whom they hit is
in the world. What it holds itself (`state`) is which way it is mirrored and how far its attack has
come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from fixsync._native import (
    INT32_MAX,
    INT32_MIN,
    LAYER_COUNT,
    TURN,
    UINT32_MAX,
    YAW_MAX,
    boolean,
    index,
    integer,
    integers,
    shown,
)
from fixsync.records import Moved
from fixsync.shapes import Pose, Sector, Shape, require_pose, require_shape
from fixsync.world import World

__all__ = ["Attack", "Body", "BodyState", "Part"]

_T = TypeVar("_T")

_QUARTER, _HALF = TURN // 4, TURN // 2
_LAYER_MAX = LAYER_COUNT - 1
_FRAMES_MAX = 2**31 - 1


@dataclass(frozen=True)
class Part:
    """One collider of a body.

    offset: of its centre from the body's pose, turned with the body. yaw: how far it is turned
    against the body. A part that is off centre in x or z is turned by whole quarters of a turn only
    (0, 16384, 32768, 49152): its collider keeps the offset turned back by `yaw`, which no other
    angle does without rounding. So every part's centre is, to the bit, that of a collider with the
    body's pose and the part's offset."""

    shape: Shape
    offset: tuple[int, int, int] = (0, 0, 0)
    layer: int = 0
    yaw: int = 0
    active: bool = True

    def __post_init__(self) -> None:
        require_shape("shape", self.shape)
        offset = integers("offset", ("ox", "oy", "oz"), self.offset, INT32_MIN, INT32_MAX)
        object.__setattr__(self, "offset", offset)
        for name, most in (("layer", _LAYER_MAX), ("yaw", YAW_MAX)):
            object.__setattr__(self, name, integer(name, getattr(self, name), 0, most))
        boolean("active", self.active)
        self.placed()

    def mirrored(self) -> Part:
        """The part as in a mirror across the body's local z axis: offset ox becomes -ox, and what
        faced the yaw w faces half a turn - w; a box turned by w is turned by -w. ValueError if -ox
        leaves int32."""
        ox, oy, oz = self.offset
        ox = integer("offset: ox, mirrored,", -ox, INT32_MIN, INT32_MAX)
        yaw = (_HALF if isinstance(self.shape, Sector) else 0) - self.yaw
        return Part(self.shape, (ox, oy, oz), self.layer, yaw % TURN, self.active)

    def placed(self) -> tuple[int, int, int]:
        """The offset of its collider: the part's, turned back by its yaw. ValueError if that is not
        exact or leaves int32."""
        ox, oy, oz = self.offset
        if not (ox or oz):
            return self.offset
        if self.yaw % _QUARTER:
            raise ValueError(
                f"yaw must be 0, 16384, 32768 or 49152 for a part whose offset in x and z is ({ox}, {oz}), "
                f"not {self.yaw}"
            )
        for _ in range(self.yaw // _QUARTER):
            ox, oz = oz, -ox
        turned = integers(
            "offset, turned back by yaw", ("ox", "oy", "oz"), (ox, oy, oz), INT32_MIN, INT32_MAX
        )
        return turned[0], turned[1], turned[2]


Spans = range | Sequence[range]


@dataclass(frozen=True)
class Attack:
    """Which parts of a body are active in which frames of an attack. Frame 0 is the one it is
    started in.

    active: of each part that the attack switches on, the frames in which it is on, as a range or
    several. inactive: of each part that the attack switches off, the frames in which it is off, as
    the hurtboxes during a roll. A part of `active` is off in every other frame and when the attack
    is over, one of `inactive` on.

    A part that is switched off and on again ENTERs again: two ranges with a frame between them hit
    twice."""

    frames: int
    active: Mapping[str, Spans]
    inactive: Mapping[str, Spans] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", integer("frames", self.frames, 1, _FRAMES_MAX))
        for kind in ("active", "inactive"):
            spans = {
                name: _spans(f"{kind}[{shown(name)}]", value, self.frames)
                for name, value in getattr(self, kind).items()
            }
            object.__setattr__(self, kind, spans)
        both = [name for name in self.active if name in self.inactive]
        if both:
            raise ValueError(
                f"a part must be in active or in inactive, not in both, as {shown(both[0])} is"
            )

    @classmethod
    def of(cls, startup: int, active: int, recovery: int, parts: Iterable[str]) -> Attack:
        """Parts that are off for `startup` frames, on for `active`, and off again for
        `recovery`.
        """
        if isinstance(parts, str):
            raise TypeError(f"parts must be a sequence of names, not {shown(parts)}")
        begin = integer("startup", startup, 0, _FRAMES_MAX)
        end = begin + integer("active", active, 1, _FRAMES_MAX)
        return cls(
            end + integer("recovery", recovery, 0, _FRAMES_MAX),
            dict.fromkeys(parts, range(begin, end)),
        )

    def activity(self, frame: int | None) -> dict[str, bool]:
        """Which parts are on in a frame; None: when the attack is over."""
        frame = None if frame is None else index("frame", frame)
        on = {name: _within(frame, spans) for name, spans in self.active.items()}
        return on | {name: not _within(frame, spans) for name, spans in self.inactive.items()}


def _spans(where: str, value: Any, frames: int) -> tuple[range, ...]:
    spans = (value,) if isinstance(value, range) else value
    if isinstance(spans, (str, bytes)) or not isinstance(spans, Sequence):
        raise TypeError(
            f"{where} must be a range of frames or a sequence of them, not {shown(value)}"
        )
    for span in spans:
        if not isinstance(span, range):
            raise TypeError(
                f"{where} must be a range of frames or a sequence of them, not {shown(value)}"
            )
        if not (span.step == 1 and 0 <= span.start < span.stop <= frames):
            raise ValueError(
                f"{where} must be within range(0, {frames}), step 1, not {shown(span)}"
            )
    return tuple(spans)


def _within(frame: int | None, spans: Any) -> bool:
    return frame is not None and any(frame in span for span in spans)


class BodyState(NamedTuple):
    """What a rollback must restore of a body beside the world's state. Plain values: it can be
    packed.
    """

    is_mirrored: bool
    attack: str
    """"": none."""
    frame: int
    struck: tuple[int, ...]


class Body:
    """Several colliders of one owner that move and turn together.

    Each call that changes the world changes all of the parts or, if one is refused, none. All parts
    have one owner, so they never hit each other. The parts and attacks of a body do not change:
    another stance is other parts, switched on while these are off.

    Colliders may also be changed through the world; but a part that is moved by itself leaves the
    others behind until the next `move`, `set_pose` or `follow`."""

    __slots__ = (
        "__weakref__",
        "_attack",
        "_attacks",
        "_frame",
        "_ids",
        "_is_mirrored",
        "_mirrored",
        "_owner",
        "_parts",
        "_struck",
        "_world",
    )

    def __init__(
        self,
        world: World,
        parts: Mapping[str, Part],
        pose: Pose,
        *,
        ids: int | Iterable[int],
        owner: int,
        attacks: Mapping[str, Attack] | None = None,
        is_mirrored: bool = False,
    ) -> None:
        """Adds the parts to the world: all or none.

        ids: one for each part, in their order, or the first of as many in a row. owner: 1..2^32-1.
        is_mirrored: it begins facing the other way. An attack may switch only parts that there are.
        """
        self._world = world
        self._owner = integer("owner", owner, 1, UINT32_MAX)
        require_pose("pose", pose)
        self._parts = _checked_parts(parts)
        count = len(self._parts)
        first = 0 if isinstance(ids, Iterable) else integer("ids", ids, 0, UINT32_MAX)
        numbers = [*ids] if isinstance(ids, Iterable) else range(first, first + count)
        if len(numbers) != count:
            raise ValueError(f"ids must be one for each of the {count} parts, not {len(numbers)}")
        self._ids = {
            name: integer(f"id of part {name!r}", id, 0, world.capacity - 1)
            for name, id in zip(self._parts, numbers, strict=True)
        }
        self._attacks = _checked_attacks(attacks or {}, self._parts)
        self._is_mirrored = boolean("is_mirrored", is_mirrored)
        self._mirrored: dict[str, Part] = {}
        self._attack, self._frame, self._struck = "", 0, frozenset[int]()
        world.add_many(
            (
                self._ids[name],
                part.shape,
                _turned(pose, part),
                part.layer,
                owner,
                part.placed(),
                part.active,
            )
            for name, part in self._placed(self._is_mirrored).items()
        )

    def _placed(self, is_mirrored: bool) -> dict[str, Part]:
        """The parts as they are for one way of facing."""
        if is_mirrored and not self._mirrored:
            self._mirrored = {
                name: _named(name, part.mirrored) for name, part in self._parts.items()
            }
        return self._mirrored if is_mirrored else self._parts

    # Properties and lookups.

    @property
    def owner(self) -> int:
        """The owner of all parts."""
        return self._owner

    @property
    def ids(self) -> Mapping[str, int]:
        """The id of each part."""
        return MappingProxyType(self._ids)

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts as they were given, not mirrored."""
        return MappingProxyType(self._parts)

    def __getitem__(self, name: str) -> int:
        """The id of a part. KeyError if there is none of this name."""
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
        """Where the body is: the pose of its first part, less what that is turned by itself."""
        name = next(iter(self._ids))
        pose = self._world[self._ids[name]].pose
        turn = self._placed(self._is_mirrored)[name].yaw
        return Pose(pose.x, pose.y, pose.z, (pose.yaw - turn) % TURN)

    @property
    def is_mirrored(self) -> bool:
        """Whether it faces the other way: along its local -x."""
        return self._is_mirrored

    # Changes of place.

    def set_pose(self, pose: Pose) -> None:
        """Moves and turns all parts: one `World.set_pose_many`."""
        require_pose("pose", pose)
        placed = self._placed(self._is_mirrored)
        self._world.set_pose_many([*self], [_turned(pose, part) for part in placed.values()])

    def move(self, x: int, y: int, z: int) -> None:
        """Moves all parts: one `World.move_many`."""
        self._world.move_many([*self], [(x, y, z)] * len(self._ids))

    def turn(self, yaw: int) -> None:
        """Turns all parts."""
        pose = self.pose
        self.set_pose(Pose(pose.x, pose.y, pose.z, yaw))

    def follow(self, moved: Iterable[Moved]) -> bool:
        """Moves all of the body to where `World.separate` has pushed a part of it; whether it had.

        ValueError if it pushed parts to different places: let one part of a body be on a layer that
        yields."""
        places = {(x, y, z) for id, x, y, z in moved if id in self}
        if len(places) > 1:
            raise ValueError(
                f"the parts of a body were pushed to different places: {shown(sorted(places))}"
            )
        for place in places:
            self.move(*place)
        return bool(places)

    def mirror(self, is_mirrored: bool) -> None:
        """Has the body face its local +x (False) or -x (True): for side views, which do not turn.

        Parts are mirrored across the body's local z axis (`Part.mirrored`). A box, sphere, capsule
        or cylinder keeps its shape; a sector faces the other way."""
        boolean("is_mirrored", is_mirrored)
        if is_mirrored == self._is_mirrored:
            return
        self._require_present()
        world, trial = self._world, World(1)
        before, after = self._placed(self._is_mirrored), self._placed(is_mirrored)
        poses: dict[str, Pose] = {}
        for name, part in after.items():
            at = world[self._ids[name]].pose
            poses[name] = Pose(at.x, at.y, at.z, (at.yaw - before[name].yaw + part.yaw) % TURN)
            _named(name, trial.add, 0, part.shape, poses[name], offset=part.placed())
            trial.clear()
        for name, part in after.items():
            id, was = self._ids[name], before[name]
            turns, shifts = part.yaw != was.yaw, part.placed() != was.placed()
            # No centre leaves int32 between here and there: one that is on its pose cannot.
            if turns and shifts:
                world.set_offset(id, (0, 0, 0))
            if turns:
                world.set_pose(id, poses[name])
            if shifts:
                world.set_offset(id, part.placed())
        self._is_mirrored = is_mirrored

    # Activity.

    def set_active(self, active: bool, *names: str) -> None:
        """Switches parts on or off: those named, or all."""
        boolean("active", active)
        ids = [self[name] for name in names] if names else [*self]
        self._require_present()
        for id in ids:
            self._world.set_active(id, active)

    def start(self, name: str) -> None:
        """Begins an attack with its frame 0; one that is under way is cancelled first."""
        if name not in self._attacks:
            raise KeyError(
                f"no attack is called {shown(name)}; there are {', '.join(map(repr, self._attacks))}"
            )
        self._require_present()
        switches = self._activity(None) | self._attacks[name].activity(0)
        self._attack, self._frame, self._struck = name, 0, frozenset()
        self._switch(switches)

    def tick(self) -> None:
        """Once a frame, after the world's step: moves the attack under way on to its next frame,
        and ends it after its last. Without one it does nothing."""
        if not self._attack:
            return
        if self._frame + 1 == self._attacks[self._attack].frames:
            self.cancel()
            return
        self._require_present()
        self._frame += 1
        self._switch(self._activity(self._frame))

    def cancel(self) -> None:
        """Ends the attack under way, if there is one."""
        if not self._attack:
            return
        self._require_present()
        switches = self._activity(None)
        self._attack, self._frame, self._struck = "", 0, frozenset()
        self._switch(switches)

    @property
    def attack(self) -> str | None:
        """The attack under way."""
        return self._attack or None

    @property
    def attack_frame(self) -> int:
        """The frame of the attack under way, from 0; 0 if there is none."""
        return self._frame

    @property
    def phase(self) -> str | None:
        """Phase of the attack under way: "active" while a part is on, "startup" before that,
        "recovery" after the last time; None without an attack."""
        if not self._attack:
            return None
        parts = self._attacks[self._attack].active.values()
        spans = [s for part in parts for s in ([part] if isinstance(part, range) else part)]
        if any(self._frame in span for span in spans):
            return "active"
        return "startup" if any(self._frame < span.start for span in spans) else "recovery"

    def strikes(self, victim: int) -> bool:
        """Whether the attack under way meets a victim (any id or owner, 0..2^32-1) for the first
        time.

        It is remembered until the attack ends: one swing hurts once, however many boxes it meets
        and however often. Without an attack it is False."""
        victim = integer("victim", victim, 0, UINT32_MAX)
        if not self._attack or victim in self._struck:
            return False
        self._struck |= {victim}
        return True

    def _activity(self, frame: int | None) -> dict[str, bool]:
        return self._attacks[self._attack].activity(frame) if self._attack else {}

    def _switch(self, switches: Mapping[str, bool]) -> None:
        """Makes parts that are all there active or not; what is so already is not told again."""
        for name, active in switches.items():
            id = self._ids[name]
            if self._world[id].active != active:
                self._world.set_active(id, active)

    def _require_present(self) -> None:
        for name, id in self._ids.items():
            if id not in self._world:
                raise KeyError(f"part {name!r}: id {id} is not in the world")

    def remove(self) -> None:
        """Removes all parts from the world."""
        self._require_present()
        for id in self:
            self._world.remove(id)

    # State.

    def state(self) -> BodyState:
        """What a rollback must restore beside `world.save()`."""
        return BodyState(self._is_mirrored, self._attack, self._frame, tuple(sorted(self._struck)))

    def restore(self, state: BodyState) -> None:
        """Takes back what `state()` returned, together with `world.load()`: it does not touch the
        world.
        """
        is_mirrored, attack, frame, struck = state
        boolean("is_mirrored", is_mirrored)
        if attack and attack not in self._attacks:
            raise ValueError(
                f"attack must be one of {', '.join(map(repr, self._attacks))}, not {shown(attack)}"
            )
        last = self._attacks[attack].frames - 1 if attack else 0
        frame = integer("frame", frame, 0, last)
        victims = [integer(f"struck[{i}]", id, 0, UINT32_MAX) for i, id in enumerate(struck)]
        self._is_mirrored, self._attack, self._frame = is_mirrored, attack, frame
        self._struck = frozenset(victims)

    def __repr__(self) -> str:
        attack = f" {self._attack!r} frame {self._frame}" if self._attack else ""
        return f"<Body owner={self._owner} ids={self._ids}{' mirrored' if self._is_mirrored else ''}{attack}>"


def _turned(pose: Pose, part: Part) -> Pose:
    return Pose(pose.x, pose.y, pose.z, (pose.yaw + part.yaw) % TURN) if part.yaw else pose


def _named(name: str, call: Callable[..., _T], *args: Any, **kwargs: Any) -> _T:
    """What a call returns; the errors that it refuses with name the part."""
    try:
        return call(*args, **kwargs)
    except ValueError as error:
        raise ValueError(f"part {name!r}: {error}") from error


def _checked_parts(parts: Mapping[str, Part]) -> dict[str, Part]:
    if not isinstance(parts, Mapping) or not parts:
        raise ValueError(
            f"parts must be a mapping of names to one Part or more, not {shown(parts)}"
        )
    for name, part in parts.items():
        if not isinstance(part, Part):
            raise TypeError(f"part {shown(name)} must be a Part, not {shown(part)}")
    return dict(parts)


def _checked_attacks(attacks: Mapping[str, Attack], parts: Mapping[str, Part]) -> dict[str, Attack]:
    for name, attack in attacks.items():
        if not isinstance(name, str) or not name:
            raise ValueError(f"an attack's name must be a str that is not empty, not {shown(name)}")
        if not isinstance(attack, Attack):
            raise TypeError(f"attack {name!r} must be an Attack, not {shown(attack)}")
        for part in (*attack.active, *attack.inactive):
            if part not in parts:
                known = ", ".join(map(repr, parts))
                raise ValueError(
                    f"attack {name!r} switches {shown(part)}, which is none of the parts {known}"
                )
    return dict(attacks)

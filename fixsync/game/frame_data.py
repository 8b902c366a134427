"""Frame data: the parts of a fighter and the attacks that switch them, as a table that C reads.

    HERO = FrameData(
        {
            "torso": Part(Cylinder(q("0.5"), q(1)), layer=HURT),
            "sword": Part(Box(q(1), q("0.25"), q("0.25")), (q("1.5"), 0, 0), layer=HIT, active=False),
        },
        {"slash": Attack.of(startup=4, active=3, recovery=9, parts=["sword"])},
    )

`fixsync frame-data` makes the same table from a JSON file, for programs in other languages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, cast

from fixsync._native.body import ATTACK_FRAMES_MAX, read_table
from fixsync._native.checks import boolean, integer, integers, shown
from fixsync._native.raw import INT32_MAX, INT32_MIN, LAYER_COUNT, TURN, YAW_MAX
from fixsync.world.shapes import Shape, require_shape

__all__ = ["Attack", "Cancel", "FrameData", "Key", "Part"]

_QUARTER = TURN // 4
_T = TypeVar("_T")


@dataclass(frozen=True)
class Part:
    """One collider of a body.

    offset: of its centre from the body's pose, turned with the body; ox and oz are not -2^31, which
    has no mirror image. yaw: its turn relative to the body; with an offset in x or z a quarter turn
    (0, 16384, 32768 or 49152), because the collider has the offset turned back by `yaw`, and only
    quarter turns are exact. So the centre of a part is, to the bit, that of a collider with the
    body's pose and the part's offset.

    turns: the offset turns with `yaw` too, which may then be any: a sword that swings about its
    owner. Then -2^31 is refused only for the component that a mirror negates: oz of a sector, ox
    of every other shape. meta: a mapping of the game's own, such as damage; not in the table."""

    shape: Shape
    offset: tuple[int, int, int] = (0, 0, 0)
    layer: int = 0
    yaw: int = 0
    active: bool = True
    turns: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        require_shape("shape", self.shape)
        boolean("turns", self.turns)
        ox, oy, oz = integers("offset", ("ox", "oy", "oz"), self.offset, INT32_MIN, INT32_MAX)
        has_front = self.shape._kind.has_front
        if not (self.turns and has_front):
            integer("offset: ox", ox, -INT32_MAX, INT32_MAX)
        if has_front or not self.turns:
            integer("offset: oz", oz, -INT32_MAX, INT32_MAX)
        object.__setattr__(self, "offset", (ox, oy, oz))
        object.__setattr__(self, "meta", _meta(self.meta))
        for name, most in (("layer", LAYER_COUNT - 1), ("yaw", YAW_MAX)):
            object.__setattr__(self, name, integer(name, getattr(self, name), 0, most))
        boolean("active", self.active)
        if (ox or oz) and self.yaw % _QUARTER and not self.turns:
            raise ValueError(
                "yaw must be 0, 16384, 32768 or 49152 for a part whose offset in x and z is"
                f" ({ox}, {oz}), not {self.yaw}; with turns=True it may be any"
            )


def _meta(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"meta must be a mapping, not {shown(value)}")
    return dict(value)


@dataclass(frozen=True)
class Key:
    """The shape and place of a part in some frames of an attack: a step of a swing that travels.

    frames: a range within the attack. shape, offset, yaw: those of the part where they are None.
    turns and meta are as in `Part`, and are not taken from the part."""

    frames: range
    shape: Shape | None = None
    offset: tuple[int, int, int] | None = None
    yaw: int | None = None
    turns: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.shape is not None:
            require_shape("shape", self.shape)
        if self.offset is not None:
            ends = integers("offset", ("ox", "oy", "oz"), self.offset, INT32_MIN, INT32_MAX)
            object.__setattr__(self, "offset", tuple(ends))
        if self.yaw is not None:
            object.__setattr__(self, "yaw", integer("yaw", self.yaw, 0, YAW_MAX))
        boolean("turns", self.turns)
        object.__setattr__(self, "meta", _meta(self.meta))

    def of(self, part: Part) -> Part:
        """The part as it is in these frames."""
        return replace(
            part,
            shape=part.shape if self.shape is None else self.shape,
            offset=part.offset if self.offset is None else self.offset,
            yaw=part.yaw if self.yaw is None else self.yaw,
            turns=self.turns,
            meta=self.meta,
        )


class Cancel(NamedTuple):
    """A rule: in these frames of an attack, another may begin."""

    into: str
    """The name of the other attack, or of the same."""
    frames: range
    on_hit: bool = False
    """Only if the attack has met a victim."""


Spans = range | Sequence[range]


@dataclass(frozen=True)
class Attack:
    """The frames of an attack in which parts of a body are active. It starts with frame 0.

    active: for each part that the attack switches on, the frames in which it is on, as a range or
    several. inactive: for each part that it switches off, the frames in which it is off, such as
    the hurtboxes of a roll. In every other frame and after the attack, a part of `active` is off
    and a part of `inactive` on. rehits: the frames, ascending from 1, at which another hit of the
    attack begins; it may strike the same victims again. cancels: for `Body.can_start`.

    A part that is switched off and on again ENTERs again: two ranges with a frame between them
    enter twice.

    keys: for each part that changes its shape or place during the attack, a list of `Key`. Their
    frames must not overlap. In all other frames the part is as the body has it. A hit goes on from key to
    key: one ENTER for a swing. meta: a mapping of the game's own; not in the table."""

    frames: int
    active: Mapping[str, Spans] = field(default_factory=dict)
    inactive: Mapping[str, Spans] = field(default_factory=dict)
    rehits: Sequence[int] = ()
    cancels: Sequence[Cancel] = ()
    keys: Mapping[str, Sequence[Key]] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", integer("frames", self.frames, 1, ATTACK_FRAMES_MAX))
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
        rehits, least = [], 1
        for i, frame in enumerate(self.rehits):
            rehits.append(integer(f"rehits[{i}]", frame, least, self.frames - 1))
            least = rehits[-1] + 1
        cancels = [
            _cancel(f"cancels[{i}]", cancel, self.frames) for i, cancel in enumerate(self.cancels)
        ]
        object.__setattr__(self, "rehits", tuple(rehits))
        object.__setattr__(self, "cancels", tuple(cancels))
        keys = {
            name: _keys(f"keys[{shown(name)}]", value, self.frames)
            for name, value in self.keys.items()
        }
        object.__setattr__(self, "keys", keys)
        object.__setattr__(self, "meta", _meta(self.meta))

    @classmethod
    def of(cls, startup: int, active: int, recovery: int, parts: Iterable[str]) -> Attack:
        """An attack whose parts are off for `startup` frames, on for `active`, and off again for
        `recovery`.
        """
        if isinstance(parts, str):
            raise TypeError(f"parts must be a sequence of names, not {shown(parts)}")
        begin = integer("startup", startup, 0, ATTACK_FRAMES_MAX)
        end = begin + integer("active", active, 1, ATTACK_FRAMES_MAX)
        return cls(
            end + integer("recovery", recovery, 0, ATTACK_FRAMES_MAX),
            dict.fromkeys(parts, range(begin, end)),
        )


def _span(where: str, span: Any, frames: int) -> range:
    if not isinstance(span, range):
        raise TypeError(
            f"{where} must be a range of frames or a sequence of them, not {shown(span)}"
        )
    if not (span.step == 1 and 0 <= span.start < span.stop <= frames):
        raise ValueError(f"{where} must be within range(0, {frames}), step 1, not {shown(span)}")
    return span


def _spans(where: str, value: Any, frames: int) -> tuple[range, ...]:
    spans = (value,) if isinstance(value, range) else value
    if isinstance(spans, (str, bytes)) or not isinstance(spans, Sequence):
        raise TypeError(
            f"{where} must be a range of frames or a sequence of them, not {shown(value)}"
        )
    return tuple(_span(where, span, frames) for span in spans)


def _keys(where: str, value: Any, frames: int) -> tuple[Key, ...]:
    """The keys of a part by their frames."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise TypeError(f"{where} must be a sequence of Keys, not {shown(value)}")
    for i, key in enumerate(value):
        if not isinstance(key, Key):
            raise TypeError(f"{where}[{i}] must be a Key, not {shown(key)}")
        _span(f"{where}[{i}]: frames", key.frames, frames)
    keys = sorted(value, key=lambda key: key.frames.start)
    for before, key in pairwise(keys):
        if key.frames.start < before.frames.stop:
            raise ValueError(f"{where}: {before.frames} and {key.frames} overlap")
    return tuple(keys)


def _cancel(where: str, value: Any, frames: int) -> Cancel:
    into, span, on_hit = Cancel(*value)
    if not isinstance(into, str):
        raise TypeError(f"{where}: into must be a name, not {shown(into)}")
    return Cancel(
        into, _span(f"{where}: frames", span, frames), boolean(f"{where}: on_hit", on_hit)
    )


class FrameData:
    """The parts and attacks of one kind of fighter, and the table of them: `to_bytes()`.

    It does not change. Any number of bodies share one."""

    __slots__ = ("_attacks", "_meta", "_parts", "_table")

    def __init__(
        self,
        parts: Mapping[str, Part],
        attacks: Mapping[str, Attack] | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """parts: 1..32 by name. An attack may switch and change only these. meta: a mapping of the
        game's own; not in the table."""
        self._meta = _meta({} if meta is None else meta)
        self._parts = _checked("part", Part, parts)
        self._attacks = _checked("attack", Attack, {} if attacks is None else attacks)
        self._table = _table(self._parts, self._attacks)

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts by name, in their order."""
        return MappingProxyType(self._parts)

    @property
    def attacks(self) -> Mapping[str, Attack]:
        """The attacks by name, in their order."""
        return MappingProxyType(self._attacks)

    @property
    def meta(self) -> Mapping[str, Any]:
        """The game's own."""
        return MappingProxyType(self._meta)

    def to_bytes(self) -> bytes:
        """The table, as C reads it: the same parts and attacks give the same bytes."""
        return self._table

    def __repr__(self) -> str:
        return f"<FrameData parts={[*self._parts]} attacks={[*self._attacks]}>"


def _checked(what: str, kind: type[_T], values: Any) -> dict[str, _T]:
    if not isinstance(values, Mapping):
        raise TypeError(
            f"{what}s must be a mapping of names to {kind.__name__}s, not {shown(values)}"
        )
    for name, value in values.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a {kind.__name__} must be a str, not {shown(name)}")
        if not isinstance(value, kind):
            raise TypeError(f"{what} {name!r} must be of type {kind.__name__}, not {shown(value)}")
    return dict(values)


def _table(parts: Mapping[str, Part], attacks: Mapping[str, Attack]) -> bytes:
    """The table, which C makes out of a file with the same parts and attacks."""
    file = {
        "parts": {
            name: {**_place(part), "layer": part.layer, "active": part.active}
            for name, part in parts.items()
        },
        "attacks": {name: _entry(attack) for name, attack in attacks.items()},
    }
    return read_table(json.dumps(file).encode())


def _place(one: Part | Key) -> dict[str, Any]:
    found = {
        "shape": None if one.shape is None else one.shape.as_tuple(),
        "offset": one.offset,
        "yaw": one.yaw,
        "turns": one.turns,
    }
    return {name: value for name, value in found.items() if value is not None}


def _entry(attack: Attack) -> dict[str, Any]:
    active, inactive = (
        {name: [*map(_ends, cast("Sequence[range]", spans))] for name, spans in of.items()}
        for of in (attack.active, attack.inactive)
    )
    return {
        "frames": attack.frames,
        "active": active,
        "inactive": inactive,
        "rehits": attack.rehits,
        "cancels": [
            {"into": one.into, "frames": _ends(one.frames), "on_hit": one.on_hit}
            for one in attack.cancels
        ],
        "keys": {
            name: [{**_place(key), "frames": _ends(key.frames)} for key in keys]
            for name, keys in attack.keys.items()
        },
    }


def _ends(frames: range) -> tuple[int, int]:
    return frames[0], frames[-1]

"""Frame data: the parts of a fighter and the attacks that switch them, as a table that C reads.

    HERO = FrameData(
        {
            "torso": Part(Cylinder(q("0.5"), q(1)), layer=HURT),
            "sword": Part(Box(q(1), q("0.25"), q("0.25")), (q("1.5"), 0, 0), layer=HIT, active=False),
        },
        {"slash": Attack.of(startup=4, active=3, recovery=9, parts=["sword"])},
    )

`fixsync frames` makes the same table from a JSON file, for programs in other languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import Struct
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from fixsync._native.body import FRAMES_MAX, PARTS_MAX, check_table
from fixsync._native.checks import boolean, integer, integers, shown
from fixsync._native.raw import INT32_MAX, INT32_MIN, LAYER_COUNT, TURN, YAW_MAX
from fixsync._native.rows import SHAPE
from fixsync.shapes import Shape, require_shape

__all__ = ["Attack", "Cancel", "FrameData", "Part"]

_QUARTER = TURN // 4
_HEAD = Struct("<4s2I")
_PART = Struct("<4B2H6i")
_ATTACK = Struct("<7I")
_WINDOW = Struct("<3I")
_REHIT = Struct("<I")
_CANCEL = Struct("<4I")


@dataclass(frozen=True)
class Part:
    """One collider of a body.

    offset: of its centre from the body's pose, turned with the body; ox and oz are not -2^31, which
    has no mirror image. yaw: its turn relative to the body; with an offset in x or z a quarter turn
    (0, 16384, 32768 or 49152), because the collider has the offset turned back by `yaw`, and only
    quarter turns are exact. So the centre of a part is, to the bit, that of a collider with the
    body's pose and the part's offset."""

    shape: Shape
    offset: tuple[int, int, int] = (0, 0, 0)
    layer: int = 0
    yaw: int = 0
    active: bool = True

    def __post_init__(self) -> None:
        require_shape("shape", self.shape)
        ox, oy, oz = integers("offset", ("ox", "oy", "oz"), self.offset, INT32_MIN, INT32_MAX)
        integer("offset: ox", ox, -INT32_MAX, INT32_MAX)
        integer("offset: oz", oz, -INT32_MAX, INT32_MAX)
        object.__setattr__(self, "offset", (ox, oy, oz))
        for name, most in (("layer", LAYER_COUNT - 1), ("yaw", YAW_MAX)):
            object.__setattr__(self, name, integer(name, getattr(self, name), 0, most))
        boolean("active", self.active)
        if (ox or oz) and self.yaw % _QUARTER:
            raise ValueError(
                "yaw must be 0, 16384, 32768 or 49152 for a part whose offset in x and z is"
                f" ({ox}, {oz}), not {self.yaw}"
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
    enter twice."""

    frames: int
    active: Mapping[str, Spans] = field(default_factory=dict)
    inactive: Mapping[str, Spans] = field(default_factory=dict)
    rehits: Sequence[int] = ()
    cancels: Sequence[Cancel] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", integer("frames", self.frames, 1, FRAMES_MAX))
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

    @classmethod
    def of(cls, startup: int, active: int, recovery: int, parts: Iterable[str]) -> Attack:
        """An attack whose parts are off for `startup` frames, on for `active`, and off again for
        `recovery`.
        """
        if isinstance(parts, str):
            raise TypeError(f"parts must be a sequence of names, not {shown(parts)}")
        begin = integer("startup", startup, 0, FRAMES_MAX)
        end = begin + integer("active", active, 1, FRAMES_MAX)
        return cls(
            end + integer("recovery", recovery, 0, FRAMES_MAX),
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

    __slots__ = ("_attacks", "_parts", "_table")

    def __init__(
        self, parts: Mapping[str, Part], attacks: Mapping[str, Attack] | None = None
    ) -> None:
        """parts: 1..32 by name. An attack may switch only these."""
        self._parts = _checked_parts(parts)
        self._attacks = _checked_attacks(attacks or {}, self._parts)
        self._table = _packed(self._parts, self._attacks)
        check_table(self._table)

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts by name, in their order."""
        return MappingProxyType(self._parts)

    @property
    def attacks(self) -> Mapping[str, Attack]:
        """The attacks by name, in their order."""
        return MappingProxyType(self._attacks)

    def to_bytes(self) -> bytes:
        """The table, as C reads it: the same parts and attacks give the same bytes."""
        return self._table

    def __repr__(self) -> str:
        return f"<FrameData parts={[*self._parts]} attacks={[*self._attacks]}>"


def _checked_parts(parts: Mapping[str, Part]) -> dict[str, Part]:
    if not isinstance(parts, Mapping) or not 1 <= len(parts) <= PARTS_MAX:
        raise ValueError(
            f"parts must be a mapping of names to 1..{PARTS_MAX} Parts, not {shown(parts)}"
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
                    f"attack {name!r} switches {shown(part)}, but the parts are {known}"
                )
        for i, cancel in enumerate(attack.cancels):
            if cancel.into not in attacks:
                known = ", ".join(map(repr, attacks))
                raise ValueError(
                    f"attack {name!r}: cancels[{i}]: into must be one of {known},"
                    f" not {cancel.into!r}"
                )
    return dict(attacks)


def _packed(parts: Mapping[str, Part], attacks: Mapping[str, Attack]) -> bytes:
    part_bit = {name: 1 << i for i, name in enumerate(parts)}
    attack_index = {name: i for i, name in enumerate(attacks)}
    head = [_HEAD.pack(b"FXF1", len(parts), len(attacks))]
    head += map(_packed_part, parts.values())
    at = sum(map(len, head)) + _ATTACK.size * len(attacks)
    tails: list[bytes] = []
    for attack in attacks.values():
        windows: dict[tuple[int, int], int] = {}
        for name, spans in (*attack.active.items(), *attack.inactive.items()):
            for span in cast("tuple[range, ...]", spans):
                key = span.start, span.stop
                windows[key] = windows.get(key, 0) | part_bit[name]
        tail = b"".join(
            (
                *(_WINDOW.pack(*span, windows[span]) for span in sorted(windows)),
                *map(_REHIT.pack, attack.rehits),
                *(
                    _CANCEL.pack(frames.start, frames.stop, attack_index[into], on_hit)
                    for into, frames, on_hit in attack.cancels
                ),
            )
        )
        head.append(
            _ATTACK.pack(
                attack.frames,
                sum(part_bit[name] for name in attack.active),
                sum(part_bit[name] for name in attack.inactive),
                len(windows),
                len(attack.rehits),
                len(attack.cancels),
                at + sum(map(len, tails)),
            )
        )
        tails.append(tail)
    return b"".join((*head, *tails))


def _packed_part(part: Part) -> bytes:
    kind, half_angle, *sizes = SHAPE.unpack(part.shape._shape)
    return _PART.pack(kind, part.layer, part.active, 0, part.yaw, half_angle, *part.offset, *sizes)

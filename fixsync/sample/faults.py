"""The sample game with a mistake that real games have had: `--fault` plants one in a peer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from fixsync.records import Event, Events
from fixsync.sample.skillfight import MONSTERS, SkillFight
from fixsync.sim import Input

__all__ = ["FAULTS", "Fault", "faulty"]


class Fault(NamedTuple):
    """A planted mistake."""

    what: str
    is_at_once: bool
    """The state differs after that frame; otherwise as soon as the mistake has an effect."""


FAULTS = {
    "unit": Fault("one raw unit is added to the x of collider 0 in that frame", True),
    "set": Fault("from that frame on monsters act in the order of a set of strings", False),
    "float": Fault("from that frame on fighters walk by math.cos and math.sin, rounded", False),
    "skip": Fault("that frame is not stepped", True),
    "stale": Fault("that frame is stepped from the snapshot of the frame before", True),
}
"""By name."""


class _Faulty(SkillFight):
    _fault_frame: ClassVar[int]


class _Unit(_Faulty):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        if self.world.frame == self._fault_frame + 1:
            pose = self.world[0].pose
            self.world.move(0, pose.x + 1, pose.y, pose.z)
        return events


class _Set(_Faulty):
    def _monsters_in_turn(self) -> Sequence[int]:
        if self.world.frame < self._fault_frame:
            return super()._monsters_in_turn()
        # Strings are hashed with a key of the process: this order is another one in each.
        return [int(name) for name in {str(monster) for monster in range(MONSTERS)}]


class _Float(_Faulty):
    def _way(self, yaw: int, distance: int) -> tuple[int, int]:
        if self.world.frame < self._fault_frame:
            return super()._way(yaw, distance)
        angle = yaw * math.tau / 65536
        return round(math.cos(angle) * distance), round(math.sin(angle) * distance)


class _Skip(_Faulty):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        return Events() if self.world.frame == self._fault_frame else super().step(inputs)


class _Stale(_Faulty):
    _before = b""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        if self.world.frame == self._fault_frame - 1:
            self._before = self.save()
        elif self.world.frame == self._fault_frame and self._before:
            self.load(self._before)
        return super().step(inputs)


_MAKERS: dict[str, type[_Faulty]] = {
    "unit": _Unit,
    "set": _Set,
    "float": _Float,
    "skip": _Skip,
    "stale": _Stale,
}


def faulty(name: str, frame: int) -> type[SkillFight]:
    """The sample game with a fault from FAULTS that begins in a frame, 1 or later.

    ValueError for another name or frame. Other processes find it as
    `fixsync.sample.faults:NAME_at_FRAME`."""
    if name not in _MAKERS:
        raise ValueError(f"fault must be one of {', '.join(_MAKERS)}, not {name!r}")
    if frame < 1:
        raise ValueError(f"frame of a fault must be 1 or more, not {frame}")
    return type(f"{name}_at_{frame}", (_MAKERS[name],), {"_fault_frame": frame})


def __getattr__(name: str) -> type[SkillFight]:
    fault, _, frame = name.partition("_at_")
    if fault in _MAKERS and frame.isdecimal() and int(frame) > 0:
        return faulty(fault, int(frame))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""A simulation with a mistake that real games have had: `fixsync peers --fault` plants one in a
peer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from fixsync.match.sim import Input, Simulation, SimulationType, idle_input
from fixsync.sample.skillfight import SkillFight
from fixsync.sample.skillfight.rules import MONSTERS
from fixsync.world.records import Event, Events

__all__ = ["FAULTS", "Fault", "faults_of", "faulty"]


if TYPE_CHECKING:
    _Base = SkillFight
else:
    _Base = object


class _Faulty(_Base):
    """Stands before a simulation's own class among the bases."""

    _fault_frame: ClassVar[int]


class _Unit(_Faulty):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        if self.world.frame == self._fault_frame + 1:
            id = next(iter(self.world), None)
            if id is None:
                raise ValueError(f"fault unit: no collider in frame {self._fault_frame}")
            pose = self.world[id].pose
            self.world.move(id, pose.x + (1 if pose.x < 2**31 - 1 else -1), pose.y, pose.z)
        return events


class _Bit(_Faulty):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        if self.world.frame == self._fault_frame + 1:
            self._flip(self.save())
        return events

    def _flip(self, state: bytes) -> None:
        """Flips the first bit of the state that `load` accepts and that leaves the frame alone."""
        frame = self.world.frame
        for bit in range(8 * len(state)):
            flipped = bytearray(state)
            flipped[bit // 8] ^= 1 << bit % 8
            try:
                self.load(bytes(flipped))
                if self.save() == flipped and self.world.frame == frame:
                    return
            except Exception:  # noqa: S110 - a game's load may raise anything; the next bit is tried
                pass
            self.load(state)
        raise ValueError(f"fault bit: no bit of the state of frame {frame - 1} can be flipped")


class _Input(_Faulty):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        if self.world.frame >= self._fault_frame:
            inputs = (idle_input(self), *inputs[1:])
        return super().step(inputs)


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


class _Set(_Faulty):
    def _monsters_in_turn(self) -> Sequence[int]:
        if self.world.frame < self._fault_frame:
            return range(MONSTERS)
        # Strings are hashed with a key of the process: this order is another one in each.
        return [int(name) for name in {str(monster) for monster in range(MONSTERS)}]


class _Float(_Faulty):
    def _motion(self, yaw: int, distance: int) -> tuple[int, int]:
        if self.world.frame < self._fault_frame:
            return super()._motion(yaw, distance)
        angle = yaw * math.tau / 65536
        return round(math.cos(angle) * distance), round(math.sin(angle) * distance)


class Fault(NamedTuple):
    """A planted mistake."""

    kind: type[_Faulty]
    what: str
    simulation: str | None = None
    """The only simulation that has it, because it is in that game's code; None: any can have it."""


FAULTS = {
    "unit": Fault(_Unit, "one raw unit is added to the x of the first collider in that frame"),
    "bit": Fault(_Bit, "one bit of the saved state is flipped after that frame, and loaded"),
    "input": Fault(
        _Input, "from that frame on the input of player 0 is lost: the idle one is used"
    ),
    "skip": Fault(_Skip, "that frame is not stepped"),
    "stale": Fault(_Stale, "that frame is stepped from the snapshot of the frame before"),
    "set": Fault(
        _Set,
        "from that frame on monsters act in the order of a set of strings",
        "skillfight",
    ),
    "float": Fault(
        _Float,
        "from that frame on fighters walk by math.cos and math.sin, rounded",
        "skillfight",
    ),
}
"""By name."""


def faults_of(simulation: str) -> list[str]:
    """Names of the faults that a simulation of this name can have."""
    return [name for name, fault in FAULTS.items() if fault.simulation in (None, simulation)]


def faulty(name: str, frame: int, simulation: SimulationType = SkillFight) -> Any:
    """A simulation with a fault from FAULTS that begins in a frame, 1 or later.

    `simulation` is a class, or a function that makes one. ValueError for another name or frame, and
    for a fault of another game. Other processes find those of the sample as
    `fixsync.peers.faults:NAME_at_FRAME`."""
    allowed = faults_of(simulation.name)
    if name not in allowed:
        raise ValueError(
            f"fault of {simulation.name} must be one of {', '.join(allowed)}, not {name!r}"
        )
    if frame < 1:
        raise ValueError(f"frame of a fault must be 1 or more, not {frame}")
    values = {"_fault_frame": frame}

    def with_fault(kind: type) -> type:
        # Not type(): the game's class may have a metaclass.
        title = f"{name}_at_{frame}"
        return new_class(
            title, (FAULTS[name].kind, kind), exec_body=lambda space: space.update(values)
        )

    if isinstance(simulation, type):
        return with_fault(simulation)
    return _Maker(simulation, with_fault)


class _Maker:
    """Makes faulty simulations where a function, not a class, makes the good ones."""

    def __init__(self, simulation: SimulationType, with_fault: Any) -> None:
        self.name = simulation.name
        self._simulation = simulation
        self._with_fault = with_fault

    def __call__(self, seed: int, players: int) -> Simulation:
        made = self._simulation(seed, players)
        made.__class__ = self._with_fault(type(made))
        return made


def __getattr__(name: str) -> Any:
    fault, _, frame = name.partition("_at_")
    if fault in FAULTS and frame.isdecimal() and int(frame) > 0:
        return faulty(fault, int(frame))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

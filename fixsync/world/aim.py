"""Aiming: the yaw towards a place, how far to turn, whether a place is ahead, and the angles of
other engines.

A yaw has 65536 steps a turn and faces `direction(yaw)`; coordinates and lengths are Q16.16.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex, TypeAlias

from fixsync._native import kernel
from fixsync._native.checks import coordinate, integer
from fixsync._native.raw import HALF_ANGLE_MAX, INT32_MAX, TURN, YAW_MAX
from fixsync.base.numbers import ONE, degrees, exact, q_near, yaw_of
from fixsync.world.shapes import Pose, require_pose

Number: TypeAlias = int | str | Fraction | Decimal | SupportsIndex
"""The types that `q` and `degrees` accept."""


def yaw_towards(pose: Pose, x: int, z: int) -> int:
    """The yaw (0..65535) from a pose towards (x, z), two coordinates; the pose's own yaw if it is
    there.

    As `yaw_of`: the yaw whose step, half a step to either side, holds the direction.
    """
    require_pose("pose", pose)
    dx, dz = coordinate("x", x) - pose.x, coordinate("z", z) - pose.z
    return yaw_of(dx, dz) if dx or dz else pose.yaw


def yaw_between(start: int, end: int) -> int:
    """The turn from one yaw to another the shorter way, -32768..32767 steps; half a turn is
    -32768.
    """
    return kernel.yaw_between(_yaw("start", start), _yaw("end", end))


def bearing(pose: Pose, x: int, z: int) -> int:
    """How far a pose must turn to face (x, z), the shorter way: -32768..32767 steps, 0 if it is
    there.

    Positive is the way that yaws grow, from +X towards +Z. It is the signed angle between the two
    directions, rounded to a whole step as `yaw_towards` is. `faces` decides without rounding
    whether something lies within an angle."""
    return yaw_between(_facing(pose), yaw_towards(pose, x, z))


def turn_towards(yaw: int, end: int, most: int) -> int:
    """A yaw turned towards another the shorter way, by `most` (0..65536) steps at most: a homing
    missile, a turret. Half a turn goes towards smaller yaws."""
    steps = integer("most", most, 0, TURN)
    turned: int = kernel.turn_towards(_yaw("yaw", yaw), _yaw("end", end), steps)
    return turned


def faces(pose: Pose, x: int, z: int, half_angle: int) -> bool:
    """Whether (x, z), two coordinates, lies within half_angle (1..32768) steps of where a pose
    faces.

    Exact, borders included, as for `Sector(radius, half_angle, ...)` at that pose without its arc.
    The pose's own place counts as faced."""
    require_pose("pose", pose)
    angle = integer("half_angle", half_angle, 1, HALF_ANGLE_MAX)
    dx, dz = coordinate("x", x) - pose.x, coordinate("z", z) - pose.z
    return bool(kernel.faces(pose.yaw, angle, dx, dz))


def forward(yaw: int, length: int) -> tuple[int, int]:
    """(x, z) of a vector of this length (-(2^31-1)..2^31-1) that a yaw faces.

    Each component is rounded to nearest, halves away from zero, so opposite yaws give opposite
    vectors. It is where `offset=(length, 0, 0)` puts a collider's centre."""
    return kernel.forward(_yaw("yaw", yaw), integer("length", length, -INT32_MAX, INT32_MAX))


def _yaw(name: str, value: object) -> int:
    return integer(name, value, 0, YAW_MAX)


def _facing(pose: Pose) -> int:
    require_pose("pose", pose)
    return pose.yaw


@dataclass(frozen=True)
class Engine:
    """Converts yaws and places of an engine with a rotation about its vertical axis in degrees.

    An unturned object faces along `forward`: +Z in Unity, -Z in Godot, +X in Unreal. Unity and
    Godot turn +Z towards +X for a positive angle, the direction in which fixsync's yaws shrink.
    Unreal turns +X towards +Y, the direction in which they grow.

    The axes of Unity and Godot are fixsync's own, x, y up and z. Unreal's X, Y and Z are fixsync's
    x, z and y, and one unit is 100 of Unreal's. If a left-handed engine (Unity) and a right-handed
    one (Godot) show the same match, one shows its mirror image. To show the same picture in both,
    use one of them `mirrored()`: its z is fixsync's -z, and its angles are converted
    accordingly."""

    name: str
    forward: int
    """The yaw that an unturned object faces, in the engine's own axes."""
    is_mirrored: bool = False
    """Whether its z is fixsync's -z."""
    turn: int = -1
    """1 if yaws grow with its angles, -1 if they shrink."""
    is_z_up: bool = False
    """Whether its Y is fixsync's z, and its Z fixsync's y."""
    scale: int = 1
    """How many of its units are one unit."""

    def mirrored(self) -> Engine:
        """The same engine with z negated."""
        return replace(self, is_mirrored=not self.is_mirrored)

    def yaw_facing(self, angle: Number) -> int:
        """The nearest yaw that an object turned by `angle` degrees faces: for a sector, and for
        aiming.

        Of two equally near yaws the even one, as `degrees`.
        """
        return self._own(self.forward + self.turn * degrees(angle))

    def angle_facing(self, yaw: int) -> Fraction:
        """The angle in degrees, exactly, 0 <= angle < 360, at which an object faces a yaw."""
        return _angle(self.turn * (self._own(_yaw("yaw", yaw)) - self.forward))

    def yaw_turned(self, angle: Number) -> int:
        """The nearest yaw of a box that was turned by `angle` degrees from the axes."""
        return self._own(self.turn * degrees(angle))

    def angle_turned(self, yaw: int) -> Fraction:
        """The angle in degrees, exactly, 0 <= angle < 360, of a box with this yaw."""
        return _angle(self.turn * self._own(_yaw("yaw", yaw)))

    def position(self, x: int, y: int, z: int) -> tuple[Fraction, Fraction, Fraction]:
        """A place of fixsync in the engine's units, exactly."""
        along = -1 if self.is_mirrored else 1
        raw = coordinate("x", x), coordinate("y", y), along * coordinate("z", z)
        right, up, ahead = (Fraction(value * self.scale, ONE) for value in raw)
        return (right, ahead, up) if self.is_z_up else (right, up, ahead)

    def coordinates(self, x: Number, y: Number, z: Number) -> tuple[int, int, int]:
        """The raw (x, y, z) nearest to a place in the engine's units, each rounded as `q_near`
        does.

        ValueError outside int32. A float is a TypeError; `Fraction(value)` is its exact value."""
        right, up, ahead = (x, z, y) if self.is_z_up else (x, y, z)
        raw = [q_near(exact("q_near", value) / self.scale) for value in (right, up, ahead)]
        return raw[0], raw[1], coordinate("z", -raw[2] if self.is_mirrored else raw[2])

    def _own(self, yaw: int) -> int:
        """A yaw in the engine's axes as one in fixsync's, and the other way."""
        return (-yaw if self.is_mirrored else yaw) % TURN


def _angle(steps: int) -> Fraction:
    return Fraction(steps % TURN * 360, TURN)


UNITY = Engine("Unity", 16384)
"""Unity: left-handed, Y up, forward +Z; its angle is `transform.eulerAngles.y`."""

GODOT = Engine("Godot", 49152)
"""Godot: right-handed, Y up, forward -Z; its angle is `rotation_degrees.y`."""

UNREAL = Engine("Unreal", 0, turn=1, is_z_up=True, scale=100)
"""Unreal: left-handed, Z up, forward +X, centimetres; its angle is `FRotator.Yaw`. A unit is a metre:
`dataclasses.replace(UNREAL, scale=1)` has another."""

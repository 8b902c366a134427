"""The model of bodies, in plain Python.

After each call it puts every part where the contract says that it is, from the body's pose, mirror,
attack and frame alone. It changes a World as a game would, one collider after another, so it is not
all or none."""

from __future__ import annotations

from dataclasses import replace
from struct import pack

from fixsync import FrameData, Part, Pose, Sector, World

TURN, HALF, QUARTER = 65536, 32768, 16384


def mirrored(part: Part) -> Part:
    """The part as in a mirror across the body's local z axis."""
    ox, oy, oz = part.offset
    is_sector = isinstance(part.shape, Sector)
    yaw = (HALF if is_sector else 0) - part.yaw
    offset = (ox, oy, -oz) if part.turns and is_sector else (-ox, oy, oz)
    return replace(part, offset=offset, yaw=yaw % TURN)


def placed(part: Part) -> tuple[int, int, int]:
    """The offset of its collider: the part's, turned back by its yaw unless it turns with it."""
    ox, oy, oz = part.offset
    for _ in range(part.yaw // QUARTER if (ox or oz) and not part.turns else 0):
        ox, oz = oz, -ox
    return ox, oy, oz


class ModelBody:
    """A body whose state is `save()`, beside the world's."""

    def __init__(
        self, world: World, frames: FrameData, pose: Pose, ids: list[int], owner: int, flip: bool
    ) -> None:
        self.world, self.data, self.ids = world, frames, ids
        self.is_mirrored, self.attack, self.frame = flip, "", 0
        self.struck: set[int] = set()
        self.has_hit = False
        for id, part in zip(ids, self.parts(flip), strict=True):
            world.add(
                id,
                part.shape,
                Pose(pose.x, pose.y, pose.z, (pose.yaw + part.yaw) % TURN),
                layer=part.layer,
                owner=owner,
                offset=placed(part),
                active=part.active,
            )

    def parts(self, flip: bool) -> list[Part]:
        """The parts as they are in this frame of the attack."""
        keys = self.data.attacks[self.attack].keys if self.attack else {}
        found = []
        for name, part in self.data.parts.items():
            mine = [key for key in keys.get(name, ()) if self.frame in key.frames]
            found.append(mine[0].of(part) if mine else part)
        return [mirrored(part) for part in found] if flip else found

    def put(self, pose: Pose) -> None:
        """Puts all parts where they are for a pose of the body."""
        for id, part in zip(self.ids, self.parts(self.is_mirrored), strict=True):
            self.world.set_offset(id, (0, 0, 0))
            self.world.set_shape(id, part.shape)
            self.world.set_pose(id, Pose(pose.x, pose.y, pose.z, (pose.yaw + part.yaw) % TURN))
            self.world.set_offset(id, placed(part))

    @property
    def pose(self) -> Pose:
        at = self.world[self.ids[0]].pose
        return Pose(at.x, at.y, at.z, (at.yaw - self.parts(self.is_mirrored)[0].yaw) % TURN)

    def set_pose(self, pose: Pose) -> None:
        self.put(pose)

    def mirror(self, flip: bool) -> None:
        pose = self.pose
        self.is_mirrored = flip
        self.put(pose)

    def activity(self, frame: int | None) -> dict[str, bool]:
        """Which parts are on in a frame of the attack; None: when it is over."""
        if not self.attack:
            return {}
        attack = self.data.attacks[self.attack]
        on = {name: any(frame in span for span in spans) for name, spans in attack.active.items()}
        off = {
            name: any(frame in span for span in spans) for name, spans in attack.inactive.items()
        }
        return on | {name: not is_off for name, is_off in off.items()}

    def switch(self, activity: dict[str, bool]) -> None:
        ids = dict(zip(self.data.parts, self.ids, strict=True))
        for name, on in activity.items():
            self.world.set_active(ids[name], on)

    def start(self, name: str) -> None:
        over, pose = self.activity(None), self.pose
        self.attack, self.frame, self.struck, self.has_hit = name, 0, set(), False
        self.put(pose)
        self.switch(over | self.activity(0))

    def cancel(self) -> None:
        self.switch(self.activity(None))
        pose = self.pose
        self.attack, self.frame, self.struck, self.has_hit = "", 0, set(), False
        self.put(pose)

    def tick(self) -> None:
        if not self.attack:
            return
        attack = self.data.attacks[self.attack]
        if self.frame + 1 == attack.frames:
            self.cancel()
            return
        pose = self.pose
        self.frame += 1
        self.put(pose)
        if self.frame in attack.rehits:
            self.struck = set()
        self.switch(self.activity(self.frame))

    @property
    def phase(self) -> str | None:
        if not self.attack:
            return None
        parts = self.data.attacks[self.attack].active.values()
        spans = [span for spans in parts for span in spans]
        if any(self.frame in span for span in spans):
            return "active"
        return "startup" if any(self.frame < span.start for span in spans) else "recovery"

    @property
    def hit(self) -> int:
        rehits = self.data.attacks[self.attack].rehits if self.attack else ()
        return sum(frame <= self.frame for frame in rehits)

    def can_start(self, name: str) -> bool:
        cancels = self.data.attacks[self.attack].cancels if self.attack else ()
        return not self.attack or any(
            into == name and self.frame in frames and (self.has_hit or not on_hit)
            for into, frames, on_hit in cancels
        )

    def strike(self, victim: int) -> bool:
        if not self.attack or victim in self.struck:
            return False
        self.struck.add(victim)
        self.has_hit = True
        return True

    def save(self) -> bytes:
        attack = [*self.data.attacks].index(self.attack) if self.attack else 2**32 - 1
        struck = sorted(self.struck)
        head = (self.is_mirrored, attack, self.frame, self.has_hit, len(struck))
        return pack(f"<4s5I{len(struck)}I", b"FXB1", *head, *struck)

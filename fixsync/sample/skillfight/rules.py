"""The numbers of the game: the arena, ids and layers, inputs, skills."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from fixsync.base.numbers import ONE, degrees, q_near
from fixsync.world.shapes import Box, Cylinder, Pose, Sector, Shape, Sphere

PLAYERS_MIN, PLAYERS_MAX = 2, 8
MONSTERS = 6
SHOTS = 3
"""How many shots of one fighter fly at a time."""

ARENA = 12 * ONE
"""From the middle to each wall."""
BODY = Cylinder(ONE // 2, ONE)
MONSTER_BODY = Cylinder(q_near("0.6"), q_near("0.8"))
SHOT = Sphere(ONE // 4)
BITE = Sphere(q_near("0.9"))
REACH = ARENA - BODY.radius
"""How far from the middle, on each axis, a body's centre can be."""
WALLS: list[tuple[Shape, Pose]] = [
    (Box(ARENA + ONE, 2 * ONE, ONE // 2), Pose(0, 0, ARENA + ONE // 2)),
    (Box(ARENA + ONE, 2 * ONE, ONE // 2), Pose(0, 0, -ARENA - ONE // 2)),
    (Box(ONE // 2, 2 * ONE, ARENA + ONE), Pose(ARENA + ONE // 2, 0, 0)),
    (Box(ONE // 2, 2 * ONE, ARENA + ONE), Pose(-ARENA - ONE // 2, 0, 0)),
    (Cylinder(ONE, 2 * ONE), Pose(5 * ONE, 0, 4 * ONE)),
    (Cylinder(ONE, 2 * ONE), Pose(-5 * ONE, 0, -4 * ONE)),
    (Box(2 * ONE, 2 * ONE, ONE // 2), Pose(-5 * ONE, 0, 5 * ONE, degrees(45))),
    (Box(2 * ONE, 2 * ONE, ONE // 2), Pose(5 * ONE, 0, -5 * ONE, degrees(45))),
]

HEALTH = 100
MONSTER_HEALTH = 60
WALK = q_near("0.09")
DASH = q_near("0.3")
PUSH_MAX = 2 * ONE
SHOT_SPEED = q_near("0.35")
"""Less than a shot and a body are wide: a shot cannot pass through."""
SHOT_COOLDOWN, SHOT_LIFE, SHOT_DAMAGE, SHOT_PUSH = 25, 45, 8, q_near("0.1")
MONSTER_WALK = q_near("0.045")
MONSTER_SIGHT = 7 * ONE
BITE_OFFSET = ONE
BITE_REACH = q_near("1.5")
BITE_WINDUP, BITE_ACTIVE, BITE_FRAMES, BITE_DAMAGE, BITE_PUSH = 14, 3, 50, 9, q_near("0.25")
STROLL_FRAMES = 40
"""How long a monster that sees nobody goes on as it does, on the average."""
RESPAWN_FRAMES = 90
MONSTER_RESPAWN_FRAMES = 200
SHIELD_FRAMES = 45
"""After coming back, nothing hurts for so long."""

# Ids in the world, after those of the players: bodies have lower ids than what hurts them.
MONSTER_IDS = range(8, 8 + MONSTERS)
WALL_IDS = range(16, 16 + len(WALLS))
ATTACK_IDS = range(24, 24 + PLAYERS_MAX)
BITE_IDS = range(32, 32 + MONSTERS)
SHOT_IDS = range(40, 40 + PLAYERS_MAX * SHOTS)
CAPACITY = SHOT_IDS.stop


class Layer(IntEnum):
    """Layers of the world."""

    FIGHTER = 0
    MONSTER = 1
    WALL = 2
    ATTACK = 3
    BITE = 4
    SHOT = 5


_MEETS: dict[Layer, tuple[Layer, ...]] = {
    Layer.FIGHTER: tuple(Layer),
    Layer.MONSTER: (Layer.MONSTER, Layer.WALL, Layer.ATTACK, Layer.SHOT),
    Layer.WALL: (Layer.SHOT,),
}
LAYERS = [(layer, other) for layer, others in _MEETS.items() for other in others]
_BODIES = Layer.FIGHTER, Layer.MONSTER
YIELDS = [(body, other) for body in _BODIES for other in (*_BODIES, Layer.WALL)]
"""Which layer gives way to which when bodies are pushed apart."""


class Button(IntEnum):
    """The bits of an input above the heading."""

    WALK = 1 << 6
    SLASH = 1 << 7
    BEAM = 1 << 8
    BLAST = 1 << 9
    DASH = 1 << 10
    SHOOT = 1 << 11


HEADINGS = 64
INPUT_MAX = (1 << 12) - 1


class Action(IntEnum):
    """The action of a fighter."""

    NONE = 0
    SLASH = 1
    BEAM = 2
    BLAST = 3
    DASH = 4


@dataclass(frozen=True)
class Skill:
    """A skill's frames, from its beginning: `windup`, then `active`, then `recovery`."""

    button: Button
    windup: int
    active: int
    recovery: int
    cooldown: int
    """From its beginning until it can be used again."""
    damage: int = 0
    push: int = 0
    """The speed with which a victim is thrown away."""
    shape: Shape | None = None
    offset: int = 0
    """How far before the fighter the shape's centre is."""

    @property
    def frames(self) -> int:
        return self.windup + self.active + self.recovery

    def is_active(self, frame: int) -> bool:
        return self.windup <= frame < self.windup + self.active


_WEDGE = Sector(q_near("2.2"), degrees(60), ONE)
_RAY = Box(5 * ONE, ONE, q_near("0.35"))
SKILLS = {
    Action.BLAST: Skill(Button.BLAST, 12, 3, 12, 220, 20, q_near("0.5"), Sphere(q_near("2.6"))),
    Action.BEAM: Skill(Button.BEAM, 16, 6, 14, 170, 26, q_near("0.25"), _RAY, q_near("5.5")),
    Action.SLASH: Skill(Button.SLASH, 4, 4, 7, 20, 14, q_near("0.2"), _WEDGE),
    Action.DASH: Skill(Button.DASH, 0, 9, 3, 70),
}
"""By action. Of several buttons at once the first of these counts."""
WAITS = {action: f"{action.name.lower()}_wait" for action in SKILLS}
"""By action, the field of a `Fighter` with the frames until it can be used again."""


def owner_of(player: int) -> int:
    """The owner of a player's colliders in the world."""
    return player + 1


def shot_ids(player: int) -> range:
    """The ids of a player's shots."""
    return SHOT_IDS[SHOTS * player : SHOTS * (player + 1)]

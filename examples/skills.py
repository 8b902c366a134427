"""A hero with three skills against a horde: a sector, a long box and a sphere against cylinders.

    python examples/skills.py [LOG] [SEED]     (skills.jsonl, 1)
    fixsync replay skills.jsonl

Monsters walk to the hero and bite. The hero turns to the nearest one, slashes with a sector, fires
a beam ten units long, and drops a blast on the third nearest. All numbers are integers: the same
seed gives the same log, byte for byte."""

from __future__ import annotations

import sys

from fixsync import (
    Attack,
    Body,
    Box,
    Contact,
    Cylinder,
    EventKind,
    FrameData,
    Handlers,
    Part,
    Pose,
    Sector,
    Sphere,
    World,
    degrees,
    forward,
    q,
    turn_towards,
    yaw_towards,
)
from fixsync.game.random import Random
from fixsync.log import Names
from fixsync.log.recorder import Recorder

HERO, MONSTER, SKILL = range(3)
LAYERS = [(HERO, MONSTER), (MONSTER, MONSTER), (MONSTER, SKILL)]
YIELDS = [(MONSTER, MONSTER), (MONSTER, HERO)]
CAPACITY, MONSTER_IDS = 64, range(16, 64)

PARTS = {
    "body": Part(Cylinder(q("0.5"), q(1)), layer=HERO),
    "slash": Part(Sector(q("2.5"), degrees(60), q(1)), layer=SKILL, active=False),
    "beam": Part(Box(q(5), q("0.5"), q("0.25")), (q("5.5"), 0, 0), layer=SKILL, active=False),
    "blast": Part(Sphere(q("2.5")), layer=SKILL, active=False),
}
SKILLS = {
    "slash": Attack.of(startup=4, active=3, recovery=8, parts=["slash"]),
    "beam": Attack(36, {"beam": [range(12, 15), range(20, 23)]}),  # two pulses
    "blast": Attack.of(startup=10, active=1, recovery=14, parts=["blast"]),
}
HERO_FRAMES = FrameData(PARTS, SKILLS)
DAMAGE = {"slash": 12, "beam": 15, "blast": 25}
COOLDOWN = {"slash": 0, "beam": 240, "blast": 180}
MONSTER_BODY, MONSTER_HEALTH, MONSTER_WALK = Cylinder(q("0.5"), q("0.75")), 40, q("0.046875")
TURN, BITE_FRAMES, HEALTH, FRAMES_MAX = degrees(6), 30, 100, 60 * 60


class Horde:
    """The match: one call of `frame` is one frame."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.world = World(CAPACITY, layers=LAYERS)
        self.hero = Body(self.world, HERO_FRAMES, Pose(0, 0, 0), ids=0, owner=1)
        self.health, self.kills = HEALTH, 0
        self.waits = dict.fromkeys(SKILLS, 0)
        self.monsters: dict[int, int] = {}
        """Health by id."""
        self.handlers = Handlers(self.world)
        self.handlers.on(EventKind.ENTER, layers=(SKILL, MONSTER))(self.struck)
        for kind in (EventKind.ENTER, EventKind.STAY):
            self.handlers.on(kind, layers=(MONSTER, HERO))(self.bitten)

    def struck(self, skill: int, monster: int, _: Contact) -> None:
        name = self.hero.part_of(skill)
        if name is None or monster not in self.monsters:
            return
        self.monsters[monster] -= DAMAGE[name]
        if self.monsters[monster] <= 0:
            del self.monsters[monster]
            self.world.remove(monster)
            self.kills += 1

    def bitten(self, monster: int, _hero: int, _: Contact) -> None:
        if monster in self.monsters and (self.world.frame + monster) % BITE_FRAMES == 0:
            self.health = max(0, self.health - 1)

    def spawn(self) -> None:
        free = [id for id in MONSTER_IDS if id not in self.world]
        if free and self.random.chance(1, 20):
            x, z = forward(self.random.below(65536), q(12))
            self.world.add(free[0], MONSTER_BODY, Pose(x, 0, z), layer=MONSTER)
            self.monsters[free[0]] = MONSTER_HEALTH

    def walk(self) -> None:
        """Move all monsters one step towards the hero, in one call."""
        poses = []
        for id in sorted(self.monsters):
            at = self.world[id].pose
            yaw = yaw_towards(at, 0, 0)
            dx, dz = forward(yaw, MONSTER_WALK)
            poses.append(Pose(at.x + dx, 0, at.z + dz, yaw))
        self.world.set_pose_many(sorted(self.monsters), poses)

    def act(self) -> None:
        self.waits = {name: max(0, wait - 1) for name, wait in self.waits.items()}
        if self.hero.attack is not None:
            return
        near = self.world.nearest(Sphere(q(11)), self.hero.pose, 1 << MONSTER, limit=3)
        if not near:
            return
        place = self.world[near[0]].pose
        self.hero.turn(
            turn_towards(self.hero.pose.yaw, yaw_towards(self.hero.pose, place.x, place.z), TURN)
        )
        beam = self.world.query(Box(q(10), q("0.5"), q("0.25")), self.hero.pose, 1 << MONSTER)
        if len(near) == 3 and not self.waits["blast"]:
            target = self.world[near[2]].pose
            self.world.move(self.hero["blast"], target.x, 0, target.z)
            self.begin("blast")
        elif len(beam) >= 3 and not self.waits["beam"]:
            self.begin("beam")
        elif self.world.query(PARTS["slash"].shape, self.hero.pose, 1 << MONSTER):
            self.begin("slash")

    def begin(self, skill: str) -> None:
        self.hero.start(skill)
        self.waits[skill] = COOLDOWN[skill]

    def frame(self) -> None:
        self.spawn()
        self.walk()
        self.act()
        self.handlers.step()
        self.world.separate(YIELDS, passes=2)
        self.hero.tick()

    @property
    def is_over(self) -> bool:
        return self.world.frame == FRAMES_MAX or self.health == 0


def play(path: str, seed: int) -> Horde:
    """Play one match to its end and record it."""
    horde = Horde(seed)
    names = Names(
        layers={HERO: "hero", MONSTER: "monster", SKILL: "skill"},
        ids={id: name for name, id in horde.hero.ids.items()},
    )
    with Recorder(
        horde.world, path, replace=True, names=names, meta={"game": "skills", "seed": seed}
    ):
        while not horde.is_over:
            horde.frame()
    return horde


if __name__ == "__main__":
    path, seed = (*sys.argv[1:], *["skills.jsonl", "1"][len(sys.argv) - 1 :])[:2]
    match = play(path, int(seed))
    print(
        f"{path}: {match.world.frame} frames, {match.kills} monsters slain, health {match.health}"
    )

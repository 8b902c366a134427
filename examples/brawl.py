"""A 2.5D brawl: two fighters with hurtboxes and hitboxes on a street with walls.

    python examples/brawl.py [LOG] [SEED]     (brawl.jsonl, 1)
    fixsync replay brawl.jsonl

Fighters walk along x and z, jump, face left or right, punch and kick. An attack hurts each opponent
once, however many hurtboxes it hits. All numbers are integers: the same seed gives the same log,
byte for byte, on every machine."""

from __future__ import annotations

import sys
from dataclasses import dataclass

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
    World,
    q,
)
from fixsync.game.random import Random
from fixsync.log.recorder import Recorder
from fixsync.names import Names

HURT, HIT, PUSH, WALL = range(4)
LAYERS = [(HURT, HIT), (PUSH, PUSH), (PUSH, WALL)]
YIELDS = [(PUSH, PUSH), (PUSH, WALL)]

# Ground view and side view of each part have the same width, so boxes and cylinders suffice.
PARTS = {
    "feet": Part(Cylinder(q("0.375"), q(1)), (0, q(1), 0), layer=PUSH),
    "legs": Part(Box(q("0.25"), q("0.5"), q("0.25")), (0, q("0.5"), 0), layer=HURT),
    "torso": Part(Cylinder(q("0.375"), q("0.5")), (0, q("1.5"), 0), layer=HURT),
    "head": Part(Cylinder(q("0.25"), q("0.25")), (q("0.125"), q("2.25"), 0), layer=HURT),
    "fist": Part(
        Box(q("0.5"), q("0.125"), q("0.25")), (q("0.75"), q("1.75"), 0), layer=HIT, active=False
    ),
    "boot": Part(
        Box(q("0.625"), q("0.25"), q("0.25")), (q("0.875"), q("0.5"), 0), layer=HIT, active=False
    ),
}
ATTACKS = {
    "punch": Attack.of(startup=3, active=2, recovery=7, parts=["fist"]),
    "kick": Attack.of(startup=6, active=4, recovery=12, parts=["boot"]),
}
FRAMES = FrameData(PARTS, ATTACKS)
DAMAGE = {"punch": 5, "kick": 9}
HEALTH, FRAMES_MAX = 60, 60 * 60
WALK, JUMP, GRAVITY, THROW, ARM = q("0.0625"), q("0.25"), q("0.015625"), q("0.25"), q("0.75")


@dataclass
class Fighter:
    body: Body
    health: int = HEALTH
    rise: int = 0
    thrown: int = 0
    """Remaining knockback speed along x, per frame."""


class Brawl:
    """The match: one call of `frame` is one frame."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.world = World(32, layers=LAYERS)
        self.fighters = {
            owner: Fighter(
                Body(
                    self.world,
                    FRAMES,
                    Pose(x, 0, z),
                    ids=10 * owner,
                    owner=owner,
                    is_mirrored=x > 0,
                )
            )
            for owner, x, z in ((1, q(-3), q(-1)), (2, q(3), q(1)))
        }
        for id, x in ((0, q(-6)), (1, q(6))):
            self.world.add(id, Box(q("0.5"), q(9), q(4)), Pose(x, 0, 0), layer=WALL)
        for id, z in ((2, q(-4)), (3, q(4))):
            self.world.add(id, Box(q(6), q(9), q("0.5")), Pose(0, 0, z), layer=WALL)
        self.handlers = Handlers(self.world)
        self.handlers.on(EventKind.ENTER, layers=(HIT, HURT))(self.struck)

    def struck(self, weapon: int, part: int, _: Contact) -> None:
        attacker, victim = (self.fighters[self.world[id].owner] for id in (weapon, part))
        attack = attacker.body.attack
        if attack is not None and attacker.body.strikes(victim.body.owner):
            victim.health = max(0, victim.health - DAMAGE[attack])
            victim.body.cancel()
            victim.thrown = -THROW if attacker.body.is_mirrored else THROW

    def act(self, fighter: Fighter, other: Fighter) -> None:
        """A simple AI: approach, attack, sometimes jump or step aside."""
        here, there = fighter.body.pose, other.body.pose
        dx, dz = there.x - here.x, there.z - here.z
        walk_x, walk_z = 0, 0
        if fighter.body.attack is None and not fighter.thrown:
            fighter.body.mirror(dx < 0)
            if abs(dx) < q("1.25") and abs(dz) < q("0.5") and self.random.chance(1, 12):
                fighter.body.start(self.random.choice(["punch", "kick"]))
            elif here.y == 0 and self.random.chance(1, 90):
                fighter.rise = JUMP
            else:
                ahead = dx - (ARM if dx > 0 else -ARM)  # to where an arm reaches the other
                walk_x = max(-WALK, min(WALK, ahead))
                walk_z = self.random.between(-1, 2) * ((dz > 0) * WALK - (dz < 0) * WALK) // 2
        y = max(0, here.y + fighter.rise)
        fighter.rise = fighter.rise - GRAVITY if y else 0
        fighter.body.move(here.x + walk_x + fighter.thrown, y, here.z + walk_z)
        fighter.thrown -= fighter.thrown // 4 if abs(fighter.thrown) > 4 else fighter.thrown

    def frame(self) -> None:
        one, two = self.fighters.values()
        self.act(one, two)
        self.act(two, one)
        self.handlers.step()
        moved = self.world.separate(YIELDS, passes=4)
        for fighter in self.fighters.values():
            fighter.body.follow(moved)
            fighter.body.tick()

    @property
    def is_over(self) -> bool:
        return self.world.frame == FRAMES_MAX or any(not f.health for f in self.fighters.values())


def play(path: str, seed: int) -> Brawl:
    """Play one match to its end and record it."""
    brawl = Brawl(seed)
    names = Names(
        layers={HURT: "hurt", HIT: "hit", PUSH: "push", WALL: "wall"},
        ids={
            id: f"{name} {owner}"
            for owner, f in brawl.fighters.items()
            for name, id in f.body.ids.items()
        },
    )
    with Recorder(
        brawl.world, path, replace=True, names=names, meta={"game": "brawl", "seed": seed}
    ):
        while not brawl.is_over:
            brawl.frame()
    return brawl


if __name__ == "__main__":
    path, seed = (*sys.argv[1:], *["brawl.jsonl", "1"][len(sys.argv) - 1 :])[:2]
    match = play(path, int(seed))
    healths = " : ".join(str(fighter.health) for fighter in match.fighters.values())
    print(f"{path}: {match.world.frame} frames, health {healths}")

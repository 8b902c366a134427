"""A 2.5D brawl: two fighters with hurtboxes and hitboxes on a street with walls.

    python examples/brawl.py [LOG] [SEED]     (brawl.jsonl, 1)
    fixsync replay brawl.jsonl --sim brawl:Brawl     (in this folder)

Fighters walk along x and z, jump, face the other, punch and kick. The kick travels around its
fighter. There is a lift, and a ledge to jump through from below; down and jump drops from it. An
attack hurts once, however many hurtboxes it hits. `pygame_brawl.py` plays it in a window, over a
network."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Annotated

from fixsync import Body, Box, Contact, EventKind, GameEvent, Handlers, Level, Pose, World, q
from fixsync.game.frame_data_file import read_frame_data
from fixsync.game.motion import Mover, carry
from fixsync.game.random import Random
from fixsync.maps import box
from fixsync.match import State, Stated, count, within
from fixsync.synctest.straight import bot_inputs, run_straight, write_log

LEFT, RIGHT, UP, DOWN, JUMP, PUNCH, KICK = (1 << i for i in range(7))
HURT, HIT, PUSH, WALL, LEDGE = range(5)
FRAMES = read_frame_data(__file__.replace("brawl.py", "brawl.json"))
REACH, WALK, RISE, GRAVITY, THROW = map(q, ("0.5", "0.0625", "0.25", "0.015625", "0.25"))
WALLS = [(s * x, s * z, w, d) for x, z, w, d in ((5, 0, 1, 3), (0, 4, 6, 1)) for s in (-1, 1)]
STREET = Level(
    [
        box(0, 0, q(6), q(5), q(-1), 0, layer=WALL),
        *(box(*map(q, wall), 0, q(9), layer=WALL) for wall in WALLS),
        box(q(2), q(1), q(1), q("1.5"), q("1.5"), q("1.75"), layer=LEDGE),
    ]
)
MOVER = Mover(mask=1 << WALL, one_way=1 << LEDGE)
DROP = Mover(mask=1 << WALL)
LIFT, LIFT_FRAMES, LIFT_MOTION = 16, 128, q("0.015625")  # its id, frames of a way, height a frame


class Kind(IntEnum):
    HURT = 16

    @property
    def sides(self) -> tuple[str, str]:
        return "owner", "owner"  # a strikes, b is struck


class Fighter(State):
    health: Annotated[int, within(0, 60)] = 60
    rise: Annotated[int, within(-2 * RISE, RISE)] = 0
    thrown: Annotated[int, within(-THROW, THROW)] = 0  # knockback along x, per frame


class Fight(State):
    fighters: Annotated[list[Fighter], count(2)]


class Bot:  # it approaches, attacks, sometimes jumps or steps aside
    def __init__(self, player: int, seed: int) -> None:
        self.me, self.random = player, Random(seed + 977 * player)

    def decide(self, brawl: Brawl) -> int:
        here, there = brawl.bodies[self.me].pose, brawl.bodies[1 - self.me].pose
        dx, dz = there.x - here.x, there.z - here.z
        if abs(dx) < q("1.25") and abs(dz) < REACH and self.random.chance(1, 12):
            return self.random.choice([PUNCH, KICK])
        keys = (dx > REACH) * RIGHT | (dx < -REACH) * LEFT
        if here.y > there.y:
            return keys | DOWN | JUMP
        is_below = there.y - here.y > REACH
        keys |= self.random.chance(1, 9 if is_below else 90) * JUMP
        return keys | self.random.choice([0, DOWN if dz > 0 else UP])


class Brawl(Stated):
    """The match. An input is the sum of the keys that are held."""

    name, event_kinds, bot = "brawl", Kind, Bot
    state: Fight
    held = ("bodies", "handlers")

    def __init__(self, _seed: int, players: int) -> None:
        self.players, self.state, self.own_events = players, Fight([Fighter(), Fighter()]), []
        self.world = World(17, layers=[(HURT, HIT), (PUSH, PUSH)], level=STREET)
        lift = Box(q(1), q("0.125"), q("1.5"))
        self.world.add(LIFT, lift, Pose(q(-2), q("0.125"), q(-1)), layer=LEDGE)
        self.bodies = [
            Body(self.world, FRAMES, Pose(q(x), 0, 0), ids=8 * owner - 8, owner=owner)
            for owner, x in ((1, -2), (2, 2))
        ]
        self.handlers = Handlers(self.world)
        self.handlers.on(EventKind.ENTER, layers=(HIT, HURT))(self.struck)

    @property
    def is_over(self) -> bool:
        return any(not fighter.health for fighter in self.state.fighters)

    def step(self, inputs):
        self.own_events = []
        self.ride()
        for me, keys in enumerate(inputs):
            self.act(self.state.fighters[me], self.bodies[me], self.bodies[1 - me], keys)
        events = self.handlers.step()
        for body in self.bodies:
            body.tick()
        return [*events, *self.own_events]

    def ride(self) -> None:
        """Moves the lift with those on it, and parts fighters that stand in each other."""
        feet = [body["feet"] for body in self.bodies]
        is_up = self.world.frame % (2 * LIFT_FRAMES) < LIFT_FRAMES
        motion = (0, LIFT_MOTION if is_up else -LIFT_MOTION, 0)
        carry(self.world, [LIFT], motion, dict.fromkeys(feet, MOVER))
        self.world.separate([(PUSH, PUSH)], passes=4)

    def act(self, fighter: Fighter, body: Body, other: Body, keys: int) -> None:
        dx = dz = 0
        if body.attack is None and not fighter.thrown:
            body.mirror(other.pose.x < body.pose.x)
            dx = WALK * (bool(keys & RIGHT) - bool(keys & LEFT))
            dz = WALK * (bool(keys & DOWN) - bool(keys & UP)) // 2
            if keys & (PUNCH | KICK):
                body.start("punch" if keys & PUNCH else "kick")
        mover = DROP if keys & JUMP and keys & DOWN else MOVER
        motion = dx + fighter.thrown, fighter.rise - GRAVITY, dz
        moved = mover.move(self.world, body["feet"], motion)
        body.move(*self.world[body["feet"]].pose.position)
        fighter.rise = max(moved.motion[1], -2 * RISE)
        if moved.floor is not None:
            fighter.rise = RISE if keys & JUMP and body.attack is None else 0
        fighter.thrown -= fighter.thrown // 4 if abs(fighter.thrown) > 4 else fighter.thrown

    def struck(self, weapon: int, part: int, _: Contact) -> None:
        me, other = (self.world[id].owner - 1 for id in (weapon, part))
        body, victim = self.bodies[me], self.state.fighters[other]
        if body.attack is not None and body.strike(other):
            damage = min(victim.health, FRAMES.attacks[body.attack].meta["damage"])
            victim.health -= damage
            victim.thrown = -THROW if body.is_mirrored else THROW
            self.bodies[other].cancel()
            self.own_events.append(GameEvent(me + 1, other + 1, Kind.HURT, damage))


if __name__ == "__main__":
    path, seed = (*sys.argv[1:], *["brawl.jsonl", "1"][len(sys.argv) - 1 :])[:2]
    match = run_straight(Brawl, int(seed), 2, bot_inputs(Brawl, int(seed), 2, 60 * 60))
    write_log(match, path)
    print(f"{path}: {match.frames} frames, {sum(map(len, match.game))} hits")

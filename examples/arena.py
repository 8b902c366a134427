"""A match in a level made with Tiled: two runners, walls of any shape, two goals.

    python examples/arena.py [LOG] [SEED]     (arena.jsonl, 1)
    fixsync replay arena.jsonl --sim arena:Arena     (in this folder)

Each runner wants to the other's goal, a trigger zone of the level. Red starts at the bottom."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Annotated

from fixsync import Capsule, EventKind, GameEvent, Pose, World, degrees, forward, q, yaw_of
from fixsync.game.random import Random
from fixsync.log import Names
from fixsync.maps import read_map
from fixsync.match import State, Stated, count, within
from fixsync.synctest.straight import bot_inputs, run_straight, write_log

RUNNER, WALL, GOAL = range(3)  # WALL and GOAL are the values of `layer` in the map
YIELDS = [(RUNNER, RUNNER), (RUNNER, WALL)]
SHAPE, SPEED, QUARTER, SCORE = Capsule(q("0.375"), q("0.375")), q("0.125"), degrees(90), 5
MAP = read_map(__file__.replace("arena.py", "arena.tmj"))
GOALS = [id for id, name in MAP.names.items() if name in ("red goal", "blue goal")]
STARTS = [Pose(q(10), q("0.75"), q(-11)), Pose(q(10), q("0.75"), q(-3))]
AIMS = [(q(10), q("-0.5")), (q(10), q("-13.5"))]  # the middles of the goals, (x, z)


class Kind(IntEnum):
    SCORED = 16

    @property
    def sides(self) -> tuple[str, str]:
        return "collider", "collider"  # what a and b are


class Score(State):
    scores: Annotated[list[Annotated[int, within(0, SCORE)]], count(2)]


class Bot:  # it runs to the goal, and now and then beside it for a while
    def __init__(self, player: int, seed: int) -> None:
        self.me, self.random, self.turn = player, Random(seed + 977 * player), 0

    def decide(self, arena: Arena) -> int:
        here, (x, z) = arena.world[self.me].pose, AIMS[self.me]
        if self.random.chance(1, 25):
            self.turn = self.random.choice([0, 0, self.random.between(-QUARTER, QUARTER)])
        return (yaw_of(x - here.x, z - here.z) + self.turn) % (4 * QUARTER)


class Arena(Stated):
    """The match. An input is the yaw to run to."""

    name, event_kinds, bot = "arena", Kind, Bot
    names = Names({0: "runner", 1: "wall", 2: "goal"}, {0: "red", 1: "blue", **MAP.names})
    state: Score

    def __init__(self, _seed: int, players: int) -> None:
        self.players, self.state = players, Score([0, 0])
        self.world = World(8, layers=[*YIELDS, (RUNNER, GOAL)], level=MAP.level)
        for id, start in enumerate(STARTS):
            self.world.add(id, SHAPE, start, layer=RUNNER)

    @property
    def is_over(self) -> bool:
        return max(self.state.scores) == SCORE

    def step(self, inputs):
        for id, yaw in enumerate(inputs):
            here, (dx, dz) = self.world[id].pose, forward(yaw % (4 * QUARTER), SPEED)
            self.world.move(id, here.x + dx, here.y, here.z + dz)
        events, own_events = self.world.step(), []
        for id, other, kind, _ in events:
            if kind == EventKind.ENTER and other == GOALS[id]:
                self.state.scores[id] += 1
                self.world.set_pose(id, STARTS[id])
                own_events.append(GameEvent(id, other, Kind.SCORED, self.state.scores[id]))
        self.world.separate(YIELDS, passes=4)  # out of walls, and apart
        return [*events, *own_events]


if __name__ == "__main__":
    path, seed = (*sys.argv[1:], *["arena.jsonl", "1"][len(sys.argv) - 1 :])[:2]
    match = run_straight(Arena, int(seed), 2, bot_inputs(Arena, int(seed), 2, 60 * 60))
    write_log(match, path)
    print(f"{path}: {match.frames} frames, {sum(map(len, match.game))} goals")

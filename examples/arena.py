"""A match in a level made with Tiled: two runners, walls of any shape, two goals.

    python examples/arena.py [LOG] [SEED]     (arena.jsonl, 1)
    fixsync replay arena.jsonl

Each runner wants to the other's goal, a trigger zone of the level. It walks straight, is pushed out
of walls and away from the other, and now and then takes a random way for a while. Red starts at the
bottom of the map, blue at the top. The level is made of examples/arena.tmj, which Tiled opens. All
numbers are integers: the same seed gives the same log, byte for byte, on every machine."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from fixsync import Capsule, EventKind, Pose, World, degrees, direction, q, yaw_of
from fixsync.game.random import Random
from fixsync.log.recorder import Recorder
from fixsync.maps import read_tiled
from fixsync.names import Names

RUNNER, WALL, GOAL = range(3)  # WALL and GOAL are the values of `layer` in the map
LAYERS = [(RUNNER, RUNNER), (RUNNER, WALL), (RUNNER, GOAL)]
YIELDS = [(RUNNER, RUNNER), (RUNNER, WALL)]
SHAPE = Capsule(q("0.375"), q("0.375"))
SPEED = q("0.125")
QUARTER = degrees(90)
SCORE, FRAMES_MAX = 5, 60 * 60

MAP = read_tiled(Path(__file__).with_name("arena.tmj"))
ID_OF = {name: id for id, name in MAP.names.items()}


@dataclass
class Runner:
    name: str
    start: Pose
    aim: tuple[int, int]
    """The middle of the goal to run to, (x, z)."""
    goal: int
    """Its id."""
    score: int = 0
    lost: int = 0
    """Frames for which it takes a way of its own."""
    yaw: int = 0


RUNNERS = {
    1: ("red", Pose(q(10), q("0.75"), q(-11)), (q(10), q("-0.5")), "red goal"),
    2: ("blue", Pose(q(10), q("0.75"), q(-3)), (q(10), q("-13.5")), "blue goal"),
}


class Arena:
    """The match: one call of `frame` is one frame."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.world = World(8, layers=LAYERS, level=MAP.level)
        self.runners: dict[int, Runner] = {}
        for id, (name, start, aim, goal) in RUNNERS.items():
            self.runners[id] = Runner(name, start, aim, ID_OF[goal])
            self.world.add(id, SHAPE, start, layer=RUNNER, owner=0)

    def move(self, id: int, runner: Runner) -> None:
        here = self.world[id].pose
        if runner.lost:
            runner.lost -= 1
        else:
            runner.yaw = yaw_of(runner.aim[0] - here.x, runner.aim[1] - here.z)
            if self.random.chance(1, 30):
                runner.lost = self.random.between(10, 50)
                runner.yaw = (runner.yaw + self.random.between(-QUARTER, QUARTER)) % (4 * QUARTER)
        cos, sin = direction(runner.yaw)
        self.world.move(id, here.x + (SPEED * cos >> 30), here.y, here.z + (SPEED * sin >> 30))

    def frame(self) -> None:
        for id, runner in self.runners.items():
            self.move(id, runner)
        for id, other, kind, _ in self.world.step():
            if kind == EventKind.ENTER and other == self.runners[id].goal:
                self.runners[id].score += 1
                self.world.set_pose(id, self.runners[id].start)
        self.world.separate(YIELDS, passes=4)  # out of walls, and apart

    @property
    def is_over(self) -> bool:
        scores = [runner.score for runner in self.runners.values()]
        return self.world.frame == FRAMES_MAX or max(scores) == SCORE


def play(path: str, seed: int) -> Arena:
    """Play one match to its end and record it."""
    arena = Arena(seed)
    names = Names(
        layers={RUNNER: "runner", WALL: "wall", GOAL: "goal"},
        ids={**{id: runner.name for id, runner in arena.runners.items()}, **MAP.names},
    )
    with Recorder(
        arena.world, path, replace=True, names=names, meta={"game": "arena", "seed": seed}
    ):
        while not arena.is_over:
            arena.frame()
    return arena


if __name__ == "__main__":
    path, seed = (*sys.argv[1:], *["arena.jsonl", "1"][len(sys.argv) - 1 :])[:2]
    match = play(path, int(seed))
    scores = " : ".join(str(runner.score) for runner in match.runners.values())
    print(f"{path}: {match.world.frame} frames, score {scores}")

"""A peer in Python of the match of test_languages.py: PLAYER RANDOM LOG FRAMES."""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from fixsync import Event, EventKind, GameEvent, Pose, Sphere, World
from fixsync.game.random import Random
from fixsync.log import SimRecorder
from fixsync.match import Rollback, hash_of, state_end
from fixsync.match.notices import Confirmed

JUMPS = 8  # that are remembered


class Kind(IntEnum):
    SCORE = 16
    PUNCH = 17


class Pit:
    """Two players on a line among three balls, which jump when they are touched: a reaction. The
    players punch each other when they meet, the harder the more of the last jumps they remember.
    It is the game of all the peers here."""

    name, event_kinds = "pit", Kind

    def __init__(self, seed: int, players: int) -> None:
        self.random, self.players = Random(seed), players
        self.health, self.score = [100, 100], [0, 0]
        self.jumps: list[int] = []
        self.world = World(8)
        for id in range(5):
            self.world.add(id, Sphere(4), Pose(20 if id == 1 else 10 * id, 0, 0))

    def save(self) -> bytes:
        numbers = *self.health, *self.score, len(self.jumps), *self.jumps
        return self.world.save() + struct.pack(f"<Q{len(numbers)}i", self.random.state, *numbers)

    def load(self, data: bytes) -> None:
        end = state_end(data)
        self.world.load(data[:end])
        self.random.state, *numbers = struct.unpack(f"<Q{(len(data) - end - 8) // 4}i", data[end:])
        self.health, self.score, self.jumps = numbers[:2], numbers[2:4], numbers[5:]

    def hash(self) -> int:
        return hash_of(self.save())

    def shown(self) -> int:
        return hash_of(struct.pack("<2i", *self.health))

    def step(self, inputs: Sequence[Any]) -> Sequence[Event | GameEvent]:
        for i, (way, _) in enumerate(inputs):
            x = self.world[i].pose.x + 2 * ((way & 3) - 1)
            self.world.move(i, max(-40, min(40, x)), 0, 0)
        events: list[Event | GameEvent] = list(self.world.step())
        for a, b, kind, _ in tuple(events):
            if kind != EventKind.ENTER or a > 1:
                continue
            if b > 1:
                self.score[a] += 1
                events.append(GameEvent(a, b, Kind.SCORE, self.score[a]))
                self.jumps = [*self.jumps[-JUMPS + 1 :], self.random.below(81) - 40]
                self.world.move(b, self.jumps[-1], 0, 0)
                continue
            for i in range(2):
                if inputs[i][1] & 1:
                    self.health[1 - i] -= 1 + self.random.below(3) + len(self.jumps)
                    self.jumps = self.jumps[:-1]
                    events.append(GameEvent(i, 1 - i, Kind.PUNCH, self.health[1 - i]))
        return events


def main(me: int, random: bytes, log: str, frames: int) -> None:
    game = Pit(5, 2)
    settings: dict[str, Any] = {"numbers": 2, "prediction_max": 12, "match": 7, "data": 9}
    settings["own_max"] = 28 + 4 * JUMPS
    rollback = Rollback(game, peers=[me, 1 - me], random=random, **settings)
    with SimRecorder(game, log, seed=5) as recorder:
        for line in sys.stdin:
            pressed, *packets = line.split()
            for packet in packets:
                rollback.receive(1, bytes.fromhex(packet))
            for it in rollback.advance([[*map(int, pressed.split(","))]]):
                if isinstance(it, Confirmed) and it.frame < frames:
                    hashes = it.world_hash, it.game, it.state_hash
                    recorder.record(it.frame, it.inputs, it.events, *hashes)
            pace, differs = rollback.pace(), int(rollback.desync is not None)
            print(pace.head, pace.first, differs, rollback.packet(1).hex(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3], int(sys.argv[4]))

"""A small simulation for tests of sessions: one ball a player, pushed by inputs, that remembers
whom it met.

It is as little as a game can be that has state of its own beside its world, and it can be broken on
purpose."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import ClassVar

from fixsync import ONE, Event, EventKind, Pose, Sphere, World
from fixsync.base.fields import StateFields, world_fields
from fixsync.game.random import Random
from fixsync.match.sim import Input, hash_of

_STEP = ONE // 4
_WALL = 6 * ONE


def inputs(frames: int = 24, players: int = 4) -> list[tuple[int, ...]]:
    """Inputs that push every ball about."""
    random = Random(frames)
    return [tuple(random.below(5) for _ in range(players)) for _ in range(frames)]


class Bumpers:
    """An input is a number of 0..4: stay, or a step along one axis. A ball that is met rolls a die
    for its next place."""

    name: ClassVar[str] = "bumpers"

    def __init__(self, seed: int, players: int) -> None:
        self.players = players
        self.random = Random(seed)
        self.met = [0] * players
        self.world = World(players)
        for player in range(players):
            self.world.add(player, Sphere(ONE), Pose(3 * ONE * player - _WALL // 2, 0, 0))

    def check_input(self, _player: int, value: Input) -> None:
        if not isinstance(value, int) or not 0 <= value <= 4:
            raise ValueError(f"must be 0..4, not {value}")

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        for player, value in enumerate(inputs):
            pose = self.world[player].pose
            dx, dz = ((0, 0), (_STEP, 0), (-_STEP, 0), (0, _STEP), (0, -_STEP))[int(value)]  # type: ignore[arg-type]
            x, z = (min(max(at + by, -_WALL), _WALL) for at, by in ((pose.x, dx), (pose.z, dz)))
            self.world.move(player, x, 0, z)
        events = self.world.step()
        for event in events:
            if event.kind == EventKind.ENTER:
                for player in (event.a, event.b):
                    self.met[player] += 1
                self.world.move(event.b, *(self.random.between(-_WALL, _WALL) for _ in range(3)))
        return events

    def save(self) -> bytes:
        own = struct.pack(f"<Q{self.players}I", self.random.state, *self.met)
        return own + self.world.save()

    def load(self, data: bytes) -> None:
        size = struct.calcsize(f"<Q{self.players}I")
        if len(data) < size:
            raise ValueError(f"a state has at least {size} bytes, not {len(data)}")
        state, *met = struct.unpack_from(f"<Q{self.players}I", data)
        self.world.load(data[size:])
        self.random.state, self.met = state, met

    def hash(self) -> int:
        return hash_of(self.save())

    @staticmethod
    def state_fields(state: bytes) -> StateFields:
        at = state.find(b"FXS1")
        if at < 8:
            raise ValueError("no state of bumpers")
        random, *met = struct.unpack(f"<Q{(at - 8) // 4}I", state[:at])
        own = {("player", player): {"met": count} for player, count in enumerate(met)}
        return {**world_fields(state[at:]), ("random",): {"state": random}, **own}

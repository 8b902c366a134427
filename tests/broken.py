"""Simulations with mistakes that real games have had, each of which one check of the sync test is
there to find."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from bumpers import Bumpers

from fixsync import Event, Events
from fixsync.game.random import Random
from fixsync.match.sim import Input, hash_of

tally = 0
"""Of `planted`, in another module."""


class Unsaved(Bumpers):
    """Counts something that its state does not hold, and acts on it: the ball of player 0 jumps
    every 8th frame."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.count = 0

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        self.count += 1
        if self.count / 8 == self.count // 8:
            self.world.turn(0, self.count)
        return events


class Forgetful(Bumpers):
    """Does not bring back what it saved."""

    def load(self, data: bytes) -> None:
        met = self.met
        super().load(data)
        self.met = met


class Failing(Bumpers):
    """Divides by nothing in frame 4."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        self.world.turn(0, 1 // (4 - self.world.frame) % 65536)
        return super().step(inputs)


class Unordered(Bumpers):
    """Has the balls jump in the order of a dict, which depends on what came into it first."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.balls = {player: player for player in range(players)}

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        for player in self.balls:
            self.world.turn(player, self.random.below(65536))
        return events

    def shuffle(self, random: Random) -> None:
        balls = [*self.balls]
        random.shuffle(balls)
        self.balls = {player: player for player in balls}


class Hashing(Bumpers):
    """Turns ball 0 by the hash of a string, which is another one in each process."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        if self.world.frame == 6:
            self.world.turn(0, hash("bumpers") % 65536)
        return events


class Liar(Bumpers):
    """Its hash leaves out a part of its state."""

    def hash(self) -> int:
        return hash_of(self.world.save())


class LateLiar(Bumpers):
    """Its hash is right at the start and not later."""

    def hash(self) -> int:
        return hash_of(self.save()) + (self.world.frame == 4)


class Raising(Bumpers):
    """Cannot go on from a state in which the world has been stepped 5 times."""

    def load(self, data: bytes) -> None:
        super().load(data)
        if self.world.frame == 5:
            raise RuntimeError("no room")


class Halting(Bumpers):
    """Does not step its world in frame 7."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        return Events() if self.world.frame == 7 else super().step(inputs)


class Reloading(Bumpers):
    """Loads its world's own state in each step: no mistake, but a list of changes cannot show it."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        self.world.load(self.world.save())
        return super().step(inputs)


class Global(Bumpers):
    """Counts frames where they outlive a match."""

    frames = 0

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        Global.frames += 1
        self.world.turn(0, Global.frames % 65536)
        return events


class Asserting(Bumpers):
    """Acts in an assert, which an optimised run leaves out."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        assert self.world.turn(0, self.world.frame) is None
        return events


class SomeSeeds(Unsaved):
    """Forgets its count where the seed is 3, and has bots. Nothing makes its event happen."""

    event_kinds = IntEnum("Kind", {"CHEER": 16})

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.is_sound = seed != 3

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        if self.is_sound:
            self.count = self.world.frame
        return super().step(inputs)

    @staticmethod
    def bot(_player: int, seed: int) -> _Pusher:
        return _Pusher(Random(seed))


class RaisingSeeds(SomeSeeds):
    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        if self.world.frame == 4 and not self.is_sound:
            raise RuntimeError("no room")
        return super().step(inputs)


class _Pusher:
    def __init__(self, random: Random) -> None:
        self.random = random

    def decide(self, _game: Bumpers) -> int:
        return self.random.below(5)

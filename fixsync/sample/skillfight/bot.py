"""A player by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fixsync.base.numbers import ONE, length, yaw_of
from fixsync.game.random import Random
from fixsync.sample.skillfight import rules
from fixsync.sample.skillfight.rules import Button
from fixsync.sample.skillfight.state import Fight
from fixsync.world.shapes import Pose
from fixsync.world.world import World


class _Game(Protocol):
    """The part of the game that a bot reads."""

    players: int
    world: World
    state: Fight


class Bot:
    """Plays a fighter: attacks who is near with a skill that reaches, and flees when badly hurt.

    It reads the simulation and has a generator of its own, so it is not part of the game's
    state."""

    def __init__(self, player: int, seed: int) -> None:
        self.player = player
        self._random = Random((seed * 0x9E3779B97F4A7C15 + player + 1) & (2**64 - 1))
        self._target = -1
        self._mood = 0
        self._turn = 0

    def decide(self, simulation: _Game) -> int:
        random, fighter = self._random, simulation.state.fighters[self.player]
        if fighter.away:
            return 0
        me = simulation.world[self.player].pose
        if self._mood <= 0 or not _is_there(simulation, self._target):
            self._mood = random.between(30, 90)
            self._turn = random.choice((0, 0, 0, 4, -4, 8, -8))
            self._target = self._chosen(simulation, me)
        self._mood -= 1
        if self._target < 0:
            return _heading(me, 0, 0, random.below(3)) | Button.WALK
        there = simulation.world[self._target].pose
        dx, dz = there.x - me.x, there.z - me.z
        distance = length(dx, 0, dz)
        aimed = _heading(me, dx, dz, 0)
        if fighter.health < 35 and distance < 5 * ONE:
            can_dash = not fighter.dash_wait and random.chance(1, 6)
            fleeing = _heading(me, -dx, -dz, self._turn)
            return fleeing | (Button.DASH if can_dash else Button.WALK)
        others = (*self._others(simulation), *rules.MONSTER_IDS)
        close = sum(away < 2 * ONE for away, _ in _around(simulation, me, others))
        if close >= 2 and not fighter.blast_wait and random.chance(1, 3):
            return aimed | Button.BLAST
        if distance < 2 * ONE:
            return aimed | (Button.SLASH if random.chance(1, 2) else Button.WALK)
        if distance < 9 * ONE and not fighter.beam_wait and random.chance(1, 12):
            return aimed | Button.BEAM
        if distance < 9 * ONE and not fighter.shot_wait and random.chance(1, 4):
            return aimed | Button.SHOOT
        if distance > 6 * ONE and not fighter.dash_wait and random.chance(1, 20):
            return aimed | Button.DASH
        return _heading(me, dx, dz, self._turn) | Button.WALK

    def _others(self, simulation: _Game) -> list[int]:
        return [id for id in range(simulation.players) if id != self.player]

    def _chosen(self, simulation: _Game, me: Pose) -> int:
        """The nearest fighter, or, one time in three, monster; -1 if nobody is there."""
        players = self._others(simulation)
        first: Sequence[int] = rules.MONSTER_IDS if self._random.chance(1, 3) else players
        for ids in (first, players, rules.MONSTER_IDS):
            if there := _around(simulation, me, ids):
                return min(there)[1]
        return -1


def _is_there(simulation: _Game, id: int) -> bool:
    if id in rules.MONSTER_IDS:
        return not simulation.state.monsters[rules.MONSTER_IDS.index(id)].away
    return id >= 0 and not simulation.state.fighters[id].away


def _around(simulation: _Game, me: Pose, ids: Sequence[int]) -> list[tuple[int, int]]:
    """The distances of those who are there, each with its id."""
    poses = {id: simulation.world[id].pose for id in ids if _is_there(simulation, id)}
    return [(length(pose.x - me.x, 0, pose.z - me.z), id) for id, pose in poses.items()]


def _heading(me: Pose, dx: int, dz: int, turn: int) -> int:
    yaw = yaw_of(dx, dz) if dx or dz else me.yaw
    return ((yaw + 512) // 1024 + turn) % rules.HEADINGS

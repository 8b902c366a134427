"""What declaring a state costs: `save` and `load` of the sample game, against a `struct` by hand.

    python bench/state.py

The two take turns, and the median of their ratios counts. `save` checks every value, `struct` its widths
only; neither side of `load` calls the game's own `check`. Both must bring the game to one state,
whose hash stands in the row."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from operator import attrgetter
from statistics import median
from timeit import timeit

from fixsync.match.sim import hash_of
from fixsync.sample.skillfight import SkillFight
from fixsync.sample.skillfight.rules import MONSTERS, SHOTS
from fixsync.sample.skillfight.state import Action, Fight, Fighter, Monster
from fixsync.synctest.straight import bot_inputs

SAVE_MAX = 1.3
PLAYERS, FRAMES, CALLS, ROUNDS = 4, 600, 200, 201
HEAD = struct.Struct("<4sIQ")
FIGHTER, FIGHTER_OF = struct.Struct("<5I2i7I"), attrgetter(*Fighter.__struct_fields__)
MONSTER, MONSTER_OF = struct.Struct("<2I2i2I"), attrgetter(*Monster.__struct_fields__)


class Declared(SkillFight):
    def check(self) -> None:
        pass


class ByHand(Declared):
    """The same game, saved and loaded as a game does without `fixsync.match`."""

    def save(self) -> bytes:
        state = self.state
        return b"".join(
            (
                HEAD.pack(b"HAND", self.players, self.random.state),
                *[FIGHTER.pack(*FIGHTER_OF(fighter)) for fighter in state.fighters],
                *[MONSTER.pack(*MONSTER_OF(monster)) for monster in state.monsters],
                struct.pack(f"<{len(state.shots)}I", *state.shots),
                self.world.save(),
            )
        )

    def load(self, data: bytes) -> None:
        magic, players, random = HEAD.unpack_from(data)
        if magic != b"HAND" or players != self.players:
            raise ValueError("not a state of this game")
        at, fighters, monsters = HEAD.size, [], []
        for _ in range(players):
            fighter = Fighter(*FIGHTER.unpack_from(data, at))
            fighter.action = Action(fighter.action)
            fighters.append(fighter)
            at += FIGHTER.size
        for _ in range(MONSTERS):
            monster = Monster(*MONSTER.unpack_from(data, at))
            monster.is_walking = bool(monster.is_walking)
            monsters.append(monster)
            at += MONSTER.size
        shots = struct.unpack_from(f"<{SHOTS * players}I", data, at)
        self.world.load(data[at + 4 * len(shots) :])
        self.random.state = random
        self.state = Fight(fighters, monsters, list(shots))


def played(kind: type[Declared]) -> Declared:
    game = kind(7, PLAYERS)
    for values in bot_inputs(SkillFight, 7, PLAYERS, FRAMES):
        game.step(values)
    game.load(game.save())
    return game


def measured(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Microseconds of a call of the first, and the ratio."""
    times = [(timeit(first, number=CALLS), timeit(second, number=CALLS)) for _ in range(ROUNDS)]
    return median(a for a, _ in times) * 1e6 / CALLS, median(b / a for a, b in times)


def main() -> int:
    hand, declared = played(ByHand), played(Declared)
    is_within = True
    states = hand.save(), declared.save()
    calls = {
        "save": (hand.save, declared.save),
        "load": (lambda: hand.load(states[0]), lambda: declared.load(states[1])),
    }
    for name, both in calls.items():
        time, ratio = measured(*both)
        ends = {hash_of(ByHand.save(game)) for game in (hand, declared)}
        if len(ends) != 1:
            raise RuntimeError(f"{name}: the two are not in one state")
        most = f" (at most {SAVE_MAX})" if name == "save" else ""
        print(
            f"{name} by hand {time:6.2f} µs, declared / by hand {ratio:.2f}{most} {ends.pop():016x}"
        )
        is_within = is_within and (name != "save" or ratio <= SAVE_MAX)
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())

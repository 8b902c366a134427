"""Two peers of a duel with GGPO-style callbacks: save, load, checksum, advance.

    python examples/ggpo_callbacks.py [LOG] [SEED]     (ggpo_callbacks.jsonl, 1)
    fixsync replay ggpo_callbacks.jsonl

`there` always has the inputs of both players, and is recorded. `here` gets the other's inputs late:
`Backend`, a minimal rollback library, predicts them, advances up to eight frames, rolls back, and
advances with the real inputs. The peers must agree after every frame. ggpo_callbacks.c is the same
in C."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Protocol

from fixsync import RAY, Capsule, EventKind, Pose, Sector, Sphere, World, degrees, overlap, q
from fixsync.game.random import Random
from fixsync.log.recorder import Recorder
from fixsync.match import hash_of

PLAYERS, FRAMES, AHEAD_MAX = 2, 600, 8
BODY, SWORD = 0, 1
LEFT, RIGHT, NEARER, FURTHER, STRIKE = 1, 2, 4, 8, 16
STEP = q("0.125")
ARENA = Sphere(q(8))


class Duel:
    """The game: two bodies, two swords. Its whole state is the world and `health`."""

    def __init__(self) -> None:
        self.world = World(8, layers=[(BODY, SWORD)])  # swords hit bodies; no other layers meet
        self.health = [1000] * PLAYERS
        for player in range(PLAYERS):
            pose = Pose(q(2) * player, 0, 0, degrees(180 * player))
            self.world.add(
                player, Capsule(q("0.375"), q("0.5")), pose, layer=BODY, owner=player + 1
            )
            sword = Sector(q("1.5"), degrees(45), q("0.5"))
            self.world.add(
                PLAYERS + player, sword, pose, layer=SWORD, owner=player + 1, active=False
            )

    def advance(self, inputs: list[int]) -> None:
        for player, pressed in enumerate(inputs):
            pose = self.world[player].pose
            dx = STEP * (bool(pressed & RIGHT) - bool(pressed & LEFT))
            dz = STEP * (bool(pressed & FURTHER) - bool(pressed & NEARER))
            there = Pose(pose.x + dx, 0, pose.z + dz, pose.yaw)
            if overlap(ARENA, Pose(0, 0, 0), RAY, there):
                pose = there
            for id in (player, PLAYERS + player):
                self.world.set_pose(id, pose)
            self.world.set_active(PLAYERS + player, bool(pressed & STRIKE))
        for body, _, kind, _ in self.world.step():  # a < b, and bodies have the smaller ids
            if kind == EventKind.ENTER:
                self.health[body] -= 10


class Callbacks:
    """The four callbacks of a GGPO-style library. Each makes one call of fixsync."""

    def __init__(self, game: Duel) -> None:
        self.game = game

    def save_game_state(self) -> bytes:
        return struct.pack("<2i", *self.game.health) + self.game.world.save()

    def load_game_state(self, buffer: bytes) -> None:
        self.game.world.load(buffer[8:])
        self.game.health = [*struct.unpack_from("<2i", buffer)]

    def checksum(self, buffer: bytes) -> int:
        return hash_of(buffer)  # of all bytes; world.hash() covers the world only

    def advance_frame(self, inputs: list[int]) -> None:
        self.game.advance(inputs)


class Game(Protocol):
    """The callbacks that a rollback library needs."""

    def save_game_state(self) -> bytes: ...
    def load_game_state(self, buffer: bytes) -> None: ...
    def checksum(self, buffer: bytes) -> int: ...
    def advance_frame(self, inputs: list[int]) -> None: ...


class Backend:
    """A minimal rollback library: it predicts inputs and rolls back."""

    def __init__(self, game: Game, pressed: Callable[[int, int], int]) -> None:
        self.game = game
        self.pressed = pressed
        self.wrong = 0
        self.frame = 0

    def run_frame(self) -> int:
        """Run one frame, first with predicted inputs. Return the checksum of the state after it."""
        before = self.game.save_game_state()
        last = self.pressed(1, self.frame - 1) if self.frame else 0
        # The prediction: the other player's input stays the same.
        for ahead in range(self.frame % AHEAD_MAX + 1):
            self.wrong += last != self.pressed(1, self.frame + ahead)
            self.game.advance_frame([self.pressed(0, self.frame + ahead), last])
        self.game.load_game_state(before)
        if self.game.save_game_state() != before:
            raise SystemExit(f"frame {self.frame}: the loaded state is not the saved one")
        self.game.advance_frame([self.pressed(player, self.frame) for player in range(PLAYERS)])
        self.frame += 1
        return self.game.checksum(self.game.save_game_state())


def play(path: str, seed: int) -> str:
    """Play both peers, compare them after every frame, and record the one without rollbacks."""
    random = Random(seed)
    keys = [[random.below(32) for _ in range(FRAMES // 5 + AHEAD_MAX)] for _ in range(PLAYERS)]

    def pressed(player: int, frame: int) -> int:
        return keys[player][frame // 5]

    here, there = Callbacks(Duel()), Callbacks(Duel())
    backend = Backend(here, pressed)
    with Recorder(there.game.world, path, replace=True, meta={"game": "duel", "seed": seed}):
        for frame in range(FRAMES):
            there.advance_frame([pressed(player, frame) for player in range(PLAYERS)])
            if backend.run_frame() != there.checksum(there.save_game_state()):
                raise SystemExit(f"frame {frame}: the peers differ")
    health = " : ".join(map(str, there.game.health))
    wrong = f"{backend.wrong} inputs predicted wrong"
    return f"{FRAMES} frames, each rolled back; {wrong}; health {health}"


if __name__ == "__main__":
    path, seed = (*sys.argv[1:], *["ggpo_callbacks.jsonl", "1"][len(sys.argv) - 1 :])[:2]
    print(f"{path}: {play(path, int(seed))}")

"""A duel for two players over a network: a window, a keyboard, and rollback.

    pip install 'fixsync[pygame]'
    python examples/pygame_duel.py                       (waits on UDP port 7777)
    python examples/pygame_duel.py 192.168.1.20          (on the other machine)
    fixsync synctest pygame_duel:Duel                    (in this folder)

Arrows or WASD walk, space shoots. Three hits win a round, three rounds the match; Escape leaves.
`Duel` is the game, in integers only: it runs without pygame. `play` is the loop of a window, which
pygame_brawl.py has too."""

from __future__ import annotations

import argparse
from enum import IntEnum
from secrets import token_bytes
from typing import Annotated

from fixsync import Box, Cylinder, EventKind, GameEvent, Pacer, Pose, World, forward, q, yaw_of
from fixsync.game.random import Random
from fixsync.log import Names
from fixsync.log.recorder import SimRecorder
from fixsync.match import State, Stated, count, start, within
from fixsync.session import Confirmed, End, Match, RollbackSession, TakenBack, Timing
from fixsync.session.udp import Endpoint, now_ms
from fixsync.world.draw import View, poses

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
KEYS = {LEFT: "left a", RIGHT: "right d", UP: "up w", DOWN: "down s", FIRE: "space"}
BODY, WALL, SHOT = range(3)
LAYERS = [(BODY, BODY), (BODY, WALL), (BODY, SHOT), (WALL, SHOT)]
FIRST_WALL, FIRST_SHOT = 2, 4  # ids 0 and 1 are the players' bodies
ARENA_X, ARENA_Z = q(10), q(6)
WALK, FLY = q("0.09375"), q("0.3125")
HEALTH, ROUNDS, RELOAD_FRAMES = 3, 3, 30
SHOWN_FRAMES = 40  # of a hit


class Kind(IntEnum):
    HURT = 16

    @property
    def sides(self) -> tuple[str, str]:
        return "collider", "collider"  # what a and b are


class Player(State):
    health: Annotated[int, within(0, HEALTH)] = HEALTH
    score: Annotated[int, within(0, ROUNDS)] = 0
    reload: Annotated[int, within(0, RELOAD_FRAMES)] = 0


class Players(State):
    players: Annotated[list[Player], count(2)]


class Duel(Stated):
    """The game. An input is the sum of the keys that are held."""

    name = "duel"
    event_kinds = Kind
    names = Names(ids={0: "red", 1: "blue"})
    state: Players
    held = ("random",)

    def __init__(self, seed: int, players: int) -> None:
        if players != 2:
            raise ValueError(f"a duel has 2 players, not {players}")
        self.players = players
        self.random = Random(seed)
        self.state = Players([Player(), Player()])
        self.world = World(8, layers=LAYERS)
        for player in range(2):
            body = Cylinder(q("0.5"), q(1))
            self.world.add(player, body, Pose(0, 0, 0), layer=BODY, owner=player + 1)
        for id, x in ((FIRST_WALL, q(-3)), (FIRST_WALL + 1, q(3))):
            self.world.add(id, Box(q("0.5"), q(1), q(2)), Pose(x, 0, 0), layer=WALL)
        self.begin_round()

    @property
    def is_over(self) -> bool:
        return any(player.score == ROUNDS for player in self.state.players)

    def begin_round(self) -> None:
        for id, x, yaw in ((0, q(-8), 0), (1, q(8), 32768)):
            self.state.players[id].health = HEALTH
            self.world.set_pose(id, Pose(x, 0, self.random.between(q(-4), q(4)), yaw))

    def check_input(self, _player: int, value: object) -> None:
        if not isinstance(value, int) or not 0 <= value < 32:
            raise ValueError(f"must be 0..31, not {value}")

    def check(self) -> None:
        if not all(id in self.world for id in range(FIRST_SHOT)):
            raise ValueError("a state without its bodies and walls")

    def step(self, inputs):
        for player, keys in enumerate(inputs):
            self.act(player, self.state.players[player], keys)
        for shot in (FIRST_SHOT, FIRST_SHOT + 1):
            if shot in self.world:
                self.fly(shot)
        events, own_events = self.world.step(), []
        for a, b, kind, _ in events:
            if kind == EventKind.ENTER and b >= FIRST_SHOT and b in self.world:
                self.world.remove(b)
                if a < FIRST_WALL:
                    own_events.append(self.hurt(a))
        for id, x, _, z in self.world.separate([(BODY, BODY), (BODY, WALL)], passes=2):
            self.world.move(id, clamped(x, ARENA_X), 0, clamped(z, ARENA_Z))
        return [*events, *own_events]

    def act(self, id: int, player: Player, keys: int) -> None:
        pose, shot = self.world[id].pose, FIRST_SHOT + id
        player.reload = max(0, player.reload - 1)
        right = bool(keys & RIGHT) - bool(keys & LEFT)
        down = bool(keys & DOWN) - bool(keys & UP)
        if right or down:
            yaw = yaw_of(right, down)
            dx, dz = forward(yaw, WALK)
            pose = Pose(clamped(pose.x + dx, ARENA_X), 0, clamped(pose.z + dz, ARENA_Z), yaw)
            self.world.set_pose(id, pose)
        if keys & FIRE and not player.reload and shot not in self.world:
            player.reload = RELOAD_FRAMES
            self.world.add(shot, Cylinder(q("0.125"), q(1)), pose, layer=SHOT, owner=id + 1)

    def fly(self, shot: int) -> None:
        pose = self.world[shot].pose
        dx, dz = forward(pose.yaw, FLY)
        if abs(pose.x) > ARENA_X or abs(pose.z) > ARENA_Z:
            self.world.remove(shot)
        else:
            self.world.move(shot, pose.x + dx, 0, pose.z + dz)

    def hurt(self, id: int) -> GameEvent:
        hurt, other = self.state.players[id], self.state.players[1 - id]
        hurt.health -= 1
        left = hurt.health
        if not left:
            other.score += 1
            if not self.is_over:
                self.begin_round()
        return GameEvent(1 - id, id, Kind.HURT, left)

    @classmethod
    def bot(cls, player: int, seed: int) -> Bot:
        return Bot(player, seed)


class Bot:
    """Walks to and fro at random, goes to the other's height, and shoots."""

    def __init__(self, player: int, seed: int) -> None:
        self.player, self.random, self.keys = player, Random(seed + player), 0

    def decide(self, duel: Duel) -> int:
        if self.random.chance(1, 12):
            me, other = (duel.world[id].pose for id in (self.player, 1 - self.player))
            ahead = RIGHT if other.x > me.x else LEFT
            beside = UP if other.z < me.z else DOWN
            self.keys = self.random.choice([ahead, ahead, beside, ahead | beside, LEFT, UP, DOWN])
        return self.keys | FIRE


def clamped(value: int, limit: int) -> int:
    return max(-limit, min(limit, value))


def drawing(screen):
    """A function that draws a frame of the duel."""
    view = View(screen, z_down=True, names=Duel.names)

    def draw(duel: Duel, before: dict, alpha: int, hits: list, text: str) -> None:
        screen.fill((24, 26, 32))
        view.world(duel.world, before, alpha)
        score = " : ".join(f"{it.score} ({it.health})" for it in duel.state.players)
        lines = [f"{score}   {text}", *(f"{Duel.names.ids[hit.b]} is hit" for hit in hits)]
        for line, words in enumerate(lines):
            view.text(words, (16, 12 + 24 * line))

    return draw


# ---- a window, for any game of two players ----


def play(me: int, endpoint: Endpoint, peers: dict, match: Match, game, given, window) -> End:
    """Plays a match in a window, which stays open until it is closed. window: its size, the keys
    behind the bits of an input, and what makes the function that draws."""
    import pygame  # the game above does not need it

    size, keys, drawing = window
    pygame.init()
    draw = drawing(pygame.display.set_mode(size, pygame.SCALED, vsync=1))
    played = start(game, match.seed, match.players)
    bot = game.bot(me, match.seed) if given.bot else None
    log = {"seed": match.seed, "replace": True, "z_down": True}
    recorder = given.log and SimRecorder(played, given.log, **log)
    timing = Timing(connect_ms=600_000)
    life = {"start_number": 1, "nonce": token_bytes(16)}
    session = RollbackSession(match, played, me, **life, now_ms=now_ms(), timing=timing)
    endpoint.begin(session, peers)
    pacer, clock = Pacer(match.tick_rate), pygame.time.Clock()
    codes = {key: [*map(pygame.key.key_code, names.split())] for key, names in keys.items()}

    def keys_held() -> int:
        held = pygame.key.get_pressed()
        return sum(key for key, all in codes.items() if any(held[code] for code in all))

    before, hits, is_open = poses(played.world), [], True
    while is_open or not session.is_over:
        for event in pygame.event.get():
            if event.type == pygame.QUIT or getattr(event, "key", None) == pygame.K_ESCAPE:
                is_open = False
                session.leave(now_ms())
        is_open = is_open and not (bot and session.is_over)
        endpoint.exchange()
        for _ in range(pacer.due(now_ms() * 1_000_000, slow=session.is_ahead(now_ms()))):
            before = poses(played.world)
            for notice in endpoint.poll(bot.decide(played) if bot else keys_held()):
                own_events = [(notice.frame, event) for event in notice.game]
                kept = [hit for hit in hits if hit not in own_events]
                hits = kept if isinstance(notice, TakenBack) else kept + own_events
                if recorder and isinstance(notice, Confirmed):
                    row = notice.frame, notice.inputs, notice.events, notice.world_hash
                    recorder.record(*row, notice.game, notice.state_hash)
        hits = [hit for hit in hits if hit[0] > session.frame - SHOWN_FRAMES]
        state = session.end.reason.name if session.end else "" if session.frame else "WAITING"
        text = f"you are {('red', 'blue')[me]}   {state}"
        draw(played, before, pacer.alpha, [event for _, event in hits], text)
        pygame.display.flip()
        clock.tick(240)  # for displays that do not wait
    if recorder:
        recorder.close()
    pygame.quit()
    return session.end


def run(game, *window) -> None:
    """The command of a game: its window is as `play` has it."""
    parser = argparse.ArgumentParser(description=game.__doc__)
    parser.add_argument("address", nargs="?", help="The player to join; without one, you are host.")
    parser.add_argument("--port", type=int, default=7777, help="UDP port of the host.")
    parser.add_argument("--frames", type=int, help="Length of the match.")
    parser.add_argument("--bot", action="store_true", help="A bot plays.")
    parser.add_argument("--log", help="Match log to write.")
    given = parser.parse_args()
    me = 1 if given.address else 0
    match = Match(game.name, seed=1, players=2, frames=given.frames)
    peers = {0: (given.address, given.port)} if me else {}
    with Endpoint("0.0.0.0", 0 if me else given.port) as endpoint:  # noqa: S104 - others must reach it
        end = play(me, endpoint, peers, match, game, given, window)
    print(end.desync.explain() if end.desync else f"{end.reason.name.lower()}: {end.text}")


if __name__ == "__main__":
    run(Duel, (1008, 624), KEYS, drawing)

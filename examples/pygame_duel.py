"""A duel for two players over a network: a window, a keyboard, and rollback. Needs pygame-ce.

    python examples/pygame_duel.py host                  (waits on UDP port 7777)
    python examples/pygame_duel.py join 192.168.1.20     (on the other machine)
    fixsync synctest pygame_duel:Duel                    (in this folder)

Arrows or WASD walk, space shoots. Three hits win a round, three rounds the match; Escape leaves.
`Duel` is the game, in integers only: it runs without pygame. `play` is the loop: one `poll` a frame
plays the network match; everything else in it reads keys and draws."""

from __future__ import annotations

import argparse
import struct

from fixsync import Box, Cylinder, EventKind, Pose, Sphere, World, forward, q, yaw_of
from fixsync.game.random import Random
from fixsync.log.recorder import SimRecorder
from fixsync.names import Names
from fixsync.session import Confirmed, End, Match, RollbackSession, Timing
from fixsync.session.udp import Endpoint, now_ms
from fixsync.sim import hash_of, start

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
BODY, WALL, SHOT = range(3)
LAYERS = [(BODY, BODY), (BODY, WALL), (BODY, SHOT), (WALL, SHOT)]
YIELDS = [(BODY, BODY), (BODY, WALL)]
FIRST_WALL, FIRST_SHOT = 2, 4  # ids 0 and 1 are the players' bodies
ARENA_X, ARENA_Z = q(10), q(6)
WALK, FLY = q("0.09375"), q("0.3125")
HEALTH, ROUNDS, RELOAD_FRAMES = 3, 3, 30
OWN_STATE = struct.Struct("<Q6B")


class Duel:
    """The game: a `fixsync.sim.Simulation`. An input is the sum of the keys that are held."""

    name = "duel"
    names = Names(
        layers={BODY: "body", WALL: "wall", SHOT: "shot"},
        ids={0: "red", 1: "blue", 2: "left wall", 3: "right wall", 4: "red shot", 5: "blue shot"},
    )

    def __init__(self, seed: int, players: int) -> None:
        if players != 2:
            raise ValueError(f"a duel has 2 players, not {players}")
        self.players = players
        self.random = Random(seed)
        self.health, self.score, self.reload = [HEALTH] * 2, [0, 0], [0, 0]
        self.world = World(8, layers=LAYERS)
        for player in range(2):
            body = Cylinder(q("0.5"), q(1))
            self.world.add(player, body, Pose(0, 0, 0), layer=BODY, owner=player + 1)
        for id, x in ((FIRST_WALL, q(-3)), (FIRST_WALL + 1, q(3))):
            self.world.add(id, Box(q("0.5"), q(1), q(2)), Pose(x, 0, 0), layer=WALL)
        self.begin_round()

    @property
    def is_over(self) -> bool:
        return max(self.score) == ROUNDS

    def begin_round(self) -> None:
        self.health, self.reload = [HEALTH] * 2, [0, 0]
        for player, x, yaw in ((0, q(-8), 0), (1, q(8), 32768)):
            self.world.set_pose(player, Pose(x, 0, self.random.between(q(-4), q(4)), yaw))

    def check_input(self, _player: int, value: object) -> None:
        if not isinstance(value, int) or not 0 <= value < 32:
            raise ValueError(f"must be 0..31, not {value}")

    def step(self, inputs):
        for player, keys in enumerate(inputs):
            self.act(player, 0 if self.is_over else keys)
        for shot in (FIRST_SHOT, FIRST_SHOT + 1):
            if shot in self.world:
                self.fly(shot)
        events = self.world.step()
        for a, b, kind, _ in events:
            if kind == EventKind.ENTER and b >= FIRST_SHOT and b in self.world:
                self.world.remove(b)
                if a < FIRST_WALL:
                    self.hurt(a)
        for id, x, _, z in self.world.separate(YIELDS, passes=2):
            self.world.move(id, clamped(x, ARENA_X), 0, clamped(z, ARENA_Z))
        return events

    def act(self, player: int, keys: int) -> None:
        pose, shot = self.world[player].pose, FIRST_SHOT + player
        self.reload[player] = max(0, self.reload[player] - 1)
        right = bool(keys & RIGHT) - bool(keys & LEFT)
        down = bool(keys & DOWN) - bool(keys & UP)
        if right or down:
            yaw = yaw_of(right, down)
            dx, dz = forward(yaw, WALK)
            pose = Pose(clamped(pose.x + dx, ARENA_X), 0, clamped(pose.z + dz, ARENA_Z), yaw)
            self.world.set_pose(player, pose)
        if keys & FIRE and not self.reload[player] and shot not in self.world:
            self.reload[player] = RELOAD_FRAMES
            self.world.add(shot, Sphere(q("0.125")), pose, layer=SHOT, owner=player + 1)

    def fly(self, shot: int) -> None:
        pose = self.world[shot].pose
        dx, dz = forward(pose.yaw, FLY)
        if abs(pose.x) > ARENA_X or abs(pose.z) > ARENA_Z:
            self.world.remove(shot)
        else:
            self.world.move(shot, pose.x + dx, 0, pose.z + dz)

    def hurt(self, player: int) -> None:
        self.health[player] -= 1
        if not self.health[player]:
            self.score[1 - player] += 1
            if not self.is_over:
                self.begin_round()

    def save(self) -> bytes:
        own = OWN_STATE.pack(self.random.state, *self.health, *self.score, *self.reload)
        return own + self.world.save()

    def load(self, data: bytes) -> None:
        if len(data) < OWN_STATE.size:
            raise ValueError(f"a state has at least {OWN_STATE.size} bytes, not {len(data)}")
        state, *own = OWN_STATE.unpack_from(data)
        if max(own[:4]) > max(HEALTH, ROUNDS) or max(own[4:]) > RELOAD_FRAMES:
            raise ValueError(f"health, score and reload out of range: {own}")
        world = World.from_bytes(data[OWN_STATE.size :], self.world.capacity)
        if not all(id in world for id in range(FIRST_SHOT)):
            raise ValueError("a state without its bodies and walls")
        self.world.load(data[OWN_STATE.size :])
        self.random.state = state
        self.health, self.score, self.reload = own[:2], own[2:4], own[4:]

    def hash(self) -> int:
        return hash_of(self.save())

    @classmethod
    def bot(cls, player: int, seed: int) -> Bot:
        return Bot(player, seed)


class Bot:
    """Walks to and fro at random, goes to the other's height, and shoots."""

    def __init__(self, player: int, seed: int) -> None:
        self.player = player
        self.random = Random(seed + player)
        self.keys = 0

    def decide(self, duel: Duel) -> int:
        if self.random.chance(1, 12):
            me, other = (duel.world[id].pose for id in (self.player, 1 - self.player))
            ahead = RIGHT if other.x > me.x else LEFT
            beside = UP if other.z < me.z else DOWN
            self.keys = self.random.choice([ahead, ahead, beside, ahead | beside, LEFT, UP, DOWN])
        return self.keys | FIRE


def clamped(value: int, limit: int) -> int:
    return max(-limit, min(limit, value))


PIXELS = 48  # a unit
COLOURS = [(230, 80, 70), (80, 140, 240)]


def pixels(x: int, z: int) -> tuple[int, int]:
    return (x + ARENA_X) * PIXELS >> 16, (z + ARENA_Z) * PIXELS >> 16


def draw(pygame, screen, font, duel: Duel, text: str) -> None:
    screen.fill((24, 26, 32))
    for collider in duel.world.colliders():
        pose, size = collider.pose, collider.shape
        x, y = pixels(pose.x, pose.z)
        if collider.layer == WALL:
            left, top = pixels(pose.x - size.half_x, pose.z - size.half_z)
            pygame.draw.rect(screen, (90, 95, 110), (left, top, 2 * (x - left), 2 * (y - top)))
            continue
        colour = COLOURS[collider.owner - 1]
        pygame.draw.circle(screen, colour, (x, y), size.radius * PIXELS >> 16)
        if collider.layer == BODY:
            dx, dz = forward(pose.yaw, size.radius)
            pygame.draw.line(screen, (255,) * 3, (x, y), pixels(pose.x + dx, pose.z + dz), 3)
            life = 16 * duel.health[collider.id]
            pygame.draw.rect(screen, colour, (x - 24, y - 40, life, 6))
    shown = text or f"{duel.score[0]} : {duel.score[1]}"
    screen.blit(font.render(shown, True, (255, 255, 255)), (16, 12))
    pygame.display.flip()


def keys_held(pygame) -> int:
    held, keys = pygame.key.get_pressed(), 0
    for key, names in ((LEFT, "LEFT a"), (RIGHT, "RIGHT d"), (UP, "UP w"), (DOWN, "DOWN s")):
        keys |= key * any(held[getattr(pygame, f"K_{name}")] for name in names.split())
    return keys | FIRE * held[pygame.K_SPACE]


def play(me: int, endpoint: Endpoint, peers: dict, match: Match, bot=None, log=None) -> End:
    """Plays a match in a window until it is over."""
    import pygame  # the game above does not need it

    pygame.display.init()
    pygame.font.init()
    screen = pygame.display.set_mode(pixels(ARENA_X, ARENA_Z))
    pygame.display.set_caption(f"Duel: you are {Duel.names.ids[me]}")
    font, clock = pygame.font.Font(None, 36), pygame.time.Clock()
    duel = start(Duel, match.seed, match.players)
    begun = start(Duel, match.seed, match.players)
    recorder = log and SimRecorder(begun, log, seed=match.seed, names=Duel.names, replace=True)
    timing = Timing(connect_ms=600_000)
    session = RollbackSession(match, duel, me, instance=1, now_ms=now_ms(), timing=timing)
    endpoint.begin(session, peers)
    while not session.is_over:
        for event in pygame.event.get():
            is_escape = event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
            if event.type == pygame.QUIT or is_escape:
                session.leave(now_ms())
        for notice in endpoint.poll(bot.decide(duel) if bot else keys_held(pygame)):
            if recorder and isinstance(notice, Confirmed):
                recorder.record(notice.frame, notice.inputs, notice.events, notice.world_hash)
        text = "" if session.frame else "waiting for the other player ..."
        if duel.is_over:
            text = f"{Duel.names.ids[duel.score.index(ROUNDS)]} wins - Escape leaves"
        draw(pygame, screen, font, duel, text)
        # Whoever is ahead of the other runs a little slower.
        clock.tick(match.tick_rate - 6 * (session.frames_ahead(now_ms()) >= 2))
    if recorder:
        recorder.close()
    pygame.quit()
    return session.end


def main() -> None:
    parser = argparse.ArgumentParser(description="A duel over a network.")
    parser.add_argument("role", choices=["host", "join"])
    parser.add_argument("address", nargs="?", default="127.0.0.1", help="The host to join.")
    parser.add_argument("--port", type=int, default=7777, help="UDP port of the host.")
    parser.add_argument("--frames", type=int, help="Length of the match.")
    parser.add_argument("--bot", action="store_true", help="A bot plays.")
    parser.add_argument("--log", help="Match log to write.")
    given = parser.parse_args()
    me = ["host", "join"].index(given.role)
    match = Match(Duel.name, seed=1, players=2, frames=given.frames)
    peers = {0: (given.address, given.port)} if me else {}
    bot = Duel.bot(me, match.seed) if given.bot else None
    with Endpoint("0.0.0.0", 0 if me else given.port) as endpoint:  # noqa: S104 - others must reach it
        end = play(me, endpoint, peers, match, bot, given.log)
    print(end.desync.explain() if end.desync else f"{end.reason.name.lower()}: {end.text}")


if __name__ == "__main__":
    main()

"""The fight of brawl.py for two players over a network, with rollback, in a window.

    python examples/pygame_brawl.py                  (waits on UDP port 7777 for the other)
    python examples/pygame_brawl.py 192.168.1.20     (on the other machine)

Arrows or WASD walk, space jumps, down and space drops from a ledge, J punches, K kicks, Escape
leaves. Needs fixsync[pygame]."""

from __future__ import annotations

import argparse
import time
from secrets import token_bytes

import pygame
from brawl import DOWN, JUMP, KICK, LEFT, LIFT, PUNCH, RIGHT, STREET, UP, Brawl

from fixsync import LEVEL, Pacer, q
from fixsync.log.recorder import SimRecorder
from fixsync.match import start
from fixsync.session import Confirmed, End, Match, RollbackSession, TakenBack, Timing
from fixsync.session.udp import Endpoint, now_ms
from fixsync.world.draw import View, poses

KEYS = {LEFT: "left a", RIGHT: "right d", UP: "up w", DOWN: "down s"}
KEYS |= {JUMP: "space", PUNCH: "j", KICK: "k"}
SHOWN_FRAMES = 40
BACK, GROUND, LEDGE = (24, 26, 32), (38, 42, 52), (140, 178, 172)
COLOURS = {LEVEL: GROUND, LEVEL + len(STREET) - 1: LEDGE, LIFT: LEDGE}


def keys_held() -> int:
    held, code = pygame.key.get_pressed(), pygame.key.key_code
    return sum(key for key, names in KEYS.items() if any(held[code(it)] for it in names.split()))


def views(screen: pygame.Surface) -> tuple[View, View]:
    """From the side, and below that from above."""
    side, above = screen.subsurface(0, 0, 960, 280), screen.subsurface(0, 280, 960, 360)
    return (
        View(side, side=True, centre=(0, q("2.5"), 0), colours=COLOURS),
        View(above, pixels=44, z_down=True, colours=COLOURS),
    )


def play(me: int, endpoint: Endpoint, peers: dict, bot=None, log=None) -> End:
    """Plays a match in a window, which stays open until it is closed."""
    pygame.init()
    screen = pygame.display.set_mode((960, 640), pygame.SCALED, vsync=1)
    side, above = views(screen)
    match = Match(Brawl.name, seed=1, players=2)
    game = start(Brawl, match.seed, match.players)
    recorder = log and SimRecorder(game, log, seed=match.seed, replace=True, z_down=True)
    timing = Timing(connect_ms=600_000)
    life = {"start_number": 1, "nonce": token_bytes(16)}
    session = RollbackSession(match, game, me, **life, now_ms=now_ms(), timing=timing)
    endpoint.begin(session, peers)
    pacer, clock = Pacer(match.tick_rate), pygame.time.Clock()
    before, hits, is_open = poses(game.world), [], True
    while is_open or not session.is_over:
        for event in pygame.event.get():
            if event.type == pygame.QUIT or getattr(event, "key", None) == pygame.K_ESCAPE:
                is_open = False
                session.leave(now_ms())
        is_open = is_open and not (bot and session.is_over)
        endpoint.exchange()
        for _ in range(pacer.due(time.monotonic_ns(), slow=session.is_ahead(now_ms()))):
            before = poses(game.world)
            for notice in endpoint.poll(bot.decide(game) if bot else keys_held()):
                own_events = [(notice.frame, event) for event in notice.game]
                kept = [it for it in hits if it not in own_events]
                hits = kept if isinstance(notice, TakenBack) else kept + own_events
                if recorder and isinstance(notice, Confirmed):
                    row = notice.frame, notice.inputs, notice.events, notice.world_hash
                    recorder.record(*row, notice.game, notice.state_hash)
        hits = [it for it in hits if it[0] > session.frame - SHOWN_FRAMES]
        screen.fill(BACK)
        for view in (side, above):
            view.world(game.world, before, pacer.alpha)
        for line, (_, event) in enumerate(hits):
            at = game.bodies[event.b - 1].pose  # owners are counted from 1
            x, y = side.point(at.x, at.y + q("2.75"), at.z)
            side.text(f"-{event.value}", (x, y - 22 * line), is_centred=True)
        health = " : ".join(str(fighter.health) for fighter in game.state.fighters)
        state = session.end.reason.name if session.end else "" if session.frame else "WAITING"
        side.text(f"{health}   you are {('red', 'blue')[me]}   {state}", (16, 12))
        pygame.display.flip()
        clock.tick(240)  # for displays that do not wait
    if recorder:
        recorder.close()
    pygame.quit()
    return session.end


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A fight over a network.")
    parser.add_argument("address", nargs="?", help="The player to join; without one, you are host.")
    parser.add_argument("--port", type=int, default=7777, help="UDP port of the host.")
    parser.add_argument("--bot", action="store_true", help="A bot plays.")
    parser.add_argument("--log", help="Match log to write.")
    given = parser.parse_args()
    me = 1 if given.address else 0
    bot = Brawl.bot(me, 1) if given.bot else None
    with Endpoint("0.0.0.0", 0 if me else given.port) as endpoint:  # noqa: S104 - others must reach it
        end = play(me, endpoint, {0: (given.address, given.port)} if me else {}, bot, given.log)
    print(end.desync.explain() if end.desync else f"{end.reason.name.lower()}: {end.text}")

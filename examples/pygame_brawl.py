"""The fight of brawl.py for two players over a network, with rollback, in a window.

    python examples/pygame_brawl.py                  (waits on UDP port 7777 for the other)
    python examples/pygame_brawl.py 192.168.1.20     (on the other machine)

Arrows or WASD walk, space jumps, down and space drops from a ledge, J punches, K kicks, Escape
leaves. Needs fixsync[pygame]."""

from __future__ import annotations

from brawl import DOWN, JUMP, KICK, LEFT, LIFT, PUNCH, RIGHT, STREET, UP, Brawl
from pygame_duel import run

from fixsync import LEVEL, q
from fixsync.world.draw import View

KEYS = {LEFT: "left a", RIGHT: "right d", UP: "up w", DOWN: "down s"}
KEYS |= {JUMP: "space", PUNCH: "j", KICK: "k"}
BACK, GROUND, LEDGE = (24, 26, 32), (38, 42, 52), (140, 178, 172)
COLOURS = {LEVEL: GROUND, LEVEL + len(STREET) - 1: LEDGE, LIFT: LEDGE}


def views(screen) -> tuple[View, View]:
    """From the side, and below that from above."""
    side, above = screen.subsurface(0, 0, 960, 280), screen.subsurface(0, 280, 960, 360)
    return (
        View(side, side=True, centre=(0, q("2.5"), 0), colours=COLOURS),
        View(above, pixels=44, z_down=True, colours=COLOURS),
    )


def drawing(screen):
    """A function that draws a frame of the fight."""
    side, above = views(screen)

    def draw(game: Brawl, before: dict, alpha: int, hits: list, text: str) -> None:
        screen.fill(BACK)
        for view in (side, above):
            view.world(game.world, before, alpha)
        for line, event in enumerate(hits):
            at = game.bodies[event.b - 1].pose  # owners are counted from 1
            x, y = side.point(at.x, at.y + q("2.75"), at.z)
            side.text(f"-{event.value}", (x, y - 22 * line), is_centred=True)
        health = " : ".join(str(fighter.health) for fighter in game.state.fighters)
        side.text(f"{health}   {text}", (16, 12))

    return draw


if __name__ == "__main__":
    run(Brawl, (960, 640), KEYS, drawing)

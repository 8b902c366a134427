"""Makes pygame_brawl.png, a frame of examples/pygame_brawl.py without its network.

Needs the extra `pygame`: `python docs/images/window.py`."""

import sys
from pathlib import Path

import pygame

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "examples"))
from brawl import Brawl  # noqa: E402
from pygame_brawl import BACK, views  # noqa: E402

SEED, FRAMES = 34, 383


def main() -> None:
    screen = pygame.Surface((960, 640))
    game, bots = Brawl(SEED, 2), [Brawl.bot(player, SEED) for player in range(2)]
    for _ in range(FRAMES):
        game.step([bot.decide(game) for bot in bots])
    screen.fill(BACK)
    for view in views(screen):
        view.world(game.world)
    pygame.image.save(screen, HERE / "pygame_brawl.png")


if __name__ == "__main__":
    main()

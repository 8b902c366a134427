"""Worlds, levels, shapes and their answers; aiming; why a pair does not hit; drawing with pygame.

`world.World` is the main class. Programs import these names from `fixsync`."""

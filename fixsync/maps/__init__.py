"""Levels out of boxes, polygons, tiles and Tiled maps."""

from fixsync.maps.drawing import svg
from fixsync.maps.polygons import convex_pieces
from fixsync.maps.solids import box, polygon, tiles
from fixsync.maps.tiled import Place, TiledError, TiledMap, read_tiled

__all__ = [
    "Place",
    "TiledError",
    "TiledMap",
    "box",
    "convex_pieces",
    "polygon",
    "read_tiled",
    "svg",
    "tiles",
]

"""Levels out of boxes, polygons, tiles, and maps of Tiled and LDtk."""

from fixsync.maps.drawing import svg
from fixsync.maps.polygons import convex_pieces
from fixsync.maps.solids import box, polygon, tiles
from fixsync.maps.tiled import MapFileError, MapLevel, Place, read_map

__all__ = [
    "MapFileError",
    "MapLevel",
    "Place",
    "box",
    "convex_pieces",
    "polygon",
    "read_map",
    "svg",
    "tiles",
]

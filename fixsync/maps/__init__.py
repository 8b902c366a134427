"""Levels out of boxes, polygons, tiles and Tiled maps."""

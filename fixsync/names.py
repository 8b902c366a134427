"""Names that people give to layers, ids and events of the game: for logs, reports and the viewer."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Names"]


class Names(Struct):
    """Names of layers, ids and kinds of the game's own events, by number."""

    layers: dict[int, str] = {}
    ids: dict[int, str] = {}
    game: dict[int, str] = {}

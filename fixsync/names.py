"""Names that people give to layers and ids: for logs, reports and the viewer."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Names"]


class Names(Struct):
    """Names of layers and ids, by number."""

    layers: dict[int, str] = {}
    ids: dict[int, str] = {}

"""Names that people give to layers, ids and events of the game: for logs, reports and the viewer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

__all__ = ["Names", "attacks_in"]

_ATTACK = re.compile(r"(?<![a-z])(attacks?|hitbox(es)?)(?![a-z])", re.IGNORECASE)


class Names(Struct):
    """Names of layers, ids and kinds of the game's own events, by number."""

    layers: dict[int, str] = {}
    ids: dict[int, str] = {}
    game: dict[int, str] = {}


def attacks_in(names: Mapping[int, str]) -> frozenset[int]:
    """The layers or ids whose name has one of the words attack, attacks, hitbox, hitboxes."""
    return frozenset(number for number, name in names.items() if _ATTACK.search(name))

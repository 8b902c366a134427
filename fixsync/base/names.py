"""Names that people give to layers, ids and events of the game: for logs, reports and the viewer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

__all__ = ["SIDES", "Names", "attacks_in", "owner_text", "sides_in"]

_ATTACK = re.compile(r"(?<![a-z])(attacks?|hitbox(es)?)(?![a-z])", re.IGNORECASE)

SIDES = ("collider", "owner", "number")
"""What a and b of one of the game's own events may be."""
_SIDES = re.compile(r"(.+) \((collider|owner|number), (collider|owner|number)\)", re.DOTALL)


class Names(Struct):
    """Names of layers, ids, kinds of the game's own events, and owners, by number. The name of a
    kind may end with what a and b of its events are: "hurt (owner, collider)". Otherwise they are
    numbers. Names of owners are in the `meta` of a log, as `owners`."""

    layers: dict[int, str] = {}
    ids: dict[int, str] = {}
    game: dict[int, str] = {}
    owners: dict[int, str] = {}


def owner_text(owner: int, names: Mapping[int, str]) -> str:
    """An owner for a report."""
    return names.get(owner, str(owner)) if owner else "none"


def sides_in(name: str) -> tuple[str, str, str]:
    """The name of a kind of events, and what their a and b are: each one of SIDES."""
    found = _SIDES.fullmatch(name)
    return (found[1], found[2], found[3]) if found else (name, "number", "number")


def attacks_in(names: Mapping[int, str]) -> frozenset[int]:
    """The layers or ids whose name has one of the words attack, attacks, hitbox, hitboxes."""
    return frozenset(number for number, name in names.items() if _ATTACK.search(name))

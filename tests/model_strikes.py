"""The model of strikes, in plain Python: it knows no world and no body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

VICTIMS_MAX = 64


@dataclass
class Fighter:
    ids: list[int]
    """Of its parts, the best first."""
    attacks: bool
    victims: set[int] = field(default_factory=set)


def model_strikes(
    events: Iterable[tuple[int, int, int, int]],
    colliders: Mapping[int, tuple[int, int]],
    mask: int,
    fighters: list[Fighter],
) -> list[tuple[int, int, int]] | None:
    """Attacker, victim and part of each new strike, which the attackers then remember; None, and
    nothing is remembered, if one would remember too many. colliders: layer and owner."""
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for a, b, kind, _ in events:
        for hit, hurt in ((a, b), (b, a)):
            if kind not in (1, 2) or not {hit, hurt} <= colliders.keys():
                continue
            (own_layer, _), (layer, owner) = colliders[hit], colliders[hurt]
            for i, attacker in enumerate(fighters):
                for j, victim in enumerate(fighters):
                    if (
                        i != j
                        and hit in attacker.ids
                        and hurt in victim.ids
                        and attacker.attacks
                        and mask & 1 << layer
                        and not mask & 1 << own_layer
                        and owner not in attacker.victims
                    ):
                        found = attacker.ids.index(hit), owner
                        best[i, j] = min(best.get((i, j), found), found)
    for i, attacker in enumerate(fighters):
        more = sum(one == i for one, _ in best)
        if more and len(attacker.victims) + more > VICTIMS_MAX:
            return None
    for (i, _), (_, owner) in best.items():
        fighters[i].victims.add(owner)
    return [(i, j, part) for (i, j), (part, _) in sorted(best.items())]

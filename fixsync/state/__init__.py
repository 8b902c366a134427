"""A game's state by declaration: its fields, their types and ranges, once.

    class Fighter(State):
        health: Annotated[int, within(0, 100)] = 100
        combo: Annotated[list[Move], up_to(8)] = []


    class Fight(State):
        fighters: Annotated[list[Fighter], count(2)]


    class Brawl(Stated):
        state: Fight
        held = ("random", "bodies")

`Stated` gives the simulation `save`, `load`, `hash` and `state_fields`. Equal states have equal
bytes, and only they. `save` refuses a value outside its range; `load` refuses every bytes but
those that `save` gives, and a refused `load` changes nothing."""

from __future__ import annotations

from fixsync.state.declared import State, count, up_to, within
from fixsync.state.stated import Stated

__all__ = ["State", "Stated", "count", "up_to", "within"]

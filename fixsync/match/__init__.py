"""What a match plays: the `Simulation` protocol, states that a game declares, two builds of a game
in one process, and the semantics of the kernel.

A game declares its state once, with types and ranges:

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

from fixsync._native.state import state_end
from fixsync.base.fields import differences, world_fields
from fixsync.match.builds import GameFolder
from fixsync.match.declared import State, count, up_to, within
from fixsync.match.questions import kernel_id
from fixsync.match.rollback import DesyncError, FrameDesync, RefusedError, Rollback
from fixsync.match.sim import (
    Input,
    Simulation,
    fields_of,
    hash_of,
    idle_input,
    names_of,
    start,
)
from fixsync.match.stated import Stated

__all__ = [
    "DesyncError",
    "FrameDesync",
    "GameFolder",
    "Input",
    "RefusedError",
    "Rollback",
    "Simulation",
    "State",
    "Stated",
    "count",
    "differences",
    "fields_of",
    "hash_of",
    "idle_input",
    "kernel_id",
    "names_of",
    "start",
    "state_end",
    "up_to",
    "within",
    "world_fields",
]

"""What a session tells the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fixsync.records import Event
from fixsync.sim import Input

__all__ = ["Confirmed", "Joined", "Notice", "Predicted", "TakenBack"]


@dataclass(frozen=True, slots=True)
class Predicted:
    """Events of a frame that was stepped on guessed inputs, each told once: show them, decide
    nothing by them."""

    frame: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Events that had been predicted for a frame and did not happen after all."""

    frame: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A frame that is final: all inputs were known. Told once a frame, in order, with every event
    of it.
    """

    frame: int
    inputs: tuple[Input, ...]
    events: tuple[Event, ...]
    world_hash: int
    """Of the simulation's world after the frame: what a match log writes."""
    state_hash: int
    """Of the simulation's whole state after the frame: what peers compare."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The simulation was brought to this frame by a snapshot: the frames before it are told to
    nobody here."""

    frame: int
    state_hash: int


Notice: TypeAlias = Predicted | TakenBack | Confirmed | Joined

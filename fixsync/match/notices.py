"""Notices of frames, for the game: what `advance` of a session and of a `Rollback` returns."""

from __future__ import annotations

from dataclasses import dataclass

from fixsync.match.sim import Input
from fixsync.world.records import Event, GameEvent


@dataclass(frozen=True, slots=True)
class Predicted:
    """Events of a frame that was stepped on guessed inputs, each reported once. Show them, but do
    not decide by them."""

    frame: int
    events: tuple[Event, ...]
    game: tuple[GameEvent, ...] = ()
    """Events of the game's own."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Events that were predicted for a frame and did not happen."""

    frame: int
    events: tuple[Event, ...]
    game: tuple[GameEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A frame that is final: all inputs are known. Once for each frame, in order, with all its
    events."""

    frame: int
    inputs: tuple[Input, ...]
    events: tuple[Event, ...]
    world_hash: int
    """Of the simulation's world after the frame: what a match log writes."""
    state_hash: int
    """Of the simulation's whole state after the frame. Peers compare it, and `game`."""
    game: tuple[GameEvent, ...] = ()
    input_delays: tuple[int, ...] = ()
    """By player, the input delay that its input of the frame was given with. Peers compare it."""

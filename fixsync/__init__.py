"""Exact, order-stable hit detection in Q16.16 integers."""

from fixsync._native.kinds import TinyValueWarning
from fixsync.base import kinds
from fixsync.base.kinds import *
from fixsync.base.numbers import ONE, degrees, direction, length, q, q_near, yaw_of
from fixsync.game import flat
from fixsync.game.bodies import Body, Strike, strikes
from fixsync.game.frame_data import Attack, Cancel, FrameData, Key, Part
from fixsync.game.handlers import Handlers
from fixsync.game.pacer import Pacer
from fixsync.world.aim import bearing, faces, forward, turn_towards, yaw_between, yaw_towards
from fixsync.world.level import LEVEL, Level, Pillar, Prism
from fixsync.world.records import (
    CastHit,
    Collider,
    Colliders,
    Event,
    Events,
    GameEvent,
    Hit,
    Hits,
    PairHit,
)
from fixsync.world.shapes import (
    RAY,
    Contact,
    EventKind,
    Outline,
    Pose,
    Side,
    cast_pair,
    lift,
    outline,
    overlap,
    overlap_many,
    pack_poses,
    pack_shapes,
    push_out,
    side,
)
from fixsync.world.why import Explanation, Missed, Why, explain
from fixsync.world.world import World

__version__ = "0.9.0"

__all__ = [
    "LEVEL",
    "ONE",
    "RAY",
    "Attack",
    "Body",
    "Cancel",
    "CastHit",
    "Collider",
    "Colliders",
    "Contact",
    "Event",
    "EventKind",
    "Events",
    "Explanation",
    "FrameData",
    "GameEvent",
    "Handlers",
    "Hit",
    "Hits",
    "Key",
    "Level",
    "Missed",
    "Outline",
    "Pacer",
    "PairHit",
    "Part",
    "Pillar",
    "Pose",
    "Prism",
    "Side",
    "Strike",
    "TinyValueWarning",
    "Why",
    "World",
    "__version__",
    "bearing",
    "cast_pair",
    "degrees",
    "direction",
    "explain",
    "faces",
    "flat",
    "forward",
    "length",
    "lift",
    "outline",
    "overlap",
    "overlap_many",
    "pack_poses",
    "pack_shapes",
    "push_out",
    "q",
    "q_near",
    "side",
    "strikes",
    "turn_towards",
    "yaw_between",
    "yaw_of",
    "yaw_towards",
]

__all__ += kinds.__all__

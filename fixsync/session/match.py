"""The settings that the peers of a match must share, and the times that each may choose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property

from fixsync._native.checks import integer, rate, shown
from fixsync._native.raw import UINT32_MAX, UINT64_MAX, constant
from fixsync.match.sim import PLAYERS_MAX, SEED_MAX

HOST = 0
"""The player who seats late players, feeds spectators and plays empty seats."""

INPUT_DELAY_MAX = constant("SESSION_INPUT_DELAY_MAX")
PREDICTION_MAX = constant("SESSION_PREDICTION_MAX")
SPECTATORS_MAX = constant("SESSION_SPECTATORS_MAX")
KEY_BYTES_MAX = 64
FRAMES_MAX = UINT32_MAX - 1
"""Frames are numbered by 32 bits, and one number stands for never."""


@dataclass(frozen=True)
class Match:
    """The settings of a match, the same on every peer. ValueError if one is out of range."""

    simulation: str
    """The simulation's name."""
    seed: int
    players: int
    """Seats, 1..8. Peers 0..players - 1 hold them; those numbered from there on are spectators."""
    prediction_max: int = 8
    """Number of frames that may be stepped on guessed inputs, 0..32. 0 is lockstep."""
    input_delay: int = 2
    """Frames until an input takes effect, 0..16. Hides that much latency."""
    input_delay_max: int | None = None
    """The most that a player may set during the match, `input_delay`..16; None: `input_delay`."""
    frames: int | None = None
    """Length of the match; None: until a player leaves. A simulation that `is_over` ends it
    earlier."""
    empty_seats: frozenset[int] = frozenset()
    """Seats that are empty at the start; not the host's."""
    spectators: int = 0
    """Number of spectators allowed, 0..32."""
    tick_rate: int | tuple[int, int] = 60
    """Frames a second, or (numerator, denominator) of it; kept in lowest terms."""
    id: int = 0
    """Identifies the match's packets, 0..2^64-1: packets with another id are refused."""
    key: bytes = field(default=b"", repr=False)
    """A secret of up to 64 bytes that authenticates every packet; b"" protects against accidents
    only."""

    def __post_init__(self) -> None:
        if not isinstance(self.simulation, str) or not 1 <= len(self.simulation.encode()) <= 200:
            raise ValueError(f"simulation must be a name of 1..200 bytes, not {self.simulation!r}")
        integer("seed", self.seed, 0, SEED_MAX)
        integer("players", self.players, 1, PLAYERS_MAX)
        integer("prediction_max", self.prediction_max, 0, PREDICTION_MAX)
        integer("input_delay", self.input_delay, 0, INPUT_DELAY_MAX)
        integer("input_delay_max", self.delay_max, self.input_delay, INPUT_DELAY_MAX)
        if self.frames is not None:
            integer("frames", self.frames, 1, FRAMES_MAX)
        integer("spectators", self.spectators, 0, SPECTATORS_MAX)
        numerator, denominator = rate("tick_rate", self.tick_rate)
        whole = denominator == 1
        object.__setattr__(self, "tick_rate", numerator if whole else (numerator, denominator))
        integer("id", self.id, 0, UINT64_MAX)
        if not isinstance(self.empty_seats, Iterable):
            raise TypeError(f"empty_seats must be a set of seats, not {shown(self.empty_seats)}")
        object.__setattr__(self, "empty_seats", frozenset(self.empty_seats))
        for seat in self.empty_seats:
            integer("empty seat", seat, 1, self.players - 1)
        if not isinstance(self.key, bytes):
            raise TypeError(f"key must be bytes, not a {type(self.key).__name__}")
        if len(self.key) > KEY_BYTES_MAX:
            raise ValueError(f"key must be at most {KEY_BYTES_MAX} bytes, not {len(self.key)}")

    @property
    def peers(self) -> range:
        """Every number that a peer may have."""
        return range(self.players + self.spectators)

    @property
    def seated(self) -> list[int]:
        """The players who start the match."""
        return [player for player in range(self.players) if player not in self.empty_seats]

    @cached_property
    def delay_max(self) -> int:
        """The greatest input delay of any player."""
        return self.input_delay if self.input_delay_max is None else self.input_delay_max

    @cached_property
    def detection_frames_max(self) -> int:
        """A difference in frame f ends the match before any peer has confirmed frame f + this.

        A peer confirms frame g with its partner's input for g. The partner sent that input while
        its own frame was at least g - delay_max, hence with all frames below g - delay_max -
        prediction_max confirmed, and the packet carried their hashes, or earlier ones had. So frame
        f's hash is there for every g > f + delay + prediction."""
        return self.delay_max + self.prediction_max + 1

    def frames_of(self, ms: int) -> int:
        """The frames of a time, rounded up."""
        numerator, denominator = rate("tick_rate", self.tick_rate)
        return -(-ms * numerator // (1000 * denominator))

    def is_player(self, peer: int) -> bool:
        return peer < self.players

    def others(self, me: int) -> Iterable[int]:
        """The peers that `me` speaks to: players to each other, spectators to the host."""
        if not self.is_player(me):
            return [HOST]
        spectators = range(self.players, self.players + self.spectators) if me == HOST else range(0)
        return [*(player for player in range(self.players) if player != me), *spectators]


@dataclass(frozen=True)
class Timing:
    """Times in milliseconds, 0..2^32-1; each peer may have its own. ValueError if one is out of
    range."""

    connect_ms: int = 15_000
    """Time to wait for the other players at the start; of a snapshot, for its next piece."""
    silence_ms: int = 5_000
    """How long a player may be silent. A longer round trip is not believed."""
    stall_ms: int = 20_000
    """How long a player who is heard may hold the match up; 10 ms more for each KiB of a snapshot
    that it got."""
    resend_ms: int = 16
    """Interval at which unacknowledged data is sent again."""
    hello_ms: int = 50
    """Interval of Hellos."""
    linger_ms: int = 1_500
    """How long an ended session still answers the others. After a desync it counts twice,
    and a peer that is still heard is waited for until both have the other's state, for up to
    `stall_ms`."""

    def __post_init__(self) -> None:
        for time in fields(self):
            object.__setattr__(
                self, time.name, integer(time.name, getattr(self, time.name), 0, UINT32_MAX)
            )

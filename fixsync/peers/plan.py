"""The settings of a run of `fixsync peers`."""

from __future__ import annotations

from dataclasses import dataclass, field

from fixsync.match import sim
from fixsync.peers.faults import faults_of
from fixsync.peers.relay import Impairment
from fixsync.session import Match
from fixsync.session.match import INPUT_DELAY_MAX, PREDICTION_MAX

RANGES = {
    "players": (2, sim.PLAYERS_MAX),
    "spectators": (0, 8),
    "frames": (1, 10_000_000),
    "seed": (0, sim.SEED_MAX),
    "prediction_max": (0, PREDICTION_MAX),
    "input_delay": (0, INPUT_DELAY_MAX),
    "rate": (0, 10_000),
}
"""What the numbers of a run may be."""


@dataclass(frozen=True)
class Run:
    """Settings of a run. ValueError for one out of range."""

    simulation: str = "skillfight"
    """A name or module:object, as `fixsync.match.sim.find` takes it; modules are imported."""
    players: int = 2
    spectators: int = 0
    frames: int = 600
    seed: int = 1
    prediction_max: int = 8
    """0 is lockstep."""
    input_delay: int = 2
    rate: int = 60
    impairment: Impairment = field(default_factory=Impairment)
    fault: str | None = None
    fault_frame: int = 100
    fault_peer: int | None = None
    """The peer with the fault; None for the last player."""
    restart_frame: int | None = None
    """When the last player has confirmed this many frames, it is killed and started again."""
    late_frame: int | None = None
    """The last player comes when player 0 has confirmed this many frames; until then its seat is
    empty."""

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be {low}..{high}, not {getattr(self, name)}")
        name, last = self.type.name, self.frames - 1
        if self.fault is not None and self.fault not in faults_of(name):
            allowed = ", ".join(faults_of(name))
            raise ValueError(f"fault of {name} must be one of {allowed}, not {self.fault!r}")
        if self.fault_peer is not None and self.fault is None:
            raise ValueError("the peer of a fault was given, and no fault")
        if self.fault_peer is not None and not 0 <= self.fault_peer < self.players:
            allowed = f"0..{self.players - 1}"
            raise ValueError(f"the peer of a fault must be {allowed}, not {self.fault_peer}")
        for name, frame in (
            ("a fault", None if self.fault is None else self.fault_frame),
            ("a restart", self.restart_frame),
            ("a late player", self.late_frame),
        ):
            if frame is not None and not 1 <= frame <= last:
                raise ValueError(f"the frame of {name} must be 1..{last}, not {frame}")
        if self.restart_frame is not None and self.late_frame is not None:
            raise ValueError("the last player can be restarted or late, not both")
        if self.fault is not None and self.faulty_peer in self.empty_seats:
            raise ValueError(
                "the last player is late: a fault must be in another, as --fault-peer says"
            )

    @property
    def type(self) -> sim.SimulationType:
        return sim.find(self.simulation)

    @property
    def faulty_peer(self) -> int:
        return self.players - 1 if self.fault_peer is None else self.fault_peer

    @property
    def empty_seats(self) -> list[int]:
        """The seats that nobody holds at the start."""
        return [] if self.late_frame is None else [self.players - 1]

    @property
    def peers(self) -> range:
        return range(self.players + self.spectators)

    def match(self, id: int) -> Match:
        """The match that all peers of the run play."""
        return Match(
            self.type.name,
            seed=self.seed,
            players=self.players,
            prediction_max=self.prediction_max,
            input_delay=self.input_delay,
            frames=self.frames,
            empty_seats=frozenset(self.empty_seats),
            spectators=self.spectators,
            id=id,
        )

"""One peer of `fixsync peers`, a process of its own: `main`, with the task as JSON as its argument.

A bot plays; without one, every input is idle. Standard output has one JSON object a line: the port
it listens on, then its status, at last how its match ended. Standard input gives the addresses of
the others."""

from __future__ import annotations

import asyncio
import secrets
import sys
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fixsync.log.recorder import SimRecorder
from fixsync.match.sim import (
    HasBots,
    Input,
    Simulation,
    SimulationType,
    bot_seed,
    idle_input,
    start,
)
from fixsync.peers.faults import faulty
from fixsync.peers.plan import Run
from fixsync.session import Confirmed, Joined, Notice, Predicted, Session, Timing
from fixsync.session.session import kind_of
from fixsync.session.udp import Address, Endpoint, now_ms, play

STATUS_MS = 100


class Task(Struct, forbid_unknown_fields=True):
    """The task of a peer."""

    plan: Run
    me: int
    start_number: int
    match_id: int
    log: str
    """Where to record the frames that it confirms. A file that is there is not overwritten."""
    report: str
    """The directory for the report of a desync."""
    host: str = "127.0.0.1"
    """The address to listen on."""


class Status(Struct, omit_defaults=True):
    """A line from a peer."""

    port: int = 0
    uptime_s: int = 0
    """Whole seconds since the match was to begin."""
    frame: int = 0
    confirmed: int = 0
    rollbacks: int = 0
    resteps: int = 0
    rtt_ms: int | None = None
    """To the farthest peer, smoothed."""
    jitter_ms: int = 0
    loss: int = 0
    """Lost packets from the peer with the most, in percent of the last 256."""
    frames_ahead: int = 0
    """Of the peer farthest behind."""
    waits: int = 0
    """Rounds in which an input was missing."""
    waiting_for: list[int] = []
    waiting_ms: int = 0
    """The peers that it waits for, and since when."""
    bytes_in: int = 0
    bytes_out: int = 0
    """A second, of all peers together."""
    hash: str = ""
    """The state after the last confirmed frame."""
    refused: int = 0
    """Packets that were refused."""
    predicted: int = 0
    taken_back: int = 0
    """Events that were predicted, and those of them that did not happen."""
    joined: int | None = None
    """The frame at which it came in by a snapshot."""
    seated: int | None = None
    """The frame from which a player who came late gives its own inputs."""
    reason: str = ""
    """Why the match ended; empty as long as it runs."""
    end_frame: int = 0
    text: str = ""
    report: str = ""
    """The directory with the evidence of a desync."""
    explanation: str = ""


STATISTICS = (
    *("uptime_s", "frame", "confirmed", "rtt_ms", "jitter_ms", "loss", "bytes_in", "bytes_out"),
    *("rollbacks", "resteps", "frames_ahead", "waits", "waiting_for", "waiting_ms"),
)
"""The fields of a status that say how a connection is."""


class _Peer:
    session: Session
    """Made when the match is to begin: a session's time to find the others runs from there."""

    def __init__(self, task: Task) -> None:
        self.task, self.plan = task, task.plan
        self.type = found = task.plan.type
        if self.plan.fault is not None and task.me == self.plan.faulty_peer:
            found = faulty(self.plan.fault, self.plan.fault_frame, found)
        self.simulation = self._start(found)
        self.bot = (
            self.type.bot(task.me, bot_seed(self.plan.seed))
            if isinstance(self.type, HasBots) and task.me < self.plan.players
            else None
        )
        self.idle = idle_input(self.simulation)
        self.recorder: SimRecorder | None = None
        self.status = Status()
        self._said_ms = self._began_ms = 0

    def _start(self, simulation: SimulationType) -> Simulation:
        return start(simulation, self.plan.seed, self.plan.players)

    def decide(self) -> Input:
        if self.bot is None or not self.session.is_playing:
            return self.idle
        return self.bot.decide(self.simulation)

    def heed(self, notice: Notice) -> None:
        status = self.status
        if isinstance(notice, Confirmed):
            status.hash = f"{notice.state_hash:016x}"
            if self.recorder is None:
                self.recorder = self._record(self._start(self.type))
            results = notice.events, notice.world_hash, notice.game, notice.state_hash
            self.recorder.record(notice.frame, notice.inputs, *results)
        elif isinstance(notice, Joined):
            status.joined = notice.frame
            self.recorder = self._record(self.simulation)
        elif isinstance(notice, Predicted):
            status.predicted += len(notice.events) + len(notice.game)
        else:
            status.taken_back += len(notice.events) + len(notice.game)

    def _record(self, simulation: Simulation) -> SimRecorder:
        """Begins the log, with the simulation as it is before the first frame."""
        meta = {"players": self.plan.players}
        log, seed = self.task.log, self.plan.seed
        return SimRecorder(simulation, log, seed=seed, meta=meta)

    def watch(self) -> None:
        now = now_ms()
        if now - self._said_ms >= STATUS_MS:
            self._said_ms = now
            self.say()

    def say(self) -> None:
        session, status = self.session, self.status
        if self.task.me in session.match.empty_seats:
            status.seated = session.seats[self.task.me]
        status.frame, status.confirmed = session.frame, session.confirmed
        status.rollbacks, status.resteps = session.rollbacks, session.resteps
        now = now_ms()
        stats = session.stats(now)
        peers, status.waits = stats.peers, stats.waits
        known = [peer.rtt_ms for peer in peers if peer.rtt_ms is not None]
        status.rtt_ms = max(known, default=None)
        status.jitter_ms = max([peer.jitter_ms for peer in peers], default=0)
        status.loss = max([peer.loss_percent for peer in peers], default=0)
        status.frames_ahead = max([0, *[peer.frames_ahead for peer in peers]])
        status.waiting_for, status.waiting_ms = list(stats.waiting_for), stats.waiting_ms
        if session.end is None:  # An ended one still answers the others, and hears little.
            status.uptime_s = (now - self._began_ms) // 1000
            status.bytes_in = sum(peer.bytes_in for peer in peers)
            status.bytes_out = sum(peer.bytes_out for peer in peers)
        status.refused = session.refused
        _say(status)

    async def run(self) -> None:
        endpoint = Endpoint(self.task.host)
        _say(Status(port=endpoint.address[1]))
        line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.readline)
        others = msgspec.json.decode(line, type=dict[int, tuple[str, int]])
        peers: dict[int, Address] = dict(others)
        match, me = self.plan.match(self.task.match_id), self.task.me
        # On a busy machine a run of many frames may fall far behind; only a silent peer is gone.
        timing = Timing(connect_ms=60_000, silence_ms=15_000, stall_ms=60_000)
        start_number, kind = self.task.start_number, kind_of(match, me)
        times: dict[str, Any] = {"now_ms": now_ms(), "timing": timing}
        nonce = secrets.token_bytes(16)
        self.session = session = kind(
            match, self.simulation, me, start_number=start_number, nonce=nonce, **times
        )
        rate, self._began_ms = self.plan.rate, now_ms()
        end = await play(
            endpoint, session, peers, self.decide, self.heed, rate=rate, watch=self.watch
        )
        endpoint.close()
        if self.recorder is not None:
            self.recorder.close()
        status = self.status
        status.reason, status.end_frame, status.text = end.reason.name, end.frame, end.text
        if end.desync is not None:
            status.report, status.explanation = self.task.report, end.desync.explain()
            try:
                end.desync.write(Path(self.task.report))
            except OSError as wrong:
                status.explanation += f"\ncannot write the report: {wrong}"
        self.say()


def _say(status: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(status) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    task = msgspec.json.decode(sys.argv[1].encode(), type=Task)
    asyncio.run(_Peer(task).run())

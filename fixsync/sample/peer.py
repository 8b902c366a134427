"""One peer of `fixsync peers`, a process of its own: `main` with the task, as JSON, for its
argument.

It plays the sample game by a bot. It says on standard output, one JSON object a line, where it
listens, then how it gets on, and at last how its match ended; on standard input it is told where
the others are."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from fixsync.game.random import Random
from fixsync.log.recorder import SimRecorder
from fixsync.sample.faults import faulty
from fixsync.sample.skillfight import SkillFight
from fixsync.session import (
    Confirmed,
    Joined,
    LockstepSession,
    Match,
    Notice,
    RollbackSession,
    Session,
    SpectatorSession,
    Timing,
)
from fixsync.session.udp import Address, Endpoint, now_ms, play
from fixsync.sim import Input, names_of

__all__ = ["Status", "Task", "match_of", "session_of"]

STATUS_MS = 100


class Task(Struct, forbid_unknown_fields=True):
    """What a peer is to do."""

    me: int
    players: int
    spectators: int
    frames: int
    seed: int
    prediction_max: int
    input_delay: int
    rate: int
    """Frames a second; 0 for as fast as the others allow."""
    match_id: int
    log: str | None
    """Where to record the whole match; None for a peer that comes in later."""
    part: str
    """Where to write, line by line, the frames that it sees after it has come in by a snapshot."""
    report: str
    """The directory that a desync's report is written to."""
    fault: str | None = None
    fault_frame: int = 0
    host: str = "127.0.0.1"
    """What to listen on."""
    vacant: list[int] = []
    """The seats that nobody holds at the start."""


class Status(Struct, omit_defaults=True):
    """A line from a peer."""

    port: int = 0
    frame: int = 0
    confirmed: int = 0
    rollbacks: int = 0
    resteps: int = 0
    rtt_ms: int | None = None
    """To the farthest peer."""
    hash: str = ""
    """The state after the last confirmed frame."""
    refused: int = 0
    """Packets that were not taken."""
    predicted: int = 0
    taken_back: int = 0
    """Events that were told before they were final, and those of them that did not happen."""
    joined: int | None = None
    """The frame at which it came in by a snapshot."""
    seated: int | None = None
    """The frame from which a player who came late gives its own inputs."""
    reason: str = ""
    """Of the end; empty as long as the match goes on."""
    end_frame: int = 0
    text: str = ""
    report: str = ""
    """Where the evidence of a desync is."""
    explanation: str = ""


def match_of(task: Task) -> Match:
    """The match that all the tasks of a run make."""
    return Match(
        SkillFight.name,
        seed=task.seed,
        players=task.players,
        prediction_max=task.prediction_max,
        input_delay=task.input_delay,
        frames=task.frames,
        vacant=frozenset(task.vacant),
        spectators=task.spectators,
        id=task.match_id,
    )


def session_of(task: Task, match: Match, simulation: SkillFight) -> Session:
    kind: type[Session] = RollbackSession if task.prediction_max else LockstepSession
    if not match.is_player(task.me):
        kind = SpectatorSession
    # A run of many frames may fall far behind on a busy machine; silence is what tells that a peer
    # is gone.
    timing = Timing(connect_ms=60_000, silence_ms=15_000, stall_ms=60_000)
    return kind(match, simulation, task.me, instance=time.time_ns(), now_ms=now_ms(), timing=timing)


class _Peer:
    session: Session
    """Made when the match is to begin: a session's time to find the others runs from there."""

    def __init__(self, task: Task) -> None:
        self.task = task
        made = SkillFight if task.fault is None else faulty(task.fault, task.fault_frame)
        self.simulation = made(task.seed, task.players)
        self.bot = SkillFight.bot(task.me, Random(task.seed).next_u64())
        self.recorder: SimRecorder | None = None
        if task.log is not None:
            meta = {"players": task.players}
            self.recorder = SimRecorder(
                self.simulation,
                task.log,
                seed=task.seed,
                replace=True,
                meta=meta,
                names=names_of(self.simulation),
            )
        self.part: BinaryIO | None = None
        self.status = Status()
        self._said_ms = 0

    def decide(self) -> Input:
        return self.bot.decide(self.simulation) if self.session.is_playing else 0

    def heed(self, notice: Notice) -> None:
        status = self.status
        if isinstance(notice, Confirmed):
            status.hash = f"{notice.state_hash:016x}"
            if self.part is not None:
                self.part.write(_line(notice))
                self.part.flush()
            elif self.recorder is not None:
                self.recorder.record(notice.frame, notice.inputs, notice.events, notice.world_hash)
        elif isinstance(notice, Joined):
            status.joined = notice.frame
            # A log begins with frame 0: this peer's can only be a part of one.
            self.part = Path(self.task.part).open("wb")  # noqa: SIM115 - closed when the match is over
        elif hasattr(notice, "events"):
            status.predicted += len(notice.events)

    def watch(self) -> None:
        now = now_ms()
        if now - self._said_ms >= STATUS_MS:
            self._said_ms = now
            self.say()

    def say(self) -> None:
        session, status = self.session, self.status
        if self.task.me in session.match.vacant:
            status.seated = session.seats[self.task.me]
        status.frame, status.confirmed = session.frame, session.confirmed
        status.rollbacks, status.resteps = session.rollbacks, session.resteps
        known = [rtt for peer in session.match.peers if (rtt := session.rtt_ms(peer)) is not None]
        status.rtt_ms = max(known, default=None)
        status.refused = session.refused
        _say(status)

    async def run(self) -> None:
        endpoint = await Endpoint.open(self.task.host)
        _say(Status(port=endpoint.address[1]))
        line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.readline)
        others = msgspec.json.decode(line, type=dict[int, tuple[str, int]])
        peers: dict[int, Address] = dict(others)
        self.session = session_of(self.task, match_of(self.task), self.simulation)
        end = await play(
            endpoint,
            self.session,
            peers,
            self.decide,
            self.heed,
            rate=self.task.rate,
            watch=self.watch,
        )
        endpoint.close()
        if self.recorder is not None:
            self.recorder.close()
        if self.part is not None:
            self.part.close()
        self.status.reason, self.status.end_frame, self.status.text = (
            end.reason.name,
            end.frame,
            end.text,
        )
        if end.desync is not None:
            end.desync.write(Path(self.task.report))
            self.status.report = self.task.report
            self.status.explanation = end.desync.explain()
        self.say()


def _line(notice: Confirmed) -> bytes:
    """A frame as a match log writes it."""
    events = [(int(a), int(b), int(kind), int(contact)) for a, b, kind, contact in notice.events]
    told = {"frame": notice.frame, "inputs": notice.inputs, "events": events}
    return msgspec.json.encode({**told, "hash": f"{notice.world_hash:016x}"}) + b"\n"


def _say(status: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(status) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    task = msgspec.json.decode(sys.argv[1].encode(), type=Task)
    asyncio.run(_Peer(task).run())

"""Plays a simulation between processes, over UDP and a bad network, and compares their logs."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from fixsync.base import processes
from fixsync.log.differing import first_difference, first_frame
from fixsync.log.replay import Verdict, replay
from fixsync.match import sim
from fixsync.peers.peer import STATISTICS, Status, Task
from fixsync.peers.plan import Run
from fixsync.peers.relay import Relay
from fixsync.synctest.cause import cause

_WAIT_S = 2  # after a crash, for peers that have not begun


@dataclass
class Part:
    """The log of a peer that was not there all the time."""

    path: Path
    frames: range = range(0)
    """The frames that it has, without a gap."""
    differing_frame: int | None = None
    """The first frame whose line is not the same in player 0's log."""
    verdict: Verdict | None = None
    """Of replaying it here."""


@dataclass
class PeerOutcome:
    """The result of a peer."""

    peer: int
    status: Status = field(default_factory=Status)
    seconds: list[Status] = field(default_factory=list)
    """Its statistics, second by second; of a second without a word, on a busy machine, none."""
    log: Path | None = None
    """Of the whole match, for a player who was there all the time."""
    parts: list[Part] = field(default_factory=list)
    """For the others: until the player was killed, and since it came in by a snapshot."""
    came_at: int | None = None
    """Of a late player, how many frames player 0 had confirmed when it came."""
    exit_code: int | None = None
    errors: str = ""
    """Its standard error."""
    verdict: Verdict | None = None
    """Of replaying its log here, or of its parts the first that is not identical."""
    diverged_frame: int | None = None
    """The first frame that replaying its log does not give."""
    diverged_log: Path | None = None
    """The log, or part, with that frame."""


@dataclass
class Outcome:
    """The result of a run."""

    peers: dict[int, PeerOutcome]
    passed: int = 0
    lost: int = 0
    """Packets, at the relay."""
    logs_are_identical: bool = False
    """Whether all logs, and the lines of all parts, have the same bytes."""
    differing_frame: int | None = None
    """The first frame in which two logs, or parts, differ."""
    cause: str = ""
    """Of a difference: why the simulation, not a peer, is at fault; "" if that was not found."""

    @property
    def is_desync(self) -> bool:
        return any(peer.status.reason == "DESYNC" for peer in self.peers.values())

    @property
    def is_good(self) -> bool:
        """Every peer completed the match, the logs are the same, and replaying gives the same
        again.
        """
        return self.logs_are_identical and all(
            peer.status.reason == "COMPLETED"
            and peer.verdict in (None, Verdict.IDENTICAL)
            and (peer.log is not None or peer.parts)
            for peer in self.peers.values()
        )

    @property
    def exit_code(self) -> int:
        """0 all the same, 1 a difference, 2 the match was not completed."""
        if self.is_desync or any(peer.diverged_frame is not None for peer in self.peers.values()):
            return 1
        if any(peer.status.reason != "COMPLETED" for peer in self.peers.values()):
            return 2
        return 0 if self.is_good else 1


class Places:
    """Where the peers run: each a process on this machine."""

    listen = "127.0.0.1"
    """The address that the relay listens on."""

    def host(self, peer: int) -> str:
        """The address of the relay as a peer sees it."""
        del peer
        return "127.0.0.1"

    def address(self, peer: int) -> str:
        """The address of a peer."""
        del peer
        return "127.0.0.1"

    def command(self, peer: int) -> list[str]:
        """The words before the command of a peer."""
        del peer
        return []


class _Process:
    """A peer's process."""

    def __init__(self, task: Task, process: asyncio.subprocess.Process) -> None:
        self.task = task
        self.process = process
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - pipes
        self.stdin, self._stdout = process.stdin, process.stdout
        self.errors = asyncio.create_task(process.stderr.read())

    async def line(self) -> Status | None:
        """The next status that it prints; None when it has ended."""
        line = await self._stdout.readline()
        return msgspec.json.decode(line, type=Status) if line else None

    async def error_text(self) -> str:
        return (await self.errors).decode(errors="replace")


async def run(
    plan: Run,
    directory: Path,
    progress: Callable[[PeerOutcome], None] = lambda _: None,
    places: Places | None = None,
) -> Outcome:
    """Plays a match and compares its logs: peer0.jsonl and so on, in `directory`.

    progress: called with each new status of a peer. FileExistsError, before anything is played, if
    there is a log already; OSError if a process or a socket cannot be had."""
    directory.mkdir(parents=True, exist_ok=True)
    places = places or Places()
    for peer in plan.peers:
        for path in (_log_of(directory, peer), _log_of(directory, peer, "back")):
            if path.exists():
                raise FileExistsError(f"{path} exists; logs are not overwritten")
    relay = Relay(plan.impairment, plan.seed)
    try:
        await relay.open(len(plan.peers), places.listen)
        outcome = await _Match(plan, directory, relay, places, progress).play()
    finally:
        relay.close()
    _compare(outcome, {plan.type.name: plan.type})
    if outcome.exit_code == 1:
        outcome.cause = _cause(outcome, plan)
    return outcome


def _cause(outcome: Outcome, plan: Run) -> str:
    """Why no peer may be at fault for a difference, by playing the inputs of a log in other ways."""
    peers = outcome.peers.values()
    diverged = (peer.diverged_log for peer in peers if peer.diverged_log is not None)
    logs = (peer.log for peer in peers if peer.log is not None and peer.log.exists())
    log = next(logs, None) or next(diverged, None)
    if log is None:
        return ""
    frames = [peer.diverged_frame for peer in peers if peer.diverged_frame is not None]
    last = max(frames, default=None)
    return cause(plan.simulation, log, last)


def _log_of(directory: Path, peer: int, life: str = "") -> Path:
    return directory / f"peer{peer}{life and '.'}{life}.jsonl"


class _Match:
    def __init__(
        self,
        plan: Run,
        directory: Path,
        relay: Relay,
        places: Places,
        progress: Callable[[PeerOutcome], None],
    ) -> None:
        self._plan = plan
        self._directory = directory
        self._relay = relay
        self._places = places
        self._progress = progress
        self._processes: dict[int, _Process] = {}
        self._is_time_for_the_late = asyncio.Event()
        self._stopped: set[int] = set()
        self._is_over = False
        """Player 0, who would bring a late player in, has ended."""
        self.outcome = Outcome({peer: PeerOutcome(peer) for peer in plan.peers})

    async def play(self) -> Outcome:
        peers = self._plan.peers
        try:
            for peer in peers:
                await self._start(peer)
            for peer in peers:
                await self._introduce(peer)
            for peer in peers:
                if peer not in self._plan.empty_seats:
                    self._tell(peer)
            await asyncio.gather(*map(self._follow, peers))
        finally:
            for process in self._processes.values():
                if process.process.returncode is None:
                    process.process.kill()
                # Its pipes are closed while the loop still runs.
                await process.process.wait()
                await process.errors
        self.outcome.passed, self.outcome.lost = self._relay.passed, self._relay.lost
        return self.outcome

    async def _start(self, peer: int, *, is_new: bool = True) -> None:
        """Starts a peer's process, the first time (`is_new`) or again."""
        plan, outcome = self._plan, self.outcome.peers[peer]
        log = _log_of(self._directory, peer, "" if is_new else "back")
        if outcome.log is not None:
            outcome.parts.append(Part(outcome.log))
            outcome.log = None
        if peer < plan.players and peer not in plan.empty_seats and is_new:
            outcome.log = log
        else:
            outcome.parts.append(Part(log))
        task = Task(
            plan,
            me=peer,
            start_number=1 if is_new else time.time_ns(),
            match_id=os.getpid(),
            log=str(log),
            report=str(self._directory / f"desync{peer}"),
            host=self._places.address(peer),
        )
        process = await asyncio.create_subprocess_exec(
            *self._places.command(peer),
            *processes.command("fixsync.peers.peer"),
            msgspec.json.encode(task).decode(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # Sets are ordered differently in each, as in players' processes.
            env={"PYTHONHASHSEED": "random", **processes.environment()},
        )
        self._processes[peer] = _Process(task, process)

    async def _introduce(self, peer: int) -> None:
        """Waits until a peer says where it listens."""
        process = self._processes[peer]
        said = await process.line()
        if said is None:
            raise OSError(f"peer {peer} did not start: {(await process.error_text()).strip()}")
        self._relay.introduce(peer, (process.task.host, said.port))

    def _tell(self, me: int) -> None:
        """Sends a peer the addresses of the others, ports of the relay. Then it begins."""
        host, others = self._places.host(me), (peer for peer in self._plan.peers if peer != me)
        addresses = {peer: (host, self._relay.front(peer)) for peer in others}
        self._processes[me].stdin.write(msgspec.json.encode(addresses) + b"\n")

    async def _follow(self, peer: int) -> None:
        """Listens to a peer until it has ended; kills it and starts it again if that is planned."""
        plan, outcome = self._plan, self.outcome.peers[peer]
        if peer in plan.empty_seats:
            await self._is_time_for_the_late.wait()
            if self._is_over:
                return  # Nobody comes.
            outcome.came_at = self.outcome.peers[0].status.confirmed
            self._tell(peer)
        process = self._processes[peer]
        is_first_life = outcome.log is not None
        restart_frame = plan.restart_frame if peer == plan.players - 1 and is_first_life else None
        while (status := await process.line()) is not None:
            outcome.status = status
            if status.uptime_s > (outcome.seconds[-1].uptime_s if outcome.seconds else 0):
                outcome.seconds.append(status)
            self._progress(outcome)
            if peer == 0 and (status.reason or status.confirmed >= (plan.late_frame or 0)):
                self._is_over = bool(status.reason)
                self._is_time_for_the_late.set()
            if restart_frame is None or status.confirmed < restart_frame or status.reason:
                continue
            process.process.kill()
            await process.process.wait()
            await self._start(peer, is_new=False)
            await self._introduce(peer)
            self._tell(peer)
            await self._follow(peer)
            return
        if peer == 0:
            self._is_over = True
            self._is_time_for_the_late.set()
        outcome.errors = await process.error_text()
        outcome.exit_code = await process.process.wait()
        if peer in self._stopped:
            outcome.status.reason, outcome.status.text = "STOPPED", "it waited for one that crashed"
        elif outcome.exit_code:
            asyncio.get_running_loop().call_later(_WAIT_S, self._stop_who_waits)

    def _stop_who_waits(self) -> None:
        """Ends the peers that have not begun: they would wait a minute for one that crashed."""
        for peer, process in self._processes.items():
            status = self.outcome.peers[peer].status
            if not status.confirmed and not status.reason and process.process.returncode is None:
                self._stopped.add(peer)
                process.process.kill()


def _compare(outcome: Outcome, simulations: Mapping[str, sim.SimulationType] | None = None) -> None:
    """Compares all logs, and the lines of all parts, byte by byte; replays each of them."""
    logs = [peer.log for peer in outcome.peers.values() if peer.log is not None]
    found = {log: log.read_bytes() for log in logs if log.exists()}
    first = logs[0]
    lines = _frame_lines(found.get(first, b""))
    for peer in outcome.peers.values():
        if peer.log in found:
            _replay(peer, peer.log, simulations)
        for part in peer.parts:
            _compare_part(part, lines)
            if part.frames:
                part.verdict = _replay(peer, part.path, simulations)
    differing = [log for log in logs if found.get(log) != found.get(first)]
    frames = [_shared_difference(lines, _frame_lines(found.get(log, b""))) for log in differing]
    frames += [part.differing_frame for peer in outcome.peers.values() for part in peer.parts]
    outcome.differing_frame = min((frame for frame in frames if frame is not None), default=None)
    outcome.logs_are_identical = outcome.differing_frame is None and not differing


def _replay(
    peer: PeerOutcome, log: Path, simulations: Mapping[str, sim.SimulationType] | None
) -> Verdict:
    result = replay(log, simulations=simulations)
    if peer.verdict in (None, Verdict.IDENTICAL) and result.verdict is not Verdict.CUT_SHORT:
        peer.verdict = result.verdict
    if result.difference is not None:
        peer.diverged_frame, peer.diverged_log = result.difference.frame, log
    return result.verdict


def _compare_part(part: Part, lines: list[bytes]) -> None:
    """Compares the frame lines of a part with those of a whole log."""
    found = _frame_lines(part.path.read_bytes() if part.path.exists() else b"")
    if found:
        first = first_frame(found[0])
        part.frames = range(first, first + len(found) - 1)
        part.differing_frame = _shared_difference(lines, found)


def _frame_lines(data: bytes) -> list[bytes]:
    """The header and the frames of a log. A line that was cut is left out."""
    lines = [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
    return lines[:1] + [line for line in lines[1:] if line.startswith(b'{"frame":')]


def _shared_difference(a: list[bytes], b: list[bytes]) -> int | None:
    """The first frame, of those that both logs have, that is not the same in both."""
    found = first_difference(a, b) if a and b else None
    return found.frame if found is not None and found.a and found.b else None


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome for programs."""
    return {
        "exit_code": outcome.exit_code,
        "logs_are_identical": outcome.logs_are_identical,
        "differing_frame": outcome.differing_frame,
        "cause": outcome.cause,
        "packets_passed": outcome.passed,
        "packets_lost": outcome.lost,
        "peers": [
            {
                "peer": peer.peer,
                "log": None if peer.log is None else str(peer.log),
                "parts": [
                    {
                        "path": str(part.path),
                        "first_frame": part.frames.start,
                        "frames": len(part.frames),
                        "differing_frame": part.differing_frame,
                    }
                    for part in peer.parts
                ],
                "replay": None if peer.verdict is None else peer.verdict.value,
                "diverged_frame": peer.diverged_frame,
                "came_at": peer.came_at,
                "process_exit_code": peer.exit_code,
                **msgspec.to_builtins(peer.status),
                "seconds": [
                    {name: getattr(second, name) for name in STATISTICS} for second in peer.seconds
                ],
            }
            for peer in outcome.peers.values()
        ],
    }

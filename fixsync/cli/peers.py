"""fixsync peers: plays a simulation between processes over a bad network, and compares their
logs."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fixsync.cli import options, text
from fixsync.match import sim
from fixsync.peers.faults import FAULTS
from fixsync.peers.peer import Status
from fixsync.peers.plan import RANGES, Run
from fixsync.peers.relay import Impairment
from fixsync.peers.run import Outcome, Part, PeerOutcome, outcome_json, run
from fixsync.synctest.cause import not_found


def _fault(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str | None, int | None]:
    """NAME or NAME@FRAME."""
    if value is None:
        return None, None
    name, at, frame = value.partition("@")
    if name not in FAULTS or (at and not frame.isdecimal()):
        allowed = f"{', '.join(FAULTS)}, or one of them with @FRAME"
        raise click.BadParameter(f"{value!r} is not one of {allowed}", ctx, param)
    return name, int(frame) if at else None


_GROUPS = {
    "Session": ("--lockstep", "--prediction", "--input-delay", "--rate"),
    "Network": ("--loss", "--latency", "--jitter", "--duplicate", "--reorder"),
    "Faults and arrivals": ("--fault", "--fault-peer", "--restart", "--late"),
}


@click.command("peers", cls=options.Command, groups=_GROUPS)
@click.argument("reference", required=False, metavar="[SIMULATION]")
@options.number("--players", 2, *RANGES["players"], "Number of players, each a process.")
@options.number("--spectators", 0, *RANGES["spectators"], "Number of spectators.")
@options.number("--frames", 600, *RANGES["frames"], "Length of the match.")
@options.number(
    "--seed",
    1,
    *RANGES["seed"],
    "Seed for game, bots and network. The match also depends on when packets arrive.",
)
@click.option("--lockstep", is_flag=True, help="Lockstep instead of rollback.")
@options.number(
    "--prediction", 8, 1, RANGES["prediction_max"][1], "Maximum number of frames on guessed inputs."
)
@options.number("--input-delay", 2, *RANGES["input_delay"], "Frames until an input takes effect.")
@options.number("--rate", 60, *RANGES["rate"], "Frames a second; 0 for as fast as possible.")
@options.number("--loss", 0, 0, 100, "Lost packets, in percent.")
@options.number("--latency", 0, 0, 60_000, "Latency one way, in milliseconds.")
@options.number("--jitter", 0, 0, 60_000, "Maximum random delay, in milliseconds.")
@options.number("--duplicate", 0, 0, 100, "Packets sent twice, in percent.")
@options.number("--reorder", 0, 0, 100, "Packets held back, in percent.")
@click.option(
    "--fault",
    callback=_fault,
    metavar="NAME[@FRAME]",
    help=f"Fault in one peer: {', '.join(FAULTS)}; FRAME: 100 if not given.",
)
@click.option(
    "--fault-peer",
    type=click.IntRange(0, RANGES["players"][1] - 1),
    help="Peer with the fault; otherwise the last player.",
)
@click.option(
    "--restart",
    "restart_frame",
    type=click.IntRange(1),
    metavar="FRAME",
    help="Frames confirmed by the last player when it is killed and started again.",
)
@click.option(
    "--late",
    "late_frame",
    type=click.IntRange(1),
    metavar="FRAME",
    help="Frames confirmed by player 0 when the last player comes; its snapshot is of a later one.",
)
@click.option(
    "-o",
    "--out",
    type=options.OutputFolder(),
    metavar="DIR",
    help="Folder for logs and reports; otherwise they are kept only if something is wrong.",
)
@options.json_option
@click.pass_context
def peers_command(
    ctx: click.Context,
    /,
    reference: str | None,
    frames: int,
    seed: int,
    lockstep: bool,
    prediction: int,
    loss: int,
    latency: int,
    jitter: int,
    duplicate: int,
    reorder: int,
    fault: tuple[str | None, int | None],
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Play a match between processes over UDP.

    SIMULATION is a name, or module:object, which is called with a seed and a number of players;
    modules are also looked for here. If none is given, the first of pyproject.toml is taken, or
    the sample. Its bots play (`bot`); without them every input is idle.

    A relay between the peers loses, delays, repeats and reorders packets. Each peer records a log.
    The logs are replayed, and compared byte by byte. The log of a peer that joined late begins in
    the middle; its lines are compared. After a difference the inputs of a log are played again, in
    new processes and with rollbacks: if the simulation is not repeatable, depends on its process,
    or is not as before after `load`, the report says so and blames no peer.

    \b
    Exit code  0  all logs are identical, and replaying them gives the same
               1  a difference, which is printed; the evidence is kept
               2  the match was not completed
    """
    name, fault_frame = fault
    simulation = options.chosen_simulation(reference)
    try:
        options.found_simulation(simulation)
        plan = Run(
            simulation=simulation,
            frames=frames,
            seed=seed,
            prediction_max=0 if lockstep else prediction,
            impairment=Impairment(loss, latency, jitter, duplicate, reorder),
            fault=name,
            fault_frame=min(100, max(1, frames // 2)) if fault_frame is None else fault_frame,
            **settings,
        )
    except ValueError as error:
        raise click.UsageError(str(error), ctx) from error
    directory = Path(tempfile.mkdtemp(prefix="fixsync-peers-")) if out is None else out
    try:
        with shown_progress(frames, hidden=as_json) as progress:
            outcome = asyncio.run(run(plan, directory, progress))
    except (OSError, KeyboardInterrupt) as error:
        if out is None:
            shutil.rmtree(directory, ignore_errors=True)
        if isinstance(error, OSError):
            raise click.ClickException(str(error)) from error
        raise
    if as_json:
        text.print_json(outcome_json(outcome))
    else:
        print_outcome(
            text.console(), plan, outcome, directory, is_kept=out is not None or not outcome.is_good
        )
    if out is None and outcome.is_good:
        shutil.rmtree(directory)
    ctx.exit(outcome.exit_code)


@contextmanager
def shown_progress(frames: int, *, hidden: bool) -> Iterator[Callable[[PeerOutcome], None]]:
    """A table on standard error that is updated by the yielded function, if that is a terminal."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    peers: dict[int, PeerOutcome] = {}
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:

        def show(peer: PeerOutcome) -> None:
            peers[peer.peer] = peer
            table = _table([peers[number] for number in sorted(peers)])
            live.update(Group(f"{text.plural(frames, 'frame')} to play", table), refresh=True)

        yield show


def _table(peers: Sequence[PeerOutcome]) -> Table:
    numbers = ("peer", "frame", "confirmed", "rtt_ms", "rollbacks", "resteps")
    rows = (
        (
            str(peer.peer),
            str(peer.status.frame),
            str(peer.status.confirmed),
            "-" if peer.status.rtt_ms is None else str(peer.status.rtt_ms),
            str(peer.status.rollbacks),
            str(peer.status.resteps),
            peer.status.hash or "-",
            _remark(peer),
        )
        for peer in peers
    )
    return text.table((*numbers, "state", ""), rows, numbers=numbers)


def _remark(peer: PeerOutcome) -> Text:
    status = peer.status
    if status.reason:
        return Text(
            status.reason.lower(), style="green" if status.reason == "COMPLETED" else "bold red"
        )
    if peer.exit_code:
        return Text(f"exit code {peer.exit_code}", style="bold red")
    return Text("" if status.joined is None else f"joined at {status.joined}")


def _plan_text(plan: Run) -> str:
    """The settings of a run, in words."""
    how = (
        f"rollback, {text.plural(plan.prediction_max, 'frame')} at most"
        if plan.prediction_max
        else "lockstep"
    )
    words = [plan.type.name, f"{plan.players} players"]
    words += [text.plural(plan.frames, "frame"), f"seed {plan.seed}", how]
    words.append(f"input delay {plan.input_delay}")
    weather = plan.impairment
    words += [
        f"{name} {value}{unit}"
        for name, value, unit in (
            ("loss", weather.loss, "%"),
            ("latency", weather.latency_ms, " ms"),
            ("jitter", weather.jitter_ms, " ms"),
            ("duplicate", weather.duplicate, "%"),
            ("reorder", weather.reorder, "%"),
        )
        if value
    ]
    if plan.fault is not None:
        words.append(f"fault {plan.fault} in peer {plan.faulty_peer} at frame {plan.fault_frame}")
    return ", ".join(words)


def _part(part: Part, status: Status) -> str:
    """The content of a part of a log."""
    if not part.frames:
        return "saw no frame"
    line = f"recorded frames {part.frames[0]} to {part.frames[-1]}"
    if part.frames[0] == status.joined and status.seated is not None:
        line += f", played from {status.seated} on"
    if part.differing_frame is None:
        return f"{line}: the same lines; replaying gives the same"
    return f"{line}: other lines from frame {part.differing_frame} on"


def _connection(status: Status) -> str:
    """The statistics of a peer's connections."""
    rtt = "-" if status.rtt_ms is None else status.rtt_ms
    return (
        f"round trip {rtt} ms, jitter {status.jitter_ms} ms, loss {status.loss} %, "
        f"{status.bytes_in} B/s in, {status.bytes_out} B/s out, "
        f"{text.plural(status.resteps, 'restep')}, waited in {text.plural(status.waits, 'round')}"
    )


def print_outcome(
    out: Console, plan: Run, outcome: Outcome, directory: Path, *, is_kept: bool
) -> None:
    peers = list(outcome.peers.values())
    text.say(out, _plan_text(plan))
    if not isinstance(plan.type, sim.HasBots):
        text.say(out, "(it has no bot(): every input was idle)")
    text.say(out, "")
    text.show(out, _table(peers))
    text.say(out, "", f"packets: {outcome.passed} passed on, {outcome.lost} lost")
    for peer in peers:
        text.say(out, f"peer {peer.peer}: {_connection(peer.status)}")
    for peer in peers:
        if peer.errors:
            text.say(out, f"peer {peer.peer} wrote:", *peer.errors[-2000:].splitlines())
    recorded = [peer for peer in peers if peer.log is not None]
    frames = text.plural(peers[0].status.end_frame, "frame")
    if outcome.is_good and len(recorded) > 1:
        text.say(
            out,
            f"{len(recorded)} logs of {frames}: identical, byte for byte; replaying gives the same",
        )
    elif outcome.is_good:
        text.say(out, f"1 log of {frames}; replaying gives the same")
    for peer in peers:
        if peer.status.reason not in ("", "COMPLETED", "DESYNC"):
            text.say(out, f"peer {peer.peer}: {peer.status.text}")
        is_absent = peer.peer in plan.empty_seats and not peer.status.reason
        if peer.came_at is not None:
            came = f"came when player 0 had confirmed {text.plural(peer.came_at, 'frame')}"
            text.say(out, f"peer {peer.peer}: {came}")
        for part in peer.parts:
            came_of = "the match was over before it came" if is_absent else _part(part, peer.status)
            text.say(out, f"peer {peer.peer}: {came_of}")
    explained = next((peer for peer in peers if peer.status.explanation), None)
    if explained is not None:
        text.say(out, "", *explained.status.explanation.splitlines())
    if outcome.differing_frame is not None:
        text.say(out, f"the logs differ from frame {outcome.differing_frame} on")
    if outcome.cause:
        text.say(out, outcome.cause)
    if not outcome.cause:
        text.say(out, *_blamed(plan, recorded))
    if is_kept:
        text.say(out, f"kept in {directory}")
    if explained is not None:
        text.say(out, f"both sides' states, before and after that frame: {explained.status.report}")


def _blamed(plan: Run, recorded: Sequence[PeerOutcome]) -> list[str]:
    """Whose log is not what its inputs give. All peers run the same code, so only one with a
    planted fault is at fault."""
    diverged = [peer for peer in recorded if peer.diverged_frame is not None]
    if not diverged:
        return []
    if plan.fault is not None and [peer.peer for peer in diverged] == [plan.faulty_peer]:
        frame = diverged[0].diverged_frame
        return [f"peer {plan.faulty_peer} is at fault: replaying its log diverges in frame {frame}"]
    listed = ", ".join(f"peer {peer.peer} in frame {peer.diverged_frame}" for peer in diverged)
    return [
        f"logs that differ from a straight replay: {listed}",
        not_found(plan.simulation),
    ]

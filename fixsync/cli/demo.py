"""fixsync demo: a match between two peers, its verification, and two pages."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from fixsync._native.raw import UINT64_MAX
from fixsync.cli import options, streams, text
from fixsync.cli.peers import print_outcome, shown_progress
from fixsync.peers.plan import Run
from fixsync.peers.relay import Impairment
from fixsync.peers.run import outcome_json, run
from fixsync.view import export, write, write_arena

_NETWORK = Impairment(loss=10, latency_ms=15, jitter_ms=10, duplicate=2)


@click.command("demo", cls=options.Command)
@options.number("--frames", 900, 2, 100_000, "Length of the match.")
@options.number("--seed", 1, 0, UINT64_MAX, "Seed for game, bots and network.")
@click.option(
    "-o",
    "--out",
    type=options.OutputFolder(),
    default=Path("fixsync-demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for both logs and the pages.",
)
@click.option(
    "--open/--no-open",
    "is_opened",
    default=None,
    help="Open the arena in the browser; by default where there is a terminal and a screen.",
)
@click.option(
    "--sim",
    "reference",
    metavar="MODULE:OBJECT",
    help="Simulation to play, from Python's path or this folder; otherwise the first of"
    " pyproject.toml, or the sample.",
)
@options.json_option
def demo_command(
    frames: int,
    seed: int,
    out: Path,
    is_opened: bool | None,
    reference: str | None,
    as_json: bool,
) -> None:
    """Play a match between two peers, verify it, and show it.

    Two processes play the simulation over UDP, with lost, late and repeated packets. Each records
    a log. The logs are compared byte by byte and replayed. Two pages are written: match.html plays
    the match, arena.html is a fight between two peers, to play in the browser.

    \b
    Exit code  0  both logs are identical, and replaying them gives the same
               1  a difference; match.html shows both logs where they first differ
               2  the match was not completed
    """
    simulation = options.chosen_simulation(reference)
    with text.refusals():
        made = options.found_simulation(simulation)
        plan = Run(simulation, frames=frames, seed=seed, rate=0, impairment=_NETWORK)
        for log in out.glob("peer[01].jsonl"):  # of an earlier demo
            log.unlink()
        with shown_progress(frames, hidden=as_json) as progress:
            outcome = asyncio.run(run(plan, out, progress))
        logs = [peer.log for peer in outcome.peers.values() if peer.log is not None]
        page, arena = out / "match.html", out / "arena.html"
        write_arena(arena)
        write(
            page,
            [
                export(log, simulations={made.name: made})
                for log in (logs[:1] if outcome.logs_are_identical else logs)
            ],
            "Skill fight" if simulation == "skillfight" else made.name,
        )
    if as_json:
        text.print_json({"page": str(page), "arena": str(arena), **outcome_json(outcome)})
    else:
        console = text.console()
        print_outcome(console, plan, outcome, out, is_kept=True)
        text.say(console, f"match: {page.resolve()}", f"arena: {arena.resolve()}")
    if is_opened is None:
        is_opened = sys.stdout.isatty() and not as_json and _has_screen()
    if is_opened and click.launch((arena if outcome.is_good else page).resolve().as_uri()) != 0:
        streams.echo("cannot start a browser: open the page yourself", err=True)
    sys.exit(outcome.exit_code)


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

"""fixsync synctest: runs a simulation in every way that peers will run it, and reports
the first difference.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from fixsync.base import files
from fixsync.cli import options, project, streams, text
from fixsync.match import sim
from fixsync.synctest.checks import CHECKS, ROLLBACK_FRAMES, Checked, run_checks, smallest
from fixsync.synctest.hints import hints_of
from fixsync.synctest.remarks import not_checked, remarks
from fixsync.synctest.seeds import SECONDS, Tried, events_of, try_more
from fixsync.synctest.straight import (
    Divergence,
    Inputs,
    SimulationError,
    Straight,
    bot_inputs,
    log_case,
    run_straight,
    write_log,
)

_SEEDS_MAX = 1_000


@click.command("synctest", cls=options.Command)
@click.argument("reference", required=False, metavar="[SIMULATION]")
@options.number("--players", 2, 1, sim.PLAYERS_MAX, "Number of players.")
@options.number("--frames", 300, 1, 1_000_000, "Length of the match that the bots play.")
@options.number("--seed", 1, 0, sim.SEED_MAX, "Seed for game and bots.")
@options.number(
    "--seeds", None, 1, 100_000, "Number of seeds, from --seed on.  [default: as many as take 4 s]"
)
@click.option(
    "--inputs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="LOG",
    help="Match log with seed and inputs; otherwise the simulation's bots play.",
)
@options.number("--back", ROLLBACK_FRAMES, 1, 60, "Number of frames to go back.")
@click.option(
    "--check",
    "checks",
    type=click.Choice(CHECKS),
    multiple=True,
    help="Check to make. Repeatable.  [default: all]",
)
@options.output_option(
    "LOG",
    "Log to write of the smallest match found that shows a difference (-: standard output)."
    "  [default: synctest.jsonl, unless it is the log of --inputs]",
    name="--out",
)
@options.json_option
@click.pass_context
def synctest_command(
    ctx: click.Context,
    reference: str | None,
    players: int,
    frames: int,
    seed: int,
    seeds: int | None,
    inputs: Path | None,
    back: int,
    checks: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Find out whether a simulation depends on how it is run.

    SIMULATION is a name, or module:object, which is called with a seed and a number of players;
    modules are also looked for here. If none is given, the first of pyproject.toml is taken, or
    the sample.

    The simulation runs straight, and again; in new processes with other surroundings; with the
    orders of sets shuffled; with every state saved and loaded; with a rollback in every frame; and
    with the game's own containers in another order. Every frame is
    compared. The report names the first difference: frame, collider, field and both values; the
    factor and the line that decide it, where they are known; and each attribute that `load` does
    not restore, such as self.combo, if it changes later frames. The smallest match found that shows
    a difference is written to a file for --inputs.

    Also listed, without a change of the exit code: calls that ask the machine, such as a clock;
    floats in its source; and lines that never ran.

    \b
    Exit code  0  no difference
               1  a difference
               2  the simulation cannot be run
    """
    if seeds is not None and (checks or inputs is not None):
        raise click.UsageError(
            "--seeds makes all checks of the bots' matches: without --check, --inputs"
        )
    began, simulation = time.monotonic(), options.chosen_simulation(reference)
    out = _written(out, inputs)
    try:
        if out is not None:
            files.require_compression(out)
        made = options.found_simulation(simulation)
        if out is not None:
            named = project.Named() if reference else project.named()
            files.check_output(out, options.loaded_files(named))
        given: Inputs
        if inputs is not None:
            case = log_case(inputs)
            seed, players, given = case.seed, case.players, case.inputs
            if case.reference != made.name:
                why = f"is of the simulation {case.reference!r}, not of {made.name!r}"
                raise ValueError(f"{inputs} {why}")
        else:
            given = bot_inputs(made, seed, players, frames)
        straight = run_straight(made, seed, players, given)
    except SimulationError as error:
        raise _cannot_run(simulation, error, as_json) from error
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    err = Console(stderr=True)
    has_said = False

    def heard(what: str) -> None:
        """Progress on a terminal; the first difference at once."""
        nonlocal has_said
        is_first = ": " in what and not has_said
        has_said = has_said or is_first
        if not as_json and (is_first or err.is_terminal):
            # The verdict may be another one: what comes before in the table causes this, too.
            shown = text.printable(f"seen first: {what}" if is_first else what)
            err.print(shown, highlight=False, markup=False, soft_wrap=True)

    made_checks = checks or CHECKS
    found = run_checks(straight, made_checks, back=back, reference=simulation, heard=heard)
    first = next(iter(found.divergences), None)
    seen = events_of(straight)
    tried = Tried([straight.seed], straight.frames, missed=found.missed, events=seen)
    if first is None and not found.unsaved and inputs is None and isinstance(made, sim.HasBots):
        count = range(seed + 1, min(seed + (seeds or _SEEDS_MAX), sim.SEED_MAX + 1))
        until = None if seeds else began + SECONDS
        if not checks:
            try:
                tried = try_more(straight, count, simulation, until=until, heard=heard)
            except SimulationError as error:
                raise _cannot_run(simulation, error, as_json) from error
        if tried.failing is not None:
            straight = tried.failing
            found = run_checks(straight, made_checks, back=back, reference=simulation, heard=heard)
            first = next(iter(found.divergences), None)
        found.missed = tried.missed
    least = unwritten = None
    if first is not None and out is not None:
        least = smallest(straight, first, back=back, reference=simulation)
    if least is not None and out is not None:
        try:
            write_log(least, out)
        except OSError as error:
            # Whoever reads it may have enough of it.
            if not (isinstance(error, BrokenPipeError) and text.takes_stdout(out)):
                least, unwritten = None, error
    report = _Report(simulation, straight, made_checks, found, first, least, out, tried)
    if as_json:
        text.print_json(report.as_json(), out)
    else:
        report.print()
    if unwritten is not None:
        # After all that was found is printed, which decides the exit code too.
        reason = text.printable(str(unwritten))
        streams.echo(
            f"Error: the smallest match found that shows it cannot be written: {reason}", err=True
        )
    ctx.exit(report.exit_code)


def _cannot_run(simulation: str, error: SimulationError, as_json: bool) -> click.ClickException:
    if error.__cause__ is not None and not as_json:
        # The author looks for the frames of the simulation's own code.
        streams.echo("".join(traceback.format_exception(error.__cause__)), err=True, nl=False)
    return click.ClickException(f"{simulation}: {error}")


def _written(out: Path | None, inputs: Path | None) -> Path | None:
    """The log to write. Without -o a log of an earlier run is not replaced by a part of itself."""
    if out is not None:
        return out
    out = Path("synctest.jsonl")
    try:
        files.check_output(out, [] if inputs is None else [inputs])
    except ValueError:
        return None
    return out


@dataclass
class _Report:
    reference: str
    straight: Straight
    checks: Sequence[str]
    found: Checked
    first: Divergence | None
    smallest: Straight | None
    """Written to `out`."""
    out: Path | None
    tried: Tried

    @property
    def exit_code(self) -> int:
        return 1 if self.first is not None or self.found.unsaved else 0

    def print(self) -> None:
        straight, say = self.straight, partial(text.say, text.console(self.out))
        events = sum(map(len, (*straight.events, *straight.game)))
        what = f"{straight.type.name}: {text.plural(straight.players, 'player')},"
        what += f" {text.plural(straight.frames, 'frame')}, {text.plural(events, 'event')}"
        say(f"{what}, seed {straight.seed}")
        failed = {divergence.check for divergence in self.found.divergences}
        for check in self.checks:
            left_out = "left out" if check in self.found.left_out else "the same"
            say(f"  {check}: {'DIFFERS' if check in failed else left_out}")
        say(*(f"  {line}" for line in remarks(straight, self.found)))
        if words := self.found.explain():
            say("", *words.splitlines())
        else:
            say("", *_no_difference(self.tried, straight.kinds, self.reference))
        if self.smallest is not None and self.out is not None:
            name, length = self.out, text.plural(self.smallest.frames, "frame")
            say("", f"smallest match found that shows it: {name} ({length})")
            if not text.takes_stdout(self.out):
                say(f"run it again: fixsync synctest {self.reference} --inputs {name}")

    def as_json(self) -> dict[str, Any]:
        straight, smallest = self.straight, self.smallest
        return {
            "exit_code": self.exit_code,
            "simulation": straight.type.name,
            "players": straight.players,
            "frames": straight.frames,
            "seed": straight.seed,
            "checks": list(self.checks),
            "left_out": self.found.left_out,
            "seeds": self.tried.seeds,
            "not_checked": [*not_checked(straight), *self.found.notes],
            "asked": [note._asdict() for note in self.found.asked],
            "never_ran": [missed._asdict() for missed in self.found.missed],
            "hints": [hint._asdict() for hint in hints_of(straight.type)],
            "divergences": [_divergence_json(divergence) for divergence in self.found.divergences],
            "unsaved": [lost._asdict() for lost in self.found.unsaved],
            "log": str(self.out) if smallest is not None else None,
            "log_frames": smallest.frames if smallest is not None else None,
        }


def _no_difference(tried: Tried, kinds: Mapping[int, str], reference: str) -> Iterator[str]:
    seeds = [f"seed {tried.seeds[0]}", f"seeds {tried.seeds[0]} to {tried.seeds[-1]}"]
    lines = sum(one.last + 1 - one.first for one in tried.missed)
    left = [name for kind, name in kinds.items() if (kind,) not in tried.events]
    unmet = [text.plural(lines, "line")] * bool(lines) + [f"event {name}" for name in left]
    never = f"never reached: {', '.join(unmet)}" if unmet else "every line was reached"
    yield "no difference. A mistake that is the same in every run on this machine, such as a float,"
    yield "shows only when a match of one machine is replayed on another."
    yield f"tried: {seeds[len(tried.seeds) > 1]}, {text.plural(tried.frames, 'frame')}; {never}"
    yield f"more: fixsync synctest {reference} --seeds {max(50, 4 * len(tried.seeds))}"


def _divergence_json(divergence: Divergence) -> dict[str, Any]:
    return {
        "check": divergence.check,
        "how": divergence.how,
        "lines": list(divergence.lines),
        "frame": divergence.frame,
        "differences": [
            {"owner": d.owner, "field": d.field, "values": list(d.values)}
            for d in divergence.differences
        ],
        "events": divergence.events,
        "game": divergence.game,
        "error": divergence.error,
    }

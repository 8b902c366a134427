"""fixsync farm: verifies many match logs."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column
from rich.text import Text

from fixsync.cli import options, streams, text
from fixsync.farm.engines import DaskEngine, Engine, LocalEngine
from fixsync.farm.find import SourceError, find, require
from fixsync.farm.run import Progress, Summary, cores, farm
from fixsync.farm.sandbox import Settings, WorkerError, can_limit_memory
from fixsync.farm.store import ResultsError, Store
from fixsync.farm.verdicts import EXIT_CODES, NEEDS_SIMULATION

_STYLES = {0: "green", 1: "bold red", 2: "bold red", 3: "yellow"}
LISTED_MAX = 20
_LINE_SECONDS = 60.0
"""Seconds between two lines of progress without a terminal."""


def shared_options(results: str, what: str) -> Callable[..., Any]:
    """The logs, the results file and the workers of a command, and --json.

    `settings_of` reads the options from --memory to --sim."""
    shared = (
        click.argument(
            "sources", nargs=-1, required=True, type=options.Source(), metavar="DIR|GLOB|LIST..."
        ),
        click.option(
            "-r",
            "--results",
            type=options.OutputDatabase(),
            default=Path(results),
            show_default=True,
            metavar="FILE",
            help=f"{what} A run goes on where the last run into it stopped.",
        ),
        click.option(
            "-j",
            "--workers",
            type=click.IntRange(1, 1024),
            help="Number of worker processes.  [default: number of processors]",
        ),
        options.number(
            "--memory",
            2048 if can_limit_memory() else 0,
            0,
            1 << 20,
            "Memory limit of a worker; 0: no limit.",
            "MIB",
        ),
        options.number(
            "--time-limit", 600, 0, 1_000_000, "Time limit of a log; 0: no limit.", "SECONDS"
        ),
        click.option(
            "--sim", "sims", multiple=True, metavar="MODULE:OBJECT", help=options.SIM_HELP
        ),
        click.option("-0", "--null", is_flag=True, help="NUL byte after each name in a list."),
        options.json_option,
    )

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(shared):
            command = option(command)
        return command

    return add


def settings_of(
    memory: int,
    time_limit: int,
    sims: Sequence[str],
    *,
    digest: bool = False,
) -> Settings:
    """The settings for workers. UsageError for an option that this system lacks."""
    if memory and not can_limit_memory():
        raise click.UsageError("--memory: this system cannot limit the memory of a process; give 0")
    folder: Path | None = Path.cwd()
    if not sims:
        sims, folder = options.project_simulations()
    return Settings(
        memory_bytes=memory << 20,
        seconds=time_limit,
        sims=tuple(sims),
        path=(str(folder),) if sims else (),
        digest=digest,
    )


@contextmanager
def as_usage_errors(ctx: click.Context, results: Path) -> Iterator[None]:
    """Turns errors of the farm into errors of the command line."""
    try:
        yield
    except SourceError as error:
        raise click.UsageError(str(error), ctx) from error
    except (WorkerError, ResultsError) as error:
        raise click.ClickException(str(error)) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise click.ClickException(f"{results} cannot be read: {error}") from error
    except KeyboardInterrupt:
        file = text.printable(str(results))
        streams.echo(
            f"verdicts so far are in {file}; the same command goes on from there", err=True
        )
        raise


@click.command("farm", cls=options.Command)
@shared_options("farm.sqlite", "Results file, an SQLite database.")
@click.option("--again", is_flag=True, help="Verify logs with a known verdict too.")
@click.option(
    "--retry", is_flag=True, help="Verify logs again that crashed or ran out of memory or time."
)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Place of the workers: this machine or a Dask cluster.",
)
@click.option(
    "--scheduler",
    type=options.Source(),
    metavar="ADDRESS",
    help="Dask scheduler: tcp://host:8786, or its file.",
)
@click.pass_context
def farm_command(
    ctx: click.Context,
    /,
    sources: Sequence[str],
    results: Path,
    workers: int | None,
    null: bool,
    again: bool,
    retry: bool,
    engine_name: str,
    scheduler: str | None,
    as_json: bool,
    **limits: Any,
) -> None:
    """Verify many match logs, and keep a table of verdicts.

    DIR is a folder with logs in it or below; GLOB a pattern such as
    'logs/**/*.jsonl.gz' (quoted); LIST a file with a name on each line, or -
    for standard input. A log may be given too. Each may be an address such as
    s3://bucket/logs (pip install fsspec).

    Each log is verified in a worker process. A log whose worker ends has the verdict 'crashed'. An
    interrupted run goes on when the command is repeated: a log is verified again only if its size
    or time, fixsync or --sim has changed. (If the code or the data of a simulation has changed, add
    --again.)

    \b
    Exit code  0  all identical, or nothing to compare
               1  some diverged, or differ and were recorded with other data,
                  by another semantics or by another build
               2  some not valid, unreadable, without their simulation,
                  crashed, out of memory or timed out
               3  some cut short, but good so far
    2 beats 1 beats 3 beats 0.
    """
    settings = settings_of(**limits)
    with as_usage_errors(ctx, results):
        require(sources)
        with Store(results) as store:
            with (
                _engine(ctx, engine_name, scheduler, settings, workers) as engine,
                shown_progress(hidden=as_json) as show,
            ):
                summary = farm(
                    find(sources, null=null),
                    store,
                    engine,
                    settings,
                    sources=sources,
                    again=again,
                    retry=retry,
                    show=show,
                )
            if as_json:
                _print_json(store, summary, results)
            else:
                _print(text.console(), store, summary, results)
    ctx.exit(summary.exit_code)


def _engine(
    ctx: click.Context, name: str, scheduler: str | None, settings: Settings, workers: int | None
) -> Engine:
    if name == "local":
        if scheduler is not None:
            raise click.UsageError("--scheduler needs --engine dask", ctx)
        return LocalEngine(settings, workers or cores())
    if scheduler is None:
        raise click.UsageError("--engine dask needs --scheduler ADDRESS", ctx)
    if workers is not None:
        raise click.UsageError("--workers needs --engine local; a Dask cluster has its own", ctx)
    return DaskEngine(settings, scheduler)


# Progress.


def _rates(progress: Progress) -> str:
    seconds = progress.seconds
    rates = f"{progress.done_logs / seconds:,.0f} logs/s  {progress.frames / seconds:,.0f} frames/s"
    remaining = progress.remaining_seconds
    return rates if remaining is None else f"{rates}  {timedelta(seconds=round(remaining))} left"


@contextmanager
def shown_progress(*, hidden: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error if that is a terminal, else a line now and then."""
    if hidden:
        yield lambda _: None
    elif sys.stderr.isatty():
        columns = (
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
            BarColumn(10),
            TextColumn("{task.fields[rates]}", markup=False, table_column=Column(no_wrap=True)),
        )
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("looking for logs", total=None, rates="")
            yield lambda progress: bar.update(
                task,
                description=_done(progress),
                completed=progress.done_bytes,
                total=progress.bytes,
                rates=_rates(progress),
            )
    else:
        last = time.monotonic()

        def say(progress: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= _LINE_SECONDS:
                last = time.monotonic()
                streams.echo(f"{_done(progress)}  {_rates(progress)}", err=True)

        yield say


def _done(progress: Progress) -> str:
    return f"{progress.done_logs:,}/{progress.logs:,} logs"


# Results.


def _print(out: Console, store: Store, summary: Summary, results: Path) -> None:
    rows = [
        (Text(verdict, style=_STYLES[code]), f"{count.logs:,}", f"{count.frames:,}")
        for verdict, code in EXIT_CODES.items()
        if (count := summary.counts.get(verdict))
    ]
    text.show(out, text.table(("verdict", "logs", "frames"), rows, numbers=("logs", "frames")))
    text.say(out, "")
    failed = _failed(summary)
    known = (row for verdict in failed for row in store.known(verdict, LISTED_MAX))
    listed = [_line(row) for row in islice(known, LISTED_MAX)]
    text.say(out, *listed)
    more = sum(summary.counts[verdict].logs for verdict in failed) - len(listed)
    if more:
        text.say(out, f"and {more:,} more")
    if NEEDS_SIMULATION in summary.counts:
        text.say(out, "", "to verify logs of a simulation, name it: --sim MODULE:OBJECT")
    if listed:
        text.say(out, "")
    text.say(out, *_speed(summary))
    text.say(out, f"results: {results}")


def _failed(summary: Summary) -> list[str]:
    """The verdicts with another exit code than 0, the worst first."""
    failed = [verdict for verdict, code in EXIT_CODES.items() if code and verdict in summary.counts]
    return sorted(failed, key=lambda verdict: (2, 1, 3).index(EXIT_CODES[verdict]))


def _line(row: dict[str, Any]) -> Text:
    verdict, name, here = row["verdict"], row["name"], f"{Path.cwd()}/"
    reason = f"{verdict}: {text.printable(row['reason'])}" if row["reason"] else verdict
    reason = reason.removeprefix(f"{verdict}: {verdict}").removeprefix(verdict)
    return Text.assemble(
        f"{text.printable(name.removeprefix(here))}: ",
        (verdict, _STYLES[EXIT_CODES[verdict]]),
        reason,
    )


def _speed(summary: Summary) -> Iterator[str]:
    progress = summary.progress
    if progress.known:
        yield f"{progress.known:,} of {summary.logs:,} logs were known from an earlier run"
    if progress.done_logs and summary.seconds:
        logs = "log" if progress.done_logs == 1 else "logs"
        yield (
            f"{progress.done_logs:,} {logs} in {text.duration(summary.seconds)}:"
            f" {progress.done_logs / summary.seconds:,.0f} logs/s,"
            f" {progress.frames / summary.seconds:,.0f} frames/s;"
            f" processor time of the workers {text.duration(progress.cpu_seconds)}"
        )


def _print_json(store: Store, summary: Summary, results: Path) -> None:
    progress = summary.progress
    head = {
        "exit_code": summary.exit_code,
        "results": str(results),
        "run": store.run,
        "logs": summary.logs,
        "verified": progress.done_logs,
        "known": progress.known,
        "seconds": round(summary.seconds, 3),
        "cpu_seconds": round(progress.cpu_seconds, 3),
        "frames_verified": progress.frames,
        "verdicts": {
            verdict: {"logs": count.logs, "frames": count.frames}
            for verdict, count in summary.counts.items()
        },
    }
    failed = (row for verdict in _failed(summary) for row in store.known(verdict))
    print_open_json(head, "failed", failed)


def print_open_json(head: dict[str, Any], name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Prints an object whose last value is a list of any length, which is not held in memory."""
    streams.echo(json.dumps(head, indent=2)[: -len("\n}")], nl=False)
    streams.echo(f',\n  "{name}": [', nl=False)
    comma = ""
    for row in rows:
        lines = json.dumps(row, indent=2).replace("\n", "\n    ")
        streams.echo(f"{comma}\n    {lines}", nl=False)
        comma = ","
    streams.echo("\n  ]\n}" if comma else "]\n}")

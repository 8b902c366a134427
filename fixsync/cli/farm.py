"""fixsync farm: verifies all the match logs there are."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column, Table
from rich.text import Text

from fixsync.cli import streams, text
from fixsync.farm.engines import DaskEngine, Engine, LocalEngine
from fixsync.farm.find import SourceError, find, require
from fixsync.farm.run import Progress, Summary, cores, farm
from fixsync.farm.sandbox import Settings, WorkerError, can_limit_memory
from fixsync.farm.store import Known, ResultsError, Store
from fixsync.farm.verdicts import EXIT_CODES

_STYLES = {0: "green", 1: "bold red", 2: "bold red", 3: "yellow"}
_GOOD = ("identical",)
_TOLD_MAX = 20
_LINE_SECONDS = 60.0
"""Without a terminal the progress is a line now and then."""
MEMORY_MIB = 2048
TIME_SECONDS = 600.0


def worker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What bounds the workers, and what they are given; the same for every command that has
    some.
    """
    for option in reversed(
        (
            click.option(
                "-j",
                "--workers",
                type=click.IntRange(1, 1024),
                help="Worker processes.  [default: as many as there are processors]",
            ),
            click.option(
                "--memory",
                type=click.IntRange(0, 1 << 20),
                default=MEMORY_MIB if can_limit_memory() else 0,
                show_default=True,
                metavar="MIB",
                help="The most that a worker may take; 0: no limit.",
            ),
            click.option(
                "--time-limit",
                type=text.Seconds(0, 1e6),
                default=TIME_SECONDS,
                show_default=True,
                metavar="SECONDS",
                help="The longest that a log may take; 0: no limit.",
            ),
            click.option(
                "--logs-per-worker",
                type=click.IntRange(0),
                default=0,
                show_default=True,
                metavar="N",
                help="Replace a worker by a new one after so many logs; 0: never.",
            ),
            click.option(
                "--scratch",
                type=click.Path(exists=True, file_okay=False),
                metavar="DIR",
                help="Where copies of remote logs are while they are needed.",
            ),
            click.option(
                "--sim",
                "sims",
                multiple=True,
                metavar="MODULE:OBJECT",
                help="A simulation that logs name; modules are also looked for here. Repeatable.",
            ),
            click.option(
                "-0", "--null", is_flag=True, help="Lists have a NUL byte after each name."
            ),
        )
    ):
        command = option(command)
    return command


def settings_of(
    memory: int,
    time_limit: float,
    logs_per_worker: int,
    scratch: str | None,
    sims: Sequence[str],
    **others: Any,
) -> Settings:
    """The options as workers are given them. UsageError for one that this system does not have."""
    if memory and not can_limit_memory():
        raise click.UsageError("--memory: this system cannot limit the memory of a process; give 0")
    return Settings(
        memory_bytes=memory << 20,
        seconds=time_limit,
        logs_per_worker=logs_per_worker,
        sims=tuple(sims),
        scratch=str(Path(scratch).absolute()) if scratch else "",
        **others,
    )


@click.command("farm")
@click.argument("sources", nargs=-1, required=True, metavar="DIR|GLOB|LIST...")
@click.option(
    "-r",
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("farm.sqlite"),
    show_default=True,
    metavar="FILE",
    help="The results file, an SQLite database; a run goes on where the last one into it stopped.",
)
@worker_options
@click.option("--again", is_flag=True, help="Verify logs whose verdict is known, too.")
@click.option(
    "--retry", is_flag=True, help="Verify logs again that crashed, ran out of memory or time."
)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="The Dask scheduler: tcp://host:8786, or its file."
)
@text.json_option
@click.pass_context
def farm_command(
    ctx: click.Context,
    sources: Sequence[str],
    results: Path,
    workers: int | None,
    memory: int,
    time_limit: float,
    logs_per_worker: int,
    scratch: str | None,
    sims: Sequence[str],
    null: bool,
    again: bool,
    retry: bool,
    engine_name: str,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """Verify all the match logs there are, and keep a table of verdicts.

    DIR is a folder, whose logs and those below are verified; GLOB a pattern such as
    'logs/**/*.jsonl.gz' (quoted); LIST a file with a name on each line, - for standard input. All
    may be addresses such as s3://bucket/logs (pip install 'fixsync[farm]').

    Each log is verified by a worker process, and a log that ends its worker has that for a verdict.
    A run that is interrupted or killed goes on when it is started again: a log is verified again
    only if its size or its time has changed, or fixsync or --sim has. (If the code of a simulation
    has, say --again.)

    \b
    Exit code  0  all identical (or nothing to compare, which is said)
               1  some diverged
               2  some not valid, unreadable, crashed, out of memory or timed out
               3  some cut short, but good so far
    2 beats 1 beats 3 beats 0.
    """
    settings = settings_of(
        memory, time_limit, logs_per_worker, scratch, sims, path=(str(Path.cwd()),) if sims else ()
    )
    try:
        require(sources)
        with Store(results) as store:
            with (
                _engine(ctx, engine_name, scheduler, settings, workers) as engine,
                shown_progress(hidden=as_json) as show,
            ):
                found = farm(
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
                _print_json(store, found, results)
            else:
                _print(text.console(), store, found, results)
    except SourceError as error:
        raise click.UsageError(str(error), ctx) from error
    except (WorkerError, ResultsError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        streams.echo(
            f"verdicts so far are in {text.printable(str(results))}; the same command goes on from there",
            err=True,
        )
        raise
    ctx.exit(found.exit_code)


def _engine(
    ctx: click.Context, name: str, scheduler: str | None, settings: Settings, workers: int | None
) -> Engine:
    if name == "local":
        if scheduler is not None:
            raise click.UsageError("--scheduler is for --engine dask", ctx)
        return LocalEngine(settings, workers or cores())
    if scheduler is None:
        raise click.UsageError("--engine dask needs --scheduler ADDRESS", ctx)
    if workers is not None:
        raise click.UsageError("--workers is for --engine local; a Dask cluster has its own", ctx)
    return DaskEngine(settings, scheduler)


# Progress.


class _Rates(ProgressColumn):
    """Throughput, and the time that remains."""

    def render(self, task: Task) -> Text:
        progress: Progress | None = task.fields.get("progress")
        return Text(_rates(progress) if progress else "")


def _rates(progress: Progress) -> str:
    seconds = progress.seconds
    told = f"{progress.done_logs / seconds:,.0f} logs/s  {progress.frames / seconds:,.0f} frames/s"
    remaining = progress.remaining_seconds
    return told if remaining is None else f"{told}  {timedelta(seconds=round(remaining))} left"


@contextmanager
def shown_progress(*, hidden: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error if that is a terminal, else a line now and then."""
    if hidden:
        yield lambda _: None
    elif sys.stderr.isatty():
        columns = (
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
            BarColumn(10),
            _Rates(Column(no_wrap=True)),
        )
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("looking for logs", total=None)

            def show(progress: Progress) -> None:
                bar.update(
                    task,
                    description=f"{progress.done_logs:,}/{progress.logs:,} logs",
                    completed=progress.done_bytes,
                    total=progress.bytes,
                    progress=progress,
                )

            yield show
    else:
        last = time.monotonic()

        def say(progress: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= _LINE_SECONDS:
                last = time.monotonic()
                streams.echo(
                    f"{progress.done_logs:,}/{progress.logs:,} logs  {_rates(progress)}", err=True
                )

        yield say


# What came of it.


def _print(out: Console, store: Store, found: Summary, results: Path) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("verdict", no_wrap=True)
    for name in ("logs", "frames"):
        table.add_column(name, justify="right", no_wrap=True)
    for verdict, code in EXIT_CODES.items():
        if verdict in found.counts:
            count = found.counts[verdict]
            table.add_row(
                Text(verdict, style=_STYLES[code]), f"{count.logs:,}", f"{count.frames:,}"
            )
    text.show(out, table)
    text.say(out, "")
    told = 0
    for verdict in _worst_first(found):
        for known in store.known(verdict, _TOLD_MAX - told):
            text.say(out, _line(known))
            told += 1
    more = sum(count.logs for verdict, count in found.counts.items() if verdict not in _GOOD) - told
    if more:
        text.say(out, f"and {more:,} more that are not identical")
    if told:
        text.say(out, "")
    text.say(out, *_speed(found))
    text.say(out, f"results: {text.printable(str(results))}")


def _worst_first(found: Summary) -> list[str]:
    """The verdicts that are not good, as exit codes beat each other."""
    bad = [verdict for verdict in EXIT_CODES if verdict in found.counts and verdict not in _GOOD]
    return sorted(bad, key=lambda verdict: (2, 1, 3, 0).index(EXIT_CODES[verdict]))


def _line(known: Known) -> Text:
    verdict = known.outcome.verdict
    reason = f": {text.printable(known.reason)}" if known.reason else ""
    return Text.assemble(
        f"{text.printable(_shortened(known.name))}: ",
        (verdict, _STYLES[EXIT_CODES[verdict]]),
        reason,
    )


def _shortened(name: str) -> str:
    """A path from here, if it is below."""
    here = f"{Path.cwd()}/"
    return name[len(here) :] if name.startswith(here) else name


def _speed(found: Summary) -> Iterator[str]:
    progress = found.progress
    if progress.known:
        yield f"{progress.known:,} of {found.logs:,} logs were known from a run before"
    if progress.done_logs and found.seconds:
        logs = "log" if progress.done_logs == 1 else "logs"
        yield (
            f"{progress.done_logs:,} {logs} in {text.duration(found.seconds)}:"
            f" {progress.done_logs / found.seconds:,.0f} logs/s,"
            f" {progress.frames / found.seconds:,.0f} frames/s;"
            f" processor time of the workers {text.duration(progress.cpu_seconds)}"
        )


def _print_json(store: Store, found: Summary, results: Path) -> None:
    """One object, written as it is read: however many logs there are, they are not held."""
    progress = found.progress
    head = {
        "exit_code": found.exit_code,
        "results": str(results),
        "run": store.query("SELECT max(run) FROM runs").fetchone()[0],
        "logs": found.logs,
        "verified": progress.done_logs,
        "known": progress.known,
        "seconds": round(found.seconds, 3),
        "cpu_seconds": round(progress.cpu_seconds, 3),
        "frames_verified": progress.frames,
        "verdicts": {
            verdict: {"logs": count.logs, "frames": count.frames}
            for verdict, count in found.counts.items()
        },
    }
    bad = (known for verdict in _worst_first(found) for known in store.known(verdict))
    print_open_json(head, "not_identical", map(_json, bad))


def print_open_json(head: dict[str, Any], name: str, rows: Iterable[dict[str, Any]]) -> None:
    """An object and, last in it, a list that is written as it comes: however long, it is not
    held.
    """
    streams.echo(json.dumps(head, indent=2)[: -len("\n}")], nl=False)
    streams.echo(f',\n  "{name}": [', nl=False)
    comma = ""
    for row in rows:
        told = json.dumps(row, indent=2).replace("\n", "\n    ")
        streams.echo(f"{comma}\n    {told}", nl=False)
        comma = ","
    streams.echo("\n  ]\n}" if comma else "]\n}")


def _json(known: Known) -> dict[str, Any]:
    outcome = known.outcome
    return {
        "log": known.name,
        "verdict": outcome.verdict,
        "exit_code": EXIT_CODES[outcome.verdict],
        "reason": known.reason or None,
        "frames": outcome.frames,
        "hits": outcome.hits,
        "hash": outcome.hash or None,
        "compared": {
            "events": outcome.events,
            "queries": outcome.queries,
            "hashes": outcome.hashes,
        },
        "differing_frames": outcome.differing_frames,
        "difference": outcome.difference,
        "line": outcome.line or None,
        "field": outcome.field or None,
        "trace": outcome.trace or None,
        "seconds": round(outcome.seconds, 6),
    }

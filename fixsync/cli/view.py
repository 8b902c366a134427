"""fixsync view: a page that plays a match and checks it in the browser."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from fixsync import sim
from fixsync.cli import streams, text
from fixsync.log import files
from fixsync.log.reader import Reader
from fixsync.log.schema import MatchLogError
from fixsync.view import Exported, export, write


@click.command("view")
@click.argument(
    "logs",
    nargs=-1,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="[LOG [LOG]]",
)
@click.option(
    "-o",
    "--output",
    type=text.OutputFile(),
    metavar="OUT.html",
    help="Page to write (-: standard output); by default the log's name, or viewer.html.",
)
@click.option("--title", default="", help="Title of the page; by default the log's name.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in the browser.")
@text.sim_option
@text.line_bytes_option
@text.json_option
@click.pass_context
def view_command(
    ctx: click.Context,
    logs: Sequence[Path],
    output: Path | None,
    title: str,
    is_opened: bool,
    simulations: Mapping[str, sim.SimulationType],
    line_bytes_max: int,
    as_json: bool,
) -> None:
    """Write a page that plays a match.

    The page is one file and needs no network. It draws the match from above and from the side. The
    same kernel recomputes every frame in the browser and compares it with the log and with this
    machine. Two logs are compared, and the page opens at the first frame that differs. Without a
    log, the page is empty and plays logs that are dropped onto it.

    \b
    Exit code  0  the page is written
               2  a log is not valid, or a world refuses it: nothing is written
    """
    if len(logs) > 2:
        raise click.UsageError(f"a page shows at most two logs, not {len(logs)}", ctx)
    for level in (log for log in logs if log.suffix == ".fxlevel"):
        raise click.UsageError(f"{level} is a level: fixsync level -o OUT.svg draws it", ctx)
    out = output or Path(f"{_stem(logs[0])}.html" if logs else "viewer.html")
    if is_opened and text.takes_stdout(output):
        raise click.UsageError("--open needs a page in a file, not on standard output", ctx)
    try:
        found = [_export(log, simulations, line_bytes_max, is_quiet=as_json) for log in logs]
        size = write(out, found, title)
    except (OSError, ValueError) as error:
        if as_json:
            where = error if isinstance(error, MatchLogError) else None
            problem = text.error_json(where) or {"message": str(error)}
            text.print_json({"page": None, "error": problem}, out)
            ctx.exit(2)
        raise click.ClickException(text.printable(str(error))) from error
    if as_json:
        text.print_json(
            {"page": str(out), "size": size, "logs": [_json(one) for one in found]}, out
        )
    else:
        for one in found:
            if one.cut:
                name = text.printable(one.name)
                streams.echo(
                    f"{name}: cut short after {text.plural(one.frames, 'frame')}: {one.cut}",
                    err=True,
                )
        text.say(text.console(out), f"written: {text.printable(str(out))} ({size:,} bytes)")
    if is_opened and click.launch(out.resolve().as_uri()) != 0:
        streams.echo("no browser could be started: open the page yourself", err=True)


def _stem(log: Path) -> str:
    """A log's file name without the suffixes of its kind and compression."""
    name = log.name
    if files.suffix_of(name):
        name = name[: name.rindex(".")]
    return name.removesuffix(".jsonl") or "match"


def _export(
    log: Path,
    simulations: Mapping[str, sim.SimulationType],
    line_bytes_max: int,
    *,
    is_quiet: bool,
) -> Exported:
    if is_quiet or not sys.stderr.isatty():
        return export(log, simulations=simulations, line_bytes_max=line_bytes_max)
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text.printable(log.name), total=1.0)

        def show(reader: Reader) -> None:
            bar.update(task, completed=reader.progress)

        return export(log, simulations=simulations, progress=show, line_bytes_max=line_bytes_max)


def _json(one: Exported) -> dict[str, object]:
    return {
        "log": one.name,
        "frames": one.frames,
        "cut": one.cut or None,
        "hash": one.last_hash or None,
    }

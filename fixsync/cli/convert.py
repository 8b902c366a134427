"""fixsync convert: match logs from one form to the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from fixsync.cli import text
from fixsync.convert import Converted, convert
from fixsync.log.matchlog import MatchLogError, Reader


@click.command("convert")
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="LOG")
@click.option(
    "-o",
    "--output",
    required=True,
    type=text.OutputFile(),
    metavar="OUT",
    help="Where to write it; .gz, .xz, .bz2, .zst compress; - is standard output.",
)
@click.option(
    "--to",
    "form",
    type=click.Choice(["compact", "json"]),
    help="The form to write; otherwise compact for a name with .fxlog, and json for any other.",
)
@text.json_option
@click.pass_context
def convert_command(
    ctx: click.Context, log: Path, output: Path, form: str | None, as_json: bool
) -> None:
    """Write a match log in its other form, or in another compression.

    JSON is the form for people and other programs, the compact one that for storage and fast
    replays: a fifth to a third of the size, with all that the log tells. What is written is
    canonical. Nothing is replayed: what the log tells is checked as by fixsync info, not whether it
    is right.

    \b
    Exit code  0  written
               2  not a valid log: nothing written
               3  written, cut short as the log is
    """
    try:
        with _progress(log, hidden=as_json) as show:
            done = convert(
                log, output, is_compact=None if form is None else form == "compact", progress=show
            )
    except (OSError, ValueError) as error:
        if as_json:
            where = error if isinstance(error, MatchLogError) else None
            problem = text.error_json(where) or {"message": str(error)}
            text.print_json({"exit_code": 2, "written": None, "error": problem}, output)
            ctx.exit(2)
        raise click.ClickException(text.printable(str(error))) from error
    code = 3 if done.cut else 0
    if as_json:
        text.print_json({"exit_code": code, **_json(done), "error": None}, output)
    else:
        out = text.console(output)
        kind = f"cut short like the log: {done.cut}" if done.cut else "complete"
        text.say(
            out,
            f"written: {text.printable(done.path)} ({text.plural(done.frames, 'frame')}, {kind})",
        )
        text.say(out, f"{text.size(done.size_read)} read, {done.size:,} written")
    ctx.exit(code)


@contextmanager
def _progress(log: Path, *, hidden: bool) -> Iterator[Callable[[Reader], None] | None]:
    if hidden or not sys.stderr.isatty():
        yield None
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text.printable(log.name), total=1.0)
        yield lambda reader: bar.update(task, completed=reader.progress)


def _json(done: Converted) -> dict[str, object]:
    return {
        "written": done.path,
        "form": "compact" if done.is_compact else "json",
        "frames": done.frames,
        "cut": done.cut or None,
        "size_read": done.size_read,
        "size": done.size,
    }

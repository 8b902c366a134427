"""fixsync cut: a part of a match log, with the state before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from fixsync.base import files
from fixsync.cli import options, text
from fixsync.log.cut import cut


@click.command("cut", cls=options.Command)
@click.argument("log", type=options.FILE)
@click.argument("frames", metavar="FIRST..LAST")
@options.output_option(
    "PART", "Log to write (.gz, .xz, .bz2, .zst; -: standard output).", required=True
)
@options.log_options
def cut_command(log: Path, frames: str, output: Path, as_json: bool, **reading: Any) -> None:
    """Write a part of a match log, for example for a bug report.

    The part has the frames FIRST..LAST, both included, and begins with the state before them. It is
    a log of its own: replay, diff, info and view accept it. Frames keep their numbers.

    \b
    Exit code  0  written
               2  not valid, needs its simulation, or without these frames
    """
    found = re.fullmatch(r"([0-9]{1,10})\.\.([0-9]{1,10})", frames)
    if found is None:
        raise click.UsageError(f"FIRST..LAST must be like 400..520, not {frames}")
    first, last = map(int, found.groups())
    with text.refusals():
        files.require_compression(output)
        count = cut(log, output, first, last, **reading)
    if as_json:
        text.print_json({"part": str(output), "frames": count}, output)
    else:
        text.say(text.console(output), f"written: {output} ({text.plural(count, 'frame')})")

"""fixsync view: a page that plays a match and checks it in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from fixsync.base import files
from fixsync.cli import options, streams, text
from fixsync.log.diff import Diff, diff_builds
from fixsync.match import sim
from fixsync.view import Exported, export, write


@click.command("view", cls=options.Command)
@click.argument(
    "logs",
    nargs=-1,
    type=options.FILE,
    metavar="[LOG [LOG]]",
)
@options.output_option(
    "OUT.html", "Page to write (-: standard output); by default the log's name, or viewer.html."
)
@click.option("--title", default="", help="Title of the page; by default the log's name.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in the browser.")
@options.at_option
@options.log_options
def view_command(
    logs: Sequence[Path],
    output: Path | None,
    title: str,
    is_opened: bool,
    simulations: options.Simulations,
    as_json: bool,
    **reading: Any,
) -> None:
    """Write a page that plays a match.

    The page is one file and needs no network. It draws the match from above and from the side. The
    same kernel recomputes every frame in the browser and compares it with the log and with this
    machine. Two logs are compared, and the page opens at the first frame that differs. One log is
    compared with itself under two versions of its simulation: --sim OLD:Game --sim NEW:Game, or
    --at DIR twice. Without a log, the page is empty and plays logs that are dropped onto it.

    \b
    Exit code  0  the page is written
               2  a log is not valid, or a world refuses it: nothing is written
    """
    if len(logs) > 2:
        raise click.UsageError(f"a page shows at most two logs, not {len(logs)}")
    for level in (log for log in logs if log.suffix == ".fxlevel"):
        raise click.UsageError(f"{level} is a level: fixsync level -o OUT.svg draws it")
    out = output or Path(text.page_of(logs[0]) if logs else "viewer.html")
    if is_opened and text.takes_stdout(output):
        raise click.UsageError("--open needs a page in a file, not on standard output")
    with text.refusals():
        files.check_output(out, logs)  # its default name too, which may be a link
        versions, difference = simulations.of_one_game, None
        if versions is not None and len(logs) == 1:
            builds = simulations.builds(logs[0])
            difference = diff_builds(logs[0], *builds, **reading)
            if difference.error is not None:
                raise difference.error
            sides: list[Mapping[str, sim.SimulationType]] = [
                {_name_in(difference): one} for one in builds
            ]
            logs = [logs[0]] * 2
        else:
            sides = [*(versions or (simulations, simulations))]
        found = []
        for log, side in zip(logs, sides, strict=False):
            with text.reading(log, is_hidden=as_json) as show:
                found.append(export(log, simulations=side, progress=show, **reading))
        if difference is not None:
            for one, label in zip(found, simulations.labels, strict=True):
                one.name += f" with {label}"
        size = write(out, found, title, difference)
    if as_json:
        document = {"page": str(out), "size": size, "logs": [_json(one) for one in found]}
        if difference is not None:
            document |= {"same": difference.is_same, "frame": difference.frame}
        text.print_json(document, out)
    else:
        for one in found:
            if one.cut:
                cut = f"cut short after {text.plural(one.frames, 'frame')}: {one.cut}"
                streams.echo(f"{text.printable(one.name)}: {cut}", err=True)
        if difference is not None:
            text.say(text.console(out), _difference_line(difference))
        text.say(text.console(out), f"written: {out} ({text.size(size)})")
    if is_opened and click.launch(out.resolve().as_uri()) != 0:
        streams.echo("no browser could be started: open the page yourself", err=True)


def _name_in(difference: Diff) -> str:
    """The name that the log has for its simulation."""
    return str(difference.headers[0].sim) if difference.headers else ""


def _difference_line(found: Diff) -> str:
    if found.frame is None:
        return f"the {found.frames} frames are the same"
    rows = [f"{row.group} {row.name}".strip() for row in found.rows]
    first = next((row for row in rows if row.startswith("state ")), rows[0])
    return f"first difference in frame {found.frame}: {first}"


def _json(one: Exported) -> dict[str, object]:
    return {
        "log": one.name,
        "frames": one.frames,
        "cut": one.cut or None,
        "hash": one.last_hash or None,
    }

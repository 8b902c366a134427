"""fixsync whatif: the hits that matches would have had with other shapes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table

from fixsync.base import files
from fixsync.cli import hits, options, streams, text
from fixsync.farm.whatif import Answer, Request, answer, answers
from fixsync.log.hits import CHANGES, Totals, summed
from fixsync.log.replay import find_logs
from fixsync.log.settings import Setting, altered_lines
from fixsync.log.whatif import OtherMatch, WhatIf


@click.command("whatif", cls=options.Command)
@click.argument(
    "logs", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="LOG..."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="CHANGE",
    help="Change, such as 'sword.radius += 10%' or 'layer attack.half_height = 1.5'. Repeatable.",
)
@options.output_option(
    "CHANGED", "Write the changed match as a log (one LOG, with --set; -: standard output)."
)
@options.attacks_option
@options.number("--rows", 40, 1, None, "Number of rows to show.")
@options.log_options
@click.pass_context
def whatif_command(
    ctx: click.Context,
    /,
    logs: Sequence[Path],
    settings: Sequence[str],
    output: Path | None,
    layers: Sequence[str],
    rows: int,
    simulations: options.Simulations,
    as_json: bool,
) -> None:
    """List the hits that change if shapes change.

    The recorded match is played with changed shapes, and its hits are compared with the recorded
    ones. A CHANGE is SELECTION.FIELD OP VALUE. SELECTION: an id, a name (*, ? and [] match), or
    'layer NAME'. FIELD: a size of the shape, ox, oy, oz, or reach, which moves the front and keeps
    the back. OP: =, += or -=. VALUE: a number of units, or with % (of the recorded value), deg (of
    an angle) or r (raw). Movement, and everything that the game did because of a hit, stays as
    recorded.

    Without --set, --sim NEW:Game plays the inputs of a simulation's log again, and reports the
    first frame of each kind of difference. The simulation of pyproject.toml, or of the log's name,
    is the recorded one.

    A LOG is a file, or a folder: all logs in it and below. Several are played by two processes.

    \b
    Exit code  0  played
               2  a change is wrong, or a log is not valid or needs its simulation
    """
    try:
        for one in settings:
            Setting(one)
        paths = find_logs(logs)
        if output is not None:
            files.require_compression(output)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    if output is not None and (len(paths) != 1 or not settings):
        raise click.UsageError("-o takes one log and --set")
    is_given = ctx.get_parameter_source("simulations") is ParameterSource.COMMANDLINE
    plays = is_given and not settings
    requests = [
        Request(
            log=str(path),
            settings=list(settings),
            sims=list(simulations.references.values()),
            olds=list(options.project_simulations().simulations) if plays else None,
            output=None if output is None else str(output),
            layers=list(layers),
        )
        for path in paths
    ]
    if not settings and not plays and not as_json:
        streams.echo("nothing is changed: give --set, or --sim NEW:Game", err=True)
    found = _answered(requests, is_hidden=as_json)
    if len(found) == 1 and found[0].found is None:
        raise click.ClickException(found[0].error)
    code = 2 if any(one.found is None for one in found) else 0
    reports = [one.found for one in found if one.found is not None]
    _require_selected([Setting(one).text for one in settings], reports)
    if as_json:
        text.print_json({"exit_code": code, **_json(found)}, output)
    else:
        out = text.console(output)
        if len(found) == 1:
            _print(out, reports[0], rows)
        else:
            _print_many(out, found, rows)
        if output is not None:
            text.say(out, f"written: {output}")
    sys.exit(code)


def _require_selected(settings: Sequence[str], reports: Sequence[WhatIf]) -> None:
    """An error for a setting that selects no collider of any log."""
    for one in settings if reports else ():
        if all(one in report.unselected for report in reports):
            near = (text for text in reports[0].warnings if text.startswith(f"{one}: "))
            raise click.ClickException(next(near))


def _answered(requests: Sequence[Request], *, is_hidden: bool) -> list[Answer]:
    if len(requests) == 1:
        with text.reading(Path(requests[0].log), is_hidden=is_hidden) as show:
            return [answer(requests[0], show)]
    with text.progress(is_hidden=is_hidden) as bar:
        task = bar.add_task(text.plural(len(requests), "log"), total=len(requests))
        return answers(requests, lambda: bar.advance(task))


# Text.


def _print(out: Console, found: WhatIf, rows_max: int) -> None:
    _print_settings(out, found)
    if found.other is not None:
        text.say(out, *_ways_lines(found.other), "")
    hits.show(out, found.rows, rows_max)
    text.say(out, hits.totals_line(found.totals, bool(found.rows)))
    if found.attacks:
        text.say(out, "")
        _print_attacks(out, [found], rows_max)
    if found.rows:
        page = text.page_of(Path(found.log))
        text.say(out, "", f"to see it: fixsync view {found.log}", f"  {page}{found.rows[0].link}")
    text.say(out, *(f"warning: {one}" for one in found.warnings))
    if found.cut is not None:
        text.say(out, f"the log is cut short: {found.cut}")


def _print_settings(out: Console, found: WhatIf) -> None:
    for used in found.settings:
        if used.altered:
            text.say(out, used.text)
            text.say(out, *(f"  {line}" for line in altered_lines(used.altered, found.names)))
    if any(used.altered for used in found.settings):
        text.say(out, "")


def _print_attacks(out: Console, reports: Sequence[WhatIf], rows_max: int) -> None:
    """The attacks with the most rows first."""
    found = sorted(_attacks(reports).items(), key=lambda item: -_differing(item[1]))
    text.show(out, _attacks_table(found[:rows_max]))
    if len(found) > rows_max:
        text.say(out, f"and {text.plural(len(found) - rows_max, 'more attack')}")
    if any(one.guess and one.attacks for one in reports):
        text.say(out, options.GUESS)


def _differing(totals: Totals) -> int:
    return sum(getattr(totals, change) for change in CHANGES)


def _attacks_table(rows: Iterable[tuple[str, Totals]], what: str = "attack") -> Table:
    cells = (
        (
            name,
            f"{totals.hits[0]} -> {totals.hits[1]}",
            *(str(getattr(totals, change) or "-") for change in CHANGES),
        )
        for name, totals in rows
    )
    return text.table((what, "hits", *CHANGES), cells, numbers=CHANGES)


def _ways_lines(other: OtherMatch) -> Iterator[str]:
    what = {
        "part": "first part that is on or off",
        "hit": "first hit",
        "state": "first state beyond shapes",
        "game": "first event of the game",
    }
    yield f"played again with {other.simulation}"
    known = {way.what: way for way in other.ways}
    for name, label in what.items():
        way = known.get(name)
        if way is None:
            yield f"  {label}: not known, because the recorded simulation is not"
        elif way.frame is None:
            yield f"  {label}: the same"
        else:
            yield f"  {label}: frame {way.frame}: {way.text}"
    if other.since is not None:
        yield (
            f"from frame {other.since} on it is another match, with"
            f" {text.plural(other.rows_since, 'row')} of those below"
        )


# Many logs.


def _print_many(out: Console, found: Sequence[Answer], rows_max: int) -> None:
    reports = [one.found for one in found if one.found is not None]
    changed = [one for one in reports if one.rows]
    if changed:
        logs = ((one.log, one.totals) for one in changed[:rows_max])
        text.show(out, _attacks_table(logs, "log"))
        more = len(changed) - rows_max
        if more > 0:
            text.say(out, f"and {text.plural(more, 'more log')}")
        text.say(out, "")
    totals = summed(one.totals for one in reports)
    text.say(out, hits.totals_line(totals, bool(changed)))
    text.say(out, f"{len(changed)} of {text.plural(len(reports), 'log')} with a change")
    if any(one.attacks for one in reports):
        text.say(out, "")
        _print_attacks(out, reports, rows_max)
    for log, other in ((one.log, one.other) for one in reports[:rows_max]):
        if other is not None and other.since is not None:
            text.say(out, f"another match from frame {other.since} on: {log}")
    for warning, count in Counter(w for one in reports for w in one.warnings).most_common():
        text.say(out, f"warning: {warning}{f' ({count} logs)' if count > 1 else ''}")
    for one in found:
        if one.found is None:
            text.say(out, one.error if one.log in one.error else f"{one.log}: {one.error}")


def _attacks(reports: Iterable[WhatIf]) -> dict[str, Totals]:
    """The totals of attacks, by name."""
    groups: dict[str, list[Totals]] = {}
    for report in reports:
        for one in report.attacks:
            groups.setdefault(str(one.attack), []).append(one.totals)
    return {name: summed(groups[name]) for name in sorted(groups)}


def _json(found: Sequence[Answer]) -> dict[str, Any]:
    reports = [one.found for one in found if one.found is not None]
    return {
        "logs": [
            {"log": one.log, "error": {"message": one.error}}
            if one.found is None
            else {**msgspec.to_builtins(one.found), "error": None}
            for one in found
        ],
        "totals": msgspec.to_builtins(summed(one.totals for one in reports)),
        "attacks": {
            name: msgspec.to_builtins(totals) for name, totals in _attacks(reports).items()
        },
    }

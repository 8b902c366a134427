"""fixsync replay: recomputes matches and compares them with their logs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from fixsync import sim
from fixsync.cli import text
from fixsync.log import files
from fixsync.log.lines import plain
from fixsync.log.reader import Reader
from fixsync.log.replay import Difference, Replay, Verdict, exit_code, find_logs, replay
from fixsync.log.schema import Header, MatchLogError
from fixsync.shapes import Contact, EventKind

_STYLES = {
    Verdict.IDENTICAL: "green",
    Verdict.NOTHING_TO_COMPARE: "yellow",
    Verdict.CUT_SHORT: "yellow",
    Verdict.DIVERGED: "bold red",
    Verdict.INVALID: "bold red",
    Verdict.NEEDS_SIMULATION: "yellow",
    Verdict.OUT_OF_MEMORY: "bold red",
    Verdict.UNREADABLE: "bold red",
}


@click.command("replay")
@click.argument(
    "logs",
    nargs=-1,
    required=True,
    type=click.Path(
        exists=True, readable=False, path_type=Path
    ),  # a file that cannot be read has a verdict
    metavar="LOG...",
)
@click.option(
    "-o",
    "--output",
    type=text.OutputFile(),
    metavar="FILLED",
    help="Write the log with all computed values (one LOG; .gz, .xz, .bz2, .zst;"
    " -: standard output).",
)
@text.sim_option
@text.line_bytes_option
@text.json_option
@click.pass_context
def replay_command(
    ctx: click.Context,
    logs: Sequence[Path],
    output: Path | None,
    simulations: Mapping[str, sim.SimulationType],
    line_bytes_max: int,
    as_json: bool,
) -> None:
    """Recompute matches and compare them with their logs.

    Every event, answer and hash of a log is compared with the computed one. A LOG is a file, or a
    folder: all logs in it and below are replayed, links to folders are not followed. Hits is the
    sum over all frames.

    \b
    Exit code  0  identical, or nothing to compare
               1  diverged
               2  not valid, needs its simulation, unreadable, or out of memory
               3  cut short, but good so far
    Several logs: 2 beats 1 beats 3 beats 0.
    """
    try:
        if output is not None:
            files.require_compression(output)
        paths = find_logs(logs)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error), ctx) from error
    if output is not None and len(paths) != 1:
        raise click.UsageError(f"-o takes one log, not {len(paths)}", ctx)
    with _progress(paths, hidden=as_json) as bar:
        results = [_replay(path, output, simulations, line_bytes_max, bar) for path in paths]
    code = exit_code(result.verdict for result in results)
    if as_json:
        text.print_json({"exit_code": code, "logs": [_json(result) for result in results]}, output)
    else:
        _print(text.console(output), results, output)
    ctx.exit(code)


def _replay(
    path: Path,
    output: Path | None,
    simulations: Mapping[str, sim.SimulationType],
    line_bytes_max: int,
    bar: _Bar,
) -> Replay:
    bar.begin(path)
    try:
        return replay(
            path,
            output=output,
            simulations=simulations,
            progress=bar.show,
            line_bytes_max=line_bytes_max,
        )
    except (OSError, ValueError) as error:
        at = getattr(error, "filename", None)
        if output is not None and at is not None and Path(at) != path:
            raise click.ClickException(f"{output} cannot be written: {error}") from error
        # A file that cannot be read or decompressed. The others are still replayed.
        problem = MatchLogError(str(path), 0, "", getattr(error, "strerror", None) or str(error))
        return Replay(str(path), Verdict.UNREADABLE, error=problem)


class _Bar:
    """Progress of the replays, on standard error if it is a terminal."""

    def __init__(self, paths: Sequence[Path], bar: Progress | None) -> None:
        self._paths = paths
        self._bar = bar
        self._task = bar.add_task("", total=len(paths)) if bar else None
        self._done = 0

    def begin(self, path: Path) -> None:
        self._done = self._paths.index(path)
        self._update(0.0)

    def show(self, reader: Reader) -> None:
        self._update(reader.progress)

    def _update(self, part: float) -> None:
        if self._bar is not None and self._task is not None:
            name = text.printable(self._paths[self._done].name)
            label = f"{self._done + 1}/{len(self._paths)} {name}"
            self._bar.update(self._task, description=label, completed=self._done + part)


@contextmanager
def _progress(paths: Sequence[Path], *, hidden: bool) -> Iterator[_Bar]:
    if hidden or not sys.stderr.isatty():
        yield _Bar(paths, None)
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(paths, bar)


def _print(out: Console, results: list[Replay], output: Path | None) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("log", no_wrap=True)
    for name in ("frames", "hits"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("last hash", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for result in results:
        table.add_row(
            Text(text.printable(result.path)),
            str(result.frames),
            str(result.hits),
            result.hash or "-",
            Text(result.verdict.value, style=_STYLES[result.verdict]),
        )
    text.show(out, table)
    text.say(out, "")
    same = [result for result in results if result.verdict is Verdict.IDENTICAL]
    if same:
        text.say(out, f"identical: {_compared(same)}")
    for result in results:
        if result.verdict is not Verdict.IDENTICAL:
            text.say(out, *_story(result))
    if output is not None and results[0].error is None:
        result = results[0]
        kind = "cut short like the log" if result.cut else "complete"
        text.say(
            out,
            f"written: {text.printable(str(output))} ({_count(result.frames, 'frame')}, {kind})",
        )


def _story(result: Replay) -> Iterator[str]:
    """The lines about a log below the table."""
    name = text.printable(result.path)
    if result.error is not None:
        yield f"{result.verdict.value}: {text.printable(str(result.error))}"
        if result.verdict is Verdict.NEEDS_SIMULATION:
            yield "  the log is valid; give its simulation with --sim MODULE:OBJECT"
            return
        if result.frames:
            yield f"  before that: {_compared([result])}"
    else:
        yield f"{name}: {_compared([result])}"
    if result.cut and result.error is None:
        yield f"  cut short after {_count(result.frames, 'frame')}: {result.cut}"
    if result.difference is not None and result.header is not None:
        line = f" (line {result.header.line_of(result.difference.frame)})"
        yield f"  diverged in frame {result.difference.frame}{line}"
        yield from _told_difference(result.difference, result.header)
        yield f"  frames that differ: {result.differing_frames} of {result.frames}"


def _compared(results: list[Replay]) -> str:
    """How much of one log, or of several, was compared."""
    found = [result.compared for result in results]
    if not any(found):
        return "nothing to compare: the log has no events, answers or hashes"
    events, queries, hashes = (
        sum(getattr(compared, what) for compared in found)
        for what in ("events", "queries", "hashes")
    )
    return (
        f"compared the events of {_count(events, 'frame')}, {_count(queries, 'answer')}"
        f" and {_count(hashes, 'hash', 'hashes')}"
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _told_difference(difference: Difference, header: Header) -> Iterator[str]:
    if difference.pair is not None:
        a, b = difference.pair
        yield f"  pair {text.named_id(a, header)}, {text.named_id(b, header)}"
        yield f"    the log says     {_events(difference.expected)}"
        yield f"    replaying gives  {_events(difference.found)}"
        for id, collider in difference.colliders.items():
            for line in text.collider_lines(id, collider, header):
                yield f"    {line}"
    else:
        if difference.query is not None:
            asked = difference.question
            question = (
                "for which there is no query"
                if asked is None
                else f"the answer to {text.compact(asked)}"
            )
            yield f"  queries[{difference.query}], {question}"
        elif "events" in difference.fields:
            yield "  the same events in another order"
        else:
            yield "  only the hash differs; the log's events and answers are as computed"
        yield f"    the log says     {_answer(difference.expected)}"
        yield f"    replaying gives  {_answer(difference.found)}"
    others = [field for field in difference.fields if field != _first(difference)]
    if others:
        yield f"  also different in this frame: {', '.join(others)}"


def _first(difference: Difference) -> str:
    return next(field for field in ("events", "queries", "hash") if field in difference.fields)


def _events(events: list[tuple[int, int]]) -> str:
    told = (f"{EventKind(kind).name} {Contact(contact).name}" for kind, contact in events)
    return ", then ".join(told) or "no event"


def _answer(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    return "no answer" if answer is None else text.compact(answer)


def _json(result: Replay) -> dict[str, Any]:
    compared = result.compared
    return {
        "log": result.path,
        "verdict": result.verdict.value,
        "exit_code": result.verdict.exit_code,
        "frames": result.frames,
        "hits": result.hits,
        "hash": result.hash or None,
        "compared": {
            "events": compared.events,
            "queries": compared.queries,
            "hashes": compared.hashes,
        },
        "differing_frames": result.differing_frames,
        "difference": _difference_json(result.difference),
        "cut": result.cut or None,
        "error": text.error_json(result.error),
        "seconds": round(result.seconds, 6),
        "speed": round(result.speed, 1),
    }


def _difference_json(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    told: dict[str, Any] = {"frame": difference.frame, "fields": difference.fields}
    if difference.pair is not None:
        told["pair"] = list(difference.pair)
        told["colliders"] = {
            id: text.collider_json(found) for id, found in difference.colliders.items()
        }
    if difference.query is not None:
        told["query"], told["question"] = difference.query, difference.question
    return {
        **told,
        "expected": plain(difference.expected),
        "found": plain(difference.found),
    }

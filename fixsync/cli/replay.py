"""fixsync replay: recomputes matches and compares them with their logs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from fixsync.base import files
from fixsync.cli import describe, options, text
from fixsync.log.lines import plain
from fixsync.log.origin import others_text
from fixsync.log.reader import Reader
from fixsync.log.replay import Difference, Replay, Verdict, exit_code, find_logs, replay
from fixsync.log.schema import Header, MatchLogError

_STYLES = {
    Verdict.IDENTICAL: "green",
    Verdict.NOTHING_TO_COMPARE: "yellow",
    Verdict.CUT_SHORT: "yellow",
    Verdict.DIVERGED: "bold red",
    Verdict.OTHER_DATA: "red",
    Verdict.OTHER_SEMANTICS: "red",
    Verdict.OTHER_BUILD: "red",
    Verdict.INVALID: "bold red",
    Verdict.NEEDS_SIMULATION: "yellow",
    Verdict.OUT_OF_MEMORY: "bold red",
    Verdict.UNREADABLE: "bold red",
}


@click.command("replay", cls=options.Command)
@click.argument(
    "logs",
    nargs=-1,
    required=True,
    type=click.Path(
        exists=True, readable=False, path_type=Path
    ),  # a file that cannot be read has a verdict
    metavar="LOG...",
)
@options.output_option(
    "FILLED",
    "Write the log with all computed values (one LOG; .gz, .xz, .bz2, .zst; -: standard output).",
)
@options.log_options
def replay_command(
    logs: Sequence[Path], output: Path | None, as_json: bool, **reading: Any
) -> None:
    """Recompute matches and compare them with their logs.

    Every event, answer, hash and state of a log is compared with the computed one. A LOG is a file,
    or a folder: all logs in it and below are replayed, links to folders are not followed. Hits is
    the sum over all frames.

    \b
    Exit code  0  identical, or nothing to compare
               1  diverged; or recorded with other data, by another semantics,
                  or by another build, and something differs
               2  not valid, needs its simulation, unreadable, or out of memory
               3  cut short, but good so far
    Several logs: 2 beats 1 beats 3 beats 0.
    """
    try:
        if output is not None:
            files.require_compression(output)
        paths = find_logs(logs)
    except (ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    if output is not None and len(paths) != 1:
        raise click.UsageError(f"-o takes one log, not {len(paths)}")
    with text.progress(is_hidden=as_json) as bar:
        task = bar.add_task("", total=len(paths))
        results = []
        for number, path in enumerate(paths):
            name = text.printable(path.name)
            bar.update(task, description=f"{number + 1}/{len(paths)} {name}", completed=number)

            def show(reader: Reader, done: int = number) -> None:
                bar.update(task, completed=done + reader.progress)

            results.append(_replay(path, output, show, **reading))
    code = exit_code(result.verdict for result in results)
    if as_json:
        text.print_json({"exit_code": code, "logs": [_json(result) for result in results]}, output)
    else:
        _print(text.console(output), results, output)
    sys.exit(code)


def _replay(
    path: Path, output: Path | None, show: Callable[[Reader], None], **reading: Any
) -> Replay:
    try:
        return replay(path, output=output, progress=show, **reading)
    except (OSError, ValueError) as error:
        at = getattr(error, "filename", None)
        if output is not None and at is not None and Path(at) != path:
            raise click.ClickException(f"{output} cannot be written: {error}") from error
        # A file that cannot be read or decompressed. The others are still replayed.
        problem = MatchLogError(str(path), 0, "", getattr(error, "strerror", None) or str(error))
        return Replay(str(path), Verdict.UNREADABLE, error=problem)


def _print(out: Console, results: list[Replay], output: Path | None) -> None:
    rows = (
        (
            Text(result.verdict.value, style=_STYLES[result.verdict]),
            str(result.frames),
            str(result.hits),
            result.hash or "-",
            result.path,
        )
        for result in results
    )
    names = ("verdict", "frames", "hits", "last hash", "log")
    text.show(out, text.table(names, rows, numbers=("frames", "hits")))
    text.say(out, "")
    same = [result for result in results if result.verdict is Verdict.IDENTICAL]
    if same:
        text.say(out, f"identical: {_compared(same)}")
    others = (result for result in results if result.verdict is not Verdict.IDENTICAL)
    text.say(out, *(line for result in others for line in _story(result)))
    for result in results if len(results) == 1 else ():
        if result.over_after is not None:
            text.say(out, f"the match is over after frame {result.over_after}")
    if output is not None and results[0].error is None:
        frames = text.plural(results[0].frames, "frame")
        kind = "cut short like the log" if results[0].cut else "complete"
        text.say(out, f"written: {output} ({frames}, {kind})")


def _story(result: Replay) -> Iterator[str]:
    """The lines about a log below the table."""
    if result.error is not None:
        yield f"{result.verdict.value}: {result.error}"
        if result.verdict is Verdict.NEEDS_SIMULATION:
            yield "  the log is valid; give its simulation with --sim MODULE:OBJECT"
            return
        if result.frames:
            yield f"  before that: {_compared([result])}"
    else:
        yield f"{result.path}: {_compared([result])}"
        if result.cut:
            yield f"  cut short after {text.plural(result.frames, 'frame')}: {result.cut}"
    if result.others and (result.difference or result.error):
        yield f"  {others_text(result.others)}"
    if result.difference is not None and result.header is not None:
        line = f" (line {result.header.line_of(result.difference.frame)})"
        what = "first difference" if result.others else "diverged"
        yield f"  {what} in frame {result.difference.frame}{line}"
        yield from _difference_lines(result.difference, result.header)
        yield f"  frames that differ: {result.differing_frames} of {result.frames}"


def _compared(results: list[Replay]) -> str:
    """How much of one log, or of several, was compared."""
    found = [result.compared for result in results]
    if not any(found):
        return "nothing to compare: the log has no events, answers or hashes"
    events, game, queries, hashes, states = (
        sum(getattr(compared, what) for compared in found)
        for what in ("events", "game", "queries", "hashes", "states")
    )
    parts = [
        f"the events of {text.plural(events, 'frame')}",
        *([f"the game's events of {text.plural(game, 'frame')}"] if game else []),
        text.plural(queries, "answer"),
        text.plural(hashes, "hash", "hashes"),
        *([text.plural(states, "whole state")] if states else []),
    ]
    return f"compared {', '.join(parts[:-1])} and {parts[-1]}"


def _difference_lines(difference: Difference, header: Header) -> Iterator[str]:
    said, seen = difference.expected, difference.found
    first = difference.fields[0]
    if difference.pair is not None:
        said, seen = (describe.events_text(events) or "no event" for events in (said, seen))
        yield f"  pair {', '.join(describe.named_id(id, header) for id in difference.pair)}"
    elif difference.query is not None:
        said, seen = ("no answer" if a is None else text.compact(a) for a in (said, seen))
        asked = difference.question
        answer = f"the answer to {text.compact(asked)}" if asked else "for which there is no query"
        yield f"  queries[{difference.query}], {answer}"
    elif first == "game":
        said, seen = (describe.game_text(events, header) or "none" for events in (said, seen))
        yield "  the game's own events"
    elif first == "events":
        said, seen = text.compact(said), text.compact(seen)
        yield "  the same events in another order"
    elif first == "state":
        yield "  only the whole state differs: the difference is beside the world"
        yield "  its field, from two versions of the game: fixsync diff LOG --at OLD --at NEW"
    else:
        yield "  the world's hash differs; the log's events and answers are as computed"
    yield f"    the log says     {said}"
    yield f"    replaying gives  {seen}"
    for id, collider in difference.colliders.items():
        for line in describe.collider_lines(id, collider, header):
            yield f"    {line}"
    others = [field for field in difference.fields if field != first]
    if others:
        yield f"  also different in this frame: {', '.join(others)}"


def _json(result: Replay) -> dict[str, Any]:
    return {
        "log": result.path,
        "verdict": result.verdict.value,
        "exit_code": result.verdict.exit_code,
        "frames": result.frames,
        "hits": result.hits,
        "hash": result.hash or None,
        "over_after": result.over_after,
        "compared": asdict(result.compared),
        "differing_frames": result.differing_frames,
        "difference": _difference_json(result.difference),
        "others": [one._asdict() for one in result.others],
        "cut": result.cut or None,
        "error": text.error_json(result.error),
        "seconds": round(result.seconds, 6),
        "speed": round(result.speed, 1),
    }


def _difference_json(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    found: dict[str, Any] = {"frame": difference.frame, "fields": difference.fields}
    if difference.pair is not None:
        found["pair"] = list(difference.pair)
        found["colliders"] = {
            id: describe.collider_json(collider) for id, collider in difference.colliders.items()
        }
    if difference.query is not None:
        found["query"], found["question"] = difference.query, difference.question
    return {
        **found,
        "expected": plain(difference.expected),
        "found": plain(difference.found),
    }

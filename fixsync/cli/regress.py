"""fixsync regress: the same logs under two versions of fixsync."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fixsync.cli import streams, text
from fixsync.cli.farm import print_open_json, settings_of, shown_progress, worker_options
from fixsync.farm import regress
from fixsync.farm.engines import LocalEngine
from fixsync.farm.find import SourceError, find
from fixsync.farm.regress import Change, Moved
from fixsync.farm.run import cores, farm
from fixsync.farm.sandbox import Identity, Settings, WorkerError
from fixsync.farm.store import ResultsError, Store

_TOLD_MAX = 20


@click.command("regress")
@click.argument("old")
@click.argument("new")
@click.argument("sources", nargs=-1, required=True, metavar="DIR|GLOB|LIST...")
@click.option(
    "-r",
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("regress.sqlite"),
    show_default=True,
    metavar="FILE",
    help="The results file, with the verdicts of both; a run goes on where the last one stopped.",
)
@click.option(
    "--explain",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    metavar="N",
    help="Of so many changed logs, find the first frame that is computed to something else.",
)
@worker_options
@text.json_option
@click.pass_context
def regress_command(
    ctx: click.Context,
    old: str,
    new: str,
    sources: Sequence[str],
    results: Path,
    explain: int,
    workers: int | None,
    memory: int,
    time_limit: float,
    logs_per_worker: int,
    scratch: str | None,
    sims: Sequence[str],
    null: bool,
    as_json: bool,
) -> None:
    """Verify the same logs with two versions of fixsync, and tell what changed.

    OLD and NEW are each a Python interpreter or a virtual environment that has fixsync, a folder
    with the package in it, or a wheel. Compared are the verdicts, and all events, answers and
    hashes that the two compute, whether or not the log tells them. Logs are found as by fixsync
    farm.

    \b
    Exit code  0  nothing changed
               1  something did
               2  some logs could not be verified, or a version cannot be run
    2 beats 1 beats 0.
    """
    path = (str(Path.cwd()),) if sims else ()
    common = settings_of(memory, time_limit, logs_per_worker, scratch, sims, path=path, digest=True)
    try:
        with ExitStack() as stack, Store(results) as store:
            sides = [regress.version(name, common, stack) for name in (old, new)]
            identities = [regress.identity(settings) for settings in sides]
            if (
                identities[0].code == identities[1].code
                and identities[0].kernel == identities[1].kernel
            ):
                raise WorkerError(_same(identities))
            builds = []
            for settings in sides:
                with (
                    LocalEngine(settings, workers or cores()) as engine,
                    shown_progress(hidden=as_json) as show,
                ):
                    farm(
                        find(sources, null=null),
                        store,
                        engine,
                        settings,
                        sources=sources,
                        show=show,
                    )
                    builds.append(store.build)
            report = _Report(store, sides, identities, (builds[0], builds[1]), explain)
            if as_json:
                report.print_json(results)
            else:
                report.print(text.console(), results)
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
    ctx.exit(report.exit_code)


class _Report:
    def __init__(
        self,
        store: Store,
        sides: Sequence[Settings],
        identities: Sequence[Identity],
        builds: tuple[int, int],
        explain: int,
    ) -> None:
        self._store = store
        self._sides = sides
        self._identities = identities
        self._builds = builds
        self._explain = explain
        self._moved = regress.moved(store, *builds)
        self._rewritten = regress.rewritten(store, *builds)

    @property
    def logs(self) -> int:
        return sum(moved.logs for moved in self._moved)

    @property
    def changed(self) -> int:
        return sum(moved.changed for moved in self._moved)

    @property
    def not_verified(self) -> int:
        """Logs of which at least one version computed nothing."""
        return sum(moved.logs for moved in self._moved if _is_unverified(moved)) + self._rewritten

    @property
    def exit_code(self) -> int:
        return 2 if self.not_verified else int(self.changed > 0)

    def _changes(self, limit: int = -1) -> Iterator[tuple[Change, dict[str, Any] | None]]:
        for number, change in enumerate(regress.changes(self._store, *self._builds, limit)):
            first = None
            if number < self._explain and "digest" in change.fields:
                first = regress.first_difference(change.name, *self._sides)
            yield change, asdict(first) if first else None

    def print(self, out: Console, results: Path) -> None:
        for name, identity in zip(("OLD", "NEW"), self._identities, strict=True):
            text.say(out, f"{name}  {_told(identity)}")
        text.say(out, "")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for name in ("old", "new"):
            table.add_column(name, no_wrap=True)
        for name in ("logs", "changed"):
            table.add_column(name, justify="right", no_wrap=True)
        for moved in self._moved:
            style = "bold red" if moved.changed else ""
            table.add_row(
                moved.old,
                Text(moved.new, style=style),
                f"{moved.logs:,}",
                Text(f"{moved.changed:,}", style),
            )
        text.show(out, table)
        text.say(out, "")
        told = 0
        for change, first in self._changes(_TOLD_MAX):
            text.say(out, *_lines(change, first))
            told += 1
        if self.changed > told:
            text.say(out, f"and {self.changed - told:,} more that changed")
        if self._rewritten:
            text.say(out, f"{self._rewritten:,} logs were written meanwhile and are not compared")
        text.say(
            out,
            f"{self.changed:,} of {self.logs:,} logs changed",
            f"results: {text.printable(str(results))}",
        )

    def print_json(self, results: Path) -> None:
        """One object, written as it is read: however many logs there are, they are not held."""
        head = {
            "exit_code": self.exit_code,
            "results": str(results),
            "old": _identity_json(self._identities[0], self._builds[0]),
            "new": _identity_json(self._identities[1], self._builds[1]),
            "logs": self.logs,
            "changed": self.changed,
            "not_verified": self.not_verified,
            "verdicts": [asdict(moved) for moved in self._moved],
        }
        print_open_json(head, "changes", (_change_json(*change) for change in self._changes()))


def _is_unverified(moved: Moved) -> bool:
    return moved.old in regress.NOT_VERIFIED or moved.new in regress.NOT_VERIFIED


def _same(identities: Sequence[Identity]) -> str:
    folders = " and ".join(dict.fromkeys(one.folder for one in identities))
    return f"OLD and NEW are the same: fixsync {identities[0].fixsync} in {folders}"


def _told(identity: Identity) -> str:
    return (
        f"fixsync {identity.fixsync}, Python {identity.python}, {text.printable(identity.folder)}"
    )


def _identity_json(identity: Identity, build: int) -> dict[str, Any]:
    names = ("fixsync", "semantics", "sources", "kernel", "python", "machine", "folder")
    return {"build": build, **{name: getattr(identity, name) for name in names}}


def _lines(change: Change, first: dict[str, Any] | None) -> Iterator[str]:
    yield text.printable(change.name)
    for name, side in (("old", change.old), ("new", change.new)):
        reason = f": {text.printable(side.reason)}" if side.reason else ""
        yield f"  {name}  {side.verdict}{reason}"
    if first is not None:
        yield f"  computed to something else first in frame {first['frame']}: {', '.join(first['fields'])}"
        for field in first["fields"]:
            if field in first["old"]:
                yield f"    {field}  old {_value(first['old'][field])}"
                yield f"    {' ' * len(field)}  new {_value(first['new'][field])}"
    elif change.fields != ["verdict"]:
        yield f"  not the same: {', '.join(change.fields)}"


def _value(value: Any) -> str:
    told = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return told if len(told) <= 300 else f"{told[:300]}…"


def _change_json(change: Change, first: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "log": change.name,
        "fields": change.fields,
        "old": asdict(change.old),
        "new": asdict(change.new),
        "first_difference": first,
    }

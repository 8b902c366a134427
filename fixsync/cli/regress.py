"""fixsync regress: the same logs under two versions of fixsync."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.text import Text

from fixsync.cli import options, text
from fixsync.cli.farm import (
    LISTED_MAX,
    as_usage_errors,
    print_open_json,
    settings_of,
    shared_options,
    shown_progress,
)
from fixsync.farm import regress
from fixsync.farm.engines import LocalEngine
from fixsync.farm.find import find, look, require
from fixsync.farm.regress import Change, FirstDifference, Moved
from fixsync.farm.run import cores, farm
from fixsync.farm.sandbox import Identity, Settings, WorkerError
from fixsync.farm.store import Store


@click.command("regress", cls=options.Command)
@click.argument("old", type=options.Source())
@click.argument("new", type=options.Source())
@shared_options("regress.sqlite", "Results file with the verdicts of both.")
@options.number(
    "--explain", 3, 0, None, "For up to N changed logs, find the first differing frame.", "N"
)
@click.pass_context
def regress_command(
    ctx: click.Context,
    /,
    old: str,
    new: str,
    sources: Sequence[str],
    results: Path,
    explain: int,
    workers: int | None,
    null: bool,
    as_json: bool,
    **limits: Any,
) -> None:
    """Verify the same logs with two versions of fixsync.

    OLD and NEW are each a Python interpreter or a virtual environment that has fixsync, a folder
    with the package in it, or a wheel. Their verdicts are compared, and all events, answers and
    hashes that they compute, even those that the log does not record. DIR, GLOB and LIST: see
    fixsync farm.

    \b
    Exit code  0  no differences
               1  some logs differ
               2  some logs cannot be verified, or a version cannot run
    2 beats 1 beats 0.
    """
    common = settings_of(**limits, digest=True)
    with as_usage_errors(ctx, results), ExitStack() as stack:
        require(sources)
        store = stack.enter_context(Store(results))
        sides = [regress.version(name, common, stack) for name in (old, new)]
        identities = [regress.identity(settings) for settings in sides]
        first, second = identities
        if (first.code, first.kernel) == (second.code, second.kernel):
            raise WorkerError(_same(identities))
        # The sources are read once: they may be pipes.
        found = find(sources, null=null)
        builds = []
        for settings in sides:
            with (
                LocalEngine(settings, workers or cores()) as engine,
                shown_progress(hidden=as_json) as show,
            ):
                farm(found, store, engine, settings, sources=sources, show=show)
            builds.append(store.build)
            found = look(store.names(store.run))
        report = _Report(store, sides, identities, (builds[0], builds[1]), explain)
        if as_json:
            report.print_json(results)
        else:
            report.print(text.console(), results)
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
        """Logs for which at least one version computed nothing."""
        return sum(moved.logs for moved in self._moved if _is_unverified(moved)) + self._rewritten

    @property
    def exit_code(self) -> int:
        return 2 if self.not_verified else int(self.changed > 0)

    def _changes(self, limit: int = -1) -> Iterator[tuple[Change, FirstDifference | None]]:
        for number, change in enumerate(regress.changes(self._store, *self._builds, limit)):
            is_explained = number < self._explain and "digest" in change.fields
            yield (
                change,
                regress.first_difference(change.name, *self._sides) if is_explained else None,
            )

    def print(self, out: Console, results: Path) -> None:
        for name, identity in zip(("OLD", "NEW"), self._identities, strict=True):
            text.say(out, f"{name}  {_named(identity)}")
        text.say(out, "")
        rows = []
        for moved in self._moved:
            style = "bold red" if moved.changed else ""
            changed = Text(f"{moved.changed:,}", style)
            rows.append((moved.old, Text(moved.new, style), f"{moved.logs:,}", changed))
        names = ("old", "new", "logs", "changed")
        text.show(out, text.table(names, rows, numbers=("logs", "changed")))
        text.say(out, "")
        listed = 0
        for change, first in self._changes(LISTED_MAX):
            text.say(out, *_lines(change, first))
            listed += 1
        if self.changed > listed:
            text.say(out, f"and {self.changed - listed:,} more")
        if self._rewritten:
            text.say(out, f"{self._rewritten:,} logs changed during the run and are not compared")
        text.say(
            out,
            f"{self.changed:,} of {self.logs:,} logs differ",
            f"results: {results}",
        )

    def print_json(self, results: Path) -> None:
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


def _named(identity: Identity) -> str:
    return f"fixsync {identity.fixsync}, Python {identity.python}, {identity.folder}"


def _identity_json(identity: Identity, build: int) -> dict[str, Any]:
    return {"build": build, **msgspec.structs.asdict(identity)}


def _lines(change: Change, first: FirstDifference | None) -> Iterator[str]:
    yield change.name
    for name, side in (("old", change.old), ("new", change.new)):
        reason = f": {side['reason']}" if side["reason"] else ""
        yield f"  {name}  {side['verdict']}{reason}"
    if first is not None:
        yield f"  first differing frame {first.frame}: {', '.join(first.fields)}"
        for field in first.old:
            yield f"    {field}  old {_value(first.old[field])}"
            yield f"    {' ' * len(field)}  new {_value(first.new[field])}"
    elif change.fields != ["verdict"]:
        yield f"  different: {', '.join(change.fields)}"


def _value(value: Any) -> str:
    line = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return line if len(line) <= 300 else f"{line[:300]}…"


def _change_json(change: Change, first: FirstDifference | None) -> dict[str, Any]:
    return {**asdict(change), "first_difference": asdict(first) if first else None}

"""fixsync bench: what frames cost, beside other libraries and yardsticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from fixsync.bench.check import FRAMES, PINNED_COUNTS, checked
from fixsync.bench.costs import Cost, costs, log_cost
from fixsync.bench.frames import Row, rows
from fixsync.bench.plot import svg
from fixsync.bench.scenes import SCENES, SEED
from fixsync.cli import streams, text
from fixsync.log import files
from fixsync.log.replay import replay


@click.command("bench")
@click.argument("logs", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--scene",
    "names",
    type=click.Choice([*SCENES]),
    multiple=True,
    metavar="NAME",
    help=f"Only these scenes. Repeatable.  [default: all of {', '.join(SCENES)}]",
)
@click.option(
    "--count",
    "counts",
    type=click.IntRange(10, 1_000_000),
    multiple=True,
    help="Colliders in a scene. Repeatable.  [default: 1000, 10000]",
)
@click.option("--fixsync-only", is_flag=True, help="Leave out pymunk and SciPy.")
@click.option(
    "--plot",
    type=text.OutputFile(),
    metavar="FILE",
    help="Write the plot, an SVG, here; -: standard output.",
)
@click.option(
    "--check", is_flag=True, help="Check the scenes' answers, measure nothing; a few seconds."
)
@text.json_option
@click.pass_context
def bench_command(
    ctx: click.Context,
    logs: tuple[str, ...],
    names: tuple[str, ...],
    counts: tuple[int, ...],
    fixsync_only: bool,
    plot: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Measure whole frames: moves in, a step, events out, driven from Python.

    Every scene is a function of its name and the number of colliders, so the hash in its row is the
    same on every machine. pymunk and SciPy with NumPy run the flat scenes in turns with fixsync, if
    installed. Times are processor time, the least of all frames; "median" tells how quiet the
    machine was. LOGS are match logs to replay.

    \b
    Exit code  0  all hashes are as pinned, or none is pinned for these scenes
               1  an answer is wrong
               2  a log is not valid, or diverges, or the plot cannot be written
    """
    if check:
        if logs or counts or plot is not None:
            raise click.UsageError(
                "--check measures nothing: no LOGS, --count or --plot with it", ctx
            )
        ctx.exit(_check(dict.fromkeys(names or SCENES), as_json))
    for path in logs:
        if error := _fault(path):
            raise click.ClickException(text.printable(error))
    out = text.console(plot)

    def log(what: str) -> None:
        if not as_json and out.is_terminal:
            streams.echo(f"\r\x1b[K{what}", nl=False, err=True)

    sizes = sorted(set(counts or (1_000, 10_000)))
    found = [
        row
        for name in dict.fromkeys(names or SCENES)
        for count in sizes
        for row in rows(name, count, with_others=not fixsync_only, log=log)
    ]
    single = [*costs(10_000, log), *(log_cost(path) for path in logs)]
    log("")
    if as_json:
        text.print_json(_json(found, single), plot)
    else:
        _print(out, found, single, sizes)
    if plot is not None:
        try:
            with closing(files.Sink(plot, suffix="")) as sink:
                sink.write(svg(found).encode())
        except OSError as error:
            # After all that was measured has been told.
            streams.echo(
                f"Error: the plot cannot be written: {text.printable(str(error))}", err=True
            )
            ctx.exit(2)
    ctx.exit(1 if any(row.is_pinned is False for row in found) else 0)


def _fault(path: str) -> str:
    """Why a log cannot be measured; "" if it can."""
    try:
        result = replay(path)
    except (OSError, ValueError) as error:
        return str(error)
    if result.difference is not None:
        return f"{path}: it diverges in frame {result.difference.frame}; fixsync replay tells how"
    return str(result.error or "")


def _check(names: Iterable[str], as_json: bool) -> int:
    found = list(checked(names))
    code = 1 if any(faults for _, _, faults in found) else 0
    if as_json:
        scenes = [{"scene": name, "hash": hash, "faults": faults} for name, hash, faults in found]
        text.print_json({"exit_code": code, "scenes": scenes})
    else:
        for name, hash, faults in found:
            streams.echo(f"{name:<14} {hash}  {'wrong' if faults else 'right'}")
            for fault in faults:
                streams.echo(f"  {fault}")
    return code


def _json(found: list[Row], single: list[Cost]) -> dict[str, Any]:
    return {
        "seed": SEED,
        "frames": FRAMES,
        "scenes": [
            {
                **asdict(row),
                "ns_per_collider": row.each,
                "ns_per_collider_and_report": row.each_told,
            }
            for row in found
        ],
        "costs": [{**asdict(cost), "ratio": cost.ratio} for cost in single],
    }


def _table(*columns: str, left: int = 1) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < left else "right", no_wrap=True)
    return table


def _print(out: Any, found: list[Row], single: list[Cost], sizes: list[int]) -> None:
    text.say(out, f"frames, in nanoseconds a collider (state hashed after {FRAMES} frames)")
    table = _table(
        "scene",
        "library",
        "colliders",
        "least",
        "median",
        "x fixsync",
        "pairs",
        "told",
        "hash",
        left=2,
    )
    base = 0.0
    for row in found:
        base = row.each if row.library == "fixsync" else base
        verdict = {True: "", False: " WRONG", None: " not pinned"}[row.is_pinned]
        table.add_row(
            row.scene,
            row.library,
            f"{row.count:,}",
            f"{row.each:.1f}",
            f"{row.median / row.count:.1f}",
            f"{row.each / base:.1f}",
            f"{row.pairs:,}",
            f"{row.reported:,}",
            f"{row.hash}{verdict}" if row.hash else "",
        )
    text.show(out, table)
    text.say(out, "", "growth of fixsync: nanoseconds a collider and reported pair, by colliders")
    table = _table("scene", *(f"{count:,}" for count in sizes), "to uniform")
    each = {(row.scene, row.count): row.each_told for row in found if row.library == "fixsync"}
    for name in dict.fromkeys(row.scene for row in found):
        cells = [each.get((name, count)) for count in sizes]
        beside = [
            (name, count) for count in sizes if {(name, count), ("uniform", count)} <= each.keys()
        ]
        table.add_row(
            name,
            *("" if cell is None else f"{cell:.1f}" for cell in cells),
            f"{max(each[key] / each['uniform', key[1]] for key in beside):.1f}" if beside else "",
        )
    text.show(out, table)
    text.say(out, "", "single costs")
    table = _table("what", "ns", "a", "yardstick", "ns", "ratio", "hash", left=1)
    number: Callable[[float | None], str] = lambda v: "" if v is None else f"{v:,.1f}"  # noqa: E731
    for cost in single:
        table.add_row(
            cost.what,
            number(cost.cost),
            cost.unit,
            cost.yardstick,
            number(cost.yardstick_cost),
            number(cost.ratio),
            cost.hash or "",
        )
    text.show(out, table)
    text.say(
        out,
        "",
        f"hashes are pinned for {', '.join(f'{count:,}' for count in PINNED_COUNTS)} colliders",
    )

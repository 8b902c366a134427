"""fixsync bench: what a frame costs on this machine."""

from __future__ import annotations

from dataclasses import asdict

import click

from fixsync.bench.calls import Call, calls
from fixsync.bench.frames import FRAMES, Row, rows
from fixsync.bench.scenes import SCENES, SEED
from fixsync.cli import options, streams, text

_FRAME_NS = 1e9 / 60


@click.command("bench", cls=options.Command)
@click.option(
    "--scene",
    "names",
    type=click.Choice([*SCENES]),
    multiple=True,
    metavar="NAME",
    help=f"Scene to run. Repeatable.  [default: all of {', '.join(SCENES)}, and single calls]",
)
@click.option(
    "--count",
    "counts",
    type=click.IntRange(2, 1_000_000),
    multiple=True,
    metavar="N",
    help="Number of colliders in a scene. Repeatable.  [default: 1000, of uniform 10000 too]",
)
@options.json_option
@click.pass_context
def bench_command(
    ctx: click.Context,
    names: tuple[str, ...],
    counts: tuple[int, ...],
    as_json: bool,
) -> None:
    """Measure whole frames.

    In each frame every collider moves, a step is taken, and the events are read.

    Each scene is a function of its name and the number of colliders, so the hash of its final state
    is the same on every machine. Times are processor time: of the fastest frame, the mean, and the
    worst. A mean far above the least means that the machine was busy.

    Without options, small worlds, questions between moves and a loop of single calls are measured
    too.

    \b
    Exit code  0  all hashes are right or unknown
               1  a hash is wrong
    """
    is_all = not (names or counts)
    names = tuple(dict.fromkeys(names or SCENES))
    chosen = [(name, count) for count in dict.fromkeys(counts or (1_000,)) for name in names]
    if is_all:
        chosen.insert(0, ("uniform", 10_000))
    found: list[Row] = []
    for name, count in chosen:
        for row in rows(name, count):
            if not as_json:
                _print(row, is_first=not found)
            found.append(row)
    single: list[Call] = []
    for call in calls() if is_all else ():
        if not as_json:
            _print_call(call, is_first=not single)
        single.append(call)
    code = 1 if any(row.is_pinned is False for row in found) else 0
    if as_json:
        report = {"exit_code": code, "seed": SEED, "frames": FRAMES}
        lists = {"scenes": [asdict(row) for row in found], "calls": [asdict(c) for c in single]}
        text.print_json({**report, **lists})
    ctx.exit(code)


def _print(row: Row, *, is_first: bool) -> None:
    if is_first:
        ms = row.least / 1e6
        streams.echo(
            f"{row.count:,} colliders: a frame takes {ms:.3g} ms,"
            f" {row.least / _FRAME_NS * 100:.3g}% of a 60 Hz frame\n\n"
            "scene         colliders least ms   mean  worst    pairs hash after"
            f" {FRAMES} frames"
        )
    verdict = {True: "", False: " wrong", None: " unknown"}[row.is_pinned]
    streams.echo(
        f"{row.scene:<13} {row.count:>9,} {row.least / 1e6:>8.3f} {row.mean / 1e6:>6.3f}"
        f" {row.worst / 1e6:>6.3f} {row.pairs:>8,} {row.hash}{verdict}"
    )


def _print_call(call: Call, *, is_first: bool) -> None:
    if is_first:
        streams.echo("\ncall          colliders  least us     mean    worst")
    streams.echo(
        f"{call.what:<13} {call.count:>9,} {call.least / 1e3:>9.2f} {call.mean / 1e3:>8.2f}"
        f" {call.worst / 1e3:>8.2f}"
    )

"""Frames and questions beside pymunk and SciPy: python bench/compare.py.

Needs pymunk, SciPy and NumPy; what is missing is left out. Times are processor time, the least of
several runs, of things measured in turns. Questions and plain loops are measured only where no
scene and no count is chosen."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from others import drivers, plain_loop, questions
from plot import svg

from fixsync.bench.calls import ASKED, PLAIN, SMALL, asked, plain
from fixsync.bench.frames import Row, rows
from fixsync.bench.scenes import SCENES

COUNTS = (1_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scene", action="append", choices=[*SCENES], help="default: all")
    parser.add_argument(
        "--count", action="append", type=int, help="default: 1000, 10000; uniform also 2 to 100"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="SVG of cost by colliders")
    options = parser.parse_args()
    found: list[Row] = []
    print("scene          library         colliders  ns/collider     mean  x fixsync      pairs")
    for name in options.scene or SCENES:
        few = (*SMALL, 100) if name == "uniform" else ()
        for count in options.count or (*few, *COUNTS):
            made = list(rows(name, count, drivers))
            for row in made:
                print(
                    f"{name:<13}  {row.library:<14} {count:>10,}  {row.least / count:>11.1f}"
                    f" {row.mean / count:>8.1f}  {row.least / made[0].least:>9.1f}"
                    f"  {row.pairs:>9,}",
                    flush=True,
                )
            found += made
    if options.plot is not None:
        options.plot.write_text(svg(found), encoding="utf-8")
    if not (options.scene or options.count):
        compare_calls()


def compare_calls() -> None:
    print(f"\n{'call':<48} {'us':>12} {'library':<9} us, ratio")
    with suppress(ImportError):
        for count in PLAIN:
            for turns in (True, False):
                name = f"frame of {count:,}: {'set_pose' if turns else 'move'}, a step, events"
                own, other = plain(count, turns=turns).least, plain_loop(count, turns=turns)
                print(
                    f"{name:<48} {own / 1e3:>12,.2f} pymunk    {other / 1e3:,.2f}, {other / own:.2f}"
                )
    for count in ASKED:
        owns = {call.what: call.least for call in asked(count)}
        for library, question, other in questions(count):
            own = owns[f"move, {question}"]
            name = f"among {count:,}: a move, a {question}"
            ratio = f"{other / 1e3:,.2f}, {other / own:.2f}"
            print(f"{name:<48} {own / 1e3:>12,.2f} {library:<9} {ratio}", flush=True)


if __name__ == "__main__":
    main()

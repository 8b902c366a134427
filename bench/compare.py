"""Frames beside pymunk and SciPy, and single calls beside yardsticks: python bench/compare.py.

Needs pymunk, SciPy and NumPy for the other libraries, xxhash and a C compiler for all yardsticks;
what is missing is left out. Times are processor time, the least of several runs, of things measured
in turns."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from costs import costs
from others import drivers, plain_loop
from plot import svg

from fixsync.bench.calls import plain
from fixsync.bench.frames import Row, rows
from fixsync.bench.scenes import SCENES


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scene", action="append", choices=[*SCENES], help="default: all")
    parser.add_argument("--count", action="append", type=int, help="default: 1000 and 10000")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="SVG of cost by colliders")
    options = parser.parse_args()
    found: list[Row] = []
    print("scene          library         colliders  ns/collider     mean  x fixsync      pairs")
    for name in options.scene or SCENES:
        for count in options.count or (1_000, 10_000):
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
    with suppress(ImportError):
        for count in (16, 100, 1_000):
            other, own = plain_loop(count), plain(count).least / count
            print(
                f"plain loop of {count:,}: {own:.0f} ns a collider, pymunk {other / own:.1f} times that"
            )
    print(f"\n{'call':<48} {'ns':>12} {'a':<9} yardstick, ns, ratio")
    for cost in costs(10_000):
        beside = ""
        if cost.yardstick_cost:
            ratio = cost.cost / cost.yardstick_cost
            beside = f"{cost.yardstick}, {cost.yardstick_cost:,.1f}, {ratio:.1f}"
        print(f"{cost.what:<48} {cost.cost:>12,.1f} {cost.unit:<9} {beside}", flush=True)


if __name__ == "__main__":
    main()

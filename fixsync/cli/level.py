"""fixsync level: a level out of a Tiled map, its solids as JSON, its picture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from fixsync.cli import options, text
from fixsync.level import Level, Prism
from fixsync.log.files import write_whole
from fixsync.log.solids import level_line
from fixsync.maps.drawing import bounds, svg
from fixsync.maps.tiled import TiledMap, read_tiled
from fixsync.numbers import ONE, decimal, exact

SUFFIXES = (".fxlevel", ".svg")


def _number(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Fraction | None:
    """A decimal or a ratio: "32", "0.5", "1/3"."""
    try:
        return None if value is None else exact("a number", value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _pixel(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Two numbers: "0,480"."""
    if value is None:
        return None
    x, comma, y = value.partition(",")
    if not comma:
        raise click.BadParameter(f"a pixel is X,Y like 0,480, not {value!r}")
    return _number(ctx, param, x), _number(ctx, param, y)


@click.command("level")
@click.argument("source", metavar="MAP", type=options.FILE)
@click.option(
    "-o",
    "--output",
    type=options.OutputFile(),
    metavar="OUT",
    help="File to write: OUT.fxlevel is the level, OUT.svg a picture of it from above.",
)
@click.option(
    "--pixels-per-unit",
    callback=_number,
    metavar="N",
    help="Pixels of a Tiled map that are one unit; by default the width of its tiles.",
)
@click.option(
    "--origin",
    callback=_pixel,
    metavar="X,Y",
    help="Pixel of a Tiled map that becomes (0, 0); by default its top left corner.",
)
@click.option("--z-down", is_flag=True, help="Down in a Tiled map is +Z. By default up is.")
@click.option("--hidden", is_flag=True, help="Hidden layers and objects of a Tiled map too.")
@options.json_option
def level_command(
    source: Path,
    output: Path | None,
    pixels_per_unit: Fraction | None,
    origin: tuple[Fraction, Fraction] | None,
    z_down: bool,
    hidden: bool,
    as_json: bool,
) -> None:
    """Make a level out of a map, or show a level.

    MAP is a map that Tiled has saved as JSON (.tmj, .json), or a level (.fxlevel). Without -o
    nothing is written, only shown. With --json the solids are printed as a match log's header has
    them.

    \b
    Exit code  0  the level is valid, and OUT is written
               2  the map or level is not valid: nothing is written
    """
    if output is not None and not text.takes_stdout(output) and output.suffix not in SUFFIXES:
        raise click.UsageError(f"-o writes {' or '.join(SUFFIXES)}, not {output.name}")
    with text.refusals():
        found = _read(source, pixels_per_unit, origin, z_down=z_down, hidden=hidden)
        if output is not None:
            is_picture = output.suffix == ".svg"
            level = found.level
            data = svg(level, found.names).encode() if is_picture else level.to_bytes()
            write_whole(output, data)
    if as_json:
        text.print_json(_json(source, output, found), output)
        return
    out = text.console(output)
    text.show(out, text.pairs_table(_rows(source, found)))
    if output is not None:
        text.say(out, f"written: {output} ({text.size(len(data))})")


def _read(
    source: Path,
    pixels_per_unit: Fraction | None,
    origin: tuple[Fraction, Fraction] | None,
    *,
    z_down: bool,
    hidden: bool,
) -> TiledMap:
    if pixels_per_unit is not None and pixels_per_unit <= 0:
        raise click.UsageError(f"--pixels-per-unit must be more than 0, not {pixels_per_unit}")
    if source.suffix != ".fxlevel":
        return read_tiled(
            source,
            pixels_per_unit=pixels_per_unit,
            origin=origin or (0, 0),
            z_down=z_down,
            hidden=hidden,
        )
    if pixels_per_unit is not None or origin is not None or z_down or hidden:
        raise click.UsageError("a level has no pixels: the options are for a Tiled map")
    return TiledMap(read_level(source))


def read_level(path: Path) -> Level:
    """The level of a file. ValueError, with its name, if it is not valid."""
    try:
        return Level.from_bytes(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def level_rows(level: Level) -> list[tuple[str, str]]:
    """What `fixsync level` and `fixsync info` show of a level."""
    rows = [("level", level_count(level))]
    if len(level):
        layers = sorted({solid.layer for solid in level})
        rows.append(("layers", ", ".join(map(str, layers))))
        left, near, right, far = bounds(level)
        low, high = min(s.y_low for s in level), max(s.y_high for s in level)
        for axis, ends in (("x", (left, right)), ("y", (low, high)), ("z", (near, far))):
            rows.append((axis, " to ".join(map(text.units, ends))))
    rows.append(("hash", f"{level.hash():016x}"))
    return rows


def level_count(level: Level) -> str:
    numbers = level_json(level)
    counts = [text.plural(numbers[f"{kind}s"], kind) for kind in ("prism", "cylinder")]
    counts = [count for count in counts if not count.startswith("0 ")]
    return f"{text.plural(len(level), 'solid')}{': ' if counts else ''}{', '.join(counts)}"


def _rows(source: Path, found: TiledMap) -> list[tuple[str, str]]:
    rows = [("source", str(source)), *level_rows(found.level)]
    if source.suffix == ".fxlevel":
        return rows
    left_out = [text.plural(count, what) for what, count in sorted(found.left_out.items())]
    rows.append(("left out", ", ".join(left_out) or "nothing"))
    worst = found.rounding
    rows.append(
        (
            "rounded",
            f"{found.rounded} of {text.plural(len(found.level), 'solid')}, no coordinate by more "
            f"than {_up(worst, 3)} raw units ({_up(worst / ONE, 9)} units)"
            if found.rounded
            else "nothing: every coordinate is exact",
        )
    )
    if found.names:
        rows.append(("names", text.plural(len(found.names), "named solid")))
    return rows


def _up(value: Fraction, digits: int) -> str:
    """A fraction rounded up to so many decimals."""
    scale = 10**digits
    return decimal(-(-value.numerator * scale // value.denominator), scale, digits)


def level_json(level: Level) -> dict[str, Any]:
    """A level in numbers."""
    prisms = sum(isinstance(solid, Prism) for solid in level)
    return {
        "solids": len(level),
        "prisms": prisms,
        "cylinders": len(level) - prisms,
        "hash": f"{level.hash():016x}",
    }


def _json(source: Path, output: Path | None, found: TiledMap) -> dict[str, Any]:
    return {
        "source": str(source),
        "output": None if output is None else str(output),
        "hash": f"{found.level.hash():016x}",
        "level": level_line(found.level),
        "names": {"ids": {str(id): name for id, name in found.names.items()}},
        "left_out": dict(found.left_out),
        "rounded": {"solids": found.rounded, "raw_units_max": _up(found.rounding, 9)},
    }

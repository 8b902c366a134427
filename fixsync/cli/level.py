"""fixsync level: a level out of a map of Tiled or LDtk, its solids as JSON, its picture."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from fixsync.base.files import check_output, write_whole
from fixsync.base.numbers import ONE
from fixsync.cli import options, text
from fixsync.log.solids import level_line
from fixsync.maps.document import PIXELS_MAX
from fixsync.maps.drawing import bounds, svg
from fixsync.maps.tiled import MapLevel, read_map
from fixsync.world.level import Level, Prism, Solid

SUFFIXES = (".fxlevel", ".svg")


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | None:
    """A number of pixels or units."""
    size = options.exact_number(ctx, param, value)
    if size is not None and not Fraction(1, ONE) <= size <= PIXELS_MAX:
        raise click.BadParameter(f"must be 1/{ONE}..{PIXELS_MAX}, not {size}")
    return size


def _pair(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Any:
    """Two numbers: "-1,2.5"."""
    if value is None:
        return None
    first, comma, second = value.partition(",")
    if not comma:
        raise click.BadParameter(f"two numbers are {_param.metavar}, not {value!r}")
    ends = (options.exact_number(_ctx, _param, end) for end in (first, second))
    return tuple(ends)


_GROUPS = {
    "What is read": ("--level", "--only", "--hidden", "--root"),
    "What is solid": ("--solid-layer", "--tiles", "--class", "--object", "--slope", "--place"),
    "Shapes of solids": ("--shapes", "--whole-tiles", "--line-width", "--steps"),
    "Units and axes": ("--pixels-per-unit", "--origin", "--y", "--z", "--z-down", "--side"),
}


@click.command("level", cls=options.Command, groups=_GROUPS)
@click.argument("source", metavar="MAP", type=options.FILE)
@options.output_option("OUT", "File to write: OUT.fxlevel is the level, OUT.svg a picture of it.")
@options.texts(
    "--solid-layer", "NAME[@LAYER]", "Layer or group of the map that is solid.", "solid_layers"
)
@options.texts(
    "--tiles",
    "TILES[@LAYER]",
    "Solid tiles, or IntGrid values: PROPERTY, PROPERTY=VALUE, TILESET:0-9,12.",
)
@options.texts("--class", "NAME[@LAYER]", "Class of objects or tiles that are solid.", "classes")
@options.texts("--object", "NAME[@LAYER]", "Name of objects that are solid.", "objects")
@options.texts(
    "--slope",
    "TILES:LEFT,RIGHT[@LAYER]",
    "Tiles that are solid up to a line, heights of 0..1.",
    "slopes",
)
@options.texts("--level", "NAME", "Level of an LDtk project, or world, that is read.", "levels")
@options.texts("--only", "NAME", "The only layer or group that is read.")
@options.texts(
    "--place", "NAME", "Name, class or layer of objects that are places, not solids.", "places"
)
@options.flag("--shapes", "Solid collision shapes of tiles and tile objects.")
@options.flag("--whole-tiles", "Whole cells for solid tiles with shapes.")
@options.read_by(
    _size, "--line-width", "PIXELS", "Thickness of walls for lines; otherwise lines are left out."
)
@options.read_by(
    _pair, "--y", "LOW,HIGH", "Lower and upper end, in units, of solids without y_low and y_high."
)
@options.flag("--side", "A map, or a picture, seen from the side: up is +Y.")
@options.read_by(
    _pair, "--z", "LOW,HIGH", "Depth, in units, seen from the side; by default -0.5,0.5."
)
@options.read_by(
    _size, "--steps", "HEIGHT", "Steps of this height, in units, for slopes seen from the side."
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder that tilesets and templates must be in; by default the map's.",
)
@options.read_by(
    _size, "--pixels-per-unit", "N", "Pixels that are one unit; by default a tile's width."
)
@options.read_by(
    _pair, "--origin", "X,Y", "Pixel that becomes (0, 0); by default the top left corner."
)
@options.flag("--z-down", "Down in a map is +Z. By default up is.")
@options.flag("--hidden", "Hidden layers and objects of a map too.")
@options.json_option
def level_command(source: Path, output: Path | None, as_json: bool, **choices: Any) -> None:
    """Make a level out of a map, or show a level.

    MAP is a map of Tiled (.tmx, .tmj, .json), a project of LDtk (.ldtk), or a level (.fxlevel). If
    no property and no option makes a part of the map solid, its layers, tiles, classes and names
    are listed, each with its option; @LAYER is the layer in the world. Without -o the level is
    shown, not written. With --json the solids are printed as a match log's header has them.

    \b
    Exit code  0  the level is valid, and OUT is written
               2  the map or level is not valid: nothing is written
    """
    if output is not None and not text.takes_stdout(output) and output.suffix not in SUFFIXES:
        raise click.UsageError(f"-o writes {' or '.join(SUFFIXES)}, not {output.name}")
    with text.refusals():
        found = _read(source, choices)
        if output is not None:
            check_output(output, found.files)
            is_picture = output.suffix == ".svg"
            level = found.level
            data = (
                svg(level, found.names, side=choices["side"]).encode()
                if is_picture
                else level.to_bytes()
            )
            write_whole(output, data)
    if as_json:
        text.print_json(_json(source, output, found), output)
        return
    out = text.console(output)
    text.show(out, text.pairs_table(_rows(source, found)))
    if output is not None:
        text.say(out, f"written: {output} ({text.size(len(data))})")


def _read(source: Path, choices: dict[str, Any]) -> MapLevel:
    given = options.given(choices)
    if source.suffix != ".fxlevel":
        return read_map(source, **given)
    if given.keys() - {"side"}:
        raise click.UsageError("a level has no pixels: but for --side, the options are for a map")
    return MapLevel(_read_level(source))


def _read_level(path: Path) -> Level:
    """The level of a file. ValueError, with its name, if it is not valid."""
    try:
        return Level.from_bytes(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _level_rows(level: Level) -> list[tuple[str, str]]:
    solids = [*level]
    rows = [("level", level_count(solids))]
    if solids:
        layers = sorted({solid.layer for solid in solids})
        rows.append(("layers", ", ".join(map(str, layers))))
        left, near, right, far = bounds(solids)
        low, high = min(s.y_low for s in solids), max(s.y_high for s in solids)
        for axis, ends in (("x", (left, right)), ("y", (low, high)), ("z", (near, far))):
            rows.append((axis, " to ".join(map(text.units, ends))))
    rows.append(("hash", f"{level.hash():016x}"))
    return rows


def level_count(solids: Collection[Solid]) -> str:
    numbers = _counts(solids)
    counts = [text.plural(numbers[f"{kind}s"], kind) for kind in ("prism", "cylinder")]
    counts = [count for count in counts if not count.startswith("0 ")]
    return f"{text.plural(len(solids), 'solid')}{': ' if counts else ''}{', '.join(counts)}"


def _counts(solids: Collection[Solid]) -> dict[str, int]:
    prisms = sum(isinstance(solid, Prism) for solid in solids)
    return {"solids": len(solids), "prisms": prisms, "cylinders": len(solids) - prisms}


def _rows(source: Path, found: MapLevel) -> list[tuple[str, str]]:
    rows = [("source", str(source)), *_level_rows(found.level)]
    if source.suffix == ".fxlevel":
        return rows
    left_out = [
        text.plural(count, what, f"{what}s".replace(" of a tiles", "s of tiles"))
        for what, count in sorted(found.left_out.items())
    ]
    rows.append(("left out", ", ".join(left_out) or "nothing"))
    worst = found.rounding
    rows.append(
        (
            "rounded",
            f"{found.rounded} of {text.plural(len(found.level), 'solid')}, no coordinate by more "
            f"than {text.up(worst, 3)} raw units ({text.up(worst / ONE, 9)} units)"
            if found.rounded
            else "nothing: every coordinate is exact",
        )
    )
    if found.places:
        rows.append(("places", text.plural(len(found.places), "place")))
    if found.names:
        rows.append(("names", text.plural(len(found.names), "named solid")))
    return rows


def level_json(level: Level) -> dict[str, Any]:
    """A level in numbers."""
    return {**_counts([*level]), "hash": f"{level.hash():016x}"}


def _json(source: Path, output: Path | None, found: MapLevel) -> dict[str, Any]:
    return {
        "source": str(source),
        "output": None if output is None else str(output),
        "hash": f"{found.level.hash():016x}",
        "level": level_line(found.level),
        "names": {"ids": {str(id): name for id, name in found.names.items()}},
        "properties": {str(id): dict(own) for id, own in found.properties.items()},
        "places": [
            {
                "name": p.name,
                "class": p.kind,
                "position": p.position,
                "size": p.size,
                "id": p.id,
                "path": p.path,
                "properties": p.properties,
            }
            for p in found.places
        ],
        "levels": {name: dict(own) for name, own in found.levels.items()},
        "left_out": dict(found.left_out),
        "rounded": {"solids": found.rounded, "raw_units_max": text.up(found.rounding, 9)},
    }

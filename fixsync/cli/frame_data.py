"""fixsync frame-data: frame data out of a JSON file, as the table that C reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from fixsync.base.files import write_whole
from fixsync.cli import options, text
from fixsync.game.aseprite import AsepriteFrameData, read_aseprite
from fixsync.game.frame_data import FrameData
from fixsync.game.frame_data_file import read_frame_data, schema
from fixsync.game.frame_data_names import WRITERS


def _print_schema(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(json.dumps(schema(), indent=2))
        ctx.exit()


@click.command("frame-data", cls=options.Command)
@click.argument("source", metavar="JSON", type=options.FILE)
@options.output_option(
    "OUT",
    "File to write: OUT.h has names and table for C; OUT.cs, .rs, .gd, .ts names; OUT.json, "
    "with --from, the file; any other name the table.",
)
@click.option("--from", "of", type=click.Choice(["aseprite"]), help="Program that wrote the file.")
@options.read_by(
    options.exact_number, "--pixels-per-unit", "N", "Pixels that are one unit: required."
)
@click.option(
    "--tick-rate", type=int, metavar="N", help="Frames of the game in a second; by default 60."
)
@options.texts(
    "--hit",
    "NAME[@LAYER]",
    "Name or user data of slices that are hitboxes; by default hit*@1.",
    "hits",
)
@options.texts(
    "--hurt",
    "NAME[@LAYER]",
    "Name or user data of slices that are hurtboxes; by default hurt*@0.",
    "hurts",
)
@click.option(
    "--pivot", metavar="SLICE|X,Y", help="Slice whose pivot, or pixel that, is at the body's pose."
)
@options.read_by(options.exact_number, "--depth", "N", "Depth of the boxes in units; by default 1.")
@options.flag("--round-durations", "The nearest number of frames for each duration of an image.")
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON schema of the file, and end.",
)
@options.json_option
def frame_data_command(
    source: Path, output: Path | None, as_json: bool, of: str | None, **choices: Any
) -> None:
    """Make a table of frame data out of a JSON file.

    The file has the parts and attacks of a fighter, or is a sprite sheet that Aseprite exported,
    with --from aseprite: its slices are the parts, its tags the attacks. Without -o the table is
    shown, not written.

    \b
    Exit code  0  the file is valid, and OUT is written
               2  the file is not valid: nothing is written
    """
    given = options.given(choices)
    if of is None and given:
        flags = {"hits": "hit", "hurts": "hurt"}
        names = ", ".join(f"--{flags.get(name, name).replace('_', '-')}" for name in given)
        raise click.UsageError(f"{names}: for --from aseprite")
    if of is not None and "pixels_per_unit" not in given:
        raise click.UsageError("--from aseprite needs --pixels-per-unit N")
    suffix = "" if output is None else output.suffix
    if suffix == ".json" and of is None:
        raise click.UsageError("-o writes .json with --from; the table has another name")
    sprite = None
    with text.refusals():
        if of is not None:
            sprite = read_aseprite(source, **given)
        found = read_frame_data(source) if sprite is None else sprite.frame_data
        written = found.to_bytes()
        if suffix in WRITERS:
            written = WRITERS[suffix](source.stem, found).encode()
        elif sprite is not None and suffix == ".json":
            written = (json.dumps(sprite.document, indent=2) + "\n").encode()
        if output is not None:
            write_whole(output, written)
    if as_json:
        text.print_json({"frame_data": _json(found), "error": None}, output)
        return
    out = text.console(output)
    text.show(out, text.pairs_table([*_rows(found), *_sprite_rows(sprite)]))
    if output is not None:
        text.say(out, f"written: {output} ({text.size(len(written))})")


def _json(data: FrameData) -> dict[str, Any]:
    return {
        "parts": [*data.parts],
        "attacks": {name: attack.frames for name, attack in data.attacks.items()},
        "bytes": len(data.to_bytes()),
    }


def _sprite_rows(sprite: AsepriteFrameData | None) -> Iterator[tuple[str, str]]:
    if sprite is not None:
        yield "origin", sprite.origin
        yield "left out", ", ".join(map(repr, sprite.left_out)) or "nothing"
        yield "rounded", f"{text.plural(sprite.rounded, 'box', 'boxes')}, to a raw unit"
    if sprite is not None and sprite.durations:
        images, off = text.plural(sprite.durations, "image"), text.up(sprite.off, 3)
        yield "durations", f"{images} rounded, an attack by at most {off} frames"


def _rows(data: FrameData) -> Iterator[tuple[str, str]]:
    yield "parts", ", ".join(data.parts)
    for name, attack in data.attacks.items():
        what = f"{attack.frames} frames"
        if attack.rehits:
            what += f", {len(attack.rehits) + 1} hits"
        if attack.cancels:
            what += f", into {', '.join(dict.fromkeys(c.into for c in attack.cancels))}"
        yield name, what

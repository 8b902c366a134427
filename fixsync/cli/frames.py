"""fixsync frames: frame data out of a JSON file, as the table that C reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from fixsync.cli import options, text
from fixsync.game.frames import FrameData
from fixsync.game.frames_file import header_text, read_frames, schema
from fixsync.log.files import write_whole


def _print_schema(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(json.dumps(schema(), indent=2))
        ctx.exit()


@click.command("frames", cls=options.Command)
@click.argument("source", metavar="JSON", type=options.FILE)
@click.option(
    "-o",
    "--output",
    type=options.OutputFile(),
    metavar="OUT",
    help="File to write: OUT.h is a C header with names and table, any other name the table.",
)
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON schema of the file, and end.",
)
@options.json_option
def frames_command(source: Path, output: Path | None, as_json: bool) -> None:
    """Make a table of frame data out of a JSON file.

    The file has the parts and attacks of a fighter. Without -o the table is shown, not written.

    \b
    Exit code  0  the file is valid, and OUT is written
               2  the file is not valid: nothing is written
    """
    with text.refusals():
        found = read_frames(source)
        written = found.to_bytes()
        if output is not None:
            if output.suffix == ".h":
                written = header_text(source.stem, found).encode()
            write_whole(output, written)
    if as_json:
        text.print_json({"frames": _json(found), "error": None}, output)
        return
    out = text.console(output)
    text.show(out, text.pairs_table(_rows(found)))
    if output is not None:
        text.say(out, f"written: {output} ({text.size(len(written))})")


def _json(frames: FrameData) -> dict[str, Any]:
    return {
        "parts": [*frames.parts],
        "attacks": {name: attack.frames for name, attack in frames.attacks.items()},
        "bytes": len(frames.to_bytes()),
    }


def _rows(frames: FrameData) -> Iterator[tuple[str, str]]:
    yield "parts", ", ".join(frames.parts)
    for name, attack in frames.attacks.items():
        what = f"{attack.frames} frames"
        if attack.rehits:
            what += f", {len(attack.rehits) + 1} hits"
        if attack.cancels:
            what += f", into {', '.join(dict.fromkeys(c.into for c in attack.cancels))}"
        yield name, what

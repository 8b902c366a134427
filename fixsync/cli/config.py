"""fixsync config: how to compile and link the C kernel that this package comes with."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

import fixsync
from fixsync.cli import options, streams, text


def kernel_folder() -> Path:
    """The folder of fixsync.h, the kernel's C files and, in kit/, the kit's.

    In an installed package it is within the package, in an editable one beside it.
    FileNotFoundError if it is in neither place."""
    package = Path(fixsync.__file__).resolve().parent
    places = [package / "csrc", package.parent / "csrc"]
    for place in places:
        if (place / "fixsync.h").is_file():
            return place
    raise FileNotFoundError(f"no fixsync.h in {places[0]}, nor in {places[1]}")


@click.command("config", cls=options.Command)
@click.option("--cflags", is_flag=True, help="Compiler flags for the headers.")
@click.option("--libs", is_flag=True, help="Libraries to link (the kernel needs none).")
@click.option("--include", is_flag=True, help="Folder of the headers.")
@click.option("--sources", is_flag=True, help="C files, to compile with the program.")
@options.json_option
def config_command(as_json: bool, **asked: bool) -> None:
    """Print how to compile the C kernel into a program.

    With options, prints their values on one line, quoted for a shell; without, all, one a line.
    The kernel is compiled into the program and needs no library.

    \b
        cc -O2 game.c $(fixsync config --cflags --sources --libs) -o game

    \b
    Exit code  0  printed
               2  this installation has no C files
    """
    with text.refusals():
        folder = kernel_folder()
    sources = [*sorted(folder.glob("*.c")), *sorted(folder.glob("kit/*.c"))]
    values = {
        "cflags": [f"-I{folder}"],
        "include": [str(folder)],
        "sources": list(map(str, sources)),
        "libs": [],
    }
    is_any = any(asked.values())
    chosen = {name: words for name, words in values.items() if asked[name] or not is_any}
    if as_json:
        text.print_json(chosen)
    elif is_any:
        streams.echo(shlex.join(word for words in chosen.values() for word in words))
    else:
        for name, words in chosen.items():
            streams.echo(f"{name}: {shlex.join(words)}".rstrip())

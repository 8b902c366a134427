"""Standard output and standard error, also where nobody reads them or they are closed."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import IO

import click


def prepare() -> None:
    """Makes both streams such that a command may write to them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # It is closed: the null device takes its number, too, which the next file would have
            # got.
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it stays open
            setattr(sys, name, nowhere)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the locale cannot write must not hide a verdict.
        sys.stdout.reconfigure(errors="backslashreplace")


def hush(*files: IO[str]) -> None:
    """Later output to these is dropped."""
    for file in files:
        os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())


def echo(words: str, *, nl: bool = True, err: bool = False) -> None:
    """As click's, but a closed pipe is not an error."""
    try:
        click.echo(words, nl=nl, err=err)
    except BrokenPipeError:
        hush(sys.stderr if err else sys.stdout)

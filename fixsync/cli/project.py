"""The simulations that a project names in its pyproject.toml."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import click

FILE = "pyproject.toml"


class Named(NamedTuple):
    """The simulations of a file."""

    simulations: tuple[str, ...] = ()
    """Each as a name or module:object."""
    folder: Path | None = None
    """Where the file is. Modules are looked for there too."""

    @property
    def files(self) -> list[Path]:
        """The file."""
        return [] if self.folder is None else [self.folder / FILE]


def named(here: Path | None = None) -> Named:
    """The simulations in `sim` of `[tool.fixsync]`, in the pyproject.toml of a folder (by default
    the current one) or of the nearest folder above it that has this table. UsageError for a file
    that is not right."""
    try:
        here = here or Path.cwd()
    except OSError:
        return Named()  # the folder was removed
    for folder in (here, *here.parents):
        file = folder / FILE
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "fixsync" not in text:
            continue
        tools = _parsed(file, text).get("tool")
        table = tools.get("fixsync") if isinstance(tools, dict) else None
        if isinstance(table, dict):
            return Named(_checked(file, table), folder)
    return Named()


def _parsed(file: Path, text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib

        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise click.UsageError(f"{file}: {error}") from error
    if "[tool.fixsync]" not in text:
        return {}
    raise click.UsageError(
        f"{file} has [tool.fixsync], which needs Python 3.11 or newer:"
        " name the simulation on the command line"
    )


def _checked(file: Path, table: dict[str, Any]) -> tuple[str, ...]:
    for key in table:
        if key != "sim":
            raise click.UsageError(f"{file}: [tool.fixsync] has the key sim alone, not {key!r}")
    value = table.get("sim", [])
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(name, str) and name for name in found):
        raise click.UsageError(
            f"{file}: sim of [tool.fixsync] must be a text or a list of texts, not {value!r}"
        )
    return tuple(found)

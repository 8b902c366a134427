"""The output of commands: lines, tables, JSON, and numbers for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from fixsync.base import files
from fixsync.base.numbers import ONE, decimal
from fixsync.cli.streams import echo, hush
from fixsync.log.lines import plain
from fixsync.log.reader import Reader

_UNCUT = 10_000
ROWS_MAX = 1000
"""Rows of a table, and lines that are printed at once. --json has all of them."""
TEXT_MAX = 10_000
"""Characters of a line or a cell."""
_NARROW = 60
_GAP = 2
"""Blanks between the columns of a table."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """The reader of the output has ended. The exit code stays that of the verdict; rich would
        end with another."""
        hush(self.file)


def console(output: Path | None = None) -> Console:
    """Standard output, with the width and colours of a terminal if it is one. Standard error if a
    command's `output` goes to standard output."""
    stderr = takes_stdout(output)
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream is not None and stream.isatty() else _UNCUT
    return _Console(width=width, stderr=stderr, highlight=False, markup=False, emoji=False)


def takes_stdout(output: Path | None) -> bool:
    """Whether a command's output goes to standard output, so that nothing else may."""
    return output is not None and files.is_standard_output(output)


def say(out: Console, *lines: str | Text) -> None:
    """Lines, as long as they are. Names in a text cannot steer the terminal."""
    for line in lines[:ROWS_MAX]:
        out.print(_safe(line), soft_wrap=True)
    if len(lines) > ROWS_MAX:
        say(out, f"and {plural(len(lines) - ROWS_MAX, 'more line')}; --json has all")


def table(
    names: Sequence[str], rows: Iterable[Sequence[str | Text]], *, numbers: Collection[str] = ()
) -> Table:
    """A table with these columns, of which `numbers` are aligned to the right. Beyond ROWS_MAX
    rows it says how many it leaves out."""
    made = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for name in names:
        if name in numbers:
            made.add_column(name, justify="right", no_wrap=True)
        else:
            made.add_column(name, overflow="fold")
    return _filled(made, rows)


def _filled(made: Table, rows: Iterable[Sequence[str | Text]]) -> Table:
    found = iter(rows)
    for row in islice(found, ROWS_MAX):
        made.add_row(*map(_safe, row))
    if more := sum(1 for _ in found):
        made.caption = f"and {plural(more, 'more row')}; --json has all"  # for `show`
    return made


def pairs_table(rows: Iterable[tuple[str | Text, str | Text]]) -> Table:
    """Names and values below each other; at most ROWS_MAX, as in a table."""
    return _filled(_pairs(), rows)


def _pairs() -> Table:
    made = Table.grid(padding=(0, _GAP))
    made.add_column(no_wrap=True)
    made.add_column(overflow="fold")
    return made


def show(out: Console, table: Table) -> None:
    """A table. On a narrow terminal each of its cells has a line; where it is not for a terminal,
    no line ends with blanks."""
    left_out, table.caption = table.caption, None
    if table.show_header and out.width < _NARROW:
        table = _upright(table)
    if out.is_terminal:
        out.print(table)
    else:
        with out.capture() as captured:
            out.print(table)
        for line in captured.get().splitlines():
            out.print(Text(line.rstrip()), soft_wrap=True)
    if left_out:
        say(out, str(left_out))


def _upright(table: Table) -> Table:
    made = _pairs()
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        if made.row_count:
            made.add_row("", "")
        for column, cell in zip(table.columns, cells, strict=True):
            made.add_row(Text(str(column.header), "bold"), cell)
    return made


@contextmanager
def progress(*columns: str | ProgressColumn, is_hidden: bool) -> Iterator[Progress]:
    """Bars on standard error, if that is a terminal, that are gone at the end. Without columns: a
    name, the bar, the time that is left."""
    usual = TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn()
    is_hidden = is_hidden or not sys.stderr.isatty()
    err = Console(stderr=True)
    with Progress(*columns or usual, console=err, transient=True, disable=is_hidden) as bar:
        yield bar


@contextmanager
def reading(log: Path, *, is_hidden: bool) -> Iterator[Callable[[Reader], None]]:
    """A bar for a log that is read, moved by the function that is yielded."""
    with progress(is_hidden=is_hidden) as bar:
        task = bar.add_task(printable(log.name), total=1.0)
        yield lambda reader: bar.update(task, completed=reader.progress)


def print_json(value: Any, output: Path | None = None) -> None:
    """One JSON object on standard output, or where `console` writes."""
    # In ASCII: a file's name may hold what no UTF-8 can.
    echo(json.dumps(value, indent=2), err=takes_stdout(output))


@contextmanager
def refusals() -> Iterator[None]:
    """Ends the command with 2, and the reason, for a file or a value that it cannot use."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error


def error_json(error: BaseException | None) -> dict[str, Any] | None:
    """An error's message, and its place and reason if it has them."""
    if error is None:
        return None
    keys = ("file", "line", "field", "path", "reason")
    return {"message": str(error)} | {k: getattr(error, k) for k in keys if hasattr(error, k)}


def page_of(log: Path) -> str:
    """The name of the page that `fixsync view` writes of a log: its name without the suffixes of its
    kind and compression."""
    name = log.name
    if files.suffix_of(name):
        name = name[: name.rindex(".")]
    return f"{name.removesuffix('.jsonl') or 'match'}.html"


def compact(value: Any) -> str:
    """A value as a log writes it."""
    return json.dumps(plain(value), separators=(",", ":"), ensure_ascii=False)


def printable(text: str) -> str:
    """A text out of a log without characters that could steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    """The same for several lines, which stay lines."""
    return "\n".join(map(printable, text.split("\n")))


def _safe(text: str | Text) -> Text:
    return Text(printable(shortened(text))) if isinstance(text, str) else text


def shortened(text: str, most: int = TEXT_MAX) -> str:
    """A text that says how much of it is left out, if it is longer."""
    return text if len(text) <= most else f"{text[:most]}… and {len(text) - most:,} more characters"


def up(value: Fraction, digits: int) -> str:
    """A fraction rounded up to so many decimals."""
    scale = 10**digits
    return decimal(-(-value.numerator * scale // value.denominator), scale, digits)


def units(raw: int) -> str:
    """A Q16.16 number in units and as it is."""
    return f"{decimal(raw, ONE, 5)} ({raw})"


def vector(raw: Sequence[int]) -> str:
    """Q16.16 coordinates in units and as they are."""
    return f"{', '.join(decimal(v, ONE, 5) for v in raw)} ({', '.join(map(str, raw))})"


def angle(steps: int) -> str:
    """A yaw or a half angle in degrees and in steps."""
    return f"{decimal(steps * 360, 65536, 3)}° ({steps})"


def duration(seconds: float) -> str:
    """A time for people."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    if hours:
        return f"{hours}:{minutes:02}:{int(rest):02}"
    return f"{minutes}:{rest:04.1f}" if minutes else f"{rest:.2f} s"


def size(count: int) -> str:
    """ "1 byte", "2,345 bytes"."""
    return f"{count:,} byte{'' if count == 1 else 's'}"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """ "1 frame", "2 frames"; `nouns` where the plural is not with an s."""
    return f"{count} {noun if count == 1 else nouns or f'{noun}s'}"

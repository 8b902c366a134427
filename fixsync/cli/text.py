"""Shared by the commands: the console, numbers as text, and common options."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fixsync import sim
from fixsync._native.kinds import KINDS_BY_NAME
from fixsync.cli import project
from fixsync.cli.streams import echo, hush
from fixsync.fields import decimal
from fixsync.level import Prism, Solid
from fixsync.log import files
from fixsync.log.lines import plain
from fixsync.log.schema import LINE_BYTES_MAX, Header, MatchLogError
from fixsync.numbers import ONE
from fixsync.records import Collider

_Command = TypeVar("_Command", bound=Callable[..., Any] | click.Command)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)


class OutputFile(click.Path):
    """A file to write. "-" is standard output; a file of that name is "./-"."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a name is needed, and this one is empty", param, ctx)
        return files.STANDARD_OUTPUT if value == "-" else super().convert(value, param, ctx)


class OutputFolder(click.Path):
    """A folder to write to, which standard output cannot be."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a name is needed, and this one is empty", param, ctx)
        if value == "-":
            self.fail("standard output is no folder (and a folder of this name is ./-)", param, ctx)
        return super().convert(value, param, ctx)


_UNCUT = 10_000
_GAP = 2
"""Blanks between the columns of a table."""


_PROSE_MIN = 16
"""How narrow a column whose cells break between words can get."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Whoever reads the output has enough of it: no reason to end with another code than the
        verdict's, as rich does."""
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
    """Lines, as long as they are."""
    for line in lines:
        out.print(line, soft_wrap=True)


def show(out: Console, table: Table) -> None:
    """A table; where it is not for a terminal, without blanks at the ends of lines.

    On a terminal that is too narrow for it, the first cell of each row has a line of its own; if
    that is not enough, each cell has."""
    if out.is_terminal:
        if _width(table) <= out.width:
            out.print(table)
        elif _width(table, 1) + 2 <= out.width:
            _show_stacked(out, table)
        else:
            out.print(_upright(table))
        return
    with out.capture() as captured:
        out.print(table)
    say(out, *(line.rstrip() for line in captured.get().splitlines()))


def _width(table: Table, first: int = 0) -> int:
    """The width of a table, without its columns before the `first`."""
    widths = []
    for column in table.columns[first:]:
        lines = "\n".join(map(str, (column.header, *column.cells))).splitlines()
        width = max(map(cell_len, lines), default=0)
        widths.append(min(width, _PROSE_MIN) if column.overflow == "fold" else width)
    return sum(widths) + _GAP * (len(widths) - 1)


def _show_stacked(out: Console, table: Table) -> None:
    lower = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for column in table.columns[1:]:
        lower.add_column(column.header, justify=column.justify, no_wrap=True)
    for cells in zip(*(column.cells for column in table.columns[1:]), strict=True):
        lower.add_row(*cells)
    with out.capture() as captured:
        out.print(lower)
    head, *rows = captured.get().splitlines()
    say(out, Text.from_ansi(f"  {head}"))
    for name, row in zip(table.columns[0].cells, rows, strict=True):
        say(out, Text.assemble(str(name)), Text.from_ansi(f"  {row}"))


def listed(out: Console, items: Sequence[str], indent: int = 0) -> str:
    """Items with commas between them, in lines that end after an item."""
    lines, room = [""], out.width - indent
    for number, item in enumerate(items):
        part = item + ("," if number + 1 < len(items) else "")
        if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(part) > room:
            lines.append(part)
        else:
            lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines)


def _upright(table: Table) -> Table:
    upright = _pairs()
    for number, cells in enumerate(zip(*(column.cells for column in table.columns), strict=True)):
        if number:
            upright.add_row()
        for column, cell in zip(table.columns, cells, strict=True):
            upright.add_row(Text(str(column.header), "bold"), cell)
    return upright


def print_json(value: Any, output: Path | None = None) -> None:
    """One JSON object on standard output, or where `console` writes."""
    # In ASCII: a file's name may hold what no UTF-8 can.
    echo(json.dumps(value, indent=2), err=takes_stdout(output))


def compact(value: Any) -> str:
    """A value as a log writes it."""
    return json.dumps(plain(value), separators=(",", ":"), ensure_ascii=False)


def printable(text: str) -> str:
    """A text out of a log without what could steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    """Likewise of several lines, which stay such."""
    return "\n".join(map(printable, text.split("\n")))


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


class Seconds(click.FloatRange):
    """A time in seconds. click accepts NaN in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if seconds != seconds:
            self.fail(f"{value!r} is not a number", param, ctx)
        return seconds


def size(count: int) -> str:
    """ "1 byte", "2,345 bytes"."""
    return f"{count:,} byte{'' if count == 1 else 's'}"


def plural(count: int, noun: str) -> str:
    """ "1 frame", "2 frames"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def named_id(id: int, header: Header) -> str:
    """An id with the name that the log has for it."""
    return f'{id} "{printable(header.names.ids[id])}"' if id in header.names.ids else str(id)


def named_layer(layer: int, header: Header) -> str:
    """A layer with the name that the log has for it."""
    names = header.names.layers
    return f'{layer} "{printable(names[layer])}"' if layer in names else str(layer)


def layer_name(layer: int, header: Header) -> str:
    """The name of a layer, or its number."""
    return printable(header.names.layers.get(layer, str(layer)))


def layers_text(pairs: Sequence[Sequence[int]] | None, header: Header) -> str:
    """The pairs of layers that meet."""
    if pairs is None:
        return "all"
    return ", ".join("-".join(layer_name(i, header) for i in pair) for pair in pairs) or "none"


def shape_text(row: Sequence[Any]) -> str:
    """A shape, given as in a log, in units and as it is."""
    kind, *sizes = row
    parts = [
        f"{size.name} {angle(value) if size.name == 'half_angle' else units(value)}"
        for size, value in zip(KINDS_BY_NAME[kind].sizes, sizes, strict=False)
    ]
    return f"{kind} {', '.join(parts)}"


def solid_lines(name: str, solid: Solid, header: Header) -> list[str]:
    """A solid in words, over several lines."""
    if isinstance(solid, Prism):
        what = [f"prism of {len(solid.vertices)} vertices"]
        what += [f"  vertex {vector(vertex)}" for vertex in solid.vertices]
    else:
        what = [f"cylinder, radius {units(solid.radius)}", f"  centre {vector((solid.x, solid.z))}"]
    heights = f"{units(solid.y_low)} to {units(solid.y_high)}"
    layer = named_layer(solid.layer, header)
    return [f"{name}: {what[0]}", *what[1:], f"  y {heights}, layer {layer}, of the level"]


def collider_lines(id: int, collider: Collider | Solid | None, header: Header) -> list[str]:
    """A collider or a solid in words, over several lines."""
    name = named_id(id, header)
    if collider is None:
        return [f"{name}: not in the world"]
    if not isinstance(collider, Collider):
        return solid_lines(name, collider, header)
    pose = collider.pose
    owner = f"owner {collider.owner}" if collider.owner else "no owner"
    activity = "" if collider.active else ", inactive"
    lines = [
        f"{name}: {shape_text(collider.shape.as_tuple())}",
        f"  position {vector((pose.x, pose.y, pose.z))}",
        f"  yaw {angle(pose.yaw)}, layer {named_layer(collider.layer, header)}, {owner}{activity}",
    ]
    if any(collider.offset):
        lines.append(f"  offset {vector(collider.offset)}")
    return lines


def collider_json(collider: Collider | Solid | None) -> dict[str, Any] | None:
    if collider is None:
        return None
    if not isinstance(collider, Collider):
        return {"solid": list(collider.as_tuple())}
    pose = collider.pose
    return {
        "id": collider.id,
        "shape": list(collider.shape.as_tuple()),
        "position": [pose.x, pose.y, pose.z],
        "yaw": pose.yaw,
        "layer": collider.layer,
        "owner": collider.owner,
        "offset": list(collider.offset),
        "active": collider.active,
    }


def error_json(error: MatchLogError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "message": str(error),
        "file": error.file,
        "line": error.line,
        "field": error.field,
        "reason": error.reason,
    }


def pairs_table(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and values below each other."""
    table = _pairs()
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def _pairs() -> Table:
    table = Table.grid(padding=(0, _GAP))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def look_here() -> None:
    """Adds this folder to the search path of modules."""
    try:
        _look_in(Path.cwd())
    except OSError:
        return  # the folder was removed


def _look_in(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def project_simulations() -> project.Named:
    """The simulations that pyproject.toml names; its folder is on the search path of modules."""
    named = project.named()
    if named.folder is not None:
        _look_in(named.folder)
    return named


def chosen_simulation(reference: str | None) -> str:
    """What a command that runs one simulation runs: the one that the command line names, else the
    first of pyproject.toml, else the sample."""
    look_here()
    if reference is not None:
        return reference
    return next(iter(project_simulations().simulations), "skillfight")


def found_simulation(reference: str) -> sim.SimulationType:
    """The simulation that the command line names. ValueError if it does not exist; if its module
    cannot be imported, the traceback is printed first, for its author."""
    try:
        return sim.find(reference)
    except ValueError:
        raise
    except (Exception, SystemExit) as error:
        echo(traceback.format_exc(), nl=False, err=True)
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"simulation {reference!r} cannot be imported: {what}") from error


def number(
    name: str, default: int, least: int, most: int | None, text: str, metavar: str | None = None
) -> Callable[[_Command], _Command]:
    """An option that is an integer of a range."""
    return click.option(
        name,
        type=click.IntRange(least, most),
        default=default,
        show_default=True,
        metavar=metavar,
        help=text,
    )


line_bytes_option = number(
    "--line-bytes-max", LINE_BYTES_MAX, 1, None, "Longest line of a log that is read.", "BYTES"
)


def sim_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--sim, for commands that replay logs with a simulation."""
    return click.option(
        "--sim",
        "simulations",
        multiple=True,
        metavar="MODULE:OBJECT",
        callback=_simulations,
        help=SIM_HELP,
    )(command)


SIM_HELP = (
    "Simulation for logs with a sim, from Python's path or this folder. Repeatable."
    " Otherwise those of pyproject.toml."
)


def _simulations(
    ctx: click.Context, param: click.Parameter, references: tuple[str, ...]
) -> Mapping[str, sim.SimulationType]:
    if references:
        look_here()
    else:
        references = project_simulations().simulations
    found = {}
    for reference in references:
        try:
            simulation = found_simulation(reference)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from error
        name = getattr(simulation, "name", None)
        if not isinstance(name, str):
            raise click.BadParameter(f"{reference} has no name for logs to give", ctx, param)
        found[name] = simulation
    return found

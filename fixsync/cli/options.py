"""Options that commands share, and the types of their values."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from fixsync.base import files
from fixsync.base.numbers import exact
from fixsync.cli import project
from fixsync.cli.streams import echo
from fixsync.log.reader import Reader
from fixsync.log.replay import find_logs
from fixsync.match import sim
from fixsync.match.builds import GameFolder, files_of

_Command = TypeVar("_Command", bound=Callable[..., Any] | click.Command)


def texts(
    option: str, metavar: str, help: str, name: str = "", **more: Any
) -> Callable[[_Command], _Command]:
    """An option that may stand several times."""
    names = (option, *[name] * bool(name))
    return click.option(*names, multiple=True, metavar=metavar, help=help, **more)


def read_by(read: Any, option: str, metavar: str, help: str) -> Callable[[_Command], _Command]:
    """An option whose text is read."""
    return click.option(option, callback=read, metavar=metavar, help=help)


def flag(option: str, help: str, name: str = "") -> Callable[[_Command], _Command]:
    """An option without a value."""
    return click.option(option, *[name] * bool(name), is_flag=True, help=help)


json_option = flag("--json", "Print one JSON object instead of text.", "as_json")


def exact_number(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> Fraction | None:
    """A decimal or a ratio: "32", "0.5", "1/3"."""
    try:
        return None if value is None else exact("a number", value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


attacks_option = texts(
    "--attacks",
    "LAYER",
    "Layer, by number or name, whose colliders are attacks. Repeatable.",
    "layers",
)
GUESS = (
    "a guess: colliders that were inactive once, or came in mid-match. --attacks LAYER says which "
    "are attacks; so does the word attack in a layer's name"
)
"""Where nothing says what an attack is."""

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A file to read."""


class Output(click.Path):
    """What a command writes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a name is needed, and this one is empty", param, ctx)
        return super().convert(value, param, ctx)

    def written(self, value: Any) -> list[Path]:
        """The files that are written or removed."""
        return [value]


class OutputFile(Output):
    """A file to write. "-" is standard output; a file of that name is "./-"."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return files.STANDARD_OUTPUT if value == "-" else super().convert(value, param, ctx)


class OutputFolder(Output):
    """A folder to write to, which standard output cannot be."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            self.fail("standard output is not a folder; a folder of this name is ./-", param, ctx)
        return super().convert(value, param, ctx)

    def written(self, value: Any) -> list[Path]:  # noqa: ARG002 - a folder is not a file
        return []


class OutputDatabase(Output):
    """An SQLite database to write, which has a lock and SQLite's own files beside it."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def written(self, value: Any) -> list[Path]:
        ends = ("", ".lock", "-journal", "-wal", "-shm")
        return [value.with_name(f"{value.name}{end}") for end in ends]


def output_option(
    metavar: str, text: str, *, name: str = "--output", required: bool = False
) -> Callable[[_Command], _Command]:
    """The file that a command writes."""
    return click.option(
        "-o", name, type=OutputFile(), required=required, metavar=metavar, help=text
    )


class Source(click.types.StringParamType):
    """A text that may be the name of a file to read: a pattern, an address, a folder, a list."""


class Command(click.Command):
    """A command of `fixsync`. Before it does anything, it compares each of its outputs with each
    of its inputs: an output over its own input is an error."""

    def __init__(
        self, *args: Any, groups: Mapping[str, Sequence[str]] | None = None, **more: Any
    ) -> None:
        """groups: options by heading of the help; the others come first."""
        super().__init__(*args, **more)
        self._groups = groups or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Not the arguments, which the usage has: click 8.5.1 gives them an empty row.
        options = (param for param in self.get_params(ctx) if isinstance(param, click.Option))
        params = [(param, param.get_help_record(ctx)) for param in options]
        grouped = {name for names in self._groups.values() for name in names}

        def rows(names: Sequence[str] | None) -> list[tuple[str, str]]:
            return [
                row
                for param, row in params
                if row is not None
                and ({*param.opts} & {*names} if names is not None else not {*param.opts} & grouped)
            ]

        for title, names in (("Options", None), *self._groups.items()):
            with formatter.section(title):
                formatter.write_dl(rows(names))

    def invoke(self, ctx: click.Context) -> Any:
        given = [(p.type, ctx.params.get(p.name or "")) for p in self.params]
        outputs = [
            file
            for type, value in given
            if isinstance(type, Output) and value is not None
            for file in type.written(value)
        ]
        if outputs:
            inputs = [file for type, value in given for file in _read_by(type, value)]
            try:
                for output in outputs:
                    files.check_output(output, inputs)
            except ValueError as error:
                raise click.UsageError(str(error), ctx) from error
        return super().invoke(ctx)


def _read_by(type: object, value: Any) -> Iterator[str | Path]:
    """The files that a parameter names to be read. A folder stands for the logs in it, simulations
    for their modules and the pyproject.toml that names them."""
    if isinstance(value, Simulations):
        yield from value.files
    if isinstance(type, Output) or not isinstance(type, (click.Path, Source)):
        return
    for path in value if isinstance(value, tuple) else () if value is None else (value,):
        if isinstance(type, click.Path) and type.file_okay and Path(path).is_dir():
            with suppress(ValueError, OSError):  # the command's own error
                yield from find_logs([path])
        else:
            yield path


def given(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the command line has. A number of 0 is one."""
    return {
        name: value
        for name, value in choices.items()
        if value is not None and value is not False and value != ()
    }


def number(
    name: str,
    default: int | None,
    least: int,
    most: int | None,
    text: str,
    metavar: str | None = None,
) -> Callable[[_Command], _Command]:
    """An option that is an integer of a range."""
    return click.option(
        name,
        type=click.IntRange(least, most),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=text,
    )


SIM_HELP = (
    "Simulation for logs with a sim, from Python's path or this folder. Repeatable."
    " Otherwise those of pyproject.toml."
)


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--sim and --json, for commands that replay logs: the first is an argument of what reads a log."""
    sim_option = texts("--sim", "MODULE:OBJECT", SIM_HELP, "simulations", callback=_simulations)
    return sim_option(json_option(command))


_AT = "fixsync --at"


def _homes(ctx: click.Context, param: click.Parameter, folders: tuple[Path, ...]) -> None:
    if len(folders) not in (0, 2):
        raise click.BadParameter(
            f"takes two folders, the old game's and the new one's, not {len(folders)}", ctx, param
        )
    ctx.meta[_AT] = folders


at_option = click.option(
    "--at",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    is_eager=True,  # --sim is looked for there
    expose_value=False,
    callback=_homes,
    help="Folder of a version of the game, for --sim or its pyproject.toml. Give two.",
)


class Simulations(dict[str, sim.SimulationType]):
    """Simulations by name."""

    def __init__(self) -> None:
        self.references: dict[str, str] = {}
        """How the command line, or pyproject.toml, names each."""
        self.versions: tuple[Simulations, Simulations] | None = None
        """The two of a comparison: those of `--at`, or two of `--sim`."""
        self.files: list[str | Path] = []
        """Those of their modules, of all modules that are loaded, and the pyproject.toml files that
        name them."""
        self.labels = ("", "")
        """The folders of the versions, or how the command line names them."""

    def add(self, reference: str, simulation: sim.SimulationType) -> None:
        """ValueError for one that no log can refer to."""
        name = getattr(simulation, "name", None)
        if not isinstance(name, str):
            raise ValueError(f"{reference} needs an attribute name: logs refer to it")
        self[name], self.references[name] = simulation, reference

    @property
    def of_one_game(self) -> tuple[Simulations, Simulations] | None:
        """The versions, unless two of `--sim` are for logs of different games."""
        is_one = self.versions is not None and (
            not self or self.versions[0].keys() == self.versions[1].keys()
        )
        return self.versions if is_one else None

    def builds(self, log: Path) -> tuple[sim.SimulationType, sim.SimulationType]:
        """The two versions that play the inputs of a log. UsageError if none are given."""
        if self.versions is None:
            raise click.UsageError(
                f"Missing argument 'B': {log} alone needs two versions of its game,"
                " --sim OLD:Game --sim NEW:Game, or --at DIR twice"
            )
        with Reader(log) as reader:
            name = reader.header.sim
        if name is None:
            raise click.UsageError(f"{log} is a trace: it has no inputs to play again")
        old, new = (side.chosen(name) for side in self.versions)
        return old, new

    def chosen(self, name: str) -> sim.SimulationType:
        """The one of a log's name, or the only one, whatever its name is."""
        if name not in self and len(self) != 1:
            raise click.UsageError(f"the log has the simulation {name!r}: give one of that name")
        return self.get(name) or next(iter(self.values()))


def _simulations(
    ctx: click.Context, param: click.Parameter, references: tuple[str, ...]
) -> Simulations:
    found = Simulations()
    try:
        if folders := ctx.meta.get(_AT):
            found.versions = _in_folders(folders, references)
            found.files = [file for side in found.versions for file in side.files]
            found.labels = str(folders[0]), str(folders[1])
            return found
        if references:
            _look_in(Path())
        parts = [Simulations() for _ in references]
        for one, reference in zip(parts, references, strict=True):
            one.add(reference, found_simulation(reference))
            found.add(reference, *one.values())
        if len(parts) == 2:
            found.versions, found.labels = (parts[0], parts[1]), (references[0], references[1])
        named = project.Named() if references else project_simulations()
        for reference in named.simulations:
            found.add(reference, found_simulation(reference))
        found.files = loaded_files(named)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error
    return found


def _in_folders(
    folders: tuple[Path, Path], references: tuple[str, ...]
) -> tuple[Simulations, Simulations]:
    """The simulations of two folders: one reference of the command line is for both."""
    if len(references) > 2:
        raise ValueError(f"of --at, --sim names one for both or one each, not {len(references)}")
    sides = Simulations(), Simulations()
    for i, (side, folder) in enumerate(zip(sides, folders, strict=True)):
        own = references[i % len(references) :][:1] if references else ()
        named = project.Named(own) if own else project.named(folder)
        if not named.simulations:
            raise ValueError(
                f"{folder} has no pyproject.toml with a sim of [tool.fixsync]: give --sim"
            )
        home = GameFolder(folder)
        for reference in named.simulations:
            side.add(reference, home.find(reference, found_simulation))
        side.files = [*home.files, *named.files]
    return sides


def loaded_files(named: project.Named) -> list[str | Path]:
    """The files of the modules that are loaded, and the file that names simulations."""
    return [*files_of([*sys.modules.values()]), *named.files]


def _look_in(folder: Path) -> None:
    """Adds a folder to the search path of modules."""
    try:
        name = str(folder.absolute())
    except OSError:
        return  # the current folder was removed
    if name not in sys.path:
        sys.path.insert(0, name)


def project_simulations() -> project.Named:
    """The simulations that pyproject.toml names; its folder is on the search path of modules."""
    named = project.named()
    if named.folder is not None:
        _look_in(named.folder)
    return named


def chosen_simulation(reference: str | None) -> str:
    """The simulation of a command that runs one: the one that the command line names, else the
    first of pyproject.toml, else the sample."""
    _look_in(Path())
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

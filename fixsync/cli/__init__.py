"""The command `fixsync`. Each of its commands is a module here, imported on use."""

from __future__ import annotations

import errno
import importlib
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import TextIO

import click

from fixsync import __version__
from fixsync.base import files
from fixsync.cli import streams

__all__ = ["main"]

COMMANDS = (
    *("demo", "replay", "diff", "info", "why", "attacks", "whatif", "cut", "peers"),
    *("synctest", "view", "level", "frame-data", "farm", "regress", "bench", "config"),
)
"""The commands, in the order of the help: of each, NAME_command is in the module NAME."""
_ADVANCED = ("farm", "regress", "bench", "config")

CRASHED = 70
"""Exit code of an error in fixsync itself, because 1 means that a log diverged."""
INTERRUPTED = 130
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, names in (
            ("Commands", [name for name in COMMANDS if name not in _ADVANCED]),
            ("Advanced", _ADVANCED),
        ):
            found = [(name, self.get_command(ctx, name)) for name in names]
            limit = formatter.width - 6 - width
            rows = [(f"{n:{width}}", c.get_short_help_str(limit)) for n, c in found if c]
            with formatter.section(title):
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"fixsync.cli.{name}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # for a wrong word alone

            close = get_close_matches(args[0].lower(), COMMANDS, 1)
            if not close or "Did you mean" in error.message:
                raise
            raise click.UsageError(
                f"{error.message} Did you mean {close[0]!r}?", error.ctx
            ) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, package_name="fixsync", message="%(prog)s %(version)s")
def fixsync() -> None:
    """Exact, order-stable hit detection: replay, compare and inspect recorded matches."""


class _Ended(KeyboardInterrupt):
    """A signal asks this process to end: whatever cleans up after Ctrl-C does so after it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _cleaning() -> Iterator[None]:
    """SIGTERM and SIGHUP end the process as they would have done, after it has cleaned up."""
    names = ("SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # Those that somebody ignores, as nohup does, stay ignored.
    found = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, _: object) -> None:
        for again in found:
            signal.signal(again, signal.SIG_IGN)
        raise _Ended(number)

    for number in found:
        signal.signal(number, end)
    ended = None
    try:
        yield
    except (click.Abort, _Ended) as error:
        ended = error if isinstance(error, _Ended) else error.__cause__
        if not isinstance(ended, _Ended):
            raise
    finally:
        for number in found:
            signal.signal(number, signal.SIG_DFL)
    if isinstance(ended, _Ended):
        signal.raise_signal(ended.number)


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    try:
        with _cleaning():
            streams.prepare()
            sys.exit(_exit_code())
    except (click.Abort, KeyboardInterrupt):
        streams.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output has ended. Nothing more may be written, not even at exit.
        streams.hush(sys.stdout, sys.stderr)
        sys.exit(0)
    except MemoryError as error:
        streams.echo(f"Error: out of memory{f': {error}' if str(error) else ''}", err=True)
        sys.exit(2)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            streams.echo(f"Error: cannot write output: {error.strerror}", err=True)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is left at exit
            sys.exit(2)
        traceback.print_exc()
        sys.exit(CRASHED)


def _json_stream(words: Sequence[str]) -> TextIO | None:
    """Where the words of a command line, though it is a wrong one, ask for JSON; None if they do
    not: --json may be the value of another option, or stand after "--"."""
    from fixsync.cli.options import OutputFile  # imported by every command, but not for --version

    before = list(takewhile(lambda word: word.startswith("-") and word != "--", words))
    name, *rest = [*words[len(before) :], ""]
    with click.Context(fixsync, resilient_parsing=True) as ctx:
        command = fixsync.get_command(ctx, name)
        if command is None:
            return sys.stdout if "--json" in takewhile(lambda word: word != "--", words) else None
        # Without an error, whatever the words are.
        lenient = click.Context(command, ctx, resilient_parsing=True, ignore_unknown_options=True)
        found, _, _ = command.make_parser(lenient).parse_args(rest[:-1])
    if "--json" not in before and found.get("as_json") is not True:
        return None
    outputs = [
        found[p.name] for p in command.params if p.name in found and isinstance(p.type, OutputFile)
    ]
    takes_it = any(output == "-" or files.is_standard_output(output) for output in outputs)
    return sys.stderr if takes_it else sys.stdout


def _print_error(error: click.ClickException) -> None:
    """Why a command was not run. Names of files in it cannot steer the terminal."""
    from fixsync.cli.text import error_json, printable_lines

    stream = _json_stream(sys.argv[1:])
    problem = {**(error_json(error.__cause__) or {}), "message": error.format_message()}
    if stream is not sys.stderr:
        shown = io.StringIO()
        error.show(shown)
        click.echo(printable_lines(shown.getvalue()), nl=False, err=True)
    if stream is not None:
        click.echo(json.dumps({"exit_code": 2, "error": problem}, indent=2), file=stream)


def _exit_code() -> int:
    stdout = sys.stdout
    try:
        return int(fixsync.main(prog_name="fixsync", standalone_mode=False) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except SystemExit:
        if sys.stdout is stdout:
            raise
        # Nobody reads the help: click has put something before the stream, and would end with 1.
        streams.hush(stdout)
        return 0
    except click.ClickException as error:
        cause = error.__cause__
        if (
            isinstance(cause, BrokenPipeError)
            and cause.filename
            and files.is_standard_output(cause.filename)
        ):
            raise cause from None
        try:
            _print_error(error)
        except BrokenPipeError:
            streams.hush(sys.stdout, sys.stderr)
        # An error that keeps a command from running is not a difference between logs.
        return 2

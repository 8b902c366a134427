"""The directive `command-help`: a section for each command of `fixsync`, with its `--help` text."""

from __future__ import annotations

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from fixsync.cli import fixsync

_WIDTH = 88


def _section(name: str, command: click.Command) -> nodes.section:
    context = click.Context(
        command, info_name=name, terminal_width=_WIDTH, **command.context_settings
    )
    context.help_option_names = ["-h", "--help"]
    section = nodes.section("", nodes.title("", name), ids=[nodes.make_id(name)], names=[name])
    section += nodes.literal_block(
        text=command.get_help(context), language="none", classes=["help"]
    )
    return section


class CommandHelp(SphinxDirective):
    """`{command-help}`: all commands, in the order of `fixsync --help`."""

    def run(self) -> list[nodes.Node]:
        context = click.Context(fixsync, info_name="fixsync")
        found: list[nodes.Node] = []
        for name in fixsync.list_commands(context):
            command = fixsync.get_command(context, name)
            if command is not None:
                found.append(_section(f"fixsync {name}", command))
        return found


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("command-help", CommandHelp)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

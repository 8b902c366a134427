"""The Python reference: the public names of modules are added to the pages python*.md.

The page python has the names of `import fixsync`, each in the section of its module, and the other
public names of these modules. Other sections begin with the module's docstring."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_origin

import fixsync

if TYPE_CHECKING:  # the tests read the lists of modules without Sphinx
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

OF_FIXSYNC = [
    "base.numbers",
    "base.kinds",
    "_native.kinds",
    "world.shapes",
    "world.why",
    "world.level",
    "world.world",
    "world.records",
    "world.aim",
    "game.handlers",
    "game.bodies",
    "game.frame_data",
    "game.frame_data_file",
    "game.pacer",
]
"""Modules whose names the page python has as those of fixsync."""
PAGES = {
    "python": ["game.aseprite", "game.motion", "game.numbers", "game.flat", "maps", "world.draw"],
    "python-logs": [
        "log.recorder",
        "log.replay",
        "log.diff",
        "match.builds",
        "log.info",
        "log.pair",
        "log.attacks",
        "log.watch",
        "log.whatif",
        "log.rematch",
        "log.diff_hits",
        "log.settings",
        "log.hits",
        "farm",
        "farm.run",
        "farm.regress",
        "log.reader",
        "base.names",
        "log.schema",
        "base.fields",
        "view",
    ],
    "python-sessions": [
        "match.sim",
        "match",
        "session",
        "session.udp",
        "game.random",
        "match.questions",
        "sample.skillfight",
    ],
    "python-testing": [
        "synctest",
        "synctest.strategies",
        "synctest.pytest_plugin",
        "synctest.checks",
        "synctest.unsaved",
        "synctest.minimise",
        "peers.faults",
    ],
}
"""The other modules of each page, below fixsync."""
_MORE = {
    "world.records": ("COLLIDER_FORMAT", "COLLIDER_DTYPE", "QueryAnswers", "CastAnswers"),
    "world.aim": ("Engine", "UNITY", "GODOT", "UNREAL"),
    "synctest.pytest_plugin": ("fixsync_world", "fixsync_recorder", "peers_agree"),
}
"""Public names that are in no `__all__`."""
_INHERITED = ("fixsync.log.recorder",)


def _public(module: ModuleType) -> list[str]:
    """In the order of the source. Of some, fixsync has names that they do not list."""
    source = inspect.getsource(module)
    short = module.__name__.removeprefix("fixsync.")
    own = [
        name for name, of in vars(module).items() if getattr(of, "__module__", 0) == module.__name__
    ]
    names = {*getattr(module, "__all__", () if short in (*OF_FIXSYNC, *_MORE) else own)}
    names = {name for name in names if not name.startswith("_")}
    names |= {*_MORE.get(short, ())}
    if short in OF_FIXSYNC:
        defined = re.findall(r"^(?:class |def )?([a-zA-Z]\w*)\b", source, re.MULTILINE)
        names |= {*defined} & {*fixsync.__all__}

    def place(name: str) -> int:
        found = re.search(rf"^(?:class |(?:async )?def )?{name}\b", source, re.MULTILINE)
        return found.start() if found else len(source)

    return sorted(names, key=place)


def _entry(path: str, value: Any, options: tuple[str, ...]) -> Iterator[str]:
    if get_origin(value) is Union or isinstance(value, UnionType):
        kinds = " | ".join(kind.__name__ for kind in value.__args__)
        module, _, name = path.rpartition(".")
        yield from (f".. py:currentmodule:: {module}", "", f".. py:type:: {name}")
        yield f"   :canonical: {kinds}"
    elif isinstance(value, ModuleType):
        pass  # it has a section
    elif isinstance(value, type):
        kind = "exception" if issubclass(value, Exception) else "class"
        yield from (f".. auto{kind}:: {path}", *options)
        if "__getitem__" in vars(value):
            yield "   :special-members: __getitem__, __iter__"
    elif inspect.isroutine(value):
        yield f".. autofunction:: {path}"
    else:
        yield f".. autodata:: {path}"
        if not isinstance(value, int | str):
            yield "   :no-value:"
    yield ""


def reference(page: str) -> str:
    """The sections of a page, as Markdown."""
    lines = []
    for short in [*(OF_FIXSYNC if page == "python" else ()), *PAGES[page]]:
        module = importlib.import_module(f"fixsync.{short}")
        options = ("   :inherited-members:",) if module.__name__ in _INHERITED else ()
        lines += ["", f"## {module.__name__}", "", "```{eval-rst}"]
        if short not in OF_FIXSYNC:
            lines += [f".. automodule:: {module.__name__}", "   :no-members:", ""]
        for name in _public(module):
            is_short = short in OF_FIXSYNC and name in fixsync.__all__
            path = f"fixsync.{name}" if is_short else f"{module.__name__}.{name}"
            lines += _entry(path, getattr(module, name), options)
        lines += ["```"]
    return "\n".join(lines) + "\n"


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname in PAGES:
        app.env.note_reread()
        source[0] += reference(docname)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("source-read", _fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""Data is described by the docstring that stands under it, in whatever module of the package that
is.

autodoc looks for it in the module that the page names alone, and failing that shows that of the
value's type."""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.typing import ExtensionMetadata

import fixsync


@cache
def _docstrings() -> dict[str, list[str]]:
    """Of each name that is given a value at the top of a module of the package."""
    found: dict[str, list[str]] = {}
    for module in pkgutil.iter_modules(fixsync.__path__, "fixsync."):
        if not module.ispkg and module.name != "fixsync._kernel":
            docs = ModuleAnalyzer.for_module(module.name).find_attr_docs()
            found |= {name: lines for (owner, name), lines in docs.items() if not owner}
    return found


def _describe(_app: Sphinx, what: str, name: str, *rest: Any) -> None:
    if what == "data":
        lines: list[str] = rest[-1]
        lines[:] = _docstrings().get(name.rpartition(".")[2], [])


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("autodoc-process-docstring", _describe)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

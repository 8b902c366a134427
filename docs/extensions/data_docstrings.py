"""Finds the docstring under a module's variable, in any module of the package.

autodoc looks only in the module that the page names, and else shows the docstring of the value's
type."""

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
    """The docstrings of all module variables of the package, by name."""
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

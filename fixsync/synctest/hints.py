"""Floats in a simulation's source, which may be rounded another way on another machine: no run on
this one shows them. A hint is not a verdict: the place that it names may be right there, and a
simulation without hints may still differ between machines."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from fixsync.synctest.instrumented import Note

_EXACT = ("comb", "factorial", "gcd", "isqrt", "lcm", "perm")
"""Functions of `math` of integers that give integers."""
_PATH = re.compile(r"\b(Path|PurePath|\w+(Posix|Windows)Path|files)\(|\.parents?\b")
"""A path of pathlib in an expression."""


def hints_of(simulation: object) -> list[Note]:
    """Hints in the module that defines a simulation's class, or the function that makes one; none
    if its source cannot be read."""
    try:
        file = inspect.getsourcefile(simulation)  # type: ignore[arg-type] # TypeError below
        return [] if file is None else hints_in(Path(file).read_text(encoding="utf-8"), file)
    except (TypeError, OSError, SyntaxError, ValueError):
        return []


def hints_in(source: str, file: str) -> list[Note]:
    """Hints in a source text, by line. SyntaxError if it is not Python."""
    found = _Module(ast.parse(source)).found()
    return [Note(file, line, what) for line, what in sorted(set(found))]


class _Module:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.maths: set[str] = set()
        """Names of the module `math`."""
        self.functions: dict[str, str] = {}
        """Names of things that are imported from it, and what they are there."""
        self.paths: set[str] = set()
        """Names that stand for a path."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.maths |= {one.asname or "math" for one in node.names if one.name == "math"}
            elif isinstance(node, ast.ImportFrom) and node.module == "math" and not node.level:
                self.functions |= {one.asname or one.name: one.name for one in node.names}
            elif isinstance(node, ast.Assign) and _PATH.search(ast.unparse(node.value)):
                self.paths |= {ast.unparse(target) for target in node.targets}

    def found(self) -> Iterator[tuple[int, str]]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)):
                yield node.lineno, "a float literal"
            elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
                first = node.left if isinstance(node, ast.BinOp) else node.target
                last = node.right if isinstance(node, ast.BinOp) else node.value
                if not (self.is_path(first) or self.is_path(last)):
                    yield node.lineno, "the operator / (of integers it gives a float)"
            elif isinstance(node, (ast.Name, ast.Attribute)):
                name = self.of_math(node)
                if name is not None and name not in _EXACT:
                    yield node.lineno, f"a use of math.{name}"

    def of_math(self, node: ast.Name | ast.Attribute) -> str | None:
        """The name of a thing of `math` that is used."""
        if isinstance(node, ast.Name):
            return self.functions.get(node.id)
        is_used = isinstance(node.value, ast.Name) and node.value.id in self.maths
        return node.attr if is_used else None

    def is_path(self, node: ast.AST) -> bool:
        """Whether an expression has a path of pathlib in it, or is a text that is joined to one."""
        if isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", 0), str):
            return True
        inside = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.expr)}
        return bool(inside & self.paths) or _PATH.search(ast.unparse(node)) is not None

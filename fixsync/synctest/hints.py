"""Places in a simulation's source that are worth a look. A hint is not a verdict: the place that it names may be
right there, and a simulation without hints may still differ between machines."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from fixsync.synctest.instrumented import Note

_THREADS = ("threading", "concurrent.futures", "multiprocessing", "asyncio")
_MODULES = ("math", "random", "time", "weakref", *_THREADS)
_WEAK = ("WeakSet", "WeakKeyDictionary")
_EXACT = {f"math.{name}" for name in ("comb", "factorial", "gcd", "isqrt", "lcm", "perm")}
"""Functions of integers that give integers."""
_PATH = re.compile(r"\b(Path|PurePath|\w+(Posix|Windows)Path|files)\(|\.parents?\b")
"""A path of pathlib in an expression."""
_SETS = ("set", "frozenset")
_ORDERLESS = (*_SETS, "all", "any", "len", "max", "min", "sorted", "sum")
"""Calls whose answer does not depend on the order of their arguments."""


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
        self.parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self.modules: dict[str, str] = {}
        """Names that stand for a module of _MODULES, or for something in one."""
        self.own: set[str] = set()
        """Names that the module itself gives to something."""
        self.imported: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                of = getattr(node, "module", None)
                for alias in node.names:
                    name = alias.asname or alias.name
                    whole = f"{of}.{alias.name}" if of else alias.name
                    self.imported.add(name)
                    if not getattr(node, "level", 0) and {of, whole} & {*_MODULES}:
                        self.modules[name] = whole
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if not isinstance(self.parents.get(node), ast.ClassDef):
                    self.own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.own.add(node.id)
            elif isinstance(node, ast.arg):
                self.own.add(node.arg)

        self.paths: set[str] = set()
        """Names that stand for a path."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _PATH.search(ast.unparse(node.value)):
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
                name = self.used(node)
                if self.is_built_in(node, ("id", "hash")):
                    called = isinstance(call := self.parents[node], ast.Call) and call.func is node
                    name = ast.unparse(node)
                    yield node.lineno, f"a call of {name}()" if called else f"{name} as a function"
                elif name is not None and name not in _EXACT:
                    yield node.lineno, f"a use of {name}"
            elif (
                isinstance(node, (ast.For, ast.comprehension))
                and self.is_set(node.iter)
                and not (isinstance(node, ast.comprehension) and self.is_orderless(node))
            ):
                yield node.iter.lineno, "an iteration over a set"

    def used(self, node: ast.Name | ast.Attribute) -> str | None:
        """The name that is used of a module of _MODULES."""
        name = node.value if isinstance(node, ast.Attribute) else node
        if not (isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)):
            return None
        found = "" if name.id in self.own else self.modules.get(name.id, "")
        if isinstance(node, ast.Attribute):
            is_used = found in _MODULES and (found != "weakref" or node.attr in _WEAK)
            return f"{found}.{node.attr}" if is_used else None
        if found.startswith("weakref.") and not found.endswith(_WEAK):
            return None
        return found if "." in found and found not in _MODULES else None

    def is_call_of(self, node: ast.expr, names: tuple[str, ...]) -> bool:
        """Whether it calls one of these built-in functions, which the module does not redefine."""
        return isinstance(node, ast.Call) and self.is_built_in(node.func, names)

    def is_built_in(self, node: ast.expr, names: tuple[str, ...]) -> bool:
        return (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in names
            and node.id not in self.own | self.imported
        )

    def is_orderless(self, inner: ast.comprehension) -> bool:
        """Whether a comprehension becomes a set, or is given to a call that knows no order."""
        node = self.parents[inner]
        if isinstance(node, ast.SetComp):
            return True
        call = self.parents.get(node)
        return isinstance(call, ast.Call) and self.is_call_of(call, _ORDERLESS)

    def is_set(self, node: ast.expr) -> bool:
        """Whether an expression is a set, as far as the text shows it without a doubt."""
        if self.is_new_set(node):
            return True
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        kind = ast.FunctionDef if isinstance(node, ast.Name) else ast.ClassDef
        scope: ast.AST | None = node
        while scope is not None and not isinstance(scope, kind):
            scope = self.parents.get(scope)
        text, values, stores = ast.unparse(node), list[ast.expr](), 0
        for other in ast.walk(scope or self.tree):
            if isinstance(other, ast.arg) and other.arg == text:
                return False
            if isinstance(other, (ast.Assign, ast.AnnAssign)) and other.value is not None:
                targets = other.targets if isinstance(other, ast.Assign) else [other.target]
                values += [other.value for target in targets if ast.unparse(target) == text]
            elif isinstance(other, (ast.Name, ast.Attribute)):
                stores += isinstance(other.ctx, ast.Store) and ast.unparse(other) == text
        return stores == len(values) > 0 and all(map(self.is_new_set, values))

    def is_new_set(self, node: ast.expr) -> bool:
        """Whether an expression makes a set."""
        return isinstance(node, (ast.Set, ast.SetComp)) or self.is_call_of(node, _SETS)

    def is_path(self, node: ast.AST) -> bool:
        """Whether an expression has a path of pathlib in it, or is a text that is joined to one."""
        if isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", 0), str):
            return True
        inside = {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.expr)}
        return bool(inside & self.paths) or _PATH.search(ast.unparse(node)) is not None

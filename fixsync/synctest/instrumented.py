"""A new process that reads the modules of a game anew, with a call of ours at every place where an
order or a number that is another one in each process comes in: sets, `id`, `hash`, addresses.

A match is played with the same order and number at each place, then with all of these places or
some shuffled and salted. So the line that matters is found. Calls that ask the machine, such as
`time.time`, are noted too, and the lines that never ran."""

from __future__ import annotations

import ast
import builtins
import collections
import dataclasses
import datetime
import functools
import heapq
import itertools
import random
import re
import sys
import types
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from fixsync.match import sim
from fixsync.synctest.player_process import Case, Result, Task, answer_requests, is_in, play, tuples
from fixsync.synctest.unsaved import outlasting


class Look(Struct, tag="look"):
    """A match to play."""

    inputs: list[Any]
    salt: int = 0
    """0: one order."""
    only: list[int] | None = None
    """The places to shuffle and to salt; None: all."""
    seed: int | None = None
    """Of the match, if it is another."""


def from_here(file: str) -> str:
    """A file as seen from the current folder, if it is below."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


class Note(NamedTuple):
    """A line of a game's module."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{from_here(self.file)}:{self.line}: {self.what}"


class Looked(NamedTuple):
    """The result of a match, and what was seen while it was played."""

    result: Result
    places: dict[int, Note]
    """Those that were reached, by number."""
    asked: list[Note]
    """Calls that ask the machine."""


class Cover(Struct, tag="cover"):
    """A match to play, loads and bots too, to see which lines run in it, or ran in one before."""

    inputs: list[Any]
    seed: int | None = None


class Outlast(Struct, tag="outlast"):
    """A match, before any was played: which globals does it change so that the next one differs?"""

    inputs: list[Any]


class UnrunLines(NamedTuple):
    """Lines of a function that never ran."""

    file: str
    function: str
    first: int
    last: int
    is_whole: bool
    """Whether nothing of the function ran."""


# The modules.

_OVER, _CALLED = "__fixsync_over__", "__fixsync_called__"
_READ, _TEXT = "__fixsync_read__", "__fixsync_text__"
_BY_FRAME = ("super", "locals", "globals", "vars", "dir", "eval", "exec", "__import__")
"""Functions that look at their caller."""
_SURROUNDINGS = {
    "sys": ("argv", "flags", "platform", "version", "version_info", "hexversion", "maxsize"),
    "os": ("environ",),
}
_ATTRIBUTES = {name for names in _SURROUNDINGS.values() for name in names}


_LOAD = ast.Load()
_PUT: dict[type, tuple[str, str]] = {
    **dict.fromkeys((ast.For, ast.comprehension), ("iter", _OVER)),
    **dict.fromkeys((ast.Starred, ast.YieldFrom), ("value", _OVER)),
    ast.FormattedValue: ("value", _TEXT),
}
"""Nodes with a part that goes through a call: the part, and the call."""
_AS_IS = {"annotation", "returns", "pattern"}


class _Rewriter(ast.NodeTransformer):
    """Puts a call of ours at every place."""

    def __init__(self, file: str, places: list[tuple[str, int]]) -> None:
        self._file, self._places = file, places

    def _put(self, function: str, node: ast.expr, *more: ast.expr) -> ast.expr:
        self._places.append((self._file, node.lineno))
        name = ast.Name(function, ast.Load())
        place = ast.Constant(len(self._places) - 1)
        call = ast.Call(name, [node, *more, place], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit(self, node: ast.AST) -> Any:
        found = super().visit(node)
        name, function = _PUT.get(type(node), ("", ""))
        if name and isinstance(getattr(node, "ctx", _LOAD), ast.Load):
            setattr(node, name, self._put(function, getattr(node, name)))
        return found

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
            node.value = self._put(_OVER, node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in _BY_FRAME:
            node.args = [self.visit(one) for one in node.args]
            return node
        is_name = isinstance(node.func, ast.Name)
        self.generic_visit(node)
        if not (is_name and isinstance(node.func, ast.Call)):  # not put there already
            node.func = self._put(_CALLED, node.func)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in ("id", "hash") and isinstance(node.ctx, ast.Load):
            return self._put(_CALLED, node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr in _ATTRIBUTES and isinstance(node.ctx, ast.Load):
            return self._put(_READ, node.value, ast.Constant(node.attr))
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Annotations and patterns stay as they are."""
        kept = {name: vars(node).pop(name) for name in _AS_IS & vars(node).keys()}
        super().generic_visit(node)
        vars(node).update(kept)
        return node


class _Modules:
    """Finds the game's modules, and reads them with our calls in them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.places: list[tuple[str, int]] = []
        self.codes: dict[str, types.CodeType] = {}
        self.ran: set[tuple[str, int]] = set()

    def is_own(self, file: str | None) -> bool:
        return is_in(self.folder, file)

    def find_spec(self, name: str, path: Any = None, _target: Any = None) -> Any:
        spec = PathFinder.find_spec(name, path)
        if spec is None or not self.is_own(spec.origin) or spec.loader is None:
            return None
        spec.loader = _Loader(name, str(spec.origin), self)
        return spec

    def code(self, file: str, source: bytes) -> types.CodeType:
        if file not in self.codes:
            tree = _Rewriter(file, self.places).visit(ast.parse(source, file))
            self.codes[file] = compile(tree, file, "exec", dont_inherit=True)
        return self.codes[file]

    def forget(self) -> None:
        """The next import reads all of them again."""
        for name, module in [*sys.modules.items()]:
            if self.is_own(getattr(module, "__file__", None)) and name != "__main__":
                del sys.modules[name]
        sim.forget_registered()


class _Loader(SourceFileLoader):
    def __init__(self, name: str, file: str, modules: _Modules) -> None:
        super().__init__(name, file)
        self._modules = modules

    def get_code(self, fullname: str) -> types.CodeType:  # noqa: ARG002 - the protocol has it
        return self._modules.code(self.path, self.get_data(self.path))


# The places.

_CONSUMERS: tuple[Any, ...] = (
    *(list, tuple, enumerate, zip, map, filter, bytes, bytearray, collections.deque),
    *(itertools.chain, itertools.cycle, itertools.accumulate, itertools.islice),
    *(itertools.product, itertools.permutations, itertools.combinations, itertools.groupby),
    *(iter, max, min, sorted, sum, functools.reduce, heapq.nsmallest, heapq.nlargest),
    collections.OrderedDict.fromkeys,
)
_TAKING = ("join", "extend", "extendleft", "fromkeys", "from_iterable")
_WATCHED = {
    *("time", "posix", "nt", "os", "uuid", "_uuid", "secrets", "locale", "_locale", "socket"),
    *("_socket", "platform", "getpass", "tempfile", "glob", "gc", "threading", "_thread"),
    *("genericpath", "subprocess", "shutil", "resource", "select", "multiprocessing"),
    *("concurrent.futures.thread", "concurrent.futures._base", "asyncio.runners"),
}
_UNWATCHED = ("fspath", "exit", "_exit", "RLock", "Lock", "allocate_lock", "local", "_local")
_OBJECT: Any = object
_TEXTS = (repr, ascii, format)
_SYS = ("getsizeof", "getrefcount", "getrecursionlimit")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DATES = ("now", "today", "utcnow")


class _Places:
    """Hears every place, and shuffles there."""

    def __init__(self, places: list[tuple[str, int]]) -> None:
        self._all = places
        self.salt = 0
        self.only: set[int] | None = None
        self.numbers: dict[int, tuple[int, Any]] = {}
        """Objects whose `id` was asked, by it, in that order."""
        self.reached: dict[int, Note] = {}
        self.asked: dict[Note, None] = {}

    def over(self, value: Any, place: int) -> Any:
        """What is iterated: a set in another order."""
        own = isinstance(value, (set, frozenset)) and type(value).__iter__
        if type(value) is not weakref.WeakSet and own not in (set.__iter__, frozenset.__iter__):
            return value
        found = self._ordered(value, place, "the order of a set")
        return value if found is None else found

    def _ordered(self, value: Iterable[Any], place: int, what: str) -> list[Any] | None:
        """The elements of a set; None if their order is the same in every process."""
        found = [*value]
        if len(found) < 2 or all(map(_is_stable, found)):
            return None
        found.sort(key=_outline)
        return self._shuffled(found) if self._is_changed(place, what) else found

    def called(self, function: Any, place: int) -> Any:
        """What is called."""
        kind = type(function)
        if kind is types.FunctionType or kind is types.MethodType:
            self._watch(function, function.__module__, place)
            return function
        if kind is types.BuiltinFunctionType:
            return self._builtin(function, place)
        if kind is types.MethodWrapperType and function.__name__ == "__hash__":
            return lambda: self._hash(function.__self__, place)
        if isinstance(function, type):
            if function is str:
                return lambda *given, **named: self._known(str(*given, **named), place)
            self._watch(function, function.__module__, place)
            if function in _CONSUMERS:
                return self._taking(function, place)
            if function is random.Random:
                return lambda *given: self._random(given, place)
            if function is random.SystemRandom:
                self._note(place, "random.SystemRandom")
        return function

    def read(self, owner: Any, name: str, place: int) -> Any:
        """An attribute of a module."""
        if type(owner) is types.ModuleType and name in _SURROUNDINGS.get(owner.__name__, ()):
            self._note(place, f"{owner.__name__}.{name}")
        return getattr(owner, name)

    def _builtin(self, function: Any, place: int) -> Any:
        name, owner = function.__name__, function.__self__
        if function is id:
            return lambda one: self._id(one, place)
        if function is hash:
            return lambda one: self._hash(one, place)
        if function in _TEXTS:
            return lambda *given: self._known(function(*given), place)
        if function in _CONSUMERS or name in _TAKING:
            return self._taking(function, place)
        if name == "pop" and isinstance(owner, (set, frozenset)):
            return lambda: self._pop(owner, place)  # type: ignore[arg-type]
        if isinstance(owner, type) and issubclass(owner, datetime.date) and name in _DATES:
            self._note(place, f"{owner.__name__}.{name}")
        elif (owner is sys and name in _SYS) or name == "open":
            self._note(place, name if name == "open" else f"sys.{name}")
        else:
            self._watch(function, function.__module__, place)
        return function

    def _watch(self, function: Any, module: str | None, place: int) -> None:
        owner = getattr(function, "__self__", None)
        if owner is random._inst or isinstance(owner, random.SystemRandom):
            self._note(place, f"random.{function.__name__}, of a generator that all code shares")
        elif module in _WATCHED and function.__name__ not in _UNWATCHED:
            shown = {"posix": "os", "nt": "os", "genericpath": "os.path"}.get(module, module)
            self._note(place, f"{shown}.{function.__name__}")

    def _random(self, given: tuple[Any, ...], place: int) -> Any:
        if not given:
            self._note(place, "random.Random without a seed")
        return random.Random(*given)  # noqa: S311 - the game's own

    def _taking(self, function: Any, place: int) -> Any:
        def taking(*given: Any, **named: Any) -> Any:
            return function(*(self.over(one, place) for one in given), **named)

        return taking

    def _pop(self, owner: set[Any], place: int) -> Any:
        found = self._ordered(owner, place, "set.pop")
        if found is None:
            return owner.pop()
        owner.remove(found[0])
        return found[0]

    def _id(self, one: Any, place: int) -> int:
        number, _ = self.numbers.setdefault(id(one), (len(self.numbers), one))
        return self._salted(number) if self._is_changed(place, "id") else 4096 + 16 * number

    def _hash(self, one: Any, place: int) -> int:
        if _is_stable(one):
            return hash(one)
        number = zlib.crc32(_outline(one).encode())
        return self._salted(number) if self._is_changed(place, "hash") else number

    def text(self, value: Any, place: int) -> Any:
        """A value in an f-string."""
        is_plain = type(value).__format__ is not _OBJECT.__format__
        return value if is_plain else self._known(str(value), place)

    def _known(self, text: Any, place: int) -> Any:
        if type(text) is not str or _ADDRESS.search(text) is None:
            return text
        is_changed = self._is_changed(place, "a text with an address")
        return _ADDRESS.sub(f" at {self._salted(7):#x}" if is_changed else " at 0x7", text)

    def _salted(self, number: int) -> int:
        return (number * 0x9E3779B97F4A7C15 + self.salt * 0xD1B54A32D192ED03) % 2**61

    def _is_changed(self, place: int, what: str) -> bool:
        self.reached.setdefault(place, Note(*self._all[place], what))
        return bool(self.salt) and (self.only is None or place in self.only)

    def _note(self, place: int, what: str) -> None:
        self.asked.setdefault(Note(*self._all[place], what))

    def _shuffled(self, found: list[Any]) -> list[Any]:
        """In another order, the same for the same number of elements."""
        state = self.salt * 7_919 + len(found)
        for i in range(len(found) - 1, 0, -1):
            state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
            j = (state >> 33) % (i + 1)
            found[i], found[j] = found[j], found[i]
        return found


def _outline(value: Any) -> str:
    """A text of a value that is the same in every process, as far as that can be."""
    try:
        own = vars(value) if type(value).__repr__ is _OBJECT.__repr__ else ""
        return _ADDRESS.sub("", f"{value!r} {own}")
    except Exception:
        return type(value).__qualname__


def _is_stable(value: Any) -> bool:
    """Whether a value hashes alike in all processes, as far as its type shows."""
    kind: Any = type(value)
    if kind is tuple or kind is frozenset or kind.__hash__ is tuple.__hash__:
        return all(map(_is_stable, value))
    if kind in (str, bytes, type(None)) or kind.__hash__ in (object.__hash__, str.__hash__):
        return False
    if kind.__module__ in ("datetime", "pathlib", "enum") or "_member_map_" in vars(kind):
        return isinstance(value, int)
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value))
        return all(_is_stable(getattr(value, name)) for name in fields)
    return not isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType))


# Lines that never ran.


def _traced(modules: _Modules, function: Callable[[], None]) -> bool:
    """Calls a function, and notes the lines of the game's modules. False if they are noted only up
    to some call."""
    is_own = functools.cache(modules.is_own)

    def local(frame: types.FrameType, event: str, _: Any) -> Any:
        if event == "line":
            modules.ran.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def called(frame: types.FrameType, _event: str, _: Any) -> Any:
        return local if is_own(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        function()
    finally:
        # Python drops a trace function that raises, as any does at the end of the stack.
        is_whole = sys.gettrace() is called
        sys.settrace(before)
    return is_whole


def _missed(modules: _Modules) -> Iterator[UnrunLines]:
    for file, code in modules.codes.items():
        for function, lines in _functions(code):
            left = {line for line in lines if (file, line) not in modules.ran}
            if len(left) == len(lines):
                yield UnrunLines(file, function, lines[0], lines[-1], True)
                continue
            for is_left, group in itertools.groupby(lines, left.__contains__):
                if is_left:
                    first, *_, last = [*group] * 2
                    yield UnrunLines(file, function, first, last, False)


def _functions(code: types.CodeType) -> Iterator[tuple[str, list[int]]]:
    """The functions of a module, with their lines, the one with `def` left out."""
    for one in code.co_consts:
        if not isinstance(one, types.CodeType):
            continue
        is_class = not one.co_flags & 1
        if not is_class and not one.co_name.startswith("<"):
            lines = {line for _, _, line in one.co_lines() if line} - {one.co_firstlineno}
            if lines:
                yield getattr(one, "co_qualname", one.co_name), sorted(lines)
        yield from _functions(one)


# The process.


def main() -> None:
    """Answers a Task, then `Look`, `Cover` and `Outlast`."""
    answer_requests(_begun, Look | Cover | Outlast)


def _begun(task: Task) -> Callable[[Look | Cover | Outlast], Any]:
    modules = _Modules(task.folder)
    places = _Places(modules.places)
    sys.meta_path.insert(0, modules)
    put = {_OVER: places.over, _CALLED: places.called, _READ: places.read, _TEXT: places.text}
    for name, function in put.items():
        setattr(builtins, name, function)

    def answer(request: Look | Cover | Outlast) -> Any:
        modules.forget()
        if isinstance(request, Outlast):
            inputs = [tuples(values) for values in request.inputs]
            return outlasting(sim.find(task.reference), task.seed, task.players, inputs)
        if isinstance(request, Look):
            return _looked(task, request, places)
        places.salt = 0
        return _covered(task, request, modules)

    return answer


def _looked(task: Task, request: Look, places: _Places) -> Looked:
    places.salt = request.salt
    places.only = None if request.only is None else {*request.only}
    places.reached, places.asked, places.numbers = {}, {}, {}
    seed = task.seed if request.seed is None else request.seed
    case = Case(task.reference, seed, task.players, request.inputs, task.state)
    result, _ = play(case, lambda: sim.find(task.reference))
    return Looked(result, places.reached, [*places.asked])


def _covered(task: Task, request: Cover, modules: _Modules) -> list[UnrunLines] | None:
    seed = task.seed if request.seed is None else request.seed
    is_whole = _traced(modules, lambda: _everything(task, seed, request.inputs))
    return [*_missed(modules)] if is_whole else None


def _everything(task: Task, seed: int, matches: Iterable[Any]) -> None:
    """All that a match calls, bots and loads too. The simulation may raise."""
    try:
        simulation: Any = sim.find(task.reference)
        made: Any = sim.start(simulation, seed, task.players)
        if task.state is not None:
            made.load(task.state)
        bots = []
        if isinstance(simulation, sim.HasBots):
            bots = [simulation.bot(player, sim.bot_seed(seed)) for player in range(task.players)]
        for frame, inputs in enumerate(matches):
            given = tuples(inputs)
            for bot in bots:
                bot.decide(made)
            for player, value in enumerate(given):
                sim.check_input(made, player, value)
            sim.stepped(made, given)
            if frame < 3 or not frame % 60:
                made.hash()
                made.load(made.save())
                sim.fields_of(made, made.save())
            sim.names_of(made)
            if sim.is_over(made):
                break
    except Exception:  # the checks report it
        return

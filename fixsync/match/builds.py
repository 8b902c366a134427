"""Two versions of a game in one process: simulations from folders whose modules have equal names.

old, new = (GameFolder(Path(folder)).find("game:Game") for folder in ("old", "new"))
print(diff_builds("match.jsonl", old, new).rows)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from fixsync.match import sim

__all__ = ["GameFolder", "origin"]

_SHARED = {"fixsync", *sys.stdlib_module_names}


class GameFolder:
    """A folder with a version of a game. Its modules are there only while its code runs, in the
    place of those with equal names."""

    def __init__(self, folder: Path) -> None:
        """OSError for a folder that cannot be read."""
        self._folder = str(folder.resolve())
        names = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
        self._names = names - _SHARED
        self._modules: dict[str, ModuleType] = {}
        self._others: list[str] = []
        """Modules of equal names that are not of the folder, when `_outside` modules were there."""
        self._outside = -1

    @contextmanager
    def entered(self) -> Iterator[None]:
        """While it is open, modules are imported from the folder."""
        if len(sys.modules) != self._outside:
            self._others = self._named()
            self._outside = len(sys.modules)
        others = [(name, sys.modules.pop(name)) for name in self._others if name in sys.modules]
        sys.modules.update(self._modules)
        sys.path.insert(0, self._folder)
        inside = len(sys.modules)
        try:
            yield
        finally:
            sys.path.remove(self._folder)
            # Searching them each time would take longer than a frame of a game.
            if len(sys.modules) != inside:
                self._modules = {name: sys.modules[name] for name in self._named()}
            for name in self._modules:
                sys.modules.pop(name, None)
            sys.modules.update(others)

    def _named(self) -> list[str]:
        """The modules that are there now with names of the folder."""
        return [name for name in sys.modules if name.partition(".")[0] in self._names]

    def find(
        self, reference: str, find: Callable[[str], sim.SimulationType] = sim.find
    ) -> sim.SimulationType:
        """The simulation of the folder that `fixsync.match.sim.find` finds there. ValueError if it is not
        found."""
        with self.entered():
            return _Type(self, find(reference))

    @property
    def files(self) -> list[str]:
        """The files of its modules."""
        return files_of(self._modules.values())

    def file_of(self, kind: type) -> str | None:
        """The file of a class of the folder."""
        return getattr(self._modules.get(kind.__module__), "__file__", None)


class _InHome:
    """An object of a folder. Its methods and properties run with the folder's modules."""

    def __init__(self, home: GameFolder, made: Any) -> None:
        self._home = home
        self._made = made

    def __getattr__(self, name: str) -> Any:
        with self._home.entered():
            value = getattr(self._made, name)
        return self._bound(value) if callable(value) and not isinstance(value, type) else value

    def _bound(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with self._home.entered():
                return method(*arguments)

        return call


class _Type(_InHome):
    """A type of simulation."""

    def __call__(self, seed: int, players: int) -> Any:
        with self._home.entered():
            return _InHome(self._home, self._made(seed, players))


def files_of(modules: Iterable[ModuleType]) -> list[str]:
    """The files of modules that have one."""
    found = (getattr(module, "__file__", None) for module in modules)
    return [file for file in found if isinstance(file, str)]


def origin(simulation: object) -> str:
    """Where a simulation, or its type, comes from: `module:Class of FILE`."""
    home, made = (
        (simulation._home, simulation._made)
        if isinstance(simulation, _InHome)
        else (None, simulation)
    )
    kind = made if isinstance(made, type) else type(made)
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None) if home is None else home.file_of(kind)
    return f"{kind.__module__}:{kind.__qualname__}{f' of {file}' if file else ''}"

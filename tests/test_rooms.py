"""The rooms of the package, and who may import whom: the table of docs/architecture.md."""

from __future__ import annotations

import re
from pathlib import Path

from test_package import PACKAGE, ROOT, imports
from tools import each

ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) ?\|$", re.MULTILINE)
ROOMS = {
    room: set(re.findall(r"`(\w+)`", allowed))
    for room, allowed in ROW.findall(
        (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    )
}
ROOMS["cli"] = set(ROOMS)


def imported_rooms(path: Path) -> set[str]:
    """The rooms whose modules a file imports, also within functions."""
    names = (name.split(".") for name in imports(path) if name.startswith("fixsync."))
    return {name[1] for name in names} & set(ROOMS)


def test_the_table_names_every_room() -> None:
    found = {
        path.name
        for path in PACKAGE.iterdir()
        if path.is_dir() and (path / "__init__.py").is_file()
    }
    assert found == set(ROOMS)
    loose = {path.name for path in PACKAGE.glob("*.py")}
    assert loose == {"__init__.py", "__main__.py"}


@each("room", ROOMS)
def test_a_room_imports_only_the_rooms_of_its_row(room: str) -> None:
    found: set[str] = set()
    for path in sorted((PACKAGE / room).rglob("*.py")):
        found |= imported_rooms(path) - {room}
    if room == "cli":
        assert found <= ROOMS[room]
    else:
        assert found == ROOMS[room], "the row of docs/architecture.md and the imports"


def test_the_rooms_have_no_circle() -> None:
    seen: list[str] = []
    while len(seen) < len(ROOMS):
        free = [room for room in ROOMS if room not in seen and ROOMS[room] - {room} <= set(seen)]
        assert free, sorted(set(ROOMS) - set(seen))
        seen += free


def test_reading_a_log_starts_no_process() -> None:
    for room in ("_native", "base", "world", "game", "match", "session", "log", "maps"):
        for path in (PACKAGE / room).rglob("*.py"):
            if path != PACKAGE / "base" / "processes.py":
                said = " ".join(imports(path))
                assert not re.search(r"\b(subprocess|multiprocessing|processes)\b", said), path

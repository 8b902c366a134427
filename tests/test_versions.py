"""What older versions wrote and had: docs/versions.md promises that it goes on working.

`written/0.9` is of version 0.9: its names, the layout of its C structures, a table of frame data and
a body in the middle of an attack, with the hashes of the frames that follow. `python
tests/test_versions.py` writes the folder of this version. After its release the folder never
changes. Older states, levels and logs are in `vectors/`."""

from __future__ import annotations

import re
from pathlib import Path

import public_names
import pytest

import fixsync
from fixsync import Pose, Sphere, World
from fixsync._native.body import NativeBody
from fixsync._native.raw import ffi, lib
from fixsync.game.frame_data_file import read_frame_data

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = Path(__file__).parent / "written"
MINOR = ".".join(fixsync.__version__.split(".")[:2])
FOLDERS = sorted(WRITTEN.iterdir())
PARTS = ["body", "slash", "beam", "blast"]

LANGUAGES = {
    "C": public_names.c,
    "Python": public_names.python,
    "JavaScript": public_names.javascript,
    "C#": public_names.csharp,
    "Rust": public_names.rust,
    "Godot": public_names.godot,
}

OPAQUE = {"fxs_world", "fxs_level", "fxs_rewind", "fxs_history", "fxs_inputs", "fxs_rollback"}


def missing(old: set[str], now: set[str], changelog: str) -> list[str]:
    """Names that are gone, and were not deprecated in an entry of the changelog."""
    entries = [part for part in re.split(r"\n(?=- |## )", changelog) if "**deprecated**" in part]
    allowed = {name for entry in entries for name in re.findall(r"`([^`]+)`", entry)}
    return sorted(old - now - allowed)


def layout() -> str:
    """The public structures of C: each with its bytes, and where its fields are."""
    lines = []
    for name in sorted(ffi.list_types()[0]):
        found = ffi.typeof(name)
        if name.startswith("fxs_") and found.kind == "struct" and name not in OPAQUE:
            size = ffi.sizeof(found)  # before its fields are asked for
            fields = [f"{field} {part.offset}" for field, part in found.fields]
            lines.append(f"{name} {size}: {', '.join(fields)}\n")
    return "".join(lines)


def bodies(table: bytes) -> tuple[World, NativeBody]:
    """A fighter, and somebody within its reach."""
    world = World(capacity=8)
    world.add(7, Sphere(20000), Pose(70000, 0, 0), owner=2)
    body = NativeBody(world._native, table, PARTS)
    body.add(range(4), 1, Pose(0, 0, 0)._pose, False)
    return world, body


def played(world: World, body: NativeBody) -> list[str]:
    """The hashes of world and body in the frames that follow."""
    lines = []
    for _ in range(40):
        body.change(lib.fxs_body_tick)
        world.step()
        lines.append(f"{world.hash():016x} {body.hash():016x}\n")
    return lines


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_name_of_an_older_version_is_there_or_was_deprecated(folder: Path) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for line in (folder / "names.txt").read_text(encoding="utf-8").splitlines():
        language, _, names = line.partition(": ")
        assert len(names.split()) > 100
        assert missing(set(names.split()), LANGUAGES[language](), changelog) == [], language


def test_a_name_that_is_gone_is_allowed_by_its_entry_alone() -> None:
    changelog = "## 2\n\n- `a` is new.\n- **deprecated** `b` and\n  `c`.\n- `d` is gone.\n"
    assert missing({"a", "b", "c", "d", "e"}, {"e"}, changelog) == ["a", "d"]


@pytest.mark.skipif(ffi.sizeof("void *") != 8, reason="the layout is that of 64-bit machines")
def test_patches_have_the_structures_of_their_minor_version() -> None:
    assert layout() == (WRITTEN / MINOR / "layout.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_body_of_an_older_version_goes_on_with_its_attack(folder: Path) -> None:
    table = (folder / "fighter.bin").read_bytes()
    assert lib.fxs_frame_data_check(table, len(table), ffi.new("uint64_t *")) == 0
    world, body = bodies(table)
    world.load((folder / "world.bin").read_bytes())
    body.load((folder / "body.bin").read_bytes())
    assert (body.numbers()[1:3], body.victims()) == ((0, 8), (7,))
    assert "".join(played(world, body)) == (folder / "frames.txt").read_text(encoding="utf-8")


def write(folder: Path) -> None:
    """Writes what this version has."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{name}: {' '.join(sorted(names()))}\n" for name, names in LANGUAGES.items()]
    (folder / "names.txt").write_text("".join(lines), encoding="utf-8")
    (folder / "layout.txt").write_text(layout(), encoding="utf-8")
    table = read_frame_data(ROOT / "examples" / "fighter.json").to_bytes()
    (folder / "fighter.bin").write_bytes(table)
    world, body = bodies(table)
    body.change(lib.fxs_body_start, 0)
    for _ in range(8):
        body.change(lib.fxs_body_tick)
        world.step()
    body.strike(7)
    (folder / "world.bin").write_bytes(world.save())
    (folder / "body.bin").write_bytes(body.save())
    (folder / "frames.txt").write_text("".join(played(world, body)), encoding="utf-8")


if __name__ == "__main__":
    write(WRITTEN / MINOR)

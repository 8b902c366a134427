"""Places by hand that name every kind of shape, and what else follows from the headers but is not
written by generate.py: what each of them lacks, with what mends it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bindings.api import Api, Kind, read_kinds

ROOT = Path(__file__).resolve().parents[1]
REBUILD = "run pip install -e . --no-build-isolation --no-deps, python bindings/web/build.py"


def by_hand(api: Api) -> Iterator[str]:
    """A line for each place that lacks a kind."""
    kinds = read_kinds(api)
    yield from _pages(kinds)
    yield from _drawings(kinds)
    yield from _editors(kinds)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _pages(kinds: list[Kind]) -> Iterator[str]:
    """Their tables, in the order of the codes: `explain` lets the first of two kinds grow."""
    every = {kind: ", ".join(size.name for size in kind.sizes) for kind in kinds}
    usual = {
        kind: ", ".join(s.name for s in kind.sizes[: -1 if kind.has_hole else None])
        for kind in kinds
    }
    tables = {
        "docs/contract.md": (
            r"^\| \w+ \| \d \| [\w, ]+ \|",
            [f"| {kind.name} | {kind.code} | {every[kind]} |" for kind in kinds],
        ),
        "docs/concepts.md": (
            r"^\| `[A-Z]\w+\([\w, ]+\)` \|",
            [f"| `{kind.class_name}({usual[kind]})` |" for kind in kinds],
        ),
        "docs/match-logs.md": (
            r'`\["\w+",[\w,\s]+\]`',
            [f'`["{kind.name}", {usual[kind]}]`' for kind in kinds],
        ),
    }
    for name, (pattern, rows) in tables.items():
        found = [" ".join(row.split()) for row in re.findall(pattern, text_of(name), re.MULTILINE)]
        if missing := [row for row in rows if row not in found]:
            yield f"{name}: add {', '.join(missing)}"
        elif [row for row in found if row in rows] != rows:
            yield f"{name}: its kinds of shape must stand in the order of their codes"


def _drawings(kinds: list[Kind]) -> Iterator[str]:
    name = "fixsync/view/assets/kinds.js"
    drawn = re.findall(r"^  (\w+): (?:\{ plan: |prism\()", text_of(name), re.MULTILINE)
    for kind in kinds:
        if kind.name not in drawn:
            yield f"{name}: add {kind.name} to DRAWINGS"


def _editors(kinds: list[Kind]) -> Iterator[str]:
    """Unity's and Godot's editors have a field for each size, which names the kinds that have it."""
    unity, godot = (
        "bindings/csharp/Unity/FixsyncCollider.cs",
        "bindings/godot/addons/fixsync/shape.gd",
    )
    for size in dict.fromkeys(size.name for kind in kinds for size in kind.sizes):
        camel = re.sub("_(.)", lambda letter: letter[1].upper(), size)
        if not re.search(rf"\b{camel}: \w+", text_of(unity)):
            yield f"{unity}: add a field {camel}, and give it to Shape.Of"
        if not re.search(rf"^@export.* var {size} :=", text_of(godot), re.MULTILINE):
            yield f"{godot}: export {size}"


def of_the_kernel(api: Api) -> Iterator[str]:
    """The same of what follows from the kernel that is built, if that is of these headers."""
    try:
        from fixsync._native.raw import lib
        from fixsync.game.frame_data_file import schema
        from fixsync.match.questions import kernel_id
    except AttributeError as error:  # a constant that it does not have
        yield f"the built kernel is not of these headers ({error}): {REBUILD}"
        return
    built = {name: getattr(lib, name) for name in dir(lib) if name.isupper()}
    if built != {constant.name: constant.value for constant in api.constants}:
        yield f"the built kernel is not of these headers: {REBUILD}"
        return
    if text_of("docs/frames.schema.json") != json.dumps(schema(), indent=2) + "\n":
        yield "docs/frames.schema.json: run fixsync frame-data --schema > docs/frames.schema.json"
    number, found = api.constant("FXS_SEMANTICS"), kernel_id().hex()
    if f'    {number}: "{found}"' not in text_of("tests/test_kernel_id.py"):
        name = "tests/test_kernel_id.py"
        yield f'{name}: IDS needs {number}: "{found}", if answers were to change'

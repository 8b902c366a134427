"""The public names of each language's package, read from its sources: "World.move"."""

from __future__ import annotations

import importlib
import re
import runpy
from itertools import chain
from pathlib import Path

BINDINGS = Path(__file__).resolve().parents[1] / "bindings"
REFERENCE = BINDINGS.parent / "docs" / "extensions" / "python_reference.py"


def has_python(name: str) -> bool:
    """Whether `fixsync` has a name such as "World.move" or "game.numbers.mul"."""
    here = importlib.import_module("fixsync")
    module = "fixsync"
    for part in name.split("."):
        if not hasattr(here, part):
            try:
                here = importlib.import_module(f"{module}.{part}")
            except ImportError:
                return False
        else:
            here = getattr(here, part)
        module += f".{part}"
    return True


def javascript() -> set[str]:
    """Classes with their members, and functions, of index.d.ts."""
    found, owner = set(), ""
    for line in (BINDINGS / "web" / "index.d.ts").read_text(encoding="utf-8").splitlines():
        if named := re.match(r"export (?:class|interface) (\w+)", line):
            owner = named[1] + "."
            found.add(named[1])
        elif line.startswith("}"):
            owner = ""
        elif named := re.match(r"export (?:function|const) (\w+)", line):
            found.add(named[1])
        elif named := re.match(
            r"  (?:static |readonly |get |set )*([a-zA-Z_0-9]+)\??[(:<]|  (\[Symbol)", line
        ):
            found.add(owner + (named[1] or "[Symbol.iterator]"))
    return found


_CSHARP_TYPE = re.compile(r"^    public [a-z ]*(?:class|struct|enum) (\w+)")
_CSHARP_MEMBER = re.compile(
    r"^        public (?:(?:static|unsafe|override|readonly|const|event|new|sealed) )*"
    r"(?:[\w.<>,\[\]? ]+ )?(\w+)(?=\(|<\w+>\(|\[|$| =>| \{| =|;)"
)


def csharp() -> set[str]:
    """Public types of Runtime/ with their public members; a constructor is "World.World"."""
    found: set[str] = set()
    for path in sorted((BINDINGS / "csharp" / "Runtime").glob("*.cs")):
        owner = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"    (public|internal) [a-z ]*(class|struct|enum|interface)", line):
                named = _CSHARP_TYPE.match(line)
                owner = named[1] if named else ""
                found.add(owner)
            elif owner and (named := _CSHARP_MEMBER.match(line)):
                found.add(f"{owner}.{named[1]}")
    return found - {""}


def rust() -> set[str]:
    """Public types of the crate with their functions, and its functions: "World::move_to"."""
    found = set()
    for path in sorted((BINDINGS / "rust" / "fixsync" / "src").glob("*.rs")):
        owner = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if named := re.match(
                r"(?:unsafe )?impl(?:<.*?>)? (?:([\w:]+)(?:<.*?>)? for )?(\w+)", line
            ):
                owner = named[2] + "::"
            elif line.startswith("}"):
                owner = ""
            elif named := re.match(r"pub (?:struct|enum|trait) (\w+)", line):
                found.add(named[1])
            elif (named := re.match(r"( *)(pub )?(?:const )?(?:unsafe )?fn (\w+)", line)) and (
                named[2] or owner
            ):
                found.add((owner if named[1] else "") + named[3])
    return found


def godot() -> set[str]:
    """Methods of the classes of the extension: "FixsyncWorld.move"."""
    found = set()
    for path in sorted((BINDINGS / "godot" / "src").glob("*.c")):
        methods: list[str] = []
        owner = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if named := re.match(r'    \{"(?:static )?(\w+)\(', line):
                methods.append(named[1])
            elif named := re.match(r'    "(Fixsync\w*)",$', line):
                found |= {f"{named[1]}.{method}" for method in methods}
                methods = []
            elif named := re.match(r"const gd_method GD_PASSED_(\w+)", line):
                owner = f"Fixsync{named[1].title()}".replace("FixsyncFixsync", "Fixsync")
            elif line == "    {NULL, NULL, NULL}," and path.name == "passed.c":
                found |= {f"{owner}.{method}" for method in methods}
                methods = []
    return found


def c() -> set[str]:
    """Functions, types and constants of the two headers."""
    found = set()
    for name in ("fixsync.h", "fixsync_kit.h"):
        text = (BINDINGS.parent / "csrc" / name).read_text(encoding="utf-8")
        found |= set(re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", text, re.MULTILINE))
        found |= set(re.findall(r"^(?:\} |typedef .*?\b)(fxs_\w+);", text, re.MULTILINE))
        found |= set(re.findall(r"^ *#define (FXS_\w+)", text, re.MULTILINE))
    return found


def python() -> set[str]:
    """What the reference documents, with the members of classes: "world.World.move"."""
    pages: dict[str, list[str]] = runpy.run_path(str(REFERENCE))["PAGES"]
    found = set()
    for file in chain.from_iterable(pages.values()):
        module = importlib.import_module(f"fixsync.{file}")
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            found.add(f"{file}.{name}")
            if isinstance(thing, type):
                found |= {f"{file}.{name}.{part}" for part in vars(thing) if part[0] != "_"}
    return found | set(importlib.import_module("fixsync").__all__)

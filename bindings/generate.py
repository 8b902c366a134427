"""Raw declarations of the C API for other languages, generated from the C headers; and what all
manifests say alike, from pyproject.toml.

    python bindings/generate.py            writes every file of OUTPUTS
    python bindings/generate.py --check    exits with 1 and a line for each place that is stale: of
                                           files by hand too (places.py), with what mends it

`api.py` reads the headers. An emitter, a function of emit/, turns the `Api` into the text of one
file. A new language is one module of emit/ and its rows of OUTPUTS."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bindings import places
from bindings.api import Api, read
from bindings.emit import csharp, godot, manifests, python, rust, web

ROOT = Path(__file__).resolve().parents[1]

OUTPUTS: dict[str, Callable[[Api], str]] = {
    "bindings/csharp/Runtime/Native.cs": csharp.native,
    "bindings/godot/addons/fixsync/kinds.gd": godot.kinds,
    **{
        f"bindings/godot/addons/fixsync/{name}_{dimensions}d.gd": godot.node(name, dimensions)
        for name in ("character", "collider", "level", "world")
        for dimensions in (2, 3)
    },
    "bindings/godot/src/kinds.h": godot.makers,
    "bindings/godot/src/passed.c": godot.calls,
    "bindings/godot/src/tables.c": godot.tables,
    "bindings/rust/fixsync-sys/src/raw.rs": rust.sys,
    "bindings/rust/fixsync/src/tables.rs": rust.tables,
    "bindings/web/makers.d.ts": web.maker_types,
    "bindings/web/makers.js": web.makers,
    "bindings/web/raw.js": web.raw,
    "bindings/web/raw.d.ts": web.raw_types,
    "bindings/web/tables.js": web.tables,
    "fixsync/_native/tables.py": python.tables,
    "fixsync/base/kinds.py": python.kinds,
    **{name: manifests.manifest(name) for name in manifests.MANIFESTS},
}
"""Files of the project, and what writes them."""


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    api = read()
    stale = []
    for name, emit in OUTPUTS.items():
        path = ROOT / name
        text = emit(api)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not arguments:
                path.write_text(text, encoding="utf-8")
    if not arguments:
        return 0
    faults = [f"{name}: run python bindings/generate.py" for name in stale]
    faults += places.by_hand(api)
    if not stale:
        faults += places.of_the_kernel(api)
    print("\n".join(faults), end="\n" * bool(faults), file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

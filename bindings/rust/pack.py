#!/usr/bin/env python3
"""Packs both crates, and lets cargo verify them: `python bindings/rust/pack.py FOLDER`.

fixsync-sys gets the kernel and the kit as one C source, and both get the licence. FOLDER receives
fixsync-sys-VERSION.crate and fixsync-VERSION.crate, and each unpacked, as a dependency by path.
`--publish` also uploads both to the registry. It needs cargo (1.90), a C compiler and Python alone."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CRATES = ("fixsync-sys", "fixsync")


def staged(to: Path) -> None:
    """A workspace of the two crates, as they are published."""
    for crate in CRATES:
        skip = shutil.ignore_patterns("target", "tests")
        shutil.copytree(HERE / crate, to / crate, ignore=skip)
        shutil.copy(ROOT / "LICENSE", to / crate)
    lines = (HERE / "Cargo.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    named = ", ".join(f'"{crate}"' for crate in CRATES)
    members = [line.startswith("members = ") for line in lines]
    if sum(members) != 1:
        sys.exit("bindings/rust/Cargo.toml has no line of members")
    lines[members.index(True)] = f"members = [{named}]\n"
    (to / "Cargo.toml").write_text("".join(lines), encoding="utf-8")
    amalgamate = [sys.executable, ROOT / "csrc" / "amalgamate.py", to / "fixsync-sys" / "c"]
    subprocess.run(amalgamate, check=True)


def by_path(manifest: Path) -> None:
    """Lets an unpacked crate find the other one beside it: no registry has it."""
    text = manifest.read_text(encoding="utf-8")
    for crate in CRATES:
        found = re.search(rf'\[dependencies\.{crate}\]\nversion = "=(.*)"\n', text)
        if found:
            path = f'path = "../{crate}-{found[1]}"\n'
            text = text[: found.end()] + path + text[found.end() :]
    manifest.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Packs both crates.")
    parser.add_argument("folder", type=Path, help="Folder for the packages.")
    parser.add_argument("--publish", action="store_true", help="Upload both to the registry.")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        staged(work)
        cargo = ["cargo", "package", "--quiet", "--workspace", "--target-dir", work / "target"]
        subprocess.run(cargo, cwd=work, check=True)
        for package in sorted((work / "target" / "package").glob("*.crate")):
            shutil.copy(package, folder)
            shutil.rmtree(folder / package.stem, ignore_errors=True)
            with tarfile.open(package) as packed:
                packed.extractall(folder, filter="data")
            by_path(folder / package.stem / "Cargo.toml")
            print(folder / package.name)
        if options.publish:
            cargo[1] = "publish"
            subprocess.run(cargo, cwd=work, check=True)


if __name__ == "__main__":
    main()

"""Writes kernel and kit as one source, fixsync.c, with its headers: `python csrc/amalgamate.py
FOLDER`.

The headers fixsync.h and fixsync_kit.h are those beside this script. The source is every other
file of the folder and of kit/, headers where they are first included, in one translation unit in
which only the public functions have external linkage. The same files give the same bytes
everywhere. It needs Python alone."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PUBLIC = ("fixsync.h", "fixsync_kit.h")

OPENING = """\
/* fixsync {version} in one source, made by amalgamate.py: do not edit. Its headers are fixsync.h and
 * fixsync_kit.h.
 *
{license} */

#define FXS_ONE_SOURCE

{public}
"""

INCLUDE = re.compile(r'#include (?:"(?P<own>[^"]+)"|(?P<system><[^>]+>))\s*$')


class Amalgam:
    """One source out of many. Each header goes in once, where it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written = {folder.joinpath(name) for name in PUBLIC}
        self.system: set[str] = set()
        self.lines: list[str] = []

    def add(self, path: Path) -> None:
        self.written.add(path)
        self.lines += ["", f"/* {path.relative_to(self.folder).as_posix()} */", ""]
        for line in path.read_text(encoding="ascii").splitlines():
            include = INCLUDE.match(line)
            if include is None:
                self.lines.append(line)
            elif include["own"]:
                file = Path(os.path.normpath(path.parent / include["own"]))
                if file not in self.written:
                    self.add(file)
            elif include["system"] not in self.system:
                self.system.add(include["system"])
                self.lines.append(line)

    def text(self) -> str:
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines) + "\n")


def version(header: str) -> str:
    """The version that the header defines."""
    numbers = dict(re.findall(r"^#define FXS_VERSION_(\w+) (\d+)\b", header, re.MULTILINE))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def amalgamate(folder: Path = HERE) -> dict[str, str]:
    """The files' texts by their names, for the kernel and the kit in `folder`."""
    headers = {name: folder.joinpath(name).read_text(encoding="ascii") for name in PUBLIC}
    amalgam = Amalgam(folder)
    for path in sorted(folder.glob("*.c")) + sorted(folder.glob("kit/*.c")):
        amalgam.add(path)
    unused = {path.name for path in set(folder.rglob("*.h")) - amalgam.written}
    if unused:
        raise ValueError(f"{folder}: included by no source: {', '.join(sorted(unused))}")
    license_file = next(
        (p for p in (folder / "LICENSE", folder.parent / "LICENSE") if p.is_file()), None
    )
    if license_file is None:
        raise ValueError(
            f"no LICENSE in {folder} or above: copy it from the project into one of them"
        )
    license = license_file.read_text(encoding="ascii")
    opening = OPENING.format(
        version=version(headers["fixsync.h"]),
        license="".join(f" * {line}".rstrip() + "\n" for line in license.splitlines()),
        public="\n".join(f'#include "{name}"' for name in PUBLIC),
    )
    return {"fixsync.c": opening + amalgam.text(), **headers}


def main() -> None:
    parser = argparse.ArgumentParser(description="Write kernel and kit as one source.")
    parser.add_argument("folder", type=Path, help="where to; made if it is not there")
    folder: Path = parser.parse_args().folder
    try:
        files = amalgamate()
    except ValueError as fault:
        parser.error(str(fault))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        folder.joinpath(name).write_text(text, encoding="ascii", newline="\n")
        print(folder / name)


if __name__ == "__main__":
    main()

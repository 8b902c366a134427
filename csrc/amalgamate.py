"""Writes the kernel as two files, fixsync.c and fixsync.h: `python csrc/amalgamate.py FOLDER`.

The header is the one beside this script. The source is every other file of the folder, headers
where they are first included, in one translation unit in which only the public functions have
external linkage. The same files give the same bytes everywhere. It needs Python alone."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PUBLIC = "fixsync.h"

OPENING = """\
/* fixsync {version} in one source, made by amalgamate.py: do not edit. Its header is fixsync.h.
 *
{license} */

#ifndef FXS_INTERNAL
#define FXS_INTERNAL static
#endif

#include "{public}"
"""

INCLUDE = re.compile(r'#include (?:"(?P<own>[^"]+)"|(?P<system><[^>]+>))\s*$')


class Amalgam:
    """One source out of many. Each header goes in once, where it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told = {PUBLIC}
        self.lines: list[str] = []

    def add(self, name: str) -> None:
        self.lines += ["", f"/* {name} */", ""]
        for line in self.folder.joinpath(name).read_text(encoding="ascii").splitlines():
            include = INCLUDE.match(line)
            if include is None:
                self.lines.append(line)
            elif (file := include["own"] or include["system"]) not in self.told:
                self.told.add(file)
                if include["own"]:
                    self.add(file)
                else:
                    self.lines.append(line)

    def text(self) -> str:
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines) + "\n")


def version(header: str) -> str:
    """The version that the header tells."""
    numbers = dict(re.findall(r"^#define FXS_VERSION_(\w+) (\d+)\b", header, re.MULTILINE))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def amalgamate(folder: Path = HERE) -> dict[str, str]:
    """The two files' texts by their names, for the kernel in `folder`."""
    header = folder.joinpath(PUBLIC).read_text(encoding="ascii")
    sources = sorted(path.name for path in folder.glob("*.c"))
    amalgam = Amalgam(folder)
    for name in sources:
        amalgam.add(name)
    unused = {path.name for path in folder.glob("*.h")} - amalgam.told
    if unused:
        raise ValueError(f"{folder}: included by no source: {', '.join(sorted(unused))}")
    license_file = next(
        (p for p in (folder / "LICENSE", folder.parent / "LICENSE") if p.is_file()), None
    )
    if license_file is None:
        raise ValueError(f"{folder}: no LICENSE there or above")
    license = license_file.read_text(encoding="ascii")
    opening = OPENING.format(
        version=version(header),
        license="".join(f" * {line}".rstrip() + "\n" for line in license.splitlines()),
        public=PUBLIC,
    )
    return {"fixsync.c": opening + amalgam.text(), PUBLIC: header}


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the kernel as fixsync.c and fixsync.h.")
    parser.add_argument("folder", type=Path, help="where to; made if it is not there")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in amalgamate().items():
        folder.joinpath(name).write_text(text, encoding="ascii", newline="\n")
        print(folder / name)


if __name__ == "__main__":
    main()

"""Writes the programs of pages, and what each prints: `python pages.py FOLDER PAGE...`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
CAUGHT = "} catch (DesyncException e) { Console.WriteLine(e.Message); } } }"


def write(name: str, code: str, printed: str) -> None:
    """A program of C# 7.2 with the statements in a method, and its output."""
    using = re.findall(r"^using [\w.]+;\n", code, re.MULTILINE)
    main, *types = re.split(r"^(?=class )", code[len("".join(using)) :], flags=re.MULTILINE)
    lines = ["".join(using), "static class Page { static void Main() { try {", main, CAUGHT, *types]
    (FOLDER / f"{name}.cs").write_text("\n".join(lines), encoding="utf-8")
    (FOLDER / f"{name}.cs.txt").write_text(printed, encoding="utf-8")


def changed(code: str, old: str, new: str) -> str:
    assert code.count(old) == 1, old
    return code.replace(old, new)


FOLDER.mkdir(exist_ok=True)
page, readme = (Path(name).read_text(encoding="utf-8") for name in sys.argv[2:])
(match,) = re.findall(r"```csharp\n(using .*?)```", page, re.DOTALL)
printed, unsaved = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
write("match", match, printed)
empty = re.search(r"`(public void State\(OwnState own\) \{ \})`", page)[1]
state = re.search(r"public void State\(OwnState own\) => .*;", match)[0]
write("unsaved", changed(match, state, empty), unsaved)
test = re.search(r"var test = new Rollback\(new Fight\(\), .*;", match)[0]
react = f"var fight = new Fight(); {test.replace('new Fight()', 'fight')}"
react += " test.Predicted += e => fight.Health[0]--;"
reaction = re.search(r"`(frame \d+: own [^`]*)`", page)[1]
write("reaction", changed(match, test, react), f"{reaction}\n")
(hit,) = re.findall(r"```csharp\n(using .*?)```", readme, re.DOTALL)
write("readme", hit, re.search(r"Console.WriteLine.*// (.*\n)", hit)[1])

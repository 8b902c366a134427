"""Writes the GDScript of a page to a folder: each block begins with the name of its file."""

import pathlib
import re
import sys

page, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
for name, code in re.findall(r"```gdscript\n# (\S+)\n(.*?)```", page.read_text(), re.S):
    (folder / name).write_text(code)

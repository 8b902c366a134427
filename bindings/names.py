"""The table of names: names.toml, for each function of C and each language."""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bindings.api import Api, read

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LANGUAGES = ("python", "javascript", "csharp", "rust", "godot")
TITLES = ("Python", "JavaScript", "C#", "Rust", "Godot")
_TABLE = Path(__file__).with_name("names.toml")


@dataclass
class Row:
    """The names of a function; "" where it is left out."""

    function: str
    names: dict[str, str]
    excepted: dict[str, str] = field(default_factory=dict)
    """Why, for the languages whose name is not that of the rule."""


@dataclass
class Section:
    title: str
    rows: list[Row]


def in_case(name: str, language: str) -> str:
    """A name of C in the case of a language: "set_pose", "setPose", "SetPose"."""
    if language == "javascript":
        return re.sub(r"_(\w)", lambda found: found[1].upper(), name)
    if language == "csharp":
        return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return name


def read_names(api: Api, text: str | None = None) -> list[Section]:
    """The table. ValueError for a function without a row, and for a useless exception."""
    table: dict[str, Any] = tomllib.loads(text or _TABLE.read_text(encoding="utf-8"))
    rows: dict[str, Row] = {}
    sections = []
    for group in table["group"]:
        section = Section(group["title"], [])
        for name in (function.name for function in api.functions):
            if any(fnmatch(name, pattern) for pattern in group["functions"]):
                if name in rows:
                    raise ValueError(f"{name} is in two groups")
                rest = name.removeprefix(group["prefix"]).removeprefix("fxs_")
                left_out = group.get("left_out", {})
                names = {
                    at: "" if at in left_out else group[at] + in_case(rest, at) for at in LANGUAGES
                }
                rows[name] = Row(name, names, dict(left_out))
                section.rows.append(rows[name])
        sections.append(section)
    if missing := [one.name for one in api.functions if one.name not in rows]:
        raise ValueError(f"no group has {', '.join(missing)}")
    for exception in table["exception"]:
        for name in exception["functions"]:
            _except(rows[name], exception)
    return sections


def _except(row: Row, exception: dict[str, Any]) -> None:
    for language in LANGUAGES:
        name = exception.get(language)
        if name is None:
            continue
        if language in row.excepted or name == row.names[language]:
            raise ValueError(f"{row.function}, {language}: not an exception")
        row.names[language] = name
        row.excepted[language] = exception["why"]


_WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def page(sections: list[Section]) -> str:
    """The tables of docs/names.md, which are added to it when the site is built."""
    parts = []
    for section in sections:
        parts.append(f"\n## {section.title}\n\n| C | {' | '.join(TITLES)} |\n")
        parts.append("| --- " * (len(LANGUAGES) + 1) + "|\n")
        for row in section.rows:
            cells = [row.function, *(row.names[language] for language in LANGUAGES)]
            parts.append(f"| {' | '.join(map(_cell, cells))} |\n")
        notes = _notes(section)
        parts += ["\n", *notes] if notes else []
    return "".join(parts)


def _line(text: str) -> str:
    return textwrap.fill(f"- {text}", 100, subsequent_indent="  ", **_WHOLE) + "\n"


def _cell(name: str) -> str:
    return f"`{re.sub(r'[.](__getitem__|this)$', '[…]', name)}`" if name else "–"


def _notes(section: Section) -> list[str]:
    """A line for each reason: the functions and languages that it is for."""
    rows: dict[tuple[str, str], list[str]] = {}
    for row in section.rows:
        languages: dict[str, list[str]] = {}
        for language, title in zip(LANGUAGES, TITLES, strict=True):
            if language in row.excepted:
                languages.setdefault(row.excepted[language], []).append(title)
        for why, titles in languages.items():
            rows.setdefault((why, ", ".join(titles)), []).append(row.function)
    notes = []
    for (why, titles), functions in rows.items():
        whole = len(functions) == len(section.rows)
        named = "All" if whole else ", ".join(f"`{name}`" for name in functions)
        notes.append(_line(f"{named} ({titles}): {why}."))
    return notes


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(page(read_names(read())))

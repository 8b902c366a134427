"""The C reference: csrc/fixsync.h is added to the page c, csrc/fixsync_kit.h to the page c-kit.

First the paragraphs of the header's first comment, then its sections, each under its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

_CSRC = Path(__file__).resolve().parent.parent.parent / "csrc"
# The page of each header, by the page's name.
HEADERS = {"c": _CSRC / "fixsync.h", "c-kit": _CSRC / "fixsync_kit.h"}

_ITEM = re.compile(
    r"/\*(?P<comment>(?:(?!\*/).)*)\*/\n"  # a comment of its own
    r"|(?P<macro>#define [^\n/]*(?:/\*(?:(?!\*/).)*\*/)?\n)"
    r"|typedef struct (?P<struct>\w+) \{\n.*?\n\} \w+;\n"
    r"|typedef struct (?P<opaque>\w+) \w+;\n"
    r"|FXS_API (?P<function>[^;]*);\n"
    r"|(?P<gap>\n)",
    re.DOTALL,
)
_MACRO = re.compile(r"#define (\w+) (\(-\d+\)|\d+)U?(?:\s+/\* (.*) \*/)?\n", re.DOTALL)
_FUNCTION = re.compile(r".*?\b(fxs_\w+)\(.*")
_CODE_OR_NAME = re.compile(r"(`[^`]*`)|\b(fxs_\w+|FXS_\w+)(?!\w|\*)|([\\*_<>\[\]$#])")


class Item(NamedTuple):
    """A declaration of the header with its comment, or a comment of a group (kind "text")."""

    kind: str
    name: str
    code: str
    comment: str


def _plain(comment: str) -> str:
    """The text of a comment, one line for each paragraph."""
    lines = [re.sub(r"^ \* ?", "", line.rstrip()) for line in comment.strip().splitlines()]
    text = "\n".join(lines)
    text = re.sub(r"\n {2,}(?=\S)", "\n\n", text)  # a paragraph of a function's comment is indented
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ExtensionError(f"header: cannot parse {text!r}")
    return match


def top(header: Path) -> dict[str, str]:
    """The paragraphs of the header's first comment by name; the text before them is "beginning"."""
    comment = header.read_text(encoding="ascii").partition("*/")[0]
    text = "\n".join(line[3:] for line in comment.splitlines())
    found = {"beginning": ""}
    for part in re.split(r"\n\n(?=\S)", text.strip("\n ")):
        name = re.match(r"([A-Z]\w+(?: and \w+)?)(?:\. |\n)", part)
        if name:
            found[name[1]] = part[name.end() :]
        else:
            found["beginning"] += part + "\n"
    return found


@cache
def sections(header: Path) -> dict[str, list[Item]]:
    """The declarations of the header, in order, by section."""
    text = header.read_text(encoding="ascii")
    body = text.split("/* cdef: begin", 1)[1].split("\n", 1)[1].split("/* cdef: end", 1)[0]
    found: dict[str, list[Item]] = {}
    comment, position = "", 0
    while position < len(body):
        match = _ITEM.match(body, position)
        if match is None:
            raise ExtensionError(f"{header.name}: cannot parse {body[position : position + 80]!r}")
        position = match.end()
        title = re.fullmatch(r" -+ (.*?) -+ ", match["comment"] or "")
        if title:
            items = found.setdefault(title[1], [])
            comment = ""
        elif match["comment"] is not None:
            comment = _plain(match["comment"])
        elif match["gap"]:
            if comment:
                items.append(Item("text", "", "", comment))
            comment = ""
        elif match["macro"]:
            name, value, meaning = _matched(_MACRO, match["macro"]).groups()
            if comment:
                items.append(Item("text", "", "", comment))
            items.append(Item("macro", name, value.strip("()"), " ".join((meaning or "").split())))
            comment = ""
        else:
            kind = next(kind for kind in ("struct", "opaque", "function") if match[kind])
            code = " ".join(match["function"].split()) if kind == "function" else match[0]
            name = _matched(_FUNCTION, code)[1] if kind == "function" else match[kind]
            items.append(Item("struct" if kind == "opaque" else kind, name, code, comment))
            comment = ""
    for name, section in (("FXS_VERSION", "version"), ("FXS_API", "linkage")):
        about = re.search(
            rf"/\*((?:(?!\*/).)*)\*/\n(?:#ifndef {name}\n|#define {name} )", text, re.DOTALL
        )
        if about is not None:
            found.setdefault(section, []).append(Item("macro", name, "", _plain(about[1])))
    about = re.search(r"/\*((?:(?!\*/).)*)\*/\n#define FXS_Q\(", text, re.DOTALL)
    if about is not None:
        found["constants"].append(Item("macro", "FXS_Q", "", _plain(about[1])))
        found["constants"] += [
            Item("macro", name, "", "See FXS_Q.") for name in ("FXS_Q_RATIO", "FXS_Q_NEAR")
        ]
    return found


def markdown(text: str) -> str:
    """Header prose as Markdown: names become links, and special characters are escaped."""

    def replaced(match: re.Match[str]) -> str:
        code, name, sign = match.groups()
        if code:
            return code
        if sign:
            return "\\" + sign
        role = "macro" if name.startswith("FXS_") else "struct" if name in _structs() else "func"
        return f"{{c:{role}}}`{name}`" if name in _names() else f"`{name}`"

    return _CODE_OR_NAME.sub(replaced, text)


@cache
def _structs() -> set[str]:
    return {item.name for item in _items() if item.kind == "struct"}


@cache
def _names() -> set[str]:
    return {item.name for item in _items() if item.name}


def _items() -> Iterator[Item]:
    for header in HEADERS.values():
        for items in sections(header).values():
            yield from items


def _rendered(items: list[Item]) -> Iterator[str]:
    for item in items:
        if item.kind == "text":
            yield from ("", markdown(item.comment), "")
        elif item.kind == "macro":
            value = f"`{item.code}`" if item.code else ""
            yield from ("````{c:macro} " + item.name, ":no-contents-entry:", "", value, "")
            yield from (markdown(item.comment), "````")
        elif item.kind == "struct":
            yield from ("````{c:struct} " + item.name, "", markdown(item.comment), "")
            yield from ("```c", item.code.strip(), "```", "````")
        else:
            text, _, cost = item.comment.partition(" Cost: ")
            text, _, answer = text.partition(" Returns ")
            yield from ("````{c:function} " + item.code, "", markdown(text), "")
            yield from (f"**Returns** {markdown(answer)}", "") if answer else ()
            yield from (f"**Cost:** {markdown(cost)}", "") if cost else ()
            yield "````"


def _top(text: str) -> Iterator[str]:
    """A paragraph. It can begin with a table of three columns, or end with a program."""
    rows = [re.fullmatch(r" {2}(\S.*?) {2,}(\S+) {2,}(.*)", line) for line in text.splitlines()]
    if rows[0]:
        yield from ("| what | type or range | |", "| --- | --- | --- |")
        for line, row in zip(text.splitlines(), rows, strict=True):
            if row:
                yield "| " + " | ".join(markdown(cell) for cell in row.groups()) + " |"
            else:
                name, meaning = re.split(r" {2,}", line.strip(), maxsplit=1)
                yield f"| {markdown(name)} | | {markdown(meaning)} |"
        return
    prose, _, program = text.partition(":\n\n    ")
    yield from (markdown(" ".join(prose.split())) + (":" if program else ""), "")
    if program:
        code = "\n".join(line[4:] for line in ("    " + program).splitlines())
        yield from ("```c", code, "```")


def reference(header: Path) -> str:
    """All of a header, as Markdown."""
    lines = ["", "## Conventions", ""]
    for title, text in top(header).items():
        lines += [] if title == "beginning" else ["", f"### {title}", ""]
        lines += _top(text)
    for title, items in sections(header).items():
        lines += ["", f"## {title[0].upper()}{title[1:]}", "", *_rendered(items)]
    return "\n".join(lines) + "\n"


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname in HEADERS:
        app.env.note_dependency(HEADERS[docname], docname=docname)
        source[0] += reference(HEADERS[docname])


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("source-read", _fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""Links that leave docs/ for another file of the repository lead to a page of the site that shows
it.

On a code host such a link works as it stands; here it becomes one to `source/PATH.html`. If its
text is the name of a function of that file, it leads to the function. A link to what is not there
is a warning. What the Python reference tells of leads to its source in the same way."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from docutils import nodes
from markdown_it import MarkdownIt
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEME = "repository:"

_shown: set[str] = set()  # files and folders that are linked to

_log = logging.getLogger(__name__)
_LINK = re.compile(r"\]\(\.\./([^)\s#]+)(#[^)\s]*)?\)")
_FUNCTION_LINK = re.compile(r"\[`(\w+)`\]\(repository:([^)#]+)\)")


def _read(_app: Sphinx, _docname: str, source: list[str]) -> None:
    text = _LINK.sub(lambda link: f"]({SCHEME}{link[1]}{link[2] or ''})", source[0])
    source[0] = _FUNCTION_LINK.sub(r"[`\1`](repository:\2#\1)", text)


def _line_of(path: Path, name: str) -> int | None:
    """The line that defines a function, or None."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.match(rf"\s*(?:def|class) {re.escape(name)}\b", line):
            return number
    return None


def _page(path: str) -> str:
    return f"source/{path}"


def _resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in doctree.findall(nodes.reference):
        if not node.get("refuri", "").startswith(SCHEME):
            continue
        path, _, name = node["refuri"].removeprefix(SCHEME).partition("#")
        path = normpath(path)
        if not (ROOT / path).exists():
            _log.warning("%s is not in the repository", path, location=node)
            continue
        _shown.add(path)
        line = _line_of(ROOT / path, name) if name and (ROOT / path).is_file() else None
        if name and line is None and path.endswith(".py"):
            _log.warning("%s does not define %s", path, name, location=node)
        uri = app.builder.get_relative_uri(docname, _page(path))
        node["refuri"] = uri + (f"#line-{line}" if line else "")


def source_of(domain: str, info: dict[str, str]) -> str | None:
    """Where a class or function of the Python reference is defined, for sphinx.ext.linkcode. The
    reference's pages lie at the top of the site."""
    if domain != "py":
        return None
    found: Any = importlib.import_module(info["module"])
    for name in info["fullname"].split("."):
        found = getattr(found, name, None)
    found = inspect.unwrap(getattr(found, "fget", None) or found) if found is not None else None
    try:
        line = inspect.getsourcelines(found)[1]
    except (TypeError, OSError):  # a value, or something that Python made
        return None
    file = found.__module__.replace(".", "/")
    file = f"{file}.py" if (ROOT / f"{file}.py").is_file() else f"{file}/__init__.py"
    if not (ROOT / file).is_file():
        return None
    _shown.add(file)
    return f"{_page(file)}.html#line-{line}"


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    due = sorted(_shown)
    done: set[str] = set()
    while due:
        path = due.pop()
        if path in done:
            continue
        done.add(path)
        if (ROOT / path).is_dir():
            body = _folder(app, path, due)
        elif path.endswith(".md"):
            body = _markdown(app, path, due)
        else:
            body = f"<h1>{escape(path)}</h1>\n" + _code(app, ROOT / path)
        yield _page(path), {"title": path, "body": body, "parents": []}, "page.html"


def _href(app: Sphinx, path: str, target: str, due: list[str]) -> str:
    """From the page of a file to the page of another file, or to a page of the documentation."""
    if target.startswith("docs/") and target.endswith(".md"):
        return app.builder.get_relative_uri(
            _page(path), target.removeprefix("docs/").removesuffix(".md")
        )
    due.append(target)
    return app.builder.get_relative_uri(_page(path), _page(target))


def _folder(app: Sphinx, path: str, due: list[str]) -> str:
    files = sorted(
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / path).rglob("*")
        if file.is_file() and file.suffix in (".py", ".c", ".h", ".rs", ".md", ".js", ".cs")
    )
    items = "".join(
        f'<li><a href="{_href(app, path, file, due)}">{escape(file)}</a></li>\n' for file in files
    )
    return f"<h1>{escape(path)}</h1>\n<ul>\n{items}</ul>\n"


def _markdown(app: Sphinx, path: str, due: list[str]) -> str:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse((ROOT / path).read_text(encoding="utf-8"))
    for token in tokens:
        for child in token.children or ():
            target = child.attrGet("href") if child.type == "link_open" else None
            if isinstance(target, str) and not re.match(r"\w+:|#", target):
                target = normpath(join(dirname(path), target.partition("#")[0]))
                if (ROOT / target).exists():
                    child.attrSet("href", _href(app, path, target, due))
                else:
                    _log.warning("%s: %s is not in the repository", path, target)
    rendered: str = parser.renderer.render(tokens, parser.options, {})
    return rendered.replace(
        "<table>", '<div class="table-wrapper"><table class="docutils">'
    ).replace("</table>", "</table></div>")


def _code(app: Sphinx, path: Path) -> str:
    try:
        language = get_lexer_for_filename(path.name).aliases[0]
    except ClassNotFound:
        language = "text"
    highlighted: str = app.builder.highlighter.highlight_block(  # type: ignore[attr-defined]
        path.read_text(encoding="utf-8"), language, linenos="inline", lineanchors="line"
    )
    return highlighted


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("source-read", _read)
    app.connect("doctree-resolved", _resolve)
    app.connect("html-collect-pages", _pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}

"""Joins the files of a page into one, at every export.

The kernel and its JavaScript are those of the npm package, bindings/web. A module is joined after
those that it imports, without its imports, its comments and the word `export`. So modules import and export by
name, in one form each, and no two in a bundle share a top-level name; a test checks that."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

import fixsync
from fixsync._native.kinds import KINDS_BY_NAME

ASSETS = Path(__file__).resolve().parent / "assets"
_PACKAGE = ASSETS.parents[1]
WEB = next(
    folder
    for folder in (_PACKAGE / "bindings" / "web", _PACKAGE.parent / "bindings" / "web")
    if folder.is_dir()
)
"""The files of the npm package: in an installed package within it, in an editable one beside it."""

ARENA = ASSETS.parent / "arena"

_FOLDERS = {"./": None, "../assets/": ASSETS, "../../../bindings/web/": WEB}
"""Folders as modules name them; None is the module's own."""
_IMPORT = re.compile(
    rf'^import \{{[^}}]*\}} from "({"|".join(map(re.escape, _FOLDERS))})(\w+\.js)";\n', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function))", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:.|\n)*?\*/)\n", re.MULTILINE)
_TRAILING = re.compile(r"(?<=\S) +// [^\"'`\n]*$", re.MULTILINE)
"""A comment behind code; a text that held one would end in a quote."""
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_ENDS_SCRIPT = re.compile(r"<!--|</?script", re.IGNORECASE)
_HEAD, _STYLE = '<meta charset="utf-8">\n', '<link rel="stylesheet" href="style.css">\n'


def asset(name: str) -> str:
    """An asset that is text."""
    return (ASSETS / name).read_text(encoding="utf-8")


def joined(entry: str | Path) -> str:
    """A module and all that it imports, as one. `entry`: an asset's name, or a path."""
    order: dict[Path, str] = {}

    def visit(path: Path) -> None:
        if path not in order:
            text = path.read_text(encoding="utf-8")
            for folder, imported in _IMPORT.findall(text):
                visit((_FOLDERS[folder] or path.parent) / imported)
            code = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))
            order[path] = _TRAILING.sub("", code)

    visit(ASSETS / entry)
    text = "\n".join(order.values())
    if left := _LEFT_OVER.search(text):
        raise ValueError(f"{entry}: an import or export in a form that cannot be joined: {left[0]}")
    if ends := _ENDS_SCRIPT.search(text):
        raise ValueError(f"{entry}: {ends[0]!r} would end the script")
    return text


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _block(id: str, kind: str, text: str) -> str:
    """Data for the page: no script, so nothing runs it."""
    return f'<script type="{kind}" id="{id}">{text}</script>\n'


def _json(value: Any) -> str:
    """JSON that ends no script."""
    return json.dumps(value).replace("<", "\\u003c")


def _kernel() -> str:
    """The kernel's module, gzipped: base64 of it does not compress well in a page that is served."""
    module = gzip.compress((WEB / "fixsync.wasm").read_bytes(), 9, mtime=0)
    return base64.b64encode(module).decode()


def _whole(
    folder: Path,
    title: str,
    scripts: list[str],
    styles: list[str],
    blocks: list[str],
    also: str = "",
) -> str:
    """A folder's index.html with everything in it. `scripts` and `styles`: the page's own first,
    then others that its policy allows; `also`: the rest of the policy."""
    policy = (
        f"default-src 'none'; style-src {' '.join(map(_digest, styles))};"
        f" script-src {' '.join(map(_digest, scripts))} 'wasm-unsafe-eval' blob:;"
        f" worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'{also}"
    )
    head = (
        f'{_HEAD}<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<link rel="icon" href="data:,">\n'
    )
    script = f'<script type="module">{scripts[0]}</script>\n'
    text = (folder / "index.html").read_text(encoding="utf-8")
    shown = title.encode("utf-8", "replace").decode()  # a file's name may be no UTF-8
    source = r'<script type="module" src="\w+\.js"></script>\n'
    for mark, replacement in (
        (r"<title>[^<]*</title>", f"<title>{html.escape(shown)}</title>"),
        (re.escape(_HEAD), head),
        (re.escape(_STYLE), f"<style>{styles[0]}</style>\n"),
        (source, "".join([*blocks, script])),
    ):
        found = re.search(mark, text)
        if found is None:
            raise ValueError(f"index.html: no {mark}")
        text = text[: found.start()] + replacement + text[found.end() :]
    return text


def page(title: str, manifest: dict[str, Any], logs: list[bytes]) -> str:
    """The page of a manifest and of its logs' gzipped texts.

    Its policy allows its own scripts alone and no network.
    """
    blocks = [
        _block(f"log-{i}", "text/plain", base64.b64encode(log).decode())
        for i, log in enumerate(logs)
    ]
    return _viewer(title, _json(manifest), "".join(blocks), _kernel())


def _check_drawings() -> None:
    """A page with a kind that has no drawing would be empty: nothing is written then."""
    drawn = re.findall(r"^  (\w+): (?:\{ plan: |prism\()", asset("kinds.js"), re.MULTILINE)
    for name in KINDS_BY_NAME:
        if name not in drawn:
            raise ValueError(f"{ASSETS / 'kinds.js'} does not say how this kind is drawn: {name}")


def _viewer(title: str, manifest: str, logs: str, kernel: str) -> str:
    _check_drawings()
    blocks = [
        _block("manifest", "application/json", manifest),
        logs,
        _block("kernel", "text/plain", kernel),
        # A worker of this kind is not a module: Chromium starts no module worker from a file's page.
        _block("worker", "text/plain", f'"use strict";\n{joined("worker.js")}'),
    ]
    return _whole(ASSETS, title, [joined("page.js")], [asset("style.css")], blocks)


def arena() -> str:
    """The page of the arena, with an empty viewer in it for the logs that are dropped on it."""
    viewer = {
        "page": _viewer("fixsync view", "@manifest@", "@logs@", "@kernel@"),
        "log": _block("log-@i@", "text/plain", "@data@"),
        "version": fixsync.__version__,
    }
    scripts = [joined(ARENA / "arena.js"), joined("page.js")]
    styles = [(ARENA / "style.css").read_text(encoding="utf-8"), asset("style.css")]
    blocks = [
        _block("kernel", "text/plain", _kernel()),
        _block("viewer", "application/json", _json(viewer)),
    ]
    return _whole(ARENA, "fixsync arena", scripts, styles, blocks, "; frame-src blob:")

"""Joins the page's assets into one file, at every export.

The kernel and its JavaScript are those of the npm package, bindings/web. A module is joined after
those that it imports, without its imports and the word `export`. So modules import and export by
name, in one form each, and no two in a bundle share a top-level name; a test checks that."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).resolve().parent / "assets"
_PACKAGE = ASSETS.parents[1]
WEB = next(
    folder
    for folder in (_PACKAGE / "bindings" / "web", _PACKAGE.parent / "bindings" / "web")
    if folder.is_dir()
)
"""The files of the npm package: in an installed package within it, in an editable one beside it."""

_WEB_IN_SOURCE = "../../../bindings/web/"
_IMPORT = re.compile(
    rf'^import \{{[^}}]*\}} from "(\./|{re.escape(_WEB_IN_SOURCE)})(\w+\.js)";\n', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_ENDS_SCRIPT = re.compile(r"<!--|</?script", re.IGNORECASE)
_HEAD, _STYLE, _SCRIPT = (
    '<meta charset="utf-8">\n',
    '<link rel="stylesheet" href="style.css">\n',
    '<script type="module" src="page.js"></script>\n',
)


def asset(name: str) -> str:
    """An asset that is text."""
    return (ASSETS / name).read_text(encoding="utf-8")


def joined(entry: str) -> str:
    """A module and all that it imports, as one."""
    order: dict[Path, str] = {}

    def visit(path: Path) -> None:
        if path not in order:
            text = path.read_text(encoding="utf-8")
            for folder, imported in _IMPORT.findall(text):
                visit((WEB if folder == _WEB_IN_SOURCE else path.parent) / imported)
            order[path] = _EXPORT.sub("", _IMPORT.sub("", text))

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


def page(title: str, manifest: dict[str, Any], logs: list[bytes]) -> str:
    """The page of a manifest and of its logs' gzipped texts.

    Its policy allows its own scripts alone and no network.
    """
    style, script = asset("style.css"), joined("page.js")
    policy = (
        f"default-src 'none'; style-src {_digest(style)};"
        f" script-src {_digest(script)} 'wasm-unsafe-eval' blob:;"
        " worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'{_HEAD}<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<link rel="icon" href="data:,">\n'
    )
    blocks = [
        _block("manifest", "application/json", json.dumps(manifest).replace("<", "\\u003c")),
        *(
            _block(f"log-{i}", "text/plain", base64.b64encode(log).decode())
            for i, log in enumerate(logs)
        ),
        _block(
            "kernel", "text/plain", base64.b64encode((WEB / "fixsync.wasm").read_bytes()).decode()
        ),
        # A worker of this kind is no module: Chromium starts no module worker from a file's page.
        _block("worker", "text/plain", f'"use strict";\n{joined("worker.js")}'),
        f'<script type="module">{script}</script>\n',
    ]
    text = asset("index.html")
    for mark, replacement in (
        ("<title>fixsync view</title>", f"<title>{html.escape(title)}</title>"),
        (_HEAD, head),
        (_STYLE, f"<style>{style}</style>\n"),
        (_SCRIPT, "".join(blocks)),
    ):
        before, found, after = text.partition(mark)
        if not found:
            raise ValueError(f"index.html: no {mark.strip()}")
        text = before + replacement + after
    return text

"""Pages in a real browser. They need Chromium (`chromium` on the path, or its path in
FIXSYNC_CHROMIUM) and the package playwright. Each test leaves a screenshot in build/screenshots."""

import os
import re
import shutil
from pathlib import Path

import pytest
from tools import needs

from fixsync.view import export, write

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
CHROMIUM = os.environ.get("FIXSYNC_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

# It tries to reach its maker by itself.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]


# Playwright's loop runs in this thread until the fixture ends, and then a worker may run a test of
# asyncio. The scope "package" would be the whole session, since the folder has no __init__.py.
@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with needs("playwright.sync_api").sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Writes the page of some logs, once for all tests that want it."""
    folder = tmp_path_factory.mktemp("pages")

    def made(*logs):
        out = folder / ("-".join([log.name for log in logs] or ["viewer"]) + ".html")
        if not out.exists():
            write(out, [export(log) for log in logs])
        return out

    return made


@pytest.fixture
def path(tmp_path):
    """The log that a test records. Each has its own name: pages are kept by the names of logs."""
    return tmp_path / f"{tmp_path.name}.jsonl"


@pytest.fixture
def opened(browser, pages, request):
    """Opens pages. A word in the console, an error or a request of a page fails the test."""
    contexts, trouble = [], []

    def open_page(*logs, width=1280, height=800, scheme="light", fragment="", checked=True):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on(
            "console", lambda message: trouble.append(f"console: {message.type}: {message.text}")
        )
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        allowed = ("file:", "blob:", "data:")
        page.on(
            "request",
            lambda r: None if r.url.startswith(allowed) else trouble.append(f"request: {r.url}"),
        )
        is_page = [log.suffix for log in logs] == [".html"]
        page.goto((logs[0] if is_page else pages(*logs)).as_uri() + fragment)
        if checked:
            page.wait_for_selector("#badge:not([data-state=running])")
        return page

    yield open_page
    SHOTS.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "_", request.node.name).strip("_")
    for i, context in enumerate(contexts):
        context.pages[0].screenshot(path=SHOTS / f"{name}{'' if i == 0 else f'_{i}'}.png")
        context.close()
    assert trouble == []

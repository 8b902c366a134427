"""The documentation: its programs run, its links lead somewhere, its command lines have options that
exist. The site: it builds, and everything public is in it."""

from __future__ import annotations

import importlib
import posixpath
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
from builds import CSRC, ROOT, STRICT, Builds, compiled
from tools import each, needs, ran, run_shell

import fixsync
from fixsync import cli

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
TEXTS = {path: path.read_text(encoding="utf-8") for path in [*PAGES, *TOP]}


def test_without_the_site_the_c_reference_is_found_in_the_headers() -> None:
    """The site fills these pages; in a clone they are links."""
    for page, header in (("c.md", "fixsync.h"), ("c-kit.md", "fixsync_kit.h")):
        assert f"On a code host read [{header}](../csrc/{header})" in TEXTS[DOCS / page]
        for path, folder in ((ROOT / "README.md", "csrc"), (DOCS / "index.md", "../csrc")):
            assert f"[{header}]({folder}/{header})" in TEXTS[path]


# The site.


class Page(HTMLParser):
    """What a page links to, and what in it can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


@pytest.fixture(scope="module")
def folder(builds: Builds) -> Path:
    """The folder of the site."""
    for name in ("sphinx", "furo", "myst_parser", "sphinx_copybutton"):
        needs(name)

    def make(to: Path) -> None:
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", str(to)]
        done = ran(command, cwd=ROOT)
        (to / "said.txt").write_text(done.stdout + done.stderr)

    made = builds.made("site", make)
    assert (made / "said.txt").read_text() == ""
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> dict[str, Page]:
    """The pages of the site by name."""
    return {
        path.relative_to(folder).as_posix(): Page(path) for path in sorted(folder.rglob("*.html"))
    }


@pytest.mark.full
def test_the_site_has_a_page_for_every_page_of_docs_without_a_warning(
    site: dict[str, Page],
) -> None:
    assert {f"{path.stem}.html" for path in PAGES} <= site.keys()
    listed = {urlsplit(link).path for link in site["index.html"].links}
    assert {f"{path.stem}.html" for path in PAGES if path.stem != "index"} <= listed


@pytest.mark.full
def test_every_link_of_the_site_leads_somewhere(site: dict[str, Page], folder: Path) -> None:
    links = 0
    for name, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme in ("https", "data"), f"{name}: {link}"
                continue
            links += 1
            target = posixpath.normpath(
                posixpath.join(posixpath.dirname(name), unquote(parts.path))
            )
            target = target if parts.path else name
            assert (folder / target).exists(), f"{name}: {link}"
            if parts.fragment and target in site:
                assert unquote(parts.fragment) in site[target].ids, f"{name}: {link}"
    assert links > 1000


@pytest.mark.full
def test_every_public_symbol_of_the_header_is_in_the_site(site: dict[str, Page]) -> None:
    for file, page, least in (("fixsync.h", "c.html", 110), ("fixsync_kit.h", "c-kit.html", 5)):
        header = (CSRC / file).read_text(encoding="ascii")
        names = set(re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", header, re.MULTILINE))
        names |= set(re.findall(r"^typedef struct (fxs_\w+)", header, re.MULTILINE))
        public = header.partition("/* Parts of the above.")[0]
        names |= set(re.findall(r"^#define (FXS_\w+)", public, re.MULTILINE))
        assert len(names) > least
        assert {name for name in names if f"c.{name}" not in site[page].ids} == set()


OF_PAGES: dict[str, list[str]] = runpy.run_path(
    str(ROOT / "docs" / "extensions" / "python_reference.py")
)["PAGES"]
MODULES = [f"fixsync.{name}" for name in chain.from_iterable(OF_PAGES.values())]


@pytest.fixture(scope="module")
def python_ids(site: dict[str, Page]) -> set[str]:
    """What the pages of the Python reference define."""
    return set().union(*(page.ids for name, page in site.items() if name.startswith("python")))


@pytest.mark.full
def test_every_public_python_name_is_in_the_site(python_ids: set[str]) -> None:
    names = set()
    for module in ("fixsync", *MODULES):
        public = {*getattr(importlib.import_module(module), "__all__", ())}
        names |= {f"{module}.{name}" for name in public - {"__version__", "flat"}}
    for kind in (getattr(fixsync, name) for name in fixsync.__all__):
        if isinstance(kind, type):
            members = (name for name in vars(kind) if not name.startswith("_"))
            names |= {f"fixsync.{kind.__name__}.{name}" for name in members}
    assert names - python_ids == set()


@pytest.mark.full
def test_what_the_programs_of_the_documentation_import_is_in_the_site(
    python_ids: set[str],
) -> None:
    imported = set()
    for text in TEXTS.values():
        for module, names in re.findall(r"^from (fixsync[\w.]*) import (.+)$", text, re.MULTILINE):
            imported |= {(module, name.split(" as ")[0]) for name in names.split(", ")}
    assert len(imported) > 40
    for module, name in imported:
        value = getattr(importlib.import_module(module), name)
        home = f"{getattr(value, '__module__', module)}.{name}"
        places = {f"{module}.{name}", f"module-{module}.{name}", home, f"fixsync.{name}"}
        assert places & python_ids, f"{module}.{name}"


@pytest.mark.full
def test_every_function_of_c_is_in_the_table_of_names(folder: Path) -> None:
    text = (folder / "names.html").read_text(encoding="utf-8")
    functions = re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", (CSRC / "fixsync.h").read_text(), re.M)
    assert [name for name in functions if name not in text] == []


@pytest.mark.full
def test_every_command_is_in_the_site(site: dict[str, Page]) -> None:
    for name in cli.COMMANDS:
        assert f"fixsync-{name}" in site["commands.html"].ids


# The pages: links, programs, command lines.


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a page in a language."""
    block = rf"^```{language}\n(.*?)^```$"
    return re.findall(block, TEXTS[ROOT / page], re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_link_of_a_page_leads_to_a_file_and_a_heading() -> None:
    for path, text in TEXTS.items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            name, _, anchor = target.partition("#")
            if not name.startswith("https://"):
                file = (path.parent / name).resolve() if name else path
                assert file.exists(), (path, target)
                assert not anchor or anchor in anchors(TEXTS[file]), (path, target)


_PROGRAM = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
PROGRAMS = [
    pytest.param(program, output, id=f"{path.name}-{number}")
    for path in PAGES
    if path.name not in ("levels.md", "combat.md")  # test_level_docs.py, test_combat.py
    for number, (program, output) in enumerate(_PROGRAM.findall(TEXTS[path]))
]


@pytest.mark.parametrize(("program", "output"), PROGRAMS)
def test_a_program_of_the_documentation_prints_what_stands_under_it(
    program: str,
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "program", "exec"), {"__name__": "__main__"})  # noqa: S102 - the project's own text
    assert capsys.readouterr().out == output


def test_every_section_of_the_cookbook_has_a_program_and_every_program_its_output() -> None:
    text = TEXTS[DOCS / "cookbook.md"]
    for section in text.split("\n## ")[1:]:
        assert "```python\n" in section, section.splitlines()[0]
    for name in ("cookbook.md", "desync.md", "sessions.md", "testing.md"):
        assert all(output for _, output in _PROGRAM.findall(TEXTS[DOCS / name])), name


def test_the_rows_of_the_systems_name_tests() -> None:
    systems = (ROOT / "tests" / "systems.md").read_text(encoding="utf-8")
    links = re.findall(r"\[`(test_\w+)`\]\((\w+\.py)\)", systems)
    assert len(links) > 40
    for name, file in links:
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), name


# What a code host and Read the Docs read.


@pytest.mark.full
def test_a_report_of_a_desync_must_have_the_log() -> None:
    yaml = needs("yaml")
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    forms = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in folder.glob("*.yml")}
    for name, form in forms.items():
        ids = [row["id"] for row in form["body"]]
        assert len(set(ids)) == len(ids), name
        assert {row["type"] for row in form["body"]} <= {"input", "textarea"}, name
        assert form["name"], name
        assert form["description"], name
    required = {
        row["id"]: row.get("validations", {}).get("required", False)
        for row in forms["desync"]["body"]
    }
    assert required["log"] is True
    assert next(iter(required)) == "log"


@pytest.mark.parametrize("name", ["desync", "bug"])
def test_command_lines_of_an_issue_form_exist(name: str) -> None:
    text = (ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8")
    context = click.Context(cli.fixsync)
    for command in re.findall(r"`fixsync ([a-z]+)", text):
        assert cli.fixsync.get_command(context, command) is not None, command


@pytest.mark.full
def test_read_the_docs_builds_the_site_as_the_tests_do() -> None:
    settings = needs("yaml").safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    assert (ROOT / settings["sphinx"]["configuration"]).samefile(DOCS / "conf.py")
    assert settings["sphinx"]["fail_on_warning"] is True
    (install,) = settings["python"]["install"]
    assert install["extra_requirements"] == ["docs"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository here")
def test_no_file_changes_when_git_checks_it_out() -> None:
    command = ["git", "-c", "safe.directory=*", "ls-files", "--eol", "-z"]
    done = ran(command, cwd=ROOT, check=True)
    rows = [row.split() for row in done.stdout.split("\0") if row]
    assert len(rows) > 900
    assert [row for row in rows if row[0] in ("i/crlf", "i/mixed")] == []
    is_binary = {row[-1].rpartition(".")[2] for row in rows if row[0] == "i/-text"}
    assert is_binary <= {"bin", "gz", "png", "wasm"}, ".gitattributes does not name it"


# The README, and the first pages in other languages.


def test_the_python_example_of_the_readme_prints_what_its_comments_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (example,) = blocks("README.md", "python")
    exec(compile(example, "example", "exec"), {"__name__": "__main__"})  # noqa: S102 - the project's own text
    printed = re.findall(r"print\(.*#\s*(.*)$", example, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == printed


def test_the_readme_begins_with_two_commands_of_one_line() -> None:
    commands = blocks("README.md", "sh")
    assert [len(command.splitlines()) for command in commands] == [1, 1]
    assert "pytest" in commands[1]
    assert commands[1].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["zh.md", "ko.md"])
def test_a_first_page_in_another_language_has_the_readmes_commands_and_no_more(page: str) -> None:
    text = f"docs/{page}"
    assert blocks(text, "sh") == blocks("README.md", "sh")
    assert len(re.findall("^```.", TEXTS[ROOT / text], re.MULTILINE)) == 2
    assert text in TEXTS[ROOT / "README.md"]


def test_the_drawings_are_what_their_script_writes() -> None:
    images = DOCS / "images"
    for name, draw in runpy.run_path(str(images / "pictures.py"))["PICTURES"].items():
        committed = (images / name).read_bytes()
        assert draw().bytes() == committed, f"{name}: run python docs/images/pictures.py"


# The first hour.

START = TEXTS[DOCS / "start.md"]
COMMANDS = blocks("docs/start.md", "sh")


@pytest.mark.full
def test_the_first_recorded_match_is_replayed_and_shown(tmp_path: Path) -> None:
    (program,) = (program for program, _ in _PROGRAM.findall(START) if "Recorder" in program)
    (tmp_path / "record.py").write_text(program)
    assert "identical" in run_shell(f"python record.py\n{COMMANDS[0]}", tmp_path)
    assert (tmp_path / "match.html").stat().st_size > 10_000


(C_PROGRAM,) = blocks("docs/start.md", "c")
C_OUTPUT = blocks("docs/start.md", "text")[-1]


def test_the_first_c_program_prints_what_stands_under_it(tmp_path: Path, builds: Builds) -> None:
    source, program = tmp_path / "duel.c", tmp_path / "duel"
    source.write_text(C_PROGRAM)
    compiled("-std=c11", *STRICT, f"-I{CSRC}", source, builds.object(), "-o", program)
    run = ran([program], check=True)
    assert run.stdout == C_OUTPUT


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_the_first_c_program_is_compiled_by_the_command_below_it(tmp_path: Path) -> None:
    (tmp_path / "duel.c").write_text(C_PROGRAM)
    assert COMMANDS[1].startswith("cc -O2 duel.c")
    assert run_shell(COMMANDS[1] + "\n./duel", tmp_path) == C_OUTPUT


LINKING_MAIN = """
#include <assert.h>

int main(void) {
    fxs_config config;
    fxs_world *world = new_world(4, 9);
    assert(is_fixsync_usable() && world != NULL);
    fxs_world_config(world, &config);
    assert(config.capacity == 4 && config.hit_capacity == 9 && config.layers[31] == 0xFFFFFFFFu);
    assert(new_world(0, 9) == NULL); /* out of range */
    free(world);
    return 0;
}
"""


def test_the_functions_of_the_page_on_linking_do_what_it_says(
    tmp_path: Path, builds: Builds
) -> None:
    (tmp_path / "game.c").write_text("".join([*blocks("docs/linking.md", "c"), LINKING_MAIN]))
    game = tmp_path / "game"
    compiled("-std=c11", "-UNDEBUG", f"-I{CSRC}", tmp_path / "game.c", builds.object(), "-o", game)
    subprocess.run([game], check=True)


def _command_lines(text: str) -> Iterator[str]:
    """What stands in blocks and between backquotes, line by line."""
    for part in re.findall(
        r"^```(?:sh)?\n.*?^```$|^    \S[^\n]*|`[^`\n]+`", text, re.MULTILINE | re.DOTALL
    ):
        yield from part.strip("`").splitlines()


@each("path", TEXTS)
def test_command_lines_of_the_documentation_have_commands_options_and_files_that_exist(
    path: Path,
) -> None:
    context = click.Context(cli.fixsync)
    for line in _command_lines(TEXTS[path]):
        for name, rest in re.findall(r"(?:^\s*|[;&(] ?)fixsync ([a-z][a-z-]*)([^#|)]*)", line):
            if line == "fixsync packet":
                continue  # bytes of the protocol
            command = cli.fixsync.get_command(context, name)
            assert command is not None, line
            options = {"--help"}.union(
                *(parameter.opts + parameter.secondary_opts for parameter in command.params)
            )
            assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest)) <= options, line
        for file in re.findall(r"(?:^|[ ;&(])python3? ([\w./]+\.py)\b", line):
            assert (ROOT / file).is_file(), line

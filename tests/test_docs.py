"""The documentation site: it builds, its links lead somewhere, everything public is in it; its
programs run.

The header: its comments tell every status, and no function gives another.
"""

from __future__ import annotations

import importlib
import itertools
import os
import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import pytest
from builds import CSRC, STRICT, Builds, compiled
from tools import needs

import fixsync
from fixsync import cli
from fixsync._native.raw import ffi, lib

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
HEADER = (ROOT / "csrc" / "fixsync.h").read_text(encoding="ascii")
KIT_HEADER = (ROOT / "csrc" / "fixsync_kit.h").read_text(encoding="ascii")

GENERATOR = ("sphinx", "furo", "myst_parser", "sphinx_copybutton")


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
    for name in GENERATOR:
        needs(name)

    def make(to: Path) -> None:
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", str(to)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
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
    for header, page, least in ((HEADER, "c.html", 110), (KIT_HEADER, "c-kit.html", 5)):
        names = set(re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", header, re.MULTILINE))
        names |= set(re.findall(r"^typedef struct (fxs_\w+)", header, re.MULTILINE))
        public = header.partition("/* Parts of the above.")[0]
        names |= set(re.findall(r"^#define (FXS_\w+)", public, re.MULTILINE))
        assert len(names) > least
        assert {name for name in names if f"c.{name}" not in site[page].ids} == set()


MODULES = (
    "fixsync.game.flat",
    "fixsync.game.motion",
    "fixsync.maps",
    "fixsync.log.recorder",
    "fixsync.log.replay",
    "fixsync.log.diff",
    "fixsync.log.info",
    "fixsync.farm.run",
    "fixsync.farm.regress",
    "fixsync.fields",
    "fixsync.view",
    "fixsync.sim",
    "fixsync.session",
    "fixsync.session.udp",
    "fixsync.game.random",
    "fixsync.semantics",
    "fixsync.sample.skillfight",
    "fixsync.testing",
    "fixsync.testing.strategies",
    "fixsync.testing.synctest",
    "fixsync.testing.minimise",
    "fixsync.sample.faults",
)


@pytest.mark.full
def test_every_public_python_name_is_in_the_site(site: dict[str, Page]) -> None:
    ids = set().union(*(page.ids for name, page in site.items() if name.startswith("python")))
    missing = []
    for module in ("fixsync", *MODULES):
        names = set(importlib.import_module(module).__all__) - {"__version__", "flat"}
        missing += [f"{module}.{name}" for name in names if f"{module}.{name}" not in ids]
    for kind in (value for value in vars(fixsync).values() if isinstance(value, type)):
        if kind.__name__ in fixsync.__all__:
            members = (name for name in vars(kind) if not name.startswith("_"))
            missing += [
                f"fixsync.{kind.__name__}.{name}"
                for name in members
                if f"fixsync.{kind.__name__}.{name}" not in ids
            ]
    assert missing == []


@pytest.mark.full
def test_what_the_programs_of_the_documentation_import_is_in_the_site(
    site: dict[str, Page],
) -> None:
    ids = set().union(*(page.ids for name, page in site.items() if name.startswith("python")))
    imported = set()
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for module, names in re.findall(r"^from (fixsync[\w.]*) import (.+)$", text, re.MULTILINE):
            imported |= {(module, name.split(" as ")[0]) for name in names.split(", ")}
    assert len(imported) > 40
    for module, name in imported:
        value = getattr(importlib.import_module(module), name)
        home = f"{getattr(value, '__module__', module)}.{name}"
        places = {f"{module}.{name}", f"module-{module}.{name}", home, f"fixsync.{name}"}
        assert places & ids, f"{module}.{name}"


@pytest.mark.full
def test_every_command_is_in_the_site(site: dict[str, Page]) -> None:
    for name in cli.COMMANDS:
        assert f"fixsync-{name}" in site["commands.html"].ids


# Its programs.

# The programs of these are run by the tests of what they are about.
ELSEWHERE = {"cookbook.md", "desync.md", "levels.md", "match-logs.md", "sessions.md", "testing.md"}
_PROGRAM = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
PROGRAMS = [
    pytest.param(program, output, id=f"{path.name}-{number}")
    for path in PAGES
    if path.name not in ELSEWHERE
    for number, (program, output) in enumerate(_PROGRAM.findall(path.read_text(encoding="utf-8")))
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


START = (DOCS / "start.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", START, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], str]:
    """Runs lines of a shell in a new folder, `fixsync` and `python` being this Python's."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(lines: str) -> str:
        done = subprocess.run(
            ["sh", "-e", "-c", lines],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.full
def test_the_first_recorded_match_is_replayed_and_shown(
    tmp_path: Path, shell: Callable[[str], str]
) -> None:
    (program,) = (program for program, _ in _PROGRAM.findall(START) if "Recorder" in program)
    (tmp_path / "record.py").write_text(program)
    said = shell(f"python record.py\n{COMMANDS[0]}")
    assert "identical" in said
    assert (tmp_path / "match.html").stat().st_size > 10_000


((C_PROGRAM, C_OUTPUT),) = re.findall(
    r"^```c\n(.*?)^```\n```text\n(.*?)^```$", START, re.MULTILINE | re.DOTALL
)


def test_the_first_c_program_prints_what_stands_under_it(tmp_path: Path, builds: Builds) -> None:
    source, program = tmp_path / "duel.c", tmp_path / "duel"
    source.write_text(C_PROGRAM)
    compiled("-std=c11", *STRICT, f"-I{CSRC}", source, builds.object(), "-o", program)
    run = subprocess.run([program], capture_output=True, text=True, check=True)
    assert run.stdout == C_OUTPUT


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_the_first_c_program_is_compiled_by_the_command_above_it(
    tmp_path: Path, shell: Callable[[str], str]
) -> None:
    (tmp_path / "duel.c").write_text(C_PROGRAM)
    assert COMMANDS[1].startswith("cc -O2 duel.c")
    assert shell(COMMANDS[1] + "\n./duel") == C_OUTPUT


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
    blocks = re.findall(
        r"^```c\n(.*?)^```",
        (DOCS / "linking.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    (tmp_path / "game.c").write_text("".join([*blocks, LINKING_MAIN]))
    game = tmp_path / "game"
    compiled("-std=c11", "-UNDEBUG", f"-I{CSRC}", tmp_path / "game.c", builds.object(), "-o", game)
    subprocess.run([game], check=True)


def _command_lines(text: str) -> Iterator[str]:
    """What stands in blocks and between backquotes, line by line."""
    blocks = re.findall(r"^```(?:sh)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for block in [
        *blocks,
        *re.findall(r"^    \S.*$", text, re.MULTILINE),
        *re.findall(r"`([^`\n]+)`", text),
    ]:
        yield from block.splitlines()


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.name)
def test_command_lines_of_the_documentation_have_commands_options_and_files_that_there_are(
    path: Path,
) -> None:
    context = click.Context(cli.fixsync)
    for line in _command_lines(path.read_text(encoding="utf-8")):
        for name, rest in re.findall(r"(?:^\s*|[;&(] ?)fixsync ([a-z]+)([^#|)]*)", line):
            if line == "fixsync packet":
                continue  # bytes of the protocol
            command = cli.fixsync.get_command(context, name)
            assert command is not None, f"{path.name}: {line}"
            there = {
                option
                for parameter in command.params
                for option in (*parameter.opts, *parameter.secondary_opts)
            }
            for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest):
                assert option in there | {"--help"}, f"{path.name}: {line}: {option}"
        for file in re.findall(r"(?:^|[ ;&(])python3? ([\w./]+\.py)\b", line):
            assert (ROOT / file).is_file(), f"{path.name}: {line}"


# The header.


def _documented(header: str) -> dict[str, str]:
    """Each function of a header, and the comment right above it, in one line."""
    found = {}
    for match in re.finditer(
        r"/\*((?:(?!\*/).)*)\*/\nFXS_API [^;]*?\b(fxs_\w+)\(", header, re.DOTALL
    ):
        found[match[2]] = " ".join(re.sub(r"\n \*", "\n", match[1]).split())
    return found


COMMENTS = _documented(HEADER) | _documented(KIT_HEADER)
_DECLARATION = re.compile(r"^FXS_API (\w+) (fxs_\w+)\(([^;]*)\);", re.MULTILINE)
DECLARATIONS = {
    name: (
        kind,
        [re.fullmatch(r"(.*?)(\w+)", " ".join(part.split())).groups() for part in parts.split(",")],
    )  # type: ignore[union-attr]
    for kind, name, parts in _DECLARATION.findall(HEADER + KIT_HEADER)
    if parts != "void"
}
# These give a negative number that is no status.
NO_STATUS = {"fxs_yaw_between"}
STATUSES = {getattr(lib, name): name for name in re.findall(r"#define (FXS_E_\w+)", HEADER)}


def test_the_comment_of_every_function_ends_with_its_cost() -> None:
    assert len(COMMENTS) == (HEADER + KIT_HEADER).count("\nFXS_API ")
    for name, comment in COMMENTS.items():
        assert re.search(r"\. Cost: [^.]+\.$", comment), name


def test_the_comment_of_every_function_tells_what_it_returns_or_that_it_cannot_fail() -> None:
    for name, comment in COMMENTS.items():
        if DECLARATIONS.get(name, ("",))[0].startswith("int") and name not in NO_STATUS:
            assert " Returns " in comment, name
        else:
            assert "Cannot fail" in comment or name == "fxs_world_size", name


# A prism and a cylinder, one of them in the way of what is at the end of int32.
LEVEL_BYTES = fixsync.Level(
    [
        fixsync.Prism([(-50, -50), (50, -50), (0, 50)], -50, 50),
        fixsync.Pillar(2**31 - 40, 0, 100, -(2**31), 2**31 - 1),
    ]
).to_bytes()


class Pool:
    """Arguments for every function, good and bad ones, by type or name. One world has bodies in
    each other at the end of int32, with hits of a step, and another the same colliders and no room
    for hits."""

    CAPACITY = 8

    def __init__(self) -> None:
        self.kept: list[Any] = []
        memory = self.new("uint64_t[]", lib.fxs_level_size(LEVEL_BYTES, len(LEVEL_BYTES)) // 8 + 1)
        self.level = ffi.cast("fxs_level *", memory)
        status = lib.fxs_level_init(self.level, LEVEL_BYTES, len(LEVEL_BYTES), ffi.NULL)
        assert status == lib.FXS_OK
        self.worlds = [self.world(64), self.world(0)]
        lib.fxs_world_step(self.worlds[0], self.new("fxs_event[64]"), 64, self.new("fxs_counts *"))
        self.images = [bytes(ffi.buffer(world, self.size(world))) for world in self.worlds]
        self.states = [self.saved(world) for world in self.worlds]

    def new(self, kind: str, value: Any = None) -> Any:
        self.kept.append(ffi.new(kind) if value is None else ffi.new(kind, value))
        return self.kept[-1]

    def config(self, hit_capacity: int, capacity: int = CAPACITY) -> Any:
        return self.new(
            "fxs_config *", (capacity, hit_capacity, lib.FXS_TOUCHING, [0xFFFFFFFF] * 32)
        )

    def world(self, hit_capacity: int, capacity: int = CAPACITY) -> Any:
        config = self.config(hit_capacity, capacity)
        world = ffi.cast("fxs_world *", self.new("uint64_t[]", lib.fxs_world_size(config) // 8))
        assert lib.fxs_world_init(world, config) == lib.FXS_OK
        assert lib.fxs_world_attach(world, self.level) == lib.FXS_OK
        if capacity == self.CAPACITY:
            for id, kind, size in (
                (1, lib.FXS_SPHERE, 90),
                (2, lib.FXS_BOX, 50),
                (3, lib.FXS_SECTOR, 50),
            ):
                assert (
                    lib.fxs_world_add(world, self.collider(id=id, kind=kind, size=size))
                    == lib.FXS_OK
                )
        return world

    def size(self, world: Any) -> int:
        config = self.new("fxs_config *")
        lib.fxs_world_config(world, config)
        size: int = lib.fxs_world_size(config)
        return size

    def saved(self, world: Any) -> bytes:
        out = ffi.new("uint8_t[]", lib.fxs_world_save_size(world))
        lib.fxs_world_save(world, out)
        return bytes(ffi.buffer(out))

    def collider(self, *, id: int = 5, kind: int = 0, size: int = 50, **fields: int) -> Any:
        """At the end of int32 along x, with an offset along z that a quarter of a turn lays along
        x.
        """
        row = self.new("fxs_collider *")
        row.id, row.kind, row.active, row.x, row.oz = id, kind, 1, 2**31 - 1 - 10 * id, 100
        row.size = [size, size if kind != lib.FXS_SPHERE else 0, size if kind == lib.FXS_BOX else 0]
        row.half_angle = 8192 if kind == lib.FXS_SECTOR else 0
        for name, value in fields.items():
            setattr(row, name, value)
        return row

    def shapes(self) -> list[tuple[int, int, list[int]]]:
        good = [(0, 0, [50, 0, 0]), (3, 0, [50, 50, 50]), (4, 8192, [50, 50, 0])]
        return [*good, (9, 0, [1, 0, 0]), (0, 0, [0, 0, 0]), (0, 1, [50, 0, 0])]

    def poses(self) -> list[tuple[int, int, int, int]]:
        return [(0, 0, 0, 0), (0, 0, 0, 65536)]

    MOTIONS = ([90, 0, 0], [2**29, 0, 0])

    def arguments(self, kind: str, name: str) -> list[Any]:
        """All that a parameter is given."""
        if kind in ("fxs_world *", "const fxs_world *") and name == "world":
            return self.worlds
        if kind == "const fxs_collider *":
            bad: list[dict[str, int]] = [
                {"id": 1},
                {"id": 8},
                {"kind": 9},
                {"zero": 1},
                {"size": 0},
                {"half_angle": 1},
            ]
            bad += [{"layer": 32}, {"active": 2}, {"ox": 2**31 - 1}]
            return [self.collider(), *(self.collider(**fields) for fields in bad)]
        if kind == "const fxs_command *":
            rows = self.arguments("const fxs_collider *", "collider")
            rows += [self.collider(id=id, x=2**31 - 1, ox=9, oz=9) for id in (2, 6)]
            return [
                self.new(kind.removeprefix("const "), (type, 1, row[0]))
                for type in range(13)
                for row in rows
            ]
        values: dict[str, list[Any]] = {
            "const fxs_shape *": self.shapes(),
            "const fxs_pose *": [*self.poses(), (2**31 - 1, 0, 0, 49152)],
            "const fxs_query *": [
                (shape, pose, 0xFFFFFFFF, 0)
                for shape in self.shapes()
                for pose in [*self.poses(), (2**31 - 20, 0, 0, 0)]
            ],
            "const fxs_cast *": [
                (shape, pose, motion, 0xFFFFFFFF, 0, 0, hit_when)
                for shape in self.shapes()
                for pose in [*self.poses(), (2**31 - 20, 0, 0, 0)]
                for motion in self.MOTIONS
                for hit_when in (0, 1, 2, 3)
            ],
        }
        if kind in values:
            return [self.new(kind.removeprefix("const "), value) for value in values[kind]]
        out = {
            "fxs_collider *",
            "fxs_counts *",
            "fxs_config *",
            "uint64_t *",
            "uint32_t *",
            "int32_t *",
            "uint8_t *",
        }
        out |= {"fxs_event *", "fxs_moved *", "fxs_cast_hit *", "fxs_solid *"}
        out |= {"fxs_vertex *", "fxs_extent *"}
        if kind in out:
            return [self.new(kind.replace("*", "[64]"))]
        named: dict[str, list[Any]] = {
            "const int32_t * motion": [self.new("int32_t[3]", motion) for motion in self.MOTIONS],
            "const int32_t * positions": [
                self.new("int32_t[3]", at) for at in ((0, 0, 0), (0, 0, 2**31 - 1))
            ],
            "const uint32_t * ids": [self.new("uint32_t[1]", [id]) for id in (1, 2, 3, 5, 8)],
            "const uint32_t * masks": [
                self.new("uint32_t[32]", [*[0] * 31, last]) for last in (1 << 31, 1)
            ],
            "const uint32_t * yields": [self.new("uint32_t[32]", [0xFFFFFFFF] * 32)],
            "const fxs_config * config": [self.config(64), self.config(64, capacity=0)],
            "fxs_world * memory": [
                self.world(64),
                ffi.cast("fxs_world *", ffi.cast("char *", self.world(64)) + 4),
            ],
            "fxs_world * dst": [self.world(64), self.world(0), self.world(64, capacity=9)],
            "const fxs_world * src": self.worlds[:1],
            "uint64_t n": [1],
            "const fxs_level * level": [self.level],
            "uint32_t index": [0, 2],
            "uint32_t passes": [1, 9],
            "uint64_t limit": [0],
            "uint32_t limit": [0],
            "uint32_t segments": [2, 9],
            "uint32_t hit_when": [0, 1, 2, 3],
            "uint32_t yaw": [0, 49152, 65536],
            "uint32_t half_angle": [1, 0],
            "int32_t length": [1, -(2**31)],
            "uint32_t owner": [0, 7],
            "uint32_t layer": [0, 32],
            "uint32_t active": [0, 1, 2],
        }
        for names in (
            "id a b",
            "x y z ox oy oz",
            "dx dy dz",
            "event_capacity id_capacity hit_capacity moved_capacity vertex_capacity",
        ):
            if name in names.split():
                return {
                    "id": [1, 2, 3, 5, 8, lib.FXS_LEVEL, lib.FXS_LEVEL + 1],
                    "x": [0, 2**31 - 1],
                    "dx": [0, 2**32],
                    "event_capacity": [0, 64],
                }[names.split()[0]]
        return named[f"{kind} {re.sub('_[ab]$', '', name)}"]

    def calls(self, name: str) -> Iterator[tuple[Any, ...]]:
        kinds = [
            (kind.replace("*", " *").replace("  ", " ").strip(), word)
            for kind, word in DECLARATIONS[name][1]
        ]
        if name == "fxs_world_load":
            for world, state in itertools.product(
                self.worlds, [self.states[0], self.states[0][:-1], b""]
            ):
                yield world, self.new("uint8_t[]", state), len(state), self.new("uint64_t *")
            return
        if name == "fxs_level_init":
            for data, shift in itertools.product([LEVEL_BYTES, LEVEL_BYTES[:-1], b""], [0, 4]):
                memory = ffi.cast("char *", self.new("uint64_t[]", 512)) + shift
                level = ffi.cast("fxs_level *", memory)
                yield level, self.new("uint8_t[]", data), len(data), self.new("uint64_t *")
            return
        yield from itertools.product(*(self.arguments(kind, word) for kind, word in kinds))

    def restore(self) -> None:
        for world, image in zip(self.worlds, self.images, strict=True):
            ffi.memmove(world, image, len(image))


@cache
def _pool() -> Pool:
    return Pool()


# Those of the kit are in test_kit.py.
GIVING_STATUSES = sorted(
    name
    for name, (kind, _) in DECLARATIONS.items()
    if kind.startswith("int") and name not in NO_STATUS and f" {name}(" in HEADER
)


@pytest.mark.parametrize("name", GIVING_STATUSES)
def test_a_function_gives_the_statuses_that_its_comment_tells_and_no_others(name: str) -> None:
    """With every combination of good and bad arguments; and a status means that no world has
    changed.
    """
    pool, seen = _pool(), set()
    for arguments in pool.calls(name):
        pool.restore()
        answer = getattr(lib, name)(*arguments)
        if answer < 0:
            seen.add(STATUSES[answer])
            if name.startswith("fxs_world_"):
                assert [pool.saved(world) for world in pool.worlds] == pool.states
    assert seen == set(re.findall(r"\bFXS_E_\w+", COMMENTS[name]))

"""The extras of pyproject.toml: each alone, in a fresh environment, does what its page says."""

from __future__ import annotations

import os
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest
from builds import COMPILER, ROOT, Builds
from test_package import built_twice

sys.path.insert(0, str(ROOT / ".ci"))
release = pytest.importorskip("release", reason="the sources are not here")

# Programs that run with the extra and nothing else; their arguments are the paths of the project and
# of its wheel.
PROGRAMS = {
    "testing": """
from pathlib import Path

import pytest

Path("test_game.py").write_text('''
from hypothesis import given
from fixsync.sample.skillfight import SkillFight
from fixsync.synctest import assert_peers_agree
from fixsync.synctest.strategies import worlds


def test_peers_agree():
    assert_peers_agree(SkillFight, [(1, 2)] * 20, processes=False, needs_hits=False)


def test_the_plugin(peers_agree, fixsync_world):
    assert fixsync_world.capacity == 64


@given(worlds())
def test_worlds_are_drawn(world):
    assert world.copy() == world
''')
assert pytest.main(["-q", "-p", "no:cacheprovider", "test_game.py"]) == 0
""",
    # References are built that import more than a game does. Links to other pages lead nowhere.
    "docs": """
import sys
from sphinx.cmd.build import main

others = "suppress_warnings=myst.xref_missing,toc.not_included"
chosen = ["-D", "root_doc=commands", "-D", "include_patterns=python-*.md,commands.md", "-D", others]
assert main(["-q", "-W", "-b", "html", *chosen, f"{sys.argv[1]}/docs", "site"]) == 0
""",
    "pygame": """
import pygame

from fixsync import ONE, Pose, Sphere, World
from fixsync.world.draw import View

pygame.font.init()
world = World(1)
world.add(0, Sphere(2 * ONE), Pose(0, 0, 0))
view = View(pygame.Surface((160, 120)), pixels=16)
view.world(world)
view.text("3 : 2", (0, 0))
assert pygame.transform.average_color(view.surface)[:3] != (0, 0, 0)
""",
    "farm": """
import subprocess, sys, zipfile
from pathlib import Path

with zipfile.ZipFile("logs.zip", "w") as archive:
    for log in sorted(Path(sys.argv[1], "replay_logs").glob("c*.jsonl.gz")):
        archive.write(log, log.name)
address = "zip://*.jsonl.gz::" + Path("logs.zip").absolute().as_uri()
subprocess.run([Path(sys.executable).with_name("fixsync"), "farm", "-j1", address], check=True)
""",
    "farm-dask": """
import subprocess, sys
from pathlib import Path

from distributed import LocalCluster

if __name__ == "__main__":
    logs = str(Path(sys.argv[1], "replay_logs", "c*.jsonl.gz"))
    with LocalCluster(n_workers=1, dashboard_address=None) as cluster:
        farm = [Path(sys.executable).with_name("fixsync"), "farm", "--engine", "dask"]
        subprocess.run([*farm, "--scheduler", cluster.scheduler_address, logs], check=True)
""",
    "zstd": """
import subprocess, sys
from pathlib import Path

log = Path(sys.argv[1], "replay_logs", "crowd.jsonl.gz")
fixsync = Path(sys.executable).with_name("fixsync")
subprocess.run([fixsync, "cut", log, "0..5", "-o", "cut.jsonl.zst"], check=True)
assert Path("cut.jsonl.zst").read_bytes()[:4] == bytes.fromhex("28b52ffd")
subprocess.run([fixsync, "replay", "cut.jsonl.zst"], check=True)
""",
    "bench": """
import subprocess, sys

compare = [sys.executable, f"{sys.argv[1]}/bench/compare.py", "--scene", "uniform", "--count", "16"]
table = subprocess.run(compare, check=True, stdout=subprocess.PIPE, text=True).stdout
assert all(name in table for name in ("fixsync", "pymunk", "SciPy")), table
""",
    "packaging": """
import subprocess, sys
from pathlib import Path

sys.path.insert(0, f"{sys.argv[1]}/.ci")
import release

project = release.tree(Path("tree"))
release.check(release.build(project, "sdist"), Path(sys.argv[2]))
subprocess.run([sys.executable, "-m", "ziglang", "version"], check=True)
if sys.version_info >= (3, 11):
    build = ["cibuildwheel", "--print-build-identifiers", "--platform", "linux", project]
    subprocess.run([sys.executable, "-m", *build], check=True)
""",
}
OTHERS = ("docs", "farm", "packaging")
"""Whose programs other tests run as well, in the environment of all."""
OF_THE_TESTS = ("test", "dev")
"""`.ci/run` installs these two, and runs the tests."""


def test_every_extra_is_on_the_page_and_is_installed_by_a_test() -> None:
    extras = metadata.metadata("fixsync").get_all("Provides-Extra")
    assert extras is not None
    assert sorted(extras) == sorted([*PROGRAMS, *OF_THE_TESTS])
    page = (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8")
    first = re.findall(r"^\| (`.*?) \|", page.partition("| extra |")[2], re.MULTILINE)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(first))) == sorted(extras)
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for extra in OF_THE_TESTS:
        assert re.search(rf"\.venv/bin/pip install .*\[{extra}\]'", commands), extra


@pytest.fixture
def wheel(builds: Builds) -> Path:
    """The wheel of the project, built once."""
    if COMPILER is None:
        pytest.skip("no C compiler here")

    (found,) = built_twice(builds).glob("built/*.whl")
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "extra",
    [pytest.param(e, marks=pytest.mark.release if e in OTHERS else ()) for e in PROGRAMS],
)
def test_an_extra_alone_does_what_its_page_says(extra: str, wheel: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    try:
        fresh = release.installed(
            sys.executable, f"{wheel}[{extra}]", tmp_path / "fresh", "--no-compile"
        )
    except release.ReleaseError as error:
        if "connection broken" not in str(error) or os.environ.get("CI"):
            raise
        pytest.skip("no package index can be reached")
    program = work / "program.py"
    program.write_text(PROGRAMS[extra], encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    # Most modules of what is installed are never imported: those that are, are compiled then.
    bare = {**kept, "HOME": str(tmp_path)}
    release.run(fresh, program, ROOT, wheel, cwd=work, env=bare)

"""Settings for every test: what runs by default, and what runs only with --full."""

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import pytest
from builds import Builds
from hypothesis import HealthCheck, settings
from tools import Run

# Or each worker, and each of the thousands of processes that tests start, would compile every module
# again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test depends on time or chance; a failure prints what reproduces it. With --full the examples
# are other ones in every run, but in CI.
settings.register_profile(
    "release",
    deadline=None,
    print_blob=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("full", settings.get_profile("release"), max_examples=50)
settings.register_profile(
    "default", settings.get_profile("release"), max_examples=10, derandomize=True
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="Run slow tests too, and four times as many examples.",
    )
    parser.addoption(
        "--release",
        action="store_true",
        help="With --full: run those too that are for a release, and 20 times as many examples.",
    )


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is collected, of which nothing is garbage
    if config.getoption("full"):
        settings.load_profile("release" if config.getoption("release") else "full")
    else:
        settings.load_profile("default")
        ignore_constants_of_modules()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000, 5, 5)  # most tests leave little behind
    gc.enable()


def ignore_constants_of_modules() -> None:
    """Hypothesis would read every module that is loaded for constants to try: seconds in each
    worker, and other examples where other tests ran before. The strategies have edges of their own.
    """
    try:
        from hypothesis.internal.conjecture import providers

        none = providers._local_constants
    except (ImportError, AttributeError):
        return  # another version
    providers._get_local_constants = lambda: none


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Files and tests that are named run in this process; starting workers would take longer. Else
    one worker more than processors, since some tests wait for processes and sockets."""
    if any(".py" in argument for argument in config.args):
        return 0
    if config.getoption("full"):
        return None
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    return len(usable(0)) + 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """pytest compiles each test file once, for its assertions. Of two workers that start together
    one begins with the last file: each finds the half that the other has compiled."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        for path in sorted(session.config.rootpath.glob("tests/test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # reported when it is collected
                import_module(path.stem)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --full, tests marked `full` are deselected, and so are those marked `release`."""
    left_out = {name for name in ("full", "release") if not config.getoption(name)}

    def is_slow(item: pytest.Item) -> bool:
        return any(mark.name in left_out for mark in item.iter_markers())

    config.hook.pytest_deselected(items=[item for item in items if is_slow(item)])
    items[:] = [item for item in items if not is_slow(item)]


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Builds:
    """The compiled kernel, shared by the workers of this run."""
    folder = tmp_path_factory.getbasetemp()
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    return Builds((folder.parent if is_worker else folder) / "builds")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `fixsync` with arguments, in this process."""
    from fixsync import cli

    def call(*arguments: Any) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["fixsync", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call

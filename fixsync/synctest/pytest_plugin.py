"""The pytest plugin. pytest loads it wherever fixsync is installed, so it imports nothing before it
is used.

- `peers_agree`: `assert_peers_agree`, which leaves the smallest failing match in a folder of pytest.
- `fixsync_world`: an empty world with room for 64.
- `fixsync_recorder`: `fixsync_recorder(world)` records the world into `tmp_path`; a test that fails
  names the log.
- A failing `state == other_state`, of two states that `World.save` returned, lists the fields that
  differ; so does a failing comparison of two worlds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fixsync import World
    from fixsync.log.recorder import Recorder
    from fixsync.match.sim import SimulationType
    from fixsync.synctest.straight import Inputs

_LOGS = pytest.StashKey[list[str]]()
"""Of a test, commands that look at its match logs."""
_TEST = pytest.StashKey[pytest.Item]()
"""The test that runs."""
_FOLDER = pytest.StashKey[Path]()
"""Of a test, where `peers_agree` writes."""


@pytest.fixture
def fixsync_world() -> World:
    """An empty world: ids 0..63, every layer meets every layer."""
    from fixsync import World

    return World(64)


@pytest.fixture
def fixsync_recorder(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[World], Recorder]]:
    """A function that records a world, from frame 0 on, into a match log in the test's tmp_path."""
    from fixsync.log.recorder import Recorder

    made: list[Recorder] = []

    def record(world: World) -> Recorder:
        path = tmp_path / f"world{len(made)}.jsonl"
        made.append(Recorder(world, path, meta={"test": request.node.name}))
        request.node.stash.setdefault(_LOGS, []).append(f"fixsync replay {path}")
        return made[-1]

    yield record
    for recorder in made:
        recorder.close()


@pytest.fixture(scope="session")
def peers_agree(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., None]:
    """`assert_peers_agree`, which writes the smallest match found that shows a difference into a
    folder of the test. It keeps nothing between calls, so Hypothesis' `@given` takes it.
    """
    from fixsync.synctest.agreement import assert_peers_agree

    def check(simulation: SimulationType, inputs: Inputs, **options: Any) -> None:
        __tracebackhide__ = True
        test = pytestconfig.stash[_TEST]
        if _FOLDER not in test.stash:
            test.stash[_FOLDER] = tmp_path_factory.mktemp("peers_agree")
        path = options.setdefault("log", test.stash[_FOLDER] / "smallest.jsonl")
        try:
            assert_peers_agree(simulation, inputs, **options)
        except AssertionError:
            if path is not None and Path(path).exists():
                name = f"{simulation.__module__}:{getattr(simulation, '__qualname__', simulation.name)}"
                command = f"fixsync synctest {name} --inputs {path}"
                commands = test.stash.setdefault(_LOGS, [])
                if command not in commands:
                    commands.append(command)
            raise

    return check


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before the fixtures: a session's fixture does not see which test calls it."""
    item.config.stash[_TEST] = item


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Names a failed test's match logs in its report."""
    report = yield
    logs = item.stash.get(_LOGS, [])
    if report.when == "call" and report.failed and logs:
        report.sections.append(("match logs", "\n".join(logs)))
    return report


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Tells two saved states, or two worlds, apart by field."""
    if op != "==":
        return None
    states = [_state(value) for value in (left, right)]
    if states[0] is None or states[1] is None or states[0] == states[1]:
        return None
    from fixsync.synctest.agreement import explained

    try:
        return ["two states that are not the same", *explained(states[0], states[1])]
    except ValueError:
        return None


def _state(value: object) -> bytes | None:
    if isinstance(value, bytes):
        from fixsync._native.state import MAGICS

        return value if value.startswith(MAGICS) else None
    if type(value).__module__ == "fixsync.world.world" and hasattr(value, "save"):
        saved = value.save()
        return saved if isinstance(saved, bytes) else None
    return None

"""Settings for every test: what runs by default, and what runs only with --full."""

import pytest
from hypothesis import settings

# No test depends on time; a failure prints what reproduces it.
settings.register_profile("default", deadline=None, print_blob=True, max_examples=10)
settings.register_profile("full", deadline=None, print_blob=True, max_examples=100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full", action="store_true", help="Run slow tests too, and ten times as many examples."
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if config.getoption("full") else "default")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Files and tests that are named run in this process; starting workers would take longer."""
    return 0 if any(".py" in argument for argument in config.args) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --full, tests marked `full` are deselected."""
    if config.getoption("full"):
        return
    slow = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("full")]

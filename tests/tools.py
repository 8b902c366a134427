"""What tests marked `full` use besides the extra `test`."""

import importlib
import os
from types import ModuleType

import pytest


def needs(module: str) -> ModuleType:
    """A module of the extra `dev`. Without it the test is skipped; in CI it fails."""
    if os.environ.get("CI"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"no {module} here: pip install -e '.[dev]'")

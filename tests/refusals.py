"""Calls that must be refused, as a table of text: `call | error | part of its message / part`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from tools import each


@dataclass(frozen=True)
class Refused:
    """A row of a table. Calling it makes the call, with these names and those of its module."""

    call: str
    error: str
    named: str
    module: dict[str, Any] = field(repr=False)

    def __call__(self, **names: Any) -> None:
        code = compile(self.call, "a table of refusals", "eval")
        with pytest.raises((TypeError, ValueError, KeyError)) as reported:
            eval(code, self.module | names)
        assert type(reported.value).__name__ == self.error
        for part in self.named.split(" / "):
            assert part in str(reported.value)


def refusals(table: str) -> Callable[..., Any]:
    """Runs a test with each row of a table, which it gets as `refused`."""
    module = sys._getframe(1).f_globals
    rows = [line.strip().split(" | ") for line in table.strip().splitlines()]
    return each("refused", [Refused(*row, module) for row in rows])

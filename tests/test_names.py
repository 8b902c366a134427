"""One name for each operation in all languages: bindings/names.toml against the packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import public_names
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if sys.version_info < (3, 11):
    pytest.skip("no tomllib", allow_module_level=True)

from bindings import api, names

SECTIONS = names.read_names(api.read())
HAS: dict[str, Callable[[str], bool]] = {
    "python": public_names.has_python,
    "javascript": public_names.javascript().__contains__,
    "csharp": public_names.csharp().__contains__,
    "rust": public_names.rust().__contains__,
    "godot": public_names.godot().__contains__,
}


@pytest.mark.parametrize("language", names.LANGUAGES)
def test_each_package_has_the_names_of_the_table(language: str) -> None:
    given = [row.names[language] for section in SECTIONS for row in section.rows]
    assert [name for name in given if name and not HAS[language](name)] == []
    assert sum(map(bool, given)) > 80
    assert not HAS[language]("World.no_such_name")


def test_no_name_of_the_table_is_unfinished() -> None:
    table = names.tomllib.loads((public_names.BINDINGS / "names.toml").read_text(encoding="utf-8"))
    assert table.keys() == {"group", "exception"}


def test_the_page_has_every_function_once() -> None:
    page = names.page(SECTIONS)
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(function.name for function in api.read().functions)
    assert "| `fxs_world_get` | `World[…]` | `World.get` | `World[…]` | `World::get` |" in page


def test_a_function_without_a_row_and_an_exception_that_is_none_are_refused() -> None:
    text = (public_names.BINDINGS / "names.toml").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="no group has fxs_along, fxs_bounce, fxs_slide"):
        names.read_names(api.read(), text.replace('["fxs_along", "fxs_bounce", "fxs_slide"]', "[]"))
    row = '[[exception]]\nfunctions = ["fxs_mul"]\npython = "game.numbers.mul"\nwhy = ""\n'
    with pytest.raises(ValueError, match="fxs_mul, python: not an exception"):
        names.read_names(api.read(), text + row)

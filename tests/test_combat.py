"""docs/combat.md: its programs print what stands under them, also with the players swapped."""

from __future__ import annotations

import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "combat.md").read_text(encoding="utf-8")
FIGHT, *PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
OUTPUTS = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TITLES = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
ORDER = "P1, P2 = 1, 2\n"


def printed(program: str, fight: str = FIGHT) -> str:
    """What a program prints whose module `fight` has this text."""
    sys.modules["fight"] = module = ModuleType("fight")
    try:
        exec(compile(fight, "fight.py", "exec"), vars(module))  # noqa: S102  # the page has it
        with redirect_stdout(StringIO()) as out:
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})  # noqa: S102
    finally:
        del sys.modules["fight"]
    return out.getvalue()


def swapped(program: str) -> str:
    assert ORDER in program
    return program.replace(ORDER, "P1, P2 = 2, 1\n")


def test_each_section_has_a_short_program_and_its_output() -> None:
    assert len(TITLES) == len(PROGRAMS) == len(OUTPUTS) == 7
    assert max(len(program.splitlines()) for program in PROGRAMS) < 25


@pytest.mark.parametrize(("program", "output"), [*zip(PROGRAMS, OUTPUTS, strict=True)], ids=TITLES)
def test_a_program_prints_its_output_whoever_is_player_1(program: str, output: str) -> None:
    assert printed(program) == output
    assert printed(swapped(program)) == output


def test_two_sectors_clash_as_two_boxes_do() -> None:
    box = 'REACH = Box(q("0.5"), q("0.25"), q("0.25"))'
    assert box in FIGHT
    sectors = FIGHT.replace(box, "from fixsync import Sector\nREACH = Sector(q(1), 8192, q(1))")
    program, output = PROGRAMS[TITLES.index("Clashes")], OUTPUTS[TITLES.index("Clashes")]
    assert printed(program, sectors) == output
    assert printed(swapped(program), sectors) == output


def test_damage_inside_the_loop_is_found_by_swapping_the_players() -> None:
    """The fault that the page is about: the test above would see it."""
    program = PROGRAMS[TITLES.index("Trades")]
    collected = "    new = strikes(world, world.step(), (left, right), STRUCK)\n"
    assert collected in program
    naive = program.replace(
        collected,
        "    new = []\n"
        "    for event in world.step():\n"
        "        new += strikes(world, [event], (left, right), STRUCK)\n"
        "        for _, victim, _ in new:\n"
        "            victim.cancel()\n",
    )
    assert printed(naive) != printed(swapped(naive))

"""The tables of kinds and classes in csrc: a shape that lacks a piece does not compile."""

from __future__ import annotations

import operator
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from builds import COMPILER, CSRC, compiled
from test_polygon_kinds import add_rows as add_polygons

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")

TABLE = (CSRC / "shape.h").read_text(encoding="ascii")


def macro(name: str) -> str:
    """The lines of a macro of shape.h."""
    return re.search(rf"#define {name}\(.*\n(?:.*\\\n)*.*\n", TABLE)[0]  # type: ignore[index]


BODIES = re.findall(r"CLASS\((\w+), ", macro("BODIES_BUT_POLYGONS"))
CLASSES = [*BODIES, *re.findall(r"CLASS\((\w+), ", macro("AREA_CLASSES"))]
KIND_COUNT = macro("SHAPE_KINDS").count("KIND(FXS_")
SECTOR_CLASS = re.findall(r"CLASS\(\w+, \w+\)", macro("AREA_CLASSES"))[-1]
LAST_BODY = re.findall(r"CLASS\(\w+, \w+\)", macro("BODIES_BUT_POLYGONS"))[-1]
GOLDENS = [CSRC.parent / "tests" / "native" / f"golden{of}.c" for of in ("", "_kit", "_main")]
LAST_ROW = macro("SHAPE_KINDS").splitlines()[-1]
LAST_BODY_PAIR = f"    PAIR({BODIES[-1]}, {BODIES[-1]})\n"
FIRST_AREA_PAIR = f"    PAIR({CLASSES[0]}, {CLASSES[-1]}) "
LAST_PAIR = f"    PAIR({CLASSES[-1]}, {CLASSES[-1]})\n"
CODE = "#define FXS_SPHERE 0 "
TRAITS = (".has_sides = 1", ".has_flat_ends = 1", ".has_hole = 0")
RANGES = "RANGES(a, 1, 9, b, 1, 9, c, 1, 9, 0, 0)"
WEDGE = ("FXS_WEDGE", "wedge", "3", "WEDGE", "NO_CORNERS", ".has_front = 0", RANGES)
# An area stands before SECTOR, which is last.
PAIRS = [(other, "WEDGE") for other in (*CLASSES[:-1], "WEDGE")] + [("WEDGE", CLASSES[-1])]


class Sources:
    """A copy of the kernel to be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for file in (*CSRC.glob("*.c"), *CSRC.glob("*.h")):
            shutil.copy(file, folder)

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text()
        assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
        (self.folder / file).write_text(text.replace(old, new))

    def add_row(self, row: tuple[str, ...] = WEDGE, code: int = KIND_COUNT) -> None:
        self.change("fixsync.h", CODE, f"#define FXS_WEDGE {code}\n{CODE}")
        end = f"{LAST_ROW}\n/* clang-format on */"
        self.change("shape.h", end, f"{LAST_ROW} KIND({', '.join(row)})\n/* clang-format on */")

    def add_class(self, traits: tuple[str, ...] = TRAITS) -> None:
        self.change("shape.h", SECTOR_CLASS, f"CLASS(WEDGE, IS_WEDGE) {SECTOR_CLASS}")
        self.add_traits(traits)

    def add_traits(self, traits: tuple[str, ...] = TRAITS) -> None:
        start = "#define SECTOR_TRAITS"
        added = f"#define WEDGE_TRAITS TRAITS({', '.join(traits)})\n" if traits else ""
        self.change("shape.h", start, added + start)

    def add_pairs(self, pairs: list[tuple[str, str]] = PAIRS) -> None:
        """Each before the first pair whose second class comes later."""
        for place, second in ((FIRST_AREA_PAIR, "WEDGE"), (LAST_PAIR, CLASSES[-1])):
            lines = [f"    PAIR({a}, {b}) \\\n" for a, b in pairs if b == second]
            self.change("shape.h", place, "".join(lines) + place)

    def errors(self, file: str) -> str:
        """What a compiler that is asked for no warning says about a file; "" if it takes it."""
        assert COMPILER is not None
        options = ["-std=c11", "-O0", "-fsyntax-only"]
        run = subprocess.run(
            [COMPILER, *options, file], cwd=self.folder, capture_output=True, text=True
        )
        assert (run.returncode != 0) == ("error" in run.stderr)
        return run.stderr


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


def test_one_more_kind_of_a_class_that_exists_compiles_with_its_row_alone(sources: Sources) -> None:
    sources.add_row((*WEDGE[:3], "BOX", "CORNERS(4, box_corners)", *WEDGE[5:]))
    for file in (
        "shape.c", "contact.c", "polygon_contact.c", "outline.c", "broad_pairs.c", "state.c",
    ):  # fmt: skip
        assert sources.errors(file) == ""


@pytest.mark.parametrize("left_out", range(len(WEDGE)), ids=lambda i: WEDGE[i].split("(")[0])
def test_a_row_without_one_of_its_fields_does_not_compile(sources: Sources, left_out: int) -> None:
    sources.add_row((*WEDGE[:left_out], *WEDGE[left_out + 1 :]))
    sources.add_class()
    assert re.search("requires 7 arguments|too few arguments", sources.errors("shape.c"))


@pytest.mark.parametrize("left_out", range(len(TRAITS)), ids=lambda i: TRAITS[i].split()[0][1:])
def test_a_class_without_one_of_its_traits_does_not_compile(
    sources: Sources, left_out: int
) -> None:
    sources.add_row()
    sources.add_class((*TRAITS[:left_out], *TRAITS[left_out + 1 :]))
    assert re.search("requires 3 arguments|too few arguments", sources.errors("shape.c"))


def test_a_class_without_traits_does_not_compile(sources: Sources) -> None:
    sources.add_row()
    sources.add_class(())
    assert re.search("error.*WEDGE_TRAITS", sources.errors("shape.c"))


def test_a_row_that_does_not_stand_at_its_code_does_not_compile(sources: Sources) -> None:
    sources.add_row(code=KIND_COUNT + 1)
    sources.add_class()
    assert "a kind's row stands at its code" in sources.errors("shape.c")


def test_a_row_that_does_not_count_its_sizes_does_not_compile(sources: Sources) -> None:
    sources.add_row((*WEDGE[:2], "2", *WEDGE[3:]))
    sources.add_class()
    assert "a kind's row counts the sizes that have a range" in sources.errors("shape.c")


@pytest.mark.parametrize(
    "ranges",
    [
        "RANGES(a, 1, 536870912, b, 1, 9, c, 1, 9, 0, 0)",
        "RANGES(a, 1, 9, b, 1, 536870912, c, 1, 9, 0, 0)",
        "RANGES(a, 1, 9, b, 1, 9, c, 1, 536870912, 0, 0)",
        "RANGES(a, 1, 9, b, 1, 9, c, 1, 9, 1, 32769)",
    ],
)
def test_a_row_whose_range_ends_too_late_does_not_compile(sources: Sources, ranges: str) -> None:
    """A length in half_angle, which has 16 bits, would be cut without a word."""
    sources.add_row((*WEDGE[:-1], ranges))
    sources.add_class()
    assert "sizes end at FXS_SIZE_MAX, a half_angle at" in sources.errors("shape.c")


def test_the_second_size_of_every_kind_is_named_as_a_height() -> None:
    """All code takes size[1] for half a height."""
    rows = re.findall(r"KIND\(FXS_\w+, (\w+),[^;]*?RANGES\(([^)]*)\)", macro("SHAPE_KINDS"))
    assert len(rows) == KIND_COUNT
    for kind, ranges in rows:
        second = ranges.replace("\\", "").split(",")[3].strip()
        assert second in ("half_height", "half_y", "unused"), f"{kind}: size[1] is {second}"


def test_a_row_of_a_class_that_is_not_listed_does_not_compile(sources: Sources) -> None:
    sources.add_row()
    assert re.search("WEDGE.*undeclared", sources.errors("shape.c"))


def test_a_class_without_a_pair_with_every_other_does_not_compile(sources: Sources) -> None:
    sources.add_row()
    sources.add_class()
    assert "every two classes are a pair" in sources.errors("contact.c")
    sources.add_pairs(PAIRS[1:])
    assert "pairs ascend by the greater class" in sources.errors("contact.c")


@pytest.mark.parametrize("pair", PAIRS, ids="_".join)
def test_a_pair_of_classes_without_a_function_does_not_compile(
    sources: Sources, pair: tuple[str, str]
) -> None:
    sources.add_row()
    sources.add_class()
    sources.add_pairs()
    assert re.search(rf"error.*depth_{pair[0]}_{pair[1]}", sources.errors("contact.c"))


def test_a_class_behind_the_polygons_does_not_compile(sources: Sources) -> None:
    """The pairs of a POLYGON are one, the last."""
    sources.add_row()
    polygons = "#define POLYGONS(CLASS) CLASS(POLYGON, HAS_CORNERS)"
    sources.change("shape.h", polygons, f"{polygons} CLASS(WEDGE, IS_WEDGE)")
    assert "POLYGON is the last class" in sources.errors("contact.c")


def test_a_switch_that_misses_a_class_does_not_compile(sources: Sources) -> None:
    sources.add_row()
    sources.add_class()
    sources.add_pairs()
    missing = r"error: enumeration value .*WEDGE.* not handled"
    assert re.search(missing, sources.errors("polygon_contact.c"))


def test_a_kind_of_solid_without_one_of_its_fields_does_not_compile(sources: Sources) -> None:
    sources.change("shape.h", ", .vertices_most = FXS_VERTICES_MAX)", ")")
    assert re.search("requires 4 arguments|too few arguments", sources.errors("shape.c"))


@pytest.mark.parametrize(
    ("file", "missing"),
    [("push_estimate.c", "_WEDGE"), ("cast.c", "_WEDGE"), ("polygon_cast.c", "\\bWEDGE")],
)
def test_a_body_without_its_push_or_its_cast_does_not_compile(
    sources: Sources, file: str, missing: str
) -> None:
    """The switches are over pairs of classes, or over classes where a prism is the other one."""
    sources.add_row()
    sources.change("shape.h", LAST_BODY, f"{LAST_BODY} CLASS(WEDGE, IS_DISC)")
    sources.add_traits()
    pairs = " ".join(f"PAIR({other}, WEDGE)" for other in [*BODIES, "WEDGE"])
    sources.change("shape.h", LAST_BODY_PAIR, f"{LAST_BODY_PAIR.rstrip()} {pairs}\n")
    sources.add_pairs(PAIRS[-1:])
    errors = re.findall("error: .*enumeration value.*", sources.errors(file))
    assert any(re.search(missing, error) for error in errors), errors


def test_an_area_needs_no_code_for_pushes_and_casts(sources: Sources) -> None:
    sources.add_row()
    sources.add_class()
    sources.add_pairs()
    for file in ("push_estimate.c", "cast.c", "polygon_cast.c", "placed_shape.c", "outline.c"):
        assert sources.errors(file) == ""


@pytest.mark.parametrize(
    ("shape_class", "corners"),
    [
        *(("POLYGON", "NO_CORNERS"), ("POLYGON", "CORNERS(2, box_corners)"), ("BOX", "NO_CORNERS")),
        *(("CYLINDER", "CORNERS(4, box_corners)"), ("SECTOR", "CORNERS(3, box_corners)")),
    ],
)
def test_a_kind_without_the_corners_of_its_class_does_not_compile(
    sources: Sources, shape_class: str, corners: str
) -> None:
    sources.add_row((*WEDGE[:3], shape_class, corners, *WEDGE[5:]))
    assert "a kind has corners, 3 or more, if its class has" in sources.errors("shape.c")


def test_corners_without_their_function_do_not_compile(sources: Sources) -> None:
    sources.add_row((*WEDGE[:3], "POLYGON", "CORNERS(3, wedge_corners)", *WEDGE[5:]))
    assert re.search("error.*wedge_corners", sources.errors("shape.c"))


# What no answer depends on: nothing is pushed out of an area, and nothing stands on it.
ANSWERS = (*product(("golden", "golden_kit"), "01"), ("golden_kit", "2"))
UNUSED = {("SECTOR", "has_sides"), ("SECTOR", "has_flat_ends")}


@pytest.mark.full
@pytest.mark.release
def test_each_trait_of_a_class_changes_an_answer_of_the_golden(tmp_path: Path) -> None:
    """With two kinds of polygons, so that those of a POLYGON are looked at too."""
    sources = Sources(tmp_path)
    add_polygons(tmp_path)
    include = [f"-I{tmp_path}", f"-I{CSRC.parent / 'tests' / 'native'}"]
    objects = []
    for file in (*tmp_path.glob("*.c"), *(CSRC / "kit").glob("*.c"), *GOLDENS):
        objects.append(tmp_path / f"{file.parent.name}-{file.stem}.o")
        compiled("-std=c11", "-O1", *include, "-c", file, "-o", objects[-1])

    def answers() -> Iterator[bytes]:
        """Of both goldens with the table of today, the shortest first."""
        table = tmp_path / f"{tmp_path.name}-shape.o"
        compiled("-std=c11", "-O1", *include, "-c", tmp_path / "shape.c", "-o", table)
        for golden, other in (("golden", "golden_kit"), ("golden_kit", "golden")):
            used = [path for path in objects if path.stem != f"native-{other}"]
            compiled(*used, "-o", tmp_path / golden)
        for golden, level in ANSWERS:
            yield subprocess.check_output([tmp_path / golden, level])

    expected, unnoticed = list(answers()), set()
    for shape_class in [*CLASSES, "POLYGON"]:
        line = re.search(rf"#define {shape_class}_TRAITS .*", TABLE)[0]  # type: ignore[index]
        for trait, value in re.findall(r"\.(\w+) = (\d)", line):
            if (shape_class, trait) in UNUSED:
                continue
            changed = line.replace(f"{trait} = {value}", f"{trait} = {1 - int(value)}")
            sources.change("shape.h", line, changed)
            if not any(map(operator.ne, answers(), expected)):
                unnoticed.add((shape_class, trait))
            sources.change("shape.h", changed, line)
    assert unnoticed == set()


def test_the_page_about_shapes_names_the_files_of_a_polygon() -> None:
    page = (CSRC.parent / "docs" / "contributing.md").read_text(encoding="utf-8")
    section = page[page.index("## Adding a shape") :]
    steps = re.findall(r"^\d\. (.*?)(?=^\d\. |^\S)", section, re.MULTILINE | re.DOTALL)
    files = [re.match(r"`([\w/]+\.\w+)`", step)[1] for step in steps]  # type: ignore[index]
    assert files == [
        *("csrc/fixsync.h", "csrc/shape.h", "fixsync/view/assets/kinds.js"),
        "tests/model.py",
    ]
    assert all((CSRC.parent / file).is_file() for file in files)

"""Boxes, polygons and tiles as solids of a level, turning by degrees, the picture of a level."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from strategies import examples

from fixsync import Box, Cylinder, Level, Pillar, Pose, Prism, Sphere, direction, q
from fixsync._native.raw import ffi, lib
from fixsync.maps import box, polygon, svg, tiles
from fixsync.maps.rotation import rotation
from fixsync.world.shapes import Shape


def test_a_box_at_a_quarter_turn_is_exact() -> None:
    assert box(10, 20, 3, 5, 0, 9).vertices == ((7, 15), (13, 15), (13, 25), (7, 25))
    turned = box(10, 20, 3, 5, 0, 9, yaw=16384, layer=7)
    assert turned.vertices == ((15, 17), (15, 23), (5, 23), (5, 17))
    assert (turned.y_low, turned.y_high, turned.layer) == (0, 9, 7)


@examples(300)
@given(st.integers(4, 2**28), st.integers(4, 2**28), st.integers(0, 65535))
def test_a_corner_of_a_turned_box_is_rounded_by_half_a_raw_unit_at_most(
    half_x: int, half_z: int, yaw: int
) -> None:
    cos, sin = direction(yaw)
    corners = box(1, 2, half_x, half_z, 0, 1, yaw=yaw).vertices
    for (x, z), (a, b) in zip(corners, [(-1, -1), (1, -1), (1, 1), (-1, 1)], strict=True):
        exact_x = (a * half_x * cos - b * half_z * sin) / Fraction(2**30)
        exact_z = (a * half_x * sin + b * half_z * cos) / Fraction(2**30)
        assert abs(x - 1 - exact_x) <= Fraction(1, 2)
        assert abs(z - 2 - exact_z) <= Fraction(1, 2)


def written(solids: list[bytes], room: int = 4096) -> tuple[int, bytes, int]:
    """What fxs_level_write makes of `fxs_solid`s."""
    rows = ffi.new("fxs_solid[]", max(1, len(solids)))
    for row, solid in zip(rows, solids, strict=False):
        ffi.memmove(ffi.addressof(row), solid, len(solid))
    out, size = ffi.new("uint8_t[]", 4096), ffi.new("uint64_t *")
    status = lib.fxs_level_write(rows, len(solids), out, room, size)
    return status, bytes(ffi.buffer(out, min(size[0], 4096))), size[0]


@examples(300)
@given(
    *[st.integers(-(2**31) + 2**27, 2**31 - 2**27)] * 3,
    *[st.integers(4, 2**26)] * 3,
    st.integers(0, 65535) | st.sampled_from([0, 16384, 32768, 49152]),
    st.integers(0, 31),
)
def test_c_writes_the_level_that_python_makes(
    x: int, y: int, z: int, a: int, b: int, c: int, yaw: int, layer: int
) -> None:
    level = Level([box(x, z, a, c, y - b, y + b, yaw=yaw, layer=layer),
                   Pillar(x, z, a, y - b, y + b, layer)])  # fmt: skip
    solids = []
    for shape in (Box(a, b, c), Cylinder(a, b)):
        solid = ffi.new("fxs_solid *")
        pose = Pose(x, y, z, yaw)
        assert lib.fxs_solid_of(shape._shape, pose._pose, layer, solid) == lib.FXS_OK
        solids.append(bytes(ffi.buffer(solid)))
    data = level.to_bytes()
    assert written(solids) == (lib.FXS_OK, data, len(data))
    assert written(solids, len(data) - 1)[::2] == (lib.FXS_E_ROOM, len(data))


def test_c_writes_no_solid_whose_length_is_not_known() -> None:
    assert written([]) == (lib.FXS_OK, Level([]).to_bytes(), 8)
    good = struct.pack("<BBHii3i", 2, 0, 0, 0, 1, 5, 6, 7)
    for code, vertices in ((2, 1), (5, 33), (4, 0), (0, 0)):
        bad = struct.pack("<BBH", code, 0, vertices)
        assert written([good, bad])[::2] == (lib.FXS_E_LEVEL, 1)


@pytest.mark.parametrize(
    ("shape", "pose", "layer", "status"),
    [
        (Sphere(5), Pose(0, 0, 0), 0, "UNDEFINED"),
        (Box(5, 5, 5), Pose(0, 0, 0), 32, "LAYER"),
        (Box(5, 5, 5), Pose(2**31 - 5, 0, 0), 0, "CENTRE"),
        (Box(5, 5, 5), Pose(0, 0, 4 - 2**31), 0, "CENTRE"),
        (Cylinder(5, 5), Pose(0, 2**31 - 5, 0), 0, "CENTRE"),
        (Cylinder(5, 5), Pose(0, 4 - 2**31, 0), 0, "CENTRE"),
    ],
)
def test_a_shape_that_is_no_solid_of_a_level_is_refused(
    shape: Shape, pose: Pose, layer: int, status: str
) -> None:
    out = ffi.new("fxs_solid *")
    before = bytes(ffi.buffer(out))
    found = lib.fxs_solid_of(shape._shape, pose._pose, layer, out)
    assert found == getattr(lib, f"FXS_E_{status}")
    assert bytes(ffi.buffer(out)) == before


def test_a_polygon_is_cut_into_prisms_with_its_heights_and_layer() -> None:
    ring = [(0, 0), (9, 0), (9, 9), (0, 9)]
    pieces = polygon(ring, -1, 5, holes=[[(3, 3), (3, 6), (6, 6), (6, 3)]], layer=4)
    assert {(p.y_low, p.y_high, p.layer) for p in pieces} == {(-1, 5, 4)}
    assert len(pieces) <= 8


@examples(300)
@given(st.lists(st.lists(st.booleans(), max_size=9), max_size=9), st.integers(1, 5))
def test_rectangles_of_tiles_cover_each_filled_cell_once_and_no_other(
    rows: list[list[bool]], size: int
) -> None:
    covered = []
    for solid in tiles(rows, -7, 11, size, 0, 1):
        xs, zs = zip(*solid.vertices, strict=True)
        columns = range((min(xs) + 7) // size, (max(xs) + 7) // size)
        covered += [(r, c) for r in range((min(zs) - 11) // size, (max(zs) - 11) // size)
                    for c in columns]  # fmt: skip
        assert all((x + 7) % size == 0 and (z - 11) % size == 0 for x, z in solid.vertices)
    filled = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell]
    assert sorted(covered) == filled


def test_a_block_of_tiles_is_one_rectangle() -> None:
    assert len(tiles([[True] * 9] * 7, 0, 0, 65536, 0, 1)) == 1


def test_tiles_name_the_cell_at_fault() -> None:
    with pytest.raises(TypeError, match=r"rows\[1\]\[0\] must be True or False, not 1"):
        tiles([[True], [1]], 0, 0, 5, 0, 1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"the cell at rows\[0\]\[1\]: x must be .*not 2147483650"):
        tiles([[False, True]], 2**31 - 8, 0, 5, 0, 1)


def test_rotation_is_right_to_2_to_the_minus_100() -> None:
    with mp.workprec(300):
        for degrees in [Fraction(i, 7) for i in range(-3000, 3000, 13)] + [Fraction(1, 10**9)]:
            cos, sin, unit = rotation(degrees)
            angle = mpf(degrees.numerator) / degrees.denominator * mp.pi / 180
            for found, right in ((cos, mp.cos(angle)), (sin, mp.sin(angle))):
                assert abs(mpf(found) / unit - right) < mpf(2) ** -100


@pytest.mark.parametrize(
    ("degrees", "turned"),
    [(0, (1, 0)), (90, (0, 1)), (180, (-1, 0)), (270, (0, -1)), (-90, (0, -1)), (3690, (0, 1))],
)
def test_quarter_turns_are_exact(degrees: int, turned: tuple[int, int]) -> None:
    assert rotation(Fraction(degrees)) == (*turned, 1)


def test_the_picture_of_a_level_has_each_solid_once_the_highest_last() -> None:
    level = Level([
        Prism([(0, 0), (q(2), 0), (0, q(2))], 0, q(3), 9),
        Pillar(q(-1), q(1), q("0.5"), 0, q("1.5"), 1),
    ])  # fmt: skip
    root = ET.fromstring(svg(level, {2**31: "<wall> & co"}))  # noqa: S314 - written here
    circle, prism = root[1], root[2]
    # From the left and the top: the least x is -1.5 units, the greatest z 2.
    assert (circle.get("cx"), circle.get("cy"), circle.get("r")) == ("32768", "65536", "32768")
    assert prism.get("points") == "98304,131072 229376,131072 98304,0"
    assert prism.get("stroke-dasharray") == "6 3"
    assert prism[0].text == '2147483648 "<wall> & co": layer 9, y 0 to 3'


@pytest.mark.parametrize("name", ["\x00", "\x1b[2J", "\ud800", "\uffff"])
def test_a_name_with_any_character_leaves_a_picture_that_is_xml(name: str) -> None:
    level = Level([Pillar(0, 0, 9, 0, 9)])
    picture = svg(level, {2**31: name}).encode()
    assert "\ufffd" in str(ET.fromstring(picture)[1][0].text)  # noqa: S314 - written here


def test_the_picture_of_an_empty_level_is_a_picture() -> None:
    assert ET.fromstring(svg(Level([]))).tag.endswith("svg")  # noqa: S314 - written here

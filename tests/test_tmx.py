"""Maps of Tiled as other games have them: XML, choices of what is solid, the view from the side."""

from __future__ import annotations

import base64
import json
import random
import re
import sys
import zlib
from collections import ChainMap
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest
from strategies import rounds
from tools import Run, by_default, each, ran

from fixsync.cli.level import level_command
from fixsync.maps import MapFileError, MapLevel, read_map
from fixsync.maps.cells import parts_of
from fixsync.maps.document import Value
from fixsync.maps.side import boxes
from fixsync.maps.tmx import ELEMENTS_MAX, Points, parse_xml

ONE = 65536
Y = (0, 1)
Read = Callable[..., MapLevel]

TILESET = """<tileset firstgid="1" name="ground" tilewidth="16" tileheight="16" tilecount="9">
 <tile id="0"><properties><property name="solid" type="bool" value="true"/></properties></tile>
 <tile id="1" type="water"><properties>
  <property name="solid" type="bool" value="false"/><property name="kind" value="deep"/>
 </properties></tile>
 <tile id="2"><properties><property name="solid" value="TRUE"/></properties>
  <objectgroup><object id="1" x="0" y="8" width="16" height="8"/></objectgroup></tile>
 <tile id="3"><objectgroup>
  <object id="1" x="0" y="0"><polygon points="0,16 16,16 16,0"/></object></objectgroup></tile>
 <tile id="4"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
</tileset>"""


def a_map(*parts: str, tilesets: str = TILESET, size: str = 'width="4" height="2"') -> str:
    head = f'<map version="1.0" orientation="orthogonal" {size} tilewidth="16" tileheight="16">'
    return f"{head}{tilesets}{''.join(parts)}</map>"


def layer(cells: str, name: str = "main", size: str = 'width="4" height="2"') -> str:
    return f'<layer id="1" name="{name}" {size}><data encoding="csv">{cells}</data></layer>'


def objects(*items: str, name: str = "things", more: str = "") -> str:
    return f'<objectgroup id="2" name="{name}" {more}>{"".join(items)}</objectgroup>'


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reading(text: str | bytes, **options: Any) -> MapLevel:
        path = tmp_path / "map.tmx"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_map(path, **options)

    return reading


def area(solid: Any) -> tuple[Fraction, ...]:
    """x and z of the corners of a box, in tiles."""
    xs, zs = zip(*solid.vertices, strict=True)
    return tuple(Fraction(v, ONE) for v in (min(xs), min(zs), max(xs), max(zs)))


def front(solid: Any) -> tuple[Fraction, ...]:
    """The same in a view from the side."""
    left, _, right, _ = area(solid)
    return left, Fraction(solid.y_low, ONE), right, Fraction(solid.y_high, ONE)


BOX = '<object id="7" name="a" type="wall" x="16" y="0" width="16" height="8"/>'
CELLS = "1,0,2,3\n0,0,0,1,\n"


# Choices.


def test_a_map_that_says_nothing_is_refused_with_what_it_has(read: Read) -> None:
    text = a_map(layer(CELLS), objects(BOX, '<object id="8" x="0" y="0"/>'))
    with pytest.raises(MapFileError) as refused:
        read(text)
    lines = [" ".join(line.split()) for line in str(refused.value).splitlines()]
    assert lines[0].endswith("map.tmx: no property in it makes anything solid. Choose among these:")
    assert lines[1:10] == [
        "--solid-layer main --whole-tiles 1 tile layer: 4 tiles",
        "--solid-layer things 1 object layer: 1 point, 1 rectangle",
        "--tiles solid --whole-tiles 3 tiles",
        "--tiles kind=deep 1 tile",
        "--tiles ground:0-2 --whole-tiles 2 of 0, 1 of 1, 1 of 2",
        "--class wall 1 rectangle",
        "--class water 1 tile",
        "--object a 1 rectangle",
        "--shapes 1 tile with collision shapes",
    ]


def test_layers_of_one_name_are_one_row_and_the_names_of_most_objects_are_listed(
    read: Read,
) -> None:
    names = ["wall", *(f"n{i}" for i in range(9)), "wall"]
    text = a_map(
        layer("1,0,0,0,0,0,0,0"), layer("0,1,1,0,0,0,0,0"),
        objects(*(f'<object id="{i}" name="{name}" x="0" y="0" width="9" height="9"/>'
                  for i, name in enumerate(names))),
    )  # fmt: skip
    with pytest.raises(MapFileError) as refused:
        read(text)
    lines = [" ".join(line.split()) for line in str(refused.value).splitlines()]
    assert "--solid-layer main 2 tile layers: 3 tiles" in lines
    at = lines.index("--object wall 2 rectangles")
    assert lines[at + 8] == "and 2 more"
    assert len(read(text, y=Y, objects=["wall"]).level) == 2


def test_tiles_on_one_layer_of_the_world_are_merged_however_many_choices_take_them(
    read: Read,
) -> None:
    count, size = 300, 'width="300" height="1"'
    tiles = "".join(f'<tile id="{i}" type="k{i}"/>' for i in range(count))
    tileset = f'<tileset firstgid="1" name="t" tilewidth="16" tileheight="16">{tiles}</tileset>'
    cells = layer(",".join(str(i + 1) for i in range(count)), size=size)
    names = [f"k{i}" for i in range(count)]
    for name, expected in (("k9", [(0, 300, 0)]), ("k9@7", [(0, 9, 0), (10, 300, 0), (9, 10, 7)])):
        names[9] = name
        found = read(a_map(cells, tilesets=tileset, size=size), y=Y, classes=names)
        assert [(area(s)[0], area(s)[2], s.layer) for s in found.level] == expected


def test_a_choice_that_takes_nothing_is_named(read: Read) -> None:
    with pytest.raises(
        MapFileError, match=r"selected by --solid-layer 'Main'\. Choose among(.|\n)*main"
    ):
        read(a_map(layer(CELLS)), y=Y, solid_layers=["main", "Main"], whole_tiles=True)


FULL = '<object id="1" x="0" y="0" width="{}" height="{}"/>'


def test_tiles_whose_shapes_are_their_cells_are_merged(read: Read) -> None:
    found = read(a_map(layer("5,5,5,3,5,5,5,0")), y=Y, shapes=True)
    assert [area(solid) for solid in found.level] == [(0, -2, 3, 0), (3, -1, 4, Fraction(-1, 2))]


def test_lines_among_collision_shapes_are_counted_or_become_walls(read: Read) -> None:
    lines = '<object id="1" x="0" y="4"><polyline points="0,0 16,0"/></object>' + FULL.format(16, 0)
    tileset = TILESET.replace(
        "</tileset>", f'<tile id="5"><objectgroup>{lines}</objectgroup></tile>'
    )
    text = a_map(layer("6,6,5,0,0,0,0,0"), objects('<object gid="6" x="0" y="32" width="9" height="9"/>'),
                 tilesets=tileset + "</tileset>")  # fmt: skip
    found = read(text, y=Y, shapes=True)
    assert len(found.level) == 1
    assert found.left_out == {"polyline of a tile": 3, "flat rectangle of a tile": 3}
    found = read(text, y=Y, shapes=True, line_width=1)
    assert (len(found.level), found.left_out) == (7, {})


def test_a_tile_that_is_a_part_of_a_picture_has_the_size_of_the_part(read: Read) -> None:
    tile = (
        '<tile id="9" x="8" y="8" width="16" height="16"><image width="64" height="64"/>'
        '<objectgroup><object id="1" x="0" y="0" width="16" height="8"/></objectgroup></tile>'
    )
    text = a_map(
        layer("10,0,0,0,0,0,0,0"), tilesets=TILESET.replace("</tileset>", tile + "</tileset>")
    )
    found = read(text, y=Y, shapes=True)
    assert [area(solid) for solid in found.level] == [(0, Fraction(-1, 2), 1, 0)]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ('width="x" height="16"', r't\.tx, object\.width: expected a number .* found "x"'),
        ('template="wall.tx"', "the object of a template is made from a template"),
    ],
)
def test_an_error_of_a_template_stands_at_its_place_in_the_template(
    read: Read, tmp_path: Path, template: str, message: str
) -> None:
    (tmp_path / "t.tx").write_text(f"<template><object {template}/></template>")
    text = a_map(objects('<object id="1" template="t.tx" x="0" y="0"/>'))
    with pytest.raises(MapFileError, match=message):
        read(text, y=Y, solid_layers=["things"])


@pytest.mark.parametrize("of_map", ["", '<property name="hint" value="1"/>'])
def test_a_property_of_a_template_alone_makes_its_objects_solid(
    read: Read, tmp_path: Path, of_map: str
) -> None:
    (tmp_path / "t.tx").write_text(
        '<template><object name="wall" width="16" height="16"><properties>'
        '<property name="solid" type="bool" value="true"/></properties></object></template>'
    )
    text = a_map(
        f"<properties>{of_map}</properties>",
        objects(BOX.replace("/>", "><properties><property name='solid' type='bool' value='false'/>"
                            "</properties></object>"),
                '<object id="1" template="t.tx" x="16" y="0"/>'),
    )  # fmt: skip
    assert [area(solid) for solid in read(text, y=Y).level] == [(1, -1, 2, 0)]
    (tmp_path / "t.tx").write_text('<template><object width="16" height="16"/></template>')
    with pytest.raises(MapFileError, match="no property in it makes anything solid"):
        read(a_map(objects('<object id="1" template="t.tx" x="16" y="0"/>')), y=Y)


def test_points_are_places(read: Read) -> None:
    point = (
        '<object id="1" name="spawn" type="start" x="24" y="32"><properties>'
        '<property name="team" type="int" value="2"/><property name="speed" type="float" value="1.5"/>'
        "</properties><point/></object>"
    )
    text = a_map(objects(BOX, point))
    for side, position in ((False, (98304, 0, -131072)), (True, (98304, -131072, 0))):
        heights = {} if side else {"y": Y}
        place = read(text, side=side, solid_layers=["things"], **heights).places[0]
        assert (place.name, place.kind, place.position) == ("spawn", "start", position)
        assert place.properties == {"team": 2, "speed": "1.5"}


def test_ovals_are_polygons_and_lines_thin_walls_on_request(read: Read) -> None:
    oval = '<object id="1" x="0" y="0" width="32" height="16"><ellipse/></object>'
    line = '<object id="2" x="0" y="0"><polyline points="0,0 16,0 16,16"/></object>'
    found = read(a_map(objects(oval, line)), y=Y, solid_layers=["things"])
    (solid,) = found.level
    assert area(solid) == (0, -1, 2, 0)
    assert len(solid.vertices) == 32
    for x, z in solid.vertices:  # within half a raw unit of the oval
        assert abs(Fraction(x - ONE, ONE) ** 2 + Fraction(2 * z + ONE, ONE) ** 2 - 1) < Fraction(
            3, ONE
        )
    assert found.left_out == {"polyline": 1}
    walls = read(a_map(objects(line)), y=Y, solid_layers=["things"], line_width=2).level
    eighth = Fraction(1, 16)
    assert [area(wall) for wall in walls] == [
        (0, -eighth, 1 + eighth, eighth), (1 - eighth, -1, 1 + eighth, eighth),
    ]  # fmt: skip
    ring = '<object id="2" x="0" y="0"><polyline points="0,0 16,0 16,16 0,0"/></object>'
    assert len(read(a_map(objects(ring)), y=Y, solid_layers=["things"]).level[0].vertices) == 3


# Seen from the side.


def test_a_slope_is_refused_by_its_name_or_becomes_steps(read: Read) -> None:
    ramp = '<object id="9" name="hill" x="0" y="0"><polygon points="0,16 16,16 16,0"/></object>'
    text = a_map(layer("4,0,0,0,0,0,0,0"), objects(ramp))
    with pytest.raises(MapFileError) as refused:
        read(text, side=True, solid_layers=["things"], shapes=True)
    first, second = str(refused.value).splitlines()
    assert "layers[0]: tile 3 of 'ground' is a slope, which no solid seen from the side is" in first
    assert "layers[1].objects[0].polygon: it is a slope" in second
    assert second.endswith("--steps HEIGHT makes steps of it (object 9 'hill')")
    found = read(text, side=True, solid_layers=["things"], steps=Fraction(3, 8))
    half = Fraction(1, 2)
    rows = [(0, 3), (3, 6), (6, 8)]  # the last step is lower
    assert [front(solid) for solid in found.level] == [
        (half * Fraction(low + high, 8), Fraction(low - 8, 8), 1, Fraction(high - 8, 8))
        for low, high in rows
    ]


def test_boxes_cover_what_a_polygon_of_upright_edges_covers() -> None:
    """Each of its cells is in one box, and no other cell is."""
    chance = random.Random(5)
    for _ in range(200):
        tops = [chance.randint(1, 6) for _ in range(chance.randint(1, 6))]
        ring = [(0, 0)]
        for x, top in enumerate(tops):
            ring += [(10 * x, 10 * top), (10 * x + 10, 10 * top)]
        ring.append((10 * len(tops), 0))
        ring = [p for i, p in enumerate(ring) if p != ring[i - 1]]
        found = boxes(ring, None, 100)
        for x in range(len(tops)):
            for y in range(7):
                inside = [b for b in found if b[0] <= 10 * x < b[2] and b[1] <= 10 * y < b[3]]
                assert len(inside) == (y < tops[x])


def test_options_that_contradict_are_refused(read: Read) -> None:
    text = a_map(layer(CELLS))
    for options, message in (
        ({"side": True, "y": Y}, "its up is"),
        ({"z": Y}, "side is not set"),
        ({"steps": 1}, "side is not set"),
        ({"y": (1, 0)}, "y must be two ends"),
        ({"shapes": True, "whole_tiles": True}, "exclude"),
        ({"line_width": 0}, "line_width must be"),
        ({"tiles": ["solid@32"]}, r"--tiles solid@32: a layer is 0\.\.31, not 32"),
        ({"side": True, "slopes": ["a:2,0"]}, r"LEFT,RIGHT with heights of 0\.\.1, not 'a:2,0'"),
    ):
        with pytest.raises(ValueError, match=message):
            read(text, **options)


# What is tolerated, and what is refused.


def test_real_maps_are_tolerated(read: Read, tmp_path: Path) -> None:
    doctype = '<?xml version="1.0"?><!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">'
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "g.tsx").write_text(TILESET.replace(' firstgid="1"', ""))
    outside = '<tileset firstgid="1" source="sets\\g.tsx"/>'
    old = '<object gid="1" x="16" y="32"/>'
    text = doctype + a_map(layer(CELLS), objects(old), "<future><x/></future>", tilesets=outside)
    found = read(text, y=Y, solid_layers=["things"], tiles=["ground:0"])
    assert [area(solid) for solid in found.level] == [
        (0, -1, 1, 0), (3, -2, 4, -1), (1, -2, 2, -1),
    ]  # fmt: skip
    assert (
        len(read(text.encode("utf-16"), y=Y, solid_layers=["things"], whole_tiles=True).level) == 1
    )


def test_json_from_before_tiled_1_2_is_read(tmp_path: Path) -> None:
    document = {
        "type": "map", "orientation": "orthogonal", "tilewidth": 16, "tileheight": 16,
        "tilesets": [{
            "firstgid": 1, "name": "g", "tilewidth": 16, "tileheight": 16,
            "tileproperties": {"1": {"solid": True}},
            "tiles": {"0": {"objectgroup": {"objects": [
                {"id": 1, "x": 0, "y": 0, "width": 8, "height": 8}]}}},
        }],
        "layers": [
            {"type": "tilelayer", "name": "main", "width": 2, "height": 1, "data": [1, 2],
             "properties": {"layer": 6}},
        ],
    }  # fmt: skip
    path = tmp_path / "map.json"
    path.write_text(json.dumps(document))
    found = read_map(path, y=Y, tiles=["solid"], shapes=True)
    assert [area(solid) for solid in found.level] == [
        (1, -1, 2, 0), (0, Fraction(-1, 2), Fraction(1, 2), 0),
    ]  # fmt: skip
    assert {solid.layer for solid in found.level} == {6}


BOMB = "<!DOCTYPE map [<!ENTITY a 'x'><!ENTITY b '" + "&a;" * 1000 + "'>]>"


@each(
    ("text", "message"),
    [
        (BOMB + a_map(), r"map.tmx: .*line 1, column \d+: a DOCTYPE with declarations"),
        ("<!DOCTYPE map SYSTEM 'a.dtd'>" + a_map("&a;"), "the entity &a; has no value"),
        (a_map().replace('"16"', '"NaN"', 1), "tilewidth: expected an integer of 1"),
        (a_map(objects('<object x="nan" y="0" width="1" height="1"/>')),
         r"map.tmx, layers\[0\].objects\[0\].x: expected a number of .* found nan"),
        (a_map(objects('<object x="1e99999" y="0" width="1" height="1"/>')),
         r"objects\[0\].x: expected a number"),
        (a_map(objects('<object x="0" y="0"><polygon points="0,0 1"/></object>')),
         r"objects\[0\].polygon: expected a list"),
        (a_map(layer("1,1,1")), r"layers\[0\].data: it has 3 cells; width x height is 8"),
        (a_map(layer("1," * 99)), r"data: it has more than 8 cells; width x height is 8"),
        (a_map(layer("1,,1")), r"data: expected an integer of 0\.\.4294967295, found ''"),
        (a_map(layer("4294967296")), r"data: expected an integer of 0\.\.4294967295"),
        ("<map>" * 300, "elements are nested deeper than 256"),
        ("<html/>", "expected a map, a tileset or a template of Tiled, found <html>"),
        ("<tileset/>", 'type: expected "map"'),
        ("<map", "not XML at line 1, column"),
        ("<?xml version='1.0' encoding='klingon'?><map/>", "not XML"),
        (a_map(tilesets='<tileset firstgid="1" source="../x/y.tsx"/>'), "is missing"),
    ],
)  # fmt: skip
def test_what_is_refused_names_file_and_place_in_one_line(
    read: Read, text: str, message: str
) -> None:
    options: Any = {"y": Y, "solid_layers": ["main", "things"]}
    if "source" in text:
        text, options = text.replace("</map>", layer(CELLS) + "</map>"), {"y": Y, "shapes": True}
    with pytest.raises(MapFileError, match=message) as refused:
        read(text, **options)
    if "taken by" not in str(refused.value):
        assert len(str(refused.value).splitlines()) == 1


def test_files_outside_the_folder_and_loops_are_refused(tmp_path: Path) -> None:
    inside = tmp_path / "maps"
    inside.mkdir()
    (tmp_path / "g.tsx").write_text(TILESET.replace(' firstgid="1"', ""))
    path = inside / "map.tmx"
    path.write_text(a_map(layer(CELLS), tilesets='<tileset firstgid="1" source="../g.tsx"/>'))
    with pytest.raises(
        MapFileError, match=r'tilesets\[0\].source: "../g.tsx" is outside .*--root '
    ):
        read_map(path, y=Y, tiles=["solid"], whole_tiles=True)
    assert len(read_map(path, y=Y, tiles=["solid"], whole_tiles=True, root=tmp_path).level) == 2
    assert len(read_map(path, y=Y, solid_layers=["main"], whole_tiles=True).level) == 3
    (inside / "link.tsx").symlink_to(tmp_path / "g.tsx")
    path.write_text(path.read_text().replace("../g.tsx", "link.tsx"))
    for root in (None, inside):
        with pytest.raises(MapFileError) as refused:
            read_map(path, y=Y, tiles=["solid"], root=root)
        assert '"link.tsx" is a link to a file that is outside' in str(refused.value)
        (needed,) = re.findall(r": --root (\S+) takes it", str(refused.value))
        assert len(read_map(path, y=Y, tiles=["solid"], whole_tiles=True, root=needed).level) == 2
    path.write_text(path.read_text().replace("link.tsx", "loop.tsx"))
    (inside / "loop.tsx").write_text('<tileset source="loop.tsx"/>')
    with pytest.raises(
        MapFileError, match=r"loop.tsx, source: a tileset's file cannot name another"
    ):
        read_map(path, y=Y, tiles=["solid"])


def test_all_errors_are_listed_at_once(read: Read) -> None:
    bad = '<object id="1" x="{}" y="0" width="{}" height="16"/>'
    text = a_map(objects(bad.format("a", 1), BOX, bad.format(0, -1), *[bad.format("b", 1)] * 3))
    with pytest.raises(MapFileError) as refused:
        read(text, y=Y, solid_layers=["things"])
    first, second, third = str(refused.value).splitlines()
    assert "layers[0].objects[0].x: expected" in first
    assert "layers[0].objects[2].width: expected" in second
    assert "layers[0].objects[3].x: expected" in third
    assert third.endswith("(object 1, 2 more like it)")
    assert refused.value.more[0][1] == "layers[0].objects[2].width"
    many = a_map(objects(*[bad.format(f"a{i}", 1) for i in range(50)]))
    with pytest.raises(MapFileError) as refused:
        read(many, y=Y, solid_layers=["things"])
    assert str(refused.value).splitlines()[20:] == ["30 more errors"]


PEAK = """
import re, sys
from pathlib import Path
from fixsync.maps import MapFileError, read_map
try:
    read_map(sys.argv[1], y=(0, 1), solid_layers=["main"], whole_tiles=True)
except MapFileError as error:
    status = Path("/proc/self/status").read_text()
    print(int(re.search(r"VmHWM:\\s*([0-9]+)", status)[1]) // 1024, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it measures memory as Linux counts it")
@pytest.mark.parametrize("bomb", by_default(2, ["entities", "zlib", "elements", "size"]))
def test_a_bomb_is_refused_in_100_mb(tmp_path: Path, bomb: str) -> None:
    if bomb == "entities":
        lines = [f"<!ENTITY e{i} '{f'&e{i - 1};' * 10}'>" for i in range(1, 12)]
        text = f"<!DOCTYPE map [<!ENTITY e0 'x'>{''.join(lines)}]>" + a_map("&e11;")
    elif bomb == "zlib":
        size = 'width="4096" height="4096"'
        data = base64.b64encode(zlib.compress(bytes(2**27), 1)).decode()
        text = a_map(
            f'<layer name="main" {size}><data encoding="base64" compression="zlib">{data}</data></layer>'
        )
    elif bomb == "elements":
        text = a_map("<properties/>" * (ELEMENTS_MAX + 1))
    else:
        text = a_map(" " * 2**25)
    path = tmp_path / "map.tmx"
    path.write_text(text)
    done = ran([sys.executable, "-c", PEAK, str(path)], check=True)
    peak, _, message = done.stdout.partition(" ")
    assert int(peak) < 100
    assert message.startswith(f"{path}")
    assert message.count("\n") == 1


# Damaged files.


def test_a_damaged_map_is_read_or_refused_and_never_crashes(tmp_path: Path) -> None:
    """Bytes and numbers of the map, its tileset and its template are changed."""
    chance = random.Random(36)
    whole = {
        "map.tmx": a_map(
            layer(CELLS), layer("4,5,3,2147483652,0,0,0,1", name="more"),
            objects(
                BOX, '<object id="3" template="t.tx" x="0" y="0"/>',
                '<object id="2" gid="4" x="8" y="8" width="9" height="9" rotation="30"/>',
                '<object id="4" x="1" y="1" width="5" height="9"><ellipse/></object>',
                '<object id="5" x="1" y="1"><polyline points="0,0 9,9 0,9"/></object>',
                '<object id="6" x="1" y="1"><point/></object>',
            ),
            tilesets='<tileset firstgid="1" source="g.tsx"/>',
        ),
        "g.tsx": TILESET.replace(' firstgid="1"', ""),
        "t.tx": '<template><tileset firstgid="1" source="g.tsx"/>'
        '<object name="t" gid="4" width="16" height="16"/></template>',
    }  # fmt: skip
    outcomes, longest = {True: 0, False: 0}, 0
    words = ["-1", "0", "1e9", "nan", "", "x", "99999999999999999999", "0.5", "4294967295", "\x00"]
    for _ in rounds(2000):
        changed = chance.choice([*whole])
        for name, text in whole.items():
            data = text
            for _ in range(chance.randint(1, 2) if name == changed else 0):
                at = chance.randrange(len(data))
                quote = data.find('"', at)
                if chance.random() < 0.6 and quote >= 0:
                    end = data.find('"', quote + 1)
                    data = data[: quote + 1] + chance.choice(words) + data[max(end, quote + 1) :]
                else:
                    data = data[:at] + chance.choice(["", "<", ">", "0", ",", " "]) + data[at + 1 :]
            (tmp_path / name).write_text(data)
        options: Any = {"side": True, "steps": 1} if chance.random() < 0.5 else {"y": Y}
        if chance.random() < 0.9:
            options |= {
                "solid_layers": ["things", "main"], "tiles": ["solid@1"], "line_width": 2,
                "slopes": ["kind=deep:0,1"], chance.choice(["shapes", "whole_tiles"]): True,
            }  # fmt: skip
        try:
            read_map(tmp_path / "map.tmx", **options).level.to_bytes()
        except MapFileError as error:
            outcomes[False] += 1
            longest = max(longest, len(str(error)))
        else:
            outcomes[True] += 1
    assert min(outcomes.values()) > 5, outcomes
    assert longest < 8000


def test_random_bytes_are_refused(read: Read) -> None:
    chance = random.Random(37)
    for _ in rounds(2000):
        junk = bytes(chance.randrange(256) for _ in range(chance.randrange(40)))
        with suppress(MapFileError):
            read(chance.choice([b"", b"<map", b"<?xml", b"\xff\xfe"]) + junk)
        with suppress(MapFileError):
            read(b"<map>" + junk + b"</map>", side=True, shapes=True)


@pytest.mark.parametrize(
    "xml",
    [
        '<map><layer><data data="x"><tile gid="1"/></data></layer></map>',
        '<map><layer><data chunks="x"><chunk/></data></layer></map>',
        '<map><tileset tiles="x"><tile/></tileset></map>',
        '<map><objectgroup objects="x"><object/></objectgroup></map>',
        '<map><properties properties="x"><property name="a" value="b"/></properties></map>',
    ],
)
def test_no_attribute_stands_for_the_elements_within(xml: str) -> None:
    plain = re.sub(r' (data|chunks|tiles|objects|properties)="x"', "", xml)
    assert parse_xml(xml.encode()) == parse_xml(plain.encode())


@pytest.mark.parametrize("kind", ["polyline", "polygon", "tile", "template"])
def test_points_are_counted_for_each_use_before_they_are_read(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("fixsync.maps.builder.POINTS_MAX", 9)
    tag = "polyline" if kind == "polyline" else "polygon"
    shape = f'<{tag} points="0,0 8,0 8,8"/>'
    item = f'<object id="1" x="0" y="0">{shape}</object>'
    if kind == "template":
        (tmp_path / "t.tx").write_text(f"<template><object>{shape}</object></template>")
        item = '<object id="1" template="t.tx" x="0" y="0"/>'
    parts = [objects(*[item] * 4)]
    if kind == "tile":
        parts = [objects('<object gid="4" x="0" y="0"/>' * 4)]
    options: Any = {"shapes": True} if kind == "tile" else {"solid_layers": ["things"]}
    calls: list[object] = []
    before = Points.split_up
    monkeypatch.setattr(Points, "split_up", lambda self: calls.append(self) or before(self))
    with pytest.raises(
        MapFileError, match=r"layers\[\d\](.objects\[[13]\])?: .* more than 9 points"
    ):
        read(a_map(*parts), y=Y, line_width=1, **options)
    assert len(calls) <= 3


@pytest.mark.parametrize("shape", ['width="3"', 'height="3"', 'points=""'])
def test_flat_shapes_of_a_tile_count_as_lines_for_each_of_its_objects(
    read: Read, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    monkeypatch.setattr("fixsync.maps.builder.POINTS_MAX", 9)
    line = f"<polyline {shape}/>" if "points" in shape else ""
    size = "" if line else shape
    flat = f'<object id="1" x="0" y="0" {size}>{line}</object>'
    tileset = TILESET.replace('<object id="1" x="0" y="8"', f'{flat * 2}<object id="9" x="0" y="8"')
    item = '<object gid="3" x="0" y="0" width="16" height="16"/>'
    with pytest.raises(MapFileError, match=r"layers\[0\].objects\[2\]: .* more than 9 points"):
        read(a_map(objects(item * 3), tilesets=tileset), y=Y, shapes=True)


def test_a_polygon_and_a_line_with_too_many_points_are_refused(read: Read) -> None:
    for kind, count, most, options in (
        ("polygon", 4098, 4097, {}),
        ("polyline", 65537, 65536, {"line_width": 1}),
    ):
        text = f'<object id="1" x="0" y="0"><{kind} points="{"0,0 1,1 " * (count // 2)}'
        text += f'{"2,2" * (count % 2)}"/></object>'
        with pytest.raises(MapFileError, match=f"it has {count} points; at most {most} are taken"):
            read(a_map(objects(text)), solid_layers=["things"], y=Y, **options)


def test_the_work_of_cutting_is_limited_before_it_is_done(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 vertices are 4096 of 8191: the second polygon is not cut. A small one does not count."""
    monkeypatch.setattr("fixsync.maps.builder.CUTTING_MAX", 8191)
    ring = [f"{i},{i % 2}" for i in range(62)] + ["61,9", "0,9"]
    item = '<object id="1" x="0" y="0"><polygon points="{}"/></object>'
    large, small = (item.format(" ".join(points)) for points in (ring, ring[-3:]))
    assert read(a_map(objects(large, *[small] * 9)), solid_layers=["things"], y=Y).level
    cut: list[object] = []
    monkeypatch.setattr("fixsync.maps.builder.pieces_of", lambda points: cut.append(points) or [])
    with pytest.raises(MapFileError, match=r"objects\[1\].polygon: .* add up to more than 8191"):
        read(a_map(objects(large, large)), solid_layers=["things"], y=Y)
    assert len(cut) == 1


def test_the_work_of_an_object_does_not_grow_with_its_template(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def values(count: int, options: Any) -> int:
        rows = "".join(f'<property name="p{i}" value="v"/>' for i in range(count))
        (tmp_path / "t.tx").write_text(
            f'<template><object name="t" width="9" height="9"><properties>{rows}</properties></object>'
            "</template>"
        )
        made: list[object] = []
        before = Value.__init__
        monkeypatch.setattr(
            Value,
            "__init__",
            lambda self, *a: made.append(a) or before(self, *a),  # type: ignore[func-returns-value]
        )
        items = [f'<object id="{i}" template="t.tx" x="{20 * i}" y="0"/>' for i in range(100)]
        assert len(read(a_map(objects(*items)), y=Y, **options).level) == 100
        monkeypatch.setattr(Value, "__init__", before)
        return len(made)

    for options in ({"solid_layers": ["things"]}, {"objects": ["t"]}):
        assert values(200, options) < values(0, options) + 200 * 5


def test_the_properties_of_points_are_limited_before_they_are_kept(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixsync.maps.tiled.PROPERTIES_MAX", 44)  # a place counts as 8
    rows = "".join(f'<property name="p{i}" value="v"/>' for i in range(10))
    (tmp_path / "t.tx").write_text(
        f"<template><object><properties>{rows}</properties><point/></object></template>"
    )
    item = '<object id="1" template="t.tx" x="0" y="0"/>'
    found = read(a_map(objects(BOX, item, item)), solid_layers=["things"], y=Y)
    assert [len(place.properties) for place in found.places] == [10, 10]
    with pytest.raises(MapFileError, match=r"objects\[3\]: .* more than 44 properties"):
        read(a_map(objects(BOX, item, item, item)), solid_layers=["things"], y=Y)


def test_a_list_of_parts_does_not_count_properties_without_end(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixsync.maps.survey.WORK_MAX", 2)
    lengths: list[int] = []
    before = ChainMap.__len__

    def counted(chain: ChainMap[Any, Any]) -> int:
        lengths.append(before(chain))
        return lengths[-1]

    monkeypatch.setattr(ChainMap, "__len__", counted)
    with pytest.raises(MapFileError, match=r"(?s)properties of more than 2: some are not counted"):
        read(a_map(layer("1,2,3,1,2,3,0,0"), objects('<object gid="2" x="0" y="0"/>' * 99)))
    assert len(lengths) < 9  # the length of a chain takes as long as its properties


def test_different_tiles_are_limited(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("tiled", "survey"):
        monkeypatch.setattr(f"fixsync.maps.{module}.TILES_MAX", 2)
    for choice in ({}, {"shapes": True}, {"tiles": ["wall"]}):
        with pytest.raises(MapFileError, match=r"layers\[0\]: it has more than 2 different tiles"):
            read(a_map(layer("1,2,3,1,2,3,0,0")), **choice, y=Y)


def test_chunks_without_columns_have_no_rows() -> None:
    chunk = {"x": 0, "y": 0, "width": 0, "height": 2**18, "data": []}
    tile_layer = Value("map.tmj", "layers[0]", {"chunks": [chunk]})
    assert [[*rows] for _, rows in parts_of(tile_layer, [0])] == [[]]


@pytest.mark.parametrize(
    ("option", "item"), [("places", '"point": true'), ("solid_layers", '"width": 9, "height": 9')]
)
def test_what_a_value_holds_counts_as_properties(
    option: str, item: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A template's value is copied, or printed, for each object and solid."""
    monkeypatch.setattr("fixsync.maps.tiled.PROPERTIES_MAX", 500)
    path, options = tmp_path / "map.tmj", cast("Any", {option: ["O"]})
    for value in ([0] * 100, {"a": {"b": [0] * 98}}, "x" * 6400, {"x" * 6336: 0}):
        own = {"type": "template", "object": {"properties": [{"name": "a", "value": value}]}}
        text = json.dumps(own).replace('"object": {', f'"object": {{{item}, ')
        (tmp_path / "t.tj").write_text(text)
        for count in (4, 5):
            things = [{"id": i, "x": 20 * i, "y": 0, "template": "t.tj"} for i in range(count)]
            made = {"type": "objectgroup", "name": "O", "objects": things}
            document = {"type": "map", "orientation": "orthogonal", "layers": [made]}
            path.write_text(json.dumps({**document, "tilewidth": 16, "tileheight": 16}))
            if count == 4:
                read_map(path, y=Y, **options)
                continue
            with pytest.raises(MapFileError, match=r"objects\[4\]: .* more than 500 properties"):
                read_map(path, y=Y, **options)


# The options of the command line.


EVERYTHING = a_map(
    layer("1,0,2,3,0,0,0,1"),
    layer("0,0,0,0,1,0,0,0", "old").replace("<layer", '<layer visible="0"'),
    objects(
        BOX,
        '<object id="8" name="rope" x="0" y="24"><polyline points="0,0 32,0"/></object>',
        '<object id="9" type="hill" x="32" y="16"><polygon points="0,16 16,16 16,0"/></object>',
    ),
    tilesets="""<tileset firstgid="1" name="ground" tilewidth="16" tileheight="16" tilecount="9">
 <tile id="0"><properties><property name="hard" type="bool" value="true"/></properties></tile>
 <tile id="1" type="water"><properties>
  <property name="hard" type="bool" value="false"/></properties></tile>
 <tile id="2"><objectgroup><object id="1" x="0" y="8" width="16" height="8"/></objectgroup></tile>
</tileset>""",
)
"""Four tiles above, the second and third of them of another kind, one of them with a shape; a hidden
layer; a box, a line and a slope."""
WALL = "--class wall --y 0,1"
# Of each option: what it is called with, and the solids: layer, then both ends in x, y and z.
OPTIONS = {
    "--solid-layer": ("--solid-layer old@3 --y 0,1", [(3, 0, 1, 0, 1, -2, -1)]),
    "--tiles": ("--tiles hard --y 0,1", [(0, 0, 1, 0, 1, -1, 0), (0, 3, 4, 0, 1, -2, -1)]),
    "--class": ("--class water@2 --y 0,1", [(2, 2, 3, 0, 1, -1, 0)]),
    "--object": ("--object rope@4 --line-width 4 --y 0,1", [(4, 0, 2, 0, 1, -1.625, -1.375)]),
    "--slope": ("--slope ground:1:0,1/2 --side --steps 1/4",
     [(0, 2.25, 3, -1, -0.75, -0.5, 0.5), (0, 2.75, 3, -0.75, -0.5, -0.5, 0.5)]),
    "--place": ("--place rope --class wall --y 0,1", [(0, 1, 2, 0, 1, -0.5, 0)]),
    "--only": ("--only main --only things --tiles hard --class wall --hidden --y 0,1",
     [(0, 0, 1, 0, 1, -1, 0), (0, 3, 4, 0, 1, -2, -1), (0, 1, 2, 0, 1, -0.5, 0)]),
    "--shapes": ("--shapes --y 0,1", [(0, 3, 4, 0, 1, -1, -0.5)]),
    "--whole-tiles": ("--tiles ground:2 --whole-tiles --y 0,1", [(0, 3, 4, 0, 1, -1, 0)]),
    "--line-width": ("--solid-layer things --line-width 4 --y 0,1",
     [(0, 1, 2, 0, 1, -0.5, 0), (0, 0, 2, 0, 1, -1.625, -1.375), (0, 2, 3, 0, 1, -2, -1)]),
    "--y": ("--class wall --y -1,2.5", [(0, 1, 2, -1, 2.5, -0.5, 0)]),
    "--side": ("--class wall --side", [(0, 1, 2, -0.5, 0, -0.5, 0.5)]),
    "--z": ("--class wall --side --z -1,3", [(0, 1, 2, -0.5, 0, -1, 3)]),
    "--steps": ("--class hill --side --steps 1/2",
     [(0, 2.25, 3, -2, -1.5, -0.5, 0.5), (0, 2.75, 3, -1.5, -1, -0.5, 0.5)]),
    "--root": ("--tiles hard --y 0,1 --root ..", [(0, 0, 1, 0, 1, -1, 0), (0, 3, 4, 0, 1, -2, -1)]),
    "--pixels-per-unit": (WALL + " --pixels-per-unit 8", [(0, 2, 4, 0, 1, -1, 0)]),
    "--origin": (WALL + " --origin 16,8", [(0, 0, 1, 0, 1, 0, 0.5)]),
    "--z-down": (WALL + " --z-down", [(0, 1, 2, 0, 1, 0, 0.5)]),
    "--hidden": ("--tiles hard --hidden --y 0,1",
     [(0, 0, 1, 0, 1, -1, 0), (0, 3, 4, 0, 1, -2, -1), (0, 0, 1, 0, 1, -2, -1)]),
}  # fmt: skip


def ends_of(solid: list[Any]) -> tuple[float, ...]:
    """A solid as a log has it: its layer, and its ends in tiles."""
    _, number, low, high, corners = solid
    xs, zs = zip(*corners, strict=True)
    return number, *(v / ONE for v in (min(xs), max(xs), low, high, min(zs), max(zs)))


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_command_takes_what_its_help_says(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    folder = tmp_path / "maps"
    folder.mkdir()
    monkeypatch.chdir(folder)
    text = EVERYTHING
    if option == "--root":
        (tmp_path / "ground.tsx").write_text(re.search("<tileset.*</tileset>", text, re.S)[0])  # type: ignore[index]
        text = re.sub(
            "<tileset.*</tileset>",
            '<tileset firstgid="1" source="../ground.tsx"/>',
            text,
            flags=re.S,
        )
    Path("map.tmx").write_text(text)
    options, expected = OPTIONS[option]
    assert option in options.split()
    code, out, err = run("level", "map.tmx", "--json", *options.split())
    assert (code, err) == (0, ""), out
    assert [ends_of(solid) for solid in json.loads(out)["level"]["solids"]] == expected
    if option == "--root":
        code, out, err = run("level", "map.tmx", "--tiles", "hard", "--y", "0,1")
        assert (code, ": --root .. takes it" in err) == (2, True)


def test_every_option_of_the_command_for_maps_has_such_a_test() -> None:
    names = {name for option in level_command.params for name in option.opts if "--" in name}
    # --level is for LDtk: test_ldtk.py.
    assert names - {"--output", "--json", "--level"} == OPTIONS.keys()


def test_a_map_that_says_nothing_is_answered_with_the_options_that_take_it(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "map.tmx"
    path.write_text(EVERYTHING)
    code, _, err = run("level", path)
    assert code == 2
    listed = re.findall(r"^  (--.*?) {2,}", err, re.M)
    assert {"--solid-layer main --whole-tiles", "--tiles hard", "--class wall", "--shapes"} <= {
        *listed
    }
    assert "--object rope --line-width 1" in listed
    for choice in listed:
        code, out, err = run("level", path, "--json", *choice.split(), "--y", "0,1")
        assert code == 0, (choice, err)
        assert json.loads(out)["level"]["solids"], choice


# What people's maps have.


@pytest.mark.parametrize("data", ['<data encoding="csv"/>', "<data/>",
                                  '<data encoding="base64" compression="zlib">\n  </data>'])  # fmt: skip
@pytest.mark.parametrize("group", ["{}", '<group name="Solid">{}</group>'])
def test_a_layer_of_an_infinite_map_without_chunks_is_empty(
    read: Read, data: str, group: str
) -> None:
    full = '<data encoding="csv"><chunk x="0" y="0" width="2" height="2">1,1,0,1</chunk></data>'
    layers = [f'<layer id="1" name="{n}" width="4" height="4">{d}</layer>'
              for n, d in (("Walls", full), ("Spare", data))]  # fmt: skip
    text = a_map(group.format("".join(layers)), size='width="4" height="4" infinite="1"')
    found = read(text, solid_layers=["Walls", "Spare"], whole_tiles=True, y=Y)
    assert [area(solid) for solid in found.level] == [(0, -1, 2, 0), (1, -2, 2, -1)]
    with pytest.raises(MapFileError, match=r"it has 0 cells|cut short"):
        read(text.replace(' infinite="1"', ""), solid_layers=["Spare"], whole_tiles=True, y=Y)


def test_a_picture_that_keeps_its_aspect_is_in_the_middle_of_its_room(read: Read) -> None:
    """40 x 24 in a cell of 16: 16 x 9.6, with 3.2 above and below."""
    tileset = (
        '<tileset firstgid="1" name="coll" tilewidth="40" tileheight="24" tilecount="1" '
        'tilerendersize="grid" fillmode="{}">'
        '<tile id="0"><image width="40" height="24"/><objectgroup>'
        '<object id="1" x="0" y="0" width="10" height="24"/></objectgroup></tile></tileset>'
    )
    cell = layer("1,0,0,0,0,0,0,0")
    for fill, top, bottom in (("stretch", 0, 80), ("preserve-aspect-fit", 16, 64)):
        text = a_map(cell, tilesets=tileset.format(fill))
        (solid,) = read(text, y=Y, shapes=True, pixels_per_unit=Fraction(1, 5)).level
        assert area(solid) == (0, -bottom, 20, -top)
    item = '<object id="1" gid="1" x="0" y="32" width="80" height="24"/>'
    text = a_map(objects(item), tilesets=tileset.format("preserve-aspect-fit"))
    (solid,) = read(text, y=Y, shapes=True, pixels_per_unit=1).level
    assert area(solid) == (20, -32, 30, -8)


HIDDEN = a_map(
    layer("1,1,0,1,0,0,0,0", "walls@3").replace("<layer", '<layer visible="0"'),
    objects(BOX.replace('name="a" type="wall"', 'name="lava" type="hazard@99"'), name="Zones",
            more='visible="0"'),
    objects('<object id="1" x="0" y="0"/>', name="spawns"),
    layer("0,0,0,0,0,0,0,0", "nothing"),
    tilesets="""<tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="2">
 <tile id="0"><properties><property name="wall" type="bool" value="true"/></properties></tile>
</tileset>""",
)  # fmt: skip


def test_a_row_of_the_list_has_what_else_its_choice_needs(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "map.tmx"
    path.write_text(HIDDEN)
    err = run("level", path)[2]
    listed = re.findall(r"^  (--.*?) {2,}", err, re.M)
    assert listed == [
        "--solid-layer walls@3@0", "--solid-layer Zones", "--place spawns", "--tiles wall --hidden",
        "--tiles t:0 --hidden", "--class hazard@99@0 --hidden", "--object lava --hidden",
    ]  # fmt: skip
    assert "  1 tile layer, nothing: nothing to choose" in err
    for choice in listed:
        code, out, err = run("level", path, "--json", *choice.split(), "--y", "0,1")
        assert code == 0, (choice, err)
        assert json.loads(out)["level"]["solids"] or json.loads(out)["places"], choice


def test_a_map_of_pictures_alone_says_so(read: Read) -> None:
    image = '<imagelayer id="1" name="sky"><image source="sky.png"/></imagelayer>'
    with pytest.raises(MapFileError, match=r"solid\. It has only 2 image layers: never solid\."):
        read(a_map(image, image))
    with pytest.raises(MapFileError, match=r"solid\. It has no layers\."):
        read(a_map())


def test_a_doubled_vertex_is_one_and_a_polygon_of_two_is_a_line(read: Read) -> None:
    def polygon(points: str) -> str:
        return f'<object id="37" name="ramp" x="0" y="0"><polygon points="{points}"/></object>'

    triangle = [(0, 0), (ONE, 0), (ONE, -ONE)]
    for points in ("0,0 16,0 16,0 16,16", "0,0 0,0 16,0 16,16 16,16 0,0", "0,0 16,0 16,16 0,0"):
        (solid,) = read(a_map(objects(polygon(points))), y=Y, solid_layers=["things"]).level
        assert [*solid.vertices] == [triangle[0], *triangle[:0:-1]]  # and it begins with the first
    text = a_map(objects(BOX, polygon("0,0 16,0"), polygon("0,0 16,0 16,0 0,0")))
    found = read(text, y=Y, solid_layers=["things"])
    assert (len(found.level), found.left_out) == (1, {"polyline": 1, "shape without an inside": 1})
    assert len(read(text, y=Y, solid_layers=["things"], line_width=2).level) == 2


def test_an_error_names_the_object_that_it_is_in(read: Read) -> None:
    bad = '<object id="37" name="ramp" type="slide" x="0" y="0"><polygon points="0,0 8,8 8,0 0,8"/></object>'
    with pytest.raises(MapFileError, match=r"\(object 37 'ramp' 'slide'\)$"):
        read(a_map(objects(bad)), y=Y, solid_layers=["things"])


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    arena = Path(__file__).resolve().parent.parent / "examples" / "arena.tmj"
    (tmp_path / "arena.tmj").write_bytes(b"\xef\xbb\xbf" + arena.read_bytes())
    assert read_map(tmp_path / "arena.tmj").level == read_map(arena).level


def test_numbers_with_a_point_are_counted_before_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixsync.maps.document.DECIMALS_MAX", 3)
    path = tmp_path / "map.tmj"
    for rows, is_good in (("1.5, 2e3, 4E5", True), ("1.5, 2e3, 4E5, 6.0", False)):
        path.write_text(f'{{"type": "map", "pad": [{rows}]}}')
        message = "orientation: expected" if is_good else "more than 3 numbers with a point"
        with pytest.raises(MapFileError, match=message):
            read_map(path)


def test_odd_integers_of_a_large_file_are_refused_as_those_of_a_small_one(tmp_path: Path) -> None:
    path = tmp_path / "map.tmj"
    for count in (0, 2**17):
        for odd in ("-0", "1" + "0" * 30):
            path.write_text(f'{{"type": "map", "pad": [{"1," * count}2], "orientation": {odd}}}')
            with pytest.raises(MapFileError, match=f"orientation: expected .* found {odd}"):
                read_map(path)


# Places.


def test_objects_that_are_chosen_are_places_and_not_solids(read: Read) -> None:
    tileset = TILESET.replace('name="ground"', 'name="ground" objectalignment="top"')
    items = [
        '<object id="1" name="start" type="spawn" x="16" y="0" width="16" height="8"/>',
        '<object id="2" gid="2" x="40" y="32" width="16" height="32"/>',
        '<object id="3" name="a" type="spawn" x="0" y="0" width="16" height="8" rotation="90"/>',
        '<object id="4" type="spawn" x="3" y="4"><polygon points="0,0 8,0 8,8"/></object>',
        BOX,
    ]
    text = a_map(objects(*items), tilesets=tileset)
    found = read(text, places=["spawn", "water"], classes=["wall"], y=Y, pixels_per_unit=1)
    assert len(found.level) == 1
    assert [(p.id, p.kind, p.position[0] / ONE, p.position[2] / ONE) for p in found.places] == [
        ("1", "spawn", 24, -4), ("2", "water", 40, -48), ("3", "spawn", -4, -8), ("4", "spawn", 3, -4),
    ]  # fmt: skip
    assert found.places[1].size == (16 * ONE, 32 * ONE)
    assert found.places[1].properties == {"solid": False, "kind": "deep"}
    for name in ("start", "things"):
        assert read(text, places=[name]).places[0].id == "1"
    with pytest.raises(MapFileError, match="nothing in it is selected by --place 'Spawn'"):
        read(text, places=["Spawn"], classes=["wall"], y=Y)


def test_a_map_of_places_alone_is_a_level_without_solids(read: Read) -> None:
    point = '<object id="1" name="spawn" x="16" y="0"><point/></object>'
    text = a_map(objects(point, BOX))
    found = read(text, places=["things"])
    assert (len(found.level), len(found.places)) == (0, 2)
    assert (len(read(text, places=["spawn"]).level), found.left_out) == (0, {})
    with pytest.raises(MapFileError, match="no property in it makes anything solid"):
        read(text)
    # A map whose properties say what is solid goes on to say it.
    own = '<properties><property name="y_low" value="0"/><property name="y_high" value="1"/></properties>'
    assert len(read(a_map(own, objects(point, BOX)), places=["spawn"]).level) == 1


# Isometric maps.


def test_the_cells_of_an_isometric_map_are_a_plain_grid(read: Read) -> None:
    """A cell is one unit. Its objects count a tile's height to a cell, along both axes."""
    text = a_map(
        layer("1,0,2,3\n0,0,0,1").replace("<layer", '<layer offsety="-16"'),
        objects('<object id="1" name="pit" x="16" y="0" width="32" height="16"/>',
                '<object id="2" name="tree" gid="1" x="24" y="8" width="16" height="16"/>'),
    )  # fmt: skip
    text = text.replace("orthogonal", "isometric").replace('tilewidth="16"', 'tilewidth="32"', 1)
    found = read(
        text, y=Y, solid_layers=["main"], objects=["pit"], whole_tiles=True, places=["tree"]
    )
    assert [area(solid) for solid in found.level] == [
        (0, -1, 1, 0), (2, -1, 4, 0), (3, -2, 4, -1), (1, -1, 3, 0),
    ]  # fmt: skip
    assert found.left_out == {"layer offset": 1}
    assert found.places[0].position == (ONE + ONE // 2, 0, -ONE // 2)
    taken = read(text, y=Y, solid_layers=["things"])
    assert (len(taken.level), taken.left_out["tile object"]) == (1, 1)
    for options, message in (
        ({"shapes": True}, "shapes of isometric tiles are not on the ground"),
        ({"objects": ["tree"], "whole_tiles": True}, "nothing of it became solid"),
    ):
        with pytest.raises(MapFileError, match=message):
            read(text, y=Y, **options)
    turned = text.replace('name="pit"', 'name="pit" rotation="45"')
    with pytest.raises(MapFileError, match=r"rotation: an isometric map turns it on the screen"):
        read(turned, y=Y, objects=["pit"])

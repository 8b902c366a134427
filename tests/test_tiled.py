"""Levels out of maps of Tiled: what each thing becomes, what is refused and where, damaged files."""

from __future__ import annotations

import base64
import copy
import gzip
import json
import random
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from strategies import rounds
from tools import each, places

from fixsync import LEVEL, Pillar, Prism
from fixsync.maps import MapFileError, MapLevel, read_map, tiled

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "arena.tmj"
Json = dict[str, Any]


def properties(**values: Any) -> list[Json]:
    return [{"name": name, "type": "float", "value": value} for name, value in values.items()]


def objects(*found: Json, **more: Any) -> Json:
    numbered = [{"id": i, "x": 0, "y": 0, **item} for i, item in enumerate(found)]
    return {"type": "objectgroup", "objects": numbered, **more}


def a_map(*layers: Json, **more: Any) -> Json:
    return {
        "type": "map", "orientation": "orthogonal", "tilewidth": 16, "tileheight": 8,
        "properties": properties(y_low=0, y_high=2), "layers": list(layers), **more,
    }  # fmt: skip


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., MapLevel]:
    def reading(document: Any, **options: Any) -> MapLevel:
        path = tmp_path / "map.tmj"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return read_map(path, **options)

    return reading


Read = Callable[..., MapLevel]


def test_the_example_is_the_level_that_its_picture_shows() -> None:
    found = read_map(EXAMPLE)
    assert len(found.level) == 16
    assert found.left_out == {"hidden object": 1}
    assert [place.position[1:] for place in found.places] == [(0, -720896), (0, -196608)]
    assert [*found.names.values()] == [
        "crate", "pillar", "corner", "corner", "ramp house", "low step", "red goal", "blue goal",
    ]  # fmt: skip
    assert found.level[9] == Pillar(13 * 65536, -4 * 65536, 65536, 0, 98304, 1)
    assert found.level[14] == Prism(
        [(589824, 0), (589824, -65536), (720896, -65536), (720896, 0)], 0, 262144, 2
    )
    assert found.rounded == 1
    assert 0 < found.rounding <= Fraction(1, 2)


def test_a_solid_keeps_the_properties_of_its_object(read: Read) -> None:
    belt = {"x": 0, "y": 0, "width": 8, "height": 4, "name": "belt"}
    ends = [(0, 0), (8, 0), (8, 8), (4, 2), (0, 8)]
    arrow = {"x": 0, "y": 9, "polygon": [{"x": x, "y": y} for x, y in ends]}
    found = read(
        a_map(
            objects(
                {**belt, "properties": properties(dx=0.25, layer=3)},
                {"x": 0, "y": 0, "width": 8, "height": 4, "properties": properties(y_low=1)},
                {**arrow, "properties": properties(kind="ice")},
            )
        )
    )
    assert found.properties[LEVEL] == {"dx": "0.25"}
    pieces = range(LEVEL + 2, LEVEL + len(found.level))
    assert len(pieces) > 1
    assert found.properties.keys() == {LEVEL, *pieces}
    assert all(found.properties[id] == {"kind": "ice"} for id in pieces)


def test_a_coordinate_is_rounded_once_and_the_report_says_by_how_much(read: Read) -> None:
    document = json.dumps(a_map(objects({"x": 0, "y": 0, "width": 1, "height": 1})))
    # 0.1 as a double is more than 0.1; here it is exactly a tenth: 6553.6 / 16 = 409.6 raw units.
    document = document.replace('"width": 1', '"width": 0.1')
    found = read(document, z_down=True)
    assert found.level[0].vertices == ((0, 0), (410, 0), (410, 4096), (0, 4096))
    assert found.rounding == Fraction(4, 10)
    assert found.rounded == 1
    turned = read(a_map(objects({"width": 80, "height": 16, "rotation": 33.3})))
    assert 0 < turned.rounding <= Fraction(1, 2)


def test_a_height_may_be_a_string_with_a_decimal(read: Read) -> None:
    item = {"width": 16, "height": 16, "properties": properties(y_high="1.25")}
    assert read(a_map(objects(item))).level[0].y_high == 81920


def test_what_is_no_solid_is_counted(read: Read) -> None:
    area = {"width": 16, "height": 16}
    found = read(
        a_map(
            objects(
                {"point": True}, {"text": {"text": "hi"}}, {**area, "gid": 3}, {"width": 0},
                {**area, "visible": False}, {**area, "properties": properties(solid=False)},
                {"polyline": [{"x": 0, "y": 0}, {"x": 9, "y": 9}]}, {"width": 9}, area,
            ),
            {"type": "imagelayer"},
            {"type": "tilelayer"},
            {"type": "group", "visible": False, "layers": [objects(area)]},
        )
    )  # fmt: skip
    assert len(found.level) == 1
    assert len(found.places) == 2
    assert found.left_out == {
        "text": 1, "tile object": 1, "hidden object": 2, "non-solid object": 1, "polyline": 1,
        "flat rectangle": 1, "image layer": 1, "non-solid tile layer": 1,
    }  # fmt: skip


def test_names_of_objects_are_those_of_all_their_solids(read: Read) -> None:
    ring = [(0, 0), (48, 0), (48, 16), (16, 16), (16, 48), (0, 48)]
    corner = {"name": "corner", "polygon": [{"x": x, "y": y} for x, y in ring]}
    found = read(a_map(objects({"width": 1, "height": 1}, corner)))
    assert found.names == {LEVEL + 1: "corner", LEVEL + 2: "corner"}


# Tile layers.

GRID = [[1, 0, 0, 2], [1, 0x80000001, 0, 0], [0, 0x10000000, 0, 3]]
"""The cell of 0x10000000 has a flag and no tile."""
CELLS = [cell for row in GRID for cell in row]
PACKED = struct.pack("<12I", *CELLS)
TILES = [
    ((0, 0), (65536, 0), (65536, 32768), (0, 32768)),
    ((196608, 0), (262144, 0), (262144, 32768), (196608, 32768)),
    ((0, 32768), (131072, 32768), (131072, 65536), (0, 65536)),
    ((196608, 65536), (262144, 65536), (262144, 98304), (196608, 98304)),
]


def tile_layer(data: Any, **more: Any) -> Json:
    return {
        "type": "tilelayer", "width": 4, "height": 3, "data": data,
        "properties": properties(solid=True), **more,
    }  # fmt: skip


def packed(data: bytes, compression: str) -> Json:
    return tile_layer(base64.b64encode(data).decode(), encoding="base64", compression=compression)


def test_tiles_are_merged_into_rectangles(read: Read) -> None:
    """In every encoding: test_map_model.py."""
    found = read(a_map(tile_layer(CELLS)), z_down=True)
    assert [solid.vertices for solid in found.level] == TILES


def test_runs_are_merged_over_the_border_of_two_chunks(read: Read) -> None:
    chunks = [{"x": x, "y": -16, "width": 2, "height": 2, "data": [1] * 4} for x in (-2, 0)]
    layer = {**tile_layer([]), "chunks": chunks, "offsety": 4}
    found = read(a_map(layer), z_down=True)
    assert [solid.vertices for solid in found.level] == [
        ((-131072, -507904), (131072, -507904), (131072, -442368), (-131072, -442368))
    ]


@each(
    ("change", "message"),
    [
        ({"data": CELLS[:-1]}, r"layers\[0\].data: it has 11 cells; width x height is 12"),
        ({"data": [*CELLS[:-1], -1]}, r"layers\[0\].data\[11\]: expected an integer of 0\.\.42949"),
        ({"data": [*CELLS[:-1], 1.5]}, r"layers\[0\].data\[11\]: expected .* found 1\.5"),
        ({"data": "%", "encoding": "base64"}, r"layers\[0\].data: it is not base64"),
        ({"data": "AAAA", "encoding": "base64"}, r"data: it has 3 bytes; 4 x width x height is 48"),
        ({"encoding": "xml"}, r"layers\[0\].encoding: expected \"csv\" or \"base64\", found"),
        ({"data": "AAAA", "encoding": "base64", "compression": "lz4"}, r"compression: expected \"z"),
        ({"data": "AAAA", "encoding": "base64", "compression": "zlib"}, r"zlib data is damaged"),
        ({"width": 10**5, "height": 10**5}, r"the map has more than 16777216"),
        ({"width": 2**19}, r"layers\[0\].width: expected an integer of 0..262144"),
        ({"x": 10**9}, r"layers\[0\].x: expected an integer of -100000000..100000000"),
        ({"x": 10**8}, r"layers\[0\]: x is 100000000 units, outside -32768..32767.99998"),
    ],
)  # fmt: skip
def test_a_damaged_tile_layer_is_refused_with_its_path(
    read: Read, change: Json, message: str
) -> None:
    with pytest.raises(MapFileError, match=message):
        read(a_map({**tile_layer(CELLS), **change}))


@pytest.mark.parametrize("compression", ["zlib", "gzip"])
def test_compressed_tiles_that_are_cut_short_or_a_bomb_are_refused(
    read: Read, compression: str
) -> None:
    pack = {"zlib": zlib.compress, "gzip": gzip.compress}[compression]
    with pytest.raises(MapFileError, match=r"cut short|has .* bytes"):
        read(a_map(packed(pack(PACKED)[:-4], compression)))
    with pytest.raises(MapFileError, match="it has more than 48 bytes"):
        read(a_map(packed(pack(bytes(10**7)), compression)))


# What is refused.

AREA = {"width": 16, "height": 16}


@each(
    ("item", "message"),
    [
        ({"template": "crate.tx"}, r"objects\[0\].template: the file \"crate.tx\" is missing"),
        ({"width": -1, "height": 5}, r"objects\[0\].width: expected a number of 0..1000000000"),
        ({"width": "9"}, r"objects\[0\].width: expected a number .* found \"9\""),
        ({**AREA, "x": 1e300}, r"objects\[0\].x: expected a number of -1000000000..1000000000"),
        ({**AREA, "x": 10**6}, r"objects\[0\]: x is 62500 units, outside -32768..32767.99998"),
        ({**AREA, "y": True}, r"objects\[0\].y: expected a number"),
        ({"polygon": [{"x": 0}]}, r"objects\[0\].polygon\[0\].y: the key is missing"),
        ({"polygon": [{"x": 0, "y": 0}]}, r"polygon: vertices must be at least 3 vertices, not 1"),
        ({"polygon": [{"x": x, "y": y} for x, y in [(0, 0), (9, 9), (9, 0), (0, 9)]]},
         r"objects\[0\].polygon: the edge from vertices\[0\].* meets the edge from vertices\[2\]"),
        ({"width": 0.0001, "height": 0.0001}, r"objects\[0\]: vertices\[\d\].*after rounding"),
        ({**AREA, "properties": properties(layer=32)},
         r"objects\[0\].properties\[0\].value: expected an integer of 0..31, found 32"),
        ({**AREA, "properties": properties(y_high=0)},
         r"properties\[0\].value: expected a number of more than y_low, 0, found 0"),
        ({**AREA, "properties": properties(y_high=40000)}, r"expected a number of -32768..32768"),
        ({**AREA, "properties": properties(solid=1)}, r"value: expected true or false, found 1"),
        ({**AREA, "properties": 5}, r"objects\[0\].properties: expected a list, found 5"),
    ],
)  # fmt: skip
def test_an_object_that_is_no_solid_is_refused_with_its_path(
    read: Read, item: Json, message: str
) -> None:
    with pytest.raises(MapFileError, match=message) as refused:
        read(a_map(objects(item)))
    assert str(refused.value).count("map.tmj") == 1
    assert refused.value.path.startswith("layers[0].objects[0]")


def test_a_solid_without_heights_is_refused(read: Read) -> None:
    with pytest.raises(
        MapFileError, match=r"objects\[0\]: it has no y_low: set the property on the"
    ):
        read(a_map(objects(AREA), properties=properties(y_high=1)))


@each(
    ("document", "message"),
    [
        ("<map>", "not a map or a sheet: not XML at line 1, column 6: no element found"),
        ("[]", "expected an object"),
        ("{}", 'type: expected "map"'),
        ('{"type":"map","type":"map"}', "type: duplicate key"),
        ('{"type":"map","orientation":{"a":1,"a":1}}', 'expected "orthogonal".*found an object'),
        (json.dumps(a_map(objects({"x": "X"}))).replace('"X"', "NaN"), "expected a number.*NaN"),
        (json.dumps(a_map({"type": 1, "b": 2})).replace('"b"', '"type"'), r"\[0\].type: duplicate"),
        ("[" * 100_000, "nested too deep|not a map"),
        (a_map(orientation="hexagonal"), 'orientation: expected "orthogonal" or "isometric"'),
        (a_map(tilewidth=0), "tilewidth: expected an integer of 1"),
        (a_map({"type": "sound"}), r'layers\[0\].type: expected "tilelayer"'),
        (a_map({}), r"layers\[0\].type: the key is missing"),
        (json.dumps(a_map(objects(AREA))).replace("16, ", "1e-999999999, "),
         "decimal places|expec"),
    ],
)  # fmt: skip
def test_what_is_no_map_is_refused(read: Read, document: Any, message: str) -> None:
    with pytest.raises(MapFileError, match=message):
        read(document)


def test_groups_nested_without_end_are_refused(read: Read) -> None:
    layer = objects(AREA)
    for _ in range(70):
        layer = {"type": "group", "layers": [layer]}
    with pytest.raises(MapFileError, match="nested deeper than 64"):
        read(a_map(layer))


# Damaged files.

VALUES = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 0.5, -1e308, 1e-320, "", "x", "1e5", [], {},
    [0], {"x": 0}, "AAAA", "\ud800",
]  # fmt: skip


def damaged(document: Json, chance: random.Random) -> Json:
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        owner, key = chance.choice(places(document))
        what = chance.random()
        if what < 0.2:
            del owner[key]
        elif what < 0.3 and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        elif what < 0.6 and isinstance(owner[key], (int, float)):
            owner[key] = chance.choice([owner[key] * 10**6, -owner[key], owner[key] + 0.3, 1e5])
        else:
            owner[key] = chance.choice(VALUES)
    return document


def test_a_damaged_map_is_read_or_refused_with_a_path_and_never_crashes(
    read: Read, tmp_path: Path
) -> None:
    chance = random.Random(23)
    whole = json.loads(EXAMPLE.read_text())
    whole["layers"].append(packed(zlib.compress(PACKED), "zlib"))
    whole["properties"] += properties(y_high=2)
    outcomes, length = {True: 0, False: 0}, 0
    for _ in rounds(2000):
        try:
            found = read(damaged(whole, chance))
        except MapFileError as error:
            outcomes[False] += 1
            length = max(length, len(str(error).replace(str(tmp_path), "")))
        else:
            outcomes[True] += 1
            assert found.rounding <= Fraction(1, 2)
            found.level.to_bytes()
    assert min(outcomes.values()) > 5, outcomes
    assert length < 600


def test_a_damaged_file_is_refused_and_never_crashes(tmp_path: Path) -> None:
    chance = random.Random(24)
    data = EXAMPLE.read_bytes()
    path = tmp_path / "map.tmj"
    for _ in rounds(2000):
        at, end = sorted(chance.randrange(len(data)) for _ in range(2))
        junk = bytes(chance.randrange(256) for _ in range(chance.randint(0, 3)))
        path.write_bytes(data[:at] + junk + data[end if chance.random() < 0.3 else at + 1 :])
        with suppress(MapFileError):
            read_map(path)


@pytest.mark.parametrize("number", ["1e999999999999999999999", "-1e-999999999999999999999"])
def test_a_number_with_an_exponent_of_any_length_is_refused(read: Read, number: str) -> None:
    document = json.dumps(a_map(objects({"x": 12345, "width": 1, "height": 1})))
    with pytest.raises(MapFileError, match=r"layers\[0\].objects\[0\].x: expected a number"):
        read(document.replace("12345", number))


@pytest.mark.parametrize("number", ["1e-65", f"0.{'1' * 63}", "1" * 65, f"{'1' * 200}.5"])
def test_a_number_with_very_many_digits_or_decimal_places_is_refused(
    read: Read, number: str
) -> None:
    document = json.dumps(a_map(objects({"x": 12345, "width": 1, "height": 1})))
    with pytest.raises(MapFileError, match="at most 64 characters and decimal places"):
        read(document.replace("12345", number))


def test_a_name_that_utf_8_cannot_hold_is_refused(read: Read) -> None:
    with pytest.raises(MapFileError, match=r"objects\[0\].name: half of a surrogate pair"):
        read(a_map(objects({"width": 1, "height": 1, "name": "\ud800"})))


def packed_tiles(width: int, height: int, cells: bytes) -> Json:
    data = base64.b64encode(zlib.compress(cells, 9)).decode()
    packed = {"encoding": "base64", "compression": "zlib", "data": data}
    solid = [{"name": "solid", "value": True}]
    return {"type": "tilelayer", "width": width, "height": height, "properties": solid, **packed}


def checkerboard(side: int) -> Json:
    rows = struct.pack("<II", 1, 0) * (side // 2), struct.pack("<II", 0, 1) * (side // 2)
    return packed_tiles(side, side, b"".join(rows) * (side // 2))


@pytest.mark.full
def test_a_map_has_at_most_131072_solids(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    too_many = r"layers\[0\]: with it the map has more than 131072 solids"
    with pytest.raises(MapFileError, match=too_many):
        read(a_map(checkerboard(514)))
    monkeypatch.setattr("fixsync.maps.builder.SOLIDS_MAX", 4)
    box = {"width": 16, "height": 8}
    round = {"width": 8, "height": 8, "ellipse": True}
    with pytest.raises(MapFileError, match=r"objects\[4\]: with it the map has more than 4 solids"):
        read(a_map(objects(box, round, box, round, box)))
    with pytest.raises(MapFileError, match="more than 1048576 runs of tiles"):
        read(a_map(checkerboard(2048)))


@pytest.mark.parametrize(
    ("options", "said"),
    [({"y": (3, 1)}, "y must be .*, not 3,1"),
     ({"y": (0, Fraction(1, 10**7))}, "y must be .* apart, not 0,1/10000000"),
     ({"z": (0, Fraction(1, 10**7)), "side": True}, "z must be .* apart, not 0,1/10000000")],
)  # fmt: skip
def test_ends_that_are_no_solid_are_refused_before_the_map(
    read: Read, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        read("no map", **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"pixels_per_unit": 0.5}, "pixels_per_unit must be an int or a Fraction, not 0.5"),
     ({"pixels_per_unit": "32"}, "pixels_per_unit must be an int or a Fraction, not '32'"),
     ({"line_width": True}, "line_width must be an int or a Fraction, not True"),
     ({"y": (0.5, 1)}, "y must be an int or a Fraction, not 0.5"),
     ({"y": 3}, "y must be two numbers, not 3"),
     ({"origin": (1, None)}, r"origin must be two numbers, not \(1, None\)"),
     ({"solid_layers": "walls"}, "solid_layers must be a list of texts, not the text 'walls'")],
)  # fmt: skip
def test_an_option_of_a_wrong_type_is_refused(
    read: Read, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError, match=f"^{said}$"):
        read("no map", **options)


@each("value", [0, -32, Fraction(1, 65537), 10**9 + 1])
@each("name", ["pixels_per_unit", "line_width", "steps"])
def test_a_scale_is_in_its_range(read: Read, name: str, value: int | Fraction) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be 1/65536..1000000000, not {value}$"):
        read("no map", side=True, **{name: value})


def test_only_solid_objects_count_for_the_limit(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixsync.maps.builder.SOLIDS_MAX", 4)
    box = {"width": 16, "height": 8}
    others: list[Json] = [
        {**box, "visible": False},
        {**box, "properties": properties(solid=False)},
        {"point": True},
        {**box, "text": {"text": ""}},
        {"polyline": [{"x": 0, "y": 0}, {"x": 9, "y": 0}]},
    ]
    assert len(read(a_map(objects(*others, *[box] * 4))).level) == 4
    too_many = r"layers\[{}\].objects\[{}\]: with it the map has more than 4 solids"
    with pytest.raises(MapFileError, match=too_many.format(0, 9)):
        read(a_map(objects(*others, *[box] * 5)))
    with pytest.raises(MapFileError, match=too_many.format(1, 1)):
        read(a_map(objects(*[box] * 3), objects(*[box] * 2)))


@pytest.mark.parametrize("where", ["object", "layer", "later layer"])
def test_a_missing_height_is_refused_before_the_other_objects_are_read(
    read: Read, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    seen: list[object] = []
    kind_of = tiled.kind_of
    monkeypatch.setattr(tiled, "kind_of", lambda item: seen.append(item) or kind_of(item))
    made: list[object] = []
    monkeypatch.setattr("fixsync.maps.builder.prism_of", lambda *of: made.append(of))
    box = {"width": 16, "height": 8}
    high = {**box, "properties": properties(y_low=0, y_high=1)}
    layers = [objects(high, box, *[high] * 50)]
    if where == "layer":
        layers = [objects(*[box] * 50)]
    if where == "later layer":
        layers = [objects(high), objects(box)]
    with pytest.raises(MapFileError, match=r"objects\[\d\]: it has no y_low: [^\n]*$"):
        read(a_map(*layers, properties=[]), solid_layers=["#"])
    assert len(seen) <= 2
    assert len(made) <= 1


LINE = {"polyline": [{"x": 8 * i, "y": i % 2} for i in range(4)]}
TILE_OF_TWO = {
    "firstgid": 1, "tilewidth": 16, "tileheight": 8, "name": "two", "tiles": [{
        "id": 0, "objectgroup": {"objects": [
            {"x": 0, "y": 0, "width": 4, "height": 8}, {"x": 8, "y": 0, "width": 0, "height": 8},
        ]},
    }],
}  # fmt: skip
TILE_OBJECT = {"gid": 1, "width": 16, "height": 8}


@pytest.mark.parametrize(
    ("items", "options"),
    [([LINE] * 2, {"line_width": 1}), ([{"width": 9, "height": 0}] * 5, {"line_width": 1}),
     ([TILE_OBJECT] * 5, {"whole_tiles": True}), ([TILE_OBJECT] * 5, {"shapes": True}),
     ([TILE_OBJECT] * 3, {"shapes": True, "line_width": 1}),
     ([TILE_OBJECT] * 5, {"slopes": ["two:0:0,1"], "line_width": 1})],
)  # fmt: skip
def test_whatever_becomes_solids_is_counted(
    read: Read, monkeypatch: pytest.MonkeyPatch, items: list[Json], options: dict[str, Any]
) -> None:
    monkeypatch.setattr("fixsync.maps.builder.SOLIDS_MAX", 4)
    if "slopes" not in options:
        options = {**options, "solid_layers": ["#"]}
    fewer = a_map(objects(*items[:-1]), tilesets=[TILE_OF_TWO])
    assert len(read(fewer, **options, y=(0, 1)).level) in (3, 4)
    for parts in ([objects(*items)], [objects(item) for item in items]):
        with pytest.raises(MapFileError, match=r"objects\[\d\].*: with it .* more than 4 solids"):
            read(a_map(*parts, tilesets=[TILE_OF_TWO]), **options, y=(0, 1))


def test_shapes_of_cells_are_counted(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fixsync.maps.builder.SOLIDS_MAX", 4)

    def document(cells: int) -> Json:
        layer = packed_tiles(cells, 1, struct.pack("<I", 1) * cells)
        return a_map(layer, tilesets=[TILE_OF_TWO])

    assert len(read(document(4), shapes=True, y=(0, 1)).level) == 4
    assert len(read(document(2), shapes=True, line_width=1, y=(0, 1)).level) == 4
    for cells, width in ((5, None), (3, 1)):
        with pytest.raises(MapFileError, match=r"layers\[0\]: with it .* more than 4 solids"):
            read(document(cells), shapes=True, line_width=width, y=(0, 1))


def test_a_tile_with_a_number_of_any_length_is_no_tile(read: Read) -> None:
    """Before Tiled 1.2 a tileset named its tiles by text."""
    tileset = {"firstgid": 1, "tilewidth": 16, "tileheight": 8, "name": "old"}
    tiles = {"9" * 5000: {}, "0": {"type": "wall"}}
    layer = packed_tiles(1, 1, struct.pack("<I", 1))
    del layer["properties"]
    document = a_map(layer, tilesets=[{**tileset, "tiles": tiles}])
    assert len(read(document, classes=["wall"]).level) == 1


@pytest.mark.full
def test_a_map_has_at_most_16777216_cells_in_all_its_solid_layers(read: Read) -> None:
    empty = packed_tiles(2**12, 2**11, bytes(2**25))
    with pytest.raises(MapFileError, match=r"layers\[2\]: .* the map has more than 16777216"):
        read(a_map(empty, empty, empty))


def test_the_corners_of_rectangles_of_tiles_are_those_of_polygons(read: Read) -> None:
    tiles = packed_tiles(3, 2, struct.pack("<6I", 1, 0, 1, 1, 0, 0))
    for z_down in (False, True):
        for scale in (16, 7):
            found = read(a_map({**tiles, "offsetx": 0.3}), z_down=z_down, pixels_per_unit=scale)
            boxes = [(0, 0, 1, 2), (2, 0, 3, 1)]
            shapes = [
                {"x": 0.3 + 16 * a, "y": 8 * b, "width": 16 * (c - a), "height": 8 * (d - b)}
                for a, b, c, d in boxes
            ]
            drawn = read(a_map(objects(*shapes)), z_down=z_down, pixels_per_unit=scale)
            assert found.level == drawn.level
            assert (found.rounded, found.rounding) == (drawn.rounded, drawn.rounding)

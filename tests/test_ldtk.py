"""Levels out of projects of LDtk: what each thing becomes, which levels are read, what is refused and
where, and points against a second reading of the file."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from test_map_model import check_list
from tools import Run, damaged_values

from fixsync import LEVEL, Prism
from fixsync.maps import MapFileError, MapLevel, read_map

Json = dict[str, Any]
ONE = 65536
WALLS, WATER = 1, 3
VALUES = [
    {"value": WATER, "identifier": "water", "groupUid": 0},
    {"value": WALLS, "identifier": "walls", "groupUid": 7},
    {"value": 2, "identifier": None, "groupUid": 7},
]


def layer_of(rows: list[str], *, uid: int = 1, size: int = 16, **more: Any) -> Json:
    cells = [int(c) for row in rows for c in row.replace(".", "0")]
    return {
        "__identifier": f"Grid{uid}", "__type": "IntGrid", "__cWid": len(rows[0]),
        "__cHei": len(rows), "__gridSize": size, "__pxTotalOffsetX": 0, "__pxTotalOffsetY": 0,
        "layerDefUid": uid, "visible": True, "intGridCsv": cells, **more,
    }  # fmt: skip


def entities(*found: Json, **more: Any) -> Json:
    return {**layer_of(["."]), "__identifier": "Things", "__type": "Entities", "layerDefUid": 9,
            "entityInstances": list(found), **more}  # fmt: skip


def entity(name: str, x: int, y: int, size: tuple[int, int], **fields: Any) -> Json:
    return {
        "__identifier": name, "iid": f"{name}-{x}", "px": [x, y], "__pivot": [0.5, 1],
        "width": size[0], "height": size[1],
        "fieldInstances": [{"__identifier": k, "__value": v} for k, v in fields.items()],
    }  # fmt: skip


def level(name: str, *layers: Json, x: int = 0, y: int = 0, **more: Any) -> Json:
    return {
        "identifier": name, "worldX": x, "worldY": y, "worldDepth": 0, "pxWid": 48, "pxHei": 32,
        "fieldInstances": [], "layerInstances": list(layers), **more,
    }  # fmt: skip


def project(*levels: Json, layout: str | None = "Free", **more: Any) -> Json:
    grids = [
        {"identifier": f"Grid{uid}", "type": "IntGrid", "uid": uid, "gridSize": size,
         "intGridValues": VALUES, "intGridValuesGroups": [{"uid": 7, "identifier": "hard"}]}
        for uid, size in ((1, 16), (2, 8))
    ]  # fmt: skip
    things = {"identifier": "Things", "type": "Entities", "uid": 9, "gridSize": 16}
    return {
        "jsonVersion": "1.5.3", "defaultGridSize": 16, "worldLayout": layout, "worlds": [],
        "defs": {"layers": [things, *grids]}, "levels": list(levels), **more,
    }  # fmt: skip


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., MapLevel]:
    def reading(document: Json, **options: Any) -> MapLevel:
        path = tmp_path / "game.ldtk"
        path.write_text(json.dumps(document))
        options.setdefault("side", True)
        return read_map(path, **options)

    return reading


Read = Callable[..., MapLevel]
ROWS = ["1.3", "112"]


def boxes(found: MapLevel) -> list[tuple[float, float, float, float, int]]:
    """Left, low, right, high and layer, in units."""
    return [
        (
            min(x for x, _ in solid.vertices) / ONE, solid.y_low / ONE,
            max(x for x, _ in solid.vertices) / ONE, solid.y_high / ONE, solid.layer,
        )
        for solid in found.level
        if isinstance(solid, Prism)
    ]  # fmt: skip


def test_values_are_solid_by_name_by_number_and_by_group(read: Read) -> None:
    document = project(level("One", layer_of(ROWS)))
    walls = [(0, -1, 1, 0, 0), (0, -2, 2, -1, 0)]
    assert boxes(read(document, tiles=["walls"])) == walls
    assert boxes(read(document, tiles=["Grid1:1"])) == walls
    assert boxes(read(document, tiles=["hard"])) == [(0, -1, 1, 0, 0), (0, -2, 3, -1, 0)]
    assert boxes(read(document, tiles=["walls", "water@4"])) == [*walls, (2, -1, 3, 0, 4)]
    assert read(document, tiles=["walls"]).left_out == {"non-solid tile": 2}
    assert len(read(document, solid_layers=["Grid1"]).level) == 3  # of two rows


def test_one_unit_is_a_cell_and_up_is_z_if_the_map_is_seen_from_above(read: Read) -> None:
    document = project(level("One", layer_of(["1"], size=16)))
    (solid,) = read(document, tiles=["walls"], side=False, y=(0, 1)).level
    assert solid == Prism([(0, 0), (0, -ONE), (ONE, -ONE), (ONE, 0)], 0, ONE)
    document["defs"]["layers"].pop()  # all IntGrid layers have cells of 16 pixels
    document["defaultGridSize"] = 8
    assert boxes(read(document, tiles=["walls"])) == [(0, -1, 1, 0, 0)]


def test_hidden_layers_are_left_out_unless_they_are_named(read: Read) -> None:
    hidden = layer_of(["1"], uid=2, size=8, visible=False)
    document = project(level("One", hidden, layer_of(["1"])))
    found = read(document, tiles=["walls"])
    assert (len(found.level), found.left_out) == (1, {"hidden tile layer": 1})
    assert len(read(document, tiles=["walls"], hidden=True).level) == 2
    assert len(read(document, solid_layers=["Grid2"]).level) == 1


@pytest.mark.parametrize(
    ("layout", "second"),
    [("LinearHorizontal", (3, -1, 4, 0, 0)), ("LinearVertical", (0, -3, 1, -2, 0))],
)
def test_levels_in_a_line_are_one_after_the_other(read: Read, layout: str, second: Any) -> None:
    levels = [level(name, layer_of(["1"]), x=-1, y=-1) for name in "AB"]
    found = read(project(*levels, layout=layout), tiles=["walls"])
    assert boxes(found) == [(0, -1, 1, 0, 0), second]


def test_levels_above_each_other_and_worlds_must_be_chosen(read: Read) -> None:
    levels = [level(f"L{i}", layer_of(["1"]), worldDepth=i % 2) for i in range(12)]
    with pytest.raises(MapFileError) as depths:
        read(project(*levels), tiles=["walls"])
    assert depths.value.reason == (
        "it has levels above each other: --level depth=0: L0, L2, L4, L6 and 2 more; "
        "--level depth=1: L1, L3, L5, L7 and 2 more"
    )
    assert len(read(project(*levels), tiles=["walls"], levels=["depth=1"]).level) == 6
    worlds = [
        {"identifier": name, "worldLayout": "Free", "levels": [level(f"{name}1", layer_of(["1"]))]}
        for name in ("North", "South")
    ]
    document = project(layout=None, worlds=worlds)
    with pytest.raises(MapFileError, match="the worlds North, South: --level takes one"):
        read(document, tiles=["walls"])
    assert len(read(document, tiles=["walls"], levels=["South"]).level) == 1
    with pytest.raises(
        MapFileError,
        match="no level 'East': --level takes North1, North, depth=0, North/North1, North/depth=0, South1",
    ):
        read(document, tiles=["walls"], levels=["East"])


def test_an_entity_is_a_place_with_its_fields(read: Read) -> None:
    hero = entity("Hero", 24, 32, (16, 32), hp=3, speed=1.5, path=[{"cx": 1, "cy": 2}], next=None)
    things = entities(hero, __pxTotalOffsetX=16)
    (place,) = read(project(level("One", things, layer_of(ROWS))), tiles=["walls"]).places
    assert (place.name, place.kind, place.id) == ("Hero", "Hero", "Hero-24")
    assert place.position == (40 * ONE // 16, -2 * ONE, 0)
    assert (place.size, place.path) == ((ONE, 2 * ONE), "One/Things")
    assert place.properties == {
        "hp": 3, "speed": "1.5", "path": [{"cx": 1, "cy": 2}], "next": None,
    }  # fmt: skip


def test_an_entity_is_solid_if_it_is_chosen_or_says_so(read: Read) -> None:
    door = entity("Door", 24, 32, (16, 32))
    gate = entity("Gate", 8, 16, (16, 16), solid=True, layer=5, key="red")
    glass = entity("Door", 40, 32, (16, 16), solid=False)
    document = project(level("One", entities(door, gate, glass)))
    assert boxes(read(document)) == [(0, -1, 1, 0, 5)]
    found = read(document, classes=["Door@2"])
    assert boxes(found) == [(1, -2, 2, 0, 2), (0, -1, 1, 0, 5)]
    assert found.names == {LEVEL: "Door", LEVEL + 1: "Gate"}
    assert found.properties == {LEVEL + 1: {"key": "red"}}
    assert len(found.places) == 3


def test_fields_of_a_level_are_its_properties(read: Read) -> None:
    own = [{"__identifier": "y_low", "__value": 1}, {"__identifier": "y_high", "__value": 2.5}]
    document = project(level("One", layer_of(["1"]), fieldInstances=own))
    (solid,) = read(document, tiles=["walls"], side=False).level
    assert (solid.y_low, solid.y_high) == (ONE, 2 * ONE + ONE // 2)


def test_levels_in_files_of_their_own_are_read_and_named(read: Read, tmp_path: Path) -> None:
    whole = level("One", layer_of(ROWS))
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "One.ldtkl").write_text(json.dumps(whole))
    outside = {**whole, "layerInstances": None, "externalRelPath": "game/One.ldtkl"}
    found = read(project(outside), tiles=["walls"])
    assert len(found.level) == 2
    assert [Path(file).name for file in found.files] == ["game.ldtk", "One.ldtkl"]
    with pytest.raises(MapFileError, match="it is one level: give its project"):
        read_map(tmp_path / "game" / "One.ldtkl")
    whole["layerInstances"][0]["intGridCsv"][4] = -1
    (tmp_path / "game" / "One.ldtkl").write_text(json.dumps(whole))
    with pytest.raises(MapFileError) as wrong:
        read(project(outside), tiles=["walls"])
    assert Path(wrong.value.file).name == "One.ldtkl"
    assert wrong.value.path == "layerInstances[0].intGridCsv[4]"


@pytest.mark.parametrize(
    ("change", "path", "reason"),
    [
        (lambda p: p["levels"][0].update(worldX="3"), "levels[0].worldX", "expected an integer"),
        (lambda p: p.update(worldLayout="Round"), "worldLayout", 'expected "Free", "GridVania"'),
        (
            lambda p: p["levels"][0]["layerInstances"][1].update(layerDefUid=5),
            "levels[0].layerInstances[1].layerDefUid", "expected the uid of an IntGrid layer",
        ),
        (
            lambda p: p["levels"][0]["layerInstances"][1]["intGridCsv"].pop(),
            "levels[0].layerInstances[1].intGridCsv", "it has 5 cells; __cWid x __cHei is 6",
        ),
        (
            lambda p: p["levels"][0]["layerInstances"][1].pop("intGridCsv"),
            "levels[0].layerInstances[1]", "its cells are as LDtk saved them before 0.8",
        ),
        (
            lambda p: p["levels"][0]["layerInstances"][0]["entityInstances"][0].update(px=[1]),
            "levels[0].layerInstances[0].entityInstances[0].px", "expected a list of two numbers",
        ),
        (
            lambda p: p["levels"][0]["layerInstances"][0]["entityInstances"][0].update(px=[1, 10**9]),
            "levels[0].layerInstances[0].entityInstances[0]", "y is -62500000 units, outside",
        ),
    ],
)  # fmt: skip
def test_a_damaged_project_is_refused_at_its_place(
    read: Read, change: Callable[[Json], Any], path: str, reason: str
) -> None:
    document = project(level("One", entities(entity("Hero", 8, 8, (8, 8))), layer_of(ROWS)))
    change(document)
    with pytest.raises(MapFileError) as wrong:
        read(document, solid_layers=["Grid1"])
    assert wrong.value.path == path
    assert wrong.value.reason.startswith(reason)


def test_without_a_choice_the_command_lists_what_takes_each_part(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.ldtk"
    things = entities(entity("Hero", 8, 8, (8, 8)))
    path.write_text(json.dumps(project(level("One", things, layer_of(ROWS)))))
    code, _, errors = run("level", str(path))
    assert code == 2
    for line in (
        "--solid-layer Things  1 object layer: 1 entity",
        "--solid-layer Grid1   1 tile layer: 5 tiles",
        "--tiles hard          4 tiles",
        "--tiles walls         3 tiles",
        "--tiles Grid1:1-3     3 of 1, 1 of 2, 1 of 3",
        "--class Hero          1 entity",
    ):
        assert line in errors


def test_the_command_takes_the_levels_that_are_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.ldtk"
    levels = [level(name, layer_of(["1"]), x=32 * i) for i, name in enumerate("ABC")]
    path.write_text(json.dumps(project(*levels)))
    command = ("level", path, "--side", "--tiles", "walls", "--level", "B", "--level", "C")
    code, out, _ = run(*command, "-o", tmp_path / "game.fxlevel")
    assert code == 0
    assert re.search("^level +2 solids: 2 prisms$", out, re.M)
    assert re.search(r"^x +2 \(131072\) to 5 \(327680\)$", out, re.M)
    code, _, errors = run("level", path, "--level", "D")
    assert code == 2
    assert "it has no level 'D': --level takes A, depth=0, B, C" in errors


def test_level_of_a_map_of_tiled_is_refused() -> None:
    arena = Path(__file__).resolve().parent.parent / "examples" / "arena.tmj"
    with pytest.raises(MapFileError, match="it is not a project of LDtk: --level is for those"):
        read_map(arena, levels=["One"])


def random_project(chance: random.Random) -> Json:
    def grid() -> Json:
        uid, size = chance.choice([(1, 16), (2, 8)])
        wide, high = chance.randint(1, 9), chance.randint(1, 9)
        rows = ["".join(chance.choice("0011123") for _ in range(wide)) for _ in range(high)]
        offsets = {f"__pxTotalOffset{axis}": chance.randint(-9, 9) for axis in "XY"}
        return layer_of(rows, uid=uid, size=size, **offsets)

    levels = [
        level(f"L{i}", *(grid() for _ in range(chance.randint(1, 3))),
              x=chance.randint(-200, 200), y=chance.randint(-200, 200))
        for i in range(chance.randint(1, 4))
    ]  # fmt: skip
    return project(*levels, layout=chance.choice(["Free", "GridVania"]))


@pytest.mark.parametrize("seed", range(3))
def test_points_are_solid_as_a_second_reading_of_the_file_says(read: Read, seed: int) -> None:
    chance = random.Random(seed)
    document = random_project(chance)
    tiles = [f"Grid{uid}:{value}@{value}" for uid in (1, 2) for value in (1, 2, 3)]
    used = {
        f"Grid{grid['layerDefUid']}:{value}"
        for one in document["levels"] for grid in one["layerInstances"] for value in grid["intGridCsv"]
    }  # fmt: skip
    found = boxes(read(document, tiles=[t for t in tiles if t[:-2] in used], pixels_per_unit=1))
    is_alone = len(document["levels"]) == 1
    for _ in range(20_000):
        # In the middle of a pixel, which no edge is.
        x, y = chance.randint(-220, 360) + 0.5, chance.randint(-220, 360) + 0.5
        reported = {box[4] for box in found if box[0] < x < box[2] and box[1] < -y < box[3]}
        meant = set()
        for one in document["levels"]:
            for grid in one["layerInstances"]:
                left, top = (0, 0) if is_alone else (one["worldX"], one["worldY"])
                column = (x - left - grid["__pxTotalOffsetX"]) // grid["__gridSize"]
                row = (y - top - grid["__pxTotalOffsetY"]) // grid["__gridSize"]
                if 0 <= column < grid["__cWid"] and 0 <= row < grid["__cHei"]:
                    meant.add(grid["intGridCsv"][int(row * grid["__cWid"] + column)])
        assert reported == meant - {0}


def test_a_damaged_value_anywhere_is_an_error_of_the_map_or_harmless(read: Read) -> None:
    chance = random.Random(5)
    things = entities(entity("Hero", 8, 8, (8, 8), solid=True, path=[1]))
    points = [{"cx": 1, "cy": 2, "source": 3, "self": 4}]
    things["entityInstances"][0]["fieldInstances"] += fields(goal=("Array<Point>", points))
    good = project(level("One", things, layer_of(ROWS)), level("Two", layer_of(ROWS), x=48))
    values = [None, -1, 2.5, "x", [], {}, [[]], True, 10**30, 1e999]
    for document in damaged_values(good, chance, values):
        with suppress(MapFileError):
            read(document, tiles=["walls"], side=chance.random() < 0.5)


def fields(**values: tuple[str, Any]) -> list[Json]:
    return [{"__identifier": k, "__type": t, "__value": v} for k, (t, v) in values.items()]


def test_points_are_positions_in_the_world(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle of the cell, of the grid of the layer or, of a level, of the project."""
    spot = {"cx": 2, "cy": 1}
    hero = entity("Hero", 8, 8, (8, 8), solid=True)
    hero["fieldInstances"] += fields(
        goal=("Point", spot), path=("Array<Point>", [spot, {"cx": -1, "cy": 0}]), none=("Point", None),
        far=("EntityRef", {"entityIid": "x"}),
    )  # fmt: skip
    things = entities(hero, __gridSize=8, __pxTotalOffsetX=4)
    levels = [
        level("A", layer_of(["1"]), fieldInstances=fields(exit=("Point", spot), hp=("Int", 3))),
        level("B", things, x=64, y=32),
    ]
    found = read(project(*levels), tiles=["walls"], pixels_per_unit=1)
    goal = {**spot, "position": ((64 + 4 + 20) * ONE, -(32 + 12) * ONE, 0)}
    own = found.places[0].properties
    assert own["goal"] == goal
    assert own["path"] == [goal, {"cx": -1, "cy": 0, "position": (64 * ONE, -36 * ONE, 0)}]
    assert (own["none"], own["far"]) == (None, {"entityIid": "x"})
    assert {k: v for k, v in found.properties[LEVEL + 1].items() if k == "goal"} == {"goal": goal}
    assert found.levels["A"] == {"exit": {**spot, "position": (40 * ONE, -24 * ONE, 0)}, "hp": 3}
    assert found.levels["B"] == {}
    above = read(project(*levels), tiles=["walls"], pixels_per_unit=1, side=False, y=(0, 1))
    assert above.levels["A"]["exit"]["position"] == (40 * ONE, 0, -24 * ONE)
    monkeypatch.setattr("fixsync.maps.tiled.PROPERTIES_MAX", 94)
    assert read(project(*levels), tiles=["walls"], pixels_per_unit=1).levels["A"]["hp"] == 3
    monkeypatch.setattr("fixsync.maps.tiled.PROPERTIES_MAX", 93)
    with pytest.raises(MapFileError, match="with it the objects have more than 93 properties"):
        read(project(*levels), tiles=["walls"], pixels_per_unit=1)
    monkeypatch.undo()
    hero["fieldInstances"][1]["__value"]["cx"] = "x"
    with pytest.raises(MapFileError, match=r"\.cx: expected an integer"):
        read(project(*levels), tiles=["walls"])


def test_worlds_of_several_depths_can_be_read(read: Read) -> None:
    worlds = [
        {
            "identifier": name, "worldLayout": "Free",
            "levels": [level(f"{name}{d}", layer_of(["1" * (d + 1)]), worldDepth=d) for d in (0, 1)],
        }
        for name in ("Over", "Under")
    ]  # fmt: skip
    document = project(layout=None, worlds=worlds)
    with pytest.raises(MapFileError) as refused:
        read(document, tiles=["walls"], levels=["Over"])
    choices = re.findall(r"--level (\S+):", refused.value.reason)
    assert choices == ["Over/depth=0", "Over/depth=1"]
    assert [len(boxes(read(document, tiles=["walls"], levels=[c]))) for c in choices] == [1, 1]
    for choice, wide in (("Over/depth=1", 2), ("Under/Under0", 1)):
        assert boxes(read(document, tiles=["walls"], levels=[choice]))[0][2] == wide


def test_all_structural_faults_are_listed(read: Read) -> None:
    """A level that cannot be read, and layers that cannot, each in its place."""
    good = layer_of(ROWS)
    levels = [
        level("A", {**good, "intGridCsv": [1]}, {**good, "__pxTotalOffsetX": "x"}),
        level("B", {**good, "intGridCsv": ["x"] * 6}, x=64),
        level("C", x=128, layerInstances=None),
        level("D", good, x=256),
    ]
    with pytest.raises(MapFileError) as refused:
        read(project(*levels), tiles=["walls"])
    wrong = refused.value
    assert [wrong.path, *(path for _, path, _ in wrong.more)] == [
        "levels[0].layerInstances[0].intGridCsv", "levels[0].layerInstances[1].__pxTotalOffsetX",
        "levels[1].layerInstances[0].intGridCsv[0]", "levels[2].externalRelPath",
    ]  # fmt: skip


def test_an_error_names_keys_that_the_file_has(read: Read) -> None:
    hero = entity("Hero", 8, 8, (8, 8), solid=True, layer=99)
    with pytest.raises(MapFileError) as refused:
        read(project(level("A", entities(hero))))
    assert refused.value.path.endswith("entityInstances[0].fieldInstances[1].__value")
    assert refused.value.reason.endswith("found 99 (object Hero-8 'Hero')")


def test_a_project_of_drawn_tiles_alone_says_so(read: Read) -> None:
    drawn = layer_of(["."], __type="Tiles")
    with pytest.raises(
        MapFileError, match="It has only 1 layer without IntGrid and entities: never"
    ):
        read(project(level("A", drawn)))


def test_a_project_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "game.ldtk"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(project(level("A", layer_of(ROWS)))).encode())
    assert len(read_map(path, tiles=["walls"], side=True).level) == 2


def test_rows_of_many_levels_stay_short(read: Read) -> None:
    levels = [level(f"L{i}", layer_of(ROWS), x=64 * i) for i in range(87)]
    with pytest.raises(MapFileError) as refused:
        read(project(*levels))
    rows = [row for row in refused.value.reason.splitlines() if row.startswith("  --")]
    assert "  --solid-layer Grid1  87 tile layers: 435 tiles" in rows
    assert max(map(len, rows)) < 80
    with pytest.raises(MapFileError, match=r"--level takes L0, depth=0, L1, .* and 68 more"):
        read(project(*levels), levels=["M"])


@pytest.mark.parametrize("seed", range(8))
def test_a_choice_that_the_list_of_a_project_has_works_when_it_is_typed(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    document = random_project(chance)
    things = [entity(name, 8, 8, (8, 8), **own) for name in ("Hero", "Door@2")
              for own in ({}, {"solid": True}, {"solid": False}) if chance.random() < 0.5]  # fmt: skip
    document["levels"][0]["layerInstances"].append(entities(*things, visible=chance.random() < 0.5))
    for one in document["levels"]:
        one["layerInstances"][0]["visible"] = chance.random() < 0.7
    path = tmp_path / "game.ldtk"
    path.write_text(json.dumps(document))
    check_list(path, side=True)

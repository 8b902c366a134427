"""Why a pair is not a hit: every number against the model, and against what the next step finds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import astuple
from struct import pack
from typing import Any

import model_explain
from model_level import LEVEL, LevelWorld, Solid, checked_solid
from strategies import KINDS, POLYGONS, every_kind, rounds, sized
from test_level import level_of
from tools import ints, rows

from fixsync import Box, Capsule, Cylinder, Pose, Sector, Sphere, Why, World, explain
from fixsync._native.raw import ffi, lib
from fixsync.world.shapes import shape_from_tuple

FIELDS = ("why", "grows", "sector", "contact", "height", "planar", "gap", "turn")


def shape_of(values: Any) -> Any:
    return shape_from_tuple(tuple(values))


def row_of(out: Any) -> tuple[int, ...]:
    return tuple(int(getattr(out, name)) for name in FIELDS)


def of_shapes(a: Any, pa: Any, b: Any, pb: Any, hit_when: int) -> tuple[int, ...]:
    out = ffi.new("fxs_explanation *")
    args = [shape_of(a)._shape, Pose(*pa)._pose, shape_of(b)._shape, Pose(*pb)._pose]
    assert lib.fxs_explain_shapes(*args, hit_when, out) == 0
    return row_of(out)


def of_world(world: World, a: int, b: int) -> tuple[int, ...]:
    out = ffi.new("fxs_explanation *")
    assert lib.fxs_world_explain(world._native._world, a, b, out) == 0
    return row_of(out)


def placed_near(rng: random.Random, at: int) -> int:
    """A coordinate a little off, or far off."""
    step = rng.choice((0, 0, 1, -1, 2, rng.randint(-(2 ** rng.randint(1, 30)), 2**20)))
    return max(-(2**31), min(2**31 - 1, at + step))


def near(rng: random.Random, pose: Any) -> tuple[int, ...]:
    x, y, z, yaw = pose
    if rng.random() < 0.3:
        return x, y, z, rng.choice((yaw, rng.randrange(65536)))
    which = rng.randrange(3)
    moved = [placed_near(rng, v) if i == which else v for i, v in enumerate((x, y, z))]
    return (*moved, yaw)


def near_shape(rng: random.Random, shape: Any) -> Any:
    """The shape, often with another size, or as another kind."""
    kind, *sizes = shape
    if rng.random() < 0.6:
        return kind, *sizes
    size = rng.choice((1, sizes[0], max(1, sizes[0] // 2), 2**29 - 1, rng.randint(1, 2**29 - 1)))
    half = rng.choice((1, 2**29 - 1, rng.randint(1, 2**20), sizes[-1] or 1))
    match rng.choice([*KINDS, "ring"]):
        case "sphere":
            return "sphere", size
        case "capsule":
            return "capsule", size, rng.choice((0, half))
        case "cylinder":
            return "cylinder", size, half
        case "box":
            return "box", size, half, rng.choice((size, half, sizes[0]))
        case "sector":
            return "sector", size, rng.choice((1, 8192, 16384, 16385, 30000, 32768)), half
        case "ring":
            size = max(2, size)
            inner = rng.choice((1, size - 1, rng.randint(1, size - 1)))
            return "sector", size, rng.choice((1, 16384, 24000, 32767, 32768)), half, inner
        case other:
            assert other in POLYGONS, f"near_shape has no case for a {other}: add it"
            return sized(other, size, half, size)


PAIRS = [*rows("contacts.csv"), *rows("ring.csv")]
AT_SOLIDS = rows("level_contacts.csv")


def pairs(rng: random.Random) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Two shapes near contact."""
    while True:
        row = rng.choice(PAIRS)
        a, b = (near_shape(rng, json.loads(row[f"shape_{side}"])) for side in "ab")
        pa, pb = ints(row, "ax", "ay", "az", "ayaw"), ints(row, "bx", "by", "bz", "byaw")
        yield a, pa, b, near(rng, pb)


def at_solids(rng: random.Random) -> Iterator[tuple[Any, Any, Solid]]:
    """A shape and a solid near contact."""
    while True:
        row = rng.choice(AT_SOLIDS)
        shape = near_shape(rng, json.loads(row["shape"]))
        pose = near(rng, ints(row, "x", "y", "z", "yaw"))
        yield shape, pose, checked_solid(json.loads(row["solid"]))


def test_two_shapes_are_explained_as_in_the_model() -> None:
    rng = random.Random(33)
    for _, (a, pa, b, pb) in zip(rounds(4000), pairs(rng), strict=False):
        c = rng.choice((1, 2))
        expected = astuple(model_explain.explain(a, pa, (b, pb), c))
        assert of_shapes(a, pa, b, pb, c) == expected, (a, pa, b, pb, c)


def test_a_shape_and_a_solid_are_explained_as_in_the_model() -> None:
    rng = random.Random(34)
    for _, (shape, pose, solid) in zip(rounds(4000), at_solids(rng), strict=False):
        c = rng.choice((1, 2))
        world = World(2, hit_when=c, level=level_of(solid))
        world.add(1, shape_of(shape), Pose(*pose))
        expected = astuple(model_explain.explain(shape, pose, solid, c))
        assert of_world(world, 1, LEVEL) == expected, (shape, pose, solid, c)
        other = list(expected)
        other[1] = 1
        assert of_world(world, LEVEL, 1) == tuple(other)


def filled(rng: random.Random) -> tuple[World, LevelWorld]:
    """A crowded world with a level, and its model."""
    solids = [
        checked_solid(["cylinder", 3, -500, 500, [900, 0], 700]),
        checked_solid(["prism", 4, -900, 100, [[-900, -900], [0, -900], [0, 0], [-900, 0]]]),
    ]
    layers = [[i, j] for i in range(6) for j in range(i, 6) if rng.random() < 0.8]
    hit_when = rng.choice((1, 2))
    world = World(12, hit_when=hit_when, layers=layers, level=level_of(*solids))
    twin = LevelWorld(12, solids, hit_when, layers)
    for id in rng.sample(range(12), 9):
        size = [rng.randint(1, 900) for _ in range(3)]
        half_angle = rng.randint(1, 32768)
        shapes = every_kind(
            (
                *(("sphere", size[0]), ("capsule", *size[:2]), ("cylinder", *size[:2])),
                *(("box", *size), ("sector", size[0], half_angle, size[1])),
                ("sector", size[0] + 1, half_angle, size[1], rng.randint(1, size[0])),
            )
        )
        shape = rng.choice(shapes)
        pose = (*(rng.randint(-900, 900) for _ in range(3)), rng.randrange(65536))
        rest = {
            "layer": rng.randrange(6),
            "owner": rng.randrange(4),
            "offset": tuple(rng.randint(-300, 300) for _ in range(3)),
            "active": rng.random() < 0.8,
        }
        world.add(id, shape_of(shape), Pose(*pose), **rest)
        twin.add(id, shape, pose, **rest)
    return world, twin


def test_no_cause_is_given_exactly_for_the_pairs_that_the_next_step_finds() -> None:
    rng = random.Random(35)
    for _ in rounds(40):
        world, twin = filled(rng)
        ids = [*twin.colliders, LEVEL, LEVEL + 1]
        for loaded in (world, World.from_bytes(world.save(), 12, level=world.level)):
            state = loaded.save()
            found = {}
            for a in ids:
                for b in ids:
                    if a >= LEVEL and b >= LEVEL:
                        continue
                    found[a, b] = of_world(loaded, a, b)
                    expected = astuple(model_explain.explain_in_world(twin, a, b))
                    assert found[a, b] == expected, (a, b)
            assert loaded.save() == state
            loaded.step()
            hits = {(hit.a, hit.b): int(hit.contact) for hit in loaded.hits()}
            for (a, b), row in found.items():
                assert (row[0] == 0) == ((min(a, b), max(a, b)) in hits)
                if row[0] == 0:
                    assert row[3] == hits[min(a, b), max(a, b)]


def test_no_cause_is_given_exactly_for_what_a_query_finds() -> None:
    rng = random.Random(36)
    for _ in rounds(60):
        world, twin = filled(rng)
        size, mask, owner = rng.randint(1, 900), rng.randrange(64), rng.randrange(4)
        shape = rng.choice((("sphere", size), ("box", size, 90, 300), ("sector", size, 9000, 300)))
        pose = (*(rng.randint(-900, 900) for _ in range(3)), rng.randrange(65536))
        when = rng.randrange(3)
        options = {"exclude_owner": owner, "hit_when": when or None}
        met = world.query(shape_of(shape), Pose(*pose), mask, **options)
        query = shape_of(shape)._shape + Pose(*pose)._pose + pack("=III", mask, owner, when)
        out = ffi.new("fxs_explanation *")
        for b in (*twin.colliders, LEVEL, LEVEL + 1):
            assert lib.fxs_world_explain_query(world._native._world, query, b, out) == 0
            expected = model_explain.explain_query(twin, shape, pose, mask, owner, b, when or None)
            assert row_of(out) == astuple(expected), (shape, pose, b)
            assert (out.why == 0) == (b in met)


def test_ids_and_shapes_that_have_no_answer_are_refused() -> None:
    world = World(4, level=level_of(checked_solid(["cylinder", 0, 0, 1, [0, 0], 1])))
    world.add(1, shape_of(("sphere", 100)), Pose(0, 0, 0))
    native, out = world._native._world, ffi.new("fxs_explanation *")
    for a, b, status in [
        *((1, 2, lib.FXS_E_ABSENT), (2, 1, lib.FXS_E_ABSENT), (2, 2, lib.FXS_E_ABSENT)),
        *((1, 4, lib.FXS_E_ID), (LEVEL + 1, 1, lib.FXS_E_ID), (1, LEVEL + 1, lib.FXS_E_ID)),
        *((LEVEL, LEVEL, lib.FXS_E_UNDEFINED), (2, LEVEL, lib.FXS_E_ABSENT)),
    ]:
        assert lib.fxs_world_explain(native, a, b, out) == status
    query = ffi.new("fxs_query *", ((0, 0, [100, 0, 0]), (0, 0, 0, 0), 1, 0))
    for b, status in ((2, lib.FXS_E_ABSENT), (4, lib.FXS_E_ID), (LEVEL + 1, lib.FXS_E_ID)):
        assert lib.fxs_world_explain_query(native, query, b, out) == status
    query.hit_when = 3
    assert lib.fxs_world_explain_query(native, query, 1, out) == lib.FXS_E_HIT_WHEN
    query.pose.yaw = 65536
    assert lib.fxs_world_explain_query(native, query, 1, out) == lib.FXS_E_YAW
    shape, pose = ffi.new("fxs_shape *", (0, 0, [9, 0, 0])), ffi.new("fxs_pose *")
    for hit_when in (0, 3):
        status = lib.fxs_explain_shapes(shape, pose, shape, pose, hit_when, out)
        assert status == lib.FXS_E_HIT_WHEN
    pose.yaw = 65536
    assert lib.fxs_explain_shapes(shape, pose, shape, pose, 1, out) == lib.FXS_E_YAW


HIGH_AND_FAR = (
    "height: one is 0.01222 units above the other; beside: at one height they would meet if "
    "a were 0.01236 units thicker; beyond the radius"
)


def test_the_sentences_say_whose_growth_it_is_and_every_cause() -> None:
    world = World(8, layers=[(0, 1)])
    world.add(1, Sphere(32768), Pose(0, 0, 0), owner=4)
    world.add(2, Capsule(32768, 65536), Pose(85852, 0, 0), owner=4)
    world.add(3, Cylinder(32768, 65536), Pose(0, 163840, 0), layer=1, active=False)
    world.add(4, Box(65536, 65536, 65536), Pose(94000, 94000, 0), layer=1)
    names = {1: "player", 2: "boss"}
    reported = [
        world.explain(1, 2).text(names),
        world.explain(2, 1).text(names),
        str(world.explain(1, 3)),
        str(world.explain(1, 4)),
        str(world.explain(1, 1)),
        str(world.explain_query(Sphere(65536), Pose(0, 0, 0), 2, 0, exclude_owner=4)),
        str(world.explain_query(Sphere(65536), Pose(0, 0, 0), 1)),
        explain(Sphere(320), Pose(0, 0, 0), Sphere(320), Pose(640, 0, 0), hit_when=2).text({}),
        str(explain(Box(90, 90, 90), Pose(0, 0, 0), Sector(99, 9000, 9), Pose(900, 900, 0))),
        str(explain(Sector(99, 9000, 9, 5), Pose(0, 0, 0), Sector(99, 9000, 9), Pose(0, 0, 0))),
    ]
    layers = "; the owner is the same; their layers do not meet"
    assert reported == [
        f"beside: they would meet if player were 0.31 units thicker{layers}",
        f"beside: they would meet if player were 0.31 units thicker{layers}",
        "height: one is 1 unit above the other; 3 is not active",
        "corner: they would meet if 1 were 0.11424 units thicker",
        "a and b are the same id",
        "the layer of 2 is not in the mask; the owner of 2 is left out",
        "they meet",
        "beside: they would meet if a were 0.00002 units thicker; they only touch",
        HIGH_AND_FAR,
        "two sectors, one with a hole, never meet",
    ]


def test_the_sentences_say_how_a_sector_is_missed() -> None:
    for shape, x, z, text in [
        (Sphere(32768), -131072, 0, "outside the wedge, half_angle"),
        (Sphere(3000), 0, 0, "in the hole"),
        (Sphere(3000), 900000, 0, "beyond the radius"),
    ]:
        found = explain(shape, Pose(x, 0, z), Sector(131072, 5461, 65536, 65536), Pose(0, 0, 0))
        assert text in str(found)
        assert found.sector.name.lower() in text


def test_no_growth_is_told_as_such() -> None:
    box = Box(65536, 65536, 65536)
    found = explain(box, Pose(0, 0, 0), box, Pose(2**31 - 1, 0, 0))
    assert found.gap is found.planar is None
    assert str(found) == "beside: no size of a makes them meet"
    assert Why.BESIDE in found.why

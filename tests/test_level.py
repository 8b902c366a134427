"""Levels: their bytes, their solids, and what shapes meet in them, against the model."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import isqrt
from typing import Any

import model
import model_level
import model_push
import pytest
from refusals import Refused, refusals
from strategies import A_SOLID, KINDS, SOLIDS, every_kind, rounds, sized
from tools import by_default, each, ints, rows

from fixsync import LEVEL, Level, Pillar, Pose, Prism, Sector, Sphere, World
from fixsync._native.raw import ffi, lib
from fixsync.world.shapes import Shape, shape_from_tuple

LOW, HIGH = -(2**31), 2**31 - 1
SIZE_MAX = 2**29 - 1
SQUARE = [(-10, -10), (10, -10), (10, 10), (-10, 10)]


def solid_of(solid: model_level.Solid) -> Prism | Pillar:
    """The solid of the model's."""
    if solid.radius:
        (x, z), *_ = solid.vertices
        return Pillar(x, z, solid.radius, solid.y_low, solid.y_high, solid.layer)
    return Prism(solid.vertices, solid.y_low, solid.y_high, solid.layer)


def level_of(*solids: model_level.Solid) -> Level:
    return Level(map(solid_of, solids))


# Bytes.


@each("row", rows("level_bytes.csv"))
def test_bytes_are_read_or_refused_as_in_the_vectors(row: dict[str, str]) -> None:
    data = bytes.fromhex(row["bytes"])
    if row["hash"]:
        level = Level.from_bytes(data)
        assert level.to_bytes() == data
        assert level.hash() == int(row["hash"], 16)
        assert Level(level).to_bytes() == data
    else:
        with pytest.raises(ValueError, match=rf"byte {row['refused_at']}: "):
            Level.from_bytes(data)


def test_every_cut_and_every_changed_byte_is_read_as_the_model_reads_it() -> None:
    prism = model_level.checked_solid(("prism", 31, -5, 5, [[0, 0], [9, 0], [0, 9]]))
    pillar = model_level.checked_solid(("cylinder", 1, LOW, HIGH, [3, 4], SIZE_MAX))
    good = model_level.level_bytes([prism, pillar, prism])
    faulty = [good[:n] for n in range(len(good))] + [good + b"\0"]
    for at in range(len(good)):
        for value in (0, 1, 2, 3, 5, 127, 128, 255):
            faulty.append(good[:at] + bytes([value]) + good[at + 1 :])  # noqa: PERF401
    refused = 0
    for data in faulty:
        try:
            expected: Any = model_level.level_hash(model_level.level_of_bytes(data))
        except model_level.RefusedError as error:
            with pytest.raises(ValueError, match=rf"byte {error.at}: "):
                Level.from_bytes(data)
            refused += 1
        else:
            level = Level.from_bytes(data)
            assert (level.to_bytes(), level.hash()) == (data, expected)
    assert 100 < refused < len(faulty) - 100


def test_a_count_beyond_the_bytes_takes_no_memory() -> None:
    for count in (1, 2**31, 2**31 + 1, 2**32 - 1):
        with pytest.raises(ValueError, match="byte 4: "):
            Level.from_bytes(b"FXL1" + count.to_bytes(4, "little") + bytes(23))


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"FXL2", "byte 0: a level begins with b'FXL1', not with b'FXL2'"),
        (b"FXL1\1\0\0", "byte 4: the bytes end before the number of solids"),
        (b"FXL1\1\0\0\0", "byte 4: 1 solids of 24 bytes or more do not fit the 0 left"),
        (b"FXL1\0\0\0\0\0", "byte 8: 1 bytes after the last solid"),
    ],
)
def test_a_refusal_of_bytes_names_the_rule(data: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=f"data is not a level: {fault}"):
        Level.from_bytes(data)


def test_a_refusal_of_bytes_names_the_solid() -> None:
    good = Level([Pillar(0, 0, 5, 0, 1), Prism(SQUARE, 0, 1)]).to_bytes()
    for at, value, fault in (
        (32, 7, "byte 32: solid 1: code must be 2 or 5, not 7"),
        (33, 32, "byte 33: solid 1: layer must be 0..31, not 32"),
        (34, 2, "byte 34: solid 1: number of vertices: a prism has 3..32, not 2"),
        (34, 5, "byte 76: solid 1: the bytes end before its last vertex"),
        (40, 0, "byte 40: solid 1: y_high must be above y_low 0, not 0"),
        (28, 0, "byte 28: solid 0: radius must be 1..536870911, not 0"),
        (10, 1, "byte 10: solid 0: number of vertices: a cylinder has 0, not 1"),
    ):
        with pytest.raises(ValueError, match=fault):
            Level.from_bytes(good[:at] + bytes([value]) + good[at + 1 :])


# Solids.


@refusals("""
Prism(SQUARE[:2], 0, 1) | ValueError | vertices must be 3..32, not 2
Prism([(n, n * n) for n in range(33)], 0, 1) | ValueError | vertices must be 3..32, not 33
Prism(SQUARE[::-1], 0, 1) | ValueError | counterclockwise (as yaw turns, +X to +Z) / not [(
Prism([(0, 0), (5, 0), (9, 0), (9, 9)], 0, 1) | ValueError | strictly convex
Prism([(0, 0), (9, 0), (3, 3), (0, 9)], 0, 1) | ValueError | strictly convex / (3, 3)
Prism([(0, 0), (0, 0), (9, 9)], 0, 1) | ValueError | strictly convex
Prism([(0, -9), (6, 8), (-9, -2), (9, -3), (-6, 8)], 0, 1) | ValueError | strictly convex
Prism([(0, 0), (2**30 - 1, 0), (0, 9)], 0, 1) | ValueError | span at most 1073741822
Prism([(0, 0), (9, 0), (0, 2**30 - 1)], 0, 1) | ValueError | span at most 1073741822
Prism(SQUARE, 1, 1) | ValueError | y_high must be above y_low 1, not 1
Prism(SQUARE, 0, 2**31) | ValueError | y_high must be -2147483648..2147483647
Prism(SQUARE, 0, 1, 32) | ValueError | layer must be 0..31, not 32
Prism(SQUARE, 0.0, 1) | TypeError | y_low must be an integer, not the float
Prism([(0, 0), (9.5, 0), (0, 9)], 0, 1) | TypeError | vertices[1]: x must be / the float 9.5
Prism([(0, 0), (9, 0, 1)], 0, 1) | ValueError | vertices[1] must be (x, z)
Pillar(0, 0, 0, 0, 1) | ValueError | radius must be 1..536870911, not 0
Pillar(0, True, 1, 0, 1) | TypeError | z must be an integer
Pillar(2**31, 0, 1, 0, 1) | ValueError | x must be -2147483648..2147483647
Level([Pillar(0, 0, 1, 0, 1), Sphere(5)]) | TypeError | solids[1] must be a Prism or a Pillar
""")
def test_what_is_no_solid_is_refused_by_name(refused: Refused) -> None:
    refused()


def test_a_prism_spans_the_most_that_is_allowed() -> None:
    vertices = ((LOW, LOW), (LOW + 2**30 - 2, LOW), (LOW, LOW + 2**30 - 2))
    assert Level([Prism(vertices, LOW, HIGH)])[0].as_tuple()[4] == [list(v) for v in vertices]


def test_a_level_is_a_sequence_of_its_solids() -> None:
    prism, pillar = Prism(SQUARE, -1, 1, 3), Pillar(1, 2, 3, 4, 5, 6)
    level = Level([prism, pillar])
    assert (len(level), [*level]) == (2, [prism, pillar])
    assert (level[0], level[-1], level[1:], level[5:]) == (prism, pillar, [pillar], [])
    assert (prism.vertices, prism.y_low, prism.y_high, prism.layer) == (tuple(SQUARE), -1, 1, 3)
    assert (pillar.x, pillar.z, pillar.radius, pillar.y_low, pillar.y_high, pillar.layer) == (
        *(1, 2, 3, 4, 5, 6),
    )
    with pytest.raises(IndexError):
        level[2]
    assert Level([])
    assert len(Level([])) == 0
    assert prism.as_tuple() == ("prism", 3, -1, 1, [list(v) for v in SQUARE])
    assert pillar.as_tuple() == ("cylinder", 6, 4, 5, [1, 2], 3)


def test_equal_levels_are_those_of_the_same_solids_in_order_and_first_vertex() -> None:
    prism, pillar = Prism(SQUARE, -1, 1), Pillar(1, 2, 3, 4, 5)
    level = Level([prism, pillar])
    assert level == Level([prism, pillar])
    assert hash(level) == hash(Level([prism, pillar]))
    assert level != Level([pillar, prism])
    assert level != Level([Prism(SQUARE[1:] + SQUARE[:1], -1, 1), pillar])
    assert level != [prism, pillar]
    for twin in (pickle.loads(pickle.dumps(level)), copy.copy(level), copy.deepcopy(level)):
        assert twin == level
    assert eval(repr(prism)) == prism
    assert eval(repr(pillar)) == pillar


# Contact.


def test_contacts_are_those_of_the_vectors() -> None:
    for row in rows("level_contacts.csv"):
        shape = tuple(json.loads(row["shape"]))
        level = level_of(model_level.checked_solid(json.loads(row["solid"])))
        pose = Pose(*ints(row, "x", "y", "z", "yaw"))
        assert level.contact(0, shape_from_tuple(shape), pose) == int(row["contact"]), row


def test_an_index_of_no_solid_is_refused() -> None:
    level = Level([Pillar(0, 0, 1, 0, 1)])
    for index in (-1, 1, 2**31):
        with pytest.raises(ValueError, match=r"index must be 0\.\.0"):
            level.contact(index, Sphere(100), Pose(0, 0, 0))


def test_in_c_an_index_of_no_solid_and_a_bad_shape_have_a_status() -> None:
    level = Level([Prism(SQUARE, -5, 5)])._native.pointer
    good, bad = (ffi.new("fxs_shape *", {"kind": 0, "size": [n, 0, 0]}) for n in (3, 0))
    at, ids, count = ffi.new("fxs_pose *"), ffi.new("uint32_t[1]"), ffi.new("uint64_t *", 9)
    assert lib.fxs_level_contact(level, 0, good, at) == lib.FXS_OVERLAPPING
    assert lib.fxs_level_contact(level, 1, good, at) == lib.FXS_E_ID
    assert lib.fxs_level_contact(level, 0, bad, at) == lib.FXS_E_SIZE
    for shape, status, found in ((good, 0, 1), (bad, lib.FXS_E_SIZE, 0)):
        query = ffi.new("fxs_query *", (shape[0], at[0], 1, 0))
        assert lib.fxs_level_query(level, query, lib.FXS_TOUCHING, ids, 1, count) == status
        assert count[0] == found


def test_a_query_finds_what_contact_finds_on_the_layers_of_the_mask() -> None:
    rng = random.Random(1)
    solids = [
        Pillar(rng.randrange(2000), rng.randrange(2000), rng.randint(1, 60), y, y + 50, n % 32)
        for n in range(300)
        for y in (rng.randrange(200),)
    ]
    level = Level(solids)
    found = 0
    for _ in range(60):
        shape: Shape = rng.choice(
            [
                Sphere(rng.randint(64, 900)),
                Sector(rng.randint(64, 900), rng.randint(181, 32768), 64),
            ]
        )
        pose = Pose(rng.randrange(2000), rng.randrange(200), rng.randrange(2000), 7)
        mask, hit_when = rng.getrandbits(32), rng.choice([1, 2])
        expected = [
            LEVEL + n
            for n, solid in enumerate(solids)
            if mask >> solid.layer & 1 and level.contact(n, shape, pose) >= hit_when
        ]
        assert level.query(shape, pose, mask, hit_when=hit_when) == expected
        found += len(expected)
    assert found > 500
    assert level.query(Sphere(2**20), Pose(0, 0, 0)) == [LEVEL + n for n in range(300)]


# Casts.


def test_casts_are_those_of_the_vectors() -> None:
    for row in rows("level_casts.csv"):
        shape = shape_from_tuple(json.loads(row["shape"]))
        level = level_of(model_level.checked_solid(json.loads(row["solid"])))
        x, y, z = ints(row, "mx", "my", "mz")
        hits = level.cast(
            shape,
            Pose(*ints(row, "x", "y", "z", "yaw")),
            (x, y, z),
            hit_when=int(row["hit_when"]),
        )
        expected: list[Any] = []
        if row["fraction"]:
            expected = [(LEVEL, int(row["fraction"]), ints(row, "nx", "ny", "nz"))]
        assert hits == expected, row


# Worlds.


def random_solid(rng: random.Random, size: int) -> model_level.Solid:
    """A small solid about the origin, with tidy numbers that make shapes touch."""

    def near(scale: int) -> int:
        return rng.randint(-scale, scale)

    while True:
        low = near(size)
        head = rng.randrange(3), low, low + rng.randint(1, size)
        try:
            if rng.random() < 0.4:
                centre = [near(size), near(size)]
                return model_level.checked_solid(
                    ("cylinder", *head, centre, rng.randint(1, size // 2))
                )
            x, z = near(size), near(size)
            count = rng.choice([3, 3, 4, 5])
            points = [[x + near(size // 2), z + near(size // 2)] for _ in range(count)]
            return model_level.checked_solid(("prism", *head, points))
        except ValueError:
            continue


def random_shape(rng: random.Random, size: int) -> tuple[Any, ...]:
    def number() -> int:
        return rng.randint(1, size // 2)

    kind = rng.choice(KINDS)
    if kind == "sector":
        radius = number()
        return (kind, radius, rng.randint(181, 32768), number(), rng.randrange(radius))
    return sized(kind, *(number() for _ in model.KINDS[kind]))


def random_pose(rng: random.Random, size: int) -> tuple[int, int, int, int]:
    x, y, z = (rng.randint(-size, size) for _ in range(3))
    return x, y, z, rng.choice([0, 16384, 8192, rng.randrange(65536)])


@pytest.mark.parametrize("seed", by_default(1, range(6)))
def test_a_world_with_a_level_plays_as_the_models(seed: int) -> None:
    """Random histories: events, queries, casts, contacts, states, and loads of earlier states."""
    rng = random.Random(seed)
    size = rng.choice([8, 30, 500])
    solids = [random_solid(rng, size) for _ in range(rng.choice([1, 5, 40]))]
    layers = None if seed % 2 else [(0, 1), (0, 2), (1, 1)]
    hit_when = rng.choice([1, 2])
    expected = model_level.LevelWorld(12, solids, hit_when, layers)
    level = level_of(*solids)
    world = World(12, hit_when=hit_when, layers=layers, level=level)
    met, kept = 0, [(world.save(), 0)]
    for frame in range(60):
        for _ in range(rng.randrange(5)):
            id = rng.randrange(12)
            pose = random_pose(rng, size)
            if id not in world:
                shape, layer, active = random_shape(rng, size), rng.randrange(3), rng.random() < 0.9
                world.add(id, shape_from_tuple(shape), Pose(*pose), layer=layer, active=active)
                expected.add(id, shape, pose, layer=layer, active=active)
            elif rng.random() < 0.2:
                world.remove(id)
                expected.remove(id)
            else:
                world.set_pose(id, Pose(*pose))
                expected.set_pose(id, pose)
        events = [tuple(map(int, event)) for event in world.step()]
        assert events == [tuple(event) for event in expected.step()]
        met += sum(b >= LEVEL for _, b, _, _ in events)
        assert world.save() == expected.save()
        assert world.hash() == expected.hash()
        shape, pose, mask = random_shape(rng, size), random_pose(rng, size), rng.randrange(8)
        found = world.query(shape_from_tuple(shape), Pose(*pose), mask)
        assert found == expected.query(shape, pose, mask)
        nearest = world.nearest(shape_from_tuple(shape), Pose(*pose), mask)
        assert sorted(nearest) == [id for id in found if id < LEVEL]
        if shape[0] in SOLIDS:
            motion = (rng.randint(-size, size), rng.randint(-size, size), rng.randint(-size, size))
            limit = rng.randrange(4)
            hits = world.cast(shape_from_tuple(shape), Pose(*pose), motion, mask, limit=limit)
            assert hits == expected.cast(shape, pose, motion, mask, limit=limit)
        for id in world:
            solid = LEVEL + rng.randrange(len(solids))
            assert world.contact(id, solid) == expected.contact(id, solid)
            assert world.contact(solid, id) == world.contact(id, solid)
        kept.append((world.save(), frame))
        if rng.random() < 0.1:
            state, _ = rng.choice(kept)
            world.load(state)
            expected.load(state)
            assert world.save() == state
        if rng.random() < 0.1:
            world = world.copy()
            assert world.level is level
        if rng.random() < 0.1:
            world = World.from_bytes(world.save(), 12, level)
    assert met > 10


def test_a_crowd_in_a_level_hits_each_solid_that_it_meets_once() -> None:
    """More colliders than the kernel searches the level for at once, in more than 64 ids."""
    rng = random.Random(5)
    level = level_of(*(random_solid(rng, 900) for _ in range(40)))
    world = World(200, level=level)
    for id in range(200):
        world.add(id, Sphere(60), Pose(rng.randrange(-999, 999), 0, rng.randrange(-999, 999)))
    world.step()
    found = [(hit.a, hit.b - LEVEL) for hit in world.hits() if hit.b >= LEVEL]
    met = [
        (id, index)
        for id in range(200)
        for index in range(40)
        if level.contact(index, world[id].shape, world[id].pose) != 0
    ]
    assert found == met
    assert len({id for id, _ in met if id >= 64}) > 64


def test_a_saved_state_is_taken_by_a_world_with_the_same_level_only() -> None:
    level, other = Level([Pillar(0, 0, 5, 0, 9)]), Level([Pillar(0, 0, 6, 0, 9)])
    state, plain = World(4, level=level).save(), World(4).save()
    assert (state[:4], plain[:4]) == (b"FXS2", b"FXS1")
    assert state[140:148] == level.hash().to_bytes(8, "little")
    assert state[4:140] + state[148:] == plain[4:]
    assert World.from_bytes(state, 4, Level(level)).save() == state
    for world, data, fault in (
        (World(4), state, "byte 0: it is of a world with a level; this world has none"),
        (World(4, level=level), plain, "byte 0: it is of a world without a level; this world has"),
        (World(4, level=other), state, "byte 140: its level is [0-9a-f]{16}; this world's is"),
        (World(4, level=level), state[:159], "byte 156: a saved state has at least 160 bytes"),
    ):
        before = world.save()
        with pytest.raises(ValueError, match=fault):
            world.load(data)
        assert world.save() == before


def test_a_saved_hit_with_no_solid_of_the_level_is_refused() -> None:
    level = Level([Pillar(0, 0, 100, 0, 99)])
    world = World(4, level=level)
    world.add(2, Sphere(99), Pose(0, 0, 0))
    world.step()
    state = world.save()
    at = 148 + 4 + 52 + 4 + 4
    assert state[at : at + 4] == LEVEL.to_bytes(4, "little")
    for b in (LEVEL + 1, LEVEL - 1, 2**32 - 1, 3, 4):
        with pytest.raises(ValueError, match=rf"byte {at - 4}: hits\[0\]: "):
            world.load(state[:at] + b.to_bytes(4, "little") + state[at + 4 :])
    for a in (0, 4, LEVEL):
        with pytest.raises(ValueError, match=rf"byte {at - 4}: hits\[0\]: "):
            world.load(state[: at - 4] + a.to_bytes(4, "little") + state[at:])
    world.load(state)


def test_a_level_without_solids_is_a_level() -> None:
    world = World(4, level=Level([]))
    world.add(0, Sphere(99), Pose(0, 0, 0))
    assert world.step() == []
    assert world.save()[:4] == b"FXS2"
    assert world.query(Sphere(99), Pose(0, 0, 0)) == [0]
    assert [hit.id for hit in world.cast(Sphere(99), Pose(0, 0, 0), (0, 9, 0))] == [0]
    assert pickle.loads(pickle.dumps(world)).level == Level([])


def test_ids_of_solids_are_refused_where_a_collider_is_asked_for() -> None:
    world = World(4, level=Level([Pillar(0, 0, 100, 0, 99), Prism(SQUARE, 0, 9)]))
    world.add(1, Sphere(99), Pose(0, 0, 0))
    world.add(2, Sector(99, 8192, 99), Pose(0, 0, 0))
    solids = f"{LEVEL}..{LEVEL + 1} for a solid"
    for ask in (world.push_out, world.lift, world.side):
        with pytest.raises(ValueError, match=r"a must be 0\.\.3, not"):
            ask(LEVEL, 1)
        with pytest.raises(ValueError, match=rf"b must be 0\.\.3, or {solids}, not {LEVEL + 2}"):
            ask(1, LEVEL + 2)
        with pytest.raises(ValueError, match=f"must be a {A_SOLID}, not"):
            ask(2, LEVEL)
        with pytest.raises(KeyError, match="a: id 0 is not in the world"):
            ask(0, LEVEL)
    with pytest.raises(ValueError, match="must be a Box or a Prism, not a Pillar"):
        world.side(1, LEVEL)
    with pytest.raises(ValueError, match="a or b must be a collider, not the solids"):
        world.contact(LEVEL, LEVEL + 1)
    with pytest.raises(ValueError, match=rf"a must be 0\.\.3, or {solids}, not {LEVEL + 2}"):
        world.contact(LEVEL + 2, 1)
    with pytest.raises(TypeError, match="level must be a Level or None, not 5"):
        World(4, level=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"b must be 0\.\.3, not 4"):
        World(4).contact(1, 4)
    for change in (lambda: world.remove(LEVEL), lambda: world.move(LEVEL, 0, 0, 0)):
        with pytest.raises(ValueError, match=r"id must be 0\.\.3"):
            change()
    assert LEVEL not in world
    assert [*world] == [1, 2]


# Pushes.


def scaled(solid: model_level.Solid, k: int) -> model_level.Solid:
    """The solid k times as large."""
    vertices = tuple((k * x, k * z) for x, z in solid.vertices)
    return model_level.Solid(
        *(solid.kind, solid.layer, k * solid.y_low, k * solid.y_high, vertices, k * solid.radius)
    )


def pushed(
    rng: random.Random, size: int, count: int
) -> Iterator[tuple[tuple[Any, ...], tuple[int, int, int, int], model_level.Solid, World]]:
    """So many overlaps of a body, id 0, with one solid: its shape, its pose, the solid, a world."""
    while count:
        solid, shape, pose = (
            random_solid(rng, size),
            random_shape(rng, size),
            random_pose(rng, size),
        )
        if shape[0] not in SOLIDS or model_level.level_contact(shape, pose, solid) < 2:
            continue
        world = World(1, level=level_of(solid))
        world.add(0, shape_from_tuple(shape), Pose(*pose))
        yield shape, pose, solid, world
        count -= 1


@pytest.mark.parametrize("size", [6, 40, 3000, 2**27])
def test_a_push_out_of_a_solid_ends_the_overlap_and_is_hardly_longer_than_the_shortest(
    size: int,
) -> None:
    """Shorter translations are tried in many directions, in a scene that is some times as large, so
    that integers are fine enough."""
    rng = random.Random(size)
    k = 16 if size < 2**20 else 3
    for shape, (x, y, z, yaw), solid, world in pushed(rng, size, 60):
        dx, dz = world.push_out(0, LEVEL)
        assert (dx, dz) == model_push.push_out_of_solid(shape, (x, y, z, yaw), solid) != (0, 0)
        after = (x + dx, y, z + dz, yaw)
        assert model_level.level_contact(shape, after, solid) < 2, (shape, (x, y, z, yaw), solid)
        far = solid.radius == 0 and any(
            max(abs(vx - x), abs(vz - z)) > 4096 * 65536 for vx, vz in solid.vertices
        )
        excess = 3 if far and shape[0] == "box" else 2
        shorter = isqrt(k * k * (dx * dx + dz * dz)) - k * excess - 2
        large = scaled(solid, k)
        sizes = shape[0], *(k * number for number in shape[1:])
        for turn in range(0, 65536, 512):
            if shorter > 0:
                tx, tz = (shorter * part >> 30 for part in model.direction(turn))
                at = k * x + tx, k * y, k * z + tz
                found = model_level.solid_contact(sizes, yaw, at, large)
                assert found == 2, (shape, (x, y, z, yaw), solid, (dx, dz), turn)


@pytest.mark.parametrize("size", [6, 40, 2**27])
def test_a_lift_out_of_a_solid_is_the_least_that_ends_the_overlap(size: int) -> None:
    for shape, (x, y, z, yaw), solid, world in pushed(random.Random(size), size, 100):
        dy = world.lift(0, LEVEL)
        assert dy == model_push.lift_of_solid(shape, (x, y, z, yaw), solid)
        up = 1 if 2 * y >= solid.y_low + solid.y_high else -1
        assert dy * up > 0
        assert model_level.level_contact(shape, (x, y + dy, z, yaw), solid) < 2
        assert model_level.level_contact(shape, (x, y + dy - up, z, yaw), solid) == 2


def test_a_lift_that_does_not_fit_int32_is_refused() -> None:
    world = World(2, level=Level([Pillar(0, 0, 99, LOW, HIGH), Pillar(0, 0, 99, LOW, HIGH - 200)]))
    world.add(0, Sphere(99), Pose(0, 0, 0))
    said = r"the lift of a \(0\) out of b \(2147483648\) is outside -2147483648\.\.2147483647$"
    with pytest.raises(ValueError, match=said):
        world.lift(0, LEVEL)
    before = world.save()
    world.set_offset(0, (0, -(2**31), 0))
    world.move(0, 0, 2**31 - 2, 0)
    with pytest.raises(ValueError, match=said):
        world.lift(0, LEVEL)
    world.load(before)
    assert world.lift(0, LEVEL + 1) == HIGH - 200 + 99
    world.move(0, 0, -(2**30), 0)
    assert world.lift(0, LEVEL) == -(2**30) - 99


def test_the_side_of_a_prism_is_the_edge_that_the_push_leads_over() -> None:
    asked = 0
    for _, _, solid, world in pushed(random.Random(3), 40, 200):
        if solid.radius:
            continue
        t = world.push_out(0, LEVEL)
        best, best_along, best_norm = 0, 0, 1
        for j, (ux, uz) in enumerate(model_level.edges(solid.vertices)):
            along, norm = t[0] * uz - t[1] * ux, ux * ux + uz * uz
            if along > 0 and along * along * best_norm > best_along * best_along * norm:
                best, best_along, best_norm = j + 1, along, norm
        assert world.side(0, LEVEL) == best > 0
        asked += 1
    assert asked > 30
    world = World(1, level=Level([Prism(SQUARE, 0, 9)]))
    world.add(0, Sphere(99), Pose(200, 0, 0))
    assert world.side(0, LEVEL) == 0
    assert world.push_out(0, LEVEL) == (0, 0)
    assert world.lift(0, LEVEL) == 0


def test_separate_pushes_bodies_out_of_the_solids_that_they_yield_to() -> None:
    wall = Prism([(-1000, 0), (1000, 0), (1000, 50), (-1000, 50)], -100, 100, 1)
    water = Prism([(-1000, -500), (1000, -500), (1000, -400), (-1000, -400)], -100, 100, 2)
    world = World(8, layers=[(0, 1), (0, 2), (0, 3), (3, 3)], level=Level([wall, water]))
    world.add(0, Sphere(80), Pose(0, 0, -70))
    world.add(1, Sphere(80), Pose(500, 0, 100))
    world.add(2, Sphere(80), Pose(0, 0, -480))
    world.add(3, Sphere(80), Pose(-500, 0, 20), layer=3)
    world.add(4, Sector(80, 9000, 80), Pose(-700, 0, 20))
    world.step()
    assert [tuple(moved) for moved in world.separate([(0, 1)])] == [
        *((0, 0, 0, -80), (1, 500, 0, 130)),
    ]
    assert world.contact(0, LEVEL) == world.contact(1, LEVEL) == 1
    assert world.contact(2, LEVEL + 1) == 2
    assert world.separate([(0, 1)]) == []
    # The wall has the last word over a body that is in the way.
    world.set_layers([(0, 0), (0, 1)])
    world.set_pose(1, Pose(0, 0, -90))
    world.step()
    world.separate([(0, 0), (0, 1)], passes=9)
    assert world.contact(0, LEVEL) < 2
    assert world.contact(1, LEVEL) < 2


def test_separate_that_would_leave_int32_moves_nothing() -> None:
    edge = Pillar(HIGH - 50, 0, 100, -99, 99)
    world = World(2, level=Level([edge]))
    world.add(0, Sphere(99), Pose(HIGH, 0, 0))
    world.step()
    with pytest.raises(ValueError, match="separate would push id 0 outside"):
        world.separate([(0, 0)])
    assert world[0].pose.x == HIGH


@pytest.mark.parametrize(
    "shape",
    every_kind(
        [
            ("sphere", 2),
            ("capsule", 1, 1),
            ("cylinder", 2, 1),
            ("box", 2, 1, 1),
            ("sector", 3, 9000, 1),
            ("sector", 3, 32768, 1, 2),
            ("sector", 3, 12000, 1, 1),
        ]
    ),
    ids=str,
)
def test_every_place_of_a_small_grid_is_as_the_model_says(shape: tuple[Any, ...]) -> None:
    """Every solid at once, at every place and height, with three yaws if it turns: touches
    of faces, corners, rims and lids."""
    rows_of_solids: list[Any] = [
        ("prism", 0, 0, 2, [[0, 0], [3, 0], [0, 2]]),
        ("prism", 0, 0, 1, [[-1, -1], [2, -1], [2, 1], [-1, 1]]),
        ("prism", 0, -1, 2, [[0, -2], [2, 0], [0, 2], [-2, 0]]),
        ("cylinder", 0, 0, 3, [0, 0], 2),
        ("cylinder", 0, 0, 1, [1, 0], 1),
    ]
    solids = [model_level.checked_solid(row) for row in rows_of_solids]
    level, made = level_of(*solids), shape_from_tuple(shape)
    seen = set()
    for x in range(-6, 7):
        for z in range(-6, 7):
            for y in (-3, -1, 0, 2, 4):
                for yaw in (0, 8192, 16384 + 5) if shape[0] in ("box", "sector") else (0,):
                    pose = Pose(x, y, z, yaw)
                    for n, solid in enumerate(solids):
                        expected = model_level.level_contact(shape, (x, y, z, yaw), solid)
                        assert level.contact(n, made, pose) == expected, (x, y, z, yaw, solid)
                        seen.add((n, expected))
    assert len(seen) == 3 * len(solids)


NASTY = (1, 2, 2**16, 2**28, SIZE_MAX - 1, SIZE_MAX)
ENDS = (LOW, LOW + 1, 0, HIGH - 1, HIGH)


@pytest.mark.parametrize("seed", range(4))
def test_the_extremes_of_positions_and_sizes_are_as_the_model_says(seed: int) -> None:
    """Solids and shapes at the ends of int32, of the least and the greatest sizes, slivers and
    prisms of 32 vertices: contacts and casts."""
    rng, met = random.Random(seed), 0
    span = 2**30 - 2

    def solid() -> model_level.Solid:
        low = rng.choice(ENDS[:-1])
        high = rng.choice([v for v in ENDS if v > low])
        x, z = rng.choice(ENDS), rng.choice(ENDS)
        kind = rng.randrange(4)
        if kind == 0:
            return model_level.checked_solid(("cylinder", 0, low, high, [x, z], rng.choice(NASTY)))
        x, z = min(x, HIGH - span), min(z, HIGH - span)
        points = {
            1: [[x, z], [x + span, z], [x + span, z + 1]],
            2: [[x, z], [x + span, z + span - 1], [x + span, z + span]],
            3: [[x + n, z + n * n] for n in range(32)],
        }[kind]
        return model_level.checked_solid(("prism", 0, low, high, points))

    for _ in rounds(400):
        at, size = solid(), lambda: rng.choice(NASTY)
        kind = rng.choice(KINDS)
        shape = sized(kind, *(size() for _ in model.KINDS[kind]))
        if kind == "sector":
            shape = (kind, shape[1], rng.choice([1, 16384, 16385, 32768]), shape[2], shape[1] // 2)
        vx, vz = rng.choice(at.vertices)
        reach = shape[1] + at.radius
        x, z = (
            max(LOW, min(HIGH, v + rng.choice([0, reach, -reach, 1 - reach]))) for v in (vx, vz)
        )
        y = rng.choice([*ENDS, at.y_low, at.y_high])
        pose = x, y, z, rng.choice([0, 8192, 16384, 1])
        level, made = level_of(at), shape_from_tuple(shape)
        expected = model_level.level_contact(shape, pose, at)
        assert level.contact(0, made, Pose(*pose)) == expected, (shape, pose, at)
        met += expected > 0
        if kind in SOLIDS:
            motion = tuple(rng.choice([0, 1, -1, SIZE_MAX, -SIZE_MAX, -reach // 2]) for _ in "xyz")
            motion = tuple(max(-SIZE_MAX, min(SIZE_MAX, part)) for part in motion)
            hits = level.cast(made, Pose(*pose), motion)  # type: ignore[arg-type]
            cast = model_level.level_cast(shape, pose, motion, at)
            assert hits == ([(LEVEL, *cast)] if cast else []), (shape, pose, motion, at)
            met += cast is not None
    assert met > len(rounds(100))


@pytest.mark.parametrize(
    ("shape", "pose", "motion", "heights", "corners"),
    [
        (("sphere", 436), (322062360, 229088811, 128293144, 27094),
         (-517785527, 76823959, -206260427), (248185726, 736348922),
         "76,-487 268,-494 439,-186 404,231 333,460 -39,406 -97,-428"),
        (("capsule", 1, 0), (-22326, 18201, -1, 24884), (24160, -19699, 0), (0, 1),
         "-2,-2 2,-2 2,2 -1,2 -2,1"),
        (("cylinder", 3, 3), (1359407, -338738279, -726957, 16384), (-1587775, 1430199, 1359834),
         (-1471895968, -248258981),
         "-257074,150956 -78653,-206073 304905,26370 -2456,476839 -193929,374467"),
    ],
    ids=lambda v: v[0] if isinstance(v[0], str) and len(v) < 4 else "",
)  # fmt: skip
def test_the_fraction_of_a_graze_is_not_that_of_an_estimate(
    shape: Any, pose: Any, motion: Any, heights: Any, corners: str
) -> None:
    """The discriminant is so small that its leading bits say nothing about the root's fraction."""
    points = [[int(part) for part in corner.split(",")] for corner in corners.split()]
    solid = model_level.checked_solid(("prism", 0, *heights, points))
    level, wanted = level_of(solid), model_level.level_cast(shape, pose, motion, solid)
    assert wanted is not None
    made = shape_from_tuple(shape)
    assert level.cast(made, Pose(*pose), motion) == [(LEVEL, *wanted)]


def test_worlds_on_several_threads_share_one_level() -> None:
    rng = random.Random(9)
    solids = [solid_of(random_solid(rng, 300)) for _ in range(200)]
    level = Level(solids)
    before = level.to_bytes()

    def play(shared: Level) -> list[int]:
        world, draw, hashes = World(32, level=shared), random.Random(1), []
        for id in range(32):
            world.add(id, Sphere(64), Pose(0, 0, 0))
        for _ in range(60):
            for id in range(32):
                world.set_pose(id, Pose(*random_pose(draw, 300)))
            world.step()
            world.cast(Sphere(70), Pose(0, 0, 0), (200, 3, -100))
            hashes.append(world.hash() ^ hash(tuple(shared.query(Sphere(99), Pose(0, 0, 0)))))
        return hashes

    with ThreadPoolExecutor(4) as pool:
        played = list(pool.map(play, [level] * 4))
    assert played == [play(Level(solids))] * 4
    assert level.to_bytes() == before


def test_a_level_over_all_of_int32_is_searched_as_any_other() -> None:
    """Its extents multiply to 2^64."""
    ends = [Pillar(x, z, 9, LOW, HIGH) for x in (LOW, HIGH) for z in (LOW, HIGH)]
    level = Level([*ends, Pillar(0, 0, 9, 0, 9)])
    for n, pillar in enumerate(level):
        assert isinstance(pillar, Pillar)
        assert level.query(Sphere(64), Pose(pillar.x, 5, pillar.z)) == [LEVEL + n]
    assert level.query(Sphere(64), Pose(500, 5, 0)) == []

"""Levels: their bytes, their solids, and what shapes meet in them, against the model."""

from __future__ import annotations

import copy
import csv
import json
import pickle
import random
from pathlib import Path
from typing import Any

import model_level
import pytest

from fixsync import LEVEL, Level, Pillar, Pose, Prism, Sector, Sphere
from fixsync.shapes import Shape, shape_from_tuple

VECTORS = Path(__file__).resolve().parent / "vectors"
LOW, HIGH = -(2**31), 2**31 - 1
SIZE_MAX = 2**29 - 1
SQUARE = [(-10, -10), (10, -10), (10, 10), (-10, 10)]


def rows(name: str) -> list[dict[str, str]]:
    with (VECTORS / name).open(newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def ints(row: dict[str, str], *names: str) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in names)


def solid_of(solid: model_level.Solid) -> Prism | Pillar:
    """The solid of the model's."""
    if solid.radius:
        (x, z), *_ = solid.vertices
        return Pillar(x, z, solid.radius, solid.y_low, solid.y_high, solid.layer)
    return Prism(solid.vertices, solid.y_low, solid.y_high, solid.layer)


def level_of(*solids: model_level.Solid) -> Level:
    return Level(map(solid_of, solids))


# Bytes.


@pytest.mark.parametrize("row", rows("level_bytes.csv"), ids=lambda row: row["bytes"][:20])
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


@pytest.mark.parametrize(
    ("vertices", "fault"),
    [
        (SQUARE[:2], "number of vertices must be 3..32, not 2"),
        ([(n, n * n) for n in range(33)], "number of vertices must be 3..32, not 33"),
        (SQUARE[::-1], "counterclockwise .*: reverse their order"),
        ([(0, 0), (5, 0), (9, 0), (9, 9)], r"vertex 2 \(9, 0\) is not inside edge 0"),
        ([(0, 0), (9, 0), (3, 3), (0, 9)], "vertex 3 .* is not inside edge 1"),
        ([(0, 0), (0, 0), (9, 9)], "strictly convex"),
        ([(0, -9), (6, 8), (-9, -2), (9, -3), (-6, 8)], "strictly convex"),
        ([(0, 0), (2**30 - 1, 0), (0, 9)], "span at most 1073741822 on x, not 1073741823"),
        ([(0, 0), (9, 0), (0, 2**30 - 1)], "span at most 1073741822 on z, not 1073741823"),
    ],
)
def test_a_prism_refuses_vertices_that_are_no_convex_polygon(
    vertices: list[tuple[int, int]], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        Prism(vertices, 0, 1)


def test_a_prism_spans_the_most_that_is_allowed() -> None:
    vertices = ((LOW, LOW), (LOW + 2**30 - 2, LOW), (LOW, LOW + 2**30 - 2))
    assert Level([Prism(vertices, LOW, HIGH)])[0].as_tuple()[4] == [list(v) for v in vertices]


@pytest.mark.parametrize(
    ("make", "error", "fault"),
    [
        (lambda: Prism(SQUARE, 1, 1), ValueError, "y_high must be above y_low 1, not 1"),
        (lambda: Prism(SQUARE, 0, 2**31), ValueError, "y_high must be -2147483648..2147483647"),
        (lambda: Prism(SQUARE, 0, 1, 32), ValueError, "layer must be 0..31, not 32"),
        (lambda: Prism(SQUARE, 0.0, 1), TypeError, "y_low must be an integer, not the float"),  # type: ignore[arg-type]
        (
            lambda: Prism([(0, 0), (9.5, 0), (0, 9)], 0, 1),  # type: ignore[list-item]
            TypeError,
            r"vertices\[1\]: x must be an integer, not the float 9.5",
        ),
        (lambda: Prism([(0, 0), (9, 0, 1)], 0, 1), ValueError, r"vertices\[1\] must be \(x, z\)"),
        (lambda: Pillar(0, 0, 0, 0, 1), ValueError, "radius must be 1..536870911, not 0"),
        (lambda: Pillar(0, True, 1, 0, 1), TypeError, "z must be an integer"),
        (lambda: Pillar(2**31, 0, 1, 0, 1), ValueError, "x must be -2147483648..2147483647"),
        (
            lambda: Level([Pillar(0, 0, 1, 0, 1), Sphere(5)]),  # type: ignore[list-item]
            TypeError,
            r"solids\[1\] must be a Prism or a Pillar, not Sphere",
        ),
    ],
)
def test_a_bad_number_of_a_solid_is_an_error_that_names_it(
    make: Any, error: type[Exception], fault: str
) -> None:
    with pytest.raises(error, match=fault):
        make()


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
        if len(shape) == 5:
            continue
        level = level_of(model_level.checked_solid(json.loads(row["solid"])))
        pose = Pose(*ints(row, "x", "y", "z", "yaw"))
        assert level.contact(0, shape_from_tuple(shape), pose) == int(row["contact"]), row


def test_an_index_of_no_solid_is_refused() -> None:
    level = Level([Pillar(0, 0, 1, 0, 1)])
    for index in (-1, 1, 2**31):
        with pytest.raises(ValueError, match=r"index must be 0\.\.0"):
            level.contact(index, Sphere(100), Pose(0, 0, 0))


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

"""The model against the vectors, and against what the contract implies."""

from __future__ import annotations

import csv
import hashlib
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import model
import pytest

VECTORS = Path(__file__).parent / "vectors"


def rows(name: str) -> Iterator[dict[str, str]]:
    with open(VECTORS / name, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def shape_and_pose(row: dict[str, str], which: str) -> tuple[Any, Any]:
    pose = tuple(int(row[which + name]) for name in ("x", "y", "z", "yaw"))
    return tuple(json.loads(row["shape_" + which])), pose


def test_every_direction_has_the_published_digest() -> None:
    packed = b"".join(struct.pack("<ii", *model.direction(yaw)) for yaw in range(65536))
    assert hashlib.sha256(packed).hexdigest() == (VECTORS / "directions.sha256").read_text().strip()


def test_angles_and_lengths_agree_with_the_vectors() -> None:
    for row in rows("angles.csv"):
        dx, dz = int(row["dx"]), int(row["dz"])
        assert model.yaw_of(dx, dz) == int(row["yaw_of"]), row
        assert model.length(dx, 0, dz) == int(row["length_dx_0_dz"]), row


def test_contacts_agree_with_the_vectors() -> None:
    count = 0
    for row in rows("contacts.csv"):
        a, pa = shape_and_pose(row, "a")
        b, pb = shape_and_pose(row, "b")
        assert model.overlap(a, pa, b, pb) == int(row["contact"]), row
        assert model.overlap(b, pb, a, pa) == int(row["contact"]), row
        count += 1
    assert count == 4500


@pytest.mark.parametrize("sign", [1, -1])
def test_a_half_step_belongs_to_the_yaw_above_it(sign: int) -> None:
    """h(k) itself is the first direction of yaw k, seen from either side of the circle."""
    for k in range(0, 65536, 5):
        hx, hz = model.half_step_direction(k)
        expected = k if sign == 1 else (k + 32768) % 65536
        assert model.yaw_of(sign * hx, sign * hz) == expected


def test_every_eleventh_direction_gives_its_own_yaw() -> None:
    for yaw in range(0, 65536, 11):
        assert model.yaw_of(*model.direction(yaw)) == yaw


def test_offsets_round_halves_away_from_zero() -> None:
    assert [model.R(v) for v in (2**29, -(2**29), 2**29 - 1, 1 - 2**29, 3 * 2**29)] == [1, -1, 0, 0, 2]
    assert model.centre((10, 20, 30, 16384), (1, 2, 3)) == (7, 22, 31)

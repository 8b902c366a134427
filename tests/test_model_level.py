"""The model of rings and levels against answers of an independent implementation."""

from __future__ import annotations

import json
from typing import Any

import model
import model_level
import pytest
from strategies import some
from tools import VECTORS, ints, rows


def solid_of(row: dict[str, str]) -> model_level.Solid:
    return model_level.checked_solid(json.loads(row["solid"]))


def test_contacts_of_rings_are_those_of_the_vectors() -> None:
    for row in rows("ring.csv"):
        a, b = (tuple(json.loads(row[f"shape_{side}"])) for side in "ab")
        pa, pb = ints(row, "ax", "ay", "az", "ayaw"), ints(row, "bx", "by", "bz", "byaw")
        expected = int(row["contact"])
        assert model.overlap(a, pa, b, pb) == expected, row
        assert model.overlap(b, pb, a, pa) == expected, row


def test_contacts_with_solids_are_those_of_the_vectors() -> None:
    for row in rows("level_contacts.csv"):
        shape, pose = tuple(json.loads(row["shape"])), ints(row, "x", "y", "z", "yaw")
        found = model_level.level_contact(shape, pose, solid_of(row))
        assert found == int(row["contact"]), row


def test_casts_at_solids_are_those_of_the_vectors() -> None:
    for row in some(rows("level_casts.csv")):
        shape, pose = tuple(json.loads(row["shape"])), ints(row, "x", "y", "z", "yaw")
        motion, hit_when = ints(row, "mx", "my", "mz"), int(row["hit_when"])
        expected: Any = None
        if row["fraction"]:
            expected = int(row["fraction"]), ints(row, "nx", "ny", "nz")
        assert model_level.level_cast(shape, pose, motion, solid_of(row), hit_when) == expected, row


@pytest.mark.parametrize("row", rows("level_bytes.csv"), ids=lambda row: row["bytes"][:20])
def test_bytes_of_levels_are_read_or_refused_as_in_the_vectors(row: dict[str, str]) -> None:
    data = bytes.fromhex(row["bytes"])
    if row["hash"]:
        solids = model_level.level_of_bytes(data)
        assert model_level.level_bytes(solids) == data
        assert model_level.level_hash(solids) == int(row["hash"], 16)
    else:
        with pytest.raises(model_level.RefusedError) as refused:
            model_level.level_of_bytes(data)
        assert refused.value.at == int(row["refused_at"])


@pytest.mark.parametrize("name", ["level", "level_layers"])
def test_matches_with_levels_are_those_of_the_vectors(name: str) -> None:
    lines = (VECTORS / "levels" / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    head, *frames, _ = map(json.loads, lines)
    solids = [model_level.checked_solid(row) for row in head["level"]["solids"]]
    world = model_level.LevelWorld(head["capacity"], solids, head["hit_when"], head["layers"])
    for frame in frames:
        events, answers = world.play_frame(frame["commands"])
        assert [list(event) for event in events] == frame["events"]
        assert answers == frame["queries"]
        assert f"{world.hash():016x}" == frame["hash"]
        twin = model_level.LevelWorld(head["capacity"], solids)
        twin.load(world.save())
        assert twin.save() == world.save()
    assert world.save() == (VECTORS / "levels" / f"{name}.last_state.bin").read_bytes()

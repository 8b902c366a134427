"""The model against the vectors, and against what the contract implies."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import model
import pytest
import xxhash
from model import ModelWorld

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


def test_xxh64_agrees_with_the_xxhash_package_at_every_length() -> None:
    data = random.Random(1).randbytes(200)
    for size in range(len(data) + 1):
        assert model.xxh64(data[:size]) == xxhash.xxh64_intdigest(data[:size])


def world_of_line(line: dict[str, Any]) -> ModelWorld:
    return ModelWorld(line["capacity"], line["hit_when"], line["layers"])


@pytest.mark.parametrize("name", ["small", "layers", "crowd"])
def test_a_match_log_of_the_vectors_replays_identically(name: str) -> None:
    text = (VECTORS / f"{name}.jsonl").read_bytes()
    head, *frames, last = [json.loads(line) for line in text.splitlines()]
    world = world_of_line(head)
    for n, line in enumerate(frames):
        events, answers = world.play_frame(line["commands"])
        assert [list(event) for event in events] == line["events"], n
        assert answers == line["queries"], n
        assert f"{world.hash():016x}" == line["hash"], n
    body = text[: text.rindex(b"\n", 0, -1) + 1]
    assert last == {"frames": len(frames), "sha256": hashlib.sha256(body).hexdigest()}
    if name == "crowd":
        assert world.save() == (VECTORS / "crowd.last_state.bin").read_bytes()


def small_world() -> ModelWorld:
    """Three colliders, one hit of two that are there and one whose partner was removed, three changed ids."""
    world = ModelWorld(8)
    world.add(1, ("sphere", 10), (0, 0, 0, 0), layer=3, owner=7)
    world.add(2, ("box", 5, 6, 7), (3, 0, 0, 100), offset=(1, 2, 3))
    world.add(5, ("sector", 50, 8192, 4), (-8, 0, 0, 0))
    world.step()
    world.remove(2)
    world.add(2, ("capsule", 5, 0), (90, 0, 0, 100), active=False)
    world.remove(5)
    world.add(0, ("cylinder", 1, 2), (0, 0, 0, 9))
    return world


def test_a_loaded_state_is_the_state_saved() -> None:
    saved = small_world().save()
    other = ModelWorld(8, hit_when=2, layers=[(0, 1)])
    other.load(saved)
    assert vars(other) == vars(small_world())
    assert other.save() == saved
    assert other.step() == small_world().step()


# Where the fields of small_world's state lie, in bytes.
MASKS, COUNT, COLLIDERS, RECORD = 12, 140, 144, 52
HITS = COLLIDERS + 3 * RECORD
CHANGED = HITS + 4 + 3 * 12


@pytest.mark.parametrize(
    ("at", "new"),
    [
        (0, b"FXS2"),
        (8, b"\0"),
        (8, b"\3"),
        (MASKS + 4, b"\xfe"),
        (COUNT, b"\2"),
        (COUNT, b"\4"),
        (COUNT, b"\xff\xff\xff\xff"),
        (COLLIDERS, b"\1"),
        (COLLIDERS + 2 * RECORD, b"\0"),
        (COLLIDERS + 2 * RECORD, b"\x08"),
        (COLLIDERS + 4, b"\5"),
        (COLLIDERS + 5, b"\x20"),
        (COLLIDERS + 6, b"\2"),
        (COLLIDERS + 7, b"\1"),
        (COLLIDERS + 10, b"\1"),
        (COLLIDERS + 40, b"\0\0\0\0"),
        (COLLIDERS + 40, b"\0\0\0\x20"),
        (COLLIDERS + 40, b"\xff\xff\xff\xff"),
        (COLLIDERS + 44, b"\0\0\0\0"),
        (COLLIDERS + 48, b"\1"),
        (COLLIDERS + RECORD + 4, b"\4"),
        (COLLIDERS + RECORD + 48, b"\1"),
        (COLLIDERS + 16, b"\xff\xff\xff\x7f" + b"\0" * 8 + b"\1\0\0\0"),
        (HITS, b"\2"),
        (HITS, b"\4"),
        (HITS + 4, b"\2"),
        (HITS + 4, b"\3"),
        (HITS + 8, b"\x08"),
        (HITS + 8, b"\1"),
        (HITS + 8, b"\4"),
        (HITS + 8, b"\5"),
        (HITS + 12, b"\0"),
        (HITS + 12, b"\3"),
        (CHANGED, b"\4"),
        (CHANGED, b"\2"),
        (CHANGED + 8, b"\0"),
        (CHANGED + 12, b"\x08"),
        (CHANGED + 12, b"\4"),
    ],
)
def test_load_refuses_a_broken_field_and_changes_nothing(at: int, new: bytes) -> None:
    saved = small_world().save()
    assert len(saved) == CHANGED + 4 + 3 * 4
    broken = saved[:at] + new + saved[at + len(new) :]
    assert broken != saved
    world = small_world()
    with pytest.raises(ValueError):
        world.load(broken)
    assert world.save() == saved


def test_load_refuses_every_truncated_and_every_extended_state() -> None:
    saved = small_world().save()
    for size in range(len(saved)):
        with pytest.raises(ValueError):
            ModelWorld(8).load(saved[:size])
    with pytest.raises(ValueError):
        ModelWorld(8).load(saved + b"\0")
    with pytest.raises(ValueError):
        ModelWorld(5).load(saved)


@pytest.mark.parametrize(
    ("error", "command"),
    [
        (ValueError, ["add", 1, ["sphere", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 8, ["sphere", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", -1, ["sphere", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sphere", 0], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sphere", 2**29], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["cylinder", 1, 0], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sector", 1, 0, 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sector", 1, 32769, 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["cone", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sphere", 1], [2**31, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sphere", 1], [0, 2**31 - 1, 0], 0, 0, 0, [0, 1, 0], True]),
        (ValueError, ["add", 7, ["sphere", 1], [0, 0, 0], 65536, 0, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sphere", 1], [0, 0, 0], 0, 32, 0, [0, 0, 0], True]),
        (ValueError, ["add", 7, ["sphere", 1], [0, 0, 0], 0, 0, 2**32, [0, 0, 0], True]),
        (TypeError, ["add", 7, ["sphere", 1.0], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (TypeError, ["add", 7, ["sphere", True], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]),
        (TypeError, ["active", 1, 1]),
        (KeyError, ["move", 3, [0, 0, 0]]),
        (KeyError, ["remove", 3]),
        (ValueError, ["turn", 1, -1]),
        (ValueError, ["offset", 1, [2**31, 0, 0]]),
        (ValueError, ["layer", 1, -1]),
        (ValueError, ["owner", 1, -1]),
        (ValueError, ["jump", 1]),
        (ValueError, ["query", ["sphere", 1], [0, 0, 0], 0, 2**32]),
    ],
)
def test_a_refused_command_changes_nothing(error: type[Exception], command: list[Any]) -> None:
    world = small_world()
    with pytest.raises(error):
        world.apply(command)
    assert world.save() == small_world().save()


def test_an_offset_may_not_push_the_centre_out_by_a_turn() -> None:
    world = ModelWorld(1)
    world.add(0, ("sphere", 1), (2**31 - 1, 0, 0, 16384), offset=(1, 0, 0))
    before = world.save()
    with pytest.raises(ValueError):
        world.turn(0, 0)
    assert world.save() == before


def test_an_id_removed_and_added_again_exits_before_it_enters() -> None:
    world = ModelWorld(2)
    world.add(0, ("sphere", 10), (0, 0, 0, 0))
    world.add(1, ("sphere", 10), (5, 0, 0, 0))
    assert world.step() == [(0, 1, model.ENTER, 2)]
    assert world.step() == [(0, 1, model.STAY, 2)]
    world.remove(0)
    world.add(0, ("sphere", 10), (-15, 0, 0, 0))
    assert world.step() == [(0, 1, model.EXIT, 0), (0, 1, model.ENTER, 1)]
    world.set_active(1, False)
    assert world.step() == [(0, 1, model.EXIT, 0)]


def test_frames_are_counted_modulo_two_to_the_32() -> None:
    world = ModelWorld(1)
    world.frame = 2**32 - 1
    world.step()
    assert world.frame == 0

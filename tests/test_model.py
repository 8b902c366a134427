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


SOLIDS = [("sphere", 3), ("capsule", 4, 2), ("cylinder", 3, 2), ("box", 4, 3, 2), ("box", 1, 2, 6)]
YAWS = [0, 1, 8192, 16384, 40000]


def overlapping_pairs(count: int, *, seed: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Pairs of small solids that overlap."""
    rng = random.Random(seed)
    found = 0
    while found < count:
        a, b = rng.choice(SOLIDS), rng.choice(SOLIDS)
        ax, ay, az, bx, by, bz = (rng.randint(-3, 3) for _ in range(6))
        pa, pb = (ax, ay, az, rng.choice(YAWS)), (bx, by, bz, rng.choice(YAWS))
        if model.overlap(a, pa, b, pb) == model.OVERLAPPING:
            found += 1
            yield a, pa, b, pb


# All planar translations that can be the shortest for the solids above, the shortest first.
TRANSLATIONS = sorted(
    ((x, z) for x in range(-16, 17) for z in range(-16, 17)),
    key=lambda t: t[0] ** 2 + t[1] ** 2,
)


def shortest_translation(a: Any, pa: Any, b: Any, pb: Any) -> tuple[int, int]:
    """The shortest whole-unit push-out, by trying all."""
    for tx, tz in TRANSLATIONS:
        if model.overlap(a, (pa[0] + tx, pa[1], pa[2] + tz, pa[3]), b, pb) != model.OVERLAPPING:
            return tx, tz
    raise AssertionError("no translation ends this overlap")


def shortest_lift(a: Any, pa: Any, b: Any, pb: Any) -> int:
    up = 1 if pa[1] >= pb[1] else -1
    dy = up
    while model.overlap(a, (pa[0], pa[1] + dy, pa[2], pa[3]), b, pb) == model.OVERLAPPING:
        dy += up
    return dy


def test_check_push_out_accepts_the_shortest_whole_translation() -> None:
    for a, pa, b, pb in overlapping_pairs(400, seed=2):
        coincident = (pa[0], pa[2]) == (pb[0], pb[2])
        if not coincident or "box" in (a[0], b[0]):  # the way out of other coincident shapes is fixed
            model.check_push_out(a, pa, b, pb, shortest_translation(a, pa, b, pb))


def test_check_push_out_refuses_what_is_shorter_or_three_longer() -> None:
    for pair in overlapping_pairs(200, seed=3):
        tx, tz = shortest_translation(*pair)
        shorter = [t for t in TRANSLATIONS if t[0] ** 2 + t[1] ** 2 < tx * tx + tz * tz][-1]
        far = 3 * tx + 4 * sgn_or_one(tx), 3 * tz + 4 * sgn_or_one(tz)
        for wrong in (shorter, far, (0, 0)):
            with pytest.raises(AssertionError):
                model.check_push_out(*pair, wrong)


def sgn_or_one(v: int) -> int:
    return -1 if v < 0 else 1


def test_check_push_out_measures_in_real_units() -> None:
    """Two cylinders 5 apart along a diagonal that need 10: 3-4-5 makes the shortest exactly 5 long."""
    a, b, pb = ("cylinder", 5, 5), ("cylinder", 5, 5), (3, 0, 4, 0)
    for result, allowed in [((-3, -4), True), ((-4, -5), True), ((-4, -6), False), ((-2, -4), False)]:
        if allowed:
            model.check_push_out(a, (0, 0, 0, 0), b, pb, result)
        else:
            with pytest.raises(AssertionError):
                model.check_push_out(a, (0, 0, 0, 0), b, pb, result)


def test_check_push_out_wants_nothing_where_nothing_overlaps() -> None:
    pair = ("sphere", 5), (0, 0, 0, 0), ("box", 5, 5, 5), (10, 0, 0, 0)
    model.check_push_out(*pair, (0, 0))
    with pytest.raises(AssertionError):
        model.check_push_out(*pair, (-1, 0))


def test_check_push_out_wants_plus_x_where_round_centres_coincide() -> None:
    pair = ("sphere", 5), (1, 2, 3, 0), ("cylinder", 5, 5), (1, 2, 3, 0)
    model.check_push_out(*pair, (10, 0))
    for wrong in ((-10, 0), (0, 10), (8, 6)):
        with pytest.raises(AssertionError):
            model.check_push_out(*pair, wrong)


def test_check_push_outs_wants_opposites_only_where_one_way_out_is_shortest() -> None:
    box = ("box", 10, 10, 10)
    deep = box, (0, 0, 0, 0), box, (5, 0, 0, 0)
    model.check_push_outs(*deep, (-15, 0), (15, 0))
    with pytest.raises(AssertionError):
        model.check_push_outs(*deep, (-15, 0), (16, 0))
    diagonal = box, (0, 0, 0, 0), box, (5, 0, 5, 0)
    model.check_push_outs(*diagonal, (-15, 0), (0, 15))
    centred = box, (0, 0, 0, 0), ("box", 20, 10, 10), (0, 0, 0, 0)
    model.check_push_outs(*centred, (0, 20), (0, 20))


def test_check_lift_accepts_the_shortest_lift_and_one_more() -> None:
    for pair in overlapping_pairs(400, seed=4):
        dy = shortest_lift(*pair)
        model.check_lift(*pair, dy)
        for wrong in (dy - sgn_or_one(dy), dy + 2 * sgn_or_one(dy), -dy):
            with pytest.raises(AssertionError):
                model.check_lift(*pair, wrong)


def test_a_side_is_told_in_the_box_frame() -> None:
    assert [model.side_of(t, 0) for t in ((0, 0), (3, 3), (-3, 2), (1, 2), (0, -1))] == [0, 1, 2, 3, 4]
    # A quarter turn takes the box's own +X towards +Z.
    assert model.side_of((0, 5), 16384) == model.POS_X
    assert model.side_of((5, 0), 16384) == model.NEG_Z


def test_a_sector_is_not_solid() -> None:
    pair = ("sector", 5, 8192, 5), (0, 0, 0, 0), ("sphere", 5), (0, 0, 0, 0)
    with pytest.raises(ValueError):
        model.check_push_out(*pair, (0, 0))
    with pytest.raises(ValueError):
        model.check_lift(*pair, 0)

"""The vectors of `vectors/made`, which `vectors/make.py` writes: the model still answers so, and so
does the kernel."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from typing import Any

import model
import pytest
from model_level import checked_solid
from strategies import some
from test_level import level_of
from tools import VECTORS

sys.path.insert(0, str(VECTORS))

import make

from fixsync import Pose, World, cast_pair, lift, push_out, side
from fixsync.game import flat, motion
from fixsync.world.shapes import shape_from_tuple

Row = dict[str, Any]


def read(name: str) -> list[Row]:
    with (VECTORS / name).open(newline="", encoding="ascii") as file:
        if name.endswith(".ndjson"):
            return [json.loads(line) for line in file]
        rows = csv.DictReader(file)
        return [{k: json.loads(v) if v else None for k, v in row.items()} for row in rows]


def plain(value: Any) -> Any:
    """As JSON reads it again."""
    return json.loads(json.dumps(value))


def answers_of(row: Row, answer: Callable[[Row], Row]) -> tuple[Row, Row]:
    """What is found, and the same part of the row."""
    found = plain(answer(row))
    assert found
    return found, {key: row[key] for key in found}


# The kernel.

FLAGS = {"rode": 1, "shoved": 2, "held": 4, "crushed": 8, "squeezed": 16}


def hit_columns(hit: Any) -> Row:
    return dict(make.hit_columns(hit))


def cast_answer(row: Row) -> Row:
    asked: list[Any] = []
    for which in "ab":
        asked.append(shape_from_tuple(row[f"shape_{which}"]))
        asked.append(Pose(*(row[f"{which}{n}"] for n in ("x", "y", "z", "yaw"))))
        asked.append(tuple(row[f"{which}{n}"] for n in ("mx", "my", "mz")))
    return hit_columns(cast_pair(*asked, hit_when=row["hit_when"]))


def level_cast_answer(row: Row) -> Row:
    pose, way = (
        Pose(*(row[n] for n in ("x", "y", "z", "yaw"))),
        [row[n] for n in ("mx", "my", "mz")],
    )
    level = level_of(checked_solid(row["solid"]))
    hits = level.cast(shape_from_tuple(row["shape"]), pose, tuple(way), hit_when=row["hit_when"])
    return hit_columns(hits[0][1:] if hits else None)


def push_answer(row: Row) -> Row:
    a, b = (shape_from_tuple(row[f"shape_{which}"]) for which in "ab")
    pair = a, Pose(*row["pose_a"]), b, Pose(*row["pose_b"])
    has_sides = row["shape_b"][0] == "box"
    found = {"push_out": push_out(*pair), "lift": lift(*pair)}
    return found | {"side": int(side(*pair)) if has_sides else None}


def level_push_answer(row: Row) -> Row:
    world = World(1, level=level_of(checked_solid(row["solid"])))
    world.add(0, shape_from_tuple(row["shape"]), Pose(*row["pose"]))
    pair = 0, 2**31
    is_prism = row["solid"][0] == "prism"
    found = {"push_out": world.push_out(*pair), "lift": world.lift(*pair)}
    return found | {"side": int(world.side(*pair)) if is_prism else None}


def hitbox(row: Any) -> flat.Hitbox:
    ground, side_x, side_y = row
    seen = flat.circle(*ground) if len(ground) == 1 else flat.rectangle(*ground)
    return flat.Hitbox(seen, side_x, side_y)


def planes_answer(row: Row) -> Row:
    (a, at_a, way_a), (b, at_b, way_b) = (
        (hitbox(row[n]), tuple(row[f"at_{n}"]), tuple(row[f"motion_{n}"])) for n in "ab"
    )
    casts = [flat.two_plane_cast(a, at_a, way_a, b, at_b, way_b, hit_when=when) for when in (1, 2)]
    return {
        "contact": int(flat.two_plane_contact(a, at_a, b, at_b)),
        "push_out": flat.two_plane_push_out(a, at_a, b, at_b),
        "lift": flat.two_plane_lift(a, at_a, b, at_b),
        "casts": [None if hit is None else [hit[0], *hit[1]] for hit in casts],
    }


def planes_world_answer(row: Row) -> Row:
    planes = flat.TwoPlanes(row["capacity"], hit_when=row["hit_when"], layers=row["layers"])
    found = []
    for commands in row["frames"]:
        for name, *rest in commands:
            if name == "add":
                id, box, at, layer, owner, active = rest
                planes.add(id, hitbox(box), at, layer=layer, owner=owner, active=active)
            elif name == "move":
                planes.move(rest[0], *rest[1])
            elif name == "remove":
                planes.remove(*rest)
            elif name == "hitbox":
                planes.set_hitbox(rest[0], hitbox(rest[1]))
            else:
                getattr(planes, f"set_{name}")(*rest)
        events = [list(map(int, event)) for event in planes.step()]
        found.append({"events": events, "hash": f"{planes.world.hash():016x}"})
    return {"answers": found}


def made_world(row: Row) -> World:
    level = level_of(*map(checked_solid, row["level"]["solids"]))
    options = {"hit_when": row["hit_when"], "layers": row["layers"], "level": level}
    world = World(row["capacity"], **options)
    for _, id, one, at, yaw, layer, owner, offset, active in row["commands"]:
        more = {"layer": layer, "owner": owner, "offset": offset, "active": active}
        world.add(id, shape_from_tuple(one), Pose(*at, yaw), **more)
    world.step()
    return world


def world_answer(row: Row) -> Row:
    world, answers = made_world(row), []
    for name, *asked in row["asked"]:
        if name == "nearest":
            one, pose, mask, owner, limit = asked
            found: Any = world.nearest(
                shape_from_tuple(one), Pose(*pose), mask, exclude_owner=owner, limit=limit
            )
        elif name == "sweep":
            id, way, limit, when = asked
            hits = world.sweep(id, tuple(way), limit=limit, hit_when=when)
            found = [[hit.id, hit.fraction, *hit.normal] for hit in hits]
        elif name == "sweep_pairs":
            ways, limit, when = asked
            pairs = world.sweep_pairs({id: tuple(m) for id, m in ways}, limit=limit, hit_when=when)
            found = [[hit.a, hit.b, hit.fraction, *hit.normal] for hit in pairs]
        else:
            yields, passes = asked
            found = [list(moved) for moved in world.separate([*map(tuple, yields)], passes=passes)]
        answers.append(found)
    return {"answers": answers, "hash": f"{world.hash():016x}"}


def motion_answer(row: Row) -> Row:
    m, n, f = tuple(row["motion"]), tuple(row["normal"]), row["fraction"]
    return {
        "along": motion.along(m, f, n),
        "along_without_normal": motion.along(m, f),
        "bounce": motion.bounce(m, n, f),
        "slide": motion.slide(m, n),
    }


def mover_answer(row: Row) -> Row:
    world, id, s, answers = made_world(row), row["id"], row["settings"], []
    for way, expected in zip(row["motions"], row["answers"], strict=True):
        if "step_height" in s:
            found = motion.Mover(**s).move(world, id, tuple(way))._asdict()
        else:
            hits = motion.move_and_slide(world, id, tuple(way), mask=s["mask"], passes=s["passes"])
            found = {"hits": hits}
        found["hits"] = [[hit.id, hit.fraction, *hit.normal] for hit in found["hits"]]
        found["position"] = world[id].pose.position
        answers.append({key: found[key] for key in expected})
    return {"answers": answers}


def carry_answer(row: Row) -> Row:
    world, mover = made_world(row), motion.Mover(**row["settings"])
    movers = dict.fromkeys(row["movers"], mover)
    carried = motion.carry(world, row["platforms"], tuple(row["motion"]), movers)
    rows = []
    for id, one in carried.items():
        flags = sum(flag for name, flag in FLAGS.items() if getattr(one, name))
        rows.append([id, world[id].pose.position, one.motion, flags, one.by or 0])
    return {"rows": rows}


KERNEL = {
    "rim_casts.csv": cast_answer,
    "level_rim_casts.csv": level_cast_answer,
    "pushes.ndjson": push_answer,
    "level_pushes.ndjson": level_push_answer,
    "planes.ndjson": planes_answer,
    "planes_worlds.ndjson": planes_world_answer,
    "worlds.ndjson": world_answer,
    "motion.ndjson": motion_answer,
    "movers.ndjson": mover_answer,
    "carries.ndjson": carry_answer,
}


@pytest.mark.parametrize("name", make.FILES)
def test_the_kernel_gives_the_answers_of_the_model(name: str) -> None:
    for row in read(f"made/{name}"):
        found, expected = answers_of(row, KERNEL[name])
        assert found == expected, row


@pytest.mark.parametrize("name", make.FILES)
def test_the_model_still_gives_its_answers(name: str) -> None:
    for row in some(read(f"made/{name}")):
        found, expected = answers_of(row, make.FILES[name].answer)
        assert found == expected, row


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in make.FILES if "rim" not in name])
def test_the_vectors_are_those_that_are_drawn(name: str) -> None:
    """The first questions of a file; casts at rims take long to draw."""
    drawn = make.FILES[name].draw(make.random.Random(make.FILES[name].seed))
    for kept, row in zip(read(f"made/{name}")[:3], drawn, strict=False):
        assert plain(row) == {key: kept[key] for key in row}


@pytest.mark.parametrize("name", ["casts.csv", "rim_casts.csv"])
def test_the_model_gives_the_casts_of_the_independent_implementation(name: str) -> None:
    for row in some(read(name)):
        found, expected = answers_of(row, make.cast_answer)
        assert found == expected, row


@pytest.mark.parametrize(
    ("name", "answer"),
    [("rim_casts.csv", make.cast_answer), ("level_rim_casts.csv", make.level_cast_answer)],
)
@pytest.mark.parametrize("bits", [31, 33, 40])
def test_another_grid_at_the_rim_has_other_answers(name: str, answer: Any, bits: int) -> None:
    assert model.GRID == 2**32
    rows = read(f"made/{name}")
    assert any(
        make.with_grid(bits, answer, row) != {key: row[key] for key in make.hit_columns(None)}
        for row in rows
    )


def test_casts_at_a_prism_and_on_two_planes_hit_between_the_steps_of_the_grid() -> None:
    casts = [row for row in read("made/level_rim_casts.csv") if row["solid"][0] == "prism"]
    hits = [row for row in casts if row["fraction"] is not None]
    assert sum(map(make.is_between_steps, hits)) > 50
    grazes = [row for row in read("made/planes.ndjson") if row["casts"][0]][-200:]
    assert all(map(make.plane_is_between_steps, grazes))

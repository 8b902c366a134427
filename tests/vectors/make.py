"""Writes the vectors that the models answer: python tests/vectors/make.py [FILE ...]

Without a name it writes all of `made/`. It never imports the kernel. `FILES` says for each file how
its questions are drawn, from a fixed seed, and how a model answers one."""

from __future__ import annotations

import csv
import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import cos, hypot, pi, sin
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import model
import model_carry
import model_level
import model_motion
import model_planes
import model_push
from model import INT32_MAX, INT32_MIN, OVERLAPPING, SIZE_MAX, TOUCHING, Time

MADE = Path(__file__).resolve().parent / "made"
SOLIDS = ("sphere", "capsule", "cylinder", "box")
Row = dict[str, Any]
Rng = random.Random


@dataclass(frozen=True)
class File:
    """A file of questions and answers, as CSV or JSON Lines by its name."""

    draw: Callable[[Rng], Iterator[Row]]
    answer: Callable[[Row], Row]
    seed: int


# What is drawn.


def scale(rng: Rng, most: int = SIZE_MAX) -> int:
    return min(most, 2 ** rng.randrange(1, most.bit_length() + 1))


def size(rng: Rng, most: int) -> int:
    return rng.choice([1, most, rng.randint(1, most), rng.randint(1, most)])


def yaw(rng: Rng) -> int:
    return rng.choice([0, 16384, 8192, 1, rng.randrange(65536), rng.randrange(65536)])


def shape(rng: Rng, most: int, kinds: tuple[str, ...] = SOLIDS) -> list[Any]:
    kind = rng.choice(kinds)
    sizes = [size(rng, most) for _ in model.KINDS[kind]]
    if kind == "sector":
        sizes[1] = rng.choice([32768, rng.randint(1, 32768)])
    return [kind, *sizes]


def vector(rng: Rng, most: int) -> list[int]:
    return [rng.randint(-most, most) for _ in range(3)]


def place(rng: Rng, most: int) -> list[int]:
    return [*vector(rng, most), yaw(rng)]


def apart(v: list[int], by: list[int]) -> list[int]:
    """v moved by so much, within int32."""
    moved = [p + q for p, q in zip(v, by, strict=False)]
    return [max(INT32_MIN, min(INT32_MAX, c)) for c in moved] + v[3:]


def depths(rng: Rng) -> float:
    """How far from b's centre to the border of the contact a's centre is."""
    return rng.choice([0.0, 0.5, rng.random(), 0.99, 1.0, 1.0])


def met(contact: Callable[[list[int]], int], way: list[int], part: float) -> list[int]:
    """A part of the way along a line from where something overlaps to where it is apart."""
    low, high = 0, 2**32
    while high - low > 1:
        middle = (low + high) // 2
        at = [c * middle >> 32 for c in way]
        low, high = (middle, high) if contact(at) == OVERLAPPING else (low, middle)
    at = int(part * high)
    return [c * at >> 32 for c in way]


# Casts whose first contact lies between two multiples of 2^-32.


def around(rng: Rng, radius: int, height: int, own: int, most: int) -> tuple[list[int], list[int]]:
    """A start and a motion of up to `most` that cut the rim of a cylinder at the origin, for a ball
    of the radius `own`, by less than 1/32 raw unit, or just miss it. Floating point finds them; the
    model answers."""
    while True:
        phi, up = rng.random() * 2 * pi, rng.random() * pi / 2
        out = cos(phi) * cos(up), sin(up), sin(phi) * cos(up)
        rim = radius * cos(phi), height, radius * sin(phi)
        v = [rng.uniform(-1, 1) for _ in range(3)]
        into = sum(p * q for p, q in zip(v, out, strict=True))
        v = [p - into * q for p, q in zip(v, out, strict=True)]
        motion = [round(most / max(map(abs, v)) * c) for c in v]
        k = rng.randrange(2**29, 2**32 - 2**29)
        start = [
            round(r + own * o) - (k * m >> 32) for r, o, m in zip(rim, out, motion, strict=True)
        ]
        near = [
            c + (k * m - (k * m >> 32 << 32)) / 2**32 - 0.0
            for c, m in zip(
                [s + (k * m >> 32) for s, m in zip(start, motion, strict=True)], motion, strict=True
            )
        ]
        if -0.01 < own - nearest_to_rim(near, motion, radius, height) < 1 / 32:
            return start, motion


def nearest_to_rim(at: list[float], motion: list[int], radius: int, height: int) -> float:
    """How near a line comes to the rim, within a few raw units of a place."""
    long = hypot(*motion)

    def distance(s: float) -> float:
        x, y, z = (c + s * m / long for c, m in zip(at, motion, strict=True))
        return hypot(hypot(x, z) - radius, y - height)

    low, high = -4.0, 4.0
    for _ in range(60):
        third = (high - low) / 3
        if distance(low + third) < distance(high - third):
            high -= third
        else:
            low += third
    return distance(low)


def with_grid(bits: int, answer: Callable[[Row], Row], row: Row) -> Row:
    """An answer if multiples of 2^-bits counted at a rim."""
    was = model.GRID
    model.GRID = 2**bits
    try:
        return answer(row)
    finally:
        model.GRID = was


def told_by_grid(
    reported: int, draw: Callable[[], Row], answer: Callable[[Row], Row]
) -> Iterator[Row]:
    """Questions to which a coarser or a finer grid has another answer, and some others."""
    wanted = {True: reported, False: 50}
    while any(wanted.values()):
        row = draw()
        right = answer(row)
        is_told = any(with_grid(bits, answer, row) != right for bits in (33, 31, 40))
        if wanted[is_told]:
            wanted[is_told] -= 1
            yield row


def rim_casts(rng: Rng) -> Iterator[Row]:
    def draw() -> Row:
        radius, half = rng.randint(1, 4), rng.randint(1, 3)
        round_one = [rng.choice(["sphere", "capsule"]), rng.randint(1, 5)]
        if round_one[0] == "capsule":
            round_one.append(rng.randint(0, 2))
        height = half + (round_one[2] if len(round_one) > 2 else 0)
        start, way = around(rng, radius, height, round_one[1], 2 * SIZE_MAX)
        motion_a = [c // 2 for c in way]
        motion_b = [p - q for p, q in zip(motion_a, way, strict=True)]
        a, b = (
            (round_one, [*start, yaw(rng)], motion_a),
            (["cylinder", radius, half], [0, 0, 0, yaw(rng)], motion_b),
        )
        if rng.random() < 0.3:
            a, b = b, a
        row: Row = {}
        for which, (one, pose, motion) in (("a", a), ("b", b)):
            row[f"shape_{which}"] = one
            row |= zip((f"{which}{n}" for n in ("x", "y", "z", "yaw")), pose, strict=True)
            row |= zip((f"{which}{n}" for n in ("mx", "my", "mz")), motion, strict=True)
        return row | {"hit_when": rng.choice([TOUCHING, OVERLAPPING])}

    return told_by_grid(150, draw, cast_answer)


def hit_columns(hit: Any) -> Row:
    names = ("fraction", "nx", "ny", "nz")
    return dict(zip(names, (hit[0], *hit[1]) if hit else (None,) * 4, strict=True))


def cast_answer(row: Row) -> Row:
    asked: list[Any] = []
    for which in "ab":
        asked.append(row[f"shape_{which}"])
        asked.append([row[f"{which}{n}"] for n in ("x", "y", "z", "yaw")])
        asked.append([row[f"{which}{n}"] for n in ("mx", "my", "mz")])
    return hit_columns(model.cast_pair(*asked, row["hit_when"]))


def level_cast(row: Row) -> tuple[model_level.Solid, list[int], list[int]]:
    solid = model_level.checked_solid(row["solid"])
    pose, motion = (
        [row[n] for n in names] for names in (("x", "y", "z", "yaw"), ("mx", "my", "mz"))
    )
    return solid, pose, motion


def level_cast_answer(row: Row) -> Row:
    solid, pose, motion = level_cast(row)
    return hit_columns(model_level.level_cast(row["shape"], pose, motion, solid, row["hit_when"]))


def is_between_steps(row: Row) -> bool:
    """Whether a cast at a prism is a hit with no contact at the next multiple of 2^-32."""
    solid, pose, motion = level_cast(row)
    one, when = tuple(row["shape"]), row["hit_when"]
    approach = model_level.PrismApproach(
        one, pose[3], one, 0, tuple(pose[:3]), tuple(motion), solid
    )
    times = approach.critical_times()
    for t, later in pairwise(times):
        if t.compare(later) < 0 and approach.contact(t.between(later)) >= when:
            step = Time(-(-t.floor(2**64) // 2**32), 2**32)
            return step.compare(later) > 0
    return False


TRIANGLE = [[0, 0], [3, 0], [1, 2]]


def level_rim_casts(rng: Rng) -> Iterator[Row]:
    def draw(prism: bool = False) -> Row:
        radius, own = rng.randint(1, 4), rng.randint(1, 5)
        low, high = -rng.randint(1, 3), rng.randint(1, 4)
        start, motion = around(rng, 0 if prism else radius, high, own, SIZE_MAX)
        solid = (
            ["prism", 3, low, high, TRIANGLE]
            if prism
            else ["cylinder", 3, low, high, [0, 0], radius]
        )
        row: Row = {"shape": ["sphere", own]}
        row |= zip(("x", "y", "z"), start, strict=True)
        row |= {"yaw": yaw(rng)} | dict(zip(("mx", "my", "mz"), motion, strict=True))
        return row | {"solid": solid, "hit_when": rng.choice([TOUCHING, OVERLAPPING])}

    yield from told_by_grid(50, draw, level_cast_answer)
    count = 0
    while count < 60:
        row = draw(prism=True)
        if is_between_steps(row) or rng.random() < 0.002:
            count += 1
            yield row


# Pushes.


def pushes(rng: Rng) -> Iterator[Row]:
    for _ in range(900):
        most = scale(rng)
        a, b, at_b = shape(rng, most), shape(rng, most), place(rng, rng.choice([most, INT32_MAX]))
        turn = yaw(rng)

        def contact(d: list[int]) -> int:
            d = [-c for c in d]
            return model.contact(tuple(a), turn, tuple(b), at_b[3], (d[0], d[1], d[2]))  # noqa: B023

        way = [c * 4 for c in vector(rng, most)]
        way[1] = rng.choice([0, way[1] // 8])
        at_a = apart([*at_b[:3], turn], met(contact, way, depths(rng)))
        yield {"shape_a": a, "pose_a": at_a, "shape_b": b, "pose_b": at_b}


def push_answer(row: Row) -> Row:
    pair = row["shape_a"], row["pose_a"], row["shape_b"], row["pose_b"]
    t = model_push.push_out(*pair)
    side = model.side_of(t, row["pose_b"][3]) if row["shape_b"][0] == "box" else None
    return {"push_out": t, "lift": model_push.lift(*pair), "side": side}


def prism(rng: Rng, most: int) -> list[list[int]]:
    while True:
        points = [[rng.randint(-most, most) for _ in "xz"] for _ in range(rng.choice([3, 3, 4, 5]))]
        if not model_level.polygon_fault([(x, z) for x, z in points]):
            return points


def solid(rng: Rng, most: int) -> list[Any]:
    low = rng.randint(-most, most)
    head = [rng.randrange(3), low, low + rng.randint(1, most)]
    if rng.random() < 0.3:
        centre = [rng.randint(-most, most) for _ in "xz"]
        return ["cylinder", *head, centre, rng.randint(1, most)]
    return ["prism", *head, prism(rng, max(3, most))]


def level_pushes(rng: Rng) -> Iterator[Row]:
    count = 0
    while count < 600:
        most = scale(rng, 2**28)
        row = {"shape": shape(rng, most), "pose": place(rng, most), "solid": solid(rng, most)}
        one = model_level.checked_solid(row["solid"])
        if model_level.level_contact(row["shape"], row["pose"], one) == OVERLAPPING:
            count += 1
            yield row


def level_push_answer(row: Row) -> Row:
    one, asked = model_level.checked_solid(row["solid"]), (tuple(row["shape"]), tuple(row["pose"]))
    t, side = model_push.push_out_of_solid(*asked, one), 0
    if not one.radius:
        best = (0, 1)  # t.n squared, |n| squared
        for j, (ux, uz) in enumerate(model_level.edges(one.vertices)):
            along, norm = t[0] * uz - t[1] * ux, ux * ux + uz * uz
            if along > 0 and along * along * best[1] > best[0] * norm:
                best, side = (along * along, norm), j + 1
    lifted = model_push.lift_of_solid(*asked, one)
    return {"push_out": t, "lift": lifted, "side": None if one.radius else side}


# Two planes.


def hitbox(rng: Rng, most: int) -> Any:
    ground = [size(rng, most) for _ in range(rng.choice([1, 2]))]
    return [ground, size(rng, most), size(rng, most)]


def planes(rng: Rng) -> Iterator[Row]:
    for _ in range(600):
        most = scale(rng)
        a, b, at_b = (
            hitbox(rng, most),
            hitbox(rng, most),
            vector(rng, rng.choice([most, INT32_MAX])),
        )

        def contact(d: list[int]) -> int:
            return model_planes.contact(a, (d[0], d[1], d[2]), b, (0, 0, 0))  # noqa: B023

        way = [c * rng.choice([0, 1, 4]) for c in vector(rng, most)]
        at_a = apart(at_b, met(contact, way, depths(rng)))
        ends = [scale(rng), scale(rng)]
        motions = [vector(rng, rng.choice(ends)) for _ in "ab"]
        if rng.random() < 0.5:  # towards one another, and past
            back = [max(-SIZE_MAX, min(SIZE_MAX, -c)) for c in vector(rng, ends[0])]
            motions = [back, [0, 0, 0]]
            at_a = apart(at_b, [-c // 2 for c in back])
        yield {"a": a, "at_a": at_a, "motion_a": motions[0]} | {
            "b": b,
            "at_b": at_b,
            "motion_b": motions[1],
        }
    count = 0
    while count < 200:
        row = plane_graze(rng)
        if plane_is_between_steps(row):
            count += 1
            yield row


def plane_graze(rng: Rng) -> Row:
    """Two tiny circles that pass one another with huge motions."""
    radii = [rng.randint(1, 4) for _ in "ab"]
    turn = rng.random() * 2 * pi
    v = [cos(turn), 0.0, sin(turn)]
    motion = [round(SIZE_MAX * c) for c in v]
    out, part = (sin(turn), -cos(turn)), rng.uniform(0.1, 0.9)
    reach = sum(radii)
    at = [round(o * reach - 2 * part * m) for o, m in zip(out, motion[::2], strict=True)]
    wide = [[SIZE_MAX, SIZE_MAX] for _ in "ab"]
    return {
        "a": [radii[:1], *wide[0]], "at_a": [at[0], 0, at[1]], "motion_a": motion,
        "b": [radii[1:], *wide[1]], "at_b": [0, 0, 0], "motion_b": [-c for c in motion],
    }  # fmt: skip


def plane_is_between_steps(row: Row) -> bool:
    """Whether the circles meet with no contact at the next multiple of 2^-32."""
    p, m = (
        [a - b for a, b in zip(row[f"{n}_a"], row[f"{n}_b"], strict=True)] for n in ("at", "motion")
    )
    radius = row["a"][0][0] + row["b"][0][0]
    span = model_planes.within_disc((p[0], p[2]), (m[0], m[2]), radius, is_open=True)
    if span is None:
        return False
    step = Time(-(-span[0].floor(2**64) // 2**32), 2**32)
    return step.compare(span[1]) > 0


def planes_answer(row: Row) -> Row:
    pair = row["a"], row["at_a"], row["b"], row["at_b"]
    casts = []
    for when in (TOUCHING, OVERLAPPING):
        hit = model_planes.cast(
            row["a"], row["at_a"], row["motion_a"], row["b"], row["at_b"], row["motion_b"], when
        )
        casts.append(None if hit is None else [hit[0], *hit[1]])
    return {
        "contact": model_planes.contact(*pair),
        "push_out": model_planes.push_out(*pair),
        "lift": model_planes.lift(*pair),
        "casts": casts,
    }


def planes_worlds(rng: Rng) -> Iterator[Row]:
    """Frames of commands: add, move, hitbox, layer, owner, active, remove, layers."""
    for _ in range(12):
        capacity, there = rng.choice([3, 6]), set()
        layers = rng.choice([None, [[0, 0], [0, 1]], [[0, 15], [15, 15], [1, 1]]])
        frames = []
        for _ in range(12):
            commands: list[Any] = []
            for _ in range(rng.randrange(4)):
                id = rng.randrange(capacity)
                name = rng.choice(["move", "move", "hitbox", "layer", "owner", "active", "remove"])
                if id not in there:
                    commands.append(["add", id, hitbox(rng, 9), vector(rng, 12)])
                    commands[-1] += [rng.choice([0, 1, 15]), rng.randrange(3), rng.random() < 0.9]
                    there.add(id)
                    continue
                commands.append([name, id])
                if name == "remove":
                    there.discard(id)
                else:
                    values = {"move": vector(rng, 12), "hitbox": hitbox(rng, 9)}
                    values |= {"layer": rng.choice([0, 1, 15]), "owner": rng.randrange(3)}
                    commands[-1].append((values | {"active": rng.random() < 0.5})[name])
            if rng.random() < 0.1:
                commands.append(["layers", rng.choice([None, [[0, 1]], [[0, 15], [1, 1]]])])
            frames.append(commands)
        yield {"capacity": capacity, "hit_when": rng.choice([1, 2]), "layers": layers} | {
            "frames": frames
        }


def planes_pairs(layers: Any) -> list[list[int]]:
    """The pairs of a world that those of its 16 layers stand for; None: all of them."""
    pairs = layers
    if layers is None:
        pairs = [[i, j] for i in range(16) for j in range(i, 16)]
    return [*pairs, *([i + 16, j + 16] for i, j in pairs)]


def planes_world_answer(row: Row) -> Row:
    """The events of each frame, and the hash of the world of both views after it."""
    capacity, found = row["capacity"], []
    hand = model_planes.World(row["hit_when"], tuple(model.layer_masks(row["layers"])))
    world = model.ModelWorld(2 * capacity, row["hit_when"], planes_pairs(row["layers"]))
    for commands in row["frames"]:
        for name, *rest in commands:
            if name == "layers":
                hand.masks = tuple(model.layer_masks(rest[0]))
                world.set_layers(planes_pairs(rest[0]))
                continue
            id, *values = rest
            if name == "remove":
                del hand.there[id]
            elif name == "add":
                hand.there[id] = [values[0], values[1], values[2], values[3], values[4]]
            else:
                at = ("hitbox", "move", "layer", "owner", "active").index(name)
                hand.there[id][at] = values[0]
            if name in ("add", "remove"):
                hand.changed.add(id)
            put_views(world, capacity, id, hand.there.get(id), is_new=name == "add")
        events = [list(event) for event in hand.step()]
        world.step()
        found.append({"events": events, "hash": f"{world.hash():016x}"})
    return {"answers": found}


def put_views(world: model.ModelWorld, capacity: int, id: int, there: Any, *, is_new: bool) -> None:
    """Makes the two colliders of a hitbox what it is."""
    if there is None:
        world.remove(id)
        world.remove(id + capacity)
        return
    (ground, side_x, side_y), (x, y, z), layer, owner, active = there
    flat = SIZE_MAX
    seen = (
        ["cylinder", ground[0], flat] if len(ground) == 1 else ["box", ground[0], flat, ground[1]]
    )
    views = (
        (id, seen, (x, 0, z, 0), layer),
        (id + capacity, ["box", side_x, side_y, flat], (x, y, 0, 0), layer + 16),
    )
    for view, one, pose, on in views:
        if is_new:
            world.add(view, one, pose, layer=on, owner=owner, active=active)
            continue
        world.set_shape(view, one)
        world.set_pose(view, pose)
        world.set_layer(view, on)
        world.set_owner(view, owner)
        world.set_active(view, active)


# Questions to worlds, which are written as in match logs.


def world_row(rng: Rng, most: int, kinds: tuple[str, ...], movers: int = 0) -> Row:
    """A world of shapes about the origin; the first ids are bodies."""
    count = rng.choice([4, 8])
    commands = []
    for id in range(count):
        one = shape(rng, max(1, most // 2), SOLIDS if id < movers else kinds)
        offset = rng.choice([[0, 0, 0], [0, 0, 0], vector(rng, 5)])
        row = ["add", id, one, vector(rng, most), yaw(rng), rng.randrange(3), rng.choice([0, 0, 7])]
        commands.append([*row, offset, rng.random() < 0.9])
    solids = [solid(rng, most) for _ in range(rng.choice([0, 2, 4]))]
    return {
        "capacity": count,
        "hit_when": rng.choice([1, 2]),
        "layers": rng.choice([None, None, [[0, 1], [0, 2], [1, 1]]]),
        "level": {"solids": solids},
        "commands": commands,
    }


def made_world(row: Row) -> model_level.LevelWorld:
    """After one step."""
    solids = [model_level.checked_solid(one) for one in row["level"]["solids"]]
    world = model_level.LevelWorld(row["capacity"], solids, row["hit_when"], row["layers"])
    for command in row["commands"]:
        world.apply(command)
    world.step()
    return world


def worlds(rng: Rng) -> Iterator[Row]:
    for _ in range(160):
        most = rng.choice([8, 30, 500, 2**20])
        row = world_row(rng, most, (*SOLIDS, "sector"))
        bodies = [c[1] for c in row["commands"] if c[2][0] != "sector"]
        limit, when = rng.choice([0, 0, 1, 3]), rng.choice([1, 2])
        mask = rng.choice([2**32 - 1, 5, 2])
        asked: list[Any] = [
            [
                "nearest",
                shape(rng, most, (*SOLIDS, "sector")),
                place(rng, most),
                mask,
                rng.choice([0, 7]),
                limit,
            ]
        ]
        if bodies:
            motion = vector(rng, 4 * most)
            asked.append(["sweep", rng.choice(bodies), motion, limit, when])
            chosen = sorted(rng.sample(bodies, rng.randint(1, len(bodies))))
            asked.append(
                ["sweep_pairs", [[id, vector(rng, 4 * most)] for id in chosen], limit, when]
            )
        yields = [[rng.randrange(3), rng.randrange(3)] for _ in range(rng.randrange(6))]
        asked.append(["separate", yields, rng.choice([1, 2, 5])])
        yield row | {"asked": asked}


def world_answer(row: Row) -> Row:
    """In order; separate, which moves, is the last."""
    world, answers = made_world(row), []
    for name, *asked in row["asked"]:
        if name == "nearest":
            one, pose, mask, owner, limit = asked
            answers.append(world.nearest(one, pose, mask, exclude_owner=owner, limit=limit))
        elif name == "sweep":
            id, motion, limit, when = asked
            hits = world.sweep(id, motion, limit=limit, hit_when=when)
            answers.append([[id, fraction, *n] for id, fraction, n in hits])
        elif name == "sweep_pairs":
            motions, limit, when = asked
            pairs = world.sweep_pairs(
                {id: tuple(m) for id, m in motions}, limit=limit, hit_when=when
            )
            answers.append([[a, b, fraction, *n] for a, b, fraction, n in pairs])
        else:
            yields, passes = asked
            masks = [sum({1 << j for i, j in yields if i == layer}) for layer in range(32)]
            answers.append([list(row) for row in model_push.separate(world, masks, passes)])
    return {"answers": answers, "hash": f"{world.hash():016x}"}


# Motion.


def motions(rng: Rng) -> Iterator[Row]:
    for _ in range(600):
        n = vector(rng, 2**30)
        if rng.random() < 0.3:
            n = rng.choice([[2**30, 0, 0], [0, -(2**30), 0], [0, 2**30, 0], [0, 0, 1], [3, -4, 0]])
        part = rng.choice([0, 65536, rng.randrange(65537)])
        yield {"motion": vector(rng, scale(rng)), "normal": n, "fraction": part}


def motion_answer(row: Row) -> Row:
    m, n, f = tuple(row["motion"]), tuple(row["normal"]), row["fraction"]
    return {
        "along": model_motion.along(m, f, n),
        "along_without_normal": model_motion.along(m, f),
        "bounce": model_motion.bounce(m, n, f),
        "slide": model_motion.slide(m, n),
    }


def movers(rng: Rng) -> Iterator[Row]:
    for number in range(160):
        most = rng.choice([8, 30, 500, 2**18])
        row = world_row(rng, most, (*SOLIDS, "sector"), movers=1)
        mask = rng.choice([None, 1, 7, 2**32 - 1])
        settings = {"mask": mask, "passes": rng.choice([2, 4, 6])}
        if number % 2:
            settings |= {"step_height": rng.choice([0, most // 4]), "snap": rng.choice([0, most])}
            settings["floor_y"] = rng.choice([759250125, 1, 2**30])
            settings["one_way"] = 2 if mask == 1 else 0
        moves = [vector(rng, rng.choice([2, most, 4 * most])) for _ in range(4)]
        yield row | {"id": 0, "settings": settings, "motions": moves}
    for _ in range(80):
        yield pressed(rng)


def pressed(rng: Rng) -> Row:
    """A mover at the origin, beside thin walls and a floor, with a press or two in it."""
    reach = rng.choice([8, 100])
    kind = rng.choice(SOLIDS)
    sizes = [reach for _ in model.KINDS[kind]]
    commands = [["add", 0, [kind, *sizes], [0, 0, 0], 0, 0, 0, [0, 0, 0], True]]
    for id in range(1, rng.choice([2, 2, 3])):
        half, into = rng.randint(2, 2 * reach), rng.randint(1, 3 * reach // 2)
        at = [0, rng.randint(-2, 2), 0]
        at[rng.choice([0, 0, 2, 1])] = rng.choice([1, -1]) * (reach + half - into)
        box = ["box", half, rng.choice([half, 4 * reach]), half]
        commands.append(["add", id, box, at, rng.choice([0, 16384, 300]), 0, 0, [0, 0, 0], True])
    thick, far = rng.choice([1, 2, reach]), 9 * reach
    low = reach + rng.choice([-1, 0, 0, 1])
    sides = [
        [[low, -far], [low + thick, -far], [low + thick, far], [low, far]],
        [[-low - thick, -far], [-low, -far], [-low, far], [-low - thick, far]],
        [[-far, low], [far, low], [far, low + thick], [-far, low + thick]],
    ]
    walls = [["prism", 1, -far, far, side] for side in rng.sample(sides, rng.randint(1, 3))]
    foot = -reach * (2 if kind == "capsule" else 1)
    floor = ["prism", 1, foot - thick, foot, [[-far, -far], [far, -far], [far, far], [-far, far]]]
    settings = {"mask": None, "passes": rng.choice([2, 4]), "step_height": 0, "snap": 0}
    row = {"capacity": 3, "hit_when": 1, "layers": None}
    row |= {"level": {"solids": rng.choice([walls, [*walls, floor]])}, "commands": commands}
    return row | {
        "id": 0,
        "settings": settings | {"floor_y": 759250125, "one_way": 0},
        "motions": [[0, 0, 0], vector(rng, reach)],
    }


def mover_answer(row: Row) -> Row:
    """What each motion gives, one after the other: `move_and_slide`, or `Mover` with a
    step_height."""
    world, id, answers = made_world(row), row["id"], []
    s = row["settings"]
    for motion in row["motions"]:
        m = motion[0], motion[1], motion[2]
        if "step_height" in s:
            answers.append(moved(world, id, s, m))
        else:
            hits = model_motion.move_and_slide(world, id, m, s["mask"], s["passes"])
            answers.append({"hits": [[hit, fraction, *n] for hit, fraction, n in hits]})
        answers[-1]["position"] = world[id].pose[:3]
    return {"answers": answers}


def settings_of(s: Row) -> Any:
    names = ("mask", "passes", "step_height", "snap", "floor_y", "one_way")
    return tuple(s[name] for name in names)


def moved(world: Any, id: int, s: Row, motion: Any) -> Row:
    mover = model_motion.Mover(world, id, settings_of(s))
    found = vars(mover.move(motion))
    hits = [[hit, fraction, *n] for hit, fraction, n in found.pop("hits")]
    return found | {"hits": hits}


# Platforms.


def carries(rng: Rng) -> Iterator[Row]:
    """Small blocks in even places, which stand on and beside one another."""
    left = 80
    while left:
        count = rng.randint(3, 6)
        commands = []
        for id in range(count):
            kind = rng.choice([*SOLIDS, "box", "box"])
            half = [2 * rng.randint(1, 3) for _ in model.KINDS[kind]]
            at = [2 * rng.randint(-4, 4) for _ in range(3)]
            row = ["add", id, [kind, *half], at, rng.choice([0, 0, 16384, 5000])]
            commands.append(
                [*row, rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 0, 7]), [0, 0, 0], True]
            )
        floor = ["prism", 0, -20, -10, [[-20, -20], [20, -20], [20, 20], [-20, 20]]]
        world = {"capacity": count, "hit_when": 1, "layers": None}
        wall = ["prism", 0, -20, 20, [[8, -20], [20, -20], [20, 20], [8, 20]]]
        solids = rng.choice([[], [floor], [floor, wall], [floor, wall]])
        world |= {"level": {"solids": solids}, "commands": commands}
        ids = rng.sample(range(count), count)
        moving = sorted(ids[: rng.choice([1, 1, 2])])
        mask = rng.choice([None, 7, 5])
        settings = {"mask": mask, "passes": 4, "step_height": rng.choice([0, 2]), "snap": 0}
        settings |= {"floor_y": 759250125, "one_way": 2 if mask == 5 else 0}
        motion = [rng.choice([0, rng.randint(-5, 9)]) for _ in range(3)]
        question = world | {"platforms": moving, "motion": motion, "settings": settings}
        question["movers"] = sorted(set(ids[1:4]) - set(moving))
        before = made_world(question)
        if rng.random() < 0.9 and any(
            before.contact(a, b) == OVERLAPPING for a in question["movers"] for b in moving
        ):
            continue
        if any(flags not in (0, 8) for *_, flags, _ in carry_answer(question)["rows"]):
            left -= 1
            yield question


def carry_answer(row: Row) -> Row:
    world = made_world(row)
    settings = settings_of(row["settings"])
    x, y, z = row["motion"]
    movers = dict.fromkeys(row["movers"], settings)
    return {
        "rows": [list(one) for one in model_carry.carry(world, row["platforms"], (x, y, z), movers)]
    }


FILES = {
    "rim_casts.csv": File(rim_casts, cast_answer, 1),
    "level_rim_casts.csv": File(level_rim_casts, level_cast_answer, 2),
    "pushes.ndjson": File(pushes, push_answer, 3),
    "level_pushes.ndjson": File(level_pushes, level_push_answer, 4),
    "planes.ndjson": File(planes, planes_answer, 5),
    "planes_worlds.ndjson": File(planes_worlds, planes_world_answer, 6),
    "worlds.ndjson": File(worlds, world_answer, 7),
    "motion.ndjson": File(motions, motion_answer, 8),
    "movers.ndjson": File(movers, mover_answer, 9),
    "carries.ndjson": File(carries, carry_answer, 10),
}


def text_of(file: File, *, as_csv: bool) -> str:
    """What is in the file."""
    rows = [row | file.answer(row) for row in file.draw(random.Random(file.seed))]
    if not as_csv:
        return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()})
    return text.getvalue()


def main(names: list[str]) -> None:
    MADE.mkdir(exist_ok=True)
    for name in names or FILES:
        text = text_of(FILES[name], as_csv=name.endswith(".csv"))
        (MADE / name).write_text(text, encoding="ascii", newline="")
        print(name, text.count("\n"))


if __name__ == "__main__":
    main(sys.argv[1:])

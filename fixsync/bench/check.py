"""A check of the scenes' answers, against a test of every pair and against pinned hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files

from fixsync.base.numbers import ONE
from fixsync.bench.scenes import SCENES, Scene, scene
from fixsync.world.records import Collider
from fixsync.world.shapes import (
    Box,
    Contact,
    Cylinder,
    EventKind,
    Pose,
    Sector,
    Shape,
    Sphere,
    overlap,
)
from fixsync.world.world import World

FRAMES = 8
"""Steps after which a scene's state is hashed."""

PINNED_COUNTS = (2, 8, 16, 32, 100, 1_000, 10_000, 100_000)
"""Numbers of colliders for which golden.json has the hashes of the scenes."""

_CHECK_COUNT = 150


def golden() -> dict[str, dict[str, str]]:
    """The pinned hashes: of each scene, by its number of colliders."""
    hashes: dict[str, dict[str, str]] = json.loads(
        files("fixsync.bench").joinpath("golden.json").read_text(encoding="ascii")
    )
    return hashes


def final_hash(what: Scene) -> str:
    """The state's hash after FRAMES frames."""
    world, ids = what.world(), what.ids()
    for frame in range(1, FRAMES + 1):
        world.set_pose_many(ids, what.poses(frame))
        world.step()
    return f"{world.hash():016x}"


def checked(
    names: Iterable[str] = SCENES, count: int = 1_000
) -> Iterator[tuple[str, str, list[str]]]:
    """Of each of these scenes its name, its hash with `count` colliders (one of PINNED_COUNTS), and
    what is wrong with it: nothing, if all is well."""
    pinned = golden()
    for name in names:
        found = final_hash(scene(name, count))
        wanted = pinned.get(name, {}).get(str(count))
        faults = list(_faults(scene(name, _CHECK_COUNT)))
        if found != wanted:
            faults.append(f"{count} colliders came to the hash {found}, not to {wanted}")
        yield name, found, faults


def _faults(what: Scene) -> Iterator[str]:
    world, ids = what.world(), what.ids()
    before: dict[tuple[int, int], Contact] = {}
    for frame in range(1, FRAMES + 1):
        world.set_pose_many(ids, what.poses(frame))
        if frame % 3 == 1:  # with what the last step built, and changed since
            yield from _query_faults(world, f"frame {frame}, not yet stepped")
        events = [tuple(event) for event in world.step()]
        hits = _hits(world, what)
        wanted = [
            (*pair, EventKind.EXIT, Contact.APART)
            if pair not in hits
            else (*pair, EventKind.STAY if pair in before else EventKind.ENTER, hits[pair])
            for pair in sorted(before.keys() | hits.keys())
        ]
        if events != wanted:
            wrong = sorted(set(events) ^ set(wanted))
            yield f"frame {frame}: {len(wrong)} events differ from those of all pairs: {wrong[:3]} ..."
        before = hits
        if frame % 3 == 1:
            yield from _query_faults(world, f"frame {frame}, stepped")


def _hits(world: World, what: Scene) -> dict[tuple[int, int], Contact]:
    """Every pair that layers and owners allow, by its contact."""
    allowed = None if what.layers is None else {frozenset(pair) for pair in what.layers}
    traits = [(c.layer, c.owner) for c in world.colliders()]
    hits = {}
    for b, (layer_b, owner_b) in enumerate(traits):
        for a, (layer_a, owner_a) in enumerate(traits[:b]):
            if allowed is not None and frozenset((layer_a, layer_b)) not in allowed:
                continue
            if (owner_a == 0 or owner_a != owner_b) and (contact := world.contact(a, b)):
                hits[a, b] = contact
    return hits


_AREAS: tuple[Shape, ...] = (
    Sphere(2 * ONE),
    Cylinder(3 * ONE, ONE),
    Box(4 * ONE, ONE, ONE),
    Sector(4 * ONE, 9000, 2 * ONE),
)


def _query_faults(world: World, where: str) -> Iterator[str]:
    there = [c for c in world.colliders() if not any(c.offset)]
    for i, area in enumerate(_AREAS):
        pose = there[i * len(there) // len(_AREAS)].pose
        pose = Pose(pose.x, pose.y, pose.z, 12345 * i)
        wanted = [c.id for c in there if _meets(area, pose, c)]
        others = {c.id for c in world.colliders()} - {c.id for c in there}
        found = [id for id in world.query(area, pose) if id not in others]
        if found != wanted:
            yield f"{where}: a query found {found}, a look at all {wanted}"


def _meets(area: Shape, pose: Pose, collider: Collider) -> bool:
    return overlap(area, pose, collider.shape, collider.pose) >= Contact.TOUCHING

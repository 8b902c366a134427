"""Hypothesis strategies: shapes, poses, pairs near contact, worlds, commands and inputs.

Lengths are drawn in raw Q16.16. `scale` is the size of things, by default a few units, because a
game's mistakes show at its own scale; `extremes=True` draws from the whole domain."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st

from fixsync import ONE, Contact, Pose, Shape, World, overlap
from fixsync._native.kinds import KINDS, Kind, Size
from fixsync._native.raw import HALF_ANGLE_MAX, INT32_MAX, INT32_MIN, SIZE_MAX, YAW_MAX
from fixsync.world.shapes import shape_from_tuple

__all__ = [
    "commands",
    "coordinates",
    "input_sequences",
    "near_contact_pairs",
    "poses",
    "shapes",
    "sizes",
    "worlds",
    "yaws",
]

SCALE = 4 * ONE
_QUARTERS = (0, 16384, 32768, 49152)
_NEAR_RAW = 2


def coordinates(scale: int = SCALE, *, extremes: bool = False) -> st.SearchStrategy[int]:
    """Coordinates of -scale..scale, often whole units; `extremes`: any int32, often the ends."""
    if extremes:
        return st.integers(INT32_MIN, INT32_MAX) | st.sampled_from((INT32_MIN, INT32_MAX, 0))
    whole = st.integers(-(scale // ONE), scale // ONE).map(lambda units: units * ONE)
    return st.integers(-scale, scale) | whole


def sizes(scale: int = SCALE, *, extremes: bool = False) -> st.SearchStrategy[int]:
    """Sizes of 1..scale, often whole or half units; `extremes`: any size, often the ends."""
    if extremes:
        return st.integers(1, SIZE_MAX) | st.sampled_from((1, 2, SIZE_MAX))
    halves = st.integers(1, max(1, 2 * scale // ONE)).map(lambda units: max(1, units * ONE // 2))
    return st.integers(1, scale) | halves


def yaws() -> st.SearchStrategy[int]:
    """Yaws, often quarter turns and a step beside them."""
    beside = [(quarter + step) % (YAW_MAX + 1) for quarter in _QUARTERS for step in (-1, 0, 1)]
    return st.sampled_from(beside) | st.integers(0, YAW_MAX)


def shapes(
    scale: int = SCALE, *, sectors: bool = True, extremes: bool = False
) -> st.SearchStrategy[Shape]:
    """Shapes of every kind; without `sectors`, only those that are pushed out and cast."""
    length = sizes(scale, extremes=extremes)
    half_angle = st.integers(1, HALF_ANGLE_MAX) | st.sampled_from((8192, 16384, HALF_ANGLE_MAX))

    def drawn(size: Size) -> st.SearchStrategy[int]:
        number = half_angle if size.column == "half_angle" else length
        number = number if size.low else number | st.just(0)
        return number.map(lambda drawn: max(size.low, min(size.high, drawn)))

    kinds = [kind for kind in KINDS if sectors or kind.can_push]
    return st.one_of([st.tuples(*map(drawn, k.sizes)).map(partial(_made, k)) for k in kinds])


def _made(kind: Kind, sizes: tuple[int, ...]) -> Shape:
    *others, last = sizes
    return shape_from_tuple((kind.name, *others, last % sizes[0] if kind.hole else last))


def poses(scale: int = SCALE, *, extremes: bool = False) -> st.SearchStrategy[Pose]:
    """Poses anywhere within the scale, facing anywhere."""
    place = coordinates(scale, extremes=extremes)
    return st.builds(Pose, place, place, place, yaws())


@st.composite
def near_contact_pairs(
    draw: st.DrawFn, scale: int = SCALE, *, sectors: bool = True
) -> tuple[Shape, Pose, Shape, Pose]:
    """Two shapes within three raw units of where they begin to touch: (shape, pose, shape, pose).

    Two sectors never touch, nor do a sector and a shape behind it: their centres are near each
    other."""
    a, b = draw(shapes(scale, sectors=sectors)), draw(shapes(scale))
    here, yaw = draw(poses(scale)), draw(yaws())
    part = st.sampled_from((0, 0, 1, -1)) | st.integers(-8, 8)
    way = draw(st.tuples(part, part, part).filter(any))

    def there(steps: int) -> Pose:
        # No more than a raw unit a step on any axis.
        x, y, z = (
            at + steps * part // 8 for at, part in zip((here.x, here.y, here.z), way, strict=True)
        )
        return Pose(x, y, z, yaw)

    low, high = 0, 128 * scale
    if overlap(a, here, b, there(low)) is Contact.APART:
        high = 0  # two sectors, or a sector that faces away
    while high - low > 1:
        middle = (low + high) // 2
        is_apart = overlap(a, here, b, there(middle)) is Contact.APART
        low, high = (low, middle) if is_apart else (middle, high)
    pose = there(low)
    nudge = draw(st.tuples(*[st.integers(-_NEAR_RAW, _NEAR_RAW)] * 3))
    x, y, z = (at + by for at, by in zip((pose.x, pose.y, pose.z), nudge, strict=True))
    return a, here, b, Pose(x, y, z, yaw)


@st.composite
def commands(
    draw: st.DrawFn, capacity: int = 8, frames_max: int = 20, scale: int = SCALE
) -> list[list[tuple[Any, ...]]]:
    """By frame, changes that a world of this capacity takes, as match logs write them: ("move", id,
    (x, y, z)).

    `World.apply` makes them.
    """
    present: set[int] = set()
    shape = shapes(scale).map(lambda made: made.as_tuple())
    nowhere, place = st.just((0, 0, 0)), st.tuples(*[coordinates(scale)] * 3)
    small = st.tuples(*[st.integers(-ONE, ONE)] * 3)
    changes: dict[str, tuple[st.SearchStrategy[Any], ...]] = {
        "move": (place,),
        "turn": (yaws(),),
        "pose": (place, yaws()),
        "shape": (shape,),
        "offset": (nowhere | small,),
        "owner": (st.integers(0, 2),),
        "layer": (st.integers(0, 3),),
        "active": (st.booleans(),),
        "remove": (),
    }
    added = [
        parts for name in ("pose", "layer", "owner", "offset", "active") for parts in changes[name]
    ]
    match = []
    for _ in range(draw(st.integers(1, frames_max))):
        frame: list[tuple[Any, ...]] = []
        for id in draw(st.lists(st.integers(0, capacity - 1), max_size=capacity)):
            if id not in present:
                present.add(id)
                frame.append(("add", id, draw(shape), *(draw(part) for part in added)))
                continue
            name = draw(st.sampled_from([*changes]))
            if name == "remove":
                present.remove(id)
            frame.append((name, id, *(draw(part) for part in changes[name])))
        match.append(frame)
    return match


@st.composite
def worlds(draw: st.DrawFn, capacity: int = 8, steps_max: int = 5, scale: int = SCALE) -> World:
    """Worlds with colliders, some of them stepped: with hits, and with added and removed ids."""
    world = World(capacity, hit_when=draw(st.sampled_from((1, 2))))
    for frame in draw(commands(capacity, steps_max, scale)):
        world.apply(frame)
        if draw(st.booleans()):
            world.step()
    return world


def input_sequences(
    players: int, values: st.SearchStrategy[Any], *, frames_max: int = 60, hold_max: int = 12
) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Inputs by frame and player, each held for some frames. `values` draws a player's input."""
    held = st.tuples(st.tuples(*[values] * players), st.integers(1, hold_max))
    return st.lists(held, min_size=1, max_size=frames_max).map(
        lambda spans: [value for value, count in spans for _ in range(count)][:frames_max]
    )

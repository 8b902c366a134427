"""Hypothesis strategies shared by all tests: nasty numbers, shapes at all scales, near pairs,
commands.

Shapes, poses and commands are the plain tuples and lists of match logs, as in model.py; lengths are
raw Q16.16 units. Where a pair is placed near contact, the model's contact says where that is."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import model
from hypothesis import settings
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, SIZE_MAX, TURN, UINT32_MAX

from fixsync._native.kinds import KINDS_BY_NAME, class_name
from fixsync.world.shapes import shape_from_tuple

KINDS = tuple(KINDS_BY_NAME)
NO_KIND = len(KINDS)  # the first code of no kind
SOLIDS = tuple(kind.name for kind in KINDS_BY_NAME.values() if kind.can_push)
POLYGONS = tuple(kind for kind in KINDS if kind in model.CORNERS and kind != "box")
UNTURNED = ("sphere", "capsule", "cylinder")  # a yaw does not change them
Draw = st.DrawFn
Table = TypeVar("Table", bound=Collection[Any])


def _kind_of(row: Any) -> str:
    """Of a name, a shape, its tuple, or a row that begins with its code."""
    if isinstance(row, str):
        return row
    first = (row.as_tuple() if hasattr(row, "as_tuple") else row)[0]
    return first if isinstance(first, str) else KINDS[first]


def sized(kind: str, *numbers: int) -> tuple[Any, ...]:
    """A shape of a kind without a half angle: as many of the numbers as it has sizes, each taken
    into its range.
    """
    sizes = zip(numbers, model.KINDS[kind], strict=False)
    return kind, *(min(max(size, least), most) for size, (_, least, most) in sizes)


def with_sizes_of(box: Any, kind: str) -> Any:
    """A box, in any form of a row, as a polygon of a kind."""
    if isinstance(box, list):
        return list(dict.fromkeys(with_sizes_of(one, kind) for one in box))
    if hasattr(box, "as_tuple"):
        return shape_from_tuple(with_sizes_of(box.as_tuple(), kind))
    if isinstance(box[0], int):
        sizes = sized(kind, *box[2])[1:]
        return KINDS.index(kind), 0, (*sizes, *[0] * (3 - len(sizes)))
    return sized(kind, *box[1:])


def every_kind(table: Table, kinds: Sequence[str] = KINDS) -> Table:
    """The table, by kind or of shapes, and each kind of polygon that it lacks, with the sizes of its
    boxes. Any other new kind fails where a test has no row for it.
    """
    present = {_kind_of(row) for row in table}
    polygons = [kind for kind in POLYGONS if kind in kinds and kind not in present]
    if isinstance(table, dict):
        table = {**table, **{kind: with_sizes_of(table["box"], kind) for kind in polygons}}
    else:
        boxes = [row for row in table if _kind_of(row) == "box"]
        table = type(table)([*table, *(with_sizes_of(boxes[0], kind) for kind in polygons)])
    if missing := [kind for kind in kinds if kind not in {*present, *polygons}]:
        caller = sys._getframe(1)
        place = f"{Path(caller.f_code.co_filename).name}:{caller.f_lineno}"
        raise AssertionError(f"the table at {place} has no {' and no '.join(missing)}: add it")
    return table


every_kind(model.KINDS)


def one_of(names: Sequence[str]) -> str:
    """a, b or c."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


A_SOLID = one_of([class_name(kind) for kind in SOLIDS])

POWERS = [2**k for k in range(32)]


def _step(plain: int) -> int:
    """Of so many one runs: 1 with --release, 5 with --full, as conftest.py loads the settings."""
    return {100: 1, 50: 5}.get(settings().max_examples, plain)


def rounds(number: int) -> range:
    """So many rounds of a loop with --release; a fifth with --full, a twentieth without, and one at
    least.
    """
    return range(max(1, number // _step(20)))


def examples(number: int) -> settings:
    """So many examples as `rounds` has rounds."""
    return settings(max_examples=len(rounds(number)))


def some(rows: Sequence[Any]) -> Sequence[Any]:
    """All rows with --release, every fifth with --full, and every 21st without."""
    return rows[:: _step(21)]


@cache
def nasty(low: int, high: int) -> st.SearchStrategy[int]:
    """Integers of low..high: 0, the ends, powers of two, the neighbours of them all, and any
    others.
    """
    edges = {sign * (power + e) for power in POWERS for e in (-1, 0, 1) for sign in (1, -1)}
    edges |= {end + e for end in (low, high) for e in (-1, 0, 1)}
    inside = sorted((v for v in edges if low <= v <= high), key=abs)
    return st.sampled_from(inside) | st.integers(low, high)


@cache
def all_scales(low: int, high: int) -> st.SearchStrategy[int]:
    """Integers of low..high, 0 <= low, as likely of few bits as of many."""
    longest = high.bit_length()
    return st.integers(low.bit_length(), longest).flatmap(
        lambda bits: st.integers(max(low, 1 << bits >> 1), min(high, max(low, (1 << bits) - 1)))
    )


@cache
def coordinates() -> st.SearchStrategy[int]:
    return nasty(INT32_MIN, INT32_MAX)


@cache
def sizes(low: int = 1) -> st.SearchStrategy[int]:
    return all_scales(low, SIZE_MAX) | nasty(low, SIZE_MAX)


@cache
def yaws() -> st.SearchStrategy[int]:
    """Quarter turns, one step beside them, eighths, and any others."""
    quarters = [(quarter * 16384 + e) % TURN for quarter in range(4) for e in (0, 1, -1)]
    eighths = [eighth * 8192 for eighth in range(1, 8, 2)]
    return st.sampled_from(quarters + eighths) | st.integers(0, TURN - 1)


@cache
def half_angles() -> st.SearchStrategy[int]:
    """1 to a half turn, with the quarter turn, where a wedge stops being convex, and its
    neighbours.
    """
    return st.sampled_from([1, 2, 8192, 16383, 16384, 16385, 32767, 32768]) | st.integers(
        1, TURN // 2
    )


@cache
def positions() -> st.SearchStrategy[tuple[int, int, int]]:
    return st.tuples(coordinates(), coordinates(), coordinates())


def poses() -> st.SearchStrategy[tuple[int, int, int, int]]:
    return st.tuples(coordinates(), coordinates(), coordinates(), yaws())


@cache
def offsets() -> st.SearchStrategy[tuple[int, int, int]]:
    """Often none, often small, else any: a collider may refuse it."""
    return st.just((0, 0, 0)) | st.tuples(*[st.integers(-9, 9)] * 3) | positions()


@cache
def motions() -> st.SearchStrategy[tuple[int, int, int]]:
    component = all_scales(0, SIZE_MAX).flatmap(lambda m: st.sampled_from([m, -m])) | st.just(0)
    return st.tuples(component, component, component)


@st.composite
def shapes(
    draw: Draw, kinds: tuple[str, ...] = KINDS, size: st.SearchStrategy[int] | None = None
) -> Any:
    """Shapes of some kinds; size draws every size of theirs, taken into its range."""
    size = sizes() if size is None else size
    kind = draw(st.sampled_from(kinds))
    numbers = [
        max(
            low,
            min(
                high,
                draw(half_angles() if name == "half_angle" else size if low else st.just(0) | size),
            ),
        )
        for name, low, high in model.KINDS[kind]
    ]
    if kind != "sector":
        return (kind, *numbers)
    radius = numbers[0]
    inner_radius = draw(st.just(0) | st.sampled_from([1, radius // 2, radius - 1]) | size) % radius
    hole = (inner_radius,) if inner_radius else ()
    return (kind, *numbers, *hole)


def solids() -> st.SearchStrategy[Any]:
    """Every kind that is pushed out and cast."""
    return shapes(SOLIDS)


@st.composite
def _scaled_shapes(draw: Draw, kinds: tuple[str, ...]) -> tuple[Any, Any]:
    """Two shapes whose sizes are near each other, of a few raw units or at any scale, or far
    apart.
    """
    how = draw(st.sampled_from(["tiny", "near", "near", "any"]))
    if how == "any":
        return draw(shapes(kinds)), draw(shapes(kinds))
    scale = 2 if how == "tiny" else draw(all_scales(1, SIZE_MAX // 4))
    near = st.integers(max(1, scale // 4), 4 * scale)
    return draw(shapes(kinds, near)), draw(shapes(kinds, near))


def _extent(shape: Any) -> int:
    """At least how far any point of the shape is from its centre."""
    kind, *numbers = shape
    return numbers[0] + numbers[2] if kind == "sector" else sum(numbers)


@st.composite
def _directions(draw: Draw) -> tuple[int, int, int]:
    """A direction about 2^30 long: level, upright or any."""
    c, s = model.direction(draw(yaws()))
    up, along = draw(st.sampled_from([(0, 1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, 8), (-8, 1)]))
    return c * along // 9, 2**30 * up // 9, s * along // 9


def _scaled(direction: tuple[int, int, int], k: int) -> tuple[int, int, int]:
    x, y, z = (v * k >> 26 for v in direction)
    return x, y, z


def _border(a: Any, yaw_a: int, b: Any, yaw_b: int, direction: tuple[int, int, int]) -> Any:
    """Two neighbouring differences of centres along the direction, with a contact and without."""
    low, high = 0, 16 * (_extent(a) + _extent(b)) + 16
    while high - low > 1:
        middle = (low + high) // 2
        if model.contact(a, yaw_a, b, yaw_b, _scaled(direction, middle)) != model.APART:
            low = middle
        else:
            high = middle
    return _scaled(direction, low), _scaled(direction, high)


@st.composite
def _placed(draw: Draw, d: tuple[int, int, int], yaw_a: int, yaw_b: int) -> tuple[Any, Any]:
    """Poses whose difference is d, anywhere in range; d is cut to what fits in range."""
    a, b = [], []
    for difference in d:
        difference = max(-UINT32_MAX, min(UINT32_MAX, difference))
        low, high = max(INT32_MIN, INT32_MIN - difference), min(INT32_MAX, INT32_MAX - difference)
        at = max(low, min(high, draw(coordinates())))
        a.append(at)
        b.append(at + difference)
    return (*a, yaw_a), (*b, yaw_b)


_JITTER = st.tuples(*[st.sampled_from([0, 0, 0, 1, -1, 2, -2])] * 3)
_STEPS = sorted(product([0, 1, -1], repeat=3), key=lambda step: sum(map(abs, step)))


@st.composite
def near_pairs(draw: Draw, kinds: tuple[str, ...] = KINDS) -> tuple[Any, Any, Any, Any]:
    """(shape_a, pose_a, shape_b, pose_b) within 2 raw units of touching, in any direction, at any
    scale.
    """
    a, b = draw(_scaled_shapes(kinds))
    yaw_a, yaw_b = draw(yaws()), draw(yaws())
    if draw(st.booleans()):
        yaw_b = (yaw_a + draw(st.sampled_from([0, 1, -1, 16384, 32768]))) % TURN
    inside, outside = _border(a, yaw_a, b, yaw_b, draw(_directions()))
    x, y, z = draw(st.sampled_from([inside, inside, outside]))
    if draw(st.booleans()):
        # Where one step leads to a contact that is TOUCHING and no more, take it.
        around = ((x + ex, y + ey, z + ez) for ex, ey, ez in _STEPS)
        touching = (d for d in around if model.contact(a, yaw_a, b, yaw_b, d) == model.TOUCHING)
        x, y, z = next(touching, (x, y, z))
    else:
        ex, ey, ez = draw(_JITTER)
        x, y, z = x + ex, y + ey, z + ez
    pa, pb = draw(_placed((x, y, z), yaw_a, yaw_b))
    return a, pa, b, pb


@st.composite
def deep_pairs(draw: Draw, kinds: tuple[str, ...] = SOLIDS) -> tuple[Any, Any, Any, Any]:
    """As near_pairs, but anywhere from the same centre to touching: most of them overlap."""
    a, pa, b, pb = draw(near_pairs(kinds))
    eighths = draw(st.integers(0, 8))
    d = [(second - first) * eighths // 8 for first, second in zip(pa[:3], pb[:3], strict=True)]
    if draw(st.booleans()):
        d[draw(st.integers(0, 2))] = 0
    x, y, z = d
    pa, pb = draw(_placed((x, y, z), pa[3], pb[3]))
    return a, pa, b, pb


def any_pairs(kinds: tuple[str, ...] = KINDS) -> st.SearchStrategy[tuple[Any, Any, Any, Any]]:
    """Pairs anywhere, most of them near contact."""
    anywhere = st.tuples(shapes(kinds), poses(), shapes(kinds), poses())
    return near_pairs(kinds) | deep_pairs(kinds) | anywhere


def _negated(v: tuple[int, int, int]) -> tuple[int, int, int]:
    x, y, z = v
    return -x, -y, -z


@st.composite
def casts(draw: Draw, kinds: tuple[str, ...] = SOLIDS) -> tuple[Any, Any, Any, Any, Any, Any]:
    """(shape_a, pose_a, motion_a, shape_b, pose_b, motion_b), most of them near contact on the
    way.
    """
    a, pa, b, pb = draw(near_pairs(kinds))
    motion_a = draw(motions())
    motion_b = draw(st.just((0, 0, 0)) | motions())
    apart = [second - first for first, second in zip(pa[:3], pb[:3], strict=True)]
    closing = sum(d * (m_a - m_b) for d, m_a, m_b in zip(apart, motion_a, motion_b, strict=True))
    if closing < 0 and draw(st.sampled_from([True, True, True, False])):
        motion_a, motion_b = (_negated(motion) for motion in (motion_a, motion_b))
    parts = draw(st.sampled_from([1, 2, 3, 4, 7, 65536]))
    part = draw(st.sampled_from([1, parts]) | st.integers(0, parts))
    d = []
    for distance, m_a, m_b in zip(apart, motion_a, motion_b, strict=True):
        d.append(distance - (m_b - m_a) * part // parts)
    x, y, z = d
    pa, pb = draw(_placed((x, y, z), pa[3], pb[3]))
    return a, pa, motion_a, b, pb, motion_b


def hit_whens() -> st.SearchStrategy[int]:
    return st.sampled_from([model.TOUCHING, model.OVERLAPPING])


# Worlds: small domains, so that ids collide and colliders meet.

WORLD_SIZE = 40  # positions and offsets of a world's commands
_place = st.lists(st.integers(-WORLD_SIZE, WORLD_SIZE), min_size=3, max_size=3)
_offset = st.just([0, 0, 0]) | st.lists(st.integers(-5, 5), min_size=3, max_size=3)
_world_shape = shapes(size=st.integers(1, WORLD_SIZE)).map(list)
_layer, _owner = st.integers(0, 3), st.integers(0, 2)
_mask = st.sampled_from([UINT32_MAX, 0, 1, 5, 2**31])


def layer_pairs() -> st.SearchStrategy[list[list[int]] | None]:
    """The layers of a world: None, or a few enabled pairs of the layers that commands use."""
    pair = st.lists(_layer, min_size=2, max_size=2)
    return st.none() | st.lists(pair, max_size=6)


@cache
def questions() -> st.SearchStrategy[list[Any]]:
    """A query or a cast command."""
    motion = st.lists(st.integers(-2 * WORLD_SIZE, 2 * WORLD_SIZE), min_size=3, max_size=3)
    solid = shapes(SOLIDS, st.integers(1, WORLD_SIZE)).map(list)
    area = st.tuples(st.just("query"), _world_shape, _place, yaws(), _mask).map(list)
    options = st.just([]) | st.lists(st.integers(1, 2), min_size=1, max_size=1)
    options |= st.tuples(_owner, hit_whens()).map(list)
    query = st.builds(list.__add__, area, options)
    limit = st.integers(0, 2)
    ray = st.tuples(
        st.just("cast"), solid, _place, yaws(), motion, _mask, _owner, limit, hit_whens()
    )
    return st.one_of(query, ray.map(list))


@cache
def changes(id: int) -> st.SearchStrategy[list[Any]]:
    """A command that changes a collider that is there."""
    arguments: dict[str, list[st.SearchStrategy[Any]]] = {
        "move": [_place],
        "turn": [yaws()],
        "pose": [_place, yaws()],
        "shape": [_world_shape],
        "offset": [_offset],
        "owner": [_owner],
        "layer": [_layer],
        "active": [st.booleans()],
        "remove": [],
    }
    return st.one_of(
        [
            st.tuples(st.just(name), st.just(id), *values).map(list)
            for name, values in arguments.items()
        ]
    )


@cache
def additions(id: int) -> st.SearchStrategy[list[Any]]:
    """A command that adds a collider; most are active."""
    active = st.sampled_from([True, True, True, False])
    return st.tuples(
        st.just("add"), st.just(id), _world_shape, _place, yaws(), _layer, _owner, _offset, active
    ).map(list)


@st.composite
def frames(draw: Draw, capacity: int = 6, frame_count_max: int = 6) -> list[list[list[Any]]]:
    """The commands of each frame of a match, all of which a world of this capacity accepts."""
    present: set[int] = set()
    match = []
    for _ in range(draw(st.integers(1, frame_count_max))):
        commands = []
        for _ in range(draw(st.integers(0, 2 * capacity))):
            id = draw(st.integers(0, capacity - 1))
            command = draw(changes(id) if id in present else additions(id))
            if command[0] == "add":
                present.add(id)
            elif command[0] == "remove":
                present.remove(id)
            commands.append(command)
        match.append(commands + draw(st.lists(questions(), max_size=2)))
    return match


def wild_commands(capacity: int = 6) -> st.SearchStrategy[list[Any]]:
    """Commands that a world may refuse: ids taken, missing or out of range, centres pushed out of
    range.
    """
    id = st.integers(-1, capacity + 1)
    far = st.sampled_from([INT32_MIN, INT32_MAX, 0])
    far_place = st.lists(far, min_size=3, max_size=3)
    bad = st.one_of(
        st.tuples(st.just("move"), id, st.lists(coordinates(), min_size=3, max_size=3)),
        st.tuples(st.just("pose"), id, far_place, yaws()),
        st.tuples(st.just("offset"), id, far_place),
        st.tuples(st.just("turn"), id, st.sampled_from([-1, 0, 65535, 65536])),
        st.tuples(st.just("layer"), id, st.sampled_from([-1, 0, 31, 32])),
        st.tuples(st.just("owner"), id, st.sampled_from([-1, 0, UINT32_MAX, UINT32_MAX + 1])),
        st.tuples(
            st.just("shape"),
            id,
            st.sampled_from([["sphere", 0], ["box", 1, 1], ["sector", 1, 0, 1]]),
        ),
    ).map(list)
    return st.one_of(id.flatmap(changes), id.flatmap(additions), bad)

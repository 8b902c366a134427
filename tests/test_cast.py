"""Casts: pairs and worlds against the model, what follows from the contract, and both
arithmetics.
"""

from __future__ import annotations

import ctypes
import json
import pickle
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import isqrt
from typing import Any

import model
import pytest
import strategies
from builds import PORTABLE, Builds
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, OVERLAPPING, SIZE_MAX, TOUCHING, TURN, ModelWorld
from refusals import Refused, refusals
from strategies import KINDS, NO_KIND, SOLIDS, UNTURNED, sized
from tools import each, ints, rows

from fixsync import (
    Box,
    Capsule,
    CastHit,
    Cylinder,
    Pose,
    Sector,
    Sphere,
    World,
    cast_pair,
    pack_poses,
    pack_shapes,
)
from fixsync.world.records import COLLIDER_FORMAT, CastAnswers
from fixsync.world.shapes import shape_from_tuple

WHOLE = 65536
NONE = -1
ONE = 2**30
STILL = (0, 0, 0)
ORIGIN = Pose(0, 0, 0)
ROUND = ("sphere", "capsule")

Vec3 = tuple[int, int, int]
Cast = tuple[Any, Any, Any, Any, Any, Any]
Hit = tuple[int, Vec3] | None


def cast(cast: Cast, hit_when: int) -> Hit:
    """The kernel's answer to a cast of plain tuples."""
    a, pa, motion_a, b, pb, motion_b = cast
    solid_a, solid_b = shape_from_tuple(a), shape_from_tuple(b)
    found: Hit = cast_pair(
        solid_a, Pose(*pa), motion_a, solid_b, Pose(*pb), motion_b, hit_when=hit_when
    )
    return found


def checked(drawn: Cast, hit_when: int = TOUCHING) -> Hit:
    """The kernel's answer, which is the model's too."""
    found = cast(drawn, hit_when)
    assert found == model.cast_pair(*drawn, hit_when), (drawn, hit_when)
    return found


def fraction(drawn: Cast, hit_when: int = TOUCHING) -> int | None:
    """That of the checked answer; None for a miss."""
    found = checked(drawn, hit_when)
    return None if found is None else found[0]


def as_two(motion: Vec3) -> tuple[Vec3, Vec3]:
    """Two motions, each within its range, whose difference is this one."""
    there = _clamped(motion, SIZE_MAX)
    x, y, z = (p - m for p, m in zip(there, motion, strict=True))
    return there, (x, y, z)


def has_rim(a: Any, b: Any) -> bool:
    return "cylinder" in (a[0], b[0]) and (a[0] in ROUND or b[0] in ROUND)


def relative(cast: Cast) -> tuple[Vec3, Vec3]:
    """The difference of the centres, a's less b's, and of the motions."""
    _, pa, motion_a, _, pb, motion_b = cast
    (x, y, z), (mx, my, mz) = (
        [p - q for p, q in zip(one[:3], other[:3], strict=True)]
        for one, other in ((pa, pb), (motion_a, motion_b))
    )
    return (x, y, z), (mx, my, mz)


def contact_at(cast: Cast, n: int, d: int) -> int:
    """The contact at the time n / d, from the model: everything grown by d is where it is at n."""
    a, pa, _, b, pb, _ = cast
    x, y, z = (-(p * d + m * n) for p, m in zip(*relative(cast), strict=True))
    grown_a, grown_b = ((kind, *(size * d for size in sizes)) for kind, *sizes in (a, b))
    return model.contact(grown_a, pa[3], grown_b, pb[3], (x, y, z))


# What is drawn. `strategies.casts` come near contact at any scale; these graze.

small = st.integers(-9, 9)


def _vector(component: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    return st.tuples(component, component, component)


@st.composite
def lattice_casts(draw: st.DrawFn) -> Cast:
    """A few raw units of everything: every kind of coincidence is frequent."""
    quarter = st.sampled_from([0, 16384, 32768, 49152]) | strategies.yaws()
    a, b = (draw(strategies.shapes(SOLIDS, st.integers(1, 4))) for _ in range(2))
    pa, pb = ((*draw(_vector(small)), draw(quarter)) for _ in range(2))
    motion = _vector(st.integers(-18, 18))
    return a, pa, draw(motion), b, pb, draw(st.just(STILL) | motion)


def _clamped(v: Any, limit: int) -> Vec3:
    x, y, z = (max(-limit, min(limit, c)) for c in v)
    return x, y, z


@st.composite
def _through(draw: st.DrawFn, a: Any, b: Any, yaw: int, at: Vec3, motion: Vec3) -> Cast:
    """a passes b, turned by yaw, at the difference of centres `at`, somewhere on its way."""
    parts = draw(st.sampled_from([1, 2, 3, 7, 65536]))
    part = draw(st.integers(0, parts))
    motion = _clamped(motion, 2 * SIZE_MAX)
    motion_a, motion_b = as_two(motion)
    start = _clamped((p - m * part // parts for p, m in zip(at, motion, strict=True)), INT32_MAX)
    if draw(st.booleans()):
        return a, (*start, draw(strategies.yaws())), motion_a, b, (0, 0, 0, yaw), motion_b
    return b, (0, 0, 0, yaw), motion_b, a, (*start, draw(strategies.yaws())), motion_a


TRIPLES = [(3, 4, 5), (4, -3, 5), (-5, 12, 13), (8, 15, 17), (-24, -7, 25), (1, 0, 1), (0, -1, 1)]


@st.composite
def tangent_casts(draw: st.DrawFn) -> Cast:
    """Straight past a round side, or past a box's corner, touching it at one moment: by
    Pythagoras.
    """
    u, v, w = draw(st.sampled_from(TRIPLES))
    g = draw(strategies.all_scales(1, SIZE_MAX // 64))
    r = draw(st.integers(1, 2 * w * g - 1))
    h = draw(strategies.sizes())
    kind_a, kind_b = draw(st.sampled_from(UNTURNED)), draw(st.sampled_from(SOLIDS))
    x, z = -2 * v * g, 2 * u * g
    if kind_b not in UNTURNED:
        sides = draw(st.tuples(strategies.sizes(), strategies.sizes()))
        a, b = sized(kind_a, 2 * w * g, h), sized(kind_b, sides[0], h, sides[1])
        x, z = x + (sides[0] if x > 0 else -sides[0]), z + (sides[1] if z > 0 else -sides[1])
    else:
        a, b = sized(kind_a, r, h), sized(kind_b, 2 * w * g - r, h)
    tall = sum(shape[2] for shape in (a, b) if len(shape) > 2)
    y = draw(st.sampled_from([0, 0, tall, -tall, tall // 2]))
    q = draw(strategies.all_scales(1, SIZE_MAX // w))
    motion = u * q, draw(st.sampled_from([0, 0, 0, 1, -q])), v * q
    return draw(_through(a, b, 0, _clamped((x, y, z), INT32_MAX), motion))


@st.composite
def turned_edge_casts(draw: st.DrawFn) -> Cast:
    """Past an upright edge of a turned box, about r away, at right angles to the way to the
    edge.
    """
    yaw, facing = draw(strategies.yaws()), draw(strategies.yaws())
    half = strategies.all_scales(1, SIZE_MAX // 4)
    b: Any = ("box", draw(half), draw(half), draw(half))
    kind, r = draw(st.sampled_from(UNTURNED)), draw(half)
    a = sized(kind, r, draw(half))
    c, s = model.direction(yaw)
    edge_x, edge_z = b[1] * draw(st.sampled_from([1, -1])), b[3] * draw(st.sampled_from([1, -1]))
    n_x, n_z = model.direction(facing)
    jitter = draw(st.sampled_from([0, 0, 1, -1]))
    x, z = (
        (edge_x * c - edge_z * s + r * n_x) // ONE + jitter,
        (edge_x * s + edge_z * c + r * n_z) // ONE,
    )
    tall = b[2] + (a[2] if len(a) > 2 else 0)
    y = draw(st.sampled_from([0, tall, -tall, tall + r // 2]))
    q = draw(strategies.all_scales(1, SIZE_MAX))
    motion = -n_z * q // ONE, draw(st.sampled_from([0, 0, q // 3, 1])), n_x * q // ONE
    return draw(_through(a, b, yaw, (x, y, z), motion))


@st.composite
def rim_casts(draw: st.DrawFn) -> Cast:
    """Past the rounded rim of a round shape and a cylinder, in a direction that lies in its tangent
    plane.
    """
    size = strategies.all_scales(1, SIZE_MAX) if draw(st.booleans()) else st.integers(1, 6)
    r, radius, h = draw(size), draw(size), draw(size)
    a: Any = draw(st.sampled_from([("sphere", r), ("capsule", r, 0), ("capsule", r, h)]))
    b: Any = ("cylinder", radius, draw(size))
    tall = b[2] + (a[2] if len(a) > 2 else 0)
    c, s = model.direction(draw(strategies.yaws()))  # around the cylinder
    out, up = model.direction(draw(st.integers(0, TURN // 4)))  # around the rim
    p = radius * ONE + r * out
    at = (c * p >> 60, tall + (r * up >> 30), s * p >> 60)
    jitter = draw(_vector(st.sampled_from([0, 0, 0, 1, -1])))
    along, across = model.direction(draw(strategies.yaws()))
    q = draw(strategies.all_scales(1, 2 * SIZE_MAX))
    tangent = (
        -s * along - (c * up >> 30) * across,
        out * across,
        c * along - (s * up >> 30) * across,
    )
    motion = _clamped((t * q >> 60 for t in tangent), 2 * SIZE_MAX)
    x, y, z = (v + e for v, e in zip(at, jitter, strict=True))
    return draw(_through(a, b, 0, (x, y, z), motion))


@st.composite
def extreme_casts(draw: st.DrawFn) -> Cast:
    """Casts with every number at a limit, aimed at the other shape or not."""
    size = st.sampled_from([1, 2, SIZE_MAX - 1, SIZE_MAX, SIZE_MAX // 2]) | strategies.sizes()
    a, b = (draw(strategies.shapes(SOLIDS, size)) for _ in range(2))
    far = st.sampled_from([INT32_MIN, INT32_MAX, INT32_MIN + 1, 0, SIZE_MAX, -SIZE_MAX])
    fast = st.sampled_from([SIZE_MAX, -SIZE_MAX, SIZE_MAX - 1, 0, 1, -1])
    pb = (*draw(_vector(far)), draw(strategies.yaws()))
    motion_a, motion_b = draw(_vector(fast)), draw(_vector(fast))
    if draw(st.booleans()):
        pa = (*draw(_vector(far)), draw(strategies.yaws()))
        return a, pa, motion_a, b, pb, motion_b
    wide, tall = a[1] + b[1], sum(shape[2] for shape in (a, b) if len(shape) > 2)
    off = draw(_vector(st.sampled_from([0, 0, 1, wide, -wide, tall, -tall])))
    numbers = zip(pb[:3], motion_a, motion_b, off, strict=True)
    x, y, z = (max(INT32_MIN, min(INT32_MAX, p - m_a + m_b + o)) for p, m_a, m_b, o in numbers)
    return a, (x, y, z, draw(strategies.yaws())), motion_a, b, pb, motion_b


@st.composite
def thin_casts(draw: st.DrawFn) -> Cast:
    """Sizes of one raw unit or two, motions of thousands of units, through each other's centres or
    nearly.
    """
    thin = st.integers(1, 2)
    a, b = (draw(strategies.shapes(SOLIDS, thin)) for _ in range(2))
    motion = draw(_vector(st.integers(-2 * SIZE_MAX, 2 * SIZE_MAX)))
    at = draw(_vector(st.integers(-2, 2)))
    return draw(_through(a, b, draw(strategies.yaws()), at, motion))


@st.composite
def fast_casts(draw: st.DrawFn) -> Cast:
    """From next to where the slabs of a turned box begin and end, faster than anything else: they
    are entered and left in a few parts of 2^30 of the motion."""
    yaw, size = draw(strategies.yaws()), strategies.all_scales(1, SIZE_MAX)
    a = draw(strategies.shapes(SOLIDS, size))
    b: Any = ("box", draw(size), draw(size), draw(size))
    wide, tall = a[1], b[2] + (a[2] if len(a) > 2 else 0)
    step = st.just(0) | st.integers(-40, 40)
    x, y, z = (
        draw(st.sampled_from([reach, -reach, 0])) + draw(step)
        for reach in (b[1] + wide, tall, b[3] + wide)
    )
    c, s = model.direction(yaw)
    fast = st.sampled_from([2 * SIZE_MAX, -2 * SIZE_MAX, 2 * SIZE_MAX // 3, 2**20, 1, 0])
    motion = draw(_vector(fast))
    if draw(st.booleans()):  # along the box's own axes
        motion = (
            (motion[0] * c - motion[2] * s) // ONE,
            motion[1],
            (motion[0] * s + motion[2] * c) // ONE,
        )
    motion_a, motion_b = as_two(_clamped(motion, 2 * SIZE_MAX))
    start = _clamped(((x * c - z * s) // ONE, y, (x * s + z * c) // ONE), INT32_MAX)
    return a, (*start, draw(strategies.yaws())), motion_a, b, (0, 0, 0, yaw), motion_b


@st.composite
def slow_casts(draw: st.DrawFn) -> Cast:
    """A few raw units of motion, of shapes that may be huge, near contact."""
    a, pa, b, pb = draw(strategies.near_pairs(SOLIDS))
    return a, pa, draw(_vector(st.integers(-4, 4))), b, pb, draw(st.just(STILL) | _vector(small))


KINDS_OF_CASTS = {
    "near": strategies.casts(),
    "lattice": lattice_casts(),
    "tangent": tangent_casts(),
    "turned edge": turned_edge_casts(),
    "rim": rim_casts(),
    "extreme": extreme_casts(),
    "thin": thin_casts(),
    "fast": fast_casts(),
    "slow": slow_casts(),
}
casts = st.one_of(*KINDS_OF_CASTS.values())
hit_whens = strategies.hit_whens()


# Pairs.


@pytest.mark.parametrize(("name", "count"), [("casts.csv", 1800), ("rim_casts.csv", 800)])
def test_casts_agree_with_the_vectors(name: str, count: int) -> None:
    casts = rows(name)
    assert len(casts) == count
    for row in casts:
        parts: list[Any] = []
        for which in "ab":
            parts.append(json.loads(row[f"shape_{which}"]))
            parts += [ints(row, *(which + n for n in ("x", "y", "z", "yaw")))]
            parts += [ints(row, *(which + n for n in ("mx", "my", "mz")))]
        found = (int(row["fraction"]), ints(row, "nx", "ny", "nz")) if row["fraction"] else None
        assert cast(tuple(parts), int(row["hit_when"])) == found, row


@pytest.mark.parametrize("kind", KINDS_OF_CASTS)
def test_casts_agree_with_the_model(kind: str) -> None:
    @strategies.examples(300)
    @given(KINDS_OF_CASTS[kind], hit_whens)
    def check(drawn: Cast, hit_when: int) -> None:
        checked(drawn, hit_when)

    check()


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS_OF_CASTS)
def test_every_kind_of_cast_hits_and_misses(kind: str) -> None:
    """The strategies earn their keep: hits on the way, misses, and those that OVERLAPPING does not
    count.
    """
    found: set[str] = set()

    @settings(max_examples=400, database=None, derandomize=True)
    @given(KINDS_OF_CASTS[kind])
    def collect(drawn: Cast) -> None:
        touching, overlapping = cast(drawn, TOUCHING), cast(drawn, OVERLAPPING)
        found.add("miss" if touching is None else "hit" if touching[0] else "start")
        if touching is not None and overlapping is None:
            found.add("graze")

    collect()
    assert found == {"miss", "hit", "start", "graze"}


@pytest.mark.full
def test_every_cast_of_tiny_spheres_and_boxes_on_a_line_agrees_with_the_model() -> None:
    shapes = [sized(kind, 1, 1, 1) for kind in SOLIDS]
    for a, b, x, y, mx in product(shapes, shapes, range(-4, 0), range(4), range(-1, 6)):
        drawn: Cast = a, (x, y, 1, 0), (mx, 0, 0), b, (0, 0, 0, 0), STILL
        for hit_when in (TOUCHING, OVERLAPPING):
            checked(drawn, hit_when)


@given(casts, hit_whens, st.data())
def test_what_the_contract_promises_of_a_cast_follows(
    drawn: Cast, hit_when: int, data: st.DataObject
) -> None:
    found, other = cast(drawn, hit_when), cast((*drawn[3:], *drawn[:3]), hit_when)
    # No contact is counted before the fraction: at multiples of 2^-32, which count everywhere.
    end = 2**32 + 1 if found is None else found[0] * 2**16
    if end:
        near = st.integers(max(0, end - 3), end - 1) | st.integers(0, end - 1)
        for k in data.draw(st.lists(near, min_size=1, max_size=4)):
            assert contact_at(drawn, k, 2**32) < hit_when
    # From either side it is the same.
    assert (found is None) == (other is None)
    if found is None or other is None:
        return
    assert found[0] == other[0]
    if (drawn[0][0], drawn[3][0]) != ("box", "box"):
        assert found[1] == tuple(-n for n in other[1])
    # The normal is (0, 0, 0) only of a pair that overlaps at the start, and else of length 1.
    overlaps = contact_at(drawn, 0, 1) == OVERLAPPING
    assert (found[1] == (0, 0, 0)) == overlaps
    if overlaps:
        return
    length_sq = sum(n * n for n in found[1])
    assert abs(length_sq - ONE**2) * 10**9 <= 8 * ONE**2  # 4 parts in 10^9 of the length
    # The place at the fraction is not past the first contact; at a rim, by a step of 2^-32 at most.
    if contact_at(drawn, found[0], WHOLE) == OVERLAPPING:
        assert has_rim(drawn[0], drawn[3])
        assert contact_at(drawn, found[0] * WHOLE - 1, 2**32) < hit_when


def test_a_touch_of_a_rim_counts_at_multiples_of_2_to_the_minus_32_alone() -> None:
    # A ball of radius 5 whose centre is 4 above the lid touches the rim where it is 3 beside it.
    disc = ("cylinder", 100, 50), (0, 0, 0, 0), STILL
    for start, motion, hit_when, expected in (
        ((-300, 54, 103, 0), (1200, 0, 0), TOUCHING, 16384),
        ((-300, 54, 103, 0), (900, 0, 0), TOUCHING, None),  # at a third
        ((-300, 54, 103, 0), (1200, 0, 0), OVERLAPPING, None),
        ((0, 54, 103, 0), (0, 7, 9), TOUCHING, 0),  # it leaves
        # Beside the cylinder, and over its lid, every time counts.
        ((-300, 50, 105, 0), (900, 0, 0), TOUCHING, 21845),
        ((-300, 54, 100, 0), (900, 0, 0), OVERLAPPING, 20048),
    ):
        assert fraction((("sphere", 5), start, motion, *disc), hit_when) == expected


# JUST_BEFORE / FAST is 1 / (65536 * FAST) less than a multiple of 1 / 65536: no multiple of 2^-32
# is between.
FAST = SIZE_MAX
JUST_BEFORE = -pow(65536, -1, FAST) % FAST
FRACTION = (65536 * JUST_BEFORE + 1) // FAST
DISC = ("cylinder", 1000, 50), (0, 0, 0, 0), STILL


@pytest.mark.parametrize(
    ("start", "motion"),
    [
        ((-1100 - JUST_BEFORE, 50, 0, 0), (FAST, 0, 0)),  # level with the lid
        ((-1100 - JUST_BEFORE, 0, 0, 0), (FAST, 0, 0)),
        ((1000, 150 + JUST_BEFORE, 0, 0), (0, -FAST, 0)),  # straight down onto the lid's edge
        ((999, 150 + JUST_BEFORE, 0, 0), (0, -FAST, 0)),
        # Past the lid's edge, 1 / FAST below the height at which it reaches the lid.
        ((-JUST_BEFORE, 150 + JUST_BEFORE - FRACTION, 1000, 0), (FAST, 65536 - FAST, 0)),
    ],
)
def test_every_time_counts_beside_a_cylinder_and_over_its_lid(start: Any, motion: Vec3) -> None:
    drawn: Cast = ("sphere", 100), start, motion, *DISC
    for hit_when in (TOUCHING, OVERLAPPING):
        assert fraction(drawn, hit_when) == FRACTION - 1


# A ball, its start and motion; a cylinder, hit_when and the fraction.
WAYS: list[Any] = [
    # A touch at a third, as it comes level with the lid: before, it is above; after, farther off.
    (("capsule", 1228, 71), (-9, -69, 1932), (27, -27, 0), (704, 7), TOUCHING, 21845),
    (("sphere", 100), (-(FAST // 3), 50 + FAST // 3, 1100), (FAST, -FAST, 0), (1000, 50), 1, 21845),
    # As it slides over the plane of the lid: over the lid from a third on, and from JUST_BEFORE.
    (("sphere", 1), (-1, -2, 1), (3, 0, 0), (1, 1), TOUCHING, 21845),
    (("sphere", 100), (-1000 - JUST_BEFORE, 150, 0), (FAST, 0, 0), (1000, 50), 1, FRACTION - 1),
    # It touches as it comes level with the lid, and is over the lid a fraction later.
    (("sphere", 100), (-1100 - JUST_BEFORE, 50 + JUST_BEFORE, 0), (FAST, -FAST, 0), (1000, 50), 1,
     FRACTION - 1),
    # At the rim within the first fraction, at the side, or over the lid, in the second.
    (("sphere", 2), (0, -5, -1), (-40, 262144, 196608), (2, 1), TOUCHING, 0),
    (("sphere", 1), (4, -3, 0), (-36777, -9779, -19096), (3, 3), OVERLAPPING, 0),
    # At the first multiple of 2^-32 at which anything can touch, the last of its fraction.
    (("capsule", 1, 1), (-524475834, 119319612, 635163597), (550490050, -125237916, -666667970),
     (1, 1), TOUCHING, 62438),
    (("sphere", 1), (8221, -757562139, -180422258), (-10959, 1010082851, 240563013), (1, 4),
     TOUCHING, 49151),
    # It touches at its end, right below the lid's edge, and overlaps only in the last 2^-32 before.
    (("sphere", 2), (-827655766, 2273, 3952870), (827655765, -2277, -3952870), (1, 2), 2, None),
    # Of the largest, which leaves at once, for as far off as there is.
    (("sphere", 536870910), (540762620, 489000469, 557830778),
     (1016230508, -1070028779, 1073741822), (536869483, 84), TOUCHING, 3313),
    # Others as large and as fast, whose coordinates have just room enough.
    (("sphere", SIZE_MAX), (-218423346, 1359602005, -127597467),
     (1073741822, -812438934, 896764500), (536870834, 282759701), TOUCHING, 49425),
    (("sphere", 536870909), (320379158, 1376220483, -1073505562),
     (771493881, -1073741822, 639818539), (536759180, 521391291), TOUCHING, None),
    (("sphere", 536870909), (-1073505562, 1376220483, 320379158),
     (639818539, -1073741822, 771493881), (536759180, 521391291), TOUCHING, None),
]  # fmt: skip


@each(("ball", "start", "motion", "disc", "hit_when", "expected"), WAYS)
def test_of_side_lid_and_rim_the_first_counts(
    ball: Any, start: Vec3, motion: Vec3, disc: Any, hit_when: int, expected: int | None
) -> None:
    there, back = as_two(motion)
    drawn: Cast = ball, (*start, 0), there, ("cylinder", *disc), (0, 0, 0, 0), back
    assert fraction(drawn, hit_when) == expected


def test_a_lid_that_is_met_at_its_edge_alone_leaves_the_contact_to_the_rim() -> None:
    # It reaches the height of the lid right over its edge, where it touches. It overlaps from then
    # on, which counts from the next multiple of 2^-32: a fraction later.
    falling = (-JUST_BEFORE, 150 + JUST_BEFORE, 1000, 0), (FAST, -FAST, 0)
    drawn: Cast = ("sphere", 100), *falling, *DISC
    assert fraction(drawn, TOUCHING) == FRACTION - 1
    assert fraction(drawn, OVERLAPPING) == FRACTION
    # Here it leaves that height there, at a third, and what overlapped before is over between two
    # multiples.
    third = FAST // 3
    disc = ("cylinder", 1, 1), (0, 0, 0, 0), STILL
    small: Cast = ("sphere", 1), (-third, 1, 1, 0), (3 * third, 3, 0), *disc
    assert fraction(small, OVERLAPPING) is None
    assert fraction(small, TOUCHING) == 21845


def test_a_rim_that_is_near_only_between_two_moments_that_count_is_not_met() -> None:
    """It comes level with the cylinder's side just before it leaves the height of its lid."""
    across, up = 400000007, 500000003
    leaves = pow(across, -1, up)
    comes = (leaves * across - 1) // up
    assert (
        leaves * across - comes * up == 1
    )  # comes / across is 1 / (across * up) before leaves / up
    assert comes * 2**32 // across == leaves * 2**32 // up  # no multiple of 2^-32 is between
    drawn: Cast = ("sphere", 100), (-1100 - comes, 150 - leaves, 0, 0), (across, up, 0), *DISC
    for hit_when in (TOUCHING, OVERLAPPING):
        assert fraction(drawn, hit_when) is None


@pytest.mark.parametrize("motion", [(-3, 0, -4), (-(2**20), 5, -1), (0, 0, -SIZE_MAX)])
def test_two_boxes_turned_by_an_eighth_touch_at_the_end_of_the_motion_or_halfway(
    motion: Vec3,
) -> None:
    """An eighth's cosine and sine are one number: half sizes that add up to it touch at x + z =
    2^30.
    """
    both = model.direction(8192)[0]
    start = (2**29 - motion[0], -motion[1], 2**29 - motion[2], 8192)
    a, b = (("box", half, 9, 9) for half in (both // 2, both - both // 2))
    drawn: Cast = a, start, motion, b, (0, 0, 0, 8192), STILL
    assert fraction(drawn, TOUCHING) == 65536
    assert fraction(drawn, OVERLAPPING) is None
    to_meet: Cast = (*drawn[:5], tuple(-m for m in motion))
    assert fraction(to_meet, TOUCHING) == 32768


@pytest.mark.parametrize(
    ("radius", "start", "motion", "other", "expected"),
    [
        (13, (-149, 47, 249, 0), (318, -81, -513), 15, 28772),
        (3515, (-12014, -17450, -31985, 0), (21119, 37259, 64923), 3187, 26860),
        (836, (12480, 16311, 14971, 0), (-23197, -30718, -28842), 1250, 31825),
        (505, (-32422, 32762, 16606, 0), (67753, -67499, -34416), 4496, 28371),
    ],
)
def test_a_root_less_than_2_to_the_minus_24_beside_a_fraction_is_on_its_side(
    radius: int, start: Any, motion: Vec3, other: int, expected: int
) -> None:
    """An estimate in 2^-24 is on the other side."""
    drawn: Cast = ("sphere", radius), start, motion, ("sphere", other), (0, 0, 0, 0), STILL
    assert fraction(drawn) == expected


@pytest.mark.parametrize("yaws", [(0, 0), (16384, 0), (0, 49152), (8192, 8192), (24576, 8192)])
def test_of_two_boxes_corner_to_corner_the_normal_is_on_the_first_axis_of_b(
    yaws: tuple[int, int],
) -> None:
    c, s = (v // 2**15 for v in model.direction(yaws[1]))  # along b's own diagonal, x as far as z
    start, motion = (2 * (s - c), 0, -2 * (s + c), yaws[0]), (2 * (c - s), 0, 2 * (s + c))
    drawn: Cast = ("box", 9, 9, 9), start, motion, ("box", 9, 9, 9), (0, 0, 0, yaws[1]), STILL
    found = checked(drawn)
    assert found is not None
    assert found[1] == (-model.direction(yaws[1])[0], 0, -model.direction(yaws[1])[1])


@pytest.mark.parametrize("yaw", [1, 5000, 8192, 20000, 40001])
def test_of_the_longest_turned_boxes_parts_of_a_raw_unit_count(yaw: int) -> None:
    """Their own sizes times 2^30: with 2^30 and 1 they would reach half a raw unit further."""
    c, s = model.direction(yaw)
    half = SIZE_MAX // 2
    for gap, (x, z), quarters in product(range(-1, 4), ((c, s), (-s, c)), (0, 16384)):
        at = tuple((v * (2 * half) + ONE // 2) // ONE + gap * v // (ONE // 2) for v in (x, z))
        for steps in (2, 5):
            motion = -steps * x // ONE, 0, -steps * z // ONE
            start = at[0], 0, at[1], (yaw + quarters) % TURN
            box = ("box", half, 9, half)
            for hit_when in (TOUCHING, OVERLAPPING):
                checked((box, start, motion, box, (0, 0, 0, yaw), STILL), hit_when)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_normal_at_a_rim_tells_of_less_than_a_raw_unit_beside_it(sign: int) -> None:
    """At the fraction, the ball's centre is 1 / 65536 of a raw unit beside the lid and a whole one
    above.
    """
    start, disc = (sign * 8, 69 + 65536, 0, 0), ("cylinder", 7, 69)
    found = checked((("sphere", 1), start, (-sign, -65536, 0), disc, (0, 0, 0, 0), STILL))
    assert found is not None
    assert found[0] == 65535
    assert found[1][0] == sign * 2**14


@pytest.mark.parametrize("yaws", [(0, 0), (16384, 0), (0, 16384), (49152, 16384), (32768, 49152)])
def test_of_two_boxes_the_normal_is_on_the_axis_of_the_larger_gap_by_however_little(
    yaws: tuple[int, int],
) -> None:
    """Corner to corner, one gap is a few parts of a raw unit more or less than the other."""
    long, wide, small = 2**28, 2**26, 9
    sizes = (long, wide), (wide, long), (small, 2 * small), (wide, wide)
    shapes = [("box", half_x, 9, half_z) for half_x, half_z in sizes]

    def half(shape: Any, yaw: int) -> tuple[int, int]:
        return (shape[1], shape[3]) if yaw % 32768 == 0 else (shape[3], shape[1])

    motions = (-65536, -65536), (-65536, -65537), (-65537, -65536), (-9, -10)
    cases = [*product(shapes, shapes, (2, 16), (-1, 0, 1), motions)]
    for a, b, part, step, (mx, mz) in strategies.some(cases):
        x, z = (p + q for p, q in zip(half(a, yaws[0]), half(b, yaws[1]), strict=True))
        start = x - mx // part, 0, z - mz // part + step, yaws[0]
        drawn: Cast = a, start, (mx, 0, mz), b, (0, 0, 0, yaws[1]), STILL
        for hit_when in (TOUCHING, OVERLAPPING):
            checked(drawn, hit_when)


@pytest.mark.parametrize("half", [413008496, SIZE_MAX])
def test_of_gaps_that_are_equal_on_both_axes_of_a_the_normal_is_on_the_first(half: int) -> None:
    """A small box at the corner of a huge one, both turned: by the roundings of their directions
    its own axes may have smaller gaps."""
    on_a, yaw = 0, 8192
    c, s = model.direction(yaw)
    for turn, small in product(range(-20, 21), (1, 2)):
        reach = (half + small) * ONE // c + 2 * small
        for way, step in product((1, -1), range(3)):
            a: Any = ("box", half, 9, half)
            start, motion = (way * (reach + step), 0, 0, yaw), (way * -32, 0, 0)
            drawn: Cast = a, start, motion, ("box", small, 9, small), (0, 0, 0, yaw + turn), STILL
            found = checked(drawn)
            on_a += found is not None and turn != 0 and found[1] == (way * c, 0, way * s)
    assert on_a > 10


def test_a_rim_is_met_or_missed_from_as_far_away_as_a_motion_reaches() -> None:
    ball, disc = ("sphere", 535051977), ("cylinder", 535786175, 363560196)
    seen = set()
    fast, back = (531616854, -493164327, 533880137), (-SIZE_MAX, SIZE_MAX, -SIZE_MAX)
    for lower in range(-8, 3):
        there = (-530568965, 41436863 - lower * 2**25, -996559926, 0)
        here = (530568965, -41436864, 996559926, 0)
        drawn: Cast = disc, there, fast, ball, here, back
        seen |= {checked(drawn, hit_when) is None for hit_when in (TOUCHING, OVERLAPPING)}
    assert seen == {True, False}


@example(Cylinder(5, 5))
@example(Sphere(5))
@given(strategies.solids().map(shape_from_tuple))
def test_a_body_on_a_floor_hits_it_under_touching_and_slides_under_overlapping(body: Any) -> None:
    floor = Box(SIZE_MAX, 1, SIZE_MAX)
    height = model.outline(body.as_tuple(), (0, 0, 0, 0), 3)[3]
    standing, along, into = Pose(0, height + 1, 0), (1000, 0, 7), (1000, -1, 7)
    up = 0, ONE, 0
    assert cast_pair(body, standing, along, floor, ORIGIN, STILL) == (0, up)
    assert cast_pair(body, standing, along, floor, ORIGIN, STILL, hit_when=OVERLAPPING) is None
    assert cast_pair(body, standing, into, floor, ORIGIN, STILL, hit_when=OVERLAPPING) == (0, up)
    assert cast_pair(body, standing, (0, 5, 0), floor, ORIGIN, STILL, hit_when=OVERLAPPING) is None


BALL = Sphere(1), ORIGIN, STILL


@refusals("""
cast_pair(Sector(1, 1, 1), ORIGIN, STILL, *BALL) | ValueError | shape_a must be a Sphere, Capsule
cast_pair(*BALL, Sector(1, 1, 1), ORIGIN, STILL) | ValueError | shape_b must be a Sphere, Capsule
cast_pair(*BALL[:2], (2**29, 0, 0), *BALL) | ValueError | motion_a: mx must be / , not 536870912
cast_pair(*BALL, *BALL[:2], (0, 0, -(2**29))) | ValueError | mz must be -536870911..536870911
cast_pair(*BALL[:2], (1, 2), *BALL) | ValueError | motion_a must be / , not 2 values
cast_pair(*BALL, *BALL[:2], (1, 1.0, 1)) | TypeError | motion_b: my must be / the float 1.0
cast_pair(*BALL, *BALL[:2], (1, True, 1)) | TypeError | motion_b: my must be an integer, not True
cast_pair("sphere", ORIGIN, STILL, *BALL) | TypeError | shape_a must be a Sphere
cast_pair(*BALL, Sphere(1), (0, 0, 0), STILL) | TypeError | pose_b must be a Pose
cast_pair(*BALL, *BALL, hit_when=0) | ValueError | hit_when must be 1..2
cast_pair(*BALL, *BALL, hit_when=3) | ValueError | hit_when must be 1..2
""")
def test_cast_pair_refuses_what_is_no_cast(refused: Refused) -> None:
    refused()


# Worlds.

SIZE = 40
here = st.integers(-SIZE, SIZE)
world_shapes = strategies.shapes(size=st.integers(1, SIZE // 4))
colliders = st.tuples(
    world_shapes,
    st.tuples(here, here, here, strategies.yaws()),
    st.fixed_dictionaries(
        {
            "layer": st.integers(0, 2),
            "owner": st.integers(0, 2),
            "offset": _vector(st.integers(-3, 3)) | st.just(STILL),
            "active": st.sampled_from([True, True, True, False]),
        }
    ),
)
rays = st.tuples(
    strategies.shapes(SOLIDS, st.integers(1, SIZE // 4)),
    st.tuples(here, here, here, strategies.yaws()),
    _vector(st.integers(-3 * SIZE, 3 * SIZE)),
)
options = st.fixed_dictionaries(
    {
        "exclude_owner": st.integers(0, 2),
        "limit": st.integers(0, 3),
        "hit_when": st.sampled_from([None, TOUCHING, OVERLAPPING]),
    }
)
masks = st.sampled_from([2**32 - 1, 0, 1, 5, 6])


def filled(found: Any, hit_when: int, layers: Any = None) -> tuple[World, ModelWorld]:
    world = World(16, hit_when=hit_when, layers=layers)
    twin = ModelWorld(16, hit_when, layers)
    for id, (shape, pose, rest) in enumerate(found):
        world.add(id, shape_from_tuple(shape), Pose(*pose), **rest)
        twin.add(id, shape, pose, **rest)
    return world, twin


@given(st.lists(colliders, max_size=12), hit_whens, rays, masks, options)
def test_a_world_casts_as_the_model(
    found: Any, hit_when: int, ray: Any, mask: int, rest: Any
) -> None:
    world, twin = filled(found, hit_when)
    shape, pose, motion = ray
    answer = world.cast(shape_from_tuple(shape), Pose(*pose), motion, mask, **rest)
    assert answer == twin.cast(shape, pose, motion, mask, **rest)
    assert all(type(hit) is CastHit for hit in answer)
    reported = rest["exclude_owner"], rest["limit"], rest["hit_when"]
    many = world.cast_many([(shape_from_tuple(shape), Pose(*pose), motion, mask, *reported)] * 2)
    assert many == [answer, answer]


@given(st.lists(colliders, min_size=1, max_size=12), hit_whens, strategies.layer_pairs(), st.data())
def test_a_sweep_casts_a_collider_at_those_it_may_hit(
    found: Any, hit_when: int, layers: Any, data: st.DataObject
) -> None:
    world, twin = filled(found, hit_when, layers)
    id = data.draw(st.integers(0, len(found) - 1))
    motion = data.draw(_vector(st.integers(-3 * SIZE, 3 * SIZE)))
    limit = data.draw(st.integers(0, 3))
    if twin[id].shape[0] not in SOLIDS:
        with pytest.raises(ValueError, match=rf"the shape of id {id} must be a Sphere"):
            world.sweep(id, motion)
        return
    assert world.sweep(id, motion, limit=limit) == twin.sweep(id, motion, limit=limit)


def met(world: World, *asked: Any, **options: Any) -> list[tuple[int, int]]:
    """The ids and fractions of a cast."""
    return [(hit.id, hit.fraction) for hit in world.cast(*asked, **options)]


def crowd(count: int, rng: random.Random) -> World:
    """Many colliders, of all kinds and very different sizes, in ids of no order."""
    world, side = World(count), 24 * isqrt(count)
    for id in range(count):
        size = rng.choice([4, 4, 4, 4, 30])
        kind = rng.choice(KINDS)
        numbers = [rng.randint(1, size) for _ in model.KINDS[kind]]
        shape = shape_from_tuple(sized(kind, *numbers))
        pose = Pose(
            rng.randint(0, side), rng.randint(0, SIZE), rng.randint(0, side), rng.randrange(TURN)
        )
        world.add(id, shape, pose, layer=rng.randrange(3))
    return world


def lattice(count: int, rng: random.Random) -> World:
    """Equal boxes in rows and columns: a cast meets many of them at the same time."""
    world, ids, columns = World(count), list(range(count)), isqrt(count)
    rng.shuffle(ids)
    for n, id in enumerate(ids):
        world.add(id, Box(4, 4, 4), Pose(16 * (n % columns), 0, 16 * (n // columns)))
    return world


@pytest.mark.parametrize("stepped", [True, False])
@pytest.mark.parametrize(("made", "count"), [(crowd, 40), (crowd, 1600), (lattice, 900)])
def test_a_cast_through_a_crowd_finds_what_each_pair_finds(
    made: Callable[[int, random.Random], World], count: int, stepped: bool
) -> None:
    rng = random.Random(count)
    world, side, found_count = made(count, rng), 24 * isqrt(count), 0
    if stepped:
        world.step()
    solids = [
        row for row in world.colliders() if row.layer != 1 and not isinstance(row.shape, Sector)
    ]
    for _ in range(2 * isqrt(count)):
        start = Pose(rng.randint(-9, side // 2), rng.randint(-9, SIZE), rng.randint(-9, side // 2))
        motion = (
            rng.choice([side, 64, 512]),
            rng.randint(-SIZE, SIZE),
            rng.choice([side, 64, 512, 0]),
        )
        shape: Any = rng.choice(
            [Sphere(1), Sphere(8), Capsule(3, 9), Cylinder(20, 5), Box(40, 9, 3)]
        )
        expected = []
        for other in solids:
            hit = cast_pair(shape, start, motion, other.shape, other.pose, STILL)
            expected += [(other.id, *hit)] if hit else []
        found = world.cast(shape, start, motion, 5)
        assert sorted(found) == sorted(expected)
        assert [hit.fraction for hit in found] == sorted(hit.fraction for hit in found)
        for limit in (1, 2, 7):
            assert world.cast(shape, start, motion, 5, limit=limit) == found[:limit]
        found_count += len(expected)
    assert found_count > count // 2


@given(casts, hit_whens, st.integers(0, 3))
@strategies.examples(200)
def test_hits_of_one_fraction_are_ordered_by_distance(
    drawn: Cast, hit_when: int, limit: int
) -> None:
    """Several of one shape, a raw unit or two apart, so that many are met at one fraction."""
    a, pa, _, b, pb, _ = drawn
    motion = _clamped(relative(drawn)[1], SIZE_MAX)
    world, hand = World(6, hit_when=hit_when), model.ModelWorld(6, hit_when)
    for id in range(6):
        place = _clamped((p + (id * 5 + i) % 4 for i, p in enumerate(pb[:3])), INT32_MAX)
        world.add(id, shape_from_tuple(b), Pose(*place, pb[3]))
        hand.add(id, b, (*place, pb[3]))
    found = world.cast(shape_from_tuple(a), Pose(*pa), motion, limit=limit)
    assert found == hand.cast(a, pa, motion, limit=limit)


def test_a_long_cast_finds_the_nearer_of_two_at_one_fraction_wherever_it_is_cut() -> None:
    # One box is met at a fraction exactly, the other within it: if a cut is there, after the cut.
    # Others, of a layer that is not asked for, are why the cast is cut in parts; in how many is not
    # known here.
    for parts in range(2, 40):
        for nearer, further in ((1, 0), (0, 1)):
            world, cut = World(400), -(-WHOLE // parts)
            for id in range(2, 400):
                world.add(id, Box(1, 1, 1), Pose(16 * 160 * id, 0, 0), layer=1)
            world.add(nearer, Box(1, 1, 1), Pose(16 * cut + 2, 0, 20))
            world.add(further, Box(1, 1, 1), Pose(16 * cut + 7, 0, -20))
            world.step()
            found = met(world, Box(1, 50, 50), ORIGIN, (16 * WHOLE, 0, 0), 1, limit=1)
            assert found == [(nearer, cut)]


@given(casts, hit_whens)
def test_the_first_hit_is_found_whatever_was_found_before_it(drawn: Cast, hit_when: int) -> None:
    """The same shape stands further along the way, where it is found first and met later."""
    a, pa, _, b, pb, _ = drawn
    motion = _clamped(relative(drawn)[1], SIZE_MAX)
    shapes = shape_from_tuple(a), shape_from_tuple(b)
    for part in range(1, 8):
        places = [
            _clamped((p + m * n // 8 for p, m in zip(pb, motion, strict=False)), INT32_MAX)
            for n in (part, 0)
        ]
        world, expected = World(2, hit_when=hit_when), []
        for id, place in enumerate(places):
            pose = Pose(*place, pb[3])
            world.add(id, shapes[1], pose)
            found = cast_pair(
                shapes[0], Pose(*pa), motion, shapes[1], pose, STILL, hit_when=hit_when
            )
            expected += [(found[0], id, found[1])] if found else []
        assert world.cast(shapes[0], Pose(*pa), motion, limit=1) == [
            (id, fraction, normal) for fraction, id, normal in sorted(expected)[:1]
        ]


# A shape, its pose and its motion; a shape and its pose.
ROUNDED: list[Any] = [
    (
        ("box", 505642163, 466749090, 21072899),
        (29237623, 0, 279295306, 16386),
        (-447076976, 0, -297241574),
        ("box", 16, 2, 16),
        (-29237623, 0, -279295307, 38887),
    ),
    (
        ("box", 536870908, 344517210, 482813992),
        (215211657, 0, -558129834, 9618),
        (-441236967, 0, -305843612),
        ("capsule", SIZE_MAX, 536870910),
        (-215211657, 0, 558129835, 0),
    ),
    (
        ("cylinder", 330006410, 536870909),
        (360321508, 0, 408517340, 0),
        (190236361, -4, -502036353),
        ("box", 536870911, 536870910, 536870910),
        (-360321509, 0, -408517341, 50830),
    ),
    (
        ("box", 119, 54, 27),
        (-154996213, 0, 142606075, 43344),
        (-395087829, 2, 363505131),
        ("cylinder", 421237740, 29722707),
        (154996213, 0, -142606075, 0),
    ),
    # A motion of (1, 0, -1) is shorter than its length rounded up: of two that are large, beside,
    # behind and before its way.
    *(
        (shape, (0, 0, 0, 0), (1, 0, -1), shape, (x, 0, z, 0))
        for shape in [("sphere", 10000), ("capsule", 10000, 9), ("cylinder", 10000, 9)]
        for x, z in [(14142, 14142), (-14142, -14142), (-14142, 14142), (14143, -14143)]
    ),
]


@each(("shape_a", "pose_a", "motion", "shape_b", "pose_b"), ROUNDED)
def test_what_only_roundings_let_meet_is_not_passed_by(
    shape_a: Any, pose_a: Any, motion: Vec3, shape_b: Any, pose_b: Any
) -> None:
    """Of quantised directions, along the motion of which ideal shapes would leave a gap; and of
    lengths."""
    drawn: Cast = shape_a, pose_a, motion, shape_b, pose_b, STILL
    found = checked(drawn)
    assert found is not None
    world = World(1)
    world.add(0, shape_from_tuple(shape_b), Pose(*pose_b))
    assert world.cast(shape_from_tuple(shape_a), Pose(*pose_a), motion) == [(0, *found)]


def test_a_rim_that_is_only_grazed_is_found_after_what_is_met_later() -> None:
    radius, start, motion = 30022054, Pose(50309611, 44, 67125379), (154220, 1, -115665)
    world = World(2)
    world.add(0, Box(1, 1, 1), Pose(start.x + radius + 126004, 44, start.z - 94503))
    world.add(1, Cylinder(53864016, 22), ORIGIN)
    for limit in (0, 1):
        found = met(world, Capsule(radius, 22), start, motion, limit=limit)
        assert found == [(1, 7392), (0, 53545)][: limit or None]


@pytest.mark.parametrize("x", [-70000, 0, 70000])
@pytest.mark.parametrize("size", [1, 2**22])
def test_of_two_that_are_met_in_the_last_fraction_the_nearer_is_first(x: int, size: int) -> None:
    """Whichever is found first. The rim is met within 2^-32 of the end of the motion."""
    start, motion = Pose(24954072, 296827164, 311376051), (-24954071, -296827167, -311376050)
    world = World(100)
    world.add(0, Cylinder(1, 2), ORIGIN)
    world.add(1, Box(max(size, abs(x) + 999), 10, 999), Pose(x, 990, 1050))
    for id in range(2, 100):
        world.add(id, Sphere(1), Pose(9000 * (id - 50), 2**20, 9000 * (id % 7)), layer=1)
    for _ in range(2):
        for limit in (0, 1):
            found = met(world, Sphere(1), start, motion, 1, limit=limit)
            assert found == [(1, 65535), (0, 65535)][: limit or None]
        world.step()


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("way", [1, -1])
def test_a_long_cast_finds_what_it_only_touches_along_its_way(axis: int, way: int) -> None:
    """In a crowd, so that it is cut in parts."""
    world, length = World(400), 16 * WHOLE

    def place(along: int, across: tuple[int, int]) -> Pose:
        numbers = [*across]
        numbers.insert(axis, way * along)
        return Pose(*numbers)

    across = [(20, 0), (-20, 0), (0, 20), (0, -20), (20, 20), (-20, -20)]
    for id, beside in enumerate(across):
        world.add(id, Box(10, 10, 10), place(length * (id + 1) // 7, beside))
    for id in range(len(across), 400):
        world.add(id, Sphere(1), place(length * id // 400, (0, 0)), layer=1)
    world.step()
    motion = tuple(way * length * (i == axis) for i in range(3))
    assert met(world, Box(10, 10, 10), ORIGIN, motion, 1) == [
        (id, (length * (id + 1) // 7 - 20) * WHOLE // length) for id in range(len(across))
    ]


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("end", [INT32_MIN, INT32_MAX])
def test_a_long_cast_meets_what_reaches_past_the_end_of_the_world(axis: int, end: int) -> None:
    way, length, world = (1 if end > 0 else -1), 16 * WHOLE, World(400)

    def place(before: int) -> Pose:
        return Pose(*(end - way * before if i == axis else 0 for i in range(3)))

    world.add(0, Box(100, 100, 100), place(0))
    for id in range(1, 400):
        world.add(id, Sphere(1), place(length * id // 400), layer=1)
    world.step()
    motion = tuple(way * length * (i == axis) for i in range(3))
    for limit in (0, 1):
        found = met(world, Sphere(28), place(length), motion, 1, limit=limit)
        assert found == [(0, WHOLE - 8)]


def test_a_cast_past_so_many_that_its_last_part_is_the_last_fraction_meets_what_is_there() -> None:
    """257 parts of 255 fractions and one more: for so many colliders are on the way."""
    count, length = 132600, SIZE_MAX
    row = struct.Struct(COLLIDER_FORMAT)
    records = [
        (id, 0, 1, 1, 0, 0, 0, 0, length // count * id, 0, 0, 0, 0, 0, 1, 0, 0)
        for id in range(1, count)
    ]
    world = World(count, layers=[])
    world.add_many(b"".join(row.pack(*record) for record in records))
    world.add(0, Box(1, 1, 1), Pose(length + 2, 0, 0))
    world.step()
    assert met(world, Box(1, 9, 9), ORIGIN, (length, 0, 0), 1, limit=1) == [(0, WHOLE)]


@given(st.lists(colliders, max_size=12), hit_whens, rays)
def test_a_cast_that_does_not_move_finds_what_a_query_finds(
    found: Any, hit_when: int, ray: Any
) -> None:
    world, twin = filled(found, hit_when)
    shape, pose = shape_from_tuple(ray[0]), Pose(*ray[1])
    queried = [id for id in world.query(shape, pose) if not isinstance(world[id].shape, Sector)]
    assert [(id, 0) for id in queried] == met(world, shape, pose, STILL)
    for when in (TOUCHING, OVERLAPPING):  # of a query in a world of this hit_when
        twin.hit_when = when
        queried = [id for id in twin.query(*ray[:2]) if twin[id].shape[0] != "sector"]
        assert [(id, 0) for id in queried] == met(world, shape, pose, STILL, hit_when=when)


def test_a_cast_grows_its_room_to_any_number_of_hits() -> None:
    world = World(1000)
    for id in range(1000):
        world.add(id, Box(1, 1, 1), Pose(10 * (id % 250), 0, 0))
    found = world.cast(Sphere(1), Pose(-10, 0, 0), (3000, 0, 0))
    assert len(found) == 1000
    assert found == sorted(found, key=lambda hit: (hit.fraction, hit.id))
    ray = Sphere(1), Pose(-10, 0, 0), (3000, 0, 0)
    again = World.from_bytes(world.save(), 1000)
    assert again.cast_many([ray, (*ray, 0), ray, (*ray, 1, 0, 999)]) == [
        found,
        [],
        found,
        found[:999],
    ]


def test_cast_many_takes_rows_and_gives_rows() -> None:
    world = World(4)
    world.add(3, Box(5, 5, 5), Pose(100, 0, 0))
    rows = b"".join(
        pack_shapes([shape])
        + pack_poses([ORIGIN])
        + struct.pack("=3i4I", 200, 0, 0, 1, 0, 0, hit_when)
        for shape, hit_when in ((Sphere(5), 0), (Capsule(5, 1), OVERLAPPING))
    )
    answers = world.cast_many(rows)
    assert answers == [world.cast(Sphere(5), ORIGIN, (200, 0, 0))] * 2
    assert list(answers.ends) == [1, 2]
    assert bytes(answers.buffer) == struct.pack("=2I3i", 3, 29491, -ONE, 0, 0) * 2
    assert answers[-1][0].normal == (-ONE, 0, 0)
    assert pickle.loads(pickle.dumps(answers)) == answers
    assert isinstance(answers, CastAnswers)
    assert world.cast_many([]) == []


@refusals("""
asked(shape=Sector(1, 1, 1)) | ValueError | shape must be a Sphere, Capsule / , not Sector
asked(shape=5) | TypeError | shape must be
asked(pose=(0, 0, 0)) | TypeError | pose must be
asked(motion=(0, 0, 2**29)) | ValueError | motion: mz must be
asked(motion=(0.5, 0, 0)) | TypeError | motion: mx must be an integer
asked(motion=5) | TypeError | motion must be (mx, my, mz)
asked(mask=2**32) | ValueError | mask must be
asked(exclude_owner=-1) | ValueError | exclude_owner must be
asked(limit=-1) | ValueError | limit must be
asked(hit_when=0) | ValueError | hit_when must be 1..2
""")
def test_a_world_refuses_what_is_no_cast(refused: Refused) -> None:
    world = World(4)
    good: dict[str, Any] = {"shape": Sphere(1), "pose": ORIGIN, "motion": STILL}
    good |= {"mask": 1, "exclude_owner": 0, "limit": 0, "hit_when": None}
    refused(asked=lambda **bad: world.cast(**{**good, **bad}))
    second = replace(refused, named=f"casts[1]:  / {refused.named}")
    second(
        asked=lambda **bad: world.cast_many([tuple(good.values()), tuple({**good, **bad}.values())])
    )


@refusals("""
w.cast_many([(Sphere(1), ORIGIN)]) | TypeError | casts[0] must be (shape, pose, motion
w.sweep(2, STILL) | KeyError | id 2 is not in the world
w.sweep(4, STILL) | ValueError | id must be 0..3, not 4
w.sweep(1.0, STILL) | TypeError | id must be an integer
w.sweep(0, (0, 2**30, 0)) | ValueError | motion: my must be
w.sweep(1, STILL) | ValueError | the shape of id 1 must be a Sphere, Capsule / , not Sector
""")
def test_a_refused_sweep_leaves_the_world_as_it_is(refused: Refused) -> None:
    world = World(4)
    world.add(0, Sphere(5), ORIGIN)
    world.add(1, Sector(5, 5, 5), ORIGIN)
    before = world.save()
    refused(w=world)
    assert world.save() == before


def test_rows_of_casts_are_refused_by_index_and_field() -> None:
    world = World(4)
    good = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]

    def refused(match: str, at: int, value: int) -> None:
        row = struct.pack("=2I6iI3i4I", *good[:at], value, *good[at + 1 :])
        with pytest.raises(ValueError, match=r"casts\[1\]: " + match):
            world.cast_many(struct.pack("=2I6iI3i4I", *good) + row)

    refused("kind must be", 0, NO_KIND)
    refused("half_angle must be", 1, 1)
    refused(r"size\[0\] \(radius\) must be", 2, 0)
    refused(r"size\[2\] must be 0", 4, 1)
    refused("yaw must be", 8, 65536)
    refused("motion: mx must be", 9, 2**29)
    refused("hit_when must be 0..2", 15, 3)
    sector = struct.pack("=2I6iI3i4I", 4, 5, 5, 5, *good[4:])
    with pytest.raises(ValueError, match=r"casts\[0\]: shape must be a Sphere, .* not Sector"):
        world.cast_many(sector)
    with pytest.raises(ValueError, match="casts must be rows of 64 bytes"):
        world.cast_many(sector[:-4])


# The kernel's arithmetic, with the compiler's 128-bit integers and without.

FORMS = {"128-bit integers": [], "64-bit words": PORTABLE}


@pytest.fixture(
    scope="module",
    params=["128-bit integers", pytest.param("64-bit words", marks=pytest.mark.full)],
)
def kernel(request: pytest.FixtureRequest, builds: Builds) -> ctypes.CDLL:
    found = builds.inside(*FORMS[request.param])
    found.shim_isqrt.restype = found.shim_quotient.restype = found.shim_lid_edge_find.restype = (
        ctypes.c_int64
    )
    return found


def words(*values: int) -> Any:
    """128-bit two's complement numbers, each as its high and its low word."""
    split = [part for v in values for part in (v >> 64 & 2**64 - 1, v & 2**64 - 1)]
    return (ctypes.c_uint64 * len(split))(*split)


wide = strategies.all_scales(0, 2**127 - 1)


@st.composite
def roots(draw: st.DrawFn) -> int:
    """Numbers below 2^125, most of them squares and their neighbours."""
    root = draw(strategies.all_scales(0, isqrt(2**125 - 1)))
    return max(0, root * root + draw(st.sampled_from([0, 0, 1, -1, root])))


def test_roots_and_quotients_are_floors(kernel: ctypes.CDLL) -> None:
    @strategies.examples(500)
    @given(
        roots(), strategies.all_scales(1, 2**63 - 1), strategies.all_scales(0, 2**62 - 1), st.data()
    )
    def check(n: int, d: int, q: int, data: st.DataObject) -> None:
        assert kernel.shim_isqrt(words(n)) == isqrt(n)
        rest = data.draw(st.sampled_from([0, d - 1]) | st.integers(0, d - 1))
        assert kernel.shim_quotient(words(q * d + rest), ctypes.c_int64(d)) == q

    check()
    for d, q in product((2**62 + 1, 2**62 + 5, 2**63 - 1), (1, 3, 12345, 2**62 - 1)):
        for rest in (0, d - 1):
            assert kernel.shim_quotient(words(q * d + rest), ctypes.c_int64(d)) == q


def test_products_and_sums_of_256_bits_are_exact(kernel: ctypes.CDLL) -> None:
    signed = wide.flatmap(lambda v: st.sampled_from([v, -v]))
    halves = st.integers(-(2**126), 2**126)

    @strategies.examples(500)
    @given(signed, signed, halves, halves, st.sampled_from(["any", "opposite"]))
    def check(a: int, b: int, c: int, d: int, how: str) -> None:
        if how == "opposite":
            c, d = -a, b
        out = (ctypes.c_uint64 * 4)()
        sign = kernel.shim_products(words(a, b, c, d), out)
        value = sum(word << 64 * i for i, word in enumerate(out))
        assert value - (value >> 255 << 256) == a * b + c * d
        assert sign == model.sgn(a * b + c * d)

    check()


def test_the_sign_beside_a_root_is_exact(kernel: ctypes.CDLL) -> None:
    @strategies.examples(1000)
    @given(
        roots(),
        strategies.all_scales(1, 2**61 - 1),
        strategies.all_scales(1, 2**94 - 1),
        st.integers(-1, 2),
        st.just(0) | st.integers(-64, 64),
        st.booleans(),
    )
    def check(square: int, r: int, u: int, beside: int, part: int, fine: bool) -> None:
        if fine and u * r < 2**94:  # then r v comes as near to sqrt(square) u as whole numbers can
            u *= r
        v = isqrt(square * u * u) // r + beside + part * u // (64 * r)
        if 0 < v < 2**94:
            expected = model.sgn(square * u * u - r * r * v * v)
            assert kernel.shim_surd(words(square, u, v), ctypes.c_int64(r)) == expected

    check()
    # Where what is over is so far from 0 that its lower half alone has the other sign.
    for square, u, v, r in (
        (0xC1FE556A38A8B5FE4F7C25F50951DE1, 0x1CA03FA6BF04DFE00A5, 0x70066D598766F47559CB,
         64114788185850308),
        (0x973DDFB20A300B31B5D0622DC9, 0x23FB865353BF26F9F73B9CF4, 0xB353B3994EDE44978B8774,
         177812175811894589),
        (0xC5BB1AD143CFACAED8A9FCB3956E178, 0xE93C09A4EA09E99A9, 0x826B35512892E16AA8C5,
         1769578119867559),
        (0x5144F4D56C4CD68E383A535A9C3410E, 0x2B1098F27DEAB67DEC, 0xAE2465237AC6D2A727E37FE,
         612804696694),
    ):  # fmt: skip
        expected = model.sgn(square * u * u - r * r * v * v)
        assert kernel.shim_surd(words(square, u, v), ctypes.c_int64(r)) == expected


@st.composite
def tracks(draw: st.DrawFn) -> Any:
    """Three gaps u + t * m, r and a time n / d, at which the slope or the distance less r is next
    to nothing, or the least distance is next to r: from multiples of (3, 4, 5) and of each
    other."""
    g, q = draw(strategies.all_scales(1, 2**56)), draw(strategies.all_scales(1, 2**57))
    along = draw(st.integers(-(2**56), 2**56))
    jitter = draw(_vector(st.sampled_from([0, 0, 1, -1])))
    x, y = (-4 * g, 3 * g) if draw(st.booleans()) else (-4 * g + 3 * along, 3 * g + 4 * along)
    u = [x + jitter[0], y + jitter[1], 0]
    m = [3 * q, 4 * q + draw(st.integers(0, 1)), draw(st.sampled_from([0, 1, q]))]
    d = draw(strategies.all_scales(1, 2**60))
    n = draw(st.sampled_from([0, d]) | st.integers(0, d))
    if draw(st.booleans()):
        u = [p - v * n // d for p, v in zip(u, m, strict=True)]
    order = draw(st.permutations(range(3)))
    return [u[i] for i in order], [m[i] for i in order], 5 * g + jitter[2], n, d


@pytest.mark.full
def test_the_signs_that_decide_a_turned_cast_are_exact(kernel: ctypes.CDLL) -> None:
    seen: set[tuple[int, int]] = set()

    @settings(max_examples=1500, database=None, derandomize=True)
    @given(tracks())
    def check(track: Any) -> None:
        u, m, r, n, d = track
        assume(max(map(abs, u)) < 2**61 and max(m) < 2**61)
        out, vector = (ctypes.c_int32 * 3)(), ctypes.c_int64 * 3
        kernel.shim_track(vector(*u), vector(*m), *map(ctypes.c_int64, (r, n, d)), out)
        gaps = [p * d + v * n for p, v in zip(u, m, strict=True)]
        b, a = sum(p * v for p, v in zip(u, m, strict=True)), sum(v * v for v in m)
        c = sum(p * p for p in u) - r * r
        slope, value = (
            sum(e * v for e, v in zip(gaps, m, strict=True)),
            sum(e * e for e in gaps) - r * r * d * d,
        )
        assert tuple(out) == tuple(map(model.sgn, (slope, value, b * b - a * c)))
        seen.update(enumerate(out))

    check()
    assert len(seen) == 9


@st.composite
def quadratics(draw: st.DrawFn) -> tuple[int, int, int]:
    """a, b and c of a t^2 - 2 b t + c, many with a discriminant b^2 - a c next to nothing."""
    a, b = draw(strategies.all_scales(1, 2**122)), draw(strategies.all_scales(1, 2**122))
    c = draw(strategies.all_scales(0, 2**123))
    match draw(st.sampled_from(["any", "tangent", "steep"])):
        case "tangent":
            c = min(b * b // a + draw(st.sampled_from([0, 0, 1, -1]) | st.integers(-c, c)), 2**124)
        case "steep":
            c = c % (2 * b)
    return a, b, max(c, 0)


@pytest.mark.full
def test_an_estimate_of_a_root_keeps_what_it_promises(kernel: ctypes.CDLL) -> None:
    """No root where it tells of none, one where it tells of one, and that one is near if it is at
    most 1.
    """
    reported: set[int] = set()

    @settings(max_examples=3000, database=None, derandomize=True)
    @given(quadratics())
    def check(drawn: tuple[int, int, int]) -> None:
        a, b, c = drawn
        fine = ctypes.c_int64()
        answer, discriminant = (
            kernel.shim_estimate(words(a, b, c), ctypes.byref(fine)),
            b * b - a * c,
        )
        reported.add(answer)
        if answer < 0:
            assert discriminant < 0
        elif answer > 0:
            assert discriminant > 0
            below = (b << 64) + isqrt(discriminant << 128)
            least, most = (c << 88) // (below + 1), (c << 88) // below + 1  # of the root, in 2^-24
            if least <= 2**24:
                assert fine.value - 10 <= most
                assert least <= fine.value + 10
            else:
                assert fine.value > 2**24 - 10

    check()
    assert reported == {-1, 0, 1}


RIM_STEPS = 2**32


def numbers(v: Any) -> Any:
    return (ctypes.c_int64 * len(v))(*v)


def is_near_rim(v: list[int], k: int) -> bool:
    """Whether the place at k is in the bounds of all contacts, which is where the kernel asks."""
    if not 0 <= k <= RIM_STEPS:
        return False
    x, y, z = (abs(v[i] * RIM_STEPS + v[3 + i] * k) for i in range(3))
    return max(x, z) <= (v[7] + v[8]) * RIM_STEPS and y <= (v[6] + v[8]) * RIM_STEPS


def contact_at_rim(v: list[int], k: int) -> int:
    """Of a ball of radius r and a cylinder of R and h: v is the difference of their centres, that
    of their motions, h, R and r."""
    ball, disc = ("sphere", v[8] * RIM_STEPS), ("cylinder", v[7] * RIM_STEPS, v[6] * RIM_STEPS)
    x, y, z = (-(v[i] * RIM_STEPS + v[3 + i] * k) for i in range(3))
    return model.contact(ball, 0, disc, 0, (x, y, z))


def scale(rng: random.Random, bits: int) -> int:
    return rng.getrandbits(rng.randint(0, bits))


def rim_touches(rng: random.Random, count: int) -> Iterator[tuple[list[int], int]]:
    """Ways past a rim that touch it at one moment k: Pythagorean triples around cylinder and
    rim.
    """
    while count:
        (a, b, c), (d, e, f) = rng.choice(TRIPLES), rng.choice(TRIPLES[:5])
        g = rng.choice([rng.randint(1, 4), 1 + scale(rng, 24)])
        d, e = abs(d), abs(e)
        out, up, r = d * g, e * g, f * g
        n = out // c + 1 + rng.choice([rng.randint(0, 3), scale(rng, 25)])
        h, wide = rng.choice([rng.randint(1, 4), 1 + scale(rng, 28)]), c * n - out
        bits = rng.choice([3, 20])
        along, over = (rng.choice([-1, 0, 1, 1]) * scale(rng, bits) for _ in range(2))
        motion = [-b * along - e * a * over, d * c * over, a * along - e * b * over]
        room = 30 - max(map(abs, motion)).bit_length()
        if room < 0 or not any(motion) or max(r, wide) > SIZE_MAX:
            continue
        shift = rng.randint(0, room)
        motion = [m << shift for m in motion]
        k = rng.randint(0, 2**shift) << 32 - shift
        at = [p - (m * k >> 32) for p, m in zip((a * n, h + up, b * n), motion, strict=True)]
        if max(map(abs, at)) < 2**31:
            yield [*at, *motion, h, wide, r], k
            count -= 1


def test_the_contact_at_a_rim_is_exact(kernel: ctypes.CDLL) -> None:
    rng = random.Random(3)

    def check(v: list[int], k: int) -> int:
        found: int = kernel.shim_lid_edge_contact(numbers(v), ctypes.c_int64(k))
        assert found == contact_at_rim(v, k), (v, k)
        return found

    for v, k in rim_touches(rng, 1500):
        assert check(v, k) == TOUCHING
        for beside in (1, -1, scale(rng, 32), -scale(rng, 32)):
            if is_near_rim(v, k + beside):
                check(v, k + beside)
    seen = set()
    for _ in range(
        1500
    ):  # at and beside all borders: of the lid, of the cylinder, and of what touches them
        r, wide, h = (1 + scale(rng, 6) for _ in range(3))
        x, z = rng.choice([(1, 0), (3, 4), (0, -5), (-1, 1)])
        far = rng.choice([wide, wide + r, wide // 2, wide + r // 2]) + rng.randint(-1, 1)
        y = rng.choice([h, h + r, -h, -h - r, 0, h + r // 2]) + rng.randint(-1, 1)
        motion = [rng.choice([0, 1, -1, scale(rng, 29)]) for _ in range(3)]
        v = [
            x * far // 5 if x * z else x * far,
            y,
            z * far // 5 if x * z else z * far,
            *motion,
            h,
            wide,
            r,
        ]
        for k in (0, rng.randint(0, 9)):
            if is_near_rim(v, k):
                seen.add(check(v, k))
    assert seen == {0, 1, 2}


def test_a_plane_clears_no_way_on_which_there_is_a_contact(kernel: ctypes.CDLL) -> None:
    rng, reported, of = random.Random(4), 0, 0

    def clears(v: list[int], k: int, first: int, last: int) -> int:
        found: int = kernel.shim_lid_edge_clears(numbers(v), *map(ctypes.c_int64, (k, first, last)))
        return found

    for v, k in rim_touches(rng, 4000):
        for _ in range(3):
            first, last = max(0, k - scale(rng, 32)), min(RIM_STEPS, k + scale(rng, 32))
            facing = max(first, min(last, k + rng.choice([1, -1]) * scale(rng, 32)))
            if is_near_rim(v, first) and is_near_rim(v, last):
                assert not clears(v, facing, first, last), (v, facing, first, last)
                smaller = [*v[:8], v[8] - 1]
                if v[8] > 1 and is_near_rim(smaller, facing):
                    reported, of = reported + clears(smaller, facing, first, last), of + 1
    assert reported > of // 2  # and it does tell of ways that miss by a raw unit


@pytest.mark.parametrize(
    ("v", "at", "beside"),  # beside `at`: the plane's moment, the first and the last
    [
        ((-7390, 3, -3987, 12879, 0, 6940, 1, 2, 3), 2465132306, (0, 0, 6747)),
        ((-1499, 3, -1900, 5719, 0, 7229, 1, 1, 3), 1127654518, (3, -4, 3)),
        ((-1921, 2, -2927, 60569, 0, 92074, 1, 2, 2), 136439822, (2, 0, 5047)),
        ((-2775, 3, -4466, 6419, 0, 10312, 1, 2, 3), 1859164982, (-7, -3751, 4)),
        ((-5422, 2, -5626, 8435, 0, 8744, 1, 2, 2), 2762163478, (-6, -108905, 0)),
        ((-81753, 4, -62025, 105148, 0, 79767, 1, 2, 4), 3339469328, (-1, -191, 0)),
    ],
)
def test_a_plane_does_not_clear_a_contact_2_to_the_minus_28_deep(
    kernel: ctypes.CDLL, v: Any, at: int, beside: Vec3
) -> None:
    """The sizes are so small that what a plane's reach is rounded up by is less than 1 in its own
    units.
    """
    assert contact_at_rim(v, at) == OVERLAPPING
    shallower = [*v[:8], v[8] * 2**28 - 1]  # all in 2^-28 raw units
    shallower[:8] = [number * 2**28 for number in shallower[:8]]
    assert contact_at_rim(shallower, at) == 0
    assert kernel.shim_lid_edge_clears(numbers(v), *(ctypes.c_int64(at + by) for by in beside)) == 0


@pytest.mark.parametrize(
    ("v", "at", "beside"),
    [
        ((-2038851, -12, 2771478, 0, 0, -7766016, 2, 2038827, 26), 1532755968,
         (-55796735, -55796735, 6)),
        ((-11922071, -20, 23914158, 0, 0, -25165824, 4, 11922059, 20), 4081349632,
         (-41341141, -156119011, 106625576)),
        ((1081383, -11, -78036042, 0, 0, 196819968, 3, 1081377, 10), 1702887424,
         (509842, -8025749, 509842)),
    ],
)  # fmt: skip
def test_a_plane_does_not_clear_a_touch_of_a_wide_cylinder_by_a_small_ball(
    kernel: ctypes.CDLL, v: Any, at: int, beside: Vec3
) -> None:
    """The largest of its three components by far has the bits that are kept: the others have
    fewer.
    """
    assert contact_at_rim(v, at) == TOUCHING
    assert kernel.shim_lid_edge_clears(numbers(v), *(ctypes.c_int64(at + by) for by in beside)) == 0


def test_a_contact_at_a_rim_is_found_wherever_it_is(kernel: ctypes.CDLL) -> None:
    rng, found_count = random.Random(5), 0

    def find(v: list[int], first: int, last: int, when: int) -> int:
        found: int = kernel.shim_lid_edge_find(
            numbers(v), *map(ctypes.c_int64, (first, last)), when
        )
        assert found < 0 or (first <= found <= last and contact_at_rim(v, found) >= when), (
            v,
            first,
            last,
        )
        return found

    for v, k in rim_touches(rng, 1500):
        for bits in (0, 1, 2, 32):
            first, last = max(0, k - scale(rng, bits)), min(RIM_STEPS, k + scale(rng, bits))
            if is_near_rim(v, first) and is_near_rim(v, last):
                assert find(v, first, last, TOUCHING) == k
                assert find(v, first, last, OVERLAPPING) == NONE
                if v[8] > 1:
                    smaller = [*v[:8], v[8] - 1]
                    assert (
                        not is_near_rim(smaller, first)
                        or find(smaller, first, last, TOUCHING) == NONE
                    )
                if v[8] < SIZE_MAX:
                    assert find([*v[:8], v[8] + 1], first, last, OVERLAPPING) >= 0
                found_count += 1
                assert find(v, last + 1, first, TOUCHING) == NONE
    assert found_count > 3000


def test_the_slope_at_a_rim_changes_sign_where_the_distance_is_least(kernel: ctypes.CDLL) -> None:
    rng = random.Random(2)
    steps, changes = RIM_STEPS, 0

    def slope(v: list[int], k: int) -> int:
        x, y, z = (v[i] * steps + v[3 + i] * k for i in range(3))
        f, radius, square = max(0, abs(y) - v[6] * steps), v[7] * steps, x * x + z * z
        rise, along = f * (-v[4] if y < 0 else v[4]), x * v[3] + z * v[5]
        if square <= radius * radius:
            return model.sgn(rise)
        return model.sign_of_roots(-radius * along, rise + along, square)

    for _ in range(3000):
        size = 2 ** rng.choice([1, 3, 12, 29])
        r, wide, h = (min(SIZE_MAX, rng.randint(1, size)) for _ in range(3))
        motion = [rng.randint(-size, size) for _ in range(3)]
        wide += r
        k = rng.randint(0, steps)
        at = rng.randint(-wide, wide), h + rng.randint(0, r), rng.randint(-wide, wide)
        v = [
            *(p - m * k // steps for p, m in zip(at, motion, strict=True)),
            *motion,
            h,
            wide - r,
            r,
        ]

        first, last = 0, steps
        if slope(v, first) < 0 < slope(v, last):
            while last - first > 1:
                middle = (first + last) // 2
                first, last = (middle, last) if slope(v, middle) < 0 else (first, middle)
        for at_k in {k, first, last}:
            if is_near_rim(v, at_k):
                changes += at_k in (first, last)
                found = kernel.shim_lid_edge_slope(numbers(v), ctypes.c_int64(at_k))
                assert found == slope(v, at_k), (v, at_k)
    assert changes > 300


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_largest_meet_from_more_than_half_the_world_apart(axis: int, sign: int) -> None:
    """Their places differ by more than 31 bits hold. Of boxes only the corners reach so far: half
    as wide as they are long, they are turned by the arc tangent of a half."""
    large = Capsule(2**28, 2**28 + 2**27) if axis == 1 else Box(SIZE_MAX, 1, SIZE_MAX // 2)
    yaw = 0 if axis == 1 else 4836 + axis * 8192

    def along(value: int) -> tuple[int, int, int]:
        x, y, z = (value if i == axis else 0 for i in range(3))
        return x, y, z

    half, motion = sign * (2**30 + 2**25), sign * SIZE_MAX
    a, b = Pose(*along(half), yaw), Pose(*along(-half), yaw)
    found = cast_pair(large, a, along(-motion), large, b, along(motion))
    assert found is not None
    assert 0 < found[0] < 65536
    assert cast_pair(large, a, along(motion), large, b, along(-motion)) is None

# ruff: noqa: N806 - the names of the contract's own formulas.
"""The model against the vectors, and against what the contract implies."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from math import cos, isqrt, pi, sin
from typing import Any

import model
import model_push
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st


def reach_along(wedge: model.Wedge, nx: float, nz: float) -> float:
    """How far a convex sector reaches along a normal of length 1."""
    e1, e2 = ([v / 2**30 for v in e] for e in (wedge.e1, wedge.e2))
    inside = e2[0] * nz - e2[1] * nx >= 0 and nx * e1[1] - nz * e1[0] >= 0
    ends = [0.0, e1[0] * nx + e1[1] * nz, e2[0] * nx + e2[1] * nz]
    apex = wedge.apex[0] * nx + wedge.apex[1] * nz
    return float(apex + wedge.radius * (1.0 if inside else max(ends)))


def parted_by(a: model.Wedge, b: model.Wedge) -> float:
    """The widest gap that any normal sees between two convex sectors, negative if all see depth."""

    def gap(angle: float) -> float:
        nx, nz = cos(angle), sin(angle)
        return -reach_along(a, nx, nz) - reach_along(b, -nx, -nz)

    count = 720
    best = max(range(count), key=lambda k: gap(2 * pi * k / count))
    low, high = (2 * pi * (best + side) / count for side in (-1, 1))
    for _ in range(60):
        third = (high - low) / 3
        if gap(low + third) < gap(high - third):
            low += third
        else:
            high -= third
    return gap((low + high) / 2)


@pytest.mark.full
@strategies.examples(1000)
@given(st.data())
def test_sectors_meet_where_no_normal_sees_a_gap_between_them(data: st.DataObject) -> None:
    """Support functions, which share nothing with the rule: a gap between convex parts is seen
    along some normal."""
    sizes, angles = st.integers(2000, 9000), st.integers(400, 32767)
    places, yaws = st.integers(-16000, 16000), st.integers(0, 65535)
    a, b = (("sector", data.draw(sizes), data.draw(angles), 1) for _ in "ab")
    pa, pb = ((data.draw(places), 0, data.draw(places), data.draw(yaws)) for _ in "ab")
    parts_a, parts_b = (model.convex_parts(s, p[3], (p[0], p[2])) for s, p in ((a, pa), (b, pb)))
    gap = min(parted_by(p, q) for p in parts_a for q in parts_b)
    contact = model.overlap(a, pa, b, pb)
    if abs(gap) > 2:  # nearer than that, 720 normals may have missed the widest gap
        assert contact == (model.APART if gap > 0 else model.OVERLAPPING)


def is_near_sector(sector: Any, pose: Any, points: list[tuple[int, int]], square: int) -> bool:
    """Whether one of the points lies within the root of square of the sector, in the plane."""
    (_, radius, half_angle, _), (x, _, z, yaw) = sector, pose
    return any(
        model.near_sector(radius, half_angle, yaw, (px - x, pz - z), square) for px, pz in points
    )


def test_a_sector_meets_a_box_where_a_point_of_the_box_lies_in_it() -> None:
    rng = random.Random(9)
    found = {model.APART: 0, model.TOUCHING: 0, model.OVERLAPPING: 0}
    for _ in range(600):
        half_x, half_z = rng.randint(1, 6), rng.randint(1, 6)
        sector = "sector", rng.randint(4, 12), rng.choice([1500, 8192, 13000, 20000]), 1
        pose = rng.randint(-14, 14), 0, rng.randint(-14, 14), rng.randrange(65536)
        contact = model.overlap(sector, pose, ("box", half_x, 1, half_z), (0, 0, 0, 0))
        found[contact] += 1
        points = [*product(range(-half_x, half_x + 1), range(-half_z, half_z + 1))]
        inner = [(px, pz) for px, pz in points if abs(px) < half_x and abs(pz) < half_z]
        # A point of the closed sector inside the box has neighbours inside both.
        if is_near_sector(sector, pose, inner, 0):
            assert contact == model.OVERLAPPING
        # Every point of the box is within 1 of one of the points.
        if contact != model.APART:
            assert is_near_sector(sector, pose, points, 1)
    assert found[model.APART] > 100
    assert found[model.OVERLAPPING] > 100


SOLIDS = strategies.every_kind(
    [("sphere", 3), ("capsule", 4, 2), ("cylinder", 3, 2), ("box", 4, 3, 2), ("box", 1, 2, 6)],
    strategies.SOLIDS,
)
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
        # The way out of other coincident shapes is fixed.
        if not coincident or "box" in (a[0], b[0]):
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
    """Two cylinders 5 apart along a diagonal that need 10: 3-4-5 makes the shortest exactly 5
    long.
    """
    pair = ("cylinder", 5, 5), (0, 0, 0, 0), ("cylinder", 5, 5), (3, 0, 4, 0)
    for allowed in ((-3, -4), (-4, -5)):
        model.check_push_out(*pair, allowed)
    for wrong in ((-4, -6), (-2, -4)):
        with pytest.raises(AssertionError):
            model.check_push_out(*pair, wrong)


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


def test_check_lift_accepts_the_shortest_lift_alone() -> None:
    for pair in overlapping_pairs(400, seed=4):
        dy = shortest_lift(*pair)
        assert model_push.lift(*pair) == dy
        model.check_lift(*pair, dy)
        for wrong in (dy - sgn_or_one(dy), dy + sgn_or_one(dy), -dy):
            with pytest.raises(AssertionError):
                model.check_lift(*pair, wrong)


def test_the_sign_of_a_sum_of_roots_is_that_of_its_value() -> None:
    rng = random.Random(6)
    for _ in range(20000):
        size = rng.choice([2, 5, 40, 10**6])
        A, B, C = (rng.randint(-size, size) for _ in range(3))
        n, m = rng.choice(
            [(4, 9), (2, 8), (3, 3), (0, 5), (7, 7 * 10**4), (rng.randint(0, size), 2)]
        )
        # A sum that is not 0 is a root of a polynomial with small integer coefficients: it is not
        # as near 0.
        value = (A << 400) + B * isqrt(n << 800) + C * isqrt(m << 800)
        expected = 0 if abs(value) < 1 << 100 else model.sgn(value)
        assert model.sign_of_roots(A, B, n, C, m) == expected, (A, B, n, C, m)


@pytest.mark.full
def test_a_cast_agrees_with_contacts_sampled_along_the_way() -> None:
    """No counted contact before the fraction, and one in its step of 1/65536 unless it is a
    graze.
    """
    rng = random.Random(7)
    misses = hits = grazes = 0
    for _ in range(500):
        a, b = rng.choice(SOLIDS), rng.choice(SOLIDS)
        ax, ay, az = (rng.randint(-12, 12) for _ in range(3))
        mx, my, mz = motion = rng.randint(-20, 20), rng.randint(-20, 20), rng.randint(-20, 20)
        pa, pb = (ax, ay, az, rng.choice(YAWS)), (0, 0, 0, rng.choice(YAWS))
        hit_when = rng.choice([model.TOUCHING, model.OVERLAPPING])
        hit = model.cast_pair(a, pa, motion, b, pb, (0, 0, 0), hit_when)
        approach = model.Approach(a, pa[3], b, pb[3], (-ax, -ay, -az), (-mx, -my, -mz))
        sampled = [k for k in range(257) if approach.contact(model.Time(k, 256)) >= hit_when]
        if hit is None:
            assert not sampled
            misses += 1
            continue
        fraction = hit[0]
        assert all(256 * k >= fraction for k in sampled)
        step = [model.Time(64 * fraction + i, 64 * 65536) for i in range(64)]
        if any(approach.contact(t) >= hit_when for t in step):
            hits += 1
        else:
            assert hit_when == model.TOUCHING
            grazes += 1
    assert min(misses, hits) > 50
    assert grazes < hits


def fast_rim_cuts(count: int) -> Iterator[model.Approach]:
    """Balls that fly past a cylinder's rim at full speed and cut it less than 1/128 raw unit
    deep.
    """
    rng = random.Random(8)
    while count:
        radius, disc, h, above = (
            rng.randint(2, 5),
            rng.randint(1, 3),
            rng.randint(1, 3),
            rng.randint(1, 4),
        )
        if above > radius:
            continue
        x, z = -rng.randint(2**28, 2**29), rng.randint(0, 12)
        mx, mz = -2 * (2**29 - rng.randint(1, 1000)), rng.choice([1, -1]) * 2 * (2**29 - 1)
        start, motion = (-x, -h - above, z - mz * x // mx), (mx, 0, mz)
        # In 2^-20 raw units: how far the contact reaches at this height, and how near the line
        # comes.
        reach = (disc << 20) + isqrt((radius**2 - above**2) << 40)
        nearest = isqrt((model.cross((start[0], start[2]), (mx, mz)) ** 2 << 40) // (mx**2 + mz**2))
        if nearest > disc << 20 and 0 <= reach - nearest < 2**13:
            count -= 1
            yield model.Approach(("sphere", radius), 0, ("cylinder", disc, h), 0, start, motion)


@pytest.mark.full
def test_a_fast_cast_along_a_rim_hits_just_where_a_step_of_its_grid_does() -> None:
    """Some cuts are so short that no step, or no even step, of the grid falls into them."""
    hits_of_one_step = skipped = 0
    for approach in fast_rim_cuts(200):
        d, m = approach.start, approach.motion
        nearest = model.Time(-d[0] * m[0] - d[2] * m[2], m[0] ** 2 + m[2] ** 2)
        assert approach.contact(nearest) >= model.TOUCHING
        middle = nearest.floor(2**32)
        contacts = (approach.contact(model.Time(k, 2**32)) for k in range(middle - 30, middle + 30))
        steps = [middle - 30 + k for k, contact in enumerate(contacts) if contact >= model.TOUCHING]

        half = tuple(c // 2 for c in m)
        opposite = tuple(-c for c in half)
        hit = model.cast_pair(approach.a, (0, 0, 0, 0), opposite, approach.b, (*d, 0), half)
        if steps:
            assert hit is not None
            assert hit[0] == steps[0] // 65536
        else:
            assert hit is None
        hits_of_one_step += len(steps) == 1
        skipped += not steps
    assert hits_of_one_step > 10
    assert skipped > 10


def test_a_time_rounds_down_on_either_side_of_a_root() -> None:
    assert [model.Time(10, 1, v, 2).floor(1) for v in (-1, 0, 1)] == [8, 10, 11]
    assert [model.Time(10, 3, v, 4).floor(3) for v in (-1, 1)] == [8, 12]
    assert model.Time(-1, 3).floor(1) == -1


def test_a_cast_finds_an_irrational_time_to_the_last_step() -> None:
    """From x = -3 at z = 1 the axes come within 2 at x = -sqrt(3)."""
    still = (0, 0, 0, 0), (0, 0, 0)
    hit = model.cast_pair(("sphere", 1), (-3, 0, 1, 0), (3, 0, 0), ("cylinder", 1, 5), *still)
    assert hit is not None
    assert hit[0] == 65536 - isqrt(65536**2 // 3) - 1


@pytest.mark.full
def test_near_pairs_reach_every_contact_of_every_pair_of_kinds() -> None:
    """The strategy earns its name: of each two kinds it finds APART, TOUCHING and OVERLAPPING."""
    found: dict[tuple[str, ...], set[int]] = {}

    # What is drawn depends on the constants in the modules that happen to be there: so many that it
    # does not matter.
    @settings(max_examples=4000, deadline=None, database=None, derandomize=True)
    @given(strategies.near_pairs())
    def collect(pair: Any) -> None:
        a, pa, b, pb = pair
        kinds = tuple(sorted((a[0], b[0])))
        found.setdefault(kinds, set()).add(model.overlap(a, pa, b, pb))

    collect()
    assert len(found) == 15
    for kinds, contacts in found.items():
        assert contacts == {0, 1, 2}, kinds


def test_a_saved_state_has_the_half_angle_of_kinds_that_are_not_sectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = [(name, 1, 9) for name in ("half_x", "half_angle", "half_height", "half_z")]
    monkeypatch.setitem(model.KINDS, "wedge", tuple(sizes))
    monkeypatch.setattr(model, "ORDER", tuple(model.KINDS))
    world, loaded = model.ModelWorld(4, 1), model.ModelWorld(4, 1)
    world.add(1, ("wedge", 2, 3, 4, 5), (0, 0, 0, 0))
    loaded.load(world.save())
    assert loaded.colliders[1].shape == ("wedge", 2, 3, 4, 5)
    assert loaded.save() == world.save()

"""Contact of two shapes, over whole small domains and at the ends of the large one, against the
model.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import gcd, isqrt
from operator import itemgetter
from random import Random
from typing import Any

import model
import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import UNTURNED, every_kind
from tools import each, ints, rows

from fixsync import Box, Capsule, Cylinder, Pose, Sector, Sphere, World, overlap, overlap_many
from fixsync.world.shapes import shape_from_tuple

EIGHT_YAWS = range(0, 65536, 8192)


def mismatches(cases: list[Any]) -> list[Any]:
    """Of (shape_a, pose_a, shape_b, pose_b), those whose contact is not the model's, in both orders
    and alone."""
    shapes = {shape: shape_from_tuple(shape) for case in cases for shape in case[::2]}
    poses = {pose: Pose(*pose) for case in cases for pose in case[1::2]}
    a, pa = [shapes[case[0]] for case in cases], [poses[case[1]] for case in cases]
    b, pb = [shapes[case[2]] for case in cases], [poses[case[3]] for case in cases]
    expected = [int(model.overlap(*case)) for case in cases]
    forward, backward = list(overlap_many(a, pa, b, pb)), list(overlap_many(b, pb, a, pa))
    alone = map(overlap, a, pa, b, pb)
    found = zip(cases, expected, forward, backward, alone, strict=True)
    return [case for case, *contacts in found if len(set(contacts)) != 1]


def world_mismatches(cases: list[Any]) -> list[Any]:
    """Of such cases, those that a step or a query of a world tells otherwise: each pair has two
    layers of its own, and of both colliders the shape asks for the other."""
    wrong = []
    for start in range(0, len(cases), 16):
        some = cases[start : start + 16]
        expected = [int(model.overlap(*case)) for case in some]
        sides = [[(shape_from_tuple(case[i]), Pose(*case[i + 1])) for case in some] for i in (0, 2)]
        for hit_when in (1, 2):
            world = World(32, hit_when=hit_when, layers=[(2 * i, 2 * i + 1) for i in range(16)])
            world.add_many([(i, *sides[i % 2][i // 2], i) for i in range(2 * len(some))])
            hits = {event.a // 2: int(event.contact) for event in world.step()}
            asked = [(*sides[1 - i % 2][i // 2], 1 << i) for i in range(2 * len(some))]
            for answers in (world.query_many(asked), [world.query(*one) for one in asked]):
                for n, contact in enumerate(expected):
                    met = contact if contact >= hit_when else 0
                    found = [[2 * n], [2 * n + 1]] if met else [[], []]
                    if (
                        hits.get(n, 0) != met
                        or [list(answers[2 * n]), list(answers[2 * n + 1])] != found
                    ):
                        wrong.append(some[n])
    return wrong


def corners_of(half_x: int, half_z: int, yaw: int) -> list[tuple[int, int]]:
    """The corners of a turned box, in Q.46."""
    c, s = model.direction(yaw)
    return [(x * c - z * s, x * s + z * c) for x in (-half_x, half_x) for z in (-half_z, half_z)]


SMALL: dict[str, list[Any]] = every_kind(
    {
        "sphere": [("sphere", r) for r in (1, 2, 3)],
        "capsule": [("capsule", r, h) for r in (1, 2) for h in (0, 1)],
        "cylinder": [("cylinder", r, 1) for r in (1, 2, 3)],
        "box": [("box", x, 1, z) for x, z in ((1, 1), (1, 2), (3, 1))],
        "sector": [
            ("sector", r, a, 1)
            for r, a in ((3, 1), (3, 8192), (2, 16384), (3, 20000), (2, 32767), (2, 32768))
        ],
        "ring": [
            ("sector", r, a, 1, i)
            for r, a, i in ((3, 1, 2), (3, 8192, 1), (4, 16384, 2), (3, 20000, 2), (2, 32768, 1))
        ],
    }
)
SECTORS = {"sector", "ring"}


PAIRS = list(combinations_with_replacement(SMALL, 2))
GRID = [d for d in product(range(-5, 6), (0, 1, 3), range(-5, 6)) if d[1] == 0 or sum(d) % 2 == 0]


@pytest.mark.full
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_every_small_pair_on_a_small_grid_and_eight_yaws(one: str, other: str) -> None:
    """All of them, so that every order of every boundary occurs: nothing is left to a lucky
    draw.
    """
    turned = (0, 8192) if {one, other} <= SECTORS else EIGHT_YAWS
    yaws = dict.fromkeys(UNTURNED, (0,))
    cases = [
        (a, (0, 0, 0, yaw_a), b, (*d, yaw_b))
        for a, yaw_a in product(SMALL[one], yaws.get(one, turned))
        for b, yaw_b in product(SMALL[other], yaws.get(other, turned))
        for d in GRID
    ]
    assert mismatches(cases) == []
    assert world_mismatches(cases[:: len(cases) // 1500 | 1]) == []


ENDS = (-(2**31), -(2**31) + 1, -(2**30), -1, 0, 2**29 - 1, 2**31 - 2, 2**31 - 1)
LARGE = 2**29 - 1


AT_THE_ENDS: dict[str, list[Any]] = every_kind(
    {
        "sphere": [("sphere", r) for r in (1, LARGE)],
        "capsule": [("capsule", 1, LARGE), ("capsule", LARGE, 0), ("capsule", LARGE, LARGE)],
        "cylinder": [("cylinder", 1, LARGE), ("cylinder", LARGE, 1), ("cylinder", LARGE, LARGE)],
        "box": [("box", LARGE, LARGE, LARGE), ("box", 1, LARGE, LARGE), ("box", LARGE, 1, 2)],
        "sector": [("sector", LARGE, a, LARGE) for a in (1, 16384, 16385, 32767, 32768)],
        "ring": [
            ("sector", LARGE, a, LARGE, i)
            for a, i in ((1, 1), (16384, LARGE - 1), (16385, 2**28), (32768, LARGE - 1))
        ],
    }
)


@each(("one", "other"), PAIRS)
def test_the_smallest_and_largest_sizes_at_the_ends_of_int32(one: str, other: str) -> None:
    cases = []
    for n, (a, b, x, z) in enumerate(product(AT_THE_ENDS[one], AT_THE_ENDS[other], ENDS, ENDS)):
        for y_a, y_b, yaw_a, yaw_b in (
            (0, 0, 1, 16383),
            (-(2**31), 2**31 - 1, 0, 0),
            (5, ENDS[n % 8], 40000, 7 * n % 65536),
        ):
            at = (ENDS[n // 3 % 8], y_a, ENDS[n // 7 % 8], yaw_a)
            cases.append((a, at, b, (x, y_b, z, yaw_b)))
            # And next to each other at the far end, where a difference that wrapped would show.
            next_to = (max(x - LARGE, -(2**31)), y_a, max(z - 1, -(2**31)), yaw_b)
            cases.append((a, (x, y_a, z, yaw_a), b, next_to))
    cases = strategies.some(cases)
    assert mismatches(cases) == []
    assert world_mismatches(cases[:: len(cases) // 1500 | 1]) == []


def test_large_wide_sectors_that_face_away_are_those_of_the_model_as_far_as_they_reach() -> None:
    largest = 2**29 - 1
    cases = []
    for radius, other in ((largest, largest), (largest, 5), (3 * 2**27, largest)):
        reach = radius + other
        for angle, facing, turn in product((16385, 20000, 32767), (0, 8192, 32768), (0, 7, 32768)):
            for part in (2, 5, 6, 7, 8):
                x = reach * part // 8
                one = ("sector", radius, angle, 5), (-(x // 2), 0, 0, (32768 + turn) % 65536)
                two = ("sector", other, 49152 - angle, 5), (x - x // 2, 0, part, facing)
                cases.append((*one, *two))
    assert {model.overlap(*case) for case in cases} == {0, 2}
    assert mismatches(cases) == []


def test_what_is_far_apart_on_one_axis_is_apart_however_far() -> None:
    """From 3037000500 raw units on the square of a distance has no room in 64 bits."""
    shapes = [("cylinder", 9, 9), ("cylinder", 2**28, 9), ("box", 9, 9, 9), ("box", LARGE, 9, 1)]
    cases = []
    for a, b in product(shapes, repeat=2):
        for far in (2**30, 2**31, 3037000499, 3037000500, 3 * 2**30 - 1, 3 * 2**30, 2**32 - 1):
            cases.append((a, (-(2**31), 0, 0, 0), b, (far - 2**31, 0, 5, 0)))
            cases.append((a, (0, -(2**31), 0, 0), b, (5, far - 2**31, 0, 0)))
            cases.append((a, (0, 0, -(2**31), 0), b, (5, 0, far - 2**31, 0)))
    assert mismatches(cases) == []


def test_the_corner_of_a_huge_turned_box_is_met_outside_its_bounds_rounded_down() -> None:
    """A direction is not quite as long as 1, so that the box it turns may reach past its ideal
    corner.
    """
    random, cases, met_beyond = Random(5), [], Counter[int]()
    others = [("sphere", LARGE), ("cylinder", LARGE, 5), ("box", LARGE, 5, LARGE)]
    for n in range(600):
        near_a_quarter = n % 4 * 16384 + random.choice((-2, -1, 1, 2))
        yaw = near_a_quarter % 65536 if n < 200 else random.randrange(65536)
        half_x, half_z = random.randrange(2**24, LARGE), random.randrange(2**24, LARGE)
        if n >= 400:  # the shortest direction there is, and about the longest diagonals
            yaw = n % 4 * 16384 + 7848
            half_x, half_z = LARGE - random.randrange(2**12), LARGE - random.randrange(2**12)
        for axis in (0, 1):
            corner = max(corners_of(half_x, half_z, yaw), key=itemgetter(axis))
            for beyond in range(4):
                place = [(2 * v + 2**30) // 2**31 for v in corner]
                place[axis] = corner[axis] // 2**30 + LARGE + beyond
                box = ("box", half_x, 5, half_z), (0, 0, 0, yaw)
                pair = others[n % 3], (place[0], 0, place[1], 0), *box
                cases.append(pair)
                met_beyond[beyond] += model.overlap(*pair) > 0
    assert mismatches(cases) == []
    assert world_mismatches(cases) == []
    assert met_beyond[1] > met_beyond[2] > 0, "none of them is met there: draw others"


def part_by(yaw: int, other: int) -> tuple[int, int]:
    """How far whole parts of the product of two directions are above those of their
    difference's.
    """
    (c, s), (c2, s2) = model.direction(yaw), model.direction(other)
    product_of = abs(c * c2 + s * s2) >> 30, abs(c * s2 - s * c2) >> 30
    exact = model.direction((other - yaw) % 65536)
    return product_of[0] - abs(exact[0]), product_of[1] - abs(exact[1])


def test_turned_boxes_are_told_by_the_direction_between_their_yaws_to_the_last_bit() -> None:
    """The product of two directions is nearly that one: on the longest boxes it is off by a raw
    unit.
    """
    random, cases, seen = Random(17), [], Counter[bool]()
    yaws = [(1, 69), (1, 4860), (20001, 20071)]
    while len(yaws) < 24:
        yaw, other = random.randrange(65536), random.randrange(65536)
        parts = part_by(yaw, other)
        if 1 in parts or -2 in parts:
            yaws.append((yaw, other))
            seen[1 in parts] += 1
    assert min(seen[False], seen[True]) >= 5
    for (yaw, other), (half_x, half_z) in product(yaws, ((LARGE, 99), (99, LARGE), (LARGE, LARGE))):
        corners, (n_x, n_z) = corners_of(half_x, half_z, yaw), model.direction(other)
        for face in ((n_x, n_z), (-n_z, n_x)):  # which the furthest corner touches, or nearly
            x, z = max(corners, key=lambda corner: corner[0] * face[0] + corner[1] * face[1])
            for dx, dz in product(range(-2, 3), repeat=2):
                at = (x + 99 * face[0]) // 2**30 + dx, 0, (z + 99 * face[1]) // 2**30 + dz, other
                cases.append((("box", half_x, 1, half_z), (0, 0, 0, yaw), ("box", 99, 1, 99), at))
    assert mismatches(cases) == []


def test_a_point_one_raw_unit_behind_the_apex_is_nearest_to_the_apex() -> None:
    """The border between a sector's apex and its edges, on turned edges, where t is about 0."""
    cases = [
        (("sector", 50, half_angle, 5), (0, 0, 0, yaw), ("cylinder", r, 5), (x, 0, z, 0))
        for half_angle, yaw in ((9000, 100), (1, 8192), (20001, 31000))
        for x, z in product(range(-4, 5), repeat=2)
        for r in (1, 2, 3, 5)
    ]
    assert mismatches(cases) == []


def ball_that_sees(square: int, height: int) -> tuple[Any, int]:
    """A sphere, and how far above a prism of this half height its r^2 - f^2 is next to `square`."""
    radius = isqrt(square) + 2
    return ("sphere", radius), height + isqrt(radius * radius - square)


def test_a_sectors_edge_ends_where_its_direction_does_and_not_at_its_radius() -> None:
    """A direction is not quite as long as 1: gaps beside a long edge are not those past its tip."""
    random, cases = Random(7), []
    for _ in range(300):
        radius, away = LARGE - random.randrange(1000), random.randrange(2**20, 2**28)
        yaw, half_angle = random.randrange(65536), random.randrange(1, 32768)
        x, z = model.direction((yaw + half_angle) % 65536)
        at = [(radius * v + away * w) // 2**30 + random.randrange(2) for v, w in ((x, -z), (z, x))]
        cross, tip = (
            x * at[1] - z * at[0],
            [2**30 * v - radius * w for v, w in zip(at, (x, z), strict=True)],
        )
        gaps = sorted(((tip[0] ** 2 + tip[1] ** 2) // 2**60, cross**2 // 2**60))
        for square in (gaps[0] - 1, sum(gaps) // 2, gaps[1] + 1):
            ball, y = ball_that_sees(square, 5)
            cases.append(
                (("sector", radius, half_angle, 5), (0, 0, 0, yaw), ball, (at[0], y, at[1], 0))
            )
    assert mismatches(cases) == []


@pytest.mark.parametrize("eighth", [8192, 24576, 40960, 57344])
def test_along_a_sectors_edge_the_arc_decides_and_square_to_it_the_apex(eighth: int) -> None:
    """Whole places on an edge, and square to it, are on odd eighths, whose directions are longer
    than 1.
    """
    c, s = (1 if v > 0 else -1 for v in model.direction(eighth))
    cases = []
    for half_angle, side in product((1, 5000, 16384, 20000, 32767), (1, -1)):
        yaw = (eighth - side * half_angle) % 65536
        for along in (
            2**28 + 7,
            2**29 - 9,
        ):  # past the arc, by the gap to the arc, to the edge's tip, and between
            for radius in (2**28 - 1, 2**28 + 2**26):
                x, z = model.direction(eighth)
                tip = (2**30 * along * c - radius * x) ** 2 + (2**30 * along * s - radius * z) ** 2
                gaps = (isqrt(2 * along * along) - radius) ** 2, tip // 2**60
                for square in (gaps[0], sum(gaps) // 2, gaps[1]):
                    ball, y = ball_that_sees(square, 5)
                    pose = (along * c, y, along * s, 0)
                    cases.append((("sector", radius, half_angle, 5), (0, 0, 0, yaw), ball, pose))
        for m in (1, 1000, 2**26):  # (3m)^2 - m^2 = (2m)^2 + (2m)^2
            for way in (1, -1):
                pose = (-2 * m * s * way, 5 + m, 2 * m * c * way, 0)
                cases.append(
                    (("sector", LARGE, half_angle, 5), (0, 0, 0, yaw), ("sphere", 3 * m), pose)
                )
    assert mismatches(cases) == []


def along(e: tuple[int, int], dot: int) -> tuple[int, int]:
    """The place nearest to the line of e whose product with e is `dot`."""
    x, z = e
    g = gcd(x, z)
    dx = dot // g * pow(x // g, -1, abs(z) // g) % (abs(z) // g)
    dz = (dot - x * dx) // z
    k = round(Fraction(dot * x, x * x + z * z) - dx) * g // z
    return dx + k * z // g, dz - k * x // g


@pytest.mark.parametrize("with_hole", [False, True])
def test_where_a_sectors_edge_begins_and_ends_is_decided_to_the_last_bit(with_hole: bool) -> None:
    """Places level with the ends of an edge, the hole's among them, or by 2^-30 of a raw unit not
    level with them.
    """
    random, cases, exact = Random(11 + 2 * with_hole), [], 0
    while exact < 200:
        yaw, half_angle = random.randrange(65536), random.randrange(1, 32768)
        radius = random.randrange(2**28, LARGE)
        inner = random.randrange(1, 2**28) if with_hole else 0
        side = random.choice((1, -1))
        e = model.direction((yaw + side * half_angle) % 65536)
        if 0 in e or gcd(*e) > 1:
            continue
        for end, by in product((inner, radius), (-1, 0, 1)):
            x, z = along(e, end * 2**30 + by)
            assert e[0] * x + e[1] * z == end * 2**30 + by
            cross = e[0] * z - e[1] * x
            if side * cross <= 0 or abs(cross) > 2**58:
                continue
            exact += 1
            tip = (2**30 * x - end * e[0]) ** 2 + (2**30 * z - end * e[1]) ** 2
            for gap in (cross**2, tip, (cross**2 + tip) // 2):
                ball, y = ball_that_sees(gap // 2**60, 5)
                sector = ("sector", radius, half_angle, 5, *([inner] if inner else []))
                cases.append((sector, (0, 0, 0, yaw), ball, (x, y, z, 0)))
    assert mismatches(cases) == []


def test_a_corner_on_the_line_of_an_edge_and_within_the_radius_touches_past_the_edges_end() -> None:
    """The box is on either side of the line, or its centre on it; the edge's direction is a bit
    short.
    """
    cases = []
    for edge in range(60000, 65536):
        x, z = model.direction(edge)
        g, square = gcd(x, z), x * x + z * z
        for n in range(1, (g + 1) // 2):  # the corner is n / g along the direction
            radius = (isqrt(n * n * square - 1) // g) + 1
            if radius * g >= n * 2**30 or radius > LARGE:
                continue
            corner = (n * x // g, n * z // g)
            halves = (7, 70000000), (70000000, 7), (abs(x) // g, abs(z) // g)
            for half_angle, (half_x, half_z), side in product((100, 16384, 20000), halves, (1, -1)):
                centre = (
                    corner[0] + (half_x if x > 0 else -half_x),
                    corner[1] + (half_z if z > 0 else -half_z),
                )
                pose = (0, 0, 0, (edge - side * half_angle) % 65536)
                sector = ("sector", radius, half_angle, 5), pose
                cases.append((*sector, ("box", half_x, 5, half_z), (centre[0], 0, centre[1], 0)))
            break
    assert {model.overlap(*case) for case in cases} == {1, 2}
    assert mismatches(cases) == []


def test_a_corner_on_an_edge_where_the_hole_ends_is_decided_by_its_own_length() -> None:
    """A box's far corner is i times the edge's direction, which is a bit longer than 1 or shorter:
    the corner itself, or the edge that ends at it, decides.
    """
    cases, expected = [], Counter[int]()
    for edge in range(100, 65536, 37):
        x, z = model.direction(edge)
        if x % 4 or z % 4 or 0 in (x, z):
            continue
        inner, corner = 2**28, (x // 4, z // 4)
        for half_angle, side, half in product((100, 16384, 20000), (1, -1), (9, 2**20)):
            ring = ("sector", 2**29 - 1, half_angle, 5, inner)
            at = [v - half if v > 0 else v + half for v in corner]
            pose = (0, 0, 0, (edge - side * half_angle) % 65536)
            case = (ring, pose, ("box", half, 5, half), (at[0], 0, at[1], 0))
            expected[int(model.overlap(*case))] += 1
            cases.append(case)
    assert expected.keys() >= {1, 2}
    assert mismatches(cases) == []


def test_the_very_tip_of_a_sectors_edge_touches_a_face_beyond_the_radius() -> None:
    """A face at a whole place on which a tip lies; the edge's direction, and so the edge, is too
    long.
    """
    cases = []
    for edge in range(65536):
        e = model.direction(edge)
        for axis in (0, 1):
            if e[axis] % 4096 or 0 in e or e[0] ** 2 + e[1] ** 2 <= 2**60:
                continue
            for radius in range(2**28, LARGE, 2**18):
                at = [
                    abs(radius * v) // 2**30 for v in e
                ]  # the tip, and beside it the corner of a box
                if at[0] ** 2 + at[1] ** 2 <= radius**2:
                    continue
                centre = [(v + 99) * (1 if w > 0 else -1) for v, w in zip(at, e, strict=True)]
                sector = ("sector", radius, 5000, 5), (0, 0, 0, (edge - 5000) % 65536)
                cases.append((*sector, ("box", 99, 5, 99), (centre[0], 0, centre[1], 0)))
                break
    assert {model.overlap(*case) for case in cases} == {1}
    assert mismatches(cases) == []


def test_rings_are_those_of_the_vectors_for_pairs_worlds_and_queries() -> None:
    """Of an independent implementation; most are within a raw unit of another answer."""
    cases, expected = [], []
    for row in rows("ring.csv"):
        (a, b), (pa, pb) = (
            [tuple(json.loads(row[f"shape_{side}"])) for side in "ab"],
            [ints(row, *(side + n for n in ("x", "y", "z", "yaw"))) for side in "ab"],
        )
        cases.append((a, pa, b, pb))
        expected.append(int(row["contact"]))
    assert [int(model.overlap(*case)) for case in cases] == expected
    assert Counter(expected).keys() == {0, 1, 2}
    assert mismatches(cases) == []
    assert world_mismatches(cases) == []


@pytest.mark.parametrize("half_angle", [1, 8192, 16384, 16385, 30000, 32768])
def test_a_body_wholly_in_the_hole_is_apart_and_one_that_reaches_out_is_not(
    half_angle: int,
) -> None:
    """A ring whose hole is 10: what fills the hole TOUCHES its border, one raw unit more
    overlaps.
    """
    ring = Sector(20, half_angle, 5, 10)
    for make in (Sphere, lambda r: Capsule(r, 2), lambda r: Cylinder(r, 2)):
        found = [overlap(ring, Pose(0, 0, 0), make(r), Pose(4, 0, 0)) for r in (5, 6, 7)]
        assert found == [0, 1, 2]
    found = [overlap(ring, Pose(0, 0, 0), Box(r, 2, 1), Pose(0, 0, 0)) for r in (9, 11)]
    assert found == [0, 2]
    in_front = [overlap(ring, Pose(0, 0, 0), Box(2, 2, 9), Pose(x, 0, 0)) for x in (22, 23)]
    assert in_front == [1, 0]


def test_a_shape_stands_at_its_centre_which_is_the_apex_of_a_sector() -> None:
    """The offset (100, 7, 0) of a yaw of a quarter turn: the apex is at (0, 7, 100)."""
    sector, ball = Sector(50, 100, 5), Sphere(10)
    for z, contact in ((89, 0), (90, 1), (91, 2), (159, 2), (160, 1), (161, 0)):
        world = World(2)
        world.add(0, sector, Pose(0, 0, 0, 16384), offset=(100, 7, 0))
        world.add(1, ball, Pose(0, 7, z))
        assert world.contact(0, 1) == contact
        assert overlap(sector, Pose(0, 7, 100, 16384), ball, Pose(0, 7, z)) == contact


def test_the_half_height_of_a_box_is_half_y() -> None:
    low, high = Pose(0, 0, 0), [Pose(0, 40 + y, 0) for y in (-1, 0, 1)]
    for other in (Sphere(10), Capsule(3, 7), Cylinder(99, 10), Box(99, 10, 99), Sector(99, 9, 10)):
        assert [overlap(Box(1, 30, 2), low, other, place) for place in high] == [2, 1, 0]


@given(st.lists(strategies.near_pairs(), min_size=8, max_size=16))
def test_a_world_tells_of_pairs_near_touching_what_the_model_tells(pairs: Any) -> None:
    assert world_mismatches(pairs) == []


@given(strategies.near_pairs())
def test_a_mirrored_pair_has_the_same_contact(pair: Any) -> None:
    """x to -x: a yaw becomes half a turn less the yaw; a box looks the same from the other side."""
    a, pose_a, b, pose_b = pair
    mirrored = [(-x, y, z, (32768 - yaw) % 65536) for x, y, z, yaw in (pose_a, pose_b)]
    assume(all(-(2**31) <= v < 2**31 for pose in mirrored for v in pose[:3]))
    before = overlap(shape_from_tuple(a), Pose(*pose_a), shape_from_tuple(b), Pose(*pose_b))
    assert (
        overlap(shape_from_tuple(a), Pose(*mirrored[0]), shape_from_tuple(b), Pose(*mirrored[1]))
        == before
    )

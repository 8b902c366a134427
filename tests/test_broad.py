"""The broad phase only proposes: whatever the layout, hits and queries are those of all pairs."""

import random
from contextlib import suppress
from itertools import combinations, product
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import KINDS, SOLIDS, every_kind, examples, rounds
from tools import by_default, each

from fixsync import (
    Box,
    Capsule,
    Contact,
    Cylinder,
    Level,
    Pillar,
    Pose,
    Prism,
    Sector,
    Sphere,
    World,
    direction,
    overlap,
    overlap_many,
)

INT32 = 2**31 - 1
ONE = 65536


def shape_of(kind, size, angle):
    shapes = every_kind(
        [
            Sphere(size),
            Capsule(size, size // 2),
            Cylinder(size, max(1, size // 3)),
            Box(size, max(1, size // 4), max(1, size // 2)),
            Sector(size, angle, size),
        ]
    )
    return shapes[KINDS.index(kind)]


LAYOUTS = {
    # name: (spread of x, y, z around the middle; smallest and largest size; middles)
    "a plane": ((40, 0, 40), (1, 3), [(0, 0, 0)]),
    "a cube": ((12, 12, 12), (1, 3), [(0, 0, 0)]),
    "a tower": ((1, 300, 1), (1, 3), [(0, 0, 0)]),
    "a line on x": ((500, 0, 1), (1, 3), [(0, 0, 0)]),
    "a line on z": ((1, 0, 500), (1, 3), [(0, 0, 0)]),
    "one point": ((0, 0, 0), (1, 1), [(0, 0, 0)]),
    "all sizes": ((2**20, 2**10, 2**20), (0, 20), [(0, 0, 0)]),
    "the largest": ((2**31, 2**31, 2**31), (20, 29), [(0, 0, 0)]),
    "corners": (
        (9, 9, 9),
        (1, 3),
        [(x, y, z) for x in (-INT32, INT32) for y in (-INT32, INT32) for z in (-INT32, INT32)],
    ),
    "corners of large and small": (
        (2**29, 9, 2**29),
        (0, 29),
        [(x, y, z) for x in (-INT32, INT32) for y in (0, INT32) for z in (-INT32, INT32)],
    ),
}


MATRICES = (
    None,
    [],
    [(0, 1)],
    [(0, 0), (1, 2)],
    # Where crowds stand on layers that do not meet, and more kinds of layers than the search keeps
    # apart.
    [(a, b) for a in range(32) for b in range(a)],
    [(a, a) for a in range(32)],
    [(a, a + 1) for a in range(31)],
    [(a, b) for a in range(32) for b in range(a + 1) if (a * 7 + b * 3) % 5 == 0],
)


@st.composite
def crowds(draw, least=0, most=300):
    """A layout's name and colliders: (shape, pose, layer, owner, active)."""
    name = draw(st.sampled_from(sorted(LAYOUTS)))
    (wx, wy, wz), (low, high), middles = LAYOUTS[name]
    rng = draw(st.randoms(use_true_random=False))
    count = draw(st.integers(least, most))
    layers, owners = (
        draw(st.sampled_from([(1, 1), (3, 3), (32, 2)])),
        draw(st.sampled_from([0, 1, 3])),
    )

    def near(middle, spread):
        return max(-INT32 - 1, min(INT32, middle + rng.randint(-spread, spread)))

    found = []
    for _ in range(count):
        x, y, z = rng.choice(middles)
        size = min(2**29 - 1, rng.randint(max(1, 2**low), 2 ** rng.randint(low, high)))
        shape = shape_of(rng.choice(KINDS), size, rng.choice((1, 8192, 20000, 32768)))
        pose = Pose(
            near(x, wx), near(y, wy), near(z, wz), rng.choice((0, 16384, rng.randrange(65536)))
        )
        active = rng.random() < 0.9
        found.append((shape, pose, rng.randrange(layers[0]), rng.randint(0, owners), active))
    return name, found


def world_of(found, matrix=None, hit_when=Contact.TOUCHING, spread=1):
    world = World(max(1, len(found) * spread), hit_when=hit_when, layers=matrix)
    for i, (shape, pose, layer, owner, active) in enumerate(found):
        world.add(i * spread, shape, pose, layer=layer, owner=owner, active=active)
    return world


def pairs_that_may_hit(found, matrix):
    allowed = None if matrix is None else {frozenset(pair) for pair in matrix}
    for (i, p), (j, q) in combinations(enumerate(found), 2):
        layers_meet = allowed is None or frozenset((p[2], q[2])) in allowed
        if p[4] and q[4] and layers_meet and (p[3] == 0 or p[3] != q[3]):
            yield i, j


def hits_by_all_pairs(found, matrix, hit_when, spread=1):
    pairs = list(pairs_that_may_hit(found, matrix))
    if not pairs:
        return []
    shapes, poses = [c[0] for c in found], [c[1] for c in found]
    contacts = overlap_many(
        [shapes[i] for i, _ in pairs],
        [poses[i] for i, _ in pairs],
        [shapes[j] for _, j in pairs],
        [poses[j] for _, j in pairs],
    )
    return [
        (i * spread, j * spread, c)
        for (i, j), c in zip(pairs, contacts, strict=True)
        if c >= hit_when
    ]


def check_step(found, matrix=None, hit_when=Contact.TOUCHING, spread=1):
    """A step of a world of these finds what all pairs find: the world, and how many hits."""
    world = world_of(found, matrix, hit_when, spread)
    events = [(e.a, e.b, e.contact) for e in world.step()]
    assert events == hits_by_all_pairs(found, matrix, hit_when, spread)
    return world, len(events)


def plain(shape, pose, layer=0):
    """An active collider without an owner."""
    return shape, pose, layer, 0, True


@examples(120)
@given(
    crowds(),
    st.sampled_from(MATRICES),
    st.sampled_from([Contact.TOUCHING, Contact.OVERLAPPING]),
    st.sampled_from([1, 7]),
)
def test_a_step_finds_what_all_pairs_find(crowd, matrix, hit_when, spread):
    check_step(crowd[1], matrix, hit_when, spread)


@pytest.mark.parametrize("count", [48, 49, 63, 64, 65, 128, 129, 192, 255, 256, 257])
def test_a_step_of_a_count_at_which_the_search_changes_finds_what_all_pairs_find(count):
    rng = random.Random(count)
    side = 4 * 65536 * isqrt(count)
    for _ in range(3):
        found = [
            plain(
                shape_of(rng.choice(KINDS), rng.randint(30_000, 120_000), 9_000),
                Pose(rng.randint(0, side), rng.randint(0, 65536), rng.randint(0, side), 77 * i),
            )
            for i in range(count)
        ]
        _, hits = check_step(found)
        assert 0 < hits < 2 * count  # more would be a crowd, which is searched in another way


@pytest.mark.parametrize("large_layer", [0, 1])
def test_small_crowds_that_never_meet_are_found_by_large_ones_that_they_meet(large_layer):
    """Two layers that meet each other and not themselves, one of small colliders and one of large
    ones.
    """
    draw = random.Random(7)
    found = []
    for i in range(320):
        size, layer = (ONE // 4, 1 - large_layer) if i % 8 else (40 * ONE, large_layer)
        x = draw.randint(0, 30 * ONE) if i % 2 else 0
        z = draw.randint(0, 200 * ONE) if i % 8 == 0 else 0
        pose = Pose(x, 0, z, draw.randrange(65536))
        found.append(plain(shape_of(SOLIDS[i % len(SOLIDS)], size, 1), pose, layer))
    assert check_step(found, [(0, 1)])[1] > 1000


def test_as_many_pairs_in_vain_as_are_borne_end_no_search():
    """400 pairs of layers that do not meet, 8 to each of 50 colliders, and then small ones that do
    meet.
    """
    heap = [plain(Cylinder(100, 5), Pose(0, 0, 0), i % 2) for i in range(40)]
    apart = [plain(Cylinder(100, 5), Pose(5000, 0, 0))]
    small = [plain(Cylinder(1, 1), Pose(5101, 0, 0))] * 9
    for found in (heap + apart + small, small + heap + apart):
        assert check_step(found, [(0, 0), (1, 1)])[1] == 2 * 190 + 9 + 36


@each("count", [2, 60])
@each("size", [1, 2, 1000, 2**20, 2**29 - 1])
def test_a_query_that_touches_the_outermost_is_answered_and_one_beyond_is_not(size, count):
    """On each side, at exactly the end of all bounds: in a world of few, of many, and asked
    often.
    """
    world, far = World(count), 3 * size
    for id in range(count):
        world.add(
            id, Sphere(size), Pose(0, 0, 0) if id else Pose(far % 2**31, far % 2**31, far % 2**31)
        )
    world.step()
    high = far % 2**31
    low_ids, high_ids = (list(range(1, count)), [0]) if high > 0 else ([0], list(range(1, count)))
    for _ in range(10):
        for axis in range(3):
            for side, place, ids in ((-1, min(0, high), low_ids), (1, max(0, high), high_ids)):
                middle = [place, place, place]
                middle[axis] += side * (size + 1)
                if abs(middle[axis]) < INT32:
                    assert world.query(Sphere(1), Pose(*middle)) == ids
                    middle[axis] += side
                    assert world.query(Sphere(1), Pose(*middle)) == []


def test_every_size_on_each_of_eight_layers_that_meet_themselves_alone():
    """As many levels as there can be: most pairs of the heap are in vain, so that layers are kept
    apart.
    """
    found = [
        plain(Cylinder(min(2**bits, 2**29 - 1), 1), Pose(layer, 0, bits), layer)
        for bits in range(30)
        for layer in range(8)
    ]
    found.append(plain(Sphere(5), Pose(0, 0, 0), 8))  # meets nobody
    world, _ = check_step(found, [(layer, layer) for layer in range(8)])
    for layer in range(9):
        ids = [i for i, c in enumerate(found) if c[2] == layer]
        assert world.query(Sphere(30), Pose(0, 0, 0), mask=1 << layer) == ids


@pytest.mark.parametrize("layers", [(0, 31), (31, 0), (30, 31), (0, 1)])
def test_layers_that_are_kept_apart_may_be_of_any_sizes(layers):
    """A heap of small ones on one layer and of large ones on another, most pairs of it in vain."""
    found = [plain(Cylinder((1, 1000)[i % 2], 5), Pose(i, 0, 0), layers[i % 2]) for i in range(40)]
    assert check_step(found, [(layer, layer) for layer in layers])[1] == 190 + 19


@pytest.mark.parametrize(
    "large", [Capsule(2**29 - 1, 2**29 - 1), Sphere(2**29 - 1), Cylinder(1, 2**29 - 1)]
)
def test_the_smallest_at_both_ends_of_z_beside_the_largest(large):
    """The lowest possible rows, in the longest possible world."""
    ends = (-INT32 - 1, INT32)
    found = [plain(Sphere(1), Pose(x, 0, z)) for z in ends for x in (0, 2, 9)]
    found += [plain(large, Pose(x, 0, 0)) for x in (0, 1)]
    for found_now in (found, found[::-1]):
        world, count = check_step(found_now)
        assert count == 3
        for z in ends:
            ids = [i for i, (_, pose, *_) in enumerate(found_now) if pose.z == z]
            assert world.query(Sphere(20), Pose(0, 0, z)) == ids


def test_a_collider_at_the_beginning_of_a_row_is_found_once():
    """By a query, and by a collider, that reach to the last step of x in the row before it."""
    places = ((0, 128), (127, 0), (0, 0), (127, 128))
    world, _ = check_step([plain(Box(64, 64, 64), Pose(x, 0, z)) for x, z in places])
    for _ in range(2):
        assert world.query(Box(500, 500, 500), Pose(0, 0, 0)) == [0, 1, 2, 3]
        assert world.query(Box(1, 64, 64), Pose(127, 0, 64)) == [1, 3]
        world.step()


@pytest.mark.parametrize("row", [7, 8])
def test_a_collider_at_the_beginning_of_a_row_is_found_once_by_queries_of_any_number(row):
    """The row before it ends where its key is; from the sixteenth query on an index tells its
    blocks.
    """
    places = [(x, z) for z in range(0, 128 * 30, 128) for x in (0, 127)]
    places[0], places[2 * row] = places[2 * row], places[0]
    world = world_of([plain(Box(64, 64, 64), Pose(x, 0, z)) for x, z in places])
    world.step()
    for _ in range(2):
        for z in range(0, 128 * 30, 64):
            expected = [i for i, place in enumerate(places) if abs(place[1] - z) <= 128]
            assert world.query(Box(500, 64, 64), Pose(0, 0, z)) == expected


@each("last", range(1, 18))
def test_queries_end_with_the_last_of_a_full_world_however_many_its_row_has(last):
    places = [(x * 4096, z * 4096) for z in range(8) for x in range(8)]
    places += [(2**15 + x, 2**15) for x in range(last)]
    world = world_of([plain(Box(512, 512, 512), Pose(x, 0, z)) for x, z in places])
    world.step()
    for _ in range(30):
        assert world.query(Box(600, 1, 1), Pose(2**15, 0, 2**15)) == list(range(64, 64 + last))


def test_a_query_as_tall_as_can_be_is_answered_without_a_look_at_every_height():
    """It crosses 2^28 rows: to look at each would take a second a query."""
    heights = [(2**31 - 1) * n // 60 for n in range(-60, 61)]
    world = world_of([plain(Box(1, 1, 1), Pose(0, y, 0)) for y in heights])
    world.step()
    for middle in heights * 9:
        expected = [i for i, y in enumerate(heights) if abs(y - middle) <= 2**29]
        assert world.query(Box(1, 2**29 - 1, 1), Pose(0, middle, 0)) == expected


@each("capacity", [4095, 4096, 4097, 8193, 20000, 64 * 4096, 64 * 4096 + 1, 400_000])
def test_answers_are_sorted_in_worlds_of_any_capacity(capacity):
    """Ids where words and groups of 4096 begin and end: few and many, which are sorted in other
    ways.
    """
    edges = {
        n + by for n in range(0, capacity + 1, 4096) for by in (-4095, -65, -64, -2, -1, 0, 1, 63)
    }
    ids = sorted(id for id in {*edges, capacity - 1} if 0 <= id < capacity)
    world = World(capacity)
    for id in ids:
        world.add(id, Sphere(2), Pose(0, 0, (id * 7919) % 1000))
    world.step()
    for reach in (0, 3, 500, 2000, 500):
        expected = [id for id in ids if (id * 7919) % 1000 <= reach + 3]
        assert world.query(Sphere(1 + reach), Pose(0, 0, 0)) == expected


def test_nobody_is_found_of_those_who_were_there_before_all_became_inactive():
    world = World(100)
    for id in range(100):
        world.add(id, Sphere(ONE), Pose(id * ONE, 0, 0))
    world.step()
    for id in range(100):
        world.set_active(id, False)
    for _ in range(2):
        assert [world.query(Box(2**29 - 1, 9, 9), Pose(0, 0, 0)) for _ in range(30)] == [[]] * 30
        world.step()


@each("count", [2, 3, 4, 5, 47, 48, 49, 60])
@each("shape", [Cylinder(ONE, ONE), Box(ONE, ONE, ONE), Sphere(ONE)])
def test_more_hits_at_one_place_than_there_is_room_for_at_first(shape, count):
    """All pairs, also of as many colliders as are looked at without a grid."""
    check_step([plain(shape, Pose(0, 0, 0))] * count)


@pytest.mark.parametrize("half", by_default(2, [50, 512, 128, 511, 1000]))
def test_the_one_before_in_another_row_is_met_where_it_ends_whatever_the_step_of_x(half):
    """Boxes that touch on x, at every place in a step: keys of x are coarse, and bounds are."""
    places = [(-(2**23), 0), (2**23, 0)]
    for n in range(160):
        x, z = n % 16 * 16 * half + n, n // 16 * 8 * half + 1000 * half
        places += [(x, z), (x + 2 * half, z - 2 * half), (x + 2 * half, z + 2 * half)]
    found = [plain(Box(half, half, half), Pose(x, 0, z)) for x, z in places]
    assert check_step(found)[1] >= 320


@each("left", range(1, 10))
def test_nobody_is_hit_who_was_there_before(left):
    """The scratch memory behind the last collider still holds those of the step before."""
    world = World(16)
    for id in range(16):
        world.add(id, Sphere(ONE), Pose(0, 0, 0))
    world.step()
    for id in range(left, 16):
        world.remove(id)
    world.step()
    assert [(hit.a, hit.b) for hit in world.hits()] == list(combinations(range(left), 2))


def test_the_rows_after_the_last_one_end_before_what_is_not_there():
    """Where a key has no bit to spare: rows and x are as large as their bits allow, up to the last
    of all.
    """
    low, high = -(2**31), 2**31 - 322
    world = World(4)
    world.add(0, Sphere(1), Pose(low, low, low))
    for id in (1, 2, 3):
        world.add(id, Sphere(1), Pose(high, high, high))
    world.step()
    assert [(hit.a, hit.b) for hit in world.hits()] == [(1, 2), (1, 3), (2, 3)]
    world.remove(2)
    world.remove(3)
    world.step()
    assert list(world.hits()) == []


@pytest.mark.parametrize("radius", [1, 2, 3, 4, 5])
def test_a_cast_meets_the_smallest_of_worlds(radius):
    """Where all bounds together are a few raw units long."""
    world = World(2)
    world.add(0, Sphere(radius), Pose(0, 0, 0))
    for sought in ([0], [0, 1]):
        world.step()
        for start in range(-9, 10):
            for way in ((40, 0, 0), (0, 40, 0), (0, 0, 40)):
                place, motion = Pose(start, 0, 0), tuple(-n if start > 0 else n for n in way)
                found = [hit.id for hit in world.cast(Sphere(1), place, motion)]
                assert found == (sought if way[0] or abs(start) <= radius + 1 else [])
        if 1 not in world:
            world.add(1, Sphere(radius), Pose(0, 0, 0))


def test_a_tall_thin_collider_among_flat_wide_ones_is_found_without_a_look_at_every_height():
    """It crosses a quarter of 2^31 rows of the flat ones: to look at each would take seconds a
    step.
    """
    draw = random.Random(3)
    tall = plain(Capsule(511, 2**28), Pose(1899, 1670, 52237))
    ranges = (-90000, 90000), (-(2**29), 2**29), (0, 90000)
    places = [Pose(*(draw.randint(*ends) for ends in ranges)) for _ in range(40)]
    flat = [plain(Cylinder(45972, 2), place) for place in places]
    for found in ([tall, flat[0]], [*flat, tall], [tall] * 3 + flat):
        world, count = check_step(found)
        for _ in range(20):
            assert len(world.step()) == count


@examples(50)
@given(crowds(least=49), crowds(most=30), st.booleans())
def test_queries_find_what_a_look_at_each_collider_finds(crowd, areas, stepped):
    """Asked one by one, often enough for a world not stepped to build its structure; then at
    once.
    """
    _, found = crowd
    world = world_of(found)
    if stepped:
        world.step()
    for layer_mask in (0xFFFFFFFF, 1):
        expected = [
            [
                i
                for i, (s, p, layer, owner, active) in enumerate(found)
                if active
                and layer_mask >> layer & 1
                and (exclude == 0 or owner != exclude)
                and overlap(shape, pose, s, p) >= Contact.TOUCHING
            ]
            for shape, pose, _, exclude, _ in areas[1]
        ]
        asked = [(shape, pose, layer_mask, exclude) for shape, pose, _, exclude, _ in areas[1]]
        assert [world.query(s, p, m, exclude_owner=o) for s, p, m, o in asked] == expected
        assert [list(ids) for ids in world.query_many(asked)] == expected


@pytest.mark.parametrize("radius", [1, 2, 7, 1000, 3 * ONE, 2**29 - 1])
def test_a_sector_meets_the_smallest_that_touch_its_wedge_wherever_it_faces(radius):
    """What is looked at is a box around the wedge. Spheres of one raw unit stand where it is
    widest: at the apex, where the arc meets the axes, and at the ends of the edges."""
    quarters, chance = (0, 16384, 32768, 49152), random.Random(radius)
    yaws = {(quarter + by) % 65536 for quarter in quarters for by in (-1, 0, 1, 5, 8192)}
    halves = (1, 2, 5, 4096, 8191, 8192, 16383, 16384, 16385, 24576, 32767, 32768)
    least = Sphere(1)
    for yaw in sorted(yaws):
        for half in chance.sample(halves, 4):
            area, at = Sector(radius, half, 5), Pose(0, 0, 0, yaw)
            corners = [(0, 0), (-radius, 0), (radius, 0), (0, -radius), (0, radius)]
            for edge in (yaw + half, yaw - half):
                x, z = direction(edge % 65536)
                corners.append((radius * x // 2**30, radius * z // 2**30))
            near = product(range(-2, 3), repeat=2)
            places = [(x + i, z + j) for (x, z), (i, j) in product(corners, near)]
            world = World(len(places))
            for id, (x, z) in enumerate(places):
                world.add(id, least, Pose(x, 0, z))
            met = [
                id
                for id, (x, z) in enumerate(places)
                if overlap(area, at, least, Pose(x, 0, z)) != Contact.APART
            ]
            assert met
            assert world.query(area, at) == met, (yaw, half)
            world.step()
            assert world.query(area, at) == met, (yaw, half)


NARROW = [1, 2, 100, 8192, 16383, 16384, 16385, 24576, 32767, 32768]


def at_the_outline(rng, radius, half_angle, yaw, reach):
    """A place about `reach` from the outline of a sector with its apex at 0, and a yaw: some equal
    to the sector's or to an edge's, some a quarter turn from it."""
    turn = rng.choice([half_angle, -half_angle, 0, rng.randint(-half_angle, half_angle)])
    out = rng.choice([0, radius, rng.randint(0, radius), rng.randint(0, radius)])
    aside = rng.randrange(65536)
    far = max(0, reach + rng.choice([0, rng.randint(-16, 16), rng.randint(-reach // 2, reach)]))
    ends = [(direction((yaw + turn) % 65536), out), (direction(aside), far)]
    x, z = (sum(e[axis] * length for e, length in ends) >> 30 for axis in (0, 1))
    return (
        x,
        z,
        rng.choice([0, yaw, yaw + half_angle, aside, aside + 16384, rng.randrange(65536)]) % 65536,
    )


@pytest.mark.parametrize("hit_when", [Contact.TOUCHING, Contact.OVERLAPPING])
@pytest.mark.parametrize("largest", [12, 40, 300, 2**16, 2**23, 2**29 - 1])
def test_a_sector_finds_what_overlaps_it_at_its_outline(largest, hit_when):
    rng = random.Random(largest)
    for half_angle in NARROW * len(rounds(12)):
        radius, yaw = rng.randint(1, largest), rng.choice([0, 16384, 49152, rng.randrange(65536)])
        area = Sector(radius, half_angle, 4)
        shapes, poses = [], []
        while len(shapes) < 60:
            a, b = (rng.randint(1, rng.choice([12, largest])) for _ in range(2))
            shape = rng.choice([Cylinder(a, 4), Box(a, 4, a), Box(a, 4, b), Box(a, 4, b)])
            x, z, turn = at_the_outline(
                rng, radius, half_angle, yaw, rng.choice([a, min(a, b), max(a, b)])
            )
            shapes.append(shape)
            poses.append(Pose(x, rng.choice([0, 0, 0, 7, 8, 9, -8, -9]), z, turn))
        world = World(len(shapes), hit_when=hit_when)
        for i, (shape, pose) in enumerate(zip(shapes, poses, strict=True)):
            world.add(i, shape, pose)
        at = Pose(0, 0, 0, yaw)
        contacts = overlap_many(area, at, shapes, poses)
        expected = [i for i, contact in enumerate(contacts) if contact >= hit_when]
        assert world.query(area, at) == expected, (radius, half_angle, yaw)


# Questions between changes: what moved since the grid was built is looked at beside it.


def any_place(draw, span):
    """Mostly near the others, now and then at an end of the domain."""
    return [
        draw.choice((-INT32 - 1, INT32))
        if draw.random() < 0.02
        else draw.randint(-span * ONE, span * ONE)
        for _ in range(3)
    ]


def any_shape(draw):
    size = 2**29 - 1 if draw.random() < 0.01 else draw.randint(1, 2 * ONE)
    return shape_of(draw.choice(KINDS), size, draw.randrange(1, 32769))


def change_one(draw, world, span):
    """One change of any kind; what the world refuses changes nothing."""
    id, pose = draw.randrange(world.capacity), Pose(*any_place(draw, span), draw.randrange(65536))
    if id not in world:
        world.add(id, any_shape(draw), pose, layer=draw.randrange(3), owner=draw.randrange(3))
        return
    kind = draw.randrange(12)
    with suppress(ValueError):
        if kind == 0:
            world.remove(id)
        elif kind == 1:
            world.set_active(id, not world[id].active)
        elif kind == 2:
            world.set_shape(id, any_shape(draw))
        elif kind == 3:
            world.set_offset(id, (draw.randint(-ONE, ONE), draw.randint(-ONE, ONE), 7))
        elif kind == 4:
            world.turn(id, draw.randrange(65536))
        elif kind == 5:
            world.set_layer(id, draw.randrange(3))
        elif kind == 6:
            world.set_owner(id, draw.randrange(3))
        elif kind == 7:
            world.apply([("move", id, any_place(draw, span)), ("turn", id, 5)])
        elif kind == 8:
            ids = draw.sample(list(world), min(len(world), draw.choice((1, 5, 20))))
            places = [any_place(draw, span) for _ in ids]
            yaws = [draw.choice((0, world[id].pose.yaw)) for id in ids]
            world.set_pose_many(ids, [Pose(*p, yaw) for p, yaw in zip(places, yaws, strict=True)])
        else:
            world.set_pose(id, draw.choice((pose, world[id].pose.moved(draw.randrange(ONE), 0, 9))))


def pairs_of(world):
    """For pairs a world that is const derives copies."""
    ids = [id for id in world if not isinstance(world[id].shape, Sector)][:40]
    return [(world.push_out(a, b), world.lift(a, b)) for a, b in combinations(ids, 2)]


def answers(draw, world, span):
    """Of one question of each kind, as functions of a world, in any order."""
    shape, pose = any_shape(draw), Pose(*any_place(draw, span), draw.randrange(65536))
    motion = tuple(draw.randint(-9 * ONE, 9 * ONE) for _ in range(3))
    cast = draw.choice([Sphere(1), Box(ONE, 9, ONE), Cylinder(ONE, ONE)])
    id, limit = draw.choice(list(world)), draw.randrange(4)
    asked = [
        lambda w: w.query(shape, pose, mask=0b11),
        lambda w: w.nearest(shape, pose, limit=limit),
        lambda w: w.cast(cast, pose, motion, limit=limit),
        lambda w: None if isinstance(w[id].shape, Sector) else w.sweep(id, motion, limit=limit),
        lambda w: w.outline(id),
        lambda w: w.explain_query(shape, pose, id),
    ]
    return draw.sample(asked, len(asked))


LEVEL = Level(
    [
        Prism([(0, 0), (5 * ONE, 0), (5 * ONE, 3 * ONE), (0, 9 * ONE)], -ONE, 2 * ONE, layer=1),
        Pillar(-3 * ONE, 2 * ONE, ONE, -9 * ONE, 9 * ONE),
    ]
)


FURTHER = [(60, 2), (120, 4), (400, 5)]


@pytest.mark.parametrize("level", [None, LEVEL], ids=["plain", "level"])
@pytest.mark.parametrize(
    ("capacity", "seed"),
    [(20, 1), (120, 3), *(pytest.param(*n, marks=pytest.mark.full) for n in FURTHER)],
)
def test_no_answer_depends_on_the_history(capacity, seed, level):
    """After every change, step and load: the same answers as of a world that was loaded anew."""
    draw, span = random.Random(seed), max(4, capacity // 30)
    world = World(capacity, level=level)
    for id in range(capacity - 5):
        world.add(id, any_shape(draw), Pose(*any_place(draw, span)))
    for n in range(250):
        if n % 10 == 7:  # what it leaves to be derived later is changed first
            world.load(world.save())
        for _ in range(draw.choice((1, 1, 1, 3, 40)) if n % 25 else 200):
            change_one(draw, world, span)
        if n % 10 == 7:
            assert pairs_of(world) == pairs_of(World.from_bytes(world.save(), capacity, level))
        if n % 20 in (0, 7):
            fresh = World.from_bytes(world.save(), capacity, level)
            assert world.step() == fresh.step()
            assert world.save() == fresh.save()
        fresh = World.from_bytes(world.save(), capacity, level)
        for ask in answers(draw, world, span):
            assert ask(world) == ask(fresh)
        if n % 30 == 5:  # often enough for the grid's index, and until the grid is built anew
            for _ in range(40):
                fresh = World.from_bytes(world.save(), capacity, level)
                for ask in answers(draw, world, span):
                    assert ask(world) == ask(fresh)
                change_one(draw, world, span)


def test_as_many_move_between_questions_as_the_grid_is_kept_for_and_more():
    """Each on its own, then all, and back: 64 and a quarter of all are looked at beside the grid."""
    world = World(300)
    for id in range(300):
        world.add(id, Box(9, 9, 9), Pose(id * 100, 0, 0))
    world.step()
    for id in range(300):
        world.move(id, id * 100, 0, 1000)
        assert world.query(Sphere(20), Pose(id * 100, 0, 1000)) == [id]
        assert world.query(Sphere(20), Pose(id * 100, 0, 0)) == []
    for id in range(0, 300, 2):
        world.remove(id)
        assert world.query(Sphere(20), Pose(id * 100, 0, 1000)) == []
    assert world.query(Box(2**20, 9, 9), Pose(0, 0, 1000)) == list(range(1, 300, 2))

"""Hitboxes of two planes in plain Python integers: the contract's rules. It imports nothing of
fixsync.

A hitbox is (ground, side_half_x, side_half_y), its ground view (radius,) or (half_x, half_z). A
position is (x, y, z)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key
from math import isqrt
from typing import Any

import model_push
from model import APART, ENTER, EXIT, ONE_Q30, OVERLAPPING, STAY, TOUCHING, Shape, Time

Hitbox = tuple[tuple[int, ...], int, int]
Vector = tuple[int, int, int]
Span = tuple[Any, Any]
"""Times (from, to) of a contact; None: for ever."""


def classified(left: int, right: int) -> int:
    return OVERLAPPING if left < right else TOUCHING if left == right else APART


def reaches(a: Hitbox, b: Hitbox) -> tuple[int, int, int, int, int]:
    """R, X, Z, S, H of the contract."""
    radius = half_x = half_z = 0
    for ground, _, _ in (a, b):
        if len(ground) == 1:
            radius += ground[0]
        else:
            half_x += ground[0]
            half_z += ground[1]
    return radius, half_x, half_z, a[1] + b[1], a[2] + b[2]


def difference(a: Iterable[int], b: Iterable[int]) -> Any:
    return tuple(p - q for p, q in zip(a, b, strict=True))


def contact(a: Hitbox, at_a: Vector, b: Hitbox, at_b: Vector) -> int:
    """The write-up's test: nine regions on the ground, two intervals at the side."""
    radius, half_x, half_z, side_x, side_y = reaches(a, b)
    x, y, z = map(abs, difference(at_a, at_b))
    beside = min(classified(x, side_x), classified(y, side_y))
    if radius == 0:
        return min(beside, classified(x, half_x), classified(z, half_z))
    gap_x, gap_z = max(0, x - half_x), max(0, z - half_z)
    return min(beside, classified(gap_x**2 + gap_z**2, radius**2))


def ground_shape(hitbox: Hitbox) -> Shape:
    ground = hitbox[0]
    return ("cylinder", *ground, 1) if len(ground) == 1 else ("box", ground[0], 1, ground[1])


def push_out(a: Hitbox, at_a: Vector, b: Hitbox, at_b: Vector) -> tuple[int, int]:
    if contact(a, at_a, b, at_b) != OVERLAPPING:
        return 0, 0
    radius, half_x, _, side_x, _ = reaches(a, b)
    places = ((x, 0, z, 0) for x, _, z in (at_a, at_b))
    x, z = model_push.push_out(ground_shape(a), next(places), ground_shape(b), next(places))
    dx, _, dz = difference(at_a, at_b)
    depth = side_x - abs(dx)
    if side_x < half_x + radius and depth * depth < x * x + z * z:
        return (sign(dx) or sign(dz) or 1) * depth, 0
    return x, z


def lift(a: Hitbox, at_a: Vector, b: Hitbox, at_b: Vector) -> int:
    if contact(a, at_a, b, at_b) != OVERLAPPING:
        return 0
    dy = at_a[1] - at_b[1]
    depth = a[2] + b[2] - abs(dy)
    return -depth if dy < 0 else depth


# Casts. A span is of the times of all t, before 0 and after 1 too; `is_open`: without its ends.


def within(p: int, m: int, limit: int, is_open: bool) -> Span | None:
    """When |p + t m| <= limit."""
    if m == 0:
        return (None, None) if abs(p) < limit + (not is_open) else None
    if m < 0:
        p, m = -p, -m
    return Time(-limit - p, m), Time(limit - p, m)


def within_disc(p: tuple[int, int], m: tuple[int, int], r: int, is_open: bool) -> Span | None:
    """When |p + t m| <= r."""
    a, b = m[0] ** 2 + m[1] ** 2, p[0] * m[0] + p[1] * m[1]
    c = p[0] ** 2 + p[1] ** 2 - r * r
    if a == 0:
        return (None, None) if c < (not is_open) else None
    n = b * b - a * c
    if n < (1 if is_open else 0):
        return None
    return Time(-b, a, -1, n), Time(-b, a, 1, n)


def both(spans: Iterable[Span | None], is_open: bool) -> Span | None:
    """The times that are in all of the spans."""
    starts: list[Time] = []
    ends: list[Time] = []
    for span in spans:
        if span is None:
            return None
        starts += [time for time in span[:1] if time is not None]
        ends += [time for time in span[1:] if time is not None]
    key = cmp_to_key(Time.compare)
    start, end = max(starts, key=key, default=None), min(ends, key=key, default=None)
    if start is not None and end is not None and start.compare(end) > (-1 if is_open else 0):
        return None
    return start, end


def on_the_ground(
    p: Vector, m: Vector, radius: int, half_x: int, half_z: int, is_open: bool
) -> Span | None:
    """When the ground views meet: a rectangle, or one with round corners, put together of two
    rectangles and four discs. It is convex, so the times of the parts join to one span."""

    def rectangle(x: int, z: int) -> Span | None:
        return both((within(p[0], m[0], x, is_open), within(p[2], m[2], z, is_open)), is_open)

    if radius == 0:
        return rectangle(half_x, half_z)
    parts = [
        within_disc((p[0] + x, p[2] + z), (m[0], m[2]), radius, is_open)
        for x in {half_x, -half_x}
        for z in {half_z, -half_z}
    ]
    if half_x:
        parts += [rectangle(half_x + radius, half_z), rectangle(half_x, half_z + radius)]
    spans = [part for part in parts if part is not None]
    if not spans:
        return None
    if any(span == (None, None) for span in spans):
        return None, None
    key = cmp_to_key(Time.compare)
    return min((s[0] for s in spans), key=key), max((s[1] for s in spans), key=key)


def cast(
    a: Hitbox, at_a: Vector, motion_a: Vector, b: Hitbox, at_b: Vector, motion_b: Vector, when: int
) -> tuple[int, Vector, int] | None:
    """(fraction, normal, distance) of the first contact on the way, or None."""
    radius, half_x, half_z, side_x, side_y = reaches(a, b)
    p, m = difference(at_a, at_b), difference(motion_a, motion_b)
    is_open = when == OVERLAPPING
    span = both(
        (
            on_the_ground(p, m, radius, half_x, half_z, is_open),
            within(p[0], m[0], side_x, is_open),
            within(p[1], m[1], side_y, is_open),
        ),
        is_open,
    )
    if span is None:
        return None
    start, end = span
    nought, one = Time(0), Time(1)
    if end is not None and end.compare(nought) < (1 if is_open else 0):
        return None
    if start is not None and start.compare(one) > (-1 if is_open else 0):
        return None
    if start is None or start.compare(nought) < 0:
        start = nought
    fraction = start.floor(65536)
    if contact(a, at_a, b, at_b) == OVERLAPPING:
        return fraction, (0, 0, 0), 0
    there = [65536 * c + fraction * k for c, k in zip(p, m, strict=True)]
    return fraction, *normal(reaches(a, b), there)


def sign(v: int) -> int:
    return (v > 0) - (v < 0)


def normal(reach: tuple[int, int, int, int, int], p: list[int]) -> tuple[Vector, int]:
    """The normal, and the gap along it in 2^-30 raw units."""
    radius, half_x, half_z, side_x, side_y = (65536 * v for v in reach)
    x, y, z = p
    if abs(y) >= side_y:
        return (0, sign(y) * ONE_Q30, 0), (abs(y) - side_y) * 2**14
    past_x, past_z = abs(x) - half_x, abs(z) - half_z
    if radius == 0:
        gap = max(past_x, past_z)
        ground = (sign(x) * ONE_Q30, 0) if past_x >= past_z else (0, sign(z) * ONE_Q30)
    else:
        e_x, e_z = sign(x) * max(0, past_x), sign(z) * max(0, past_z)
        square = e_x**2 + e_z**2
        gap = isqrt(square) - radius
        s = isqrt(square << 28)
        ground = tuple(sign(v) * ((abs(v) << 44) // s) if s else 0 for v in (e_x, e_z))
    distance = max(0, gap, abs(x) - side_x) * 2**14
    if abs(x) - side_x > gap:
        return (sign(x) * ONE_Q30, 0, 0), distance
    return (ground[0], 0, ground[1]), distance


# A world of them.


class World:
    """The rules of a world's events, queries and casts, all hitboxes against all."""

    def __init__(self, hit_when: int, masks: tuple[int, ...]) -> None:
        self.hit_when, self.masks = hit_when, masks
        self.there: dict[int, list[Any]] = {}  # hitbox, position, layer, owner, active
        self.hits: dict[tuple[int, int], int] = {}
        self.changed: set[int] = set()

    def may_hit(self, a: int, b: int) -> bool:
        """Whether layers and owners allow it."""
        _, _, i, o, _ = self.there[a]
        _, _, j, u, _ = self.there[b]
        return (o != u or o == 0) and bool(self.masks[i] >> j & 1)

    def step(self) -> list[tuple[int, int, int, int]]:
        now = {}
        for a in sorted(self.there):
            for b in sorted(id for id in self.there if id > a):
                one, two = self.there[a], self.there[b]
                if one[4] and two[4] and self.may_hit(a, b):
                    found = contact(*one[:2], *two[:2])
                    if found >= self.hit_when:
                        now[a, b] = found
        events = []
        for pair in sorted(self.hits.keys() | now.keys()):
            was, is_hit, same = pair in self.hits, pair in now, not self.changed & {*pair}
            if was and not (is_hit and same):
                events.append((*pair, EXIT, APART))
            if is_hit:
                events.append((*pair, STAY if was and same else ENTER, now[pair]))
        self.hits, self.changed = now, set()
        return events

    def asked(self, mask: int, exclude_owner: int) -> list[int]:
        """The ids that a query or cast looks at."""
        return [
            id
            for id, (_, _, layer, owner, active) in sorted(self.there.items())
            if active and mask >> layer & 1 and not (exclude_owner and owner == exclude_owner)
        ]

    def query(
        self, hitbox: Hitbox, at: Vector, mask: int, exclude_owner: int, when: int
    ) -> list[int]:
        asked = self.asked(mask, exclude_owner)
        return [id for id in asked if contact(hitbox, at, *self.there[id][:2]) >= when]

    def cast_at(
        self, ids: Iterable[int], hitbox: Hitbox, at: Vector, motion: Vector, limit: int, when: int
    ) -> list[tuple[int, int, Vector]]:
        hits = []
        for id in ids:
            found = cast(hitbox, at, motion, *self.there[id][:2], (0, 0, 0), when)
            if found is not None:
                hits.append((id, *found))
        hits.sort(key=lambda hit: (hit[1], hit[3], hit[0]))
        return [hit[:3] for hit in (hits[:limit] if limit else hits)]

    def sweep(
        self, id: int, motion: Vector, limit: int, when: int
    ) -> list[tuple[int, int, Vector]]:
        hitbox, at, *_ = self.there[id]
        ids = [b for b in self.there if b != id and self.there[b][4] and self.may_hit(id, b)]
        return self.cast_at(ids, hitbox, at, motion, limit, when)

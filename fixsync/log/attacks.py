"""The attacks of a recorded match: whom each hit, and how near it came to those it missed."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from heapq import nsmallest
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from fixsync._native.checks import layer_masks
from fixsync._native.raw import LAYER_COUNT, SIZE_MAX
from fixsync.base.names import attacks_in
from fixsync.log.pair import PairFrame, Party, Seen
from fixsync.log.reader import Reader
from fixsync.log.schema import (
    Add,
    Command,
    Remove,
    SetActive,
    SetLayer,
    SetLayers,
)
from fixsync.log.spans import Span, all_frames, numbered, united
from fixsync.log.watch import Start, Step, watch
from fixsync.match import sim
from fixsync.world.level import LEVEL
from fixsync.world.records import Collider
from fixsync.world.shapes import Box, EventKind, Pose, Sector
from fixsync.world.world import World

__all__ = ["MISSED_MAX", "AttackReport", "Lives", "MissedVictim", "Swing", "Victim", "attacks"]

Life = tuple[int, int]
"""A collider: its id, and how often that id was added before."""
_Rank: TypeAlias = tuple[bool, bool, int]
"""Of `Seen.rank`."""


MISSED_MAX = 8
"""The most colliders that a swing lists of those that it missed."""


_FEW = 16
"""Of so many colliders all are looked at."""
_SEEDS = 2 * MISSED_MAX
_ALL = Box(SIZE_MAX, SIZE_MAX, SIZE_MAX)
_SWITCHES = frozenset({Add, Remove, SetActive})


class Victim(Struct):
    """A collider or a solid that a swing hits."""

    id: int
    name: str | None
    owner: int
    """When it is hit first."""
    frames: list[Span]


class MissedVictim(Struct):
    """A collider that a swing could hit, and does not."""

    id: int
    name: str | None
    owner: int
    part: int
    """The id of the part that came nearest."""
    nearest: PairFrame
    """The frame of the swing in which it came nearest."""


class Swing(Struct):
    """An attack, from the frame in which it is on to the last one before it is off."""

    id: int
    """The first part."""
    name: str | None
    owner: int
    attack: str | None
    """The attack that the simulation's `phases` name."""
    frames: Span
    parts: list[Party]
    """Its colliders: of one owner those that are on in the same frames."""
    hits: list[Victim]
    """By first frame, then id."""
    missed: list[MissedVictim]
    """The nearest first, at most MISSED_MAX."""


class AttackReport(Struct, kw_only=True):
    """The swings of a log, by first frame, then id."""

    log: str
    frames: Span | None
    """First and last frame of the log; None if it has none."""
    cut: str | None
    """Why the log counts as cut short."""
    guess: bool
    """Whether nothing said what an attack is, so that it is guessed (`Lives`)."""
    attacks: list[Swing]
    owners: dict[int, str] = {}
    """Names of owners."""


class Lives:
    """The colliders in a world, and those of them that are attacks as far as is known.

    An attack is a collider that is at a step on a chosen layer; without a choice, on a layer or of
    an id that the log's names call an attack or a hitbox. If they call nothing so, it is a guess:
    those that were inactive at a step, and those that were added in another frame than 0. A body
    that comes back is a body again: the collider that had its id before was not an attack."""

    def __init__(self, chosen: Iterable[str] = ()) -> None:
        self.attacks: set[Life] = set()
        self.is_guess = False
        self._chosen = [*chosen]
        self._layers: frozenset[int] = frozenset()
        self._ids: frozenset[int] = frozenset()
        self._layer: dict[int, int] = {}
        self._count: dict[int, int] = {}
        self._is_active: dict[int, bool] = {}

    def begin(self, start: Start) -> None:
        """ValueError for a chosen layer that the log does not have."""
        if self._chosen:
            self._layers = frozenset(_layer(one, start.layers) for one in self._chosen)
        else:
            self._layers, self._ids = attacks_in(start.layers), attacks_in(start.names)
        self.is_guess = not self._layers and not self._ids
        self._count = dict.fromkeys(start.world, 0)
        self.attacks.clear()
        self.look(start.world)

    def look(self, world: World) -> None:
        """Takes a world as it is, in the place of the commands that led to it."""
        self._is_active = {one.id: one.active for one in world.colliders()}
        self._layer = {one.id: one.layer for one in world.colliders()}
        self._mark(list(world))

    @property
    def ids(self) -> set[int]:
        """Those that attacks have, or had."""
        return {id for id, _ in self.attacks}

    def life(self, id: int) -> Life:
        """That of the collider that has the id, or had it last."""
        return id, self._count.get(id, 0)

    def take(self, frame: int, commands: Iterable[Command]) -> None:
        """Takes the commands before the step of a frame."""
        changed: list[int] = []
        for command in commands:
            kind = type(command)
            if kind is Add or kind is SetLayer:
                self._layer[command.id] = command.layer
                changed.append(command.id)
            if kind is SetActive or kind is Add:
                self._is_active[command.id] = command.active
                changed.append(command.id)
            elif kind is Remove:
                self._is_active.pop(command.id, None)
            if kind is Add:
                is_body = command.id in self._count and self.life(command.id) not in self.attacks
                self._count[command.id] = self._count.get(command.id, -1) + 1
                if self.is_guess and frame != 0 and not is_body:
                    self.attacks.add(self.life(command.id))
        self._mark(changed)

    def _mark(self, ids: Iterable[int]) -> None:
        self.attacks |= {self.life(id) for id in ids if self._is_attack(id)}

    def _is_attack(self, id: int) -> bool:
        if self.is_guess:
            return not self._is_active.get(id, True)
        return id in self._is_active and (id in self._ids or self._layer[id] in self._layers)

    def is_on(self, id: int) -> bool:
        """Whether an id is in the world and active."""
        return self._is_active.get(id, False)


def _layer(chosen: str, names: Mapping[int, str]) -> int:
    """The layer of a name or a number."""
    found = [number for number, name in names.items() if name == chosen]
    if found:
        return found[0]
    if chosen.isdecimal() and int(chosen) < LAYER_COUNT:
        return int(chosen)
    known = ", ".join(map(repr, names.values())) or "none with a name"
    raise ValueError(
        f"--attacks must be a layer's number, 0..{LAYER_COUNT - 1}, or its name, not {chosen!r}; "
        f"the log's layers are {known}"
    )


class _On(NamedTuple):
    """A collider while it is on. Frames are counted from the first of the log."""

    life: Life
    first: int
    owner: int
    attack: str | None


class _Census:
    """Finds out which colliders are attacks, when each collider is on, and whom it hits: one that is
    on from the start may go off later."""

    def __init__(self, chosen: Iterable[str]) -> None:
        self.lives = Lives(chosen)
        self.spans: list[tuple[_On, int]] = []
        """Each collider while it was on, and the last frame."""
        self.hits: dict[Life, list[tuple[Span, Life, int]]] = {}
        """Of each collider the frames of each hit, with whom, and that one's owner."""
        self._count = 0
        self._on: dict[int, _On] = {}
        self._hits: dict[tuple[int, int], tuple[int, Life, Life, int, int]] = {}

    def begin(self, start: Start) -> None:
        self.lives.begin(start)

    def step(self, step: Step) -> None:
        number, self._count = self._count, self._count + 1
        self.lives.take(step.frame, step.commands)
        changed = {c.id for c in step.commands if type(c) in _SWITCHES}
        for id in changed if number else [*step.world]:
            on, is_on = self._on.get(id), self.lives.is_on(id)
            if on is not None and not (is_on and on.life == self.lives.life(id)):
                self.spans.append((self._on.pop(id), number - 1))
            if is_on and id not in self._on:
                owner = step.world[id].owner
                attack = step.phases.get(owner, (None, ""))[0]
                self._on[id] = _On(self.lives.life(id), number, owner, attack)
        for a, b, kind, _ in step.events:
            if kind == EventKind.EXIT:
                self._close((a, b), number - 1)
            elif kind == EventKind.ENTER or number == 0:
                owners = [0 if id >= LEVEL else step.world[id].owner for id in (a, b)]
                lives = self.lives.life(a), self.lives.life(b)
                self._hits[a, b] = (number, *lives, owners[0], owners[1])

    def _close(self, pair: tuple[int, int], last: int) -> None:
        found = self._hits.pop(pair, None)
        if found is not None:
            first, a, b, owner_a, owner_b = found
            self.hits.setdefault(a, []).append(((first, last), b, owner_b))
            self.hits.setdefault(b, []).append(((first, last), a, owner_a))

    def end(self) -> None:
        """After the last frame."""
        self.spans += [(on, self._count - 1) for on in self._on.values()]
        for pair in list(self._hits):
            self._close(pair, self._count - 1)


class _Swing:
    """A swing: its parts, and the frames in which it is on."""

    def __init__(self, first: int, last: int, owner: int, attack: str | None) -> None:
        self.first = first
        self.last = last
        self.owner = owner
        self.attack = attack
        self.parts: list[Life] = []
        self.hits: dict[Life, list[Span]] = {}
        self.owners: dict[Life, int] = {}
        self.near: dict[Life, tuple[_Rank, Seen]] = {}
        self.could_hit: set[Life] = set()

    def add(self, part: Life, hits: Iterable[tuple[Span, Life, int]]) -> None:
        """Adds a part, with all hits of its collider."""
        self.parts.append(part)
        for span, other, owner in hits:
            if self.first <= span[0] <= self.last:
                self.hits.setdefault(other, []).append(span)
                self.owners.setdefault(other, owner)

    def bound(self) -> int | None:
        """The gap that a collider must come below to be one of those listed; None if each may be."""
        found = [
            rank[2]
            for life, (rank, _) in self.near.items()
            if not rank[0] and not rank[1] and life in self.could_hit
        ]
        return nsmallest(MISSED_MAX, found)[-1] if len(found) >= MISSED_MAX else None


def _swings(census: _Census) -> list[_Swing]:
    """The swings of a match, by first frame, then id."""
    groups: dict[tuple[int, ...], _Swing] = {}
    spans = [(on, last) for on, last in census.spans if on.life in census.lives.attacks]
    for hits in census.hits.values():
        hits.sort()
    for on, last in sorted(spans):
        key = (on.first, last, on.owner) if on.owner else (on.first, *on.life)
        swing = groups.setdefault(key, _Swing(on.first, last, on.owner, on.attack))
        hits = census.hits.get(on.life, [])
        # A hit ends before its collider goes off.
        start = bisect_left(hits, on.first, key=lambda hit: hit[0][0])
        end = bisect_left(hits, last + 1, key=lambda hit: hit[0][0])
        swing.add(on.life, hits[start:end])
    return sorted(groups.values(), key=lambda one: (one.first, one.parts[0]))


class _Nearest:
    """Finds how near swings come to those that they do not hit."""

    def __init__(self, swings: Iterable[_Swing]) -> None:
        self.names: Mapping[int, str] = {}
        self.owners: Mapping[int, str] = {}
        self._waiting = deque(swings)
        self._lives = Lives()
        self._masks: tuple[int, ...] = ()
        self._on: list[_Swing] = []
        self._count = 0

    def begin(self, start: Start) -> None:
        self.names, self.owners = start.names, start.owners
        self._lives.begin(start)
        self._masks = layer_masks(start.world.layers)

    def step(self, step: Step) -> None:
        number, self._count = self._count, self._count + 1
        self._lives.take(step.frame, step.commands)
        for command in step.commands:
            if type(command) is SetLayers:
                self._masks = layer_masks(command.layers)
        self._on = [swing for swing in self._on if swing.last >= number]
        while self._waiting and self._waiting[0].first == number:
            self._on.append(self._waiting.popleft())
        if not self._on:
            return
        colliders = {one.id: one for one in step.world.colliders()}
        for swing in self._on:
            for id, _ in swing.parts:
                self._miss(swing, step, colliders[id], colliders)

    def _miss(
        self, swing: _Swing, step: Step, own: Collider, colliders: Mapping[int, Collider]
    ) -> None:
        """How near a part comes to those that the swing does not hit."""
        mask = self._masks[own.layer]
        if len(colliders) <= _FEW:
            self._look(swing, step, own, colliders.values(), mask)
            return
        pose, owner = own.pose, own.owner
        bound = swing.bound()
        if bound is None:
            close = step.world.nearest(_ALL, pose, mask, exclude_owner=owner, limit=_SEEDS)
            self._look(swing, step, own, (colliders[id] for id in close), mask)
            bound = swing.bound()
        box = None if bound is None else _around(own, bound)
        if box is None:
            self._look(swing, step, own, colliders.values(), mask)
            return
        close = step.world.query(box, Pose(pose.x, pose.y, pose.z), mask, exclude_owner=owner)
        self._look(swing, step, own, (colliders[id] for id in close if id < LEVEL), mask)

    def _look(
        self, swing: _Swing, step: Step, own: Collider, others: Iterable[Collider], mask: int
    ) -> None:
        for other in others:
            key = self._lives.life(other.id)
            if key in swing.hits or not _could_hit(own, other, mask):
                continue
            seen = Seen(
                step.frame,
                (own.id, other.id),
                step.world._native.explain(own.id, other.id),
                (own.owner, other.owner),
                (own.layer, other.layer),
            )
            if other.active or seen.meets:
                swing.could_hit.add(key)
            rank = seen.rank()
            near = swing.near.get(key)
            if near is None or rank < near[0]:
                swing.near[key] = rank, seen


def _around(own: Collider, bound: int) -> Box | None:
    """A box about a collider's pose that meets whatever comes nearer to it than the bound; None if
    no box is that large. A box that grows reaches at most the square root of 2 as far."""
    _, *sizes = own.shape.as_tuple()
    _, _, x, _, z = own.shape._row
    ox, oy, oz = own.offset
    growth = max(0, bound) * 3 // 2 + 4
    across = x if own.shape._kind.hole else x + z
    width = across + abs(ox) + abs(oz) + growth
    # At every height that it reaches, and more.
    if max(width, sum(sizes) + abs(oy) + growth) > SIZE_MAX:
        return None
    return Box(width, SIZE_MAX, width)


def _can_never_meet(a: object, b: object) -> bool:
    """Whether both are sectors, and one has a hole."""
    if not (isinstance(a, Sector) and isinstance(b, Sector)):
        return False
    return bool(a.inner_radius or b.inner_radius)


def _could_hit(own: Collider, other: Collider, mask: int) -> bool:
    """Whether nothing but activity and place keeps one from the other. mask: own's layers."""
    return (
        other.id != own.id
        and not (own.owner and own.owner == other.owner)
        and bool(mask >> other.layer & 1)
        and not _can_never_meet(own.shape, other.shape)
    )


def attacks(
    path: str | os.PathLike[str],
    *,
    layers: Iterable[str] = (),
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> AttackReport:
    """The attacks of a log, which is played twice. An attack is a collider as `Lives` has it;
    `layers`: numbers or names of the layers that attacks are on.
    Attacks of one owner that are on in the same frames are parts of one swing.

    ValueError for a layer that the log does not have, MatchLogError for a log that is not valid or
    whose simulation is not known; OSError for one that cannot be read."""

    run = partial(watch, path, simulations=simulations, progress=progress)

    census = _Census(layers)
    run(census)
    census.end()
    swings = _swings(census)
    found = _Nearest(swings)
    watched = run(found)
    first = watched.header.first_frame
    return AttackReport(
        log=os.fspath(path),
        frames=all_frames(first, watched.frames),
        cut=watched.cut or None,
        guess=census.lives.is_guess,
        attacks=[_swing_of(one, found.names, first) for one in swings],
        owners=dict(found.owners),
    )


def _swing_of(one: _Swing, names: Mapping[int, str], first_frame: int) -> Swing:
    hits = {life: united(spans) for life, spans in one.hits.items()}
    near = sorted(
        (rank, life, seen) for life, (rank, seen) in one.near.items() if life in one.could_hit
    )
    id = one.parts[0][0]
    return Swing(
        id=id,
        name=names.get(id),
        owner=one.owner,
        attack=one.attack,
        frames=numbered([(one.first, one.last)], first_frame)[0],
        parts=[Party(id, names.get(id)) for id, _ in one.parts],
        hits=[
            Victim(life[0], names.get(life[0]), one.owners[life], numbered(spans, first_frame))
            for life, spans in sorted(hits.items(), key=lambda item: (item[1][0], item[0]))
        ],
        missed=[
            MissedVictim(id, names.get(id), seen.owners[1], seen.ids[0], seen.named(names))
            for _, (id, _), seen in near[:MISSED_MAX]
        ],
    )

"""The attacks of a recorded match: whom each hit, and how near it came to those it missed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from fixsync import sim
from fixsync._native.checks import layer_masks
from fixsync.level import LEVEL
from fixsync.log.pair import At, Seen
from fixsync.log.reader import Reader
from fixsync.log.schema import (
    FRAME_MAX,
    LINE_BYTES_MAX,
    Add,
    Command,
    Event,
    Remove,
    SetActive,
    SetLayers,
)
from fixsync.log.spans import Span, add_frame, numbered
from fixsync.log.watch import Start, Step, Watched, Watcher, watch
from fixsync.records import Collider
from fixsync.shapes import EventKind, Sector
from fixsync.world import World

__all__ = ["AttackReport", "Lives", "Missed", "Swing", "Victim", "attacks"]

Life = tuple[int, int]
"""A collider: its id, and how often that id was added before."""


class Victim(Struct):
    """A collider or a solid that a swing hits."""

    id: int
    name: str | None
    owner: int
    frames: list[Span]


class Missed(Struct):
    """A collider that a swing could hit, and does not."""

    id: int
    name: str | None
    owner: int
    nearest: At
    """The frame of the swing in which it came nearest."""


class Swing(Struct):
    """An attack, from the frame in which it is on to the last one before it is off."""

    id: int
    name: str | None
    owner: int
    attack: str | None
    """The attack that the simulation's `phases` name."""
    frames: Span
    hits: list[Victim]
    """By first frame, then id."""
    missed: list[Missed]
    """The nearest first."""


class AttackReport(Struct, kw_only=True):
    """The swings of a log, by first frame, then id."""

    log: str
    frames: Span | None
    """First and last frame of the log; None if it has none."""
    cut: str | None
    """Why the log counts as cut short."""
    attacks: list[Swing]


class Lives:
    """The colliders in a world, and those of them that are attacks as far as is known: those that
    were added in another frame than 0, and those that were inactive at a step."""

    def __init__(self) -> None:
        self.attacks: set[Life] = set()
        self._count: dict[int, int] = {}
        self._is_active: dict[int, bool] = {}

    def begin(self, world: World) -> None:
        self._count = dict.fromkeys(world, 0)
        self._is_active = {one.id: one.active for one in world.colliders()}
        self.attacks.clear()
        self._mark(list(world))

    def life(self, id: int) -> Life:
        """That of the collider that has the id, or had it last."""
        return id, self._count.get(id, 0)

    def take(self, frame: int, commands: Iterable[Command]) -> None:
        """Takes the commands before the step of a frame."""
        changed: list[int] = []
        for command in commands:
            kind = type(command)
            if kind is SetActive or kind is Add:
                self._is_active[command.id] = command.active
                changed.append(command.id)
            elif kind is Remove:
                self._is_active.pop(command.id, None)
            if kind is Add:
                self._count[command.id] = self._count.get(command.id, -1) + 1
                if frame != 0:
                    self.attacks.add(self.life(command.id))
        self._mark(changed)

    def _mark(self, ids: Iterable[int]) -> None:
        self.attacks |= {self.life(id) for id in ids if not self._is_active.get(id, True)}

    def on(self) -> set[Life]:
        """The attacks that are on."""
        return {
            one for one in self.attacks if self._is_active.get(one[0]) and self.life(one[0]) == one
        }


class _Census:
    """Finds out which colliders are attacks: one that is on from the start may go off later."""

    def __init__(self) -> None:
        self.lives = Lives()

    def begin(self, start: Start) -> None:
        self.lives.begin(start.world)

    def step(self, step: Step) -> None:
        self.lives.take(step.frame, step.commands)


class _Open:
    """A swing that is not over."""

    def __init__(self, life: Life, owner: int, attack: str | None, number: int) -> None:
        self.life = life
        self.owner = owner
        self.attack = attack
        self.first = self.last = number
        self.hits: dict[Life, list[Span]] = {}
        self.owners: dict[Life, int] = {}
        self.near: dict[Life, Seen] = {}
        self.could_hit: set[Life] = set()


class _Attacks:
    """Watches the attacks that a census found."""

    def __init__(self, attacks: frozenset[Life]) -> None:
        self.names: Mapping[int, str] = {}
        self.over: list[_Open] = []
        self._attacks = attacks
        self._lives = Lives()
        self._masks: tuple[int, ...] = ()
        self._open: dict[Life, _Open] = {}
        self._count = 0

    def begin(self, start: Start) -> None:
        self.names = start.names
        self._lives.begin(start.world)
        self._lives.attacks |= self._attacks
        self._masks = layer_masks(start.world.layers)

    def step(self, step: Step) -> None:
        number, self._count = self._count, self._count + 1
        self._lives.take(step.frame, step.commands)
        for command in step.commands:
            if type(command) is SetLayers:
                self._masks = layer_masks(command.layers)
        on = self._lives.on()
        for life in self._open.keys() - on:
            self.over.append(self._open.pop(life))
        if not on:
            return
        colliders = {one.id: one for one in step.world.colliders()}
        hits = _hits_by_id(step.events)
        for life in on:
            own = colliders[life[0]]
            swing = self._open.get(life)
            if swing is None:
                attack = step.phases.get(own.owner, (None, ""))[0]
                swing = self._open[life] = _Open(life, own.owner, attack, number)
            swing.last = number
            for other in hits.get(own.id, ()):
                key = self._lives.life(other)
                add_frame(swing.hits.setdefault(key, []), number)
                swing.owners[key] = 0 if other >= LEVEL else colliders[other].owner
            self._miss(swing, step, own, colliders, hits.get(own.id, ()))

    def _miss(
        self,
        swing: _Open,
        step: Step,
        own: Collider,
        colliders: Mapping[int, Collider],
        hit: Iterable[int],
    ) -> None:
        """How near the swing comes to those that it does not hit in this frame."""
        mask = self._masks[own.layer]
        for other in colliders.values():
            key = self._lives.life(other.id)
            if other.id in hit or key in swing.hits or not _could_hit(own, other, mask):
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
            near = swing.near.get(key)
            if near is None or seen.rank() < near.rank():
                swing.near[key] = seen

    def end(self) -> list[_Open]:
        """All swings, in order."""
        return sorted([*self.over, *self._open.values()], key=lambda one: (one.first, one.life))


def _could_hit(own: Collider, other: Collider, mask: int) -> bool:
    """Whether nothing but activity and place keeps one from the other. mask: own's layers."""
    return (
        other.id != own.id
        and not (own.owner and own.owner == other.owner)
        and bool(mask >> other.layer & 1)
        and not (isinstance(own.shape, Sector) and isinstance(other.shape, Sector))
    )


def _hits_by_id(events: Iterable[Event]) -> dict[int, list[int]]:
    """Whom each id hits."""
    found: dict[int, list[int]] = {}
    for a, b, kind, _ in events:
        if kind != EventKind.EXIT:
            found.setdefault(a, []).append(b)
            found.setdefault(b, []).append(a)
    return found


def attacks(
    path: str | os.PathLike[str],
    *,
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
    line_bytes_max: int = LINE_BYTES_MAX,
) -> AttackReport:
    """The attacks of a log, which is played twice. An attack is a collider that was added in
    another frame than 0, or is inactive at a step.

    MatchLogError for a log that is not valid or whose simulation is not known; OSError for one that
    cannot be read."""

    def run(watcher: Watcher) -> Watched:
        return watch(
            path,
            watcher,
            simulations=simulations,
            progress=progress,
            line_bytes_max=line_bytes_max,
        )

    census = _Census()
    run(census)
    found = _Attacks(frozenset(census.lives.attacks))
    watched = run(found)
    first = watched.header.first_frame
    last = (first + watched.frames - 1) & FRAME_MAX
    return AttackReport(
        log=os.fspath(path),
        frames=(first, last) if watched.frames else None,
        cut=watched.cut or None,
        attacks=[_swing(one, found.names, first) for one in found.end()],
    )


def _swing(one: _Open, names: Mapping[int, str], first_frame: int) -> Swing:
    id = one.life[0]
    hits = sorted(one.hits.items(), key=lambda item: (item[1][0], item[0]))
    near = [
        (seen.rank(), life, seen)
        for life, seen in one.near.items()
        if life not in one.hits and life in one.could_hit
    ]
    return Swing(
        id=id,
        name=names.get(id),
        owner=one.owner,
        attack=one.attack,
        frames=numbered([(one.first, one.last)], first_frame)[0],
        hits=[
            Victim(life[0], names.get(life[0]), one.owners[life], numbered(spans, first_frame))
            for life, spans in hits
        ],
        missed=[
            Missed(life[0], names.get(life[0]), seen.owners[1], seen.told(names))
            for _, life, seen in sorted(near, key=lambda item: item[:2])
        ],
    )

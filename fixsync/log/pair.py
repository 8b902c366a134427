"""Why two colliders of a recorded match hit each other in some frames, and in others not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from msgspec import Struct

from fixsync._native.raw import constant
from fixsync.log.reader import Reader
from fixsync.log.replay import placed_of
from fixsync.log.schema import FRAME_MAX
from fixsync.log.spans import Span, add_frame, all_frames, around, numbered, spans_text
from fixsync.log.watch import Start, Step, watch
from fixsync.match import sim
from fixsync.world.level import LEVEL
from fixsync.world.records import Collider
from fixsync.world.why import Missed, Why, explanation

__all__ = ["CAUSES", "Check", "PairFrame", "PairReport", "Party", "Seen", "id_of", "why"]

CAUSES = tuple(cause.name.lower() for cause in Why if cause.name)
"""The names of causes, as in reports."""
_CHECKED = (Why.A_INACTIVE, Why.B_INACTIVE, Why.OWNER, Why.LAYERS, Why.HEIGHT, Why.BESIDE)
_CHECKED_IF_TRUE = (Why.SECTORS, Why.CORNER, Why.GRAZES)


class Party(Struct):
    """A collider or a solid."""

    id: int
    name: str | None
    """As the log has it."""

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        return f"solid {self.id - LEVEL}" if self.id >= LEVEL else str(self.id)


class PairFrame(Struct):
    """A pair at the step of a frame. `contact` to `turn` are those of `Explanation`."""

    frame: int
    why: list[str]
    """Of CAUSES; empty for a hit."""
    contact: str
    height: int
    planar: int | None
    gap: int | None
    turn: int | None
    grows: int
    """The id of the one that `planar` and `gap` grow."""
    sector: str | None
    """How a sector is missed: "beyond", "outside" or "hole"."""
    owners: tuple[int, int]
    layers: tuple[int, int]
    text: str
    """The causes in words."""


class Check(Struct):
    """A cause at a frame."""

    cause: str
    holds: bool
    """Whether it is a cause there."""
    frames: Span
    """The frames around it with the same answer."""


class PairReport(Struct, kw_only=True):
    """Why a pair hits in some frames of a log, and in others not."""

    log: str
    summary: str
    """The answer in words."""
    a: Party
    b: Party
    frames: Span
    """First and last frame of the log."""
    cut: str | None
    """Why the log counts as cut short."""
    together: list[Span]
    """Frames in which both are in the world."""
    hits: list[Span]
    meet: list[Span]
    """Frames without a cause of the shapes."""
    allowed: list[Span]
    """Frames without another cause."""
    causes: dict[str, list[Span]]
    """Frames of each cause that there was."""
    nearest: PairFrame | None
    """Of the frames without a hit, the one that `Seen.rank` puts first."""
    frame: PairFrame | None = None
    """The frame that was asked for, if both are in the world there."""
    checks: list[Check] = []
    """The causes in that frame."""
    owners: dict[int, str] = {}
    """Names of owners."""


def id_of(text: str, names: Mapping[int, str], start: Start) -> int:
    """The id that a text names: an id, "solid 10", or a name. ValueError if the match has none."""
    level = start.world.level
    solids = len(level) if level is not None else 0
    if number := re.fullmatch("(solid )?([0-9]{1,10})", text):
        id = int(number[2]) + (LEVEL if number[1] else 0)
        if id < start.world.capacity or LEVEL <= id < LEVEL + solids:
            return id
        of_solids = f", or solid 0..{solids - 1}" if solids else ""
        raise ValueError(f"id must be 0..{start.world.capacity - 1}{of_solids}, not {text}")
    found = [id for id, name in names.items() if name == text]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{text!r} is the name of ids {', '.join(map(str, found))}: give the id")
    close = get_close_matches(text, names.values(), 3)
    hint = f"; similar names: {', '.join(map(repr, close))}" if close else ""
    raise ValueError(f"no id of the log has the name {text!r}{hint}")


_OF_SHAPES = int(Why.SECTORS | Why.HEIGHT | Why.BESIDE | Why.CORNER | Why.GRAZES)
_NEVER: int = constant("NEVER")


class Seen(NamedTuple):
    """The kernel's explanation of a pair at the step of a frame."""

    frame: int
    ids: tuple[int, int]
    row: tuple[int, ...]
    """The fields of `fxs_explanation`."""
    owners: tuple[int, int]
    layers: tuple[int, int]

    @property
    def is_hit(self) -> bool:
        return self.row[0] == 0

    @property
    def meets(self) -> bool:
        """Whether no cause is of the shapes."""
        return not self.row[0] & _OF_SHAPES

    @property
    def is_allowed(self) -> bool:
        """Whether no cause is another."""
        return not self.row[0] & ~_OF_SHAPES

    def rank(self) -> tuple[bool, bool, int]:
        """How near the pair came to a hit, nearest first: without another cause than the shapes,
        then by gap, and those that no size makes meet last, by height."""
        height, gap = self.row[4], self.row[6]
        is_never = gap == _NEVER
        return not self.is_allowed, is_never, height if is_never else gap

    def named(self, names: Mapping[int, str]) -> PairFrame:
        """The record. names: of ids, as far as they have one."""
        a, b = self.ids
        found = explanation(a, b, self.row)
        return PairFrame(
            frame=self.frame,
            why=causes_of(found.why),
            contact=found.contact.name,
            height=found.height,
            planar=found.planar,
            gap=found.gap,
            turn=found.turn,
            grows=b if found.grows_b else a,
            sector=None if found.sector is Missed.NOTHING else found.sector.name.lower(),
            owners=self.owners,
            layers=self.layers,
            text=found.text(names),
        )


def seen_by(step: Step, a: int, b: int) -> Seen:
    """The explanation of two ids in the world of a step."""
    places: list[Any] = [placed_of(step.world, id) for id in (a, b)]
    owners = [one.owner if isinstance(one, Collider) else 0 for one in places]
    row = step.world._native.explain(a, b)
    layers = places[0].layer, places[1].layer
    return Seen(step.frame, (a, b), row, (owners[0], owners[1]), layers)


def causes_of(why: int) -> list[str]:
    """The names of the causes in a set."""
    return [name for i, name in enumerate(CAUSES) if why >> i & 1]


class _Pair:
    """Watches two ids."""

    def __init__(self, a: str, b: str, frame: int | None) -> None:
        self._asked = a, b
        self._frame = frame
        self.names: Mapping[int, str] = {}
        self.owners: Mapping[int, str] = {}
        self.ids: tuple[int, int] | None = None
        self.count = 0
        self.spans: dict[str, list[Span]] = {
            name: [] for name in ("together", "hits", "meet", "allowed", *CAUSES)
        }
        self.nearest: Seen | None = None
        self.at: Seen | None = None
        self.asked_at: int | None = None
        """How many frames of the log are before the one that was asked for."""

    def begin(self, start: Start) -> None:
        a, b = (id_of(text, start.names, start) for text in self._asked)
        if a == b:
            raise ValueError(f"A and B are the same id, {a}")
        if a >= LEVEL and b >= LEVEL:
            raise ValueError(
                f"A and B are the solids {a - LEVEL} and {b - LEVEL}, which never meet"
            )
        self.ids = a, b
        self.names, self.owners = start.names, start.owners

    def step(self, step: Step) -> None:
        number, self.count = self.count, self.count + 1
        if step.frame == self._frame:
            self.asked_at = number
        if self.ids is None or any(id < LEVEL and id not in step.world for id in self.ids):
            return
        seen = seen_by(step, *self.ids)
        for name, is_so in (
            ("together", True),
            ("hits", seen.is_hit),
            ("meet", seen.meets),
            ("allowed", seen.is_allowed),
            *((cause, True) for cause in causes_of(seen.row[0])),
        ):
            if is_so:
                add_frame(self.spans[name], number)
        if not seen.is_hit and (self.nearest is None or seen.rank() < self.nearest.rank()):
            self.nearest = seen
        if step.frame == self._frame:
            self.at = seen

    def checks(self, first_frame: int) -> list[Check]:
        if self.at is None or self.asked_at is None:
            return []
        _, together = around(self.spans["together"], self.asked_at, (0, self.count - 1))
        found = []
        for cause in (*_CHECKED, *_CHECKED_IF_TRUE):
            name = str(cause.name).lower()
            holds, span = around(self.spans[name], self.asked_at, together)
            if holds or cause in _CHECKED:
                found.append(Check(name, holds, numbered([span], first_frame)[0]))
        return found


def why(
    path: str | os.PathLike[str],
    a: str,
    b: str,
    *,
    frame: int | None = None,
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> PairReport:
    """Why a pair is a hit or none, over a whole log, and in a frame of it.

    a, b: an id, a name, or "solid 10". ValueError for those that the match does not have, and for a
    frame that the log does not have; MatchLogError for a log that is not valid or whose simulation
    is not known; OSError for one that cannot be read."""
    pair = _Pair(a, b, frame)
    watched = watch(path, pair, simulations=simulations, progress=progress)
    first = watched.header.first_frame
    frames = all_frames(first, watched.frames)
    if pair.ids is None or frames is None:
        raise ValueError(f"{os.fspath(path)} has no frames")
    if frame is not None and pair.asked_at is None:
        raise ValueError(f"frame must be {first}..{frames[1]}, not {frame}")
    spans = {name: numbered(spans, first) for name, spans in pair.spans.items()}
    found = PairReport(
        log=os.fspath(path),
        summary="",
        a=Party(pair.ids[0], pair.names.get(pair.ids[0])),
        b=Party(pair.ids[1], pair.names.get(pair.ids[1])),
        frames=frames,
        cut=watched.cut or None,
        together=spans["together"],
        hits=spans["hits"],
        meet=spans["meet"],
        allowed=spans["allowed"],
        causes={name: spans[name] for name in CAUSES if spans[name]},
        nearest=pair.nearest and pair.nearest.named(pair.names),
        frame=pair.at and pair.at.named(pair.names),
        checks=pair.checks(first),
        owners=dict(pair.owners),
    )
    found.summary = _summary(found, frame)
    return found


def _summary(found: PairReport, frame: int | None) -> str:
    """The answer about a frame or, with None, about the whole match."""
    a, b, nearest = found.a, found.b, found.nearest
    if not found.together:
        return f"{a} and {b} were never both in the world"
    if frame is None:
        if found.hits:
            return f"{a} hit {b} in {_frames_text(found.hits)}"
        if nearest is None:
            return f"{a} never hit {b}"
        return f"{a} never hit {b}; nearest in frame {nearest.frame}: {nearest.text}"
    at = found.frame
    if at is None:
        there = _frames_text(found.together)
        return f"{a} and {b} were not both in the world in frame {frame}, but in {there}"
    if not at.why:
        span = next(one for one in found.hits if _is_in(frame, one))
        return f"{a} hit {b} in {_frames_text([span])}"
    answer = f"{a} missed {b} in frame {frame}: {at.text}"
    if nearest is not None and nearest.frame != frame:
        answer += f". The nearest miss is in frame {nearest.frame}: {nearest.text}"
    return answer


def _frames_text(spans: Sequence[Span]) -> str:
    word = "frame" if len(spans) == 1 and spans[0][0] == spans[0][1] else "frames"
    return f"{word} {spans_text(spans, 4)}"


def _is_in(frame: int, span: Span) -> bool:
    """Whether a frame is in a span, which may pass the end of the frame numbers."""
    first, last = span
    return (frame - first) & FRAME_MAX <= (last - first) & FRAME_MAX

"""The hits that a match would have had with other shapes: its recorded commands, with changed sizes
and offsets."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from msgspec import Struct

from fixsync._native import kernel
from fixsync._native.kinds import KINDS_BY_NAME
from fixsync._native.status import CommandError
from fixsync.base.files import check_output
from fixsync.base.names import Names
from fixsync.base.strict_json import LineError
from fixsync.log.attacks import Lives
from fixsync.log.hits import (
    HitRow,
    Totals,
    TwoHits,
    rows_of,
    totals_by_id,
    totals_of,
)
from fixsync.log.lines import format_frame, plain
from fixsync.log.pair import Party
from fixsync.log.player import Player
from fixsync.log.reader import Reader
from fixsync.log.schema import Header, TraceFrame
from fixsync.log.schema import Start as State
from fixsync.log.settings import FOLLOWED, Altered, Rewriter, Setting
from fixsync.log.spans import Span, all_frames
from fixsync.log.watch import Start, Step, watch
from fixsync.log.writer import Writer
from fixsync.match import sim

__all__ = ["AttackTotals", "MatchDifference", "OtherMatch", "Used", "WhatIf", "by_attack", "whatif"]


class Used(Struct):
    """A setting, and the values that it changed, in the order in which it did."""

    text: str
    altered: list[Altered]


class AttackTotals(Struct):
    """The hits of an attack in both runs."""

    attack: Party
    totals: Totals


class MatchDifference(Struct):
    """The first difference of one kind between two matches."""

    what: str
    """"part" (a collider that is on in one alone), "hit", "state" (beyond shapes) or "game" (the
    game's own events)."""
    frame: int | None
    """None if they do not."""
    text: str
    """The difference as text."""


class OtherMatch(Struct):
    """The match of another simulation with the same inputs, compared with the recorded one."""

    simulation: str
    """The module and the class of the other one."""
    ways: list[MatchDifference]
    """One for each kind that is known, in the order of `MatchDifference.what`."""
    since: int | None
    """The frame from which on it is another match: the first of parts, states and events of the
    game that differ."""
    rows_since: int
    """The rows of that frame and later: those of another match."""


class WhatIf(Struct, kw_only=True):
    """How the hits of a match differ from those with other shapes, or of another simulation."""

    log: str
    frames: Span | None
    """First and last frame of the log; None if it has none."""
    cut: str | None
    """Why the log counts as cut short."""
    names: dict[int, str]
    """Names of ids."""
    settings: list[Used]
    rows: list[HitRow]
    """First the recorded match, second the changed one."""
    totals: Totals
    attacks: list[AttackTotals]
    """Of the attacks with rows, by id."""
    guess: bool
    """Whether nothing said what an attack is, so that it is guessed (`Lives`)."""
    warnings: list[str]
    unselected: list[str] = []
    """The settings that select no collider of the match."""
    other: OtherMatch | None = None
    """Of another simulation."""


class _Changed:
    """Watches a match, and plays it with settings beside it."""

    def __init__(
        self,
        settings: Sequence[Setting],
        output: str | os.PathLike[str] | None,
        layers: Iterable[str],
    ) -> None:
        self._settings = settings
        self._output = output
        self._writer: Writer | None = None
        self.names: Mapping[int, str] = {}
        self.two = TwoHits()
        self.rewriter = Rewriter(settings, Names())
        self.answers = 0
        """The number of answers to queries and casts that differ."""
        self._player: Player
        self.lives = Lives(layers)

    def begin(self, start: Start) -> None:
        world, header = start.world, start.header
        self.names = start.names
        self.rewriter = Rewriter(self._settings, Names(dict(start.layers), dict(start.names)))
        self._player = Player(
            Header(
                capacity=world.capacity,
                hit_when=int(world.hit_when),
                level=world.level,
                start=State(world.frame, world.save()),
            )
        )
        self.lives.begin(start)
        self.two = TwoHits()
        try:
            self._player.world.apply(map(plain, self.rewriter.begin(world)))
        except CommandError as error:
            raise _refused(world.frame, error.reason) from error
        if self._output is not None:
            self.close()
            made = self._player.world
            state = made.save() if len(made) or made.frame else None
            self._writer = Writer(self._output, _about(header), made, state=state, is_whole=True)

    def step(self, step: Step) -> None:
        frame, commands = step.frame, step.commands
        played: Any = commands
        followed = [command for command in commands if type(command) in FOLLOWED]
        if followed:
            self.lives.take(frame, followed)
            if any(self.rewriter.may_change(command.id) for command in followed):
                played = self.rewriter.rewrite(frame, commands)
        row = TraceFrame(frame, played)
        try:
            self._player.play(row)
        except LineError as wrong:
            raise _refused(frame, wrong.reason) from wrong
        if self._writer is not None:
            self._writer.write(format_frame(self._player.filled(row)))
        self.two.take(step.events, self._player.events)
        self.answers += sum(map(operator.ne, step.answers, self._player.answers))

    def close(self, *, is_whole: bool = True) -> None:
        """Ends the output."""
        if self._writer is not None:
            self._writer.close(is_whole=is_whole)

    def abandon(self) -> None:
        """Removes the output."""
        if self._writer is not None:
            self._writer.abandon()

    @property
    def has_output(self) -> bool:
        """Whether the changed match is written."""
        return self._output is not None


def _about(header: Header) -> Header:
    """The header of the changed match, which is a trace."""
    meta = dict(header.meta)
    return Header(
        tick_rate=header.tick_rate,
        seed=0,
        meta=meta,
        names=header.names,
        unit_mm=header.unit_mm,
        z_down=header.z_down,
        capacity=header.capacity,
        semantics=kernel.semantics(),
    )


def _refused(frame: int, reason: str) -> ValueError:
    return ValueError(f"frame {frame}, with the settings: {reason}")


def whatif(
    path: str | os.PathLike[str],
    settings: Iterable[str | Setting],
    *,
    output: str | os.PathLike[str] | None = None,
    layers: Iterable[str] = (),
    simulations: Mapping[str, sim.SimulationType] | None = None,
    progress: Callable[[Reader], None] | None = None,
) -> WhatIf:
    """Plays a match with changed shapes, and compares its hits with the recorded ones.

    settings: as `Setting` takes them, each applied to the result of those before it. Positions, and
    all that a game did with its hits, are as recorded. The recorded hits are computed. output:
    where to write the changed match, as a trace. layers: numbers or names of the layers that
    attacks are on, as `attacks` takes them.

    ValueError for a setting that is wrong, makes a value out of range, or with `output` selects no
    collider, and for an output that is the log; MatchLogError for a log that is not valid or whose
    simulation is not known; OSError for one that cannot be read."""
    if output is not None:
        check_output(output, [path])
    made = [one if isinstance(one, Setting) else Setting(one) for one in settings]
    changed = _Changed(made, output, [*layers])
    try:
        watched = watch(path, changed, simulations=simulations, progress=progress)
        return _what_if(path, watched.header, watched.cut, changed)
    except BaseException:
        changed.abandon()
        raise


def _what_if(path: str | os.PathLike[str], header: Header, cut: str, changed: _Changed) -> WhatIf:
    unselected = changed.rewriter.unselected()
    if unselected and changed.has_output:
        raise ValueError("; ".join(unselected.values()))
    changed.close(is_whole=not cut)
    two, first = changed.two, header.first_frame
    rows = rows_of(two, changed.names, first)
    rewriter = changed.rewriter
    return WhatIf(
        log=os.fspath(path),
        frames=all_frames(first, two.frames),
        cut=cut or None,
        names=dict(changed.names),
        settings=[Used(text, [*found.values()]) for text, found in rewriter.altered.items()],
        rows=rows,
        totals=totals_of(two, rows),
        attacks=by_attack(two, rows, changed.lives.ids, rewriter.ids),
        guess=changed.lives.is_guess,
        warnings=[*rewriter.warnings(), *_unknown(changed)],
        unselected=[*unselected],
    )


def by_attack(
    two: TwoHits, rows: Sequence[HitRow], attacks: Set[int], altered: Set[int]
) -> list[AttackTotals]:
    """The totals of the attacks that have rows. Of two attacks a row is of the altered one."""

    def attack(row: HitRow) -> Party | None:
        found = [one for one in (row.a, row.b) if one.id in attacks]
        return next((one for one in found if one.id in altered), found[0] if found else None)

    parties: dict[int, Party] = {}
    groups: dict[int, list[HitRow]] = {}
    for row in rows:
        if (one := attack(row)) is not None:
            parties[one.id] = one
            groups.setdefault(one.id, []).append(row)
    totals = totals_by_id(two, groups)
    return [AttackTotals(parties[id], totals[id]) for id in sorted(totals)]


def _unknown(changed: _Changed) -> Iterator[str]:
    """The limits of the changed match, because movement is as recorded."""
    recorded = changed.rewriter.recorded
    bodies = sorted(
        id
        for id in changed.rewriter.ids - changed.lives.ids
        if KINDS_BY_NAME[recorded[id].shape.__struct_config__.tag].can_push
    )
    if bodies:
        named = ", ".join(str(changed.names.get(id, id)) for id in bodies[:4])
        more = f" and {len(bodies) - 4} more" if len(bodies) > 4 else ""
        yield (
            f"movement is as recorded: where {named}{more} would be pushed, or moved by a mover,"
            " they would stand elsewhere"
        )
    if changed.answers:
        yield (
            f"answers to queries and casts that differ: {changed.answers}; the effects of these"
            " in the game are as recorded"
        )

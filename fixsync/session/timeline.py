"""A simulation in time: stepped on final and on guessed inputs, taken back and stepped again.

`head` is the next frame to step. Frames below `confirmed` were stepped on final inputs, the frames
between the two on guesses, at most `prediction_max` of them.

The kit has this in C for other engines (history.c); that keeps states of a fixed size and of the
world alone. Here it takes 3 % of a session's time (2 players, 50 ms, cProfile), the simulation most
of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import msgspec

from fixsync.match.sim import Input, Simulation, guess_of, hash_of, is_over, stepped
from fixsync.session.blobs import Snapshot
from fixsync.session.desync import INPUT_DELAY, compared_hash
from fixsync.session.notices import Confirmed, Notice, Predicted, TakenBack
from fixsync.session.streams import Stream
from fixsync.world.records import Event, GameEvent

_NO_INPUTS = bytes(8)
_T = TypeVar("_T")


class _Played(NamedTuple):
    """A frame that was stepped."""

    inputs: tuple[Input, ...]
    events: tuple[Event, ...]
    game: tuple[GameEvent, ...]
    world_hash: int
    is_over: bool


class Timeline:
    """Steps a simulation on the inputs of `streams`, one a player."""

    def __init__(
        self, simulation: Simulation, streams: Sequence[Stream], prediction_max: int
    ) -> None:
        self.simulation = simulation
        self.streams = streams
        self.prediction_max = prediction_max
        self.rollbacks = 0
        """How often frames were taken back."""
        self.resteps = 0
        """How many frames were stepped again."""
        self._notices: list[Notice] = []
        self._guess = guess_of(simulation)
        delays = tuple([stream.next for stream in streams])  # An idle input for each of its frames.
        self._begin(Snapshot(0, simulation.save(), _NO_INPUTS, [], [], delays))

    def _begin(self, begin: Snapshot) -> None:
        self.head = self.confirmed = frame = begin.frame
        # states[f] is the state before frame f was stepped.
        self.states: dict[int, bytes] = {frame: begin.state}
        self.hashes: dict[int, int] = {}
        """By frame, the values that peers compare."""
        self.final_rows: dict[int, tuple[GameEvent, ...]] = {}
        """By frame, the game's own events and new input delays."""
        self.inputs_digests: dict[int, bytes] = {frame: begin.inputs_digest}
        """By frame, a digest of all inputs of the frames before it."""
        self.input_delays: dict[int, tuple[int, ...]] = {frame: begin.delays}
        """By frame, the input delay of each player before it."""
        self.final_inputs: dict[int, tuple[Input, ...]] = {}
        self._played: dict[int, _Played] = {}
        self._undone: dict[int, _Played] = {}
        """Frames from `head` on that were taken back, and are due again."""
        self._is_stale = False
        """The simulation is not in the state before `head`."""
        self.first_state = self.first_hash = frame
        self.is_over = is_over(self.simulation)
        """The match is over before `head`, as far as is known."""
        self.frames = frame if self.is_over else None
        """The length of the match, once a confirmed frame ended it."""

    def restart(self, snapshot: Snapshot) -> None:
        """Continues from a snapshot. ValueError, with the simulation unchanged, if it cannot be
        loaded."""
        before, frame = self.simulation.save(), snapshot.frame
        self.simulation.load(snapshot.state)
        fault = ""
        if self.simulation.save() != snapshot.state:
            fault = "the loaded state does not save to the same bytes"
        elif self.simulation.world.frame != frame:
            world = self.simulation.world.frame
            fault = f"a world at frame {world}, but the match is at frame {frame}"
        if fault:
            self.simulation.load(before)
            raise ValueError(fault)
        self._begin(snapshot)

    @property
    def can_step(self) -> bool:
        if self.is_over:
            return False
        return self.head - self.confirmed < self.prediction_max or self.is_known(self.head)

    def is_known(self, frame: int) -> bool:
        return frame < min([stream.next for stream in self.streams])

    def take_notices(self) -> list[Notice]:
        """The notices since the last call."""
        notices, self._notices = self._notices, []
        return notices

    def step(self) -> None:
        """Steps the next frame; `can_step` must be true.

        If the simulation raises, the frame is due again, from the same state."""
        frame, simulation = self.head, self.simulation
        if self._is_stale:
            simulation.load(self.states[frame])
        self._is_stale = True
        try:
            inputs = tuple(
                [
                    it[frame]
                    if frame < it.next
                    else self._guess(seat, it.last, frame + 1 - it.next)
                    for seat, it in enumerate(self.streams)
                ]
            )
            (rows, game), world_hash = stepped(simulation, inputs), simulation.world.hash()
            over, state = is_over(simulation), simulation.save()
        except BaseException:
            with suppress(Exception):  # else the next step loads it
                simulation.load(self.states[frame])
                self._is_stale = False
            raise
        self._is_stale = False
        events = tuple(rows)
        self._played[frame] = _Played(inputs, events, game, world_hash, over)
        self.states[frame + 1] = state
        self.is_over = over
        self.head += 1
        if self._undone:
            undone = self._undone.pop(frame)
            self.resteps += 1
            gone = _without(undone.events, events), _without(undone.game, game)
            if any(gone):
                self._notices.append(TakenBack(frame, *gone))
            events, game = _without(events, undone.events), _without(game, undone.game)
        if (events or game) and not self.is_known(frame):
            self._notices.append(Predicted(frame, events, game))

    def _first_wrong(self) -> int | None:
        """The first frame that was stepped on a wrong guess."""
        known = max([stream.next for stream in self.streams])
        for frame in range(self.confirmed, min(self.head, known)):
            inputs = self._played[frame].inputs
            for stream, used in zip(self.streams, inputs, strict=True):
                if frame < stream.next and stream[frame] != used:
                    return frame
        return None

    def _take_back(self, first: int) -> None:
        """Goes back before a frame. The events of the frames from there on are kept, and compared
        when those are stepped again.

        Frames that were known when they were stepped gave no prediction, and are not among them:
        the first wrong frame is no earlier than the first that was guessed."""
        self.rollbacks += 1
        for frame in range(first, self.head):
            self._undone[frame] = self._played.pop(frame)
            del self.states[frame + 1]
        self.head = first
        self.is_over, self._is_stale = False, True

    def roll_back(self) -> None:
        """Takes back frames with wrong guesses and steps them again, up to where it was or to the
        end of the match. The frames after that end are taken back."""
        first = self._first_wrong() if self.confirmed < self.head else None
        if first is not None:
            self._take_back(first)
        while self._undone and not self.is_over:
            self.step()
        for frame, undone in self._undone.items():
            if undone.events or undone.game:
                self._notices.append(TakenBack(frame, undone.events, undone.game))
        self._undone.clear()

    @property
    def can_confirm(self) -> bool:
        return self.confirmed < self.head and self.is_known(self.confirmed)

    def confirm(self) -> None:
        """Confirms the next final frame; `can_confirm` must be true, after `roll_back`."""
        frame = self.confirmed
        inputs, events, game, world_hash, over = self._played.pop(frame)
        state_hash = hash_of(self.states[frame + 1])
        rows, delays = game, self.input_delays[frame]
        for seat, stream in enumerate(self.streams):
            if frame in stream.delays and stream.delays[frame] != delays[seat]:
                rows = (*rows, GameEvent(seat, 0, INPUT_DELAY, stream.delays[frame]))
                delays = (*delays[:seat], stream.delays[frame], *delays[seat + 1 :])
        self.hashes[frame] = compared_hash(state_hash, rows, over)
        self.final_inputs[frame] = inputs
        self.input_delays[frame + 1] = delays
        if rows:
            self.final_rows[frame] = rows
        chained = self.inputs_digests[frame] + msgspec.msgpack.encode(inputs)
        digest = blake2b(chained, digest_size=8, person=b"fixsync inputs").digest()
        self.inputs_digests[frame + 1] = digest
        self.confirmed += 1
        if over:
            self.frames = self.confirmed
        self._notices.append(Confirmed(frame, inputs, events, world_hash, state_hash, game, delays))

    def let_go(self, states: int, hashes: int) -> None:
        """Drops the states before one frame and the hashes before another, but none that going
        back needs."""
        for frame in range(self.first_state, min(states, self.confirmed)):
            del self.states[frame], self.inputs_digests[frame], self.input_delays[frame]
            del self.final_inputs[frame]
            self.final_rows.pop(frame, None)
            self.first_state = frame + 1
        for frame in range(self.first_hash, min(hashes, self.confirmed)):
            del self.hashes[frame]
            self.first_hash = frame + 1


def _without(rows: tuple[_T, ...], others: tuple[_T, ...]) -> tuple[_T, ...]:
    """The rows that are not among others, in their order; of equal rows the first ones match."""
    if rows == others:
        return ()
    left = Counter(others)
    found = []
    for row in rows:
        if left[row] > 0:
            left[row] -= 1
        else:
            found.append(row)
    return tuple(found)

"""A simulation in time: stepped on final and on guessed inputs, taken back and stepped again.

`head` is the next frame to step. Frames below `confirmed` were stepped on final inputs, the frames
between the two on guesses, at most `prediction_max` of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from struct import Struct
from typing import NamedTuple, TypeVar

import msgspec

from fixsync.records import Event, GameEvent
from fixsync.session.notices import Confirmed, Notice, Predicted, TakenBack
from fixsync.session.streams import Stream
from fixsync.sim import Input, Simulation, hash_of, is_over, stepped

_NO_INPUTS = bytes(8)
_GAME_EVENT = Struct("<3Ii")
_T = TypeVar("_T")


class _Played(NamedTuple):
    """A frame that was stepped."""

    inputs: tuple[Input, ...]
    events: tuple[Event, ...]
    game: tuple[GameEvent, ...]
    world_hash: int
    is_over: bool


def compared_hash(state_hash: int, game: Iterable[Sequence[int]], over: bool = False) -> int:
    """The values of a frame that peers compare: the hash of the state after it, the game's own
    events, and whether the match is over. The state need not have what these were made of."""
    rows = b"".join(_GAME_EVENT.pack(*event) for event in game) + b"\1" * over
    return hash_of(state_hash.to_bytes(8, "little") + rows) if rows else state_hash


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
        self._begin(0, simulation.save(), _NO_INPUTS)

    def _begin(self, frame: int, state: bytes, inputs_digest: bytes) -> None:
        self.head = self.confirmed = frame
        # states[f] is the state before frame f was stepped.
        self.states: dict[int, bytes] = {frame: state}
        self.hashes: dict[int, int] = {}
        """By frame, the values that peers compare."""
        self.final_game: dict[int, tuple[GameEvent, ...]] = {}
        self.inputs_digests: dict[int, bytes] = {frame: inputs_digest}
        """By frame, a digest of all inputs of the frames before it."""
        self.final_inputs: dict[int, tuple[Input, ...]] = {}
        self._played: dict[int, _Played] = {}
        self.first_state = self.first_hash = frame
        self.is_over = is_over(self.simulation)
        """The match is over before `head`, as far as is known."""
        self.frames = frame if self.is_over else None
        """The length of the match, once a confirmed frame ended it."""

    def restart(self, frame: int, state: bytes, inputs_digest: bytes) -> None:
        """Continues from a snapshot. ValueError, with the simulation unchanged, if it cannot be
        loaded."""
        before = self.simulation.save()
        self.simulation.load(state)
        fault = ""
        if self.simulation.save() != state:
            fault = "the loaded state does not save to the same bytes"
        elif self.simulation.world.frame != frame:
            fault = (
                f"a world at frame {self.simulation.world.frame}, but the match is at frame {frame}"
            )
        if fault:
            self.simulation.load(before)
            raise ValueError(fault)
        self._begin(frame, state, inputs_digest)

    @property
    def can_step(self) -> bool:
        if self.is_over:
            return False
        return self.head - self.confirmed < self.prediction_max or self.is_known(self.head)

    def is_known(self, frame: int) -> bool:
        return all(frame < stream.next for stream in self.streams)

    def _step(self, frame: int) -> _Played:
        inputs = tuple(stream.guess(frame) for stream in self.streams)
        simulation = self.simulation
        (events, game), world_hash = stepped(simulation, inputs), simulation.world.hash()
        self.is_over = is_over(simulation)
        played = _Played(inputs, tuple(events), game, world_hash, self.is_over)
        self._played[frame] = played
        self.states[frame + 1] = self.simulation.save()
        return played

    def step(self) -> Iterator[Notice]:
        """Steps the next frame; `can_step` must be true. `settle` confirms it."""
        played = self._step(self.head)
        if not self.is_known(self.head) and (played.events or played.game):
            yield Predicted(self.head, played.events, played.game)
        self.head += 1

    def _first_wrong(self) -> int | None:
        """The first frame that was stepped on a wrong guess."""
        known = max(stream.next for stream in self.streams)
        for frame in range(self.confirmed, min(self.head, known)):
            inputs = self._played[frame].inputs
            for stream, used in zip(self.streams, inputs, strict=True):
                if frame < stream.next and stream[frame] != used:
                    return frame
        return None

    def _restep(self, first: int) -> Iterator[Notice]:
        """Goes back before a frame and steps up to the head again, or to the end of the match. The
        frames after that end are taken back."""
        self.rollbacks += 1
        self.simulation.load(self.states[first])
        self.is_over, end = False, self.head
        for frame in range(first, end):
            # Frames that were known when they were stepped gave no prediction, and none comes
            # here again: the first wrong frame is no earlier than the first that was guessed.
            told = self._played[frame]
            if self.is_over:
                del self._played[frame], self.states[frame + 1]
                if told.events or told.game:
                    yield TakenBack(frame, told.events, told.game)
                continue
            played = self._step(frame)
            self.head = frame + 1
            self.resteps += 1
            gone = _without(told.events, played.events), _without(told.game, played.game)
            if any(gone):
                yield TakenBack(frame, *gone)
            new = _without(played.events, told.events), _without(played.game, told.game)
            if any(new) and not self.is_known(frame):
                yield Predicted(frame, *new)

    def settle(self) -> Iterator[Notice]:
        """Takes back frames with wrong guesses, then confirms final frames one by one."""
        first = self._first_wrong()
        if first is not None:
            yield from self._restep(first)
        while self.confirmed < self.head and self.is_known(self.confirmed):
            frame = self.confirmed
            played = self._played.pop(frame)
            state_hash = hash_of(self.states[frame + 1])
            self.hashes[frame] = compared_hash(state_hash, played.game, played.is_over)
            self.final_inputs[frame] = played.inputs
            if played.game:
                self.final_game[frame] = played.game
            self.inputs_digests[frame + 1] = _chained(self.inputs_digests[frame], played.inputs)
            self.confirmed += 1
            if played.is_over:
                self.frames = self.confirmed
            inputs, events, game, world_hash, _ = played
            yield Confirmed(frame, inputs, events, world_hash, state_hash, game)

    def let_go(self, states: int, hashes: int) -> None:
        """Drops the states before one frame and the hashes before another, but none that going
        back needs."""
        while self.first_state < min(states, self.confirmed):
            del self.states[self.first_state], self.inputs_digests[self.first_state]
            del self.final_inputs[self.first_state]
            self.final_game.pop(self.first_state, None)
            self.first_state += 1
        while self.first_hash < min(hashes, self.confirmed):
            del self.hashes[self.first_hash]
            self.first_hash += 1


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


def _chained(digest: bytes, inputs: tuple[Input, ...]) -> bytes:
    return blake2b(
        digest + msgspec.msgpack.encode(inputs), digest_size=8, person=b"fixsync inputs"
    ).digest()

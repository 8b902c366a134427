"""A simulation in time: stepped on final and on guessed inputs, taken back and stepped again.

`head` is the next frame to step. Frames below `confirmed` were stepped on final inputs, the frames
between the two on guesses, at most `prediction_max` of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from fixsync.records import Event
from fixsync.session.notices import Confirmed, Notice, Predicted, TakenBack
from fixsync.session.streams import Stream
from fixsync.sim import Input, Simulation, hash_of

_NO_INPUTS = bytes(8)


class _Played(NamedTuple):
    """A frame that was stepped."""

    inputs: tuple[Input, ...]
    events: tuple[Event, ...]
    world_hash: int


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
        # states[f] is the state before frame f was stepped; hashes[f] is of states[f + 1].
        self.states: dict[int, bytes] = {frame: state}
        self.hashes: dict[int, int] = {}
        self.inputs_digests: dict[int, bytes] = {frame: inputs_digest}
        """By frame, a digest of all inputs of the frames before it."""
        self.final_inputs: dict[int, tuple[Input, ...]] = {}
        self._played: dict[int, _Played] = {}
        self.first_state = self.first_hash = frame

    def restart(self, frame: int, state: bytes, inputs_digest: bytes) -> None:
        """Continues from a snapshot. ValueError, with the simulation unchanged, if it cannot be
        loaded."""
        before = self.simulation.save()
        self.simulation.load(state)
        fault = ""
        if self.simulation.save() != state:
            fault = "what was loaded does not save to the same bytes"
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
        return self.head - self.confirmed < self.prediction_max or self.is_known(self.head)

    def is_known(self, frame: int) -> bool:
        return all(frame < stream.next for stream in self.streams)

    def _step(self, frame: int) -> _Played:
        inputs = tuple(stream.guess(frame) for stream in self.streams)
        events = tuple(self.simulation.step(inputs))
        played = _Played(inputs, events, self.simulation.world.hash())
        self._played[frame] = played
        self.states[frame + 1] = self.simulation.save()
        return played

    def step(self) -> Iterator[Notice]:
        """Steps the next frame; `can_step` must be true. `settle` confirms it."""
        played = self._step(self.head)
        if not self.is_known(self.head) and played.events:
            yield Predicted(self.head, played.events)
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
        """Goes back before a frame and steps up to the head again."""
        self.rollbacks += 1
        self.resteps += self.head - first
        self.simulation.load(self.states[first])
        for frame in range(first, self.head):
            # Frames that were known when they were stepped gave no prediction, and none comes
            # here again: the first wrong frame is no earlier than the first that was guessed.
            told = Counter(self._played[frame].events)
            played = self._step(frame)
            found = Counter(played.events)
            gone, new = told - found, found - told
            if gone:
                yield TakenBack(frame, tuple(gone.elements()))
            if new and not self.is_known(frame):
                yield Predicted(frame, tuple(new.elements()))

    def settle(self) -> Iterator[Notice]:
        """Takes back frames with wrong guesses, then confirms final frames one by one."""
        first = self._first_wrong()
        if first is not None:
            yield from self._restep(first)
        while self.confirmed < self.head and self.is_known(self.confirmed):
            frame = self.confirmed
            played = self._played.pop(frame)
            state_hash = self.hashes[frame] = hash_of(self.states[frame + 1])
            self.final_inputs[frame] = played.inputs
            self.inputs_digests[frame + 1] = _chained(self.inputs_digests[frame], played.inputs)
            self.confirmed += 1
            yield Confirmed(frame, *played, state_hash)

    def let_go(self, states: int, hashes: int) -> None:
        """Drops the states before one frame and the hashes before another, but none that going
        back needs."""
        while self.first_state < min(states, self.confirmed):
            del self.states[self.first_state], self.inputs_digests[self.first_state]
            del self.final_inputs[self.first_state]
            self.first_state += 1
        while self.first_hash < min(hashes, self.confirmed):
            del self.hashes[self.first_hash]
            self.first_hash += 1


def _chained(digest: bytes, inputs: tuple[Input, ...]) -> bytes:
    return blake2b(
        digest + msgspec.msgpack.encode(inputs), digest_size=8, person=b"fixsync inputs"
    ).digest()

"""The seats of a match: who plays which, from which frame, and the inputs of each."""

from __future__ import annotations

from collections.abc import Sequence

from fixsync.match.sim import Input, Simulation, check_input
from fixsync.session.match import FRAMES_MAX, Match
from fixsync.session.packets import NEVER, PacketError
from fixsync.session.streams import Stream


class Seats:
    """The seats as one peer knows them."""

    def __init__(self, match: Match, me: int, idle: Input) -> None:
        self.match = match
        self.me = me
        self.idle = idle
        self.is_player = match.is_player(me)
        self.since = [NEVER if seat in match.empty_seats else 0 for seat in range(match.players)]
        """By seat, the frame from which its own player plays it; NEVER where the host does."""
        self.sources: set[int] = set()
        """The seats whose inputs are made here."""
        self.was_mine_empty = False
        """This peer joined while its seat was empty: no earlier life of it made an input."""
        self.delay = match.input_delay
        self._delay: int | None = self.delay
        """The input delay of this player's last input; None: an earlier life gave that."""
        self.streams = [Stream(0, idle) for _ in range(match.players)]
        for stream in self.streams:
            for _ in range(match.input_delay):
                stream.push(idle)

    @property
    def is_mine_taken(self) -> bool:
        return self.is_player and self.since[self.me] != NEVER

    @property
    def has_empty(self) -> bool:
        return NEVER in self.since

    def is_required(self, peer: int) -> bool:
        """Whether the match cannot go on without a peer, as far as this one is concerned."""
        if not self.is_player:
            return True
        return peer < len(self.since) and self.since[peer] != NEVER

    def restart(self, frame: int, since: Sequence[int]) -> None:
        """Continues from a snapshot."""
        self.since = list(since)
        self.was_mine_empty = self.is_player and not self.is_mine_taken
        self._delay = None
        self.streams[:] = [Stream(frame, self.idle) for _ in self.streams]

    def feed(self, frame: int, value: Input) -> None:
        """Makes the inputs of the seats played here for `frame` and the delay after it, unless that
        frame has one. Frames before that have none repeat the last one."""
        due = frame + self.delay
        if self._delay != self.delay and self.me in self.sources:
            mine = self.streams[self.me]
            if mine.next <= due:
                self._delay = mine.delays[mine.next] = self.delay
        for seat in self.sources:
            stream = self.streams[seat]
            while stream.next < due:
                stream.push(stream.last)
            if stream.next == due:
                stream.push(value if seat == self.me else self.idle)

    def check(
        self, seat: int, first: int, values: list[Input], is_made_here: bool, simulation: Simulation
    ) -> None:
        """PacketError if a run of inputs is impossible."""
        stream = self.streams[seat]
        end = first + len(values)
        conflict = stream.conflict(first, values)
        if conflict is not None:
            raise PacketError(f"two inputs of seat {seat} for frame {conflict}")
        if is_made_here and end > stream.next:
            raise PacketError(
                f"inputs of seat {seat}, which is played here, up to frame {end - 1}; "
                f"{stream.next} frames have one"
            )
        try:
            for value in values[max(0, stream.next - first) :]:
                check_input(simulation, seat, value)
        except (TypeError, ValueError) as wrong:
            raise PacketError(str(wrong)) from None
        except Exception as wrong:  # whatever a game's check does with values from elsewhere
            text = f"the input of player {seat} cannot be checked: {type(wrong).__name__}: {wrong}"
            raise PacketError(text) from None

    def learn(self, since: Sequence[int]) -> list[int]:
        """Takes over, from who may say it, which seats have their player; returns the new ones."""
        found = []
        for seat in self.match.empty_seats:
            if self.since[seat] == NEVER != since[seat]:
                self.since[seat] = since[seat]
                found.append(seat)
        return found

    def give(self, seat: int, frame: int) -> None:
        """The host gives a seat to its player, who plays it from a frame on."""
        while self.streams[seat].next < frame:
            self.streams[seat].push(self.idle)
        self.since[seat] = frame
        self.sources.discard(seat)

    def let_go(self, frame: int) -> None:
        """Forgets the inputs of the frames before one."""
        for stream in self.streams:
            stream.let_go(min(frame, FRAMES_MAX))

"""Sessions: peers that play one match, each with its own simulation, by exchanging inputs.

No sockets and no clocks: `receive` takes a packet that arrived, `outgoing` returns the packets to
send, `advance` plays a frame. All take the time as integer milliseconds; a session counts a second
at most between two calls, so a leap of the clock makes nobody silent.
Nothing that arrives can raise an exception; a packet that is refused changes nothing but a
count."""

from __future__ import annotations

from fixsync._native.checks import index, integer, rate, shown
from fixsync._native.raw import UINT64_MAX
from fixsync._native.rows import Buffer, bytes_of
from fixsync.match.questions import kernel_id
from fixsync.match.sim import Input, Simulation, check_input, idle_input
from fixsync.session.desync import Desync
from fixsync.session.ending import Ending
from fixsync.session.joining import Joining
from fixsync.session.match import FRAMES_MAX, HOST, Match, Timing
from fixsync.session.notices import End, Notice, Reason, SessionStats
from fixsync.session.outgoing import RUNS_BYTES, SNAPSHOT_MS, UPDATES_MAX, Outgoing
from fixsync.session.packets import (
    NEVER,
    NOBODY,
    NONCE_BYTES,
    TEXT_CHARACTERS_MAX,
    Blob,
    Bye,
    Codec,
    Hello,
    PacketError,
    Update,
)
from fixsync.session.remote import Event, Local, Phase, Remote
from fixsync.session.seats import Seats
from fixsync.session.timeline import Timeline

PIECES_MAX = 64
"""Pieces of snapshots and evidence that go out at once, to all peers together."""
_PIECES_A_MS = 4
_NUMBER_BYTES = 9  # of 64 bits, in MessagePack; as many for the head of each run
_AHEAD_FRAMES = 2
_UNHEARD_MS = 500
_PAUSE_MS = 1000
"""The most time that passes for a session between two calls."""
_START_NUMBER_MAX = UINT64_MAX


class Session:
    """One peer of a match. See LockstepSession, RollbackSession and SpectatorSession."""

    def __init__(
        self,
        match: Match,
        simulation: Simulation,
        me: int,
        *,
        start_number: int,
        nonce: bytes,
        now_ms: int,
        timing: Timing | None = None,
        kernel: bytes | None = None,
    ) -> None:
        """`simulation` is at frame 0, started from the match's seed and number of players.

        Args:
            me: This peer's number.
            start_number: 1..2^64-1: 1 at this peer's first start, another number after a restart.
                Milliseconds since 1970 are allowed; a match with empty seats then begins after
                `Timing.silence_ms`, or when all peers answered.
            nonce: 16 random bytes, new for each session: `secrets.token_bytes(16)`. Packets of
                other sessions are refused by them.
            kernel: Must be equal on all peers; `kernel_id()` by default.
        """
        now_ms = index("now_ms", now_ms)
        if not isinstance(match, Match):
            raise TypeError(f"match must be a Match, not {shown(match)}")
        if not isinstance(timing, (Timing, type(None))):
            raise TypeError(f"timing must be a Timing or None, not {shown(timing)}")
        self.me = integer("me", me, 0, len(match.peers) - 1)
        _check_kind(type(self), match, me)
        self.start_number = integer("start_number", start_number, 1, _START_NUMBER_MAX)
        if not isinstance(nonce, bytes) or len(nonce) != NONCE_BYTES or nonce == NOBODY:
            raise ValueError(f"nonce must be {NONCE_BYTES} random bytes, not {shown(nonce)}")
        _check_simulation(match, simulation)
        _check_load(match, simulation)
        self.match = match
        self.timing = timing or Timing()
        self._seats = Seats(match, me, idle_input(simulation))
        prediction_max = match.prediction_max if match.is_player(me) else 0
        self._timeline = Timeline(simulation, self._seats.streams, prediction_max)
        codec, kernel = Codec(match, me, nonce), kernel_id() if kernel is None else kernel
        self._local = Local(
            match, me, self.start_number, codec, kernel, self.timing, self._seats, self._timeline
        )
        self._remotes = self._local.remotes
        self._remotes.update((peer, Remote(self._local, peer, now_ms)) for peer in match.others(me))
        self._outgoing = {it.peer: Outgoing(self._local, it) for it in self._remotes.values()}
        self._joined: list[Notice] = []
        self._called: tuple[int, bytes] | None = None
        """The peer and the nonce of the last packet."""
        self._pieces, self._pieces_ms = PIECES_MAX, now_ms
        self._waits, self._second_ms = 0, now_ms
        self._clock_ms = self._local.moved_ms = now_ms
        self._left_out_ms = 0
        self._pause_ms_max = max(_PAUSE_MS // 20, min(_PAUSE_MS, self.timing.silence_ms // 2))
        self._joining = Joining(self._local, now_ms)
        self._ending = Ending(self._local, self._joining)
        if self.phase is Phase.CONNECTING:
            self._joining.begin(now_ms)

    def _time(self, now_ms: int) -> int:
        """The session's own time. A leap of the clock between two calls, or a pause of the program,
        counts as a second at most, and a step back as none: nobody else was silent so long."""
        if type(now_ms) is not int:
            now_ms = index("now_ms", now_ms)
        passed_ms = now_ms - self._clock_ms
        if not 0 <= passed_ms <= self._pause_ms_max:
            if passed_ms > 0:
                self._local.leap = passed_ms, self._clock_ms - self._left_out_ms
            self._left_out_ms += passed_ms - (self._pause_ms_max if passed_ms > 0 else 0)
        self._clock_ms = now_ms
        return now_ms - self._left_out_ms

    # What the game asks.

    @property
    def phase(self) -> Phase:
        return self._local.phase

    @property
    def end(self) -> End | None:
        """How the match ended; None as long as it has not."""
        return self._local.end

    @property
    def is_over(self) -> bool:
        """Nothing is left to send: the session may be dropped."""
        return self._local.is_over

    @property
    def frame(self) -> int:
        """The next frame to be stepped."""
        return self._timeline.head

    @property
    def confirmed(self) -> int:
        """Frames below this are final."""
        return self._timeline.confirmed

    @property
    def simulation(self) -> Simulation:
        return self._timeline.simulation

    @property
    def rollbacks(self) -> int:
        """Number of rollbacks."""
        return self._timeline.rollbacks

    @property
    def resteps(self) -> int:
        """Number of frames that were stepped again."""
        return self._timeline.resteps

    @property
    def is_playing(self) -> bool:
        """Whether inputs given to `advance` are played."""
        return self._local.is_playing

    @property
    def seats(self) -> list[int | None]:
        """By seat, the frame from which its own player plays it; None where the host plays it."""
        return [None if frame == NEVER else frame for frame in self._seats.since]

    @property
    def received(self) -> int:
        """Packets that were accepted."""
        return self._local.received

    @property
    def refused(self) -> int:
        """Packets that were refused."""
        return self._local.refused

    def rtt_ms(self, peer: int) -> int | None:
        """The round trip to a peer, smoothed; None as long as it is not known."""
        remote = self._remotes.get(peer)
        return None if remote is None else remote.rtt_ms

    def frames_ahead(self, now_ms: int) -> int:
        """By how many frames this peer is ahead of the one farthest behind, as far as is known.

        A game that runs ahead makes the others guess more than it guesses itself: `is_ahead`."""
        return max([0, *self._frames_behind(self._time(now_ms))])

    def _frames_behind(self, now_ms: int) -> list[int]:
        """By how many frames each of the others is behind this peer."""
        return [remote.frames_behind(now_ms) for remote in self._local.required()]

    def is_ahead(self, now_ms: int) -> bool:
        """Whether this peer should run a little slower: it is 2 frames ahead of a peer or more, and
        1 ahead of the others on average.

        Where a packet takes longer one way than the other, each of several peers can seem ahead of
        another one. On average not all can, so not all slow down."""
        behind = self._frames_behind(self._time(now_ms))
        return max([0, *behind]) >= _AHEAD_FRAMES and sum(behind) >= len(behind)

    def stats(self, now_ms: int) -> SessionStats:
        """The state of this session and of its connections."""
        now_ms = self._time(now_ms)
        self._measure(now_ms)
        match, remotes = self.match, self._remotes.values()
        delays = self._timeline.input_delays[self.confirmed]
        played = zip(delays, self._seats.since, strict=True)
        waiting_for = tuple(self.waiting_for())
        needed = [
            match.frames_of((it.rtt_ms or 0) // 2 + it.jitter_ms) + 1 + it.window.lost_in_a_row
            for it in remotes
            if match.is_player(it.peer)
        ]
        return SessionStats(
            self.frame,
            self.confirmed,
            self.rollbacks,
            self.resteps,
            self._waits,
            waiting_for,
            max(0, now_ms - self._local.moved_ms) if waiting_for else 0,
            min([delay for delay, since in played if since != NEVER]) + match.prediction_max,
            max(needed, default=0),
            tuple([remote.stats(now_ms) for remote in remotes if remote.start_number]),
            delays,
        )

    @property
    def input_delay(self) -> int:
        """The input delay of this player's next input: that of the match, until it is set."""
        return self._seats.delay

    def set_input_delay(self, frames: int) -> None:
        """Sets it for this player, 0..`Match.input_delay_max`. ValueError for a spectator."""
        if not self._seats.is_player:
            raise ValueError(f"peer {self.me} is a spectator: only players have an input delay")
        self._seats.delay = integer("input delay", frames, 0, self.match.delay_max)

    def waiting_for(self) -> list[int]:
        """The peers that the match waits for."""
        return self._local.waiting_for()

    def state_after(self, frame: int) -> bytes | None:
        """The saved state after one of the last frames, if it is still kept; also of a guessed
        one."""
        return self._timeline.states.get(frame + 1)

    def leave(self, now_ms: int) -> None:
        """Ends the match for all; a spectator ends it only for itself."""
        self._ending.end(Reason.LEFT, self.me, f"peer {self.me} left", self._time(now_ms))

    @property
    def spectator_desyncs(self) -> dict[int, Desync]:
        """Of the host, by spectator that ended with another state: the evidence. A player without a
        seat counts as one."""
        return self._ending.spectator_desyncs

    # Each frame: receive, advance, outgoing.

    def receive(self, data: Buffer, now_ms: int) -> int | None:
        """Takes a packet. Returns the peer that sent it; None if it was refused, or is of a peer
        that has not shown yet that it is there: see `answers`."""
        data, now_ms, remote = bytes_of("data", data), self._time(now_ms), None
        self._called = None
        try:
            packet = self._local.codec.open(data)
            remote = self._remotes.get(packet.sender)
            if remote is None:
                raise PacketError(f"peer {packet.sender} may not send packets to peer {self.me}")
            self._called = remote.peer, packet.nonce
            event = remote.receive(packet, now_ms)
            if event is not None:
                self._heed(remote, event, now_ms)
            is_there = packet.nonce in (b"", remote.life)
            if is_there:
                remote.take_number(packet, now_ms)
            remote.bytes_in += len(data)
        except PacketError as wrong:
            self._local.refused += 1
            if remote is None:
                self._local.fault = str(wrong)[:TEXT_CHARACTERS_MAX]
            else:
                remote.refused += 1
                remote.fault = str(wrong)[:TEXT_CHARACTERS_MAX]
            return None
        self._local.received += 1
        return remote.peer if is_there else None

    def answers(self, now_ms: int) -> list[bytes]:
        """After a packet for which `receive` returned None: the packets to send where it came from,
        if its sender's address is not known. `outgoing` has them otherwise."""
        now_ms = self._time(now_ms)
        if self._called is None:
            return []
        peer, life = self._called
        return [*self._outgoing[peer].answers(now_ms, life)]

    def may_move(self, peer: int, now_ms: int) -> bool:
        """Whether the source of the packet that was taken last from a peer may become its address.

        It may if that packet is its newest, and it has acknowledged nothing for 500 ms: as long as
        packets arrive at the old address, copies that an outsider sends from elsewhere move
        nothing."""
        now_ms = self._time(now_ms)
        remote = self._remotes[peer]
        return remote.is_newest and now_ms - remote.acked_ms >= _UNHEARD_MS

    def advance(self, value: Input, now_ms: int) -> list[Notice]:
        """Rolls back wrong guesses, confirms frames, then steps a frame if possible.

        `value` is this player's input for frame `frame + input_delay`; the first input given for a
        frame counts, and frames before it that have none repeat the last. A spectator's is ignored.
        ValueError or TypeError, with nothing changed, for an input that the simulation refuses.

        An exception that the simulation raises passes through. Nothing is lost: the frame is due
        again, from the same state, and the next call returns the notices of this one too."""
        now_ms = self._time(now_ms)
        if self.match.is_player(self.me):
            value = check_input(self.simulation, self.me, value)
        self._ending.time(now_ms)
        timeline = self._timeline
        if self._joined or self.phase is not Phase.RUNNING:
            notices, self._joined = [*self._joined, *timeline.take_notices()], []
            return notices
        before = self.frame, self.confirmed
        self._confirm(now_ms)
        if self.end is None:
            self._joining.take_seat(now_ms)
        for _ in range(self._joining.steps(now_ms)):
            if self.end is None:  # Before each frame: none is stepped on a guess of an own input.
                self._seats.feed(self.frame, value)
            if not self._may_step():
                break
            timeline.step()
            self._confirm(now_ms)
        if before != (self.frame, self.confirmed):
            self._local.moved_ms = now_ms
        is_last = timeline.is_over or self.frame == self._local.frames
        self._waits += self.frame <= before[0] and self.is_playing and not is_last
        if self.end is None:  # The evidence of an end is kept.
            self._joining.offer_seats(now_ms)
            self._local.let_go()
        self._ending.complete(now_ms)
        self._ending.stall(now_ms)
        return timeline.take_notices()

    def outgoing(self, now_ms: int) -> list[tuple[int, bytes]]:
        """Packets to send now, each with the peer that it goes to. Call it every frame, or more
        often."""
        now_ms = self._time(now_ms)
        self._ending.time(now_ms)
        every = self._outgoing.items()
        packets = [(peer, data) for peer, it in every for data in it.packets(now_ms)]
        self._send_pieces(packets, now_ms)
        self._measure(now_ms)
        return packets

    def _measure(self, now_ms: int) -> None:
        """Counts the bytes of each whole second."""
        if now_ms - self._second_ms >= 1000:
            for remote in self._remotes.values():
                remote.measure(now_ms - self._second_ms)
            self._second_ms = now_ms

    def _send_pieces(self, packets: list[tuple[int, bytes]], now_ms: int) -> None:
        """Adds the pieces that peers asked for: after all inputs, paced, to one peer as many as to
        another."""
        local = self._local
        if local.snapshot is not None and now_ms - local.snapshot_ms > SNAPSHOT_MS:
            local.snapshot = None
        since_ms, self._pieces_ms = self._pieces_ms, now_ms
        self._pieces = min(PIECES_MAX, self._pieces + _PIECES_A_MS * (now_ms - since_ms))
        asking = [peer for peer, remote in self._remotes.items() if remote.asked]
        for at, peer in enumerate(asking):
            share = self._pieces // (len(asking) - at)
            for data in self._outgoing[peer].pieces(share, now_ms):
                packets.append((peer, data))
                self._pieces -= 1

    # Stepping.

    def _may_step(self) -> bool:
        timeline = self._timeline
        frames = FRAMES_MAX if self.match.frames is None else self.match.frames
        if self._local.end is not None or timeline.is_over or timeline.head >= frames:
            return False
        return timeline.is_known(timeline.head) or (self.is_playing and timeline.can_step)

    def _confirm(self, now_ms: int) -> None:
        """Confirms; each frame is compared with what the others had before the next one is."""
        timeline = self._timeline
        timeline.roll_back()
        while timeline.can_confirm and self._local.end is None:
            timeline.confirm()
            for remote in self._remotes.values():
                self._compare(remote, now_ms)

    def _compare(self, remote: Remote, now_ms: int) -> None:
        frame = remote.first_difference()
        if frame is not None:
            text = f"peers {self.me} and {remote.peer} have different states after frame {frame}"
            self._ending.desync(frame, remote.peer, text, now_ms)

    def _heed(self, remote: Remote, event: Event, now_ms: int) -> None:
        """Carries out the meaning of another peer's message."""
        ending = self._ending
        if isinstance(event, (Update, Bye)):
            self._compare(remote, now_ms)
            ending.complete(now_ms)
        elif isinstance(event, Hello):
            self._greet(remote, event.join, now_ms)
        elif isinstance(event, End) and event.reported_by == self.me:
            ending.end(event.reason, event.peer, event.text, now_ms)
        elif isinstance(event, End):
            ending.hear(remote, event, now_ms)
        elif event[0] is Blob.EVIDENCE:
            ending.take_evidence(remote.peer, event[1])
        else:
            try:
                self._joined.append(self._joining.load(event[1], now_ms))
            except ValueError as wrong:
                text = f"the snapshot of peer {remote.peer} does not load: {wrong}"
                ending.end(Reason.JOIN_FAILED, remote.peer, text, now_ms)

    def _greet(self, remote: Remote, join: bool, now_ms: int) -> None:
        is_player = self.match.is_player(remote.peer)
        if self.phase is not Phase.CONNECTING:
            began = self._joining.has_begun and self.me == HOST
            if join and began and self.phase is Phase.RUNNING and is_player:
                text = f"peer {remote.peer} is in a match that an earlier session of the host began"
                self._ending.end(Reason.JOIN_FAILED, self.me, text, now_ms)
        elif not join:
            self._joining.begin(now_ms)
        elif is_player:
            self._joining.join(remote.peer, now_ms)
        else:
            remote.start_number = 0  # A spectator of another match has no snapshot to give.


def _check_kind(kind: type[Session], match: Match, me: int) -> None:
    needed = kind_of(match, me)
    if kind is not Session and not issubclass(kind, needed):
        who = "player" if match.is_player(me) else "spectator"
        raise ValueError(
            f"peer {me} is a {who} of a match of {match.players} players with prediction_max "
            f"{match.prediction_max}: it needs a {needed.__name__}, not a {kind.__name__}"
        )


def _check_simulation(match: Match, simulation: Simulation) -> None:
    if isinstance(simulation, type):
        raise TypeError(
            f"simulation must be a started one, as start({simulation.__name__}, match.seed, "
            f"match.players) returns, not the class {simulation.__name__}"
        )
    if simulation.name != match.simulation:
        raise ValueError(f"simulation.name must be {match.simulation!r}, not {simulation.name!r}")
    if simulation.players != match.players:
        raise ValueError(f"simulation.players must be {match.players}, not {simulation.players}")
    if simulation.world.frame != 0:
        raise ValueError(f"the simulation must be at frame 0, not {simulation.world.frame}")


def _check_load(match: Match, simulation: Simulation) -> None:
    """ValueError if the inputs of a match, as large as they can be, are more than can be sent."""
    idle = idle_input(simulation)
    numbers = len(idle) if isinstance(idle, tuple) else 1
    numerator, denominator = rate("tick_rate", match.tick_rate)
    needed = match.players * _NUMBER_BYTES * (numbers + 1) * numerator // denominator
    most = 1000 * UPDATES_MAX * RUNS_BYTES
    if needed > most:
        raise ValueError(
            f"tick_rate {match.tick_rate} with {match.players} players and {numbers} numbers an "
            f"input takes {needed} bytes a second for each peer, and {most} can be sent"
        )


class LockstepSession(Session):
    """A player that steps a frame only when all its inputs have arrived: it never rolls back.

    ValueError unless the match's prediction_max is 0 and `me` is a player.
    """


class RollbackSession(Session):
    """A player that steps on guessed inputs, and rolls back after a wrong guess.

    ValueError if the match's prediction_max is 0, or `me` is not a player.
    """


class SpectatorSession(Session):
    """A peer that watches: it joins by a snapshot, and steps the frames whose inputs the host has.

    ValueError unless `me` is one of the match's spectators.
    """


def kind_of(match: Match, me: int) -> type[Session]:
    """The kind of session that a peer of a match needs."""
    if not match.is_player(me):
        return SpectatorSession
    return RollbackSession if match.prediction_max else LockstepSession

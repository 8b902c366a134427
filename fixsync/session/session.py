"""Sessions: peers that play one match, each with its own simulation, by exchanging inputs.

No sockets and no clocks: `receive` takes what arrived, `outgoing` gives what is to be sent,
`advance` plays a frame, and all take the time as integer milliseconds that never run backwards.
Nothing that arrives can raise an exception. A packet that is refused changes nothing but the count
of those; a Hello that does not fit is answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import msgspec

from fixsync._native import integer
from fixsync.semantics import semantics_id
from fixsync.session.blobs import (
    Collector,
    Evidence,
    Snapshot,
    decode_evidence,
    decode_snapshot,
    pieces,
)
from fixsync.session.endings import Desync, End, Reason
from fixsync.session.link import Link
from fixsync.session.match import FRAMES_MAX, HOST, INPUT_DELAY_MAX, PREDICTION_MAX, Match
from fixsync.session.notices import Confirmed, Joined, Notice
from fixsync.session.packets import (
    HASHES_MAX,
    NEVER,
    RUN_FRAMES_MAX,
    TEXT_CHARACTERS_MAX,
    VERSION,
    Blob,
    Bye,
    Codec,
    Hello,
    Message,
    PacketError,
    Piece,
    Run,
    Update,
    VersionError,
    Want,
)
from fixsync.session.streams import Stream
from fixsync.session.timeline import Timeline
from fixsync.sim import Input, Simulation, check_input, hash_of, idle_input

__all__ = ["LockstepSession", "Phase", "RollbackSession", "Session", "SpectatorSession", "Timing"]

# Room in an Update for inputs, in bytes: PACKET_BYTES_MAX less the head, the hashes and the lists
# by seat.
_RUNS_BYTES = 600
# A peer that watches or joins is let go when it is so many frames behind.
_BACKLOG_FRAMES_MAX = 3600
# Inputs are taken up to so many frames ahead. Players are never farther apart than two predictions
# and two delays; a peer that catches up takes what comes in order and asks for the rest again.
_AHEAD_FRAMES_MAX = 256
_CATCH_UP_FRAMES = 16
# States are kept for so many confirmed frames at most. Between players who have been there from the
# start none is older than `detection_frames_max`; one who joins may hear from some players later
# than from others.
_STATES_MAX = 4 * (INPUT_DELAY_MAX + PREDICTION_MAX)
_RTT_MS_MAX = 60_000
_WANT_MS_MIN = 50
_WANT_PIECES_FEW = 4
_INSTANCE_MAX = 2**64 - 1


class Phase(Enum):
    """Where a session is."""

    CONNECTING = auto()
    """The other players are not all there yet."""
    JOINING = auto()
    """The match runs; this peer waits for a snapshot."""
    RUNNING = auto()
    ENDED = auto()


@dataclass(frozen=True)
class Timing:
    """Times in milliseconds; each peer may have its own."""

    connect_ms: int = 15_000
    """How long to wait for the other players at the start, and for a snapshot."""
    silence_ms: int = 5_000
    """How long a player may be silent."""
    stall_ms: int = 20_000
    """How long a player who is heard may hold the match up."""
    resend_ms: int = 16
    """How often what is not acknowledged is sent again."""
    hello_ms: int = 50
    linger_ms: int = 1_500
    """How long an ended session goes on telling the others."""


class _Refused(Exception):  # noqa: N818 - no error: it ends the reading of one packet
    """Why a message is not acted on."""


class Session:
    """One peer of a match. See LockstepSession, RollbackSession and SpectatorSession."""

    def __init__(
        self,
        match: Match,
        simulation: Simulation,
        me: int,
        *,
        instance: int,
        now_ms: int,
        timing: Timing | None = None,
        semantics: bytes | None = None,
    ) -> None:
        """`simulation` is at frame 0, started from the match's seed and number of players.

        `me`: this peer's number. `instance`: 1..2^64-1, higher each time this peer is started anew;
        milliseconds since 1970 will do. `semantics`: what the kernels must agree on,
        `semantics_id()` unless told otherwise."""
        self.me = integer("me", me, 0, len(match.peers) - 1)
        self._check(match, me)
        self.instance = integer("instance", instance, 1, _INSTANCE_MAX)
        if simulation.name != match.simulation:
            raise ValueError(
                f"the match plays {match.simulation!r}, the simulation is {simulation.name!r}"
            )
        if simulation.players != match.players:
            raise ValueError(
                f"the match has {match.players} players, the simulation {simulation.players}"
            )
        if simulation.world.frame != 0:
            raise ValueError(f"the simulation must be at frame 0, not {simulation.world.frame}")
        self.match = match
        self.timing = timing or Timing()
        self.phase = Phase.CONNECTING
        self.end: End | None = None
        """How the match ended; None as long as it has not."""
        self.is_over = False
        """Nothing is left to be sent: the session may be dropped."""
        self.received = self.refused = 0
        """Packets that were taken and that were not."""
        self._fault = ""
        """Why the last packet was refused that no peer of the match can be named for."""
        self._semantics = semantics_id() if semantics is None else semantics
        self._codec = Codec(match)
        self._idle = idle_input(simulation)
        self._seats = [NEVER if seat in match.vacant else 0 for seat in range(match.players)]
        self._streams = [self._new_stream(0) for _ in range(match.players)]
        for stream in self._streams:
            for _ in range(match.input_delay):
                stream.push(self._idle)
        self._timeline = Timeline(
            simulation, self._streams, match.prediction_max if self._is_player else 0
        )
        self._sources: set[int] = set()
        """The seats whose inputs are made here."""
        self._links = {peer: Link(peer, match.players, now_ms) for peer in match.others(me)}
        self._feeder: int | None = None
        """Whom this peer joins by."""
        self._has_begun = False
        """It was there from frame 0."""
        self._collector: Collector | None = None
        self._joined: list[Notice] = []
        self._began_ms = self._moved_ms = now_ms
        self._ended_ms = now_ms
        self._replies: list[tuple[int, Message]] = []
        self._evidence: dict[int, Evidence] = {}
        self._collectors: dict[int, Collector] = {}
        if not self._is_player or self._seats[me] == NEVER:
            self._join(HOST, now_ms)
        else:
            self._begin_if_all_are_there(now_ms)

    @staticmethod
    def _check(match: Match, me: int) -> None:
        """ValueError if this kind of session is not for that peer of the match."""

    # What the game asks.

    @property
    def frame(self) -> int:
        """The next frame to be stepped: how many the simulation has made."""
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
        """How often frames were taken back."""
        return self._timeline.rollbacks

    @property
    def resteps(self) -> int:
        """How many frames were stepped again."""
        return self._timeline.resteps

    @property
    def is_playing(self) -> bool:
        """Whether inputs given to `advance` are played."""
        return self.phase is Phase.RUNNING and self.me in self._sources

    @property
    def seats(self) -> list[int | None]:
        """By seat, the frame from which its own player plays it; None where the host stands in."""
        return [None if frame == NEVER else frame for frame in self._seats]

    def rtt_ms(self, peer: int) -> int | None:
        """The round trip to a peer, smoothed; None as long as it is not known."""
        link = self._links.get(peer)
        return None if link is None else link.rtt_ms

    def frames_ahead(self, now_ms: int) -> int:
        """By how many frames this peer is ahead of the one farthest behind, as far as can be told
        from here.

        A game that runs ahead of the others makes them guess more than it guesses itself: it should
        wait a little when this is 2 or more. It is advice for the game's clock, and decides
        nothing."""
        behind = 0
        for link in self._required():
            if link.echo is None or link.is_fresh:
                continue
            age_ms = now_ms - link.echo[1] + (link.rtt_ms or 0) // 2
            behind = max(behind, self.frame - (link.frame + age_ms * self.match.tick_rate // 1000))
        return behind

    def waiting_for(self) -> list[int]:
        """The peers without whom the match does not go on, at the moment."""
        if self.phase is Phase.CONNECTING:
            return [link.peer for link in self._required() if not link.is_established]
        if self.phase is Phase.JOINING:
            return [HOST if self._feeder is None else self._feeder]
        frame = self._timeline.confirmed
        if frame == self.match.frames:
            return [link.peer for link in self._required() if not self._has_all(link, frame)]
        if self.phase is Phase.ENDED or (self.is_playing and self._timeline.can_step):
            return []
        unheard = [link.peer for link in self._required() if not link.is_mutual]
        if unheard and not self.is_playing:
            return unheard
        late = [seat for seat, stream in enumerate(self._streams) if stream.next <= frame]
        return sorted({HOST if self._seats[seat] == NEVER else seat for seat in late})

    def advance(self, value: Input, now_ms: int) -> list[Notice]:
        """Plays on: takes back and confirms what has become known, then steps a frame, if that is
        possible.

        `value`: this player's input for frame `frame + input_delay`; the first that is given for a
        frame stands. A spectator's is ignored. ValueError or TypeError for an input that the
        simulation refuses, with nothing changed."""
        if self._is_player:
            value = check_input(self.simulation, self.me, value)
        self._watch_time(now_ms)
        notices, self._joined = self._joined, []
        if self.phase is not Phase.RUNNING:
            return notices
        before = self._timeline.head, self._timeline.confirmed
        notices.extend(self._settled(now_ms))
        if self.end is None:
            self._take_seat()
            self._feed(value)
            for _ in range(1 if self.is_playing else _CATCH_UP_FRAMES):
                if not self._may_step():
                    break
                notices.extend(self._timeline.step())
                notices.extend(self._settled(now_ms))
                if self._has_ended():
                    break
        if before != (self._timeline.head, self._timeline.confirmed):
            self._moved_ms = now_ms
        if not self._has_ended():
            # What an end has to show stays.
            self._let_go()
        self._check_complete(now_ms)
        self._watch_stall(now_ms)
        return notices

    def state_after(self, frame: int) -> bytes | None:
        """What the simulation saved after a frame, if that is still held: the last few are, guessed
        ones too."""
        return self._timeline.states.get(frame + 1)

    def leave(self, now_ms: int) -> None:
        """Ends the match for all; a spectator's leaving ends it for nobody else."""
        self._end(Reason.LEFT, self.me, f"peer {self.me} left", now_ms)

    # Stepping.

    @property
    def _is_player(self) -> bool:
        return self.match.is_player(self.me)

    def _has_ended(self) -> bool:
        return self.end is not None

    def _may_step(self) -> bool:
        timeline = self._timeline
        if self.match.frames is not None and timeline.head >= self.match.frames:
            return False
        if timeline.head >= FRAMES_MAX:
            return False
        return timeline.is_known(timeline.head) or (self.is_playing and timeline.can_step)

    def _settled(self, now_ms: int) -> Iterator[Notice]:
        """What is confirmed, each frame compared with what the others had before the next is."""
        for notice in self._timeline.settle():
            yield notice
            if isinstance(notice, Confirmed):
                for link in self._links.values():
                    self._compare(link, now_ms)
                if self.end is not None:
                    return

    def _feed(self, value: Input) -> None:
        """Makes the inputs of the seats played here, up to the one that the frame to be stepped
        asks for.
        """
        due = self._timeline.head + self.match.input_delay
        for seat in self._sources:
            stream = self._streams[seat]
            while stream.next <= due:
                stream.push(value if seat == self.me else self._idle)

    def _take_seat(self) -> None:
        """Begins to play, once nobody can hold an input of this seat that is not held here."""
        me = self.me
        if not self._is_player or me in self._sources or self._streams[me].next < self._seats[me]:
            return
        for link in self._required():
            if not link.is_mutual or link.needs[me] > self._streams[me].next:
                return
        self._sources.add(me)

    def _begin_if_all_are_there(self, now_ms: int) -> None:
        """Begins at frame 0, if every player who starts is there, and nobody can be in a match that
        an earlier life of this peer began.

        Players who start and run a match answer with `join`. The others are not needed, so each
        must be heard (without `join`), or be silent for so long that it has given the match up.
        There was no earlier match if one of the players who start is in its first life."""
        required = self._required()
        if not all(link.is_established for link in required):
            return
        if 1 not in (self.instance, *(link.instance for link in required)):
            silence_ms = self.timing.silence_ms
            for link in self._links.values():
                if not link.is_established and now_ms - link.heard_ms <= silence_ms:
                    return
        self._begin()
        self._moved_ms = now_ms

    def _begin(self) -> None:
        self.phase = Phase.RUNNING
        self._has_begun = True
        self._sources.add(self.me)
        if self.me == HOST:
            self._sources.update(self.match.vacant)
        for link in self._required():
            link.started_instance = link.instance

    def _required(self) -> list[Link]:
        """The peers without whom the match cannot go on."""
        return [link for link in self._links.values() if self._is_required(link.peer)]

    def _is_required(self, peer: int) -> bool:
        return not self._is_player or (self.match.is_player(peer) and self._seats[peer] != NEVER)

    def _let_go(self) -> None:
        """Forgets what no peer can ask for any more."""
        confirmed = self._timeline.confirmed
        inputs = hashes = states = confirmed
        for link in self._links.values():
            if self._is_required(link.peer) and self._is_player:
                states = min(states, link.compared)
            elif link.is_fresh and link.snapshot is None:
                continue
            elif confirmed - link.confirmed > _BACKLOG_FRAMES_MAX or self._has_let_go(link):
                self._drop(link, Reason.JOIN_FAILED, f"too far behind, in frame {link.confirmed}")
                continue
            inputs = min(inputs, link.confirmed)
            hashes = min(hashes, link.hash_needed)
            if self.match.is_player(link.peer):
                hashes = min(hashes, link.compared)
        if not self._is_player:
            # A spectator's evidence is of the frames that the host's hashes may still speak of.
            hashes = max(self._links[HOST].compared, confirmed - _AHEAD_FRAMES_MAX)
            states = min(hashes, confirmed - self.match.detection_frames_max)
        for stream in self._streams:
            stream.let_go(inputs)
        self._timeline.let_go(max(states, confirmed - _STATES_MAX), hashes)

    def _has_let_go(self, link: Link) -> bool:
        """Whether the host, having come back itself, lacks inputs that one who watches or joins
        still needs."""
        if self.me != HOST or link.is_fresh:
            return False
        return any(
            need < stream.first for need, stream in zip(link.needs, self._streams, strict=True)
        )

    # Comparing.

    def _compare(self, link: Link, now_ms: int) -> None:
        """Compares what was confirmed here with the hashes that the peer sent."""
        if not self.match.is_player(link.peer):
            return
        own = self._timeline.hashes
        while link.compared < self._timeline.confirmed and link.compared in link.hashes:
            frame = link.compared
            theirs = link.hashes.pop(frame)
            link.compared += 1
            if own.get(frame, theirs) != theirs:
                text = f"peers {self.me} and {link.peer} have different states after frame {frame}"
                self._desync(frame, link.peer, text, now_ms)
                return

    def _desync(self, frame: int, peer: int, text: str, now_ms: int) -> None:
        """Ends the match over a frame, and begins to gather what every player has to show for
        it.
        """
        if self.end is not None and (
            self.end.reason is not Reason.DESYNC or self.end.frame <= frame
        ):
            return
        self._evidence = {self.me: self._own_evidence(frame)}
        self._collectors = {link.peer: Collector(Blob.EVIDENCE, frame) for link in self._required()}
        desync = Desync(frame, self._evidence, self.simulation)
        self.end = None
        self._end(Reason.DESYNC, peer, text, now_ms, desync)

    def _own_evidence(self, frame: int) -> Evidence:
        timeline = self._timeline
        inputs = timeline.final_inputs.get(frame, ())
        return Evidence(
            frame=frame,
            before=timeline.states.get(frame, b"") if inputs else b"",
            after=timeline.states.get(frame + 1, b"") if inputs else b"",
            inputs=[list(value) if isinstance(value, tuple) else value for value in inputs],
            inputs_digest=timeline.inputs_digests.get(frame + 1, b"") if inputs else b"",
        )

    # Ending.

    def _end(
        self, reason: Reason, peer: int, text: str, now_ms: int, desync: Desync | None = None
    ) -> None:
        if self.end is not None:
            return
        frame = self._timeline.confirmed if desync is None else desync.frame
        self.end = End(reason, frame, peer, text[:TEXT_CHARACTERS_MAX], desync)
        self.phase = Phase.ENDED
        self._ended_ms = now_ms

    def _check_complete(self, now_ms: int) -> None:
        frames = self.match.frames
        if frames is None or self.end is not None or self._timeline.confirmed < frames:
            return
        if all(self._has_all(link, frames) for link in self._required()):
            self._end(
                Reason.COMPLETED, self.me, f"all {frames} frames are the same on all peers", now_ms
            )

    def _has_all(self, link: Link, frames: int) -> bool:
        """Whether nothing of the whole match is left to be exchanged with a peer."""
        if link.is_done:
            return True
        if link.is_fresh:
            return False  # It was sent a snapshot, and has not said that it has it.
        theirs = link.confirmed >= frames and link.hash_needed >= frames
        return link.compared >= frames and (theirs or not self._is_player)

    def _watch_time(self, now_ms: int) -> None:
        """Ends what would otherwise wait for ever."""
        if self.end is not None:
            self._watch_linger(self.end, now_ms)
            return
        if self.phase is Phase.CONNECTING:
            self._begin_if_all_are_there(now_ms)
        started = self.phase is Phase.RUNNING
        if not started and now_ms - self._began_ms > self.timing.connect_ms:
            late = self.waiting_for()
            peer = late[0] if late else self.me
            why = self._refused_why(peer)
            what = "answer" if self.phase is Phase.CONNECTING else "snapshot"
            text = f"no {what} from peer {peer} within {self.timing.connect_ms} ms{why}"
            self._end(Reason.SILENT if what == "answer" else Reason.JOIN_FAILED, peer, text, now_ms)
            return
        for link in self._links.values():
            if now_ms - link.heard_ms <= self.timing.silence_ms:
                continue
            if link.instance == 0 and not (started and self._is_required(link.peer)):
                continue  # It was never there.
            if link.is_done:
                continue  # It may be gone.
            if not self._is_required(link.peer):
                self._drop(link, Reason.SILENT, "silent")
            elif started:
                self._fell_silent(link, now_ms)
                return

    def _refused_why(self, peer: int) -> str:
        """What is known of why nothing valid came from a peer."""
        link = self._links.get(peer)
        if link is not None and link.fault:
            return f"; {link.refused} of its packets were refused: {link.fault}"
        if self._fault:
            return f"; {self.refused} packets were refused: {self._fault}"
        return ""

    def _fell_silent(self, link: Link, now_ms: int) -> None:
        frames = self.match.frames
        if frames is not None and self._timeline.confirmed == frames and link.compared >= frames:
            # All was compared; only the other's goodbye was lost.
            link.is_done = True
            self._check_complete(now_ms)
            if self.end is not None:
                return
        why = self._refused_why(link.peer)
        text = f"nothing from peer {link.peer} for {self.timing.silence_ms} ms{why}"
        self._end(Reason.SILENT, link.peer, text, now_ms)

    def _watch_stall(self, now_ms: int) -> None:
        if self.end is None and now_ms - self._moved_ms > self.timing.stall_ms:
            late = self.waiting_for()
            peer = late[0] if late else self.me
            text = f"peer {peer} is heard, but has held the match up for {self.timing.stall_ms} ms"
            self._end(Reason.STALLED, peer, text, now_ms)

    def _watch_linger(self, end: End, now_ms: int) -> None:
        told = all(
            link.bye is not None and link.bye.is_complete
            for link in self._links.values()
            if link.instance
        )
        linger_ms = (1 + (end.reason is Reason.DESYNC)) * self.timing.linger_ms
        self.is_over = (told and self._has_evidence) or now_ms - self._ended_ms > linger_ms

    @property
    def _has_evidence(self) -> bool:
        return all(peer in self._evidence for peer in self._collectors)

    def _drop(self, link: Link, reason: Reason, text: str) -> None:
        """Lets a peer go that the match can do without."""
        if link.instance:
            bye = Bye(
                self.me, self.instance, link.instance, reason, self.confirmed, link.peer, text, True
            )
            self._replies.append((link.peer, bye))
        link.instance = 0
        link.is_established = False
        link.reset(self._timeline.confirmed, self._timeline.confirmed)

    # What goes out.

    def outgoing(self, now_ms: int) -> list[tuple[int, bytes]]:
        """Packets to be sent now, each with the peer that it goes to. To be called every frame, or
        more often."""
        self._watch_time(now_ms)
        messages, self._replies = self._replies, []
        if not self.is_over:
            for link in self._links.values():
                messages.extend((link.peer, message) for message in self._to(link, now_ms))
        return [(peer, self._codec.seal(message)) for peer, message in messages]

    def _to(self, link: Link, now_ms: int) -> Iterator[Message]:
        timing = self.timing
        if link.owes_answer:
            link.owes_answer = False
            yield self._hello(link, is_answer=True)
        elif self.end is None and now_ms - link.hello_ms >= timing.hello_ms:
            if not link.is_established or self.phase is Phase.JOINING:
                link.hello_ms = now_ms
                yield self._hello(link, is_answer=False)
            elif link.is_fresh:
                # It is known here, but has not shown that it knows: the answer to its Hello may be
                # lost, again.
                link.hello_ms = now_ms
                yield self._hello(link, is_answer=True)
        for want in link.wants:
            yield from self._pieces(link, want)
        link.wants.clear()
        asked = self._want(link)
        if asked is not None:
            # Much is asked for once a round trip, so that it does not come twice; a little, more
            # often.
            is_much = len(asked.pieces) > _WANT_PIECES_FEW
            pause_ms = max(_WANT_MS_MIN, link.rtt_ms or 0) if is_much else _WANT_MS_MIN
            if now_ms - link.want_ms >= pause_ms:
                link.want_ms = now_ms
                yield asked
        if not link.instance or self.phase is Phase.JOINING:
            return
        own_next = max((self._streams[seat].next for seat in self._sources), default=0)
        if now_ms - link.update_ms < timing.resend_ms and (
            self.end is not None or link.sent_next >= own_next
        ):
            return
        link.update_ms, link.sent_next = now_ms, own_next
        if self.end is not None:
            yield self._bye(link, self.end)
        if link.is_established and (self.end is None or self.end.reason is Reason.COMPLETED):
            yield self._update(link, now_ms)

    def _hello(self, link: Link, *, is_answer: bool) -> Hello:
        match = self.match
        return Hello(
            sender=self.me,
            instance=self.instance,
            heard=link.instance,
            is_answer=is_answer,
            join=self._must_join(link),
            kernel=self._semantics,
            simulation=match.simulation,
            seed=match.seed,
            players=match.players,
            prediction_max=match.prediction_max,
            input_delay=match.input_delay,
            frames=match.frames or 0,
            vacant=sorted(match.vacant),
            tick_rate=match.tick_rate,
        )

    def _must_join(self, link: Link) -> bool:
        """Whether a peer comes in by a snapshot: it was not there, in this life, when the match
        started.
        """
        if not self._is_required(link.peer):
            return True
        is_seated = not self._is_player or self._seats[self.me] != NEVER
        return self.phase is Phase.RUNNING and is_seated and link.instance != link.started_instance

    def _bye(self, link: Link, end: End) -> Bye:
        return Bye(
            sender=self.me,
            instance=self.instance,
            heard=link.instance,
            reason=end.reason,
            frame=end.frame,
            peer=end.peer,
            text=end.text,
            is_complete=self._has_evidence,
        )

    def _update(self, link: Link, now_ms: int) -> Update:
        timeline = self._timeline
        hash_first = max(link.hash_needed, timeline.first_hash)
        hashes = [
            timeline.hashes[frame]
            for frame in range(hash_first, min(timeline.confirmed, hash_first + HASHES_MAX))
        ]
        clock = now_ms & 0xFFFFFFFF
        echo = 0 if link.echo is None else (link.echo[0] + now_ms - link.echo[1]) & 0xFFFFFFFF
        return Update(
            sender=self.me,
            instance=self.instance,
            heard=link.instance,
            sent_ms=clock,
            echo_ms=echo,
            frame=timeline.head,
            confirmed=timeline.confirmed,
            ready=self._is_ready(),
            needs=[stream.next for stream in self._streams],
            seats=list(self._seats),
            runs=self._runs(link, hash_first + len(hashes)),
            hash_needed=link.hash_next,
            hash_first=hash_first,
            hashes=hashes,
        )

    def _is_ready(self) -> bool:
        """A peer that joined has caught up with the host, and every player hears it."""
        players = self._required()
        is_near = self.confirmed + 2 >= min((link.confirmed for link in players), default=0)
        return is_near and all(link.is_mutual for link in players)

    def _runs(self, link: Link, hash_end: int) -> list[Run]:
        """Inputs that the peer lacks, the seats it lacks most of first.

        Inputs made here go no farther ahead of the hashes that the peer has by this packet than a
        peer's frame can be ahead of what it has confirmed: whoever steps on an input can compare
        the states that led to it."""
        is_required = self._is_required(link.peer)
        is_fed = link.is_fed if is_required else self.me == HOST
        seats = set(range(self.match.players)) if is_fed else self._sources | {link.peer}
        own_end, end = hash_end + self.match.input_delay + self.match.prediction_max + 1, FRAMES_MAX
        if not is_required:
            # To who watches or joins, only what all players have confirmed: it cannot become
            # otherwise, even if one who has told an input to nobody else falls over and comes back.
            own_end = end = min(
                [self.confirmed, *(player.confirmed for player in self._required())]
            )
        room = _RUNS_BYTES
        runs: list[Run] = []
        for seat in sorted(
            seats, key=lambda seat: (link.needs[seat] if seat < self.match.players else 0, seat)
        ):
            if seat >= self.match.players:
                continue
            stream = self._streams[seat]
            first = max(link.needs[seat], stream.first)
            last = min(own_end if seat in self._sources else end, stream.next)
            values: list[int | list[int]] = []
            share = max(room // len(seats), 200 if not runs else 0)
            for value in stream.since(first, min(RUN_FRAMES_MAX, max(0, last - first))):
                size = _size_of(value)
                if size > min(share, room):
                    break
                share -= size
                room -= size
                values.append(list(value) if isinstance(value, tuple) else value)
            if values:
                runs.append(Run(seat, first, values))
        return runs

    def _want(self, link: Link) -> Want | None:
        """What is to be asked of a peer, if anything."""
        collector = self._collectors.get(link.peer)
        if collector is not None and link.peer in self._evidence:
            return None
        if self.phase is Phase.JOINING and link.peer == self._feeder and link.is_established:
            collector = self._collector
        if collector is None:
            return None
        digest, missing = collector.wants()
        return Want(
            self.me, self.instance, link.instance, collector.kind, collector.frame, digest, missing
        )

    def _pieces(self, link: Link, want: Want) -> list[Message]:
        if want.kind == Blob.EVIDENCE:
            data = msgspec.msgpack.encode(self._own_evidence(want.frame))
        else:
            if self.phase is not Phase.RUNNING or not self._must_join(link):
                return []
            if link.snapshot is None:
                link.snapshot = self._snapshot(link)
                link.is_fed = True
            data = link.snapshot
        return pieces(data, want, self.me, self.instance, link.instance)

    def _snapshot(self, link: Link) -> bytes:
        """What a peer joins by: the newest state that every other player is known to have
        confirmed.

        A player who comes back has its own inputs from there on, told by those who got them; so it
        can tell them to those who did not. The state is still held here: it is no older than the
        first that is not compared yet."""
        timeline = self._timeline
        others = (other.confirmed for other in self._required() if other is not link)
        frame = max(min([timeline.confirmed, *others]), timeline.first_state)
        link.reset(frame, frame)
        return msgspec.msgpack.encode(
            Snapshot(
                frame=frame,
                state=timeline.states[frame],
                inputs_digest=timeline.inputs_digests[frame],
                seats=list(self._seats),
            )
        )

    # What comes in.

    def receive(self, data: bytes, now_ms: int) -> int | None:
        """Takes a packet. Returns the peer that sent it, or None if it was refused."""
        sender = None
        try:
            message = self._codec.open(data)
            link = self._links.get(message.sender)
            if link is None:
                raise _Refused(f"peer {message.sender} has nothing to say to peer {self.me}")
            sender = link
            self._take(link, message, now_ms)
        except VersionError as wrong:
            self.refused += 1
            if self.phase is Phase.CONNECTING:
                text = f"field protocol: {VERSION} here, {wrong.version} there"
                self._end(Reason.REFUSED, self.me, text, now_ms)
            return None
        except (PacketError, _Refused) as wrong:
            self.refused += 1
            fault = str(wrong)[:TEXT_CHARACTERS_MAX]
            if sender is None:
                self._fault = fault
            else:
                sender.refused += 1
                sender.fault = fault
            return None
        self.received += 1
        return link.peer

    def _take(self, link: Link, message: Message, now_ms: int) -> None:
        if isinstance(message, Hello):
            self._take_hello(link, message, now_ms)
            return
        if isinstance(message, Bye) and message.heard in (0, self.instance) and link.instance == 0:
            # It refuses this peer without having said hello.
            self._take_bye(link, message, now_ms)
            return
        if message.heard != self.instance:
            raise _Refused("meant for an earlier life of this peer")
        if message.instance != link.instance:
            raise _Refused("from a life of the peer that has not said hello, or is over")
        if isinstance(message, Update):
            self._take_update(link, message, now_ms)
        elif isinstance(message, Piece):
            self._take_piece(link, message, now_ms)
        elif isinstance(message, Want):
            if message.kind == Blob.SNAPSHOT and self._is_refused_host(link):
                raise _Refused("the host cannot come back while it holds seats of others")
            link.wants = [message]
            link.hear(now_ms, None)
        else:
            self._take_bye(link, message, now_ms)

    def _is_refused_host(self, link: Link) -> bool:
        """Only the host knows how far it has played the vacant seats: no other can bring it
        back.
        """
        return link.peer == HOST and NEVER in self._seats

    def _take_hello(self, link: Link, hello: Hello, now_ms: int) -> None:
        if hello.instance < link.instance:
            raise _Refused("a Hello of an earlier life")
        fault = self._hello_fault(hello)
        if fault:
            text = f"peer {self.me} refuses peer {link.peer}: {fault}"
            if self.phase is Phase.CONNECTING and self._is_required(link.peer):
                link.instance = hello.instance
                self._end(Reason.REFUSED, link.peer, text, now_ms)
                return
            self._refuse(link, hello, Reason.REFUSED, text)
            raise _Refused(fault)
        if hello.instance > link.instance:
            started = self.phase is Phase.RUNNING
            if started and link.instance and self._is_refused_host(link):
                why = "the host cannot come back while a seat is vacant"
                text = f"peer {self.me} refuses peer {link.peer}: {why}"
                self._refuse(link, hello, Reason.JOIN_FAILED, text)
                raise _Refused(why)
            link.reset(self._streams[0].first, self._timeline.first_hash)
            link.instance = hello.instance
            link.is_established = False
            if self.phase is Phase.JOINING and link.peer == self._feeder:
                self._collector = Collector(Blob.SNAPSHOT, 0)
        is_heard = hello.heard == self.instance
        if is_heard or self.phase is not Phase.RUNNING:
            link.hear(now_ms, None)
        if not hello.is_answer:
            link.owes_answer = True
        if not is_heard:
            return
        if self.phase is Phase.CONNECTING and hello.join:
            # A spectator has no snapshot to give, but knows of a match that runs.
            if self.match.is_player(link.peer):
                link.is_established = True
                self._join(link.peer, now_ms)
            return
        link.is_established = True
        if self.phase is Phase.CONNECTING:
            self._begin_if_all_are_there(now_ms)
        elif self.phase is Phase.RUNNING and self._has_begun and hello.join:
            text = f"peer {link.peer} is in a match that an earlier life of peer {self.me} began"
            if self.me == HOST and self.match.is_player(link.peer):
                self._end(Reason.JOIN_FAILED, self.me, text, now_ms)

    def _refuse(self, link: Link, hello: Hello, reason: Reason, text: str) -> None:
        bye = Bye(
            self.me, self.instance, hello.instance, reason, self.confirmed, link.peer, text, True
        )
        self._replies = [
            *(reply for reply in self._replies if reply[0] != link.peer),
            (link.peer, bye),
        ]

    def _hello_fault(self, hello: Hello) -> str:
        """The first setting that is not the same on both sides."""
        own = self._hello(self._links[hello.sender], is_answer=False)
        for name in _AGREED:
            ours, theirs = getattr(own, name), getattr(hello, name)
            if ours != theirs:
                if isinstance(ours, bytes):
                    ours, theirs = ours.hex(), theirs.hex()
                sides = sorted(((self.me, ours), (hello.sender, theirs)))
                return (
                    f"field {name}: {', '.join(f'{value} on peer {peer}' for peer, value in sides)}"
                )
        return ""

    def _join(self, feeder: int, now_ms: int) -> None:
        self.phase = Phase.JOINING
        self._feeder = feeder
        self._collector = Collector(Blob.SNAPSHOT, 0)
        self._began_ms = now_ms

    def _take_update(self, link: Link, update: Update, now_ms: int) -> None:
        if not link.is_established:
            raise _Refused("an Update before a Hello")
        runs = [] if self.phase is Phase.JOINING else self._checked_runs(link, update)
        rtt_ms = (now_ms - update.echo_ms) & 0xFFFFFFFF if update.echo_ms else None
        link.hear(now_ms, rtt_ms if rtt_ms is not None and rtt_ms <= _RTT_MS_MAX else None)
        link.echo = update.sent_ms, now_ms
        if self.phase is Phase.JOINING:
            return
        link.is_fresh = False
        link.is_mutual |= bool(update.echo_ms)
        link.frame = max(link.frame, update.frame)
        link.confirmed = max(link.confirmed, update.confirmed)
        link.hash_needed = max(link.hash_needed, update.hash_needed)
        link.needs = [
            max(ours, theirs) for ours, theirs in zip(link.needs, update.needs, strict=True)
        ]
        if self.phase is Phase.ENDED:
            return
        end = self._timeline.confirmed + _AHEAD_FRAMES_MAX
        for seat, first, values in runs:
            self._streams[seat].take(first, values, end)
        self._take_hashes(link, update)
        self._take_seats(link, update, now_ms)
        self._compare(link, now_ms)
        self._check_complete(now_ms)

    def _checked_runs(self, link: Link, update: Update) -> list[tuple[int, int, list[Input]]]:
        """The runs of an Update, once all of it has been looked at."""
        players, me = self.match.players, self.me
        if len(update.needs) != players or len(update.seats) != players:
            raise _Refused(f"a list by seat must have {players} entries")
        if not update.confirmed <= update.frame <= update.confirmed + self.match.prediction_max:
            raise _Refused(f"frame {update.frame} with {update.confirmed} confirmed")
        for seat in self._sources:
            if update.needs[seat] > self._streams[seat].next:
                raise _Refused(
                    f"needs[{seat}] is {update.needs[seat]}, which has not been played here"
                )
        if me in self._sources and update.confirmed > self._streams[me].next:
            raise _Refused(
                f"confirmed {update.confirmed} frames, of which not all were played here"
            )
        if update.hash_needed > self._timeline.confirmed + _AHEAD_FRAMES_MAX:
            raise _Refused(
                f"hash_needed is {update.hash_needed}, with {self.confirmed} confirmed here"
            )
        if update.hash_first + len(update.hashes) > max(update.confirmed, update.hash_first):
            raise _Refused("hashes of frames that are not confirmed there")
        checked = []
        for run in update.runs:
            if run.slot >= players:
                raise _Refused(f"a run of seat {run.slot}, of {players}")
            if not (run.slot in (link.peer, me) or link.peer in (HOST, self._feeder)):
                raise _Refused(f"inputs of seat {run.slot}, which is not its own")
            values: list[Input] = [
                tuple(value) if isinstance(value, list) else value for value in run.values
            ]
            stream = self._streams[run.slot]
            conflict = stream.conflict(run.first, values)
            if conflict is not None:
                raise _Refused(
                    f"another input of seat {run.slot} for frame {conflict} than it sent before"
                )
            try:
                for value in values[max(0, stream.next - run.first) :]:
                    check_input(self.simulation, run.slot, value)
            except (TypeError, ValueError) as wrong:
                raise _Refused(str(wrong)) from None
            checked.append((run.slot, run.first, values))
        return checked

    def _take_hashes(self, link: Link, update: Update) -> None:
        if not self.match.is_player(link.peer) or not update.hashes:
            return
        if update.hash_first > link.hash_next:
            # One of the two came in by a snapshot: the other has no earlier hashes, or not any more.
            link.hash_next = update.hash_first
            link.compared = max(link.compared, update.hash_first)
            link.hashes.clear()
        end = self._timeline.confirmed + _AHEAD_FRAMES_MAX
        for frame, value in enumerate(update.hashes, update.hash_first):
            if link.hash_next == frame < end:
                link.hash_next += 1
                if frame >= link.compared:
                    link.hashes[frame] = value

    def _take_seats(self, link: Link, update: Update, now_ms: int) -> None:
        if self.me == HOST:
            if (
                self.match.is_player(link.peer)
                and self._seats[link.peer] == NEVER
                and update.ready
                and link.is_fed
            ):
                self._seats[link.peer] = self._streams[link.peer].next
                self._sources.discard(link.peer)
            return
        for seat, frame in enumerate(update.seats):
            if link.peer not in (HOST, self._feeder, seat):
                continue
            if self._seats[seat] == NEVER != frame and seat in self.match.vacant:
                self._seats[seat] = frame
                if seat in self._links:
                    self._links[seat].hear(now_ms, None)  # From now on it may not be silent.

    def _take_piece(self, link: Link, piece: Piece, now_ms: int) -> None:
        is_snapshot = piece.kind == Blob.SNAPSHOT
        collector = self._collector if is_snapshot else self._collectors.get(link.peer)
        if (
            collector is None
            or (is_snapshot and link.peer != self._feeder)
            or piece.frame != collector.frame
        ):
            raise _Refused("a piece that was not asked for")
        fault = collector.fault(piece)
        if fault:
            raise _Refused(fault)
        link.hear(now_ms, None)
        collector.take(piece)
        # More can be asked for at once: what was asked for last is on its way or lost.
        if collector.data is None:
            return
        if is_snapshot:
            self._load(collector.data, now_ms)
        elif link.peer not in self._evidence:
            try:
                evidence = decode_evidence(collector.data)
            except ValueError:
                evidence = Evidence(piece.frame, b"", b"", [], b"")
            self._evidence[link.peer] = evidence

    def _load(self, data: bytes, now_ms: int) -> None:
        """Goes on from a snapshot that is whole."""
        if self.phase is not Phase.JOINING:
            return
        self._collector = None
        try:
            snapshot = decode_snapshot(data)
            if len(snapshot.seats) != self.match.players:
                raise ValueError(
                    f"seats must have {self.match.players} entries, not {len(snapshot.seats)}"
                )
            self._timeline.restart(snapshot.frame, snapshot.state, snapshot.inputs_digest)
        except Exception as wrong:  # whatever a game's load makes of bytes from elsewhere
            told = (
                str(wrong) if isinstance(wrong, ValueError) else f"{type(wrong).__name__}: {wrong}"
            )
            text = f"the snapshot of peer {self._feeder} does not load: {told}"
            self._end(
                Reason.JOIN_FAILED, HOST if self._feeder is None else self._feeder, text, now_ms
            )
            return
        frame = snapshot.frame
        self._seats = list(snapshot.seats)
        self._streams[:] = [self._new_stream(frame) for _ in self._streams]
        for link in self._links.values():
            # What one who watches needs is not known here: perhaps more than is held.
            floor = frame if self._is_required(link.peer) else 0
            link.reset(floor, floor)
            link.hear(now_ms, None)
            link.started_instance = link.instance
        self.phase = Phase.RUNNING
        self._moved_ms = now_ms
        self._joined.append(Joined(frame, hash_of(snapshot.state)))

    def _new_stream(self, first: int) -> Stream:
        return Stream(first, self._idle)

    def _take_bye(self, link: Link, bye: Bye, now_ms: int) -> None:
        link.hear(now_ms, None)
        link.bye = bye
        if self.phase is Phase.CONNECTING and link.instance == 0:
            if self.me == HOST and bye.reason == Reason.JOIN_FAILED:
                self._end(Reason.JOIN_FAILED, self.me, bye.text, now_ms)
                return
        elif (
            self.phase in (Phase.CONNECTING, Phase.JOINING)
            and bye.reason == Reason.COMPLETED
            and self._is_required(link.peer)
        ):
            text = f"peer {link.peer} has completed the match without this peer"
            self._end(Reason.JOIN_FAILED, self.me, text, now_ms)
            return
        if not self._is_required(link.peer):
            # One that found a difference may still ask for this side's evidence.
            if bye.reason not in (Reason.COMPLETED, Reason.DESYNC):
                link.instance = 0
                link.is_established = False
        elif bye.reason == Reason.DESYNC:
            self._desync(bye.frame, bye.peer, bye.text, now_ms)
        elif bye.reason == Reason.COMPLETED:
            link.is_done = True
            self._check_complete(now_ms)
        elif self.end is None:
            reason = Reason(bye.reason) if bye.reason in list(Reason) else Reason.LEFT
            self._end(reason, bye.peer, bye.text, now_ms)


_AGREED = (
    "kernel",
    "simulation",
    "seed",
    "players",
    "prediction_max",
    "input_delay",
    "frames",
    "vacant",
    "tick_rate",
)
"""What of a Hello must be the same on both sides."""


def _size_of(value: Input) -> int:
    """An upper bound of an input's size in MessagePack."""
    if isinstance(value, tuple):
        return 3 + sum(map(_size_of, value))
    bits = value.bit_length()
    return 1 if 0 <= bits < 6 else 3 if bits < 16 else 5 if bits < 32 else 9


class LockstepSession(Session):
    """A player of a match that steps a frame only when all its inputs are there: nothing is ever
    taken back.

    ValueError unless the match's prediction_max is 0 and `me` is a player.
    """

    @staticmethod
    def _check(match: Match, me: int) -> None:
        if match.prediction_max != 0:
            raise ValueError(f"a lockstep match has prediction_max 0, not {match.prediction_max}")
        _check_seat(match, me)


class RollbackSession(Session):
    """A player of a match that steps on guessed inputs, and goes back when a guess was wrong.

    ValueError if the match's prediction_max is 0, and if `me` is no player.
    """

    @staticmethod
    def _check(match: Match, me: int) -> None:
        if match.prediction_max == 0:
            raise ValueError("a rollback match has a prediction_max of 1 or more, not 0")
        _check_seat(match, me)


class SpectatorSession(Session):
    """A peer that watches: it comes in by a snapshot, and steps what the host has all inputs of.

    ValueError unless `me` is one of the match's spectators.
    """

    @staticmethod
    def _check(match: Match, me: int) -> None:
        if match.is_player(me):
            raise ValueError(
                f"a spectator of this match is numbered from {match.players} on, not {me}"
            )


def _check_seat(match: Match, me: int) -> None:
    if not match.is_player(me):
        raise ValueError(f"a player of this match is numbered 0..{match.players - 1}, not {me}")

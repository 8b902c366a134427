"""The protocol with the other peers: the state of each, and its messages.

A session has a `Remote` for each peer that it speaks to; they share a `Local`. outgoing.py has the
messages to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from operator import ge
from typing import TypeAlias

import msgspec

from fixsync._native.checks import rate
from fixsync.match.sim import Input, data_of
from fixsync.session.blobs import Asked, Collector, Evidence, Offer, evidence_bytes_max
from fixsync.session.match import FRAMES_MAX, HOST, INPUT_DELAY_MAX, PREDICTION_MAX, Match, Timing
from fixsync.session.notices import End, PeerStats, Reason
from fixsync.session.packets import (
    NEVER,
    NOBODY,
    PIECE_BYTES,
    TEXT_CHARACTERS_MAX,
    VERSION,
    Blob,
    Bye,
    Codec,
    Hello,
    Packet,
    PacketError,
    Piece,
    Update,
    Want,
    Window,
)
from fixsync.session.seats import Seats
from fixsync.session.timeline import Timeline

AHEAD_FRAMES_MAX = 256
"""Inputs and hashes are taken up to this many frames ahead. Players are never farther apart than
two predictions and two delays; a peer that catches up takes what comes in order, and asks for the
rest again."""

# A peer that watches or joins is dropped when it is this many frames behind; while its snapshot is
# on its way, four times as many.
_BACKLOG_FRAMES_MAX = 3600
# States are kept for at most this many confirmed frames. Between players who were there from the
# start none is older than `detection_frames_max`; one who joins may hear from some players later.
_STATES_MAX = 4 * (INPUT_DELAY_MAX + PREDICTION_MAX)
_RTT_MS_MAX = 60_000
_CALLERS_MAX = 16
"""Lives of one peer whose Hellos are answered at once."""


Event: TypeAlias = Hello | Update | Bye | tuple[Blob, bytes] | End
"""The meaning of a packet, as `Remote.receive` returns it: the peer knows this peer's present life,
inputs, hashes or acknowledgements have come, a blob is whole, or the match is over."""


class Phase(Enum):
    """The phase of a session."""

    CONNECTING = auto()
    """Waits for the other players."""
    JOINING = auto()
    """The match runs; waits for a snapshot."""
    RUNNING = auto()
    ENDED = auto()


@dataclass
class Local:
    """The data that all parts of a session share: this peer and its match."""

    match: Match
    me: int
    start_number: int
    codec: Codec
    kernel: bytes
    timing: Timing
    seats: Seats
    timeline: Timeline
    remotes: dict[int, Remote] = field(default_factory=dict)
    phase: Phase = Phase.CONNECTING
    end: End | None = None
    is_over: bool = False
    feeder: int | None = None
    """The peer that this one joins by."""
    offered: int = 0
    """The frame from which the host offers this peer its seat; 0: none."""
    snapshot: Offer | None = None
    """The last snapshot that was made here."""
    snapshot_ms: int = 0
    snapshot_of: tuple[int, list[int], list[bytes]] = (0, [], [])
    """Its frame, seats and lives."""
    moved_ms: int = 0
    """When a frame was stepped or confirmed last."""
    leap: tuple[int, int] = (0, 0)
    """By how much the clock leapt between two calls, the last time that it did, and when."""
    received: int = 0
    refused: int = 0
    fault: str = ""
    """Why the last packet was refused that names no peer of the match."""

    def __post_init__(self) -> None:
        match, simulation = self.match, self.timeline.simulation
        level, data = simulation.world.level, data_of(simulation)
        self.settings = {
            **{name: getattr(match, name) for name in _OF_MATCH},
            "input_delay_max": match.delay_max,
            "frames": match.frames or 0,
            "empty_seats": sorted(match.empty_seats),
            "kernel": self.kernel,
            "level": b"" if level is None else level.hash().to_bytes(8, "big"),
            "data": b"" if data is None else data.to_bytes(8, "big"),
        }
        """The fields of a Hello that must be the same on both sides."""

    @property
    def is_playing(self) -> bool:
        return self.phase is Phase.RUNNING and self.me in self.seats.sources

    @property
    def frames(self) -> int | None:
        """The length of the match; None as long as it is not known."""
        frames = self.timeline.frames
        return self.match.frames if frames is None else frames

    @property
    def collector(self) -> Collector | None:
        """Of the snapshot by which this peer joins."""
        if self.phase is not Phase.JOINING or self.feeder is None:
            return None
        return self.remotes[self.feeder].collector

    def waiting_for(self) -> list[int]:
        """The peers that the match waits for."""
        required, confirmed = self.required(), self.timeline.confirmed
        if self.phase is Phase.CONNECTING:
            return [remote.peer for remote in required if not remote.start_number]
        if self.phase is Phase.JOINING:
            return [HOST if self.feeder is None else self.feeder]
        if confirmed == self.frames:
            return [remote.peer for remote in required if not remote.has_all(confirmed)]
        if self.phase is Phase.ENDED or (self.is_playing and self.timeline.can_step):
            return []
        unheard = [remote.peer for remote in required if not remote.is_mutual]
        if unheard and not self.is_playing:
            return unheard
        late = [seat for seat, it in enumerate(self.seats.streams) if it.next <= confirmed]
        return sorted({HOST if self.seats.since[seat] == NEVER else seat for seat in late})

    def is_made_here(self, seat: int) -> bool:
        """Whether this peer makes a seat's inputs, or will when it begins at frame 0."""
        seats = self.seats
        if self.feeder is not None:
            return seat in seats.sources
        return seat == self.me or (self.me == HOST and seats.since[seat] == NEVER)

    def required(self) -> list[Remote]:
        """The peers that the match waits for."""
        return [remote for remote in self.remotes.values() if remote.is_required]

    def all_confirmed(self, besides: Remote | None = None) -> int:
        """The frames below this are confirmed here and by all required peers."""
        others = (remote.confirmed for remote in self.required() if remote is not besides)
        return min([self.timeline.confirmed, *others])

    def evidence(self, frame: int) -> Evidence:
        """The data of a frame that this peer has."""
        timeline = self.timeline
        inputs = timeline.final_inputs.get(frame, ())
        if not inputs:
            return Evidence(frame, b"", b"", (), b"")
        before, after = (timeline.states.get(at, b"") for at in (frame, frame + 1))
        digest = timeline.inputs_digests.get(frame + 1, b"")
        game = timeline.final_rows.get(frame, ())
        over = timeline.frames == frame + 1
        return Evidence(frame, before, after, inputs, digest, game, over)

    def let_go(self) -> None:
        """Forgets what no peer can ask for any more."""
        confirmed, is_player = self.timeline.confirmed, self.match.is_player(self.me)
        inputs = hashes = states = confirmed
        for remote in self.remotes.values():
            if remote.is_required:  # also the host, of a spectator
                states = min(states, remote.compared, remote.hash_needed)
            elif remote.is_fresh and not remote.has_snapshot:
                continue
            elif fault := remote.lag_fault(confirmed):
                remote.drop(Reason.JOIN_FAILED, fault)
                continue
            else:
                states = min(states, max(remote.floor, confirmed - _STATES_MAX // 2))
            inputs = min(inputs, remote.confirmed)
            hashes = min(hashes, remote.hash_needed)
            if self.match.is_player(remote.peer):
                hashes = min(hashes, remote.compared)
        if not is_player:
            # A spectator's evidence is of the frames that the host's hashes may still be about.
            hashes = max(self.remotes[HOST].compared, confirmed - AHEAD_FRAMES_MAX)
            states = min(hashes, confirmed - self.match.detection_frames_max)
        self.seats.let_go(inputs)
        self.timeline.let_go(max(states, confirmed - _STATES_MAX), hashes)


class Remote:
    """One other peer, in its present life: a peer that starts anew has another nonce."""

    def __init__(self, local: Local, peer: int, now_ms: int) -> None:
        self.local = local
        self.peer = peer
        self.start_number = 0
        """0: its present life is not known, or was let go."""
        self.life = NOBODY
        """The nonce of the life that has returned this peer's nonce last."""
        self.started_life = NOBODY
        """Its life that was in the match when this peer got into it, if one was known."""
        self.callers: dict[bytes, tuple[int, int, int]] = {}
        """By nonce, the Hello that will be answered: its number, its time there and here."""
        self.window = Window()
        self.heard_ms = now_ms
        self.acked_ms = now_ms
        """The time of its last new acknowledgement, or when its present life was taken up."""
        self.is_newest = False
        """The last packet that came from it is its newest."""
        self._rtt_ms_max = min(_RTT_MS_MAX, local.timing.silence_ms)
        self.rtt_ms: int | None = None
        self.rtt_ms_min = _RTT_MS_MAX
        self.jitter_ms = 0
        """How much the round trip varies, smoothed."""
        self.bytes_in = self.bytes_out = 0
        self.bytes_a_second = 0, 0
        """Of the last whole second, in and out."""
        self._bytes_then = 0, 0
        self.refused = 0
        """Number of its packets that were refused."""
        self.fault = ""
        """Why the last of them was."""
        self.reply: tuple[bytes, Bye] | None = None
        """To be sent once, and to which life."""
        self.farewell: tuple[bytes, Bye] | None = None
        """Why its last life was dropped: the answer to what still comes from that."""
        self.ahead_ms = 0
        """Its clock less that of this peer when its last Hello came."""
        self.is_done = False
        """It has all of the match, and needs nobody any more."""
        self.sent = self._acked = self._sent_before = 0
        """The newest number of a packet to it, the newest that it got, and the newest when its
        present life was taken up."""
        self.reset(0, 0)

    def reset(self, floor: int, hash_floor: int) -> None:
        """Starts from a frame."""
        self.bye: Bye | None = None
        self.collector: Collector | None = None
        """Collects the pieces of a snapshot or of evidence that this peer requested from it."""
        self.needs = [floor] * self.local.match.players
        """By seat, the first frame whose input it lacks."""
        self.confirmed = floor
        self.frame = floor
        self.is_fresh = True
        """No Update has come yet."""
        self.is_mutual = False
        """It has had an Update of this peer's present life."""
        self.echo: tuple[int, int] | None = None
        """Its clock in its last Update, and when that came."""
        self.hash_needed = hash_floor
        """The first of this peer's hashes that it lacks."""
        self.compared = hash_floor
        """The first frame whose hash has not been compared with its."""
        self.hash_next = self._hash_floor = hash_floor
        """The first of its hashes that has not come."""
        self.hashes: dict[int, int] = {}
        """Its hashes that came and wait to be compared."""
        self.has_snapshot = False
        """It was sent a snapshot, or is being sent one."""
        self.snapshot: Offer | None = None
        """The snapshot, as long as it may ask for pieces of it."""
        self.evidence: tuple[int, int, Offer] | None = None
        """The evidence that it asks for, with its frame and the number of inputs in it."""
        self.is_fed = False
        """It is sent the inputs of all seats, not only of those played here."""
        self.asked: Asked | None = None
        self.progress = 0
        """The pieces of a snapshot that it has, while it joins."""
        self.seating_ms = 0
        """When it had its snapshot, or was last seen to catch up."""
        self.behind_min = FRAMES_MAX
        """The least number of frames that it was behind what all have confirmed."""
        self.offer = self.accepted = self.offers = 0
        """The frame from which it is offered its seat, the offer that it can keep, and the number
        of offers."""
        self.passed = [floor] * self.local.match.players
        """By seat, the first frame whose input was not sent to it yet."""
        self.acked: list[tuple[int, int | None]] = [(floor, None)] * self.local.match.players
        """By seat, what it needed when that changed last, and the time."""
        self.sent_next = floor
        """The next of this peer's inputs when an Update went out last."""

    @property
    def is_required(self) -> bool:
        return self.local.seats.is_required(self.peer)

    def must_join(self, life: bytes) -> bool:
        """Whether a life of it must come in by a snapshot: it was not in the match when this peer
        got into it."""
        if not self.is_required:
            return True
        local = self.local
        if self.start_number and life != self.life and self.is_lost_host:
            return True  # It will be refused; it must not begin the match again.
        has_completed = local.end is not None and local.end.reason is Reason.COMPLETED
        is_in = (local.phase is Phase.RUNNING or has_completed) and (
            local.seats.is_mine_taken or not local.match.is_player(local.me)
        )
        return is_in and life != self.started_life

    @property
    def is_lost_host(self) -> bool:
        """The host with empty seats: only it knows how far it has played them, so nobody can bring
        it back."""
        return self.peer == HOST and self.local.seats.has_empty

    @property
    def floor(self) -> int:
        """The first frame of which it may still need an input or a hash."""
        floor = min(self.confirmed, self.hash_needed)
        return min(floor, self.compared) if self.local.match.is_player(self.peer) else floor

    @property
    def backlog_max(self) -> int:
        """The frames that it may be behind, if the match can do without it."""
        return _BACKLOG_FRAMES_MAX * (4 if self.is_fresh else 1)

    @property
    def resend_after_ms(self) -> int:
        """When inputs that were not acknowledged count as lost."""
        rtt_ms = 250 if self.rtt_ms is None else self.rtt_ms
        return rtt_ms + 4 * self.jitter_ms + 2 * self.local.timing.resend_ms

    @property
    def again_ms(self) -> int:
        """When a request to it is repeated: where packets are lost, as often before its answer is
        late as it takes until one request and its answer arrive, on average."""
        share = (100 - self.window.loss_percent) ** 2  # of 10,000 requests with their answers
        rtt_ms = self.rtt_ms or 0
        margin_ms = (self.resend_after_ms - rtt_ms) * share // 10_000
        return (rtt_ms + margin_ms) * share // 10_000 - self.local.timing.resend_ms // 2

    def hear(self, now_ms: int) -> None:
        self.heard_ms = max(self.heard_ms, now_ms)

    def drop(self, reason: Reason, text: str) -> None:
        """Lets a peer go that the match can do without."""
        if self.start_number:
            self.refuse(self.life, reason, text)
            self.farewell = self.reply
        self.start_number = 0
        confirmed = self.local.timeline.confirmed
        self.reset(confirmed, confirmed)

    def hello(self, life: bytes, now_ms: int, echo_ms: int = 0) -> Hello:
        local, times = self.local, (now_ms & 0xFFFFFFFF, echo_ms & 0xFFFFFFFF)
        progress = local.collector.count if local.collector else 0
        return Hello(local.start_number, *times, self.must_join(life), progress, **local.settings)

    def refuse(self, life: bytes, reason: Reason, text: str) -> None:
        """Sends a life of the peer, once, that it is out of the match."""
        confirmed, text = self.local.timeline.confirmed, text[:TEXT_CHARACTERS_MAX]
        self.reply = life, Bye(reason, confirmed, self.peer, text, True)

    # Received messages. PacketError, with nothing changed, for a refused one.

    def receive(self, packet: Packet, now_ms: int) -> Event | None:
        """Takes a message, and returns its meaning for the match."""
        message = packet.message
        if packet.nonce:
            return self._take_hello(packet, now_ms) if self._is_there(packet, now_ms) else None
        self._check_number(packet)
        # One that refuses this peer's settings says Bye.
        if not self.start_number and not isinstance(message, Bye):
            self.reply = self.farewell
            raise PacketError("from a life of the peer that is over")
        if isinstance(message, Update):
            return self._take_update(message, now_ms)
        if isinstance(message, Piece):
            return self._take_piece(message, now_ms)
        if isinstance(message, Bye):
            return self._take_bye(message, now_ms)
        self._take_want(message, now_ms)
        return None

    def _is_there(self, packet: Packet, now_ms: int) -> bool:
        """Whether a Hello is of a life that is there now: it has returned this peer's nonce and, if
        it is new, the number of a packet that was sent after the present life was taken up. Any
        other may be a recording: it is answered, and no more. So is a new one."""
        is_new, is_there = packet.nonce != self.life, packet.heard == self.local.codec.nonce
        if is_new:
            is_there &= self._sent_before < packet.got <= self.sent
            if len(self.callers) < _CALLERS_MAX:
                sent_ms = getattr(packet.message, "sent_ms", 0)
                self.callers[packet.nonce] = packet.number, sent_ms, now_ms
        else:
            self._check_number(packet)
        if not is_there and (packet.heard != NOBODY or not is_new):
            raise PacketError("a Hello of an earlier session, or to one")
        return is_there

    def _check_number(self, packet: Packet) -> None:
        """PacketError for a packet that came before, is too old, or says what cannot be."""
        fault = self.window.fault(packet.number)
        if fault:
            raise PacketError(fault)
        if packet.got > self.sent:
            raise PacketError(f"it got packet {packet.got}, of {self.sent} that were sent")

    def take_number(self, packet: Packet, now_ms: int) -> None:
        """Takes the numbers of a packet that was accepted."""
        self.is_newest = self.window.take(packet.number)
        if packet.got > self._acked:
            self._acked, self.acked_ms = packet.got, now_ms

    def _hello_fault(self, hello: Hello | int) -> str:
        """The settings that are not the same on both sides."""
        faults, is_known = [], isinstance(hello, Hello)
        for name in _SETTINGS if is_known else ["protocol"]:
            ours = self.local.settings[name] if is_known else VERSION
            theirs = getattr(hello, name) if is_known else hello
            if ours != theirs:
                if isinstance(ours, bytes) and isinstance(theirs, bytes):
                    ours, theirs = ours.hex() or "none", theirs.hex() or "none"
                sides = sorted(((self.local.me, ours), (self.peer, theirs)))
                values = ", ".join(f"{value} on peer {peer}" for peer, value in sides)
                faults.append(f"field {name}: {values}")
        return "; ".join(faults)

    def _take_hello(self, packet: Packet, now_ms: int) -> Event:
        local, life = self.local, packet.nonce
        hello: Hello = packet.message
        fault = self._hello_fault(hello)
        if fault:
            text = f"peer {local.me} refuses peer {self.peer}: {fault}"
            # A host that plays alone has no match to keep for one who was to begin it too.
            empty_seats = getattr(hello, "empty_seats", ())
            is_starter = local.match.is_player(self.peer) and self.peer not in empty_seats
            is_alone = is_starter and not local.required()
            is_end = is_alone or (local.phase is Phase.CONNECTING and self.is_required)
            if is_end or not self.start_number:
                self._meet(life)  # Its Bye can be read.
            if is_end:
                self.start_number = 1
                return End(Reason.REFUSED, 0, self.peer, text, local.me)
            self.refuse(life, Reason.REFUSED, text)
            raise PacketError(fault)
        if life != self.life or not self.start_number:
            self._begin_life(life, hello, now_ms)
        self.hear(now_ms)
        self.ahead_ms = hello.sent_ms - now_ms
        self._measure_rtt(hello.echo_ms, now_ms)
        # One that has more pieces than a state here needs claims them to be waited for.
        states = local.timeline.states
        most = 64 + len(states[local.timeline.head]) // PIECE_BYTES
        self.progress = max(self.progress, min(hello.progress, most))
        return hello

    def _meet(self, life: bytes) -> None:
        """Takes up a life of the peer: its packets are opened."""
        if life != self.life:
            self.life, self.window, self.farewell = life, Window(), None
            self._sent_before = self.sent
            self.local.codec.meet(self.peer, life)

    def _begin_life(self, life: bytes, hello: Hello, now_ms: int) -> None:
        """The peer has started anew."""
        local = self.local
        if local.phase is Phase.RUNNING and self.start_number and self.is_lost_host:
            why = "the host cannot come back while a seat is empty"
            text = f"peer {local.me} refuses peer {self.peer}: {why}"
            self.refuse(life, Reason.JOIN_FAILED, text)
            raise PacketError(why)
        self._meet(life)
        # What one who watches or joins lacks is not known: perhaps inputs that are not held.
        is_in = self.is_required
        floors = (local.seats.streams[0].first, local.timeline.first_hash) if is_in else (0, 0)
        self.reset(*floors)
        for stream in local.seats.streams:
            stream.forget_early()
        self.start_number = hello.start_number
        self.acked_ms = now_ms
        if local.phase is Phase.JOINING and self.peer == local.feeder:
            self.collector = Collector(Blob.SNAPSHOT, 0, now_ms)

    def _take_update(self, update: Update, now_ms: int) -> Event | None:
        local, seats = self.local, self.local.seats
        if local.phase is Phase.JOINING:
            self._take_times(update, now_ms)
            return None
        runs = self._check_update(update)
        if self.is_fresh:
            self.seating_ms, self.snapshot = now_ms, None
        self._take_times(update, now_ms)
        if local.phase is Phase.ENDED:
            self.take_acks(update)
            return None
        self._take_hashes(update)
        self.take_acks(update)
        if local.me != HOST and self.peer in (HOST, local.feeder):
            for seat in seats.learn(update.seats):
                if seat in local.remotes:
                    local.remotes[seat].hear(now_ms)  # From now on it may not be silent.
        for seat, first, values, delays in runs:
            frames = self._decides(seat)
            if frames is not None:
                seats.streams[seat].take(first, values, delays, frames)
        if self.peer == HOST:
            local.offered = update.seat
        self.accepted = update.seat
        return update

    def _take_want(self, want: Want, now_ms: int) -> None:
        if want.kind == Blob.SNAPSHOT and self.is_lost_host:
            raise PacketError("the host cannot come back while a seat is empty")
        if self.asked is None or not self.asked.add(want):
            self.asked = Asked(want)
        self.hear(now_ms)

    def _take_bye(self, bye: Bye, now_ms: int) -> Event | None:
        local = self.local
        reason = Reason(bye.reason) if bye.reason in list(Reason) else Reason.LEFT
        if bye.peer not in local.match.peers:
            raise PacketError(f"a Bye about peer {bye.peer}, of {len(local.match.peers)}")
        if reason is Reason.DESYNC and local.me in local.seats.sources:
            made = local.seats.streams[local.me].next
            if bye.frame >= made:
                raise PacketError(f"a desync in frame {bye.frame}, with inputs for {made} frames")
        self.hear(now_ms)
        self.bye = bye
        is_connecting = local.phase is Phase.CONNECTING
        is_joining = is_connecting or local.phase is Phase.JOINING
        if is_joining and reason is Reason.JOIN_FAILED and bye.peer == local.me == HOST:
            return End(reason, 0, local.me, bye.text, self.peer)
        if is_joining and reason is Reason.COMPLETED:
            text = f"peer {self.peer} has completed the match without this peer"
            return End(Reason.JOIN_FAILED, 0, local.me, text, self.peer)
        if not self.is_required:
            if reason is Reason.DESYNC:  # It asks for this side's evidence, and has its own.
                return End(reason, bye.frame, bye.peer, bye.text, self.peer)
            if reason is not Reason.COMPLETED:
                self.start_number = 0
            return None
        if reason is Reason.COMPLETED:
            self.is_done = True
            return bye
        return End(reason, bye.frame, bye.peer, bye.text, self.peer)

    def _check_update(self, update: Update) -> list[tuple[int, int, list[Input], dict[int, int]]]:
        """The runs: seat, first frame, inputs, new delays. PacketError for what cannot be."""
        local = self.local
        players, seats, confirmed = local.match.players, local.seats, local.timeline.confirmed
        if len(update.needs) != players or len(update.seats) != players:
            raise PacketError(f"a list by seat must have {players} entries")
        if not update.confirmed <= update.frame <= update.confirmed + local.match.prediction_max:
            raise PacketError(f"frame {update.frame} with {update.confirmed} confirmed")
        for seat in seats.sources:
            if update.needs[seat] > seats.streams[seat].next:
                raise PacketError(f"needs[{seat}] is {update.needs[seat]}, not yet played here")
        if local.me in seats.sources and update.confirmed > seats.streams[local.me].next:
            raise PacketError(f"confirmed {update.confirmed} frames, not all played here")
        if update.hash_needed > confirmed + AHEAD_FRAMES_MAX:
            raise PacketError(f"hash_needed is {update.hash_needed}, with {confirmed} confirmed")
        if update.hashes and update.hash_first + len(update.hashes) > update.confirmed:
            raise PacketError("hashes of frames that are not confirmed there")
        if local.match.is_player(self.peer) and update.hash_first > self.hash_next:
            self._check_jump(update)
        runs = []
        for run in update.runs:
            seat = run.slot
            if seat >= players:
                raise PacketError(f"a run of seat {seat}, of {players}")
            if self._decides(seat) is None:
                raise PacketError(f"inputs of seat {seat}, which is not its own")
            inputs, delays = run.inputs()
            if delays and max(delays.values()) > local.match.delay_max:
                raise PacketError(f"seat {seat}: delays {delays}, at most {local.match.delay_max}")
            seats.check(
                seat, run.first, inputs, local.is_made_here(seat), local.timeline.simulation
            )
            runs.append((seat, run.first, inputs, delays))
        return runs

    def _check_jump(self, update: Update) -> None:
        """PacketError if the peer may not leave out the hashes from `hash_next` on."""
        local = self.local
        confirmed = local.timeline.confirmed
        is_newcomer = local.is_playing and self.life != self.started_life
        limit = confirmed if is_newcomer else confirmed + _BACKLOG_FRAMES_MAX
        if not self._may_lack_hashes or update.hash_first > min(update.confirmed, limit):
            first, needed = update.hash_first, self.hash_next
            raise PacketError(f"hashes from frame {first} on, but frame {needed} is the next")

    @property
    def _may_lack_hashes(self) -> bool:
        """Whether it may have no hashes of the first frames, or not any more: one of the two came
        in by a snapshot of another peer. From its first Update with an echo on, it knows which
        hashes are needed here."""
        local = self.local
        if self.is_mutual or local.phase is Phase.CONNECTING:
            return False
        if self.life != self.started_life:
            return True
        if local.feeder is None:
            return self.peer in local.match.empty_seats
        return self.peer != local.feeder

    def _decides(self, seat: int) -> range | None:
        """The frames of a seat whose inputs are taken from this peer; None if it must not send any.

        A run may hold earlier and later frames; these are not taken."""
        local, match, since = self.local, self.local.match, self.local.seats.since[seat]
        is_feeder = self.peer == local.feeder
        if not match.is_player(self.peer):
            return None
        if local.is_made_here(seat):
            return range(0)
        ahead = local.timeline.confirmed + AHEAD_FRAMES_MAX
        # Whoever steps on an input that was made there can compare the states that led to it. One
        # who has had no Update from here makes none beyond the first frames, and may still leave
        # out hashes.
        hashed = self.hash_next if self.is_mutual else self._hash_floor
        made = min(ahead, hashed + match.detection_frames_max)
        if match.is_player(local.me):
            made = min(made, self.hash_needed + AHEAD_FRAMES_MAX)
        if seat == local.me:
            # Its own inputs of an earlier life, and those that the host made before the handover.
            back = min(ahead, self.hash_next + 2 * match.detection_frames_max)
            back = 0 if local.seats.was_mine_empty else back
            if is_feeder:
                return range(max(back, min(since, ahead)))
            return range(0 if self.peer == HOST else since, back)
        if seat == self.peer:
            return range(0 if is_feeder or local.me == HOST else since, made)
        if is_feeder:
            return range(made if self.peer == HOST and since == NEVER else ahead)
        if self.peer == HOST and since:
            return range(min(since, made))
        return None

    def _take_times(self, update: Update, now_ms: int) -> None:
        self.hear(now_ms)
        self._measure_rtt(update.echo_ms, now_ms)
        self.echo = update.sent_ms, now_ms

    def _measure_rtt(self, echo_ms: int, now_ms: int) -> None:
        rtt_ms = (now_ms - echo_ms) & 0xFFFFFFFF
        # What a round trip allows must not grow with an echo that a peer makes up.
        if echo_ms and rtt_ms <= self._rtt_ms_max:
            if self.rtt_ms is None:
                self.rtt_ms, self.jitter_ms = rtt_ms, rtt_ms // 8
            else:
                self.jitter_ms += (abs(rtt_ms - self.rtt_ms) - self.jitter_ms) // 4
                self.rtt_ms = (7 * self.rtt_ms + rtt_ms) // 8
            # The shortest; in about a second it grows by 1, as the path may have changed.
            self.rtt_ms_min = min(rtt_ms, self.rtt_ms_min + (now_ms % 1024 < 16))

    def take_acks(self, update: Update) -> None:
        self.is_fresh = False
        self.is_mutual |= bool(update.echo_ms)
        self.frame = max(self.frame, update.frame)
        self.confirmed = max(self.confirmed, update.confirmed)
        self.hash_needed = max(self.hash_needed, update.hash_needed)
        self.needs = [max(pair) for pair in zip(self.needs, update.needs, strict=True)]

    def _take_hashes(self, update: Update) -> None:
        if not self.local.match.is_player(self.peer):
            return
        if update.hash_first > self.hash_next:
            self.hash_next = update.hash_first
            self.compared = max(self.compared, update.hash_first)
            self.hashes.clear()
        end = self.local.timeline.confirmed + AHEAD_FRAMES_MAX
        for frame, value in enumerate(update.hashes, update.hash_first):
            if self.hash_next == frame < end:
                self.hash_next += 1
                if frame >= self.compared:
                    self.hashes[frame] = value

    def first_difference(self) -> int | None:
        """Compares the hashes of this peer with the received ones: the first frame after which
        they differ."""
        timeline = self.local.timeline
        while self.compared < timeline.confirmed and self.compared in self.hashes:
            frame = self.compared
            theirs = self.hashes[frame]
            self.compared += 1
            if timeline.hashes.get(frame, theirs) != theirs:
                return frame  # Its hash is part of the report.
            del self.hashes[frame]
        return None

    def offer_evidence(self, frame: int) -> Offer:
        """The evidence that it may ask for, kept although the states are let go."""
        found, held = self.local.evidence(frame), self.evidence
        if held is None or held[0] != frame or held[1] < len(found.inputs):
            offer = Offer(msgspec.msgpack.encode(found))
            held = self.evidence = frame, len(found.inputs), offer
        return held[2]

    def ask_evidence(self, frame: int, now_ms: int) -> None:
        timeline = self.local.timeline
        most = evidence_bytes_max(len(timeline.states[timeline.head]))
        self.collector = Collector(Blob.EVIDENCE, frame, now_ms, most)

    def _take_piece(self, piece: Piece, now_ms: int) -> Event | None:
        collector = self.collector
        if collector is None or (collector.kind, collector.frame) != (piece.kind, piece.frame):
            raise PacketError("a piece that was not asked for")
        fault = collector.fault(piece)
        if fault:
            raise PacketError(fault)
        self.hear(now_ms)
        self._measure_rtt(piece.echo_ms, now_ms)
        collector.take(piece, now_ms)
        return None if collector.data is None else (collector.kind, collector.data)

    # What is known of it.

    def measure(self, ms: int) -> None:
        """Takes the bytes of the last `ms` milliseconds as those of a second."""
        (came, went), self._bytes_then = self._bytes_then, (self.bytes_in, self.bytes_out)
        came, went = self.bytes_in - came, self.bytes_out - went
        self.bytes_a_second = came * 1000 // ms, went * 1000 // ms

    def stats(self, now_ms: int) -> PeerStats:
        came, went = self.bytes_a_second
        ahead, loss = self.frames_behind(now_ms), self.window.loss_percent
        return PeerStats(self.peer, self.rtt_ms, self.jitter_ms, loss, ahead, came, went)

    def has_all(self, frames: int) -> bool:
        """Whether nothing of the whole match is left to be exchanged."""
        if self.is_fresh and not self.is_done:
            return False  # It was sent a snapshot, and has not answered that it has it.
        theirs = self.confirmed >= frames and self.hash_needed >= frames
        is_had = self.is_done or theirs or not self.local.match.is_player(self.local.me)
        return self.compared >= frames and is_had

    @property
    def has_evidence(self) -> bool:
        """Nothing that was asked of it is missing."""
        return self.collector is None or self.collector.data is not None

    @property
    def is_owed(self) -> bool:
        """After the end: it may not know of it, or one of the two lacks evidence of the other."""
        has_ended = self.bye is not None and self.bye.is_complete
        return not self.has_evidence or (bool(self.start_number) and not has_ended)

    @property
    def is_silent_rightly(self) -> bool:
        """It has completed the match, and all of its hashes are here."""
        frames = self.local.frames
        return self.is_done and frames is not None and self.hash_next >= frames

    def lag_fault(self, confirmed: int) -> str:
        """Why a spectator or a joining peer cannot be brought up to date; empty if it can."""
        at, most, streams = self.confirmed, self.backlog_max, self.local.seats.streams
        if confirmed - self.floor > most:
            return f"too far behind: {at} frames of {confirmed}, at most {most} are kept"
        held = all(map(ge, self.needs, (stream.first for stream in streams)))
        if held or self.is_fresh or self.local.me != HOST:
            return ""
        first, lost = streams[0].first, "without the inputs before it, and peer"
        why = f"the host came back at frame {first} {lost} {self.peer} is at frame {at}"
        return f"{why}: make a new session and join again"

    def frames_behind(self, now_ms: int) -> int:
        """By how many frames it is behind this peer, as far as can be computed here."""
        if self.echo is None or self.is_fresh:
            return 0
        age_ms = now_ms - self.echo[1] + (self.rtt_ms or 0) // 2
        numerator, denominator = rate("tick_rate", self.local.match.tick_rate)
        since = age_ms * numerator // (1000 * denominator)
        return self.local.timeline.head - (self.frame + since)


_SETTINGS = Hello.__struct_fields__[Hello.__struct_fields__.index("kernel") :]
_OF_MATCH = [name for name in _SETTINGS if name in Match.__dataclass_fields__]

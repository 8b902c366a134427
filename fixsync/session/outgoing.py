"""The messages to one other peer."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from fixsync.session.blobs import Offer, Snapshot
from fixsync.session.match import FRAMES_MAX, HOST
from fixsync.session.notices import End, Reason
from fixsync.session.packets import (
    HASHES_MAX,
    RUN_FRAMES_MAX,
    Blob,
    Bye,
    Codec,
    Message,
    Piece,
    Run,
    Update,
    Want,
)
from fixsync.session.remote import Local, Phase, Remote
from fixsync.sim import Input

# Room in an Update for inputs, in bytes: PACKET_BYTES_MAX less the head, the hashes and the lists
# by seat.
RUNS_BYTES = 540
_WANT_MS_MIN = 50
_WANT_PIECES_FEW = 4
_LONG_AGO_MS = -(2**62)


class Outgoing:
    """The messages to a peer, and the time of the last one of each kind."""

    def __init__(self, local: Local, remote: Remote) -> None:
        self.local = local
        self.remote = remote
        self._hello_ms = self._update_ms = self._want_ms = _LONG_AGO_MS

    def packets(self, codec: Codec, now_ms: int) -> Iterator[bytes]:
        """The packets to send now."""
        remote = self.remote
        for message in self._messages(now_ms):
            self.remote.sent += 1
            got = remote.window.newest if remote.window.life == message.heard else 0
            yield codec.seal(message, remote.peer, self.remote.sent, got)

    def _messages(self, now_ms: int) -> Iterator[Message]:
        local, remote = self.local, self.remote
        if remote.reply is not None:
            yield remote.reply
            remote.reply = None
        if local.is_over:
            return
        yield from self._hellos(now_ms)
        if remote.want is not None:
            yield from self._pieces(remote.want)
            remote.want = None
        yield from self._wants(now_ms)
        if not remote.instance or local.phase is Phase.JOINING:
            return
        streams = local.seats.streams
        own_next = max((streams[seat].next for seat in local.seats.sources), default=0)
        is_new = local.end is None and self.remote.sent_next < own_next
        if not is_new and now_ms - self._update_ms < local.timing.resend_ms:
            return
        self._update_ms, self.remote.sent_next = now_ms, own_next
        if local.end is not None:
            yield self._bye(local.end)
        if remote.is_established and (local.end is None or local.end.reason is Reason.COMPLETED):
            yield self._update(now_ms)

    def _hellos(self, now_ms: int) -> Iterator[Message]:
        local, remote = self.local, self.remote
        if remote.owes_answer:
            remote.owes_answer = False
            yield remote.hello(is_answer=True)
        elif local.end is None and now_ms - self._hello_ms >= local.timing.hello_ms:
            is_known = remote.is_established and local.phase is not Phase.JOINING
            if not is_known or remote.is_fresh:
                # When it is known here but has sent no Update, the answer to its Hello may be lost.
                self._hello_ms = now_ms
                yield remote.hello(is_answer=is_known)

    def _bye(self, end: End) -> Bye:
        is_complete = self.local.has_evidence
        return Bye(*self.remote.head, end.reason, end.frame, end.peer, end.text, is_complete)

    def _update(self, now_ms: int) -> Update:
        local, remote, timeline = self.local, self.remote, self.local.timeline
        hash_first = max(remote.hash_needed, timeline.first_hash)
        hash_end = max(hash_first, min(timeline.confirmed, hash_first + HASHES_MAX))
        return Update(
            *self.remote.head,
            sent_ms=now_ms & 0xFFFFFFFF,
            echo_ms=0
            if remote.echo is None
            else (remote.echo[0] + now_ms - remote.echo[1]) & 0xFFFFFFFF,
            frame=timeline.head,
            confirmed=timeline.confirmed,
            ready=self._is_ready(),
            needs=[stream.next for stream in local.seats.streams],
            seats=local.seats.since,
            runs=self._runs(hash_end),
            hash_needed=remote.hash_next,
            hash_first=hash_first,
            hashes=[timeline.hashes[frame] for frame in range(hash_first, hash_end)],
        )

    def _is_ready(self) -> bool:
        """Whether this peer, having joined, has caught up, and every player hears it."""
        players = self.local.required()
        behind = min((player.confirmed for player in players), default=0)
        is_near = self.local.timeline.confirmed + 2 >= behind
        return is_near and all(player.is_mutual for player in players)

    def _runs(self, hash_end: int) -> list[Run]:
        """Inputs that the peer lacks, the seats it lacks most of first.

        Inputs made here go no farther ahead of the hashes that the peer has by this packet than a
        peer's frame can be ahead of what it has confirmed: whoever steps on an input can compare
        the states that led to it."""
        local, remote, seats = self.local, self.remote, self.local.seats
        if not local.match.is_player(local.me):
            return []
        own_end = hash_end + local.match.input_delay + local.match.prediction_max + 1
        end = FRAMES_MAX
        if not remote.is_required:
            # One who watches or joins gets only what all players have confirmed: it cannot change,
            # even if a player whose input nobody else has falls over and comes back.
            own_end = end = local.all_confirmed()
        room = RUNS_BYTES
        runs: list[Run] = []
        chosen = self._seats()
        for seat in sorted(chosen, key=lambda seat: (remote.needs[seat], seat)):
            stream = seats.streams[seat]
            first = max(remote.needs[seat], stream.first)
            if seat in seats.sources:
                last = min(own_end, stream.next)
            elif self._is_fed or seat == remote.peer:
                last = min(end, stream.next)
            else:
                last = min(own_end, seats.since[seat], stream.next)
            values: list[Input] = []
            share = max(room // len(chosen), 200 if not runs else 0)
            for frame in range(first, min(last, first + RUN_FRAMES_MAX)):
                size = _size_of(stream[frame])
                if size > min(share, room):
                    break
                share -= size
                room -= size
                values.append(stream[frame])
            if values:
                runs.append(Run(seat, first, values))
        return runs

    @property
    def _is_fed(self) -> bool:
        """Whether the peer gets the inputs of all seats."""
        remote = self.remote
        return remote.is_fed if remote.is_required else self.local.me == HOST

    def _seats(self) -> set[int]:
        """The seats whose inputs the peer gets."""
        local, remote = self.local, self.remote
        match, seats = local.match, local.seats
        if self._is_fed:
            return set(range(match.players))
        chosen = seats.sources | {remote.peer}
        if local.me == HOST:  # It made the inputs of each seat before its handover.
            chosen |= {seat for seat in match.vacant if remote.needs[seat] < seats.since[seat]}
        return {seat for seat in chosen if match.is_player(seat)}

    def _wants(self, now_ms: int) -> Iterator[Message]:
        """Asks for missing pieces: for many once a round trip, so that they do not come twice; for
        few more often."""
        remote = self.remote
        collector = remote.collector
        if collector is None or collector.data is not None:
            return
        if collector.kind is Blob.SNAPSHOT and not remote.is_established:
            return
        digest, missing = collector.wants()
        is_much = len(missing) > _WANT_PIECES_FEW
        pause_ms = max(_WANT_MS_MIN, remote.rtt_ms or 0) if is_much else _WANT_MS_MIN
        if now_ms - self._want_ms >= pause_ms:
            self._want_ms = now_ms
            kind, frame = collector.kind, collector.frame
            yield Want(*self.remote.head, kind, frame, digest, missing)

    def _pieces(self, want: Want) -> list[Piece]:
        local, remote = self.local, self.remote
        if want.kind == Blob.EVIDENCE:
            offer = Offer(msgspec.msgpack.encode(local.evidence(want.frame)))
        elif local.phase is Phase.RUNNING and remote.must_join:
            if remote.snapshot is None:
                remote.snapshot = Offer(self._take_snapshot())
                remote.is_fed = True
            offer = remote.snapshot
        else:
            return []
        return offer.pieces(want, self.remote.head)

    def _take_snapshot(self) -> bytes:
        """The newest state that every other player is known to have confirmed.

        A player who comes back has its own inputs from there on, sent by those who got them; so it
        can send them to those who did not. The state is still held here: it is not older than the
        first that is not compared yet."""
        local, remote, timeline = self.local, self.remote, self.local.timeline
        frame = max(local.all_confirmed(besides=remote), timeline.first_state)
        lives = [
            local.instance if seat == local.me else local.remotes[seat].started_instance
            for seat in range(local.match.players)
        ]
        confirmed = remote.confirmed
        remote.reset(frame, frame)
        if remote.is_required:
            # A snapshot on its way may be lost: until it answers, it has confirmed no more.
            remote.confirmed = confirmed
        state, digest = timeline.states[frame], timeline.inputs_digests[frame]
        return msgspec.msgpack.encode(Snapshot(frame, state, digest, local.seats.since, lives))


def _size_of(value: Input) -> int:
    """An upper bound of an input's size in MessagePack."""
    if isinstance(value, tuple):
        return 3 + sum(map(_size_of, value))
    bits = value.bit_length()
    return 1 if 0 <= bits < 6 else 3 if bits < 16 else 5 if bits < 32 else 9

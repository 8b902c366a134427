"""The messages to one other peer."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from fixsync.session.blobs import QUEUE_MS_MAX, Offer, Snapshot
from fixsync.session.match import HOST
from fixsync.session.notices import Reason
from fixsync.session.packets import (
    HASHES_MAX,
    NOBODY,
    PACKET_BYTES_MAX,
    RUN_FRAMES_MAX,
    Blob,
    Bye,
    Message,
    Run,
    Update,
    Want,
)
from fixsync.session.remote import AHEAD_FRAMES_MAX, Local, Phase, Remote

# What an Update has besides hashes and runs: the datagram's head of 28 bytes, 15 numbers and flags,
# and two lists by seat.
_UPDATE_BYTES = 170
_HASH_BYTES = 9
# What a run has besides its inputs.
_RUN_BYTES = 10
RUNS_BYTES = PACKET_BYTES_MAX - _UPDATE_BYTES
"""Room in an Update for runs and hashes."""
UPDATES_MAX = 8
"""Updates to one peer that go out at once."""
SNAPSHOT_MS = 500
"""No two snapshots are made in less."""
_LONG_AGO_MS = -(2**62)
_Lacking = tuple[int, int, int]  # a seat, and the first and the last + 1 of its frames


class Outgoing:
    """The messages to a peer, and the time of the last one of each kind."""

    def __init__(self, local: Local, remote: Remote) -> None:
        self.local = local
        self.remote = remote
        self._hello_ms = self._update_ms = self._want_ms = _LONG_AGO_MS

    def packets(self, now_ms: int) -> Iterator[bytes]:
        """The packets to send now."""
        if self.remote.reply is not None:
            life, bye = self.remote.reply
            self.remote.reply = None
            yield self._sealed(bye, life, 0)
        if not self.local.is_over:
            yield from self.answers(now_ms)
            yield from self._hellos(now_ms)
            for message in self._messages(now_ms):
                yield self._sealed(message)

    def _sealed(self, message: Message, life: bytes | None = None, got: int = 0) -> bytes:
        """A packet; to another life than the present one, `got` is the number of its Hello."""
        remote = self.remote
        remote.sent += 1
        if life is None or life == remote.life:
            life, got = remote.life, max(got, remote.window.newest)
        data = self.local.codec.seal(message, remote.peer, life, remote.sent, got)
        remote.bytes_out += len(data)
        return data

    def answers(self, now_ms: int, *lives: bytes) -> Iterator[bytes]:
        """The answers to Hellos: of some lives, or of all."""
        callers = self.remote.callers
        for life in {*callers} & {*lives} if lives else [*callers]:
            number, sent_ms, came_ms = callers.pop(life)
            yield self._sealed(
                self.remote.hello(life, now_ms, sent_ms + now_ms - came_ms), life, number
            )

    def pieces(self, most: int, now_ms: int) -> Iterator[bytes]:
        """The pieces to send now, at most so many, of those that the peer asked for."""
        asked = self.remote.asked
        if not asked or self.local.is_over:
            return
        offer = self._offer(asked.kind, asked.frame, now_ms)
        if offer is not None:
            for index in asked.take(offer, most, now_ms, self.remote.rtt_ms or 0):
                yield self._sealed(offer.piece(index, asked))

    def _messages(self, now_ms: int) -> Iterator[Message]:
        local, remote = self.local, self.remote
        yield from self._wants(now_ms)
        if not remote.start_number or local.phase is Phase.JOINING:
            return
        streams = local.seats.streams
        own_next = max((streams[seat].next for seat in local.seats.sources), default=0)
        is_new = local.end is None and self.remote.sent_next < own_next
        pause_ms = local.timing.resend_ms
        if remote.is_fresh and remote.has_snapshot:
            # It takes no Update before it has its snapshot.
            is_new, pause_ms = False, local.timing.hello_ms
        if not is_new and now_ms - self._update_ms < pause_ms:
            return
        self._update_ms, self.remote.sent_next = now_ms, own_next
        if local.end is not None:
            end, is_complete = local.end, all(it.has_evidence for it in local.remotes.values())
            yield Bye(end.reason, end.frame, end.peer, end.text, is_complete)
        if local.end is None or local.end.reason is Reason.COMPLETED:
            yield from self._updates(now_ms)

    def _hellos(self, now_ms: int) -> Iterator[bytes]:
        local, remote, timing = self.local, self.remote, self.local.timing
        is_joining = local.phase is Phase.JOINING
        pause_ms = timing.resend_ms if is_joining else timing.hello_ms
        # When it is known here but has sent no Update, the answer to its Hello may be lost.
        is_due = not remote.start_number or is_joining or remote.is_fresh
        if is_due and local.end is None and now_ms - self._hello_ms >= pause_ms:
            self._hello_ms, life, echo_ms = now_ms, NOBODY, 0
            if remote.start_number:
                life, echo_ms = remote.life, now_ms + remote.ahead_ms
            yield self._sealed(remote.hello(life, now_ms, echo_ms), life)

    def _updates(self, now_ms: int) -> Iterator[Update]:
        """An Update, and more if its inputs do not fit one packet."""
        local, remote, timeline = self.local, self.remote, self.local.timeline
        hash_first = max(remote.hash_needed, timeline.first_hash)
        hash_end = max(hash_first, min(timeline.confirmed, hash_first + HASHES_MAX))
        hashes = [timeline.hashes[frame] for frame in range(hash_first, hash_end)]
        first_runs, *more = self._runs(hash_end, RUNS_BYTES - _HASH_BYTES * len(hashes), now_ms)
        seat = 0
        if local.me == HOST and not remote.is_required:
            seat = remote.offer
        elif remote.peer == HOST and local.offered:
            seat = self.accepts()
        update = Update(
            sent_ms=now_ms & 0xFFFFFFFF,
            echo_ms=0
            if remote.echo is None
            else (remote.echo[0] + now_ms - remote.echo[1]) & 0xFFFFFFFF,
            frame=timeline.head,
            confirmed=timeline.confirmed,
            seat=seat,
            needs=[stream.next for stream in local.seats.streams],
            seats=local.seats.since,
            runs=first_runs,
            hash_needed=remote.hash_next,
            hash_first=hash_first,
            hashes=hashes,
        )
        yield update
        for runs in more:
            yield replace(update, runs=runs, hashes=[])

    def accepts(self) -> int:
        """The offer of a seat that this peer can keep; 0: none. Every player must hear it."""
        local = self.local
        if local.seats.is_mine_taken or not local.match.is_player(local.me):
            return 0
        return local.offered if all(it.is_mutual for it in local.required()) else 0

    def _lacking(self, hash_end: int) -> list[_Lacking]:
        """The inputs that the peer lacks and may have now, by seat.

        Inputs made here go no farther ahead of the hashes that the peer has by this packet than a
        peer's frame can be ahead of what it has confirmed: whoever steps on an input can compare
        the states that led to it."""
        local, remote, seats = self.local, self.remote, self.local.seats
        if not local.match.is_player(local.me) or (remote.is_fresh and remote.has_snapshot):
            return []
        own_end = hash_end + local.match.detection_frames_max
        end = remote.confirmed + AHEAD_FRAMES_MAX  # It takes no later ones.
        if not remote.is_required:
            # One who watches or joins gets only what all players have confirmed: it cannot change,
            # even if a player whose input nobody else has falls over and comes back.
            own_end = end = min(end, local.all_confirmed())
        is_fed = remote.is_fed if remote.is_required else local.me == HOST
        chosen = {*range(local.match.players)} if is_fed else seats.sources | {remote.peer}
        if local.me == HOST:  # It made the inputs of each seat before its handover.
            chosen |= {it for it in local.match.empty_seats if remote.needs[it] < seats.since[it]}
        lacking = []
        for seat in chosen:
            stream = seats.streams[seat]
            first = max(remote.needs[seat], stream.first)
            if seat in seats.sources:
                last = min(own_end, stream.next)
            elif is_fed or seat == remote.peer:
                last = min(end, stream.next)
            else:
                last = min(own_end, seats.since[seat], stream.next)
            if first < last:
                lacking.append((seat, first, last))
        return lacking

    def _runs(self, hash_end: int, room: int, now_ms: int) -> list[list[Run]]:
        """The inputs for the packets of now: all that the peer lacks, if that fits one packet.

        Otherwise those that were not sent yet, in up to UPDATES_MAX packets, and earlier ones that
        fit the last packet too. Inputs without an acknowledgement in time go out again."""
        lacking = self._lacking(hash_end)
        runs, left = [], room
        for seat, first, last in lacking:
            if last - first > RUN_FRAMES_MAX:
                break
            packed = self.local.seats.streams[seat].packed(last)
            parts = [packed[first][0], *[packed[at][1] for at in range(first + 1, last)]]
            values = b"".join(parts)
            left -= _RUN_BYTES + len(values)
            if left < 0:
                break
            runs.append(_run(seat, first, len(parts), values))
        else:
            for seat, _, last in lacking:
                self.remote.passed[seat] = last
            return [runs]
        return self._many_runs(lacking, room, now_ms)

    def _many_runs(self, lacking: list[_Lacking], room: int, now_ms: int) -> list[list[Run]]:
        remote, streams = self.remote, self.local.seats.streams
        high = max(last for *_, last in lacking)
        start = high  # the first frame that goes out now
        for seat, first, last in lacking:
            needed, since_ms = remote.acked[seat]
            if needed != first or since_ms is None:
                remote.acked[seat] = first, now_ms
            elif now_ms - since_ms > remote.resend_after_ms:
                remote.acked[seat] = first, now_ms
                remote.passed[seat] = first
            passed = remote.passed[seat] = max(remote.passed[seat], first)
            if passed < last:
                start = min(start, passed)
        # Earlier frames that fit the packets which are needed anyway; where packets of a player are
        # lost, one more: what a burst lost is there with the first packets after it.
        packed = {seat: streams[seat].packed(last) for seat, _, last in lacking}
        # If packets wait on the path, more of them would wait longer.
        free_ms = remote.rtt_ms_min + QUEUE_MS_MAX + 4 * remote.jitter_ms
        is_repeated = remote.is_required and (remote.rtt_ms or 0) <= free_ms
        size, room_all = 0, room + RUNS_BYTES * (is_repeated and remote.window.loss_percent > 0)
        for at in range(high - 1, min(first for _, first, _ in lacking) - 1, -1):
            heads = 0
            for seat, first, last in lacking:
                if first <= at < last:
                    whole, change = packed[seat][at]
                    size += len(change)
                    heads += _RUN_BYTES + len(whole) - len(change)
                elif at < first:
                    heads += _RUN_BYTES + len(packed[seat][first][0])
            if at >= start:
                while size + heads > room_all:
                    room_all += RUNS_BYTES
            elif size + heads > room_all or room_all > UPDATES_MAX * RUNS_BYTES:
                break
            else:
                start = at
        return self._packed_runs(lacking, start, high, room)

    def _packed_runs(
        self, lacking: list[_Lacking], start: int, high: int, room: int
    ) -> list[list[Run]]:
        """The inputs from a frame on, frame after frame, in up to UPDATES_MAX packets."""
        passed = self.remote.passed
        packed = {seat: self.local.seats.streams[seat].packed(last) for seat, _, last in lacking}
        packets: list[dict[int, tuple[int, list[bytes]]]] = [{}]
        for frame in range(start, high):
            for seat, first, last in lacking:
                if not first <= frame < last:
                    continue
                whole, change = packed[seat][frame]
                run = packets[-1].get(seat)
                size = _RUN_BYTES + len(whole) if run is None else len(change)
                is_full = run is not None and len(run[1]) == RUN_FRAMES_MAX
                if size > room or is_full:
                    if len(packets) == UPDATES_MAX:
                        return [_runs_of(packet) for packet in packets]
                    packets.append({})
                    room, run = RUNS_BYTES, None
                    size = _RUN_BYTES + len(whole)
                if run is None:
                    packets[-1][seat] = frame, [whole]
                else:
                    run[1].append(change)
                room -= size
                passed[seat] = max(passed[seat], frame + 1)
        return [_runs_of(packet) for packet in packets]

    def _wants(self, now_ms: int) -> Iterator[Message]:
        """Asks for missing pieces."""
        local, remote = self.local, self.remote
        collector = remote.collector
        if collector is None or collector.data is not None:
            return
        if collector.kind is Blob.SNAPSHOT and not remote.start_number:
            return
        if now_ms - self._want_ms < local.timing.resend_ms:
            return
        wants = collector.wants(now_ms, remote.rtt_ms or 0, remote.again_ms)
        if wants is not None:
            (digest, pieces), self._want_ms = wants, now_ms
            sent_ms = now_ms & 0xFFFFFFFF
            yield Want(collector.kind, collector.frame, digest, sent_ms, pieces)

    def _offer(self, kind: int, frame: int, now_ms: int) -> Offer | None:
        """The blob that the peer may have now."""
        local, remote = self.local, self.remote
        if kind == Blob.EVIDENCE:
            return remote.offer_evidence(frame)
        if local.phase is not Phase.RUNNING or not remote.must_join(remote.life):
            return None
        if not remote.has_snapshot:
            remote.snapshot = self._take_snapshot(now_ms)
            remote.has_snapshot = remote.is_fed = remote.snapshot is not None
        return remote.snapshot

    def _take_snapshot(self, now_ms: int) -> Offer | None:
        """The newest state that every other player is known to have confirmed; None if it must
        wait, because one was made for another peer a short time ago that does not serve here.

        A player who comes back has its own inputs from there on, sent by those who got them; so it
        can send them to those who did not. The state is still held here: it is not older than the
        first that is not compared yet."""
        local, remote, timeline = self.local, self.remote, self.local.timeline
        frame = max(local.all_confirmed(besides=remote), timeline.first_state)
        lives = [
            local.codec.nonce if seat == local.me else local.remotes[seat].started_life
            for seat in range(local.match.players)
        ]
        seats = list(local.seats.since)
        offer = local.snapshot
        if offer is not None and now_ms - local.snapshot_ms < SNAPSHOT_MS:
            made, *rest = local.snapshot_of
            oldest = max(timeline.first_hash, *[it.first for it in local.seats.streams])
            if rest != [seats, lives] or not oldest <= made <= frame:
                return None
            frame = made
        else:
            state, digest = timeline.states[frame], timeline.inputs_digests[frame]
            made_of = Snapshot(frame, state, digest, seats, lives, timeline.input_delays[frame])
            offer = local.snapshot = Offer(msgspec.msgpack.encode(made_of))
            local.snapshot_ms, local.snapshot_of = now_ms, (frame, seats, lives)
        confirmed, asked = remote.confirmed, remote.asked
        remote.reset(frame, frame)
        remote.asked = asked
        if remote.is_required:
            # A snapshot on its way may be lost: until it answers, it has confirmed no more.
            remote.confirmed = confirmed
        return offer


def _run(seat: int, first: int, count: int, values: bytes) -> Run:
    """A run of packed inputs, as a list of MessagePack."""
    head = bytes([0x90 | count]) if count < 16 else b"\xdc" + count.to_bytes(2, "big")
    return Run(seat, first, msgspec.Raw(head + values))  # type: ignore[arg-type]


def _runs_of(packet: dict[int, tuple[int, list[bytes]]]) -> list[Run]:
    return [
        _run(seat, first, len(parts), b"".join(parts)) for seat, (first, parts) in packet.items()
    ]

"""The ends of a match: everything is confirmed, states differ, or nothing comes any more."""

from __future__ import annotations

from fixsync.session.blobs import Evidence, decoded
from fixsync.session.desync import Desync
from fixsync.session.joining import Joining
from fixsync.session.match import HOST
from fixsync.session.notices import End, Reason
from fixsync.session.packets import TEXT_CHARACTERS_MAX, Blob
from fixsync.session.remote import Local, Phase, Remote


class Ending:
    """Ends the match for one peer."""

    def __init__(self, local: Local, joining: Joining) -> None:
        self.local = local
        self.joining = joining
        self._ended_ms = 0
        self.spectator_desyncs: dict[int, Desync] = {}
        """By peer that the match can do without, the difference that it reported."""

    def end(
        self,
        reason: Reason,
        peer: int,
        text: str,
        now_ms: int,
        desync: Desync | None = None,
        by: int | None = None,
    ) -> None:
        """Ends the match, unless it has ended."""
        local = self.local
        if local.end is not None:
            return
        frame = local.timeline.confirmed if desync is None else desync.frame
        shown = "".join(sign if sign.isprintable() else " " for sign in text)  # of a peer, perhaps
        by = local.me if by is None else by
        local.end = End(reason, frame, peer, shown[:TEXT_CHARACTERS_MAX], by, desync)
        if local.phase is not Phase.ENDED:
            local.phase = Phase.ENDED
            self._ended_ms = now_ms
        for remote in local.remotes.values():
            if remote.collector is not None and remote.collector.kind is Blob.SNAPSHOT:
                remote.collector = None

    def hear(self, reporter: Remote, event: End, now_ms: int) -> None:
        """Another peer has ended the match: its text is quoted, and who hears a peer that it calls
        silent says so."""
        local, me, by, frame = self.local, self.local.me, reporter.peer, event.frame
        text, accused = event.text, local.remotes.get(event.peer)
        if event.reason is not Reason.DESYNC:
            text = text if text.startswith(f"peer {by} ") else f"peer {by} reports: {text}"
            if event.reason is Reason.SILENT and event.peer == me:
                text += f"; peer {me} is here"
            elif event.reason is Reason.SILENT and accused is not None and accused.start_number:
                text += f"; peer {me} heard it {now_ms - accused.heard_ms} ms ago"
            self.end(event.reason, event.peer, text, now_ms, by=by)
        elif reporter.is_required:
            text = f"peer {by} reports a difference with peer {event.peer} after frame {frame}"
            self.desync(frame, by if event.peer == me else event.peer, text, now_ms, by)
        elif local.end is not None and local.end.desync is not None and frame >= local.end.frame:
            return  # It ended with the match, on this peer's word.
        elif by not in self.spectator_desyncs or self.spectator_desyncs[by].frame != frame:
            self.spectator_desyncs[by] = self._evidence(frame, [reporter], now_ms)
            reporter.offer_evidence(frame)
        elif reporter.has_evidence and reporter.bye is not None and reporter.bye.is_complete:
            reporter.drop(Reason.DESYNC, f"peer {me} has the state of peer {by}")

    def _evidence(self, frame: int, others: list[Remote], now_ms: int) -> Desync:
        """The evidence that is here; others are asked for theirs."""
        local, sent = self.local, {remote.peer: remote.hashes.get(frame) for remote in others}
        for remote in others:
            remote.ask_evidence(frame, now_ms)
        return Desync(frame, {local.me: local.evidence(frame)}, local.timeline.simulation, {}, sent)

    def desync(self, frame: int, peer: int, text: str, now_ms: int, by: int | None = None) -> None:
        """Ends the match over the earliest frame known, and asks every player for evidence.

        An earlier frame replaces the end's only if its state is still here to be compared."""
        local = self.local
        if local.end is not None:
            is_earlier = local.end.reason is Reason.DESYNC and frame < local.end.frame
            if not (is_earlier and local.evidence(frame).after):
                return
            local.end = None
        desync = self._evidence(frame, local.required(), now_ms)
        self.end(Reason.DESYNC, peer, text, now_ms, desync, by)

    def take_evidence(self, peer: int, data: bytes) -> None:
        end = self.local.end
        desync = self.spectator_desyncs.get(peer) or (None if end is None else end.desync)
        if desync is None or peer in desync.evidence:
            return
        try:
            desync.evidence[peer] = decoded(Evidence, data)
        except ValueError as wrong:
            desync.evidence[peer] = Evidence(desync.frame, b"", b"", (), b"")
            desync.damaged[peer] = data, str(wrong)

    def complete(self, now_ms: int) -> None:
        """Ends the match if nothing is left to be exchanged with any player."""
        local, frames = self.local, self.local.frames
        if frames is None or local.end is not None or local.timeline.confirmed < frames:
            return
        if all(remote.has_all(frames) for remote in local.required()):
            is_player = local.match.is_player(local.me)
            whom = "all players" if is_player else f"peers {HOST} and {local.me}"
            text = f"all {frames} frames are the same on {whom}"
            if local.timeline.frames is not None:
                text += ", and the match is over"
            for peer, desync in self.spectator_desyncs.items():
                text += f"; peer {peer} reports a difference after frame {desync.frame}"
            self.end(Reason.COMPLETED, local.me, text, now_ms)

    def stall(self, now_ms: int) -> None:
        """Ends the match if no frame was stepped or confirmed for too long."""
        # A peer that comes back gets its snapshot first: 10 ms for each piece that it has.
        pieces = sum(remote.progress for remote in self.local.required())
        stall_ms = self.local.timing.stall_ms + 10 * pieces
        if self.local.end is None and now_ms - self.local.moved_ms > stall_ms:
            peer = [*self.local.waiting_for(), self.local.me][0]
            text = f"peer {peer} is heard, but has held the match up for {stall_ms} ms"
            self.end(Reason.STALLED, peer, text, now_ms)

    def time(self, now_ms: int) -> None:
        """Ends a match that would otherwise wait for ever."""
        local, timing = self.local, self.local.timing
        if local.end is not None:
            self._linger(local.end, now_ms)
            return
        if local.phase is Phase.CONNECTING:
            self.joining.begin(now_ms)
        is_running = local.phase is Phase.RUNNING
        if not is_running and now_ms - self.joining.moved_ms > timing.connect_ms:
            peer = [*local.waiting_for(), local.me][0]
            text = f"no answer from peer {peer} within {timing.connect_ms} ms"
            reason = Reason.SILENT
            if local.phase is Phase.JOINING:
                reason = Reason.JOIN_FAILED
                if local.remotes[peer].start_number and local.collector is not None:
                    progress = f"{local.collector.progress}, and no more came"
                    text = f"no snapshot from peer {peer}: {progress} for {timing.connect_ms} ms"
            self.end(reason, peer, text + self._why_refused(peer), now_ms)
            return
        for remote in local.remotes.values():
            if now_ms - remote.heard_ms <= timing.silence_ms or remote.is_silent_rightly:
                continue
            if remote.is_required and is_running:
                self._fell_silent(remote, now_ms)
            elif remote.start_number and not remote.is_required:
                remote.drop(Reason.SILENT, "silent")

    def _fell_silent(self, remote: Remote, now_ms: int) -> None:
        confirmed = self.local.timeline.confirmed
        if confirmed == self.local.frames and remote.compared >= confirmed:
            remote.is_done = True  # All was compared; only its Bye was lost.
            self.complete(now_ms)
            return
        local, peer, silence_ms = self.local, remote.peer, self.local.timing.silence_ms
        text = f"nothing from peer {peer} for {silence_ms} ms" + self._why_refused(peer)
        leap_ms, leapt_ms = local.leap
        if leap_ms > silence_ms and remote.heard_ms <= leapt_ms:
            # In that time the others have given this peer up.
            peer = local.me
            text = f"peer {peer} was not run for {leap_ms} ms, or its clock leapt; then {text}"
        self.end(Reason.SILENT, peer, text, now_ms)

    def _why_refused(self, peer: int) -> str:
        """The known reason why nothing valid came from a peer."""
        local, remote = self.local, self.local.remotes.get(peer)
        if remote is not None and remote.fault:
            return f"; {remote.refused} of its packets were refused: {remote.fault}"
        return f"; {local.refused} packets were refused: {local.fault}" if local.fault else ""

    def _linger(self, end: End, now_ms: int) -> None:
        """Is over when all others know that it has ended, or after a while. After a desync a peer
        that is heard is waited for longer: states may be large, and packets may be lost."""
        timing, ended_ms = self.local.timing, now_ms - self._ended_ms
        remotes, empty = self.local.remotes.values(), self.local.match.empty_seats
        waits = [remote for remote in remotes if remote.is_owed]
        # Who has just taken an empty seat needs this peer's hashes, and may not have met it yet.
        may_come = any(remote.peer in empty and not remote.start_number for remote in remotes)
        is_late = ended_ms > timing.linger_ms
        if end.reason is Reason.DESYNC or self.spectator_desyncs:
            is_heard = any(now_ms - remote.heard_ms <= timing.linger_ms for remote in waits)
            is_late = ended_ms > (timing.stall_ms if is_heard else 2 * timing.linger_ms)
        self.local.is_over = is_late or not (waits or may_come)

"""Snapshots and evidence: data too large for one packet, requested and sent in pieces."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from fixsync._native.raw import INT32_MAX, INT32_MIN
from fixsync.match.sim import PLAYERS_MAX
from fixsync.session.packets import (
    DECODE_ERRORS,
    NONCE_BYTES,
    PIECE_BYTES,
    PIECES_ASKED_MAX,
    Blob,
    Delay,
    FrameNumber,
    InputValue,
    Piece,
    UInt32,
    Want,
    digest_of,
)

SNAPSHOT_BYTES_MAX = 64 * 2**20
"""The largest snapshot that is accepted, in bytes. Memory is taken as pieces arrive, not before."""
_EVIDENCE_BYTES = 64 * 2**10

WINDOW_PIECES_FIRST = 16
WINDOW_PIECES_MIN = 8
WINDOW_PIECES_MAX = 512
"""Pieces on their way to one peer: 512 KiB."""
QUEUE_MS_MAX = 30
"""The delay that a transfer may add to its path before it slows down."""
RATE_PIECES = 256
"""The pieces a second that a transfer allows itself however many are lost, unless the path holds
them back."""
_EPOCH_MS_MIN = 50
_OTHER_MS = 1000
_LONG_MS = 2**31
_FAST, _SLOW = 3, 8
"""Pieces that come for each one that the window grows by."""
_HELD_BACK_MIN = 6
"""Pieces that come late one after another before the path counts as full: one may be jitter."""

_Int32 = Annotated[int, Meta(ge=INT32_MIN, le=INT32_MAX)]
_GameEvent: TypeAlias = tuple[UInt32, UInt32, UInt32, _Int32]
_Nonce = Annotated[bytes, Meta(min_length=NONCE_BYTES, max_length=NONCE_BYTES)]
_Digest8 = Annotated[bytes, Meta(min_length=8, max_length=8)]


class Snapshot(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """The state from which a peer that joins continues."""

    frame: FrameNumber
    """The next frame to be stepped."""
    state: bytes
    inputs_digest: _Digest8
    seats: Annotated[list[UInt32], Meta(min_length=1, max_length=PLAYERS_MAX)]
    lives: Annotated[list[_Nonce], Meta(min_length=1, max_length=PLAYERS_MAX)]
    """By player, the life that is in the match, as far as the sender knows; else NOBODY."""
    delays: Annotated[tuple[Delay, ...], Meta(min_length=1, max_length=PLAYERS_MAX)]
    """By player, the input delay before the frame."""


class Evidence(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """The states and inputs that a peer has of a frame."""

    frame: FrameNumber
    before: bytes
    """The state before the frame was stepped. Like `after`, empty if it is not kept any more."""
    after: bytes
    inputs: Annotated[tuple[InputValue, ...], Meta(max_length=PLAYERS_MAX)]
    """The inputs that the frame was stepped with; empty if it was not stepped."""
    inputs_digest: Annotated[bytes, Meta(max_length=8)]
    """Of the inputs of all frames before and of this one."""
    game: tuple[_GameEvent, ...] = ()
    """The game's own events of the frame, and new input delays."""
    is_over: bool = False
    """Whether the match was over after the frame."""


_Decoded = TypeVar("_Decoded", Snapshot, Evidence)


def decoded(kind: type[_Decoded], data: bytes) -> _Decoded:
    """A blob's content. ValueError for other bytes. A simulation must check a state in it."""
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except DECODE_ERRORS as error:
        raise ValueError(f"not {kind.__name__}: {error}") from None


def _count_of(size: int) -> int:
    """The number of pieces of a blob."""
    return max(1, -(-size // PIECE_BYTES))


class Offer:
    """A blob that others may ask for, piece by piece."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.digest = digest_of(data)

    def piece(self, index: int, it: Asked) -> Piece:
        part = self.data[index * PIECE_BYTES : (index + 1) * PIECE_BYTES]
        return Piece(it.kind, it.frame, self.digest, len(self.data), index, it.sent_ms, part)


class Asked:
    """The pieces that a peer asked for and that were not sent yet."""

    def __init__(self, want: Want) -> None:
        self.kind, self.frame, self.digest = want.kind, want.frame, want.digest
        self.sent_ms = want.sent_ms
        self._indices = dict.fromkeys(want.pieces)
        self._sent: dict[int, int] = {}
        """When each piece went out last."""

    def add(self, want: Want) -> bool:
        """Adds a request for pieces of the same blob; False for another blob."""
        is_same = want.digest in (b"", self.digest)
        if not is_same or (self.kind, self.frame) != (want.kind, want.frame):
            return False
        pieces = want.pieces if want.digest else range(WINDOW_PIECES_FIRST)
        for index in pieces[: WINDOW_PIECES_MAX - len(self._indices)]:
            self._indices[index] = None
        self.sent_ms = want.sent_ms
        return True

    def take(self, offer: Offer, most: int, now_ms: int, rtt_ms: int) -> list[int]:
        """The next pieces to send, none twice in half a round trip: where a full path loses packets,
        repeated requests must not fill it more. Of a blob that the peer does not know yet: the
        first ones."""
        if self.digest != offer.digest:
            self.digest, self._sent = offer.digest, {}
            self._indices = dict.fromkeys(range(WINDOW_PIECES_FIRST))
        taken, late_ms = list(islice(self._indices, most)), now_ms - rtt_ms // 2
        for index in taken:
            del self._indices[index]
        count = _count_of(len(offer.data))
        taken = [it for it in taken if it < count and self._sent.get(it, -_LONG_MS) <= late_ms]
        self._sent |= dict.fromkeys(taken, now_ms)
        return taken

    def __bool__(self) -> bool:
        return bool(self._indices) or not self.digest


def evidence_bytes_max(state_bytes: int) -> int:
    """The most evidence that is accepted of a peer, from the size of a state here."""
    return 4 * state_bytes + _EVIDENCE_BYTES


class Collector:
    """Collects a blob from pieces in any order, and decides which to ask for next.

    At most `window` pieces are on their way. The window grows with each piece that comes, by a
    third in a round trip, until the path holds pieces back: when they take longer than the shortest
    round trip by more than QUEUE_MS_MAX, or a third of them is lost. So the queue that a transfer
    makes on its path, and with it the delay of a match's inputs, stays near that. Then the window
    grows slowly. Loss alone leaves it the size for RATE_PIECES."""

    def __init__(
        self, kind: Blob, frame: int, now_ms: int, bytes_max: int = SNAPSHOT_BYTES_MAX
    ) -> None:
        self.kind = kind
        self.frame = frame
        self.bytes_max = bytes_max
        self.data: bytes | None = None
        """The blob, once it is whole."""
        self.moved_ms = now_ms
        """When a piece came last that was missing."""
        self._begin()

    def _begin(self) -> None:
        self._digest = b""
        self._size = 0
        self._pieces: dict[int, bytes] = {}
        self._asked: dict[int, int] = {}
        """When each piece was asked for that is on its way, the first asked first."""
        self._next = 0
        self._first_ms = -_LONG_MS
        """When the blob was asked for last."""
        self.window = WINDOW_PIECES_FIRST
        self._pieces_to_grow = _FAST
        self._grown = self._held_back = 0
        self._rtt_ms_min = _LONG_MS
        self._epoch_ms = 0
        self._epoch_got = self._epoch_lost = 0

    @property
    def count(self) -> int:
        """The number of pieces that have come."""
        return len(self._pieces)

    @property
    def progress(self) -> str:
        """How much has come, for people."""
        if not self._digest:
            return "nothing of it had arrived"
        have = min(self._size, PIECE_BYTES * self.count)
        return f"{have} of {self._size} bytes had arrived"

    def wants(
        self, now_ms: int, rtt_ms: int = 0, again_ms: int = 0
    ) -> tuple[bytes, list[int]] | None:
        """The digest, and the pieces to request now, or None. A request is repeated after
        `again_ms`."""
        late = now_ms - again_ms
        if not self._digest:
            if self._first_ms > late:
                return None
            self._first_ms = now_ms
            return b"", []
        self._adapt(now_ms, rtt_ms)
        again: list[int] = []
        for index, asked_ms in self._asked.items():
            if asked_ms > late or len(again) == PIECES_ASKED_MAX:
                break
            again.append(index)
        room = min(PIECES_ASKED_MAX - len(again), self.window - len(self._asked))
        end = min(self._next + max(0, room), _count_of(self._size))
        indices = [*again, *range(self._next, end)]
        self._next = end
        self._epoch_lost += len(again)
        for index in indices:
            self._asked.pop(index, None)
            self._asked[index] = now_ms
        return (self._digest, indices) if indices else None

    def _adapt(self, now_ms: int, rtt_ms: int) -> None:
        """Once a round trip at most: a smaller window."""
        if now_ms - self._epoch_ms < max(rtt_ms, _EPOCH_MS_MIN):
            return
        is_lossy = self._epoch_got and self._epoch_lost > self._epoch_got // 2
        if is_lossy or self._held_back >= _HELD_BACK_MIN:
            least = min(RATE_PIECES * self._rtt_ms_min // 1000, WINDOW_PIECES_MAX)
            least = least if self._held_back < _HELD_BACK_MIN else 0
            self._pieces_to_grow, self._held_back = _SLOW, min(self._held_back, _HELD_BACK_MIN - 1)
            self.window = max(WINDOW_PIECES_MIN, least, self.window * 3 // 4)
        self._epoch_ms, self._epoch_got, self._epoch_lost = now_ms, 0, 0

    def fault(self, piece: Piece) -> str:
        """Why a piece is refused; "" for one that may be taken."""
        if piece.size > self.bytes_max:
            return f"a blob must have at most {self.bytes_max} bytes, not {piece.size}"
        if piece.index >= _count_of(piece.size):
            return f"piece {piece.index} of a blob of {_count_of(piece.size)}"
        if len(piece.data) != min(PIECE_BYTES, piece.size - piece.index * PIECE_BYTES):
            return f"piece {piece.index} has a wrong size of {len(piece.data)} bytes"
        if piece.digest == self._digest and piece.size != self._size:
            return f"a blob of {piece.size} bytes, but its first piece said {self._size}"
        return ""

    def take(self, piece: Piece, now_ms: int) -> None:
        """Takes a piece without fault. The first one selects the blob, until nothing of that comes
        for a second."""
        if self.data is not None:
            return
        if self._digest not in (b"", piece.digest):
            if now_ms - self.moved_ms < _OTHER_MS:
                return
            self._begin()
        if not self._digest:
            self._digest, self._size = piece.digest, piece.size
            self._next = min(WINDOW_PIECES_FIRST, _count_of(self._size))
            self._asked = dict.fromkeys(range(self._next), now_ms)
            self._epoch_ms = now_ms
        self._asked.pop(piece.index, None)
        rtt_ms = (now_ms - piece.echo_ms) & 0xFFFFFFFF
        self._rtt_ms_min = min(self._rtt_ms_min, rtt_ms)
        is_held_back = rtt_ms > self._rtt_ms_min + QUEUE_MS_MAX
        self._held_back = self._held_back + 1 if is_held_back else 0
        if piece.index in self._pieces:
            return
        self._epoch_got += 1
        self._grown += self._held_back < _HELD_BACK_MIN
        if self._grown >= self._pieces_to_grow and self.window < WINDOW_PIECES_MAX:
            self.window, self._grown = self.window + 1, 0
        self.moved_ms = now_ms
        self._pieces[piece.index] = piece.data
        if len(self._pieces) == _count_of(self._size):
            data = b"".join([self._pieces[index] for index in range(len(self._pieces))])
            if digest_of(data) == self._digest:
                self.data = data
                self._pieces = {}
            else:
                self._begin()

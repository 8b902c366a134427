"""Snapshots and evidence: data too large for one packet, requested and sent in pieces."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from fixsync.session.packets import (
    DECODE_ERRORS,
    PIECE_BYTES,
    PIECES_ASKED_MAX,
    Blob,
    FrameNumber,
    Head,
    InputValue,
    Piece,
    UInt32,
    UInt64,
    Want,
    digest_of,
)
from fixsync.sim import PLAYERS_MAX

SNAPSHOT_BYTES_MAX = 64 * 2**20
"""The largest snapshot that is accepted, in bytes. Memory is taken as pieces arrive, not before."""
_EVIDENCE_BYTES = 64 * 2**10

_Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
_GameEvent: TypeAlias = tuple[UInt32, UInt32, UInt32, _Int32]
_Digest8 = Annotated[bytes, Meta(min_length=8, max_length=8)]


class Snapshot(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """The state from which a peer that joins continues."""

    frame: FrameNumber
    """The next frame to be stepped."""
    state: bytes
    inputs_digest: _Digest8
    seats: Annotated[list[UInt32], Meta(min_length=1, max_length=PLAYERS_MAX)]
    lives: Annotated[list[UInt64], Meta(min_length=1, max_length=PLAYERS_MAX)]
    """By player, the life that is in the match, as far as the sender knows; else 0."""


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
    """The game's own events of the frame."""
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

    def pieces(self, want: Want, head: Head) -> list[Piece]:
        """The requested pieces; the first ones if they were requested of another blob."""
        data, digest, size = self.data, self.digest, len(self.data)
        indices = want.pieces if want.digest == digest else range(PIECES_ASKED_MAX)
        return [
            Piece(*head, want.kind, want.frame, digest, size, index, data[at : at + PIECE_BYTES])
            for index in indices
            if index < _count_of(size)
            for at in (index * PIECE_BYTES,)
        ]


def evidence_bytes_max(state_bytes: int) -> int:
    """The most evidence that is accepted of a peer, from the size of a state here."""
    return 4 * state_bytes + _EVIDENCE_BYTES


class Collector:
    """Assembles a blob from pieces in any order."""

    def __init__(self, kind: Blob, frame: int, bytes_max: int = SNAPSHOT_BYTES_MAX) -> None:
        self.kind = kind
        self.frame = frame
        self.bytes_max = bytes_max
        self.data: bytes | None = None
        """The blob, once it is whole."""
        self._digest = b""
        self._size = 0
        self._pieces: dict[int, bytes] = {}
        self._first_missing = 0

    def wants(self) -> tuple[bytes, list[int]]:
        """The digest, and the pieces to request next."""
        if not self._digest:
            return b"", []
        while self._first_missing in self._pieces:
            self._first_missing += 1
        rest = range(self._first_missing, _count_of(self._size))
        missing = (index for index in rest if index not in self._pieces)
        return self._digest, list(islice(missing, PIECES_ASKED_MAX))

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

    def take(self, piece: Piece) -> None:
        """Takes a piece without fault. The first one selects the blob."""
        if self.data is not None:
            return
        if not self._digest:
            self._digest, self._size, self._first_missing = piece.digest, piece.size, 0
        if piece.digest != self._digest:
            return
        self._pieces[piece.index] = piece.data
        if len(self._pieces) == _count_of(self._size):
            data = b"".join(self._pieces[index] for index in sorted(self._pieces))
            self._pieces = {}
            if digest_of(data) == self._digest:
                self.data = data
            else:
                self._digest = b""

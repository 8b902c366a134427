"""Snapshots and evidence: data too large for one packet, requested and sent in pieces."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from fixsync.session.match import FRAMES_MAX
from fixsync.session.packets import (
    PIECE_BYTES,
    PIECES_ASKED_MAX,
    Blob,
    Message,
    Piece,
    Want,
    digest_of,
)
from fixsync.sim import INPUT_NUMBERS_MAX, PLAYERS_MAX, Input

__all__ = [
    "BLOB_BYTES_MAX",
    "Collector",
    "Evidence",
    "Snapshot",
    "decode_evidence",
    "decode_snapshot",
    "pieces",
]

BLOB_BYTES_MAX = 64 * 2**20
"""The largest snapshot that is accepted, in bytes. Memory is taken as pieces arrive, not before."""

_Frame = Annotated[int, Meta(ge=0, le=FRAMES_MAX)]
_UInt32 = Annotated[int, Meta(ge=0, le=2**32 - 1)]
_UInt64 = Annotated[int, Meta(ge=0)]  # MessagePack has nothing larger
_Digest8 = Annotated[bytes, Meta(min_length=8, max_length=8)]
_Value = int | Annotated[list[int], Meta(min_length=1, max_length=INPUT_NUMBERS_MAX)]


class Snapshot(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """The state from which a peer that joins continues."""

    frame: _Frame
    """The next frame to be stepped."""
    state: bytes
    inputs_digest: _Digest8
    seats: Annotated[list[_UInt32], Meta(min_length=1, max_length=PLAYERS_MAX)]
    lives: Annotated[list[_UInt64], Meta(min_length=1, max_length=PLAYERS_MAX)]
    """By player, the life that is in the match, as far as the sender knows; else 0."""


class Evidence(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """The states and inputs that a peer has of a frame."""

    frame: _Frame
    before: bytes
    """The state before the frame was stepped. Like `after`, empty if it is not kept any more."""
    after: bytes
    inputs: Annotated[list[_Value], Meta(max_length=PLAYERS_MAX)]
    """The inputs that the frame was stepped with; empty if it was not stepped."""
    inputs_digest: Annotated[bytes, Meta(max_length=8)]
    """Of the inputs of all frames before and of this one."""

    @property
    def input_tuple(self) -> tuple[Input, ...]:
        return tuple(tuple(value) if isinstance(value, list) else value for value in self.inputs)


_SNAPSHOT = msgspec.msgpack.Decoder(Snapshot)
_EVIDENCE = msgspec.msgpack.Decoder(Evidence)
_FAULTS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError)


def decode_snapshot(data: bytes) -> Snapshot:
    """ValueError for bytes that are not a snapshot. The simulation must check the state in it."""
    try:
        return _SNAPSHOT.decode(data)
    except _FAULTS as error:
        raise ValueError(f"not a snapshot: {error}") from None


def decode_evidence(data: bytes) -> Evidence:
    """ValueError for bytes that are not evidence."""
    try:
        return _EVIDENCE.decode(data)
    except _FAULTS as error:
        raise ValueError(f"not evidence: {error}") from None


def pieces(data: bytes, want: Want, sender: int, instance: int, heard: int) -> list[Message]:
    """The requested pieces of a blob; its first pieces if they were requested of another blob."""
    digest = digest_of(data)
    count = max(1, -(-len(data) // PIECE_BYTES))
    indices = want.pieces if want.digest == digest else range(PIECES_ASKED_MAX)
    return [
        Piece(
            sender=sender,
            instance=instance,
            heard=heard,
            kind=want.kind,
            frame=want.frame,
            digest=digest,
            size=len(data),
            index=index,
            data=data[index * PIECE_BYTES : (index + 1) * PIECE_BYTES],
        )
        for index in indices
        if index < count
    ]


class Collector:
    """Assembles a blob from pieces in any order."""

    def __init__(self, kind: Blob, frame: int) -> None:
        self.kind = kind
        self.frame = frame
        self.data: bytes | None = None
        """The blob, once it is whole."""
        self._digest = b""
        self._size = 0
        self._pieces: dict[int, bytes] = {}

    def wants(self) -> tuple[bytes, list[int]]:
        """The digest, and the pieces to request next."""
        if not self._digest:
            return b"", []
        missing = []
        for index in range(self._count):
            if index not in self._pieces:
                missing.append(index)
                if len(missing) == PIECES_ASKED_MAX:
                    break
        return self._digest, missing

    @property
    def _count(self) -> int:
        return max(1, -(-self._size // PIECE_BYTES))

    def fault(self, piece: Piece) -> str:
        """Why a piece is refused; "" for one that may be taken."""
        if piece.size > BLOB_BYTES_MAX:
            return f"a blob must have at most {BLOB_BYTES_MAX} bytes, not {piece.size}"
        count = max(1, -(-piece.size // PIECE_BYTES))
        if piece.index >= count:
            return f"piece {piece.index} of a blob of {count}"
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
            self._digest, self._size = piece.digest, piece.size
        if piece.digest != self._digest:
            return
        self._pieces[piece.index] = piece.data
        if len(self._pieces) == self._count:
            data = b"".join(self._pieces[index] for index in range(self._count))
            self._pieces = {}
            if digest_of(data) == self._digest:
                self.data = data
            else:
                self._digest = b""

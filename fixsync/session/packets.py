"""The datagrams of a session: messages to bytes, and bytes to checked messages.

docs/sessions.md has the layout of a datagram, a test compares the two. Each life of a peer has a
nonce, 16 random bytes. The tag refuses packets that are damaged, of another match or life, for
another peer, or without the key."""

from __future__ import annotations

import hmac
import struct
from enum import IntEnum
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple, TypeAlias, Union

import msgspec
from msgspec import Meta, Struct

from fixsync._native.raw import UINT32_MAX
from fixsync.match.sim import INPUT_NUMBERS_MAX, PLAYERS_MAX
from fixsync.session.match import (
    FRAMES_MAX,
    INPUT_DELAY_MAX,
    PREDICTION_MAX,
    SPECTATORS_MAX,
    Match,
)

MAGIC = b"FXP"
VERSION = 5
PACKET_BYTES_MAX = 1232
"""The size that fits any path without fragments: IPv6's least MTU of 1280 less its header and
UDP's."""
_TAG_BYTES = 8
_NUMBERS = struct.Struct(">QQ")
_TAG_AT = len(MAGIC) + 2
_TAG_END = _TAG_AT + _TAG_BYTES
_HEAD_BYTES = _TAG_END + _NUMBERS.size
_HELLO = 128
NONCE_BYTES = 16
NOBODY = bytes(NONCE_BYTES)
"""In the place of a nonce: no life is known."""

NEVER = FRAMES_MAX + 1
"""In `Update.seats`: the host plays this seat."""
HASHES_MAX = 96
RUN_FRAMES_MAX = 64
PIECE_BYTES = 1024
PIECES_ASKED_MAX = 64
TEXT_CHARACTERS_MAX = 300
DIGEST_BYTES = 16

UInt32 = Annotated[int, Meta(ge=0, le=UINT32_MAX)]
UInt64 = Annotated[int, Meta(ge=0)]  # MessagePack has nothing larger
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
FrameNumber = Annotated[int, Meta(ge=0, le=FRAMES_MAX)]
_Positive = Annotated[int, Meta(ge=1, le=UINT32_MAX)]
# A tuple of fixed length in a union with an int in a range makes msgspec 0.22 read foreign memory.
_Fraction = Annotated[tuple[_Positive, ...], Meta(min_length=2, max_length=2)]
_Rate = Union[_Positive, _Fraction]  # noqa: UP007
_PeerId = Annotated[int, Meta(ge=0, le=PLAYERS_MAX + SPECTATORS_MAX - 1)]
_Slot = Annotated[int, Meta(ge=0, le=PLAYERS_MAX - 1)]
_Text = Annotated[str, Meta(max_length=TEXT_CHARACTERS_MAX)]
_Digest = Annotated[bytes, Meta(max_length=DIGEST_BYTES)]
_Numbers = Annotated[tuple[Int64, ...], Meta(min_length=1, max_length=INPUT_NUMBERS_MAX)]
InputValue = Union[Int64, _Numbers]  # noqa: UP007
"""A `fixsync.match.sim.Input`."""
_Place = Annotated[int, Meta(ge=0, le=INPUT_NUMBERS_MAX - 1)]
_Changes = Annotated[dict[_Place, Int64], Meta(min_length=1, max_length=INPUT_NUMBERS_MAX)]
Delay = Annotated[int, Meta(ge=0, le=INPUT_DELAY_MAX)]
_Delayed = Annotated[bytes, Meta(min_length=2, max_length=4 + 9 * INPUT_NUMBERS_MAX)]
DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError)
"""The errors that MessagePack from elsewhere may raise."""


class _Message(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, gc=False): ...


class Hello(_Message, tag=1, frozen=True):
    """The settings of the match, as the sender has them."""

    start_number: Annotated[int, Meta(ge=1)]
    sent_ms: UInt32
    """As in an Update."""
    echo_ms: UInt32
    """Of the Hello that this one answers; 0: it answers none."""
    join: bool
    """The receiver must come in by a snapshot: the match runs without it."""
    progress: UInt32
    """The number of pieces of a snapshot that the sender has, while it joins."""
    kernel: Annotated[bytes, Meta(max_length=64)]
    """The kernel id."""
    simulation: Annotated[str, Meta(max_length=200)]
    seed: UInt64
    players: Annotated[int, Meta(ge=1, le=PLAYERS_MAX)]
    prediction_max: Annotated[int, Meta(ge=0, le=PREDICTION_MAX)]
    input_delay: Delay
    input_delay_max: Delay
    frames: Annotated[int, Meta(ge=0, le=FRAMES_MAX)]
    """0: no end is set."""
    empty_seats: Annotated[list[_Slot], Meta(max_length=PLAYERS_MAX)]
    tick_rate: _Rate
    level: Annotated[bytes, Meta(max_length=8)]
    """The hash of the world's level, big-endian; empty if it has none."""
    data: Annotated[bytes, Meta(max_length=8)]
    """The digest of the simulation's `data`, likewise."""


class Run(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, gc=False):
    """Inputs of one seat for consecutive frames."""

    slot: _Slot
    first: FrameNumber
    values: Annotated[
        list[Union[Int64, _Numbers, _Changes, _Delayed, None]],  # noqa: UP007
        Meta(min_length=1, max_length=RUN_FRAMES_MAX),
    ]
    """Each an input; or, not the first: None for the one before it again, or the numbers of the
    one before it that change, by place. With a new input delay: its byte, and an input's bytes."""

    def inputs(self) -> tuple[list[InputValue], dict[int, int]]:
        """The inputs, and by frame the new delays. PacketError for a change of nothing."""
        found: list[InputValue] = []
        delays: dict[int, int] = {}
        value: InputValue | None = None
        for given in self.values:
            if given is None:
                if value is None:
                    raise PacketError(f"seat {self.slot}: a run must begin with an input")
            elif isinstance(given, dict):
                if not isinstance(value, tuple) or max(given) >= len(value):
                    raise PacketError(f"seat {self.slot}: {given} changes no input")
                value = tuple([given.get(at, number) for at, number in enumerate(value)])
            elif isinstance(given, bytes):
                delays[self.first + len(found)] = given[0]
                try:
                    value = msgspec.msgpack.decode(given[1:], type=InputValue)
                except DECODE_ERRORS as error:
                    raise PacketError(f"seat {self.slot}: not an input: {error}") from None
            else:
                value = given
            found.append(value)
        return found, delays


class Update(_Message, tag=2, frozen=True):
    """Inputs and hashes that the receiver lacks, and the first ones that the sender lacks."""

    sent_ms: UInt32
    """The sender's clock, in milliseconds modulo 2^32."""
    echo_ms: UInt32
    """The sender's estimate of the receiver's clock: its last `sent_ms` plus the time since."""
    frame: FrameNumber
    """The next frame that the sender will step."""
    confirmed: FrameNumber
    """Below it the sender has stepped every frame on inputs that are final."""
    seat: UInt32
    """From the host, the frame from which it offers the receiver its empty seat; to the host, the
    frame of the offer that the sender can keep. 0: none."""
    needs: Annotated[list[FrameNumber], Meta(min_length=1, max_length=PLAYERS_MAX)]
    """By seat, the first frame whose input the sender lacks."""
    seats: Annotated[list[UInt32], Meta(min_length=1, max_length=PLAYERS_MAX)]
    """By seat, the frame from which its own peer plays it; NEVER where the host does."""
    runs: Annotated[list[Run], Meta(max_length=PLAYERS_MAX)]
    hash_needed: FrameNumber
    """The first frame whose hash the sender lacks of the receiver."""
    hash_first: FrameNumber
    hashes: Annotated[list[UInt64], Meta(max_length=HASHES_MAX)]
    """Of the sender's states after frames hash_first, hash_first + 1, ..."""


class Blob(IntEnum):
    """Data that is sent in pieces."""

    SNAPSHOT = 1
    EVIDENCE = 2


_BlobKind = Annotated[int, Meta(ge=1, le=2)]


class Want(_Message, tag=3, frozen=True):
    """Asks for pieces of a blob."""

    kind: _BlobKind
    frame: FrameNumber
    """Evidence of which frame; 0 for a snapshot."""
    digest: _Digest
    """The digest of the blob whose pieces have come; empty at first."""
    sent_ms: UInt32
    pieces: Annotated[list[UInt32], Meta(max_length=PIECES_ASKED_MAX)]
    """Their indices."""


class Piece(_Message, tag=4, frozen=True):
    """A part of a blob: bytes from index · PIECE_BYTES on."""

    kind: _BlobKind
    frame: FrameNumber
    digest: Annotated[bytes, Meta(min_length=DIGEST_BYTES, max_length=DIGEST_BYTES)]
    size: UInt32
    index: UInt32
    echo_ms: UInt32
    """The `sent_ms` of the last Want."""
    data: Annotated[bytes, Meta(max_length=PIECE_BYTES)]


class Bye(_Message, tag=5, frozen=True):
    """The sender has ended the match, and why."""

    reason: Annotated[int, Meta(ge=1, le=32)]
    frame: FrameNumber
    peer: _PeerId
    """The peer that the reason is about."""
    text: _Text
    is_complete: bool
    """The sender has all the evidence it asked for."""


Message: TypeAlias = Union[Hello, Update, Want, Piece, Bye]  # noqa: UP007


class Packet(NamedTuple):
    """A datagram that was opened."""

    sender: int
    message: Any
    """A `Message`; of a Hello of another version, the version."""
    number: int
    """Counts the packets of the sender's life to this receiver, from 1 on."""
    got: int
    """The newest number that the sender got from the receiver's life that it knows; 0: none."""
    nonce: bytes = b""
    heard: bytes = b""
    """Of a Hello: the sender's nonce, and the receiver's that the sender knows."""


class PacketError(ValueError):
    """Bytes that are not a packet of this match, or a packet that is refused."""


class Codec:
    """The messages of one life of a peer of a match to bytes and back."""

    def __init__(self, match: Match, me: int, nonce: bytes) -> None:
        self.nonce = nonce
        self._me = me
        self._key = match.key
        self._salt = match.id.to_bytes(8, "little")
        self._to: dict[int, dict[bytes, blake2b]] = {}
        self._of: dict[int, blake2b] = {}
        """By peer, the hashes of packets to its present life, and from it."""
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Message).decode

    def _keyed(
        self, sender: int, receiver: int, nonces: bytes = b"", version: int = VERSION
    ) -> blake2b:
        """The hash of the packets from one peer to another; of a Hello without the nonces of the
        two, the sender's first."""
        named = bytes((version, sender, receiver)) + nonces
        key = blake2b(
            named, digest_size=32, key=self._key, salt=self._salt, person=b"fixsync packet"
        ).digest()
        return blake2b(digest_size=_TAG_BYTES, key=key, person=b"fixsync packet")

    def meet(self, peer: int, nonce: bytes) -> None:
        """From now on packets of that life of a peer are opened, and of no other."""
        self._to[peer] = {nonce: self._keyed(self._me, peer, self.nonce + nonce)}
        self._of[peer] = self._keyed(peer, self._me, nonce + self.nonce)

    def seal(self, message: Message, receiver: int, life: bytes, number: int, got: int) -> bytes:
        """A packet to a life of a peer."""
        me, rest = self._me, _NUMBERS.pack(number, got) + self._encode(message)
        if isinstance(message, Hello):
            rest = rest[: _NUMBERS.size] + self.nonce + life + rest[_NUMBERS.size :]
            keyed, me = self._keyed(me, receiver), me | _HELLO
        else:
            met = self._to.get(receiver, {}).get(life)
            keyed = met.copy() if met else self._keyed(me, receiver, self.nonce + life)
        keyed.update(rest)
        return b"".join((MAGIC, bytes((VERSION, me)), keyed.digest(), rest))

    def open(self, data: bytes) -> Packet:
        """A packet for this peer. PacketError, and no other error, for anything else."""
        if len(data) > PACKET_BYTES_MAX:
            raise PacketError(f"a packet has at most {PACKET_BYTES_MAX} bytes, not {len(data)}")
        if len(data) <= _HEAD_BYTES or not data.startswith(MAGIC):
            raise PacketError("not a packet of a match")
        version, sender, rest = data[len(MAGIC)], data[len(MAGIC) + 1], data[_TAG_END:]
        is_hello, sender = sender >= _HELLO, sender % _HELLO
        other = "" if version == VERSION else f"protocol version must be {VERSION}, not {version}"
        if is_hello:
            keyed = self._keyed(sender, self._me, version=version)
        elif other or sender not in self._of:
            raise PacketError(other or f"from a life of peer {sender} that has not said hello")
        else:
            keyed = self._of[sender].copy()
        keyed.update(rest)
        if not hmac.compare_digest(data[_TAG_AT:_TAG_END], keyed.digest()):
            raise PacketError(
                other
                or "the tag is wrong: damaged, of another `id`, `key` or session, or for another peer"
            )
        at, (number, got) = _NUMBERS.size, _NUMBERS.unpack_from(rest)
        nonces = b"", b""
        if is_hello:
            nonces = rest[at : at + NONCE_BYTES], rest[at + NONCE_BYTES : at + 2 * NONCE_BYTES]
            at += 2 * NONCE_BYTES
            if version != VERSION:
                return Packet(sender, version, number, got, *nonces)
        try:
            message: Message = self._decode(rest[at:])
        except DECODE_ERRORS as error:
            raise PacketError(f"not a message: {error}") from None
        if isinstance(message, Hello) != is_hello:
            raise PacketError("not a message: a Hello has nonces, and no other message has")
        return Packet(sender, message, number, got, *nonces)


def digest_of(data: bytes) -> bytes:
    """Identifies a blob."""
    return blake2b(data, digest_size=DIGEST_BYTES, person=b"fixsync blob").digest()


WINDOW = 1024
"""A packet that is this many numbers behind the newest is refused."""


class Window:
    """The last numbers that came from a life of a peer."""

    def __init__(self) -> None:
        self.newest = 0
        """The highest number that came."""
        self._first = 0
        """The first that came; those before it were sent before its receiver was there."""
        self._seen = 0
        """Bit i: the number `newest` - i has come."""

    def fault(self, number: int) -> str:
        """Why a packet is refused; "" for one that may be taken."""
        behind = self.newest - number
        if number < 1 or behind >= WINDOW:
            return f"packet {number} is too old: {self.newest} has come"
        if behind >= 0 and self._seen >> behind & 1:
            return f"packet {number} has come before"
        return ""

    @property
    def loss_percent(self) -> int:
        """Of the last 256 packets since the first that came, those that did not come."""
        last = min(self.newest - self._first + 1, 256)
        came = bin(self._seen & ((1 << last) - 1)).count("1")
        return 100 * (last - came) // last if last else 0

    @property
    def lost_in_a_row(self) -> int:
        """The most packets lost in a row, of the last 256 without the newest 16: those may come."""
        count = max(0, min(self.newest - self._first + 1, 256) - 16)
        seen = self._seen >> 16 & (1 << count) - 1
        return max(map(len, f"{seen:0{count}b}".split("1"))) if count else 0

    def take(self, number: int) -> bool:
        """Takes the number of a packet without fault. Whether it is the newest."""
        self._first = self._first or number
        ahead = number - self.newest
        if ahead > 0:
            self.newest = number
            self._seen = (self._seen << min(ahead, WINDOW) | 1) & ((1 << WINDOW) - 1)
        else:
            self._seen |= 1 << -ahead
        return ahead > 0

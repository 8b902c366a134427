"""One peer of `fxs_rollback` in plain Python: the oracle of docs/rollback.md and of the header.

It imports nothing of fixsync. Frames are counted from the first of the match. There is no time
sync, no sync test, and no end to memory."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby, islice
from typing import Any, NamedTuple

from model import xxh64
from model_history import Frame, ModelHistory, Rows

HELLO, PLAY = 16, 17
SEMANTICS = 5
DELAY_MAX = 64
GREETING = "<IQQBBHIQ"
GREETED = ["SEMANTICS", "MATCH", "DATA", "PLAYERS", "NUMBERS", "PREDICTION_MAX", "FRAME", "LOCAL"]
Numbers = tuple[int, ...]


class RefusedError(Exception):
    """Status, field, ours, theirs, and of an input player and frame; what is left out is 0."""


# ---- bytes ----


def to_int64(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def varint(value: int) -> bytes:
    value %= 2**64
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value >> 7)


def signed(value: int) -> bytes:
    value = to_int64(value)
    return varint(2 * value if value >= 0 else -2 * value - 1)


def take_varint(data: Iterator[int]) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = next(data, 2**64)
        value |= (byte & ~128) << shift
        if byte < 128 and value < 2**64:
            return value
    raise RefusedError("PACKET", "BYTES")


def take_signed(data: Iterator[int]) -> int:
    value = take_varint(data)
    return -(value + 1) // 2 if value % 2 else value // 2


def take_word(data: Iterator[int]) -> int:
    word = bytes(islice(data, 8))
    if len(word) < 8:
        raise RefusedError("PACKET", "BYTES")
    return int.from_bytes(word, "little")


def sealed(kind: int, body: bytes, seed: int) -> bytes:
    data = bytes([kind]) + body
    return struct.pack("<Q", xxh64(data, seed)) + data


@dataclass
class Play:
    """The fields of a PLAY, counted from the first frame."""

    head: int
    ack: int
    confirmed: int
    hash_ack: int
    ahead: int
    first: int
    runs: list[tuple[int, Numbers]] = field(default_factory=list)
    hashes: list[tuple[int, int]] = field(default_factory=list)
    differs: tuple[int, Numbers] | None = None

    def bytes(self) -> bytes:
        head, last = self.head, (0,) * 1024
        made = varint(head) + signed(self.ack - head) + varint(head - self.confirmed)
        made += signed(self.hash_ack - head) + signed(self.ahead) + signed(self.first - head)
        for run, now in self.runs:
            made += varint(run) + b"".join(signed(a - b) for a, b in zip(now, last, strict=False))
            last = now
        made += b"\0"
        for frame, hash in self.hashes:
            made += varint(self.confirmed - frame) + struct.pack("<Q", hash)
        made += b"\0"
        if self.differs is None:
            return made + b"\0"
        return made + varint(1 + self.differs[0]) + struct.pack("<5Q", *self.differs[1])

    @staticmethod
    def read(data: bytes, numbers: int) -> Play:
        it = iter(data)
        head = take_varint(it)
        ack, confirmed, hash_ack = head + take_signed(it), head - take_varint(it), take_signed(it)
        fields = head, ack, confirmed, head + hash_ack, take_signed(it), head + take_signed(it)
        play, now = Play(*map(to_int64, fields)), (0,) * numbers
        while run := take_varint(it):
            now = tuple(to_int64(number + take_signed(it)) for number in now)
            play.runs.append((run, now))
        while before := take_varint(it):
            play.hashes.append((play.confirmed - before, take_word(it)))
        if frame := take_varint(it):
            play.differs = frame - 1, tuple(take_word(it) for _ in range(5))
        if next(it, None) is not None:
            raise RefusedError("PACKET", "BYTES")
        return play


# ---- a peer ----


class Settings(NamedTuple):
    random: bytes
    peers: tuple[int, ...]
    start: int
    """Number of the first frame."""
    numbers: int
    prediction_max: int
    input_delay: int
    guesses: int
    own_has_length: int
    match: int = 7
    data: int = 9


@dataclass
class Remote:
    """What a peer knows of another one."""

    players: list[int]
    random: bytes = bytes(16)
    is_connected: bool = False
    ack: int = 0
    """Frames of the inputs here that it has."""
    hash_ack: int = 0
    hash_sent: int = 0
    hashes: dict[int, int] = field(default_factory=dict)

    @property
    def hashes_end(self) -> int:
        return next(frame for frame in count() if frame not in self.hashes)


class ModelRollback:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.delay = settings, settings.input_delay
        players: list[list[int]] = [[] for _ in range(max(settings.peers) + 1)]
        for player, peer in enumerate(settings.peers):
            players[peer].append(player)
        self.local = players[0]
        self.remotes = {peer: Remote(players[peer]) for peer in range(1, len(players))}
        self.known: list[list[Numbers]] = [[] for _ in settings.peers]
        self.given: list[list[Numbers]] = []
        """By frame, the inputs on which it was stepped last."""
        self.history = ModelHistory()
        self.begun = self.stepped = self.resteps = 0
        """Frames that were ever asked for, and stepped; how often they were stepped again."""
        self.pushed: dict[int, Numbers] = {}
        """By frame, the hashes of world, own state and events, and what was shown."""
        self.parts: list[Numbers] = []
        self.hashes: list[int] = []
        """By confirmed frame."""
        self.desync: tuple[Any, ...] | None = None
        """Frame, peer, bits of its players, and the parts here and there."""
        self.is_open = self.is_dirty = False
        self.guessed: Numbers | None = None

    # The loop.

    def is_connected(self) -> bool:
        return all(remote.is_connected for remote in self.remotes.values())

    def waiting(self) -> int:
        most = self.history.head - self.settings.prediction_max
        others = [i for remote in self.remotes.values() for i in remote.players]
        return sum(1 << i for i in others if len(self.known[i]) <= most)

    def redo(self) -> int:
        """The first frame that was stepped on a wrong input, or the next one."""
        for frame in range(self.history.first, self.history.head):
            for known, value in zip(self.known, self.given[frame], strict=True):
                if known[frame : frame + 1] not in ([], [value]):
                    return frame
        return self.history.head

    def last(self, player: int, frame: int) -> Numbers:
        known = self.known[player][: frame + 1]
        return known[-1] if known else (0,) * self.settings.numbers

    def tick(self, values: Sequence[Numbers]) -> bool:
        if self.is_connected():
            frame = self.begun + self.delay
            for player, value in zip(self.local, values, strict=True):
                known = self.known[player]
                if len(known) <= frame:
                    known += [self.last(player, frame)] * (frame - len(known)) + [value]
        return self.is_connected()

    def requests(self) -> Iterator[tuple[Any, ...]]:
        """What is asked of the game after a tick. Answers are calls of `guess` and `push`."""
        self.is_dirty |= self.is_open
        self.is_open = True
        history, first = self.history, self.redo()
        if first < history.head or self.is_dirty:
            history.back(first)
            self.is_dirty = False
            yield "load", first
        while history.head < self.begun:
            yield from self._step()
        yield from self._confirm()
        if not self.waiting():
            self.begun += 1
            yield from self._step()
            yield from self._confirm()
        self.is_open = False
        yield "none", history.head

    def _step(self) -> Iterator[tuple[Any, ...]]:
        frame = self.history.head
        while self.history.head == frame:
            if self.is_dirty:
                yield "load", frame
            inputs = [self.last(player, frame) for player in range(len(self.known))]
            unknown = [i for i, known in enumerate(self.known) if frame >= len(known)]
            for i in unknown if self.settings.guesses else ():
                self.guessed = None
                yield "guess", frame, i, frame - len(self.known[i]) + 1, inputs[i]
                inputs[i] = self.guessed or inputs[i]
            self.given[frame:] = [inputs]
            self.is_dirty = True
            predicted = sum(1 << i for i in unknown)
            yield "step", frame, tuple(inputs), predicted, int(frame < self.stepped)

    def push(self, frame: Frame, world: int, own: bytes, shown: int) -> tuple[Rows, Rows]:
        """world: its hash after the reactions."""
        number = self.history.head
        self.resteps += number < self.stepped
        self.stepped = max(self.stepped, number + 1)
        self.is_dirty = False
        rows = b"".join(struct.pack("<4I", *row) for row in frame.events)
        self.pushed[number] = world, xxh64(own) if own else 0, xxh64(rows), shown
        is_final = all(number < len(known) for known in self.known)
        if is_final:
            self.history.settle(number)
        return self.history.push(frame, is_final)

    def _confirm(self) -> Iterator[tuple[Any, ...]]:
        self.history.settle(min(self.redo(), *map(len, self.known)))
        while found := self.history.confirm():
            inputs = self.given[found[0]]
            packed = b"".join(struct.pack(f"<{len(row)}q", *row) for row in inputs)
            self.parts.append((xxh64(packed), *self.pushed[found[0]]))
            self.hashes.append(xxh64(struct.pack("<5Q", *self.parts[-1])))
            yield "confirmed", found[0], tuple(inputs), *found[1:]

    # Packets.

    def differs(self, remote: Remote) -> tuple[int, Numbers] | None:
        for frame in range(min(len(self.hashes), remote.hashes_end)):
            if remote.hashes[frame] != self.hashes[frame]:
                return frame, self.parts[frame]
        return None

    def row(self, players: list[int], frame: int) -> Numbers:
        return tuple(number for i in players for number in self.known[i][frame])

    def packet(self, peer: int) -> bytes | Play:
        """The body of a HELLO, or a PLAY with all hashes that the other peer lacks."""
        remote, end = self.remotes[peer], len(self.known[self.local[0]])
        if not remote.is_connected:
            greeting = struct.pack(GREETING, *self._greeting(self.local))
            return self.settings.random + remote.random + greeting
        head, next = self.history.head, len(self.known[remote.players[0]])
        play = Play(head, next, len(self.parts), remote.hashes_end, 0, remote.ack)
        rows = groupby(self.row(self.local, frame) for frame in range(remote.ack, end))
        play.runs = [(len([*same]), row) for row, same in rows]
        play.hashes = [*enumerate(self.hashes)][remote.hash_ack :]
        play.differs = self.differs(remote)
        return play

    def _greeting(self, players: list[int]) -> Numbers:
        it = self.settings
        settings = len(it.peers), it.numbers, it.prediction_max, it.start
        return SEMANTICS, it.match, it.data, *settings, sum(1 << i for i in players)

    def receive(self, peer: int, data: bytes) -> tuple[Any, ...]:
        """Why the packet is refused: an empty tuple if it is not."""
        try:
            if data[8:9] == bytes([HELLO]):
                self._take_hello(self.remotes[peer], data)
            elif data[8:9] == bytes([PLAY]):
                self._take_play(peer, self.remotes[peer], data)
            else:
                raise RefusedError("PACKET", "BYTES", 9, len(data))
        except RefusedError as refused:
            return (*refused.args, 0, 0, 0, 0)[:6]
        return ()

    def _take_hello(self, remote: Remote, data: bytes) -> None:
        if len(data) != 77:
            raise RefusedError("PACKET", "BYTES", 77, len(data))
        if sealed(HELLO, data[9:], 0) != data:
            raise RefusedError("PACKET", "BYTES")
        numbers = self._greeting(remote.players), struct.unpack(GREETING, data[41:])
        for i in (1, 0, *range(3, 8), 2):
            ours, theirs = (to_int64(row[i]) for row in numbers)
            if ours != theirs:
                raise RefusedError(GREETED[i] if i < 3 else "SETTINGS", GREETED[i], ours, theirs)
        sender, returned = data[9:25], data[25:41]
        if sender == self.settings.random or (remote.is_connected and sender != remote.random):
            raise RefusedError("LIFE", "LIFE")
        remote.random = sender
        remote.is_connected |= returned == self.settings.random

    def _take_play(self, peer: int, remote: Remote, data: bytes) -> None:
        seed, n = xxh64(remote.random + self.settings.random), self.settings.numbers
        if remote.random == bytes(16) or sealed(PLAY, data[9:], seed) != data:
            raise RefusedError("LIFE", "LIFE")
        play = Play.read(data[9:], len(remote.players) * n)
        self._check(remote, play)
        remote.is_connected = True
        remote.ack = max(remote.ack, play.ack)
        remote.hash_ack = max(remote.hash_ack, play.hash_ack)
        rows = [row for run, row in play.runs for _ in range(run)]
        for row in rows[len(self.known[remote.players[0]]) - play.first :]:
            for i, player in enumerate(remote.players):
                self.known[player].append(row[i * n : i * n + n])
        for frame, hash in play.hashes:
            remote.hashes.setdefault(frame, hash)
        ours = self.differs(remote)
        if self.desync is None and ours and play.differs and ours[0] == play.differs[0]:
            bits = sum(1 << i for i in remote.players)
            self.desync = ours[0], peer, bits, ours[1], play.differs[1]

    def _check(self, remote: Remote, play: Play) -> None:
        """Refuses what no peer can have."""
        apart, players, frame = self.settings.prediction_max, remote.players, play.first
        end = len(self.known[players[0]])
        run_end = play.ack + apart + DELAY_MAX + 1
        for name, least, value, most in (
            ("ACK", 0, play.ack, len(self.known[self.local[0]])),
            ("CONFIRMED", 0, play.confirmed, play.ack),
            ("HEAD", play.confirmed, play.head, play.ack + apart),
            ("HASH_ACK", 0, play.hash_ack, remote.hash_sent),
            ("INPUT_END", 0, play.first, end),
            ("AHEAD", -(2**16), play.ahead, 2**16),
        ):
            if not least <= value <= most:
                raise RefusedError("RANGE", name, least if value < least else most, value)
        for run, row in play.runs:
            if frame + run > run_end:
                far = frame + run if run < 2**32 else 2**63 - 1
                raise RefusedError("RANGE", "INPUT_END", run_end, far)
            for at in range(frame, min(frame + run, end)):
                for i, (a, b) in enumerate(zip(self.row(players, at), row, strict=True)):
                    if a != b:
                        who = players[i // self.settings.numbers], self.settings.start + at
                        raise RefusedError("INPUT", "INPUT", a, b, who[0], who[1] % 2**32)
            frame += run
        for frame, _ in play.hashes:
            if frame < 0:
                raise RefusedError(
                    "RANGE", "HASH", play.confirmed, (play.confirmed - frame) % 2**63
                )

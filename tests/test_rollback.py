"""`fxs_rollback` beside its model: every request, status, packet and confirmed frame of peers whose
packets are lost, repeated, reordered, changed and forged."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import pytest
from model import xxh64
from model_history import Frame, Rows
from model_rollback import (
    HELLO,
    PLAY,
    ModelRollback,
    Numbers,
    Play,
    Settings,
    sealed,
    to_int64,
)
from strategies import rounds

from fixsync import Pose, Sphere, World
from fixsync._native.raw import constant, ffi, lib
from fixsync._native.rollback import NativeRollback

ROOM = 16
ROW = ffi.sizeof("fxs_command")
NAMES = "PACKET LIFE MATCH SEMANTICS SETTINGS DATA INPUT RANGE"
STATUSES = {constant(f"E_{name}"): name for name in NAMES.split()}
FIELD_NAMES = (
    "BYTES LIFE SEMANTICS MATCH DATA PLAYERS NUMBERS PREDICTION_MAX FRAME LOCAL ACK HEAD CONFIRMED "
    "HASH_ACK HASH INPUT_END INPUT AHEAD"
)
FIELDS = {constant(f"PACKET_{name}"): name for name in FIELD_NAMES.split()}
PARTS = ["world", "own", "events", "shown"]


class Kernel(NativeRollback):
    """A peer that has commands too."""

    def __init__(self, world: World, own: bytes, it: Settings) -> None:
        settings = it._asdict()
        del settings["start"], settings["random"]
        settings["peers"] = bytes(it.peers).ljust(64, b"\0")
        settings |= {"players": len(it.peers), "past": 4, "command_room": ROOM, "event_room": 2}
        settings["slows"] = 1  # the model has no clock
        super().__init__(world._native, own, it.random, **settings)
        self._commands = ffi.new("fxs_command[]", ROOM)

    def pushed(self, world: World, frame: Frame, shown: int) -> tuple[Rows, Rows]:
        rows = b"".join(frame.before + frame.after)
        packed = b"".join(struct.pack("<4I", *row) for row in frame.events)
        counts = len(rows) // ROW, len(frame.after), len(frame.events)
        has_hash = bool(frame.after or frame.hash % 2)
        numbers = ffi.new("fxs_pushed *", (frame.hash if has_hash else 0, *counts, 0, has_hash))
        changes = ffi.new("fxs_event_changes *")
        given = ffi.from_buffer("fxs_command *", rows), ffi.from_buffer("fxs_event *", packed)
        now = world._native._world, self._own(), numbers, shown
        while status := lib.fxs_rollback_push(self._it, *now, *given, *self._rows, changes):
            assert (status, self._settings.event_room < counts[2]) == (lib.FXS_E_ROOM, True)
            self._grow(0, counts[2])
        return events(self._rows[0], changes.taken_back), events(self._rows[1], changes.predicted)


def events(rows: Any, n: int) -> Rows:
    return [(row.a, row.b, row.kind, row.contact) for row in rows[0:n]]


class Game:
    """Its state is a hash of all inputs; all that a frame has is made of it. fault: the part that is
    another one from that frame on."""

    def __init__(self, start: int, has_length: int, fault: tuple[str, int]) -> None:
        self.start = 8 * has_length
        """Of the own state, in the own bytes."""
        self.world = World(1)
        self.world.add(0, Sphere(4), Pose(0, 0, 0))
        state = bytearray(self.world.save())
        state[4:8] = start.to_bytes(4, "little")
        self.world.load(bytes(state))
        self.fault = fault

    def step(self, own: bytearray, frame: int, inputs: Any) -> tuple[Frame, int]:
        state = xxh64(own[self.start : self.start + 8] + repr(inputs).encode())
        part, since = self.fault
        wrong = [int(name == part and frame >= since) for name in PARTS]
        self.world.move(0, state % 1000, wrong[0], 0)
        before = [struct.pack("<Q", state) + bytes(ROW - 8)] * (state >> 10 & 1)
        self.world.step()
        hash = self.world.hash()
        after = [struct.pack("<Q", ~state % 2**64) + bytes(ROW - 8)] * (state >> 11 & 1)
        if after:
            self.world.move(0, state % 999, 0, 0)
        random = Random(state >> 12 & 7)
        rows = [
            (random.randrange(3), 3, random.randrange(1, 4), 0) for _ in range(random.randrange(4))
        ]
        rows += [(random.randrange(2), 3, 16, frame)] * (random.randrange(3) + wrong[2])
        now = struct.pack("<QQ", state, wrong[1])
        if self.start:  # what stands after the state is of earlier frames
            now += bytes(state % 5)
            now = struct.pack("<Q", len(now)) + now
        own[: len(now)] = now
        return Frame(before, after, rows, hash), state % 3 + wrong[3]


class Pair:
    """A peer in C and its model."""

    def __init__(self, settings: Settings, random: Random, fault: tuple[str, int]) -> None:
        self.settings, self.random = settings, random
        has_length = settings.own_has_length
        self.game = Game(settings.start, has_length, fault)
        own = bytes(28 if has_length else 16)
        self.kernel, self.model = Kernel(self.game.world, own, settings), ModelRollback(settings)
        self.saved = {0: self.state()}
        self.confirmed: list[Any] = []

    def state(self) -> tuple[bytes, bytes]:
        return self.game.world.save(), bytes(self.kernel.own)

    def own_state(self, own: bytes) -> bytes:
        if not self.settings.own_has_length:
            return own
        return own[8 : 8 + struct.unpack_from("<Q", own)[0]]

    def number(self, frame: int) -> int:
        return (self.settings.start + frame) % 2**32

    def tick(self, values: list[Numbers], raises: bool) -> None:
        model, native = self.model, self.game.world._native
        is_ready = model.tick(values)
        assert self.kernel.tick([n for value in values for n in value]) == is_ready
        if not is_ready:
            return
        for expected in model.requests():
            request, inputs = self.kernel.next(native)
            kind, frame = expected[:2]
            assert self.heard(request, inputs) == expected
            if kind == "load":
                assert self.state() == self.saved[frame]
            if kind == "guess" and self.random.random() < 0.7:
                guess = tuple(self.random.randrange(3) for _ in range(self.settings.numbers))
                model.guessed = guess
                self.kernel.guess(guess)
            if kind == "confirmed":
                self.confirmed.append(expected)
                self.recorded(frame, expected[-1])
            if raises and self.random.random() < 0.2:
                self.game.world.move(0, 5555, 0, 0)
                self.kernel.own[:] = bytes(len(self.kernel.own))
                return
            if kind == "step" and not (raises and self.random.random() < 0.2):
                row, shown = self.game.step(self.kernel.own, frame, expected[2])
                self.saved[frame + 1] = self.state()
                changes = self.kernel.pushed(self.game.world, row, shown)
                own = self.own_state(self.saved[frame + 1][1])
                assert changes == model.push(row, self.game.world.hash(), own, shown)
            self.compare()

    def recorded(self, frame: int, step_hash: int) -> None:
        """What logs of commands, and of inputs, have of a frame."""
        out = ffi.new("fxs_recorded *")
        assert lib.fxs_rollback_recorded(self.kernel._it, 0, out) == 0
        assert (out.hash, out.has_state) == (step_hash, 0)
        assert lib.fxs_rollback_recorded(self.kernel._it, 1, out) == 0
        world, own = self.saved[frame + 1]
        assert (out.hash, out.state) == (xxh64(world), xxh64(world + self.own_state(own)))

    def heard(self, it: Any, numbers: list[int]) -> tuple[Any, ...]:
        frame, n = (it.frame - self.settings.start) % 2**32, self.settings.numbers
        inputs = tuple(tuple(numbers[i : i + n]) for i in range(0, len(numbers), n))
        if it.type == lib.FXS_ROLLBACK_NONE:
            return "none", frame
        if it.type == lib.FXS_ROLLBACK_LOAD:
            return "load", frame
        if it.type == lib.FXS_ROLLBACK_GUESS:
            return "guess", frame, it.player, it.age, inputs[0]
        if it.type == lib.FXS_ROLLBACK_STEP:
            return "step", frame, inputs, it.predicted, it.is_again
        now = it.confirmed
        assert now.frame == it.frame
        rows = [bytes(ffi.buffer(self.kernel._commands + i, ROW)) for i in range(now.commands)]
        found = events(self.kernel._events, now.events)
        assert now.game_events == sum(row[2] >= 16 for row in found)
        return "confirmed", frame, inputs, rows, found, now.hash

    def packet(self, peer: int) -> bytes:
        model, data = self.model, self.kernel.packet(peer)
        expected = model.packet(peer)
        remote, random = model.remotes[peer], self.settings.random
        if isinstance(expected, bytes):
            assert data == sealed(HELLO, expected, 0)
            return data
        found = Play.read(data[9:], len(model.local) * self.settings.numbers)
        lacking = dict(expected.hashes)
        assert dict(found.hashes).items() <= lacking.items()
        new = [row for row in expected.hashes if row[0] >= remote.hash_sent][:7]
        assert found.hashes[: len(new)] == new
        again = min(len(new) + 1 if new else 3, remote.hash_sent - remote.hash_ack)
        assert len({frame for frame, _ in found.hashes}) == len(new) + again
        remote.hash_sent += len(new)
        expected.hashes, expected.ahead = found.hashes, found.ahead
        if len(data) > 1000:  # the others do not fit
            del expected.runs[len(found.runs) :]
        assert data == sealed(PLAY, expected.bytes(), xxh64(random + remote.random))
        return data

    def receive(self, peer: int, data: bytes) -> None:
        it, expected = self.kernel.receive(peer, data), self.model.receive(peer, data)
        assert (it is None) == (not expected)
        # Of a PLAY that is malformed and out of range, either is said.
        if it is not None and (expected[0] != "PACKET" or data[8:9] != bytes([PLAY])):
            status, name = STATUSES[it.status], FIELDS[it.field]
            assert (status, name, it.ours, it.theirs, it.player, it.frame) == expected
        self.compare()

    def compare(self) -> None:
        model, pace = self.model, self.kernel.pace()
        found = pace.head, pace.first, pace.resteps, pace.is_connected
        head, first = model.history.head, model.history.first
        assert found == (self.number(head), self.number(first), model.resteps, model.is_connected())
        assert pace.waiting == model.waiting()
        for player, known in enumerate(model.known):
            it = self.kernel.player(player)
            assert (it.peer, it.next) == (self.settings.peers[player], self.number(len(known)))
            assert it.late == max(0, head - len(known))
        it, expected = self.kernel.desync(), model.desync
        assert (it is None) == (expected is None)
        if expected is not None:
            numbers = it.peer, it.players, tuple(it.ours), tuple(it.theirs)
            assert (it.frame, *numbers) == (self.number(expected[0]), *expected[1:])
            differing = [i for i in range(5) if it.ours[i] != it.theirs[i]]
            assert (it.part, it.parts) == (differing[0], sum(1 << i for i in differing))
            kept = self.kernel.kept(0, lib.FXS_PART_WORLD), self.kernel.kept(0, lib.FXS_PART_OWN)
            world, own = self.saved[expected[0] + 1]
            assert kept in ((None, None), (world, self.own_state(own)))


class Schedule:
    """A match of two or three peers in random order. life: of an earlier match with equal
    settings."""

    def __init__(self, seed: int, life: int = 0) -> None:
        self.random = random = Random(seed)
        count = random.choice([2, 2, 3])
        owners = [*range(count), *(random.randrange(count) for _ in range(random.randrange(2)))]
        shared = {
            "numbers": random.choice([1, 1, 2, 3]),
            "prediction_max": random.choice([0, 1, 3, 8, 20]),
            "guesses": random.randrange(2),
            "own_has_length": seed % 2,
            "start": random.choice([0, 2**31 - 30, 2**32 - 30]),
        }
        fault = random.choice(["", "", *PARTS]), random.randrange(30)
        self.pairs: list[Pair] = []
        for me in range(count):
            peers = tuple(self.number(me, owner) if owner != me else 0 for owner in owners)
            delay, random_bytes = random.choice([0, 0, 2, 5]), random.randbytes(15) + bytes([life])
            settings = Settings(random_bytes, peers, input_delay=delay, **shared)
            self.pairs.append(Pair(settings, random, fault if me == 0 else ("", 0)))
        self.wire: list[tuple[int, int, bytes]] = []
        self.kept: list[bytes] = []

    @staticmethod
    def number(me: int, other: int) -> int:
        """What `me` calls another peer."""
        return other + (other < me)

    def run(self, turns: int, hostile: float = 0, lies: float = 0) -> None:
        random = self.random
        for _ in range(turns):
            me, other = random.sample(range(len(self.pairs)), 2)
            pair = self.pairs[me]
            self.turn(me)
            while self.wire and random.random() < 0.6:
                at = random.randrange(min(6, len(self.wire)))
                to, sender, data = self.wire[at]
                if random.random() < 0.9:
                    del self.wire[at]
                if random.random() < 0.9:
                    self.pairs[to].receive(self.number(to, sender), data)
            number = self.number(me, other)
            if self.kept and random.random() < hostile:
                pair.receive(number, damaged(random, self.kept))
            if random.random() < lies:
                told = self.pairs[other].model
                pair.receive(number, lie(random, told, self.number(other, me)))

    def turn(self, me: int) -> None:
        """A frame of a peer, and its packets."""
        random, pair = self.random, self.pairs[me]
        if random.random() < 0.02:
            pair.model.delay = random.choice([0, 1, 7, 64])
            pair.kernel.set_delay(pair.model.delay)
        if random.random() < 0.8:
            numbers = [0, 0, 0, 1, 2, -(2**63), 2**63 - 1]
            rows = [random.choices(numbers, k=pair.settings.numbers) for _ in pair.model.local]
            pair.tick([tuple(row) for row in rows], raises=random.random() < 0.1)
        for other in range(len(self.pairs)):
            if other != me:
                self.wire.append((other, me, pair.packet(self.number(me, other))))
                self.kept.append(self.wire[-1][2])


def damaged(random: Random, packets: list[bytes]) -> bytes:
    """A packet that came before: as it was, changed, cut, or joined to another."""
    data, at = bytearray(random.choice(packets)), random.randrange(9)
    way = random.randrange(5)
    if way == 1:
        at = random.choice([at, random.randrange(len(data))])
        data[at] ^= 1 << random.randrange(8)
    if way == 2:
        del data[random.choice([at, random.randrange(len(data))]) :]
    if way == 3:
        data += random.choice(packets)
    if way == 4 and data[8:9] == bytes([HELLO]):  # whoever forges a HELLO
        data[random.randrange(25, len(data))] ^= 1 << random.randrange(8)
        return sealed(HELLO, bytes(data[9:]), 0)
    return bytes(data)


def lie(random: Random, model: ModelRollback, peer: int) -> bytes:
    """What a peer that knows the random bytes can send."""
    play = model.packet(peer)
    if isinstance(play, bytes):
        return sealed(HELLO, play, 0)
    far = random.choice([-(2**62), -1000, -9, -2, -1, 1, 2, 9, 64, 1000, 2**40, 2**62])
    way = random.randrange(10)
    name = random.choice(["head", "ack", "confirmed", "hash_ack", "ahead", "first"])
    if way < 4:
        if name != "first" or abs(far) < 10 or far > 0:
            setattr(play, name, getattr(play, name) + far)
    elif way < 7 and play.runs:
        at = random.randrange(len(play.runs))
        run, row = play.runs[at]
        wrong = tuple(to_int64(n + random.choice([0, far])) for n in row)
        play.runs[at] = random.choice([(max(1, run + far), row), (run, wrong)])
    elif way == 7:
        before = random.choice([-far, 1, 2, 3])
        play.hashes = [(play.confirmed - before, random.getrandbits(64))]
    elif way == 8:
        play.differs = abs(far) - 1, tuple(random.getrandbits(64) for _ in range(5))
    body = play.bytes()
    if way == 9:
        at = random.randrange(len(body))
        body = random.choice([body[:at], body[:at] + b"\xff" * 11 + body[at:]])
    remote = model.remotes[peer]
    return sealed(PLAY, body, xxh64(model.settings.random + remote.random))


@pytest.mark.parametrize("seed", rounds(100))
def test_peers_do_what_their_models_do(seed: int) -> None:
    earlier, now = Schedule(seed, life=1), Schedule(seed)
    earlier.run(20)
    now.kept += earlier.kept
    now.run(75 * len(now.pairs), hostile=0.5)
    rows = [[(frame, inputs) for _, frame, inputs, *_ in it.confirmed] for it in now.pairs]
    shared = min(map(len, rows))
    assert shared > 0
    assert all(row[:shared] == rows[0][:shared] for row in rows)
    now.run(50, hostile=0.5, lies=0.5)


def test_a_length_of_own_bytes_that_has_no_room_is_refused() -> None:
    pair = Pair(Settings(bytes(16), (0,), 0, 1, 8, 0, 0, 1), Random(1), ("", 0))
    it, pushed = pair.kernel._settings, ffi.new("fxs_pushed *")
    assert pair.kernel.tick([0])
    while pair.kernel.next(pair.game.world._native)[0].type != lib.FXS_ROLLBACK_STEP:
        pass
    pair.game.world.step()
    pair.kernel.own[:8] = struct.pack("<Q", 21)
    world, own = pair.game.world._native._world, pair.kernel._own()
    given = world, own, pushed, 0, ffi.NULL, ffi.NULL, *pair.kernel._rows
    changes = ffi.new("fxs_event_changes *")
    assert lib.fxs_rollback_push(pair.kernel._it, *given, changes) == lib.FXS_E_RANGE
    assert lib.fxs_rollback_init(pair.kernel._it, it, world, own) == lib.FXS_E_RANGE
    for size, has_length in ((7, 1), (28, 2)):
        it.own_size, it.own_has_length = size, has_length
        assert lib.fxs_rollback_size(it) == 0

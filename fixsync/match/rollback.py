"""`Rollback`: one peer of a match that rolls back, for a game that has its own netcode.

It is `fxs_rollback` of the kit for a `Simulation`; docs/rollback.md has its packets. The own bytes
are what the simulation saves besides its world."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fixsync._native.checks import integer, shown, utf_8
from fixsync._native.raw import INT64_MAX, INT64_MIN, UINT64_MAX, constant
from fixsync._native.rollback import GUESS, LOAD, NONE, STEP, NativeRollback, status_text
from fixsync._native.rows import EVENT, GAME_EVENT_ROW, Buffer, bytes_of
from fixsync.base.fields import Difference, byte_fields, differences
from fixsync.match.notices import Confirmed, Predicted, TakenBack
from fixsync.match.sim import (
    GAME_EVENT,
    INPUT_NUMBERS_MAX,
    Input,
    Simulation,
    check_input,
    data_of,
    event_kinds,
    fields_of,
    guess_of,
    hash_of,
    idle_input,
    stepped,
)
from fixsync.world.records import Event, Events, GameEvent, event_rows

PARTS = ("inputs", "world", "own", "events", "shown")
_FIELDS = (
    *("bytes", "random bytes", "semantics", "match", "data", "players", "numbers"),
    *("prediction_max", "first frame", "local players", "ack", "head", "confirmed", "hash ack"),
    *("frame of a hash", "end of inputs", "input", "ahead"),
)
_LENGTH_BYTES = 8
"""Before own bytes of any length: how many there are, in little-endian, as in other languages."""
_OWN_MAX = 2**30
_PAST_MAX = constant("HISTORY_FRAMES_MAX")


class RefusedError(ValueError):
    """A packet that was refused, with nothing changed."""

    def __init__(self, peer: int, refusal: Any) -> None:
        self.peer, self.status = peer, int(refusal.status)
        self.field = _FIELDS[refusal.field]
        self.ours, self.theirs = int(refusal.ours), int(refusal.theirs)
        is_input = self.status == constant("E_INPUT")
        self.player = int(refusal.player) if is_input else None
        self.frame = int(refusal.frame) if is_input else None
        where = f" of player {self.player} for frame {self.frame}" if is_input else ""
        super().__init__(
            f"packet of peer {peer}: {status_text(self.status)}: {self.field}{where} "
            f"{self.theirs}, here {self.ours}"
        )


@dataclass(frozen=True)
class FrameDesync:
    """The first frame that differs: on another peer, or when it was stepped again here."""

    frame: int
    peer: int
    """0: the sync test."""
    players: tuple[int, ...]
    """Those of the other peer."""
    part: str
    """The first of `parts`."""
    parts: tuple[str, ...]
    """What differs, of "inputs", "world", "own", "events" and "shown"."""
    ours: dict[str, int]
    """By part, the hash here; of the sync test, of the last step."""
    theirs: dict[str, int]
    """By part, the hash there; of the sync test, of the step before."""
    differences: list[Difference]
    """Of the sync test, the fields; for another peer see `Rollback.differences`."""

    def __str__(self) -> str:
        players = f"player{'s' * (len(self.players) > 1)} {', '.join(map(str, self.players))}"
        who = (
            f"from that of peer {self.peer}, {players}" if self.peer else "when it is stepped again"
        )
        ours, theirs = self.ours[self.part], self.theirs[self.part]
        if self.differences:
            what = str(self.differences[0])
        elif self.part == "shown":
            what = f"{ours} and {theirs}: save lacks a value"
        else:
            what = f"hashes {ours:016x} and {theirs:016x}"
        return f"frame {self.frame}: {self.part} differs {who}: {what}"


class DesyncError(RuntimeError):
    """The sync test found a difference."""

    def __init__(self, desync: FrameDesync) -> None:
        super().__init__(str(desync))
        self.desync = desync


class Pace(NamedTuple):
    """How this peer and the others run."""

    waiting: tuple[int, ...]
    """Players without whose input no frame can be stepped."""
    resteps: int
    ahead: int
    """Q16.16 frames that this peer is ahead of the others' average."""
    is_ahead: bool
    """It runs a fifth slower, until the others are as far."""
    head: int
    """The frame that is stepped next."""
    first: int
    """The oldest frame that is not confirmed."""
    is_connected: bool


class PlayerPace(NamedTuple):
    """How the inputs of a player come."""

    peer: int
    next: int
    """The first frame whose input is not known here."""
    late: int
    """Frames that are stepped here without its input."""
    ahead: int
    """Q16.16 frames that this peer is ahead of it."""


def _digest(name: str, value: int | str | Buffer) -> int:
    if isinstance(value, str):
        return hash_of(utf_8(name, value))
    if isinstance(value, int):
        return integer(name, value, 0, UINT64_MAX)
    return hash_of(bytes_of(name, value))


def _bits(word: int) -> tuple[int, ...]:
    return tuple(i for i in range(64) if word >> i & 1)


class Rollback:
    """One peer of a match. The match begins with the simulation as it is, the same on all peers.

    Beside what `Simulation` says, the simulation may have a method `shown`: a number of 64 bits, a
    hash of what players see. An input that has not come in its first frames is 0. Inputs of other
    peers are not given to `check_input`, and `is_over` is not read: the game ends the match."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        numbers: int = 1,
        peers: Sequence[int] = (),
        prediction_max: int = 8,
        input_delay: int = 0,
        check: int = 0,
        past: int = 60,
        match: int | str | Buffer = 0,
        data: int | str | Buffer | None = None,
        random: bytes | None = None,
        own_max: int | None = None,
        slows: bool = False,
    ) -> None:
        """The settings of fxs_rollback_settings. peers: by player, the peer that plays it; 0 is
        this one, which plays all of them by default. data: by default that of the simulation.
        own_max: the most bytes that `save` has besides the world; without it, they are always as
        many. slows: the game's clock runs a fifth slower while `is_ahead` of its `pace`; else one
        `advance` in five steps no frame then. The world is the end of what `save` returns, or
        always after as many bytes."""
        self.simulation = simulation
        players = integer("players", simulation.players, 1, constant("ROLLBACK_PLAYERS_MAX"))
        self._numbers = integer("numbers", numbers, 1, INPUT_NUMBERS_MAX)
        self._peers = tuple(
            integer(f"peers[{i}]", peer, 0, players - 1)
            for i, peer in enumerate(peers or [0] * players)
        )
        if len(self._peers) != players:
            raise ValueError(f"peers must be of {players} players, not {len(self._peers)}")
        self._locals = [i for i, peer in enumerate(self._peers) if peer == 0]
        idle = idle_input(simulation)
        if any(idle if isinstance(idle, tuple) else (idle,)):
            raise ValueError(f"idle of the simulation must be 0, not {shown(idle)}")
        if random is None:
            random = secrets.token_bytes(16)
        elif len(random) != 16:
            raise ValueError(f"random must be 16 bytes, not {len(random)}")
        self._kinds = event_kinds(simulation)
        self._guess = guess_of(simulation)
        state, world = simulation.save(), simulation.world.save()
        self._world_at = state.find(world)  # -1: it saves its world in another form
        # Of every state so far: the world is after as many bytes as at first; it is the end.
        self._is_world_there = self._is_world_last = True
        own = self._own_of(state)
        self._has_length = own_max is not None
        self._own_max = len(own)
        if own_max is not None:
            self._own_max = integer("own_max", own_max, len(own), _OWN_MAX)
        given = (data_of(simulation) or 0) if data is None else data
        self._check = integer("check", check, 0, constant("CHECK_MAX"))
        self._native = NativeRollback(
            simulation.world._native,
            self._padded(own),
            random,
            match=_digest("match", match),
            data=_digest("data", given),
            past=integer("past", past, 0, _PAST_MAX),
            players=players,
            numbers=numbers,
            prediction_max=integer("prediction_max", prediction_max, 0, constant("PREDICTION_MAX")),
            input_delay=integer("input_delay", input_delay, 0, constant("INPUT_DELAY_MAX")),
            check=check,
            guesses=int(hasattr(simulation, "guess_input")),
            slows=int(slows),
            own_has_length=int(self._has_length),
            peers=bytes(self._peers) + bytes(64 - players),
        )
        self._notices: list[Predicted | TakenBack | Confirmed] = []
        self._hashes: dict[int, int] = {}
        self._is_told = False

    # The own bytes.

    def _own_of(self, state: bytes) -> bytes:
        if self._world_at < 0:
            return state
        world = self.simulation.world.save()
        self._is_world_there &= state.startswith(world, self._world_at)
        self._is_world_last &= state.endswith(world)
        if not self._is_world_there and not self._is_world_last:
            raise ValueError(
                f"save of simulation {self.simulation.name} must give the bytes of its world last, "
                f"or after {self._world_at} bytes as at the start"
            )
        at = self._world_at if self._is_world_there else len(state) - len(world)
        return state[:at] + state[at + len(world) :]

    def _padded(self, own: bytes) -> bytes:
        size = len(own)
        if size > self._own_max or (size < self._own_max and not self._has_length):
            most = "at most" if self._has_length else "exactly"
            raise ValueError(
                f"save must give {most} {self._own_max} bytes besides the world, not {size}: set "
                "own_max of Rollback"
            )
        if not self._has_length:
            return own
        return size.to_bytes(_LENGTH_BYTES, "little") + own.ljust(self._own_max, b"\0")

    def _loaded(self) -> bytes:
        own = bytes(self._native.own)
        if not self._has_length:
            return own
        end = _LENGTH_BYTES + int.from_bytes(own[:_LENGTH_BYTES], "little")
        return own[_LENGTH_BYTES:end]

    def _state_of(self, own: bytes, world: bytes) -> bytes:
        if self._world_at < 0:
            return own
        at = self._world_at if self._is_world_there else len(own)
        return own[:at] + world + own[at:]

    # The loop.

    def advance(self, inputs: Iterable[Input]) -> list[Predicted | TakenBack | Confirmed]:
        """Steps frames again that were predicted wrongly, then the next one if that is possible.

        inputs: those of the local players, by player. Nothing is stepped before every other peer is
        connected. What the simulation raises is passed on; the next call goes on with the frame in
        which it was raised. DesyncError, once, if the sync test finds a difference."""
        given = list(inputs)
        if len(given) != len(self._locals):
            raise ValueError(
                f"inputs must have one of each of {len(self._locals)} local players, "
                f"not {len(given)}"
            )
        numbers: list[int] = []
        for player, value in zip(self._locals, given, strict=True):
            numbers += self._flat(player, check_input(self.simulation, player, value))
        if self._native.tick(numbers):
            while self._answer():
                pass
        if self._check and not self._is_told and (found := self.desync) and found.peer == 0:
            self._is_told = True
            raise DesyncError(found)
        notices, self._notices = self._notices, []
        return notices

    def _flat(self, player: int, value: Input) -> tuple[int, ...]:
        row = value if isinstance(value, tuple) else (value,)
        if len(row) != self._numbers:
            raise ValueError(
                f"input of player {player} must hold {self._numbers} integers, not {len(row)}"
            )
        return tuple(integer(f"input of player {player}", one, INT64_MIN, INT64_MAX) for one in row)

    def _inputs(self, numbers: Sequence[int]) -> tuple[Input, ...]:
        n = self._numbers
        return tuple(numbers) if n == 1 else tuple(zip(*[iter(numbers)] * n, strict=True))

    def _answer(self) -> bool:
        """Does what the kernel asks for next; False if that is nothing."""
        simulation, native = self.simulation, self._native
        request, numbers = native.next(simulation.world._native)
        frame = int(request.frame)
        if request.type == NONE:
            return False
        if request.type == LOAD:
            simulation.load(self._state_of(self._loaded(), simulation.world.save()))
        elif request.type == GUESS:
            last = self._inputs(numbers)[0]
            guess = self._guess(request.player, last, request.age)
            native.guess(self._flat(request.player, guess))
        elif request.type == STEP:
            self._step(frame, self._inputs(numbers))
        else:
            now = request.confirmed
            events, game = self._events(native.confirmed(now.events))
            hashes = int(now.hash), self._hashes.pop(frame)
            inputs = self._inputs(numbers)
            self._notices.append(Confirmed(frame, inputs, events, *hashes, game))
        return True

    def _step(self, frame: int, inputs: tuple[Input, ...]) -> None:
        simulation = self.simulation
        found = stepped(simulation, inputs)
        state = simulation.save()
        seen = getattr(simulation, "shown", None)
        number = 0 if seen is None else integer("shown", seen(), 0, UINT64_MAX)
        self._native.own[:] = self._padded(self._own_of(state))
        rows = event_rows(found.events) + b"".join(GAME_EVENT_ROW.pack(*row) for row in found.game)
        changes = self._native.push(simulation.world._native, number, rows)
        if changes is None:
            raise ValueError(
                f"step of simulation {simulation.name} must step its world once: frame {frame} "
                f"became {simulation.world.frame}"
            )
        self._hashes[frame] = hash_of(state)
        taken_back, predicted = changes
        if taken_back:
            self._notices.append(TakenBack(frame, *self._events(taken_back)))
        if predicted:
            self._notices.append(Predicted(frame, *self._events(predicted)))

    def _events(self, rows: bytes) -> tuple[tuple[Event, ...], tuple[GameEvent, ...]]:
        size = EVENT.size
        split = [rows[i : i + size] for i in range(0, len(rows), size)]
        kinds, world, game = self._kinds, b"", []
        for row in split:
            if EVENT.unpack(row)[2] < GAME_EVENT:
                world += row
            elif kinds is not None:
                a, b, kind, value = GAME_EVENT_ROW.unpack(row)
                game.append(GameEvent(a, b, kinds(kind), value))
        return tuple(Events(world)), tuple(game)

    def set_delay(self, input_delay: int) -> None:
        """Sets the input delay for the calls to come."""
        self._native.set_delay(integer("input_delay", input_delay, 0, constant("INPUT_DELAY_MAX")))

    # Packets.

    def _peer(self, peer: int) -> int:
        others = max(self._peers)
        if others == 0:
            raise ValueError(f"peer must be another one, and all players are local, not {peer}")
        return integer("peer", peer, 1, others)

    def packet(self, peer: int) -> bytes:
        """The next packet for a peer: to be sent once a frame, also while nothing is stepped."""
        return self._native.packet(self._peer(peer))

    def receive(self, peer: int, data: Buffer) -> None:
        """Takes a packet of a peer, in any order, any number of times. RefusedError, with nothing
        changed, for one that is refused."""
        refusal = self._native.receive(self._peer(peer), bytes_of("data", data))
        if refusal is not None:
            raise RefusedError(peer, refusal)

    def pace(self) -> Pace:
        """How this peer and the others run."""
        it = self._native.pace()
        rest = bool(it.is_ahead), it.head, it.first, bool(it.is_connected)
        return Pace(_bits(it.waiting), it.resteps, it.ahead, *rest)

    def player(self, player: int) -> PlayerPace:
        """How the inputs of a player come."""
        it = self._native.player(integer("player", player, 0, len(self._peers) - 1))
        return PlayerPace(it.peer, it.next, it.late, it.ahead)

    # What differs.

    @property
    def desync(self) -> FrameDesync | None:
        """The first frame that differs; None if none does."""
        it = self._native.desync()
        if it is None:
            return None
        other = self.kept(1) if it.peer == 0 else None
        return FrameDesync(
            it.frame,
            it.peer,
            _bits(it.players),
            PARTS[it.part],
            tuple(PARTS[i] for i in _bits(it.parts)),
            dict(zip(PARTS, it.ours, strict=True)),
            dict(zip(PARTS, it.theirs, strict=True)),
            [] if other is None else self.differences(other),
        )

    def kept(self, which: int = 0) -> bytes | None:
        """What the simulation saved after the frame of `desync`, to be sent to the other peer; None
        if it is gone. which, of the sync test: 1 for the step before."""
        integer("which", which, 0, 1)
        world, own = (self._native.kept(which, PARTS.index(part)) for part in ("world", "own"))
        return None if world is None or own is None else self._state_of(own, world)

    def differences(self, state: bytes) -> list[Difference]:
        """The fields in which the kept state differs from that of another peer. A state that does
        not decode is compared as bytes."""
        ours = self.kept()
        if ours is None:
            return []
        try:
            fields = [fields_of(self.simulation, one) for one in (ours, state)]
            return list(differences(*fields))
        except Exception:  # a game's decoder, given a faulty state
            return list(differences(byte_fields(ours), byte_fields(state)))

"""The history and the inputs of a rollback game in C, beside a model of the contract's section 10
and a world that was never rolled back."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import pytest
from model_history import Frame, ModelHistory, ModelInputs, taken_out
from tools import by_default, each

from fixsync import Contact, EventKind, Pose, Sphere, World
from fixsync._native.raw import ffi, lib

MOST = 2**32
STARTS = (0, 2**31 - 40, MOST - 40)
ROOM = 64
ROW_SIZE = ffi.sizeof("fxs_command")
STATE = 160 + 56 * 4 + 12 * 64
Rows = list[Any]


# ---- a game ----


class Brawl:
    """Four balls on a line, a score of the game's own, events of its own and reactions."""

    def __init__(self, start: int) -> None:
        self.world = World(4)
        for i in range(3):
            self.world.add(i, Sphere(2), Pose(8 * i, 0, 0))
        state = bytearray(self.world.save())
        state[4:8] = start.to_bytes(4, "little")
        self.world.load(bytes(state))
        self.own = bytearray(8)

    def _row(self, kind: int, id: int, x: int = 0) -> bytes:
        row = ffi.new("fxs_command *")
        row.type = kind
        row.collider.id, row.collider.x, row.collider.active = id, x, 1
        row.collider.size[0] = 2
        return bytes(ffi.buffer(row))

    def _moved(self, id: int, x: int) -> bytes:
        self.world.move(id, x, 0, 0)
        return self._row(lib.FXS_COMMAND_MOVE, id, x)

    def step(self, inputs: list[int]) -> Frame:
        before = []
        for player, value in enumerate(inputs):
            x = self.world[player].pose.x
            if value == 3:  # EXIT, then ENTER of the same pair
                self.world.remove(player)
                self.world.add(player, Sphere(2), Pose(x, 0, 0))
                before += [
                    self._row(lib.FXS_COMMAND_REMOVE, player),
                    self._row(lib.FXS_COMMAND_ADD, player, x),
                ]
            elif value:
                before.append(self._moved(player, max(0, min(12, x + (-2, 1)[value - 1]))))
        found = self.world.step()
        events = [tuple(map(int, event)) for event in found]
        hash = self.world.hash()
        after = []
        (score, luck) = struct.unpack("<II", self.own)
        for event in found:
            if event.kind == EventKind.ENTER:
                score += 1
                luck = (luck * 5 + event.b + 1) % 1009
                events += [(event.a, event.b, 16 + luck % 3, MOST - luck % 2)] * (1 + luck % 2)
                if event.contact == Contact.OVERLAPPING:
                    after.append(self._moved(event.a, luck % 13))
        events = [(a, b, kind, value % MOST) for a, b, kind, value in events]
        self.own[:] = struct.pack("<II", score, luck)
        return Frame(before, after, events, hash)

    def saved(self) -> tuple[bytes, bytes]:
        return self.world.save(), bytes(self.own)


# ---- the history ----


class History:
    def __init__(self, brawl: Brawl, window: int, past: int = 0) -> None:
        self.brawl = brawl
        self.room = self._room(STATE, ROOM, ROOM, window, past)
        self.memory, self._it = self._made()
        status = lib.fxs_history_init(self._it, self.room, self._world(), self._bytes(brawl.own))
        assert status == 0
        self.taken_back, self.predicted = (ffi.new("fxs_event[]", 4 * ROOM) for _ in range(2))

    def _room(self, state: int, commands: int, events: int, window: int, past: int) -> Any:
        return ffi.new(
            "fxs_history_room *", [len(self.brawl.own), state, commands, events, window, past]
        )

    def _made(self) -> tuple[Any, Any]:
        size = lib.fxs_history_size(self.room)
        assert size
        memory = ffi.new("uint64_t[]", -(-size // 8))
        ffi.buffer(memory)[:] = b"\x5a" * len(ffi.buffer(memory))
        return memory, ffi.cast("fxs_history *", memory)

    def _world(self) -> Any:
        return self.brawl.world._native._world

    def _bytes(self, data: bytes | bytearray) -> Any:
        return ffi.from_buffer("uint8_t[]", data)

    def _rows(self, kind: str, rows: bytes) -> Any:
        return ffi.cast(f"const {kind} *", self._bytes(rows)) if rows else ffi.NULL

    def grow(self) -> None:
        room = self.room
        self.room = self._room(
            room.state_size + 100,
            room.command_room + 70,
            room.event_room + 1,
            room.window + 1,
            room.past + 2,
        )
        old = self.memory, self._it
        self.memory, self._it = self._made()
        assert lib.fxs_history_grow(self._it, self.room, old[1]) == 0
        ffi.buffer(old[0])[:] = b"\xa5" * len(ffi.buffer(old[0]))

    def push(self, frame: Frame, is_final: bool) -> int | tuple[Rows, Rows]:
        rows = b"".join(frame.before + frame.after)
        packed = b"".join(struct.pack("<4I", *row) for row in frame.events)
        changes = ffi.new("fxs_event_changes *")
        counts = (len(frame.before) + len(frame.after), len(frame.after), len(frame.events))
        has_hash = bool(frame.after or frame.hash % 2)
        pushed = ffi.new("fxs_pushed *", (frame.hash, *counts, is_final, has_hash))
        keeps = [rows, packed]
        status = lib.fxs_history_push(
            self._it,
            self._world(),
            self._bytes(self.brawl.own),
            pushed,
            self._rows("fxs_command", rows),
            self._rows("fxs_event", packed),
            self.taken_back,
            self.predicted,
            changes,
        )
        del keeps
        if status:
            return int(status)
        return self._events(self.taken_back, changes.taken_back), self._events(
            self.predicted, changes.predicted
        )

    def _events(self, rows: Any, n: int) -> Rows:
        return [(row.a, row.b, row.kind, row.contact) for row in rows[0:n]]

    def back(self, frame: int) -> int:
        status = lib.fxs_history_back(
            self._it, frame % MOST, self._world(), self._bytes(self.brawl.own)
        )
        return int(status)

    def settle(self, frame: int) -> int:
        return int(lib.fxs_history_settle(self._it, frame % MOST))

    def confirm(self) -> tuple[int, Rows, Rows, int] | None:
        out = ffi.new("fxs_confirmed *")
        commands = ffi.new("fxs_command[]", self.room.command_room + 1)
        events = ffi.new("fxs_event[]", self.room.event_room + 1)
        if lib.fxs_history_confirm(self._it, out, commands, events):
            return None
        rows = [bytes(ffi.buffer(commands + i, ROW_SIZE)) for i in range(out.commands)]
        return out.frame, rows, self._events(events, out.events), out.hash

    @property
    def head(self) -> int:
        return int(lib.fxs_history_head(self._it))

    @property
    def first(self) -> int:
        return int(lib.fxs_history_first(self._it))

    @property
    def free(self) -> int:
        return int(lib.fxs_history_free(self._it))


class Inputs:
    def __init__(self, players: int, window: int, start: int) -> None:
        self.players, self.start = players, start
        size = lib.fxs_inputs_size(players, window)
        self.memory = ffi.new("uint64_t[]", [0x5A5A5A5A5A5A5A5A] * (size // 8))
        self._it = ffi.cast("fxs_inputs *", self.memory)
        assert lib.fxs_inputs_init(self._it, players, window, start) == 0

    def put(self, player: int, frame: int, value: int) -> int:
        frame = (self.start + frame) % MOST
        return int(lib.fxs_inputs_put(self._it, player, frame, value))

    def take(self, frame: int) -> int | list[int]:
        values = ffi.new("int64_t[]", self.players)
        frame = (self.start + frame) % MOST
        return int(lib.fxs_inputs_take(self._it, frame, values)) or list(values)

    def redo(self) -> int:
        return int(lib.fxs_inputs_redo(self._it) - self.start) % MOST

    def confirmed(self) -> int:
        return int(lib.fxs_inputs_confirmed(self._it) - self.start) % MOST


# ---- a match over a bad network ----


def pressed(seed: int, frames: int) -> list[list[int]]:
    random = Random(seed)
    values = [[0, 0] for _ in range(frames)]
    for player in range(2):
        held = 0
        for frame in range(frames):
            held = random.choice([held, 0, 1, 2, 2, 3])
            values[frame][player] = held
    return values


def play(start: int, window: int, frames: int, seed: int) -> int:
    """A peer that gets the other's inputs late, in any order. How many frames it stepped again."""
    random = Random(seed)
    inputs = pressed(seed, frames)
    straight = Brawl(start)
    truth = [straight.step(inputs[frame]) for frame in range(frames)]
    ends = [end.saved() for end in [straight]]
    peer = Brawl(start)
    history, model = History(peer, window, past=seed % 3), ModelHistory()
    known, model_known = Inputs(2, window + 4, start), ModelInputs(2)
    late = [(1, frame) for frame in range(frames)]
    heard: dict[int, Rows] = {}
    early: Rows = []
    confirmed: int = 0
    stepped = 0

    def burst() -> int:
        return random.choice([0] * window + [1, window // 2, window])

    def put(player: int, frame: int) -> None:
        value = inputs[frame][player]
        assert known.put(player, frame, value) == 0
        assert model_known.put(player, frame, value)

    while confirmed < frames:
        # What comes is near the oldest that is missing; sometimes nothing, sometimes a burst.
        for _ in range(burst() if history.free else window):
            end = min(model_known.oldest() + window + 4, model.head + 2)
            near = [i for i, (_, frame) in enumerate(late[:3]) if frame < end]
            if near:
                put(*late.pop(random.choice(near)))
        end = min(model_known.oldest() + window + 4, frames)
        if history.free and model.head < end and (0, model.head) not in model_known.known:
            put(0, model.head)
        assert known.redo() == model_known.redo()
        first = min(known.redo(), model.head)
        assert known.confirmed() == model_known.confirmed()
        again = model.head - first
        settled = min(first, model_known.confirmed(), model.head)
        assert history.settle(start + settled) == 0
        model.settle(settled)
        if first < model.head:
            assert history.back(start + first) == 0
            model.back(first)
        elif random.random() < 0.2 and settled < model.head:  # for no reason
            first = random.randint(settled, model.head - 1)
            assert history.back(start + first) == 0
            model.back(first)
            again = model.head - first
        for _ in range(random.randint(0, again + 1) if random.random() < 0.3 else again + 1):
            if not history.free or model.head >= frames or (0, model.head) not in model_known.known:
                break
            now = model.head
            assert history.head == (start + now) % MOST
            values = known.take(now)
            assert values == model_known.take(now)
            assert isinstance(values, list)
            is_final = now < model_known.confirmed()
            stepped += now in model.frames
            frame = peer.step(values)
            reported = history.push(frame, is_final)
            expected = model.push(frame, is_final)
            assert reported == expected
            assert isinstance(reported, tuple)
            taken_back, predicted = reported
            heard[now] = taken_out(taken_back, heard.get(now, [])) + predicted
            if random.random() < 0.02:
                history.grow()
        while (got := history.confirm()) is not None:
            wanted = model.confirm()
            assert wanted is not None
            right = truth[confirmed]
            assert got[0] == (start + confirmed) % MOST
            assert got[1:] == wanted[1:] == (early + right.before, right.events, right.hash)
            early = right.after
            # What was heard and stays is part of the confirmed rows.
            assert not taken_out(right.events, heard.pop(confirmed, []))
            confirmed += 1
        assert model.confirm() is None
        assert history.first == (start + confirmed) % MOST
        assert history.free == history.room.window - (model.head - confirmed)
    assert [peer.saved()] == ends
    return stepped


def tell(seed: int) -> None:
    """One frame, stepped again and again with other rows, many of them equal."""
    random = Random(seed)
    brawl = Brawl(MOST - 1)
    history, model = History(brawl, 2), ModelHistory()
    brawl.world.step()
    for turn in range(40):
        events = [
            (0, random.randrange(2), random.choice([16, 17]), random.randrange(2))
            for _ in range(random.choice([0, 1, 3, 5, 8, ROOM]))
        ]
        frame = Frame([], [], events, 0)
        is_final = turn == 39
        assert history.push(frame, is_final) == model.push(frame, is_final)
        if not is_final:
            assert history.back(MOST - 1) == 0
            model.back(0)
            brawl.world.step()
    confirmed = history.confirm()
    assert confirmed is not None
    assert confirmed[2] == events


def react() -> None:
    """A frame that is stepped again reacts otherwise, and then the history grows."""
    brawl = Brawl(0)
    history = History(brawl, 3)
    early, late = bytes([1]) * ROW_SIZE, bytes([2]) * ROW_SIZE
    brawl.world.step()
    assert history.push(Frame([early], [], [], 1), is_final=False) == ([], [])
    brawl.world.step()
    assert history.push(Frame([], [], [], 1), is_final=False) == ([], [])
    assert history.back(0) == 0
    brawl.world.step()
    assert history.push(Frame([early], [late], [], 1), is_final=False) == ([], [])
    history.grow()
    brawl.world.step()
    assert history.push(Frame([], [], [], 1), is_final=False) == ([], [])
    assert history.settle(2) == 0
    assert [rows for _, rows, _, _ in filter(None, (history.confirm(), history.confirm()))] == [
        [early],
        [late],
    ]


def test_a_frame_that_is_compared_leaves_the_events_of_the_others() -> None:
    """The last of the slots, whose events fill their room, lies before the numbers of a compare."""
    brawl, history = small()
    one, two = [(0, 1, 16, 0), (0, 1, 17, 0)], [(5, 9, 18, n) for n in range(ROOM)]
    brawl.world.step()
    assert pushed(history, []) == ([], [])
    assert history.settle(6) == 0
    assert history.confirm() is not None
    for events in (one, two):
        brawl.world.step()
        assert pushed(history, events) == ([], events)
    assert history.back(6) == 0
    for events in (one[::-1], two):
        brawl.world.step()
        assert pushed(history, events) == ([], [])


def test_reactions_that_change_are_kept_when_the_history_grows() -> None:
    react()


def test_of_equal_rows_each_counts_and_the_first_ones_match() -> None:
    for seed in range(20):
        tell(seed)


@pytest.mark.parametrize("start", by_default(1, STARTS))
def test_what_is_heard_and_confirmed_is_the_models_and_that_of_a_world_without_rollback(
    start: int,
) -> None:
    stepped = sum(play(start, window, 120, window) for window in (1, 2, 3, 7, 8, 32))
    assert stepped > 400, stepped


# ---- what is refused ----


def pushed(history: History, events: Rows, **changes: Any) -> int | tuple[Rows, Rows]:
    frame = Frame([], [], events, 0)
    for name, value in changes.items():
        setattr(frame, name, value)
    return history.push(frame, is_final=False)


def small(window: int = 2, start: int = 5) -> tuple[Brawl, History]:
    brawl = Brawl(start)
    return brawl, History(brawl, window)


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([(0, 1, 0, 0)], "FXS_E_RANGE"),
        ([(0, 1, 4, 0)], "FXS_E_RANGE"),
        ([(0, 1, 15, 0)], "FXS_E_RANGE"),
        ([(0, 1, 16, 0), (0, 1, 1, 1)], "FXS_E_RANGE"),
        ([(0, 1, 16, 0)] * (ROOM + 1), "FXS_E_ROOM"),
    ],
)
def test_a_push_that_is_refused_leaves_the_history_as_it_was(events: Rows, status: str) -> None:
    brawl, history = small()
    brawl.world.step()
    before = bytes(ffi.buffer(history.memory))
    assert pushed(history, events) == getattr(lib, status)
    assert bytes(ffi.buffer(history.memory)) == before
    if status == "FXS_E_ROOM":
        history.grow()
        assert pushed(history, events) == ([], events)
    else:
        assert pushed(history, [(0, 1, 3, 0), (9, 9, MOST - 1, MOST - 1)]) != 0


def test_commands_count_with_the_reactions_of_the_frame_before() -> None:
    brawl, history = small()
    row = bytes(ROW_SIZE)
    brawl.world.step()
    assert pushed(history, [], after=[row] * ROOM) == ([], [])
    brawl.world.step()
    before = bytes(ffi.buffer(history.memory))
    assert pushed(history, [], before=[row]) == lib.FXS_E_ROOM
    assert pushed(history, [], after=[row] * 65) == lib.FXS_E_ROOM
    assert bytes(ffi.buffer(history.memory)) == before
    history.grow()
    assert pushed(history, [], before=[row] * 70, after=[row] * (ROOM + 70)) == ([], [])


def test_a_state_that_has_no_room_is_kept_after_growing() -> None:
    brawl = Brawl(0)
    history = History(brawl, 2)
    for room, status in ((len(brawl.world.save()) - 1, lib.FXS_E_ROOM), (STATE, 0)):
        history.room.state_size = room
        world = history._world()
        own = ffi.from_buffer("uint8_t[]", brawl.own)
        memory = ffi.new("uint64_t[]", 10_000)
        made = ffi.cast("fxs_history *", memory)
        assert lib.fxs_history_init(made, history.room, world, own) == status
    brawl, history = small()
    history.room.state_size = len(brawl.world.save())
    history.memory, history._it = history._made()
    own = ffi.from_buffer("uint8_t[]", brawl.own)
    assert lib.fxs_history_init(history._it, history.room, history._world(), own) == 0
    brawl.world.add(3, Sphere(2), Pose(0, 0, 0))
    brawl.world.step()
    before = bytes(ffi.buffer(history.memory))
    assert pushed(history, []) == lib.FXS_E_ROOM
    assert bytes(ffi.buffer(history.memory)) == before
    history.room.state_size = STATE - 100
    history.grow()
    assert pushed(history, []) == ([], [])


def test_frames_come_in_order_and_final_ones_are_not_stepped_again() -> None:
    brawl, history = small(window=3)
    nothing = Frame([], [], [], 0)
    assert history.push(nothing, False) == lib.FXS_E_ORDER  # the world was not stepped
    brawl.world.step()
    brawl.world.step()
    assert history.push(nothing, False) == lib.FXS_E_ORDER
    assert history.back(5) == 0
    for frame in (5, 6):
        brawl.world.step()
        assert history.push(nothing, False) == ([], [])
        assert history.head == frame + 1
    brawl.world.step()
    assert history.push(nothing, True) == lib.FXS_E_ORDER  # 5 is not final
    assert (history.settle(8), history.settle(4)) == (lib.FXS_E_RANGE, lib.FXS_E_RANGE)
    assert history.settle(6) == 0
    assert (history.back(5), history.back(8)) == (lib.FXS_E_RANGE, lib.FXS_E_RANGE)
    assert history.back(6) == 0
    brawl.world.step()
    assert history.push(nothing, True) == ([], [])
    brawl.world.step()
    assert history.push(nothing, True) == ([], [])
    assert history.free == 0
    brawl.world.step()
    assert history.push(nothing, False) == lib.FXS_E_ORDER
    assert [history.confirm() is not None for _ in range(4)] == [True, True, True, False]
    assert history.push(nothing, False) == ([], [])


def test_reactions_need_the_hash_right_after_the_step() -> None:
    brawl, history = small()
    brawl.world.step()
    rows, changes = ffi.new("fxs_command[2]"), ffi.new("fxs_event_changes *")
    outputs = (history.taken_back, history.predicted, changes)
    own = ffi.from_buffer("uint8_t[]", brawl.own)
    for numbers in ((0, 2, 1, 0, 0, 0), (0, 1, 2, 0, 0, 1)):
        pushed = ffi.new("fxs_pushed *", numbers)
        call = (history._it, history._world(), own, pushed, rows, ffi.NULL, *outputs)
        assert lib.fxs_history_push(*call) == lib.FXS_E_RANGE


@each(
    "room",
    [
        (0, 600, 1, 1, 0, 0),
        (0, 600, 1, 1, 2**31, 0),
        (0, 600, 1, 1, 1, 2**31),
        (0, 600, 2**48, 1, 1, 0),
        (0, 600, 1, 2**32 - 1, 1, 0),
        (2**48, 600, 1, 1, 1, 0),
        (0, 2**48, 1, 1, 1, 0),
        (0, 600, 2**36, 1, 2**31 - 1, 0),
    ],
)
def test_rooms_out_of_range_are_refused(room: tuple[int, ...]) -> None:
    reported = ffi.new("fxs_history_room *", room)
    assert lib.fxs_history_size(reported) == 0
    memory = ffi.new("uint64_t[]", 40)
    made = ffi.cast("fxs_history *", memory)
    history = History(Brawl(0), 1)
    assert lib.fxs_history_init(made, reported, history._world(), ffi.NULL) == lib.FXS_E_CONFIG


def test_a_history_grows_in_every_direction_but_not_smaller_or_off_its_alignment() -> None:
    brawl, history = small()
    size = lib.fxs_history_size(history.room)
    memory = ffi.new("uint8_t[]", 2 * size)
    fitting, off = (ffi.cast("fxs_history *", memory + place) for place in (0, 4))
    assert lib.fxs_history_grow(fitting, history.room, history._it) == 0
    assert lib.fxs_history_grow(off, history.room, history._it) == lib.FXS_E_CONFIG
    for name in ("state_size", "command_room", "event_room", "window", "own_size"):
        room = ffi.new("fxs_history_room *", history.room[0])
        setattr(room, name, getattr(room, name) - 1)
        assert lib.fxs_history_grow(fitting, room, history._it) == lib.FXS_E_CONFIG
    assert brawl.world.frame == 5


def test_the_size_is_what_the_header_says() -> None:
    room = ffi.new("fxs_history_room *", (13, 601, 4, 5, 4, 2))
    states = lib.fxs_rewind_size(7, 13, 601)
    frames = 5 * (32 + 4 * ROW_SIZE + 5 * 16)
    assert lib.fxs_history_size(room) - states - frames == 64 + 4 * (8 + 5) + 4


def test_the_kept_states_can_be_read() -> None:
    brawl = Brawl(MOST - 2)
    history = History(brawl, 4, past=1)
    states, size = [brawl.world.save()], ffi.new("uint64_t *")
    for _ in range(4):
        brawl.step([1, 2])
        states.append(brawl.world.save())
        assert history.push(Frame([], [], [], 0), True) == ([], [])
        assert history.confirm() is not None
    ring = lib.fxs_history_states(history._it)
    for i, state in enumerate(states):
        kept = lib.fxs_rewind_state(ring, (MOST - 2 + i) % MOST, size)
        assert bytes(ffi.buffer(kept, size[0])) == state
    size[0] = 9
    assert lib.fxs_rewind_state(ring, MOST - 3, size) == ffi.NULL
    assert size[0] == 9


# ---- inputs ----


@pytest.mark.parametrize("start", [0, 2**31 - 2, MOST - 2])
def test_inputs_have_a_status_for_each_fault(start: int) -> None:
    inputs = Inputs(2, 3, start)
    assert inputs.put(2, 0, 1) == lib.FXS_E_ID
    assert inputs.put(0, 3, 1) == lib.FXS_E_RANGE
    assert inputs.put(0, 0, -(2**63)) == 0
    assert inputs.put(0, 0, -(2**63)) == 0
    assert inputs.put(0, 0, 1) == lib.FXS_E_TAKEN
    assert inputs.take(1) == lib.FXS_E_RANGE
    assert inputs.take(0) == [-(2**63), 0]
    assert inputs.take(1) == [-(2**63), 0]
    assert inputs.put(1, 0, 0) == 0  # as predicted
    assert (inputs.redo(), inputs.confirmed()) == (2, 1)
    assert inputs.put(1, 1, 7) == 0
    assert (inputs.redo(), inputs.confirmed()) == (1, 1)
    assert inputs.put(1, 3, 7) == 0
    assert inputs.put(1, 4, 7) == lib.FXS_E_RANGE
    assert inputs.take(1) == [-(2**63), 7]
    assert inputs.take(2) == [-(2**63), 7]
    assert inputs.take(3) == [-(2**63), 7]
    assert inputs.take(4) == lib.FXS_E_RANGE  # beyond the window
    assert inputs.take(0) == [-(2**63), 0]  # final
    assert inputs.put(0, 0, 5) == lib.FXS_E_TAKEN
    for frame in (1, 2, 3, 4):
        assert (inputs.put(0, frame, frame), inputs.put(1, frame, 7)) == (0, 0)
        for again in range(inputs.redo(), 5):
            inputs.take(again)
    assert inputs.put(0, 0, 5) == 0  # older than the window: ignored
    assert inputs.take(0) == lib.FXS_E_RANGE


def test_sizes_of_inputs_out_of_range_are_refused() -> None:
    memory = ffi.new("uint8_t[]", 4000)
    for players, frames in ((0, 1), (65537, 1), (1, 0), (1, 2**24 + 1)):
        assert lib.fxs_inputs_size(players, frames) == 0
        made = ffi.cast("fxs_inputs *", memory)
        assert lib.fxs_inputs_init(made, players, frames, 0) == lib.FXS_E_CONFIG
    off = ffi.cast("fxs_inputs *", memory + 4)
    assert lib.fxs_inputs_init(off, 1, 1, 0) == lib.FXS_E_CONFIG
    assert lib.fxs_inputs_size(65536, 2**24) == 32 + 2 * 65536 * 2**24 * 17

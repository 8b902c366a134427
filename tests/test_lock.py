"""The lock of a world: what another call of the same thread finds while one is inside. A callback
comes from a trace function, at every instruction; from a signal handler; from a finalizer.

The callback swaps two states of the world. So each answer must be that of one of them, and never
parts of both."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from types import FrameType
from typing import Any

import pytest
from strategies import rounds
from test_world import CHANGING, READING, three_in_a_row
from tools import each

import fixsync
from fixsync import Box, Capsule, Pose, Sphere, World
from fixsync._native.lock import Lock
from fixsync.game.bodies import Body
from fixsync.game.flat import Hitbox, TwoPlanes, circle
from fixsync.game.frame_data import Attack, FrameData, Part
from fixsync.game.motion import Mover, carry, move_and_slide
from fixsync.game.random import Random
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay

INSIDE = str(Path(fixsync.__file__).parent)
ALONE = tuple(f"{name}.py" for name in ("arguments", "changes", "checks", "kinds", "shapes"))
"""They see no memory that is shared."""
Call = Callable[[Any], Any]


def first() -> World:
    return three_in_a_row()


def second() -> World:
    """More of everything: ids, hits, bytes. All that CHANGING needs is there."""
    world = three_in_a_row()
    for id in (0, 6, 7):
        world.add(id, Capsule(90 + id, 5), Pose(10 * id, 0, 5))
    world.step()
    world.set_layers([(0, 0), (0, 3), (3, 31)])
    for id in (6, 7):
        world.remove(id)
    world.turn(1, 7)
    return world


STATES = first().save(), second().save()


@contextmanager
def called_at_every_instruction(
    callback: Callable[[], None], skip: int = 0, every: int = 1
) -> Iterator[None]:
    """Of fixsync, from the one of that number on."""
    count = -skip

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        name = frame.f_code.co_filename
        if not name.startswith((INSIDE, "<string>")) or name.endswith(ALONE):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            if count >= 0 and count % every == 0:
                callback()
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def places(call: Callable[[], object]) -> list[int]:
    """Numbers of a call's instructions: many, spread over all of them, or all."""
    count = [0]

    def one_more() -> None:
        count[0] += 1

    with called_at_every_instruction(one_more):
        call()
    wanted = len(rounds(400))
    return [*range(0, count[0], max(1, -(-count[0] // wanted)))]


class Swapper:
    """The callback: gives the world the other state, and takes a refusal."""

    def __init__(self, swap: Callable[[int], object]) -> None:
        self.swap, self.state, self.swapped, self.refused = swap, 0, 0, 0

    def __call__(self) -> None:
        try:
            self.swap(1 - self.state)
        except RuntimeError as error:
            if "or by the call that a handler or finalizer interrupted" not in str(error):
                raise
            self.refused += 1
        else:
            self.state, self.swapped = 1 - self.state, self.swapped + 1


def outcome(call: Call, thing: Any) -> Any:
    """An answer that can be compared, or the error."""
    try:
        found = call(thing)
    except (KeyError, ValueError) as error:
        return type(error), str(error)
    return found.save() if isinstance(found, World) else found


def world_at(state: int) -> World:
    return World.from_bytes(STATES[state], 8)


CALLS: dict[str, Call] = {
    **CHANGING,
    **READING,
    "pose": lambda w: move_and_slide(w, 1, (5, 0, 0)),
    "mover": lambda w: Mover(snap=3).move(w, 1, (5, 0, 0)),
    "carry": lambda w: carry(w, [2], (-5, 0, 0), {1: Mover(snap=3)}),
}
CALLS["copy"] = CALLS["__copy__"] = CALLS["__deepcopy__"] = lambda w: w.copy().save()
NOT_LOADED = {name: call for name, call in CALLS.items() if name != "load"}


def mixed_and_refused(name: str, state: int) -> tuple[list[Any], int]:
    """The answers that are of neither state, and how many callbacks were refused."""
    call = CALLS[name]
    wholes = [outcome(call, world_at(i)) for i in (0, 1)]
    mixed, refused = [], 0
    for at in places(lambda: outcome(call, world_at(state))):
        world = world_at(state)
        swapper = Swapper(lambda i, w=world: w.load(STATES[i]))
        swapper.state = state
        with called_at_every_instruction(swapper, skip=at, every=10**9):
            found = outcome(call, world)
        if found not in wholes:
            mixed.append(found)
        refused += swapper.refused
    return mixed, refused


@each("name", NOT_LOADED)
@each("state", [0, 1])
def test_an_answer_is_of_one_state_wherever_a_callback_comes(name: str, state: int) -> None:
    mixed, refused = mixed_and_refused(name, state)
    assert mixed == []
    assert refused, "or the call has no lock"


def owned_by_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plants a lock that lets its thread in again, whatever is inside."""
    monkeypatch.setattr(Lock, "_take_lent", lambda _: get_ident())


@pytest.mark.parametrize("name", ["colliders", "hits", "save", "__repr__", "__iter__"])
def test_a_lock_that_only_its_thread_owns_would_be_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the larger state to the smaller one: the other way it writes past a buffer."""
    owned_by_the_thread(monkeypatch)
    mixed, refused = mixed_and_refused(name, 1)
    assert mixed
    assert refused == 0


@each("name", NOT_LOADED)
def test_a_callback_at_each_instruction_leaves_a_world_that_is_whole(name: str) -> None:
    world = world_at(0)
    swapper = Swapper(lambda i: world.load(STATES[i]))
    with called_at_every_instruction(swapper):
        found = outcome(CALLS[name], world)
    assert found in [outcome(CALLS[name], world_at(i)) for i in (0, 1)]
    assert swapper.refused
    assert swapper.swapped
    world.load(STATES[0])
    assert world.save() == STATES[0], "and it is not in use"


class Answering:
    """An observer that reads and changes the world that calls it."""

    def __init__(self, world: World) -> None:
        self.world, self.saved, self.depth = world, list[bytes](), 0

    def changed(self, _: object) -> None:
        self.saved.append(self.world.save())
        if self.depth == 0:
            self.depth = 1
            self.world.turn(3, 9)
            self.depth = 0

    def stepped(self, _: object) -> None:
        self.saved.append(self.world.save())

    def loaded(self) -> None:
        self.saved.append(self.world.save())


def test_an_observer_may_call_the_world_but_nothing_gets_into_its_calls() -> None:
    """A callback is refused while the observer's own call is inside: its answers are whole."""

    def watched() -> tuple[World, Answering]:
        world = world_at(0)
        observer = Answering(world)
        world.attach(observer)
        return world, observer

    refused = 0
    for at in places(lambda: watched()[0].move(1, 5, 6, 7)):
        world, observer = watched()
        swapper = Swapper(lambda i, w=world: w.load(STATES[i]))
        with called_at_every_instruction(swapper, skip=at, every=10**9):
            world.move(1, 5, 6, 7)
        for state in observer.saved:
            World(8).load(state)
        world.detach(observer)
        refused += swapper.refused
    assert refused


def test_an_observer_that_raises_leaves_the_world_free() -> None:
    class Raising(Answering):
        def changed(self, _: object) -> None:
            raise LookupError("no")

    world = world_at(0)
    world.attach(Raising(world))
    with pytest.raises(LookupError):
        world.move(1, 5, 6, 7)
    assert world[1].pose.x == 5


# Other objects that share the lock of a world.

FRAMES = FrameData(
    {"hurt": Part(Sphere(100)), "fist": Part(Box(50, 50, 50), offset=(80, 0, 0), active=False)},
    {"jab": Attack(9, {"fist": range(2, 5)})},
)


def body() -> Body:
    return Body(World(8), FRAMES, Pose(0, 0, 0), ids=2, owner=7)


BODY: dict[str, Call] = {
    "save": lambda b: b.save(),
    "hash": lambda b: b.hash(),
    "repr": repr,
    "pose": lambda b: b.pose,
    "victims": lambda b: b.victims,
    "phase": lambda b: b.phase,
    "tick": lambda b: b.tick(),
    "turn": lambda b: b.turn(99),
    "set_active": lambda b: b.set_active(True),
    "mirror": lambda b: b.mirror(True),
}


@each("name", BODY)
def test_an_answer_of_a_body_is_of_one_state(name: str) -> None:
    call = BODY[name]

    def at(state: int) -> Body:
        made = body()
        if state:
            change(made)
        return made

    def change(of: Body) -> None:
        of.start("jab")
        for victim in (5, 3, 4):
            of.strike(victim)
        of.set_pose(Pose(9, 8, 7, 6))

    def after(of: Body) -> tuple[bytes, ...]:
        return of.save(), of._world.save()

    wholes, ends = [], []
    for state in (0, 1):
        made = at(state)
        wholes.append(outcome(call, made))
        ends.append(after(made))
    late = at(0)
    outcome(call, late)
    change(late)
    ends.append(after(late))
    for n in places(lambda: outcome(call, body())):
        made, count = body(), [0, 0]

        def callback(of: Body = made, count: list[int] = count) -> None:
            try:
                of.save()
            except RuntimeError:
                count[1] += 1
            else:
                change(of)
                count[0] += 1

        with called_at_every_instruction(callback, skip=n, every=10**9):
            found = outcome(call, made)
        assert found in wholes
        assert after(made) in ends


def test_a_contact_of_hitboxes_is_of_one_state() -> None:
    planes = TwoPlanes(4)
    size = Hitbox(circle(10), 10, 10)
    planes.add(0, size, (0, 0, 0))
    planes.add(1, size, (5, 0, 0))
    states = [planes.world.save()]
    planes.world.move_many([0, 1, 4, 5], [(900, 0, 0), (905, 0, 0)] * 2)
    states.append(planes.world.save())
    for call in (planes.contact, planes.push_out, planes.lift):
        planes.world.load(states[0])
        whole = call(0, 1)
        swapper = Swapper(lambda i: planes.world.load(states[i]))
        with called_at_every_instruction(swapper):
            assert call(0, 1) == whole
        assert swapper.refused


def test_a_random_number_is_its_own_callers() -> None:
    draws = Random(1)

    def other() -> None:
        draws.between(10**9, 2 * 10**9)

    with called_at_every_instruction(other):
        found = [draws.between(1, 6) for _ in range(20)]
    assert all(1 <= number <= 6 for number in found)


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_a_log_is_right_wherever_a_callback_comes(tmp_path: Path, ending: str) -> None:
    """Changes that are refused are in neither world nor log; those that are made are in both."""
    at = 0
    while at < 400:
        world, path = first(), tmp_path / f"{at}{ending}"
        count = [0, 0]
        with Recorder(world, path) as recorder:

            def callback(world: World = world, count: list[int] = count) -> None:
                try:
                    world.move(2, 6, 6, 6)
                    count[0] += 1
                except RuntimeError:
                    count[1] += 1

            with called_at_every_instruction(callback, skip=at, every=10**9):
                recorder.query(Sphere(1000), Pose(0, 0, 0))
                world.move(1, 5, 6, 7)
                world.step()
            world.step()
        if not any(count):
            break
        reported = replay(path)
        assert (reported.verdict, reported.hash) == (Verdict.IDENTICAL, f"{world.hash():016x}")
        at += 13


# As they come in real programs.


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
def test_a_signal_handler_gets_a_whole_answer_or_is_refused() -> None:
    world = world_at(0)
    swapper = Swapper(lambda i: world.load(STATES[i]))
    wholes = {name: [outcome(call, world_at(i)) for i in (0, 1)] for name, call in READING.items()}
    found: list[Any] = []
    before = signal.signal(signal.SIGALRM, lambda *_: swapper())
    try:
        for _ in range(10_000):
            for name, whole in wholes.items():
                signal.setitimer(signal.ITIMER_REAL, 20e-6)
                found.append((name, outcome(READING[name], world) in whole))
            if swapper.refused > 20 and swapper.swapped > 200:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert {name for name, is_whole in found if not is_whole} == set()
    assert swapper.swapped > 200


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers here")
def test_a_signal_handler_that_raises_leaves_the_world_free_and_whole() -> None:
    class StopError(Exception):
        pass

    def raise_it(*_: object) -> None:
        raise StopError

    world, raised = world_at(0), 0
    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        for n in range(20_000):
            try:
                signal.setitimer(signal.ITIMER_REAL, (10 + n % 90) * 1e-6)
                for call in READING.values():
                    call(world)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except StopError:
                raised += 1
            if raised > 300:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert raised > 100
    assert world.save() == STATES[0]


class Garbage:
    """A cycle whose finalizer calls a world."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call, self.me = call, self

    def __del__(self) -> None:
        if running:
            self.call()


running = False


def test_a_finalizer_gets_a_whole_answer_or_is_refused() -> None:
    global running
    world = world_at(0)
    swapper = Swapper(lambda i: world.load(STATES[i]))
    wholes = {name: [outcome(call, world_at(i)) for i in (0, 1)] for name, call in READING.items()}
    thresholds = gc.get_threshold()
    running = True
    try:
        gc.set_threshold(1, 1, 1)
        for _ in range(100):
            for name, whole in wholes.items():
                Garbage(swapper)  # one object more than there were: a collection is near
                assert outcome(READING[name], world) in whole, name
    finally:
        running = False
        gc.set_threshold(*thresholds)
    assert swapper.swapped
    assert swapper.refused

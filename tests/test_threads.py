"""Threads: what releases the GIL, worlds apart on many threads, one world on several, the kernel
under a race detector. Nothing is asserted on time: where a test waits for two things to happen at
once it tries again, and fails if they never do."""

from __future__ import annotations

import random
import shutil
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tools import ran

from fixsync import Box, Pose, Sphere, World
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "csrc"
NATIVE = ROOT / "tests" / "native"
HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")
TRIES = 50_000
"""Until both are seen at once. On one busy processor it takes some hundred."""


@contextmanager
def nobody_made_to_yield() -> Iterator[None]:
    """Here a thread gives up the GIL of its own accord or not at all."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Caller(threading.Thread):
    """Makes a call over and over, and tells whether it is within one."""

    def __init__(self, call: Callable[[], object], tries: int) -> None:
        super().__init__(daemon=True)
        self.call, self.tries, self.inside, self.enough = call, tries, False, False

    def run(self) -> None:
        for _ in range(self.tries):
            if self.enough:
                return
            self.inside = True
            self.call()
            self.inside = False


def seen_at_once(*calls: Callable[[], object], tries: int = TRIES) -> bool:
    """Whether this thread ran while all the others were within their calls."""
    with nobody_made_to_yield():
        callers = [Caller(call, tries) for call in calls]
        for caller in callers:
            caller.start()
        seen = False
        while not seen and all(caller.is_alive() for caller in callers):
            seen = all(caller.inside for caller in callers)
            time.sleep(0)
        for caller in callers:
            caller.enough = True
        for caller in callers:
            caller.join()
    return seen


def crowd(count: int = 1500, seed: int = 0) -> World:
    """A world with so many pairs that a call of it takes milliseconds."""
    draw = random.Random(seed)
    world = World(count)
    for id in range(count):
        shape = draw.choice([Sphere(900), Box(700, 400, 600)])
        place = (draw.randrange(-9000, 9000), 0, draw.randrange(-9000, 9000))
        world.add(id, shape, Pose(*place, draw.randrange(65536)))
    return world


def long_calls(world: World) -> dict[str, Callable[[], object]]:
    question = (Sphere(9000), Pose(0, 0, 0))
    shot = (Sphere(500), Pose(-9000, 0, 0), (18_000, 0, 0))
    questions, shots = [question] * 200, [shot] * 20
    state = world.save()
    return {
        "step": world.step,
        "save": world.save,
        "hash": world.hash,
        "load": lambda: world.load(state),
        "query_many": lambda: world.query_many(questions),
        "cast_many": lambda: world.cast_many(shots),
    }


@pytest.mark.parametrize("name", [*long_calls(World(1))])
def test_another_thread_runs_while_a_world_is_within_a_long_call(name: str) -> None:
    world = crowd()
    world.step()
    assert seen_at_once(long_calls(world)[name])


@pytest.mark.skipif(not HAS_GIL, reason="nothing holds a GIL here")
def test_a_call_that_holds_the_gil_would_be_noticed() -> None:
    """What the test before relies on."""
    numbers = list(range(20_000))
    assert not seen_at_once(lambda: sorted(numbers), tries=200)


def test_two_worlds_are_within_their_steps_at_the_same_time() -> None:
    first, second = crowd(seed=1), crowd(seed=2)
    assert seen_at_once(first.step, second.step)


def test_many_worlds_on_many_threads_answer_as_each_does_alone() -> None:
    def play(seed: int) -> list[object]:
        draw, world, answers = random.Random(seed), crowd(60, seed), []
        for _ in range(40):
            id = draw.randrange(60)
            world.move(id, draw.randrange(-9000, 9000), 0, draw.randrange(-9000, 9000))
            answers += [world.step(), world.query(Sphere(3000), Pose(0, 0, 0)), world.hash()]
            world.load(world.save())
        return answers

    found: dict[int, list[object]] = {}
    start = threading.Barrier(6)

    def run(seed: int) -> None:
        start.wait()
        found[seed] = play(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(6)]
    with switching_often():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {seed: play(seed) for seed in range(6)}


@contextmanager
def switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def call(world: World, draw: random.Random) -> None:
    """One call of a world, of any kind, with arguments that it takes."""
    ids = range(world.capacity)
    id = draw.choice(ids)
    pose = Pose(draw.randrange(-9000, 9000), 0, draw.randrange(-9000, 9000), draw.randrange(65536))
    what: Any = draw.choice(
        [
            world.step,
            world.step,
            lambda: world.set_pose(id, pose),
            lambda: world.move_many(
                [id, 0, 1], [(pose.x, 0, pose.z), (0, 0, 0), (pose.z, 0, pose.x)]
            ),
            lambda: world.set_active(id, draw.random() < 0.8),
            lambda: world.separate([(0, 0)]),
            lambda: world.query(Sphere(2000), pose),
            lambda: world.cast(Sphere(100), pose, (5000, 0, 0)),
            lambda: world.hits(),
            lambda: world.copy().step(),
            lambda: world.hash(),
        ]
    )
    what()


def test_one_world_on_several_threads_refuses_all_but_one_and_stays_whole(tmp_path: Path) -> None:
    """What got through is in its log, in an order in which one thread could have done it."""
    world = crowd(300)
    refused, failed = [0] * 4, list[Exception]()
    start = threading.Barrier(4)

    def play(player: int) -> None:
        draw = random.Random(player)
        start.wait()
        made = 0
        while not failed and (made < 60 or (sum(refused) == 0 and made < TRIES)):
            try:
                call(world, draw)
                made += 1
            except RuntimeError as error:
                refused[player] += 1
                if "in use by another thread" not in str(error):
                    failed.append(error)
                time.sleep(0)
            except Exception as error:  # reported below, in the thread that can fail the test
                failed.append(error)

    path = tmp_path / "match.jsonl"
    with Recorder(world, path):
        with switching_often():
            threads = [threading.Thread(target=play, args=(player,)) for player in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        world.step()
    assert failed == []
    assert sum(refused) > 0, "or nothing was tried here"
    assert World.from_bytes(world.save(), world.capacity).save() == world.save()
    reported = replay(path)
    assert reported.verdict is Verdict.IDENTICAL, reported
    assert reported.hash == f"{world.hash():016x}"


# The kernel alone.


@pytest.fixture(scope="module")
def racers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs the threads of threads.c under ThreadSanitizer."""
    compiler = next((name for name in ("gcc", "clang") if shutil.which(name)), None)
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("neither gcc nor clang here, or no Linux")
    program = tmp_path_factory.mktemp("race") / "threads"
    options = [
        "-std=c11",
        "-O1",
        "-g",
        "-fsanitize=thread",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{CSRC}",
    ]
    sources = [NATIVE / "threads.c", *sorted(CSRC.glob("*.c"))]
    command = [compiler, *options, *sources, "-pthread", "-o", program]
    built = ran(command)
    if built.returncode and "tsan" in built.stderr:
        pytest.skip(f"{compiler} has no ThreadSanitizer here")
    assert built.returncode == 0, built.stderr
    # ThreadSanitizer's map of the memory does not fit every kernel's random addresses.
    return [*(["setarch", "-R"] if shutil.which("setarch") else []), str(program)]


@pytest.mark.full
def test_the_kernel_has_no_race_between_worlds_nor_between_readers_of_one(
    racers: list[str],
) -> None:
    done = ran(racers)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "8 threads, each with a world; 4 readers of one world\n"


@pytest.mark.full
def test_one_world_on_two_threads_is_a_race_that_is_seen(racers: list[str]) -> None:
    """What the test before relies on."""
    done = ran([*racers, "one world"])
    assert "WARNING: ThreadSanitizer: data race" in done.stderr

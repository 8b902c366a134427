"""The ring of states in C: it keeps the last frames, and loads each of them to the byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from fixsync import RAY, Pose, Sphere, World, q
from fixsync._native.raw import ffi, lib

MOST = 2**32


def ring(frames: int, own_size: int, state_size: int) -> Any:
    size = lib.fxs_rewind_size(frames, own_size, state_size)
    assert size
    memory = ffi.new("uint64_t[]", [0x5A5A5A5A5A5A5A5A] * (size // 8))
    made = ffi.cast("fxs_rewind *", memory)
    assert lib.fxs_rewind_init(made, frames, own_size, state_size) == 0
    return made, memory


def at_frame(frame: int) -> World:
    world = World(4)
    state = bytearray(world.save())
    state[4:8] = (frame % MOST).to_bytes(4, "little")
    world.load(bytes(state))
    world.add(1, Sphere(500), Pose(0, 0, 0))
    world.add(2, Sphere(500), Pose(0, 0, 0))
    return world


@examples(300)
@given(
    st.integers(1, 6),
    st.sampled_from([0, 100, MOST - 3]),
    st.lists(st.integers(-1, 7), max_size=40),
    st.sampled_from([0, 1, 8, 13]),
)
def test_the_ring_keeps_the_last_frames_through_any_rollbacks(
    frames: int, start: int, actions: list[int], own_size: int
) -> None:
    """-1: a frame goes by; n: back to n frames ago, if it is kept."""
    world, other = at_frame(start), World(4)
    rewind, memory = ring(frames, own_size, 600)
    at = ffi.new("uint64_t *")
    kept: dict[int, tuple[bytes, bytes]] = {}
    own = bytes(range(own_size))

    def push() -> None:
        nonlocal kept
        frame = world.frame
        assert lib.fxs_rewind_push(rewind, world._native._world, own) == 0
        keys = [*kept]
        kept = {f: kept[f] for f in keys[: keys.index(frame)]} if frame in kept else kept
        kept[frame] = world.save(), own
        kept = {f: kept[f] for f in [*kept][-frames:]}

    push()
    for turn, action in enumerate(actions):
        if action < 0:
            world.move(1, turn * 300, 0, 0)
            world.step()
            own = bytes((turn + i) % 256 for i in range(own_size))
            push()
        else:
            frame = (world.frame - action) % MOST
            back = ffi.new("uint8_t[]", own_size + 1)
            status = lib.fxs_rewind_load(rewind, frame, other._native._world, back, at)
            if frame not in kept:
                assert status == lib.FXS_E_RANGE
                continue
            assert status == 0
            assert (other.save(), bytes(back)[:own_size]) == kept[frame]
            world.load(other.save())
            own = bytes(back)[:own_size]
        assert lib.fxs_rewind_count(rewind) == len(kept)
        assert lib.fxs_rewind_oldest(rewind) == next(iter(kept))
    del memory


def test_what_the_ring_cannot_keep_is_refused_and_changes_nothing() -> None:
    world = at_frame(10)
    size = len(world.save())
    rewind, memory = ring(3, 0, size)
    push = lambda: lib.fxs_rewind_push(rewind, world._native._world, ffi.NULL)  # noqa: E731
    assert push() == 0
    before = bytes(ffi.buffer(memory))
    for frame in (9, 12):
        world.load(at_frame(frame).save())
        assert push() == lib.FXS_E_ORDER
    world.load(at_frame(11).save())
    world.add(3, Sphere(500), Pose(0, 0, 0))
    assert push() == lib.FXS_E_ROOM
    assert bytes(ffi.buffer(memory)) == before


def test_a_state_that_another_world_cannot_hold_is_refused_where_load_refuses_it() -> None:
    world, smaller = at_frame(0), World(2)
    rewind, memory = ring(1, 4, 600)
    assert lib.fxs_rewind_push(rewind, world._native._world, b"abcd") == 0
    at, own = ffi.new("uint64_t *"), ffi.new("char[]", b"wxyz")
    before = smaller.save()
    status = lib.fxs_rewind_load(rewind, 0, smaller._native._world, own, at)
    assert (status, at[0]) == (lib.FXS_E_STATE, 144 + 52)
    assert (smaller.save(), ffi.string(own)) == (before, b"wxyz")
    del memory


@pytest.mark.parametrize(
    ("frames", "own", "state"), [(0, 0, 1), (1, 2**48, 1), (1, 0, 2**48), (2**32 - 1, 0, 2**30)]
)
def test_sizes_out_of_range_are_refused(frames: int, own: int, state: int) -> None:
    assert lib.fxs_rewind_size(frames, own, state) == 0
    memory = ffi.new("uint64_t[]", 8)
    made = ffi.cast("fxs_rewind *", memory)
    assert lib.fxs_rewind_init(made, frames, own, state) == lib.FXS_E_CONFIG


def test_misaligned_memory_is_refused() -> None:
    memory = ffi.new("uint8_t[]", 2000)
    off = ffi.cast("fxs_rewind *", memory + 4)
    assert lib.fxs_rewind_init(off, 1, 0, 600) == lib.FXS_E_CONFIG


def test_the_size_is_what_the_header_says() -> None:
    for frames, own, state in ((1, 0, 600), (60, 13, 601)):
        slot = 8 + -(-own // 8) * 8 + -(-state // 8) * 8
        assert lib.fxs_rewind_size(frames, own, state) == 32 + frames * slot
    most = 2**48 - 40
    assert lib.fxs_rewind_size(1, 0, most) == lib.fxs_rewind_size(1, most, 0) == 2**48
    assert lib.fxs_rewind_size(1, 0, most + 1) == lib.fxs_rewind_size(1, most, 1) == 0


def test_a_cast_of_the_past_meets_what_was_there_and_the_present_stays() -> None:
    world, past = World(4), World(4)
    world.add(1, Sphere(q(1)), Pose(0, 0, 0))
    rewind, memory = ring(8, 0, 160 + 56 * 4 + 12 * 64)
    for x in range(20):
        world.move(1, q(x), 0, 0)
        world.step()
        assert lib.fxs_rewind_push(rewind, world._native._world, ffi.NULL) == 0
    now = world.save()
    at = ffi.new("uint64_t *")
    for frame in range(13, 21):
        assert lib.fxs_rewind_load(rewind, frame, past._native._world, ffi.NULL, at) == 0
        (hit,) = past.cast(RAY, Pose(0, 0, 0), (q(64), 0, 0))
        assert hit.fraction == (65536 * (q(frame - 2) - 1)) // q(64)
    assert world.save() == now
    del memory

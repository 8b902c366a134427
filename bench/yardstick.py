"""Yardsticks: what an empty call, copying memory and sorting cost on this machine, in this run.

All times here and in the other modules are processor time of this process, which uses one thread:
what other processes do changes caches and clocks, but is not counted."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time_ns
from typing import Any

from cffi import FFI

from fixsync._native.raw import lib
from fixsync.game.random import Random
from fixsync.world import World

__all__ = ["compiled", "empty_call", "least", "sort_and_copy"]

_DECLARATIONS = """
void yardstick(uint64_t n, const uint8_t *records, uint8_t *copy, uint32_t *keys, uint32_t *spare);
typedef int32_t (*cast_pair)(const void *, const void *, const int32_t *, const void *, const void *,
                             const int32_t *, uint32_t, int32_t *, int32_t *);
uint32_t casts(uint32_t n, cast_pair call, const uint32_t *movers);
typedef void (*direction)(uint16_t yaw, int32_t *cos_q30, int32_t *sin_q30);
void plain_contacts(uint64_t n, direction of_yaw, const int32_t *a, const int32_t *pose_a, const int32_t *b,
                    const int32_t *pose_b, uint8_t *contacts);
"""


def least(run: Callable[[], Any], *, calls: int = 1, repeats: int = 20) -> float:
    """Nanoseconds of one of `calls` calls in the fastest of several runs of them."""
    times = []
    steps = range(calls)
    for _ in range(repeats):
        began = process_time_ns()
        for _ in steps:
            run()
        times.append(process_time_ns() - began)
    return min(times) / calls


def empty_call() -> float:
    """Nanoseconds of a call of the kernel that does next to nothing, `fxs_world_frame`: a pointer
    in, a number out."""
    call, world = lib.fxs_world_frame, World(1)._native._world
    times = []
    for _ in range(60):
        began = process_time_ns()
        for _ in range(250):
            call(world), call(world), call(world), call(world)
        times.append(process_time_ns() - began)
    return min(times) / 1000


def compiled(compiler: str = "cc") -> tuple[FFI, Any] | None:
    """yardstick.c, compiled and loaded; None without a compiler."""
    found = shutil.which(compiler)
    if found is None:
        return None
    ffi = FFI()
    ffi.cdef(_DECLARATIONS)
    source = Path(__file__).with_name("yardstick.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "yardstick.so"
        command = [found, "-O3", "-shared", "-fPIC", "-o", str(library), str(source)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return ffi, ffi.dlopen(str(library))


def sort_and_copy(count: int) -> float | None:
    """Nanoseconds a record of copying `count` records of 32 bytes and sorting as many random 32-bit
    keys by three passes of a radix sort; None without a compiler."""
    made = compiled()
    if made is None:
        return None
    ffi, library = made
    random = Random(1)
    given = [random.below(2**32) for _ in range(count)]
    keys, first = ffi.new("uint32_t[]", count), ffi.new("uint32_t[]", given)
    spare = ffi.new("uint32_t[]", count)
    records, copy = ffi.new("uint8_t[]", 32 * count), ffi.new("uint8_t[]", 32 * count)
    times = []
    for _ in range(30):
        ffi.memmove(keys, first, 4 * count)
        began = process_time_ns()
        library.yardstick(count, records, copy, keys, spare)
        times.append(process_time_ns() - began)
    if list(spare) != sorted(given):
        raise RuntimeError("the yardstick does not sort")
    return min(times) / count

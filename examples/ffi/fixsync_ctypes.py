"""Calls the kernel's shared library with ctypes. Any language that can call C can do the same.

    cmake -S csrc -B build/shared -DBUILD_SHARED_LIBS=ON && cmake --build build/shared
    python examples/ffi/fixsync_ctypes.py build/shared/libfixsync.so

With a second argument `layout` it prints the layout of the structures, to compare it with a C
compiler's."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_int32, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import ClassVar

VERSION = (0, 3)
ONE = 65536
SPHERE, CAPSULE = 0, 1
TOUCHING = 1
KINDS = ("", "ENTER", "STAY", "EXIT")


class Shape(ctypes.Structure):
    _fields_: ClassVar = [("kind", c_uint32), ("half_angle", c_uint32), ("size", c_int32 * 3)]


class Pose(ctypes.Structure):
    _fields_: ClassVar = [("x", c_int32), ("y", c_int32), ("z", c_int32), ("yaw", c_uint32)]


class Collider(ctypes.Structure):
    _fields_: ClassVar = [
        ("id", c_uint32),
        *((name, c_uint8) for name in ("kind", "layer", "active", "zero")),
        *((name, c_uint16) for name in ("yaw", "half_angle")),
        ("owner", c_uint32),
        *((name, c_int32) for name in ("x", "y", "z", "ox", "oy", "oz")),
        ("size", c_int32 * 3),
    ]


class Event(ctypes.Structure):
    _fields_: ClassVar = [(name, c_uint32) for name in ("a", "b", "kind", "contact")]


class Query(ctypes.Structure):
    _fields_: ClassVar = [
        ("shape", Shape),
        ("pose", Pose),
        ("mask", c_uint32),
        ("exclude_owner", c_uint32),
    ]


class Config(ctypes.Structure):
    _fields_: ClassVar = [
        *((name, c_uint32) for name in ("capacity", "hit_capacity", "hit_when")),
        ("layers", c_uint32 * 32),
    ]


class Counts(ctypes.Structure):
    _fields_: ClassVar = [("hits", c_uint64), ("events", c_uint64)]


STRUCTURES = {
    "fxs_shape": Shape,
    "fxs_pose": Pose,
    "fxs_collider": Collider,
    "fxs_event": Event,
    "fxs_query": Query,
    "fxs_config": Config,
    "fxs_counts": Counts,
}

PROTOTYPES = {
    "fxs_version": (c_uint32, []),
    "fxs_semantics": (c_uint32, []),
    "fxs_world_size": (c_uint64, [POINTER(Config)]),
    "fxs_world_init": (c_int32, [c_void_p, POINTER(Config)]),
    "fxs_world_add": (c_int32, [c_void_p, POINTER(Collider)]),
    "fxs_world_move": (c_int32, [c_void_p, c_uint32, c_int32, c_int32, c_int32]),
    "fxs_world_step": (c_int32, [c_void_p, POINTER(Event), c_uint64, POINTER(Counts)]),
    "fxs_world_query": (
        c_int32,
        [c_void_p, POINTER(Query), POINTER(c_uint32), c_uint64, POINTER(c_uint64)],
    ),
    "fxs_world_save_size": (c_uint64, [c_void_p]),
    "fxs_world_save": (None, [c_void_p, POINTER(c_uint8)]),
    "fxs_world_load": (c_int32, [c_void_p, POINTER(c_uint8), c_uint64, POINTER(c_uint64)]),
    "fxs_world_hash": (c_uint64, [c_void_p]),
}
"""Result and arguments. Without them ctypes treats a result as a C int and truncates 64 bits."""


def library(path: str) -> ctypes.CDLL:
    """Load the library at a path. RuntimeError if its version is not VERSION."""
    lib = ctypes.CDLL(path)
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    found = lib.fxs_version()
    if (found >> 16, found >> 8 & 255) != VERSION:
        raise RuntimeError(
            f"{path} is fixsync {found >> 16}.{found >> 8 & 255}, not {VERSION[0]}.{VERSION[1]}"
        )
    return lib


def ok(status: int) -> None:
    if status < 0:
        raise ValueError(f"fixsync: status {status}")


def show_layout() -> None:
    for name, structure in STRUCTURES.items():
        fields = (
            f"{field[0]}:{getattr(structure, field[0]).offset}" for field in structure._fields_
        )
        print(name, ctypes.sizeof(structure), *fields)


def play(lib: ctypes.CDLL) -> None:
    """A ball flies through a body; after a rollback it does so again."""
    config = Config(4, 8, TOUCHING, (c_uint32 * 32)(*[0xFFFFFFFF] * 32))
    size = lib.fxs_world_size(config)
    words = (c_uint64 * (size // 8 + 1))()  # an array of 64-bit words is aligned to 8
    world = ctypes.addressof(words)
    ok(lib.fxs_world_init(world, config))
    body = Collider(id=1, kind=CAPSULE, active=1, owner=1, size=(ONE // 2, ONE, 0))
    ball = Collider(id=2, kind=SPHERE, active=1, owner=2, x=-2 * ONE, size=(ONE // 4, 0, 0))
    ok(lib.fxs_world_add(world, body))
    ok(lib.fxs_world_add(world, ball))

    events, counts, at = (Event * 16)(), Counts(), c_uint64()
    saved = (c_uint8 * lib.fxs_world_save_size(world))()
    lib.fxs_world_save(world, saved)
    hashes = []
    for _ in range(2):
        ok(lib.fxs_world_load(world, saved, len(saved), at))
        for frame in range(1, 9):
            ok(lib.fxs_world_move(world, 2, (frame - 4) * ONE // 2, 0, 0))
            ok(lib.fxs_world_step(world, events, len(events), counts))
            for event in events[: counts.events]:
                print(frame, event.a, event.b, KINDS[event.kind], event.contact)
        hashes.append(lib.fxs_world_hash(world))
    if hashes[0] != hashes[1]:
        raise RuntimeError("the frames differ after a rollback")

    ids, found = (c_uint32 * 4)(), c_uint64()
    query = Query(Shape(SPHERE, 0, (ONE, 0, 0)), Pose(0, 0, 0, 0), 0xFFFFFFFF, 0)
    ok(lib.fxs_world_query(world, query, ids, len(ids), found))
    print("query:", *ids[: found.value])
    print(f"hash {hashes[0]:016x}")


def main() -> None:
    lib = library(sys.argv[1])
    if sys.argv[2:] == ["layout"]:
        show_layout()
    else:
        play(lib)


if __name__ == "__main__":
    main()

"""The header: its comments name every status, and no function returns another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tools import each

import fixsync
from fixsync._native.raw import ffi, lib

CSRC = Path(__file__).resolve().parent.parent / "csrc"
HEADER = (CSRC / "fixsync.h").read_text(encoding="ascii")
BOTH = HEADER + (CSRC / "fixsync_kit.h").read_text(encoding="ascii")
# Each function, and the comment right above it in one line.
COMMENTS = {
    name: " ".join(comment.replace("\n *", "\n").split())
    for comment, name in re.findall(
        r"/\*((?:(?!\*/).)*)\*/\nFXS_API [^;]*?\b(fxs_\w+)\(", BOTH, re.DOTALL
    )
}
# Its type, and the type and name of each parameter; a vector is a pointer.
DECLARATIONS = {
    name: (
        kind,
        [
            (type + " *" if length else type, word)
            for type, word, length in re.findall(
                r"\s*(.*?)(\w+)(\[\d+\])?(?:,|$)", " ".join(parameters.split())
            )
        ],
    )
    for kind, name, parameters in re.findall(
        r"^FXS_API (\w+) (fxs_\w+)\(([^;]*)\);", BOTH, re.MULTILINE
    )
    if parameters != "void"
}
# These return a negative number that is not a status.
NO_STATUS = {"fxs_yaw_between"}
STATUSES = {getattr(lib, name): name for name in re.findall(r"#define (FXS_E_\w+)", HEADER)}


def returns_statuses(name: str) -> bool:
    return DECLARATIONS.get(name, ("",))[0].startswith("int") and name not in NO_STATUS


def test_the_comment_of_every_function_ends_with_its_cost() -> None:
    assert len(COMMENTS) == BOTH.count("\nFXS_API ")
    for name, comment in COMMENTS.items():
        assert re.search(r"\. Cost: [^.]+\.$", comment), name


def test_the_comment_of_every_function_says_what_it_returns_or_that_it_cannot_fail() -> None:
    for name, comment in COMMENTS.items():
        if returns_statuses(name):
            assert " Returns " in comment, name
        else:
            assert "Cannot fail" in comment or name == "fxs_world_size", name


# A prism and a cylinder, one of them in the way of what is at the end of int32.
LEVEL = fixsync.Level(
    [
        fixsync.Prism([(-50, -50), (50, -50), (0, 50)], -50, 50),
        fixsync.Pillar(2**31 - 40, 0, 100, -(2**31), 2**31 - 1),
    ]
).to_bytes()
EDGE = 2**31 - 1
CAPACITY = 8
SHAPES = [
    *((0, 0, [50, 0, 0]), (3, 0, [50, 50, 50]), (4, 8192, [50, 50, 0])),
    *((9, 0, [1, 0, 0]), (0, 0, [0, 0, 0]), (0, 1, [50, 0, 0])),
]
POSES = [(0, 0, 0, 0), (0, 0, 0, 65536)]
FARTHER = [*POSES, (EDGE - 19, 0, 0, 0)]
MOTIONS = ([90, 0, 0], [2**29, 0, 0])
# Values of structures.
ROWS = {
    "fxs_shape": SHAPES,
    "fxs_pose": [*POSES, (EDGE, 0, 0, 49152)],
    "fxs_query": [
        (shape, pose, 0xFFFFFFFF, 0, hit_when)
        for shape, pose, hit_when in itertools.product(SHAPES, FARTHER, (0, 3))
    ],
    "fxs_solid": [(2, 0, 0, -1, 1, [5, 6, 7]), (4, 0, 0, -1, 1), (5, 0, 33, -1, 1)],
    "fxs_cast": [
        (shape, pose, motion, 0xFFFFFFFF, 0, 0, hit_when)
        for shape, pose, motion, hit_when in itertools.product(SHAPES, FARTHER, MOTIONS, range(4))
    ],
}
# Values of numbers, by the names of parameters.
NUMBERS = {
    "id a b": [1, 2, 3, 5, CAPACITY, lib.FXS_LEVEL, lib.FXS_LEVEL + 1],
    "x y z ox oy oz": [0, EDGE],
    "dx dy dz": [0, 2**32],
    "event_capacity id_capacity hit_capacity moved_capacity vertex_capacity capacity": [0, 64],
    "n": [1],
    "limit": [0],
    "index": [0, 2],
    "passes": [1, 9],
    "segments": [2, 9],
    "hit_when": [0, 1, 2, 3],
    "yaw": [0, 49152, 65536],
    "half_angle": [1, 0],
    "length": [1, -(2**31)],
    "owner": [0, 7],
    "layer": [0, 32],
    "active": [0, 1, 2],
}
# Values of arrays, by the name of the parameter.
ARRAYS = {
    "motion": ("int32_t[3]", MOTIONS),
    "positions": ("int32_t[3]", ([0, 0, 0], [0, 0, EDGE])),
    "ids": ("uint32_t[1]", ([1], [2], [3], [5], [CAPACITY])),
    "masks": ("uint32_t[32]", ([*[0] * 31, 1 << 31], [*[0] * 31, 1])),
    "yields": ("uint32_t[32]", ([0xFFFFFFFF] * 32,)),
}


class Pool:
    """Arguments for every function, good and bad ones, by type or name. One world has bodies in
    each other at the end of int32, with hits of a step, and another the same colliders and no room
    for hits."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        memory = self.new("uint64_t[]", lib.fxs_level_size(LEVEL, len(LEVEL)) // 8 + 1)
        self.level = ffi.cast("fxs_level *", memory)
        assert lib.fxs_level_init(self.level, LEVEL, len(LEVEL), ffi.NULL) == lib.FXS_OK
        self.worlds = [self.world(64), self.world(0)]
        lib.fxs_world_step(self.worlds[0], self.new("fxs_event[64]"), 64, self.new("fxs_counts *"))
        self.images = [bytes(ffi.buffer(world, self.size(world))) for world in self.worlds]
        self.states = [self.saved(world) for world in self.worlds]

    def new(self, kind: str, value: Any = None) -> Any:
        self.kept.append(ffi.new(kind, value))
        return self.kept[-1]

    def config(self, hit_capacity: int, capacity: int = CAPACITY) -> Any:
        value = (capacity, hit_capacity, lib.FXS_TOUCHING, [0xFFFFFFFF] * 32)
        return self.new("fxs_config *", value)

    def world(self, hit_capacity: int, capacity: int = CAPACITY) -> Any:
        config = self.config(hit_capacity, capacity)
        world = ffi.cast("fxs_world *", self.new("uint64_t[]", lib.fxs_world_size(config) // 8))
        done = [lib.fxs_world_init(world, config), lib.fxs_world_attach(world, self.level)]
        for id, kind, size in (
            *((1, lib.FXS_SPHERE, 90), (2, lib.FXS_BOX, 50), (3, lib.FXS_SECTOR, 50)),
        ):
            done.append(lib.fxs_world_add(world, self.collider(id=id, kind=kind, size=size)))
        assert set(done) == {lib.FXS_OK}
        return world

    def size(self, world: Any) -> int:
        config = self.new("fxs_config *")
        lib.fxs_world_config(world, config)
        size: int = lib.fxs_world_size(config)
        return size

    def saved(self, world: Any) -> bytes:
        out = ffi.new("uint8_t[]", lib.fxs_world_save_size(world))
        lib.fxs_world_save(world, out)
        return bytes(ffi.buffer(out))

    def collider(self, *, id: int = 5, kind: int = 0, size: int = 50, **fields: int) -> Any:
        """At the end of int32 along x, with an offset along z that a quarter of a turn lays along
        x."""
        row = self.new("fxs_collider *")
        row.id, row.kind, row.active, row.x, row.oz = id, kind, 1, EDGE - 10 * id, 100
        row.size = [size, size if kind != lib.FXS_SPHERE else 0, size if kind == lib.FXS_BOX else 0]
        row.half_angle = 8192 if kind == lib.FXS_SECTOR else 0
        for name, value in fields.items():
            setattr(row, name, value)
        return row

    def colliders(self) -> list[Any]:
        bad = {"id": 1, "kind": 9, "zero": 1, "size": 0, "half_angle": 1, "layer": 32, "active": 2}
        rows = [self.collider(), self.collider(id=CAPACITY), self.collider(ox=EDGE)]
        return rows + [self.collider(**{name: value}) for name, value in bad.items()]

    def commands(self) -> list[Any]:
        far = [self.collider(id=id, x=EDGE, ox=9, oz=9) for id in (2, 6)]
        return [
            self.new("fxs_command *", (type, 1, row[0]))
            for type in range(13)
            for row in [*self.colliders(), *far]
        ]

    def arguments(self, kind: str, name: str) -> list[Any]:
        """All that a parameter is given."""
        structure, is_pointer = re.sub(r"const | \*", "", kind), kind.endswith("*")
        named = re.sub("_[ab]$", "", name)
        if not is_pointer:
            return next(values for names, values in NUMBERS.items() if named in names.split())
        if name in ("world", "src", "level", "memory", "dst", "config"):
            misaligned = ffi.cast("fxs_world *", ffi.cast("char *", self.world(64)) + 4)
            if name != "config" or kind.startswith("const"):
                return {
                    "world": self.worlds,
                    "src": self.worlds[:1],
                    "level": [self.level],
                    "memory": [self.world(64), misaligned],
                    "dst": [self.world(64), self.world(0), self.world(64, capacity=9)],
                    "config": [self.config(64), self.config(64, capacity=0)],
                }[name]
        if not kind.startswith("const"):
            return [self.new(f"{structure}[64]")]
        if structure == "fxs_collider":
            return self.colliders()
        if structure == "fxs_command":
            return self.commands()
        if structure in ROWS:
            return [self.new(f"{structure} *", value) for value in ROWS[structure]]
        array, values = ARRAYS[named]
        return [self.new(array, value) for value in values]

    def calls(self, name: str) -> Iterator[tuple[Any, ...]]:
        if name == "fxs_world_load":
            for world, data in itertools.product(
                self.worlds, [self.states[0], self.states[0][:-1], b""]
            ):
                yield world, self.new("uint8_t[]", data), len(data), self.new("uint64_t *")
        elif name == "fxs_level_init":
            for data, shift in itertools.product([LEVEL, LEVEL[:-1], b""], [0, 4]):
                memory = ffi.cast("char *", self.new("uint64_t[]", 512)) + shift
                level = ffi.cast("fxs_level *", memory)
                yield level, self.new("uint8_t[]", data), len(data), self.new("uint64_t *")
        elif name == "fxs_world_sweep_pairs":
            ids = [1, 2, 3, 5, CAPACITY]
            for world, pair, motion, when, room in itertools.product(
                self.worlds, itertools.product(ids, ids), MOTIONS, range(4), [0, 64]
            ):
                rows = self.new("fxs_motion[]", [(id, motion) for id in pair])
                hits = self.new("fxs_pair_hit[64]")
                yield world, rows, 2, when, 0, hits, room, self.new("uint64_t *")
        else:
            parameters = DECLARATIONS[name][1]
            yield from itertools.product(
                *(self.arguments(kind.strip(), word) for kind, word in parameters)
            )

    def restore(self) -> None:
        for world, image in zip(self.worlds, self.images, strict=True):
            ffi.memmove(world, image, len(image))


@cache
def _pool() -> Pool:
    return Pool()


# Those of the kit are in test_kit.py.
@each(
    "name",
    sorted(name for name in DECLARATIONS if returns_statuses(name) and f" {name}(" in HEADER),
)
def test_a_function_returns_the_statuses_that_its_comment_names_and_no_others(name: str) -> None:
    """With every combination of good and bad arguments; and a status means that no world has
    changed."""
    pool, seen = _pool(), set()
    for arguments in pool.calls(name):
        pool.restore()
        answer = getattr(lib, name)(*arguments)
        if answer < 0:
            seen.add(STATUSES[answer])
            if name.startswith("fxs_world_"):
                assert [pool.saved(world) for world in pool.worlds] == pool.states
    assert seen == set(re.findall(r"\bFXS_E_\w+", COMMENTS[name]))

"""A world's memory: growing, reading, saving and loading it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from fixsync._native.checks import shown
from fixsync._native.level import NativeLevel
from fixsync._native.lock import Lock, exclusive
from fixsync._native.raw import UINT32_MAX, CData, ffi, lib, uninitialised
from fixsync._native.rows import COLLIDER, HIT
from fixsync._native.status import refuse_state, unexpected

ROOM_MIN = 64
"""Room for this many hits, or one a collider, comes with a new world. More is made when needed."""
_NO_ROOM: int = lib.FXS_E_ROOM
_IDS = ffi.typeof("uint32_t[]")
_CAST_HITS = ffi.typeof("fxs_cast_hit[]")
_PAIR_HITS = ffi.typeof("fxs_pair_hit[]")
_EVENTS = ffi.typeof("fxs_event[]")
_BYTES_TYPE = ffi.typeof("uint8_t *")

_buffer = ffi.buffer
_world_get = lib.fxs_world_get
_unpack = ffi.unpack
_save_size = lib.fxs_world_save_size
_save = lib.fxs_world_save


class Room:
    """Memory for the rows of an answer. It grows to the size that the kernel asks for."""

    __slots__ = ("_kind", "_row_size", "bytes", "count", "rows", "size")

    def __init__(self, kind: CData) -> None:
        """kind: the type of an array of rows."""
        self._kind = kind
        self._row_size = ffi.sizeof(kind.item)
        self.rows: CData = ffi.NULL
        self.bytes: Any = b""
        """The same memory."""
        self.size = 0
        self.count = ffi.new("uint64_t *")

    def fill(self, call: Callable[..., int], *args: Any) -> int:
        """Calls a function of the kernel that writes rows and their count. Its status, for every
        other reason than room."""
        while (status := call(*args, self.rows, self.size, self.count)) == _NO_ROOM:
            self.grow(self.count[0])
        return status

    def grow(self, needed: int) -> None:
        if needed <= self.size:
            unexpected("an answer", _NO_ROOM)
        size = max(needed, 2 * self.size, ROOM_MIN)
        rows = uninitialised(self._kind, size)
        # No interrupt comes between these three: C never gets a larger number than the room is.
        self.rows, self.bytes, self.size = rows, _buffer(rows), size

    def numbers(self, call: Callable[..., int], *args: Any) -> list[int]:
        """The numbers that a function of the kernel writes for checked arguments."""
        while (status := call(*args, self.rows, self.size, self.count)) != 0:
            if status != _NO_ROOM:
                unexpected("a checked question", status)
            self.grow(self.count[0])
        return _unpack(self.rows, self.count[0]) if self.count[0] else []

    def taken(self) -> bytes:
        """The rows of the last call."""
        return self.bytes[: self.count[0] * self._row_size]


class Observer(Protocol):
    """Called after the world took a change, under its lock: `Lock.lend` calls what uses it."""

    def changed(self, rows: bytes) -> None:
        """Rows of `fxs_command`, in the order in which they were made."""

    def stepped(self, events: bytes) -> None:
        """Rows of `fxs_event`."""

    def loaded(self) -> None: ...


_M = TypeVar("_M", bound="Memory")


class Memory(Lock):
    """The memory of a world under its lock. Functions with a leading underscore are called from
    inside."""

    __slots__ = (
        "_cast_hits",
        "_collider",
        "_collider_bytes",
        "_count",
        "_counts",
        "_events",
        "_hit_room",
        "_ids",
        "_memory",
        "_pair_hits",
        "_scratch",
        "_scratch_room",
        "_world",
        "capacity",
        "level",
        "observer",
    )

    def __init__(
        self,
        capacity: int,
        hit_when: int,
        masks: Sequence[int],
        level: NativeLevel | None = None,
        hit_room: int = 0,
    ) -> None:
        super().__init__()
        self.capacity = capacity
        self.level = level
        self.observer: Observer | None = None
        self._hit_room = hit_room or max(ROOM_MIN, min(capacity, UINT32_MAX))
        config = ffi.new("fxs_config *", (capacity, self._hit_room, hit_when, [*masks]))
        self._memory, self._world = _take_memory(config)
        if level is not None:
            status = lib.fxs_world_attach(self._world, level.pointer)
            if status != 0:
                unexpected("a level", status)
        self._events, self._ids = Room(_EVENTS), Room(_IDS)
        self._cast_hits, self._pair_hits = Room(_CAST_HITS), Room(_PAIR_HITS)
        self._scratch, self._scratch_room = ffi.NULL, 0
        self._counts = ffi.new("fxs_counts *")
        self._count = ffi.new("uint64_t *")
        self._collider = ffi.new("fxs_collider *")
        self._collider_bytes = _buffer(self._collider)

    def _make_hit_room(self, hits: int) -> None:
        """Moves the state into memory with room for so many hits."""
        if hits > UINT32_MAX:
            raise MemoryError(f"{hits} hits at once are more than a world can hold ({UINT32_MAX})")
        config = self._config()
        config.hit_capacity = min(max(hits, 2 * self._hit_room), UINT32_MAX)
        memory, world = _take_memory(config)
        status = lib.fxs_world_copy(world, self._world)
        if status != 0:
            unexpected("a copy into a larger world", status)
        self._memory, self._world, self._hit_room = memory, world, config.hit_capacity

    # Reading.

    @exclusive
    def frame(self) -> int:
        return lib.fxs_world_frame(self._world)

    @exclusive
    def count(self) -> int:
        return lib.fxs_world_count(self._world)

    @exclusive
    def hit_count(self) -> int:
        return lib.fxs_world_hit_count(self._world)

    def _config(self) -> CData:
        config = ffi.new("fxs_config *")
        lib.fxs_world_config(self._world, config)
        return config

    @exclusive
    def hit_when(self) -> int:
        return self._config().hit_when

    def _masks(self) -> tuple[int, ...]:
        """The layer matrix."""
        return tuple(self._config().layers)

    masks = exclusive(_masks)

    @exclusive
    def numbers(self) -> tuple[int, int, int, int]:
        """frame, number of colliders, number of hits, hit_when."""
        world, config = self._world, self._config()
        counts = lib.fxs_world_count(world), lib.fxs_world_hit_count(world)
        return lib.fxs_world_frame(world), *counts, config.hit_when

    def _get(self, id: int) -> bytes | None:
        """The row of a collider, None if it is not there."""
        if _world_get(self._world, id, self._collider) != 0:
            return None
        return self._collider_bytes[:]

    get = exclusive(_get)

    def _all_ids(self) -> list[int]:
        """The ids, ascending."""
        count = lib.fxs_world_count(self._world)
        ids = uninitialised(_IDS, count)
        lib.fxs_world_ids(self._world, ids)
        return _unpack(ids, count) if count else []

    ids = exclusive(_all_ids)

    @exclusive
    def colliders(self) -> bytes:
        """The rows of all colliders, by id."""
        size = lib.fxs_world_count(self._world) * COLLIDER.size
        return self._written(size, "fxs_collider *", lib.fxs_world_colliders)

    @exclusive
    def hits(self) -> bytes:
        """The rows of the last step's hits."""
        size = lib.fxs_world_hit_count(self._world) * HIT.size
        return self._written(size, "fxs_hit *", lib.fxs_world_hits)

    def _written(self, size: int, kind: Any, write: Callable[[CData, CData], None]) -> bytes:
        """The `size` bytes that a function of the kernel writes of this world; `kind`: the type of
        its pointer.

        The memory is kept from call to call. Large new memory for each call would be given back to
        the system every time, and the page faults cost more than the writing."""
        if size > self._scratch_room:
            room = size + size // 4
            self._scratch, self._scratch_room = uninitialised("uint64_t[]", room // 8 + 1), room
        write(self._world, ffi.cast(kind, self._scratch))
        return _buffer(self._scratch, size)[:]

    # State.

    @exclusive
    def save(self) -> bytes:
        return self._written(_save_size(self._world), _BYTES_TYPE, _save)

    def _hash(self) -> int:
        return lib.fxs_world_hash(self._world)

    hash = exclusive(_hash)

    @exclusive
    def load(self, state: bytes) -> None:
        """Replaces the state by a saved one. ValueError, with nothing changed, for other bytes."""
        at, size = self._count, len(state)
        status = lib.fxs_world_load(self._world, state, size, at)
        if status == _NO_ROOM:
            self._make_hit_room(at[0])
            status = lib.fxs_world_load(self._world, state, size, at)
        if status != 0:
            refuse_state(state, int(at[0]), self.capacity, self.level)
        if self.observer is not None:
            self.observer.loaded()

    def _copy(self: _M) -> _M:
        """Another world with the same state, without an observer."""
        config = self._config()
        settings = self.capacity, config.hit_when, config.layers, self.level, self._hit_room
        twin = type(self)(*settings)
        status = lib.fxs_world_copy(twin._world, self._world)
        if status != 0:
            unexpected("a copy", status)
        return twin

    copy = exclusive(_copy)

    # Observers.

    @exclusive
    def attach(self, make: Callable[[Any], Observer]) -> None:
        """Attaches the observer that `make` makes of this world, from inside."""
        if self.observer is not None:
            found = shown(self.observer)
            raise ValueError(f"the world has an observer already: {found}; detach it first")
        self.observer = make(self)

    def _detach(self, observer: object) -> None:
        if self.observer is not observer:
            attached = shown(self.observer)
            raise ValueError(
                f"observer must be the one attached, {attached}, not {shown(observer)}"
            )
        self.observer = None

    detach = exclusive(_detach)


def _take_memory(config: CData) -> tuple[CData, CData]:
    """New memory and, in it, an empty world of this config."""
    size = lib.fxs_world_size(config)
    try:
        memory = uninitialised("uint8_t[]", size + 8)
    except (MemoryError, OverflowError):
        raise MemoryError(
            f"a world of capacity {config.capacity}, with room for {config.hit_capacity} hits, "
            f"needs {size} bytes, which the system does not have"
        ) from None
    world = ffi.cast("fxs_world *", memory + -int(ffi.cast("uintptr_t", memory)) % 8)
    status = lib.fxs_world_init(world, config)
    if status != 0:
        unexpected(f"a config of capacity {config.capacity}", status)
    return memory, world

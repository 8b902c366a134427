"""The answers of a world: colliders, events and hits as named tuples, and sequences of them that
are kept as rows of bytes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, starmap
from struct import Struct
from typing import Any, ClassVar, NamedTuple, TypeVar, final, overload

from fixsync._native.checks import counted, integers
from fixsync._native.raw import UINT32_MAX
from fixsync._native.rows import CAST_HIT, COLLIDER, EVENT, HIT, PAIR_HIT
from fixsync.world.shapes import CONTACTS, Contact, EventKind, Pose, Shape, shape_of_row

COLLIDER_FORMAT = COLLIDER.format
"""One collider for the struct module, 52 bytes in the machine's byte order without padding: id,
kind, layer, active, 0, yaw, half_angle, owner, x, y, z, ox, oy, oz and the three sizes of its
kind."""

COLLIDER_DTYPE: list[Any] = [
    ("id", "u4"),
    ("kind", "u1"),
    ("layer", "u1"),
    ("active", "u1"),
    ("zero", "u1"),
    ("yaw", "u2"),
    ("half_angle", "u2"),
    ("owner", "u4"),
    ("x", "i4"),
    ("y", "i4"),
    ("z", "i4"),
    ("ox", "i4"),
    ("oy", "i4"),
    ("oz", "i4"),
    ("size", "i4", (3,)),
]
"""The same record for NumPy: np.dtype(COLLIDER_DTYPE)."""


_new = tuple.__new__  # faster than a named tuple's own __new__
_shape_of_row = lru_cache(1024)(shape_of_row)  # colliders share few shapes, which do not change


class Collider(NamedTuple):
    """A collider of a world, its parts in the order of `World.add_many`'s records."""

    id: int
    shape: Shape
    pose: Pose
    layer: int
    owner: int
    offset: tuple[int, int, int]
    active: bool


def collider_of_row(*row: int) -> Collider:
    """The collider of the numbers of COLLIDER_FORMAT."""
    id, kind, layer, active, _, yaw, half_angle, owner, x, y, z, ox, oy, oz, a, b, c = row
    shape, pose = _shape_of_row(kind, half_angle, a, b, c), Pose(x, y, z, yaw)
    return _new(Collider, (id, shape, pose, layer, owner, (ox, oy, oz), bool(active)))


@lru_cache(1024)  # a game reads most of them again before they move
def collider_of_bytes(row: bytes) -> Collider:
    """The collider of bytes of COLLIDER_FORMAT."""
    return collider_of_row(*COLLIDER.unpack(row))


class Event(NamedTuple):
    """An event of a step, for a pair a < b."""

    a: int
    b: int
    kind: EventKind
    contact: Contact
    """APART for an EXIT."""


class GameEvent(NamedTuple):
    """An event of the game's own, which `step` of a simulation returns after the world's."""

    a: int
    """0..2^32-1, such as the id of who did it."""
    b: int
    """0..2^32-1, such as the id of who suffered it."""
    kind: int
    """One of the simulation's `event_kinds`."""
    value: int
    """An int32, such as the damage."""


class Hit(NamedTuple):
    """A pair a < b that was a hit at the last step."""

    a: int
    b: int
    contact: Contact


class CastHit(NamedTuple):
    """A collider that a cast hits."""

    id: int
    fraction: int
    """The time of the hit: floor(65536 * t), 0..65536 over the motion."""
    normal: tuple[int, int, int]
    """Q2.30, from the collider towards the cast shape; (0, 0, 0) if they overlap at the start."""


class PairHit(NamedTuple):
    """Two that meet while they move, a < b. b may be a solid."""

    a: int
    b: int
    fraction: int
    """The time of the hit: floor(65536 * t), 0..65536 over the motions."""
    normal: tuple[int, int, int]
    """Q2.30, from b towards a; (0, 0, 0) if they overlap at the start."""


class Moved(NamedTuple):
    """A collider that `World.separate` pushed, and its new position."""

    id: int
    x: int
    y: int
    z: int


_T = TypeVar("_T")
_KINDS = (None, *EventKind)
"""By number; the kernel writes only numbers in range."""


class _Rows(Sequence[_T]):
    """An immutable sequence of records, kept as bytes. Reading a record makes its object."""

    __slots__ = ("_rows",)
    _record: ClassVar[Struct]

    def __init__(self, rows: bytes = b"") -> None:
        self._rows = rows

    _object: ClassVar[Callable[..., Any]]  # makes the object of a record's numbers

    def __len__(self) -> int:
        return len(self._rows) // self._record.size

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self: _R, index: slice) -> _R: ...
    def __getitem__(self: _R, index: int | slice) -> _T | _R:
        size = self._record.size
        indices = range(len(self))[index]
        if isinstance(indices, int):
            record: _T = self._object(*self._record.unpack_from(self._rows, indices * size))
            return record
        if indices.step == 1:
            return type(self)(self._rows[indices.start * size : indices.stop * size])
        return type(self)(b"".join(self._rows[i * size : (i + 1) * size] for i in indices))

    def __iter__(self) -> Iterator[_T]:
        return starmap(self._object, self._record.iter_unpack(self._rows))

    def __eq__(self, other: object) -> bool:
        """Equal to the same rows, and to a list or a tuple of the same records."""
        if isinstance(other, _Rows):
            return self._record is other._record and self._rows == other._rows
        if isinstance(other, (list, tuple)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:10]))
        rest = f", ... {len(self)} in all" if len(self) > 10 else ""
        return f"{type(self).__name__}([{shown}{rest}])"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_list, (type(self), list(self._record.iter_unpack(self._rows)))

    @property
    def buffer(self) -> memoryview:
        """The records as bytes, read-only, in the machine's byte order."""
        return memoryview(self._rows)


_R = TypeVar("_R", bound=_Rows[Any])


def _from_list(kind: type[_R], rows: list[tuple[int, ...]]) -> _R:
    """Rows in this machine's byte order, whichever machine pickled them."""
    return kind(b"".join(kind._record.pack(*row) for row in rows))


@final
class Events(_Rows[Event]):
    """The events of a step, by (a, b). `buffer`: four uint32 for each event: a, b, kind, contact."""

    __slots__ = ()
    _record = EVENT

    @staticmethod
    def _object(a: int, b: int, kind: int, contact: int) -> Event:
        return _new(Event, (a, b, _KINDS[kind], CONTACTS[contact]))

    def __iter__(self) -> Iterator[Event]:
        for a, b, kind, contact in EVENT.iter_unpack(self._rows):
            yield _new(Event, (a, b, _KINDS[kind], CONTACTS[contact]))

    @property
    def buffer(self) -> memoryview:
        return memoryview(self._rows).cast("I")


def event_rows(events: Iterable[tuple[int, int, int, int]]) -> bytes:
    """The rows of Events, or of objects or tuples like theirs."""
    if isinstance(events, Events):
        return bytes(events.buffer)
    names = ("a", "b", "kind", "contact")
    return b"".join(
        EVENT.pack(*integers(f"events[{n}]", names, event, 0, UINT32_MAX))
        for n, event in counted("events", events)
    )


@final
class Hits(_Rows[Hit]):
    """Hits, by (a, b). `buffer`: three uint32 a hit, all in a row: a, b, contact."""

    __slots__ = ()
    _record = HIT

    @staticmethod
    def _object(a: int, b: int, contact: int) -> Hit:
        return _new(Hit, (a, b, CONTACTS[contact]))

    @property
    def buffer(self) -> memoryview:
        return memoryview(self._rows).cast("I")


@final
class Colliders(_Rows[Collider]):
    """Colliders, by id. `buffer`: 52 bytes each, COLLIDER_FORMAT."""

    __slots__ = ()
    _record = COLLIDER

    _object = staticmethod(collider_of_row)


class _Answers(Sequence[list[_T]]):
    """The answers of many questions, kept as bytes. Reading an answer makes its list."""

    __slots__ = ("_ends",)

    def __init__(self, ends: bytes) -> None:
        self._ends = memoryview(ends).cast("Q")

    @abstractmethod
    def _records(self, start: int, end: int) -> list[_T]:
        """The records from `start` up to `end`."""

    @property
    def ends(self) -> memoryview:
        """uint64: where each answer ends, and the next one begins, in the records of all."""
        return self._ends

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> list[_T]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[_T]]: ...
    def __getitem__(self, index: int | slice) -> list[_T] | list[list[_T]]:
        indices = range(len(self))[index]
        return (
            self._answer(indices)
            if isinstance(indices, int)
            else [self._answer(i) for i in indices]
        )

    def _answer(self, i: int) -> list[_T]:
        return self._records(self._ends[i - 1] if i else 0, self._ends[i])

    def __eq__(self, other: object) -> bool:
        """Equal to any sequence of the same answers."""
        if isinstance(other, (_Answers, list, tuple)):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = f" and {len(self) - 10} more" if len(self) > 10 else ""
        return f"{type(self).__name__}({list(self[:10])!r}{more})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_answers, (type(self), list(self))


@final
class QueryAnswers(_Answers[int]):
    """The answer of each of many queries: ids, ascending or nearest first. Reading an answer makes
    its list."""

    __slots__ = ("_ids",)

    def __init__(self, ends: bytes, ids: bytes) -> None:
        super().__init__(ends)
        self._ids = memoryview(ids).cast("I")

    @property
    def ids(self) -> memoryview:
        """uint32: all answers, one after another."""
        return self._ids

    def _records(self, start: int, end: int) -> list[int]:
        return self._ids[start:end].tolist()

    @classmethod
    def _packed(cls, ids: list[int]) -> bytes:
        return Struct(f"={len(ids)}I").pack(*ids)


def cast_hits(rows: Any) -> list[CastHit]:
    """The hits of the kernel's rows."""
    return [
        _new(CastHit, (id, fraction, (nx, ny, nz)))
        for id, fraction, nx, ny, nz in CAST_HIT.iter_unpack(rows)
    ]


def pair_hits(rows: Any) -> list[PairHit]:
    """The hits of the kernel's rows."""
    return [
        _new(PairHit, (a, b, fraction, (nx, ny, nz)))
        for a, b, fraction, nx, ny, nz in PAIR_HIT.iter_unpack(rows)
    ]


@final
class CastAnswers(_Answers[CastHit]):
    """The answer of each of many casts: hits by (fraction, distance, id). Reading an answer makes its
    list."""

    __slots__ = ("_rows",)

    def __init__(self, ends: bytes, rows: bytes) -> None:
        super().__init__(ends)
        self._rows = rows

    @property
    def buffer(self) -> memoryview:
        """All answers, one after another: of each hit the uint32 id and fraction and the int32 x, y,
        z of its normal, 20 bytes in the machine's byte order."""
        return memoryview(self._rows)

    def _records(self, start: int, end: int) -> list[CastHit]:
        return cast_hits(self._rows[start * CAST_HIT.size : end * CAST_HIT.size])

    @classmethod
    def _packed(cls, hits: list[CastHit]) -> bytes:
        return b"".join(CAST_HIT.pack(id, fraction, *normal) for id, fraction, normal in hits)


def _from_answers(kind: Any, answers: list[list[Any]]) -> Any:
    """Answers in this machine's byte order, whichever machine pickled them."""
    ends = list(accumulate(map(len, answers)))
    return kind(Struct(f"={len(ends)}Q").pack(*ends), kind._packed([*chain.from_iterable(answers)]))

"""Levels: the static geometry of a map. A level never changes; any number of worlds share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias, final, overload

from fixsync._native.checks import coordinate, counted, integer, integers, shown
from fixsync._native.level import (
    CODE_PRISM,
    LEVEL,
    VERTICES_MAX,
    NativeLevel,
    check_solid,
    pillar_bytes,
    prism_bytes,
)
from fixsync._native.raw import (
    INT32_MAX,
    INT32_MIN,
    LAYER_COUNT,
    OUTLINE_SEGMENTS,
    SIZE_MAX,
    UINT32_MAX,
)
from fixsync._native.rows import Buffer, bytes_of
from fixsync.base.values import Number, Value
from fixsync.world.arguments import cast_row, query_row
from fixsync.world.records import CastHit, cast_hits
from fixsync.world.shapes import (
    CONTACTS,
    Contact,
    Outline,
    Pose,
    Shape,
    hit_when_of,
    require_pose,
    require_shape,
    segments_of,
)

__all__ = ["LEVEL", "Level", "Pillar", "Prism", "Solid"]


class _SolidValue(Value):
    """A solid; `_bytes` is it in the bytes of a level."""

    __slots__ = ("_bytes",)
    _bytes: bytes


@final
class Prism(_SolidValue):
    """A solid over a convex polygon, upright from y_low to y_high.

    vertices: 3..32 of (x, z), Q16.16, any int32. They are strictly convex and go round once, as yaw
    turns (+X to +Z); they span at most 2^30-2 on each axis. Everything between them is exact: a
    prism has no yaw. y_low < y_high, any int32. layer: 0..31."""

    __slots__ = ()
    __match_args__ = ("vertices", "y_low", "y_high", "layer")
    y_low, y_high, layer = Number(0), Number(1), Number(2)

    def __init__(
        self, vertices: Iterable[Iterable[int]], y_low: int, y_high: int, layer: int = 0
    ) -> None:
        numbers: list[int] = []
        for n, vertex in counted("vertices", vertices):
            numbers += integers(f"vertices[{n}]", ("x", "z"), vertex, INT32_MIN, INT32_MAX)
        integer("number of vertices", len(numbers) // 2, 3, VERTICES_MAX)
        self._take(*_heights_and_layer(y_low, y_high, layer), numbers)
        check_solid(self._bytes)

    def _take(self, y_low: int, y_high: int, layer: int, numbers: list[int]) -> None:
        self._row = (y_low, y_high, layer, *numbers)
        self._bytes = prism_bytes(layer, y_low, y_high, numbers)

    @property
    def vertices(self) -> tuple[tuple[int, int], ...]:
        return tuple(zip(self._row[3::2], self._row[4::2], strict=True))

    def as_tuple(self) -> tuple[Any, ...]:
        """The solid as a match log writes it: ("prism", layer, y_low, y_high, [[x, z], ...])."""
        vertices = [list(vertex) for vertex in self.vertices]
        return "prism", self.layer, self.y_low, self.y_high, vertices


def prism_of(vertices: Iterable[Iterable[int]], y_low: int, y_high: int, layer: int) -> Prism:
    """The prism of numbers that are known to be those of one: they are not checked here, but in the
    level."""
    prism = Prism.__new__(Prism)
    prism._take(y_low, y_high, layer, [*chain.from_iterable(vertices)])
    return prism


@final
class Pillar(_SolidValue):
    """An upright cylinder from y_low to y_high. Q16.16: x, z any int32; radius 1..2^29-1;
    y_low < y_high, any int32. layer: 0..31."""

    __slots__ = ()
    __match_args__ = ("x", "z", "radius", "y_low", "y_high", "layer")
    x, z, radius = Number(0), Number(1), Number(2)
    y_low, y_high, layer = Number(3), Number(4), Number(5)

    def __init__(
        self, x: int, z: int, radius: int, y_low: int, y_high: int, layer: int = 0
    ) -> None:
        numbers = [coordinate("x", x), coordinate("z", z), integer("radius", radius, 1, SIZE_MAX)]
        self._take(*_heights_and_layer(y_low, y_high, layer), numbers)
        check_solid(self._bytes)

    def _take(self, y_low: int, y_high: int, layer: int, numbers: list[int]) -> None:
        x, z, radius = numbers
        self._row = (x, z, radius, y_low, y_high, layer)
        self._bytes = pillar_bytes(layer, y_low, y_high, x, z, radius)

    def as_tuple(self) -> tuple[Any, ...]:
        """The solid as a match log writes it: ("cylinder", layer, y_low, y_high, [x, z],
        radius)."""
        return "cylinder", self.layer, self.y_low, self.y_high, [self.x, self.z], self.radius


Solid: TypeAlias = Prism | Pillar
"""A part of a level."""


def _heights_and_layer(y_low: object, y_high: object, layer: object) -> tuple[int, int, int]:
    low, high = coordinate("y_low", y_low), coordinate("y_high", y_high)
    return low, high, integer("layer", layer, 0, LAYER_COUNT - 1)


@final
class Level:
    """Solids in order; the id of one is `LEVEL` + its index. It never changes, so worlds and
    threads may share one.

    `len`, indexing and iteration give the solids."""

    __slots__ = ("__weakref__", "_native")

    def __init__(self, solids: Iterable[Solid]) -> None:
        rows = []
        for n, solid in counted("solids", solids):
            if not isinstance(solid, _SolidValue):
                raise TypeError(f"solids[{n}] must be a Prism or a Pillar, not {shown(solid)}")
            rows.append(solid._bytes)
        self._native = NativeLevel.of_solids(rows)

    @classmethod
    def from_bytes(cls, data: Buffer) -> Level:
        """The level of these bytes. ValueError names the offset, the solid and the broken rule."""
        level = cls.__new__(cls)
        level._native = NativeLevel(bytes_of("data", data))
        return level

    def to_bytes(self) -> bytes:
        """The level as bytes, the same on every platform."""
        return self._native.save()

    def hash(self) -> int:
        """XXH64 (seed 0) of the bytes of `to_bytes`."""
        return self._native.hash()

    def contact(self, index: int, shape: Shape, pose: Pose) -> Contact:
        """The contact of a shape at a pose with the solid of an index."""
        require_shape("shape", shape)
        require_pose("pose", pose)
        return CONTACTS[self._native.contact(self._index(index), shape._shape, pose._pose)]

    def outline(self, index: int, *, segments: int = OUTLINE_SEGMENTS) -> Outline:
        """The outline of a solid, for drawing: the vertices of a prism, or the circle of a cylinder
        from +X on; and its heights."""
        return Outline(*self._native.outline(self._index(index), segments_of(segments)))

    def query(
        self, shape: Shape, pose: Pose, mask: int = UINT32_MAX, *, hit_when: int = Contact.TOUCHING
    ) -> list[int]:
        """The ids, ascending, of the solids that the shape meets at the pose. mask: bit i includes
        layer i."""
        least = hit_when_of("hit_when", hit_when)
        return self._native.query(query_row("", shape, pose, mask), least)

    def cast(
        self,
        shape: Shape,
        pose: Pose,
        motion: tuple[int, int, int],
        mask: int = UINT32_MAX,
        *,
        limit: int = 0,
        hit_when: int = Contact.TOUCHING,
    ) -> list[CastHit]:
        """The solids that a shape hits when it moves straight from the pose, in the order of
        `World.cast`: the first `limit` of them (0: all). ValueError for a sector."""
        least = hit_when_of("hit_when", hit_when)
        row = cast_row("", shape, pose, motion, mask, 0, limit, least)
        return cast_hits(self._native.cast(row))

    def _index(self, index: object) -> int:
        return integer("index", index, 0, self._native.count() - 1)

    def __len__(self) -> int:
        return self._native.count()

    def __bool__(self) -> bool:
        """True: a level without solids is a level."""
        return True

    @overload
    def __getitem__(self, index: int) -> Solid: ...
    @overload
    def __getitem__(self, index: slice) -> list[Solid]: ...
    def __getitem__(self, index: int | slice) -> Solid | list[Solid]:
        """The solid of an index, or the solids of a slice. Negative ones count from the end."""
        found = range(len(self))[index]
        return self._solid(found) if isinstance(found, int) else [self._solid(n) for n in found]

    def _solid(self, index: int) -> Solid:
        code, layer, y_low, y_high, numbers = self._native.solid(index)
        kind: type[Prism | Pillar] = Prism if code == CODE_PRISM else Pillar
        solid: Prism | Pillar = kind.__new__(kind)
        solid._take(y_low, y_high, layer, numbers)
        return solid

    def __iter__(self) -> Iterator[Solid]:
        return map(self._solid, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Level):
            return NotImplemented
        return self is other or (
            self.hash() == other.hash() and self.to_bytes() == other.to_bytes()
        )

    def __hash__(self) -> int:
        return hash((Level, self.hash()))

    def __repr__(self) -> str:
        return f"<Level solids={len(self)} hash={self.hash():016x}>"

    def __copy__(self) -> Level:
        return self

    def __deepcopy__(self, memo: object) -> Level:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Level.from_bytes, (self.to_bytes(),)

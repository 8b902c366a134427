"""The values of a match log: its header, frames, commands and last line, as types.

docs/match-logs.md describes the format. Nothing here asks the kernel: a well-formed log may still
hold commands that a world refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import astuple

from fixsync._native.changes import CHANGES
from fixsync._native.checks import layer_masks, layer_pairs
from fixsync._native.kinds import KINDS, KINDS_BY_NAME, Size, class_name
from fixsync._native.raw import CAPACITY_MAX, INT32_MAX, INT32_MIN, UINT32_MAX, UINT64_MAX
from fixsync._native.rows import CAST_HIT
from fixsync.base.names import Names
from fixsync.base.strict_json import LayerIndex, Row
from fixsync.match.sim import GAME_EVENT
from fixsync.world.level import Level

FORMAT = "fixsync-match"
VERSION = 1
LINE_BYTES_MAX = 1 << 26
"""The longest line that is read: 64 MiB. A line of 100,000 moves has 5 MB, one that adds 80,000
colliders has 15 MB, a state of 100,000 colliders has 7 MB."""

FRAME_MAX = UINT32_MAX
SEED_MAX = UINT64_MAX


class MatchLogError(ValueError):
    """An error in a match log, and its place.

    `file` is its name. `line` counts from 1; 0 means the file as a whole. `field` is the path of
    the value within the line, such as `commands[3][2][0]`; "" means the line as a whole. `reason`
    is the rest of the message."""

    def __init__(self, file: str, line: int, field: str, reason: str) -> None:
        self.file = file
        self.line = line
        self.field = field
        self.reason = reason
        place = [file, *([f"line {line}"] if line else []), *([field] if field else [])]
        super().__init__(f"{', '.join(place)}: {reason}")

    @property
    def is_out_of_memory(self) -> bool:
        """Whether the log may be valid but needs more memory than there is."""
        error: BaseException | None = self
        while error is not None and not isinstance(error, MemoryError):
            error = error.__cause__
        return error is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return MatchLogError, (self.file, self.line, self.field, self.reason)


Int32 = Annotated[int, Meta(ge=INT32_MIN, le=INT32_MAX)]
UInt32 = Annotated[int, Meta(ge=0, le=UINT32_MAX)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=UINT32_MAX)]
Capacity = Annotated[int, Meta(ge=1, le=CAPACITY_MAX)]
Id = Annotated[int, Meta(ge=0, le=INT32_MAX)]
AnyId = UInt32
"""Of a collider, or from 2^31 on of a solid."""
Yaw = Annotated[int, Meta(ge=0, le=65535)]
HitWhen = Annotated[int, Meta(ge=1, le=2)]
ContactCode = Annotated[int, Meta(ge=0, le=2)]
EventCode = Annotated[int, Meta(ge=1, le=3)]
GameCode = Annotated[int, Meta(ge=GAME_EVENT, le=UINT32_MAX)]
MotionPart = Annotated[int, Meta(ge=-(2**29 - 1), le=2**29 - 1)]
Fraction = Annotated[int, Meta(ge=0, le=65536)]
LayerPair: TypeAlias = tuple[LayerIndex, LayerIndex]
Vector = tuple[Int32, Int32, Int32]
MotionVector = tuple[MotionPart, MotionPart, MotionPart]


class _HollowRow(Row):
    """A shape whose last field is inner_radius; 0, no hole, is not written."""

    def __post_init__(self) -> None:
        hole: int = self.inner_radius  # type: ignore[attr-defined] # a field of its kinds
        if hole and (fault := self.last_fault(astuple(self))):
            raise ValueError(fault)

    @classmethod
    def last_fault(cls, values: Sequence[int]) -> str:
        """Why the last of some fields, each in range, does not go with the others, or ""."""
        return KINDS_BY_NAME[str(cls.__struct_config__.tag)].hole_fault(values)


def _size_field(size: Size) -> tuple[Any, ...]:
    number = Annotated[int, Meta(ge=size.low + size.is_hole, le=size.high)]
    return (size.name, number, 0) if size.is_hole else (size.name, number)


def _row_type(tag: str, fields: list[Any], base: type[Row]) -> type[Struct]:
    return msgspec.defstruct(
        class_name(tag),
        fields,
        bases=(base,),
        module=__name__,
        tag=tag,
        array_like=True,
        forbid_unknown_fields=True,
        gc=False,
    )


SHAPES: dict[str, type[Struct]] = {
    kind.name: _row_type(
        kind.name, list(map(_size_field, kind.sizes)), _HollowRow if kind.hole else Row
    )
    for kind in KINDS
}
"""The row of each kind of shape: the table of kinds as msgspec types."""

# Union[...] as an expression: msgspec needs the types themselves.
if TYPE_CHECKING:
    Shape: TypeAlias = Any
else:
    Shape = Union[tuple(SHAPES.values())]  # noqa: UP007


class _LayersRow(Row):
    """A layer matrix, whose pairs are put in order."""

    def __post_init__(self) -> None:
        pairs: Any = self.layers  # type: ignore[has-type] # a field of its command
        self.layers = layer_pairs(layer_masks(pairs))


_FIELD_TYPES: dict[str, Any] = {
    "id": Id,
    "shape": Shape,
    "position": Vector,
    "yaw": Yaw,
    "layer": LayerIndex,
    "owner": UInt32,
    "offset": Vector,
    "active": bool,
    "layers": Union[list[LayerPair], None],  # noqa: UP007
}
COMMANDS: dict[str, Any] = {
    change.name: _row_type(
        change.name,
        [(field, _FIELD_TYPES[field]) for field in change.fields],
        _LayersRow if "layers" in change.fields else Row,
    )
    for change in CHANGES.values()
}
"""The row of each command: the table of commands as msgspec types."""
Add, Move, Remove = COMMANDS["add"], COMMANDS["move"], COMMANDS["remove"]
SetPose, SetLayers = COMMANDS["pose"], COMMANDS["layers"]
SetActive, SetShape = COMMANDS["active"], COMMANDS["shape"]
SetOffset, SetLayer = COMMANDS["offset"], COMMANDS["layer"]


_NOT_WRITTEN = -1


class Query(Row, tag="query"):
    shape: Shape
    position: Vector
    yaw: Yaw
    mask: UInt32
    exclude_owner: UInt32 = _NOT_WRITTEN
    """0 leaves nobody out, and is written only before a hit_when."""
    hit_when: HitWhen = 0
    """0 is the world's, and is not written."""

    def __post_init__(self) -> None:
        if self.exclude_owner == _NOT_WRITTEN:
            self.exclude_owner = 0
        elif not self.hit_when and (fault := self.last_fault(astuple(self)[:-1])):
            raise ValueError(fault)

    @staticmethod
    def last_fault(values: Sequence[Any]) -> str:
        """Why the last of those fields that are written does not stand last, or ""."""
        if len(values) == 5 and values[4] == 0:
            return "0 is not in 1..4294967295 without a hit_when"
        return ""


class Cast(Row, tag="cast"):
    shape: Shape
    position: Vector
    yaw: Yaw
    motion: MotionVector
    mask: UInt32
    exclude_owner: UInt32
    limit: UInt32
    hit_when: HitWhen


class CastHit(Row):
    """A row of a cast's answer. Not a tuple: msgspec 0.22 crashes on a union of a bounded int and a
    tuple."""

    id: AnyId
    fraction: Fraction
    normal_x: Int32
    normal_y: Int32
    normal_z: Int32


def answer_of(found: list[int] | bytes) -> list[Any]:
    """The answer of ids, or of the rows of a cast's hits."""
    if isinstance(found, bytes):
        return [CastHit(*row) for row in CAST_HIT.iter_unpack(found)]
    return found


if TYPE_CHECKING:
    Command: TypeAlias = Any
else:
    Command = Union[tuple(COMMANDS.values()) + (Query, Cast)]  # noqa: RUF005, UP007
Event: TypeAlias = tuple[Id, AnyId, EventCode, ContactCode]
GameEvent: TypeAlias = tuple[UInt32, UInt32, GameCode, Int32]
Answer: TypeAlias = list[Union[AnyId, CastHit]]  # noqa: UP007
Input: TypeAlias = Union[Int64, list[Int64]]  # noqa: UP007


class TraceFrame(Struct, forbid_unknown_fields=True, gc=False):
    """A frame of a trace. A field that the recorder left out is UNSET."""

    frame: UInt32
    commands: list[Command]
    queries: list[Answer] | UnsetType = UNSET
    events: list[Event] | UnsetType = UNSET
    game: list[GameEvent] | UnsetType = UNSET
    hash: str | UnsetType = UNSET


class SimFrame(Struct, forbid_unknown_fields=True, gc=False):
    """A frame of a log with a sim: one input per player."""

    frame: UInt32
    inputs: list[Input]
    queries: list[Answer] | UnsetType = UNSET
    events: list[Event] | UnsetType = UNSET
    game: list[GameEvent] | UnsetType = UNSET
    hash: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    """XXH64 of the simulation's whole state after the step."""


Frame: TypeAlias = Union[TraceFrame, SimFrame]  # noqa: UP007


class Footer(Struct, forbid_unknown_fields=True):
    """The last line: the number of frame lines, and the SHA-256 of all bytes before it."""

    frames: UInt32
    sha256: str | UnsetType = UNSET


class Start(Struct):
    """Where a log begins that does not begin at frame 0."""

    frame: int
    """The number of its first frame: the frame count of the state."""
    state: bytes
    """The state before that frame: the bytes of `World.save`, or with a sim of its `save`."""


class About(Struct, kw_only=True):
    """The keys of line 1 of a log that do not concern its world."""

    tick_rate: int | tuple[int, int] = 60
    """Frames a second, or (numerator, denominator) of it."""
    sim: str | None = None
    seed: int = 0
    meta: Mapping[str, Any] = {}
    names: Names = msgspec.field(default_factory=Names)
    unit_mm: int | None = None
    """Millimetres of one unit, if known."""
    z_down: bool = False
    """Whether pictures of the match show +z downwards, as its game does."""
    semantics: int | None = None
    """FXS_SEMANTICS of the kernel that computed the results; None if the log does not say it, as
    for the next two."""
    build: str | None = None
    """The build of the game."""
    data: str | None = None
    """XXH64 of what the game plays with: 16 hexadecimal digits."""


class Header(About, kw_only=True):
    """Line 1 of a log: the settings of its world, and the data of the match."""

    capacity: int
    hit_when: int = 1
    layers: list[tuple[int, int]] | None = None
    """None: every layer meets every layer. Else the enabled pairs (i, j), i <= j, ascending."""
    level: Level | None = None
    start: Start | None = None
    """`from` in the log; None for a log that begins with an empty world at frame 0."""

    @property
    def first_frame(self) -> int:
        """The number of the first frame."""
        return self.start.frame if self.start else 0

    def line_of(self, frame: int) -> int:
        """The line of a frame."""
        return (frame - self.first_frame) % (FRAME_MAX + 1) + 2

    def seconds(self, frames: int) -> float:
        """How long this many frames last. For showing, never for deciding."""
        numerator, denominator = (
            self.tick_rate if isinstance(self.tick_rate, tuple) else (self.tick_rate, 1)
        )
        return frames * denominator / numerator

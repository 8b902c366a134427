"""Worlds: colliders by id, stepped into events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Protocol, cast

from fixsync._native.changes import (
    CHANGES,
    Command,
    commands_of_rows,
    rows_of_commands,
    rows_of_layers,
)
from fixsync._native.checks import (
    boolean,
    coordinate,
    index,
    integer,
    layer_masks,
    layer_pairs,
    shown,
    uint32,
)
from fixsync._native.raw import CAPACITY_MAX, LAYER_COUNT, OUTLINE_SEGMENTS, UINT32_MAX, YAW_MAX
from fixsync._native.rows import COMMAND, MOTION, Buffer, bytes_of, is_buffer, rows_of
from fixsync._native.status import CommandError
from fixsync._native.world import NativeWorld
from fixsync.world.arguments import (
    NO_OFFSET,
    cast_row,
    cast_rows,
    collider_row,
    collider_rows,
    id_rows,
    masks_of_yields,
    offset_of,
    pose_rows,
    position_rows,
    query_row,
    query_rows,
)
from fixsync.world.level import LEVEL, Level
from fixsync.world.records import (
    CastAnswers,
    CastHit,
    Collider,
    Colliders,
    Events,
    Hits,
    Moved,
    PairHit,
    QueryAnswers,
    cast_hits,
    collider_of_bytes,
    pair_hits,
)
from fixsync.world.shapes import (
    CONTACTS,
    Contact,
    Outline,
    Pose,
    Shape,
    Side,
    hit_when_of,
    motion_of,
    require_pose,
    require_shape,
    segments_of,
)
from fixsync.world.why import Explanation, explanation

__all__ = ["CAPACITY_MAX", "Command", "CommandError", "Observer", "World"]

_NO_EVENTS = Events()

_ADD, _REMOVE = CHANGES["add"], CHANGES["remove"]
_MOVE, _TURN = CHANGES["move"], CHANGES["turn"]
_SHAPE, _OFFSET = CHANGES["shape"], CHANGES["offset"]
_OWNER, _LAYER, _ACTIVE = CHANGES["owner"], CHANGES["layer"], CHANGES["active"]


class Observer(Protocol):
    """The argument of `World.attach`. Each method is called after the world took the change, and
    may read the world. Its exceptions reach the caller; the change stays."""

    def changed(self, command: Command) -> None:
        """A collider was added, changed or removed, or the layer matrix replaced. `command`: as in
        a match log. Bulk changes come one by one, in order."""

    def stepped(self, events: Events) -> None:
        """A step was made."""

    def loaded(self) -> None:
        """The whole state was replaced."""


class _Commands:
    """Takes the rows of a world's changes, and calls an observer for each command."""

    def __init__(self, observer: Observer, world: NativeWorld) -> None:
        """Within a call of the world, as all that follows."""
        self.observer = observer
        self._world = world
        self._masks = world._masks()

    def __repr__(self) -> str:
        return repr(self.observer)

    def changed(self, rows: bytes) -> None:
        commands = commands_of_rows(rows, self._masks)
        self._masks = self._world._masks()
        self._world.lend(self._call, commands)

    def _call(self, commands: Iterable[Command]) -> None:
        for command in commands:
            self.observer.changed(command)

    def stepped(self, rows: bytes) -> None:
        self._world.lend(self.observer.stepped, Events(rows))

    def loaded(self) -> None:
        self._masks = self._world._masks()
        self._world.lend(self.observer.loaded)


class World:
    """Colliders by id, 0 <= id < capacity, and the hits between them.

    Its answers are a function of its state alone: not of the order in which ids were added, nor of
    the platform. `hit_when` is the least contact that is a hit. `layers` lists the pairs of layers
    (0..31) that can hit each other; None enables all. An error changes nothing: ValueError and
    TypeError name the argument, its value and what is allowed; KeyError means an id in range that
    is not in the world; RuntimeError means that another thread is using this world, or that
    a signal handler or finalizer interrupted a call of it and calls it too. Worlds are equal (==)
    if capacity and `save()` are; they have no hash, because they change."""

    __slots__ = ("__weakref__", "_level", "_native")

    def __init__(
        self,
        capacity: int,
        *,
        hit_when: int = Contact.TOUCHING,
        layers: Iterable[Iterable[int]] | None = None,
        level: Level | None = None,
    ) -> None:
        """capacity: 1..2^31. Its memory is allocated at once, about 210 bytes an id; MemoryError if
        there is not enough. level: the static geometry that its colliders meet."""
        if level is not None and not isinstance(level, Level):
            raise TypeError(f"level must be a Level or None, not {shown(level)}")
        self._level = level
        self._native = NativeWorld(
            integer("capacity", capacity, 1, CAPACITY_MAX),
            hit_when_of("hit_when", hit_when),
            layer_masks(layers),
            None if level is None else level._native,
        )

    def _id(self, value: object) -> int:
        return integer("id", value, 0, self._native.capacity - 1)

    # Changes.

    def add(
        self,
        id: int,
        shape: Shape,
        pose: Pose,
        *,
        layer: int = 0,
        owner: int = 0,
        offset: tuple[int, int, int] = NO_OFFSET,
        active: bool = True,
    ) -> None:
        """Adds a collider under an id that is not taken.

        layer: 0..31. owner: 0..2^32-1, 0 for none; colliders with the same owner do not hit each
        other. offset: of the centre from the pose, turned with the yaw. An inactive collider
        neither hits nor is found."""
        native = self._native
        row = collider_row("", native.capacity, id, shape, pose, layer, owner, offset, active)
        native.change(_ADD, (row,))

    def remove(self, id: int) -> None:
        """Removes a collider. Its hits end with the next step."""
        self._native.change(_REMOVE, (id if type(id) is int else self._id(id),))

    def clear(self) -> None:
        """Removes every collider, by id. Their hits end with the next step. frame, hit_when and
        layers stay."""
        self._native.clear()

    def move(self, id: int, x: int, y: int, z: int) -> None:
        """Puts a collider's pose at (x, y, z), Q16.16."""
        if not (type(id) is int and type(x) is int and type(y) is int and type(z) is int):
            id, x, y, z = self._id(id), coordinate("x", x), coordinate("y", y), coordinate("z", z)
        self._native.change(_MOVE, (id, x, y, z))

    def turn(self, id: int, yaw: int) -> None:
        """Gives a collider a yaw, 0..65535."""
        if not (type(id) is int and type(yaw) is int):
            id, yaw = self._id(id), integer("yaw", yaw, 0, YAW_MAX)
        self._native.change(_TURN, (id, yaw))

    def set_pose(self, id: int, pose: Pose) -> None:
        """Moves and turns a collider."""
        try:
            row = pose._pose
        except AttributeError:
            require_pose("pose", pose)
            raise
        self._native.set_pose(id if type(id) is int else self._id(id), row)

    def set_shape(self, id: int, shape: Shape) -> None:
        """Gives a collider another shape."""
        require_shape("shape", shape)
        self._native.change(_SHAPE, (id if type(id) is int else self._id(id), shape._shape))

    def set_offset(self, id: int, offset: tuple[int, int, int]) -> None:
        """Sets the offset of a collider's centre from its pose: (ox, oy, oz), each any int32,
        turned with the yaw."""
        values = offset_of("offset", offset)
        self._native.change(_OFFSET, (id if type(id) is int else self._id(id), *values))

    def set_owner(self, id: int, owner: int) -> None:
        """Gives a collider an owner, 0..2^32-1; 0 means no owner."""
        if not (type(id) is int and type(owner) is int):
            id, owner = self._id(id), uint32("owner", owner)
        self._native.change(_OWNER, (id, owner))

    def set_layer(self, id: int, layer: int) -> None:
        """Puts a collider on a layer, 0..31."""
        if not (type(id) is int and type(layer) is int):
            id, layer = self._id(id), integer("layer", layer, 0, LAYER_COUNT - 1)
        self._native.change(_LAYER, (id, layer))

    def set_active(self, id: int, active: bool) -> None:
        """Makes a collider active or not. An inactive one neither hits nor is found."""
        boolean("active", active)
        self._native.change(_ACTIVE, (id if type(id) is int else self._id(id), active))

    def set_layers(self, layers: Iterable[Iterable[int]] | None) -> None:
        """Replaces the pairs of layers that can hit each other; None enables all.

        Keeps the hit history: a hit that is no longer allowed is an EXIT at the next step."""
        self._native.apply(b"".join(rows_of_layers(layer_masks(layers))))

    # Many changes at once.

    def add_many(self, records: Buffer | Iterable[Sequence[Any]]) -> None:
        """Adds many colliders: all of them or, if one is refused, none. The error names its index
        and field.

        `records`: a buffer of COLLIDER_FORMAT rows (bytes, a NumPy array of COLLIDER_DTYPE), the
        `colliders()` of a world, or tuples (id, shape, pose[, layer[, owner[, offset[, active]]]]),
        such as Collider."""
        self._native.add_many(collider_rows(self._native.capacity, records))

    def move_many(
        self, ids: Buffer | Iterable[int], positions: Buffer | Iterable[Iterable[int]]
    ) -> None:
        """`move` of many ids: all of them or, if one is refused, none. The error names its index.
        The last row of an id counts.

        `ids`: ints, or a buffer of uint32. `positions`: (x, y, z) tuples, or a buffer of int32,
        three an id."""
        numbers = id_rows(self._native.capacity, ids)
        self._native.move_many(numbers, position_rows(positions, numbers))

    def set_pose_many(self, ids: Buffer | Iterable[int], poses: Buffer | Iterable[Pose]) -> None:
        """`set_pose` of many ids: all of them or, if one is refused, none. The error names its
        index. The last pose of an id counts.

        `ids`: ints, or a buffer of uint32. `poses`: Pose objects, or a buffer of rows as
        `pack_poses` packs them."""
        if (
            not (type(ids) is bytes and type(poses) is bytes)
            or len(ids) % 4
            or (len(poses) != 4 * len(ids))
        ):
            ids = id_rows(self._native.capacity, ids)
            poses = pose_rows(poses, ids)
        self._native.set_pose_many(ids, poses)

    def apply(self, commands: Buffer | Iterable[Command]) -> None:
        """Makes changes in order: all of them or, if one is refused, none, and CommandError has its
        index.

        `commands`: tuples as a match log writes them and observers get them, such as ("move", id,
        (x, y, z)), or a buffer of `fxs_command` rows."""
        if is_buffer(commands):
            self._native.apply(rows_of("commands", commands, COMMAND.format[1:]))
            return
        rows, at = rows_of_commands(cast("Iterable[Command]", commands))
        try:
            self._native.apply(rows)
        except CommandError as error:
            raise CommandError(at[error.index], error.reason) from error.__cause__

    def separate(self, yields: Iterable[Iterable[int]], *, passes: int = 1) -> list[Moved]:
        """Pushes overlapping bodies apart: characters from each other. Returns the moved ones by
        id, with their new positions. It looks at pairs alone: it pushes a body into a wall, and
        through it. For characters beside walls use `game.motion.separate`.

        yields: pairs of layers (i, j), "a body of layer i gives way to one of layer j". If only
        one of two bodies gives way, it takes all of `push_out`; if both do, each takes half,
        rounded away from zero; if neither does, the pair is left alone.

        The pairs are those of the last step's hits that are still there, active, allowed to meet
        and not sectors. A pair is pushed if it is OVERLAPPING when its turn comes, so it sees the
        earlier pushes. A pass takes first the pairs in which both give way, then those in which one
        does, each by (a, b): bodies that do not yield have the last word. Pushing one pair apart
        may push another together; further passes over the same pairs end early when there was
        nothing left to push.

        Hits and frame stay as they are: the next step sees the new poses. ValueError, with nothing
        moved, if a push would leave int32."""
        masks = masks_of_yields(yields)
        moved = self._native.separate(masks, integer("passes", passes, 1, UINT32_MAX))
        return [Moved(*row) for row in moved]

    # Steps and answers.

    def step(self) -> Events:
        """Finds this frame's hits and returns what changed since the last step, by (a, b).

        ENTER: a hit now, not at the last step. STAY: at both. EXIT: at the last step, not now. An
        id that was added or removed since the last step ends its old hits: such a pair gives EXIT
        and, if it is a hit now, ENTER after it."""
        rows = self._native.step()
        return Events(rows) if rows else _NO_EVENTS

    def query(
        self,
        shape: Shape,
        pose: Pose,
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        hit_when: int | None = None,
    ) -> list[int]:
        """The ids, ascending, of the active colliders and the solids that the shape would hit at
        the pose, as the world is now. It changes nothing.

        mask: bit i includes layer i. exclude_owner: leaves out the colliders of this owner (0: of
        none). hit_when: the least contact; None is the world's. OVERLAPPING leaves out the floor
        that a body stands on."""
        return self._native.query(query_row("", shape, pose, mask, exclude_owner, hit_when))

    def query_many(self, queries: Buffer | Iterable[Sequence[Any]]) -> QueryAnswers:
        """`query` of many in one call: the answers in order.

        `queries`: tuples (shape, pose[, mask[, exclude_owner[, hit_when]]]), or a buffer of rows of
        twelve 32-bit numbers: a row of `pack_shapes`, a row of `pack_poses`, mask, exclude_owner,
        and hit_when (0: the world's)."""
        return QueryAnswers(*self._native.query_many(query_rows(queries)))

    def nearest(
        self,
        shape: Shape,
        pose: Pose,
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> list[int]:
        """The ids of `query` without solids, nearest first: the first `limit` of them (0: all).

        Distance is the exact squared distance, y included, of a collider's centre from the pose; of
        equally near ones the lower id comes first."""
        row = query_row("", shape, pose, mask, exclude_owner, hit_when)
        return self._native.nearest(row, uint32("limit", limit))

    def nearest_many(
        self, queries: Buffer | Iterable[Sequence[Any]], *, limit: int = 0
    ) -> QueryAnswers:
        """`nearest` of many in one call, each with this limit. `queries`: as for `query_many`."""
        limit = uint32("limit", limit)
        return QueryAnswers(*self._native.nearest_many(query_rows(queries), limit))

    def cast(
        self,
        shape: Shape,
        pose: Pose,
        motion: tuple[int, int, int],
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        limit: int = 0,
        hit_when: int | None = None,
    ) -> list[CastHit]:
        """The hits of a shape that moves straight from the pose, as the world is now, by fraction;
        of equal fraction the nearest first, then by id: the first `limit` of them (0: all). Nothing
        tunnels, however thin or fast. Cast `RAY` as a ray. It changes nothing.

        Candidates are the active colliders of `query`, except sectors, and the solids, each
        standing still. motion: (mx, my, mz), Q16.16, each -(2^29-1)..2^29-1. hit_when: None is the
        world's. Fractions and normals are those of `cast_pair` with the shape as a. ValueError for a
        sector."""
        row = cast_row("", shape, pose, motion, mask, exclude_owner, limit, hit_when)
        return cast_hits(self._native.cast(row))

    def cast_many(self, casts: Buffer | Iterable[Sequence[Any]]) -> CastAnswers:
        """`cast` of many in one call: the answers in order.

        `casts`: tuples (shape, pose, motion[, mask[, exclude_owner[, limit[, hit_when]]]]), or a
        buffer of rows of sixteen 32-bit numbers: a row of `pack_shapes`, a row of `pack_poses`, the
        motion, mask, exclude_owner, limit, and hit_when (0: the world's)."""
        return CastAnswers(*self._native.cast_many(cast_rows(casts)))

    def sweep(
        self, id: int, motion: tuple[int, int, int], *, limit: int = 0, hit_when: int | None = None
    ) -> list[CastHit]:
        """The hits of a collider that would move straight from where it is: `cast` of its own
        shape, at the other active colliders and the solids that layers and owners let it hit. The
        collider itself may be inactive. ValueError for a sector."""
        vector = motion_of("motion", motion)
        least = 0 if hit_when is None else hit_when_of("hit_when", hit_when)
        return cast_hits(self._native.sweep(self._id(id), vector, uint32("limit", limit), least))

    def sweep_pairs(
        self,
        motions: Mapping[int, tuple[int, int, int]],
        *,
        hit_when: int | None = None,
        limit: int = 0,
    ) -> list[PairHit]:
        """The pairs that meet while colliders move at once, each straight along its own motion: by
        (fraction, distance, a, b), at most `limit` of them (0: all). Bullets against what walks.

        motions: (mx, my, mz), each -(2^29-1)..2^29-1, by id. All others stand still. The pairs are
        those that `step` tests, solids as b among them, if one of the two has a motion, (0, 0, 0)
        included. Sectors are never met. The world does not change: move the colliders afterwards.

        KeyError for an id that is not in the world; ValueError for a sector, and for numbers out of
        range."""
        least = 0 if hit_when is None else hit_when_of("hit_when", hit_when)
        most = uint32("limit", limit)
        if not isinstance(motions, Mapping):
            raise TypeError(f"motions must be a dict of ids and motions, not {motions!r}")
        rows = sorted(
            (self._id(id), *motion_of(f"motions[{id!r}]", motion)) for id, motion in motions.items()
        )
        return pair_hits(
            self._native.sweep_pairs(b"".join(MOTION.pack(*row) for row in rows), least, most)
        )

    def contact(self, a: int, b: int) -> Contact:
        """The contact of two colliders now, whatever their layers, owners and activity. One of them
        may be a solid."""
        if not (type(a) is int and type(b) is int):
            a, b = self._pair(a, b)
        return CONTACTS[self._native.contact(a, b)]

    def explain(self, a: int, b: int) -> Explanation:
        """Why a pair is not a hit, and by how much it misses, as the world is now. Its `why` is
        empty exactly if the next step finds the hit. One of the two may be a solid."""
        a, b = self._pair(a, b)
        return explanation(a, b, self._native.explain(a, b))

    def explain_query(
        self,
        shape: Shape,
        pose: Pose,
        b: int,
        mask: int = UINT32_MAX,
        *,
        exclude_owner: int = 0,
        hit_when: int | None = None,
    ) -> Explanation:
        """Why `query` does not find b, a collider or a solid. Its `why` is empty exactly if it
        does."""
        b = uint32("b", b)
        row = query_row("", shape, pose, mask, exclude_owner, hit_when)
        return explanation(None, b, self._native.explain_query(row, b))

    def push_out(self, a: int, b: int) -> tuple[int, int]:
        """`fixsync.push_out` of two colliders as they are now, whatever their layers, owners and
        activity: (dx, dz) for a's pose. b may be a solid."""
        return self._native.push_out(*self._pair(a, b))

    def lift(self, a: int, b: int) -> int:
        """`fixsync.lift` of two colliders as they are now: dy for a's pose. b may be a solid."""
        return self._native.lift(*self._pair(a, b))

    def side(self, a: int, b: int) -> int:
        """`fixsync.side` of two colliders as they are now: the `Side` of the box b out of which
        `push_out` moves a.

        Of a prism b it is 0 if `push_out` is (0, 0), else 1 + the index of the first edge whose
        outward normal is nearest to the push."""
        pair = self._pair(a, b)
        found = self._native.side(*pair)
        return found if pair[1] >= LEVEL else Side(found)

    def outline(self, id: int, *, segments: int = OUTLINE_SEGMENTS) -> Outline:
        """`fixsync.outline` of a collider as it is now, around its centre, active or not; or of a
        solid (`Level.outline`)."""
        if self.level is not None and type(id) is int and id >= LEVEL:
            return self.level.outline(id - LEVEL, segments=segments)
        return Outline(*self._native.outline(self._id(id), segments_of(segments)))

    def _pair(self, a: object, b: object) -> tuple[int, int]:
        return uint32("a", a), uint32("b", b)

    # Properties and lookups.

    @property
    def frame(self) -> int:
        """Number of steps, modulo 2^32."""
        return self._native.frame()

    @property
    def capacity(self) -> int:
        """Ids are 0..capacity - 1."""
        return self._native.capacity

    @property
    def level(self) -> Level | None:
        """The level that it was made with."""
        return self._level

    @property
    def hit_when(self) -> Contact:
        """The least contact that is a hit."""
        return Contact(self._native.hit_when())

    @property
    def layers(self) -> list[tuple[int, int]] | None:
        """The pairs of layers (i, j), i <= j, that can hit each other, ascending; None if all
        can.
        """
        return layer_pairs(self._native.masks())

    def __len__(self) -> int:
        return self._native.count()

    def __bool__(self) -> bool:
        """True: an empty world is a world."""
        return True

    def __contains__(self, id: object) -> bool:
        number = id if type(id) is int else index("id", id)
        return 0 <= number < self._native.capacity and self._native.get(number) is not None

    def __getitem__(self, id: int) -> Collider:
        """The collider of an id: KeyError if the id is not in the world, ValueError if it is out
        of range."""
        native = self._native
        if type(id) is not int or not 0 <= id < native.capacity:
            id = self._id(id)
        row = native.get(id)
        if row is None:
            raise KeyError(f"id {id} is not in the world")
        return collider_of_bytes(row)

    def __iter__(self) -> Iterator[int]:
        """The ids in the world, ascending, as they were when the iteration began."""
        return iter(self._native.ids())

    def colliders(self) -> Colliders:
        """All colliders as they are now, by id. NumPy can read its `buffer`, and `add_many` takes
        it as it is."""
        return Colliders(self._native.colliders())

    def hits(self) -> Hits:
        """The hits of the last step, by (a, b)."""
        return Hits(self._native.hits())

    @property
    def hit_count(self) -> int:
        """Number of hits of the last step."""
        return self._native.hit_count()

    def __repr__(self) -> str:
        frame, colliders, hits, hit_when = self._native.numbers()
        return (
            f"<World frame={frame} colliders={colliders} hits={hits}"
            f" capacity={self._native.capacity} hit_when={Contact(hit_when).name}>"
        )

    # State.

    def save(self) -> bytes:
        """The whole state, the same bytes on every platform."""
        return self._native.save()

    def hash(self) -> int:
        """XXH64 (seed 0) of the bytes of `save`."""
        return self._native.hash()

    def load(self, data: Buffer) -> None:
        """Replaces everything but the capacity and the level, hit_when and layers included, by a
        saved state.

        `data`: bytes or another buffer. ValueError names the offset and the broken rule, for
        instance another level; nothing has changed then."""
        self._native.load(bytes_of("data", data))

    @classmethod
    def from_bytes(cls, data: Buffer, capacity: int, level: Level | None = None) -> World:
        """A world of this capacity with a saved state, and the level that it was saved with."""
        world = cls(capacity, level=level)
        world.load(data)
        return world

    def copy(self) -> World:
        """Another world with the same state and level, without an observer. It has what a subclass
        keeps in `__dict__` too; the constructor is not called."""
        twin = World.__new__(type(self))
        twin._level = self._level
        twin._native = self._native.copy()
        if attributes := _attributes(self):
            twin.__dict__.update(attributes)
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        twin = memo[id(self)] = self.copy()
        if attributes := _attributes(self):
            twin.__dict__.update(deepcopy(attributes, memo))
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        native = self._native
        arguments = type(self), native.save(), native.capacity, self._level
        return _restored, arguments, _attributes(self)

    def __eq__(self, other: object) -> bool:
        """Whether capacity and `save()` are equal."""
        if not isinstance(other, World):
            return NotImplemented
        mine, others = self._native, other._native
        return mine is others or (mine.capacity == others.capacity and mine.save() == others.save())

    __hash__ = None  # type: ignore[assignment] # it changes

    # Observers.

    def attach(self, observer: Observer) -> None:
        """Calls an observer for every change, step and load. A world has at most one."""
        self._native.attach(partial(_Commands, observer))

    def detach(self, observer: Observer) -> None:
        """Ends `attach`. ValueError if this observer is not the attached one."""
        attached = self._native.observer
        is_ours = isinstance(attached, _Commands) and attached.observer is observer
        self._native.detach(attached if is_ours else observer)


def _attributes(world: World) -> dict[str, Any] | None:
    """The attributes that a subclass added."""
    return getattr(world, "__dict__", None)


def _restored(kind: type[World], data: bytes, capacity: int, level: Level | None) -> World:
    """A world of a class whose constructor may be another."""
    world = World.__new__(kind)
    World.__init__(world, capacity, level=level)
    World.load(world, data)
    return world

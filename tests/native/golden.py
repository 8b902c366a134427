"""Answers a trace of the golden again, with tests/model.py, and prints the golden's lines for it.

    golden 0 trace > trace; python tests/native/golden.py trace

The model knows nothing of the kernel; what the contract leaves open (which of several errors, which
of several push-outs) is checked. Every answer is compared with the one in the trace, so a failure
names the call that differs. The digests are computed here, in integers."""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

U64 = 2**64 - 1
OK, E_CENTRE, E_ROOM, E_CONFIG, E_UNDEFINED = 0, -5, -11, -12, -15
SECTOR = 4
BOOLS = {0: False, 1: True}
Answers = Sequence["int | None"]  # None: not settled by the contract


def mixed(digest: int, word: int) -> int:
    digest = (digest ^ word) * 0x9E3779B97F4A7C15 & U64
    return digest ^ digest >> 29


def bytes_answers(data: bytes) -> list[int]:
    digest = len(data)
    for byte in data:
        digest = mixed(digest, byte)
    return [len(data), digest]


class WrongError(Exception):
    """An answer that is not the one in the trace."""


class Arguments:
    """The arguments of a call, taken in order."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.at = 0

    def one(self) -> int:
        self.at += 1
        return int(self.words[self.at - 1])

    def some(self, count: int) -> list[int]:
        return [self.one() for _ in range(count)]

    def data(self) -> bytes:
        self.at += 1
        return bytes.fromhex(self.words[self.at - 1][1:])

    def rows(self, count: int) -> list[list[int]]:
        """All that is left, `count` a row."""
        return [self.some(count) for _ in range((len(self.words) - self.at) // count)]


def change(count: int, do: Callable[..., None]) -> Callable[[Model, Arguments], Answers]:
    """A change of a world, of so many numbers."""

    def changed(model: Model, a: Arguments) -> Answers:
        w, *words = a.some(1 + count)
        return model.status(lambda: do(model.worlds[w], *words))

    return changed


class Model:
    """tests/model.py. It raises where the kernel has a status; which one is the kernel's affair."""

    REFUSED = (ValueError, TypeError, KeyError)

    def __init__(self) -> None:
        sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
        import model  # type: ignore[import-not-found, unused-ignore]
        import model_push  # type: ignore[import-not-found, unused-ignore]
        import xxhash

        self.m: Any = model
        self.push: Any = model_push
        self.xxh64: Callable[..., int] = xxhash.xxh64_intdigest
        self.worlds: dict[int, Any] = {}
        self.hit_capacity: dict[int, int] = {}
        self.answers: Sequence[int] = ()  # what the trace says

    def refusable(self, ask: Callable[[], int]) -> list[int | None]:
        """The answer, or no more than that there is an error."""
        try:
            return [ask()]
        except self.REFUSED:
            if self.answers[0] >= 0:
                raise
            return [None]

    def status(self, ask: Callable[[], Any]) -> list[int | None]:
        """OK, or no more than that there is an error."""

        def asked() -> int:
            ask()
            return OK

        return self.refusable(asked)

    def shape(self, words: Sequence[int]) -> Any:
        kind, half_angle, *sizes = words
        if kind >= len(self.m.ORDER):
            raise ValueError("kind")
        name = self.m.ORDER[kind]
        used = 3 if kind == SECTOR else len(self.m.KINDS[name])
        if any(sizes[used:]) or (half_angle and kind != SECTOR):
            raise ValueError("an unused size")
        sizes = sizes[:used]
        if kind == SECTOR:
            sizes.insert(1, half_angle)
        return self.m.checked_shape((name, *sizes))

    def pair(self, words: Sequence[int]) -> tuple[Any, Any, Any, Any]:
        return (
            self.shape(words[:5]),
            tuple(words[5:9]),
            self.shape(words[9:14]),
            tuple(words[14:18]),
        )

    def direction(self, a: Arguments) -> Answers:
        return list(self.m.direction(a.one()))

    def yaw_of(self, a: Arguments) -> Answers:
        return self.refusable(lambda: self.m.yaw_of(*a.some(2)))

    def length(self, a: Arguments) -> Answers:
        return self.refusable(lambda: self.m.length(*a.some(3)))

    def yaw_between(self, a: Arguments) -> Answers:
        start, to = a.some(2)
        return [(to - start + 32768) % 65536 - 32768]

    def faces(self, a: Arguments) -> Answers:
        yaw, half_angle, dx, dz = a.some(4)

        def ask() -> int:
            self.m.yaw_of(dx, dz)  # refuses a number that no two positions differ by
            self.m.integer("yaw", yaw, 0, 65535)
            self.m.integer("half_angle", half_angle, 1, 32768)
            e1, e2 = (
                self.m.direction(edge % 65536) for edge in (yaw + half_angle, yaw - half_angle)
            )
            v = (dx, dz)
            side = self.m.wedge_side(half_angle, self.m.cross(e2, v), self.m.cross(v, e1))
            return int(half_angle == 32768 or v == (0, 0) or side >= 0)

        return self.refusable(ask)

    def forward(self, a: Arguments) -> Answers:
        yaw, length = a.some(2)
        if length == -(2**31):
            return [-13, 77, 77]
        return [OK, *(self.m.R(length * part) for part in self.m.direction(yaw % 65536))]

    def version(self, _: Arguments) -> Answers:
        header = (Path(__file__).parents[2] / "csrc" / "fixsync.h").read_text(encoding="ascii")
        return [1, int(header.partition("#define FXS_SEMANTICS ")[2].split()[0])]

    def hash64(self, a: Arguments) -> Answers:
        low, high = a.some(2)
        return [self.xxh64(a.data(), high << 32 | low)]

    def shape_check(self, a: Arguments) -> Answers:
        return self.status(lambda: self.shape(a.some(5)))

    def overlap(self, a: Arguments) -> Answers:
        return self.refusable(lambda: self.m.overlap(*self.pair(a.some(18))))

    def overlap_many(self, a: Arguments) -> Answers:
        contacts: list[int] = []
        rows = a.rows(18)
        for i, row in enumerate(rows):
            try:
                contacts.append(self.m.overlap(*self.pair(row)))
            except self.REFUSED:
                return [None, i, *contacts, *[9] * (len(rows) - i)]
        return [OK, 77, *contacts]

    def without_sector(self, words: Sequence[int]) -> bool:
        return SECTOR not in (words[0], words[9])

    def lift(self, a: Arguments) -> Answers:
        words = a.some(18)
        if not self.without_sector(words):
            return [E_UNDEFINED, 77]
        return [OK, self.push.lift(*self.pair(words))]

    def level(self, a: Arguments) -> Answers:
        import model_level  # type: ignore[import-not-found, unused-ignore]

        data = a.data()
        try:
            solids = model_level.level_of_bytes(data)
        except model_level.RefusedError as error:
            return [-20, error.at]
        shape, pose = self.shape(a.some(5)), tuple(a.some(4))
        motion, when = a.some(3), a.one()
        contacts = [model_level.level_contact(shape, pose, solid) for solid in solids]
        found = [OK, 77, model_level.level_hash(solids), *contacts, OK]
        found += [model_level.LEVEL + i for i, contact in enumerate(contacts) if contact >= when]
        if shape[0] == "sector":
            return [*found, E_UNDEFINED]
        hits = [
            (cast[0], model_level.LEVEL + i, cast[1])
            for i, solid in enumerate(solids)
            if (cast := model_level.level_cast(shape, pose, motion, solid, when)) is not None
        ]
        return [*found, OK, *(n for k, id, normal in sorted(hits) for n in (id, k, *normal))]

    def level_world(self, a: Arguments) -> Answers:
        import model_level  # type: ignore[import-not-found, unused-ignore]

        solids = model_level.level_of_bytes(a.data())
        shape, pose = self.shape(a.some(5)), tuple(a.some(4))
        world = model_level.LevelWorld(2, solids)
        world.add(1, shape, pose)
        found: list[int | None] = [OK] * 4
        for one, other, _, contact in world.step():
            found += [one << 32 | other, contact]
        found.append(world.hash())
        for solid in solids:
            if shape[0] == "sector":
                found += [E_UNDEFINED, 77, 77, E_UNDEFINED, 77, E_UNDEFINED]
                continue
            dy = self.push.lift_of_solid(shape, pose, solid)
            lift = [OK, dy] if -(2**31) <= dy < 2**31 else [E_CENTRE, 77]
            side = E_UNDEFINED if solid.radius else None
            found += [OK, *self.push.push_out_of_solid(shape, pose, solid), *lift, side]
        return found

    def outlined(self, shape: Any, pose: Any, segments: int, room: int) -> Answers:
        if not 3 <= segments <= 65536:
            return [-19, 77, 77, 77, 77]
        outer, hole, low, high = self.m.outline(shape, pose, segments)
        head = (low, high, len(outer), len(hole))
        if room < len(outer) + len(hole):
            return [E_ROOM, *head]
        return [OK, *head, *(n for vertex in (*outer, *hole) for n in vertex)]

    def outline(self, a: Arguments) -> Answers:
        shape, pose, asked = self.shape(a.some(5)), a.some(4), a.some(2)
        return [-4, 77, 77, 77, 77] if pose[3] > 65535 else self.outlined(shape, pose, *asked)

    def outline_of(self, a: Arguments) -> Answers:
        w, id, segments, room = a.some(4)
        c = self.worlds[w].colliders.get(id)
        if c is None:
            return [-8, 77, 77, 77, 77]
        pose = (*self.m.centre(c.pose, c.offset), c.pose[3])
        return self.outlined(c.shape, pose, segments, room)

    def push_out(self, a: Arguments) -> Answers:
        words = a.some(18)
        if not self.without_sector(words):
            return [E_UNDEFINED, None, None, E_UNDEFINED]
        pushed = self.push.push_out(*self.pair(words))
        return [OK, *pushed, self.m.side_of(pushed, words[17]) if words[9] == 3 else E_UNDEFINED]

    def cast_pair(self, a: Arguments) -> Answers:
        words = a.some(25)

        def ask() -> Any:
            one, at_one = self.shape(words[:5]), tuple(words[5:9])
            other, at_other = self.shape(words[12:17]), tuple(words[17:21])
            found = self.m.cast_pair(
                one, at_one, words[9:12], other, at_other, words[21:24], words[24]
            )
            return (1, found[0], *found[1]) if found else (0, None, None, None, None)

        status = self.refusable(ask)[0]
        return status if isinstance(status, tuple) else [None] * 5

    def init(self, a: Arguments) -> Answers:
        w, capacity, hit_capacity, hit_when, *layers = a.some(36)
        if not self.m.is_symmetric(layers):
            return [0, None]
        self.worlds[w] = self.m.ModelWorld(capacity, hit_when)
        self.worlds[w].masks = layers
        self.hit_capacity[w] = hit_capacity
        return [1, OK]

    def add_row(self, world: Any, c: Sequence[int]) -> None:
        if c[4] != 0 or c[3] > 1:
            raise ValueError("padding or active")
        world.add(
            c[0],
            self.shape([c[1], c[6], *c[14:17]]),
            (*c[8:11], c[5]),
            layer=c[2],
            owner=c[7],
            offset=tuple(c[11:14]),
            active=bool(c[3]),
        )

    def add(self, a: Arguments) -> Answers:
        w, *c = a.some(18)
        return self.status(lambda: self.add_row(self.worlds[w], c))

    def set_shape(self, a: Arguments) -> Answers:
        w, id, *shape = a.some(7)
        return self.status(lambda: self.worlds[w].set_shape(id, self.shape(shape)))

    move = change(4, lambda world, id, *at: world.move(id, *at))
    pose_at = change(5, lambda world, id, *pose: world.set_pose(id, pose))
    offset = change(4, lambda world, id, *offset: world.set_offset(id, offset))
    remove = change(1, lambda world, id: world.remove(id))
    turn = change(2, lambda world, id, yaw: world.turn(id, yaw))
    owner = change(2, lambda world, id, owner: world.set_owner(id, owner))
    layer = change(2, lambda world, id, layer: world.set_layer(id, layer))
    active = change(2, lambda world, id, value: world.set_active(id, BOOLS.get(value, value)))

    def step(self, a: Arguments) -> Answers:
        w, event_capacity = a.some(2)
        after = copy.deepcopy(self.worlds[w])
        events = after.step()
        if len(after.hits) > self.hit_capacity[w] or len(events) > event_capacity:
            return [E_ROOM, int(len(after.hits) > self.hit_capacity[w])]
        self.worlds[w] = after
        return [
            OK,
            len(after.hits),
            len(events),
            after.frame,
            *[n for event in events for n in event],
        ]

    def ids_of(self, world: Any, q: Sequence[int]) -> list[int]:
        ids: list[int] = world.query(self.shape(q[:5]), tuple(q[5:9]), q[9], exclude_owner=q[10])
        return ids

    def nearest_of(self, world: Any, limit: int, q: Sequence[int]) -> list[int]:
        def distance(id: int) -> tuple[int, int]:
            return sum((n - m) ** 2 for n, m in zip(world[id].at[:3], q[5:8], strict=True)), id

        return sorted(self.ids_of(world, q), key=distance)[: limit or None]

    def found(self, ask: Callable[[Any], Any], rows: Sequence[Any], room: int) -> Answers:
        """The status, the number of answers to all rows, where those to each end, and they."""
        found: list[Any] = []
        ends: list[int] = []
        for i, row in enumerate(rows):
            try:
                found += ask(row)
            except self.REFUSED:
                return [None, i]
            ends.append(len(found))
        if len(found) > room:
            return [E_ROOM, len(found)]
        seen = [n for one in found for n in (one if isinstance(one, list) else [one])]
        return [OK, len(found), *ends, *seen]

    @staticmethod
    def without_end(answers: Answers) -> Answers:
        """As of a single question."""
        return [*answers[:2], *answers[3:]]

    def query(self, a: Arguments) -> Answers:
        w, room, *q = a.some(13)
        seen = self.found(lambda q: self.ids_of(self.worlds[w], q), [q], room)
        return self.without_end(seen) if seen[0] is not None else [None]

    def query_many(self, a: Arguments) -> Answers:
        w, room = a.some(2)
        return self.found(lambda q: self.ids_of(self.worlds[w], q), a.rows(11), room)

    def nearest_many(self, a: Arguments) -> Answers:
        w, room, limit = a.some(3)
        return self.found(lambda q: self.nearest_of(self.worlds[w], limit, q), a.rows(11), room)

    def nearest(self, a: Arguments) -> Answers:
        w, limit, *q = a.some(13)
        ids = self.nearest_of(self.worlds[w], limit, q)
        return [OK, len(ids), *ids]

    def layers(self, a: Arguments) -> Answers:
        w, *masks = a.some(33)
        if not self.m.is_symmetric(masks):
            return [E_CONFIG]
        self.worlds[w].masks = masks
        return [OK]

    def command(self, world: Any, row: Sequence[int]) -> None:
        type, mask, c = row[0], row[1], row[2:]
        shape = self.shape([c[1], c[6], *c[14:17]]) if type in (1, 5) else None
        match type:
            case 1:
                self.add_row(world, c)
            case 2:
                world.move(c[0], *c[8:11])
            case 3:
                world.turn(c[0], c[5])
            case 4:
                world.set_pose(c[0], (*c[8:11], c[5]))
            case 5:
                world.set_shape(c[0], shape)
            case 6:
                world.set_offset(c[0], tuple(c[11:14]))
            case 7:
                world.set_owner(c[0], c[7])
            case 8:
                world.set_layer(c[0], c[2])
            case 9:
                world.set_active(c[0], BOOLS.get(c[3], c[3]))
            case 10:
                world.remove(c[0])
            case 11:
                layer = self.m.integer("layer", c[2], 0, 31)
                world.masks[layer] = mask
                for other in range(32):
                    bit = mask >> other & 1
                    world.masks[other] = world.masks[other] & ~(1 << layer) | bit << layer
            case _:
                raise ValueError("type")

    def apply(self, a: Arguments) -> Answers:
        return self.all_or_none(a.one(), a.rows(19), self.command)

    def hits_of(self, world: Any, cast: Sequence[int]) -> list[list[int]]:
        mask, owner, limit, hit_when = cast[12:16]
        shape, pose, motion = self.shape(cast[:5]), tuple(cast[5:9]), tuple(cast[9:12])
        hits = world.cast(
            shape, pose, motion, mask, exclude_owner=owner, limit=limit, hit_when=hit_when or None
        )
        return [[id, fraction, *normal] for id, fraction, normal in hits]

    def cast(self, a: Arguments) -> Answers:
        w, room, *cast = a.some(18)
        return self.without_end(self.found(lambda c: self.hits_of(self.worlds[w], c), [cast], room))

    def cast_many(self, a: Arguments) -> Answers:
        w, room = a.some(2)
        return self.found(lambda cast: self.hits_of(self.worlds[w], cast), a.rows(16), room)

    def sweep(self, a: Arguments) -> Answers:
        w, room, id = a.some(3)
        motion, limit, hit_when = tuple(a.some(3)), a.one(), a.one()
        world = self.worlds[w]

        def others(id: int) -> list[list[int]]:
            own = world[id]
            hits = world.cast(
                own.shape,
                own.at,
                motion,
                world.masks[own.layer],
                exclude_owner=own.owner,
                hit_when=hit_when or None,
            )
            others = [[other, k, *normal] for other, k, normal in hits if other != id]
            return others[: limit or None]

        seen = self.found(others, [id], room)
        return self.without_end(seen) if seen[0] is not None else [None]

    def sweep_pairs(self, a: Arguments) -> Answers:
        w, room, limit, hit_when = a.some(4)
        rows, world = a.rows(4), self.worlds[w]
        if hit_when > 2:
            return [None, 0]
        for i, (id, *motion) in enumerate(rows):
            far = max(map(abs, motion)) > self.m.SIZE_MAX
            if id not in world.colliders or far or (i and id <= rows[i - 1][0]):
                return [None, i]
            if world[id].shape[0] == "sector":
                return [None, i]
        motions = {id: tuple(motion) for id, *motion in rows}
        hits = world.sweep_pairs(motions, hit_when=hit_when or None, limit=limit)
        if len(hits) > room:
            return [E_ROOM, len(hits)]
        return [OK, len(hits), *(n for one, other, k, v in hits for n in (one, other, k, *v))]

    def save(self, a: Arguments) -> Answers:
        data = self.worlds[a.one()].save()
        return [*bytes_answers(data), self.xxh64(data)]

    def load(self, a: Arguments) -> Answers:
        w, data = a.one(), a.data()
        after = copy.deepcopy(self.worlds[w])
        try:
            after.load(data)
        except self.REFUSED:
            return [-14, None]
        if len(after.hits) > self.hit_capacity[w]:
            return [E_ROOM, len(after.hits)]
        self.worlds[w] = after
        return [OK]

    def copy(self, a: Arguments) -> Answers:
        to, source = a.some(2)
        if self.hit_capacity[to] < len(self.worlds[source].hits):
            return [E_ROOM]
        self.worlds[to] = copy.deepcopy(self.worlds[source])
        return [OK]

    def contact(self, a: Arguments) -> Answers:
        w, one, other = a.some(3)
        if one == other and one in self.worlds[w].colliders:
            return [None]  # the contract speaks of pairs of two
        return self.refusable(lambda: self.worlds[w].contact(one, other))

    def fields(self, id: int, c: Any) -> list[int]:
        kind, *sizes = c.shape
        half_angle = sizes.pop(1) if kind == "sector" else 0
        traits = [
            id,
            self.m.ORDER.index(kind),
            c.layer,
            int(c.active),
            0,
            c.pose[3],
            half_angle,
            c.owner,
        ]
        return [*traits, *c.pose[:3], *c.offset, *[*sizes, 0, 0][:3]]

    def get(self, a: Arguments) -> Answers:
        w, id = a.some(2)
        try:
            return [OK, *self.fields(id, self.worlds[w][id])]
        except self.REFUSED:
            return [None]

    def list(self, a: Arguments) -> Answers:
        w = a.one()
        world = self.worlds[w]
        head = [
            world.capacity,
            self.hit_capacity[w],
            world.hit_when,
            *world.masks,
            world.frame,
            len(world.colliders),
        ]
        bodies = [n for id, c in sorted(world.colliders.items()) for n in (id, *self.fields(id, c))]
        hits = [
            n for (one, other), found in sorted(world.hits.items()) for n in (one, other, found)
        ]
        return [*head, *bodies, len(world.hits), *hits]

    def all_or_none(
        self, w: int, rows: Sequence[Sequence[int]], change: Callable[[Any, Any], None]
    ) -> Answers:
        after = copy.deepcopy(self.worlds[w])
        for i, row in enumerate(rows):
            try:
                change(after, row)
            except self.REFUSED:
                return [None, i]
        self.worlds[w] = after
        return [OK, 77]

    def add_many(self, a: Arguments) -> Answers:
        return self.all_or_none(a.one(), a.rows(17), self.add_row)

    def move_many(self, a: Arguments) -> Answers:
        return self.all_or_none(a.one(), a.rows(4), lambda world, row: world.move(*row))

    def set_pose_many(self, a: Arguments) -> Answers:
        return self.all_or_none(
            a.one(), a.rows(5), lambda world, row: world.set_pose(row[0], tuple(row[1:]))
        )

    def separate(self, a: Arguments) -> Answers:
        return self.separated(*a.some(2), a.some(32))

    def separate_into(self, a: Arguments) -> Answers:
        w, room, passes = a.some(3)
        world = self.worlds[w]
        enough = min(len(world.colliders), 2 * len(world.hits))
        return [E_ROOM, enough] if room < enough else self.separated(w, passes, a.some(32))

    def separated(self, w: int, passes: int, yields: Sequence[int]) -> Answers:
        try:
            moved = self.push.separate(self.worlds[w], yields, passes)
        except self.push.PushedOutsideError as error:
            return [E_CENTRE, error.id]
        return [OK, len(moved), *(n for row in moved for n in row)]

    def pair_of(self, a: Arguments) -> Answers:
        w, one, other = a.some(3)
        world = self.worlds[w]
        if one not in world.colliders or other not in world.colliders:
            return [None] * 6
        a_, b_ = world[one], world[other]
        pair = (a_.shape, (*a_.at, a_.pose[3])[:4], b_.shape, (*b_.at, b_.pose[3])[:4])
        if "sector" in (a_.shape[0], b_.shape[0]):
            return [E_UNDEFINED, 77, 77, E_UNDEFINED, 77, E_UNDEFINED]
        pushed = self.push.push_out(*pair)
        side = self.m.side_of(pushed, b_.pose[3]) if b_.shape[0] == "box" else E_UNDEFINED
        return [OK, *pushed, OK, self.push.lift(*pair), side]


METHODS = {"pose": "pose_at", "shape": "set_shape", "pair": "pair_of"}


def lines_of(trace: Iterable[str]) -> Iterator[str]:
    """The golden's lines, each after every call before it was answered as the trace says."""
    model = Model()
    digest = count = 0
    for line in trace:
        words = line.split()
        if not words:
            continue
        if words[0].isdigit():
            # The size of a scene's state is the last save's, which was among the answers.
            yield f"{' '.join(words[:-1])} {digest:016x}"
            digest = count = 0
            continue
        middle = words.index("=")
        seen = [int(word) for word in words[middle + 1 :]]
        model.answers = seen
        method = getattr(model, METHODS.get(words[0], words[0]))
        try:
            answers = method(Arguments(words[1:middle]))
        except Exception as error:
            raise WrongError(f"{type(error).__name__}: {error}\n  {line.strip()[:2000]}") from error
        agree = len(answers) == len(seen) and all(
            mine is None or (mine - other) & U64 == 0
            for mine, other in zip(answers, seen, strict=True)
        )
        if not agree:
            raise WrongError(f"the answer is {list(answers)}, not {seen}:\n  {line.strip()[:2000]}")
        for word in seen:
            digest = mixed(digest, word & U64)
        count += len(seen)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", type=Path)
    args = parser.parse_args()
    try:
        with args.trace.open(encoding="ascii") as trace:
            for line in lines_of(trace):
                print(line)
    except WrongError as wrong:
        print(f"error: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

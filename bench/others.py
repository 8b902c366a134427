"""The same scenes for what else is installed: pymunk, and SciPy with NumPy.

Both work in the plane and in floating point, so they are given the scenes whose colliders all stand
on it and are of one size, and their pairs may differ from the exact ones at the boundary."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from math import pi
from time import process_time_ns
from typing import Any, TypeAlias

from fixsync.base.numbers import ONE
from fixsync.bench.calls import ASKS
from fixsync.bench.frames import FRAMES, Driver
from fixsync.bench.scenes import Scene, scene
from fixsync.world.shapes import Box

__all__ = ["drivers", "plain_loop", "questions"]

_PLANE = {"uniform", "clustered", "line", "line_z", "diagonal", "idle"}


def drivers(scene: Scene) -> list[Driver]:
    """The libraries that are installed and can run the scene."""
    found: list[Driver] = []
    if scene.name not in _PLANE:
        return found
    for kind in (_Pymunk, _Scipy):
        with suppress(ImportError):
            found.append(kind(scene))
    return found


def _planar(scene: Scene, rows: array[int]) -> list[tuple[float, float, float]]:
    """x, z and angle of all colliders, in units and radians."""
    moved = dict(
        zip(scene.moving, zip(rows[0::4], rows[2::4], rows[3::4], strict=True), strict=True)
    )
    if len(moved) < scene.count:
        for id in range(scene.count):
            x, _, z, yaw = scene.pose(id, 0)
            moved.setdefault(id, (x, z, yaw))
    return [
        (x / ONE, z / ONE, yaw * pi / 32768)
        for x, z, yaw in (moved[id] for id in range(scene.count))
    ]


class _Pymunk(Driver):
    """Sensors on bodies. One call of pymunk.batch sets the velocities that take them to their new
    places (its tree is several times slower when positions are set); another returns all pairs that
    touch, and whether they are new. Ends of contacts are not read."""

    library = "pymunk"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._pymunk: Any = import_module("pymunk")
        self._batch: Any = import_module("pymunk.batch")

    def begin(self) -> None:
        pymunk, batch = self._pymunk, self._batch
        self._space = space = pymunk.Space()
        space.gravity = 0, 0
        space.collision_persistence = 1
        bodies = []
        for id, shape in enumerate(self.scene.shapes):
            x, _, z, yaw = self.scene.pose(id, 0)
            body = pymunk.Body(1, 1)
            body.position = x / ONE, z / ONE
            body.angle = yaw * pi / 32768
            outline: Any
            if isinstance(shape, Box):
                outline = pymunk.Poly.create_box(
                    body, (2 * shape.half_x / ONE, 2 * shape.half_z / ONE)
                )
            else:
                outline = pymunk.Circle(body, shape._row[2] / ONE)
            outline.sensor = True
            bodies += [body, outline]
        space.add(*bodies)
        self._at = [self.scene.pose(id, 0) for id in range(self.scene.count)]
        self._in, self._out = batch.Buffer(), batch.Buffer()
        self._moves = batch.BodyFields.VELOCITY | batch.BodyFields.ANGULAR_VELOCITY
        self._told = (
            batch.ArbiterFields.BODY_A_ID
            | batch.ArbiterFields.BODY_B_ID
            | batch.ArbiterFields.IS_FIRST_CONTACT
        )

    def prepared(self, poses: array[int]) -> array[float]:
        moves = array("d", bytes(24 * self.scene.count))
        for id, now in zip(self.scene.moving, zip(*[iter(poses)] * 4, strict=True), strict=True):
            x, _, z, yaw = self._at[id]
            turn = (now[3] - yaw + 32768) % 65536 - 32768
            moves[3 * id : 3 * id + 3] = array(
                "d", ((now[0] - x) / ONE, (now[2] - z) / ONE, turn * pi / 32768)
            )
            self._at[id] = now
        return moves

    def frame(self, poses: array[float]) -> None:
        batch = self._batch
        self._in.set_float_buf(poses)
        batch.set_space_bodies(self._space, self._moves, self._in)
        self._space.step(1)
        self._out.clear()
        batch.get_space_arbiters(self._space, self._told, self._out)
        self.reported = len(self._out.int_buf()) // 24

    def pairs(self) -> int:
        return self.reported


class _Scipy(Driver):
    """Candidates from a k-d tree over the centres, tested in NumPy; events from the sorted pairs of
    this frame and the last one."""

    library = "SciPy"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._np: Any = import_module("numpy")
        self._tree: Any = import_module("scipy.spatial").cKDTree

    def begin(self) -> None:
        np = self._np
        boxes = [shape._row[0] == 3 for shape in self.scene.shapes]
        self._is_box = np.array(boxes)
        self._half = np.array([(s._row[2] / ONE, s._row[4] / ONE) for s in self.scene.shapes])
        self._reach = 2 * max(
            (x * x + z * z) ** 0.5 if box else x
            for box, (x, z) in zip(boxes, self._half, strict=True)
        )
        self._before = np.empty(0, np.int64)

    def prepared(self, poses: array[int]) -> Any:
        return self._np.array(_planar(self.scene, poses))

    def frame(self, poses: Any) -> None:
        np = self._np
        centres, turn = poses[:, :2], np.column_stack((np.cos(poses[:, 2]), np.sin(poses[:, 2])))
        tree = self._tree(centres, balanced_tree=False, compact_nodes=False)  # its fastest
        pairs = tree.query_pairs(self._reach, output_type="ndarray")
        first, second = self._is_box[pairs[:, 0]], self._is_box[pairs[:, 1]]
        swapped = np.where((first & ~second)[:, None], pairs[:, ::-1], pairs)
        boxes = first.astype(np.int8) + second
        hit = np.empty(len(pairs), bool)
        for kinds, test in enumerate((self._discs, self._disc_and_box, self._boxes)):
            chosen = boxes == kinds
            a, b = swapped[chosen].T
            hit[chosen] = test(a, b, centres[b] - centres[a], turn)
        found = pairs[hit]
        keys = np.sort(found.min(axis=1).astype(np.int64) << 32 | found.max(axis=1))
        begun = np.setdiff1d(keys, self._before, assume_unique=True)
        ended = np.setdiff1d(self._before, keys, assume_unique=True)
        self._before, self.reported = keys, len(begun) + len(ended)

    def pairs(self) -> int:
        return len(self._before)

    def _discs(self, a: Any, b: Any, d: Any, turn: Any) -> Any:  # noqa: ARG002 - one form for all
        reach = self._half[a, 0] + self._half[b, 0]
        return (d * d).sum(axis=1) <= reach * reach

    def _disc_and_box(self, a: Any, b: Any, d: Any, turn: Any) -> Any:
        np, radius = self._np, self._half[a, 0]
        outside = np.maximum(0, np.abs(_turned_back(np, d, turn[b])) - self._half[b])
        return (outside * outside).sum(axis=1) <= radius * radius

    def _boxes(self, a: Any, b: Any, d: Any, turn: Any) -> Any:
        np = self._np
        relative = np.abs(_turned_back(np, turn[b], turn[a]))
        c, s = relative[:, 0], relative[:, 1]
        hit = True
        for one, other in ((a, b), (b, a)):
            mine, theirs = self._half[one], self._half[other]
            way = np.abs(_turned_back(np, d, turn[one]))
            hit = hit & (way[:, 0] <= mine[:, 0] + theirs[:, 0] * c + theirs[:, 1] * s)
            hit = hit & (way[:, 1] <= mine[:, 1] + theirs[:, 0] * s + theirs[:, 1] * c)
        return hit


def _turned_back(np: Any, v: Any, turn: Any) -> Any:
    """v turned by minus an angle, of which `turn` has cosine and sine."""
    c, s = turn[:, 0], turn[:, 1]
    return np.column_stack((v[:, 0] * c + v[:, 1] * s, v[:, 1] * c - v[:, 0] * s))


def plain_loop(count: int, *, turns: bool = True) -> float:
    """Nanoseconds of a frame of pymunk's plainest loop, the least of all: position and angle of
    each body (without `turns`, its position only), a step, and a callback for each new contact."""
    made, found = scene("uniform", count), list[Any]()
    driver = _Pymunk(made)
    driver.begin()
    space = driver._space
    space.on_collision(begin=lambda arbiter, _space, _data: found.append(arbiter.shapes))
    frames = [_planar(made, made.poses(frame)) for frame in range(1, FRAMES + 1)]
    bodies, times = list(space.bodies), []
    for _ in range(max(3, 20_000 // count)):
        for places in frames:
            found.clear()
            began = process_time_ns()
            if turns:
                for body, (x, z, angle) in zip(bodies, places, strict=True):
                    body.position = x, z
                    body.angle = angle
            else:
                for body, (x, z, _) in zip(bodies, places, strict=True):
                    body.position = x, z
            space.step(1)
            times.append(process_time_ns() - began)
    return min(times)


_Ask: TypeAlias = Callable[[int, tuple[float, float, float]], Any]
"""A move of a collider to a place, and a question there."""


def questions(count: int) -> Iterator[tuple[str, str, float]]:
    """Library, question, and nanoseconds of a move and this question, as `calls.asked` has them.
    Nobody but fixsync sweeps a collider."""
    made = scene("uniform", count)
    places = _planar(made, made.poses(FRAMES))
    chosen = [(id, places[id]) for id in range(0, count, count // ASKS)]
    for library, asks in (("pymunk", _pymunk_asks), ("SciPy", _scipy_asks)):
        with suppress(ImportError):
            for question, ask in asks(made).items():
                yield library, question, _least_of_asks(ask, chosen)


def _least_of_asks(ask: _Ask, chosen: list[tuple[int, tuple[float, float, float]]]) -> float:
    def run() -> None:
        for id, place in chosen:
            ask(id, place)

    times = []
    for _ in range(6):  # the first makes memory
        began = process_time_ns()
        run()
        times.append(process_time_ns() - began)
    return min(times) / len(chosen)


def _pymunk_asks(made: Scene) -> dict[str, _Ask]:
    pymunk: Any = import_module("pymunk")
    driver = _Pymunk(made)
    driver.begin()
    space, bodies, every = driver._space, list(driver._space.bodies), pymunk.ShapeFilter()
    at = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    area = pymunk.Circle(at, 2)

    def move(id: int, place: tuple[float, float, float]) -> tuple[float, float]:
        body = bodies[id]
        body.position = place[:2]
        body.angle = place[2]
        space.reindex_shapes_for_body(body)
        return place[:2]

    def query(id: int, place: tuple[float, float, float]) -> Any:
        at.position = move(id, place)
        return space.shape_query(area)

    def nearest(id: int, place: tuple[float, float, float]) -> Any:
        found = space.point_query(move(id, place), 2, every)
        return sorted(found, key=lambda info: info.distance)[:4]

    def cast(id: int, place: tuple[float, float, float]) -> Any:
        x, z = move(id, place)
        return space.segment_query_first((x, z), (x + 4, z + 1), 0, every)

    return {"query": query, "nearest": nearest, "cast": cast}


def _scipy_asks(made: Scene) -> dict[str, _Ask]:
    """A tree is built for each question, and its candidates are not tested."""
    driver = _Scipy(made)
    driver.begin()
    centres = driver.prepared(made.poses(FRAMES))[:, :2].copy()
    reach = 2 + driver._reach / 2

    def tree(id: int, place: tuple[float, float, float]) -> Any:
        centres[id] = place[:2]
        return driver._tree(centres, balanced_tree=False, compact_nodes=False)

    def query(id: int, place: tuple[float, float, float]) -> Any:
        return tree(id, place).query_ball_point(place[:2], reach)

    def nearest(id: int, place: tuple[float, float, float]) -> Any:
        return tree(id, place).query(place[:2], 4, distance_upper_bound=reach)

    return {"query": query, "nearest": nearest}

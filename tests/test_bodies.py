"""Bodies: parts that move, turn, mirror and attack together, all or none, and come back after a
rollback.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import model
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import INT32_MAX, INT32_MIN, TURN
from model_bodies import ModelBody
from strategies import examples, yaws
from tools import each

from fixsync import (
    Attack,
    Body,
    Box,
    Cancel,
    Capsule,
    Contact,
    Cylinder,
    EventKind,
    FrameData,
    Key,
    Part,
    Pose,
    Sector,
    Sphere,
    World,
)
from fixsync._native.raw import ffi, lib
from fixsync.game.motion import Mover, separate
from fixsync.log.recorder import Recorder
from fixsync.log.replay import Verdict, replay
from fixsync.match.sim import hash_of
from fixsync.world.records import Moved

HURT, HIT, PUSH = 0, 1, 2
PARTS = {
    "torso": Part(Cylinder(50, 80), layer=HURT),
    "head": Part(Sphere(20), (5, 100, 0), layer=HURT),
    "sword": Part(Box(60, 10, 8), (90, 20, 3), layer=HIT, active=False),
    "kick": Part(Sector(120, 4000, 10), (10, -40, -2), layer=HIT, yaw=16384, active=False),
    "aura": Part(Sector(300, 9000, 10), (0, 50, 0), layer=HIT, yaw=1234, active=False),
}
SLASH = Attack(10, {"sword": [range(2, 4), range(6, 7)]})
ROLL = Attack(5, {"kick": range(5)}, {"torso": range(1, 4), "head": range(1, 4)})
ATTACKS = {"slash": SLASH, "roll": ROLL, "jab": Attack.of(3, 2, 4, ["sword", "aura"])}


FRAMES = FrameData(PARTS, ATTACKS)


def body(world: World, pose: Pose = Pose(0, 0, 0), **how: Any) -> Body:  # noqa: B008 - a Pose never changes
    return Body(world, FRAMES, pose, **{"ids": 2, "owner": 7, **how})


def active(world: World, fighter: Body) -> set[str]:
    return {name for name, id in fighter.ids.items() if world[id].active}


def centre(world: World, id: int) -> tuple[int, int, int]:
    """Where a collider's centre is, by the model."""
    _, _, pose, _, _, offset, _ = world[id]
    return model.centre((pose.x, pose.y, pose.z, pose.yaw), offset)


def facing(world: World, id: int) -> tuple[int, int]:
    return model.direction(world[id].pose.yaw)


# Place.


@given(
    yaws(),
    *[st.integers(-(10**6), 10**6)] * 3,
    st.sampled_from([0, 16384, 32768, 49152]),
    st.booleans(),
)
def test_every_part_is_where_the_bodys_turn_takes_its_offset(
    yaw: int, ox: int, oy: int, oz: int, turn: int, is_mirrored: bool
) -> None:
    world = World(4)
    parts = {
        "sector": Part(Sector(5, 5, 5), (ox, oy, oz), yaw=turn),
        "box": Part(Box(1, 2, 3), (ox, oy, oz), yaw=turn),
    }
    fighter = Body(world, FrameData(parts), Pose(11, 12, 13), ids=[3, 1], owner=1)
    fighter.mirror(is_mirrored)
    fighter.set_pose(Pose(-500, 600, 700, yaw))
    expected = model.centre((-500, 600, 700, yaw), (-ox if is_mirrored else ox, oy, oz))
    assert centre(world, 3) == centre(world, 1) == expected
    c, s = (
        model.direction((yaw + turn) % TURN)
        if not is_mirrored
        else model.direction((yaw + 32768 - turn) % TURN)
    )
    assert facing(world, 3) == (c, s)
    box = model.direction((yaw + (turn if not is_mirrored else -turn)) % TURN)
    assert facing(world, 1) == box


def test_a_part_off_the_axis_is_turned_by_quarters_only() -> None:
    for yaw in (1, 8192, 16383, 65535):
        with pytest.raises(
            ValueError, match=rf"yaw must be 0, 16384, 32768 or 49152 .* \(5, 0\), not {yaw}"
        ):
            Part(Sphere(1), (5, 0, 0), yaw=yaw)
    for offset in ((INT32_MIN, 0, 0), (0, 0, INT32_MIN)):
        with pytest.raises(ValueError, match=r"offset: o[xz] must be -2147483647..2147483647"):
            Part(Sphere(1), offset)


def mirror_images(world: World, other: World, fighter: Body) -> None:
    """Every part of the one is the mirror image of the other's, across x = 0."""
    for id in fighter:
        (x, y, z), (mx, my, mz) = centre(world, id), centre(other, id)
        assert (mx, my, mz) == (-x, y, z)
        (c, s), (mc, ms) = facing(world, id), facing(other, id)
        assert (mc, ms) == (-c, s) or (
            not isinstance(world[id].shape, Sector) and (mc, ms) == (c, -s)
        )


@given(st.integers(-500, 500), st.integers(-500, 500))
def test_a_mirrored_body_is_the_mirror_image(x: int, z: int) -> None:
    """And hits the mirror image of what it hit."""
    world, other = World(16), World(16)
    fighter = body(world, Pose(x, 0, z))
    twin = body(other, Pose(-x, 0, z), is_mirrored=True)
    mirror_images(world, other, fighter)
    for one, its_world in ((fighter, world), (twin, other)):
        one.set_active(True)
        assert active(its_world, one) == set(PARTS)
    victims = [
        (9, Capsule(70, 5), 130, 40),
        (10, Box(40, 90, 20), -95, -30),
        (11, Sphere(33), 60, 210),
    ]
    for id, shape, vx, vz in victims:
        world.add(id, shape, Pose(vx, 0, vz))
        other.add(id, shape, Pose(-vx, 0, vz))
    assert world.step() == other.step()


def test_move_turn_and_set_pose_take_all_parts_along() -> None:
    world = World(16)
    fighter = body(world)
    fighter.move(10, 20, 30)
    assert fighter.pose == Pose(10, 20, 30, 0)
    fighter.turn(9000)
    assert fighter.pose == Pose(10, 20, 30, 9000)
    assert {world[id].pose.yaw for id in fighter} == {9000, (9000 + 16384) % TURN, 9000 + 1234}
    fresh = World(16)
    body(fresh, Pose(10, 20, 30, 9000))
    assert world.save() == fresh.save()


def test_parts_of_one_body_never_hit_each_other() -> None:
    world = World(16)
    body(world).set_active(True)
    body(world, ids=range(8, 13), owner=8)
    assert {(world[a].owner, world[b].owner) for a, b, _, _ in world.step()} == {(7, 8)}


# All or none.


def test_a_body_is_added_whole_or_not_at_all() -> None:
    world = World(16)
    world.add(4, Sphere(1), Pose(0, 0, 0))
    before = world.save()
    with pytest.raises(ValueError, match="part 'sword': id 4 is taken"):
        body(world)
    assert world.save() == before
    with pytest.raises(ValueError, match="part 'head': id 9: the centre must be"):
        body(world, Pose(0, INT32_MAX - 90, 0), ids=[8, 9, 10, 11, 12])
    assert world.save() == before


@each("change", [
    lambda f: f.set_pose(Pose(INT32_MAX - 80, 0, 0)),
    lambda f: f.move(INT32_MAX - 80, 0, 0),
    lambda f: f.move(0, INT32_MAX - 60, 0),
    lambda f: f.turn(65536),
    lambda f: f.move(0.5, 0, 0),
    lambda f: f.follow([Moved(2, 1, 1, 1), Moved(3, 2, 2, 2)]),
    lambda f: f.mirror(1),
    lambda f: f.set_active(1),
    lambda f: f.set_active(True, "torso", "tail"),
    lambda f: f.set_owner(0),
    lambda f: f.set_owner(2**32),
    lambda f: f.start("dance"),
    lambda f: f.strike(-1),
])  # fmt: skip
def test_a_refused_change_changes_nothing(change: Any) -> None:
    world = World(16)
    fighter = body(world)
    fighter.start("slash")
    before, state = world.save(), fighter.save()
    with pytest.raises((ValueError, TypeError, KeyError)):
        change(fighter)
    assert (world.save(), fighter.save()) == (before, state)


def test_mirroring_that_the_third_part_cannot_follow_changes_nothing() -> None:
    world = World(16)
    fighter = body(world, Pose(INT32_MIN + 50, 0, 0))
    before = world.save()
    with pytest.raises(ValueError, match=r"part 'sword': .*-2147483648"):
        fighter.mirror(True)
    assert (world.save(), fighter.is_mirrored) == (before, False)


def test_mirroring_passes_no_place_that_int32_lacks_on_the_way() -> None:
    """Old offset with the new yaw, or new offset with the old yaw, would leave int32; the change
    does not.
    """
    world = World(1)
    far = 2**31 - 10
    parts = FrameData({"sector": Part(Sector(5, 5, 5), (far, 0, 0))})
    fighter = Body(world, parts, Pose(5, 0, 0), ids=0, owner=1)
    assert centre(world, 0) == (far + 5, 0, 0)
    fighter.mirror(True)
    assert centre(world, 0) == (5 - far, 0, 0)
    assert facing(world, 0) == (-(2**30), 0)
    fighter.mirror(False)
    assert centre(world, 0) == (far + 5, 0, 0)


def test_in_c_a_yaw_or_a_mirroring_out_of_range_has_a_status_and_an_absent_part_its_row() -> None:
    world = World(16)
    fighter = body(world)._native
    kernel, table, before = world._native._world, fighter._table, world.save()
    rows = ffi.new("fxs_command[]", lib.FXS_BODY_ROWS)
    ids = ffi.new("uint32_t[]", [7, 8, 9, 10, 11])
    made, turned = ffi.new("fxs_body *"), ffi.new("fxs_pose *", (0, 0, 0, TURN))
    assert lib.fxs_body_add(made, table, kernel, ids, 1, turned, 0, rows) == lib.FXS_E_YAW
    assert lib.fxs_body_set_pose(fighter._state, table, kernel, turned, rows) == lib.FXS_E_YAW
    turned.yaw = 0
    assert lib.fxs_body_add(made, table, kernel, ids, 1, turned, 2, rows) == lib.FXS_E_RANGE
    assert lib.fxs_body_mirror(fighter._state, table, kernel, 2, rows) == lib.FXS_E_RANGE
    assert world.save() == before
    world.remove(6)
    assert lib.fxs_body_mirror(fighter._state, table, kernel, 1, rows) == lib.FXS_E_ABSENT
    assert (rows[0].type, rows[0].collider.id) == (lib.FXS_COMMAND_ACTIVE, 6)


@each("call", ["mirror", "start", "tick", "cancel", "set_active", "set_owner", "remove", "move"])
def test_a_body_that_has_lost_a_part_says_so_and_changes_nothing(call: str) -> None:
    world = World(16)
    fighter = body(world)
    fighter.start("jab")
    world.remove(fighter["aura"])
    before, state = world.save(), fighter.save()
    arguments = {
        "mirror": [True],
        "start": ["slash"],
        "set_active": [False],
        "set_owner": [8],
        "move": [1, 2, 3],
    }.get(call, [])
    with pytest.raises(KeyError, match="id 6 is not in the world"):
        getattr(fighter, call)(*arguments)
    assert (world.save(), fighter.save()) == (before, state)


def test_the_owner_is_that_of_the_parts_in_the_world() -> None:
    world = World(16)
    fighter = body(world)
    own, made = fighter.owner, world.save()
    fighter.set_owner(9)
    assert {world[id].owner for id in fighter} == {9}
    assert fighter.owner == 9
    for id in fighter:
        world.set_owner(id, 8)
    assert fighter.owner == 8
    assert "owner=8" in repr(fighter)
    world.load(made)
    assert fighter.owner == own
    fighter.set_owner(7)
    world.remove(next(iter(fighter)))
    assert fighter.owner == 7
    world.clear()
    assert fighter.owner == own


@pytest.mark.parametrize(("how", "error", "text"), [
    ({"owner": 0}, ValueError, r"owner must be 1\.\.4294967295, not 0"),
    ({"owner": 2**32}, ValueError, "owner must be"),
    ({"ids": [1, 2]}, ValueError, "ids must be one for each of the 5 parts, not 2"),
    ({"ids": 12}, ValueError, r"id of part 'aura' must be 0\.\.15, not 16"),
    ({"ids": [1, 2, 3, 4, 4]}, ValueError, "part 'kick': id 4 is taken"),
    ({"ids": 1.0}, TypeError, "ids must be an integer"),
    ({"is_mirrored": 1}, TypeError, "is_mirrored must be True or False"),
])  # fmt: skip
def test_making_a_body_refuses_what_is_out_of_range(
    how: Any, error: type[Exception], text: str
) -> None:
    world = World(16)
    before = world.save()
    with pytest.raises(error, match=text):
        body(world, **how)
    assert world.save() == before


@each(("parts", "attacks", "error", "text"), [
    (PARTS, {"x": Attack(1, {"tail": range(1)})}, ValueError, r'active\.tail: must be one of .*, not "tail"'),
    (PARTS, {"x": Attack(1, cancels=[Cancel("y", range(1))])}, ValueError, r'\.into: must be one of x, not "y"'),
    (PARTS, {"": SLASH}, ValueError, "names with a character"),
    (PARTS, {"x": 5}, TypeError, "attack 'x' must be of type Attack, not 5"),
    ({}, {}, ValueError, r"parts: must be 1\.\.32, not 0"),
    ({str(i): Part(Sphere(1)) for i in range(33)}, {}, ValueError, r"parts: must be 1\.\.32, not 33"),
    ({"a": Sphere(1)}, {}, TypeError, "part 'a' must be of type Part"),
    ([], {}, TypeError, r"a mapping of names to Parts, not \[\]"),
    ({1: Part(Sphere(1))}, {}, TypeError, "the name of a Part must be a str, not 1"),
])  # fmt: skip
def test_frame_data_refuses_what_makes_no_sense(
    parts: Any, attacks: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        FrameData(parts, attacks)


@each(("make", "error", "text"), [
    (lambda: Part(5), TypeError, "shape must be"),
    (lambda: Part(Sphere(1), (0, 0)), ValueError, "offset must be"),
    (lambda: Part(Sphere(1), (0, 2**31, 0)), ValueError, "offset: oy must be"),
    (lambda: Part(Sphere(1), layer=32), ValueError, r"layer must be 0\.\.31"),
    (lambda: Part(Sphere(1), yaw=65536), ValueError, r"yaw must be 0\.\.65535"),
    (lambda: Part(Sphere(1), active=1), TypeError, "active must be"),
    (lambda: Attack(0, {}), ValueError, "frames must be"),
    (lambda: Attack(5, {"a": range(3, 6)}), ValueError, r"active\['a'\] must be within range\(0, 5\)"),
    (lambda: Attack(5, {"a": range(3, 3)}), ValueError, r"active\['a'\]"),
    (lambda: Attack(5, {"a": range(-1, 3)}), ValueError, r"active\['a'\]"),
    (lambda: Attack(5, {"a": range(0, 4, 2)}), ValueError, r"step 1"),
    (lambda: Attack(5, {"a": [range(1), 3]}), TypeError, r"active\['a'\] must be a range"),
    (lambda: Attack(5, {"a": 3}), TypeError, r"active\['a'\] must be a range"),
    (lambda: Attack(5, {"a": range(1)}, {"a": range(1)}), ValueError, "not in both, as 'a' is"),
    (lambda: Attack(5, rehits=[0]), ValueError, r"rehits\[0\] must be 1\.\.4, not 0"),
    (lambda: Attack(5, rehits=[3, 3]), ValueError, r"rehits\[1\] must be 4\.\.4, not 3"),
    (lambda: Attack(5, cancels=[Cancel("a", range(4, 6))]), ValueError, r"cancels\[0\]: frames must be within"),
    (lambda: Attack(5, cancels=[Cancel("a", range(4), 1)]), TypeError, r"cancels\[0\]: on_hit must be"),
    (lambda: Attack.of(1, 0, 1, ["a"]), ValueError, "active must be"),
    (lambda: Attack.of(1, 1, 1, "sword"), TypeError, "sequence of names"),
])  # fmt: skip
def test_parts_and_attacks_refuse_what_makes_no_sense(
    make: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        make()


# Attacks.


def test_of_gives_startup_active_and_recovery() -> None:
    assert Attack.of(4, 3, 9, ["a", "b"]) == Attack(16, {"a": range(4, 7), "b": range(4, 7)})
    assert Attack.of(0, 1, 0, ["a"]) == Attack(1, {"a": range(1)})


def test_what_is_active_already_is_not_told_again(tmp_path: Path) -> None:
    world = World(16)
    with Recorder(world, tmp_path / "log.jsonl"):
        fighter = body(world)
        for _ in range(3):
            fighter.start("jab")
            for _ in range(9):
                world.step()
                fighter.tick()
    text = (tmp_path / "log.jsonl").read_text()
    assert text.count('["active"') == 3 * 2 * 2
    assert replay(tmp_path / "log.jsonl").verdict == Verdict.IDENTICAL


# With separate, and with rollback.


@pytest.mark.parametrize("is_walled", [False, True])
def test_a_body_follows_the_part_that_was_pushed(is_walled: bool) -> None:
    world = World(16)
    parts = {
        "push": Part(Cylinder(50, 50), layer=PUSH),
        "head": Part(Sphere(9), (3, 60, 4), layer=HURT),
    }
    one = Body(world, FrameData(parts), Pose(0, 0, 0, 777), ids=0, owner=1)
    two = Body(world, FrameData(parts), Pose(60, 0, 0), ids=[5, 4], owner=2)
    three = Body(world, FrameData(parts), Pose(900, 0, 0), ids=[8, 9], owner=3)
    world.step()
    movers, yields = {0: Mover(mask=1 << 31)}, [(PUSH, PUSH)]
    moved = separate(world, yields, movers) if is_walled else world.separate(yields)
    assert [fighter.follow(moved) for fighter in (one, two, three)] == [True, True, False]
    assert [(fighter.pose.x, fighter.pose.yaw) for fighter in (one, two)] == [(-20, 777), (80, 0)]
    assert all(
        world[id].pose.x == fighter.pose.x for fighter in (one, two, three) for id in fighter
    )
    assert world.contact(0, 5) == Contact.TOUCHING


@st.composite
def spans(draw: st.DrawFn, frames: int) -> list[range]:
    ends = draw(st.lists(st.integers(0, frames), min_size=2, max_size=4, unique=True).map(sorted))
    return [range(a, b) for a, b in itertools.pairwise(ends)][:: draw(st.integers(1, 2))]


@st.composite
def places(draw: st.DrawFn) -> dict[str, Any]:
    """What a part and a key have in common."""
    sizes = st.integers(1, 99)
    shapes = (
        st.builds(Sphere, sizes),
        st.builds(Box, sizes, sizes, sizes),
        st.builds(Sector, sizes, st.integers(1, 32768), sizes),
    )
    turns = draw(st.booleans())
    offset = draw(st.tuples(*[st.integers(-200, 200)] * 3))
    quarters = st.sampled_from([0, 16384, 32768, 49152])
    is_free = turns or (offset[0], offset[2]) == (0, 0)
    return {
        "shape": draw(st.one_of(shapes)),
        "offset": offset,
        "yaw": draw(yaws() if is_free else quarters),
        "turns": turns,
    }


@st.composite
def frame_data(draw: st.DrawFn) -> FrameData:
    """Random attacks of PARTS, with keys, and parts whose offset turns."""
    names, attacks, parts = ["one", "two", "three"], {}, dict(PARTS)
    if draw(st.booleans()):
        parts["kick"] = Part(**draw(places()), layer=HIT, active=False)
    for name in names:
        frames = draw(st.integers(1, 9))
        split = draw(st.lists(st.sampled_from(["active", "inactive", ""]), min_size=5, max_size=5))
        switched = {
            which: {
                part: draw(spans(frames))
                for part, how in zip(PARTS, split, strict=True)
                if how == which
            }
            for which in ("active", "inactive")
        }
        rehits = draw(st.sets(st.integers(1, frames - 1))) if frames > 1 else set()
        cancels = [
            Cancel(draw(st.sampled_from(names)), span, draw(st.booleans()))
            for span in draw(spans(frames))
        ]
        keys = {
            part: [Key(span, **draw(places())) for span in draw(spans(frames))]
            for part in draw(st.sets(st.sampled_from([*parts])))
        }
        more = {"rehits": sorted(rehits), "cancels": cancels, "keys": keys}
        attacks[name] = Attack(frames, **switched, **more)
    return FrameData(parts, attacks)


MOVES = st.one_of(
    st.tuples(st.just("start"), st.sampled_from(["one", "two", "three"])),
    st.tuples(st.just("strike"), st.integers(0, 5)),
    st.tuples(st.just("mirror"), st.booleans()),
    st.tuples(st.just("set_pose"), st.builds(Pose, *[st.integers(-99, 99)] * 3, yaws())),
    st.tuples(st.sampled_from(["tick", "cancel"])),
    st.tuples(st.just("tick")),
)


class CommandCounter:
    """An observer that knows the most commands of one call."""

    most = 0

    def changed(self, rows: bytes) -> None:
        self.most = max(self.most, len(rows) // 60)

    def stepped(self, events: bytes) -> None: ...

    def loaded(self) -> None: ...


@examples(700)
@given(frame_data(), st.lists(MOVES, max_size=30), st.booleans())
def test_a_body_does_what_the_model_does_and_comes_back_to_every_state(
    frames: FrameData, moves: list[tuple[Any, ...]], flip: bool
) -> None:
    world, other = World(16), World(16)
    ids, pose = [4, 2, 9, 7, 8], Pose(3, 4, 5, 600)
    fighter = Body(world, frames, pose, ids=ids, owner=3, is_mirrored=flip)
    twin = ModelBody(other, frames, pose, ids, 3, flip)
    saved = []
    world._native.observer = counter = CommandCounter()
    for name, *args in moves:
        saved.append((world.save(), fighter.save()))
        assert getattr(fighter, name)(*args) == getattr(twin, name)(*args)
        assert (world.save(), fighter.save()) == (other.save(), twin.save())
        assert (fighter.pose, fighter.phase, fighter.hit) == (twin.pose, twin.phase, twin.hit)
        assert fighter.hash() == hash_of(fighter.save())
        for attack in frames.attacks:
            assert fighter.can_start(attack) == twin.can_start(attack)
    assert counter.most <= lib.FXS_BODY_ROWS
    end = world.save(), fighter.save()
    # Backwards, so that each state is loaded where another one was.
    for (name, *args), (state, own) in zip(reversed(moves), reversed(saved), strict=True):
        world.load(state)
        fighter.load(own)
        assert (world.save(), fighter.save()) == (state, own)
        getattr(fighter, name)(*args)
        assert (world.save(), fighter.save()) == end
        end = state, own


def swing(parts: dict[str, Part], keys: dict[str, list[Key]], frames: int = 4) -> FrameData:
    return FrameData(parts, {"swing": Attack(frames, {"sword": range(frames)}, keys=keys)})


def test_a_swing_that_travels_enters_once_and_replays(tmp_path: Path) -> None:
    sword = Part(Box(20, 10, 5), (40, 0, 0), layer=HIT, active=False)
    keys = [Key(range(i, i + 1), yaw=4000 * i, turns=True) for i in range(1, 4)]
    world = World(16)
    with Recorder(world, tmp_path / "log.jsonl"):
        fighter = Body(
            world, swing({"sword": sword}, {"sword": keys}), Pose(0, 0, 0), ids=3, owner=7
        )
        world.add(9, Cylinder(45, 30), Pose(20, 0, 20), layer=HURT, owner=8)
        fighter.start("swing")
        kinds = []
        for _ in range(5):
            kinds += [event.kind for event in world.step()]
            fighter.tick()
    assert kinds == [EventKind.ENTER, *[EventKind.STAY] * 3, EventKind.EXIT]
    assert world[3] == world[3]._replace(pose=Pose(0, 0, 0), offset=(40, 0, 0), active=False)
    log = (tmp_path / "log.jsonl").read_text()
    assert log.count('["turn",3') == 4
    assert replay(tmp_path / "log.jsonl").verdict == Verdict.IDENTICAL


def test_a_key_that_puts_a_centre_outside_int32_changes_nothing() -> None:
    world = World(16)
    parts = {"body": Part(Sphere(5)), "sword": Part(Sphere(5), active=False)}
    keys = [Key(range(2, 3), Box(1, 2, 3), (INT32_MAX, 0, 0))]
    fighter = Body(world, swing(parts, {"sword": keys}), Pose(1, 2, 3), ids=3, owner=7)
    fighter.start("swing")
    fighter.tick()
    before, state = world.save(), fighter.save()
    with pytest.raises(ValueError, match=r"part 'sword': id 4: the centre must be .*2147483648"):
        fighter.tick()
    assert (world.save(), fighter.save(), fighter.attack_frame) == (before, state, 1)
    fighter.set_pose(Pose(0, 2, 3))
    fighter.tick()
    assert world[4].offset == (INT32_MAX, 0, 0)


def test_one_call_makes_as_many_commands_as_there_is_room_for() -> None:
    parts = {str(i): Part(Sphere(5), (1, 2, 3)) for i in range(32)}
    keys = {name: [Key(range(1, 2), Box(1, 2, 3), (3, 2, 1), 5, turns=True)] for name in parts}
    off = dict.fromkeys(parts, range(1, 2))
    world = World(32)
    frames = FrameData(parts, {"all": Attack(2, inactive=off, keys=keys)})
    fighter = Body(world, frames, Pose(0, 0, 0), ids=0, owner=7)
    fighter.start("all")
    world._native.observer = counter = CommandCounter()
    fighter.tick()
    assert counter.most == lib.FXS_BODY_ROWS
    assert {world[id].shape for id in fighter} == {Box(1, 2, 3)}
    fighter.tick()
    assert {world[id].offset for id in fighter} == {(1, 2, 3)}


def test_one_hit_remembers_64_victims_and_refuses_the_next() -> None:
    fighter = body(World(16))
    fighter.start("slash")
    assert all(fighter.strike(victim) for victim in range(64, 0, -1))
    before = fighter.save()
    assert fighter.victims == tuple(range(1, 65))
    with pytest.raises(ValueError, match="remembers 64 victims; 65 is one more"):
        fighter.strike(65)
    assert not fighter.strike(64)
    assert fighter.save() == before


def word(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + value.to_bytes(4, "little") + data[at + 4 :]


def test_load_refuses_what_no_body_has_saved_and_tells_where() -> None:
    fighter = body(World(16))
    fighter.start("slash")
    fighter.strike(3)
    fighter.strike(9)
    state = fighter.save()
    assert fighter.load(state) is None
    for at, value in (
        (0, 0),
        (4, 2),
        (8, 3),
        (12, 10),
        (16, 0),
        (16, 2),
        (20, 1),
        (20, 3),
        (28, 3),
    ):
        # A change of a number may be one of what follows it: no victims without a hit, for one.
        place = {(16, 0): 20, (20, 1): 28}.get((at, value), at)
        with pytest.raises(ValueError, match=rf"not a state of this body: byte {place}:"):
            fighter.load(word(state, at, value))
    for size in range(len(state)):
        with pytest.raises(ValueError, match="not a state of this body"):
            fighter.load(state[:size])
    idle = word(word(word(state[:24], 8, 2**32 - 1), 16, 0), 20, 0)
    for at in (12, 16):
        with pytest.raises(ValueError, match=rf"byte {at}:"):
            fighter.load(word(idle, at, 1))
    assert fighter.save() == state
    fighter.load(idle)
    assert (fighter.attack, fighter.victims) == (None, ())


def test_a_body_knows_its_parts() -> None:
    world = World(16)
    fighter = body(world, ids=[9, 3, 5, 2, 7])
    assert list(fighter) == [9, 3, 5, 2, 7]
    assert len(fighter) == 5
    assert fighter["sword"] == 5
    assert fighter.part_of(2) == "kick"
    assert fighter.part_of(4) is None
    assert 7 in fighter
    assert 8 not in fighter
    assert fighter.frame_data is FRAMES
    assert (fighter.owner, {world[id].owner for id in fighter}) == (7, {7})
    with pytest.raises(KeyError, match="no part is called 'tail'; there are 'torso', 'head'"):
        fighter["tail"]
    assert "owner=7" in repr(fighter)
    fighter.remove()
    assert len(world) == 0

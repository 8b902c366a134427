"""Declared states: what a class may declare, the bytes, what `save` and `load` refuse, and that a
refused `load` changes nothing."""

# ruff: noqa: RUF012 - each state has its own copy of a default

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from enum import IntEnum
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools import each, ran

from fixsync import Attack, Body, EventKind, FrameData, Handlers, Part, Pose, Sphere, World, q
from fixsync.base.fields import difference_lines, differences
from fixsync.game.random import Random
from fixsync.match import State, Stated, count, up_to, within
from fixsync.match.sim import Input, fields_of, hash_of, start
from fixsync.synctest import assert_peers_agree


class Move(IntEnum):
    NONE = 0
    PUNCH = 1
    KICK = 200


class Fighter(State):
    health: Annotated[int, within(-100, 100)] = 100
    move: Move = Move.NONE
    is_down: bool = False
    combo: Annotated[list[Move], up_to(3)] = []
    target: Annotated[int, within(0, 7)] | None = None
    name: Annotated[str, up_to(4)] = "a"


class Fight(State):
    fighters: Annotated[list[Fighter], count(2)] = [Fighter(), Fighter(name="b")]
    best: Fighter = Fighter(health=1)
    corner: tuple[Annotated[int, within(-9, 9)], bool] = (0, True)
    key: Annotated[bytes, count(2)] = b"xy"
    score: Annotated[int, within(-(2**63), 2**63 - 1)] = 0


FRAMES = FrameData({"hand": Part(Sphere(q(1)), (0, 0, 0))}, {"jab": Attack.of(1, 1, 1, ["hand"])})


class Brawl(Stated):
    """Two bodies that move as their inputs say, and count."""

    name: ClassVar[str] = "brawl"
    state: Fight
    held = ("random", "bodies", "handlers")

    def __init__(self, seed: int, players: int) -> None:
        self.players = players
        self.random = Random(seed)
        self.state = Fight()
        self.world = World(4)
        self.bodies = {
            owner: Body(self.world, FRAMES, Pose(q(3 * owner), 0, 0), ids=owner, owner=owner)
            for owner in (2, 1)
        }
        self.handlers = Handlers(self.world)
        self.handlers.on(EventKind.ENTER)(self.met)

    def met(self, *_: object) -> None:
        self.state.score += 1
        self.state.fighters[self.random.below(2)].combo = [Move.KICK]

    def step(self, inputs: Any) -> Any:
        for owner, way in enumerate(inputs, 1):
            pose = self.bodies[owner].pose
            self.bodies[owner].move(pose.x + way * q(1), 0, 0)
            if way:
                self.bodies[owner].start("jab")
        events = self.handlers.step()
        for body in self.bodies.values():
            body.tick()
        return events

    def check(self) -> None:
        if self.state.score == 13:
            raise ValueError("13 brings bad luck")


INPUTS: list[tuple[Input, ...]] = [(1, 0), (0, -1), (-1, 0), (1, 1), (0, 0), (0, -1)] * 3


def played(frames: int = 5) -> Brawl:
    game = Brawl(3, 2)
    for values in INPUTS[:frames]:
        game.step(values)
    return game


# The bytes, by a model that knows MessagePack alone.


def packed(value: Any) -> bytes:
    """MessagePack of None, bools, integers, text, bytes and lists, each in its shortest form."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        if -32 <= value < 128:
            return struct.pack("b" if value < 0 else "B", value)
        sizes = "bhiq" if value < 0 else "BHIQ"
        for code, size in zip((0xD0, 0xD1, 0xD2, 0xD3), sizes, strict=True):
            try:
                return bytes([code if value < 0 else code - 4]) + struct.pack(f">{size}", value)
            except struct.error:
                continue
    if isinstance(value, str):
        text = value.encode()
        return bytes([0xA0 + len(text)]) + text
    if isinstance(value, bytes):
        assert len(value) < 256
        return bytes([0xC4, len(value)]) + value
    assert len(value) < 16
    return bytes([0x90 + len(value)]) + b"".join(map(packed, value))


def plain(fighter: Fighter) -> list[Any]:
    it = fighter
    return [it.health, int(it.move), it.is_down, [*map(int, it.combo)], it.target, it.name]


def modelled(game: Brawl) -> bytes:
    """All that is saved behind the digest."""
    state = game.state
    own = [
        [plain(fighter) for fighter in state.fighters],
        plain(state.best),
        [*state.corner],
        state.key,
        state.score,
    ]
    rows = b"FXH1" + b"".join(struct.pack("<2I", *row) for row in game.handlers.state())
    held = [
        [[0, b"FXR1" + struct.pack("<Q", game.random.state)]],
        [[owner, game.bodies[owner].save()] for owner in (1, 2)],
        [[0, rows]],
    ]
    message = packed([own, *held])
    return struct.pack("<I", len(message)) + message + game.world.save()


@pytest.mark.parametrize("frames", [0, 1, 4, 18])
def test_the_bytes_are_the_models(frames: int):
    game = played(frames)
    saved = game.save()
    assert saved[:4] == b"FXD1"
    assert saved[12:] == modelled(game)
    assert game.hash() == hash_of(saved)


def test_the_digest_does_not_change_from_version_to_version():
    class Two(State):
        n: Annotated[int, within(-1, 300)]
        moves: Annotated[list[Move], up_to(2)]

    class Pair(Stated):
        state: Two

        def __init__(self) -> None:
            self.world, self.state = World(1), Two(300, [Move.PUNCH])

    text = "Two(n: int -1..300, moves: list 0..2 of (enum Move: one of 0 NONE, 1 PUNCH, 200 KICK))"
    digest = hash_of(f"{text}; held: ".encode()).to_bytes(8, "little")
    expected = b"FXD1" + digest + b"\x07\0\0\0" + b"\x91\x92\xcd\x01\x2c\x91\x01"
    assert Pair().save() == expected + World(1).save()


whole = st.integers(-100, 100)
moves = st.sampled_from(Move)
fighters = st.builds(
    Fighter,
    health=whole,
    move=moves,
    is_down=st.booleans(),
    combo=st.lists(moves, max_size=3),
    target=st.none() | st.integers(0, 7),
    name=st.text(max_size=4),
)
fights = st.builds(
    Fight,
    fighters=st.lists(fighters, min_size=2, max_size=2),
    best=fighters,
    corner=st.tuples(st.integers(-9, 9), st.booleans()),
    key=st.binary(min_size=2, max_size=2),
    score=st.integers(-(2**63), 2**63 - 1).filter(lambda score: score != 13),
)


@given(fights, fights)
def test_states_are_equal_exactly_if_their_bytes_are(a: Fight, b: Fight):
    one, other = Brawl(1, 2), Brawl(1, 2)
    one.state, other.state = a, b
    values = [[[*map(plain, state.fighters)], plain(state.best)] for state in (a, b)]
    rest = [(state.corner, state.key, state.score) for state in (a, b)]
    is_equal = values[0] == values[1] and rest[0] == rest[1]
    assert (one.save() == other.save()) == is_equal
    assert (a == b) == is_equal
    other.load(one.save())
    assert other.state == a
    assert other.state is not a
    assert type(other.state.fighters[0].move) is Move


def test_what_is_loaded_goes_on_alike():
    straight = played(18)
    for frame in range(18):
        game = Brawl(9, 2)
        game.load(played(frame).save())
        for values in INPUTS[frame:18]:
            game.step(values)
        assert game.save() == straight.save()
    assert straight.state.score > 0


def test_it_is_a_simulation_whose_peers_agree():
    assert start(Brawl, 1, 2).hash() == Brawl(1, 2).hash()
    assert_peers_agree(Brawl, INPUTS, processes=False)


# What save refuses.


def of(change: Callable[[Fight], object]) -> Callable[[Brawl], object]:
    return lambda game: change(game.state)


@each(
    ("value", "path", "said"),
    [
        (101, "fighters[0].health", "an integer of -100..100, not 101"),
        (-101, "fighters[1].health", "an integer of -100..100, not -101"),
        (1.5, "fighters[0].health", "an integer of -100..100, not 1.5"),
        (1.0, "fighters[0].health", "an integer of -100..100, not 1.0"),
        (True, "fighters[0].health", "an integer of -100..100, not True"),
        (None, "fighters[0].health", "an integer of -100..100, not None"),
        (2**64, "score", f"an integer of {-(2**63)}..{2**63 - 1}, not {2**64}"),
        (2**63, "score", f"an integer of {-(2**63)}..{2**63 - 1}, not {2**63}"),
        (2, "fighters[0].move", "one of 0 NONE, 1 PUNCH, 200 KICK, not 2"),
        (1, "best.is_down", "True or False, not 1"),
        ([Move.NONE] * 4, "best.combo", None),
        ([7], "best.combo[0]", "one of 0 NONE, 1 PUNCH, 200 KICK, not 7"),
        ((Move.KICK,), "best.combo", "a list, not (<Move.KICK: 200>,)"),
        ({Move.KICK}, "best.combo", "a list, not {<Move.KICK: 200>}"),
        (frozenset(), "best.combo", "a list, not frozenset()"),
        ({}, "best.combo", "a list, not {}"),
        (8, "best.target", "an integer of 0..7, or None, not 8"),
        ("abcde", "best.name", "str of 0..4 characters of Unicode, not 'abcde'"),
        ("\ud800", "best.name", "str of 0..4 characters of Unicode, not '\\ud800'"),
        (b"ab", "best.name", "str of 0..4 characters of Unicode, not b'ab'"),
        (b"abc", "key", "bytes of 2 bytes, not b'abc'"),
        ((1, 1), "corner[1]", "True or False, not 1"),
        ([1, True], "corner", "a tuple, not [1, True]"),
        (None, "best", "a Fighter, not None"),
        (object, "best", "a Fighter, not <class 'object'>"),
    ],
)
def test_a_value_that_is_not_as_declared_is_not_saved(value: object, path: str, said: str | None):
    game = played()
    owner, _, name = path.partition("[0]" if path.endswith("]") else "\0")[0].rpartition(".")
    if path in ("best.combo[0]", "corner[1]"):
        owner, name = {"b": ("best", "combo"), "c": ("", "corner")}[path[0]]
    target = eval(f"state.{owner}" if owner else "state", {"state": game.state})
    setattr(target, name, value)
    with pytest.raises(ValueError) as refused:
        game.save()
    expected = f"{path} must be {said}" if said else f"{path} must hold 0..3 values, not 4"
    assert str(refused.value) == expected


def test_a_list_of_another_length_and_a_field_that_is_not_set_are_not_saved():
    game = played()
    game.state.fighters.append(Fighter())
    with pytest.raises(ValueError, match="fighters must hold 2 values, not 3"):
        game.save()
    game = played()
    del game.state.best.health
    with pytest.raises(ValueError, match=r"best\.health must be .*, but it is not set"):
        game.save()


def test_another_state_in_the_place_of_one_is_not_saved():
    class Boss(Fighter):
        rage: bool = False

    class Twin(State):
        health: Annotated[int, within(-100, 100)] = 100
        move: Move = Move.NONE
        is_down: bool = False
        combo: Annotated[list[Move], up_to(3)] = []
        target: Annotated[int, within(0, 7)] | None = None
        name: Annotated[str, up_to(4)] = "a"

    for wrong in (Boss(), Twin()):
        game = played()
        game.state.best = wrong  # type: ignore[assignment]
        with pytest.raises(ValueError, match="best must be a Fighter, not"):
            game.save()


# What load refuses.


def refused(game: Brawl, data: bytes) -> str | None:
    """What load says; it must have changed nothing then."""
    before, state, places = game.save(), game.state, {**game.bodies}
    try:
        game.load(data)
    except ValueError as error:
        assert game.save() == before
        assert game.state is state
        assert game.bodies == places
        return str(error)
    assert game.save() == data
    return None


def with_message(data: bytes, message: bytes) -> bytes:
    """A saved state with another MessagePack."""
    size = struct.unpack_from("<I", data, 12)[0]
    return data[:12] + struct.pack("<I", len(message)) + message + data[16 + size :]


def message_of(data: bytes) -> bytes:
    return data[16 : 16 + struct.unpack_from("<I", data, 12)[0]]


def test_every_changed_bit_and_every_cut_is_refused_or_is_another_state():
    data, game = played().save(), played(8)
    loaded = 0
    for at in range(8 * len(data)):
        changed = bytearray(data)
        changed[at // 8] ^= 1 << at % 8
        loaded += refused(game, bytes(changed)) is None
    assert 0 < loaded < 4 * len(data)
    for size in range(len(data)):
        assert refused(game, data[:size]) is not None
    assert refused(game, data + b"\0") is not None
    assert refused(game, data) is None


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused(data: bytes):
    game = played(2)
    good = game.save()
    for tried in (data, good[:12] + data, with_message(good, data)):
        assert refused(game, tried) is not None


@each(
    ("change", "said"),
    [
        (lambda m: m.replace(b"\x64", b"\x65", 1), "fighters[0].health must be an integer of"),
        (lambda m: m.replace(b"\x64", b"\xcc\x64", 1), "not the bytes that save gives"),
        (lambda m: m.replace(b"\x64", b"\xcb" + struct.pack(">d", 100.0), 1), "not 100.0"),
        (lambda m: m.replace(b"\x64", b"\xc3", 1), "fighters[0].health must be an integer of"),
        (lambda m: m.replace(b"\x96", b"\x95", 1), "of Fight: "),
        (lambda m: m.replace(b"\xc4\x02xy", b"\xc4\x03xyz"), "key must be bytes of 2 bytes"),
        (lambda m: m.replace(b"\xc4\x02xy", b"\xa2xy"), "key must be bytes of 2 bytes"),
        (lambda m: m.replace(b"\xa1a", b"\xa1\xff"), "not MessagePack"),
        (lambda m: b"\xdd\xff\xff\xff\xff" + m, "truncated"),
        (lambda m: b"\x91" * 100_000 + m, "of Fight: "),
        (lambda m: m + b"\0", "not MessagePack"),
        (lambda _: b"\x91\x01", "must hold the state, random, bodies, handlers, not [1]"),
        (lambda m: m.replace(b"FXR1", b"FXR2"), "random: must be the 12 bytes of a generator"),
        (lambda m: m.replace(b"FXB1", b"FXB2"), "bodies[1]: "),
        (lambda m: m.replace(b"\x92\x02\xc4", b"\x92\x03\xc4"), "bodies must hold [1, 2] as here"),
        (lambda m: m.replace(struct.pack("<2I", 1, 0), struct.pack("<2I", 9, 0)),
         "handlers: not the bytes that save gives for it"),
        (lambda m: m.replace(b"FXH1", b"FXH2"), "handlers: must be the bytes of handlers"),
    ],
)  # fmt: skip
def test_bytes_that_save_does_not_give_are_refused(change: Callable[[bytes], bytes], said: str):
    data = played().save()
    message = change(message_of(data))
    assert message != message_of(data)
    assert said in (refused(played(1), with_message(data, message)) or "")


def test_a_refusal_late_in_a_load_brings_back_what_was_loaded_before():
    there, here = played(11), played(3)
    assert there.random.state != here.random.state
    assert [*map(Body.save, there.bodies.values())] != [*map(Body.save, here.bodies.values())]
    assert "byte" in (refused(here, there.save()[:-1]) or "")
    there.state.score = 13
    assert refused(here, there.save()) == "13 brings bad luck"
    there.state.score = 12
    assert refused(here, there.save()) is None


def test_a_check_that_raises_anything_brings_everything_back():
    class Failing(Brawl):
        def check(self) -> None:
            assert self.state.score == 0, self.state.score

    game, there = Failing(1, 2), played(11)
    before = game.save()
    with pytest.raises(AssertionError):
        game.load(there.save())
    assert game.save() == before


# Declarations.

LIMIT = Annotated[int, within(0, 9)]


def declared(annotation: Any, *default: object) -> type[State]:
    space = {"__annotations__": {"speed": annotation}, **dict.fromkeys(["speed"] * len(default))}
    if default:
        space["speed"] = default[0]
    return type(State)("Fighter", (State,), {"__module__": __name__, **space})


@each(
    ("annotation", "said"),
    [
        (int, "must have a range: Annotated[int, within(low, high)]"),
        (Annotated[int, "metres"], "must have a range"),
        (Annotated[int, up_to(3)], "must have a range"),
        (float, "must not be float: floats differ between machines"),
        (Annotated[float, within(0, 1)], "within(low, high) is for an int, not for float"),
        (float | None, "must not be float"),
        (complex, "must not be complex"),
        (dict[int, int], "must not be dict[int, int]"),
        (set[int], "must not be set[int]"),
        (frozenset, "must not be frozenset"),
        (Any, "must not be Any"),
        (object, "must not be object"),
        (World, "must not be World"),
        (list, "must have a length: Annotated[list, up_to(n)]"),
        (list[LIMIT], "must have a length: Annotated[list["),
        (str, "must have a length: Annotated[str, up_to(n)]"),
        (bytes, "must have a length: Annotated[bytes, up_to(n)]"),
        (Annotated[list, up_to(2)], "must name the type of its items"),
        (Annotated[list[int], up_to(2)], "speed[] must have a range"),
        (Annotated[list[float], up_to(2)], "speed[] must not be float"),
        (tuple[LIMIT, float], "speed[1] must not be float"),
        (tuple[LIMIT, ...], "must not be tuple["),
        (LIMIT | str, "must not be"),
        (Annotated[bool, up_to(2)], "count and up_to are for a list, bytes or str, not bool"),
        (Annotated[int, within(0, 1), up_to(2)], "must have one of within, count and up_to"),
    ],
)
def test_a_field_that_cannot_be_saved_is_refused_when_the_class_is_made(annotation: Any, said: str):
    with pytest.raises(TypeError) as wrong:
        declared(annotation)
    assert str(wrong.value).startswith("Fighter.speed")
    assert said in str(wrong.value)


def test_an_enum_without_members_and_one_of_flags_are_refused():
    from enum import IntFlag

    class Empty(IntEnum):
        pass

    class Keys(IntFlag):
        UP = 1

    class Huge(IntEnum):
        ALL = 2**64

    for kind in (Empty, Keys, Huge):
        with pytest.raises(TypeError, match=r"^Fighter\.speed"):
            declared(kind)


def test_a_default_that_the_field_does_not_take_is_refused():
    for annotation, default in [(LIMIT, 10), (Annotated[list[LIMIT], count(2)], []), (bool, 0)]:
        with pytest.raises(TypeError, match="Fighter: the default of speed must"):
            declared(annotation, default)
    assert declared(LIMIT, 9)().speed == 9  # type: ignore[attr-defined]


def test_limits_out_of_range_are_refused():
    for call in (lambda: within(3, 2), lambda: within(-(2**63) - 1, 0), lambda: within(0, 2**63)):
        with pytest.raises(ValueError, match="must be"):
            call()
    with pytest.raises(TypeError, match="high must be an integer"):
        within(0, 1.5)  # type: ignore[arg-type]
    for limit in (count, up_to):
        with pytest.raises(ValueError, match="n must be"):
            limit(-1)


def test_each_instance_has_its_own_default():
    one, other = Fight(), Fight()
    one.fighters[0].combo.append(Move.KICK)
    one.best.health = 5
    assert other == Fight()
    assert other.fighters[0].combo == []
    assert other.best.health == 1


def test_a_type_must_be_there_before_the_state_that_holds_it():
    with pytest.raises(TypeError, match=r"Node\.next: name 'Node' is not defined"):

        class Node(State):
            next: Node | None = None


def test_options_that_would_change_the_bytes_are_refused():
    with pytest.raises(TypeError, match="options frozen and kw_only, not tag"):

        class Tagged(State, tag=True):
            pass

    class Point(State, frozen=True, kw_only=True):
        x: LIMIT

    assert hash(Point(x=1)) == hash(Point(x=1))


def test_a_state_may_extend_another_and_hold_constants_and_methods():
    class Boss(Fighter):
        SPEED: ClassVar[float] = 1.5
        rage: Annotated[int, within(0, 3)] = 0

        def angry(self) -> bool:
            return self.rage > 1

    class Hall(State):
        boss: Boss = Boss()

    class Game(Stated):
        state: Hall

        def __init__(self) -> None:
            self.state, self.world = Hall(), World(1)

    game = Game()
    game.state.boss.rage, game.state.boss.health = 2, 7
    twin = Game()
    twin.load(game.save())
    assert twin.state.boss.angry()
    assert twin.state.boss.health == 7
    game.state.boss.rage = 4
    with pytest.raises(ValueError, match=r"boss\.rage must be an integer of 0\.\.3, not 4"):
        game.save()


def with_state(annotation: Any, held: Any = ()) -> type[Stated]:
    made: type[Stated] = type(
        "Game", (Stated,), {"__annotations__": {"state": annotation}, "held": held}
    )
    return made


@pytest.mark.parametrize(
    ("annotation", "held", "said"),
    [
        (int, (), "Game must declare `state: ` and its State, not <class 'int'>"),
        (State, (), "Game must declare `state: `"),
        (Fight, "random", "Game.held must be a tuple of names, not 'random'"),
        (Fight, ("world",), "without state and world, which are always saved"),
        (Fight, ("random", "random"), "must be different names"),
        (Fight, ("self.random",), "must be different names of attributes"),
    ],
)
def test_a_simulation_that_declares_no_state_is_refused(annotation: Any, held: Any, said: str):
    with pytest.raises(TypeError) as wrong:
        with_state(annotation, held)
    assert said in str(wrong.value)
    with pytest.raises(TypeError, match="must declare `state: ` and its State, not nothing"):
        type("Game", (Stated,), {})


def test_any_other_declaration_refuses_the_bytes():
    fields: list[Any] = [
        Annotated[int, within(0, 9)],
        Annotated[int, within(0, 10)],
        Annotated[int, within(-1, 9)],
        Annotated[int, within(0, 9)] | None,
        tuple[Annotated[int, within(0, 9)]],
        Annotated[list[Annotated[int, within(0, 9)]], count(1)],
        Annotated[list[Annotated[int, within(0, 9)]], up_to(1)],
        Annotated[bytes, up_to(1)],
        Annotated[str, up_to(1)],
        bool,
        Move,
        IntEnum("Move", {"NONE": 0, "PUNCH": 1, "KICK": 201}),
        IntEnum("Move", {"NONE": 0, "PUNCH": 1, "HIT": 200}),
    ]
    kinds = [with_state(declared(field)) for field in fields]
    kinds += [with_state(declared(fields[0]), ("a",)), with_state(declared(fields[0]), ("b",))]
    heads = {kind._plan.head for kind in kinds}
    assert len(heads) == len(kinds)
    game, data = played(), played().save()
    assert "another declaration, 0000" in (refused(game, data[:4] + bytes(8) + data[12:]) or "")
    assert "begin with 46585331" in (refused(game, game.world.save()) or "")


def test_subclasses_of_a_simulation_read_each_others_states():
    class Loud(Brawl):
        name = "loud"

    game = Loud(5, 2)
    game.load(played().save())
    assert game.save() == played().save()


# Held parts.


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (5, "part must hold parts with save and load, a Random or a Handlers, not 5"),
        ([Random(1), None], "part must hold parts with save and load"),
        ({1: Random(1), "b": Random(2)}, "keys of part must be all int or all str"),
        ({2.5: Random(1)}, "keys of part must be all int or all str"),
    ],
)
def test_what_cannot_be_held_is_refused(held: object, said: str):
    class Game(Stated):
        state: Fight
        held = ("part",)

        def __init__(self) -> None:
            self.part, self.state, self.world = held, Fight(), World(1)

    with pytest.raises(ValueError) as wrong:
        Game().save()
    assert said in str(wrong.value)


def test_a_held_name_without_an_attribute_is_named():
    class Game(Stated):
        state: Fight
        held = ("random", "boddies")

        def __init__(self):
            self.random, self.state, self.world = Random(1), Fight(), World(1)
            self.bodies = []

    with pytest.raises(AttributeError, match=r"^held names 'boddies', which Game has not: "):
        Game().save()


def test_a_part_that_was_added_later_is_refused_with_what_to_do_instead():
    class Game(Stated):
        state: Fight
        held = ("parts",)

        def __init__(self):
            self.parts, self.state, self.world = [Random(1), Random(2)], Fight(), World(1)

    game = Game()
    saved = game.save()
    game.parts.append(Random(5))
    with pytest.raises(ValueError, match=r"must hold \[0, 1, 2\] as here, not \[0, 1\]: load adds"):
        game.load(saved)


def test_worlds_and_own_classes_in_lists_can_be_held():
    class Counter:
        def __init__(self) -> None:
            self.n = 0

        def save(self) -> bytes:
            return bytes([self.n])

        def load(self, data: bytes) -> None:
            if len(data) != 1:
                raise ValueError(f"one byte, not {len(data)}")
            self.n = data[0]

    class Game(Stated):
        state: Fight
        held = ("parts", "by_name")

        def __init__(self) -> None:
            self.parts = [World(2), Counter()]
            self.by_name = {"b": Random(1), "a": Counter()}
            self.state, self.world = Fight(), World(1)

    game, twin = Game(), Game()
    game.parts[0].add(1, Sphere(q(1)), Pose(5, 0, 0))  # type: ignore[union-attr]
    game.parts[1].n, game.by_name["a"].n = 3, 4  # type: ignore[union-attr]
    game.by_name = dict(reversed(game.by_name.items()))  # the order means nothing
    twin.load(game.save())
    assert twin.save() == game.save()
    fields = Game.state_fields(game.save())
    assert fields["parts", 0, "collider", 1]["x"] == 5
    assert fields["by_name", "b"] == {"state": 1}
    before = twin.save()
    broken = game.save().replace(b"\xc4\x01\x03", b"\xc4\x02\x03\x03")
    broken = (
        broken[:12] + struct.pack("<I", struct.unpack_from("<I", broken, 12)[0] + 1) + broken[16:]
    )
    with pytest.raises(ValueError, match=r"parts\[1\]: one byte, not 2"):
        twin.load(broken)
    assert twin.save() == before


# Fields.


def test_every_part_has_a_name():
    game = played(11)
    fields = fields_of(Brawl, game.save())
    assert fields["fighters", 1] == {
        "health": 100,
        "move": "NONE",
        "is_down": False,
        "target": "None",
        "name": "b",
        **{f"combo[{i}]": "KICK" for i in range(len(game.state.fighters[1].combo))},
    }
    assert fields["best",]["health"] == 1
    assert fields["state",] == {
        "corner[0]": 0,
        "corner[1]": True,
        "key": b"xy".hex(),
        "score": game.state.score,
    }
    assert fields["random",]["state"] == game.random.state
    assert fields["bodies", 2]["is_mirrored"] == 0
    assert fields["collider", 1]["x"] == game.world[1].pose.x
    with pytest.raises(ValueError, match="begins with"):
        Brawl.state_fields(b"")


def test_a_difference_is_named_by_its_field():
    states = []
    for health in (100, 99):
        game = played()
        game.state.fighters[1].health = health
        states.append(fields_of(Brawl, game.save()))
    assert difference_lines([*differences(*states)]) == ["fighters 1, health: 100 and 99"]


def test_a_part_named_as_one_of_the_worlds_keeps_apart_from_it():
    class Ball(State):
        x: LIMIT = 1

    class Court(State):
        collider: Annotated[list[Ball], up_to(2)] = [Ball()]
        world: Ball = Ball()

    class Game(Stated):
        state: Court

        def __init__(self) -> None:
            self.state, self.world = Court(), World(2)
            self.world.add(0, Sphere(q(1)), Pose(0, 0, 0))

    fields = Game.state_fields(Game().save())
    assert fields["state.collider", 0] == {"x": 1} == fields["state.world",]
    assert fields["collider", 0]["x"] == 0


def test_a_class_without_postponed_annotations_is_read_alike():
    """As an interpreter from 3.14 on does, which evaluates them late."""
    code = """
from typing import Annotated
from fixsync import World
from fixsync.match import State, Stated, up_to, within
class Ball(State):
    x: Annotated[int, within(0, 9)] = 3
class Court(State):
    balls: Annotated[list[Ball], up_to(2)] = [Ball()]
class Game(Stated):
    state: Court
    def __init__(self):
        self.state, self.world = Court(), World(1)
print(Game().save()[12:20].hex())
"""
    run = ran([sys.executable, "-c", code], check=True)
    assert run.stdout == "0500000091919191\n"

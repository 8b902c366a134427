"""The sample game: it is a simulation in every respect, its skills do what they say, and no
snapshot harms it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache

import model
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, some
from tools import each

from fixsync import ONE, EventKind, Pose, World, q_near
from fixsync.base.fields import differences
from fixsync.game.random import Random
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.log.replay import Verdict, replay
from fixsync.match.sim import fields_of, find, hash_of, start
from fixsync.sample.skillfight import INPUT_MAX, Action, Button, SkillFight
from fixsync.sample.skillfight.rules import (
    ARENA,
    HEALTH,
    REACH,
    RESPAWN_FRAMES,
    SHIELD_FRAMES,
    SHOT,
    SKILLS,
    Layer,
)
from fixsync.synctest.straight import bot_inputs, run_straight

EAST, WEST = 0, 32


@cache
def played() -> SkillFight:
    """A match in full swing. It is the same for all tests: none of them steps it."""
    game = SkillFight(7, 4)
    for values in bot_inputs(SkillFight, 7, 4, 300):
        game.step(values)
    return game


@cache
def played_state() -> bytes:
    return played().save()


def duel(distance: int) -> SkillFight:
    """Two fighters without a shield, the first facing the second from the west, no monsters."""
    game = SkillFight(1, 2)
    for monster in range(6):
        game.state.monsters[monster].health, game.state.monsters[monster].away = 0, 200
        game.world.set_active(8 + monster, False)
    for fighter in game.state.fighters:
        fighter.shield = 0
    game.world.set_pose(0, Pose(-distance // 2, 0, 0, 0))
    game.world.set_pose(1, Pose(distance - distance // 2, 0, 0, 32768))
    return game


def play(game: SkillFight, first: int, frames: int, second: int = 0) -> None:
    for _ in range(frames):
        game.step([first, second])


# As a simulation.


def test_it_is_found_by_its_name_and_keeps_to_the_protocol():
    assert find("skillfight") is SkillFight
    game = start(SkillFight, 3, 5)
    assert (game.name, game.players, game.world.frame) == ("skillfight", 5, 0)


@pytest.mark.parametrize("players", [1, 9])
def test_a_number_of_players_out_of_range_is_refused(players: int):
    with pytest.raises(ValueError, match=r"players must be 2\.\.8"):
        SkillFight(1, players)


@pytest.mark.parametrize(
    "players", [2, *(pytest.param(n, marks=pytest.mark.full) for n in range(3, 8)), 8]
)
def test_every_number_of_players_plays_and_is_recorded_and_replayed(players: int, tmp_path):
    path = tmp_path / "match.jsonl"
    game = SkillFight(5, players)
    with SimRecorder(game, path, seed=5, meta={"players": players}) as recorder:
        for frame, values in enumerate(bot_inputs(SkillFight, 5, players, 60)):
            events = game.step(values)
            recorder.record(frame, values, events, game.world.hash())
    assert replay(path).verdict is Verdict.IDENTICAL


def test_the_model_finds_the_same_hits_in_it(tmp_path):
    # The slow model knows nothing of the kernel: it is given what the game does to its world, and
    # must agree.
    path = tmp_path / "trace.jsonl"
    game = SkillFight(7, 4)
    with Recorder(game.world, path):
        for values in bot_inputs(SkillFight, 7, 4, 80):
            game.step(values)
    met = set()
    with Reader(path) as reader:
        world = model.ModelWorld(game.world.capacity, layers=reader.header.layers)
        for frame in reader:
            events, _ = world.play_frame(msgspec.to_builtins(frame.commands))
            assert [tuple(event) for event in events] == frame.events
            assert f"{world.hash():016x}" == frame.hash
            met |= {world[event[1]].layer for event in frame.events if event[2] == EventKind.ENTER}
    assert met >= {Layer.WALL, Layer.ATTACK, Layer.SHOT}, "there was something to find"


@examples(20)
@given(
    st.integers(0, 2**64 - 1),
    st.lists(st.lists(st.integers(0, INPUT_MAX), min_size=3, max_size=3), max_size=40),
)
def test_no_input_breaks_it(seed: int, inputs: list[list[int]]):
    game = SkillFight(seed, 3)
    for values in inputs:
        for player, value in enumerate(values):
            game.check_input(player, value)
        game.step(values)
        for id in range(3):
            pose = game.world[id].pose
            assert max(abs(pose.x), abs(pose.z)) <= REACH
            assert pose.y == 0
    twin = SkillFight(0, 3)
    twin.load(game.save())
    assert twin.save() == game.save()


@pytest.mark.parametrize("value", [-1, INPUT_MAX + 1, (1,), (1, 2)])
def test_an_input_out_of_range_is_refused(value: object):
    with pytest.raises(ValueError, match=r"must be an integer of 0\.\.4095"):
        played().check_input(0, value)  # type: ignore[arg-type]


def test_its_hash_is_of_what_it_saves():
    assert played().hash() == hash_of(played_state())


def test_its_fields_name_everything_that_it_saves():
    state = played_state()
    fields = fields_of(SkillFight, state)
    assert fields["random",]["state"] == played().random.state
    assert fields["fighters", 2]["kills"] == played().state.fighters[2].kills
    assert fields["monsters", 5]["health"] == played().state.monsters[5].health
    assert fields["collider", 0]["x"] == played().world[0].pose.x
    # Any byte of the state that can be another one shows in a field.
    places, seen = some(range(len(state))), 0
    for at in places:
        other = state[:at] + bytes([state[at] ^ 1]) + state[at + 1 :]
        try:
            reported = list(differences(fields, fields_of(SkillFight, other)))
        except ValueError:
            continue
        assert reported, f"byte {at} has no field"
        seen += 1
    assert seen > len(places) // 2


def test_another_seed_is_another_match():
    assert SkillFight(1, 2).save() != SkillFight(2, 2).save()
    assert SkillFight(1, 2).save() == SkillFight(1, 2).save()


# Snapshots.


@examples(300)
@given(st.data())
def test_a_snapshot_that_is_fuzzed_is_refused_or_plays_on(data: st.DataObject):
    state = bytearray(played_state())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(state) - 1))
        state[at] = data.draw(st.one_of(st.integers(0, 255), st.just(state[at] ^ 1)))
    if data.draw(st.booleans()):
        cut = data.draw(st.integers(0, len(state)))
        del state[cut : cut + data.draw(st.sampled_from((1, 4, 52, 10_000)))]
    game = SkillFight(9, 4)
    before = game.save()
    try:
        game.load(bytes(state))
    except ValueError:
        assert game.save() == before
        return
    assert game.save() == bytes(state)
    random = Random(len(state))
    for _ in range(80):
        game.step([random.below(INPUT_MAX + 1) for _ in range(4)])
    twin = SkillFight(9, 4)
    twin.load(game.save())


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_no_snapshot(data: bytes):
    game = SkillFight(9, 2)
    before = game.save()
    for tried in (data, played_state()[:16] + data, played_state()[:12] + data):
        with pytest.raises(ValueError):
            game.load(tried)
    assert game.save() == before


def change(bodies: str, number: int, field: str, value: int) -> Callable[[SkillFight], None]:
    return lambda game: setattr(getattr(game.state, bodies)[number], field, value)


@each(
    ("change", "said"),
    [
        (lambda game: game.world.remove(0), "collider 0 is missing"),
        (lambda game: game.world.remove(16), "collider 16 is not this game's wall"),
        (lambda game: game.world.add(63, SHOT, Pose(0, 0, 0)), "collider 63 belongs to nothing"),
        (lambda game: game.world.set_owner(1, 7), "collider 1 is not as the game made it"),
        (lambda game: game.world.move(1, 3 * ARENA, 0, 0), "collider 1 is outside the arena"),
        (lambda game: game.world.move(1, 0, 1, 0), "collider 1 is outside the arena"),
        (change("fighters", 0, "health", 0), "fighter 0: health 0"),
        (change("fighters", 0, "health", 101),
         r"fighters\[0\]\.health must be an integer of 0\.\.100, not 101"),
        (change("fighters", 0, "push_x", -3 * ONE), r"fighters\[0\]\.push_x must be"),
        (change("fighters", 0, "elapsed", 1), "fighter 0: elapsed 1 in action 0"),
        (change("fighters", 0, "action", 5),
         r"fighters\[0\]\.action must be one of 0 NONE, .* 4 DASH, not 5"),
        (change("monsters", 1, "away", 5), "monster 1: health 60, away 5"),
        (lambda game: game.state.shots.__setitem__(0, 46),
         r"shots\[0\] must be an integer of 0\.\.45"),
        (lambda game: game.world.load(World(64).save()), "hit_when or layers"),
    ],
)  # fmt: skip
def test_a_snapshot_in_which_the_game_could_not_go_on_is_refused(
    change: Callable[[SkillFight], None], said: str
):
    game = SkillFight(1, 2)
    change(game)
    with pytest.raises(ValueError, match=said):
        SkillFight(2, 2).load(game.save())


def test_a_snapshot_of_another_number_of_players_is_refused():
    with pytest.raises(ValueError, match="a game of 4 players, where this has 2"):
        SkillFight(1, 2).load(played_state())


# As a game.


def hits_of(game: SkillFight, action: Action, aim: int = EAST) -> list[int]:
    """The health of the second fighter by frame, while the first uses a skill once."""
    skill = SKILLS[action]
    healths = []
    for frame in range(skill.frames + 1):
        game.step([aim | (skill.button if frame == 0 else 0), 0])
        healths.append(game.state.fighters[1].health)
    return healths


@pytest.mark.parametrize(
    ("action", "near", "far"),
    [(Action.SLASH, "2.6", "2.8"), (Action.BEAM, "10.9", "11.1"), (Action.BLAST, "3.0", "3.2")],
)
def test_a_skill_reaches_as_far_as_it_is_long_and_hurts_once_in_its_active_frames(
    action: Action, near: str, far: str
):
    skill = SKILLS[action]
    game = duel(q_near(near))
    healths = hits_of(game, action)
    assert healths[: skill.windup] == [HEALTH] * skill.windup
    lost = HEALTH - healths[-1]
    assert skill.damage <= lost < skill.damage + 5, "once, however long it overlaps"
    assert healths[skill.windup] == HEALTH - lost
    assert game.state.fighters[1].push_x or game.world[1].pose.x > q_near(near) // 2, (
        "and throws back"
    )
    assert hits_of(duel(q_near(far)), action)[-1] == HEALTH


def test_a_shot_flies_hits_and_is_gone():
    game = duel(6 * ONE)
    play(game, EAST | Button.SHOOT, 1)
    assert 40 in game.world
    events = []
    for _ in range(40):
        events += [event for event in game.step([0, 0]) if event.b == 40]
    kinds = [(event.a, event.kind) for event in events]
    assert kinds == [(1, EventKind.ENTER), (1, EventKind.EXIT)]
    assert 8 <= HEALTH - game.state.fighters[1].health < 13
    assert 40 not in game.world
    assert not any(game.state.shots)


def test_who_falls_scores_for_the_other_and_comes_back_with_a_shield():
    game = duel(2 * ONE)
    game.state.fighters[1].health = 1
    hits_of(game, Action.SLASH)
    assert (game.state.fighters[0].kills, game.state.fighters[1].deaths) == (3, 1)
    assert not game.world[1].active
    play(game, 0, RESPAWN_FRAMES)
    assert game.world[1].active
    assert (game.state.fighters[1].health, 0 < game.state.fighters[1].shield <= SHIELD_FRAMES) == (
        HEALTH,
        True,
    )


@pytest.mark.full
def test_bots_make_a_match_worth_watching():
    # Everybody fights: in a minute each has struck and been struck, and every skill has been used.
    used = set()
    game = SkillFight(7, 4)
    bots = [SkillFight.bot(player, 7) for player in range(4)]
    events = 0
    for _ in range(3600):
        events += len(game.step([bot.decide(game) for bot in bots]))
        used |= {Action(fighter.action) for fighter in game.state.fighters}
    assert used == set(Action)
    assert events > 1000
    assert all(fighter.kills for fighter in game.state.fighters)
    assert all(fighter.deaths for fighter in game.state.fighters)


def test_layers_meet_as_the_table_says():
    layers = played().world.layers
    assert layers is not None
    assert (int(Layer.ATTACK), int(Layer.ATTACK)) not in layers
    assert (int(Layer.BITE), int(Layer.MONSTER)) not in [tuple(sorted(pair)) for pair in layers]


def packed(game: SkillFight) -> bytes:
    """The state in a layout of its own, so that the golden hash is of the rules, not of how a state
    is saved."""

    def numbers(body: object) -> list[int]:
        return [int(getattr(body, name)) for name in body.__struct_fields__]  # type: ignore[attr-defined]

    state = game.state
    return b"".join(
        (
            struct.pack("<4sIQ", b"SKF1", game.players, game.random.state),
            *(struct.pack("<5I2i7I", *numbers(fighter)) for fighter in state.fighters),
            *(struct.pack("<2I2i2I", *numbers(monster)) for monster in state.monsters),
            struct.pack(f"<{len(state.shots)}I", *state.shots),
            game.world.save(),
        )
    )


def test_the_golden_match_has_not_changed():
    straight = run_straight(SkillFight, 2024, 4, bot_inputs(SkillFight, 2024, 4, 600))
    game = SkillFight(0, 4)
    game.load(straight.states[-1])
    assert f"{hash_of(packed(game)):016x}" == GOLDEN


GOLDEN = "8cfaa0947e228a2f"
"""Of the rules as they are: it changes with them only."""

"""Planted faults: each is caught, in the right frame and field, in time, and both sides show what
they have."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from bumpers import Bumpers
from msgspec.structs import replace
from network import Network, Peer, Weather, packet_of, sealed
from tools import by_default, each

from fixsync import GameEvent
from fixsync.base.fields import Difference, StateFields, differences
from fixsync.game.random import Random
from fixsync.match.sim import Simulation, fields_of, hash_of
from fixsync.peers.faults import FAULTS, faults_of, faulty
from fixsync.sample.skillfight import SkillFight
from fixsync.session import Desync, Evidence, Match, Reason
from fixsync.session.packets import Update
from fixsync.session.remote import Remote
from fixsync.synctest.checks import run_check
from fixsync.synctest.straight import run_straight

WEATHER = Weather(loss=10, delay_ms=15, jitter_ms=20)
FAULT_FRAME = 20
# "set" depends on a key of the process: test_peers.py plants it in a process of its own.
IN_PROCESS = sorted(set(FAULTS) - {"set"})
# The state differs right after the frame of the fault; with the others, when it has an effect.
AT_ONCE = {"unit", "bit", "skip", "stale"}


def fight(
    prediction_max: int,
    broken: Callable[[int, int], Simulation],
    players: int = 3,
    who: int = 1,
    **settings: Any,
) -> Network:
    """A match of bots in which peer `who` has another simulation than the rest, played to its
    end."""
    match = Match(
        SkillFight.name,
        seed=11,
        players=players,
        prediction_max=prediction_max,
        frames=120,
        **settings,
    )
    network = Network(match, 1, WEATHER, simulation=SkillFight)
    for me in (*match.seated, *range(players, players + match.spectators)):
        simulation = broken(match.seed, players) if me == who else SkillFight(match.seed, players)
        peer = network.start(me, simulation=simulation)
        bot = SkillFight.bot(me % players, 3)
        peer.play = lambda bot=bot, session=peer.session: bot.decide(session.simulation)  # type: ignore[misc]
    assert network.run(60_000, lambda: network.is_over)
    return network


def first_difference(
    network: Network, broken: Callable[[int, int], Simulation]
) -> tuple[int, list[Difference]]:
    """By stepping both simulations straight on the inputs of the match: where they differ first,
    and in what.

    It knows nothing of sessions, hashes that were sent or evidence.
    """
    match = network.match
    good, bad = SkillFight(match.seed, match.players), broken(match.seed, match.players)
    desync = desync_of(network)
    witness = network.peers[0].witness
    frame = 0
    while True:
        inputs = witness.inputs.get(frame, desync.evidence[0].inputs)
        good.step(inputs)
        bad.step(inputs)
        if good.save() != bad.save():
            return frame, list(
                differences(fields_of(good, good.save()), fields_of(bad, bad.save()))
            )
        frame += 1


def desync_of(network: Network, me: int = 0) -> Desync:
    end = network.peers[me].session.end
    assert end is not None
    assert end.reason is Reason.DESYNC, f"peer {me} ended by {end}"
    assert end.desync is not None
    return end.desync


def check_is_caught(network: Network, broken: Callable[[int, int], Simulation]) -> None:
    """The fault ended the match on all players, who all tell the frame and the field, in time."""
    frame, expected = first_difference(network, broken)
    for me in network.match.seated:
        desync = desync_of(network, me)
        session = network.peers[me].session
        assert desync.frame == frame
        assert session.confirmed <= frame + network.match.detection_frames_max
        assert sorted(desync.evidence) == network.match.seated
        assert desync.sides == [[0, 2], [1]]
        assert desync.differences == expected
        assert desync.same_inputs
        assert desync.same_before


@pytest.mark.parametrize("prediction_max", by_default(1, [8, 0]))
@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_planted_fault_is_caught_with_the_right_frame_and_field(name: str, prediction_max: int):
    broken = faulty(name, FAULT_FRAME)
    network = fight(prediction_max, broken)
    check_is_caught(network, broken)
    desync = desync_of(network)
    if name in AT_ONCE:
        assert desync.frame == FAULT_FRAME
    first = desync.differences[0]
    expected = {
        "unit": (("collider", 0), "x"),
        "bit": (("fighters", 0), "health"),
        "skip": (("world",), "frame"),
        "stale": (("world",), "frame"),
    }
    if name in expected:
        assert (first.key, first.field) == expected[name]
    else:
        assert first.field in ("x", "z"), "fighters walk a little elsewhere"


@pytest.mark.full
@pytest.mark.parametrize("prediction_max", [0, 8])
def test_the_test_above_fails_when_the_detector_is_switched_off(
    monkeypatch: pytest.MonkeyPatch, prediction_max: int
):
    def count(self: Remote) -> None:
        self.compared = self.local.timeline.confirmed
        self.hashes.clear()

    monkeypatch.setattr(Remote, "first_difference", count)
    broken = faulty("unit", FAULT_FRAME)
    network = fight(prediction_max, broken)
    with pytest.raises(AssertionError, match="ended by"):
        check_is_caught(network, broken)
    assert network.peers[0].session.end is not None
    assert network.peers[0].session.end.reason is Reason.COMPLETED, "nobody noticed"


def test_a_fault_in_a_match_of_two_is_told_by_both_with_both_sides():
    network = fight(8, faulty("unit", FAULT_FRAME), players=2)
    for me in (0, 1):
        desync = desync_of(network, me)
        assert desync.frame == FAULT_FRAME
        assert sorted(desync.evidence) == [0, 1]
        assert [str(d) for d in desync.differences] == [
            str(d) for d in desync_of(network).differences
        ]
        for peer, value in desync.hashes.items():
            assert value == hash_of(desync.evidence[peer].after)


def test_a_spectator_is_told_of_the_desync_too():
    network = fight(8, faulty("unit", FAULT_FRAME), spectators=1)
    desync = desync_of(network, 3)
    assert desync.frame == FAULT_FRAME
    assert not network.session(0).spectator_desyncs, "its own state was the same"


class Distant(Network):
    """Packets between peers 0 and 2 take longer."""

    def send(self, receiver: int, data: bytes, source: int | None = None) -> None:
        between = {receiver, data[4] % 128}
        self.weather = Weather(delay_ms=250 if between == {0, 2} else 30)
        super().send(receiver, data, source)


def test_no_peer_reports_a_difference_with_itself():
    match = Match(SkillFight.name, seed=11, players=3, frames=120)
    network = Distant(match, 1, simulation=SkillFight)
    for me in match.seated:
        network.start(me, simulation=(faulty("unit", 20) if me == 1 else SkillFight)(11, 3))
    assert network.run(60_000, lambda: network.is_over)
    for me in match.seated:
        end = network.end_of(me)
        assert end.reason is Reason.DESYNC
        assert f"peer {end.peer} reports a difference with peer {end.peer}" not in end.text
        assert end.peer != me


@pytest.mark.parametrize("prediction_max", by_default(1, [8, 0]))
@pytest.mark.parametrize("delay_ms", by_default(1, [150, 15, 300]))
def test_a_spectator_whose_state_differs_has_evidence_and_so_has_the_host(
    monkeypatch: pytest.MonkeyPatch, prediction_max: int, delay_ms: int
):
    monkeypatch.setattr(f"{__name__}.WEATHER", Weather(loss=10, delay_ms=delay_ms, jitter_ms=20))
    broken, frame = faulty("unit", 90), 90
    network = fight(prediction_max, broken, who=3, spectators=1)
    desync, watched = desync_of(network, 3), network.session(0).spectator_desyncs[3]
    for report in (desync, watched):
        assert report.frame == frame
        assert sorted(report.evidence) == [0, 3]
        (difference,) = report.differences
        assert (difference.key, difference.field) == (("collider", 0), "x")
        assert report.same_inputs
        assert report.same_before
    for me in range(3):
        assert network.end_of(me).reason is Reason.COMPLETED
        assert network.session(me).spectator_desyncs.keys() == ({3} if me == 0 else set())
        said = "all 120 frames are the same on all players"
        later = f"; peer 3 reports a difference after frame {frame}"
        assert network.end_of(me).text in (said, said + (later if me == 0 else ""))


def test_a_host_says_which_spectator_differs_and_lets_it_go(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(f"{__name__}.WEATHER", Weather(delay_ms=15))
    network = fight(8, faulty("unit", FAULT_FRAME), who=3, spectators=1)
    assert network.end_of(0).text.endswith("players; peer 3 reports a difference after frame 20")
    assert not network.session(0)._remotes[3].start_number


def test_a_spectator_that_differs_and_vanishes_is_asked_for_evidence_no_more():
    match = Match("skillfight", 5, 2, spectators=1)
    network = Network(match, weather=Weather(delay_ms=15), simulation=SkillFight)
    network.start_all()
    network.start(2, simulation=faulty("unit", 90)(5, 2))
    host = network.session(0)
    assert network.run(5000, lambda: 2 in host.spectator_desyncs)
    network.crash(2)
    network.run(6000)
    assert not host._remotes[2].start_number
    assert host._remotes[2].has_evidence
    assert host.spectator_desyncs[2].evidence.keys() == {0}


class Misquoted(Network):
    """Peer 1 sends peer 0 another hash of a frame than that of its state."""

    def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
        if (sender.me, receiver) == (1, 0):
            packet = packet_of(data)
            message = packet.message
            if isinstance(message, Update):
                first = message.hash_first
                hashes = [h ^ (at == FAULT_FRAME) for at, h in enumerate(message.hashes, first)]
                message = replace(message, hashes=hashes)
                data = sealed(sender.session, receiver, message, packet.number, packet.got)
        super().dispatch(sender, receiver, data)


def test_a_hash_that_is_not_that_of_the_state_is_said_to_be_so():
    network = Misquoted(Match("bumpers", seed=1, players=3, frames=60), 1).start_all()
    assert network.run(20_000, lambda: network.is_over)
    for me in range(3):
        end, desync = network.end_of(me), desync_of(network, me)
        assert sorted(desync.evidence) == [0, 1, 2]
        assert desync.sides == [[0, 1, 2]]
        assert "the states and events that came are the same" in desync.explain()
        said = "the hash that peer 1 sent is not that of its state and events"
        assert (said in desync.explain()) == (me == 0)
        assert end.frame == FAULT_FRAME
        assert end.text.endswith(f" after frame {FAULT_FRAME}")
        assert end.reported_by == 0
        assert end.text.startswith("peers 0 and 1 " if me == 0 else "peer 0 reports a difference")


def test_the_frame_of_an_end_is_that_of_its_text_whatever_a_peer_says():
    network = Network(Match("bumpers", seed=1, players=3, frames=300), 1).start_all()
    network.run(1500)
    reported = network.session(1)._ending
    reported.end(Reason.DESYNC, 2, "different states after frame 77", network.now_ms)
    at = network.end_of(1).frame
    assert network.run(20_000, lambda: network.is_over)
    for me in (0, 2):
        end = network.end_of(me)
        assert (end.reason, end.frame) == (Reason.DESYNC, at)
        assert end.text == f"peer 1 reports a difference with peer 2 after frame {at}"


class Loud(Bumpers):
    """Has an event of its own in each frame, and forgets to save what it is made of."""

    event_kinds = IntEnum("Kind", {"SAID": 16})
    unsaved = 0

    def step(self, inputs: Any) -> Any:
        events = super().step(inputs)
        return [*events, GameEvent(0, 0, self.event_kinds(16), self.unsaved)]


class Louder(Loud):
    unsaved = 1


@pytest.mark.parametrize("other", [Louder, Loud])
def test_the_hash_of_a_state_in_a_report_is_that_of_the_state(other: type[Loud]):
    broken = other(1, 2) if other is Louder else faulty("unit", FAULT_FRAME, Loud)(1, 2)
    network = Network(Match("bumpers", seed=1, players=2, frames=60), 1, simulation=Loud)
    network.start(0)
    network.start(1, simulation=broken)
    assert network.run(20_000, lambda: network.is_over)
    desync = desync_of(network)
    straight = Loud(1, 2)
    for _ in range(desync.frame + 1):
        straight.step(network.peers[0].witness.inputs.get(straight.world.frame, (0, 0)))
    assert desync.hashes == {peer: hash_of(desync.evidence[peer].after) for peer in (0, 1)}
    assert desync.sides == [[0], [1]]
    for peer, value in desync.hashes.items():
        assert f"  peer {peer}: state {value:016x}" in desync.explain()
    assert (desync.hashes[0] == desync.hashes[1]) == (other is Louder)
    assert "sent is not that" not in desync.explain()


def test_the_explanation_names_frame_peers_field_and_both_values():
    network = fight(0, faulty("unit", FAULT_FRAME))
    desync = desync_of(network)
    x = [fields_of(SkillFight, desync.evidence[peer].after)["collider", 0]["x"] for peer in (0, 1)]
    assert x[1] == int(x[0]) + 1
    reported = desync.explain()
    assert f"desync after frame {FAULT_FRAME}" in reported
    assert f"collider 0 (player 0), x: {x[0]} and {x[1]} (" in reported
    assert "values of peer 0 and 2, then of peer 1" in reported
    assert "same state before it, same inputs" in reported


def test_a_pair_whose_contact_differs_is_told_with_its_geometry():
    class Late(Bumpers):
        """Moves ball 1 next to ball 0, in one of two worlds a raw unit too far to touch."""

        gap = 0

        def step(self, _inputs: Any) -> Any:
            if self.world.frame == FAULT_FRAME:
                pose = self.world[0].pose
                self.world.move(1, pose.x + 2 * 65536 + self.gap, pose.y, pose.z)
            return self.world.step()

    class Later(Late):
        gap = 1

    network = Network(Match("bumpers", seed=1, players=2, frames=60), 1, simulation=Late)
    network.start(0)
    network.start(1, simulation=Later(1, 2))
    assert network.run(20_000, lambda: network.is_over)
    reported = desync_of(network).explain()
    assert f"desync after frame {FAULT_FRAME}" in reported
    assert "hit 0, 1, is there: present and absent" in reported
    assert "pair 0, 1:" in reported
    assert "on peer 0: hit with contact TOUCHING" in reported
    assert "on peer 1: no hit" in reported
    assert "whose contact is TOUCHING" in reported
    assert "whose contact is APART" in reported


def test_a_report_is_written_and_reproduces_the_difference_in_one_step(tmp_path: Path):
    broken = faulty("unit", FAULT_FRAME)
    network = fight(8, broken)
    desync = desync_of(network)
    written = {path.name for path in desync.write(tmp_path / "report")}
    assert written == {
        "report.txt",
        "report.json",
        *(f"peer{peer}.{when}.state" for peer in range(3) for when in ("before", "after")),
    }
    reported = json.loads((tmp_path / "report" / "report.json").read_text())
    assert reported["frame"] == FAULT_FRAME
    assert reported["differences"][0]["field"] == "x"
    for peer, made in ((0, SkillFight), (1, broken)):
        simulation = made(11, 3)
        simulation.load((tmp_path / "report" / f"peer{peer}.before.state").read_bytes())
        simulation.step(reported["inputs"][str(peer)])
        assert simulation.save() == (tmp_path / "report" / f"peer{peer}.after.state").read_bytes()


class Counting(Bumpers):
    """Turns ball 0 by the number of its steps, which it does not save."""

    steps = 0

    def step(self, inputs: Any) -> Any:
        events = super().step(inputs)
        self.steps += 1
        self.world.turn(0, self.steps)
        return events


def test_one_step_here_gives_neither_state_of_a_game_that_forgets_a_value_and_the_sync_test_does():
    match, weather = Match("bumpers", seed=3, players=2, frames=200), Weather(10, jitter_ms=60)
    network = Network(match, 1, weather, simulation=Counting).start_all()
    assert network.run(20_000, lambda: network.is_over)
    desync = desync_of(network)
    assert desync.sides == [[0], [1]]
    assert desync.same_before
    assert desync.same_inputs
    game, held = Counting(3, 2), desync.evidence
    game.load(held[0].before)
    game.step(held[0].inputs)
    assert game.save() not in (held[0].after, held[1].after)
    found = run_check("save and load", run_straight(Counting, 3, 2, [(1, 2)] * 20))
    assert found is not None


class Opaque(Bumpers):
    """Its decoder does not take what a faulty peer has."""

    @staticmethod
    def state_fields(state: bytes) -> StateFields:
        raise ValueError(f"bite must be at most 50, in {len(state)} bytes")


class Torn(Bumpers):
    @staticmethod
    def state_fields(_state: bytes) -> StateFields:
        raise KeyError("monster")


@pytest.mark.parametrize(
    ("simulation", "why"), [(Opaque, "bite must be at most 50"), (Torn, "KeyError: 'monster'")]
)
def test_a_state_that_does_not_decode_is_written_and_shown_as_bytes_with_the_reason(
    tmp_path: Path, simulation: type[Bumpers], why: str
):
    good = Bumpers(1, 2).save()
    states = {0: good, 1: bytes([good[0] ^ 1]) + good[1:]}
    evidence = {peer: Evidence(9, good, state, [0, 0], b"") for peer, state in states.items()}
    damaged = {2: (b"torn", "no evidence: truncated")}
    desync = Desync(9, evidence, simulation(1, 2), damaged)
    report = desync.explain()
    for peer in (0, 1):
        assert f"the state of peer {peer} does not decode: {why}" in report
    assert f"bytes 0, hex: {states[0][:16].hex()} and {states[1][:16].hex()}" in report
    assert "peer 2: 4 bytes of evidence that do not decode: no evidence: truncated" in report
    desync.write(str(tmp_path))
    assert (tmp_path / "peer1.after.state").read_bytes() == states[1]
    assert (tmp_path / "peer2.evidence").read_bytes() == b"torn"
    assert why in (tmp_path / "report.txt").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["sides"] == [[0], [1]]


class Nameless(Bumpers):
    @property
    def names(self) -> None:
        raise KeyError("no table of names")


def test_a_report_of_a_game_whose_names_raise_says_so_and_names_the_field():
    good, other = Bumpers(1, 2), Bumpers(2, 2)
    states = {0: good.save(), 1: other.save()}
    evidence = {
        peer: Evidence(9, good.save(), state, [0, 0], b"") for peer, state in states.items()
    }
    report = Desync(9, evidence, Nameless(1, 2)).explain()
    assert "the simulation has no names: KeyError: 'no table of names'" in report
    assert "random" in report


def test_states_are_written_before_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    good = Bumpers(1, 2).save()
    desync = Desync(9, {0: Evidence(9, good, good, [0, 0], b"")}, Bumpers(1, 2))
    monkeypatch.setattr(Desync, "explain", lambda self: 1 // 0)  # noqa: ARG005
    with pytest.raises(ZeroDivisionError):
        desync.write(tmp_path)
    assert (tmp_path / "peer0.after.state").read_bytes() == good


def test_peers_that_stepped_on_different_inputs_are_told_so():
    evidence = {}
    for peer, value in ((0, 1), (1, 2)):
        network = Network(Match("bumpers", seed=1, players=2, frames=30), 1)
        network.start_all()
        for other in network.peers.values():
            other.play = lambda value=value: value  # type: ignore[misc]
        network.run(3000, lambda network=network: network.peers[0].session.confirmed > 10)  # type: ignore[misc]
        evidence[peer] = network.peers[0].session._local.evidence(9)
    desync = Desync(9, evidence, Bumpers)
    assert not desync.same_inputs
    assert "did not step on the same inputs" in desync.explain()


def test_a_report_without_the_other_side_says_so():
    simulation = SkillFight(1, 2)
    shown = Network(Match(SkillFight.name, seed=1, players=2), 1, simulation=SkillFight)
    evidence = shown.start(0, simulation=simulation).session._local.evidence(0)
    reported = Desync(0, {0: evidence}, SkillFight, sent={1: None, 2: None}).explain()
    assert "peer 0: no state: the frame is not confirmed there yet" in reported
    assert "peer 2 has not sent its state" in reported


@pytest.mark.parametrize("seed", range(3))
def test_every_fault_makes_the_game_another_one(seed: int):
    # What is planted must be a fault: with all of these the sample goes on differently from the
    # clean one.
    random = Random(seed)
    inputs = [[random.below(4096) for _ in range(2)] for _ in range(60)]
    clean = SkillFight(seed, 2)
    ran = {name: faulty(name, FAULT_FRAME)(seed, 2) for name in IN_PROCESS}
    for frame, values in enumerate(inputs):
        clean.step(values)
        for name, simulation in ran.items():
            simulation.step(values)
            if frame < FAULT_FRAME:
                assert simulation.save() == clean.save(), f"{name} differs before its frame"
            elif name in AT_ONCE:
                assert simulation.save() != clean.save(), f"{name} does not differ in frame {frame}"
    assert all(simulation.save() != clean.save() for simulation in ran.values())


@pytest.mark.parametrize(("name", "frame"), [("bogus", 5), ("unit", 0)])
def test_a_fault_that_there_is_none_of_is_refused(name: str, frame: int):
    with pytest.raises(ValueError):
        faulty(name, frame)


def made_bumpers(seed: int, players: int) -> Bumpers:
    return Bumpers(seed, players)


made_bumpers.name = "bumpers"  # type: ignore[attr-defined]


@each("maker", [Bumpers, made_bumpers])
@each("name", faults_of("bumpers"))
def test_a_fault_of_any_game_changes_a_game_that_knows_nothing_of_faults(name: str, maker: Any):
    clean, broken = Bumpers(1, 2), faulty(name, 5, maker)(1, 2)
    differs = []
    for frame in range(12):
        for game in (clean, broken):
            game.step([1 + frame % 4, 3])
        differs.append(clean.save() != broken.save())
    assert differs[:6] == [False] * 5 + [True]


def test_a_fault_in_the_code_of_the_sample_is_refused_for_another_game():
    assert set(FAULTS) - set(faults_of("bumpers")) == {"set", "float"}
    with pytest.raises(ValueError, match="fault of bumpers must be one of unit"):
        faulty("float", 5, Bumpers)

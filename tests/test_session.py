"""Sessions over a network in virtual time: they agree, they end, and they say why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from bumpers import Bumpers
from hypothesis import given
from hypothesis import strategies as st
from network import SEMANTICS, TICK_MS, Network, Weather, Witness
from simulator import check_memory
from strategies import examples

from fixsync import Contact, Event, EventKind
from fixsync.session import (
    Confirmed,
    LockstepSession,
    Match,
    Notice,
    Phase,
    Predicted,
    Reason,
    RollbackSession,
    Session,
    SpectatorSession,
    TakenBack,
    Timing,
)
from fixsync.session.packets import VERSION, Codec, Piece
from fixsync.sim import Input

STORM = Weather(loss=30, delay_ms=20, jitter_ms=40, duplication=10, damage=5)
LOCKSTEP, ROLLBACK = 0, 8


def match(players: int = 2, **settings: Any) -> Match:
    return Match("bumpers", **{"seed": 5, "players": players, "frames": 60, **settings})


def played(network: Network, ms: int = 120_000) -> Network:
    """Runs a network to the end of its match."""
    assert network.run(ms, lambda: network.is_over), f"not over after {ms} ms"
    return network


def ends(network: Network) -> dict[int, Reason | None]:
    return {
        me: peer.session.end.reason if peer.session.end else None
        for me, peer in network.peers.items()
        if peer.is_up
    }


def completed(network: Network) -> None:
    played(network).check_agreement()
    assert set(ends(network).values()) == {Reason.COMPLETED}


# Agreement.


class Fated(Network):
    """A network in which each packet's fate is given: milliseconds to each copy's arrival, none for
    a lost one.

    When all fates are used up, packets take 5 ms.
    """

    fates: list[list[int]]

    def send(self, receiver: int, data: bytes) -> None:
        weather = self.weather
        for delay_ms in self.fates.pop() if self.fates else [5]:
            self.weather = Weather(delay_ms=delay_ms)
            super().send(receiver, data)
        self.weather = weather


FATE = st.one_of(st.just([]), st.lists(st.integers(0, 400), min_size=1, max_size=3))


@examples(60)
@given(
    st.integers(2, 4),
    st.sampled_from((0, 0, 1, 3, 8)),
    st.integers(0, 4),
    st.lists(FATE, max_size=400),
    st.integers(0, 2**32),
)
def test_any_network_that_is_good_in_the_end_leads_to_agreement(
    players: int, prediction_max: int, input_delay: int, fates: list[list[int]], seed: int
):
    network = Fated(
        match(
            players, prediction_max=prediction_max, input_delay=input_delay, frames=25, seed=seed
        ),
        seed,
    )
    network.fates = fates
    network.start_all()
    while not network.is_over:
        assert network.now_ms < 120_000, "a deadlock"
        network.run(50)
        check_memory(network)
    completed(network)
    assert all(len(peer.witness.hashes) == 25 for peer in network.peers.values())


@pytest.mark.parametrize("prediction_max", [LOCKSTEP, ROLLBACK])
@pytest.mark.parametrize("players", [2, 3, pytest.param(8, marks=pytest.mark.full)])
def test_peers_agree_in_a_storm(players: int, prediction_max: int):
    network = Network(match(players, prediction_max=prediction_max), 1, STORM)
    network.start_all()
    completed(network)
    rollbacks = sum(peer.session.rollbacks for peer in network.peers.values())
    assert (rollbacks > 0) == (prediction_max > 0)


def test_no_more_frames_are_guessed_than_the_match_allows():
    network = Network(match(3, prediction_max=3), 1, STORM)
    network.start_all()
    deepest = 0
    while not network.is_over:
        network.tick()
        for peer in network.peers.values():
            deepest = max(deepest, peer.session.frame - peer.session.confirmed)
    assert deepest == 3


def test_events_are_taken_back_and_confirmed_once():
    # The witnesses fail at whatever is told twice, out of order or never taken back; here they had
    # work to do.
    network = Network(match(4, prediction_max=8, input_delay=0, frames=150), 2, STORM)
    network.start_all()
    completed(network)
    assert sum(peer.witness.taken_back for peer in network.peers.values()) > 0


def hear_all(notices: Sequence[Notice]) -> None:
    witness = Witness()
    for notice in notices:
        witness.hear(notice)


def test_the_witness_of_these_tests_fails_at_what_it_should():
    event = Event(0, 1, EventKind.ENTER, Contact.OVERLAPPING)
    final = Confirmed(0, (0, 0), (event,), 1, 2)
    for wrong in (
        [final, final],
        [Predicted(0, (event, event)), final],
        [TakenBack(0, (event,))],
        [final, Predicted(0, (event,))],
        [Confirmed(1, (0, 0), (), 1, 2)],
    ):
        with pytest.raises((AssertionError, KeyError, ValueError)):
            hear_all(wrong)
    for right in (
        [Predicted(0, (event,)), final],
        [Predicted(0, (event,)), TakenBack(0, (event,)), final],
    ):
        hear_all(right)


def test_a_match_of_one_plays_by_itself():
    network = Network(match(1))
    network.start_all()
    completed(network)


def test_inputs_of_several_numbers_arrive_as_they_were_given():
    class Wide(Bumpers):
        def check_input(self, _player: int, value: Input) -> None:
            if not isinstance(value, tuple) or len(value) != 16:
                raise ValueError(f"must be 16 integers, not {value}")

        idle = (0,) * 16

        def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
            return super().step([value[0] % 5 for value in inputs])  # type: ignore[index]

    # At 147 bytes an input, few fit a packet.
    network = Network(match(3, prediction_max=8, frames=40), 1, STORM, simulation=Wide)
    network.start_all()
    for peer in network.peers.values():
        play = peer.play
        peer.play = lambda play=play: (play(), -(2**63), *range(2**40, 2**40 + 14))  # type: ignore[misc, return-value]
    completed(network)
    assert network.peers[0].witness.inputs[39][2][1:3] == (-(2**63), 2**40)


def test_a_delay_of_input_is_kept():
    network = Network(match(2, input_delay=4, frames=30))
    network.start_all()
    for peer in network.peers.values():
        peer.play = lambda: 3
    completed(network)
    inputs = network.peers[0].witness.inputs
    assert [inputs[frame] for frame in range(6)] == [(0, 0)] * 4 + [(3, 3)] * 2


# Coming late, watching, coming back.


@pytest.mark.parametrize("prediction_max", [LOCKSTEP, ROLLBACK])
def test_a_player_who_falls_over_comes_back_and_goes_on_identically(prediction_max: int):
    network = Network(match(3, prediction_max=prediction_max, frames=250), 3, STORM)
    network.start_all()
    network.run(1500)
    network.crash(2)
    network.run(700)
    network.start(2)
    completed(network)
    back = network.peers[2].witness
    assert back.joined_at > 0
    assert back.joined_at + len(back.hashes) == 250


def test_the_host_comes_back_too():
    network = Network(match(3, prediction_max=8, frames=250), 4, STORM)
    network.start_all()
    network.run(1500)
    network.crash(0)
    network.run(700)
    network.start(0)
    completed(network)
    assert network.peers[0].witness.joined_at > 0


def test_a_player_who_comes_back_before_it_hears_the_host_does_not_end_the_match():
    """A player's snapshot can come before the host's first packet."""
    network = Network(match(3, frames=200), 4)
    network.start_all()
    network.run(1000)
    network.crash(2)
    network.run(100)
    back = network.start(2)
    host = network.peers[0].session
    sent = host.outgoing
    host.outgoing = lambda now_ms: [
        (to, it) for to, it in sent(now_ms) if to != 2 or back.is_running
    ]
    completed(network)
    assert back.witness.joined_at > 0


@pytest.mark.parametrize("prediction_max", [LOCKSTEP, ROLLBACK])
def test_a_host_that_restarts_comes_back_by_the_player_who_was_seated_late(prediction_max: int):
    # By its settings alone it needs nobody, and could begin at frame 0.
    late = match(2, prediction_max=prediction_max, frames=400, vacant=frozenset({1}))
    network = Network(late, 4, STORM)
    network.start(0)
    network.start(1)
    assert network.run(4000, lambda: network.peers[1].session.is_playing)
    network.run(500)
    network.crash(0)
    network.run(700)
    network.start(0)
    completed(network)
    assert network.peers[0].witness.joined_at > 0


@pytest.mark.parametrize(("players", "witness"), [(3, 2), (2, 2), (2, 1)])
def test_a_host_that_restarts_while_a_seat_is_vacant_is_refused(players: int, witness: int):
    # The one who refuses it is a player, a spectator, or a player who has no seat yet.
    late = match(players, frames=900, vacant=frozenset({1}), spectators=1)
    network = Network(late, 4)
    network.start_all()
    if witness not in network.peers:
        network.start(witness)
    network.run(1500, lambda: witness == 1 and network.peers[1].session.phase is Phase.RUNNING)
    assert network.peers[witness].session.phase is Phase.RUNNING
    assert network.peers[witness].session.is_playing == (witness == 2 and players == 3)
    network.crash(0)
    network.run(700)
    network.start(0)
    played(network).check_agreement()
    end = network.peers[0].session.end
    assert end is not None
    assert (end.reason, end.frame) == (Reason.JOIN_FAILED, 0)
    assert "the host cannot come back while a seat is vacant" in end.text


def test_a_host_that_restarts_after_the_match_does_not_begin_it_again():
    # What a search found: the late player, still lingering, is not needed for a beginning.
    network = Network(match(2, frames=300, vacant=frozenset({1})), 4)
    network.start(0)
    network.start(1)
    assert network.run(20_000, lambda: network.peers[0].session.end is not None)
    network.crash(0)
    network.run(50)
    network.start(0)
    played(network)
    assert ends(network) == {0: Reason.JOIN_FAILED, 1: Reason.COMPLETED}
    assert network.peers[0].session.frame == 0


@pytest.mark.parametrize(("instance", "pause_ms"), [(1, 0), (2, 5000)])
def test_a_host_that_nobody_has_to_join_begins_when_no_earlier_match_can_be_left(
    instance: int, pause_ms: int
):
    network = Network(match(2, frames=30, vacant=frozenset({1})))
    network.lives = instance - 1
    session = network.start(0).session
    network.run(20_000, lambda: session.frame > 0)
    assert pause_ms <= network.now_ms <= pause_ms + 100
    completed(network)


def test_a_match_is_not_complete_before_a_player_who_came_back_has_said_that_it_has_it():
    network = Network(match(2, frames=100))
    network.start_all()
    assert network.run(9000, lambda: network.peers[0].session.confirmed >= 97)
    network.crash(1)
    network.run(200)
    assert network.peers[0].session.confirmed < 100 or network.peers[0].session.end is None
    network.start(1)
    completed(network)


@pytest.mark.parametrize("prediction_max", [LOCKSTEP, ROLLBACK])
def test_late_players_take_the_seats_that_were_kept_for_them(prediction_max: int):
    late = match(4, prediction_max=prediction_max, frames=300, vacant=frozenset({2, 3}))
    network = Network(late, 5, STORM)
    network.start_all()
    network.run(1000)
    network.start(3)
    network.run(1500)
    network.start(2)
    completed(network)
    seats = network.peers[0].session.seats
    assert seats[:2] == [0, 0]
    inputs = network.peers[0].witness.inputs
    for seat in (2, 3):
        taken = seats[seat]
        assert taken is not None
        assert 0 < taken < 300
        assert {inputs[frame][seat] for frame in range(taken)} == {0}, (
            "the host plays idle until then"
        )
        assert {inputs[frame][seat] for frame in range(taken, 300)} > {0}


@pytest.mark.parametrize("prediction_max", [LOCKSTEP, ROLLBACK])
def test_spectators_see_every_frame_from_where_they_came_in(prediction_max: int):
    network = Network(match(2, prediction_max=prediction_max, frames=250, spectators=2), 6, STORM)
    network.start_all()
    network.start(2)
    network.run(1800)
    network.start(3)
    completed(network)
    for watcher in (2, 3):
        witness = network.peers[watcher].witness
        assert witness.joined_at + len(witness.hashes) == 250
    assert network.peers[3].witness.joined_at > 0


def test_a_spectator_does_not_complete_before_a_player_who_came_back_has_its_snapshot():
    # What a search found: a snapshot on its way counted as loaded.
    settings = match(2, prediction_max=8, frames=100, spectators=1)
    network = Network(settings)
    for peer in range(3):
        network.start(peer)
    host, watcher = network.peers[0].session, network.peers[2].session
    assert network.run(9000, lambda: host.confirmed >= 95)
    sent, codec, lost = host.outgoing, Codec(settings), [object]
    host.outgoing = lambda now_ms: [
        (to, it)
        for to, it in sent(now_ms)
        if to != 1 or not isinstance(codec.open(it), tuple(lost))
    ]
    assert network.run(500, lambda: host.confirmed == 100)
    network.crash(1)
    assert network.peers[1].session.confirmed < 100
    lost[:] = [Piece]
    back = network.start(1).session
    network.run(500)
    assert back.phase is Phase.JOINING
    assert host.end is None
    assert watcher.end is None
    lost.clear()
    completed(network)


def test_a_spectator_who_needs_more_than_a_host_that_came_back_has_is_let_go():
    network = Network(match(2, prediction_max=8, frames=400, spectators=1), 4)
    for peer in range(3):
        network.start(peer)
    network.run(1500)
    network.peers[2].due_ms += 1500  # It hangs, so it is far behind.
    network.run(1000)
    network.crash(0)
    network.run(100)
    network.start(0)
    played(network).check_agreement()
    assert ends(network) == {0: Reason.COMPLETED, 1: Reason.COMPLETED, 2: Reason.JOIN_FAILED}
    end = network.peers[2].session.end
    assert end is not None
    assert "too far behind" in end.text


def test_a_spectator_who_leaves_or_falls_silent_ends_the_match_for_nobody():
    network = Network(match(2, frames=500, spectators=2), 6, timing=Timing(silence_ms=1000))
    network.start_all()
    network.start(2)
    network.start(3)
    network.run(1500)
    network.peers[2].session.leave(network.now_ms)
    network.crash(3)
    played(network).check_agreement()
    assert ends(network) == {0: Reason.COMPLETED, 1: Reason.COMPLETED, 2: Reason.LEFT}


class Forgetful(Bumpers):
    """Does not load what it saved."""

    def load(self, data: bytes) -> None:
        super().load(data)
        self.met = [0] * self.players


class Unloadable(Bumpers):
    def load(self, data: bytes) -> None:
        raise ValueError(f"{len(data)} bytes that it does not like")


class Careless(Bumpers):
    """Raises what it should not."""

    def load(self, _data: bytes) -> None:
        raise KeyError("a collider")


@pytest.mark.parametrize(
    ("simulation", "said"),
    [
        (Unloadable, "bytes that it does not like"),
        (Forgetful, "does not save to the same bytes"),
        (Careless, "KeyError: 'a collider'"),
    ],
)
def test_a_peer_whose_snapshot_does_not_load_ends_by_saying_so(
    simulation: type[Bumpers], said: str
):
    network = Network(match(3, frames=200, spectators=1), 1)
    network.start_all()
    network.run(2000)
    assert any(network.peers[0].session.simulation.met), "the state has something to forget"  # type: ignore[attr-defined]
    network.start(3, simulation=simulation(5, 3))
    played(network)
    end = network.peers[3].session.end
    assert end is not None
    assert (end.reason, end.peer) == (Reason.JOIN_FAILED, 0)
    assert said in end.text
    assert ends(network)[0] == ends(network)[1] == Reason.COMPLETED


def test_a_snapshot_of_a_world_at_another_frame_is_refused():
    class Skipping(Bumpers):
        def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
            return [] if self.world.frame == 20 else super().step(inputs)

    # All players skip the same frame: they agree, but the match's frames are not the world's any
    # more.
    network = Network(match(2, frames=200, spectators=1), simulation=Skipping)
    network.start_all()
    network.run(1500)
    network.start(2)
    played(network)
    end = network.peers[2].session.end
    assert end is not None
    assert end.reason is Reason.JOIN_FAILED
    assert "a world at frame " in end.text


# Ends.


@pytest.mark.parametrize("prediction_max", [LOCKSTEP, ROLLBACK])
def test_a_player_who_falls_silent_ends_the_match_for_all(prediction_max: int):
    network = Network(match(3, prediction_max=prediction_max, frames=None), 1, STORM)
    network.start_all()
    network.run(2000)
    network.crash(1)
    stopped = network.now_ms
    played(network)
    for me in (0, 2):
        end = network.peers[me].session.end
        assert end is not None
        assert (end.reason, end.peer) == (Reason.SILENT, 1)
        assert "nothing from peer 1 for 5000 ms" in end.text
    assert network.now_ms <= stopped + 5000 + 2 * 1500 + 1000
    network.check_agreement()


def test_a_player_who_never_comes_ends_the_match_for_all():
    network = Network(match(3), timing=Timing(connect_ms=3000))
    network.start(0)
    network.start(1)
    played(network)
    for me in (0, 1):
        end = network.peers[me].session.end
        assert end is not None
        assert (end.reason, end.peer) == (Reason.SILENT, 2)
        assert "no answer from peer 2 within 3000 ms" in end.text


def test_a_player_who_is_heard_but_does_not_play_ends_the_match():
    network = Network(match(2, prediction_max=8, frames=None), timing=Timing(stall_ms=2000))
    network.start_all()
    network.run(1000)
    session = network.peers[1].session
    network.crash(1)
    # Its process goes on answering while its game hangs.
    for _ in range(5000):
        network.tick()
        if network.now_ms % TICK_MS == 0:
            for receiver, data in session.outgoing(network.now_ms):
                network.send(receiver, data)
    end = network.peers[0].session.end
    assert end is not None
    assert (end.reason, end.peer) == (Reason.STALLED, 1)
    assert "held the match up" in end.text


def test_a_player_who_leaves_ends_the_match_for_all():
    network = Network(match(3, frames=None), 1, STORM)
    network.start_all()
    network.run(1500)
    network.peers[2].session.leave(network.now_ms)
    played(network)
    for peer in network.peers.values():
        assert peer.session.end is not None
        assert (peer.session.end.reason, peer.session.end.peer) == (Reason.LEFT, 2)


def test_an_ended_session_plays_no_more():
    network = Network(match(2, frames=None))
    network.start_all()
    network.run(1500)
    session = network.peers[0].session
    session.leave(network.now_ms)
    frame = session.frame
    assert session.advance(1, network.now_ms + 1) == []
    assert (session.frame, session.phase) == (frame, Phase.ENDED)


# The handshake.


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("seed", {"seed": 6}),
        ("prediction_max", {"prediction_max": 7}),
        ("input_delay", {"input_delay": 3}),
        ("frames", {"frames": 61}),
        ("tick_rate", {"tick_rate": 30}),
        ("vacant", {"vacant": frozenset({2})}),
    ],
)
def test_peers_with_different_settings_refuse_each_other_and_name_the_setting(
    field: str, changes: dict[str, Any]
):
    network = Network(match(3, prediction_max=8))
    network.start(0)
    network.match = replace(network.match, **changes)
    network.start(1)
    played(network)
    for peer in network.peers.values():
        end = peer.session.end
        assert end is not None
        assert end.reason is Reason.REFUSED
        assert f"field {field}: " in end.text
        assert peer.session.frame == 0


def test_another_number_of_players_is_refused():
    network = Network(match(2))
    network.start(0)
    network.match = match(3)
    network.start(1)
    played(network)
    end = network.peers[1].session.end
    assert end is not None
    assert end.reason is Reason.REFUSED
    assert "field players: " in end.text


def test_kernels_that_would_answer_differently_refuse_each_other_before_the_match():
    network = Network(match(2))
    network.start(0)
    network.start(1, semantics=b"another")
    played(network)
    for peer in network.peers.values():
        assert peer.session.end is not None
        assert peer.session.end.reason is Reason.REFUSED
        sides = f"{SEMANTICS.hex()} on peer 0, {b'another'.hex()} on peer 1"
        assert f"field kernel: {sides}" in peer.session.end.text
        assert peer.session.frame == 0


def test_another_simulation_is_refused():
    class Other(Bumpers):
        name = "others"

    network = Network(match(2))
    network.start(0)
    network.match = replace(network.match, simulation="others")
    network.start(1, simulation=Other(5, 2))
    played(network)
    for peer in network.peers.values():
        assert peer.session.end is not None
        assert "field simulation: " in peer.session.end.text


def test_a_peer_of_another_protocol_version_is_refused():
    network = Network(match(2))
    session = network.start(0).session
    network.start(1)
    network.run(10)
    codec = Codec(network.match)
    body = b"whatever a later version says"
    packet = b"FXP" + bytes([VERSION + 1]) + codec._tag(VERSION + 1, body) + body
    session.receive(packet, network.now_ms)
    assert session.end is not None
    assert session.end.reason is Reason.REFUSED
    assert f"field protocol: {VERSION} here, {VERSION + 1} there" in session.end.text


def test_a_spectator_with_other_settings_is_refused_and_the_match_goes_on():
    network = Network(match(2, frames=150, spectators=1))
    network.start_all()
    network.run(800)
    network.start(2, semantics=b"another")
    played(network)
    assert ends(network) == {0: Reason.COMPLETED, 1: Reason.COMPLETED, 2: Reason.REFUSED}


@pytest.mark.parametrize("changes", [{"id": 1}, {"key": b"secret"}])
def test_packets_of_another_match_or_without_its_key_are_not_read(changes: dict[str, Any]):
    network = Network(match(2), timing=Timing(connect_ms=2000))
    network.start(0)
    network.match = replace(network.match, **changes)
    network.start(1)
    played(network)
    for peer in network.peers.values():
        assert peer.session.end is not None
        assert peer.session.end.reason is Reason.SILENT
        assert (peer.session.received, peer.session.refused > 0) == (0, True)
        assert "packets were refused: the tag is wrong" in peer.session.end.text


def test_a_match_with_a_key_is_played():
    network = Network(match(2, key=b"secret", id=7), 1, STORM)
    network.start_all()
    completed(network)


# Inputs.


def test_an_input_that_the_simulation_refuses_is_an_error_and_changes_nothing():
    network = Network(match(2))
    network.start_all()
    network.run(500)
    session = network.peers[0].session
    before = session.frame, session.confirmed, len(session._seats.streams[0])
    for bad in (5, -1, (1, 2), 2**63):
        with pytest.raises(ValueError, match="input of player 0"):
            session.advance(bad, network.now_ms)
    for bad in (1.0, True, None, "1"):
        with pytest.raises(TypeError, match="input of player 0"):
            session.advance(bad, network.now_ms)  # type: ignore[arg-type]
    assert (session.frame, session.confirmed, len(session._seats.streams[0])) == before


def test_a_player_whose_inputs_the_others_refuse_ends_the_match_and_the_reason_is_told():
    class Lax(Bumpers):
        def check_input(self, _player: int, value: Input) -> None:
            """Anything goes."""

        def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
            return super().step([int(value) % 5 for value in inputs])  # type: ignore[arg-type]

    network = Network(match(2, frames=None), timing=Timing(silence_ms=2000))
    network.start(0)
    network.start(1, simulation=Lax(5, 2)).play = lambda: 9
    played(network)
    end = network.peers[0].session.end
    assert end is not None
    assert (end.reason, end.peer) == (Reason.SILENT, 1)
    assert "input of player 1: must be 0..4, not 9" in end.text


# Pacing.


def test_a_peer_that_runs_ahead_is_told_so():
    network = Network(match(2, prediction_max=8, frames=None))
    network.start_all()
    network.run(1500)
    assert abs(network.peers[0].session.frames_ahead(network.now_ms)) <= 2
    network.crash(1)
    network.run(200)
    assert network.peers[0].session.frames_ahead(network.now_ms) <= 8
    network.run(300)
    # Its partner stands still, as far as it knows: time passes there, frames do not.
    assert network.peers[0].session.waiting_for() == [1]


def test_the_round_trip_is_measured():
    network = Network(match(2, frames=None), 0, Weather(delay_ms=35))
    network.start_all()
    network.run(2000)
    for me, other in ((0, 1), (1, 0)):
        rtt = network.peers[me].session.rtt_ms(other)
        assert rtt is not None
        assert 70 <= rtt <= 70 + 2


# Settings.


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"players": 0}, "players"),
        ({"players": 9}, "players"),
        ({"prediction_max": 33}, "prediction_max"),
        ({"input_delay": 17}, "input_delay"),
        ({"frames": 0}, "frames"),
        ({"vacant": {0}}, "vacant seat"),
        ({"vacant": {2}}, "vacant seat"),
        ({"spectators": 33}, "spectators"),
        ({"seed": -1}, "seed"),
        ({"id": 2**64}, "id"),
        ({"key": b"k" * 65}, "key"),
        ({"simulation": ""}, "simulation"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(changes: dict[str, Any], name: str):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        Match(**{"simulation": "bumpers", "seed": 5, "players": 2, **changes})


def test_a_session_is_refused_what_does_not_fit_its_match():
    made: dict[str, Any] = {"instance": 1, "now_ms": 0, "semantics": SEMANTICS}
    lockstep, rollback = match(2, prediction_max=0, spectators=1), match(2, prediction_max=8)
    with pytest.raises(ValueError, match="prediction_max of 1 or more"):
        RollbackSession(lockstep, Bumpers(5, 2), 0, **made)
    with pytest.raises(ValueError, match="prediction_max 0"):
        LockstepSession(rollback, Bumpers(5, 2), 0, **made)
    with pytest.raises(ValueError, match="numbered from 2 on"):
        SpectatorSession(lockstep, Bumpers(5, 2), 1, **made)
    with pytest.raises(ValueError, match=r"numbered 0\.\.1"):
        LockstepSession(lockstep, Bumpers(5, 2), 2, **made)
    with pytest.raises(ValueError, match=r"me must be 0\.\.1"):
        Session(rollback, Bumpers(5, 2), 2, **made)
    with pytest.raises(ValueError, match="the simulation 3"):
        Session(rollback, Bumpers(5, 3), 0, **made)
    with pytest.raises(ValueError, match="the match plays 'other'"):
        Session(replace(rollback, simulation="other"), Bumpers(5, 2), 0, **made)
    stepped = Bumpers(5, 2)
    stepped.step([0, 0])
    with pytest.raises(ValueError, match="must be at frame 0, not 1"):
        Session(rollback, stepped, 0, **made)

"""Sessions over a network in virtual time: they agree, they end, and they say why."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import msgspec
import pytest
from bumpers import Bumpers
from hypothesis import given
from hypothesis import strategies as st
from network import (
    KERNEL,
    TICK_MS,
    Network,
    Peer,
    Weather,
    Witness,
    nonce_of,
    packet_of,
)
from refusals import Refused, refusals
from simulator import check_memory
from strategies import examples, rounds
from tools import by_default, each

from fixsync import Contact, Event, EventKind, Pacer
from fixsync.match.sim import Input, hash_of
from fixsync.session import (
    Confirmed,
    LockstepSession,
    Match,
    Phase,
    Predicted,
    Reason,
    RollbackSession,
    Session,
    SpectatorSession,
    TakenBack,
    Timing,
)
from fixsync.session.packets import NOBODY, VERSION, Hello, Piece, Update
from fixsync.session.remote import Remote

STORM = Weather(loss=30, delay_ms=20, jitter_ms=40, duplication=10, damage=5)
rollback_first = pytest.mark.parametrize("prediction_max", by_default(1, [8, 0]))
"""Both, where the way has no part in what is tested."""


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


def check_end(network: Network, me: int, reason: Reason, about: int, text: str = "") -> None:
    end = network.end_of(me)
    assert (end.reason, end.peer) == (reason, about)
    assert text in end.text


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


@rollback_first
def test_the_clock_may_begin_at_any_number(prediction_max: int):
    found = []
    for begin_ms in (0, -(10**9), -5, 2**70):
        # Undamaged: packets are a byte longer or shorter with the time that they carry.
        weather = replace(STORM, damage=0, silent_until_ms=begin_ms)
        network = Network(match(3, prediction_max=prediction_max), 1, weather)
        network.now_ms = begin_ms
        completed(network.start_all())
        stats = [peer.session.stats(network.now_ms) for peer in network.peers.values()]
        found.append([(one.rollbacks, one.resteps, one.waits) for one in stats])
    assert found[1:] == found[:1] * 3


def test_no_more_frames_are_guessed_than_the_match_allows():
    network = Network(match(3, prediction_max=3), 1, STORM).start_all()
    deepest = 0
    while not network.is_over:
        network.tick()
        for peer in network.peers.values():
            deepest = max(deepest, peer.session.frame - peer.session.confirmed)
    assert deepest == 3


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
            Witness().hear_all(wrong)
    for right in (
        [Predicted(0, (event,)), final],
        [Predicted(0, (event,)), TakenBack(0, (event,)), final],
    ):
        Witness().hear_all(right)


def test_a_match_of_one_plays_by_itself():
    completed(Network(match(1)).start_all())


def test_inputs_of_several_numbers_arrive_as_they_were_given():
    class Wide(Bumpers):
        def check_input(self, _player: int, value: Input) -> None:
            if not isinstance(value, tuple) or len(value) != 16:
                raise ValueError(f"must be 16 integers, not {value}")

        idle = (0,) * 16

        def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
            return super().step([value[0] % 5 for value in inputs])  # type: ignore[index]

    # At 147 bytes an input, few fit a packet.
    network = Network(match(3, prediction_max=8, frames=40), 1, STORM, simulation=Wide).start_all()
    for peer in network.peers.values():
        play = peer.play
        peer.play = lambda play=play: (play(), -(2**63), *range(2**40, 2**40 + 14))  # type: ignore[misc, return-value]
    completed(network)
    assert network.peers[0].witness.inputs[39][2][1:3] == (-(2**63), 2**40)


# Coming late, watching, coming back.


@pytest.mark.parametrize(
    ("who", "prediction_max"), by_default(1, [(0, 8), (2, 8), (2, 0)], are_rows=True)
)
def test_a_player_or_host_who_falls_over_comes_back_and_goes_on_identically(
    who: int, prediction_max: int
):
    network = Network(match(3, prediction_max=prediction_max, frames=250), 3, STORM).start_all()
    network.run(1500)
    back = network.restart(who, 700).witness
    completed(network)
    assert back.joined_at > 0
    assert back.next_frame == 250


def test_a_player_who_comes_back_before_it_hears_the_host_does_not_end_the_match():
    """A player's snapshot can come before the host's first packet."""
    network = Network(match(3, frames=200), 4).start_all()
    network.run(1000)
    back = network.restart(2, 100)
    host = network.session(0)
    sent = host.outgoing
    host.outgoing = lambda now_ms: [
        (to, it) for to, it in sent(now_ms) if to != 2 or back.is_running
    ]
    completed(network)
    assert back.witness.joined_at > 0


@rollback_first
def test_a_host_that_restarts_comes_back_by_the_player_who_was_seated_late(prediction_max: int):
    # By its settings alone it needs nobody, and could begin at frame 0.
    late = match(2, prediction_max=prediction_max, frames=400, empty_seats=frozenset({1}))
    network = Network(late, 4, STORM).start_all(1)
    assert network.run(4000, lambda: network.session(1).is_playing)
    network.run(500)
    network.restart(0, 700)
    completed(network)
    assert network.peers[0].witness.joined_at > 0


@pytest.mark.parametrize(("players", "witness"), [(3, 2), (2, 2), (2, 1)])
def test_a_host_that_restarts_while_a_seat_is_empty_is_refused(players: int, witness: int):
    # The one who refuses it is a player, a spectator, or a player who has no seat yet.
    late = match(players, frames=900, empty_seats=frozenset({1}), spectators=1)
    network = Network(late, 4).start_all()
    if witness not in network.peers:
        network.start(witness)
    network.run(1500, lambda: witness == 1 and network.session(1).phase is Phase.RUNNING)
    assert network.session(witness).phase is Phase.RUNNING
    assert network.session(witness).is_playing == (witness == 2 and players == 3)
    network.restart(0, 700)
    played(network).check_agreement()
    check_end(network, 0, Reason.JOIN_FAILED, 0, "the host cannot come back while a seat is empty")
    assert network.end_of(0).frame == 0


def test_a_host_that_restarts_after_the_match_does_not_begin_it_again():
    # What a search found: the late player, still lingering, is not needed for a beginning.
    network = Network(match(2, frames=300, empty_seats=frozenset({1})), 4).start_all(1)
    assert network.run(20_000, lambda: network.session(0).end is not None)
    network.restart(0, 50)
    played(network)
    assert ends(network) == {0: Reason.JOIN_FAILED, 1: Reason.COMPLETED}
    assert network.session(0).frame == 0


@pytest.mark.parametrize(("start_number", "pause_ms"), [(1, 0), (2, 5000)])
def test_a_host_that_nobody_has_to_join_begins_when_no_earlier_match_can_be_left(
    start_number: int, pause_ms: int
):
    network = Network(match(2, frames=30, empty_seats=frozenset({1})))
    network.lives = start_number - 1
    session = network.start(0).session
    network.run(20_000, lambda: session.frame > 0)
    assert pause_ms <= network.now_ms <= pause_ms + 100
    completed(network)


def test_a_match_is_not_complete_before_a_player_who_came_back_has_said_that_it_has_it():
    network = Network(match(2, frames=100)).start_all()
    assert network.run(9000, lambda: network.session(0).confirmed >= 97)
    network.crash(1)
    network.run(200)
    assert network.session(0).confirmed < 100 or network.session(0).end is None
    network.start(1)
    completed(network)


@rollback_first
def test_late_players_take_the_seats_that_were_kept_for_them(prediction_max: int):
    late = match(4, prediction_max=prediction_max, frames=300, empty_seats=frozenset({2, 3}))
    network = Network(late, 5, STORM).start_all()
    network.run(1000)
    network.start(3)
    network.run(1500)
    network.start(2)
    completed(network)
    seats = network.session(0).seats
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


@rollback_first
def test_spectators_see_every_frame_from_where_they_came_in(prediction_max: int):
    network = Network(
        match(2, prediction_max=prediction_max, frames=250, spectators=2), 6, STORM
    ).start_all(2)
    network.run(1800)
    network.start(3)
    completed(network)
    assert [network.peers[watcher].witness.next_frame for watcher in (2, 3)] == [250, 250]
    assert network.peers[3].witness.joined_at > 0


@pytest.mark.parametrize("age_ms", by_default(1, [22_000, 4000, 6000, 1_200_000]))
@pytest.mark.parametrize("delay_ms", [20, 300])
def test_a_match_of_any_age_is_joined_by_a_player_and_a_spectator_at_once(
    age_ms: int, delay_ms: int
):
    late = match(2, frames=None, empty_seats=frozenset({1}), spectators=1)
    network = Network(late, 1, Weather(delay_ms=delay_ms)).start_all()
    network.run(500)
    network.coast(age_ms)
    for me in (1, 2):
        network.start(me)
    player, watcher = network.session(1), network.session(2)
    assert network.run(8000, lambda: player.is_playing and watcher.confirmed > player.seats[1])
    network.coast(age_ms)
    assert [peer.session.end for peer in network.peers.values()] == [None] * 3
    network.restart(2, 2000)
    assert network.run(3000, lambda: network.session(2).phase is Phase.RUNNING)
    network.check_agreement()


def test_a_spectator_watches_for_longer_than_it_may_be_behind(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fixsync.session.remote._BACKLOG_FRAMES_MAX", 100)
    network = Network(match(2, frames=400, spectators=1), 3, Weather(loss=5)).start_all(2)
    completed(network)
    assert network.peers[2].witness.next_frame == 400


def test_a_spectator_does_not_complete_before_a_player_who_came_back_has_its_snapshot():
    # What a search found: a snapshot on its way counted as loaded.
    settings = match(2, prediction_max=8, frames=100, spectators=1)
    network = Network(settings).start_all(2)
    host, watcher = network.session(0), network.session(2)
    assert network.run(9000, lambda: host.confirmed >= 95)
    sent, lost = host.outgoing, [object]
    host.outgoing = lambda now_ms: [
        (to, it)
        for to, it in sent(now_ms)
        if to != 1 or not isinstance(packet_of(it).message, tuple(lost))
    ]
    assert network.run(500, lambda: host.confirmed == 100)
    network.crash(1)
    assert network.session(1).confirmed < 100
    lost[:] = [Piece]
    back = network.start(1).session
    network.run(500)
    assert back.phase is Phase.JOINING
    assert host.end is None
    assert watcher.end is None
    lost.clear()
    completed(network)


def test_a_spectator_who_needs_more_than_a_host_that_came_back_has_is_let_go():
    network = Network(match(2, prediction_max=8, frames=400, spectators=1), 4).start_all(2)
    network.run(1500)
    network.peers[2].due_ms += 1500  # It hangs, so it is far behind.
    network.run(1000)
    network.restart(0, 100)
    played(network).check_agreement()
    assert ends(network) == {0: Reason.COMPLETED, 1: Reason.COMPLETED, 2: Reason.JOIN_FAILED}
    assert "the host came back at frame " in network.end_of(2).text


class Quiet(Network):
    """Packets from peer 0 to peer 2 are lost, as long as a test says so."""

    is_quiet = False

    def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
        if not (self.is_quiet and (sender.me, receiver) == (0, 2)):
            super().dispatch(sender, receiver, data)


def test_a_spectator_who_left_and_came_again_is_waited_for_at_the_end():
    network = Quiet(match(2, frames=None, spectators=1)).start_all(2)
    network.run(1000)
    network.session(2).leave(network.now_ms)
    network.run(500)
    network.start(2)
    network.run(1000)
    network.is_quiet = True
    network.session(1).leave(network.now_ms)
    network.run(500)
    network.is_quiet = False
    played(network)
    assert ends(network) == {0: Reason.LEFT, 1: Reason.LEFT, 2: Reason.LEFT}


def test_a_spectator_who_leaves_or_falls_silent_ends_the_match_for_nobody():
    network = Network(
        match(2, frames=500, spectators=2), 6, timing=Timing(silence_ms=1000)
    ).start_all(2, 3)
    network.run(1500)
    network.session(2).leave(network.now_ms)
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
    network = Network(match(3, frames=200, spectators=1), 1).start_all()
    network.run(2000)
    assert any(network.session(0).simulation.met), "the state has something to forget"  # type: ignore[attr-defined]
    network.start(3, simulation=simulation(5, 3))
    played(network)
    check_end(network, 3, Reason.JOIN_FAILED, 0, said)
    assert ends(network)[0] == ends(network)[1] == Reason.COMPLETED


def test_a_snapshot_of_a_world_at_another_frame_is_refused():
    class Skipping(Bumpers):
        def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
            return [] if self.world.frame == 20 else super().step(inputs)

    # All players skip the same frame: they agree, but the match's frames are not the world's any
    # more.
    network = Network(match(2, frames=200, spectators=1), simulation=Skipping).start_all()
    network.run(1500)
    network.start(2)
    played(network)
    check_end(network, 2, Reason.JOIN_FAILED, 0, "a world at frame ")


# Ends.


@rollback_first
def test_a_player_who_falls_silent_ends_the_match_for_all(prediction_max: int):
    network = Network(match(3, prediction_max=prediction_max, frames=None), 1, STORM).start_all()
    network.run(2000)
    network.crash(1)
    stopped = network.now_ms
    played(network)
    for me in (0, 2):
        check_end(network, me, Reason.SILENT, 1, "nothing from peer 1 for 5000 ms")
    assert network.now_ms <= stopped + 5000 + 2 * 1500 + 1000
    network.check_agreement()


class Cut(Network):
    """Nothing gets from some peers to others, from a time on."""

    cut: tuple[tuple[int, int], ...] = ()
    cut_ms = 2000

    def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
        if (sender.me, receiver) not in self.cut or self.now_ms < self.cut_ms:
            super().dispatch(sender, receiver, data)


@rollback_first
def test_who_says_that_a_player_is_silent_is_named_and_those_who_hear_it_say_so(
    prediction_max: int,
):
    network = Cut(match(4, prediction_max=prediction_max, frames=None))
    network.cut = ((1, 2),)
    network.start_all()
    played(network)
    said = "nothing from peer 1 for 5000 ms"
    for me in range(4):
        check_end(network, me, Reason.SILENT, 1, said)
        assert network.end_of(me).reported_by == 2
        assert network.end_of(me).text.startswith("" if me == 2 else f"peer 2 reports: {said}; ")
    assert network.end_of(2).text == said
    assert network.end_of(1).text.endswith("; peer 1 is here")
    for me in (0, 3):
        found = re.search(rf"; peer {me} heard it (\d+) ms ago$", network.end_of(me).text)
        assert found is not None
        assert int(found[1]) < 100


def test_an_end_that_is_passed_on_names_everybody_who_passed_it_on():
    network = Cut(match(4, frames=None))
    network.cut = ((2, 3), (1, 3))
    network.start_all().run(2000)
    network.session(2)._ending.end(Reason.SILENT, 1, "nothing from peer 1", network.now_ms)
    played(network)
    assert network.end_of(3).reported_by == 0
    said = "peer 0 reports: peer 2 reports: nothing from peer 1; "
    said += r"peer 0 heard it \d+ ms ago; peer 3 heard it \d+ ms ago"
    assert re.fullmatch(said, network.end_of(3).text)


@pytest.mark.parametrize("reason", by_default(1, [Reason.SILENT, Reason.STALLED, Reason.LEFT]))
def test_a_peer_that_blames_another_one_is_named(reason: Reason):
    network = Network(match(4, frames=None)).start_all()
    network.run(2000)
    network.session(2)._ending.end(reason, 1, "nothing came from peer 1", network.now_ms)
    played(network)
    for me in (0, 1, 3):
        check_end(network, me, reason, 1, "peer 2 reports: nothing came from peer 1")
        assert network.end_of(me).reported_by == 2
        assert ("heard it" in network.end_of(me).text) == (reason is Reason.SILENT and me != 1)


class Clocks(Network):
    """Each peer has a clock of its own."""

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self.ahead_ms: dict[int, int] = {}

    def advance(self, peer: Peer) -> None:
        now_ms, self.now_ms = self.now_ms, self.now_ms + self.ahead_ms.get(peer.me, 0)
        notices = peer.session.advance(peer.play(), self.now_ms)
        packets = peer.session.outgoing(self.now_ms)
        self.now_ms = now_ms
        peer.witness.hear_all(notices)
        for receiver, data in packets:
            self.dispatch(peer, receiver, data)

    def deliver(self, receiver: int, data: bytes, source: int | None) -> None:
        ahead_ms = self.ahead_ms.get(receiver, 0)
        self.now_ms += ahead_ms
        super().deliver(receiver, data, source)
        self.now_ms -= ahead_ms


@rollback_first
@pytest.mark.parametrize(
    "leap_ms", by_default(1, [-5001, 5001, 900, 4999, 21_000, 2**32 + 5, -(2**40)])
)
def test_a_clock_that_leaps_ends_no_match(prediction_max: int, leap_ms: int):
    network = Clocks(match(3, prediction_max=prediction_max, frames=400, spectators=1), 2)
    network.start_all(3).run(2000)
    network.ahead_ms = {1: leap_ms}
    network.run(1000)
    network.ahead_ms = {1: leap_ms, 0: leap_ms}
    completed(network)


@rollback_first
def test_a_peer_whose_program_stood_still_blames_itself(prediction_max: int):
    network = Network(match(3, prediction_max=prediction_max, frames=None)).start_all()
    network.run(2000)
    network.crash(1)
    network.run(10_000)
    network.peers[1].is_up = True  # Those who waited are gone, and so are their packets.
    played(network)
    for me in (0, 2):
        check_end(network, me, Reason.SILENT, 1)
    said = r"^peer 1 was not run for 100\d\d ms, or its clock leapt; then nothing from peer [02] "
    check_end(network, 1, Reason.SILENT, 1)
    assert re.search(said, network.end_of(1).text)


def test_a_player_who_never_comes_ends_the_match_for_all():
    network = Network(match(3), timing=Timing(connect_ms=3000))
    network.start(0)
    network.start(1)
    played(network)
    for me in (0, 1):
        check_end(network, me, Reason.SILENT, 2, "no answer from peer 2 within 3000 ms")


def test_a_player_who_is_heard_but_does_not_play_ends_the_match():
    network = Network(
        match(2, prediction_max=8, frames=None), timing=Timing(stall_ms=2000)
    ).start_all()
    network.run(1000)
    session = network.session(1)
    network.crash(1)
    # Its process goes on answering while its game hangs.
    for _ in range(5000):
        network.tick()
        if network.now_ms % TICK_MS == 0:
            for receiver, data in session.outgoing(network.now_ms):
                network.send(receiver, data)
    check_end(network, 0, Reason.STALLED, 1, "held the match up")


def test_a_player_who_leaves_ends_the_match_for_all():
    network = Network(match(3, frames=None), 1, STORM).start_all()
    network.run(1500)
    network.session(2).leave(network.now_ms)
    played(network)
    for me in range(3):
        check_end(network, me, Reason.LEFT, 2)


def test_an_ended_session_plays_no_more():
    network = Network(match(2, frames=None)).start_all()
    network.run(1500)
    session = network.session(0)
    session.leave(network.now_ms)
    frame = session.frame
    assert session.advance(1, network.now_ms + 1) == []
    assert (session.frame, session.phase) == (frame, Phase.ENDED)


# The handshake.


@each(
    ("field", "value"),
    [
        ("seed", 6),
        ("players", 4),
        ("prediction_max", 7),
        ("input_delay", 3),
        ("input_delay_max", 3),
        ("frames", 61),
        ("tick_rate", 30),
        ("tick_rate", (60_000, 1001)),
        ("empty_seats", frozenset({2})),
        ("simulation", "others"),
        ("kernel", b"another"),
    ],
)
def test_peers_with_different_settings_refuse_each_other_and_name_the_setting(
    field: str, value: Any
):
    network = Network(match(3, prediction_max=8))
    network.start(0)
    if field == "kernel":
        network.start(1, kernel=value)
    else:
        network.match = replace(network.match, **{field: value})
        network.simulation = type("Other", (Bumpers,), {"name": network.match.simulation})
        network.start(1)
    played(network)
    for me in (0, 1):
        end = network.end_of(me)
        assert end.reason is Reason.REFUSED
        assert f"field {field}: " in end.text
        if field == "kernel":
            assert f"{KERNEL.hex()} on peer 0, {value.hex()} on peer 1" in end.text
        assert network.session(me).frame == 0


@pytest.mark.parametrize(
    ("ours", "theirs", "is_same"),
    [
        (b"frames", b"frames", True),
        ("caf\u00e9", "caf\u00e9".encode(), True),
        (None, None, True),
        (b"frames", b"Frames", False),
        (b"frames", None, False),
        (None, b"", False),
    ],
)
def test_peers_with_other_data_refuse_each_other_and_name_both_digests(
    ours: Any, theirs: Any, is_same: bool
):
    network = Network(match(2, frames=20))
    for me, data in enumerate((ours, theirs)):
        network.simulation = type("Stocked", (Bumpers,), {"data": data})
        network.start(me)
    played(network)
    if is_same:
        assert ends(network) == {0: Reason.COMPLETED, 1: Reason.COMPLETED}
        return
    reported = ["none" if data is None else f"{hash_of(data):016x}" for data in (ours, theirs)]
    for me in (0, 1):
        check_end(network, me, Reason.REFUSED, 1 - me, "refuses peer")
        assert (
            f"field data: {reported[0]} on peer 0, {reported[1]} on peer 1"
            in network.end_of(me).text
        )
        assert network.session(me).frame == 0


@pytest.mark.parametrize("players", [2, 3])
def test_a_host_with_a_empty_seat_and_its_player_without_refuse_each_other(players: int):
    network = Network(match(players, frames=None, empty_seats=frozenset({players - 1})))
    network.start(0)
    network.run(500)
    network.match = match(players, frames=None)
    for me in range(1, players):
        network.start(me)
    played(network)
    for me in (0, 1):
        end = network.end_of(me)
        assert end.reason is Reason.REFUSED
        assert f"field empty_seats: [{players - 1}] on peer 0, [] on peer 1" in end.text


def test_a_player_who_takes_its_seat_for_a_taken_one_ends_no_match_of_others():
    network = Network(match(3, frames=200, empty_seats=frozenset({2}))).start_all()
    network.run(500)
    network.match = replace(network.match, empty_seats=frozenset())
    network.start(2)
    played(network)
    assert ends(network) == {0: Reason.COMPLETED, 1: Reason.COMPLETED, 2: Reason.REFUSED}


def test_a_peer_of_another_protocol_version_is_refused():
    network = Network(match(2))
    session = network.start(0).session
    network.start(1)
    network.run(10)
    codec = session._local.codec
    for heard, ended in ((NOBODY, False), (nonce_of(7), False), (codec.nonce, True)):
        body = struct.pack(">QQ", 1, 1) + nonce_of(8) + heard + b"whatever a later version says"
        keyed = codec._keyed(1, 0, version=VERSION + 1)
        keyed.update(body)
        packet = b"FXP" + bytes([VERSION + 1, 128 + 1]) + keyed.digest() + body
        session.receive(packet, network.now_ms)
        assert (session.end is not None) == ended
        answers = [packet_of(data) for data in session.answers(network.now_ms)]
        assert [answer.heard for answer in answers] == [nonce_of(8)]
    reported = f"field protocol: {VERSION} on peer 0, {VERSION + 1} on peer 1"
    check_end(network, 0, Reason.REFUSED, 1, reported)


def test_a_refusal_lists_every_setting_that_differs():
    network = Network(match(2))
    network.start(0)
    network.match = replace(network.match, seed=7, frames=99)
    network.start(1)
    played(network)
    for me in (0, 1):
        text = network.end_of(me).text
        names = [part.split(":")[0] for part in text.split("field ")[1:]]
        assert names == ["seed", "frames"]


def test_a_refusal_by_a_running_match_arrives_however_long_the_settings_are():
    long = "n" * 200
    settings = replace(match(2, frames=150, spectators=1), simulation=long)
    kind = type("Long", (Bumpers,), {"name": long})
    network = Network(settings, simulation=kind).start_all()
    network.run(800)
    network.match = replace(settings, simulation="m" * 200)
    network.simulation = type("Other", (Bumpers,), {"name": "m" * 200})
    network.start(2)
    assert network.run(1000, lambda: network.session(2).end is not None)
    check_end(network, 2, Reason.REFUSED, 2, "peer 0 refuses peer 2: field simulation: nnn")


@pytest.mark.parametrize("changes", [{"id": 1}, {"key": b"secret"}])
def test_packets_of_another_match_or_without_its_key_are_not_read(changes: dict[str, Any]):
    network = Network(match(2), timing=Timing(connect_ms=2000))
    network.start(0)
    network.match = replace(network.match, **changes)
    network.start(1)
    played(network)
    for me in (0, 1):
        check_end(network, me, Reason.SILENT, 1 - me, "packets were refused: the tag is wrong")
        assert (network.session(me).received, network.session(me).refused > 0) == (0, True)


# Inputs.


def test_an_input_that_the_simulation_refuses_is_an_error_and_changes_nothing():
    network = Network(match(2)).start_all()
    network.run(500)
    session = network.session(0)
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
    check_end(network, 0, Reason.SILENT, 1, "input of player 1: must be 0..4, not 9")


# A game that raises.


class Raising(Bumpers):
    """Raises in the middle of one call of one of its methods."""

    method, call = "", 0

    def _count(self, method: str) -> None:
        if method == self.method:
            self.call -= 1
            if self.call == 0:
                raise ZeroDivisionError(f"in {method}")

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        events = super().step(inputs)
        self.met[0] += 1000
        self._count("step")
        self.met[0] -= 1000
        return events

    def save(self) -> bytes:
        self._count("save")
        return super().save()

    def load(self, data: bytes) -> None:
        self.world.load(data[8 + 4 * self.players :])
        self._count("load")
        super().load(data)

    def check_input(self, player: int, value: Input) -> None:
        self._count("check_input")
        super().check_input(player, value)

    @property
    def is_over(self) -> bool:
        self._count("is_over")
        return False


class Catching(Network):
    """A loop that catches what a game raises, and goes on."""

    raised = 0

    def advance(self, peer: Peer) -> None:
        try:
            super().advance(peer)
        except ZeroDivisionError:
            self.raised += 1
            for receiver, data in peer.session.outgoing(self.now_ms):
                self.dispatch(peer, receiver, data)


@pytest.mark.parametrize("method", ["step", "save", "load", "check_input", "is_over"])
@rollback_first
def test_a_game_that_raises_once_loses_no_frame_and_no_notice(prediction_max: int, method: str):
    if method == "load" and not prediction_max:
        return  # Lockstep loads nothing.
    for seed in rounds(4):
        settings = match(2, prediction_max=prediction_max, input_delay=1, frames=100, seed=seed)
        network = Catching(settings, seed, Weather(delay_ms=50, jitter_ms=30, loss=5))
        game = Raising(seed, 2)
        game.method = method
        game.call = 1 + seed if method == "load" else 3 + 7 * seed
        network.start(0)
        network.start(1, simulation=game)
        completed(network)
        # An exception of check_input for another player's input refuses a packet, no more.
        assert network.raised == 1 or method == "check_input"
        assert game.call <= 0
        assert [len(peer.witness.hashes) for peer in network.peers.values()] == [100, 100]


def test_a_game_that_cannot_load_its_state_after_it_raised_goes_on_when_it_can():
    class Twice(Raising):
        def load(self, data: bytes) -> None:
            if self.method == "step" and self.call <= 0:
                self.method = ""
                raise ZeroDivisionError("in load")
            super().load(data)

    network = Catching(match(2, frames=60), 1, Weather(delay_ms=30))
    game = Twice(5, 2)
    game.method, game.call = "step", 30
    network.start(0)
    network.start(1, simulation=game)
    completed(network)
    assert (network.raised, game.method) == (1, "")


# Pacing.


class Paced(Network):
    """Peers step when their pacers say so. The clock of peer 0 runs a hundredth too fast."""

    follow = True

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.pacers = [Pacer(self.match.tick_rate) for _ in range(self.match.players)]

    def advance(self, peer: Peer) -> None:
        session = peer.session
        now_ns = self.now_ms * (1_010_000 if peer.me == 0 else 1_000_000)
        slow = self.follow and session.is_ahead(self.now_ms)
        for _ in range(self.pacers[peer.me].due(now_ns, slow=slow)):
            super().advance(peer)
        peer.due_ms = self.now_ms + 1


@pytest.mark.full
def test_a_pacer_that_follows_the_advice_of_its_session_makes_half_the_resteps():
    resteps = {}
    for follow in (True, False):
        weather = Weather(delay_ms=50, jitter_ms=10, loss=1)
        settings = {"prediction_max": 8, "frames": 900, "tick_rate": (60_000, 1001)}
        network = Paced(match(2, **settings), 1, weather)
        network.follow = follow
        network.start_all()
        completed(network)
        resteps[follow] = network.session(0).resteps
    assert resteps[True] * 2 < resteps[False]


def test_a_match_runs_at_a_fraction_of_frames_a_second():
    found = match(2, tick_rate=(120_000, 2002), prediction_max=8)
    assert found.tick_rate == (60_000, 1001)
    assert match(tick_rate=(60, 1)) == match(tick_rate=60)
    network = Paced(found, 2).start_all()
    completed(network)


def test_a_peer_that_runs_ahead_is_told_so():
    network = Network(match(2, prediction_max=8, frames=None)).start_all()
    network.run(1500)
    assert abs(network.session(0).frames_ahead(network.now_ms)) <= 2
    network.crash(1)
    network.run(200)
    assert network.session(0).frames_ahead(network.now_ms) <= 8
    network.run(300)
    # Its partner stands still, as far as it knows: time passes there, frames do not.
    assert network.session(0).waiting_for() == [1]


def test_a_made_up_round_trip_lengthens_no_wait(monkeypatch: pytest.MonkeyPatch):
    """A peer that echoes a time of long ago seems far away, and whoever is far may take long."""
    take = Remote._take_times

    def lie(remote: Remote, update: Update, now_ms: int) -> None:
        take(remote, update, now_ms)
        if remote.local.me == 2:
            remote.echo = (update.sent_ms - 50_000) & 0xFFFFFFFF, now_ms

    def lie_at_first(remote: Remote, *reported: Any) -> Hello:
        made = hello(remote, *reported)
        lied = (made.echo_ms - 50_000) & 0xFFFFFFFF
        return msgspec.structs.replace(made, echo_ms=lied) if remote.local.me == 2 else made

    hello = Remote.hello
    monkeypatch.setattr(Remote, "hello", lie_at_first)
    monkeypatch.setattr(Remote, "_take_times", lie)
    network = Network(
        match(3, prediction_max=8, frames=None, empty_seats=frozenset({2}))
    ).start_all()
    network.run(500)
    late = network.start(2).session
    assert network.run(6000, lambda: late.end is not None)
    check_end(network, 2, Reason.JOIN_FAILED, 2, "player 2 did not take its seat in 25")
    assert network.session(0).rtt_ms(2) is None
    assert network.session(0).frame > 150


@pytest.mark.parametrize("made", [bytes, bytearray, memoryview])
def test_a_packet_is_any_buffer(made: Callable[[bytes], Any]):
    sender, receiver = (Network(match(2)).start(me).session for me in (0, 1))
    ((to, data),) = sender.outgoing(1)
    assert (to, receiver.receive(made(data), 1), receiver.received) == (1, None, 1)
    assert receiver.receive(made(data[:-1]), 1) is None
    for wrong in (None, "packet", 7):
        with pytest.raises(TypeError, match=r"^data must be bytes or another buffer, not "):
            receiver.receive(wrong, 1)  # type: ignore[arg-type]
    assert receiver.refused == 1


def test_statistics_name_the_round_trip_loss_and_what_is_waited_for():
    network = Network(match(2, prediction_max=8, frames=None), 3, Weather(10, delay_ms=35))
    network.start_all()
    network.run(6000)
    stats = network.session(0).stats(network.now_ms)
    (peer,) = stats.peers
    assert peer.peer == 1
    assert peer.rtt_ms is not None
    assert 70 <= peer.rtt_ms <= 80
    assert 5 <= peer.loss_percent <= 16
    assert 2000 < peer.bytes_in < 15_000
    assert 2000 < peer.bytes_out < 15_000
    assert stats.frames_covered == 10
    assert 5 <= stats.frames_needed <= 8, "3 for the way, 1 for the loops, and those lost in a row"
    assert not stats.is_slowed
    assert stats.waiting_for == ()
    network.crash(1)
    network.run(2500)
    stats = network.session(0).stats(network.now_ms)
    assert stats.waiting_for == (1,)
    assert 2200 <= stats.waiting_ms <= 2500
    assert stats.waits > 40
    assert stats.peers[0].bytes_in < 2000


def test_packets_to_a_peer_that_was_not_there_yet_are_no_loss_for_it():
    network = Network(match(3, frames=600, empty_seats=frozenset({2}))).start_all()
    network.run(2000)
    network.start(2)
    network.run(1000)
    network.restart(1, 300)
    network.run(1000)
    for me in (1, 2):
        stats = network.session(me).stats(network.now_ms)
        assert [peer.loss_percent for peer in stats.peers if peer.loss_percent > 10] == [], me


# 2 + 6 frames of 16 ms cover 100 ms; 2 + 8 cover 140 ms and a loop, and no packet lost.
SLOWED = [(6, 100, 0, False), (6, 200, 0, True), (8, 140, 0, False), (8, 140, 5, True)]


@pytest.mark.parametrize(("prediction_max", "delay_ms", "loss", "is_slowed"), SLOWED)
def test_a_match_that_cannot_keep_its_rate_says_so_on_all_peers(
    prediction_max: int, delay_ms: int, loss: int, is_slowed: bool
):
    settings = match(2, prediction_max=prediction_max, frames=None)
    network = Network(settings, 1, Weather(loss, delay_ms)).start_all()
    network.run(8000)
    for me in (0, 1):
        stats = network.session(me).stats(network.now_ms)
        assert stats.is_slowed == is_slowed
        assert (stats.waits > 4) == is_slowed


def test_inputs_that_cannot_be_carried_are_refused_with_the_figure():
    class Wide(Bumpers):
        idle = (0,) * 16

    settings = match(8, tick_rate=7000)
    made: dict[str, Any] = {
        "start_number": 1,
        "nonce": nonce_of(1),
        "now_ms": 0,
        "kernel": KERNEL,
    }
    with pytest.raises(ValueError, match="takes 8568000 bytes a second for each peer, and 8496000"):
        LockstepSession(replace(settings, prediction_max=0), Wide(5, 8), 0, **made)
    LockstepSession(replace(settings, prediction_max=0, tick_rate=6000), Wide(5, 8), 0, **made)


class Large(Bumpers):
    """Its state has 300 KB."""

    def save(self) -> bytes:
        return super().save() + bytes(300_000)

    def load(self, data: bytes) -> None:
        super().load(data[:-300_000])


@pytest.mark.parametrize("me", [1, 2])
def test_who_joins_and_hears_nobody_says_so(me: int):
    settings = match(2, frames=None, spectators=1, empty_seats=frozenset({1}))
    network = Network(settings, timing=Timing(connect_ms=1000))
    network.start(me)
    assert network.run(4000, lambda: network.is_over)
    check_end(network, me, Reason.JOIN_FAILED, 0, "no answer from peer 0 within 1000 ms")


def test_a_snapshot_that_stops_says_how_much_of_it_had_arrived():
    settings = match(2, frames=None, spectators=1)
    network = Network(settings, 1, simulation=Large, timing=Timing(connect_ms=1000)).start_all()
    network.run(1000)
    session, received = network.start(2).session, 0
    receive = session.receive

    def first_packets(data: bytes, now_ms: int) -> int | None:
        nonlocal received
        received += 1
        return receive(data, now_ms) if received < 60 else None

    session.receive = first_packets  # type: ignore[method-assign]
    assert network.run(4000, lambda: session.end is not None)
    check_end(network, 2, Reason.JOIN_FAILED, 0, " bytes had arrived, and no more came for 1000 ms")
    arrived, size = session.end.text.split(": ")[1].split(" of ")  # type: ignore[union-attr]
    assert 20_000 < int(arrived) < 100_000
    assert size.startswith("300")


def test_a_snapshot_may_take_longer_than_the_time_to_connect():
    timing = Timing(connect_ms=400, silence_ms=3000)
    network = Network(
        match(2, prediction_max=8, frames=None), 1, Weather(delay_ms=60), simulation=Large
    ).start_all()
    network.run(1000)
    network.timing = timing
    back, begin = network.restart(1, 100).session, network.now_ms
    assert network.run(5000, lambda: back.phase is Phase.RUNNING)
    assert network.now_ms - begin > 400


def test_players_wait_longer_for_one_who_gets_a_large_snapshot():
    timing = Timing(stall_ms=1000, silence_ms=2000)
    settings = match(3, prediction_max=8, frames=None)
    network = Network(settings, 1, Weather(delay_ms=120), simulation=Large, timing=timing)
    network.start_all().run(1500)
    back, begin = network.restart(1, 100).session, network.now_ms
    assert network.run(5000, lambda: back.is_playing)
    assert network.now_ms - begin > 1500
    network.run(1000)
    assert ends(network) == dict.fromkeys(range(3))
    network.check_agreement()


# Settings.


@refusals("""
match(players=0) | ValueError | players must be
match(players=9) | ValueError | players must be
match(prediction_max=33) | ValueError | prediction_max must be
match(input_delay=17) | ValueError | input_delay must be
match(frames=0) | ValueError | frames must be
match(empty_seats={0}) | ValueError | empty seat must be
match(empty_seats={2}) | ValueError | empty seat must be
match(spectators=33) | ValueError | spectators must be
match(seed=-1) | ValueError | seed must be
match(id=2**64) | ValueError | id must be
match(key=b"k" * 65) | ValueError | key must be
Match("", 5, 2) | ValueError | simulation must be
match(empty_seats=1) | TypeError | empty_seats must be a set of seats, not 1
match(key="secret") | TypeError | key must be bytes, not a str
match(tick_rate=(60, 0)) | ValueError | denominator of tick_rate
match(tick_rate=0) | ValueError | tick_rate must be 1
match(tick_rate=(1, 2, 3)) | ValueError | tick_rate must be an integer or
""")
def test_settings_out_of_range_are_refused_by_name(refused: Refused):
    refused()


@pytest.mark.parametrize("name", [field.name for field in fields(Timing)])
def test_times_are_not_negative(name: str):
    assert Timing(**{name: 0}) != Timing()
    for value in (-1, 2**32):
        with pytest.raises(ValueError, match=rf"^{name} must be 0\.\.4294967295, not {value}$"):
            Timing(**{name: value})
    for wrong in (1.5, "1", None, True):
        with pytest.raises(TypeError, match=f"^{name} must be an integer"):
            Timing(**{name: wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [1.5, None, "1", True])
def test_a_time_is_an_integer(wrong: Any):
    session = Network(match(2)).start_all().session(0)
    for call in (
        lambda: session.advance(0, wrong), lambda: session.receive(b"", wrong),
        lambda: session.outgoing(wrong), lambda: session.leave(wrong),
        lambda: session.stats(wrong), lambda: session.frames_ahead(wrong),
        lambda: session.is_ahead(wrong), lambda: session.may_move(1, wrong),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=f"^now_ms must be an integer, not {wrong!r}"):
            call()


def test_a_session_is_refused_what_does_not_fit_its_match():
    made: dict[str, Any] = {
        "start_number": 1,
        "nonce": nonce_of(1),
        "now_ms": 0,
        "kernel": KERNEL,
    }
    lockstep, rollback = match(2, prediction_max=0, spectators=1), match(2, prediction_max=8)
    for kind, settings, players, me, said in (
        (RollbackSession, lockstep, 2, 0, "a LockstepSession, not a Rollback"),
        (LockstepSession, rollback, 2, 0, "it needs a RollbackSession"),
        (SpectatorSession, lockstep, 2, 1, "peer 1 is a player of a match of 2 players"),
        (LockstepSession, lockstep, 2, 2, "peer 2 is a spectator .* a SpectatorSession, not"),
        (Session, rollback, 2, 2, r"me must be 0\.\.1"),
        (Session, rollback, 3, 0, "simulation.players must be 2, not 3"),
        (Session, replace(rollback, simulation="other"), 2, 0, "simulation.name must be 'other'"),
    ):
        with pytest.raises(ValueError, match=said):
            kind(settings, Bumpers(5, players), me, **made)
    for wrong, said in (
        ({"timing": 5}, "timing must be a Timing or None, not 5"),
        ({"now_ms": 0.5}, r"now_ms must be an integer, not 0\.5"),
        ({"match": "bumpers"}, "match must be a Match, not 'bumpers'"),
        ({"simulation": Bumpers}, r"a started one, as start\(Bumpers, .*, not the class Bumpers"),
    ):
        given: dict[str, Any] = {"match": rollback, "simulation": Bumpers(5, 2), "me": 0}
        with pytest.raises(TypeError, match=said):
            Session(**{**given, **made, **wrong})
    stepped = Bumpers(5, 2)
    stepped.step([0, 0])
    with pytest.raises(ValueError, match="must be at frame 0, not 1"):
        Session(rollback, stepped, 0, **made)

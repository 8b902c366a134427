"""The inputs of sessions: delays that change during a match, and guesses of inputs that have not
come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec
import pytest
from bumpers import Bumpers
from network import Network, Peer, Weather, packet_of
from simulator import check_memory
from strategies import rounds
from tools import by_default

from fixsync import Event
from fixsync.game.random import Random
from fixsync.match.sim import Input, guess_of, start
from fixsync.session import Match, Reason
from fixsync.session.packets import Update
from fixsync.session.streams import Stream

STORM = Weather(loss=30, delay_ms=20, jitter_ms=40, duplication=10, damage=5)
rollback_first = pytest.mark.parametrize("prediction_max", by_default(1, [8, 0]))


def match(players: int = 2, **settings: Any) -> Match:
    return Match("bumpers", **{"seed": 5, "players": players, "frames": 150, **settings})


def completed(network: Network) -> Network:
    assert network.run(120_000, lambda: network.is_over)
    network.check_agreement()
    ends = {network.end_of(me).reason for me, peer in network.peers.items() if peer.is_up}
    assert ends == {Reason.COMPLETED}
    return network


# Delays that change.


@dataclass
class Given:
    """The inputs that a player gives, and where they count, by the rule of the page alone."""

    delay: int
    next: int = field(init=False)
    inputs: dict[int, Input] = field(default_factory=dict)
    delays: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.next = self.delay
        self.inputs = dict.fromkeys(range(self.delay), 0)
        self.delays = dict.fromkeys(range(self.delay), self.delay)

    def give(self, frame: int, delay: int, value: Input) -> None:
        due = frame + delay
        while self.next <= due:
            last = self.inputs.get(self.next - 1, 0)
            self.inputs[self.next] = value if self.next == due else last
            self.delays[self.next] = delay
            self.next += 1


class Changing(Network):
    """A network whose players change their delay at random times, or as a plan says."""

    plan: dict[tuple[int, int], int] | None = None
    """By player and frame, a new delay."""
    given: dict[int, Given]
    pause = 8
    """The frames between two changes, on average."""

    def start_all(self, *others: int) -> Network:
        self.lots = Random(self.match.seed)
        self.given = {player: Given(self.match.input_delay) for player in self.match.seated}
        return super().start_all(*others)

    def advance(self, peer: Peer) -> None:
        session, me = peer.session, peer.me
        if self.match.is_player(me):
            if self.plan is not None:
                if (me, session.frame) in self.plan:
                    session.set_input_delay(self.plan[me, session.frame])
            elif self.lots.chance(1, self.pause):
                session.set_input_delay(self.lots.below(self.match.delay_max + 1))
        frame, value = session.frame, peer.play()
        peer.witness.hear_all(session.advance(value, self.now_ms))
        if session.is_playing and me in self.given:
            self.given[me].give(frame, session.input_delay, value)
        for receiver, data in session.outgoing(self.now_ms):
            self.dispatch(peer, receiver, data)


def delays_of(network: Network, me: int, of: int) -> list[int]:
    return [delays[of] for _, delays in sorted(network.peers[me].witness.delays.items())]


@pytest.mark.parametrize("input_delay", by_default(1, [2, 0]))
@rollback_first
def test_inputs_count_where_the_delay_of_their_player_says(prediction_max: int, input_delay: int):
    settings = {"input_delay": input_delay, "input_delay_max": 9, "spectators": 1}
    for seed in rounds(30):
        network = Changing(match(3, prediction_max=prediction_max, seed=seed, **settings), 1, STORM)
        network.start_all(3)
        while not network.is_over:
            network.run(100)
            check_memory(network)
        completed(network)
        witness = network.peers[0].witness
        for player, given in network.given.items():
            frames = range(150)
            assert given.next >= 150
            assert [witness.inputs[at][player] for at in frames] == [
                given.inputs[at] for at in frames
            ]
            assert delays_of(network, 0, player) == [given.delays[at] for at in frames]
            assert len(set(delays_of(network, 0, player))) > 3


def test_a_longer_delay_repeats_the_last_input_and_a_shorter_one_drops_some():
    network = Changing(
        match(input_delay=2, input_delay_max=5, frames=40), weather=Weather(delay_ms=5)
    )
    network.plan = {(0, 10): 5, (0, 20): 1}
    network.start_all()
    sessions = [network.session(me) for me in (0, 1)]
    network.peers[0].play = lambda: sessions[0].frame % 5
    completed(network)
    inputs = [network.peers[1].witness.inputs[frame][0] for frame in range(40)]
    # The input of frame 9 counts in 11 and is repeated up to 14; those of 20 to 23 are dropped.
    assert inputs[:15] == [0, 0, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 4, 4, 4]
    assert inputs[15:25] == [(frame - 5) % 5 for frame in range(15, 25)]
    assert inputs[25:] == [(frame - 1) % 5 for frame in range(25, 40)]
    delays = [2] * 12 + [5] * 13 + [1] * 15
    for me in (0, 1):
        assert delays_of(network, me, 0) == delays
        assert delays_of(network, me, 1) == [2] * 40
    assert sessions[1].stats(network.now_ms).input_delays == (1, 2)


@rollback_first
def test_who_comes_late_or_back_knows_the_delay_of_every_frame(prediction_max: int):
    settings = {"input_delay_max": 9, "empty_seats": frozenset({2}), "spectators": 1, "frames": 500}
    for seed in rounds(10):
        network = Changing(match(3, prediction_max=prediction_max, seed=seed, **settings), 1, STORM)
        network.pause = 1
        network.start_all()
        network.run(1200)
        network.start(2)
        network.start(3)
        late = network.session(2)
        assert network.run(20_000, lambda late=late: late.is_playing)  # type: ignore[misc]
        back = network.restart(1, 300)
        completed(network)
        # The delays before its first frame came with the snapshot.
        for me in (1, 2, 3):
            first = network.peers[me].witness.joined_at
            assert first > 0
            assert network.peers[0].witness.delays[first - 1] != (2, 2, 2)
        assert back.witness.next_frame == 500
        assert len(set(delays_of(network, 3, 2))) > 3


def test_a_new_life_begins_with_the_delay_of_the_match():
    network = Changing(match(3, input_delay=2, input_delay_max=6, frames=400))
    network.plan = {(1, 20): 6}
    network.start_all()
    network.run(1500)
    network.plan = {}
    back = network.restart(1, 200)
    assert back.session.input_delay == 2
    completed(network)
    first = back.witness.joined_at
    assert network.peers[0].witness.delays[first - 1] == (2, 6, 2)
    assert network.peers[0].witness.delays[399] == (2, 2, 2)


def test_a_match_that_slows_down_has_its_rate_again_with_a_longer_delay():
    for is_changed, least, most in ((True, 59, 61), (False, 0, 50)):
        network = Network(
            match(prediction_max=4, input_delay_max=8, frames=None), weather=Weather(delay_ms=20)
        ).start_all()
        network.run(2000)
        assert not network.session(0).stats(network.now_ms).is_slowed
        network.weather = Weather(delay_ms=120)
        network.run(3000)
        for me in (0, 1):
            stats = network.session(me).stats(network.now_ms)
            assert stats.is_slowed
            assert (stats.frames_covered, stats.frames_needed) == (6, 9)
            if is_changed:
                network.session(me).set_input_delay(stats.frames_needed - 4)
        network.run(2000)
        first = network.session(0).confirmed
        network.run(16 * 60)
        assert least <= network.session(0).confirmed - first <= most
        assert network.session(0).stats(network.now_ms).is_slowed != is_changed


def test_a_delay_that_waited_for_a_life_that_is_over_does_not_count():
    stream = Stream(0, 0)
    for forgotten in (False, True):
        stream.take(stream.next + 1, [4], {stream.next + 1: 7}, range(100))
        if forgotten:
            stream.forget_early()
        stream.take(stream.next, [1, 2][: 1 + forgotten], {}, range(100))
    assert [stream[frame] for frame in range(stream.next)] == [1, 4, 1, 2]
    assert stream.delays == {1: 7}


def test_delays_out_of_range_are_refused_by_name():
    network = Network(match(input_delay_max=4, spectators=1)).start_all(2)
    session = network.session(0)
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match=f"input delay must be 0..4, not {wrong}"):
            session.set_input_delay(wrong)
    with pytest.raises(TypeError, match="input delay must be an integer"):
        session.set_input_delay(2.0)  # type: ignore[arg-type]
    assert session.input_delay == 2
    with pytest.raises(ValueError, match="peer 2 is a spectator: only players have an input delay"):
        network.session(2).set_input_delay(1)
    with pytest.raises(ValueError, match=r"input_delay_max must be 2\.\.16, not 1"):
        match(input_delay_max=1)
    with pytest.raises(ValueError, match=r"input delay must be 0\.\.2, not 3"):
        Network(match()).start_all().session(0).set_input_delay(3)


def test_a_player_that_says_another_delay_to_each_ends_the_match():
    class Lying(Changing):
        def dispatch(self, sender: Peer, receiver: int, data: bytes) -> None:
            if (sender.me, receiver) == (0, 2):
                packet = packet_of(data)
                message = packet.message
                if isinstance(message, Update):
                    runs = [
                        msgspec.structs.replace(
                            run,
                            values=[
                                bytes((3,)) + it[1:] if isinstance(it, bytes) else it
                                for it in run.values
                            ],
                        )
                        for run in message.runs
                    ]
                    message = msgspec.structs.replace(message, runs=runs)
                    local = sender.session._local
                    life = local.remotes[2].life
                    data = local.codec.seal(message, 2, life, packet.number, packet.got)
            super().dispatch(sender, receiver, data)

    network = Lying(match(3, prediction_max=8, input_delay_max=5, input_delay=2))
    network.plan = {(0, 30): 5}
    network.start_all()
    assert network.run(20_000, lambda: network.is_over)
    for me in (1, 2):
        end = network.end_of(me)
        assert (end.reason, end.frame) == (Reason.DESYNC, 32)
        assert end.desync is not None
        reported = end.desync.explain()
        assert "input delay(0, 0, 5)" in reported
        assert "input delay(0, 0, 3)" in reported


# Guesses.


class Shooters(Bumpers):
    """An input is 1 in the frames in which a player has just pressed the button: it shoots."""

    def step(self, inputs: Sequence[Input]) -> Sequence[Event]:
        for player, value in enumerate(inputs):
            self.met[player] += value == 1
        return super().step(inputs)


class NotPressed(Shooters):
    """Nobody presses anew."""

    @staticmethod
    def guess_input(_player: int, last: Input, _age: int) -> Input:
        return 0 if last == 1 else last


class Wrong(Shooters):
    """Never what was given last."""

    @staticmethod
    def guess_input(_player: int, last: Input, age: int) -> Input:
        return (int(last) + age) % 5  # type: ignore[arg-type]


class Fickle(Shooters):
    """Another guess each time that it is asked."""

    lots = Random(1)

    @classmethod
    def guess_input(cls, _player: int, _last: Input, _age: int) -> Input:
        return cls.lots.below(5)


class Refusing(Shooters):
    """No guess that a player could give."""

    guesses: ClassVar[list[Any]] = [1.0, True, None, 9, "1", (1, 2), [0] * 17, 2**63]

    @classmethod
    def guess_input(cls, _player: int, _last: Input, age: int) -> Input:
        return cls.guesses[age - 1]  # type: ignore[no-any-return]


class Raising(Shooters):
    """Every third guess fails."""

    asked = 0

    @classmethod
    def guess_input(cls, _player: int, last: Input, _age: int) -> Input:
        cls.asked += 1
        if cls.asked % 3 == 0:
            raise ZeroDivisionError("no guess")
        return last


class Catching(Changing):
    """A loop that catches what a guess raises, and goes on."""

    raised: list[Exception]

    def advance(self, peer: Peer) -> None:
        try:
            super().advance(peer)
        except (ArithmeticError, ValueError) as error:
            self.raised.append(error)
            for receiver, data in peer.session.outgoing(self.now_ms):
                self.dispatch(peer, receiver, data)


@pytest.mark.parametrize("game", by_default(1, [Wrong, Fickle, Raising, Refusing, NotPressed]))
def test_no_guess_forks_a_match(game: type[Shooters]):
    for seed in rounds(20):
        settings = match(3, prediction_max=8, input_delay=1, input_delay_max=4, seed=seed)
        network = Catching(settings, seed, STORM, simulation=Shooters)
        network.raised = []
        network.start_all()
        # One peer guesses in its own way: peers need not agree on guesses.
        network.start(1, simulation=start(game, seed, 3))  # type: ignore[arg-type]
        completed(network)
        assert [len(peer.witness.hashes) for peer in network.peers.values()] == [150] * 3
        assert bool(network.raised) == (game in (Refusing, Raising))
        for error in network.raised:
            if game is Refusing:
                assert "guess_input of simulation bumpers: input of player" in str(error)


def test_a_guess_counts_in_the_frames_without_an_input_alone():
    asked = set()

    class Asked(Bumpers):
        @staticmethod
        def guess_input(player: int, last: Input, age: int) -> Input:
            asked.add((player, age))
            return last

    network = Network(
        match(prediction_max=6, input_delay=2), weather=Weather(delay_ms=70), simulation=Asked
    )
    completed(network.start_all())
    assert {player for player, _ in asked} == {0, 1}
    assert {age for _, age in asked} == set(range(1, max(age for _, age in asked) + 1))
    assert max(age for _, age in asked) <= 6
    asked.clear()
    completed(Network(match(prediction_max=0), 1, STORM, simulation=Asked).start_all())
    assert not asked, "lockstep guesses nothing"


def test_a_guess_that_no_player_can_give_is_an_error():
    guess = guess_of(start(Refusing, 5, 2))  # type: ignore[arg-type]
    for age in range(1, len(Refusing.guesses) + 1):
        with pytest.raises(ValueError, match="guess_input of simulation bumpers: input of player"):
            guess(1, 0, age)


def test_a_guess_that_can_read_the_state_is_refused():
    class Bound(Bumpers):
        def guess_input(self, _player: int, last: Input, _age: int) -> Input:
            return last

    class Number(Bumpers):
        guess_input = 3

    for wrong in (Bound, Number):
        with pytest.raises(TypeError, match="guess_input of simulation bumpers must be a static"):
            start(wrong, 5, 2)


def test_presses_that_are_guessed_to_be_over_roll_back_less():
    rollbacks = []
    for game in (Shooters, NotPressed):
        network = Network(
            match(prediction_max=8, frames=600), weather=Weather(delay_ms=80), simulation=game
        ).start_all()
        for peer in network.peers.values():
            lots = Random(peer.me)
            peer.play = lambda lots=lots: int(lots.chance(1, 12))  # type: ignore[misc]
        completed(network)
        rollbacks.append(network.session(0).resteps)
    assert rollbacks[1] < rollbacks[0]

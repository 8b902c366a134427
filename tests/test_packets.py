"""Packets: a sent packet is read back, and a hostile one does no harm."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec
import pytest
from bumpers import Bumpers
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect
from network import Network, Weather, nonce_of, packet_of, sealed
from strategies import examples
from tools import each

from fixsync.game.random import Random
from fixsync.match.sim import Input
from fixsync.session import Match, Phase, Reason, RollbackSession, Session
from fixsync.session.blobs import Asked, Collector, Evidence, Offer, Snapshot, decoded
from fixsync.session.outgoing import RUNS_BYTES, _run
from fixsync.session.packets import (
    HASHES_MAX,
    NOBODY,
    PACKET_BYTES_MAX,
    PIECE_BYTES,
    VERSION,
    WINDOW,
    Blob,
    Bye,
    Codec,
    Hello,
    InputValue,
    Message,
    PacketError,
    Piece,
    Run,
    Update,
    Want,
    Window,
    digest_of,
)
from fixsync.session.streams import Stream

MATCH = Match("bumpers", seed=5, players=3, frames=200, spectators=1, id=9)
KEYED = Match("bumpers", seed=5, players=2, frames=150, key=b"secret")
NONCES = nonce_of(0), nonce_of(1)
SENDER, CODEC = (Codec(MATCH, me, NONCES[me]) for me in (0, 1))
SENDER.meet(1, NONCES[1])
CODEC.meet(0, NONCES[0])


def drawn(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """What a part of a message may be, by its type."""
    if isinstance(kind, inspect.StructType):
        return st.builds(kind.cls, **{field.name: drawn(field.type) for field in kind.fields})
    if isinstance(kind, inspect.UnionType):
        return st.one_of(*map(drawn, kind.types))
    if isinstance(kind, inspect.IntType):
        return st.integers(kind.ge, 2**64 - 1 if kind.le is None else kind.le)
    if isinstance(kind, inspect.BytesType):
        return st.binary(min_size=kind.min_length or 0, max_size=kind.max_length)
    if isinstance(kind, inspect.StrType):
        return st.text(max_size=60)
    if isinstance(kind, inspect.BoolType):
        return st.booleans()
    if isinstance(kind, inspect.NoneType):
        return st.none()
    if isinstance(kind, inspect.DictType):
        return st.dictionaries(drawn(kind.key_type), drawn(kind.value_type), min_size=1, max_size=4)
    # Two runs of two long inputs, and all hashes, fit a packet.
    most = kind.max_length if isinstance(kind.item_type, inspect.IntType) else 2
    items = st.lists(drawn(kind.item_type), min_size=kind.min_length or 0, max_size=most)
    return items.map(tuple) if isinstance(kind, inspect.VarTupleType) else items


VALUE = drawn(inspect.type_info(InputValue))
MESSAGE: st.SearchStrategy[Message] = drawn(inspect.type_info(Message))


@given(MESSAGE)
def test_a_message_that_is_sent_is_read_back(message: Message):
    nonces = NONCES if isinstance(message, Hello) else (b"", b"")
    data = SENDER.seal(message, 1, NONCES[1], 5, 2**64 - 1)
    assert CODEC.open(data) == packet_of(data) == (0, message, 5, 2**64 - 1, *nonces)


@given(MESSAGE)
def test_a_packet_for_another_peer_is_no_packet(message: Message):
    with pytest.raises(PacketError, match=r"the tag is wrong: .* for another peer"):
        CODEC.open(SENDER.seal(message, 2, NONCES[1], 5, 0))


@given(MESSAGE)
def test_a_packet_of_another_life_of_either_peer_or_back_to_its_sender_is_no_packet(
    message: Message,
):
    if isinstance(message, Hello):
        return  # It says of which life it is.
    others = Codec(MATCH, 0, nonce_of(2)), SENDER
    for codec, life in zip(others, (NONCES[1], nonce_of(2)), strict=True):
        with pytest.raises(PacketError, match="of another `id`, `key` or session"):
            CODEC.open(codec.seal(message, 1, life, 5, 0))
    with pytest.raises(PacketError):
        CODEC.open(CODEC.seal(message, 0, NONCES[0], 5, 0))


def sent(network: Network, ms: int) -> list[tuple[int, bytes]]:
    """Runs a network; all packets that are sent meanwhile, each with its receiver."""
    packets = []
    send = network.send
    network.send = lambda *packet: (packets.append(packet), send(*packet))[1]  # type: ignore[method-assign]
    network.run(ms)
    network.send = send  # type: ignore[method-assign]
    return packets


@pytest.mark.full
def test_the_largest_update_that_a_session_makes_fits_a_packet():
    network = Network(Match("bumpers", seed=1, players=8, prediction_max=32, input_delay=16), 1)
    network.weather = Weather(delay_ms=300)
    packets = sent(network.start_all(), 4000)
    assert max(len(data) for _, data in packets) <= PACKET_BYTES_MAX


@given(MESSAGE, st.data())
def test_a_packet_that_is_damaged_or_cut_short_is_no_packet(message: Message, data: st.DataObject):
    packet = SENDER.seal(message, 1, NONCES[1], 5, 3)
    at = data.draw(st.integers(0, len(packet) - 1))
    changed = packet[at] ^ 1 << data.draw(st.integers(0, 7))
    for wrong in (packet[:at], packet[:at] + bytes([changed]) + packet[at + 1 :]):
        with pytest.raises(PacketError):
            CODEC.open(wrong)


@given(st.binary(max_size=2000))
def test_bytes_of_any_kind_are_no_packet(data: bytes):
    with pytest.raises(PacketError):
        CODEC.open(data)


def under_a_true_tag(body: bytes, *, is_hello: bool = False) -> bytes:
    """What a peer with the key could send."""
    rest = bytes([0] * 7 + [1] + [0] * 8) + body
    keyed = SENDER._keyed(0, 1, b"" if is_hello else NONCES[0] + NONCES[1])
    keyed.update(rest)
    return b"FXP" + bytes([VERSION, 128 * is_hello]) + keyed.digest() + rest


@given(st.binary(max_size=1190), st.booleans())
def test_any_body_under_a_true_tag_is_a_message_or_no_packet(body: bytes, is_hello: bool):
    with suppress(PacketError):
        CODEC.open(under_a_true_tag(body, is_hello=is_hello))


@each(
    "body",
    [
        b"",
        b"\x91" * 1200,  # lists in lists
        b"\xdd\xff\xff\xff\xff",  # a list of 4294967295
        b"\xc6\xff\xff\xff\xff",  # as many bytes
        msgspec.msgpack.encode([1]),
        msgspec.msgpack.encode([7, 0, 1, 1]),
        msgspec.msgpack.encode([5, 0, 1, 1, 2, 0, 0, "text", True, "one more"]),
        msgspec.msgpack.encode([5, 0, 1, 1, 2.0, 0, 0, "text", True]),
        msgspec.msgpack.encode([5, -1, 1, 1, 2, 0, 0, "text", True]),
        msgspec.msgpack.encode([5, 0, 1, 1, 2, 0, 0, "t" * 301, True]),
        b"\x99\x05\x00\x01\x01\x02\x00\x00\xa1\xff\xc3",  # text that is no UTF-8
    ],
)
def test_bodies_that_are_no_message_are_refused(body: bytes):
    with pytest.raises(PacketError):
        CODEC.open(under_a_true_tag(body))


# What a session makes of them.


def fingerprint(session: Session) -> str:
    """All that a session is, except the count of refused packets, why, and the reply to them."""
    left_out = ("local", "remote", "window", "refused", "fault", "reply", "callers", "caller")
    timeline, seats = session._timeline, session._seats
    shown: Any = (
        session.phase,
        session.end,
        session.is_over,
        session.received,
        session._local.feeder,
        seats.since,
        sorted(seats.sources),
        [(stream.first, stream.next, stream.last, stream._values) for stream in seats.streams],
        timeline.head,
        timeline.confirmed,
        timeline.states,
        timeline.hashes,
        session.simulation.save(),
        [
            {name: value for name, value in vars(remote).items() if name not in left_out}
            for remote in session._remotes.values()
        ],
        [vars(remote.window) for remote in session._remotes.values()],
        [
            {name: value for name, value in vars(outgoing).items() if name not in left_out}
            for outgoing in session._outgoing.values()
        ],
    )
    return repr(shown)


def running() -> tuple[Network, Session]:
    """Three players and a spectator in the middle of a match; the session of player 1."""
    network = Network(MATCH, 1, Weather(delay_ms=25, jitter_ms=10)).start_all(3)
    network.run(900)
    session = network.session(1)
    assert session.phase is Phase.RUNNING
    assert session.confirmed > 20
    return network, session


@cache
def shared() -> tuple[Network, Session]:
    """The same for tests that change nothing of it."""
    return running()


@cache
def true_packets() -> list[bytes]:
    """What the others have for player 1."""
    network, _ = shared()
    return [
        data
        for peer in network.peers.values()
        for receiver, data in peer.session.outgoing(network.now_ms + 40)
        if receiver == 1
    ]


def fresh(network: Network, message: Message, number: int = 10**6, got: int = 0) -> bytes:
    """A packet of player 0 whose number has not come to player 1."""
    return sealed(network.session(0), 1, message, number, got)


@examples(300)
@given(st.one_of(st.binary(max_size=200), MESSAGE))
def test_a_packet_that_is_refused_changes_nothing(message: bytes | Message):
    network, session = shared()
    data = message if isinstance(message, bytes) else fresh(network, message)
    before, refused = fingerprint(session), session.refused
    if session.receive(data, network.now_ms) is None:
        assert session.refused == refused + 1
        assert fingerprint(session) == before


@st.composite
def almost_true(draw: st.DrawFn) -> Message:
    """A message that was really sent, with one of its values another one."""
    message = packet_of(draw(st.sampled_from(true_packets()))).message
    name = draw(st.sampled_from([*message.__struct_fields__]))
    value = getattr(message, name)
    if name == "runs":
        values = st.lists(st.one_of(st.integers(-1, 6), VALUE), min_size=1, max_size=4)
        run = st.builds(Run, slot=st.integers(0, 7), first=st.integers(0, 400), values=values)
        return msgspec.structs.replace(message, runs=draw(st.lists(run, max_size=4)))
    if isinstance(value, bool):
        other: Any = not value
    elif isinstance(value, int):
        other = draw(st.one_of(st.integers(0, 500), st.integers(max(0, value - 3), value + 3)))
    elif isinstance(value, list):
        other = draw(st.lists(st.integers(0, 500), max_size=4))
    else:
        other = draw(st.sampled_from([value[:-1], value + value[:1], value * 2]))
    return msgspec.structs.replace(message, **{name: other})


def test_there_are_true_packets_to_forge_from():
    assert any(isinstance(packet_of(data).message, Update) for data in true_packets())


@examples(100)
@given(almost_true())
def test_a_forged_message_raises_nothing_and_leaves_the_simulation_alone(message: Message):
    network, session = running()
    state, hashes = session.simulation.save(), dict(session._timeline.hashes)
    before = fingerprint(session)
    if session.receive(fresh(network, message), network.now_ms) is None:
        assert fingerprint(session) == before
    assert session.simulation.save() == state
    assert session._timeline.hashes == hashes
    for value in session._seats.streams[1]._values.values():
        assert value in range(5), "only inputs that the simulation takes are held"
    # Nor does it later: the session goes on, or ends with a reason.
    network.run(60)
    session.outgoing(network.now_ms)


def test_another_input_for_a_frame_that_was_heard_is_refused():
    network, session = running()
    stream = session._seats.streams[0]
    run = Run(0, stream.first, ((stream[stream.first] + 1) % 5,))  # type: ignore[operator]
    _, data = forged(network, 0, runs=[run])
    assert session.receive(data, network.now_ms) is None
    assert "two inputs of seat" in session._remotes[0].fault


def forged(network: Network, sender: int, **changes: Any) -> tuple[Update, bytes]:
    """An Update of a peer with the key to player 1, with other values."""
    opened = [packet_of(data) for data in true_packets()]
    true = next(
        it.message for it in opened if isinstance(it.message, Update) and it.sender == sender
    )
    message = msgspec.structs.replace(true, **changes)
    return message, sealed(network.session(sender), 1, message, 10**6)


def update_of(network: Network, session: Session, **changes: Any) -> Update:
    """What a session would send to player 1 now, with these changes."""
    update = next(session._outgoing[1]._updates(network.now_ms))
    return msgspec.structs.replace(update, **changes)


@pytest.mark.parametrize("hashes", [[], [1, 2]])
def test_hashes_that_are_left_out_in_a_match_are_refused(hashes: list[int]):
    network, session = running()
    remote = session._remotes[0]
    _, data = forged(
        network, 0, hash_first=remote.hash_next + 1, hashes=hashes, confirmed=10**6, frame=10**6
    )
    assert session.receive(data, network.now_ms) is None


def test_who_sent_the_snapshot_leaves_out_no_hash():
    network = Network(MATCH, 1, Weather(delay_ms=40)).start_all(3)
    session = network.session(3)
    assert network.run(2000, lambda: session.phase is Phase.RUNNING)
    remote = session._remotes[0]
    assert not remote.is_mutual
    first = remote.hash_next + 1
    lie = msgspec.structs.replace(
        next(network.session(0)._outgoing[3]._updates(network.now_ms)),
        echo_ms=0,
        hash_first=first,
        hashes=[],
    )
    lied = sealed(network.session(0), 3, lie, 10**6)
    assert session.receive(lied, network.now_ms) is None
    assert remote.fault == f"hashes from frame {first} on, but frame {first - 1} is the next"


def test_who_comes_back_leaves_out_the_hashes_of_confirmed_frames_only():
    network, session = running()
    back = network.restart(2, 100).session
    remote = session._remotes[2]
    assert network.run(3000, lambda: back.phase is Phase.RUNNING and remote.start_number)
    assert not remote.is_mutual
    at = session.confirmed
    update = update_of(network, back)
    for number, first in enumerate((at + 1, at), 10**6):
        lie = msgspec.structs.replace(
            update, echo_ms=0, hash_first=first, hashes=[], confirmed=at + 1, frame=at + 1, runs=[]
        )
        taken = session.receive(sealed(back, 1, lie, number), network.now_ms)
        assert (taken == 2) == (first == at)
    assert remote.hash_next == at


LATE = Match("bumpers", seed=5, players=3, frames=300, empty_seats=frozenset({2}))


def with_a_late_player(until: Callable[[Session], bool]) -> tuple[Network, Session, Session]:
    """Player 1's session, and that of player 2, who came late."""
    network = Network(LATE, 1).start_all()
    network.run(400)
    late = network.start(2).session
    assert network.run(2000, lambda: until(late))
    return network, network.session(1), late


def test_the_host_gives_no_input_of_a_seat_that_its_player_has_taken():
    network, session, _ = with_a_late_player(lambda it: it.is_playing and it.confirmed > 60)
    stream = session._seats.streams[2]
    assert stream.next > session._seats.since[2]
    lie = update_of(
        network,
        network.session(0),
        runs=[Run(2, stream.next, [1])],
    )
    before = stream.next
    assert session.receive(fresh(network, lie), network.now_ms) == 0
    assert stream.next == before


def test_the_host_names_the_frame_of_a_handover_once():
    network, session, _ = with_a_late_player(lambda it: it.is_playing and it.confirmed > 60)
    since = session.seats[2]
    assert since is not None
    update = update_of(network, network.session(0))
    lie = msgspec.structs.replace(update, seats=[0, 0, since + 50])
    assert session.receive(fresh(network, lie), network.now_ms) == 0
    assert session.seats[2] == since


def test_a_late_player_gives_no_input_before_its_seat_is_handed_over():
    network, session, late = with_a_late_player(lambda it: it.phase is Phase.RUNNING)
    network.run(20)
    assert session.seats[2] is None
    stream = session._seats.streams[2]
    lie = update_of(network, late, runs=[Run(2, stream.next, [1])])
    before = stream.next
    assert session.receive(sealed(late, 1, lie, 10**6), network.now_ms) == 2
    assert stream.next == before


def test_who_joined_late_and_has_answered_leaves_out_no_hash():
    network, session, late = with_a_late_player(lambda it: it.is_playing and it.confirmed > 60)
    remote = session._remotes[2]
    assert remote.is_mutual
    first = remote.hash_next + 1
    lie = update_of(network, late, hash_first=first, hashes=[])
    assert session.receive(sealed(late, 1, lie, 10**6), network.now_ms) is None
    assert remote.fault == f"hashes from frame {first} on, but frame {first - 1} is the next"


def test_a_player_who_never_takes_hashes_stops_the_match(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fixsync.session.remote.AHEAD_FRAMES_MAX", 40)
    network = Network(Match("bumpers", seed=5, players=2, frames=300)).start_all()
    outgoing = network.session(1)._outgoing[0]
    updates = outgoing._updates
    outgoing._updates = lambda now: (  # type: ignore[method-assign]
        msgspec.structs.replace(update, hash_needed=0) for update in updates(now)
    )
    network.run(3000)
    assert network.session(0).confirmed == 40
    assert len(network.session(0)._timeline.hashes) == 40


def test_inputs_far_ahead_of_the_hashes_are_trimmed():
    network, session = running()
    stream, remote = session._seats.streams[0], session._remotes[0]
    end = remote.hash_next + MATCH.detection_frames_max
    _, data = forged(network, 0, runs=[Run(0, stream.next, [1] * 60)], hashes=[])
    assert session.receive(data, network.now_ms) == 0
    assert stream.next == end


def beginning() -> tuple[Network, Session, Update]:
    """A match that player 1 has begun, and an Update of player 0, who has had none yet."""
    network = Network(MATCH, 1, Weather(delay_ms=40)).start_all()
    session = network.session(1)
    assert network.run(900, lambda: session.frame > 4)
    assert not session._remotes[0].is_mutual
    return network, session, update_of(network, network.session(0))


def test_who_was_there_from_the_start_leaves_out_no_hash_even_if_it_never_answers():
    network, session, update = beginning()
    remote = session._remotes[0]
    first = remote.hash_next + 1
    lie = msgspec.structs.replace(
        update, echo_ms=0, hash_first=first, confirmed=first, frame=first, hashes=[]
    )
    assert session.receive(fresh(network, lie), network.now_ms) is None
    assert remote.fault == f"hashes from frame {first} on, but frame {first - 1} is the next"


def test_before_a_match_begins_no_hash_is_left_out():
    network = Network(MATCH, 1, Weather(delay_ms=25))
    for me in (0, 1):
        network.start(me)
    session, remote = network.session(1), network.session(1)._remotes[0]
    assert network.run(500, lambda: remote.start_number)
    network.run(60)
    assert session.phase is Phase.CONNECTING
    assert not remote.is_mutual
    update = update_of(network, network.session(0))
    lie = msgspec.structs.replace(update, echo_ms=0, hash_first=90, confirmed=90, frame=90)
    assert session.receive(fresh(network, lie), network.now_ms) is None
    assert remote.fault == "hashes from frame 90 on, but frame 0 is the next"


def test_who_never_answers_gives_inputs_for_the_first_frames_only():
    network, session, update = beginning()
    stream, made = session._seats.streams[0], session._seats.streams[1].next
    lie = msgspec.structs.replace(
        update,
        echo_ms=0,
        confirmed=made,
        frame=made,
        hash_first=0,
        hashes=[1] * made,
        runs=[Run(0, stream.next, [1] * 60)],
    )
    assert session.receive(fresh(network, lie), network.now_ms) == 0
    assert session._remotes[0].hash_next == made
    assert stream.next == MATCH.detection_frames_max


def test_what_a_peer_cannot_have_is_refused():
    network, session = running()
    made, confirmed = session._seats.streams[1].next, session.confirmed
    for changes, fault in (
        ({"needs": [0, 0]}, "a list by seat must have 3 entries"),
        ({"needs": [0, made + 1, 0]}, "not yet played here"),
        ({"confirmed": made + 1, "frame": made + 1}, "not all played here"),
        ({"frame": 1, "confirmed": 2}, "frame 1 with 2 confirmed"),
        ({"frame": 40, "confirmed": 31}, "frame 40 with 31 confirmed"),
        ({"hash_needed": confirmed + 257}, f"hash_needed is {confirmed + 257}"),
        ({"confirmed": 9, "frame": 9, "hash_first": 8, "hashes": [1, 2]}, "not confirmed there"),
        ({"runs": [Run(3, 0, [1])]}, "a run of seat 3, of 3"),
    ):
        _, data = forged(network, 0, **changes)
        assert session.receive(data, network.now_ms) is None
        assert fault in session._remotes[0].fault


def test_hashes_are_held_for_256_frames_ahead():
    network = Network(MATCH, 1, Weather(delay_ms=40)).start_all(3)
    session = network.session(3)
    assert network.run(2000, lambda: session.confirmed > 20)
    update, remote = (
        next(network.session(0)._outgoing[3]._updates(network.now_ms)),
        session._remotes[0],
    )
    for number in range(10**6, 10**6 + 10):
        lie = msgspec.structs.replace(
            update, frame=900, confirmed=900, hash_first=remote.hash_next, hashes=[1] * 48, runs=[]
        )
        lied = sealed(network.session(0), 3, lie, number)
        assert session.receive(lied, network.now_ms) == 0
    assert remote.hash_next == session.confirmed + 256


def test_a_check_of_inputs_that_raises_something_else_refuses_the_packet():
    class Indexing(Bumpers):
        def check_input(self, _player: int, value: Input) -> None:
            return [0, 0, 0, 0, 0][value]  # type: ignore[index, return-value]

    network = Network(MATCH, 1, simulation=Indexing).start_all()
    network.run(900)
    session = network.session(1)
    message = update_of(network, network.session(0))
    lie = msgspec.structs.replace(message, runs=[Run(0, session._seats.streams[0].next, [9])])
    assert session.receive(fresh(network, lie), network.now_ms) is None
    assert "IndexError" in session._remotes[0].fault


def test_the_largest_update_fits_a_packet():
    settings = Match("bumpers", seed=1, players=8, prediction_max=32, input_delay=16)
    network = Network(settings, 1).start_all()
    network.run(600)
    update = update_of(network, network.session(0))
    high = 2**32 - 2
    largest = msgspec.structs.replace(
        update,
        **dict.fromkeys(("sent_ms", "echo_ms", "frame", "confirmed", "seat", "hash_needed"), high),
        hash_first=high,
        hashes=[2**63] * HASHES_MAX,
        needs=[high] * 8,
        seats=[high] * 8,
        runs=[],
    )
    spare = PACKET_BYTES_MAX - len(fresh(network, largest))
    assert spare >= RUNS_BYTES - 9 * HASHES_MAX


# The numbers of packets.


def test_a_packet_has_an_effect_once_and_not_when_it_is_old():
    network, session = running()
    kept = [data for to, data in sent(network, 100) if to == 1]
    network.run(100)
    for data in kept:
        before, refused = fingerprint(session), session.refused
        assert session.receive(data, network.now_ms) is None
        assert (fingerprint(session), session.refused) == (before, refused + 1)


def test_a_window_takes_each_number_once():
    random, window, taken = Random(5), Window(), set()
    newest = 0
    for _ in range(5000):
        number = max(0, newest + random.between(-1200, 200))
        fine = number > newest - WINDOW and number not in taken and number > 0
        assert (window.fault(number) == "") == fine
        if fine:
            assert window.take(number) == (number > newest)
            taken.add(number)
            newest = max(newest, number)


def test_a_packet_that_acknowledges_what_was_not_sent_is_refused():
    network, session = running()
    message, _ = forged(network, 0)
    sent_to = session._remotes[0].sent
    assert session.receive(fresh(network, message, got=sent_to + 1), network.now_ms) is None
    assert session.receive(fresh(network, message, got=sent_to), network.now_ms) == 0


def test_the_first_packet_of_a_life_does_not_move_the_address_of_its_peer():
    network = Network(MATCH, 1, Weather(delay_ms=25)).start_all()
    network.run(900)  # longer than an address stays without an acknowledgement
    host, spectator = network.session(0), network.start(3).session
    hellos = [data for to, data in spectator.outgoing(network.now_ms) if to == 0]
    assert host.receive(hellos[0], network.now_ms) is None
    for answer in host.answers(network.now_ms):
        spectator.receive(answer, network.now_ms)
    hellos = [data for to, data in spectator.outgoing(network.now_ms) if to == 0]
    assert host.receive(hellos[0], network.now_ms) == 3
    assert not host.may_move(3, network.now_ms)
    assert not host.may_move(3, network.now_ms + 499)
    assert host.may_move(3, network.now_ms + 500)


def test_only_the_newest_packet_of_a_peer_moves_its_address():
    network, session = running()
    update, late = forged(network, 0)[0], network.now_ms + 600
    newest, older = (fresh(network, update, number) for number in (10**6, 10**6 - 1))
    assert session.receive(newest, late) == 0
    assert session.may_move(0, late)
    assert session.receive(older, late) == 0
    assert not session.may_move(0, late)


# Earlier lives.


def recorded(changes: dict[str, Any], ms: int = 1500) -> list[tuple[int, bytes]]:
    """The packets of an earlier match with the same key and id, and the same numbers of starts."""
    return sent(Network(replace(KEYED, **changes)).start_all(), ms)


def test_an_old_hello_ends_nothing():
    network = Network(KEYED)
    network.salt = 1
    host = network.start(0).session
    old = recorded({"seed": 6})
    hellos = [data for to, data in old if to == 0 and packet_of(data).nonce]
    assert hellos
    for data in hellos:
        assert host.receive(data, network.now_ms) is None
        network.run(20)
    assert host.phase is Phase.CONNECTING
    assert host.waiting_for() == [1]


@pytest.mark.parametrize("times", [1, 5])
def test_a_recorded_match_does_not_begin_and_the_true_peer_can_come(times: int):
    old = recorded({})
    network = Network(KEYED)
    network.salt = 1
    host = network.start(0).session
    for _ in range(times):
        for to, data in old:
            if to == 0:
                assert host.receive(data, network.now_ms) is None
            network.run(1)
    assert (host.phase, host.frame) == (Phase.CONNECTING, 0)
    network.start(1)
    for to, data in old:
        network.run(1)
        assert network.session(to).receive(data, network.now_ms) is None
    assert network.run(60_000, lambda: network.is_over)
    assert {network.end_of(me).reason for me in (0, 1)} == {Reason.COMPLETED}
    network.check_agreement()


def test_a_player_comes_back_though_its_clock_went_back_and_its_earlier_life_does_not():
    network = Network(KEYED, 1, Weather(delay_ms=20)).start_all()
    network.run(300)
    first = sent(network, 300)
    network.crash(1)
    network.run(50)
    network.lives = 0  # the start_number of its first life, less one
    back = network.start(1).session
    assert network.run(3000, lambda: back.is_playing)
    host, life = network.session(0), network.session(0)._remotes[1].life
    for to, data in first:
        assert network.session(to).receive(data, network.now_ms) is None
    assert host._remotes[1].life == life == back._local.codec.nonce
    assert network.run(60_000, lambda: network.is_over)
    assert {network.end_of(me).reason for me in (0, 1)} == {Reason.COMPLETED}


def test_a_hello_of_an_earlier_life_that_was_held_back_is_not_taken_up():
    network = Network(KEYED, 1, Weather(delay_ms=20))
    host = network.start(0).session
    network.run(100)
    held: list[bytes] = []
    receive = host.receive

    def held_back(data: bytes, now_ms: int) -> int | None:
        if packet_of(data).heard == host._local.codec.nonce:
            held.append(data)
            return None
        return receive(data, now_ms)

    host.receive = held_back  # type: ignore[method-assign]
    network.start(1)
    network.run(200)
    assert held
    host.receive = receive  # type: ignore[method-assign]
    network.crash(1)
    network.start(1)
    assert network.run(2000, lambda: host.frame > 20)
    life = host._remotes[1].life
    for data in held:
        assert host.receive(data, network.now_ms) is None
    assert host._remotes[1].life == life
    assert network.run(60_000, lambda: network.is_over)
    assert {network.end_of(me).reason for me in (0, 1)} == {Reason.COMPLETED}


def test_the_hellos_of_many_lives_are_answered_a_few_at_once():
    host = Network(KEYED).start(0).session
    host.outgoing(0)
    for life in range(100):
        codec = Codec(KEYED, 1, nonce_of(life))
        hello = host._remotes[1].hello(NOBODY, 0)
        assert host.receive(codec.seal(hello, 0, NOBODY, 1, 0), 0) is None
    assert len(host.answers(0)) == 0, "that one was not among the first 16"
    host.receive(b"noise", 0)
    assert host.answers(0) == [], "nobody gets the answer to another"
    assert len(host.outgoing(0)) == 16


@pytest.mark.parametrize("nonce", [b"", bytes(16), bytes(15), b"1" * 17, "1" * 16, None])
def test_a_nonce_is_16_bytes_that_are_not_zeros(nonce: Any):
    with pytest.raises(ValueError, match="nonce must be"):
        RollbackSession(KEYED, Bumpers(5, 2), 0, start_number=1, nonce=nonce, now_ms=0)


# Byes.


def test_a_bye_about_a_frame_that_was_not_played_is_refused():
    network, session = running()
    made = session._seats.streams[1].next
    for number, frame in enumerate((2**32 - 2, made, made - 1), 10**6):
        bye = Bye(Reason.DESYNC, frame, 0, "so", False)
        taken = session.receive(fresh(network, bye, number), network.now_ms)
        assert (taken == 0) == (frame < made)


@pytest.mark.parametrize("reason", [Reason.LEFT, Reason.DESYNC])
def test_a_bye_about_a_peer_that_the_match_does_not_have_is_refused(reason: Reason):
    network, session = running()
    for number, peer in enumerate((39, 4, 3), 10**6):
        bye = Bye(reason, 0, peer, "so", False)
        taken = session.receive(fresh(network, bye, number), network.now_ms)
        assert (taken == 0) == (peer in MATCH.peers) == (session.end is not None)


def test_the_text_of_a_bye_is_one_line_without_escapes():
    network, session = running()
    bye = Bye(Reason.LEFT, 0, 0, "gone\n\x1b[31mhost: all is well\u2028é", False)
    assert session.receive(fresh(network, bye), network.now_ms) == 0
    assert session.end.text == "peer 0 reports: gone  [31mhost: all is well é"


def test_a_peer_that_finds_ever_earlier_differences_does_not_keep_a_session_alive():
    network, session = running()
    frame, number, now = session._seats.streams[1].next - 1, 10**6, network.now_ms
    until = now + session.timing.stall_ms
    ends = set()
    while not session.is_over:
        now, number, frame = now + 40, number + 1, max(0, frame - 1)
        bye = Bye(Reason.DESYNC, frame, 0, "so", False)
        session.receive(fresh(network, bye, number), now)
        session.advance(0, now)
        session.outgoing(now)
        assert session.end is not None
        ends.add(session.end.frame)
        assert now <= until + 80
    assert len(ends) <= 2 + len(session._timeline.states)
    assert session.state_after(min(ends)) is not None, "an end moves only to a state that is kept"


def test_after_a_desync_a_peer_that_is_not_heard_is_waited_for_less():
    network, session = running()
    frame, now = session._seats.streams[1].next - 1, network.now_ms
    bye = Bye(Reason.DESYNC, frame, 0, "so", False)
    session.receive(fresh(network, bye), now)
    for waited in range(0, 10_000, 40):
        session.advance(0, now + waited)
        session.outgoing(now + waited)
        assert session.is_over == (waited > 2 * session.timing.linger_ms)


def test_evidence_larger_than_a_peer_can_have_is_refused():
    network, session = running()
    bye = Bye(Reason.DESYNC, session.confirmed - 1, 0, "so", False)
    assert session.receive(fresh(network, bye), network.now_ms) == 0
    most = 4 * len(session.simulation.save()) + 64 * 1024
    for number, size in ((10**6 + 1, most + 1), (10**6 + 2, most)):
        frame = session.confirmed - 1
        piece = Piece(Blob.EVIDENCE, frame, bytes(16), size, 0, 0, bytes(1024))
        taken = session.receive(fresh(network, piece, number), network.now_ms)
        assert (taken == 0) == (size == most)


def test_a_spectator_that_never_takes_hashes_is_dropped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fixsync.session.remote._BACKLOG_FRAMES_MAX", 60)
    settings = Match("bumpers", seed=5, players=2, spectators=1, frames=300, id=9)
    network = Network(settings, 1).start_all(2)
    outgoing = network.session(2)._outgoing[0]
    updates = outgoing._updates
    outgoing._updates = lambda now: (  # type: ignore[method-assign]
        msgspec.structs.replace(update, hash_needed=0) for update in updates(now)
    )
    assert network.run(20_000, lambda: network.is_over)
    ends = [peer.session.end and peer.session.end.reason for peer in network.peers.values()]
    assert ends == [Reason.COMPLETED, Reason.COMPLETED, Reason.JOIN_FAILED]


def test_running_again_gives_the_same_session():
    assert fingerprint(running()[1]) == fingerprint(running()[1]), (
        "or the two tests above compare nothing"
    )


def test_packets_that_were_heard_already_change_nothing():
    network, session = running()
    packets = sent(network, 600)
    network.run(200)
    before = session.simulation.save(), session.confirmed, session.frame
    Random(3).shuffle(packets)
    for receiver, data in packets:
        if receiver == 1:
            session.receive(data, network.now_ms)
    assert (session.simulation.save(), session.confirmed, session.frame) == before
    assert network.run(60_000, lambda: network.is_over)
    network.check_agreement()


# Blobs.


def pieces(offer: Offer, wants: tuple[bytes, list[int]] | None, now_ms: int = 0) -> list[Piece]:
    """What a peer sends that is asked for pieces."""
    if wants is None:
        return []
    digest, indices = wants
    asked = Asked(Want(Blob.EVIDENCE, 3, digest, now_ms, indices))
    return [offer.piece(index, asked) for index in asked.take(offer, 64, 0, 0)]


@given(st.binary(max_size=5000), st.randoms(use_true_random=False))
def test_a_blob_comes_together_from_pieces_in_any_order(data: bytes, random: Any):
    collector = Collector(Blob.EVIDENCE, 3, 0)
    now = 0
    while collector.data is None:
        found = pieces(Offer(data), collector.wants(now), now)
        random.shuffle(found)
        for piece in found[: max(1, len(found) // 2)]:
            assert collector.fault(piece) == ""
            collector.take(piece, now)
        now += 20
        assert now < 2000
    assert collector.data == data


def test_the_work_of_a_blob_is_in_proportion_to_its_size(monkeypatch: pytest.MonkeyPatch):
    hashed: list[int] = []

    def digest(data: bytes) -> bytes:
        hashed.append(len(data))
        return digest_of(data)

    monkeypatch.setattr("fixsync.session.blobs.digest_of", digest)
    data = bytes(800 * PIECE_BYTES)
    offer, collector = Offer(data), Collector(Blob.SNAPSHOT, 0, 0)
    asked = now = 0
    while collector.data is None:
        wants = collector.wants(now)
        asked += len(wants[1]) if wants else 0
        for piece in pieces(offer, wants, now):
            collector.take(piece, now)
        now += 20
    assert collector.data == data
    assert hashed == [len(data)] * 2
    assert asked <= 800


def test_pieces_that_do_not_fit_their_blob_are_refused():
    collector = Collector(Blob.SNAPSHOT, 0, 0)
    first, second, third = pieces(Offer(bytes(3000)), (b"", []))
    assert collector.fault(first) == ""
    collector.take(first, 0)
    for wrong in (
        msgspec.structs.replace(second, index=3),
        msgspec.structs.replace(second, data=second.data[1:]),
        msgspec.structs.replace(third, data=third.data + b"1"),
        msgspec.structs.replace(second, size=3001),
        msgspec.structs.replace(second, size=2**32 - 1),
    ):
        assert collector.fault(wrong) != ""


def test_a_blob_that_is_not_what_its_digest_says_is_asked_for_again():
    collector = Collector(Blob.SNAPSHOT, 0, 0)
    true, forged = (pieces(Offer(data), (b"", [])) for data in (bytes(1500), b"1" * 1500))
    collector.take(true[0], 0)
    collector.take(msgspec.structs.replace(forged[1], digest=true[1].digest), 0)
    assert collector.data is None
    assert collector.wants(0) == (b"", [])
    for piece in true:
        collector.take(piece, 0)
    assert collector.data == bytes(1500)


def test_a_peer_that_has_another_blob_now_is_taken_at_its_word_when_the_first_stopped():
    collector = Collector(Blob.SNAPSHOT, 0, 0)
    first, second = (pieces(Offer(data), (b"", [])) for data in (bytes(1500), b"1" * 1500))
    collector.take(first[0], 0)
    for piece in second:
        collector.take(piece, 900)
    assert collector.data is None
    for piece in second:
        collector.take(piece, 1000)
    assert collector.data == b"1" * 1500


def test_inputs_are_packed_as_changes_and_read_back():
    random, stream = Random(3), Stream(7, 0)
    for _ in range(300):
        last = stream.last
        if random.chance(1, 8):
            stream.push(random.choice((5, -(2**63), (1, 2), (2**63 - 1,) * 16)))
        elif isinstance(last, tuple) and random.chance(1, 2):
            at = random.below(len(last))
            stream.push((*last[:at], random.below(2**40), *last[at + 1 :]))
        else:
            stream.push(last)
    packed = stream.packed(stream.next)
    for first in range(7, stream.next - 40, 13):
        parts = [packed[first][0], *[packed[at][1] for at in range(first + 1, first + 40)]]
        run = _run(1, first, 40, b"".join(parts))
        encoded = msgspec.msgpack.encode(run)
        decoded_run = msgspec.msgpack.decode(encoded, type=Run)
        assert decoded_run.inputs()[0] == [stream[at] for at in range(first, first + 40)]
        assert len(encoded) < 40 * 60


@pytest.mark.parametrize(
    "values", [[None], [{0: 1}], [5, {0: 1}], [(1, 2), {2: 1}], [b"\3\1"], [b"\2\xa0"]]
)
def test_a_change_of_nothing_or_to_what_cannot_be_is_refused(values: list[Any]):
    network, session = running()
    _, data = forged(network, 0, runs=[Run(0, session._seats.streams[0].next, values)])
    assert session.receive(data, network.now_ms) is None
    assert "seat 0: " in session._remotes[0].fault


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_no_snapshot_and_no_evidence(data: bytes):
    for kind in (Snapshot, Evidence):
        with suppress(ValueError):
            decoded(kind, data)

"""fixsync peers: processes, sockets and a bad network; logs that are the same byte by byte; faults
that are caught."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest
from bumpers import Bumpers
from click.testing import CliRunner, Result
from netns import Namespaces
from network import KERNEL
from tools import each, needs_loopback, ran

from fixsync.base.fields import differences
from fixsync.cli.peers import peers_command
from fixsync.log.reader import Reader
from fixsync.log.replay import Verdict, replay
from fixsync.match.sim import fields_of
from fixsync.peers.peer import Status
from fixsync.peers.plan import Run
from fixsync.peers.relay import Impairment, Relay
from fixsync.peers.run import Outcome, PeerOutcome, Places, _compare, _Match, run
from fixsync.sample.skillfight import SkillFight
from fixsync.session import Confirmed, End, Match, Notice, Phase, Reason, RollbackSession, Timing
from fixsync.session.udp import Endpoint, now_ms, play

pytestmark = needs_loopback

# A peer is never given up because the machine is busy.
# A loopback loses little: an ended session need not answer for long.
PATIENT = Timing(connect_ms=600_000, silence_ms=600_000, stall_ms=600_000, linger_ms=150)
STORM = Impairment(loss=30, latency_ms=2, jitter_ms=6, duplicate=10, reorder=5)


def outcome_of(directory: Path, places: Places | None = None, **plan: Any) -> Outcome:
    return asyncio.run(run(Run(**{"rate": 0, **plan}), directory, places=places))


class Short(SkillFight):
    """Is over in frame 150."""

    @property
    def is_over(self) -> bool:
        return self.world.frame >= 150


def command(*options: str) -> Result:
    return CliRunner().invoke(peers_command, ["--rate", "0", *options], catch_exceptions=False)


def check_logs(outcome: Outcome, frames: int) -> None:
    """All peers completed; their logs have the same bytes, tell every event and hash, and replay to
    the same."""
    assert [peer.status.reason for peer in outcome.peers.values()] == ["COMPLETED"] * len(
        outcome.peers
    )
    assert outcome.exit_code == 0
    logs = [peer.log for peer in outcome.peers.values() if peer.log is not None]
    assert len(logs) >= 2
    assert len({log.read_bytes() for log in logs}) == 1
    result = replay(logs[0])
    assert result.verdict is Verdict.IDENTICAL
    assert (result.frames, result.compared.events, result.compared.hashes) == (frames,) * 3
    with Reader(logs[0]) as reader:
        assert reader.header.sim == "skillfight"
        inputs = [frame.inputs for frame in reader]  # type: ignore[union-attr]
    assert len({tuple(values) for values in inputs}) > 5, "the bots played"


# Processes.


@pytest.mark.parametrize("prediction_max", [pytest.param(0, marks=pytest.mark.full), 8])
def test_processes_that_lose_a_third_of_their_packets_record_the_same_match(
    tmp_path: Path, prediction_max: int
):
    outcome = outcome_of(tmp_path, frames=90, prediction_max=prediction_max, impairment=STORM)
    check_logs(outcome, 90)
    assert outcome.lost > 0
    for peer in outcome.peers.values():
        assert (peer.verdict, peer.exit_code, peer.errors) == (Verdict.IDENTICAL, 0, "")
        assert (peer.status.rollbacks > 0) == (prediction_max > 0)


@pytest.mark.full
def test_a_spectator_and_a_player_who_is_killed_and_comes_back_see_the_same_match(tmp_path: Path):
    weather = Impairment(loss=10, latency_ms=2, jitter_ms=4)
    plan: dict[str, Any] = {"players": 3, "spectators": 1, "frames": 150, "restart_frame": 40}
    outcome = outcome_of(tmp_path, **plan, impairment=weather)
    check_logs(outcome, 150)
    assert len({peer.status.hash for peer in outcome.peers.values()}) == 1, "the last state of all"
    joined = [outcome.peers[peer].status.joined for peer in (2, 3)]
    assert joined[0] is not None, "the player came in by a snapshot"
    assert joined[1] is not None, "the spectator too"
    before, after = outcome.peers[2].parts
    (watched,) = outcome.peers[3].parts
    assert before.frames.start == 0
    assert before.frames.stop >= 40
    assert after.frames == range(joined[0], 150)
    assert watched.frames == range(joined[1], 150)
    assert before.verdict is Verdict.CUT_SHORT, "the log of the life that was killed is still there"
    for part in (after, watched):
        assert part.verdict is Verdict.IDENTICAL, "a log from the middle replays"
    for part in (before, after, watched):
        assert part.differing_frame is None


@pytest.mark.full
def test_a_player_who_comes_late_sees_the_rest_of_the_match_and_plays_in_it(tmp_path: Path):
    # At this rate the match lasts for long enough.
    weather = Impairment(loss=10, jitter_ms=4)
    outcome = outcome_of(
        tmp_path, players=3, frames=600, rate=120, late_frame=60, impairment=weather
    )
    check_logs(outcome, 600)
    late = outcome.peers[2]
    (part,) = late.parts
    assert late.log is None
    assert late.status.joined is not None
    assert late.status.joined >= 60 - 8, "it came when it was told to"
    assert late.status.seated is not None
    assert part.frames == range(late.status.joined, 600)
    assert part.differing_frame is None
    with Reader(outcome.peers[0].log or "") as log:
        inputs = [frame.inputs[2] for frame in log]  # type: ignore[union-attr]
    assert not any(inputs[: late.status.seated]), "the host plays the empty seat, and does nothing"
    assert any(inputs[late.status.seated :]), "it plays"


def test_logs_that_are_there_are_not_overwritten(tmp_path: Path):
    log = tmp_path / "peer1.jsonl"
    log.write_text("evidence")
    done = command("--frames", "20", "-o", str(tmp_path))
    assert done.exit_code == 1
    assert f"{log} exists; logs are not overwritten" in done.output.replace("\n", "")
    assert log.read_text() == "evidence"


@pytest.mark.full
def test_a_part_of_a_log_with_another_line_is_not_taken_for_the_same(tmp_path: Path):
    # At this rate the match lasts for long enough that the spectator comes in the middle.
    outcome = outcome_of(tmp_path, spectators=1, frames=400, rate=120)
    assert outcome.is_good
    (part,) = outcome.peers[2].parts
    lines = part.path.read_bytes().splitlines(keepends=True)
    middle = len(part.frames) // 2  # on a busy machine the spectator comes late
    wrong = part.frames[middle]
    lines[middle + 1] = lines[middle + 1].replace(b'"inputs":[', b'"inputs":[1')
    part.path.write_bytes(b"".join(lines[:-1]) + b'{"frame":cut')
    _compare(outcome)
    assert (part.differing_frame, outcome.differing_frame) == (wrong, wrong)
    assert len(part.frames) == 400 - part.frames.start, "a line that was cut is none"
    assert not outcome.logs_are_identical
    assert outcome.exit_code == 1


@pytest.mark.full
def test_no_peer_is_blamed_for_a_simulation_that_depends_on_its_process(tmp_path: Path):
    options = ["--frames", "20", "--players", "2"]
    done = command("broken:Hashing", *options, "-o", str(tmp_path / "out"))
    assert done.exit_code == 1, done.output
    said = "broken:Hashing depends on its process: on the hash seed of strings"
    assert f"{said} (from frame 5 of the log on)" in done.output
    assert "fixsync synctest broken:Hashing" in done.output
    assert "is at fault: replaying" not in done.output


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Clock", "planted:Clock is not repeatable"),
        ("SetOfObjects", "planted:SetOfObjects is not repeatable"),
        ("GlobalCount", "something of planted:GlobalCount outlives a match"),
    ],
)
def test_nobody_is_blamed_for_a_simulation_with_more_than_one_result(
    tmp_path: Path, name: str, said: str
):
    done = command(f"planted:{name}", "--frames", "40", "-o", str(tmp_path / "out"))
    assert done.exit_code == 1, done.output
    assert said in done.output
    assert "is at fault" not in done.output.replace("No peer is at fault", "")


@pytest.mark.full  # a peer waits for one that has raised
def test_a_simulation_that_raises_is_told_by_its_own_tracebacks_alone(tmp_path: Path):
    driver = [sys.executable, "-c", "from fixsync.cli import main; main()", "peers"]
    options = ["broken:Failing", "--rate", "0", "--frames", "20", "-o", "out"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = ran([*driver, *options], cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stdout
    assert done.stderr == ""


def test_logs_that_were_never_begun_are_no_error(tmp_path: Path):
    outcome = Outcome({peer: PeerOutcome(peer, log=tmp_path / str(peer)) for peer in (0, 1)})
    _compare(outcome)
    assert (outcome.differing_frame, outcome.is_good) == (None, False)
    (tmp_path / "1").write_bytes(b"")
    _compare(outcome)
    assert not outcome.logs_are_identical


@pytest.mark.full
@pytest.mark.parametrize("name", ["unit", "set"])
def test_the_command_catches_a_planted_fault_and_tells_frame_field_and_culprit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    # A set's order is drawn in each process: with these keys it is not the sorted one.
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    options = f"--frames 400 --fault {name}@25 --loss 10 --jitter 5".split()
    done = command(*options, "-o", str(tmp_path / "out"))
    assert done.exit_code == 1, done.output
    frame, differences = first_frame_that_replay_denies(tmp_path / "out")
    assert frame == 25 or (name == "set" and frame > 25)
    assert f"desync after frame {frame}" in done.output
    assert f"peer 1 is at fault: replaying its log diverges in frame {frame}" in done.output
    for difference in differences[:3]:
        assert difference in done.output
    assert "same state before it, same inputs" in done.output
    reported = json.loads((tmp_path / "out" / "desync0" / "report.json").read_text())
    assert (reported["frame"], reported["same_inputs"], reported["sides"]) == (
        frame,
        True,
        [[0], [1]],
    )


def first_frame_that_replay_denies(directory: Path) -> tuple[int, list[str]]:
    """The frame in which the log of the faulty peer leaves what its inputs give, and the fields that
    differ then. It knows nothing of sessions."""
    game = SkillFight(1, 2)
    with Reader(directory / "peer1.jsonl") as reader:
        for frame in reader:
            game.step(frame.inputs)  # type: ignore[union-attr, arg-type]
            if f"{game.world.hash():016x}" != frame.hash:
                break
    bad = (directory / "desync1" / "peer1.after.state").read_bytes()
    found = differences(fields_of(game, game.save()), fields_of(game, bad))
    return frame.frame, [difference.text(game.names.ids) for difference in found]


def test_the_command_prints_an_identical_match_and_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    done = command("--frames", "20", "--lockstep")
    assert done.exit_code == 0, done.output
    assert "2 logs of 20 frames: identical, byte for byte; replaying gives the same" in done.output
    assert "\npeer 1: round trip " in done.output
    assert [*tmp_path.iterdir()] == []


@pytest.mark.full
def test_the_command_says_how_many_frames_were_played_and_by_which_clock_a_player_was_late():
    done = command("test_peers:Short", "--frames", "500", "--rate", "120", "--late", "30")
    assert done.exit_code == 0, done.output
    assert "1 log of 150 frames; replaying gives the same" in done.output
    found = re.search(r"peer 1: came when player 0 had confirmed (\d+) frames", done.output)
    joined = re.search(r"peer 1: recorded frames (\d+) to 149, played from", done.output)
    assert found is not None
    assert joined is not None
    assert 30 <= int(found[1]) <= int(joined[1])


@pytest.mark.full
def test_the_command_tells_programs_everything(tmp_path: Path):
    # At a rate, since a match as fast as possible may be over within its first second.
    done = command("--frames", "150", "--rate", "60", "--json", "-o", str(tmp_path))
    reported = json.loads(done.output)
    assert (reported["exit_code"], reported["logs_are_identical"]) == (0, True)
    for peer in reported["peers"]:
        seconds = peer["seconds"]
        uptimes = [second["uptime_s"] for second in seconds]
        assert uptimes == sorted({*uptimes})
        assert seconds[-1]["frame"] > 0
        assert seconds[-1]["bytes_in"] > 0
    assert [peer["reason"] for peer in reported["peers"]] == ["COMPLETED"] * 2
    assert [peer["replay"] for peer in reported["peers"]] == ["identical"] * 2
    assert {peer["log"] for peer in reported["peers"]} == {
        str(tmp_path / f"peer{i}.jsonl") for i in range(2)
    }


class Telling:
    """The process of a peer that says its uptimes, then ends."""

    def __init__(self, *uptimes: int) -> None:
        self.process = self
        self.lines = [Status(uptime_s=uptime) for uptime in uptimes]

    async def line(self) -> Status | None:
        return self.lines.pop(0) if self.lines else None

    async def error_text(self) -> str:
        return ""

    async def wait(self) -> int:
        return 0


def test_a_second_in_which_a_peer_said_nothing_makes_no_later_one_twice(tmp_path: Path) -> None:
    async def followed() -> list[int]:
        places: Any = None
        match = _Match(Run(), tmp_path, places, places, lambda _: None)
        match._processes[0] = Telling(0, 1, 1, 3, 3, 3, 4)  # type: ignore[assignment]
        await match._follow(0)
        return [second.uptime_s for second in match.outcome.peers[0].seconds]

    assert asyncio.run(followed()) == [1, 3, 4]


@each(
    "options",
    [
        "--fault bogus",
        "--fault unit@x",
        "--fault unit@600",
        "--fault unit --fault-peer 2",
        "--restart 600",
        "--late 600",
        "--late 10 --restart 20",
        "--late 10 --fault unit",
        "--fault-peer 1",
        "--loss 101",
        "--players 1",
    ],
)
def test_options_that_make_no_sense_are_refused(options: str):
    done = command(*options.split())
    assert done.exit_code == 2
    assert "Usage:" in done.output


@pytest.mark.full
def test_peers_in_network_namespaces_agree_too(tmp_path: Path):
    with ExitStack() as stack:
        try:
            places = stack.enter_context(Namespaces(2))
        except OSError as error:
            pytest.skip(str(error))
        outcome = outcome_of(tmp_path, places, frames=60, impairment=STORM)
    check_logs(outcome, 60)
    left = ran(["ip", "netns", "list"], check=True).stdout
    assert f"fixsync-{os.getpid()}" not in left


# The relay and the driver, in this process.


def packets_at(end: Endpoint) -> list[bytes]:
    """What has arrived at a socket."""
    found = []
    with suppress(BlockingIOError):
        while True:
            found.append(end.socket.recv(2048))
    return found


class CountingRelay(Relay):
    came = 0

    def pass_on(self, *packet: Any) -> None:
        self.came += 1
        super().pass_on(*packet)


def test_the_relay_does_what_it_is_told_and_no_more():
    async def received(impairment: Impairment, count: int) -> list[bytes]:
        relay = CountingRelay(impairment, 7)
        await relay.open(2)
        got: list[bytes] = []
        ends = [Endpoint() for _ in range(2)]
        for peer, end in enumerate(ends):
            relay.introduce(peer, end.address)
            end.addresses = {1 - peer: ("127.0.0.1", relay.front(1 - peer))}
        outsider = Endpoint()
        outsider.addresses = {1: ("127.0.0.1", relay.front(1))}
        outsider.send(1, b"who?")
        for sent in range(count):
            ends[0].send(1, sent.to_bytes(2, "big"))
            if sent % 20 == 19:
                while relay.came <= sent + 1 or len(got) < relay.passed:
                    await asyncio.sleep(0.001)
                    got += packets_at(ends[1])
        for thing in (relay, outsider, *ends):
            thing.close()
        await asyncio.sleep(0)
        return got

    numbers = [number.to_bytes(2, "big") for number in range(200)]
    assert asyncio.run(received(Impairment(), 200)) == numbers
    lost = asyncio.run(received(Impairment(loss=30), 200))
    assert 100 < len(lost) < 180
    assert lost == sorted(lost)
    doubled = asyncio.run(received(Impairment(duplicate=50), 200))
    assert 250 < len(doubled) < 350
    shaken = asyncio.run(received(Impairment(latency_ms=5, jitter_ms=20, reorder=10), 200))
    assert sorted(shaken) == numbers
    assert shaken != numbers
    assert asyncio.run(received(Impairment(loss=100), 20)) == []


@pytest.mark.parametrize(
    "changes", [{"loss": 101}, {"jitter_ms": -1}, {"duplicate": -1}, {"latency_ms": 60_001}]
)
def test_an_impairment_out_of_range_is_refused(changes: dict[str, int]):
    with pytest.raises(ValueError, match=next(iter(changes))):
        Impairment(**changes)


def session(me: int, frames: int) -> RollbackSession:
    match = Match("bumpers", seed=3, players=2, prediction_max=4, frames=frames)
    now: dict[str, Any] = {"start_number": 1, "nonce": token_bytes(16), "now_ms": now_ms()}
    return RollbackSession(match, Bumpers(3, 2), me, **now, timing=PATIENT, kernel=KERNEL)


def test_a_session_is_driven_over_sockets_and_finds_a_peer_that_has_moved():
    reported: list[Notice] = []

    async def both() -> None:
        first, second, moved = [Endpoint() for _ in range(3)]
        # The second knows the first; the first finds the second by what it sends.
        host = asyncio.create_task(
            play(first, session(0, 150), {}, lambda: 1, reported.append, rate=0)
        )

        def joins(endpoint: Endpoint) -> asyncio.Task[End]:
            known = {0: first.address}
            return asyncio.create_task(play(endpoint, session(1, 150), known, lambda: 2, rate=0))

        guest = joins(second)
        while len(reported) < 30:
            await asyncio.sleep(0.005)
        guest.cancel()
        second.close()
        ends = await asyncio.gather(host, joins(moved))
        assert [end.reason for end in ends] == [Reason.COMPLETED] * 2
        assert first.addresses == {1: moved.address}
        for endpoint in (first, moved):
            endpoint.close()

    asyncio.run(both())


def test_a_plain_loop_plays_a_match_by_polling():
    reported: list[list[Notice]] = [[], []]
    sessions = [session(me, 60) for me in range(2)]
    with Endpoint() as host, Endpoint() as guest:
        host.begin(sessions[0], {})
        guest.begin(sessions[1], {0: host.address})
        while not all(each.is_over for each in sessions):
            for me, end in enumerate((host, guest)):
                reported[me] += end.poll(1 + me)
            time.sleep(0.002)
    confirmed = [[note for note in notes if isinstance(note, Confirmed)] for notes in reported]
    assert [each.end and each.end.reason for each in sessions] == [Reason.COMPLETED] * 2
    assert len(confirmed[0]) == 60
    assert confirmed[0] == confirmed[1]


def test_an_exchange_receives_and_sends_without_a_step():
    sessions = [session(me, 60) for me in range(2)]
    with Endpoint() as host, Endpoint() as guest:
        host.begin(sessions[0], {})
        guest.begin(sessions[1], {0: host.address})
        while any(each.phase is Phase.CONNECTING for each in sessions):
            for end in (host, guest):
                end.exchange()
            time.sleep(0.002)
        while not sessions[1].frame:
            guest.poll(2)
            time.sleep(0.002)
        received = sessions[0].received
        while sessions[0].received == received:
            host.exchange()
            guest.exchange()
            time.sleep(0.002)
        assert sessions[0].frame == 0
        host.poll(1)
        assert sessions[0].frame == 1


def test_an_endpoint_without_a_session_or_a_socket_says_so():
    end = Endpoint()
    with pytest.raises(ValueError, match="call begin first"):
        end.poll(0)
    with pytest.raises(ValueError, match="call begin first"):
        end.exchange()
    end.close()
    with pytest.raises(OSError):
        end.address  # noqa: B018 - the property raises
    with pytest.raises(OSError), Endpoint() as taken:
        Endpoint(*taken.address)


@pytest.mark.parametrize(
    ("address", "error", "said"),
    [
        (("127.0.0.1", 99999), ValueError, "port of peer 1 must be 1..65535, not 99999"),
        (("127.0.0.1", 0), ValueError, "port of peer 1 must be 1..65535, not 0"),
        (("127.0.0.1", "7777"), TypeError, "port of peer 1 must be an integer"),
        (("::1", 7777), OSError, "host '::1' of peer 1 is not found"),
        (("two..dots", 7777), OSError, "host 'two..dots' of peer 1 is not found"),
    ],
)
def test_an_address_that_cannot_be_is_refused_when_it_is_given(
    address: Any, error: type[Exception], said: str
):
    with Endpoint() as end:
        with pytest.raises(error) as refused:
            end.begin(session(0, 60), {0: ("127.0.0.1", 7), 1: address})
        assert said in str(refused.value)
        assert (end.session, end.addresses) == (None, {})
    with pytest.raises(ValueError, match=r"port must be 0\.\.65535, not 99999"):
        Endpoint("127.0.0.1", 99999)


# Floods, outsiders, addresses.


class Crowd:
    """A socket at which something always waits."""

    def __init__(self, source: tuple[Any, ...] = ("127.0.0.1", 9)) -> None:
        self.came = 0
        self.source = source

    def recvfrom(self, _size: int) -> tuple[bytes, tuple[Any, ...]]:
        self.came += 1
        return b"noise", self.source

    def fileno(self) -> int:
        return 3

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", 9

    def sendto(self, *_: Any) -> None: ...

    def close(self) -> None: ...


def test_a_poll_takes_a_bounded_number_of_packets_and_ends_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
):
    clock = [0]
    monkeypatch.setattr("fixsync.session.udp.time.monotonic_ns", lambda: clock[0])
    end = Endpoint()
    end.begin(session(0, 60), {})
    end.close()
    for speed_ns, counts in ((0, [256, 256, 64]), (1_000_000, [4, 4, 2])):
        crowds = [Crowd(), Crowd(), Crowd()]
        end._by_address = {("127.0.0.1", 1): crowds[0], ("127.0.0.1", 2): crowds[1]}  # type: ignore[dict-item]
        end.socket = crowds[2]  # type: ignore[assignment]

        def slow(*_: Any, speed_ns: int = speed_ns) -> bool:
            clock[0] += speed_ns
            return False

        end.take = slow  # type: ignore[method-assign]
        end.poll(0)
        assert [crowd.came for crowd in crowds] == counts
    end._is_shared = False  # as on Windows
    end.socket = crowd = Crowd()  # type: ignore[assignment]
    end.poll(0)
    assert crowd.came == 8


def test_a_flood_does_not_displace_what_a_peer_sends():
    with Endpoint() as host, Endpoint() as guest, Endpoint() as outsider:
        sessions = [session(me, 60) for me in range(2)]
        host.begin(sessions[0], {1: guest.address})
        guest.begin(sessions[1], {0: host.address})
        outsider.addresses = {0: host.address, 1: guest.address}
        while not all(each.is_over for each in sessions):
            for _ in range(400):  # more than a socket holds
                outsider.send(0, b"noise")
                outsider.send(1, b"noise")
            for end in (host, guest):
                end.poll(1)
    assert [each.end and each.end.reason for each in sessions] == [Reason.COMPLETED] * 2
    assert all(each.refused > 0 for each in sessions)


def test_no_other_program_can_bind_the_port_whatever_it_asks_for():
    with Endpoint() as end, Endpoint() as other:
        end.begin(session(0, 60), {1: other.address})
        assert len(end._by_address) == 1
        for option in ("SO_REUSEADDR", "SO_REUSEPORT"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
                taken.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
                with pytest.raises(OSError):
                    taken.bind(end.address)


def test_where_ports_cannot_be_shared_one_socket_serves_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fixsync.session.udp._CAN_SHARE_PORTS", False)
    sessions = [session(me, 30) for me in range(2)]
    with Endpoint() as host, Endpoint() as guest:
        host.begin(sessions[0], {})
        guest.begin(sessions[1], {0: host.address})
        assert not guest._by_address
        while not all(each.is_over for each in sessions):
            for end in (host, guest):
                end.poll(1)
                end.wait(1)
    assert [each.end and each.end.reason for each in sessions] == [Reason.COMPLETED] * 2


class Heard:
    """A session that takes everything as peer 1's."""

    may = False

    def receive(self, _data: bytes, _now: int) -> int:
        return 1

    def answers(self, _now: int) -> list[bytes]:
        return []

    def may_move(self, _peer: int, _now: int) -> bool:
        return self.may


def test_an_address_moves_only_when_the_session_allows_it_and_keeps_its_scope():
    with Endpoint() as end:
        end._is_shared = False  # Nothing is connected.
        end.session = heard = Heard()  # type: ignore[assignment]
        first, second = ("fe80::1", 7, 5, 2), ("fe80::1", 7, 0, 3)
        end.take(b"", first)
        assert end.addresses == {1: ("fe80::1", 7, 0, 2)}
        end.take(b"", second)
        assert end.addresses == {1: ("fe80::1", 7, 0, 2)}
        heard.may = True  # type: ignore[attr-defined]
        end.take(b"", second)
        assert end.addresses == {1: second}


def test_an_error_of_the_network_at_a_socket_raises_nothing():
    with Endpoint() as end, Endpoint() as gone:
        end.begin(session(0, 60), {1: gone.address})
        gone.close()
        for _ in range(5):
            end.poll(0)
            time.sleep(0.06)  # a Hello goes out, and is answered by an error
        assert end.session is not None
        assert end.session.end is None


@pytest.mark.full
def test_peers_are_of_the_fixsync_that_starts_them_and_not_of_one_in_the_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "fixsync").mkdir()
    (tmp_path / "fixsync" / "__init__.py").write_text("raise ImportError('another fixsync')\n")
    code = "import sys; sys.path[:] = filter(None, sys.path); from fixsync.cli import main; main()"
    command = [sys.executable, "-c", code, "peers", "--frames", "30", "--rate", "0"]
    done = ran(command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_stays_of_a_match_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(_: Any, directory: Path, __: Any) -> None:
        (directory / "peer0.jsonl").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("fixsync.cli.peers.run", interrupted)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = CliRunner().invoke(peers_command, ["--frames", "3"])
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code == 1  # of an aborted command; the command line makes it 130
    assert list(tmp_path.iterdir()) == []

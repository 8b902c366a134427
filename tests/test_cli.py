"""The command line: what it prints, and with which exit code it ends, for every kind of log."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import logs
import pytest
from rich.console import Console
from tools import Run, by_default, lock, ran

import fixsync
from fixsync import cli
from fixsync.cli.text import decimal, duration, units

SMALL = str(Path(__file__).parent / "vectors" / "small.jsonl")
MAP = str(Path(__file__).resolve().parent.parent / "examples" / "arena.tmj")
FRAMES = logs.model_frames(logs.small_match())
BARE = [{"frame": frame["frame"], "commands": frame["commands"]} for frame in FRAMES]

POSIX = pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="this system has no such names")
FULL_DISK = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")


def broken(directory: Path, name: str = "match.jsonl", **fields: Any) -> Path:
    return logs.broken(directory / name, **fields)


def good(directory: Path, name: str = "good.jsonl", *, footer: bool = True) -> Path:
    return logs.write(directory / name, logs.header(), FRAMES, footer=footer)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def rows_of(out: str) -> list[str]:
    """Lines without the blanks between columns."""
    return [" ".join(line.split()) for line in out.splitlines()]


# replay


def test_identical_logs_have_one_row_each_and_one_count_of_all(run: Run, tmp_path: Path) -> None:
    code, out, err = run("replay", SMALL)
    assert (code, err) == (0, "")
    assert f"identical 40 2 aa0812705abe0427 {SMALL}" in rows_of(out)
    assert "identical: compared the events of 40 frames, 21 answers and 40 hashes" in out
    assert out.count(SMALL) == 1
    broken(tmp_path, "wrong.jsonl", hash="0" * 16)
    code, out, _ = run("replay", SMALL, SMALL, tmp_path)
    assert code == 1
    assert out.count(SMALL) == 2
    assert "identical: compared the events of 80 frames, 42 answers and 80 hashes" in out
    assert out.count("wrong.jsonl") == 2


def test_output_for_a_pipe_has_neither_colours_nor_blanks_at_line_ends(
    run: Run, tmp_path: Path
) -> None:
    name = "a-file-with-quite-a-long-name-that-would-not-fit-into-a-table-of-80-columns.jsonl"
    wrong, _ = broken(tmp_path, hash="0" * 16), good(tmp_path, name)
    for arguments in (["replay", tmp_path, SMALL], ["info", SMALL], ["diff", SMALL, wrong]):
        _, out, _ = run(*arguments)
        assert "\x1b" not in out
        assert all(line == line.rstrip() for line in out.splitlines())
        assert name in out or arguments[0] != "replay"


@pytest.mark.parametrize("columns", [30, 40, 60, 80, 300])
def test_on_a_terminal_of_any_width_nothing_of_a_table_is_left_out(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: int
) -> None:
    def terminal(_: Any = None) -> Console:
        return Console(width=columns, force_terminal=True, no_color=True, highlight=False)

    monkeypatch.setattr("fixsync.cli.text.console", terminal)
    name = "Z" * 100
    _, out, _ = run("replay", SMALL, good(tmp_path, f"{name}.jsonl"))
    table = re.sub(r"\x1b\[[0-9;]*m", "", out)
    table = table[: table.index("identical: compared the events")].rpartition("\n\n")[0]
    assert all(len(line) <= columns for line in table.splitlines())
    assert "…" not in table
    assert columns < 300 or name in table
    if columns > 30:  # no number is broken in two
        assert all(hash in table for hash in ("aa0812705abe0427", FRAMES[-1]["hash"]))
    reported = "".join(table.split())
    for words in ("frames", "40", "aa0812705abe0427", FRAMES[-1]["hash"], "identical"):
        assert words in reported
    assert table.count("Z") == len(name)  # in several pieces, perhaps


def test_a_diverged_log_ends_with_1_and_tells_the_first_difference(
    run: Run, tmp_path: Path
) -> None:
    frames = [dict(one) for one in FRAMES]
    frames[2]["events"] = [[1, 2, 2, 1]]
    head = logs.header(names={"ids": {"2": "boss"}, "layers": {"1": "enemies"}})
    path = logs.write(tmp_path / "match.jsonl", head, frames)
    code, out, _ = run("replay", path)
    assert code == 1
    reported = out[out.index("  diverged in frame") :].splitlines()
    assert reported == [
        "  diverged in frame 2 (line 4)",
        '  pair 1, 2 "boss"',
        "    the log says     STAY TOUCHING",
        "    replaying gives  STAY OVERLAPPING",
        "    1: sphere radius 0.00015 (10)",
        "      position 0, 0, 0 (0, 0, 0)",
        "      yaw 0° (0), layer 0, no owner",
        '    2 "boss": sphere radius 0.00015 (10)',
        "      position 0.00029, 0, 0 (19, 0, 0)",
        '      yaw 0° (0), layer 1 "enemies", owner 7',
        "  frames that differ: 1 of 4",
    ]


@pytest.mark.parametrize(
    ("fields", "reported"),
    [
        ({"hash": "0" * 16}, ["the world's hash differs", "the log says     0000000000000000"]),
        ({"queries": [[1]]},
         ['queries[0], the answer to ["query",["sphere",10],[0,0,0],0,4294967295]',
          "gives  [1,2]"]),
        ({"queries": []}, ["the log says     no answer", "replaying gives  [1,2]"]),
        ({"queries": [[1, 2], []]},
         ["queries[1], for which there is no query", "replaying gives  no answer"]),
        ({"events": [], "hash": "0" * 16},
         ["the log says     no event", "also different in this frame: hash"]),
    ],
)  # fmt: skip
def test_every_kind_of_difference_is_told_in_words(
    run: Run, tmp_path: Path, fields: Any, reported: list[str]
) -> None:
    code, out, _ = run("replay", broken(tmp_path, **fields))
    assert code == 1
    for words in reported:
        assert words in out


BAD_FILES: list[tuple[Callable[[bytes], bytes], int, str]] = [
    (lambda text: text.replace(b'"frame":2', b'"frame":3'), 2, "a frame is missing"),
    (lambda text: text.replace(b'["turn",5,', b'["turn",4,'), 2, "commands[1]: id 4 is not in the"),
    (lambda _: b"", 2, "the file is empty"),
    (lambda text: text.split(b"\n", 1)[1], 2, "line 1, format: the key is missing"),
    (lambda text: b"\xef\xbb\xbf" + text, 2, "line 1: a byte order mark"),
    (lambda text: text + b"\n", 2, "text after the last line"),
    (lambda text: text[: text.index(b'{"frame":3') + 30], 3, "cut short after 3 frames"),
    (lambda text: text[: text.index(b'{"frame":3')], 3, "cut short after 3 frames"),
    (lambda text: text[:-1], 3, "the last line has no line feed"),
    (lambda text: text[: text.index(b'{"frames"')], 3, "there is no last line"),
]


@pytest.mark.parametrize(("make", "code", "words"), BAD_FILES)
def test_every_way_to_be_no_good_log_has_its_words_and_its_exit_code(
    run: Run, tmp_path: Path, make: Callable[[bytes], bytes], code: int, words: str
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(make(logs.text_of(logs.header(), FRAMES)))
    found, out, err = run("replay", path)
    assert (found, err) == (code, "")
    assert words in out
    assert str(path) in out


def test_of_several_logs_the_worst_decides_and_all_are_told(run: Run, tmp_path: Path) -> None:
    fine, cut = good(tmp_path, "1.jsonl"), good(tmp_path, "2.jsonl", footer=False)
    wrong = broken(tmp_path, "3.jsonl", hash="0" * 16)
    refused = broken(tmp_path, "4.jsonl", commands=[["remove", 0]])
    wrong_and_cut = broken(tmp_path, "5.jsonl", footer=False, hash="0" * 16)
    for files, code in (
        ([fine, fine], 0),
        ([fine, cut], 3),
        ([wrong_and_cut], 1),
        ([wrong, cut, fine], 1),
        ([fine, refused, wrong, cut], 2),
        ([tmp_path], 2),
    ):
        found, out, _ = run("replay", *files)
        assert found == code
        assert all(str(file) in out for file in files)
        if wrong_and_cut in files:
            assert "cut short after 4 frames" in out
            assert "diverged in frame 2" in out


def test_a_folder_that_cannot_be_read_is_not_passed_over(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = run("replay", tmp_path)
    assert code == 2
    assert "no match logs" in err
    good(tmp_path)
    (tmp_path / "locked").mkdir()
    lock(monkeypatch)
    code, out, err = run("replay", tmp_path)
    assert (code, out) == (2, "")
    assert "locked" in err


@POSIX
def test_a_link_to_a_log_that_is_not_there_is_not_passed_over(run: Run, tmp_path: Path) -> None:
    good(tmp_path)
    (tmp_path / "link.jsonl").symlink_to("nowhere.jsonl")
    (tmp_path / "round.jsonl").symlink_to("round.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")  # nobody's log, and nobody would ever end it
    code, out, _ = run("replay", "--json", tmp_path)
    found = {Path(log["log"]).name: log for log in json.loads(out)["logs"]}
    assert code == 2
    verdicts = {name: log["verdict"] for name, log in found.items()}
    assert verdicts == {
        "good.jsonl": "identical",
        "link.jsonl": "unreadable",
        "round.jsonl": "unreadable",
    }
    link = tmp_path / "link.jsonl"
    assert found["link.jsonl"]["error"]["message"] == f"{link}: No such file or directory"
    assert f"\nunreadable: {link}: No such file or directory\n" in run("replay", tmp_path)[1]


def test_the_filled_log_is_complete_and_replays_as_identical(run: Run, folder: Path) -> None:
    logs.write(folder / "bare.jsonl", logs.header(), BARE)
    code, out, _ = run("replay", "bare.jsonl")
    assert code == 0
    assert "nothing to compare" in out
    assert "identical" not in out
    code, out, _ = run("replay", "bare.jsonl", "-o", "filled.jsonl.gz")
    assert code == 0
    assert "written: filled.jsonl.gz (4 frames, complete)" in out
    assert run("replay", "filled.jsonl.gz")[0] == 0
    code, out, _ = run("replay", good(folder, footer=False), "-o", "cut.jsonl")
    assert code == 3
    assert "4 frames, cut short like the log" in out
    cut = logs.text_of(logs.header(), FRAMES, footer=False)
    assert Path("cut.jsonl").read_bytes() == cut


def test_nothing_is_written_for_a_log_that_is_not_valid(run: Run, folder: Path) -> None:
    refused = broken(folder, commands=[["remove", 0]])
    code, out, _ = run("replay", refused, "-o", "filled.jsonl")
    assert code == 2
    assert "written:" not in out
    assert [file.name for file in folder.iterdir()] == ["match.jsonl"]


def test_replay_as_json_has_all_that_the_text_has(run: Run, tmp_path: Path) -> None:
    good(tmp_path)
    broken(tmp_path, "match.jsonl", events=[[1, 2, 2, 1]])
    refused = broken(tmp_path, "refused.jsonl", commands=[["remove", 0]])
    code, out, _ = run("replay", "--json", tmp_path)
    document = json.loads(out)
    assert document["exit_code"] == code == 2
    by_name = {Path(log["log"]).name: log for log in document["logs"]}
    assert by_name["good.jsonl"]["verdict"] == "identical"
    assert by_name["good.jsonl"]["compared"] == {
        "events": 4,
        "queries": 4,
        "hashes": 4,
        "game": 0,
        "states": 0,
    }
    assert by_name["good.jsonl"]["hash"] == FRAMES[-1]["hash"]
    difference = by_name["match.jsonl"]["difference"]
    assert (difference["frame"], difference["pair"]) == (2, [1, 2])
    assert (difference["expected"], difference["found"]) == ([[2, 1]], [[2, 2]])
    assert difference["colliders"]["2"]["position"] == [19, 0, 0]
    error = by_name["refused.jsonl"]["error"]
    assert (error["file"], error["line"], error["field"]) == (str(refused), 4, "commands[0]")


# Calls that are refused.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay"], "Missing argument 'LOG...'"),
        (["replay", "no-such-file.jsonl"], "'no-such-file.jsonl' does not exist"),
        (["replay", SMALL, SMALL, "-o", "x.jsonl"], "-o takes one log, not 2"),
        (["replay", SMALL, "-o", "no-such/x.jsonl"], "no-such/x.jsonl cannot be written"),
        (["replay", SMALL, "-o", ""], "-o' / '--output': a name is needed"),
        (["replay", SMALL, "--sim", "nonsense"], "nonsense"),
        (["replay", SMALL, "--sim", "no_such_module:thing"], "no_such_module"),
        (["replay", "--fast", SMALL], "No such option"),
        (["replay", "--", "--json"], "'--json' does not exist"),
        (["diff", SMALL], "Missing argument 'B'"),
        (["info"], "Missing argument"),
        (["rewind"], "No such command 'rewind'"),
        (["repaly", SMALL], "No such command 'repaly'. Did you mean 'replay'?"),
        (["INFO", SMALL], "No such command 'INFO'. Did you mean 'info'?"),
        (["farm", SMALL, "--time-limit", "nan"], "'--time-limit': 'nan' is not a valid integer"),
        (["peers", "-o", ""], "'-o' / '--out': a name is needed"),
        (["peers", "-o", "-"], "standard output is not a folder"),
        (["demo", "-o", "-"], "standard output is not a folder"),
        (["view", SMALL, "-o", "-", "--open"], "--open needs a page in a file"),
        (["level", MAP, "-o", "a.png"], "-o writes .fxlevel or .svg, not a.png"),
        *(
            (["level", MAP, *words, "0"], f"'{words[-1]}': must be 1/65536..1000000000, not 0")
            for words in (["--pixels-per-unit"], ["--line-width"], ["--side", "--steps"])
        ),
        (["level", MAP, "--pixels-per-unit", "1e3"],
         "a number is written as '3', '-0.5' or '3/2'"),
        (["level", MAP, "--origin", "5"], "two numbers are X,Y, not '5'"),
    ],
)  # fmt: skip
def test_a_wrong_call_ends_with_2_and_says_what_is_wrong(
    run: Run, folder: Path, arguments: list[str], words: str
) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert "Traceback" not in err or "no_such_module" in words
    assert list(folder.iterdir()) == []


def test_names_out_of_a_log_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    head = logs.header(meta={"\x1b[2J": "\x1b]0;x\x07"}, names={"ids": {"1": "\x1b[31mred\u202e"}})
    frames = [dict(one) for one in FRAMES]
    frames[2]["events"] = []
    path = logs.write(tmp_path / "match.jsonl", head, frames)
    for arguments in (["replay", path], ["info", path], ["diff", path, SMALL]):
        _, out, err = run(*arguments)
        assert not {"\x1b", "\x07", "\u202e"} & set(out + err)
        assert "\\x1b[31mred\\u202e" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", SMALL, "-o", "none\x1b]0;x\x07/x"],
        ["replay", "none\x1b]0;x\x07"],
        ["farm", "none\x1b]0;x\x07"],
        ["regress", "none\x1b]0;x\x07", "new", SMALL],
        ["synctest", "none\x1b]0;x\x07"],
    ],
)
@pytest.mark.usefixtures("folder")
def test_names_of_files_in_errors_cannot_steer_the_terminal(run: Run, arguments: list[str]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert not {"\x1b", "\x07"} & set(err)
    assert err.splitlines()[-1].startswith("Error: ")


# Simulations.

TOY = """
from fixsync import Pose, Sphere, World
from fixsync.match import sim
class Toy:
    name = 'cli-toy'
    def __init__(self, seed, players):
        self.players, self.world = players, World(1)
        self.world.add(0, Sphere(1), Pose(seed, 0, 0))
    def step(self, inputs):
        self.world.move(0, sum(inputs), 0, 0)
        return self.world.step()
    def save(self): return self.world.save()
    def load(self, data): self.world.load(data)
    def hash(self): return self.world.hash()
"""


def test_a_simulation_can_be_given_on_the_command_line(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "toy_of_the_cli_test.py").write_text(TOY)
    head = logs.header(sim="cli-toy", capacity=1)
    path = logs.write(folder / "match.jsonl", head, [{"frame": 0, "inputs": [3, 4]}])
    code, out, _ = run("replay", path)
    assert code == 2
    assert "needs its simulation: " in out
    assert "sim: no simulation is called 'cli-toy'" in out
    assert "--sim MODULE:OBJECT" in out
    path.write_bytes(path.read_bytes().replace(b"[3,4]", b"[3,4.0]"))
    code, out, _ = run("replay", path)
    assert code == 2
    assert "not valid" in out
    path = logs.write(path, head, [{"frame": 0, "inputs": [3, 4]}])
    code, out, _ = run("replay", path, "--sim", "toy_of_the_cli_test:Toy", "-o", "filled.jsonl")
    assert code == 0
    assert "nothing to compare" in out
    assert run("replay", "filled.jsonl", "--sim", "toy_of_the_cli_test:Toy")[0] == 0
    monkeypatch.delitem(sys.modules, "toy_of_the_cli_test")


@pytest.mark.parametrize(
    "command", [["replay"], ["diff", "match.jsonl"], ["view", "-o", "x.html"], ["farm"]]
)
def test_a_log_cannot_have_a_module_imported_or_a_function_called(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    monkeypatch.setenv("PYTHONPATH", str(folder))
    touch = "Path('here').touch()"
    (folder / "hostile_of_the_cli_test.py").write_text(
        f"from pathlib import Path; {touch}\ndef call(seed, players): {touch}\n"
    )
    head = logs.header(sim="hostile_of_the_cli_test:call", capacity=1)
    path = logs.write(folder / "match.jsonl", head, [{"frame": 0, "inputs": [3, 4]}])
    found, out, err = run(*command, path)
    assert not (folder / "here").exists()
    if command[0] != "diff":  # the same inputs need no simulation to be compared
        assert found == 2
        assert "no simulation is called 'hostile_of_the_cli_test:call'" in out + err


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (":", "simulation ':': expected a name, or module:object"),
        (".x:y", "simulation '.x:y': expected a name, or module:object"),
        ("x:", "simulation 'x:': expected a name, or module:object"),
        ("wrong_of_the_cli_test:X", "cannot be imported: SyntaxError: "),
        ("lacking_of_the_cli_test:X",
         "cannot be imported: ModuleNotFoundError: No module named 'no_such"),
        ("ending_of_the_cli_test:X", "cannot be imported: SystemExit: 3"),
        ("raising_of_the_cli_test:X", "cannot be imported: ImportError: ValueError: q: 7"),
        ("typing_of_the_cli_test:X", "cannot be imported: AttributeError: module 'sys' has no"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", [["synctest"], ["replay", SMALL, "--sim"]])
def test_a_simulation_that_cannot_be_imported_is_no_defect_of_fixsync(
    run: Run, folder: Path, command: list[str], reference: str, words: str
) -> None:
    (folder / "wrong_of_the_cli_test.py").write_text("def f(:\n")
    (folder / "ending_of_the_cli_test.py").write_text("import sys; sys.exit(3)\n")
    (folder / "raising_of_the_cli_test.py").write_text("raise ValueError('q: 7')\n")
    (folder / "typing_of_the_cli_test.py").write_text("import sys; sys.exi\n")
    (folder / "lacking_of_the_cli_test.py").write_text("import no_such_module\n")
    code, out, err = run(*command, reference)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert ("_of_the_cli_test.py" in err) is ("_of_the" in reference)  # where it is


# diff and info


def test_diff_ends_with_0_1_or_2(run: Run, tmp_path: Path) -> None:
    fine, wrong = good(tmp_path), broken(tmp_path, "wrong.jsonl", hash="0" * 16)
    refused = broken(tmp_path, "refused.jsonl", commands=[["remove", 0]])
    code, out, _ = run("diff", fine, fine)
    assert code == 0
    assert "the 4 frames are the same\n" in out
    code, out, _ = run("diff", fine, wrong)
    assert code == 1
    assert "first difference in frame 2 (line 4):" in out
    code, out, _ = run("diff", fine, refused)
    assert code == 2
    assert "not a valid log:" in out
    assert "commands[0]: id 0 is not in the world" in out


def test_diff_tells_states_in_units_and_raw(run: Run, tmp_path: Path) -> None:
    other = [list(commands) for commands in logs.small_match()]
    other[3][1] = ["turn", 5, 16384]
    other[3][0] = ["move", 2, [65536 + 16384, 0, 0]]
    path = logs.write(tmp_path / "other.jsonl", logs.header(), logs.model_frames(other))
    code, out, _ = run("diff", good(tmp_path), path)
    assert code == 1
    rows = rows_of(out)
    moved = "commands[0] move 2: position 0.00076, 0, 0 (50, 0, 0) 1.25, 0, 0 (81920, 0, 0)"
    assert moved in rows
    assert "state collider 2: x 0.00076 (50) 1.25 (81920)" in rows
    assert "state collider 5: yaw 0.016° (3) 90° (16384)" in rows


def test_diff_names_layers_keys_and_contacts_in_words(run: Run, tmp_path: Path) -> None:
    names = {"layers": {"0": "hero", "1": "wall"}, "ids": {"2": "gate"}}
    other = {"hit_when": 2, "meta": {"build": {"n": "1"}}, "names": {"layers": names["layers"]}}
    heads = [
        logs.header(layers=[[0, 1]], meta={"build": {"n": 1}}, names=names),
        logs.header(**other),
        logs.header(**other),
    ]
    pairs = [[0, 1]], [[0, 1]], [[0, 1], [1, 1]]
    a, b, c = (
        logs.write(
            tmp_path / f"{n}.jsonl", head, [{"frame": 0, "commands": [["layers", pairs[n]]]}]
        )
        for n, head in enumerate(heads)
    )
    rows = rows_of(run("diff", a, b)[1])
    first = rows.index("hit_when TOUCHING OVERLAPPING")
    assert rows[first : first + 4] == [
        "hit_when TOUCHING OVERLAPPING",
        "layers that meet hero-wall all",
        'meta.build.n 1 "1"',
        'name of id 2 "gate" absent',
    ]
    assert rows_of(run("diff", b, c)[1])[-2:] == [
        "commands[0] layers hero-wall hero-wall, wall-wall",
        "state layers wall-wall apart meet",
    ]


def test_diff_as_json_and_with_few_rows(run: Run, tmp_path: Path) -> None:
    fine, wrong = good(tmp_path), broken(tmp_path, "wrong.jsonl", hash="0" * 16, queries=[])
    code, out, _ = run("diff", "--json", fine, wrong)
    document = json.loads(out)
    assert (document["exit_code"], document["same"], document["frame"]) == (code, False, 2)
    assert [row["group"] for row in document["differences"]] == ["queries", "hash"]
    _, out, _ = run("diff", "--rows", "1", fine, wrong)
    assert "and 1 more difference in this frame" in out


def test_info_counts_what_is_in_a_log(run: Run, tmp_path: Path) -> None:
    head = logs.header(tick_rate=[60, 2], meta={"arena": "pit", "set": [1, True]}, unit_mm=25)
    head["names"] = {"layers": {"2": "walls"}}
    path = logs.write(tmp_path / "match.jsonl", head, FRAMES)
    code, out, _ = run("info", path)
    assert code == 0
    rows = {line[:15].rstrip(): line[16:].strip() for line in out.splitlines()}
    assert (
        rows.items()
        >= {
            "frames": "4 at 60/2 a second: 0.13 s",
            "meta arena": "pit",
            "meta set": "[1,true]",
            "whole": "with a checksum, which is right",
            "commands": "11: query 4, add 3, move 3, turn 1",
            "colliders": "at most 3 at once",
            "added by shape": "sphere 2, box 1",
            "added by layer": '0: 1, 1: 1, 2 "walls": 1',
            "events": "enter 1, stay 1, exit 1 (of 4 frames)",
            "most hits": "1 in frame 1",
            "positions in y": "0 (0) to 0.01373 (900)",
            "answers": "4 (of 4 frames)",
            "hashes": f"4, the last {FRAMES[-1]['hash']}",
        }.items()
    )
    document = json.loads(run("info", "--json", path)[1])["logs"][0]
    assert document["header"]["meta"] == {"arena": "pit", "set": [1, True]}
    assert document["commands"] == {"add": 3, "query": 4, "move": 3, "turn": 1}
    assert (document["valid"], document["hits"], document["colliders_max"]) == (True, 2, 3)


def test_info_of_a_log_that_is_not_valid_ends_with_2_and_tells_what_it_read(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(logs.text_of(logs.header(), FRAMES).replace(b"[50,0,0]", b"[50.0,0,0]"))
    code, out, _ = run("info", path, SMALL)
    assert code == 2
    assert "line 5, commands[0][2][0]: expected an integer, found 50.0" in out
    assert "frames" in out
    assert SMALL in out
    code, out, _ = run("info", broken(tmp_path, commands=[["turn", 1, 0], ["remove", 6]]))
    assert code == 2
    assert "line 4, commands[1][1]: 6 is not in 0..5, the range of the log's capacity" in out
    path.write_bytes(b"{")
    assert "match.jsonl (1 byte)\n" in run("info", path)[1]


def test_info_knows_cut_logs_and_those_of_simulations_without_having_them(
    run: Run, tmp_path: Path
) -> None:
    code, out, _ = run("info", good(tmp_path, footer=False))
    assert code == 0
    assert "after 4 frames: there is no last line" in out
    head = logs.header(sim="test-unknown", seed=77)
    path = logs.write(tmp_path / "match.jsonl", head, [{"frame": 0, "inputs": [1, [2, 3], 4]}])
    code, out, _ = run("info", path)
    assert code == 0
    for words in ('inputs of sim "test-unknown"', "77", "players"):
        assert words in out


def test_info_and_replay_tell_what_cannot_be_read_in_the_same_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, locked, fine = (good(tmp_path, f"{name}.jsonl") for name in ("away", "locked", "fine"))
    opened = Path.open

    def refused(self: Path, *arguments: Any, **named: Any) -> Any:
        if self.name == "locked.jsonl":
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *arguments, **named)

    monkeypatch.setattr(Path, "open", refused)
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: "locked" not in str(path) and access(path, mode)
    )
    path.unlink()
    path.mkdir()
    code, out, _ = run("info", path, locked, fine)
    assert code == 2
    reason = os.strerror(errno.EACCES if sys.platform == "win32" else errno.EISDIR)
    assert f"log         {path}\nunreadable  {path}: {reason}\n\n" in out
    assert f"log         {locked}\nunreadable  {locked}: Permission denied\n\n" in out
    assert f" {fine} (" in out
    found = json.loads(run("info", "--json", path, locked, fine)[1])["logs"]
    assert [one["verdict"] for one in found] == ["unreadable", "unreadable", "valid"]
    code, out, _ = run("replay", locked, fine)
    assert code == 2
    assert f"\nunreadable: {locked}: Permission denied\n" in out
    (replayed, _) = json.loads(run("replay", "--json", locked, fine)[1])["logs"]
    assert replayed["error"] == found[1]["error"]


# Help, defects, interruptions.


def test_version_and_help(run: Run) -> None:
    assert run("--version") == (0, f"fixsync {fixsync.__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    for command in cli.COMMANDS:
        assert f"  {command} " in out
        code, text, _ = run(command, "--help")
        assert code == 0
        assert f"Usage: fixsync {command} " in text
        assert all(len(line) <= 80 for line in text.splitlines())
    assert out.index("  synctest ") < out.index("\nAdvanced:\n") < out.index("  farm ")


@pytest.mark.parametrize("command", ["replay", "why", "diff", "farm", "peers"])
def test_the_options_of_a_help_are_options(run: Run, command: str) -> None:
    _, said, _ = run(command, "--help")
    rows = re.findall(r"(?m)^  (\S+)", said.partition("\nOptions:\n")[2])
    assert rows
    assert all(row.startswith("-") for row in rows)


@pytest.mark.parametrize("command", ["peers", "level"])
def test_the_options_of_a_long_help_are_grouped(run: Run, command: str) -> None:
    """Each stands once, under a heading with at most eight."""
    _, text, _ = run(command, "--help")
    headings = re.split(r"^\S[^\n]*:$", text[text.index("\nOptions:") :], flags=re.MULTILINE)[1:]
    groups = [re.findall(r"^  (?:-\w, )?(-[\w-]+)", part, re.MULTILINE) for part in headings]
    found = [name for group in groups for name in group]
    assert len(groups) > 3
    assert max(map(len, groups)) <= 8
    assert len(found) == len({*found}) >= 20


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (RuntimeError("a defect"), cli.CRASHED, "RuntimeError: a defect"),
        (KeyboardInterrupt(), cli.INTERRUPTED, "interrupted"),
    ],
)
def test_a_defect_or_an_interruption_does_not_look_like_a_divergence(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("fixsync.cli.replay.replay", stopped)
    found, _, err = run("replay", SMALL)
    assert found == code
    assert words in err


@pytest.mark.parametrize("command", ["replay", "diff"])
def test_a_log_for_which_there_is_too_little_memory_is_not_called_invalid(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def none_left(*_: Any, **__: Any) -> None:
        raise MemoryError("a world of capacity 6 needs more than there is")

    monkeypatch.setattr("fixsync.world.world.World.__init__", none_left)
    path = good(tmp_path)
    more = [SMALL] if command == "diff" else []
    code, out, err = run(command, path, *more)
    assert (code, err) == (2, "")
    assert f"out of memory: {path}, line 1, capacity: a world of capacity 6 needs more" in out
    assert "valid" not in out
    monkeypatch.setattr(f"fixsync.cli.{command}.{command}", none_left)
    code, out, err = run(command, path, *more)
    assert (code, out) == (2, "")
    assert err == "Error: out of memory: a world of capacity 6 needs more than there is\n"


# Streams: pipes that nobody reads, closed ones, disks that are full.


def in_shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command line of a shell, in which $F is `fixsync`."""
    program = f'{shlex.quote(sys.executable)} -c "from fixsync.cli import main; main()"'
    command = command.replace("$F", program).replace("$LOG", shlex.quote(SMALL))
    run = ["bash", "-c", command]
    return ran(run, cwd=cwd)


def as_process(*arguments: Any, **settings: str) -> subprocess.CompletedProcess[str]:
    """`fixsync` as a process of its own, with these variables in its environment."""
    command = [sys.executable, "-c", "from fixsync.cli import main; main()", *map(str, arguments)]
    env = {**os.environ, **settings}
    return ran(command, env=env)


def test_the_installed_command_runs() -> None:
    done = as_process("replay", SMALL)
    assert done.returncode == 0, done.stderr
    assert "identical" in done.stdout


@pytest.mark.parametrize(
    "arguments", by_default(1, [["replay", SMALL], ["--version"], ["--help"], ["none"]])
)
def test_python_runs_the_package_as_the_command(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "fixsync", *arguments]
    done = ran(command)
    expected = as_process(*arguments)
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert done.stderr == expected.stderr


UNREAD = "| true; exit ${PIPESTATUS[0]}"
HALF_READ = "| sh -c 'read line; exec <&-'; exit ${PIPESTATUS[0]}"


@pytest.mark.full
@POSIX
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("$F --help " + UNREAD, 0),
        ("$F --version " + UNREAD, 0),
        ("$F replay --help " + UNREAD, 0),
        ("$F config " + UNREAD, 0),
        ("$F config --json " + UNREAD, 0),
        ("$F peers --frames 3 --rate 0 --json " + UNREAD, 0),
        ("$F peers --frames 9 --rate 0 --fault unit@3 --json " + UNREAD, 1),
        ("$F replay none --json " + UNREAD, 2),
        ("$F rewind 2>&1 >out " + UNREAD, 2),
        ("$F replay 2>&1 >out " + UNREAD, 2),
        ("$F replay none 2>&1 >out " + UNREAD, 2),
        ("$F replay empty.jsonl -o x 2>&1 >out " + UNREAD, 2),
        ("$F replay $(yes good.jsonl | head -n 200) " + HALF_READ, 0),
        ("$F replay $(yes wrong.jsonl | head -n 200) " + HALF_READ, 1),
        ("$F replay --json $(yes good.jsonl | head -n 200) " + HALF_READ, 0),
        ("$F replay --json $(yes wrong.jsonl | head -n 200) " + HALF_READ, 1),
        ("$F info $(yes $LOG | head -n 200) " + HALF_READ, 0),
        ("mkdir gone; cd gone; rmdir ../gone; $F replay $LOG", 0),
        ("mkdir gone; cd gone; rmdir ../gone; $F info $LOG", 0),
        ("mkdir gone; cd gone; rmdir ../gone; $F diff $LOG $LOG", 0),
    ],
)
def test_the_exit_code_is_the_same_whoever_reads_the_output(
    tmp_path: Path, command: str, code: int
) -> None:
    good(tmp_path)
    broken(tmp_path, "wrong.jsonl", hash="0" * 16)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    done = in_shell(command, tmp_path)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stderr == "" or "peers" in command or code == 2


@pytest.mark.full
@POSIX
@pytest.mark.parametrize(
    ("arguments", "code"),
    [("replay $LOG", 0), ("replay $LOG -o x", 0), ("replay none", 2), ("farm .", 0)],
)
def test_a_command_needs_no_standard_error(tmp_path: Path, arguments: str, code: int) -> None:
    good(tmp_path)
    done = in_shell(f"$F {arguments} 2>&-", tmp_path)
    assert done.returncode == code
    assert bool(done.stdout) is (code == 0)  # what is for standard error does not go there


@POSIX
def test_a_verdict_needs_no_standard_output(tmp_path: Path) -> None:
    broken(tmp_path, events=[])
    done = in_shell("$F replay match.jsonl >&-", tmp_path)
    assert (done.returncode, done.stderr) == (1, "")


@FULL_DISK
@pytest.mark.parametrize("arguments", by_default(1, ["replay $LOG", "info $LOG --json", "--help"]))
def test_a_full_disk_is_told_in_a_line(tmp_path: Path, arguments: str) -> None:
    done = in_shell(f"$F {arguments} >/dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write output: No space left on device\n"


@FULL_DISK
@pytest.mark.parametrize("command", ["replay", "view"])
def test_an_output_onto_a_full_disk_is_no_fault_of_the_log(run: Run, command: str) -> None:
    code, out, err = run(command, SMALL, "-o", "/dev/full")
    assert (code, out) == (2, "")
    assert "No space left on device: '/dev/full'" in err


@pytest.mark.full
@pytest.mark.parametrize("command", ["replay", "info", "diff"])
def test_a_name_that_the_locale_cannot_write_hides_no_verdict(tmp_path: Path, command: str) -> None:
    head = logs.header(names={"ids": {"1": "bóss"}})
    frames = [dict(one) for one in FRAMES]
    frames[2]["events"] = []
    path = logs.write(tmp_path / "match.jsonl", head, frames)
    others = [good(tmp_path)] if command == "diff" else []
    done = as_process(command, path, *others, PYTHONIOENCODING="ascii")
    assert done.returncode == (0 if command == "info" else 1), done.stderr
    assert "b\\xf3ss" in done.stdout


@pytest.mark.parametrize("command", ["replay", "view"])
@POSIX
def test_output_to_a_pipe_goes_into_it_and_to_a_link_where_it_leads(
    run: Run, tmp_path: Path, command: str
) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("file")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run(command, SMALL, "-o", pipe)[0] == 0
    assert pipe.is_fifo()
    reader.join(60)
    assert len(got[0]) > 1000
    for _ in range(2):
        assert run(command, SMALL, "-o", link)[0] == 0
    assert link.is_symlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "link", "pipe"]


@pytest.mark.full
@POSIX
@pytest.mark.parametrize("as_json", ["", "--json"])
@pytest.mark.parametrize("command", ["replay", "view"])
def test_what_is_told_of_an_output_to_standard_output_is_not_mixed_into_it(
    tmp_path: Path, command: str, as_json: str
) -> None:
    assert in_shell(f"$F {command} $LOG -o ./- {as_json}", tmp_path).returncode == 0
    assert [file.name for file in tmp_path.iterdir()] == ["-"]  # a file of this name
    (tmp_path / "-").rename(tmp_path / "file")
    written = (tmp_path / "file").read_text()
    for output in ("-", "/dev/stdout"):
        done = in_shell(f"set -o pipefail; $F {command} $LOG {as_json} -o {output} | cat", tmp_path)
        assert (done.returncode, done.stdout) == (0, written)
        reported = done.stderr.replace(",", "")
        assert command == "replay" or str(len(written.encode())) in reported
        assert json.loads(done.stderr) if as_json else done.stderr
    done = in_shell(f"(echo before; $F {command} $LOG -o /dev/stdout; echo after) >>file", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "file").read_text() == f"{written}before\n{written}after\n"
    done = in_shell(f"$F {command} $LOG -o /dev/null", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "written: /dev/null" in done.stdout
    assert in_shell(f"$F {command} $LOG -o /dev/null >/dev/null", tmp_path).stderr == ""
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.full
@POSIX
@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
@pytest.mark.parametrize("command", ["replay", "view"])
def test_a_standard_output_that_is_closed_is_told_and_nothing_else_is_written_to(
    tmp_path: Path, command: str, output: str
) -> None:
    log = good(tmp_path)
    before = (log.stat().st_ino, log.read_bytes())
    done = in_shell(f"$F {command} {log} -o {output} >&-", tmp_path)
    assert done.returncode == 2
    assert "standard output is closed" in done.stderr
    assert (log.stat().st_ino, log.read_bytes()) == before
    assert [file.name for file in tmp_path.iterdir()] == [log.name]


@pytest.mark.full
@pytest.mark.parametrize("output", ["-", pytest.param("/dev/stdout", marks=POSIX)])
@pytest.mark.parametrize(
    "arguments", [["replay", "none"], ["replay", SMALL, SMALL], ["view", SMALL, "--fast"]]
)
def test_an_error_is_not_told_on_a_standard_output_that_is_for_the_output(
    arguments: list[str], output: str
) -> None:
    done = as_process(*arguments, "--json", "-o", output)
    assert (done.returncode, done.stdout) == (2, "")
    assert json.loads(done.stderr)["exit_code"] == 2


def long_log(directory: Path) -> None:
    frames = [
        {"frame": n, "commands": [["query", ["sphere", 1], [n, n, 0], n, n]] * 20}
        for n in range(500)
    ]
    logs.write(directory / "match.jsonl", logs.header(), frames)


@pytest.mark.full
@POSIX
@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.jsonl.xz"])
def test_nothing_stays_of_an_output_that_does_not_fit_on_the_disk(
    tmp_path: Path, name: str
) -> None:
    long_log(tmp_path)
    done = in_shell(f"ulimit -f 1; $F replay match.jsonl -o {name}", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "File too large" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["match.jsonl"]


@POSIX
def test_a_log_on_standard_output_that_nobody_reads_to_its_end_is_no_error(tmp_path: Path) -> None:
    long_log(tmp_path)
    done = in_shell("set -o pipefail; $F replay match.jsonl -o /dev/stdout | head -n 1", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.full
@POSIX
def test_a_log_out_of_a_pipe_is_read_once_with_its_size_and_makes_the_same_page(
    tmp_path: Path,
) -> None:
    size = f"{Path(SMALL).stat().st_size:,} bytes"
    assert size in in_shell("cat $LOG | $F info /dev/stdin", tmp_path).stdout
    done = in_shell("cat $LOG | $F view /dev/stdin -o page.html", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert in_shell("$F view $LOG -o other.html", tmp_path).returncode == 0
    pages = [(tmp_path / name).read_text() for name in ("page.html", "other.html")]
    assert pages[0].replace("stdin", "small.jsonl") == pages[1]


def test_output_whose_compression_is_not_installed_is_no_fault_of_the_log(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    code, out, err = run("replay", SMALL, "-o", tmp_path / "filled.jsonl.zst")
    assert (code, out) == (2, "")
    assert "zstd needs the module" in err
    log = tmp_path / "match.jsonl.zst"
    log.write_bytes(b"")
    code, out, _ = run("info", "--json", log, SMALL)
    assert code == 2
    assert [one["valid"] for one in json.loads(out)["logs"]] == [False, True]


# Errors as JSON.


def test_an_error_as_json_is_the_one_of_the_text_with_its_place(run: Run, tmp_path: Path) -> None:
    for arguments in (
        ["replay", "none.jsonl"],
        ["diff", SMALL, "none.jsonl"],
        ["info", "none.jsonl"],
        ["synctest", "none"],
    ):
        code, out, err = run(*arguments, "--json")
        reported = json.loads(out)
        assert reported["exit_code"] == code == 2
        assert reported["error"]["message"] in err
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"format":"other"}\n')
    error = json.loads(run("view", bad, "--json")[1])["error"]
    assert (error["file"], error["line"], error["field"]) == (str(bad), 1, "format")
    assert json.loads(run("frame-data", bad, "--json")[1])["error"]["file"] == str(bad)


@pytest.mark.parametrize(
    ("arguments", "is_asked"),
    [
        (["replay", "none", "--json"], True),
        (["replay", "--json", "none"], True),
        (["replay", "none", "-o", "--json"], False),
        (["replay", "none", "--output", "--json"], False),
        (["replay", "none", "--output=--json"], False),
        (["replay", "none", "-o", "--json", "--json"], True),
        (["replay", "none", "--sim", "--json"], False),
        (["replay", "none", "--", "--json"], False),
        (["replay", "--fast", "none", "--json"], True),
        (["replay", "none", "--json", "-o"], True),
        (["replay", "none", "--json=yes"], False),
        (["peers", "--frames", "--json"], False),
        (["view", "--title", "--json", "none"], False),
        (["rewind", "--json"], True),
        (["rewind", "--", "--json"], False),
        (["--json"], True),
        (["--json", "info", SMALL], True),
        (["--fast"], False),
    ],
)
def test_json_is_asked_for_by_the_option_alone(
    run: Run, arguments: list[str], is_asked: bool
) -> None:
    code, out, err = run(*arguments)
    assert code == 2
    assert "Error: " in err
    assert json.loads(out)["exit_code"] == 2 if is_asked else out == ""


# Numbers and files.


def test_numbers_are_told_for_people() -> None:
    assert [units(raw) for raw in (0, 65536, -32768, 1, -(2**31))] == [
        "0 (0)", "1 (65536)", "-0.5 (-32768)", "0.00002 (1)", "-32768 (-2147483648)",
    ]  # fmt: skip
    assert [decimal(n, 8, 2) for n in (1, -1, 7, 8, 12)] == ["0.13", "-0.13", "0.88", "1", "1.5"]
    assert decimal(-1, 1000, 2) == "0"
    assert [duration(seconds) for seconds in (0.5, 61.25, 3661.0)] == [
        "0.50 s",
        "1:01.2",
        "1:01:01",
    ]


def test_a_file_whose_name_is_no_utf8_is_told_of(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "match\udcff.jsonl"
    try:
        path.write_bytes(b"")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert run("replay", path)[0] == 2
    code, out, _ = run("replay", "--json", path)
    assert code == 2
    assert json.loads(out)["logs"][0]["log"] == str(path)


def test_a_header_without_its_line_feed_is_cut_short_for_every_command(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(logs.text_of(logs.header(), [], footer=False)[:-1])
    for arguments, expected in (
        (["replay", path], 3),
        (["info", path], 0),
        (["view", path, "-o", tmp_path / "page.html"], 0),
    ):
        code, out, err = run(*arguments)
        assert code == expected
        assert "after 0 frames: the last line has no line feed" in out + err
    assert run("diff", path, path)[0] == 0


# level


def test_level_makes_a_level_out_of_a_map_and_shows_it(run: Run, tmp_path: Path) -> None:
    level = tmp_path / "arena.fxlevel"
    code, out, err = run("level", MAP, "-o", level)
    assert (code, err) == (0, "")
    rows = {line[:9].rstrip(): line[10:].strip() for line in out.splitlines()}
    assert rows["level"] == "16 solids: 15 prisms, 1 cylinder"
    assert rows["left out"] == "1 hidden object"
    assert rows["places"] == "2 places"
    assert rows["rounded"] == (
        "1 of 16 solids, no coordinate by more than 0.319 raw units (0.000004857 units)"
    )
    assert len(fixsync.Level.from_bytes(level.read_bytes())) == 16
    code, out, _ = run("level", level)
    assert code == 0
    assert f"hash    {rows['hash']}" in out
    assert "z       -14 (-917504) to 0 (0)" in out


def test_level_counts_what_it_leaves_out_in_the_plural(run: Run, tmp_path: Path) -> None:
    line = {"id": 1, "x": 0, "y": 4, "polyline": [{"x": 0, "y": 0}, {"x": 9, "y": 0}]}
    box = {"id": 2, "x": 0, "y": 0, "width": 8, "height": 8}
    tile = {"id": 0, "objectgroup": {"objects": [line, box]}}
    tileset = {"firstgid": 1, "name": "t", "tilewidth": 16, "tileheight": 16, "tiles": [tile]}
    layer = {"type": "tilelayer", "name": "w", "width": 3, "height": 1, "data": [1, 1, 1]}
    document = {
        "type": "map", "orientation": "orthogonal", "tilewidth": 16, "tileheight": 16,
        "tilesets": [tileset], "layers": [layer, {**layer, "name": "o", "data": [1, 0, 0]}],
    }  # fmt: skip
    (tmp_path / "a.tmj").write_text(json.dumps(document))
    for only, left_out in (("w", "1 other layer, 3 polylines of tiles"),
                           ("o", "1 other layer, 1 polyline of a tile")):  # fmt: skip
        code, out, err = run("level", tmp_path / "a.tmj", "--shapes", "--y", "0,1", "--only", only)
        assert (code, err) == (0, "")
        assert f"left out  {left_out}\n" in out


def test_level_prints_the_solids_of_a_level_as_a_log_has_them(run: Run, tmp_path: Path) -> None:
    level = tmp_path / "arena.fxlevel"
    run("level", MAP, "-o", level)
    code, out, _ = run("level", level, "--json")
    solids = json.loads(out)["level"]["solids"]
    assert code == 0
    assert solids[9] == ["cylinder", 1, 0, 98304, [851968, -262144], 65536]
    assert solids[0][:2] == ["prism", 1]
    _, out, _ = run("level", MAP, "--json")
    assert json.loads(out)["level"]["solids"] == solids
    assert json.loads(out)["names"]["ids"]["2147483657"] == "pillar"


def test_level_draws_a_picture_with_scale_and_origin(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "arena.svg"
    options = ("--pixels-per-unit", "16", "--origin", "0,448", "--z-down")
    code, out, _ = run("level", MAP, "-o", picture, *options)
    assert code == 0
    assert "x         0 (0) to 40 (2621440)" in out
    assert "z         -28 (-1835008) to 0 (0)" in out
    assert picture.read_text().count("<polygon") == 15


def test_level_ends_with_2_and_names_the_value_at_fault(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "map.tmj"
    path.write_text(Path(MAP).read_text().replace('"rotation": 30', '"rotation": "30"'))
    out_file = tmp_path / "a.fxlevel"
    code, _, err = run("level", path, "-o", out_file)
    assert code == 2
    assert f"{path}, layers[1].objects[0].rotation: expected a number of" in err
    assert not out_file.exists()
    code, out, _ = run("level", path, "--json")
    assert (code, json.loads(out)["error"]["path"]) == (2, "layers[1].objects[0].rotation")
    path = tmp_path / "b.fxlevel"
    path.write_bytes(b"FXL1\1\0\0\0")
    assert "is a level: fixsync level -o OUT.svg draws it" in run("view", path)[2]
    code, _, err = run("level", path)
    assert code == 2
    assert str(path) in err
    assert "is a level: fixsync level shows it" in run("info", path)[2]

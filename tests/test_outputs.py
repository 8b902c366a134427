"""A command does not write over what it reads, and leaves nothing behind when it is ended."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import logs
import pytest
from rich.console import Console
from tools import Run, by_default

from fixsync import cli
from fixsync.base import files
from fixsync.cli import options, text
from fixsync.log.cut import cut
from fixsync.log.recorder import SimRecorder
from fixsync.log.replay import replay
from fixsync.log.whatif import whatif
from fixsync.maps import read_map
from fixsync.match import sim
from fixsync.sample.skillfight import SkillFight

ROOT = Path(__file__).resolve().parent.parent

FORMS = {
    ("cut", "log"): "match.jsonl 1..2 -o OUT",
    ("view", "logs"): "match.jsonl -o OUT",
    ("whatif", "logs"): "match.jsonl --set *.radius+=1 -o OUT",
    ("replay", "logs"): "match.jsonl -o OUT",
    ("frame-data", "source"): "frames.json -o OUT",
    ("level", "source"): "map.fxlevel -o OUT",
    ("synctest", "inputs"): "skillfight --inputs inputs.jsonl -o OUT",
    ("farm", "sources"): "list.txt -r OUT",
    ("farm", "scheduler"): "folder --engine dask --scheduler scheduler.json -r OUT",
    ("regress", "sources"): "old.whl new.whl list.txt -r OUT",
    ("regress", "old"): "old.whl new.whl folder -r OUT",
    ("regress", "new"): "old.whl new.whl folder -r OUT",
}
"""How each file that a command reads is named, where the command also writes."""

MORE = (
    ("folder/match.jsonl", "replay folder -o OUT"),
    ("folder/match.jsonl", "whatif folder --set *.radius+=1 -o OUT"),
    ("match.jsonl", "view folder/match.jsonl match.jsonl -o OUT"),
    ("match.jsonl", "view match.jsonl folder/match.jsonl -o OUT"),
    ("list.txt.lock", "farm list.txt.lock -r list.txt"),
    ("list.txt-journal", "farm list.txt-journal -r list.txt"),
    ("list.txt-wal", "regress old.whl new.whl list.txt-wal -r list.txt"),
)
STORMS = ROOT / "replay_logs" / "storms.jsonl.gz"
FIGHTER = ROOT / "examples" / "fighter.json"
MAP = ROOT / "examples" / "arena.tmj"
READ = {"logs": "match.jsonl", "log": "match.jsonl", "inputs": "inputs.jsonl"}
READ |= {"source": "frames.json"}
READ |= {"sources": "list.txt", "scheduler": "scheduler.json", "old": "old.whl", "new": "new.whl"}


def commands() -> dict[str, click.Command]:
    with click.Context(cli.fixsync) as ctx:
        found = {name: cli.fixsync.get_command(ctx, name) for name in cli.COMMANDS}
    return {name: command for name, command in found.items() if command is not None}


def is_output(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, options.Output)


def read_by(command: click.Command) -> list[str]:
    """The parameters of a command that writes which name a file to read."""
    if not any(isinstance(p.type, options.Output) and p.type.file_okay for p in command.params):
        return []
    return [
        str(p.name)
        for p in command.params
        if not is_output(p)
        and (
            isinstance(p.type, options.Source)
            or (isinstance(p.type, click.Path) and p.type.file_okay)
        )
    ]


def test_every_file_that_a_command_reads_or_writes_is_declared_as_such() -> None:
    for name, command in commands().items():
        assert isinstance(command, options.Command), name
        for parameter in command.params:
            type, about = parameter.type, f"{name}: {parameter.name}"
            named_so = {"-o", "--output", "--out", "-r", "--results"} & {*parameter.opts}
            assert is_output(parameter) == bool(named_so), about
            # A path that need not exist is one to write.
            assert is_output(parameter) or not isinstance(type, click.Path) or type.exists, about
            if read_by(command) and isinstance(parameter, click.Argument):
                is_text = type is click.STRING
                assert not is_text or parameter.name in ("frames", "reference"), about
    assert {(name, p) for name, c in commands().items() for p in read_by(c)} == {*FORMS}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    small = logs.model_frames(logs.small_match())
    logs.write(tmp_path / "match.jsonl", logs.header(), small)
    shutil.copy("match.jsonl", "folder/match.jsonl")
    shutil.copy(FIGHTER, "frames.json")
    Path("map.fxlevel").write_bytes(read_map(MAP).level.to_bytes())
    game = sim.start(SkillFight, 5, 2)
    with SimRecorder(game, tmp_path / "inputs.jsonl", seed=5) as recorder:
        for frame in range(3):
            recorder.record(frame, [0, 0], game.step([0, 0]), game.world.hash())
    for name in ("old.whl", "new.whl", "scheduler.json"):
        (tmp_path / name).write_bytes(b"content")
    for name in ("list.txt", "list.txt.lock", "list.txt-journal", "list.txt-wal"):
        (tmp_path / name).write_text("folder/match.jsonl\n")
    return tmp_path


def same(path: Path) -> str:
    return str(path)


def relative(path: Path) -> str:
    return f"folder/../{path.name}"


def by_link(path: Path) -> str:
    link = path.with_name(f"link{''.join(path.suffixes)}")
    link.symlink_to(path)
    return str(link)


def by_hard_link(path: Path) -> str:
    link = path.with_name(f"link{''.join(path.suffixes)}")
    link.hardlink_to(path)
    return str(link)


POSIX = pytest.mark.skipif(os.name != "posix", reason="signals, pipes with names and locks")


def refused(run: Run, words: str, path: Path, naming: Callable[[Path], str]) -> None:
    before = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}
    named = naming(path)
    code, out, err = run(*[named if word == "OUT" else word for word in words.split()])
    assert (code, out) == (2, "")
    # A hard link is refused as a results file as well, and a database's own files have other names.
    assert "is the same file as the input" in err, err
    assert path.name in err
    after = {file: file.read_bytes() for file in before}
    assert after == before
    assert {*path.parent.glob(".fixsync-*")} == set()


@pytest.mark.parametrize("naming", by_default(1, [by_hard_link, same, relative, by_link]))
@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_an_output_over_its_own_input_is_refused_and_the_input_stays(
    run: Run, folder: Path, form: tuple[str, str], naming: Callable[[Path], str]
) -> None:
    command, parameter = form
    read = "map.fxlevel" if command == "level" else READ[parameter]
    refused(run, f"{command} {FORMS[form]}", folder / read, naming)


@pytest.mark.parametrize(("read", "words"), MORE, ids=[words for _, words in MORE])
def test_a_log_of_a_folder_or_beside_others_or_a_lists_name_is_no_output_either(
    run: Run, folder: Path, read: str, words: str
) -> None:
    refused(run, words, folder / read, same)


def test_the_page_that_view_names_itself_is_not_its_log(run: Run, folder: Path) -> None:
    (folder / "match.html").symlink_to("match.jsonl")
    refused(run, "view match.jsonl", folder / "match.jsonl", same)


SIMS = "from fixsync.sample.skillfight import SkillFight as Game\n"


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ("game.py", "replay inputs.jsonl --sim game:Game -o OUT"),
        ("game.py", "whatif inputs.jsonl --set *.radius+=1 --sim game:Game -o OUT"),
        ("game.py", "synctest game:Game --frames 2 -o OUT"),
        ("game.py", "view inputs.jsonl -o OUT"),
        ("pyproject.toml", "view inputs.jsonl -o OUT"),
        ("pyproject.toml", "synctest --frames 2 -o OUT"),
        ("other/game.py", "view inputs.jsonl --sim game:Game --at folder --at other -o OUT"),
        ("folder/pyproject.toml", "view inputs.jsonl --at folder --at other -o OUT"),
    ],
)
def test_a_game_and_the_file_that_names_it_are_no_outputs(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, read: str, words: str
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "other").mkdir()
    for where in (folder, folder / "folder", folder / "other"):
        (where / "game.py").write_text(SIMS)
        (where / "pyproject.toml").write_text('[tool.fixsync]\nsim = "game:Game"\n')
    refused(run, words, folder / read, same)
    sys.modules.pop("game", None)


@pytest.mark.parametrize("read", ["set.tsj", "door.tj"])
def test_the_tilesets_and_templates_of_a_map_are_no_outputs(
    run: Run, folder: Path, read: str
) -> None:
    y = [{"name": name, "type": "int", "value": i} for i, name in enumerate(("y_low", "y_high"))]
    item = {"id": 1, "template": "door.tj", "x": 0, "y": 0, "properties": y}
    documents: dict[str, object] = {
        "map.tmj": {
            "type": "map", "orientation": "orthogonal", "width": 1, "height": 1, "tilewidth": 8,
            "tileheight": 8, "infinite": False, "tilesets": [{"firstgid": 1, "source": "set.tsj"}],
            "layers": [{"type": "objectgroup", "name": "a", "objects": [item]}],
        },
        "set.tsj": {"type": "tileset", "name": "set", "tilewidth": 8, "tileheight": 8},
        "door.tj": {
            "type": "template", "tileset": {"firstgid": 1, "source": "set.tsj"},
            "object": {"name": "door", "gid": 1, "width": 8, "height": 8},
        },
    }  # fmt: skip
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document))
    picture = folder / "picture.svg"
    picture.symlink_to(read)
    refused(run, "level map.tmj --object door -o OUT", folder / read, lambda _: str(picture))


@pytest.mark.parametrize("command", ["cut", "view", "whatif", "replay", "frame-data", "level"])
def test_an_output_in_no_folder_is_named_as_it_was_given(
    run: Run, folder: Path, command: str
) -> None:
    form = next(words for (name, _), words in FORMS.items() if name == command)
    out = str(Path("missing", "out.fxlevel"))
    code, _, err = run(command, *[out if word == "OUT" else word for word in form.split()])
    assert (code, list(folder.glob("missing*"))) == (2, [])
    assert re.search(rf"{re.escape(out)}'?$", err.strip()), err


@POSIX
def test_a_log_is_not_appended_to_itself(folder: Path) -> None:
    before = (folder / "match.jsonl").read_bytes()
    with (folder / "match.jsonl").open("ab") as stdout:
        process = started("cut", "match.jsonl", "1..2", "-o", "-", stdout=stdout)
        process.communicate()
    assert process.returncode == 2
    assert (folder / "match.jsonl").read_bytes() == before


def test_the_functions_of_logs_refuse_it_as_the_commands_do(folder: Path) -> None:
    log = folder / "match.jsonl"
    before = log.read_bytes()
    calls: list[Callable[[], object]] = [
        lambda: cut(log, by_link(log), 1, 2),
        lambda: replay(log, output=log),
        lambda: whatif(log, ["*.radius += 1"], output=log),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"the output .* is the same file as the input"):
            call()
    assert log.read_bytes() == before


def test_a_device_may_be_input_and_output() -> None:
    files.check_output(os.devnull, [os.devnull])


# Large inputs.


@pytest.mark.parametrize(
    "words",
    by_default(
        1, ["info", "diff OTHER", "replay", "why 1 2", "attacks", "whatif --set *.radius+=1"]
    ),
)
def test_the_text_for_a_log_is_bounded_however_large_its_header_is(
    run: Run, tmp_path: Path, words: str
) -> None:
    count = 20_000
    header = logs.header(
        capacity=count,
        meta={f"key{i}": "x" * 20 for i in range(count)} | {"long": "x" * count, "k" * 5000: 1},
        names={"layers": {}, "ids": {str(i): f"name{i}" for i in range(1, count)}},
    )
    path = logs.write(tmp_path / "a.jsonl", header, logs.model_frames(logs.small_match()))
    other = logs.write(
        tmp_path / "b.jsonl", logs.header(), logs.model_frames(logs.small_match())[:20]
    )
    command, *rest = words.split()
    code, out, _ = run(command, path, *[other if word == "OTHER" else word for word in rest])
    assert code in (0, 1)
    assert out.count("\n") < 200
    assert len(out) < 60_000
    if command == "info":
        assert "meta key39 xxx" in " ".join(out.split())
        assert "key40" not in out
        assert "meta and 19,962 more keys; --json has all" in " ".join(out.split())
        assert "more characters" in out
        _, out, _ = run("info", path, "--json")
        assert len(json.loads(out)["logs"][0]["header"]["meta"]) == count + 2


@pytest.mark.parametrize("width", by_default(1, [40, 120, None]))
def test_a_table_says_how_many_rows_it_leaves_out(width: int | None) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width or 1000, force_terminal=width is not None)
    rows = [(f"row{i}", "x") for i in range(text.ROWS_MAX + 5)]
    text.show(console, text.table(("name", "value"), rows))
    text.show(console, text.pairs_table(rows))
    text.say(console, *(name for name, _ in rows))
    shown = out.getvalue()
    assert shown.count(f"row{text.ROWS_MAX - 1}") == 3
    assert f"row{text.ROWS_MAX}" not in shown
    assert shown.count("and 5 more rows; --json has all") == 2
    assert shown.count("and 5 more lines; --json has all") == 1


# Ended.


class Halfway:
    """`cut` of a log in a pipe, which waits for more after it has begun its output."""

    def __init__(self, folder: Path, output: str, usual: int | None = None) -> None:
        """`usual` is a signal that ends it, also where the tests run under nohup."""
        data = gzip.decompress(STORMS.read_bytes())
        pipe = folder / f"pipe-{output}"
        os.mkfifo(pipe)
        before = hidden(folder)
        self.process = started("cut", pipe.name, "1..150", "-o", output, usual=usual, cwd=folder)
        self._pipe = pipe.open("wb", buffering=0)
        half = len(data) // 2
        self._pipe.write(data[:half])
        while hidden(folder) == before:
            assert self.process.poll() is None
        self._rest = data[half:]

    def end(self, number: int) -> tuple[int, bytes]:
        while self.process.poll() is None:  # Python reads on if a signal comes just before it waits
            self.process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        _, err = self.process.communicate()
        self._pipe.close()
        return self.process.returncode, err

    def finish(self) -> int:
        self._pipe.write(self._rest)
        self._pipe.close()
        self.process.communicate()
        return self.process.returncode


@contextmanager
def handled(number: int, how: signal.Handlers) -> Iterator[None]:
    """A process that is started here inherits how the signal is handled."""
    previous = signal.signal(number, how)
    try:
        yield
    finally:
        signal.signal(number, previous)


def hidden(folder: Path) -> set[Path]:
    return {*folder.glob(".fixsync-*")}


@POSIX
@pytest.mark.parametrize("name", by_default(1, ["SIGTERM", "SIGHUP", "SIGINT"]))
def test_a_signal_that_ends_a_command_leaves_nothing_of_its_output(folder: Path, name: str) -> None:
    number = getattr(signal, name)
    half = Halfway(folder, "part.jsonl", number)
    code, err = half.end(number)
    # As whoever ended it expects: by the signal. Ctrl-C has an exit code of its own.
    assert code == (130 if name == "SIGINT" else -number)
    assert err == (b"\ninterrupted\n" if name == "SIGINT" else b"\n")
    assert hidden(folder) == set()
    assert not (folder / "part.jsonl").exists()


@POSIX
def test_a_signal_that_is_ignored_stays_ignored(folder: Path) -> None:
    with handled(signal.SIGHUP, signal.SIG_IGN):
        half = Halfway(folder, "part.jsonl")
    half.process.send_signal(signal.SIGHUP)
    assert half.finish() == 0
    assert (folder / "part.jsonl").exists()


@POSIX
def test_a_killed_process_leaves_the_file_of_its_output_as_it_was(folder: Path) -> None:
    (folder / "killed.jsonl").write_text("before")
    assert Halfway(folder, "killed.jsonl").end(signal.SIGKILL) == (-signal.SIGKILL, b"")
    assert (folder / "killed.jsonl").read_text() == "before"


def started(*arguments: str, usual: int | None = None, **settings: Any) -> subprocess.Popen[bytes]:
    """`usual` is set back in the new process alone: a signal must not end the tests."""
    command = [sys.executable, "-c", "from fixsync.cli import main; main()", *arguments]
    if usual is not None:
        settings["preexec_fn"] = lambda: signal.signal(usual, signal.SIG_DFL)
    return subprocess.Popen(command, stderr=subprocess.PIPE, **settings)

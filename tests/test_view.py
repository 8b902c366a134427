"""Pages: what is in them, the kernel that they run, and, under Node, the engine that replays logs
in them.
"""

import base64
import gzip
import hashlib
import json
import math
import random
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import get_args

import logs
import pytest
import strategies
from bumpers import Bumpers
from hypothesis import given
from hypothesis import strategies as st
from model import direction
from strategies import KINDS as SHAPE_NAMES
from strategies import SOLIDS, one_of, some
from test_attacks import CASES, NAMED, named, written
from test_game_events import Scoring
from test_whole_states import AT, FRAMES, Charging, Faulty, recorded
from tools import VECTORS, each, ints, ran, rows

from fixsync import (
    ONE,
    RAY,
    Box,
    Contact,
    Cylinder,
    Pose,
    Sphere,
    World,
    outline,
    overlap,
)
from fixsync._native.kinds import KINDS, KINDS_BY_CLASS
from fixsync._native.raw import ffi, lib
from fixsync.game import flat
from fixsync.log import schema
from fixsync.log.attacks import MISSED_MAX, attacks
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.log.schema import MatchLogError
from fixsync.match.sim import stepped
from fixsync.view import bundle, export, page, write
from fixsync.view.export import Exported
from fixsync.world.shapes import shape_from_tuple

ROOT = Path(__file__).resolve().parents[1]
LOGS = sorted((ROOT / "replay_logs").glob("*.jsonl.gz")) + sorted(
    (ROOT / "tests" / "vectors").glob("**/*.jsonl")
)
FIGHT = ROOT / "replay_logs" / "skill_fight.jsonl.gz"


def text_of(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def entry(log: Exported):
    """A log as the page's script is given it."""
    data = base64.b64encode(gzip.compress(log.text, 1)).decode()
    return {**log.entry(), "data": data}


@pytest.fixture(scope="module")
def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node on this machine")
    return found


@pytest.fixture(scope="module")
def run_node(node):
    """The answer of a script of tests/view to its input."""

    def run(script, reported):
        done = ran(
            [node, str(ROOT / "tests" / "view" / script)], input=json.dumps(reported), timeout=120
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def run_engine(node):
    """What the page's engine makes of logs, under Node. It answers line by line, and reads the
    module once."""
    command = [node, str(ROOT / "tests" / "view" / "check.mjs"), str(bundle.WEB / "fixsync.wasm")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ended = []

    def run(*logs, seeks=()):
        entries = [log if isinstance(log, dict) else entry(log) for log in logs]
        if ended:
            pytest.skip("the engine has ended in an earlier test")
        line = b""
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps({"logs": entries, "seeks": [*seeks]}).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if not line:
            ended.append(process.wait())
            pytest.fail("the engine has ended: its error stands above", pytrace=False)
        return json.loads(line)

    yield run
    if not ended:
        process.communicate()
        assert process.returncode == 0


@pytest.fixture(scope="module")
def replayed(run_engine):
    """What the engine makes of one log, given by its path or as `export` returned it."""

    def run(log, *, seeks=(), **more):
        log = export(log) if isinstance(log, Path) else log
        [found] = run_engine({**entry(log), **more}, seeks=seeks)["results"]
        return found

    return run


@pytest.fixture
def path(tmp_path):
    """The log that a test records."""
    return tmp_path / "log.jsonl"


def edited(path, out, change):
    """A copy of a log, each frame's line given to `change`, without a last line."""
    first, *lines = text_of(path).decode().splitlines()
    frames = [json.loads(line) for line in lines if '"frames"' not in line]
    for frame in frames:
        change(frame)
    out.write_text("\n".join([first, *map(json.dumps, frames)]) + "\n")
    return out


# ---- the package ----


def test_the_module_gives_the_answers_of_an_independent_implementation(run_node):
    """Contacts, casts, angles and directions of tests/vectors, from the very bytes that pages
    hold.
    """
    contacts, angles = rows("contacts.csv"), rows("angles.csv")
    files = ("casts.csv", "rim_casts.csv", "made/rim_casts.csv")
    casts = [row for name in files for row in rows(name)]
    pose_a, pose_b = ("ax", "ay", "az", "ayaw"), ("bx", "by", "bz", "byaw")
    motion_a, motion_b = ("amx", "amy", "amz"), ("bmx", "bmy", "bmz")
    asked = {
        "contacts": [
            [
                json.loads(row["shape_a"]),
                ints(row, *pose_a),
                json.loads(row["shape_b"]),
                ints(row, *pose_b),
            ]
            for row in contacts
        ],
        "casts": [
            [
                json.loads(row["shape_a"]),
                ints(row, *pose_a),
                ints(row, *motion_a),
                json.loads(row["shape_b"]),
                ints(row, *pose_b),
                ints(row, *motion_b),
                int(row["hit_when"]),
            ]
            for row in casts
        ],
        "angles": [[row["dx"], row["dz"]] for row in angles],
    }
    found = run_node("vectors.mjs", asked)
    assert found["contacts"] == [int(row["contact"]) for row in contacts]
    expected = [
        [*ints(row, "fraction", "nx", "ny", "nz")] if row["fraction"] else None for row in casts
    ]
    assert found["casts"] == expected
    assert found["angles"] == [[int(row["yaw_of"]), row["length_dx_0_dz"]] for row in angles]
    digest = hashlib.sha256(base64.b64decode(found["directions"])).hexdigest()
    assert digest == (VECTORS / "directions.sha256").read_text().split()[0]


# ---- the bundle ----


def test_joined_modules_have_no_import_left_and_each_module_once():
    """The worker has the kernel and no page, the page has no kernel."""
    page_script, worker_script = bundle.joined("page.js"), bundle.joined("worker.js")
    for text in (page_script, worker_script):
        assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
    assert (page_script.count("class World "), worker_script.count("class World ")) == (0, 1)
    assert (page_script.count("class View {"), worker_script.count("class View {")) == (1, 0)
    assert (page_script.count("class Colliders {"), worker_script.count("class Colliders {")) == (
        1,
        1,
    )


@pytest.mark.parametrize("script", ["page.js", "worker.js", bundle.ARENA / "arena.js"])
def test_no_two_modules_of_a_bundle_share_a_top_level_name(script):
    """Joined, they would be one name."""
    text = bundle.joined(script)
    names = re.findall(r"^(?:async )?(?:const|let|class|function\*?) (\w+)", text, re.MULTILINE)
    names += [
        name
        for names in re.findall(r"^(?:const|let) [\[{]([^\]}]*)[\]}] =", text, re.MULTILINE)
        for name in re.findall(r"\w+", names)
    ]
    assert len(names) > 50
    assert sorted(names) == sorted(set(names))


def test_shapes_and_commands_are_those_of_the_kernel_and_of_match_logs(run_node):
    """The package repeats what the schema says: here they are compared."""
    tables = run_node("codes.mjs", None)
    assert {name: (shape["code"], shape["sizes"]) for name, shape in tables["SHAPES"].items()} == {
        row.__struct_config__.tag: (
            getattr(lib, f"FXS_{KINDS_BY_CLASS[row.__name__].name.upper()}"),
            [*row.__struct_fields__],
        )
        for row in get_args(schema.Shape)
    }
    assert {name: (row["type"], row["fields"]) for name, row in tables["COMMANDS"].items()} == {
        row.__struct_config__.tag: (
            getattr(lib, f"FXS_COMMAND_{row.__struct_config__.tag.upper()}"),
            [*row.__struct_fields__],
        )
        for row in get_args(schema.Command)
        if row not in (schema.Query, schema.Cast)
    }


def drawn_shapes():
    """Shapes of every kind at some yaws, with points to be asked for."""
    chance = random.Random(7)
    for kind in KINDS:
        for _ in range(30):
            sizes = [
                chance.randint(size.low, size.high)
                if size.column == "half_angle"
                else min(chance.randint(ONE // 2, 3 * ONE), size.high)
                for size in kind.sizes
            ]
            if kind.hole:
                sizes[-1] = chance.choice([0, sizes[0] // 2])
            shape = shape_from_tuple((kind.name, *sizes))
            points = [(chance.uniform(-4, 4), chance.uniform(-4, 4)) for _ in range(40)]
            yield shape, chance.choice([0, 16384, 8192, chance.randrange(65536)]), points


def covers_ground(shape, yaw, x, z):
    """Whether the kernel finds a point in the plan of a shape; None close to its border."""
    here = Pose(0, 0, 0, yaw)
    there = Pose(round(x * ONE), 0, round(z * ONE))
    if overlap(shape, here, Sphere(ONE // 20), there) == Contact.APART:
        return False
    around = [there.moved(dx, 0, dz) for dx in (-3000, 3000) for dz in (-3000, 3000)]
    is_inside = all(overlap(shape, here, RAY, one) == Contact.OVERLAPPING for one in around)
    return True if is_inside else None


def check_nearest(shape, yaw, x, z, nearest):
    """That the kernel finds the shape at its nearest point, and no part of it nearer. A sector is
    drawn as the ring that it is cut from."""
    kind, radius, *rest = shape.as_tuple()
    whole = shape_from_tuple((kind, radius, 32768, *rest[1:])) if kind == "sector" else shape
    here, there = Pose(0, 0, 0, yaw), Pose(round(x * ONE), 0, round(z * ONE))
    found = Pose(*(round(part * ONE) for part in (nearest[0], 0, nearest[1])))
    assert overlap(whole, here, Sphere(99), found) != Contact.APART, (shape, yaw, x, z)
    nearer = round(math.hypot(nearest[0] - x, nearest[1] - z) * ONE) - 99
    if nearer > 0:
        assert overlap(whole, here, Sphere(nearer), there) == Contact.APART, (shape, yaw, x, z)


def edges_of(shape, corners):
    """The x of the corners that are seen from where z is least. Vertices of an arc are no
    corners; those of a sector are not drawn."""
    if shape.as_tuple()[0] == "sector":
        return []
    ways = [
        (x - from_x, z - from_z)
        for (from_x, from_z), (x, z) in zip([corners[-1], *corners[:-1]], corners, strict=True)
    ]
    turns = [
        math.atan2(ux * vz - uz * vx, ux * vx + uz * vz)
        for (ux, uz), (vx, vz) in zip(ways, [*ways[1:], ways[0]], strict=True)
    ]
    (left, z_left), (right, z_right) = min(corners), max(corners)
    slope = (z_right - z_left) / (right - left)
    return sorted(
        x
        for (x, z), turn in zip(corners, turns, strict=True)
        if turn > 0.1 and z < z_left + (x - left) * slope - 1e-3
    )


def test_every_kind_is_drawn_as_the_kernel_outlines_it(run_node):
    """Where it is covered, how far it reaches, its nearest points and its upright edges."""
    asked = list(drawn_shapes())
    found = run_node(
        "kinds.mjs", [{"shape": s.as_tuple(), "yaw": yaw, "points": p} for s, yaw, p in asked]
    )
    assert sorted(found["names"]) == sorted(kind.name for kind in KINDS)
    covered = set()
    for (shape, yaw, points), drawn in zip(asked, found["drawn"], strict=True):
        seen = outline(shape, Pose(0, 0, 0, yaw), segments=256)
        corners = [(x / ONE, z / ONE) for x, z in seen.outer + seen.hole]
        ends = [(min(of), max(of)) for of in zip(*corners, strict=True)]
        near = pytest.approx
        assert drawn["halfHeight"] == near(seen.y_high / ONE, abs=0.01), shape
        assert [tuple(end) for end in drawn["top"]] == [near(end, abs=0.01) for end in ends], shape
        assert drawn["side"][0] == near(ends[0], abs=0.01), shape
        assert drawn["side"][1] == near((seen.y_low / ONE, seen.y_high / ONE), abs=0.01), shape
        for half, (low, high) in zip(drawn["halfWidths"], ends, strict=True):
            assert half >= max(-low, high) - 0.01, shape
        assert drawn["reach"] == near(max(math.hypot(*at) for at in corners), abs=0.01), shape
        (least, greatest), edges = ends[0], edges_of(shape, corners)
        for found_edges in (drawn["edges"], edges):  # those of the outline are not seen
            found_edges[:] = [x for x in found_edges if least + 0.01 < x < greatest - 0.01]
        assert sorted(drawn["edges"]) == near(edges, abs=0.01), (shape, yaw)
        for (x, z), nearest in zip(points, drawn["nearest"], strict=True):
            check_nearest(shape, yaw, x, z, nearest)
        for (x, z), is_covered in zip(points, drawn["coversGround"], strict=True):
            assert covers_ground(shape, yaw, x, z) in (None, is_covered), (shape, yaw, x, z)
        for (x, y), is_covered in zip(points, drawn["coversSide"], strict=True):
            is_within = ends[0][0] <= x <= ends[0][1] and abs(y) <= seen.y_high / ONE
            assert is_within or not is_covered, (shape, yaw, x, y)
        for view in ("coversGround", "coversSide"):
            if any(drawn[view]):
                covered.add((shape.as_tuple()[0], view))
    assert len(covered) == 2 * len(KINDS)


def test_the_module_in_the_repository_answers_as_this_kernel(run_node):
    """A page with a module of other answers calls good logs invalid."""
    stale = "csrc/ has changed: run python bindings/web/build.py"
    assert run_node("codes.mjs", None)["semantics"] == lib.fxs_semantics(), stale


def test_constants_and_structures_are_those_that_the_compiler_sees(run_node):
    raw = run_node("codes.mjs", None)["raw"]
    structures = {name: value for name, value in raw.items() if isinstance(value, dict)}
    constants = {name: int(value) for name, value in raw.items() if name not in structures}
    assert constants == {name: getattr(lib, name) for name in dir(lib) if name.isupper()}
    for name, offsets in structures.items():
        found = {field: at.offset for field, at in ffi.typeof(name).fields}
        assert offsets == {"$size": ffi.sizeof(name), **found}, name


def test_the_arena_is_one_file_that_may_reach_no_network():
    """With the viewer in it, whose scripts its policy allows too."""
    text = bundle.arena()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    for script in (bundle.joined(bundle.ARENA / "arena.js"), bundle.joined("page.js")):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert not re.search(r"""(src|href)=["'](?!data:)[^"'#]""", text)


# 100,600 of them are the kernel, with rollback and steps built for speed; 4,900 read logs strictly.
# There is room for a kind of shape or two.
PAGE_BYTES_MAX = 207_000


def test_a_page_without_logs_is_small():
    """With gzip. A feature that needs more raises the number and says why."""
    size = len(gzip.compress(bundle.page("", {}, []).encode(), 9))
    assert size <= PAGE_BYTES_MAX, (
        f"a page of {size} bytes: is it worth it to raise PAGE_BYTES_MAX?"
    )


def test_a_page_has_no_comments_and_all_code():
    """What is left out is whole lines, none of them in a text of several lines."""
    for script in ("page.js", "worker.js", bundle.ARENA / "arena.js"):
        text = bundle.joined(script)
        assert not re.search(r"^ *//", text, re.MULTILINE)
    for path in [*bundle.ASSETS.glob("*.js"), *bundle.ARENA.glob("*.js"), *bundle.WEB.glob("*.js")]:
        found = re.sub(
            r"^ *(//.*|/?\*.*)$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        for text in re.findall(r"`(?:[^`\\]|\\.)*`", found):
            assert not re.search(r"^ *(?://|/\*\*)", text, re.MULTILINE), path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('const text = "</script>";\n', "would end the script"),
        ('import * as all from "./other.js";\n', "cannot be joined"),
    ],
)
def test_a_module_in_another_form_cannot_be_joined(tmp_path, monkeypatch, text, message):
    (tmp_path / "bad.js").write_text(text)
    monkeypatch.setattr(bundle, "ASSETS", tmp_path)
    with pytest.raises(ValueError, match=message):
        bundle.joined("bad.js")


# ---- the page ----


def test_a_page_names_no_address_and_may_reach_none():
    """It works without a network, and its policy would stop what tried."""
    text = page([export(LOGS[0])])
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")


def test_the_page_allows_exactly_the_script_and_style_that_it_holds():
    text = page([export(LOGS[0])])
    for tag, source in (('script type="module"', "script"), ("style", "style")):
        held = re.search(rf"<{tag}>(.*?)</{source}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in text


def test_the_same_log_gives_the_same_page():
    assert page([export(LOGS[0])]) == page([export(LOGS[0])])


def test_a_page_holds_the_log_as_it_is():
    """Byte for byte, so that the page can give it back."""
    for path in some(LOGS):
        text = page([export(path)])
        held = re.search(r'id="log-0">([^<]*)<', text)[1]
        assert gzip.decompress(base64.b64decode(held)) == text_of(path)


def test_names_and_meta_cannot_leave_the_block_that_holds_them(tmp_path):
    """Whatever a log calls things, it is data."""
    evil = "</script><script>alert(1)</script><!--"
    path = tmp_path / f"{evil.replace('/', '_')}.jsonl"
    with Recorder(World(4), path, meta={"note": evil}):
        pass
    text = page([export(path)], title=evil)
    assert text.count("<script") == page([export(LOGS[0])]).count("<script")
    assert "alert(1)</script>" not in text


@pytest.mark.full
def test_a_name_that_is_no_utf_8_is_shown(tmp_path):
    path = tmp_path / "a\udcff.jsonl"
    try:
        path.write_bytes(text_of(LOGS[0]))
    except OSError:
        pytest.skip("this file system has no such names")
    write(tmp_path / "page.html", [export(path)])
    assert "<title>a?.jsonl</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    write(tmp_path / "page.html", [export(LOGS[0])], title="b\udcff")
    assert "<title>b?</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_page_shows_at_most_two_logs():
    log = export(LOGS[0])
    with pytest.raises(ValueError, match="not 3"):
        page([log, log, log])


def test_a_log_that_is_cut_short_is_shown_up_to_its_last_whole_frame(path):
    path.write_bytes(text_of(LOGS[0])[:-1500])
    log = export(path)
    assert log.cut
    assert log.text.endswith(b"}\n")
    assert log.text.count(b"\n") == log.frames + 1
    assert len(log.hashes) == 8 * log.frames


def test_a_command_that_a_world_refuses_is_an_error_that_names_its_place(tmp_path):
    path = edited(
        LOGS[0],
        tmp_path / "bad.jsonl",
        lambda f: f["commands"].append(["remove", 63]) if f["frame"] == 2 else None,
    )
    with pytest.raises(MatchLogError, match=r"line 4, commands\[\d+\]"):
        export(path)


# ---- colours ----

# Matrices on linear RGB for severity 1.0, out of table 1 of Machado, Oliveira, Fernandes, "A
# Physiologically- based Model for Simulation of Color Vision Deficiency", 2009.
SIGHTS = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
     (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
     (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
     (0.004733, 0.691367, 0.303900)),
}  # fmt: skip


def _linear(colour):
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def _oklab(rgb):
    """Ottosson's perceptual space: distances are what differences look like."""
    r, g, b = (min(1.0, max(0.0, c)) for c in rgb)
    cones = (
        0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
        0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
        0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b,
    )
    long, medium, short = (c ** (1 / 3) for c in cones)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _themes():
    style = bundle.asset("style.css")
    blocks = re.findall(
        r'^:root(?:\[data-theme="dark"\])? \{(.*?)^\}', style, re.DOTALL | re.MULTILINE
    )
    return dict(
        zip(
            ("light", "dark"),
            (dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks),
            strict=True,
        )
    )


@each("theme", ["light", "dark"])
@each("sight", SIGHTS)
def test_layer_colours_can_be_told_apart_with_any_colour_vision(theme, sight):
    """In OKLab 0.02 can just be seen side by side; any two layers are several times that apart."""
    colours = [_themes()[theme][f"layer-{i}"] for i in range(8)]
    seen = [
        _oklab(
            [sum(m * c for m, c in zip(row, _linear(colour), strict=True)) for row in SIGHTS[sight]]
        )
        for colour in colours
    ]
    distances = {
        (i, j): sum((a - b) ** 2 for a, b in zip(seen[i], seen[j], strict=True)) ** 0.5
        for i in range(8)
        for j in range(i)
    }
    closest = min(distances, key=distances.get)
    assert distances[closest] >= 0.07, f"layers {closest} are {distances[closest]:.3f} apart"


def _contrast(a, b):
    """Of two colours, as the Web Content Accessibility Guidelines define it: 1..21."""
    light, dark = sorted(
        (
            sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), _linear(colour), strict=True))
            + 0.05
            for colour in (a, b)
        ),
        reverse=True,
    )
    return light / dark


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_drawings_stand_out_from_what_is_behind_them(theme):
    """4.5 for text, and at least 2.3 for layers, whose colliders have labels too."""
    colours = _themes()[theme]
    for ink in ("ink", "faint", "differs", "accent"):
        for ground in ("panel", "stage", "page"):
            assert _contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert _contrast(colours["accent"], colours["on-accent"]) >= 4.5
    for state in ("good", "bad"):
        assert _contrast(colours[state], colours[f"{state}-back"]) >= 4.5
    for layer in range(8):
        assert _contrast(colours[f"layer-{layer}"], colours["stage"]) >= 2.3


# ---- the engine ----


@pytest.mark.full
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_the_engine_computes_every_recorded_answer_again(replayed, path):
    """The same bits in WebAssembly: events, answers and hashes of the log, and the native kernel's
    hashes.
    """
    log = export(path)
    found = replayed(log)
    verdict = found["verdict"]
    assert verdict["first"] is None
    assert verdict["nativeFirst"] is None
    assert verdict["digest"] == "same"
    assert verdict["compared"]["hashes"] == verdict["compared"]["native"] == log.frames
    assert verdict["compared"]["events"] == log.frames
    assert found["text"]["title"] == f"Identical: {log.frames} frames, hash {log.last_hash}"


@pytest.mark.parametrize("field", ["hash", "events", "queries"])
def test_one_wrong_answer_in_a_log_is_found_and_named(replayed, field, tmp_path):
    def spoil(frame):
        if frame["frame"] != 17:
            return
        if field == "hash":
            frame["hash"] = f"{int(frame['hash'], 16) ^ 1:016x}"
        elif field == "events":
            frame["events"].append([50, 51, 1, 2])
        else:
            frame["queries"][0] = [*frame["queries"][0], 40]

    path = edited(FIGHT, tmp_path / "spoilt.jsonl", spoil)
    found = replayed(path, seeks=[17, 16])
    assert found["verdict"]["first"] == {"frame": 17, "fields": [field]}
    assert found["verdict"]["differing"] == 1
    assert found["text"]["jump"] == 17
    assert found["text"]["state"] == "bad"
    assert found["shown"][0]["differences"]["fields"] == [field]
    assert found["shown"][1]["differences"] is None


def test_a_whole_state_that_differs_is_found_and_named(run_engine, tmp_path):
    good = recorded(tmp_path / "good.jsonl")
    bad = recorded(tmp_path / "bad.jsonl", Faulty)
    logs = [export(log, simulations={"charging": Charging}) for log in (good, bad)]
    found = run_engine(*map(entry, logs), seeks=[AT])
    first, second = found["results"]
    assert first["text"]["state"] == "good"
    assert f"{FRAMES} whole states" in " ".join(first["text"]["lines"])
    assert second["verdict"]["first"] == {"frame": AT, "fields": ["state"]}
    assert "the simulation's whole state" in " ".join(second["text"]["lines"])
    assert found["comparison"]["result"]["first"] == {"frame": AT, "fields": ["recorded"]}


def test_two_versions_of_a_game_first_differ_beside_their_worlds(run_engine, tmp_path):
    log = recorded(tmp_path / "log.jsonl", has_states=False)
    sides = [export(log, simulations={"charging": kind}) for kind in (Charging, Faulty)]
    found = run_engine(*map(entry, sides))["comparison"]
    assert found["result"]["first"] == {"frame": AT, "fields": ["whole"]}
    assert "What differs there: the state beside the world." in found["text"]["lines"]


def test_a_kernel_that_computes_other_bits_than_the_native_one_is_told(replayed):
    log = export(LOGS[0])
    hashes = bytearray(log.hashes)
    hashes[8 * 5] ^= 1
    found = replayed(log, hashes=base64.b64encode(hashes).decode())
    assert found["verdict"]["nativeFirst"]["frame"] == 5
    assert found["text"]["title"] == "This browser computes other bits from frame 5 on"


def test_a_log_without_answers_is_not_called_identical(replayed, tmp_path):
    path = edited(
        LOGS[0],
        tmp_path / "bare.jsonl",
        lambda f: [f.pop(name, None) for name in ("hash", "events", "queries")],
    )
    assert replayed(path)["text"]["title"].startswith("Same as native:")
    assert replayed(path, hashes=None)["text"]["title"].startswith("Nothing to compare:")


def test_a_text_that_was_changed_after_it_was_written_is_told(replayed):
    log = export(FIGHT)
    log.text = log.text.replace(b'"hero"', b'"nero"', 1)
    found = replayed(log)
    assert found["verdict"]["digest"] == "differs"
    assert found["text"]["state"] == "bad"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["move", 99, [0, 0, 0]],
         "move 99: an id not below the capacity, or of no solid of the level"),
        (["move", 40, [0, 0, 0]], "move 40: an id that is not in the world"),
        (["move", 63, [0, 0, 2**31]], "position z must be -2147483648..2147483647, not 2147483648"),
        (["turn", 0, 65536], "yaw must be 0..65535, not 65536"),
        (["turn", 0, 1.5], "yaw must be an integer, not 1.5"),
        (["add", 5, ["sphere", 0], [0, 0, 0], 0, 0, 0, [0, 0, 0], True],
         "radius must be 1..536870911, not 0"),
        (["add", 5, ["cone", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], True],
         f'shape\'s kind must be one of {", ".join(SHAPE_NAMES)}, not "cone"'),
        (["add", 5, ["box", 1, 2], [0, 0, 0], 0, 0, 0, [0, 0, 0], True],
         "a box has half_x, half_y, half_z, not 2 numbers: [1, 2]"),
        (["add", 5, ["sphere", 1], [0, 0, 0], 0, 0, 0, [0, 0, 0], 1],
         "active must be true or false, not 1"),
        (["shape", 0, ["sector", 9, 9, 9, 0]], "inner_radius must be 1..8, not 0"),
        (["shape", 0, ["sector", 9, 9, 9, 9]], "inner_radius must be 1..8, not 9"),
        (["fly", 0], "a command must be one of add, move, "),
        (["cast", ["sector", 9, 9, 9], [0, 0, 0], 0, [1, 0, 0], 1, 0, 0, 1],
         f"shape must be a {one_of(SOLIDS)}, not a sector, which cannot be cast"),
        (["cast", ["sphere", 9], [0, 0, 0], 0, [2**29, 0, 0], 1, 0, 0, 1],
         "motion x must be -536870911..536870911, not 536870912"),
    ],
)  # fmt: skip
def test_a_command_that_the_world_refuses_ends_what_can_be_played(replayed, command, said, path):
    """Also one that no export lets through: nothing is wrapped, cut off or left out."""
    whole = text_of(FIGHT)
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:12]))
    log = export(path)
    lines = log.text.splitlines(keepends=True)
    frame = json.loads(lines[6])
    frame["commands"].append(command)
    lines[6] = json.dumps(frame).encode() + b"\n"
    log.text = b"".join(lines)
    found = replayed(log, seeks=[4, 5, 3])
    assert found["end"] == 5
    assert found["verdict"]["refused"]["frame"] == 5
    assert said in found["verdict"]["refused"]["message"]
    assert "line 7" in found["verdict"]["refused"]["message"]
    assert [shown["frame"] for shown in found["shown"]] == [4, 4, 3]


def test_going_to_any_frame_in_any_order_shows_the_state_of_that_frame(replayed):
    """Forwards, backwards, through kept states, with the frames before it that leave traces."""
    with Reader(FIGHT) as reader:
        frames = list(reader)
    order = [0, 599, 300, 299, 301, 32, 31, 33, 64, 0, 1, 400, 376, 375]
    order += random.Random(7).choices(range(600), k=60)
    found = replayed(FIGHT, seeks=order)
    for frame, shown in zip(order, found["shown"], strict=True):
        assert shown["frame"] == frame
        assert shown["hash"] == frames[frame].hash
        assert shown["events"] == [number for event in frames[frame].events for number in event]
        assert shown["wakes"][-25:] == list(range(max(0, frame - 24), frame + 1))


def test_more_hits_than_a_world_has_room_for_are_all_found(replayed, path):
    """The room grows while the state goes on."""
    world = World(120)
    with Recorder(world, path):
        for count in (10, 40, 120):
            for id in range(len(world), count):
                world.add(id, Sphere(ONE), Pose(id, 0, 0))
            world.step()
        for id in range(0, 120, 2):
            world.remove(id)
        world.step()
        world.step()
    found = replayed(path, seeks=[2, 0, 4])
    assert found["text"]["state"] == "good"
    assert len(found["shown"][0]["events"]) == 4 * 120 * 119 // 2


@strategies.examples(200)
@given(strategies.frames(), strategies.layer_pairs(), strategies.hit_whens(), st.integers(0, 3))
def test_a_match_is_in_the_browser_what_the_model_says(
    replayed, tmp_path_factory, match, layers, hit_when, skipped
):
    """Queries, casts, rings and layers, from the beginning or from a state on."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    path.write_bytes(logs.model_log(match, layers, hit_when, min(skipped, len(match) - 1)))
    log = export(path)
    title = replayed(log)["text"]["title"]
    assert re.fullmatch(rf"Identical: {log.frames} frames?, hash {log.last_hash}", title)


def test_a_log_of_few_ids_and_a_large_capacity_needs_a_small_world(replayed, path):
    """Of a capacity that would not fit the memory of WebAssembly."""
    world = World(50)
    with Recorder(world, path):
        world.add(49, Sphere(ONE), Pose(0, 0, 0))
        world.add(3, Sphere(ONE), Pose(0, 0, 0))
        world.step()
    log = export(path)
    log.text = log.text.replace(b'"capacity":50', b'"capacity":2147483648')
    log.text = log.text[: log.text.rindex(b'{"frames"')]
    assert log.ids == 50
    found = replayed(log)
    assert found["text"]["state"] == "good"


def test_what_a_simulation_changes_after_its_step_is_in_the_state_that_is_compared(replayed, path):
    """Bumpers moves balls once it has seen the events."""
    game = Bumpers(seed=3, players=3)
    choices = random.Random(1)
    with SimRecorder(game, path, seed=3) as recorder:
        for frame in range(120):
            inputs = [choices.randrange(5) for _ in range(3)]
            events = game.step(inputs)
            recorder.record(frame, inputs, events, game.world.hash())
    log = export(path, simulations={"bumpers": Bumpers})
    assert b'"after"' in log.text
    assert log.original == text_of(path)
    found = replayed(log, seeks=[60])
    assert found["text"]["state"] == "good"
    assert found["verdict"]["compared"]["hashes"] == found["verdict"]["compared"]["native"] == 120
    assert found["text"]["title"].endswith(f"{game.world.hash():016x}")


class Bullets(logs.Game):
    """A simulation that takes a collider out of its world right after the step that saw it hit."""

    name = "bullets"

    def __init__(self, seed, players):
        self.seed, self.players = seed, players
        self.world = World(8)
        self.world.add(0, Box(ONE, ONE, ONE), Pose(0, 0, 0))

    def step(self, inputs):
        bullet = 1 + self.world.frame % 7
        if bullet not in self.world:
            self.world.add(bullet, Sphere(ONE // 4), Pose(-4 * ONE, 0, int(inputs[0])))
        for id in list(self.world)[1:]:
            pose = self.world[id].pose
            self.world.move(id, pose.x + ONE, 0, pose.z)
        events = self.world.step()
        for event in events:
            if event.kind == 1:
                self.world.remove(event.b)
        return events


def test_a_collider_that_is_taken_away_right_after_its_hit_is_marked_where_it_was(replayed, path):
    """The hit begins with it gone, and ends a frame later."""
    game = Bullets(0, 1)
    with SimRecorder(game, path, seed=0) as recorder:
        for frame in range(40):
            recorder.record(frame, [frame], game.step([frame]), game.world.hash())
    log = export(path, simulations={"bullets": Bullets})
    found = replayed(log, seeks=range(40))
    assert found["text"]["state"] == "good"
    assert sum(1 for shown in found["shown"] for kind in shown["events"][2::4] if kind == 3) > 5
    marks = [mark for shown in found["shown"] for mark in shown["marks"]]
    assert {mark["kind"] for mark in marks} == {1, 3}
    assert all(abs(mark["x"]) <= 2 and abs(mark["z"]) <= 1 for mark in marks)


def test_the_same_events_in_another_order_are_a_difference(replayed, tmp_path):
    def turn(frame):
        if frame["frame"] == 80:
            frame["events"].reverse()

    path = edited(FIGHT, tmp_path / "turned.jsonl", turn)
    found = replayed(path, seeks=[80])
    assert found["verdict"]["first"] == {"frame": 80, "fields": ["events"]}
    assert found["shown"][0]["differences"]["events"]["counts"] == [0, 0]


def test_the_exact_centre_of_a_collider_with_an_offset_is_the_contracts(replayed, path):
    """x + R(ox·c - oz·s), R to nearest, halves away from zero."""
    draw = random.Random(11)
    placed = []
    world = World(40)
    with Recorder(world, path):
        for id in range(40):
            position, offset = ([draw.randint(-(2**29), 2**29) for _ in range(3)] for _ in range(2))
            yaw = draw.choice([0, 8192, 16384, 40960, draw.randrange(65536)])
            world.add(id, Sphere(1), Pose(*position, yaw), offset=tuple(offset))
            placed.append((position, offset, yaw))
        world.step()
    log = export(path)
    for id in range(0, 40, 13):
        found = replayed(log, seeks=[0], selected=id)
        (x, y, z), (ox, oy, oz), yaw = placed[id]
        c, s = direction(yaw)
        turned = [ox * c - oz * s, ox * s + oz * c]
        dx, dz = ((abs(v) + 2**29 >> 30) * (1 if v >= 0 else -1) for v in turned)
        assert found["shown"][0]["centre"] == [x + dx, y + oy, z + dz]


def test_a_colliders_history_is_its_hits_and_its_changes(replayed, path):
    world = World(8)
    with Recorder(world, path):
        world.add(1, Sphere(ONE), Pose(0, 0, 0), layer=3)
        world.add(2, Cylinder(ONE, ONE), Pose(ONE, 0, 0), layer=1)
        world.step()
        world.move(2, 9 * ONE, 0, 0)
        world.step()
        world.set_active(1, False)
        world.set_shape(1, Box(1, 1, 1))
        world.step()
        world.set_active(1, True)
        world.step()
        for change in (world.set_active, world.set_shape, world.set_layer, world.set_owner):
            same = {"set_active": True, "set_shape": Box(1, 1, 1), "set_layer": 3, "set_owner": 0}
            change(1, same[change.__name__])
        world.step()
    found = replayed(path, selected=1)
    layers = 1 * 32 + 3
    assert found["history"]["hits"] == [[0, 1, 2, 1, 2, layers], [1, 1, 2, 3, 0, layers]]
    changes = found["history"]["changes"]
    assert changes == [[0, "add", 0], [2, "off", 0], [2, "shape", 0], [3, "on", 0]]


def test_an_attack_was_once_off_or_was_added_in_mid_match(replayed, path):
    """In all frames of it; an id that is used again is another collider, and a body stays one."""
    world = World(8)
    with Recorder(world, path):
        for id in range(4):
            world.add(id, Sphere(ONE), Pose(9 * ONE * id, 0, 0), owner=1, active=id != 1)
        world.step()
        world.step()
        world.set_active(0, False)
        world.step()
        world.set_active(2, False)
        world.set_active(2, True)  # never off at a step
        world.remove(3)
        world.step()
        world.add(3, Sphere(ONE), Pose(-9 * ONE, 0, 0), owner=1)
        world.add(4, Sphere(ONE), Pose(-18 * ONE, 0, 0), owner=1)
        world.step()
    [lane] = replayed(path)["lanes"]
    spans = {tuple(lane["spans"][at : at + 3]) for at in range(0, len(lane["spans"]), 3)}
    assert spans == {(0, 1, 1), (0, 2, 0), (3, 4, 0), (4, 4, 0), (4, 4, 1)}
    assert lane["id"] == 2  # the lowest that is no attack
    assert lane["ids"] == [2, 3, 0, 1, 4]


def test_a_refused_command_has_the_index_that_it_has_on_its_line(replayed, path):
    """Queries before it count, as in `fixsync replay`."""
    whole = text_of(FIGHT)
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:12]))
    log = export(path)
    lines = log.text.splitlines(keepends=True)
    frame = json.loads(lines[6])
    query = ["query", ["sphere", 9], [0, 0, 0], 0, 1]
    frame["commands"] = [query, ["turn", 0, 1], query, ["move", 40, [0, 0, 0]]]
    lines[6] = json.dumps(frame).encode() + b"\n"
    log.text = b"".join(lines)
    message = replayed(log)["verdict"]["refused"]["message"]
    assert message == "line 7, commands[3]: move 40: an id that is not in the world"
    path.write_bytes(log.text)
    with pytest.raises(MatchLogError, match=r"line 7, commands\[3\]"):
        export(path)


def test_hits_of_hidden_pairs_of_layers_are_not_counted(replayed):
    found = replayed(FIGHT)
    pairs = dict(found["pairs"])
    assert len(pairs) > 3
    total = sum(pairs.values())
    assert sum(found["counts"]["enters"]) == total
    for pair, count in pairs.items():
        hidden = replayed(FIGHT, hidden=[pair])
        assert sum(hidden["counts"]["enters"]) == total - count


# ---- planes, lanes, places, logs from the middle ----


def test_of_two_planes_the_hits_are_those_of_both(replayed, path):
    """As TwoPlanes joins them, with ids taken away and brought back within a frame."""
    draw = random.Random(3)
    game = flat.TwoPlanes(8)
    box = flat.Hitbox(flat.rectangle(ONE, ONE), ONE // 2, ONE)
    expected = []
    with Recorder(game.world, path):
        for id in range(8):
            game.add(id, box, (0, 0, 0), owner=id // 2)
        for _ in range(80):
            for id in range(8):
                if draw.random() < 0.1:
                    game.remove(id)
                    game.add(id, box, (0, 0, 0))
                game.move(id, *(draw.randrange(-2 * ONE, 2 * ONE) for _ in range(3)))
            expected.append([number for event in game.step() for number in event])
    assert {kind for events in expected for kind in events[2::4]} == {1, 2, 3}
    found = replayed(path, seeks=range(80))
    assert found["text"]["state"] == "good"
    assert [shown["events"] for shown in found["shown"]] == expected


def test_an_ordinary_match_is_not_taken_for_two_planes(replayed, path):
    """Though its layers would do."""
    world = World(8, layers=[(0, 0), (16, 16)])
    with Recorder(world, path):
        for id in (0, 1, 4, 5):
            world.add(id, Sphere(ONE), Pose(0, 0, 0), layer=16 * (id > 3))
        world.step()
    found = replayed(path, seeks=[0])
    assert len(found["shown"][0]["events"]) == 2 * 4


def test_lanes_have_the_frames_of_attacks_and_who_hits_whom(replayed, path):
    world = World(8)
    with Recorder(world, path):
        world.add(0, Sphere(ONE), Pose(0, 0, 0), owner=1)
        world.add(1, Sphere(ONE // 2), Pose(2 * ONE, 0, 0), owner=1, active=False)
        world.add(2, Sphere(ONE), Pose(3 * ONE, 0, 0), owner=2)
        for frame in range(10):
            if frame in (3, 6):
                world.set_active(1, frame == 3)
            if frame == 8:
                world.remove(2)
            world.move(0, frame, 0, 0)
            world.step()
    found = replayed(path, selected=0)
    one, two = found["lanes"]
    assert (one["owner"], one["id"], two["owner"], two["id"]) == (1, 0, 2, 2)
    assert one["spans"] == [3, 5, 1, 0, 9, 0]  # the attack, and the body to the end
    assert two["spans"] == [0, 7, 0]
    assert one["hits"] == [3, 0, 2]  # gives one to collider 2
    assert two["hits"] == [3, 1, 1]
    assert found["track"]["places"][::3] == list(range(10))
    assert found["track"]["isThere"] == [1] * 10


def test_the_games_own_events_are_in_the_lanes_of_the_colliders_that_they_name(
    replayed, run_engine, path, tmp_path
):
    log = logs.write(path, logs.header(), logs.with_game_events())
    *_, game = replayed(log)["lanes"]
    assert (game["id"], game["gameEvents"]) == (None, [[1, 16, -1], [1, 17, 2], [3, 4294967295, 5]])
    kinds = {"16": "bump (collider, number)", "17": "push (number, collider)"}
    log = logs.write(path, logs.header(names={"game": kinds}), logs.with_game_events())
    one, two, game = replayed(log)["lanes"]
    assert two["gameEvents"] == []
    assert one["gameEvents"] == [[1, 16, -1], [1, 17, 2]]
    assert game["gameEvents"] == [[3, 4294967295, 5]]
    kinds = {"16": "bump (owner, owner)", "17": "push (owner, collider)", "4294967295": "x (a, b)"}
    log = logs.write(path, logs.header(names={"game": kinds}), logs.with_game_events())
    one, two, game = replayed(log)["lanes"]
    assert two["gameEvents"] == []
    assert one["gameEvents"] == [[1, 17, 2]]
    assert game["gameEvents"] == [[1, 16, -1], [3, 4294967295, 5]]
    lost = edited(log, tmp_path / "lost.jsonl", lambda line: line.update(game=line["game"][:1]))
    compared = run_engine(export(log), export(lost), seeks=[1])["comparison"]
    assert compared["result"]["first"] == {"frame": 1, "fields": ["game"]}


def test_a_page_has_the_events_that_its_simulation_computes_with_their_names(path):
    game = Scoring(3, 2)
    with SimRecorder(game, path, seed=3) as recorder:
        for frame, inputs in enumerate([(1, 0), (1, 3), (0, 0)]):
            hits, events = stepped(game, inputs)
            recorder.record(frame, inputs, hits, game.world.hash(), events)
    log = export(path, simulations={"scoring": Scoring})
    header, first, *_ = map(json.loads, log.text.splitlines())
    assert header["names"]["game"] == {"16": "bump", "4294967295": "count"}
    assert first["game"] == [[0, 7, 16, -1]]


def test_a_log_that_begins_in_the_middle_goes_by_its_own_frame_numbers(
    run_engine, replayed, tmp_path, path
):
    """With a change of the layer matrix, and a query that leaves an owner out."""
    world = World(8)
    for id in range(4):
        world.add(id, Sphere(ONE), Pose(id * ONE, 0, 0), layer=id, owner=id)
    for _ in range(100):
        world.step()
    with Recorder(world, path) as recorder:
        for frame in range(100, 150):
            world.move(0, frame * 1000, 0, 0)
            if frame in (110, 120):
                world.set_layers([(0, 1), (2, 3)] if frame == 110 else None)
            recorder.query(Sphere(ONE), Pose(ONE, 0, 0), exclude_owner=frame % 3)
            world.step()
    log = export(path)
    assert (log.first, log.frames, log.ids) == (100, 50, 4)
    found = replayed(log, seeks=[149, 100, 125, 124, 0])
    assert found["text"]["title"] == f"Identical: 50 frames, hash {world.hash():016x}"
    assert [shown["frame"] for shown in found["shown"]] == [149, 100, 125, 124, 100]
    changed = edited(path, tmp_path / "changed.jsonl", lambda f: f.update(hash="0" * 16))
    found = replayed(changed)
    assert found["verdict"]["first"] == {"frame": 100, "fields": ["hash"]}
    found = run_engine(log, log)["comparison"]
    assert found["text"]["title"].startswith("A and B are the same")


# ---- attacks ----


@pytest.mark.parametrize("name", ["skill_fight", "allegiance"])
def test_attacks_and_explanations_are_those_of_the_command_line(replayed, name):
    path = ROOT / "replay_logs" / f"{name}.jsonl.gz"
    assert check_attacks(replayed, path) > 30


@pytest.mark.parametrize("case", CASES)
def test_attacks_of_small_matches_are_those_of_the_command_line(replayed, case, tmp_path):
    check_attacks(replayed, written(tmp_path, CASES[case]))


@pytest.mark.parametrize("names", NAMED)
@pytest.mark.parametrize("case", CASES)
def test_attacks_that_names_say_are_those_of_the_command_line(replayed, case, names, tmp_path):
    check_attacks(replayed, named(case, names, tmp_path))


def check_attacks(replayed, path):
    expected = attacks(path).attacks
    found = replayed(path, attacks=True)["attacks"]
    for one, swing in zip(found, expected, strict=True):
        assert (one["id"], one["owner"]) == (swing.id, swing.owner)
        assert (one["first"], one["last"]) == tuple(swing.frames)
        assert one["parts"] == [part.id for part in swing.parts]
        victims = [(hit["id"], [tuple(span) for span in hit["frames"]]) for hit in one["hits"]]
        assert victims == [(victim.id, victim.frames) for victim in swing.hits]
        missed = [
            (m["id"], m["part"], m["frame"], m["gap"], m["turn"], m["causes"])
            for m in one["missed"][:MISSED_MAX]
        ]
        at = [(m.id, m.part, m.nearest) for m in swing.missed]
        assert missed == [(id, part, a.frame, a.gap, a.turn, a.why) for id, part, a in at]
    return len(expected)


# ---- two logs ----


@pytest.mark.full
def test_two_logs_are_compared_by_commands_states_and_answers(run_engine, tmp_path):
    def nudge(frame):
        if frame["frame"] == 300:
            for command in frame["commands"]:
                if command[0] == "pose" and command[1] == 0:
                    command[2][0] += 1

    def lie(frame):
        if frame["frame"] == 250:
            frame["events"] = frame["events"][1:]

    whole = export(FIGHT)
    nudged = export(edited(FIGHT, tmp_path / "nudged.jsonl", nudge))
    lied = export(edited(FIGHT, tmp_path / "lied.jsonl", lie))
    same = run_engine(whole, whole)["comparison"]
    assert same["result"]["first"] is None
    assert same["text"]["title"] == "A and B are the same in all 600 frames"
    moved = run_engine(whole, nudged, seeks=[300])["comparison"]
    assert moved["result"]["first"] == {"frame": 300, "fields": ["commands", "state"]}
    assert [item["index"] for item in moved["details"]["commands"]] == [0]
    reported = run_engine(whole, lied, seeks=[250])["comparison"]
    assert reported["result"]["first"] == {"frame": 250, "fields": ["events"]}
    assert reported["details"]["events"]["counts"] == [1, 0]


def test_a_log_that_ends_earlier_differs_where_it_ends(run_engine, path):
    path.write_bytes(b"".join(text_of(FIGHT).splitlines(keepends=True)[:101]))
    found = run_engine(export(FIGHT), export(path))["comparison"]
    assert found["result"]["first"] == {"frame": 100, "fields": ["length"]}
    assert found["result"]["frames"] == [600, 100]


def test_headers_that_differ_are_told(run_engine, path):
    text = re.sub(rb'"tick_rate":\d+', b'"tick_rate":7', text_of(LOGS[0]), count=1)
    path.write_bytes(text[: text.rindex(b'{"frames"')])
    found = run_engine(export(LOGS[0]), export(path))["comparison"]
    assert found["result"]["header"] == ["tick_rate"]
    assert found["text"]["state"] == "bad"


# ---- the commands ----


def test_view_names_the_page_after_the_log(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("view", ROOT / "replay_logs" / "edges.jsonl.gz")
    assert code == 0
    assert "edges.html" in out
    assert [path.name for path in tmp_path.iterdir()] == ["edges.html"]


def test_view_of_what_is_no_log_writes_nothing_and_keeps_what_is_there(run, path):
    out = path.with_name("out.html")
    path.write_text('{"format":"other"}\n')
    out.write_text("mine")
    assert run("view", path, "-o", out)[0] == 2
    assert out.read_text() == "mine"
    assert {file.name for file in path.parent.iterdir()} == {path.name, "out.html"}


def test_view_takes_at_most_two_logs(run, tmp_path):
    out = tmp_path / "out.html"
    small = VECTORS / "small.jsonl"
    assert run("view", small, small, small, "-o", out)[0] == 2
    assert run("view", "-o", out)[0] == 0  # an empty page, to drop logs onto
    assert '"logs": []' in out.read_text(encoding="utf-8")
    reported = json.loads(run("view", small, small, "-o", out, "--title", "a & b", "--json")[1])
    assert [log["hash"] for log in reported["logs"]] == [export(small).last_hash] * 2
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<title>a &amp; b</title>" in page


@pytest.mark.full
def test_the_demo_plays_a_match_compares_both_logs_and_writes_the_page(run, tmp_path):
    code, out, err = run("demo", "--frames", 60, "-o", tmp_path / "out", "--json", "--no-open")
    assert code == 0, out + err
    reported = json.loads(out)
    assert reported["exit_code"] == 0
    assert reported["logs_are_identical"]
    assert {peer["replay"] for peer in reported["peers"]} == {"identical"}
    assert Path(reported["page"]).read_text(encoding="utf-8").startswith("<!doctype html>")
    logs = [tmp_path / "out" / f"peer{peer}.jsonl" for peer in (0, 1)]
    assert export(logs[0]).frames == 60
    assert logs[0].read_bytes() == logs[1].read_bytes()


@pytest.mark.full
def test_no_page_is_written_while_a_kind_has_no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "KINDS_BY_NAME", {**bundle.KINDS_BY_NAME, "wedge": None})
    with pytest.raises(ValueError, match=r"kinds\.js does not say how this kind is drawn: wedge$"):
        page([])

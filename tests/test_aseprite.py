"""Frame data out of sprite sheets of Aseprite, and the names of frame data in other languages."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tools import Run, damaged_values, each

from fixsync import Box, FrameData
from fixsync.game.aseprite import AsepriteFrameData, read_aseprite
from fixsync.game.frame_data_file import FrameDataError, read_frame_data

ROOT = Path(__file__).resolve().parent.parent
Json = dict[str, Any]
ONE = 65536


def key(frame: int, x: int, y: int, w: int, h: int, pivot: tuple[int, int] | None = None) -> Json:
    found: Json = {"frame": frame, "bounds": {"x": x, "y": y, "w": w, "h": h}}
    return {**found, "pivot": dict(zip("xy", pivot, strict=True))} if pivot else found


def sheet(*durations: int, slices: dict[str, list[Json]], tags: list[Json] | None = None) -> Json:
    """A sprite of 32 x 32 pixels, one image for each duration in milliseconds."""
    images = [
        {"filename": f"hero {i}", "duration": ms, "sourceSize": {"w": 32, "h": 32}}
        for i, ms in enumerate(durations)
    ]
    rows = [{"name": name, "color": "#0000ffff", "keys": keys} for name, keys in slices.items()]
    return {"frames": images, "meta": {"app": "a", "slices": rows, "frameTags": tags or []}}


def tag(name: str, first: int, last: int, direction: str = "forward", **more: Any) -> Json:
    return {"name": name, "from": first, "to": last, "direction": direction, **more}


BODY = {"hurt": [key(0, 8, 0, 16, 32)]}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., AsepriteFrameData]:
    def reading(document: Json, **options: Any) -> AsepriteFrameData:
        path = tmp_path / "hero.json"
        path.write_text(json.dumps(document))
        options.setdefault("pixels_per_unit", 16)
        return read_aseprite(path, **options)

    return reading


Read = Callable[..., AsepriteFrameData]


def test_slices_become_parts_and_tags_attacks(read: Read) -> None:
    fist = [key(1, 24, 8, 8, 4), key(3, 0, 0, 0, 0)]
    found = read(
        sheet(50, 50, 100, 50, slices={**BODY, "hitbox": fist}, tags=[tag("jab", 0, 3, data="x")])
    )
    torso, hand = found.frame_data.parts.values()
    assert (torso.shape, torso.offset) == (Box(ONE // 2, ONE, ONE // 2), (0, 0, 0))
    assert (torso.layer, torso.active) == (0, True)
    # 24..32 of 32 pixels and 8..12: half a unit wide, a quarter high, to the right and up.
    assert (hand.shape, hand.offset) == (
        Box(ONE // 4, ONE // 8, ONE // 2),
        (ONE * 12 // 16, ONE * 6 // 16, 0),
    )
    assert (hand.layer, hand.active) == (1, False)
    jab = found.frame_data.attacks["jab"]
    assert (jab.frames, jab.active, jab.meta) == (15, {"hitbox": (range(3, 12),)}, {"data": "x"})
    assert found.origin == "middle of the canvas, 32 x 32 pixels"


@pytest.mark.parametrize(
    ("ms", "rate", "frames"),
    [(17, 60, 1), (33, 60, 2), (50, 60, 3), (67, 60, 4), (100, 60, 6), (40, 50, 2), (8, 120, 1)],
)
def test_a_duration_that_is_nearest_to_whole_frames_is_these_frames(
    read: Read, ms: int, rate: int, frames: int
) -> None:
    found = read(sheet(ms, slices=BODY), tick_rate=rate)
    assert found.frame_data.attacks["hero"].frames == frames


@pytest.mark.parametrize(
    ("durations", "path", "reason"),
    [
        ([80], "frames[0]", ("80 ms is not a whole number of frames at 60 a second: write 67 (4 frames)"
         " or 83 (5 frames)")),
        ([100, 120, 80, 120], "frames[1]", ("120 ms is not a whole number of frames at 60 a second: "
         "write 117 (7 frames) or 133 (8 frames); 3 images are like it")),
        ([5], "frames[0]", "5 ms is not a whole number of frames at 60 a second: write 17 (1 frame)"),
    ],
)  # fmt: skip
def test_another_duration_is_refused_with_its_neighbours(
    read: Read, durations: list[int], path: str, reason: str
) -> None:
    with pytest.raises(FrameDataError) as wrong:
        read(sheet(*durations, slices=BODY))
    reason += ". --round-durations takes the nearest"
    assert (wrong.value.path, wrong.value.reason) == (f"{path}.duration", reason)


@pytest.mark.parametrize(
    ("direction", "more", "images"),
    [
        ("forward", {}, [0, 1, 2]),
        ("forward", {"repeat": "2"}, [0, 1, 2, 0, 1, 2]),
        ("reverse", {}, [2, 1, 0]),
        ("pingpong", {}, [0, 1, 2, 1]),
        ("pingpong", {"repeat": "1"}, [0, 1, 2]),
        ("pingpong", {"repeat": "3"}, [0, 1, 2, 1, 0, 1, 2]),
        ("pingpong_reverse", {}, [2, 1, 0, 1]),
    ],
)
def test_images_are_played_in_the_order_of_their_tag(
    read: Read, direction: str, more: Json, images: list[int]
) -> None:
    slices = {"hit": [key(i, 4 * i, 0, 4, 4) for i in range(3)]}
    found = read(sheet(50, 50, 50, slices=slices, tags=[tag("a", 0, 2, direction, **more)]))
    places = [box_at(found.frame_data, "a", "hit", 3 * i + 1) for i in range(len(images))]
    assert [place[1][0] for place in places] == [(4 * i + 2 - 16) * 4096 for i in images]
    assert found.frame_data.attacks["a"].frames == 3 * len(images)


def box_at(frames: FrameData, attack: str, name: str, frame: int) -> Any:
    """The shape and the offset of a part in a frame of an attack; None while it is off."""
    part, move = frames.parts[name], frames.attacks[attack]
    is_on = part.active
    if name in move.active:
        is_on = any(frame in span for span in move.active[name])  # type: ignore[operator]
    if name in move.inactive:
        is_on = not any(frame in span for span in move.inactive[name])  # type: ignore[operator]
    for one in move.keys.get(name, ()):
        if frame in one.frames:
            part = one.of(part)
    return (part.shape, part.offset) if is_on else None


@each("seed", range(20))
def test_every_frame_has_the_boxes_that_the_editor_shows(read: Read, seed: int) -> None:
    """A second reading: the key of each image is looked for from the image backwards."""
    chance = random.Random(seed)
    count = chance.randint(1, 6)
    durations = [50 * chance.randint(1, 3) for _ in range(count)]
    slices = {
        name: [
            key(i, chance.randint(-9, 30), chance.randint(-9, 30), *chance.choice([(0, 0), (3, 8), (8, 2)]))
            for i in sorted(chance.sample(range(count), chance.randint(1, count)))
        ]
        for name in ("hurt", "hit a", "hit b")
    }  # fmt: skip
    slices["hurt"][0]["bounds"]["w"] = slices["hurt"][0]["bounds"]["h"] = 4
    first = chance.randrange(count)
    tags = [tag("all", 0, count - 1), tag("some", first, count - 1, "reverse")]
    found = read(sheet(*durations, slices=slices, tags=tags), pivot="10,20.5").frame_data
    for attack, images in (("all", [*range(count)]), ("some", [*range(first, count)][::-1])):
        frame = 0
        for image in images:
            for _ in range(durations[image] * 60 // 1000):
                for name in found.parts:
                    keys = {k["frame"]: k["bounds"] for k in slices[name]}
                    here = next((keys[i] for i in range(image, -1, -1) if i in keys), None)
                    expected = None
                    if here is not None and here["w"]:
                        x, y = here["x"] + here["w"] / 2 - 10, 20.5 - here["y"] - here["h"] / 2
                        expected = (
                            Box(here["w"] * 2048, here["h"] * 2048, ONE // 2),
                            (int(x * 4096), int(y * 4096), 0),
                        )
                    assert box_at(found, attack, name, frame) == expected
                frame += 1
        assert found.attacks[attack].frames == frame


def test_the_only_pivot_of_the_file_is_the_origin_in_each_image(read: Read) -> None:
    slices = {"hurt": [key(0, 8, 0, 16, 32, (8, 32)), key(1, 10, 0, 16, 32, (8, 32))]}
    found = read(sheet(50, 50, slices=slices))
    assert found.origin == "pivot of slice hurt"
    # The pivot moves with the box, so the box stays where it is: no key.
    assert found.frame_data.parts["hurt"].offset == (0, ONE, 0)
    assert not found.frame_data.attacks["hero"].keys
    assert read(sheet(50, slices=slices), pivot="16,32").frame_data.parts["hurt"].offset == (
        0, ONE, 0,
    )  # fmt: skip
    slices["hit"] = [key(0, 0, 0, 4, 4, (0, 0))]
    with pytest.raises(
        FrameDataError, match='several slices have a pivot: --pivot takes one of "hurt", "hit"'
    ):
        read(sheet(50, slices=slices))
    assert read(sheet(50, slices=slices), pivot="hit").origin == "pivot of slice hit"
    with pytest.raises(FrameDataError, match='no slice "foot" has a pivot: --pivot is a pixel X,Y'):
        read(sheet(50, slices=slices), pivot="foot")


def test_names_or_user_data_choose_hitboxes_and_hurtboxes(read: Read) -> None:
    slices = {
        "Body": [key(0, 0, 0, 4, 4)],
        "Arm": [key(0, 4, 0, 4, 4)],
        "Shadow": [key(0, 0, 0, 9, 9)],
    }
    document = sheet(50, slices=slices)
    with pytest.raises(
        FrameDataError,
        match=r'none of its slices .*--hit NAME and --hurt NAME choose among "Body", "Arm", "Shadow"',
    ):
        read(document)
    found = read(document, hits=["arm@7"], hurts=["body"])
    assert [(p.layer, p.active) for p in found.frame_data.parts.values()] == [(0, True), (7, False)]
    assert found.left_out == ["Shadow"]
    document["meta"]["slices"][1]["data"] = "hitbox, heavy"
    found = read(document, hurts=["body"])
    assert found.frame_data.parts["Arm"].meta == {"data": "hitbox, heavy"}
    with pytest.raises(FrameDataError, match='"Body" is a hitbox and a hurtbox'):
        read(document, hits=["b*"], hurts=["body"])


def test_a_coordinate_that_is_not_exact_is_rounded_and_counted(read: Read) -> None:
    found = read(sheet(50, slices={"hurt": [key(0, 0, 0, 10, 10)]}), pixels_per_unit=100)
    assert found.rounded == 1
    assert found.frame_data.parts["hurt"].shape == Box(3277, 3277, ONE // 2)  # 3276.8


@pytest.mark.full
def test_a_damaged_sheet_is_refused_and_never_crashes(read: Read) -> None:
    slices = {**BODY, "hit": [key(1, 1, 1, 2, 2, (1, 1))]}
    good = sheet(50, 50, slices=slices, tags=[tag("a", 0, 1, repeat="1")])
    values = [None, -1, 2.5, "x", [], {}, [[]], True, 10**30, 65536, ""]
    for document in damaged_values(good, random.Random(3), values):
        with suppress(FrameDataError):
            read(document)


def test_the_command_writes_a_file_that_is_the_same_frame_data(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "hero.json"
    fist = [key(0, 0, 0, 0, 0), key(1, 24, 8, 8, 4)]
    path.write_text(
        json.dumps(sheet(50, 50, slices={**BODY, "hit": fist}, tags=[tag("jab", 0, 1)]))
    )
    command = ("frame-data", path, "--from", "aseprite", "--pixels-per-unit", "16")
    code, out, _ = run(*command, "-o", tmp_path / "own.json")
    assert code == 0
    assert re.search("^origin +middle of the canvas, 32 x 32 pixels$", out, re.M)
    assert run(*command, "-o", tmp_path / "hero.bin")[0] == 0
    assert read_frame_data(tmp_path / "own.json").to_bytes() == (tmp_path / "hero.bin").read_bytes()
    code, _, errors = run("frame-data", path)
    assert code == 2
    assert "It is a sprite sheet: --from aseprite reads those of Aseprite" in errors
    for wrong, reason in (
        ((path, "--hit", "a"), "--hit: for --from aseprite"),
        ((path, "--from", "aseprite"), "--from aseprite needs --pixels-per-unit N"),
        ((tmp_path / "own.json", "-o", tmp_path / "x.json"), "-o writes .json with --from"),
    ):
        code, _, errors = run("frame-data", *wrong)
        assert code == 2
        assert reason in errors


def test_a_file_of_another_program_is_refused_with_the_page_that_helps(tmp_path: Path) -> None:
    path = tmp_path / "moves.json"
    path.write_text('{"moves": [{"name": "2LP", "startup": 4}]}')
    with pytest.raises(
        FrameDataError, match=r'attacks, meta, not "moves"\. docs/frames.md, Other formats'
    ):
        read_frame_data(path)


NAMED = """{"parts": {"body": {"shape": ["sphere", 9]}, "left fist": {"shape": ["sphere", 9]}},
 "attacks": {"jab": {"frames": 3}, "2LP": {"frames": 4}}}"""


@pytest.mark.parametrize(
    ("suffix", "lines"),
    [
        ("cs", ["public static class KnightFrames", "    public const int PartLeftFist = 1;",
                "    public const int AttackJab = 0;", "    public const int Attack2lp = 1;"]),
        ("rs", ["pub const PART_LEFT_FIST: u32 = 1;", "pub const ATTACK_2LP: u32 = 1;"]),
        ("gd", ["class_name KnightFrames", "const PART_LEFT_FIST := 1", "const ATTACK_2LP := 1"]),
        ("ts", ['  parts: ["body", "left fist"],', '  attacks: ["jab", "2LP"],']),
        ("h", ["    KNIGHT_PART_LEFT_FIST,", "    KNIGHT_ATTACK_2LP,"]),
    ],
)  # fmt: skip
def test_names_of_parts_and_attacks_are_written_for_a_language(
    run: Run, tmp_path: Path, suffix: str, lines: list[str]
) -> None:
    (tmp_path / "knight.json").write_text(NAMED)
    assert run("frame-data", tmp_path / "knight.json", "-o", tmp_path / f"names.{suffix}")[0] == 0
    assert {*lines} <= {*(tmp_path / f"names.{suffix}").read_text().splitlines()}


@pytest.mark.full
def test_the_names_for_rust_compile(run: Run, tmp_path: Path) -> None:
    rustc = shutil.which("rustc")
    # rustup's rustc is there without a toolchain too.
    if rustc is None or subprocess.run([rustc, "--version"], check=False).returncode != 0:
        pytest.skip("no rustc here")
    (tmp_path / "knight.json").write_text(NAMED)
    run("frame-data", tmp_path / "knight.json", "-o", tmp_path / "names.rs")
    main = 'mod names; fn main() { print!("{}", names::PART_LEFT_FIST + names::ATTACK_2LP) }'
    (tmp_path / "main.rs").write_text(main)
    subprocess.run([rustc, "main.rs", "-A", "dead_code", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.check_output([tmp_path / "main"]) == b"2"


def test_two_names_that_become_one_word_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "knight.json"
    path.write_text(NAMED.replace("2LP", "Jab"))
    code, _, errors = run("frame-data", path, "-o", tmp_path / "names.cs")
    assert code == 2
    assert "the attacks 'jab' and 'Jab' both become ATTACK_JAB: rename one" in errors
    assert not (tmp_path / "names.cs").exists()


# Sheets of several sprites, layers and tags.


def named(document: Json, names: list[str], *, as_hash: bool = False) -> Json:
    """The sheet with other names of its images: a list, or an object by name."""
    images = [{**i, "filename": n} for i, n in zip(document["frames"], names, strict=True)]
    frames: Any = {i["filename"]: i for i in images} if as_hash else images
    return {**document, "frames": frames}


@pytest.mark.parametrize(
    "names",
    [
        ["a 0.aseprite", "a 1.aseprite", "b 0.aseprite", "b 1.aseprite", "b 2.aseprite"],
        ["a 0", "a 1", "a 0", "a 1", "a 2"],
        ["a.ase", "b 0.ase", "b 1.ase", "b 2.ase", "c.ase"],
        ["hero (1) 0.ase", "hero (1) 1.ase", "hero (2) 0.ase", "hero (2) 1.ase", "hero (2) 2.ase"],
    ],
)
def test_a_sheet_of_several_sprites_is_refused(read: Read, names: list[str]) -> None:
    tags = [tag("jab", 0, 1), tag("kick", 0, 2)]
    document = sheet(100, 100, 50, 50, 50, slices={**BODY, "hit": [key(2, 2, 2, 4, 4)]}, tags=tags)
    with pytest.raises(FrameDataError, match=r"images of several sprites, .*export each sprite"):
        read(named(document, names))


def exported(form: str, durations: list[int], slices: Any, tags: list[Json]) -> Json:
    """What Aseprite writes of a sprite with the options that the form names."""
    frames = [*range(len(durations))]
    layers = ["Body", "Arm (left)"] if "layers" in form else [""]
    parts: list[tuple[str, list[int]]] = [("", frames)]
    if "tags" in form:
        parts = [(f" #{t['name']}", [*range(t["from"], t["to"] + 1)]) for t in tags]
    rows = [
        (f"my hero{f' ({layer})' if layer else ''}{of} {i}.aseprite", durations[frame])
        for of, here in parts
        for layer in layers
        for i, frame in enumerate(here)
    ]
    if "titles" in form:
        rows = [(f"{t['name']}_{frame}", durations[frame]) for t in tags for frame in
                range(t["from"], t["to"] + 1)]  # fmt: skip
    document = sheet(*(ms for _, ms in rows), slices=slices, tags=tags)
    return named(document, [name for name, _ in rows], as_hash="hash" in form)


@each("form", [
    "layers", "tags", "layers tags", "hash", "hash layers", "hash tags", "titles",
])  # fmt: skip
@each("seed", range(5))
def test_layers_and_tags_that_are_split_are_the_same_sprite(
    read: Read, form: str, seed: int
) -> None:
    """The export without options has each frame once, in its order."""
    chance = random.Random(seed)
    durations = [50 * chance.randint(1, 4) for _ in range(7)]
    slices = {
        "hurt": [key(0, 0, 0, 8, 8)],
        "hit": [key(i, i, 0, chance.choice([0, 4]), 4) for i in range(1, 7)] + [key(6, 1, 1, 2, 2)],
    }
    first = 0 if form == "titles" else 1  # a frame without a tag is not in a sheet of tags
    tags = [tag("b", 4, 6, "pingpong"), tag("a", first, 3, repeat="2")]
    if form == "titles":
        tags.reverse()
    plain = read(exported("", durations, slices, tags))
    assert read(exported(form, durations, slices, tags)).document == plain.document
    if "tags" not in form and form != "titles":
        whole = read(exported("", durations, slices, []))
        assert read(exported(form, durations, slices, [])).document == whole.document
        assert whole.frame_data.attacks["hero"].frames == sum(durations) * 60 // 1000


def test_frames_that_a_sheet_lacks_are_named(read: Read) -> None:
    tags = [tag("early", 0, 1), tag("late", 1, 3)]
    names = ["hero 0", "hero 1", "hero 3"]
    document = named(sheet(50, 50, 50, slices=BODY, tags=tags), names)
    with pytest.raises(FrameDataError) as wrong:
        read(document)
    assert wrong.value.path == "meta.frameTags[1]"
    assert wrong.value.reason == "the image of frame 2 is missing: omit --ignore-empty"
    document["meta"]["frameTags"].pop()
    assert read(document).frame_data.attacks["early"].frames == 6
    names = ["hero (a) 0", "hero (a) 1", "hero (b) 1"]
    with pytest.raises(FrameDataError, match="its layers have different frames"):
        read(named(document, names))
    names = ["hero #early 0", "hero #early 1", "hero #dash 0"]
    with pytest.raises(FrameDataError, match='0 tags are called "dash": omit --split-tags'):
        read(named(document, names))


# Limits, and what is said of mistakes.


@pytest.mark.parametrize("repeat", ["99999999", "\u0663", 99999999, "9" * 5000, 70000, -1, "x"])
def test_a_repeat_is_bounded_before_it_is_played(read: Read, repeat: Any) -> None:
    for direction in ("forward", "pingpong"):
        document = sheet(50, 50, slices=BODY, tags=[tag("idle", 0, 1, direction, repeat=repeat)])
        with pytest.raises(FrameDataError) as wrong:
            read(document)
        assert wrong.value.path == "meta.frameTags[0].repeat"
        assert "expected a number of times of 0..65536" in wrong.value.reason


def test_the_images_that_all_attacks_play_are_bounded(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fixsync.game.aseprite.PLAYED_MAX", 12)
    slices = {**BODY, "hit": [key(0, 1, 1, 2, 2)]}
    tags = [tag("a", 0, 1, repeat="2"), tag("b", 0, 1)]
    assert len(read(sheet(50, 50, slices=slices, tags=tags)).frame_data.attacks) == 2
    with pytest.raises(FrameDataError, match=r"play more than 12 images, times the parts") as wrong:
        read(sheet(50, 50, slices=slices, tags=[*tags, tag("c", 0, 0)]))
    assert wrong.value.path == "meta.frameTags[2]"


def test_slices_of_one_name_are_numbered(read: Read) -> None:
    document = sheet(50, slices={"hit": [key(0, 0, 0, 4, 4)], "hit 2": [key(0, 4, 0, 4, 4)]})
    document["meta"]["slices"] += [
        {"name": "hit", "keys": [key(0, x, 0, 4, 4)]} for x in (8, 12)
    ]  # fmt: skip
    found = read(document, pivot="0,0").frame_data.parts
    assert {name: part.offset[0] // 4096 for name, part in found.items()} == {
        "hit": 2, "hit 2": 6, "hit 3": 10, "hit 4": 14,
    }  # fmt: skip
    document["meta"]["slices"] *= 9
    with pytest.raises(FrameDataError, match="it is one more than 32 parts"):
        read(document)


def test_slices_that_are_not_drawn_are_left_out_or_asked_for(read: Read, tmp_path: Path) -> None:
    document = sheet(50, slices=BODY)
    document["meta"]["slices"].append({"name": "hit"})
    assert read(document).left_out == ["hit"]
    document["meta"]["slices"] = []
    with pytest.raises(FrameDataError, match="slices: the sprite has none: draw each box as a sl"):
        read(document)
    path = tmp_path / "hero.aseprite"
    path.write_bytes(bytes([0, 9, 0, 0, 0xE0, 0xA5, 1, 0]))
    with pytest.raises(FrameDataError, match="a sprite of Aseprite: export data with --list-tags"):
        read_aseprite(path, pixels_per_unit=16)
    (tmp_path / "hero.json").write_bytes(
        b"\xef\xbb\xbf" + json.dumps(sheet(50, slices=BODY)).encode()
    )
    assert read_aseprite(tmp_path / "hero.json", pixels_per_unit=16).frame_data.parts


def test_durations_are_rounded_on_demand_and_the_error_is_told(
    read: Read, run: Run, tmp_path: Path
) -> None:
    # 1.8, 7.8, 6 and 0.3 frames: 2, 8, 6 and 1.
    document = sheet(30, 130, 100, 5, slices=BODY, tags=[tag("a", 0, 1), tag("b", 1, 3)])
    found = read(document, round_durations=True)
    assert [attack.frames for attack in found.frame_data.attacks.values()] == [10, 15]
    assert (found.durations, float(found.off)) == (3, 0.9)
    command = (
        "frame-data", tmp_path / "hero.json", "--from", "aseprite", "--pixels-per-unit", "16",
    )  # fmt: skip
    code, _, errors = run(*command)
    assert (code, "--round-durations takes the nearest" in errors) == (2, True)
    code, out, _ = run(*command, "--round-durations")
    assert code == 0
    assert re.search("^durations +3 images rounded, an attack by at most 0.9 frames$", out, re.M)
    assert "durations" not in run(*command, "--tick-rate", "1000")[1]

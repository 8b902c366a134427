"""The page in a real browser: opened from a file, played, scrubbed, clicked, checked."""

import base64
import gzip
import json
import random
import re
import sys
from pathlib import Path

import logs
import pytest
from bumpers import Bumpers
from test_whole_states import AT, Charging, Faulty, recorded
from tools import ran

from fixsync import (
    LEVEL,
    ONE,
    Box,
    Cylinder,
    Level,
    Pillar,
    Pose,
    Prism,
    Sector,
    Sphere,
    World,
    q,
)
from fixsync._native.raw import lib
from fixsync.base.names import Names
from fixsync.game import flat
from fixsync.log.cut import cut
from fixsync.log.diff import diff_builds
from fixsync.log.reader import Reader
from fixsync.log.recorder import Recorder, SimRecorder
from fixsync.match.sim import hash_of
from fixsync.view import export, write

ROOT = Path(__file__).resolve().parents[2]
FXS_SEMANTICS = lib.FXS_SEMANTICS
FIGHT = ROOT / "replay_logs" / "skill_fight.jsonl.gz"
pytestmark = pytest.mark.full


def frames_of(path):
    with Reader(path) as reader:
        return list(reader)


def shows(page, frame):
    """Waits until the page shows a frame, panels included."""
    page.wait_for_selector(f"#timeline[aria-valuenow='{frame}']")
    page.wait_for_selector(f"#frame-events[data-frame='{frame}']", state="attached")


def drawn(page):
    """Waits until the page has drawn the frame."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def shown_frame(page):
    return int(page.get_attribute("#timeline", "aria-valuenow"))


def go_to(page, frame):
    page.fill("#frame", str(frame))
    page.press("#frame", "Enter")
    shows(page, frame)


def edited(path, out, change, head=()):
    first, *lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    frames = [json.loads(line) for line in lines[:-1]]
    for frame in frames:
        change(frame)
    first = json.dumps(json.loads(first) | dict(head))
    out.write_text("\n".join([first, *map(json.dumps, frames)]) + "\n")
    return out


def test_playing_goes_on_to_the_end_and_stops_there(opened):
    page = opened(FIGHT)
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.wait_for_selector("#timeline:not([aria-valuenow='0'])")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Play"
    page.wait_for_timeout(200)
    paused = shown_frame(page)
    page.wait_for_timeout(300)
    assert 0 < shown_frame(page) == paused
    page.select_option("#speed", "16")
    page.click("#play")
    shows(page, 599)
    page.wait_for_selector("#play[aria-label=Play]")
    page.click("#play")
    page.wait_for_selector("#timeline:not([aria-valuenow='599'])")
    page.click("#play")


def test_the_keyboard_steps_jumps_and_finds_hits(opened):
    page = opened(FIGHT)
    marked = [f.frame for f in frames_of(FIGHT) if any(kind != 2 for _, _, kind, _ in f.events)]
    for key, frame in (
        ("ArrowRight", 1),
        ("Shift+ArrowRight", 11),
        ("ArrowLeft", 10),
        ("End", 599),
        ("[", max(f for f in marked if f < 599)),
        ("Home", 0),
        ("]", min(f for f in marked if f > 0)),
        ("PageDown", min(f for f in marked if f > 0) + 60),
    ):
        page.keyboard.press(key)
        shows(page, frame)
    page.keyboard.press(".")
    assert page.input_value("#speed") == "2"
    page.keyboard.press(",")
    assert page.input_value("#speed") == "1"


def test_the_timeline_can_be_clicked_and_dragged(opened):
    page = opened(FIGHT)
    box = page.locator("#timeline").bounding_box()
    at = lambda frame: (box["x"] + box["width"] * (frame + 0.5) / 600, box["y"] + 20)  # noqa: E731
    page.mouse.click(*at(450))
    shows(page, 450)
    page.mouse.move(*at(450))
    page.mouse.down()
    for frame in (400, 200, 120):
        page.mouse.move(*at(frame))
    page.mouse.up()
    shows(page, 120)
    assert f"hash {frames_of(FIGHT)[120].hash}" in page.inner_text("#frame-events")


def screen_of(page, view, x, up):
    """Where a point of the world is on the screen, by what the page shows under the pointer."""
    figure = page.locator(f"figure[data-side='0'][data-projection='{view}']")
    box = figure.bounding_box()
    read = []
    for part in (0.3, 0.7):
        place = box["x"] + box["width"] * part, box["y"] + box["height"] * part
        page.mouse.move(*place)
        numbers = re.findall(r"-?\d+\.?\d*", figure.locator(".pointer").inner_text())
        read.append((place, tuple(map(float, numbers))))
    (p, a), (q, b) = read
    return [p[i] + (v - a[i]) * (q[i] - p[i]) / (b[i] - a[i]) for i, v in enumerate((x, up))]


@pytest.mark.parametrize("view", ["top", "side"])
def test_a_click_selects_the_collider_that_is_there_and_tells_its_values(opened, view, path):
    world = World(16)
    with Recorder(world, path):
        world.add(3, Sphere(ONE), Pose(-4 * ONE, 0, 2 * ONE))
        world.add(
            7, Box(2 * ONE, ONE, ONE // 2), Pose(5 * ONE + 1, ONE, -ONE, 8192), layer=4, owner=9
        )
        world.add(
            9, Sector(3 * ONE, 5461, ONE), Pose(-ONE, 5 * ONE, -6 * ONE, 16384), offset=(ONE, 0, 0)
        )
        world.step()
        world.move(3, 5 * ONE, 0, -ONE)
        world.step()
    page = opened(path)
    # Along the box's long side, which stands at 45 degrees from above.
    point = (5 + 1.2, -1 + 1.2) if view == "top" else (5 + 1.5, 1)
    page.mouse.click(*screen_of(page, view, *point))
    page.wait_for_selector("#collider >> text=box · layer 4 · owner 9 · active")
    reported = page.inner_text("#collider")
    for row in (
        "half x\t2\t131072", "half z\t0.5\t32768", "x\t5\t327681", "z\t-1\t-65536",
        "yaw\t45°\t8192",
    ):  # fmt: skip
        assert row in reported
    assert page.get_attribute("#collider td[title='5.0000152587890625']", "title")
    assert "It hits nothing in this frame." in reported
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#collider >> text=enter, overlapping")
    page.wait_for_selector("#collider .history >> text=enter")
    # Beside everything: nothing is selected any more.
    page.mouse.click(*screen_of(page, view, -6, -3 if view == "top" else 2.5))
    page.wait_for_selector("#collider >> text=Click a collider")


def test_colliders_are_selected_by_key_id_and_name_and_followed(opened):
    page = opened(FIGHT)
    page.keyboard.press("n")
    page.wait_for_selector("#collider .subtitle >> text=hero")
    page.keyboard.press("n")
    page.wait_for_selector("#collider .subtitle >> text=slash")
    page.fill("#pick-id", "12")
    page.press("#pick-id", "Enter")
    page.wait_for_selector("#collider .subtitle >> text=12")
    page.click("#follow")
    assert page.get_attribute("#follow", "aria-pressed") == "true"
    pose = next(
        command for command in frames_of(FIGHT)[0].commands if getattr(command, "id", None) == 12
    ).position
    figure = page.locator("figure[data-projection='top']")
    box = figure.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    x, z = map(float, re.findall(r"-?\d+\.?\d*", figure.locator(".pointer").inner_text()))
    assert abs(x - pose[0] / ONE) < 0.2
    assert abs(z - pose[2] / ONE) < 0.2
    page.keyboard.press("Escape")
    page.wait_for_selector("#collider >> text=Click a collider")
    assert page.is_disabled("#follow")


def test_pan_zoom_and_fit(opened):
    page = opened(FIGHT)
    figure = page.locator("figure[data-projection='top']")
    box = figure.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def under():
        page.mouse.move(middle[0] + 1, middle[1])
        page.mouse.move(*middle)
        return [
            float(n) for n in re.findall(r"-?\d+\.?\d*", figure.locator(".pointer").inner_text())
        ]

    before = under()
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] + 30, steps=3)
    page.mouse.up()
    page.mouse.move(*middle)
    moved = under()
    assert moved[0] < before[0] < moved[0] + 10
    assert moved[1] > before[1]
    page.mouse.wheel(0, -600)
    drawn(page)
    assert abs(under()[0] - moved[0]) < 0.2  # what is under the pointer stays there
    for key, axis, sign in (("w", 1, 1), ("s", 1, -1), ("d", 0, 1), ("a", 0, -1)):
        here = under()
        page.keyboard.press(key)
        drawn(page)
        assert (under()[axis] - here[axis]) * sign > 0
    page.keyboard.press("0")
    drawn(page)
    again = under()
    assert abs(again[0] - before[0]) < 0.2
    assert abs(again[1] - before[1]) < 0.2


def pixels(page):
    """The colours in the top view, by how often they are there."""
    return page.evaluate(
        """() => {
            const canvas = document.querySelector("figure[data-projection='top'] canvas");
            const offscreen = new OffscreenCanvas(canvas.width, canvas.height);
            const copy = offscreen.getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
            const counts = {};
            for (let i = 0; i < data.length; i += 4) {
                const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
                counts[colour] = (counts[colour] ?? 0) + 1;
            }
            return counts;
        }"""
    )


def test_layers_and_signs_can_be_switched_off(opened):
    page = opened(FIGHT)
    go_to(page, 100)
    whole = pixels(page)
    page.uncheck("#layers label:has-text('wall') input")
    drawn(page)
    without_walls = pixels(page)
    assert without_walls != whole
    for key in "iyhtq":
        page.keyboard.press(key)
    drawn(page)
    bare = pixels(page)
    assert len(bare) < len(without_walls)
    for option in ("labels", "facing", "hits", "trails", "queries"):
        assert not page.is_checked(f"[data-option={option}]")
    page.keyboard.press("z")
    assert "z ↓" in page.inner_text("figure[data-projection='top'] figcaption")


def test_shapes_are_drawn_where_and_as_large_as_they_are(opened, path):
    """Inside a collider's outline the ground is tinted, just outside it is not."""
    world = World(8)
    with Recorder(world, path):
        world.add(0, Cylinder(2 * ONE, ONE), Pose(-6 * ONE, 0, 0))
        world.add(1, Box(3 * ONE, ONE, ONE), Pose(0, 0, 4 * ONE, 8192), layer=1)
        world.add(2, Sector(4 * ONE, 8192, ONE), Pose(4 * ONE, 0, -2 * ONE, 16384), layer=2)
        world.add(3, Sector(2 * ONE, 32768, ONE, ONE), Pose(8 * ONE, 0, 5 * ONE), layer=3)
        world.add(4, Sector(3 * ONE, 8192, ONE, 2 * ONE), Pose(-6 * ONE, 0, -5 * ONE), layer=4)
        world.step()
    page = opened(path)
    for key in "iyhtq":
        page.keyboard.press(key)
    drawn(page)
    inside = {
        (-6, 1.9), (-6, -1.9), (-4.1, 0), (0, 4), (2, 6), (-2, 2), (4, 1.8), (5.9, 0.3), (4, -1.8),
        (9.5, 5.2), (8.2, 3.5), (-3.4, -5.2),
    }  # fmt: skip
    outside = {
        (-6, 2.2), (-8.2, 0.3), (2.6, 6.6), (2, 4.2), (0.3, 6.0), (4, 2.3), (6.8, 0.3), (4, -2.4),
        (5.2, -1.4), (8.6, 5.2), (8.2, 4.4), (-4.4, -5.2), (-2.8, -5.2),
    }  # fmt: skip
    tinted = tinted_points(page, inside | outside)
    assert inside - tinted == set()
    assert outside & tinted == set()


def tinted_points(page, points):
    """Those of some points (x, z) that have another colour than the ground, from above."""
    places = {point: screen_of(page, "top", *point) for point in points}
    page.mouse.move(5, 5)
    box = page.locator("figure[data-projection='top'] canvas").bounding_box()
    ground = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--stage')")
    ground = [int(ground[i : i + 2], 16) for i in (1, 3, 5)]

    at = {point: (round(x - box["x"]), round(y - box["y"])) for point, (x, y) in places.items()}
    colours = page.evaluate(
        """(places) => {
            const canvas = document.querySelector("figure[data-projection='top'] canvas");
            const offscreen = new OffscreenCanvas(canvas.width, canvas.height);
            const copy = offscreen.getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            return places.map(([x, y]) => [...copy.getImageData(x, y, 1, 1).data].slice(0, 3));
        }""",
        list(at.values()),
    )
    colour = dict(zip(at, colours, strict=True))

    def is_tinted(point):
        grid = max(colour[point]) - min(colour[point]) < 9  # lines of the grid are grey
        return colour[point] != ground and not grid

    return {point for point in points if is_tinted(point)}


def test_a_log_of_another_semantics_says_so_where_it_first_differs(opened, path):
    def lie(frame):
        if frame["frame"] == 250:
            frame["hash"] = "00" + frame["hash"][2:]

    edited(FIGHT, path, lie, head={"semantics": FXS_SEMANTICS + 1, "build": "v1", "data": "0" * 16})
    page = opened(path)
    reported = page.inner_text("#checks")
    assert page.inner_text("#badge") == "Recorded by another semantics at frame 250"
    assert "Recorded by another semantics: first difference at frame 250" in reported
    now = f"recorded by another semantics: {FXS_SEMANTICS + 1}, here {FXS_SEMANTICS}."
    assert f"The log was {now}" in reported
    assert "data" not in reported, "of a trace the results depend on the kernel alone"
    facts = page.inner_text("#log")
    assert all(part in facts for part in ("semantics", "build", "v1", "data", "0" * 16))


@pytest.mark.parametrize("data", [b"frames", b"other", None])
def test_a_simulation_with_other_data_says_so_where_it_first_differs(data, opened, path):
    class Stocked(Bumpers):
        name = "stocked"
        data = b"frames"

    game = Stocked(3, 2)
    with SimRecorder(game, path, seed=3) as recorder:
        for frame in range(4):
            events = game.step([1, 2])
            recorder.record(frame, [1, 2], events, game.world.hash() ^ (frame == 2))
    Stocked.data = data
    out = path.with_suffix(".html")
    write(out, [export(path, simulations={"stocked": Stocked})])
    page = opened(out)
    was, here = (None if one is None else f"{hash_of(one):016x}" for one in (b"frames", data))
    reported = page.inner_text("#checks")
    if data == b"frames":
        assert page.inner_text("#badge") == "Diverged at frame 2"
    else:
        assert page.inner_text("#badge") == "Recorded with other data at frame 2"
        assert f"The log was recorded with other data: {was}, here {here or 'none'}." in reported


def test_two_logs_that_differ_say_what_their_recorders_had(opened, tmp_path):
    def lie(frame):
        if frame["frame"] == 250:
            frame["hash"] = "00" + frame["hash"][2:]

    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    edited(FIGHT, a, lambda _: None, head={"build": "v1", "data": "0" * 16})
    edited(FIGHT, b, lie, head={"data": "1" * 16, "semantics": FXS_SEMANTICS})
    page = opened(a, b)
    reported = page.inner_text("#checks")
    assert "A and B first differ at frame 250" in reported
    assert f"They were recorded with other data ({'0' * 16} in A, {'1' * 16} in B)." in reported


def test_a_log_that_tells_something_else_is_shown_where_it_first_does(opened, path):
    def lie(frame):
        if frame["frame"] in (250, 251):
            frame["events"] = [*frame["events"][1:], [3, 62, 1, 1]]
            frame["hash"] = "00" + frame["hash"][2:]

    edited(FIGHT, path, lie)
    page = opened(path, scheme="dark")
    assert page.inner_text("#badge") == "Diverged at frame 250"
    shows(page, 250)  # it opens there
    page.keyboard.press("Home")
    shows(page, 0)
    reported = page.inner_text("#checks")
    assert "Diverged: first difference at frame 250" in reported
    assert "the events and the hash" in reported
    assert "2 of 600 frames" in reported
    assert "the log's recorder computed something else" in reported
    page.click("#checks >> text=Go to frame 250")
    shows(page, 250)
    differs = page.inner_text("#differences")
    assert "events only recorded" in differs
    assert "3\t62\tenter\ttouching" in differs
    assert "events only computed" in differs
    page.keyboard.press("Home")
    shows(page, 0)
    assert page.is_hidden("#difference-panel")
    page.keyboard.press("g")
    shows(page, 250)


def test_two_logs_open_where_they_first_differ_with_the_difference_marked(opened, path):
    def nudge(frame):
        for name in ("events", "hash", "queries"):
            del frame[name]
        if frame["frame"] == 300:
            for command in frame["commands"]:
                if command[0] == "pose" and command[1] == 0:
                    command[2][0] += 1

    edited(FIGHT, path, nudge)
    page = opened(FIGHT, path)
    shows(page, 300)
    assert page.inner_text("#badge") == "A and B first differ at frame 300"
    reported = page.inner_text("#differences")
    assert "-91765" in reported
    assert "-91764" in reported
    assert page.locator("#differences table caption").inner_text() == "collider hero"
    assert page.locator("figure:visible").count() == 4
    page.keyboard.press("o")
    assert page.locator("figure:visible").count() == 2
    assert "B dashed" in page.inner_text("figure[data-side='0'][data-projection='top'] figcaption")
    page.keyboard.press("ArrowLeft")
    shows(page, 299)
    assert page.is_hidden("#difference-panel")


def test_the_shorter_of_two_logs_stays_at_its_end(opened, tmp_path):
    short = tmp_path / "short.jsonl"
    short.write_bytes(b"".join(gzip.decompress(FIGHT.read_bytes()).splitlines(keepends=True)[:101]))
    page = opened(FIGHT, short)
    shows(page, 100)
    assert "one log goes on and the other does not" in page.inner_text("#checks")
    caption = page.locator("figure[data-side='1'][data-projection='top'] figcaption")
    assert "ended with frame 99" in caption.inner_text()
    assert page.is_hidden("#difference-panel")
    page.keyboard.press("ArrowLeft")
    shows(page, 99)
    assert "ended" not in caption.inner_text()


def test_a_log_without_frames_opens(opened, path):
    with Recorder(World(1), path):
        pass
    page = opened(path)
    assert page.inner_text("#summary") == "0 frames at 60 a second, 0:00.00"
    page.keyboard.press("Space")
    page.keyboard.press("]")


def test_what_a_log_calls_things_is_shown_as_text(opened, path):
    text = gzip.decompress(FIGHT.read_bytes()).decode()
    evil = '<img src=x onerror="document.title=1">'
    first, *lines = text.splitlines()
    header = json.loads(first)
    header["names"]["ids"]["0"] = evil
    header["meta"]["note"] = evil
    header["meta"]["big"] = 12345678901234567890123
    path.write_text("\n".join([json.dumps(header), *lines[:-1]]) + "\n")
    page = opened(path)
    page.keyboard.press("n")
    page.wait_for_selector("#collider .subtitle")
    assert page.inner_text("#collider .subtitle") == evil
    assert evil in page.inner_text("#log")
    assert "12345678901234567890123" in page.inner_text("#log")
    assert page.locator("img").count() == 0


def test_the_log_can_be_saved_out_of_the_page(opened):
    page = opened(FIGHT)
    with page.expect_download() as download:
        page.click("text=Save this log")
    assert download.value.suggested_filename == "skill_fight.jsonl.gz"
    saved = gzip.decompress(Path(download.value.path()).read_bytes())
    assert saved == gzip.decompress(FIGHT.read_bytes())


def test_a_link_can_name_the_frame_and_the_collider(opened):
    page = opened(FIGHT, fragment="#frame=321&id=12")
    shows(page, 321)
    assert page.inner_text("#collider .subtitle") == "12"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (760, 1000), (320, 640)])
def test_a_narrow_screen_has_all_controls_and_does_not_scroll_sideways(opened, width, height):
    page = opened(FIGHT, width=width, height=height)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in (
        "#play", "#step-forward", "#hit-next", "#frame", "#speed", "#timeline", "#badge", "#follow",
    ):  # fmt: skip
        box = page.locator(control).bounding_box()
        assert box["x"] >= 0, control
        assert box["x"] + box["width"] <= width, control
        assert box["y"] + box["height"] <= height, control
    canvas = page.locator("figure[data-projection='top'] canvas").bounding_box()
    assert canvas["height"] > 80
    page.click("#play")
    page.wait_for_selector("#timeline:not([aria-valuenow='0'])")
    page.click("#play")


def test_everything_that_can_be_operated_has_a_name(opened):
    """For users of a screen reader."""
    page = opened(FIGHT)
    page.keyboard.press("n")
    page.wait_for_selector("#collider .subtitle")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas, [tabindex]")]
            .filter((e) => e.checkVisibility())
            .filter((e) => !(e.getAttribute("aria-label") || e.labels?.length || e.innerText?.trim()))
            .map((e) => e.outerHTML)"""
    )
    assert unnamed == []
    slider = page.locator("#timeline")
    assert slider.get_attribute("role") == "slider"
    assert slider.get_attribute("aria-valuemax") == "599"
    assert "Frame 0 of 599" in slider.get_attribute("aria-valuetext")
    figure = page.locator("figure[data-projection='top'] canvas").get_attribute("aria-label")
    assert re.match(r"From above\. Frame 0 of 599: \d+ colliders; \d+ hits? begin", figure)


def test_a_screen_reader_hears_the_verdict_the_selection_and_where_playing_stopped(opened):
    page = opened(FIGHT)
    live = page.locator("#live")
    assert live.get_attribute("aria-live") == "polite"
    assert live.inner_text().startswith("Identical: 600 frames")
    page.keyboard.press("n")
    page.wait_for_selector("#live >> text=Selected hero.")
    page.keyboard.press("End")
    page.wait_for_selector("#live >> text=Frame 599 of 599")


def test_tab_reaches_the_controls_and_keys_work_on_them(opened):
    page = opened(FIGHT)
    page.focus("#play")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.keyboard.press("Space")
    page.focus("#timeline")
    page.keyboard.press("Home")
    shows(page, 0)
    page.keyboard.press("ArrowRight")
    shows(page, 1)
    page.focus("#frame")
    page.keyboard.type("n")  # a letter in a field is a letter
    assert page.inner_text("#collider").startswith("Click a collider")


def test_help_opens_and_closes(opened):
    page = opened(FIGHT)
    page.keyboard.press("?")
    assert page.is_visible("#help-dialog")
    page.keyboard.press("n")
    assert page.inner_text("#collider").startswith("Click a collider")
    page.keyboard.press("Escape")
    assert page.is_hidden("#help-dialog")


def test_both_themes_follow_the_system_and_can_be_chosen(opened):
    light, dark = opened(FIGHT), opened(FIGHT, scheme="dark")
    ground = lambda page: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    assert ground(light) != ground(dark)
    dark.click("#theme")
    assert dark.get_attribute("#theme", "aria-label") == "Colours: light"
    assert ground(light) == ground(dark)


def test_a_level_is_drawn_and_its_solids_can_be_selected_and_switched_off(opened, path):
    corner = [(0, 0), (q(4), 0), (q(4), q(2)), (q(2), q(4)), (0, q(4))]
    level = Level([Prism(corner, 0, q(2), 1), Pillar(q(-4), q(-3), q(2), 0, q(3), 2)])
    world = World(4, level=level)
    with Recorder(world, path, names=Names(ids={LEVEL: "corner", LEVEL + 1: "pillar"})):
        world.add(0, Sphere(ONE // 2), Pose(q(-8), q(1), q(-3)))
        for x in range(-8, 1):
            world.move(0, q(x), q(1), q(-3))
            world.step()
    page = opened(path)
    assert page.inner_text("#badge") == "Identical"
    for key in "iyhtq":
        page.keyboard.press(key)
    drawn(page)
    inside = {(0.2, 3.8), (3.8, 0.2), (2.5, 2.5), (-4.5, -1.3), (-4.4, -4.7)}
    outside = {(3.8, 3.8), (4.3, 1.5), (-0.4, 2.3), (-5.8, -1.3), (-2.2, -4.7)}
    assert tinted_points(page, inside | outside) == inside
    page.mouse.click(*screen_of(page, "top", 1.5, 1.2))
    page.wait_for_selector("#collider .subtitle")
    assert page.inner_text("#collider .subtitle") == "corner"
    assert "prism of the level" in page.inner_text("#collider")
    go_to(page, 3)
    page.click("#frame-events button:has-text('pillar')")
    page.wait_for_selector("#collider .subtitle:has-text('pillar')")
    assert "enter" in page.inner_text("#collider .history")
    page.uncheck("#layers [data-layer='1'] input")
    drawn(page)
    assert (2.5, 2.5) not in tinted_points(page, {(2.5, 2.5), (-4.5, -1.3)})


def test_a_dropped_log_with_a_level_that_begins_in_the_middle_plays(opened, tmp_path):
    log = ROOT / "tests" / "vectors" / "levels" / "level.jsonl"
    cut(log, tmp_path / "part.jsonl", 5, 15)
    page = opened(checked=False)
    drop(page, tmp_path / "part.jsonl")
    page.wait_for_selector("#badge[data-state=good]")
    assert page.inner_text("#checks strong").startswith("Identical: 11 frames")


def test_a_thousand_colliders_are_shown_and_checked(opened, path):
    draw = random.Random(1)
    shapes = [
        Sphere(ONE // 2),
        Cylinder(ONE // 2, ONE),
        Box(ONE // 2, ONE, ONE // 4),
        Sector(ONE, 4000, ONE),
    ]
    world = World(1000)
    spots = [
        (draw.randint(-25 * ONE, 25 * ONE), draw.randint(-25 * ONE, 25 * ONE)) for _ in range(1000)
    ]
    with Recorder(world, path):
        for id, (x, z) in enumerate(spots):
            world.add(id, shapes[id % 4], Pose(x, 0, z, draw.randrange(65536)), layer=id % 12)
        for frame in range(40):
            for id, (x, z) in enumerate(spots):
                world.set_pose(id, Pose(x + frame * 2000 * (id % 3 - 1), 0, z, frame * 300))
            world.step()
    page = opened(path)
    assert page.inner_text("#badge") == "Identical"
    go_to(page, 39)
    assert f"1,000 colliders, hash {world.hash():016x}" in page.inner_text("#frame-events")
    page.keyboard.press("n")
    page.wait_for_selector("#collider .subtitle")


# ---- flat matches and two planes ----


def test_a_flat_match_opens_from_above_and_fits_its_plane(opened, path):
    world = World(8)
    with Recorder(world, path):
        for id in range(4):
            world.add(id, flat.circle(ONE), flat.at(6 * ONE * id, 3 * ONE * (id % 2)))
        world.step()
    page = opened(path)
    assert page.get_attribute("button[data-layout=top]", "aria-pressed") == "true"
    left, right = screen_of(page, "top", 0, 0), screen_of(page, "top", 18, 3)
    assert right[0] - left[0] > 500  # of a canvas of some 900 pixels
    page.keyboard.press("1")
    assert page.locator("figure:visible").count() == 2


def test_a_match_deeper_than_tall_fills_both_views(opened, path):
    world = World(8)
    with Recorder(world, path):
        for id, (y, z) in enumerate([(0, 0), (4, 30)]):
            world.add(id, Sphere(ONE), Pose(0, y * ONE, z * ONE))
        world.step()
    page = opened(path)
    for projection, up, gap in (("top", 30, 32), ("side", 4, 6)):
        figure = page.locator(f"figure[data-side='0'][data-projection={projection}]")
        height = figure.bounding_box()["height"]
        shown = abs(screen_of(page, projection, 0, up)[1] - screen_of(page, projection, 0, 0)[1])
        assert shown * gap / up > 0.9 * (height - 52)  # 26 pixels of margin on either side


def test_of_two_planes_both_views_are_shown_and_only_a_hit_in_both_is_one(opened, path):
    game = flat.TwoPlanes(8)
    box = flat.Hitbox(flat.circle(ONE), ONE, ONE)
    with Recorder(game.world, path):
        for id, position in enumerate([(0, 0, 0), (ONE, 0, 0), (0, 8 * ONE, 0)]):
            game.add(id, box, position)
        game.step()
    page = opened(path)
    assert page.locator("figure:visible").count() == 2
    reported = page.inner_text("#frame-events")
    assert "3 hitboxes" in reported
    assert "Event: 1" in reported  # 0 and 2 meet from above alone
    assert "0\t1\tenter\toverlapping" in reported
    page.mouse.click(*screen_of(page, "side", 0, 8))
    page.wait_for_selector("#collider .subtitle >> text=2")
    values = page.inner_text("#collider")
    assert "From above: cylinder" in values
    assert "From the side: box" in values


# ---- lanes, plots, the game ----


def test_a_games_inputs_state_and_phases_are_shown_beside_its_world(opened, path):
    logs.skill_fight(path, 200)
    spans = json.loads(export(path).game)["phases"]["1"]
    first, last, name, phase = next(span for span in spans if span[3] == "active")
    page = opened(path)
    go_to(page, first)
    inputs = frames_of(path)[first].inputs
    assert f"player 0\t{inputs[0]}\n" in page.inner_text("#game")
    assert "health\t" in page.inner_text("#game")
    lane = page.locator("#lane-names button").first
    assert lane.inner_text() == f"player 0  {name}, {phase} 1/{last - first + 1}"
    lane.click()
    page.wait_for_selector("#collider .subtitle >> text=player 0")
    page.wait_for_selector("#lane-names span >> text=x")
    page.keyboard.press("v")
    assert page.locator("#lane-names span").count() == 0
    page.keyboard.press("l")
    assert page.locator("#lane-names button").count() == 0


def test_a_value_of_the_game_is_plotted_over_time_where_its_name_is_clicked(opened, path):
    game = logs.skill_fight(path, 200)
    page = opened(path)
    last = len(frames_of(path)) - 1
    go_to(page, last)
    health = page.get_by_title("Plot fighters health over time")
    health.click()
    plot = page.locator("#lane-names span")
    plot.wait_for()
    fields = game.state_fields(game.save())
    values = [str(fields["fighters", player]["health"]) for player in range(2)]
    page.wait_for_function(
        "text => document.querySelector('#lane-names span').textContent === text",
        arg=f"fighters health  {' | '.join(values)}",
    )
    assert health.get_attribute("aria-pressed") == "true"
    page.get_by_title("Plot player 0 over time").click()
    page.locator("#lane-names span >> text=player 0").wait_for()
    health.click()
    page.wait_for_function("document.querySelectorAll('#lane-names span').length === 1")


def test_a_click_on_the_lanes_goes_to_the_frame(opened):
    page = opened(FIGHT)
    go_to(page, 300)
    box = page.locator("#lanes").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2 + 60.5, box["y"] + 8)
    page.wait_for_selector("#timeline:not([aria-valuenow='300'])")
    assert 305 <= shown_frame(page) <= 315


def test_colours_can_be_of_owners(opened):
    page = opened(FIGHT)
    before = pixels(page)
    page.select_option("#colour-by", "owner")
    drawn(page)
    page.wait_for_selector("#owners >> text=owner 10")
    assert pixels(page) != before


# ---- what a user does first ----


def stack(path, names=None, frames=1):
    """Three spheres around one point, which never move, and a fourth that meets them twice."""
    world = World(16)
    with Recorder(world, path, names=names):
        for id, radius in ((3, 3), (4, 2), (5, 1)):
            world.add(id, Sphere(radius * ONE), Pose(0, 0, 0), layer=id)
        world.add(6, Sphere(ONE), Pose(12 * ONE, 0, 0), layer=6)
        world.step()
        for frame in range(1, frames):
            world.move(6, (2 if frame in (3, 4, 8) else 12) * ONE, 0, 0)
            world.step()


def selected(page):
    return page.locator("#collider .subtitle").inner_text()


def test_a_click_shows_the_panel_at_once_and_moves_nothing_under_the_pointer(opened, path):
    logs.skill_fight(path, 60)
    page = opened(path)
    canvas = page.locator("figure[data-projection='top'] canvas")
    before = canvas.bounding_box()
    page.wait_for_selector("#lane-names button")
    page.evaluate("document.querySelector('#panels').scrollTop = 900")
    page.mouse.click(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    page.keyboard.press("n")
    page.wait_for_selector("#lane-names span >> text=x")
    assert canvas.bounding_box() == before
    box = page.locator("#collider .subtitle").bounding_box()
    assert 0 < box["y"] < 300


def test_on_a_phone_a_line_says_what_is_selected_and_leads_to_its_panel(opened):
    page = opened(FIGHT, width=390, height=844)
    assert page.is_hidden("#chosen")
    page.keyboard.press("n")
    page.wait_for_selector("#chosen >> text=hero")
    page.click("#chosen")
    page.wait_for_function(
        "document.querySelector('#collider-panel').getBoundingClientRect().y < 99"
    )


def test_clicks_on_a_stack_reach_all_of_it_and_begin_again(opened, path):
    stack(path)
    page = opened(path)
    place = screen_of(page, "top", 0.4, 0.4)
    found = []
    for _ in range(4):
        page.mouse.click(*place)
        page.wait_for_function(
            "last => document.querySelector('#collider .subtitle')?.textContent !== last",
            arg=found[-1] if found else None,
        )
        found.append(selected(page))
    assert found == ["5", "4", "3", "5"]


@pytest.mark.parametrize("text", ["12abc", "bos", "-1", "64", "solid 0"])
def test_a_name_that_does_not_exist_is_said_beside_the_field(opened, text):
    page = opened(FIGHT)
    page.fill("#pick-id", text)
    page.press("#pick-id", "Enter")
    said = page.locator("#pick-failure")
    said.wait_for(state="visible")
    assert said.inner_text() == f'There is no collider "{text}": an id is 0..63, or a name.'
    assert page.inner_text("#collider") == "Click a collider, or press N."
    page.fill("#pick-id", "hero")
    page.press("#pick-id", "Enter")
    page.wait_for_selector("#collider .subtitle >> text=hero")
    assert said.inner_text() == ""


def test_keys_are_the_pages_again_after_select_and_speed(opened):
    page = opened(FIGHT)
    page.fill("#pick-id", "hero")
    page.click("#pick button")
    page.wait_for_selector("#collider .subtitle >> text=hero")
    page.keyboard.press("ArrowRight")
    shows(page, 1)
    for field in ("#speed", "#colour-by"):
        page.click(field)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        before = shown_frame(page)
        page.keyboard.press("ArrowRight")
        shows(page, before + 1)
    assert page.input_value("#speed") == "2"


def test_brackets_follow_the_selected_collider_and_with_shift_all(opened, path):
    stack(path, frames=12)
    page = opened(path, fragment="#frame=0&id=6")
    page.wait_for_selector("#collider .history")
    for key, frame in (("]", 3), ("]", 5), ("]", 8), ("[", 5), ("Shift+}", 8), ("Shift+{", 5)):
        page.keyboard.press(key)
        shows(page, frame)
    page.fill("#pick-id", "3")
    page.press("#pick-id", "Enter")
    page.wait_for_selector("#collider .subtitle >> text=3")
    page.keyboard.press("Escape")
    for frame in (3, 0):
        page.keyboard.press("[")
        shows(page, frame)


def test_fit_shows_all_and_again_what_moves(opened, path):
    world = World(8)
    with Recorder(world, path):
        for id, x in ((0, -40), (1, 40)):
            world.add(id, Box(ONE, 9 * ONE, 30 * ONE), Pose(x * ONE, 0, 0))
        world.add(2, Sphere(ONE), Pose(0, 0, 0))
        for x in range(9):
            world.move(2, x * ONE, 0, 0)
            world.step()
    page = opened(path)
    width = lambda: screen_of(page, "top", 4, 0)[0] - screen_of(page, "top", 0, 0)[0]  # noqa: E731
    wide = width()
    for factor in (3, 1, 3):
        page.click("#fit")
        drawn(page)
        found = width()
        assert found > factor * wide if factor > 1 else abs(found - wide) < 2


def test_walls_do_not_tint_the_side_view(opened, path):
    world = World(8)
    with Recorder(world, path):
        world.add(0, Box(20 * ONE, 9 * ONE, ONE), Pose(0, 0, -9 * ONE))
        for x in range(9):
            (world.move if x else lambda *_: world.add(1, Sphere(ONE), Pose(0, 0, 0)))(1, x, 0, 0)
            world.step()
    page = opened(path)
    drawn(page)
    page.mouse.move(5, 5)
    colour = page.evaluate(
        """() => {
            const canvas = document.querySelector("figure[data-projection='side'] canvas");
            const { data } = canvas.getContext("2d").getImageData(
                canvas.width / 3, canvas.height / 3, 9, 9);
            return Math.max(...data.map((value, i) => (i % 4 < 3 ? 255 - value : 0)));
        }"""
    )
    assert colour < 30  # the stage, and at most a line of the grid


def past_marks(path, pairs):
    """Pairs of bodies that part at once, in frame 2."""
    world = World(2 * pairs)
    with Recorder(world, path):
        for frame in range(4):
            for id in range(2 * pairs):
                x, z = 3 * (id // 2 % 10), 3 * (id // 20)
                place = (x * ONE + (id % 2 and frame >= 2) * ONE, 0, z * ONE)
                if frame == 0:
                    world.add(id, Sphere(ONE // 3), Pose(*place))
                else:
                    world.move(id, *place)
            world.step()


@pytest.mark.parametrize(("pairs", "are_shown"), [(9, True), (60, False)])
def test_marks_of_past_frames_do_not_bury_bodies(opened, path, pairs, are_shown):
    past_marks(path, pairs)
    page = opened(path)
    page.wait_for_selector("#lane-names button")
    page.keyboard.press("t")
    go_to(page, 3)
    drawn(page)
    grey = lambda: sum(  # noqa: E731
        count for colour, count in pixels(page).items() if max(map(int, colour.split(","))) < 200
    )
    marked = grey()
    page.keyboard.press("h")
    drawn(page)
    assert (grey() < marked) == are_shown


LABELS = """() => {
    window.labels = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        window.labels.push([this.canvas.parentElement?.className, text, x, y]);
        return fillText.call(this, text, x, y);
    };
}"""


def test_no_name_lies_under_a_caption(opened):
    page = opened(FIGHT, width=390, height=844)
    page.evaluate(LABELS)
    page.click("#fit")
    drawn(page)
    labels = [row for row in page.evaluate("window.labels") if row[0] == "view"]
    assert len(labels) > 9
    caption = page.locator("figure[data-projection='side'] figcaption").bounding_box()
    under = [text for _, text, x, y in labels if y < 22 and x < caption["width"] + 8]
    assert under == []


def test_a_chosen_theme_is_kept_when_the_page_is_loaded_again(opened):
    page = opened(FIGHT)
    for name in ("light", "dark"):
        page.click("#theme")
        assert page.get_attribute("#theme", "aria-label") == f"Colours: {name}"
    page.reload()
    page.wait_for_selector("#badge[data-state=good]")
    assert page.get_attribute("#theme", "aria-label") == "Colours: dark"
    assert page.get_attribute("html", "data-theme") == "dark"


def test_hits_of_a_pair_of_layers_are_hidden_from_the_timeline_and_its_keys(opened, path):
    world = World(16)
    names = Names(layers={0: "feet", 1: "floor", 2: "sword", 3: "torso"})
    with Recorder(world, path, names=names):
        for id, x in ((0, 0), (1, 0), (2, 9), (3, 20)):
            world.add(id, Sphere(ONE), Pose(x * ONE, 0, 0), layer=id)
        for frame in range(12):
            world.move(0, (frame % 2) * 3 * ONE, 0, 0)
            world.move(2, (20 if frame == 7 else 9) * ONE, 0, 0)
            world.step()
    page = opened(path)
    assert page.inner_text("#pairs [data-pair]:first-child") == "feet – floor\n6"
    page.keyboard.press("]")
    shows(page, 1)
    page.uncheck("#pairs label:has-text('feet – floor') input")
    page.wait_for_timeout(100)
    for key, frame in (("]", 7), ("]", 8), ("[", 7)):
        page.keyboard.press(key)
        shows(page, frame)
    page.check("#pairs label:has-text('feet – floor') input")
    page.wait_for_timeout(100)
    page.keyboard.press("[")
    shows(page, 6)


def test_a_lane_has_the_name_of_its_player_and_only_attacks_are_solid_bars(opened, path):
    """The collider with the lowest id is an attack; hurtboxes are more than one. Of owners without a
    name, the third has no word in common and the fourth a number."""
    world = World(16)
    ids = {1: "P0 shot", 2: "P0 torso", 3: "P0 legs", 7: "torso 2", 8: "fist 2"}
    ids |= {9: "shot", 10: "torso", 11: "shot 4", 12: "torso 4"}
    owners = [(1, 1), (2, 1), (3, 1), (7, 2), (8, 2), (9, 3), (10, 3), (11, 4), (12, 4)]
    with Recorder(world, path, names=Names(ids=ids, owners={2: "player 2"})):
        for id, owner in owners:
            at = Pose(id * 4 * ONE, 0, 0)
            world.add(id, Sphere(ONE), at, owner=owner, active=id not in (1, 8))
        for _ in range(4):
            world.step()
    page = opened(path)
    page.wait_for_selector("#lane-names button")
    names = page.locator("#lane-names button").all_inner_texts()
    assert names == ["P0", "player 2", "owner 3", "owner 4"]
    page.locator("#lane-names button").first.click()
    page.wait_for_selector("#collider .subtitle >> text=P0 torso")


def test_the_games_own_events_are_named_in_lanes_and_panel(opened, path):
    kinds = {"16": "bump (collider, number)", "17": "push (collider, owner)"}
    logs.write(path, logs.header(names={"game": kinds}), logs.with_game_events())
    page = opened(path, fragment="#frame=1")
    page.wait_for_selector("#lane-names .lane")
    labels = page.locator("#lane-names button, #lane-names .lane").all_inner_texts()
    assert labels == ["owner 1  bump -1", "owner 2  push 2", "the game"]
    rows = page.locator("#frame-events tr:has-text('◇')").all_inner_texts()
    assert rows == ["◇\t0\t7\tbump\t-1", "◇\t1\tno owner\tpush\t2"]


def test_a_log_whose_pictures_show_z_downwards_is_shown_so(opened, path):
    captions = []
    for name, head in (("up", {}), ("down", {"z_down": True})):
        log = path.with_stem(name)
        logs.write(log, logs.header(**head), logs.with_game_events())
        page = opened(log)
        page.wait_for_selector("#lane-names .lane")
        captions.append(page.locator("[data-projection=top] figcaption").first.inner_text())
        assert page.locator("[data-option=zDown]").is_checked() == bool(head)
    assert "z ↑" in captions[0]
    assert "z ↓" in captions[1]


def test_a_history_says_on_and_off_has_commands_first_and_names_solids(opened, path):
    level = Level([Prism([(q(9), 0), (q(10), 0), (q(9), q(1))], 0, 1, 1)] * 10)
    level = Level([*level, Pillar(0, 0, q(2), 0, q(3), 2)])
    world = World(4, level=level)
    with Recorder(world, path):
        world.add(0, Sphere(ONE), Pose(0, 0, 0), active=False)
        world.step()
        world.set_active(0, True)
        world.set_layer(0, 0)
        world.step()
        world.set_active(0, False)
        world.step()
    page = opened(path, fragment="#frame=1&id=0")
    assert page.locator("#collider .history tbody tr").all_inner_texts() == [
        "0\t\tadd", "1\t\ton", "1\t◆\tenter solid 10", "2\t\toff", "2\t✕\texit solid 10",
    ]  # fmt: skip
    assert "solid 10" in page.inner_text("#frame-events")
    page.fill("#pick-id", "solid 10")
    page.press("#pick-id", "Enter")
    page.wait_for_selector("#collider .subtitle >> text=solid 10")


# ---- the address ----


def test_the_address_follows_the_frame_and_the_selection(opened):
    page = opened(FIGHT)
    go_to(page, 77)
    page.keyboard.press("n")
    page.wait_for_url("**#frame=77&id=0")
    page.evaluate("location.hash = '#frame=12&id=10'")
    shows(page, 12)
    page.wait_for_selector("#collider .subtitle >> text=10")


def test_a_selected_collider_has_the_values_of_both_logs_side_by_side(opened, path):
    def nudge(frame):
        for command in frame["commands"]:
            if command[0] == "pose" and command[1] == 0 and frame["frame"] >= 100:
                command[2][0] += 65536

    edited(FIGHT, path, nudge)
    page = opened(FIGHT, path, fragment="#frame=120&id=0", checked=False)
    page.wait_for_selector("#differences >> text=≠ x")
    x = page.locator("#collider tr.differs", has_text="≠ x").inner_text().split()
    assert int(x[5]) - int(x[3]) == 65536


# ---- logs dropped onto an empty page ----

DROP = """(files) => {
    const held = new DataTransfer();
    for (const [name, data] of files)
        held.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
    const event = new DragEvent("drop", { dataTransfer: held, cancelable: true });
    document.dispatchEvent(event);
}"""


def drop(page, *paths):
    page.evaluate(DROP, [[p.name, base64.b64encode(p.read_bytes()).decode()] for p in paths])


def test_a_log_dropped_onto_an_empty_page_plays(opened):
    page = opened(checked=False)
    assert "less strictly than by fixsync replay" in page.inner_text("#drop")
    drop(page, FIGHT)
    page.wait_for_selector("#badge[data-state=good]")
    assert page.inner_text("#checks strong").startswith("Identical: 600 frames")
    go_to(page, 30)
    assert f"hash {frames_of(FIGHT)[30].hash}" in page.inner_text("#frame-events")


def test_two_logs_dropped_onto_an_empty_page_are_compared(opened, tmp_path):
    short = tmp_path / "short.jsonl"
    short.write_bytes(b"".join(gzip.decompress(FIGHT.read_bytes()).splitlines(keepends=True)[:101]))
    page = opened(checked=False)
    drop(page, FIGHT, short)
    shows(page, 100)
    assert page.inner_text("#badge") == "A and B first differ at frame 100"
    assert "was cut short" in page.inner_text("#checks")


def test_what_cannot_be_played_is_refused_with_the_reason_and_another_can_follow(opened, tmp_path):
    page = opened(checked=False)
    games = tmp_path / "game.jsonl"
    logs.skill_fight(games, 3)
    cut, packed = tmp_path / "cut.jsonl", tmp_path / "log.jsonl.zst"
    cut.write_bytes(b'{"format":"fixsync-match"')
    packed.write_bytes(b"\x28\xb5\x2f\xfd")
    for path, said in (
        (games, 'game.jsonl: it has the inputs of the simulation "skillfight"'),
        (cut, "cut.jsonl: cut short: line 1 does not end"),
        (packed, "log.jsonl.zst: compressed with zstd"),
    ):
        drop(page, path)
        page.get_by_role("alert").filter(has_text=said).wait_for()
    drop(page, FIGHT)
    page.wait_for_selector("#badge[data-state=good]")


# ---- why, and attacks ----


def printed(*args):
    """What a command of fixsync prints as JSON."""
    main = "import sys\nfrom fixsync.cli import main\nsys.exit(main())"
    command = [sys.executable, "-c", main, *map(str, args), "--json"]
    done = ran(command)
    return json.loads(done.stdout)


def mark_of(row):
    return row.locator("td").first.get_attribute("aria-label")


@pytest.mark.parametrize("frame", [7, 80, 82, 300])
def test_the_list_of_causes_is_that_of_fixsync_why(opened, frame):
    page = opened(FIGHT, fragment=f"#frame={frame}&id=1&why=11")
    shows(page, frame)
    page.wait_for_selector("#collider .causes")
    said = printed("why", FIGHT, "slash", "11", "--frame", frame)
    rows = page.locator("#collider .causes tr").all()
    assert [mark_of(row) for row in rows].count("no") == sum(
        check["holds"] for check in said["checks"]
    )
    texts = {
        "a_inactive": "slash is active",
        "b_inactive": "11 is active",
        "owner": "the owners differ",
        "layers": "the layers meet",
        "height": "at one height",
        "beside": "at one height they meet",
    }
    shown = {row.locator("td").nth(1).inner_text().split("\n")[0]: row for row in rows}
    for check in said["checks"]:
        row = shown[texts[check["cause"]]]
        assert mark_of(row) == ("no" if check["holds"] else "yes")
        first, last = check["frames"]
        reported = row.inner_text().replace(",", "")
        assert (f"frames {first}..{last}" if first < last else f"frames {first}") in reported
    verdict = page.inner_text("#collider .verdict strong")
    assert (verdict == "hits") is (said["frame"]["why"] == [])
    if frame == 7:
        gap = said["frame"]["gap"] / ONE
        assert verdict == f"misses by {gap:.4f}"


def test_from_a_match_to_by_how_much_it_missed_takes_two_clicks(opened, path):
    """A click on the attack, and one with Shift on the one that it missed."""
    world = World(8)
    with Recorder(world, path):
        world.add(1, Sector(2 * ONE, 5461, ONE), Pose(0, 0, 0, 0), owner=1)
        world.add(2, Sphere(ONE // 2), Pose(2 * ONE, 0, 2 * ONE), owner=2)
        world.step()
        world.step()
    page = opened(path)
    page.mouse.click(*screen_of(page, "top", 1.0, 0.0))
    page.wait_for_selector("#collider >> text=sector")
    page.keyboard.down("Shift")
    page.mouse.click(*screen_of(page, "top", 2.0, 2.0))
    page.keyboard.up("Shift")
    page.wait_for_selector("#collider .causes")
    said = printed("why", path, 1, 2, "--frame", 0)["frame"]
    verdict = page.inner_text("#collider .verdict strong")
    by, wider = re.fullmatch(r"misses by ([\d.]+)(?:, and ([\d.]+)°)?", verdict).groups()
    assert float(by) == pytest.approx(said["gap"] / ONE, abs=1e-4)
    if said["turn"]:
        assert float(wider) == pytest.approx(said["turn"] * 360 / 65536, abs=1e-2)
    page.keyboard.press("Escape")
    page.wait_for_selector("#collider .causes", state="detached")


def test_attacks_are_those_of_fixsync_attacks_and_a_click_goes_there(opened):
    page = opened(FIGHT)
    page.wait_for_selector("#attacks tbody tr")
    attacks = printed("attacks", FIGHT)["attacks"]
    rows = page.locator("#attacks tbody tr")
    assert rows.count() == len(attacks)
    assert f"{len(attacks)} attacks, of which" in page.inner_text("#attacks")
    for at in (0, 1, 40):
        attack, row = attacks[at], rows.nth(at)
        assert (attack["name"] or str(attack["id"])) in row.inner_text()
        hits = attack["hits"]
        frame = hits[0]["frames"][0][0] if hits else attack["missed"][0]["nearest"]["frame"]
        row.locator("button").click()
        shows(page, frame)
        page.wait_for_selector("#collider .verdict")
        page.wait_for_selector(f"#collider .verdict >> text=frame {frame}")
    page.click("#attacks th button >> text=result")
    column = page.locator("#attacks tbody tr td:nth-child(3)").all_inner_texts()
    gaps = [float(found[1]) for text in column if (found := re.search(r"misses by ([\d.]+)", text))]
    assert column[0].startswith("hit ")
    assert gaps == sorted(gaps)
    assert len(gaps) > 100
    page.click("#attacks th button >> text=result")
    assert page.locator("#attacks tbody tr td:nth-child(3)").first.inner_text() != column[0]


def test_two_versions_of_a_game_open_at_the_first_frame_that_differs_with_the_field(
    browser, tmp_path
):
    """Their worlds are equal there: the difference is beside them."""
    log = recorded(tmp_path / "log.jsonl", has_states=False)
    kinds = (Charging, Faulty)
    sides = [export(log, simulations={"charging": kind}) for kind in kinds]
    out = tmp_path / "page.html"
    write(out, sides, "", diff_builds(log, *kinds))
    page = browser.new_page()
    page.goto(out.as_uri())
    shows(page, AT)
    said = page.inner_text("#differences")
    page.close()
    assert re.search(r"≠ ball 1, charge\s+\d+\s+\d+", said)
    assert "collider" not in said

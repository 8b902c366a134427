"""Makes viewer.png and why.png: a page of fighters of the sample game, in Chromium.

Needs the extra `dev` and `chromium` on the path: `python docs/images/viewer.py`."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from fixsync.log.recorder import SimRecorder
from fixsync.match.sim import names_of, start
from fixsync.sample.skillfight import SkillFight
from fixsync.view import export, write

HERE = Path(__file__).resolve().parent
FIGHT = HERE.parents[1] / "replay_logs" / "skill_fight.jsonl.gz"
PLAYERS, SEED, FRAMES, SHOWN = 3, 5, 600, 142


def play(path: Path) -> None:
    """Records a match of bots."""
    game = start(SkillFight, SEED, PLAYERS)
    bots = [SkillFight.bot(player, SEED) for player in range(PLAYERS)]
    with SimRecorder(game, path, seed=SEED, names=names_of(game)) as recorder:
        for frame in range(FRAMES):
            inputs = [bot.decide(game) for bot in bots]
            events = game.step(inputs)
            recorder.record(frame, inputs, events, game.world.hash(), state=game.hash())


def why(browser: Browser, page: Path) -> None:
    """A slash that missed by a little, and by an angle."""
    write(page, [export(FIGHT)])
    shown = browser.new_page(viewport={"width": 1080, "height": 620})
    shown.goto(f"{page.as_uri()}#frame=82&id=1&why=11")
    shown.wait_for_selector("#collider .verdict strong >> text=°")
    shown.click("#follow")
    for _ in range(6):
        shown.click("#zoom-in")
    shown.wait_for_timeout(500)
    shown.screenshot(path=HERE / "why.png")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        log, page = Path(folder, "match.jsonl"), Path(folder, "match.html")
        play(log)
        write(page, [export(log)])
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(viewport={"width": 1280, "height": 800})
        shown.goto(f"{page.as_uri()}#frame={SHOWN}&id=0")
        shown.wait_for_selector("#badge[data-state=good]")
        shown.wait_for_selector(f"#frame-events[data-frame='{SHOWN}']", state="attached")
        shown.wait_for_selector("#lane-names span >> text=x")
        shown.click("#follow")
        for _ in range(5):
            shown.click("#zoom-in")
        shown.wait_for_timeout(500)
        shown.screenshot(path=HERE / "viewer.png")
        why(browser, page)
        browser.close()


if __name__ == "__main__":
    main()

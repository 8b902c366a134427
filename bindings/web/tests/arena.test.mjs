// The arena in Chromium: from its file, and its modules for long matches.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fixsync, page, python, ROOT, served, test, WORK } from "./harness.mjs";

const FILE = join(WORK, "arena.html");
const SHOTS = join(WORK, "screenshots");
mkdirSync(SHOTS, { recursive: true });

let isWritten = false;
async function arena(options = {}) {
  if (!isWritten) {
    const source = "import sys\nfrom fixsync.view import write_arena\nwrite_arena(sys.argv[1])";
    python("-c", source, FILE);
    isWritten = true;
  }
  const opened = await page({ viewport: { width: 1280, height: 860 }, ...options });
  await opened.goto(pathToFileURL(FILE).href);
  await passed(opened, 30);
  return opened;
}

// Waits until every computer has played so many frames, with the same hash.
const passed = (opened, frames) =>
  opened.waitForFunction(
    (least) => {
      const facts = (name) =>
        [...document.querySelectorAll(`[data-fact=${name}]`)].map((fact) => fact.textContent);
      return (
        facts("frame").every((text) => Number(text) >= least) &&
        facts("hash").every((text) => text.startsWith("✓"))
      );
    },
    frames,
    { timeout: 60_000 },
  );

const frameOf = async (opened) =>
  Number(await opened.locator("[data-fact=frame]").first().textContent());

// Waits until so many more frames are played.
async function later(opened, frames) {
  await passed(opened, (await frameOf(opened)) + frames);
}

// The frames of the log that the page gives.
async function downloaded(opened) {
  const [download] = await Promise.all([
    opened.waitForEvent("download"),
    opened.click("#download"),
  ]);
  const lines = readFileSync(await download.path(), "utf8")
    .split("\n")
    .slice(1, -2)
    .map(JSON.parse);
  const commands = lines.flatMap((line) => line.commands);
  return {
    placeOf: (id) => commands.findLast(([name, at]) => name === "pose" && at === id)[2],
    switchedOn: new Set(
      commands.filter(([name, , on]) => name === "active" && on).map(([, id]) => id),
    ),
  };
}

async function closed(opened, name) {
  await opened.screenshot({ path: join(SHOTS, `${name}.png`) });
  assert.deepEqual(opened.trouble, []);
  await opened.context().close();
}

test("two and three peers agree over 3000 frames at 30% loss, in Chromium", async () => {
  const opened = await page();
  await opened.goto(`${await served(ROOT)}/blank`);
  const found = await opened.evaluate(async () => {
    const { init } = await import("/bindings/web/index.js");
    const { Match } = await import("/fixsync/view/arena/match.js");
    await init();
    return [2, 3].map((players) => {
      const match = new Match(players, 2, 99 + players);
      const conditions = { latency: 80, jitter: 60, loss: 0.3 };
      for (let i = 0; i < 4500 && match.peers[0].confirmed < 3000; i++) match.tick(conditions, []);
      const common = Math.min(...match.peers.map(({ confirmed }) => confirmed));
      const hashes = match.peers.map((peer) => String(peer.hashBefore(common)));
      const rollbacks = match.peers.map((peer) => peer.rollbacks);
      return { common, hashes: [...new Set(hashes)].length, rollbacks, desync: match.desync };
    });
  });
  for (const { common, hashes, rollbacks, desync } of found) {
    assert.ok(common >= 2900);
    assert.equal(hashes, 1);
    assert.equal(desync, null);
    for (const count of rollbacks) assert.ok(count > 100);
  }
  assert.deepEqual(opened.trouble, []);
});

test("one flipped bit stops the page, which names frame, collider, field and both values", async () => {
  const opened = await arena();
  const flip = opened.getByRole("button", { name: "Flip one bit" });
  await flip.click();
  await opened.waitForSelector("#stop:not([hidden])");
  const where = await opened.textContent("#stop-where");
  assert.match(where, /^Frame \d+: collider [12] \((Blue|Amber)\), x$/);
  const values = (await opened.locator("#stop-values td").allInnerTexts()).map(Number);
  assert.equal(values.length, 2);
  assert.ok(values.every(Number.isInteger));
  assert.notEqual(values[0], values[1]);
  assert.equal(await opened.evaluate(() => document.activeElement.id), "stop-title");
  await opened.screenshot({ path: join(SHOTS, "stopped.png") });
  await opened.getByRole("button", { name: "See both logs" }).click();
  const viewer = opened.frameLocator("iframe");
  const [, name, field] = where.match(/\((\w+)\), (\w+)$/);
  const row = viewer.locator("#differences tr").filter({ hasText: `≠ ${name}, ${field}` });
  await row.first().waitFor({ timeout: 30_000 });
  const shown = await row.first().locator("td").allInnerTexts();
  assert.deepEqual(shown.map(Number), values);
  const [, frame] = where.match(/^Frame (\d+)/);
  assert.equal(await viewer.locator("#timeline").getAttribute("aria-valuenow"), frame);
  await opened.screenshot({ path: join(SHOTS, "both-logs.png") });
  await opened.getByRole("button", { name: "Back to the arena" }).click();
  await opened.locator("#go-on").click();
  await passed(opened, 30);
  await closed(opened, "after-a-flip");
});

test("the downloaded log verifies in Python, is canonical, and plays when it is dropped on the page", async () => {
  const opened = await arena();
  await passed(opened, 240);
  const [download] = await Promise.all([
    opened.waitForEvent("download"),
    opened.getByRole("button", { name: "Download the log" }).click(),
  ]);
  const log = join(WORK, "arena.jsonl");
  await download.saveAs(log);
  const verdict = fixsync("replay", log, "-o", join(WORK, "filled.jsonl"));
  assert.match(verdict, /^identical: compared the events of \d+ frames/m);
  assert.equal(readFileSync(log, "utf8"), readFileSync(join(WORK, "filled.jsonl"), "utf8"));
  const text = readFileSync(log, "utf8");
  const transfer = await opened.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "mine.jsonl"));
    return data;
  }, text);
  await opened.dispatchEvent("body", "drop", { dataTransfer: transfer });
  const viewer = opened.frameLocator("iframe");
  await viewer.locator("#badge", { hasText: "Identical" }).waitFor({ timeout: 30_000 });
  await closed(opened, "dropped-log");
});

test("a file that is not a log says why, and the fight goes on", async () => {
  const opened = await arena();
  await opened.setInputFiles("#log-file", {
    name: "odd.jsonl",
    mimeType: "text/plain",
    buffer: Buffer.from("no\n"),
  });
  await opened.getByRole("alert").filter({ hasText: "line 1: not JSON" }).waitFor();
  await passed(opened, 90);
  await closed(opened, "no-log");
});

test("the keyboard plays Blue, and on the same keyboard a friend plays Amber", async () => {
  const opened = await arena();
  await opened.selectOption("#against", "friend");
  await passed(opened, 20);
  await opened.keyboard.down("KeyW");
  await opened.keyboard.down("ArrowDown");
  await later(opened, 30);
  await opened.keyboard.up("KeyW");
  await opened.keyboard.up("ArrowDown");
  await opened.keyboard.press("KeyT"); // shorter than a frame
  await opened.keyboard.press("KeyI");
  await later(opened, 60);
  // no letter has chosen in the list
  assert.equal(await opened.locator("#against").inputValue(), "friend");
  const { placeOf, switchedOn } = await downloaded(opened);
  assert.ok(placeOf(1)[2] > 65536, "Blue went up");
  assert.ok(placeOf(2)[2] < -65536, "Amber went down");
  assert.deepEqual([...switchedOn].sort(), [22, 31]);
  await closed(opened, "friends");
});

test("the page says that a bot plays the visitor until a key is pressed", async () => {
  const opened = await arena();
  const hand = opened.locator(".machine .hand").first();
  await hand.filter({ hasText: "a bot: press a key" }).waitFor();
  await opened.keyboard.down("KeyD");
  await hand.filter({ hasText: /^you$/ }).waitFor();
  await closed(opened, "who-plays");
});

test("a gamepad moves Blue, attacks, and pauses with Start", async () => {
  const opened = await arena();
  await opened.selectOption("#against", "friend"); // who does nothing
  await passed(opened, 20);
  await opened.evaluate(() => {
    const pad = { axes: [0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false })) };
    window.pad = pad;
    navigator.getGamepads = () => [null, pad]; // the first slot may be empty
  });
  const press = (button, pressed) =>
    opened.evaluate(
      ([i, isPressed]) => {
        window.pad.buttons[i].pressed = isPressed;
      },
      [button, pressed],
    );
  await opened.evaluate(() => {
    window.pad.axes = [0, -1];
  });
  await press(2, true);
  await later(opened, 60);
  await opened.evaluate(() => {
    window.pad.axes = [0, 0];
  });
  await press(2, false);
  await press(9, true);
  const pause = opened.getByRole("button", { name: "Go on" });
  await pause.waitFor();
  await press(9, false);
  await opened.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  const at = await opened.evaluate(() =>
    [...document.querySelectorAll("[data-fact=frame]")].map((f) => f.textContent),
  );
  await opened.screenshot({ path: join(SHOTS, "paused.png") });
  const { placeOf, switchedOn } = await downloaded(opened);
  assert.ok(placeOf(1)[2] > 65536, "Blue went up");
  assert.ok(switchedOn.has(21), "Blue's ring");
  await press(9, true);
  await opened.getByRole("button", { name: "Pause" }).waitFor();
  await passed(opened, Number(at[0]) + 20);
  await closed(opened, "gamepad");
});

test("P pauses, the fight stands still, and slow motion plays an eighth", async () => {
  const opened = await arena();
  const frames = () =>
    opened.evaluate(() => Number(document.querySelector("[data-fact=frame]").textContent));
  const drawn = () =>
    opened.evaluate(async () => {
      for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
    });
  // A key can get lost while the machine is busy: at most three.
  const paused = opened.getByRole("button", { name: "Go on" });
  for (let i = 0; i < 3 && !(await paused.isVisible()); i++) {
    await opened.keyboard.press("KeyP");
    await paused.waitFor({ timeout: 10_000 }).catch(() => {});
  }
  await paused.waitFor();
  const stood = await frames();
  await drawn();
  assert.equal(await frames(), stood);
  await opened.getByRole("button", { name: "Slow motion" }).click();
  await opened.getByRole("button", { name: "Slow motion", pressed: true }).waitFor();
  await opened.keyboard.press("KeyP");
  await later(opened, 3);
  await opened.getByRole("button", { name: "Flip one bit" }).click();
  await opened.waitForSelector("#stop:not([hidden])");
  assert.equal(await opened.locator("#pause").isDisabled(), true);
  assert.equal(await opened.locator("#stop-bits p").count(), 2);
  assert.ok((await opened.locator("#stop-bits mark").count()) >= 2);
  assert.match(await opened.textContent("#stop-rest"), /^Noticed \d+ ms after the flip/);
  await closed(opened, "slow");
});

test("three computers, bad sliders, a phone with fingers, and calm for who asks for it", async () => {
  const phone = {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: "reduce",
  };
  const opened = await arena({ ...phone, deviceScaleFactor: 2 });
  await opened.getByText("a bot: tap the stick").waitFor();
  for (const [width, height] of [
    [390, 844],
    [360, 640],
    [844, 390],
  ]) {
    await opened.setViewportSize({ width, height });
    const heads = await opened.locator(".machine header").evaluateAll((found) =>
      found.map((head) => ({
        height: head.getBoundingClientRect().height,
        isCut: [...head.children].some((part) => part.scrollWidth > part.clientWidth + 1),
      })),
    );
    assert.ok(
      heads.every((head) => head.height === heads[0].height && head.height < 40 && !head.isCut),
      `${width} × ${height}: ${JSON.stringify(heads)}`,
    );
  }
  for (const size of [phone.viewport, { width: 360, height: 640 }]) {
    await opened.setViewportSize(size);
    const [machines, touch] = await opened.evaluate(() =>
      ["machines", "touch"].map((id) => document.getElementById(id).getBoundingClientRect()),
    );
    assert.ok(
      machines.bottom <= touch.top,
      `${machines.bottom} below ${touch.top}: hashes covered`,
    );
  }
  await opened.setViewportSize(phone.viewport);
  await opened.selectOption("#players", "3");
  for (const [id, value] of [
    ["latency", 200],
    ["jitter", 100],
    ["loss", 40],
  ])
    await opened.locator(`#${id}`).fill(String(value));
  const stick = await opened.locator("#stick").boundingBox();
  for (let i = 0; i < 12; i++) {
    await opened.touchscreen.tap(stick.x + stick.width / 2, stick.y + 8);
    await later(opened, 1);
  }
  // Who is hit or out cannot shoot: not for so long.
  for (let i = 0; i < 10; i++) {
    await opened.locator("[data-button=shot]").tap();
    await later(opened, 20);
  }
  assert.equal(await opened.locator(".machine").count(), 3);
  const wide = await opened.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  assert.ok((await downloaded(opened)).switchedOn.has(31), "Blue's shot");
  await closed(opened, "phone");
});

for (const colorScheme of ["dark", "light"]) {
  test(`every control has a name, can be reached by keys, and has contrast, ${colorScheme}`, () =>
    controls(colorScheme));
}

async function controls(colorScheme) {
  const opened = await arena({ colorScheme });
  const names = [];
  for (let i = 0; i < 14; i++) {
    await opened.keyboard.press("Tab");
    names.push(
      await opened.evaluate(() =>
        (document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim(),
      ),
    );
  }
  for (const name of [
    "Computers",
    "New match",
    "Latency",
    "Jitter",
    "Loss",
    "Pause",
    "Slow motion",
    "Flip one bit",
    "Download the log",
  ]) {
    assert.ok(
      names.some((found) => found.startsWith(name)),
      `${name} is not among ${names}`,
    );
  }
  const ratios = await opened.evaluate(() => {
    const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) =>
      0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
    const backOf = (element) => {
      const back = numbers(getComputedStyle(element).backgroundColor);
      return back.length === 3 || back[3] > 0 || !element.parentElement
        ? back
        : backOf(element.parentElement);
    };
    return [
      "h1",
      ".machine h2",
      ".machine:last-child h2",
      ".score",
      ".facts dt",
      ".facts dd",
      "[data-fact=hash]",
      ".legend li",
      ".keys dd",
      "#flip",
      "#download",
      "label",
    ].map((what) => {
      const element = document.querySelector(what);
      const pair = [light(numbers(getComputedStyle(element).color)), light(backOf(element))].sort(
        (a, b) => b - a,
      );
      return [what, (pair[0] + 0.05) / (pair[1] + 0.05)];
    });
  });
  for (const [what, ratio] of ratios) assert.ok(ratio >= 4.5, `${what}: contrast ${ratio}`);
  await closed(opened, `keys-${colorScheme}`);
}

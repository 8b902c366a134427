// The page: a match that is played, drawn and watched, frame by frame.
import { bytesOfBase64, inflated } from "../../../bindings/web/bytes.js";
import { start } from "../../../bindings/web/kernel.js";
import { hex16 } from "../../../bindings/web/logs.js";
import { logOf } from "../assets/logfile.js";
import { Controls } from "./controls.js";
import { colours, drawFilm, drawWire, FILM_FRAMES, PLAYER_COLOURS, Stage } from "./draw.js";
import { ACTION, bodyOf } from "./fight.js";
import { namesOf, PLAYERS } from "./log.js";
import { FRAME_MS, Match } from "./match.js";
import { sceneOf } from "./scene.js";
import { showLogs } from "./viewing.js";

const INPUT_DELAY = 2; // frames
const DEPTHS = 30; // frames whose deepest rollback is shown
const SLOW = 1 / 8;
const MISS_UNITS = 0.15; // a wrong guess by less is not marked
const FACTS_MS = 120;
const FLIPPED_PEER = 1;
const HELD_MAX = 50; // fields that differ, for the viewer

const find = (id) => document.getElementById(id);
const controls = new Controls(
  find("stick"),
  document.querySelectorAll("[data-button]"),
  pauseOrGoOn,
);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const touch = matchMedia("(pointer: coarse), (any-pointer: coarse) and (max-width: 820px)");
const light = matchMedia("(prefers-color-scheme: light)");

let match = null;
// of each peer: { stage, film, depths, replayedAt, shown (the last scene drawn and its frame),
// facts }
let machines = [];
let behind = 0; // milliseconds not played yet
let lastNow = 0;
let factsAt = 0;
let flippedAt = 0; // in the time of the match
let isPaused = false;
let isSlow = false;
let isViewing = false; // logs, so the fight waits

function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// ---- a match ----

function begin() {
  match?.dispose();
  const players = Number(find("players").value);
  match = new Match(players, INPUT_DELAY, Math.floor(Math.random() * 2 ** 31));
  flippedAt = 0;
  controls.people = find("against").value === "friend" ? 2 : 1;
  const hands = ["you", controls.people === 2 ? "your friend" : "a bot", "a bot"];
  machines = Array.from({ length: players }, (_, p) => machine(p, hands[p]));
  find("machines").replaceChildren(...machines.map(({ root }) => root));
  find("how-many").textContent = players === 2 ? "two" : "three";
  find("stop").hidden = true;
  find("flip").disabled = find("pause").disabled = false;
  behind = 0;
  setPaused(false);
  showKeys();
}

function machine(p, hand) {
  const stage = make("canvas", {
    class: "stage",
    role: "img",
    "aria-label": `The fight as ${PLAYERS[p]}'s computer has it`,
  });
  const film = make("canvas", {
    class: "film",
    role: "img",
    "aria-label": "The last frames: confirmed, guessed, played again",
  });
  const facts = { hand: make("span", { class: "hand" }, hand) };
  const list = make("dl", { class: "facts" });
  for (const name of ["frame", "rollback", "sent", "hash"]) {
    facts[name] = make("dd", { "data-fact": name });
    list.append(make("div", {}, make("dt", {}, name), facts[name]));
  }
  facts.score = make("span", { class: "score", "data-fact": "score" });
  const head = make(
    "header",
    {},
    make("h2", {}, PLAYERS[p], make("span", {}, "'s computer")),
    facts.hand,
    facts.score,
  );
  const root = make(
    "section",
    { class: "machine", "aria-label": `${PLAYERS[p]}'s computer` },
    head,
    stage,
    film,
    list,
  );
  root.style.setProperty("--colour", `var(--${PLAYER_COLOURS[p]})`);
  const replayedAt = new Array(FILM_FRAMES).fill(-Infinity);
  return {
    root,
    stage: new Stage(stage, p),
    film,
    depths: new Array(DEPTHS).fill(0),
    replayedAt,
    facts,
    shown: null,
  };
}

// A bot plays the visitor's fighter until the visitor does.
function showHand(now) {
  const how = touch.matches ? "tap the stick" : "press a key";
  const text = controls.isPlayed(0, now) ? "you" : `a bot: ${how}`;
  const { hand } = machines[0].facts;
  if (hand.textContent !== text) hand.textContent = text;
}

const conditions = () => ({
  latency: Number(find("latency").value),
  jitter: Number(find("jitter").value),
  loss: Number(find("loss").value) / 100,
});

function play(now) {
  const inputs = match.peers.map((_, p) => controls.input(p, now));
  const before = match.peers.map(({ frame }) => frame);
  match.tick(conditions(), inputs);
  for (const [p, { depths, replayedAt, stage, shown }] of machines.entries()) {
    const peer = match.peers[p];
    depths.push(peer.depth);
    depths.shift();
    for (let frame = before[p]; frame < peer.frame; frame++)
      replayedAt[frame % FILM_FRAMES] = -Infinity;
    for (let i = 1; i <= peer.depth; i++) replayedAt[(before[p] - i) % FILM_FRAMES] = match.now;
    if (shown && peer.depth > 0) markMisses(peer, stage, shown);
  }
  if (match.desync) stopped();
}

// Where the state that was drawn last differs from the present state of that frame.
function markMisses(peer, stage, shown) {
  const repaired = peer.game.before(shown.frame);
  if (!repaired) return;
  sceneOf(repaired).fighters.forEach((fighter, p) => {
    const guess = shown.scene.fighters[p];
    if (fighter.action === ACTION.out || guess.action === ACTION.out) return;
    if (Math.hypot(fighter.x - guess.x, fighter.z - guess.z) > MISS_UNITS)
      stage.miss(p, guess, fighter, match.now);
  });
}

// ---- every frame of the screen ----

function tick(now) {
  controls.poll();
  if (!isPaused && !isViewing)
    behind = Math.min(behind + (now - lastNow) * (isSlow ? SLOW : 1), 6 * FRAME_MS);
  lastNow = now;
  while (behind >= FRAME_MS && !match.desync) {
    behind -= FRAME_MS;
    play(now);
  }
  if (!isViewing) {
    draw(match.now + (match.desync ? 0 : behind));
    if (now - factsAt > FACTS_MS) showFacts(now);
  }
  requestAnimationFrame(tick);
}

// now: in the time of the match, so that a slow or paused one shows all of it.
function draw(now) {
  const found = match.peers.findIndex((_, p) => match.desync?.id === bodyOf(p));
  const fault = found < 0 ? null : found;
  for (const [p, machine] of machines.entries()) {
    const peer = match.peers[p];
    const scene = sceneOf(peer.predictedState);
    machine.shown = { frame: peer.frame, scene };
    machine.stage.draw(scene, sceneOf(peer.confirmedState), now, calm.matches, fault);
    drawFilm(machine.film, peer, machine.replayedAt, now);
  }
  drawWire(find("wire"), match, now, calm.matches);
}

function showFacts(now) {
  factsAt = now;
  showHand(now);
  const common = Math.min(...match.peers.map(({ confirmed }) => confirmed));
  const hashes = match.peers.map((peer) => peer.hashBefore(common));
  for (const [p, { facts, depths, shown }] of machines.entries()) {
    const peer = match.peers[p];
    facts.score.textContent = shown
      ? shown.scene.fighters.map(({ score }) => score).join(" : ")
      : "";
    facts.frame.textContent = String(peer.frame);
    facts.rollback.textContent = `${Math.max(...depths)} frames`;
    facts.sent.textContent = `${(peer.bytesSent / 1024).toFixed(1)} KB`;
    if (hashes[p] === undefined) continue;
    const isSame = hashes.every((hash) => hash === hashes[p]);
    facts.hash.textContent = `${isSame ? "✓" : "≠"} ${hex16(hashes[p])}`;
    facts.hash.dataset.same = isSame ? "yes" : "no";
  }
}

// ---- a desync ----

const inUnits = (raw) => `${Number((raw / 65536).toFixed(5))} units`;

function stopped() {
  const { frame, peers, where, id, field, values, all } = match.desync;
  const count = all.length;
  const name = namesOf(match.peers.length)[id];
  find("stop-where").textContent = `Frame ${frame}: ${where}${name ? ` (${name})` : ""}, ${field}`;
  find("stop-values").replaceChildren(
    ...peers.map((p, i) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, `${PLAYERS[p]}'s computer`),
        make("td", {}, String(values[i])),
        make("th", {}, Number.isNaN(id) ? "" : inUnits(values[i])),
      ),
    ),
  );
  find("stop-bits").replaceChildren(...(Number.isNaN(id) ? [] : bitRows(values)));
  const late =
    flippedAt > 0
      ? `Noticed ${Math.round(match.now - flippedAt)} ms after the flip: packets carry a hash of ` +
        "the state. "
      : "";
  find("stop-rest").textContent =
    `${late}${count > 1 ? `${count} fields differ in that frame; this is the first.` : ""}`;
  find("stop").hidden = false;
  find("flip").disabled = find("pause").disabled = true;
  find("machines").scrollIntoView({ block: "start" });
  find("stop-title").focus();
  find("live").textContent = `Stopped. ${find("stop-where").textContent}`;
  showFacts(lastNow);
}

// Both values in binary, with the differing bits marked.
function bitRows(values) {
  const [ours, theirs] = values.map((value) => (value >>> 0).toString(2).padStart(32, "0"));
  return [ours, theirs].map((bits) =>
    make(
      "p",
      {},
      ...[...bits].map((bit, i) => make(ours[i] === theirs[i] ? "span" : "mark", {}, bit)),
    ),
  );
}

function flip() {
  const player = Math.floor(Math.random() * match.peers.length);
  match.flipBit(FLIPPED_PEER, player, 8 + Math.floor(Math.random() * 6));
  flippedAt = match.now;
  find("flip").disabled = true;
  setPaused(false);
  find("live").textContent = `One bit of ${PLAYERS[FLIPPED_PEER]}'s computer is flipped.`;
}

// ---- pause and slow motion ----

function setPaused(paused) {
  isPaused = paused;
  find("pause").textContent = paused ? "Go on" : "Pause";
  if (paused) showFacts(lastNow);
}

function pauseOrGoOn() {
  if (!match?.desync && !isViewing) setPaused(!isPaused);
}

function slowOrFast() {
  isSlow = !isSlow;
  find("slow").setAttribute("aria-pressed", String(isSlow));
}

// ---- logs ----

function download() {
  const link = make("a", { href: URL.createObjectURL(logFile(0)), download: "arena.jsonl" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const logFile = (p) => new File([match.peers[p].log.text()], `${PLAYERS[p].toLowerCase()}.jsonl`);

// Of the viewer's list of differences: the states are not in the logs.
function heldStates() {
  const { frame, id, all } = match.desync;
  return { frame, id: Number.isNaN(id) ? undefined : id, rows: all.slice(0, HELD_MAX) };
}

async function view(files, held = null) {
  find("failure").hidden = true;
  isViewing = true;
  try {
    if (files.length > 2) throw new Error(`one log or two, not ${files.length}`);
    showLogs(find("viewing"), await Promise.all(files.map(logOf)), held);
    find("back").focus();
  } catch (error) {
    isViewing = false;
    find("failure").textContent = error.message;
    find("failure").hidden = false;
  }
}

function goBack() {
  find("viewing").hidden = true;
  find("viewing").querySelector("iframe")?.remove();
  isViewing = false;
}

// ---- controls ----

function showKeys() {
  const attacks = "slash, dash, ring, shot";
  const rows = [
    ["move", "W A S D"],
    [attacks, "F G H T"],
  ];
  if (controls.people === 2) rows.push(["Amber moves", "↑ ← ↓ →"], [attacks, "K L I O"]);
  rows.push(["pause", "P"]);
  find("keys").replaceChildren(
    ...rows.flatMap(([what, keys]) => [
      make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))),
      make("dd", {}, what),
    ]),
  );
}

function showSliders() {
  const units = { latency: "ms", jitter: "ms", loss: "%" };
  for (const [id, unit] of Object.entries(units)) {
    document.querySelector(`output[for=${id}]`).textContent = `${find(id).value} ${unit}`;
  }
}

function wireControls() {
  for (const id of ["latency", "jitter", "loss"]) find(id).addEventListener("input", showSliders);
  for (const id of ["players", "against"]) find(id).addEventListener("change", begin);
  for (const id of ["again", "go-on"]) find(id).addEventListener("click", begin);
  find("flip").addEventListener("click", flip);
  find("pause").addEventListener("click", pauseOrGoOn);
  find("slow").addEventListener("click", slowOrFast);
  light.addEventListener("change", colours);
  find("download").addEventListener("click", download);
  find("choose-log").addEventListener("click", () => find("log-file").click());
  find("log-file").addEventListener("change", ({ target }) => view([...target.files]));
  find("see-both").addEventListener("click", () =>
    view(match.desync.peers.map(logFile), heldStates()),
  );
  find("back").addEventListener("click", goBack);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    view([...event.dataTransfer.files]);
  });
}

inflated(bytesOfBase64(find("kernel").textContent))
  .then((kernel) => kernel.arrayBuffer())
  .then(start)
  .then(() => {
    colours();
    wireControls();
    showSliders();
    begin();
    lastNow = performance.now();
    requestAnimationFrame(tick);
  });

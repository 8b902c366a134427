// The page: passes the messages of the worker to the views and panels, frame by frame.

import { bytesOfBase64 } from "../../../bindings/web/bytes.js";
import { FXS_ENTER } from "../../../bindings/web/raw.js";
import { worker } from "./channel.js";
import { fillMeter, setOption, wire, wireAlways } from "./controls.js";
import { awaitLogs } from "./dropped.js";
import { element } from "./elements.js";
import { clockTime, plural } from "./format.js";
import { fillDifferences, fillFrame } from "./framepanel.js";
import { fillGame, plotsOf, readGame } from "./game.js";
import { fillCollider } from "./inspector.js";
import { fillLayers, fillLog, fillOwners, fillPairs, showChecks } from "./logpanel.js";
import {
  advance,
  describeFrame,
  frameShownAt,
  goTo,
  meter,
  showFrame,
  timeline,
  want,
} from "./playback.js";
import { pick, select } from "./selection.js";
import { markDiffering, readSide } from "./sides.js";
import { Solids } from "./solids.js";
import {
  buildViews,
  drawViews,
  fit,
  follow,
  layOutFor,
  PROJECTION_NAMES,
  setCompare,
  setLayout,
  showCaptions,
  views,
} from "./stage.js";
import {
  byId,
  checks,
  games,
  headers,
  levels,
  match,
  nameOf,
  ownerName,
  planes,
  player,
  scene,
  setManifest,
  ui,
} from "./state.js";
import { fillAttacks } from "./swings.js";
import { whyText } from "./why.js";

const PANEL_MS = 250; // how often the panels follow while playing
const FRAME_MS = 60; // and the number of the frame

let panelsDrawn = 0;

// ---- messages of the worker ----

function failed({ message }) {
  const failure = byId("failure");
  failure.textContent = `The match cannot be shown: ${message}`;
  failure.hidden = false;
  byId("badge").dataset.state = "bad";
  byId("badge").textContent = "Failed";
}

function opened({ side, header, planes: size }) {
  headers[side] = header;
  levels[side] = new Solids(header.level?.solids);
  planes[side] = size;
  if (headers.includes(null)) return;
  const [first] = headers;
  for (const { names, meta } of [...headers].reverse()) {
    for (const [kind, own] of Object.entries({ ...names, owners: ownersIn(meta) })) {
      Object.assign(scene.names[kind], own);
    }
  }
  scene.unitMm = first.unit_mm ?? null;
  if (first.z_down) setOption("zDown", true);
  player.rate = Array.isArray(first.tick_rate)
    ? first.tick_rate[0] / first.tick_rate[1]
    : first.tick_rate;
  const rate = Number(player.rate.toFixed(3));
  const frames = match.end - match.first;
  const time = clockTime(frames / player.rate);
  const length = `${plural(frames, "frame")} at ${rate} a second, ${time}`;
  byId("summary").textContent = [length, first.sim ?? match.logs[0].sim]
    .filter(Boolean)
    .join(" · ");
  byId("known-names").replaceChildren(
    ...Object.values(scene.names.ids).map((name) => element("option", { value: name })),
  );
  if (scene.selected !== null) byId("pick-id").value = nameOf(scene.selected);
  fillLog(byId("log"), saveLog);
  showFrame();
}

// The names of owners in a log's meta, if that key is for them (fixsync/log/lines.py).
const ownersIn = ({ owners }) =>
  owners?.constructor === Object &&
  Object.values(owners).every((name) => typeof name === "string") &&
  owners;

function saveLog(i) {
  const { original, data, name } = match.logs[i];
  const link = element("a", {
    href: URL.createObjectURL(
      new Blob([bytesOfBase64(original ?? data)], { type: "application/gzip" }),
    ),
    download: `${name.replace(/.*[/\\]/, "").replace(/\.jsonl.*$/, "")}.jsonl.gz`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A match's frame has come.
function arrived(message) {
  if (player.wanted === message.frame) player.wanted = null;
  ui.details = message.details;
  message.sides.forEach((side, i) => {
    scene.sides[i] = side && readSide(side, scene.sides[i], levels[i]);
  });
  player.frame = message.frame;
  if (match.logs.length === 2) {
    markDiffering(...scene.sides, ui.details);
    showCaptions();
  }
  if (performance.getEntriesByName("fixsync-frame").length === 0) performance.mark("fixsync-frame");
  follow();
  ui.isStale = true;
  ui.arePanelsStale = true;
  if (!player.isPlaying || performance.now() - frameShownAt > FRAME_MS) showFrame();
}

function progress({ side, from, to, counts, end, bounds, verdict, pairs, moved }) {
  const isFirst = !checks[side].bounds;
  checks[side] = { verdict, checked: to, bounds, end, pairs };
  for (const id of moved) scene.moved.add(id);
  openAtFault(verdict);
  if (bounds && isFirst) layOutFor();
  if (!ui.hasMoved && (isFirst || verdict.isDone)) fit(ui.isFitToMoving);
  if (side === 0) {
    timeline.enters.set(counts.enters, from - match.first);
    timeline.exits.set(counts.exits, from - match.first);
    timeline.checked = to;
  }
  if (match.logs.length === 1) timeline.differs.set(counts.differs, from - match.first);
  timeline.changed();
  if (verdict.isDone) performance.mark("fixsync-checked");
  showChecks();
  ui.isStale = true;
  ui.arePanelsStale = true;
}

// A log with a fault opens where it is.
function openAtFault({ first, nativeFirst, refused }) {
  if (match.logs.length > 1 || ui.hasSought) return;
  const fault = nativeFirst ?? first ?? refused;
  if (fault) goTo(refused === fault ? fault.frame - 1 : fault.frame);
}

function compared({ result, upTo, differs }) {
  const isNews = result.first && !ui.comparison?.result.first;
  ui.comparison = { result, upTo };
  timeline.differs = differs.subarray(match.first);
  timeline.changed();
  showChecks();
  if (isNews && !ui.hasSought) goTo(Math.min(result.first.frame, match.end - 1));
}

function learned({ sides }) {
  if (sides[0]?.id !== scene.selected) return;
  ui.histories = sides;
  timeline.intervals = intervalsOf(sides[0].hits);
  timeline.changed();
  ui.isStale = true;
  ui.arePanelsStale = true;
}

function explainPair({ ids, rows, isKnown }) {
  if (ids[0] !== scene.selected || ids[1] !== scene.other) return;
  const isNew = ui.pair === null;
  ui.pair = { ids, rows, isKnown };
  if (isNew) fillMeter();
  ui.isStale = true;
  ui.arePanelsStale = true;
}

function listed({ swings, isGuess }) {
  ui.attacks = swings;
  ui.isGuess = isGuess;
  byId("attacks-panel").hidden = !fillAttacks(byId("attacks"));
}

// [first, last] frame of each hit, from rows of begins and ends.
function intervalsOf(rows) {
  const [open, intervals] = [new Map(), []];
  for (const [frame, a, b, kind] of rows) {
    const pair = `${a} ${b}`;
    if (kind === FXS_ENTER) open.set(pair, frame);
    else {
      intervals.push([open.get(pair) ?? match.first, frame - 1]);
      open.delete(pair);
    }
  }
  for (const first of open.values()) intervals.push([first, checks[0].checked - 1]);
  return intervals;
}

// Of two logs, a body's lane in B is below that in A.
function laned({ sides }) {
  scene.bodies = sides.flat().filter(({ id }) => id !== null);
  const rows = sides.flatMap((lanes, side) =>
    lanes.map((lane) => ({
      ...lane,
      side,
      name: `${sides.length > 1 ? `${"AB"[side]}: ` : ""}${bodyName(lane)}`,
      phases: games[side]?.phases[lane.owner] ?? null,
    })),
  );
  if (sides.length > 1) rows.sort((a, b) => a.owner - b.owner || a.id - b.id || a.side - b.side);
  fillMeter({ lanes: rows });
  ui.isStale = true;
}

const bodyName = ({ owner, id }) =>
  id === null ? "the game" : owner > 0 ? ownerName(owner) : nameOf(id);

function tracked({ id, sides }) {
  if (id !== scene.selected) return;
  fillMeter({ tracks: sides.map((side, i) => ({ ...side, first: match.logs[i].first })) });
  ui.isStale = true;
}

// ---- every frame of the screen ----

let lastTick = 0;

function tick(now) {
  const elapsed = Math.min(250, now - lastTick) / 1000;
  lastTick = now;
  advance(elapsed);
  if (ui.isStale) {
    ui.isStale = false;
    drawViews();
    meter.frame = player.frame;
    meter.draw(scene.theme);
    timeline.frame = player.frame;
    timeline.window = meter.isShown ? [meter.from, meter.to] : [0, 0];
    timeline.draw(scene.theme);
  }
  if (ui.arePanelsStale && now - panelsDrawn > (player.isPlaying ? PANEL_MS : 30)) {
    ui.arePanelsStale = false;
    panelsDrawn = now;
    showPanels();
  }
  requestAnimationFrame(tick);
}

function showPanels() {
  const description = describeFrame();
  for (const { canvas, view } of views)
    canvas.setAttribute("aria-label", `${PROJECTION_NAMES[view.projection]}. ${description}`);
  const sides = scene.sides.filter(Boolean);
  showChosen();
  fillCollider(byId("collider"), sides, scene.selected, ui.histories);
  fillFrame(byId("frame-events"), scene.sides);
  byId("frame-events").dataset.frame = player.frame;
  byId("difference-panel").hidden = !fillDifferences(byId("differences"), scene.sides, ui.details);
  byId("game-panel").hidden = !fillGame(byId("game"), games, player.frame, ui.plotted);
  fillLayers(byId("layers"));
  fillPairs(byId("pairs"));
  fillOwners(byId("owners"));
}

// On a narrow screen, a line says what is selected.
function showChosen() {
  byId("chosen").hidden = scene.selected === null;
  if (scene.selected === null) return;
  const [text] = scene.other === null ? [""] : whyText();
  const pair = scene.other === null ? "" : ` and ${nameOf(scene.other)}: ${text}`;
  byId("chosen").textContent = `${nameOf(scene.selected)}${pair} ↓`;
}

// ---- start ----

// The frame and the colliders that the address names.
function addressed() {
  const named = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const number = (name) => (named[name] === undefined ? null : Number(named[name]) || 0);
  return { frame: number("frame"), id: number("id"), why: number("why") };
}

function start(manifest) {
  setManifest(manifest);
  const { logs } = match;
  document.title = manifest.title;
  document.body.classList.remove("empty");
  byId("title").textContent = manifest.title;
  byId("timeline").setAttribute("aria-valuemin", String(match.first));
  byId("timeline").setAttribute("aria-valuemax", String(Math.max(match.first, match.end - 1)));
  byId("compare-modes").hidden = logs.length < 2;
  timeline.setFrames(match.first, match.end);
  Object.assign(meter, { first: match.first, end: match.end });
  buildViews(pick);
  wire();
  setLayout("both");
  // Two logs beside one another need width.
  setCompare(logs.length === 2 && matchMedia("(max-width: 820px)").matches ? "over" : "beside");
  if (match.end === match.first) byId("summary").textContent = "The log has no frames.";
  worker.listen({
    opened,
    frame: arrived,
    progress,
    compared,
    history: learned,
    pair: explainPair,
    attacks: listed,
    lanes: laned,
    track: tracked,
    failed,
  });
  worker.post({ type: "open", wasm: byId("kernel").textContent, logs });
  for (const [i, { game }] of logs.entries()) {
    if (!game) continue;
    readGame(game).then((read) => {
      games[i] = read;
      ui.arePanelsStale = true;
    }, failed);
  }
  byId("game").addEventListener("click", ({ target }) => {
    const key = target.dataset.plot;
    if (key === undefined) return;
    if (!ui.plotted.delete(key)) ui.plotted.add(key);
    meter.setSeries(plotsOf(games, ui.plotted));
    ui.isStale = true;
    ui.arePanelsStale = true;
  });
  const { frame, id, why } = addressed();
  if (id !== null) select(id, why);
  if (frame === null) want(match.first);
  else goTo(frame);
  addEventListener("hashchange", () => {
    const { frame, id, why } = addressed();
    if (id !== null && (id !== scene.selected || why !== scene.other)) select(id, why);
    if (frame !== null && frame !== player.frame) goTo(frame);
  });
  requestAnimationFrame(tick);
}

const manifest = JSON.parse(byId("manifest").textContent);
wireAlways();
if (manifest.logs.length > 0) {
  for (const [i, log] of manifest.logs.entries()) log.data = byId(`log-${i}`).textContent;
  start(manifest);
} else {
  awaitLogs(byId("drop"), byId("choose"), byId("drop-failure"), (logs) =>
    start({ ...manifest, title: logs.map(({ name }) => name).join(" and "), logs }),
  );
}

// The page: time, selection, text and controls, and the worker that knows the match.

import { ENTER } from "./codes.js";
import { WAKE_FRAMES } from "./colliders.js";
import { clockTime, comparisonText, ordinal, plural, verdictText } from "./format.js";
import { bytesOfBase64 } from "./matchlog.js";
import { element, fillChecks, fillCollider, fillDifferences, fillFrame, fillLayers, fillLog } from "./panels.js";
import { markDiffering, readSide } from "./sides.js";
import {
  buildViews,
  drawViews,
  fit,
  follow,
  PROJECTION_NAMES,
  panBy,
  refit,
  resizeViews,
  setCompare,
  setFollowing,
  setLayout,
  showCaptions,
  views,
  zoomBy,
} from "./stage.js";
import { byId, camera, checks, frames, headers, logs, manifest, player, scene, ui } from "./state.js";
import { readTheme } from "./theme.js";
import { Timeline } from "./timeline.js";

const PANEL_MS = 250; // how often the panels follow while playing
const FRAME_MS = 60; // and the number of the frame
const SPEECH_MS = 500; // how long a screen reader is left alone while frames change

let panelsDrawn = 0;
let frameTold = 0; // when the number of the frame was written last

// What panels ask of the page.
const page = {
  seek: (frame) => goTo(frame),
  select: (id) => select(id),
  get isPlaying() {
    return player.isPlaying;
  },
  nameOf: (id) => scene.names.ids[id] ?? String(id),
  layerName: (layer) => scene.names.layers[layer] ?? `layer ${layer}`,
  showLayer(layer, isShown) {
    if (isShown) scene.options.layers.add(layer);
    else scene.options.layers.delete(layer);
    ui.isStale = true;
  },
  saveLog(i) {
    const link = element("a", {
      href: URL.createObjectURL(
        new Blob([bytesOfBase64(logs[i].original ?? logs[i].data)], { type: "application/gzip" }),
      ),
      download: `${logs[i].name.replace(/.*[/\\]/, "").replace(/\.jsonl.*$/, "")}.jsonl.gz`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  },
};

// ---- the worker ----

const worker = new Worker(URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" })));
worker.onerror = (event) => fail(event.message ?? "the worker did not start");
worker.onmessage = ({ data: message }) => {
  const handlers = {
    opened,
    frame: arrived,
    progress,
    compared,
    history: learned,
    failed: (failure) => fail(failure.message),
  };
  handlers[message.type](message);
};

function fail(message) {
  const failure = byId("failure");
  failure.textContent = `The match cannot be shown: ${message}`;
  failure.hidden = false;
  byId("badge").dataset.state = "bad";
  byId("badge").textContent = "Failed";
}

function opened({ side, header }) {
  headers[side] = header;
  if (headers.includes(null)) return;
  const [first] = headers;
  for (const { names } of [...headers].reverse()) {
    Object.assign(scene.names.layers, names?.layers);
    Object.assign(scene.names.ids, names?.ids);
  }
  scene.unitMm = first.unit_mm ?? null;
  player.rate = Array.isArray(first.tick_rate) ? first.tick_rate[0] / first.tick_rate[1] : first.tick_rate;
  const rate = Number(player.rate.toFixed(3));
  const length = `${plural(frames, "frame")} at ${rate} a second, ${clockTime(frames / player.rate)}`;
  byId("summary").textContent = [length, first.sim ?? logs[0].sim].filter(Boolean).join(" · ");
  byId("known-names").replaceChildren(
    ...Object.values(scene.names.ids).map((name) => element("option", { value: name })),
  );
  if (scene.selected !== null) byId("pick-id").value = page.nameOf(scene.selected);
  fillLog(page, byId("log"), manifest, headers);
  showFrame();
}

// A match's frame has come.
function arrived(message) {
  if (player.wanted === message.frame) player.wanted = null;
  ui.details = message.details;
  message.sides.forEach((side, i) => {
    scene.sides[i] = side && readSide(side, scene.sides[i]);
  });
  player.frame = message.frame;
  if (logs.length === 2) {
    markDiffering(...scene.sides, ui.details);
    showCaptions();
  }
  if (performance.getEntriesByName("fixsync-frame").length === 0) performance.mark("fixsync-frame");
  follow();
  ui.isStale = true;
  ui.arePanelsStale = true;
  if (!player.isPlaying || performance.now() - frameTold > FRAME_MS) showFrame();
}

function progress({ side, from, to, counts, end, bounds, verdict }) {
  const isFirst = !checks[side].bounds;
  checks[side] = { verdict, checked: to, bounds, end };
  if (!ui.hasMoved && (isFirst || verdict.isDone)) fit();
  if (side === 0) {
    timeline.enters.set(counts.enters, from);
    timeline.exits.set(counts.exits, from);
    timeline.checked = to;
  }
  if (logs.length === 1) timeline.differs.set(counts.differs, from);
  timeline.changed();
  if (verdict.isDone) {
    performance.mark("fixsync-checked");
    if (scene.selected !== null) worker.postMessage({ type: "history", id: scene.selected });
  }
  showChecks();
  ui.isStale = true;
}

function compared({ result, upTo, differs }) {
  const isNews = result.first && !ui.comparison?.result.first;
  ui.comparison = { result, upTo };
  timeline.differs = differs;
  timeline.changed();
  showChecks();
  if (isNews && !ui.hasSought) goTo(Math.min(result.first.frame, frames - 1));
}

function learned(message) {
  if (message.sides[0].id !== scene.selected) return;
  ui.histories = message.sides;
  timeline.intervals = intervalsOf(message.sides[0].hits);
  timeline.changed();
  ui.isStale = true;
  ui.arePanelsStale = true;
}

// [first, last] frame of each hit, from rows of begins and ends.
function intervalsOf(rows) {
  const [open, intervals] = [new Map(), []];
  for (const [frame, a, b, kind] of rows) {
    const pair = `${a} ${b}`;
    if (kind === ENTER) open.set(pair, frame);
    else {
      intervals.push([open.get(pair) ?? 0, frame - 1]);
      open.delete(pair);
    }
  }
  for (const first of open.values()) intervals.push([first, checks[0].checked - 1]);
  return intervals;
}

// ---- time ----

const lastFrame = () => Math.max(0, Math.max(...logs.map((log, i) => checks[i].end ?? log.frames)) - 1);

// wakeFrames: how many frames before it are to leave traces.
function want(frame, wakeFrames = WAKE_FRAMES) {
  if (frames === 0) return;
  player.wanted = frame;
  worker.postMessage({ type: "want", frame, selected: scene.selected, wakeFrames });
}

// While the timeline is dragged, frames come without traces, which would take as long again.
function goTo(frame, isDragging = false) {
  ui.hasSought = true;
  const target = Math.min(lastFrame(), Math.max(0, Math.trunc(frame)));
  player.position = target;
  want(target, isDragging ? 0 : WAKE_FRAMES);
  speakSoon();
}

function play(isPlaying) {
  if (isPlaying && player.frame >= lastFrame()) goTo(0);
  else player.position = player.frame;
  ui.hasSought ||= isPlaying;
  player.isPlaying = isPlaying && frames > 1;
  const button = byId("play");
  const name = player.isPlaying ? "Pause" : "Play";
  button.setAttribute("aria-label", name);
  button.title = name;
  button.querySelector("use").setAttribute("href", player.isPlaying ? "#i-pause" : "#i-play");
  ui.arePanelsStale = true;
  showFrame();
  speakSoon();
}

function setSpeed(step) {
  const { options, selectedIndex } = byId("speed");
  byId("speed").selectedIndex = Math.min(options.length - 1, Math.max(0, selectedIndex + step));
  player.speed = Number(byId("speed").value);
}

function toHit(step) {
  const frame = timeline.eventFrame(player.wanted ?? player.frame, step);
  if (frame === null) say(step > 0 ? "No later hit begins or ends." : "No earlier hit begins or ends.");
  else goTo(frame);
}

function firstDifference() {
  if (ui.comparison?.result.first) return Math.min(ui.comparison.result.first.frame, frames - 1);
  const found = checks.flatMap(({ verdict }) => [verdict?.first, verdict?.nativeFirst]).filter(Boolean);
  return found.length > 0 ? Math.min(...found.map(({ frame }) => frame)) : null;
}

function toDifference() {
  const frame = firstDifference();
  if (frame === null) say("No difference has been found.");
  else goTo(frame);
}

let lastTick = 0;

function tick(now) {
  const elapsed = Math.min(250, now - lastTick) / 1000;
  lastTick = now;
  if (player.isPlaying) {
    const before = Math.floor(player.position);
    player.position = Math.min(lastFrame(), player.position + elapsed * player.rate * player.speed);
    if (Math.floor(player.position) !== before) want(Math.floor(player.position));
    if (player.frame >= lastFrame() && player.position >= lastFrame()) play(false);
  }
  if (ui.isStale) {
    ui.isStale = false;
    drawViews();
    timeline.frame = player.frame;
    timeline.draw(scene.theme);
  }
  if (ui.arePanelsStale && now - panelsDrawn > (player.isPlaying ? PANEL_MS : 30)) {
    ui.arePanelsStale = false;
    panelsDrawn = now;
    showPanels();
  }
  requestAnimationFrame(tick);
}

// ---- selection ----

const selectable = (side) => side.colliders.solids.filter(({ layer }) => scene.options.layers.has(layer));

function pick(view, side, place) {
  const isOver = byId("views").dataset.compare === "over";
  const from = (isOver ? scene.sides : [scene.sides[side]]).filter(Boolean);
  select(view.pick(...place, from.flatMap(selectable)));
}

function select(id) {
  scene.selected = id;
  ui.histories = null;
  timeline.intervals = [];
  timeline.changed();
  byId("follow").disabled = id === null;
  if (id === null) setFollowing(false);
  else {
    worker.postMessage({ type: "history", id });
    want(player.wanted ?? player.frame);
    say(`Selected ${page.nameOf(id)}.`);
  }
  byId("pick-id").value = id === null ? "" : page.nameOf(id);
  follow();
  ui.isStale = true;
  ui.arePanelsStale = true;
}

function selectNext(step) {
  const side = scene.sides.find(Boolean);
  const ids = side ? selectable(side).map(({ id }) => id) : [];
  if (ids.length === 0) return;
  const next =
    step > 0
      ? ids.find((id) => id > (scene.selected ?? -1))
      : ids.findLast((id) => id < (scene.selected ?? Number.POSITIVE_INFINITY));
  select(next ?? ids.at(step > 0 ? 0 : -1));
}

function selectNamed(text) {
  const named = Object.entries(scene.names.ids).find(([, name]) => name === text.trim());
  const id = named ? Number(named[0]) : Number.parseInt(text, 10);
  if (Number.isInteger(id) && id >= 0) select(id);
  else say(`There is no collider ${text}.`);
}

// ---- text ----

function say(text) {
  byId("live").textContent = text;
}

let speech = null;

// Tells where the match stands, once it has stood there for a moment.
function speakSoon() {
  clearTimeout(speech);
  speech = setTimeout(() => {
    if (!player.isPlaying) say(describeFrame());
  }, SPEECH_MS);
}

function describeFrame() {
  const side = scene.sides.find(Boolean);
  if (!side) return "";
  const counts = { 1: 0, 2: 0, 3: 0 };
  for (let at = 2; at < side.events.length; at += 4) counts[side.events[at]]++;
  const hits = `${plural(counts[1], "hit")} begin, ${counts[2]} go on, ${counts[3]} end`;
  return `Frame ${player.frame} of ${frames}: ${plural(side.colliders.count, "collider")}; ${hits}.`;
}

function showFrame() {
  frameTold = performance.now();
  const { frame, rate } = player;
  if (document.activeElement !== byId("frame")) byId("frame").value = String(frame);
  byId("clock").textContent = `of ${ordinal(Math.max(0, frames - 1))} · ${clockTime(frame / rate)}`;
  const slider = byId("timeline");
  slider.setAttribute("aria-valuenow", String(frame));
  slider.setAttribute("aria-valuetext", `Frame ${frame} of ${Math.max(0, frames - 1)}, ${clockTime(frame / rate)}`);
}

function showPanels() {
  const description = describeFrame();
  for (const { canvas, view } of views)
    canvas.setAttribute("aria-label", `${PROJECTION_NAMES[view.projection]}. ${description}`);
  fillCollider(page, byId("collider"), scene.sides, scene.selected, ui.histories);
  fillFrame(page, byId("frame-events"), scene.sides);
  byId("frame-events").dataset.frame = player.frame;
  byId("difference-panel").hidden = !fillDifferences(page, byId("differences"), scene.sides, ui.details);
  fillLayers(page, byId("layers"), layerCounts());
}

// Colliders by layer; of two logs, in the one that has more.
function layerCounts() {
  const most = new Map();
  for (const side of scene.sides.filter(Boolean)) {
    const counts = new Map();
    for (const { layer } of side.colliders.solids) counts.set(layer, (counts.get(layer) ?? 0) + 1);
    for (const [layer, count] of counts) most.set(layer, Math.max(count, most.get(layer) ?? 0));
  }
  return most;
}

let told = "";

function showChecks() {
  const texts = logs.map((log, i) => {
    const { verdict, checked } = checks[i];
    if (!verdict) return null;
    const text = verdictText(verdict, log, checked);
    return {
      name: logs.length > 1 ? `${"AB"[i]}: ${log.name}` : "",
      text,
      done: log.frames > 0 ? checked / log.frames : 1,
    };
  });
  if (ui.comparison) {
    const { result, upTo } = ui.comparison;
    texts.unshift({ name: "A against B", text: comparisonText(result, upTo), done: frames > 0 ? upTo / frames : 1 });
  }
  const known = texts.filter(Boolean);
  fillChecks(page, byId("checks"), known);
  // The badge tells the worst of all; between two logs, what tells them apart.
  const rank = { good: 0, none: 1, running: 2, bad: 3 };
  const worst = known.reduce((a, b) => (rank[b.text.state] > rank[a.text.state] ? b : a));
  const badge = byId("badge");
  badge.dataset.state = worst.text.state;
  const words = {
    good: "Identical",
    none: "Nothing to compare",
    running: "Checking…",
    bad: worst.text.title.split(":")[0],
  };
  badge.textContent = worst.text.title.startsWith("Same as native") ? "Same as native" : words[worst.text.state];
  badge.title = worst.text.title;
  byId("to-difference").hidden = firstDifference() === null;
  if (worst.text.state !== "running" && worst.text.title !== told) {
    told = worst.text.title;
    say(told);
  }
}

// ---- controls ----

const timeline = new Timeline(byId("timeline"), goTo);

function setOption(name, isOn) {
  if (name === "zDown") {
    camera.isZDown = isOn;
    showCaptions();
  } else scene.options[name] = isOn;
  document.querySelector(`[data-option="${name}"]`).checked = isOn;
  ui.isStale = true;
}

const toggleOption = (name) => setOption(name, !document.querySelector(`[data-option="${name}"]`).checked);

const THEMES = ["as the system", "light", "dark"];
let theme = 0;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function setTheme(next) {
  theme = next;
  const isDark = theme === 0 ? systemIsDark.matches : theme === 2;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  byId("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
  byId("theme").title = `Colours: ${THEMES[theme]}`;
  scene.theme = readTheme(document.documentElement);
  timeline.changed();
  ui.isStale = true;
}

const KEYS = {
  " ": () => play(!player.isPlaying),
  ArrowLeft: (event) => stepBy(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => stepBy(event.shiftKey ? 10 : 1),
  PageUp: () => stepBy(-Math.round(player.rate)),
  PageDown: () => stepBy(Math.round(player.rate)),
  Home: () => goTo(0),
  End: () => goTo(lastFrame()),
  "[": () => toHit(-1),
  "]": () => toHit(1),
  g: toDifference,
  ",": () => setSpeed(-1),
  ".": () => setSpeed(1),
  "+": () => zoomBy(1.25),
  "=": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
  0: () => refit(),
  w: () => panBy(0, 60),
  a: () => panBy(60, 0),
  s: () => panBy(0, -60),
  d: () => panBy(-60, 0),
  n: () => selectNext(1),
  p: () => selectNext(-1),
  f: () => setFollowing(!player.isFollowing),
  Escape: () => select(null),
  1: () => setLayout("both"),
  2: () => setLayout("top"),
  3: () => setLayout("side"),
  o: () => logs.length > 1 && setCompare(byId("views").dataset.compare === "over" ? "beside" : "over"),
  i: () => toggleOption("labels"),
  y: () => toggleOption("facing"),
  h: () => toggleOption("hits"),
  t: () => toggleOption("trails"),
  q: () => toggleOption("queries"),
  z: () => toggleOption("zDown"),
  "?": () => byId("help-dialog").showModal(),
};

function stepBy(step) {
  if (player.isPlaying) play(false);
  goTo((player.wanted ?? player.frame) + step);
}

function onKey(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help-dialog").open) return;
  if (target.matches("input:not([type=checkbox]), select, textarea")) return;
  if (key === " " && target.matches("button, input")) return;
  if (["PageUp", "PageDown", "Home", "End"].includes(key) && target.matches(".scroll")) return;
  const action = KEYS[key.length === 1 ? key.toLowerCase() : key];
  if (!action) return;
  event.preventDefault();
  action(event);
}

function wire() {
  const clicks = {
    play: () => play(!player.isPlaying),
    "to-start": () => goTo(0),
    "to-end": () => goTo(lastFrame()),
    "step-back": () => stepBy(-1),
    "step-forward": () => stepBy(1),
    "hit-back": () => toHit(-1),
    "hit-next": () => toHit(1),
    "to-difference": toDifference,
    follow: () => setFollowing(!player.isFollowing),
    "zoom-in": () => zoomBy(1.25),
    "zoom-out": () => zoomBy(0.8),
    fit: refit,
    theme: () => setTheme((theme + 1) % THEMES.length),
    help: () => byId("help-dialog").showModal(),
    badge: () => byId("check-panel").scrollIntoView({ block: "start" }),
  };
  for (const [id, action] of Object.entries(clicks)) byId(id).onclick = action;
  for (const button of document.querySelectorAll("button.icon[aria-label]"))
    button.title ||= button.getAttribute("aria-label");
  for (const button of document.querySelectorAll("button[data-layout]"))
    button.onclick = () => setLayout(button.dataset.layout);
  for (const button of document.querySelectorAll("button[data-compare]"))
    button.onclick = () => setCompare(button.dataset.compare);
  for (const box of document.querySelectorAll("[data-option]"))
    box.onchange = () => setOption(box.dataset.option, box.checked);
  byId("speed").onchange = () => setSpeed(0);
  byId("frame").onchange = (event) => {
    const frame = Number(event.target.value);
    if (Number.isFinite(frame)) goTo(frame);
    event.target.blur();
  };
  byId("pick").onsubmit = (event) => {
    event.preventDefault();
    selectNamed(byId("pick-id").value);
  };
  document.addEventListener("keydown", onKey);
  systemIsDark.addEventListener("change", () => setTheme(theme));
  new ResizeObserver(() => {
    resizeViews();
    timeline.resize();
    if (!ui.hasMoved) fit();
  }).observe(byId("views"));
}

function start() {
  document.title = manifest.title;
  byId("title").textContent = manifest.title;
  byId("timeline").setAttribute("aria-valuemax", String(Math.max(0, frames - 1)));
  byId("compare-modes").hidden = logs.length < 2;
  setTheme(0);
  timeline.setFrames(frames);
  buildViews(pick);
  wire();
  setLayout("both");
  // Two logs beside one another need width.
  setCompare(logs.length === 2 && matchMedia("(max-width: 820px)").matches ? "over" : "beside");
  if (frames === 0) byId("summary").textContent = "The log has no frames.";
  worker.postMessage({ type: "open", wasm: byId("kernel").textContent, logs });
  const { frame, id } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (id !== undefined) select(Number(id));
  if (frame === undefined) want(0);
  else goTo(Number(frame) || 0);
  requestAnimationFrame(tick);
}

start();

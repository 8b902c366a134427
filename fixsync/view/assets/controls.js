// Keys, buttons, switches and colours.
import {
  goTo,
  lastFrame,
  meter,
  play,
  setSpeed,
  stepBy,
  timeline,
  toDifference,
  toHit,
} from "./playback.js";
import { select, selectNamed, selectNext, setChoosing } from "./selection.js";
import {
  chooseLayout,
  fit,
  panBy,
  refit,
  resizeViews,
  setCompare,
  setFollowing,
  showCaptions,
  zoomBy,
} from "./stage.js";
import { byId, camera, match, player, scene, ui } from "./state.js";
import { readTheme } from "./theme.js";
import { pairPlots } from "./why.js";

export function setOption(name, isOn) {
  if (name === "zDown") {
    camera.isZDown = isOn;
    showCaptions();
  } else scene.options[name] = isOn;
  document.querySelector(`[data-option="${name}"]`).checked = isOn;
  if (name === "lanes" || name === "plots") fillMeter();
  ui.isStale = true;
  ui.arePanelsStale = true;
}

const toggleOption = (name) =>
  setOption(name, !document.querySelector(`[data-option="${name}"]`).checked);

function setColourBy(name) {
  scene.options.colourBy = name;
  byId("colour-by").value = name;
  ui.isStale = true;
  ui.arePanelsStale = true;
}

const known = { lanes: [], tracks: [] };

// What the worker sent about bodies and the selected collider, as far as it is shown.
export function fillMeter(news = {}) {
  Object.assign(known, news);
  meter.hasOwnPlots = scene.options.plots;
  meter.setLanes(scene.options.lanes ? known.lanes : [], select);
  if (scene.other !== null) meter.setPair(pairPlots());
  else meter.setTracks(scene.options.plots ? known.tracks : []);
}

const THEMES = ["as the system", "light", "dark"];
const THEME_KEY = "fixsync-theme"; // where the browser remembers it
let theme = 0;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

export function setTheme(next) {
  theme = next;
  const isDark = theme === 0 ? systemIsDark.matches : theme === 2;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  byId("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
  byId("theme").title = `Colours: ${THEMES[theme]}`;
  scene.theme = readTheme(document.documentElement);
  timeline.changed();
  ui.isStale = true;
}

const toggleOverlay = () =>
  match.logs.length > 1 && setCompare(byId("views").dataset.compare === "over" ? "beside" : "over");

const KEYS = {
  " ": () => play(!player.isPlaying),
  ArrowLeft: (event) => stepBy(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => stepBy(event.shiftKey ? 10 : 1),
  PageUp: () => stepBy(-Math.round(player.rate)),
  PageDown: () => stepBy(Math.round(player.rate)),
  Home: () => goTo(match.first),
  End: () => goTo(lastFrame()),
  "[": () => toHit(-1),
  "]": () => toHit(1),
  "{": () => toHit(-1, true),
  "}": () => toHit(1, true),
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
  e: () => setChoosing(!ui.isChoosing),
  Escape: () => select(scene.other === null ? null : scene.selected),
  1: () => chooseLayout("both"),
  2: () => chooseLayout("top"),
  3: () => chooseLayout("side"),
  o: toggleOverlay,
  i: () => toggleOption("labels"),
  y: () => toggleOption("facing"),
  h: () => toggleOption("hits"),
  t: () => toggleOption("trails"),
  q: () => toggleOption("queries"),
  z: () => toggleOption("zDown"),
  l: () => toggleOption("lanes"),
  v: () => toggleOption("plots"),
  c: () => setColourBy(scene.options.colourBy === "layer" ? "owner" : "layer"),
  "<": () => zoomLanes(0.8),
  ">": () => zoomLanes(1.25),
  "?": () => byId("help-dialog").showModal(),
};

function zoomLanes(factor) {
  meter.zoom(factor);
  ui.isStale = true;
}

// Keys are the page's again after a choice by mouse; who came by keys goes on choosing.
function onChoice(field, act) {
  let isByMouse = false;
  field.onpointerdown = () => {
    isByMouse = true;
  };
  field.onchange = () => {
    act(field.value);
    if (isByMouse) field.blur();
    isByMouse = false;
  };
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

export function wire() {
  const clicks = {
    play: () => play(!player.isPlaying),
    "to-start": () => goTo(match.first),
    "to-end": () => goTo(lastFrame()),
    "step-back": () => stepBy(-1),
    "step-forward": () => stepBy(1),
    "hit-back": ({ shiftKey }) => toHit(-1, shiftKey),
    "hit-next": ({ shiftKey }) => toHit(1, shiftKey),
    "to-difference": toDifference,
    follow: () => setFollowing(!player.isFollowing),
    why: () => setChoosing(!ui.isChoosing),
    chosen: () => byId("collider-panel").scrollIntoView({ block: "start" }),
    "zoom-in": () => zoomBy(1.25),
    "zoom-out": () => zoomBy(0.8),
    fit: refit,
    badge: () => byId("check-panel").scrollIntoView({ block: "start" }),
  };
  for (const [id, action] of Object.entries(clicks)) byId(id).onclick = action;
  for (const button of document.querySelectorAll("button[data-layout]"))
    button.onclick = () => chooseLayout(button.dataset.layout);
  for (const button of document.querySelectorAll("button[data-compare]"))
    button.onclick = () => setCompare(button.dataset.compare);
  for (const box of document.querySelectorAll("[data-option]"))
    box.onchange = () => setOption(box.dataset.option, box.checked);
  onChoice(byId("colour-by"), setColourBy);
  onChoice(byId("speed"), () => setSpeed(0));
  byId("frame").onchange = (event) => {
    const frame = Number(event.target.value);
    if (Number.isFinite(frame)) goTo(frame);
    event.target.blur();
  };
  byId("pick").onsubmit = (event) => {
    event.preventDefault();
    selectNamed(byId("pick-id").value);
    document.activeElement.blur();
  };
  document.addEventListener("keydown", onKey);
  new ResizeObserver(() => {
    resizeViews();
    timeline.resize();
    meter.resize();
    if (!ui.hasMoved) fit(ui.isFitToMoving);
  }).observe(byId("views"));
}

// What can be used before there is a match.
export function wireAlways() {
  for (const button of document.querySelectorAll("button.icon[aria-label]"))
    button.title ||= button.getAttribute("aria-label");
  byId("theme").onclick = () => {
    setTheme((theme + 1) % THEMES.length);
    remembered((storage) => storage.setItem(THEME_KEY, theme));
  };
  byId("help").onclick = () => byId("help-dialog").showModal();
  systemIsDark.addEventListener("change", () => setTheme(theme));
  setTheme(Number(remembered((storage) => storage.getItem(THEME_KEY))) || 0);
}

// A browser may refuse to remember anything.
function remembered(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}

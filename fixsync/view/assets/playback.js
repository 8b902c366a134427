// Time: the frame that is shown, playing, seeking, and the address that names the frame.

import { worker } from "./channel.js";
import { WAKE_FRAMES } from "./colliders.js";
import { clockTime, ordinal, plural } from "./format.js";
import { Meter } from "./meter.js";
import { byId, checks, match, nameOf, player, say, scene, ui } from "./state.js";
import { Timeline } from "./timeline.js";

const SPEECH_MS = 500; // how long a screen reader is left alone while frames change

export const timeline = new Timeline(byId("timeline"), goTo);
export const meter = new Meter(byId("lanes"), byId("lane-names"), goTo);

export const lastFrame = () => Math.max(match.first, Math.max(...checks.map(({ end }) => end)) - 1);

// wakeFrames: how many frames before it are to leave traces.
export function want(frame, wakeFrames = WAKE_FRAMES) {
  if (match.end === match.first) return;
  player.wanted = frame;
  worker.post({ type: "want", frame, wakeFrames });
}

// While the timeline is dragged, frames come without traces, which would take as long again.
export function goTo(frame, isDragging = false) {
  ui.hasSought = true;
  const target = Math.min(lastFrame(), Math.max(match.first, Math.trunc(frame)));
  player.position = target;
  want(target, isDragging ? 0 : WAKE_FRAMES);
  showSoon();
}

export function stepBy(step) {
  if (player.isPlaying) play(false);
  goTo((player.wanted ?? player.frame) + step);
}

export function play(isPlaying) {
  if (isPlaying && player.frame >= lastFrame()) goTo(match.first);
  else player.position = player.frame;
  ui.hasSought ||= isPlaying;
  player.isPlaying = isPlaying && match.end - match.first > 1;
  const button = byId("play");
  const name = player.isPlaying ? "Pause" : "Play";
  button.setAttribute("aria-label", name);
  button.title = name;
  button.querySelector("use").setAttribute("href", player.isPlaying ? "#i-pause" : "#i-play");
  ui.arePanelsStale = true;
  showFrame();
  showSoon();
}

export function setSpeed(step) {
  const { options, selectedIndex } = byId("speed");
  byId("speed").selectedIndex = Math.min(options.length - 1, Math.max(0, selectedIndex + step));
  player.speed = Number(byId("speed").value);
}

// Goes to the next frame in which a hit of the selected collider, or of any, begins or ends.
export function toHit(step, isAll = false) {
  const now = player.wanted ?? player.frame;
  const [history] = ui.histories ?? [];
  const frame =
    isAll || scene.selected === null || !history
      ? timeline.eventFrame(now, step)
      : ownEventFrame(history.hits, now, step);
  const whose = isAll || scene.selected === null ? "hit" : `hit of ${nameOf(scene.selected)}`;
  if (frame === null) say(`No ${step > 0 ? "later" : "earlier"} ${whose} begins or ends.`);
  else goTo(frame);
}

function ownEventFrame(hits, now, step) {
  const frames = hits.filter((row) => !ui.hidden.has(row[5])).map(([frame]) => frame);
  return (step > 0 ? frames.find((one) => one > now) : frames.findLast((one) => one < now)) ?? null;
}

export function firstDifference() {
  if (ui.comparison?.result.first) return Math.min(ui.comparison.result.first.frame, match.end - 1);
  const found = checks
    .flatMap(({ verdict }) => [verdict?.first, verdict?.nativeFirst])
    .filter(Boolean);
  return found.length > 0 ? Math.min(...found.map(({ frame }) => frame)) : null;
}

export function toDifference() {
  const frame = firstDifference();
  if (frame === null) say("No difference has been found.");
  else goTo(frame);
}

// Moves a match that plays on by the time that has passed.
export function advance(seconds) {
  if (!player.isPlaying) return;
  const before = Math.floor(player.position);
  player.position = Math.min(lastFrame(), player.position + seconds * player.rate * player.speed);
  if (Math.floor(player.position) !== before) want(Math.floor(player.position));
  if (player.frame >= lastFrame() && player.position >= lastFrame()) play(false);
}

// ---- the frame as text ----

let showing = null;
let isSpoken = false;

// Once the match has stood still for a moment, puts the frame and the collider into the address
// and, if the frame is another, says so.
export function showSoon(isOther = true) {
  clearTimeout(showing);
  isSpoken ||= isOther;
  showing = setTimeout(() => {
    if (player.isPlaying) return;
    if (player.wanted !== null) {
      showSoon(isSpoken);
      return;
    }
    if (isSpoken) say(describeFrame());
    isSpoken = false;
    const id = scene.selected === null ? "" : `&id=${scene.selected}`;
    const why = scene.other === null ? "" : `&why=${scene.other}`;
    history.replaceState(null, "", `#frame=${player.frame}${id}${why}`);
  }, SPEECH_MS);
}

export function describeFrame() {
  const side = scene.sides.find(Boolean);
  if (!side) return "";
  const counts = { 1: 0, 2: 0, 3: 0 };
  for (let at = 2; at < side.events.length; at += 4) counts[side.events[at]]++;
  const hits = `${plural(counts[1], "hit")} begin, ${counts[2]} go on, ${counts[3]} end`;
  const colliders = plural(side.colliders.count, "collider");
  return `Frame ${player.frame} of ${match.end - 1}: ${colliders}; ${hits}.`;
}

export let frameShownAt = 0; // when the number of the frame was written last

export function showFrame() {
  frameShownAt = performance.now();
  const { frame, rate } = player;
  const last = Math.max(match.first, match.end - 1);
  if (document.activeElement !== byId("frame")) byId("frame").value = String(frame);
  byId("clock").textContent = `of ${ordinal(last)} · ${clockTime(frame / rate)}`;
  const slider = byId("timeline");
  slider.setAttribute("aria-valuenow", String(frame));
  slider.setAttribute("aria-valuetext", `Frame ${frame} of ${last}, ${clockTime(frame / rate)}`);
}

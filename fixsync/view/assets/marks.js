// The hits of a frame, drawn in a view.
import { FXS_ENTER, FXS_EXIT, FXS_STAY, FXS_TOUCHING } from "../../../bindings/web/raw.js";
import { contactPlace } from "./colliders.js";
import { MARK_PIXELS } from "./theme.js";

export const FADE_FRAMES = 14;
// more visible colliders than this are drawn with thin lines, which canvases are quickest at, and
// without trails
export const CROWD = 300;
const LINKS_MAX = 3000;
const OLD_MARKS_MAX = 24; // of past frames: more would bury the present

export const faded = (age) => (1 - age / (FADE_FRAMES + 1)) ** 1.5;

const knownLinks = new WeakMap(); // by the colliders of a frame

// The hits of a side's frame of which a layer is shown, each with the place to mark: worked out
// once for all views that show the same colliders.
function linksOf(view, side, layers) {
  const { colliders, events } = side;
  const { solids, planes } = colliders;
  const isSide = planes > 0 && view.projection === "side";
  const key = `${isSide} ${[...layers].join()}`;
  const known = knownLinks.get(colliders) ?? new Map();
  knownLinks.set(colliders, known);
  if (known.has(key)) return known.get(key);
  const solidOf = (id) => solids[colliders.indexOf(isSide ? id + planes : id)];
  const links = [];
  for (let at = 0; at < events.length && links.length < LINKS_MAX; at += 4) {
    const kind = events[at + 2];
    if (kind === FXS_EXIT) continue;
    const [solidA, solidB] = [solidOf(events[at]), solidOf(events[at + 1])];
    if (!solidA || !solidB || !(layers.has(solidA.layer) || layers.has(solidB.layer))) continue;
    links.push({ solidA, solidB, kind, contact: events[at + 3], ...contactPlace(solidA, solidB) });
  }
  known.set(key, links);
  return links;
}

// Where a frame's hits have their marks on a view: the middle of each, half its width and height.
export const marksShown = (view, side, layers) =>
  linksOf(view, side, layers).map((link) => {
    const [x, y] = view.toScreen(link);
    return { x, y, wide: MARK_PIXELS / 2 - 2, tall: MARK_PIXELS / 2 - 2 };
  });

export function drawHits(view, { theme, options }, side) {
  const links = linksOf(view, side, options.layers);
  drawLinks(view, theme, links);
  // Hits begin and end within one frame: their marks fade over some more.
  let room = OLD_MARKS_MAX;
  for (const wake of [...side.wakes].reverse()) {
    const age = side.frame - wake.frame;
    const marks = age === 0 ? wake.marks.filter(({ kind }) => kind !== FXS_ENTER) : wake.marks;
    if (age > 0) room -= marks.length;
    if (room < 0 || age > FADE_FRAMES) break;
    drawMarks(view, theme, marks, age);
  }
  drawMarks(view, theme, links, 0, links.length > CROWD);
}

function drawLinks(view, theme, links) {
  const { context: g } = view;
  g.strokeStyle = theme.ink;
  g.lineWidth = 1;
  g.globalAlpha = 0.6;
  for (const dash of [[], [2, 3]]) {
    g.setLineDash(dash);
    g.beginPath();
    for (const { solidA, solidB, contact } of links) {
      if ((contact === FXS_TOUCHING) !== dash.length > 0) continue;
      g.moveTo(solidA.sx, solidA.sy);
      g.lineTo(solidB.sx, solidB.sy);
    }
    g.stroke();
  }
  g.setLineDash([]);
  g.globalAlpha = 1;
}

// A mark is no larger than what it marks, within limits, and widens as it fades. In a crowd, hits
// that go on are small squares.
function drawMarks(view, theme, marks, age, isCrowd = false) {
  const { context: g } = view;
  const taken = new Set(); // marks of one look within 3 pixels are one
  const { ratio, width, height } = view;
  const [columns, rows] = [Math.ceil(width / 3), Math.ceil(height / 3)];
  g.globalAlpha = faded(age);
  for (const mark of marks) {
    const [x, y] = view.toScreen(mark);
    if (x < -MARK_PIXELS || y < -MARK_PIXELS || x > width + MARK_PIXELS || y > height + MARK_PIXELS)
      continue;
    const look = mark.kind * 4 + mark.contact;
    const place =
      (look * (rows + 16) + Math.round(y / 3) + 8) * (columns + 16) + Math.round(x / 3) + 8;
    if (taken.has(place)) continue;
    taken.add(place);
    if (isCrowd && mark.kind === FXS_STAY) {
      g.fillStyle = theme.ink;
      g.fillRect(Math.round(x) - 1, Math.round(y) - 1, 3, 3);
      g.fillStyle = theme.stage;
      if (mark.contact === FXS_TOUCHING) g.fillRect(Math.round(x), Math.round(y), 1, 1);
      continue;
    }
    const part = Math.min(1, Math.max(0.5, (mark.size * view.camera.scale) / 12)) * (1 + age / 15);
    const size = 2 * Math.round((MARK_PIXELS / 2) * part);
    const picture = theme.marks.of(
      mark.kind,
      mark.contact === FXS_TOUCHING || age > 0,
      size,
      ratio,
    );
    g.drawImage(picture, Math.round(x - size / 2), Math.round(y - size / 2), size, size);
  }
  g.globalAlpha = 1;
}

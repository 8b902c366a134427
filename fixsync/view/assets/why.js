// Why the selected collider does not hit another: a list of causes that follows the frame, and the
// frames in which the shapes meet. `fixsync why` says the same.
import { CAUSES } from "../../../bindings/web/tables.js";
import { isNearer, OF_SHAPES, rankOf } from "./causes.js";
import { cell, element } from "./elements.js";
import { PAIR_FIELDS } from "./fields.js";
import { degrees, ordinal, units } from "./format.js";
import { colliderButton, frameButton } from "./links.js";
import { LEVEL } from "./solids.js";
import { layerName, match, nameOf, ownerName, player, scene, ui } from "./state.js";

const BITS = Object.fromEntries(CAUSES.map(([bit, name]) => [name, bit]));
const CHECKED = ["a_inactive", "b_inactive", "owner", "layers", "height", "beside"];
const CHECKED_IF_TRUE = ["sectors", "corner", "grazes"];
const SPANS_MAX = 6;

// What the kernel says of the pair in a frame, of a plane; null without it.
function explainedAt(frame, plane = 0) {
  const row = frame - match.logs[0].first;
  if (ui.pair?.isKnown[row] !== 1) return null;
  const at = PAIR_FIELDS.length * row;
  const value = (i) => ui.pair.rows[plane][at + i];
  return Object.fromEntries(
    PAIR_FIELDS.map((name, i) => [name, Number.isNaN(value(i)) ? null : value(i)]),
  );
}

// All causes of a frame, of both planes; null without an explanation.
function causesAt(frame) {
  const planes = ui.pair?.rows.map((_, plane) => explainedAt(frame, plane)) ?? [null];
  return planes.includes(null) ? null : planes.reduce((all, { why }) => all | why, 0);
}

const meetsAt = (frame) => ((causesAt(frame) ?? OF_SHAPES) & OF_SHAPES) === 0;
const isAllowedAt = (frame) => ((causesAt(frame) ?? BITS.owner) & ~OF_SHAPES) === 0;

// [first, last] of the frames around one in which `isSo` has the same answer.
function around(frame, isSo) {
  const answer = isSo(frame);
  const isSame = (at) => causesAt(at) !== null && isSo(at) === answer;
  let [first, last] = [frame, frame];
  while (isSame(first - 1)) first--;
  while (isSame(last + 1)) last++;
  return [first, last];
}

// [first, last] of all frames in which something is so.
function spansOf(isSo) {
  const spans = [];
  const { first, frames } = match.logs[0];
  for (let frame = first; frame < first + frames; frame++) {
    if (!isSo(frame)) continue;
    if (spans.at(-1)?.[1] === frame - 1) spans.at(-1)[1] = frame;
    else spans.push([frame, frame]);
  }
  return spans;
}

// Plots for the lanes: the gap, and the frames in which the shapes meet against those in which the
// pair may hit. A bar is full where both are so: a hit.
export function pairPlots() {
  const gapAt = (frame) => {
    const found = explainedAt(frame);
    return found && found.gap !== null ? Math.max(0, found.gap) : null;
  };
  const isBoth = (frame) => causesAt(frame) === 0;
  const said = (isSo) => (frame) => (causesAt(frame) === null ? "–" : isSo(frame) ? "yes" : "no");
  return [
    { name: "gap", lines: [gapAt], isPair: false, text: units },
    { name: "shapes meet", isOn: meetsAt, isBoth, colour: "accent", text: said(meetsAt) },
    { name: "may hit", isOn: isAllowedAt, isBoth, colour: "active", text: said(isAllowedAt) },
  ];
}

const thicker = (growth, name) =>
  growth === null
    ? `with no size of ${name}`
    : growth > 0
      ? `if ${name} were ${units(growth)} thicker`
      : `even if ${name} were ${units(-growth)} thinner`;

const wider = ({ sector, turn }) =>
  sector === 0 || turn === null || turn === 0 ? "" : `, or with ${degrees(turn)} more to each side`;

// In a few words: "misses by 0.31, and 12°".
export function missText({ why, height, gap, sector, turn }) {
  if (why === 0) return "hits";
  if ((why & OF_SHAPES) === 0) return "the shapes meet";
  if (why & BITS.sectors) return "two sectors, one with a hole, never meet";
  if (why & BITS.grazes) return "only touches";
  const isNever = gap === null;
  const by = isNever && why & BITS.height ? `${units(height)} in height` : units(gap ?? 0);
  if (isNever && !(why & BITS.height)) return "misses, with any size";
  const isBeside = sector !== 0 && sector !== null && turn > 0;
  return `misses by ${by}${isBeside ? `, and ${degrees(turn)}` : ""}`;
}

// What keeps a pair from a hit beside its shapes: "off", for instance.
function otherText(why) {
  const [a, b] = ui.pair.ids;
  const off = [a, b].filter((_, i) => why & [BITS.a_inactive, BITS.b_inactive][i]).map(nameOf);
  return [
    off.length > 0 && `${off.join(" and ")} ${off.length > 1 ? "are" : "is"} not active`,
    why & BITS.owner && "one owner",
    why & BITS.layers && "the layers do not meet",
  ]
    .filter(Boolean)
    .join(", ");
}

const valuesAt = (id) => {
  const side = scene.sides[0];
  if (id >= LEVEL) return { owner: 0, layer: side?.level.solid(id)?.layer ?? 0 };
  const i = side?.colliders.indexOf(id) ?? -1;
  return i < 0 ? null : side.colliders.raw(i);
};

// A cause as a question, so that yes is good for a hit, and its margin.
function question(cause, found) {
  const [a, b] = ui.pair.ids;
  const [own, other] = [a, b].map(valuesAt);
  const grows = nameOf(found.grows === 1 ? b : a);
  const pairOf = (of) => (own && other ? `${of(own)} and ${of(other)}` : "");
  const questions = {
    a_inactive: () => [`${nameOf(a)} is active`, ""],
    b_inactive: () => [`${nameOf(b)} is active`, ""],
    owner: () => ["the owners differ", pairOf(({ owner }) => ownerName(owner))],
    layers: () => ["the layers meet", pairOf(({ layer }) => layerName(layer))],
    height: () => [
      "at one height",
      `${units(Math.abs(found.height))} ${found.height > 0 ? "apart" : "in common"}`,
    ],
    beside: () => ["at one height they meet", thicker(found.planar, grows) + wider(found)],
    sectors: () => ["not both are sectors", ""],
    corner: () => ["their edges meet", thicker(found.gap, grows)],
    grazes: () => ["they overlap", ""],
  };
  return questions[cause]();
}

function checkRow(cause, found, plane) {
  const bit = BITS[cause];
  const isBad = (frame) => (explainedAt(frame, plane)?.why & bit) !== 0;
  const holds = (found.why & bit) !== 0;
  const [first, last] = around(player.frame, isBad);
  const [text, margin] = question(cause, found);
  const ends = match.logs[0].first + match.logs[0].frames - 1;
  const frames = first === last ? ordinal(first) : `${ordinal(first)}..${ordinal(last)}`;
  return element(
    "tr",
    { class: holds ? "no" : "yes" },
    cell(holds ? "✕" : "✓", { "aria-label": holds ? "no" : "yes" }),
    element(
      "td",
      {},
      text,
      margin ? element("small", {}, margin) : null,
      element(
        "small",
        { class: "raw" },
        `frames ${frames}`,
        ...(last < ends && causesAt(last + 1) !== null
          ? [holds ? "; yes from " : "; no from ", frameButton(last + 1)]
          : []),
      ),
    ),
  );
}

function planeParts(plane) {
  const found = explainedAt(player.frame, plane);
  const rows = [...CHECKED, ...CHECKED_IF_TRUE.filter((cause) => found.why & BITS[cause])];
  // what keeps the pair from a hit stands above the fold
  rows.sort((a, b) => Number((found.why & BITS[a]) === 0) - Number((found.why & BITS[b]) === 0));
  return [
    ui.pair.rows.length > 1
      ? element("p", { class: "note" }, ["From above", "From the side"][plane])
      : null,
    element(
      "table",
      { class: "causes" },
      element("tbody", {}, ...rows.map((cause) => checkRow(cause, found, plane))),
    ),
  ];
}

function spanLine(name, isSo) {
  const spans = spansOf(isSo);
  const shown = spans
    .slice(0, SPANS_MAX)
    .flatMap(([first, last]) => [frameButton(first), last > first ? `..${ordinal(last)} ` : " "]);
  const more = spans.length > SPANS_MAX ? `and ${spans.length - SPANS_MAX} more` : "";
  return element("li", {}, `${name}: `, ...(spans.length > 0 ? [...shown, more] : ["never"]));
}

// The frame without a hit that came nearest to one.
function nearest() {
  let best = null;
  const { first, frames } = match.logs[0];
  for (let frame = first; frame < first + frames; frame++) {
    const found = explainedAt(frame);
    if (!found || found.why === 0) continue;
    const rank = rankOf(found);
    if (!best || isNearer(rank, best.rank)) best = { frame, rank, found };
  }
  return best;
}

// The answer in a line, and whether it is a hit.
export function whyText() {
  const found = explainedAt(player.frame);
  if (!found) {
    const isAbsent = ui.pair?.isKnown[player.frame - match.logs[0].first] === 2;
    return [isAbsent ? "not both in the world in this frame" : "…", false];
  }
  const planes = ui.pair.rows.map((_, plane) => explainedAt(player.frame, plane));
  const shapes = planes.find(({ why }) => why & OF_SHAPES) ?? found;
  const other = otherText(found.why);
  return [missText(shapes) + (other ? `; ${other}` : ""), planes.every(({ why }) => why === 0)];
}

// The list for the collider's panel; empty without a pair.
export function whyParts() {
  if (scene.other === null) return [];
  const [text, isHit] = whyText();
  const names = [colliderButton(scene.selected), " and ", colliderButton(scene.other)];
  const head = element(
    "div",
    { class: "verdict", "data-hit": String(isHit) },
    element("p", {}, ...names, `, frame ${ordinal(player.frame)}`),
    element("strong", {}, text),
  );
  if (!explainedAt(player.frame)) return [head];
  const near = ui.pair.rows.length === 1 ? nearest() : null;
  return [
    head,
    ...ui.pair.rows.flatMap((_, plane) => planeParts(plane)),
    element(
      "ul",
      {},
      spanLine("Hit", (frame) => causesAt(frame) === 0),
      spanLine("Shapes meet", meetsAt),
      near
        ? element(
            "li",
            {},
            "Nearest without a hit: ",
            frameButton(near.frame),
            ` ${missText(near.found)}${near.rank[0] ? `; ${otherText(near.found.why)}` : ""}`,
          )
        : null,
    ),
  ].filter(Boolean);
}

// The panel of the selected collider: its values, in two logs side by side, its hits and its
// history.

import {
  FXS_ENTER,
  FXS_EXIT,
  FXS_OVERLAPPING,
  FXS_STAY,
  FXS_TOUCHING,
} from "../../../bindings/web/raw.js";
import { SHAPES } from "../../../bindings/web/tables.js";
import { KINDS } from "./colliders.js";
import { cell, element, table } from "./elements.js";
import { degrees, exactUnits, ordinal, plural, units } from "./format.js";
import { colliderButton, frameButton } from "./links.js";
import { LEVEL } from "./solids.js";
import { layerName, nameOf, ownerName } from "./state.js";
import { whyParts } from "./why.js";

export const ROWS_MAX = 100;
const STEP = 1; // where in its frame a hit stands in a history: behind the commands (engine.js)

export const EVENT_NAMES = { [FXS_ENTER]: "enter", [FXS_STAY]: "stay", [FXS_EXIT]: "exit" };
export const CONTACT_NAMES = {
  0: "",
  [FXS_TOUCHING]: "touching",
  [FXS_OVERLAPPING]: "overlapping",
};
export const SIGNS = {
  [FXS_ENTER]: { 0: "◆", [FXS_TOUCHING]: "◇", [FXS_OVERLAPPING]: "◆" },
  [FXS_STAY]: { 0: "●", [FXS_TOUCHING]: "○", [FXS_OVERLAPPING]: "●" },
  [FXS_EXIT]: { 0: "✕", [FXS_TOUCHING]: "✕", [FXS_OVERLAPPING]: "✕" },
};
// By the shape's code.
const SIZE_NAMES = Object.values(SHAPES).map(({ sizes }) =>
  sizes.filter((name) => name !== "half_angle").map((name) => name.replace("_", " ")),
);

// ---- values ----

// The values of a collider: [name, text, raw] in order; raw is null where the text is the only
// form. `centre`: see Run.
function valuesOf(raw, centre) {
  const lengths = (names, values) => names.map((name, i) => [name, units(values[i]), values[i]]);
  const rows = [
    ["shape", KINDS[raw.kind], null],
    ...lengths(SIZE_NAMES[raw.kind], raw.size).filter(
      ([name, , size]) => size !== 0 || name !== "inner radius",
    ),
    ...(raw.halfAngle > 0 ? [["half angle", degrees(raw.halfAngle), raw.halfAngle]] : []),
    ...lengths(["x", "y", "z"], raw.position),
    ["yaw", degrees(raw.yaw), raw.yaw],
  ];
  if (raw.offset.some((part) => part !== 0)) {
    rows.push(...lengths(["offset x", "offset y", "offset z"], raw.offset));
    if (centre) rows.push(...lengths(["centre x", "centre y", "centre z"], centre));
  }
  rows.push(["layer", layerName(raw.layer), raw.layer], ["owner", ownerName(raw.owner), raw.owner]);
  rows.push(["active", raw.active ? "yes" : "no", null]);
  return rows;
}

const exactTitle = (name, raw) =>
  raw !== null && !/yaw|angle|layer|owner/.test(name) ? exactUnits(raw) : null;

function valueTable(raw, centre) {
  const rows = valuesOf(raw, centre).filter(
    ([name]) => !["shape", "layer", "owner", "active"].includes(name),
  );
  return table(
    { heads: ["", "units", "raw"], numbers: [1, 2] },
    rows.map(([name, text, value]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        cell(text, { class: "number", title: exactTitle(name, value) }),
        cell(String(value), { class: "number raw" }),
      ),
    ),
  );
}

// The values of a collider in A and in B, those that differ marked.
function pairTable(id, raws, centres, isDifferingOnly = false) {
  const values = raws.map((raw, i) => (raw ? valuesOf(raw, centres[i]) : []));
  const names = [...new Set(values.flat().map(([name]) => name))];
  const rows = names.map((name) => {
    const pair = values.map((rows) => rows.find((row) => row[0] === name) ?? [name, "–", null]);
    return { name, pair, isSame: pair[0][1] === pair[1][1] && pair[0][2] === pair[1][2] };
  });
  const shown = isDifferingOnly ? rows.filter(({ isSame }) => !isSame) : rows;
  if (shown.length === 0) return null;
  return table(
    {
      caption: ["collider ", colliderButton(id)],
      heads: ["", "A", "B"],
      numbers: [1, 2],
      class: "pair",
    },
    shown.map(({ name, pair, isSame }) =>
      element(
        "tr",
        { class: isSame ? null : "differs" },
        element("th", { scope: "row" }, isSame ? name : `≠ ${name}`),
        ...pair.map(([, text, value]) =>
          element(
            "td",
            { class: "number", title: exactTitle(name, value) },
            text,
            value === null ? null : element("small", { class: "raw" }, ` ${value}`),
          ),
        ),
      ),
    ),
  );
}

const rawOf = (side, id) => {
  const i = side.colliders.indexOf(id);
  return i < 0 ? null : side.colliders.raw(i);
};

// What of a collider is not the same in two logs; null if all is.
export function valueDifferences(sides, id) {
  return pairTable(
    id,
    sides.map((side) => rawOf(side, id)),
    [null, null],
    true,
  );
}

// ---- hits and history ----

// The hits of one frame that a collider is part of, with the frame each began at.
function currentHits(side, id, history) {
  const rows = [];
  for (let at = 0; at < side.events.length; at += 4) {
    const [a, b, kind, contact] = side.events.subarray(at, at + 4);
    if ((a !== id && b !== id) || kind === FXS_EXIT) continue;
    const began = history?.hits.findLast(
      (row) => row[0] <= side.frame && row[1] === a && row[2] === b && row[3] === FXS_ENTER,
    );
    rows.push(
      element(
        "tr",
        {},
        cell(SIGNS[kind][contact], { "aria-hidden": "true" }),
        cell(colliderButton(a === id ? b : a)),
        cell(`${EVENT_NAMES[kind]}, ${CONTACT_NAMES[contact]}`),
        cell(began ? frameButton(began[0]) : "", { class: "number" }),
      ),
    );
  }
  if (rows.length === 0) return element("p", { class: "note" }, "It hits nothing in this frame.");
  return table({ heads: ["", "hits", "", "since"], numbers: [3] }, rows.slice(0, ROWS_MAX));
}

// What happened to a collider, newest first, from the frame shown backwards and, greyed by their
// number, after it.
function historyTable(side, id, history) {
  if (!history) return null;
  const all = [
    ...history.hits.map(([frame, a, b, kind, contact]) => ({
      frame,
      order: STEP,
      kind,
      contact,
      other: a === id ? b : a,
    })),
    ...history.changes.map(([frame, change, order]) => ({ frame, change, order })),
  ].sort((x, y) => x.frame - y.frame || x.order - y.order);
  const now = all.findLastIndex(({ frame }) => frame <= side.frame);
  const from = Math.max(0, Math.min(now - ROWS_MAX / 2, all.length - ROWS_MAX));
  const shown = all.slice(from, from + ROWS_MAX);
  const rows = shown.map(({ frame, kind, contact, other, change }) =>
    element(
      "tr",
      { "aria-current": frame === side.frame ? "true" : null },
      cell(frameButton(frame), { class: "number" }),
      cell(change ? "" : SIGNS[kind][contact], { "aria-hidden": "true" }),
      change ? cell(change) : element("td", {}, `${EVENT_NAMES[kind]} `, colliderButton(other)),
    ),
  );
  const caption =
    all.length > shown.length
      ? `History: ${plural(shown.length, "row")} of ${ordinal(all.length)}`
      : "History";
  return element(
    "div",
    { class: "scroll history", tabindex: "0", role: "region", "aria-label": "History" },
    table({ caption }, rows),
  );
}

// ---- the panel ----

// The values of a collider; of two planes, of both its views.
function valueParts(sides, side, id) {
  const ids = side.planes ? [id, id + side.planes] : [id];
  return ids.flatMap((one, i) => {
    const raw = rawOf(side, one);
    if (!raw) return [];
    const facts = [
      KINDS[raw.kind],
      layerName(side.planes ? raw.layer % 16 : raw.layer),
      raw.owner === 0 ? "no owner" : `owner ${raw.owner}`,
      raw.active ? "active" : "not active",
    ];
    const plane = side.planes ? `${["From above", "From the side"][i]}: ` : "";
    const centres = sides.map((of) => (one === id ? of.centre : null));
    return [
      element("p", { class: "note" }, `${plane}${facts.join(" · ")}`),
      sides.length === 2
        ? pairTable(
            one,
            sides.map((of) => rawOf(of, one)),
            centres,
          )
        : valueTable(raw, centres[0]),
    ];
  });
}

// A solid of the level, its hits and its history.
function describeSolid(sides, id, histories) {
  const index = Math.max(
    0,
    sides.findIndex((side) => side.level.solid(id)),
  );
  const [side, history] = [sides[index], histories?.[index]];
  const solid = side.level.solid(id);
  if (!solid) return [element("p", { class: "note" }, `${nameOf(id)} is not in the level.`)];
  const [kind, layer, low, high, place, radius] = solid.row;
  const points = solid.vertices ? place : [place];
  const rows = [
    ["y low", low],
    ["y high", high],
    ...(radius ? [["radius", radius]] : []),
    ...points.flatMap(([x, z], i) => [
      [solid.vertices ? `x ${i}` : "x", x],
      [solid.vertices ? `z ${i}` : "z", z],
    ]),
  ];
  return [
    element("p", { class: "subtitle" }, nameOf(id)),
    element("p", { class: "note" }, `${kind} of the level · ${layerName(layer)} · id ${id}`),
    table(
      { heads: ["", "units", "raw"], numbers: [1, 2] },
      rows.map(([name, raw]) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, name),
          cell(units(raw), { class: "number", title: exactUnits(raw) }),
          cell(String(raw), { class: "number raw" }),
        ),
      ),
    ),
    currentHits(side, id, history),
    historyTable(side, id, history),
  ];
}

function describe(sides, id, histories) {
  if (id >= LEVEL) return describeSolid(sides, id, histories);
  const index = Math.max(
    0,
    sides.findIndex((side) => side.colliders.indexOf(id) >= 0),
  );
  const side = sides[index];
  const history = histories?.[index];
  if (!rawOf(side, id)) {
    const text = `${nameOf(id)} is not in the world in this frame.`;
    return [element("p", { class: "note" }, text), historyTable(side, id, history)];
  }
  return [
    element("p", { class: "subtitle" }, nameOf(id)),
    ...valueParts(sides, side, id),
    currentHits(side, id, history),
    historyTable(side, id, history),
  ];
}

export function fillCollider(target, sides, id, histories) {
  if (id === null) {
    target.replaceChildren(element("p", { class: "note" }, "Click a collider, or press N."));
    return;
  }
  if (sides.length === 0) return;
  const scroll = target.querySelector(".scroll")?.scrollTop ?? 0;
  target.replaceChildren(...whyParts(), ...describe(sides, id, histories).filter(Boolean));
  const scroller = target.querySelector(".scroll");
  const current = scroller?.querySelector("[aria-current]");
  if (current) scroller.scrollTop = current.offsetTop - 90;
  else if (scroller) scroller.scrollTop = scroll;
}

// The panels beside the views: plain DOM, filled from what the worker tells.

import { ENTER, EXIT, OVERLAPPING, STAY, TOUCHING } from "./codes.js";
import { BOX, CAPSULE, CYLINDER, KINDS, SECTOR, SPHERE } from "./colliders.js";
import { degrees, exactUnits, ordinal, plural, units } from "./format.js";
import { dashOf, LAYER_COLOURS } from "./theme.js";

const ROWS_MAX = 100;
const ROWS_PLAYING_MAX = 25; // while nobody can read them

export const EVENT_NAMES = { [ENTER]: "enter", [STAY]: "stay", [EXIT]: "exit" };
const CONTACT_NAMES = { 0: "", [TOUCHING]: "touching", [OVERLAPPING]: "overlapping" };
const SIGNS = {
  [ENTER]: { 0: "◆", [TOUCHING]: "◇", [OVERLAPPING]: "◆" },
  [STAY]: { 0: "●", [TOUCHING]: "○", [OVERLAPPING]: "●" },
  [EXIT]: { 0: "✕", [TOUCHING]: "✕", [OVERLAPPING]: "✕" },
};
const SIZE_NAMES = {
  [SPHERE]: ["radius"],
  [CAPSULE]: ["radius", "half height"],
  [CYLINDER]: ["radius", "half height"],
  [BOX]: ["half x", "half y", "half z"],
  [SECTOR]: ["radius", "half height"],
};

// An element with attributes, listeners (`onclick`) and children.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made[name] = value;
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

const cell = (text, attributes = {}) => element("td", attributes, text);
const frameButton = (page, frame) =>
  element(
    "button",
    { type: "button", onclick: () => page.seek(frame), "aria-label": `Frame ${frame}` },
    ordinal(frame),
  );
const colliderButton = (page, id) =>
  element("button", { type: "button", onclick: () => page.select(id) }, page.nameOf(id));

// ---- checks ----

function checkBox(page, name, text, done) {
  const { state, title, lines, jump } = text;
  return element(
    "div",
    { class: "check", "data-state": state },
    name ? element("span", { class: "name" }, name) : null,
    element("strong", {}, title),
    state === "running" ? element("progress", { max: 1, value: done, "aria-label": "Checked" }) : null,
    lines.length > 0 ? element("ul", {}, ...lines.map((line) => element("li", {}, line))) : null,
    jump === null
      ? null
      : element("button", { type: "button", onclick: () => page.seek(jump) }, `Go to frame ${ordinal(jump)}`),
  );
}

// texts: [{ name, text, done }], done 0..1.
export function fillChecks(page, target, texts) {
  target.replaceChildren(...texts.map(({ name, text, done }) => checkBox(page, name, text, done)));
}

// ---- the selected collider ----

function valueRow(name, raw, text = units(raw)) {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    cell(text, { class: "number", title: exactUnits(raw) }),
    cell(String(raw), { class: "number raw" }),
  );
}

function valueTable(raw, centre) {
  const rows = SIZE_NAMES[raw.kind].map((name, i) => valueRow(name, raw.size[i]));
  if (raw.kind === SECTOR) rows.push(valueRow("half angle", raw.halfAngle, degrees(raw.halfAngle)));
  rows.push(...["x", "y", "z"].map((axis, i) => valueRow(axis, raw.position[i])));
  rows.push(valueRow("yaw", raw.yaw, degrees(raw.yaw)));
  if (raw.offset.some((part) => part !== 0)) {
    rows.push(...["offset x", "offset y", "offset z"].map((name, i) => valueRow(name, raw.offset[i])));
    if (centre) rows.push(...["centre x", "centre y", "centre z"].map((name, i) => valueRow(name, centre[i])));
  }
  const head = ["", "units", "raw"].map((name, i) => element("th", { scope: "col", class: i > 0 && "number" }, name));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

// The hits of one frame that a collider is part of, with the frame each began at.
function currentHits(page, side, id, history) {
  const rows = [];
  for (let at = 0; at < side.events.length; at += 4) {
    const [a, b, kind, contact] = side.events.subarray(at, at + 4);
    if ((a !== id && b !== id) || kind === EXIT) continue;
    const began = history?.hits.findLast(
      (row) => row[0] <= side.frame && row[1] === a && row[2] === b && row[3] === ENTER,
    );
    rows.push(
      element(
        "tr",
        {},
        cell(SIGNS[kind][contact], { "aria-hidden": "true" }),
        cell(colliderButton(page, a === id ? b : a)),
        cell(`${EVENT_NAMES[kind]}, ${CONTACT_NAMES[contact]}`),
        cell(began ? frameButton(page, began[0]) : "", { class: "number" }),
      ),
    );
  }
  if (rows.length === 0) return element("p", { class: "note" }, "It hits nothing in this frame.");
  const head = ["", "hits", "", "since"].map((name, i) =>
    element("th", { scope: "col", class: i === 3 && "number" }, name),
  );
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows.slice(0, ROWS_MAX)),
  );
}

// What happened to a collider, newest first, from the frame shown backwards and, greyed by their number, after it.
function historyTable(page, side, id, history) {
  if (!history) return null;
  const all = [
    ...history.hits.map(([frame, a, b, kind, contact]) => ({ frame, kind, contact, other: a === id ? b : a })),
    ...history.changes.map(([frame, change]) => ({ frame, change })),
  ].sort((x, y) => x.frame - y.frame);
  const now = all.findLastIndex(({ frame }) => frame <= side.frame);
  const from = Math.max(0, Math.min(now - ROWS_MAX / 2, all.length - ROWS_MAX));
  const shown = all.slice(from, from + ROWS_MAX);
  const rows = shown.map(({ frame, kind, contact, other, change }) =>
    element(
      "tr",
      { "aria-current": frame === side.frame ? "true" : null },
      cell(frameButton(page, frame), { class: "number" }),
      cell(change ? "" : SIGNS[kind][contact], { "aria-hidden": "true" }),
      change ? cell(change) : element("td", {}, `${EVENT_NAMES[kind]} `, colliderButton(page, other)),
    ),
  );
  const caption =
    all.length > shown.length ? `History: ${plural(shown.length, "row")} of ${ordinal(all.length)}` : "History";
  return element(
    "div",
    { class: "scroll history", tabindex: "0", role: "region", "aria-label": "History" },
    element("table", {}, element("caption", {}, caption), element("tbody", {}, ...rows)),
  );
}

function describe(page, side, id, history) {
  const i = side.colliders.indexOf(id);
  if (i < 0)
    return [
      element("p", { class: "note" }, `${page.nameOf(id)} is not in the world in this frame.`),
      historyTable(page, side, id, history),
    ];
  const raw = side.colliders.raw(i);
  const facts = [
    KINDS[raw.kind],
    page.layerName(raw.layer),
    raw.owner === 0 ? "no owner" : `owner ${raw.owner}`,
    raw.active ? "active" : "not active",
  ];
  return [
    element("p", { class: "subtitle" }, page.nameOf(id)),
    element("p", { class: "note" }, facts.join(" · ")),
    valueTable(raw, side.centre),
    currentHits(page, side, id, history),
    historyTable(page, side, id, history),
  ];
}

const FIELDS = ["kind", "layer", "active", "yaw", "halfAngle", "owner", "position", "offset", "size"];

// Which values of a collider are not the same in two logs; null if all are.
function valueDifferences(page, sides, id) {
  const raws = sides.map((side) => {
    const i = side.colliders.indexOf(id);
    return i < 0 ? null : side.colliders.raw(i);
  });
  const shown = (raw, field) => {
    if (!raw) return "not there";
    return String(field === "kind" ? KINDS[raw.kind] : raw[field]);
  };
  const fields = FIELDS.filter((field) => shown(raws[0], field) !== shown(raws[1], field));
  if (fields.length === 0) return null;
  const rows = fields.map((field) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, `≠ ${field}`),
      ...raws.map((raw) => cell(shown(raw, field), { class: "number" })),
    ),
  );
  const head = ["raw", "A", "B"].map((name, i) => element("th", { scope: "col", class: i > 0 && "number" }, name));
  return element(
    "table",
    { class: "differs" },
    element("caption", {}, "collider ", colliderButton(page, id)),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

export function fillCollider(page, target, sides, id, histories) {
  if (id === null) {
    target.replaceChildren(element("p", { class: "note" }, "Click a collider, or press N."));
    return;
  }
  const present = sides.filter(Boolean);
  const side = present.find(({ colliders }) => colliders.indexOf(id) >= 0) ?? present[0];
  if (!side) return;
  const index = sides.indexOf(side);
  const scroll = target.querySelector(".scroll")?.scrollTop ?? 0;
  const parts = describe(page, side, id, histories?.[index]);
  target.replaceChildren(...parts.filter(Boolean));
  const scroller = target.querySelector(".scroll");
  const current = scroller?.querySelector("[aria-current]");
  if (current) scroller.scrollTop = current.offsetTop - 90;
  else if (scroller) scroller.scrollTop = scroll;
}

// ---- this frame ----

const shownOf = (count, most = ROWS_MAX) => (count > most ? `${ordinal(count)} (${most} shown)` : ordinal(count));

function eventTable(page, caption, rows, marked, most = ROWS_MAX) {
  const body = rows
    .slice(0, most)
    .map(([a, b, kind, contact]) =>
      element(
        "tr",
        { class: marked ? "differs" : null },
        cell(SIGNS[kind]?.[contact] ?? "", { "aria-hidden": "true" }),
        cell(colliderButton(page, a)),
        cell(colliderButton(page, b)),
        cell(EVENT_NAMES[kind] ?? String(kind)),
        cell(CONTACT_NAMES[contact] ?? String(contact)),
      ),
    );
  return element("table", {}, element("caption", {}, caption), element("tbody", {}, ...body));
}

const listOf = (caption, items) =>
  element(
    "div",
    {},
    element("p", { class: "subtitle differs" }, caption),
    element("ul", {}, ...items.map((item) => element("li", { class: "differs" }, item))),
  );

const json = (value) => JSON.stringify(value);

// What a frame's line and the computation, or two logs, do not agree on. names: what the two are called.
function differenceParts(page, found, names) {
  const parts = [];
  for (const [field, what] of [
    ["events", "events"],
    ["computed", "computed events"],
  ]) {
    if (!found[field]) continue;
    const { counts } = found[field];
    for (const [i, side] of ["a", "b"].entries()) {
      const caption = `≠ ${what} only ${names[side]}: ${shownOf(counts[i])}`;
      if (counts[i] > 0) parts.push(eventTable(page, caption, found[field][side], true));
    }
    if (field === "events" && counts[0] + counts[1] === 0)
      parts.push(listOf(`≠ ${what}`, ["the same in another order"]));
  }
  for (const [field, what] of [
    ["commands", "command"],
    ["queries", "query's answer"],
  ]) {
    if (!found[field]) continue;
    const items = found[field].map(
      ({ index, a, b }) => `${what} ${index}: ${names.a} ${json(a)}, ${names.b} ${json(b)}`,
    );
    parts.push(listOf(`≠ ${what}s`, items));
  }
  if (found.hash) parts.push(listOf("≠ hash", [`${names.a} ${found.hash.a}, ${names.b} ${found.hash.b}`]));
  return parts;
}

function frameParts(page, side, name) {
  const most = page.isPlaying ? ROWS_PLAYING_MAX : ROWS_MAX;
  const rows = Array.from({ length: side.events.length / 4 }, (_, i) => [...side.events.subarray(4 * i, 4 * i + 4)]);
  const order = { [ENTER]: 0, [EXIT]: 1, [STAY]: 2 };
  rows.sort((x, y) => order[x[2]] - order[y[2]]);
  const parts = [
    element("p", { class: "note" }, `${name}${plural(side.colliders.count, "collider")}, hash ${side.hash}`),
    rows.length > 0
      ? eventTable(page, `${rows.length === 1 ? "Event" : "Events"}: ${shownOf(rows.length, most)}`, rows, false, most)
      : element("p", { class: "note" }, "No hits."),
  ];
  const areas = side.wakes.at(-1)?.frame === side.frame ? side.wakes.at(-1).areas : [];
  const answers = areas.map(({ command, answer }) => {
    const found = command[0] === "cast" ? answer : answer.map((id) => [id]);
    const said = found.slice(0, ROWS_MAX).flatMap(([id, fraction]) => {
      const part = fraction === undefined ? " " : ` at ${((fraction / 65536) * 100).toFixed(1)}% `;
      return [colliderButton(page, id), part];
    });
    return element("li", {}, `${command[0]} ${command[1][0]}: `, ...(said.length > 0 ? said : ["nothing"]));
  });
  if (answers.length > 0)
    parts.push(element("p", { class: "subtitle" }, "Queries and casts"), element("ul", { class: "note" }, ...answers));
  return parts;
}

export function fillFrame(page, target, sides) {
  const present = sides.filter(Boolean);
  const parts = [];
  for (const [i, side] of present.entries()) {
    parts.push(...frameParts(page, side, present.length > 1 ? `${"AB"[i]}: ` : ""));
  }
  target.replaceChildren(...parts);
}

// What differs in the frame: between two logs (`details`), and between what each records and what is computed. False if nothing does.
export function fillDifferences(page, target, sides, details) {
  const present = sides.filter(Boolean);
  const parts = details ? differenceParts(page, details, { a: "in A", b: "in B" }) : [];
  if (details && present.length === 2) {
    const ids = [...present[0].differing].sort((a, b) => a - b);
    parts.push(...ids.slice(0, ROWS_MAX).map((id) => valueDifferences(page, present, id)));
  }
  for (const [i, { differences }] of present.entries()) {
    const name = present.length > 1 ? ` (${"AB"[i]})` : "";
    const names = { a: `recorded${name}`, b: `computed${name}` };
    if (differences) parts.push(...differenceParts(page, differences, names));
  }
  target.replaceChildren(...parts.filter(Boolean));
  return target.childElementCount > 0;
}

// ---- layers, log ----

function swatch(layer) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("viewBox", "0 0 26 15");
  svg.setAttribute("aria-hidden", "true");
  const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const colour = `var(--layer-${layer % LAYER_COLOURS})`;
  const attributes = {
    x: 1,
    y: 1,
    width: 24,
    height: 13,
    rx: 3,
    stroke: colour,
    "stroke-width": 2,
    fill: colour,
    "fill-opacity": 0.25,
    "stroke-dasharray": dashOf(layer).join(" "),
  };
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
  svg.append(box);
  return svg;
}

// counts: colliders by layer in the frame shown. Adds a switch for each layer that has not had one yet.
export function fillLayers(page, target, counts) {
  for (const layer of [...counts.keys()].sort((a, b) => a - b)) {
    if (target.querySelector(`[data-layer="${layer}"]`)) continue;
    const box = element("input", {
      type: "checkbox",
      checked: true,
      onchange: () => page.showLayer(layer, box.checked),
    });
    const label = element(
      "label",
      { "data-layer": layer },
      box,
      swatch(layer),
      page.layerName(layer),
      element("span", { class: "count" }, "0"),
    );
    const next = [...target.children].find((other) => Number(other.dataset.layer) > layer);
    target.insertBefore(label, next ?? null);
  }
  for (const label of target.children) {
    label.querySelector(".count").textContent = ordinal(counts.get(Number(label.dataset.layer)) ?? 0);
  }
}

function showMeta(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function fillLog(page, target, { logs, version }, headers) {
  const parts = logs.map((log, i) => {
    const header = headers[i];
    const rate = Array.isArray(header.tick_rate) ? header.tick_rate.join("/") : header.tick_rate;
    const facts = [
      ["file", log.name],
      ["frames", ordinal(log.frames)],
      ["ticks a second", rate],
      ["capacity", header.capacity],
      ["hit when", header.hit_when === TOUCHING ? "touching" : "overlapping"],
      ["layers", header.layers === null ? "all meet" : `${plural(header.layers.length, "pair")} meet`],
      ["simulation", header.sim ?? "none: a trace"],
      ["seed", header.seed],
      ...(header.unit_mm ? [["one unit", `${header.unit_mm} mm`]] : []),
      ...Object.entries(header.meta).map(([name, value]) => [name, showMeta(value)]),
      ["page written by", `fixsync ${version}`],
    ];
    return element(
      "div",
      {},
      logs.length > 1 ? element("p", { class: "subtitle" }, "AB"[i]) : null,
      element(
        "dl",
        { class: "facts" },
        ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]),
      ),
      element(
        "p",
        {},
        element("button", { type: "button", class: "link", onclick: () => page.saveLog(i) }, "Save this log"),
      ),
    );
  });
  target.replaceChildren(...parts);
}

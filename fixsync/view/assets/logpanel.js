// The panels of what is the same in every frame: the check, colours, and the log itself.
import { FXS_TOUCHING } from "../../../bindings/web/raw.js";
import { worker } from "./channel.js";
import { element } from "./elements.js";
import { comparisonText, ordinal, plural, verdictText } from "./format.js";
import { firstDifference, goTo } from "./playback.js";
import { layersIn } from "./roster.js";
import {
  byId,
  checks,
  headers,
  layerName,
  match,
  ownerName,
  planes,
  say,
  scene,
  ui,
} from "./state.js";
import { dashOf, LAYER_COLOURS, paintOf } from "./theme.js";

const OWNERS_MAX = 32;

// ---- the check ----

function checkBox(name, text, done) {
  const { state, title, lines, jump } = text;
  return element(
    "div",
    { class: "check", "data-state": state },
    name ? element("span", { class: "name" }, name) : null,
    element("strong", {}, title),
    state === "running"
      ? element("progress", { max: 1, value: done, "aria-label": "Checked" })
      : null,
    lines.length > 0 ? element("ul", {}, ...lines.map((line) => element("li", {}, line))) : null,
    jump === null
      ? null
      : element(
          "button",
          { type: "button", onclick: () => goTo(jump) },
          `Go to frame ${ordinal(jump)}`,
        ),
  );
}

let announced = "";

// Of each log, and of the two together: what the check has come to.
export function showChecks() {
  const texts = match.logs.map((log, i) => {
    const { verdict, checked } = checks[i];
    if (!verdict) return null;
    const done = checked - log.first;
    return {
      name: match.logs.length > 1 ? `${"AB"[i]}: ${log.name}` : "",
      text: verdictText(verdict, log, done),
      done: log.frames > 0 ? done / log.frames : 1,
    };
  });
  if (ui.comparison) {
    const { result, upTo } = ui.comparison;
    texts.unshift({
      name: "A against B",
      text: comparisonText(result, upTo),
      done: upTo / Math.max(1, match.end),
    });
  }
  const known = texts.filter(Boolean);
  byId("checks").replaceChildren(
    ...known.map(({ name, text, done }) => checkBox(name, text, done)),
  );
  showBadge(known);
}

// The badge has the worst of all; between two logs, what sets them apart.
function showBadge(known) {
  const rank = { good: 0, none: 1, running: 2, bad: 3 };
  const worst = known.reduce((a, b) => (rank[b.text.state] > rank[a.text.state] ? b : a));
  const badge = byId("badge");
  badge.dataset.state = worst.text.state;
  const words = {
    good: "Identical",
    none: "Nothing to compare",
    running: "Checking…",
    bad: worst.text.badge ?? worst.text.title,
  };
  badge.textContent = worst.text.title.startsWith("Same as native")
    ? "Same as native"
    : words[worst.text.state];
  badge.title = worst.text.title;
  byId("to-difference").hidden = firstDifference() === null;
  if (worst.text.state !== "running" && worst.text.title !== announced) {
    announced = worst.text.title;
    say(announced);
  }
}

// ---- colours ----

function swatch(paint) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("viewBox", "0 0 26 15");
  svg.setAttribute("aria-hidden", "true");
  const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const colour = `var(--layer-${paint % LAYER_COLOURS})`;
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
    "stroke-dasharray": dashOf(paint).join(" "),
  };
  for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
  svg.append(box);
  return svg;
}

// Colliders by what `of` gives for them; of two logs, in the one that has more.
function counted(of, hasSolids = false) {
  const most = new Map();
  for (const side of scene.sides.filter(Boolean)) {
    const counts = new Map();
    for (const solid of side.colliders.solids) {
      if (solid.id === solid.key) counts.set(of(solid), (counts.get(of(solid)) ?? 0) + 1);
    }
    for (const solid of hasSolids ? side.level.solids : [])
      counts.set(of(solid), (counts.get(of(solid)) ?? 0) + 1);
    for (const [key, count] of counts) most.set(key, Math.max(count, most.get(key) ?? 0));
  }
  return most;
}

// A switch for each layer that has been seen, with the number of its colliders and solids.
export function fillLayers(target) {
  const counts = counted(({ layer }) => layer, true);
  for (const layer of [...counts.keys()].sort((a, b) => a - b)) {
    if (target.querySelector(`[data-layer="${layer}"]`)) continue;
    const box = element("input", {
      type: "checkbox",
      checked: true,
      onchange() {
        if (box.checked) scene.options.layers.add(layer);
        else scene.options.layers.delete(layer);
        ui.isStale = true;
      },
    });
    const count = element("span", { class: "count" }, "0");
    const label = element(
      "label",
      { "data-layer": layer },
      box,
      swatch(layer),
      layerName(layer),
      count,
    );
    const next = [...target.children].find((other) => Number(other.dataset.layer) > layer);
    target.insertBefore(label, next ?? null);
  }
  for (const label of target.children) {
    label.querySelector(".count").textContent = ordinal(
      counts.get(Number(label.dataset.layer)) ?? 0,
    );
    label.querySelector(".swatch").style.visibility =
      scene.options.colourBy === "layer" ? "visible" : "hidden";
  }
}

// The colours of owners, while colliders have them.
export function fillOwners(target) {
  target.hidden = scene.options.colourBy !== "owner";
  if (target.hidden) return;
  const counts = counted(({ owner }) => owner);
  const owners = [...counts.keys()].sort((a, b) => a - b).slice(0, OWNERS_MAX);
  target.replaceChildren(
    ...owners.map((owner) =>
      element(
        "p",
        {},
        swatch(paintOf(scene.options, { owner })),
        ownerName(owner),
        element("span", { class: "count" }, ordinal(counts.get(owner))),
      ),
    ),
  );
}

// ---- hits by layers ----

// A switch for each pair of layers that hit each other, with how many hits began.
export function fillPairs(target) {
  const counts = new Map();
  for (const { pairs } of checks)
    for (const [pair, count] of pairs ?? [])
      counts.set(pair, Math.max(count, counts.get(pair) ?? 0));
  byId("pairs-panel").hidden = counts.size < 2;
  for (const pair of [...counts.keys()].sort((a, b) => a - b)) {
    if (target.querySelector(`[data-pair="${pair}"]`)) continue;
    const box = element("input", {
      type: "checkbox",
      checked: true,
      onchange() {
        if (box.checked) ui.hidden.delete(pair);
        else ui.hidden.add(pair);
        worker.post({ type: "hide", pairs: [...ui.hidden] });
      },
    });
    const name = layersIn(pair).map(layerName).join(" – ");
    const label = element(
      "label",
      { "data-pair": pair },
      box,
      name,
      element("span", { class: "count" }),
    );
    const next = [...target.children].find((other) => Number(other.dataset.pair) > pair);
    target.insertBefore(label, next ?? null);
  }
  for (const label of target.children)
    label.querySelector(".count").textContent = ordinal(
      counts.get(Number(label.dataset.pair)) ?? 0,
    );
}

// ---- the log ----

function showMeta(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function fillLog(target, saveLog) {
  const { logs, version } = match.manifest;
  const parts = logs.map((log, i) => {
    const header = headers[i];
    const rate = Array.isArray(header.tick_rate) ? header.tick_rate.join("/") : header.tick_rate;
    const facts = [
      ["file", log.name],
      ["frames", ordinal(log.frames) + (log.first > 0 ? `, from frame ${ordinal(log.first)}` : "")],
      ["ticks a second", rate],
      ["capacity", header.capacity],
      ["hit when", header.hit_when === FXS_TOUCHING ? "touching" : "overlapping"],
      ...(planes[i] ? [["planes", "2: a hit is one from above and from the side"]] : []),
      ...(header.level ? [["level", plural(header.level.solids.length, "solid")]] : []),
      [
        "layers",
        header.layers === null ? "all meet" : `${plural(header.layers.length, "pair")} meet`,
      ],
      ["simulation", header.sim ?? "none: a trace"],
      ["seed", header.seed],
      ...(header.unit_mm ? [["one unit", `${header.unit_mm} mm`]] : []),
      ...["semantics", "build", "data"]
        .filter((key) => header[key] !== undefined)
        .map((key) => [key, header[key]]),
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
        ...facts.flatMap(([name, value]) => [
          element("dt", {}, name),
          element("dd", {}, String(value)),
        ]),
      ),
      element(
        "p",
        {},
        element(
          "button",
          { type: "button", class: "link", onclick: () => saveLog(i) },
          "Save this log",
        ),
      ),
    );
  });
  target.replaceChildren(...parts);
}

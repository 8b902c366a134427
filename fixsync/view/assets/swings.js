// The panel of attacks: whom each hit, how near it came to the one it missed, and how many missed
// by how much.
import { cell, element } from "./elements.js";
import { ordinal, plural, units } from "./format.js";
import { goTo } from "./playback.js";
import { select } from "./selection.js";
import { byId, games, nameOf, ownerName, ui } from "./state.js";
import { missText } from "./why.js";

const SWINGS_MAX = 400;
// Upper ends of the bars, in raw units: an eighth of a unit to four units, and more.
const BINS = Array.from({ length: 6 }, (_, i) => 8192 << i);
const HEADS = ["frame", "attack", "result"];
const UNSEEN = { why: -1, gap: null };

let sorted = { by: "frame", isUp: true };

// The attack's name in the game's own words, if it has some.
function nameOfSwing({ id, owner, first, parts }) {
  const phases = games[0]?.phases[owner] ?? [];
  const found = phases.find(([from, to]) => from <= first && first <= to);
  const name = parts.length > 1 ? `${nameOf(id)} and ${parts.length - 1} more` : nameOf(id);
  return found ? `${found[2]} (${name})` : name;
}

function resultOf({ hits, missed }) {
  if (hits.length > 0) {
    const more = hits.length > 1 ? ` and ${hits.length - 1} more` : "";
    return `hit ${nameOf(hits[0].id)}${more}`;
  }
  return missed ? `${nameOf(missed.id)}: ${missText(missed)}` : "nothing to hit";
}

// Where it hit first, or came nearest.
const frameOf = ({ hits, missed, first }) => hits[0]?.frames[0][0] ?? missed?.frame ?? first;

// Hits first, then the nearest.
const distanceOf = ({ hits, missed }) =>
  hits.length > 0 ? -1 : ((missed ?? UNSEEN).gap ?? Number.MAX_SAFE_INTEGER);

const SORT_KEYS = {
  frame: frameOf,
  attack: (swing) => `${ownerName(swing.owner)} ${nameOfSwing(swing)}`,
  result: distanceOf,
};

function inOrder(swings) {
  const key = SORT_KEYS[sorted.by];
  const order = [...swings].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  });
  return sorted.isUp ? order : order.reverse();
}

// Goes to where it hit first, or to where it came nearest, and says why.
function show({ id, first, hits, missed }) {
  const met = hits[0] ?? missed;
  goTo(frameOf({ hits, missed, first }));
  select(met?.part ?? id, met?.id ?? null);
  byId("collider-panel").scrollIntoView({ block: "start" });
}

function headOf(name) {
  const isBy = sorted.by === name;
  const sort = () => {
    sorted = { by: name, isUp: isBy ? !sorted.isUp : true };
    fillAttacks(byId("attacks"));
  };
  return element(
    "th",
    { scope: "col", "aria-sort": isBy ? (sorted.isUp ? "ascending" : "descending") : null },
    element(
      "button",
      { type: "button", onclick: sort },
      name,
      isBy ? (sorted.isUp ? " ▴" : " ▾") : "",
    ),
  );
}

const rowOf = (swing) =>
  element(
    "tr",
    { onclick: () => show(swing) },
    cell(element("button", { type: "button" }, ordinal(frameOf(swing)))),
    element(
      "td",
      {},
      nameOfSwing(swing),
      element("small", { class: "raw" }, swing.owner > 0 ? ownerName(swing.owner) : ""),
    ),
    cell(resultOf(swing), { class: swing.hits.length > 0 ? "hit" : null }),
  );

// Bars: how many attacks that hit nobody missed by up to so much.
function histogram(swings) {
  const gaps = swings
    .filter(({ hits, missed }) => hits.length === 0 && missed?.gap > 0)
    .map(({ missed }) => missed.gap);
  if (gaps.length === 0) return null;
  const bars = [...BINS, Number.POSITIVE_INFINITY].map((most, i) => {
    const least = BINS[i - 1] ?? 0;
    const count = gaps.filter((gap) => least < gap && gap <= most).length;
    const won = gaps.filter((gap) => gap <= most).length;
    const name = i < BINS.length ? units(most) : "more";
    const title =
      i < BINS.length
        ? `${plural(count, "attack")} missed by ${units(least)} to ${units(most)}; ` +
          `${won} of ${gaps.length} by ${units(most)} or less`
        : `${plural(count, "attack")} missed by more than ${units(least)}`;
    return { count, name, title };
  });
  const most = Math.max(...bars.map(({ count }) => count));
  return element(
    "div",
    { class: "gaps", role: "group", "aria-label": "Attacks that hit nobody, by their nearest gap" },
    ...bars.map(({ count, name, title }) => {
      const bar = element("i", {});
      bar.style.height = `${(44 * count) / most}px`;
      return element(
        "div",
        { title, role: "img", "aria-label": title },
        element("b", {}, count > 0 ? ordinal(count) : ""),
        bar,
        element("span", {}, name),
      );
    }),
  );
}

// Fills the panel; false without an attack.
export function fillAttacks(target) {
  const { attacks } = ui;
  if (!attacks?.length) return false;
  const hits = attacks.filter((swing) => swing.hits.length > 0).length;
  const bars = histogram(attacks);
  const shown = inOrder(attacks).slice(0, SWINGS_MAX);
  const more = attacks.length > SWINGS_MAX ? `; ${SWINGS_MAX} shown` : "";
  const scroll = target.querySelector(".scroll")?.scrollTop ?? 0;
  target.replaceChildren(
    element(
      "p",
      { class: "note" },
      `${plural(attacks.length, "attack")}, of which ${ordinal(hits)} hit${more}` +
        (ui.isGuess ? ". A guess: no layer or id is named as an attack." : ""),
    ),
    ...(bars
      ? [
          bars,
          element("p", { class: "note" }, "Attacks without a hit, by their nearest gap in units"),
        ]
      : []),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Attacks" },
      element(
        "table",
        { class: "attacks" },
        element("thead", {}, element("tr", {}, ...HEADS.map(headOf))),
        element("tbody", {}, ...shown.map(rowOf)),
      ),
    ),
  );
  target.querySelector(".scroll").scrollTop = scroll;
  return true;
}
